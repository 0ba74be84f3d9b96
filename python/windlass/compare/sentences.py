"""The answer in sentences: what to take, what it gains and costs, how sure that is, and where it does not hold.

One template for each thing that can be said; :func:`answer` chooses those that apply.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from windlass.compare.factors import TWICE, times
from windlass.compare.judging import ERROR, Judged, equals, mean_cost, waits
from windlass.compare.model import Outcome, Statement
from windlass.interval import Interval

__all__ = ["TEMPLATES", "answer"]

LITTLE = 0.02
"""A cost that is known to be below this share is next to nothing."""

SHORTER = 0.8
"""Waiting that is at most this share of another is worth a sentence."""

SKEWED = 1.25
"""An interval with one side so many times as long as the other is told by its ends instead of by ±."""

TEMPLATES: dict[str, str] = {
    "one-seed": "One seed: nothing can be said of which is better. Run `--seeds 10` or more.",
    "alone": "Only `{baseline}` was run: name what to compare it with.",
    "take": "Take `{take}`{only}: it {gain} `{baseline}`.",
    "take-range": "Take `{take}`: it gains {objective} over `{baseline}` in {wins} of {settings} settings, from {least} "
    "({least_where}) to {most} ({most_where}).",
    "keep": "Keep `{baseline}`: nothing compared here gains on it; the nearest is `{next}`, {gain}{where}.",
    "undecided": "These runs do not decide: `{next}` differs from `{baseline}` by {gain}{where}. About {seeds} seeds "
    "would tell a difference of {size}, if there is one.",
    "undecided-same": "These runs do not decide: `{next}` differs from `{baseline}` by {gain}{where}.",
    "equal": "`{others}` {do} as well as far as these runs tell; `{take}` was taken because {why}.",
    "cost": "It costs a NewReno flow beside it {cost} of what that flow gets beside NewReno{range}.",
    "cost-little": "It costs a NewReno flow beside it next to nothing: {cost} of what that flow gets beside "
    "NewReno{range}.",
    "cost-open": "What it costs a NewReno flow beside it, these runs do not tell from nothing: {cost} of what that flow "
    "gets beside NewReno{range}.",
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
    "everywhere": "It is so in each of the {settings} settings compared.",
    "one-setting": "It was compared on this path alone: nothing here says how it does on another.",
    "sure": "The gain is wrong by chance with a probability of at most {p}; that any sentence here is, of at most "
    "{error}: {comparisons} comparisons, paired by {seeds} seeds, Student's t (Fieller's interval for ratios), corrected "
    "for their number after Bonferroni, so that each interval is one of {confidence}.",
    "sure-none": "That any sentence here is wrong by chance has a probability of at most {error}: {comparisons} "
    "comparisons, paired by {seeds} seeds, Student's t (Fieller's interval for ratios), corrected for their number "
    "after Bonferroni, so that each interval is one of {confidence}.",
}
"""What can be said, by kind."""


def _say(kind: str, **values: object) -> Statement:
    return Statement(kind, TEMPLATES[kind].format(**values))


def percent(interval: Interval, sign: bool = True) -> str:
    """``+20.5 % ± 3.6 %``, or ``+20.5 % (+9.1 % to +44.0 %)`` where the interval is skewed."""
    plus = "+" if sign else ""
    mean, low, high = (f"{100.0 * one:{plus}.1f} %" for one in (interval.mean, interval.lo, interval.hi))
    below, above = interval.mean - interval.lo, interval.hi - interval.mean
    if not (math.isfinite(below) and math.isfinite(above)):
        return f"{mean} ± ?"
    if max(below, above) > SKEWED * min(below, above) + 0.0005:
        return f"{mean} ({low} to {high})"
    return f"{mean} ± {100.0 * max(below, above):.1f} %"


def gain_text(gain: Interval, sign: bool = True) -> str:
    """A gain in per cent, or as a factor if it is large."""
    return times(gain) if gain.mean >= TWICE else percent(gain, sign)


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
        return [_undecided(words), _sure(words, None)]
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


def _nearest(words: _Words) -> tuple[str, int]:
    """The candidate beside the baseline with the largest gain anywhere, and where."""
    others = [one for one in words.contest.candidates if one != words.contest.baseline]
    known = [(one, at) for one in others for at in words.settings if not math.isnan(words.gain(one, at).mean)]
    return max(known or [(others[0], 0)], key=lambda key: words.gain(*key).mean if known else 0.0)


def _undecided(words: _Words) -> Statement:
    from windlass.stats import seeds_needed

    one, at = _nearest(words)
    gain, base = words.gain(one, at), words.contest.baseline
    said = {"next": one, "baseline": base, "gain": gain_text(gain), "where": words.at(at)}
    mine, theirs = words.contest.values[one, at], words.contest.values[base, at]
    relative = [a / b - 1.0 for a, b in zip(mine, theirs, strict=True) if b and math.isfinite(a / b)]
    size = max(abs(gain.mean), 0.02) if math.isfinite(gain.mean) else math.nan
    if len(relative) < 2 or not math.isfinite(size):
        return _say("undecided-same", **said)
    needed = seeds_needed(relative, size, words.contest.confidence)
    return _say("undecided", **said, seeds=max(needed, words.seeds + 1), size=f"{size:.0%}")


def _keep(words: _Words) -> Statement:
    one, at = _nearest(words)
    gain = gain_text(words.gain(one, at))
    return _say("keep", baseline=words.contest.baseline, next=one, gain=gain, where=words.at(at))


def _taken(words: _Words) -> list[Statement]:
    judged, base = words.judged, words.contest.baseline
    take = str(judged.take)
    said = {"take": take, "baseline": base, "objective": words.objective}
    wins = [at for at in words.settings if judged.kind(take, base, at) == "better"]
    if words.contest.settings == 1 or len(wins) == 1:
        only = f" {words.where(wins[0])}, and only there" if words.contest.settings > 1 else ""
        gain = gain_words(words.gain(take, wins[0]), words.objective)
        first = _say("take", take=take, baseline=base, gain=gain, only=only)
    else:
        low, high = (pick(wins, key=lambda at: words.gain(take, at).mean) for pick in (min, max))
        first = _say(
            "take-range",
            **said,
            wins=len(wins),
            settings=words.contest.settings,
            least=gain_text(words.gain(take, low), sign=False),
            least_where=words.places[low],
            most=gain_text(words.gain(take, high), sign=False),
            most_where=words.places[high],
        )
    others = [one for one in equals(judged, judged.top) if one != take]
    if not others:
        return [first]
    why = "it gains most"
    if take != judged.top:
        mine, theirs = (f"{mean_cost(judged, one):.0%}".replace("%", " %") for one in (take, judged.top))
        why = f"its neighbours lose less on average, {mine} and not {theirs}"
    return [
        first,
        _say("equal", others="`, `".join(others), do="do" if len(others) > 1 else "does", take=take, why=why),
    ]


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
    text = percent(worst, sign=False)
    if -LITTLE <= worst.lo and worst.hi <= LITTLE:
        found = [_say("cost-little", cost=text, range=span)]
    elif worst.lo > 0.0:
        found = [_say("cost", cost=text, range=span)]
    elif worst.hi < 0.0:
        found = [_say("cost-gain", gain=percent(worst.scaled(-1.0), sign=False), range=span)]
    else:
        found = [_say("cost-open", cost=text, range=span)]
    theirs = costs.get((base, at))
    if theirs is not None and not math.isnan(theirs.mean) and theirs.mean != 0.0:
        found.append(_say("cost-baseline", baseline=base, cost=percent(theirs, sign=False)))
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
    return f"{delay.mean * 1e3:.1f} ms"


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
    share = judged.gains[other, take, at]
    if share.mean < 0.0:
        gain = f"{percent(share.scaled(-1.0), sign=False)} less {words.objective}"
    elif share.mean < TWICE:
        gain = f"{percent(share, sign=False)} more {words.objective}"
    else:
        gain = f"{times(share)} the {words.objective}"
    return [
        _say("delay-best", other=other, less=percent(ratio.complement(), sign=False), gain=gain, where=words.at(at))
    ]


def _exceptions(words: _Words) -> list[Statement]:
    """Settings at which the choice gains nothing, or another candidate gets more."""
    judged, take, base = words.judged, str(words.judged.take), words.contest.baseline
    found: dict[str, list[str]] = {}
    for at in words.settings if words.contest.settings > 1 else ():
        kind = "better" if take == base else judged.kind(take, base, at)
        if kind != "better":
            gain = words.gain(take, at)
            text = percent(gain.scaled(-1.0), sign=False) if kind == "worse" else gain_text(gain)
            found.setdefault(_EXCEPT[kind], []).append(f"{words.places[at]} ({text})")
        others = [one for one in words.contest.candidates if one not in (take, base)]
        better = [one for one in others if judged.kind(one, take, at) == "better"]
        if better:
            best = max(better, key=lambda one: judged.gains[one, take, at].mean)
            text = f"{words.places[at]} (`{best}`, {gain_text(judged.gains[best, take, at])})"
            found.setdefault("except-other", []).append(text)
    return [_say(kind, places="; ".join(found[kind])) for kind in [*_EXCEPT.values(), "except-other"] if kind in found]


_EXCEPT = {"worse": "except-worse", "same": "except-none", "open": "except-open"}


def _scope(words: _Words) -> list[Statement]:
    if words.contest.settings == 1:
        return [_say("one-setting")]
    return [_say("everywhere", settings=words.contest.settings)]


def _sure(words: _Words, take: str | None) -> Statement:
    said = {
        "error": f"{100.0 * ERROR:g} %",
        "comparisons": words.contest.comparisons,
        "seeds": words.seeds,
        "confidence": f"{100.0 * words.contest.confidence:.4g} %",
    }
    if take is None:
        return _say("sure-none", **said)
    wins = [at for at in words.settings if words.judged.kind(take, words.contest.baseline, at) == "better"]
    p = max(words.judged.p[take, words.contest.baseline, at] for at in wins)
    return _say("sure", p=f"{100.0 * max(p, 0.001):.2g} %", **said)
