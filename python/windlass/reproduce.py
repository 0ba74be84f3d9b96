"""Reproduce an experiment of a paper: run it in every plausible reading, judge its claims, write a report.

:func:`main` is what ``windlass reproduce`` calls. Nothing here is written for one figure: the ledger says what is run
(:mod:`windlass.experiments`) and what must hold (:mod:`windlass.verdicts`).
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass import experiments, verdicts
from windlass import ledger as books
from windlass.errors import InputError, StoreError
from windlass.experiments import Case, NotYet, Reading, Setting
from windlass.ledger import Claim, Experiment, Ledger
from windlass.verdicts import Data, Judgement

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from windlass.store import Store
    from windlass.sweep import RunResult

__all__ = ["Outcome", "PaperReproduction", "Reproduction", "main"]

LEAST_SEEDS = 10
"""Seeds of a full run, at the least."""

QUICK_SEEDS = 3
QUICK_POINTS = 7
"""A quick run is meant to end within a minute on two cores. Its runs are as long as a full one's, which so finds them stored."""

JUDGED_POINTS = 3
"""Points at which the senders' calls are held against the true cause of each loss, with one seed."""


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
        """Readings of which it is not known whether they change the verdict, since one of the two is undecided."""
        base = self.judgement.verdict
        return [
            reading
            for reading, judgement, _ in self.readings
            if judgement.verdict != base and "undecided" in (judgement.verdict, base)
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


@dataclass(frozen=True)
class Reproduction:
    """An experiment that was run again.

    Attributes
    ----------
    ledger, experiment
        What was reproduced.
    setting : Setting
        Defaults for what the paper leaves open.
    seeds : list of int
        Seeds of the base runs.
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
        Most that can be carried at a point.
    judged : list of dict
        Calls of the senders against the true causes, by variant and point.
    cautions : list of str
        What to know before trusting the numbers.
    folder : Path
        Where report and data are.
    """

    ledger: Ledger
    experiment: Experiment
    setting: Setting
    seeds: list[int]
    quick: bool
    data: Data
    algorithms: dict[str, str]
    runs: list[ReadingRun]
    outcomes: list[Outcome]
    limits: verdicts.Limits
    judged: list[dict[str, Any]]
    cautions: list[str]
    folder: Path
    registry: list[dict[str, Any]] = field(default_factory=list)
    scenarios: dict[str, dict[str, Any]] = field(default_factory=dict)
    made: int = 0
    total: int = 0

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
    def command(self) -> str:
        """The command that makes the same again."""
        return f"windlass reproduce {self.experiment.id}" + (
            f" --quick --seeds {len(self.seeds)}" if self.quick else f" --seeds {len(self.seeds)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as ``claims.json`` holds it."""
        return {
            "experiment": self.experiment.id,
            "title": self.experiment.title,
            "paper": self.ledger.citation,
            "command": self.command,
            "quick": self.quick,
            "seeds": self.seeds,
            "duration_s": self.setting.duration_s,
            "engine_version": _engine_version(),
            "verdicts": self.counts,
            "cautions": self.cautions,
            "summary": _summary_rows("base", self.experiment, self.data),
            "claims": [outcome.to_dict() for outcome in self.outcomes],
            "readings": [
                {"key": run.reading.key, "title": run.reading.title, "open": run.reading.open, "not_run": run.missing}
                for run in self.runs
            ],
            "judged": self.judged,
            "report": str(self.report),
        }

    def render(self, console: Console) -> None:
        """Print the throughput by variant and point, the verdict on each claim, and where the report is."""
        from rich.markup import escape
        from rich.table import Table

        console.print(f"[bold]{escape(self.experiment.id)}[/bold] {escape(self.experiment.title)}")
        console.print(f"{escape(self.ledger.citation)}", style="dim")
        for caution in self.cautions[:1]:
            console.print(f"caution: {escape(caution)}", style="yellow")
        metric, unit = headline_metric(self.data)
        table = Table(title=f"{metric} per flow ({unit}), mean and 95 % interval over {len(self.seeds)} seeds")
        table.add_column(", ".join(self.data.axes) or "-")
        variants = shown_variants(self.experiment, self.data)
        for variant in variants:
            table.add_column(self.algorithms.get(variant, variant), justify="right")
        for point in self.data.points:
            cells = [verdicts.mean(self.data.get(metric, variant, [point])).text(digits=3) for variant in variants]
            table.add_row(", ".join(f"{value:g}" for value in point) or "-", *cells)
        console.print(table)
        claims = Table(title="claims")
        for heading in ("claim", "verdict", "measured", "depends on the reading"):
            claims.add_column(heading)
        for outcome in self.outcomes:
            depends = ", ".join(f"{reading.key}: {judgement.verdict}" for reading, judgement in outcome.changed) or "no"
            if outcome.unsettled:
                depends += "; open in " + ", ".join(reading.key for reading in outcome.unsettled)
            verdict = outcome.judgement.verdict
            found = outcome.judgement.measured or outcome.judgement.reason
            if outcome.judgement.arithmetic:
                found += f". {outcome.judgement.arithmetic}"
            claims.add_row(
                escape(f"{outcome.claim.id.rsplit('/', 1)[-1]}. {outcome.claim.text}"),
                f"[{_COLOURS[verdict]}]{verdict}[/]",
                escape(found),
                escape(depends if outcome.readings else ""),
            )
        console.print(claims)
        console.print(f"report: {self.report}", soft_wrap=True)


@dataclass(frozen=True)
class PaperReproduction:
    """All experiments of a paper that could be run.

    Attributes
    ----------
    ledger : Ledger
        The paper.
    parts : list of Reproduction
        Each with its own report, in the paper's order.
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
        seeds = len(self.parts[0].seeds)
        return f"windlass reproduce {self.ledger.id}" + (" --quick" if self.quick else "") + f" --seeds {seeds}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "paper": self.ledger.id,
            "citation": self.ledger.citation,
            "command": self.command,
            "verdicts": self.counts,
            "experiments": [part.to_dict() for part in self.parts],
            "not_run": [{"experiment": entry.id, "why": why} for entry, why in self.missing],
            "report": str(self.report),
        }

    def render(self, console: Console) -> None:
        """Print the verdicts of each experiment, and where the report is."""
        from rich.markup import escape
        from rich.table import Table

        console.print(f"[bold]{escape(self.ledger.id)}[/bold] {escape(self.ledger.title)}")
        table = Table()
        for heading in ("experiment", "what", "verdicts"):
            table.add_column(heading)
        for part in self.parts:
            words = ", ".join(f"[{_COLOURS[name]}]{count} {name}[/]" for name, count in part.counts.items())
            table.add_row(part.experiment.name, escape(part.experiment.title), words or "no claim")
        console.print(table)
        for entry, why in self.missing:
            console.print(f"not run: {escape(entry.name)}: {escape(why)}", style="dim")
        console.print(f"report: {self.report}", soft_wrap=True)


_COLOURS = {
    "reproduced": "green",
    "direction only": "cyan",
    "contradicted": "red",
    "undecided": "yellow",
    "impossible": "bold red",
    "not measurable": "dim",
}

Progress = Callable[[int, int], None]
_Values = dict[tuple[str, str, tuple[Any, ...]], dict[int, float]]


def main(
    target: str,
    *,
    seeds: int | None = None,
    quick: bool = False,
    jobs: int | None = None,
    out: str | Path | None = None,
    store: Store | str | Path | bool | None = None,
    progress: Progress | None = None,
) -> Reproduction | PaperReproduction:
    """Run an experiment, or all of a paper's, again and judge the claims.

    Parameters
    ----------
    target : str
        ``"saedi2019/fig3.5"``, or ``"saedi2019"`` for every experiment that can be run (this can take hours).
    seeds : int, optional
        Runs per point: the ledger's default, at least ten, or three if `quick`.
    quick : bool
        Fewer points and seeds; the points that a claim names are kept. Intervals are wide.
    jobs : int, optional
        Threads; all cores if not given.
    out : path, optional
        Folder for report and data; ``reproduced/<paper>-<experiment>`` (or ``reproduced/<paper>``) if not given.
    store : Store, path or bool, optional
        Where finished runs are kept; the default store if not given.
    progress : callable, optional
        Called with (finished, total) after each run.

    Returns
    -------
    Reproduction or PaperReproduction
        With the report and the data written.

    Raises
    ------
    InputError
        If there is no such experiment, or too few seeds for a full run.
    NotYet
        If the experiment needs something that this version cannot simulate.
    """
    place = True if store is None else store
    if "/" not in target:
        return _whole_paper(target, seeds, quick, jobs, out, place, progress)
    book, experiment = books.experiment(target)
    plan = _plan(book, experiment, seeds, quick)
    folder = Path(out) if out is not None else Path("reproduced") / experiment.id.replace("/", "-")
    return _reproduce(plan, folder, plan.run(jobs=jobs, store=place, progress=progress))


def _whole_paper(
    paper: str,
    seeds: int | None,
    quick: bool,
    jobs: int | None,
    out: str | Path | None,
    store: Store | str | Path | bool,
    progress: Progress | None,
) -> PaperReproduction:
    """Every experiment of a paper that can be run, one after the other, and an overview."""
    from windlass import report

    book = books.load(paper)
    plans, missing = [], []
    for entry in book.experiments.values():
        try:
            plans.append(_plan(book, entry, seeds, quick))
        except NotYet as error:
            missing.append((entry, error.message))
    if not plans:
        raise NotYet(f"`{paper}` has no experiment that can be run yet: {missing[0][1]}")
    folder = Path(out) if out is not None else Path("reproduced") / paper
    total = sum(len(plan.tasks) for plan in plans)
    parts = []
    done = 0
    for plan in plans:
        step = None if progress is None else _offset(progress, done, total)
        results = plan.run(jobs=jobs, store=store, progress=step)
        parts.append(_reproduce(plan, folder / plan.experiment.name, results))
        done += len(plan.tasks)
    if progress is not None:
        progress(total, total)
    whole = PaperReproduction(book, parts, missing, quick, folder)
    whole.report.write_text(report.paper_page(whole), encoding="utf-8")
    (folder / "claims.json").write_text(_json(whole.to_dict()), encoding="utf-8")
    return whole


def _offset(progress: Progress, before: int, total: int) -> Progress:
    return lambda finished, _: progress(before + finished, total)


def _plan(book: Ledger, experiment: Experiment, seeds: int | None, quick: bool) -> _Plan:
    setting = _setting(book, experiment, seeds, quick)
    return _Plan(book, experiment, setting, book.claims_of(experiment.id), quick, _registry())


def _reproduce(plan: _Plan, folder: Path, results: Sequence[RunResult]) -> Reproduction:
    """Judge the claims on the results of a plan, and write report and data."""
    book, experiment, setting = plan.book, plan.experiment, plan.setting
    measured = plan.measure(results)
    base = plan.data(measured, "base", experiment.id)
    limits = experiments.limit(book, experiment, setting)
    runs = [
        ReadingRun(reading, None, plan.missing[reading.key])
        if reading.key in plan.missing
        else ReadingRun(reading, plan.data(measured, reading.key, experiment.id))
        for reading in plan.readings
    ]
    outcomes = [_outcome(claim, runs, plan, measured) for claim in plan.claims]
    reproduction = Reproduction(
        ledger=book,
        experiment=experiment,
        setting=setting,
        seeds=list(range(1, setting.seeds + 1)),
        quick=plan.quick,
        data=base,
        algorithms=plan.algorithm_names(),
        runs=runs,
        outcomes=outcomes,
        limits=limits,
        judged=plan.judged(results),
        cautions=_cautions(plan, results, base),
        folder=folder,
        registry=plan.registry,
        scenarios=plan.documents(),
        made=len({result.key for result in results if not result.stored}),
        total=len({result.key for result in results}),
    )
    _write(reproduction, plan, results)
    return reproduction


def _setting(book: Ledger, experiment: Experiment, seeds: int | None, quick: bool) -> Setting:
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
class _Job:
    """A case in a reading, with the seeds that it is run for."""

    reading: str
    case: Case
    seeds: tuple[int, ...]
    kind: str = "measure"


class _Plan:
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
        self.jobs: list[_Job] = []
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
                self._add(_Job("base", case, seeds))
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
                _Job(reading.key, case, seeds) for case in experiments.cases(self.book, entry, setting, points, touched)
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
                self._add(_Job("judged", replace(case, scenario=document), (1,), "events"))

    def _add(self, job: _Job) -> None:
        self._keep(job, self._tasks(job))

    def _keep(self, job: _Job, tasks: list[tuple[Any, int]]) -> None:
        self.jobs.append(job)
        self._spans.append((len(self.tasks), len(self.tasks) + len(tasks)))
        self.tasks += tasks

    def _tasks(self, job: _Job) -> list[tuple[Any, int]]:
        from windlass.scenario import Scenario

        points = Scenario.from_dict(job.case.scenario, filename=f"{job.case.experiment} ({job.case.variant})").points()
        if len(points) != len(job.case.points):
            raise InputError(f"`{job.case.experiment}`: {len(points)} points where {len(job.case.points)} were meant")
        return [(point, seed) for point in points for seed in job.seeds]

    def run(self, *, jobs: int | None, store: Store | str | Path | bool, progress: Progress | None) -> list[RunResult]:
        """Results in the order of the tasks."""
        from windlass.sweep import execute, open_store

        return execute(self.tasks, jobs=jobs, store=open_store(store), progress=progress)

    def spans(self) -> Iterable[tuple[_Job, int, int]]:
        """Each job with its part of the results."""
        for job, (first, last) in zip(self.jobs, self._spans, strict=True):
            yield job, first, last

    def rows(
        self, results: Sequence[RunResult], kind: str = "measure"
    ) -> Iterable[tuple[_Job, tuple[Any, ...], RunResult]]:
        """Each result with the job and the point that it belongs to."""
        for job, first, last in self.spans():
            if job.kind == kind:
                for index, result in enumerate(results[first:last]):
                    yield job, job.case.points[index // len(job.seeds)], result

    def measure(self, results: Sequence[RunResult]) -> dict[tuple[str, str], _Values]:
        """What the runs gave, by reading and experiment."""
        found: dict[tuple[str, str], _Values] = {}
        for job, point, result in self.rows(results):
            values = found.setdefault((job.reading, job.case.experiment), {})
            for variant, groups in job.case.members.items():
                for metric, value in _metrics(result.flows, groups).items():
                    values.setdefault((metric, variant, point), {})[result.seed] = value
        return found

    def data(self, measured: Mapping[tuple[str, str], _Values], reading: str, name: str) -> Data:
        """Measurements of an experiment in a reading; variants that it does not touch are those of the base."""
        entry = self.book.experiments[name]
        own = measured.get((reading, name), {})
        kept = {point for _, _, point in own} or {point for _, _, point in measured[("base", name)]}
        base = {key: samples for key, samples in measured[("base", name)].items() if key[2] in kept}
        order = tuple(point for point in itertools.product(*experiments.points_of(entry)) if point in kept)
        return Data(name, tuple(axis.key for axis in entry.axes), order, entry.fixed, {**base, **own})

    def others(self, measured: Mapping[tuple[str, str], _Values], reading: str) -> verdicts.Others:
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

    def judged(self, results: Sequence[RunResult]) -> list[dict[str, Any]]:
        """How often each sender called a loss random or congestion, by what it truly was."""
        rows = []
        axes = Data(self.experiment.id, tuple(axis.key for axis in self.experiment.axes), (), {}, {})
        for job, point, result in self.rows(results, "events"):
            counts = {(call, cause): 0 for call in _CALLS for cause in _CAUSES}
            for kind, cause in zip(
                result.events["kind"].to_pylist(), result.events["true_cause"].to_pylist(), strict=True
            ):
                call = _CALL_OF.get(kind)
                if call is not None:
                    counts[call, _CAUSE_OF.get(cause, "nothing")] += 1
            if any(counts.values()):
                given = job.case.scenario["flows"][0]["algorithm"]
                name = given if isinstance(given, str) else given["name"]
                rows.append(
                    {
                        "algorithm": self.known[name]["name"],
                        "where": axes.label(point),
                        "calls": [
                            {"call": call, "cause": cause, "count": count} for (call, cause), count in counts.items()
                        ],
                    }
                )
        return [
            row
            for row in rows
            if any(call["call"] == "random" and call["count"] for call in row["calls"])
            or row["algorithm"].startswith("cerl")
        ]


_CALLS = ("random", "congestion")
_CALL_OF = {"judged-random": "random", "dup-acks": "congestion"}
_CAUSES = ("channel", "queue", "nothing")
_CAUSE_OF = {"random": "channel", "list": "channel", "queue": "queue"}


def _outcome(
    claim: Claim,
    runs: Sequence[ReadingRun],
    plan: _Plan,
    measured: Mapping[tuple[str, str], _Values],
) -> Outcome:
    """A claim's verdict in the base setting and in each reading that can change it."""
    name = plan.experiment.id
    variants = {variant for check in (claim.check, *claim.check.also) for variant in check.variants}
    base = plan.data(measured, "base", name)
    limits = experiments.limit(plan.book, plan.experiment, plan.setting)
    judgement = verdicts.judge(claim.check, base, limits=limits, others=plan.others(measured, "base"))
    found, missing = [], []
    for run in runs:
        if not run.reading.concerns(variants) or judgement.verdict == "not measurable" or claim.check.kind == "arith":
            continue
        if run.data is None:
            missing.append((run.reading, run.missing))
            continue
        setting = run.reading.apply(plan.setting)
        other = verdicts.judge(
            claim.check,
            run.data,
            limits=experiments.limit(plan.book, plan.experiment, setting),
            others=plan.others(measured, run.reading.key),
        )
        settled = "undecided" not in (other.verdict, judgement.verdict)
        found.append((run.reading, other, settled and other.verdict != judgement.verdict))
    return Outcome(claim, judgement, tuple(found), tuple(missing))


def _metrics(flows: pa.Table, groups: tuple[str, ...] | None) -> dict[str, float]:
    """Metrics of the ledger from the flows of one run: means over flows, sums for counts."""
    columns = {name: flows[name].to_pylist() for name in _COLUMNS}
    chosen = [index for index, group in enumerate(columns["group"]) if groups is None or group in groups]

    def column(name: str) -> list[float]:
        return [value for value in (columns[name][index] for index in chosen) if value is not None]

    def total(name: str) -> float:
        return math.fsum(column(name))

    def average(name: str) -> float | None:
        values = column(name)
        return math.fsum(values) / len(values) if values else None

    goodput = [value / 1e6 for value in column("goodput_bps")]
    # Segments that arrived and were new.
    delivered = total("received_segments") - total("duplicate_segments")
    squares = math.fsum(value * value for value in goodput)
    windows = column("cwnd_mean_segments")
    found: dict[str, float | None] = {
        "throughput": math.fsum(goodput) / len(goodput) if goodput else None,
        "throughput-total": math.fsum(goodput),
        "goodput": math.fsum(goodput) / len(goodput) if goodput else None,
        "fairness": math.fsum(goodput) ** 2 / (len(goodput) * squares) if squares > 0 else None,
        "timeouts": total("timeouts"),
        "rtt": average("srtt_mean_s"),
        "delay": average("owd_mean_s"),
        "completion": average("completion_s"),
        "cwnd": average("cwnd_mean_segments"),
        "cwnd-mean": average("cwnd_mean_segments"),
        "cwnd-spread": _deviation(windows),
        "seqno": average("delivered_bytes"),
    }
    if delivered > 0:
        causes = ("random", "queue", "list", "early", "policer")
        lost = math.fsum(total(f"loss_{cause}") for cause in causes)
        found["drops"] = lost / delivered
        found["queue-drops"] = total("loss_queue") / delivered
        found["retransmissions"] = total("retransmitted_segments") / delivered
    return {name: float(value) for name, value in found.items() if value is not None}


_COLUMNS = (
    "group",
    "goodput_bps",
    "received_segments",
    "duplicate_segments",
    "timeouts",
    "srtt_mean_s",
    "owd_mean_s",
    "completion_s",
    "cwnd_mean_segments",
    "delivered_bytes",
    "loss_random",
    "loss_queue",
    "loss_list",
    "loss_early",
    "loss_policer",
    "retransmitted_segments",
)


def _deviation(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    middle = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def headline_metric(data: Data) -> tuple[str, str]:
    """The metric that tables and figure show, with its unit."""
    if "throughput" in data.metrics:
        return "throughput", "Mbps"
    return min(data.metrics), ""


def shown_variants(experiment: Experiment, data: Data) -> list[str]:
    """Variants in the order of the paper; the flows of a fixed mix one by one."""
    single = [name for name in data.variants if "#" in name]
    return single or [name for name in experiment.variants if name in data.variants]


def _summary_rows(reading: str, experiment: Experiment, data: Data) -> list[dict[str, Any]]:
    """Mean and interval of every metric, variant and point."""
    rows = []
    for metric in sorted(data.metrics):
        for variant in data.variants:
            for point in data.points:
                samples = data.get(metric, variant, [point])
                if not samples:
                    continue
                found = verdicts.mean(samples)
                ends = (found.low, found.high) if math.isfinite(found.half) else (None, None)
                rows.append(
                    {
                        "experiment": experiment.id,
                        "reading": reading,
                        "variant": variant,
                        **dict(zip(data.axes, point, strict=True)),
                        "metric": metric,
                        "mean": found.mean,
                        "lo": ends[0],
                        "hi": ends[1],
                        "n": found.n,
                    }
                )
    return rows


def _registry() -> list[dict[str, Any]]:
    from windlass import _core

    rows: list[dict[str, Any]] = json.loads(_core.algorithms())
    return rows


def _engine_version() -> str:
    from windlass import _core

    return str(_core.ENGINE_VERSION)


def _cautions(plan: _Plan, results: Sequence[RunResult], data: Data) -> list[str]:
    """What to know before trusting the numbers, the most general first."""
    found = []
    setting = plan.setting
    if plan.quick:
        counts = math.prod(len(values) for values in plan.points)
        every = math.prod(len(axis.points) for axis in plan.experiment.axes)
        found.append(
            f"Quick run: {setting.seeds} seeds and {counts} of {every} points instead of at least {LEAST_SEEDS} seeds and "
            "every point. Intervals are wide and verdicts provisional."
        )
    opened = [plan.book.open[key] for key in plan.experiment.open]
    found.append(
        f"The paper leaves {len(opened)} parameters of this experiment open; every absolute value rests on our defaults for "
        "them (table below)."
    )
    dry = _without_queue_loss(plan, results)
    if dry:
        found.append(
            f"No variant lost a packet in a queue at {', '.join(dry)}: differences between reactions to congestion are not "
            "exercised there."
        )
    same = _without_chance(plan, data)
    if same:
        found.append(
            f"Every seed gives the same at {', '.join(same)}: nothing is random there, so the interval says nothing."
        )
    used = set(plan.algorithm_names().values())
    for row in {row["name"]: row for row in plan.known.values()}.values():
        if row["name"] in used and row.get("caution"):
            found.append(f"{row['name']}: {row['caution']}.".replace("..", "."))
    return found


def _without_chance(plan: _Plan, data: Data) -> list[str]:
    """Points at which all seeds of every variant give the same throughput."""
    if plan.setting.seeds < 2:
        return []
    return [
        data.label(point) or "the only point"
        for point in data.points
        if all(len(set(data.get("throughput", variant, [point]).values())) == 1 for variant in data.variants)
    ]


def _without_queue_loss(plan: _Plan, results: Sequence[RunResult]) -> list[str]:
    import pyarrow.compute as pc

    lost: dict[tuple[Any, ...], float] = {}
    for job, point, result in plan.rows(results):
        if job.reading == "base" and job.case.experiment == plan.experiment.id:
            lost[point] = lost.get(point, 0.0) + float(pc.sum(result.flows["loss_queue"]).as_py() or 0)
    axes = tuple(axis.key for axis in plan.experiment.axes)
    data = Data(plan.experiment.id, axes, (), {}, {})
    return [data.label(point) or "the only point" for point, count in lost.items() if count == 0]


# ---- files ----


def _write(reproduction: Reproduction, plan: _Plan, results: Sequence[RunResult]) -> None:
    """Report, figures, data and manifest into the reproduction's folder."""
    import pyarrow.parquet as pq

    from windlass import _toml, report

    folder = reproduction.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "scenarios").mkdir(exist_ok=True)
        for name, document in reproduction.scenarios.items():
            (folder / "scenarios" / f"{name}.toml").write_text(_toml.document(document), encoding="utf-8")
        for table in ("flows", "links"):
            pq.write_table(_joined(plan, results, table), folder / f"{table}.parquet", compression="zstd")
        _write_csv(folder / "summary.csv", _all_rows(reproduction))
        (folder / "claims.json").write_text(_json(reproduction.to_dict()), encoding="utf-8")
        figures = report.draw(reproduction, folder)
        reproduction.report.write_text(report.page(reproduction, figures), encoding="utf-8")
        (folder / "manifest.json").write_text(_json(_manifest(reproduction, plan)), encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"cannot write to `{folder}`: {error.strerror or error}",
            code="cli.output",
            hint="name another with `--out`",
        ) from error


def _joined(plan: _Plan, results: Sequence[RunResult], name: str) -> pa.Table:
    """Rows of all runs: experiment, reading, variant, the swept keys, seed and key of the run, then the run's columns."""
    import pyarrow as pa

    keys = list(dict.fromkeys(axis.key for entry in plan.wanted for axis in plan.book.experiments[entry].axes))
    parts = []
    for job, point, result in plan.rows(results):
        table = result.tables[name]
        axes = [axis.key for axis in plan.book.experiments[job.case.experiment].axes]
        values = dict(zip(axes, point, strict=True))
        columns: dict[str, Any] = {
            "experiment": pa.repeat(job.case.experiment, table.num_rows),
            "reading": pa.repeat(job.reading, table.num_rows),
            "variant": pa.repeat(job.case.variant, table.num_rows),
            **{key: pa.repeat(pa.scalar(values.get(key), pa.float64()), table.num_rows) for key in keys},
            "seed": pa.repeat(pa.scalar(result.seed, pa.int64()), table.num_rows),
            "key": pa.repeat(result.key, table.num_rows),
        }
        parts.append(pa.table({**columns, **{column: table[column] for column in table.column_names}}))
    return pa.concat_tables(parts)


def _all_rows(reproduction: Reproduction) -> list[dict[str, Any]]:
    rows = _summary_rows("base", reproduction.experiment, reproduction.data)
    for run in reproduction.runs:
        if run.data is not None:
            rows += _summary_rows(run.reading.key, reproduction.experiment, run.data)
    return rows


def _write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    import csv

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _manifest(reproduction: Reproduction, plan: _Plan) -> dict[str, Any]:
    """Versions, command, settings and the hash of every file beside it."""
    from windlass import __version__

    folder = reproduction.folder
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {
        "windlass": __version__,
        "engine_version": _engine_version(),
        "command": reproduction.command,
        "experiment": reproduction.experiment.id,
        "seeds": reproduction.seeds,
        "points": [list(values) for values in plan.points],
        "setting": {**reproduction.setting.__dict__, "algorithms": dict(reproduction.setting.algorithms)},
        "readings": {
            run.reading.key: run.missing or f"{len(run.data.points) if run.data else 0} points"
            for run in reproduction.runs
        },
        "runs": reproduction.total,
        "files": {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files},
    }


def _json(document: Any) -> str:
    return json.dumps(_strict(document), indent=1, ensure_ascii=False) + "\n"


def _strict(item: Any) -> Any:
    """Numbers that JSON does not have as null, tuples and sets as lists."""
    if isinstance(item, float) and not math.isfinite(item):
        return None
    if isinstance(item, Mapping):
        return {str(key): _strict(value) for key, value in item.items()}
    if isinstance(item, (list, tuple, set, frozenset)):
        return [_strict(value) for value in item]
    return item
