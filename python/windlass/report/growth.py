"""How much has arrived over time, where the paper draws the growth of sequence numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.report.bins import mean_curve
from windlass.report.language import Language, scaled_words
from windlass.report.panels import Curve, Panel, draw_panels, highest_shown
from windlass.reproduce import Reproduction, shown_variants

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIGNAL = "seqno"


def growth_figure(reproduction: Reproduction) -> tuple[Figure, str] | None:
    """Means with intervals of what has arrived of each connection by each time; none if it was not recorded."""
    language = Language(reproduction.ledger, reproduction.experiment)
    data = reproduction.data
    curves: list[Curve] = []
    places: tuple[float, ...] = ()
    for variant in shown_variants(reproduction.experiment, data):
        for point in data.points:
            lines = {seed: dict(line) for seed, line in data.series.get((_SIGNAL, variant, point), {}).items()}
            if lines:
                places = places or tuple(sorted({at for line in lines.values() for at in line}))
                curves.append(mean_curve(language.variant(variant), lines, places, data.confidence))
    if not curves:
        return None
    panels = [Panel("", places, tuple(curves))]
    factor, label = scaled_words(_SIGNAL, highest_shown(panels) / 1.08)
    words = f"Growth of sequence numbers, as bytes that have arrived by each time: {reproduction.means_text}."
    words += " The paper's own values: not given in its text."
    return draw_panels(panels, "time (s)", label, factor=factor), words
