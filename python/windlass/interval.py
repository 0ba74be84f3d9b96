"""A number and how sure it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

__all__ = ["Interval", "shown", "to_digits"]

SKEWED = 1.25
"""An interval with one side so many times as long as the other is told by its ends instead of by ±."""


@dataclass(frozen=True)
class Interval:
    """A number with its interval.

    Attributes
    ----------
    mean : float
        Estimate; NaN if there is nothing to estimate from.
    lo, hi : float
        Ends of the interval. With fewer than two observations nothing is known of them: NaN in :mod:`windlass.stats`,
        where an end is a number to show, infinite in :mod:`windlass.verdicts`, where it is one to compare.
    n : int
        Observations.
    confidence : float
        0.95 for a 95 % interval.
    """

    mean: float
    lo: float
    hi: float
    n: int
    confidence: float = 0.95

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.hi - self.lo) / 2.0

    @property
    def known(self) -> bool:
        """Whether it says anything: an end is finite, and observations differed, or are too few events to count on."""
        return (math.isfinite(self.lo) or math.isfinite(self.hi)) and self.lo < self.hi

    def contains(self, value: float) -> bool:
        """Whether the value lies in the interval, ends included; never with NaN ends."""
        return self.lo <= value <= self.hi

    def overlaps(self, other: Interval) -> bool:
        """Whether the two intervals share a point."""
        return self.lo <= other.hi and other.lo <= self.hi

    def scaled(self, factor: float, shift: float = 0.0) -> Self:
        """The interval of ``factor * x + shift``; a negative factor turns it round."""
        ends = (factor * self.lo + shift, factor * self.hi + shift)
        lo, hi = ends if factor >= 0.0 else ends[::-1]
        return replace(self, mean=factor * self.mean + shift, lo=lo, hi=hi)

    def complement(self) -> Self:
        """What a share leaves: the interval of ``1 - x``."""
        return self.scaled(-1.0, 1.0)

    def text(self, unit: str = "", digits: int = 2) -> str:
        """``mean ± half-width unit``."""
        tail = f" {unit}" if unit else ""
        if self.n < 2:
            return f"{self.mean:.{digits}f}{tail} (one run, no interval)"
        return f"{self.mean:.{digits}f} ± {self.half_width:.{digits}f}{tail}"


def shown(mean: float, lo: float | None, hi: float | None, *, scale: float = 1.0, digits: int = 2) -> tuple[str, str]:
    """A mean and its interval as text: half of it behind ±, its ends if it is skewed, its one bound if it has one.

    Nothing stands behind the mean if there is no interval: of one seed, of seeds that gave the same.

    >>> shown(2.5, 2.4, 2.6, digits=1), shown(0.33, 0.01, 1.86, digits=1), shown(0.0, 0.0, 0.5), shown(4.0, 4.0, 4.0)
    (('2.5', '± 0.1'), ('0.3', '(0.0 to 1.9)'), ('0.00', '(≤ 0.50)'), ('4.00', ''))
    """

    def text(value: float) -> str:
        # no number is shown as -0.00
        return f"{round(value * scale, digits) + 0.0:.{digits}f}"

    low, high = (math.nan if end is None else end for end in (lo, hi))
    if not low < high:
        return text(mean), ""
    if low == mean or not math.isfinite(low):
        return text(mean), f"(≤ {text(high)})" if math.isfinite(high) else ""
    if high == mean or not math.isfinite(high):
        return text(mean), f"(≥ {text(low)})"
    below, above = mean - low, high - mean
    if max(below, above) > SKEWED * min(below, above) + 0.5 * 10.0**-digits / scale:
        return text(mean), f"({text(low)} to {text(high)})"
    return text(mean), f"± {(high - low) / 2.0 * scale:.{digits}f}"


def to_digits(mean: float, half: float) -> tuple[str, str]:
    """A mean and half of its interval as text: two digits of the half, the mean to the same place; if the half is
    nothing beside the mean, four digits of that.

    >>> to_digits(0.0863, 0.00049), to_digits(630.561, 831.31), to_digits(12.0, 0.0)
    (('0.08630', '0.00049'), ('630', '830'), ('12.00', '0'))
    """
    if half <= 1e-9 * abs(mean):
        return _to_place(mean, _place(mean, 4)), "0"
    place = _place(half, 2)
    return _to_place(mean, place), _to_place(half, place)


def _place(number: float, digits: int) -> int:
    """The decimal place of the last of so many digits of a number, negative left of the point."""
    return digits - 1 - int(f"{abs(number):.{digits - 1}e}".partition("e")[2]) if number else 0


def _to_place(number: float, place: int) -> str:
    """A number rounded to a decimal place, with commas between thousands."""
    rounded = round(number, place)
    return f"{rounded + 0.0:,.{max(place, 0)}f}"
