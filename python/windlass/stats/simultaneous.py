"""Ratios of paired means for many statements at once: Fieller's interval, and the test that agrees with it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from windlass.interval import Interval
from windlass.stats.intervals import Floats, _pairs


def fieller(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Interval:
    """Mean of a over mean of b, paired by seed: the ratios r for which a - r b could have mean 0.

    Unlike the bootstrap, it keeps its level at high confidence with few seeds, as long as the means are near normal;
    and 1 is outside exactly if the paired t test at that level tells a from b. Source: Fieller, JRSS B 16(2), 1954.

    Parameters
    ----------
    a, b : array_like of float, shape (n,)
        One value per seed, in the same order of seeds.
    confidence : float
        Share of intervals that hold the true ratio.

    Returns
    -------
    Interval
        NaN ends with fewer than two pairs; infinite ends if the mean of b could be 0.

    Examples
    --------
    >>> found = fieller([11.0, 12.1, 13.1], [10.0, 11.0, 12.0])
    >>> round(found.mean, 4), round(found.lo, 4), round(found.hi, 4)
    (1.097, 1.0865, 1.1125)
    """
    left, right = _pairs(a, b)
    n = len(left)
    if n == 0 or right.mean() == 0.0:
        return Interval(math.nan, math.nan, math.nan, n, confidence)
    ratio = float(left.mean() / right.mean())
    if n == 1:
        return Interval(ratio, math.nan, math.nan, 1, confidence)
    lo, hi = _roots(left, right, _student(n, confidence))
    return Interval(ratio, lo, hi, n, confidence)


def paired_p(a: ArrayLike, b: ArrayLike) -> float:
    """Probability of a mean difference this large or larger, either way, if there is none: Student's t over pairs.

    Parameters
    ----------
    a, b : array_like of float, shape (n,)
        One value per seed, in the same order of seeds.

    Returns
    -------
    float
        NaN with fewer than two pairs. 1 if all differences are 0; 0 if all are the same and not 0.
    """
    from scipy import special

    left, right = _pairs(a, b)
    difference = left - right
    n = len(difference)
    if n < 2:
        return math.nan
    spread = float(difference.std(ddof=1))
    mean = abs(float(difference.mean()))
    if spread == 0.0:
        return 1.0 if mean == 0.0 else 0.0
    return float(2.0 * special.stdtr(n - 1, -mean * math.sqrt(n) / spread))


def _student(n: int, confidence: float) -> float:
    from scipy import special

    return float(special.stdtrit(n - 1, (1.0 + confidence) / 2.0))


def _roots(left: Floats, right: Floats, t: float) -> tuple[float, float]:
    """Where (mean of a - r b) squared is t squared times its variance."""
    n = len(left)
    (xx, xy), (_, yy) = (np.cov(left, right, ddof=1) * t * t / n).tolist()
    x, y = float(left.mean()), float(right.mean())
    square, middle, rest = y * y - yy, x * y - xy, x * x - xx
    if square <= 0.0:
        return -math.inf, math.inf
    half = math.sqrt(max(0.0, middle * middle - square * rest))
    return (middle - half) / square, (middle + half) / square
