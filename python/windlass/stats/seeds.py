"""What a few seeds say of means, counts, shares and Jain's index: intervals that hold at 3, 5 and 10 seeds.

``benches/coverage.py`` measures how often each of them holds the truth; ``docs/guide/intervals.md`` has the table.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from windlass.interval import Interval
from windlass.stats.intervals import Floats, finite, student

FEW = 10
"""Of fewer events than this the number itself says most of how sure it is; of more, their spread over the seeds."""

DRAWS = 4000
"""Draws behind the interval of Jain's index, always the same."""

JAIN_ERROR = 0.7
"""Share of the stated error that Jain's interval is made for: what is left is for flows that follow no normal law."""


def skew_factor(data: Floats) -> float:
    """By how much Student's interval is widened: 1 + |g| / sqrt(n), g the skewness of the values.

    A mean of skewed values misses on one side: goodput that is near capacity and now and then far below, times with a
    rare timeout. Edgeworth's expansion has the shift of the t quantile, (2 t² + 1) g / (6 sqrt(n)), about 0.75 g /
    sqrt(n) of it (Johnson, JASA 73, 1978; Hall, JRSS B 54, 1992). A few values show their skewness too small and do
    not show its sign, so all of g is taken, and on both sides. It goes as n grows.
    """
    spread = float(data.std())
    if not spread > 0.0:
        return 1.0
    return 1.0 + abs(float((((data - data.mean()) / spread) ** 3).mean())) / math.sqrt(len(data))


def over_seeds(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """Mean with Student's t interval, widened for skewness.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        One value per seed; NaN is left out and not counted.
    confidence : float
        Share of intervals that hold the true mean.

    Returns
    -------
    Interval
        NaN ends with fewer than two values. Ends equal to the mean if all values are equal: nothing was seen of how
        they spread, and :attr:`Interval.known` is false.

    Examples
    --------
    >>> interval = over_seeds([10.0, 12.0, 14.0])
    >>> round(interval.mean, 3), round(interval.half_width, 3), interval.n
    (12.0, 4.968, 3)
    >>> round(over_seeds([10.0, 12.0, 20.0]).half_width, 2)
    17.66
    """
    data = finite(values)
    n = len(data)
    if n < 2:
        return Interval(float(data.mean()) if n else math.nan, math.nan, math.nan, n, confidence)
    mean = float(data.mean())
    if np.all(data == data[0]):
        return Interval(mean, mean, mean, n, confidence)
    half = student(n, confidence) * skew_factor(data) * float(data.std(ddof=1)) / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, n, confidence)


def count_over_seeds(
    counts: ArrayLike, flows: ArrayLike | float = 1.0, confidence: float = 0.95, *, rare: bool = True
) -> Interval:
    """Mean number of events of a flow, such as its timeouts.

    From :data:`FEW` events on, :func:`over_seeds`. Fewer have Garwood's exact interval for a Poisson number
    (Biometrika 28, 1936), over the events as if they came in groups, as large as the variance between seeds is in
    means: 1 at least.

    Parameters
    ----------
    counts : array_like of int, shape (n,)
        Events of all flows of a run, one number per seed; NaN is left out and not counted.
    flows : array_like of float, shape (n,), or float
        How many flows each run has.
    confidence : float
        Share of intervals that hold the true mean.
    rare : bool
        Whether events come singly, so that a number of 0 says how many there are at most. What comes in bursts, such
        as the losses of an overflow, can be frequent and be missed by a few seeds: then 0 has no interval.

    Returns
    -------
    Interval
        NaN ends with fewer than two values. Of no event at all: from 0 to what is exceeded at this confidence.

    Examples
    --------
    >>> none = count_over_seeds([0, 0, 0], flows=2)
    >>> none.mean, none.lo, round(none.hi, 3)  # at most 3.0 events in 6 flows
    (0.0, 0.0, 0.499)
    >>> one = count_over_seeds([0, 1, 0], flows=2)
    >>> round(one.mean, 3), round(one.lo, 4), round(one.hi, 3)
    (0.167, 0.0042, 0.929)
    """
    from scipy import special

    events, each = (np.broadcast_to(np.asarray(one, float), np.shape(counts)) for one in (counts, flows))
    there = ~np.isnan(events) & (each > 0.0)
    events, each = events[there], each[there]
    usual = over_seeds(events / each, confidence)
    total, n = float(events.sum()), len(events)
    if n < 2 or total >= FEW:
        return replace(usual, lo=max(usual.lo, 0.0))  # no number of events is below 0
    if total == 0.0:
        most = -math.log(1.0 - confidence) / float(each.sum()) if rare else 0.0
        return Interval(0.0, 0.0, most, n, confidence)
    group = max(1.0, n * float(events.var(ddof=1)) / total)
    tail, scale = (1.0 - confidence) / 2.0, group / float(each.sum())
    least = float(special.gammaincinv(total / group, tail)) * scale
    most = float(special.gammaincinv(total / group + 1.0, 1.0 - tail)) * scale
    return Interval(usual.mean, least, most, n, confidence)


def share_over_seeds(hits: ArrayLike, trials: ArrayLike, confidence: float = 0.95) -> Interval:
    """Share of trials that hit, such as transfers that did not end, over the runs of some seeds.

    With :data:`FEW` hits and as many misses or more, Student's t on the linearised ratio, widened for skewness. Fewer
    have the exact interval of Clopper and Pearson, over as many trials as say the same when drawn alone: by the
    variance between seeds, never more than there are (Korn and Graubard, Survey Methodology 24, 1998).

    Parameters
    ----------
    hits, trials : array_like of int, shape (n,)
        For each seed.
    confidence : float
        Share of intervals that hold the true share.

    Returns
    -------
    Interval
        NaN without trials; NaN ends with fewer than two seeds that have any.

    Examples
    --------
    >>> none = share_over_seeds([0, 0, 0], [20, 20, 20])
    >>> none.mean, none.lo, round(none.hi, 4)  # 1 - 0.05^(1/60)
    (0.0, 0.0, 0.0487)
    """
    from scipy import special

    hit, tried = np.asarray(hits, float), np.asarray(trials, float)
    there = tried > 0.0
    hit, tried = hit[there], tried[there]
    n, total = len(hit), float(tried.sum())
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0, confidence)
    share, error = float(hit.sum()) / total, 1.0 - confidence
    if n < 2:
        return Interval(share, math.nan, math.nan, n, confidence)
    if share in (0.0, 1.0):
        most = 1.0 - error ** (1.0 / total)
        return (
            Interval(share, 0.0, most, n, confidence) if share == 0.0 else Interval(1.0, 1.0 - most, 1.0, n, confidence)
        )
    rest = (hit - share * tried) * n / total
    variance = float(rest.var(ddof=1)) / n
    if min(hit.sum(), total - hit.sum()) >= FEW and variance > 0.0:
        half = student(n, confidence) * skew_factor(rest) * math.sqrt(variance)
        return Interval(share, max(0.0, share - half), min(1.0, share + half), n, confidence)
    alone = min(total, share * (1.0 - share) / variance) if variance > 0.0 else total
    least = float(special.betaincinv(share * alone, (1.0 - share) * alone + 1.0, error / 2.0))
    most = float(special.betaincinv(share * alone + 1.0, (1.0 - share) * alone, 1.0 - error / 2.0))
    return Interval(share, least, most, n, confidence)


def jain_over_seeds(values: ArrayLike, flows: int = 0, confidence: float = 0.95) -> Interval:
    """Mean of Jain's index over runs.

    1 - J is about the squared coefficient of variation of the shares, so it follows a gamma law as their variance does:
    skewed, the more the fewer the flows. Its cube root is near normal (Wilson and Hilferty, PNAS 17, 1931), with mean
    and deviation about which the values say as much as Student's and the chi-squared law have it; the mean of 1 - J
    follows from the two (Krishnamoorthy and Wang, Statistics in Medicine 35, 2016).

    Parameters
    ----------
    values : array_like of float, shape (n,)
        The index of a run, one per seed; NaN is left out and not counted.
    flows : int
        How many share, so that the index is no less than one over that; 0 if unknown.
    confidence : float
        Share of intervals that hold the true mean.

    Returns
    -------
    Interval
        NaN ends with fewer than two values; ends equal to the mean if all values are equal, see :func:`over_seeds`.
    """
    data = finite(values)
    usual = over_seeds(data, confidence)
    n = usual.n
    if n < 2 or usual.lo == usual.hi:
        return usual
    roots = np.cbrt(np.maximum(0.0, 1.0 - data))
    draws = np.random.default_rng(DRAWS)
    normal, squares = draws.standard_normal(DRAWS), draws.chisquare(n - 1, DRAWS)
    deviation = float(roots.std(ddof=1)) * np.sqrt((n - 1) / squares)
    centre = float(roots.mean()) + normal * deviation / math.sqrt(n)
    unfair = np.maximum(0.0, centre / 2.0 + np.sqrt(centre**2 / 4.0 + deviation**2)) ** 3
    tail = JAIN_ERROR * (1.0 - confidence) / 2.0
    least, most = np.quantile(unfair, [tail, 1.0 - tail])
    floor = 1.0 / flows if flows else 0.0
    return Interval(usual.mean, max(floor, 1.0 - float(most)), 1.0 - float(least), n, confidence)
