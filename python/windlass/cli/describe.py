"""``windlass explain`` and ``windlass trace``: what a scenario means, without a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windlass.cli.files import load_scenario
from windlass.cli.group import main
from windlass.cli.options import json_option, own_option, sets_option
from windlass.cli.printing import print_json
from windlass.errors import InputError

if TYPE_CHECKING:
    from windlass.scenario import Point


@main.command(
    short_help="Show a scenario with every default.",
    epilog="Example: windlass explain lossy-dumbbell --set flows.algorithm=veno",
)
@click.argument("file")
@own_option
@sets_option
@json_option
def explain(file: str, sets: Sequence[tuple[str, str]], as_json: bool) -> None:
    """Show the whole scenario FILE with every default.

    For a sweep, show the first point; with --json, all points. Of each radio medium, show how long the exchange of one
    full frame takes at each data rate, part by part, and what one station alone carries so.
    """
    from windlass import _toml

    points = load_scenario(file, sets).points()
    if as_json:
        print_json([_as_json(point) for point in points])
        return
    first = points[0]
    if first.axes:
        click.echo(f"# Point 1 of {len(points)}:")
        for axis, value in first.axes.items():
            click.echo(f"#   {axis} = {_toml.value(value)}")
    for line in exchange_lines(first.exchanges()):
        click.echo(f"# {line}")
    click.echo(_toml.document(first.effective()), nl=False)


def _as_json(point: Point) -> dict[str, Any]:
    exchanges = point.exchanges()
    radio = {"exchanges": exchanges} if exchanges else {}
    return {"axes": point.axes, "description": point.effective(), **radio}


def exchange_lines(exchanges: Sequence[Mapping[str, Any]]) -> list[str]:
    """The exchanges of `Point.exchanges` in words: two lines each, three where packets go together."""
    lines = []
    for row in exchanges:
        before = f"RTS {row['rts']:g} + CTS {row['cts']:g} + " if row["rts"] else ""
        if row["cts"] and not row["rts"]:
            before = f"CTS to oneself {row['cts']:g} + "
        spaces = f"{row['spaces']} x SIFS" if row["spaces"] > 1 else "SIFS"
        lines += [
            (
                f"{row['medium']}, {row['rate']:g} Mbit/s, {row['packet']} of {row['bytes']} B: {before}"
                f"data {row['data']:g} + {spaces} {row['sifs']:g} + ACK {row['ack']:g} = {row['exchange']:g} us"
            ),
            (
                f"    with DIFS {row['difs']:g} and a mean backoff of {row['backoff']:g}: {row['cycle']:g} us,"
                f" at most {row['mbps']:.3f} Mbit/s of such packets"
            ),
        ]
        if "together" in row:
            lines.append(
                f"    {row['together']} together: {row['together_cycle']:g} us,"
                f" at most {row['together_mbps']:.3f} Mbit/s"
            )
    return lines


@main.command(
    short_help="Write what a link can carry as a mahimahi trace.",
    epilog="Example: windlass trace cellular downlink -o 60s.mahi",
)
@click.argument("file")
@click.argument("link")
@sets_option
@click.option("--reverse", is_flag=True, help="Use the link's other direction.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="File to write; by default standard output."
)
def trace(file: str, link: str, sets: Sequence[tuple[str, str]], reverse: bool, output: Path | None) -> None:
    """Write the delivery opportunities of LINK in scenario FILE, for mahimahi's mm-link and for `trace` of a link.

    Each line is a millisecond in which another 1504 bytes could be carried. The trace covers the whole run.
    """
    points = load_scenario(file, sets).points()
    if len(points) != 1:
        raise InputError(
            f"the scenario has {len(points)} points, and a trace is of one",
            code="run.many-points",
            hint=f"choose with `--set {next(iter(points[0].axes))}=VALUE` and so on",
        )
    times = points[0].opportunities(link, reverse=reverse)
    if not times:
        raise InputError(
            f"link `{link}` carries nothing in the whole run", code="trace.empty", hint="make the run longer"
        )
    text = "".join(f"{ms}\n" for ms in times)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}", code="cli.output", file=str(output), hint="name another file"
        ) from None
    click.echo(f"{len(times)} delivery opportunities written to {output}", err=True)
