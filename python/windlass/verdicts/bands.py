"""One number against a band: gains, reductions, values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from windlass.interval import Interval
from windlass.ledger import Check
from windlass.verdicts.answers import Answer, centre, interval_text, percent_text, reply_of
from windlass.verdicts.data import Data, Limit, Limits, Unmeasured
from windlass.verdicts.intervals import Cell, averaged, cells_of, mean, ratio, seeds_to
from windlass.verdicts.judgement import (
    BEST_FIRST,
    MET,
    WORST_FIRST,
    Judgement,
    Part,
    all_parts,
    finite,
    first_by,
    still_open,
)
from windlass.verdicts.points import picked

UNITS = {"throughput": "Mbps", "goodput": "Mbps", "residual": "Mbps", "delay": "ms"}
"""What metrics are measured in that papers print in several units."""

LIKE_NONE = 0.25
"""A gain below this share of its tolerance is said to be about none: its sign is not claimed."""

_FACTORS = {("kbps", "Mbps"): 1e-3, ("Mbps", "Mbps"): 1.0, ("ms", "ms"): 1.0, ("s", "ms"): 1e3}


def in_unit_of(metric: str, value: float, unit: str) -> float:
    """A printed number in the unit in which the metric is measured."""
    own = UNITS.get(metric)
    if not unit or own is None:
        return value
    if (unit, own) not in _FACTORS:
        raise Unmeasured(f"needs `{metric}` in {own}, printed is {unit}")
    return value * _FACTORS[unit, own]


@dataclass(frozen=True)
class Banded:
    """Verdict on a number that should lie in a band, the seeds that would settle it, and what it can still become.

    ``narrow``: it stays because the interval is no wider than the tolerance, though it holds numbers of other verdicts.
    """

    verdict: str
    seeds: int | None
    finals: frozenset[str]
    narrow: bool
    cells: frozenset[Cell]

    @property
    def part(self) -> Part:
        """As :func:`still_open` takes it."""
        return self.finals, self.cells, self.cells


def in_band(interval: Interval, low: float, high: float, tolerance: float, sign: int) -> Banded:
    """Verdict on a number that should lie in the band."""
    lo, hi = interval.lo, interval.hi
    meets, inside = hi >= low and lo <= high, low <= lo and hi <= high
    tight = hi - lo <= tolerance
    right = lo > 0 if sign > 0 else hi < 0
    seeds = None
    if not meets:
        verdict = "direction only" if right and sign else "contradicted"
    elif inside:
        verdict = "reproduced"
    elif tight:
        verdict = "compatible"  # it reaches over an edge, and stays so
    else:
        verdict, seeds = "undecided", seeds_to(interval, tolerance / 2)
    finals = _finals_in_band(interval, low, high, sign)
    narrow = tight and finals != {verdict}
    return Banded(verdict, seeds, frozenset([verdict]) if tight else finals, narrow, cells_of(interval))


def _finals_in_band(interval: Interval, low: float, high: float, sign: int) -> frozenset[str]:
    """Verdicts of the numbers in an interval: in the band, near an edge of it, beside it on the claimed side of zero,
    elsewhere. A number near an edge never has an interval that lies inside the band: in the end it reaches over.
    """
    lo, hi = interval.lo, interval.hi
    found = {"reproduced"} if hi >= low and lo <= high else set()
    if found and not low <= lo <= hi <= high:
        found.add("compatible")
    for left, right in ((lo, min(hi, low)), (max(lo, high), hi)):  # what lies below the band, and above it
        if left < right or (left == right == lo == hi and not found):
            found |= {"direction only"} if sign * right > 0 or sign * left > 0 else set()
            found |= {"contradicted"} if sign == 0 or sign * left <= 0 or sign * right <= 0 else set()
    return frozenset(found)


def of_band(band: Banded, measured: str, answer: Answer) -> Judgement:
    """The judgement that rests on one number."""
    open_cells = band.cells if len(band.finals) > 1 else frozenset()
    return Judgement(
        band.verdict,
        measured,
        (answer.row(),),
        band.seeds,
        finals=band.finals,
        narrow=band.narrow,
        open_cells=open_cells,
    )


def largest_gain_percent(limit: Limit, reference: Interval) -> float:
    """Largest gain that the links allow over a reference (Mbps per flow), percent, from the reference's lower end."""
    low = reference.lo if reference.lo > 0 else 0.0
    return math.inf if low == 0.0 else 100 * (limit.per_flow_mbps / low - 1)


def gain(check: Check, data: Data, limits: Limits | None) -> Judgement:
    """A gain or reduction of ``percent``, give or take ``tolerance_pp``."""
    percent, tolerance = float(check["percent"]), float(check["tolerance_pp"])
    low = percent - tolerance
    high = math.inf if check.get("at_least") else percent + tolerance
    return _percent_in_band(check, data, limits, str(check["b"]), low, high, tolerance, percent)


def gain_band(check: Check, data: Data, limits: Limits | None) -> Judgement:
    """A gain within ``percent_range``, over one other variant or several."""
    low, high = (float(edge) for edge in check["percent_range"])
    tolerance = float(check["tolerance_pp"])
    given = check["b"]
    parts = [
        _percent_in_band(check, data, limits, b, low - tolerance, high + tolerance, tolerance + (high - low) / 2, low)
        for b in ([given] if isinstance(given, str) else given)
    ]
    return all_parts(parts)


def _percent_in_band(
    check: Check, data: Data, limits: Limits | None, b: str, low: float, high: float, tolerance: float, percent: float
) -> Judgement:
    """A gain (or reduction) of ``a`` over ``b`` in percent against a band, at every point that may be meant."""
    a, metric = str(check["a"]), str(check["metric"])
    reduction = check.kind == "reduction"
    sign = 1 if percent > 0 else -1 if percent < 0 else 0
    if abs(percent) < LIKE_NONE * tolerance:
        sign = 0
    found: list[tuple[str, Answer]] = []
    bands: list[Banded] = []
    nearest: list[float] = []
    largest: list[dict[str, Any]] = []
    room: list[tuple[float, str]] = []
    for where, points in picked(check, data):
        top, base = data.get(metric, a, points), data.get(metric, b, points)
        quotient = ratio(top, base)
        if quotient.n == 0:
            raise Unmeasured(f"needs runs of `{a}` and `{b}` at {where}")
        if reduction:
            interval = quotient.complement().scaled(100)
        else:
            interval = quotient.scaled(100, -100)
        band = in_band(interval, low, high, tolerance, sign)
        bands.append(band)
        what = f"{'reduction' if reduction else 'gain'} of {a} over {b}"
        found.append((band.verdict, Answer(reply_of(band.verdict), where, what, interval, "%", band.seeds)))
        limit = limits(points[0], a) if limits is not None and len(points) == 1 else None
        if limit is not None and metric in ("throughput", "goodput") and not reduction:
            reference = mean(base)
            most = largest_gain_percent(limit, reference)
            largest.append({"where": where, "than": b, "percent": finite(most), "measured_percent": interval.mean})
            room.append((most, _room_text(limit, reference, b, where, most)))
            nearest.append(100 * (limit.per_flow_mbps / reference.hi - 1) if reference.hi > 0 else math.inf)
    ranking = BEST_FIRST if check.get("pick") == "best" else WORST_FIRST
    best = min((verdict for verdict, _ in found), key=ranking.index)
    chosen = [answer for verdict, answer in found if verdict == best]
    shown = min(chosen, key=lambda answer: abs(centre(answer) - percent))
    rows = tuple(answer.row() for _, answer in found)
    measured = f"{percent_text(shown)} at {shown.where}" if len(found) > 1 else percent_text(shown)
    if len(found) > 1 and best in ("direction only", "contradicted"):
        measured += _between(found, low, high)
    impossible = len(room) == len(found) and all(most < low for most, _ in room)
    if impossible:
        widest = max(room)
        arithmetic = f"{widest[1]} The claim is {percent:g} %, at least {low:g} % with its tolerance."
        return Judgement("impossible", measured, rows, None, arithmetic, "", tuple(largest))
    seeds_needed = min((answer.seeds for answer in chosen if answer.seeds), default=None)
    result = Judgement(
        best,
        measured,
        rows,
        seeds_needed if best == "undecided" else None,
        largest=tuple(largest),
        narrow=any(band.narrow for band in bands if band.verdict == best),
        **still_open([band.part for band in bands], first_by(ranking)),
    )
    # with the upper ends of the reference there would be no room: more seeds may show that the claim is impossible
    if len(room) == len(found) and all(least < low for least in nearest) and best not in MET:
        cells = frozenset(cell for band in bands for cell in band.cells)
        result = replace(result, finals=result.finals | {"impossible"}, open_cells=cells, next_cells=cells)
    return result


def _between(found: Sequence[tuple[str, Answer]], low: float, high: float) -> str:
    """A remark when the gain passes through the band between two neighbouring points of the sweep."""
    for (_, first), (_, second) in pairwise(found):
        if min(centre(first), centre(second)) < low and max(centre(first), centre(second)) > high:
            return f" (it passes through the claimed range between {first.where} and {second.where})"
    return ""


def _room_text(limit: Limit, reference: Interval, name: str, where: str, most: float) -> str:
    total = reference.scaled(limit.flows)
    return f"{limit.text} At {where} {name} already gets {total.text('Mbps')}, so the largest possible gain is {most:.0f} %."


def value_of(check: Check, data: Data, limits: Limits | None) -> Judgement:
    """A number within ``tolerance_rel`` of the printed one, of each of ``a`` or of their mean."""
    names = [check["a"]] if isinstance(check["a"], str) else list(check["a"])
    together = "variant" in (check.get("avg_over") or [])
    parts = [_value_of(check, data, limits, group) for group in ([names] if together else [[name] for name in names])]
    return parts[0] if len(parts) == 1 else all_parts(parts)


def _value_of(check: Check, data: Data, limits: Limits | None, names: Sequence[str]) -> Judgement:
    metric = str(check["metric"])
    value = in_unit_of(metric, float(check["value"]), str(check.get("unit", "")))
    tolerance = float(check["tolerance_rel"]) * abs(value)
    a = names[0] if len(names) == 1 else f"mean of {', '.join(names)}"
    unit = UNITS.get(metric, str(check.get("unit", "")))
    bands: list[Banded] = []
    rows, room = [], []
    for where, points in picked(check, data):
        interval = mean(averaged([data.get(metric, name, points) for name in names]))
        if interval.n == 0:
            raise Unmeasured(f"needs runs of {a} at {where}")
        bands.append(in_band(interval, value - tolerance, value + tolerance, tolerance, 0))
        rows.append(Answer(reply_of(bands[-1].verdict), where, a, interval, unit))
        limit = limits(points[0], names[0]) if limits is not None and len(points) == 1 else None
        if limit is not None and metric in ("throughput", "goodput"):
            room.append((limit.per_flow_mbps, limit))
    worst = min((band.verdict for band in bands), key=WORST_FIRST.index)
    measured = "; ".join(f"{a} {interval_text(row)} at {row.where}" for row in rows)
    if room and len(room) == len(rows) and all(most < value - tolerance for most, _ in room):
        most, limit = max(room, key=lambda pair: pair[0])
        arithmetic = f"{limit.text} That is {most:.3g} Mbps for each flow; the claim is {value:g} Mbps."
        return Judgement("impossible", measured, tuple(row.row() for row in rows), None, arithmetic)
    needed = max((band.seeds for band in bands if band.seeds), default=None)
    return Judgement(
        worst,
        measured,
        tuple(row.row() for row in rows),
        needed if worst == "undecided" else None,
        narrow=any(band.narrow for band in bands if band.verdict == worst),
        **still_open([band.part for band in bands], first_by(WORST_FIRST)),
    )
