"""Dates as logs and tables have them: ISO 8601, with the name of a zone, with day or month first, as `date` prints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_HALF = r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?"
_COLONS = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?" + _HALF
_CLOCK = r"(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?" + _HALF
_ZONE = r"(?: ?(?P<zone>[A-Z]{1,5}|[+-]\d{2}:?\d{2}|[+-]\d{2}))?"
_NUMBERS = re.compile(
    rf"(?P<a>\d{{1,4}})(?P<mark>[-/.])(?P<b>\d{{1,2}})(?P=mark)(?P<c>\d{{1,4}})[ ,T_-]+{_CLOCK}{_ZONE}"
)
_WORDS = re.compile(
    rf"(?:[A-Z][a-z]{{2}},? +)?(?P<word>[A-Z][a-z]{{2}}) +(?P<day>\d{{1,2}}) +{_CLOCK}{_ZONE}(?: (?P<year>\d{{4}}))?"
)
_DAY_FIRST = re.compile(
    rf"(?:[A-Z][a-z]{{2}},? +)?(?P<day>\d{{1,2}})[ -](?P<word>[A-Z][a-z]{{2}})[ -](?P<year>\d{{4}}) +{_CLOCK}{_ZONE}"
)
_ALONE = re.compile(rf"{_COLONS}{_ZONE}")

LEAP = 2000
"""Year of dates that have none."""


@dataclass(frozen=True)
class Date:
    """A date as it was written.

    Attributes
    ----------
    time_s : float
        Seconds since 1970, or since midnight; the month is taken to come before the day.
    swapped_s : float or None
        The same with the day before the month, where the text can be read so.
    zone : str
        Name of its zone; empty if there is none, or an offset that `time_s` counts.
    """

    time_s: float
    swapped_s: float | None
    zone: str


def parse(text: str) -> Date | None:
    """A date, or a time of day; none if the text is neither."""
    text = text.strip()
    for pattern in (_NUMBERS, _WORDS, _DAY_FIRST, _ALONE):
        if match := pattern.fullmatch(text):
            return _date(match.groupdict())
    return None


def leading(text: str) -> tuple[Date, str] | None:
    """A date with which a line begins, perhaps in brackets, and the rest of the line."""
    bare = text.lstrip("[( ")
    for pattern in (_NUMBERS, _WORDS, _DAY_FIRST, _ALONE):
        match = pattern.match(bare)
        if match is not None and (date := _date(match.groupdict())) is not None:
            return date, bare[match.end() :].lstrip(")]:;, -\t")
    return None


def row(dates: Iterable[Date]) -> list[float] | str:
    """Times of a row of dates, seconds, or why they cannot be known.

    Dates with the year last may have the month or the day first: the order in which time goes on. The offset of a zone
    with a name does not matter, as long as it does not change.
    """
    known = list(dates)
    zones = sorted({one.zone for one in known})
    if len(zones) > 1:
        return f"the zone changes ({', '.join(zones)}): write the dates as ISO 8601, with offsets"
    first = [one.time_s for one in known]
    if all(one.swapped_s is None for one in known):
        return first
    second = [one.time_s if one.swapped_s is None else one.swapped_s for one in known]
    fits = [times for times in (first, second) if times == sorted(times)]
    if len(fits) == 2 and fits[0][-1] - fits[0][0] != fits[1][-1] - fits[1][0]:
        return "the dates can be read with the month or the day first: write them as ISO 8601"
    return fits[0] if fits else first


def _date(part: dict[str, str | None]) -> Date | None:
    zone = part.get("zone") or ""
    if zone and zone[0] in "+-":
        digits = zone[1:].replace(":", "").ljust(4, "0")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:])) * (-1 if zone[0] == "-" else 1)
        zone = ""
    else:
        offset = timedelta(0)
    if word := part.get("word"):
        if word.lower() not in MONTHS:
            return None
        ways = [(int(part.get("year") or LEAP), MONTHS.index(word.lower()) + 1, int(part["day"] or 0))]
    elif part.get("a"):
        a, b, c = (int(part[key] or 0) for key in "abc")
        ways = [(a, b, c)] if a > 31 else [(c, a, b), (c, b, a)]
    else:
        ways = [(1970, 1, 1)]
    times = [_seconds(way, part, offset) for way in ways]
    if len(times) == 1:
        return None if times[0] is None else Date(times[0], None, zone)
    month, day = times
    if month is None or day is None:
        one = month if day is None else day
        return None if one is None else Date(one, None, zone)
    return Date(month, day, zone)


def _seconds(day: tuple[int, int, int], part: dict[str, str | None], offset: timedelta) -> float | None:
    hour = int(part["hour"] or 0)
    if half := part.get("half"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "Pp" else 0)
    try:
        at = datetime(*day, hour, int(part["minute"] or 0), int(part.get("second") or 0), tzinfo=timezone(offset))
    except ValueError:
        return None
    return at.timestamp() + float(f"0.{part.get('part') or 0}")
