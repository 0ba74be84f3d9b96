"""The folder of a reproduction: report, figures, tables, scenarios and manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass import _json
from windlass.folders import replaced, write_manifest
from windlass.reproduce.costs import measured_cost
from windlass.reproduce.engine import engine_version
from windlass.reproduce.metrics import summary_rows
from windlass.reproduce.plan import Plan
from windlass.reproduce.results import Reproduction

if TYPE_CHECKING:
    import pyarrow as pa

    from windlass.reproduce.paper import PaperReproduction
    from windlass.sweep import RunResult


def write(reproduction: Reproduction, plan: Plan, results: Sequence[RunResult]) -> None:
    """Report, figures, data and manifest into the reproduction's folder."""
    import pyarrow.parquet as pq

    from windlass import _toml, report

    cost = reproduction.run_s or measured_cost(reproduction.folder)
    with replaced(reproduction.folder) as part:
        (part / "scenarios").mkdir()
        for name, document in reproduction.scenarios.items():
            (part / "scenarios" / f"{name}.toml").write_text(_toml.document(document), encoding="utf-8")
        for table in ("flows", "links"):
            pq.write_table(_joined(plan, results, table), part / f"{table}.parquet", compression="zstd")
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


def _joined(plan: Plan, results: Sequence[RunResult], name: str) -> pa.Table:
    """Rows of all runs: experiment, reading, variant, swept keys, seed and key of the run, then the run's columns."""
    import pyarrow as pa

    swept = [axis for entry in plan.wanted for axis in plan.book.experiments[entry].axes]
    kinds = {
        axis.key: pa.string() if any(isinstance(point, str) for point in axis.points) else pa.float64()
        for axis in swept
    }
    parts = []
    for job, point, result in plan.rows(results):
        table = result.tables[name]
        axes = [axis.key for axis in plan.book.experiments[job.case.experiment].axes]
        values = dict(zip(axes, point, strict=True))
        columns: dict[str, Any] = {
            "experiment": pa.repeat(job.case.experiment, table.num_rows),
            "reading": pa.repeat(job.reading, table.num_rows),
            "variant": pa.repeat(job.case.variant, table.num_rows),
            **{key: pa.repeat(pa.scalar(values.get(key), kind), table.num_rows) for key, kind in kinds.items()},
            "seed": pa.repeat(pa.scalar(result.seed, pa.int64()), table.num_rows),
            "key": pa.repeat(result.key, table.num_rows),
        }
        parts.append(pa.table({**columns, **{column: table[column] for column in table.column_names}}))
    return pa.concat_tables(parts).combine_chunks()  # in one piece it is written three times as fast


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


def _manifest(reproduction: Reproduction, plan: Plan, cost: float | None) -> dict[str, Any]:
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
        "cpu_per_run_s": cost,
        "date": datetime.now(UTC).date().isoformat(),
    }


def json_text(document: Any) -> str:
    """A JSON document; what does not exist is null."""
    return json.dumps(_json.strict(document), indent=1, ensure_ascii=False) + "\n"
