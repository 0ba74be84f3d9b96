"""What is recorded over time: the windows that a figure draws, and throughput in bins."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any

from windlass.ledger import Check, Experiment

if TYPE_CHECKING:
    from windlass.sweep import RunResult

Line = list[tuple[float, float]]
Series = dict[tuple[str, str, tuple[Any, ...]], dict[int, Line]]
"""By series, variant and point, for each seed: seconds and values."""

RECORDED = {"cwnd": "cwnd_segments", "ssthresh": "ssthresh_segments"}
"""Metrics that are recorded where an experiment has them, and their variable in the table of traces."""

ESTIMATE = "bandwidth-estimate"
"""Metric of senders that set their threshold to what they think the path carries in the least round trip, Mbps."""

STEP = "250 ms"
"""Spacing of what is recorded; each cut of a window is there beside it, at its own time."""


GROWTH = "seqno"
"""Metric whose growth is recorded where an experiment has nothing else along its axis: bytes that have arrived."""

GROWTH_STEP = "10 s"


def recorded(experiment: Experiment) -> dict[str, Any]:
    """Keys of a scenario: the windows, or the growth of sequence numbers, that the experiment's figures draw."""
    if GROWTH in experiment.metrics and not experiment.axes:
        return {"output.traces": ["delivered"], "output.trace_step": GROWTH_STEP}
    names = [name for name in RECORDED if name in experiment.metrics]
    if names:
        return {"output.traces": names, "output.trace_step": STEP, "output.events": True}
    return {"output.events": True} if ESTIMATE in experiment.metrics else {}


def lines_of(result: RunResult, groups: tuple[str, ...] | None) -> dict[str, Line]:
    """What was recorded of the first flow of some groups (``None``: of all)."""
    if not result.traces.num_rows:
        return {}
    windows = _Windows(result)
    return {
        name: line
        for name, variable in RECORDED.items()
        for flow in _flows(result, groups)[:1]
        if (line := windows.line(flow, variable))
    }


def growth_of(result: RunResult, groups: tuple[str, ...] | None) -> Line:
    """Bytes that had arrived by each time, the mean of the flows of some groups (``None``: of all); empty if it was not
    recorded.
    """
    flows = set(_flows(result, groups))
    arrived: defaultdict[float, list[float]] = defaultdict(list)
    columns = [result.traces[name].to_pylist() for name in ("subject", "variable", "time_s", "value")]
    for subject, variable, at, value in zip(*columns, strict=True):
        if variable == "delivered_bytes" and subject in flows:
            arrived[at].append(value)
    return [(at, math.fsum(values) / len(flows)) for at, values in sorted(arrived.items())]


def window_metrics(result: RunResult, groups: tuple[str, ...] | None) -> dict[str, float]:
    """The highest window and the mean slow start threshold, segments, the share of the window that a loss left as
    threshold, and how many doublings a timeout's window is below the threshold that it left; means over the flows, none
    if not recorded.
    """
    if not result.traces.num_rows:
        return {}
    recorded = _Windows(result)
    flows = _flows(result, groups)
    windows = [line for flow in flows if (line := recorded.line(flow, RECORDED["cwnd"]))]
    thresholds = [line for flow in flows if (line := recorded.line(flow, RECORDED["ssthresh"]))]
    found = {}
    kept = [
        row["ssthresh_after_segments"] / row["cwnd_before_segments"]
        for flow in flows
        for row in recorded.cuts[flow]
        if row["kind"] != "recovery-exit"
    ]
    if windows and kept:
        found["kept-share"] = math.fsum(kept) / len(kept)
    rounds = [
        max(0.0, math.log2(row["ssthresh_after_segments"] / row["cwnd_after_segments"]))
        for flow in flows
        for row in recorded.timeouts(flow)
    ]
    if windows and rounds:
        found["slow-start-rounds"] = math.fsum(rounds) / len(rounds)
    if windows:
        found["cwnd-max"] = math.fsum(max(value for _, value in line) for line in windows) / len(windows)
    if thresholds:
        means = [_mean_over_time(line) for line in thresholds]
        found["ssthresh"] = math.fsum(means) / len(means)
    return found


def estimate_metrics(result: RunResult, groups: tuple[str, ...] | None, capacity_mbps: float) -> dict[str, float]:
    """The bandwidth that senders of Westwood's family found at their losses, Mbps, and its mean distance from what the
    links carry for the flow, as a share of that; means over losses, none without losses.

    It is read from the threshold that a loss leaves, which is the estimate times the least round trip.
    """
    flows = set(_flows(result, groups))
    least = dict(zip(result.flows["flow"].to_pylist(), result.flows["rtt_min_s"].to_pylist(), strict=True))
    sizes = dict(zip(result.flows["flow"].to_pylist(), _segment_bytes(result), strict=True))
    found = [
        8e-6 * row["ssthresh_after_segments"] * sizes[row["flow"]] / least[row["flow"]]
        for row in result.events.to_pylist()
        if row["flow"] in flows and row["kind"] != "recovery-exit" and least[row["flow"]]
    ]
    if not found:
        return {}
    apart = math.fsum(abs(one - capacity_mbps) for one in found) / len(found)
    return {ESTIMATE: math.fsum(found) / len(found), "relative-estimate-error": apart / capacity_mbps}


def _segment_bytes(result: RunResult) -> list[float]:
    """Mean payload of each flow's segments."""
    rows = zip(result.flows["sent_bytes"].to_pylist(), result.flows["sent_segments"].to_pylist(), strict=True)
    return [size / number if number else 0.0 for size, number in rows]


class _Windows:
    """What was recorded of the windows of a run, by flow."""

    def __init__(self, result: RunResult) -> None:
        self.cuts: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in result.events.to_pylist():
            self.cuts[row["flow"]].append(row)
        self._grids: defaultdict[tuple[str, str], Line] = defaultdict(list)
        columns = [result.traces[name].to_pylist() for name in ("subject", "variable", "time_s", "value")]
        for subject, variable, at, value in zip(*columns, strict=True):
            self._grids[subject, variable].append((at, value))

    def line(self, flow: str, variable: str) -> Line:
        """A series on its grid, and what each cut of the window left."""
        grid = self._grids.get((flow, variable))
        if not grid:
            return []
        found = list(grid)
        for cut in self.cuts[flow]:
            if variable == RECORDED["cwnd"]:
                found += [
                    (cut["time_s"], cut["cwnd_before_segments"]),
                    (cut["time_s"], cut["cwnd_after_segments"]),
                ]
            else:
                found.append((cut["time_s"], cut["ssthresh_after_segments"]))
        return sorted(found, key=lambda pair: pair[0])

    def timeouts(self, flow: str) -> list[dict[str, Any]]:
        """Cuts of the window by timeouts: those that are called so, and losses judged random without a recovery's
        end.
        """
        cuts, found = self.cuts[flow], []
        for row, then in zip_longest(cuts, cuts[1:]):
            recovered = then is not None and then["kind"] == "recovery-exit"
            if row["kind"] == "timeout" or (row["kind"] == "judged-random" and not recovered):
                found.append(row)
        return found


def _mean_over_time(line: Line) -> float:
    """Each value held until the next."""
    spans = [(after[0] - before[0], before[1]) for before, after in pairwise(line)]
    whole = math.fsum(span for span, _ in spans)
    return math.fsum(span * value for span, value in spans) / whole if whole > 0 else line[-1][1]


def _flows(result: RunResult, groups: tuple[str, ...] | None) -> list[str]:
    rows = zip(result.flows["flow"].to_pylist(), result.flows["group"].to_pylist(), strict=True)
    return [flow for flow, group in rows if groups is None or group in groups]


def bin_length(checks: Iterable[Check]) -> float | None:
    """Length of the bins in which a check looks at the throughput; none if no check does."""
    for check in checks:
        if check.kind == "trace" and check["signal"] == "throughput":
            return float(check["bin_s"])
    return None


def variants_in_bins(checks: Iterable[Check]) -> set[str]:
    """Variants of which such a check speaks."""
    wanted = [check["a"] for check in checks if check.kind == "trace" and check["signal"] == "throughput"]
    return {name for names in wanted for name in ([names] if isinstance(names, str) else names)}


def in_bins(delivered: Mapping[float, float], sending: tuple[float, float] = (0.0, math.inf)) -> Line:
    """Throughput between runs of growing length, Mbit/s at the middle of each bin that lies wholly between two times.

    A run is the beginning of every longer one with the same seed, so the difference of what two have delivered was
    delivered between their ends.
    """
    ends = sorted(delivered)
    line = []
    for start, end in pairwise([0.0, *ends]):
        got = delivered[end] - (delivered[start] if start else 0.0)
        if sending[0] <= start and end <= sending[1]:
            line.append(((start + end) / 2, 8 * got / (end - start) / 1e6))
    return line


def sending_of(result: RunResult, groups: tuple[str, ...] | None) -> tuple[float, float]:
    """When the last flow of some groups (``None``: of all) starts and the first one stops, seconds."""
    flows = set(_flows(result, groups))
    columns = [result.flows[name].to_pylist() for name in ("flow", "start_s", "stop_s")]
    own = [(start, stop) for flow, start, stop in zip(*columns, strict=True) if flow in flows]
    starts = [start for start, _ in own]
    return max(starts, default=0.0), min((stop for _, stop in own if stop is not None), default=math.inf)
