"""The whole script of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from windlass.validation.tcl.agents import is_full
from windlass.validation.tcl.checks import check, check_routes
from windlass.validation.tcl.flows import FlowStart, connections, full_starts
from windlass.validation.tcl.links import Direction, directions_of
from windlass.validation.tcl.radio import KINDS, radio_plan
from windlass.validation.tcl.radio_writing import RESET, Air, before, network, settings
from windlass.validation.tcl.results import radio_results, results
from windlass.validation.tcl.words import number, value_of


def script(description: Mapping[str, Any], flows: Sequence[FlowStart], seed: int | None) -> str:
    """Write the script of one run.

    Parameters
    ----------
    description : mapping
        With every default, as :meth:`windlass.scenario.Point.effective` gives it.
    flows : sequence of FlowStart
        From the run here, see :func:`flow_starts`.
    seed : int or None
        Seed of ns-2's random numbers. Not ours: equal seeds do not mean equal losses. ``None`` leaves ns-2's default.

    Returns
    -------
    str
        Tcl. It prints a line for each flow, :data:`RESULT` and :data:`RESULT_COLUMNS`.

    Raises
    ------
    InputError
        With the code ``validate.not-expressible``, naming the key.
    """
    check(description)
    if description["topology"]["kind"] in KINDS:
        return _radio_script(description, flows, seed)
    directions = list(directions_of(description["topology"]))
    nodes = list(dict.fromkeys(name for one in directions for name in (one.source, one.target)))
    place = {name: i for i, name in enumerate(nodes)}
    groups = {group["name"]: group for group in description["flows"]}
    check_routes(directions, flows)
    lines = [
        *_head(seed, any(group["transport"] == "udp" for group in description["flows"])),
        *_network(directions, place),
        *_losses(directions, place),
        "",
        *connections(flows, groups, place),
        *full_starts(flows, groups),
        *results(any(is_full(group) for group in description["flows"])),
        f"$net at {number(value_of(description['scenario']['duration'])[0])} results",
        "$net run",
    ]
    return "\n".join(lines) + "\n"


def _radio_script(description: Mapping[str, Any], flows: Sequence[FlowStart], seed: int | None) -> str:
    """The script of a cell or a chain: its time begins when routes and addresses are known."""
    air = Air(radio_plan(description["topology"]), flows)
    place = {name: i for i, name in enumerate(air.nodes)}
    groups = {group["name"]: group for group in description["flows"]}
    directions = air.plan.links if air.behind else ()
    duration_s, warmup_s = (value_of(description["scenario"][key])[0] for key in ("duration", "warmup"))
    lines = [
        FIRST_LINE,
        *settings(air.plan.radio),
        "set net [new Simulator]",
        "",
        *_randomness(seed),
        *network(air),
        "",
        *_links(directions, place),
        *_losses(directions, place),
        *before(air, place),
        *connections(air.later(), groups, place, air.sized),
        *RESET,
        *radio_results(),
        f"$net at {number(air.begin_s + warmup_s)} remember",
        f"$net at {number(air.begin_s + duration_s)} results",
        "$net run",
    ]
    return "\n".join(lines) + "\n"


FIRST_LINE = "# Written by Windlass. Usage: ns FILE"


def _head(seed: int | None, datagrams: bool) -> list[str]:
    return [
        FIRST_LINE,
        "remove-all-packet-headers",
        "add-packet-header Common Flags IP TCP" + (" RTP" if datagrams else ""),
        "set net [new Simulator]",
        "",
        *_randomness(seed),
    ]


def _randomness(seed: int | None) -> list[str]:
    if seed is None:
        return []
    return [
        "# Neighbouring seeds begin with related numbers, so the first ones are thrown away.",
        f"$defaultRNG seed {_ns2_seed(seed)}",
        "set any [new RandomVariable/Uniform]",
        "for {set i 0} {$i < 50} {incr i} { $any value }",
        "",
    ]


def _network(directions: Sequence[Direction], place: Mapping[str, int]) -> list[str]:
    return [
        f"for {{set i 0}} {{$i < {len(place)}}} {{incr i}} {{ set node($i) [$net node] }}",
        "",
        *_links(directions, place),
    ]


def _links(directions: Sequence[Direction], place: Mapping[str, int]) -> list[str]:
    if not directions:
        return []
    return [
        "# From, to, bit/s, seconds, limit.",
        "foreach {a b rate delay limit} {",
        *(
            f"    {place[one.source]} {place[one.target]} {one.rate_bps:.0f} {number(one.delay_s)} {one.limit}"
            for one in directions
        ),
        "} {",
        "    $net simplex-link $node($a) $node($b) $rate $delay DropTail",
        "    $net queue-limit $node($a) $node($b) $limit",
        "}",
    ]


def _losses(directions: Sequence[Direction], place: Mapping[str, int]) -> list[str]:
    random = [one for one in directions if one.loss > 0.0]
    listed = [one for one in directions if one.drops]

    def ends(one: Direction) -> str:
        return f"{place[one.source]} {place[one.target]}"

    lines = []
    if random or listed:
        lines += ["", "proc losing {model} {", "    $model drop-target [new Agent/Null]", "    return $model", "}"]
    if random:
        lines += [
            "",
            "# From, to, share of the packets, behind the link or before its queue.",
            "foreach {a b share command} {",
            *(
                f"    {ends(one)} {number(one.loss)} {'link-lossmodel' if one.at == 'wire' else 'lossmodel'}"
                for one in random
            ),
            "} {",
            "    set model [losing [new ErrorModel]]",
            "    $model unit pkt",
            "    $model set rate_ $share",
            "    $model ranvar [new RandomVariable/Uniform]",
            "    $net $command $model $node($a) $node($b)",
            "}",
        ]
    if listed:
        lines += [
            "",
            "# From, to, arrivals that are lost.",
            "foreach {a b arrivals} {",
            *(f"    {ends(one)} {{{' '.join(str(n) for n in one.drops)}}}" for one in listed),
            "} {",
            "    set model [losing [new ErrorModel/List]]",
            "    $model droplist $arrivals",
            "    $net lossmodel $model $node($a) $node($b)",
            "}",
        ]
    return lines


def _ns2_seed(seed: int) -> int:
    """A seed from 1 to 2147483646; neighbours here are far apart there."""
    return 1 + (seed * 1_000_003 + 7_654_321) % 2_147_483_646
