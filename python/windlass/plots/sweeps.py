"""Figures of sweeps and comparisons: a number against a swept key, with its interval."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError
from windlass.palette import look, nth
from windlass.plots.style import DASHES, add_legend, new_figure, number_of, some, styled, words

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windlass.compare import Comparison

_UNITS: dict[str, tuple[float, str]] = {
    "%": (0.01, ""),
    "bps": (1.0, "bit/s"),
    "kbps": (1e3, "bit/s"),
    "Mbps": (1e6, "bit/s"),
    "Gbps": (1e9, "bit/s"),
    "ns": (1e-9, "s"),
    "us": (1e-6, "s"),
    "ms": (1e-3, "s"),
    "s": (1.0, "s"),
    "min": (60.0, "s"),
    "B": (1.0, "B"),
    "kB": (1e3, "B"),
    "MB": (1e6, "B"),
    "GB": (1e9, "B"),
    "KiB": (1024.0, "B"),
    "MiB": (1024.0**2, "B"),
}
_NUMBER = re.compile(r"\s*([+-]?\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?)\s*(\S*)\s*")

_METRIC_UNITS = {
    "bps": (1e-6, "Mbit/s"),
    "bytes": (1e-6, "MB"),
    "s": (1.0, "s"),
    "segments": (1.0, "segments"),
    "packets": (1.0, "packets"),
}


def quantity(value: object) -> tuple[float, str] | None:
    """A value of a scenario as a number and its unit; ``None`` if it is no such thing.

    Examples
    --------
    >>> quantity("0.1 %"), quantity(3), quantity("cerl")
    ((0.1, '%'), (3.0, ''), None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value), ""
    found = _NUMBER.fullmatch(str(value))
    return (float(found[1].replace("_", "")), found[2]) if found else None


@styled
def metric_against_axis(
    summary: pa.Table, x: str, metric: str = "goodput_bps", *, x_label: str | None = None, y_label: str | None = None
) -> Figure:
    """A number against a swept key: means with their intervals, one line for each setting of everything else.

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
        If the summary has no such key or number.
    """
    figure, axes = new_figure()
    _draw_series(axes, summary, x, metric)
    unit = _draw_x(axes, summary[x].to_pylist())
    axes.set_xlabel(
        x_label or words(x.rsplit(".", 1)[-1] if x.endswith("algorithm") else ".".join(x.split(".")[-2:]), unit)
    )
    axes.set_ylabel(y_label or _metric_words(metric))
    add_legend(figure, axes)
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
        ``"goodput_bps"`` (per flow), or ``"goodput_total_bps"`` (all flows of a group).
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

    figure, axes = new_figure()
    _draw_series(axes, summary, x, metric)
    values = summary[x].to_pylist()
    positions, unit = _positions(values)
    if unit is None or unit not in ("", "%"):
        raise InputError(
            f"`{x}` is no loss rate", code="plot.no-axis", hint="give the swept key of a loss rate with `--x`"
        )
    _draw_x(axes, values)
    scale, _ = _metric_unit(metric)
    if capacity_bps is not None:
        axes.set_ylim(top=max(axes.get_ylim()[1], 1.05 * capacity_bps * scale))
        axes.axhline(
            capacity_bps * scale, color="black", linewidth=0.8, linestyle=(0, (6, 3)), label="capacity", zorder=1
        )
    positive = [position for position in positions if position > 0.0]
    if mathis is not None and positive:
        top = axes.get_ylim()[1]
        loss = np.geomspace(min(positive), max(positive), 200)
        rate = stats.mathis(loss * (0.01 if unit == "%" else 1.0), **mathis) * scale
        axes.plot(loss, rate, color="black", linewidth=0.8, linestyle=":", label="Reno, 1/√p (Mathis)", zorder=1)
        axes.set_ylim(top=top)
    axes.set_xlabel(words("loss rate", unit))
    axes.set_ylabel(_metric_words(metric))
    add_legend(figure, axes)
    return figure


@styled
def goodput_against_delay(comparison: Comparison) -> Figure:
    """What each algorithm of a comparison gets, against how long its packets wait: up and to the left is better.

    Parameters
    ----------
    comparison : windlass.compare.Comparison
        One marker for each algorithm and point of the path, with the intervals of both numbers.
    """
    figure, axes = new_figure()
    names = list(dict.fromkeys(one.algorithm for one in comparison.outcomes))
    settings = list(dict.fromkeys((one.path, *one.axes.items()) for one in comparison.outcomes))
    queues = list(dict.fromkeys(one.queue for one in comparison.outcomes))
    several = len({one.path for one in comparison.outcomes}) > 1
    for one in comparison.outcomes:
        colour, marker = look(one.algorithm.partition(":")[0])
        if ":" in one.algorithm:
            colour, marker = look(one.algorithm)
        if len(queues) > 1:
            marker = nth(queues.index(one.queue)).marker
        delay, goodput = one.queue_delay_p95_s, one.goodput_bps
        axes.errorbar(
            [delay.mean * 1e3],
            [goodput.mean * 1e-6],
            xerr=[[number_of(delay.half_width) * 1e3]] * 2,
            yerr=[[number_of(goodput.half_width) * 1e-6]] * 2,
            color=colour,
            marker=marker,
            markerfacecolor="white" if settings.index((one.path, *one.axes.items())) % 2 else colour,
            linestyle="",
            capsize=2.5,
            elinewidth=0.9,
            label=", ".join(
                [
                    one.candidate,
                    *([one.path] if several else []),
                    *(f"{_short(key)} {value}" for key, value in one.axes.items()),
                ]
            ),
            zorder=3 + names.index(one.algorithm) / 100.0,
        )
    axes.set_xlim(0.0, 1.08 * axes.get_xlim()[1])
    axes.set_ylim(0.0, 1.08 * axes.get_ylim()[1])
    axes.set_xlabel("queueing delay not exceeded by 95 % of the segments (ms)")
    axes.set_ylabel("goodput per flow (Mbit/s)")
    add_legend(figure, axes)
    return figure


def _draw_series(axes: Axes, summary: pa.Table, x: str, metric: str) -> None:
    """One line with interval bars for each setting of everything but `x`."""
    keys = summary.column_names[: summary.column_names.index("group")]
    _check_columns(summary, keys, x, metric)
    # A line stands for an algorithm, a value of every other swept key, and a group and direction if there are several.
    algorithms = x != "flows.algorithm"
    others = [key for key in keys if key not in {x, "flows.algorithm"}]
    others += [name for name in ("group", "direction") if len(set(summary[name].to_pylist())) > 1]
    positions, _ = _positions(summary[x].to_pylist())
    lines: dict[tuple[str, tuple[str, ...]], list[tuple[float, dict[str, Any]]]] = {}
    for place, row in zip(positions, summary.to_pylist(), strict=True):
        rest = tuple(f"{_short(name)} {row[name]}" if name in keys else str(row[name]) for name in others)
        lines.setdefault((row["algorithm"] if algorithms else "", rest), []).append((place, row))

    scale, _ = _metric_unit(metric)
    settings = list(dict.fromkeys(rest for _, rest in lines))
    for (algorithm, rest), points in lines.items():
        points.sort(key=lambda point: point[0])
        mean, low, high = (
            [number_of(row[f"{metric}_{part}"]) * scale for _, row in points] for part in ("mean", "lo", "hi")
        )
        colour, marker = look(algorithm) if algorithms else nth(settings.index(rest))
        setting = settings.index(rest)
        axes.errorbar(
            [place for place, _ in points],
            mean,
            yerr=[_lengths(mean, low), _lengths(high, mean)],
            color=colour,
            marker=marker,
            markerfacecolor="white" if setting % 2 else colour,
            linestyle=DASHES[setting % len(DASHES)] if algorithms or len(points) > 1 else "",
            capsize=2.5,
            elinewidth=0.9,
            label=", ".join(part for part in (algorithm, *rest) if part) or metric,
            zorder=3,
        )
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))


def _check_columns(summary: pa.Table, keys: Sequence[str], x: str, metric: str) -> None:
    names = summary.column_names
    if x not in keys:
        raise InputError(
            f"no swept key `{x}`", code="plot.no-axis", hint="the results sweep " + (some(keys) or "nothing")
        )
    if f"{metric}_mean" not in names:
        known = [name.removesuffix("_lo") for name in names if name.endswith("_lo")]
        raise InputError(f"no number `{metric}`", code="plot.no-metric", hint="the results have " + some(known))


def _lengths(high: Sequence[float], low: Sequence[float]) -> list[float]:
    """Lengths of one side of the interval bars; none where there is no interval."""
    return [0.0 if math.isnan(a - b) else a - b for a, b in zip(high, low, strict=True)]


def _draw_x(axes: Axes, values: Sequence[Any]) -> str:
    """Scale and ticks of the x axis; the unit of its numbers."""
    positions, unit = _positions(values)
    if unit is None:
        labels = list(dict.fromkeys(str(value) for value in values))
        axes.set_xticks(
            range(len(labels)),
            labels,
            rotation=30 if len(labels) > 4 else 0,
            ha="right" if len(labels) > 4 else "center",
        )
        return ""
    positive = sorted({position for position in positions if position > 0.0})
    if positive and min(positions) >= 0.0 and positive[-1] / positive[0] >= 30.0:
        if 0.0 in positions:
            # 0 stands left of the smallest value, on a linear piece as long as one decade.
            axes.set_xscale("symlog", linthresh=positive[0], linscale=0.5)
            axes.set_xlim(left=-0.1 * positive[0])
        else:
            axes.set_xscale("log")
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
        bases = {_UNITS[unit][1] if unit in _UNITS else unit for unit in units}
        if len(bases) == 1:
            return [number * _UNITS.get(unit, (1.0, ""))[0] for number, unit in numbers], bases.pop()
    labels = list(dict.fromkeys(str(value) for value in values))
    return [float(labels.index(str(value))) for value in values], None


def _metric_unit(metric: str) -> tuple[float, str]:
    return _METRIC_UNITS.get(metric.rsplit("_", 1)[-1], (1.0, ""))


def _metric_words(metric: str) -> str:
    _, unit = _metric_unit(metric)
    name = metric.rsplit("_", 1)[0] if unit else metric
    return words(name.replace("_", " "), unit)


def _short(key: str) -> str:
    return ".".join(key.split(".")[-2:])
