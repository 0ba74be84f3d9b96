"""What is shown of a run and of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.names import loss_causes, transports
from windlass.views.grid import ALGORITHM, Column, Grid, View, axis_columns, fixed, with_interval

if TYPE_CHECKING:
    from windlass.sweep import RunResult, SweepResult

__all__ = ["MOST_ROWS", "of_run", "of_sweep"]

MOST_ROWS = 40
"""Rows of the table of a run; all of them are in its tables."""

GROUP_SUM = "sum of group"
"""What the goodputs of a group's flows are together."""


def of_run(result: RunResult, title: str | None = None) -> View:
    """Flows and stations of a run."""
    from windlass.cautions import cautions_of

    rows = result.flows.to_pylist()
    parts: list[Grid | str] = [_flows(rows)]
    if len(rows) > MOST_ROWS:
        parts.append(f"and {len(rows) - MOST_ROWS} more flows; --json or --out DIR gives all")
    part_of_another = {transport.name for transport in transports() if transport.part}
    parts += _sums([row for row in rows if row["transport"] not in part_of_another])
    parts += _completions(rows)
    stations = result.stations.to_pylist()
    if stations:
        parts.append(_stations(stations))
        if len(stations) > MOST_ROWS:
            parts.append(f"and {len(stations) - MOST_ROWS} more stations; --json or --out DIR gives all")
    return View(title or _named(result), cautions=cautions_of([result]), parts=parts)


def _named(result: RunResult) -> str:
    return ", ".join(["run", f"seed {result.seed}", *(f"{axis} = {value}" for axis, value in result.axes.items())])


def _flows(rows: Sequence[Mapping[str, Any]]) -> Grid:
    """The columns that apply to these flows: sizes and times of transfers, and a column for each cause of loss met."""
    both = len({row["direction"] for row in rows}) > 1
    sized = any(row["size_bytes"] is not None for row in rows)
    causes = [cause for cause in loss_causes() if any(row[cause.column] for row in rows)]
    columns = [Column("flow", right=False), Column("algorithm", right=False, kind=ALGORITHM)]
    columns += [Column("size", "kB"), Column("FCT", "s")] if sized else []
    columns += [Column("goodput", "Mbit/s"), Column("retransmitted"), Column("timeouts")]
    columns += [Column(cause.label) for cause in causes] or [Column("lost")]
    columns.append(Column("srtt", "ms"))
    lines = []
    for row in rows[:MOST_ROWS]:
        line = {"flow": row["flow"] + (f" ({row['direction']})" if both else ""), "algorithm": row["algorithm"]}
        if sized:
            line["size"] = fixed(row["size_bytes"], 1e-3, 1)
            line["FCT"] = fixed(row["completion_s"], 1.0, 3)
            if row["size_bytes"] is not None and row["completion_s"] is None:
                line["FCT"] = "unfinished"
        line["goodput"] = fixed(row["goodput_bps"], 1e-6, 3)
        line["retransmitted"] = row["retransmitted_segments"]
        line["timeouts"] = row["timeouts"]
        line |= {cause.label: row[cause.column] for cause in causes} or {"lost": 0}
        line["srtt"] = fixed(row["srtt_mean_s"], 1e3, 1)
        lines.append([line[column.name] for column in columns])
    return Grid(columns, lines)


def _sums(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Goodput of each group, where there are several, and of all flows."""
    both = len({row["direction"] for row in rows}) > 1
    groups: dict[str, float] = {}
    for row in rows:
        name = row["group"] + (f" ({row['direction']})" if both else "")
        groups[name] = groups.get(name, 0.0) + (row["goodput_run_bps"] or 0.0)
    sums = [f"{name} {total * 1e-6:.3f}" for name, total in groups.items()]
    if len(sums) > MOST_ROWS:
        sums[MOST_ROWS:] = [f"and {len(sums) - MOST_ROWS} more"]
    lines = [f"{GROUP_SUM}, Mbit/s: {', '.join(sums)}"] if len(sums) > 1 else []
    return [*lines, f"all flows: {sum(groups.values()) * 1e-6:.3f} Mbit/s"]


def _stations(rows: Sequence[Mapping[str, Any]]) -> Grid:
    """What each station did on the air."""
    media = len({row["medium"] for row in rows}) > 1
    columns = [Column("medium", right=False)] if media else []
    columns += [Column("station", right=False)]
    columns += [Column(name) for name in ("attempts", "retries", "collided", "given up", "queue drops")]
    columns += [Column("rate", "Mbit/s"), Column("airtime", "%"), Column("MAC delay", "ms")]
    lines = [
        ([row["medium"]] if media else [])
        + [row["station"], row["attempts"], row["retries"], row["collided_frames"], row["mac_dropped_packets"]]
        + [row["loss_queue"], fixed(row["rate_mean_bps"], 1e-6, 2), fixed(row["airtime_share"], 1e2, 1)]
        + [fixed(row["mac_delay_mean_s"], 1e3, 2)]
        for row in rows[:MOST_ROWS]
    ]
    return Grid(columns, lines)


def _completions(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """For each group of several transfers of given size: how many there were, and how long those that ended took."""
    import numpy as np

    groups: dict[str, list[float | None]] = {}
    for row in rows:
        if row["size_bytes"] is not None:
            groups.setdefault(row["group"], []).append(row["completion_s"])
    lines = []
    for name, times in groups.items():
        ended = [time for time in times if time is not None]
        if len(times) > 1:
            took = ""
            if ended:
                mean, median, p95 = float(np.mean(ended)), float(np.median(ended)), float(np.quantile(ended, 0.95))
                took = f", FCT {mean:.3f} s on average, median {median:.3f} s, 95 % within {p95:.3f} s"
            lines.append(f"{name}: {len(ended)} of {len(times)} transfers ended{took}")
    return lines


_SWEPT: tuple[tuple[str, Column, float, int], ...] = (
    ("goodput_bps", Column("goodput", "Mbit/s"), 1e-6, 3),
    ("goodput_total_bps", Column(GROUP_SUM, "Mbit/s"), 1e-6, 3),
    ("jain", Column("Jain"), 1.0, 3),
    ("retransmitted_segments", Column("retransmitted"), 1.0, 1),
    ("timeouts", Column("timeouts"), 1.0, 2),
    ("srtt_mean_s", Column("srtt", "ms"), 1e3, 1),
    ("completion_s", Column("FCT mean", "s"), 1.0, 3),
    ("completion_median_s", Column("FCT median", "s"), 1.0, 3),
    ("completion_p95_s", Column("FCT p95", "s"), 1.0, 3),
    ("unfinished", Column("unfinished", "%"), 1e2, 1),
)


def of_sweep(result: SweepResult) -> View:
    """Means over seeds of each point and group of flows."""
    from windlass.tables import as_written

    rows = as_written(result.summary()).to_pylist()
    columns = axis_columns(result.axes)
    columns += [Column(name, right=False) for name in ("group", "direction") if len({row[name] for row in rows}) > 1]
    if "flows.algorithm" not in result.axes:
        columns.append(Column("algorithm", right=False, kind=ALGORITHM))
    lines = [
        {column.name: row[column.name] for column in columns}
        | {"seeds": row["goodput_bps_n"]}
        | {column.name: with_interval(row, metric, scale, digits) for metric, column, scale, digits in _SWEPT}
        for row in rows
    ]
    # what no row has is left out: Jain's index of single flows, completion times of transfers without end
    grid = Grid.of([*columns, Column("seeds"), *(column for _, column, _, _ in _SWEPT)], lines)
    title = f"{result.name}: mean per flow over seeds, with its 95 % interval"
    return View(title, cautions=list(result.cautions), parts=[grid])
