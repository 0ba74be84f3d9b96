"""Who is before whom: ranks and whole orders."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from windlass.interval import Interval
from windlass.ledger import Check
from windlass.verdicts.answers import (
    STRICT,
    Answer,
    Reply,
    at_least,
    at_most,
    cells_open,
    centre,
    every,
    from_answers,
    negated,
    percent_text,
    soonest,
)
from windlass.verdicts.data import Data, Point
from windlass.verdicts.intervals import cells_of, ratio, seeds_to
from windlass.verdicts.judgement import Judgement, all_parts, still_open
from windlass.verdicts.merged import Merged
from windlass.verdicts.points import groups_of, selected


def lead_percent(
    data: Data, metric: str, first: str, second: str, points: Sequence[Point], lower_is_better: bool
) -> Interval:
    """By how many percent ``first`` is better than ``second``."""
    one, two = data.get(metric, first, points), data.get(metric, second, points)
    quotient = ratio(two, one) if lower_is_better else ratio(one, two)
    return quotient.scaled(100, -100)


def against(first: str, second: str, lower_is_better: bool) -> str:
    """Of which two that is the ratio: where less is better, ``first`` is ahead by as much as ``second`` is above it."""
    return f"{second} against {first}" if lower_is_better else f"{first} against {second}"


def _present(names: Sequence[str], data: Data, metric: str, points: Sequence[Point]) -> list[str]:
    """Those of the variants that take part: of several figures, not each has all of them."""
    return [name for name in names if not isinstance(data, Merged) or data.get(metric, name, points)]


_Place = tuple[str, Sequence[Point], int]
"""A point or several that are averaged over, with their label before them and a position behind them."""

Ties = Literal["kept", "shown", "wide", "open"]
"""What becomes of a lead inside the margin for ties.

``kept``: it is a tie. ``shown``: it is a lead where its interval lies above zero, else a tie. ``wide``: as ``shown``,
and open where the interval holds zero and is wider than the margin. ``open``: open wherever the interval holds zero.
"""


def _by_ties(check: Check, data: Data, rule: Callable[[Check, Data, Ties], Judgement]) -> Judgement:
    """The judgement of a rule, with the margin for ties, or (``untied``) without it.

    Without it a lead that may be none is still a tie. It stays one if its interval is no wider than the margin, as a
    number stays near an edge of its band if its interval is no wider than the tolerance. Else more seeds may show it.
    """
    if not check.get("untied"):
        return rule(check, data, "kept")
    every_tie = rule(check, data, "open")
    if every_tie.settled:
        return every_tie
    found, wide = rule(check, data, "shown"), rule(check, data, "wide")
    return replace(
        found,
        finals=wide.finals,
        open_cells=wide.open_cells,
        next_cells=wide.next_cells,
        narrow=wide.finals != every_tie.finals,
    )


def _beyond_tie(answer: Answer, lead: Interval, tie: float, ties: Ties) -> Answer:
    """Whether somebody is ahead by more than a tie, from the answer for a lead beyond the margin."""
    if ties == "kept" or answer.reply == "yes" or lead.hi <= STRICT:
        return answer
    if lead.lo > STRICT:
        return replace(answer, reply="yes", open_cells=frozenset())
    if answer.reply == "no" and (ties == "open" or (ties == "wide" and lead.hi - lead.lo > tie)):
        needed = seeds_to(lead, max(abs(lead.mean), tie / 2))
        return replace(answer, reply="open", seeds=needed, open_cells=cells_of(lead))
    return answer


def _ahead_words(leads: Sequence[Answer], several: bool) -> str:
    """Who is ahead of whom without the margin: the largest of the leads, and where, if there are several points."""
    if not leads:
        return ""
    largest = max(leads, key=centre)
    assert largest.pair is not None
    what = "{} is ahead of {} by".format(*largest.pair)
    where = f" at {largest.where}" if several else ""
    more = f", and {len(leads) - 1} more like it" if len(leads) > 1 else ""
    return f"{what} {percent_text(replace(largest, what=what))}{where}{more}"


@dataclass(frozen=True)
class _Part:
    """A part of what a place asks for: its answer, and the rival that comes nearest to another one.

    ``excess``: by how many percent that rival is beyond what is allowed; below zero if it is inside.
    """

    answer: Answer
    nearest: Answer | None = None
    excess: float = -math.inf


def _rank_at(
    check: Check, data: Data, where: str, points: Sequence[Point], position: int, ties: Ties = "kept"
) -> tuple[Answer, float]:
    """Whether ``a`` can have that position, ties broken in its favour, and the excess of the rival that is named.

    At most position - 1 others may be better by more than the tie, and at most the rest may be worse by more than it.
    """
    a, metric, tie = str(check["a"]), str(check["metric"]), 100 * float(check["tie_rel"])
    lower = bool(check.get("lower_is_better"))
    rivals = [name for name in _present(check["among"], data, metric, points) if name != a]

    def beats(first: str, second: str) -> Answer:
        lead = lead_percent(data, metric, first, second, points, lower)
        answer = negated(at_most(lead, tie, where, against(first, second, lower)))
        return replace(_beyond_tie(answer, lead, tie, ties), pair=(first, second))

    parts = [
        _count_at_most([beats(name, a) for name in rivals], position - 1, tie),
        _count_at_most([beats(a, name) for name in rivals], len(rivals) + 1 - position, tie),
    ]
    margin = check.get("min_margin_rel")
    if margin is not None:
        for name in rivals:
            lead = lead_percent(data, metric, a, name, points, lower)
            answer = at_least(lead, 100 * margin, where, against(a, name, lower))
            parts.append(_Part(answer, answer, 100 * margin - lead.mean))
    decided = every([part.answer for part in parts], where)
    closest = max((part for part in parts if part.answer.reply == decided.reply), key=lambda part: part.excess)
    if closest.nearest is None:
        return decided, closest.excess
    named = closest.nearest
    return replace(decided, what=named.what, interval=named.interval, unit=named.unit, pair=named.pair), closest.excess


def _count_at_most(answers: Sequence[Answer], most: int, tie: float) -> _Part:
    """Whether no more than ``most`` of the answers are yes. What comes nearest to another reply is the strongest one
    beyond that number.
    """
    sure = [answer for answer in answers if answer.reply == "yes"]
    maybe = [answer for answer in answers if answer.reply == "open"]
    rest = [answer for answer in answers if answer.reply == "no"]
    ranked = [answer for some in (sure, maybe, rest) for answer in sorted(some, key=centre, reverse=True)]
    nearest = ranked[most] if most < len(ranked) else None
    excess = -math.inf if nearest is None else centre(nearest) - tie
    if len(sure) > most:
        return _Part(replace(ranked[most], reply="no"), nearest, excess)
    if len(sure) + len(maybe) > most:
        worst = max(maybe, key=lambda answer: answer.seeds or 0)
        return _Part(replace(worst, open_cells=cells_open(maybe)), nearest, excess)
    return _Part(Answer("yes"), nearest, excess)


def rank(check: Check, data: Data) -> Judgement:
    """``a`` in its place among the others, last where the check says so."""
    return _by_ties(check, data, _rank)


def _rank(check: Check, data: Data, ties: Ties) -> Judgement:
    size = len(check["among"])
    position = int(check["position"])
    excluded = selected(data, check.get("except_at"))
    last = selected(data, check.get("last_at"))
    must = selected(data, check.get("must_hold_at"))
    groups = [(where, points) for where, points in groups_of(check, data) if points[0] not in excluded]
    everywhere = groups_of(replace(check, fields={**check.fields, "at": {}}), data)
    places: list[_Place] = [(where, points, position) for where, points in groups]
    extra: list[_Place] = [(where, points, size) for where, points in everywhere if points[0] in last]
    extra += [(where, points, position) for where, points in groups if points[0] in must]
    parts = [_in_place(check, data, places, _named(position, size), ties)]
    if extra:
        single = replace(check, fields={**check.fields, "share": 1.0})
        places_named = {place for _, _, place in extra}
        words = _named(min(places_named), size) if len(places_named) == 1 else "in its place"
        parts.append(_in_place(single, data, extra, words, ties, named=True))
    result = parts[0] if len(parts) == 1 else all_parts(parts)
    if ties == "kept":
        return _softened(check, data, result)
    leads = []
    for place in places + extra:
        strictly, loosely = (_rank_at(check, data, *place, how)[0] for how in (ties, "kept"))
        if strictly.reply == "no" != loosely.reply and strictly not in leads:
            leads.append(strictly)
    return replace(result, latitude=_ahead_words(leads, len({where for where, _, _ in places + extra}) > 1))


def _softened(check: Check, data: Data, found: Judgement) -> Judgement:
    """The judgement, or direction only in place of contradicted where all that is missing is the size of the lead: at
    half of the points or more ``a`` has its position and leads, by however little.
    """
    if check.get("min_margin_rel") is None or "contradicted" not in found.part[0]:
        return found
    sign = _by_ties(
        replace(check, fields={**check.fields, "min_margin_rel": STRICT / 100, "untied": True}), data, _rank
    )
    return replace(
        found, verdict=_of_sign(found.verdict, sign.verdict), **still_open([found.part, sign.part], _of_sign)
    )


def _of_sign(verdict: str, sign: str) -> str:
    """The verdict on a claim from that with its size and that on its sign alone."""
    return "direction only" if verdict == "contradicted" and sign in ("reproduced", "direction only") else verdict


def _named(position: int, size: int) -> str:
    """``first of 5``."""
    word = {1: "first", size: "last"}.get(position, f"number {position}")
    return f"{word} of {size}"


def _in_place(
    check: Check, data: Data, places: Sequence[_Place], words: str, ties: Ties, named: bool = False
) -> Judgement:
    """Whether ``a`` has its position at each of the points. Shown is the rival that comes nearest to another verdict.

    ``named``: the claim names the points, so that a single one is named, too.
    """
    found = [_rank_at(check, data, *place, ties) for place in places]
    toward = -1 if check.get("negate") else 1
    answers, weights = [answer for answer, _ in found], [toward * excess for _, excess in found]
    only = f" at {places[0][0]}" if named and len(places) == 1 else ""
    tie, remark = float(check["tie_rel"]), ""
    if ties == "kept" and tie and not check.get("negate"):
        alone = sum(_rank_at(check, data, *place, "shown")[0].reply == "yes" for place in places)
        if alone < sum(answer.reply == "yes" for answer in answers):
            words += f" or within {100 * tie:g} %"
            remark = f"({alone} without that margin)" if len(places) > 1 else ""
    return from_answers(check, answers, f"{check['a']} {words}{only}", weights, remark)


def order(check: Check, data: Data) -> Judgement:
    """Kendall's tau over all pairs at all points; an open pair counts for and against in turn."""
    return _by_ties(check, data, _order)


def _order(check: Check, data: Data, ties: Ties) -> Judgement:
    """Without the margin a pair that is the wrong way round inside it counts against the order; one that is the right
    way round inside it is a tie as before.
    """
    metric, tie = str(check["metric"]), 100 * float(check["tie_rel"])
    names: list[str] = list(check["best_first"])
    expected_ties = [set(pair) for pair in check.get("ties", [])]
    groups = {name: index for index, group in enumerate(check.get("groups") or []) for name in group}
    lower = bool(check.get("lower_is_better"))
    low = high = pairs = 0
    rows, seeds = [], []
    doubtful: list[Answer] = []
    leads: list[Answer] = []
    compared: list[tuple[str, str, Sequence[Point]]] = []
    at = groups_of(check, data)
    for where, points in at:
        for better, worse in combinations(_present(names, data, metric, points), 2):
            if groups and groups[better] == groups[worse]:
                continue
            pairs += 1
            compared.append((better, worse, points))
            lead = lead_percent(data, metric, better, worse, points, lower)
            above = at_least(lead, tie, where, against(better, worse, lower))
            loosely = at_most(lead, -tie, where, against(better, worse, lower))
            # what is said to be a tie is one inside the margin
            alike = {better, worse} in expected_ties
            below = loosely if alike else _beyond_tie(loosely, lead.scaled(-1), tie, ties)
            if below.reply == "yes" != loosely.reply:
                back = lead_percent(data, metric, worse, better, points, lower)
                leads.append(replace(below, interval=back, pair=(worse, better)))
            if alike:
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
    over = f"{pairs} pair{'s' if pairs > 1 else ''}"
    measured = f"Kendall's tau {spread} over {over}, {least:g} is asked"
    needed = max(seeds, default=None) if verdict == "undecided" else None
    cells = cells_open(doubtful)
    # an open tie has two answers for one step
    soon = cells if expected_ties else soonest(doubtful, low, high, lambda count: _of_tau(count / pairs, least))
    why = _ahead_words(leads, len(at) > 1)
    found = Judgement(
        verdict, measured, tuple(rows), needed, latitude=why, finals=finals, open_cells=cells, next_cells=soon
    )
    if ties != "kept" or "contradicted" not in finals:
        return found
    apart = [(one, two, points) for one, two, points in compared if {one, two} not in expected_ties]
    sign = _sign(data, metric, apart, lower)
    known = _of_sign(found.verdict, sign.verdict)
    more = "; by less than the margin more pairs are as claimed than not" if known != found.verdict else ""
    return replace(found, verdict=known, measured=measured + more, **still_open([found.part, sign.part], _of_sign))


def _sign(data: Data, metric: str, pairs: Sequence[tuple[str, str, Sequence[Point]]], lower: bool) -> Judgement:
    """Whether more pairs are the right way round than the wrong one, by however little."""
    low = high = 0
    doubtful = []
    for better, worse, points in pairs:
        answer = at_least(lead_percent(data, metric, better, worse, points, lower), STRICT, "", "")
        low += {"yes": 1, "no": -1, "open": -1}[answer.reply]
        high += {"yes": 1, "no": -1, "open": 1}[answer.reply]
        doubtful += [answer] if answer.reply == "open" else []
    finals = frozenset("direction only" if count > 0 else "contradicted" for count in (low, high))
    verdict = "direction only" if low > 0 else "contradicted"
    return Judgement(verdict, "", finals=finals, open_cells=cells_open(doubtful))


def _of_tau(tau: float, least: float) -> str:
    """Verdict on an order when every pair has been told apart."""
    return "reproduced" if tau >= least - 1e-9 else "direction only" if tau > 0 else "contradicted"
