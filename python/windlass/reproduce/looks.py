"""How many seeds each setting gets, and how sure intervals must be that are looked at several times.

Seeds are added in batches, and after each batch the claims are judged. The numbers of seeds at which that may happen,
the looks, are fixed beforehand. An interval that is looked at five times misses the truth at some look more often than
one that is looked at once. So each of the looks gets a fifth of the error: every interval that a verdict rests on is a
99 % interval. The chance that any of the five misses is at most the sum of their chances, 5 %, whatever the reason to
stop or go on, and however the looks hang together (repeated confidence intervals: Jennison and Turnbull, 1989, with
the error shared equally by Boole's inequality). Student's t holds at each look for itself, also with three seeds.

A reading also stops when more seeds promise little: when the chance that fifty settle its verdict, judging by the means
and the scatter of now, is below 30 % (conditional power: Lan, Simon and Halperin, 1982). Such a stop can only leave
open what might have been settled; it never settles anything, so it takes nothing from the error. The base does not stop
so: its verdict is the one that counts, and its runs are few.

A reading is looked at when the base has its verdict, first at some of the points, such that the base has its verdict
there, too. It goes on to more of them, and in the end to all, unless it gives there the verdict that the base gives:
then it is said to be alike at those points, and no more. So every verdict that a reading is said to change rests on all
points that the claim is about.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.interval import Interval

READING_LOOKS = (3, 5, 10, 20, 50)
"""Numbers of seeds at which readings are judged."""

BASE_LOOKS = (10, 20, 50)
"""Numbers of seeds at which the base is judged: all of them are looks of readings, too."""

ERROR = 0.05
"""Chance that some interval of a number misses it, over all looks."""

PRECISION = 0.03
"""The base gets seeds until half of a plain 95 % interval of the headline metric is this share of its mean, where the
most seeds would bring it there.
"""

TRUSTED = 10
"""With fewer seeds that all give the same, the next may still differ, as with counts of rare events."""

FORESIGHT = 10
"""From so many seeds on, means are trusted enough to say what more seeds would do."""

SCREENS = (2, 4)
"""Values of each axis at which a reading is looked at first, and then, beside those that the claim names."""

PROMISE = 0.3
"""A claim goes on in a reading if that is the chance that the most seeds settle its verdict."""


@dataclass(frozen=True)
class Looks:
    """Numbers of seeds at which the base and the readings are judged, and the confidence of the intervals."""

    base: tuple[int, ...]
    readings: tuple[int, ...]

    @classmethod
    def fixed(cls, seeds: int) -> Looks:
        """One look, at this number of seeds everywhere."""
        return cls((seeds,), (seeds,))

    @classmethod
    def sequential(cls, least: int) -> Looks:
        """Seeds as they are needed; the base has at least this many."""
        base = (max(least, BASE_LOOKS[0]), *(look for look in BASE_LOOKS[1:] if look > least))
        return cls(base, READING_LOOKS)

    @property
    def adaptive(self) -> bool:
        """Whether the number of seeds follows from what is measured."""
        return len(self.all) > 1

    @property
    def all(self) -> tuple[int, ...]:
        """Every look, ascending."""
        return tuple(sorted({*self.base, *self.readings}))

    @property
    def confidence(self) -> float:
        """Of each interval, so that all looks together miss the truth no more often than :data:`ERROR`."""
        return 1.0 - ERROR / len(self.all)

    def of(self, reading: str) -> tuple[int, ...]:
        """The looks of a reading, or of the base."""
        return self.base if reading == "base" else self.readings

    def after(self, count: int, reading: str) -> int:
        """The look that follows this number of seeds; the same number if it is the last."""
        return next((look for look in self.of(reading) if look > count), max(count, self.of(reading)[-1]))

    def imprecise(self, interval: Interval) -> bool:
        """Whether a plain 95 % interval of the base is wider than it should be, and more seeds would mend it: the most
        seeds bring it to :data:`PRECISION` if the scatter stays.

        >>> from windlass.stats import mean_interval
        >>> looks = Looks.sequential(10)
        >>> [looks.imprecise(mean_interval([10.0 - by, 10.0 + by] * 5)) for by in (0.3, 0.8, 2.0)]
        [False, True, False]
        """
        from scipy.special import stdtrit

        most, allowed = self.base[-1], PRECISION * abs(interval.mean)
        if not interval.half_width > allowed > 0.0:
            return False
        if interval.n >= most:
            return False
        factors = [float(stdtrit(count - 1, 0.975)) / math.sqrt(count) for count in (interval.n, most)]
        return interval.half_width * factors[1] / factors[0] <= allowed

    def foreseen(self, count: int) -> float:
        """Confidence at which this number of seeds gives intervals that show whether more are in vain.

        Half of such an interval is that of the last look, if the scatter stays, less what the mean moves until then
        in the favourable :data:`PROMISE` of cases; none if it may move as far as that.

        >>> Looks.sequential(10).foreseen(10) < Looks.sequential(10).foreseen(20) < 0.99
        True
        """
        from scipy.special import ndtri, stdtr, stdtrit

        most = self.readings[-1]
        half = float(stdtrit(most - 1, (1.0 + self.confidence) / 2.0)) / math.sqrt(most)
        moves = float(ndtri(1.0 - PROMISE)) * math.sqrt(1.0 / count - 1.0 / most)
        return max(0.0, 2.0 * float(stdtr(count - 1, (half - moves) * math.sqrt(count))) - 1.0)
