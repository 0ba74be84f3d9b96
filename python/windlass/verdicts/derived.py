"""Metrics that are made from the throughput of several variants or of several points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windlass.verdicts.intervals import Samples, Series, averaged

if TYPE_CHECKING:
    from windlass.verdicts.data import Data, Point

RESIDUAL = "residual"
"""Rate left unused: what is carried without random loss, all variants' mean, less the throughput; Mbps."""

REDUCTION = "residual-reduction"
"""How much less than NewReno's the residual is, percent; over several points, how much less their mean is."""

GAP = "gap-to-partner-percent"
"""Difference from the variant on the same link, which the point names, either way; percent of that one's."""

MARGIN = "throughput-margin"
"""Gain over the mean of all other variants, percent."""

ROUGHNESS = "throughput-roughness"
"""How far a point is from the straight line between its two neighbours, percent of that line there; points at the ends
of an axis have none.
"""

_GAIN = "gain-over-"


def derived(metric: str) -> bool:
    """Whether a metric is made from the throughput of several variants or points."""
    return metric in (RESIDUAL, ROUGHNESS) or in_points(metric)


def in_points(metric: str) -> bool:
    """Whether a derived metric is a share with a sign, so that two of them have a difference and no ratio."""
    return metric in (REDUCTION, GAP, MARGIN) or metric.startswith(_GAIN)


def by_neighbours(metric: str) -> bool:
    """Whether a metric at a point depends on which points are beside it."""
    return metric == ROUGHNESS


def inner(data: Data, metric: str, points: Sequence[Point]) -> list[Point]:
    """The points at which a metric is defined: of a curve's roughness those between others, of less unused bandwidth
    those with loss, since without it nothing is unused.
    """
    if by_neighbours(metric):
        return [point for point in points if _neighbours(data, point) is not None]
    if metric == REDUCTION and data.loss_axis in data.axes:
        index = data.axes.index(data.loss_axis)
        return [point for point in points if point[index] != 0]
    return list(points)


def mean_value(data: Data, metric: str, variant: str, points: Sequence[Point]) -> Series:
    """A derived metric over several points, by seed; empty if something that it needs was not measured.

    A share of what is unused is that of the mean over the points: at a point where nothing is unused there is none.
    """
    if metric != REDUCTION:
        return averaged([data.get(metric, variant, [point]) for point in points])
    left, base = (averaged([data.get(RESIDUAL, name, [point]) for point in points]) for name in (variant, "newreno"))
    return Series(
        {seed: 100 * (1 - left[seed] / base[seed]) for seed in left if base.get(seed, 0.0) > 0},
        max(left.confidence, base.confidence),
        left.cells | base.cells,
        wide=data.wide,
    )


def value(data: Data, metric: str, variant: str, point: Point) -> dict[int, float]:
    """A derived metric by seed; empty if something that it needs was not measured."""
    own = _throughput(data, variant, point)
    if metric == RESIDUAL:
        most = _without_loss(data, point)
        return {seed: most[seed] - own[seed] for seed in own if seed in most}
    if metric == REDUCTION:
        return dict(mean_value(data, REDUCTION, variant, [point]))
    if metric == ROUGHNESS:
        return _off_line(data, variant, point, own)
    if metric == GAP:
        partner = next((name for name in point if name in data.variants and name != variant), None)
        gaps = _over(own, _throughput(data, partner, point)) if partner is not None else {}
        return {seed: abs(gap) for seed, gap in gaps.items()}
    named = metric.removeprefix(_GAIN)
    others = [named] if named != metric else [name for name in data.variants if name != variant]
    return _over(own, averaged([_throughput(data, name, point) for name in others]))


def _off_line(data: Data, variant: str, point: Point, own: Samples) -> dict[int, float]:
    """Distance from the line between the neighbours, percent of that line."""
    ends = _neighbours(data, point)
    if ends is None:
        return {}
    before, after = (_throughput(data, variant, end) for end in ends)
    share = (point[0] - ends[0][0]) / (ends[1][0] - ends[0][0])
    line = {seed: before[seed] + share * (after[seed] - before[seed]) for seed in before if seed in after}
    return {seed: abs(gap) for seed, gap in _over(own, line).items()}


def _neighbours(data: Data, point: Point) -> tuple[Point, Point] | None:
    """The points before and after on the only axis; none at its ends, or if there are several axes."""
    if len(data.axes) != 1:
        return None
    line = sorted(data.points)
    index = line.index(point)
    return (line[index - 1], line[index + 1]) if 0 < index < len(line) - 1 else None


def _throughput(data: Data, variant: str, point: Point) -> Samples:
    return data.get("throughput", variant, [point])


def _over(own: Samples, base: Samples) -> dict[int, float]:
    """Percent over a base."""
    return {seed: 100 * (own[seed] / base[seed] - 1) for seed in base if seed in own and base[seed] > 0}


def _without_loss(data: Data, point: Point) -> dict[int, float]:
    """Mean of all variants at the point that differs only in having no random loss."""
    if data.loss_axis not in data.axes:
        return {}
    index = data.axes.index(data.loss_axis)
    best = (*point[:index], 0, *point[index + 1 :])
    return averaged([_throughput(data, name, best) for name in data.variants])
