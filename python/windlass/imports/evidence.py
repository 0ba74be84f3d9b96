"""What a reader hands on: the numbers that its kind of file shows, and rows of packets for the model of loss."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from windlass.imports.model import Estimate, JitterFit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Evidence", "Outcomes", "RateOverTime"]


@dataclass(frozen=True)
class Outcomes:
    """Packets in the order in which they were sent.

    Attributes
    ----------
    lost : ndarray of bool, shape (n,)
        Whether each was lost.
    time_s : ndarray of float64, shape (n,), or None
        When each was sent, seconds.
    how : str
        Where the losses were seen.
    """

    lost: NDArray[Any]
    time_s: NDArray[Any] | None
    how: str


@dataclass(frozen=True)
class RateOverTime:
    """A rate in bins.

    Attributes
    ----------
    start_s, end_s, rate_bps : ndarray of float64, shape (n,)
        Bins in order, seconds; bits per second.
    of_link : bool
        Whether it is what the link could carry, and not just what one sender got.
    noise : float
        Standard deviation, as a share of the mean, up to which changes are those of the measurement.
    """

    start_s: NDArray[Any]
    end_s: NDArray[Any]
    rate_bps: NDArray[Any]
    of_link: bool
    noise: float = 0.05

    def changes(self) -> bool:
        """Whether the rate changes by more than its noise."""
        mean = float(self.rate_bps.mean())
        return len(self.rate_bps) > 1 and mean > 0.0 and float(self.rate_bps.std()) > self.noise * mean


@dataclass
class Evidence:
    """What one file shows; see :class:`windlass.imports.model.ImportedPath` for the numbers.

    `arrived_bps` is what arrived per second, on average: no link carries less. `loss_low` is what the channel loses at
    least, as a share, where drops of a queue may be among the losses. `trace` is one that the file is.
    """

    format: str
    facts: list[str] = field(default_factory=list)
    rate: Estimate | None = None
    rates: RateOverTime | None = None
    base_rtt: Estimate | None = None
    queue: Estimate | None = None
    queue_least: float | None = None
    jitter: JitterFit | None = None
    outcomes: Outcomes | None = None
    reverse: Outcomes | None = None
    counted: tuple[int, int, str] | None = None
    loss_low: float | None = None
    loss_most: Estimate | None = None
    arrived_bps: float | None = None
    trace: list[int] | None = None
    notes: list[str] = field(default_factory=list)
