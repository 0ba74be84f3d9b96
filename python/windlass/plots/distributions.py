"""Cumulative distributions: of the delays of packets, and of what flows and runs give."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from windlass.errors import InputError
from windlass.plots.flows import label_of, looks_of, recorded, seed_of
from windlass.plots.panels import grouped, label, panels
from windlass.plots.style import add_legend, mark_style, new_figure, number_of, some, styled
from windlass.plots.words import metric_scale, metric_words, no_values

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windlass.palette import Look
    from windlass.sweep import RunResult

_MOST_STEPS = 2000  # of a curve: more cannot be seen


@styled
def cdf_of_delay(result: RunResult, flows: Sequence[str] | None = None) -> Figure:
    """Which share of a flow's segments took no longer than so long from sender to receiver.

    Parameters
    ----------
    result : RunResult
        Of a run with ``traces = ["delay"]``.
    flows : sequence of str, optional
        Names of flows; by default all, at most 12.

    Raises
    ------
    UnknownFlow
        If there is no such flow.
    InputError
        If no delay, or not that of a named flow, was recorded.
    """
    figure, axes = new_figure()
    shown = draw_cdf_of_delay(axes, result, flows)
    add_legend(figure, axes, title=seed_of(result, shown))
    return figure


def draw_cdf_of_delay(
    axes: Axes, result: RunResult, flows: Sequence[str] | None, *, look: Mapping[str, Look] | None = None
) -> int:
    """The distributions in a panel; of how many flows."""
    hint = 'write `traces = ["delay"]` under [output], and make the run long enough for data to arrive'
    lines = recorded(result, flows, "delay_s", "no delay {}was recorded", hint)
    look = look or looks_of(result, list(lines))
    for name, (_, values) in lines.items():
        _draw(axes, [1e3 * value for value in values], len(values), look[name], label_of(result, name))
    axes.set_xlabel("one-way delay (ms)")
    _percent(axes)
    return len(lines)


@styled
def cdf_of_flows(flows: pa.Table, axes: Sequence[str] = (), metric: str = "goodput_bps") -> Figure:
    """Which share of the flows of all runs had no more of something: goodput, completion time.

    A line for each algorithm; other swept keys make panels, or lines if there is one algorithm. Transfers that did not
    end count as longer than all that did, so their line ends below 100 %.

    Parameters
    ----------
    flows : pyarrow.Table
        :attr:`windlass.SweepResult.flows` or :attr:`windlass.RunResult.flows`.
    axes : sequence of str
        Swept keys, columns of `flows`.
    metric : str
        Column to draw.

    Raises
    ------
    InputError
        If there is no such column of numbers, or it has no value.
    """
    import pyarrow as pa

    from windlass.tables import as_written

    flows = as_written(flows)
    numbers = [
        field.name for field in flows.schema if pa.types.is_floating(field.type) or pa.types.is_integer(field.type)
    ]
    numbers = [name for name in numbers if name != "seed" and name not in axes]
    if metric not in numbers:
        raise InputError(f"no number `{metric}`", code="plot.no-metric", hint="flows have " + some(numbers))
    rows = [row for row in flows.to_pylist() if row["transport"] != "subflow"]
    if metric == "completion_s":
        rows = [row for row in rows if row["size_bytes"] is not None]
    if all(math.isnan(number_of(row[metric])) for row in rows):
        raise no_values(metric)
    scale, unit = metric_scale(metric)
    titles, lines = grouped(rows, [key for key in axes if key != "flows.algorithm"], "all flows")
    figure, cells = panels(titles)
    for line in lines:
        values = [scale * row[metric] for row in line.rows if not math.isnan(number_of(row[metric]))]
        ended = "" if len(values) == len(line.rows) else f", {len(values)} of {len(line.rows)} ended"
        _draw(cells[line.panel], values, len(line.rows), line.look, line.name + ended)
    for cell in cells:
        _percent(cell)
    what = {"completion_s": f"completion time ({unit})"}.get(metric, metric_words(metric).replace(" per flow", ""))
    label(figure, cells, what, cells[0].get_ylabel())
    if len(cells) > 1:
        for cell in cells:
            cell.set_ylabel("")
    runs = len(set(flows["key"].to_pylist())) if "key" in flows.column_names else 1
    add_legend(figure, *cells, title=f"{len(rows)} flows of {runs} run{'s' * (runs != 1)}")
    return figure


def _draw(axes: Axes, values: Sequence[float], count: int, look: Look, name: str) -> None:
    """Steps up to the share that has a value."""
    import numpy as np

    ordered = np.sort(np.asarray(values, float))
    shares = 100.0 * np.arange(1, len(ordered) + 1) / count
    if len(ordered) > _MOST_STEPS:
        kept = np.unique(np.linspace(0, len(ordered) - 1, _MOST_STEPS).astype(int))
        ordered, shares = ordered[kept], shares[kept]
    axes.step(
        np.concatenate((ordered[:1], ordered)),
        np.concatenate(([0.0], shares)),
        where="post",
        linewidth=1.1,
        color=look.colour,
        linestyle=look.dash,
        markevery=0.15 if len(ordered) > 20 else None,
        label=name,
        zorder=2,
        **mark_style(look, 4.5),
    )


def _percent(axes: Axes) -> None:
    axes.set_ylim(-2.0, 102.0)
    axes.set_ylabel("share of segments (%)" if axes.get_xlabel().startswith("one-way") else "share of flows (%)")
