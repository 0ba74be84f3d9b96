"""Printed tables: cell by cell beside what was measured, beside another table, and orders beside orders."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from windlass.ledger import Check
from windlass.verdicts.answers import Answer, at_least, from_answers, reply_of
from windlass.verdicts.bands import UNITS, in_band
from windlass.verdicts.data import Data, Others, Point, Unmeasured, require
from windlass.verdicts.intervals import Series, mean, ratio
from windlass.verdicts.judgement import BEST_FIRST, MET, Judgement

_MBPS = {"Mbps": 1.0, "kb/s": 1e-3, "kB/s": 8e-3, "": 1.0}
"""What one of a printed unit is in the unit of the metric."""


def table(check: Check, data: Data) -> Judgement:
    """Every cell within ``tolerance_rel`` of the printed number, or within ``tolerance_abs``, if that is more.

    If some are not, but the ratios inside each row are, within ``ratio_tolerance_rel``, the direction is right. Where
    the unit is in doubt, the unit in which the table agrees best counts.
    """
    if check.get("measurable") is False:
        raise Unmeasured("is words or the settings themselves: nothing in it can be measured")
    printed = data.tables[str(check["table"])]
    names = [name for name in printed["columns"] if name in data.variants]
    metric = str(check["metric"])
    require(Check("table", {"metric": metric, "among": names, "pick": "mean"}), data)
    found = [_in_unit(check, data, printed, names, unit) for unit in check.get("units", [""])]
    return min(found, key=lambda judgement: BEST_FIRST.index(judgement.verdict))


def _in_unit(check: Check, data: Data, printed: Any, names: Sequence[str], unit: str) -> Judgement:
    metric, columns = str(check["metric"]), list(printed["columns"])
    answers, bands, ratios = [], [], []
    for row in printed["rows"]:
        point = _point_of(check, data, row)
        cells = [(name, float(row[columns.index(name)]) * _MBPS[unit]) for name in names]
        for name, wanted in cells:
            interval = mean(data.get(metric, name, [point]))
            tolerance = max(float(check["tolerance_rel"]) * abs(wanted), float(check.get("tolerance_abs", 0.0)))
            bands.append(in_band(interval, wanted - tolerance, wanted + tolerance, tolerance, 0))
            reply = reply_of(bands[-1].verdict)
            own = UNITS.get(metric, "")
            what = f"{name}, printed {wanted:.3g} {own}".rstrip() + ","
            doubt = bands[-1].cells if reply == "open" else frozenset()
            answers.append(Answer(reply, data.label(point), what, interval, own, bands[-1].seeds, doubt))
        ratios += [_same_ratio(check, data, point, *pair) for pair in combinations(cells, 2)]
    good = f"as printed{f' in {unit}' if unit else ''}"
    result = _over_edges(from_answers(check, answers, good), {band.verdict for band in bands})
    if result.verdict not in MET and check.get("ratio_tolerance_rel") and all(ratios):
        words = f"{result.measured}; ratios inside rows as printed"
        finals = result.finals & frozenset(MET) | {"direction only"}
        return Judgement("direction only", words, result.rows, finals=finals, open_cells=result.open_cells)
    # half of the cells are no direction
    finals = frozenset("contradicted" if one == "direction only" else one for one in result.finals)
    if result.verdict == "direction only":
        return Judgement("contradicted", result.measured, result.rows, finals=finals, open_cells=result.open_cells)
    return replace(result, finals=finals)


def _over_edges(whole: Judgement, cells: Collection[str]) -> Judgement:
    """A table that is reproduced is compatible if a cell is, and may become so if a cell is undecided."""
    met = ["compatible"] if "compatible" in cells else MET if "undecided" in cells else ["reproduced"]
    finals = frozenset(one for final in whole.finals for one in (met if final == "reproduced" else [final]))
    verdict = "compatible" if whole.verdict == "reproduced" and "compatible" in cells else whole.verdict
    return replace(whole, verdict=verdict, finals=finals)


def _same_ratio(check: Check, data: Data, point: Point, one: tuple[str, float], two: tuple[str, float]) -> bool:
    """Whether two cells of a row stand in the printed ratio."""
    tolerance = float(check.get("ratio_tolerance_rel", math.nan))
    wanted = one[1] / two[1] if two[1] else math.inf
    metric = str(check["metric"])
    found = ratio(data.get(metric, one[0], [point]), data.get(metric, two[0], [point]))
    return abs(found.mean - wanted) <= tolerance * wanted


def _point_of(check: Check, data: Data, row: Sequence[Any]) -> Point:
    """The point of a row: its first cells are values along the check's ``axes``."""
    at = {**(check.get("at") or {}), **dict(zip(check["axes"], row, strict=False))}
    points = data.select(at)
    if len(points) != 1:
        words = ", ".join(f"{key} = {value}" for key, value in at.items())
        raise Unmeasured(f"needs a point with {words}")
    return points[0]


def same_table(check: Check, data: Data) -> Judgement:
    """Two printed tables are equal, cell by cell; no run."""
    first, second = (data.tables[str(check[key])]["rows"] for key in ("table", "table_b"))
    cells = [(a, b) for one, two in zip(first, second, strict=False) for a, b in zip(one, two, strict=False)]
    equal = sum(a == b for a, b in cells)
    alike = equal == len(cells) and len(first) == len(second)
    verdict = "reproduced" if alike == bool(check.get("expected", True)) else "contradicted"
    return Judgement(verdict, f"{equal} of {len(cells)} printed cells are equal (no run)")


def same_order(check: Check, data: Data, others: Others) -> Judgement:
    """Variants in the same order in two experiments: Kendall's tau of each run at each point that both have."""
    sides = []
    for key in ("experiment_a", "experiment_b"):
        name = str(check[key])
        part = data if name == data.experiment else others(name)
        if part is None:
            raise Unmeasured(f"needs the runs of {name}")
        sides.append(part)
    first, second = sides
    metrics = (str(check["metric"]), str(check.get("metric_b", check["metric"])))
    names = [name for name in first.variants if name in second.variants]
    points = [point for point in first.points if point in second.points]
    if first.axes != second.axes or not points or len(names) < 2:
        raise Unmeasured("needs points and variants that both experiments have")
    rows = [
        [{name: side.get(what, name, [point]) for name in names} for side, what in zip(sides, metrics, strict=True)]
        for point in points
    ]
    if metrics[0] != metrics[1] and all(one == two for one, two in rows):
        raise Unmeasured(
            f"cannot be told: {metrics[0]} and {metrics[1]} are one quantity in these runs, equal in each of them, so "
            "that the orders agree whatever the senders do"
        )
    answers = []
    for point, (one, two) in zip(points, rows, strict=True):
        seeds = set.intersection(*(set(samples) for samples in (*one.values(), *two.values())))
        taus = {seed: _tau([one[n][seed] for n in names], [two[n][seed] for n in names]) for seed in seeds}
        origin = frozenset(cell for samples in (*one.values(), *two.values()) for cell in samples.cells)
        answers.append(
            at_least(
                mean(Series(taus, data.confidence, origin, wide=data.wide)),
                float(check["min_tau"]),
                first.label(point),
                "Kendall's tau",
                "",
            )
        )
    return from_answers(check, answers, "in the same order")


def _tau(one: Sequence[float], two: Sequence[float]) -> float:
    """Kendall's tau of two rows of numbers; ties count as neither."""
    pairs = list(combinations(range(len(one)), 2))
    signs = [(one[i] - one[j]) * (two[i] - two[j]) for i, j in pairs]
    return (sum(sign > 0 for sign in signs) - sum(sign < 0 for sign in signs)) / len(pairs)
