"""What is run for an experiment: the base, its readings, and the experiments that claims compare with."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass import experiments, verdicts
from windlass.errors import InputError
from windlass.experiments import Case, NotYet, Reading, Setting
from windlass.ledger import Claim, Experiment, Ledger
from windlass.reproduce.metrics import Values, metrics
from windlass.verdicts import Data

if TYPE_CHECKING:
    from windlass.store import Store
    from windlass.sweep import RunResult

LEAST_SEEDS = 10
"""Seeds of a full run, at the least."""

QUICK_SEEDS = 3
QUICK_POINTS = 7
"""A quick run is meant to end within a minute on two cores. Its runs are as long as a full one's, which so finds them stored."""

JUDGED_POINTS = 3
"""Points at which the senders' calls are held against the true cause of each loss, with one seed."""

Progress = Callable[[int, int], None]


def setting_of(book: Ledger, experiment: Experiment, seeds: int | None, quick: bool) -> Setting:
    """The experiment's defaults with the seeds asked for; too few for a full run are refused."""
    setting = experiments.base_setting(book, experiment)
    if quick:
        return replace(setting, seeds=QUICK_SEEDS if seeds is None else seeds)
    if seeds is not None and seeds < LEAST_SEEDS:
        raise InputError(
            f"{seeds} seeds are too few for a full run, which has at least {LEAST_SEEDS}",
            code="reproduce.seeds",
            hint=f"add `--quick` for a first impression with {seeds} seeds",
        )
    return replace(setting, seeds=max(setting.seeds, LEAST_SEEDS) if seeds is None else seeds)


@dataclass(frozen=True)
class Job:
    """A case in a reading, with the seeds that it is run for."""

    reading: str
    case: Case
    seeds: tuple[int, ...]
    kind: str = "measure"


class Plan:
    """Everything that is run for one experiment: the base, the readings, other experiments that claims compare with."""

    def __init__(
        self,
        book: Ledger,
        experiment: Experiment,
        setting: Setting,
        claims: Sequence[Claim],
        quick: bool,
        registry: Sequence[dict[str, Any]],
    ) -> None:
        self.book = book
        self.experiment = experiment
        self.setting = setting
        self.claims = claims
        self.quick = quick
        self.registry = list(registry)
        self.known = {name: row for row in registry for name in (row["name"], *row.get("aliases", []))}
        self.readings = experiments.readings(book, experiment)
        self.missing: dict[str, str] = {}
        self.jobs: list[Job] = []
        self.tasks: list[tuple[Any, int]] = []
        self._spans: list[tuple[int, int]] = []
        self.points = (
            experiments.thinned(experiment, claims, QUICK_POINTS) if quick else experiments.points_of(experiment)
        )
        self.wanted = {experiment.id: set(experiment.variants), **experiments.partners(book, claims, experiment)}
        self._plan()

    def _plan(self) -> None:
        seeds = tuple(range(1, self.setting.seeds + 1))
        for name, variants in self.wanted.items():
            entry = self.book.experiments[name]
            points = self.points if entry is self.experiment else self._points_like(entry, self.points)
            self._need(entry, variants, self._setting_of(entry))
            for case in experiments.cases(self.book, entry, self._setting_of(entry), points, variants):
                self._add(Job("base", case, seeds))
        for reading in self.readings:
            try:
                self._add_reading(reading, seeds)
            except InputError as error:
                self.missing[reading.key] = error.message
        self._add_judged()

    def _setting_of(self, entry: Experiment) -> Setting:
        """Defaults for another experiment, with this one's length and seeds."""
        if entry is self.experiment:
            return self.setting
        own = experiments.base_setting(self.book, entry)
        return replace(own, duration_s=self.setting.duration_s, seeds=self.setting.seeds)

    def _points_like(self, entry: Experiment, points: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
        """The same points on the same axes; all points of an axis that this experiment does not have."""
        mine = {axis.key: values for axis, values in zip(self.experiment.axes, points, strict=True)}
        return [
            tuple(value for value in axis.points if value in mine.get(axis.key, axis.points)) for axis in entry.axes
        ]

    def _need(self, entry: Experiment, variants: Iterable[str], setting: Setting) -> None:
        for variant in variants:
            given = experiments.algorithm(variant, setting)
            name = given if isinstance(given, str) else given["name"]
            if name not in self.known:
                raise NotYet(
                    f"`{entry.id}` needs the algorithm `{name}`, which this version does not have",
                    hint="`windlass list algorithms` shows those that it has",
                )

    def _add_reading(self, reading: Reading, seeds: tuple[int, ...]) -> None:
        for name, parameter in reading.needs:
            if name not in self.known:
                raise NotYet(f"this version has no algorithm `{name}`")
            if parameter and parameter not in {row["name"] for row in self.known[name]["parameters"]}:
                raise NotYet(f"`{name}` has no parameter `{parameter}` in this version")
        jobs = []
        for name, variants in self.wanted.items():
            entry = self.book.experiments[name]
            setting = reading.apply(self._setting_of(entry))
            touched = {variant for variant in variants if reading.concerns([variant])}
            points = self.points if entry is self.experiment else self._points_like(entry, self.points)
            self._need(entry, touched, setting)
            jobs += [
                Job(reading.key, case, seeds) for case in experiments.cases(self.book, entry, setting, points, touched)
            ]
        prepared = [(job, self._tasks(job)) for job in jobs]
        for job, tasks in prepared:
            self._keep(job, tasks)

    def _add_judged(self) -> None:
        """One seed with every decision recorded, for senders that tell losses apart."""
        variants = experiments.cerl_like(self.experiment)
        axes = self.experiment.axes
        if len(axes) != 1 or not variants:
            return
        values = [value for value in self.points[0] if not (axes[0].key.startswith("q_") and value == 0)]
        if axes[0].key.startswith("q_"):
            values = [value for value in values if value <= 10] or values
        step = max(1, math.ceil(len(values) / JUDGED_POINTS))
        chosen = [tuple(values[::step])]
        settings = [self.setting] + [
            reading.apply(self.setting)
            for reading in self.readings
            if reading.key == "inverted" and reading.key not in self.missing
        ]
        for setting in settings:
            touched = variants if setting is self.setting else [name for name in variants if name in setting.algorithms]
            for case in experiments.cases(self.book, self.experiment, setting, chosen, touched):
                document = {**case.scenario, "output": {"events": True}}
                self._add(Job("judged", replace(case, scenario=document), (1,), "events"))

    def _add(self, job: Job) -> None:
        self._keep(job, self._tasks(job))

    def _keep(self, job: Job, tasks: list[tuple[Any, int]]) -> None:
        self.jobs.append(job)
        self._spans.append((len(self.tasks), len(self.tasks) + len(tasks)))
        self.tasks += tasks

    def _tasks(self, job: Job) -> list[tuple[Any, int]]:
        from windlass.scenario import Scenario

        points = Scenario.from_dict(job.case.scenario, filename=f"{job.case.experiment} ({job.case.variant})").points()
        if len(points) != len(job.case.points):
            raise InputError(f"`{job.case.experiment}`: {len(points)} points where {len(job.case.points)} were meant")
        return [(point, seed) for point in points for seed in job.seeds]

    def run(self, *, jobs: int | None, store: Store | str | Path | bool, progress: Progress | None) -> list[RunResult]:
        """Results in the order of the tasks."""
        from windlass.sweep import execute, open_store

        return execute(self.tasks, jobs=jobs, store=open_store(store), progress=progress)

    def spans(self) -> Iterable[tuple[Job, int, int]]:
        """Each job with its part of the results."""
        for job, (first, last) in zip(self.jobs, self._spans, strict=True):
            yield job, first, last

    def rows(
        self, results: Sequence[RunResult], kind: str = "measure"
    ) -> Iterable[tuple[Job, tuple[Any, ...], RunResult]]:
        """Each result with the job and the point that it belongs to."""
        for job, first, last in self.spans():
            if job.kind == kind:
                for index, result in enumerate(results[first:last]):
                    yield job, job.case.points[index // len(job.seeds)], result

    def measure(self, results: Sequence[RunResult]) -> dict[tuple[str, str], Values]:
        """What the runs gave, by reading and experiment."""
        found: dict[tuple[str, str], Values] = {}
        for job, point, result in self.rows(results):
            values = found.setdefault((job.reading, job.case.experiment), {})
            for variant, groups in job.case.members.items():
                for metric, value in metrics(result.flows, groups).items():
                    values.setdefault((metric, variant, point), {})[result.seed] = value
        return found

    def data(self, measured: Mapping[tuple[str, str], Values], reading: str, name: str) -> Data:
        """Measurements of an experiment in a reading; variants that it does not touch are those of the base."""
        entry = self.book.experiments[name]
        own = measured.get((reading, name), {})
        kept = {point for _, _, point in own} or {point for _, _, point in measured[("base", name)]}
        base = {key: samples for key, samples in measured[("base", name)].items() if key[2] in kept}
        order = tuple(point for point in itertools.product(*experiments.points_of(entry)) if point in kept)
        return Data(name, tuple(axis.key for axis in entry.axes), order, entry.fixed, {**base, **own})

    def others(self, measured: Mapping[tuple[str, str], Values], reading: str) -> verdicts.Others:
        """Measurements of the experiments that claims compare with."""
        return lambda name: self.data(measured, reading, name) if name in self.wanted else None

    def algorithm_names(self) -> dict[str, str]:
        """What each variant ran as in the base setting, by its name in the registry."""
        names: dict[str, str] = {}
        for variant in self.experiment.variants:
            given = experiments.algorithm(variant, self.setting)
            name = given if isinstance(given, str) else given["name"]
            names[variant] = self.known[name]["name"]
        return names

    def documents(self) -> dict[str, dict[str, Any]]:
        """Scenario of each variant in the base setting."""
        return {
            job.case.variant or "mix": job.case.scenario
            for job in self.jobs
            if job.reading == "base" and job.case.experiment == self.experiment.id
        }
