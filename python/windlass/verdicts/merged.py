"""Several experiments as one: the points of all, with the figure as an axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from windlass.verdicts.data import Data, Point
from windlass.verdicts.intervals import CONFIDENCE, Cell

FIGURE = "figure"
"""The axis that tells experiments apart."""


@dataclass(frozen=True)
class Merged(Data):
    """Measurements of several experiments; ``origin`` gives for each point the experiment and its point there, and
    ``swept`` the axes of each experiment.
    """

    origin: Mapping[Point, tuple[str, Point]] = field(default_factory=dict)
    swept: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def cell(self, variant: str, point: Point) -> Cell:
        """Where a variant's runs at a point are: in the experiment that the point is of, if it was run there."""
        name, own = self.origin.get(point, (self.experiment, point))
        return (name, variant, own)

    def along(self, point: Point, kept: Iterable[int]) -> str:
        """Where the figure is named, what it fixes need not be."""
        kept = list(kept)
        if kept[:1] == [0] and point in self.origin:
            own = self.swept.get(self.origin[point][0], ())
            kept = [index for index in kept if index == 0 or self.axes[index] in own]
        return super().along(point, kept)


def merge(name: str, parts: Sequence[Data]) -> Merged:
    """Measurements of several experiments as those of one.

    A point begins with the name of its figure. Where an experiment does not sweep an axis that another one does, it has
    the value that it fixes, or none.
    """
    axes = [axis for axis in dict.fromkeys(axis for part in parts for axis in part.axes)]
    axes += [key for key in dict.fromkeys(key for part in parts for key in part.fixed) if key not in axes]
    origin = {}
    values, series = {}, {}
    for part in parts:
        places = {point: (part.experiment.rsplit("/", 1)[-1], *_along(part, axes, point)) for point in part.points}
        origin.update({place: (part.experiment, point) for point, place in places.items()})
        own = {(metric, variant, places[at]): samples for (metric, variant, at), samples in part.values.items()}
        values.update(own)
        series.update({(what, variant, places[at]): lines for (what, variant, at), lines in part.series.items()})
    drawn = tuple(dict.fromkeys(key for part in parts for key in part.drawn_over))
    lossy = next((part.loss_axis for part in parts if part.loss_axis), "")
    tables = parts[0].tables if parts else {}
    sure = max((part.confidence for part in parts), default=CONFIDENCE)
    asked = next((part.asked for part in parts if part.asked is not None), None)
    return Merged(
        name,
        (FIGURE, *axes),
        tuple(origin),
        {},
        values,
        drawn,
        lossy,
        series,
        tables,
        confidence=sure,
        wide=any(part.wide for part in parts),
        asked=asked,
        origin=origin,
        swept={part.experiment: part.axes for part in parts},
    )


def _along(part: Data, axes: Sequence[str], point: Point) -> Point:
    own = dict(zip(part.axes, point, strict=True))
    return tuple(own.get(axis, part.fixed.get(axis)) for axis in axes)
