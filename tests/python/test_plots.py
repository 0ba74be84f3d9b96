"""Figures: what they show, and that the same figure has the same bytes."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pyarrow as pa
import pytest

import windlass
from windlass import InputError, RunResult, Scenario, UnknownFlow, _core, palette, plots, stats
from windlass.names import loss_causes, not_lost, window_events
from windlass.plots.style import _compact

LOSS = "topology.bottleneck.loss.rate"


def summary_table(rates: list[Any], algorithms: tuple[str, ...] = ("newreno", "cerl"), **more: list[Any]) -> pa.Table:
    rows = [(algorithm, rate) for algorithm in algorithms for rate in rates]
    means = [1e6 + 1e5 * index for index in range(len(rows))]
    return pa.table(
        {
            "flows.algorithm": [algorithm for algorithm, _ in rows],
            LOSS: [rate for _, rate in rows],
            **more,
            "group": ["flow"] * len(rows),
            "direction": ["forward"] * len(rows),
            "algorithm": [algorithm for algorithm, _ in rows],
            "flows": [2] * len(rows),
            "goodput_bps_mean": means,
            "goodput_bps_lo": [mean - 5e4 for mean in means],
            "goodput_bps_hi": [mean + 7e4 for mean in means],
            "goodput_bps_n": [5] * len(rows),
        }
    )


def lines(figure: Any) -> dict[str, Any]:
    """Lines with interval bars, by label."""
    return {container.get_label(): container for container in figure.axes[0].containers}


def legend(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_means_and_intervals_are_drawn_where_they_are() -> None:
    figure = plots.metric_against_axis(summary_table(["0 %", "0.1 %", "5 %"]), LOSS)
    drawn = lines(figure)
    assert list(drawn) == ["NewReno", "CERL"]
    line, _, bars = drawn["NewReno"]
    assert line.get_xdata().tolist() == [0.0, 0.1, 5.0]
    assert line.get_ydata().tolist() == pytest.approx([1.0, 1.1, 1.2])
    low_high = [(segment[0][1], segment[1][1]) for segment in bars[0].get_segments()]
    assert low_high == [pytest.approx((mean - 0.05, mean + 0.07)) for mean in (1.0, 1.1, 1.2)]
    axes = figure.axes[0]
    assert axes.get_xlabel() == "loss rate of the bottleneck (%)"
    assert axes.get_ylabel() == "goodput per flow (Mbit/s)"
    assert axes.get_title() == ""
    assert axes.get_ylim()[0] <= 0.0
    assert legend(figure) == ["NewReno", "CERL"]


def test_the_legend_stands_outside_the_data() -> None:
    figure = plots.metric_against_axis(summary_table(["0 %", "1 %"]), LOSS)
    figure.draw_without_rendering()
    axes_box = figure.axes[0].get_window_extent()
    assert figure.legends[0].get_window_extent().x0 >= axes_box.x1


@pytest.mark.parametrize("count", [20, 33, 130])
def test_a_long_legend_stays_inside_the_figure(count: int) -> None:
    from windlass.compare import Comparison, Outcome
    from windlass.stats import Interval

    one = Interval(1.0, 0.9, 1.1, 3, 0.95)
    numbers = (one, one, one, one, True, one, one, one, None, None)
    found = [Outcome(f"newjersey-plus:delta={at}", {}, *numbers) for at in range(count)]
    figure = plots.goodput_against_delay(Comparison("many", "flow", found))
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert len(legend(figure)) == count
    assert box.y0 >= 0.0
    assert box.x1 <= figure.bbox.x1
    assert figure.axes[0].get_window_extent().width > 3.0 * figure.dpi


def test_lines_that_are_no_algorithms_have_looks_of_their_own() -> None:
    looks = [palette.nth(number) for number in range(36)]
    assert len(set(looks)) == 36
    assert len({look[1:] for look in looks}) == 36, "without colour, too"
    assert all(len(set(part)) == 6 for part in zip(*looks[:6], strict=True))
    assert not {*looks} & {*palette.LOOKS.values()}


def test_looks_come_from_the_palette() -> None:
    drawn = lines(plots.metric_against_axis(summary_table(["0 %", "1 %"]), LOSS))
    for algorithm in ("newreno", "cerl"):
        line = drawn[palette.title(algorithm)][0]
        assert (line.get_color(), line.get_marker()) == palette.look(algorithm)[:2]
        dash = palette.look(algorithm).dash
        assert line._unscaled_dash_pattern == (dash if dash[1] is None else (0, list(dash[1])))


@pytest.mark.parametrize(
    ("rates", "scale"),
    [
        (["0.01 %", "0.1 %", "5 %"], "log"),
        (["0 %", "0.1 %", "5 %"], "symlog"),
        (["1 %", "2 %", "3 %"], "linear"),
        (["0 %", "1 %", "2 %"], "linear"),
    ],
)
def test_the_scale_follows_the_values(rates: list[str], scale: str) -> None:
    assert plots.metric_against_axis(summary_table(rates), LOSS).axes[0].get_xscale() == scale


def test_words_along_the_axis_keep_their_order() -> None:
    figure = plots.metric_against_axis(summary_table(["1 %"], ("newreno", "cerl", "cubic")), "flows.algorithm")
    labels = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert labels == ["NewReno", "CERL", "CUBIC"]


def test_units_that_differ_become_base_units() -> None:
    figure = plots.metric_against_axis(summary_table(["500 ms", "2 s"], ("cerl",)), LOSS)
    assert lines(figure)["CERL"][0].get_xdata().tolist() == [0.5, 2.0]
    assert figure.axes[0].get_xlabel() == "loss rate of the bottleneck (s)"


def test_other_swept_keys_make_lines_of_their_own() -> None:
    table = summary_table(["1 %", "2 %", "1 %", "2 %"], ("cerl",), **{"topology.pairs": [1, 1, 4, 4]})
    drawn = lines(plots.metric_against_axis(table, LOSS))
    assert list(drawn) == ["pairs of hosts: 1", "pairs of hosts: 4"]
    assert len({container[0].get_marker() for container in drawn.values()}) == 2


def test_one_seed_draws_no_interval_and_does_not_fail(small: Scenario) -> None:
    table = windlass.sweep(small.with_({f"sweep.{LOSS}": ["0 %", "1 %"]}), seeds=1).summary()
    bars = lines(plots.metric_against_axis(table, LOSS))["NewReno"][2][0]
    assert all(segment[0][1] == segment[1][1] for segment in bars.get_segments())


def test_goodput_against_loss_has_capacity_and_mathis() -> None:
    path = {"mss_bytes": 1460.0, "rtt_s": 0.1}
    figure = plots.goodput_against_loss(summary_table(["0 %", "0.1 %", "5 %"]), capacity_bps=2e6, mathis=path)
    theory = {line.get_label(): line for line in figure.axes[0].get_lines()}
    assert list(theory["capacity"].get_ydata()) == [2.0, 2.0]
    curve = theory["Reno, 1/√p (Mathis)"]
    assert curve.get_xdata()[0] == pytest.approx(0.1)
    assert curve.get_ydata()[0] == pytest.approx(float(stats.mathis(0.001, **path)) * 1e-6)
    assert figure.axes[0].get_ylim()[1] > 2.0, "the capacity is inside the figure"
    assert figure.axes[0].get_xlabel() == "loss rate (%)"
    assert set(legend(figure)) == {"capacity", "Reno, 1/√p (Mathis)", "NewReno", "CERL"}


def test_what_cannot_be_drawn_says_what_can() -> None:
    table = summary_table(["1 %"])
    with pytest.raises(InputError, match=r"loss\.rate") as caught:
        plots.metric_against_axis(table, "flows.size")
    assert caught.value.code == "plot.no-axis"
    with pytest.raises(InputError, match="goodput_bps") as caught:
        plots.metric_against_axis(table, LOSS, "speed")
    assert caught.value.code == "plot.no-metric"
    with pytest.raises(InputError) as caught:
        plots.goodput_against_loss(table, x="flows.algorithm")
    assert caught.value.code == "plot.no-axis"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0.1 %", (0.1, "%")),
        ("8Mbps", (8.0, "Mbps")),
        (3, (3.0, "")),
        (2.5, (2.5, "")),
        ("1e-3 s", (1e-3, "s")),
        (True, None),
        ("cerl", None),
        ("uniform(0 s, 1 s)", None),
    ],
)
def test_quantity(value: object, expected: tuple[float, str] | None) -> None:
    assert plots.quantity(value) == expected


# ---- the window over time


def recorded(kind: str = "dup-acks", cause: str = "queue") -> RunResult:
    """A run of one flow with a window that rises from 2 to 8, is cut to 4 at 3 s, and has one event of that kind."""
    times = [0.0, 1.0, 2.0, 3.0]
    traces = pa.table(
        {
            "time_s": [*times, 0.0, 3.0, 1.0],
            "subject": ["flow"] * 6 + ["other"],
            "variable": ["cwnd_segments"] * 4 + ["ssthresh_segments"] * 2 + ["cwnd_segments"],
            "value": [2.0, 4.0, 8.0, 4.0, 1e6, 4.0, 99.0],
        }
    )
    events = pa.table(
        {
            "time_s": [3.0, 3.5, 2.0],
            "flow": ["flow", "flow", "other"],
            "direction": ["forward"] * 3,
            "kind": [kind, "recovery-exit", "timeout"],
            "cwnd_before_segments": [8.0, 4.0, 50.0],
            "cwnd_after_segments": [4.0, 4.0, 1.0],
            "ssthresh_after_segments": [4.0, 4.0, 25.0],
            "segment": [11, -1, 3],
            "true_cause": [cause, "", "queue"],
        }
    )
    flows = pa.table({"flow": ["flow", "other"], "direction": ["forward"] * 2, "algorithm": ["cerl", "newreno"]})
    return RunResult("k", 1, {}, {"flows": flows, "traces": traces, "events": events})


def test_the_window_is_a_step_line_and_ssthresh_is_dashed() -> None:
    axes = plots.cwnd_over_time(recorded(), "flow").axes[0]
    drawn = {line.get_label(): line for line in axes.get_lines()}
    cwnd, ssthresh = drawn["flow (CERL)"], drawn["ssthresh"]
    assert cwnd.get_drawstyle() == "steps-post"
    assert list(zip(cwnd.get_xdata(), cwnd.get_ydata(), strict=True)) == [(0, 2), (1, 4), (2, 8), (3, 4)]
    assert cwnd.get_color() == palette.look("cerl").colour
    assert ssthresh.get_linestyle() == "--"
    assert axes.get_ylim()[1] < 20, "an ssthresh that was never set does not flatten the curve"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time (s)", "window (segments)")


KINDS = {event.name: event.of_segment for event in window_events() if event.label is not None}
CAUSES = {cause.name: cause.label for cause in loss_causes()} | {not_lost(): "nothing lost"}
CHANGES = [(kind, cause) for kind, of_segment in KINDS.items() for cause in (CAUSES if of_segment else [""])]


@pytest.mark.parametrize(("kind", "cause"), CHANGES)
def test_every_change_is_marked_where_it_happened(kind: str, cause: str) -> None:
    figure = plots.cwnd_over_time(recorded(kind, cause), "flow")
    marks = [line for line in figure.axes[0].get_lines() if list(line.get_xdata()) == [3.0]]
    assert len(marks) == 1
    assert list(marks[0].get_ydata()) == [8.0]
    own = [words for words in legend(figure) if words.startswith("cause: ")]
    # a mark says by itself what happened
    assert own == ([f"cause: {CAUSES[cause]}"] if cause else [])
    assert len(legend(figure)) == 3 + len(own), "cwnd, ssthresh, what the sender did, what had happened"


@pytest.mark.parametrize(("kind", "cause"), CHANGES)
def test_hollow_marks_have_an_edge(kind: str, cause: str) -> None:
    figure = plots.cwnd_over_time(recorded(kind, cause), "flow")
    marks = [line for line in figure.axes[0].get_lines() if line.get_linestyle() == "None"]
    assert len(marks) >= 2, "on the curve and in the legend"
    for mark in marks:
        assert mark.get_markeredgewidth() >= 1.0
        assert mpl.colors.to_hex(mark.get_markeredgecolor()) != "#ffffff"


def test_marks_stand_on_the_line_even_where_the_window_was_inflated() -> None:
    # While a sender recovers, an event may report a window inflated by duplicate ACKs; the line does not show it.
    result = recorded()
    column = result.events.column_names.index("cwnd_before_segments")
    result.tables["events"] = result.events.set_column(column, "cwnd_before_segments", pa.array([578.0, 4.0, 50.0]))
    axes = plots.cwnd_over_time(result, "flow").axes[0]
    mark = next(line for line in axes.get_lines() if list(line.get_xdata()) == [3.0])
    assert list(mark.get_ydata()) == [8.0]


def test_kinds_and_causes_can_be_told_apart() -> None:
    def look(kind: str, cause: str) -> tuple[Any, ...]:
        axes = plots.cwnd_over_time(recorded(kind, cause), "flow").axes[0]
        mark = next(line for line in axes.get_lines() if list(line.get_xdata()) == [3.0])
        return mark.get_marker(), mark.get_color(), mark.get_markerfacecolor()

    assert len({look(kind, "queue" if of_segment else "")[0] for kind, of_segment in KINDS.items()}) == 5
    queue, channel, none = (look("timeout", cause) for cause in ("queue", "random", "none"))
    assert len({queue[1], channel[1], none[1]}) == 3
    assert queue[2] != channel[2], "told apart without colour too: filled and hollow"


def test_flows_and_series_that_are_not_there() -> None:
    with pytest.raises(UnknownFlow, match=r"`flow`, `other`"):
        plots.cwnd_over_time(recorded(), "nobody")
    result = recorded()
    result.tables["traces"] = result.traces.slice(0, 0)
    with pytest.raises(InputError, match="traces") as caught:
        plots.cwnd_over_time(result, "flow")
    assert caught.value.code == "plot.no-trace"


def test_a_real_run_draws_its_window(small: Scenario) -> None:
    scenario = small.with_({"output.traces": ["cwnd", "ssthresh"], "output.events": True})
    result = scenario.run(1)
    figure = plots.cwnd_over_time(result, "flow/0")
    cwnd = next(line for line in figure.axes[0].get_lines() if line.get_label() == "flow/0 (NewReno)")
    assert len(cwnd.get_xdata()) > 10
    assert max(cwnd.get_xdata()) <= 5.0
    assert min(cwnd.get_ydata()) >= 1.0
    cuts = [row for row in result.events.to_pylist() if row["flow"] == "flow/0" and row["kind"] == "dup-acks"]
    assert cuts, "one packet in a hundred is lost, so there are cuts"
    assert "cut on duplicate ACKs" in legend(figure)


# ---- rates over time


def rated() -> RunResult:
    """TFRC at 0.8 and then 1.6 Mbit/s beside two NewReno flows, and a UDP flow that has no rate."""
    rows = [
        (0.0, "a", "rate_bps", 8e5),
        (1.0, "a", "rate_bps", 1.6e6),
        (0.5, "b", "rate_bps", 2e6),
        (0.5, "c", "rate_bps", 3e6),
        (0.0, "a", "loss_event_rate", 0.0),
        (2.0, "a", "loss_event_rate", 0.02),
    ]
    times, subjects, variables, values = zip(*rows, strict=True)
    traces = pa.table({"time_s": times, "subject": subjects, "variable": variables, "value": values})
    flows = pa.table(
        {
            "flow": ["a", "b", "c", "u"],
            "direction": ["forward"] * 4,
            "algorithm": ["tfrc", "newreno", "newreno", "cbr"],
        }
    )
    return RunResult("k", 1, {}, {"flows": flows, "traces": traces})


def test_rates_of_tfrc_and_tcp_stand_on_one_axis_and_losses_below() -> None:
    figure = plots.rate_over_time(rated())
    rates, losses = figure.axes
    drawn = {line.get_label(): line for line in rates.get_lines()}
    assert list(drawn) == ["a (TFRC)", "b (NewReno)", "c (NewReno)"]
    a, b, c = drawn.values()
    assert (list(a.get_xdata()), list(a.get_ydata())) == ([0.0, 1.0], pytest.approx([0.8, 1.6]))
    assert a.get_drawstyle() == "steps-post"
    assert (a.get_color(), b.get_color()) == (palette.look("tfrc").colour, palette.look("newreno").colour)
    assert b._unscaled_dash_pattern != c._unscaled_dash_pattern, "two flows of one algorithm can be told apart"
    (line,) = losses.get_lines()
    assert list(zip(line.get_xdata(), line.get_ydata(), strict=True)) == [(0.0, 0.0), (2.0, 2.0)]
    assert rates.get_ylabel() == "allowed rate (Mbit/s)"
    assert (losses.get_xlabel(), losses.get_ylabel()) == ("time (s)", "loss event rate (%)")


def test_rates_of_named_flows() -> None:
    (axes,) = plots.rate_over_time(rated(), ["c"]).axes
    assert [line.get_label() for line in axes.get_lines()] == ["c (NewReno)"]
    assert axes.get_xlabel() == "time (s)"
    with pytest.raises(UnknownFlow, match="`nobody`"):
        plots.rate_over_time(rated(), ["nobody"])
    with pytest.raises(InputError, match="no rate of `u` was recorded") as caught:
        plots.rate_over_time(rated(), ["a", "u"])
    assert caught.value.code == "plot.no-trace"
    result = rated()
    result.tables["traces"] = result.traces.slice(0, 0)
    with pytest.raises(InputError, match="no rate was recorded"):
        plots.rate_over_time(result)


# ---- files


def test_save_writes_three_formats_with_the_same_bytes_each_time(tmp_path: Path) -> None:
    def write(folder: str) -> list[bytes]:
        files = plots.save(plots.cwnd_over_time(recorded(), "flow"), tmp_path / folder / "figure")
        assert [file.name for file in files] == ["figure.pdf", "figure.svg", "figure.png"]
        return [file.read_bytes() for file in files]

    first = write("a")
    assert first == write("b")
    assert first[0].startswith(b"%PDF")
    assert b"</svg>" in first[1]
    assert first[2].startswith(b"\x89PNG")
    assert b"CreationDate" not in first[0]


def test_an_ending_chooses_the_format(tmp_path: Path) -> None:
    figure = plots.metric_against_axis(summary_table(["0 %", "1 %"]), LOSS)
    assert plots.save(figure, tmp_path / "a.svg") == [tmp_path / "a.svg"]
    assert [path.name for path in tmp_path.glob("a*")] == ["a.svg"]
    text = (tmp_path / "a.svg").read_text()
    for word in ("NewReno", "CERL", "goodput per flow (Mbit/s)"):
        assert f">{word}<" in text
    dotted = plots.save(figure, tmp_path / "loss.rate", formats=["png"])
    assert dotted == [tmp_path / "loss.rate.png"]


def test_drawing_leaves_the_callers_settings_alone(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    plots.save(plots.metric_against_axis(summary_table(["0 %", "1 %"]), LOSS), tmp_path / "a")
    assert dict(mpl.rcParams) == before


def test_the_callers_settings_leave_the_drawing_alone(tmp_path: Path) -> None:
    def draw(name: str) -> bytes:
        figure = plots.metric_against_axis(summary_table(["0 %", "1 %"]), LOSS)
        return plots.save(figure, tmp_path / f"{name}.svg")[0].read_bytes()

    plain = draw("a")
    with mpl.rc_context({"lines.linewidth": 9.0, "axes.facecolor": "black", "font.size": 30}):
        assert draw("b") == plain


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(windlass.StoreError) as caught:
        plots.save(plots.metric_against_axis(summary_table(["1 %"]), LOSS), tmp_path / "file" / "figure")
    assert caught.value.code == "cli.output"


# ---- the palette


def test_no_two_algorithms_look_the_same() -> None:
    assert len({look[1:] for look in palette.LOOKS.values()}) == len(palette.LOOKS), "marker and dash, without colour"


def test_every_algorithm_of_the_engine_has_a_look_of_its_own() -> None:
    names = [row["name"] for row in json.loads(_core.algorithms())]
    assert len({palette.look(name)[1:] for name in names}) == len(names)


def test_an_algorithm_without_a_fixed_look_gets_one_that_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [row["name"] for row in json.loads(_core.algorithms())]
    for name in ("cerl", "cubic", "bbr"):
        monkeypatch.delitem(palette.LOOKS, name)
    palette._free_looks.cache_clear()
    try:
        looks = [palette.look(name) for name in names]
        assert len({look[1:] for look in looks}) == len(looks)
        assert palette.look("my-sender")[1:] not in {look[1:] for look in looks}
    finally:
        palette._free_looks.cache_clear()


def test_an_unknown_algorithm_always_gets_the_same_look() -> None:
    # Fixed here, so that a change of the rule, which would change published figures, is noticed.
    assert palette.look("my-sender") == palette.look("my-sender")
    assert palette.look("my-sender") not in palette.LOOKS.values()
    assert palette.look("my-sender") != palette.look("my-other-sender")


# How the colours of a screen look to people without one kind of cone, and to all others (linear RGB).
# Machado, Oliveira and Fernandes, IEEE TVCG 15(6), 2009, severity 1.0.
SEEN_BY = {
    "all cones": np.eye(3),
    "no L cones": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no M cones": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no S cones": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
XYZ_OF_SRGB = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def cielab(colour: str, seen_by: Any) -> np.ndarray:
    coded = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    xyz = XYZ_OF_SRGB @ np.clip(np.array(seen_by) @ linear, 0.0, 1.0) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eyes", SEEN_BY)
def test_colours_can_be_told_apart_by_everyone(eyes: str) -> None:
    colours = sorted({look.colour for look in palette.LOOKS.values()})
    # A CIELAB distance of about 2.3 is just noticed; thin lines on paper need several times that.
    for one, other in itertools.combinations(colours, 2):
        distance = np.linalg.norm(cielab(one, SEEN_BY[eyes]) - cielab(other, SEEN_BY[eyes]))
        assert distance > 15.0, (one, other)


def test_an_svg_is_small_and_looks_the_same() -> None:
    drawn = (
        '<svg xmlns="http://www.w3.org/2000/svg">\n <metadata>\n  <a/>\n </metadata>\n <defs>\n  <style>*{a: b}</style>\n'
        ' </defs>\n <g id="figure_1">\n  <path d="M 1.23456 7.9999 \nL -3.10001 2 \n" style="fill: #ffffff"/>\n'
        + '  <use xlink:href="#m1" x="1.005" y="20.126" style="stroke: #000000"/>\n' * 3
        + '  <text x="1.5" transform="rotate(-90 1.23456 2)">1.23456 is kept</text>\n </g>\n</svg>\n'
    )
    assert _compact(drawn) == (
        '<svg xmlns="http://www.w3.org/2000/svg">\n<defs>\n<style>*{a: b}.s0{stroke: #000000}</style>\n'
        '</defs>\n<g>\n<path d="M 1.23 8 L -3.1 2" style="fill: #ffffff"/>\n'
        + '<use xlink:href="#m1" x="1" y="20.13" class="s0"/>\n' * 3
        + '<text x="1.5" transform="rotate(-90 1.23 2)">1.23456 is kept</text>\n</g>\n</svg>\n'
    )
