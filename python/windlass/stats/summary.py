"""A table of flows reduced to a row for each point and group."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from windlass.interval import Interval
from windlass.names import loss_causes
from windlass.stats.fairness import competes, fairness, numbers
from windlass.stats.intervals import Floats, finite
from windlass.stats.seeds import count_over_seeds, jain_over_seeds, over_seeds, share_over_seeds

if TYPE_CHECKING:
    import pyarrow as pa

SUMMARY: tuple[tuple[str, str, str], ...] = (
    ("goodput_bps", "mean", "goodput_bps"),
    ("goodput_run_bps", "sum", "goodput_total_bps"),
    ("goodput_bps", "jain", "jain"),
    ("throughput_bps", "mean", "throughput_bps"),
    ("retransmitted_segments", "mean", "retransmitted_segments"),
    ("timeouts", "mean", "timeouts"),
    *((cause.column, "mean", cause.column) for cause in loss_causes()),
    ("srtt_mean_s", "mean", "srtt_mean_s"),
    ("completion_s", "mean", "completion_s"),
    ("completion_s", "median", "completion_median_s"),
    ("completion_s", "p95", "completion_p95_s"),
    ("completion_s", "unfinished", "unfinished"),
)
"""Rows of a summary: column of ``flows``, how a run's flows are reduced to one number, name of the result.

The sum is of goodputs over the same time, the run without the warm-up: rates over each flow's own time may together
exceed what the links carry. Completion times are those of the transfers that ended, ``unfinished`` is the share of the
others among all transfers of given size.
"""


def summarise(
    flows: pa.Table, axes: Sequence[str], metrics: Iterable[str] | None = None, *, confidence: float = 0.95
) -> pa.Table:
    """Mean and interval over seeds for each point and group of flows.

    Parameters
    ----------
    flows : pyarrow.Table
        Of a sweep, with ``seed`` and the axes' columns.
    axes : sequence of str
        Swept keys.
    metrics : iterable of str, optional
        Columns of `flows` to average over the flows of a run; without it, every row of :data:`SUMMARY`.
    confidence : float
        Of the intervals.

    Returns
    -------
    pyarrow.Table
        One row per point, group and direction, in the order of the runs: the axes, ``group``, ``direction``,
        ``algorithm``, ``flows`` (in the group), and ``NAME_mean``, ``NAME_lo``, ``NAME_hi``, ``NAME_n`` for each
        number. Jain's index is over the flows of a run in that direction that compete, see :func:`competes`, of every
        group, and null for groups of others. Whole numbers have the interval of counts, ``unfinished`` that of shares,
        Jain's index its own, everything else that of means (:mod:`windlass.stats.seeds`). Ends are null with fewer than
        two seeds, and where all seeds gave the same: nothing was seen of how they spread,
        or that events are random at all.
    """
    import pyarrow as pa

    if metrics is None:
        # results of an older version lack some columns
        there = set(flows.column_names)
        rows = tuple(row for row in SUMMARY if {row[0], *_NEEDS.get(row[1], ())} <= there)
    else:
        rows = tuple((name, "mean", name) for name in metrics)
    by = [*axes, "group", "direction", "algorithm"]
    counted = {column for column, _, _ in rows if pa.types.is_integer(flows.schema.field(column).type)}
    columns = {_key(column, reduce): _prepared(flows, column, reduce) for column, reduce, _ in rows}
    # Rows of each run and group, in the order of their first row: grouping itself promises no order.
    numbered = flows.select([*by, "seed"]).append_column("row", pa.array(np.arange(flows.num_rows)))
    grouped = numbered.group_by([*by, "seed"], use_threads=False).aggregate([("row", "list")]).to_pylist()
    grouped.sort(key=lambda found: min(found["row_list"]))
    places: dict[tuple[object, ...], dict[int, list[int]]] = {}
    # All flows of a run in one direction, whatever their group: fairness is between groups too.
    neighbours: dict[tuple[object, ...], list[int]] = {}
    shared = [*axes, "direction", "seed"]
    for found in grouped:
        places.setdefault(tuple(found[name] for name in by), {})[found["seed"]] = found["row_list"]
        neighbours.setdefault(tuple(found[name] for name in shared), []).extend(found["row_list"])

    telling = [numbers(flows, name) for name in _TELLING if name in flows.column_names]
    out: dict[str, list[object]] = {name: [] for name in (*by, "flows")}
    for key, runs in places.items():
        for name, part in zip(by, key, strict=True):
            out[name].append(part)
        out["flows"].append(max(len(indices) for indices in runs.values()))
        first, *others = runs.values()
        fixed = bool(telling) and all(
            np.array_equal(column[first], column[own], equal_nan=True) for own in others for column in telling
        )
        for column, reduce, name in rows:
            taken = columns[_key(column, reduce)]
            if reduce == "jain":
                place = dict(zip(by, key, strict=True))
                everyone = {seed: neighbours[tuple((place | {"seed": seed})[part] for part in shared)] for seed in runs}
                values = [
                    fairness(taken[everyone[seed]]) if np.isfinite(taken[own]).any() else math.nan
                    for seed, own in runs.items()
                ]
                sharing = max(int(np.isfinite(taken[all_of_them]).sum()) for all_of_them in everyone.values())
                interval = jain_over_seeds(values, sharing, confidence)
            else:
                per_run = [finite(taken[own]) for own in runs.values()]
                interval = _over_runs(per_run, reduce, column if column in counted else "", confidence)
            ends = (interval.lo, interval.hi) if interval.known and not fixed else (math.nan, math.nan)
            out.setdefault(f"{name}_mean", []).append(_null(interval.mean))
            out.setdefault(f"{name}_lo", []).append(_null(ends[0]))
            out.setdefault(f"{name}_hi", []).append(_null(ends[1]))
            out.setdefault(f"{name}_n", []).append(interval.n)
    known = {name: flows.schema.field(name) for name in by} | {"flows": pa.field("flows", pa.int64())}
    fields = [known.get(name) or pa.field(name, pa.int64() if name.endswith("_n") else pa.float64()) for name in out]
    return pa.table(out, schema=pa.schema(fields))


_TELLING = ("goodput_bps", "srtt_mean_s", "sent_segments")
"""Columns that differ between seeds if anything does."""

_NEEDS = {"jain": ("transport", "size_bytes"), "unfinished": ("size_bytes",)}
"""Columns that a way to reduce another one needs beside it."""


def _key(column: str, how: str) -> str:
    """What a prepared column is kept under: most ways to reduce one take it as it is."""
    return f"{column} for {how}" if how in _NEEDS else column


def _prepared(flows: pa.Table, column: str, how: str) -> Floats:
    """A column as `how` reduces it; NaN for flows that do not count."""
    values = numbers(flows, column)
    if how == "jain":
        return np.where(competes(flows), values, math.nan)
    if how == "unfinished":
        return np.where(np.isnan(numbers(flows, "size_bytes")), math.nan, np.isnan(values))
    return values


_REDUCTIONS: dict[str, Callable[[Floats], Any]] = {
    "mean": np.mean,
    "sum": np.sum,
    "median": np.median,
    "p95": lambda values: np.quantile(values, 0.95),
}


RARE = ("timeouts",)
"""Counts whose events come singly, see :func:`windlass.stats.count_over_seeds`."""


def _over_runs(runs: Sequence[Floats], how: str, counted: str, confidence: float) -> Interval:
    """Flows of each run, reduced to a number, and these to their mean; `counted` is the column of whole numbers."""
    if how == "unfinished":
        return share_over_seeds([one.sum() for one in runs], [len(one) for one in runs], confidence)
    if how == "mean" and counted:
        flows = [len(one) for one in runs]
        return count_over_seeds([one.sum() for one in runs], flows, confidence, rare=counted in RARE)
    return over_seeds([float(_REDUCTIONS[how](one)) if len(one) else math.nan for one in runs], confidence)


def _null(value: float) -> float | None:
    return None if math.isnan(value) else value
