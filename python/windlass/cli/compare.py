"""``windlass compare``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windlass.cli import completion
from windlass.cli.files import command_line, load_scenario, show_progress
from windlass.cli.group import main
from windlass.cli.latex import latex_option, say
from windlass.cli.options import Place, execution_options, json_option, own_option, sets_option
from windlass.cli.printing import print_json, print_table, with_interval

if TYPE_CHECKING:
    from windlass.compare import Comparison


@main.command(
    "compare",
    short_help="Compare algorithms and queues on paths, and say which to take.",
    epilog="Example: windlass compare newreno veno cerl --path lossy-dumbbell --set topology.bottleneck.loss.rate=1%",
)
@click.argument("algorithms", nargs=-1, required=True, metavar="ALGORITHM...", shell_complete=completion.algorithms)
@click.option(
    "--path",
    "files",
    required=True,
    multiple=True,
    metavar="FILE",
    shell_complete=completion.scenarios,
    help="Scenario of the path, or a ready scenario's name. Can be repeated.",
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
@sets_option
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
    type=Place(),
    help="A page with the answer (.html), or a figure of goodput against queueing delay: .pdf, .svg or .png, or all "
    "three without an extension.",
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
    seeds: int | None,
    jobs: int | None,
    store: Path | None,
    group: str | None,
    neighbour: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run the same path with each ALGORITHM, show what it gets and what it costs, and say which to take.

    An ALGORITHM is a name, or a name and parameters: cerl:cerl_cmp=gt,cerl_lmax=rebase. Gains are against the baseline,
    seed by seed. A miss is a congestion loss taken for random; a false alarm is a random loss taken for congestion. The
    simulator knows which was which. The neighbour is one NewReno flow that replaces one of the others; its cost is what
    it loses beside the algorithm, compared with the same flow beside NewReno.
    """
    import shlex

    import windlass

    paths = [load_scenario(file, sets) for file in files]
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
        print_comparison(result)


def _write(result: Comparison, output: Path, command: str) -> None:
    from windlass import plots

    if output.suffix.lower() in (".html", ".htm"):
        click.echo(str(result.write(output, command=command)), err=True)
        return
    for drawn in plots.save(plots.goodput_against_delay(result), output):
        click.echo(str(drawn), err=True)


_COMPARED: tuple[tuple[str, str, float, int], ...] = (
    ("goodput_bps", "goodput Mbit/s", 1e-6, 3),
    ("completion_s", "FCT mean s", 1.0, 3),
    ("unfinished", "unfinished %", 1e2, 1),
    ("queue_delay_p95_s", "p95 queueing ms", 1e3, 1),
    ("miss_rate", "misses %", 1e2, 1),
    ("false_alarm_rate", "false alarms %", 1e2, 1),
    ("timeouts", "timeouts", 1.0, 2),
    ("neighbour_bps", "neighbour Mbit/s", 1e-6, 3),
    ("neighbour_cost", "cost to it %", 1e2, 1),
)

_LONGEST = 20
"""A longer name of the baseline stands below the table instead of in its head."""

_LIMITED = "limited by cwnd/rwnd/app/pace %"


def print_comparison(result: Comparison) -> None:
    """Print the table of a comparison and its sentences."""
    rows = [outcome.to_dict() for outcome in result.outcomes]
    names = _names(result)
    shown = [_line(result, row, names) for row in rows]
    columns = [name for name in shown[0] if any(line[name] != "" for line in shown)]
    say(f"{result.name}, flows `{result.group}`: mean per flow over seeds, ± half of the 95 % interval")
    _print_senders(result)
    for caution in result.cautions:
        say(f"caution: {caution}")
    print_table(columns, shown, right=[name for name in columns if name not in names or name == "seeds"])
    if "over baseline %" in columns:
        say(f"baseline: {result.baseline}")
    blind = list(dict.fromkeys(row["algorithm"] for row in rows if not row["judges_losses"]))
    if blind:
        say(f"-: does not judge losses, takes each for congestion: {', '.join(blind)}")
    if any("no loss" in line.values() for line in shown):
        say("no loss: the senders acted on no loss of that kind")
    say("")
    for statement in result.answer:
        say(statement.text)


def _names(result: Comparison) -> list[str]:
    """Columns that say which row it is."""
    several = len({one.path for one in result.outcomes}) > 1
    axes = list(dict.fromkeys(axis for one in result.outcomes for axis in one.axes))
    queues = any(one.queue for one in result.outcomes)
    return [*(["path"] if several else []), *axes, *(["queue"] if queues else []), "algorithm", "seeds"]


def _over(result: Comparison) -> str:
    """Head of the column of gains: the baseline, if it has a short name."""
    return f"over {result.baseline} %" if len(result.baseline) <= _LONGEST else "over baseline %"


def _line(result: Comparison, row: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """A row of the table."""
    line = {name: row.get(name, "") for name in names}
    candidate = f"{row['algorithm']} with {row['queue']}" if row["queue"] else row["algorithm"]
    for metric, words, scale, digits in _COMPARED:
        line[words] = with_interval(row, metric, scale, digits)
        if metric in ("miss_rate", "false_alarm_rate"):
            line[words] = (line[words] or "no loss") if row["judges_losses"] else "-"
        if metric == "goodput_bps":
            gain = {f"gain_{part}": _minus_one(row[f"against_baseline_{part}"]) for part in ("mean", "lo", "hi")}
            own = candidate == result.baseline
            line[_over(result)] = "" if own else with_interval(gain, "gain", 1e2, 1)
        if metric == "queue_delay_p95_s":
            for group in dict.fromkeys(name for one in result.outcomes for name in one.delays if name != one.group):
                delay = {f"p95_{part}": value for part, value in row["delays"].get(group, _NONE).items()}
                line[f"p95 of `{group}` ms"] = with_interval(delay, "p95", scale, digits)
    shares = [row.get(f"{limit}_limited_share_mean") for limit in ("cwnd", "rwnd", "application", "pacing")]
    known = [share for share in shares if share is not None and not math.isnan(share)]
    line[_LIMITED] = "/".join(f"{100.0 * share:.0f}" for share in known) if len(known) == len(shares) else ""
    return line


_NONE = {"mean": None, "lo": None, "hi": None}


def _print_senders(result: Comparison) -> None:
    """Recovery core, d and profile: once if all rows have the same, else who has which."""
    found: dict[str, list[str]] = {}
    for one in result.outcomes:
        if one.senders is not None:
            found.setdefault(one.senders.text(), []).append(one.algorithm)
    for text, algorithms in found.items():
        who = "all rows" if len(found) == 1 else ", ".join(dict.fromkeys(algorithms))
        say(f"{who}: {text}")


def _minus_one(ratio: float | None) -> float | None:
    return None if ratio is None else ratio - 1.0
