"""The folder of a reproduction: report, figures, tables, scenarios and manifest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass import _json
from windlass.folders import replaced, write_manifest
from windlass.reproduce import values
from windlass.reproduce.costs import measured_cost
from windlass.reproduce.engine import engine_version
from windlass.reproduce.metrics import summary_rows
from windlass.reproduce.plan import Job, Plan, Task
from windlass.reproduce.results import Reproduction
from windlass.reproduce.sequential import Sequential
from windlass.reproduce.yardstick import yardstick_s

if TYPE_CHECKING:
    import pyarrow as pa

    from windlass.ledger import Axis
    from windlass.reproduce.paper import PaperReproduction
    from windlass.sweep import RunResult

TOGETHER = 1000
"""Runs whose tables are joined at once: each column of each is an object of its own."""


def write(reproduction: Reproduction, state: Sequential) -> None:
    """Report, figures, data and manifest into the reproduction's folder. Where values stood for some runs, there are no
    tables of flows and links, which would not have all.
    """
    import pyarrow.parquet as pq

    from windlass import _toml, report

    plan, own = state.plan, reproduction.run_s
    cost = measured_cost(reproduction.folder) if own is None else (own, yardstick_s())
    with replaced(reproduction.folder) as part:
        (part / "scenarios").mkdir()
        for name, document in reproduction.scenarios.items():
            (part / "scenarios" / f"{name}.toml").write_text(_toml.document(document), encoding="utf-8")
        for table in ("flows", "links") if state.results.keys() == state.digests.keys() else ():
            pq.write_table(_joined(plan, state.results, table), part / f"{table}.parquet", compression="zstd")
        (part / values.FILE).write_bytes(values.bytes_of(values.table_of(plan, state.measured, state.digests)))
        _write_csv(part / "summary.csv", _all_rows(reproduction))
        (part / "claims.json").write_text(json_text(reproduction.to_dict()), encoding="utf-8")
        figures = report.draw(reproduction, part)
        report.write_tables(part, [reproduction], report.summary_of(reproduction, figures))
        (part / reproduction.report.name).write_text(report.page(reproduction, figures), encoding="utf-8")
        write_manifest(part, _json.strict(_manifest(reproduction, plan, cost)))


def write_overview(whole: PaperReproduction) -> None:
    """The overview of a paper beside the folders of its experiments."""
    from windlass import report

    with replaced(whole.folder) as part:
        (part / whole.report.name).write_text(report.paper_page(whole), encoding="utf-8")
        (part / "claims.json").write_text(json_text(whole.to_dict()), encoding="utf-8")
        report.write_tables(part, whole.parts, report.summary_of_paper(whole))
        write_manifest(part, {"engine_version": engine_version()})


def _joined(plan: Plan, results: Mapping[Task, RunResult], name: str) -> pa.Table:
    """Rows of all runs: experiment, reading, variant, swept keys, seed and key of the run, then the run's columns."""
    import pyarrow as pa

    rows = iter(plan.rows(results))
    parts = []
    while some := list(islice(rows, TOGETHER)):
        parts.append(_joined_some(plan, some, name))
    return pa.concat_tables(parts).combine_chunks()  # in one piece it is written three times as fast


def _joined_some(plan: Plan, rows: Sequence[tuple[Job, tuple[object, ...], RunResult]], name: str) -> pa.Table:
    """The same of some runs."""
    import numpy as np
    import pyarrow as pa

    tables = [result.tables[name] for _, _, result in rows]
    runs = pa.concat_tables(tables).combine_chunks()
    owner = np.repeat(np.arange(len(rows)), [table.num_rows for table in tables])

    def column(values: Iterable[object], kind: pa.DataType) -> pa.Array:
        return pa.array(values, kind).take(pa.array(owner))

    experiments = plan.book.experiments
    swept = {axis.key: axis for entry in plan.wanted for axis in experiments[entry].axes}
    at = [
        dict(zip((axis.key for axis in experiments[job.case.experiment].axes), point, strict=True))
        for job, point, _ in rows
    ]
    columns: dict[str, pa.Array] = {
        "experiment": column((job.case.experiment for job, _, _ in rows), pa.string()),
        "reading": column((job.reading for job, _, _ in rows), pa.string()),
        "variant": column((job.case.variant for job, _, _ in rows), pa.string()),
        **{key: column((values.get(key) for values in at), _kind(axis)) for key, axis in swept.items()},
        "seed": column((result.seed for _, _, result in rows), pa.int64()),
        "key": column((result.key for _, _, result in rows), pa.string()),
    }
    return pa.table({**columns, **{one: runs[one] for one in runs.column_names}})


def _kind(axis: Axis) -> pa.DataType:
    """What values of an axis are kept as."""
    import pyarrow as pa

    return pa.string() if any(isinstance(point, str) for point in axis.points) else pa.float64()


def _all_rows(reproduction: Reproduction) -> list[dict[str, Any]]:
    rows = summary_rows("base", reproduction.experiment, reproduction.data)
    for run in reproduction.runs:
        if run.data is not None:
            rows += summary_rows(run.reading.key, reproduction.experiment, run.data)
    return rows


def _write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    import csv

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _manifest(reproduction: Reproduction, plan: Plan, cost: tuple[float | None, float | None]) -> dict[str, Any]:
    """Versions, command and settings; when it was made and how long that took, which no other table says."""
    from datetime import UTC, datetime

    from windlass import __version__

    return {
        "windlass": __version__,
        "engine_version": engine_version(),
        "command": reproduction.command,
        "experiment": reproduction.experiment.id,
        "seeds": reproduction.seeds,
        "points": [list(values) for values in plan.points],
        "settings": reproduction.settings,
        "readings": {
            run.reading.key: run.missing or f"{len(run.data.points) if run.data else 0} points"
            for run in reproduction.runs
        },
        "runs": reproduction.total,
        "made": reproduction.made,
        "took_s": reproduction.took_s,
        "cpu_s": reproduction.cpu_s,
        "cpu_per_run_s": cost[0],
        "yardstick_s": cost[1],
        "date": datetime.now(UTC).date().isoformat(),
    }


def json_text(document: Any) -> str:
    """A JSON document; what does not exist is null."""
    return json.dumps(_json.strict(document), indent=1, ensure_ascii=False) + "\n"
