"""The least delay, and what random part stands on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from windlass.imports.model import AT_MOST, Estimate, JitterFit
from windlass.interval import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONFIDENCE = 0.95

FEWEST = 20
"""Samples below which nothing is said about jitter."""

LEAST_SHARE = 0.001
"""Jitter below this share of the RTT is none."""


def least(rtt_s: NDArray[Any], how: str, resolution_s: float = 0.0) -> Estimate:
    """The end that samples of the round-trip time do not go below.

    The least sample is an upper limit. The lower one is ``x1 - (x2 - x1) (1 - a) / a`` with the two least samples and
    a = 0.05, and never below 0.

    Parameters
    ----------
    rtt_s : ndarray of float64, shape (n,)
        Samples, seconds.
    resolution_s : float
        Step of the clock or of the digits that were written, seconds.

    Source: D. S. Robson and J. H. Whitlock, "Estimation of a truncation point", Biometrika 51, 1964.
    """
    import numpy as np

    first, second = (float(value) for value in np.partition(rtt_s, 1)[:2]) if len(rtt_s) > 1 else (float(rtt_s[0]), 0.0)
    if len(rtt_s) < 2:
        return Estimate(Interval(first, 0.0, first + resolution_s, 1), "s", how)
    below = (second - first) * CONFIDENCE / (1.0 - CONFIDENCE)
    lower = max(first - below - resolution_s, 0.0)
    return Estimate(Interval(first, lower, first + resolution_s, len(rtt_s)), "s", how)


def at_most(rtt_s: NDArray[Any], how: str, resolution_s: float = 0.0) -> Estimate:
    """The same of samples that were smoothed and contain a queue that was perhaps never empty: an upper limit alone."""
    import numpy as np

    first = float(np.min(rtt_s))
    return Estimate(Interval(first, 0.0, first + resolution_s, len(rtt_s)), "s", how, AT_MOST)


def unsteadiness(rtt_s: NDArray[Any]) -> float:
    """Standard deviation of the steps from one round trip to the next, by the middle two thirds of them, seconds."""
    import numpy as np

    if len(rtt_s) < FEWEST:
        return 0.0
    low, high = np.quantile(np.diff(rtt_s), (0.16, 0.84))
    return float(high - low) / 2.0


def about(base: Estimate | None, found: JitterFit, rtt_s: NDArray[Any]) -> Estimate | None:
    """The base RTT with jitter on it: the least sample if the jitter only adds, the mean if it goes both ways.

    Parameters
    ----------
    base : Estimate or None
        The least sample, with its interval.
    found : JitterFit
        The jitter of these samples.
    rtt_s : ndarray of float64, shape (n,)
        Samples without a queue, seconds.
    """
    import numpy as np

    if base is None or found.model != "normal":
        return base
    mean = float(rtt_s.mean())
    high = mean + 2.0 * found.size.value / float(np.sqrt(len(rtt_s)))
    ends = Interval(mean, base.interval.lo, high, len(rtt_s))
    return Estimate(ends, "s", f"mean of {len(rtt_s)} round trips, for the jitter goes both ways")


def jitter(rtt_s: NDArray[Any], how: str) -> JitterFit | None:
    """Exponential above the least sample, or normal about the mean: whichever makes the samples likelier."""
    import numpy as np
    from scipy import stats

    size = len(rtt_s)
    if size < FEWEST:
        return None
    base, spread = float(rtt_s.min()), float(rtt_s.std(ddof=1))
    mean = float(rtt_s.mean()) - base
    if spread < LEAST_SHARE * base or mean <= 0.0:
        return None
    exponential = float(stats.expon.logpdf(rtt_s, loc=base, scale=mean).sum())
    normal = float(stats.norm.logpdf(rtt_s, loc=rtt_s.mean(), scale=spread).sum())
    # The same number of parameters each, so the likelihoods can be compared as they are.
    if exponential >= normal:
        low, high = (2.0 * size * mean / float(stats.chi2.ppf(part, 2 * size)) for part in (0.975, 0.025))
        return JitterFit("exponential", Estimate(Interval(mean, low, high, size), "s", how))
    low, high = (spread * float(np.sqrt((size - 1) / stats.chi2.ppf(part, size - 1))) for part in (0.975, 0.025))
    return JitterFit("normal", Estimate(Interval(spread, low, high, size), "s", how))
