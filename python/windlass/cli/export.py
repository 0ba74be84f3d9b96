"""``windlass export``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windlass.cli.files import PACKETS, check_file, load_scenario
from windlass.cli.group import main
from windlass.cli.hints import UsageError
from windlass.cli.options import Place, limits_options, own_option, sets_option

if TYPE_CHECKING:
    from windlass.export import Source

_FORMATS = ("pcapng", "qlog", "qvis", "ns3", "mahimahi")
"""As :data:`windlass.export.FORMATS`."""

_OWN = {
    "at": ("pcapng",),
    "limit": ("pcapng",),
    "payload": ("pcapng",),
    "link": ("mahimahi",),
    "reverse": ("mahimahi",),
}
"""Options that only some formats have."""


@main.command(
    short_help="Write a run for Wireshark, qvis, or scripts of ns-3 and mahimahi.",
    epilog="Example: windlass export lossy-dumbbell --set flows.algorithm=veno --set "
    "topology.bottleneck.loss.rate=1% --set 'scenario.duration=20 s' --flow flow/0 -o veno.pcapng",
)
@click.argument("source")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="pcapng: packets at points of the network. qlog: each sender, by the current drafts; qvis: the same for qvis. "
    "ns3: lines `time value`. mahimahi: what a link can carry, or what flows delivered. By default that of the name "
    "after -o: .pcapng, .mahi.",
)
@own_option
@sets_option
@limits_options
@click.option("--seed", type=int, help="Seed of the run; by default the first.")
@click.option(
    "--flow", "flows", metavar="NAME", multiple=True, help="Flow to write, * for any letters. Can be repeated."
)
@click.option(
    "--at",
    metavar="POINT",
    multiple=True,
    help="pcapng: where packets are looked at: sender (the default), receiver, before:LINK or after:LINK. Can be "
    "repeated; each is an interface in the file.",
)
@click.option("--limit", type=click.IntRange(min=1), help="pcapng: most records; by default a million.")
@click.option("--payload", is_flag=True, help="pcapng: write the payload, zeros, instead of headers alone.")
@click.option("--link", metavar="NAME", help="mahimahi: the link; by default what flows delivered is written.")
@click.option("--reverse", is_flag=True, help="mahimahi: the link's other direction.")
@click.option(
    "-o", "--output", required=True, type=Place(), help="File to write, or folder where there is a file for each flow."
)
def export(
    source: str,
    form: str | None,
    sets: Sequence[tuple[str, str]],
    seed: int | None,
    flows: Sequence[str],
    output: Path,
    **own: Any,
) -> None:
    """Make the run of SOURCE and write it in a format that other tools read.

    SOURCE is a scenario file, the name of a ready scenario, or a folder that `windlass run --out` wrote.
    """
    from windlass import export as formats

    if form is None:
        form = {".pcapng": "pcapng", ".mahi": "mahimahi"}.get(output.suffix)
        if form is None:
            raise UsageError(
                f"`{output}` does not say what to write",
                f"packets are written as pcapng: `-o {output.with_suffix('.pcapng')}`"
                if output.suffix.lower() in PACKETS
                else f"give `--format` one of {', '.join(_FORMATS)}",
            )
    for option, value in own.items():
        if value and form not in _OWN[option]:
            raise click.UsageError(f"--{option} is for {' and '.join(_OWN[option])}, not for {form}")
    check_file(output)
    run = _source(source, sets, seed)
    if form == "pcapng":
        _packets(run, output, flows, own["at"], own["limit"], payload=own["payload"])
    elif form == "mahimahi":
        if own["link"]:
            if flows:
                raise click.UsageError("--link is what a link can carry, whoever uses it: leave --flow out")
            lines = formats.write_opportunities(run, output, own["link"], reverse=own["reverse"])
        elif own["reverse"]:
            raise click.UsageError("--reverse is of a link: name it with --link")
        else:
            lines = formats.write_delivered(run, output, flows=flows)
        click.echo(f"{lines} delivery opportunities written to {output}", err=True)
    else:
        files = (
            formats.write_ns3(run, output, flows=flows)
            if form == "ns3"
            else formats.write_qlog(run, output, flows=flows, dialect=form)
        )
        for file in files:
            click.echo(str(file))


def _source(source: str, sets: Sequence[tuple[str, str]], seed: int | None) -> Source:
    import warnings

    from windlass.export import Source

    if not Path(source).is_dir():
        return Source.of(load_scenario(source, sets), seed)
    if sets:
        raise click.UsageError("--set is for a scenario: what is in a folder was run already")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = Source.of_folder(Path(source), seed)
    for warning in caught:
        click.echo(f"warning: {warning.message}", err=True)
    return run


def _packets(
    run: Source, output: Path, flows: Sequence[str], at: Sequence[str], limit: int | None, *, payload: bool
) -> None:
    from windlass.export import LIMIT, write_pcapng

    limit = LIMIT if limit is None else limit
    done = write_pcapng(run, output, at=at or ("sender",), flows=flows, limit=limit, payload=payload)
    for point, records in done.points.items():
        click.echo(f"{point}: {records} packets", err=True)
    click.echo(f"{done.packets} packets were sent, {done.lost} of them lost; written to {output}", err=True)
    if done.stopped_s is not None:
        click.echo(
            f"caution: the limit of {limit} records was reached at {done.stopped_s:.6f} s, and what came later is left "
            "out; --limit raises it, --flow and --at choose less",
            err=True,
        )
