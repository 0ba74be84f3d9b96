"""JSON of others: values that must be there, with an error that says where they are missing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from windlass.errors import InputError

PACKET = 1500.0
"""Bytes of a packet."""

HEADERS = PACKET / 1448.0
"""What a link carries with headers, which a test does not count, over what it carries without."""

MOST = 1e15
"""No number of a measurement is larger: bits per second, bytes, seconds since 1970."""

NAMED = 6
"""Names that a sentence lists."""


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, the first ones of many."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(f"`{one[:60]}`" for one in names[:NAMED]) + more


def chosen(order: Sequence[str], flow: str | None, file: str, what: str) -> str:
    """The one that `--flow` names, by its number from 1 or a part of it; the first one without.

    Raises
    ------
    InputError
        If none or several are named.
    """
    if flow is None:
        return order[0]
    fitting = [order[int(flow) - 1]] if flow.isdecimal() and 1 <= int(flow) <= len(order) else []
    fitting = fitting or [one for one in order if flow in one]
    if len(fitting) != 1:
        those = "; ".join(f"{place}: {one}" for place, one in enumerate(order[:NAMED], 1))
        raise InputError(
            f"{len(fitting) or 'no'} {what} match `{flow}`", code="import.flow", file=file, hint=f"there are {those}"
        )
    return fitting[0]


def load(text: str, file: str, what: str) -> Any:
    """A JSON document.

    Raises
    ------
    InputError
        If it is none, or nested too deeply.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"not JSON: {error.msg}",
            code="import.broken",
            file=file,
            line=error.lineno,
            hint=f"give the whole output of {what}; a run that was stopped early leaves half a document",
        ) from None
    except RecursionError:
        raise InputError("nested too deeply", code="import.broken", file=file, hint=f"give {what}") from None


@dataclass
class Documents:
    """What a text holds of JSON, where lines of other kinds may stand around it.

    Attributes
    ----------
    whole : list of (int, Any)
        Documents, with the lines at which they begin, from 1.
    halves : list of int
        Lines at which documents begin that do not end, or are broken.
    beside : list of str
        Lines that are none.
    """

    whole: list[tuple[int, Any]] = field(default_factory=list)
    halves: list[int] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)


def documents(text: str) -> Documents:
    """All JSON objects that begin on a line of their own."""
    found, decoder = Documents(), json.JSONDecoder()
    at, line = 0, 1
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        here = text[at:stop].strip()
        after = stop + 1
        if here.startswith("{"):
            try:
                value, after = decoder.raw_decode(text, text.index("{", at))
                found.whole.append((line, value))
            except (ValueError, RecursionError):
                found.halves.append(line)
                after = text.find("\n{", at) + 1 or len(text)
        elif here:
            found.beside.append(here)
        line += text.count("\n", at, after)
        at = after
    return found


class Reader:
    """Takes values out of a document; what is missing or of the wrong kind is an error with its place."""

    def __init__(self, file: str, what: str) -> None:
        self.file = file
        self.what = what

    def wrong(self, place: str, wanted: str) -> InputError:
        """The error for a value that is not as wanted."""
        return InputError(f"`{place}` is not {wanted}", code="import.broken", file=self.file, hint=f"give {self.what}")

    def table(self, value: Any, place: str) -> dict[str, Any]:
        """A table."""
        if not isinstance(value, dict):
            raise self.wrong(place, "a table")
        return value

    def rows(self, value: Any, place: str) -> list[Any]:
        """A list."""
        if not isinstance(value, list):
            raise self.wrong(place, "a list")
        return value

    def number(self, value: Any, place: str) -> float:
        """A number that is not negative, and not larger than `MOST`."""
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= MOST:
            raise self.wrong(place, f"a number from 0 to {MOST:.0e}")
        return float(value)
