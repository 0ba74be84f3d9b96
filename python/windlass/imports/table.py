"""A table of rate over time as CSV."""

from __future__ import annotations

import csv
import io
import math
import re
from datetime import UTC, datetime

from windlass.amounts import counted
from windlass.errors import InputError
from windlass.imports import delay, rates
from windlass.imports.evidence import Evidence, RateOverTime

FORMAT = "csv"

HINT = "the first line names the columns, e.g. `time_s,rate_mbps` or `timestamp,rate_bps,rtt_ms`"

_RATE = re.compile(r"(?P<prefix>[kKmMgG]?)(?:bps|bit/s|bits/s|bits_per_second|bit_s)\b", re.IGNORECASE)
PREFIX = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}

TIMES = ("time", "t", "seconds", "timestamp", "date", "ms")
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
    time, rate, rtt = _time_column(names, file), _rate_column(names, file), _rtt_column(names)
    body = [(head + 1 + place, row) for place, row in enumerate(rows[1:], 1) if any(part.strip() for part in row)]
    if len(body) > MOST_ROWS:
        raise InputError(f"has more than {MOST_ROWS} rows", code="import.broken", file=file, hint="give a part of it")
    at = [_when(row, time[0], line, file) * time[1] for line, row in body]
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
    if rtt is None:
        found.notes.append("The table says nothing of delay, losses or the queue.")
    else:
        delays = np.array([_value(row, rtt[0], line, file) * rtt[1] for line, row in body])
        found.base_rtt = delay.least(delays, f"least of {counted(len(delays), 'row')} of `{names[rtt[0]]}`", 1e-6)
        found.notes.append(
            "The table says nothing of losses or of the queue's limit. The delay is taken as equal both ways."
        )
    return found


def _time_column(names: list[str], file: str) -> tuple[int, float]:
    for place, name in enumerate(names):
        words = re.split(r"[^a-z]+", name.lower())
        if words[0] in TIMES or "time" in words:
            return place, 1e-3 if "ms" in words else 1.0
    raise InputError("has no column of time", code="import.broken", file=file, line=1, hint=HINT)


def _rate_column(names: list[str], file: str) -> tuple[int, float]:
    for place, name in enumerate(names):
        if match := _RATE.search(name.replace("_", " ").replace("bit s", "bit/s")):
            return place, PREFIX[match["prefix"].lower()]
    raise InputError(
        "no column says that it is a rate, with its unit", code="import.broken", file=file, line=1, hint=HINT
    )


def _rtt_column(names: list[str]) -> tuple[int, float] | None:
    for place, name in enumerate(names):
        words = re.split(r"[^a-z]+", name.lower())
        if words[0] in ("rtt", "ping", "latency") and ("ms" in words or "s" in words):
            return place, 1e-3 if "ms" in words else 1.0
    return None


def _cell(row: list[str], place: int, line: int, file: str) -> str:
    if place >= len(row):
        raise InputError("the row is too short", code="import.broken", file=file, line=line, hint=HINT)
    return row[place].strip()


def _value(row: list[str], place: int, line: int, file: str) -> float:
    text = _cell(row, place, line, file)
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value < 1e15:
        raise InputError(
            f"`{text[:40]}` is not a number from 0 on", code="import.broken", file=file, line=line, hint=HINT
        )
    return value


def _when(row: list[str], place: int, line: int, file: str) -> float:
    """Seconds; a date is turned into seconds since 1970."""
    text = _cell(row, place, line, file)
    if "-" in text[1:] and ":" in text:
        try:
            at = datetime.fromisoformat(text)
        except ValueError:
            pass
        else:
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    return _value(row, place, line, file)
