"""The figures of a report."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass import verdicts
from windlass.reproduce import Reproduction, headline_metric, shown_variants
from windlass.verdicts import Data, Limit

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure as MatplotlibFigure


@dataclass(frozen=True)
class Figure:
    """A figure of the report: its file name without ending, what it shows, and its SVG."""

    stem: str
    caption: str
    svg: bytes

    @property
    def uri(self) -> str:
        """The SVG as an address that holds all of it."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode("ascii")


def draw(reproduction: Reproduction, folder: Path) -> list[Figure]:
    """Draw the experiment's figure, write it as PDF, SVG and PNG, and return it for the page.

    An experiment without a swept axis of numbers has none, nor has a summary.
    """
    from windlass import plots

    axes = reproduction.experiment.axes
    metric, unit = headline_metric(reproduction.data)
    named = len(axes) == 1 and any(isinstance(point, str) for point in axes[0].points)
    if len(axes) != 1 or named or unit != "Mbps" or reproduction.experiment.covers:
        return []
    axis = axes[0]
    summary = _summary(reproduction, metric)
    lossy = reproduction.ledger.loss_axis(reproduction.experiment, axis.key)
    found = [empty(reproduction, point) for point in reproduction.data.points]
    caps = [cap.per_flow_mbps for cap in found if cap is not None]
    words = [f"Goodput per flow against {axis.parameter}, mean and 95 % interval over {reproduction.seeds_text}"]
    if lossy:
        mathis = _mathis(reproduction)
        figure = plots.goodput_against_loss(
            summary, x=axis.key, capacity_bps=caps[0] * 1e6 if caps else None, mathis=mathis
        )
        words.append("dashed: a flow's share of the narrowest cut, payload only")
        if mathis is not None:
            words.append(f"dotted: square-root law for {mathis['rtt_s'] * 1000:.0f} ms, the round trip without queues")
    else:
        figure = plots.metric_against_axis(
            summary,
            axis.key,
            "goodput_bps",
            x_label=f"{axis.parameter} ({axis.unit})",
            y_label="goodput per flow (Mbit/s)",
        )
        if len(caps) == len(reproduction.data.points):
            _draw_capacity(figure, [point[0] for point in reproduction.data.points], caps)
            words.append("dashed: a flow's share of the narrowest cut, payload only")
    if not axis.points_stated:
        words.append(
            "the points of the sweep are ours, the paper states "
            + ("its range" if axis.range_stated else "only its axis")
        )
    stem = reproduction.experiment.name
    plots.save(figure, folder / stem)
    return [Figure(stem, "; ".join(words) + ".", (folder / f"{stem}.svg").read_bytes())]


def _draw_capacity(figure: MatplotlibFigure, places: Sequence[float], caps: Sequence[float]) -> None:
    """What the links carry, as a dashed line behind the curves."""
    axes = figure.axes[0]
    axes.plot(places, caps, color="black", linewidth=0.8, linestyle=(0, (6, 3)), zorder=1)
    axes.set_ylim(bottom=0.0, top=max(axes.get_ylim()[1], 1.05 * max(caps)))


def _summary(reproduction: Reproduction, metric: str) -> pa.Table:
    """Means and intervals in the form that :mod:`windlass.plots` draws."""
    import pyarrow as pa

    axis = reproduction.experiment.axes[0]
    rows = []
    for name, data, variant in curves_of(reproduction):
        for point in data.points:
            found = verdicts.mean(data.get(metric, variant, [point]))
            bounded = math.isfinite(found.half_width)
            rows.append(
                {
                    axis.key: f"{point[0]:g} {axis.unit}",
                    "group": "flow",
                    "direction": "forward",
                    "algorithm": name,
                    "goodput_bps_mean": 1e6 * found.mean,
                    "goodput_bps_lo": 1e6 * found.lo if bounded else None,
                    "goodput_bps_hi": 1e6 * found.hi if bounded else None,
                }
            )
    return pa.Table.from_pylist(rows)


def curves_of(reproduction: Reproduction) -> Iterable[tuple[str, Data, str]]:
    """Name, data and variant of each curve: the base, and the other form of an algorithm whose formula is in doubt."""
    for variant in shown_variants(reproduction.experiment, reproduction.data):
        yield reproduction.algorithms.get(variant, variant), reproduction.data, variant
    for run in reproduction.runs:
        if run.reading.form and run.data is not None:
            for variant, form in run.reading.swap.items():
                if variant in reproduction.experiment.variants:
                    yield reproduction.ledger.variants[form].label, run.data, variant


def empty(reproduction: Reproduction, point: tuple[Any, ...]) -> Limit | None:
    """Most that the links carry at a point if all flows start at once."""
    return reproduction.limits(point, reproduction.data.variants[0], True)


def _mathis(reproduction: Reproduction) -> dict[str, float] | None:
    """Segment and empty round trip for the square-root law, if only the swept loss acts."""
    book, experiment = reproduction.ledger, reproduction.experiment
    if any(book.loss_axis(experiment, key) and value for key, value in experiment.fixed.items()):
        return None
    known = reproduction.network
    return {"mss_bytes": float(known["payload"]), "rtt_s": known["round_trip_s"]} if known else None
