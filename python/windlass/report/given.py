"""What the paper itself gives of a figure: values it states, and gains it claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from windlass.ledger import Check, Claim
from windlass.reproduce import Reproduction
from windlass.verdicts import Data, derived
from windlass.verdicts.across import matched, wholes
from windlass.verdicts.bands import in_unit_of
from windlass.verdicts.data import Unmeasured
from windlass.verdicts.intervals import Samples, mean

Point = tuple[Any, ...]


@dataclass(frozen=True)
class Stated:
    """A value that the paper states: of which variant, where, how much; in which unit if not in that of the runs."""

    variant: str
    point: Point
    value: float
    unit: str = ""


@dataclass(frozen=True)
class Gain:
    """A gain that the paper claims of ``a`` over ``b``, from ``low`` to ``high`` with its tolerance, as a share; a
    reduction is a gain below zero.

    ``points`` are where the claim may be meant. Where ``b`` is of another experiment, ``other`` has its measurements
    and ``there`` the point of it that each of ``points`` is compared with.
    """

    claim: Claim
    a: str
    b: str
    low: float
    high: float
    points: tuple[Point, ...]
    other: Data | None = None
    there: Mapping[Point, Point] = field(default_factory=dict)


@dataclass(frozen=True)
class Whole:
    """Means of two whole experiments, and the ends between which the first would lie if the claim held.

    ``variant`` is whose means they are; empty for that of all variants.
    """

    claim: Claim
    variant: str
    mean: Samples
    other: str
    other_mean: Samples
    low: float
    high: float


@dataclass(frozen=True)
class StatedWindow:
    """A window that the paper states, segments: the highest one (``peak``) of a variant at a point, or one that it has
    at some times; without times, one that it comes down to.
    """

    variant: str
    point: Point
    value: float
    peak: bool = False
    times: tuple[float, ...] = ()


def stated_windows(reproduction: Reproduction) -> list[StatedWindow]:
    """Windows that the paper states of variants and points that were run."""
    found = []
    for outcome in reproduction.outcomes:
        for check in (outcome.claim.check, *outcome.claim.check.also):
            peak = check.kind == "value" and check.get("metric") == "cwnd-max"
            lowest = check.kind == "trace" and check.get("signal") == "cwnd" and "level_segments" in check.fields
            lost = check.kind == "trace" and check.get("event") == "loss-window"
            of = check.get("of") or [reproduction.experiment.id]
            if check.get("negate") or reproduction.experiment.id not in of or not (peak or lowest or lost):
                continue
            if lost:  # of one run of the paper, which is nothing to judge others by
                numbers = outcome.claim.numbers
                value, times = numbers.get("loss_window"), numbers.get("resumed_s", [])
            else:
                value, times = check["value" if peak else "level_segments"], check.get("times_s", [])
            if value is None:
                continue
            when = tuple(float(time) for time in (times if isinstance(times, (list, tuple)) else [times]))
            points = _points(reproduction, check)
            if peak and len(points) != 1:  # a mean over points is of none of them
                continue
            found += [
                StatedWindow(name, point, float(value), peak, when)
                for name in _names(check["a"])
                for point in points
                if name in reproduction.data.variants
            ]
    return list(dict.fromkeys(found))


def named_times(reproduction: Reproduction, signal: str, point: Point) -> tuple[float, ...]:
    """Times at which the paper says that something happens in a series, seconds."""
    found = {
        float(time)
        for check in _checks(reproduction)
        if check.kind == "trace" and check["signal"] == signal and point in _points(reproduction, check)
        for time in check.get("times_s", [])
    }
    return tuple(sorted(found))


def stated_values(reproduction: Reproduction, metric: str) -> list[Stated]:
    """Values that the paper's text and tables give for what was run, in the unit of the runs."""
    return [one for one in printed_values(reproduction, metric) if not one.unit]


def printed_values(reproduction: Reproduction, metric: str) -> list[Stated]:
    """The same, and those in another unit, as the paper prints them."""
    found = []
    for check in _checks(reproduction):
        if check.get("metric") != metric or check.get("negate"):
            continue
        if check.kind == "value" and not check.get("avg_over"):
            unit = "" if _unit_is_ours(check) else str(check["unit"])
            points = _points(reproduction, check)
            if len(points) == 1:
                found += [Stated(name, points[0], float(check["value"]), unit) for name in _names(check.get("a"))]
        elif check.kind == "table" and check.get("measurable") is not False:
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
        for name in _names(check["b"]):
            if {check["a"], name} <= set(reproduction.data.variants):
                points = tuple(_points(reproduction, check))
                ends = ((low - room) / 100, (high + room) / 100)
                found.append(Gain(outcome.claim, check["a"], name, *ends, points))
    return found


def gains_across(reproduction: Reproduction) -> list[Gain]:
    """Gains that the paper claims of what was run here over what was run in another of its experiments."""
    found = []
    for claim, check in _across(reproduction, "cross"):
        if check["relation"] != "gain" or check.get("avg_over"):
            continue
        other = reproduction.others[check["b_from"]]
        try:
            here, there = matched(check, reproduction.data, other)
        except Unmeasured:
            continue
        if len(here) == len(there):
            low, high = (end / 100 for end in _percent(check))
            for a, b in zip(_names(check["a"]), _names(check["b"]), strict=True):
                found.append(Gain(claim, a, b, low, high, tuple(here), other, dict(zip(here, there, strict=True))))
    return found


def claimed_wholes(reproduction: Reproduction) -> list[Whole]:
    """What the paper claims of the means of two whole experiments, of which this is the first."""
    found = []
    for claim, check in _across(reproduction, "cross", "ratio", "drop"):
        name, metric, data = str(check["b_from"]), str(check["metric"]), reproduction.data
        other = reproduction.others[name]
        try:
            if check.kind != "cross":
                here, there = wholes(check, data, reproduction.others.get)
                centre, (low, high) = mean(there).mean, _whole_ends(check, metric)
                ends = (centre * low, centre * high) if check.kind == "ratio" else (centre + low, centre + high)
                found.append(Whole(claim, "", here, name, there, *ends))
            elif check["relation"] == "gain" and check.get("avg_over"):
                low, high = (1 + end / 100 for end in _percent(check))
                points = matched(check, data, other)
                for a, b in zip(_names(check["a"]), _names(check["b"]), strict=True):
                    one, two = data.get(metric, a, points[0]), other.get(metric, b, points[1])
                    centre = mean(two).mean
                    found.append(Whole(claim, a, one, name, two, centre * low, centre * high))
        except Unmeasured:
            continue
    return found


def _across(reproduction: Reproduction, *kinds: str) -> Iterator[tuple[Claim, Check]]:
    """Checks that compare this experiment with another one whose runs are there."""
    for outcome in reproduction.outcomes:
        check = outcome.claim.check
        own = check.get("a_from") == reproduction.experiment.id
        if check.kind in kinds and own and check.get("b_from") in reproduction.others and not check.get("negate"):
            yield outcome.claim, check


def _percent(check: Check) -> tuple[float, float]:
    """Ends of a claimed gain with its tolerance, per cent."""
    low, high = (float(end) for end in check.get("percent_range") or [check["percent"]] * 2)
    return low - float(check["tolerance_pp"]), high + float(check["tolerance_pp"])


def _whole_ends(check: Check, metric: str) -> tuple[float, float]:
    """Ends of a claimed ratio, or of a claimed drop in the metric's unit, with its tolerance."""
    value = float(check["ratio"]) if check.kind == "ratio" else 0.0
    if check.kind == "drop":
        value = in_unit_of(metric, float(check["value"]), str(check.get("unit", "")))
    tolerance = value * float(check["tolerance_rel"])
    return value - tolerance, value + tolerance


def _names(names: Any) -> list[str]:
    return [str(name) for name in names] if isinstance(names, (list, tuple)) else [str(names)]


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
    unit = str(table.get("unit", "")) if check.get("units") else ""
    found = []
    for row in table["rows"]:
        known = {**fixed, **dict(zip(axes, row, strict=False))}
        point = tuple(known.get(key) for key in data.axes)
        if point not in data.points:
            continue
        for name, cell in zip(table["columns"][len(axes) :], row[len(axes) :], strict=True):
            if isinstance(cell, (int, float)):
                found.append(Stated(str(name), point, float(cell), unit))
    return found
