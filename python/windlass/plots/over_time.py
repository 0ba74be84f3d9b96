"""Figures of one run over time: the window of a flow, rates of flows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError, UnknownFlow
from windlass.names import loss_causes, not_lost, window_events
from windlass.palette import CAUSE_LOOKS, EVENT_MARKERS, MARKED_LOOK, NOT_LOST_LOOK, CauseLook, look
from windlass.plots.style import DASHES, add_legend, new_figure, some, styled, trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windlass.sweep import RunResult


@styled
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
        raise UnknownFlow(f"no flow `{flow}`", hint="the flows are " + some(known))
    subject = flow if direction == "forward" else f"{flow}:{direction}"
    cwnd = trace(result, subject, "cwnd_segments")
    times, windows = cwnd
    if not times:
        raise InputError(
            f"the window of `{subject}` was not recorded",
            code="plot.no-trace",
            hint='write `traces = ["cwnd", "ssthresh"]` and `events = true` under [output]',
        )
    figure, axes = new_figure()
    algorithm = (
        result.flows["algorithm"].to_pylist()[known.index(flow)] if len(known) == result.flows.num_rows else None
    )
    colour = look(algorithm).colour if algorithm else "black"
    axes.step(times, windows, where="post", color=colour, linewidth=0.9, label="cwnd", zorder=2)
    times, thresholds = trace(result, subject, "ssthresh_segments")
    if times:
        axes.step(
            times, thresholds, where="post", color="0.45", linewidth=0.8, linestyle="--", label="ssthresh", zorder=1
        )
    _draw_events(axes, result, flow, direction, cwnd)
    # An ssthresh that was never set is far above every window and would flatten the curve.
    axes.set_ylim(0.0, 1.1 * max(windows))
    axes.set_xlabel("time (s)")
    axes.set_ylabel("window (segments)")
    add_legend(figure, axes)
    return figure


@styled
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
            raise UnknownFlow(f"no flow `{name}`", hint="the flows are " + some(list(known)))
    series = {name: trace(result, name, "rate_bps") for name in (flows if flows is not None else known)}
    missing = [name for name, (times, _) in series.items() if not times]
    if len(missing) == len(series) or (flows is not None and missing):
        raise InputError(
            "no rate was recorded" if flows is None else f"the rate of `{missing[0]}` was not recorded",
            code="plot.no-trace",
            hint='write `traces = ["rate", "loss-event-rate"]` under [output]; UDP flows have none',
        )
    losses = {name: trace(result, name, "loss_event_rate") for name in series}
    losses = {name: line for name, line in losses.items() if line[0]}
    figure, axes = new_figure()
    below = None
    if losses:
        axes.remove()
        axes, below = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    dashes = {name: list(known.values())[: list(known).index(name)].count(known[name]) for name in series}
    for name, (times, rates) in series.items():
        if times:
            look_of: dict[str, Any] = {
                "color": look(known[name]).colour,
                "linestyle": DASHES[dashes[name] % len(DASHES)],
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
    add_legend(figure, axes)
    return figure


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
