"""The verdict on a check, and how several become one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

VERDICTS = (
    "reproduced",
    "compatible",
    "direction only",
    "contradicted",
    "undecided",
    "impossible",
    "not measurable",
)
"""Every verdict, in the order of a legend."""

WORST_FIRST = (
    "impossible",
    "contradicted",
    "not measurable",
    "undecided",
    "direction only",
    "compatible",
    "reproduced",
)

BEST_FIRST = (
    "reproduced",
    "compatible",
    "undecided",
    "direction only",
    "contradicted",
    "impossible",
    "not measurable",
)


@dataclass(frozen=True)
class Judgement:
    """The verdict on one check.

    Attributes
    ----------
    verdict : str
        One of :data:`VERDICTS`.
    measured : str
        What was found, in a line.
    rows : list of dict
        What was found at each point: ``where``, ``what``, ``mean``, ``low``, ``high``, ``unit``, ``reply``.
    seeds_needed : int, optional
        About how many seeds would settle an undecided verdict; none if more seeds would not.
    arithmetic : str
        Why a claim is impossible.
    reason : str
        Why a claim is not measurable.
    largest : list of dict
        Largest possible gain at each point, for claims of a gain.
    latitude : str
        Why a claim that is met is compatible and not reproduced.
    alternatives : list of (str, Judgement)
        The same check in the other readings of the text that the ledger names.
    """

    verdict: str
    measured: str
    rows: tuple[dict[str, Any], ...] = ()
    seeds_needed: int | None = None
    arithmetic: str = ""
    reason: str = ""
    largest: tuple[dict[str, Any], ...] = ()
    alternatives: tuple[tuple[str, Judgement], ...] = ()
    latitude: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "verdict": self.verdict,
            "measured": self.measured,
            "rows": [{key: finite(value) for key, value in row.items()} for row in self.rows],
            "seeds_needed": self.seeds_needed,
            "arithmetic": self.arithmetic,
            "reason": self.reason,
            "latitude": self.latitude,
            "largest_possible_gain": list(self.largest),
            "alternatives": [{"text": text, **other.to_dict()} for text, other in self.alternatives],
        }


def all_parts(parts: Sequence[Judgement]) -> Judgement:
    """The worst verdict of the parts, with what all of them measured."""
    worst = min(parts, key=lambda part: WORST_FIRST.index(part.verdict))
    return replace(
        worst,
        measured="; and ".join(part.measured for part in parts),
        rows=tuple(row for part in parts for row in part.rows),
        largest=tuple(row for part in parts for row in part.largest),
    )


def finite(value: Any) -> Any:
    """The number if it is finite, else none."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
