"""What a reproduction would run, and how long that takes, without running anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.ledger import Experiment
from windlass.reproduce.costs import cost
from windlass.reproduce.plan import Place, Plan
from windlass.reproduce.published import published
from windlass.reproduce.sequential import start

if TYPE_CHECKING:
    from rich.console import Console

BASE_SEEDS, READING_SEEDS = 12, 9
"""Seeds that a setting of the base takes on average, and one of a reading of those that are looked at first, all that a
reading then takes at further points included.

Measured over experiments of a thesis; docs/guide/reproducing-a-paper.md has the numbers and the commands. An experiment
that was published is expected to take as many more or fewer as it took then.
"""


@dataclass(frozen=True)
class Row:
    """What would be run of an experiment.

    Attributes
    ----------
    experiment : Experiment
        From the ledger.
    points : int
        Points of the sweep.
    readings : tuple of str
        Readings that would be run.
    settings : (int, int)
        Variants at points, in the base (partners that claims compare with included) and in readings.
    runs : (int, int, int)
        At the least, expected, at the most. What is alike in two readings, or in an earlier experiment of the outline,
        counts once. What is stored already counts, too.
    run_s : float, optional
        CPU time of a run, seconds; none if nothing is known of it.
    source : str
        ``measured`` when this engine ran the experiment into this folder, ``published`` when that is the cost in the
        run of all papers that was published last, ``alike`` by what published experiments of the same networks took, or
        ``estimated`` as if the narrowest links were always full.
    """

    experiment: Experiment
    points: int
    readings: tuple[str, ...]
    settings: tuple[int, int]
    runs: tuple[int, int, int]
    run_s: float | None
    source: str

    @property
    def cpu_s(self) -> tuple[float, float, float]:
        """CPU time at the least, expected, at the most, seconds."""
        least, expected, most = (count * (self.run_s or 0.0) for count in self.runs)
        return least, expected, most

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "experiment": self.experiment.id,
            "points": self.points,
            "readings": list(self.readings),
            "settings_base": self.settings[0],
            "settings_readings": self.settings[1],
            **dict(zip(("runs_least", "runs_expected", "runs_most"), self.runs, strict=True)),
            "cpu_per_run_s": self.run_s,
            "cpu_per_run_is": self.source,
            **dict(zip(("cpu_least_s", "cpu_expected_s", "cpu_most_s"), self.cpu_s, strict=True)),
        }


@dataclass(frozen=True)
class Outline:
    """What would be run, by experiment, and what would not and why."""

    rows: list[Row]
    missing: list[tuple[Experiment, str]]

    @property
    def counts(self) -> dict[str, int]:
        """How many claims got each verdict: none, since nothing is run."""
        return {}

    @property
    def runs(self) -> tuple[int, int, int]:
        """Runs of all experiments at the least, expected, at the most."""
        least, expected, most = (sum(row.runs[at] for row in self.rows) for at in range(3))
        return least, expected, most

    @property
    def cpu_s(self) -> tuple[float, float, float]:
        """CPU time of all experiments at the least, expected, at the most, seconds."""
        least, expected, most = (sum(row.cpu_s[at] for row in self.rows) for at in range(3))
        return least, expected, most

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "experiments": [row.to_dict() for row in self.rows],
            "not_run": [{"experiment": entry.id, "why": why} for entry, why in self.missing],
            **dict(zip(("runs_least", "runs_expected", "runs_most"), self.runs, strict=True)),
            **dict(zip(("cpu_least_s", "cpu_expected_s", "cpu_most_s"), self.cpu_s, strict=True)),
        }

    def render(self, console: Console) -> None:
        """Print a row for each experiment, and the sums."""
        from windlass.reproduce import screen

        screen.print_outline(self, console)


def row_of(plan: Plan, folder: Path, seen: set[str] | None = None) -> Row:
    """What would be run of a plan whose reproduction is or was written into that folder.

    ``seen`` has the keys of what is run before it, and takes those of what is run here.
    """
    every = start(plan)
    counts = _new(plan, every, set() if seen is None else seen)
    looks = plan.looks
    base, readings = _settings(plan, counts)
    recorded = sum(count for place, count in counts.items() if not _measured(plan, place))
    least = sum(counts.values())
    most = base * looks.base[-1] + readings * looks.readings[-1] + recorded
    expected = _expected(plan, base, readings) * _scale(plan, every) + recorded
    run_s, source = cost(plan, counts or every, folder)
    keys = dict.fromkeys(plan.jobs[number].reading for number, _ in every if plan.jobs[number].reading != "base")
    return Row(
        plan.experiment,
        len({cell[2] for at, cell in plan.places if at == "base" and cell[0] == plan.experiment.id}),
        tuple(keys),
        _settings(plan, every),
        (least, max(least, min(most, round(expected))), most),
        run_s,
        source,
    )


def _expected(plan: Plan, base: int, readings: int) -> int:
    """Runs that so many settings take on average."""
    looks = plan.looks
    each = (BASE_SEEDS, READING_SEEDS) if looks.adaptive else (looks.base[0], looks.readings[0])
    return base * max(each[0], looks.base[0]) + readings * each[1]


def _scale(plan: Plan, every: Mapping[Place, int]) -> float:
    """By how much the runs that this experiment took when it was published differ from that average."""
    last = published().get(plan.experiment.id)
    usual = _expected(plan, *_settings(plan, every))
    if last is None or last.quick or not plan.looks.adaptive or not usual:
        return 1.0
    recorded = sum(count for place, count in every.items() if not _measured(plan, place))
    return max(0.0, last.runs - recorded) / usual


def _new(plan: Plan, counts: Mapping[Place, int], seen: set[str]) -> dict[Place, int]:
    """The places that run what no other place does, told by the key of their first run."""
    found = {}
    for place, count in sorted(counts.items()):
        (first,) = plan.seeds_of(place, 1)
        key = plan.jobs[place[0]].points[place[1]].key(first)
        if key not in seen:
            seen.add(key)
            found[place] = count
    return found


def _settings(plan: Plan, counts: Iterable[Place]) -> tuple[int, int]:
    """Places in the base, and in readings."""
    of = [plan.jobs[place[0]].reading for place in counts if _measured(plan, place)]
    return of.count("base"), len(of) - of.count("base")


def _measured(plan: Plan, place: Place) -> bool:
    return plan.jobs[place[0]].kind == "measure"
