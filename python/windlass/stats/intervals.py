"""Means, ratios and indices over seeds with their intervals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from windlass.interval import Interval

Floats = NDArray[np.float64]

RESAMPLES = 9999
BOOTSTRAP_SEED = 20190501
"""The bootstrap draws from this seed, so the same results always give the same interval."""


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """Mean with Student's t interval.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        One value per seed; NaN is left out and not counted.
    confidence : float
        Share of intervals that hold the true mean.

    Returns
    -------
    Interval
        NaN ends with fewer than two values; ends equal to the mean if all values are equal.

    Examples
    --------
    >>> interval = mean_interval([10.0, 12.0, 14.0])
    >>> round(interval.mean, 3), round(interval.half_width, 3), interval.n
    (12.0, 4.968, 3)
    """
    from scipy import special

    data = finite(values)
    n = len(data)
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0, confidence)
    mean = float(data.mean())
    if n == 1:
        return Interval(mean, math.nan, math.nan, 1, confidence)
    error = float(data.std(ddof=1)) / math.sqrt(n)
    half = float(special.stdtrit(n - 1, (1.0 + confidence) / 2.0)) * error
    return Interval(mean, mean - half, mean + half, n, confidence)


def seeds_needed(values: ArrayLike, half_width: float, confidence: float = 0.95) -> int:
    """How many seeds would bring the interval of the mean down to a half-width, if the spread stays as it is.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        At least two values, one per seed, in any unit.
    half_width : float
        Target, positive, same unit.
    confidence : float
        As in :func:`mean_interval`.

    Returns
    -------
    int
        At least 2.

    Raises
    ------
    ValueError
        With fewer than two values, or a target that is not positive.
    """
    from scipy import special

    data = finite(values)
    if len(data) < 2:
        raise ValueError("at least two values are needed to know the spread")
    if not half_width > 0.0:
        raise ValueError("the half-width must be positive")
    spread = float(data.std(ddof=1))

    def half(n: int) -> float:
        return float(special.stdtrit(n - 1, (1.0 + confidence) / 2.0)) * spread / math.sqrt(n)

    high = 2
    while half(high) > half_width:
        high *= 2
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if half(middle) <= half_width else (middle, high)
    return max(2, high)


def paired(a: Mapping[int, float], b: Mapping[int, float]) -> tuple[Floats, Floats]:
    """Values of two sides by seed, for the seeds that both have.

    Parameters
    ----------
    a, b : mapping of int to float
        Seed to value.

    Returns
    -------
    tuple of ndarray of float64, each shape (n,)
        In ascending order of seeds.
    """
    seeds = sorted(a.keys() & b.keys())
    return np.array([a[seed] for seed in seeds], float), np.array([b[seed] for seed in seeds], float)


def paired_difference(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Interval:
    """Mean of a - b, paired by seed, with Student's t interval.

    Parameters
    ----------
    a, b : array_like of float, shape (n,)
        One value per seed, in the same order of seeds.

    Raises
    ------
    ValueError
        If the two have different lengths.
    """
    left, right = _pairs(a, b)
    return mean_interval(left - right, confidence)


def paired_ratio(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Interval:
    """Mean of a over mean of b, resampled in pairs (BCa bootstrap).

    Parameters
    ----------
    a, b : array_like of float, shape (n,)
        One value per seed, in the same order of seeds.

    Returns
    -------
    Interval
        NaN throughout if the mean of b is 0.

    Raises
    ------
    ValueError
        If the two have different lengths.
    """
    left, right = _pairs(a, b)
    if len(left) > 1 and right.any() and (not left.any() or np.array_equal(left, right)):
        same = 1.0 if left.any() else 0.0  # seed by seed the same: nothing to resample
        return Interval(same, same, same, len(left), confidence)

    def ratio(x: Floats, y: Floats, axis: int = -1) -> Floats:
        below = y.mean(axis=axis)
        return np.divide(x.mean(axis=axis), below, out=np.full_like(below, np.nan), where=below != 0.0)

    return _bootstrap((left, right), ratio, confidence)


def bootstrap_interval(
    values: ArrayLike, statistic: Callable[..., Floats] = np.mean, confidence: float = 0.95
) -> Interval:
    """A statistic of one value per seed with its bootstrap interval (BCa), for indices and other skewed numbers.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN is left out and not counted.
    statistic : callable
        Takes an array and ``axis``; the mean if not given.

    Returns
    -------
    Interval
        NaN ends with fewer than two values.
    """
    return _bootstrap((finite(values),), statistic, confidence)


def _bootstrap(samples: tuple[Floats, ...], statistic: Callable[..., Floats], confidence: float) -> Interval:
    from scipy import stats as scipy_stats

    n = len(samples[0])
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0, confidence)
    estimate = float(statistic(*(sample[np.newaxis, :] for sample in samples), axis=-1)[0])
    if n == 1 or math.isnan(estimate):
        return Interval(estimate, math.nan, math.nan, n, confidence)
    if all(np.all(sample == sample[0]) for sample in samples):
        return Interval(estimate, estimate, estimate, n, confidence)
    with warnings.catch_warnings():
        # Fewer than some seven seeds can leave BCa without an answer; NaN ends say so.
        warnings.simplefilter("ignore")
        found = scipy_stats.bootstrap(
            samples,
            statistic,
            paired=len(samples) > 1,
            vectorized=True,
            n_resamples=RESAMPLES,
            confidence_level=confidence,
            method="BCa",
            rng=np.random.default_rng(BOOTSTRAP_SEED),
        ).confidence_interval
    return Interval(estimate, float(found.low), float(found.high), n, confidence)


def finite(values: ArrayLike) -> Floats:
    """The values that are there."""
    data = np.asarray(values, float)
    return data[~np.isnan(data)]


def _pairs(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    left, right = np.asarray(a, float), np.asarray(b, float)
    if left.shape != right.shape:
        raise ValueError(f"{left.shape} and {right.shape} values cannot be paired")
    both = ~(np.isnan(left) | np.isnan(right))
    return left[both], right[both]
