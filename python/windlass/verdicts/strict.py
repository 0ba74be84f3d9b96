"""How strictly a claim is met: what remains of it without the latitude that we gave it.

The ledger says whose the latitude of a check is. What the paper's own words allow ("about", "mostly", a printed range,
the last digit) is the claim itself. What we allow, because the paper leaves so much unstated, may carry a claim to
*compatible*, and no further: reproduced means at every point that the claim covers, and inside a band that is, from
end to end, no wider than half the claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from windlass.ledger import Check
from windlass.verdicts.judgement import Judgement, still_open

QUARTER = 0.25
"""Share of the claim that a strict tolerance is, either way: from end to end half of it."""

Rule = Callable[[Check], Judgement]


@dataclass(frozen=True)
class Latitude:
    """What a check allows beyond a strict one, what it would be without, and the fields that take it away."""

    loosely: str
    strictly: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def taken(self, fields: Mapping[str, Any]) -> Latitude:
        """The latitude of a check, with its fields."""
        return replace(self, fields=fields)


BEST = Latitude("at its most favourable point", "at every point that it covers")
SOME = Latitude("at the share of points that we ask for", "at every point that it covers")
WIDE = Latitude("inside our tolerance, which is more than a quarter of the claim either way", "inside a quarter")
LOOSE = Latitude("inside our margin, which is more than a quarter", "inside a quarter")
ORDER = Latitude("in an order for which a tau below 0.75 is enough", "with a tau of 0.75")
TIED = "only within the margin of {:g} %"
"""Of a claim that needs the margin for ties; who is ahead without it follows."""
EDGE = "the interval reaches over the edge of the tolerance"


def graded(check: Check, rule: Rule) -> Judgement:
    """The judgement of a rule, and compatible in place of reproduced where only our latitude makes it so.

    It is settled when neither the verdict with our latitude nor that without can change it.
    """
    found = rule(check)
    allowed = latitudes(check) if check.whose != "paper" else []
    if not allowed or "reproduced" not in found.part[0]:
        return replace(found, latitude=_edge(check)) if found.verdict == "compatible" else found
    strict = _without(allowed, check, rule)
    result = replace(found, **still_open([found.part, strict.part], _grade))
    if found.verdict == "compatible":
        return replace(result, latitude=_edge(check))
    if found.verdict != "reproduced":
        return result
    verdict = _grade(found.verdict, strict.verdict)
    why = _why(allowed, check, rule, strict) if verdict == "compatible" else ""
    return replace(result, verdict=verdict, latitude=why, narrow=strict.narrow)


def _grade(loose: str, strict: str) -> str:
    """The verdict from those with our latitude and without."""
    return "compatible" if loose == "reproduced" != strict else loose


def _edge(check: Check) -> str:
    """Why a claim is compatible that already a rule with all latitude calls so."""
    return f"at its most favourable point {EDGE}" if check.get("pick") == "best" else EDGE


def _without(taken: Sequence[Latitude], check: Check, rule: Rule) -> Judgement:
    """The judgement when latitude is taken away."""
    fields = {key: value for latitude in taken for key, value in latitude.fields.items()}
    return rule(replace(check, fields={**check.fields, **fields}))


def _why(allowed: Sequence[Latitude], check: Check, rule: Rule, strict: Judgement) -> str:
    """Which latitude a claim needs: each that it does not do without, or all of them together."""
    needed = [latitude for latitude in allowed if _without([latitude], check, rule).verdict != "reproduced"]
    taken = needed or allowed
    loosely = " and ".join(dict.fromkeys(latitude.loosely for latitude in taken))
    strictly = (" nor " if needed else " and ").join(dict.fromkeys(latitude.strictly for latitude in taken))
    ties = ["untied" in latitude.fields for latitude in taken]
    # who is ahead inside the margin for ties
    seen = f": {strict.latitude}" if strict.latitude and any(ties) else ""
    if "reproduced" in strict.part[0]:
        return f"it is met {loosely}; whether also {strictly.replace(' nor ', ' and ')} is not settled{seen}"
    if all(ties) and seen:
        return f"it is met {loosely}{seen}"
    return f"it is met {loosely}, and not {strictly}{seen}"


def latitudes(check: Check) -> list[Latitude]:
    """What a check allows beyond a strict one."""
    found = []
    if check.get("pick") == "best":
        found.append(BEST.taken({"pick": "every"}))
    found += [SOME.taken({key: 1.0}) for key in ("share", "min_share") if check.get(key, 1.0) < 1.0]
    found.append(WIDE.taken(_no_wider(check, _tolerances(check))))
    if check.get("min_tau", 1.0) < 1 - QUARTER:
        found.append(ORDER.taken({"min_tau": 1 - QUARTER}))
    if not check.get("negate"):  # a wider margin makes "not alike" harder
        margins = {key: QUARTER for key in ("within_rel", "slack_rel", "tie_rel") if key in check.fields}
        found.append(LOOSE.taken(_no_wider(check, margins)))
        if check.kind in ("rank", "order") and check.get("tie_rel"):
            words = TIED.format(100 * float(check["tie_rel"]))
            found.append(Latitude(words, "without that margin", {"untied": True}))
    return [latitude for latitude in found if latitude.fields]


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
