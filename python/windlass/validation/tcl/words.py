"""Quantities and refusals."""

from __future__ import annotations

import re
from typing import Any, NoReturn

from windlass.errors import InputError

_UNITS = {
    "bps": 1.0,
    "kbps": 1e3,
    "Mbps": 1e6,
    "Gbps": 1e9,
    "ns": 1e-9,
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "B": 1.0,
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "%": 1e-2,
    "packets": 1.0,
    "segments": 1.0,
    "frames": 1.0,
    "m": 1.0,
    "m/s": 1.0,
    "W": 1.0,
    "dBm": 1.0,
    "dB": 1.0,
    "GHz": 1e9,
}


def number(value: float) -> str:
    """A number as Tcl takes it, to twelve digits."""
    return f"{value:.12g}"


def quantity(text: str) -> float:
    """Value of a quantity of an effective description in base units: bit/s, seconds, bytes, a share, packets."""
    return value_of(text)[0]


def value_of(text: str) -> tuple[float, str]:
    """Number in base units (bit/s, seconds, bytes, a share, packets) and the unit as written."""
    found = re.fullmatch(r"([-+.\deE]+) (\S+)", text)
    if found is None or found[2] not in _UNITS:
        raise ValueError(f"`{text}` is no quantity of an effective description")
    return float(found[1]) * _UNITS[found[2]], found[2]


def refuse(key: str, value: Any, why: str, hint: str | None = None) -> NoReturn:
    """Say that ns-2 cannot express this value of a key."""
    shown = "" if value is None else f" = {str(value).lower() if isinstance(value, bool) else value}"
    raise InputError(f"`{key}`{shown}: {why}", code="validate.not-expressible", hint=hint)


def whole_number(text: str, unit: str, key: str) -> str:
    """A whole number of a unit, as text."""
    try:
        value, written = value_of(text)
    except ValueError:
        value, written = 0.5, ""
    if written != unit or value != int(value):
        refuse(key, text, f"ns-2 takes whole {unit}", f"write a whole number of {unit}")
    return str(int(value))


def shown(value: Any) -> str:
    """A value as TOML writes it."""
    return str(value).lower() if isinstance(value, bool) else f'"{value}"'
