"""Descriptions as ns-2 scripts: one whole script, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import windlass
from windlass import InputError
from windlass.validation.tcl import FlowStart, check, flow_starts, quantity, script

GOLDEN = """\
# Written by Windlass. Usage: ns FILE
remove-all-packet-headers
add-packet-header Common Flags IP TCP
set net [new Simulator]

# Neighbouring seeds begin with related numbers, so the first ones are thrown away.
$defaultRNG seed 10654331
set any [new RandomVariable/Uniform]
for {set i 0} {$i < 50} {incr i} { $any value }

for {set i 0} {$i < 3} {incr i} { set node($i) [$net node] }

# From, to, bit/s, seconds, limit.
foreach {a b rate delay limit} {
    0 1 8000000 0.001 51
    1 0 8000000 0.001 51
    1 2 800000 0.1 20
    2 1 800000 0.1 1000
} {
    $net simplex-link $node($a) $node($b) $rate $delay DropTail
    $net queue-limit $node($a) $node($b) $limit
}

proc losing {model} {
    $model drop-target [new Agent/Null]
    return $model
}

# From, to, share of the packets, behind the link or before its queue.
foreach {a b share command} {
    0 1 0.005 lossmodel
    1 2 0.01 link-lossmodel
} {
    set model [losing [new ErrorModel]]
    $model unit pkt
    $model set rate_ $share
    $model ranvar [new RandomVariable/Uniform]
    $net $command $model $node($a) $node($b)
}

# From, to, arrivals that are lost.
foreach {a b arrivals} {
    1 2 {3 8}
} {
    set model [losing [new ErrorModel/List]]
    $model droplist $arrivals
    $net lossmodel $model $node($a) $node($b)
}

# Bytes of the SYN and of a segment as the receiver counts them (none for datagrams), start, and sender, receiver and
# source with their settings.
set flows {}
foreach {a b syn whole start agent settings sink sinksettings source sourcesettings} {
    0 2 40 1040 0.250000000 Agent/TCP/Sack1 {packetSize_ 1000 tcpip_base_hdr_size_ 40 window_ 1000 windowInit_ 2\
 numdupacks_ 4 singledup_ 1 rtxcur_init_ 3 minrto_ 0.2 maxrto_ 60 tcpTick_ 0.01 slow_start_restart_ true}\
 Agent/TCPSink/Sack1/DelAck {packetSize_ 40 interval_ 0.1} Application/FTP {}
    0 2 1460 1460 1.500000000 Agent/TCP/Vegas {packetSize_ 1460 tcpip_base_hdr_size_ 40 window_ 20 windowInit_ 2\
 numdupacks_ 3 singledup_ 1 rtxcur_init_ 3 minrto_ 0.2 maxrto_ 60 tcpTick_ 0.01 slow_start_restart_ true\
 v_alpha_ 2 v_beta_ 4 v_gamma_ 1} Agent/TCPSink {packetSize_ 40} Application/FTP {}
} {
    set sender [new $agent]
    set receiver [new $sink]
    foreach {name value} $settings { $sender set $name $value }
    foreach {name value} $sinksettings { $receiver set $name $value }
    $net attach-agent $node($a) $sender
    $net attach-agent $node($b) $receiver
    $net connect $sender $receiver
    set application [new $source]
    foreach {name value} $sourcesettings { $application set $name $value }
    $application attach-agent $sender
    $net at $start "$application start"
    lappend flows $sender $receiver $syn $whole
}

proc results {} {
    global flows
    set i 0
    foreach {sender receiver syn whole} $flows {
        if {$whole == 0} {
            set arrived [$receiver set npkts_]
            puts "\\nwindlass-flow $i $arrived 0 [expr {$arrived + [$receiver set nlost_]}] 0 0 0"
            incr i
            continue
        }
        set delivered [expr {([$receiver set bytes_] - $syn) / $whole}]
        if {$delivered < 0} { set delivered 0 }
        set acknowledged [$sender set ack_]
        if {$acknowledged < 0} { set acknowledged 0 }
        puts "\\nwindlass-flow $i [format %.0f $delivered] $acknowledged [$sender set ndatapack_]\\
            [$sender set nrexmitpack_] [$sender set nrexmit_] [$sender set ncwndcuts_]"
        incr i
    }
    flush stdout
    exit 0
}
$net at 20 results
$net run
"""


def document() -> dict[str, Any]:
    """Two links, both kinds of loss, a list, two agents."""
    access = {"from": "s", "to": "g", "rate": "8 Mbps", "delay": "1 ms", "queue": "50 packets"}
    slow = {"from": "g", "to": "r", "rate": "0.8 Mbps", "delay": "100 ms", "queue": "20 packets"}
    sack = {"name": "x", "from": "s", "to": "r", "algorithm": "sack", "segment": "1000 B", "start": "0.25 s"}
    vegas = {
        "name": "y",
        "from": "s",
        "to": "r",
        "algorithm": {"name": "vegas", "vegas_alpha": "2 segments", "vegas_beta": "4 segments"},
    }
    return {
        "scenario": {"duration": "20 s", "profile": "ns2"},
        "topology": {
            "kind": "graph",
            "links": [
                access | {"queue_counting": "waiting", "loss": {"rate": "0.5 %", "at": "queue"}},
                slow | {"loss": "1 %", "drops": {"forward": [3, 8]}, "reverse": {"queue": "1000 packets"}},
            ],
        },
        "flows": [
            sack | {"tcp": {"delayed_ack": 2, "dup_threshold": 4}},
            vegas | {"start": "1.5 s", "tcp": {"window": "20 segments"}},
        ],
    }


def effective(document: dict[str, Any]) -> dict[str, Any]:
    return windlass.from_dict(document).points()[0].effective()


STARTS = [FlowStart("x", "x", "s", "r", 0.25), FlowStart("y", "y", "s", "r", 1.5)]


def test_a_whole_script() -> None:
    text = script(effective(document()), STARTS, 3)
    assert text == GOLDEN


def test_starts_are_those_of_the_run_here() -> None:
    scenario = windlass.from_dict(document() | {"scenario": {"duration": "2 s", "profile": "ns2"}})
    assert flow_starts(scenario.run(1).flows.to_pylist()) == STARTS


@pytest.mark.parametrize(
    ("text", "value"),
    [("5500 kbps", 5.5e6), ("5250 us", 5.25e-3), ("0.1 %", 1e-3), ("50 packets", 50.0), ("40 B", 40.0), ("2 s", 2.0)],
)
def test_quantities(text: str, value: float) -> None:
    assert quantity(text) == pytest.approx(value, rel=1e-12)


def small(**more: Any) -> dict[str, Any]:
    return {
        "scenario": {"duration": "5 s", "profile": "ns2"},
        "topology": {
            "kind": "dumbbell",
            "pairs": 1,
            "access": {"rate": "10 Mbps", "delay": "5 ms"},
            "bottleneck": {"rate": "2 Mbps", "delay": "20 ms"},
        },
        "flows": [{"from": "left/*", "to": "right/*", "algorithm": "newreno"} | more],
    }


@pytest.mark.parametrize("algorithm", ["tahoe", "reno", "newreno", "sack", "vegas"])
@pytest.mark.parametrize(
    "rules", [{}, {"delayed_ack": 2, "limited_transmit": "off", "rto_min": "1 s", "ss_limit": "off"}]
)
def test_agents_with_rules_that_ns2_has_pass(algorithm: str, rules: dict[str, Any]) -> None:
    check(effective(small(algorithm=algorithm, tcp=rules)))


@pytest.mark.parametrize(
    ("key", "flow"),
    [
        ("flows.algorithm", {"algorithm": "westwood-plus"}),
        ("flows.transport", {"algorithm": "tfrc"}),
        ("flows.size", {"arrivals": "1 /s", "size": "10 kB"}),
        ("flows.algorithm.vegas_ss", {"algorithm": {"name": "vegas", "vegas_ss": "alt_ack"}}),
        ("flows.algorithm.vegas_alpha", {"algorithm": {"name": "vegas", "vegas_alpha": "1.5 segments"}}),
        ("flows.direction", {"direction": "both", "tcp": {"agent": "one-way"}}),
        ("flows.direction", {"algorithm": "vegas", "direction": "both"}),
        ("flows.tcp.slow_start_restart", {"tcp": {"slow_start_restart": "linux"}}),
        ("flows.tcp.limited_transmit", {"direction": "both", "tcp": {"limited_transmit": "all"}}),
        ("flows.tcp.delayed_ack_mode", {"direction": "both", "tcp": {"delayed_ack_mode": "per-segment"}}),
        ("flows.stop", {"stop": "3 s"}),
        ("flows.size", {"size": "1 MB"}),
        ("flows.tcp.recovery", {"algorithm": "reno", "tcp": {"recovery": "sack"}}),
        ("flows.tcp.timestamps", {"tcp": {"timestamps": True}}),
        ("flows.tcp.half_base", {"tcp": {"half_base": "flight"}}),
        ("flows.tcp.ss_count", {"tcp": {"ss_count": "bytes"}}),
        ("flows.tcp.ca_count", {"tcp": {"ca_count": "bytes"}}),
        ("flows.tcp.initial_window", {"tcp": {"initial_window": "rfc6928"}}),
        ("flows.tcp.initial_ssthresh", {"tcp": {"initial_ssthresh": "10 segments"}}),
        ("flows.tcp.delayed_ack", {"tcp": {"delayed_ack": 3}}),
        ("flows.tcp.limited_transmit", {"tcp": {"limited_transmit": "2 segments", "dup_threshold": 5}}),
        ("flows.tcp.rtt_tick", {"tcp": {"rtt_tick": "0 s"}}),
        ("flows.tcp.clock_offset", {"tcp": {"clock_offset": "1 ms"}}),
        ("flows.tcp.ecn", {"tcp": {"ecn": True}}),
    ],
)
def test_flows_that_ns2_cannot_express(key: str, flow: dict[str, Any]) -> None:
    refused(key, small(**flow))


FULL_STARTS = """\
# Connections of FullTcp: place of the flow, when the other end starts to send.
foreach {place back} {
    0 1.500000000
    2 never
} {
    set passive [lindex $flows [expr {4 * $place + 1}]]
    $passive listen
    set full($place) $passive
    if {$back eq "never"} { set full($place) {}; continue }
    set application [new Application/FTP]
    $application attach-agent $passive
    $net at $back "$application start"
}

proc results {} {
    global flows full
    set i 0
    set place -1
    foreach {sender receiver syn whole} $flows {
        incr place
        if {[info exists full($place)]} {
            foreach end [concat $sender $full($place)] {
                set acknowledged [expr {([$end set ack_] - 1) / $whole}]
                if {$acknowledged < 0} { set acknowledged 0 }
                puts "\\nwindlass-flow $i $acknowledged $acknowledged [$end set ndatapack_]\\
                    [$end set nrexmitpack_] [$end set nrexmit_] [$end set ncwndcuts_]"
                incr i
            }
            continue
        }
"""


def test_connections_with_data_both_ways_are_written() -> None:
    description = small(name="two", direction="both", algorithm="sack", start="0.5 s", reverse_start="1.5 s")
    plain = {"from": "left/*", "to": "right/*"}
    description["flows"].append(plain | {"name": "old", "algorithm": "tahoe"})
    rules = {"agent": "full", "delayed_ack": 2, "window": "20 segments"}
    description["flows"].append(plain | {"name": "one", "algorithm": "reno", "segment": "1000 B", "tcp": rules})
    scenario = windlass.from_dict(description)
    starts = flow_starts(scenario.run(1).flows.to_pylist())
    assert [one.back_s for one in starts] == [1.5, None, None]
    text = script(scenario.points()[0].effective(), starts, 1)
    settings = (
        "{segsize_ 1460 tcpip_base_hdr_size_ 40 window_ 1000 windowInit_ 2 tcprexmtthresh_ 3 rtxcur_init_ 3 minrto_ 0.2"
        " maxrto_ 60 tcpTick_ 0.01 slow_start_restart_ true segsperack_ 1 interval_ 0.1}"
    )
    sack = "Agent/TCP/FullTcp/Sack"
    assert f" 0 1460 0.500000000 {sack} {settings} {sack} {settings} Application/FTP {{}}\n" in text
    reno = settings.replace("1460", "1000").replace("window_ 1000", "window_ 20").replace("perack_ 1", "perack_ 2")
    assert f" 0 1000 0.000000000 Agent/TCP/FullTcp {reno} Agent/TCP/FullTcp {reno} " in text
    assert " Agent/TCP {packetSize_ 1460 " in text
    assert FULL_STARTS in text


def datagrams(**more: Any) -> dict[str, Any]:
    description = small()
    traffic = {"kind": "cbr", "rate": "1 Mbps", "packet": "1000 B"} | more
    udp = {"name": "udp", "from": "left/*", "to": "right/*", "transport": "udp", "traffic": traffic}
    description["flows"].append(udp)
    return description


@pytest.mark.parametrize(
    ("traffic", "words"),
    [
        ({}, "Application/Traffic/CBR {packetSize_ 1000 rate_ 1000000 random_ 0}"),
        (
            {"kind": "on-off", "on": "500 ms", "off": "1 s"},
            "Application/Traffic/Exponential {packetSize_ 1000 rate_ 1000000 burst_time_ 0.5 idle_time_ 1}",
        ),
        (
            {"kind": "on-off", "on": "1 s", "off": "1 s", "distribution": "pareto", "shape": 1.9},
            "Application/Traffic/Pareto {packetSize_ 1000 rate_ 1000000 burst_time_ 1 idle_time_ 1 shape_ 1.9}",
        ),
    ],
)
def test_datagrams_are_written(traffic: dict[str, Any], words: str) -> None:
    scenario = windlass.from_dict(datagrams(**traffic))
    text = script(scenario.points()[0].effective(), flow_starts(scenario.run(1).flows.to_pylist()), 1)
    assert f"Agent/UDP {{packetSize_ 1000}} Agent/LossMonitor {{}} {words}" in text
    assert "add-packet-header Common Flags IP TCP RTP" in text
    assert "Application/FTP {}" in text


def test_datagrams_that_ns2_cannot_express() -> None:
    refused("flows.traffic.kind", datagrams(kind="poisson"))
    refused("flows.traffic.header", datagrams(header="28 B"))


@pytest.mark.parametrize(
    ("key", "link"),
    [
        ("topology.bottleneck.queue", {"queue": "30 kB"}),
        ("topology.bottleneck.warning", {"warning": True}),
        ("topology.bottleneck.delay", {"delay": "uniform(1 ms, 15 ms)"}),
        ("topology.bottleneck.drops.count", {"drops": {"forward": [3], "count": "data"}}),
        ("topology.bottleneck.drops", {"loss": {"rate": "1 %", "at": "queue"}, "drops": {"forward": [3]}}),
    ],
)
def test_links_that_ns2_cannot_express(key: str, link: dict[str, Any]) -> None:
    description = small()
    description["topology"]["bottleneck"] |= link
    refused(key, description)


def test_the_other_profile_is_refused_first() -> None:
    refused("scenario.profile", small() | {"scenario": {"duration": "5 s"}})


def test_two_links_between_the_same_nodes_and_equal_paths_are_refused() -> None:
    def graph(*ends: tuple[str, str]) -> dict[str, Any]:
        links = [
            {"from": a, "to": b, "name": f"l{i}", "rate": "1 Mbps", "delay": "1 ms"} for i, (a, b) in enumerate(ends)
        ]
        flow = {"from": "a", "to": "d", "algorithm": "reno"}
        return {
            "scenario": {"duration": "5 s", "profile": "ns2"},
            "topology": {"kind": "graph", "links": links},
            "flows": [flow],
        }

    refused("topology.links", graph(("a", "d"), ("a", "d")))
    square = effective(graph(("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")))
    with pytest.raises(InputError, match="several shortest paths from a to d") as caught:
        script(square, [FlowStart("flow", "flow", "a", "d", 0.0)], 1)
    assert caught.value.code == "validate.not-expressible"


def refused(key: str, description: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        check(effective(description))
    assert caught.value.code == "validate.not-expressible"
    assert caught.value.message.startswith(f"`{key}`"), caught.value.message


def test_a_refusal_says_what_to_write() -> None:
    with pytest.raises(InputError) as caught:
        check(effective(small(tcp={"timestamps": True})))
    assert caught.value.render() == (
        "error[validate.not-expressible]: `flows.tcp.timestamps` = true: ns-2's `newreno` has no such rule\n"
        "hint: write `timestamps = false`"
    )
