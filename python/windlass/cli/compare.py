"""``windlass compare``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windlass.cli import completion, latex
from windlass.cli.files import check_file, command_line, load_scenario, show_progress
from windlass.cli.group import main
from windlass.cli.hints import UsageError
from windlass.cli.latex import latex_option
from windlass.cli.options import (
    Drawing,
    execution_options,
    json_option,
    layout_options,
    own_option,
    seeds_option,
    sets_option,
    store_own_option,
)
from windlass.cli.printing import print_json, print_view

if TYPE_CHECKING:
    from windlass.compare import Comparison


def _columns(context: click.Context, parameter: click.Parameter, value: str | None) -> list[str] | None:
    """``goodput,gain`` as a list."""
    if value is None:
        return None
    from windlass.errors import did_you_mean
    from windlass.views.comparison import SHOWN

    names = [name.strip() for name in value.split(",") if name.strip()]
    for name in names:
        if name not in SHOWN and name != "all":
            hint = did_you_mean(name, SHOWN) or f"there are {', '.join(f'`{one}`' for one in SHOWN)}, or `all`"
            raise UsageError(f"the table has no column `{name}`", hint)
    return list(SHOWN) if "all" in names or not names else names


@main.command(
    "compare",
    short_help="Compare algorithms and queues on paths, and say which to take.",
    epilog="Example: windlass compare newreno veno cerl --path lossy-dumbbell --set topology.bottleneck.loss.rate=1%",
)
@click.argument("algorithms", nargs=-1, required=True, metavar="ALGORITHM...", shell_complete=completion.algorithms)
@click.option(
    "--path",
    "files",
    multiple=True,
    metavar="FILE",
    shell_complete=completion.scenarios,
    help="Scenario of the path, or a ready scenario's name. Must be given; can be repeated.",
)
@click.option(
    "--queue",
    "queues",
    multiple=True,
    metavar="QUEUE",
    shell_complete=completion.queues,
    help='Compare queues, too: codel, "drop-tail:1 bdp", "red:min=5 packets". Can be repeated.',
)
@click.option("--queue-at", metavar="KEY", help="Key of that queue; by default that of the narrowest link.")
@click.option(
    "--baseline",
    metavar="NAME",
    shell_complete=completion.algorithms,
    help='What gains are against: an ALGORITHM, a QUEUE, or "ALGORITHM with QUEUE"; by default the first of each.',
)
@own_option
@store_own_option
@sets_option
@seeds_option
@execution_options
@click.option(
    "--flows", "group", metavar="NAME", help="Group of flows that runs the algorithms; by default the first one."
)
@click.option(
    "--neighbour/--no-neighbour", default=True, help="Also measure one NewReno flow among the others (the default)."
)
@click.option(
    "-o",
    "--output",
    type=Drawing("html", "htm"),
    help="A page with the answer (.html), or a figure of goodput against queueing delay: .pdf, .svg or .png, or all "
    "three without an extension.",
)
@layout_options
@click.option(
    "--columns",
    callback=_columns,
    metavar="NAMES",
    help="Columns of the table, separated by commas: goodput, gain, completion, unfinished, delay, delays (of other "
    "groups), misses, false-alarms, timeouts, neighbour, cost, limits, seeds; or all. By default all, and in LaTeX "
    "goodput,gain,completion,delay,cost, which have room on two columns of a paper.",
)
@json_option
@latex_option
def compare_(
    algorithms: Sequence[str],
    files: Sequence[str],
    queues: Sequence[str],
    queue_at: str | None,
    baseline: str | None,
    sets: Sequence[tuple[str, str]],
    seeds: int | Sequence[int] | None,
    jobs: int | None,
    store: Path | None,
    group: str | None,
    neighbour: bool,
    output: Path | None,
    columns: Sequence[str] | None,
    as_json: bool,
    **layout: Any,
) -> None:
    """Run the same path with each ALGORITHM, show what it gets and what it costs, and say which to take.

    An ALGORITHM is a name, or a name and parameters: cerl:cerl_cmp=gt,cerl_lmax=rebase. Gains are against the baseline,
    seed by seed. A miss is a congestion loss taken for random; a false alarm is a random loss taken for congestion. The
    simulator knows which was which. The neighbour is one NewReno flow that replaces one of the others; its cost is what
    it loses beside the algorithm, compared with the same flow beside NewReno.
    """
    import shlex

    import windlass
    from windlass import plots
    from windlass.compare.requests import refuse_files

    if not files:
        refuse_files(algorithms)
        raise UsageError(
            "no path: compare needs --path", f"`windlass compare {' '.join(algorithms)} --path lossy-dumbbell`"
        )
    paths = [load_scenario(file, sets) for file in files]
    if output is not None:
        check_file(output)
    elif any(layout.values()):
        raise click.UsageError("--width, --font, --font-size, --title and --label are for the figure: name it with -o")
    with plots.layout(**layout):
        with show_progress("comparison") as progress:
            result = windlass.compare(
                paths,
                algorithms,
                queues=queues,
                queue_at=queue_at,
                baseline=baseline,
                group=group,
                neighbour=neighbour,
                seeds=seeds,
                jobs=jobs,
                store=str(store) if store else True,
                progress=progress,
            )
        if output is not None:
            _write(result, output, shlex.join(command_line()))
    if as_json:
        print_json(result.to_dict())
    else:
        print_comparison(result, columns)


def _write(result: Comparison, output: Path, command: str) -> None:
    from windlass import plots

    if output.suffix.lower() in (".html", ".htm"):
        click.echo(str(result.write(output, command=command)), err=True)
        return
    for drawn in plots.save(plots.goodput_against_delay(result), output):
        click.echo(str(drawn), err=True)


def print_comparison(result: Comparison, columns: Sequence[str] | None = None) -> None:
    """Print the table of a comparison, or some of its columns, and its sentences."""
    from windlass.views.comparison import IN_PRINT, SHOWN, of_comparison

    chosen = columns or (IN_PRINT if latex.is_on() else SHOWN)
    print_view(of_comparison(result, chosen))
