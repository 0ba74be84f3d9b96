"""The scenario of each stored figure of 802.11.

What the scripts that measured them did, in the words of a scenario: cells were measured from ``warm`` seconds after the
first possible start, with addresses resolved before; Janevski's and Dalal's flows from their start, with ARP, and with
the second header that DSDV gives to packets of radio nodes.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

from windlass.validation.agents import linux_westwood
from windlass.validation.figures import DATAGRAMS, HEADER_BYTES, REPORTED, StoredPoint

PHYS: dict[str, dict[str, Any]] = {
    "def": {"set": "ns2-default"},
    "b11": {"set": "ns2-b11"},
    "g54": {"set": "ns2-g54"},
    "g54a": {"set": "ns2-g54", "plcp_rate": "5.901646 Mbps"},
}
"""Parameter sets under the names of the scripts."""

DSDV_BYTES = "20 B"
"""What ns-2's DSDV adds to a packet at the radio node where it begins."""

FIRST_SSTHRESH = "20 segments"
"""Of flows that begin at a radio node. ``$ns run`` resets the agents of wired nodes, so that slow start ends at their
``window_``. Mobile nodes have a ``reset`` of their own, which leaves agents alone: theirs ends at the default 20."""

_Document = dict[str, Any]


def document(point: StoredPoint) -> _Document:
    """The scenario of a stored point of 802.11, as a file has it."""
    describe = {
        "janevski_chain_1mbps": _janevski,
        "janevski_frozen_1mbps": _janevski,
        "dalal_wlan": _dalal,
        "radio_settings": _setting,
    }.get(point.family, _cell)
    return describe(point)


def _document(topology: Mapping[str, Any], flows: list[dict[str, Any]], duration_s: float, warm_s: float) -> _Document:
    head = {"name": "ns-2", "duration": f"{duration_s:g} s", "warmup": f"{warm_s:g} s", "profile": "ns2", "seeds": 5}
    return {"scenario": head, "topology": dict(topology), "flows": flows}


def _cell(point: StoredPoint) -> _Document:
    """A row of ``cells.csv``: its last column has the arguments of the script."""
    words = shlex.split(point.arguments)
    given = {"win": "100", "nup": "1", "ndown": "0", "dist": "20", "ifq": "50"} | dict(
        zip(words[::2], words[1::2], strict=True)
    )
    up, down = int(given["nup"]), int(given["ndown"])
    warm_s = float(given["warm"])
    radio = PHYS[given["phy"]] | {"queue": f"{given['ifq']} packets", "rts_threshold": _threshold(given["rts"])}
    if "cs" in given:
        radio["cs_threshold"] = f"{given['cs']} W"
    if "rates" in given:
        radio["rates"] = {f"station/{i}": _rate(word) for i, word in enumerate(given["rates"].split())}
    if "short" in given:
        radio |= {"short_retry_limit": int(given["short"]), "long_retry_limit": int(given["long"])}
    if given.get("model") == "iid" and float(given["fer"]) > 0:
        radio["loss"] = {"rate": f"{100 * float(given['fer']):g} %"}
    if given["topo"] == "chain":
        topology = {"kind": "chain", "nodes": int(given["n"]), "spacing": f"{given['dist']} m", "radio": radio}
        flows = [_cell_flow(given, "flow", "n0", f"n{int(given['n']) - 1}")]
        return _document(topology, flows, warm_s + float(given["T"]), warm_s)
    topology = {
        "kind": "wlan",
        "stations": up + down,
        "placing": {"kind": "circle", "radius": f"{given['dist']} m"},
        "radio": radio,
    }
    other = "ap/0" if given["topo"] == "cell" else "wired/0"
    if given["topo"] == "cell":
        topology["hosts"] = 0
    else:
        topology["backbone"] = {"rate": "100 Mbps", "delay": "5 ms", "queue": "1000 packets"}
    flows = [_cell_flow(given, f"up{i}", f"station/{i}", other) for i in range(up)]
    flows += [_cell_flow(given, f"down{i}", other, f"station/{i}") for i in range(up, up + down)]
    return _document(topology, flows, warm_s + float(given["T"]), warm_s)


def _cell_flow(given: Mapping[str, str], name: str, source: str, target: str) -> dict[str, Any]:
    ends = {"name": name, "from": source, "to": target, "start": "uniform(0 s, 0.5 s)"}
    payload = int(given["payload"])
    if given["traffic"] == DATAGRAMS:
        traffic = {"kind": "cbr", "rate": _rate(given["offered"]), "packet": f"{payload} B", "random": True}
        return ends | {"transport": "udp", "traffic": traffic}
    if given["traffic"] == "vegas":
        # ns-2's Vegas has no header; the script made its segments longer by one.
        payload += HEADER_BYTES
    tcp = {"window": f"{given['win']} segments"} | _first_ssthresh(source)
    return ends | {"algorithm": given["traffic"], "segment": f"{payload} B", "tcp": tcp}


def _janevski(point: StoredPoint) -> _Document:
    """Nodes 200 m apart, 512-byte segments, ``window_`` 20. With loss every frame may be bad.

    Then, and in a family of their own, routes are DSDV's and stand still.
    """
    found = re.fullmatch(r"(\d+) nodes phy=(\w+) loss=(\d+)% delack=(\d) ifq=(\d+)", point.scenario)
    if found is None:
        raise ValueError(f"unknown scenario {point.scenario} in the stored figures")
    nodes, phy, loss_percent, delack, ifq = found.groups()
    radio = PHYS[phy] | {"queue": f"{ifq} packets", "arp": True}
    if loss_percent != "0":
        radio["loss"] = {"rate": f"{loss_percent} %"}
    if loss_percent != "0" or point.family == "janevski_frozen_1mbps":
        radio["routing_bytes"] = DSDV_BYTES
    topology = {"kind": "chain", "nodes": int(nodes), "spacing": "200 m", "radio": radio}
    tcp = {"window": "20 segments", "delayed_ack": int(delack), "dup_threshold": int(point.value)}
    ends = {"from": "n0", "to": f"n{int(nodes) - 1}"}
    # The script ran for 148.5 to 149 s after the start.
    return _document(topology, [ends | {"algorithm": point.variant, "segment": "512 B", "tcp": tcp}], 148.75, 0)


def _setting(point: StoredPoint) -> _Document:
    """A row of ``radio_settings.csv``: its last column has the scenario itself, as JSON."""
    given = json.loads(point.arguments)
    return _document(given["topology"], given["flows"], given["duration_s"], given["warmup_s"])


def _dalal(point: StoredPoint) -> _Document:
    """A station 20 m from its access point sends 1000-byte segments to a host behind a wire, 60 s."""
    radio = {
        "set": "ns2-dalal",
        "queue": "50 packets",
        "arp": True,
        "routing_bytes": DSDV_BYTES,
    }
    wire: dict[str, Any] = {"rate": "100 Mbps", "delay": "15 ms", "queue": "50 packets"}
    if point.scenario.startswith("datarate 5Mbps"):
        wire["rate"] = "5 Mbps"
    if point.parameter == "D_ms":
        wire["delay"] = f"{point.value} ms"
    stated = re.search(r"FER (\d+)%", point.scenario)
    fer_percent = stated[1] if stated else point.value
    burst = point.value if point.parameter == "burst_frames" else "10"
    if fer_percent == "0":
        pass
    elif "above the MAC" in point.scenario:
        # The script lost them before the queues of the wire.
        wire["loss"] = {"rate": f"{fer_percent} %", "at": "queue", "direction": "both"}
    elif "Markov" in point.scenario:
        radio["loss"] = {"model": "ns2-two-state", "rate": f"{fer_percent} %", "burst": f"{burst} frames"}
    else:
        radio["loss"] = {"rate": f"{fer_percent} %"}
    topology = {
        "kind": "wlan",
        "stations": 1,
        "placing": {"kind": "circle", "radius": "20 m"},
        "backbone": wire,
        "radio": radio,
    }
    flow: dict[str, Any] = {"from": "station/0", "to": "wired/0", "segment": "1000 B", "algorithm": point.variant}
    tcp = _first_ssthresh("station/0")
    if point.variant == REPORTED:
        flow["algorithm"], rules = linux_westwood()
        tcp |= rules
    return _document(topology, [flow | {"tcp": tcp}], 60, 0)


def _first_ssthresh(source: str) -> dict[str, Any]:
    return {} if source.startswith("wired/") else {"initial_ssthresh": FIRST_SSTHRESH}


def _threshold(word: str) -> str:
    """``RTSThreshold_``; 3000 is longer than any frame."""
    return "always" if word == "0" else "off"


def _rate(word: str) -> str:
    """``11Mb`` as a quantity."""
    return word.removesuffix("Mb") + " Mbps"
