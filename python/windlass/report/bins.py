"""Throughput over time, in bins, where a claim has it recorded."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from windlass import verdicts
from windlass.report.given import named_times
from windlass.report.language import Language, metric_words
from windlass.report.panels import Curve, Panel, draw_panels
from windlass.reproduce import Reproduction, shown_variants
from windlass.verdicts.intervals import Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIGNAL = "throughput"
_MOST = 12


def bins_figure(reproduction: Reproduction) -> tuple[Figure, str] | None:
    """Means with intervals of the throughput in each bin of time, a panel for each point; none if not recorded."""
    language = Language(reproduction.ledger, reproduction.experiment)
    data = reproduction.data
    variants = shown_variants(reproduction.experiment, data)
    panels = []
    for point in data.points:
        curves = []
        for variant in variants:
            lines = data.series.get((_SIGNAL, variant, point), {})
            if lines:
                curves.append((language.variant(variant), {seed: dict(line) for seed, line in lines.items()}))
        if curves:
            places = tuple(sorted({at for _, lines in curves for line in lines.values() for at in line}))
            drawn = tuple(mean_curve(name, lines, places, data.confidence) for name, lines in curves)
            times = named_times(reproduction, _SIGNAL, point)
            panels.append(Panel(language.point(data.axes, point), places, drawn, events=times))
    if not panels:
        return None
    length = 2 * panels[0].places[0]  # the first bin begins at 0
    words = [f"Throughput in bins of {length:g} s, each at its middle: {reproduction.means_text}."]
    if any(panel.events for panel in panels):
        words.append("Dotted lines: times that the paper names. It states no value of a bin.")
    else:
        words.append("The paper's own values: not given in its text.")
    known = {curve.name for panel in panels for curve in panel.curves}
    without = [name for name in map(language.variant, variants) if name not in known]
    if without:
        words.append(f"Not recorded in bins, since no claim looks at them: {', '.join(without)}.")
    if len(panels) > _MOST:
        words.append(f"The first {_MOST} of {len(panels)} settings are drawn.")
    return draw_panels(panels[:_MOST], "time (s)", metric_words(_SIGNAL)), " ".join(words)


def mean_curve(name: str, lines: dict[int, dict[float, float]], places: tuple[float, ...], confidence: float) -> Curve:
    """Mean and interval over the seeds at each place; without ends where there is one seed."""
    ends = []
    for place in places:
        found = verdicts.mean(Series({seed: line[place] for seed, line in lines.items() if place in line}, confidence))
        known = math.isfinite(found.half_width)
        ends.append((found.mean, found.lo if known else math.nan, found.hi if known else math.nan))
    mean, low, high = zip(*ends, strict=True)
    return Curve(name, mean, low, high)
