"""Reproduced or compatible: both sides of every border between them; the arithmetic stands in the comments."""

from __future__ import annotations

import colorsys
import re
from importlib import resources
from typing import Any

import pytest
from test_verdicts import flat, gain, rank, spread, table

from windlass import ledger, verdicts
from windlass.ledger import Check
from windlass.ledger.checks import owned
from windlass.ledger.model import Reason
from windlass.report import words
from windlass.reproduce import screen
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
