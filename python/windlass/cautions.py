"""What to know before trusting the numbers of some runs: found in the runs themselves, and shown wherever they are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

    from windlass.sweep import RunResult

__all__ = ["cautions_of", "of_absences", "of_algorithms", "of_runs"]

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

LONG_ENOUGH_S = 20.0
"""A flow whose timer expires four times in a row is silent for 15 s: in shorter times, little says nothing."""


def cautions_of(results: Sequence[RunResult]) -> list[str]:
    """Every caution about these runs.

    Parameters
    ----------
    results : sequence of RunResult
        Of one scenario or of several that are shown together.

    Returns
    -------
    list of str
        A sentence or two each; those about algorithms first.
    """
    return [*of_algorithms(results), *of_runs(results)]


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
    watches = (_CutRecords(), _StillChannels(), _StarvedFlows(), _OutOfCoverage(), _Radio())
    for result in results:
        run = _Run(result, result.flows, result.links, result.stations)
        for watch in watches:
            watch.see(run)
    return [text for watch in watches for text in watch.texts(len(results))]


class _Run(NamedTuple):
    """A run with the tables that are looked at, each taken once: many results have theirs packed."""

    result: RunResult
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


class _CutRecords:
    """Runs of which not everything that was asked for is recorded."""

    def __init__(self) -> None:
        self._found: list[tuple[float, RunResult]] = []

    def see(self, run: _Run) -> None:
        if "recorded_until_s" not in run.flows.column_names:  # older runs have all
            return
        until = run.flows["recorded_until_s"].drop_null()
        if len(until):
            self._found.append((until[0].as_py(), run.result))

    def texts(self, total: int) -> list[str]:
        if not self._found:
            return []
        first, worst = min(self._found, key=lambda one: one[0])
        often, where = _often(len(self._found), total), _where(worst)
        text = (
            f"{often}not everything is recorded: from {first:.6g} s on ({where}) traces, losses, window changes or tapes "
            "are missing, since 10 000 000 of a kind are kept. Give `output.trace_step`, record less, or make the run "
            "shorter; the other numbers are of the whole run"
        )
        return [text]


class _StillChannels:
    """Channels with a step for each packet that senders in back-off have held in the bad state.

    In step with time a channel is bad for the same share of time as of packets. Pauses that have nothing to do with the
    channel do not change that: they find it bad as often as packets do. A sender that pauses because it is bad does.
    """

    COLUMNS = ("link", "direction", "bad_packets_share", "bad_time_share")

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], list[tuple[float, float, RunResult]]] = {}

    def see(self, run: _Run) -> None:
        for link, direction, meant, was in _rows(run.links, self.COLUMNS):
            if meant is not None and was > max(BAD_FACTOR * meant, meant + BAD_EXCESS):
                self._found.setdefault((link, direction), []).append((was, meant, run.result))

    def texts(self, total: int) -> list[str]:
        out = []
        for (link, direction), cases in self._found.items():
            was, meant, worst = max(cases, key=lambda case: case[0])
            out.append(
                f"link `{link}`, {direction}: its channel steps with packets and stood still in the bad state while "
                f"senders backed off: {_often(len(cases), total)}bad for {was:.1%} of the time instead of {meant:.2%} "
                f"({_where(worst)}). "
                'Bursts in time do not: leave `per = "packet"` out, or write `burst` as a time'
            )
        return out


class _StarvedFlows:
    """Flows without end that got nothing, or far less than the others of their group."""

    COLUMNS = ("group", "direction", "transport", "completion_s", "goodput_bps", "active_s", "flow", "stop_s")

    def __init__(self) -> None:
        self._nothing: dict[str, list[tuple[float, str, RunResult]]] = {}
        self._little: dict[str, list[tuple[float, str, RunResult]]] = {}

    def see(self, run: _Run) -> None:
        groups: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
        for group, direction, transport, *row in _rows(run.flows, self.COLUMNS):
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
                self._nothing.setdefault(_family(group), []).append((0.0, flow, run.result))
            elif least < STARVED * mean and longest >= LONG_ENOUGH_S:
                self._little.setdefault(_family(group), []).append((least / mean, flow, run.result))

    def texts(self, total: int) -> list[str]:
        out = []
        for group, cases in self._nothing.items():
            _, flow, worst = cases[0]
            out.append(
                f"flows `{group}`: {_often(_runs(cases), total)}a flow got nothing at all: `{flow}` ({_where(worst)})"
            )
        for group, cases in self._little.items():
            share, flow, worst = min(cases, key=lambda case: case[0])
            out.append(
                f"flows `{group}`: {_often(_runs(cases), total)}a flow got less than {STARVED:.0%} of their mean: "
                f"`{flow}`, {share:.1%} ({_where(worst)}). Its timer backed off again and again, or, where paths "
                "are alike and hosts have no jitter, it is locked out, which `topology.send_jitter` prevents"
            )
        return out


def _family(group: str) -> str:
    """Groups that differ by a number only are told of together: `beside-*` of `beside-1` and `beside-2`."""
    return re.sub(r"-\d+(?=$|-back$)", "-*", group)


def _runs(cases: Sequence[tuple[float, str, RunResult]]) -> int:
    """In how many runs something was found."""
    return len({id(result) for *_, result in cases})


class _OutOfCoverage:
    """Mobiles that no base station reached for some time: of each the longest."""

    COLUMNS = ("link", "out_of_coverage_s", "out_of_coverage_since_s")

    def __init__(self) -> None:
        self._longest: dict[str, tuple[float, float, RunResult]] = {}

    def see(self, run: _Run) -> None:
        if "out_of_coverage_s" not in run.links.column_names:  # older runs have none
            return
        for link, out, since in _rows(run.links, self.COLUMNS):
            seconds = out or 0.0
            if seconds > self._longest.get(link, (0.0,))[0]:
                self._longest[link] = (seconds, since, run.result)

    def texts(self, _total: int) -> list[str]:
        return [
            # the link air/3 is that of mobile/3
            _no_coverage(link.replace("air/", "mobile/"), since, seconds, f" ({_where(result)})")
            for link, (seconds, since, result) in self._longest.items()
        ]


def _no_coverage(mobile: str, since: float, seconds: float, where: str) -> str:
    return (
        f"`{mobile}` is out of coverage for {seconds:.4g} s, at first from {since:.4g} s on{where}: no base station "
        "reaches it. What is in the air as that begins is lost as `coverage`; what comes meanwhile waits, and what finds "
        "no room is lost as `queue`. Longer ways need more `stations` or a larger `radius`"
    )


def _no_reach(medium: str, station: str, since: float, seconds: float, where: str) -> str:
    return (
        f"medium `{medium}`: `{station}` is out of reach of the station that it talks to for {seconds:.4g} s, at first "
        f"from {since:.4g} s on{where}. What is sent meanwhile is given up and lost as `mac_retry`"
    )


class _Radio:
    """What is special about media and stations.

    Very many stations; stations that walk out of reach, or whose MAC gave up many packets; chains whose hops pass over
    nodes.
    """

    COLUMNS = ("medium", "station", "acked_packets", "mac_dropped_packets", "passed_over_nodes")
    REACH = ("out_of_reach_s", "out_of_reach_since_s")

    def __init__(self) -> None:
        self._given_up: dict[tuple[str, str], list[tuple[float, RunResult]]] = {}
        self._crowded: dict[str, tuple[int, RunResult]] = {}
        self._over: dict[str, tuple[int, RunResult]] = {}
        self._away: dict[tuple[str, str], tuple[float, float, RunResult]] = {}

    def see(self, run: _Run) -> None:
        stations, result = run.stations, run.result
        if stations.num_rows == 0:
            return
        counts: dict[str, int] = {}
        for medium, station, acked, dropped, passed in _rows(stations, self.COLUMNS):
            counts[medium] = counts.get(medium, 0) + 1
            if dropped > GIVEN_UP * (acked + dropped):
                self._given_up.setdefault((medium, station), []).append((dropped / (acked + dropped), result))
            if passed > self._over.get(medium, (0, result))[0]:
                self._over[medium] = (passed, result)
        for medium, count in counts.items():
            if count > max(MANY_STATIONS, self._crowded.get(medium, (0, result))[0]):
                self._crowded[medium] = (count, result)
        if self.REACH[0] in stations.column_names:  # older runs have none
            for medium, station, out, since in _rows(stations, (*self.COLUMNS[:2], *self.REACH)):
                seconds = out or 0.0
                if seconds > self._away.get((medium, station), (0.0,))[0]:
                    self._away[medium, station] = (seconds, since, result)

    def texts(self, _total: int) -> list[str]:
        out = [
            f"medium `{medium}` has {count} stations ({_where(result)}): more than {MANY_STATIONS} on one channel are "
            "outside what the model was compared with"
            for medium, (count, result) in self._crowded.items()
        ]
        out += [
            f"medium `{medium}`: nodes decode each other over {_nodes(count)} between them ({_where(result)}), and "
            "packets take the longest hops. For hops from neighbour to neighbour, space them wider or lower "
            "`receive_range`"
            for medium, (count, result) in self._over.items()
        ]
        out += [
            _no_reach(medium, station, since, seconds, f" ({_where(result)})")
            for (medium, station), (seconds, since, result) in self._away.items()
        ]
        return out + _given_up(self._given_up)


def _given_up(found: dict[tuple[str, str], list[tuple[float, RunResult]]]) -> list[str]:
    """One sentence for each medium: the worst station, and how many others."""
    out = []
    for medium in dict.fromkeys(medium for medium, _ in found):
        cases = {station: max(rows, key=lambda row: row[0]) for (of, station), rows in found.items() if of == medium}
        station, (share, worst) = max(cases.items(), key=lambda case: case[1][0])
        others = "" if len(cases) == 1 else f"; so it is at {len(cases) - 1} more of its stations"
        out.append(
            f"medium `{medium}`: the MAC of `{station}` gave up {share:.1%} of its packets ({_where(worst)}){others}. "
            "They are lost as `mac_retry`: bad frames, hidden stations, or a neighbour out of reach"
        )
    return out


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{count} nodes"


def _often(count: int, total: int) -> str:
    return "" if total == 1 else f"in {count} of {total} runs "


def _where(result: RunResult) -> str:
    return ", ".join([*(f"{axis} = {value}" for axis, value in result.axes.items()), f"seed {result.seed}"])
