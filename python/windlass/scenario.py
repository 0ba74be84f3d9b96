"""Scenarios: from a file, from a dict, or built in Python. All three end in the same description.

The engine reads and checks every description itself, so a unit, a default or a rule is written down in one place only
and nothing is possible in a file that is not possible here, or the other way round. The builders (:class:`Scenario`,
:class:`Dumbbell`, :class:`ThreeRouters`, :class:`Graph`, :class:`Link`, :class:`Flow`) are dataclasses whose fields are
the keys of the file.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from windlass import _toml
from windlass.errors import Cancelled, InputError, WindlassError, core_errors

if TYPE_CHECKING:
    from windlass import _core
    from windlass.sweep import RunResult, SweepResult

__all__ = [
    "Dumbbell",
    "Flow",
    "Graph",
    "Link",
    "Point",
    "Scenario",
    "ThreeRouters",
    "from_dict",
    "load",
    "ready_scenarios",
]

Value: TypeAlias = str | int | float | bool | Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link in both directions. Every value carries its unit; ``None`` leaves the engine's default.

    Parameters
    ----------
    rate : str
        ``"8 Mbps"``.
    delay : str
        Propagation delay, ``"50 ms"``.
    queue : str or mapping
        ``"50 packets"`` or ``"75 kB"``, or ``{"discipline": "codel", "limit": "200 packets"}``; ``windlass list queues`` shows
        the disciplines.
    queue_counting : {"waiting", "ns2"}
        Whether the packet in transmission counts.
    policer : bool or mapping
        ``{"rate": "8 Mbps", "burst": "30 kB"}``: a token bucket before the queue.
    loss : str or mapping
        ``"1 %"``, or ``{"model": "uniform", "rate": "1 %", "at": "wire", "direction": "forward"}``; ``windlass list
        loss-models`` shows the models.
    drops : mapping
        ``{"forward": [3, 8]}``: arrival numbers that are lost before the queue.
    warning : bool or mapping
        Congestion warning marks for the Jersey family.
    changes : sequence of mapping
        Steps: ``[{"at": "10 s", "rate": "2 Mbps", "delay": "80 ms"}]``.
    outages : sequence of mapping
        ``[{"at": "20 s", "for": "2 s", "every": "30 s", "packets": "held"}]``.
    trace : str or sequence of int
        In place of ``rate``: file of a mahimahi trace, or its milliseconds.
    jitter : bool or mapping
        ``{"model": "normal", "deviation": "5 ms", "reorder": False}``.
    reverse : Link or mapping
        What differs in the reverse direction.
    name, from_, to : str
        Only for the links of a :class:`Graph`.
    """

    rate: str | None = None
    delay: str | None = None
    queue: str | Mapping[str, Any] | None = None
    queue_counting: str | None = None
    policer: bool | Mapping[str, Any] | None = None
    loss: str | Mapping[str, Any] | None = None
    drops: Mapping[str, Sequence[int]] | None = None
    warning: bool | Mapping[str, Any] | None = None
    changes: Sequence[Mapping[str, Any]] | None = None
    outages: Sequence[Mapping[str, Any]] | None = None
    trace: str | Sequence[int] | None = None
    jitter: bool | Mapping[str, Any] | None = None
    reverse: Link | Mapping[str, Any] | None = None
    name: str | None = None
    from_: str | None = None
    to: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return _fields(self)


@dataclass(frozen=True, kw_only=True)
class Dumbbell:
    """Pairs of hosts on both sides of one bottleneck: ``left/i`` to ``g1`` to ``g2`` to ``right/i``.

    Parameters
    ----------
    bottleneck : Link or mapping
        The link between the routers.
    access : Link or mapping
        Every host's own link.
    left, right : Link or mapping
        What differs from ``access`` on one side.
    pairs : int
        Hosts on each side.
    """

    bottleneck: Link | Mapping[str, Any]
    access: Link | Mapping[str, Any]
    left: Link | Mapping[str, Any] | None = None
    right: Link | Mapping[str, Any] | None = None
    pairs: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return {"kind": "dumbbell"} | _fields(self)


@dataclass(frozen=True, kw_only=True)
class ThreeRouters:
    """Two links in a row, ``g1`` to ``g2`` to ``g3``, with hosts ``left/i`` at ``g1`` and ``right/i`` at ``g3``.

    Parameters
    ----------
    first, second : Link or mapping
        The links between the routers.
    access, left, right : Link or mapping
        As in :class:`Dumbbell`.
    pairs : int
        Hosts on each side.
    """

    first: Link | Mapping[str, Any]
    second: Link | Mapping[str, Any]
    access: Link | Mapping[str, Any]
    left: Link | Mapping[str, Any] | None = None
    right: Link | Mapping[str, Any] | None = None
    pairs: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return {"kind": "three-routers"} | _fields(self)


@dataclass(frozen=True, kw_only=True)
class Graph:
    """Any nodes and links, with shortest-path routes.

    Parameters
    ----------
    links : sequence of Link or mapping
        Each with ``from_`` and ``to``.
    nodes : sequence of str
        Names, if some node should be declared beforehand.
    """

    links: Sequence[Link | Mapping[str, Any]]
    nodes: Sequence[str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return {"kind": "graph"} | _fields(self)


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A group of flows. ``None`` leaves the engine's default.

    Parameters
    ----------
    from_, to : str
        Node names or patterns, ``"left/*"``.
    algorithm : str or mapping
        ``"cerl"``, or ``{"name": "cerl", "cerl_cmp": "gt"}``. Not with ``transport="udp"``.
    transport : {"tcp", "udp", "tfrc"}
        What carries the data; by default what the algorithm needs.
    traffic : mapping
        What a UDP flow sends: ``{"kind": "cbr", "rate": "1 Mbps", "packet": "1000 B"}``.
    header : str
        Header of a packet of ``transport="tfrc"``, ``"40 B"``.
    name : str
        Name of the group; its members are ``name/0``, ``name/1``, ... when there are several.
    count : int
        Connections for each pair of nodes.
    segment, start, stop, size : str
        ``"1460 B"``, ``"0 s"`` or ``"uniform(0 s, 10 s)"``, ``"100 s"``, ``"10 MB"``.
        Each but ``segment`` may be drawn: ``"exponential(20 kB)"``.
    arrivals : str
        Flows that arrive at random over the run, ``"poisson(5 per s)"``; each needs a ``size``.
    direction : {"forward", "both"}
        ``"both"``: data both ways on one connection.
    reverse_start : str
        When the other end starts to send.
    tcp : mapping
        Engine rules, ``{"window": "1000 segments"}``.
    """

    from_: str
    to: str
    algorithm: str | Mapping[str, Any] | None = None
    transport: str | None = None
    traffic: Mapping[str, Any] | None = None
    header: str | None = None
    name: str | None = None
    count: int | None = None
    segment: str | None = None
    start: str | None = None
    stop: str | None = None
    size: str | None = None
    arrivals: str | None = None
    direction: str | None = None
    reverse_start: str | None = None
    tcp: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return _fields(self)


def _plain(item: Any) -> Any:
    """Builders, mappings and sequences as dicts and lists."""
    if isinstance(item, (Link, Dumbbell, ThreeRouters, Graph, Flow)):
        return item.to_dict()
    if isinstance(item, Mapping):
        return {str(name): _plain(part) for name, part in item.items()}
    if isinstance(item, (list, tuple, range)):
        return [_plain(part) for part in item]
    if isinstance(item, type):
        from windlass.control import register

        return register(item)
    return item


def _fields(builder: Any) -> dict[str, Any]:
    """Fields that were given, in the order of the class, under the file's names (``from_`` is ``from`` there)."""
    given = ((field.name, getattr(builder, field.name)) for field in dataclasses.fields(builder))
    return {name.rstrip("_"): _plain(item) for name, item in given if item is not None}


@dataclass(frozen=True, eq=False)
class Point:
    """One setting of a scenario: every default filled in, nothing left to sweep but the seed."""

    _point: _core.Point

    @property
    def axes(self) -> dict[str, str | int | float | bool]:
        """Swept keys with the value that they have here, as written."""
        return dict(self._point.axes)

    def effective(self) -> dict[str, Any]:
        """The description with every default."""
        return json.loads(self.effective_json())

    def effective_json(self) -> str:
        """The description with every default in its canonical text; the run's key is made from it."""
        with core_errors():
            return self._point.effective()

    def key(self, seed: int) -> str:
        """Content key of the run with this seed: equal keys, equal results."""
        with core_errors():
            return self._point.key(seed)

    def opportunities(self, link: str, *, reverse: bool = False) -> list[int]:
        """When a link can deliver 1504 bytes more, until the end of the run: the lines of a mahimahi trace.

        Parameters
        ----------
        link : str
            Name of the link, as in the results.
        reverse : bool
            Its other direction.

        Returns
        -------
        list of int
            Milliseconds, rising; random loss and jitter play no part.

        Raises
        ------
        InputError
            If there is no such link.
        """
        with core_errors():
            return self._point.opportunities(link, reverse)

    def run(self, seed: int, cancel: _core.Cancel | None = None) -> RunResult:
        """Run once, here and now, without looking into a store.

        Raises
        ------
        InputError
            If the description cannot become a network.
        Cancelled
            If the token was set before the end.
        """
        from windlass.sweep import RunResult
        from windlass.tables import tables_from_core

        try:
            with core_errors():
                columns = self._point.run(seed, cancel)
        except (WindlassError, Cancelled):
            raise
        except (Exception, SystemExit) as error:  # an algorithm written in Python raised it
            from windlass.control import explain_failure

            raise explain_failure(error) from error
        return RunResult(key=self.key(seed), seed=seed, axes=self.axes, tables=tables_from_core(columns))


class Scenario:
    """A checked description of one run or of a sweep of them. Values never change; :meth:`with_` makes another one.

    The parameters are the tables and keys of the scenario file. Use :func:`load` for a file and :func:`from_dict` for a
    dict.

    Parameters
    ----------
    duration : str
        Simulated time, ``"200 s"``.
    topology : Dumbbell, ThreeRouters, Graph or mapping
        Nodes and links.
    flows : Flow, mapping, or a sequence of them
        Connections.
    name, warmup, profile : str, optional
        Name of the scenario, time that is left out of the measures, ``"rfc"`` or ``"ns2"``.
    seeds : int or sequence of int, optional
        How many seeds, or which.
    first_seed : int, optional
        Where counting starts.
    tcp : mapping, optional
        Engine rules for all flows.
    traces : sequence of str, optional
        Series to record: ``"cwnd"``, ``"ssthresh"``, ``"flight"``, ``"srtt"``, ``"rate"``, ``"loss-event-rate"``,
        ``"queue"``.
    trace_step : str, optional
        Spacing of the series; on every change if not given.
    events : bool, optional
        Record window changes and losses.
    sweep : mapping, optional
        Dotted key to the list of its values.

    Raises
    ------
    InputError
        If anything in it is unknown, lacks a unit, or is out of range.
    """

    def __init__(
        self,
        *,
        duration: str,
        topology: Dumbbell | ThreeRouters | Graph | Mapping[str, Any],
        flows: Flow | Mapping[str, Any] | Sequence[Flow | Mapping[str, Any]],
        name: str | None = None,
        warmup: str | None = None,
        profile: str | None = None,
        seeds: int | Sequence[int] | None = None,
        first_seed: int | None = None,
        tcp: Mapping[str, Any] | None = None,
        traces: Sequence[str] | None = None,
        trace_step: str | None = None,
        events: bool | None = None,
        sweep: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        head = {
            "name": name,
            "duration": duration,
            "warmup": warmup,
            "profile": profile,
            "seeds": seeds,
            "first_seed": first_seed,
        }
        output = {"traces": traces, "trace_step": trace_step, "events": events}
        document = {
            "scenario": _given(head),
            "topology": _plain(topology),
            "tcp": _plain(tcp),
            "flows": [_plain(flows)] if isinstance(flows, (Flow, Mapping)) else _plain(list(flows)),
            "output": _given(output),
            "sweep": _plain(sweep),
        }
        self._read("json", _json({table: part for table, part in document.items() if part}), "<scenario>", (), None)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], *, filename: str = "<dict>") -> Self:
        """A scenario from the same tables and keys as in a file.

        Raises
        ------
        InputError
            If anything in it is unknown, lacks a unit, or is out of range.
        """
        return cls._make("json", _json(_plain(document)), filename, (), None)

    @classmethod
    def from_toml(
        cls,
        text: str,
        *,
        filename: str = "<text>",
        sets: Iterable[tuple[str, str]] = (),
        folder: str | Path | None = None,
    ) -> Self:
        """A scenario from the text of a file.

        Parameters
        ----------
        text : str
            TOML.
        filename : str
            Named in errors.
        sets : iterable of (str, str)
            Dotted key and value as text, laid over the file in this order.
        folder : str or Path, optional
            Where files lie that the text names; the folder of ``filename`` if not given.

        Raises
        ------
        InputError
            If anything in it is unknown, lacks a unit, or is out of range.
        """
        return cls._make("toml", text, filename, tuple(sets), folder)

    @classmethod
    def _make(
        cls, form: str, text: str, filename: str, sets: tuple[tuple[str, str], ...], folder: str | Path | None
    ) -> Self:
        scenario = cls.__new__(cls)
        scenario._read(form, text, filename, sets, folder)
        return scenario

    def _read(
        self, form: str, text: str, filename: str, sets: tuple[tuple[str, str], ...], folder: str | Path | None
    ) -> None:
        from windlass import _core

        self._form = form
        self._text = text
        self._filename = filename
        self._sets = sets
        self._folder = folder
        with core_errors():
            if form == "toml":
                self._core = _core.Scenario.from_toml(text, filename, list(sets), folder)
            else:
                self._core = _core.Scenario.from_json(text, filename, list(sets))

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self._core.name

    @property
    def seeds(self) -> list[int]:
        """Seeds that a sweep runs unless told otherwise."""
        return list(self._core.seeds)

    @property
    def duration_s(self) -> float:
        """Simulated time, seconds."""
        return self._core.duration_s

    @property
    def sets(self) -> tuple[tuple[str, str], ...]:
        """What was laid over the document, in order: dotted keys and values as text."""
        return self._sets

    def document(self) -> dict[str, Any]:
        """The tables as written, without :attr:`sets` and without defaults."""
        return tomllib.loads(self._text) if self._form == "toml" else json.loads(self._text)

    def with_(self, settings: Mapping[str, Value]) -> Self:
        """The same scenario with other values.

        Parameters
        ----------
        settings : mapping of str to value
            Dotted keys as in ``--set`` and in ``[sweep]``: ``{"flows.algorithm": "cerl", "scenario.duration": "20
            s"}``.

        Raises
        ------
        InputError
            If a key is unknown or a value does not fit.
        """
        texts = ((name, item if isinstance(item, str) else _value_text(name, item)) for name, item in settings.items())
        return self._make(self._form, self._text, self._filename, (*self._sets, *texts), self._folder)

    def points(self) -> list[Point]:
        """The product of the sweep's axes in the order of the file, the last one fastest; one if nothing is swept."""
        with core_errors():
            return [Point(point) for point in self._core.points()]

    def run(self, seed: int | None = None) -> RunResult:
        """Run once.

        Parameters
        ----------
        seed : int, optional
            The scenario's first seed if not given.

        Raises
        ------
        InputError
            If the scenario sweeps more than one point.
        """
        from windlass.sweep import run

        return run(self, seed)

    def sweep(self, **options: Any) -> SweepResult:
        """Run every point with every seed; the options are those of :func:`windlass.sweep`."""
        from windlass.sweep import sweep

        return sweep(self, **options)

    def __repr__(self) -> str:
        return f"<Scenario {self.name!r}: {len(self._core.points())} points, {len(self._core.seeds)} seeds>"


def _given(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(item) for name, item in table.items() if item is not None}


def _json(document: Any) -> str:
    try:
        return json.dumps(document, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the description is not plain data: {error}",
            code="scenario.not-data",
            hint="use str, int, float, bool, lists and dicts only",
        ) from None


def _value_text(name: str, item: Any) -> str:
    try:
        return _toml.value(_plain(item))
    except TypeError as error:
        raise InputError(f"`{name}`: {error}", code="scenario.not-data", hint="leave the key out instead") from None


def from_dict(document: Mapping[str, Any]) -> Scenario:
    """A scenario from a dict with the tables and keys of the file.

    Raises
    ------
    InputError
        If anything in it is unknown, lacks a unit, or is out of range.
    """
    return Scenario.from_dict(document)


def load(path: str | Path, sets: Mapping[str, Value] | Iterable[tuple[str, str]] = ()) -> Scenario:
    """A scenario from a TOML file, or a ready one by its name.

    Parameters
    ----------
    path : str or Path
        The file; the name of a ready scenario (``windlass list scenarios``) does as well if there is no such file.
    sets : mapping or iterable of (str, str)
        Dotted keys and values that are laid over the file, as with ``--set``.

    Raises
    ------
    InputError
        If there is no such file, it cannot be read, or something in it is wrong.
    """
    if isinstance(sets, Mapping):
        pairs = [(name, item if isinstance(item, str) else _value_text(name, item)) for name, item in sets.items()]
    else:
        pairs = list(sets)
    folder = None if Path(path).exists() else _ready_folder()
    return Scenario.from_toml(read_text(path), filename=str(path), sets=pairs, folder=folder)


def _ready_folder() -> Path:
    return Path(str(resources.files("windlass") / "scenarios"))


def ready_scenarios() -> dict[str, str]:
    """Names of the scenarios that come with the package, with their text (TOML)."""
    folder = resources.files("windlass") / "scenarios"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return {file.name.removesuffix(".toml"): file.read_text(encoding="utf-8") for file in files}


def read_text(path: str | Path) -> str:
    """Text of a scenario file, or of the ready scenario of that name.

    Raises
    ------
    InputError
        If there is no such file or it is no text.
    """
    name = str(path)
    if not Path(path).exists():
        ready = ready_scenarios()
        if name in ready:
            return ready[name]
        raise InputError(
            "no such file, and no ready scenario of that name",
            code="file.missing",
            file=name,
            hint=_near(name, ready) or "`windlass list scenarios` shows the ready ones",
        )
    try:
        return Path(path).read_text(encoding="utf-8")
    except IsADirectoryError:
        raise InputError(
            "is a directory", code="file.directory", file=name, hint="give the scenario file in it"
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 text (byte {error.start})",
            code="file.not-text",
            file=name,
            hint="a scenario is a TOML file; `windlass list scenarios` shows ready ones",
        ) from None
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", code="file.unreadable", file=name, hint="check its permissions"
        ) from None


def _near(name: str, known: Iterable[str]) -> str | None:
    import difflib

    close = difflib.get_close_matches(Path(name).stem, list(known), n=1)
    return f"did you mean the ready scenario `{close[0]}`?" if close else None
