"""The stored figures of ns-2 beside runs here: a few points of each agent, and the rule itself."""

from __future__ import annotations

import pytest

from windlass.stats import mean_interval
from windlass.validation import Comparison, StoredPoint, compare, page, scenario_of, stored_points

POINTS = {(p.variant, p.scenario, p.value): p for p in stored_points()}


def test_all_agents_and_sweeps_are_read() -> None:
    assert len(POINTS) == 63
    assert {p.variant for p in POINTS.values()} == {"newreno", "sack", "reno", "tahoe", "vegas"}
    for point in POINTS.values():
        assert len(scenario_of(point).points()) == 1


@pytest.mark.parametrize(
    ("variant", "value"),
    [
        ("newreno", "0"),
        ("newreno", "1"),
        ("newreno", "10"),
        ("newreno", "20"),
        ("sack", "0"),
        ("sack", "3"),
        ("sack", "10"),
        ("reno", "1"),
        ("reno", "10"),
        ("tahoe", "1"),
        ("tahoe", "10"),
        ("vegas", "0"),
        ("vegas", "1"),
        ("vegas", "10"),
    ],
)
def test_goodput_agrees_with_ns2(variant: str, value: str) -> None:
    comparison = compare(POINTS[variant, "q-sweep", value], seeds=4, store=False)
    assert comparison.agrees, f"{100 * comparison.difference:+.1f} %, allowed {100 * comparison.allowed:.1f} %"


def stored(mean: float, half: float) -> StoredPoint:
    return StoredPoint("q-sweep", "newreno", "q_percent", "1", mean, half, 10)


def test_the_rule_adds_both_half_widths_and_three_percent() -> None:
    # here 10 +- 0 against 10.5 +- 0.1: 0.5 apart, allowed 0.1 + 0.315
    assert not Comparison(stored(10.5, 0.1), mean_interval([10.0, 10.0])).agrees
    # against 10.4 +- 0.1: 0.4 apart, allowed 0.1 + 0.312
    assert Comparison(stored(10.4, 0.1), mean_interval([10.0, 10.0])).agrees


def test_a_point_that_differs_without_a_reason_says_so() -> None:
    text = page([Comparison(stored(5.0, 0.1), mean_interval([10.0, 10.0]))])
    assert "0 of 1 points agree" in text
    assert "not explained" in text
