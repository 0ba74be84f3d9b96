"""What the run of all papers gave that was published last: verdicts and cost of each experiment.

``windlass/reference/papers.csv`` has a row for each; :mod:`windlass.report.publish` writes it. One that was not run has
no date and an estimated cost. A column whose name is not one of :data:`_FIXED` is a verdict, with the number of claims
that got it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

__all__ = ["FILE", "Published", "published", "table", "table_text"]

FILE = "reference/papers.csv"
"""Place of the table in the package."""

_FIXED = ("experiment", "date", "engine_version", "quick", "runs", "cpu_per_run_s", "yardstick_s", "cost_is")


@dataclass(frozen=True)
class Published:
    """An experiment of the published run, or one that it did not come to.

    Attributes
    ----------
    experiment : str
        As ``saedi2019/fig3.5``.
    date : str
        When it was run, as ``2026-11-23``; empty if it was not.
    engine_version : str
        Of the engine that ran it, or that its cost was estimated for.
    quick : bool
        Fewer points and seeds.
    runs : int
        How many runs its verdicts rest on, or how many are expected.
    run_s : float, optional
        CPU time of a run, seconds; none if it is not known.
    cost_is : str
        ``measured`` or ``estimated``.
    verdicts : dict
        How many claims got each verdict.
    yardstick_s : float, optional
        What :func:`windlass.reproduce.yardstick.yardstick_s` was on the machine that ran it; none if it is not known.
    """

    experiment: str
    date: str
    engine_version: str
    quick: bool
    runs: int
    run_s: float | None
    cost_is: str
    verdicts: Mapping[str, int]
    yardstick_s: float | None = None

    @property
    def cpu_s(self) -> float | None:
        """CPU time of all its runs, seconds."""
        return None if self.run_s is None else self.runs * self.run_s


@cache
def published() -> Mapping[str, Published]:
    """The experiments that were published last, by name; none if the package has no table of them."""
    try:
        text = (resources.files("windlass") / FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    return table(text)


def table(text: str) -> dict[str, Published]:
    """The rows of a table by experiment."""
    rows = {}
    for row in csv.DictReader(io.StringIO(text)):
        counts = {name: int(count) for name, count in row.items() if name not in _FIXED and count}
        rows[row["experiment"]] = Published(
            row["experiment"],
            row["date"],
            row["engine_version"],
            row["quick"] == "yes",
            int(row["runs"]),
            _number(row["cpu_per_run_s"]),
            row["cost_is"],
            counts,
            _number(row.get("yardstick_s")),
        )
    return rows


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def table_text(rows: Iterable[Published], verdicts: Iterable[str]) -> str:
    """The table as text, with a column for each of the verdicts."""
    names = list(verdicts)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*_FIXED, *names])
    for row in rows:
        costs = ("" if number is None else f"{number:.4g}" for number in (row.run_s, row.yardstick_s))
        quick = "yes" if row.quick else ""
        fixed = (row.experiment, row.date, row.engine_version, quick, row.runs, *costs, row.cost_is)
        writer.writerow([*fixed, *(row.verdicts.get(name, "") for name in names)])
    return file.getvalue()


def read_table(file: Path) -> dict[str, Published]:
    """The rows of a table's file; none if there is no such file."""
    return table(file.read_text(encoding="utf-8")) if file.is_file() else {}
