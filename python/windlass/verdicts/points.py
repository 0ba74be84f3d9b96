"""The points of a check: averaged over, one by one, or in lines along an axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windlass.ledger import Check
from windlass.verdicts.data import Data, Point, Unmeasured
from windlass.verdicts.words import place


def groups_of(check: Check, data: Data, at: str = "at") -> list[tuple[str, list[Point]]]:
    """Selected points, those that are averaged over together, each with its label."""
    points = data.select(check.get(at) or {})
    if not points:
        raise Unmeasured(f"needs a point with {place((check.get(at) or {}).items())}")
    over = check.get("avg_over") or []
    keep = [index for index, key in enumerate(data.axes) if key not in over]
    grouped: dict[Point, list[Point]] = {}
    for point in points:
        grouped.setdefault(tuple(point[index] for index in keep), []).append(point)
    return [(data.along(members[0], keep) or "all points", members) for members in grouped.values()]


def picked(check: Check, data: Data) -> list[tuple[str, list[Point]]]:
    """Points as ``pick`` reduces them: one group for a mean, else one for each."""
    groups = groups_of(check, data)
    pick = check.get("pick")
    if pick == "mean" or (pick is None and check.get("avg_over") is None and check.kind in ("value", "not-below")):
        if len(groups) == 1:
            return groups
        return [(f"mean over {len(groups)} points", [point for _, members in groups for point in members])]
    return groups


def selected(data: Data, at: Mapping[str, Any] | None) -> set[Point]:
    """Points that ``at`` means; none without it."""
    return set(data.select(at)) if at else set()


@dataclass(frozen=True)
class Step:
    """A value of an axis on a line along it, with its words and the points that are averaged there."""

    value: Any
    label: str
    points: tuple[Point, ...]


def lines_along(check: Check, data: Data, axis: str) -> list[tuple[str, list[Step]]]:
    """Selected points in lines along an axis, each in the axis's order; other axes may be averaged over."""
    if axis not in data.axes:
        raise Unmeasured(f"needs a sweep over `{axis}`")
    over = check.get("avg_over") or []
    index = data.axes.index(axis)
    kept = [i for i, key in enumerate(data.axes) if key not in over or key == axis]
    lines: dict[Point, dict[Any, list[Point]]] = {}
    for point in data.select(check.get("at") or {}):
        if point[index] is not None:
            rest = tuple(point[i] for i in kept if i != index)
            lines.setdefault(rest, {}).setdefault(point[index], []).append(point)
    others = [i for i in kept if i != index]
    found = []
    for line in lines.values():
        steps = [Step(value, data.along(line[value][0], kept), tuple(line[value])) for value in sorted(line)]
        found.append((data.along(steps[0].points[0], others), steps))
    return found
