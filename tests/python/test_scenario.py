"""A file, a dict and the builders give the same description; every ready scenario runs."""

from __future__ import annotations

import dataclasses
import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL_TOML, small_document
from hypothesis import given, settings
from hypothesis import strategies as st

import windlass
from windlass import (
    Cellular,
    Chain,
    Dumbbell,
    Flow,
    Graph,
    InputError,
    Link,
    Scenario,
    ThreeRouters,
    Wlan,
    _core,
    _toml,
)
from windlass.scenario import ready_scenarios

READY = sorted(ready_scenarios())


def small_built() -> Scenario:
    return Scenario(
        name="small",
        duration="5 s",
        seeds=3,
        topology=Dumbbell(
            pairs=2,
            access=Link(rate="10 Mbps", delay="5 ms"),
            bottleneck=Link(rate="2 Mbps", delay="20 ms", queue="20 packets", loss="1 %"),
        ),
        flows=Flow(from_="left/*", to="right/*", algorithm="newreno", start="uniform(0 s, 1 s)"),
    )


def test_file_dict_and_builders_have_the_same_keys(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL_TOML)
    scenarios = [windlass.load(file), windlass.from_dict(small_document()), small_built()]
    assert {scenario.name for scenario in scenarios} == {"small"}
    assert all(scenario.seeds == [1, 2, 3] for scenario in scenarios)
    assert {scenario.duration_s for scenario in scenarios} == {5.0}
    assert len({scenario.points()[0].key(1) for scenario in scenarios}) == 1
    assert scenarios[1].document() == scenarios[2].document()


@settings(deadline=None)
@given(st.floats(0.001, 0.999), st.floats(0.0, 1e-3), st.floats(0.0, 99.0))
def test_a_file_and_a_dict_of_equal_numbers_have_equal_keys(gain: float, errors: float, percent: float) -> None:
    document = small_document()
    document["flows"][0]["algorithm"] = {"name": "westwood-plus", "wp_gain": gain}
    document["topology"]["bottleneck"]["loss"] = {"model": "bit", "error_rate": errors}
    document["topology"]["access"]["loss"] = f"{percent!r} %"
    [point] = windlass.from_dict(document).points()
    [from_file] = Scenario.from_toml(_toml.document(document)).points()
    assert from_file.key(1) == point.key(1)
    stored = json.loads(point.effective_json())
    assert stored["flows"][0]["algorithm"]["wp_gain"] == gain
    [from_store] = windlass.from_dict(stored).points()
    assert from_store.effective_json() == point.effective_json()


FULL_FLOW: dict[str, Any] = {
    "from": "left/*",
    "to": "right/*",
    "algorithm": {"name": "westwood-plus", "wp_gain": 0.8},
    "name": "web",
    "count": 2,
    "segment": "1000 B",
    "class": "video",
    "start": "1 s",
    "stop": "9 s",
    "size": "1 MB",
    "direction": "both",
    "reverse_start": "2 s",
    "tcp": {"window": "100 segments"},
}
FULL_UDP: dict[str, Any] = {
    "name": "voice",
    "from": "left/*",
    "to": "right/*",
    "transport": "udp",
    "traffic": {"kind": "cbr", "rate": "64 kbps", "packet": "160 B"},
}
FULL_LINK: dict[str, Any] = {
    "rate": "2 Mbps",
    "delay": "20 ms",
    "queue": {"discipline": "red", "limit": "20 packets", "min": "3 packets", "max": "9 packets"},
    "queue_counting": "ns2",
    "policer": {"rate": "1.8 Mbps", "burst": "15 kB"},
    "loss": {"model": "uniform", "rate": "1 %", "at": "queue", "direction": "both"},
    "drops": {"forward": [3, 8], "count": "data"},
    "warning": {"threshold": "10 packets", "weight": 0.01},
    "changes": [{"at": "3 s", "delay": "30 ms"}],
    "outages": [{"at": "4 s", "for": "1 s", "packets": "lost"}],
    "handovers": [{"at": "7 s", "gap": "50 ms", "queue_at_old": "forwarded"}],
    "reorder": {"every": 50, "rate": "25 %", "correlation": "50 %", "hold": "10 ms"},
    "jitter": {"model": "uniform", "spread": "2 ms", "reorder": True},
    "reverse": {"rate": "1 Mbps"},
}
ACCESS = {"rate": "10 Mbps", "delay": "5 ms"}


def _built(kind: type, table: dict[str, Any]) -> Any:
    return kind(
        **{(f"{name}_" if name in ("from", "class") else name): item for name, item in table.items() if name != "kind"}
    )


def _topologies() -> list[tuple[type, dict[str, Any]]]:
    sides = {"left": {"delay": "1 ms"}, "right": {"rate": "20 Mbps"}}
    far = {"name": "far", "from": "left/0", "to": "right/0"}
    return [
        (Dumbbell, {"kind": "dumbbell", "pairs": 2, "access": ACCESS, **sides, "bottleneck": FULL_LINK}),
        (
            ThreeRouters,
            {"kind": "three-routers", "pairs": 2, "access": ACCESS, **sides, "first": FULL_LINK, "second": ACCESS},
        ),
        (Graph, {"kind": "graph", "nodes": ["left/0", "right/0"], "links": [{**FULL_LINK, **far}]}),
    ]


@pytest.mark.parametrize(("kind", "table"), _topologies(), ids=lambda item: getattr(item, "__name__", ""))
def test_builders_reach_every_key(kind: type, table: dict[str, Any]) -> None:
    nested = {
        name: (_built(Link, item) if isinstance(item, dict) else [_built(Link, row) for row in item])
        if name not in ("kind", "pairs", "nodes")
        else item
        for name, item in table.items()
    }
    whole = {
        "name": "full",
        "duration": "10 s",
        "warmup": "1 s",
        "profile": "ns2",
        "seeds": [4, 2],
        "tcp": {"delayed_ack": 2},
        "traces": ["cwnd", "queue"],
        "trace_step": "0.1 s",
        "events": True,
        "delays": True,
        "sweep": {"flows.algorithm": ["newreno", "sack"]},
    }
    built = Scenario(topology=_built(kind, nested), flows=[_built(Flow, FULL_FLOW), _built(Flow, FULL_UDP)], **whole)
    head = ("name", "duration", "warmup", "profile", "seeds")
    output = ("traces", "trace_step", "events", "delays")
    written = windlass.from_dict(
        {
            "scenario": {name: whole[name] for name in head},
            "topology": table,
            "tcp": whole["tcp"],
            "flows": [FULL_FLOW, FULL_UDP],
            "output": {name: whole[name] for name in output},
            "sweep": whole["sweep"],
        }
    )
    assert built.document() == written.document()
    assert [point.key(4) for point in built.points()] == [point.key(4) for point in written.points()]
    assert built.seeds == [4, 2]
    assert [point.axes for point in built.points()] == [{"flows.algorithm": "newreno"}, {"flows.algorithm": "sack"}]


def test_the_tables_above_and_the_builders_have_every_field_of_the_engine() -> None:
    given = {field.name.rstrip("_") for field in dataclasses.fields(Flow)}
    assert given == {*FULL_FLOW, *FULL_UDP, "header", "arrivals", "multipath"}
    assert {field.name.rstrip("_") for field in dataclasses.fields(Link)} == {*FULL_LINK, "trace", "name", "from", "to"}
    builders = {"dumbbell": Dumbbell, "three-routers": ThreeRouters, "graph": Graph}
    builders |= {"wlan": Wlan, "chain": Chain, "cellular": Cellular}
    for topology in json.loads(_core.topologies()):
        fields = {field.name for field in dataclasses.fields(builders[topology["name"]])}
        assert {field["name"] for field in topology["fields"]} - {"kind"} == fields, topology["name"]
        links = {field.name.rstrip("_") for field in dataclasses.fields(Link)}
        assert {field["name"] for field in topology["link_fields"]} <= links


def test_builder_parameters_are_documented() -> None:
    for kind in (Link, Dumbbell, ThreeRouters, Wlan, Chain, Cellular, Graph, Flow):
        for field in dataclasses.fields(kind):
            assert field.name in (inspect.getdoc(kind) or ""), f"{kind.__name__}.{field.name}"


GROUPS = """
[scenario]
duration = "5 s"

[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "10 Mbps", delay = "2 ms" }
bottleneck = { rate = "8 Mbps", delay = "10 ms", queue = "20 packets" }

[[flows]]
name = "far"
from = "left/*"
to = "right/*"
algorithm = "newreno"
start = "every(500 ms)"

[[flows]]
name = "near"
from = "left/0"
to = "right/1"
algorithm = "cubic"
start = "uniform(0 s, 1 s)"

[[flows]]
name = "web"
from = "left/1"
to = "right/1"
algorithm = "newreno"
size = "20 kB"
arrivals = "poisson(1 per s)"
"""


def test_with_makes_another_scenario_and_leaves_the_first(small: Scenario) -> None:
    longer = small.with_({"scenario.duration": "6 s", "topology.pairs": 3})
    assert (small.duration_s, longer.duration_s) == (5.0, 6.0)
    assert longer.points()[0].effective()["topology"]["pairs"] == 3
    assert small.points()[0].key(1) != longer.points()[0].key(1)
    back = longer.with_({"scenario.duration": "5 s", "topology.pairs": 2})
    assert back.points()[0].key(1) == small.points()[0].key(1)


def test_with_takes_tables_and_lists(small: Scenario) -> None:
    changed = small.with_(
        {
            "topology.bottleneck.loss": {"model": "uniform", "rate": "2 %", "at": "queue"},
            "output.traces": ["cwnd"],
            "scenario.seeds": [5, 6],
            "sweep.flows.algorithm": ["newreno", "reno"],
        }
    )
    assert changed.seeds == [5, 6]
    assert [point.axes for point in changed.points()] == [{"flows.algorithm": "newreno"}, {"flows.algorithm": "reno"}]


def test_setting_a_swept_key_ends_its_sweep(swept: Scenario) -> None:
    assert len(swept.points()) == 6
    assert len(swept.with_({"flows.algorithm": "cerl"}).points()) == 3


def test_a_point_says_who_talks_to_whom() -> None:
    path = windlass.Scenario.from_toml(GROUPS)
    (point,) = path.points()
    shown = [(one.group, one.flow, one.sender, one.receiver, one.start) for one in point.flows()]
    assert shown == [
        ("far", "far/0", "left/0", "right/0", "0 s"),
        ("far", "far/1", "left/1", "right/1", "500 ms"),
        ("near", "near", "left/0", "right/1", "uniform(0 s, 1 s)"),
    ]
    rows = [row for row in point.run(1).flows.to_pylist() if row["group"] != "web"]
    assert [(one.flow, one.sender, one.receiver) for one in point.flows()] == [
        (row["flow"], row["from"], row["to"]) for row in rows
    ]


def test_a_changed_copy_of_a_point_has_its_values_and_the_new_ones() -> None:
    path = windlass.Scenario.from_toml(GROUPS).with_(
        {"sweep.topology.bottleneck.rate": ["4 Mbps", "8 Mbps"], "flows.near.tcp.window": "20 segments"}
    )
    second = path.points()[1]
    assert second.composed()["topology"]["bottleneck"]["rate"] == "8 Mbps"
    assert "sweep" not in second.composed()
    assert path.composed()["sweep"] == {"topology.bottleneck.rate": ["4 Mbps", "8 Mbps"]}
    changed = second.with_({"flows.far.algorithm": "cubic", "scenario.duration": "3 s"})
    same = path.with_(
        {"topology.bottleneck.rate": "8 Mbps", "flows.far.algorithm": "cubic", "scenario.duration": "3 s"}
    )
    assert [changed.effective_json()] == [point.effective_json() for point in same.points()]
    assert changed.axes == {}
    assert second.effective()["scenario"]["duration"] == "5 s"


def test_a_changed_copy_says_which_setting_is_wrong() -> None:
    path = windlass.Scenario.from_toml(GROUPS).with_({"flows.near.tcp.window": "20 segments"})
    (point,) = path.points()
    with pytest.raises(windlass.InputError, match=r"--set flows\.near\.algorithm: no algorithm `nwreno`"):
        point.with_({"scenario.duration": "3 s", "flows.near.algorithm": "nwreno"})
    with pytest.raises(windlass.InputError, match="a point has no sweep"):
        point.with_({"sweep.scenario.duration": ["3 s"]})


def test_points_are_the_product_with_the_last_axis_fastest(swept: Scenario) -> None:
    assert [tuple(point.axes.values()) for point in swept.points()] == [
        (algorithm, rate) for algorithm in ("newreno", "westwood-plus") for rate in ("0 %", "0.5 %", "5 %")
    ]


def test_the_effective_description_reads_back_to_the_same_run(small: Scenario) -> None:
    point = small.points()[0]
    again = windlass.from_dict(point.effective())
    assert again.points()[0].key(7) == point.key(7)


def test_the_key_knows_seed_and_output_but_not_the_name(small: Scenario) -> None:
    key = small.points()[0].key(1)
    assert small.points()[0].key(2) != key
    assert small.with_({"output.events": True}).points()[0].key(1) != key
    assert small.with_({"scenario.name": "other"}).points()[0].key(1) == key


def test_one_run(small: Scenario) -> None:
    result = small.run()
    assert result.seed == 1
    assert result.flows.num_rows == 2
    assert result.flows["flow"].to_pylist() == ["flow/0", "flow/1"]
    assert 0.0 < sum(result.flows["goodput_bps"].to_pylist()) < 2e6
    assert result.traces.num_rows == 0
    assert small.run(2).flows["goodput_bps"].to_pylist() != result.flows["goodput_bps"].to_pylist()
    assert small.run(1).flows.equals(result.flows)


def test_a_single_run_of_a_sweep_is_refused(swept: Scenario) -> None:
    with pytest.raises(InputError, match="6 points") as caught:
        swept.run()
    assert caught.value.code == "run.many-points"
    assert "--set flows.algorithm=" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("settings", "code", "hint"),
    [
        ({"flows.algorithm": "westwod"}, "scenario.unknown-algorithm", "westwood"),
        ({"topology.bottleneck.rate": 8}, "scenario.unit-missing", "Mbps"),
        ({"topology.bottleneck.rat": "8 Mbps"}, "scenario.unknown-key", "rate"),
        ({"topology.bottleneck.loss": "101 %"}, "scenario.out-of-range", None),
    ],
)
def test_what_is_wrong_says_what_to_write(
    small: Scenario, settings: dict[str, Any], code: str, hint: str | None
) -> None:
    with pytest.raises(InputError) as caught:
        small.with_(settings)
    assert caught.value.code == code
    if hint is not None:
        assert hint in (caught.value.hint or "")


def test_an_error_in_a_file_names_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(SMALL_TOML.replace('"newreno"', '"newrino"'))
    with pytest.raises(InputError) as caught:
        windlass.load(file)
    assert caught.value.file == str(file)
    assert caught.value.line == 15
    first, hint = str(caught.value).splitlines()
    assert first == f"error[scenario.unknown-algorithm]: {file}, line 15: no algorithm `newrino`"
    assert hint.startswith("hint: did you mean `newreno`?")


@pytest.mark.parametrize("item", [object(), float("nan"), {1, 2}])
def test_what_a_file_could_not_hold_is_refused(item: Any) -> None:
    document = small_document()
    document["flows"][0]["start"] = item
    with pytest.raises(InputError) as caught:
        windlass.from_dict(document)
    assert caught.value.code == "scenario.not-data"


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\x7fELF\xff\xfe\x00")
    cases = {"absent.toml": "file.missing", ".": "file.directory", "binary.toml": "file.not-text"}
    for name, code in cases.items():
        with pytest.raises(InputError) as caught:
            windlass.load(tmp_path / name)
        assert caught.value.code == code


def test_a_near_miss_of_a_ready_scenario_is_named() -> None:
    with pytest.raises(InputError, match="lossy-dumbbell"):
        windlass.load("losy-dumbel")


def test_a_file_comes_before_a_ready_scenario_of_its_name(work: Path) -> None:
    (work / "satellite").write_text(SMALL_TOML)
    assert windlass.load("satellite").name == "small"


def test_ready_scenarios_are_the_files_at_the_root_of_the_repository() -> None:
    folder = Path(__file__).parents[2] / "scenarios"
    assert sorted(path.stem for path in folder.glob("*.toml")) == READY
    assert len(READY) >= 4


@pytest.mark.parametrize("name", READY)
def test_every_ready_scenario_runs_shortened(name: str) -> None:
    text = ready_scenarios()[name]
    assert text.startswith("# "), "the first line says what it is about"
    scenario = windlass.load(name)
    assert scenario.name == name
    short = scenario.with_({"scenario.duration": "20 s", "scenario.warmup": "0 s", "scenario.seeds": 1})
    result = windlass.sweep(short, store=False)
    assert len(result) == len(scenario.points())
    # a short transfer that arrives at the very end has no time to deliver anything; downloads of a café hardly ever
    early = [row for row in result.flows.to_pylist() if row["start_s"] < 15.0 and row["group"] != "download"]
    assert all(row["delivered_bytes"] > 0 for row in early)
    assert all(0.0 <= value <= 1.0 for value in result.links["utilisation"].to_pylist())


def test_repr_tells_points_and_seeds(swept: Scenario) -> None:
    assert repr(swept) == "<Scenario 'small': 6 points, 3 seeds>"


def test_files_are_found_beside_the_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
[scenario]
duration = "5 s"
[topology]
kind = "graph"
links = [{ from = "a", to = "b", rate = "1 Mbps", delay = "10 ms", loss = { model = "replay", lost = "lost.txt" } }]
[[flows]]
from = "a"
to = "b"
algorithm = "reno"
"""
    (tmp_path / "lost.txt").write_text("3 8 # two of them\n")
    (tmp_path / "fig.toml").write_text(text)
    read = windlass.load(tmp_path / "fig.toml")
    assert read.points()[0].effective()["topology"]["links"][0]["loss"]["lost"] == [3, 8]
    assert read.with_({"scenario.duration": "4 s"}).points()[0].effective()["scenario"]["duration"] == "4 s"
    with pytest.raises(windlass.InputError, match=r"lost\.txt"):
        windlass.Scenario.from_toml(text)
    key = windlass.Scenario.from_toml(text, folder=tmp_path).points()[0].key(1)
    monkeypatch.chdir(tmp_path)
    assert windlass.Scenario.from_dict(read.document()).points()[0].key(1) == key


def test_a_trace_comes_in_place_of_a_rate_and_can_be_written() -> None:
    link = Link(from_="a", to="b", trace=[2, 4, 10], delay="10 ms")
    flow = Flow(from_="a", to="b", algorithm="reno")
    built = Scenario(duration="5 s", topology=Graph(links=[link]), flows=flow)
    point = built.points()[0]
    assert point.effective()["topology"]["links"][0]["trace"] == [2, 4, 10]
    assert point.opportunities("a-b")[:4] == [2, 4, 10, 12]
    assert len(point.opportunities("a-b", reverse=True)) == 1500
    with pytest.raises(InputError, match="no link `a`"):
        point.opportunities("a")
