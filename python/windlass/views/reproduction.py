"""What is shown of experiments of papers that were run again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.amounts import counted
from windlass.views.grid import Column, Grid, View

if TYPE_CHECKING:
    from windlass.report.language import Language
    from windlass.reproduce.paper import PaperReproduction, Papers
    from windlass.reproduce.results import Outcome, Reproduction

__all__ = ["claim_cells", "counts_text", "of_paper", "of_papers", "of_reproduction", "published_beside"]

CLAIMS = ("claim", "verdict", "measured", "depends on the reading")
"""Heads of the table of claims."""


def claim_cells(reproduction: Reproduction, language: Language, outcome: Outcome) -> tuple[str, str, str, str]:
    """A claim as the paper has it, its verdict, what was measured, and in which readings the verdict is another."""
    numbers = reproduction.reading_numbers
    depends = ", ".join(f"{numbers[one.key]}: {judgement.verdict}" for one, judgement in outcome.changed) or "no"
    if outcome.unsettled:
        depends += "; open in " + ", ".join(numbers[reading.key] for reading in outcome.unsettled)
    found = language.found(outcome.judgement.measured or outcome.judgement.reason)
    if outcome.judgement.arithmetic:
        found += f". {language.found(outcome.judgement.arithmetic)}"
    return (
        f"{outcome.claim.number}. {outcome.claim.text}",
        outcome.judgement.verdict,
        found,
        depends if outcome.readings else "",
    )


def published_beside(reproduction: Reproduction) -> list[str]:
    """Beside the verdicts of a quick run those of the published full run, and how many runs each took."""
    from windlass.reproduce.published import published

    full = published().get(reproduction.experiment.id)
    if not reproduction.quick or full is None or full.quick or not full.date:
        return []
    rows = (
        ("this quick run", reproduction.total, reproduction.counts),
        (f"the full run published on {full.date}", full.runs, full.verdicts),
    )
    return [f"{who}, {counted(runs, 'run')}: {counts_text(dict(counts))}" for who, runs, counts in rows]


def of_reproduction(reproduction: Reproduction) -> View:
    """The verdict on each claim of an experiment."""
    from windlass.report.language import Language

    language = Language(reproduction.ledger, reproduction.experiment)
    rows = [list(claim_cells(reproduction, language, outcome)) for outcome in reproduction.outcomes]
    grid = Grid([Column(name, right=False) for name in CLAIMS], rows)
    return View(
        f"{reproduction.experiment.id} {reproduction.experiment.title}",
        [reproduction.ledger.citation],
        list(reproduction.cautions),
        [grid, *published_beside(reproduction), f"report: {reproduction.report}"],
    )


def counts_text(counts: dict[str, int]) -> str:
    """``2 reproduced, 1 undecided``."""
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "no claim"


def of_paper(paper: PaperReproduction) -> View:
    """The verdicts of each experiment of a paper."""
    columns = [Column(name, right=False) for name in ("experiment", "what", "verdicts")]
    rows = [[part.experiment.name, part.experiment.title, counts_text(part.counts)] for part in paper.parts]
    missing = [f"not run: {entry.name}: {why}" for entry, why in paper.missing]
    return View(
        f"{paper.ledger.id} {paper.ledger.title}",
        parts=[Grid(columns, list(rows)), *missing, f"report: {paper.report}"],
    )


def of_papers(papers: Papers) -> View:
    """The verdicts of each paper."""
    columns = [Column(name, right=False) for name in ("paper", "verdicts", "report")]
    rows = [[part.ledger.id, counts_text(part.counts), str(part.report)] for part in papers.parts]
    missing = [f"not run: {paper}: {why}" for paper, why in papers.missing.items()]
    return View("papers", parts=[Grid(columns, list(rows)), *missing])
