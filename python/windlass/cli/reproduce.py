"""``windlass reproduce``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from windlass.cli import completion
from windlass.cli.files import check_folder, show_experiments
from windlass.cli.group import main
from windlass.cli.latex import latex_option
from windlass.cli.options import Place, Seeds, execution_options, json_option
from windlass.cli.printing import console, print_json


@main.command(
    short_help="Run a paper's experiments and judge its claims.",
    epilog="Example: windlass reproduce saedi2019/fig3.5 --quick",
)
@click.argument("target", shell_complete=completion.targets)
@click.option("--seeds", type=Seeds(listed=False), help="Number of seeds, instead of as many as the verdicts need.")
@execution_options
@click.option("--quick", is_flag=True, help="Few seeds and few points: a first impression, not a verdict.")
@click.option(
    "--reading",
    default="",
    metavar="NAME",
    help="Judge in this reading only, beside the base: one of the ledger's, or `modern`, today's senders on the path.",
)
@click.option("--plan", is_flag=True, help="Print what would run and how long it takes, and run nothing.")
@click.option(
    "--values",
    type=Place(),
    metavar="DIR",
    help="Folder of an earlier run or of its published pages: make no run again whose values are there.",
)
@click.option("--check", is_flag=True, help="Exit with 1 if a claim is contradicted or impossible.")
@click.option("--out", type=Place(), metavar="DIR", help="Folder for figures, tables and the report.")
@json_option
@latex_option
def reproduce(
    target: str,
    seeds: int | None,
    jobs: int | None,
    store: Path | None,
    quick: bool,
    reading: str,
    plan: bool,
    values: Path | None,
    check: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Rerun a paper's experiments and judge its claims. TARGET is PAPER/EXPERIMENT, PAPER, or `all`.

    Without --seeds, each setting gets as many seeds as the verdicts need: readings from 3 to 50, the base from 10.
    Can be interrupted at any time: finished runs are kept, and the same command goes on.

    A verdict against the paper is a result, not a failure: the exit code is 0 unless --check is given.
    """
    from windlass import reproduce as reproduction

    outcome: Any
    if plan:
        outcome = reproduction.outline(target, seeds=seeds, quick=quick, reading=reading, out=out)
    else:
        if out is not None:
            check_folder(out)
        with show_experiments(target) as (progress, announce):
            outcome = reproduction.main(
                target,
                seeds=seeds,
                quick=quick,
                reading=reading,
                jobs=jobs,
                out=out,
                store=store or True,
                progress=progress,
                announce=announce,
                values=values,
            )
    if as_json:
        place = getattr(outcome, "report", None)
        print_json({**outcome.to_dict(), **({} if place is None else {"report": str(place)})})
    else:
        outcome.render(
            console(width=150)
        )  # claims are sentences: broken into lines rather than cut by the reader's window
    if check and any(outcome.counts.get(verdict) for verdict in ("contradicted", "impossible")):
        click.get_current_context().exit(1)
