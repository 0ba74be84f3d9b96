"""Windows over time, where the paper's figure shows windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from windlass.plots.style import styled
from windlass.report.language import Language
from windlass.report.panels import look_of
from windlass.reproduce import Reproduction

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST = 10
_COLUMNS = 2
_PANEL = (3.9, 1.5)
_SERIES = {
    "cwnd": ("congestion window (segments)", "-", 1.0),
    "ssthresh": ("slow start threshold (segments)", "--", 0.8),
}


def windows_figure(reproduction: Reproduction) -> tuple[Figure, str] | None:
    """Window and threshold of the first flow, one seed, a panel for each variant and point; none if not recorded."""
    language = Language(reproduction.ledger, reproduction.experiment)
    data = reproduction.data
    panels: dict[str, dict[str, Any]] = {}
    for (name, variant, point), by_seed in data.series.items():
        if name in _SERIES and by_seed:
            where = language.point(data.axes, point)
            title = ", ".join(word for word in (language.variant(variant), where) if word)
            panel = panels.setdefault(title, {"variant": language.variant(variant), "lines": {}})
            panel["seed"] = min(by_seed)
            panel["lines"][name] = by_seed[min(by_seed)]
    if not panels:
        return None
    first = next(iter(panels.values()))["seed"]
    words = (
        f"Congestion window of the first flow over time, seed {first}; dashed, where drawn: its slow start threshold. "
        "Each reduction is drawn at its own time. The paper prints its windows as curves only: no value is given."
    )
    if len(panels) > _MOST:
        words += f" {_MOST} of {len(panels)} settings are drawn."
    return _draw(dict(list(panels.items())[:_MOST])), words


def thinned(line: Sequence[tuple[float, float]], step: float) -> list[tuple[float, float]]:
    """The first, least, greatest and last point of each `step` of time.

    A line through them covers the same places as one through all points when it is drawn as wide as a step (Jugel and
    others, M4: A Visualization-Oriented Time Series Data Aggregation, 2014).
    """
    kept: list[tuple[float, float]] = []
    for _, bin_ in groupby(line, key=lambda point: math.floor(point[0] / step)):
        points = list(bin_)
        values = [value for _, value in points]
        ends = {0, values.index(min(values)), values.index(max(values)), len(points) - 1}
        kept += [points[at] for at in sorted(ends)]
    return kept


@styled
def _draw(panels: dict[str, dict[str, Any]]) -> Figure:
    from matplotlib.figure import Figure

    columns = min(len(panels), _COLUMNS)
    rows = math.ceil(len(panels) / columns)
    size = (columns * _PANEL[0], rows * _PANEL[1] + 0.4) if len(panels) > 1 else (6.4, 2.8)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    highest = 0.0
    span = max(line[-1][0] - line[0][0] for panel in panels.values() for line in panel["lines"].values())
    step = span / (72 * size[0] / columns) or 1.0  # what a point of the paper shows
    for axes, (title, panel) in zip(grid.flat, panels.items(), strict=False):
        axes.set_title(title, fontsize=8, loc="left")
        for name, line in panel["lines"].items():
            _, dash, width = _SERIES[name]
            seconds, values = zip(*thinned(line, step), strict=True)
            # a threshold that no loss has set yet is as high as a number can be
            shown = [value if value < 1e6 else math.nan for value in values]
            highest = max([highest] + [v for v in shown if name == "cwnd" and not math.isnan(v)])
            colour = look_of(panel["variant"]).colour if name == "cwnd" else "#555555"
            axes.plot(seconds, shown, linestyle=dash, linewidth=width, color=colour)
    for axes in list(grid.flat)[len(panels) :]:
        axes.set_axis_off()
    for axes in list(grid.flat)[max(0, len(panels) - columns) : len(panels)]:
        axes.xaxis.set_tick_params(labelbottom=True)
    grid.flat[0].set_ylim(0.0, 1.08 * highest if highest else 1.0)
    figure.supxlabel("time (s)", fontsize=9)
    figure.supylabel("window (segments)", fontsize=9)
    return figure
