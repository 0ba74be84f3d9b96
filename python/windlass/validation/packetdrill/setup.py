"""Which endpoint a script wants: what its handshake agrees on, and what its commands set."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from windlass.validation.linux import scenarios
from windlass.validation.packetdrill.language import Call, Packet, Script, Unsupported
from windlass.validation.packetdrill.shell import Settings

OWN_MSS = 1460
"""What a kernel offers on Ethernet."""

ACCURATE_OUT, ACCURATE_IN = ("3",), ("3", "4", "5")
"""Values of ``tcp_ecn`` with accurate ECN (RFC 9768): if this side opens the connection, and if the other one does."""

STAMPS_BYTES = 12
"""Timestamps take this from a segment."""


@dataclass(frozen=True)
class Setup:
    """An endpoint, and what is to be known to read packets.

    Attributes
    ----------
    options : dict of str to str
        Options of the endpoint by name.
    active : bool
        It sends the SYN.
    scale : int
        Window scale of the other side: windows of its packets are shifted by so many bits.
    stamps : bool
        Both sides use timestamps.
    largest : int
        Payload of the largest segment that the other side may send, bytes.
    accurate : bool
        It offers accurate ECN, or takes an offer of it.
    """

    options: dict[str, str]
    active: bool
    scale: int
    stamps: bool
    largest: int
    accurate: bool

    def pairs(self) -> list[tuple[str, str]]:
        """The options as the endpoint takes them."""
        return list(self.options.items())


@cache
def _rules() -> frozenset[str]:
    from windlass import _core

    rows: list[dict[str, Any]] = json.loads(_core.rules())
    return frozenset(row["name"] for row in rows)


def setup(script: Script, settings: Settings) -> Setup:
    """The endpoint of a script.

    Parameters
    ----------
    script : Script
        Its first SYN in each direction says what the two sides agree on.
    settings : Settings
        What commands have set before.

    Returns
    -------
    Setup

    Raises
    ------
    Unsupported
        If there is no handshake, or the algorithm has no counterpart here.
    """
    packets = script.packets()
    theirs = next((packet for packet in packets if packet.inbound and "S" in packet.flags), None)
    ours = next((packet for packet in packets if not packet.inbound and "S" in packet.flags), None)
    if theirs is None or ours is None:
        raise Unsupported(script.events[0].line if script.events else 1, "a connection without a handshake")
    active = "." not in ours.flags
    both = (theirs.options, {} if ours.options is None else ours.options)
    # where any options may be sent, those are sent that the other side knows
    stamps = all("TS" in (side or {}) for side in both) and _on(settings, "tcp_timestamps")
    sack = "sackOK" in (theirs.options or {}) and _on(settings, "tcp_sack")
    own, taken = _number(ours, "mss", OWN_MSS), STAMPS_BYTES if stamps else 0
    mss = min(_number(theirs, "mss", 536), own) - taken
    accurate = settings.values.get("tcp_ecn") in (ACCURATE_OUT if active else ACCURATE_IN)
    options = {"cc": _algorithm(script, settings), "profile": scenarios.profile(), "mss": str(mss)}
    options |= {"peer_sends": "on", "handshake": "off"} if active else {"role": "passive"}
    options |= {"recovery": _recovery(sack, settings), "timestamps": _word(stamps)}
    options |= {
        "ecn": _word(accurate or _wants_ecn(theirs, ours)),
        "ecn_echo": "accecn" if accurate else "latched",
        "slow_start_restart": "linux" if _setting(settings, "slow_start_after_idle") == "on" else "off",
    }
    options |= {"dsack": _setting(settings, "dsack"), "dup_threshold": settings.values.get("tcp_reordering", "3")}
    options["tail_probes"] = _word(settings.values.get("tcp_early_retrans", "3") in ("3", "4"))
    if settings.fair_queue:
        # for the window a packet in the device's queue has been sent, which matters where nothing that leaves is shown
        shows = any(packet.length and not packet.inbound for packet in packets)
        options["pacing"] = "linux" if shows else "off"
        options["pacing_quantum"] = settings.values.get("tcp_min_tso_segs", "2")
    known = _rules() | {"cc", "profile", "mss", "role", "peer_sends", "handshake"}
    scale = _number(theirs, "wscale", 0) if "wscale" in (ours.options or {"wscale": ""}) else 0
    chosen = {name: value for name, value in options.items() if name in known}
    return Setup(chosen, active, scale, stamps, own - taken, accurate)


def _on(settings: Settings, name: str) -> bool:
    return settings.values.get(name, "1") != "0"


def _setting(settings: Settings, name: str) -> str:
    return _word(_on(settings, f"tcp_{name}"))


def _word(on: bool) -> str:
    return "on" if on else "off"


def _number(packet: Packet, option: str, default: int) -> int:
    """The number behind the name of an option."""
    text = (packet.options or {}).get(option)
    return default if text is None else int(text.split()[1])


def _wants_ecn(theirs: Packet, ours: Packet) -> bool:
    """Both SYNs carry ECE, the first one CWR as well."""
    return "E" in theirs.flags and "E" in ours.flags


def _recovery(sack: bool, settings: Settings) -> str:
    """The recovery core: RACK needs SACK, and may be switched off."""
    if not sack:
        return "newreno"
    modern = scenarios.profile() == "linux" and _on(settings, "tcp_recovery")
    return "rack-tlp" if modern else "sack"


def _algorithm(script: Script, settings: Settings) -> str:
    kernel, line = settings.values.get("tcp_congestion_control", "cubic"), 1
    for event in script.events:
        call = event.action
        if isinstance(call, Call) and call.name == "setsockopt" and call.arguments[2:3] == ("TCP_CONGESTION",):
            kernel, line = call.arguments[3].strip('[]"'), event.line
    here = scenarios.algorithm(kernel)
    if here is None:
        raise Unsupported(line, f"the algorithm `{kernel}`")
    return here
