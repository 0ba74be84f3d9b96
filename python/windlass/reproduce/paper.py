"""Papers of which every experiment was run again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass import verdicts
from windlass.amounts import counted
from windlass.ledger import Experiment, Ledger
from windlass.reproduce.results import Reproduction

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, repr=False)
class PaperReproduction:
    """All experiments of a paper that could be run.

    Attributes
    ----------
    ledger : Ledger
        The paper.
    parts : list of Reproduction
        Each with its own report, in the paper's order; without what was recorded over time.
    missing : list of (Experiment, str)
        What was not run, and why.
    quick : bool
        Fewer points and seeds.
    folder : Path
        Where the overview is, with a folder for each experiment.
    """

    ledger: Ledger
    parts: list[Reproduction]
    missing: list[tuple[Experiment, str]]
    quick: bool
    folder: Path

    @property
    def report(self) -> Path:
        """The page to read first."""
        return self.folder / "report.html"

    @property
    def counts(self) -> dict[str, int]:
        """How many claims got each verdict."""
        total = {verdict: sum(part.counts.get(verdict, 0) for part in self.parts) for verdict in verdicts.VERDICTS}
        return {verdict: count for verdict, count in total.items() if count}

    @property
    def command(self) -> str:
        """The command that makes the same again."""
        first = self.parts[0]
        return f"windlass reproduce {self.ledger.id}" + first.command.removeprefix(
            f"windlass reproduce {first.experiment.id}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "paper": self.ledger.id,
            "citation": self.ledger.citation,
            "command": self.command,
            "verdicts": self.counts,
            "experiments": [part.to_dict() for part in self.parts],
            "not_run": [{"experiment": entry.id, "why": why} for entry, why in self.missing],
        }

    def __repr__(self) -> str:
        return f"<PaperReproduction {self.ledger.id}: {counted(len(self.parts), 'experiment')}>"

    def _repr_html_(self) -> str:
        from windlass.views import html
        from windlass.views.reproduction import of_paper

        return html(of_paper(self))

    def render(self, console: Console) -> None:
        """Print the verdicts of each experiment, and where the report is."""
        from windlass.reproduce import screen

        screen.print_paper(self, console)


@dataclass(frozen=True, repr=False)
class Papers:
    """All papers, and those of which nothing can be run, with the reason."""

    parts: list[PaperReproduction]
    missing: dict[str, str]

    @property
    def counts(self) -> dict[str, int]:
        """How many claims got each verdict."""
        total = {verdict: sum(part.counts.get(verdict, 0) for part in self.parts) for verdict in verdicts.VERDICTS}
        return {verdict: count for verdict, count in total.items() if count}

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "verdicts": self.counts,
            "papers": [part.to_dict() for part in self.parts],
            "not_run": [{"paper": paper, "why": why} for paper, why in self.missing.items()],
        }

    def __repr__(self) -> str:
        return f"<Papers: {', '.join(part.ledger.id for part in self.parts)}>"

    def _repr_html_(self) -> str:
        from windlass.views import html
        from windlass.views.reproduction import of_papers

        return html(of_papers(self))

    def render(self, console: Console) -> None:
        """Print the verdicts paper by paper."""
        for part in self.parts:
            part.render(console)
        for paper, why in self.missing.items():
            console.print(f"not run: {paper}: {why}", style="dim", markup=False)
