"""Flows of a description as ns-2's agents, sources and their settings."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from windlass.validation.tcl.rules import check_rules
from windlass.validation.tcl.words import number, refuse, shown, value_of, whole_number

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


def is_full(group: Mapping[str, Any]) -> bool:
    """Whether the group's connections are of FullTcp."""
    return group["transport"] == "tcp" and group["tcp"]["agent"] == "full"


class Ends(NamedTuple):
    """Sender, receiver and source with their settings, and the receiver's byte count for the SYN and a segment."""

    sender: str
    sender_settings: dict[str, str]
    receiver: str
    receiver_settings: dict[str, str]
    syn: int
    whole: int
    source: str = "Application/FTP"
    source_settings: Mapping[str, str] = MappingProxyType({})


def ends_of(group: Mapping[str, Any]) -> Ends:
    """What a group of flows is in ns-2."""
    if group["transport"] == "tcp":
        return Ends(*_agent_settings(group))
    if group["transport"] == "udp":
        return _datagrams(group)
    refuse("flows.transport", group["transport"], "only TCP and UDP flows are written", "leave these flows out")


def _datagrams(group: Mapping[str, Any]) -> Ends:
    traffic = group["traffic"]
    if group["stop"] is not None:
        refuse("flows.stop", group["stop"], "only flows without end are written", "leave `stop` out")
    if value_of(traffic["header"])[0] != 0.0:
        refuse("flows.traffic.header", traffic["header"], "ns-2's datagrams have no header", 'write `header = "0 B"`')
    packet = f"{value_of(traffic['packet'])[0]:.0f}"
    settings = {"packetSize_": packet, "rate_": f"{value_of(traffic['rate'])[0]:.0f}"}
    if traffic["kind"] == "cbr":
        source = "Application/Traffic/CBR"
        settings["random_"] = "1" if traffic["random"] else "0"
    elif traffic["kind"] == "on-off":
        pareto = traffic["distribution"] == "pareto"
        source = f"Application/Traffic/{'Pareto' if pareto else 'Exponential'}"
        settings["burst_time_"] = number(value_of(traffic["on"])[0])
        settings["idle_time_"] = number(value_of(traffic["off"])[0])
        if pareto:
            settings["shape_"] = number(traffic["shape"])
    else:
        refuse("flows.traffic.kind", traffic["kind"], "the generator has no such source", 'write `kind = "cbr"`')
    return Ends("Agent/UDP", {"packetSize_": packet}, "Agent/LossMonitor", {}, 0, 0, source, settings)


def _agent_settings(group: Mapping[str, Any]) -> tuple[str, dict[str, str], str, dict[str, str], int, int]:
    """Sender and receiver with their settings, and the bytes that the receiver counts for the SYN and a segment."""
    algorithm, tcp = group["algorithm"], group["tcp"]
    name = algorithm["name"]
    full = is_full(group)
    agents = FULL_AGENTS if full else AGENTS
    if name not in agents:
        refuse(
            "flows.algorithm",
            name,
            "ns-2 has no such FullTcp" if full else "ns-2 has no agent with the same rules",
            "use " + ", ".join(f"`{one}`" for one in agents),
        )
    if group["direction"] != "forward" and not full:
        refuse(
            "flows.direction",
            group["direction"],
            "ns-2's one-way agents have data one way",
            'write `direction = "forward"`' + (', or `tcp = { agent = "full" }`' if name in FULL_AGENTS else ""),
        )
    for key in ("stop", "size"):
        if group[key] is not None:
            refuse(f"flows.{key}", group[key], "only flows without end are written", f"leave `{key}` out")
    for key in group.keys() - _GROUP_KEYS:
        if group[key] and (key, group[key]) != ("class", "best-effort"):
            refuse(f"flows.{key}", group[key], "the generator has no such thing", f"leave `{key}` out")
    check_rules(tcp, name)
    segment = int(value_of(group["segment"])[0])
    header = int(value_of(tcp["header"])[0])
    if full:
        settings = _full_settings(tcp, segment, header)
        return FULL_AGENTS[name], settings, FULL_AGENTS[name], settings, 0, segment
    sender, sink = AGENTS[name]
    restart = "true" if tcp["slow_start_restart"] else "false"
    settings = {
        "packetSize_": str(segment),
        "tcpip_base_hdr_size_": str(header),
        "window_": whole_number(tcp["window"], "segments", "flows.tcp.window"),
        "windowInit_": whole_number(tcp["initial_window"], "segments", "flows.tcp.initial_window"),
        "numdupacks_": str(tcp["dup_threshold"]),
        "singledup_": "1" if tcp["limited_transmit"] == "all" else "0",
        "rtxcur_init_": number(value_of(tcp["rto_init"])[0]),
        "minrto_": number(value_of(tcp["rto_min"])[0]),
        "maxrto_": number(value_of(tcp["rto_max"])[0]),
        "tcpTick_": number(value_of(tcp["rtt_tick"])[0]),
        "slow_start_restart_": restart,
    }
    sink_settings = {"packetSize_": str(header)}
    if tcp["delayed_ack"] == 2:
        sink += "/DelAck"
        sink_settings["interval_"] = number(value_of(tcp["delayed_ack_timer"])[0])
    if name != "vegas":
        return sender, settings, sink, sink_settings, header, segment + header
    settings |= _vegas(algorithm)
    # Segments of ns-2's Vegas carry no header, and its SYN is as long as they.
    return sender, settings, sink, sink_settings, segment, segment


def _full_settings(tcp: Mapping[str, Any], segment: int, header: int) -> dict[str, str]:
    return {
        "segsize_": str(segment),
        "tcpip_base_hdr_size_": str(header),
        "window_": whole_number(tcp["window"], "segments", "flows.tcp.window"),
        "windowInit_": whole_number(tcp["initial_window"], "segments", "flows.tcp.initial_window"),
        "tcprexmtthresh_": str(tcp["dup_threshold"]),
        "rtxcur_init_": number(value_of(tcp["rto_init"])[0]),
        "minrto_": number(value_of(tcp["rto_min"])[0]),
        "maxrto_": number(value_of(tcp["rto_max"])[0]),
        "tcpTick_": number(value_of(tcp["rtt_tick"])[0]),
        "slow_start_restart_": "true" if tcp["slow_start_restart"] else "false",
        "segsperack_": str(tcp["delayed_ack"]),
        "interval_": number(value_of(tcp["delayed_ack_timer"])[0]),
    }


_GROUP_KEYS = {
    "name",
    "from",
    "to",
    "class",  # of EDCA, which is refused
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


def _vegas(algorithm: Mapping[str, Any]) -> dict[str, str]:
    for key, wanted in (("vegas_impl", "ns2"), ("vegas_ss", "alt_rtt")):
        if algorithm[key] != wanted:
            refuse(
                f"flows.algorithm.{key}",
                algorithm[key],
                "not what ns-2's Vegas does",
                f"write `{key} = {shown(wanted)}`",
            )
    return {
        f"v_{part}_": whole_number(algorithm[f"vegas_{part}"], "segments", f"flows.algorithm.vegas_{part}")
        for part in ("alpha", "beta", "gamma")
    }
