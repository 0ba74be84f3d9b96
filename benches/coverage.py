"""How often intervals hold the truth and sentences are wrong, over drawn sweeps whose truth is known.

`make coverage` writes the tables of docs/guide/intervals.md: laws of known mean, short sweeps whose mean over thousands
of seeds is taken for the truth, and comparisons that are drawn with a known gain, cost and wait.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import windlass
from windlass import stats
from windlass.compare.judging import MATTERS, Contest, judge
from windlass.compare.model import Outcome, Statement
from windlass.compare.sentences import LITTLE, answer
from windlass.interval import Interval

SEEDS = (3, 5, 10)
PAGE = Path(__file__).parents[1] / "docs/guide/intervals.md"

Draw = Callable[[np.random.Generator, int], Interval]


@dataclass(frozen=True)
class Law:
    """Something that an interval is made of, the truth that it is to hold, and how often it is to hold it at least and
    at most.
    """

    about: str
    draw: Draw
    truth: float
    least: float = 0.93
    most: float = 0.975


def laws() -> Iterator[Law]:
    """Laws of known mean: what seeds give, and flows within seeds."""
    rng = np.random.default_rng(1)

    def mean(about: str, values: Callable[[np.random.Generator, int], Any], truth: float, **bounds: float) -> Law:
        return Law(f"mean, {about}", lambda rng, n: stats.over_seeds(values(rng, n)), truth, **bounds)

    yield mean("normal", lambda rng, n: rng.normal(5.0, 1.0, n), 5.0)
    yield mean("uniform", lambda rng, n: rng.random(n), 0.5)
    yield mean("gamma, skewness 1", lambda rng, n: rng.gamma(4.0, 1.0, n), 4.0)
    yield mean("lognormal, skewness 1.75", lambda rng, n: np.exp(rng.normal(0.0, 0.5, n)), np.exp(0.125), least=0.92)
    yield mean("exponential, skewness 2", lambda rng, n: rng.exponential(1.0, n), 1.0, least=0.9)
    yield mean(
        "four flows of a seed, half of the variance shared",
        lambda rng, n: (rng.normal(5.0, 1.0, (n, 1)) + rng.normal(0.0, 1.0, (n, 4))).mean(1),
        5.0,
    )
    yield mean("one seed in four stuck at half", lambda rng, n: 1.0 - 0.5 * (rng.random(n) < 0.25), 0.875, most=1.0)
    for events in (0.05, 0.13, 0.5, 2.0, 8.0):
        yield Law(
            f"events, Poisson, {events:g} a seed",
            lambda rng, n, mean=events: stats.count_over_seeds(rng.poisson(mean, n)),
            events,
            most=1.0,
        )
    for events in (0.13, 0.5, 2.0):
        yield Law(
            f"events, in groups (variance 1.5 means), {events:g} a seed",
            lambda rng, n, mean=events: stats.count_over_seeds(rng.negative_binomial(2.0 * mean, 2.0 / 3.0, n)),
            events,
            most=1.0,
        )
    for share in (0.005, 0.05, 0.3):
        yield Law(
            f"share, 20 trials a seed, {100.0 * share:g} %",
            lambda rng, n, share=share: stats.share_over_seeds(rng.binomial(20, share, n), [20] * n),
            share,
            most=1.0,
        )
    yield Law(
        "share, 20 trials a seed, 10 % and differing by seed",
        lambda rng, n: stats.share_over_seeds(rng.binomial(20, rng.beta(2.0, 18.0, n)), [20] * n),
        0.1,
    )
    for flows, spread in ((2, 0.1), (2, 0.3), (4, 0.3), (10, 0.3)):
        shares = np.abs(rng.normal(1.0, spread, (200_000, flows)))
        truth = float((shares.sum(1) ** 2 / (flows * (shares**2).sum(1))).mean())
        yield Law(
            f"Jain's index, {flows} flows, shares that vary by {100.0 * spread:g} %",
            lambda rng, n, flows=flows, spread=spread: stats.jain_over_seeds(
                [stats.jain(one) for one in np.abs(rng.normal(1.0, spread, (n, flows)))], flows
            ),
            truth,
        )
    yield Law("ratio, the same law, normal", _ratio(lambda rng, n: rng.normal(1.0, 0.1, n), 1.0), 1.0)
    yield Law("ratio, twice as much, lognormal", _ratio(lambda rng, n: np.exp(rng.normal(0.0, 0.3, n)), 2.0), 2.0)
    yield Law("ratio, equal but for a nudge of either sign", _nudged, 1.0, most=1.0)


def _ratio(values: Callable[[np.random.Generator, int], Any], factor: float) -> Draw:
    """Two sides that share half of what seeds do."""

    def drawn(rng: np.random.Generator, n: int) -> Interval:
        common = values(rng, n)
        return stats.paired_ratio(factor * (common + values(rng, n)), common + values(rng, n))

    return drawn


def _nudged(rng: np.random.Generator, n: int) -> Interval:
    """Goodput of two senders, one seed in five with a difference, sometimes a large one."""
    base = rng.normal(1.0, 0.1, n)
    nudge = (rng.random(n) < 0.8) * rng.standard_t(3, n) * 0.02
    return stats.paired_ratio(base + nudge, base)


PATHS = {
    "two NewReno, 1 Mbps, 3 % loss": {"pairs": 2, "rate": "1 Mbps", "loss": "3 %"},
    "one NewReno, 1 Mbps, 8 % loss": {"pairs": 1, "rate": "1 Mbps", "loss": "8 %", "duration": "6 s", "warmup": "0 s"},
    "six NewReno, 500 kbps, queue of 5": {"pairs": 6, "rate": "500 kbps", "queue": "5 packets", "loss": "0 %"},
    "four transfers of 60 kB, 3 % loss": {
        "pairs": 4,
        "rate": "1 Mbps",
        "loss": "3 %",
        "duration": "8 s",
        "warmup": "0 s",
        "size": "60 kB",
    },
}
"""Short paths; two of them beside capacity, where goodput is skewed."""

NUMBERS = ("goodput_bps", "jain", "retransmitted_segments", "timeouts", "srtt_mean_s", "completion_s", "unfinished")


def path(
    pairs: int, rate: str, loss: str, duration: str = "5 s", warmup: str = "1 s", **more: str
) -> windlass.Scenario:
    """A dumbbell."""
    queue = more.get("queue", "15 packets")
    size = f'size = "{more["size"]}"' if "size" in more else ""
    return windlass.Scenario.from_toml(f"""
[scenario]
name = "short"
duration = "{duration}"
warmup = "{warmup}"
[topology]
kind = "dumbbell"
pairs = {pairs}
access = {{ rate = "100 Mbps", delay = "5 ms" }}
bottleneck = {{ rate = "{rate}", delay = "20 ms", queue = "{queue}", loss = "{loss}" }}
[[flows]]
from = "left/*"
to = "right/*"
algorithm = "newreno"
start = "uniform(0 s, 1 s)"
{size}
""")


def held(law: Law, n: int, draws: int, rng: np.random.Generator) -> tuple[int, int]:
    """How many intervals were printed, and how many of them hold the truth."""
    printed = [found for found in (law.draw(rng, n) for _ in range(draws)) if found.known]
    return len(printed), sum(found.lo <= law.truth <= found.hi for found in printed)


def drawn_sweeps(name: str, runs: int, draws: int) -> Iterator[tuple[str, dict[int, tuple[int, int]]]]:
    """The same of the columns of a sweep: seeds in turn are drawn sweeps, all of them the truth."""
    import pyarrow as pa

    scenario = path(**PATHS[name])
    flows = windlass.sweep(scenario, seeds=runs, store=False).flows
    seeds = np.asarray(flows["seed"])
    truth = stats.summarise(flows, []).to_pylist()[0]
    found = {number: {n: [0, 0] for n in SEEDS} for number in NUMBERS if truth.get(f"{number}_mean")}
    for n in SEEDS:
        for first in range(1, min(runs, n * draws) - n + 2, n):
            part = flows.filter(pa.array((seeds >= first) & (seeds < first + n)))
            row = stats.summarise(part, []).to_pylist()[0]
            for number, counts in found.items():
                lo, hi = row[f"{number}_lo"], row[f"{number}_hi"]
                if lo is not None and hi is not None:
                    counts[n][0] += 1
                    counts[n][1] += lo <= truth[f"{number}_mean"] <= hi
    for number, by_seeds in found.items():
        yield f"{number}, {name}", {n: (counts[0], counts[1]) for n, counts in by_seeds.items()}


SPREADS = (0.002, 0.02, 0.2)
"""By how much seeds differ, as a share: a comparison has one of these for each number."""

RATIOS = (1.0, 1.0, 0.7, 0.98, 1.03, 1.5)


def wrong(seeds: int, rng: np.random.Generator) -> list[str]:
    """Kinds of the sentences of a drawn comparison that are not true."""
    names, settings = ["newreno", "cerl", "veno"][: rng.integers(2, 4)], int(rng.integers(1, 3))
    spread = rng.choice(SPREADS)
    truth: dict[str, dict[tuple[str, int], float]] = {"gain": {}, "cost": {}, "wait": {}}
    values: dict[str, Any] = {"gain": {}, "cost": {}, "wait": {}}
    for at in range(settings):
        common = np.exp(spread * rng.standard_normal(seeds))
        for about, ratios in truth.items():
            for name in names:
                ratio = ratios[name, at] = float(rng.choice(RATIOS))
                values[about][name, at] = list(ratio * common * np.exp(spread * rng.standard_normal(seeds)))
    calm = {at: list(np.exp(spread * rng.standard_normal(seeds))) for at in range(settings)}
    neighbours = {key: (got, calm[key[1]]) for key, got in values["cost"].items()}
    contest = Contest(values["gain"], False, neighbours, values["wait"], names, settings, "newreno")
    places = [f"setting = {at}" for at in range(settings)]
    rows = [[_row(name) for name in names] for _ in places]
    # the neighbour's factor has the mean of a lognormal law beside another of equal spread
    known = {key: ratio * float(np.exp(spread**2 / 2.0)) for key, ratio in truth["cost"].items()}
    judged = judge(contest)
    return [one.kind for one in answer(judged, rows, places, seeds) if not true(one, judged.take, truth, known, places)]


def _row(name: str) -> Outcome:
    nothing = Interval(0.0, 0.0, 0.0, 0)
    return Outcome(name, {}, nothing, nothing, nothing, nothing, False, nothing, nothing, nothing, None, None)


def true(
    one: Statement,
    take: str | None,
    truth: dict[str, dict[tuple[str, int], float]],
    left: dict[tuple[str, int], float],
    places: Sequence[str],
) -> bool:
    """Whether a sentence is true where `truth` has each candidate's factors, and `left` what it leaves a neighbour."""

    def gain(name: str, over: str, at: int) -> float:
        return truth["gain"][name, at] / truth["gain"][over, at] - 1.0

    every = range(len(places))
    others = [name for name, at in truth["gain"] if at == 0 and name != "newreno"]
    facts = one.facts
    if one.kind == "take":
        at = next((at for at in every if facts["where"].endswith(places[at])), 0)
        return gain(str(take), "newreno", at) > 0.0
    if one.kind == "take-range":
        return sum(gain(str(take), "newreno", at) > 0.0 for at in every) >= facts["wins"]
    if one.kind in ("keep", "keep-some"):
        kept = [at for at in every if all(gain(name, "newreno", at) <= MATTERS for name in others)]
        return len(kept) >= facts.get("kept", len(places))
    if one.kind in ("cost", "cost-little", "cost-gain"):
        costs = [1.0 - left[str(take), at] for at in every]
        return any(
            {"cost": cost > 0.0, "cost-little": abs(cost) <= LITTLE, "cost-gain": cost < 0.0}[one.kind]
            for cost in costs
        )
    if one.kind == "worse":
        return all(gain(name, "newreno", at) < 0.0 for name in facts["others"].split("`, `") for at in every)
    if one.kind == "delay-best":
        return any(truth["wait"][facts["other"], at] < truth["wait"][str(take), at] for at in every)
    if one.kind in ("except-worse", "except-none", "except-other", "gains"):
        sign = -1.0 if one.kind == "except-worse" else 1.0
        return all(
            gain(name, over, at) <= MATTERS if one.kind == "except-none" else sign * gain(name, over, at) > 0.0
            for name, over, at, _ in facts["cases"]
        )
    if one.kind == "everywhere":
        return all(gain(str(take), "newreno", at) > 0.0 for at in every)
    return True


def errors(draws: int) -> Iterator[tuple[int, float, Counter[str]]]:
    """For each number of seeds: in how many comparisons some sentence is wrong, and which kinds."""
    for n in SEEDS:
        rng = np.random.default_rng(n)
        found = [wrong(n, rng) for _ in range(draws)]
        yield n, sum(map(bool, found)) / draws, Counter(kind for kinds in found for kind in kinds)


def cell(printed: int, holds: int, draws: int) -> str:
    """Of the intervals printed how many hold, in percent, and how many are printed if not all."""
    if not printed:
        return "none"
    shown = f"{100.0 * holds / printed:.1f}"
    return shown if printed > 0.995 * draws else f"{shown} ({100.0 * printed / draws:.0f} %)"


def table(draws: int, runs: int) -> str:
    """All of it, in Markdown."""
    lines = ["| what is drawn | 3 seeds | 5 seeds | 10 seeds |", "| --- | --- | --- | --- |"]
    for law in laws():
        cells = [cell(*held(law, n, draws, np.random.default_rng(n)), draws) for n in SEEDS]
        lines.append(f"| {law.about} | {' | '.join(cells)} |")
    lines += ["", "| column of a sweep, path | 3 seeds | 5 seeds | 10 seeds |", "| --- | --- | --- | --- |"]
    for name in PATHS:
        for about, by_seeds in drawn_sweeps(name, runs, runs // 10):
            cells = [cell(*by_seeds[n], runs // 10) for n in SEEDS]
            lines.append(f"| `{about.replace(', ', '`, ', 1)} | {' | '.join(cells)} |")
    lines += ["", "| | 3 seeds | 5 seeds | 10 seeds |", "| --- | --- | --- | --- |"]
    rates = [f"{100.0 * share:.1f}" for _, share, _ in errors(draws // 2)]
    return "\n".join([*lines, f"| comparisons with a sentence that is wrong, % | {' | '.join(rates)} |"])


def main(draws: int, runs: int) -> None:
    """Write the tables into the page."""
    text = PAGE.read_text(encoding="utf-8")
    begin, end = "<!-- coverage -->", "<!-- end -->"
    PAGE.write_text(
        re.sub(f"(?s){begin}.*{end}", lambda _: f"{begin}\n\n{table(draws, runs)}\n\n{end}", text), encoding="utf-8"
    )


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:]]
    main(*(numbers or [2000, 4000]))
