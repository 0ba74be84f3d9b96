"""Plain data as TOML text: for `windlass explain` and for values that are set on a scenario."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["document", "value"]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def key(name: str) -> str:
    """A key as TOML writes it, quoted where it must be."""
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def value(item: Any) -> str:
    """One value on one line; tables become inline tables.

    Raises
    ------
    TypeError
        If the value has no form in TOML (``None``, for instance).
    """
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, str):
        return json.dumps(item, ensure_ascii=False)
    if isinstance(item, (int, float)):
        return repr(item)
    if isinstance(item, Mapping):
        inner = ", ".join(f"{key(str(name))} = {value(part)}" for name, part in item.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(item, Sequence):
        return "[" + ", ".join(value(part) for part in item) + "]"
    raise TypeError(f"no TOML form for {type(item).__name__}")


def document(data: Mapping[str, Any]) -> str:
    """A whole document: one table for each nested mapping, ``[[...]]`` for lists of mappings; ``None`` is left out."""
    lines: list[str] = []
    _table(data, (), lines)
    return "\n".join(lines).strip() + "\n"


def _table(data: Mapping[str, Any], path: tuple[str, ...], lines: list[str]) -> None:
    nested: list[tuple[str, Any]] = []
    for name, item in data.items():
        if item is None:
            continue
        if isinstance(item, Mapping) or _is_list_of_tables(item):
            nested.append((name, item))
        else:
            lines.append(f"{key(name)} = {value(item)}")
    for name, item in nested:
        inner = (*path, name)
        dotted = ".".join(key(part) for part in inner)
        if isinstance(item, Mapping):
            lines += ["", f"[{dotted}]"]
            _table(item, inner, lines)
        else:
            for row in item:
                lines += ["", f"[[{dotted}]]"]
                _table(row, inner, lines)


def _is_list_of_tables(item: Any) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(row, Mapping) for row in item)
