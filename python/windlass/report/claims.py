"""A claim with its verdict, and what it rests on."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from windlass.ledger import Check
from windlass.report.asked import asked_words, parts_words
from windlass.report.language import Language, sentence
from windlass.report.words import slug
from windlass.reproduce import STOPPED, Outcome, Reproduction
from windlass.verdicts import Judgement

WHOSE = {"paper": "The paper's own words allow it.", "ours": "It is ours."}
"""Whose a tolerance is."""


def claim_row(reproduction: Reproduction, outcome: Outcome) -> dict[str, Any]:
    """What the page shows of a claim."""
    claim, judgement = outcome.claim, outcome.judgement
    reasons = reproduction.ledger.reasons
    language = Language(reproduction.ledger, reproduction.experiment)
    numbers = reproduction.reading_numbers
    changed = {reading.key for reading, _ in outcome.changed}
    return {
        "number": claim.number,
        "text": claim.text,
        "source": source_words(claim.source),
        "verdict": judgement.verdict,
        "slug": slug(judgement.verdict),
        "measured": language.sentence(judgement.measured),
        "reason": language.sentence(judgement.reason),
        "latitude": language.sentence(judgement.latitude),
        "whose": WHOSE[claim.check.whose],
        "arithmetic": language.sentence(judgement.arithmetic),
        "seeds": _seeds_words(judgement),
        "tolerance": language.found(asked_words(claim.check)) if not judgement.parts else "",
        "parts": [
            {
                "asked": language.sentence(words or part.where),
                "where": part.where,
                "verdict": found.verdict,
                "slug": slug(found.verdict),
                "measured": language.sentence(found.measured or found.reason),
            }
            for words, part, found in zip(parts_words(claim.check), _parts(claim.check), judgement.parts, strict=False)
        ],
        "where": claim.check.where,
        "why": reasons[claim.check.why].text if claim.check.why else "",
        "note": claim.note,
        "conflict": [key.rsplit("/", 1)[-1].removeprefix("x").lstrip("0") for key in claim.conflict],
        "rows": [_point_row(row, language) for row in judgement.rows],
        "run": run_lines(reproduction, outcome),
        "largest": [
            {
                "where": language.found(str(row["where"])),
                "percent": "without bound" if row["percent"] is None else f"{row['percent']:+.0f} %",
                "measured": f"{row['measured_percent']:+.0f} %",
            }
            for row in judgement.largest
        ],
        "room": language.found(_room(judgement.largest)),
        "alternatives": [
            {
                "text": language.found(text),
                "verdict": other.verdict,
                "slug": slug(other.verdict),
                "measured": language.sentence(other.measured),
            }
            for text, other in judgement.alternatives
        ],
        "readings": [
            {
                "number": numbers.get(reading.key, ""),
                "title": reading.title,
                "verdict": other.verdict,
                "slug": slug(other.verdict),
                "measured": language.sentence(other.measured or other.reason),
                "changed": reading.key in changed,
                "points": points_text(other),
                "seeds": seeds_text(other),
                "stopped": STOPPED.get(other.stopped, ""),
            }
            for reading, other, _ in outcome.readings
        ],
        "forms": [
            {
                "title": reading.title,
                "verdict": other.verdict,
                "slug": slug(other.verdict),
                "measured": language.sentence(other.measured),
            }
            for reading, other, _ in outcome.readings
            if reading.form
        ],
        "unsettled": [reading.title for reading in outcome.unsettled],
        "missing": [{"title": reading.title, "why": language.reason(why)} for reading, why in outcome.missing],
        "some_points": any(other.points for _, other, _ in outcome.readings),
        "changed": len(changed),
        "asked": len(outcome.readings),
    }


def _parts(check: Check) -> list[Check]:
    """A check and its other parts."""
    return [check, *check.also]


def _room(largest: Sequence[Mapping[str, Any]]) -> str:
    """Largest possible gain where it is least and where it is most."""
    if not largest:
        return ""
    ranked = sorted(largest, key=lambda row: math.inf if row["percent"] is None else row["percent"])
    ends = [ranked[0], ranked[-1]] if len(ranked) > 1 else [ranked[0]]
    words = [
        ("without bound" if row["percent"] is None else f"{row['percent']:+.0f} %") + f" at {row['where']}"
        for row in ends
    ]
    return " to ".join(words)


def source_words(source: str) -> str:
    """Where the paper says it, as a sentence: sections are named as such."""
    found = re.sub(r"(?<![\w.])s(?=\d)", "section ", source)
    return sentence(f"section {found}" if re.match(r"\d|[IVX]+\b", found) else found)


def run_lines(reproduction: Reproduction, outcome: Outcome) -> list[str]:
    """Commands: the one that gives the verdict, then those that make the runs behind it, variant by variant."""
    checks = (outcome.claim.check, *outcome.claim.check.also)
    names = {variant.split("#")[0] for check in checks for variant in check.variants}
    partners = {name for check in checks for name in check.experiments} - {reproduction.experiment.id}
    lines = [reproduction.command]
    if outcome.claim.check.kind != "arith":
        found = [name for name in reproduction.scenarios if name in names] or list(reproduction.scenarios)
        lines += [f"windlass sweep scenarios/{name}.toml" for name in found]
        lines += [
            f"windlass reproduce {name}" + reproduction.command.partition(reproduction.experiment.id)[2]
            for name in sorted(partners)
        ]
    return lines


def _point_row(row: Mapping[str, Any], language: Language) -> dict[str, str]:
    numbers = [row.get(key) for key in ("mean", "low", "high")]
    unit = str(row.get("unit", ""))
    form = "{:+.1f}" if unit in ("%", "points") else "{:.3f}"
    if unit == "% of runs":  # an interval of a share ends where shares end
        form = "{:.0f}"
        numbers = [min(max(number, 0.0), 100.0) if isinstance(number, float) else number for number in numbers]
    texts = [form.format(number) if isinstance(number, float) and math.isfinite(number) else "-" for number in numbers]
    return {
        "where": language.found(str(row["where"])),
        "what": language.found(str(row["what"])).rstrip(","),
        "mean": f"{texts[0]} {unit}".strip(),
        "interval": f"{texts[1]} to {texts[2]}" if texts[1] != "-" else "-",
        "reply": {"yes": "holds", "no": "fails", "open": "not settled"}[str(row["reply"])],
    }


def seeds_text(judgement: Judgement) -> str:
    """How many seeds a verdict took: ``10``, ``3 to 50``; nothing if it took no run."""
    if judgement.seeds is None:
        return ""
    least, most = judgement.seeds
    return f"{least}" if least == most else f"{least} to {most}"


def points_text(judgement: Judgement) -> str:
    """At how many points a verdict was looked at: ``4 of 12``; nothing if at all of them."""
    return "" if judgement.points is None else "{} of {}".format(*judgement.points)


def _seeds_words(judgement: Judgement) -> str:
    """How many seeds a verdict took, why there were no more, and how many would settle it."""
    if not judgement.stopped:
        return ""
    count = "One run at each point" if judgement.stopped == "by run" else f"{seeds_text(judgement)} seeds"
    words = f"{count}: {STOPPED[judgement.stopped]}."
    if judgement.unseen is not None:
        words += f" What happens in up to {100 * judgement.unseen:.2g} % of the seeds may be in none of these."
    if judgement.verdict != "undecided":
        return words
    needed = judgement.seeds_needed
    if needed is None:
        return f"{words} They give no interval that could be narrowed; at least two are needed."
    if needed > 2000:
        return f"{words} More than 2000 would be needed: the measured value lies on the edge."
    return f"{words} About {needed} would settle it."
