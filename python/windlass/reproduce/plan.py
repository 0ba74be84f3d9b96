"""What can be run for an experiment: the base, its readings, and the experiments that claims compare with.

Which of it is run, with how many seeds, is up to :mod:`windlass.reproduce.sequential`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from windlass import experiments, verdicts
from windlass.errors import InputError
from windlass.experiments import Case, NotYet
from windlass.ledger import Check, Claim, Experiment, Ledger, Reading
from windlass.ledger.model import plain_name
from windlass.reproduce.decisions import RECORD, decisions_of, variants_of
from windlass.reproduce.looks import SCREENS, Looks
from windlass.reproduce.metrics import METRICS, Values, metrics
from windlass.reproduce.modern import MODERN, asked
from windlass.reproduce.series import (
    ESTIMATE,
    GROWTH,
    Series,
    bin_length,
    estimate_metrics,
    growth_of,
    in_bins,
    lines_of,
    recorded,
    sending_of,
    variants_in_bins,
    window_metrics,
)
from windlass.verdicts import Cell, Data, Limit, merge
from windlass.verdicts.traces import FILLED

if TYPE_CHECKING:
    from windlass.scenario import Point
    from windlass.sweep import RunResult

LEAST_SEEDS = 10
"""Seeds of a full run, at the least."""

QUICK_SEEDS = 3
QUICK_POINTS = 7
"""A quick run is meant to end within a minute on two cores. Its runs are as long as a full one's, which so finds them
stored."""

JUDGED_POINTS = 3
"""Points at which the senders' calls are held against the true cause of each loss, with one seed."""

Progress = Callable[[int, int], None]

Row = TypeVar("Row")
"""What there is of a run: its result, or what is remembered of it."""

Delivered = dict[tuple[str, tuple[Any, ...], int], dict[float, float]]
"""By variant, point and seed: bytes by the length of the run, seconds."""

Place = tuple[int, int]
"""Number of a job, and number of a point in its case."""

Only = Mapping[str, frozenset[tuple[Any, ...]]]
"""Points by experiment, where not all of them are looked at."""


def overrides(book: Ledger, experiment: Experiment, seeds: int | None, quick: bool) -> dict[str, Any]:
    """What is laid over an experiment's scenarios: the seeds asked for. Too few for a full run are refused."""
    if quick:
        return {"scenario.seeds": QUICK_SEEDS if seeds is None else seeds}
    if seeds is not None and seeds < LEAST_SEEDS:
        raise InputError(
            f"{seeds} seeds are too few for a full run, which has at least {LEAST_SEEDS}",
            code="reproduce.seeds",
            hint=f"add `--quick` for a first impression with {seeds} seeds",
        )
    if seeds is not None:
        return {"scenario.seeds": seeds}
    if experiment.covers:
        return {"scenario.seeds": LEAST_SEEDS}
    variant = "" if experiment.together else experiment.variants[0]
    own = experiments.scenario(book, experiment, variant).seeds
    return {} if len(own) >= LEAST_SEEDS else {"scenario.seeds": LEAST_SEEDS}


def runs_along(experiment: Experiment) -> bool:
    """Whether an axis of the experiment is the seed, so that each point is one run."""
    return any("scenario.seeds" in axis.also for axis in experiment.axes)


@dataclass(frozen=True)
class Job:
    """A case in a reading, and its points as they are run.

    Of kind ``measure`` for the numbers, ``events`` and ``decisions`` for what senders did, ``bins`` where only the
    length differs.
    """

    reading: str
    case: Case
    points: tuple[Point, ...]
    kind: str = "measure"


@dataclass(frozen=True, order=True)
class Task:
    """A run: a job's point with a seed."""

    job: int
    point: int
    seed: int


@dataclass(frozen=True)
class Measured:
    """What the runs gave, by reading and experiment: numbers, what was recorded over time, what the senders did, how
    much was delivered by the end of runs of several lengths, and between which times all flows of a variant send.
    """

    values: dict[tuple[str, str], Values] = field(default_factory=dict)
    series: dict[tuple[str, str], Series] = field(default_factory=dict)
    decisions: dict[tuple[str, str], dict[tuple[str, tuple[Any, ...]], list[list[dict[str, float]]]]] = field(
        default_factory=dict
    )
    delivered: dict[tuple[str, str], Delivered] = field(default_factory=dict)
    sending: dict[tuple[str, str, str, tuple[Any, ...], int], tuple[float, float]] = field(default_factory=dict)


RECORDED = ("trace", "invariant")
"""Kinds of check that look at what was recorded over time."""


def _points(case: Case) -> tuple[Point, ...]:
    """The points of a case as they are run."""
    points = case.scenario.points()
    if len(points) != len(case.points):
        raise InputError(f"`{case.experiment}`: {len(points)} points where {len(case.points)} were meant")
    return tuple(points)


class Plan:
    """Everything that is run for one experiment: the base, the readings, other experiments that claims compare with.

    ``over`` is laid over every scenario but its sweep. If it is not ``adaptive``, every cell gets the scenario's seeds.
    ``reading`` is the one to ask, empty for all of the ledger.
    """

    def __init__(
        self,
        book: Ledger,
        experiment: Experiment,
        over: Mapping[str, Any],
        claims: Sequence[Claim],
        quick: bool,
        registry: Sequence[dict[str, Any]],
        adaptive: bool = True,
        reading: str = "",
    ) -> None:
        self.book = book
        self.experiment = experiment
        self.over = dict(over)
        self.claims = claims
        self.quick = quick
        self.reading = reading
        self.took_s = 0.0
        self.registry = list(registry)
        self.known = {name: row for row in registry for name in (row["name"], *row.get("aliases", []))}
        self.missing: dict[str, str] = {}
        self.jobs: list[Job] = []
        self.tasks: list[Task] = []
        self.places: dict[tuple[str, Cell], Place] = {}
        self.cpu_s = 0.0
        self._needs: dict[str, frozenset[Cell]] = {}
        self._screens: dict[str, tuple[Only, ...]] = {}
        self._limits: dict[str, verdicts.Limits] = {}
        self.points = self._values(experiment, claims)
        own = {} if experiment.covers else {experiment.id: set(experiment.variants)}
        self.wanted = {**own, **experiments.partners(book, claims, experiment)}
        for name, variants in self.wanted.items():
            experiments.require(book, book.experiments[name], variants)
        of = self.wanted if experiment.covers else (experiment.id,)
        rows: dict[str, Reading] = {}
        reads: dict[str, list[Experiment]] = {}
        for one in (book.experiments[name] for name in of):
            for row in asked(book, one, reading):
                rows[row.key] = row
                reads.setdefault(row.key, []).append(one)
        order = [*book.readings, MODERN.key]
        self.readings = [experiments.titled(book, reads[key], rows[key]) for key in order if key in rows]
        self._plan()
        seeds = list(self.jobs[0].case.scenario.seeds)
        if self.by_run:
            self.looks = Looks.fixed(1)
        else:
            self.looks = Looks.sequential(len(seeds)) if adaptive else Looks.fixed(len(seeds))
        self._seeds = seeds + list(range(max(seeds) + 1, max(seeds) + 1 + self.looks.all[-1]))

    def _values(self, entry: Experiment, claims: Sequence[Claim]) -> list[tuple[Any, ...]]:
        return experiments.thinned(entry, claims, QUICK_POINTS) if self.quick else experiments.points_of(entry)

    def _plan(self) -> None:
        for name, variants in self.wanted.items():
            for job in self._jobs(name, variants):
                self._keep(job)
        self.duration_s = self.jobs[0].case.scenario.duration_s
        for reading in self.readings:
            try:
                self._add_reading(reading)
            except InputError as error:
                self.missing[reading.key] = error.message
        if not self.experiment.covers:
            self._add_judged()

    def _jobs(self, name: str, variants: Iterable[str], reading: Reading | None = None) -> list[Job]:
        """Runs of an experiment: the whole ones, and shorter ones where a claim looks at bins of time, or where the
        figure has them; in a reading only for the claim.
        """
        key = "base" if reading is None else reading.key
        jobs = [Job(key, case, _points(case)) for case in self._cases(name, variants, reading)]
        checks = self._checks_on(name)
        watched = set(variants) & variants_of(checks)
        if watched:
            cases = self._cases(name, watched, reading, RECORD)
            jobs += [Job(key, case, _points(case), "decisions") for case in cases]
        length = bin_length(checks)
        binned = set(variants) & variants_in_bins(checks)
        if reading is None and name in self.own and self.experiment.bin_s is not None:
            length, binned = length or self.experiment.bin_s, set(variants)
        if length is None or not binned or not jobs:
            return jobs
        whole = jobs[0].case.scenario.duration_s
        for end in range(1, math.ceil(whole / length)):
            over = {"scenario.duration": f"{end * length:g} s"}
            cases = self._cases(name, binned, reading, over)
            jobs += [Job(key, case, _points(case), "bins") for case in cases]
        return jobs

    def _checks_on(self, name: str) -> list[Check]:
        """Checks of the claims that are judged on an experiment: on their own, or on those that they name."""
        own = self.experiment.covers or (self.experiment.id,)
        checks = [check for claim in self.claims for check in (claim.check, *claim.check.also)]
        return [check for check in checks if name in (check.get("of") or own)]

    def _cases(
        self,
        name: str,
        variants: Iterable[str],
        reading: Reading | None = None,
        shorter: Mapping[str, Any] | None = None,
    ) -> list[Case]:
        """Scenarios of this experiment, or of another one at the same points, with this one's length and seeds; of one
        that is summed up as they are.
        """
        entry = self.book.experiments[name]
        over = {**self.over, **(shorter if shorter is not None else recorded(entry))}
        if entry is self.experiment:
            return experiments.cases(self.book, entry, self.points, variants, reading, over)
        if self.experiment.covers:
            points = self._values(entry, self.book.claims_of(name))
            return experiments.cases(self.book, entry, points, variants, reading, over)
        own = self.jobs[0].case.scenario
        over |= {"scenario.duration": f"{own.duration_s:g} s", "scenario.seeds": len(own.seeds)} | dict(shorter or {})
        points = self._points_like(entry, self.points)
        return experiments.cases(self.book, entry, points, variants, reading, over)

    def _points_like(self, entry: Experiment, points: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
        """The same points on the same axes; all points of an axis that this experiment does not have."""
        mine = {axis.key: values for axis, values in zip(self.experiment.axes, points, strict=True)}
        return [
            tuple(value for value in axis.points if value in mine.get(axis.key, axis.points)) for axis in entry.axes
        ]

    def _add_reading(self, reading: Reading) -> None:
        swapped = [new for old, new in reading.swap.items() if old in self.experiment.variants]
        of_swapped = [need for new in swapped for need in experiments.of_variant(self.book.variants[new])]
        missing = experiments.without([*reading.effect.needs, *of_swapped])
        if missing:
            raise NotYet(f"this version lacks {experiments.in_words(missing)}")
        jobs = []
        for name, variants in self.wanted.items():
            touched = {variant for variant in variants if reading.concerns([variant])}
            if reading.asked_of(self.book.experiments[name]):
                jobs += self._jobs(name, touched, reading)
        for job in jobs:
            self._keep(job)

    def _add_judged(self) -> None:
        """One seed with every decision recorded, for senders that tell losses apart."""
        rows = {name: self.known.get(self.book.variants[name].name) for name in self.experiment.variants}
        variants = [name for name, row in rows.items() if row is not None and row["judges_losses"]]
        axes = self.experiment.axes
        if len(axes) != 1 or not variants or self.experiment.together:
            return
        values = list(self.points[0])
        if self.book.loss_axis(self.experiment, axes[0].key):
            values = [value for value in values if value != 0]
            values = [value for value in values if value <= 10] or values
        step = max(1, math.ceil(len(values) / JUDGED_POINTS))
        chosen = [tuple(values[::step])]
        forms = [reading for reading in self.readings if reading.form and reading.key not in self.missing]
        over = {**self.over, "output.events": True}
        for reading in [None, *forms]:
            touched = variants if reading is None else [name for name in variants if name in reading.swap]
            for case in experiments.cases(self.book, self.experiment, chosen, touched, reading, over):
                self._keep(Job("base" if reading is None else reading.key, case, _points(case), "events"))

    def _keep(self, job: Job) -> None:
        number = len(self.jobs)
        self.jobs.append(job)
        if job.kind == "measure":
            for index, point in enumerate(job.case.points):
                for variant in job.case.members:
                    self.places[job.reading, (job.case.experiment, variant, point)] = (number, index)

    def place(self, reading: str, cell: Cell) -> Place | None:
        """Where a cell is run for a reading: in the base if the reading does not touch it."""
        return self.places.get((reading, cell), self.places.get(("base", cell)))

    @property
    def by_run(self) -> bool:
        """Whether the paper draws its seeds along an axis: each point is then one run, with the seed of the point."""
        return runs_along(self.experiment)

    def seeds_of(self, place: Place, count: int) -> list[int]:
        """The first seeds, the same ones everywhere, so that variants are paired; where the paper draws its seeds along
        an axis, that of the point.
        """
        return list(self.jobs[place[0]].case.scenario.seeds) if self.by_run else self._seeds[:count]

    def seeds_used(self, count: int) -> list[int]:
        """Every seed that is run, if the place with most seeds has that many."""
        if self.by_run:
            return sorted({seed for job in self.jobs for seed in job.case.scenario.seeds})
        return self._seeds[:count]

    def first(self, place: Place) -> int:
        """Number of seeds of a place at its first look."""
        return self.looks.of(self.jobs[place[0]].reading)[0]

    @property
    def forms(self) -> frozenset[str]:
        """Readings that are shown beside the base at every point."""
        return frozenset(row.key for row in self.readings if row.form and row.key not in self.missing)

    def asked(self, claim: Claim) -> list[str]:
        """Readings that were run and can change what is said of the claim."""
        return [reading.key for reading in self.concerning(claim) if reading.key not in self.missing]

    def concerning(self, claim: Claim) -> list[Reading]:
        """Readings that can change what is said of the claim, whether they can be run or not."""
        variants = {variant for check in (claim.check, *claim.check.also) for variant in check.variants}
        left_out = claim.check.get("not_in") or ()
        concerned = [row for row in self.readings if row.key not in left_out and row.concerns(variants)]
        return concerned if self.needs(claim) else []

    def judge(
        self,
        measured: Measured,
        claim: Claim,
        reading: str,
        confidence: float | None = None,
        only: Only | None = None,
    ) -> verdicts.Judgement:
        """The verdict on a claim in a reading, with intervals that allow for several looks, or of this confidence; at
        all points that were run, or ``only`` at some.
        """
        sure = self.looks.confidence if confidence is None else confidence
        check, own = claim.check, self.experiment.id
        if check.kind == "invariant" and check.get("of"):  # decisions of another experiment, taken for one's own
            (own,) = check["of"]
            check = replace(check, fields={**check.fields, "of": None})
        return verdicts.judge(
            check,
            replace(self.data(measured, reading, own, only), confidence=sure),
            limits=self.limits(reading),
            others=lambda name: (
                replace(self.data(measured, reading, name, only), confidence=sure) if name in self.wanted else None
            ),
        )

    def screens(self, claim: Claim) -> tuple[Only, ...]:
        """Points at which the claim is looked at in a reading before it is at all of them, the fewest first, each among
        the next; empty if that would leave nothing out, or if the reading is what was asked for.
        """
        if claim.id not in self._screens:
            self._screens[claim.id] = self._screens_of(claim)
        return self._screens[claim.id]

    def _screens_of(self, claim: Claim) -> tuple[Only, ...]:
        checks = [claim.check, *claim.check.also]
        if (
            self.reading
            or not self.looks.adaptive
            or bin_length(checks) is not None
            or any(check.kind in RECORDED or verdicts.by_neighbours(str(check.get("metric"))) for check in checks)
        ):
            return ()
        points: dict[str, set[tuple[Any, ...]]] = {}
        for name, _, point in self.needs(claim):
            points.setdefault(name, set()).add(point)
        entries = self.book.experiments
        found: list[Only] = []
        for count in SCREENS:
            only = {name: experiments.spread(entries[name], claim, at, count) for name, at in points.items()}
            if any(len(only[name]) < len(at) for name, at in points.items()) and only not in found:
                found.append(only)
        return tuple(found)

    def needs(self, claim: Claim) -> frozenset[Cell]:
        """Cells that the claim is judged by; none if it is not judged by runs."""
        if claim.id not in self._needs:
            self._needs[claim.id] = self._asked_for(claim)
        return self._needs[claim.id]

    def _asked_for(self, claim: Claim) -> frozenset[Cell]:
        asked: set[Cell] = set()
        dry = self._dry()

        def of(name: str) -> Data | None:
            return replace(self.data(dry, "base", name), asked=asked) if name in self.wanted else None

        name = self.experiment.id
        if self.experiment.covers:
            own: Data = merge(name, [part for one in self.wanted if (part := of(one)) is not None])
        else:
            own = replace(self.data(dry, "base", name), asked=asked)
        verdicts.judge(claim.check, own, others=of)
        checks = (claim.check, *claim.check.also)
        if any(check.kind in RECORDED for check in checks):  # judged by what was recorded, not by numbers
            names = {variant for check in checks for variant in check.variants}
            asked |= {cell for at, cell in self.places if at == "base" and cell[1] in names}
        return frozenset(asked)

    def _dry(self) -> Measured:
        """Measurements that are all alike, to learn what a check asks for."""
        found = Measured()
        for reading, (name, variant, point) in self.places:
            if reading == "base":
                values = found.values.setdefault((reading, name), {})
                values |= {(metric, variant, point): {1: 1.0, 2: 1.0} for metric in METRICS}
        return found

    @property
    def own(self) -> frozenset[str]:
        """The experiments whose points the figures show: itself, none for a summary."""
        return frozenset() if self.experiment.covers else frozenset([self.experiment.id])

    def rows(self, of_runs: Mapping[Task, Row], kind: str = "measure") -> Iterator[tuple[Job, tuple[Any, ...], Row]]:
        """What each run of a kind has there, with its job and its point, in the order of the runs."""
        for task in self.tasks:
            job = self.jobs[task.job]
            if job.kind == kind and task in of_runs:
                yield job, job.case.points[task.point], of_runs[task]

    def _rows(
        self, tasks: Sequence[Task], results: Sequence[RunResult], kind: str
    ) -> Iterator[tuple[Job, tuple[Any, ...], RunResult]]:
        for task, result in zip(tasks, results, strict=True):
            job = self.jobs[task.job]
            if job.kind == kind:
                yield job, job.case.points[task.point], result

    def measure(self, tasks: Sequence[Task], results: Sequence[RunResult], found: Measured) -> None:
        """Add what some runs gave."""
        for job, point, result in self._rows(tasks, results, "measure"):
            where = (job.reading, job.case.experiment)
            values, series = found.values.setdefault(where, {}), found.series.setdefault(where, {})
            for variant, groups in job.case.members.items():
                numbers = metrics(result.flows, groups)
                more = window_metrics(result, groups)
                if ESTIMATE in self.book.experiments[job.case.experiment].metrics:
                    limit = self.limits(job.reading)((job.case.experiment, point), variant)
                    more |= estimate_metrics(result, groups, limit.per_flow_mbps) if limit is not None else {}
                for metric, value in {**numbers, **more}.items():
                    values.setdefault((metric, variant, point), {})[result.seed] = value
                lines = {**lines_of(result, groups), GROWTH: growth_of(result, groups)}
                for name, line in lines.items():
                    if line:
                        series.setdefault((name, variant, point), {})[result.seed] = line
        for job, point, result in self._rows(tasks, results, "decisions"):
            own = found.decisions.setdefault((job.reading, job.case.experiment), {})
            for variant, groups in job.case.members.items():
                own.setdefault((variant, point), []).append(decisions_of(result, groups))
        self._measure_bins(tasks, results, found)

    def _measure_bins(self, tasks: Sequence[Task], results: Sequence[RunResult], found: Measured) -> None:
        """Throughput in bins, from what runs of growing length delivered: the longest is that which was measured."""
        binned = {(job.reading, job.case.experiment) for job in self.jobs if job.kind == "bins"}
        for kind in ("measure", "bins"):
            for job, point, result in self._rows(tasks, results, kind):
                where = (job.reading, job.case.experiment)
                if where not in binned:
                    continue
                for variant, groups in job.case.members.items():
                    ends = found.delivered.setdefault(where, {}).setdefault((variant, point, result.seed), {})
                    ends[job.case.scenario.duration_s] = metrics(result.flows, groups).get("seqno", 0.0)
                    if kind == "measure":
                        found.sending[(*where, variant, point, result.seed)] = sending_of(result, groups)
        for where, runs in found.delivered.items():
            for (variant, point, seed), ends in runs.items():
                if len(ends) > 1 and where in found.series:
                    filled = found.sending.get((*where, variant, point, seed), (0.0, math.inf))
                    for name, line in (("throughput", in_bins(ends)), (f"throughput-{FILLED}", in_bins(ends, filled))):
                        found.series[where].setdefault((name, variant, point), {})[seed] = line

    def keep(self, found: Measured, task: Task, variant: str, numbers: Mapping[str, float]) -> None:
        """Add numbers of a variant in a run, as :meth:`measure` does from a result."""
        job, point = self.jobs[task.job], self.jobs[task.job].case.points[task.point]
        where = (job.reading, job.case.experiment)
        values = found.values.setdefault(where, {})
        found.series.setdefault(where, {})
        for metric, value in numbers.items():
            values.setdefault((metric, variant, point), {})[task.seed] = value

    def kept(self, found: Measured, task: Task, variant: str, metrics: Iterable[str]) -> dict[str, float]:
        """Numbers of a variant in a run that was measured: of some metrics, as far as it has them."""
        job, point = self.jobs[task.job], self.jobs[task.job].case.points[task.point]
        values = found.values[job.reading, job.case.experiment]
        seeds = {name: values.get((name, variant, point), {}) for name in metrics}
        return {name: of[task.seed] for name, of in seeds.items() if task.seed in of}

    def data(self, measured: Measured, reading: str, name: str, only: Only | None = None) -> Data:
        """Measurements of an experiment in a reading; variants that it does not touch are those of the base. ``only``
        has the points to take.

        A summary has those of all experiments that it sums up, as far as its claims need them.
        """
        entry = self.book.experiments[name]
        if entry.covers:
            return merge(name, [self.data(measured, reading, part, only) for part in self.wanted])
        own = measured.values.get((reading, name), {})
        of_base = measured.values.get(("base", name), {})
        kept = {point for _, _, point in own} or {point for _, _, point in of_base}
        if only is not None and name in only:
            kept &= only[name]
            own = {key: samples for key, samples in own.items() if key[2] in kept}
        base = {
            key: samples
            for key, samples in of_base.items()
            if key[2] in kept and (reading == "base" or (reading, (name, key[1], key[2])) not in self.places)
        }
        recorded = {**measured.series.get(("base", name), {}), **measured.series.get((reading, name), {})}
        series = {key: lines for key, lines in recorded.items() if key[2] in kept}
        order = tuple(point for point in itertools.product(*experiments.points_of(entry)) if point in kept)
        axes = tuple(axis.key for axis in entry.axes)
        decided = {**measured.decisions.get(("base", name), {}), **measured.decisions.get((reading, name), {})}
        did = {key: found for key, found in decided.items() if key[1] in kept}
        lossy = next((key for key in axes if self.book.loss_axis(entry, key)), "")
        drawn, tables, alone = entry.drawn_over, self.book.tables, runs_along(entry)
        return Data(name, axes, order, entry.fixed, {**base, **own}, drawn, lossy, series, tables, did, alone)

    def limits(self, reading: str) -> verdicts.Limits:
        """Most that the links carry of a variant at a point, in a reading; the base's where the reading leaves it.

        A point of another experiment is the pair of both.
        """
        if reading not in self._limits:
            self._limits[reading] = self._limits_of(reading)
        return self._limits[reading]

    def _limits_of(self, reading: str) -> verdicts.Limits:
        cases: dict[tuple[str, tuple[Any, ...]], tuple[Job, int]] = {}
        for job in self.jobs:
            if job.reading in ("base", reading) and job.kind == "measure":
                own = job.case.experiment == self.experiment.id
                for index, point in enumerate(job.case.points):
                    places = [(job.case.experiment, point), *([point] if own else [])]
                    cases |= {(variant, at): (job, index) for variant in job.case.members for at in places}

        @cache
        def at(point: tuple[Any, ...], variant: str, at_once: bool = False) -> Limit | None:
            if (variant, point) not in cases:
                return None
            job, index = cases[variant, point]
            network = self.book.topologies[self.book.experiments[job.case.experiment].topology]
            return experiments.capacity(network, job.points[index], job.case.members[variant], at_once=at_once)

        return at

    def algorithm_of(self, variant: str, reading: str = "base") -> str:
        """What a variant runs as, by its name in the registry; its own name if no algorithm drives it."""
        swap = next((row.swap for row in self.readings if row.key == reading), {})
        name = self.book.variants[swap.get(plain_name(variant), plain_name(variant))].name
        return str(self.known[name]["name"]) if name else variant

    def algorithm_names(self) -> dict[str, str]:
        """What each variant ran as in the base setting, by its name in the registry."""
        return {variant: self.algorithm_of(variant) for variant in self.experiment.variants}

    def settings(self) -> dict[str, dict[str, Any]]:
        """What each variant's scenario lays over that of the network, in the base setting."""
        return {
            job.case.variant or "mix": dict(job.case.scenario.sets)
            for job in self.jobs
            if job.reading == "base" and job.kind == "measure" and job.case.experiment == self.experiment.id
        }

    def documents(self) -> dict[str, dict[str, Any]]:
        """Scenario of each variant in the base setting."""
        found: dict[str, dict[str, Any]] = {}
        for job in self.jobs:
            if job.reading == "base" and job.kind == "measure" and job.case.experiment == self.experiment.id:
                name = job.case.variant or "mix"
                found[name if name not in found else f"{name}-{len(found)}"] = job.case.scenario.composed()
        return found
