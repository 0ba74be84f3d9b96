"""``windlass plot``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windlass.cli import completion
from windlass.cli.files import check_file, load_scenario
from windlass.cli.group import main
from windlass.cli.options import Drawing, Place, layout_options, limits_options, own_option, sets_option

if TYPE_CHECKING:
    import pyarrow as pa

_KINDS = ("cwnd", "rate", "throughput", "rtt", "queue", "airtime", "cdf", "positions", "all", "sweep", "heatmap")
"""As :data:`windlass.plots.choice.KINDS`, which would be slow to import for a help text."""


def _seconds(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """``100 ms`` as seconds."""
    if value is None:
        return None
    from windlass.plots.words import quantity

    found = quantity(value)
    scale = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0}.get(found[1] if found else "")
    if found is None or scale is None:
        raise click.BadParameter(f"`{value}` is no time; write `100 ms` or `1 s`")
    return found[0] * scale


@main.command(
    short_help="Draw a run, a map, or the results of a sweep, at the width of a paper's column.",
    epilog="Example: windlass plot single-flow-cwnd --set flows.algorithm=cerl --width 1col -o cwnd.pdf",
)
@click.argument("source", shell_complete=completion.scenarios)
@click.option(
    "--kind",
    type=click.Choice(_KINDS),
    help="Of one run, over time: windows (cwnd, the default), allowed rates, throughput, RTT, queues, or airtime of "
    "stations; the distribution (cdf) of delays; a map of positions; or all of them as small panels. Of a folder: "
    "sweep (the default), the cdf of what flows got, or a heatmap over two swept keys.",
)
@own_option
@limits_options
@sets_option
@click.option("--seed", type=int, help="Seed of the run; by default the scenario's first.")
@click.option(
    "--flow",
    "flows",
    metavar="NAME",
    multiple=True,
    help="Flow to draw, * for any letters. Can be repeated. By default all, and of windows the first.",
)
@click.option("--link", "links", metavar="NAME", multiple=True, help="Link whose queue is drawn. Can be repeated.")
@click.option("--reverse", is_flag=True, help="Draw the senders at the other end of two-way flows.")
@click.option("--bin", "bin_s", metavar="TIME", callback=_seconds, help="Bins of the throughput, e.g. 100ms.")
@click.option("--x", metavar="KEY", help="Swept key on the x axis; by default the last one.")
@click.option("--rows", metavar="KEY", help="Swept key up a heatmap; by default the last that is a number.")
@click.option(
    "--y",
    metavar="NUMBER",
    help="Column to draw; by default goodput_bps, and for the cdf of one run delay, that of each segment.",
)
@layout_options
@click.option(
    "-o",
    "--output",
    type=Drawing(),
    default=Path("figure"),
    show_default=True,
    help="File to write: .pdf, .svg or .png, or all three without an extension.",
)
@click.option("--data", type=Place(dir_okay=False), help="Also write the numbers: .csv or .parquet.")
def plot(
    source: str,
    kind: str | None,
    sets: Sequence[tuple[str, str]],
    seed: int | None,
    output: Path,
    data: Path | None,
    links: Sequence[str],
    x: str | None,
    rows: str | None,
    width: str | None,
    font: str | None,
    font_size: float | None,
    title: str | None,
    labels: dict[str, str],
    **chosen: Any,
) -> None:
    """Draw a run of a scenario file, the places in it, or the results in a folder."""
    from windlass import plots
    from windlass.plots import choice

    subject: Any = source
    if not Path(source).is_dir():
        subject = load_scenario(source, sets)
    elif sets:
        raise click.UsageError("--set is for a scenario: what is in a folder was run already")
    if data is not None and data.suffix not in (".csv", ".parquet"):
        raise click.UsageError(f"--data writes .csv or .parquet, not `{data.name}`")
    for place in (output, data):
        if place is not None:
            check_file(place)
    with plots.layout(width=width, font=font, font_size=font_size, title=title, labels=labels):
        found = choice.resolve(subject, kind, seed, chosen["y"])
        figure = choice.draw(found, links=links, x=x, rows=rows, **chosen)
        for file in plots.save(figure, output):
            click.echo(str(file))
    if data is not None:
        _write(choice.data(found, **chosen), data)
        click.echo(str(data))


def _write(table: pa.Table, file: Path) -> None:
    import pyarrow.parquet as pq
    from pyarrow import csv

    from windlass.files import writing
    from windlass.tables import named_with_units

    with writing(file, "wb") as opened:
        if file.suffix == ".parquet":
            pq.write_table(table, opened)
        else:
            csv.write_csv(named_with_units(table), opened)
