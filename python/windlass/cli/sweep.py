"""``windlass sweep``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import windlass
from windlass.amounts import counted
from windlass.cli import completion
from windlass.cli.files import check_folder, command_line, load_scenario, say_how_long, show_progress
from windlass.cli.group import main
from windlass.cli.latex import latex_option
from windlass.cli.options import (
    Place,
    Share,
    execution_options,
    json_option,
    own_option,
    seeds_option,
    sets_option,
    store_own_option,
)
from windlass.cli.printing import print_json, print_view

if TYPE_CHECKING:
    from windlass.scenario import Scenario
    from windlass.sweep import SweepResult


@main.command(
    short_help="Run every point of a scenario with every seed.",
    epilog="Example: windlass sweep lossy-dumbbell --seeds 5",
)
@click.argument("file", shell_complete=completion.scenarios)
@own_option
@store_own_option
@sets_option
@seeds_option
@execution_options
@click.option(
    "--resume/--no-store",
    "resume",
    default=True,
    help="Reuse the runs in the store (the default), or neither read nor write it.",
)
@click.option(
    "--precision",
    type=Share(),
    metavar="SHARE",
    help="Add seeds until the 95 % interval is no wider than this on either side, e.g. 2% of the mean.",
)
@click.option("--metric", default="goodput_bps", show_default=True, help="Column of flows that --precision applies to.")
@click.option(
    "--max-seeds", type=click.IntRange(min=2), default=200, show_default=True, help="Most seeds with --precision."
)
@click.option(
    "--out",
    type=Place(),
    metavar="DIR",
    help="Folder for tables, summary and manifest; by default windlass-out/NAME.",
)
@click.option(
    "--emit",
    nargs=2,
    type=(click.Choice(["slurm"]), Place()),
    metavar="slurm DIR",
    help="Run nothing: write the sweep into DIR as a job array for Slurm.",
)
@click.option("--shards", type=click.IntRange(min=1), help="Tasks of that job array; by default 100.")
@json_option
@latex_option
def sweep(
    file: str,
    sets: Sequence[tuple[str, str]],
    seeds: int | Sequence[int] | None,
    jobs: int | None,
    store: Path | None,
    resume: bool,
    precision: float | None,
    metric: str,
    max_seeds: int,
    out: Path | None,
    emit: tuple[str, Path] | None,
    shards: int | None,
    as_json: bool,
) -> None:
    """Run every point of FILE with every seed, and show means with 95 % intervals.

    Finished runs are kept, so an interrupted sweep resumes where it stopped.
    """
    from windlass.output import default_folder, file_name
    from windlass.workers import side_by_side

    scenario = load_scenario(file, sets)
    if emit is not None:
        if precision is not None:
            raise click.UsageError("--emit needs the number of seeds beforehand: leave out --precision")
        if not resume:
            raise click.UsageError("runs of a job array come together in a store: leave out --no-store")
        _emit(_chosen(scenario, seeds), emit[1], shards, as_json)
        return
    if shards is not None:
        raise click.UsageError("--shards is for --emit")
    usual = Path("windlass-out") / file_name(scenario.name)
    chosen = _chosen(scenario, seeds)
    count = 1 if precision is not None else len(chosen.seeds)
    say_how_long(scenario, count, side_by_side(jobs))
    folder = (
        out
        if out is not None
        else default_folder(Path("windlass-out"), scenario, [] if precision is not None else chosen.seeds)
    )
    check_folder(folder)
    with show_progress(scenario.name) as progress:
        result = windlass.sweep(
            scenario,
            seeds=seeds,
            jobs=jobs,
            store=(store or True) if resume else False,
            progress=progress,
            precision=precision,
            metric=metric,
            max_seeds=max_seeds,
        )
    result.write(folder, command=command_line())
    if as_json:
        print_json(_sweep_json(result, folder))
    else:
        from windlass.views.results import of_sweep

        print_view(of_sweep(result))
        stored = sum(1 for run_ in result.runs if run_.stored)
        kept = "" if out is not None or folder == usual else f"; {usual} holds a wider sweep and stays as it is"
        made = counted(len(result.runs), "run")
        click.echo(f"{made}, {stored} of them from the store; written to {folder}{kept}", err=True)


def _chosen(scenario: Scenario, seeds: int | Sequence[int] | None) -> Scenario:
    from windlass.sweep import with_seeds

    return with_seeds(scenario, seeds)


def _emit(scenario: Scenario, folder: Path, shards: int | None, as_json: bool) -> None:
    from windlass.shards import emit

    job = emit(scenario, folder, shards=shards)
    if as_json:
        print_json(
            {
                "runs": job.runs,
                "shards": job.shards,
                "folder": str(job.folder),
                "submit": job.submit,
                "merge": job.merge,
            }
        )
        return
    click.echo(f"{counted(job.runs, 'run')} in {counted(job.shards, 'shard')} written to {job.folder}")
    click.echo(f"submit:     {job.submit}")
    click.echo(f"afterwards: {job.merge}")


def _sweep_json(result: SweepResult, folder: Path) -> dict[str, Any]:
    from windlass.engine import ENGINE_VERSION
    from windlass.tables import as_written

    return {
        "scenario": result.name,
        "engine": ENGINE_VERSION,
        "axes": result.axes,
        "runs": len(result.runs),
        "from_store": sum(1 for run_ in result.runs if run_.stored),
        "out": str(folder),
        "cautions": result.cautions,
        "summary": as_written(result.summary()).to_pylist(),
    }
