"""What round-trip times say of the queue: when it was never empty, how long it grew, which losses it caused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windlass.imports.model import INTERVAL, Estimate
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


DARK, DARK_S = 5, 10.0
"""Packets in a row that an outage loses at the least, and how many transmissions of a packet it lasts."""

ALIKE, MOST, SPREAD = 0.05, 0.8, 0.05
"""Where a window fills a queue, window over round trip is the link's rate: within so much (logarithms) of its median in
this share of the samples, while the window varies by this standard deviation."""


@dataclass(frozen=True)
class Waits:
    """What packets waited for, in seconds or in bytes.

    Attributes
    ----------
    at_s, wait_s : ndarray of float64, shape (n,)
        When a packet was sent, in order, and how much longer than the least its round trip took, seconds; or the bytes
        that left the link in that time.
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

    def near(self, time_s: NDArray[Any]) -> NDArray[Any]:
        """The larger one of the waits that were known last and next at other times."""
        import numpy as np

        if not len(self.at_s):
            return np.zeros(len(time_s))
        place = np.searchsorted(self.at_s, time_s, side="left")
        after = np.where(place < len(self.at_s), self.wait_s[np.minimum(place, len(self.at_s) - 1)], 0.0)
        return np.maximum(self.before(time_s), after)

    def in_bytes(self, known_s: NDArray[Any], arrived_s: NDArray[Any], size: NDArray[Any]) -> Waits:
        """What was in the queue with each packet: all that came in the time that it waited, whatever the link's rate.

        Parameters
        ----------
        known_s : ndarray of float64, shape (n,)
            When each packet, or its ACK, came, seconds.
        arrived_s, size : ndarray of float64, shape (m,)
            When data came, in order, seconds; bytes.
        """
        import numpy as np

        total = np.concatenate(([0.0], np.cumsum(size)))
        until, since = (total[np.searchsorted(arrived_s, at, side="right")] for at in (known_s, known_s - self.wait_s))
        return Waits(self.at_s, until - since)


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
    full : float
        Wait above which a packet counts as one that met a full queue, seconds or bytes.
    met : ndarray of bool, shape (n,)
        For each transmission.
    """

    full: float
    met: NDArray[Any]


def outages(time_s: NDArray[Any], lost: NDArray[Any], packet_s: float) -> NDArray[Any]:
    """Which transmissions were lost in a row for longer than a full queue can: it takes a packet for each that leaves.

    Parameters
    ----------
    time_s, lost : ndarray, shape (n,)
        When each was sent, in order, seconds; whether it was lost.
    packet_s : float
        Transmission of a packet on the link, seconds.
    """
    import numpy as np

    steps = np.diff(np.concatenate(([0], lost.astype(int), [0])))
    found = np.zeros(len(lost), dtype=bool)
    for first, after in zip(np.flatnonzero(steps > 0), np.flatnonzero(steps < 0), strict=True):
        long = float(time_s[after - 1] - time_s[first]) >= DARK_S * max(packet_s, 1e-3)
        found[first:after] = after - first >= DARK and long
    return found


def drops(waits: Waits, time_s: NDArray[Any], lost: NDArray[Any], least: float, dark: NDArray[Any]) -> Drops | None:
    """Which transmissions met a full queue, if it drops: more of them are lost than of others (Fisher's exact test).

    Those of outages, `dark`, are left out. A queue is not full below twice `least`.
    """
    import numpy as np
    from scipy import stats

    if int((lost & ~dark).sum()) < 3 or len(waits.wait_s) < 20:
        return None
    top = float(np.quantile(waits.wait_s, 0.99))
    if top < 2.0 * least:
        return None
    met = (waits.near(time_s) > FULL * top) & ~dark
    other = ~met & ~dark
    table = [[int((lost & one).sum()), int((~lost & one).sum())] for one in (met, other)]
    (full, passed), (rest, free) = table
    if not met.any() or not other.any() or full * (rest + free) <= TIMES * rest * (full + passed):
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


def limit(held: Waits, time_s: NDArray[Any], doubt: float, kind: str, how: str) -> Estimate:
    """The queue in bytes: the median of what was in it when packets were dropped that were sent at these times.

    That of 95 % of them is in the interval, whose lower end is less by the share that is in `doubt`. Where only a lower
    bound of the link's rate is known, so is it here.
    """
    import numpy as np

    known = held.near(time_s)
    low, middle, high = (float(np.quantile(known, part)) for part in (0.025, 0.5, 0.975))
    ends = Interval(middle, low * (1.0 - doubt), high if kind == INTERVAL else float("inf"), len(known))
    return Estimate(ends, "B", how, kind)
