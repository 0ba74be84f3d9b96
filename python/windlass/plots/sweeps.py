"""Figures of sweeps and comparisons: a number against a swept key, with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.amounts import UNITS
from windlass.errors import InputError
from windlass.palette import GREY, SOLID, Look, point_looks, title
from windlass.plots.panels import RowLine, Setting, following, grouped, label, panels, told_apart, with_following
from windlass.plots.style import add_legend, is_narrow, mark_style, number_of, some, styled
from windlass.plots.words import (
    axis_words,
    metric_scale,
    metric_words,
    most_of,
    no_values,
    quantity,
    value_of,
    words,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windlass.compare import Comparison, Outcome


@styled
def metric_against_axis(
    summary: pa.Table, x: str, metric: str = "goodput_bps", *, x_label: str | None = None, y_label: str | None = None
) -> Figure:
    """A number against a swept key: means with their intervals, one line for each algorithm.

    If other keys are swept as well, each setting of them has a panel; with one algorithm alone, a line.

    Parameters
    ----------
    summary : pyarrow.Table
        From :meth:`windlass.SweepResult.summary`; must have ``{metric}_mean``, ``_lo`` and ``_hi``.
    x : str
        Swept key.
    metric : str
        Number to draw. Bits per second are drawn as Mbit/s, bytes as MB.
    x_label, y_label : str, optional
        Words on the axes.

    Raises
    ------
    InputError
        If the summary has no such key or number, or so many settings that there is no room.
    """
    from windlass.tables import as_written

    summary = as_written(summary)
    figure, cells = _draw_series(summary, x, metric)
    unit = ""
    for axes in cells:
        unit = _draw_x(axes, summary[x].to_pylist(), x)
    along = with_following(words(axis_words(x), unit), summary.to_pylist(), _keys(summary), x)
    label(figure, cells, x_label or along, y_label or metric_words(metric))
    add_legend(figure, *cells)
    return figure


@styled
def goodput_against_loss(
    summary: pa.Table,
    *,
    x: str = "topology.bottleneck.loss.rate",
    metric: str = "goodput_bps",
    capacity_bps: float | None = None,
    mathis: Mapping[str, float] | None = None,
) -> Figure:
    """Goodput of a flow against the loss rate, with what the link can carry and what an ideal Reno would get.

    Parameters
    ----------
    summary : pyarrow.Table
        From :meth:`windlass.SweepResult.summary`.
    x : str
        Swept key of the loss rate.
    metric : str
        ``"goodput_bps"`` (per flow), or ``"goodput_total_bps"`` (sum of a group).
    capacity_bps : float, optional
        A flow's share of the bottleneck (or all of it, with the total), bits per second; drawn as a line.
    mathis : mapping, optional
        ``mss_bytes``, ``rtt_s`` and, if not the default, ``b`` or ``c`` of :func:`windlass.stats.mathis`.

    Raises
    ------
    InputError
        If the summary has no such key or number, or the key's values are no loss rates.
    """
    import numpy as np

    from windlass import stats
    from windlass.tables import as_written

    summary = as_written(summary)
    figure, cells = _draw_series(summary, x, metric)
    values = summary[x].to_pylist()
    positions, unit = _positions(values)
    if unit is None or unit not in ("", "%"):
        raise InputError(
            f"`{x}` is no loss rate", code="plot.no-axis", hint="give the swept key of a loss rate with `--x`"
        )
    scale, _ = metric_scale(metric)
    positive = [position for position in positions if position > 0.0]
    for axes in cells:
        _draw_x(axes, values)
        if capacity_bps is not None:
            axes.set_ylim(top=max(axes.get_ylim()[1], 1.05 * capacity_bps * scale))
            axes.axhline(
                capacity_bps * scale, color="black", linewidth=0.8, linestyle=(0, (6, 3)), label="capacity", zorder=1
            )
        if mathis is not None and positive:
            top = axes.get_ylim()[1]
            loss = np.geomspace(min(positive), max(positive), 200)
            rate = stats.mathis(loss * (0.01 if unit == "%" else 1.0), **mathis) * scale
            axes.plot(loss, rate, color="black", linewidth=0.8, linestyle=":", label="Reno, 1/√p (Mathis)", zorder=1)
            axes.set_ylim(top=top)
    along = with_following(words("loss rate", unit), summary.to_pylist(), _keys(summary), x)
    label(figure, cells, along, metric_words(metric))
    add_legend(figure, *cells)
    return figure


@styled
def goodput_against_delay(comparison: Comparison) -> Figure:
    """What each algorithm of a comparison gets, against how long its packets wait: up and to the left is better.

    Parameters
    ----------
    comparison : windlass.compare.Comparison
        One marker for each algorithm and queue, with the intervals of both numbers, and a panel for each point of a
        path, on axes of its own, which begin at zero if a value is at most half of the greatest. Values of which one
        is 30 times another stand on a logarithmic axis.
    """
    several = len({one.path for one in comparison.outcomes}) > 1
    told = told_apart(_where(one, several) for one in comparison.outcomes)
    settings = list(told)
    figure, cells = panels(list(told.values()), shared=False)
    look = point_looks((one.algorithm, str(one.queue)) for one in comparison.outcomes)
    by_queue = len({one.queue for one in comparison.outcomes}) > 1
    places: dict[int, list[tuple[float, float, float, float]]] = {}
    for one in comparison.outcomes:
        delay, goodput = one.queue_delay_p95_s, one.goodput_bps
        place, value = (delay.mean * 1e3, goodput.mean * 1e-6)
        at = settings.index(_where(one, several))
        own = look[one.algorithm, str(one.queue)]
        across, up = (
            _above_zero(middle, number_of(half) * scale)
            for middle, half, scale in ((place, delay.half_width, 1e3), (value, goodput.half_width, 1e-6))
        )
        places.setdefault(at, []).append((place, value, across[1][0], up[1][0]))
        cells[at].errorbar(
            [place],
            [value],
            xerr=across,
            yerr=up,
            color=own.colour,
            linestyle="",
            capsize=2.5,
            capthick=0.5,
            elinewidth=0.9,
            label=f"{title(one.algorithm)}, {one.queue}" if by_queue else title(one.algorithm),
            zorder=3,
            **mark_style(own, 6.0),
        )
    for at, points in places.items():
        x, y, across_, up_ = (list(part) for part in zip(*points, strict=True))
        _span(cells[at], "x", x, across_)
        _span(cells[at], "y", y, up_)
    x_label = "queueing delay not exceeded by 95 % of the segments (ms)"
    label(
        figure,
        cells,
        "95th percentile of the queueing delay (ms)" if is_narrow() else x_label,
        metric_words("goodput_bps"),
    )
    add_legend(figure, *cells, instead=_of_both(look) if by_queue else None)
    return figure


_ONE_BY_ONE = 12
"""Points of algorithms with queues that are listed one by one."""


def _of_both(look: Mapping[tuple[str, str], Look]) -> dict[str, Any] | None:
    """Entries of a legend of many points: what each marker is, then what each filling is."""
    from matplotlib.lines import Line2D

    if len(look) <= _ONE_BY_ONE or any(own.marker.startswith("$") for own in look.values()):
        return None
    entries: dict[str, Any] = {}
    for (algorithm, _), own in look.items():
        plain = own._replace(fill="full")
        entries.setdefault(title(algorithm), Line2D([], [], color=own.colour, linestyle="", **mark_style(plain, 6.0)))
    for (_, queue), own in look.items():
        plain = Look(GREY, "h", SOLID, own.fill)
        entries.setdefault(f"queue: {queue}", Line2D([], [], color=GREY, linestyle="", **mark_style(plain, 6.0)))
    return entries


_MANY_TIMES = 30.0
"""One value so many times another needs a logarithmic axis."""


def _span(axes: Axes, axis: str, values: Sequence[float], halves: Sequence[float]) -> None:
    """Ends of an axis that points fill: from zero if it is near, logarithmic if they are of different sizes."""
    set_scale, set_limits = getattr(axes, f"set_{axis}scale"), getattr(axes, f"set_{axis}lim")
    ends = [(value, half) for value, half in zip(values, halves, strict=True) if math.isfinite(value)] or [(0.0, 1.0)]
    values = [value for value, _ in ends]
    most = max(value + half for value, half in ends) or 1.0
    least = min(values)
    if least > 0.0 and max(values) / least >= _MANY_TIMES:
        set_scale("log")
        margin = (most / least) ** 0.06
        set_limits(least / margin, most * margin)
        return
    low = min(value - half for value, half in ends)
    if low <= 0.5 * most:
        set_limits(-0.02 * most, 1.08 * most)
        return
    margin = 0.1 * (most - low) or 0.05 * most
    set_limits(low - margin, most + margin)


def _above_zero(value: float, half: float) -> list[list[float]]:
    """Both sides of an interval of what cannot be below zero; none where there is no interval."""
    half = 0.0 if math.isnan(half) else half
    return [[max(0.0, min(half, value))], [half]]


def _where(one: Outcome, several: bool) -> Setting:
    """The path of a row of a comparison, if there are several, and the point of its sweep."""
    return ((("path", one.path),) if several else ()) + _setting(one.axes)


def _setting(axes: Mapping[str, Any]) -> Setting:
    return tuple((key, str(value)) for key, value in axes.items())


def _draw_series(summary: pa.Table, x: str, metric: str) -> tuple[Figure, list[Axes]]:
    """Lines with interval bars."""
    keys = _keys(summary)
    _check_columns(summary, keys, x, metric)
    places, unit = _positions(summary[x].to_pylist())
    rows = [{**row, _PLACE: place} for row, place in zip(summary.to_pylist(), places, strict=True)]
    given = following(rows, keys, (x, "flows.algorithm"))
    others = [key for key in keys if key not in (x, "flows.algorithm", *given)]
    titles, lines = grouped(rows, others, metric_words(metric), by_algorithm=x != "flows.algorithm")
    figure, cells = panels(titles)
    for line in lines:
        _draw_line(cells[line.panel], line, metric, joined=unit is not None)
    for axes in cells:
        axes.margins(x=0.04)
        low, high = axes.get_ylim()
        axes.set_ylim(bottom=min(-0.02 * high, low) if low < 0.0 else -0.02 * high)
    return figure, cells


def _keys(summary: pa.Table) -> list[str]:
    """The swept keys."""
    return summary.column_names[: summary.column_names.index("group")]


_PLACE = " place along the axis"


def _draw_line(axes: Axes, line: RowLine, metric: str, *, joined: bool) -> None:
    """Means with bars for the intervals, which do not reach where the number cannot."""
    scale, _ = metric_scale(metric)
    rows = sorted(line.rows, key=lambda row: row[_PLACE])
    mean, low, high = ([number_of(row[f"{metric}_{part}"]) for row in rows] for part in ("mean", "lo", "hi"))
    least = 0.0 if all(not value < 0.0 for value in mean) else -math.inf
    low = [max(value, least) for value in low]
    high = [min(value, most_of(metric)) for value in high]
    axes.errorbar(
        [row[_PLACE] for row in rows],
        [value * scale for value in mean],
        yerr=[[value * scale for value in part] for part in (_lengths(mean, low), _lengths(high, mean))],
        color=line.look.colour,
        linestyle=line.look.dash if joined else "",
        capsize=2.5,
        capthick=0.5,
        elinewidth=0.9,
        label=line.name,
        zorder=3,
        **mark_style(line.look, 6.0),
    )


def _check_columns(summary: pa.Table, keys: Sequence[str], x: str, metric: str) -> None:
    names = summary.column_names
    if x not in keys:
        raise InputError(
            f"no swept key `{x}`", code="plot.no-axis", hint="the results sweep " + (some(keys) or "nothing")
        )
    if f"{metric}_mean" not in names:
        known = [name.removesuffix("_lo") for name in names if name.endswith("_lo")]
        raise InputError(f"no number `{metric}`", code="plot.no-metric", hint="the results have " + some(known))
    if all(math.isnan(number_of(value)) for value in summary[f"{metric}_mean"].to_pylist()):
        raise no_values(metric)


def _lengths(high: Sequence[float], low: Sequence[float]) -> list[float]:
    """Lengths of one side of the interval bars; none where there is no interval."""
    return [0.0 if math.isnan(a - b) else max(0.0, a - b) for a, b in zip(high, low, strict=True)]


def _draw_x(axes: Axes, values: Sequence[Any], x: str = "") -> str:
    """Scale and ticks of the x axis; the unit of its numbers."""
    positions, unit = _positions(values)
    if unit is None:
        labels = list(dict.fromkeys(str(value) for value in values))
        labels = [value_of(x, label) for label in labels]
        crowded = sum(map(len, labels)) > (20 if is_narrow() else 40)
        axes.set_xticks(range(len(labels)), labels, rotation=30 if crowded else 0, ha="right" if crowded else "center")
        return ""
    positive = sorted({position for position in positions if position > 0.0})
    if positive and min(positions) >= 0.0 and positive[-1] / positive[0] >= 30.0:
        margin = (positive[-1] / positive[0]) ** 0.04
        if 0.0 in positions:
            # 0 stands left of the smallest value, on a linear piece as long as one decade.
            axes.set_xscale("symlog", linthresh=positive[0], linscale=0.5)
            axes.set_xlim(left=-0.15 * positive[0])
        else:
            axes.set_xscale("log")
            axes.set_xlim(left=positive[0] / margin)
        axes.set_xlim(right=positive[-1] * margin)
        _plain_ticks(axes, sorted(set(positions)))
    return unit


def _plain_ticks(axes: Axes, values: Sequence[float]) -> None:
    if len(values) <= 10:
        axes.set_xticks(values, [f"{value:g}" for value in values])
        axes.set_xticks([], minor=True)


def _positions(values: Sequence[Any]) -> tuple[list[float], str | None]:
    """Places on an axis and their unit: as written if all have the same, else the base unit; ``None`` for words."""
    found = [quantity(value) for value in values]
    numbers = [item for item in found if item is not None]
    if len(numbers) == len(found):
        units = {unit for number, unit in numbers if number != 0.0 or unit}
        if len(units) <= 1:
            return [number for number, _ in numbers], next(iter(units), "")
        bases = {UNITS[unit][1] if unit in UNITS else unit for unit in units}
        if len(bases) == 1:
            return [number * UNITS.get(unit, (1.0, ""))[0] for number, unit in numbers], bases.pop()
    labels = list(dict.fromkeys(str(value) for value in values))
    return [float(labels.index(str(value))) for value in values], None
