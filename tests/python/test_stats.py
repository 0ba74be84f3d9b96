"""Statistics against published tables and arithmetic done by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windlass
from windlass import stats


@pytest.mark.parametrize(
    ("n", "quantile"),
    # Student's t, two-sided 95 %, by degrees of freedom n - 1: NIST/SEMATECH e-Handbook, table 1.3.6.7.2.
    [(2, 12.706), (3, 4.303), (5, 2.776), (10, 2.262), (31, 2.042), (101, 1.984)],
)
def test_mean_interval_uses_students_t(n: int, quantile: float) -> None:
    # Values with mean 0 and sample standard deviation s: the half-width is t s / sqrt(n).
    values = np.linspace(-1.0, 1.0, n)
    spread = math.sqrt(float((values**2).sum()) / (n - 1))
    interval = stats.mean_interval(values + 7.0)
    assert interval.n == n
    assert interval.mean == pytest.approx(7.0)
    assert interval.half_width == pytest.approx(quantile * spread / math.sqrt(n), rel=3e-4)


def test_mean_interval_of_a_published_sample() -> None:
    # NIST e-Handbook 1.3.5.2, heat flow meter 1: n = 195, mean 9.261460, s = 0.022789; 95 %: 9.258242 to 9.264679.
    base = np.linspace(-1.0, 1.0, 195)
    values = 9.261460 + base / base.std(ddof=1) * 0.022789
    interval = stats.mean_interval(values)
    assert interval.lo == pytest.approx(9.258242, abs=1e-6)
    assert interval.hi == pytest.approx(9.264679, abs=1e-6)


def test_mean_interval_at_99_percent() -> None:
    # t(0.995, 4) = 4.604; values 1..5 have s = sqrt(2.5).
    interval = stats.mean_interval([1, 2, 3, 4, 5], confidence=0.99)
    assert interval.half_width == pytest.approx(4.604 * math.sqrt(2.5 / 5), rel=1e-3)


def test_one_value_has_no_interval_and_none_has_no_mean() -> None:
    one = stats.mean_interval([4.0])
    assert one.mean == 4.0
    assert math.isnan(one.lo)
    assert math.isnan(one.half_width)
    assert not one.contains(4.0)
    none = stats.mean_interval([])
    assert none.n == 0
    assert math.isnan(none.mean)


def test_nan_is_left_out_and_not_counted() -> None:
    assert stats.mean_interval([1.0, math.nan, 3.0]).n == 2
    assert stats.mean_interval([1.0, math.nan, 3.0]).mean == 2.0


def test_equal_values_have_an_interval_of_no_width() -> None:
    interval = stats.mean_interval([2.5, 2.5, 2.5])
    assert (interval.lo, interval.hi) == (2.5, 2.5)
    assert interval.contains(2.5)


def test_seeds_needed_is_the_least_number_that_suffices() -> None:
    values = [9.0, 10.0, 11.0, 10.0, 10.0]  # s = sqrt(0.5)
    s = math.sqrt(0.5)
    # By the t table: n = 11 has t = 2.228 and half-width 0.4750; n = 10 has 2.262 and 0.5058.
    assert 2.228 * s / math.sqrt(11) < 0.5 < 2.262 * s / math.sqrt(10)
    assert stats.seeds_needed(values, 0.5) == 11


def test_seeds_needed_refuses_what_has_no_answer() -> None:
    with pytest.raises(ValueError, match="two values"):
        stats.seeds_needed([1.0], 0.1)
    with pytest.raises(ValueError, match="positive"):
        stats.seeds_needed([1.0, 2.0], 0.0)
    assert stats.seeds_needed([3.0, 3.0], 0.1) == 2


def test_pairing_takes_the_common_seeds_in_order() -> None:
    left, right = stats.paired({3: 30.0, 1: 10.0, 2: 20.0}, {1: 1.0, 3: 3.0, 9: 9.0})
    assert left.tolist() == [10.0, 30.0]
    assert right.tolist() == [1.0, 3.0]


def test_paired_difference_takes_out_what_the_pairs_share() -> None:
    common = np.array([100.0, 200.0, 300.0, 400.0])
    noise = np.array([0.5, -0.5, 0.25, -0.25])
    interval = stats.paired_difference(common + 5.0 + noise, common)
    assert interval.mean == pytest.approx(5.0)
    # s of the noise is sqrt(0.625 / 3) = 0.4564; t(0.975, 3) = 3.182.
    assert interval.half_width == pytest.approx(3.182 * 0.4564 / 2.0, rel=1e-3)


def test_paired_values_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="paired"):
        stats.paired_difference([1.0, 2.0], [1.0])


def test_paired_ratio_of_proportional_values_is_exact() -> None:
    base = np.array([1.0, 2.0, 5.0, 3.0, 4.0, 2.5, 1.5])
    interval = stats.paired_ratio(1.5 * base, base)
    assert interval.mean == pytest.approx(1.5)


def test_paired_ratio_is_that_of_the_means_and_its_interval_holds_it() -> None:
    rng = np.random.default_rng(3)
    below = rng.normal(10.0, 1.0, 40)
    above = 1.2 * below + rng.normal(0.0, 0.5, 40)
    interval = stats.paired_ratio(above, below)
    assert interval.mean == pytest.approx(above.mean() / below.mean())
    assert interval.lo < interval.mean < interval.hi
    assert interval.contains(1.2)
    assert interval.half_width < 0.03


def test_ratio_over_zero_is_no_number() -> None:
    assert math.isnan(stats.paired_ratio([1.0, 2.0], [0.0, 0.0]).mean)


def test_means_are_widened_by_their_skewness() -> None:
    # 0, 0 and 3: mean 1, s = sqrt(3), t(0.975, 2) = 4.303; third moment (-1 - 1 + 8)/3 = 2 over 2^1.5 is 0.7071
    interval = stats.over_seeds([0.0, 0.0, 3.0])
    assert interval.half_width == pytest.approx(4.303 * 1.0 * (1.0 + 0.7071 / math.sqrt(3.0)), rel=1e-3)
    even = [9.0, 10.0, 11.0]
    assert stats.over_seeds(even) == stats.mean_interval(even), "what is not skewed has Student's t"
    equal = stats.over_seeds([2.0, 2.0, 2.0])
    assert (equal.lo, equal.hi, equal.known) == (2.0, 2.0, False)
    assert not stats.over_seeds([2.0]).known


@pytest.mark.parametrize(
    ("events", "least", "most"),
    # Garwood 1936, 95 %: limits of the mean of a Poisson law of which so many were seen
    [(1, 0.0253, 5.572), (2, 0.2422, 7.225), (5, 1.623, 11.67), (9, 4.115, 17.08)],
)
def test_few_events_have_the_exact_interval_of_a_poisson_number(events: int, least: float, most: float) -> None:
    # evenly over 9 seeds, so that their variance is no more than a Poisson law's
    seen = [1] * events + [0] * (9 - events)
    found = stats.count_over_seeds(seen, flows=2)
    assert (found.mean * 18, found.lo * 18, found.hi * 18) == pytest.approx((events, least, most), rel=1e-3)


def test_events_in_groups_say_less_than_as_many_single_ones() -> None:
    single, grouped = stats.count_over_seeds([1, 1, 0]), stats.count_over_seeds([2, 0, 0])
    assert single.mean == grouped.mean
    assert grouped.hi > 1.3 * single.hi
    # of many, their spread over the seeds is known
    assert stats.count_over_seeds([20, 24, 22], 2) == stats.over_seeds([10.0, 12.0, 11.0])


def test_no_event_is_at_most_so_many() -> None:
    none = stats.count_over_seeds([0] * 3, [2] * 3)
    # exp(-6 x) = 0.05
    assert (none.mean, none.lo, none.hi) == (0.0, 0.0, pytest.approx(-math.log(0.05) / 6))
    assert none.known
    assert not stats.count_over_seeds([0] * 3, rare=False).known, "a burst may be missed"
    assert not stats.count_over_seeds([0]).known


def test_shares_of_few_have_the_exact_interval() -> None:
    # Clopper and Pearson, 6 of 60, 95 %: 0.0376 to 0.2051; seeds that are even say no more than their sum
    six = stats.share_over_seeds([2, 2, 2], [20, 20, 20])
    assert (six.mean, six.lo, six.hi) == pytest.approx((0.1, 0.0376, 0.2051), rel=2e-3)
    none, all_ = (stats.share_over_seeds([hits] * 3, [20] * 3) for hits in (0, 20))
    assert (none.hi, all_.lo) == (pytest.approx(1.0 - 0.05 ** (1 / 60)), pytest.approx(0.05 ** (1 / 60)))
    differing, even = stats.share_over_seeds([6, 0, 0], [20] * 3), stats.share_over_seeds([2, 2, 2], [20] * 3)
    assert differing.hi > 1.5 * even.hi
    assert math.isnan(stats.share_over_seeds([0, 0], [0, 0]).mean)


def test_jains_index_has_an_interval_within_what_it_can_be() -> None:
    found = stats.jain_over_seeds([0.99, 0.8, 0.97], flows=2)
    assert 0.5 <= found.lo < found.mean < found.hi < 1.0
    assert found.mean - found.lo > 2.0 * (found.hi - found.mean), "unfair runs are far, fair ones near 1"
    assert stats.jain_over_seeds([0.99, 0.8, 0.97], flows=2) == found, "always the same draws"
    assert not stats.jain_over_seeds([1.0, 1.0, 1.0]).known


def test_a_ratio_over_what_could_be_nothing_has_one_bound() -> None:
    # b: mean 2, s = 1.7321, so that 0 is in its interval; a is far from 0
    above = stats.paired_ratio([5.0, 5.1, 4.9], [1.0, 1.0, 4.0])
    assert 0.0 < above.lo < above.mean < above.hi == math.inf
    assert stats.paired_ratio([1.0, 0.0, 5.0], [1.0, 0.0, 4.0]).hi == math.inf
    assert not stats.paired_ratio([2.0, 4.0], [1.0, 2.0]).known, "the same for every seed"


def test_jain() -> None:
    assert stats.jain([2.0, 2.0, 2.0]) == pytest.approx(1.0)
    assert stats.jain([1.0, 0.0, 0.0, 0.0]) == pytest.approx(0.25)
    # (1 + 2 + 3)^2 / (3 * 14)
    assert stats.jain([1.0, 2.0, 3.0]) == pytest.approx(36.0 / 42.0)
    assert math.isnan(stats.jain([0.0, 0.0]))
    assert math.isnan(stats.jain([]))


@given(st.lists(st.floats(0.0, 1e9), min_size=1, max_size=50).filter(lambda values: max(values) > 1e-3))
def test_jain_lies_between_one_share_and_one(values: list[float]) -> None:
    assert 1.0 / len(values) - 1e-9 <= stats.jain(values) <= 1.0 + 1e-9


def test_mathis_check_values() -> None:
    # C = 1: 8 * 1460 / (0.1 * sqrt(0.01)) = 1.168 Mbit/s; C = sqrt(3/2): 1.4305.
    assert float(stats.mathis(0.01, mss_bytes=1460, rtt_s=0.1, c=1.0)) == pytest.approx(1.168e6)
    assert float(stats.mathis(0.01, mss_bytes=1460, rtt_s=0.1)) == pytest.approx(1.4305e6, rel=1e-4)
    # b = 2: C = 0.8660.
    assert float(stats.mathis(0.01, mss_bytes=1460, rtt_s=0.1, b=2)) == pytest.approx(1.0115e6, rel=1e-4)
    assert math.isinf(float(stats.mathis(0.0, mss_bytes=1460, rtt_s=0.1)))


@pytest.mark.parametrize(
    ("p", "form", "mbit"),
    [(0.01, "correct", 0.9278), (0.01, "huq", 0.9820), (0.1, "correct", 0.1462), (0.1, "huq", 0.2291)],
)
def test_pftk_check_values(p: float, form: str, mbit: float) -> None:
    rate = stats.pftk(p, mss_bytes=1460, rtt_s=0.1, rto_s=0.4, b=2, form=form)
    assert float(rate) == pytest.approx(mbit * 1e6, abs=60.0)


def test_pftk_without_loss_is_the_window() -> None:
    rate = stats.pftk([0.0, 1e-9], mss_bytes=1000, rtt_s=0.1, rto_s=0.4, window_segments=20)
    assert rate.tolist() == [pytest.approx(1.6e6), pytest.approx(1.6e6)]


def test_summary_has_one_row_per_point_and_counts_seeds(swept: windlass.Scenario) -> None:
    result = windlass.sweep(swept)
    summary = result.summary()
    assert summary.num_rows == 6
    assert summary.column_names[:6] == [
        "flows.algorithm", "topology.bottleneck.loss.rate", "group", "direction", "algorithm", "flows",
    ]  # fmt: skip
    row = summary.to_pylist()[1]
    assert (row["flows.algorithm"], row["topology.bottleneck.loss.rate"], row["flows"]) == ("newreno", 0.5, 2)
    own = [
        flow
        for flow in result.flows.to_pylist()
        if flow["flows.algorithm"] == "newreno" and flow["topology.bottleneck.loss.rate"] == 0.5
    ]
    by_seed = {seed: [flow["goodput_bps"] for flow in own if flow["seed"] == seed] for seed in (1, 2, 3)}
    means = [sum(values) / 2 for values in by_seed.values()]
    assert row["goodput_bps_n"] == 3
    assert row["goodput_bps_mean"] == pytest.approx(sum(means) / 3)
    assert row["goodput_total_bps_mean"] == pytest.approx(sum(flow["goodput_run_bps"] for flow in own) / 3)
    assert row["goodput_bps_lo"] < row["goodput_bps_mean"] < row["goodput_bps_hi"]
    assert 0.5 <= row["jain_mean"] <= 1.0


def test_all_flows_together_get_no_more_than_the_link_carries(swept: windlass.Scenario) -> None:
    # flows that start late get, over their own short time, more than their part of the whole run (with SACK: NewReno
    # would spend most of it on the overflow of its first slow start)
    late = {"flows.start": "uniform(0 s, 4 s)", "flows.algorithm": "sack", "topology.bottleneck.loss.rate": "0 %"}
    row = windlass.sweep(swept.with_(late)).summary().to_pylist()[0]
    carried = 2e6 * 1460 / 1500  # payload of full segments at 2 Mbit/s
    assert row["flows"] * row["goodput_bps_mean"] > carried
    assert row["goodput_total_bps_mean"] <= carried


def test_rows_of_a_summary_stand_in_the_order_of_the_runs() -> None:
    points = [(f"p{number * 7919 % 101}", seed, group) for number in range(101) for seed in (3, 1, 2) for group in "ba"]
    count = len(points)
    flows = pa.table(
        {
            "seed": [seed for _, seed, _ in points],
            "axis": [point for point, _, _ in points],
            "group": [group for _, _, group in points],
            "direction": ["forward"] * count,
            "algorithm": ["reno"] * count,
            "goodput_bps": [float(number) for number in range(count)],
        }
    )
    summary = stats.summarise(flows, ["axis"], ["goodput_bps"])
    order = list(dict.fromkeys((point, group) for point, _, group in points))
    assert list(zip(summary["axis"].to_pylist(), summary["group"].to_pylist(), strict=True)) == order
    # Rows 0, 2 and 4 are the first group's three seeds.
    assert summary["goodput_bps_mean"][0].as_py() == 2.0


def bulk(number: int, **more: object) -> dict[str, object]:
    """A transfer without end between the hosts of this number."""
    ends = {"from": f"left/{number}", "to": f"right/{number}", "start": "0 s"}
    return {"name": f"bulk-{number}", "algorithm": "newreno", **ends, **more}


def jain_by_group(small: windlass.Scenario, *flows: dict[str, object]) -> tuple[dict[str, Any], windlass.SweepResult]:
    document = small.document()
    document["topology"]["pairs"] = 4
    document["flows"] = list(flows)
    result = windlass.sweep(windlass.from_dict(document))
    return {row["group"]: row for row in result.summary().to_pylist()}, result


def test_fairness_is_between_groups_too(small: windlass.Scenario) -> None:
    # one of the two may send a window of two segments at most, so the two shares are far apart
    rows, result = jain_by_group(small, bulk(0), bulk(1, tcp={"window": "2 segments"}))
    assert set(rows) == {"bulk-0", "bulk-1"}
    assert rows["bulk-0"]["flows"] == rows["bulk-1"]["flows"] == 1
    by_seed: dict[int, list[float]] = {}
    for row in result.flows.to_pylist():
        by_seed.setdefault(row["seed"], []).append(row["goodput_bps"])
    expected = sum(sum(x) ** 2 / (2 * sum(y * y for y in x)) for x in by_seed.values()) / len(by_seed)
    assert expected < 0.95
    assert rows["bulk-0"]["jain_mean"] == pytest.approx(expected)
    ends = {(row["jain_mean"], row["jain_lo"], row["jain_hi"]) for row in rows.values()}
    assert len(ends) == 1, "it is one number of the run, whichever group asks"


CALL = {"transport": "udp", "traffic": {"kind": "cbr", "rate": "64 kbps", "packet": "160 B"}}


def test_fairness_is_among_flows_that_compete(small: windlass.Scenario) -> None:
    alone, _ = jain_by_group(small, bulk(0), bulk(1))
    ends = {"from": "left/2", "to": "right/2", "start": "0 s"}
    call = {"name": "call", **ends, **CALL}
    short = {"name": "short", **ends, "algorithm": "newreno", "size": "20 kB", "count": 5}
    slow = {"name": "slow", **ends, "algorithm": "tfrc"}
    rows, result = jain_by_group(small, bulk(0), bulk(1), bulk(3), slow, call, short)
    # a stream of 64 kbit/s and five short transfers beside four flows that share the rest: that is not unfair
    found = {group: row["jain_mean"] for group, row in rows.items()}
    assert found["call"] is None
    assert found["short"] is None
    assert found["bulk-0"] == found["bulk-1"] == found["bulk-3"] == found["slow"]
    by_seed: dict[int, list[float]] = {}
    for row in result.flows.to_pylist():
        if row["group"] in ("bulk-0", "bulk-1", "bulk-3", "slow"):
            by_seed.setdefault(row["seed"], []).append(row["goodput_bps"])
    assert found["bulk-0"] == pytest.approx(sum(map(stats.jain, by_seed.values())) / len(by_seed))
    assert found["bulk-0"] > 0.5 * alone["bulk-0"]["jain_mean"]
    # with nobody to compete with there is nothing to be fair about
    lonely, _ = jain_by_group(small, bulk(0), call, short)
    assert {row["jain_mean"] for row in lonely.values()} == {None}


def test_the_fairness_of_an_experiment_is_among_flows_that_compete(small: windlass.Scenario) -> None:
    from windlass.reproduce.metrics import metrics

    call = {"name": "call", "from": "left/2", "to": "right/2", "start": "0 s", **CALL}
    _, result = jain_by_group(small, bulk(0), bulk(1), call)
    flows = result.runs[0].flows
    shares = [row["goodput_bps"] for row in flows.to_pylist() if row["group"] != "call"]
    assert metrics(flows, None)["fairness"] == pytest.approx(stats.jain(shares))
    assert "fairness" not in metrics(flows, ("bulk-0", "call"))


def test_paths_of_one_connection_do_not_compete_with_it() -> None:
    document = windlass.load("wifi-and-cellular").document()
    del document["sweep"]
    document["flows"] = [flow for flow in document["flows"] if "multipath" in flow]
    document["scenario"] |= {"duration": "5 s", "warmup": "1 s", "seeds": 2}
    for row in windlass.sweep(windlass.from_dict(document)).summary().to_pylist():
        assert row["jain_mean"] is None, row["group"]


def test_completion_times_of_transfers_have_intervals(small: windlass.Scenario) -> None:
    ends = {"from": "left/2", "to": "right/2"}
    short = {"name": "short", **ends, "algorithm": "newreno", "size": "uniform(10 kB, 40 kB)", "count": 6}
    long = {"name": "long", **ends, "algorithm": "newreno", "size": "100 MB", "count": 2}
    rows, result = jain_by_group(small, bulk(0), short, long)
    times = {
        seed: [row["completion_s"] for row in run.flows.to_pylist() if row["group"] == "short"]
        for seed, run in ((run.seed, run) for run in result.runs)
    }
    assert all(None not in own for own in times.values())
    row = rows["short"]
    assert row["completion_s_mean"] == pytest.approx(sum(sum(own) / 6 for own in times.values()) / 3)
    assert row["completion_median_s_mean"] == pytest.approx(sum(float(np.median(own)) for own in times.values()) / 3)
    assert row["completion_p95_s_mean"] == pytest.approx(
        sum(float(np.quantile(own, 0.95)) for own in times.values()) / 3
    )
    assert row["completion_s_lo"] < row["completion_s_mean"] < row["completion_s_hi"]
    assert row["unfinished_mean"] == 0.0
    assert rows["long"]["unfinished_mean"] == 1.0
    assert rows["long"]["completion_s_mean"] is None
    for column in ("completion_s", "completion_median_s", "completion_p95_s", "unfinished"):
        assert rows["bulk-0"][f"{column}_mean"] is None


def test_a_summary_counts_every_cause_of_loss(small: windlass.Scenario) -> None:
    from windlass.names import loss_causes

    policed = {"topology.bottleneck.policer": {"rate": "1 Mbps", "burst": "10 kB"}}
    result = windlass.sweep(small.with_(policed))
    (row,) = result.summary().to_pylist()
    for cause in loss_causes():
        assert row[f"{cause.column}_mean"] == pytest.approx(np.mean(result.flows[cause.column].to_pylist()))
    assert row["loss_policer_mean"] > 0.0


def test_results_of_an_older_version_are_summarised_as_far_as_they_go(small: windlass.Scenario) -> None:
    flows = windlass.sweep(small, seeds=2).flows.drop_columns(["size_bytes", "loss_policer"])
    (row,) = stats.summarise(flows, []).to_pylist()
    assert row["goodput_bps_mean"] > 0.0
    assert {"jain_mean", "unfinished_mean", "loss_policer_mean"}.isdisjoint(row)


def test_summary_of_one_seed_has_null_ends(small: windlass.Scenario) -> None:
    row = windlass.sweep(small, seeds=1).summary("goodput_bps").to_pylist()[0]
    assert row["goodput_bps_mean"] > 0.0
    assert row["goodput_bps_lo"] is None
    assert row["goodput_bps_n"] == 1
