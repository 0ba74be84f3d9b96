"""What the path of a description says of its figures: lines of capacity, of the BDP, of an ideal Reno."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.plots.flows import Course
from windlass.plots.words import quantity
from windlass.stats.throughput import even_bin

if TYPE_CHECKING:
    from windlass.output import SavedSweep
    from windlass.scenario import Scenario
    from windlass.sweep import SweepResult

__all__ = ["limits_of", "path_of", "shared_trip", "trips_of"]

Trip = Mapping[str, float | Course]


def limits_of(scenario: Scenario, seed: int) -> dict[str, Any]:
    """Of a scenario of one point: ``capacity_bps`` that the links carry of the payload of all flows together in the run
    with this seed, and ``until_s``, the length of the run.
    """
    point = scenario.points()[0]
    known = point.capacity()
    limits: dict[str, Any] = {"capacity_bps": None, "until_s": scenario.duration_s}
    if known and known["cuts"]:
        share = known["payload"] / known["packet"]
        rows = point.course((), seed, bin_s=even_bin(scenario.duration_s))
        limits["capacity_bps"] = steps([(row["from_s"], row["carried_bps"] * share) for row in rows])
    return limits


def trips_of(scenario: Scenario, seed: int) -> dict[str, dict[str, float | Course]]:
    """Of a scenario of one point: ``bdp_packets`` and ``base_rtt_s`` of the path of each group of flows in the run with
    this seed.
    """
    (point, *_), trips = scenario.points(), {}
    for group in point.effective()["flows"]:
        known = point.capacity([group["name"]])
        if known and known["cuts"] and known["round_trip_s"] > 0.0:
            rows = point.course([group["name"]], seed, bin_s=even_bin(scenario.duration_s))
            bits = 8.0 * known["packet"]
            bdp = [(row["from_s"], row["narrowest_bps"] * row["round_trip_s"] / bits) for row in rows]
            trips[group["name"]] = {
                "bdp_packets": steps(bdp),
                "base_rtt_s": steps([(row["from_s"], row["round_trip_s"]) for row in rows]),
            }
    return trips


def steps(course: Sequence[tuple[float, float]]) -> float | Course:
    """A course without the times at which it does not change; one that never does is its value."""
    kept = [step for at, step in enumerate(course) if not at or step[1] != course[at - 1][1]]
    return kept[0][1] if len(kept) == 1 else kept


def shared_trip(trips: Mapping[str, Trip], groups: Collection[str]) -> Trip:
    """What holds for each of these groups; nothing if their paths differ: a line would be true of some only."""
    own = [trips.get(group, {}) for group in groups]
    same = all(one.keys() == own[0].keys() and all(_same(one[key], own[0][key]) for key in one) for one in own)
    return own[0] if own and same else {}


def _same(one: float | Course, other: float | Course) -> bool:
    """Whether two lines are one."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=0.01)
    if isinstance(one, float) or isinstance(other, float) or len(one) != len(other):
        return False
    return all(a[0] == b[0] and math.isclose(a[1], b[1], rel_tol=0.01) for a, b in zip(one, other, strict=True))


def path_of(saved: SavedSweep | SweepResult, metric: str) -> dict[str, Any]:
    """Capacity and round trip for the lines of theory, of a dumbbell whose links are not swept."""
    facts: dict[str, Any] = {}
    links = {(row["link"], row["direction"]): row for row in saved.links.to_pylist()}
    same = saved.links.group_by(["link", "direction"]).aggregate(
        [("rate_bps", "count_distinct"), ("delay_s", "count_distinct")]
    )
    if any(row["rate_bps_count_distinct"] > 1 or row["delay_s_count_distinct"] > 1 for row in same.to_pylist()):
        return facts
    runs = saved.flows.group_by(["key", "direction"]).aggregate([("flow", "count")])["flow_count"].to_pylist()
    bottleneck = links.get(("bottleneck", "forward"))
    if bottleneck is None or len(set(runs)) != 1:
        return facts
    points = [json.loads(point) if isinstance(point, str) else point for point in saved.descriptions]
    groups = [flow for point in points for flow in point.get("flows", ())]
    segments = {(flow["segment"], _header(flow["tcp"]), _segments_counted_as_one(flow["tcp"])) for flow in groups}
    if len(segments) != 1:
        return facts
    segment, header_bytes, counted = segments.pop()
    payload = quantity(segment)
    if payload is None or header_bytes is None:
        return facts
    mss_bytes = payload[0]
    flows = runs[0] if metric == "goodput_bps" else 1
    names = ["left/0", "bottleneck", "right/0"]
    forward = [links[name, "forward"]["rate_bps"] for name in names if (name, "forward") in links]
    share = [bottleneck["rate_bps"] / flows] + ([min(forward)] if metric == "goodput_bps" else [])
    # goodput counts payload, a link carries headers as well
    facts["capacity_bps"] = min(share) * mss_bytes / (mss_bytes + header_bytes)
    if metric == "goodput_bps" and all((name, "reverse") in links for name in names):
        rtt = sum(links[name, direction]["delay_s"] for name in names for direction in ("forward", "reverse"))
        if rtt > 0.0:
            facts["mathis"] = {"mss_bytes": mss_bytes, "rtt_s": rtt, "b": float(counted)}
    return facts


def _header(tcp: dict[str, Any]) -> float | None:
    """Bytes before the payload, with the option for timestamps, which ns-2 gives 10 bytes and everyone else 12."""
    plain = quantity(tcp["header"])
    if plain is None:
        return None
    return plain[0] + ((10.0 if tcp["ns2_recovery"] else 12.0) if tcp["timestamps"] else 0.0)


def _segments_counted_as_one(tcp: dict[str, Any]) -> int:
    """What congestion avoidance takes for one segment: those of an ACK if ACKs are counted (b in theory)."""
    return tcp["delayed_ack"] if tcp["ca_count"] == "acks" else 1
