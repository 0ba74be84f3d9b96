"""`windlass.plot`: the figure of a kind, of whatever one has: a scenario, a run, a sweep, a folder, a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from windlass.errors import InputError
from windlass.plots import distributions, over_time, radio, sweeps
from windlass.plots.flows import algorithms_of
from windlass.plots.heatmap import heatmap
from windlass.plots.page import page
from windlass.plots.panels import following
from windlass.plots.style import layout
from windlass.plots.theory import Trip, limits_of, path_of, shared_trip, trips_of

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from windlass.compare import Comparison
    from windlass.output import SavedSweep
    from windlass.scenario import Scenario
    from windlass.sweep import RunResult, SweepResult

__all__ = ["KINDS", "RUN_KINDS", "SWEEP_KINDS", "data", "draw", "plot", "resolve"]

_RECORDED: dict[str, dict[str, Any]] = {
    "cwnd": {"output.traces": ["cwnd", "ssthresh"], "output.events": True},
    "rate": {"output.traces": ["rate", "loss-event-rate"]},
    "throughput": {"output.traces": ["delivered"]},
    "rtt": {"output.traces": ["srtt"]},
    "queue": {"output.traces": ["queue"]},
    "airtime": {"output.traces": ["airtime"]},
    "cdf": {"output.traces": ["delay"]},
    "positions": {},
    "all": {"output.traces": ["cwnd", "delivered", "srtt", "queue", "airtime", "delay"]},
}
"""What a run has to record for a figure of each kind."""

_OF_FLOWS = ("cwnd", "rate", "throughput", "rtt", "cdf")

RUN_KINDS = tuple(_RECORDED)
"""Kinds of figures of one run."""

SWEEP_KINDS = ("sweep", "cdf", "heatmap")
"""Kinds of figures of many runs."""

KINDS = (*RUN_KINDS, "sweep", "heatmap")

PACKETS = "delay"
"""What ``y`` of a distribution is for the delays of packets instead of a column of flows."""


def plot(
    source: Scenario | RunResult | SweepResult | SavedSweep | Comparison | str | Path,
    kind: str | None = None,
    *,
    flows: str | Sequence[str] | None = None,
    links: str | Sequence[str] | None = None,
    seed: int | None = None,
    reverse: bool = False,
    x: str | None = None,
    rows: str | None = None,
    y: str | None = None,
    bin_s: float | None = None,
    width: str | float | None = None,
    font: str | None = None,
    font_size: float | None = None,
    title: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Figure:
    """Draw something.

    Parameters
    ----------
    source : Scenario, RunResult, SweepResult, SavedSweep, Comparison, str or Path
        A scenario, or the path or name of one, is run with what the figure needs recorded. A folder holds results.
        Lines of the BDP and of capacity are drawn where the scenario is known.
    kind : str, optional
        Of one run ``"cwnd"`` (the default), ``"rate"``, ``"throughput"``, ``"rtt"``, ``"queue"``, ``"airtime"``,
        ``"cdf"``, ``"positions"``, or ``"all"`` for a page of small figures. Of many runs ``"sweep"`` (the default),
        ``"cdf"`` or ``"heatmap"``. A comparison has one figure.
    flows : str or sequence of str, optional
        Flows to draw, ``*`` for any letters; by default all, and of windows the first.
    links : str or sequence of str, optional
        Links whose queues are drawn.
    seed : int, optional
        Of a scenario's run, and of a folder's runs; by default the first.
    reverse : bool
        The senders at the other end of two-way flows.
    x, rows : str, optional
        Swept keys across and up; by default the last, and the last but one.
    y : str, optional
        Column to draw; by default ``"goodput_bps"``, and for the distribution of one run ``"delay"``, the one-way
        delays of segments.
    bin_s : float, optional
        Bins of the throughput, seconds.
    width, font, font_size, title, labels
        As in :func:`windlass.plots.layout`.

    Returns
    -------
    matplotlib.figure.Figure
        :func:`windlass.plots.save` writes it; a notebook shows it.

    Raises
    ------
    InputError
        If there is no such kind, or not what it needs.
    """
    with layout(width=width, font=font, font_size=font_size, title=title, labels=labels):
        subject = resolve(source, kind, seed, y)
        return draw(subject, flows=flows, links=links, reverse=reverse, x=x, rows=rows, y=y, bin_s=bin_s)


@dataclass(frozen=True)
class Subject:
    """What is drawn: results, the kind of figure, and what is known of the path of a run."""

    results: RunResult | SweepResult | SavedSweep | Scenario | Comparison
    kind: str
    limits: Mapping[str, Any] = field(default_factory=dict)
    trips: Mapping[str, Trip] = field(default_factory=dict)


def resolve(source: Any, kind: str | None, seed: int | None, y: str | None) -> Subject:
    """Run what is a scenario, read what is a folder."""
    from windlass.compare import Comparison
    from windlass.output import SavedSweep, read_run, read_sweep
    from windlass.scenario import Scenario, load
    from windlass.sweep import RunResult, SweepResult, run

    _known(kind, KINDS)
    if isinstance(source, (str, Path)):
        if not Path(source).is_dir():
            source = load(source)
        elif kind in (None, *SWEEP_KINDS) and y != PACKETS:
            source = read_sweep(Path(source))
        else:
            source = read_run(Path(source), seed)
    if isinstance(source, Scenario):
        kind = _known(kind, RUN_KINDS) or "cwnd"
        if kind == "positions":
            return Subject(source, kind)
        recorded = source if kind == "cdf" and y not in (None, PACKETS) else source.with_(_RECORDED[kind])
        result = run(recorded, seed)
        return Subject(result, kind, limits_of(source, result.seed), trips_of(source, result.seed))
    if isinstance(source, RunResult):
        return Subject(source, _known(kind, RUN_KINDS) or "cwnd")
    if isinstance(source, (SweepResult, SavedSweep)):
        return Subject(source, _known(kind, SWEEP_KINDS) or "sweep")
    if isinstance(source, Comparison):
        return Subject(source, _known(kind, ("comparison",)) or "comparison")
    raise InputError(
        f"nothing to draw in a `{type(source).__name__}`",
        code="plot.no-results",
        hint="give a scenario, a run, a sweep, a comparison, or a path of one",
    )


def draw(
    subject: Subject,
    *,
    flows: str | Sequence[str] | None = None,
    links: str | Sequence[str] | None = None,
    reverse: bool = False,
    x: str | None = None,
    rows: str | None = None,
    y: str | None = None,
    bin_s: float | None = None,
) -> Figure:
    """The figure, in the layout in force."""
    results, kind = subject.results, subject.kind
    if kind == "positions" and hasattr(results, "points"):
        return radio.map_of_positions(results.points()[0])
    if kind == "comparison":
        return sweeps.goodput_against_delay(cast("Comparison", results))
    if hasattr(results, "descriptions"):
        return _sweep_figure(cast("SweepResult", results), kind, x, rows, y or "goodput_bps")
    result = cast("RunResult", results)
    named = [links] if isinstance(links, str) else list(links or ()) or None
    names = flow_names(result, [flows] if isinstance(flows, str) else list(flows or ()) or None, reverse=reverse)
    if kind == "cdf" and y not in (None, PACKETS):
        return distributions.cdf_of_flows(result.flows, (), str(y))
    try:
        if kind == "cwnd":
            names = names or list(algorithms_of(result))[:1]
        limits = {**subject.limits, **shared_trip(subject.trips, _groups(result, names))}
        return _run_figure(result, kind, limits, names, named, bin_s)
    except InputError as error:
        if error.code != "plot.no-trace" or not subject.limits or kind not in _OF_FLOWS:
            raise
        # a scenario was run with what the figure needs, so there is nothing to write in it
        hint = "nothing of it happened in this run: `windlass run` shows what became of each flow"
        raise InputError(error.message, code=error.code, hint=hint) from None


def data(
    subject: Subject,
    *,
    flows: str | Sequence[str] | None = None,
    reverse: bool = False,
    y: str | None = None,
    bin_s: float | None = None,
) -> pa.Table:
    """The numbers of the figure as a table: throughput in bins, series as they were recorded, flows, or means."""
    import pyarrow.compute as pc

    from windlass import stats

    results, kind = subject.results, subject.kind
    if hasattr(results, "descriptions"):
        metric, sweep = y or "goodput_bps", cast("SweepResult", results)
        if kind != "cdf":
            return _summary(sweep, metric)
        return sweep.flows.select(["seed", *sweep.axes, "group", "flow", "direction", "algorithm", metric, "key"])
    if not hasattr(results, "traces"):
        raise InputError("no numbers stand behind this figure", code="plot.kind", hint="leave out `--data`")
    result = cast("RunResult", results)
    names = flow_names(result, [flows] if isinstance(flows, str) else list(flows or ()) or None, reverse=reverse)
    if kind == "throughput":
        return stats.throughput(result, names, bin_s=bin_s, until_s=subject.limits.get("until_s"))
    if kind == "cdf" and y not in (None, PACKETS):
        return result.flows.select(["group", "flow", "direction", "algorithm", str(y)])
    return result.traces if names is None else result.traces.filter(pc.is_in(result.traces["subject"], _column(names)))


def _groups(result: RunResult, names: Sequence[str] | None) -> set[str]:
    """Groups of some senders, as the scenario calls them; of all if none is named."""
    rows = result.flows.select(["flow", "group"]).to_pylist()
    wanted = None if names is None else {name.partition(":")[0] for name in names}
    return {row["group"].removesuffix(".subflows") for row in rows if wanted is None or row["flow"] in wanted}


def _column(names: Sequence[str]) -> pa.Array:
    """Names as a column."""
    import pyarrow as pa

    return pa.array(list(names), pa.string())


def _known(kind: str | None, kinds: Sequence[str]) -> str | None:
    if kind is None or kind in kinds:
        return kind
    what = "of one run" if tuple(kinds) == RUN_KINDS else "of many runs" if tuple(kinds) == SWEEP_KINDS else ""
    raise InputError(
        f"no kind `{kind}` {what}".rstrip(),
        code="plot.kind",
        hint="write one of " + ", ".join(f"`{known}`" for known in kinds),
    )


def _run_figure(
    result: RunResult,
    kind: str,
    limits: Mapping[str, Any],
    names: list[str] | None,
    links: list[str] | None,
    bin_s: float | None,
) -> Figure:
    def of(*wanted: str) -> dict[str, Any]:
        return {name: limits[name] for name in wanted if limits.get(name) is not None}

    if kind == "cwnd":
        return over_time.cwnd_over_time(result, names, **of("bdp_packets"))
    if kind == "rate":
        return over_time.rate_over_time(result, names, **of("capacity_bps"))
    if kind == "throughput":
        return over_time.throughput_over_time(result, names, bin_s=bin_s, **of("until_s", "capacity_bps"))
    if kind == "rtt":
        return over_time.rtt_over_time(result, names, **of("base_rtt_s"))
    if kind == "queue":
        return over_time.queue_over_time(result, links)
    if kind == "airtime":
        return radio.airtime_over_time(result)
    if kind == "cdf":
        return distributions.cdf_of_delay(result, names)
    if kind == "all":
        return page(result, names, bin_s=bin_s, **of("until_s", "bdp_packets", "capacity_bps", "base_rtt_s"))
    raise InputError("a run has no places", code="plot.kind", hint="draw those of its scenario")


def flow_names(result: RunResult, wanted: Sequence[str] | None, *, reverse: bool = False) -> list[str] | None:
    """Names of flows as traces have them: patterns become what they match, ``reverse`` the other senders."""
    known = list(algorithms_of(result))
    ending = ":reverse"
    if wanted is None:
        backward = [name for name in known if name.endswith(ending)]
        if reverse and not backward:
            raise InputError("no flow is two-way", code="plot.no-trace", hint="leave out `--reverse`")
        return backward if reverse else None
    found: list[str] = []
    for name in wanted:
        full = f"{name}{ending}" if reverse and not name.endswith(ending) else name
        found += [one for one in known if fnmatchcase(one, full)] if "*" in name else [full]
    if not found:
        raise InputError(
            f"no flow matches `{wanted[0]}`",
            code="result.unknown-flow",
            hint="the flows are " + ", ".join(f"`{name}`" for name in known[:8]),
        )
    return list(dict.fromkeys(found))


def _sweep_figure(saved: SweepResult | SavedSweep, kind: str, x: str | None, rows: str | None, y: str) -> Figure:
    if kind == "cdf":
        return distributions.cdf_of_flows(saved.flows, saved.axes, y)
    if not saved.axes:
        raise InputError(
            "the results have no swept key",
            code="plot.no-axis",
            hint="sweep a key and draw along that, or draw one run: `--kind cwnd` if it recorded that",
        )
    x = x or saved.axes[-1]
    summary = _summary(saved, y)
    if kind == "heatmap":
        others = [key for key in saved.axes if key not in (x, *following(summary.to_pylist(), saved.axes, (x,)))]
        if rows is None and not others:
            raise InputError(
                "the results have one swept key, and a heatmap needs two",
                code="plot.no-axis",
                hint="sweep another key, or leave out `--kind heatmap`",
            )
        numeric = [key for key in others if not key.endswith("algorithm")] or others
        return heatmap(summary, x, rows or numeric[-1], y)
    if rows is not None:
        raise InputError("`rows` is for a heatmap", code="plot.kind", hint="add `--kind heatmap`")
    if x.endswith("loss.rate") and y in ("goodput_bps", "goodput_total_bps"):
        return sweeps.goodput_against_loss(summary, x=x, metric=y, **path_of(saved, y))
    return sweeps.metric_against_axis(summary, x, y)


def _summary(saved: SweepResult | SavedSweep, y: str) -> pa.Table:
    """Means of the numbers that are always there, or of one column."""
    import pyarrow as pa

    from windlass import stats

    if y in {name for _, _, name in stats.SUMMARY}:
        return stats.summarise(saved.flows, saved.axes)
    fields = {field.name: field.type for field in saved.flows.schema if field.name not in (*saved.axes, "seed")}
    numbers = [name for name, kind in fields.items() if pa.types.is_floating(kind) or pa.types.is_integer(kind)]
    if y not in numbers:
        raise InputError(
            f"no number `{y}`",
            code="plot.no-metric",
            hint="flows have " + ", ".join(f"`{name}`" for name in numbers),
        )
    return stats.summarise(saved.flows, saved.axes, [y])
