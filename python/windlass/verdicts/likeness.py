"""What is alike, and what is not: closeness, bounds, differences, the same across a parameter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from windlass.ledger import Check
from windlass.verdicts.answers import Answer, at_least, at_most, cells_open, centre, every, from_answers, negated
from windlass.verdicts.data import Data, Unmeasured
from windlass.verdicts.intervals import Samples, averaged, mean, ratio
from windlass.verdicts.judgement import Judgement, all_parts
from windlass.verdicts.points import Step, groups_of, lines_along
from windlass.verdicts.words import plain


def alike(
    data: Data, metric: str, pairs: Iterable[tuple[str, str, Samples, Samples]], within: float, where: str
) -> Answer:
    """Whether no pair differs by more than ``within`` of the larger."""
    answers = []
    for first, second, one, two in pairs:
        falls = mean(one).mean >= mean(two).mean
        high, low = (first, second) if falls else (second, first)
        over, under = (one, two) if falls else (two, one)
        quotient = ratio(under, over)
        gap = quotient.complement().scaled(100)
        answers.append(at_most(gap, 100 * within, where, f"{low} below {high} by"))
    decided = every(answers, where)
    if decided.reply == "yes" and answers:
        return replace(max(answers, key=centre), reply="yes", where=where)
    wrong = [answer for answer in answers if answer.reply == decided.reply]
    return replace(max(wrong, key=centre), where=where, open_cells=decided.open_cells) if wrong else decided


def close(check: Check, data: Data) -> Judgement:
    """No two of ``among`` further apart than ``within_rel``, at each point or along an axis."""
    metric, names, within = str(check["metric"]), list(check["among"]), float(check["within_rel"])
    over = check.get("over")
    if over is not None:
        answers = [
            alike(data, metric, pairs_along(data, metric, name, steps), within, f"{name}, {where}" if where else name)
            for name in names
            for where, steps in lines_along(check, data, over)
        ]
        return from_answers(check, answers, f"alike along `{over}`")
    answers, apart = [], []
    for where, points in groups_of(check, data):
        tables = {name: data.get(metric, name, points) for name in names}
        pairs = [(first, second, tables[first], tables[second]) for first, second in combinations(names, 2)]
        answers.append(alike(data, metric, pairs, within, where))
        if check.get("some_differ_rel"):
            apart.append(negated(alike(data, metric, pairs, float(check["some_differ_rel"]), where)))
    result = from_answers(check, answers, f"within {100 * within:g} %")
    if not apart:
        return result
    found = next((reply for reply in ("yes", "open") if any(answer.reply == reply for answer in apart)), "no")
    verdict = {"yes": "reproduced", "open": "undecided", "no": "contradicted"}[found]
    finals = frozenset(["reproduced", "contradicted"] if found == "open" else [verdict])
    some = Judgement(verdict, f"some point differs: {found}", finals=finals, open_cells=cells_open(apart))
    return all_parts([result, some])


def pairs_along(data: Data, metric: str, name: str, steps: Sequence[Step]) -> list[tuple[str, str, Samples, Samples]]:
    """Every two points of a line with the measurements at both."""
    tables = [(step.label, data.get(metric, name, step.points)) for step in steps]
    return [(one, two, first, second) for (one, first), (two, second) in combinations(tables, 2)]


def bound(check: Check, data: Data) -> Judgement:
    """Each of ``among`` above ``min`` and below ``max``, at each point."""
    metric = str(check["metric"])
    answers = []
    for where, points in groups_of(check, data):
        for name in check["among"]:
            found = mean(data.get(metric, name, points))
            sides = [
                test(found, edge, where, name, "")
                for test, edge in zip((at_least, at_most), bounds(check), strict=True)
                if edge is not None
            ]
            answers.append(every(sides, where))
    return from_answers(check, answers, "inside the bounds")


def bounds(check: Check) -> tuple[float | None, float | None]:
    """``min`` and ``max`` of a check, widened by its slack; none where it has no such bound."""
    low, high = (None if (edge := check.get(side)) is None else float(edge) for side in ("min", "max"))

    def slack(edge: float) -> float:
        return float(check.get("slack", 0.0)) + float(check.get("slack_rel", 0.0)) * abs(edge)

    return None if low is None else low - slack(low), None if high is None else high + slack(high)


def differs(check: Check, data: Data) -> Judgement:
    """``a`` at least ``min_rel`` above or below the mean of the others."""
    a, metric, names = str(check["a"]), str(check["metric"]), [name for name in check["among"] if name != check["a"]]
    answers = []
    for where, points in groups_of(check, data):
        own = data.get(metric, a, points)
        rest = averaged([data.get(metric, name, points) for name in names])
        quotient = ratio(own, rest).scaled(100, -100)
        limit = 100 * float(check["min_rel"])
        over = at_least(quotient, limit, where, f"{a} against the mean of the others")
        under = at_most(quotient, -limit, where, f"{a} against the mean of the others")
        answers.append(over if quotient.mean >= 0 else under)
    return from_answers(check, answers, f"{a} apart by {100 * float(check['min_rel']):g} %")


def same_across(check: Check, data: Data) -> Judgement:
    """Each of ``among`` alike at all ``values`` of a parameter."""
    param, metric = str(check["param"]), str(check["metric"])
    wanted = set(check["values"])
    answers = []
    for where, line in lines_along(check, data, param):
        steps = [step for step in line if step.value in wanted]
        if len(steps) < 2:
            raise Unmeasured(f"needs `{param}` at {plain(sorted(wanted))}")
        answers += [
            alike(
                data,
                metric,
                pairs_along(data, metric, name, steps),
                float(check["within_rel"]),
                f"{name} {where}".strip(),
            )
            for name in check["among"]
        ]
    return from_answers(check, answers, f"alike across `{param}`")


def spread(check: Check, data: Data) -> Judgement:
    """``a`` moves by ``min_rel`` or more between its least and its largest point."""
    a, metric = str(check["a"]), str(check["metric"])
    tables = [data.get(metric, a, [point]) for point in data.select(check.get("at") or {})]
    if len(tables) < 2:
        raise Unmeasured("needs several points to vary over")
    ordered = sorted(tables, key=lambda table: mean(table).mean)
    change = ratio(ordered[-1], ordered[0]).scaled(100, -100)
    answer = at_least(change, 100 * float(check["min_rel"]), "between the extremes", f"{a} moves by")
    return from_answers(check, [answer], "moved")
