"""``windlass compare``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windlass.cli.files import load_scenario, show_progress
from windlass.cli.group import main
from windlass.cli.options import Place, execution_options, json_option, own_option, sets_option
from windlass.cli.printing import print_json, print_table, with_interval

if TYPE_CHECKING:
    from windlass.compare import Comparison


@main.command(
    "compare",
    short_help="Compare algorithms on one path.",
    epilog="Example: windlass compare newreno veno cerl --path lossy-dumbbell --set topology.bottleneck.loss.rate=1%",
)
@click.argument("algorithms", nargs=-1, required=True, metavar="ALGORITHM...")
@click.option("--path", "file", required=True, metavar="FILE", help="Scenario of the path, or a ready scenario's name.")
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
    help="Figure of goodput against queueing delay; .pdf, .svg or .png, or all three without an extension.",
)
@json_option
def compare_(
    algorithms: Sequence[str],
    file: str,
    sets: Sequence[tuple[str, str]],
    seeds: int | None,
    jobs: int | None,
    store: Path | None,
    group: str | None,
    neighbour: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run the same path with each ALGORITHM and show what it gets and what it costs.

    An ALGORITHM is a name, or a name and parameters: cerl:cerl_cmp=gt,cerl_lmax=rebase. Gains are against the first
    one, seed by seed. A miss is a congestion loss taken for random; a false alarm is a random loss taken for
    congestion. The simulator knows which was which. The neighbour is one NewReno flow that replaces one of the others;
    its cost is what it loses beside the algorithm, compared with the same flow beside NewReno.
    """
    from windlass import compare as comparison

    scenario = load_scenario(file, sets)
    with show_progress("comparison") as progress:
        result = comparison.compare(
            scenario,
            algorithms,
            group=group,
            neighbour=neighbour,
            seeds=seeds,
            jobs=jobs,
            store=str(store) if store else True,
            progress=progress,
        )
    if output is not None:
        from windlass import plots

        for drawn in plots.save(plots.goodput_against_delay(result), output):
            click.echo(str(drawn), err=True)
    if as_json:
        print_json(result.to_dict())
    else:
        _print_comparison(result)


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


def _print_comparison(result: Comparison) -> None:
    rows = [outcome.to_dict() for outcome in result.outcomes]
    axes = list(result.outcomes[0].axes)
    first = rows[0]["algorithm"]
    shown = []
    for row in rows:
        line = {name: row[name] for name in (*axes, "algorithm", "seeds")}
        for metric, words, scale, digits in _COMPARED:
            line[words] = with_interval(row, metric, scale, digits)
            if metric in ("miss_rate", "false_alarm_rate"):
                line[words] = (line[words] or "no loss") if row["judges_losses"] else "-"
            if metric == "goodput_bps":
                gain = {f"gain_{part}": _minus_one(row[f"against_first_{part}"]) for part in ("mean", "lo", "hi")}
                line[f"over {first} %"] = "" if row["algorithm"] == first else with_interval(gain, "gain", 1e2, 1)
        shown.append(line)
    columns = [name for name in shown[0] if any(line[name] != "" for line in shown)]
    click.echo(f"{result.name}, flows `{result.group}`: mean per flow over seeds, ± half of the 95 % interval")
    for caution in result.cautions:
        click.echo(f"caution: {caution}")
    print_table(columns, shown, right=columns[len(axes) + 1 :])
    blind = list(dict.fromkeys(row["algorithm"] for row in rows if not row["judges_losses"]))
    if blind:
        click.echo(f"-: does not judge losses, takes each for congestion: {', '.join(blind)}")
    if any("no loss" in line.values() for line in shown):
        click.echo("no loss: the senders acted on no loss of that kind")


def _minus_one(ratio: float | None) -> float | None:
    return None if ratio is None else ratio - 1.0
