"""Large gains as factors."""

from __future__ import annotations

import math

from windlass.interval import Interval

__all__ = ["TWICE", "times"]

TWICE = 1.0
"""Gain from which on it is told as a factor: nobody reads +851 % as 9.5 times as much."""


def times(gain: Interval) -> str:
    """``9.5 times (4.2 to 21)``: the factor that a gain, as a share, is.

    >>> times(Interval(8.51, 3.2, 20.0, 5)), times(Interval(1.0, float("nan"), float("nan"), 1))
    ('9.5 times (4.2 to 21)', '2.0 times (no interval)')
    """
    mean, low, high = (1.0 + one for one in (gain.mean, gain.lo, gain.hi))
    if not (math.isfinite(low) or math.isfinite(high)):
        return f"{_factor(mean)} times (no interval)"
    if not math.isfinite(high):
        return f"{_factor(mean)} times (at least {_factor(low)})"
    if not math.isfinite(low):
        return f"{_factor(mean)} times (at most {_factor(high)})"
    return f"{_factor(mean)} times ({_factor(low)} to {_factor(high)})"


def _factor(value: float) -> str:
    """Two digits, one of them after the point below ten."""
    return f"{value:.1f}" if abs(value) < 9.95 else f"{value:.0f}"
