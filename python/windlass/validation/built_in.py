"""Small scenarios for a comparison without a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windlass.scenario import Scenario


def built_in() -> list[Scenario]:
    """Small scenarios for a comparison without a file: every agent, with and without random loss."""
    from windlass.scenario import from_dict

    def dumbbell(loss: str, queue: str = "30 packets", **more: Any) -> dict[str, Any]:
        bottleneck = {"rate": "4 Mbps", "delay": "30 ms", "queue": queue, "loss": {"rate": loss} | more}
        access = {"rate": "10 Mbps", "delay": "5 ms"}
        return {"kind": "dumbbell", "pairs": 3, "access": access, "bottleneck": bottleneck}

    routers = {
        "kind": "three-routers",
        "pairs": 3,
        "access": {"rate": "10 Mbps", "delay": "2 ms"},
        "first": {"rate": "6 Mbps", "delay": "10 ms", "loss": "0.5 %"},
        "second": {"rate": "4 Mbps", "delay": "20 ms", "queue": "25 packets"},
    }
    line = {
        "kind": "graph",
        "links": [{"from": "a", "to": "b", "rate": "2 Mbps", "delay": "40 ms", "loss": {"rate": "3 %", "at": "queue"}}],
    }
    ends = {"from": "left/*", "to": "right/*", "start": "uniform(0 s, 1 s)"}
    between = {"from": "a", "to": "b", "count": 2, "start": "uniform(0 s, 1 s)"}
    plans: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("newreno-congested", dumbbell("0 %"), ends | {"algorithm": "newreno"}),
        ("newreno-lossy", dumbbell("1 %"), ends | {"algorithm": "newreno"}),
        ("sack-both-ways", dumbbell("2 %", direction="both"), ends | {"algorithm": "sack"}),
        ("reno-three-routers", routers, ends | {"algorithm": "reno", "tcp": {"delayed_ack": 2}}),
        ("tahoe-before-queue", line, between | {"algorithm": "tahoe", "segment": "1000 B"}),
        ("vegas-lossy", dumbbell("1 %", "60 packets"), ends | {"algorithm": "vegas"}),
        ("full-sack-lossy", dumbbell("1 %", direction="both"), ends | {"algorithm": "sack", "direction": "both"}),
    ]
    return [
        from_dict(
            {
                "scenario": {"name": name, "duration": "100 s", "profile": "ns2", "seeds": 10},
                "topology": topology,
                "flows": [flows],
            }
        )
        for name, topology, flows in plans
    ]
