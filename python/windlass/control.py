"""Congestion control written in Python, for prototypes: the engine's events become calls of your class's methods.

Windows are bytes, times seconds. The engine finds losses, runs recovery and samples the RTT, as it does for the
built-in algorithms; a class answers with its window in ``self.cwnd`` and ``self.ssthresh``.

>>> import windlass
>>> class Gentle(windlass.CongestionControl):
...     "NewReno that keeps a given share of its window."
...     def __init__(self, kept: float = 0.7):
...         self.kept = kept
...     def on_congestion(self, event, path):
...         if event.cause == "dup-acks":
...             self.cwnd, self.ssthresh = event.keep(self.kept)
...             return windlass.Response.REDUCED
...         return super().on_congestion(event, path)
>>> windlass.register(Gentle)
'gentle'
>>> scenario = windlass.load("lossy-dumbbell").with_({"flows.algorithm": {"name": "gentle", "kept": 0.8}})
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import re
import secrets
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path as FilePath
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from windlass.errors import InputError, shortened
from windlass.own_sources import imported_names, word_of

if TYPE_CHECKING:
    from windlass import _core

__all__ = [
    "CongestionControl",
    "Response",
    "explain_failure",
    "is_ours",
    "kept_for",
    "load_file",
    "loaded_files",
    "register",
    "resident_bytes",
    "store_loaded",
]


class Response(StrEnum):
    """What an algorithm made of a sign of congestion; results count losses by it and by what they truly were."""

    REDUCED = "reduced"
    """Congestion: the window was cut."""
    SAME_WINDOW = "same-window"
    """Congestion, but this window of data was cut already."""
    RANDOM = "random"
    """Judged random: the window was kept for that reason."""
    REDUCED_AS_RANDOM = "reduced-as-random"
    """Judged random: cut even so, by another measure."""
    UNDECIDED = "undecided"
    """No judgement: the window was kept."""


class CongestionControl:
    """Base of your own algorithms; by itself it is NewReno. One object is made for each sender.

    The parameters of ``__init__`` are those of the algorithm: numbers and booleans with a default, set in a scenario by
    ``algorithm = { name = "...", parameter = value }``.

    Attributes
    ----------
    cwnd, ssthresh : float
        Congestion window and slow start threshold, bytes. Read after each call; the engine sends whole segments, at
        least one.
    name : str
        Class attribute: name in scenarios; the class's name in small letters with dashes if empty.
    recovery : str
        Class attribute: recovery core where the profile or the scenario leaves it to the algorithm, as ``ns2`` does:
        ``"newreno"`` (default), ``"sack"``, ``"rack-tlp"``, ``"reno"``, ``"tahoe"`` or ``"vegas"``.
    judges_losses : bool or None
        Class attribute: whether it tells random losses from congestion, as ``windlass list`` and ``windlass compare``
        say. ``None`` (default): it does if its code names :attr:`Response.RANDOM` or
        :attr:`Response.REDUCED_AS_RANDOM`.
    hears_every_loss : bool
        Class attribute: hear also of a second loss in a window of data that was cut already.
    uses_marks : bool
        Class attribute: packets are ECN-capable, each mark is echoed, and comes in ``ack.marked``.
    needs_receiver_time : bool
        Class attribute: run with timestamps, so that ``ack.receiver_time`` is the receiver's clock.
    paces : bool
        Class attribute: ask :meth:`pacing_rate` after every event.
    """

    cwnd: float = 0.0
    ssthresh: float = 0.0

    name: ClassVar[str] = ""
    recovery: ClassVar[str] = "newreno"
    judges_losses: ClassVar[bool | None] = None
    hears_every_loss: ClassVar[bool] = False
    uses_marks: ClassVar[bool] = False
    needs_receiver_time: ClassVar[bool] = False
    paces: ClassVar[bool] = False

    def on_init(self, cwnd: float, ssthresh: float, path: _core.Path) -> None:
        """Take the initial window and threshold, bytes, when the connection opens."""
        self.cwnd = cwnd
        self.ssthresh = ssthresh

    def on_ack(self, ack: _core.Ack, path: _core.Path) -> None:
        """Take an ACK, duplicates included: update estimators, and the window where ``ack.grows``."""
        if ack.grows:
            self.cwnd += self.reno_increase(ack, path)

    def on_congestion(self, event: _core.Congestion, path: _core.Path) -> Response | None:
        """Decide about the window at a loss or mark; ``None`` means :attr:`Response.REDUCED`."""
        half, ssthresh = event.keep(0.5)
        if not event.hold_ssthresh:
            self.ssthresh = ssthresh
        self.cwnd = path.mss if event.cause == "rto" else half
        return Response.REDUCED

    def on_recovery_exit(self, now: float, window: float, path: _core.Path) -> None:
        """Take the window to go on with after a recovery; `window` is what the engine proposes, bytes."""
        self.cwnd = window

    def pacing_rate(self) -> float | None:
        """Payload bytes per second at which segments leave; ``None``: as the window allows. Needs :attr:`paces`."""
        return None

    def reno_increase(self, ack: _core.Ack, path: _core.Path) -> float:
        """Reno's growth for one ACK, bytes: in slow start what it counts for, a window's share of that afterwards."""
        return ack.slow_start if self.cwnd < self.ssthresh else path.mss * (ack.avoidance / self.cwnd)


def register(algorithm: type[CongestionControl], name: str | None = None) -> str:
    """Make a class known, so that scenarios can name it as they name the built-in algorithms.

    Runs with it are not kept: nobody knows what an object in memory depends on. Those of a file that
    :func:`load_file` reads can be.

    Parameters
    ----------
    algorithm : type
        A class derived from :class:`CongestionControl`.
    name : str, optional
        Name in scenarios; if not given, that of the class.

    Returns
    -------
    str
        The name.

    Raises
    ------
    InputError
        If it is no such class, its parameters have no usable defaults, or a built-in algorithm has the name.
    """
    if not (isinstance(algorithm, type) and issubclass(algorithm, CongestionControl)):
        raise InputError(
            f"{algorithm!r} is no class derived from windlass.CongestionControl",
            code="algorithm.class",
            hint="write `class Mine(windlass.CongestionControl):`",
        )
    return _register(algorithm, name, secrets.token_hex(32), "not")


_KEPT: dict[str, str] = {}
"""How long runs of each class are kept, by the class's word: ``"not"``, ``"process"`` or ``"always"``."""

_FILES: dict[FilePath, None] = {}
"""The files that were loaded, in that order."""


def _register(algorithm: type[CongestionControl], name: str | None, word: str, kept: str) -> str:
    """Make a class known; `word` stands for its source in effective descriptions, and so in keys."""
    from windlass import _core

    _check_attributes(algorithm)
    chosen = name or algorithm.name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", algorithm.__name__).lower()

    summary = (inspect.getdoc(algorithm) or "").partition("\n")[0] if algorithm.__doc__ else ""
    try:
        _core.register_algorithm(
            algorithm,
            chosen,
            summary,
            algorithm.recovery,
            _parameters(algorithm),
            word,
            judges_losses=_judges_losses(algorithm),
            hears_every_loss=algorithm.hears_every_loss,
            uses_marks=algorithm.uses_marks,
            needs_receiver_time=algorithm.needs_receiver_time,
            paces=algorithm.paces,
        )
    except ValueError as error:
        hint = "`windlass list algorithms` shows the names that are taken, `windlass list rules` the recovery cores"
        raise _unusable(algorithm, str(error), hint) from None
    _KEPT[word] = kept
    return chosen


def store_loaded() -> None:
    """Keep runs of all classes of files in the store, as ``load_file(..., store=True)`` does."""
    _KEPT.update({word: "always" for word, kept in _KEPT.items() if kept == "process"})


def kept_for(description: Callable[[], str]) -> str:
    """How long a run may be kept under its key.

    Parameters
    ----------
    description : callable
        Gives the effective description, which has the words of the classes in it.

    Returns
    -------
    str
        ``"not"`` if a class in it was registered as an object, ``"process"`` if one is of a file, ``"always"`` if
        there is none, or if its file was loaded with ``store=True``.
    """
    text = description() if _KEPT else ""
    found = {kept for word, kept in _KEPT.items() if word in text}
    return next((kept for kept in ("not", "process") if kept in found), "always")


def _unusable(algorithm: type[CongestionControl], why: str, hint: str) -> InputError:
    place = _place(algorithm)
    return InputError(
        f"`{algorithm.__name__}` cannot be registered: {shortened(why)}",
        code="algorithm.class",
        file=place[0] if place else None,
        line=place[1] if place else None,
        hint=hint,
    )


_RUNS_LATER = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE
"""Of code: a call gives an object, and runs nothing."""


def _check_attributes(algorithm: type[CongestionControl]) -> None:
    """Class attributes are of the base's kinds, and what the engine calls can be called."""
    for attribute, default in vars(CongestionControl).items():
        found = getattr(algorithm, attribute)
        if attribute.startswith("_") or attribute in ("cwnd", "ssthresh"):
            continue
        if callable(default):
            if not callable(found):
                raise _unusable(
                    algorithm, f"`{attribute}` is {found!r}, no method", "leave it out to keep that of the base"
                )
            code = getattr(getattr(found, "__func__", found), "__code__", None)
            if isinstance(code, CodeType) and code.co_flags & _RUNS_LATER:
                raise _unusable(
                    algorithm,
                    f"`{attribute}` is a generator or a coroutine, and nothing in it would run",
                    "write it without `yield`, `async` and `await`",
                )
        elif not isinstance(found, (type(default), bool) if default is None else type(default)):
            kind = "text" if isinstance(default, str) else "True or False"
            raise _unusable(
                algorithm, f"`{attribute}` is {found!r}, not {kind}", "leave it out to keep that of the base"
            )


def _parameters(algorithm: type[CongestionControl]) -> list[tuple[str, float | bool]]:
    found = []
    for name, parameter in inspect.signature(algorithm).parameters.items():
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        if not isinstance(parameter.default, (bool, int, float)):
            raise _unusable(
                algorithm,
                f"parameter `{name}` has no number or boolean as its default",
                f"write `def __init__(self, {name}: float = 0.5)`",
            )
        default = parameter.default
        found.append((name, default if isinstance(default, bool) else float(default)))
    return found


def _judges_losses(algorithm: type[CongestionControl]) -> bool:
    """Whether a class tells random losses from congestion: what it declares, or else what answers its code names."""
    if algorithm.judges_losses is not None:
        return algorithm.judges_losses
    answers = {Response.RANDOM, Response.REDUCED_AS_RANDOM}
    words = {answer.name for answer in answers} | {answer.value for answer in answers}
    members = (member for base in _own_bases(algorithm) for member in vars(base).values())
    return any(not words.isdisjoint(_code_words(code)) for member in members for code in _codes_of(member))


def _codes_of(member: Any) -> Iterator[CodeType]:
    """Code of a method, however it is decorated; none of what is no method."""
    for part in (member, getattr(member, "__func__", None), getattr(member, "fget", None)):
        code = getattr(inspect.unwrap(part) if callable(part) else part, "__code__", None)
        if isinstance(code, CodeType):
            yield code


def _code_words(code: CodeType) -> set[str]:
    """Names and texts in a piece of code and in the functions in it."""
    words = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            words |= _code_words(constant)
        elif isinstance(constant, str):
            words.add(constant)
    return words


def load_file(path: str | FilePath, *, store: bool = False) -> list[str]:
    """Run a file of Python and register every algorithm that it defines.

    It can import what lies beside it: its folder is added to the end of ``sys.path``. Keys of its runs hold a hash of
    the bytes of the file and of what it imports from beside it (:func:`windlass.own_sources.word_of`).

    Parameters
    ----------
    path : str or pathlib.Path
        The file.
    store : bool
        Whether its runs are kept in the store. Else they are kept until this process ends.

    Returns
    -------
    list of str
        Names in scenarios, in the order of the file.

    Raises
    ------
    InputError
        If the file cannot be read or run, defines no algorithm, or a module that it imports is not the one beside it.
    """
    file = FilePath(path)
    if not file.is_file():
        raise InputError("no such file", code="file.missing", file=str(file), hint="name a file that defines a class")
    name = f"windlass_own_{hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError("is no Python file", code="algorithm.file", file=str(file), hint="its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if str(folder := file.resolve().parent) not in sys.path:
        sys.path.append(str(folder))
    pressed: list[int] = []
    try:
        _check_neighbours(file, folder)
        word = word_of(file.resolve())
        with _noted(pressed):
            spec.loader.exec_module(module)
    except InputError:
        raise
    except BaseException as error:  # whatever the file raises
        if pressed:
            raise
        raise explain_failure(error, file) from None
    found = [item for item in vars(module).values() if _defined_here(item, module)]
    if not found:
        raise InputError(
            "defines no algorithm",
            code="algorithm.file",
            file=str(file),
            hint="write `class Mine(windlass.CongestionControl):`",
        )
    names: list[str] = []
    for item in found:
        names.append(_register(item, None, f"{word} {item.__name__}", "always" if store else "process"))
        if names[-1] in names[:-1]:
            raise _unusable(item, f"the file has two algorithms `{names[-1]}`", "give one of them another `name`")
    _FILES[file.resolve()] = None
    return names


@contextmanager
def _noted(pressed: list[int]) -> Iterator[None]:
    """Note Ctrl-C: a file can raise ``KeyboardInterrupt`` by itself."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def note(number: int, frame: Any) -> Any:
        pressed.append(number)
        return before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def is_ours(error: BaseException) -> bool:
    """Whether an exception is Ctrl-C in the main thread, and no failure of an algorithm."""
    return isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()


def resident_bytes() -> float:
    """Memory that this process has now, bytes; 0 where the system does not tell."""
    try:
        status = FilePath("/proc/self/status").read_text(encoding="utf-8")
        return 1024.0 * float(status.partition("VmRSS:")[2].split()[0])
    except (OSError, LookupError, ValueError):
        return 0.0


def loaded_files() -> list[FilePath]:
    """The files that :func:`load_file` was called with, in that order: another process has to load them, too."""
    return list(_FILES)


def _check_neighbours(file: FilePath, folder: FilePath) -> None:
    """A file imports what is beside it; otherwise another module of that name would be used silently."""
    try:
        names = imported_names(file.read_bytes(), "")
    except (SyntaxError, ValueError):  # running it says it better
        return
    for name in sorted({name.partition(".")[0] for name in names}):
        beside = [path for path in (folder / f"{name}.py", folder / name / "__init__.py") if path.is_file()]
        origin = _origin(name) if beside else None
        if origin is None or name in sys.stdlib_module_names:
            continue
        if FilePath(origin).resolve().parent not in (folder, folder / name):
            raise InputError(
                f"`import {name}` gives {origin}, not the {beside[0].relative_to(folder)} beside it",
                code="algorithm.file",
                file=str(file),
                hint="give one of the two another name",
            )


def _origin(name: str) -> str | None:
    """The file of a module that is loaded or would be; none if it has no file."""
    module = sys.modules.get(name)
    spec = importlib.util.find_spec(name) if module is None else None
    return getattr(module, "__file__", None) or (spec.origin if spec is not None else None)


def _defined_here(item: Any, module: ModuleType) -> bool:
    return isinstance(item, type) and issubclass(item, CongestionControl) and item.__module__ == module.__name__


def explain_failure(error: BaseException, file: FilePath | None = None) -> InputError:
    """An exception of the user's own code as an error of ours, with the file and line of that code.

    That is the last line of the user's that the traceback names. Where it names none (a wrong answer, a wrong window),
    it is the first line of the method that was called, or of the class if the method is not the user's.

    Parameters
    ----------
    error : BaseException
        What was raised, by a method of a class or by a file while it was read.
    file : pathlib.Path, optional
        The file that was read.
    """
    algorithm, method = getattr(error, "windlass_place", (None, ""))
    own = {str(file.resolve())} if file is not None else set()
    own |= {found[0] for base in _own_bases(algorithm) if (found := _place(base)) is not None}
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _resolved(frame.filename) in own]
    try:
        text = shortened(str(error))
    except BaseException as inside:  # noqa: BLE001  its text is made by code of the user's, too
        text = f"its text cannot be made: {type(inside).__name__}"
    message = shortened(type(error).__name__) + (f": {text}" if text else "")
    place: tuple[str, int | None] | None = (frames[-1].filename, frames[-1].lineno) if frames else None
    if isinstance(error, SyntaxError) and error.filename is not None:
        place = (error.filename, error.lineno)
    if place is None and algorithm is not None:
        place = _method_place(algorithm, method)
        message = f"{algorithm.__name__}.{method}: {message}"
    if algorithm is not None:
        hint = "`windlass run single-flow-cwnd --set flows.algorithm=NAME --python FILE` finds such mistakes quickly"
    else:
        hint = f"`python {file}` shows where the file fails by itself"
    return InputError(
        message,
        code="algorithm.failed",
        file=place[0] if place else str(file) if file else None,
        line=place[1] if place else None,
        hint=hint,
    )


def _own_bases(algorithm: type | None) -> list[type]:
    """A class and its bases, without ours and Python's."""
    bases = algorithm.__mro__ if algorithm is not None else ()
    return [base for base in bases if base.__module__ not in ("builtins", __name__)]


def _resolved(file: str) -> str:
    return str(FilePath(file).resolve()) if FilePath(file).is_file() else file


def _place(item: Any) -> tuple[str, int] | None:
    """File and line of a class or function; none if it has no text."""
    code = getattr(item, "__code__", None)
    if code is not None:
        return _resolved(code.co_filename), code.co_firstlineno
    try:
        return _resolved(inspect.getsourcefile(item) or inspect.getfile(item)), inspect.getsourcelines(item)[1]
    except (OSError, TypeError):
        # a class made by `exec`, say: its methods know the file name that it was given
        members = (getattr(member, "__code__", None) for member in vars(item).values())
        return next(((code.co_filename, code.co_firstlineno) for code in members if code is not None), None)


def _method_place(algorithm: type, method: str) -> tuple[str, int] | None:
    for base in _own_bases(algorithm):
        if hasattr(vars(base).get(method), "__code__"):
            return _place(vars(base)[method])
    return _place(algorithm)
