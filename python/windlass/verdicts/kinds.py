"""Which rule judges which kind of check, and the check with all its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from windlass.ledger import Check
from windlass.verdicts.across import cross, drop_between, ratio_of_experiments
from windlass.verdicts.ahead import argmax, best_set, crossover, not_below
from windlass.verdicts.arithmetic import arith
from windlass.verdicts.bands import gain, gain_band, value_of
from windlass.verdicts.data import Data, Limits, Others, Unmeasured, require
from windlass.verdicts.decisions import invariant
from windlass.verdicts.judgement import Judgement, all_parts
from windlass.verdicts.likeness import bound, close, differs, same_across, spread
from windlass.verdicts.merged import Merged, merge
from windlass.verdicts.order import order, rank
from windlass.verdicts.strict import graded
from windlass.verdicts.tables import same_order, same_table, table
from windlass.verdicts.traces import trace
from windlass.verdicts.trend import trend


def judge(check: Check, data: Data, *, limits: Limits | None = None, others: Others | None = None) -> Judgement:
    """The verdict on a check.

    Parameters
    ----------
    check : Check
        From the ledger.
    data : Data
        Measurements of the claim's experiment.
    limits : callable, optional
        Most that can be carried at a point; without it nothing is found impossible.
    others : callable, optional
        Measurements of other experiments by id, ``None`` where there are none.

    Returns
    -------
    Judgement
        ``also`` included: the verdict is the worst of its parts. It comes from Student's intervals; it is settled if
        those that allow for skewed values cannot give another one either.
    """
    limits = None if limits is None else cache(limits)
    found = _judged(check, data, limits, others)
    if not found.settled:
        return found
    sides = others or (lambda _: None)
    wide = _judged(
        check,
        replace(data, wide=True),
        limits,
        lambda name: None if (side := sides(name)) is None else replace(side, wide=True),
    )
    if wide.finals <= {found.verdict}:
        return found
    finals = wide.finals | {found.verdict}
    return replace(found, finals=finals, open_cells=wide.open_cells, next_cells=wide.next_cells)


def _judged(check: Check, data: Data, limits: Limits | None, others: Others | None) -> Judgement:
    """The judgement by one kind of interval."""

    def rule(part: Check) -> Judgement:
        return _judge_one(part, data, limits, others)

    parts = [graded(check, rule)]
    parts += [graded(_inherit(part, check), rule) for part in check.also]
    result = parts[0] if len(parts) == 1 else replace(all_parts(parts), parts=tuple(parts))
    alternative = check.get("alternative")
    if alternative:
        kind = str(alternative.get("kind", check.kind))
        other = replace(check, kind=kind, fields={**check.fields, **alternative, "alternative": None}, also=())
        words = ", ".join(f"{key} = {value}" for key, value in alternative.items() if not isinstance(value, list))
        result = replace(result, alternatives=((words, graded(other, rule)),))
    return result


def _inherit(part: Check, whole: Check) -> Check:
    return part if part.why else replace(part, why=whole.why, where=whole.where)


def _judge_one(check: Check, data: Data, limits: Limits | None, others: Others | None) -> Judgement:
    try:
        if check.get("of"):
            data = _several(check, data, others or (lambda _: None))
        if isinstance(data, Merged):
            limits = _of_origin(limits, data)
        if check.get("measurable") is False and check.get("detail"):
            raise Unmeasured(f"is {check['detail']}")
        if check.get("needs_run"):
            raise Unmeasured(f"needs a run beyond the paper: {check['needs_run']}")
        if check.kind == "arith":
            return arith(check)
        if check.kind in _CROSS:
            return _CROSS[check.kind](check, data, others or (lambda _: None), limits)
        if check.kind == "same-order":
            return same_order(check, data, others or (lambda _: None))
        if check.kind in _OWN_NEEDS:
            return _OWN_NEEDS[check.kind](check, data)
        require(check, data)
        if check.kind in _WITH_LIMITS:
            return _WITH_LIMITS[check.kind](check, data, limits)
        return _KINDS[check.kind](check, data)
    except Unmeasured as missing:
        return Judgement("not measurable", "", reason=f"the claim {missing}")


def _several(check: Check, data: Data, others: Others) -> Data:
    """Measurements of the experiments that the check names."""
    parts = []
    for name in check["of"]:
        part = data if name == data.experiment else others(name)
        if part is None:
            raise Unmeasured(f"needs the runs of {name}")
        parts.append(part)
    return merge(data.experiment, parts)


def _of_origin(limits: Limits | None, data: Merged) -> Limits | None:
    """The limits at points of the experiments that were put together."""
    if limits is None:
        return None
    known = limits
    return lambda point, variant, at_once=False: known(data.origin[point], variant, at_once)


_WITH_LIMITS: dict[str, Callable[[Check, Data, Limits | None], Judgement]] = {
    "gain": gain,
    "gain-band": gain_band,
    "reduction": gain,
    "value": value_of,
}

_CROSS: dict[str, Callable[[Check, Data, Others, Limits | None], Judgement]] = {
    "cross": cross,
    "drop": drop_between,
    "ratio": ratio_of_experiments,
}

_KINDS: dict[str, Callable[[Check, Data], Judgement]] = {
    "argmax": argmax,
    "best-set": best_set,
    "bound": bound,
    "close": close,
    "crossover": crossover,
    "differs": differs,
    "not-below": not_below,
    "order": order,
    "rank": rank,
    "same-across": same_across,
    "spread": spread,
    "trend": trend,
}

_OWN_NEEDS: dict[str, Callable[[Check, Data], Judgement]] = {
    "invariant": invariant,
    "same-table": same_table,
    "table": table,
    "trace": trace,
}
"""Kinds that say themselves what they need."""

KINDS_JUDGED = frozenset({"arith", "same-order", *_OWN_NEEDS, *_CROSS, *_KINDS, *_WITH_LIMITS})
"""Kinds of check that are judged."""
