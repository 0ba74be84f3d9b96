"""Reproduced or compatible: both sides of every border between them; the arithmetic stands in the comments."""

from __future__ import annotations

import colorsys
import re
from importlib import resources
from typing import Any

import numpy as np
import pytest
from test_sequential import MOST, drawn, judged
from test_sequential import measured as seen
from test_verdicts import flat, gain, rank, spread, table

from windlass import ledger, verdicts
from windlass.ledger import Check
from windlass.ledger.checks import owned
from windlass.ledger.model import Reason
from windlass.report import words
from windlass.reproduce import screen
from windlass.reproduce.looks import ERROR, Looks
from windlass.verdicts import Data, judge, judgement
from windlass.verdicts.strict import latitudes


def one(ratio: float) -> Data:
    """a that many times b, at one point."""
    return table({"a": [flat(ratio)], "b": [flat(1.0)]})


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [
        (1.40, "reproduced"),  # a quarter of 40 is 10: 30..50
        (1.499, "reproduced"),
        (1.301, "reproduced"),
        (1.501, "compatible"),  # inside 20..60
        (1.299, "compatible"),
        (1.599, "compatible"),
        (1.601, "direction only"),
    ],
)
def test_a_tolerance_of_half_the_claim_carries_to_compatible(measured: float, verdict: str) -> None:
    found = judge(gain(40, 20, pick="point"), one(measured))
    assert found.verdict == verdict
    assert ("more than a quarter of the claim" in found.latitude) == (verdict == "compatible")
    assert found.to_dict()["latitude"] == found.latitude


@pytest.mark.parametrize(("tolerance", "verdict"), [(10.0, "reproduced"), (10.01, "reproduced"), (20.0, "compatible")])
def test_a_tolerance_up_to_a_quarter_is_strict(tolerance: float, verdict: str) -> None:
    """+50 % or less is within 10 of 40; with 20 allowed, +55 % is inside ours alone."""
    assert judge(gain(40, tolerance, pick="point"), one(1.55 if tolerance == 20.0 else 1.4999)).verdict == verdict


def test_a_tolerance_in_the_papers_words_counts_whole() -> None:
    """+55 % in 20..60, which the paper itself says."""
    check = gain(40, 20, pick="point")
    assert judge(check, one(1.55)).verdict == "compatible"
    assert judge(Check(check.kind, check.fields, whose="paper"), one(1.55)).verdict == "reproduced"


def test_the_most_favourable_point_of_several() -> None:
    both = table({"a": [flat(1.4), flat(1.45)], "b": [flat(1.0)] * 2}, (0, 1))
    one_of_two = table({"a": [flat(1.4), flat(1.0)], "b": [flat(1.0)] * 2}, (0, 1))
    assert judge(gain(40, 8), both).verdict == "reproduced"
    found = judge(gain(40, 8), one_of_two)
    assert (found.verdict, "most favourable" in found.latitude) == ("compatible", True)
    assert judge(gain(40, 8, at={"q_percent": 0}), one_of_two).verdict == "reproduced"  # the only point


def test_an_interval_inside_and_over_the_edge() -> None:
    """32..48 is the band, 8 the tolerance: 45 ± 3 touches its edge, 45 ± 3.5 is 7 wide and reaches over it."""
    inside = table({"a": [spread(1.45, 0.0299)], "b": [flat(1.0)]})
    over = table({"a": [spread(1.45, 0.035)], "b": [flat(1.0)]})
    wide = table({"a": [spread(1.45, 0.045)], "b": [flat(1.0)]})
    assert judge(gain(40, 8, pick="point"), inside).verdict == "reproduced"
    found = judge(gain(40, 8, pick="point"), over)
    assert (found.verdict, found.latitude) == ("compatible", "the interval reaches over the edge of the tolerance")
    assert found.rows[0]["reply"] == "yes"
    assert judge(gain(40, 8), over).latitude == f"at its most favourable point {found.latitude}"
    assert judge(gain(40, 8, pick="point"), wide).verdict == "undecided"


def test_what_a_graded_verdict_can_become() -> None:
    """20..60 with our tolerance of 20; strictly 30..50, and no wider than 10."""
    check = gain(40, 20, pick="point")

    def of(mean: float, half: float) -> tuple[str, frozenset[str]]:
        found = judge(check, table({"a": [spread(mean, half)], "b": [flat(1.0)]}))
        assert found.settled == (found.finals == {found.verdict})
        assert bool(found.open_cells) != found.settled
        return found.verdict, found.finals

    assert of(1.40, 0.09) == ("reproduced", {"reproduced"})  # 31 to 49
    assert of(1.45, 0.10) == ("compatible", {"reproduced", "compatible"})  # 35 to 55, wider than 10
    assert of(1.48, 0.04) == ("compatible", {"compatible"})  # 44 to 52: over the strict edge, and tight
    assert of(1.55, 0.02) == ("compatible", {"compatible"})  # 53 to 57
    assert of(1.58, 0.05) == ("compatible", {"compatible"})  # 53 to 63: over our edge, tight
    assert of(1.55, 0.15) == ("undecided", {"reproduced", "compatible", "direction only"})  # 40 to 70
    assert of(1.70, 0.15) == ("undecided", {"compatible", "direction only"})  # 55 to 85: strictly no more


def test_why_a_claim_is_compatible_says_what_is_not_settled() -> None:
    check = gain(40, 20, pick="point")
    settled = judge(check, table({"a": [spread(1.55, 0.02)], "b": [flat(1.0)]})).latitude
    unsettled = judge(check, table({"a": [spread(1.45, 0.10)], "b": [flat(1.0)]})).latitude
    wide = "it is met inside our tolerance, which is more than a quarter of the claim either way"
    assert settled == f"{wide}, and not inside a quarter"
    assert unsettled == f"{wide}; whether also inside a quarter is not settled"
    both = table({"a": [flat(1.55), flat(1.0)], "b": [flat(1.0)] * 2}, (0, 1))
    assert judge(gain(40, 20), both).latitude == (
        "it is met at its most favourable point and inside our tolerance, which is more than a quarter of the claim "
        "either way, and not at every point that it covers nor inside a quarter"
    )


def test_a_share_of_the_points_and_all_of_them() -> None:
    most = table({"a": [flat(2.0)] * 3 + [flat(0.5)], "b": [flat(1.0)] * 4}, (1, 2, 3, 4))
    every = table({"a": [flat(2.0)] * 4, "b": [flat(1.0)] * 4}, (1, 2, 3, 4))
    assert judge(rank(["a", "b"], share=0.7), every).verdict == "reproduced"
    found = judge(rank(["a", "b"], share=0.7), most)
    assert (found.verdict, "share of points" in found.latitude) == ("compatible", True)
    mostly = rank(["a", "b"], share=0.7)
    assert judge(Check(mostly.kind, mostly.fields, whose="paper"), most).verdict == "reproduced"


def test_likeness_inside_a_quarter_and_beyond() -> None:
    fields: dict[str, Any] = {"metric": "throughput", "among": ["a", "b"], "within_rel": 0.4, "share": 1.0}
    assert judge(Check("close", fields), one(1.3)).verdict == "reproduced"  # b is 23 % below a
    assert judge(Check("close", fields), one(1.4)).verdict == "compatible"  # 29 %
    assert judge(Check("close", fields), one(2.0)).verdict == "contradicted"


def test_ranges_and_values() -> None:
    """20 to 40 %, widened by 12: a quarter of the middle is 7.5, so 12.5 to 47.5 is strict."""
    band = {"metric": "throughput", "a": "a", "b": "b", "percent_range": [20, 40], "tolerance_pp": 12, "pick": "point"}
    assert judge(Check("gain-band", band), one(1.47)).verdict == "reproduced"
    assert judge(Check("gain-band", band), one(1.48)).verdict == "compatible"
    value = {"metric": "throughput", "a": "a", "value": 4.0, "tolerance_rel": 0.3}
    assert judge(Check("value", value), one(4.9)).verdict == "reproduced"
    assert judge(Check("value", value), one(5.1)).verdict == "compatible"
    assert judge(Check("value", value), one(5.3)).verdict == "contradicted"


def test_an_order_with_a_quarter_of_tau_and_with_more() -> None:
    """Of five, one neighbouring pair turned: tau (9 - 1) / 10 = 0.8; two: 0.6."""
    names = list("abcde")
    fields = {"metric": "throughput", "best_first": names, "tie_rel": 0.01, "min_tau": 0.6}
    turned = table({name: [flat(value)] for name, value in zip(names, (4.0, 5.0, 3.0, 2.0, 1.0), strict=True)})
    twice = table({name: [flat(value)] for name, value in zip(names, (4.0, 5.0, 2.0, 3.0, 1.0), strict=True)})
    assert judge(Check("order", fields), turned).verdict == "reproduced"
    assert judge(Check("order", fields), twice).verdict == "compatible"


# ---- the margin for ties ----


def behind(lead: float, half: float = 0.0) -> Data:
    """b is ahead of a by that many percent, give or take."""
    return table({"a": [flat(1.0)], "b": [spread(1 + lead / 100, half / 100)]})


@pytest.mark.parametrize(
    ("lead", "half", "verdict", "finals"),
    [
        (2.3, 0.6, "compatible", {"compatible"}),  # 1.7 to 2.9
        (0.4, 0.3, "compatible", {"compatible"}),  # 0.1 to 0.7: little, but no chance
        (0.2, 0.3, "reproduced", {"reproduced"}),  # -0.1 to 0.5 may be none, and is no wider than 3
        (1.0, 1.8, "reproduced", {"reproduced", "compatible"}),  # -0.8 to 2.8 may be none, and is wider
        (-2.3, 0.6, "reproduced", {"reproduced"}),
        (-1.0, 2.5, "reproduced", {"reproduced", "compatible"}),  # -3.5 to 1.5
        (0.0, 0.0, "reproduced", {"reproduced"}),
        (1e-13, 0.0, "reproduced", {"reproduced"}),  # the last digit of a division
        (2.5, 1.0, "undecided", {"compatible", "contradicted"}),  # 1.5 to 3.5: ahead, and perhaps by more than 3
        (2.0, 2.5, "undecided", {"reproduced", "compatible", "contradicted"}),  # -0.5 to 4.5
        (4.0, 0.6, "contradicted", {"contradicted"}),
    ],
)
def test_a_rank_that_only_the_margin_for_ties_saves(lead: float, half: float, verdict: str, finals: set[str]) -> None:
    first, last = rank(["a", "b"]), rank(["b", "a"], position=2, a="b")
    for check in (first, last):
        found = judge(check, behind(lead, half))
        assert (found.verdict, found.finals) == (verdict, finals)
        assert bool(found.open_cells) != found.settled
        paper = judge(Check(check.kind, check.fields, whose="paper"), behind(lead, half))
        assert paper.verdict == ("reproduced" if verdict == "compatible" else verdict)


def test_a_tie_that_stays_because_its_interval_is_narrow_says_so() -> None:
    assert judge(rank(["a", "b"]), behind(0.2, 0.3)).narrow
    assert not judge(rank(["a", "b"]), behind(0.0)).narrow
    assert not judge(rank(["a", "b"]), behind(1.0, 1.8)).narrow
    assert not judge(rank(["a", "b"]), behind(2.3, 0.6)).narrow


def test_highest_and_lowest_as_in_a_figure_of_delays() -> None:
    """Vegas is above NewReno by 139.21 / 136.84 - 1 = 1.7 %, and NewReno should be highest; Tahoe is below SACK by
    0.2 ± 0.4 %, which may be none.
    """
    means = {"newreno": 136.84, "vegas": 139.21, "reno": 136.0, "sack": 135.77}
    data = table({**{name: [flat(mean)] for name, mean in means.items()}, "tahoe": [spread(135.51, 0.54)]})
    names = ["tahoe", "reno", "newreno", "vegas", "sack"]
    lowest = rank(names, a="sack", lower_is_better=True)
    highest = rank(names, a="newreno", position=5, lower_is_better=True)
    assert judge(lowest, data).verdict == "reproduced"
    assert judge(lowest, data).measured == "sack first of 5; sack against tahoe +0.2 % [-0.2, +0.6]"
    found = judge(Check(lowest.kind, lowest.fields, also=(highest,)), data)
    assert found.verdict == "compatible"
    assert found.latitude == ("it is met only within the margin of 3 %: newreno is ahead of vegas by 1.7 % [1.7, 1.7]")
    assert "newreno last of 5 or within 3 %; vegas against newreno +1.7 %" in found.measured


def test_why_a_rank_is_compatible_names_the_largest_lead_and_where() -> None:
    rows = {"a": [flat(1.0)] * 4, "b": [flat(0.5), flat(1.01), flat(1.02), flat(1.5)]}
    data = table(rows, (1, 2, 3, 4))
    found = judge(rank(["a", "b"], except_at={"q_percent": 4}), data)
    assert found.latitude == (
        "it is met only within the margin of 3 %: b is ahead of a by 2.0 % [2.0, 2.0] at q = 3 %, and 1 more like it"
    )
    # 4 is outside the margin: what the margin saves is still 2 and 3
    assert judge(rank(["a", "b"], share=0.7), data).latitude == (
        "it is met at the share of points that we ask for and only within the margin of 3 %, and not at every point "
        "that it covers nor without that margin: b is ahead of a by 2.0 % [2.0, 2.0] at q = 3 %, and 1 more like it"
    )
    last = judge(rank(["a", "b"], at={"q_percent": 1}, last_at={"q_percent": [2, 3]}), data)
    assert last.verdict == "reproduced"
    turned = table({"a": [flat(1.0), flat(1.02)], "b": [flat(0.5), flat(1.0)]}, (1, 2))
    last = judge(rank(["a", "b"], at={"q_percent": 1}, last_at={"q_percent": 2}), turned)
    assert (last.verdict, last.latitude.partition(": ")[2]) == (
        "compatible",
        "a is ahead of b by 2.0 % [2.0, 2.0] at q = 2 %",
    )


def test_a_rank_in_the_middle_that_only_the_margin_saves() -> None:
    """c is ahead of a beyond the margin, which one may be; b is so inside it."""
    data = table({"a": [flat(1.0)], "b": [flat(1.02)], "c": [flat(1.5)]})
    found = judge(rank(["a", "b", "c"], position=2), data)
    assert (found.verdict, found.latitude.partition(": ")[2]) == ("compatible", "b is ahead of a by 2.0 % [2.0, 2.0]")
    assert judge(rank(["a", "b", "c"], position=3), data).verdict == "reproduced"


def test_a_wider_margin_makes_a_denied_rank_harder() -> None:
    """b is 2 % ahead: a is not first, but for the margin it may be."""
    assert judge(rank(["a", "b"], negate=True), behind(2.0)).verdict == "contradicted"
    assert judge(rank(["a", "b"], negate=True), behind(4.0)).verdict == "reproduced"


def test_an_order_that_only_the_margin_for_ties_saves() -> None:
    """Of 10 pairs 9 are right, and d, e are the wrong way round by 2 %: 0.9 as a tie, (9 - 1) / 10 = 0.8 without."""
    names = list("abcde")
    fields = {"metric": "throughput", "best_first": names, "tie_rel": 0.03, "min_tau": 0.9}

    def of(last: dict[int, float], **other: Any) -> Any:
        rows = {name: [flat(value)] for name, value in zip("abcd", (5.0, 4.0, 3.0, 1.0), strict=True)}
        return judge(Check("order", {**fields, **other}), table({**rows, "e": [last]}))

    found = of(flat(1.02))
    assert found.verdict == "compatible"
    assert found.latitude == "it is met only within the margin of 3 %: e is ahead of d by 2.0 % [2.0, 2.0]"
    assert found.measured == "Kendall's tau 0.90 over 10 pairs, 0.9 is asked"
    assert of(flat(1.02), min_tau=0.8).verdict == "reproduced"  # met without the margin, too
    assert of(flat(0.98)).verdict == "reproduced"  # a tie as before, the right way round
    assert of(flat(1.02), min_tau=1.0).verdict == "direction only"
    assert of(flat(1.02), ties=[["d", "e"]], min_tau=1.0).verdict == "reproduced"  # claimed to be alike
    chance, narrow = of(spread(1.01, 0.018)), of(spread(1.002, 0.004))  # both may be none
    assert (chance.verdict, chance.finals) == ("reproduced", {"reproduced", "compatible"})
    assert {variant for _, variant, _ in chance.open_cells} == {"d", "e"}
    assert (narrow.verdict, narrow.settled, narrow.narrow) == ("reproduced", True, True)


@pytest.mark.parametrize(
    ("ahead", "verdict"), [(-1.5, "reproduced"), (0.0, "reproduced"), (2.0, "compatible"), (4.5, "contradicted")]
)
def test_ranks_with_seeds_as_needed_are_those_of_all_seeds(ahead: float, verdict: str) -> None:
    """b is truly ahead by that many percent, with a margin of 3 %; the two scatter by 0.7 % each."""
    rng = np.random.default_rng(96)
    trials = 200
    pairs = [drawn(rng, 1.0 / (1.0 + ahead / 100), 0.05, 0.007) for _ in range(trials)]
    sure, once = Looks.sequential(10).confidence, Looks.fixed(MOST).confidence
    found = [judged(rank(["a", "b"]), *pair, sure, foresight=True) for pair in pairs]
    fixed = [judge(rank(["a", "b"]), seen(*pair, MOST, once)).verdict for pair in pairs]
    assert fixed.count(verdict) > 0.9 * trials  # of true ties one in forty is told apart
    same = sum(judgement.verdict == whole for (judgement, _), whole in zip(found, fixed, strict=True))
    assert same > (1 - 2 * ERROR) * trials
    assert np.mean([count for _, count in found]) < 0.6 * MOST


def test_one_compatible_part_makes_the_whole_compatible() -> None:
    check = gain(40, 20, pick="point")
    wide = Check("gain", {**check.fields, "percent": 50.0, "tolerance_pp": 25.0})  # 37.5..62.5 is strict
    tight = Check("gain", {**check.fields, "percent": 60.0, "tolerance_pp": 30.0})  # 45..75 is strict, 30..90 is not
    assert judge(Check(check.kind, check.fields, also=(wide,)), one(1.43)).verdict == "reproduced"
    assert judge(Check(check.kind, check.fields, also=(tight,)), one(1.43)).verdict == "compatible"


def test_nothing_is_made_worse_than_compatible_or_better_than_it_was() -> None:
    for measured, verdict in ((1.0, "contradicted"), (1.1, "direction only")):
        assert judge(gain(40, 20), one(measured)).verdict == verdict
    assert judge(gain(0, 5, pick="point"), one(1.04)).verdict == "reproduced"  # a claim of no gain has no size


def test_whose_a_tolerance_is() -> None:
    reasons = {"last-digit": Reason("printed", "paper"), "guess": Reason("unstated", "ours")}
    part = Check("bound", {}, whose="")
    assert owned(Check("bound", {}, why="last-digit", whose="", also=(part,)), reasons).also[0].whose == "paper"
    assert owned(Check("bound", {}, why="guess", whose=""), reasons).whose == "ours"
    assert owned(Check("bound", {}, why="guess", whose="paper"), reasons).whose == "paper"
    assert owned(part, reasons).whose == "ours"
    for paper in ledger.papers():
        for claim in ledger.load(paper).claims:
            assert all(check.whose in ("paper", "ours") for check in (claim.check, *claim.check.also)), claim.id
    assert latitudes(gain(40, 10, pick="point")) == []


def test_every_verdict_is_in_every_list() -> None:
    known = set(verdicts.VERDICTS)
    assert len(known) == len(verdicts.VERDICTS) == 7
    assert set(judgement.WORST_FIRST) == set(judgement.BEST_FIRST) == known
    assert set(words.GOOD_WORDS) == set(words.RULES) == set(screen.COLOURS) == known
    assert len(set(screen.COLOURS.values())) == len(known)


def test_reproduced_and_compatible_are_told_apart_in_grey() -> None:
    """The page's badge of compatible has a mark and a border of its own; every verdict has its class."""
    style = (resources.files("windlass") / "templates" / "style.css").read_text()
    for verdict in verdicts.VERDICTS:
        assert re.search(rf"^\.{words.slug(verdict)} \{{", style, re.MULTILINE), verdict
    assert re.search(r"^\.compatible::before \{ content:", style, re.MULTILINE)
    assert "border: 1px dashed" in next(line for line in style.splitlines() if line.startswith(".compatible {"))
    hues = {name: colorsys.rgb_to_hls(*rgb(style, name))[0] for name in ("good", "near", "part", "open")}
    assert min(abs(hues["near"] - hue) for name, hue in hues.items() if name != "near") > 0.05


def rgb(style: str, name: str) -> tuple[float, float, float]:
    """The first colour of that name."""
    text = re.search(rf"--{name}: #(\w{{6}})", style)
    assert text is not None
    red, green, blue = (int(text[1][at : at + 2], 16) / 255 for at in (0, 2, 4))
    return red, green, blue
