"""Several algorithms on one path: what each gets, how long packets wait, how it judges losses, what it costs others.

The same path and the same seeds serve every algorithm, so that what random loss does to the n-th packet is the same for
all, and differences are taken seed by seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from windlass.cautions import STARVED, cautions_of
from windlass.errors import InputError
from windlass.neighbour import NEIGHBOUR, with_neighbour
from windlass.stats import Interval, mean_interval, paired_ratio

if TYPE_CHECKING:
    import pyarrow as pa

    from windlass import _core
    from windlass.scenario import Scenario
    from windlass.store import Store
    from windlass.sweep import Progress, RunResult
    from windlass.workers import Jobs

__all__ = ["NEIGHBOUR", "Comparison", "Outcome", "algorithm_value", "compare"]

_NOTHING = Interval(float("nan"), float("nan"), float("nan"), 0)


@dataclass(frozen=True)
class Outcome:
    """One algorithm at one point of the path.

    Attributes
    ----------
    algorithm : str
        As it was asked for.
    axes : dict
        Swept keys of the file with their values.
    goodput_bps : Interval
        Mean per flow and direction of the group, over seeds.
    total_bps : Interval
        Sum over the group's flows, each over the whole run without the warm-up: no more than the links can carry.
    against_first : Interval
        Goodput over that of the first algorithm, seed by seed.
    queue_delay_p95_s : Interval
        95 % of a flow's segments waited no longer than this in queues, mean over flows.
    judges_losses : bool
        Whether the algorithm tells random losses from congestion. One that does not takes every loss for congestion.
    miss_rate : Interval
        Share of the congestion losses that the sender took for random. Only of losses it acted on: fast retransmits
        and first timeouts.
    false_alarm_rate : Interval
        Share of the random losses that the sender took for congestion.
    timeouts : Interval
        Per flow.
    neighbour_bps : Interval or None
        Goodput of one NewReno flow among the others; none without a neighbour.
    neighbour_cost : Interval or None
        Share of its goodput beside NewReno that the neighbour loses beside this algorithm, seed by seed; negative if it
        gains.
    completion_s : Interval
        Mean time of the group's transfers of given size that ended; NaN if there are none.
    unfinished : Interval
        Share of its transfers of given size that did not end; NaN if it has no such transfers.
    """

    algorithm: str
    axes: dict[str, Any]
    goodput_bps: Interval
    total_bps: Interval
    against_first: Interval
    queue_delay_p95_s: Interval
    judges_losses: bool
    miss_rate: Interval
    false_alarm_rate: Interval
    timeouts: Interval
    neighbour_bps: Interval | None
    neighbour_cost: Interval | None
    completion_s: Interval = _NOTHING
    unfinished: Interval = _NOTHING

    def to_dict(self) -> dict[str, Any]:
        """Plain data: each interval as ``_mean``, ``_lo``, ``_hi``."""
        row: dict[str, Any] = {"algorithm": self.algorithm, **self.axes, "seeds": self.goodput_bps.n}
        row["judges_losses"] = self.judges_losses
        for name in _MEASURES:
            interval = getattr(self, name)
            for part in ("mean", "lo", "hi"):
                row[f"{name}_{part}"] = None if interval is None else getattr(interval, part)
        return row


_MEASURES = (
    "goodput_bps",
    "total_bps",
    "against_first",
    "completion_s",
    "unfinished",
    "queue_delay_p95_s",
    "miss_rate",
    "false_alarm_rate",
    "timeouts",
    "neighbour_bps",
    "neighbour_cost",
)


@dataclass(frozen=True)
class Comparison:
    """What :func:`compare` gives.

    Attributes
    ----------
    name : str
        Name of the scenario.
    group : str
        Group of flows whose algorithm was changed.
    outcomes : list of Outcome
        For each point of the path, the algorithms in the order asked for.
    cautions : list of str
        What to know before trusting the numbers.
    """

    name: str
    group: str
    outcomes: list[Outcome]
    cautions: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "scenario": self.name,
            "group": self.group,
            "cautions": self.cautions,
            "outcomes": [outcome.to_dict() for outcome in self.outcomes],
        }


def algorithm_value(text: str) -> str | dict[str, Any]:
    """An algorithm from the command line: ``cerl`` or ``cerl:cerl_cmp=gt,...``.

    Raises
    ------
    InputError
        If a parameter is not NAME=VALUE.
    """
    name, colon, rest = text.partition(":")
    if not colon:
        return name
    chosen: dict[str, Any] = {"name": name}
    for part in rest.split(","):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise InputError(
                f"`{part}` is not PARAMETER=VALUE",
                code="compare.parameter",
                hint="write `cerl:cerl_cmp=gt,cerl_lmax=rebase`; `windlass list algorithms cerl` shows the parameters",
            )
        chosen[key.strip()] = _scalar(value.strip())
    return chosen


def _scalar(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text) if any(mark in text for mark in ".eE") else int(text)
    except ValueError:
        return text


def compare(
    path: Scenario,
    algorithms: Sequence[str | Mapping[str, Any]],
    *,
    group: str | None = None,
    neighbour: bool = True,
    seeds: int | Sequence[int] | None = None,
    jobs: Jobs = None,
    store: Store | str | bool = True,
    progress: Progress | None = None,
    cancel: _core.Cancel | None = None,
) -> Comparison:
    """Run the same path with each algorithm.

    Parameters
    ----------
    path : Scenario
        The path with its flows; the algorithm of `group` in it does not matter.
    algorithms : sequence of str or mapping
        Names, ``"cerl:cerl_cmp=gt"``, or tables of a name and parameters. Gains are against the first.
    group : str, optional
        Group of flows to change; the first one if not given. Other groups stay as they are.
    neighbour : bool
        Also run the path with one of the flows replaced by a NewReno flow (with a single flow: one added), beside each
        algorithm and beside NewReno.
    seeds, jobs, store, progress, cancel
        As in :func:`windlass.sweep`.

    Raises
    ------
    InputError
        If an algorithm or the group is unknown, or an algorithm is named twice.
    Interrupted
        After Ctrl-C; finished runs stay in the store.
    """
    from windlass.sweep import _seeds, execute, open_store

    named = _named(algorithms)
    if seeds is not None:
        path = path.with_({"scenario.seeds": _seeds(seeds)})
    path = _without_algorithms(path.with_({"output.delays": True}))
    group = _group(path, group)
    key = f"flows.{group}.algorithm" if _many_groups(path) else "flows.algorithm"
    points = {(label, False): path.with_({key: value}).points() for label, value in named.items()}
    unable: list[str] = []
    if neighbour:
        try:
            beside = with_neighbour(path.with_({key: "newreno"}).points(), group, {_CALM: "newreno", **named})
            points |= {(label, True): own for label, own in beside.items()}
        except InputError as error:
            unable.append(f"no neighbour: {error.message}")
    tasks = [(point, seed) for own in points.values() for point in own for seed in path.seeds]
    made = iter(execute(tasks, jobs=jobs, store=open_store(store), progress=progress, cancel=cancel))
    runs: _Runs = {label: [[next(made) for _ in path.seeds] for _ in own] for label, own in points.items()}
    alone = [run for (_, near), own in runs.items() if not near for point in own for run in point]
    cautions = [*cautions_of(alone), *_starved_neighbour(next(iter(named)), runs, group), *unable]
    return Comparison(path.name, group, _outcomes(named, runs, group), cautions)


_Runs: TypeAlias = "dict[tuple[str, bool], list[list[RunResult]]]"


def _starved_neighbour(first: str, runs: _Runs, group: str) -> list[str]:
    """Points at which the neighbour gets next to nothing whoever is beside it, so that it has nothing to lose."""
    starved = []
    for at, calm in enumerate(runs.get((_CALM, True), ())):
        alone = runs[first, False][at]
        usual = _per_run(alone, group, "goodput_bps")
        if sum(_per_run(calm, NEIGHBOUR, "goodput_bps")) < STARVED * sum(usual):
            starved.append(", ".join(f"{axis} = {value}" for axis, value in alone[0].axes.items()))
    if not starved:
        return []
    where = f" ({'; '.join(starved)})" if starved[0] else ""
    caution = (
        f"beside NewReno the neighbour gets less than {STARVED:.0%} of what a flow of the group gets{where}: it has next "
        "to nothing to lose, and `cost to it` says nothing there"
    )
    return [caution]


"""Runs by label of the algorithm and whether the neighbour is there, then by point, then by seed."""

_CALM = ""
"""Label of the runs in which the neighbour's neighbours are NewReno, too."""


def _named(algorithms: Sequence[str | Mapping[str, Any]]) -> dict[str, str | dict[str, Any]]:
    """The algorithms by their labels."""
    if not algorithms:
        raise InputError(
            "no algorithm", code="compare.nothing", hint="name two or more: `windlass compare newreno cerl`"
        )
    named = {_label(item): algorithm_value(item) if isinstance(item, str) else dict(item) for item in algorithms}
    if len(named) != len(algorithms):
        raise InputError("an algorithm stands twice", code="compare.twice", hint="name each one once")
    return named


def _label(item: str | Mapping[str, Any]) -> str:
    if isinstance(item, str):
        return item
    rest = ",".join(f"{key}={value}" for key, value in item.items() if key != "name")
    return f"{item['name']}:{rest}" if rest else str(item["name"])


def _without_algorithms(path: Scenario) -> Scenario:
    """The path without a sweep of every group's algorithm: one group's is set here, the others keep theirs."""
    axis = "flows.algorithm"
    if axis not in path.points()[0].axes or not _many_groups(path):
        return path
    return path.with_({"sweep": {name: values for name, values in path.composed()["sweep"].items() if name != axis}})


def _groups(path: Scenario) -> list[dict[str, Any]]:
    flows: list[dict[str, Any]] = path.points()[0].effective()["flows"]
    return flows


def _many_groups(path: Scenario) -> bool:
    return len(_groups(path)) > 1


def _group(path: Scenario, wanted: str | None) -> str:
    names = [str(flow["name"]) for flow in _groups(path) if "algorithm" in flow]
    if wanted is None and names:
        return names[0]
    if wanted in names:
        return str(wanted)
    listed = ", ".join(f"`{name}`" for name in names)
    raise InputError(
        f"no group of TCP flows `{wanted}`" if wanted is not None else "no group of TCP flows",
        code="compare.group",
        hint=f"the scenario has {listed}" if names else "a path to compare on has `[[flows]]` with an `algorithm`",
    )


def _rows(run: RunResult, group: str) -> list[dict[str, Any]]:
    flows: pa.Table = run.flows
    return [row for row in flows.to_pylist() if row["group"] == group]


def _per_run(runs: Sequence[RunResult], group: str, column: str, total: bool = False) -> list[float]:
    """Mean (or sum) of a column over the group's flows, run by run; NaN where no flow has it."""
    values = []
    for run in runs:
        known = [row[column] for row in _rows(run, group) if row[column] is not None]
        whole = float(sum(known))
        values.append(whole if total else whole / len(known) if known else float("nan"))
    return values


def _unfinished(run: RunResult, group: str) -> float:
    """Share of the group's transfers of given size that did not end; NaN without such transfers."""
    ended = [row["completion_s"] is not None for row in _rows(run, group) if row["size_bytes"] is not None]
    return ended.count(False) / len(ended) if ended else float("nan")


def _rate(runs: Sequence[RunResult], group: str, wrong: str, right: str) -> Interval:
    """Share of the judgements of one kind of loss that were wrong."""
    bad = _per_run(runs, group, wrong, total=True)
    good = _per_run(runs, group, right, total=True)
    return paired_ratio(bad, [a + b for a, b in zip(bad, good, strict=True)])


def _judges(algorithm: str | Mapping[str, Any], points: Sequence[Sequence[RunResult]], group: str) -> bool:
    """Whether an algorithm judges losses: its row says so, or it did it in these runs, as a class in Python may."""
    import json

    from windlass import _core

    name = algorithm if isinstance(algorithm, str) else algorithm["name"]
    rows = [*json.loads(_core.algorithms()), *json.loads(_core.registered())]
    if any(row["judges_losses"] for row in rows if name == row["name"] or name in row["aliases"]):
        return True
    return any(total > 0.0 for runs in points for total in _per_run(runs, group, "judged_random", total=True))


def _outcomes(named: Mapping[str, str | dict[str, Any]], runs: _Runs, group: str) -> list[Outcome]:
    """For each point the algorithms in the order asked for."""
    first = next(iter(named))
    judges = {label: _judges(algorithm, runs[label, False], group) for label, algorithm in named.items()}
    shared = (_CALM, True) in runs
    found = []
    for at in range(len(runs[first, False])):
        base = _per_run(runs[first, False][at], group, "goodput_bps")
        calm = runs[_CALM, True][at] if shared else None
        for label in named:
            near = runs[label, True][at] if shared else None
            found.append(_outcome(label, runs[label, False][at], group, judges[label], base, near, calm))
    return found


def _outcome(
    label: str,
    runs: Sequence[RunResult],
    group: str,
    judges: bool,
    base: Sequence[float],
    near: Sequence[RunResult] | None,
    calm: Sequence[RunResult] | None,
) -> Outcome:
    goodput = _per_run(runs, group, "goodput_bps")
    beside = cost = None
    if near is not None and calm is not None:
        got, undisturbed = (_per_run(side, NEIGHBOUR, "goodput_bps") for side in (near, calm))
        beside = mean_interval(got)
        cost = paired_ratio(got, undisturbed).complement()
    return Outcome(
        algorithm=label,
        axes=dict(runs[0].axes),
        goodput_bps=mean_interval(goodput),
        total_bps=mean_interval(_per_run(runs, group, "goodput_run_bps", total=True)),
        against_first=paired_ratio(goodput, base),
        completion_s=mean_interval(_per_run(runs, group, "completion_s")),
        unfinished=mean_interval([_unfinished(run, group) for run in runs]),
        queue_delay_p95_s=mean_interval(_per_run(runs, group, "queue_delay_p95_s")),
        judges_losses=judges,
        miss_rate=_rate(runs, group, "congestion_judged_random", "congestion_judged_congestion"),
        false_alarm_rate=_rate(runs, group, "random_judged_congestion", "random_judged_random"),
        timeouts=mean_interval(_per_run(runs, group, "timeouts")),
        neighbour_bps=beside,
        neighbour_cost=cost,
    )
