"""Who is before whom: ranks and whole orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from windlass.interval import Interval
from windlass.ledger import Check
from windlass.verdicts.answers import (
    Answer,
    Reply,
    at_least,
    at_most,
    cells_open,
    centre,
    every,
    from_answers,
    negated,
    soonest,
)
from windlass.verdicts.data import Data, Point
from windlass.verdicts.intervals import ratio
from windlass.verdicts.judgement import Judgement, all_parts
from windlass.verdicts.merged import Merged
from windlass.verdicts.points import groups_of, selected


def lead_percent(
    data: Data, metric: str, first: str, second: str, points: Sequence[Point], lower_is_better: bool
) -> Interval:
    """By how many percent ``first`` is better than ``second``."""
    one, two = data.get(metric, first, points), data.get(metric, second, points)
    quotient = ratio(two, one) if lower_is_better else ratio(one, two)
    return quotient.scaled(100, -100)


def _present(names: Sequence[str], data: Data, metric: str, points: Sequence[Point]) -> list[str]:
    """Those of the variants that take part: of several figures, not each has all of them."""
    return [name for name in names if not isinstance(data, Merged) or data.get(metric, name, points)]


def _rank_at(check: Check, data: Data, where: str, points: Sequence[Point], position: int) -> Answer:
    """Whether ``a`` can stand at that position, ties broken in its favour.

    At most position - 1 others may be better by more than the tie, and at most the rest may be worse by more than it.
    With ``untied`` there is a tie only where the interval allows one.
    """
    a, metric, tie = str(check["a"]), str(check["metric"]), 100 * float(check["tie_rel"])
    lower = bool(check.get("lower_is_better"))
    rivals = [name for name in _present(check["among"], data, metric, points) if name != a]
    untied = bool(check.get("untied"))

    def beats(first: str, second: str) -> Answer:
        lead = lead_percent(data, metric, first, second, points, lower)
        answer = negated(at_most(lead, tie, where, f"{first} against {second}"))
        return replace(answer, reply="yes") if untied and answer.reply == "no" and lead.lo > 0.0 else answer

    ahead, behind = [beats(name, a) for name in rivals], [beats(a, name) for name in rivals]
    answers = [_count_at_most(ahead, position - 1), _count_at_most(behind, len(rivals) + 1 - position)]
    margin = check.get("min_margin_rel")
    if margin is not None:
        answers += [
            at_least(lead_percent(data, metric, a, name, points, lower), 100 * margin, where, f"{a} against {name}")
            for name in rivals
        ]
    decided = every(answers, where)
    if decided.reply == "yes":
        # what comes nearest to one too many: of those ahead, and of those behind
        nearest = [*_ranked(ahead)[position - 1 : position], *_ranked(behind)[len(rivals) + 1 - position :][:1]]
        closest = max(nearest, key=centre, default=decided)
        return replace(closest, reply="yes", where=where)
    return decided


def _ranked(answers: Sequence[Answer]) -> list[Answer]:
    """From the largest lead on."""
    return sorted(answers, key=centre, reverse=True)


def _count_at_most(answers: Sequence[Answer], most: int) -> Answer:
    """Whether no more than ``most`` of the answers are yes; what it rests on is the strongest one beyond them."""
    sure = sorted((answer for answer in answers if answer.reply == "yes"), key=centre, reverse=True)
    maybe = [answer for answer in answers if answer.reply == "open"]
    if len(sure) > most:
        return replace(sure[0], reply="no")
    if len(sure) + len(maybe) > most:
        worst = max(maybe, key=lambda answer: answer.seeds or 0)
        return replace(worst, open_cells=cells_open(maybe))
    return Answer("yes")


def rank(check: Check, data: Data) -> Judgement:
    """``a`` in its place among the others, last where the check says so."""
    size = len(check["among"])
    position = int(check["position"])
    excluded = selected(data, check.get("except_at"))
    last = selected(data, check.get("last_at"))
    must = selected(data, check.get("must_hold_at"))
    groups = [(where, points) for where, points in groups_of(check, data) if points[0] not in excluded]
    answers = [_rank_at(check, data, where, points, position) for where, points in groups]
    words = {1: "first", size: "last"}.get(position, f"number {position}")
    result = from_answers(check, answers, f"{check['a']} {words} of {size}")
    extra = [
        (where, points, size)
        for where, points in groups_of(replace(check, fields={**check.fields, "at": {}}), data)
        if points[0] in last
    ]
    extra += [(where, points, position) for where, points in groups if points[0] in must]
    if not extra:
        return result
    single = replace(check, fields={**check.fields, "share": 1.0})
    demanded = [_rank_at(check, data, where, points, place) for where, points, place in extra]
    return all_parts([result, from_answers(single, demanded, f"{check['a']} in its place at the named points")])


def order(check: Check, data: Data) -> Judgement:
    """Kendall's tau over all pairs at all points; an open pair counts for and against in turn."""
    metric, tie = str(check["metric"]), 100 * float(check["tie_rel"])
    names: list[str] = list(check["best_first"])
    expected_ties = [set(pair) for pair in check.get("ties", [])]
    groups = {name: index for index, group in enumerate(check.get("groups") or []) for name in group}
    lower = bool(check.get("lower_is_better"))
    low = high = pairs = 0
    rows, seeds = [], []
    doubtful: list[Answer] = []
    for where, points in groups_of(check, data):
        for better, worse in combinations(_present(names, data, metric, points), 2):
            if groups and groups[better] == groups[worse]:
                continue
            pairs += 1
            lead = lead_percent(data, metric, better, worse, points, lower)
            above = at_least(lead, tie, where, f"{better} against {worse}")
            below = at_most(lead, -tie, where, f"{better} against {worse}")
            if {better, worse} in expected_ties:
                tied = above.reply == "no" and below.reply == "no"
                low, high = low + (1 if tied else 0), high + (1 if tied or "open" in (above.reply, below.reply) else 0)
                reply: Reply = "yes" if tied else "open"
            elif above.reply == "yes":
                low, high, reply = low + 1, high + 1, "yes"
            elif below.reply == "yes":
                low, high, reply = low - 1, high - 1, "no"
            else:
                low -= 1 if below.reply == "open" else 0
                high += 1 if above.reply == "open" else 0
                reply = "open"
                seeds += [number for number in (above.seeds, below.seeds) if number]
            doubtful += [answer for answer in (above, below) if answer.reply == "open"]
            rows.append(replace(above, reply=reply).row())
    least = float(check["min_tau"])
    bottom, top = low / pairs, high / pairs
    worst, best = _of_tau(bottom, least), _of_tau(top, least)
    verdict = "undecided" if best == "reproduced" != worst else worst
    finals = frozenset(_of_tau(count / pairs, least) for count in range(low, high + 1))
    spread = f"{bottom:.2f}" if bottom == top else f"{bottom:.2f} to {top:.2f}"
    measured = f"Kendall's tau {spread} over {pairs} pairs, {least:g} is asked"
    needed = max(seeds, default=None) if verdict == "undecided" else None
    cells = cells_open(doubtful)
    # an open tie has two answers for one step
    soon = cells if expected_ties else soonest(doubtful, low, high, lambda count: _of_tau(count / pairs, least))
    return Judgement(verdict, measured, tuple(rows), needed, finals=finals, open_cells=cells, next_cells=soon)


def _of_tau(tau: float, least: float) -> str:
    """Verdict on an order when every pair has been told apart."""
    return "reproduced" if tau >= least - 1e-9 else "direction only" if tau > 0 else "contradicted"
