"""Figures for a paper: every kind, at the width of a column, with words instead of keys; and throughput as numbers."""

from __future__ import annotations

import io
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Command, small_document
from pyarrow import csv

import windlass
from windlass import InputError, RunResult, Scenario, palette, plots, stats
from windlass.cli import main
from windlass.plots import choice
from windlass.plots.words import axis_words, metric_words, value_words

LOSS = "topology.bottleneck.loss.rate"
QUEUE = "topology.bottleneck.queue"
RECORDED = ["cwnd", "ssthresh", "delivered", "srtt", "queue", "delay"]


def two_algorithms() -> dict[str, Any]:
    """NewReno and CERL beside each other, and transfers of 20 kB that not all end."""
    document = small_document()
    document["flows"] = [
        {"name": "old", "from": "left/0", "to": "right/0", "algorithm": "newreno"},
        {"name": "new", "from": "left/1", "to": "right/1", "algorithm": "cerl", "start": "1 s"},
        {"name": "web", "from": "left/1", "to": "right/1", "algorithm": "newreno", "arrivals": "3 /s", "size": "20 kB"},
    ]
    return document


@pytest.fixture(scope="module")
def result() -> RunResult:
    """A run of both that records all."""
    scenario = windlass.from_dict(two_algorithms())
    return scenario.with_({"output.traces": RECORDED, "output.events": True}).run(1)


def texts(figure: Any) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


# ---- throughput


def test_throughput_adds_up_to_what_arrived(result: RunResult) -> None:
    for width in (0.01, 0.1, 0.3, 7.0):
        table = stats.throughput(result, ["old", "new"], bin_s=width, until_s=5.0)
        assert table.column_names == ["flow", "time_s", "bin_s", "throughput_bps"]
        assert sum(table["bin_s"].to_pylist()) == pytest.approx(10.0)
        for name in ("old", "new"):
            own = table.filter(pa.compute.equal(table["flow"], name))
            sums = np.dot(own["throughput_bps"], own["bin_s"]) / 8.0
            last = [row["value"] for row in result.traces.to_pylist() if row["subject"] == name]
            every = [
                row["value"]
                for row in result.traces.to_pylist()
                if (row["subject"], row["variable"]) == (name, "delivered_bytes")
            ]
            assert last
            assert sums == pytest.approx(every[-1])


@pytest.mark.parametrize("algorithm", ["newreno", "cubic", "bbr", "cerl"])
@pytest.mark.parametrize("bin_s", [0.006, 0.02, 0.1, 1.0])
def test_throughput_is_never_above_what_the_link_carries(algorithm: str, bin_s: float) -> None:
    # 2 Mbit/s carry a packet of 1500 bytes in 6 ms, 1460 of them payload
    document = small_document() | {"output": {"traces": ["delivered"]}}
    document["topology"]["pairs"] = 1
    document["flows"][0]["algorithm"] = algorithm
    table = stats.throughput(windlass.from_dict(document).run(1), bin_s=bin_s)
    most = max(table["throughput_bps"].to_pylist())
    assert 3e5 < most <= 2e6 * 1460 / 1500 * (1 + 1e-9)


def test_throughput_of_one_packet_that_waits_long_is_not_drawn_out() -> None:
    traces = pa.table(
        {
            "time_s": [1.0, 1.5, 9.0],
            "subject": ["a"] * 3,
            "variable": ["delivered_bytes"] * 3,
            "value": [1000.0, 2000.0, 3000.0],
        }
    )
    flows = pa.table({"flow": ["a"], "direction": ["forward"], "algorithm": ["cerl"]})
    run = RunResult("k", 1, {}, {"flows": flows, "traces": traces})
    table = stats.throughput(run, bin_s=1.0, until_s=10.0)
    # 8 kbit arrive in the second before 1 s, 8 kbit in the half second after it, 8 kbit in the second before 9 s
    assert table["throughput_bps"].to_pylist() == pytest.approx([8e3, 8e3, 0, 0, 0, 0, 0, 0, 8e3, 0])


def test_throughput_that_cannot_be(result: RunResult, small: Scenario) -> None:
    for width in (0.0, -1.0, float("nan"), 1e-9):
        with pytest.raises(InputError, match="bins of") as caught:
            stats.throughput(result, bin_s=width)
        assert caught.value.code == "plot.bin"
    with pytest.raises(windlass.UnknownFlow, match="`nobody`"):
        stats.throughput(result, ["nobody"])
    with pytest.raises(InputError, match="no arrival"):
        stats.throughput(small.run(1))


# ---- every kind of figure


@pytest.mark.parametrize("kind", [kind for kind in choice.RUN_KINDS if kind not in ("positions", "airtime", "rate")])
@pytest.mark.parametrize("width", [None, "1col", "2col", 60])
def test_every_kind_of_run_has_its_width_and_all_its_words_inside(
    result: RunResult, kind: str, width: str | float | None
) -> None:
    figure = windlass.plot(result, kind, flows=["old", "new"], width=width)
    inches = {None: 6.4, "1col": 3.5, "2col": 181 / 25.4, 60: 60 / 25.4}[width]
    assert figure.get_figwidth() == pytest.approx(inches, rel=1e-3)
    figure.draw_without_rendering()
    for legend in figure.legends:
        box = legend.get_window_extent()
        assert box.x0 >= 0.0
        assert box.x1 <= figure.bbox.x1 + 1.0
        assert not any(axes.bbox.overlaps(box) for axes in figure.axes)
    titles = [legend.get_title().get_text() for legend in figure.legends]
    assert titles == ["seed 1"]
    if kind != "queue":
        assert {"old (NewReno)", "new (CERL)"} <= set(texts(figure))
    for axes in figure.axes:
        if axes.axison:
            assert "_" not in axes.get_xlabel() + axes.get_ylabel()


def test_flows_of_two_algorithms_look_like_them_and_are_told_apart(result: RunResult) -> None:
    (axes,) = windlass.plot(result, "throughput", flows=["old", "new", "web/0", "web/1"]).axes
    looks = [(line.get_color(), line.get_marker(), line._unscaled_dash_pattern[1]) for line in axes.get_lines()]
    first, second = palette.look("newreno"), palette.look("cerl")
    assert [look[:2] for look in looks[:2]] == [first[:2], second[:2]]
    assert {look[0] for look in looks[2:]} == {first.colour}, "the colour says which algorithm"
    shapes = [(marker, tuple(dash or ())) for _, marker, dash in looks]
    assert len(set(shapes)) == 4, "marker and dash which flow"


def test_patterns_choose_flows(result: RunResult) -> None:
    assert choice.flow_names(result, ["o*", "new"]) == ["old", "new"]
    assert choice.flow_names(result, None) is None
    with pytest.raises(InputError, match="no flow matches `x"):
        choice.flow_names(result, ["x*"])
    with pytest.raises(InputError, match="two-way"):
        choice.flow_names(result, None, reverse=True)


def test_lines_of_the_path_stand_in_figures_of_a_scenario() -> None:
    scenario = windlass.from_dict(small_document())
    # 2 Mbit/s for twice 30 ms are 15 kB, 10 packets; 1460 of 1500 bytes are payload
    assert "BDP: 10 segments" in texts(windlass.plot(scenario, "cwnd", seed=1))
    assert "capacity: 1.93 Mbit/s" in texts(windlass.plot(scenario, "throughput", seed=1))
    rtt = windlass.plot(scenario, "rtt", seed=1)
    (line,) = [line for line in rtt.axes[0].get_lines() if line.get_label() == "propagation there and back"]
    assert list(line.get_ydata()) == pytest.approx([60.0, 60.0])


def test_lines_of_a_path_stand_only_where_all_senders_take_such_a_path() -> None:
    brief = {"flows.algorithm": "cubic", "scenario.duration": "5 s", "scenario.warmup": "1 s"}
    scenario = windlass.load("rtt-unfairness").with_(brief)
    both = windlass.plot(scenario, "cwnd", flows="*", seed=1)
    assert not any(text.startswith("BDP") for text in texts(both))
    # 10 Mbit/s for 20 and for 120 ms, in packets of 1500 B
    assert "BDP: 16.7 segments" in texts(windlass.plot(scenario, "cwnd", seed=1))
    assert "BDP: 100 segments" in texts(windlass.plot(scenario, "cwnd", flows="far", seed=1))
    assert "propagation there and back" not in texts(windlass.plot(scenario, "all", seed=1))


def steps_of(figure: Any, begin: str) -> list[tuple[float, float]]:
    """The corners of the line of theory whose label begins so."""
    (line,) = [line for axes in figure.axes for line in axes.get_lines() if line.get_label().startswith(begin)]
    assert line.get_drawstyle() == "steps-post"
    return list(zip(line.get_xdata(), line.get_ydata(), strict=True))


def changing_path() -> Scenario:
    """2 Mbit/s and 60 ms there and back; from 2 s on 1 Mbit/s, from 3 s on 100 ms, and nothing from 4 s to 4.5 s."""
    document = small_document()
    bottleneck = document["topology"]["bottleneck"]
    bottleneck["changes"] = [{"at": "2 s", "rate": "1 Mbps"}, {"at": "3 s", "delay": "40 ms"}]
    bottleneck["outages"] = [{"at": "4 s", "for": "500 ms"}]
    del bottleneck["loss"]
    return windlass.from_dict(document)


def test_lines_of_a_path_that_changes_follow_it() -> None:
    scenario = changing_path()
    # 1448 of 1500 bytes are payload, and the run is 5 s long
    share, figure = 1448 / 1500, windlass.plot(scenario, "throughput", seed=1)
    assert "capacity: 0.965 to 1.93 Mbit/s" in texts(figure)
    end = max(line.get_xdata()[-1] for line in figure.axes[0].get_lines())
    assert steps_of(figure, "capacity") == [
        (0.0, pytest.approx(2.0 * share)),
        (2.0, pytest.approx(share)),
        (4.0, 0.0),
        (4.5, pytest.approx(share)),
        (end, pytest.approx(share)),
    ]
    rtt = windlass.plot(scenario, "rtt", seed=1)
    times, delays = zip(*steps_of(rtt, "propagation"), strict=True)
    assert (times[:2], delays) == ((0.0, 3.0), pytest.approx((60.0, 100.0, 100.0)))
    # 2 Mbit/s x 60 ms, 1 Mbit/s x 60 ms and 1 Mbit/s x 100 ms, in packets of 12 kbit
    window = windlass.plot(scenario, "cwnd", seed=1)
    assert "BDP: 5 to 10 segments" in texts(window)
    assert [value for _, value in steps_of(window, "BDP")] == pytest.approx([10.0, 5.0, 25.0 / 3.0, 25.0 / 3.0])


@pytest.mark.parametrize("name", ["leo", "cellular", "train"])
def test_no_round_trip_is_below_propagation_and_no_throughput_above_capacity(name: str) -> None:
    brief = {"scenario.duration": "30 s", "scenario.warmup": "1 s", "flows.algorithm": "cubic"}
    if name == "train":
        brief["topology.handover.queue_at_old"] = "lost"
    scenario = windlass.load(name).with_(brief)
    rtt = windlass.plot(scenario, "rtt", seed=2)
    guides = [line for line in rtt.axes[0].get_lines() if line.get_label().startswith("propagation")]
    times, least = (np.array(part) for part in guides[0].get_data())
    assert (len(times) > 2) == (name == "leo"), "the others change their rate"
    for line in rtt.axes[0].get_lines()[:1]:
        at = (
            np.searchsorted(times, line.get_xdata(), side="right") - 1
            if len(times) > 2
            else np.zeros(len(line.get_xdata()), int)
        )
        # a round trip ends after its delay was set, and a smoothed one is later still: half a second of grace
        settled = np.array(
            [t - times[place] > 0.5 or len(times) == 2 for t, place in zip(line.get_xdata(), at, strict=True)]
        )
        assert np.all((np.array(line.get_ydata()) >= 0.99 * least[at])[settled])
    figure = windlass.plot(scenario, "throughput", seed=2)
    course = dict(steps_of(figure, "capacity"))
    assert len(course) > 2
    (flow,) = [line for line in figure.axes[0].get_lines() if line.get_label().startswith("flow")]
    assert np.mean(flow.get_ydata()) < max(course.values())


def test_a_line_far_above_the_data_does_not_flatten_them(result: RunResult) -> None:
    figure = plots.throughput_over_time(result, ["old"], capacity_bps=1e9)
    assert "capacity: 1000 Mbit/s, above the figure" in texts(figure)
    assert figure.axes[0].get_ylim()[1] < 5.0


def test_the_distribution_of_delays_ends_at_all_segments(result: RunResult) -> None:
    (axes,) = windlass.plot(result, "cdf", flows="old").axes
    (line,) = axes.get_lines()
    x, y = line.get_xdata(), line.get_ydata()
    assert (y[0], y[-1]) == (0.0, 100.0)
    assert np.all(np.diff(x) >= 0.0)
    assert np.all(np.diff(y) > 0.0)
    # 30 ms of propagation; 22 packets of 1500 bytes at 2 Mbit/s, and a burst of 20 before them at 10 Mbit/s
    assert 30.0 < x[0] < x[-1] < 30.0 + 22 * 6.0 + 20 * 1.2


def test_transfers_that_do_not_end_are_counted(result: RunResult) -> None:
    ended = [row["completion_s"] for row in result.flows.to_pylist() if row["size_bytes"] is not None]
    count = sum(time is not None for time in ended)
    assert 0 < count < len(ended), "some end, some do not"
    figure = windlass.plot(result, "cdf", y="completion_s")
    assert texts(figure) == [f"NewReno, {count} of {len(ended)} ended"]
    (line,) = figure.axes[0].get_lines()
    assert line.get_ydata()[-1] == pytest.approx(100.0 * count / len(ended))


def test_of_a_sweep_goodput_is_distributed_over_flows_and_runs(swept: Scenario) -> None:
    found = windlass.sweep(swept, seeds=2)
    figure = windlass.plot(found, "cdf")
    assert figure.legends[0].get_title().get_text() == "24 flows of 12 runs"
    assert texts(figure) == ["NewReno", "Westwood+"]
    titles = [axes.get_title("left").replace("\n", " ") for axes in figure.axes if axes.axison]
    assert titles == [f"loss rate of the bottleneck: {rate}" for rate in ("0 %", "0.5 %", "5 %")]


def test_a_heatmap_has_the_means_in_its_fields(swept: Scenario) -> None:
    found = windlass.sweep(swept, seeds=2)
    figure = windlass.plot(found, "heatmap", x=LOSS, rows="flows.algorithm", width="2col")
    axes = figure.axes[0]
    means = {(row[LOSS], row["flows.algorithm"]): row["goodput_bps_mean"] for row in found.summary().to_pylist()}
    grid = [[means[rate, name] * 1e-6 for rate in (0.0, 0.5, 5.0)] for name in ("newreno", "westwood-plus")]
    assert axes.images[0].get_array().tolist() == [pytest.approx(row) for row in grid]
    assert [text.get_text() for text in axes.texts] == [f"{value:.3g}" for value in itertools.chain(*grid)]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["NewReno", "Westwood+"]
    assert figure.axes[-1].get_ylabel() == "goodput per flow (Mbit/s)"
    with pytest.raises(InputError, match="for both axes"):
        plots.heatmap(found.summary(), LOSS, LOSS)
    with pytest.raises(InputError, match="no swept key `speed`"):
        plots.heatmap(found.summary(), LOSS, "speed")
    with pytest.raises(InputError, match="no number `speed`"):
        plots.heatmap(found.summary(), LOSS, "flows.algorithm", "speed")


def test_a_comparison_and_a_scenario_are_drawn_as_they_are(small: Scenario, tmp_path: Path) -> None:
    from windlass.compare import compare

    found = compare(small, ["newreno", "cerl"], seeds=2, store=False, neighbour=False)
    assert texts(windlass.plot(found)) == ["NewReno", "CERL"]
    assert "flow/0 (NewReno)" in texts(windlass.plot(small))
    with pytest.raises(InputError, match="nothing to draw in a `int`") as caught:
        windlass.plot(3)  # type: ignore[arg-type]
    assert caught.value.code == "plot.no-results"
    with pytest.raises(InputError, match="no kind `sweep` of one run"):
        windlass.plot(small, "sweep")
    with pytest.raises(InputError, match="no kind `cwnd` of many runs"):
        windlass.plot(windlass.sweep(small, seeds=2), "cwnd")


# ---- what stands in figures


@pytest.mark.parametrize("rates", [["0 %", "1 %"], ["0 %", "0.1 %", "5 %"], ["0.01 %", "5 %"]])
def test_intervals_do_not_reach_where_the_number_cannot_and_marks_are_whole(rates: list[str]) -> None:
    count = len(rates)
    summary = pa.table(
        {
            "flows.algorithm": ["cerl"] * count,
            LOSS: rates,
            "group": ["flow"] * count,
            "direction": ["forward"] * count,
            "algorithm": ["cerl"] * count,
            "jain_mean": [0.9, 0.0, 0.5][:count],
            "jain_lo": [-0.4, -1.0, -0.5][:count],
            "jain_hi": [1.7, 1.0, 1.5][:count],
        }
    )
    figure = plots.metric_against_axis(summary, LOSS, "jain")
    container = figure.axes[0].containers[0]
    ends = [(segment[0][1], segment[1][1]) for segment in container[2][0].get_segments()]
    assert ends == [(0.0, pytest.approx(1.0))] * count
    figure.draw_without_rendering()
    axes = figure.axes[0]
    half = container[0].get_markersize() / 2.0 * figure.dpi / 72.0
    for place in axes.transData.transform(list(zip(*container[0].get_data(), strict=True))):
        assert np.all(place - half >= axes.bbox.min)
        assert np.all(place + half <= axes.bbox.max)


def test_settings_beside_algorithms_have_panels_and_words() -> None:
    queues = ['{"discipline":"codel","limit":"100 packets"}', "20 packets"]
    rows = list(itertools.product(["newreno", "cerl"], queues, ["1 %", "2 %"]))
    table = pa.table(
        {
            "flows.algorithm": [row[0] for row in rows],
            QUEUE: [row[1] for row in rows],
            LOSS: [row[2] for row in rows],
            "group": ["flow"] * 8,
            "direction": ["forward"] * 8,
            "algorithm": [row[0] for row in rows],
            **{f"goodput_bps_{part}": [1e6] * 8 for part in ("mean", "lo", "hi")},
        }
    )
    figure = plots.metric_against_axis(table, LOSS)
    assert texts(figure) == ["NewReno", "CERL"]
    titles = [axes.get_title("left").replace("\n", " ") for axes in figure.axes]
    assert titles == ["queue of the bottleneck: codel, limit 100 packets", "queue of the bottleneck: 20 packets"]
    for axes in figure.axes:
        assert [container[0].get_color() for container in axes.containers] == [
            palette.look(name).colour for name in ("newreno", "cerl")
        ]
    words = [text.get_text() for text in plots.metric_against_axis(table, QUEUE).axes[0].get_xticklabels()]
    assert words == ["codel, limit 100 packets", "20 packets"]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("topology.bottleneck.loss.rate", "loss rate of the bottleneck"),
        ("topology.bottleneck.queue", "queue of the bottleneck"),
        ("flows.algorithm", "algorithm"),
        ("flows.web.size", "size"),
        ("tcp.initial_window", "initial window"),
    ],
)
def test_keys_become_words(key: str, words: str) -> None:
    assert axis_words(key) == words


def test_columns_become_words_with_units() -> None:
    flows = windlass.from_dict(small_document()).run(1).flows
    numbers = [field.name for field in flows.schema if field.type in (pa.float64(), pa.int64())]
    for name in numbers:
        assert "_" not in metric_words(name), name
        if name.endswith(("_s", "_bps", "_bytes")):
            assert metric_words(name).endswith(")"), name
    assert value_words("[1, {") == "[1, {"
    assert value_words("[" * 100_000) == "[" * 100_000
    assert value_words(True) == "yes"


def test_no_two_lines_of_a_figure_look_the_same() -> None:
    names = [f"cerl:cerl_cmp={number}" for number in range(30)] + list(palette.LOOKS)[:20]
    assert len({look[1:] for look in palette.looks(names).values()}) == len(names)


HOSTILE = "$\\frac$.mahi"


def test_names_are_no_formulas(tmp_path: Path) -> None:
    document = two_algorithms()
    (tmp_path / HOSTILE).write_text("1\n2\n3\n")
    (tmp_path / "b.mahi").write_text("1\n5\n")
    del document["topology"]["bottleneck"]["rate"]
    document["sweep"] = {"topology.bottleneck.trace": [str(tmp_path / HOSTILE), str(tmp_path / "b.mahi")]}
    scenario = windlass.from_dict(document)
    found = windlass.sweep(scenario, seeds=2)
    text = plots.save(windlass.plot(found), tmp_path / "sweep.svg")[0].read_text()
    assert HOSTILE in text
    one = scenario.with_({"topology.bottleneck.trace": str(tmp_path / HOSTILE)})
    titled = windlass.plot(one, title="a $\\frac$ b", labels={"y": "$\\x$"})
    assert "a $\\frac$ b" in plots.save(titled, tmp_path / "titled.svg")[0].read_text()


def test_queues_have_no_algorithms_colours(result: RunResult) -> None:
    (axes,) = windlass.plot(result, "queue").axes
    algorithms = {look.colour for look in palette.LOOKS.values()}
    assert not {line.get_color() for line in axes.get_lines()} & algorithms
    page = windlass.plot(result, "all", flows=["old", "new"])
    (queues,) = [axes for axes in page.axes if axes.get_ylabel() == "queue (packets)"]
    assert not {line.get_color() for line in queues.get_lines()} & algorithms


EMPTY = [
    "queue_delay_p95_s",
    "queue_delay_mean_s",
    "jitter_s",
    "air_delay_mean_s",
    "completion_s",
    "size_bytes",
    "stop_s",
]


@pytest.mark.parametrize("kind", ["sweep", "heatmap", "cdf"])
@pytest.mark.parametrize("column", EMPTY)
def test_a_column_without_values_is_no_figure(swept: Scenario, kind: str, column: str) -> None:
    found = windlass.sweep(swept, seeds=2)
    with pytest.raises(InputError, match=f"no flow has a `{column}`") as caught:
        windlass.plot(found, kind, y=column)
    assert caught.value.code == "plot.no-metric"
    assert ("output.delays=true" in (caught.value.hint or "")) == column.startswith("queue_delay")


def test_with_its_key_the_column_is_drawn(swept: Scenario) -> None:
    found = windlass.sweep(swept.with_({"output.delays": True}), seeds=2)
    assert len(windlass.plot(found, y="queue_delay_p95_s").axes[0].containers) == 2


# ---- layout


@pytest.mark.parametrize("width", [None, "1col", "2col", 60])
@pytest.mark.parametrize("panels", [2, 3, 6])
def test_no_words_stand_on_others_or_on_data(width: str | float | None, panels: int) -> None:
    rates, algorithms = ["0 %", "1 %"], ["newreno", "cubic", "westwood-plus-ho", "bbr", "cerl-plus-inverted", "yeah"]
    rows = list(itertools.product([f"{at} ms" for at in range(panels)], rates, algorithms))
    flows = pa.table(
        {
            "topology.bottleneck.delay": [row[0] for row in rows],
            LOSS: [row[1] for row in rows],
            "flows.algorithm": [row[2] for row in rows],
            "key": [str(at) for at in range(len(rows))],
            "seed": [1] * len(rows),
            "group": ["flow"] * len(rows),
            "flow": ["flow"] * len(rows),
            "direction": ["forward"] * len(rows),
            "algorithm": [row[2] for row in rows],
            "transport": ["tcp"] * len(rows),
            "goodput_bps": [1e6 + 1e4 * at for at in range(len(rows))],
        }
    )
    with plots.layout(width=width, title="A title that is as long as what some put above a figure, and longer yet"):
        figure = plots.cdf_of_flows(flows, ["topology.bottleneck.delay", "flows.algorithm"])
    figure.draw_without_rendering()
    (legend,) = figure.legends
    boxes = {"legend": legend.get_window_extent(), "title": figure._suptitle.get_window_extent()}
    for name, text in (("x", figure._supxlabel), ("y", figure._supylabel)):
        boxes[name] = text.get_window_extent()
    boxes |= {f"panel {at}": axes.get_tightbbox() for at, axes in enumerate(figure.axes) if axes.axison}
    for (one, a), (other, b) in itertools.combinations(boxes.items(), 2):
        assert not a.overlaps(b), (one, other)
    for name, box in boxes.items():
        assert box.x0 >= -1.0, name
        assert box.y0 >= -1.0, name
        assert box.x1 <= figure.bbox.x1 + 1.0, name


@pytest.mark.parametrize("width", ["1col", "2col", 60])
@pytest.mark.parametrize("count", [3, 12, 24, 49])
def test_a_legend_below_is_at_most_half_as_high_as_the_data(width: str | float, count: int) -> None:
    names = [row["name"] for row in json.loads(windlass._core.algorithms())][:count]
    summary = pa.table(
        {
            "flows.algorithm": names * 2,
            LOSS: ["0 %"] * count + ["1 %"] * count,
            "group": ["flow"] * 2 * count,
            "direction": ["forward"] * 2 * count,
            "algorithm": names * 2,
            **{f"jain_{part}": [0.5] * 2 * count for part in ("mean", "lo", "hi")},
        }
    )
    with plots.layout(width=width):
        figure = plots.metric_against_axis(summary, LOSS, "jain")
    figure.draw_without_rendering()
    legend, data = figure.legends[0].get_window_extent(), figure.axes[0].get_window_extent()
    if legend.y1 < data.y0:
        assert legend.height < 0.65 * data.height
    assert legend.x0 >= -1.0
    assert legend.x1 <= figure.bbox.x1 + 1.0


def test_a_notebook_shows_a_figure_by_itself(result: RunResult) -> None:
    from PIL import Image

    figure = windlass.plot(result, "rtt", width="1col")
    data = figure._repr_png_()
    assert data.startswith(b"\x89PNG")
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.width == pytest.approx(3.5 * 120, abs=1)


def test_font_size_words_and_embedded_letters(result: RunResult, tmp_path: Path) -> None:
    labels = {"x": "Zeit (s)", "old (NewReno)": "ours"}
    figure = windlass.plot(
        result,
        "throughput",
        flows=["old", "new"],
        width="88.9",
        font="serif",
        font_size=7,
        title="A title",
        labels=labels,
    )
    assert figure.axes[0].get_xlabel() == "Zeit (s)"
    assert texts(figure)[:2] == ["ours", "new (CERL)"]
    assert figure.get_suptitle() == "A title"
    assert figure.axes[0].xaxis.label.get_size() == 7
    with plots.layout(font="serif"):
        pdf = plots.save(figure, tmp_path / "a.pdf")[0].read_bytes()
    assert b"STIXGeneral" in pdf
    assert b"/FontFile2" in pdf, "TrueType, embedded"
    assert b"/Type3" not in pdf


@pytest.mark.parametrize(
    "given",
    [{"width": "3col"}, {"width": 5}, {"width": "nan"}, {"font": "No Such Font"}, {"font_size": 0}, {"font_size": 1e9}],
)
def test_layouts_that_cannot_be(result: RunResult, given: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        windlass.plot(result, **given)
    assert caught.value.code == "plot.layout"
    assert caught.value.hint


def test_labels_that_name_nothing(result: RunResult) -> None:
    with pytest.raises(InputError, match="no `nobody` to label") as caught:
        windlass.plot(result, "rtt", labels={"nobody": "x"})
    assert "old (NewReno)" in (caught.value.hint or "")


def test_too_much_for_one_figure(result: RunResult) -> None:
    with pytest.raises(InputError, match="13 flows are more"):
        plots.rtt_over_time(result, ["old"] * 13)
    table = pa.table({"a": list(range(20)), LOSS: ["1 %"] * 20, "group": ["f"] * 20, "direction": ["forward"] * 20,
                      "algorithm": ["cerl", "newreno"] * 10, **{f"jain_{part}": [1.0] * 20 for part in ("mean", "lo", "hi")}})  # fmt: skip
    with pytest.raises(InputError, match="20 settings are more"):
        plots.metric_against_axis(table, LOSS, "jain")


# ---- the command


def test_the_command_writes_figures_and_numbers(command: Command, small_file: Path, work: Path) -> None:
    done = command("plot", small_file, "--kind", "throughput", "--bin", "500ms", "--width", "1col", "-o", "t.pdf",
                   "--data", "t.csv", "--flow", "flow/0", "--flow", "flow/1", "--label", "y=Mbit/s")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert done.stdout == "t.pdf\nt.csv\n"
    table = csv.read_csv(work / "t.csv")
    assert table.column_names == ["flow", "time_s", "bin_s", "throughput_bps"]
    assert table.num_rows == 20
    assert command("plot", small_file, "--kind", "cdf", "-o", "d.png", "--data", "d.parquet").exit_code == 0
    assert set(pq.read_table(work / "d.parquet")["variable"].to_pylist()) == {"delay_s"}


@pytest.mark.parametrize("ending", [".eps", ".EPS", ".jpg", ".tiff", ".toml", ".html", ".ps", ".pdff"])
@pytest.mark.parametrize("words", [("plot",), ("compare", "newreno", "cubic", "--path")])
def test_an_unknown_ending_is_refused_before_anything_is_run(
    command: Command, small_file: Path, work: Path, words: tuple[str, ...], ending: str
) -> None:
    done = command(*words, small_file, "-o", f"a{ending}")
    if (words[0], ending) == ("compare", ".html"):
        assert done.exit_code == 0
        return
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error[plot.format]: `a{ending}`")
    assert "`.pdf`" in done.stderr
    assert list(work.glob("a*")) == []
    with pytest.raises(InputError) as caught:
        plots.save(windlass.plot(windlass.from_dict(small_document()), seed=1), work / f"a{ending}")
    assert caught.value.code == "plot.format"


def test_endings_that_are_known_or_none(command: Command, small_file: Path, work: Path) -> None:
    for place, files in {"a.PDF": ["a.PDF"], "b0.5": ["b0.5.pdf", "b0.5.png", "b0.5.svg"]}.items():
        assert command("plot", small_file, "-o", place).exit_code == 0
        assert sorted(file.name for file in work.glob(f"{place[0]}*")) == files


def test_the_figure_of_a_comparison_has_the_layout_of_plot(command: Command, small_file: Path, work: Path) -> None:
    from PIL import Image

    words = ("compare", "newreno", "cubic", "--path", small_file, "--seeds", "2", "--no-neighbour")
    done = command(*words, "--width", "1col", "--font", "serif", "--label", "CUBIC=ours", "--title", "T", "-o", "a.png")
    assert done.exit_code == 0, done.output
    with Image.open(work / "a.png") as picture:
        assert picture.width == pytest.approx(3.5 * 200, abs=1)
    drawn = command(*words, "--label", "CUBIC=ours", "--title", "A title", "-o", "a.svg")
    assert drawn.exit_code == 0
    assert {">ours<", ">A title<"} <= set(re.findall(">[^<>]+<", (work / "a.svg").read_text()))
    for given in (["--width", "wide", "-o", "b.png"], ["--font", "No Such Font", "-o", "b.png"], ["--width", "1col"]):
        refused = command(*words, *given)
        assert refused.exit_code == 2
        assert "hint: " in refused.stderr
    options = {option.opts[0] for option in main.commands["plot"].params} - {"--kind"}
    layout = {"--width", "--font", "--font-size", "--title", "--label"}
    assert layout <= options & {option.opts[0] for option in main.commands["compare"].params}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--bin", "3"], "is no time"),
        (["--bin", "0ms", "--kind", "throughput"], "bins of 0 s"),
        (["--label", "x"], "NAME=TEXT"),
        (["--data", "a.txt"], ".csv or .parquet"),
        (["--kind", "airtime"], "no airtime was recorded"),
        (["--kind", "heatmap"], "no kind `heatmap` of one run"),
        (["--kind", "queue", "--link", "nobody"], "no queue `nobody`"),
        (["--flow", "a", "--flow", "b"], "no flow `a`"),
        (["--reverse"], "no flow is two-way"),
        (["--width", "wide"], "no width `wide`"),
    ],
)
def test_what_the_command_refuses(command: Command, small_file: Path, work: Path, given: list[str], words: str) -> None:
    done = command("plot", small_file, *given, "-o", "a.png")
    assert done.exit_code == 2
    assert words in done.stderr
    assert "hint: " in done.stderr
    assert not (work / "a.png").exists()


def test_a_folder_is_not_run_again(command: Command, sweep_file: Path) -> None:
    command("sweep", sweep_file, "--out", "results", "--seeds", "2")
    refused = command("plot", "results", "--set", "flows.algorithm=cerl")
    assert refused.exit_code == 2
    assert "--set is for a scenario" in refused.stderr
    done = command(
        "plot",
        "results",
        "--kind",
        "heatmap",
        "--x",
        LOSS,
        "--rows",
        "flows.algorithm",
        "-o",
        "h.png",
        "--data",
        "h.csv",
    )
    assert done.exit_code == 0, done.output
    assert "goodput_bps_mean" in csv.read_csv("h.csv").column_names
    one = command("plot", "results", "--kind", "cwnd")
    assert one.exit_code == 2
    assert "6 points of a sweep" in one.stderr


def test_a_folder_of_one_run_has_its_series(command: Command, small_file: Path) -> None:
    command("run", small_file, "--trace", "cwnd,delivered", "--out", "one")
    done = command("plot", "one", "--kind", "cwnd", "--flow", "flow/1", "-o", "w.svg")
    assert done.exit_code == 0, done.output
    assert ">flow/1 (NewReno)<" in Path("w.svg").read_text()
    assert command("plot", "one", "--kind", "all", "-o", "a.png").exit_code == 0
    for given, words in [
        (["--kind", "rtt"], "no RTT"),
        (["--kind", "airtime"], "no airtime"),
        (["--seed", "9", "--kind", "cwnd"], "seed 9"),
    ]:
        refused = command("plot", "one", *given)
        assert refused.exit_code == 2, given
        assert words in refused.stderr


@pytest.mark.parametrize("kind", ["sweep", "cdf", "heatmap", "cwnd", "all"])
@pytest.mark.parametrize("manifest", ["", "{}", "[]", "[" * 100_000, '{"files": 3, "points": {}}', "\xff"])
def test_foreign_folders_are_refused(command: Command, work: Path, kind: str, manifest: str) -> None:
    (work / "foreign").mkdir()
    (work / "foreign" / "manifest.json").write_text(manifest, encoding="latin-1")
    done = command("plot", "foreign", "--kind", kind)
    assert done.exit_code == 2
    assert done.stderr.startswith("error[")
    assert "hint: " in done.stderr


def test_a_flow_that_delivers_nothing(command: Command, work: Path) -> None:
    document = small_document()
    document["topology"]["bottleneck"]["loss"] = "100 %"
    scenario = windlass.from_dict(document)
    for kind, words in [("throughput", "no arrival"), ("cdf", "no delay"), ("rtt", "no RTT")]:
        with pytest.raises(InputError, match=words) as caught:
            windlass.plot(scenario, kind, seed=1)
        assert "`windlass run` shows what became of each flow" in (caught.value.hint or "")
    swept = scenario.with_({"sweep": {"flows.algorithm": ["newreno", "cerl"]}})
    found = windlass.sweep(swept, seeds=2)
    for kind in ("sweep", "cdf"):
        assert windlass.plot(found, kind)
    with pytest.raises(InputError, match="no flow has a `completion_s`"):
        windlass.plot(found, "cdf", y="completion_s")


# ---- LaTeX


def test_tables_become_latex(command: Command, small_file: Path, sweep_file: Path) -> None:
    run = command("run", small_file, "--latex")
    swept = command("sweep", sweep_file, "--seeds", "2", "--latex")
    compared = command("compare", "newreno", "cerl", "--path", small_file, "--seeds", "2", "--latex")
    listed = command("list", "algorithms", "--latex")
    for done in (run, swept, compared, listed):
        assert done.exit_code == 0, done.output
        lines = done.stdout.splitlines()
        assert [line for line in lines if line.startswith("\\") and "rule" in line] == [
            "\\toprule",
            "\\midrule",
            "\\bottomrule",
        ]
        columns = next(line for line in lines if line.startswith("\\begin{tabular}"))[16:-1]
        body = [line for line in lines if line.endswith("\\\\")]
        assert len(body) > 1
        assert {line.replace("\\&", "").count("&") for line in body} == {len(columns) - 1}
        rest = [line for line in lines if line not in body and not line.startswith("\\")]
        assert all(line.startswith("%") for line in rest), rest
    assert "$\\pm$" in swept.stdout
    assert "& 0.5 &" in swept.stdout
    heads = swept.stdout.partition("\\toprule\n")[2].partition("\\midrule")[0].replace(" \\\\", "").splitlines()
    names = [" ".join(" ".join(column).split()) for column in zip(*(line.split(" & ") for line in heads), strict=True)]
    assert "loss rate of the bottleneck (\\%)" in names


def test_what_latex_would_obey_is_escaped() -> None:
    from rich.table import Table

    from windlass.cli.latex import escape, tabular

    assert escape("a\\b{c}$d$_e^f#g&h%i~") == (
        "a\\textbackslash{}b\\{c\\}\\$d\\$\\_e\\textasciicircum{}f\\#g\\&h\\%i\\textasciitilde{}"
    )
    assert escape("\x1b[31mred\nline\x00") == "[31mred line"
    table = Table("name", "x")
    table.columns[1].justify = "right"
    table.add_row("[bold]a_b[/bold]", "1 %")
    table.add_row(r"\[0, 1]", "2")
    assert tabular(table).splitlines() == [
        "\\begin{tabular}{lr}", "\\toprule", "name & x \\\\", "\\midrule", "a\\_b & 1 \\% \\\\",
        "{}[0, 1] & 2 \\\\", "\\bottomrule", "\\end{tabular}",
    ]  # fmt: skip


def test_series_are_json_free(result: RunResult) -> None:
    for kind in ("cwnd", "throughput", "rtt", "queue", "cdf", "all"):
        for text in texts(windlass.plot(result, kind)):
            assert not any(mark in text for mark in "{}_"), text
            with pytest.raises(ValueError, match="Expecting"):
                json.loads(text)
