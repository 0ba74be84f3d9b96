"""What a whole description must not have."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from windlass.validation.tcl.agents import ends_of, is_full
from windlass.validation.tcl.flows import FlowStart
from windlass.validation.tcl.links import Direction, directions_of
from windlass.validation.tcl.radio import KINDS, radio_plan
from windlass.validation.tcl.words import refuse, value_of


def check(description: Mapping[str, Any]) -> None:
    """Refuse a description that ns-2 cannot express.

    Parameters
    ----------
    description : mapping
        With every default, as :meth:`windlass.scenario.Point.effective` gives it.

    Raises
    ------
    InputError
        With the code ``validate.not-expressible``, naming the key.
    """
    for part in description:
        if part not in ("scenario", "topology", "flows"):
            refuse(part, None, "the generator writes topology and flows only", f"leave `[{part}]` out")
    profile = description["scenario"]["profile"]
    if profile != "ns2":
        refuse("scenario.profile", profile, "ns-2 has rules of its own", 'write `profile = "ns2"`')
    jitter = description["topology"]["send_jitter"]
    if jitter != "0 s":
        refuse("topology.send_jitter", jitter, "no delay of that kind is written", 'write `send_jitter = "0 s"`')
    topology = description["topology"]
    if topology["kind"] in KINDS:
        directions = list(radio_plan(topology).links)
    else:
        directions = list(directions_of(topology))
        warmup = description["scenario"]["warmup"]
        if value_of(warmup)[0] > 0.0:
            refuse("scenario.warmup", warmup, "wired flows are measured from the start", "leave `warmup` out")
    seen = set()
    for one in directions:
        if (one.source, one.target) in seen:
            refuse(
                "topology.links", f"two from {one.source} to {one.target}", "ns-2 has one link from a node to another"
            )
        seen.add((one.source, one.target))
    for group in description["flows"]:
        ends_of(group)
        if topology["kind"] in KINDS and is_full(group):
            refuse("flows.tcp.agent", "full", "on a radio only one-way agents are written", 'write `agent = "one-way"`')


def check_routes(directions: Sequence[Direction], flows: Sequence[FlowStart]) -> None:
    """Between equally short paths the two simulators may choose differently."""
    neighbours: dict[str, list[str]] = {}
    for one in directions:
        neighbours.setdefault(one.source, []).append(one.target)
    for flow in flows:
        hops, ways = {flow.source: 0}, {flow.source: 1}
        queue = deque([flow.source])
        while queue:
            node = queue.popleft()
            for near in neighbours.get(node, ()):
                if near not in hops:
                    hops[near] = hops[node] + 1
                    ways[near] = 0
                    queue.append(near)
                if hops[near] == hops[node] + 1:
                    ways[near] += ways[node]
        if ways.get(flow.target, 1) > 1:
            refuse(
                "topology.links",
                None,
                f"several shortest paths from {flow.source} to {flow.target}, and ns-2 may take another one",
                "make one of them shorter",
            )
