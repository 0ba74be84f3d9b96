"""The page about all comparisons."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from windlass._markdown import fill
from windlass.files import write_file
from windlass.validation.chapters import PAGE, chapter_of, replace_chapter
from windlass.validation.droplist import EXPLAINED as EXPLAINED_CASES
from windlass.validation.droplist import CaseOutcome, read_cases, read_long_cases, run_case
from windlass.validation.droplist_tables import long_table, table
from windlass.validation.figures import FAMILIES, RADIO_FAMILIES, Status, stored_points
from windlass.validation.l4s import HEAD as L4S
from windlass.validation.l4s import chapter as l4s_chapter
from windlass.validation.linux import Comparison as LinuxComparison
from windlass.validation.linux import compare as compare_linux
from windlass.validation.linux import read as read_linux
from windlass.validation.linux import stored as stored_linux
from windlass.validation.linux.pages import chapter as linux_chapter
from windlass.validation.packetdrill.pages import HEAD as PACKETDRILL
from windlass.validation.radio_checks import CheckOutcome, checks, run_check
from windlass.validation.radio_pages import EXPLAINED_CHECKS, section
from windlass.validation.stored import StoredOutcome, compare
from windlass.validation.texts import (
    CASES_INTRODUCTION,
    INTRODUCTION,
    LONG_CASES_INTRODUCTION,
    REPORTED_INTRODUCTION,
    STORED_INTRODUCTION,
)

EXPLAINED_LISTS: dict[str, str] = {}
"""Agents whose longer lists differ, with the reason."""

CASES = Path("tests/differential/ns2-droplist/summary.csv")
"""The runs without randomness, from the root of the source tree."""


def page(
    outcomes: Sequence[StoredOutcome],
    cases: Sequence[CaseOutcome] = (),
    long_cases: Sequence[CaseOutcome] = (),
    known: Sequence[CheckOutcome] = (),
    linux: LinuxComparison | None = None,
) -> str:
    """The page with tables of all comparisons and the reasons for those that differ.

    Parameters
    ----------
    outcomes : sequence of StoredOutcome
        Stored points, judged and reported, in the order of the page.
    cases, long_cases : sequence of CaseOutcome
        Runs without randomness.
    known : sequence of CheckOutcome
        Cells and chains of 802.11 beside what is known beforehand.
    linux : Comparison, optional
        The stored reference of the Linux kernel.

    Returns
    -------
    str
        Markdown.
    """
    lines = [INTRODUCTION]
    if cases:
        lines += [CASES_INTRODUCTION, f"{sum(one.agrees for one in cases)} of {len(cases)} cases agree.", ""]
        lines += [*table(cases), ""]
    if long_cases:
        lines += [LONG_CASES_INTRODUCTION, *long_table(long_cases), ""]
        different = [case.case.variant for case in long_cases if not case.agrees]
        lines += [f"- {agent}: {EXPLAINED_LISTS.get(agent, 'not explained yet')}" for agent in dict.fromkeys(different)]
        lines += [""]
    wired = [one for one in outcomes if not one.point.radio]
    radio = [one for one in outcomes if one.point.radio]
    judged = [one for one in wired if one.point.status is Status.JUDGED]
    reported = [one for one in wired if one.point.status is Status.REPORTED]
    lines += [STORED_INTRODUCTION, f"{sum(one.agrees for one in judged)} of {len(judged)} points agree.", ""]
    lines += [*_counts(judged), "", "### Points that differ", ""]
    lines += [_difference(one) for one in judged if not one.agrees] or ["None."]
    for family, words in FAMILIES.items():
        rows = [one for one in judged if one.point.family == family]
        if rows:
            lines += ["", f"### {words}", "", *_table(rows)]
    if reported:
        near = sum(one.agrees for one in reported)
        lines += ["", REPORTED_INTRODUCTION, f"{near} of {len(reported)} points would agree.", "", *_table(reported)]
    if radio or known:
        lines += section(radio, known)
    if linux is not None:
        lines += ["", *linux_chapter(linux)]
    return fill("\n".join(lines) + "\n")


def _counts(judged: Iterable[StoredOutcome]) -> list[str]:
    """Table of what was done with all rows of the files."""
    agreeing = Counter(one.point.family for one in judged if one.agrees)
    rows: dict[str, Counter[Status]] = {family: Counter() for family in FAMILIES}
    for point in stored_points():
        rows[point.family][point.status] += 1
    lines = [
        "| family | judged | agree | reported only | no counterpart here |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {FAMILIES[family]} | {count[Status.JUDGED]} | {agreeing[family]} | {count[Status.REPORTED]} "
        f"| {count[Status.NO_COUNTERPART]} |"
        for family, count in rows.items()
    ]
    lines += [
        "",
        "No counterpart here: other algorithms of ns-2's Linux agent. With data both ways, each direction is one point.",
    ]
    return lines


def _difference(one: StoredOutcome) -> str:
    point = one.point
    place = f"{FAMILIES[point.family]}: {point.variant}, {point.label}, {point.value}"
    return f"- {place} ({100 * one.goodput.difference:+.1f} %): {one.reason or 'not explained yet'}"


def _table(rows: Iterable[StoredOutcome]) -> list[str]:
    lines = [
        "| agent | what varies | value | ns-2 | Windlass | difference | allowed | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in rows:
        point, goodput = one.point, one.goodput
        verdict = "agrees" if one.agrees else "**differs**"
        if point.status is Status.REPORTED:
            verdict = "" if one.agrees else "apart"
        lines.append(
            f"| {point.variant} | {point.label}, {point.parameter} | {point.value} "
            f"| {goodput.ns2.mean:.4g} ± {goodput.ns2.half_width:.2g} | {goodput.here.mean:.4g} ± "
            f"{goodput.here.half_width:.2g} | {100 * goodput.difference:+.1f} % | {100 * goodput.allowed:.1f} % | {verdict} |"
        )
    return lines


def main() -> int:
    """Run every stored point and every case, and write the page. Returns 1 if something differs without a reason."""
    cases = [run_case(case) for case in read_cases(CASES)] if CASES.exists() else []
    long_cases = [run_case(case) for case in read_long_cases()]
    for case in (*cases, *long_cases):
        if not case.agrees:
            sys.stderr.write(f"differs {case.case.name}\n")
    done = []
    for point in stored_points(Status.JUDGED, Status.REPORTED, families=(*FAMILIES, *RADIO_FAMILIES)):
        outcome = compare(point)
        done.append(outcome)
        sign = "ok     " if outcome.agrees else "differs" if point.status is Status.JUDGED else "apart  "
        words = f"{point.family} {point.variant} {point.label} {point.value}"
        sys.stderr.write(f"{sign} {words}: {100 * outcome.goodput.difference:+.1f} %\n")
    known = [run_check(check) for check in checks()]
    linux = compare_linux(read_linux(stored_linux()))
    PAGE.parent.mkdir(exist_ok=True)
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    # packetdrill's scripts are not here, so what was found with them stays as it is
    text = page(done, cases, long_cases, known, linux) + "\n" + chapter_of(before, PACKETDRILL)
    text = replace_chapter(text, L4S, l4s_chapter())
    write_file(PAGE, text.rstrip() + "\n")
    wrong = [one for one in done if one.point.status is Status.JUDGED and not one.agrees and one.reason is None]
    strange = [one for one in cases if not one.agrees and one.case.name not in EXPLAINED_CASES]
    odd = [one for one in known if not one.agrees and one.check.key not in EXPLAINED_CHECKS]
    return 1 if wrong or strange or odd else 0
