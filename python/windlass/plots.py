"""Figures for papers: matplotlib, vector output, intervals always drawn, no title inside, the legend beside the data.

Every function returns a :class:`matplotlib.figure.Figure` that belongs to no window; :func:`save` writes it as PDF, SVG
and PNG, byte for byte the same each time.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from windlass.errors import InputError, StoreError, UnknownFlow
from windlass.names import loss_causes, not_lost, window_events
from windlass.palette import CAUSE_LOOKS, EVENT_MARKERS, MARKED_LOOK, NOT_LOST_LOOK, CauseLook, look, nth

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windlass.compare import Comparison
    from windlass.sweep import RunResult

__all__ = [
    "FORMATS",
    "cwnd_over_time",
    "goodput_against_delay",
    "goodput_against_loss",
    "metric_against_axis",
    "quantity",
    "rate_over_time",
    "save",
]

FORMATS = ("pdf", "svg", "png")
"""Formats that :func:`save` writes."""

_STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.grid": True,
    "grid.linewidth": 0.4,
    "grid.alpha": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 5,
    "legend.frameon": False,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "windlass",
}
_SIZE = (6.4, 3.6)
_LEGEND_ROWS = 20  # that a figure of this height has room for
_LEGEND_COLUMNS = 3
_LETTER_IN = 0.065  # width of a letter of the legend, inches
_DASHES = ("-", "--", "-.", ":")

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

Given = ParamSpec("Given")
Made = TypeVar("Made")


def _styled(draw: Callable[Given, Made]) -> Callable[Given, Made]:
    """Draw in the house style and leave the caller's settings alone."""

    @wraps(draw)
    def styled(*args: Given.args, **options: Given.kwargs) -> Made:
        from matplotlib import style

        with style.context(["default", _STYLE]):
            return draw(*args, **options)

    return styled


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


@_styled
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
    figure, axes = _figure()
    _draw_series(axes, summary, x, metric)
    unit = _draw_x(axes, summary[x].to_pylist())
    axes.set_xlabel(
        x_label or _words(x.rsplit(".", 1)[-1] if x.endswith("algorithm") else ".".join(x.split(".")[-2:]), unit)
    )
    axes.set_ylabel(y_label or _metric_words(metric))
    _legend(figure, axes)
    return figure


@_styled
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

    figure, axes = _figure()
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
    axes.set_xlabel(_words("loss rate", unit))
    axes.set_ylabel(_metric_words(metric))
    _legend(figure, axes)
    return figure


@_styled
def goodput_against_delay(comparison: Comparison) -> Figure:
    """What each algorithm of a comparison gets, against how long its packets wait: up and to the left is better.

    Parameters
    ----------
    comparison : windlass.compare.Comparison
        One marker for each algorithm and point of the path, with the intervals of both numbers.
    """
    figure, axes = _figure()
    names = list(dict.fromkeys(one.algorithm for one in comparison.outcomes))
    settings = list(dict.fromkeys(tuple(one.axes.items()) for one in comparison.outcomes))
    for one in comparison.outcomes:
        colour, marker = look(one.algorithm.partition(":")[0])
        if ":" in one.algorithm:
            colour, marker = look(one.algorithm)
        delay, goodput = one.queue_delay_p95_s, one.goodput_bps
        axes.errorbar(
            [delay.mean * 1e3],
            [goodput.mean * 1e-6],
            xerr=[[_number(delay.half_width) * 1e3]] * 2,
            yerr=[[_number(goodput.half_width) * 1e-6]] * 2,
            color=colour,
            marker=marker,
            markerfacecolor="white" if settings.index(tuple(one.axes.items())) % 2 else colour,
            linestyle="",
            capsize=2.5,
            elinewidth=0.9,
            label=", ".join([one.algorithm, *(f"{_short(key)} {value}" for key, value in one.axes.items())]),
            zorder=3 + names.index(one.algorithm) / 100.0,
        )
    axes.set_xlim(0.0, 1.08 * axes.get_xlim()[1])
    axes.set_ylim(0.0, 1.08 * axes.get_ylim()[1])
    axes.set_xlabel("queueing delay not exceeded by 95 % of the segments (ms)")
    axes.set_ylabel("goodput per flow (Mbit/s)")
    _legend(figure, axes)
    return figure


@_styled
def cwnd_over_time(result: RunResult, flow: str, *, direction: str = "forward") -> Figure:
    """Congestion window of one flow: a step line, ssthresh dashed, and a marker for every change of window.

    The marker's shape tells what the sender did (cut on duplicate ACKs, timeout, cut on a mark, judged the loss
    random); its colour and filling tell what had truly happened: filled or half filled, the network had too much to
    carry (a full queue, an early drop, a policer, a mark); hollow, the channel lost a packet; hollow and grey, nothing
    was lost.

    Parameters
    ----------
    result : RunResult
        Of a run with ``traces = ["cwnd", "ssthresh"]`` and ``events = true``. Without ssthresh or events these are not
        drawn.
    flow : str
        Name of the flow.
    direction : {"forward", "reverse"}
        Which of its two senders.

    Raises
    ------
    UnknownFlow
        If there is no such flow.
    InputError
        If its window was not recorded.
    """
    known = list(dict.fromkeys(result.flows["flow"].to_pylist()))
    if flow not in known:
        raise UnknownFlow(f"no flow `{flow}`", hint="the flows are " + _some(known))
    subject = flow if direction == "forward" else f"{flow}:{direction}"
    cwnd = _trace(result, subject, "cwnd_segments")
    times, windows = cwnd
    if not times:
        raise InputError(
            f"the window of `{subject}` was not recorded",
            code="plot.no-trace",
            hint='write `traces = ["cwnd", "ssthresh"]` and `events = true` under [output]',
        )
    figure, axes = _figure()
    algorithm = (
        result.flows["algorithm"].to_pylist()[known.index(flow)] if len(known) == result.flows.num_rows else None
    )
    colour = look(algorithm).colour if algorithm else "black"
    axes.step(times, windows, where="post", color=colour, linewidth=0.9, label="cwnd", zorder=2)
    times, thresholds = _trace(result, subject, "ssthresh_segments")
    if times:
        axes.step(
            times, thresholds, where="post", color="0.45", linewidth=0.8, linestyle="--", label="ssthresh", zorder=1
        )
    _draw_events(axes, result, flow, direction, cwnd)
    # An ssthresh that was never set is far above every window and would flatten the curve.
    axes.set_ylim(0.0, 1.1 * max(windows))
    axes.set_xlabel("time (s)")
    axes.set_ylabel("window (segments)")
    _legend(figure, axes)
    return figure


@_styled
def rate_over_time(result: RunResult, flows: Sequence[str] | None = None) -> Figure:
    """Rates that flows may send at, one step line for each, TFRC beside TCP; below, the loss event rates, if any.

    The rate of a rate-controlled flow is what its receiver's reports allow. That of a TCP flow is a window per smoothed
    round trip. Both count payload. A flow has the colour of its algorithm; further flows of one algorithm have other
    dashes.

    Parameters
    ----------
    result : RunResult
        Of a run with ``traces = ["rate", "loss-event-rate"]``. Without the second there is no lower panel.
    flows : sequence of str, optional
        Names of the flows, ``NAME:reverse`` for the other sender of a two-way flow; all that were recorded if not
        given.

    Raises
    ------
    UnknownFlow
        If there is no such flow.
    InputError
        If no rate, or not the rate of a named flow, was recorded.
    """
    rows = zip(*(result.flows[column].to_pylist() for column in ("flow", "direction", "algorithm")), strict=True)
    known = {name if way == "forward" else f"{name}:{way}": algorithm for name, way, algorithm in rows}
    for name in flows or ():
        if name not in known:
            raise UnknownFlow(f"no flow `{name}`", hint="the flows are " + _some(list(known)))
    series = {name: _trace(result, name, "rate_bps") for name in (flows if flows is not None else known)}
    missing = [name for name, (times, _) in series.items() if not times]
    if len(missing) == len(series) or (flows is not None and missing):
        raise InputError(
            "no rate was recorded" if flows is None else f"the rate of `{missing[0]}` was not recorded",
            code="plot.no-trace",
            hint='write `traces = ["rate", "loss-event-rate"]` under [output]; UDP flows have none',
        )
    losses = {name: _trace(result, name, "loss_event_rate") for name in series}
    losses = {name: line for name, line in losses.items() if line[0]}
    figure, axes = _figure()
    below = None
    if losses:
        axes.remove()
        axes, below = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    dashes = {name: list(known.values())[: list(known).index(name)].count(known[name]) for name in series}
    for name, (times, rates) in series.items():
        if times:
            look_of: dict[str, Any] = {
                "color": look(known[name]).colour,
                "linestyle": _DASHES[dashes[name] % len(_DASHES)],
            }
            values = [rate / 1e6 for rate in rates]
            axes.step(times, values, where="post", linewidth=0.9, label=f"{name} ({known[name]})", **look_of)
            if below is not None and name in losses:
                below.step(
                    losses[name][0], [100.0 * p for p in losses[name][1]], where="post", linewidth=0.9, **look_of
                )
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("allowed rate (Mbit/s)")
    if below is not None:
        below.set_ylim(bottom=0.0)
        below.set_ylabel("loss event rate (%)")
    (below or axes).set_xlabel("time (s)")
    _legend(figure, axes)
    return figure


@_styled
def map_of_places(draw: Callable[[Axes], None]) -> Figure:
    """A map in metres, both axes to one scale, of what `draw` puts on it.

    Parameters
    ----------
    draw : callable
        Gets the axes.
    """
    figure, axes = _figure()
    draw(axes)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("east (m)")
    axes.set_ylabel("north (m)")
    _legend(figure, axes)
    return figure


@_styled
def save(figure: Figure, stem: str | Path, formats: Iterable[str] = FORMATS) -> list[Path]:
    """Write a figure; the same figure gives the same bytes each time.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to write.
    stem : str or Path
        Path without ending. With the ending of a known format, only that one is written.
    formats : iterable of str
        Some of :data:`FORMATS`.

    Returns
    -------
    list of Path
        The files, in the order of `formats`.

    Raises
    ------
    StoreError
        If a file cannot be written.
    """
    stem = Path(stem)
    if stem.suffix.lstrip(".") in FORMATS:
        stem, formats = stem.with_suffix(""), (stem.suffix.lstrip("."),)
    metadata: dict[str, dict[str, Any]] = {
        "pdf": {"Creator": "windlass", "Producer": None, "CreationDate": None},
        "svg": {"Creator": "windlass", "Date": None},
        "png": {"Software": "windlass"},
    }
    files = []
    for form in formats:
        file = stem.with_name(f"{stem.name}.{form}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(file, format=form, metadata=metadata[form])
        except OSError as error:
            raise StoreError(
                f"cannot write `{file}`: {error.strerror or error}",
                code="cli.output",
                hint="name another place with `-o`",
            ) from error
        files.append(file)
    return files


def _figure() -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, layout="constrained")
    return figure, figure.add_subplot()


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if not handles:
        return
    # What has no room in the height of the figure stands in further columns, and the figure grows for them.
    columns = min(math.ceil(len(labels) / _LEGEND_ROWS), _LEGEND_COLUMNS)
    rows = math.ceil(len(labels) / columns)
    width, height = figure.get_size_inches()
    widest = max(map(len, labels)) * _LETTER_IN + 0.5
    figure.set_size_inches(width + (columns - 1) * widest, height * max(1.0, rows / _LEGEND_ROWS))
    figure.legend(handles, labels, loc="outside right upper", fontsize=8, ncols=columns)


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
            [_number(row[f"{metric}_{part}"]) * scale for _, row in points] for part in ("mean", "lo", "hi")
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
            linestyle=_DASHES[setting % len(_DASHES)] if algorithms or len(points) > 1 else "",
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
            f"no swept key `{x}`", code="plot.no-axis", hint="the results sweep " + (_some(keys) or "nothing")
        )
    if f"{metric}_mean" not in names:
        known = [name.removesuffix("_lo") for name in names if name.endswith("_lo")]
        raise InputError(f"no number `{metric}`", code="plot.no-metric", hint="the results have " + _some(known))


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


def _draw_events(
    axes: Axes, result: RunResult, flow: str, direction: str, cwnd: tuple[Sequence[float], Sequence[float]]
) -> None:
    """Markers on the line of the window, where it stood just before each event."""
    from matplotlib.lines import Line2D

    kinds = {event.name: event for event in window_events() if event.label is not None}
    places: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for row in result.events.to_pylist():
        if row["flow"] == flow and row["direction"] == direction and row["kind"] in kinds:
            times, windows = places.setdefault((row["kind"], row["true_cause"]), ([], []))
            times.append(row["time_s"])
            windows.append(cwnd[1][max(0, bisect_left(cwnd[0], row["time_s"]) - 1)])
    looks = {cause.name: (CAUSE_LOOKS[cause.name], cause.label) for cause in loss_causes()}
    looks[not_lost()] = (NOT_LOST_LOOK, "nothing lost")
    looks[""] = (MARKED_LOOK, "")  # the path asked for it, and the marker says how
    for (kind, cause), (times, windows) in sorted(places.items()):
        style = _filling(looks[cause][0])
        axes.plot(times, windows, linestyle="", marker=EVENT_MARKERS[kind], zorder=4, **style)
    for kind, event in kinds.items():
        if any(kind == drawn for drawn, _ in places):
            marker = EVENT_MARKERS[kind]
            axes.add_line(
                Line2D([], [], linestyle="", marker=marker, color="0.3", markerfacecolor="0.8", label=event.label)
            )
    for cause, (cause_look, words) in looks.items():
        if words and any(cause == met for _, met in places):
            axes.add_line(Line2D([], [], linestyle="", marker="s", label=f"cause: {words}", **_filling(cause_look)))


def _filling(cause_look: CauseLook) -> dict[str, Any]:
    """Keywords of a line whose markers have this colour and filling."""
    colour, fill = cause_look
    face = "white" if fill == "none" else colour
    return {
        "color": colour,
        "markerfacecolor": face,
        "markerfacecoloralt": "white",
        "fillstyle": "full" if fill == "none" else fill,
        "markersize": 6.5,  # so that half a cross shows
    }


def _trace(result: RunResult, subject: str, variable: str) -> tuple[list[float], list[float]]:
    import pyarrow.compute as pc

    traces = result.traces
    wanted = pc.and_(pc.equal(traces["subject"], subject), pc.equal(traces["variable"], variable))
    rows = traces.filter(wanted).drop_null()
    return rows["time_s"].to_pylist(), rows["value"].to_pylist()


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _metric_unit(metric: str) -> tuple[float, str]:
    return _METRIC_UNITS.get(metric.rsplit("_", 1)[-1], (1.0, ""))


def _metric_words(metric: str) -> str:
    _, unit = _metric_unit(metric)
    name = metric.rsplit("_", 1)[0] if unit else metric
    return _words(name.replace("_", " "), unit)


def _words(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit else name


def _short(key: str) -> str:
    return ".".join(key.split(".")[-2:])


def _some(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
