"""What each run gave a reproduction, in a small table beside its page.

A row is a run and some of its flows: the numbers that claims and figures are about, and what cautions tell of. So
readers have every value that a mean is made of, and ``windlass reproduce --values`` judges claims and makes pages again
without the runs: by other rules, say, or on a machine that has not the store of the first. A row is found by the key of
its setting, which covers the whole description and the last change of results that concerns it, and by its seed, so
that none is taken for another run.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from windlass import folders
from windlass.cautions import Observed, where_words
from windlass.errors import InputError
from windlass.names import loss_causes
from windlass.reproduce.engine import engine_version
from windlass.reproduce.metrics import METRICS
from windlass.reproduce.plan import Job, Measured, Plan, Task
from windlass.reproduce.series import recorded

if TYPE_CHECKING:
    import pyarrow as pa

    from windlass.results import RunResult

FILE = "values.parquet"

ALWAYS = ("throughput", "throughput-total")
"""Metrics that each table has, whatever the claims are about."""

Key = tuple[str, str, int]
"""What a row is found by: key of the setting, groups of flows, seed."""

_KEY = ("setting_key", "groups", "seed")
"""Their columns."""


class Kept(NamedTuple):
    """What is kept of some flows of a run: which metrics, and of those that it has the values; whether congestion lost
    packets of the run, and what cautions tell of it.
    """

    metrics: frozenset[str]
    numbers: Mapping[str, float]
    congested: bool
    observed: Observed


@dataclass(frozen=True)
class Digest:
    """What a reproduction remembers of a run beside what it measured: its key, whether it was there already, whether
    congestion lost packets, and what cautions tell of.
    """

    key: str
    stored: bool
    congested: bool
    observed: Observed


def digest(result: RunResult) -> Digest:
    """What is remembered of a result."""
    import pyarrow.compute as pc

    from windlass.cautions import observe

    lost = (pc.sum(result.flows[cause.column]).as_py() or 0 for cause in loss_causes() if cause.congestion)
    return Digest(result.key, result.stored, sum(lost) > 0, observe(result))


class Values:
    """What runs gave, by the key of the setting, the groups of flows that are measured, and the seed."""

    def __init__(self, rows: Mapping[Key, Kept], source: str, engines: Iterable[str]) -> None:
        self._rows = rows
        self._settings = {setting for setting, _, _ in rows}
        self._source = source
        self._engines = sorted(engines)

    def check(self, plans: Iterable[Plan]) -> None:
        """See that there is something of what is to be run.

        Raises
        ------
        InputError
            If no setting of these plans is known: results have changed since the values were written.
        """
        jobs = [job for plan in plans for job in plan.jobs if is_kept(plan, job)]
        if jobs and not any(setting_key(job, at) in self._settings for job in jobs for at in range(len(job.points))):
            raise InputError(
                f"`{self._source}` has values of {', '.join(self._engines)}, and results have changed since: this is "
                f"{engine_version()}",
                code="reproduce.values",
                hint="leave `--values` out, so that the runs are made",
            )

    def of(self, job: Job, index: int, seed: int, metrics: frozenset[str]) -> dict[str, Kept] | None:
        """What a run of a job gave, by variant; none if that is not known, or not of all these metrics."""
        setting = setting_key(job, index)
        found = {name: self._rows.get((setting, flows_key(flows), seed)) for name, flows in job.case.members.items()}
        known = {name: kept for name, kept in found.items() if kept is not None and metrics <= kept.metrics}
        return known if known and len(known) == len(found) else None


def read(folder: Path, paper: str) -> Values:
    """The values of a paper's experiments in the folder of a reproduction, or in that of the published pages.

    Raises
    ------
    InputError
        If there are none, or if a file is not as it was written.
    """
    rows: dict[Key, Kept] = {}
    engines = set()
    for data in _files(folder, paper):
        table, engine = _table(data)
        engines.add(engine)
        for key, kept in _rows(table).items():
            rows[key] = _both(rows.get(key), kept)
    if not engines:
        raise InputError(
            f"`{folder}` has no `{FILE}` of {paper}",
            code="reproduce.values",
            hint="name the folder of a full run, or of its published pages",
        )
    return Values(rows, str(folder), engines)


def _both(one: Kept | None, other: Kept) -> Kept:
    """What two rows say of a run: each may have metrics that the other has not."""
    if one is None:
        return other
    return other._replace(metrics=one.metrics | other.metrics, numbers={**one.numbers, **other.numbers})


def _files(folder: Path, paper: str) -> Iterator[bytes]:
    """Every table of values of a paper, each held against the manifest that lists it."""
    for file in sorted((folder / paper).glob(f"*/{FILE}")):
        for place in (file.parent, folder):
            try:
                manifest = folders.read_manifest(place)
            except (OSError, ValueError):
                continue
            name = file.relative_to(place).as_posix()
            if name in manifest["files"]:
                yield folders.checked(place, name, manifest)
                break


def _table(data: bytes) -> tuple[pa.Table, str]:
    """A table of values, and the engine that made them."""
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(data))
    return table, (table.schema.metadata or {}).get(b"engine_version", b"").decode()


def _rows(table: pa.Table) -> dict[Key, Kept]:
    names = _metrics(table)
    every = frozenset(names)
    columns = [table[name].to_pylist() for name in (*_KEY, "congested", "observed", *names)]
    found = {}
    for setting, flows, seed, congested, observed, *numbers in zip(*columns, strict=True):
        told = json.loads(observed) if observed else {}
        seen = Observed("", {kind: [tuple(row) for row in rows] for kind, rows in told.items()})
        known = {name: value for name, value in zip(names, numbers, strict=True) if value is not None}
        found[setting, flows, seed] = Kept(every, known, congested, seen)
    return found


def _metrics(table: pa.Table) -> list[str]:
    return [name for name in METRICS if name in table.column_names]


def setting_key(job: Job, index: int) -> str:
    """What a setting is known by; it has the number of the last change of results that concerns it."""
    return job.points[index].setting()


def flows_key(groups: Iterable[str] | None) -> str:
    """What some groups of flows are known by; all flows have no name."""
    return ",".join(groups or ())


def is_kept(plan: Plan, job: Job) -> bool:
    """Whether numbers are all that a run of this job gives: nothing over time, and no decisions."""
    return job.kind == "measure" and not recorded(plan.book.experiments[job.case.experiment])


def take(plan: Plan, task: Task, values: Values, metrics: frozenset[str], measured: Measured) -> Digest | None:
    """Add what a run gave, if that is known of these metrics; none if it has to be made."""
    job = plan.jobs[task.job]
    kept = values.of(job, task.point, task.seed, metrics) if is_kept(plan, job) else None
    if kept is None:
        return None
    for variant, one in kept.items():
        plan.keep(measured, task, variant, one.numbers)
    some = next(iter(kept.values()))
    point = job.points[task.point]
    seen = Observed(where_words(point.axes, task.seed), some.observed.found)
    return Digest(point.key(task.seed), True, some.congested, seen)


def kept_metrics(plan: Plan) -> list[str]:
    """The metrics of which a table has values: those of the experiments, and those that claims name."""
    wanted = {*ALWAYS, *(name for of in plan.wanted for name in plan.book.experiments[of].metrics)}
    for claim in plan.claims:
        for check in (claim.check, *claim.check.also):
            wanted |= set(_words(check.fields))
            if "table" in check.fields:
                wanted |= set(_words(plan.book.tables[str(check["table"])]))
    return [name for name in METRICS if name in wanted]


def _words(value: Any) -> Iterator[str]:
    """Every text in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _words(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _words(one)


def table_of(plan: Plan, measured: Measured, digests: Mapping[Task, Digest]) -> pa.Table:
    """What the runs of a plan gave: a row for each run and variant, in the order of the plan.

    Columns: ``experiment``, ``reading``, ``variant``, the axes, ``seed``, the metrics, ``congested`` (whether the queue
    of some link dropped packets of the run), ``observed`` (what cautions tell of, JSON), ``setting_key`` and ``groups``
    (what the row is found by). A run that several readings share is there once.
    """
    import pyarrow as pa

    entries = plan.book.experiments
    axes = list(dict.fromkeys(axis.key for name in plan.wanted for axis in entries[name].axes if axis.key != "seed"))
    names = kept_metrics(plan)
    rows: dict[Key, dict[str, Any]] = {}
    for task in plan.tasks:
        job = plan.jobs[task.job]
        if job.kind != "measure":
            continue
        entry, point = entries[job.case.experiment], job.case.points[task.point]
        setting, seen = setting_key(job, task.point), digests[task]
        at = {axis.key: str(value) for axis, value in zip(entry.axes, point, strict=True) if axis.key in axes}
        for variant, groups in job.case.members.items():
            key = (setting, flows_key(groups), task.seed)
            row = {
                "experiment": entry.id,
                "reading": job.reading,
                "variant": variant,
                **at,
                **plan.kept(measured, task, variant, names),
                "congested": seen.congested,
                "observed": json.dumps(seen.observed.found, ensure_ascii=False) if seen.observed.found else None,
                **dict(zip(_KEY, key, strict=True)),
            }
            rows.setdefault(key, row)
    return _written(pa.Table.from_pylist(list(rows.values()), schema=_schema(axes, names)))


def _schema(axes: Iterable[str], metrics: Iterable[str]) -> pa.Schema:
    import pyarrow as pa

    texts = ("experiment", "reading", "variant", *axes)
    return pa.schema(
        [
            *((name, pa.string()) for name in texts),
            ("seed", pa.int64()),
            *((name, pa.float64()) for name in metrics),
            ("congested", pa.bool_()),
            *((name, pa.string()) for name in ("observed", *_KEY[:2])),
        ]
    )


def _written(table: pa.Table) -> pa.Table:
    return table.replace_schema_metadata({"engine_version": engine_version()})


def bytes_of(table: pa.Table) -> bytes:
    """A table as a file: the same table gives the same bytes."""
    import pyarrow.parquet as pq

    numbers = [field.name for field in table.schema if str(field.type) == "double"]
    texts = [field.name for field in table.schema if str(field.type) in ("string", "int64")]
    file = io.BytesIO()
    pq.write_table(
        table,
        file,
        compression="zstd",
        compression_level=19,
        use_dictionary=texts,
        use_byte_stream_split=numbers,
    )
    return file.getvalue()


def without(data: bytes, seen: dict[Key, frozenset[str]]) -> bytes:
    """The same file without rows that others have, with all its metrics. ``seen`` has the metrics of each row that was
    seen before, and takes those of this file.
    """
    import pyarrow as pa

    table, _ = _table(data)
    names = frozenset(_metrics(table))
    keys = list(zip(*(table[name].to_pylist() for name in _KEY), strict=True))
    fresh = [not names <= seen.get(key, frozenset()) for key in keys]
    for key in keys:
        seen[key] = names | seen.get(key, frozenset())
    return data if all(fresh) else bytes_of(table.filter(pa.array(fresh)))
