"""What follows from a comparison: who is taken, in which words, and what to know before trusting it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windlass.compare.doubts import about_starved, doubts_of
from windlass.compare.judging import MATTERS, Contest, Judged, equals, judge
from windlass.compare.model import Outcome, Senders, Statement
from windlass.compare.sentences import LITTLE, TEMPLATES, answer, percent
from windlass.interval import Interval
from windlass.stats import mean_interval, paired_p, paired_ratio

SEEDS = 8
WIGGLE = [0.0, 0.01, -0.01, 0.02, -0.02, 0.005, -0.005, 0.0]
"""What seeds add to a value: the same for all candidates, as the same losses are."""
NOISE = [0.4, -0.5, 0.3, -0.2, 0.5, -0.4, 0.1, -0.2]
"""What they add where nothing is settled."""


def steady(mean: float, own: float | None = None) -> list[float]:
    """A number that each seed gives, with a small spread of its own, the larger the further it is from 1."""
    spread = 0.01 * (mean - 1.0) if own is None else own
    return [mean * (1.0 + wiggle + spread * sign) for wiggle, sign in zip(WIGGLE, [1, -1] * 4, strict=True)]


def noisy(mean: float) -> list[float]:
    return [mean * (1.0 + noise) for noise in NOISE]


@dataclass
class Case:
    """A comparison as numbers by candidate, a list for each setting."""

    goodput: dict[str, list[list[float]]]
    costs: dict[str, list[list[float]]] = field(default_factory=dict)
    delays: dict[str, list[list[float]]] = field(default_factory=dict)
    places: Sequence[str] = ("",)
    sized: bool = False
    other: dict[str, float] = field(default_factory=dict)

    def contest(self) -> Contest:
        settings = range(len(self.places))
        names = list(self.goodput)
        waits = self.delays or {name: [steady(0.05)] * len(self.places) for name in names}
        return Contest(
            values={(name, at): self.goodput[name][at] for name in names for at in settings},
            smaller_is_better=self.sized,
            neighbours={
                (name, at): (beside[at], steady(1.0)[: len(beside[at])])
                for name, beside in self.costs.items()
                for at in settings
            },
            delays={(name, at): waits[name][at] for name in names for at in settings},
            candidates=names,
            settings=len(self.places),
            baseline=names[0],
        )

    def judged(self) -> Judged:
        return judge(self.contest())

    def said(self, seeds: int = SEEDS) -> dict[str, str]:
        contest = self.contest()
        rows = [
            [row(name, delays=self._delays(contest, name, at)) for name in contest.candidates]
            for at in range(contest.settings)
        ]
        return {one.kind: one.text for one in answer(self.judged(), rows, self.places, seeds)}

    def _delays(self, contest: Contest, name: str, at: int) -> dict[str, Interval]:
        own = {"flow": mean_interval(contest.delays[name, at])}
        return own | ({"call": mean_interval(steady(self.other[name]))} if self.other else {})


def row(name: str, **more: Any) -> Outcome:
    usual = mean_interval(steady(1.0))
    whole = Outcome(
        algorithm=name,
        group="flow",
        axes={},
        goodput_bps=usual,
        total_bps=usual,
        against_baseline=usual,
        queue_delay_p95_s=usual,
        judges_losses=True,
        miss_rate=usual,
        false_alarm_rate=usual,
        timeouts=usual,
        neighbour_bps=None,
        neighbour_cost=None,
    )
    return replace(whole, **more)


BETTER = {"newreno": [steady(1.0)], "cerl": [steady(1.2)]}
RATES = ("loss.rate = 0 %", "loss.rate = 1 %", "loss.rate = 5 %")

FIXED = {name: [[0.05] * SEEDS] for name in ("newreno", "cerl")}

CASES: dict[str, Case] = {
    "better": Case(BETTER),
    "better, cheap": Case(BETTER, {"newreno": [steady(1.0)], "cerl": [steady(0.99)]}),
    "better, dear": Case(BETTER, {"newreno": [steady(0.9)], "cerl": [steady(0.7)]}),
    "better, kind": Case(BETTER, {"newreno": [steady(1.0)], "cerl": [steady(1.3)]}),
    "better, unclear": Case(BETTER, {"newreno": [steady(1.0)], "cerl": [noisy(0.9)]}),
    "better, late": Case(
        BETTER, delays={"newreno": [steady(0.02)], "cerl": [steady(0.05)]}, other={"newreno": 0.03, "cerl": 0.06}
    ),
    "keep": Case({"newreno": [steady(1.0)], "cerl": [steady(0.8)]}),
    "undecided": Case({"newreno": [steady(1.0)], "cerl": [noisy(1.1)]}),
    "undecided, no size": Case({"newreno": [steady(1.0)], "cerl": [[math.nan] * SEEDS]}),
    "equal": Case(
        {"newreno": [steady(1.0)], "cerl": [steady(1.21, 0.03)], "veno": [steady(1.2, 0.03)]},
        {"newreno": [steady(1.0)], "cerl": [steady(0.6)], "veno": [steady(0.9)]},
    ),
    "everywhere": Case({"newreno": [steady(1.0)] * 2, "cerl": [steady(1.2), steady(1.4)]}, places=RATES[:2]),
    "not everywhere": Case(
        {
            "newreno": [steady(1.0)] * 3,
            "cerl": [steady(0.9), steady(1.5), steady(1.001)],
            "veno": [steady(1.2), steady(1.1), noisy(0.9)],
        },
        places=RATES,
    ),
    "not decided everywhere": Case({"newreno": [steady(1.0)] * 2, "cerl": [noisy(1.1), steady(1.5)]}, places=RATES[:2]),
    "kept at one": Case(
        {"newreno": [steady(1.0)] * 3, "cerl": [steady(0.8), steady(1.2), noisy(0.9)], "veno": [steady(0.2)] * 3},
        places=RATES,
    ),
    "one is worse": Case({"newreno": [steady(1.0)], "cerl": [noisy(1.1)], "veno": [steady(0.5)]}),
    "the same": Case({"newreno": [noisy(1.0)], "cerl": [noisy(1.0)]}),
    "split": Case(
        {"newreno": [steady(1.0)] * 2, "cerl": [steady(1.2), steady(0.5)], "veno": [steady(0.5), steady(1.2)]},
        places=RATES[:2],
    ),
    "fixed": Case({"newreno": [[1.0] * SEEDS], "cerl": [[1.2] * SEEDS]}, delays=FIXED),
    "few": Case(
        {"newreno": [[1.0, 1.2, 0.9]], "cerl": [[1.3, 1.9, 1.4]]},
        {"newreno": [[1.0, 0.99, 1.01]], "cerl": [[0.3, 0.34, 0.25]]},
        delays={name: [steady(0.05)[:3]] for name in ("newreno", "cerl")},
    ),
    "alone": Case({"newreno": [steady(1.0)]}),
}


@pytest.mark.parametrize(
    ("case", "kind", "words"),
    [
        ("better", "take", "Take `cerl`: it gains 20.0 % ± 0.3 % goodput per flow over `newreno`."),
        ("better", "cost-unknown", "not measured"),
        ("better", "one-setting", "on this path alone"),
        (
            "better",
            "delay",
            "95 % of its packets wait at most 50.0 ± 0.9 ms in queues, those of `newreno` 50.0 ± 0.9 ms.",
        ),
        ("better", "sure", "probability of at most 0.1 %; that any sentence here is, of at most 5 %: 2 comparisons"),
        ("better, cheap", "cost-little", "next to nothing: 1.0 % ± "),
        ("better, dear", "cost", "It costs a NewReno flow beside it 30.0 % ± "),
        ("better, dear", "cost-baseline", "Beside `newreno` that flow loses 10.0 % ± "),
        ("better, kind", "cost-gain", "gains 30.0 % ± "),
        ("better, unclear", "cost-open", "is undecided: 10.0 % "),
        (
            "better, late",
            "delay-group",
            "95 % of the packets of flows `call` wait at most 60.0 ± 1.",
        ),
        (
            "better, late",
            "delay-best",
            "`newreno`: its packets wait 60.0 % ± 0.0 % less, and it gets 16.7 % ± 0.2 % less goodput",
        ),
        ("keep", "keep", "Keep `newreno`: nothing compared here gains 1 % on it; the nearest is `cerl`, -20.0 % ± "),
        ("keep", "sure-none", "of at most 5 %: 2 comparisons, paired by 8 seeds"),
        ("undecided", "undecided", "do not decide whether `cerl` gains 1 % or more on `newreno`: it is at +10.0 % ± "),
        ("undecided, no size", "undecided-same", "These runs do not decide"),
        (
            "equal",
            "equal",
            "do not tell `cerl` from the best; `veno` was taken because its neighbours lost less",
        ),
        (
            "everywhere",
            "take-range",
            "in 2 of 2 settings, from 20.0 % ± 0.3 % (loss.rate = 0 %) to 40.0 % ± 0.7 % (loss",
        ),
        ("everywhere", "everywhere", "in each of the 2 settings"),
        ("not everywhere", "take", "Take `cerl` where loss.rate = 1 %, and only there: it gains 50.0 % "),
        ("not everywhere", "except-worse", "loses: loss.rate = 0 % (10.0 % ± "),
        ("not everywhere", "except-none", "nothing that matters: loss.rate = 5 % (+0.1 % ± "),
        ("not everywhere", "except-other", "another one gets more: loss.rate = 0 % (`veno`, +33.3 % ± "),
        ("not decided everywhere", "except-open", "do not decide: loss.rate = 0 % (+10.0 % ± "),
        (
            "kept at one",
            "keep-some",
            "Keep `newreno` in 1 of 3 settings, where nothing compared here gains 1 % on it; ",
        ),
        ("kept at one", "except-open", "do not decide: loss.rate = 5 % (`cerl`, -10.0 % ± "),
        ("kept at one", "except-other", "another one gets more: loss.rate = 1 % (`cerl`, +20.0 % ± "),
        ("one is worse", "undecided", "whether `cerl` gains 1 % or more"),
        ("one is worse", "worse", "`veno` does worse than `newreno`."),
        ("the same", "sure-none", "of at most 5 %"),
        (
            "the same",
            "undecided-equal",
            "do not tell `cerl` from `newreno`: both got the same with each of the 8 seeds",
        ),
        ("split", "split", "the one to take everywhere"),
        (
            "split",
            "gains",
            "gains on `newreno` here: loss.rate = 0 % (`cerl`, +20.0 % ± 0.4 %); loss.rate = 1 % (`veno`",
        ),
        ("fixed", "take", "Take `cerl`: it gains 20.0 % goodput per flow over `newreno`."),
        ("fixed", "sure-fixed", "All 8 seeds gave the same numbers"),
        ("alone", "alone", "Only `newreno` was run"),
    ],
)
def test_every_sentence(case: str, kind: str, words: str) -> None:
    said = CASES[case].said()
    assert kind in said, said
    assert words in said[kind]


def test_no_sentence_is_left_unsaid() -> None:
    said = {kind for case in CASES.values() for kind in case.said()} | set(CASES["better"].said(seeds=1))
    assert said == set(TEMPLATES)


def test_one_seed_decides_nothing() -> None:
    assert list(CASES["better"].said(seeds=1)) == ["one-seed"]


def test_who_is_taken() -> None:
    taken = {name: case.judged().take for name, case in CASES.items()}
    assert {name: taken[name] for name in ("better", "keep", "undecided", "alone")} == {
        "better": "cerl",
        "keep": "newreno",
        "undecided": None,
        "alone": "newreno",
    }
    # as good as the best, and kinder to the neighbour
    assert (CASES["equal"].judged().top, taken["equal"]) == ("cerl", "veno")
    # without the neighbour, the best
    assert Case(CASES["equal"].goodput).judged().take == "cerl"


def test_what_is_worse_than_any_other_is_not_taken_for_its_low_cost() -> None:
    # jersey is told from veno, though neither is told from cerl
    goodput = {"newreno": [steady(1.0)], "cerl": [noisy(1.9)], "veno": [steady(1.5)], "jersey": [steady(1.4)]}
    costs = {name: [steady(left)] for name, left in (("newreno", 1.0), ("cerl", 0.5), ("veno", 0.6), ("jersey", 0.9))}
    assert "jersey" not in equals(Case(goodput, costs).judged(), "cerl")


def test_shorter_times_are_gains() -> None:
    # two thirds of the time: 1.5 times the speed
    case = Case({"newreno": [steady(3.0)], "cerl": [steady(2.0)]}, sized=True)
    assert case.judged().take == "cerl"
    assert "it gains 50.0 % ± 1.6 % speed of its transfers" in case.said()["take"]


def test_more_candidates_widen_every_interval() -> None:
    two, three = CASES["better"].contest(), CASES["equal"].contest()
    # one pair by goodput and by delay; three pairs each, and three times the neighbour
    assert (two.comparisons, three.comparisons) == (2, 9)
    assert three.confidence == pytest.approx(1.0 - 0.05 / 9)
    judged = CASES["better"].judged()
    wide = judged.gains["cerl", "newreno", 0]
    assert wide.confidence == pytest.approx(0.975)
    plain = paired_ratio(steady(1.2), steady(1.0))
    assert wide.half_width > plain.half_width
    assert judged.p["cerl", "newreno", 0] == pytest.approx(2 * paired_p(steady(1.2), steady(1.0)))


def test_the_procedure_errs_as_seldom_as_it_says() -> None:
    """Five candidates that differ by chance alone: in at most 5 % of such comparisons anything is said to gain."""
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(120):
        seeds = rng.normal(0.0, 0.05, 10)
        goodput = {f"a{at}": [list(1.0 + seeds + rng.normal(0.0, 0.05, 10))] for at in range(5)}
        judged = Case(goodput, delays={name: [[0.05] * 10] for name in goodput}).judged()
        wrong += any(gain.lo > 0.0 for gain in judged.gains.values())
    # 120 times 5 % are 6, and three standard deviations 7 more
    assert wrong <= 13


def test_fiellers_interval_has_one_exactly_if_the_t_test_tells_nothing() -> None:
    a, b = [10.0, 12.0, 11.5, 13.0], [10.5, 11.0, 11.0, 11.5]
    for confidence in (0.5, 0.8, 0.9, 0.95, 0.99):
        found = paired_ratio(a, b, confidence)
        assert (found.lo <= 1.0 <= found.hi) == (paired_p(a, b) >= 1.0 - confidence)
    assert paired_ratio(a, b).mean == pytest.approx(46.5 / 44.0)
    assert math.isnan(paired_ratio([1.0], [2.0]).lo)
    unbounded = paired_ratio([1.0, 2.0, 3.0], [-1.0, 1.0, 0.5])
    assert (unbounded.lo, unbounded.hi) == (-math.inf, math.inf)
    # where seeds change nothing, nothing is known of chance
    assert math.isnan(paired_p([1.0, 2.0], [1.0, 2.0]))
    assert math.isnan(paired_p([2.0, 3.0], [1.0, 2.0]))
    assert math.isnan(paired_p([1.0], [2.0]))


def test_skewed_intervals_show_their_ends() -> None:
    assert percent(Interval(0.1, 0.08, 0.12, 5)) == "+10.0 % ± 2.0 %"
    assert percent(Interval(0.1, 0.08, 0.2, 5)) == "+10.0 % (+8.0 % to +20.0 %)"
    assert percent(Interval(0.1, -math.inf, math.inf, 5), sign=False) == "10.0 %, without bounds from these seeds"
    assert percent(Interval(0.1, 0.02, math.inf, 5)) == "+10.0 % (at least +2.0 %)"
    assert percent(Interval(0.1, -math.inf, 0.3, 5)) == "+10.0 % (at most +30.0 %)"
    assert percent(Interval(0.1, 0.1, 0.1, 5)) == "+10.0 %"


# ---- every sentence follows from the numbers

SPREADS = (0.0, 0.002, 0.05, 0.6)
RATIOS = (0.4, 0.97, 0.997, 1.0, 1.005, 1.03, 2.5)


@st.composite
def contests(draw: st.DrawFn) -> Contest:
    """Candidates that are equal, near or far, of seeds that say much, little or nothing, at one setting or several."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    seeds, settings = draw(st.sampled_from((3, 5, 10))), draw(st.integers(1, 3))
    names = ["newreno", "cerl", "veno", "cubic"][: draw(st.integers(2, 4))]
    near = draw(st.booleans())
    values, neighbours, delays = {}, {}, {}

    def drawn(base: np.ndarray) -> list[float]:
        spread = draw(st.sampled_from(SPREADS))
        return list(draw(st.sampled_from(RATIOS)) * base * np.exp(spread * rng.standard_normal(seeds)))

    for at in range(settings):
        common = np.exp(draw(st.sampled_from(SPREADS)) * rng.standard_normal(seeds))
        for name in names:
            values[name, at], delays[name, at] = drawn(common), drawn(common)
            if near:
                neighbours[name, at] = (drawn(common), list(common))
    return Contest(values, draw(st.booleans()), neighbours, delays, names, settings, names[0])


@given(contests())
@settings(max_examples=int(os.environ.get("COVERAGE", "1")) * 300, deadline=None)
def test_every_sentence_follows_from_its_numbers(contest: Contest) -> None:
    judged = judge(contest)
    rows = [
        [row(name, delays={"flow": mean_interval(contest.delays[name, at])}) for name in contest.candidates]
        for at in range(contest.settings)
    ]
    places = [f"loss.rate = {at} %" for at in range(contest.settings)]
    said = answer(judged, rows, places, len(contest.values[contest.candidates[0], 0]))
    base, others = contest.baseline, contest.candidates[1:]
    every = {(one, at): judged.gains[one, base, at] for one in others for at in range(contest.settings)}
    for one in said:
        assert not set(one.text.split()) & {"nan", "inf", "?", "±?"}, one.text
        check(one, judged, every)
    kinds = {one.kind for one in said}
    # what is recommended is what the sentences recommend
    first = said[0].kind
    assert (first in ("take", "take-range")) == (judged.take not in (None, base))
    assert (first in ("keep", "keep-some")) == (judged.take == base)
    # without any chance, nothing is said of chance
    assert ("sure-fixed" in kinds) == contest.fixed
    assert not (contest.fixed and kinds & {"sure", "sure-none"})


def check(one: Statement, judged: Judged, every: dict[tuple[str, int], Interval]) -> None:
    """What a sentence says holds in the whole of each interval that it is about."""
    facts, base = one.facts, judged.contest.baseline
    if one.kind == "take":
        assert facts["gain"].lo > 0.0
    elif one.kind == "take-range":
        assert min(facts["least"].lo, facts["most"].lo) > 0.0
    elif one.kind == "keep":
        assert all(gain.hi <= MATTERS for gain in every.values())
    elif one.kind == "keep-some":
        kept = [
            at
            for at in range(judged.contest.settings)
            if all(g.hi <= MATTERS for (_, s), g in every.items() if s == at)
        ]
        assert 0 < len(kept) == facts["kept"] < judged.contest.settings
    elif one.kind in ("undecided", "undecided-same", "cost-open"):
        number = facts["cost" if one.kind == "cost-open" else "gain"]
        bound = 0.0 if one.kind == "cost-open" else MATTERS
        assert not (number.lo > bound or number.hi <= 0.0), "the runs do decide"
        alone = number.alone
        for_itself = alone.known and (alone.lo > 0.0 or alone.hi < 0.0)
        assert ("for itself" in one.text) == for_itself, "what the table shows is not passed over"
    elif one.kind == "undecided-equal":
        assert any(
            list(judged.contest.values[facts["next"], at]) == list(judged.contest.values[base, at])
            for at in range(judged.contest.settings)
        )
    elif one.kind == "worse":
        names = facts["others"].split("`, `")
        assert all(gain.hi < 0.0 for (name, _), gain in every.items() if name in names)
    elif one.kind == "cost":
        assert facts["cost"].lo > 0.0
    elif one.kind == "cost-gain":
        assert facts["gain"].lo > 0.0
    elif one.kind == "cost-little":
        assert -LITTLE <= facts["cost"].lo <= facts["cost"].hi <= LITTLE
    elif one.kind == "delay-best":
        assert facts["less"].lo > 0.0
        share, word = facts["share"], facts["kind"]
        assert {"better": share.lo > 0.0, "worse": share.hi < 0.0}.get(word, True)
        assert word != "same" or max(abs(share.lo), abs(share.hi)) <= MATTERS
    elif one.kind.startswith("except") or one.kind == "gains":
        for _, _, _, gain in facts["cases"]:
            if one.kind in ("except-worse", "except-other", "gains"):
                assert gain.lo > 0.0
            elif one.kind == "except-none":
                assert gain.hi <= MATTERS
            else:
                assert not (gain.lo > MATTERS or gain.hi <= 0.0)
    elif one.kind == "everywhere":
        assert all(judged.gains[str(judged.take), base, at].lo > 0.0 for at in range(judged.contest.settings))
    else:
        assert one.kind in UNCONDITIONAL, f"nothing is known of what `{one.kind}` follows from"


UNCONDITIONAL = (
    "alone",
    "one-seed",
    "split",
    "equal",
    "cost-unknown",
    "cost-baseline",
    "delay",
    "delay-group",
    "one-setting",
    "sure",
    "sure-none",
    "sure-fixed",
)
"""Kinds that say numbers with their intervals, or what was done."""


# ---- cautions


def senders(core: str) -> Senders:
    return Senders("rfc", core, False, False, 2, 3)


def cautions(*rows: Outcome, contest: Contest | None = None) -> str:
    found = doubts_of(rows, contest or CASES["better"].contest(), ["loss.rate = 1 %"] * len(rows))
    return "\n".join(found)


def test_nothing_is_doubted_without_cause() -> None:
    assert cautions(row("newreno", senders=senders("sack")), row("cerl", senders=senders("sack"))) == ""


def test_every_caution() -> None:
    fine = row("newreno")
    single = row("cerl", goodput_bps=mean_interval([1.0]))
    assert "one seed: no interval" in cautions(fine, single)
    wide = cautions(fine, row("cerl", goodput_bps=mean_interval(noisy(1.0))), contest=CASES["undecided"].contest())
    assert "the goodput of `cerl` (loss.rate = 1 %) is known to ±32% only: about " in wide
    young = row("cerl", never_left_slow_start=mean_interval([0.5] * SEEDS))
    assert "50% of the flows of `cerl` (loss.rate = 1 %) never left slow start: what was measured" in cautions(
        fine, young
    )
    both = cautions(young, young)
    assert "never left slow start, and in 1 more of 2 rows" in both
    held = row(
        "cerl", limits={"rwnd": mean_interval([0.9] * SEEDS)}, unfinished=Interval(math.nan, math.nan, math.nan, 0)
    )
    assert "waited for the receiver's window 90% of the time: a larger `flows.tcp.window`" in cautions(fine, held)
    idle = replace(held, limits={"application": mean_interval([0.8] * SEEDS)})
    assert "waited for its application 80% of the time: more data to send" in cautions(fine, idle)
    # a transfer of given size waits for its last ACKs: no caution
    assert cautions(fine, replace(idle, unfinished=mean_interval([0.0] * SEEDS))) == ""
    unfinished = row("cerl", unfinished=mean_interval([0.25] * SEEDS))
    assert "25.0% of the transfers of `cerl` (loss.rate = 1 %) did not end" in cautions(fine, unfinished)
    mixed = cautions(row("newreno", senders=senders("newreno")), row("cubic", senders=senders("sack")))
    assert "differ by the recovery core, too (newreno: newreno; sack: cubic)" in mixed


def test_a_starved_neighbour_is_named_with_its_settings() -> None:
    assert about_starved([]) == []
    assert "what a flow of the group gets (loss.rate = 1 %): it has" in about_starved(["loss.rate = 1 %"])[0]
    assert "what a flow of the group gets: it has" in about_starved([""])[0]
