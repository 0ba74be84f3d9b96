"""What is shown of a comparison."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from windlass.views.grid import ALGORITHM, Column, Grid, View, axis_columns, with_interval

if TYPE_CHECKING:
    from windlass.compare import Comparison

__all__ = ["IN_PRINT", "SHOWN", "of_comparison"]

_COMPARED: tuple[tuple[str, Column, float, int], ...] = (
    ("goodput_bps", Column("goodput", "Mbit/s"), 1e-6, 3),
    ("completion_s", Column("FCT mean", "s"), 1.0, 3),
    ("unfinished", Column("unfinished", "%"), 1e2, 1),
    ("queue_delay_p95_s", Column("p95 queueing", "ms"), 1e3, 1),
    ("miss_rate", Column("misses", "%"), 1e2, 1),
    ("false_alarm_rate", Column("false alarms", "%"), 1e2, 1),
    ("timeouts", Column("timeouts"), 1.0, 2),
    ("neighbour_bps", Column("neighbour", "Mbit/s"), 1e-6, 3),
    ("neighbour_cost", Column("cost to it", "%"), 1e2, 1),
)

SHOWN = {
    "goodput": "goodput",
    "gain": "over",
    "completion": "FCT mean",
    "unfinished": "unfinished",
    "delay": "p95 queueing",
    "delays": "p95 of",
    "misses": "misses",
    "false-alarms": "false alarms",
    "timeouts": "timeouts",
    "neighbour": "neighbour",
    "cost": "cost to it",
    "limits": "limited by",
    "seeds": "seeds",
}
"""What the table can show beside the names of rows: words to choose by, and how the heads of the columns begin."""

IN_PRINT = ("goodput", "gain", "completion", "delay", "cost")
"""What it shows in LaTeX: as much as two columns of a paper have room for."""

_LONGEST = 20
"""A longer name of the baseline stands below the table instead of in its head."""

_LIMITED = Column("limited by cwnd/rwnd/app/pace", "%")
_LONG_BASELINE = "over baseline"


def of_comparison(result: Comparison, shown: Collection[str] | None = None) -> View:
    """A row for each candidate and setting, and the answer.

    Parameters
    ----------
    result : Comparison
        What is shown.
    shown : collection of str, optional
        Some of :data:`SHOWN`; everything if not given. What names the rows is always there.
    """
    rows = [outcome.to_dict() for outcome in result.outcomes]
    naming, numbers = _naming(result), _numbers(result)
    lines = [_line(result, row, naming) for row in rows]
    if shown is not None:
        heads = tuple(SHOWN[one] for one in shown)
        naming = [column for column in naming if not column.right or column.name.startswith(heads)]
        numbers = [column for column in numbers if column.name.startswith(heads)]
    grid = replace(Grid.of([*naming, *numbers], lines), stacked=True)
    parts: list[Grid | str] = [grid]
    if any(column.name == _LONG_BASELINE for column in grid.columns):
        parts.append(f"baseline: {result.baseline}")
    judging = any(column.name in ("misses", "false alarms") for column in grid.columns)
    blind = list(dict.fromkeys(row["algorithm"] for row in rows if not row["judges_losses"]))
    if blind and judging:
        parts.append(f"-: does not judge losses, takes each for congestion: {', '.join(blind)}")
    if judging and any("no loss" in line.values() for line in lines):
        parts.append("no loss: the senders acted on no loss of that kind")
    parts += ["", *(statement.text for statement in result.answer)]
    if result.notes:
        parts += ["", "what the measurement cannot tell:", *(f"- {note}" for note in result.notes)]
    title = f"{result.name}, flows `{result.group}`: mean per flow over seeds, with its 95 % interval"
    return View(title, _senders(result), list(result.cautions), parts)


def _naming(result: Comparison) -> list[Column]:
    """Columns that say which row it is."""
    axes = list(dict.fromkeys(axis for one in result.outcomes for axis in one.axes))
    columns = [Column("path", right=False)] if len({one.path for one in result.outcomes}) > 1 else []
    columns += axis_columns(axes)
    columns += [Column("queue", right=False)] if any(one.queue for one in result.outcomes) else []
    return [*columns, Column("algorithm", right=False, kind=ALGORITHM), Column("seeds")]


def _over(result: Comparison) -> Column:
    """The column of gains: named after the baseline, if that has a short name."""
    return Column(f"over {result.baseline}" if len(result.baseline) <= _LONGEST else _LONG_BASELINE, "%")


def _delays(result: Comparison) -> dict[str, Column]:
    """A column for the delay of each other group of flows."""
    groups = dict.fromkeys(name for one in result.outcomes for name in one.delays if name != one.group)
    return {group: Column(f"p95 of `{group}`", "ms") for group in groups}


def _numbers(result: Comparison) -> list[Column]:
    columns = []
    for metric, column, _, _ in _COMPARED:
        columns.append(column)
        if metric == "goodput_bps":
            columns.append(_over(result))
        if metric == "queue_delay_p95_s":
            columns += _delays(result).values()
    return [*columns, _LIMITED]


def _line(result: Comparison, row: dict[str, Any], naming: list[Column]) -> dict[str, Any]:
    """A row of the table."""
    line = {one.name: row.get(one.name, "") for one in naming}
    candidate = f"{row['algorithm']} with {row['queue']}" if row["queue"] else row["algorithm"]
    for metric, column, scale, digits in _COMPARED:
        line[column.name] = with_interval(row, metric, scale, digits)
        if metric in ("miss_rate", "false_alarm_rate"):
            line[column.name] = (line[column.name] or "no loss") if row["judges_losses"] else "-"
    gain = {f"gain_{part}": _minus_one(row[f"against_baseline_{part}"]) for part in ("mean", "lo", "hi")}
    line[_over(result).name] = "" if candidate == result.baseline else with_interval(gain, "gain", 1e2, 1)
    for group, column in _delays(result).items():
        delay = {f"p95_{part}": value for part, value in row["delays"].get(group, _NONE).items()}
        line[column.name] = with_interval(delay, "p95", 1e3, 1)
    shares = [row.get(f"{limit}_limited_share_mean") for limit in ("cwnd", "rwnd", "application", "pacing")]
    known = [share for share in shares if share is not None and not math.isnan(share)]
    line[_LIMITED.name] = "/".join(f"{100.0 * share:.0f}" for share in known) if len(known) == len(shares) else ""
    return line


_NONE = {"mean": None, "lo": None, "hi": None}


def _senders(result: Comparison) -> list[str]:
    """Recovery core, d and profile: once if all rows have the same, else who has which."""
    found: dict[str, list[str]] = {}
    for one in result.outcomes:
        if one.senders is not None:
            found.setdefault(one.senders.text(), []).append(one.algorithm)
    return [
        f"{'all rows' if len(found) == 1 else ', '.join(dict.fromkeys(algorithms))}: {text}"
        for text, algorithms in found.items()
    ]


def _minus_one(ratio: float | None) -> float | None:
    return None if ratio is None else ratio - 1.0
