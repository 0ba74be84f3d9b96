"""``windlass plot``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import windlass
from windlass.cli.files import load_scenario
from windlass.cli.group import main
from windlass.cli.options import Place, own_option, sets_option
from windlass.errors import InputError

if TYPE_CHECKING:
    from windlass.output import SavedSweep


@main.command(
    short_help="Draw a run's window, rates or airtime, a map, or the results of a sweep.",
    epilog="Example: windlass plot single-flow-cwnd --set flows.algorithm=cerl -o cwnd.pdf",
)
@click.argument("source")
@click.option(
    "--kind",
    type=click.Choice(["cwnd", "rate", "airtime", "positions"]),
    default="cwnd",
    show_default=True,
    help="What to draw: over time, the window of one flow, the rates at which flows may send, or the airtime of the "
    "stations of a radio medium; or a map of where stations, base stations and mobiles are.",
)
@own_option
@sets_option
@click.option("--seed", type=int, help="Seed of the run; by default the scenario's first.")
@click.option("--flow", metavar="NAME", help="Flow to draw; by default the first one, or all of them for rates.")
@click.option("--reverse", is_flag=True, help="Draw the sender at the other end of a two-way flow.")
@click.option("--x", metavar="KEY", help="Swept key on the x axis; by default the last one.")
@click.option("--y", metavar="NUMBER", default="goodput_bps", show_default=True, help="Column to draw.")
@click.option(
    "-o",
    "--output",
    type=Place(),
    default=Path("figure"),
    show_default=True,
    help="File to write: .pdf, .svg or .png, or all three without an extension.",
)
def plot(
    source: str,
    kind: str,
    sets: Sequence[tuple[str, str]],
    seed: int | None,
    flow: str | None,
    reverse: bool,
    x: str | None,
    y: str,
    output: Path,
) -> None:
    """Draw a run of a scenario file, the places in it, or the results of a sweep in a folder."""
    from windlass import plots

    if Path(source).is_dir():
        from windlass.output import read_sweep

        figure = _sweep_figure(read_sweep(Path(source)), x, y)
    elif kind == "rate":
        rates: dict[str, Any] = {"output.traces": ["rate", "loss-event-rate"]}
        result = windlass.run(load_scenario(source, sets).with_(rates), seed)
        named = None if flow is None else [f"{flow}:reverse" if reverse else flow]
        figure = plots.rate_over_time(result, named)
    elif kind == "positions":
        figure = plots.map_of_positions(load_scenario(source, sets).points()[0])
    elif kind == "airtime":
        shares: dict[str, Any] = {"output.traces": ["airtime"]}
        figure = plots.airtime_over_time(windlass.run(load_scenario(source, sets).with_(shares), seed))
    else:
        recorded: dict[str, Any] = {"output.traces": ["cwnd", "ssthresh"], "output.events": True}
        result = windlass.run(load_scenario(source, sets).with_(recorded), seed)
        name = flow if flow is not None else result.flows["flow"][0].as_py()
        figure = plots.cwnd_over_time(result, name, direction="reverse" if reverse else "forward")
    for file in plots.save(figure, output):
        click.echo(str(file))


def _sweep_figure(saved: SavedSweep, x: str | None, y: str) -> Any:
    from windlass import plots, stats

    known = {name for _, _, name in stats.SUMMARY}
    summary = stats.summarise(saved.flows, saved.axes, None if y in known else _metric(saved, y))
    if x is None:
        if not saved.axes:
            raise InputError(
                "the results have no swept key", code="plot.no-axis", hint="sweep a key and draw along that"
            )
        x = saved.axes[-1]
    if x.endswith("loss.rate") and y in ("goodput_bps", "goodput_total_bps"):
        return plots.goodput_against_loss(summary, x=x, metric=y, **path_of(saved, y))
    return plots.metric_against_axis(summary, x, y)


def _metric(saved: SavedSweep, name: str) -> list[str]:
    import pyarrow as pa

    fields = {field.name: field.type for field in saved.flows.schema}
    if name not in fields or not (pa.types.is_floating(fields[name]) or pa.types.is_integer(fields[name])):
        numbers = [key for key, kind in fields.items() if kind in (pa.float64(), pa.int64()) and key != "seed"]
        raise InputError(
            f"no number `{name}`", code="plot.no-metric", hint="flows have " + ", ".join(f"`{key}`" for key in numbers)
        )
    return [name]


def path_of(saved: SavedSweep, metric: str) -> dict[str, Any]:
    """Capacity and round trip for the lines of theory, of a dumbbell whose links are not swept."""
    from windlass.plots import quantity

    facts: dict[str, Any] = {}
    links = {(row["link"], row["direction"]): row for row in saved.links.to_pylist()}
    same = saved.links.group_by(["link", "direction"]).aggregate(
        [("rate_bps", "count_distinct"), ("delay_s", "count_distinct")]
    )
    if any(row["rate_bps_count_distinct"] > 1 or row["delay_s_count_distinct"] > 1 for row in same.to_pylist()):
        return facts
    runs = saved.flows.group_by(["key", "direction"]).aggregate([("flow", "count")])["flow_count"].to_pylist()
    bottleneck = links.get(("bottleneck", "forward"))
    if bottleneck is None or len(set(runs)) != 1:
        return facts
    groups = [flow for point in saved.descriptions for flow in point.get("flows", ())]
    segments = {(flow["segment"], flow["tcp"]["header"], _segments_counted_as_one(flow["tcp"])) for flow in groups}
    if len(segments) != 1:
        return facts
    segment, header, counted = segments.pop()
    payload, overhead = quantity(segment), quantity(header)
    if payload is None or overhead is None:
        return facts
    mss_bytes, header_bytes = payload[0], overhead[0]
    flows = runs[0] if metric == "goodput_bps" else 1
    names = ["left/0", "bottleneck", "right/0"]
    forward = [links[name, "forward"]["rate_bps"] for name in names if (name, "forward") in links]
    share = [bottleneck["rate_bps"] / flows] + ([min(forward)] if metric == "goodput_bps" else [])
    # goodput counts payload, a link carries headers as well
    facts["capacity_bps"] = min(share) * mss_bytes / (mss_bytes + header_bytes)
    if metric == "goodput_bps" and all((name, "reverse") in links for name in names):
        rtt = sum(links[name, direction]["delay_s"] for name in names for direction in ("forward", "reverse"))
        if rtt > 0.0:
            facts["mathis"] = {"mss_bytes": mss_bytes, "rtt_s": rtt, "b": float(counted)}
    return facts


def _segments_counted_as_one(tcp: dict[str, Any]) -> int:
    """What congestion avoidance takes for one segment: those of an ACK if ACKs are counted (b in theory)."""
    return tcp["delayed_ack"] if tcp["ca_count"] == "acks" else 1
