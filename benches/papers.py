"""CPU time of a full run of all papers, from a sample of its runs.

`make bench-papers` draws runs of each experiment, reading by reading, times them, and goes on with what makes the sum
most uncertain until the minutes given are used. How many runs each reading takes is what it took when the experiment
was published (`values.parquet` beside its page), or else its share of those that a full run makes at the least: few of
the readings go on to many seeds, and these may be dear ones. Beside it, it times the yardstick
(`windlass.reproduce.yardstick`) again and again, since a shared machine is not always as fast. `--write` puts what a
run takes into the table of published costs, by which `windlass reproduce --plan` tells how long something takes.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from windlass import ledger, verdicts
from windlass.reproduce import outline, running, values, yardstick
from windlass.reproduce.published import FILE, read_table, table_text
from windlass.reproduce.sequential import start

PAGES = Path(__file__).parents[1] / "docs" / "papers"
TABLE = Path(__file__).parents[1] / "python" / "windlass" / FILE
FIRST = 2
"""Runs of each reading of an experiment before any gets more."""

SCATTER = 0.3
"""Least scatter of what runs of a reading take, as a share of their mean: two runs may be alike by chance."""

REST_S = 20.0
"""CPU time between two looks at the yardstick, seconds."""


@dataclass
class Sampled:
    """A reading of an experiment: how many runs a full run makes of it, and what those took that were drawn, s."""

    name: str
    runs: float
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
        scatter = max(statistics.stdev(self.took), SCATTER * self.mean)
        return (self.runs * scatter) ** 2 / len(self.took)

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


def sampled(name: str, runs: int) -> list[Sampled]:
    """The readings of an experiment, with the settings of which runs are drawn, each as often as it is run at the
    least.
    """
    book, entry = ledger.experiment(name)
    plan = running._plan(book, entry, running.Asked(None, False, ""))
    found: dict[str, tuple[list[tuple[Any, list[int]]], list[int]]] = {}
    for place, count in start(plan).items():
        job = plan.jobs[place[0]]
        if job.kind == "measure":
            points, weights = found.setdefault(job.reading, ([], []))
            points.append((job.points[place[1]], plan.seeds_of(place, 3)))
            weights.append(count)
    every = sum(sum(weights) for _, weights in found.values())
    counts = published_runs(PAGES / name / values.FILE)
    return [
        Sampled(
            name,
            runs * sum(weights) / every if counts is None else counts.get(reading, 0),
            points,
            weights,
            random.Random(f"{name} {reading}"),
        )
        for reading, (points, weights) in found.items()
        if counts is None or reading in counts
    ]


def published_runs(file: Path) -> Counter[str] | None:
    """How many runs each reading took that no experiment before had; none if that was not published."""
    if not file.is_file():
        return None
    table = pq.read_table(file, columns=["reading", "setting_key", "seed"])
    rows = {tuple(row.values()) for row in table.to_pylist()}
    return Counter(reading for reading, _, _ in rows)


def _sums(parts: Sequence[Sampled]) -> tuple[float, float, float]:
    """Runs, their CPU time and half of its 95 % interval, seconds."""
    spent = sum(one.runs * one.mean for one in parts)
    return sum(one.runs for one in parts), spent, 1.96 * math.sqrt(sum(one.variance for one in parts))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--minutes", type=float, default=20.0, help="CPU time to use, if two runs of each reading take less"
    )
    options.add_argument("--only", default="", help="a paper, or the beginning of the names of experiments")
    options.add_argument("--write", action="store_true", help="put the costs into the table of published costs")
    given = options.parse_args()

    rows = {row.experiment.id: row for row in outline(given.only.partition("/")[0] or "all").rows}
    every = [one for name, row in rows.items() if name.startswith(given.only) for one in sampled(name, row.runs[1])]
    stick = Yardstick()
    limit = time.process_time() + 60.0 * given.minutes
    for one in every:
        for _ in range(FIRST):
            stick.spent(one.time_one())
    while time.process_time() < limit:
        stick.spent(max(every, key=lambda one: one.worth).time_one())

    unit = statistics.fmean(stick.looks)
    means = {}
    for name in dict.fromkeys(one.name for one in every):
        parts = [one for one in every if one.name == name]
        runs, spent, half = _sums(parts)
        shares = [one.runs if runs else sum(one.weights) for one in parts]
        means[name] = sum(one.mean * share for one, share in zip(parts, shares, strict=True)) / sum(shares)
        print(
            f"{name:36s} {runs:6.0f} runs {means[name]:8.4f} s {spent / 60:7.2f} ± {half / 60:5.2f} min"
            f"  ({sum(len(one.took) for one in parts)} drawn)"
        )
    runs, total, half = _sums(every)
    print(f"{runs:.0f} runs, {total / 3600:.2f} ± {half / 3600:.2f} CPU hours here")
    print(f"yardstick {unit:.4f} s ({min(stick.looks):.4f} to {max(stick.looks):.4f}, {len(stick.looks)} looks)")
    print(f"{total / unit / 1e6:.3f} ± {half / unit / 1e6:.3f} million yardsticks")
    if given.write:
        table = read_table(TABLE)
        for name, mean in means.items():
            if name in table and not rows[name].experiment.covers:
                table[name] = replace(table[name], run_s=mean, yardstick_s=unit, cost_is="measured")
        TABLE.write_text(table_text(table.values(), verdicts.VERDICTS), encoding="utf-8")


if __name__ == "__main__":
    main()
