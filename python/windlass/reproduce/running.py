"""Run an experiment or a paper, judge its claims, write the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from windlass import experiments, verdicts
from windlass import ledger as books
from windlass.experiments import NotYet
from windlass.folders import discard
from windlass.ledger import Claim, Experiment, Ledger
from windlass.reproduce.calls import calls_by_cause
from windlass.reproduce.cautions import cautions_on
from windlass.reproduce.engine import registry
from windlass.reproduce.files import write, write_overview
from windlass.reproduce.paper import PaperReproduction
from windlass.reproduce.plan import Measured, Plan, Progress, overrides
from windlass.reproduce.results import Outcome, ReadingRun, Reproduction
from windlass.reproduce.words import base_words

if TYPE_CHECKING:
    from windlass.store import Store
    from windlass.sweep import RunResult


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
    discard(folder)  # an overview of other results than those that now come beside it
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
    write_overview(whole)
    return whole


def _offset(progress: Progress, before: int, total: int) -> Progress:
    return lambda finished, _: progress(before + finished, total)


def _plan(book: Ledger, experiment: Experiment, seeds: int | None, quick: bool) -> Plan:
    experiments.require(book, experiment)
    over = overrides(book, experiment, seeds, quick)
    return Plan(book, experiment, over, book.claims_of(experiment.id), quick, registry())


def _reproduce(plan: Plan, folder: Path, results: Sequence[RunResult]) -> Reproduction:
    """Judge the claims on the results of a plan, and write report and data."""
    book, experiment = plan.book, plan.experiment
    measured = plan.measure(results)
    base = plan.data(measured, "base", experiment.id)
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
        settings=plan.settings(),
        base=base_words(plan),
        duration_s=plan.duration_s,
        seeds=plan.seeds,
        quick=plan.quick,
        data=base,
        algorithms=plan.algorithm_names(),
        runs=runs,
        outcomes=outcomes,
        limits=plan.limits("base"),
        network=plan.jobs[0].case.scenario.points()[0].capacity(),
        judged=calls_by_cause(plan, results),
        cautions=cautions_on(plan, results, base),
        folder=folder,
        registry=plan.registry,
        scenarios=plan.documents(),
        made=len({result.key for result in results if not result.stored}),
        total=len({result.key for result in results}),
    )
    write(reproduction, plan, results)
    return reproduction


def _outcome(
    claim: Claim,
    runs: Sequence[ReadingRun],
    plan: Plan,
    measured: Measured,
) -> Outcome:
    """A claim's verdict in the base setting and in each reading that can change it."""
    name = plan.experiment.id
    variants = {variant for check in (claim.check, *claim.check.also) for variant in check.variants}
    base = plan.data(measured, "base", name)
    judgement = verdicts.judge(claim.check, base, limits=plan.limits("base"), others=plan.others(measured, "base"))
    found, missing = [], []
    for run in runs:
        if not run.reading.concerns(variants) or judgement.verdict == "not measurable" or claim.check.kind == "arith":
            continue
        if run.data is None:
            missing.append((run.reading, run.missing))
            continue
        other = verdicts.judge(
            claim.check,
            run.data,
            limits=plan.limits(run.reading.key),
            others=plan.others(measured, run.reading.key),
        )
        settled = "undecided" not in (other.verdict, judgement.verdict)
        found.append((run.reading, other, settled and other.verdict != judgement.verdict))
    return Outcome(claim, judgement, tuple(found), tuple(missing))
