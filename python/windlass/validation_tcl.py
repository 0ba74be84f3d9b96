"""A Windlass description as an ns-2 script.

Only what ns-2's own agents can do under the same rules is written; everything else is refused with the name of the key.
The script uses commands that ns-2's manual documents. Start times are given, so that both simulators start alike; losses
and clock offsets come from ns-2's own random numbers.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from windlass.errors import InputError

__all__ = ["FlowStart", "check", "flow_starts", "quantity", "script"]

RESULT = "windlass-flow"
"""First word of the lines with results."""

RESULT_COLUMNS = ("flow", "delivered", "acknowledged", "sent", "retransmitted", "timeouts", "cuts")
"""What follows it: the flow's place and counts, all of segments but for the last two."""

AGENTS: dict[str, tuple[str, str]] = {
    "tahoe": ("Agent/TCP", "Agent/TCPSink"),
    "reno": ("Agent/TCP/Reno", "Agent/TCPSink"),
    "newreno": ("Agent/TCP/Newreno", "Agent/TCPSink"),
    "sack": ("Agent/TCP/Sack1", "Agent/TCPSink/Sack1"),
    "vegas": ("Agent/TCP/Vegas", "Agent/TCPSink"),
}
"""Sender and receiver in ns-2 of the algorithms that it has under the same rules."""

FULL_AGENTS: dict[str, str] = {
    "tahoe": "Agent/TCP/FullTcp/Tahoe",
    "reno": "Agent/TCP/FullTcp",
    "newreno": "Agent/TCP/FullTcp/Newreno",
    "sack": "Agent/TCP/FullTcp/Sack",
}
"""Either end in ns-2 of the connections that may carry data both ways (``agent = "full"``)."""

_FIXED: dict[str, Any] = {
    "initial_ssthresh": None,
    "recover_rule": "careful",
    "ns2_recovery": True,
    "half_base": "window",
    "whole_ssthresh": True,
    "rto_ssthresh_hold": False,
    "cwnd_limited": False,
    "clock_offset": None,
    "timestamps": False,
    "max_burst": "off",
    "ecn": False,
    "prr": False,
    "pacing": "algorithm",
    "freeze": False,
}
"""Rules that have one value in ns-2's agents."""

_FIXED_OF: dict[str, dict[str, Any]] = {
    "one-way": {"delayed_ack_mode": "per-segment"},
    "full": {"delayed_ack_mode": "heartbeat", "limited_transmit": "off", "dupack_from_data": False},
}
"""Those of either kind of agents."""

_FREE = {
    "dupack_from_data",
    "ecn_echo",
    "pacing_slow_start",
    "pacing_factor",
    "pacing_burst",
    "freeze_lead",
    "freeze_copies",
    "freeze_kick",
}
"""Rules that change nothing for a one-way flow without marks, pacing and handovers."""

_WRITTEN = {
    "agent",
    "delayed_ack_mode",
    "window",
    "header",
    "initial_window",
    "recovery",
    "dup_threshold",
    "limited_transmit",
    "rto_init",
    "rto_min",
    "rto_max",
    "rtt_tick",
    "slow_start_restart",
    "delayed_ack",
    "delayed_ack_timer",
}
"""Rules that become settings of the agents."""

_UNITS = {
    "bps": 1.0,
    "kbps": 1e3,
    "Mbps": 1e6,
    "Gbps": 1e9,
    "ns": 1e-9,
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "B": 1.0,
    "kB": 1e3,
    "MB": 1e6,
    "%": 1e-2,
    "packets": 1.0,
    "segments": 1.0,
}


@dataclass(frozen=True)
class FlowStart:
    """A flow as it was drawn.

    Attributes
    ----------
    name, group : str
        Its name, and that of the group of flows in the description.
    source, target : str
        Nodes.
    start_s : float
        When it starts.
    back_s : float, optional
        When the other end starts, if data go back on the same connection.
    """

    name: str
    group: str
    source: str
    target: str
    start_s: float
    back_s: float | None = None


@dataclass(frozen=True)
class _Direction:
    source: str
    target: str
    rate_bps: float
    delay_s: float
    limit: int
    loss: float
    at: str
    drops: tuple[int, ...]


def flow_starts(rows: Iterable[Mapping[str, Any]]) -> list[FlowStart]:
    """Flows with their start times from the rows of a run's table ``flows``."""
    starts: list[FlowStart] = []
    for row in rows:
        if row["direction"] == "forward":
            starts.append(FlowStart(row["flow"], row["group"], row["from"], row["to"], row["start_s"]))
        else:  # of the row before it
            starts[-1] = replace(starts[-1], back_s=row["start_s"])
    return starts


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
            _refuse(part, None, "the generator writes topology and flows only", f"leave `[{part}]` out")
    profile = description["scenario"]["profile"]
    if profile != "ns2":
        _refuse("scenario.profile", profile, "ns-2 has rules of its own", 'write `profile = "ns2"`')
    directions = list(_directions(description["topology"]))
    seen = set()
    for one in directions:
        if (one.source, one.target) in seen:
            _refuse(
                "topology.links", f"two from {one.source} to {one.target}", "ns-2 has one link from a node to another"
            )
        seen.add((one.source, one.target))
    for group in description["flows"]:
        _ends(group)


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
    directions = list(_directions(description["topology"]))
    nodes = list(dict.fromkeys(name for one in directions for name in (one.source, one.target)))
    place = {name: i for i, name in enumerate(nodes)}
    groups = {group["name"]: group for group in description["flows"]}
    _check_routes(directions, flows)
    random = [one for one in directions if one.loss > 0.0]
    listed = [one for one in directions if one.drops]
    datagrams = any(group["transport"] == "udp" for group in description["flows"])

    def ends(one: _Direction) -> str:
        return f"{place[one.source]} {place[one.target]}"

    lines = [
        "# Written by Windlass. Usage: ns FILE",
        "remove-all-packet-headers",
        "add-packet-header Common Flags IP TCP" + (" RTP" if datagrams else ""),
        "set net [new Simulator]",
        "",
    ]
    if seed is not None:
        lines += [
            "# Neighbouring seeds begin with related numbers, so the first ones are thrown away.",
            f"$defaultRNG seed {_ns2_seed(seed)}",
            "set any [new RandomVariable/Uniform]",
            "for {set i 0} {$i < 50} {incr i} { $any value }",
            "",
        ]
    lines += [
        f"for {{set i 0}} {{$i < {len(nodes)}}} {{incr i}} {{ set node($i) [$net node] }}",
        "",
        "# From, to, bit/s, seconds, limit.",
        "foreach {a b rate delay limit} {",
        *(f"    {ends(one)} {one.rate_bps:.0f} {_number(one.delay_s)} {one.limit}" for one in directions),
        "} {",
        "    $net simplex-link $node($a) $node($b) $rate $delay DropTail",
        "    $net queue-limit $node($a) $node($b) $limit",
        "}",
    ]
    if random or listed:
        lines += ["", "proc losing {model} {", "    $model drop-target [new Agent/Null]", "    return $model", "}"]
    if random:
        lines += [
            "",
            "# From, to, share of the packets, behind the link or before its queue.",
            "foreach {a b share command} {",
            *(
                f"    {ends(one)} {_number(one.loss)} {'link-lossmodel' if one.at == 'wire' else 'lossmodel'}"
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
    lines += [
        "",
        "# Bytes of the SYN and of a segment as the receiver counts them (none for datagrams), start, and sender, receiver and",
        "# source with their settings.",
        "set flows {}",
        "foreach {a b syn whole start agent settings sink sinksettings source sourcesettings} {",
    ]
    for flow in flows:
        one = _ends(groups[flow.group])
        lines.append(
            f"    {place[flow.source]} {place[flow.target]} {one.syn} {one.whole} {flow.start_s:.9f} "
            f"{one.sender} {_braced(one.sender_settings)} {one.receiver} {_braced(one.receiver_settings)} "
            f"{one.source} {_braced(one.source_settings)}"
        )
    lines += [
        "} {",
        "    set sender [new $agent]",
        "    set receiver [new $sink]",
        "    foreach {name value} $settings { $sender set $name $value }",
        "    foreach {name value} $sinksettings { $receiver set $name $value }",
        "    $net attach-agent $node($a) $sender",
        "    $net attach-agent $node($b) $receiver",
        "    $net connect $sender $receiver",
        "    set application [new $source]",
        "    foreach {name value} $sourcesettings { $application set $name $value }",
        "    $application attach-agent $sender",
        '    $net at $start "$application start"',
        "    lappend flows $sender $receiver $syn $whole",
        "}",
        "",
    ]
    lines += _full_starts(flows, groups)
    full = any(_is_full(group) for group in description["flows"])
    lines += [
        "proc results {} {",
        "    global flows full" if full else "    global flows",
        "    set i 0",
        *(["    set place -1"] if full else []),
        "    foreach {sender receiver syn whole} $flows {",
        *(_FULL_RESULTS if full else []),
        "        if {$whole == 0} {",
        "            set arrived [$receiver set npkts_]",
        f'            puts "\\n{RESULT} $i $arrived 0 [expr {{$arrived + [$receiver set nlost_]}}] 0 0 0"',
        "            incr i",
        "            continue",
        "        }",
        "        set delivered [expr {([$receiver set bytes_] - $syn) / $whole}]",
        "        if {$delivered < 0} { set delivered 0 }",
        "        set acknowledged [$sender set ack_]",
        "        if {$acknowledged < 0} { set acknowledged 0 }",
        f'        puts "\\n{RESULT} $i [format %.0f $delivered] $acknowledged [$sender set ndatapack_]\\',
        '            [$sender set nrexmitpack_] [$sender set nrexmit_] [$sender set ncwndcuts_]"',
        "        incr i",
        "    }",
        "    flush stdout",
        "    exit 0",
        "}",
        f"$net at {_number(_value(description['scenario']['duration'])[0])} results",
        "$net run",
    ]
    return "\n".join(lines) + "\n"


def _is_full(group: Mapping[str, Any]) -> bool:
    return group["transport"] == "tcp" and group["tcp"]["agent"] == "full"


def _full_starts(flows: Sequence[FlowStart], groups: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What connections of FullTcp need beside the others: an end that listens, and sends if it has data."""
    rows = [
        f"    {place} {'never' if flow.back_s is None else f'{flow.back_s:.9f}'}"
        for place, flow in enumerate(flows)
        if _is_full(groups[flow.group])
    ]
    if not rows:
        return []
    return [
        "# Connections of FullTcp: place of the flow, when the other end starts to send.",
        "foreach {place back} {",
        *rows,
        "} {",
        "    set passive [lindex $flows [expr {4 * $place + 1}]]",
        "    $passive listen",
        "    set full($place) $passive",
        '    if {$back eq "never"} { set full($place) {}; continue }',
        "    set application [new Application/FTP]",
        "    $application attach-agent $passive",
        '    $net at $back "$application start"',
        "}",
        "",
    ]


_FULL_RESULTS = (
    "        incr place",
    "        if {[info exists full($place)]} {",
    "            foreach end [concat $sender $full($place)] {",
    "                set acknowledged [expr {([$end set ack_] - 1) / $whole}]",
    "                if {$acknowledged < 0} { set acknowledged 0 }",
    f'                puts "\\n{RESULT} $i $acknowledged $acknowledged [$end set ndatapack_]\\',
    '                    [$end set nrexmitpack_] [$end set nrexmit_] [$end set ncwndcuts_]"',
    "                incr i",
    "            }",
    "            continue",
    "        }",
)
"""A line for each end of FullTcp that sends. It counts no bytes received: what is acknowledged is up to one RTT behind."""


def _ns2_seed(seed: int) -> int:
    """A seed from 1 to 2147483646; neighbours here are far apart there."""
    return 1 + (seed * 1_000_003 + 7_654_321) % 2_147_483_646


def _braced(settings: Mapping[str, str]) -> str:
    return "{" + " ".join(f"{name} {value}" for name, value in settings.items()) + "}"


def _number(value: float) -> str:
    return f"{value:.12g}"


def quantity(text: str) -> float:
    """Value of a quantity of an effective description in base units: bit/s, seconds, bytes, a share, packets."""
    return _value(text)[0]


def _value(text: str) -> tuple[float, str]:
    """Number in base units (bit/s, seconds, bytes, a share, packets) and the unit as written."""
    found = re.fullmatch(r"([-+.\deE]+) (\S+)", text)
    if found is None or found[2] not in _UNITS:
        raise ValueError(f"`{text}` is no quantity of an effective description")
    return float(found[1]) * _UNITS[found[2]], found[2]


def _refuse(key: str, value: Any, why: str, hint: str | None = None) -> NoReturn:
    shown = "" if value is None else f" = {str(value).lower() if isinstance(value, bool) else value}"
    raise InputError(f"`{key}`{shown}: {why}", code="validate.not-expressible", hint=hint)


# ---- links


def _directions(topology: Mapping[str, Any]) -> Iterator[_Direction]:
    """Every link in both directions."""
    match topology["kind"]:
        case "dumbbell":
            pairs = range(topology["pairs"])
            for i in pairs:
                yield from _both(f"left/{i}", "g1", topology["left"], "topology.left")
            yield from _both("g1", "g2", topology["bottleneck"], "topology.bottleneck")
            for i in pairs:
                yield from _both("g2", f"right/{i}", topology["right"], "topology.right")
        case "three-routers":
            pairs = range(topology["pairs"])
            for i in pairs:
                yield from _both(f"left/{i}", "g1", topology["left"], "topology.left")
            yield from _both("g1", "g2", topology["first"], "topology.first")
            yield from _both("g2", "g3", topology["second"], "topology.second")
            for i in pairs:
                yield from _both("g3", f"right/{i}", topology["right"], "topology.right")
        case "graph":
            for link in topology["links"]:
                yield from _both(link["from"], link["to"], link, f"topology.{link['name']}")
        case kind:
            _refuse(
                "topology.kind",
                kind,
                "only full-duplex wired links are written",
                "use `dumbbell`, `three-routers` or `graph`",
            )


_LINK_KEYS = {"name", "from", "to", "rate", "delay", "queue", "queue_counting", "loss", "warning", "drops", "reverse"}


def _both(source: str, target: str, link: Mapping[str, Any], key: str) -> Iterator[_Direction]:
    drops = link["drops"]
    yield _direction(source, target, link, drops["forward"], key)
    yield _direction(target, source, link["reverse"], drops["reverse"], f"{key}.reverse")


def _direction(source: str, target: str, link: Mapping[str, Any], drops: Sequence[int], key: str) -> _Direction:
    for name in link.keys() - _LINK_KEYS:
        if link[name]:
            _refuse(f"{key}.{name}", link[name], "the generator has no such thing", f"leave `{name}` out")
    if link["warning"]:
        _refuse(f"{key}.warning", None, "ns-2 has no such marks", "leave `warning` out")
    size, unit = _value(link["queue"])
    if unit != "packets":
        _refuse(f"{key}.queue", link["queue"], "ns-2 counts packets", 'write it in packets, such as `"50 packets"`')
    # ns-2 lets one packet less wait than the limit says.
    limit = int(size) if link["queue_counting"] == "ns2" else int(size) + 1
    loss = link["loss"]
    if loss["model"] != "uniform":
        _refuse(f"{key}.loss.model", loss["model"], "only independent losses are written", 'write `model = "uniform"`')
    share = _value(loss["rate"])[0]
    if share > 0.0 and loss["at"] == "queue" and drops:
        _refuse(
            f"{key}.drops",
            None,
            "random losses and listed ones before the same queue would stand in an unknown order",
            'write `at = "wire"` for the random ones',
        )
    if loss["at"] not in ("wire", "queue"):
        _refuse(f"{key}.loss.at", loss["at"], "ns-2 loses packets behind a link or before its queue")
    return _Direction(
        source, target, _value(link["rate"])[0], _value(link["delay"])[0], limit, share, loss["at"], tuple(drops)
    )


def _check_routes(directions: Sequence[_Direction], flows: Sequence[FlowStart]) -> None:
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
            _refuse(
                "topology.links",
                None,
                f"several shortest paths from {flow.source} to {flow.target}, and ns-2 may take another one",
                "make one of them shorter",
            )


# ---- flows


class _Ends(NamedTuple):
    """Sender, receiver and source with their settings, and the bytes that the receiver counts for the SYN and a segment."""

    sender: str
    sender_settings: dict[str, str]
    receiver: str
    receiver_settings: dict[str, str]
    syn: int
    whole: int
    source: str = "Application/FTP"
    source_settings: Mapping[str, str] = MappingProxyType({})


def _ends(group: Mapping[str, Any]) -> _Ends:
    if group["transport"] == "tcp":
        return _Ends(*_agent_settings(group))
    if group["transport"] == "udp":
        return _datagrams(group)
    _refuse("flows.transport", group["transport"], "only TCP and UDP flows are written", "leave these flows out")


def _datagrams(group: Mapping[str, Any]) -> _Ends:
    traffic = group["traffic"]
    if group["stop"] is not None:
        _refuse("flows.stop", group["stop"], "only flows without end are written", "leave `stop` out")
    if _value(traffic["header"])[0] != 0.0:
        _refuse("flows.traffic.header", traffic["header"], "ns-2's datagrams have no header", 'write `header = "0 B"`')
    packet = f"{_value(traffic['packet'])[0]:.0f}"
    settings = {"packetSize_": packet, "rate_": f"{_value(traffic['rate'])[0]:.0f}"}
    if traffic["kind"] == "cbr":
        source = "Application/Traffic/CBR"
        settings["random_"] = "1" if traffic["random"] else "0"
    elif traffic["kind"] == "on-off":
        pareto = traffic["distribution"] == "pareto"
        source = f"Application/Traffic/{'Pareto' if pareto else 'Exponential'}"
        settings["burst_time_"] = _number(_value(traffic["on"])[0])
        settings["idle_time_"] = _number(_value(traffic["off"])[0])
        if pareto:
            settings["shape_"] = _number(traffic["shape"])
    else:
        _refuse("flows.traffic.kind", traffic["kind"], "the generator has no such source", 'write `kind = "cbr"`')
    return _Ends("Agent/UDP", {"packetSize_": packet}, "Agent/LossMonitor", {}, 0, 0, source, settings)


def _agent_settings(group: Mapping[str, Any]) -> tuple[str, dict[str, str], str, dict[str, str], int, int]:
    """Sender and receiver with their settings, and the bytes that the receiver counts for the SYN and a segment."""
    algorithm, tcp = group["algorithm"], group["tcp"]
    name = algorithm["name"]
    full = _is_full(group)
    agents = FULL_AGENTS if full else AGENTS
    if name not in agents:
        _refuse(
            "flows.algorithm",
            name,
            "ns-2 has no such FullTcp" if full else "ns-2 has no agent with the same rules",
            "use " + ", ".join(f"`{one}`" for one in agents),
        )
    if group["direction"] != "forward" and not full:
        _refuse(
            "flows.direction",
            group["direction"],
            "ns-2's one-way agents have data one way",
            'write `direction = "forward"`' + (', or `tcp = { agent = "full" }`' if name in FULL_AGENTS else ""),
        )
    for key in ("stop", "size"):
        if group[key] is not None:
            _refuse(f"flows.{key}", group[key], "only flows without end are written", f"leave `{key}` out")
    for key in group.keys() - _GROUP_KEYS:
        if group[key]:
            _refuse(f"flows.{key}", group[key], "the generator has no such thing", f"leave `{key}` out")
    _check_rules(tcp, name)
    segment = int(_value(group["segment"])[0])
    header = int(_value(tcp["header"])[0])
    if full:
        settings = _full_settings(tcp, segment, header)
        return FULL_AGENTS[name], settings, FULL_AGENTS[name], settings, 0, segment
    sender, sink = AGENTS[name]
    restart = "true" if tcp["slow_start_restart"] else "false"
    settings = {
        "packetSize_": str(segment),
        "tcpip_base_hdr_size_": str(header),
        "window_": _whole(tcp["window"], "segments", "flows.tcp.window"),
        "windowInit_": _whole(tcp["initial_window"], "segments", "flows.tcp.initial_window"),
        "numdupacks_": str(tcp["dup_threshold"]),
        "singledup_": "1" if tcp["limited_transmit"] == "all" else "0",
        "rtxcur_init_": _number(_value(tcp["rto_init"])[0]),
        "minrto_": _number(_value(tcp["rto_min"])[0]),
        "maxrto_": _number(_value(tcp["rto_max"])[0]),
        "tcpTick_": _number(_value(tcp["rtt_tick"])[0]),
        "slow_start_restart_": restart,
    }
    sink_settings = {"packetSize_": str(header)}
    if tcp["delayed_ack"] == 2:
        sink += "/DelAck"
        sink_settings["interval_"] = _number(_value(tcp["delayed_ack_timer"])[0])
    if name != "vegas":
        return sender, settings, sink, sink_settings, header, segment + header
    settings |= _vegas(algorithm)
    # Segments of ns-2's Vegas carry no header, and its SYN is as long as they.
    return sender, settings, sink, sink_settings, segment, segment


def _full_settings(tcp: Mapping[str, Any], segment: int, header: int) -> dict[str, str]:
    return {
        "segsize_": str(segment),
        "tcpip_base_hdr_size_": str(header),
        "window_": _whole(tcp["window"], "segments", "flows.tcp.window"),
        "windowInit_": _whole(tcp["initial_window"], "segments", "flows.tcp.initial_window"),
        "tcprexmtthresh_": str(tcp["dup_threshold"]),
        "rtxcur_init_": _number(_value(tcp["rto_init"])[0]),
        "minrto_": _number(_value(tcp["rto_min"])[0]),
        "maxrto_": _number(_value(tcp["rto_max"])[0]),
        "tcpTick_": _number(_value(tcp["rtt_tick"])[0]),
        "slow_start_restart_": "true" if tcp["slow_start_restart"] else "false",
        "segsperack_": str(tcp["delayed_ack"]),
        "interval_": _number(_value(tcp["delayed_ack_timer"])[0]),
    }


_GROUP_KEYS = {
    "name",
    "from",
    "to",
    "count",
    "transport",
    "algorithm",
    "segment",
    "start",
    "stop",
    "size",
    "direction",
    "reverse_start",
    "tcp",
}


def _check_rules(tcp: Mapping[str, Any], algorithm: str) -> None:
    if tcp["agent"] not in _FIXED_OF:
        _refuse("flows.tcp.agent", tcp["agent"], "ns-2 has no such agent", 'write `agent = "one-way"` or `"full"`')
    for key, wanted in (_FIXED | _FIXED_OF[tcp["agent"]]).items():
        if tcp.get(key, wanted) != wanted:
            hint = f"leave `{key}` out" if wanted is None else f"write `{key} = {_shown(wanted)}`"
            _refuse(f"flows.tcp.{key}", tcp[key], f"ns-2's `{algorithm}` has no such rule", hint)
    for key in tcp.keys() - _FIXED.keys() - _FREE - _WRITTEN:
        if tcp[key]:
            _refuse(f"flows.tcp.{key}", tcp[key], "the generator does not know this rule", f"leave `{key}` out")
    if tcp["recovery"] != algorithm:
        _refuse(
            "flows.tcp.recovery",
            tcp["recovery"],
            f"ns-2's agent for `{algorithm}` recovers in its own way",
            "leave `recovery` out",
        )
    if tcp["limited_transmit"] not in ("all", "off"):
        _refuse(
            "flows.tcp.limited_transmit",
            tcp["limited_transmit"],
            "in ns-2 every duplicate below the threshold releases a segment, or none does",
            'write `"all"` or `"off"`',
        )
    if _value(tcp["rtt_tick"])[0] <= 0.0:
        _refuse("flows.tcp.rtt_tick", tcp["rtt_tick"], "ns-2's clock has ticks", 'write a tick, such as `"1 ms"`')
    if tcp["delayed_ack"] not in (1, 2):
        _refuse(
            "flows.tcp.delayed_ack",
            tcp["delayed_ack"],
            "ns-2's receivers acknowledge one or two segments",
            "write 1 or 2",
        )


def _vegas(algorithm: Mapping[str, Any]) -> dict[str, str]:
    for key, wanted in (("vegas_impl", "ns2"), ("vegas_ss", "alt_rtt")):
        if algorithm[key] != wanted:
            _refuse(
                f"flows.algorithm.{key}",
                algorithm[key],
                "not what ns-2's Vegas does",
                f"write `{key} = {_shown(wanted)}`",
            )
    return {
        f"v_{part}_": _whole(algorithm[f"vegas_{part}"], "segments", f"flows.algorithm.vegas_{part}")
        for part in ("alpha", "beta", "gamma")
    }


def _whole(text: str, unit: str, key: str) -> str:
    try:
        value, written = _value(text)
    except ValueError:
        value, written = 0.5, ""
    if written != unit or value != int(value):
        _refuse(key, text, f"ns-2 takes whole {unit}", f"write a whole number of {unit}")
    return str(int(value))


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"'
