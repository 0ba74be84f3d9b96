"""A statement at one point: yes, no or open, and what several of them say together."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, Literal

from windlass.interval import Interval, to_digits
from windlass.ledger import Check
from windlass.verdicts.data import Unmeasured
from windlass.verdicts.intervals import Cell, cells_of, seeds_to
from windlass.verdicts.judgement import Judgement

STRICT = 1e-9
"""Percent by which a number must pass another to be above it and not equal."""

Reply = Literal["yes", "no", "open"]

_REPLIES: dict[str, Reply] = {"reproduced": "yes", "compatible": "yes", "undecided": "open"}


def reply_of(verdict: str) -> Reply:
    """The reply at a point whose number has that verdict against its band."""
    return _REPLIES.get(verdict, "no")


@dataclass(frozen=True)
class Answer:
    """Reply at one point, with what it rests on, and the cells that could change it if it is open.

    ``pair`` names the two of which the number says by how much the first is ahead of the second.
    """

    reply: Reply
    where: str = ""
    what: str = ""
    interval: Interval | None = None
    unit: str = ""
    seeds: int | None = None
    open_cells: frozenset[Cell] = frozenset()
    pair: tuple[str, str] | None = None

    def row(self) -> dict[str, Any]:
        """Plain data, as a judgement lists it."""
        found = self.interval
        numbers = {} if found is None else {"mean": found.mean, "low": found.lo, "high": found.hi}
        return {"where": self.where, "what": self.what, **numbers, "unit": self.unit, "reply": self.reply}


def at_least(interval: Interval, limit: float, where: str, what: str, unit: str = "%") -> Answer:
    """Whether the number is at least ``limit``."""
    if interval.n == 0 or math.isnan(interval.mean):
        raise Unmeasured(f"has no value at {where}: it was not run there, or there is nothing to take a share of")
    if interval.lo >= limit:
        return Answer("yes", where, what, interval, unit)
    if interval.hi < limit:
        return Answer("no", where, what, interval, unit)
    needed = seeds_to(interval, abs(interval.mean - limit))
    return Answer("open", where, what, interval, unit, needed, cells_of(interval))


def at_most(interval: Interval, limit: float, where: str, what: str, unit: str = "%") -> Answer:
    """Whether the number is at most ``limit``."""
    return replace(at_least(interval.scaled(-1), -limit, where, what, unit), interval=interval)


def negated(answer: Answer) -> Answer:
    """No for yes and yes for no; open stays open."""
    turned: dict[Reply, Reply] = {"yes": "no", "no": "yes", "open": "open"}
    return replace(answer, reply=turned[answer.reply])


def every(answers: Sequence[Answer], where: str = "") -> Answer:
    """All must say yes. The answer that decides is kept: the first no, else the open one that needs most seeds."""
    for answer in answers:
        if answer.reply == "no":
            return replace(answer, where=where or answer.where)
    doubtful = [answer for answer in answers if answer.reply == "open"]
    if doubtful:
        worst = max(doubtful, key=lambda answer: answer.seeds or 0)
        return replace(worst, where=where or worst.where, open_cells=cells_open(doubtful))
    if not answers:
        return Answer("yes", where)
    tightest = min(answers, key=lambda answer: math.inf if answer.interval is None else answer.interval.mean)
    return replace(tightest, where=where or tightest.where)


def cells_open(answers: Iterable[Answer]) -> frozenset[Cell]:
    """Cells of all answers that are open."""
    return frozenset(cell for answer in answers if answer.reply == "open" for cell in answer.open_cells)


def soonest(doubtful: Sequence[Answer], low: int, high: int, final: Callable[[int], str]) -> frozenset[Cell]:
    """Cells of as few open answers as could settle the verdict on a count: those of the points that need fewest seeds
    for each, point by point, since answers at one point share cells.

    The count is between ``low`` and ``high``; each open answer settles one of the steps between. One that comes out on
    one side raises ``low``, on the other side lowers ``high``.
    """
    finals = [final(count) for count in range(low, high + 1)]
    changes = [0, *accumulate(int(one != two) for one, two in pairwise(finals))]

    def enough(number: int) -> bool:
        return any(changes[up] == changes[high - low - (number - up)] for up in range(number + 1))

    efforts: dict[str, list[float]] = {}
    for answer in doubtful:
        efforts.setdefault(answer.where, []).append(math.inf if answer.seeds is None else answer.seeds)
    effort = {where: sum(seeds) / len(seeds) for where, seeds in efforts.items()}
    ranked = sorted(doubtful, key=lambda answer: (effort[answer.where], answer.where))
    number = bisect_left(range(len(ranked)), True, key=enough)
    return cells_open(ranked[:number])


def percent_text(answer: Answer) -> str:
    """A gain with its interval: ``+12.0 % [+10.1, +13.9]``."""
    interval = answer.interval
    assert interval is not None
    if not math.isfinite(interval.mean):
        return "without bound, over zero"
    sign = "" if answer.what.endswith(" by") else "+"
    if math.isinf(interval.half_width):
        return f"{interval.mean:{sign}.1f} % (one run, no interval)"
    return f"{interval.mean:{sign}.1f} % [{interval.lo:{sign}.1f}, {interval.hi:{sign}.1f}]"


def centre(answer: Answer) -> float:
    """Mean of what the answer rests on; not a number if it rests on none."""
    return math.nan if answer.interval is None else answer.interval.mean


def interval_text(answer: Answer) -> str:
    """A number with half its interval and unit."""
    interval = answer.interval
    assert interval is not None
    if interval.n < 2 or not math.isfinite(interval.half_width):
        return interval.text(answer.unit, 3)
    return f"{' ± '.join(to_digits(interval.mean, interval.half_width))} {answer.unit}".rstrip()


def from_answers(
    check: Check, answers: Sequence[Answer], good: str, weights: Sequence[float] | None = None, remark: str = ""
) -> Judgement:
    """Verdict from the replies at all points and the share of them that must say yes. Where too few can, only those
    that do count as agreeing.

    Of the answers that decide, the one with the largest weight is shown; without weights, the largest number. A remark
    follows how many say yes.
    """
    share = float(check.get("share", 1.0))
    if check.get("negate"):
        answers = [negated(answer) for answer in answers]
        good = f"not {good}"
    total = len(answers)
    yes = sum(answer.reply == "yes" for answer in answers)
    possible = yes + sum(answer.reply == "open" for answer in answers)
    needed = share * total - 1e-9
    seeds: int | None = None
    if yes >= needed:
        verdict = "reproduced"
    elif possible >= needed:
        verdict = "undecided"
        seeds = max((answer.seeds for answer in answers if answer.seeds), default=None)
    else:
        verdict = _final(yes, total, needed)  # what is open agrees with nothing
    rows = tuple(answer.row() for answer in answers)
    finals = frozenset(_final(count, total, needed) for count in range(yes, possible + 1))
    doubtful = [answer for answer in answers if answer.reply == "open"]
    soon = soonest(doubtful, yes, possible, lambda count: _final(count, total, needed))
    cells = cells_open(doubtful)
    return Judgement(
        verdict, _tally(answers, good, weights, remark), rows, seeds, finals=finals, open_cells=cells, next_cells=soon
    )


def _final(yes: int, total: int, needed: float) -> str:
    """Verdict when every point has answered."""
    if yes >= needed:
        return "reproduced"
    return "direction only" if total > 1 and 2 * yes >= total else "contradicted"


def _tally(answers: Sequence[Answer], good: str, weights: Sequence[float] | None, remark: str) -> str:
    """``first at 3 of 5 points; not at q = 4 (x ahead by ...)``."""
    total = len(answers)
    yes = sum(answer.reply == "yes" for answer in answers)
    doubt = [answer for answer in answers if answer.reply == "open"]
    wrong = [answer for answer in answers if answer.reply == "no"]
    bad = good.removeprefix("not ") if good.startswith("not ") else f"not {good}"
    head = good if total == 1 and yes else f"{good} at {yes} of {total} points" if total > 1 else bad
    if total == 1 and doubt:
        head = f"{good}: open"
    parts = [f"{head} {remark}".rstrip()]
    if total > 1 and doubt:
        parts.append(f"open at {len(doubt)}")
    decides = "no" if wrong else "open" if doubt else "yes"
    if weights is None:
        weights = [abs(centre(answer)) if not math.isnan(centre(answer)) else -1.0 for answer in answers]
    shown = [pair for pair in zip(answers, weights, strict=True) if pair[0].reply == decides]
    clearest, _ = max(shown, key=lambda pair: pair[1])
    if clearest.interval is not None:
        where = f" at {clearest.where}" if total > 1 else ""
        number = percent_text(clearest) if clearest.unit == "%" else interval_text(clearest)
        parts.append(f"{clearest.what} {number}{where}")
    return "; ".join(parts)
