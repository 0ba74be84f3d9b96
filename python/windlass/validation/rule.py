"""The rule by which a figure of ns-2 and one from here agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windlass.validation.figures import SLACK

if TYPE_CHECKING:
    from windlass.stats import Interval


@dataclass(frozen=True)
class Comparison:
    """A mean of ns-2 beside ours, with their 95 % intervals.

    The two agree if the means are no further apart than the two half widths and a share of ns-2's mean together.

    Attributes
    ----------
    ns2, here : Interval
        What each simulator gave.
    slack : float
        That share.
    """

    ns2: Interval
    here: Interval
    slack: float = SLACK

    @property
    def difference(self) -> float:
        """How far the mean here is from ns-2's, as a share of ns-2's."""
        return _share(self.here.mean - self.ns2.mean, self.ns2.mean)

    @property
    def allowed(self) -> float:
        """How far it may be: the two half widths and the slack, as a share of ns-2's mean."""
        return _share(self.here.half_width + self.ns2.half_width, self.ns2.mean) + self.slack

    @property
    def agrees(self) -> bool:
        """Whether the means are close enough; not if one of them does not exist."""
        apart = abs(self.here.mean - self.ns2.mean)
        return apart <= self.here.half_width + self.ns2.half_width + self.slack * abs(self.ns2.mean)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "ns2_mean": self.ns2.mean,
            "ns2_half_width": self.ns2.half_width,
            "ns2_runs": self.ns2.n,
            "windlass_mean": self.here.mean,
            "windlass_half_width": self.here.half_width,
            "windlass_runs": self.here.n,
            "difference": self.difference,
            "allowed": self.allowed,
            "agrees": self.agrees,
        }


def _share(part: float, whole: float) -> float:
    if whole != 0.0:
        return part / whole
    return 0.0 if part == 0.0 else float("inf") if part > 0.0 else part
