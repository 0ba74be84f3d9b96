"""Small panels with common axes: curves with intervals, the paper's values as marks, claimed gains as bands."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from windlass.palette import Look, look, nth
from windlass.plots.style import marker_size, styled
from windlass.report.language import LABELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 3
_PANEL = (2.75, 1.95)  # inches, of one panel of several
_ALONE = (5.2, 3.2)
_LEGEND_ROW = 0.19
_LETTER, _HANDLE = 0.056, 0.72  # inches, of a letter in the legend, and of all else that a label needs

_STATED = "large and hollow: stated in the paper"
_CLAIMED = "claimed gain over our baseline"
_EVENT = "time that the paper names"


@dataclass(frozen=True)
class Curve:
    """Means of one variant with the ends of their intervals."""

    name: str
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class Panel:
    """One panel: places along the axis, curves, and what the paper gives.

    ``marks`` are (index of the place, value, name of the curve); ``band`` has the ends of a claimed gain at each place;
    ``caps`` what the links carry; ``events`` places along the axis at which the paper says that something happens.
    """

    title: str
    places: tuple[float, ...]
    curves: tuple[Curve, ...]
    marks: tuple[tuple[int, float, str], ...] = ()
    band: tuple[tuple[float, float] | None, ...] = ()
    caps: tuple[float | None, ...] = ()
    events: tuple[float, ...] = ()


@styled
def draw_panels(
    panels: Sequence[Panel],
    x_label: str,
    y_label: str,
    log: bool = False,
    ticks: Sequence[str] = (),
    factor: float = 1.0,
) -> Figure:
    """Draw panels with the same axes and one legend under them; colour, marker and dash tell curves apart.

    ``factor`` turns values into the unit of the vertical axis.
    """
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(curve.name for panel in panels for curve in panel.curves))
    columns = min(len(panels), _COLUMNS)
    rows = math.ceil(len(panels) / columns)
    width, height = _ALONE if len(panels) == 1 else (columns * _PANEL[0], rows * _PANEL[1])
    width = max(width, 5.2)
    given = [_STATED] if any(panel.marks for panel in panels) else []
    given += [_CLAIMED] if any(panel.band for panel in panels) else []
    given += [_EVENT] if any(panel.events for panel in panels) else []
    labels = [*names, *given]
    beside = _legend_columns(labels, width)
    legend = _LEGEND_ROW * math.ceil(len(labels) / beside) + 0.1
    figure = Figure(figsize=(width, height + legend), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    cells = list(grid.flat)
    for axes, panel in zip(cells, panels, strict=False):
        _draw_panel(axes, panel, names)
    for axes in cells[len(panels) :]:
        axes.set_axis_off()
    _set_axes(cells[0], panels, log, ticks)
    if factor != 1.0:
        cells[0].yaxis.set_major_formatter(lambda value, _: f"{value * factor:g}")
    for axes in cells[max(0, len(panels) - columns) : len(panels)]:
        axes.xaxis.set_tick_params(labelbottom=True, **({"labelsize": 8} if len(panels) > 1 else {}))
        axes.set_xlabel(x_label, fontsize=9 if len(panels) == 1 else 8)
    figure.supylabel(y_label, fontsize=9)
    handles: dict[str, Any] = {}
    for axes in cells[: len(panels)]:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if tuple(ticks) == ("",):
        _name_places(cells[: len(panels)], names, width / columns / max(1, len(names)))
        handles = {label: handle for label, handle in handles.items() if label not in names}
    order = sorted(handles, key=lambda label: names.index(label) if label in names else len(names))
    if order:
        figure.legend([handles[label] for label in order], order, loc="outside lower center", fontsize=8, ncols=beside)
    return figure


def _legend_columns(labels: Sequence[str], width: float) -> int:
    """How many labels of a legend go side by side in a figure of this width, in inches; at most three."""
    longest = max(map(len, labels), default=0)
    return min(3, max(1, int(width / (_LETTER * longest + _HANDLE))))


def _name_places(cells: Sequence[Axes], names: Sequence[str], width: float) -> None:
    """Write each curve's name under its only value, so many inches wide at most: no legend is needed."""
    for axes in cells:
        words = [_under(name, width) for name in names]
        axes.set_xticks([_beside(at, names) for at in range(len(names))], words, fontsize=8)
        axes.set_xlim(_beside(-0.7, names), _beside(len(names) - 0.3, names))


def _under(name: str, width: float) -> str:
    """A name in as many lines as it needs under a place of so many inches; a flow's number has a line of its own."""
    plain, _, flow = name.partition(", flow ")
    lines = fill(plain, min(14, max(8, int(0.75 * width / _LETTER))))
    return f"{lines}\nflow {flow}" if flow else lines


def _beside(at: float, names: Sequence[str]) -> float:
    """How far right of a place a curve's value stands where there is one place only."""
    return 0.08 * (at - (len(names) - 1) / 2)


def _draw_panel(axes: Axes, panel: Panel, names: Sequence[str]) -> None:
    if panel.title:
        axes.set_title(panel.title, fontsize=8, loc="left")
    _draw_band(axes, panel, _beside(0, names) if len(panel.places) == 1 else 0.0)
    look = looks_of(names)
    for curve in panel.curves:
        at = names.index(curve.name)
        lengths = [
            [0.0 if math.isnan(a - b) else max(a - b, 0.0) for a, b in zip(high, low, strict=True)]
            for high, low in ((curve.mean, _not_below(curve)), (curve.high, curve.mean))
        ]
        offset = _beside(at, names) if len(panel.places) == 1 else 0.0
        axes.errorbar(
            [place + offset for place in panel.places],
            curve.mean,
            yerr=lengths,
            color=look[curve.name].colour,
            marker=look[curve.name].marker,
            markersize=marker_size(look[curve.name].marker, 4.5),
            linestyle=look[curve.name].dash,
            clip_on=False,
            capsize=2.0,
            elinewidth=0.8,
            label=curve.name,
            zorder=3,
        )
    for at, value, name in panel.marks:
        offset = _beside(names.index(name), names) if len(panel.places) == 1 and name in names else 0.0
        axes.plot(
            [panel.places[at] + offset],
            [value],
            marker=look[name].marker if name in look else "*",
            markersize=11,
            markerfacecolor="none",
            markeredgecolor=look_of(name).colour,
            markeredgewidth=1.4,
            linestyle="",
            clip_on=False,
            label=_STATED,
            zorder=4,
        )
    for event in panel.events:
        axes.axvline(event, color="black", linewidth=1.0, linestyle=(0, (1.0, 2.0)), label=_EVENT, zorder=1)
    caps = [(place, cap) for place, cap in zip(panel.places, panel.caps, strict=False) if cap is not None]
    thin: dict[str, Any] = {"color": "black", "linewidth": 0.7, "linestyle": (0, (6, 3)), "zorder": 1}
    if len(caps) > 1:
        axes.plot(*zip(*caps, strict=True), **thin)
    elif caps:
        axes.axhline(caps[0][1], **thin)


def _not_below(curve: Curve) -> list[float]:
    """Lower ends of intervals, none below 0 around a mean that is not."""
    return [max(low, 0.0) if mean >= 0.0 else low for mean, low in zip(curve.mean, curve.low, strict=True)]


def _draw_band(axes: Axes, panel: Panel, offset: float) -> None:
    """Where the better variant would be if the claim held; a bar where that is one place only, so far right of it."""
    known = [(place + offset, *ends) for place, ends in zip(panel.places, panel.band, strict=False) if ends is not None]
    known = [row for row in known if not any(math.isnan(value) for value in row)]
    if not known:
        return
    places, low, high = zip(*known, strict=True)
    style: dict[str, Any] = {"facecolor": "#d9d9d9", "edgecolor": "#777777", "hatch": "////", "linewidth": 0.6}
    if len(known) > 1:
        axes.fill_between(places, low, high, label=_CLAIMED, zorder=1, **style)
        return
    spread = max(panel.places) - min(panel.places) or 1.0
    heights = [top - bottom for bottom, top in zip(low, high, strict=True)]
    axes.bar(places, heights, 0.06 * spread, low, label=_CLAIMED, zorder=1, **style)


def _set_axes(axes: Axes, panels: Sequence[Panel], log: bool, ticks: Sequence[str]) -> None:
    places = sorted({place for panel in panels for place in panel.places})
    bottom = min([0.0, *(value for panel in panels for curve in panel.curves for value in curve.mean)])
    top = highest_shown(panels)
    axes.set_ylim(bottom, top if top > bottom else bottom + 1.0)
    if ticks:
        axes.set_xticks(range(len(ticks)), ticks, fontsize=8)
        axes.set_xlim(-0.6, len(ticks) - 0.4)
        return
    if log:
        least = min(place for place in places if place > 0)
        if places[0] == 0:
            # nought stands left of the smallest place, on a linear piece as long as half a decade
            axes.set_xscale("symlog", linthresh=least, linscale=0.5)
            axes.set_xlim(-0.3 * least, 1.25 * places[-1])
        else:
            axes.set_xscale("log")
    if len(places) <= 10:
        axes.set_xticks(places, [f"{place:g}" for place in places], fontsize=8)
        axes.set_xticks([], minor=True)


def highest_shown(panels: Sequence[Panel]) -> float:
    """Upper end of the vertical axis: above all values, intervals and marks; what the links carry may lie higher.

    A band may lead out of the figure, but some of it is in it; a bar beside the only place is all that there is to see.
    """
    values = [value for panel in panels for curve in panel.curves for value in (*curve.mean, *curve.high)]
    values += [value for panel in panels for _, value, _ in panel.marks]
    top = max((value for value in values if math.isfinite(value)), default=1.0)
    for panel in panels:
        ends = [pair for pair in panel.band if pair is not None and all(math.isfinite(end) for end in pair)]
        if ends and (len(panel.places) == 1 or min(low for low, _ in ends) > top):
            top = max(top, min(high for _, high in ends))
    return 1.08 * top


_FORMS = {"westwood-original": "westwood", "cerlplus2-inverted": "cerl-plus2", "etfcc-tfrc": "etfcc"}
"""Variants that are an algorithm of the registry with other parameters or under another name."""


def look_of(name: str) -> Look:
    """Look of a variant by its name on the page: that of its algorithm, which all its flows have."""
    name = re.split(r" in (?=figure |table |“)", name)[0]  # in another experiment it is the same one
    plain = name.split(", flow ")[0]
    key = next((key for key, label in LABELS.items() if label == plain), plain)
    return look(_FORMS.get(key, key))


def looks_of(names: Sequence[str]) -> dict[str, Look]:
    """Looks of the variants of a figure: that of the algorithm; of a second variant or flow of the same one, its colour
    with a marker and dash that no other line has.
    """
    own = {name: look_of(name) for name in names}
    taken = {one[1:3] for one in own.values()}
    spare = [shape for number in range(36) if (shape := nth(number)[1:3]) not in taken]
    found: dict[str, Look] = {}
    for name, one in own.items():
        second = one[1:3] in {known[1:3] for known in found.values()}
        found[name] = Look(one.colour, *spare.pop(0)) if second and spare else one
    return found
