"""Up or down along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from windlass.interval import Interval
from windlass.ledger import Check
from windlass.verdicts.answers import (
    STRICT,
    Answer,
    at_least,
    at_most,
    cells_open,
    every,
    interval_text,
    percent_text,
)
from windlass.verdicts.data import Data, Unmeasured
from windlass.verdicts.derived import in_points
from windlass.verdicts.intervals import Samples, difference, ratio
from windlass.verdicts.judgement import Judgement
from windlass.verdicts.points import Step, lines_along


@dataclass(frozen=True)
class Shape:
    """Up or down, by how much a step may go the other way (percent), and from where on it is flat."""

    up: bool
    slack: float
    knee: float | None


def trend(check: Check, data: Data) -> Judgement:
    """Every step may go against the direction by no more than the slack, and the ends must differ in its sense.

    Where it is flat from a knee on, steps beyond may go neither way by more than the slack.
    """
    metric, axis = str(check["metric"]), str(check["over"])
    flat = check["direction"] == "up-then-flat"
    shape = Shape(check["direction"] != "down", 100 * float(check["slack_rel"]), check.get("knee") if flat else None)
    parts = []
    for name in check["among"]:
        for where, line in lines_along(check, data, axis):
            if len(line) < 2:
                raise Unmeasured(f"needs at least two points along `{axis}`")
            parts.append(_trend_of(data, metric, name, where, line, shape))
    answers = [answer for answer, _ in parts]
    senses = [sense for _, sense in parts]
    doubtful = [answer.seeds for answer in answers if answer.reply == "open" and answer.seeds]
    if all(answer.reply == "yes" for answer in answers):
        verdict = "reproduced"
    elif not any(answer.reply == "no" for answer in answers):
        verdict = "undecided"
    elif all(sense.reply == "yes" for sense in senses):
        verdict = "direction only"
    else:
        verdict = "contradicted"
    good = "up" if shape.up else "down"
    rows = tuple(answer.row() for answer in answers)
    if len(answers) == 1:
        measured = f"{answers[0].what} {_text(answers[0])}"
    else:
        wrong = [answer for answer in answers if answer.reply == "no"]
        tail = "".join(f"; {answer.what} {_text(answer)}" for answer in wrong[:3])
        measured = f"{sum(answer.reply == 'yes' for answer in answers)} of {len(answers)} variants go {good}{tail}"
    needed = max(doubtful, default=None) if verdict == "undecided" else None
    cells = cells_open([*answers, *senses])
    return Judgement(verdict, measured, rows, needed, finals=_finals(answers, senses), open_cells=cells)


def _finals(answers: Sequence[Answer], senses: Sequence[Answer]) -> frozenset[str]:
    """What the verdict can be when each answer, and the sense of each line, is known."""
    found = set()
    if not any(answer.reply == "no" for answer in answers):
        found.add("reproduced")
    if not all(answer.reply == "yes" for answer in answers):
        if not any(sense.reply == "no" for sense in senses):
            found.add("direction only")
        if not all(sense.reply == "yes" for sense in senses):
            found.add("contradicted")
    return frozenset(found)


def _change(metric: str, first: Samples, second: Samples) -> Interval:
    """From one to the next in percent, or in points if the metric is itself a share with a sign."""
    return difference(second, first) if in_points(metric) else ratio(second, first).scaled(100, -100)


def _trend_of(
    data: Data, metric: str, name: str, where: str, line: Sequence[Step], shape: Shape
) -> tuple[Answer, Answer]:
    """Whether a line has the shape, and whether its ends differ in the right sense."""
    tables = [data.get(metric, name, step.points) for step in line]
    unit = "points" if in_points(metric) else "%"
    steps = []
    for (before, first), (after, second) in pairwise(zip(line, tables, strict=True)):
        change = _change(metric, first, second)
        what = f"{name} from {before.label} to {after.label}"
        flat = shape.knee is not None and before.value >= shape.knee
        if shape.up or flat:
            steps.append(at_least(change, -shape.slack, where, what, unit))
        if not shape.up or flat:
            steps.append(at_most(change, shape.slack, where, what, unit))
    whole = _change(metric, tables[0], tables[-1])
    what = f"{name} from {line[0].label} to {line[-1].label}"
    ends = at_least(whole, STRICT, where, what, unit) if shape.up else at_most(whole, -STRICT, where, what, unit)
    decided = every([ends, *steps], where or name)
    return (replace(ends, where=where or name) if decided.reply == "yes" else decided), ends


def _text(answer: Answer) -> str:
    return percent_text(answer) if answer.unit == "%" else interval_text(answer)
