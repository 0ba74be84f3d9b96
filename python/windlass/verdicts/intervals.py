"""Means, ratios and differences with their intervals, paired by seed.

Without at least two seeds an interval is unbounded, so that nothing follows from it; only what is said of single runs,
one by one (``exact``), needs no second seed. How sure an interval is, and which cells of the experiment it rests on,
comes with the samples.

An interval is Student's, whose error is what it says where values scatter about normally. A ``wide`` one also covers
two that allow for skewed values: Student's with Hall's correction for the skewness of the sample (1992), and, of
values above zero, that of a lognormal mean (Cox's, with Student's factor: Olsson 2005), or of the ratio of two.
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

    ``exact``: something is said of a run by itself, so that its value is what it is, without an interval. ``wide``: the
    intervals allow for skewed values.
    """

    def __init__(
        self,
        values: Samples,
        confidence: float = CONFIDENCE,
        cells: frozenset[Cell] = frozenset(),
        exact: bool = False,
        wide: bool = False,
    ) -> None:
        super().__init__(values)
        self.confidence = confidence
        self.cells = cells
        self.exact = exact
        self.wide = wide


@dataclass(frozen=True)
class Measured(Interval):
    """An interval that knows the cells whose runs it rests on."""

    cells: frozenset[Cell] = frozenset()


def mean(samples: Samples) -> Interval:
    """Mean and interval."""
    values = list(samples.values())
    if not values:
        return Interval(math.nan, -math.inf, math.inf, 0)
    centre = math.fsum(values) / len(values)
    return _interval(centre, values, [samples], [values])


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
    pairs = [[a[seed] for seed in seeds], [b[seed] for seed in seeds]]
    return _interval(centre, [(top - centre * under) / base for top, under in zip(*pairs, strict=True)], [a, b], pairs)


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


def _origin(tables: Sequence[Samples]) -> tuple[float, frozenset[Cell], bool, bool]:
    """Confidence and cells of several series, the strictest of the one, all of the other; whether all are exact, and
    whether any is wide.
    """
    known = [table for table in tables if isinstance(table, Series)]
    confidence = max((table.confidence for table in known), default=CONFIDENCE)
    exact = bool(known) and len(known) == len(tables) and all(table.exact for table in known)
    cells = frozenset(cell for table in known for cell in table.cells)
    return confidence, cells, exact, any(table.wide for table in known)


def _interval(
    centre: float, values: Sequence[float], tables: Sequence[Samples], factors: Sequence[Sequence[float]]
) -> Interval:
    """The interval of a number whose error is the mean of ``values``; it is the mean of the first of ``factors``, over
    that of the second if there are two.
    """
    confidence, cells, exact, wide = _origin(tables)
    count = len(values)
    if exact:
        return Measured(centre, centre, centre, count, confidence, cells)
    if count < 2:
        return Measured(centre, -math.inf, math.inf, count, confidence, cells)
    middle = math.fsum(values) / count
    variance = math.fsum((value - middle) ** 2 for value in values) / (count - 1)
    factor = _student(count - 1, confidence)
    half = factor * math.sqrt(variance / count)
    low, high = centre - half, centre + half
    if wide and half > 0.0:
        for lower, upper in (_hall(centre, values, factor), _lognormal(factors, factor)):
            low, high = min(low, lower), max(high, upper)
    return Measured(centre, low, high, count, confidence, cells)


def _hall(centre: float, values: Sequence[float], factor: float) -> tuple[float, float]:
    """Ends of an interval of a mean that allow for the skewness of the sample."""
    count = len(values)
    middle = math.fsum(values) / count
    second, third = (math.fsum((value - middle) ** power for value in values) / count for power in (2, 3))
    error = math.sqrt(second / (count - 1))
    skewness = third / second**1.5 / math.sqrt(count)

    def end(quantile: float) -> float:
        away = quantile - skewness / 6.0
        if abs(skewness) > 1e-9:
            away = 3.0 / skewness * (math.cbrt(1.0 + skewness * away) - 1.0)
        return centre - away * error

    return end(factor), end(-factor)


def _lognormal(factors: Sequence[Sequence[float]], factor: float) -> tuple[float, float]:
    """Ends of an interval of a mean of lognormal values, or of the ratio of two; none if a value is not above zero."""
    if any(value <= 0.0 for values in factors for value in values):
        return math.inf, -math.inf
    count = len(factors[0])
    logs = [[math.log(value) for value in values] for values in factors]
    middles = [math.fsum(values) / count for values in logs]
    rests = [[value - middle for value in values] for values, middle in zip(logs, middles, strict=True)]

    def covariance(one: Sequence[float], two: Sequence[float]) -> float:
        return math.fsum(a * b for a, b in zip(one, two, strict=True)) / (count - 1)

    top, under = rests[0], rests[1] if len(rests) > 1 else [0.0] * count
    of_top, of_under, of_both = covariance(top, top), covariance(under, under), covariance(top, under)
    centre = middles[0] - math.fsum(middles[1:]) + (of_top - of_under) / 2
    error = max(0.0, of_top + of_under - 2 * of_both) / count
    error += max(0.0, of_top**2 + of_under**2 - 2 * of_both**2) / (2 * (count - 1))
    half = factor * math.sqrt(error)
    return math.exp(min(centre - half, 700.0)), math.exp(min(centre + half, 700.0))


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
