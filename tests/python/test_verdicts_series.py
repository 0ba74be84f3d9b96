"""Verdicts on what was recorded over time, on printed tables, on several experiments, on metrics made of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from windlass.ledger import Check
from windlass.verdicts import Data, Limit, judge, merge

Line = Sequence[tuple[float, float]]


def measured(
    values: Mapping[str, Mapping[tuple[Any, ...], float]],
    axes: tuple[str, ...],
    metric: str = "throughput",
    **more: Any,
) -> Data:
    """The same number in three runs of each variant at each point."""
    points = tuple(dict.fromkeys(point for at in values.values() for point in at))
    runs = {
        (metric, name, point): {seed: value for seed in (1, 2, 3)}
        for name, at in values.items()
        for point, value in at.items()
    }
    return Data("p/fig1", axes, points, more.pop("fixed", {}), runs, **more)


def recorded(signal: str, *lines: Line) -> Data:
    """A series of variant ``a`` in as many runs."""
    return Data("p/fig1", (), ((),), {}, {}, series={(signal, "a", ()): dict(enumerate(lines, 1))})


def trace(event: str, signal: str = "cwnd", **more: Any) -> Check:
    return Check("trace", {"signal": signal, "a": "a", "event": event, **more})


SAW = [(0.0, 1.0), (10.0, 20.0), (20.0, 1.0), (20.5, 2.0), (21.0, 1.0), (30.0, 20.0), (40.0, 1.0), (50.0, 9.0)]
"""A window that comes down to one segment at 20, 21 and 40 s."""


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ({"count": 3}, "reproduced"),
        ({"count": 2}, "contradicted"),
        ({"count": 2, "after_s": 20.9}, "reproduced"),
        ({"count": 3, "after_s": 20.9}, "contradicted"),
        ({"times_s": [18, 43], "tolerance_s": 4}, "reproduced"),
        ({"times_s": [18, 50], "tolerance_s": 4}, "contradicted"),
        ({"level_segments": 0.5}, "reproduced"),  # no time and no count is asked
    ],
)
def test_a_window_that_collapses(more: dict[str, Any], verdict: str) -> None:
    assert judge(trace("min-level", **more), recorded("cwnd", SAW, SAW, SAW)).verdict == verdict


def test_an_event_must_be_in_more_than_half_of_the_runs() -> None:
    calm = [(0.0, 5.0), (50.0, 9.0)]
    check = trace("min-level", count=3)
    assert judge(check, recorded("cwnd", SAW, SAW, calm)).verdict == "undecided"
    found = judge(check, recorded("cwnd", *[SAW] * 9, calm))
    assert (found.verdict, found.measured) == ("reproduced", "a: in 9 of 10 runs")
    assert judge(check, recorded("cwnd", calm, calm, calm)).verdict == "contradicted"


def test_a_dip_is_lower_than_its_neighbours_and_than_usual() -> None:
    check = trace("local-minimum", "throughput", times_s=[60], tolerance_s=20)
    times = [10.0 + 20 * index for index in range(8)]
    dip = list(zip(times, [2, 2, 1, 2, 2, 2, 2, 2], strict=True))
    assert judge(check, recorded("throughput", dip, dip, dip)).verdict == "reproduced"
    bump = list(zip(times, [2, 9, 8, 9, 2, 2, 2, 2], strict=True))  # lower than beside it, above what is usual
    assert judge(check, recorded("throughput", bump, bump, bump)).verdict == "contradicted"
    elsewhere = list(zip(times, [2, 2, 2, 2, 2, 1, 2, 2], strict=True))
    assert judge(check, recorded("throughput", elsewhere, elsewhere, elsewhere)).verdict == "contradicted"


def test_a_bin_that_the_flow_does_not_fill_is_not_usual() -> None:
    """Traffic starts at 10 s of a run in bins of 20 s: half of the first bin is silent."""
    check = trace("local-minimum", "throughput", times_s=[60, 140], tolerance_s=20)
    rates = [2.30, 4.73, 4.73, 4.53, 4.73, 4.73, 4.73, 4.52, 4.73, 4.73]
    line = [(10.0 + 20 * index, rate) for index, rate in enumerate(rates)]
    drawn = recorded("throughput", *[line] * 5)
    assert judge(check, drawn).measured == "a: in 0 of 5 runs"
    filled = replace(drawn, series={**drawn.series, **recorded("throughput-filled", *[line[1:]] * 5).series})
    found = judge(check, filled)
    assert (found.verdict, found.measured) == ("reproduced", "a: in 5 of 5 runs")
    assert judge(check, recorded("throughput", line[1:6])).reason == "the claim needs values near 140 s"


def test_a_window_that_keeps_growing() -> None:
    up = [(float(t), 1.0 + t) for t in range(101)]
    flat = [(float(t), min(1.0 + t, 5.0)) for t in range(101)]
    saw = [(float(t), 1.0 + t % 30) for t in range(101)]
    check = trace("grows", slack_rel=0.05)
    found = [judge(check, recorded("cwnd", line, line, line)).verdict for line in (up, flat, saw)]
    assert found == ["reproduced", "contradicted", "contradicted"]


def test_what_no_run_has_is_said() -> None:
    assert judge(trace("kept-share", detail="one random loss"), recorded("cwnd", SAW)).reason == (
        "the claim needs a run in which nothing but the event happens: one random loss"
    )
    assert judge(trace("grows"), recorded("ssthresh", SAW)).reason == "the claim needs `cwnd` of a over time"


PRINTED = {"columns": ["error", "a", "b"], "rows": [[0, 2.0, 1.0], [1, 1.0, 0.5]]}


@pytest.mark.parametrize(
    ("factor", "more", "verdict"),
    [
        (1.0, {}, "reproduced"),
        (1.05, {}, "reproduced"),
        (1.5, {}, "contradicted"),
        (1.5, {"ratio_tolerance_rel": 0.1}, "direction only"),  # b is half of a in each row
        (1.5, {"tolerance_abs": 1.0}, "reproduced"),
        (0.008, {"units": ["kb/s", "kB/s"]}, "reproduced"),
    ],
)
def test_a_table_cell_by_cell(factor: float, more: dict[str, Any], verdict: str) -> None:
    values = {"a": {(0,): 2.0 * factor, (1,): factor}, "b": {(0,): factor, (1,): 0.5 * factor}}
    data = measured(values, ("q",), tables={"t": PRINTED})
    check = Check("table", {"table": "t", "metric": "throughput", "axes": ["q"], "tolerance_rel": 0.1, **more})
    found = judge(check, data)
    assert found.verdict == verdict
    assert len(found.rows) == 4
    assert {row["unit"] for row in found.rows} == {"Mbps"}
    if len(more.get("units", [""])) == 1:
        assert "b, printed 0.5 Mbps," in " ".join(row["what"] for row in found.rows)


def test_a_table_of_words_is_not_measured() -> None:
    data = measured({"a": {(0,): 1.0}}, ("q",), tables={"t": PRINTED})
    found = judge(Check("table", {"table": "t", "measurable": False}), data)
    assert found.reason.startswith("the claim is words or the settings themselves")


def test_two_printed_tables() -> None:
    other = {**PRINTED, "rows": [[0, 2.0, 1.0], [1, 1.0, 0.6]]}
    data = measured({"a": {(0,): 1.0}}, ("q",), tables={"t": PRINTED, "same": PRINTED, "other": other})
    assert judge(Check("same-table", {"table": "t", "table_b": "same"}), data).verdict == "reproduced"
    found = judge(Check("same-table", {"table": "t", "table_b": "other"}), data)
    assert (found.verdict, found.measured) == ("contradicted", "5 of 6 printed cells are equal (no run)")


def test_the_order_in_two_experiments() -> None:
    """a over b over c in both; turned round it is the opposite."""
    here = measured({"a": {(0,): 3.0}, "b": {(0,): 2.0}, "c": {(0,): 1.0}}, ("q",))
    alike = replace(measured({"a": {(0,): 9.0}, "b": {(0,): 8.0}, "c": {(0,): 1.0}}, ("q",)), experiment="p/fig2")
    turned = replace(measured({"a": {(0,): 1.0}, "b": {(0,): 2.0}, "c": {(0,): 3.0}}, ("q",)), experiment="p/fig2")
    fields = {"metric": "throughput", "experiment_a": "p/fig1", "experiment_b": "p/fig2", "min_tau": 0.6}
    check = Check("same-order", fields)
    assert judge(check, here, others={"p/fig2": alike}.get).verdict == "reproduced"
    assert judge(check, here, others={"p/fig2": turned}.get).verdict == "contradicted"
    assert judge(check, here, others=lambda _: None).reason == "the claim needs the runs of p/fig2"


def test_the_same_numbers_under_two_names_tell_nothing() -> None:
    """Where goodput is throughput, an order in one is that in the other; one different run, and it is measured."""
    rows = {name: {(0,): number} for name, number in (("a", 3.0), ("b", 2.0), ("c", 1.0))}
    here, there = measured(rows, ("q",)), measured(rows, ("q",))
    renamed = {("goodput", name, point): samples for (_, name, point), samples in there.values.items()}
    there = replace(there, experiment="p/fig2", values=renamed)
    fields = {"metric": "throughput", "metric_b": "goodput", "experiment_a": "p/fig1", "experiment_b": "p/fig2"}
    check = Check("same-order", {**fields, "min_tau": 0.6})
    found = judge(check, here, others={"p/fig2": there}.get)
    assert found.verdict == "not measurable"
    assert found.reason.startswith("the claim cannot be told: throughput and goodput are one quantity")
    key, samples = next(iter(renamed.items()))
    other = replace(there, values={**renamed, key: {seed: number + 0.1 for seed, number in samples.items()}})
    assert judge(check, here, others={"p/fig2": other}.get).verdict == "reproduced"
    same = {**check.fields, "metric_b": "throughput"}  # one metric of two experiments: equal numbers are a finding
    twin = replace(here, experiment="p/fig2")
    assert judge(Check("same-order", same), here, others={"p/fig2": twin}.get).verdict == "reproduced"


def several() -> tuple[Data, Data]:
    """Figure 1 sweeps q, figure 2 sweeps the rate at q = 4 and has no ``c``."""
    one = measured({"a": {(0,): 3.0, (4,): 2.0}, "b": {(0,): 2.0, (4,): 1.0}, "c": {(0,): 4.0, (4,): 1.5}}, ("q",))
    two = measured({"a": {(8,): 2.0}, "b": {(8,): 1.0}}, ("rate",), fixed={"q": 4})
    return one, replace(two, experiment="p/fig2")


def test_several_experiments_as_one() -> None:
    whole = merge("p/summary", several())
    assert whole.axes == ("figure", "q", "rate")
    assert whole.points == (("fig1", 0, None), ("fig1", 4, None), ("fig2", 4, 8))
    assert whole.label(("fig1", 4, None)) == "figure = fig1, q = 4"
    assert whole.label(("fig2", 4, 8)) == "figure = fig2, rate = 8", "what a figure fixes is known by its name"
    assert whole.along(("fig2", 4, 8), [1, 2]) == "q = 4, rate = 8"
    assert whole.select({"q": 4}) == [("fig1", 4, None), ("fig2", 4, 8)]
    assert whole.select({"rate": [0, 10]}) == [("fig2", 4, 8)]


def test_a_point_that_a_reading_of_a_summary_was_not_run_at_has_no_value() -> None:
    """A table of the summary asks for all points of its base."""
    one, two = several()
    fewer = replace(one, points=((4,),), values={key: samples for key, samples in one.values.items() if key[2] == (4,)})
    reading = merge("p/summary", [fewer, two])
    first, second, _ = merge("p/summary", [one, two]).points
    assert not reading.get("throughput", "a", [first])
    assert reading.get("throughput", "a", [second])
    assert reading.cell("a", second) == ("p/fig1", "a", (4,))


def test_a_summary_is_judged_on_the_figures_that_it_sums_up() -> None:
    whole = merge("p/summary", several())
    fields = {"metric": "throughput", "a": "a", "among": ["a", "b", "c"], "position": 1, "tie_rel": 0.03}
    found = judge(Check("rank", {**fields, "share": 0.6}), whole)  # c leads at one point of three, and is not in fig2
    assert found.verdict == "compatible"
    assert [row["where"] for row in found.rows] == [
        "figure = fig1, q = 0",
        "figure = fig1, q = 4",
        "figure = fig2, rate = 8",  # where it is in that figure: q is the same all over it
    ]
    assert judge(Check("rank", {**fields, "share": 1.0}), whole).verdict == "direction only"
    trend = {"metric": "throughput", "among": ["a"], "over": "q", "direction": "down", "slack_rel": 0.05}
    assert "two points" in judge(Check("trend", trend), whole).reason  # fig2 has one value of q
    assert judge(Check("trend", {**trend, "at": {"figure": ["fig1"]}}), whole).verdict == "reproduced"


def test_a_check_may_name_its_experiments() -> None:
    one, two = several()
    fields = {"metric": "throughput", "a": "a", "b": "b", "percent": 100.0, "tolerance_pp": 1.0, "pick": "mean"}
    check = Check("gain", {**fields, "of": ["p/fig2"]})
    assert judge(check, one, others={"p/fig2": two}.get).verdict == "reproduced"
    assert judge(check, one, others=lambda _: None).reason == "the claim needs the runs of p/fig2"
    asked: list[tuple[Any, ...]] = []

    def limits(point: tuple[Any, ...], variant: str, at_once: bool = False) -> Limit | None:
        asked.append(point)
        return None

    judge(check, one, limits=limits, others={"p/fig2": two}.get)
    assert asked == [("p/fig2", (8,))]  # what the links carry there


def test_rate_that_is_left_unused() -> None:
    """Without loss 6 Mbps on average; a leaves 1 and 3, NewReno 2 and 4: 50 % and 25 % less."""
    values = {"a": {(0,): 6.2, (1,): 5.0, (5,): 3.0}, "newreno": {(0,): 5.8, (1,): 4.0, (5,): 2.0}}
    data = measured(values, ("fer",), loss_axis="fer")
    assert data.get("residual", "a", [(1,)])[1] == pytest.approx(1.0)
    assert data.get("residual-reduction", "a", [(1,)])[2] == pytest.approx(50.0)
    fields = {"metric": "residual", "a": "a", "b": "newreno", "percent": 25.0, "tolerance_pp": 1.0}
    assert judge(Check("reduction", {**fields, "at": {"fer": 5}}), data).verdict == "reproduced"
    down = {"metric": "residual-reduction", "among": ["a"], "over": "fer", "direction": "down", "slack_rel": 0.05}
    assert judge(Check("trend", {**down, "at": {"fer": [1, 5]}}), data).verdict == "reproduced"
    assert data.get("residual", "a", [(1,)]).keys() == {1, 2, 3}
    assert not replace(data, loss_axis="").get("residual", "a", [(1,)])


def test_the_gap_between_two_that_share_a_link() -> None:
    data = measured({"ewr": {(3, "newreno"): 1.5}, "newreno": {(3, "newreno"): 2.0}}, ("n", "other"))
    assert data.get("gap-to-partner-percent", "ewr", [(3, "newreno")])[1] == pytest.approx(25.0)


@pytest.mark.parametrize(
    ("value", "unit", "verdict"),
    [(500.0, "kbps", "reproduced"), (0.5, "Mbps", "reproduced"), (0.5, "kbps", "contradicted")],
)
def test_a_printed_unit_is_turned_into_that_of_the_metric(value: float, unit: str, verdict: str) -> None:
    data = measured({"a": {(): 0.5}}, ())
    fields = {"metric": "throughput", "a": "a", "value": value, "unit": unit, "tolerance_rel": 0.1}
    assert judge(Check("value", fields), data).verdict == verdict
    assert judge(Check("value", {**fields, "unit": "furlongs"}), data).reason == (
        "the claim needs `throughput` in Mbps, printed is furlongs"
    )


def test_a_value_of_several_variants_or_of_their_mean() -> None:
    data = measured({"a": {(): 0.4}, "b": {(): 0.6}}, ())
    fields = {"metric": "throughput", "a": ["a", "b"], "value": 0.5, "tolerance_rel": 0.1}
    assert judge(Check("value", fields), data).verdict == "contradicted"
    assert judge(Check("value", {**fields, "avg_over": ["variant"]}), data).verdict == "reproduced"


def test_a_drop_between_two_experiments() -> None:
    here = measured({"a": {(): 0.7}, "b": {(): 0.5}}, ())
    there = replace(measured({"a": {(): 0.4}, "b": {(): 0.4}}, ()), experiment="p/fig2")
    fields = {"metric": "throughput", "a_from": "p/fig1", "b_from": "p/fig2", "unit": "kbps", "tolerance_rel": 0.1}
    found = judge(Check("drop", {**fields, "value": 200.0}), here, others={"p/fig2": there}.get)
    assert (found.verdict, found.rows[0]["mean"]) == ("reproduced", pytest.approx(0.2))
    assert (
        judge(Check("drop", {**fields, "value": 400.0}), here, others={"p/fig2": there}.get).verdict == "direction only"
    )


def test_a_line_that_is_flat_from_a_knee_on() -> None:
    fields = {"metric": "throughput", "among": ["a"], "over": "n", "direction": "up-then-flat", "slack_rel": 0.03}
    bent = measured({"a": {(1,): 1.0, (4,): 2.0, (7,): 2.01}}, ("n",))
    straight = measured({"a": {(1,): 1.0, (4,): 2.0, (7,): 3.0}}, ("n",))
    assert judge(Check("trend", {**fields, "knee": 4}), bent).verdict == "reproduced"
    assert judge(Check("trend", {**fields, "knee": 4}), straight).verdict == "direction only"


def test_a_line_over_means_of_another_axis() -> None:
    """Down at n = 1 and up at n = 2, and up on average."""
    values = {"a": {(1, 2): 2.0, (1, 5): 1.8, (2, 2): 2.0, (2, 5): 3.0}}
    fields = {"metric": "throughput", "among": ["a"], "over": "ifq", "direction": "up", "slack_rel": 0.05}
    data = measured(values, ("n", "ifq"))
    assert judge(Check("trend", fields), data).verdict == "contradicted"
    assert judge(Check("trend", {**fields, "avg_over": ["n"]}), data).verdict == "reproduced"
