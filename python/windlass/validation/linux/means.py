"""Means under random loss: here and there other packets are lost, so only means over seeds can be compared."""

from __future__ import annotations

import math
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
"""Runs of each point here, if nothing else is asked for."""


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
    def difference(self) -> float:
        """How far the mean here is from Linux's, as a share of Linux's; NaN if it was not run."""
        if self.linux is None or self.here is None:
            return math.nan
        return self.here.mean / self.linux.mean - 1.0

    @property
    def allowed(self) -> float:
        """How far it may be: the half width of the joint interval and the slack, as a share of Linux's mean."""
        if self.linux is None or self.here is None:
            return math.nan
        return joint_half_width(self.linux, self.here) / self.linux.mean + SLACK

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
        }


def compare_point(point: Point, *, seeds: int = SEEDS, store: bool | Path = True) -> PointOutcome:
    """Run a point here.

    Parameters
    ----------
    point : Point
        What to run.
    seeds : int
        Number of runs, at least two; one without random loss.
    store : bool or path
        Whether runs are kept and read, and where.

    Returns
    -------
    PointOutcome
    """
    from windlass.stats import mean_interval

    skipped = scenarios.why_not(point.algorithm)
    if skipped is not None:
        return PointOutcome(point, skipped)
    wanted = seeds if float(point.loss_percent) > 0.0 else 1
    flows = scenarios.of_point(point, wanted).sweep(store=store).flows.to_pylist()
    return PointOutcome(
        point,
        linux=mean_interval(point.goodput_mbps),
        here=mean_interval([row["delivered_bytes"] * 8e-6 / point.seconds for row in flows]),
        timeouts=sum(row["timeouts"] for row in flows) / len(flows),
        retransmitted=sum(row["retransmitted_segments"] for row in flows) / len(flows),
    )


def joint_half_width(a: Interval, b: Interval) -> float:
    """Half width of the 95 % interval of the difference of two independent means.

    The squares of both half widths add up, as those of the standard errors do. A single run adds nothing.
    """
    halves = (one.half_width if one.n > 1 else 0.0 for one in (a, b))
    return math.hypot(*halves)
