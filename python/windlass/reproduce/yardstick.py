"""How fast a machine is: the CPU time of a fixed piece of work, by which costs of one are told for another."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

SEEDS = (1, 2, 3)
"""The work is done so often, since a shared machine is not always as fast."""

_FLOW = {"algorithm": "newreno", "segment": "1000 B"}

_WIRED: dict[str, Any] = {
    "scenario": {"name": "yardstick/wired", "profile": "ns2", "duration": "60 s"},
    "topology": {
        "kind": "dumbbell",
        "pairs": 20,
        "access": {"rate": "10 Mbps", "delay": "10 ms"},
        "bottleneck": {"rate": "20 Mbps", "delay": "50 ms", "queue": "50 packets", "loss": {"rate": "0.5 %"}},
    },
    "flows": [{"from": "left/*", "to": "right/*", **_FLOW}],
}

_WIRELESS: dict[str, Any] = {
    "scenario": {"name": "yardstick/wireless", "profile": "ns2", "duration": "100 s"},
    "topology": {"kind": "chain", "nodes": 9, "spacing": "200 m", "radio": {"set": "ns2-default"}},
    "flows": [{"from": "n0", "to": "n8", "tcp": {"window": "8 segments"}, **_FLOW}],
}


@cache
def yardstick_s() -> float:
    """CPU time on this machine of twenty flows over a lossy link and of one over eight radio hops, in sum, seconds."""
    from windlass.scenario import from_dict

    points = [from_dict(document).points()[0] for document in (_WIRED, _WIRELESS)]
    started = 0.0
    for seed in (0, *SEEDS):
        if seed == SEEDS[0]:
            started = time.process_time()  # what is loaded with the first run is not counted
        for point in points:
            point.run(seed)
    return (time.process_time() - started) / len(SEEDS)
