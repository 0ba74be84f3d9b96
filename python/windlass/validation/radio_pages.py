"""The part of the page about 802.11."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from windlass.validation.figures import RADIO_FAMILIES, Status
from windlass.validation.radio_checks import SECTIONS, CheckOutcome
from windlass.validation.radio_texts import CHECKS_INTRODUCTION, NOTES, RADIO_INTRODUCTION
from windlass.validation.stored import StoredOutcome

EXPLAINED_CHECKS: dict[tuple[str, str], str] = {
    ("heusse", "dot11b, 11 Mbps, one station at 1 Mbps, 10 stations"): (
        "The formula counts a collision for each station that collides, but at least two share one. Checked: of 596 390 "
        "attempts 174 079 failed and 422 216 packets arrived, at most 0.206 collisions for each packet; the formula has "
        "0.256, which costs 6 %. With two stations it is 0.0316 and 0.0323."
    ),
}
"""Checks that differ, with the reason."""


def section(outcomes: Sequence[StoredOutcome], checks: Sequence[CheckOutcome]) -> list[str]:
    """Lines of the section.

    Parameters
    ----------
    outcomes : sequence of StoredOutcome
        Stored points of 802.11, judged and reported, in the order of the page.
    checks : sequence of CheckOutcome
        What theory and ns-2's saturated cells say.

    Returns
    -------
    list of str
        Markdown.
    """
    judged = [one for one in outcomes if one.point.status is Status.JUDGED]
    lines = ["", RADIO_INTRODUCTION]
    if judged:
        lines += [f"{sum(one.agrees for one in judged)} of {len(judged)} points inside.", "", *_counts(outcomes), ""]
        lines += ["### 802.11: points outside", ""]
        lines += _differences([one for one in judged if not one.agrees]) or ["None."]
    for family, words in RADIO_FAMILIES.items():
        rows = [one for one in outcomes if one.point.family == family]
        if rows:
            lines += ["", f"### 802.11: {words}", "", NOTES[family], "", *_table(rows)]
    if checks:
        lines += ["", CHECKS_INTRODUCTION, f"{sum(one.agrees for one in checks)} of {len(checks)} inside.", ""]
        lines += [_check_difference(one) for one in checks if not one.agrees]
    for name, words in SECTIONS.items():
        some = [one for one in checks if one.check.section == name]
        if some:
            lines += ["", f"#### {words}", "", *_checks_table(some)]
    return lines


def _counts(outcomes: Iterable[StoredOutcome]) -> list[str]:
    total: Counter[tuple[str, Status]] = Counter()
    inside: Counter[tuple[str, Status]] = Counter()
    for one in outcomes:
        total[one.point.family, one.point.status] += 1
        inside[one.point.family, one.point.status] += one.agrees
    lines = ["| family | judged | inside | reported only | inside |", "|---|---|---|---|---|"]
    for family, words in RADIO_FAMILIES.items():
        cells = [f"{count[family, status]}" for status in (Status.JUDGED, Status.REPORTED) for count in (total, inside)]
        if total[family, Status.JUDGED]:
            lines.append(f"| {words} | {' | '.join(cells)} |")
    return lines


def _differences(outcomes: Iterable[StoredOutcome]) -> list[str]:
    """Points outside, those with the same reason together."""
    groups: dict[str, list[StoredOutcome]] = {}
    for one in outcomes:
        groups.setdefault(one.reason or "not explained yet", []).append(one)
    lines = []
    for reason, some in groups.items():
        lines += ["", f"{len(some)} {'point' if len(some) == 1 else 'points'}: {reason}", ""]
        for one in some:
            point = one.point
            place = f"{RADIO_FAMILIES[point.family]}: {point.variant}, {point.label}, {point.parameter} {point.value}"
            lines.append(f"- {place} ({100 * one.goodput.difference:+.1f} %)")
    return lines[1:]


def _table(rows: Iterable[StoredOutcome]) -> list[str]:
    lines = [
        "| agent | what varies | value | ns-2 | Windlass | difference | allowed | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in rows:
        point, goodput = one.point, one.goodput
        verdict = "inside" if one.agrees else "**outside**"
        if point.status is Status.REPORTED:
            verdict = "reported, " + ("inside" if one.agrees else "outside")
        lines.append(
            f"| {point.variant} | {point.label}, {point.parameter} | {point.value} "
            f"| {goodput.ns2.mean:.4g} ± {goodput.ns2.half_width:.2g} | {goodput.here.mean:.4g} ± "
            f"{goodput.here.half_width:.2g} | {100 * goodput.difference:+.1f} % | {100 * goodput.allowed:.1f} % | {verdict} |"
        )
    return lines


def _check_difference(one: CheckOutcome) -> str:
    reason = EXPLAINED_CHECKS.get(one.check.key, "not explained yet")
    return f"- {SECTIONS[one.check.section]}: {one.check.what} ({100 * one.difference:+.1f} %): {reason}"


def _checks_table(outcomes: Iterable[CheckOutcome]) -> list[str]:
    lines = ["| what | expected | Windlass | difference | allowed | |", "|---|---|---|---|---|---|"]
    for one in outcomes:
        lines.append(
            f"| {one.check.what} | {one.check.expected:.5g} | {one.here.mean:.5g} ± {one.here.half_width:.2g} "
            f"| {100 * one.difference:+.2f} % | {100 * one.check.allowed:g} % "
            f"| {'inside' if one.agrees else '**outside**'} |"
        )
    return lines
