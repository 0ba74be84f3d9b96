"""Which files an algorithm written in Python is made of: its own, and what that imports from beside it."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

__all__ = ["imported_names", "neighbours", "word_of"]

_READ: dict[Path, bytes] = {}
"""What each module beside a user's file held when it was first looked at. Python loads a module once, so an edit after
that counts in the next process only."""


def word_of(file: Path) -> str:
    """A hash of the bytes of a file and of all modules beside it that it imports, directly or not.

    Not in it is what the file reads while it runs, what it imports by a name that it makes up, installed packages, and
    the version of Python.

    Parameters
    ----------
    file : Path
        A file of Python that was resolved.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    OSError
        If a file cannot be read.
    """
    digest = hashlib.sha256()
    parts = {file: file.read_bytes()} | {one: _READ.setdefault(one, one.read_bytes()) for one in neighbours(file)}
    for name, data in sorted((path.relative_to(file.parent).as_posix(), data) for path, data in parts.items()):
        digest.update(f"{len(name)} {len(data)} {name}\0".encode() + data)
    return digest.hexdigest()


def neighbours(file: Path) -> list[Path]:
    """The modules beside a file that it imports, and those that these import, also inside functions; in no order."""
    found: dict[Path, None] = {}
    waiting = [(file, "")]
    while waiting:
        path, package = waiting.pop()
        try:
            names = imported_names(path.read_bytes(), package)
        except (SyntaxError, ValueError):  # running it says it better
            continue
        for name in names:
            for beside, home in _modules(file.parent, name):
                if beside not in found and beside != file:
                    found[beside] = None
                    waiting.append((beside, home))
    return list(found)


def _modules(folder: Path, name: str) -> Iterator[tuple[Path, str]]:
    """Files in a folder that an import of this name loads, each with the package its relative imports start from."""
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        place = folder.joinpath(*parts[:count])
        if (whole := place / "__init__.py").is_file():
            yield whole, ".".join(parts[:count])
            continue
        files = (place.with_name(place.name + suffix) for suffix in (*EXTENSION_SUFFIXES, ".py"))
        yield from ((file, ".".join(parts[: count - 1])) for file in files if file.is_file())


def imported_names(text: str | bytes, package: str) -> set[str]:
    """What a module imports, anywhere in it.

    Parameters
    ----------
    text : str or bytes
        Its source.
    package : str
        The package that its relative imports start from; empty if there is none.

    Returns
    -------
    set of str
        Full names of modules; ``from a import b`` gives ``a`` and ``a.b``, which need not be one.
    """
    names: set[str] = set()
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
    return names
