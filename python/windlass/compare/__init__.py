"""Algorithms and queues beside each other on paths: what each gets, how long packets wait, what it costs others.

The same path and the same seeds serve every candidate, so that what random loss does to the n-th packet is the same for
all, and differences are taken seed by seed. The answer at the end says which to take.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.compare.model import LIMITS, Comparison, Outcome, Senders, Statement, Trial, Verdict
from windlass.compare.requests import Algorithm, algorithm_value, baseline_of, named_algorithms, named_queues
from windlass.errors import InputError
from windlass.neighbour import NEIGHBOUR
from windlass.progress import progress_of

if TYPE_CHECKING:
    from windlass import _core
    from windlass.progress import Progress
    from windlass.scenario import Scenario
    from windlass.store import Store
    from windlass.workers import Jobs

__all__ = [
    "LIMITS",
    "NEIGHBOUR",
    "Comparison",
    "Outcome",
    "Senders",
    "Statement",
    "Trial",
    "Verdict",
    "algorithm_value",
    "compare",
]


def compare(
    path: Scenario | str | Path | Sequence[Scenario | str | Path],
    algorithms: Sequence[Algorithm],
    *,
    queues: Sequence[str | Mapping[str, Any]] = (),
    queue_at: str | None = None,
    baseline: str | None = None,
    group: str | None = None,
    neighbour: bool = True,
    seeds: int | Sequence[int] | None = None,
    jobs: Jobs = None,
    store: Store | str | bool = True,
    progress: Progress = None,
    cancel: _core.Cancel | None = None,
) -> Comparison:
    """Run the same paths with each algorithm and each queue, and say which to take.

    Parameters
    ----------
    path : Scenario, str or Path, or a sequence of them
        The path with its flows, a file, or a ready scenario's name; the algorithm of `group` in it does not matter.
        Several paths, and each point of a sweep, are settings at which the candidates are compared.
    algorithms : sequence of str, class or mapping
        Names, ``"cerl:cerl_cmp=gt"``, classes derived from :class:`windlass.CongestionControl`, or tables of a name
        (or class) and parameters.
    queues : sequence of str or mapping
        Queues to compare as well: ``"codel"``, ``"1 bdp"``, ``"100 ms"``, ``"red:min=5 packets"``, or tables
        as of a link. Every algorithm is run with every queue; without any, with the path's own.
    queue_at : str, optional
        Key of the queue to change; that of the narrowest link of `group` if not given.
    baseline : str, optional
        What gains are against: an algorithm, ``"ALGORITHM with QUEUE"``, or a queue; the first of each if not given.
    group : str, optional
        Group of flows to change; the first one if not given. Other groups stay as they are.
    neighbour : bool
        Also run the path with one of the flows replaced by a NewReno flow (with a single flow: one added), beside each
        algorithm and beside NewReno.
    seeds, jobs, store, progress, cancel
        As in :func:`windlass.sweep`.

    Returns
    -------
    Comparison
        A row for each candidate and setting, cautions, and the answer; ``write("report.html")`` makes a page of it.

    Raises
    ------
    InputError
        If an algorithm, a queue, the baseline or the group is unknown, or one of them is named twice.
    Interrupted
        After Ctrl-C; finished runs stay in the store.
    """
    from windlass.compare.assembly import assembled, judgement_of
    from windlass.compare.ranges import draws_of, evidence_of, held_against
    from windlass.compare.running import labelled, planned, settings_of
    from windlass.sweep import execute, open_store, with_seeds

    named, disciplines = named_algorithms(algorithms), named_queues(queues)
    wanted = baseline_of(baseline, named, disciplines)
    paths = _paths(path)
    paths = {name: with_seeds(one, seeds) for name, one in paths.items()}
    settings, found = settings_of(paths, group, next(iter(named.values())))
    cells, cautions = planned(found, named, disciplines, neighbour, queue_at)
    candidates = [(label, queue) for queue in disciplines for label in named]
    evidence = evidence_of(paths, bool(queues))
    tells = len(candidates) > 1 and min(len(setting.seeds) for setting in settings) > 1
    draws = draws_of(paths, evidence) if tells else []
    rounds = [(settings, cells)]
    for draw in draws:
        own, places = settings_of(draw.paths, group, next(iter(named.values())))
        rounds.append((own, planned(places, named, disciplines, False, queue_at)[0]))
    tasks = [(cell.point, seed) for own, part in rounds for cell in part for seed in own[cell.setting].seeds]
    with progress_of(progress, "comparison") as step:
        made = iter(execute(tasks, jobs=jobs, store=open_store(store), progress=step, cancel=cancel))
    done = [
        [
            [labelled(next(made), own[cell.setting], cell, len(paths) > 1) for _ in own[cell.setting].seeds]
            for cell in part
        ]
        for own, part in rounds
    ]
    judged = [judgement_of(own, candidates, wanted, part, runs) for (own, part), runs in zip(rounds, done, strict=True)]
    result = assembled(settings, named, list(disciplines), wanted, cells, done[0], cautions)
    return held_against(result, judged[0], list(zip(draws, judged[1:], strict=True)), evidence)


def _paths(path: Scenario | str | Path | Sequence[Scenario | str | Path]) -> dict[str, Scenario]:
    """The paths by name; two of one name are told apart by number."""
    from windlass.scenario import Scenario, load

    several = [path] if isinstance(path, (Scenario, str, Path)) else list(path)
    if not several:
        raise InputError("no path", code="compare.nothing", hint="give a scenario: `--path lossy-dumbbell`")
    loaded = [one if isinstance(one, Scenario) else load(one) for one in several]
    named: dict[str, Scenario] = {}
    for one in loaded:
        name, number = one.name, 2
        while name in named:
            name, number = f"{one.name} ({number})", number + 1
        named[name] = one
    return named
