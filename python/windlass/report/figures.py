"""The figures of a report: what was measured, with the paper's own numbers in it where its text gives them."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass import verdicts
from windlass.report.bins import bins_figure
from windlass.report.given import Gain, Stated, Whole, claimed_gains, claimed_wholes, gains_across, stated_values
from windlass.report.growth import growth_figure
from windlass.report.language import Language, metric_words, scaled_words
from windlass.report.panels import Curve, Panel, draw_panels, highest_shown
from windlass.report.windows import windows_figure
from windlass.reproduce import Reproduction, headline_metric, shown_variants
from windlass.verdicts import Data, Limit, derived
from windlass.verdicts.intervals import Samples

if TYPE_CHECKING:
    from markupsafe import Markup

_MOST_GAINS = 12  # panels of claimed gains in one figure
_MOST_PANELS = 12


@dataclass(frozen=True)
class Figure:
    """A figure of the report: its file name without ending, what it shows, and its SVG."""

    stem: str
    caption: str
    svg: bytes

    @property
    def name(self) -> str:
        """What it shows, in a few words."""
        return re.split(r"[:.,;]", self.caption, maxsplit=1)[0]

    @property
    def uri(self) -> Markup:
        """The SVG as an address that holds all of it."""
        import markupsafe

        return markupsafe.Markup("data:image/svg+xml;base64," + base64.b64encode(self.svg).decode("ascii"))


def draw(reproduction: Reproduction, folder: Path) -> list[Figure]:
    """Draw the experiment's figures, write each as PDF, SVG and PNG, and return them for the page.

    One of throughput or of sequence numbers over time where these were recorded, one for each number that the
    experiment is about, one of the gains that the paper claims of a number, one of windows where they were recorded. A
    summary has none: its figures are those of what it sums up.
    """
    from windlass import plots

    if reproduction.experiment.covers:
        return []
    stem = reproduction.experiment.name
    bins = bins_figure(reproduction)
    drawn = [(f"{stem}-bins", *bins)] if bins is not None else []
    growth = growth_figure(reproduction)
    drawn += [(f"{stem}-growth", *growth)] if growth is not None else []
    drawn += [
        (f"{stem}" if not at else f"{stem}-{metric}", *_measured(reproduction, metric))
        for at, metric in enumerate(metrics_of(reproduction))
    ]
    gains: dict[str, list[Gain]] = {}
    both = [*claimed_gains(reproduction), *gains_across(reproduction)]
    for gain in both if reproduction.experiment.axes else []:
        gains.setdefault(str(gain.claim.check["metric"]), []).append(gain)
    drawn += [
        (f"{stem}-gains" if not at else f"{stem}-gains-{metric}", *_gains(reproduction, metric, gains[metric]))
        for at, metric in enumerate(sorted(gains, key=derived))  # what was measured, then what is made of it
    ]
    wholes: dict[str, list[Whole]] = {}
    for whole in claimed_wholes(reproduction):
        wholes.setdefault(str(whole.claim.check["metric"]), []).append(whole)
    drawn += [
        (f"{stem}-means" if not at else f"{stem}-means-{metric}", *_wholes(reproduction, metric, wholes[metric]))
        for at, metric in enumerate(wholes)
    ]
    windows = windows_figure(reproduction)
    if windows is not None:
        drawn.append((f"{stem}-windows", *windows))
    found = []
    for name, figure, caption in drawn:
        plots.save(figure, folder / name)
        found.append(Figure(name, caption, (folder / f"{name}.svg").read_bytes()))
    return found


def metrics_of(reproduction: Reproduction) -> list[str]:
    """Numbers that the experiment is about, as far as runs give them; else the one that stands for it."""
    known = [name for name in reproduction.experiment.metrics if name in reproduction.data.metrics]
    return known or [headline_metric(reproduction.data)[0]]


def _measured(reproduction: Reproduction, metric: str) -> tuple[Any, str]:
    """Means with intervals of one number, and what the paper states of it."""
    language = Language(reproduction.ledger, reproduction.experiment)
    along = _Along(reproduction)
    stated = stated_values(reproduction, metric)
    curves = list(curves_of(reproduction))
    panels = []
    for title, points in along.groups(language):
        lines = [Curve(name, *_ends(data, metric, variant, points)) for name, data, variant in curves]
        caps = [_cap(reproduction, point, metric) for point in points]
        marks = [
            (points.index(one.point), one.value, language.variant(one.variant)) for one in stated if one.point in points
        ]
        panels.append(Panel(title, along.places(points), tuple(lines), marks=tuple(marks), caps=tuple(caps)))
    shown = panels[:_MOST_PANELS]
    factor, words = _scale(metric, shown)
    figure = draw_panels(shown, along.label, words, along.log(), along.ticks(), factor)
    return figure, _caption(reproduction, metric, stated, panels)


def _scale(metric: str, panels: list[Panel]) -> tuple[float, str]:
    """Factor to the unit of the vertical axis, and its words."""
    return scaled_words(metric, highest_shown(panels) / 1.08)


def _caption(reproduction: Reproduction, metric: str, stated: list[Stated], panels: list[Panel]) -> str:
    name = metric_words(metric).partition(" (")[0]
    words = [f"{name[0].upper()}{name[1:]}: {reproduction.means_text}."]
    if metric == "seqno":
        words.append("Each value is what has arrived at the end of the run.")
    elif "time_s" in reproduction.data.drawn_over:
        words.append("Each value is of the whole run; the paper draws it over time.")
    caps = [cap for panel in panels for cap in panel.caps if cap is not None]
    if caps and min(caps) <= highest_shown(panels):
        words.append("Thin dashed line: a flow's share of what the narrowest link carries, payload only.")
    elif caps:
        words.append(
            f"A flow's share of what the narrowest link carries lies above the figure: {min(caps):.3g} Mbit/s."
        )
    if stated:
        words.append("Large hollow marks: values that the paper states.")
    else:
        words.append("The paper's own values: not given in its text.")
    axis = next(iter(reproduction.experiment.axes), None)
    if axis is not None and not axis.points_stated:
        known = "its range" if axis.range_stated else "only its axis"
        words.append(f"The points of the sweep are ours; the paper states {known}.")
    if len(panels) > _MOST_PANELS:
        words.append(f"The first {_MOST_PANELS} of {len(panels)} settings are drawn; the table has all.")
    return " ".join(words)


def _gains(reproduction: Reproduction, metric: str, gains: list[Gain]) -> tuple[Any, str]:
    """For each claimed gain of a number: both variants, and where the better one would be if the claim held."""
    language = Language(reproduction.ledger, reproduction.experiment)
    along = _Along(reproduction)
    groups = along.groups(language)
    panels = []
    for gain in gains[:_MOST_GAINS]:
        title, points = next((one for one in groups if set(one[1]) & set(gain.points)), groups[0])
        over = language.variant(gain.b)
        if gain.other is not None:
            over = language.found(f"{gain.b} in {gain.other.experiment.rpartition('/')[2]}")
        lines = [
            Curve(language.variant(gain.a), *_ends(reproduction.data, metric, gain.a, points)),
            Curve(over, *_baseline(reproduction.data, metric, gain, points)),
        ]
        band = tuple(
            (value * (1 + gain.low), value * (1 + gain.high)) if point in gain.points else None
            for value, point in zip(lines[1].mean, points, strict=True)
        )
        head = f"claim {gain.claim.number}, over {over}" + (f", {title}" if title else "")
        panels.append(Panel(head, along.places(points), tuple(lines), band=band))
    factor, words = _scale(metric, panels)
    figure = draw_panels(panels, along.label, words, along.log(), along.ticks(), factor)
    return figure, (
        "Each gain or reduction that the paper claims, applied to our measured baseline: the hatched band, or bar where "
        "the claim is about one point, is where the variant would lie if the claim held, with the claim's tolerance. "
        "It is drawn at every point that the claim may mean. Curves: means with 95 % intervals."
    )


def _baseline(data: Data, metric: str, gain: Gain, points: list[tuple[Any, ...]]) -> tuple[tuple[float, ...], ...]:
    """Means of what a gain is over, with their ends, at this experiment's points."""
    if gain.other is None:
        return _ends(data, metric, gain.b, points)
    none = (math.nan,) * 3
    known = [point for point in points if point in gain.there]
    found = zip(*_ends(gain.other, metric, gain.b, [gain.there[point] for point in known]), strict=True)
    rows = dict(zip(known, found, strict=True))
    mean, low, high = zip(*[rows.get(point, none) for point in points], strict=True)
    return mean, low, high


def _wholes(reproduction: Reproduction, metric: str, wholes: list[Whole]) -> tuple[Any, str]:
    """For each claim on the means of two experiments: both, and where the first would be if the claim held."""
    language = Language(reproduction.ledger, reproduction.experiment)
    own = _title(language, reproduction.experiment.id)
    panels = []
    for whole in wholes[:_MOST_GAINS]:
        curves = [
            Curve(name, *((value,) for value in _interval(samples)))
            for name, samples in ((own, whole.mean), (_title(language, whole.other), whole.other_mean))
        ]
        head = f"claim {whole.claim.number}, {language.variant(whole.variant) if whole.variant else 'all variants'}"
        panels.append(Panel(head, (0.0,), tuple(curves), band=((whole.low, whole.high),)))
    factor, words = _scale(metric, panels)
    return draw_panels(panels, "", words, ticks=("",), factor=factor), (
        "Each claim on two whole figures, applied to our measured mean of the other one: the hatched bar is where the "
        "mean of this one would lie if the claim held, with the claim's tolerance. Means over all points with 95 % "
        "intervals."
    )


def _title(language: Language, experiment: str) -> str:
    """An experiment as the paper has it: `figure 50`."""
    return language.found(f"in {experiment.rpartition('/')[2]}").removeprefix("in ")


class _Along:
    """Which axis runs along the figures; every other one makes panels."""

    def __init__(self, reproduction: Reproduction) -> None:
        self.reproduction = reproduction
        axes = reproduction.experiment.axes
        numeric = [axis for axis in axes if not any(isinstance(point, str) for point in axis.points)]
        self.axis = max(numeric or axes, key=lambda axis: len(axis.points), default=None)
        self.at = axes.index(self.axis) if self.axis is not None else -1
        self.label = "" if self.axis is None else self.axis.parameter
        if self.axis is not None and self.axis.unit != "-":
            self.label += f" ({self.axis.unit})"

    def groups(self, language: Language) -> list[tuple[str, list[tuple[Any, ...]]]]:
        """Points of each panel, with the panel's title."""
        data = self.reproduction.data
        found: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        for point in data.points:
            rest = tuple(value for at, value in enumerate(point) if at != self.at)
            found.setdefault(rest, []).append(point)
        keys = tuple(key for at, key in enumerate(data.axes) if at != self.at)
        return [(language.point(keys, rest), points) for rest, points in found.items()]

    def places(self, points: list[tuple[Any, ...]]) -> tuple[float, ...]:
        """Where points stand along the axis."""
        if self.axis is None:
            return tuple(float(at) for at in range(len(points)))
        values = [point[self.at] for point in points]
        if all(isinstance(value, (int, float)) for value in values):
            return tuple(float(value) for value in values)
        order = list(dict.fromkeys(point[self.at] for point in self.reproduction.data.points))
        return tuple(float(order.index(value)) for value in values)

    def ticks(self) -> tuple[str, ...]:
        """Words on the axis where its points are no numbers."""
        if self.axis is None:
            return ("",)
        order = list(dict.fromkeys(point[self.at] for point in self.reproduction.data.points))
        language = Language(self.reproduction.ledger, self.reproduction.experiment)
        return tuple(language.found(str(value)) for value in order) if any(isinstance(v, str) for v in order) else ()

    def log(self) -> bool:
        """Whether the points spread over more than one decade and a half."""
        points = [point for point in self.reproduction.data.points if self.axis is not None]
        values = [point[self.at] for point in points if isinstance(point[self.at], (int, float))]
        positive = [value for value in values if value > 0]
        return bool(positive) and min(values) >= 0 and max(positive) / min(positive) >= 30


def _ends(data: Data, metric: str, variant: str, points: list[tuple[Any, ...]]) -> tuple[tuple[float, ...], ...]:
    """Means, lower and upper ends at some points; not a number where there is none."""
    found = [_interval(data.get(metric, variant, [point])) for point in points]
    mean, low, high = zip(*found, strict=True) if found else ((), (), ())
    return mean, low, high


def _interval(samples: Samples) -> tuple[float, float, float]:
    """Mean, lower and upper end; ends that are not known are not a number."""
    one = verdicts.mean(samples)
    return (one.mean, one.lo, one.hi) if math.isfinite(one.half_width) else (one.mean, math.nan, math.nan)


def _cap(reproduction: Reproduction, point: tuple[Any, ...], metric: str) -> float | None:
    if metric not in ("throughput", "goodput"):
        return None
    limit = empty(reproduction, point)
    return None if limit is None else limit.per_flow_mbps


def curves_of(reproduction: Reproduction) -> Iterable[tuple[str, Data, str]]:
    """Name, data and variant of each curve: the base, and the other form of an algorithm whose formula is in doubt.

    Where flows are shown one by one, so are those of the other form.
    """
    language = Language(reproduction.ledger, reproduction.experiment)
    entry, data = reproduction.experiment, reproduction.data
    # few of the figures of a summary have flows that are shown one by one, all have means of a variant
    whole = [name for name in entry.variants if name in data.variants] if entry.covers else []
    shown = whole or shown_variants(entry, data)
    for variant in shown:
        yield language.variant(variant), data, variant
    for run in reproduction.runs:
        if run.reading.form and run.data is not None:
            for variant in shown:
                name, flow, number = variant.partition("#")
                if name in run.reading.swap:
                    yield language.variant(run.reading.swap[name] + flow + number), run.data, variant


def empty(reproduction: Reproduction, point: tuple[Any, ...]) -> Limit | None:
    """Most that the links carry at a point if all flows start at once; of variants without headers it is more than of
    others.
    """
    limits = [reproduction.limits(point, variant, True) for variant in reproduction.data.variants]
    return max((limit for limit in limits if limit is not None), key=lambda limit: limit.per_flow_mbps, default=None)
