"""Up or down along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from windlass.ledger import Check
from windlass.verdicts.answers import STRICT, Answer, at_least, at_most, every, percent_text
from windlass.verdicts.data import Data, Point, Unmeasured
from windlass.verdicts.intervals import ratio
from windlass.verdicts.judgement import Judgement
from windlass.verdicts.points import lines_along


def trend(check: Check, data: Data) -> Judgement:
    """Every step may go against the direction by no more than the slack, and the ends must differ in its sense."""
    metric, axis, slack = str(check["metric"]), str(check["over"]), 100 * float(check["slack_rel"])
    up = check["direction"] != "down"
    parts = []
    for name in check["among"]:
        for where, line in lines_along(check, data, axis):
            if len(line) < 2:
                raise Unmeasured(f"needs at least two points along `{axis}`")
            parts.append(_trend_of(data, metric, name, where, line, up, slack))
    answers = [answer for answer, _ in parts]
    doubtful = [answer.seeds for answer in answers if answer.reply == "open" and answer.seeds]
    if all(answer.reply == "yes" for answer in answers):
        verdict = "reproduced"
    elif not any(answer.reply == "no" for answer in answers):
        verdict = "undecided"
    elif all(sense for _, sense in parts):
        verdict = "direction only"
    else:
        verdict = "contradicted"
    good = "up" if up else "down"
    rows = tuple(answer.row() for answer in answers)
    if len(answers) == 1:
        measured = f"{answers[0].what} {percent_text(answers[0])}"
    else:
        wrong = [answer for answer in answers if answer.reply == "no"]
        tail = "".join(f"; {answer.what} {percent_text(answer)}" for answer in wrong[:3])
        measured = f"{sum(answer.reply == 'yes' for answer in answers)} of {len(answers)} variants go {good}{tail}"
    return Judgement(verdict, measured, rows, max(doubtful, default=None) if verdict == "undecided" else None)


def _trend_of(
    data: Data, metric: str, name: str, where: str, line: Sequence[Point], up: bool, slack: float
) -> tuple[Answer, bool]:
    tables = [data.get(metric, name, [point]) for point in line]
    steps = []
    for first, second, start, end in zip(tables, tables[1:], line, line[1:], strict=False):
        change = ratio(second, first).scaled(100, -100)
        what = f"{name} from {data.label(start)} to {data.label(end)}"
        steps.append(at_least(change, -slack, where, what) if up else at_most(change, slack, where, what))
    whole = ratio(tables[-1], tables[0]).scaled(100, -100)
    what = f"{name} from {data.label(line[0])} to {data.label(line[-1])}"
    ends = at_least(whole, STRICT, where, what) if up else at_most(whole, -STRICT, where, what)
    sense = whole.lo > 0 if up else whole.hi < 0
    decided = every([ends, *steps], where or name)
    return (replace(ends, where=where or name) if decided.reply == "yes" else decided), sense
