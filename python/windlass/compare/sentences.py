"""The answer in sentences: what to take, what it gains and costs, how sure that is, and where it does not hold.

One template for each thing that can be said; :func:`answer` chooses those that apply by the intervals that hold
together, and hands them over with the words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from windlass.compare.factors import TWICE, times
from windlass.compare.judging import ERROR, MATTERS, Judged, equals, mean_cost, waits
from windlass.compare.model import NOTHING, Outcome, Statement
from windlass.interval import SKEWED, Interval, shown

__all__ = ["TEMPLATES", "answer"]

LITTLE = 0.02
"""A cost that is known to be below this share is next to nothing."""

EACH = 0.95
"""Confidence of the intervals of the table, each for itself."""

MUCH = f"{100.0 * MATTERS:g} %"
"""The least gain that matters, in words."""

SHORTER = 0.8
"""Waiting that is at most this share of another is worth a sentence."""

TEMPLATES: dict[str, str] = {
    "one-seed": "One seed: nothing can be said of which is better. Run `--seeds 10` or more.",
    "alone": "Only `{baseline}` was run: name what to compare it with.",
    "take": "Take `{take}`{only}: it {gains} `{baseline}`.",
    "take-range": "Take `{take}`: it gains {objective} over `{baseline}` in {wins} of {settings} settings, from {least} "
    "({least_where}) to {most} ({most_where}).",
    "keep": "Keep `{baseline}`: nothing compared here gains {matters} on it; the nearest is `{next}`, {gain}{where}.",
    "keep-some": "Keep `{baseline}` in {kept} of {settings} settings, where nothing compared here gains {matters} on it; "
    "the nearest is `{next}`, {gain}{where}.",
    "undecided": "These runs do not decide whether `{next}` gains {matters} or more on `{baseline}`: it is at "
    "{gain}{where}. About {seeds} seeds would tell a difference of {size}, if there is one.",
    "undecided-same": "These runs do not decide whether `{next}` gains {matters} or more on `{baseline}`: it is at "
    "{gain}{where}.",
    "undecided-equal": "These runs do not tell `{next}` from `{baseline}`: both got the same with each of the {seeds} "
    "seeds{where}.",
    "split": "No one of these is the one to take everywhere.",
    "worse": "`{others}` {do} worse than `{baseline}`{everywhere}.",
    "equal": "These runs do not tell `{others}` from the best; `{take}` was taken because {why}.",
    "cost": "It costs a NewReno flow beside it {cost} of what that flow gets beside NewReno{range}.",
    "cost-little": "It costs a NewReno flow beside it next to nothing: {cost} of what that flow gets beside "
    "NewReno{range}.",
    "cost-open": "What it costs a NewReno flow beside it is undecided: {cost} of what that flow gets beside "
    "NewReno{range}.",
    "cost-gain": "A NewReno flow beside it gains {gain} over what it gets beside NewReno{range}.",
    "cost-baseline": "Beside `{baseline}` that flow loses {cost}.",
    "cost-unknown": "What it costs others was not measured.",
    "delay": "95 % of its packets wait at most {mine} in queues, those of `{baseline}` {theirs}{range}.",
    "delay-group": "95 % of the packets of flows `{group}` wait at most {mine}, beside `{baseline}` {theirs}{range}.",
    "delay-best": "Where waiting counts more, `{other}`: its packets wait {less} less, and it gets {gain}{where}.",
    "except-none": "Except where it gains nothing that matters: {places}.",
    "except-worse": "Except where it loses: {places}.",
    "except-open": "Except where these runs do not decide: {places}.",
    "except-other": "Except where another one gets more: {places}.",
    "gains": "Something gains on `{baseline}` here: {places}.",
    "everywhere": "It is so in each of the {settings} settings compared.",
    "one-setting": "It was compared on this path alone: nothing here says how it does on another.",
    "sure": "The gain is wrong by chance with a probability of at most {p}; that any sentence here is, of at most "
    "{error}: {comparisons} comparisons, paired by {seeds} seeds, Student's t (Fieller's interval for ratios), corrected "
    "for their number after Bonferroni, so that each interval is one of {confidence}.",
    "sure-none": "That any sentence here is wrong by chance has a probability of at most {error}: {comparisons} "
    "comparisons, paired by {seeds} seeds, Student's t (Fieller's interval for ratios), corrected for their number "
    "after Bonferroni, so that each interval is one of {confidence}.",
    "sure-fixed": "All {seeds} seeds gave the same numbers: nothing here says what chance does, so that there is no "
    "interval and no probability of being wrong.",
}
"""What can be said, by kind."""


@dataclass(frozen=True)
class Open(Interval):
    """A number that all comparisons together do not decide, with the interval that it has for itself."""

    alone: Interval = NOTHING

    @classmethod
    def of(cls, together: Interval, alone: Interval) -> Open:
        """From the two."""
        return cls(**vars(together), alone=alone)


_SIGNED = ("keep", "keep-some", "undecided", "undecided-same")
"""Kinds that say a number with its sign; others have a word for it."""

_GAINS = (*_SIGNED, "take-range")
"""Kinds whose numbers are gains, told as factors where they are large."""

_ENDS = ("mean", "lo", "hi", "n", "confidence")


def _say(kind: str, /, **facts: object) -> Statement:
    say = gain_text if kind in _GAINS else percent
    words = {name: say(one, kind in _SIGNED) if isinstance(one, Interval) else one for name, one in facts.items()}
    return Statement(kind, TEMPLATES[kind].format(**words), facts)


def percent(interval: Interval, sign: bool = True) -> str:
    """``+20.5 % ± 3.6 %``, or ``+20.5 % (+9.1 % to +44.0 %)`` where the interval is skewed; the mean alone if there is
    no interval.
    """
    if isinstance(interval, Open):
        text = percent(Interval(**{name: getattr(interval, name) for name in _ENDS}), sign)
        alone = interval.alone
        if not (alone.known and (alone.lo > 0.0 or alone.hi < 0.0)):
            return text
        return f"{text} (for itself {percent(alone, sign)}, which is too little among so many comparisons)"
    plus = "+" if sign else ""
    mean, low, high = (f"{100.0 * one:{plus}.1f} %" for one in (interval.mean, interval.lo, interval.hi))
    if math.isnan(interval.mean):
        return "a number that is not known"
    if not interval.known:
        return f"{mean}, without bounds from these seeds" if interval.lo < interval.hi else mean
    if math.isinf(interval.hi):
        return f"{mean} (at least {low})"
    if math.isinf(interval.lo):
        return f"{mean} (at most {high})"
    below, above = interval.mean - interval.lo, interval.hi - interval.mean
    if max(below, above) > SKEWED * min(below, above) + 0.0005:
        return f"{mean} ({low} to {high})"
    return f"{mean} ± {100.0 * max(below, above):.1f} %"


def gain_text(gain: Interval, sign: bool = True) -> str:
    """A gain in per cent, or as a factor if it is large."""
    return times(gain) if gain.mean >= TWICE and not isinstance(gain, Open) else percent(gain, sign)


def gain_words(gain: Interval, objective: str) -> str:
    """What a candidate gets beside another, up to the other's name: ``gains 20.5 % ± 3.6 % goodput per flow over``."""
    if gain.mean >= TWICE:
        return f"gets {times(gain)} the {objective} of"
    return f"gains {percent(gain, sign=False)} {objective} over"


def objective(smaller_is_better: bool) -> str:
    """What a gain is of, in words."""
    return "speed of its transfers" if smaller_is_better else "goodput per flow"


class _Words:
    """What the sentences of one answer have in common."""

    def __init__(
        self, judged: Judged, outcomes: Sequence[Sequence[Outcome]], places: Sequence[str], seeds: int
    ) -> None:
        self.judged, self.outcomes, self.places, self.seeds = judged, outcomes, places, seeds
        self.contest = judged.contest
        self.settings = range(self.contest.settings)
        self.objective = objective(self.contest.smaller_is_better)

    def gain(self, one: str, at: int) -> Interval:
        return self.judged.gains[one, self.contest.baseline, at]

    def open_gain(self, one: str, other: str, at: int) -> Open:
        return Open.of(self.judged.gains[one, other, at], self.contest.gain(one, other, at, EACH))

    def open_cost(self, one: str, at: int) -> Open:
        return Open.of(self.judged.costs[one, at], self.contest.cost(one, at, EACH))

    def row(self, candidate: str, at: int) -> Outcome:
        return next(one for one in self.outcomes[at] if one.candidate == candidate)

    def where(self, at: int) -> str:
        if not self.places[at]:
            return ""
        return f"where {self.places[at]}" if "=" in self.places[at] else f"on `{self.places[at]}`"

    def at(self, at: int) -> str:
        return f" ({self.places[at]})" if self.places[at] and self.contest.settings > 1 else ""


def answer(judged: Judged, outcomes: Sequence[Sequence[Outcome]], places: Sequence[str], seeds: int) -> list[Statement]:
    """The sentences.

    Parameters
    ----------
    judged : Judged
        What the runs say.
    outcomes : sequence of sequence of Outcome
        Rows by setting.
    places : sequence of str
        Words for each setting.
    seeds : int
        Least number of seeds of a path.
    """
    contest = judged.contest
    words = _Words(judged, outcomes, places, seeds)
    if len(contest.candidates) == 1:
        return [_say("alone", baseline=contest.baseline)]
    if seeds < 2:
        return [_say("one-seed")]
    if judged.take is None:
        return [*_undecided(words), *_worse(words), *_exceptions(words), _sure(words, None)]
    if judged.take == contest.baseline:
        return [_keep(words), *_least_waiting(words), *_exceptions(words), _sure(words, None)]
    return [
        *_taken(words),
        *_costs(words),
        *_delays(words),
        *_least_waiting(words),
        *(_exceptions(words) or _scope(words)),
        _sure(words, judged.take),
    ]


def _nearest(words: _Words, pairs: Iterable[tuple[str, int]]) -> tuple[str, int]:
    """The candidate beside the baseline with the largest gain, and where; NaN is the least."""
    return max(pairs, key=lambda key: math.inf * -1 if math.isnan(words.gain(*key).mean) else words.gain(*key).mean)


def _undecided(words: _Words) -> list[Statement]:
    from windlass.stats import seeds_needed

    judged, base = words.judged, words.contest.baseline
    pairs = [(one, at) for at in words.settings for one in judged.others if words.gain(one, at).hi <= MATTERS]
    undecided = [
        (one, at)
        for at in words.settings
        for one in judged.others
        if (one, at) not in pairs and judged.kind(one, base, at) != "better"
    ]
    if not undecided:
        return [_say("split")]
    one, at = _nearest(words, undecided)
    mine, theirs = words.contest.pair(one, base, at)
    if list(mine) == list(theirs):
        return [_say("undecided-equal", next=one, baseline=base, seeds=words.seeds, where=words.at(at))]
    gain = words.open_gain(one, base, at)
    said = {"next": one, "baseline": base, "gain": gain, "where": words.at(at), "matters": MUCH}
    relative = [a / b - 1.0 for a, b in zip(mine, theirs, strict=True) if b and math.isfinite(a / b)]
    size = max(abs(gain.mean), 0.02) if math.isfinite(gain.mean) else math.nan
    if len(relative) < 2 or not math.isfinite(size):
        return [_say("undecided-same", **said)]
    needed = seeds_needed(relative, size, words.contest.confidence)
    return [_say("undecided", **said, seeds=max(needed, words.seeds + 1), size=_share(size))]


def _worse(words: _Words) -> list[Statement]:
    """Who is known to be worse than the baseline wherever it was compared, though nothing is known of others."""
    base = words.contest.baseline
    worse = [
        one for one in words.judged.others if all(words.judged.kind(one, base, at) == "worse" for at in words.settings)
    ]
    if not worse:
        return []
    everywhere = f" in each of the {words.contest.settings} settings" if words.contest.settings > 1 else ""
    do = "do" if len(worse) > 1 else "does"
    return [_say("worse", others="`, `".join(worse), do=do, baseline=base, everywhere=everywhere)]


def _keep(words: _Words) -> Statement:
    judged = words.judged
    one, at = _nearest(words, [(one, at) for at in judged.kept for one in judged.others])
    said = {
        "baseline": words.contest.baseline,
        "next": one,
        "gain": words.gain(one, at),
        "where": words.at(at),
        "matters": MUCH,
    }
    if len(judged.kept) == words.contest.settings:
        return _say("keep", **said)
    return _say("keep-some", **said, kept=len(judged.kept), settings=words.contest.settings)


def _share(value: float) -> str:
    return f"{value:.0%}".replace("%", " %")


def _taken(words: _Words) -> list[Statement]:
    judged, base = words.judged, words.contest.baseline
    take = str(judged.take)
    said = {"take": take, "baseline": base, "objective": words.objective}
    wins = [at for at in words.settings if judged.kind(take, base, at) == "better"]
    if words.contest.settings == 1 or len(wins) == 1:
        gain = words.gain(take, wins[0])
        only = f" {words.where(wins[0])}, and only there" if words.contest.settings > 1 else ""
        where = words.places[wins[0]] if words.contest.settings > 1 else ""
        gains = gain_words(gain, words.objective)
        first = _say("take", **said, gain=gain, gains=gains, only=only, where=where)
    else:
        low, high = (pick(wins, key=lambda at: words.gain(take, at).mean) for pick in (min, max))
        first = _say(
            "take-range",
            **said,
            wins=len(wins),
            settings=words.contest.settings,
            least=words.gain(take, low),
            least_where=words.places[low],
            most=words.gain(take, high),
            most_where=words.places[high],
        )
    others = [one for one in equals(judged, judged.top) if one != take]
    if not others:
        return [first]
    why = "it gained most"
    if take != judged.top:
        mine, theirs = (_share(mean_cost(judged, one)) for one in (take, judged.top))
        why = f"its neighbours lost less on average, {mine} and not {theirs}"
    return [first, _say("equal", others="`, `".join(others), take=take, why=why)]


def _range(words: _Words, numbers: dict[int, float], unit: str, scale: float) -> str:
    """The least and the most over the settings, if there are several."""
    if len(numbers) < 2:
        return ""
    low, high = (pick(numbers, key=lambda at: numbers[at]) for pick in (min, max))
    ends = [f"{numbers[at] * scale:.3g} {unit} ({words.places[at]})" for at in (low, high)]
    return f"; from {ends[0]} to {ends[1]}"


def _costs(words: _Words) -> list[Statement]:
    """Of the setting where it is largest, and from where to where it goes."""
    take, base, costs = str(words.judged.take), words.contest.baseline, words.judged.costs
    known = {at: costs[take, at] for at in words.settings if (take, at) in costs}
    known = {at: cost for at, cost in known.items() if not math.isnan(cost.mean)}
    if not known:
        return [_say("cost-unknown")]
    at = max(known, key=lambda one: known[one].mean)
    worst = known[at]
    span = _range(words, {one: cost.mean for one, cost in known.items()}, "%", 100.0)
    if -LITTLE <= worst.lo and worst.hi <= LITTLE:
        found = [_say("cost-little", cost=worst, range=span)]
    elif worst.lo > 0.0:
        found = [_say("cost", cost=worst, range=span)]
    elif worst.hi < 0.0:
        found = [_say("cost-gain", gain=worst.scaled(-1.0), range=span)]
    else:
        found = [_say("cost-open", cost=words.open_cost(take, at), range=span)]
    theirs = costs.get((base, at))
    if theirs is not None and theirs.known:
        found.append(_say("cost-baseline", baseline=base, cost=theirs))
    return found


def _delays(words: _Words) -> list[Statement]:
    """Of the compared group and of each other one, at the setting where they differ most."""
    take, base = str(words.judged.take), words.contest.baseline
    groups = list(dict.fromkeys(group for rows in words.outcomes for row in rows for group in row.delays))
    found = []
    for group in groups:
        pairs = {}
        for at in words.settings:
            mine, theirs = (words.row(one, at).delays.get(group) for one in (take, base))
            if mine is not None and theirs is not None:
                pairs[at] = (mine, theirs)
        if not pairs:
            continue
        at = max(pairs, key=lambda one: abs(pairs[one][0].mean - pairs[one][1].mean))
        mine, theirs = pairs[at]
        span = _range(words, {one: both[0].mean for one, both in pairs.items()}, "ms", 1e3)
        said = {"baseline": base, "mine": _ms(mine), "theirs": f"{_ms(theirs)}{words.at(at)}", "range": span}
        own = group == words.row(take, at).group
        found.append(_say("delay", **said) if own else _say("delay-group", group=group, **said))
    return found


def _ms(delay: Interval) -> str:
    mean, spread = shown(delay.mean, delay.lo, delay.hi, scale=1e3, digits=1)
    return " ".join(filter(None, (mean, spread, "ms")))


def _least_waiting(words: _Words) -> list[Statement]:
    """Another candidate whose packets wait least, at the setting where they wait least beside those of the choice."""
    judged, take = words.judged, str(words.judged.take)
    found: list[tuple[float, str, int, Interval]] = []
    for one in words.contest.candidates:
        for at in words.settings if one != take else ():
            ratio = waits(words.contest, one, take, at)
            if ratio.hi <= SHORTER:
                found.append((ratio.mean, one, at, ratio))
    if not found:
        return []
    _, other, at, ratio = min(found, key=lambda case: case[0])
    share, much = judged.gains[other, take, at], words.objective
    gain = {
        "better": f"{times(share)} the {much}" if share.mean >= TWICE else f"{percent(share, sign=False)} more {much}",
        "worse": f"{percent(share.scaled(-1.0), sign=False)} less {much}",
        "same": f"as much {much}, {percent(share)}",
        "open": f"{much} that these runs do not tell from the other's, {percent(words.open_gain(other, take, at))}",
    }[judged.kind(other, take, at)]
    facts = {"share": share, "kind": judged.kind(other, take, at)}
    return [_say("delay-best", other=other, less=ratio.complement(), gain=gain, where=words.at(at), **facts)]


def _exceptions(words: _Words) -> list[Statement]:
    """Settings at which the choice gains nothing, is not known to, or another candidate gets more; of an answer that
    chooses nothing, those at which one gains.
    """
    judged, base = words.judged, words.contest.baseline
    take = judged.take or base
    found: dict[str, list[tuple[str, str, int, Interval]]] = {}
    for at in words.settings if words.contest.settings > 1 else ():
        better = [one for one in words.contest.candidates if one != take and judged.kind(one, take, at) == "better"]
        if better:
            best = max(better, key=lambda one: judged.gains[one, take, at].mean)
            kind = "except-other" if judged.take is not None else "gains"
            found.setdefault(kind, []).append((best, take, at, judged.gains[best, take, at]))
        if take != base and judged.kind(take, base, at) != "better":
            kind, gain = judged.kind(take, base, at), words.gain(take, at)
            if kind != "worse":
                kind = "same" if gain.hi <= MATTERS else "open"
            shown_gain = gain.scaled(-1.0) if kind == "worse" else gain
            if kind == "open":
                shown_gain = words.open_gain(take, base, at)
            found.setdefault(_EXCEPT[kind], []).append((take, base, at, shown_gain))
        elif judged.take == base and at not in judged.kept and not better:
            one, _ = _nearest(words, [(one, at) for one in judged.others if not words.gain(one, at).hi <= MATTERS])
            found.setdefault("except-open", []).append((one, base, at, words.open_gain(one, base, at)))
    return [
        _say(
            kind,
            places="; ".join(_place(words, kind, take, *case) for case in found[kind]),
            cases=found[kind],
            baseline=base,
        )
        for kind in [*_EXCEPT.values(), "except-other", "gains"]
        if kind in found
    ]


def _place(words: _Words, kind: str, take: str, one: str, over: str, at: int, gain: Interval) -> str:
    who = f"`{one}`, " if one != take else ""
    return f"{words.places[at]} ({who}{gain_text(gain, sign=kind != 'except-worse')})"


_EXCEPT = {"worse": "except-worse", "same": "except-none", "open": "except-open"}


def _scope(words: _Words) -> list[Statement]:
    if words.contest.settings == 1:
        return [_say("one-setting")]
    return [_say("everywhere", settings=words.contest.settings)]


def _sure(words: _Words, take: str | None) -> Statement:
    judged = words.judged
    if words.contest.fixed:
        return _say("sure-fixed", seeds=words.seeds)
    said = {
        "error": f"{100.0 * ERROR:g} %",
        "comparisons": words.contest.comparisons,
        "seeds": words.seeds,
        "confidence": f"{100.0 * words.contest.confidence:.4g} %",
    }
    base = words.contest.baseline
    wins = [at for at in words.settings if take is not None and judged.kind(take, base, at) == "better"]
    chances = [judged.p[str(take), base, at] for at in wins]
    if not chances or any(math.isnan(p) for p in chances):
        return _say("sure-none", **said)
    return _say("sure", p=f"{100.0 * max(*chances, 0.001):.2g} %", **said)
