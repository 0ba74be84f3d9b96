"""A reproduction on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass import verdicts
from windlass.amounts import counted
from windlass.reproduce.cautions import unseen_words
from windlass.reproduce.looks import READING_LOOKS
from windlass.reproduce.metrics import headline_metric, shown_variants
from windlass.reproduce.paper import PaperReproduction
from windlass.reproduce.results import Reproduction
from windlass.views.reproduction import CLAIMS, claim_cells, published_beside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

    from windlass.report.language import Language
    from windlass.reproduce.outline import Outline

COLOURS = {
    "reproduced": "green",
    "compatible": "blue",
    "direction only": "cyan",
    "contradicted": "red",
    "undecided": "yellow",
    "impossible": "bold red",
    "not measurable": "dim",
}
"""Colour of each verdict."""


def print_experiment(reproduction: Reproduction, console: Console) -> None:
    """Print the throughput by variant and point, the verdict on each claim, and where the report is."""
    from rich.markup import escape

    from windlass.report.language import Language

    language = Language(reproduction.ledger, reproduction.experiment)
    console.print(f"[bold]{escape(reproduction.experiment.id)}[/bold] {escape(reproduction.experiment.title)}")
    console.print(f"{escape(reproduction.ledger.citation)}", style="dim")
    for caution in reproduction.cautions[:1]:
        console.print(f"caution: {escape(caution)}", style="yellow")
    if not reproduction.experiment.covers:
        console.print(_measured(reproduction, language))
    console.print(_claims(reproduction, language))
    if reproduction.outcomes and not reproduction.data.by_run:
        readings = READING_LOOKS[0] if reproduction.adaptive else reproduction.fewest_seeds
        console.print(escape(unseen_words(reproduction.fewest_seeds, readings)), style="dim")
    for words in _named(reproduction, language):
        console.print(escape(words), style="dim")
    for words in published_beside(reproduction):
        console.print(escape(words))
    console.print(f"report: {reproduction.report}", soft_wrap=True)


def _measured(reproduction: Reproduction, language: Language) -> Table:
    """The headline metric by point and variant."""
    from rich.markup import escape
    from rich.table import Table

    from windlass.report.measured import number_cell, point_heads, point_places

    data = reproduction.data
    metric, unit = headline_metric(data)
    table = Table(title=f"{metric} per flow ({unit}), {reproduction.means_text}")
    for head in point_heads(reproduction.experiment):
        table.add_column(escape(head))
    variants = shown_variants(reproduction.experiment, data)
    for variant in variants:
        table.add_column(language.variant(variant), justify="right")
    for point in data.points:
        found = [number_cell(verdicts.mean(data.get(metric, variant, [point]))) for variant in variants]
        cells = [" ± ".join(text for text in (one["mean"], one["half"]) if text) for one in found]
        table.add_row(*map(escape, point_places(reproduction, point)), *cells)
    return table


def _claims(reproduction: Reproduction, language: Language) -> Table:
    """Each claim with its verdict; readings by their numbers."""
    from rich.markup import escape
    from rich.table import Table

    claims = Table(title="claims")
    for heading in CLAIMS:
        claims.add_column(heading)
    for outcome in reproduction.outcomes:
        claim, verdict, found, depends = claim_cells(reproduction, language, outcome)
        claims.add_row(escape(claim), f"[{COLOURS[verdict]}]{verdict}[/]", escape(found), escape(depends))
    return claims


def _named(reproduction: Reproduction, language: Language) -> list[str]:
    """The readings that the table of claims names, with their titles."""
    named = {one.key for outcome in reproduction.outcomes for one, _ in outcome.changed}
    named |= {one.key for outcome in reproduction.outcomes for one in outcome.unsettled}
    numbers = reproduction.reading_numbers
    return [f"{numbers[run.reading.key]}: {run.reading.title}" for run in reproduction.runs if run.reading.key in named]


def print_paper(paper: PaperReproduction, console: Console) -> None:
    """Print the verdicts of each experiment, and where the report is."""
    from rich.markup import escape
    from rich.table import Table

    console.print(f"[bold]{escape(paper.ledger.id)}[/bold] {escape(paper.ledger.title)}")
    table = Table()
    for heading in ("experiment", "what", "verdicts"):
        table.add_column(heading)
    for part in paper.parts:
        words = ", ".join(f"[{COLOURS[name]}]{count} {name}[/]" for name, count in part.counts.items())
        table.add_row(part.experiment.name, escape(part.experiment.title), words or "no claim")
    console.print(table)
    for entry, why in paper.missing:
        console.print(f"not run: {escape(entry.name)}: {escape(why)}", style="dim")
    console.print(f"report: {paper.report}", soft_wrap=True)


def print_outline(outline: Outline, console: Console) -> None:
    """Print a row for each experiment that would be run, and the sums."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="runs and CPU minutes: at the least, expected, at the most")
    table.add_column("experiment")
    for heading in ("points", "readings", "settings", "runs", "CPU minutes", "CPU s per run"):
        table.add_column(heading, justify="right")
    for row in outline.rows:
        cost = "unknown" if row.run_s is None else f"{row.run_s:.3f} {row.source}"
        table.add_row(
            row.experiment.id,
            str(row.points),
            str(len(row.readings)),
            f"{row.settings[0]} + {row.settings[1]}",
            _three(row.runs),
            "unknown" if row.run_s is None else _three([seconds / 60 for seconds in row.cpu_s]),
            cost,
        )
    console.print(table)
    for entry, why in outline.missing:
        console.print(f"not run: {escape(entry.id)}: {escape(why)}", style="dim")
    hours = " / ".join(f"{seconds / 3600:.1f}" for seconds in outline.cpu_s)
    console.print(
        f"{counted(len(outline.rows), 'experiment')}, {_three(outline.runs)} runs, {hours} CPU hours; nothing was run"
    )
    if any(row.source == "alike" for row in outline.rows):
        console.print("alike: by what published experiments of the same networks took.")
    if any(row.source == "estimated" for row in outline.rows):
        console.print("estimated: as if the narrowest links were always full; flows that lose packets take less.")
    console.print("settings: variants at points, in the base + in readings. Runs that are stored already cost little.")


def _three(numbers: Sequence[float]) -> str:
    """``least / expected / most``."""
    return " / ".join(f"{number:.0f}" if number >= 10 or number == 0 else f"{number:.2g}" for number in numbers)
