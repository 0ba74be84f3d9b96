"""``windlass shard``."""

from __future__ import annotations

from pathlib import Path

import click

from windlass.amounts import counted
from windlass.cli.files import show_progress
from windlass.cli.group import main
from windlass.cli.options import Place, limits_options


@main.command(
    short_help="Make one shard of a job array.",
    epilog="Example: windlass shard job --index 0",
)
@click.argument("folder", type=Place())
@click.option(
    "--index",
    type=click.IntRange(min=0),
    envvar="SLURM_ARRAY_TASK_ID",
    required=True,
    help="Number of the shard, from 0; by default $SLURM_ARRAY_TASK_ID.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Parallel runs; by default one per core.")
@limits_options
def shard(folder: Path, index: int, jobs: int | None) -> None:
    """Make one shard of the job array that `windlass sweep --emit slurm FOLDER` wrote.

    Its runs go to FOLDER/runs/NUMBER, a store of its own. A shard that was stopped resumes where it stopped.
    """
    from windlass import shards

    with show_progress(f"shard {index}") as progress:
        made = shards.make_shard(folder, index, jobs=jobs, progress=progress)
    stored = sum(1 for run in made if run.stored)
    click.echo(f"shard {index}: {counted(len(made), 'run')}, {stored} of them there before")
