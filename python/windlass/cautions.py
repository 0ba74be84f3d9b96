"""What to know before trusting the numbers of some runs: found in the runs themselves, and shown wherever they are."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from windlass.amounts import digits

if TYPE_CHECKING:
    import pyarrow as pa

    from windlass.sweep import RunResult

__all__ = [
    "Observed",
    "cautions_of",
    "observe",
    "of_absences",
    "of_algorithms",
    "of_description",
    "of_runs",
    "of_seeds",
    "told",
    "where_words",
]

BAD_FACTOR = 2.0
"""A channel that steps with packets stood still if it was bad for this many times its share of time."""

BAD_EXCESS = 0.05
"""And for this share of the run longer: as much goodput may be missing, more than most comparisons are wide."""

STARVED = 0.1
"""A flow is starved if it gets less than this share of the mean of its group."""

LONG = 0.5
"""Only flows that were there for this share of the longest time in their group are held against it."""

GIVEN_UP = 0.05
"""More than this share of a station's packets given up by its MAC: transport sees losses that no queue explains."""

MANY_STATIONS = 200
"""More stations than this on one medium: outside what the model was compared with."""

NS2_WINDOW, NS2_SEGMENT = "20 segments", "1000 B"
"""What ns-2's agents have unless a script sets ``window_`` and ``packetSize_``."""

LONG_ENOUGH_S = 20.0
"""A flow whose timer expires four times in a row is silent for 15 s: in shorter times, little says nothing."""


class Described(Protocol):
    """What is asked of a point of a scenario."""

    def composed(self) -> dict[str, Any]:
        """The description as written."""
        ...

    def effective_json(self) -> str:
        """The description with every default."""
        ...


def cautions_of(results: Sequence[RunResult]) -> list[str]:
    """Every caution about these runs.

    Parameters
    ----------
    results : sequence of RunResult
        Of one scenario or of several that are shown together.

    Returns
    -------
    list of str
        A sentence or two each; those about algorithms first, then those about descriptions.
    """
    described = dict.fromkeys(caution for result in results for caution in result.cautions)
    return [*of_algorithms(results), *described, *of_runs(results)]


def of_algorithms(results: Sequence[RunResult]) -> list[str]:
    """What the registry says about the algorithms that took part, in the registry's order."""
    from windlass import _core

    used = {name for result in results for name in result.flows["algorithm"].unique().to_pylist()}
    return [
        f"{row['name']}: {row['caution']}"
        for row in json.loads(_core.algorithms())
        if row["name"] in used and row.get("caution")
    ]


def of_runs(results: Sequence[RunResult]) -> list[str]:
    """What the runs themselves show.

    Records that are not complete; channels that stood still; flows that got nothing or far too little; stations and
    mobiles that were out of reach; radio media with very many stations or many packets given up, and chains whose hops
    pass over nodes.
    """
    return told([observe(result) for result in results])


def of_seeds(points: Iterable[Sequence[RunResult]]) -> list[str]:
    """What seeds that change nothing mean.

    Parameters
    ----------
    points : iterable of sequence of RunResult
        The runs of each point, which differ by their seed alone.
    """
    several = [runs for runs in points if len(runs) > 1]
    same = [runs for runs in several if all(runs[0].flows.equals(other.flows) for other in runs[1:])]
    if not same:
        return []
    first = ", ".join(f"{axis} = {value}" for axis, value in same[0][0].axes.items())
    where = (
        "" if len(same) == len(several) else f" at {len(same)} of {len(several)} points{f' ({first})' if first else ''}"
    )
    caution = (
        f"all seeds gave the same numbers{where}: nothing there is random, or did not happen, so that there are no "
        'intervals; draw the starts, `start = "uniform(0 s, 1 s)"`, or add `send_jitter`'
    )
    return [caution]


def of_description(point: Described) -> list[str]:
    """What a description leaves to Windlass that whoever wrote it may expect otherwise.

    In the profile ``ns2``: flows of TCP whose window and segments are not given. An ns-2 script that gives neither has
    other ones.
    """
    written = point.composed()
    if written["scenario"].get("profile") != "ns2":
        return []
    shared = written.get("tcp", {})
    bare = [
        "segment" not in own and "window" not in shared and "window" not in own.get("tcp", {})
        for own in written["flows"]
    ]
    if not any(bare):
        return []
    effective = json.loads(point.effective_json())["flows"]
    groups = [group for group, found in zip(effective, bare, strict=True) if found and "tcp" in group]
    values = dict.fromkeys((group["tcp"]["window"], group["segment"]) for group in groups)
    return [
        f"profile `ns2`: neither `tcp.window` nor `segment` is given, so they are {window} and {segment}. An ns-2 script "
        f"that sets neither `window_` nor `packetSize_` has {NS2_WINDOW} and {NS2_SEGMENT}: for the same experiment, write "
        f'`tcp.window = "{NS2_WINDOW}"` and `segment = "{NS2_SEGMENT}"`'
        for window, segment in values
    ]


Finding = tuple[Any, ...]
"""What a kind of caution found in a run: texts and numbers, the worst or the first of its kind where few matter."""


@dataclass(frozen=True)
class Observed:
    """What a run shows that one should know: findings by kind of caution, and where they are, in words."""

    where: str
    found: Mapping[str, Sequence[Finding]] = field(default_factory=dict)


def observe(result: RunResult) -> Observed:
    """Look for everything that a caution is about in a run."""
    run = _Run(result.flows, result.links, result.stations)
    found = {kind: rows for kind, (look, _) in _KINDS.items() if (rows := list(look(run)))}
    return Observed(where_words(result.axes, result.seed), found)


def told(observed: Sequence[Observed]) -> list[str]:
    """The cautions about some runs, given what each shows."""
    texts = []
    for kind, (_, tell) in _KINDS.items():
        cases = [
            _Case(row, number, run.where) for number, run in enumerate(observed) for row in run.found.get(kind, ())
        ]
        texts += tell(cases, len(observed)) if cases else []
    return texts


class _Case(NamedTuple):
    """A finding, the number of the run that has it, and where that is in words."""

    found: Finding
    run: int
    where: str


class _Run(NamedTuple):
    """The tables of a run that are looked at, each taken once: many results have theirs packed."""

    flows: pa.Table
    links: pa.Table
    stations: pa.Table


def _rows(table: pa.Table, columns: Sequence[str]) -> zip[tuple[Any, ...]]:
    """Values of some columns, row by row."""
    return zip(*(table[name].to_pylist() for name in columns), strict=True)


def of_absences(absences: Sequence[Mapping[str, Any]]) -> list[str]:
    """What `Point.absences` tells before a run, in the words of :func:`of_runs`."""
    return [
        _no_coverage(one["node"], one["since_s"], one["seconds"], "")
        if one["cellular"]
        else _no_reach(one["medium"], one["node"], one["since_s"], one["seconds"], "")
        for one in absences
    ]


def _cut_records(run: _Run) -> Iterator[Finding]:
    """Runs of which not everything that was asked for is recorded: until when, s."""
    if "recorded_until_s" not in run.flows.column_names:  # older runs have all
        return
    until = run.flows["recorded_until_s"].drop_null()
    if len(until):
        yield (until[0].as_py(),)


def _of_cut_records(cases: Sequence[_Case], total: int) -> list[str]:
    worst = min(cases, key=lambda case: float(case.found[0]))
    text = (
        f"{_often(len(cases), total)}not everything is recorded: from {worst.found[0]:.6g} s on ({worst.where}) traces, "
        "losses, window changes or tapes are missing, since 10 000 000 of a kind are kept. Give `output.trace_step`, "
        "record less, or make the run shorter; the other numbers are of the whole run"
    )
    return [text]


def _still_channels(run: _Run) -> Iterator[Finding]:
    """Channels with a step for each packet that senders in back-off have held in the bad state.

    In step with time a channel is bad for the same share of time as of packets. Pauses that have nothing to do with the
    channel do not change that: they find it bad as often as packets do. A sender that pauses because it is bad does.
    """
    for link, direction, meant, was in _rows(run.links, ("link", "direction", "bad_packets_share", "bad_time_share")):
        if meant is not None and was > max(BAD_FACTOR * meant, meant + BAD_EXCESS):
            yield link, direction, was, meant


def _of_still_channels(cases: Sequence[_Case], total: int) -> list[str]:
    out = []
    for (link, direction), own in _by(cases, 2).items():
        worst = max(own, key=lambda case: float(case.found[2]))
        was, meant = worst.found[2:]
        out.append(
            f"link `{link}`, {direction}: its channel steps with packets and stood still in the bad state while "
            f"senders backed off: {_often(len(own), total)}bad for {was:.1%} of the time instead of {meant:.2%} "
            f"({worst.where}). "
            'Bursts in time do not: leave `per = "packet"` out, or write `burst` as a time'
        )
    return out


_FLOW = ("group", "direction", "transport", "completion_s", "goodput_bps", "active_s", "flow", "stop_s")


def _starved(run: _Run) -> Iterator[Finding]:
    """Flows without end that got nothing, or far less than the others of their group: its share of their mean."""
    groups: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for group, direction, transport, *row in _rows(run.flows, _FLOW):
        # no rate: it begins after the end of the run
        if transport in ("tcp", "tfrc", "multipath") and row[1] is not None:
            groups.setdefault((group, direction), []).append(tuple(row))
    for (group, _), rows in groups.items():
        if any(completed is not None for completed, *_ in rows):
            continue  # they come and go
        longest = max(active for _, _, active, *_ in rows)
        # whoever has stopped sends nothing
        there = [(rate, flow) for _, rate, active, flow, stop in rows if stop is None and active >= LONG * longest]
        if not there:
            continue
        mean = sum(rate for rate, _ in there) / len(there)
        least, flow = min(there, key=lambda one: one[0])
        if least == 0.0:
            yield _family(group), flow, 0.0
        elif least < STARVED * mean and longest >= LONG_ENOUGH_S:
            yield _family(group), flow, least / mean


def _of_starved(cases: Sequence[_Case], total: int) -> list[str]:
    out = []
    for (group,), own in _by([case for case in cases if case.found[2] == 0.0], 1).items():
        first = own[0]
        out.append(
            f"flows `{group}`: {_often(_runs(own), total)}a flow got nothing at all: `{first.found[1]}` ({first.where})"
        )
    for (group,), own in _by([case for case in cases if case.found[2] > 0.0], 1).items():
        worst = min(own, key=lambda case: float(case.found[2]))
        _, flow, share = worst.found
        out.append(
            f"flows `{group}`: {_often(_runs(own), total)}a flow got less than {STARVED:.0%} of their mean: "
            f"`{flow}`, {share:.1%} ({worst.where}). Its timer backed off again and again, or, where paths "
            "are alike and hosts have no jitter, it is locked out, which `topology.send_jitter` prevents"
        )
    return out


def _family(group: str) -> str:
    """Groups that differ by a number only are told of together: `beside-*` of `beside-1` and `beside-2`."""
    return re.sub(r"-\d+(?=$|-back$)", "-*", group)


def _by(cases: Iterable[_Case], first: int) -> dict[Finding, list[_Case]]:
    """Cases by the first values of what was found."""
    found: dict[Finding, list[_Case]] = {}
    for case in cases:
        found.setdefault(case.found[:first], []).append(case)
    return found


def _most(cases: Iterable[_Case], first: int) -> list[_Case]:
    """Of cases with the same first values the one whose next value is largest."""
    return [max(own, key=lambda case: float(case.found[first])) for own in _by(cases, first).values()]


def _runs(cases: Iterable[_Case]) -> int:
    """In how many runs something was found."""
    return len({case.run for case in cases})


def _out_of_coverage(run: _Run) -> Iterator[Finding]:
    """Mobiles that no base station reached for some time: for how long and from when, s."""
    if "out_of_coverage_s" not in run.links.column_names:  # older runs have none
        return
    for link, out, since in _rows(run.links, ("link", "out_of_coverage_s", "out_of_coverage_since_s")):
        if out:
            yield link, out, since


def _of_out_of_coverage(cases: Sequence[_Case], _total: int) -> list[str]:
    # the link air/3 is that of mobile/3
    return [
        _no_coverage(link.replace("air/", "mobile/"), since, seconds, f" ({where})")
        for (link, seconds, since), _, where in _most(cases, 1)
    ]


def _no_coverage(mobile: str, since: float, seconds: float, where: str) -> str:
    return (
        f"`{mobile}` is out of coverage for {digits(seconds, 4)} s, at first from {digits(since, 4)} s on{where}: no base station "
        "reaches it. What is in the air as that begins is lost as `coverage`; what comes meanwhile waits, and what finds "
        "no room is lost as `queue`. Longer ways need more `stations` or a larger `radius`"
    )


def _crowded(run: _Run) -> Iterator[Finding]:
    """Media with very many stations."""
    for medium, count in Counter(run.stations["medium"].to_pylist()).items():
        if count > MANY_STATIONS:
            yield medium, count


def _of_crowded(cases: Sequence[_Case], _total: int) -> list[str]:
    return [
        f"medium `{medium}` has {count} stations ({where}): more than {MANY_STATIONS} on one channel are "
        "outside what the model was compared with"
        for (medium, count), _, where in _most(cases, 1)
    ]


def _passed_over(run: _Run) -> Iterator[Finding]:
    """Media whose hops pass over nodes: over how many at most."""
    most: dict[str, int] = {}
    for medium, passed in _rows(run.stations, ("medium", "passed_over_nodes")):
        most[medium] = max(passed, most.get(medium, 0))
    yield from ((medium, passed) for medium, passed in most.items() if passed > 0)


def _of_passed_over(cases: Sequence[_Case], _total: int) -> list[str]:
    return [
        f"medium `{medium}`: nodes decode each other over {_nodes(count)} between them ({where}), and "
        "packets take the longest hops. For hops from neighbour to neighbour, space them wider or lower "
        "`receive_range`"
        for (medium, count), _, where in _most(cases, 1)
    ]


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{count} nodes"


def _away(run: _Run) -> Iterator[Finding]:
    """Stations that were out of reach of the one that they talk to: for how long and from when, s."""
    if "out_of_reach_s" not in run.stations.column_names:  # older runs have none
        return
    for medium, station, out, since in _rows(
        run.stations, ("medium", "station", "out_of_reach_s", "out_of_reach_since_s")
    ):
        if out:
            yield medium, station, out, since


def _of_away(cases: Sequence[_Case], _total: int) -> list[str]:
    return [
        _no_reach(medium, station, since, seconds, f" ({where})")
        for (medium, station, seconds, since), _, where in _most(cases, 2)
    ]


def _no_reach(medium: str, station: str, since: float, seconds: float, where: str) -> str:
    return (
        f"medium `{medium}`: `{station}` is out of reach of the station that it talks to for {digits(seconds, 4)} s, at first "
        f"from {digits(since, 4)} s on{where}. What is sent meanwhile is given up and lost as `mac_retry`"
    )


def _given_up(run: _Run) -> Iterator[Finding]:
    """Stations whose MAC gave up many packets: their share."""
    for medium, station, acked, dropped in _rows(
        run.stations, ("medium", "station", "acked_packets", "mac_dropped_packets")
    ):
        if dropped > GIVEN_UP * (acked + dropped):
            yield medium, station, dropped / (acked + dropped)


def _of_given_up(cases: Sequence[_Case], _total: int) -> list[str]:
    """One sentence for each medium: the worst station, and how many others."""
    out = []
    for (medium,), own in _by(_most(cases, 2), 1).items():
        worst = max(own, key=lambda case: float(case.found[2]))
        _, station, share = worst.found
        others = "" if len(own) == 1 else f"; so it is at {len(own) - 1} more of its stations"
        out.append(
            f"medium `{medium}`: the MAC of `{station}` gave up {share:.1%} of its packets ({worst.where}){others}. "
            "They are lost as `mac_retry`: bad frames, hidden stations, or a neighbour out of reach"
        )
    return out


def _often(count: int, total: int) -> str:
    return "" if total == 1 else f"in {count} of {total} runs "


def where_words(axes: Mapping[str, Any], seed: int) -> str:
    """Where a run is: its swept values and its seed."""
    return ", ".join([*(f"{axis} = {value}" for axis, value in axes.items()), f"seed {seed}"])


_Look = Callable[[_Run], Iterator[Finding]]
_Tell = Callable[[Sequence[_Case], int], list[str]]

_KINDS: dict[str, tuple[_Look, _Tell]] = {
    "records": (_cut_records, _of_cut_records),
    "channels": (_still_channels, _of_still_channels),
    "starved": (_starved, _of_starved),
    "coverage": (_out_of_coverage, _of_out_of_coverage),
    "crowded": (_crowded, _of_crowded),
    "passed over": (_passed_over, _of_passed_over),
    "away": (_away, _of_away),
    "given up": (_given_up, _of_given_up),
}
"""How each kind of caution is found in a run, and told of the cases that were found, at least one."""
