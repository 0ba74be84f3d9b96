"""Which rule judges which kind of check, and the check with all its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from windlass.ledger import Check
from windlass.verdicts.across import cross, ratio_of_experiments
from windlass.verdicts.ahead import argmax, best_set, crossover, not_below
from windlass.verdicts.arithmetic import arith
from windlass.verdicts.bands import gain, gain_band, value_of
from windlass.verdicts.data import Data, Limits, Others, Unmeasured, require
from windlass.verdicts.judgement import Judgement, all_parts
from windlass.verdicts.likeness import bound, close, differs, same_across, spread
from windlass.verdicts.order import order, rank
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
        ``also`` included: the verdict is the worst of its parts.
    """
    parts = [_judge_one(check, data, limits, others)]
    parts += [_judge_one(_inherit(part, check), data, limits, others) for part in check.also]
    result = parts[0] if len(parts) == 1 else all_parts(parts)
    alternative = check.get("alternative")
    if alternative:
        other = replace(check, fields={**check.fields, **alternative, "alternative": None}, also=())
        words = ", ".join(f"{key} = {value}" for key, value in alternative.items())
        result = replace(result, alternatives=((words, _judge_one(other, data, limits, others)),))
    return result


def _inherit(part: Check, whole: Check) -> Check:
    return part if part.why else replace(part, why=whole.why, where=whole.where)


def _judge_one(check: Check, data: Data, limits: Limits | None, others: Others | None) -> Judgement:
    try:
        if check.kind in _NEEDS:
            raise Unmeasured(_NEEDS[check.kind])
        if check.get("needs_run"):
            raise Unmeasured(f"needs a run beyond the paper: {check['needs_run']}")
        if check.kind == "arith":
            return arith(check)
        if check.kind in ("cross", "ratio"):
            return _CROSS[check.kind](check, data, others or (lambda _: None), limits)
        require(check, data)
        if check.kind in _WITH_LIMITS:
            return _WITH_LIMITS[check.kind](check, data, limits)
        return _KINDS[check.kind](check, data)
    except Unmeasured as missing:
        return Judgement("not measurable", "", reason=str(missing))


_NEEDS = {
    "trace": "needs a time trace of the sender's window, which this version does not judge",
    "table": "needs the paper's table cell by cell, which this version does not judge",
    "same-table": "needs two of the paper's tables side by side, which this version does not judge",
    "same-order": "needs the order of the variants in two experiments, which this version does not judge",
    "invariant": "needs a log of every decision of the sender, which this version does not judge",
}

_WITH_LIMITS: dict[str, Callable[[Check, Data, Limits | None], Judgement]] = {
    "gain": gain,
    "gain-band": gain_band,
    "reduction": gain,
    "value": value_of,
}

_CROSS: dict[str, Callable[[Check, Data, Others, Limits | None], Judgement]] = {
    "cross": cross,
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

KINDS_JUDGED = frozenset({"arith", *_CROSS, *_KINDS, *_WITH_LIMITS})
"""Kinds of check that are judged."""

KINDS_NOT_JUDGED = frozenset(_NEEDS)
"""Kinds of check that end as not measurable, with the reason."""
