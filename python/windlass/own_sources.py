"""What an algorithm written in Python depends on, as one word for the key of its runs.

The word is a hash of

- the code of every module of the user's that the class needs: its own, those of its bases, and all that these import,
  also inside a function, in packages, relatively, or as a compiled extension. Comments and layout do not count, unless
  one of these modules can look at its own text; docstrings do, for they are values;
- what is loaded of them: code, defaults, closures, attributes and globals as they are now, so that a module that was
  edited but not loaded anew, or a value that was set from outside, is another version;
- name, version and list of files of every installed package that these import, with what it requires;
- the version of Python, and the code of Windlass itself.

What a class reads while it runs (a file, the environment, the clock) cannot be known, and an object of an installed
package that a module holds counts by the text that makes it only. Where part of what a class depends on is known to be
unknown, :attr:`Sources.missing` says so, and its runs are not kept: the class stands in no file, imports a name that it
makes up while it runs, is closed over an object that has no plain value, or a module holds an iterator.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import inspect
import platform
import re
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from windlass.fingerprint import fingerprint

__all__ = ["Found", "Sources", "imported_names", "is_installed", "is_standard", "locate", "sources_of"]


@dataclass(frozen=True)
class Sources:
    """What a class depends on.

    Attributes
    ----------
    word : str
        64 hexadecimal digits: a hash of all that is known.
    missing : tuple of str
        What is known not to be in it, a phrase each; none if the word is that of everything.
    """

    word: str
    missing: tuple[str, ...]


def sources_of(algorithm: type, ours: type) -> Sources:
    """What a class derived from `ours` depends on."""
    walk = _Walk()
    walk.add("python", f"{sys.implementation.name} {platform.python_version()}".encode())
    walk.add("windlass", _package())
    try:
        for base in algorithm.__mro__:
            if base not in (object, ours):
                walk.root(base)
    except RecursionError:
        walk.lack("its values are nested too deeply")
    return Sources(walk.word(), tuple(walk.missing))


# ---- modules: which there are, and whose


@dataclass(frozen=True)
class Found:
    """Where a module comes from.

    Attributes
    ----------
    origin : str or None
        Its file; ``"built-in"`` or ``"frozen"`` for some of Python's; none for a package of several folders.
    folders : sequence of str
        Where its parts lie, if it is a package.
    """

    origin: str | None
    folders: Sequence[str] = ()


def locate(name: str) -> Found | None:
    """Where a module comes from, or would if it were imported now; nothing is run. ``None`` if there is none."""
    module = sys.modules.get(name)
    if module is not None:
        spec = getattr(module, "__spec__", None)
        origin = getattr(module, "__file__", None) or (spec.origin if spec is not None else None)
        return Found(origin, tuple(getattr(module, "__path__", ())))
    above, _, _ = name.rpartition(".")
    parent = locate(above) if above else None
    if above and (parent is None or not parent.folders):
        return None
    spec = _find_spec(name, list(parent.folders) if parent is not None else None)
    return None if spec is None else Found(spec.origin, tuple(spec.submodule_search_locations or ()))


def _find_spec(name: str, path: list[str] | None) -> ModuleSpec | None:
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        spec = find(name, path) if find is not None else None
        if spec is not None:
            return spec
    return None


def is_standard(found: Found) -> bool:
    """Whether a module is one of Python's own."""
    if found.origin in ("built-in", "frozen"):
        return True
    return not is_installed(found) and any(_standard_folders() & set(place.parents) for place in _places(found))


@functools.cache
def _standard_folders() -> set[Path]:
    return {Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "platstdlib")}


def is_installed(found: Found) -> bool:
    """Whether a module lies where packages are installed."""
    return any({"site-packages", "dist-packages"} & set(place.parts) for place in _places(found))


def _places(found: Found) -> list[Path]:
    return [Path(found.origin).resolve()] if found.origin else [Path(folder).resolve() for folder in found.folders]


def imported_names(text: str | bytes, package: str) -> tuple[set[str], list[int]]:
    """What a module imports, anywhere in it.

    Parameters
    ----------
    text : str or bytes
        Its source.
    package : str
        The package that its relative imports start from; empty if there is none.

    Returns
    -------
    names : set of str
        Full names of modules; ``from a import b`` gives ``a`` and ``a.b``, which need not be one.
    unknown : list of int
        Lines that import something whose name is not written there, or run code that is not.
    """
    names: set[str] = set()
    unknown: list[int] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".") if package else []
                kept = parts[: len(parts) - node.level + 1]
                base = ".".join([*kept, *([base] if base else [])]) if len(parts) >= node.level else ""
            if base:
                names |= {base} | {f"{base}.{alias.name}" for alias in node.names if alias.name != "*"}
        elif isinstance(node, ast.Call) and _called(node.func) in _IMPORTING:
            first = node.args[0] if node.args else None
            written = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
            if written is not None and len(node.args) == 1 and not node.keywords and not written.startswith("."):
                if _called(node.func) in ("import_module", "__import__"):
                    names.add(written)
                continue
            unknown.append(node.lineno)
    return names, unknown


def _can_see_its_text(text: bytes) -> bool:
    """Whether a module names something by which it could learn how it is written, or in which line."""
    for node in ast.walk(ast.parse(text)):
        said = [getattr(node, field, None) for field in ("id", "attr", "name", "module", "value")]
        if any(isinstance(name, str) and name.partition(".")[0] in _TEXT for name in said):
            return True
    return False


_TEXT = {
    "__file__", "__spec__", "_getframe", "co_firstlineno", "co_lines", "co_positions", "f_lineno", "get_data",
    "get_source", "inspect", "linecache", "tb_lineno", "tokenize", "traceback",
}  # fmt: skip

_IMPORTING = {
    "__import__", "eval", "exec", "exec_module", "import_module", "load_module", "run_module", "run_path",
    "spec_from_file_location",
}  # fmt: skip


def _called(function: ast.expr) -> str:
    """The name of what is called; of methods only those that are as good as unique."""
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) and function.attr not in ("eval", "exec") else ""


class _Walk:
    """Goes from the classes over all that they need, and notes each part once."""

    def __init__(self) -> None:
        self.missing: list[str] = []
        self._parts: set[tuple[str, bytes]] = set()
        self._texts: set[tuple[str, bytes]] = set()
        self._texts_count = False
        self._reached: set[str] = set()
        self._live = _Live(self)

    def add(self, label: str, data: bytes) -> None:
        self._parts.add((label, data))

    def lack(self, what: str) -> None:
        if what not in self.missing:
            self.missing.append(what)

    def word(self) -> str:
        digest = hashlib.sha256()
        for label, data in sorted(self._parts | self._texts if self._texts_count else self._parts):
            digest.update(f"{len(label)} {len(data)} {label}\0".encode() + data)
        return digest.hexdigest()

    def root(self, base: type) -> None:
        """A class of the algorithm's own line of descent."""
        module = sys.modules.get(base.__module__)
        kind = self._reach(base.__module__, "the class's module")
        if kind is not None and kind != "own":
            if module is not None and getattr(module, base.__name__, None) is base:
                return
            self.lack(f"`{base.__qualname__}` stands in no file")
        elif base.__module__ == "__main__" and hasattr(sys, "ps1"):
            self.lack(f"`{base.__qualname__}` was typed in, it stands in no file")
        for member in vars(base).values():
            function = _unwrapped(member)
            known = sys.modules.get(getattr(function, "__module__", None) or "")
            if isinstance(function, FunctionType) and (known is None or function.__globals__ is not vars(known)):
                self.lack(f"`{function.__qualname__}` stands in no file")
        self.add(f"class {base.__qualname__}", self._live.own_class(base).encode())

    def _reach(self, name: str, label: str | None = None) -> str | None:
        """Note a module and all above and below it; whose it is, ``None`` if there is none or it has no text."""
        if "." in name:
            self._reach(name.rpartition(".")[0])
        found = locate(name)
        if found is None:
            if label is not None:
                self.lack(f"module `{name}` is not loaded")
            else:
                self.add(f"absent {name}", b"")
            return None
        top = name.partition(".")[0]
        if top == "windlass":
            return "windlass"
        if is_standard(found):
            return "python"
        if is_installed(found) and (distributions := _distributions(top)):
            for one in distributions:
                self.add(f"installed {one[0]}", one[1])
            return "installed"
        if name not in self._reached:
            self._reached.add(name)
            self._own(name, found, label or f"module {name}")
        return "own"

    def is_own(self, name: Any) -> bool:
        """Note a module that something loaded is of; whether it is the user's, or nobody knows."""
        return not isinstance(name, str) or name not in sys.modules or self._reach(name) == "own"

    def _own(self, name: str, found: Found, label: str) -> None:
        """A module of the user's: its text, what that imports, and what is loaded of it."""
        module = sys.modules.get(name)
        if found.origin is None:
            if not found.folders:
                self.lack("it stands in no file" if name == "__main__" else f"module `{name}` has no file")
        else:
            try:
                text = Path(found.origin).read_bytes()
            except OSError:
                self.lack(f"`{found.origin}` cannot be read")
                text = b""
            is_python = found.origin.endswith((".py", ".pyw"))
            self.add(label, fingerprint(text, docstrings=True) if is_python else text)
            if found.origin.endswith(".pyc"):
                self.lack(f"`{found.origin}` has no source beside it")
            elif is_python:
                self._texts.add((f"text of {label}", text))
                self._imports(name, found, module, text)
        if module is not None:
            self.add(f"loaded {label}", self._live.own_module(module).encode())

    def _imports(self, name: str, found: Found, module: ModuleType | None, text: bytes) -> None:
        package = getattr(module, "__package__", None) if module is not None else None
        if package is None:
            package = name if found.folders else name.rpartition(".")[0]
        try:
            names, unknown = imported_names(text, package)
            self._texts_count |= _can_see_its_text(text)
        except (SyntaxError, ValueError):  # it is not Python now, and can be loaded no more
            self.lack(f"`{found.origin}` is not Python")
            return
        for line in unknown:
            self.lack(f"{found.origin}, line {line}, loads what is not written there")
        for other in sorted(names):
            above = locate(other.rpartition(".")[0]) if "." in other else None
            # `from a import b`: most often b is no module
            if above is None or locate(other) is not None:
                self._reach(other)


# ---- what is loaded


_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented))


class _Live:
    """Values of the user's as texts that are equal in each process where the values are."""

    def __init__(self, walk: _Walk) -> None:
        self._walk = walk
        self._seen: dict[int, Any] = {}

    def own_module(self, module: ModuleType) -> str:
        members = {name: value for name, value in list(vars(module).items()) if not _is_dunder(name)}
        return self._members(members, strict=None)

    def own_class(self, base: type) -> str:
        """A class with all that it holds; where it was made by a function, nothing of it may be opaque."""
        strict = base.__qualname__ if "<locals>" in base.__qualname__ else None
        members = {
            name: value
            for name, value in vars(base).items()
            if name != "_abc_impl" and (not _is_dunder(name) or isinstance(_unwrapped(value), FunctionType))
        }
        return f"{base.__qualname__} {self._members(members, strict)}"

    def _members(self, members: Mapping[str, Any], strict: str | None) -> str:
        return "\n".join(f"{name} = {self.text(value, strict)}" for name, value in sorted(members.items()))

    def text(self, value: Any, strict: str | None) -> str:
        """A value's text; of an opaque one its kind, which is missing then if `strict` names whose it is."""
        # What can be shared without anybody having shared it comes before what is looked at only once.
        if type(value) in _PLAIN:
            return f"{type(value).__name__} {value!r}"
        if isinstance(value, CodeType):
            return self._code(value)
        if type(value) is tuple:
            return f"tuple [{', '.join(self.text(item, strict) for item in value)}]"
        if type(value) is frozenset:
            return f"frozenset [{', '.join(sorted(self.text(item, strict) for item in value))}]"
        if id(value) in self._seen:
            return "again"
        self._seen[id(value)] = value  # held, so that no other gets its number
        text = self._shared(value, strict)
        if isinstance(value, _HOLDERS) and type(value) not in _HOLDERS and self._walk.is_own(type(value).__module__):
            text += f" {type(value).__qualname__} {self._members(_attributes(value), strict)}"
        return text

    def _shared(self, value: Any, strict: str | None) -> str:
        """The text of what is looked at only once."""
        if isinstance(value, ModuleType):
            own = self._walk.is_own(value.__name__) and sys.modules.get(value.__name__) is not value
            return f"module {self.own_module(value)}" if own else f"module {value.__name__}"
        if isinstance(value, type):
            own = self._walk.is_own(value.__module__)
            return f"class {self.own_class(value)}" if own else f"class {value.__module__}.{value.__qualname__}"
        if isinstance(value, tuple):
            return f"tuple [{', '.join(self.text(item, strict) for item in value)}]"
        if isinstance(value, frozenset):
            return f"frozenset [{', '.join(sorted(self.text(item, strict) for item in value))}]"
        if isinstance(value, list):
            return f"list [{', '.join(self.text(item, strict) for item in value)}]"
        if isinstance(value, set):
            return f"set [{', '.join(sorted(self.text(item, strict) for item in value))}]"
        if isinstance(value, dict):
            items = (f"{self.text(key, strict)}: {self.text(item, strict)}" for key, item in value.items())
            return f"dict [{', '.join(items)}]"
        return self._callable(value, strict) or self._object(value, strict)

    def _callable(self, value: Any, strict: str | None) -> str:
        if isinstance(value, FunctionType):
            if not self._walk.is_own(value.__module__):
                return f"function {value.__module__}.{value.__qualname__}"
            cells = []
            for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
                try:
                    cells.append(f"{name} = {self.text(cell.cell_contents, f'`{name}` of `{value.__qualname__}`')}")
                except ValueError:  # nothing in it yet
                    cells.append(name)
            return f"function {self._code(value.__code__)} {cells} " + " ".join(
                self.text(part, strict) for part in (value.__defaults__, value.__kwdefaults__)
            )
        if isinstance(value, BuiltinFunctionType) and isinstance(value.__self__, (ModuleType, type(None))):
            self._walk.is_own(value.__module__)
            return f"function {value.__module__}.{value.__qualname__}"
        if isinstance(value, MethodType):
            return f"method {self.text(value.__func__, strict)} of {self.text(value.__self__, strict)}"
        if isinstance(value, (staticmethod, classmethod)):
            return f"{type(value).__name__} {self.text(value.__func__, strict)}"
        if isinstance(value, property):
            return " ".join(["property", *(self.text(part, strict) for part in (value.fget, value.fset, value.fdel))])
        if isinstance(value, functools.partial):
            return f"partial {self.text([value.func, value.args, value.keywords], strict)}"
        wrapped = inspect.getattr_static(value, "__wrapped__", None)
        if isinstance(wrapped, FunctionType):
            return f"{type(value).__name__} {self.text(wrapped, strict)}"
        return ""

    def _object(self, value: Any, strict: str | None) -> str:
        kind = type(value)
        name = f"{kind.__module__}.{kind.__qualname__}"
        if kind.__module__ == "numpy" and hasattr(value, "tobytes") and not value.dtype.hasobject:
            return f"{name} {value.dtype.str} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        if self._walk.is_own(kind.__module__):
            return f"{name} {_plain_part(value)} {self._members(_attributes(value), strict)}"
        if isinstance(value, functools.cached_property):
            return f"{name} {self.text(value.func, strict)}"
        runs_out = isinstance(value, Iterator) and not any(value is stream for stream in _streams())
        standard = kind.__module__.partition(".")[0] in sys.stdlib_module_names
        parts = _parts(value) if standard and not runs_out else None
        if parts is not None:
            return f"{name} {self.text(parts, strict)}"
        if strict is not None:
            self._walk.lack(f"{strict} has a `{name}`, whose value is not known")
        elif runs_out:
            self._walk.lack(f"a global or an attribute is a `{name}`, which gives something else each time")
        return f"object {name}"

    def _code(self, code: CodeType) -> str:
        parts = [
            code.co_code.hex(), code.co_exceptiontable.hex(), code.co_flags, code.co_argcount, code.co_posonlyargcount,
            code.co_kwonlyargcount, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
        ]  # fmt: skip
        return f"code {parts} {[self.text(constant, None) for constant in code.co_consts]}"


_HOLDERS = (tuple, frozenset, list, set, dict)


def _streams() -> list[Any]:
    return [sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__, sys.__stderr__]


def _attributes(value: Any) -> dict[str, Any]:
    """Attributes of an object, those in slots included."""
    found = dict(getattr(value, "__dict__", {}))
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            name = f"_{base.__name__.lstrip('_')}{slot}" if slot.startswith("__") and not _is_dunder(slot) else slot
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                found[name] = getattr(value, name)
    return found


def _plain_part(value: Any) -> str:
    """What an object of a class derived from a number or a string is beside its attributes."""
    for base in (int, float, complex, str, bytes):
        if isinstance(value, base):
            return base.__repr__(value)
    return ""


def _parts(value: Any) -> list[Any] | None:
    """What an object of the standard library is made of, as a copy would be; none if it cannot be copied."""
    try:
        made = value.__reduce_ex__(4)
    except Exception:  # noqa: BLE001  whatever a foreign object raises
        return None
    if isinstance(made, str):
        return [made]
    return [list(part) if isinstance(part, Iterator) else part for part in made]


def _unwrapped(member: Any) -> Any:
    return getattr(member, "__func__", member)


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


# ---- packages


@functools.cache
def _package() -> bytes:
    """A hash of the code of Windlass: a class can call any of it."""
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for file in sorted(root.rglob("*.py")):
        digest.update(f"\0{file.relative_to(root).as_posix()}\0".encode() + fingerprint(file.read_bytes()))
    return digest.digest()


@functools.cache
def _distributions(top: str) -> tuple[tuple[str, bytes], ...]:
    """Name and content of the distributions that a package was installed with, and of all that these require."""
    try:
        names = [importlib.metadata.distribution(top).name]
    except importlib.metadata.PackageNotFoundError:
        names = importlib.metadata.packages_distributions().get(top, [])
    found: dict[str, bytes] = {}
    waiting = [_normal(name) for name in names]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            one = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        # the list of files has a hash of each, so the same version built anew from other files is another
        found[name] = f"{one.version}\n{one.read_text('RECORD') or ''}".encode()
        waiting += list(_required(one.requires or ()))
    return tuple(sorted(found.items()))


def _required(requirements: Sequence[str]) -> Iterator[str]:
    for requirement in requirements:
        name = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", requirement)
        if name is not None and "extra" not in requirement.partition(";")[2]:
            yield _normal(name[0])


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
