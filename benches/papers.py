"""CPU time of a full run of all papers, from a sample of its runs.

`make bench-papers` draws runs of each experiment as a full run would make them at the least, times them, and goes on
with the experiment that makes the sum most uncertain until the minutes given are used. Beside it, it times the
yardstick (`windlass.reproduce.yardstick`) again and again, since a shared machine is not always as fast. `--write` puts
what a run takes into the table of published costs, by which `windlass reproduce --plan` tells how long something takes.

"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from windlass import ledger, verdicts
from windlass.reproduce import outline, running, yardstick
from windlass.reproduce.published import FILE, read_table, table_text
from windlass.reproduce.sequential import start

TABLE = Path(__file__).parents[1] / "python" / "windlass" / FILE
FIRST = 4
"""Runs of each experiment before any gets more."""

REST_S = 20.0
"""CPU time between two looks at the yardstick, seconds."""


@dataclass
class Sampled:
    """An experiment: how many runs a full run makes of it, and what those that were drawn took, seconds."""

    name: str
    runs: int
    points: list[tuple[Any, list[int]]]
    weights: list[int]
    draw: random.Random
    took: list[float] = field(default_factory=list)

    def time_one(self) -> float:
        ((point, seeds),) = self.draw.choices(self.points, self.weights)
        seed = self.draw.choice(seeds)
        started = time.process_time()
        point.run(seed)
        self.took.append(time.process_time() - started)
        return self.took[-1]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.took)

    @property
    def variance(self) -> float:
        """Of the estimated time of all its runs."""
        return self.runs**2 * statistics.variance(self.took) / len(self.took)

    @property
    def worth(self) -> float:
        """By how much one more run makes the sum more certain, for what it takes."""
        return self.variance / (len(self.took) + 1) / self.mean


class Yardstick:
    """The yardstick of the machine, looked at every now and then."""

    def __init__(self) -> None:
        self.looks: list[float] = []
        self.since = math.inf

    def spent(self, seconds: float) -> None:
        self.since += seconds
        if self.since >= REST_S:
            self.looks.append(yardstick.yardstick_s.__wrapped__())
            self.since = 0.0


def sampled(name: str, runs: int) -> Sampled:
    """An experiment, with the settings of which runs are drawn, each as often as it is run at the least."""
    book, entry = ledger.experiment(name)
    plan = running._plan(book, entry, running.Asked(None, False, ""))
    points, weights = [], []
    for place, count in start(plan).items():
        job = plan.jobs[place[0]]
        if job.kind == "measure":
            points.append((job.points[place[1]], plan.seeds_of(place, 3)))
            weights.append(count)
    return Sampled(name, runs, points, weights, random.Random(name))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=20.0, help="CPU time to use")
    options.add_argument("--only", default="", help="a paper, or the beginning of the names of experiments")
    options.add_argument("--write", action="store_true", help="put the costs into the table of published costs")
    given = options.parse_args()

    rows = {row.experiment.id: row for row in outline(given.only.partition("/")[0] or "all").rows}
    every = [sampled(name, row.runs[1]) for name, row in rows.items() if name.startswith(given.only)]
    stick = Yardstick()
    limit = time.process_time() + 60.0 * given.minutes
    for one in every:
        for _ in range(FIRST):
            stick.spent(one.time_one())
    while time.process_time() < limit:
        stick.spent(max(every, key=lambda one: one.worth).time_one())

    unit = statistics.fmean(stick.looks)
    for one in every:
        half = 1.96 * math.sqrt(one.variance)
        print(
            f"{one.name:36s} {one.runs:6d} runs {one.mean:8.4f} s {one.runs * one.mean / 60:7.2f} ± {half / 60:5.2f} min"
            f"  ({len(one.took)} drawn)"
        )
    total, half = sum(one.runs * one.mean for one in every), 1.96 * math.sqrt(sum(one.variance for one in every))
    print(f"{sum(one.runs for one in every)} runs, {total / 3600:.2f} ± {half / 3600:.2f} CPU hours here")
    print(f"yardstick {unit:.4f} s ({min(stick.looks):.4f} to {max(stick.looks):.4f}, {len(stick.looks)} looks)")
    print(f"{total / unit / 1e6:.3f} ± {half / unit / 1e6:.3f} million yardsticks")
    if given.write:
        table = read_table(TABLE)
        for one in every:
            if one.name in table and not rows[one.name].experiment.covers:
                table[one.name] = replace(table[one.name], run_s=one.mean, yardstick_s=unit, cost_is="measured")
        TABLE.write_text(table_text(table.values(), verdicts.VERDICTS), encoding="utf-8")


if __name__ == "__main__":
    main()
