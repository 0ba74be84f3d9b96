"""A claim with its verdict, and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from windlass.ledger import Check
from windlass.report.words import slug
from windlass.reproduce import Outcome, Reproduction


def claim_row(reproduction: Reproduction, outcome: Outcome) -> dict[str, Any]:
    """What the page shows of a claim."""
    claim, judgement = outcome.claim, outcome.judgement
    reasons = reproduction.ledger.reasons
    changed = {reading.key for reading, _ in outcome.changed}
    return {
        "number": claim.number,
        "text": claim.text,
        "source": claim.source,
        "verdict": judgement.verdict,
        "slug": slug(judgement.verdict),
        "measured": judgement.measured,
        "reason": judgement.reason,
        "latitude": judgement.latitude,
        "whose": {"paper": "the paper's own words", "ours": "ours"}[claim.check.whose],
        "arithmetic": judgement.arithmetic,
        "seeds": _seeds_words(judgement.verdict, judgement.seeds_needed, len(reproduction.seeds)),
        "tolerance": tolerance_words(claim.check),
        "where": claim.check.where,
        "why": reasons[claim.check.why].text if claim.check.why else "",
        "note": claim.note,
        "conflict": [key.rsplit("/", 1)[-1] for key in claim.conflict],
        "rows": [_point_row(row) for row in judgement.rows],
        "largest": [
            {
                "where": row["where"],
                "percent": "without bound" if row["percent"] is None else f"{row['percent']:+.0f} %",
                "measured": f"{row['measured_percent']:+.0f} %",
            }
            for row in judgement.largest
        ],
        "room": _room(judgement.largest),
        "alternatives": [
            {"text": text, "verdict": other.verdict, "slug": slug(other.verdict), "measured": other.measured}
            for text, other in judgement.alternatives
        ],
        "readings": [
            {
                "title": reading.title,
                "verdict": other.verdict,
                "slug": slug(other.verdict),
                "measured": other.measured,
                "changed": reading.key in changed,
            }
            for reading, other, _ in outcome.readings
        ],
        "forms": [
            {"title": reading.title, "verdict": other.verdict, "slug": slug(other.verdict), "measured": other.measured}
            for reading, other, _ in outcome.readings
            if reading.form
        ],
        "unsettled": [reading.title for reading in outcome.unsettled],
        "missing": [{"title": reading.title, "why": why} for reading, why in outcome.missing],
        "changed": len(changed),
        "asked": len(outcome.readings),
    }


def _room(largest: Sequence[Mapping[str, Any]]) -> str:
    """Largest possible gain where it is least and where it is most."""
    if not largest:
        return ""
    ranked = sorted(largest, key=lambda row: math.inf if row["percent"] is None else row["percent"])
    ends = [ranked[0], ranked[-1]] if len(ranked) > 1 else [ranked[0]]
    words = [
        f"{row['where']}: " + ("without bound" if row["percent"] is None else f"{row['percent']:+.0f} %")
        for row in ends
    ]
    return " to ".join(words)


def _point_row(row: Mapping[str, Any]) -> dict[str, str]:
    numbers = [row.get(key) for key in ("mean", "low", "high")]
    unit = str(row.get("unit", ""))
    form = "{:+.1f}" if unit in ("%", "points") else "{:.3f}"
    texts = [form.format(number) if isinstance(number, float) and math.isfinite(number) else "-" for number in numbers]
    return {
        "where": str(row["where"]),
        "what": str(row["what"]),
        "mean": f"{texts[0]} {unit}".strip(),
        "interval": f"{texts[1]} to {texts[2]}" if texts[1] != "-" else "-",
        "reply": {"yes": "holds", "no": "fails", "open": "open"}[str(row["reply"])],
    }


def _seeds_words(verdict: str, needed: int | None, used: int) -> str:
    if verdict != "undecided":
        return ""
    if needed is None:
        return f"{used} seeds give no interval that could be narrowed; at least two are needed."
    return (
        f"About {needed} seeds would settle it ({used} were run)."
        if needed <= 2000
        else ("More than 2000 seeds would be needed: the measured value stands on the edge.")
    )


def tolerance_words(check: Check) -> str:
    """What a check allows, in words."""
    get = check.get
    parts: list[str] = []
    if check.kind in ("gain", "reduction"):
        parts.append(f"{get('percent'):g} % ± {get('tolerance_pp'):g} percentage points")
        parts.append({"best": "at the most favourable point", "mean": "on the mean over points"}.get(get("pick"), ""))
    elif check.kind == "gain-band":
        low, high = get("percent_range")
        parts.append(f"{low:g} to {high:g} %, widened by {get('tolerance_pp'):g} percentage points")
    elif check.kind in ("value", "ratio"):
        wanted = get("value", get("ratio"))
        parts.append(f"{wanted:g} {get('unit', '')} ± {100 * get('tolerance_rel'):g} %".replace("  ", " "))
    elif check.kind == "rank":
        parts.append(f"position {get('position')} of {len(get('among'))}")
        parts.append(f"ties within {100 * get('tie_rel'):g} % in its favour")
        if get("min_margin_rel"):
            parts.append(f"a lead of at least {100 * get('min_margin_rel'):g} %")
    elif check.kind == "close":
        parts.append(f"largest and smallest within {100 * get('within_rel'):g} % of the larger")
    elif check.kind == "same-across":
        parts.append(f"within {100 * get('within_rel'):g} %")
    elif check.kind == "trend":
        parts.append(f"{get('direction')}, steps against it up to {100 * get('slack_rel'):g} %")
    elif check.kind == "order":
        parts.append(f"Kendall's tau at least {get('min_tau'):g}, ties within {100 * get('tie_rel'):g} %")
    elif check.kind == "cross":
        parts.append({"<": "below", ">": "above", ">=": "not below", "close": "close", "gain": "gain"}[get("relation")])
        if get("percent") is not None:
            parts.append(f"{get('percent'):g} % ± {get('tolerance_pp'):g} percentage points")
        elif get("percent_range"):
            parts.append(
                f"{get('percent_range')[0]:g} to {get('percent_range')[1]:g} % ± {get('tolerance_pp'):g} points"
            )
    elif check.kind == "arith":
        parts.append(f"printed {get('stated'):g}, ± {get('tolerance', 0):g}")
    if get("negate"):
        parts.insert(0, "not")
    share = get("share")
    if share is not None and share < 1:
        parts.append(f"at {100 * share:g} % of the points")
    return ", ".join(part for part in parts if part)
