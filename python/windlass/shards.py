"""A sweep as a job array for a cluster: a folder that any number of independent tasks work through.

The folder has ``points.jsonl`` (a :class:`~windlass.travel.Packed` point a line), ``job.json`` (name, seeds, number of
shards), ``submit.sh`` and, once tasks have run, a store for each of them in ``runs``. Runs are counted point by point,
seed by seed; shard `i` of `n` makes runs `i`, `i + n`, `i + 2 n` and so on, so that slow points are spread over all.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.amounts import counted
from windlass.errors import InputError
from windlass.files import write_file

if TYPE_CHECKING:
    from windlass.progress import Step
    from windlass.scenario import Scenario
    from windlass.sweep import RunResult

__all__ = ["MOST_SHARDS", "Job", "emit", "make_shard"]

MOST_SHARDS = 1000
"""Slurm's own limit of an array is 1001 tasks unless its administrator has set another (``MaxArraySize``)."""

SUBMIT = """\
#!/bin/sh
#SBATCH --job-name=windlass-{name}
#SBATCH --array=0-{last}
#SBATCH --cpus-per-task=1
# {runs} in {shards}. Submit it with `{submit}`. A task that was stopped goes on if submitted again.
# Afterwards, on a machine that sees this folder:
#   {merge}
exec {python} -m windlass shard {folder} --jobs "${{SLURM_CPUS_PER_TASK:-1}}"
"""


@dataclass(frozen=True)
class Job:
    """A job array that was written.

    Attributes
    ----------
    folder : Path
        Where it is; tasks have to see it under the same name.
    runs, shards : int
        How many there are.
    """

    folder: Path
    runs: int
    shards: int

    @property
    def script(self) -> Path:
        """What is submitted."""
        return self.folder / "submit.sh"

    @property
    def submit(self) -> str:
        """The command that starts it."""
        return f"sbatch {shlex.quote(str(self.script))}"

    @property
    def merge(self) -> str:
        """The command that takes the runs of all shards into the store."""
        return f"windlass store import {shlex.quote(str(self.folder / 'runs'))}/*"


def emit(scenario: Scenario, folder: Path, *, shards: int | None = None) -> Job:
    """Write a sweep as a job array for Slurm.

    Parameters
    ----------
    scenario : Scenario
        With its seeds.
    folder : Path
        New or empty, on a disk that all machines see.
    shards : int, optional
        Tasks of the array, at most one for each run; 100 if not given.

    Raises
    ------
    InputError
        If the folder has something in it, there are too many shards, or runs cannot be kept in a store.
    """
    from windlass.output import file_name
    from windlass.sweep import kept_for
    from windlass.travel import packed

    if shards is not None and not 1 <= shards <= MOST_SHARDS:
        raise InputError(
            f"{shards} shards, must be from 1 to {MOST_SHARDS}", code="shard.count", hint="a shard can have many runs"
        )
    folder = folder.resolve()
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise InputError("is not an empty folder", code="shard.folder", file=str(folder), hint="name a new one")
    points = scenario.points()
    for point in points:
        if kept_for(point) == "not":
            raise InputError(
                "runs of an algorithm that cannot be known again cannot be brought together",
                code="shard.unknown",
                hint="put the class into a file of its own and name that with --python FILE",
            )
    runs = len(points) * len(scenario.seeds)
    job = Job(folder, runs, min(runs, shards or 100))
    lines = [json.dumps(packed(point)._asdict()) + "\n" for point in points]
    write_file(folder / "points.jsonl", "".join(lines))
    about = {"name": scenario.name, "seeds": scenario.seeds, "points": len(points), "shards": job.shards}
    write_file(folder / "job.json", json.dumps(about) + "\n")
    text = SUBMIT.format(
        name=file_name(scenario.name),
        last=job.shards - 1,
        runs=counted(runs, "run"),
        shards=counted(job.shards, "shard"),
        submit=job.submit,
        merge=job.merge,
        python=shlex.quote(sys.executable),
        folder=shlex.quote(str(folder)),
    )
    write_file(job.script, text).chmod(0o755)
    return job


def make_shard(folder: Path, index: int, *, jobs: int | None = None, progress: Step | None = None) -> list[RunResult]:
    """Make the runs of one shard, in a store of its own; those that are there already are read.

    Parameters
    ----------
    folder : Path
        That :func:`emit` wrote.
    index : int
        Number of the shard, from 0.
    jobs : int, optional
        Threads; all cores if not given.
    progress : callable, optional
        Called with (finished, total) after each run.

    Raises
    ------
    InputError
        If there is no such folder or shard, or this is not the version of Windlass that wrote it.
    Interrupted
        After Ctrl-C; finished runs are in the task's store.
    """
    from windlass.store import Store
    from windlass.sweep import execute
    from windlass.travel import Packed, unpacked

    try:
        about = json.loads((folder / "job.json").read_text(encoding="utf-8"))
        seeds, shards, count = about["seeds"], about["shards"], about["points"]
        lines = (folder / "points.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        every = [Packed(row["description"], row["key"], row["engine_version"], tuple(row["own"])) for row in rows]
    except (OSError, ValueError, KeyError, TypeError):
        every, count = [], -1
    if len(every) != count:
        raise InputError(
            "holds no whole job array",
            code="shard.folder",
            file=str(folder),
            hint=f"`windlass sweep FILE --emit slurm {shlex.quote(os.fspath(folder))}` writes one",
        )
    if not 0 <= index < shards:
        raise InputError(
            f"no shard {index}", code="shard.count", file=str(folder), hint=f"they are numbered 0 to {shards - 1}"
        )
    own = range(index, count * len(seeds), shards)
    tasks = [(unpacked(every[number // len(seeds)]), seeds[number % len(seeds)]) for number in own]
    store = Store(folder / "runs" / f"{index:04}")
    return execute(tasks, jobs=jobs, store=store, progress=progress)
