"""Means under random loss: here and there other packets are lost, so only means over seeds can be compared."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.validation.linux import scenarios
from windlass.validation.linux.reference import Point

if TYPE_CHECKING:
    from windlass.stats import Interval

SLACK = 0.05
"""By what share of Linux's mean the joint interval is widened."""

SEEDS = 10
"""Runs of each point here at first, if nothing else is asked for."""

WIDE = 0.15
"""A rule that allows more than this share of Linux's mean says little: more seeds are run here."""

MOST_SEEDS = 160
"""Runs of each point here at most."""

NORMAL = 1.959964
"""Half width of the 95 % interval of a normal variable, in standard deviations."""


@dataclass(frozen=True)
class PointOutcome:
    """A point beside the same point here.

    Attributes
    ----------
    point : Point
        What was run.
    skipped : str or None
        Why it was not.
    linux, here : Interval or None
        Goodput, Mbit/s, mean and 95 % interval over the seeds. A single run has no interval.
    timeouts, retransmitted : float
        Means over the seeds here.
    """

    point: Point
    skipped: str | None = None
    linux: Interval | None = None
    here: Interval | None = None
    timeouts: float = math.nan
    retransmitted: float = math.nan

    @property
    def name(self) -> str:
        """That of the point."""
        return self.point.name

    @property
    def difference(self) -> float:
        """How far the mean here is from Linux's, as a share of Linux's; NaN if it was not run."""
        return self._share(lambda linux, here: here.mean - linux.mean)

    @property
    def allowed(self) -> float:
        """How far it may be: the half width of the joint interval and the slack, as a share of Linux's mean."""
        return self._share(joint_half_width) + SLACK

    @property
    def least(self) -> float:
        """What would be allowed with any number of seeds here, if the spread stays as it is: Linux has only so many."""
        return self._share(lambda linux, here: NORMAL * spread(linux, here)[0] / math.sqrt(linux.n)) + SLACK

    def _share(self, of: Callable[[Interval, Interval], float]) -> float:
        if self.linux is None or self.here is None:
            return math.nan
        value = of(self.linux, self.here)
        return value / self.linux.mean if self.linux.mean else math.copysign(math.inf, value) if value else 0.0

    @property
    def agrees(self) -> bool:
        """Whether the means are close enough; not if it was not run."""
        return abs(self.difference) <= self.allowed

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""

        def plain(interval: Interval | None, timeouts: float, retransmitted: float) -> dict[str, Any] | None:
            if interval is None:
                return None
            half = interval.half_width if interval.n > 1 else None
            means = {"goodput_mbps_mean": interval.mean, "goodput_mbps_half_width": half, "runs": interval.n}
            return means | {"timeouts_mean": timeouts, "retransmitted_mean": retransmitted}

        point = self.point
        return {
            "path": point.path,
            "algorithm": point.algorithm,
            "loss_percent": point.loss_percent,
            "agrees": self.agrees,
            "skipped": self.skipped,
            "linux": plain(self.linux, point.timeouts, point.retransmitted),
            "windlass": plain(self.here, self.timeouts, self.retransmitted),
            "difference": self.difference,
            "allowed": self.allowed,
            "allowed_least": self.least,
        }


def compare_point(point: Point, *, seeds: int = SEEDS, store: bool | Path = True) -> PointOutcome:
    """Run a point here.

    Parameters
    ----------
    point : Point
        What to run.
    seeds : int
        Number of runs, at least two; one without random loss. While more is allowed than :data:`WIDE`, four times as
        many, up to :data:`MOST_SEEDS`.
    store : bool or path
        Whether runs are kept and read, and where.

    Returns
    -------
    PointOutcome
    """
    skipped = scenarios.why_not(point.algorithm)
    if skipped is not None:
        return PointOutcome(point, skipped)
    if float(point.loss_percent) == 0.0:
        return _compared(point, 1, store)
    while True:
        outcome = _compared(point, seeds, store)
        if outcome.allowed <= WIDE or seeds >= MOST_SEEDS:
            return outcome
        seeds = min(4 * seeds, MOST_SEEDS)


def _compared(point: Point, seeds: int, store: bool | Path) -> PointOutcome:
    from windlass.stats import mean_interval

    flows = scenarios.of_point(point, seeds).sweep(store=store).flows.to_pylist()
    return PointOutcome(
        point,
        linux=mean_interval(point.goodput_mbps),
        here=mean_interval([row["delivered_bytes"] * 8e-6 / point.seconds for row in flows]),
        timeouts=sum(row["timeouts"] for row in flows) / len(flows),
        retransmitted=sum(row["retransmitted_segments"] for row in flows) / len(flows),
    )


def spread(a: Interval, b: Interval) -> tuple[float, int]:
    """Standard deviation of single runs, pooled over both sides, and its degrees of freedom.

    If both sides do the same, as the comparison asks, their runs scatter alike.
    """
    from scipy import special

    free = a.n + b.n - 2
    if free == 0:
        return 0.0, 0
    squares = 0.0
    for one in (a, b):
        if one.n > 1:
            deviation = one.half_width * math.sqrt(one.n) / float(special.stdtrit(one.n - 1, 0.975))
            squares += (one.n - 1) * deviation**2
    return math.sqrt(squares / free), free


def joint_half_width(a: Interval, b: Interval) -> float:
    """Half width of the 95 % interval of the difference of two independent means: Student's t, pooled variance."""
    from scipy import special

    deviation, free = spread(a, b)
    return float(special.stdtrit(free, 0.975)) * deviation * math.sqrt(1 / a.n + 1 / b.n) if free else 0.0
