"""What to know before trusting the numbers of some runs: found in the runs themselves, and shown wherever they are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    return [
        *_cut_records(results),
        *_still_channels(results),
        *_starved_flows(results),
        *_out_of_coverage(results),
        *_radio(results),
    ]


def of_absences(absences: Sequence[Mapping[str, Any]]) -> list[str]:
    """What `Point.absences` tells before a run, in the words of :func:`of_runs`."""
    return [
        _no_coverage(one["node"], one["since_s"], one["seconds"], "")
        if one["cellular"]
        else _no_reach(one["medium"], one["node"], one["since_s"], one["seconds"], "")
        for one in absences
    ]


def _cut_records(results: Sequence[RunResult]) -> list[str]:
    """Runs of which not everything that was asked for is recorded."""
    found = []
    for result in results:
        if "recorded_until_s" not in result.flows.column_names:  # older runs have all
            continue
        until = result.flows["recorded_until_s"].drop_null()
        if len(until):
            found.append((until[0].as_py(), result))
    if not found:
        return []
    first, worst = min(found, key=lambda one: one[0])
    often, where = _often(len(found), len(results)), _where(worst)
    text = (
        f"{often}not everything is recorded: from {first:.6g} s on ({where}) traces, losses, window changes or tapes are "
        "missing, since 10 000 000 of a kind are kept. Give `output.trace_step`, record less, or make the run shorter; "
        "the other numbers are of the whole run"
    )
    return [text]


def _still_channels(results: Sequence[RunResult]) -> list[str]:
    """Channels with a step for each packet that senders in back-off have held in the bad state.

    In step with time a channel is bad for the same share of time as of packets. Pauses that have nothing to do with the
    channel do not change that: they find it bad as often as packets do. A sender that pauses because it is bad does.
    """
    found: dict[tuple[str, str], list[tuple[float, float, RunResult]]] = {}
    columns = ["link", "direction", "bad_packets_share", "bad_time_share"]
    for result in results:
        for row in result.links.select(columns).to_pylist():
            meant, was = row["bad_packets_share"], row["bad_time_share"]
            if meant is not None and was > max(BAD_FACTOR * meant, meant + BAD_EXCESS):
                found.setdefault((row["link"], row["direction"]), []).append((was, meant, result))
    out = []
    for (link, direction), cases in found.items():
        was, meant, worst = max(cases, key=lambda case: case[0])
        out.append(
            f"link `{link}`, {direction}: its channel steps with packets and stood still in the bad state while "
            f"senders backed off: {_often(len(cases), len(results))}bad for {was:.1%} of the time instead of {meant:.2%} "
            f"({_where(worst)}). "
            'Bursts in time do not: leave `per = "packet"` out, or write `burst` as a time'
        )
    return out


def _starved_flows(results: Sequence[RunResult]) -> list[str]:
    """Flows without end that got nothing, or far less than the others of their group."""
    nothing: dict[str, list[tuple[float, str, RunResult]]] = {}
    little: dict[str, list[tuple[float, str, RunResult]]] = {}
    columns = ["flow", "group", "direction", "transport", "stop_s", "active_s", "goodput_bps", "completion_s"]
    for result in results:
        groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in result.flows.select(columns).to_pylist():
            # no rate: it begins after the end of the run
            if row["transport"] in ("tcp", "tfrc", "multipath") and row["goodput_bps"] is not None:
                groups.setdefault((row["group"], row["direction"]), []).append(row)
        for (group, _), rows in groups.items():
            if any(row["completion_s"] is not None for row in rows):
                continue  # they come and go
            longest = max(row["active_s"] for row in rows)
            # whoever has stopped sends nothing
            there = [row for row in rows if row["stop_s"] is None and row["active_s"] >= LONG * longest]
            if not there:
                continue
            mean = sum(row["goodput_bps"] for row in there) / len(there)
            least = min(there, key=lambda row: row["goodput_bps"])
            if least["goodput_bps"] == 0.0:
                nothing.setdefault(_family(group), []).append((0.0, least["flow"], result))
            elif least["goodput_bps"] < STARVED * mean and longest >= LONG_ENOUGH_S:
                little.setdefault(_family(group), []).append((least["goodput_bps"] / mean, least["flow"], result))
    out = []
    for group, cases in nothing.items():
        _, flow, worst = cases[0]
        out.append(
            f"flows `{group}`: {_often(_runs(cases), len(results))}a flow got nothing at all: `{flow}` ({_where(worst)})"
        )
    for group, cases in little.items():
        share, flow, worst = min(cases, key=lambda case: case[0])
        out.append(
            f"flows `{group}`: {_often(_runs(cases), len(results))}a flow got less than {STARVED:.0%} of their mean: "
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


def _out_of_coverage(results: Sequence[RunResult]) -> list[str]:
    """Mobiles that no base station reached for some time: of each the longest."""
    longest: dict[str, tuple[float, float, RunResult]] = {}
    columns = ["link", "out_of_coverage_s", "out_of_coverage_since_s"]
    for result in results:
        if "out_of_coverage_s" not in result.links.column_names:  # older runs have none
            continue
        for row in result.links.select(columns).to_pylist():
            seconds = row["out_of_coverage_s"] or 0.0
            if seconds > longest.get(row["link"], (0.0,))[0]:
                longest[row["link"]] = (seconds, row["out_of_coverage_since_s"], result)
    return [
        # the link air/3 is that of mobile/3
        _no_coverage(link.replace("air/", "mobile/"), since, seconds, f" ({_where(result)})")
        for link, (seconds, since, result) in longest.items()
    ]


def _no_coverage(mobile: str, since: float, seconds: float, where: str) -> str:
    return (
        f"`{mobile}` is out of coverage for {seconds:.4g} s, at first from {since:.4g} s on{where}: no base station "
        "reaches it. What waits or comes meanwhile is lost as `coverage`. Longer ways need more `stations` or a larger "
        "`radius`"
    )


def _no_reach(medium: str, station: str, since: float, seconds: float, where: str) -> str:
    return (
        f"medium `{medium}`: `{station}` is out of reach of the station that it talks to for {seconds:.4g} s, at first "
        f"from {since:.4g} s on{where}. What is sent meanwhile is given up and lost as `mac_retry`"
    )


def _radio(results: Sequence[RunResult]) -> list[str]:
    """What is special about media and stations.

    Very many stations; stations that walk out of reach, or whose MAC gave up many packets; chains whose hops pass over
    nodes.
    """
    given_up: dict[tuple[str, str], list[tuple[float, RunResult]]] = {}
    crowded: dict[str, tuple[int, RunResult]] = {}
    over: dict[str, tuple[int, RunResult]] = {}
    away: dict[tuple[str, str], tuple[float, float, RunResult]] = {}
    for result in results:
        if result.stations.num_rows == 0:
            continue
        columns = ["medium", "station", "acked_packets", "mac_dropped_packets", "passed_over_nodes"]
        if "out_of_reach_since_s" in result.stations.column_names:  # older runs have none
            columns += ["out_of_reach_s", "out_of_reach_since_s"]
        counts: dict[str, int] = {}
        for row in result.stations.select(columns).to_pylist():
            medium = row["medium"]
            counts[medium] = counts.get(medium, 0) + 1
            ended = row["acked_packets"] + row["mac_dropped_packets"]
            if ended and row["mac_dropped_packets"] > GIVEN_UP * ended:
                share = row["mac_dropped_packets"] / ended
                given_up.setdefault((medium, row["station"]), []).append((share, result))
            seconds = row.get("out_of_reach_s") or 0.0
            if seconds > away.get((medium, row["station"]), (0.0,))[0]:
                away[medium, row["station"]] = (seconds, row["out_of_reach_since_s"], result)
            if row["passed_over_nodes"] > over.get(medium, (0, result))[0]:
                over[medium] = (row["passed_over_nodes"], result)
        for medium, count in counts.items():
            if count > max(MANY_STATIONS, crowded.get(medium, (0, result))[0]):
                crowded[medium] = (count, result)
    out = [
        f"medium `{medium}` has {count} stations ({_where(result)}): more than {MANY_STATIONS} on one channel are "
        "outside what the model was compared with"
        for medium, (count, result) in crowded.items()
    ]
    out += [
        f"medium `{medium}`: nodes decode each other over {_nodes(count)} between them ({_where(result)}), and packets "
        "take the longest hops. For hops from neighbour to neighbour, space them wider or lower `receive_range`"
        for medium, (count, result) in over.items()
    ]
    out += [
        _no_reach(medium, station, since, seconds, f" ({_where(result)})")
        for (medium, station), (seconds, since, result) in away.items()
    ]
    return out + _given_up(given_up)


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
