"""What round-trip times say of the queue: when it was never empty, how long it grew, which losses it caused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windlass.imports.model import Estimate
from windlass.interval import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST_BINS = 5
"""Bins in which packets always waited, below which nothing is said about the rate of the link."""

FULL = 0.8
"""Share of the longest wait above which the queue counts as full."""

SURE = 1e-3
"""Significance at which more packets are said to be lost when the wait is longest."""

TIMES = 3.0
"""How many times as many they must be."""


ALIKE, MOST, SPREAD = 0.05, 0.8, 0.05
"""Where a window fills a queue, window over round trip is the link's rate: within so much (logarithms) of its median in
this share of the samples, while the window varies by this standard deviation."""


@dataclass(frozen=True)
class Waits:
    """Waiting times of packets.

    Attributes
    ----------
    at_s, wait_s : ndarray of float64, shape (n,)
        When a packet was sent, in order, and how much longer than the least its round trip took, seconds.
    """

    at_s: NDArray[Any]
    wait_s: NDArray[Any]

    def before(self, time_s: NDArray[Any]) -> NDArray[Any]:
        """The wait that was known last at other times; 0 before the first."""
        import numpy as np

        if not len(self.at_s):
            return np.zeros(len(time_s))
        place = np.searchsorted(self.at_s, time_s, side="right") - 1
        return np.where(place >= 0, self.wait_s[np.maximum(place, 0)], 0.0)


def bin_edges(duration_s: float, rtt_s: float) -> NDArray[Any]:
    """Bins of a hundredth of the time, from 50 ms to 1 s, no shorter than a round trip, and no more than 10 000."""
    import numpy as np

    width = max(min(max(duration_s / 100.0, 0.05), 1.0), rtt_s, duration_s / 1e4)
    return np.arange(int(duration_s / width) + 1) * width


def busy(edges: NDArray[Any], at_s: NDArray[Any], wait_s: NDArray[Any], least_s: float) -> NDArray[Any]:
    """Which bins have three samples or more, none of them below `least_s`."""
    import numpy as np

    bins = len(edges) - 1
    place = np.searchsorted(edges, at_s, side="right") - 1
    inside = (place >= 0) & (place < bins)
    lowest = np.full(bins, np.inf)
    np.minimum.at(lowest, place[inside], wait_s[inside])
    count = np.bincount(place[inside], minlength=bins)
    return (count >= 3) & (lowest >= least_s)


def fills(window: NDArray[Any], rtt_s: NDArray[Any]) -> bool:
    """Whether a sender keeps a queue filled: the round trip grows as its window does, so that the rate does not.

    Parameters
    ----------
    window, rtt_s : ndarray of float64, shape (n,)
        Bytes that may be under way, and round-trip times, seconds, at the same moments.
    """
    import numpy as np

    if len(window) < FEWEST_BINS or float(min(window.min(), rtt_s.min())) <= 0.0:
        return False
    ratio = np.log(window / rtt_s)
    like = np.abs(ratio - np.median(ratio)) <= ALIKE
    return float(like.mean()) >= MOST and float(np.log(window[like]).std()) >= SPREAD


@dataclass(frozen=True)
class Drops:
    """Which packets met a queue that was full or nearly so.

    Attributes
    ----------
    full_s : float
        Wait above which a packet counts as one that met a full queue.
    met : ndarray of bool, shape (n,)
        For each transmission.
    """

    full_s: float
    met: NDArray[Any]


def drops(waits: Waits, time_s: NDArray[Any], lost: NDArray[Any], least_s: float) -> Drops | None:
    """Which transmissions met a full queue, if it drops: more of them are lost than of others (Fisher's exact test)."""
    import numpy as np
    from scipy import stats

    if int(lost.sum()) < 3 or len(waits.wait_s) < 20:
        return None
    top = float(np.quantile(waits.wait_s, 0.99))
    if top < 2.0 * least_s:
        return None
    met = waits.before(time_s) > FULL * top
    table = [[int((lost & met).sum()), int((~lost & met).sum())], [int((lost & ~met).sum()), int((~lost & ~met).sum())]]
    (full, passed), (other, free) = table
    if not met.any() or met.all() or full * (other + free) <= TIMES * other * (full + passed):
        return None
    if float(stats.fisher_exact(table, alternative="greater").pvalue) > SURE:
        return None
    return Drops(FULL * top, met)


def under_way(at_s: NDArray[Any], sent_s: NDArray[Any], arrived_s: NDArray[Any]) -> NDArray[Any]:
    """How many packets had been sent and were not acknowledged at each time."""
    import numpy as np

    return np.searchsorted(sent_s, at_s, side="right") - np.searchsorted(arrived_s, at_s, side="right")


def at_link(time_s: NDArray[Any], packet_s: float) -> NDArray[Any]:
    """When packets pass a link that takes `packet_s` for each, one after the other, if they were sent at these times.

    Departure i is the latest of ``time_s[j] + (i - j + 1) packet_s`` over all j up to i.
    """
    import numpy as np

    steps = packet_s * np.arange(len(time_s))
    return np.maximum.accumulate(time_s - steps) + steps + packet_s


def limit(waits: Waits, time_s: NDArray[Any], rate: Estimate, how: str) -> Estimate:
    """The queue in bytes: the rate times the median wait of packets that were dropped, sent at these times.

    Waits of 95 % of them are in the interval, times the ends of that of the rate; a rate that is known to be at least
    so much gives a queue of at least so much.
    """
    import numpy as np

    known = waits.before(time_s)
    low, middle, high = (float(np.quantile(known, part)) for part in (0.025, 0.5, 0.975))
    ends = (low * rate.interval.lo / 8.0, high * rate.interval.hi / 8.0)
    return Estimate(Interval(middle * rate.value / 8.0, *ends, len(known)), "B", how, rate.kind)
