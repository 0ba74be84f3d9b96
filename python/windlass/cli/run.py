"""``windlass run``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import windlass
from windlass.cli import completion
from windlass.cli.files import check_folder, command_line, load_scenario, say_how_long
from windlass.cli.group import main
from windlass.cli.latex import latex_option, say
from windlass.cli.options import Place, json_option, limits_options, own_option, sets_option
from windlass.cli.printing import MOST_ROWS, fixed, print_json, print_table
from windlass.names import loss_causes, transports

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
        print_json(_run_json(scenario, result))
    else:
        _print_run(scenario, result)
        if out is not None:
            click.echo(f"written to {out}", err=True)
        elif trace is not None or events:
            click.echo("what was recorded is in the tables: `--out DIR` writes them, `--json` prints them", err=True)


def _run_json(scenario: Scenario, result: RunResult) -> dict[str, Any]:
    from windlass.cautions import cautions_of
    from windlass.engine import ENGINE_VERSION
    from windlass.tables import TABLES

    tables = {name: result.tables[name].to_pylist() for name in TABLES if result.tables[name].num_rows}
    about = {"scenario": scenario.name, "engine": ENGINE_VERSION, "key": result.key, "seed": result.seed}
    return {**about, "cautions": cautions_of([result]), **tables}


def _print_run(scenario: Scenario, result: RunResult) -> None:
    from windlass.cautions import cautions_of

    rows = result.flows.to_pylist()
    shown = _table(rows)
    say(f"{scenario.name}, seed {result.seed}, {scenario.duration_s:g} s")
    for caution in cautions_of([result]):
        say(f"caution: {caution}")
    columns = tuple(shown[0]) if shown else ()
    print_table(columns, shown[:MOST_ROWS], right=columns[2:])
    if len(rows) > MOST_ROWS:
        say(f"and {len(rows) - MOST_ROWS} more flows; --json or --out DIR gives all")
    parts = {transport.name for transport in transports() if transport.part}
    total = sum(row["goodput_run_bps"] or 0.0 for row in rows if row["transport"] not in parts)
    say(f"all flows: {total * 1e-6:.3f} Mbit/s")
    _print_completions(rows)
    _print_stations(result)


def _table(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The columns that apply to these flows: sizes and times of transfers, and a column for each cause of loss met."""
    both = len({row["direction"] for row in rows}) > 1
    sized = any(row["size_bytes"] is not None for row in rows)
    causes = [cause for cause in loss_causes() if any(row[cause.column] for row in rows)]
    shown = []
    for row in rows:
        line = {"flow": row["flow"] + (f" ({row['direction']})" if both else ""), "algorithm": row["algorithm"]}
        if sized:
            line["size kB"] = fixed(row["size_bytes"], 1e-3, 1)
            line["FCT s"] = fixed(row["completion_s"], 1.0, 3)
            if row["size_bytes"] is not None and row["completion_s"] is None:
                line["FCT s"] = "unfinished"
        line["goodput Mbit/s"] = fixed(row["goodput_bps"], 1e-6, 3)
        line["retransmitted"] = row["retransmitted_segments"]
        line["timeouts"] = row["timeouts"]
        line |= {cause.label: row[cause.column] for cause in causes} or {"lost": 0}
        line["srtt ms"] = fixed(row["srtt_mean_s"], 1e3, 1)
        shown.append(line)
    return shown


def _print_stations(result: RunResult) -> None:
    """What each station did on the air, if any did."""
    rows = result.stations.to_pylist()
    if not rows:
        return
    media = len({row["medium"] for row in rows}) > 1
    shown = []
    for row in rows[:MOST_ROWS]:
        line = {"medium": row["medium"]} if media else {}
        line["station"] = row["station"]
        line["attempts"] = row["attempts"]
        line["retries"] = row["retries"]
        line["collided"] = row["collided_frames"]
        line["given up"] = row["mac_dropped_packets"]
        line["queue drops"] = row["loss_queue"]
        line["rate Mbit/s"] = fixed(row["rate_mean_bps"], 1e-6, 2)
        line["airtime %"] = fixed(row["airtime_share"], 1e2, 1)
        line["MAC delay ms"] = fixed(row["mac_delay_mean_s"], 1e3, 2)
        shown.append(line)
    columns = tuple(shown[0])
    print_table(columns, shown, right=columns[columns.index("station") + 1 :])
    if len(rows) > MOST_ROWS:
        say(f"and {len(rows) - MOST_ROWS} more stations; --json or --out DIR gives all")


def _print_completions(rows: Sequence[Mapping[str, Any]]) -> None:
    """For each group of several transfers of given size: how many there were, and how long those that ended took."""
    import numpy as np

    groups: dict[str, list[float | None]] = {}
    for row in rows:
        if row["size_bytes"] is not None:
            groups.setdefault(row["group"], []).append(row["completion_s"])
    for name, times in groups.items():
        ended = [time for time in times if time is not None]
        if len(times) > 1:
            took = ""
            if ended:
                mean, median, p95 = float(np.mean(ended)), float(np.median(ended)), float(np.quantile(ended, 0.95))
                took = f", FCT {mean:.3f} s on average, median {median:.3f} s, 95 % within {p95:.3f} s"
            say(f"{name}: {len(ended)} of {len(times)} transfers ended{took}")
