"""Amounts in words: counts with their plural, times, sizes and plain numbers, never with an exponent."""

from __future__ import annotations

from decimal import Decimal

__all__ = ["UNITS", "counted", "digits", "size_text", "time_text"]

DAY_S = 86_400.0
"""A day, seconds."""

UNITS: dict[str, tuple[float, str]] = {
    "%": (0.01, ""),
    "bps": (1.0, "bit/s"),
    "kbps": (1e3, "bit/s"),
    "Mbps": (1e6, "bit/s"),
    "Gbps": (1e9, "bit/s"),
    "Tbps": (1e12, "bit/s"),
    "ns": (1e-9, "s"),
    "us": (1e-6, "s"),
    "ms": (1e-3, "s"),
    "s": (1.0, "s"),
    "min": (60.0, "s"),
    "h": (3600.0, "s"),
    "B": (1.0, "B"),
    "kB": (1e3, "B"),
    "MB": (1e6, "B"),
    "GB": (1e9, "B"),
    "KiB": (1024.0, "B"),
    "MiB": (1024.0**2, "B"),
    **{
        unit: (1.0, unit)
        for unit in ("packets", "segments", "frames", "bdp", "m", "m/s", "W", "dBm", "dB", "GHz", "MHz")
    },
    **{f"{thing}": (1.0, f"{thing}s") for thing in ("packet", "segment", "frame")},
}
"""Units that scenarios are written in: how many of which unit one is, where a table or figure has to choose one."""

_SIZES = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))


def counted(number: int, one: str, several: str = "") -> str:
    """A count and what is counted.

    >>> counted(1, "experiment"), counted(3, "experiment"), counted(0, "entry", "entries")
    ('1 experiment', '3 experiments', '0 entries')
    """
    return f"{number} {one}" if number == 1 else f"{number} {several or one + 's'}"


def digits(number: float, significant: int = 3) -> str:
    """A number rounded to so many significant digits, written out.

    >>> digits(1234.5), digits(0.01234), digits(100.0)
    ('1230', '0.0123', '100')
    """
    return f"{Decimal(f'{number:.{significant}g}'):f}"


def time_text(seconds: float) -> str:
    """A time for people.

    >>> [time_text(seconds) for seconds in (0.0162, 2.5, 100.0, 150.0, 9000.0, 86_400.0)]
    ['16.2 ms', '2.5 s', '100 s', '2.5 minutes', '2.5 hours', 'a day']
    """
    for name, unit in (("days", DAY_S), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= (1.0 if unit == DAY_S else 2.0) * unit:
            count = digits(seconds / unit)
            return "a day" if (name, count) == ("days", "1") else f"{count} {name}"
    for name, unit in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= unit:
            return f"{digits(seconds / unit)} {name}"
    return f"{digits(1e6 * seconds)} us" if seconds > 0.0 else "0 s"


def size_text(size: float) -> str:
    """Bytes for people.

    >>> [size_text(size) for size in (500.0, 29_984.0, 1.11e6, 3.2e9)]
    ['500 B', '30 kB', '1.11 MB', '3.2 GB']
    """
    for name, unit in _SIZES:
        if float(f"{size / unit:.3g}") >= 1.0:
            return f"{digits(size / unit)} {name}"
    return f"{digits(size)} B"
