"""The answer held against what a measurement of the path leaves open.

A path that was measured has values that the data bound but do not fix (:mod:`windlass.measured`). The candidates are
compared at the ends of these bounds, too. An answer that is not the same everywhere inside them is none that the data
can give; it is said so, and which measurement would.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from windlass.compare.judging import MATTERS, Judged, equals
from windlass.compare.model import Comparison, Statement, Trial
from windlass.compare.sentences import gain_text, gain_words, objective
from windlass.measured import Measured, measured

if TYPE_CHECKING:
    from windlass.interval import Interval
    from windlass.scenario import Scenario

__all__ = ["TEMPLATES", "Draw", "draws_of", "evidence_of", "held_against"]

CORNERS = 3
"""Bounds whose ends are combined in every way; a further one goes along with their product."""

MOST_PACKETS = 1e6
"""Packets above which the run of a draw is shortened, to `LEAST_S` after its warm-up at the least."""

LEAST_S = 10.0

TEMPLATES: dict[str, str] = {
    "data-open": "These data cannot decide: what {file} bounds but does not fix changes the answer.",
    "data-cases": "It may be that {cases}.",
    "data-runs": "These data cannot decide with so few seeds: inside what {file} bounds but does not fix, the runs do not "
    "show {what} everywhere, such as at {places}.",
    "data-known": "What they say of the path: {known}.",
    "data-need": "What would decide: {tests}.",
    "data-hold": "It is so at each of {count} combinations of what {file} bounds but does not fix{gains}: {known}.",
}
"""What can be said of the data, by kind."""

_CAPTURE = (
    "a capture at the sender of a transfer (`tcpdump -s 128 -w FILE.pcap tcp`), which tells losses of the path from drops "
    "of a full queue"
)
_LONGER = "a longer capture at the sender, of a transfer that fills the path (`iperf3 -C bbr -t 30`)"
_TESTS = {
    "rate": "a 30 s test that fills the link, with BBR as the sender (`iperf3 -C bbr -t 30`) or UDP faster than the link "
    "(`iperf3 -u -b RATE -t 30`: what arrives is its rate), captured at the sender",
    "loss": _CAPTURE,
    "queue": "a capture at the sender of a transfer that fills the queue (`iperf3 -t 30`), which shows its limit",
    "delay": "`ping -D -i 0.1 -c 300 HOST` while the path is idle, which shows its delay",
}


@dataclass(frozen=True)
class Draw:
    """Paths with other values inside their bounds.

    Attributes
    ----------
    paths : dict of str to Scenario
        By name; those that were not measured are as they are.
    ends : dict of str to int
        Which value each bounded number has: -1, 0 or 1 for the least, the middle and the largest.
    words : str
        The values.
    """

    paths: dict[str, Scenario]
    ends: dict[str, int]
    words: str


def evidence_of(paths: Mapping[str, Scenario], queues: bool = False) -> dict[str, Measured]:
    """What each path says of its measurement, for those that do; with `queues` to compare, its own queue is none of it.

    Raises
    ------
    InputError
        If a section ``[measured]`` is not as it is written.
    """
    found = {name: one for name, path in paths.items() if (one := measured(path)) is not None}
    if not queues:
        return found
    return {
        name: replace(one, bounds=[bound for bound in one.bounds if bound.name != "queue"])
        for name, one in found.items()
    }


def draws_of(paths: Mapping[str, Scenario], evidence: Mapping[str, Measured]) -> list[Draw]:
    """Every path at the ends and in the middle of its bounds; none if nothing is left open."""
    numbers = list(dict.fromkeys(bound.name for one in evidence.values() for bound in one.bounds))
    numbers.sort(key=list(_TESTS).index)
    if not numbers:
        return []
    corners = product((-1, 1), repeat=min(len(numbers), CORNERS))
    signs = [(*one, *[math.prod(one)] * (len(numbers) - len(one))) for one in corners]
    found = []
    for at in [*signs, (0,) * len(numbers)]:
        ends = dict(zip(numbers, at, strict=True))
        drawn, words = dict(paths), []
        for name, one in evidence.items():
            drawn[name], said = _drawn(paths[name], one, ends)
            words.append(f"{name}: {said}" if len(evidence) > 1 else said)
        found.append(Draw(drawn, ends, "; ".join(words)))
    return found


def _drawn(path: Scenario, one: Measured, ends: Mapping[str, int]) -> tuple[Scenario, str]:
    """The path with values at these ends, and the values."""
    words = []
    for bound in one.bounds:
        value = bound.tried[ends[bound.name] + 1]
        if bound.name == "queue" and isinstance(value, str):
            words.append(f"queue {value.replace('bdp', 'BDP')}")
        else:
            words.append(f"{bound.name} {_short(value)}")
        path = _with(path, bound.key, value)
    return _shortened(path), ", ".join(words)


def _with(path: Scenario, key: str, value: Any) -> Scenario:
    """The path with a value; a rate takes the place of a trace."""
    table, _, last = key.rpartition(".")
    if last != "rate":
        return path.with_({key: value})
    link = path.composed()["topology"]["bottleneck"]
    return path.with_({table: {name: part for name, part in link.items() if name != "trace"} | {last: value}})


def _short(value: Any) -> str:
    return str(value.get("rate", value)) if isinstance(value, Mapping) else str(value)


def _shortened(path: Scenario) -> Scenario:
    """The path with a shorter run, if that would carry more packets than tell it from another."""
    first = path.points()[0]
    share = MOST_PACKETS / max(first.estimate()["packets"], 1.0)
    warmup = _seconds(first.effective()["scenario"]["warmup"])
    least = warmup + LEAST_S
    if share >= 1.0 or path.duration_s <= least:
        return path
    return path.with_({"scenario.duration": f"{max(share * path.duration_s, least):.6g} s"})


def _seconds(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}[unit]


def held_against(
    result: Comparison, main: Judged, trials: Sequence[tuple[Draw, Judged]], evidence: Mapping[str, Measured]
) -> Comparison:
    """The comparison with what its data leave open: the answer, if it is the same everywhere, or that there is none.

    Parameters
    ----------
    result : Comparison
        Of the paths as they are written.
    main : Judged
        Its judgement.
    trials : sequence of (Draw, Judged)
        The same of the paths inside their bounds.
    evidence : mapping of str to Measured
        By path.
    """
    several = len({one.path for one in result.outcomes}) > 1
    notes = [f"{name}: {note}" if several else note for name, one in evidence.items() for note in one.notes]
    result = replace(result, notes=notes)
    if not trials:
        return result
    cases = [("as written", main), *((draw.words, judged) for draw, judged in trials)]
    listed = [Trial(words, judged.take, _lead(judged), _gain(judged)) for words, judged in cases]
    result = replace(result, trials=listed)
    answers = [_answers(judged) for _, judged in cases]
    common = set.intersection(*answers)
    open_ = [words for words, judged in cases if judged.take is None]
    words = _Words(evidence)
    if common and not open_ and result.take in common:
        return replace(result, answer=_with_statement(result.answer, words.hold(listed, str(result.take), main)))
    if common and (open_ == [words for words, _ in cases] or result.take is None):
        return result
    if common and open_:
        said = [words.runs(min(common), open_, main)]
    else:
        said = [words.open(), words.cases(listed, main), words.need(trials, answers[1:]), words.known()]
    return replace(result, take=None, answer=said)


def _with_statement(answer: Sequence[Statement], more: Statement) -> list[Statement]:
    """After the other sentences, but before how sure they are."""
    said = [one for one in answer if not one.kind.startswith("sure") and one.kind != "one-setting"]
    return [*said, more, *(one for one in answer if one.kind.startswith("sure"))]


def _lead(judged: Judged) -> str:
    """The candidate with the largest mean gain, if that matters."""
    top, base = judged.top, judged.contest.baseline
    return top if top == base or _mean(judged, top) >= MATTERS else base


def _mean(judged: Judged, one: str) -> float:
    """Geometric mean of the gain over the settings."""
    means = [judged.gains[one, judged.contest.baseline, at].mean for at in range(judged.contest.settings)]
    return math.exp(sum(math.log(max(1.0 + mean, 1e-9)) for mean in means) / len(means)) - 1.0


def _answers(judged: Judged) -> set[str]:
    """Candidates that are as good an answer as any; where the runs decide nothing, those that lead."""
    base = judged.contest.baseline
    if judged.take is not None:
        return {base} if judged.take == base else set(equals(judged, judged.top))
    lead = _lead(judged)
    if lead == base:
        return {base}
    best = _mean(judged, lead)
    return {one for one in judged.contest.candidates if one != base and _mean(judged, one) >= best - MATTERS}


def _gain(judged: Judged) -> Interval | None:
    """Of the one that is ahead, or of the nearest beside the baseline, where it gains most."""
    base, lead = judged.contest.baseline, _lead(judged)
    others = [lead] if lead != base else [one for one in judged.contest.candidates if one != base]
    found = [judged.gains[one, base, at] for one in others for at in range(judged.contest.settings)]
    known = [one for one in found if not math.isnan(one.mean)]
    return max(known, key=lambda one: one.mean) if known else None


def _size(trial: Trial) -> float:
    return 0.0 if trial.gain is None else trial.gain.mean


class _Words:
    """The sentences."""

    def __init__(self, evidence: Mapping[str, Measured]) -> None:
        self.evidence = evidence
        self.file = " and ".join(f"`{one.file}`" for one in evidence.values())

    def _say(self, kind: str, **values: object) -> Statement:
        return Statement(kind, TEMPLATES[kind].format(file=self.file, **values))

    def known(self) -> Statement:
        return self._say("data-known", known=self._known())

    def _known(self) -> str:
        return "; ".join(
            f"{bound.name} {bound.known}, tried {_short(bound.tried[0])} to {_short(bound.tried[-1])}".replace(
                "bdp", "BDP"
            )
            for one in self.evidence.values()
            for bound in one.bounds
        )

    def open(self) -> Statement:
        return self._say("data-open")

    def cases(self, trials: Sequence[Trial], main: Judged) -> Statement:
        """The answer that gains most and the one that gains least, in the middle or where it shows most."""
        base, what = main.contest.baseline, objective(main.contest.smaller_is_better)
        by_answer: dict[str, list[Trial]] = {}
        for one in trials:
            by_answer.setdefault(one.lead, []).append(one)
        found = []
        for lead, own in by_answer.items():
            pick = min if lead == base else max
            found.append((lead, own[-1] if own[-1] is trials[-1] else pick(own, key=_size)))
        found.sort(key=lambda case: (case[0] == base, -_size(case[1])))
        parts = []
        for lead, place in dict.fromkeys((found[0], found[-1])):
            gain = "" if place.gain is None else f"{gain_words(place.gain, what)} `{base}`"
            parts.append(
                f"`{base}` is as good as any ({place.words})" if lead == base else f"`{lead}` {gain} ({place.words})"
            )
        return self._say("data-cases", cases=", or that ".join(parts))

    def runs(self, take: str, places: Sequence[str], main: Judged) -> Statement:
        base = main.contest.baseline
        what = f"that `{take}` gains" if take != base else f"that nothing gains on `{base}`"
        return self._say("data-runs", what=what, places=places[0])

    def need(self, trials: Sequence[tuple[Draw, Judged]], answers: Sequence[set[str]]) -> Statement:
        """The tests of the numbers of which one end has another answer than the other, all else being equal."""
        numbers = list(trials[0][0].ends)
        blamed = [
            one
            for one in numbers[:CORNERS]
            if any(
                not answers[a] & answers[b]
                for a, (left, _) in enumerate(trials)
                for b, (right, _) in enumerate(trials[:a])
                if all(
                    left.ends[other] == -right.ends[other] if other == one else left.ends[other] == right.ends[other]
                    for other in numbers[:CORNERS]
                )
                and left.ends[one]
            )
        ]
        tests = [_LONGER if self._captured() and one in ("rate", "loss") else _TESTS[one] for one in blamed or numbers]
        return self._say("data-need", tests="; ".join(dict.fromkeys(tests)))

    def _captured(self) -> bool:
        return all(one.format == "capture" for one in self.evidence.values())

    def hold(self, trials: Sequence[Trial], take: str, main: Judged) -> Statement:
        gains = [one.gain for one in trials if one.gain is not None] if take != main.contest.baseline else []
        low, high = (pick(gains, key=lambda one: one.mean) if gains else None for pick in (min, max))
        said = "" if low is None or high is None else f", with gains from {gain_text(low)} to {gain_text(high)}"
        return self._say("data-hold", count=len(trials), gains=said, known=self._known())
