"""Verdict rules, with tables made by hand; the arithmetic stands in the comments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from windlass import experiments, ledger, verdicts
from windlass.ledger import Check
from windlass.verdicts import Data, Interval, Limit, judge
from windlass.verdicts.answers import Answer, from_answers, soonest
from windlass.verdicts.judgement import Judgement, all_parts

# Student's t for 95 % and n - 1 = 2 and 9.
T2, T9 = 4.302653, 2.262157


def spread(mean: float, half: float, n: int = 10) -> dict[int, float]:
    """Samples over n seeds with that mean and 95 % half-width.

    Half of the seeds stand d above and half d below, so the deviation is d sqrt(n / (n - 1)) and the half-width t d /
    sqrt(n - 1).
    """
    t = {10: T9}[n]
    d = half * math.sqrt(n - 1) / t
    return {seed: mean + (d if seed % 2 else -d) for seed in range(1, n + 1)}


def flat(value: float, n: int = 10) -> dict[int, float]:
    """The same value at every seed."""
    return {seed: value for seed in range(1, n + 1)}


def table(
    rows: Mapping[str, Sequence[Mapping[int, float]]],
    points: Sequence[Any] = (1,),
    axis: str = "q_percent",
    **fixed: Any,
) -> Data:
    """Data with one axis: for each variant its samples at each point."""
    values = {
        ("throughput", name, (point,)): samples
        for name, row in rows.items()
        for point, samples in zip(points, row, strict=True)
    }
    return Data("p/fig1", (axis,), tuple((point,) for point in points), fixed, values)


def gain(percent: float, tolerance: float, **fields: Any) -> Check:
    return Check(
        "gain",
        {
            "metric": "throughput",
            "a": "a",
            "b": "b",
            "percent": percent,
            "tolerance_pp": tolerance,
            "pick": "best",
            **fields,
        },
    )


def rank(among: Sequence[str], position: int = 1, share: float = 1.0, **fields: Any) -> Check:
    return Check(
        "rank",
        {
            "metric": "throughput",
            "a": "a",
            "among": list(among),
            "position": position,
            "tie_rel": 0.03,
            "share": share,
            **fields,
        },
    )


# ---- intervals ----


def test_mean_and_interval_of_three_seeds() -> None:
    """1, 2, 3: mean 2, deviation 1, half-width 4.303 / sqrt(3) = 2.484."""
    found = verdicts.mean({1: 1.0, 2: 2.0, 3: 3.0})
    assert found.mean == 2.0
    assert found.half_width == pytest.approx(T2 / math.sqrt(3), rel=1e-5)


def test_a_single_seed_has_no_bound() -> None:
    found = verdicts.mean({1: 5.0})
    assert (found.mean, found.lo, found.hi) == (5.0, -math.inf, math.inf)
    assert "one run" in found.text("Mbps")


def test_ratio_is_paired_by_seed() -> None:
    """Both vary by a factor of ten over seeds, their ratio is always 1.5: the interval is a point. Seed 4 has no
    partner."""
    found = verdicts.ratio({1: 1.5, 2: 15.0, 3: 6.0, 4: 9.0}, {1: 1.0, 2: 10.0, 3: 4.0})
    assert found.n == 3
    assert found.mean == pytest.approx(1.5)
    assert found.half_width == pytest.approx(0.0, abs=1e-12)


def test_ratio_by_hand() -> None:
    """a = 2, 4; b = 1, 3: R = 6/4 = 1.5; (a - R b)/mean b = 0.25, -0.25; deviation 0.3536, t(1) = 12.706, half
    3.177."""
    found = verdicts.ratio({1: 2.0, 2: 4.0}, {1: 1.0, 2: 3.0})
    assert found.mean == 1.5
    assert found.half_width == pytest.approx(12.7062 * math.sqrt(0.125) / math.sqrt(2), rel=1e-4)


def test_where_each_point_is_a_run_it_is_judged_by_itself() -> None:
    """Seeds along an axis, one run each: a leads in two of three, and over all three by (5 / 4.5 - 1) = 11 %."""
    rows = {"a": (2.0, 2.0, 1.0), "b": (1.0, 1.5, 2.0)}
    values = {
        ("throughput", name, (seed,)): {seed: number} for name, row in rows.items() for seed, number in enumerate(row)
    }
    data = Data("p/fig1", ("seed",), ((0,), (1,), (2,)), {}, values, by_run=True)
    found = judge(rank(["a", "b"], share=0.6), data)
    assert [row["reply"] for row in found.rows] == ["yes", "yes", "no"]
    assert found.verdict == "compatible"
    assert judge(rank(["a", "b"], share=0.7), data).verdict == "direction only"
    not_below = {"metric": "throughput", "a": "a", "b": "b", "pick": "mean", "slack_rel": 0.05}
    (row,) = judge(Check("not-below", not_below), data).rows
    assert row["mean"] == pytest.approx(100 * (5 / 4.5 - 1))
    assert row["low"] < row["mean"] < row["high"]  # over runs there is an interval
    assert judge(rank(["a", "b"], share=0.6), replace(data, by_run=False)).verdict == "undecided"


def test_ratios_with_zeros() -> None:
    assert verdicts.ratio(flat(0.0), flat(0.0)).mean == 1.0
    assert verdicts.ratio(flat(1.0), flat(0.0)).mean == math.inf


# ---- gains ----


@pytest.mark.parametrize(
    ("measured", "percent", "tolerance", "verdict"),
    [
        (1.40, 46, 23, "reproduced"),  # +40 % lies in 23..69
        (1.80, 46, 23, "direction only"),  # +80 % is above 69, right sign
        (1.10, 46, 23, "direction only"),  # +10 % is below 23, right sign
        (1.00, 46, 23, "contradicted"),  # 0 % is outside, and no gain
        (0.70, 46, 23, "contradicted"),  # -30 %
        (0.70, -30, 5, "reproduced"),
        (0.90, -30, 5, "direction only"),
    ],
)
def test_gain_against_its_band(measured: float, percent: float, tolerance: float, verdict: str) -> None:
    data = table({"a": [flat(measured)], "b": [flat(1.0)]})
    assert judge(gain(percent, tolerance), data).verdict == verdict


def test_a_wide_interval_is_undecided_and_says_how_many_seeds() -> None:
    """+40 ± 30 % meets 23..69 and is 60 wide, more than the tolerance 23.

    A width of 23 needs half-widths of 11.5 in place of 30: 10 (30 / 11.5)^2 = 68.05, so 69 seeds.
    """
    data = table({"a": [spread(1.40, 0.30)], "b": [flat(1.0)]})
    found = judge(gain(46, 23), data)
    assert found.verdict == "undecided"
    assert found.seeds_needed == 69


def test_an_interval_over_the_edge_counts_if_it_is_narrow() -> None:
    """+70 ± 5 %: 65..75 meets 23..69 and is 10 wide, less than 23; but it is not inside."""
    data = table({"a": [spread(1.70, 0.05)], "b": [flat(1.0)]})
    assert judge(gain(46, 23), data).verdict == "compatible"


def test_the_most_favourable_point_counts() -> None:
    """-10 % at 0, +44 % at 1, +90 % at 2: the second lies in 23..69, and it is the only one."""
    data = table({"a": [flat(0.9), flat(1.44), flat(1.9)], "b": [flat(1.0)] * 3}, (0, 1, 2))
    found = judge(gain(46, 23), data)
    assert found.verdict == "compatible"
    assert "most favourable point" in found.latitude
    assert found.measured == "+44.0 % [+44.0, +44.0] at q = 1 %"
    assert [row["reply"] for row in found.rows] == ["no", "yes", "no"]


def test_a_gain_that_jumps_over_the_band_is_remarked() -> None:
    data = table({"a": [flat(1.05), flat(1.9)], "b": [flat(1.0)] * 2}, (1, 2))
    found = judge(gain(46, 23), data)
    assert found.verdict == "direction only"
    assert "passes through the claimed range between q = 1 % and q = 2 %" in found.measured


def test_the_mean_over_points_is_one_number() -> None:
    """a 1 and 4, b 1 and 2: 5 / 3 is +66.7 %."""
    data = table({"a": [flat(1.0), flat(4.0)], "b": [flat(1.0), flat(2.0)]}, (1, 2))
    found = judge(gain(66.7, 1, pick="mean"), data)
    assert found.verdict == "reproduced"


def test_at_selects_points_and_fixed_values() -> None:
    data = table({"a": [flat(1.0), flat(2.0)], "b": [flat(1.0)] * 2}, (1, 2), rate_L_mbps=8)
    assert judge(gain(100, 5, pick="point", at={"q_percent": 2}), data).verdict == "reproduced"
    assert judge(gain(100, 5, at={"rate_L_mbps": 8}), data).verdict == "compatible"  # at one of two points
    assert judge(gain(100, 5, at={"rate_L_mbps": 9}), data).verdict == "not measurable"
    assert (
        judge(gain(100, 5, at={"ifq": 9}), data).reason
        == "the claim needs `ifq`, which this experiment neither sweeps nor fixes"
    )


def test_bands_reductions_and_lower_bounds() -> None:
    data = table({"a": [flat(1.2)], "b": [flat(1.0)], "c": [flat(1.1)], "d": [flat(2.0)]})
    fields = {"metric": "throughput", "a": "a", "pick": "point", "tolerance_pp": 3.0}
    # +20 % over b and +9.1 % over c lie in 7..18 widened to 4..21.
    assert (
        judge(Check("gain-band", {**fields, "b": ["b", "c"], "percent_range": [7, 18]}), data).verdict == "reproduced"
    )
    # -40 % against d does not.
    assert (
        judge(Check("gain-band", {**fields, "b": ["b", "d"], "percent_range": [7, 18]}), data).verdict == "contradicted"
    )
    # 1 - 1.2 / 2 is 40 %.
    assert judge(Check("reduction", {**fields, "b": "d", "percent": 40}), data).verdict == "reproduced"
    assert judge(gain(10, 5, at_least=True), data).verdict == "reproduced"


# ---- impossible ----


# Sum of ten NewReno flows as ns-2 measures it at 1 % loss, by rate of L: mean and half-width, Mbps.
NS2_NEWRENO = {
    5: (4.7663, 0.0032),
    10: (7.3183, 0.0411),
    15: (7.3540, 0.0405),
    20: (7.3517, 0.0424),
    25: (7.3770, 0.0322),
}


def fig36() -> tuple[Data, verdicts.Limits]:
    book, experiment = ledger.experiment("saedi2019/fig3.6")
    rows = [spread(mean / 10, half / 10) for mean, half in NS2_NEWRENO.values()]
    data = table({"newreno": rows, "cerl": [flat(0.9)] * 5}, tuple(NS2_NEWRENO), "rate_L_mbps", q_percent=1)
    (case,) = experiments.cases(book, experiment, experiments.points_of(experiment), ["cerl"])
    points = dict(zip(case.points, case.scenario.points(), strict=True))

    def limits(point: tuple[Any, ...], variant: str, at_once: bool = False, /) -> Limit | None:
        return experiments.capacity(book.topologies["net1"], points[point], None, at_once=at_once)

    return data, limits


def test_fig36_is_impossible() -> None:
    """169 - 60 = 109 % would be needed.

    Ten access links carry 10 x 1460/1500 = 9.733; over 7.3183 - 0.0411 = 7.2772 that is a gain of 33.75 % at the most.
    """
    data, limits = fig36()
    claim = next(claim for claim in ledger.load("saedi2019").claims if claim.id == "saedi2019/fig3.6/1")
    found = judge(claim.check, data, limits=limits)
    assert found.verdict == "impossible"
    assert found.arithmetic == (
        "10 × 1 Mbps sender links carry at most 9.73 Mbps of payload (1460 of every 1500 B). At rate L = 10 Mbps newreno already "
        "gets 7.32 ± 0.04 Mbps, so the largest possible gain is 34 %. The claim is 169 %, at least 109 % with its tolerance."
    )
    assert [round(row["percent"], 1) for row in found.largest] == [7.6, 33.8, 33.1, 33.2, 32.5]


def test_the_narrow_link_is_allowed_the_time_before_the_last_start() -> None:
    """5 x 1460/1500 = 4.867; 200 s of it over the 190 s of the last to start are 5.123, and over 4.7631 that is 7.55
    %."""
    _, limits = fig36()
    cap = limits((5,), "cerl")
    assert cap is not None
    assert cap.total_mbps == pytest.approx(5.1228, abs=1e-4)
    assert verdicts.largest_gain_percent(cap, Interval(0.47663, 0.47631, 0.47695, 10)) == pytest.approx(7.55, abs=0.01)


def test_one_point_with_room_is_enough_to_be_possible() -> None:
    """At the second point b gets 0.1 of 1.0: +900 % is possible, so the claim is judged by what was measured."""
    cap = Limit(10.0, 1.0, 10, "The link carries 10 Mbps.")
    data = table({"a": [flat(0.9), flat(0.11)], "b": [flat(0.8), flat(0.1)]}, (1, 2))
    found = judge(gain(169, 60), data, limits=lambda *_: cap)
    assert found.verdict == "direction only"
    assert judge(gain(169, 60, at={"q_percent": 1}), data, limits=lambda *_: cap).verdict == "impossible"


def test_a_value_above_the_capacity_is_impossible() -> None:
    cap = Limit(10.0, 1.0, 10, "The link carries 10 Mbps.")
    data = table({"a": [flat(0.9)]})
    check = Check("value", {"metric": "throughput", "a": "a", "value": 1.79, "unit": "Mbps", "tolerance_rel": 0.3})
    # 1.79 less 30 % is 1.253, above 1.0.
    assert judge(check, data, limits=lambda *_: cap).verdict == "impossible"


# ---- order and likeness ----


def test_rank_with_ties_in_favour() -> None:
    """b is 2 % ahead, inside the tie of 3 %; c is 5 % ahead, outside."""
    data = table({"a": [flat(1.0)], "b": [flat(1.02)], "c": [flat(1.05)]})
    found = judge(rank(["a", "b"]), data)
    assert found.verdict == "compatible"
    assert found.latitude == "it is met only within the margin of 3 %: b is ahead of a by 2.0 % [2.0, 2.0]"
    assert judge(replace(rank(["a", "b"]), whose="paper"), data).verdict == "reproduced"
    assert judge(rank(["a", "b", "c"]), data).verdict == "contradicted"
    assert judge(rank(["a", "b", "c"], position=2), data).verdict == "compatible"
    assert judge(rank(["a", "b", "c"], position=3), data).verdict == "reproduced"
    assert judge(rank(["a", "b", "c"], lower_is_better=True), data).verdict == "reproduced"
    assert judge(rank(["a", "c"], negate=True), data).verdict == "reproduced"


def test_a_lead_that_may_be_none_is_a_tie() -> None:
    """b is ahead by 0.5 ± 1.5 %: it may as well be behind."""
    data = table({"a": [flat(1.0)], "b": [spread(1.005, 0.015)]})
    assert judge(rank(["a", "b"]), data).verdict == "reproduced"


@pytest.mark.parametrize(
    ("position", "others", "words"),
    [
        (1, (0.9, 0.5), "a first of 3; b against a -10.0 %"),
        (2, (1.1, 0.5), "a number 2 of 3; a against b -9.1 %"),
        (3, (1.1, 1.5), "a last of 3; a against b -9.1 %"),
    ],
)
def test_a_rank_names_the_rival_that_comes_nearest_to_another_place(
    position: int, others: tuple[float, float], words: str
) -> None:
    data = table({"a": [flat(1.0)], "b": [flat(others[0])], "c": [flat(others[1])]})
    found = judge(rank(["a", "b", "c"], position=position), data)
    assert found.verdict == "reproduced"
    assert found.measured.startswith(words)


@pytest.mark.parametrize(
    ("position", "others", "words"),
    [
        (1, (1.1, 1.5), "not a first of 3; c against a +50.0 %"),  # the leader: a would have to pass both
        (2, (1.1, 1.5), "not a number 2 of 3; b against a +10.0 %"),  # one may be ahead, so b is one too many
        (2, (0.9, 0.5), "not a number 2 of 3; a against b +11.1 %"),
        (3, (0.9, 1.5), "not a last of 3; a against b +11.1 %"),
    ],
)
def test_a_rank_that_fails_names_the_rival_that_it_fails_by(
    position: int, others: tuple[float, float], words: str
) -> None:
    data = table({"a": [flat(1.0)], "b": [flat(others[0])], "c": [flat(others[1])]})
    found = judge(rank(["a", "b", "c"], position=position), data)
    assert found.verdict == "contradicted"
    assert found.measured.startswith(words)


def test_a_rank_that_is_open_names_the_rival_that_may_be_one_too_many() -> None:
    """b is ahead by 3.2 ± 2 %, c by 4.5 ± 2 %; d by 50 %. c needs 10 (2 / 1.5)^2 = 18 seeds, b 10 (2 / 0.2)^2 = 1000:
    as many as before, whoever is named.
    """
    data = table({"a": [flat(1.0)], "b": [spread(1.032, 0.02)], "c": [spread(1.045, 0.02)], "d": [flat(1.5)]})
    first = judge(rank(["a", "b", "c"]), data)
    assert (first.verdict, first.measured) == ("undecided", "a first of 3: open; c against a +4.5 % [+2.5, +6.5]")
    assert first.seeds_needed == pytest.approx(1000, abs=1)
    assert {variant for _, variant, _ in first.open_cells} == {"a", "b", "c"}
    assert judge(rank(["a", "b", "c", "d"], position=2), data).measured.startswith("a number 2 of 4: open; c against a")
    assert judge(rank(["a", "b", "c", "d"], position=3), data).measured.startswith("a number 3 of 4: open; b against a")
    last = judge(rank(["a", "b"], position=2, lower_is_better=True), data)
    assert last.measured.startswith("a last of 2: open; b against a +3.2 %")


def test_of_several_points_the_one_is_named_that_comes_nearest_to_another_verdict() -> None:
    """a leads by 5 % at 1 and by half at 2; not below b by 5 % at 1 and by half at 2."""
    data = table({"a": [flat(1.0), flat(1.0)], "b": [flat(0.95), flat(0.5)]}, (1, 2))
    assert (
        judge(rank(["a", "b"]), data).measured
        == "a first of 2 at 2 of 2 points; b against a -5.0 % [-5.0, -5.0] at q = 1 %"
    )
    last = judge(rank(["b", "a"], position=2, a="b"), data)
    assert last.measured.startswith("b last of 2 at 2 of 2 points; b against a -5.0 %")
    never = judge(rank(["b", "a"], a="b", negate=True), data)
    assert never.measured.startswith("not b first of 2 at 2 of 2 points; a against b +5.3 %")
    worst = judge(rank(["b", "a"], a="b"), data)
    assert worst.measured.startswith("b first of 2 at 0 of 2 points; a against b +100.0 %")
    named = judge(rank(["a", "b"], at={"q_percent": 1}, last_at={"q_percent": 2}), data)
    assert "; and not a last of 2 at q = 2 %; a against b +100.0 %" in named.measured


def test_a_rank_with_a_margin_names_the_rival_inside_it() -> None:
    """a is 4 % above b and 1 % above c, and should be 5 % above both."""
    data = table({"a": [flat(1.0)], "b": [flat(1 / 1.04)], "c": [flat(1 / 1.01)]})
    assert judge(rank(["a", "b", "c"], min_margin_rel=0.05), data).measured.startswith(
        "not a first of 3; a against c +1.0 %"
    )


def test_rank_on_the_edge_is_undecided() -> None:
    """b is ahead by 3.5 ± 1 %: 2.5 to 4.5 holds the tie of 3. A distance of 0.5 needs 10 (1 / 0.5)^2 = 40 seeds."""
    data = table({"a": [flat(1.0)], "b": [spread(1.035, 0.01)]})
    found = judge(rank(["a", "b"]), data)
    assert found.verdict == "undecided"
    assert found.seeds_needed == pytest.approx(40, abs=1)


def test_rank_share_of_points() -> None:
    """a leads at three of four points: enough for 0.7, not for 0.8, which leaves the direction; one of four is too
    few."""
    data = table({"a": [flat(2.0)] * 3 + [flat(0.5)], "b": [flat(1.0)] * 4}, (1, 2, 3, 4))
    assert judge(rank(["a", "b"], share=0.7), data).verdict == "compatible"
    assert judge(rank(["a", "b"], share=0.8), data).verdict == "direction only"
    assert judge(rank(["b", "a"], share=0.8, a="b"), data).verdict == "contradicted"
    assert judge(rank(["a", "b"], share=0.7, must_hold_at={"q_percent": 4}), data).verdict == "contradicted"
    assert judge(rank(["a", "b"], except_at={"q_percent": 4}), data).verdict == "reproduced"
    assert judge(rank(["a", "b"], at={"q_percent": [1, 3]}, last_at={"q_percent": 4}), data).verdict == "reproduced"


def test_rank_with_a_margin() -> None:
    data = table({"a": [flat(1.04)], "b": [flat(1.0)]})
    assert judge(rank(["a", "b"], min_margin_rel=0.02), data).verdict == "reproduced"
    # ahead, but by less than is claimed
    assert judge(rank(["a", "b"], min_margin_rel=0.05), data).verdict == "direction only"
    behind = table({"a": [flat(0.99)], "b": [flat(1.0)]})
    assert judge(rank(["a", "b"], min_margin_rel=0.05), behind).verdict == "contradicted"
    maybe = judge(rank(["a", "b"], min_margin_rel=0.05), table({"a": [spread(1.01, 0.02)], "b": [flat(1.0)]}))
    assert (maybe.verdict, maybe.finals) == ("contradicted", {"direction only", "contradicted"})
    assert maybe.open_cells


def test_a_place_that_needs_the_margin_for_ties_says_so() -> None:
    """a is behind b by 2 % at the first point and ahead at the others, by 10 % at the last."""
    data = table({"a": [flat(1.0), flat(1.0), flat(1.1)], "b": [flat(1.02), flat(0.99), flat(1.0)]}, (1, 2, 3))
    found = judge(rank(["a", "b"]), data)
    assert found.measured.startswith("a first of 2 or within 3 % at 3 of 3 points (2 without that margin)")
    at = {"q_percent": [2, 3]}
    assert judge(rank(["a", "b"], at=at), data).measured.startswith("a first of 2 at 2 of 2 points;")


def test_where_less_is_better_the_ratio_is_named_as_it_is_counted() -> None:
    """b takes 1.6 times as long as a: b against a +60 %."""
    data = table({"a": [flat(1.0)], "b": [flat(1.6)]})
    found = judge(rank(["a", "b"], lower_is_better=True, whose="paper"), data)
    assert found.measured == "a first of 2; a against b -37.5 % [-37.5, -37.5]"
    lost = judge(rank(["a", "b"], a="b", lower_is_better=True), data)
    assert lost.measured == "not b first of 2; b against a +60.0 % [+60.0, +60.0]"


def test_points_that_are_open_do_not_agree() -> None:
    """Of four points one agrees, one does not, two are open: fewer than half agree, and the claim cannot hold."""
    leads = [spread(1.2, 0.01), spread(0.8, 0.01), spread(1.02, 0.3), spread(1.02, 0.3)]
    data = table({"a": leads, "b": [flat(1.0)] * 4}, (1, 2, 3, 4))
    found = judge(rank(["a", "b"], tie_rel=0.0), data)
    assert (found.verdict, found.finals) == ("contradicted", {"contradicted", "direction only"})
    assert judge(rank(["a", "b"], tie_rel=0.0, at={"q_percent": [1, 2]}), data).verdict == "direction only"


@pytest.mark.parametrize(("inside", "verdict"), [(4, "reproduced"), (2, "direction only"), (1, "contradicted")])
def test_bounds_count_each_point_once(inside: int, verdict: str) -> None:
    values = [flat(1.5)] * inside + [flat(3.0)] * (4 - inside)
    check = Check("bound", {"metric": "throughput", "among": ["a"], "min": 1.0, "max": 2.0})
    found = judge(check, table({"a": values}, (1, 2, 3, 4)))
    assert found.verdict == verdict
    assert found.measured.startswith(f"inside the bounds at {inside} of 4 points")


def test_a_gain_of_about_nothing_has_no_sign() -> None:
    """-0.3 ± 5 % is said to be a likeness: -40 % is nothing of the kind. -3 ± 5 % is said to be a loss."""
    data = table({"a": [flat(0.6)], "b": [flat(1.0)]})
    assert judge(gain(-0.3, 5), data).verdict == "contradicted"
    assert judge(gain(-3, 5), data).verdict == "direction only"


def close(among: Sequence[str], within: float, share: float = 1.0, **fields: Any) -> Check:
    return Check(
        "close", {"metric": "throughput", "among": list(among), "within_rel": within, "share": share, **fields}
    )


def test_close_counts_from_the_larger() -> None:
    """0.9 is 10 % below 1.0 and 14.3 % below 1.05."""
    data = table({"a": [flat(1.0)], "b": [flat(0.9)], "c": [flat(1.05)]})
    assert judge(close(["a", "b"], 0.11), data).verdict == "reproduced"
    assert judge(close(["a", "b", "c"], 0.11), data).verdict == "contradicted"
    assert judge(close(["a", "b", "c"], 0.15), data).verdict == "reproduced"
    assert judge(close(["a", "b"], 0.11, some_differ_rel=0.01), data).verdict == "reproduced"
    assert judge(close(["a", "b"], 0.11, some_differ_rel=0.2), data).verdict == "contradicted"


def test_close_along_an_axis() -> None:
    data = table({"a": [flat(1.0), flat(0.99), flat(0.98)]}, (0.55, 0.7, 1.0), "threshold_A")
    assert judge(close(["a"], 0.03, over="threshold_A"), data).verdict == "reproduced"
    assert judge(close(["a"], 0.01, over="threshold_A"), data).verdict == "contradicted"
    check = Check(
        "same-across", {"metric": "throughput", "among": ["a"], "param": "threshold_A", "values": [0.55, 0.7]}
    )
    assert judge(Check("same-across", {**check.fields, "within_rel": 0.02}), data).verdict == "reproduced"


def trend(direction: str, slack: float = 0.05) -> Check:
    return Check(
        "trend",
        {"metric": "throughput", "among": ["a"], "over": "q_percent", "direction": direction, "slack_rel": slack},
    )


@pytest.mark.parametrize(
    ("values", "direction", "verdict"),
    [
        ((4, 3, 2), "down", "reproduced"),
        ((4, 2, 2.05), "down", "reproduced"),  # one step up of 2.5 %, less than the slack
        ((4, 2, 3), "down", "direction only"),  # one step up of 50 %, yet lower at the end
        ((4, 4, 4), "down", "contradicted"),  # nothing moves
        ((2, 3, 4), "down", "contradicted"),
        ((2, 3, 3), "up-then-flat", "reproduced"),
    ],
)
def test_trend(values: Sequence[float], direction: str, verdict: str) -> None:
    data = table({"a": [flat(value) for value in values]}, (1, 2, 3))
    assert judge(trend(direction), data).verdict == verdict


def test_order_is_kendalls_tau() -> None:
    """Claimed a, b, c; measured a 3, b 1, c 2: pairs ab and ac agree, bc does not: (2 - 1) / 3 = 0.33."""
    data = table({"a": [flat(3.0)], "b": [flat(1.0)], "c": [flat(2.0)]})
    fields = {"metric": "throughput", "best_first": ["a", "b", "c"], "tie_rel": 0.03}
    assert judge(Check("order", {**fields, "min_tau": 0.3}), data).verdict == "compatible"
    found = judge(Check("order", {**fields, "min_tau": 0.6}), data)
    assert found.verdict == "direction only"
    assert found.measured == "Kendall's tau 0.33 over 3 pairs, 0.6 is asked"
    two = judge(Check("order", {**fields, "best_first": ["b", "a"], "min_tau": 0.6}), data)
    assert two.measured == "Kendall's tau -1.00 over 1 pair, 0.6 is asked"
    grouped = {**fields, "groups": [["a"], ["b", "c"]], "min_tau": 1.0}
    assert judge(Check("order", grouped), data).verdict == "reproduced"
    assert (
        judge(Check("order", {**fields, "best_first": ["b", "c", "a"], "min_tau": 0.6}), data).verdict == "contradicted"
    )


def test_an_order_inside_the_margin_is_right_in_direction() -> None:
    """b is ahead of a by 0.1 %, far beyond its interval and far inside the margin of 3 %."""
    data = table({"a": [spread(1.0, 0.0001)], "b": [spread(1.001, 0.0001)]})
    fields = {"metric": "throughput", "tie_rel": 0.03, "min_tau": 0.6}
    assert judge(Check("order", {**fields, "best_first": ["b", "a"]}), data).verdict == "direction only"
    assert judge(Check("order", {**fields, "best_first": ["a", "b"]}), data).verdict == "contradicted"
    alike = table({"a": [spread(1.0, 0.001)], "b": [spread(1.001, 0.02)]})
    found = judge(Check("order", {**fields, "best_first": ["b", "a"]}), alike)
    assert (found.verdict, found.finals) == ("contradicted", {"direction only", "contradicted"})


def test_the_other_kinds_of_statement() -> None:
    data = table({"a": [flat(1.0), flat(3.0)], "b": [flat(2.0), flat(2.0)]}, (1, 2))
    base = {"metric": "throughput"}
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("value", {"a": "a", "value": 2.1, "tolerance_rel": 0.1}, "reproduced"),  # mean over points 2
        ("value", {"a": "a", "value": 3.0, "tolerance_rel": 0.1}, "contradicted"),
        ("bound", {"among": ["a", "b"], "min": 1.0, "max": 2.9, "slack": 0.1}, "reproduced"),
        ("bound", {"among": ["a", "b"], "max": 1.5}, "contradicted"),
        ("not-below", {"a": "a", "b": "b", "slack_rel": 0.05}, "reproduced"),
        ("differs", {"a": "a", "among": ["a", "b"], "min_rel": 0.3}, "reproduced"),
        ("spread", {"a": "a", "over": ["q_percent"], "min_rel": 1.5}, "reproduced"),
        ("crossover", {"a": "a", "b": "b", "a_above": {"q_percent": 2}, "b_above": {"q_percent": 1}}, "reproduced"),
        ("argmax", {"among": ["a"], "param": "q_percent", "argmax": 2}, "reproduced"),
        ("argmax", {"among": ["a"], "param": "q_percent", "argmin": 2}, "contradicted"),
        ("best-set", {"param": "q_percent", "values": [2], "reference": 1, "min_share": 1.0}, "reproduced"),
    ]
    for kind, fields, verdict in cases:
        assert judge(Check(kind, {**base, **fields}), data).verdict == verdict, (kind, fields)


def test_what_is_equal_is_not_ahead() -> None:
    """Where nothing arrives, or nothing changes, no value of a parameter is better than another."""
    base = {"metric": "throughput"}
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("best-set", {"param": "q_percent", "values": [2], "reference": 1, "min_share": 1.0}),
        ("argmax", {"among": ["a"], "param": "q_percent", "argmax": 2}),
        ("crossover", {"a": "a", "b": "b", "a_above": {"q_percent": 2}, "b_above": {"q_percent": 1}}),
    ]
    for value in (0.0, 1.0):
        data = table({"a": [flat(value), flat(value)], "b": [flat(value), flat(value)]}, (1, 2))
        for kind, fields in kinds:
            assert judge(Check(kind, {**base, **fields}), data).verdict == "contradicted", kind


# ---- several experiments, several parts, no runs ----


def cross(relation: str, **fields: Any) -> Check:
    own = {"metric": "throughput", "a": "a", "a_from": "p/fig1", "b": "a", "b_from": "p/fig2", "relation": relation}
    return Check("cross", {**own, **fields})


def test_cross_takes_the_points_that_both_have() -> None:
    """Point 3 is only in the first; over 1 and 2 the mean is 2 against 1.6, a gain of 25 %."""
    here = table({"a": [flat(1.0), flat(3.0), flat(0.0)]}, (1, 2, 3))
    there = table({"a": [flat(1.2), flat(2.0)]}, (1, 2))
    others = {"p/fig2": Data("p/fig2", there.axes, there.points, {}, there.values)}.get
    assert judge(cross(">"), here, others=others).verdict == "reproduced"
    assert judge(cross("<"), here, others=others).verdict == "contradicted"
    assert (
        judge(cross("gain", percent=25.0, tolerance_pp=5.0, pick="mean"), here, others=others).verdict == "reproduced"
    )
    apart = judge(cross("close", within_rel=0.1), here, others=others)
    assert apart.verdict == "contradicted"
    assert apart.measured.startswith("not alike; a in fig2 below a in fig1 by 20.0 %")
    negated = judge(cross("close", within_rel=0.1, negate=True), here, others=others)
    assert negated.verdict == "reproduced"
    assert negated.measured.startswith("not alike; a in fig2 below a in fig1 by 20.0 %")
    alike = judge(cross("close", within_rel=0.3, negate=True), here, others=others)
    assert alike.verdict == "contradicted"
    assert alike.measured.startswith("alike; a in fig2 below a in fig1 by 20.0 %")
    assert judge(cross(">"), here).reason == "the claim needs the runs of p/fig2"


def test_margin_is_the_gain_over_the_mean_of_the_others() -> None:
    """3 against the mean of 1 and 2 is +100 % here, 2 against the same +33 % there."""
    here = table({"a": [flat(3.0)], "b": [flat(1.0)], "c": [flat(2.0)]})
    there = table({"a": [flat(2.0)], "b": [flat(1.0)], "c": [flat(2.0)]})
    others = {"p/fig2": Data("p/fig2", there.axes, there.points, {}, there.values)}.get
    assert here.get("throughput-margin", "a", [(1,)])[1] == pytest.approx(100.0)
    assert judge(cross(">", metric="throughput-margin"), here, others=others).verdict == "reproduced"


def test_the_largest_of_several_advantages() -> None:
    """a over b of the mean of the others: 100 points more here, 50 and 150 in the other two pairs of figures."""

    def figure(name: str, value: float) -> Data:
        made = table({"a": [flat(value)], "b": [flat(value)], "c": [flat(1.0)], "d": [flat(1.0)]})
        return Data(name, made.axes, made.points, {}, made.values)

    # the gain of a over the mean of b, c, d, which are value, 1, 1
    def margin(value: float) -> float:
        return 100 * (value / ((value + 2) / 3) - 1)

    wide, narrow, base = 4.0, 2.0, 1.0
    figures = {
        "p/fig1": figure("p/fig1", wide),
        "p/fig2": figure("p/fig2", base),
        "p/fig3": figure("p/fig3", narrow),
        "p/fig4": figure("p/fig4", base),
    }
    asked = cross(">", metric="throughput-margin", b="b", largest_of=["p/fig1", "p/fig3"], against=["p/fig2", "p/fig4"])
    found = judge(asked, figures["p/fig1"], others=figures.get)
    assert found.verdict == "reproduced"
    assert [row["mean"] for row in found.rows] == [pytest.approx(margin(wide) - margin(narrow))]
    assert "a over b, more than in fig3 against fig4 by" in found.measured
    turned = replace(asked, fields={**asked.fields, "a_from": "p/fig3", "b_from": "p/fig4"})
    assert judge(turned, figures["p/fig3"], others=figures.get).verdict == "contradicted"
    assert judge(asked, figures["p/fig1"]).reason == "the claim needs the runs of p/fig2"


def test_unused_bandwidth_is_compared_where_there_is_loss() -> None:
    """At 1 % of loss a leaves 0.2 of 3 unused and newreno 1.0, 80 % less; in the other figure 0.5, 50 % less."""

    def figure(name: str, value: float) -> Data:
        made = table({"a": [flat(3.0), flat(value)], "newreno": [flat(3.0), flat(2.0)]}, (0, 1))
        return Data(name, made.axes, made.points, {}, made.values, loss_axis="q_percent")

    here, there = figure("p/fig1", 2.8), figure("p/fig2", 2.5)
    found = judge(cross(">", metric="residual-reduction"), here, others={"p/fig2": there}.get)
    assert found.verdict == "reproduced"
    assert [row["mean"] for row in found.rows] == [pytest.approx(30.0)]


def test_less_unused_bandwidth_over_several_points_is_that_of_their_mean() -> None:
    """Where newreno leaves nothing there is no share of it; over all, 0.0 and 0.2 beside 0.0 and 1.0 are 80 % less."""
    data = table({"a": [flat(3.0), flat(3.0), flat(2.8)], "newreno": [flat(3.0), flat(3.0), flat(2.0)]}, (0, 1, 2))
    data = replace(data, loss_axis="q_percent")
    assert not data.get("residual-reduction", "a", [(1,)])
    both = data.get("residual-reduction", "a", [(1,), (2,)])
    assert both[1] == pytest.approx(80.0)
    assert {(name, point) for _, name, point in both.cells} >= {("a", (1,)), ("newreno", (2,)), ("newreno", (0,))}


def test_roughness_is_the_distance_from_the_line_between_the_neighbours() -> None:
    """At 1, 2, 4: the line from 1.0 to 2.5 is at 1.5 in the point 2, so that 1.8 is 20 % off it, 1.5 not at all."""
    metric = "throughput-roughness"
    rough = table({"a": [flat(1.0), flat(1.8), flat(2.5)]}, (1, 2, 4))
    plain = table({"a": [flat(1.0), flat(1.5), flat(2.5)]}, (1, 2, 4))
    assert rough.get(metric, "a", [(2,)])[1] == pytest.approx(20.0)
    assert plain.get(metric, "a", [(2,)])[1] == pytest.approx(0.0)
    assert not rough.get(metric, "a", [(1,)])
    others = {"p/fig2": Data("p/fig2", plain.axes, plain.points, {}, plain.values)}.get
    assert judge(cross(">", metric=metric), rough, others=others).verdict == "reproduced"
    assert judge(cross("<", metric=metric), rough, others=others).verdict == "contradicted"
    two = table({"a": [flat(1.0), flat(1.8)]}, (1, 2))
    reason = judge(cross(">", metric=metric), two, others=others).reason
    assert reason == "the claim needs points at which `throughput-roughness` is defined"


def test_all_parts_must_hold() -> None:
    data = table({"a": [flat(3.0), flat(2.0)], "b": [flat(1.0), flat(1.0)]}, (1, 2))
    whole = Check("rank", rank(["a", "b"]).fields, also=(trend("down"),))
    assert judge(whole, data).verdict == "reproduced"
    whole = Check("rank", rank(["a", "b"]).fields, also=(trend("up"),))
    assert judge(whole, data).verdict == "contradicted"


def test_parts_that_measure_nothing_leave_no_gap() -> None:
    nothing, something = Judgement("not measurable", ""), Judgement("reproduced", "3 of 3 points")
    assert all_parts([nothing, nothing]).measured == ""
    assert all_parts([nothing, something, something]).measured == "3 of 3 points; and 3 of 3 points"


def test_an_alternative_is_judged_beside() -> None:
    data = table({"a": [flat(0.9)], "b": [flat(1.8)]})
    fields = {"metric": "throughput", "a": "a", "value": 1.79, "tolerance_rel": 0.3, "alternative": {"a": "b"}}
    found = judge(Check("value", fields), data)
    assert found.verdict == "contradicted"
    assert [(text, other.verdict) for text, other in found.alternatives] == [("a = b", "reproduced")]


def test_arithmetic_needs_no_run() -> None:
    """100 (1.79 / 0.89 - 1) = 101.1, printed 115; a list of five is no list of six."""
    data = table({})
    fields = {"expr": "100*(1.79/0.89-1)", "stated": 115.0, "computed": 101.1, "holds": False, "tolerance": 1.5}
    assert judge(Check("arith", fields), data).verdict == "contradicted"
    found = judge(Check("arith", {**fields, "unit": "%"}), data)
    assert found.measured == ("100*(1.79/0.89-1) = 101.1 %, printed 115 % (arithmetic on printed numbers, no run)")
    assert judge(Check("arith", {**fields, "stated": 101.0}), data).verdict == "reproduced"
    found = judge(Check("arith", {**fields, "unit": "%", "words": "about equal"}), data)
    assert found.measured == (
        '100*(1.79/0.89-1) = 101.1 %, the text says "about equal" (arithmetic on printed numbers, no run)'
    )
    assert judge(Check("arith", {**fields, "expr": "len([38,30,18,13,7])", "stated": 5}), data).verdict == "reproduced"
    assert judge(Check("arith", {**fields, "expr": "open('x')"}), data).verdict == "not measurable"
    counted = {**fields, "expr": "len([38,30,18])", "stated": 4.0, "tolerance": 0.0}
    assert judge(Check("arith", counted), data).measured.startswith("the count of 38, 30, 18 = 3, printed 4 (")


@pytest.mark.parametrize("paper", ledger.papers())
def test_every_printed_arithmetic_comes_out_as_the_ledger_says(paper: str) -> None:
    for claim in ledger.load(paper).claims:
        if claim.check.kind == "arith":
            assert (judge(claim.check, table({})).verdict == "reproduced") == claim.check["holds"], claim.id


def test_every_kind_of_check_is_judged() -> None:
    assert set(ledger.KINDS) == verdicts.KINDS_JUDGED


def test_missing_metrics_and_variants_are_named() -> None:
    data = table({"a": [flat(1.0)]})
    assert judge(rank(["a", "b"]), data).reason == "the claim needs runs of `b`, which this experiment does not have"
    assert "`seqno`" in judge(rank(["a"], metric="seqno"), data).reason


def test_what_is_drawn_over_time_is_judged_by_its_mean_only() -> None:
    data = replace(table({"a": [flat(2.0)], "b": [flat(1.0)]}), drawn_over=("time_s",))
    assert judge(rank(["a", "b"]), data).reason == "the claim needs values along `time_s`, of which runs give the mean"
    averaged = rank(["a", "b"])
    averaged = replace(averaged, fields={**averaged.fields, "avg_over": ["time_s"]})
    assert judge(averaged, data).verdict == "reproduced"


def test_every_claim_of_the_ledger_gets_a_verdict() -> None:
    """Whatever the data, a claim ends in one of the seven verdicts; here there is nothing but one variant."""
    for paper in ledger.papers():
        data = replace(table({"newreno": [flat(1.0)]}), tables=ledger.load(paper).tables)
        for claim in ledger.load(paper).claims:
            found = judge(claim.check, data)
            assert found.verdict in verdicts.VERDICTS
            assert found.verdict != "not measurable" or found.reason.startswith(
                ("the claim needs ", "the claim is ")
            ), claim.id
            assert found.to_dict()["verdict"] == found.verdict


# ---- what more seeds can change ----


@pytest.mark.parametrize(
    ("mean", "half", "verdict", "finals"),
    [
        (1.46, 0.02, "reproduced", {"reproduced"}),  # 44 to 48: inside 41 to 51
        (1.42, 0.04, "undecided", {"reproduced", "compatible", "direction only"}),  # 38 to 46
        (1.42, 0.02, "compatible", {"compatible"}),  # 40 to 44: over the edge, and no wider than the tolerance
        (1.20, 0.10, "direction only", {"direction only"}),  # 10 to 30: below the band, above zero
        (1.10, 0.20, "contradicted", {"direction only", "contradicted"}),  # -10 to 30: either, and wider than 5 points
        (1.01, 0.02, "contradicted", {"contradicted"}),  # -1 to 3: either, but no wider than the tolerance
        (0.80, 0.10, "contradicted", {"contradicted"}),  # -30 to -10
        (1.30, 0.60, "undecided", {"reproduced", "compatible", "direction only", "contradicted"}),  # -30 to 90
    ],
)
def test_a_gain_says_what_it_can_become(mean: float, half: float, verdict: str, finals: set[str]) -> None:
    found = judge(gain(46, 5), table({"a": [spread(mean, half)], "b": [flat(1.0)]}))
    assert (found.verdict, found.finals) == (verdict, finals)
    assert found.settled == (len(finals) == 1)
    assert found.narrow == (half == 0.02 and mean in (1.01, 1.42))
    assert found.open_cells == (set() if found.settled else {("p/fig1", name, (1,)) for name in "ab"})


def test_only_points_that_matter_are_open() -> None:
    """At the most favourable point: the first meets the claim for sure, so the second, open, cannot change it, if it is
    the paper that asks for no more than one point.
    """
    data = table({"a": [spread(1.46, 0.02), spread(1.3, 0.6)], "b": [flat(1.0), flat(1.0)]}, points=(1, 2))
    best = judge(replace(gain(46, 5), whose="paper"), data)
    assert (best.verdict, best.settled, best.open_cells) == ("reproduced", True, frozenset())
    ours = judge(gain(46, 5), data)
    assert (ours.verdict, ours.finals) == ("compatible", {"reproduced", "compatible"})
    assert {point for _, _, point in ours.open_cells} == {(2,)}
    far = table({"a": [spread(1.46, 0.02), flat(1.0)], "b": [flat(1.0), flat(1.0)]}, points=(1, 2))
    assert judge(gain(46, 5), far).finals == {"compatible"}
    every_point = judge(gain(46, 5, pick="every"), data)
    assert not every_point.settled
    assert {point for _, _, point in every_point.open_cells} == {(2,)}


def test_ranks_are_settled_when_open_points_no_longer_count() -> None:
    """First at three points of four is enough: three sure ones settle it, two leave it open. Where that share is ours,
    the fourth still tells reproduced from compatible.
    """
    sure, doubt = spread(2.0, 0.1), spread(1.0, 0.5)
    three = table({"a": [sure, sure, sure, doubt], "b": [flat(1.0)] * 4}, points=(1, 2, 3, 4))
    most = rank(["a", "b"], share=0.75)
    assert judge(replace(most, whose="paper"), three).settled
    assert judge(most, three).finals == {"reproduced", "compatible"}
    lost = table({"a": [sure, sure, sure, flat(0.5)], "b": [flat(1.0)] * 4}, points=(1, 2, 3, 4))
    assert judge(most, lost).finals == {"compatible"}
    two = table({"a": [sure, sure, doubt, doubt], "b": [flat(1.0)] * 4}, points=(1, 2, 3, 4))
    assert judge(replace(most, whose="paper"), two).finals == {"reproduced", "direction only"}
    found = judge(most, two)
    assert found.finals == {"reproduced", "compatible", "direction only"}
    assert {point for _, _, point in found.open_cells} == {(3,), (4,)}


def test_confidence_comes_with_the_data() -> None:
    """Student's t for 99 % and 9 degrees is 3.250, for 95 % 2.262."""
    data = table({"a": [spread(2.0, 0.1)], "b": [flat(1.0)]})
    wide = judge(rank(["a", "b"]), replace(data, confidence=0.99)).rows[0]
    slim = judge(rank(["a", "b"]), data).rows[0]
    assert (wide["high"] - wide["low"]) / (slim["high"] - slim["low"]) == pytest.approx(3.249836 / T9, rel=1e-5)


def test_possible_room_keeps_a_claim_open() -> None:
    """5 Mbps for each at most, the reference 4 to 6: a gain of 40 % is impossible at 6, and not at 4."""
    data = table({"a": [flat(4.9)], "b": [spread(4.5, 1.2)]})
    cap = Limit(5.0, 5.0, 1, "one link carries 5 Mbps.")
    found = judge(gain(40, 5), data, limits=lambda *_: cap)
    assert found.verdict != "impossible"
    assert "impossible" in found.finals
    assert not found.settled


@pytest.mark.parametrize(
    ("share", "soon"),
    [
        (1.0, {1, 2, 3}),  # one point of five holds: three more that do not, and at most two do, which is contradicted
        (0.4, {1}),  # one more that holds is enough
        (0.2, set()),  # nothing is open
    ],
)
def test_as_few_points_as_could_settle_it_go_first(share: float, soon: set[int]) -> None:
    """Of four open points those that need 5, 8 and 100 seeds, before the one that needs 1000."""
    cells = {at: frozenset([("p/fig1", "a", (at,))]) for at in range(1, 5)}
    needed = {1: 5, 2: 8, 3: 100, 4: 1000}
    open_ones = [Answer("open", f"q = {at}", seeds=needed[at], open_cells=cells[at]) for at in (4, 3, 1, 2)]
    found = from_answers(Check("rank", {"share": share}), [*open_ones, Answer("yes")], "first")
    assert {point for _, _, (point,) in found.next_cells} == soon
    assert {point for _, _, (point,) in found.open_cells} == {1, 2, 3, 4}


def test_answers_at_one_point_go_together() -> None:
    """Three pairs at each of two points, all open; an order that holds for three of six pairs is settled by one point:
    the one whose pairs need 20 seeds each on average, not the one with 5, 50 and 500.
    """
    pairs = {"ab": (5, 19), "ac": (50, 20), "bc": (500, 21)}
    doubtful = [
        Answer("open", f"q = {at}", seeds=seeds[at], open_cells=frozenset(("p/fig1", name, (at,)) for name in pair))
        for pair, seeds in pairs.items()
        for at in (0, 1)
    ]
    soon = soonest(doubtful, 0, 6, lambda count: "reproduced" if count >= 3 else "contradicted")
    assert soon == {("p/fig1", name, (1,)) for name in "abc"}
