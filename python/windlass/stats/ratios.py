"""Ratios of means, paired by seed: Fieller's interval, and the test that agrees with it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from windlass.interval import Interval
from windlass.stats.intervals import Floats, paired_values, student
from windlass.stats.seeds import skew_factor


def paired_ratio(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Interval:
    """Mean of a over mean of b, paired by seed: the ratios r for which a - r b could have mean 0.

    It keeps its level with few seeds and at high confidence, and 1 is outside exactly if :func:`paired_p` tells a from
    b at that level. Source: Fieller, JRSS B 16(2), 1954; widened for skewness, see
    :func:`windlass.stats.seeds.skew_factor`.

    Parameters
    ----------
    a, b : array_like of float, shape (n,)
        One value per seed, in the same order of seeds; none is negative.
    confidence : float
        Share of intervals that hold the true ratio.

    Returns
    -------
    Interval
        NaN throughout if the mean of b is 0; NaN ends with fewer than two pairs; ends equal to the ratio if it is the
        same for all seeds, see :attr:`Interval.known`. If the mean of b could be 0, the upper end is infinite, and the
        lower one minus infinity if that of a could be as well.

    Raises
    ------
    ValueError
        If the two have different lengths.

    Examples
    --------
    >>> found = paired_ratio([11.0, 12.1, 13.1], [10.0, 11.0, 12.0])
    >>> round(found.mean, 4), round(found.lo, 4), round(found.hi, 4)
    (1.097, 1.0837, 1.1158)
    """
    left, right = paired_values(a, b)
    n = len(left)
    if n == 0 or right.mean() == 0.0:
        return Interval(math.nan, math.nan, math.nan, n, confidence)
    ratio = float(left.mean() / right.mean())
    if n == 1:
        return Interval(ratio, math.nan, math.nan, 1, confidence)
    rest = _rest(left, right)
    if not rest.any():
        return Interval(ratio, ratio, ratio, n, confidence)
    lo, hi = _roots(left, right, student(n, confidence) * skew_factor(rest))
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
        NaN with fewer than two pairs, or if all differences are equal: nothing was seen of what chance does.
    """
    from scipy import special

    left, right = paired_values(a, b)
    difference = left - right
    n = len(difference)
    spread = float(difference.std(ddof=1)) if n > 1 else 0.0
    if spread == 0.0 or right.mean() == 0.0:
        return math.nan
    shift = abs(float(difference.mean())) * math.sqrt(n) / spread
    return float(2.0 * special.stdtr(n - 1, -shift / skew_factor(_rest(left, right))))


def _rest(left: Floats, right: Floats) -> Floats:
    """What a ratio of the means leaves of each pair; all 0 if that is rounding alone."""
    rest = left - float(left.mean() / right.mean()) * right
    return rest if np.abs(rest).max() > 1e-12 * np.abs(left).max() else np.zeros_like(rest)


def _roots(left: Floats, right: Floats, t: float) -> tuple[float, float]:
    """Where (mean of a - r b) squared is t squared times its variance; ratios below 0 are none."""
    n = len(left)
    (xx, xy), (_, yy) = (np.cov(left, right, ddof=1) * t * t / n).tolist()
    x, y = float(left.mean()), float(right.mean())
    square, middle, rest = y * y - yy, x * y - xy, x * x - xx
    half = math.sqrt(max(0.0, middle * middle - square * rest))
    if square > 0.0:
        return max(0.0, (middle - half) / square), (middle + half) / square
    # the ratios outside of two roots: those above the larger one, if 0 lies between the two
    return ((middle - half) / square if square < 0.0 < rest else -math.inf), math.inf
