"""The stored figures of ns-2 beside runs here: a few points of each family, and the rule itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from windlass.stats import Interval, mean_interval
from windlass.validation import EXPLAINED, StoredOutcome, compare, page
from windlass.validation.droplist import CaseOutcome, DroplistCase, read_cases, read_long_cases, run_case
from windlass.validation.families import scenario_of
from windlass.validation.figures import Status, StoredPoint, stored_points
from windlass.validation.rule import Comparison

POINTS = {point.key: point for point in stored_points()}
TWO_WAY, SAEDI_2, HUQ_62, HUQ_71 = (
    "saedi_config1_twoway",
    "saedi_config2",
    "huq_62_reverse",
    "huq_71_wired_wireless",
)
PIGGYBACK = "piggyback q-sweep"
CASES = Path(__file__).resolve().parents[1] / "differential" / "ns2-droplist" / "summary.csv"

SAEDI, FAIRNESS, HUQ_61, HUQ_63 = "saedi_config1_oneway", "saedi_fairness", "huq_61_lossy_link", "huq_63_ten_nodes"


@pytest.mark.parametrize(
    ("family", "judged", "reported", "no_counterpart"),
    [
        (SAEDI, 63, 39, 42),
        (TWO_WAY, 81, 8, 0),
        (SAEDI_2, 35, 13, 0),
        (FAIRNESS, 32, 14, 28),
        (HUQ_61, 46, 17, 10),
        (HUQ_62, 37, 10, 0),
        (HUQ_71, 35, 9, 0),
        (HUQ_63, 31, 10, 0),
    ],
)
def test_families_are_read(family: str, judged: int, reported: int, no_counterpart: int) -> None:
    statuses = [point.status for point in POINTS.values() if point.family == family]
    counts = [statuses.count(status) for status in Status]
    assert counts == [judged, reported, no_counterpart]


def test_data_both_ways_make_two_points() -> None:
    there, back = (POINTS[TWO_WAY, "full-newreno", name, "1"] for name in (PIGGYBACK, PIGGYBACK + ", reverse"))
    # columns goodput_mbps_mean and rev_goodput_mbps_mean of the row
    assert (there.mean_mbps, back.mean_mbps) == (4.8073, 4.8390)
    assert scenario_of(there).points()[0].effective() == scenario_of(back).points()[0].effective()
    rows = [{"group": "flows", "direction": word} for word in ("forward", "reverse")]
    assert [there.counts(row) for row in rows] == [True, False]
    assert [back.counts(row) for row in rows] == [False, True]


def test_traffic_beside_the_flow_does_not_count() -> None:
    point = POINTS[HUQ_61, "newreno", "6.1 CBR 2.5 Mbps", "1"]
    groups = [flow["name"] for flow in scenario_of(point).points()[0].effective()["flows"]]
    assert [point.counts({"group": name, "direction": "forward"}) for name in groups] == [True, False]


def test_every_point_that_is_run_has_a_scenario() -> None:
    for point in POINTS.values():
        if point.status in (Status.JUDGED, Status.REPORTED):
            assert len(scenario_of(point).points()) == 1
        else:
            with pytest.raises(ValueError, match=point.status.value):
                scenario_of(point)


def test_explained_points_exist() -> None:
    assert set(EXPLAINED) <= set(POINTS)


def test_mixed_flows_alternate_and_steps_start_a_second_apart() -> None:
    mixed = scenario_of(POINTS[FAIRNESS, "newreno+vegas", "mixed flows", "1"]).points()[0].effective()
    assert [flow["algorithm"]["name"] for flow in mixed["flows"]] == ["newreno", "vegas"]
    steps = scenario_of(POINTS[HUQ_63, "newreno", "6.4 ten flows, 21 s, starts 1 s apart", "0"]).points()[0].effective()
    assert [flow["start"] for flow in steps["flows"]][:3] == ["10 ms", "1010 ms", "2010 ms"]


def test_figures_of_vegas_get_their_header_bytes_back_and_lose_the_syn() -> None:
    # File: 4.7951 for one flow of 1000-byte segments over 325 s, computed as if a segment had 1040 bytes.
    # 4.7951 * 1.04 - 1000 * 8 / 325 / 1e6 = 4.986904 - 0.000025; without headers 5 Mbps carry at most 5.0.
    assert POINTS[HUQ_61, "vegas", "6.1 CBR 0", "0"].mean_mbps == pytest.approx(4.986879, abs=1e-6)
    mixed = POINTS[FAIRNESS, "newreno+vegas", "mixed flows", "0"]
    assert 7.6 < mixed.mean_mbps < 7.8


@pytest.mark.parametrize(
    ("family", "variant", "scenario", "value"),
    [
        (SAEDI, "newreno", "q-sweep", "0"),
        (SAEDI, "newreno", "q-sweep", "1"),
        (SAEDI, "newreno", "q-sweep", "10"),
        (SAEDI, "newreno", "q-sweep", "20"),
        (SAEDI, "sack", "q-sweep", "0"),
        (SAEDI, "sack", "q-sweep", "3"),
        (SAEDI, "sack", "q-sweep", "10"),
        (SAEDI, "reno", "q-sweep", "1"),
        (SAEDI, "reno", "q-sweep", "10"),
        (SAEDI, "tahoe", "q-sweep", "1"),
        (SAEDI, "tahoe", "q-sweep", "10"),
        (SAEDI, "vegas", "q-sweep", "0"),
        (SAEDI, "vegas", "q-sweep", "1"),
        (SAEDI, "vegas", "q-sweep", "10"),
        (TWO_WAY, "full-newreno", PIGGYBACK, "5"),
        (TWO_WAY, "full-reno", PIGGYBACK + ", reverse", "10"),
        (TWO_WAY, "full-tahoe", PIGGYBACK, "10"),
        (TWO_WAY, "newreno", "separate agents both ways q-sweep, reverse", "10"),
        (FAIRNESS, "sack", "2 equal flows", "1"),
        (FAIRNESS, "newreno+vegas", "mixed flows", "0"),
        (FAIRNESS, "tahoe", "single flow, 15 Mbps 20 ms access", "0"),
        (HUQ_61, "newreno", "6.1 CBR 0", "1"),
        (HUQ_61, "vegas", "6.1 CBR 0", "0"),
        (HUQ_61, "newreno", "6.1 CBR 2.5 Mbps", "1"),
        (HUQ_62, "vegas", "6.2 reverse FTP", "1"),
        (HUQ_71, "sack", "7.1 wired plus lossy hop", "5"),
        (HUQ_71, "newreno", "7.5 seven flows", "10"),
        (HUQ_63, "newreno", "6.3 ten flows", "8"),
        (HUQ_63, "newreno", "6.4 ten flows, 21 s, starts 1 s apart", "0"),
    ],
)
def test_goodput_agrees_with_ns2(family: str, variant: str, scenario: str, value: str) -> None:
    outcome = compare(POINTS[family, variant, scenario, value], seeds=4, store=False)
    goodput = outcome.goodput
    assert outcome.agrees, f"{100 * goodput.difference:+.1f} %, allowed {100 * goodput.allowed:.1f} %"


def ns2(mean: float, half: float) -> Interval:
    return Interval(mean, mean - half, mean + half, 10)


def test_the_rule_adds_both_half_widths_and_three_percent() -> None:
    # here 10 +- 0 against 10.5 +- 0.1: 0.5 apart, allowed 0.1 + 0.315
    assert not Comparison(ns2(10.5, 0.1), mean_interval([10.0, 10.0])).agrees
    # against 10.4 +- 0.1: 0.4 apart, allowed 0.1 + 0.312
    near = Comparison(ns2(10.4, 0.1), mean_interval([10.0, 10.0]))
    assert near.agrees
    assert near.difference == pytest.approx(-0.4 / 10.4)
    assert near.allowed == pytest.approx(0.1 / 10.4 + 0.03)


def test_what_does_not_exist_does_not_agree_and_nothing_agrees_with_nothing() -> None:
    assert not Comparison(mean_interval([]), mean_interval([1.0, 1.0])).agrees
    dead = Comparison(mean_interval([0.0, 0.0]), mean_interval([0.0, 0.0]))
    assert dead.agrees
    assert dead.difference == 0.0


def test_a_point_that_differs_without_a_reason_says_so() -> None:
    point = StoredPoint(SAEDI, "q-sweep", "newreno", "q_percent", "1", 5.0, 0.1, 10)
    text = page([StoredOutcome(point, Comparison(ns2(5.0, 0.1), mean_interval([10.0, 10.0])))])
    assert "0 of 1 points agree" in text
    assert "newreno, q-sweep, 1 (+100.0 %): not explained yet" in text


def test_cases_without_randomness() -> None:
    cases = {case.name: case for case in read_cases(CASES)}
    assert len(cases) == 65
    for name in ("newreno-three-ack_none-dup3-delack0-q100", "sack-burst4-ack_none-dup3-delack1-q100"):
        outcome = run_case(cases[name])
        assert outcome.agrees
        assert outcome.here == cases[name].ns2


def test_long_lists_without_randomness() -> None:
    cases = {case.name: case for case in read_long_cases()}
    assert len(cases) == 60
    for name in ("newreno-list1", "reno-list1", "tahoe-list1", "newreno-list12"):
        outcome = run_case(cases[name])
        assert outcome.here == cases[name].ns2


def test_a_case_with_another_count_differs() -> None:
    case = DroplistCase("reno-x", "reno", (20,), (), 3, 1, 20, 100, (1759, 1, 0, 1))
    assert CaseOutcome(case, (1758, 1, 0, 1)).agrees
    assert not CaseOutcome(case, (1758, 2, 0, 1)).agrees
    assert not CaseOutcome(case, (1756, 1, 0, 1)).agrees
