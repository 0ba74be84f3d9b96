"""Figures of one run over time: windows, rates, throughput, queues and round trips."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError
from windlass.names import loss_causes, not_lost, window_events
from windlass.palette import CAUSE_LOOKS, EVENT_MARKERS, MARKED_LOOK, NOT_LOST_LOOK, CauseLook, nth
from windlass.plots.flows import (
    Course,
    Line,
    along_time,
    draw_lines,
    guide_line,
    label_of,
    looks_of,
    recorded,
    seed_of,
)
from windlass.plots.style import add_legend, bare_figure, filling, from_zero, new_figure, some, styled, trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windlass.palette import Look
    from windlass.sweep import RunResult


@styled
def cwnd_over_time(
    result: RunResult,
    flows: str | Sequence[str] | None = None,
    *,
    direction: str = "forward",
    bdp_packets: float | Course | None = None,
) -> Figure:
    """Congestion windows: of one flow a step line, ssthresh dashed, and a marker for every change of window.

    The marker's shape tells what the sender did (cut on duplicate ACKs, timeout, cut on a mark, judged the loss
    random); its colour and filling tell what had truly happened: filled or half filled, the network had too much to
    carry (a full queue, an early drop, a policer, a mark); hollow, the channel lost a packet; hollow and grey, nothing
    was lost. Of several flows the windows alone are drawn.

    Parameters
    ----------
    result : RunResult
        Of a run with ``traces = ["cwnd", "ssthresh"]`` and ``events = true``. Without ssthresh or events these are not
        drawn.
    flows : str or sequence of str, optional
        Names of flows, ``NAME:reverse`` for the other sender of a two-way flow; by default all, at most 12.
    direction : {"forward", "reverse"}
        Which of the senders, where one flow is named without.
    bdp_packets : float or sequence of (float, float), optional
        Bandwidth-delay product of the path, drawn as a line; of a path that changes, the seconds since when it is so
        much, and how much, drawn as steps.

    Raises
    ------
    UnknownFlow
        If there is no such flow.
    InputError
        If no window, or not that of a named flow, was recorded.
    """
    figure, axes = new_figure()
    if isinstance(flows, str):
        flows = [flows if direction == "forward" else f"{flows}:{direction}"]
    shown = draw_cwnd(axes, result, flows, bdp_packets)
    along_time(axes)
    add_legend(figure, axes, title=seed_of(result, shown))
    return figure


def draw_cwnd(
    axes: Axes,
    result: RunResult,
    flows: Sequence[str] | None,
    bdp_packets: float | Course | None,
    *,
    events: bool = True,
    look: Mapping[str, Look] | None = None,
) -> int:
    """Windows in a panel; how many."""
    hint = 'write `traces = ["cwnd", "ssthresh"]` and `events = true` under [output]; flows without a window have none'
    lines = recorded(result, flows, "cwnd_segments", "no window {}was recorded", hint)
    names = list(lines)
    look, labels = look or looks_of(result, names), {name: label_of(result, name) for name in names}
    highest = max(max(values) for _, values in lines.values())
    if len(names) == 1 and events:
        (name,) = names
        times, windows = lines[name]
        axes.step(times, windows, where="post", color=look[name].colour, linewidth=0.9, label=labels[name], zorder=2)
        times, thresholds = trace(result, name, "ssthresh_segments")
        if times:
            axes.step(
                times, thresholds, where="post", color="0.45", linewidth=0.8, linestyle="--", label="ssthresh", zorder=1
            )
        _draw_events(axes, result, name, lines[name])
    else:
        draw_lines(axes, lines, look, labels)
    # An ssthresh that was never set is far above every window and would flatten the curve.
    from_zero(axes, 1.1 * highest)
    if bdp_packets is not None:
        guide_line(axes, bdp_packets, "BDP", "segments")
    axes.set_ylabel("window (segments)")
    return len(names)


@styled
def rate_over_time(
    result: RunResult, flows: Sequence[str] | None = None, *, capacity_bps: float | Course | None = None
) -> Figure:
    """Rates that flows may send at, one step line for each, TFRC beside TCP; below, the loss event rates, if any.

    The rate of a rate-controlled flow is what its receiver's reports allow. That of a TCP flow is a window per smoothed
    round trip. Both count payload.

    Parameters
    ----------
    result : RunResult
        Of a run with ``traces = ["rate", "loss-event-rate"]``. Without the second there is no lower panel.
    flows : sequence of str, optional
        Names of the flows, ``NAME:reverse`` for the other sender of a two-way flow; by default all that were recorded,
        at most 12.
    capacity_bps : float or sequence of (float, float), optional
        Payload that the links carry of all flows together, drawn as a line or as steps.

    Raises
    ------
    UnknownFlow
        If there is no such flow.
    InputError
        If no rate, or not the rate of a named flow, was recorded.
    """
    hint = 'write `traces = ["rate", "loss-event-rate"]` under [output]; UDP flows have none'
    lines = recorded(result, flows, "rate_bps", "no rate {}was recorded", hint)
    losses = {name: line for name in lines if (line := trace(result, name, "loss_event_rate"))[0]}
    look, labels = looks_of(result, list(lines)), {name: label_of(result, name) for name in lines}
    below = None
    if losses:
        figure = bare_figure(1.3)
        axes, below = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
        draw_lines(below, losses, look, labels, 100.0)
        from_zero(below)
        below.set_ylabel("loss event rate (%)")
    else:
        figure, axes = new_figure()
    draw_lines(axes, lines, look, labels, 1e-6)
    from_zero(axes)
    if capacity_bps is not None:
        guide_line(axes, capacity_bps, "capacity", "Mbit/s", 1e-6)
    axes.set_ylabel("allowed rate (Mbit/s)")
    along_time(below or axes)
    add_legend(figure, axes, title=seed_of(result, len(lines)))
    return figure


@styled
def throughput_over_time(
    result: RunResult,
    flows: Sequence[str] | None = None,
    *,
    bin_s: float | None = None,
    until_s: float | None = None,
    capacity_bps: float | Course | None = None,
) -> Figure:
    """Payload that arrived, each byte once, per bin of time: a step line for each flow.

    Parameters
    ----------
    result : RunResult
        Of a run with ``traces = ["delivered"]``.
    flows : sequence of str, optional
        Names of flows; by default all, at most 12.
    bin_s, until_s : float, optional
        As in :func:`windlass.stats.throughput`, which has the numbers.
    capacity_bps : float or sequence of (float, float), optional
        Payload that the links carry of all flows together, drawn as a line or as steps.

    Raises
    ------
    UnknownFlow
        If there is no such flow.
    InputError
        If no arrival, or not that of a named flow, was recorded.
    """
    figure, axes = new_figure()
    shown = draw_throughput(axes, result, flows, bin_s, until_s, capacity_bps)
    along_time(axes)
    add_legend(figure, axes, title=seed_of(result, shown))
    return figure


def draw_throughput(
    axes: Axes,
    result: RunResult,
    flows: Sequence[str] | None,
    bin_s: float | None,
    until_s: float | None,
    capacity_bps: float | Course | None,
    *,
    look: Mapping[str, Look] | None = None,
) -> int:
    """Throughput in a panel; of how many flows."""
    import pyarrow.compute as pc

    from windlass import stats

    hint = 'write `traces = ["delivered"]` under [output], and make the run long enough for data to arrive'
    names = list(recorded(result, flows, "delivered_bytes", "no arrival {}was recorded", hint))
    table = stats.throughput(result, names, bin_s=bin_s, until_s=until_s)
    lines: dict[str, Line] = {}
    for name in names:
        own = table.filter(pc.equal(table["flow"], name))
        begins, lengths, rates = (own[column].to_pylist() for column in ("time_s", "bin_s", "throughput_bps"))
        lines[name] = [*begins, begins[-1] + lengths[-1]], [*rates, rates[-1]]
    labels = {name: label_of(result, name) for name in names}
    draw_lines(axes, lines, look or looks_of(result, names), labels, 1e-6)
    from_zero(axes, max(axes.get_ylim()[1], 1e-6))
    if capacity_bps is not None:
        guide_line(axes, capacity_bps, "capacity", "Mbit/s", 1e-6)
    length = table["bin_s"][0].as_py()
    bins = f"{length:g} s" if length >= 1.0 else f"{length * 1e3:g} ms"
    axes.set_ylabel(f"throughput (Mbit/s),\nbins of {bins}")
    return len(names)


@styled
def rtt_over_time(
    result: RunResult, flows: Sequence[str] | None = None, *, base_rtt_s: float | Course | None = None
) -> Figure:
    """Smoothed round-trip times as senders measure them, a step line for each flow.

    Parameters
    ----------
    result : RunResult
        Of a run with ``traces = ["srtt"]``.
    flows : sequence of str, optional
        Names of flows; by default all that have one, at most 12.
    base_rtt_s : float or sequence of (float, float), optional
        Propagation there and back, drawn as a line or as steps.

    Raises
    ------
    UnknownFlow
        If there is no such flow.
    InputError
        If no RTT, or not that of a named flow, was recorded.
    """
    figure, axes = new_figure()
    shown = draw_rtt(axes, result, flows, base_rtt_s)
    along_time(axes)
    add_legend(figure, axes, title=seed_of(result, shown))
    return figure


def draw_rtt(
    axes: Axes,
    result: RunResult,
    flows: Sequence[str] | None,
    base_rtt_s: float | Course | None,
    *,
    look: Mapping[str, Look] | None = None,
) -> int:
    """Round trips in a panel; of how many flows."""
    hint = 'write `traces = ["srtt"]` under [output]; UDP flows measure none'
    lines = recorded(result, flows, "srtt_s", "no RTT {}was recorded", hint)
    # before its first sample a sender has none
    lines = {name: _above_zero(line) for name, line in lines.items()}
    labels = {name: label_of(result, name) for name in lines}
    draw_lines(axes, lines, look or looks_of(result, list(lines)), labels, 1e3)
    from_zero(axes, 1.05 * axes.get_ylim()[1])
    if base_rtt_s is not None:
        guide_line(axes, base_rtt_s, "propagation there and back", "", 1e3)
    axes.set_ylabel("smoothed RTT (ms)")
    return len(lines)


def _above_zero(line: Line) -> Line:
    kept = [(at, value) for at, value in zip(*line, strict=True) if value > 0.0]
    return [at for at, _ in kept], [value for _, value in kept]


@styled
def queue_over_time(result: RunResult, links: Sequence[str] | None = None) -> Figure:
    """Packets that wait at links or stations, a step line for each.

    Parameters
    ----------
    result : RunResult
        Of a run with ``traces = ["queue"]``.
    links : sequence of str, optional
        Names of links, ``NAME:reverse`` for the other direction; by default at most six, those at least a
        quarter as long as the longest.

    Raises
    ------
    InputError
        If no queue was recorded, or there is no such link.
    """
    figure, axes = new_figure()
    draw_queue(axes, result, links)
    along_time(axes)
    add_legend(figure, axes, title=seed_of(result))
    return figure


_MOST_QUEUES = 6
_LONG = 0.25  # of the longest queue: shorter ones are not drawn unless named


def draw_queue(axes: Axes, result: RunResult, links: Sequence[str] | None) -> int:
    """Queues in a panel; how many."""
    import pyarrow.compute as pc

    rows = result.traces.filter(pc.equal(result.traces["variable"], "queue_packets"))
    known = list(dict.fromkeys(rows["subject"].to_pylist()))
    if not known:
        raise InputError(
            "no queue was recorded", code="plot.no-trace", hint='write `traces = ["queue"]` under [output]'
        )
    for name in links or ():
        if name not in known:
            raise InputError(f"no queue `{name}`", code="plot.no-trace", hint="there are " + some(known))
    lines = {name: trace(result, name, "queue_packets") for name in (links if links is not None else known)}
    if links is None:
        highest = {name: max(values) for name, (_, values) in lines.items()}
        longest = sorted(lines, key=lambda name: -highest[name])[:_MOST_QUEUES]
        shown = [name for name in longest if highest[name] >= _LONG * highest[longest[0]]]
        lines = {name: line for name, line in lines.items() if name in shown}
    look = {name: nth(at) for at, name in enumerate(lines)}
    draw_lines(axes, lines, look, {name: name.replace(":reverse", ", reverse") for name in lines})
    from_zero(axes, max(1.0, 1.03 * axes.get_ylim()[1]))
    axes.set_ylabel("queue (packets)")
    return len(lines)


def _draw_events(axes: Axes, result: RunResult, name: str, cwnd: Line) -> None:
    """Markers on the line of the window, where it stood just before each event."""
    from matplotlib.lines import Line2D

    flow, direction = (name.removesuffix(":reverse"), "reverse") if name.endswith(":reverse") else (name, "forward")

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
        axes.plot(times, windows, linestyle="", marker=EVENT_MARKERS[kind], zorder=4, clip_on=False, **style)
    for kind, event in kinds.items():
        if any(kind == drawn for drawn, _ in places):
            marker = EVENT_MARKERS[kind]
            axes.add_line(
                Line2D(
                    [],
                    [],
                    linestyle="",
                    marker=marker,
                    markeredgecolor="0.3",
                    markeredgewidth=1.0,
                    markerfacecolor="0.8",
                    label=event.label,
                )
            )
    for cause, (cause_look, words) in looks.items():
        if words and any(cause == met for _, met in places):
            axes.add_line(Line2D([], [], linestyle="", marker="s", label=f"cause: {words}", **_filling(cause_look)))


def _filling(cause_look: CauseLook) -> dict[str, Any]:
    """Keywords of a line whose markers have this colour and filling."""
    colour, fill = cause_look
    return filling(colour, fill) | {"color": colour, "markersize": 6.5}  # so that half a cross shows
