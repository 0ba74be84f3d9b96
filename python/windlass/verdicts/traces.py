"""Events in what was recorded over time: each run has one or has not, and more than half of them must."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from windlass.ledger import Check
from windlass.verdicts.answers import Answer, at_least, from_answers
from windlass.verdicts.data import Data, Unmeasured
from windlass.verdicts.intervals import mean
from windlass.verdicts.judgement import Judgement
from windlass.verdicts.points import groups_of

Line = Sequence[tuple[float, float]]
"""Seconds and values, in order of time."""

FILLED = "filled"
"""Of a series in bins: those through which all flows of a variant send. One in which they start or stop shows less."""


def trace(check: Check, data: Data) -> Judgement:
    """An event of a series, asked of every run of each of ``a`` at each selected point."""
    event, signal = str(check["event"]), str(check["signal"])
    if event not in EVENTS:
        raise Unmeasured(f"needs a run in which nothing but the event happens: {check.get('detail', event)}")
    names = [check["a"]] if isinstance(check["a"], str) else list(check["a"])
    answers = []
    for where, points in groups_of(check, data):
        for name in names:
            series = [data.series.get((kind, name, points[0]), {}) for kind in (f"{signal}-{FILLED}", signal)]
            runs = series[0] or series[1]
            if not runs:
                raise Unmeasured(f"needs `{signal}` of {name} over time")
            answers.append(_asked(check, EVENTS[event], runs, f"{name}, {where}" if len(data.points) > 1 else name))
    result = from_answers(check, answers, str(check.get("detail", event)))
    return replace(result, measured="; ".join(answer.what for answer in answers))


def _asked(check: Check, rule: Callable[[Check, Line], bool], runs: Mapping[int, Line], where: str) -> Answer:
    found = {seed: float(rule(check, line)) for seed, line in runs.items()}
    share = mean(found).scaled(100)
    answer = at_least(
        share, 50.0 + 1e-9, where, f"{where}: in {sum(found.values()):.0f} of {len(found)} runs", "% of runs"
    )
    return replace(answer, interval=None) if len(found) < 2 else answer


def _collapses(line: Line, level: float) -> list[float]:
    """When the value comes down to the level; it must have doubled it before it can come down again."""
    times = []
    armed = False
    for time, value in line:
        if armed and value <= level + 1e-9:
            times.append(time)
            armed = False
        armed = armed or value >= 2 * level
    return times


def _min_level(check: Check, line: Line) -> bool:
    """The value comes down to a level: so many times in the run, or after a time, and near each of some times."""
    begin = float(check.get("after_s", -math.inf))
    times = [time for time in _collapses(line, float(check.get("level_segments", 1))) if time >= begin]
    near = float(check.get("tolerance_s", math.inf))
    placed = all(any(abs(time - wanted) <= near for time in times) for wanted in check.get("times_s", []))
    return placed and check.get("count") in (None, len(times))


def _local_minimum(check: Check, line: Line) -> bool:
    """Near each of some times the lowest value lies below both its neighbours and below the mean far from all."""
    near, wanted = float(check["tolerance_s"]), [float(time) for time in check["times_s"]]
    values = [value for _, value in line]
    close = {index for index, (time, _) in enumerate(line) if any(abs(time - one) <= near for one in wanted)}
    far = [value for index, value in enumerate(values) if index not in close]
    if not far:
        raise Unmeasured("needs values far from the named times")
    usual = math.fsum(far) / len(far)
    for one in wanted:
        places = [index for index, (time, _) in enumerate(line) if abs(time - one) <= near]
        if not places:
            raise Unmeasured(f"needs values near {one:g} s")
        lowest = min(places, key=lambda index: values[index])
        beside = [values[index] for index in (lowest - 1, lowest + 1) if 0 <= index < len(values)]
        if not (values[lowest] < usual and all(values[lowest] < value for value in beside)):
            return False
    return True


SLICES = 10
"""Parts of a run whose means must grow."""


def _grows(check: Check, line: Line) -> bool:
    """The mean of each tenth of the run is no lower than that before, but for the slack, and the second half of them
    is higher than the first by more than the slack.
    """
    first, last = line[0][0], line[-1][0]
    length = (last - first) / SLICES
    means = []
    for index in range(SLICES):
        inside = [value for time, value in line if index <= (time - first) / length < index + 1]
        if inside:
            means.append(math.fsum(inside) / len(inside))
    slack = float(check.get("slack_rel", 0.0))
    steady = all(after >= before * (1 - slack) for before, after in pairwise(means))
    half = len(means) // 2
    first_half, second_half = math.fsum(means[:half]) / half, math.fsum(means[-half:]) / half
    return steady and second_half > first_half * (1 + slack)


EVENTS: dict[str, Callable[[Check, Line], bool]] = {
    "min-level": _min_level,
    "local-minimum": _local_minimum,
    "grows": _grows,
}
"""Events that are looked for in recorded series."""
