"""What the paper itself gives of a figure: values it states, and gains it claims."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from windlass.ledger import Check, Claim
from windlass.reproduce import Reproduction
from windlass.verdicts import derived
from windlass.verdicts.data import Unmeasured

Point = tuple[Any, ...]


@dataclass(frozen=True)
class Stated:
    """A value that the paper states: of which variant, where, how much."""

    variant: str
    point: Point
    value: float


@dataclass(frozen=True)
class Gain:
    """A gain that the paper claims of ``a`` over ``b``, from ``low`` to ``high`` with its tolerance, as a share; a
    reduction is a gain below zero.

    ``points`` are where the claim may be meant.
    """

    claim: Claim
    a: str
    b: str
    low: float
    high: float
    points: tuple[Point, ...]


def stated_values(reproduction: Reproduction, metric: str) -> list[Stated]:
    """Values that the paper's text and tables give for the points and variants that were run."""
    found = []
    for check in _checks(reproduction):
        if check.get("metric") != metric or check.get("negate"):
            continue
        if check.kind == "value" and not check.get("avg_over") and _unit_is_ours(check):
            points = _points(reproduction, check)
            names = check["a"] if isinstance(check.get("a"), (list, tuple)) else [check.get("a")]
            if len(points) == 1:
                found += [Stated(str(name), points[0], float(check["value"])) for name in names]
        elif check.kind == "table" and not check.get("units"):
            found += _cells(reproduction, check)
    measured = set(reproduction.data.variants)
    return list(dict.fromkeys(one for one in found if one.variant in measured))


def claimed_gains(reproduction: Reproduction) -> list[Gain]:
    """Gains and reductions that the paper claims of variants and points that were run."""
    found = []
    for outcome in reproduction.outcomes:
        check = outcome.claim.check
        if check.kind in ("gain", "reduction"):
            low = high = float(check["percent"]) * (1 if check.kind == "gain" else -1)
        elif check.kind == "gain-band":
            low, high = (float(end) for end in check["percent_range"])
        else:
            continue
        metric = str(check["metric"])
        if check.get("negate") or not (derived(metric) or metric in reproduction.data.metrics):
            continue
        room = float(check.get("tolerance_pp", 0.0))
        names = check["b"] if isinstance(check["b"], (list, tuple)) else [check["b"]]
        for name in names:
            if {check["a"], name} <= set(reproduction.data.variants):
                points = tuple(_points(reproduction, check))
                ends = ((low - room) / 100, (high + room) / 100)
                found.append(Gain(outcome.claim, check["a"], name, *ends, points))
    return found


def _checks(reproduction: Reproduction) -> Iterator[Check]:
    for outcome in reproduction.outcomes:
        yield outcome.claim.check
        yield from outcome.claim.check.also


def _points(reproduction: Reproduction, check: Check) -> list[Point]:
    try:
        return list(reproduction.data.select(check.get("at") or {}))
    except Unmeasured:
        return []


def _unit_is_ours(check: Check) -> bool:
    return str(check.get("unit", "Mbps")) in ("Mbps", "-", "", "segments", "ms")


def _cells(reproduction: Reproduction, check: Check) -> list[Stated]:
    """Cells of a printed table whose first columns are the axes of the runs and the others its variants."""
    table = reproduction.ledger.tables[check["table"]]
    axes = list(check["axes"])
    data = reproduction.data
    fixed = check.get("at") or {}
    found = []
    for row in table["rows"]:
        known = {**fixed, **dict(zip(axes, row, strict=False))}
        point = tuple(known.get(key) for key in data.axes)
        if point not in data.points:
            continue
        for name, cell in zip(table["columns"][len(axes) :], row[len(axes) :], strict=True):
            if isinstance(cell, (int, float)):
                found.append(Stated(str(name), point, float(cell)))
    return found
