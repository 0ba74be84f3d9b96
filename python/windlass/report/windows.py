"""Windows over time, where the paper's figure shows windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from textwrap import fill
from typing import TYPE_CHECKING, Any

from windlass.plots.style import styled
from windlass.report.given import Point, StatedWindow, stated_windows
from windlass.report.language import Language
from windlass.report.panels import look_of
from windlass.reproduce import Reproduction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_ROWS = 6
_MOST_COLUMNS = 5
_WIDTH, _ROW = 7.8, 1.3  # inches, of the figure and of one of several rows
_ALONE = (6.4, 2.8)
_SERIES = {"cwnd": ("-", 1.0), "ssthresh": ("--", 0.8)}  # dash and width
_PEAK = "highest window that the paper states"
_FLOOR = "window that the paper says it comes down to"
_AT = "window that the paper states at that time"
_CAPTIONS = {
    _PEAK: "Black dashed lines: the highest window that the paper states.",
    _FLOOR: "Black dotted lines: the window that the paper says it comes down to.",
    _AT: "Hollow circles: windows that the paper states at those times.",
}


@dataclass
class _Panel:
    """What was recorded of a variant at a point, and what the paper states of it."""

    name: str
    where: str
    seed: int
    lines: dict[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    stated: list[StatedWindow] = field(default_factory=list)


def windows_figure(reproduction: Reproduction) -> tuple[Figure, str] | None:
    """Window and threshold of the first flow, one seed, a panel for each variant and point; none if not recorded.

    Points make rows, each with a scale of its own, and variants columns. Of many points some are drawn, for all
    variants.
    """
    panels = _recorded(reproduction)
    if not panels:
        return None
    points = [point for point in reproduction.data.points if any(at == point for _, at in panels)]
    variants = list(dict.fromkeys(variant for variant, _ in panels))
    kept = spread(points, _MOST_ROWS)
    rows = [[panels[variant, point] for variant in variants if (variant, point) in panels] for point in kept]
    stated = [one for row in rows for panel in row for one in panel.stated]
    seeds = sorted({panel.seed for row in rows for panel in row})
    named = "seed" if len(seeds) == 1 else "seeds"
    words = [
        f"Congestion window of the first flow over time, {named} {', '.join(map(str, seeds))};",
        "grey and dashed, where drawn: its slow start threshold. Each reduction is drawn at its own time.",
    ]
    if len(rows) > 1:
        words.append("Each row has a scale of its own.")
    words += [_CAPTIONS[label] for label in _CAPTIONS if label in {_label(one) for one in stated}]
    if not stated:
        words.append("The paper's own values: not given in its text.")
    if len(kept) < len(points):
        words.append(f"{len(kept)} of {len(points)} settings are drawn, for every variant.")
    return _draw(rows), " ".join(words)


def _recorded(reproduction: Reproduction) -> dict[tuple[str, Point], _Panel]:
    language = Language(reproduction.ledger, reproduction.experiment)
    data = reproduction.data
    panels: dict[tuple[str, Point], _Panel] = {}
    for (name, variant, point), by_seed in data.series.items():
        if name in _SERIES and by_seed:
            seed = min(by_seed)
            place = (variant, point)
            if place not in panels:
                panels[place] = _Panel(language.variant(variant), language.point(data.axes, point), seed)
            panels[place].lines[name] = by_seed[seed]
    for one in stated_windows(reproduction):
        if (one.variant, one.point) in panels:
            panels[one.variant, one.point].stated.append(one)
    return panels


def spread(points: Sequence[Point], most: int) -> list[Point]:
    """So many of the points, evenly, the first and the last among them."""
    if len(points) <= most:
        return list(points)
    return [points[round(at * (len(points) - 1) / (most - 1))] for at in range(most)]


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
def _draw(rows: list[list[_Panel]]) -> Figure:
    from matplotlib.figure import Figure

    cells = _cells(rows)
    columns = max(map(len, cells))
    size = _ALONE if len(cells) == columns == 1 else (_WIDTH, len(cells) * _ROW + 0.4)
    legend = 0.22 * len(_legend(rows))
    figure = Figure(figsize=(size[0], size[1] + legend), layout="constrained")
    own_scales = len(rows) > 1
    grid = figure.subplots(len(cells), columns, sharex=True, sharey="row" if own_scales else True, squeeze=False)
    lines = [line for row in rows for panel in row for line in panel.lines.values()]
    step = max(line[-1][0] - line[0][0] for line in lines) / (72 * size[0] / columns) or 1.0  # a point of the paper
    highest = []
    handles: dict[str, Any] = {}
    names: list[str] = []
    for across, row in zip(grid, cells, strict=True):
        highest.append(max(_draw_window(axes, panel, step) for axes, panel in zip(across, row, strict=False)))
        above, names = names, [panel.name for panel in row]
        for axes, panel in zip(across, row, strict=False):
            if columns == 1:
                axes.set_title(", ".join(words for words in (panel.name, panel.where) if words), fontsize=8, loc="left")
            elif names != above:
                axes.set_title(panel.name, fontsize=8, loc="left")
            handles |= {label: handle for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
        if columns > 1 and own_scales:
            across[0].set_ylabel(fill(row[0].where, 18), fontsize=7)
        for axes in across[len(row) :]:
            axes.set_axis_off()
    for column in range(columns):  # seconds stand under the lowest panel of each column
        lowest = max(at for at, row in enumerate(cells) if len(row) > column)
        grid[lowest][column].xaxis.set_tick_params(labelbottom=True)
        grid[lowest][column].set_xlabel("time (s)", fontsize=8)
    for across, top in zip(grid, highest if own_scales else [max(highest)] * len(grid), strict=True):
        across[0].set_ylim(0.0, 1.12 * top if top else 1.0)
    figure.supylabel("window (segments)", fontsize=9)
    if handles:
        figure.legend(handles.values(), handles, loc="outside lower center", fontsize=8, ncols=1)
    return figure


def _cells(rows: list[list[_Panel]]) -> list[list[_Panel]]:
    """Rows of panels as the figure has them: variants side by side, those of a single point in two columns."""
    columns = 2 if len(rows) == 1 else _MOST_COLUMNS
    return [row[at : at + columns] for row in rows for at in range(0, len(row), columns)]


def _legend(rows: list[list[_Panel]]) -> set[str]:
    """Labels of what the paper states."""
    return {_label(one) for row in rows for panel in row for one in panel.stated}


def _label(one: StatedWindow) -> str:
    return _PEAK if one.peak else _AT if one.times else _FLOOR


def _draw_window(axes: Axes, panel: _Panel, step: float) -> float:
    """Draw a panel and return the highest window in it, stated or measured."""
    from matplotlib import patheffects

    highest = max((one.value for one in panel.stated), default=0.0)
    for name, line in panel.lines.items():
        dash, width = _SERIES[name]
        seconds, values = zip(*thinned(line, step), strict=True)
        # a threshold that no loss has set yet is as high as a number can be
        shown = [value if value < 1e6 else math.nan for value in values]
        if name == "cwnd":
            highest = max([highest, *(value for value in shown if not math.isnan(value))])
        colour = look_of(panel.name).colour if name == "cwnd" else "#555555"
        axes.plot(seconds, shown, linestyle=dash, linewidth=width, color=colour)
    on_white = [patheffects.withStroke(linewidth=3.0, foreground="white")]  # seen on a black curve, too
    for one in panel.stated:
        if one.times:
            axes.plot(
                one.times,
                [one.value] * len(one.times),
                marker="o",
                markersize=7,
                markerfacecolor="none",
                markeredgecolor="black",
                markeredgewidth=1.3,
                linestyle="",
                clip_on=False,
                label=_AT,
                zorder=4,
                path_effects=on_white,
            )
        else:
            broken = (0, (5.0, 2.0)) if one.peak else (0, (1.0, 1.6))
            axes.axhline(
                one.value,
                color="black",
                linewidth=1.1,
                linestyle=broken,
                label=_label(one),
                zorder=4,
                path_effects=on_white,
            )
    return highest
