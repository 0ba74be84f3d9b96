"""Which candidate to take, and how sure that is.

Every pair of candidates is compared at every setting, seed by seed, by what it gets and by how long its packets wait;
so is the neighbour beside each of them. All
intervals are as much wider than usual (Bonferroni's correction) that they hold together with probability 95 %: whatever
is then picked out of them, and for whatever reason, is wrong by chance in at most 5 % of all comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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

    @property
    def fixed(self) -> bool:
        """All seeds gave the same numbers: chance had no part that was seen."""
        sides = [*self.values.values(), *(one for both in self.neighbours.values() for one in both)]
        return all(len(set(one)) == 1 for one in sides)

    def gain(self, one: str, other: str, at: int, confidence: float) -> Interval:
        """By how much one candidate is better than another at a setting, as a share."""
        return _ratio(*self.pair(one, other, at), confidence).scaled(1.0, -1.0)

    def cost(self, one: str, at: int, confidence: float) -> Interval:
        """Share that the neighbour loses beside a candidate instead of beside NewReno."""
        return _ratio(*self.neighbours[one, at], confidence).complement()

    def pair(self, one: str, other: str, at: int) -> tuple[Sequence[float], Sequence[float]]:
        """Values whose ratio says how much better one candidate is: a time that is a third shorter is a gain of a half,
        as a rate of so much would be.
        """
        mine, theirs = self.values[one, at], self.values[other, at]
        return (theirs, mine) if self.smaller_is_better else (mine, theirs)


def _ratio(a: Sequence[float], b: Sequence[float], confidence: float) -> Interval:
    """As :func:`windlass.stats.paired_ratio`; without ends where seeds differ and the two are equal in each: that they
    always are was not seen.
    """
    from windlass.stats import paired_ratio

    found = paired_ratio(a, b, confidence)
    varied = len(set(a)) > 1 or len(set(b)) > 1
    return replace(found, lo=math.nan, hi=math.nan) if varied and found.lo == found.hi else found


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
        The same, to the adjusted probability of such a difference by chance; NaN where seeds do not tell it.
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

    @property
    def others(self) -> list[str]:
        """The candidates beside the baseline."""
        return [one for one in self.contest.candidates if one != self.contest.baseline]

    @property
    def kept(self) -> list[int]:
        """Settings at which nothing gains on the baseline what would matter."""
        base = self.contest.baseline
        settings = range(self.contest.settings)
        return [at for at in settings if all(self.gains[one, base, at].hi <= MATTERS for one in self.others)]


def waits(contest: Contest, one: str, other: str, at: int) -> Interval:
    """How long packets of one candidate wait, over how long another's do."""
    return _ratio(contest.delays[one, at], contest.delays[other, at], contest.confidence)


def judge(contest: Contest) -> Judged:
    """Compare every pair at every setting, and choose.

    The largest mean gain over the settings counts. Among candidates that these runs cannot tell from that one and that
    gain over the baseline wherever it does, the one that costs the neighbour least is taken.
    """
    from windlass.stats import paired_p

    gains: dict[tuple[str, str, int], Interval] = {}
    p: dict[tuple[str, str, int], float] = {}
    for at in range(contest.settings):
        for one in contest.candidates:
            for other in contest.candidates:
                if one != other:
                    gains[one, other, at] = contest.gain(one, other, at, contest.confidence)
                    chance = paired_p(*contest.pair(one, other, at))
                    # in this order NaN stays
                    p[one, other, at] = min(contest.comparisons * chance, 1.0)
    costs = {(one, at): contest.cost(one, at, contest.confidence) for one, at in contest.neighbours}
    top = max(contest.candidates, key=lambda one: _score(gains, one, contest))
    judged = Judged(contest, gains, p, costs, None, top)
    return Judged(contest, gains, p, costs, _chosen(judged), top)


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
    if not judged.others:
        return judged.contest.baseline
    if not _wins(judged, judged.top):
        return judged.contest.baseline if judged.kept else None
    return min(equals(judged, judged.top), key=lambda one: (mean_cost(judged, one), one != judged.top))


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
