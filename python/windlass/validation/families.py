"""The scenario of each stored figure, family by family."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

from windlass.validation.agents import linux_westwood
from windlass.validation.figures import BACK, FULL, REPORTED, Status, StoredPoint
from windlass.validation.radio_families import document

if TYPE_CHECKING:
    from windlass.scenario import Scenario


def scenario_of(point: StoredPoint) -> Scenario:
    """The scenario that a stored point describes.

    Raises
    ------
    ValueError
        If its status is neither judged nor reported.
    """
    from windlass.scenario import from_dict

    if point.status not in (Status.JUDGED, Status.REPORTED):
        raise ValueError(f"{point.key}: {point.status.value}")
    if point.radio:
        return from_dict(document(point))
    describe = {
        "saedi_config1_oneway": _saedi_config1,
        "saedi_fairness": _saedi_fairness,
        "saedi_config1_twoway": _saedi_config1_twoway,
        "saedi_config2": _saedi_config2,
        "huq_61_lossy_link": _huq_61,
        "huq_62_reverse": _huq_62,
        "huq_71_wired_wireless": _huq_71,
        "huq_63_ten_nodes": _huq_63,
    }[point.family]
    duration_s, topology, flows = describe(point)
    head = {"name": "ns-2", "duration": f"{duration_s} s", "profile": "ns2", "seeds": 10}
    return from_dict({"scenario": head, "topology": topology, "flows": flows})


_Parts = tuple[int, dict[str, Any], list[dict[str, Any]]]


def _link(rate: str, delay: str, loss_percent: str | None = None, queue: str = "50") -> dict[str, Any]:
    link: dict[str, Any] = {"rate": rate, "delay": delay, "queue": f"{queue} packets"}
    if loss_percent is not None:
        link["loss"] = {"model": "uniform", "rate": f"{loss_percent} %", "at": "wire"}
    return link


def _flow(agent: str, segment: int, **more: Any) -> dict[str, Any]:
    """One group."""
    tcp: dict[str, Any] = {"window": more.pop("window", "1000 segments")}
    algorithm: Any = agent.removeprefix(FULL)
    if agent.startswith(FULL):
        tcp["agent"] = "full"
    if agent == REPORTED:
        algorithm, rules = linux_westwood()
        tcp |= rules
    ends = {"from": "left/*", "to": "right/*", "start": "uniform(0.01 s, 1.01 s)"}
    return ends | {"algorithm": algorithm, "segment": f"{segment} B", "tcp": tcp} | more


def _saedi_config1(point: StoredPoint) -> _Parts:
    """Ten pairs, 1 Mbps and 10 ms access, 8 Mbps and 50 ms between the routers."""
    left = _link("1 Mbps", "10 ms")
    right = dict(left)
    bottleneck = _link("8 Mbps", "50 ms", "1" if "q=1%" in point.scenario else "0")
    match point.parameter:
        case "q_percent":
            bottleneck["loss"]["rate"] = f"{point.value} %"
        case "L_mbps":
            bottleneck["rate"] = f"{point.value} Mbps"
        case "L_delay_ms":
            bottleneck["delay"] = f"{point.value} ms"
        case "rcv_delay_ms":
            right["delay"] = f"{point.value} ms"
        case "L_queue_pkts":
            bottleneck["queue"] = f"{point.value} packets"
        case other:
            raise ValueError(f"unknown parameter {other} in the stored figures")
    if "both directions" in point.scenario:
        bottleneck["loss"]["direction"] = "both"
    if "lossmodel" in point.scenario:
        bottleneck["loss"]["at"] = "queue"
    window = "20 segments" if "window_=20" in point.scenario else "1000 segments"
    topology = {"kind": "dumbbell", "pairs": 10, "access": left, "right": right, "bottleneck": bottleneck}
    return 200, topology, [_flow(point.variant, 1460, window=window)]


def _both_ways(agent: str, segment: int, pairs: int) -> list[dict[str, Any]]:
    """FullTcp with data both ways, or one-way agents on connections of their own.

    The passive end of FullTcp begins exactly a second after the active one, which decides who gets more where nothing
    is lost at random. The starts are therefore written out; they were drawn once.
    """
    if agent.startswith(FULL):
        draw = random.Random(1)
        starts = [0.01 + draw.random() for _ in range(pairs)]
        both: dict[str, Any] = {"direction": "both"}
        return [
            _flow(agent, segment, name=f"f{i}", start=f"{at:.6f} s", reverse_start=f"{at + 1.0:.6f} s", **both)
            | {"from": f"left/{i}", "to": f"right/{i}"}
            for i, at in enumerate(starts)
        ]
    back = {"name": BACK, "from": "right/*", "to": "left/*"}
    return [_flow(agent, segment, name="f"), _flow(agent, segment, **back)]


def _saedi_config1_twoway(point: StoredPoint) -> _Parts:
    """As one-way, with data and loss both ways; one scenario has FullTcp with data and loss one way."""
    duration_s, topology, _ = _saedi_config1(point)
    if point.scenario.startswith("FullTcp one-way data"):
        return duration_s, topology, [_flow(point.variant, 1024)]
    topology["bottleneck"]["loss"]["direction"] = "both"
    return duration_s, topology, _both_ways(point.variant, 1024, 10)


def _saedi_config2(point: StoredPoint) -> _Parts:
    """A hundred pairs, 1 Mbps and 20 ms access, two links of 85 Mbps and 60 ms between the routers."""
    losses = dict(re.findall(r"(qL[12])=(\d+)%", point.scenario))
    first = _link("85 Mbps", "60 ms", losses.get("qL1", point.value))
    second = _link("85 Mbps", "60 ms", losses["qL2"])
    match point.parameter:
        case "L1_mbps":
            first["rate"] = f"{point.value} Mbps"
        case "L1_delay_ms":
            first["delay"] = f"{point.value} ms"
    flows = [_flow(point.variant, 1024)]
    if "two-way" in point.scenario:
        for link in (first, second):
            link["loss"]["direction"] = "both"
        flows = _both_ways(point.variant, 1024, 100)
    access = _link("1 Mbps", "20 ms")
    return 50, {"kind": "three-routers", "pairs": 100, "access": access, "first": first, "second": second}, flows


def _saedi_fairness(point: StoredPoint) -> _Parts:
    """One to four pairs, 15 Mbps access, 8 Mbps and 50 ms between the routers, starts within 0.1 s."""
    single = point.scenario.startswith("single flow")
    agents = point.agents
    if point.scenario.endswith("equal flows"):
        agents = agents * int(point.scenario.split()[0])
    topology = {
        "kind": "dumbbell",
        "pairs": len(agents),
        "access": _link("15 Mbps", "20 ms" if single else "2 ms"),
        "bottleneck": _link("8 Mbps", "50 ms", point.value),
    }
    start = "uniform(0.01 s, 0.11 s)"
    flows = [
        _flow(agent, 1460, name=f"f{i}", start=start, **{"from": f"left/{i}", "to": f"right/{i}"})
        for i, agent in enumerate(agents)
    ]
    return 100, topology, flows


def _huq_61(point: StoredPoint) -> _Parts:
    """Two hosts at the ends of one link of 5 Mbps and 5 ms."""
    topology = {"kind": "graph", "links": [_link("5 Mbps", "5 ms", point.value) | {"from": "a", "to": "b"}]}
    ends = {"from": "a", "to": "b"}
    flows = [_flow(point.variant, 1000, **ends)]
    rate = point.scenario.removeprefix("6.1 CBR ")
    if rate != "0":
        traffic = {"kind": "cbr", "rate": rate, "packet": "1000 B"}
        flows.append(ends | {"name": "cbr", "transport": "udp", "traffic": traffic, "start": "0 s"})
    return 325, topology, flows


def _huq_62(point: StoredPoint) -> _Parts:
    """Two routers, 5 Mbps and 1 ms, queues of 3000; each flow with hosts of its own, 100 Mbps and 2 ms away."""
    bottleneck = _link("5 Mbps", "1 ms", point.value, queue="3000")
    if "data direction only" not in point.scenario:
        bottleneck["loss"]["direction"] = "both"
    both = point.scenario.startswith("6.2 forward and reverse")
    other = "newreno" if both else point.variant
    window = "2000 segments"

    def flow(agent: str, name: str, source: str, target: str) -> dict[str, Any]:
        return _flow(agent, 1000, name=name, window=window, **{"from": source, "to": target})

    flows = [flow(point.variant, "f", "left/0", "right/0"), flow(other, "other-back", "right/1", "left/1")]
    if both:
        flows.append(flow(other, "other", "left/2", "right/2"))
    access = _link("100 Mbps", "2 ms", queue="3000")
    return 21, {"kind": "dumbbell", "pairs": len(flows), "access": access, "bottleneck": bottleneck}, flows


def _huq_71(point: StoredPoint) -> _Parts:
    """7.1: 5 Mbps and 1 ms, then a lossy 3.5 Mbps. 7.5: seven hosts, 100 Mbps with a queue of 100, 5 Mbps with 10."""
    if point.scenario.startswith("7.1"):
        wired = _link("5 Mbps", "1 ms") | {"from": "a", "to": "b"}
        lossy = _link("3.5 Mbps", "1 ms", point.value) | {"from": "b", "to": "c"}
        return 100, {"kind": "graph", "links": [wired, lossy]}, [_flow(point.variant, 1000, **{"from": "a", "to": "c"})]
    links = [_link("100 Mbps", "10 ms") | {"from": f"h{i}", "to": "g1"} for i in range(7)]
    links.append(_link("100 Mbps", "1 ms", queue="100") | {"from": "g1", "to": "g2"})
    links.append(_link("5 Mbps", "1 ms", point.value, queue="10") | {"from": "g2", "to": "g3"})
    flows = [_flow(point.variant, 1000, name=f"f{i}", **{"from": f"h{i}", "to": "g3"}) for i in range(7)]
    return 100, {"kind": "graph", "links": links}, flows


def _huq_63(point: StoredPoint) -> _Parts:
    """Ten pairs, 100 Mbps and 2 ms access, 10 Mbps and 1 ms between the routers."""
    topology = {
        "kind": "dumbbell",
        "pairs": 10,
        "access": _link("100 Mbps", "2 ms"),
        "bottleneck": _link("10 Mbps", "1 ms", point.value),
    }
    if not point.scenario.startswith("6.4"):
        return 100, topology, [_flow(point.variant, 1000)]
    flows = [
        _flow(point.variant, 1000, name=f"f{i}", start=f"{i + 0.01} s", **{"from": f"left/{i}", "to": f"right/{i}"})
        for i in range(10)
    ]
    return 21, topology, flows
