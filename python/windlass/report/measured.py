"""What was measured, beside what the links allow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from windlass import verdicts
from windlass.interval import to_digits
from windlass.ledger import Experiment
from windlass.report.figures import curves_of, metrics_of
from windlass.report.given import Stated, printed_values
from windlass.report.language import METRICS, Language, scaled_words
from windlass.reproduce import Reproduction
from windlass.verdicts import Interval, Merged
from windlass.verdicts.words import plain


def tables_of(reproduction: Reproduction) -> list[dict[str, Any]]:
    """Means by point and variant, a table for each number that the experiment is about, and the sum of the flows;
    beside a mean what the paper prints there. What has the numbers of a table before, as that sum where there is one
    flow, is named there.
    """
    data, experiment = reproduction.data, reproduction.experiment
    curves = list(curves_of(reproduction))
    names = metrics_of(reproduction)
    if names[0] in ("throughput", "goodput") and not any("#" in variant for _, _, variant in curves):
        names = [*names, "throughput-total"]
    heads = point_heads(experiment)
    shown: dict[str, dict[str, Any]] = {}
    for name in dict.fromkeys(names):
        if name not in data.metrics:
            continue
        means = {
            point: [verdicts.mean(source.get(name, variant, [point])) for _, source, variant in curves]
            for point in _in_order(reproduction)
        }
        numbers = repr([(one.mean, one.lo, one.hi) for found in means.values() for one in found])
        if numbers in shown:
            shown[numbers]["words"] += f"; {METRICS[name][0] if name in METRICS else name} is the same"
            continue
        printed: dict[tuple[str, tuple[Any, ...]], list[Stated]] = {}
        for one in printed_values(reproduction, name):
            alone = f"{one.variant}#1" if f"{one.variant}#2" not in data.variants else one.variant
            for key in {one.variant, alone}:
                printed.setdefault((key, one.point), []).append(one)
        known = [abs(one.mean) for found in means.values() for one in found if not math.isnan(one.mean)]
        factor, title = scaled_words(name, max(known, default=0.0))
        marked = name in METRICS and METRICS[name][1] == "Mbit/s" and len(curves) > 1
        rows = []
        for point, found in means.items():
            best = max((one.mean for one in found if not math.isnan(one.mean)), default=math.nan)
            if experiment.covers and math.isnan(best):
                continue
            cells = [
                {
                    **number_cell(one.scaled(factor)),
                    "best": marked and one.mean == best,
                    "printed": _printed(printed.get((key, point), []) if source is data else [], factor),
                }
                for one, (_, source, key) in zip(found, curves, strict=True)
            ]
            rows.append({"places": point_places(reproduction, point), "cells": cells})
        variants = [variant for variant, _, _ in curves]
        shown[numbers] = {"words": title, "heads": heads, "variants": variants, "rows": rows}
    return list(shown.values())


def _in_order(reproduction: Reproduction) -> list[tuple[Any, ...]]:
    """The points; those of a summary by figures as the ledger has them."""
    data = reproduction.data
    if not isinstance(data, Merged):
        return list(data.points)
    order = list(reproduction.ledger.experiments)
    return sorted(data.points, key=lambda point: order.index(data.origin[point][0]) if point in data.origin else -1)


def point_heads(experiment: Experiment) -> list[str]:
    """Heads of the columns of points: the axes with their units, or one if there are none; a summary's rows name their
    own.
    """
    axes = experiment.axes if not experiment.covers else ()
    return [axis.parameter + (f" ({axis.unit})" if axis.unit != "-" else "") for axis in axes] or ["setting"]


def point_places(reproduction: Reproduction, point: tuple[Any, ...]) -> list[str]:
    """A point in a row below these heads."""
    if reproduction.experiment.covers:
        return [_in_summary(reproduction, point)]
    language = Language(reproduction.ledger, reproduction.experiment)
    return [language.found(plain(value)) for value in point] or ["the only one"]


def _in_summary(reproduction: Reproduction, point: tuple[Any, ...]) -> str:
    """A point of a summary: its figure, and where it is there, by the axes of that figure alone."""
    book, data = reproduction.ledger, reproduction.data
    if not isinstance(data, Merged) or point not in data.origin:
        return Language(book, reproduction.experiment).point(data.axes, point)
    name, own = data.origin[point]
    entry = book.experiments[name]
    figure = Language(book).point(data.axes[:1], point[:1])
    where = Language(book, entry).point(tuple(axis.key for axis in entry.axes), own)
    return ", ".join(words for words in (figure, where) if words)


def _printed(stated: Sequence[Stated], factor: float) -> str:
    """What the paper prints of a cell: as it prints it, or in the unit of the table."""
    return " or ".join(f"{one.value:g} {one.unit}" if one.unit else f"{one.value * factor:g}" for one in stated)


def number_cell(found: Interval) -> dict[str, str]:
    """A mean and half of its interval as a table has them (:func:`windlass.interval.to_digits`)."""
    if math.isnan(found.mean):
        return {"mean": "-", "half": ""}
    known = found.n >= 2 and math.isfinite(found.half_width)
    mean, half = to_digits(found.mean, found.half_width if known else 0.0)
    return {"mean": mean, "half": half if known else ""}


def capacity_lines(reproduction: Reproduction) -> list[str]:
    """What the links carry, as arithmetic: one line for each different limit along the sweep, and of each variant whose
    segments have headers of another length.
    """
    language = Language(reproduction.ledger, reproduction.experiment)
    of: dict[tuple[str, ...], list[str]] = {}
    for variant in reproduction.data.variants:
        texts = tuple(
            "" if (limit := reproduction.limits(point, variant, True)) is None else limit.text
            for point in reproduction.data.points
        )
        if any(texts):
            of.setdefault(texts, []).append(language.variant(variant.partition("#")[0]))
    lines: dict[str, None] = {}
    for number, (texts, names) in enumerate(of.items()):
        whose = f"{', '.join(dict.fromkeys(names))}: " if number else ""
        lines |= dict.fromkeys(whose + line for line in _limits_along(reproduction, texts))
    return list(lines)


def _limits_along(reproduction: Reproduction, texts: Sequence[str]) -> list[str]:
    """The limits at all points; where they differ, each with its first point and its last."""
    found: dict[str, list[str]] = {}
    for point, text in zip(reproduction.data.points, texts, strict=True):
        if text:
            found.setdefault(text, []).append(_in_summary(reproduction, point))
    if len(found) <= 1:
        return list(found)
    return [f"{text} ({places[0]}{f' to {places[-1]}' if len(places) > 1 else ''})" for text, places in found.items()]


_LEFT, _RIGHT, _ROW, _LETTER = 190.0, 810.0, 30.0, 6.6


def gains_figure(reproduction: Reproduction) -> dict[str, Any] | None:
    """Claimed and measured gains on one scale, with places for the page's drawing.

    The scale is that of the ratio: a gain of 100 % stands as far right of 0 as a loss of 50 % stands left of it.
    """
    rows = []
    for outcome in reproduction.outcomes:
        check = outcome.claim.check
        if check.kind == "gain" and outcome.judgement.rows:
            rows.append((outcome, check))
    if not rows:
        return None
    values = [
        number
        for outcome, check in rows
        for number in (
            check["percent"] + check["tolerance_pp"],
            check["percent"] - check["tolerance_pp"],
            *[row["mean"] for row in outcome.judgement.rows if math.isfinite(row["mean"])],
        )
    ]
    low, high = max(-90.0, min(-20.0, *values)), max(50.0, *values)
    language = Language(reproduction.ledger, reproduction.experiment)
    better = list(dict.fromkeys(language.variant(check["a"]) for _, check in rows))
    names = [f"over {language.variant(check['b'])}" for _, check in rows]
    if len(better) > 1:
        names = [f"{language.variant(check['a'])} {name}" for name, (_, check) in zip(names, rows, strict=True)]
    left = max(_LEFT, _LETTER * max(map(len, names)) + 30)
    first, last = math.log1p(low / 100), math.log1p(high / 100)

    def place(percent: float) -> float:
        share = (math.log1p(max(percent, -95.0) / 100) - first) / (last - first)
        return round(left + (_RIGHT - left) * min(max(share, 0.0), 1.0), 1)

    drawn = []
    for index, (outcome, check) in enumerate(rows):
        y = 34 + index * _ROW
        percent, tolerance = float(check["percent"]), float(check["tolerance_pp"])
        most = [row["percent"] for row in outcome.judgement.largest if row["percent"] is not None]
        unlimited = len(most) < len(outcome.judgement.rows)
        drawn.append(
            {
                "y": y,
                "name": names[index] if names.count(names[index]) == 1 else f"{outcome.claim.number}: {names[index]}",
                "claimed": f"claimed {percent:g} % ± {tolerance:g} points",
                "band": (place(percent - tolerance), place(percent + tolerance)),
                "centre": place(percent),
                "most": None if unlimited or not most or max(most) > high else place(max(most)),
                "most_words": f"largest possible gain {max(most):.0f} %" if most and not unlimited else "",
                "dots": [
                    {
                        "x": place(row["mean"]),
                        "low": place(row["low"]) if math.isfinite(row["low"]) else None,
                        "high": place(row["high"]) if math.isfinite(row["high"]) else None,
                        "y": round(y - 8 + 16 * position / max(1, len(outcome.judgement.rows) - 1), 1),
                        "words": f"{language.found(row['where'])}: {row['mean']:+.1f} %",
                        "inside": row["reply"] == "yes",
                    }
                    for position, row in enumerate(outcome.judgement.rows)
                    if math.isfinite(row["mean"])
                ],
            }
        )
    ticks = [tick for tick in (-75, -50, -25, 0, 25, 50, 100, 200, 400, 800) if low <= tick <= high]
    return {
        "rows": drawn,
        "ticks": [{"x": place(tick), "words": f"{tick:+d} %" if tick else "0"} for tick in ticks],
        "height": 34 + len(rows) * _ROW + 22,
        "bottom": 34 + (len(rows) - 1) * _ROW + 16,
        "a": better[0] if len(better) == 1 else "",
        "label": "claimed and measured gains",
    }
