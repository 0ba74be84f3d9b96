"""An experiment that was run again, each claim with its verdict."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass import verdicts
from windlass.ledger import Claim, Experiment, Ledger, Reading
from windlass.reproduce.engine import engine_version
from windlass.reproduce.metrics import summary_rows
from windlass.verdicts import Data, Judgement

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class ReadingRun:
    """A reading that was run, or why it was not."""

    reading: Reading
    data: Data | None
    missing: str = ""


@dataclass(frozen=True)
class Outcome:
    """A claim with its verdict in the base setting and in every reading that can change it."""

    claim: Claim
    judgement: Judgement
    readings: tuple[tuple[Reading, Judgement, bool], ...]
    missing: tuple[tuple[Reading, str], ...] = ()

    @property
    def changed(self) -> list[tuple[Reading, Judgement]]:
        """Readings in which the verdict is another one, both being decided."""
        return [(reading, judgement) for reading, judgement, differs in self.readings if differs]

    @property
    def unsettled(self) -> list[Reading]:
        """Readings of which it is not known whether they change the verdict: one of the two is open."""
        base = self.judgement.verdict
        return [
            reading
            for reading, judgement, _ in self.readings
            if judgement.verdict != base and verdicts.OPEN & {judgement.verdict, base}
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        claim = self.claim
        return {
            "id": claim.id,
            "text": claim.text,
            "source": claim.source,
            "check": {
                "kind": claim.check.kind,
                "why": claim.check.why,
                "whose": claim.check.whose,
                "where": claim.check.where,
                **claim.check.fields,
            },
            "conflict": list(claim.conflict),
            **self.judgement.to_dict(),
            "depends_on_reading": [reading.key for reading, _ in self.changed],
            "open_in_reading": [reading.key for reading in self.unsettled],
            "readings": [
                {"key": reading.key, "title": reading.title, "changes_verdict": differs, **judgement.to_dict()}
                for reading, judgement, differs in self.readings
            ],
            "readings_not_run": [{"key": reading.key, "why": why} for reading, why in self.missing],
        }


@dataclass(frozen=True, repr=False)
class Reproduction:
    """An experiment that was run again.

    Attributes
    ----------
    ledger, experiment
        What was reproduced.
    settings : dict
        What each variant's scenario lays over the network's in the base setting: dotted keys and values.
    base : list of (str, str)
        The base setting in words, by open parameter.
    duration_s : float
        Simulated time.
    seeds : list of int
        Seeds of the base runs, where it has most.
    fewest_seeds : int
        How many of them each base setting has at least.
    adaptive : bool
        Whether seeds were added as they were needed.
    confidence : float
        Of the intervals that verdicts rest on.
    cpu_s : float
        CPU time of the runs that were made or read, seconds.
    quick : bool
        Fewer points and seeds.
    data : Data
        Measurements in the base setting.
    algorithms : dict
        The registry's name of the algorithm that each variant ran as.
    runs : list of ReadingRun
        Readings.
    outcomes : list of Outcome
        Verdicts, in the order of the claims.
    limits : callable
        Most that can be carried of a variant at a point.
    network : dict
        What the engine says of the network at the first point: payload of a segment, empty round trip and more.
    judged : list of dict
        Calls of the senders against the true causes, by variant and point.
    cautions : list of str
        What to know before trusting the numbers.
    folder : Path
        Where report and data are.
    took_s : float
        Wall time of the runs, s; 0 if it was not measured.
    reading : str
        The one reading that was asked for; empty if all of the ledger were.
    others : dict
        Base measurements of other experiments that claims compare with, by id.
    """

    ledger: Ledger
    experiment: Experiment
    settings: dict[str, dict[str, Any]]
    base: list[tuple[str, str]]
    duration_s: float
    seeds: list[int]
    fewest_seeds: int
    adaptive: bool
    confidence: float
    cpu_s: float
    quick: bool
    data: Data
    algorithms: dict[str, str]
    runs: list[ReadingRun]
    outcomes: list[Outcome]
    limits: verdicts.Limits
    network: dict[str, Any] | None
    judged: list[dict[str, Any]]
    cautions: list[str]
    folder: Path
    registry: list[dict[str, Any]] = field(default_factory=list)
    scenarios: dict[str, dict[str, Any]] = field(default_factory=dict)
    made: int = 0
    total: int = 0
    took_s: float = 0.0
    reading: str = ""
    others: dict[str, Data] = field(default_factory=dict)

    def without_lines(self) -> Reproduction:
        """The same without what was recorded over time, which takes more room than all else, and without the data of
        other experiments.
        """
        runs = [run if run.data is None else replace(run, data=replace(run.data, series={})) for run in self.runs]
        return replace(self, data=replace(self.data, series={}), runs=runs, others={})

    @property
    def report(self) -> Path:
        """The page to read."""
        return self.folder / "report.html"

    @property
    def counts(self) -> dict[str, int]:
        """How many claims got each verdict."""
        found = [outcome.judgement.verdict for outcome in self.outcomes]
        return {verdict: found.count(verdict) for verdict in verdicts.VERDICTS if verdict in found}

    @property
    def run_s(self) -> float | None:
        """CPU time of a run, seconds; none if most runs were there already: to read one takes a fraction of that."""
        return self.cpu_s / self.made if 2 * self.made >= self.total > 0 else None

    @property
    def reading_numbers(self) -> dict[str, str]:
        """A short name for each reading, by its key: R1, R2 and so on."""
        return {run.reading.key: f"R{at}" for at, run in enumerate(self.runs, 1)}

    @property
    def command(self) -> str:
        """The command that makes the same again."""
        quick = " --quick" if self.quick else ""
        seeds = "" if self.adaptive or self.data.by_run else f" --seeds {len(self.seeds)}"
        reading = f" --reading {self.reading}" if self.reading else ""
        return f"windlass reproduce {self.experiment.id}{reading}{quick}{seeds}"

    @property
    def seeds_text(self) -> str:
        """``10 seeds`` or ``10 to 50 seeds``: those of the base."""
        most = len(self.seeds)
        return f"{most} seeds" if self.fewest_seeds == most else f"{self.fewest_seeds} to {most} seeds"

    @property
    def means_text(self) -> str:
        """What a value of a table or a curve is."""
        if self.data.by_run:
            return "one run at each point, with the seed of the point"
        return f"mean and 95 % interval over {self.seeds_text}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as ``claims.json`` holds it: the same whenever, wherever and however fast it was made."""
        return {
            "experiment": self.experiment.id,
            "title": self.experiment.title,
            "paper": self.ledger.citation,
            "command": self.command,
            "quick": self.quick,
            "seeds": self.seeds,
            "fewest_seeds": self.fewest_seeds,
            "adaptive": self.adaptive,
            "confidence": self.confidence,
            "duration_s": self.duration_s,
            "engine_version": engine_version(),
            "verdicts": self.counts,
            "cautions": self.cautions,
            "summary": summary_rows("base", self.experiment, self.data),
            "claims": [outcome.to_dict() for outcome in self.outcomes],
            "readings": [
                {"key": run.reading.key, "title": run.reading.title, "open": run.reading.open, "not_run": run.missing}
                for run in self.runs
            ],
            "judged": self.judged,
        }

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items()) or "no claim"
        return f"<Reproduction {self.experiment.id}: {counts}>"

    def _repr_html_(self) -> str:
        from windlass.views import html
        from windlass.views.reproduction import of_reproduction

        return html(of_reproduction(self))

    def render(self, console: Console) -> None:
        """Print the throughput by variant and point, the verdict on each claim, and where the report is."""
        from windlass.reproduce import screen

        screen.print_experiment(self, console)
