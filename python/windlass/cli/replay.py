"""``windlass replay``."""

from __future__ import annotations

import dataclasses

import click

from windlass.cli import completion
from windlass.cli.group import main
from windlass.cli.options import json_option, own_option
from windlass.cli.printing import print_json

MOST = 10
"""Differences that are printed."""


@main.command(
    short_help="Compare an algorithm's answers with a tape of a run.",
    epilog="Example: windlass replay out/flow.tape --algorithm cerl:cerl_cmp=gt",
)
@click.argument("file")
@click.option(
    "--algorithm",
    metavar="NAME",
    shell_complete=completion.algorithms,
    help="An algorithm other than the tape's: a name, or NAME:PARAMETER=VALUE,...",
)
@own_option
@json_option
def replay(file: str, algorithm: str | None, as_json: bool) -> None:
    """Replay the tape FILE to an algorithm and compare its answers with those on the tape.

    `windlass run SCENARIO --trace tape --out DIR` writes a tape for each flow.

    Shows the first answers that differ, each with its first differing field, or says that all are equal. The exit code
    is 1 if any differ.
    """
    from contextlib import redirect_stdout

    from windlass.cli.own import Split
    from windlass.compare import algorithm_value
    from windlass.tapes import replay

    with redirect_stdout(Split(None)):
        found = replay(file, None if algorithm is None else algorithm_value(algorithm))
    if as_json:
        print_json(dataclasses.asdict(found))
    elif not found.differences:
        click.echo(f"{found.algorithm}: all {found.events} answers are equal")
    else:
        for one in found.differences[:MOST]:
            when = "" if one.time_s is None else f" at {one.time_s:.6f} s"
            click.echo(f"line {one.line}, {one.event}{when}: {one.field} is {one.tape} on the tape, {one.answer} now")
        more = len(found.differences) - MOST
        if more > 0:
            click.echo(f"and {more} more; --json gives all")
        click.echo(f"{found.algorithm}: {len(found.differences)} of {found.events} answers differ")
    if found.differences:
        click.get_current_context().exit(1)
