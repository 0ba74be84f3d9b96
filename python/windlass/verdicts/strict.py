"""How strictly a claim is met: what remains of it without the latitude that we gave it.

The ledger says whose the latitude of a check is. What the paper's own words allow ("about", "mostly", a printed range,
the last digit) is the claim itself. What we allow, because the paper leaves so much unstated, may carry a claim to
*compatible*, and no further: reproduced means at every point that the claim covers, and inside a band that is, from
end to end, no wider than half the claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from windlass.ledger import Check
from windlass.verdicts.judgement import Judgement

QUARTER = 0.25
"""Share of the claim that a strict tolerance is, either way: from end to end half of it."""

Rule = Callable[[Check], Judgement]

BEST = "it is met at its most favourable point and not at every point that it covers"
SOME = "it is met at the share of points that we ask for and not at every point that it covers"
WIDE = "it is met inside our tolerance, and that is more than a quarter of the claim either way"
LOOSE = "it is met inside our margin, and that is more than a quarter"
ORDER = "the order has more pairs the other way round than a quarter of tau allows"
EDGE = "the interval reaches over the edge of the tolerance"


def graded(check: Check, rule: Rule) -> Judgement:
    """The judgement of a rule, and compatible in place of reproduced where only our latitude makes it so."""
    found = rule(check)
    if found.verdict == "compatible":
        return replace(found, latitude=EDGE)
    if found.verdict != "reproduced" or check.whose == "paper":
        return found
    given = latitudes(check)
    if not _fails(rule, check, {key: value for _, fields in given for key, value in fields.items()}):
        return found
    needed = [words for words, fields in given if _fails(rule, check, fields)] or [words for words, _ in given]
    return replace(found, verdict="compatible", latitude="; ".join(needed))


def _fails(rule: Rule, check: Check, fields: Mapping[str, Any]) -> bool:
    return bool(fields) and rule(replace(check, fields={**check.fields, **fields})).verdict != "reproduced"


def latitudes(check: Check) -> list[tuple[str, dict[str, Any]]]:
    """What a check allows beyond a strict one: in words, and the fields that take it away."""
    found: list[tuple[str, dict[str, Any]]] = []
    if check.get("pick") == "best":
        found.append((BEST, {"pick": "every"}))
    for key in ("share", "min_share"):
        if check.get(key, 1.0) < 1.0:
            found.append((SOME, {key: 1.0}))
    found.append((WIDE, _no_wider(check, _tolerances(check))))
    found.append((ORDER, {"min_tau": 1 - QUARTER} if check.get("min_tau", 1.0) < 1 - QUARTER else {}))
    if not check.get("negate"):  # a wider margin makes "not alike" harder
        margins = {key: QUARTER for key in ("within_rel", "slack_rel", "tie_rel") if key in check.fields}
        found.append((LOOSE, _no_wider(check, margins)))
    return [(words, fields) for words, fields in found if fields]


def _no_wider(check: Check, most: Mapping[str, float]) -> dict[str, float]:
    """Those of the fields that are above their limit, at their limit."""
    given = {key: check.get(key) for key in most}
    return {key: limit for key, limit in most.items() if given[key] is not None and given[key] > limit + 1e-12}


def _tolerances(check: Check) -> dict[str, float]:
    """Widest strict tolerances: a quarter of what is claimed. A claim of zero has no size, and keeps its tolerance."""
    most = {"tolerance_rel": QUARTER}
    size = 0.0
    if check.get("percent") is not None:
        size = abs(float(check["percent"]))
    elif check.get("percent_range") is not None:
        size = abs(math.fsum(check["percent_range"])) / 2
    if size > 0:
        most["tolerance_pp"] = QUARTER * size
    if check.kind == "arith" and check["stated"]:
        most["tolerance"] = QUARTER * abs(float(check["stated"]))
    if check.get("times_s"):
        most["tolerance_s"] = QUARTER * min(float(time) for time in check["times_s"])
    return most
