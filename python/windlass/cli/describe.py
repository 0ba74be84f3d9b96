"""``windlass explain`` and ``windlass trace``: what a scenario means, without a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windlass.amounts import counted, digits
from windlass.cli import completion
from windlass.cli.files import folder_of, load_scenario
from windlass.cli.group import main
from windlass.cli.options import Place, json_option, limits_options, own_option, sets_option
from windlass.cli.printing import print_json

if TYPE_CHECKING:
    from windlass.scenario import Point


@main.command(
    short_help="Show a scenario with every default.",
    epilog="Example: windlass explain lossy-dumbbell --set flows.algorithm=veno",
)
@click.argument("file", shell_complete=completion.scenarios)
@own_option
@sets_option
@json_option
def explain(file: str, sets: Sequence[tuple[str, str]], as_json: bool) -> None:
    """Show what the scenario FILE amounts to, then all of it with every default.

    The summary says who sends over what, base round trips, bandwidth-delay products, what each queue holds and who
    shares it. For a sweep, show the first point; with --json, all points. Of each radio medium, show how long the
    exchange of one full frame takes at each data rate, part by part, and what one station alone carries so; of the
    cells of mobiles, what their frames hold and who serves each mobile when. Cautions name those that walk out of
    reach, and what is not as an ns-2 script would have it. A list of more than 24 numbers, such as a trace, is told by
    its length and range; --json has it whole.
    """
    from windlass import _toml, summary
    from windlass.cautions import of_absences, of_description

    scenario = load_scenario(file, sets)
    points = scenario.points()
    if as_json:
        print_json([_as_json(point) for point in points])
        return
    first = points[0]
    for line in summary.lines(scenario, points):
        click.echo(f"# {line}")
    cautions = [f"caution: {caution}" for caution in [*of_description(first), *of_absences(first.absences())]]
    for line in [*exchange_lines(first.exchanges()), *cell_lines(first.cells()), *cautions]:
        click.echo(f"# {line}")
    described, notes = shortened(first.effective(), first.composed(), folder_of(file))
    for note in notes:
        click.echo(f"# {note}")
    click.echo(_toml.document(described), nl=False)


MOST_NUMBERS = 24
"""Numbers of a list that are printed."""


def shortened(item: Any, written: Any, folder: Path, key: str = "") -> tuple[Any, list[str]]:
    """A description without long lists of numbers, and what they hold.

    A list that was read from a file has the file's name in its place, so that the description still reads back; another
    one has words.

    Parameters
    ----------
    item : Any
        The description or a part of it, with every default.
    written : Any
        The same part as it was written.
    folder : Path
        Where files lie that it names.
    key : str
        Dotted key of the part.
    """
    if isinstance(item, Mapping):
        own = written if isinstance(written, Mapping) else {}
        parts = {name: shortened(part, _written(own, name), folder, f"{key}.{name}") for name, part in item.items()}
        return {name: part for name, (part, _) in parts.items()}, [
            note for _, notes in parts.values() for note in notes
        ]
    if not isinstance(item, list):
        return item, []
    if len(item) > MOST_NUMBERS and all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in item):
        what = f"{len(item)} numbers, {digits(min(item), 12)} to {digits(max(item), 12)}"
        place = folder / written if isinstance(written, str) else None
        known = str(place.resolve()) if place is not None and place.is_file() else what
        return known, [f"{key.lstrip('.')}: {what}; --json has them"]
    same = isinstance(written, list) and len(written) == len(item)
    rows = [
        shortened(one, written[at] if same else None, folder, f"{key}.{_name(one, at)}") for at, one in enumerate(item)
    ]
    return [one for one, _ in rows], [note for _, notes in rows for note in notes]


def _written(table: Mapping[str, Any], name: str) -> Any:
    """What was written for a key of a link: its reverse direction and the sides of a row take over the rest."""
    base = {"reverse": table, "left": table.get("access"), "right": table.get("access")}.get(name)
    own = table.get(name)
    if isinstance(base, Mapping) and (own is None or isinstance(own, Mapping)):
        return {**base, **(own or {})}
    return own


def _name(item: Any, at: int) -> str:
    return str(item["name"]) if isinstance(item, Mapping) and "name" in item else str(at)


def _as_json(point: Point) -> dict[str, Any]:
    from windlass.cautions import of_description

    radio = {"exchanges": point.exchanges(), "cells": point.cells(), "absences": point.absences()}
    found = {key: rows for key, rows in (radio | {"cautions": of_description(point)}).items() if rows}
    return {"axes": point.axes, "description": point.effective(), "estimate": point.estimate(), **found}


def exchange_lines(exchanges: Sequence[Mapping[str, Any]]) -> list[str]:
    """The exchanges of `Point.exchanges` in words: two lines each, three where packets go together."""
    lines = []
    for row in exchanges:
        space = "AIFS" if row["class"] else "DIFS"
        who = "".join(f", {word}" for word in (row["class"], row["sender"]) if word)
        before = f"RTS {row['rts']:g} + CTS {row['cts']:g} + " if row["rts"] else ""
        if row["cts"] and not row["rts"]:
            before = f"CTS to oneself {row['cts']:g} + "
        spaces = f"{row['spaces']} x SIFS" if row["spaces"] > 1 else "SIFS"
        lines += [
            (
                f"{row['medium']}, {row['rate']:g} Mbit/s, {row['packet']} of {row['bytes']} B{who}: {before}"
                f"data {row['data']:g} + {spaces} {row['sifs']:g} + ACK {row['ack']:g} = {row['exchange']:g} us"
            ),
            (
                f"    with {space} {row['ifs']:g} and a mean backoff of {row['backoff']:g}{_access(row)}:"
                f" {row['cycle']:g} us, at most {row['mbps']:.3f} Mbit/s of such packets"
            ),
        ]
        if "together" in row:
            several = f" in {row['ampdus']} A-MPDUs of one access" if row["ampdus"] > 1 else ""
            lines.append(
                f"    {row['together']} together{several}: {row['together_cycle']:g} us,"
                f" at most {row['together_mbps']:.3f} Mbit/s"
            )
    return lines


def _access(row: Mapping[str, Any]) -> str:
    """Where a class has time for several exchanges: how many that are."""
    return f", {row['packets']} exchanges within {row['txop']:g} us" if row["packets"] > 1 else ""


MOST_MOBILES = 10
"""Mobiles whose ways are told on the screen."""

MOST_PARTS = 12
"""Parts of a way that are told on the screen."""


def cell_lines(cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """The cells of `Point.cells` in words: a line for each distance, two for a mobile's way."""
    lines = []
    for one in cells:
        stations = "1 base station that reaches" if one["base_stations"] == 1 else "base stations that reach"
        count = "" if one["base_stations"] == 1 else f"{one['base_stations']} "
        lines.append(f"{one['name']}: {count}{stations} {one['radius']:g} m, frames of {one['frame_ms']:g} ms")
        lines += [_rate_line(rate) for rate in one["rates"]]
        for mobile in one["mobiles"][:MOST_MOBILES]:
            parts = mobile["served"]
            more = f" and {counted(len(parts) - MOST_PARTS, 'part')} more" if len(parts) > MOST_PARTS else ""
            lines.append(f"{mobile['name']}: {', '.join(_part(part) for part in parts[:MOST_PARTS])}{more}")
        if len(one["mobiles"]) > MOST_MOBILES:
            lines.append(f"and {counted(len(one['mobiles']) - MOST_MOBILES, 'mobile')} more")
    return lines


def _rate_line(rate: Mapping[str, Any]) -> str:
    where = f"at {rate['metres']:.4g} m, {rate['snr_db']:.3g} dB"
    if rate["modulation"]:
        where = f"up to {rate['metres']:.4g} m, {rate['snr_db']:.3g} dB, {rate['modulation']}"
    return (
        f"    {where}: a frame holds {rate['down_bytes']} B down, {rate['up_bytes']} B up: "
        f"at most {rate['down_mbps']:.3f} and {rate['up_mbps']:.3f} Mbit/s in packets of {rate['packet']} B"
    )


def _part(part: Mapping[str, Any]) -> str:
    if part["why"] == "handover":
        return f"handover of {round(1e3 * (part['until_s'] - part['from_s']), 3):g} ms"
    return f"{part['station'] or 'out of coverage'} until {part['until_s']:.6g} s"


@main.command(
    short_help="Write what a link can carry as a mahimahi trace.",
    epilog="Example: windlass trace cellular downlink -o 60s.mahi",
)
@click.argument("file", shell_complete=completion.scenarios)
@click.argument("link")
@own_option
@sets_option
@limits_options
@click.option("--reverse", is_flag=True, help="Use the link's other direction.")
@click.option("-o", "--output", type=Place(dir_okay=False), help="File to write; by default standard output.")
def trace(file: str, link: str, sets: Sequence[tuple[str, str]], reverse: bool, output: Path | None) -> None:
    """Write the delivery opportunities of LINK in scenario FILE, for mahimahi's mm-link and for `trace` of a link.

    Each line is a millisecond in which another 1504 bytes could be carried. The trace covers the whole run.
    `windlass export --link LINK` writes the same.
    """
    from windlass import export

    source = export.Source.of(load_scenario(file, sets))
    if output is None:
        click.echo("".join(f"{ms}\n" for ms in export.opportunities(source, link, reverse=reverse)), nl=False)
        return
    lines = export.write_opportunities(source, output, link, reverse=reverse)
    click.echo(f"{lines} delivery opportunities written to {output}", err=True)
