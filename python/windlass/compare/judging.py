"""Which candidate to take, and how sure that is.

Every pair of candidates is compared at every setting, seed by seed, by what it gets and by how long its packets wait;
so is the neighbour beside each of them. All
intervals are as much wider than usual (Bonferroni's correction) that they hold together with probability 95 %: whatever
is then picked out of them, and for whatever reason, is wrong by chance in at most 5 % of all comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windlass.interval import Interval

__all__ = ["ERROR", "MATTERS", "Contest", "Judged", "equals", "judge", "mean_cost", "waits"]

MATTERS = 0.01
"""A gain below this share is none that anyone would change a sender for."""

ERROR = 0.05
"""Probability that any of the statements is wrong by chance."""


@dataclass(frozen=True)
class Contest:
    """What is judged: one number for each candidate, setting and seed.

    Attributes
    ----------
    values : dict
        (candidate, setting) to a number for each seed: goodput, or completion time.
    smaller_is_better : bool
        As of times.
    neighbours : dict
        (candidate, setting) to the neighbour's goodput beside it and beside NewReno, for each seed; empty without one.
    delays : dict
        (candidate, setting) to the queueing delay that 95 % of the segments stay below, for each seed.
    candidates : list of str
        In the order asked for.
    settings : int
        How many.
    baseline : str
        One of the candidates.
    """

    values: Mapping[tuple[str, int], Sequence[float]]
    smaller_is_better: bool
    neighbours: Mapping[tuple[str, int], tuple[Sequence[float], Sequence[float]]]
    delays: Mapping[tuple[str, int], Sequence[float]]
    candidates: list[str]
    settings: int
    baseline: str

    @property
    def comparisons(self) -> int:
        """How many intervals are to hold together."""
        k = len(self.candidates)
        pairs = self.settings * k * (k - 1) // 2
        return max(1, pairs * (2 if self.delays else 1) + len(self.neighbours))

    @property
    def confidence(self) -> float:
        """Of each interval."""
        return 1.0 - ERROR / self.comparisons


@dataclass(frozen=True)
class Judged:
    """What the runs say.

    Attributes
    ----------
    contest : Contest
        What was judged.
    gains : dict
        (candidate, over, setting) to by how much better it is, as a share.
    p : dict
        The same, to the adjusted probability of such a difference by chance.
    costs : dict
        (candidate, setting) to the share that the neighbour loses beside it instead of beside NewReno.
    take : str or None
        The candidate to take; the baseline if nothing gains; none if the runs decide nothing.
    top : str
        The one with the largest mean gain.
    """

    contest: Contest
    gains: dict[tuple[str, str, int], Interval]
    p: dict[tuple[str, str, int], float]
    costs: dict[tuple[str, int], Interval]
    take: str | None
    top: str

    def kind(self, candidate: str, over: str, setting: int) -> str:
        """``better``, ``worse``, ``same`` (no difference that matters) or ``open``."""
        gain = self.gains[candidate, over, setting]
        if gain.lo > 0.0 and gain.mean >= MATTERS:
            return "better"
        if gain.hi < 0.0 and gain.mean <= -MATTERS:
            return "worse"
        return "same" if -MATTERS <= gain.lo and gain.hi <= MATTERS else "open"

    def settled(self) -> bool:
        """At some setting some candidate is better or worse than the baseline, or the same."""
        base, settings = self.contest.baseline, range(self.contest.settings)
        others = [one for one in self.contest.candidates if one != base]
        return any(self.kind(one, base, at) != "open" for one in others for at in settings)


def waits(contest: Contest, one: str, other: str, at: int) -> Interval:
    """How long packets of one candidate wait, over how long another's do."""
    from windlass.stats import fieller

    return fieller(contest.delays[one, at], contest.delays[other, at], contest.confidence)


def judge(contest: Contest) -> Judged:
    """Compare every pair at every setting, and choose.

    The largest mean gain over the settings counts. Among candidates that these runs cannot tell from that one and that
    gain over the baseline wherever it does, the one that costs the neighbour least is taken.
    """
    from windlass.stats import fieller

    gains: dict[tuple[str, str, int], Interval] = {}
    p: dict[tuple[str, str, int], float] = {}
    for at in range(contest.settings):
        for one in contest.candidates:
            for other in contest.candidates:
                if one != other:
                    gains[one, other, at], p[one, other, at] = _gain(contest, one, other, at)
    costs = {
        key: fieller(got, undisturbed, contest.confidence).complement()
        for key, (got, undisturbed) in contest.neighbours.items()
    }
    top = max(contest.candidates, key=lambda one: _score(gains, one, contest))
    judged = Judged(contest, gains, p, costs, None, top)
    return Judged(contest, gains, p, costs, _chosen(judged), top)


def _gain(contest: Contest, one: str, other: str, at: int) -> tuple[Interval, float]:
    from windlass.stats import fieller, paired_p

    mine, theirs = contest.values[one, at], contest.values[other, at]
    # a time that is a third shorter is a gain of a half, as a rate of so much would be
    pair = (theirs, mine) if contest.smaller_is_better else (mine, theirs)
    chance = paired_p(*pair)
    return fieller(*pair, contest.confidence).scaled(1.0, -1.0), min(1.0, contest.comparisons * chance)


def _score(gains: Mapping[tuple[str, str, int], Interval], one: str, contest: Contest) -> float:
    """Mean over the settings of the logarithm of the ratio to the baseline."""
    if one == contest.baseline:
        return 0.0
    ratios = [1.0 + gains[one, contest.baseline, at].mean for at in range(contest.settings)]
    if any(math.isnan(ratio) for ratio in ratios):
        return -math.inf
    return sum(math.log(max(ratio, 1e-9)) for ratio in ratios) / len(ratios)


def _wins(judged: Judged, one: str) -> set[int]:
    """Settings at which a candidate is better than the baseline."""
    base = judged.contest.baseline
    settings = range(judged.contest.settings)
    return set() if one == base else {at for at in settings if judged.kind(one, base, at) == "better"}


def _chosen(judged: Judged) -> str | None:
    contest, top = judged.contest, judged.top
    if top == contest.baseline:
        return top if judged.settled() or len(contest.candidates) == 1 else None
    wins = _wins(judged, top)
    if not wins:
        others = [one for one in contest.candidates if one != contest.baseline]
        settings = range(contest.settings)
        never_open = all(judged.kind(one, contest.baseline, at) != "open" for one in others for at in settings)
        return contest.baseline if never_open else None
    return min(equals(judged, top), key=lambda one: (mean_cost(judged, one), one != top))


def equals(judged: Judged, top: str) -> list[str]:
    """The candidates that are as good as `top` as far as the runs tell, `top` first."""
    contest, wins = judged.contest, _wins(judged, top)
    rest = [
        one
        for one in contest.candidates
        if one not in (top, contest.baseline)
        and _wins(judged, one) >= wins
        and not any(
            judged.kind(other, one, at) == "better"
            for other in contest.candidates
            for at in range(contest.settings)
            if other != one
        )
    ]
    return [top, *rest]


def mean_cost(judged: Judged, one: str) -> float:
    """Mean over the settings of what the neighbour loses, as far as that is more than nothing; 0 if unknown."""
    found = [judged.costs[one, at].mean for at in range(judged.contest.settings) if (one, at) in judged.costs]
    known = [max(0.0, cost) for cost in found if not math.isnan(cost)]
    return round(sum(known) / len(known), 2) if known else 0.0
