"""``windlass validate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windlass import _json
from windlass.cli import completion
from windlass.cli.files import check_folder, load_scenario, show_progress
from windlass.cli.group import main
from windlass.cli.options import Place, Seeds, json_option, own_option, sets_option
from windlass.cli.printing import cell, print_json, print_table

if TYPE_CHECKING:
    from windlass.validation.linux import Comparison


@main.group(short_help="Compare with another simulator, or with the Linux kernel.")
def validate() -> None:
    """Compare results with those of another simulator, or with the Linux kernel."""


@validate.command("ns2", short_help="Compare with ns-2 2.35.")
@click.argument("file", required=False, shell_complete=completion.scenarios)
@own_option
@sets_option
@click.option(
    "--seeds",
    type=Seeds(2, listed=False),
    help="Number of seeds; by default the scenario's; with --stored 10, or 5 of 802.11.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Parallel runs; by default one per core.")
@click.option("--stored", is_flag=True, help="Compare with the figures that ship with Windlass; does not need ns-2.")
@click.option("--out", type=Place(), metavar="DIR", help="Folder for comparison.json and scripts.")
@json_option
def validate_ns2(
    file: str | None,
    sets: Sequence[tuple[str, str]],
    seeds: int | None,
    jobs: int | None,
    stored: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run every point of FILE here and in ns-2, the program `ns`, and compare the sums of the flows' goodput.

    Both use the start times of the same seeds, but each has its own losses. A point agrees if the means differ by no
    more than the half widths of both 95 % intervals and 3 % of ns-2's mean together; stored figures of 802.11 by 10 %.
    Cells and chains are measured after the warm-up. Without FILE, a small built-in set
    of scenarios is run. The exit code is 1 if a point differs for no known reason.
    """
    if stored and (file is not None or sets or jobs is not None):
        raise click.UsageError("--stored has scenarios of its own: leave FILE, --set and --jobs out")
    if sets and file is None:
        raise click.UsageError("--set needs FILE")
    if out is not None:
        check_folder(out)
    if stored:
        from windlass import validation

        with show_progress("stored points") as progress:
            outcomes = validation.compare_all(seeds=seeds, progress=progress)
        data: dict[str, Any] = validation.to_dict(outcomes)
        scripts: Mapping[str, str] = {}
        wrong = any(not one.agrees and one.reason is None for one in outcomes)
    else:
        from windlass.validation import ns2
        from windlass.validation.built_in import built_in

        scenarios = built_in() if file is None else [load_scenario(file, sets)]
        with show_progress("runs of ns-2") as progress:
            outcome = ns2.compare(scenarios, seeds=seeds, jobs=jobs, progress=progress)
        data, scripts = outcome.to_dict(), outcome.scripts
        wrong = outcome.agreeing < len(outcome.points)
    if out is not None:
        from windlass.validation.ns2 import write

        write(_json.strict(data), scripts, out)
    if as_json:
        print_json(data)
    else:
        _print_validation(data)
        if out is not None:
            click.echo(f"written to {out}", err=True)
    if wrong:
        click.get_current_context().exit(1)


def _print_validation(data: Mapping[str, Any]) -> None:
    shown = []
    for point in data["points"]:
        goodput = point["goodput_mbps"]
        if "axes" in point:
            line = {"scenario": point["scenario"]} | {name: cell(value) for name, value in point["axes"].items()}
        else:
            where = f"{point['scenario']}, {point['parameter']}"
            line = {"agent": point["agent"], "scenario": where, "value": point["value"]}
        for simulator in ("ns2", "windlass"):
            mean, half = goodput[f"{simulator}_mean"], goodput[f"{simulator}_half_width"]
            line["ns-2 Mbit/s" if simulator == "ns2" else "Windlass Mbit/s"] = f"{mean:.4g} ± {half:.2g}"
        line["difference"] = f"{100.0 * goodput['difference']:+.1f} %"
        line["allowed"] = f"{100.0 * goodput['allowed']:.1f} %"
        line["agrees"] = "yes" if point["agrees"] else "no"
        if "timeouts" in point:
            # Not judged, but they tell more of two senders than the goodput does.
            line["timeouts, ns-2 / Windlass"] = " / ".join(
                f"{point['timeouts'][f'{name}_mean']:.1f}" for name in ("ns2", "windlass")
            )
        shown.append(line)
    columns = tuple(dict.fromkeys(name for line in shown for name in line))
    words = ("scenario", "agent", "agrees")
    right = [name for name in columns if name not in words]
    print_table(columns, [{name: line.get(name, "") for name in columns} for line in shown], right=right)
    click.echo(f"{data['agreeing']} of {data['total']} points agree")
    for point in data["points"]:
        for failure in point.get("failures", ()):
            click.echo(f"caution: {point['scenario']}: ns-2, {failure}")
        if point.get("reason"):
            click.echo(f"{point['agent']}, {point['scenario']}, {point['value']}: {point['reason']}")


@validate.command("linux", short_help="Compare with traces of the Linux kernel.")
@click.argument("folder", required=False, type=Place(), metavar="[DIR]")
@click.option("--case", "names", multiple=True, metavar="NAME", help="Only this one, or `cubic-*`. Can be repeated.")
@click.option(
    "--seeds",
    type=Seeds(2, listed=False),
    default=10,
    show_default=True,
    help="Seeds of each random point at first.",
)
@json_option
def validate_linux(folder: Path | None, names: Sequence[str], seeds: int, as_json: bool) -> None:
    """Run the cases of DIR here and compare them with what a Linux kernel did in virtual time.

    DIR holds droplist/summary.csv with its traces, random/random.csv, or both; by default the reference of the source
    tree, which a wheel does not have. Without randomness a case agrees if the same segments are sent again, with as
    many timeouts and tail loss probes, the delivered bytes are within 2 % (bbr: 5 %), and the window of reno and cubic
    is within two segments at 95 % of the points. Under random loss the means may differ by the half width of the 95 %
    interval of their difference and 5 % of Linux's mean; while that is more than 15 % of it, more seeds are run, up
    to 160. A row that has no counterpart here, or whose trace is missing, is skipped, and the verdict says
    why. The exit code is 1 if something differs for no known reason, if a trace cannot be read, or if nothing was
    compared.
    """
    from windlass.validation import linux
    from windlass.validation.linux.record import unexplained

    reference = linux.read(linux.stored() if folder is None else folder)
    with show_progress("cases of Linux") as progress:
        done = linux.compare(reference, names=names, seeds=seeds, progress=progress)
    if as_json:
        print_json(done.to_dict())
    else:
        _print_linux(done)
    if unexplained(done) or done.broken or done.run == 0:
        click.get_current_context().exit(1)


def _print_linux(done: Comparison) -> None:
    from windlass.validation.linux import tables

    for rows, words in ((tables.case_rows(done.cases), ("case",)), (tables.point_rows(done.points), ())):
        left = (*words, "path", "algorithm", "first that differs", "agrees")
        if rows:
            print_table(tuple(rows[0]), rows, right=[name for name in rows[0] if name not in left])
    for line in tables.verdict(done):
        click.echo(line)
    click.echo(
        "Linux / Windlass; `!` differs, brackets are not judged. How the reference was made, and how to make more:"
    )
    click.echo("tests/differential/linux/README.md")


@validate.command("packetdrill", short_help="Play packetdrill's scripts.")
@click.argument("paths", nargs=-1, required=True, type=Place(), metavar="DIR|FILE...")
@json_option
def validate_packetdrill(paths: Sequence[Path], as_json: bool) -> None:
    """Play scripts of packetdrill against an endpoint.

    PATHS are `.pkt` files and folders of them, such as `gtests/net/tcp/slow_start` of the public repository
    google/packetdrill. Nothing of a script is executed: commands and assertions are read. A script is skipped if it
    asks for something that an endpoint here does not have, and the table says what. The exit code is 1 if a script
    fails or cannot be read.
    """
    from windlass.validation import packetdrill

    outcomes = packetdrill.play_all(packetdrill.find(list(paths)))
    data = packetdrill.to_dict(outcomes)
    if as_json:
        print_json(data)
    else:
        rows = [{"script": one.place, "verdict": one.verdict, "reason": one.reason} for one in outcomes]
        print_table(("script", "verdict", "reason"), rows)
        counts = ", ".join(
            f"{data[word]} {word}" for word in ("passed", "failed", "skipped", "unreadable") if data[word]
        )
        click.echo(f"{counts}, profile {data['profile']}")
    if data["failed"] or data["unreadable"]:
        click.get_current_context().exit(1)
