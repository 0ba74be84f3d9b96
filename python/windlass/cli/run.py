"""``windlass run``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

import windlass
from windlass.cli import completion
from windlass.cli.files import check_folder, command_line, load_scenario, say_how_long
from windlass.cli.group import main
from windlass.cli.latex import latex_option
from windlass.cli.options import Place, json_option, limits_options, own_option, sets_option
from windlass.cli.printing import print_json_tables, print_view

if TYPE_CHECKING:
    from windlass.scenario import Scenario
    from windlass.sweep import RunResult


@main.command(
    short_help="Run a scenario once.",
    epilog="Example: windlass run lossy-dumbbell --set flows.algorithm=veno --set topology.bottleneck.loss.rate=1%",
)
@click.argument("file", shell_complete=completion.scenarios)
@own_option
@limits_options
@sets_option
@click.option("--seed", type=int, help="Seed of the run; by default the scenario's first.")
@click.option(
    "--trace",
    metavar="NAMES",
    help="Series to record: cwnd, ssthresh, flight, srtt, rate, loss-event-rate, window, sent, delivered, delay, "
    "queue, airtime, serving, snr; separated by commas. Also tape: everything that each flow's algorithm is told and answers, as text for `windlass replay`.",
)
@click.option("--events", is_flag=True, help="Record every window change and every loss, with its true cause.")
@click.option("--out", type=Place(), metavar="DIR", help="Folder for the tables (Parquet).")
@json_option
@latex_option
def run(
    file: str,
    sets: Sequence[tuple[str, str]],
    seed: int | None,
    trace: str | None,
    events: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run FILE once: a scenario file, or the name of a ready scenario."""
    scenario = load_scenario(file, sets)
    if trace is not None:
        names = [name.strip() for name in trace.split(",") if name.strip()]
        scenario = scenario.with_({"output.traces": names})
    if events:
        scenario = scenario.with_({"output.events": True})
    if out is not None:
        check_folder(out)
    if len(scenario.points()) == 1:
        say_how_long(scenario, 1, 1)
    result = windlass.run(scenario, seed)
    if out is not None:
        from windlass.output import write_run

        write_run(scenario.name, result, scenario.points()[0].effective_json(), out, command_line())
    if as_json:
        _print_run_json(scenario, result)
    else:
        from windlass.views.results import of_run

        print_view(of_run(result, f"{scenario.name}, seed {result.seed}, {scenario.duration_s:g} s"))
        if out is not None:
            click.echo(f"written to {out}", err=True)
        elif trace is not None or events:
            click.echo("what was recorded is in the tables: `--out DIR` writes them, `--json` prints them", err=True)


def _print_run_json(scenario: Scenario, result: RunResult) -> None:
    from windlass.cautions import cautions_of
    from windlass.engine import ENGINE_VERSION
    from windlass.tables import TABLES

    about = {"scenario": scenario.name, "engine": ENGINE_VERSION, "key": result.key, "seed": result.seed}
    tables = {name: result.tables[name] for name in TABLES if result.tables[name].num_rows}
    print_json_tables(about | {"cautions": cautions_of([result])}, tables)
