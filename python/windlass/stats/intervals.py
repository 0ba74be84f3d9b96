"""Means and differences with Student's t interval."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from windlass.interval import Interval

Floats = NDArray[np.float64]


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
    data = finite(values)
    n = len(data)
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0, confidence)
    mean = float(data.mean())
    if n == 1:
        return Interval(mean, math.nan, math.nan, 1, confidence)
    error = float(data.std(ddof=1)) / math.sqrt(n)
    half = student(n, confidence) * error
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
    data = finite(values)
    if len(data) < 2:
        raise ValueError("at least two values are needed to know the spread")
    if not half_width > 0.0:
        raise ValueError("the half-width must be positive")
    spread = float(data.std(ddof=1))

    def half(n: int) -> float:
        return student(n, confidence) * spread / math.sqrt(n)

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
    left, right = paired_values(a, b)
    return mean_interval(left - right, confidence)


def finite(values: ArrayLike) -> Floats:
    """The values that are there."""
    data = np.asarray(values, float)
    return data[~np.isnan(data)]


def paired_values(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """Both values of each seed that has both."""
    left, right = np.asarray(a, float), np.asarray(b, float)
    if left.shape != right.shape:
        raise ValueError(f"{left.shape} and {right.shape} values cannot be paired")
    both = ~(np.isnan(left) | np.isnan(right))
    return left[both], right[both]


def student(n: int, confidence: float) -> float:
    """Student's quantile for the interval of a mean of n values."""
    from scipy import special

    return float(special.stdtrit(n - 1, (1.0 + confidence) / 2.0))
