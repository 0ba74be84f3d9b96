"""Sweeps: every point of a scenario with every seed, on all cores, each run made once.

A sweep is a list of independent runs. Each has a content key; what the store already holds is read instead of run, so a
stopped sweep goes on where it stopped and a repeated one costs nothing. Runs finish in any order; the tables are always
in the order of points, then seeds, whatever the number of threads.
"""

from __future__ import annotations

import atexit
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from windlass.amounts import counted
from windlass.cautions import cautions_of, of_description, of_seeds
from windlass.errors import InputError, Interrupted
from windlass.progress import Progress, Step, progress_of
from windlass.resources import check
from windlass.results import RunResult, SweepResult
from windlass.store import Store
from windlass.workers import side_by_side, workers_for

if TYPE_CHECKING:
    from windlass import _core
    from windlass.scenario import Scenario
    from windlass.workers import Jobs

__all__ = ["RunResult", "SweepResult", "execute", "run", "sweep"]

MAX_SEEDS = 200
"""Most seeds per point that a target precision may lead to, unless the caller says otherwise."""

START_SEEDS = 5
"""Least number of seeds before a target precision is looked at: two may agree by luck."""


class Runnable(Protocol):
    """What a sweep needs of a point; :class:`windlass.scenario.Point` has it."""

    @property
    def axes(self) -> dict[str, str | int | float | bool]:
        """Swept keys and their values."""
        ...

    def key(self, seed: int) -> str:
        """Content key of a run."""
        ...

    def results(self) -> int:
        """Number of the last change of results that concerns its runs."""
        ...

    def estimate(self) -> dict[str, float]:
        """What one run needs at most."""
        ...

    def effective_json(self) -> str:
        """The description with every default."""
        ...

    def composed(self) -> dict[str, Any]:
        """The description as written."""
        ...

    def run(self, seed: int, cancel: _core.Cancel | None = None) -> RunResult:
        """Make a run."""
        ...


def run(scenario: Scenario, seed: int | None = None) -> RunResult:
    """Run a scenario of one point once. Can be stopped with Ctrl-C.

    Parameters
    ----------
    scenario : Scenario
        Without a sweep, or with every swept key set.
    seed : int, optional
        The scenario's first seed if not given.

    Raises
    ------
    InputError
        If the scenario has more than one point, or its description cannot become a network.
    Interrupted
        After Ctrl-C.
    """
    points = scenario.points()
    if len(points) != 1:
        axes = ", ".join(f"`{axis}`" for axis in points[0].axes)
        raise InputError(
            f"`{scenario.name}` sweeps {axes}: {len(points)} points, and a single run needs one",
            code="run.many-points",
            hint=f"choose with `--set {next(iter(points[0].axes))}=VALUE` and so on, or use `windlass sweep`",
        )
    if seed is not None:
        _check_seeds([seed])
    return execute([(points[0], scenario.seeds[0] if seed is None else seed)], jobs=1)[0]


def sweep(
    scenario: Scenario,
    *,
    seeds: int | Sequence[int] | None = None,
    jobs: Jobs = None,
    store: Store | str | Path | bool = True,
    progress: Progress = None,
    cancel: _core.Cancel | None = None,
    precision: float | None = None,
    metric: str = "goodput_bps",
    max_seeds: int = MAX_SEEDS,
) -> SweepResult:
    """Run every point of a scenario with every seed.

    Parameters
    ----------
    scenario : Scenario
        With or without ``[sweep]``.
    seeds : int or sequence of int, optional
        How many seeds, or which; the scenario's own if not given.
    jobs : int or Cluster, optional
        Threads; all cores if not given. The engine releases the interpreter's lock while it runs. A
        :class:`windlass.Cluster` makes the runs on its machines.
    store : Store, path or bool
        Where finished runs are kept and looked for: ``True`` the default store, ``False`` none.
    progress : callable or bool, optional
        Called with (finished, total) after each run. By default a notebook shows a bar and nothing else does; ``True``
        shows one on a terminal as well, ``False`` none.
    cancel : _core.Cancel, optional
        Setting it from another thread stops the sweep as Ctrl-C does.
    precision : float, optional
        Half-width of the 95 % interval wanted, as a share of the mean (0.02 for 2 %). Seeds are added at each point
        until its interval is that narrow or has ``max_seeds``.
    metric : str
        Column of ``flows`` that `precision` looks at, averaged over the flows of a run.
    max_seeds : int
        Most seeds per point with `precision`.

    Returns
    -------
    SweepResult
        Runs in the order of points, then seeds, whatever the number of threads.

    Raises
    ------
    InputError
        If seeds, jobs or precision make no sense, or a point cannot be run.
    Interrupted
        After Ctrl-C; finished runs stay in the store.
    """
    scenario = with_seeds(scenario, seeds)
    points = scenario.points()
    chosen = scenario.seeds
    place = open_store(store)
    check(points, len(points) * (len(chosen) if precision is None else 1), side_by_side(jobs))
    if precision is not None:
        _check_precision(precision, max_seeds)
    cautions: list[str] = []
    with progress_of(progress, scenario.name) as step:
        if precision is None:
            tasks = [(point, seed) for point in points for seed in chosen]
            results = execute(tasks, jobs=jobs, store=place, progress=step, cancel=cancel)
        else:
            results, cautions = _until_precise(
                points, chosen, precision, metric, max_seeds, jobs=jobs, store=place, progress=step, cancel=cancel
            )
    by_point: dict[str, list[RunResult]] = {}
    for result in results:
        by_point.setdefault(str(result.axes), []).append(result)
    cautions = [*cautions_of(results), *of_seeds(by_point.values()), *cautions]
    return SweepResult(scenario.name, results, [point.effective_json() for point in points], cautions)


def execute(
    tasks: Sequence[tuple[Runnable, int]],
    *,
    jobs: Jobs = None,
    store: Store | None = None,
    progress: Step | None = None,
    cancel: _core.Cancel | None = None,
) -> list[RunResult]:
    """Make runs side by side; runs with equal keys are made once.

    Parameters
    ----------
    tasks : sequence of (point, seed)
        What to run.
    jobs, store, progress, cancel
        As in :func:`sweep`.

    Returns
    -------
    list of RunResult
        In the order of `tasks`.

    Raises
    ------
    InputError
        If a run cannot be made.
    Interrupted
        After Ctrl-C or when the token was set; finished runs are in the store.
    """
    from windlass import _core

    token = _core.Cancel() if cancel is None else cancel
    check([point for point, _ in tasks], len(tasks), side_by_side(jobs))
    keys = [point.key(seed) for point, seed in tasks]
    unique = dict(zip(keys, tasks, strict=True))
    places = {key: _place_of(point, store) for key, (point, _) in unique.items()} if store else {}
    folder = Path.cwd()
    try:
        made = workers_for(jobs).make(unique, places, progress, token)
    finally:
        os.chdir(folder)  # an algorithm in Python may have gone elsewhere; results go where they were to go
        if store is not None:
            store.close()
    described = {id(point): tuple(of_description(point)) for point, _ in tasks}
    return [
        RunResult(key, seed, dict(point.axes), made[key].tables, made[key].stored, described[id(point)])
        for key, (point, seed) in zip(keys, tasks, strict=True)
    ]


def kept_for(point: Runnable) -> str:
    """How long the point's runs may be kept; see :func:`windlass.control.kept_for`."""
    control = sys.modules.get("windlass.control")  # else no algorithm in Python takes part
    return "always" if control is None else control.kept_for(point.effective_json)


def _place_of(point: Runnable, store: Store) -> Store | None:
    """Where the point's runs are looked for and kept."""
    kept = kept_for(point)
    return store if kept == "always" else _of_this_process() if kept == "process" else None


@cache
def _of_this_process() -> Store:
    """A store that goes with this process."""
    from windlass.store import Store

    folder = tempfile.TemporaryDirectory(prefix="windlass-")
    atexit.register(folder.cleanup)
    return Store(folder.name)


def open_store(store: Store | str | Path | bool) -> Store | None:
    """The store that is meant: ``True`` the default one, ``False`` none, else that place."""
    if store is False:
        return None
    if isinstance(store, Store):
        return store
    return Store() if store is True else Store(store)


def with_seeds(scenario: Scenario, seeds: int | Sequence[int] | None) -> Scenario:
    """The scenario with so many seeds, from its first one on, or with these; as it is with ``None``.

    Raises
    ------
    InputError
        If the seeds make no sense.
    """
    return scenario if seeds is None else scenario.with_({"scenario.seeds": _seeds(seeds)})


def _seeds(seeds: int | Sequence[int]) -> int | list[int]:
    if isinstance(seeds, int):
        if seeds >= 1:
            return seeds
    elif len(seeds) > 0 and len(set(seeds)) == len(seeds):
        _check_seeds(seeds)
        return list(seeds)
    raise InputError(
        f"seeds are {seeds!r}, must be a count from 1 or a list of different whole numbers",
        code="sweep.seeds",
        hint="10 means ten seeds from the scenario's first one",
    )


LAST_SEED = 2**63 - 1
"""The largest seed: as large as a column of the results can have."""


def _check_seeds(seeds: Sequence[int]) -> None:
    for seed in seeds:
        if not 0 <= seed <= LAST_SEED:
            raise InputError(
                f"a seed of {seed}: it must be from 0 to {LAST_SEED}",
                code="sweep.seeds",
                hint="any whole number does; 1 is the usual first one",
            )


def _check_precision(precision: float, max_seeds: int) -> None:
    if not 0.0 < precision < 1.0:
        raise InputError(
            f"precision {precision:g} is not between 0 and 1", code="sweep.precision", hint="0.02 means 2 % of the mean"
        )
    if max_seeds < 2:
        raise InputError("an interval needs at least 2 seeds", code="sweep.precision", hint="give more `max_seeds`")


def _until_precise(
    points: Sequence[Runnable],
    seeds: Sequence[int],
    precision: float,
    metric: str,
    max_seeds: int,
    *,
    jobs: Jobs,
    store: Store | None,
    progress: Step | None,
    cancel: _core.Cancel | None,
) -> tuple[list[RunResult], list[str]]:
    """Add seeds at each point until its interval is narrow enough; also the cautions for points where it never was.

    How many are added depends on results only, never on time, so the outcome is the same on any machine.
    """
    from windlass import stats

    chosen = [_grown(seeds, min(max_seeds, max(START_SEEDS, len(seeds)))) for _ in points]
    made: dict[tuple[int, int], RunResult] = {}
    while True:
        wanted = [(index, seed) for index, own in enumerate(chosen) for seed in own]
        fresh = [task for task in wanted if task not in made]
        before = len(made)

        def count(done: int, total: int, before: int = before) -> None:
            if progress is not None:
                progress(before + done, before + total)

        try:
            results = execute(
                [(points[index], seed) for index, seed in fresh], jobs=jobs, store=store, progress=count, cancel=cancel
            )
        except Interrupted as stopped:
            raise Interrupted(before + stopped.done, before + stopped.total, stopped.stored, stopped.left) from None
        made |= zip(fresh, results, strict=True)

        wide: list[str] = []
        grew = False
        for index, own in enumerate(chosen):
            values = [_run_mean(made[index, seed], metric) for seed in own]
            interval = stats.over_seeds(values)
            target = precision * abs(interval.mean)
            if interval.half_width <= target:
                continue
            if len(own) < max_seeds and interval.n >= 2 and target > 0.0:
                enough = stats.seeds_needed(values, target)
                chosen[index] = _grown(own, min(max_seeds, max(len(own) + 1, min(enough, 2 * len(own)))))
                grew = True
            else:
                wide.append(_too_wide(points[index], metric, interval, precision))
        if not grew:
            return [made[task] for task in wanted], wide


def _grown(seeds: Iterable[int], count: int) -> list[int]:
    """The seeds, with the numbers after the greatest added until there are `count`."""
    own = list(seeds)
    first = max(own) + 1
    return own + list(range(first, first + max(0, count - len(own))))


def _run_mean(result: RunResult, metric: str) -> float:
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    numbers = [
        field.name
        for field in result.flows.schema
        if kinds.is_floating(field.type) or kinds.is_integer(field.type) or kinds.is_boolean(field.type)
    ]
    if metric not in numbers:
        there = f"`{metric}` of flows is no number" if metric in result.flows.column_names else None
        raise InputError(
            there or f"flows have no column `{metric}`",
            code="sweep.precision",
            hint="there are " + ", ".join(f"`{name}`" for name in numbers),
        )
    mean = pc.mean(result.flows[metric]).as_py()
    return float("nan") if mean is None else float(mean)


def _too_wide(point: Runnable, metric: str, interval: Any, precision: float) -> str:
    where = ", ".join(f"{axis} = {value}" for axis, value in point.axes.items()) or "the only point"
    share = abs(interval.half_width / interval.mean) if interval.mean else float("nan")
    return (
        f"{where}: {metric} is known to {share:.1%} after {counted(interval.n, 'seed')}, {precision:.1%} was asked for"
    )
