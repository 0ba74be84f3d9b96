"""JSON of others: values that must be there, with an error that says where they are missing."""

from __future__ import annotations

import json
import math
from typing import Any

from windlass.errors import InputError


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
        """A finite number that is not negative."""
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
            raise self.wrong(place, "a number from 0 on")
        return float(value)
