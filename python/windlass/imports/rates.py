"""Rates over time: means with intervals, the rate of trains of packets, and a trace for a link."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError
from windlass.imports.model import AT_LEAST, Estimate
from windlass.interval import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

OPPORTUNITY = 1504
"""Bytes that one line of a mahimahi trace lets pass."""

MOST_OPPORTUNITIES = 2_000_000
"""Lines of a trace: 24 Gbit."""

BATCHES = 20
"""Parts that a row of correlated values is cut into; their means are taken for independent."""

TRAIN = 8
"""Packets of a train."""

SPREAD = 4.0
"""By how many standard deviations of their steps the delays of two packets may differ."""

DENSE, EVEN, MOSTLY = 0.9, 1.25, 0.8
"""In a bin that a queue fed, this share of the trains is not faster than so many times its mean; so in most bins."""


def mean(values: NDArray[Any], weights: NDArray[Any], unit: str, how: str) -> Estimate:
    """Weighted mean of a row of values that follow each other in time, by batch means and Student's t.

    Source: A. M. Law, Simulation Modeling and Analysis, 5th edition, section 9.5.3.
    """
    import numpy as np

    from windlass.stats import mean_interval

    average = float(np.average(values, weights=weights))
    parts = min(BATCHES, len(values))
    cut = np.array_split(np.arange(len(values)), parts)
    means = [float(np.average(values[one], weights=weights[one])) for one in cut if weights[one].sum() > 0.0]
    if len(means) < 2:
        return Estimate(Interval(average, 0.0, float("inf"), len(values)), unit, how)
    half = mean_interval(means).half_width
    return Estimate(Interval(average, max(average - half, 0.0), average + half, len(values)), unit, how)


def at_least(value: float, floor: float, n: int, how: str) -> Estimate:
    """The rate of a link that its sender did not fill: no less than what arrived.

    Parameters
    ----------
    value : float
        What it may be, bit/s.
    floor : float
        What it is at least, bit/s.
    n : int
        Observations.
    how : str
        Where it comes from.
    """
    return Estimate(Interval(max(value, floor), floor, float("inf"), n), "bit/s", how, AT_LEAST)


def fullest(at_s: NDArray[Any], size: NDArray[Any], window_s: float, rtt_s: NDArray[Any]) -> float:
    """Bits per second that a link carried in the window of this length in which most bytes arrived, at the least.

    What arrives in a window may have left the link in one that is longer by as much as delays differ from one packet to
    the next. If all took no longer than a window, it is the mean.

    Parameters
    ----------
    at_s, size : ndarray of float64, shape (n,)
        When data arrived, in order, seconds; bytes.
    window_s : float
        Length of the window, seconds.
    rtt_s : ndarray of float64, shape (m,)
        Round trips in the order in which their packets were sent, seconds.
    """
    import numpy as np

    spread_s = SPREAD * float(np.diff(rtt_s).std()) if len(rtt_s) > 2 else 0.0
    length = float(at_s[-1] - at_s[0])
    if length <= window_s:
        return 8.0 * float(size[1:].sum()) / length if length > 0.0 else 0.0
    total = np.cumsum(size)
    # What came at the start of a window came before it.
    after, until = (total[np.searchsorted(at_s, edge, side="right") - 1] for edge in (at_s, at_s + window_s))
    return 8.0 * float((until - after)[at_s + window_s <= at_s[-1]].max()) / (window_s + spread_s)


def average(at_s: NDArray[Any], size: NDArray[Any], idle_s: float) -> float:
    """Bits per second that arrived on average, pauses after their first `idle_s` left out; 0 if all came at one time.

    No mean rate of a link is less, however its rate varies.
    """
    import numpy as np

    length = float(np.minimum(np.diff(at_s), idle_s).sum())
    return 8.0 * float(size[1:].sum()) / length if length > 0.0 else 0.0


def trains(at_s: NDArray[Any], size: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """End, s, and rate, bit/s, of each train of packets that arrived one after the other; empty if there is none.

    What came at one time counts as one arrival, that of its last packet: an ACK of two packets tells when the second
    one came, so a train goes from one ACK's last packet to another's.
    """
    import numpy as np

    last = np.flatnonzero(np.diff(at_s, append=np.inf) > 0.0)
    time, total, count = at_s[last], np.cumsum(size)[last], last + 1
    start = np.searchsorted(count, count - TRAIN, side="right") - 1
    end = np.flatnonzero(start >= 0)
    start = start[end]
    return time[end], 8.0 * (total[end] - total[start]) / (time[end] - time[start])


def evenly(ends_s: NDArray[Any], rate_bps: NDArray[Any], edges: NDArray[Any], got: NDArray[Any]) -> bool:
    """Whether trains came as evenly as behind a queue that is never empty: in most bins hardly one beats the mean.

    Behind such a queue packets come one after the other at the link's rate. What a sender sends in windows, or a delay
    that varies, comes in clumps.

    Parameters
    ----------
    ends_s, rate_bps : ndarray of float64, shape (n,)
        Trains, as of :func:`trains`.
    edges : ndarray of float64, shape (m + 1,)
        Bins in order, seconds.
    got : ndarray of float64, shape (m,)
        Bit/s in each bin; NaN in those that do not count.
    """
    import numpy as np

    place = np.searchsorted(edges, ends_s, side="right") - 1
    ratios = [
        float(np.quantile(own, DENSE)) / got[one]
        for one in np.flatnonzero(got > 0.0)
        if len(own := rate_bps[place == one]) >= 3
    ]
    return bool(ratios) and float(np.mean(np.array(ratios) < EVEN)) >= MOSTLY


def of_trains(at_s: NDArray[Any], size: NDArray[Any], how: str) -> Estimate | None:
    """The rate at which packets come when they come densest: nineteen twentieths of the trains are slower.

    The interval is that of a quantile by order statistics, for as many trains as do not overlap.
    """
    import numpy as np
    from scipy import stats

    rates = np.sort(trains(at_s, size)[1])
    if len(rates) < 3 * TRAIN:
        return None
    apart = len(rates) // TRAIN
    ends = stats.binom.ppf([0.025, 0.975], apart, 0.95) / apart
    low, high = (float(np.quantile(rates, min(max(end, 0.0), 1.0))) for end in ends)
    return Estimate(Interval(float(np.quantile(rates, 0.95)), low, high, apart), "bit/s", how)


def trace(start_s: NDArray[Any], end_s: NDArray[Any], rate_bps: NDArray[Any], file: str) -> list[int]:
    """Milliseconds, from the first start, at which another 1504 bytes could have passed.

    Raises
    ------
    InputError
        If nothing can pass, or more than two million packets.
    """
    import numpy as np

    edges = np.concatenate((start_s[:1], end_s)) - start_s[0]
    carried = np.concatenate(([0.0], np.cumsum(rate_bps * np.diff(edges)) / (8.0 * OPPORTUNITY)))
    count = int(carried[-1] + 1e-9)
    if count < 1 or count > MOST_OPPORTUNITIES:
        what = "no packet of 1504 bytes" if count < 1 else f"{count} packets, more than {MOST_OPPORTUNITIES},"
        raise InputError(
            f"{what} could pass in {edges[-1]:.6g} s, so there is no trace of it",
            code="import.trace",
            file=file,
            hint="import it with --rate constant, or a part of it",
        )
    steps = np.arange(1, count + 1, dtype=float)
    # The bin in which each of them is complete, and how far into the bin.
    place = np.clip(np.searchsorted(carried, steps - 1e-9, side="left"), 1, len(edges) - 1)
    within = (steps - carried[place - 1]) / (carried[place] - carried[place - 1])
    times = edges[place - 1] + np.clip(within, 0.0, 1.0) * (edges[place] - edges[place - 1])
    return [int(each) for each in np.maximum(np.ceil(1000.0 * times - 1e-6), 1.0)]


def even(start_s: Sequence[float], value: Sequence[float]) -> tuple[list[float], list[float], list[float]]:
    """Starts, ends and values of samples of which only the starts are known: each lasts until the next one."""
    gaps = sorted(after - before for before, after in pairwise(start_s))
    last = gaps[len(gaps) // 2] if gaps else 1.0
    return list(start_s), [*start_s[1:], start_s[-1] + last], list(value)
