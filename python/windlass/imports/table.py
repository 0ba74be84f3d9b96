"""A table of rate over time as CSV."""

from __future__ import annotations

import csv
import io
import math
import re

from windlass.amounts import counted
from windlass.errors import InputError
from windlass.imports import dates, delay, rates
from windlass.imports.evidence import Evidence, RateOverTime
from windlass.imports.shapes import MOST, listed

FORMAT = "csv"

HINT = "the first line names the columns, e.g. `time_s,rate_mbps` or `timestamp,rate_bps,rtt_ms`"

_RATE = re.compile(
    r"(?P<prefix>[kmg]i?|kilo|mega|giga)? ?"
    r"(?:(?P<letter>b) ?(?:ps|/ ?s(?:ec(?:ond)?)?\b)|(?P<word>bit|byte)s?(?:ps\b|(?: ?/ ?| per | )s(?:ec(?:ond)?)?\b))",
    re.IGNORECASE,
)
"""A rate's unit: `Mbps`, `MB/s`, `kbit/s`, `bits per second`. The letter's case tells bits from bytes."""

PREFIX = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "ki": 2.0**10, "mi": 2.0**20, "gi": 2.0**30}

_SPEED = re.compile(r"rate|throughput|bandwidth|goodput|speed|capacity", re.IGNORECASE)
"""Names of rates."""

TIMES = ("time", "t", "sec", "seconds", "timestamp", "date", "datetime", "ms", "epoch", "start", "elapsed", "interval")

DELAYS = ("rtt", "srtt", "minrtt", "ping", "latency")
"""Names of round trips."""

PLAIN = (
    *DELAYS,
    "min",
    "max",
    "avg",
    "mean",
    "median",
    "time",
    "value",
    "smoothed",
    "icmp",
    "tcp",
    "app",
    "idle",
    "loaded",
)
"""Words that say no more of a round trip than which one it is."""

SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "milliseconds", "millisecond"), 1e-3),
    **dict.fromkeys(("us", "usec", "micros", "microseconds", "microsecond"), 1e-6),
    **dict.fromkeys(("ns", "nsec", "nanos", "nanoseconds", "nanosecond"), 1e-9),
}

EPOCHS = ((1e17, 1e-9, "nanoseconds"), (1e14, 1e-6, "microseconds"), (1e11, 1e-3, "milliseconds"))
"""Counts since 1970 above which the unit is told by the size alone: 1e11 s are 3000 years."""

MOST_ROWS = 1_000_000


def looks_like(text: str) -> bool:
    """Whether a text is a table with numbers."""
    lines = [line for line in text.splitlines()[:50] if line.strip() and not line.startswith("#")][:5]
    if len(lines) < 2:
        return False
    mark = _mark(lines[0])
    return all(mark in line for line in lines) and any(one.isdigit() for one in lines[1])


def _mark(head: str) -> str:
    return max(",;\t", key=head.count)


def evidence(text: str, file: str) -> Evidence:
    """Rate over time, and the least delay if there is a column of it.

    Raises
    ------
    InputError
        If a column or its unit is missing, or a value is no number.
    """
    import numpy as np

    lines = text.splitlines()
    head = next((place for place, line in enumerate(lines) if line.strip() and not line.startswith("#")), None)
    if head is None:
        raise InputError("holds no line", code="import.nothing", file=file, hint=HINT)
    rows = list(csv.reader(io.StringIO("\n".join(lines[head:])), delimiter=_mark(lines[head])))
    names = [name.strip() for name in rows[0]]
    times, rate, rtt = _time_columns(names, file), _rate_column(names, file), _rtt_column(names, file)
    body = [(head + 1 + place, row) for place, row in enumerate(rows[1:], 1) if any(part.strip() for part in row)]
    if len(body) > MOST_ROWS:
        raise InputError(f"has more than {MOST_ROWS} rows", code="import.broken", file=file, hint="give a part of it")
    time = _going_on(times, [row for _, row in body[:2]], file)
    at, dated = _times([(line, _cell(row, time[0], line, file)) for line, row in body], time[1], file)
    got = [_value(row, rate[0], line, file) * rate[1] for line, row in body]
    if len(at) < 2:
        raise InputError("has fewer than two rows", code="import.nothing", file=file, hint=HINT)
    late = next((place for place in range(1, len(at)) if at[place] <= at[place - 1]), None)
    if late is not None:
        raise InputError(
            "time does not go on", code="import.broken", file=file, line=body[late][0], hint="sort the rows by time"
        )
    start, end, values = (np.array(one) for one in rates.even(at, got))
    found = Evidence(FORMAT)
    found.facts.append(f"{counted(len(at), 'row')} of `{names[rate[0]]}` over {end[-1] - start[0]:.6g} s")
    found.rate = rates.mean(values, end - start, "bit/s", f"mean of {counted(len(at), 'row')}")
    found.rates = RateOverTime(start - start[0], end - start[0], values, of_link=True)
    found.notes.append(
        "Each rate is taken to hold from its row's time to the next one's, and to be what the link can carry."
    )
    found.notes += [dated] if dated else []
    used = {time[0], rate[0]}
    if rtt is None:
        found.notes.append("The table says nothing of delay, losses or the queue.")
    else:
        used.add(rtt[0])
        delays = np.array([_value(row, rtt[0], line, file) * rtt[1] for line, row in body])
        how = f"least of {counted(len(delays), 'row')} of `{names[rtt[0]]}`"
        found.base_rtt = delay.at_most(delays, how, 1e-6)
        found.notes.append(
            "The table says nothing of losses or of the queue's limit. Round trips beside a rate contain the queue of "
            "what was sent: the base RTT may be less than the least of them. The delay is taken as equal both ways."
        )
    left = [name for place, name in enumerate(names) if place not in used and name]
    if left:
        found.notes.append(f"Not used: the columns {listed(left)}.")
    return found


def _words(name: str) -> list[str]:
    """The words of a column's name, in small letters; a micro sign is a `u`."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("µ", "u").replace("μ", "u"))
    return [one for one in re.split(r"[^a-z]+", plain.lower()) if one]


def _time_columns(names: list[str], file: str) -> list[tuple[int, float]]:
    """Columns that may be of time, and seconds of them."""
    found = []
    for place, name in enumerate(names):
        words = _words(name)
        if words and (words[0] in TIMES or "time" in words) and not set(words) & set(DELAYS):
            found.append((place, next((SECONDS[one] for one in words if one in SECONDS and one != "s"), 1.0)))
    if not found:
        raise InputError("has no column of time", code="import.broken", file=file, line=1, hint=HINT)
    return found


def _going_on(columns: list[tuple[int, float]], rows: list[list[str]], file: str) -> tuple[int, float]:
    """The first column whose first two values are times that go on, such as the start of rows beside their length."""
    for place, unit_s in columns:
        try:
            at, _ = _times([(0, _cell(row, place, 0, file)) for row in rows], unit_s, file)
        except InputError:
            continue
        if at == sorted(set(at)):
            return place, unit_s
    return columns[0]


def _rate_column(names: list[str], file: str) -> tuple[int, float]:
    """The first column that names a unit, and bit/s of it."""
    for place, name in enumerate(names):
        match = _RATE.search(name.replace("_", " "))
        if match is None:
            continue
        if match["letter"] == "B" and match[0] == match[0].upper():
            raise InputError(
                f"`{name}` may be bits or bytes: all its letters are large ones",
                code="import.broken",
                file=file,
                line=1,
                hint="rename it: `Mbps` are bits, `MBps` bytes",
            )
        prefix = (match["prefix"] or "").lower()
        size = PREFIX[prefix if prefix in PREFIX else prefix[0]]
        many = match["letter"] == "B" or (match["word"] or "").lower() == "byte"
        return place, size * (8.0 if many else 1.0)
    unsure = next((name for name in names if _SPEED.search(name)), None)
    raise InputError(
        "no column says that it is a rate, with its unit" if unsure is None else f"`{unsure}` has no unit",
        code="import.broken",
        file=file,
        line=1,
        hint=HINT,
    )


def _rtt_column(names: list[str], file: str) -> tuple[int, float] | None:
    """The first column of round trips, and seconds of it; one without a unit is asked for."""
    found: list[tuple[int, float | None]] = []
    for place, name in enumerate(names):
        words = _words(name)
        unit = next((SECONDS[one] for one in words if one in SECONDS), None)
        if set(words) & set(DELAYS) and all(one in PLAIN or one in SECONDS for one in words):
            found.append((place, unit))
    for place, unit in found:
        if unit is not None:
            return place, unit
    if found:
        name = names[found[0][0]]
        raise InputError(
            f"`{name}` has no unit",
            code="import.broken",
            file=file,
            line=1,
            hint=f"rename it: `{name}_ms` or `{name}_s`",
        )
    return None


def _cell(row: list[str], place: int, line: int, file: str) -> str:
    if place >= len(row):
        raise InputError("the row is too short", code="import.broken", file=file, line=line, hint=HINT)
    return row[place].strip()


def _value(row: list[str], place: int, line: int, file: str) -> float:
    return _number(_cell(row, place, line, file), line, file, "a number from 0 on", MOST)


def _number(text: str, line: int, file: str, wanted: str, most: float = 1e19) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value < most:
        raise InputError(f"`{text[:40]}` is not {wanted}", code="import.broken", file=file, line=line, hint=HINT)
    return value


def _times(cells: list[tuple[int, str]], unit_s: float, file: str) -> tuple[list[float], str | None]:
    """Times in seconds of numbers or dates, and what was taken for granted in reading them."""
    if not cells:
        return [], None
    if dates.parse(cells[0][1]) is None:
        at = [_number(text, line, file, "a number from 0 on, nor a date as in ISO 8601") for line, text in cells]
        for least, size, name in EPOCHS:
            if unit_s == 1.0 and at[0] >= least:
                return [one * size for one in at], f"The times are so large that they are taken for {name} since 1970."
        return [one * unit_s for one in at], None
    read = []
    for line, text in cells:
        date = dates.parse(text)
        if date is None:
            raise InputError(
                f"`{text[:40]}` is no date", code="import.broken", file=file, line=line, hint="write it as ISO 8601"
            )
        read.append(date)
    times = dates.row(read)
    if isinstance(times, str):
        raise InputError(
            times, code="import.broken", file=file, line=cells[0][0], hint="ISO 8601: 2026-01-31T16:04:00Z"
        )
    zone = read[0].zone
    return times, f"The dates are taken to be all of one zone ({zone})." if zone not in (
        "",
        "Z",
        "UTC",
        "GMT",
    ) else None
