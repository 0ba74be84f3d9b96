"""What `iperf3 -J` would print of a transfer that the simulator ran: bytes, windows and round trips every second."""

from __future__ import annotations

from typing import Any

import numpy as np

import windlass

MSS = 1448


def transfer(
    *,
    rate: str = "20 Mbps",
    delay: str = "50 ms",
    queue: Any = "167 packets",
    loss: Any = "0.5 %",
    algorithm: str = "cubic",
    duration: str = "20 s",
    **link: Any,
) -> dict[str, Any]:
    """One sender alone on a path, as a scenario; `delay` is one way."""
    bottleneck = {"rate": rate, "delay": delay, "queue": queue, "loss": loss, **link}
    return {
        "scenario": {"name": "truth", "duration": duration, "seeds": 4, "profile": "linux"},
        "topology": {
            "kind": "dumbbell",
            "access": {"rate": "1 Gbps", "delay": "0 s", "queue": "10000 packets"},
            "bottleneck": bottleneck,
        },
        "flows": [{"from": "left/0", "to": "right/0", "algorithm": algorithm}],
    }


def document(truth: dict[str, Any], seed: int = 1) -> dict[str, Any]:
    """The JSON of a run of the transfer, without what its receiver saw."""
    scenario = windlass.from_dict(truth).with_({"output.traces": ["cwnd", "srtt", "delivered"]})
    run = scenario.points()[0].run(seed)
    flow = run.flows.to_pylist()[0]
    at_s, names, values = (np.array(run.traces[one].to_pylist()) for one in ("time_s", "variable", "value"))
    seconds = int(scenario.duration_s)

    def known(name: str, at: float) -> float:
        own = names == name
        place = int(np.searchsorted(at_s[own], at, side="right")) - 1
        return float(values[own][place]) if place >= 0 else 0.0

    again = np.diff(np.linspace(0, flow["retransmitted_segments"], seconds + 1).astype(int))
    intervals: list[dict[str, Any]] = []
    for second in range(seconds):
        size = known("delivered_bytes", second + 1.0) - known("delivered_bytes", second)
        total = {"start": float(second), "end": second + 1.0, "seconds": 1.0, "bytes": int(size), "omitted": False}
        total |= {"bits_per_second": 8.0 * size, "retransmits": int(again[second])}
        window, rtt = known("cwnd_segments", second + 1.0), known("srtt_s", second + 1.0)
        stream = {"socket": 5, **total, "snd_cwnd": int(window * MSS), "rtt": int(1e6 * rtt), "sender": True}
        intervals.append({"streams": [stream], "sum": total})
    least = min(one["streams"][0]["rtt"] for one in intervals)
    end = {"streams": [{"sender": {"socket": 5, "min_rtt": least, "sender": True}, "receiver": {"socket": 5}}]}
    start = {"version": "iperf 3.16", "test_start": {"protocol": "TCP", "num_streams": 1, "reverse": 0}}
    return {"start": start, "intervals": intervals, "end": end}
