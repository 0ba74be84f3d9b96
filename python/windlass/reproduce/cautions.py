"""What to know before trusting the numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from windlass.amounts import counted
from windlass.cautions import told
from windlass.ledger import Experiment, Ledger
from windlass.reproduce.plan import LEAST_SEEDS, Plan, Task
from windlass.reproduce.published import published
from windlass.reproduce.values import Digest
from windlass.verdicts import Data
from windlass.verdicts.judgement import unseen_share
from windlass.verdicts.words import place

Point = tuple[Any, ...]

FEW = 6
"""Points that are named one by one."""


def cautions_on(plan: Plan, digests: Mapping[Task, Digest], data: Data) -> list[str]:
    """What to know before trusting the numbers, the most general first."""
    found = []
    if plan.quick:
        counts = math.prod(len(values) for values in plan.points)
        every = math.prod(len(axis.points) for axis in plan.experiment.axes)
        points, wanted = (f" and {counts} of {every} points", " and every point") if counts < every else ("", "")
        few = f"{plan.looks.all[-1]} seeds{points} instead of at least {LEAST_SEEDS} seeds{wanted}"
        if plan.by_run:
            few = f"{counts} of {every} points, each with the seed of the paper"
        found.append(f"Quick run: {few}. Intervals are wide and verdicts provisional.{_no_quicker(plan, digests)}")
    found += left_open(plan.experiment, plan.book, plan.wanted)
    dry = _without_congestion(plan, digests)
    if dry:
        where = f"at {where_words(data, dry)}" if len(dry) < len(data.points) else "at any point"
        found.append(
            f"No variant lost a packet to congestion {where}: differences between reactions to congestion are not "
            "exercised there."
        )
    if not plan.by_run:
        found.append(unseen_words(plan.looks.base[0], plan.looks.readings[0]))
    same = _without_chance(plan, data)
    if same:
        found.append(
            f"Every seed gives the same at {where_words(data, same)}: nothing is random there, so the interval says "
            "nothing."
        )
    found += _without_headers(plan)
    once = {
        digests[task].key: digests[task].observed for task in plan.tasks
    }  # what is alike in two readings is one run
    found += [f"{caution}." for caution in told(list(once.values()))]
    used = set(plan.algorithm_names().values())
    for row in {row["name"]: row for row in plan.known.values()}.values():
        if row["name"] in used and row.get("caution"):
            found.append(f"{row['name']}: {row['caution']}.".replace("..", "."))
    return found


def _no_quicker(plan: Plan, digests: Mapping[Task, Digest]) -> str:
    """Where a quick run makes as many runs as the published one made in full."""
    runs = len({digests[task].key for task in plan.tasks})
    full = published().get(plan.experiment.id)
    if full is None or full.quick or not full.date or runs < full.runs:
        return ""
    return f" It is no quicker than a full run: it made {counted(runs, 'run')}, the published full run {full.runs}."


def left_open(entry: Experiment, book: Ledger, covered: Iterable[str]) -> list[str]:
    """How much of an experiment the paper leaves open, or of all those that a summary covers."""
    others = covered if entry.covers else ()
    count = len({*entry.open, *(key for name in others for key in book.experiments[name].open)})
    if count == 0:
        return []
    many = "1 parameter" if count == 1 else f"{count} parameters"
    what, table = ("this experiment", "table below")
    if entry.covers:
        what, table = ("the experiments that this sums up", "tables of their pages")
    them = "it" if count == 1 else "them"
    return [f"The paper leaves {many} of {what} open; every absolute value rests on our defaults for {them} ({table})."]


def where_words(data: Data, points: Sequence[Point]) -> str:
    """Some of the points in words: one by one while they are few; else the values of the axes that tell them from the
    others, or, where no such values do, how many there are, and the first.
    """
    if len(points) <= FEW:
        between = "; " if len(data.axes) > 1 else ", "
        return between.join(data.label(point) or "the only point" for point in points)
    every = [list(dict.fromkeys(point[at] for point in data.points)) for at in range(len(data.axes))]
    held = [
        [value for value in values if any(point[at] == value for point in points)] for at, values in enumerate(every)
    ]
    if math.prod(len(values) for values in held) == len(points):
        told = [
            ", ".join(place([(axis, value)]) for value in values)
            for axis, values, whole in zip(data.axes, held, every, strict=True)
            if len(values) < len(whole)
        ]
        return " with ".join(told) or "every point"
    return f"{len(points)} of {len(data.points)} points, the first of them {data.label(points[0])}"


def unseen_words(base: int, readings: int) -> str:
    """What the fewest seeds of the base and of readings cannot tell."""
    of_base, of_readings = (f"{100 * unseen_share(seeds):.2g} %" for seeds in (base, readings))
    more = f"; in readings, which begin with {readings}, in up to {of_readings}" if readings != base else ""
    return (
        f"What happens to a sender in few seeds may be in none of those that were run: that it is stuck in up to {of_base} "
        f"of all seeds, where there are {base}{more} (95 %)."
    )


def _without_chance(plan: Plan, data: Data) -> list[Point]:
    """Points at which all seeds of every variant give the same throughput."""
    if plan.looks.all[-1] < 2:
        return []
    return [
        point
        for point in data.points
        if all(len(set(data.get("throughput", variant, [point]).values())) == 1 for variant in data.variants)
    ]


def _without_headers(plan: Plan) -> list[str]:
    """Variants whose segments carry no header, where others' do: a link carries more of their payload."""
    lengths: dict[str, tuple[int, int]] = {}
    for job in plan.jobs:
        if job.reading == "base" and job.kind == "measure" and job.case.experiment in plan.own:
            for variant, groups in job.case.members.items():
                known = job.points[0].capacity(groups or ()) or {}
                lengths[variant.partition("#")[0]] = (known.get("payload", 0), known.get("packet", 0))
    bare = [variant for variant, (payload, packet) in lengths.items() if payload == packet > 0]
    most = max((packet / payload for payload, packet in lengths.values() if payload), default=1.0)
    if not bare or most == 1.0:
        return []
    more = f"{100 * (most - 1):.1f} % more of their payload than of the others'"
    return [f"{', '.join(bare)}: segments carry no header, as ns-2's do not, so that a link carries {more}."]


def _without_congestion(plan: Plan, digests: Mapping[Task, Digest]) -> list[Point]:
    """Points at which no run of the base lost a packet to congestion."""
    lost: dict[Point, bool] = {}
    for job, point, run in plan.rows(digests):
        if job.reading == "base" and job.case.experiment == plan.experiment.id:
            lost[point] = lost.get(point, False) or run.congested
    return [point for point, some in lost.items() if not some]
