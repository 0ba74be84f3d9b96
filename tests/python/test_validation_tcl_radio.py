"""Cells and chains as ns-2 scripts: what is written, what is refused, and that Tcl can read it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import windlass
from windlass import InputError, _core
from windlass.validation.tcl import FlowStart, check, script
from windlass.validation.tcl import radio as tcl_radio

LOSS = {"rate": "10 %", "model": "ns2-two-state", "burst": "10 frames"}


WIRE = {"rate": "100 Mbps", "delay": "1 ms"}


def chain(radio: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    flow = {"name": "f", "from": "n0", "to": "n3", "algorithm": "newreno", "segment": "512 B"}
    return {
        "scenario": {"duration": "20 s", "warmup": "5 s", "profile": "ns2"},
        "topology": {"kind": "chain", "nodes": 4, "spacing": "200 m", "radio": {"set": "ns2-b11"} | (radio or {})},
        "flows": [flow | more],
    }


def cell(radio: dict[str, Any] | None = None, hosts: int = 1, **more: Any) -> dict[str, Any]:
    """Two stations; an upload with TCP and a download with datagrams."""
    other = "wired/0" if hosts else "ap/0"
    topology: dict[str, Any] = {"kind": "wlan", "stations": 2, "hosts": hosts}
    if hosts:
        topology["backbone"] = {"rate": "100 Mbps", "delay": "5 ms", "queue": "1000 packets"}
    traffic = {"kind": "cbr", "rate": "1 Mbps", "packet": "1000 B"}
    return {
        "scenario": {"duration": "20 s", "profile": "ns2"},
        "topology": topology
        | {"placing": {"kind": "circle", "radius": "20 m"}, "radio": {"set": "ns2-b11"} | (radio or {})}
        | more,
        "flows": [
            {"name": "up", "from": "station/0", "to": other, "algorithm": "sack"},
            {"name": "down", "from": other, "to": "station/1", "transport": "udp", "traffic": traffic},
        ],
    }


def graph() -> dict[str, Any]:
    """A cell of a graph."""
    link = WIRE | {"from": "ap", "to": "server"}
    medium = {"stations": ["phone", "ap"], "access_points": ["ap"], "set": "ns2-b11"}
    return {
        "scenario": {"duration": "5 s", "profile": "ns2"},
        "topology": {"kind": "graph", "links": [link], "media": [medium]},
        "flows": [{"from": "phone", "to": "server", "algorithm": "newreno"}],
    }


def cellular() -> dict[str, Any]:
    mobile = {"fixed": "50 m"}
    return {
        "scenario": {"duration": "5 s", "profile": "ns2"},
        "topology": {"kind": "cellular", "stations": ["0 m"], "mobile": mobile, "backbone": WIRE},
        "flows": [{"from": "server", "to": "mobile/0", "algorithm": "newreno"}],
    }


def written(document: dict[str, Any]) -> str:
    description = windlass.from_dict(document).points()[0].effective()
    starts = [FlowStart(flow["name"], flow["name"], flow["from"], flow["to"], 0.25) for flow in description["flows"]]
    return script(description, starts, 1)


def test_numbers_of_mac_and_card() -> None:
    radio = {
        "set": "ns2-g54",
        "rate": "24 Mbps",
        "slot": "20 us",
        "difs": "50 us",
        "rts_threshold": "500 B",
        "cw_min": 31,
        "short_retry_limit": 5,
        "cs_threshold": "3.652e-10 W",
    }
    text = written(chain(radio))
    for words in (
        "dataRate_ 24000000 basicRate_ 6000000",
        "SlotTime_ 2e-05 SIFS_ 1e-05 CWMin_ 31 CWMax_ 1023",
        "PreambleLength_ 120 PLCPHeaderLength_ 0",
        "PLCPDataRate_ 6000000",
        "RTSThreshold_ 500",
        "ShortRetryLimit_ 5 LongRetryLimit_ 4",
        "freq_ 914000000 Pt_ 0.28183815",
        "RXThresh_ 3.652e-10 CSThresh_ 3.652e-10",
        "LL set delay_ 2.5e-05",
    ):
        assert words in text
    assert "RTSThreshold_ 1000000\n" in written(chain({"rts_threshold": "off"}))
    assert "RTSThreshold_ 0\n" in written(chain({"rts_threshold": "always"}))


def test_a_chain() -> None:
    text = written(chain({"queue": "10 packets", "rates": {"n2": "2 Mbps"}}))
    # 200 m apart, 100 m from the edge; the flow and the measurement begin when DSDV stands still
    assert "    0 100 100 10 11000000\n    1 300 100 10 11000000\n    2 500 100 10 2000000\n" in text
    assert "-adhocRouting DSDV" in text
    assert "$net at 170 freeze\n" in text
    assert "    0 3 172\n" in text  # address resolution
    # DSDV's 20 bytes are taken off again
    assert " 200.250000000 Agent/TCP/Newreno {packetSize_ 512 tcpip_base_hdr_size_ 20 " in text
    assert " Agent/TCPSink {packetSize_ 20} " in text
    assert text.endswith("$net at 205 remember\n$net at 220 results\n$net run\n")


def test_routing_bytes_of_dsdv_stay_on_and_addresses_may_be_unknown() -> None:
    text = written(chain({"routing_bytes": "20 B", "arp": True}))
    assert "tcpip_base_hdr_size_ 40 " in text
    assert "probe" not in text


def test_a_cell_with_a_wire() -> None:
    text = written(cell({"loss": LOSS}))
    assert "AddrParams set nodes_num_ {1 3}\n" in text
    # the access point first, 20 m from either station; 100 m from the edge
    assert "    1 120 100 50 11000000\n    2 140 100 50 11000000\n    3 100 100 50 11000000\n" in text
    assert "    1 0 100000000 0.005 1000\n    0 1 100000000 0.005 1000\n" in text
    assert "$net node-config -IncomingErrProc faults\n" in text
    assert "$good set avg_ 90\n    $bad set avg_ 10\n" in text
    assert "$net at 59.5 lossy\n" in text
    # packets from the wire have no second header
    assert "{packetSize_ 1000} Agent/LossMonitor {} Application/Traffic/CBR {packetSize_ 1000 rate_ 1000000 " in text


def test_a_cell_without_a_wire_has_no_routing() -> None:
    text = written(cell({"loss": {"rate": "5 %", "at": "above"}, "routing_bytes": "8 B"}, hosts=0))
    assert "-adhocRouting DumbAgent" in text
    assert "hierarchical" not in text
    assert "freeze" not in text
    assert "$mac up-target $model\n" in text
    assert "IncomingErrProc" not in text
    assert "$model set rate_ 0.05\n" in text
    # 8 of 1008 bytes are not payload: as many packets a second as before
    assert "{packetSize_ 1008 rate_ 1008000 " in text
    assert "tcpip_base_hdr_size_ 48 " in text


@pytest.mark.parametrize(
    ("key", "document"),
    [
        ("topology.radio.mac_bytes", cell({"set": "dot11b"})),
        ("topology.radio.cca", chain({"cca": "15 us"})),
        ("topology.radio.draw", chain({"draw": "to-cw"})),
        ("topology.radio.capture", chain({"capture": "any"})),
        ("topology.radio.fading", chain({"fading": "50 ms"})),
        ("topology.radio.shadowing", chain({"shadowing": "4 dB"})),
        ("topology.radio.rate_control", chain({"rate_control": "arf"})),
        ("topology.radio.propagation", cell({"propagation": "log-distance"})),
        ("topology.radio.difs", chain({"difs": "60 us"})),
        ("topology.radio.difs", chain({"slot": "9 us"})),
        ("topology.radio.extra_mac_bytes", chain({"extra_mac_bytes": "8 B"})),
        ("topology.radio.least_distance", cell({"least_distance": "1 m"})),
        ("topology.moves", cell(moves={"station/0": {"line": {"from": "2 m", "velocity": "1 m/s"}}})),
        ("topology.backbone.handovers", cell(backbone=WIRE | {"handovers": "leo"})),
        ("topology.backbone.outages", cell(backbone=WIRE | {"outages": [{"at": "1 s", "for": "1 s"}]})),
        ("topology.media", graph()),
        ("topology.kind", cellular()),
        ("flows.tcp.freeze", chain(tcp={"freeze": True})),
        ("flows.algorithm", chain(algorithm="westwood-plus-ho")),
        ("topology.radio.basic_rates", chain({"basic_rates": ["1 Mbps", "2 Mbps"]})),
        ("topology.radio.queue", chain({"queue": "50 kB"})),
        ("topology.radio.loss.model", chain({"loss": {"rate": "1 %", "burst": "5 frames"}})),
        ("topology.radio.loss.frames", chain({"loss": {"rate": "1 %", "frames": "data"}})),
        ("topology.radio.ap_queues", cell({"ap_queues": "per-station"})),
        ("topology.radio.plcp_bits", chain({"plcp_bits": 100})),
        ("topology.radio.hears", cell({"hears": [["station/0", "ap/0"], ["station/1", "ap/0"]]})),
        ("topology.spacing", chain() | {"topology": chain()["topology"] | {"spacing": "100 m"}}),
        ("topology.placing.kind", cell(placing={"kind": "disc", "radius": "20 m"})),
        ("topology.access_points", cell(access_points=2, ap_positions=[["0 m", "0 m"], ["9 m", "0 m"]], access=WIRE)),
        ("flows.tcp.agent", chain(tcp={"agent": "full"})),
        ("flows.algorithm", chain(algorithm="cubic")),
        ("scenario.profile", chain() | {"scenario": {"duration": "5 s"}}),
    ],
)
def test_what_ns2_cannot_express(key: str, document: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        check(windlass.from_dict(document).points()[0].effective())
    assert caught.value.code == "validate.not-expressible"
    assert caught.value.message.startswith(f"`{key}`"), caught.value.message
    assert caught.value.hint, "what to write instead"


@pytest.mark.parametrize(
    "radio",
    [
        # what moving, fading and aggregating stations have alone, and what ns-2's sets never use
        {"move_step": "10 ms", "shadowing_coherence": "10 m", "noise": "-90 dBm", "arf_start": "high"},
        {"cw_min_dsss": 63, "ofdm_preamble": "16 us", "signal_extension": "0 s", "preamble": "long"},
        {"frequency": "914 MHz", "tx_power": "100 mW", "receive_range": "300 m", "sense_range": "1 km"},
        {"rates": {"station/0": "1 Mbps"}, "rts_threshold": "off", "link_layer": "1 ms"},
    ],
)
def test_what_makes_no_difference_or_is_written_passes(radio: dict[str, Any]) -> None:
    assert "node-config" in written(cell(radio))


def test_every_key_of_a_radio_is_known() -> None:
    """A new key is refused, written, or known to make no difference: never overlooked."""
    fields = next(row for row in json.loads(_core.topologies()) if row["name"] == "wlan")
    keys = {field["name"] for field in fields["radio_fields"]}
    # written as powers; of other sets; refused by itself where it is given
    elsewhere = {"receive_range", "sense_range", "channel_width", "guard_interval", "preamble", "hears", "ap_edca"}
    assert keys - tcl_radio._FIXED.keys() - tcl_radio._FREE - tcl_radio._WRITTEN == elsewhere
    assert {field["name"] for field in fields["fields"]} - tcl_radio._TOPOLOGY == {"moves"}


def test_stations_among_themselves_are_refused() -> None:
    document = cell()
    document["flows"] = [{"name": "f", "from": "station/0", "to": "station/1", "algorithm": "reno"}]
    with pytest.raises(InputError, match="no way from station to station") as caught:
        written(document)
    assert caught.value.code == "validate.not-expressible"


STUBS = """
proc puts {words} { lappend ::printed [string trim $words] }
proc exit {code} {}
proc unknown {args} {
    lappend ::calls $args
    if {[llength $args] == 3 && [lindex $args 1] eq "set"} { return $::counter }
    return object
}
set defaultRNG rng
set counter 7
"""
"""Everything that ns-2 adds to Tcl: each command and object exists, and every variable of an object is `counter`."""


@pytest.mark.parametrize(
    "document",
    [
        chain({"loss": LOSS}),
        cell({"loss": "2 %"}),
        cell({"loss": {"rate": "5 %", "at": "above"}}, hosts=0),
        cell({"arp": True}, hosts=2, access=WIRE),
    ],
)
def test_tcl_reads_it(document: dict[str, Any]) -> None:
    tkinter = pytest.importorskip("tkinter")
    tcl = tkinter.Tcl()
    tcl.eval(STUBS)
    tcl.eval(written(document))
    for name in ("freeze", "lossy", "remember"):
        if tcl.eval(f"info procs {name}"):
            tcl.eval(name)
    tcl.eval("set counter 10; results")
    # delivered since `remember`, and counts of the whole run
    lines = tcl.splitlist(tcl.eval("set printed"))
    assert lines[0] == "windlass-flow 0 3 3 10 10 10 10"
    if len(lines) > 1:
        assert lines[1] == "windlass-flow 1 3 0 0 0 0 0"
    calls = tcl.splitlist(tcl.eval("set calls"))
    assert calls[-1].startswith(("object", "7"))
    assert "object run" in calls
