"""Several algorithms on one path: what each gets, how long its packets wait, how it judges losses, what it costs others.

The same path and the same seeds serve every algorithm, so that what random loss does to the n-th packet is the same for
all, and differences are taken seed by seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from windlass.cautions import cautions_of
from windlass.errors import InputError
from windlass.stats import Interval, mean_interval, paired_ratio

if TYPE_CHECKING:
    import pyarrow as pa

    from windlass import _core
    from windlass.scenario import Point, Scenario
    from windlass.store import Store
    from windlass.sweep import Progress, RunResult

__all__ = ["NEIGHBOUR", "Comparison", "Outcome", "algorithm_value", "compare"]

NEIGHBOUR = "neighbour"
"""Name of the group of the one NewReno flow that shares the path."""

MOST_NEIGHBOURS = 1000
"""Most flows of a group that are written out one by one to make one of them the neighbour."""


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
    jobs: int | None = None,
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

    if not algorithms:
        raise InputError(
            "no algorithm", code="compare.nothing", hint="name two or more: `windlass compare newreno cerl`"
        )
    named = {_label(item): algorithm_value(item) if isinstance(item, str) else dict(item) for item in algorithms}
    if len(named) != len(algorithms):
        raise InputError("an algorithm stands twice", code="compare.twice", hint="name each one once")
    if seeds is not None:
        path = path.with_({"scenario.seeds": _seeds(seeds)})
    path = path.with_({"output.delays": True})
    path = _without_algorithms(path)
    group = _group(path, group)
    key = f"flows.{group}.algorithm" if _many_groups(path) else "flows.algorithm"
    alone = {label: path.with_({key: value}) for label, value in named.items()}
    place = open_store(store)
    points = {label: scenario.points() for label, scenario in alone.items()}
    tasks = [(point, seed) for own in points.values() for point in own for seed in path.seeds]

    cautions: list[str] = []
    beside: dict[str, list[Point]] = {}
    if neighbour:
        try:
            beside = _beside(path, named, group, key)
        except InputError as error:
            cautions.append(f"no neighbour: {error.message}")
    tasks += [(point, seed) for own in beside.values() for point in own for seed in path.seeds]
    made = iter(execute(tasks, jobs=jobs, store=place, progress=progress, cancel=cancel))

    count = len(next(iter(points.values())))
    take = {label: [[next(made) for _ in path.seeds] for _ in range(count)] for label in points}
    shared = {label: [[next(made) for _ in path.seeds] for _ in range(count)] for label in beside}
    first = next(iter(named))
    judges = {label: _judges(algorithm, take[label], group) for label, algorithm in named.items()}
    outcomes = []
    for at in range(count):
        base = _per_run(take[first][at], group, "goodput_bps")
        for label in named:
            near = shared[label][at] if shared else None
            calm = shared[_CALM][at] if shared else None
            outcomes.append(_outcome(label, take[label][at], group, judges[label], base, near, calm))
    runs = [run for own in take.values() for point in own for run in point]
    cautions = [*cautions_of(runs), *cautions]
    return Comparison(path.name, group, outcomes, cautions)


_CALM = ""
"""Label of the runs in which the neighbour's neighbours are NewReno, too."""


def _label(item: str | Mapping[str, Any]) -> str:
    if isinstance(item, str):
        return item
    rest = ",".join(f"{key}={value}" for key, value in item.items() if key != "name")
    return f"{item['name']}:{rest}" if rest else str(item["name"])


def _again(path: Scenario, document: Mapping[str, Any]) -> Scenario:
    """Another document in the place of the path's: the files that it names lie where they lay."""
    place = path._filename if path._folder is None else FilePath(path._folder) / FilePath(path._filename).name
    return path.from_dict(document, filename=str(place))


def _without_algorithms(path: Scenario) -> Scenario:
    """The path without a sweep of all groups' algorithm: that of one is chosen here, the others keep what is written."""
    axis = "flows.algorithm"
    if axis not in path.points()[0].axes or not _many_groups(path):
        return path
    document = path.document()
    document["sweep"] = {name: values for name, values in document.get("sweep", {}).items() if name != axis}
    return _again(path, document).with_({name: text for name, text in path.sets if name != f"sweep.{axis}"})


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


def _beside(path: Scenario, named: Mapping[str, str | dict[str, Any]], group: str, key: str) -> dict[str, list[Point]]:
    """The path with one flow of the group replaced by the neighbour, for each algorithm and for NewReno."""
    out: dict[str, list[Point]] = {label: [] for label in (_CALM, *named)}
    for point in path.with_({key: "newreno"}).points():
        document = path.document()
        document.pop("sweep", None)
        laid = [*path.sets, *((name, _text(value)) for name, value in point.axes.items())]
        on_flows = [(name.removeprefix("flows."), text) for name, text in laid if name.startswith("flows.")]
        others = {name: text for name, text in laid if not name.startswith("flows.")}
        flows = document["flows"] if isinstance(document["flows"], list) else [document["flows"]]
        _lay(flows, on_flows)
        pairs = _pairs(point, group, path)
        names = [str(flow["name"]) for flow in point.effective()["flows"]]
        for label, algorithm in [(_CALM, "newreno"), *named.items()]:
            document["flows"] = _split(flows, names.index(group), pairs, group, algorithm)
            out[label] += _again(path, document).with_(others).points()
    return out


def _text(value: Any) -> str:
    from windlass.scenario.description import value_text

    return value if isinstance(value, str) else value_text("axis", value)


def _lay(flows: Sequence[dict[str, Any]], settings: Sequence[tuple[str, str]]) -> None:
    """Lay ``KEY`` (all groups) and ``GROUP.KEY`` settings over the written groups of flows."""
    import tomllib

    by_name = {flow["name"]: flow for flow in flows if "name" in flow}
    for dotted, text in settings:
        head, _, rest = dotted.partition(".")
        chosen, steps = ([by_name[head]], rest.split(".")) if head in by_name else (flows, dotted.split("."))
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text
        for flow in chosen:
            at = flow
            for step in steps[:-1]:
                if not isinstance(at.get(step), dict):
                    at[step] = {"name": at[step]} if step == "algorithm" and step in at else {}
                at = at[step]
            at[steps[-1]] = value


def _pairs(point: Point, group: str, path: Scenario) -> list[tuple[str, str]]:
    """Ends of each flow of the group, in order."""
    document = point.effective()
    document["scenario"] = {**document["scenario"], "duration": "1 us", "warmup": "0 s"}
    table = _again(path, document).run(path.seeds[0]).flows.to_pylist()
    rows = [row for row in table if row["group"] == group and row["direction"] == "forward"]
    return [(row["from"], row["to"]) for row in rows]


def _split(
    flows: Sequence[Mapping[str, Any]],
    which: int,
    pairs: Sequence[tuple[str, str]],
    group: str,
    algorithm: str | Mapping[str, Any],
) -> list[dict[str, Any]]:
    """The groups with the last flow of one of them made a NewReno flow of its own group; a lone flow gets one beside it."""
    if "arrivals" in flows[which]:
        raise InputError("the flows of the group come and go", code="compare.neighbour", hint="use --no-neighbour")
    if len(pairs) > MOST_NEIGHBOURS:
        raise InputError(
            f"the group has {len(pairs)} flows, at most {MOST_NEIGHBOURS} can be told apart",
            code="compare.neighbour",
            hint="use --no-neighbour",
        )
    plain = {name: value for name, value in flows[which].items() if name not in ("count", "name")}
    own = [
        {**plain, "name": f"{group}-{at}", "from": a, "to": b, "algorithm": algorithm}
        for at, (a, b) in enumerate(pairs[:-1] or pairs)
    ]
    plain.pop("multipath", None)
    last = {**plain, "name": NEIGHBOUR, "from": pairs[-1][0], "to": pairs[-1][1], "algorithm": "newreno"}
    return [*map(dict, flows[:which]), *own, last, *map(dict, flows[which + 1 :])]


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
        kept = paired_ratio(got, undisturbed)
        cost = Interval(1.0 - kept.mean, 1.0 - kept.hi, 1.0 - kept.lo, kept.n, kept.confidence)
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
