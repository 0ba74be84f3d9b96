"""Which of two is ahead: at each point, on either side of a crossing, along a parameter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from windlass.ledger import Check
from windlass.verdicts.answers import STRICT, at_least, every, from_answers
from windlass.verdicts.bands import UNITS
from windlass.verdicts.data import Data, Unmeasured
from windlass.verdicts.intervals import averaged, difference, ratio
from windlass.verdicts.judgement import Judgement
from windlass.verdicts.order import lead_percent
from windlass.verdicts.points import groups_of, lines_along, picked
from windlass.verdicts.words import place, plain


def not_below(check: Check, data: Data) -> Judgement:
    """``a`` not below ``b`` by more than the slack."""
    a, b, metric = str(check["a"]), str(check["b"]), str(check["metric"])
    answers = []
    for where, points in picked(check, data):
        one, two = data.get(metric, a, points), data.get(metric, b, points)
        if check.get("slack_abs") is not None:
            answers.append(
                at_least(
                    difference(one, two), -float(check["slack_abs"]), where, f"{a} less {b}", UNITS.get(metric, "")
                )
            )
        else:
            lead = ratio(one, two).scaled(100, -100)
            answers.append(at_least(lead, -100 * float(check.get("slack_rel", 0.0)), where, f"{a} against {b}"))
    return from_answers(check, answers, f"{a} not below {b}")


def crossover(check: Check, data: Data) -> Judgement:
    """``a`` ahead at some points, ``b`` at others."""
    a, b, metric = str(check["a"]), str(check["b"]), str(check["metric"])
    answers = []
    for key, first, second in (("a_above", a, b), ("b_above", b, a)):
        for where, points in groups_of(check, data, key):
            lead = lead_percent(data, metric, first, second, points, False)
            answers.append(at_least(lead, STRICT, where, f"{first} against {second}"))
    return from_answers(check, answers, "in the named order")


def best_set(check: Check, data: Data) -> Judgement:
    """Values of a parameter that beat the reference, over all variants together."""
    param, metric, reference = str(check["param"]), str(check["metric"]), check["reference"]
    index = data.axes.index(param) if param in data.axes else -1
    if index < 0:
        raise Unmeasured(f"needs a sweep over `{param}`")
    points = data.select(check.get("at") or {})
    names = [name for name in data.variants if name not in check.get("exclude", [])]

    def over_all(value: Any) -> dict[int, float]:
        chosen = [point for point in points if point[index] == value]
        return averaged([data.get(metric, name, chosen) for name in names])

    base = over_all(reference)
    answers = [
        at_least(
            ratio(over_all(value), base).scaled(100, -100), STRICT, place([(param, value)]), "against the reference"
        )
        for value in check["values"]
        if value != reference
    ]
    return from_answers(
        replace(check, fields={**check.fields, "share": check["min_share"]}), answers, "above the reference"
    )


def argmax(check: Check, data: Data) -> Judgement:
    """Each of ``among`` largest (or smallest) at one value of a parameter."""
    param, metric = str(check["param"]), str(check["metric"])
    answers = []
    for name in check["among"]:
        for where, line in lines_along(check, data, param):
            tables = {step.value: data.get(metric, name, step.points) for step in line}
            for key in ("argmax", "argmin"):
                wanted = check.get(key)
                if wanted is None:
                    continue
                if wanted not in tables:
                    raise Unmeasured(f"needs `{param}` at {plain(wanted)}")
                leads, at_best = [], place([(param, wanted)])
                for value, table in tables.items():
                    if value != wanted:
                        first, second = (tables[wanted], table) if key == "argmax" else (table, tables[wanted])
                        lead = ratio(first, second).scaled(100, -100)
                        leads.append(
                            at_least(
                                lead, STRICT, where or name, f"{name}: {at_best} against {place([(param, value)])}"
                            )
                        )
                answers.append(every(leads, f"{name} {where}".strip()))
    return from_answers(check, answers, "at its extreme")
