"""Folders of results: Parquet tables, tapes, a summary as CSV, and a manifest that says how they were made."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.amounts import counted
from windlass.errors import InputError
from windlass.folders import checked, read_manifest, replaced, tried, write_manifest

if TYPE_CHECKING:
    import pyarrow as pa

    from windlass.scenario import Scenario
    from windlass.sweep import RunResult, SweepResult

__all__ = ["SavedSweep", "check_folder", "default_folder", "read_run", "read_sweep", "write_run", "write_sweep"]


@dataclass(frozen=True, eq=False)
class SavedSweep:
    """Results read back from a folder.

    Attributes
    ----------
    name : str
        Name of the scenario.
    axes : list of str
        Swept keys.
    flows, links : pyarrow.Table
        As in :class:`windlass.SweepResult`.
    stations : pyarrow.Table
        As there; without columns if nothing went through the air.
    descriptions : list of dict
        Effective description of each point.
    """

    name: str
    axes: list[str]
    flows: pa.Table
    links: pa.Table
    descriptions: list[dict[str, Any]]
    stations: pa.Table

    def __repr__(self) -> str:
        return f"<SavedSweep {self.name!r}: {counted(len(self.descriptions), 'point')} over {', '.join(self.axes) or 'nothing'}>"


def check_folder(folder: Path) -> None:
    """See to it, before anything is run, that results can go there; leaves nothing.

    Raises
    ------
    InputError
        If the path or a part of it is a file.
    StoreError
        If nothing can be written there.
    """
    for part in (folder, *folder.parents):
        if part.is_dir():
            break
        if part.exists():
            raise InputError(
                "is a file, not a folder",
                code="cli.output",
                file=str(part),
                hint="name another folder with `--out DIR`",
            )
    tried(folder)


def default_folder(root: Path, scenario: Scenario, seeds: Sequence[int]) -> Path:
    """Where a sweep goes if nobody says: a folder of the scenario's name, which may hold older results of it.

    A folder that holds all of this sweep and more, other points or other seeds, is left alone, and the next one taken:
    ``NAME-2``.

    Parameters
    ----------
    root : Path
        Folder of folders.
    scenario : Scenario
        What is swept.
    seeds : sequence of int
        Seeds of each point; none: how many is not known before, and any will do.
    """
    which: Sequence[int | None] = seeds or [None]
    wanted: set[tuple[str, int | None]] = set()
    name, number = file_name(scenario.name), 1
    while True:
        folder = root / (name if number == 1 else f"{name}-{number}")
        there = _runs_in(folder, bool(seeds))
        if not there:
            return folder
        if not wanted:
            texts = [_canonical(point.effective()) for point in scenario.points()]
            wanted = {(text, seed) for text in texts for seed in which}
        if not wanted < there:
            return folder
        number += 1


def _runs_in(folder: Path, by_seed: bool) -> set[tuple[str, int | None]]:
    """Description and seed of each run whose results are in a folder; none if it holds no results."""
    try:
        points = read_manifest(folder)["points"]
        return {
            (_canonical(point["description"]), seed)
            for point in points
            for seed in (point["seeds"] if by_seed else [None])
        }
    except (OSError, LookupError, TypeError, ValueError, RecursionError):
        return set()


def _canonical(description: dict[str, Any]) -> str:
    return json.dumps(description, sort_keys=True)


def write_sweep(result: SweepResult, folder: Path, command: Sequence[str] = ()) -> Path:
    """Write ``flows.parquet``, ``links.parquet``, ``summary.csv``, ``manifest.json``; other tables if they have rows.

    Parameters
    ----------
    result : SweepResult
        What to write.
    folder : Path
        Made if it is not there. Results that stand in it are replaced as a whole (:mod:`windlass.folders`).
    command : sequence of str
        Command line, for the manifest.

    Raises
    ------
    StoreError
        If the folder cannot be written.
    """
    from pyarrow import csv

    from windlass.tables import named_with_units

    points = [
        {"axes": axes, "seeds": seeds, "description": json.loads(description)}
        for (axes, seeds), description in zip(_point_seeds(result.runs), result.descriptions, strict=True)
    ]
    with replaced(folder) as part:
        _write_tables(part, {name: getattr(result, name) for name in _tables(result.runs)})
        csv.write_csv(named_with_units(result.summary()), part / "summary.csv")
        for run in result.runs:
            _write_tapes(part, run, f"{run.key[:12]}-")
        _write_manifest(part, result.name, command, {"points": points, "cautions": result.cautions})
    return folder


def write_run(name: str, result: RunResult, description: str, folder: Path, command: Sequence[str] = ()) -> Path:
    """Write one run: its tables and a manifest.

    Parameters
    ----------
    name : str
        Name of the scenario.
    result : RunResult
        What to write.
    description : str
        Its effective description, JSON.
    folder : Path
        Made if it is not there. Results that stand in it are replaced as a whole (:mod:`windlass.folders`).
    command : sequence of str
        Command line, for the manifest.

    Raises
    ------
    StoreError
        If the folder cannot be written.
    """
    from windlass.cautions import cautions_of
    from windlass.sweep import SweepResult

    sweep = SweepResult(name, [result], [description])
    points = [{"axes": result.axes, "seeds": [result.seed], "description": json.loads(description)}]
    with replaced(folder) as part:
        _write_tables(part, {table: getattr(sweep, table) for table in _tables([result])})
        _write_tapes(part, result)
        _write_manifest(part, name, command, {"points": points, "cautions": cautions_of([result])})
    return folder


def read_sweep(folder: Path) -> SavedSweep:
    """Results from a folder that :func:`write_sweep` or :func:`write_run` made.

    Raises
    ------
    InputError
        If the folder holds no such results, or they are not as they were written.
    """
    import pyarrow as pa

    try:
        manifest = read_manifest(folder)
        flows = _read_table(folder, "flows.parquet", manifest)
        links = _read_table(folder, "links.parquet", manifest)
        air = "stations.parquet"
        stations = _read_table(folder, air, manifest) if air in manifest["files"] else pa.table({})
        descriptions = [point["description"] for point in manifest["points"]]
        axes = list(manifest["points"][0]["axes"])
        if not all(isinstance(one, dict) for one in descriptions) or not isinstance(manifest["scenario"], str):
            raise ValueError("its manifest describes no runs")
        if not {*axes, "seed", "key", "flow"} <= {*flows.column_names}:
            raise ValueError("its table of flows has not the columns that its manifest names")
        return SavedSweep(manifest["scenario"], axes, flows, links, descriptions, stations)
    except (OSError, pa.ArrowException, LookupError, TypeError, ValueError, RecursionError) as error:
        raise _no_results(folder, error) from None


_EMPTY = {
    "traces": [("time_s", "f8"), ("subject", "str"), ("variable", "str"), ("value", "f8")],
    "stations": [("medium", "str"), ("station", "str")],
}
"""Columns that a table without rows has, which is not written: those that figures ask for."""


def read_run(folder: Path, seed: int | None = None) -> RunResult:
    """One run of a folder that :func:`write_run` or :func:`write_sweep` made, with what it recorded but its tapes.

    Parameters
    ----------
    folder : Path
        The folder.
    seed : int, optional
        Seed of the run, if there are several seeds; by default the first.

    Raises
    ------
    InputError
        If the folder holds no results, no such seed, or several points of a sweep.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from windlass.sweep import RunResult
    from windlass.tables import TABLES, empty_table

    saved = read_sweep(folder)
    try:
        manifest = read_manifest(folder)
        tables = {
            name: _read_table(folder, f"{name}.parquet", manifest)
            for name in TABLES
            if f"{name}.parquet" in manifest["files"]
        }
        seeds = list(dict.fromkeys(tables["flows"]["seed"].to_pylist()))
        keys = dict.fromkeys(tables["flows"].filter(pc.equal(tables["flows"]["seed"], seeds[0]))["key"].to_pylist())
    except (OSError, pa.ArrowException, KeyError, IndexError) as error:
        raise _no_results(folder, error) from None
    if len(keys) > 1:
        raise InputError(
            f"holds {len(keys)} points of a sweep, and this figure is of one run",
            code="plot.no-results",
            file=str(folder),
            hint="draw a scenario: `windlass plot FILE --set KEY=VALUE`",
        )
    if seed is not None and seed not in seeds:
        raise InputError(
            f"has no run with seed {seed}",
            code="plot.no-results",
            file=str(folder),
            hint=f"the seeds are {', '.join(map(str, seeds[:8]))}",
        )
    seed = seeds[0] if seed is None else seed
    own = {name: table.filter(pc.equal(table["seed"], seed)) for name, table in tables.items()}
    for name in TABLES:
        own.setdefault(name, empty_table(_EMPTY.get(name, ())))
    return RunResult(own["flows"]["key"][0].as_py(), seed, dict.fromkeys(saved.axes, ""), own)


def _no_results(folder: Path, error: Exception) -> InputError:
    return InputError(
        f"holds no results: {error}".splitlines()[0],
        code="plot.no-results",
        file=str(folder),
        hint="make them with `windlass sweep FILE --out DIR`",
    )


def _read_table(folder: Path, name: str, manifest: dict[str, Any]) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.read_table(pa.BufferReader(checked(folder, name, manifest)))


def _tables(runs: Sequence[RunResult]) -> list[str]:
    from windlass.tables import TABLES

    some = [name for name in TABLES if any(run.tables[name].num_rows for run in runs)]
    return [name for name in TABLES if name in ("flows", "links") or (name in some and name != "tapes")]


def _write_tables(folder: Path, tables: dict[str, pa.Table]) -> None:
    import pyarrow.parquet as pq

    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet", compression="zstd")


def _write_tapes(folder: Path, run: RunResult, prefix: str = "") -> None:
    """A file for each tape, called after its flow."""
    for row in run.tapes.to_pylist():
        way = "" if row["direction"] == "forward" else f".{row['direction']}"
        (folder / f"{prefix}{file_name(row['flow'])}{way}.tape").write_text(row["tape"], encoding="utf-8")


def _point_seeds(runs: Sequence[RunResult]) -> list[tuple[dict[str, Any], list[int]]]:
    """Axes and seeds of each point, in order; runs of a point stand together."""
    points: list[tuple[dict[str, Any], list[int]]] = []
    for run in runs:
        if not points or points[-1][0] != run.axes or run.seed in points[-1][1]:
            points.append((run.axes, []))
        points[-1][1].append(run.seed)
    return points


def _write_manifest(folder: Path, name: str, command: Sequence[str], more: dict[str, Any]) -> None:
    import windlass

    about = {
        "scenario": name,
        "windlass": windlass.__version__,
        "engine": windlass.ENGINE_VERSION,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "command": list(command),
    }
    write_manifest(folder, {**about, **more})


def file_name(name: str) -> str:
    """The name of a scenario or flow as that of a file or folder."""
    return re.sub(r"[^\w.-]+", "-", name).strip(".-") or "scenario"
