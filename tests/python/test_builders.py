"""What a scenario file can say, the builders of Python can: each key of the engine is one of their fields."""

from __future__ import annotations

import dataclasses
import inspect
import json
from typing import Any

import pytest

import windlass
from windlass import _core
from windlass.scenario import Cellular, Chain, Dumbbell, Flow, Graph, Link, ThreeRouters, Wlan

TOPOLOGIES = {
    "dumbbell": Dumbbell,
    "three-routers": ThreeRouters,
    "graph": Graph,
    "wlan": Wlan,
    "chain": Chain,
    "cellular": Cellular,
}

TABLES = {"topology": "topology", "flows": "flows", "tcp": "tcp", "sweep": "sweep"}
"""Tables of a file, and the arguments of :class:`windlass.Scenario` that are these tables."""


def fields(builder: type[Any]) -> set[str]:
    """Keys of the file that a builder has: ``from_`` is ``from`` there."""
    return {field.name.rstrip("_") for field in dataclasses.fields(builder)}


def keys(path: str) -> set[str]:
    """The engine's keys right below a dotted path."""
    names = [row["key"] for row in json.loads(_core.keys())]
    return {name.removeprefix(f"{path}.") for name in names if name.rpartition(".")[0] == path}


def test_every_topology_has_a_builder() -> None:
    assert {row["name"] for row in json.loads(_core.topologies())} == set(TOPOLOGIES)


@pytest.mark.parametrize("kind", TOPOLOGIES)
def test_a_builder_has_the_keys_of_its_topology(kind: str) -> None:
    """All of them, and no others."""
    (row,) = [row for row in json.loads(_core.topologies()) if row["name"] == kind]
    assert {field["name"] for field in row["fields"]} - {"kind"} == fields(TOPOLOGIES[kind])


def test_together_the_builders_of_topologies_have_every_key() -> None:
    assert set.union(*map(fields, TOPOLOGIES.values())) == keys("topology") - {"kind"}


def test_links_and_flows_have_every_key() -> None:
    assert keys("link") <= fields(Link)
    assert fields(Flow) == keys("flows")


def test_a_scenario_has_every_key() -> None:
    given = set(inspect.signature(windlass.Scenario.__init__).parameters) - {"self"}
    assert keys("scenario") <= given
    output = {"traces", "trace_step", "events", "delays"}
    assert given == keys("scenario") | set(TABLES.values()) | output
    with pytest.raises(windlass.InputError, match="`output` has no key `more`"):
        windlass.load("single-flow-cwnd").with_({"output.more": 1})
    for key in output:
        windlass.load("single-flow-cwnd").with_({f"output.{key}": {"traces": [], "trace_step": "1 s"}.get(key, True)})


def test_what_the_builders_make_is_what_a_file_says() -> None:
    """A connection over two paths, as a file has it and built."""
    links = [{"name": name, "from": "a", "to": "b", "rate": "2 Mbps", "delay": "9 ms"} for name in ("up", "down")]
    written = {
        "scenario": {"duration": "2 s"},
        "topology": {"kind": "graph", "links": links},
        "flows": [{"from": "a", "to": "b", "algorithm": "mveno", "multipath": {"paths": 2}}],
    }
    built = windlass.Scenario(
        duration="2 s",
        topology=Graph(
            links=[Link(name=name, from_="a", to="b", rate="2 Mbps", delay="9 ms") for name in ("up", "down")]
        ),
        flows=Flow(from_="a", to="b", algorithm="mveno", multipath={"paths": 2}),
    )
    assert built.points()[0].key(1) == windlass.from_dict(written).points()[0].key(1)
    assert "multipath" in built.run(1).flows["transport"].to_pylist()
