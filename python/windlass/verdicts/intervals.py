"""Means, ratios and differences with their 95 % intervals, paired by seed.

Without at least two seeds an interval is unbounded, so that nothing follows from it. Only what is said of single runs,
one by one (:class:`Exact`), needs no second seed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

from windlass.interval import Interval

Samples = Mapping[int, float]


class Exact(dict[int, float]):
    """The value of a run of which something is said by itself: it is what it is, and has no interval."""


def mean(samples: Samples) -> Interval:
    """Mean and 95 % interval, Student's t."""
    values = list(samples.values())
    if not values:
        return Interval(math.nan, -math.inf, math.inf, 0)
    centre = math.fsum(values) / len(values)
    if isinstance(samples, Exact):
        return Interval(centre, centre, centre, len(values))
    return _interval(centre, values, len(values))


def ratio(a: Samples, b: Samples) -> Interval:
    """Ratio of the means of ``a`` and ``b``, paired by seed, with its 95 % interval.

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
    if isinstance(a, Exact) and isinstance(b, Exact):
        return Interval(centre, centre, centre, count)
    return _interval(centre, [(a[seed] - centre * b[seed]) / base for seed in seeds], count)


def averaged(tables: Sequence[Samples]) -> dict[int, float]:
    """Mean of several series by seed, for the seeds that all of them have; empty if there is no series."""
    seeds = set(tables[0]).intersection(*tables[1:]) if tables else set()
    means = {seed: math.fsum(table[seed] for table in tables) / len(tables) for seed in sorted(seeds)}
    return Exact(means) if all(isinstance(table, Exact) for table in tables) else means


def difference(a: Samples, b: Samples) -> Interval:
    """Mean of ``a - b``, paired by seed."""
    found = {seed: a[seed] - b[seed] for seed in sorted(set(a) & set(b))}
    return mean(Exact(found) if isinstance(a, Exact) and isinstance(b, Exact) else found)


def _interval(centre: float, values: Sequence[float], count: int) -> Interval:
    if count < 2:
        return Interval(centre, -math.inf, math.inf, count)
    middle = math.fsum(values) / count
    variance = math.fsum((value - middle) ** 2 for value in values) / (count - 1)
    half = _student(count - 1) * math.sqrt(variance / count)
    return Interval(centre, centre - half, centre + half, count)


@cache
def _student(freedom: int) -> float:
    from scipy.stats import t

    return float(t.ppf(0.975, freedom))


def seeds_to(interval: Interval, half: float) -> int | None:
    """About how many seeds make the half-width that small; none if it cannot be told or would never."""
    if half <= 0 or interval.n < 2 or math.isinf(interval.half_width):
        return None
    # Student's factor falls with n, so this errs on the high side for few seeds.
    return max(interval.n + 1, math.ceil(interval.n * (interval.half_width / half) ** 2 - 1e-6))
