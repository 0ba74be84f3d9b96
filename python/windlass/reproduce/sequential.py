"""Run an experiment with as many seeds as its verdicts need.

The base starts with at least ten seeds at every point. A reading starts with three, only for the variants and at the
points that some claim is judged by, and of the points at some first. Then all claims are judged, and where a verdict
could still become another one, the cells that it hangs on go on to the next look (:mod:`windlass.reproduce.looks`):
first as few of them as could settle it, those that promise to do so soonest. The base also goes on where that makes its
headline metric known well enough. The readings of a claim wait for its verdict in the base, and stay where they are if
that is left open. They go on to more points where their verdict is not that of the base, or is open with ten seeds.

What is run next follows from results alone, and every run is in the store, so a reproduction that was interrupted comes
to the same runs and the same verdicts.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from windlass import stats
from windlass.errors import Interrupted
from windlass.ledger import Claim
from windlass.reproduce.looks import FORESIGHT, TRUSTED
from windlass.reproduce.metrics import headline_metric
from windlass.reproduce.packed import Packer
from windlass.reproduce.plan import Measured, Only, Place, Plan, Progress, Task
from windlass.reproduce.values import Digest, Values, digest, is_kept, kept_metrics, take
from windlass.verdicts import OPEN, Cell, Judgement, derived
from windlass.verdicts.intervals import Samples

if TYPE_CHECKING:
    from windlass.store import Store
    from windlass.sweep import RunResult
    from windlass.workers import Jobs

At = tuple[str, tuple[object, ...]]
"""A point of an experiment."""

MORE = 2
"""Points that are added to those at which a claim is looked at in readings, at the most, to show the base's verdict."""

BATCH = 2000
"""Runs whose results wait in memory to be measured and packed."""

STOPPED = {
    "decided": "no value in the intervals gives another verdict",
    "narrow": "an interval is no wider than the claim's tolerance",
    "vain": "the most seeds would hardly settle it: the chance is below 30 %, judging by the runs so far",
    "stored": "the values that were given have no more seeds, which a run would go on to",
    "open": "the base leaves the claim open, so that this reading cannot change its verdict",
    "cap": "the most seeds were run, and it could still change",
    "fixed": "this number of seeds was asked for",
    "by run": "the paper draws its seeds along an axis, and each run is judged by itself",
}
"""Why a claim got no more seeds."""


def run_plan(
    plan: Plan,
    *,
    jobs: Jobs,
    store: Store | str | Path | bool,
    progress: Progress | None,
    values: Values | None = None,
) -> Sequential:
    """Make all runs of a plan, but for those whose values are known. ``plan.tasks`` are then all of them, in their
    order.
    """
    from windlass.sweep import open_store

    state = Sequential(plan, jobs, open_store(store), progress, values)
    state.make()
    while plan.looks.adaptive and state.grow():
        state.make()
    return state


def start(plan: Plan) -> dict[Place, int]:
    """Number of seeds of each place at the first look; places that nothing needs are left out."""
    counts: dict[Place, int] = {}
    for (reading, cell), place in plan.places.items():
        if cell[0] in plan.own and (reading == "base" or reading in plan.forms):
            counts[place] = plan.looks.of(reading)[0]
    for claim in plan.claims:
        screened = _inside(plan.needs(claim), next(iter(plan.screens(claim)), None))
        counts |= {place: plan.first(place) for place in places_of(plan, "base", plan.needs(claim))}
        for reading in plan.asked(claim):
            counts |= {place: plan.first(place) for place in places_of(plan, reading, screened)}
    for number, job in enumerate(plan.jobs):
        if job.kind != "measure":
            count = 1 if job.kind == "events" else plan.looks.of(job.reading)[0]
            counts |= {(number, index): count for index in range(len(job.points))}
    return counts


def places_of(plan: Plan, reading: str, cells: Iterable[Cell]) -> set[Place]:
    """Where cells are run for a reading."""
    return {place for cell in cells if (place := plan.place(reading, cell)) is not None}


def _inside(cells: Iterable[Cell], only: Only | None) -> frozenset[Cell]:
    """The cells at some points of their experiments; all of them if no points are given."""
    return frozenset(cell for cell in cells if only is None or cell[2] in only[cell[0]])


class Sequential:
    """The runs of a plan so far: how many seeds each place has, what they gave (the results of those that were made or
    read, what is remembered of all), at which points the readings of a claim are looked at on the way to all of them
    and how many of these steps each has behind it, and which claims the base leaves open. ``values`` has what runs gave
    that need not be made; a place that has seeds there gets no more than it has there.
    """

    def __init__(
        self,
        plan: Plan,
        jobs: Jobs,
        store: Store | None,
        progress: Progress | None,
        values: Values | None = None,
    ) -> None:
        self.plan = plan
        self.jobs = jobs
        self.store = store
        self.progress = progress
        self.counts = start(plan)
        self.values = values
        self.results: dict[Task, RunResult] = {}
        self.digests: dict[Task, Digest] = {}
        self.measured = Measured()
        self.stages: dict[tuple[str, str], int] = {}
        self.screens: dict[str, list[Only | None]] = {}
        self.left_open: set[str] = set()
        self.ended: set[Place] = set()
        self._packer = Packer()

    def make(self) -> None:
        """Make the runs that are not there yet, and measure them."""
        plan = self.plan
        wanted = [Task(*place, seed) for place, count in self.counts.items() for seed in plan.seeds_of(place, count)]
        fresh = sorted(task for task in wanted if task not in self.digests)
        for first in range(0, len(fresh), BATCH):
            self._make(self._not_known(fresh[first : first + BATCH]), max(0, len(fresh) - first - BATCH))
        plan.tasks = sorted(self.digests)

    def _not_known(self, tasks: Sequence[Task]) -> list[Task]:
        """Keep what is known of some runs; the others are left to make."""
        if self.values is not None:
            metrics = frozenset(kept_metrics(self.plan))
            for task in tasks:
                known = take(self.plan, task, self.values, metrics, self.measured)
                if known is not None:
                    self.digests[task] = known
        return [task for task in tasks if task not in self.digests]

    def _make(self, tasks: Sequence[Task], behind: int) -> None:
        """Make some runs, with so many behind them, and keep what they gave in little room."""
        from windlass.sweep import execute

        if not tasks:
            return
        plan, before = self.plan, self.total

        def step(done: int, total: int) -> None:
            if self.progress is not None:
                self.progress(before + done, before + total + behind)

        started, spent = time.monotonic(), time.process_time()
        try:
            runs = [(plan.jobs[task.job].points[task.point], task.seed) for task in tasks]
            results = execute(runs, jobs=self.jobs, store=self.store, progress=step)
        except Interrupted as stopped:
            raise Interrupted(
                before + stopped.done, before + stopped.total + behind, stopped.stored, stopped.left
            ) from None
        plan.took_s += time.monotonic() - started
        plan.cpu_s += time.process_time() - spent
        plan.measure(tasks, results, self.measured)
        self.digests |= zip(tasks, map(digest, results), strict=True)
        self.results |= zip(tasks, map(self._packer.pack, results), strict=True)

    @property
    def total(self) -> int:
        """How many different runs there are; what is alike in two readings is run once."""
        return len({one.key for one in self.digests.values()})

    def only(self, claim: Claim, reading: str) -> Only | None:
        """The points at which a claim is looked at in a reading; none if at all of them."""
        if reading == "base":
            return None
        return next(iter(self._screens(claim)[self._stage(claim, reading) :]), None)

    def _screens(self, claim: Claim) -> Sequence[Only | None]:
        """The points at which readings of a claim are looked at on the way to all; none in place of a step left out."""
        return self.screens.get(claim.id, self.plan.screens(claim))

    def _stage(self, claim: Claim, reading: str) -> int:
        """The step at which a reading is."""
        screens = self._screens(claim)
        first = self.stages.get((claim.id, reading), 0)
        return next((step for step in range(first, len(screens)) if screens[step] is not None), len(screens))

    def needs(self, claim: Claim, reading: str) -> frozenset[Cell]:
        """Cells that a claim is judged by in a reading."""
        return _inside(self.plan.needs(claim), self.only(claim, reading))

    def judge(self, claim: Claim, reading: str, confidence: float | None = None) -> Judgement:
        """The verdict on a claim in a reading, at the points at which it is looked at."""
        return self.plan.judge(self.measured, claim, reading, confidence, self.only(claim, reading))

    def grow(self) -> bool:
        """Send places on to their next look where a verdict needs it, and readings to more points; whether any was."""
        goals: dict[Place, int] = {}
        widened = False
        self.left_open = set()
        for claim in self.plan.claims:
            base = self.judge(claim, "base")
            if self._goes_on(goals, claim, "base", base):
                continue
            if base.verdict in OPEN:
                self.left_open.add(claim.id)
                continue
            self.screens[claim.id] = [self._telling(claim, screen, base) for screen in self._screens(claim)]
            for reading in self.plan.asked(claim):
                if self._reach(claim, reading):
                    widened = True
                    continue
                judgement = self.judge(claim, reading)
                if self._serves_better(claim, reading, judgement):
                    wider = True
                else:
                    goes_on = self._goes_on(goals, claim, reading, judgement)
                    wider = not goes_on and self._differs(claim, reading, judgement, base)
                if wider and not self._beyond(claim, reading):
                    widened = True
                    self._widen(claim, reading)
                    self._reach(claim, reading)
        for cell in self._imprecise():
            self._send_on(goals, "base", [cell])
        grown = {place: goal for place, goal in goals.items() if goal > self.counts[place]}
        self.counts |= grown
        return widened or bool(grown)

    def _serves_better(self, claim: Claim, reading: str, judgement: Judgement) -> bool:
        """Whether more points serve a reading better than more seeds: it is open, not in vain, and has seeds enough."""
        cells = self._open(claim, reading, judgement)
        return (
            self.only(claim, reading) is not None
            and not judgement.settled
            and min(self._counts(reading, cells), default=0) >= FORESIGHT
            and not self._in_vain(claim, reading, cells)
        )

    def _telling(self, claim: Claim, screen: Only | None, base: Judgement) -> Only | None:
        """Some points, and if need be one or two more, at which the base has the verdict that it has as a whole.

        None if there are no such points. Of several, those that take fewest runs, and then the first.
        """
        if screen is None:
            return None
        every = _points(self.plan.needs(claim))
        left = sorted(every - _pairs(screen), key=self._at)
        for count in range(MORE + 1):
            for some in sorted(combinations(left, count), key=lambda points: self._price(claim, points)):
                only = {name: points | {at for of, at in some if of == name} for name, points in screen.items()}
                if every <= _pairs(only):
                    continue
                if self.plan.judge(self.measured, claim, "base", only=only).verdict == base.verdict:
                    return only
        return None

    def _at(self, one: At) -> tuple[str, tuple[int, ...]]:
        """Where a point is on the axes of its experiment."""
        name, point = one
        axes = self.plan.book.experiments[name].axes
        return name, tuple(axis.points.index(value) for axis, value in zip(axes, point, strict=True))

    def _price(self, claim: Claim, points: Iterable[At]) -> int:
        """How many more places some points take in all readings of a claim."""
        cells = [cell for cell in self.plan.needs(claim) if (cell[0], cell[2]) in points]
        places = {place for reading in self.plan.asked(claim) for place in places_of(self.plan, reading, cells)}
        return len(places - self.counts.keys())

    def _widen(self, claim: Claim, reading: str) -> None:
        """Look at a reading at more points."""
        self.stages[claim.id, reading] = self._stage(claim, reading) + 1

    def _reach(self, claim: Claim, reading: str) -> bool:
        """Give all places at which a reading is looked at their first seeds; whether any had none."""
        places = places_of(self.plan, reading, self.needs(claim, reading)) - self.counts.keys()
        self.counts |= {place: self.plan.first(place) for place in places}
        return bool(places)

    def _goes_on(self, goals: dict[Place, int], claim: Claim, reading: str, judgement: Judgement) -> bool:
        """Send on the cells that could change a verdict, unless that is in vain; whether there are any."""
        cells = self._open(claim, reading, judgement)
        if not cells or self._in_vain(claim, reading, cells):
            return False
        for some in (self._soonest(reading, judgement, cells), cells):
            self._send_on(goals, reading, some)
            if any(goals[place] > self.counts[place] for place in places_of(self.plan, reading, some)):
                return True
        return False

    def _soonest(self, reading: str, judgement: Judgement, cells: frozenset[Cell]) -> frozenset[Cell]:
        """Those of the cells that may settle a verdict soonest; none where they have seeds enough to tell what is in
        vain, and others have not.
        """
        some = judgement.next_cells & cells
        seeds, others = (min(self._counts(reading, part), default=0) for part in (some, cells))
        return frozenset() if seeds >= FORESIGHT > others else some

    def _differs(self, claim: Claim, reading: str, judgement: Judgement, base: Judgement) -> bool:
        """Whether a reading that is looked at at some points has not the verdict of the base, which is one and the same
        there and as a whole.
        """
        return (
            self.only(claim, reading) is not None
            and judgement.verdict != "undecided"  # a point that is not there, and that the claim needs, counts as well
            and judgement.verdict != base.verdict
        )

    def _in_vain(self, claim: Claim, reading: str, cells: Iterable[Cell]) -> bool:
        """Whether the most seeds would hardly settle the verdict on these cells. Not asked of the base: what it leaves
        open all readings leave open, too.
        """
        if reading == "base":
            return False
        count = min(self._counts(reading, cells), default=0)
        if not FORESIGHT <= count < self.plan.looks.readings[-1]:
            return False
        return not self.judge(claim, reading, self.plan.looks.foreseen(count)).settled

    def _counts(self, reading: str, cells: Iterable[Cell]) -> list[int]:
        """Seeds of each place where cells are run for a reading."""
        return [self.counts[place] for place in places_of(self.plan, reading, cells)]

    def _open(self, claim: Claim, reading: str, judgement: Judgement) -> frozenset[Cell]:
        """Cells that could change a verdict."""
        needs = self.needs(claim, reading)
        if not judgement.settled:
            return judgement.open_cells or needs
        names = {str(check.get("metric")) for check in (claim.check, *claim.check.also)}
        metrics = {"throughput" if derived(name) else name for name in names}
        data = {name: self.plan.data(self.measured, reading, name).values for name in {cell[0] for cell in needs}}
        return frozenset(
            (name, variant, point)
            for name, variant, point in needs
            if any(_constant(data[name].get((metric, variant, point), {})) for metric in metrics)
        )

    def _imprecise(self) -> list[Cell]:
        """Cells of the base whose headline metric is not known well enough, and would be with more seeds."""
        plan = self.plan
        if not plan.own:
            return []
        data = plan.data(self.measured, "base", plan.experiment.id)
        metric, _ = headline_metric(data)
        found = []
        for (name, variant, point), values in data.values.items():
            interval = stats.mean_interval(list(values.values()))
            if name == metric and plan.looks.imprecise(interval):
                found.append((data.experiment, variant, point))
        return found

    def _send_on(self, goals: dict[Place, int], reading: str, cells: Iterable[Cell]) -> None:
        """Set the goal of those of some places that have fewest seeds, and of any behind it, to the next look."""
        places = places_of(self.plan, reading, cells)
        if not places:
            return
        least = min(self.counts[place] for place in places)
        looks = self.plan.looks
        target = next((look for look in looks.all if look > least), least)
        for place in places:
            own = looks.of(self.plan.jobs[place[0]].reading)
            goal = next((look for look in own if look >= target), own[-1])
            if self._ends(place, goal):
                self.ended.add(place)
                goal = self.counts[place]
            goals[place] = max(goals.get(place, 0), goal)

    def _beyond(self, claim: Claim, reading: str) -> bool:
        """Whether the values that were given have the points at which a reading is looked at, and not those that would
        come to them.
        """
        here = places_of(self.plan, reading, self.needs(claim, reading))
        self.stages[claim.id, reading] = self._stage(claim, reading) + 1
        more = places_of(self.plan, reading, self.needs(claim, reading)) - here
        self.stages[claim.id, reading] -= 1
        found = all(map(self._has, here)) and not all(map(self._has, more))
        if found:
            self.ended |= here
        return found

    def _ends(self, place: Place, goal: int) -> bool:
        """Whether the values that were given have the seeds that a place has, and not those up to a goal."""
        return self._has(place) and not self._has(place, goal)

    def _has(self, place: Place, count: int = 0) -> bool:
        """Whether the values that were given have so many seeds of a place, or those that it has or begins with."""
        job = self.plan.jobs[place[0]]
        if self.values is None or not is_kept(self.plan, job):
            return False
        metrics = frozenset(kept_metrics(self.plan))
        seeds = self.plan.seeds_of(place, count or self.counts.get(place, self.plan.first(place)))
        return all(self.values.of(job, place[1], seed, metrics) is not None for seed in seeds)

    def stopped(self, claim: Claim, reading: str, judgement: Judgement) -> Judgement:
        """The judgement with the number of seeds and points that it took, and why it got no more."""
        needs = self.needs(claim, reading)
        counts = self._counts(reading, needs)
        if not counts or judgement.verdict == "not measurable":
            return judgement
        if not self.plan.looks.adaptive:
            why = "by run" if self.plan.by_run else "fixed"
        elif judgement.settled:
            why = "narrow" if judgement.narrow else "decided"
        else:
            most = min(self._counts(reading, judgement.open_cells or needs), default=0)
            stays = "open" if reading != "base" and claim.id in self.left_open else "vain"
            if self.ended & places_of(self.plan, reading, judgement.open_cells or needs):
                stays = "stored"
            why = stays if most < self.plan.looks.of(reading)[-1] else "cap"
        points = None
        if self.only(claim, reading) is not None:
            points = (len(_points(needs)), len(_points(self.plan.needs(claim))))
        return replace(judgement, seeds=(min(counts), max(counts)), stopped=why, points=points)


def _points(cells: Iterable[Cell]) -> set[At]:
    """The points of cells, with their experiments."""
    return {(name, point) for name, _, point in cells}


def _pairs(only: Only) -> set[At]:
    """Points with their experiments."""
    return {(name, point) for name, points in only.items() for point in points}


def _constant(values: Samples) -> bool:
    """Whether a few seeds gave the same, which says little about the next one."""
    return 1 < len(values) < TRUSTED and len(set(values.values())) == 1


def seeds_of_base(plan: Plan, counts: Mapping[Place, int]) -> tuple[int, int]:
    """Fewest and most seeds of the experiment's own base."""
    own = [
        counts[place]
        for (reading, cell), place in plan.places.items()
        if reading == "base" and (cell[0] in plan.own or not plan.own) and place in counts
    ]
    return min(own), max(own)
