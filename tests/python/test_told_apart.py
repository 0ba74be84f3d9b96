"""No two series of a figure look alike: their marks are drawn, in colour and in grey, and laid over each other."""

from __future__ import annotations

import itertools
import json
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from test_plots import SEEN_BY, XYZ_OF_SRGB, cielab, summary_table

from windlass import RunResult, _core, palette, plots
from windlass.compare import Comparison, Outcome
from windlass.plots.style import mark_style
from windlass.stats import Interval

LEAST = 0.15
"""Share of the ink of two marks, one over the other, that is not of both. A circle and a square of its width share 78 %
of theirs; a circle and an octagon, which nobody tells apart in print, 92 %."""

ALGORITHMS, TRAFFIC, QUEUES = (
    [row["name"] for row in json.loads(rows())] for rows in (_core.algorithms, _core.traffic_kinds, _core.queues)
)
VARIANTS = [f"cerl:cerl_cmp={cmp},cerl_lmax={lmax}" for cmp in ("gt", "ge") for lmax in ("keep", "rebase", "ewma")]
OWN = ["my-sender", "my-other-sender", "bbr4", "Ours", "ours", "cubic:beta=0.5", "cubic:beta=0.8", "westwood-original"]


@cache
def lab(style: tuple[tuple[str, Any], ...]) -> np.ndarray:
    """A mark as it is printed: CIELAB of each dot of 300 to an inch."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(0.2, 0.2), dpi=300)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    line = {"markeredgecolor": "white", "markeredgewidth": 0.5, "linestyle": ""}
    axes.plot([0.0], [0.0], **(line | dict(style)))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    coded = np.asarray(canvas.buffer_rgba())[..., :3] / 255.0
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    xyz = linear @ XYZ_OF_SRGB.T / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack((116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])), axis=-1)


PAPER = np.array([100.0, 0.0, 0.0])


def apart(one: tuple[tuple[str, Any], ...], other: tuple[tuple[str, Any], ...], grey: bool) -> float:
    """Share of the ink of two marks that is not of both; of a grey print, that of its lightness."""
    kept = slice(0, 1) if grey else slice(0, 3)
    a, b = lab(one)[..., kept], lab(other)[..., kept]
    ink = [np.linalg.norm(mark - PAPER[kept], axis=-1) for mark in (a, b)]
    return float(np.linalg.norm(a - b, axis=-1).sum() / np.maximum(*ink).sum())


def style_of(look: palette.Look) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted({"color": look.colour, **mark_style(look, 6.0)}.items()))


def style_of_line(line: Any) -> tuple[tuple[str, Any], ...]:
    parts = ("color", "marker", "markersize", "markeredgecolor", "markeredgewidth", "markerfacecolor", "fillstyle")
    return tuple((part, getattr(line, f"get_{part}")()) for part in (*parts, "markerfacecoloralt"))


def check(styles: dict[Any, tuple[tuple[str, Any], ...]]) -> None:
    alike = [
        (one, other, grey)
        for (one, a), (other, b) in itertools.combinations(styles.items(), 2)
        for grey in (False, True)
        if apart(a, b, grey) < LEAST
    ]
    assert alike == []


def test_the_distance_finds_what_looks_alike() -> None:
    circle, octagon = (style_of(palette.Look("#0072B2", marker, palette.SOLID)) for marker in ("o", "8"))
    assert apart(circle, octagon, grey=True) < LEAST
    assert apart(circle, style_of(palette.Look("#0072B2", "s", palette.SOLID)), grey=True) > LEAST
    # the same square in a blue and a green of one lightness: in colour they are told apart, in grey not
    blue, green = (style_of(palette.Look(colour, "s", palette.SOLID)) for colour in ("#0072B2", "#4D7A00"))
    assert apart(blue, green, grey=False) > LEAST > apart(blue, green, grey=True)


def test_no_two_algorithms_look_alike() -> None:
    check({name: style_of(palette.look(name)) for name in [*ALGORITHMS, *TRAFFIC]})


def test_no_two_series_look_alike_whatever_stands_in_a_figure() -> None:
    names = [*ALGORITHMS, *TRAFFIC, *VARIANTS, *OWN]
    found = palette.looks(names)
    check({name: style_of(look) for name, look in found.items()})
    # also where nothing but parameters differ, as often as one likes
    many = palette.looks(f"cerl:cerl_t={at}" for at in range(60))
    check({name: style_of(look) for name, look in many.items()})
    # alone and along lines, an algorithm looks in every figure as it does in every other
    assert all(found[name] == palette.look(name) for name in [*ALGORITHMS, *TRAFFIC])


def test_no_two_lines_that_are_no_algorithms_look_alike() -> None:
    check({at: style_of(palette.nth(at)) for at in range(36)})


@pytest.mark.parametrize("eyes", SEEN_BY)
def test_what_is_no_algorithm_has_no_algorithms_colour(eyes: str) -> None:
    own = {palette.nth(at).colour for at in range(36)}
    algorithms = {palette.look(name).colour for name in [*ALGORITHMS, *TRAFFIC, *VARIANTS, *OWN]}
    for one, other in [*itertools.product(own, algorithms), *itertools.combinations(own, 2)]:
        assert np.linalg.norm(cielab(one, SEEN_BY[eyes]) - cielab(other, SEEN_BY[eyes])) > 15.0, (one, other)


def compared(algorithms: list[str], queues: list[str], paths: tuple[str, ...] = ("p",)) -> Comparison:
    """A comparison with drawn values: each path has its own sizes of goodput and delay."""
    rng = np.random.default_rng(1)
    found = []
    for at, path in enumerate(paths):
        for algorithm, queue in itertools.product(algorithms, queues):
            goodput, delay = 10.0 ** (9 - 2 * at) * rng.uniform(0.3, 1.0), 10.0**-at * rng.uniform(0.1, 1.0)
            one, other = (Interval(value, 0.97 * value, 1.03 * value, 3, 0.95) for value in (goodput, delay))
            found.append(
                Outcome(algorithm, {}, one, one, one, other, True, one, one, one, None, None, path=path, queue=queue)
            )
    return Comparison("drawn", "flow", found)


def points(figure: Any) -> dict[str, Any]:
    return {container.get_label(): container[0] for axes in figure.axes for container in axes.containers}


@pytest.mark.parametrize(
    ("algorithms", "queues"),
    [
        (["cubic", "hybla", "bbr", "bbr3"], QUEUES[:3]),
        (["ewr", "westwood-plus", "cerl-plus", "cerl-plus-inverted"], QUEUES[:6]),
        (["cubic", "cubic-2008", "cubic-linux", "reno", "dctcp", "my-sender"], QUEUES[:2]),
        (ALGORITHMS, ["drop-tail"]),
        (["newreno"], QUEUES),
        ([*ALGORITHMS, *VARIANTS, *OWN], QUEUES),
    ],
)
def test_no_two_points_of_a_comparison_look_alike(algorithms: list[str], queues: list[str]) -> None:
    figure = plots.goodput_against_delay(compared(algorithms, queues))
    drawn = points(figure)
    assert len(drawn) == len(algorithms) * len(queues)
    if len(drawn) > 100:  # numbers, which are read: each is there once
        marks = [line.get_marker() for line in drawn.values()]
        assert sorted(marks) == sorted(f"${at}$" for at in range(1, 1 + len(marks)))
        drawn = dict(list(drawn.items())[:40])
    check({label: style_of_line(line) for label, line in drawn.items()})
    entries = {text.get_text(): text for text in figure.legends[0].get_texts()}
    handles = figure.legends[0].legend_handles
    assert len(entries) == len(handles)


def test_no_two_flows_look_alike() -> None:
    senders = [*["cubic"] * 4, *["bbr"] * 4, "hybla", "bbr3", "ewr", "newreno"]
    names = [f"f{at}" for at in range(len(senders))]
    rows = [(float(at), name, "srtt_s", 0.1) for name in names for at in range(20)]
    times, subjects, variables, values = zip(*rows, strict=True)
    traces = pa.table({"time_s": times, "subject": subjects, "variable": variables, "value": values})
    flows = pa.table({"flow": names, "direction": ["forward"] * len(names), "algorithm": senders})
    figure = plots.rtt_over_time(RunResult("k", 1, {}, {"flows": flows, "traces": traces}))
    check({line.get_label(): style_of_line(line) for line in figure.axes[0].get_lines()})


def test_a_flow_looks_the_same_in_every_panel_of_a_page_and_no_other_does() -> None:
    # the first four flows have no window, so that the windows' panel draws others than the one below
    names = [f"f{at}" for at in range(16)]
    rows = [(float(at), name, variable, 0.1) for name in names for at in range(20) for variable in ("srtt_s", "cwnd_segments")
            if variable == "srtt_s" or name not in names[:4]]  # fmt: skip
    times, subjects, variables, values = zip(*rows, strict=True)
    traces = pa.table({"time_s": times, "subject": subjects, "variable": variables, "value": values})
    for senders in (["cubic"] * 16, ["cubic", "bbr"] * 8):
        flows = pa.table({"flow": names, "direction": ["forward"] * 16, "algorithm": senders})
        figure = plots.page(RunResult("k", 1, {}, {"flows": flows, "traces": traces}))
        drawn: dict[str, set[Any]] = {}
        for line in (line for axes in figure.axes for line in axes.get_lines()):
            drawn.setdefault(line.get_label(), set()).add(style_of_line(line))
        assert len(drawn) == 16
        assert all(len(styles) == 1 for styles in drawn.values())
        check({label: style for label, (style,) in drawn.items()})


def test_no_two_lines_of_a_sweep_look_alike() -> None:
    figure = plots.metric_against_axis(
        summary_table(["1 %", "2 %"], tuple(ALGORITHMS)), "topology.bottleneck.loss.rate"
    )
    drawn = points(figure)
    assert len(drawn) == len(ALGORITHMS)
    check({label: style_of_line(line) for label, line in drawn.items()})


def test_lines_of_theory_are_told_apart() -> None:
    from windlass.plots.flows import GUIDES

    assert len(set(GUIDES.values())) == len(GUIDES)


# ---- panels


@pytest.mark.parametrize("width", [None, "1col", "2col"])
def test_no_panel_of_a_comparison_is_a_smear(width: str | None) -> None:
    with plots.layout(width=width):
        figure = plots.goodput_against_delay(
            compared(["cubic", "bbr", "newreno", "vegas"], [""], ("fast", "slow", "thin"))
        )
    figure.draw_without_rendering()
    assert len(figure.axes) >= 3
    for axes in (axes for axes in figure.axes if axes.axison):
        places = np.array([axes.transData.transform(container[0].get_xydata()[0]) for container in axes.containers])
        box = axes.get_window_extent()
        for at, length in ((0, box.width), (1, box.height)):
            assert np.ptp(places[:, at]) > 0.3 * length
        assert np.all(places >= box.min)
        assert np.all(places <= box.max)
