"""Which model of loss a row of packets follows: independent, or in bursts, with maximum likelihood and BIC."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from windlass.imports.likelihood import Maximum, expit, hidden, logit, maximise, per_time
from windlass.imports.model import Candidate, Estimate, LossFit
from windlass.interval import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST = 10
"""Losses below which nothing is said about bursts."""

NONE, INDEPENDENT = "none", "independent"
PER_PACKET, PER_TIME, TWO_LOSSES = "gilbert per packet", "gilbert per time", "gilbert-elliott per packet"

ALIKE = 2.0
"""Difference of log-likelihoods below which a channel in time is taken rather than one in packets."""


def share(lost: int, packets: int, how: str) -> Estimate:
    """A share with the exact interval of Clopper and Pearson."""
    from scipy import stats

    ends = stats.binomtest(lost, packets).proportion_ci(confidence_level=0.95, method="exact")
    return Estimate(Interval(lost / packets, float(ends.low), float(ends.high), packets), "1", how)


def by_count(lost: int, packets: int, how: str) -> LossFit:
    """Losses of which only the number is known."""
    return LossFit(INDEPENDENT if lost else NONE, share(lost, packets, how), lost, packets)


def fit(lost: NDArray[Any], time_s: NDArray[Any] | None, how: str) -> LossFit:
    """The model of least BIC for packets in the order in which they were sent.

    Parameters
    ----------
    lost : ndarray of bool, shape (n,)
        Whether each was lost.
    time_s : ndarray of float64, shape (n,), or None
        When each was sent, seconds; without, a channel in time is not tried.
    how : str
        Where the losses were seen.

    Source: E. N. Gilbert, Bell System Technical Journal 39, 1960; E. O. Elliott, the same, 42, 1963; G. Schwarz,
    Annals of Statistics 6, 1978, for BIC.
    """
    import numpy as np

    lost = np.asarray(lost, dtype=bool)
    count, packets = int(lost.sum()), len(lost)
    plain = by_count(count, packets, how)
    if count < FEWEST or count == packets:
        return plain
    level = count / packets
    alone = count * math.log(level) + (packets - count) * math.log1p(-level)
    fits: list[tuple[LossFit, float, int]] = [(plain, alone, 1), _steps(lost, plain)]
    if time_s is not None:
        fits.append(_periods(lost, np.asarray(time_s, dtype=float), plain))
    fits.append(_elliott(lost, plain))
    # Bursts shorter than those of independent losses are none that a channel could make.
    fits = [
        one
        for one in fits
        if one[0].burst is None or one[0].burst.unit == "s" or one[0].burst.value > 1.0 / (1.0 - level)
    ]
    rated = sorted(
        ((_bic(value, size, packets), one, value, size) for one, value, size in fits), key=lambda row: row[0]
    )
    candidates = tuple(Candidate(one.model, size, value, bic) for bic, one, value, size in rated)
    memory = max(((value, size) for one, value, size in fits if one.model != INDEPENDENT), default=(alone, 2))
    chosen = rated[0][1]
    if chosen.model == PER_PACKET:
        in_time = [row for row in rated if row[1].model == PER_TIME and row[2] > rated[0][2] - ALIKE]
        chosen = in_time[0][1] if in_time else chosen
    return replace(chosen, candidates=candidates, p_value=_chance(memory[0] - alone, memory[1] - 1))


def _bic(log_likelihood: float, size: int, packets: int) -> float:
    return size * math.log(packets) - 2.0 * log_likelihood


def _chance(gain: float, more: int) -> float:
    """How probable it is that independent losses gain so much likelihood from a channel with `more` parameters."""
    from scipy import stats

    return float(stats.chi2.sf(max(2.0 * gain, 0.0), more))


def _steps(lost: NDArray[Any], plain: LossFit) -> tuple[LossFit, float, int]:
    """A channel that makes a step for each packet, all lost in its bad state: the counts of steps say everything."""
    import numpy as np

    before, after = lost[:-1], lost[1:]
    into, stays = int((~before & after).sum()), int((~before & ~after).sum())
    out, again = int((before & ~after).sum()), int((before & after).sum())
    value = math.log(plain.rate.value if lost[0] else 1.0 - plain.rate.value)
    for hit, miss in ((into, stays), (out, again)):
        value += sum(number * math.log(number / (hit + miss)) for number in (hit, miss) if number)
    leave = share(max(out, 1), max(out, 1) + again, "").interval
    burst = Interval(1.0 / leave.mean, 1.0 / leave.hi, 1.0 / leave.lo, out)
    entering, leaving = max(into, 1) / max(into + stays, 1), leave.mean
    middle = math.log(entering / leaving)
    half = 1.959964 * math.sqrt((1.0 - entering) / max(into, 1) + (1.0 - leaving) / max(out, 1))
    ends = (expit(middle - half), expit(middle + half))
    mean = Interval(expit(middle), *ends, int(np.size(lost)))
    how = f"mean of {out} bursts in a row of {len(lost)} packets"
    found = replace(
        plain,
        model=PER_PACKET,
        rate=replace(plain.rate, interval=mean),
        burst=Estimate(burst, "packets", how),
    )
    return found, value, 2


def _periods(lost: NDArray[Any], time_s: NDArray[Any], plain: LossFit) -> tuple[LossFit, float, int]:
    """A channel whose good and bad periods have a duration."""
    import numpy as np

    spacing = float(np.median(np.diff(time_s))) or 1e-3
    likelihood = per_time(lost, time_s)
    starts = [[logit(plain.rate.value), math.log(spacing * factor)] for factor in (1.0, 10.0)]
    best = maximise(likelihood, starts)
    rate = _share_of(best, lambda at: float(at[0]), len(lost))
    burst = Interval(*best.derived(lambda at: float(at[1]), math.exp), int((lost[:-1] & ~lost[1:]).sum()))
    found = replace(
        plain,
        model=PER_TIME,
        rate=replace(plain.rate, interval=rate),
        burst=Estimate(burst, "s", "mean bad period, maximum likelihood over the times between packets"),
    )
    return found, best.log_likelihood, 2


def _share_of(best: Maximum, odds: Callable[[NDArray[Any]], float], count: int) -> Interval:
    return Interval(*best.derived(odds, expit), count)


def _elliott(lost: NDArray[Any], plain: LossFit) -> tuple[LossFit, float, int]:
    """A channel that loses a part only in its bad state, and perhaps some in its good one."""
    level = plain.rate.value
    starts = [
        [logit(min(level / leaves, 0.3)), logit(1.0 / leaves), logit(bad)]
        for leaves, bad in ((5.0, 0.6), (30.0, max(0.3, min(0.9, 2.0 * level))))
    ]
    plainer = maximise(hidden(lost, with_good=False), starts)
    richer = maximise(hidden(lost, with_good=True), [[*plainer.at, logit(min(level / 4.0, 0.2))]])
    tries = [(plainer, False), (richer, True)]
    ranked = sorted(tries, key=lambda one: _bic(one[0].log_likelihood, len(one[0].at), len(lost)))
    best, with_good = ranked[0]

    def mean_odds(at: NDArray[Any]) -> float:
        into, out, bad = (expit(float(value)) for value in at[:3])
        good = expit(float(at[3])) if with_good else 0.0
        return logit((into * bad + out * good) / (into + out))

    how = "maximum likelihood, the states not being seen"
    size = len(lost)
    bursts = Interval(*best.derived(lambda at: -math.log(expit(float(at[1]))), math.exp), plain.lost)
    good = Estimate(_share_of(best, lambda at: float(at[3]), size), "1", how) if with_good else None
    found = replace(
        plain,
        model=TWO_LOSSES,
        rate=replace(plain.rate, interval=_share_of(best, mean_odds, size)),
        burst=Estimate(bursts, "packets", how),
        bad_loss=Estimate(_share_of(best, lambda at: float(at[2]), size), "1", how),
        good_loss=good,
    )
    return found, best.log_likelihood, len(best.at)
