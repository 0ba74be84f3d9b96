"""Keys and values of a point in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def plain(value: Any) -> str:
    """A value as a sentence has it: a number, a range, a list."""
    if isinstance(value, list):
        if len(value) == 2 and all(isinstance(item, (int, float)) for item in value):
            return f"{value[0]:g} to {value[1]:g}"
        return ", ".join(plain(item) for item in value)
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


_UNITS = {"percent": "%", "mbps": "Mbps", "ms": "ms", "s": "s", "packets": "packets", "segments": "segments"}


def place(values: Iterable[tuple[str, Any]]) -> str:
    """Keys and values of a point in words: ``q = 1 %, rate L = 8 Mbps``."""
    words = []
    for key, value in values:
        if value is None:
            continue  # an axis that the figure of this point does not have
        name, _, unit = key.rpartition("_")
        known = _UNITS.get(unit) if name else None
        text = f"{(name if known else key).replace('_', ' ')} = {plain(value)}"
        words.append(f"{text} {known}" if known else text)
    return ", ".join(words)
