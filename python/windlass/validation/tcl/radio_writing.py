"""Lines of a script that make the nodes of a cell or a chain, and what comes before its flows.

A cell of which no flow leaves the air has no routing. Where packets are forwarded, ns-2 needs a routing protocol: DSDV,
which converges before the flows start and is then stopped. It puts 20 bytes more on packets of radio nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windlass.validation.tcl.agents import Ends
from windlass.validation.tcl.flows import FlowStart
from windlass.validation.tcl.radio import RadioPlan, queue_limit, watts
from windlass.validation.tcl.words import number, refuse, value_of

DSDV_BYTES = 20

_MARGIN_M = 100.0
"""Between nodes and the edge of ns-2's ground."""


@dataclass(frozen=True)
class Air:
    """A plan with the flows that use it.

    Attributes
    ----------
    plan : RadioPlan
        The nodes.
    flows : sequence of FlowStart
        As they were drawn.
    """

    plan: RadioPlan
    flows: Sequence[FlowStart]

    def __post_init__(self) -> None:
        """Refuse flows that would take another way in ns-2."""
        ap = self.plan.access_point
        for flow in self.flows:
            if ap is not None and ap not in (flow.source, flow.target) and not self._wired(flow):
                hint = f"let them end at `{ap}` or behind it"
                refuse("flows.to", flow.target, f"ns-2 has no way from station to station through {ap}", hint)

    def _wired(self, flow: FlowStart) -> bool:
        return flow.source not in self.plan.stations or flow.target not in self.plan.stations

    @property
    def behind(self) -> bool:
        """Whether flows leave the air through an access point."""
        return any(self._wired(flow) for flow in self.flows)

    @property
    def routed(self) -> bool:
        """Whether there is a routing protocol."""
        return self.plan.chain or self.behind

    @property
    def begin_s(self) -> float:
        """When the time of the description begins: routes and addresses are known by then."""
        if self.plan.chain:
            return 200.0 + 15.0 * max(0, len(self.plan.stations) - 9)
        return 60.0 if self.behind else 4.0 + 0.02 * len(self.flows)

    @property
    def nodes(self) -> list[str]:
        """All nodes in the order in which the script numbers them: the wired ones first."""
        return [*(self.plan.wired if self.behind else []), *self.plan.stations]

    def later(self) -> list[FlowStart]:
        """The flows at the time of the script."""
        return [replace(flow, start_s=flow.start_s + self.begin_s) for flow in self.flows]

    def more_bytes(self, node: str) -> int:
        """Bytes that a packet from this node must have beside those that ns-2 adds."""
        if node not in self.plan.stations:
            return 0
        return int(value_of(self.plan.radio["routing_bytes"])[0]) - (DSDV_BYTES if self.routed else 0)

    def probed(self, flow: FlowStart, place: Mapping[str, int]) -> tuple[int, int]:
        """Numbers of a flow's ends, the one first that has to find the way: no wired node, nor the access point."""
        stays = {*self.plan.stations} - {self.plan.access_point}
        a, b = sorted((flow.source, flow.target), key=lambda name: name not in stays)
        return place[a], place[b]

    def sized(self, ends: Ends, flow: FlowStart) -> Ends:
        """Ends of a flow whose packets are on air as long as the description says."""
        there, back = self.more_bytes(flow.source), self.more_bytes(flow.target)
        sender, receiver = dict(ends.sender_settings), dict(ends.receiver_settings)
        source = dict(ends.source_settings)
        if ends.sender == "Agent/UDP":
            packet = int(sender["packetSize_"])
            sender["packetSize_"] = source["packetSize_"] = str(packet + there)
            source["rate_"] = f"{int(source['rate_']) * (packet + there) / packet:.0f}"
        else:
            # Vegas has no header of its own
            longer = "packetSize_" if ends.sender == "Agent/TCP/Vegas" else "tcpip_base_hdr_size_"
            sender[longer] = str(int(sender[longer]) + there)
            receiver["packetSize_"] = str(int(receiver["packetSize_"]) + back)
        return ends._replace(sender_settings=sender, receiver_settings=receiver, source_settings=source)


def settings(radio: Mapping[str, Any]) -> list[str]:
    """Lines that set the numbers of MAC and card."""

    def time(key: str) -> str:
        return number(value_of(radio[key])[0])

    threshold = {"always": "0", "off": "1000000"}.get(radio["rts_threshold"])
    return [
        "foreach {name value} {",
        f"    dataRate_ {value_of(radio['rate'])[0]:.0f} basicRate_ {value_of(radio['basic_rates'][0])[0]:.0f}",
        f"    SlotTime_ {time('slot')} SIFS_ {time('sifs')} CWMin_ {radio['cw_min']} CWMax_ {radio['cw_max']}",
        f"    PreambleLength_ {radio['plcp_bits']} PLCPHeaderLength_ 0",
        f"    PLCPDataRate_ {value_of(radio['plcp_rate'])[0]:.0f}",
        f"    RTSThreshold_ {threshold or number(value_of(radio['rts_threshold'])[0])}",
        f"    ShortRetryLimit_ {radio['short_retry_limit']} LongRetryLimit_ {radio['long_retry_limit']}",
        "} { Mac/802_11 set $name $value }",
        "foreach {name value} {",
        f"    freq_ {number(value_of(radio['frequency'])[0])} Pt_ {number(watts(radio['tx_power']))}",
        f"    RXThresh_ {number(watts(radio['rx_threshold']))} CSThresh_ {number(watts(radio['cs_threshold']))}",
        f"    CPThresh_ {number(_times(radio['capture_ratio']))}",
        "} { Phy/WirelessPhy set $name $value }",
        f"Antenna/OmniAntenna set Z_ {number(value_of(radio['antenna_height'])[0])}",
        f"LL set delay_ {time('link_layer')}",
        "# A route is given up neither after retries of the MAC nor after missed updates.",
        "Agent/DSDV set use_mac_ 0",
        "Agent/DSDV set min_update_periods_ 100000",
    ]


def _times(ratio: str | float) -> float:
    return 10.0 ** (value_of(ratio)[0] / 10.0) if isinstance(ratio, str) else ratio


def network(air: Air) -> list[str]:
    """Lines that make the nodes and the wired part."""
    plan, wired = air.plan, len(air.nodes) - len(air.plan.stations)
    radio, stations = plan.radio, list(plan.stations.items())
    left, bottom = (min(place[axis] for _, place in stations) - _MARGIN_M for axis in (0, 1))
    width, height = (
        max(place[axis] for _, place in stations) - low + _MARGIN_M for axis, low in ((0, left), (1, bottom))
    )
    lines = [
        "$net trace-all [open /dev/null w]",
        "set ground [new Topography]",
        f"$ground load_flatgrid {number(width)} {number(height)}",
        f"create-god {len(stations)}",
    ]
    if air.behind:
        lines += [
            "$net node-config -addressType hierarchical",
            "AddrParams set domain_num_ 2",
            "AddrParams set cluster_num_ {1 1}",
            f"AddrParams set nodes_num_ {{{wired} {len(stations)}}}",
            f"for {{set i 0}} {{$i < {wired}}} {{incr i}} {{ set node($i) [$net node 0.0.$i] }}",
        ]
    model = "TwoRayGround" if radio["propagation"] == "two-ray" else "FreeSpace"
    lines += [
        *_errors(radio),
        f"$net node-config -adhocRouting {'DSDV' if air.routed else 'DumbAgent'} -llType LL -macType Mac/802_11 \\",
        f"    -ifqType Queue/DropTail/PriQueue -ifqLen {queue_limit(radio, False)} -antType Antenna/OmniAntenna \\",
        f"    -propType Propagation/{model} -phyType Phy/WirelessPhy -channel [new Channel/WirelessChannel] \\",
        "    -topoInstance $ground -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF",
    ]
    if _noisy(radio, "mac"):
        lines += ["$net node-config -IncomingErrProc faults"]
    ap = plan.access_point
    lines += ["", "# Radio nodes: place, limit of the queue, bit/s.", "foreach {i x y limit rate} {"]
    for i, (name, (x, y)) in enumerate(stations):
        rate = value_of(radio["rates"].get(name, radio["rate"]))[0]
        limit = queue_limit(radio, name == ap)
        lines.append(f"    {wired + i} {number(x - left)} {number(y - bottom)} {limit} {rate:.0f}")
    lines += ["} {"]
    if air.behind:
        lines += [
            f'    $net node-config -wiredRouting [expr {{$i == {wired} ? "ON" : "OFF"}}]',
            f"    set node($i) [$net node 1.0.[expr {{$i - {wired}}}]]",
            f"    if {{$i > {wired}}} {{ $node($i) base-station [AddrParams addr2id [$node({wired}) node-addr]] }}",
        ]
    else:
        lines += ["    set node($i) [$net node]"]
    lines += [
        "    $node($i) random-motion 0",
        "    $node($i) set X_ $x; $node($i) set Y_ $y; $node($i) set Z_ 0.0",
        "    [$node($i) set ifq_(0)] set limit_ $limit",
        "    [$node($i) set mac_(0)] set dataRate_ $rate",
        *(_above() if _noisy(radio, "above") else []),
        "}",
    ]
    return lines


def _noisy(radio: Mapping[str, Any], place: str) -> bool:
    return radio["loss"]["at"] == place and value_of(radio["loss"]["rate"])[0] > 0.0


def _errors(radio: Mapping[str, Any]) -> list[str]:
    """A procedure that makes the model of one receiver, off at first."""
    loss = radio["loss"]
    share = value_of(loss["rate"])[0]
    if share == 0.0:
        return []
    if loss["model"] == "independent":
        model = [
            "    set model [new ErrorModel]",
            "    $model unit pkt",
            f"    $model set rate_ {number(share)}",
            "    $model ranvar [new RandomVariable/Uniform]",
        ]
    else:
        burst = value_of(loss["burst"])[0]
        model = [
            "    set good [new RandomVariable/Exponential]",
            "    set bad [new RandomVariable/Exponential]",
            f"    $good set avg_ {number(burst * (1.0 - share) / share)}",
            f"    $bad set avg_ {number(burst)}",
            "    set model [new ErrorModel/TwoState $good $bad]",
            "    $model unit pkt",
        ]
    return [
        "",
        "set models {}",
        "proc faults {} {",
        "    global models",
        *model,
        "    $model set enable_ 0",
        "    lappend models $model",
        "    return $model",
        "}",
    ]


def _above() -> list[str]:
    """Lines that lose packets between a node's MAC and its link layer."""
    return [
        "    set mac [$node($i) set mac_(0)]",
        "    set model [faults]",
        "    $model target [$mac up-target]",
        "    $model drop-target [new Agent/Null]",
        "    $mac up-target $model",
    ]


RESET = [
    "# The agents of wired nodes are reset when a run begins, so that slow start ends at their windows; here those of all.",
    "foreach {sender receiver syn whole} $flows { if {$whole > 0} { $sender reset } }",
    "",
]
"""Lines behind the flows."""


def before(air: Air, place: Mapping[str, int]) -> list[str]:
    """Lines that stop the routing protocol, find addresses and switch errors on before the flows start."""
    radio, begin = air.plan.radio, air.begin_s
    lines = []
    if air.routed:
        first = len(air.nodes) - len(air.plan.stations)
        lines += [
            "proc freeze {} {",
            "    global node",
            f"    for {{set i {first}}} {{$i < {len(air.nodes)}}} {{incr i}} {{ [$node($i) set ragent_] set perup_ 100000 }}",
            "}",
            f"$net at {number(begin - 30.0)} freeze",
        ]
    if not radio["arp"]:
        since, gap = (begin - 28.0, 0.4 if air.plan.chain else 1.0) if air.routed else (0.2, 0.15)
        pairs = sorted({air.probed(flow, place) for flow in air.flows})
        lines += [
            "",
            "# Addresses are found by small packets beforehand.",
            "foreach {a b at} {",
            *(f"    {a} {b} {number(since + 0.017 * i)}" for i, (a, b) in enumerate(pairs)),
            "} {",
            "    set probe [new Agent/UDP]",
            "    set end [new Agent/Null]",
            "    $net attach-agent $node($a) $probe",
            "    $net attach-agent $node($b) $end",
            "    $net connect $probe $end",
            f'    for {{set i 0}} {{$i < 20}} {{incr i}} {{ $net at [expr {{$at + {number(gap)} * $i}}] "$probe send 40" }}',
            "}",
        ]
    if value_of(radio["loss"]["rate"])[0] > 0.0:
        lines += [
            "proc lossy {} {",
            "    global models",
            "    foreach model $models { $model set enable_ 1 }",
            "}",
            f"$net at {number(begin - 0.5)} lossy",
        ]
    return [*lines, ""]
