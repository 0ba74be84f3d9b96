"""Short runs of all kinds, from whose counts the compiler learns which way the packets go: ``make trained``.

Every ready scenario, the usual algorithms over random losses under each profile, and a hundred flows both ways
through two routers. What a run yields does not depend on the training.
"""

from __future__ import annotations

import windlass
from windlass import from_dict, load, ready_scenarios

ALGORITHMS = [
    *["newreno", "cubic", "cubic-linux", "bbr-linux", "bbr3", "westwood-plus", "veno", "vegas", "yeah", "ewr"],
    *["cerl", "cerl-plus", "newjersey-plus"],
]


def main() -> None:
    """One run of each point of each."""
    for scenario in [*(load(name) for name in ready_scenarios()), lossy(), many()]:
        windlass.sweep(scenario, seeds=1, jobs=1, store=False)


def lossy() -> windlass.Scenario:
    """Ten flows over a bottleneck that loses packets."""
    document = load("lossy-dumbbell").with_({"scenario.duration": "20 s"}).document()
    axes = {"scenario.profile": ["ns2", "rfc", "linux"], "flows.algorithm": ALGORITHMS}
    return from_dict({**document, "sweep": axes})


def many() -> windlass.Scenario:
    """A hundred flows, data both ways, two links of 85 Mbit/s that lose packets."""
    link = {"rate": "85 Mbps", "delay": "60 ms", "queue": "50 packets", "loss": {"rate": "1 %", "direction": "both"}}
    flows = {"from": "left/*", "to": "right/*", "direction": "both", "start": "uniform(0 s, 5 s)"}
    return from_dict(
        {
            "scenario": {"name": "many", "duration": "20 s", "profile": "ns2"},
            "topology": {
                "kind": "three-routers",
                "pairs": 100,
                "access": {"rate": "1 Mbps", "delay": "20 ms", "queue": "50 packets"},
                "first": link,
                "second": link,
            },
            "flows": [{**flows, "algorithm": "cerl-plus"}],
        }
    )


if __name__ == "__main__":
    main()
