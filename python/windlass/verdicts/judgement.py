"""The verdict on a check, and how several become one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from windlass.verdicts.intervals import Cell

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

OPEN = frozenset(["undecided", "not measurable"])
"""Verdicts that say nothing on whether a claim holds."""

MET = ("reproduced", "compatible")
"""Verdicts that say that a claim holds, strictly or not."""


UNSEEN = 0.05
"""Chance that none of the seeds has what happens in a share of them."""

Part = tuple[frozenset[str], frozenset[Cell], frozenset[Cell]]
"""Of a part of a judgement: what it can become, the cells that decide that, and those of them that may do so soonest.
"""


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
    parts : tuple of Judgement
        Those of a claim that asks for several things, in the order of the check and then its ``also``; else none.
    alternatives : list of (str, Judgement)
        The same check in the other readings of the text that the ledger names.
    finals : frozenset of str
        What it can become with more seeds, as long as the truth lies in the intervals; empty if it stays as it is.
    narrow : bool
        It stays because an interval is no wider than the claim's tolerance, not because the interval decides.
    open_cells : frozenset
        Cells whose further seeds can change it.
    next_cells : frozenset
        Those of them that may settle it soonest; empty if that is not known.
    seeds : (int, int), optional
        Fewest and most seeds of the cells that it rests on; none if it rests on no run.
    stopped : str
        Why it got no more: ``decided``, ``narrow``, ``vain``, ``open``, ``cap``, ``stored``, ``fixed``, or ``by run``.
    points : (int, int), optional
        At how many points it was judged, and of how many that the claim is about; none if at all of them.
    """

    verdict: str
    measured: str
    rows: tuple[dict[str, Any], ...] = ()
    seeds_needed: int | None = None
    arithmetic: str = ""
    reason: str = ""
    largest: tuple[dict[str, Any], ...] = ()
    alternatives: tuple[tuple[str, Judgement], ...] = ()
    parts: tuple[Judgement, ...] = ()
    latitude: str = ""
    finals: frozenset[str] = frozenset()
    narrow: bool = False
    open_cells: frozenset[Cell] = frozenset()
    next_cells: frozenset[Cell] = frozenset()
    seeds: tuple[int, int] | None = None
    stopped: str = ""
    points: tuple[int, int] | None = None

    @property
    def settled(self) -> bool:
        """Whether no further seed can change the verdict, as long as the truth lies in the intervals."""
        return self.finals <= {self.verdict}

    @property
    def unseen(self) -> float | None:
        """Share of seeds up to which something may happen, such as that a sender is stuck, and be in none of those that
        were run, 95 %; none if it rests on no run.
        """
        return None if self.seeds is None or self.stopped == "by run" else unseen_share(self.seeds[0])

    @property
    def part(self) -> Part:
        """As :func:`still_open` takes it."""
        return self.finals or frozenset([self.verdict]), self.open_cells, self.next_cells or self.open_cells

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "verdict": self.verdict,
            "measured": self.measured,
            "rows": [{key: finite(value) for key, value in row.items()} for row in self.rows],
            "seeds_needed": self.seeds_needed,
            "seeds": None if self.seeds is None else list(self.seeds),
            "stopped": self.stopped or None,
            "unseen": self.unseen,
            "points": None if self.points is None else list(self.points),
            "arithmetic": self.arithmetic,
            "reason": self.reason,
            "latitude": self.latitude,
            "largest_possible_gain": list(self.largest),
            "parts": [{"verdict": part.verdict, "measured": part.measured} for part in self.parts],
            "alternatives": [{"text": text, **other.to_dict()} for text, other in self.alternatives],
        }


def unseen_share(seeds: int) -> float:
    """Share of all seeds that must have something so that one of this many has it with a chance of 95 %.

    >>> [round(unseen_share(seeds), 2) for seeds in (3, 10, 50, 59)]
    [0.63, 0.26, 0.06, 0.05]
    """
    return float(1.0 - UNSEEN ** (1.0 / seeds))


def all_parts(parts: Sequence[Judgement]) -> Judgement:
    """The worst verdict of the parts, with what all of them measured."""
    worst = min(parts, key=lambda part: WORST_FIRST.index(part.verdict))
    return replace(
        worst,
        measured="; and ".join(part.measured for part in parts if part.measured),
        rows=tuple(row for part in parts for row in part.rows),
        largest=tuple(row for part in parts for row in part.largest),
        latitude="; ".join(
            dict.fromkeys(part.latitude for part in parts if part.verdict == worst.verdict if part.latitude)
        ),
        **still_open([part.part for part in parts], first_by(WORST_FIRST)),
        narrow=any(part.narrow for part in parts),
    )


Combine = Callable[[str, str], str]
"""The verdict that two parts make together."""


def first_by(order: Sequence[str]) -> Combine:
    """The one of two verdicts that comes first in an order."""
    return lambda one, two: min(one, two, key=order.index)


def _together(sets: Iterable[frozenset[str]], combine: Combine) -> frozenset[str]:
    """What parts can make together, where each may be any of a set."""
    return reduce(lambda x, y: frozenset(combine(one, two) for one in x for two in y), sets)


def still_open(parts: Sequence[Part], combine: Combine) -> dict[str, Any]:
    """``finals`` of several parts together, and ``open_cells`` and ``next_cells`` of the parts that matter: those on
    which the whole depends.
    """
    sets = [finals for finals, _, _ in parts]
    whole = _together(sets, combine)
    cells: frozenset[Cell] = frozenset()
    soonest: frozenset[Cell] = frozenset()
    for index, (finals, own, first) in enumerate(parts):
        fixed = [_together([*sets[:index], frozenset([one]), *sets[index + 1 :]], combine) for one in finals]
        if any(other != whole for other in fixed):
            cells |= own
            soonest |= first
    return {"finals": whole, "open_cells": cells, "next_cells": soonest}


def finite(value: Any) -> Any:
    """The number if it is finite, else none."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
