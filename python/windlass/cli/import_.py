"""``windlass import``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windlass.cli.compare import print_comparison
from windlass.cli.group import main
from windlass.cli.options import Place, json_option
from windlass.cli.printing import print_json, print_table
from windlass.errors import visible

if TYPE_CHECKING:
    from windlass.compare import Comparison
    from windlass.imports import ImportedPath

SENDERS = ("cubic", "newreno", "bbr")
"""What a first comparison holds against each other."""

SEEDS = 5
"""How often: fewer hardly tell anything."""


@main.command(
    "import",
    short_help="Make a scenario of measurements of a real path.",
    epilog="Example: windlass import upload.pcap -o upload.toml --compare",
)
@click.argument("file")
@click.option(
    "-o", "--output", type=Place(dir_okay=False), help="Scenario file to write; a trace goes beside it (.mahi)."
)
@click.option(
    "--format", "kind", metavar="KIND", help="capture, iperf3, flent, csv, ss, ping or mahimahi; by default what it is."
)
@click.option(
    "--flow", metavar="FLOW", help="Connection, host or test: a number, by size, or part of its name, such as a port."
)
@click.option(
    "--rate",
    type=click.Choice(["auto", "constant", "trace"]),
    default="auto",
    help="The link's rate: its mean, or as it changed; auto: a trace if it is the link's own and changes.",
)
@click.option("--compare", is_flag=True, help="Also compare cubic, newreno and bbr on it, 5 seeds.")
@json_option
def import_(
    file: str, output: Path | None, kind: str | None, flow: str | None, rate: str, compare: bool, as_json: bool
) -> None:
    """Read measurements in FILE and print what they say of the path, each number with its 95 % interval.

    FILE is a capture (pcap, pcapng), the output of `iperf3 -J`, a data file of Flent, a CSV of rate over time, a log of
    `ss -ti` or `ping`, or a mahimahi trace. The result is a scenario with rate, delay, jitter, queue and a fitted model
    of loss, as far as the data show them, and notes of what they cannot tell. Where the data show one end of a number
    only, it is told as "at least" or "at most".

    --compare tries the ends of what the data bound but do not fix. Where the answer hangs on them it says that these
    data cannot decide, and which measurement would.
    """
    import windlass

    path = windlass.import_path(file, format=kind, flow=flow, rate=rate)
    written = path.write(output) if output is not None else []
    if as_json:
        more = {"written": [str(one) for one in written]}
        print_json(path.to_dict() | more | ({"compare": _compare(path).to_dict()} if compare else {}))
        return
    _print(path, notes=not compare)
    for one in written:
        click.echo(visible(f"written: {one}"))
    if compare:
        click.echo("")
        print_comparison(_compare(path))
    elif written:
        click.echo(visible(f"next: windlass compare {' '.join(SENDERS)} --path {shlex.quote(str(written[0]))}"))
    else:
        click.echo(visible(f"next: windlass import {shlex.quote(file)} -o {path.name}.toml --compare"))


def _compare(path: ImportedPath) -> Comparison:
    from windlass.cli.files import show_progress

    with show_progress("comparison") as progress:
        return path.compare(SENDERS, seeds=SEEDS, progress=progress)


def _print(path: ImportedPath, notes: bool) -> None:
    """The facts and numbers; the notes stand beside the comparison, if there is one."""
    from windlass.imports.text import rows

    click.echo(visible(f"{path.name}: {path.format}"))
    for fact in path.facts:
        click.echo(visible(f"  {fact}"))
    columns = ("number", "value", "95 % interval", "from")
    print_table(columns, [dict(zip(columns, row, strict=True)) for row in rows(path)], right=())
    for note in path.notes if notes else ():
        click.echo(visible(f"note: {note}"))
