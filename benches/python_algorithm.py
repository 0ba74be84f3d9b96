"""What an algorithm in Python costs beside the same one in Rust, in one process: `python benches/python_algorithm.py`.

NewReno both times, on the path of case W1 (ten flows, 8 Mbit/s, 1 % loss); the two give the same packets. Ratios of CPU
time, so that the machine matters little.
"""

from __future__ import annotations

import statistics
import time

import windlass

PATH = windlass.Scenario(
    duration="1000 s",
    topology=windlass.Dumbbell(
        pairs=10,
        access=windlass.Link(rate="1 Mbps", delay="10 ms"),
        bottleneck=windlass.Link(rate="8 Mbps", delay="50 ms", loss="1 %"),
    ),
    flows=windlass.Flow(from_="left/*", to="right/*", algorithm="newreno"),
    profile="ns2",
)


class PythonNewReno(windlass.CongestionControl):
    """NewReno, as the base class has it."""


def seconds(scenario: windlass.Scenario) -> tuple[float, int]:
    """CPU seconds of a run, and the packets that it sent."""
    point = scenario.points()[0]
    begin = time.process_time()
    flows = point.run(1).flows
    return time.process_time() - begin, sum(flows["sent_segments"].to_pylist())


def main() -> None:
    own = PATH.with_({"flows.algorithm": PythonNewReno})
    pairs = [(seconds(PATH), seconds(own)) for _ in range(5)]
    assert all(rust[1] == python[1] for rust, python in pairs), "the two do not send the same packets"
    ratio = statistics.median(python[0] / rust[0] for rust, python in pairs)
    each = statistics.median((python[0] - rust[0]) / python[1] for rust, python in pairs)
    print(f"{ratio:.0f} times the CPU time of Rust's NewReno, {each * 1e6:.1f} µs more for each segment sent")


if __name__ == "__main__":
    main()
