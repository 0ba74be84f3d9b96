"""The ledger's metrics from the flows of a run, and tables of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from windlass import stats, verdicts
from windlass.ledger import Experiment
from windlass.names import loss_causes
from windlass.verdicts import Data

if TYPE_CHECKING:
    import pyarrow as pa

Values = dict[tuple[str, str, tuple[Any, ...]], dict[int, float]]


def metrics(flows: pa.Table, groups: tuple[str, ...] | None) -> dict[str, float]:
    """Metrics of the ledger from the flows of one run: means over flows, sums for counts.

    A flow's throughput is over its own active time; the total is over the run without the warm-up, one time for all
    flows, so that it is no more than the links carry. ``delay`` is in ms. A phase is as long as the mean time between
    two cuts of the window, start and end of the flow taken for cuts.
    """
    of = flows["group"].to_pylist()
    chosen = [index for index, group in enumerate(of) if groups is None or group in groups]

    def values_of(name: str) -> list[float | None]:
        values: list[float | None] = flows[name].to_pylist()
        return values if len(chosen) == len(of) else [values[index] for index in chosen]

    columns = {name: [value for value in values_of(name) if value is not None] for name in _COLUMNS}
    column = columns.__getitem__
    totals = {name: math.fsum(values) for name, values in columns.items()}
    total = totals.__getitem__

    def average(name: str) -> float | None:
        values = column(name)
        return math.fsum(values) / len(values) if values else None

    goodput = [value / 1e6 for value in column("goodput_bps")]
    competing = stats.competes(flows)
    sharing = [value for value, index in zip(values_of("goodput_bps"), chosen, strict=True) if competing[index]]
    # Segments that arrived and were new.
    delivered = total("received_segments") - total("duplicate_segments")
    windows = column("cwnd_mean_segments")
    found: dict[str, float | None] = {
        "throughput": math.fsum(goodput) / len(goodput) if goodput else None,
        "throughput-total": total("goodput_run_bps") / 1e6,
        "goodput": math.fsum(goodput) / len(goodput) if goodput else None,
        "fairness": _known(stats.fairness([value for value in sharing if value is not None])),
        "timeouts": total("timeouts"),
        "rtt": average("srtt_mean_s"),
        "delay": _times(1e3, average("owd_mean_s")),
        "completion": average("completion_s"),
        "cwnd": average("cwnd_mean_segments"),
        "cwnd-mean": average("cwnd_mean_segments"),
        "cwnd-spread": _deviation(windows),
        "cwnd-phase-length": average("active_s")
        and total("active_s") / (total("window_cuts") + len(column("active_s"))),
        "seqno": average("delivered_bytes"),
        "window-cuts": total("window_cuts"),
        "retransmitted-segments": total("retransmitted_segments"),
        "judged-random": total("judged_random"),
        "judged-congestion": sum(total(name) for name in _JUDGED_CONGESTION),
    }
    lost = math.fsum(total(cause.column) for cause in loss_causes())
    found["dropped-packets"] = lost
    if total("sent_segments") > 0:
        found["drop-rate-per-packet"] = lost / total("sent_segments")
    if delivered > 0:
        found["drops"] = lost / delivered
        # what the network dropped because it had too much to carry
        found["queue-drops"] = math.fsum(total(cause.column) for cause in loss_causes() if cause.congestion) / delivered
        found["retransmissions"] = total("retransmitted_segments") / delivered
    return {name: float(value) for name, value in found.items() if value is not None}


_JUDGED_CONGESTION = ("congestion_judged_congestion", "random_judged_congestion")

METRICS = (
    "throughput",
    "throughput-total",
    "goodput",
    "fairness",
    "timeouts",
    "rtt",
    "delay",
    "completion",
    "cwnd",
    "cwnd-mean",
    "cwnd-spread",
    "cwnd-phase-length",
    "seqno",
    "window-cuts",
    "retransmitted-segments",
    "judged-random",
    "judged-congestion",
    "dropped-packets",
    "drop-rate-per-packet",
    "drops",
    "queue-drops",
    "retransmissions",
    "kept-share",
    "cwnd-max",
    "ssthresh",
    "slow-start-rounds",
    "bandwidth-estimate",
    "relative-estimate-error",
)
"""Everything that is measured of a run."""

_COLUMNS = (
    "active_s",
    "window_cuts",
    "judged_random",
    *_JUDGED_CONGESTION,
    "goodput_bps",
    "goodput_run_bps",
    "sent_segments",
    "received_segments",
    "duplicate_segments",
    "timeouts",
    "srtt_mean_s",
    "owd_mean_s",
    "completion_s",
    "cwnd_mean_segments",
    "delivered_bytes",
    "retransmitted_segments",
    *(cause.column for cause in loss_causes()),
)


def _times(factor: float, value: float | None) -> float | None:
    return None if value is None else factor * value


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _deviation(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    middle = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def headline_metric(data: Data) -> tuple[str, str]:
    """The metric that tables and figure show, with its unit."""
    if "throughput" in data.metrics:
        return "throughput", "Mbps"
    return min(data.metrics), ""


def shown_variants(experiment: Experiment, data: Data) -> list[str]:
    """Variants in the order of the paper; the flows of a fixed mix one by one."""
    single = [name for name in data.variants if "#" in name]
    return single or [name for name in experiment.variants if name in data.variants]


def summary_rows(reading: str, experiment: Experiment, data: Data) -> list[dict[str, Any]]:
    """Mean and interval of every metric, variant and point."""
    rows = []
    for metric in sorted(data.metrics):
        for variant in data.variants:
            for point in data.points:
                samples = data.get(metric, variant, [point])
                if not samples:
                    continue
                found = verdicts.mean(samples)
                ends = (found.lo, found.hi) if math.isfinite(found.half_width) else (None, None)
                rows.append(
                    {
                        "experiment": experiment.id,
                        "reading": reading,
                        "variant": variant,
                        **dict(zip(data.axes, point, strict=True)),
                        "metric": metric,
                        "mean": found.mean,
                        "lo": ends[0],
                        "hi": ends[1],
                        "n": found.n,
                    }
                )
    return rows
