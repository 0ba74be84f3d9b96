"""The same scenario here and in real ns-2, run as a process.

Both simulators get the flows' start times of the same seed. Losses differ, so means over seeds are compared, by the
rule of :class:`windlass.validation.rule.Comparison`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError, WindlassError
from windlass.files import write_file
from windlass.output import file_name
from windlass.validation.processes import RUN_LIMIT_S, NsRun, Progress, find_ns, run_scripts
from windlass.validation.rule import Comparison
from windlass.validation.tcl import check, flow_starts, quantity, script

if TYPE_CHECKING:
    from windlass.scenario import Scenario
    from windlass.sweep import RunResult


@dataclass(frozen=True)
class PointOutcome:
    """One point in both simulators.

    Attributes
    ----------
    name : str
        Scenario.
    axes : dict
        Swept keys with their values.
    goodput : Comparison
        Sum of the flows' goodput after the warm-up, Mbit/s; the number that is judged.
    retransmitted, timeouts : Comparison
        Sums over the flows, for information.
    failures : list of str
        Runs of ns-2 that gave no result.
    """

    name: str
    axes: dict[str, Any]
    goodput: Comparison
    retransmitted: Comparison
    timeouts: Comparison
    failures: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        """Whether the goodputs are close enough; never without a result from ns-2."""
        return self.goodput.agrees

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "scenario": self.name,
            "axes": self.axes,
            "agrees": self.agrees,
            "goodput_mbps": self.goodput.to_dict(),
            "retransmitted_segments": self.retransmitted.to_dict(),
            "timeouts": self.timeouts.to_dict(),
            "failures": self.failures,
        }


@dataclass(frozen=True)
class Outcome:
    """All points, and the scripts that ns-2 ran."""

    points: list[PointOutcome]
    scripts: dict[str, str]

    @property
    def agreeing(self) -> int:
        """How many points agree."""
        return sum(point.agrees for point in self.points)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "points": [point.to_dict() for point in self.points],
            "agreeing": self.agreeing,
            "total": len(self.points),
        }


def compare(
    scenarios: Sequence[Scenario],
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    store: bool | Path = True,
    limit_s: float = RUN_LIMIT_S,
    progress: Progress | None = None,
) -> Outcome:
    """Run every point of some scenarios here and in ns-2.

    Parameters
    ----------
    scenarios : sequence of Scenario
        In the profile ``ns2``.
    seeds : int, optional
        Number of seeds, at least two; the scenario's if not given.
    jobs : int, optional
        Runs side by side; all cores if not given.
    store : bool or path
        Where finished runs of ours are kept; runs of ns-2 are not.
    limit_s : float
        Longest time for one run of ns-2.
    progress : callable, optional
        Called with how many runs of ns-2 are finished and how many there are.

    Returns
    -------
    Outcome
        In the order of the scenarios and their points.

    Raises
    ------
    InputError
        If ns-2 is not installed, cannot express a description, or there is one seed only.
    WindlassError
        If no run of ns-2 gave a result.
    Interrupted
        After Ctrl-C.
    """
    find_ns()
    width = jobs if jobs is not None else os.cpu_count() or 1
    for scenario in scenarios:
        for point in scenario.points():
            check(point.effective())
    tasks: list[tuple[str, str]] = []
    plans: list[tuple[str, dict[str, Any], dict[str, Any], list[RunResult], list[int]]] = []
    for scenario in scenarios:
        count = len(scenario.seeds) if seeds is None else seeds
        if count < 2:
            raise InputError(
                "one seed gives no interval", code="validate.seeds", hint="ask for two or more, `--seeds 10`"
            )
        ours = scenario.sweep(seeds=seeds, jobs=jobs, store=store)
        points = scenario.points()
        for index, point in enumerate(points):
            runs = ours.runs[index * count : (index + 1) * count]
            description = point.effective()
            places = []
            for run in runs:
                text = script(description, flow_starts(run.flows.to_pylist()), run.seed)
                places.append(len(tasks))
                tasks.append((f"{file_name(scenario.name)}-{index + 1}-seed{run.seed}.tcl", text))
            plans.append((scenario.name, dict(point.axes), description, runs, places))
    theirs = run_scripts([text for _, text in tasks], jobs=width, limit_s=limit_s, progress=progress)
    if tasks and all(one.failure for one in theirs):
        raise WindlassError(
            f"no run of ns-2 gave a result: {theirs[0].failure}",
            code="validate.ns2-failed",
            hint="is the program `ns` really ns-2 2.35?",
        )
    done = [
        _point(name, axes, description, runs, [theirs[place] for place in places])
        for name, axes, description, runs, places in plans
    ]
    return Outcome(done, dict(tasks))


def _point(
    name: str,
    axes: dict[str, Any],
    description: Mapping[str, Any],
    runs: Sequence[RunResult],
    theirs: Sequence[NsRun],
) -> PointOutcome:
    from windlass.stats import mean_interval

    duration_s = quantity(description["scenario"]["duration"]) - quantity(description["scenario"]["warmup"])
    segment_bytes = {
        group["name"]: quantity(group["traffic"]["packet"] if group["transport"] == "udp" else group["segment"])
        for group in description["flows"]
    }

    goodput_here, again_here, timeouts_here = [], [], []
    goodput_ns2, again_ns2, timeouts_ns2 = [], [], []
    failures = []
    for run, other in zip(runs, theirs, strict=True):
        rows = run.flows.to_pylist()
        goodput_here.append(sum(row["goodput_run_bps"] or 0.0 for row in rows) / 1e6)
        again_here.append(sum(row["retransmitted_segments"] for row in rows))
        timeouts_here.append(sum(row["timeouts"] for row in rows))
        if other.failure is not None:
            failures.append(f"seed {run.seed}: {other.failure}")
            continue
        sizes = [segment_bytes[row["group"]] for row in rows]
        bits = sum(one["delivered"] * size * 8.0 for one, size in zip(other.flows, sizes, strict=True))
        goodput_ns2.append(bits / duration_s / 1e6)
        again_ns2.append(sum(one["retransmitted"] for one in other.flows))
        timeouts_ns2.append(sum(one["timeouts"] for one in other.flows))
    return PointOutcome(
        name,
        axes,
        Comparison(mean_interval(goodput_ns2), mean_interval(goodput_here)),
        Comparison(mean_interval(again_ns2), mean_interval(again_here)),
        Comparison(mean_interval(timeouts_ns2), mean_interval(timeouts_here)),
        failures,
    )


def write(data: Mapping[str, Any], scripts: Mapping[str, str], folder: Path) -> None:
    """Write the comparison and the scripts that ns-2 ran into a folder.

    Raises
    ------
    StoreError
        If a file cannot be written.
    """
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    write_file(folder / "comparison.json", text + "\n")
    for name, script_text in scripts.items():
        write_file(folder / "scripts" / name, script_text)
