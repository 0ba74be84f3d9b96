"""What runs give: the tables of one run, and those of all runs of a sweep."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.amounts import counted

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["RunResult", "SweepResult"]


@dataclass(frozen=True, eq=False)
class RunResult:
    """What one run gave.

    Attributes
    ----------
    key : str
        Content key of the run.
    seed : int
        Its seed.
    axes : dict
        Swept keys with their values, as written in the scenario.
    tables : mapping of str to pyarrow.Table
        ``flows``, ``links``, ``stations``, ``traces``, ``events``, ``losses``, ``tapes``.
    stored : bool
        Whether it was read from the store instead of made.
    cautions : tuple of str
        What to know of its description before trusting it; those of its numbers are looked for in the tables.
    """

    key: str
    seed: int
    axes: dict[str, str | int | float | bool]
    tables: Mapping[str, pa.Table]
    stored: bool = False
    cautions: tuple[str, ...] = ()

    @property
    def flows(self) -> pa.Table:
        """One row per flow and direction."""
        return self.tables["flows"]

    @property
    def links(self) -> pa.Table:
        """One row per link and direction."""
        return self.tables["links"]

    @property
    def stations(self) -> pa.Table:
        """One row per station and radio medium. Without rows where nothing goes through the air."""
        return self.tables["stations"]

    @property
    def traces(self) -> pa.Table:
        """Series: ``time_s``, ``subject``, ``variable``, ``value``. Without rows unless asked for."""
        return self.tables["traces"]

    @property
    def events(self) -> pa.Table:
        """Window changes with what the sender took them for and what they truly were. Without rows unless asked for."""
        return self.tables["events"]

    @property
    def losses(self) -> pa.Table:
        """Lost packets with their true cause. Without rows unless asked for."""
        return self.tables["losses"]

    @property
    def tapes(self) -> pa.Table:
        """What each sender's algorithm was told and answered; see :mod:`windlass.tapes`. Empty unless asked for."""
        return self.tables["tapes"]

    def to_pandas(self, table: str = "flows") -> pd.DataFrame:
        """One of the tables as a pandas DataFrame.

        Raises
        ------
        InputError
            If there is no such table, or pandas is not installed.
        """
        from windlass.tables import as_pandas

        return as_pandas(self.tables, table)

    def __repr__(self) -> str:
        return f"<{_run_words(self)}: {counted(self.flows.num_rows, 'flow')}>"

    def _repr_html_(self) -> str:
        from windlass.views import html
        from windlass.views.results import of_run

        return html(of_run(self))


@dataclass(frozen=True, eq=False)
class SweepResult:
    """What a sweep gave: its runs in the order of points, then seeds.

    Attributes
    ----------
    name : str
        Name of the scenario.
    runs : list of RunResult
        All runs.
    descriptions : list of str
        Effective description of each point, JSON, in the order of points.
    cautions : list of str
        What to know before trusting the numbers.
    """

    name: str
    runs: list[RunResult]
    descriptions: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)

    @property
    def axes(self) -> list[str]:
        """Swept keys, in the order of the scenario."""
        return list(self.runs[0].axes) if self.runs else []

    @property
    def seeds(self) -> list[int]:
        """Every seed that some point was run with, ascending."""
        return sorted({result.seed for result in self.runs})

    @cached_property
    def flows(self) -> pa.Table:
        """One row per run, flow and direction: ``key``, ``seed``, the axes, then the flow's columns."""
        return self.table("flows")

    @cached_property
    def links(self) -> pa.Table:
        """One row per run, link and direction."""
        return self.table("links")

    @cached_property
    def stations(self) -> pa.Table:
        """One row per run, station and radio medium."""
        return self.table("stations")

    @cached_property
    def traces(self) -> pa.Table:
        """Series of all runs."""
        return self.table("traces")

    @cached_property
    def events(self) -> pa.Table:
        """Window changes of all runs."""
        return self.table("events")

    @cached_property
    def losses(self) -> pa.Table:
        """Lost packets of all runs."""
        return self.table("losses")

    @cached_property
    def tapes(self) -> pa.Table:
        """Tapes of all runs."""
        return self.table("tapes")

    def table(self, name: str) -> pa.Table:
        """One of the seven tables over all runs, with the name, the axes and the engine's version in its metadata."""
        from windlass.engine import ENGINE_VERSION
        from windlass.tables import join_runs

        about = {"name": self.name, "axes": self.axes, "engine_version": ENGINE_VERSION}
        return join_runs(self.runs, name).replace_schema_metadata({"windlass": json.dumps(about)})

    def to_pandas(self, table: str = "flows") -> pd.DataFrame:
        """One of the tables as a pandas DataFrame.

        Raises
        ------
        InputError
            If there is no such table, or pandas is not installed.
        """
        from windlass.tables import TABLES, as_pandas

        return as_pandas({name: getattr(self, name) for name in TABLES if name == table}, table)

    def summary(self, metric: str | None = None, *, confidence: float = 0.95) -> pa.Table:
        """Mean and interval over seeds for each point and group of flows; see :func:`windlass.stats.summarise`."""
        from windlass import stats

        return stats.summarise(self.flows, self.axes, [metric] if metric else None, confidence=confidence)

    def write(self, folder: str | Path, *, command: Sequence[str] = ()) -> Path:
        """Write tables, summary and manifest into a folder; see :mod:`windlass.output`."""
        from windlass.output import write_sweep

        return write_sweep(self, Path(folder), command)

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[RunResult]:
        return iter(self.runs)

    def __repr__(self) -> str:
        return (
            f"<SweepResult {self.name!r}: {counted(len(self.runs), 'run')} over {', '.join(self.axes) or 'one point'}>"
        )

    def _repr_html_(self) -> str:
        from windlass.views import html
        from windlass.views.results import of_sweep

        return html(of_sweep(self))


def _run_words(result: RunResult) -> str:
    axes = "".join(f", {axis} = {value}" for axis, value in result.axes.items())
    return f"RunResult {result.key[:12]}, seed {result.seed}{axes}"
