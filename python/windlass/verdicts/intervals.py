"""Means, ratios and differences with their intervals, paired by seed.

Without at least two seeds an interval is unbounded, so that nothing follows from it; only what is said of single runs,
one by one (``exact``), needs no second seed. How sure an interval is, and which cells of the experiment it rests on,
comes with the samples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from windlass.interval import Interval

Samples = Mapping[int, float]

Cell = tuple[str, str, tuple[Any, ...]]
"""What is run with one seed after the other: an experiment's variant at a point."""

CONFIDENCE = 0.95
"""Of an interval over samples that were looked at once."""


class Series(dict[int, float]):
    """Value by seed, with the confidence of the intervals over it and the cells that it comes from.

    ``exact``: something is said of a run by itself, so that its value is what it is, without an interval.
    """

    def __init__(
        self,
        values: Samples,
        confidence: float = CONFIDENCE,
        cells: frozenset[Cell] = frozenset(),
        exact: bool = False,
    ) -> None:
        super().__init__(values)
        self.confidence = confidence
        self.cells = cells
        self.exact = exact


@dataclass(frozen=True)
class Measured(Interval):
    """An interval that knows the cells whose runs it rests on."""

    cells: frozenset[Cell] = frozenset()


def mean(samples: Samples) -> Interval:
    """Mean and interval, Student's t."""
    values = list(samples.values())
    if not values:
        return Interval(math.nan, -math.inf, math.inf, 0)
    centre = math.fsum(values) / len(values)
    return _interval(centre, values, [samples])


def ratio(a: Samples, b: Samples) -> Interval:
    """Ratio of the means of ``a`` and ``b``, paired by seed, with its interval.

    Two series of zeros have ratio 1; anything over a series of zeros is unbounded above.
    """
    seeds = sorted(set(a) & set(b))
    count = len(seeds)
    if count == 0:
        return Interval(math.nan, -math.inf, math.inf, 0)
    top = math.fsum(a[seed] for seed in seeds) / count
    base = math.fsum(b[seed] for seed in seeds) / count
    if base == 0.0:
        return Interval(1.0, 1.0, 1.0, count) if top == 0.0 else Interval(math.inf, math.inf, math.inf, count)
    centre = top / base
    return _interval(centre, [(a[seed] - centre * b[seed]) / base for seed in seeds], [a, b])


def averaged(tables: Sequence[Samples]) -> Series:
    """Mean of several series by seed, for the seeds that all of them have; empty if there is no series."""
    seeds = set(tables[0]).intersection(*tables[1:]) if tables else set()
    means = {seed: math.fsum(table[seed] for table in tables) / len(tables) for seed in sorted(seeds)}
    return Series(means, *_origin(tables))


def less(a: Samples, b: Samples) -> Series:
    """``a - b`` by seed, for the seeds that both have."""
    return Series({seed: a[seed] - b[seed] for seed in sorted(set(a) & set(b))}, *_origin([a, b]))


def difference(a: Samples, b: Samples) -> Interval:
    """Mean of ``a - b``, paired by seed."""
    return mean(less(a, b))


def cells_of(interval: Interval) -> frozenset[Cell]:
    """Cells that an interval rests on."""
    return interval.cells if isinstance(interval, Measured) else frozenset()


def _origin(tables: Sequence[Samples]) -> tuple[float, frozenset[Cell], bool]:
    """Confidence and cells of several series, the strictest of the one, all of the other; whether all are exact."""
    known = [table for table in tables if isinstance(table, Series)]
    confidence = max((table.confidence for table in known), default=CONFIDENCE)
    exact = bool(known) and len(known) == len(tables) and all(table.exact for table in known)
    return confidence, frozenset(cell for table in known for cell in table.cells), exact


def _interval(centre: float, values: Sequence[float], tables: Sequence[Samples]) -> Interval:
    confidence, cells, exact = _origin(tables)
    count = len(values)
    if exact:
        return Measured(centre, centre, centre, count, confidence, cells)
    if count < 2:
        return Measured(centre, -math.inf, math.inf, count, confidence, cells)
    middle = math.fsum(values) / count
    variance = math.fsum((value - middle) ** 2 for value in values) / (count - 1)
    half = _student(count - 1, confidence) * math.sqrt(variance / count)
    return Measured(centre, centre - half, centre + half, count, confidence, cells)


@cache
def _student(freedom: int, confidence: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1.0 + confidence) / 2.0))


def seeds_to(interval: Interval, half: float) -> int | None:
    """About how many seeds make the half-width that small; none if it cannot be told or would never."""
    if half <= 0 or interval.n < 2 or math.isinf(interval.half_width):
        return None
    # Student's factor falls with n, so this errs on the high side for few seeds.
    return max(interval.n + 1, math.ceil(interval.n * (interval.half_width / half) ** 2 - 1e-6))
