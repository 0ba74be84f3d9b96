"""Which points of a sweep are run."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import Any

from windlass.ledger import Axis, Check, Claim, Experiment


def points_of(experiment: Experiment) -> list[tuple[Any, ...]]:
    """All values of every axis."""
    return [axis.points for axis in experiment.axes]


def thinned(experiment: Experiment, claims: Sequence[Claim], most: int) -> list[tuple[Any, ...]]:
    """Fewer values of every axis: the ends, what a claim names, and points between until there are ``most``."""
    return [_thin(axis, claims, most) for axis in experiment.axes]


def spread(
    experiment: Experiment, claim: Claim, points: Collection[tuple[Any, ...]], count: int
) -> frozenset[tuple[Any, ...]]:
    """Some of the points: of every axis ``count`` values evenly from end to end, and those that the claim names; all
    variants.
    """
    kept = [
        _spread(axis, claim, [value for value in axis.points if any(point[index] == value for point in points)], count)
        for index, axis in enumerate(experiment.axes)
    ]
    return frozenset(
        point for point in points if all(value in values for value, values in zip(point, kept, strict=True))
    )


def _spread(axis: Axis, claim: Claim, values: Sequence[Any], count: int) -> list[Any]:
    if axis.is_variant or len(values) <= count:
        return list(values)
    kept = {round(step * (len(values) - 1) / (count - 1)) for step in range(count)}
    for check in (claim.check, *claim.check.also):
        kept |= _named(check, axis.key, values)
    return [values[index] for index in sorted(kept)]


def _thin(axis: Axis, claims: Sequence[Claim], most: int) -> tuple[Any, ...]:
    values = list(axis.points)
    if len(values) <= most:
        return tuple(values)
    kept = {0, len(values) - 1}
    for claim in claims:
        for check in (claim.check, *claim.check.also):
            kept |= _named(check, axis.key, values)
    while len(kept) < most:
        order = sorted(kept)
        gap, start = max(
            ((high - low, low) for low, high in itertools.pairwise(order)), key=lambda pair: (pair[0], -pair[1])
        )
        if gap < 2:
            break
        kept.add(start + gap // 2)
    return tuple(values[index] for index in sorted(kept))


def _named(check: Check, key: str, values: Sequence[Any]) -> set[int]:
    """Positions of the values that a check names: points, the ends of ranges, values of its parameter."""
    kept: set[int] = set()
    if check.get("param") == key:
        own = [*(check.get("values") or ()), *(check.get(name) for name in ("reference", "argmax", "argmin"))]
        kept |= {index for index, value in enumerate(values) if value in own}
    for selector in ("at", "must_hold_at", "except_at", "last_at", "at_a", "at_b", "a_above", "b_above"):
        wanted = (check.get(selector) or {}).get(key)
        if isinstance(wanted, list) and len(wanted) == 2:
            inside = [index for index, value in enumerate(values) if wanted[0] <= value <= wanted[1]]
            kept |= {inside[0], inside[-1]} if inside else set()
        elif isinstance(wanted, list):
            kept |= {index for index, value in enumerate(values) if value in wanted}
        elif wanted in values:
            kept.add(values.index(wanted))
    return kept
