"""Every parameter of every algorithm changes what some path gives: a parameter that changes nothing is a fault.

The words of a choice are compared with each other, so that none is another one by a different name. Paths are short;
each is there for what its name says, and they are tried in turn until one tells two values apart.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest

import windlass
from windlass import _core

ROWS: dict[str, dict[str, Any]] = {row["name"]: row for row in json.loads(_core.algorithms()) if row["parameters"]}

NEEDS: dict[str, dict[str, Any]] = {
    "abe_beta": {"abe": True},
    "vegas_diff": {"vegas_impl": "linux"},
    "etfcc_gain": {"etfcc_floor": True},
    "ewr_min_rtt": {"ewr_base": "fixed"},
    "eer_cap": {"eer": "add"},
    "fast_beta": {"fast_alpha": 20.0},
    "cerl-plus2.cerl_lmax": {"cerlp_A": "t_over_avg"},
    "cerl-plus2.cerlp_avg": {"cerlp_A": "t_over_avg"},
    "cerl-plus2.cerlp_window": {"cerlp_A": "t_over_avg"},
}
"""What else must be so that a parameter has a meaning, by its name or by that of an algorithm and its own."""

EXPLAINED = {"cerl-plus": {"cerl_lmax", "cerlp_avg", "cerlp_window"}}
"""Parameters that change nothing, as the algorithm's row says: the threshold as printed is above the longest queue."""


def dumbbell(rate: str, delay: str, queue: Any, **keys: Any) -> dict[str, Any]:
    access = {"rate": "1 Gbps", "delay": "1 ms", "queue": "10000 packets"}
    bottleneck = {"rate": rate, "delay": delay, "queue": queue}
    return {"kind": "dumbbell", "pairs": 2, "access": access, "bottleneck": bottleneck | keys}


def path(topology: dict[str, Any], seconds: int, profile: str = "rfc", **keys: Any) -> dict[str, Any]:
    ends = {"name": "f", "from": "left/0", "to": "right/0"}
    return {
        "scenario": {"duration": f"{seconds} s", "profile": profile},
        "topology": topology,
        "flows": [ends | keys.pop("ends", {}), *keys.pop("beside", [])],
        **keys,
    }


def bursts(rate: str, on: str, off: str) -> list[dict[str, Any]]:
    traffic = {"kind": "on-off", "rate": rate, "packet": "1000 B", "on": on, "off": off}
    return [{"name": "x", "from": "left/1", "to": "right/1", "transport": "udp", "traffic": traffic}]


def marking(limit: int, above: int) -> dict[str, str]:
    return {"discipline": "threshold", "limit": f"{limit} packets", "mark_above": f"{above} packets"}


def train(loss: str, seconds: int, wired: str, **keys: Any) -> dict[str, Any]:
    """A mobile that passes base stations 400 m or 2 km apart."""
    far = {"lossy": 400, "clean": 2000}[keys.pop("kind")]
    topology = {
        "kind": "cellular",
        "preset": "lte-like",
        "stations": [f"{far * place} m" for place in range(7 if far == 400 else 3)],
        "radius": "1200 m",
        "mobile": {"from": "0 m", "to": "2400 m" if far == 400 else "4 km", "speed": f"{keys.pop('speed')} m/s"},
        "backbone": {"rate": "100 Mbps", "delay": wired, "loss": {"rate": loss}},
        "handover": {"break": keys.pop("gap"), "warn": "50 ms"},
    }
    ends = {"from": "server", "to": "mobile/0"}
    return path(topology, seconds, ends=ends, tcp={"window": "2000 segments"}, **keys)


def fast(seconds: int) -> dict[str, Any]:
    """Links so fast that nothing ever waits, and packets of all sizes take as long."""
    topology = dumbbell("10 Tbps", "20 ms", "100 packets", loss={"rate": "1 %"}) | {"send_jitter": "0 s"}
    topology["access"] = {"rate": "10 Tbps", "delay": "1 ms"}
    tcp = {"window": "4 segments", "pacing": "window", "initial_window": "1 segments"}
    return path(topology, seconds, tcp=tcp)


def two_ways(seconds: int) -> dict[str, Any]:
    """A connection over two paths. While one is cut the other has to wait for its data, and is idle."""
    one = {"name": "one", "from": "a", "to": "b", "rate": "10 Mbps", "delay": "20 ms", "queue": "300 packets"}
    cuts = [{"at": "6 s", "for": "3 s"}, {"at": "14 s", "for": "3 s"}]
    two = {"name": "two", "from": "a", "to": "b", "rate": "2 Mbps", "delay": "30 ms", "outages": cuts}
    ways = {"paths": [["one"], ["two"]], "buffer": "400 segments"}
    return path({"kind": "graph", "links": [one, two]}, seconds, ends={"from": "a", "to": "b", "multipath": ways})


CUT = [{"at": "5 s", "for": "400 s", "packets": "lost"}]

PATHS: dict[str, dict[str, Any]] = {
    "deep queue": path(dumbbell("10 Mbps", "30 ms", "400 packets"), 8),
    "random loss": path(dumbbell("10 Mbps", "20 ms", "50 packets", loss={"rate": "1 %"}), 10),
    "shallow queue": path(dumbbell("8 Mbps", "40 ms", "12 packets"), 12, beside=bursts("6 Mbps", "700 ms", "900 ms")),
    "as in ns-2": path(
        dumbbell("4 Mbps", "30 ms", "25 packets", loss={"rate": "0.5 %"}),
        20,
        "ns2",
        beside=bursts("2 Mbps", "700 ms", "900 ms"),
        tcp={"window": "100 segments"},
    ),
    "marks": path(dumbbell("10 Mbps", "10 ms", marking(100, 15)), 6, tcp={"ecn": True}),
    "bursts of loss": path(dumbbell("6 Mbps", "40 ms", "60 packets", loss={"rate": "3 %", "burst": "80 ms"}), 20),
    "large product": path(dumbbell("100 Mbps", "50 ms", "300 packets"), 8),
    "slow": path(dumbbell("500 kbps", "20 ms", "60 packets"), 100, beside=bursts("200 kbps", "3 s", "9 s")),
    "handovers": train("0 %", 20, "20 ms", kind="clean", speed=200, gap="600 ms"),
    "handovers after timeouts": train("10 %", 40, "50 ms", kind="lossy", speed=60, gap="200 ms", profile="ns2"),
    "marks and loss": path(dumbbell("5 Mbps", "20 ms", marking(60, 8), loss={"rate": "1 %"}), 20),
    "no queue": fast(20),
    "L4S": path(dumbbell("20 Mbps", "1 ms", {"discipline": "dualpi2", "limit": "200 packets"}), 10),
    "satellite": path(dumbbell("8 Mbps", "280 ms", "300 packets", loss={"rate": "0.1 %"}), 40),
    "cut": path(dumbbell("1 Mbps", "20 ms", "30 packets", loss={"rate": "1 %"}, outages=CUT), 600),
    "timeouts": path(dumbbell("4 Mbps", "20 ms", "30 packets", loss={"rate": "12 %"}), 30, "ns2"),
    "slow marks": path(dumbbell("500 kbps", "20 ms", marking(60, 4)), 30),
    "two ways": two_ways(25),
}


def written(row: dict[str, Any], name: str, value: Any) -> Any:
    """A value as a scenario has it."""
    unit = next(parameter["unit"] for parameter in row["parameters"] if parameter["name"] == name)
    has_unit = isinstance(value, float) and unit in ("s", "ms", "segments", "packets", "B")
    return f"{value:.9g} {unit}" if has_unit else value


@functools.cache
def outcome(where: str, algorithm: str, parameters: str) -> str:
    """What the flows of a run are told by, as text; nothing where a path is not for the algorithm."""
    row = ROWS[algorithm]
    description = json.loads(json.dumps(PATHS[where]))
    if row["transport"] == "tfrc":
        if "multipath" in description["flows"][0]:
            return ""
        description.pop("tcp", None)
    own = {name: written(row, name, value) for name, value in json.loads(parameters).items()}
    description["flows"][0]["algorithm"] = {"name": algorithm, **own}
    return json.dumps(windlass.from_dict(description).points()[0].run(1).flows.to_pylist())


def differ(algorithm: str, one: dict[str, Any], other: dict[str, Any]) -> bool:
    first, second = (json.dumps(values, sort_keys=True) for values in (one, other))
    return any(outcome(where, algorithm, first) != outcome(where, algorithm, second) for where in PATHS)


def numbers(parameter: dict[str, Any]) -> Iterator[float]:
    """Some values of a number beside its default: near, far, and its ends."""
    default, least, most = (parameter[key] for key in ("default", "min", "max"))
    some = [least, most, default / 2, default * 2, default * 0.9, default * 1.1, default + 1, (least + default) / 2]
    yield from dict.fromkeys(float(value) for value in some if least <= value <= most and value != default)


def without_effect(algorithm: str, parameter: dict[str, Any]) -> list[str]:
    """What of a parameter changes nothing on any path."""
    name = parameter["name"]
    needs = NEEDS.get(f"{algorithm}.{name}") or NEEDS.get(name, {})
    if parameter["kind"] == "choice":
        pairs = itertools.combinations(parameter["choices"], 2)
        return [f"{a} and {b}" for a, b in pairs if not differ(algorithm, needs | {name: a}, needs | {name: b})]
    values = [not parameter["default"]] if parameter["kind"] == "flag" else list(numbers(parameter))
    return [] if any(differ(algorithm, needs, needs | {name: value}) for value in values) else [f"any of {values}"]


@pytest.mark.parametrize("algorithm", ROWS)
def test_every_parameter_changes_what_some_path_gives(algorithm: str) -> None:
    found = {
        parameter["name"]: same
        for parameter in ROWS[algorithm]["parameters"]
        if (same := without_effect(algorithm, parameter))
    }
    explained = EXPLAINED.get(algorithm, set())
    assert set(found) == explained, found
    assert all(f"`{name}`" in ROWS[algorithm]["choices"] for name in explained)
