"""CPU time of a run, before it is run: as it was measured or published, or else as near to that as can be told.

What was measured on another machine is told for this one by the yardstick (:mod:`windlass.reproduce.yardstick`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from windlass import experiments
from windlass import ledger as books
from windlass.ledger import Experiment
from windlass.reproduce.engine import engine_version
from windlass.reproduce.plan import Place, Plan
from windlass.reproduce.published import Published, published
from windlass.reproduce.yardstick import yardstick_s

SAMPLE = 48
"""Settings of an experiment whose cost is estimated, at least, where it has as many."""

FEW = 8
"""Points by which the networks of two experiments are compared."""


def cost(plan: Plan, counts: Mapping[Place, int], folder: Path) -> tuple[float | None, str]:
    """CPU time of a run of a plan on this machine, seconds, and where that is known from.

    ``measured`` in that folder by this engine, or ``published``, or else the mean over its runs, each as one of its
    experiment: ``alike`` if all of these were published or have one like them that was (:func:`alike`), ``estimated``
    if for one of them the engine's own estimate is all there is.
    """
    own, yardstick = measured_cost(folder)
    if own is not None:
        return _here(own, yardstick), "measured"
    rows = {name: _on_this_machine(row) for name, row in published().items()}
    last = _known(rows, plan.experiment)
    if last is not None:
        return last, "published"
    runs: dict[str, dict[Place, int]] = {}
    for place, count in counts.items():
        if plan.jobs[place[0]].kind == "measure":
            runs.setdefault(plan.jobs[place[0]].case.experiment, {})[place] = count
    if not runs:
        return None, "estimated"
    took, source = 0.0, "alike"
    for name, places in runs.items():
        one = _known(rows, plan.book.experiments[name])
        if one is None:
            one = alike(plan.book.experiments[name], rows)
        if one is None:
            one, source = _estimate(plan, places), "estimated"
        took += one * sum(places.values())
    return took / sum(sum(places.values()) for places in runs.values()), source


def _here(run_s: float, yardstick: float | None) -> float:
    """CPU time on this machine of what took that on one with such a yardstick; the same if that is not known."""
    return run_s if yardstick is None else run_s * yardstick_s() / yardstick


def _on_this_machine(row: Published) -> Published:
    return row if row.run_s is None else replace(row, run_s=_here(row.run_s, row.yardstick_s), yardstick_s=None)


def cost_of_run(entry: Experiment, last: Published) -> tuple[float | None, str]:
    """CPU time of a run of a published experiment on the machine that ran it, seconds, and where that is known from:
    what it took if that was measured, or else by others of the same network (``alike``), or the engine's own estimate.
    """
    if last.cost_is == "measured":
        return last.run_s, last.cost_is
    near = alike(entry, published())
    return (last.run_s, last.cost_is) if near is None else (near, "alike")


def _known(rows: Mapping[str, Published], entry: Experiment) -> float | None:
    """What a run of an experiment took in the run of all papers that was published last, seconds."""
    row = rows.get(entry.id)
    return None if row is None or row.cost_is != "measured" else row.run_s


def alike(entry: Experiment, rows: Mapping[str, Published]) -> float | None:
    """What a run takes by published experiments of the same network, seconds: of those that share most of the fixed
    values and axes, the mean cost, times the engine's estimate for this one over theirs.

    The engine reckons as if links were always full. How full they are, and what the readings change, depends on the
    network first of all, so that much of it cancels out.
    """
    own = {**entry.fixed, **{axis.key: axis.points for axis in entry.axes}}
    likeness = {
        name: sum(own.get(key) == value for key, value in other.fixed.items())
        + sum(own.get(axis.key) == axis.points for axis in other.axes)
        for name, other in books.load(entry.paper).experiments.items()
        if other.topology == entry.topology and not other.covers and _known(rows, other) is not None
    }
    most = max(likeness.values(), default=0)
    near = [name for name, common in likeness.items() if common == most]
    reckoned = sum(_reckoned(name) for name in near)
    if reckoned <= 0.0:
        return None
    return _reckoned(entry.id) * sum(rows[name].run_s or 0.0 for name in near) / reckoned


@cache
def _reckoned(name: str) -> float:
    """CPU time of a run in the base as the engine estimates it, mean over some of the points, seconds."""
    book, entry = books.experiment(name)
    cases = experiments.cases(book, entry, experiments.points_of(entry), entry.variants[:1])
    points = [point for case in cases for point in case.scenario.points()]
    some = points[:: max(1, len(points) // FEW)]
    return float(sum(point.estimate()["seconds"] for point in some)) / len(some)


def measured_cost(folder: Path) -> tuple[float | None, float | None]:
    """CPU time of a run as the manifest of an earlier reproduction with this engine has it, and the yardstick of the
    machine that ran it, seconds.
    """
    try:
        about = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None, None
    if not isinstance(about, dict) or about.get("engine_version") != engine_version():
        return None, None
    found = [about.get(name) for name in ("cpu_per_run_s", "yardstick_s")]
    run_s, yardstick = (float(one) if isinstance(one, (int, float)) and one > 0 else None for one in found)
    return run_s, yardstick


def _estimate(plan: Plan, counts: Mapping[Place, int]) -> float:
    """CPU time of a run as the engine estimates it, as if the narrowest links were always full: mean over the runs of
    places that lie evenly among all, since a reading may have faster links; seconds.

    Flows that lose packets leave the links empty for a while, so that their runs take less, down to a tenth of it.
    """
    places = sorted(counts)
    sample = places[:: max(1, len(places) // SAMPLE)]
    took = [counts[place] * plan.jobs[place[0]].points[place[1]].estimate()["seconds"] for place in sample]
    return float(sum(took)) / sum(counts[place] for place in sample)
