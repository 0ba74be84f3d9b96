"""Run an experiment or a paper, judge its claims, write the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from windlass import experiments, verdicts
from windlass import ledger as books
from windlass import progress as progress_bars
from windlass.experiments import NotYet
from windlass.folders import discard
from windlass.ledger import Claim, Experiment, Ledger, Reading
from windlass.reproduce.calls import calls_by_cause
from windlass.reproduce.cautions import cautions_on
from windlass.reproduce.engine import registry
from windlass.reproduce.files import write, write_overview
from windlass.reproduce.modern import check_reading
from windlass.reproduce.outline import Outline, row_of
from windlass.reproduce.paper import PaperReproduction, Papers
from windlass.reproduce.plan import Plan, Progress, overrides
from windlass.reproduce.results import Outcome, ReadingRun, Reproduction
from windlass.reproduce.sequential import Sequential, run_plan, seeds_of_base
from windlass.reproduce.values import Values, read
from windlass.reproduce.words import base_words

if TYPE_CHECKING:
    from windlass.store import Store
    from windlass.workers import Jobs

ALL = "all"
"""The target that means every paper."""

Announce = Callable[[str], None]


@dataclass(frozen=True)
class Asked:
    """How much is run: seeds per setting (``None``: as many as the verdicts need), few points, one reading only; not
    what is known of an earlier run.
    """

    seeds: int | None
    quick: bool
    reading: str
    values: Path | None = None

    def known(self, paper: str, plans: Sequence[Plan]) -> Values | None:
        """What runs of a paper gave, as far as that is known and need not be made."""
        if self.values is None:
            return None
        values = read(self.values, paper)
        values.check(plans)
        return values


def main(
    target: str,
    *,
    seeds: int | None = None,
    quick: bool = False,
    reading: str = "",
    jobs: Jobs = None,
    out: str | Path | None = None,
    store: Store | str | Path | bool | None = None,
    progress: progress_bars.Progress = None,
    announce: Announce | None = None,
    values: str | Path | None = None,
) -> Reproduction | PaperReproduction | Papers:
    """Run an experiment, or all of a paper's or of all papers, again and judge the claims.

    Parameters
    ----------
    target : str
        ``"saedi2019/fig3.5"``, or ``"saedi2019"`` for every experiment that can be run, or ``"all"`` for every paper
        (these can take hours).
    seeds : int, optional
        Runs per setting, the same number everywhere. If not given, three if `quick`, and else as many as the verdicts
        need: see :mod:`windlass.reproduce.looks`.
    quick : bool
        Fewer points and seeds; the points that a claim names are kept. Intervals are wide.
    reading : str
        The one reading to judge the claims in beside the base: a key of the paper's ledger, or ``"modern"``, today's
        senders on the same path. Empty for all that the ledger asks.
    jobs : int or Cluster, optional
        Threads; all cores if not given. Or a cluster, as in :func:`windlass.sweep`.
    out : path, optional
        Folder for report and data; ``reproduced/<paper>-<experiment>`` (or ``reproduced/<paper>``) if not given, with
        ``-<reading>`` behind it for one reading.
    store : Store, path or bool, optional
        Where finished runs are kept; the default store if not given.
    progress : callable or bool, optional
        As in :func:`windlass.sweep`. The total grows when more seeds are needed.
    announce : callable, optional
        Called with the name of each experiment of a paper before it is run.
    values : path, optional
        Folder of an earlier run of papers, or of its published pages: runs of this engine whose values are there are
        not made again, and verdicts and pages are the same as if they were.

    Returns
    -------
    Reproduction, PaperReproduction or Papers
        With the report and the data written.

    Raises
    ------
    InputError
        If there is no such experiment or reading, too few seeds for a full run, or no values of what is to
        be run.
    NotYet
        If the experiment needs something that this version cannot simulate.
    """
    asked = _asked(target, seeds, quick, reading, values)
    with progress_bars.progress_of(progress, target) as step:
        return _made(target, asked, jobs, out, True if store is None else store, step, announce)


def _made(
    target: str,
    asked: Asked,
    jobs: Jobs,
    out: str | Path | None,
    place: Store | str | Path | bool,
    progress: Progress | None,
    announce: Announce | None,
) -> Reproduction | PaperReproduction | Papers:
    from windlass import report

    if target == ALL:
        return _every_paper(asked, jobs, out, place, progress, announce)
    if "/" not in target:
        whole = _whole_paper(target, asked, jobs, out, place, progress, announce)
        if out is None:
            report.write_index(whole.folder.parent)
        return whole
    book, experiment = books.experiment(target)
    plan = _plan(book, experiment, asked)
    state = run_plan(plan, jobs=jobs, store=place, progress=progress, values=asked.known(book.id, [plan]))
    return _reproduce(plan, _folder(target, out, asked.reading), state)


def outline(
    target: str,
    *,
    seeds: int | None = None,
    quick: bool = False,
    reading: str = "",
    out: str | Path | None = None,
) -> Outline:
    """What :func:`main` would run with these parameters, and about how long it takes; runs nothing.

    Returns
    -------
    Outline
        A row for each experiment that can be run, and the others with what they lack.

    Raises
    ------
    InputError, NotYet
        As :func:`main` does.
    """
    return _outline(target, _asked(target, seeds, quick, reading), out)


def _outline(target: str, asked: Asked, out: str | Path | None) -> Outline:
    if target == ALL:
        parts = [_outline(paper, asked, _below(out, paper)) for paper in books.papers()]
        return Outline([row for part in parts for row in part.rows], [one for part in parts for one in part.missing])
    folder = _folder(target, out, asked.reading)
    if "/" in target:
        book, experiment = books.experiment(target)
        return Outline([row_of(_plan(book, experiment, asked), folder)], [])
    plans, missing = _plans(books.load(target), asked)
    seen: set[str] = set()
    return Outline([row_of(plan, folder / plan.experiment.name, seen) for plan in plans], missing)


def _asked(target: str, seeds: int | None, quick: bool, reading: str, values: str | Path | None = None) -> Asked:
    """What is asked of a target, its reading checked before anything is run."""
    if reading:
        papers = books.papers() if target == ALL else [target.partition("/")[0]]
        check_reading([books.load(paper) for paper in papers], reading)
    return Asked(seeds, quick, reading, None if values is None else Path(values))


def _folder(target: str, out: str | Path | None, reading: str) -> Path:
    """Where a target's report is."""
    return (
        Path(out) if out is not None else Path("reproduced") / "-".join([*target.split("/"), *filter(None, [reading])])
    )


def _below(out: str | Path | None, paper: str) -> Path | None:
    return None if out is None else Path(out) / paper


def _plans(book: Ledger, asked: Asked) -> tuple[list[Plan], list[tuple[Experiment, str]]]:
    """Plans of a paper's experiments that can be run, and the others with what they lack."""
    plans, missing = [], []
    for entry in book.experiments.values():
        try:
            plans.append(_plan(book, entry, asked))
        except NotYet as error:
            missing.append((entry, error.message))
    return plans, missing


def _whole_paper(
    paper: str,
    asked: Asked,
    jobs: Jobs,
    out: str | Path | None,
    store: Store | str | Path | bool,
    progress: Progress | None,
    announce: Announce | None,
) -> PaperReproduction:
    """Every experiment of a paper that can be run, one after the other, and an overview."""
    book = books.load(paper)
    plans, missing = _plans(book, asked)
    if not plans:
        raise NotYet(f"`{paper}` has no experiment that can be run yet: {missing[0][1]}")
    folder = _folder(paper, out, asked.reading)
    discard(folder)  # an overview of other results than those that now come beside it
    seen: set[str] = set()
    ahead = [row_of(plan, folder / plan.experiment.name, seen).runs[1] for plan in plans]
    known = asked.known(paper, plans)
    parts = []
    done = 0
    for number, plan in enumerate(plans):
        if announce is not None:
            announce(f"{plan.experiment.id} ({number + 1} of {len(plans)})")
        step = None if progress is None else _offset(progress, done, ahead[number:])
        state = run_plan(plan, jobs=jobs, store=store, progress=step, values=known)
        parts.append(_reproduce(plan, folder / plan.experiment.name, state).without_lines())
        done += state.total
    if progress is not None:
        progress(done, done)
    whole = PaperReproduction(book, parts, missing, asked.quick, folder)
    write_overview(whole)
    return whole


def _every_paper(
    asked: Asked,
    jobs: Jobs,
    out: str | Path | None,
    store: Store | str | Path | bool,
    progress: Progress | None,
    announce: Announce | None,
) -> Papers:
    """All papers of the ledger, one after the other, and an index over them, which is there from the first one on."""
    from windlass import report

    parts, missing = [], {}
    for paper in books.papers():
        try:
            whole = _whole_paper(paper, asked, jobs, _below(out, paper), store, progress, announce)
        except NotYet as error:
            missing[paper] = error.message
            continue
        report.write_index(whole.folder.parent)
        parts.append(whole)
    return Papers(parts, missing)


def _offset(progress: Progress, before: int, ahead: Sequence[int]) -> Progress:
    """Progress of one experiment after ``before`` runs of others.

    ``ahead`` are the runs that are expected of it and of those after it.
    """
    return lambda finished, total: progress(before + finished, before + max(total, ahead[0]) + sum(ahead[1:]))


def _plan(book: Ledger, experiment: Experiment, asked: Asked) -> Plan:
    experiments.require(book, experiment)
    over = overrides(book, experiment, asked.seeds, asked.quick)
    adaptive = asked.seeds is None and not asked.quick
    claims = book.claims_of(experiment.id)
    return Plan(book, experiment, over, claims, asked.quick, registry(), adaptive, asked.reading)


def _reproduce(plan: Plan, folder: Path, state: Sequential) -> Reproduction:
    """Judge the claims on the results of a plan, and write report and data."""
    book, experiment = plan.book, plan.experiment
    measured, runs_of = state.measured, state.digests.values()
    base = plan.data(measured, "base", experiment.id)
    runs = [_reading(plan, reading, state) for reading in plan.readings]
    outcomes = [_outcome(claim, runs, state) for claim in plan.claims]
    fewest, most = seeds_of_base(plan, state.counts)
    reproduction = Reproduction(
        ledger=book,
        experiment=experiment,
        settings=plan.settings(),
        base=base_words(plan, f"{fewest}" if fewest == most else f"{fewest} to {most}"),
        duration_s=plan.duration_s,
        seeds=plan.seeds_used(most),
        fewest_seeds=fewest,
        adaptive=plan.looks.adaptive,
        confidence=plan.looks.confidence,
        cpu_s=plan.cpu_s,
        quick=plan.quick,
        data=base,
        algorithms=plan.algorithm_names(),
        runs=runs,
        outcomes=outcomes,
        limits=plan.limits("base"),
        network=plan.jobs[0].case.scenario.points()[0].capacity(),
        judged=calls_by_cause(plan, state.results),
        cautions=cautions_on(plan, state.digests, base),
        folder=folder,
        registry=plan.registry,
        scenarios=plan.documents(),
        made=len({run.key for run in runs_of if not run.stored}),
        total=state.total,
        took_s=plan.took_s,
        reading=plan.reading,
        others={name: plan.data(measured, "base", name) for name in plan.wanted if name != experiment.id},
    )
    write(reproduction, state)
    return reproduction


def _reading(plan: Plan, reading: Reading, state: Sequential) -> ReadingRun:
    """What a reading gave, or why it was not run."""
    if reading.key in plan.missing:
        return ReadingRun(reading, None, plan.missing[reading.key])
    if (reading.key, plan.experiment.id) not in state.measured.values and plan.own:
        return ReadingRun(reading, None, "no claim of this experiment is judged by it")
    return ReadingRun(reading, plan.data(state.measured, reading.key, plan.experiment.id))


def _outcome(claim: Claim, runs: Sequence[ReadingRun], state: Sequential) -> Outcome:
    """A claim's verdict in the base setting and in each reading that can change it."""
    plan = state.plan
    judgement = state.stopped(claim, "base", state.judge(claim, "base"))
    concerning = [] if judgement.verdict == "not measurable" else plan.concerning(claim)
    found, missing = [], []
    for run in runs:
        if run.reading not in concerning:
            continue
        if run.reading.key in plan.missing:
            missing.append((run.reading, run.missing))
            continue
        key = run.reading.key
        other = state.stopped(claim, key, state.judge(claim, key))
        settled = not verdicts.OPEN & {other.verdict, judgement.verdict}
        found.append((run.reading, other, settled and other.verdict != judgement.verdict))
    return Outcome(claim, judgement, tuple(found), tuple(missing))
