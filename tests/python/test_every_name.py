"""Whatever the engine has a name for goes once through everything that shows it: run, table, figures, comparison,
report.

The names are the engine's own lists. A new entry without an example here fails, and one that a table, a figure or a
report does not know fails there.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pyarrow as pa
import pytest
from conftest import Command

import windlass
from windlass import RunResult, _core, _toml, export, ledger, names, palette, plots, stats
from windlass.cli import main
from windlass.compare import compare
from windlass.control import CongestionControl, Response
from windlass.report.setting import calls_table
from windlass.reproduce.calls import calls_by_cause
from windlass.reproduce.metrics import metrics
from windlass.scenario import Flow

ROOT = Path(__file__).resolve().parents[2]


def listed(what: str) -> list[str]:
    """Names of one of the engine's lists."""
    return [row["name"] for row in json.loads(getattr(_core, what)())]


# ---- an example of each name

BOTTLENECK = {"rate": "2 Mbps", "delay": "10 ms", "queue": "10 packets"}
BULK = {"name": "bulk", "from": "left/0", "to": "right/0", "algorithm": "newreno"}
PAIR = {"from": "left/1", "to": "right/1"}
BEND = [
    {"name": "upper", "from": "a", "to": "b", **BOTTLENECK},
    {"name": "lower", "from": "a", "to": "b", **BOTTLENECK, "delay": "30 ms"},
]

QUEUES: dict[str, dict[str, Any]] = {
    "drop-tail": {},
    "threshold": {"mark_above": "5 packets"},
    "red": {},
    "codel": {},
    "pie": {},
    "fq-codel": {},
    "dualpi2": {},
}
LOSSES: dict[str, dict[str, Any]] = {
    "uniform": {"rate": "2 %"},
    "gilbert-elliott": {"rate": "2 %", "burst": "2 packets"},
    "bit": {"error_rate": 2e-6},
    "byte": {"error_rate": 1e-5},
    "two-state": {"good": "500 ms", "bad": "10 ms"},
    "burst": {"rate": "1 %", "hold": "5 ms"},
    "replay": {"lost": [20, 40], "length": 60, "repeat": True},
}
JITTERS: dict[str, dict[str, Any]] = {
    "normal": {"deviation": "2 ms"},
    "uniform": {"spread": "3 ms"},
    "exponential": {"mean": "2 ms"},
    "pareto": {"mean": "2 ms"},
}
TRAFFIC: dict[str, dict[str, Any]] = {
    "cbr": {},
    "on-off": {"on": "200 ms", "off": "100 ms"},
    "poisson": {},
}
TRANSPORTS: dict[str, dict[str, Any]] = {
    "tcp": {"algorithm": "cubic", "size": "60 kB"},
    "udp": {"transport": "udp", "traffic": {"kind": "cbr", "rate": "500 kbps", "packet": "500 B"}},
    "tfrc": {"algorithm": "tfrc"},
    "multipath": {"algorithm": "mveno", "multipath": 2},
    "subflow": {"algorithm": "newreno", "multipath": 2},
}
CAUSES: dict[str, dict[str, Any]] = {
    "random": {"loss": "3 %"},
    "queue": {"queue": "5 packets"},
    "list": {"drops": {"forward": [30, 90]}, "queue": "1000 packets"},
    "early": {"queue": {"discipline": "codel", "limit": "1000 packets"}},
    "policer": {"policer": {"rate": "1.5 Mbps", "burst": "10 kB"}, "queue": "1000 packets"},
}
ON_AIR: dict[str, dict[str, Any]] = {
    "mac_retry": {"loss": "10 %", "short_retry_limit": 2},
    "radio": {"loss": {"rate": "1 %", "at": "above"}},
}
"""Causes of loss that only radio media have, by the keys of a radio."""
TO_AND_FRO = [[f"{500 * n} ms", f"{n % 2 * 100} m", "0 m"] for n in range(9)]
MOVING: dict[str, dict[str, Any]] = {
    "handover": {"stations": ["0 m", "100 m"], "handover": {"break": "50 ms", "warn": "0 s"}},
    "coverage": {"stations": ["0 m"], "radius": "95 m"},
}
"""Causes of loss that only mobiles have, by the keys of their cells."""

TOPOLOGIES: dict[str, dict[str, Any]] = {
    "dumbbell": {"pairs": 2, "bottleneck": BOTTLENECK},
    "three-routers": {"pairs": 2, "first": BOTTLENECK, "second": {"rate": "3 Mbps", "delay": "5 ms"}},
    "graph": {"links": BEND},
    "wlan": {"stations": 2, "backbone": BOTTLENECK, "radio": {"set": "dot11b", "loss": "2 %"}},
    "chain": {"nodes": 3, "spacing": "60 m"},
    "cellular": {"stations": ["0 m"], "mobile": {"fixed": "90 m"}, "backbone": BOTTLENECK},
}

EXAMPLES: dict[str, Mapping[str, dict[str, Any]]] = {
    "queues": QUEUES,
    "loss_models": LOSSES,
    "jitter_models": JITTERS,
    "traffic_kinds": TRAFFIC,
    "transports": TRANSPORTS,
    "loss_causes": CAUSES | ON_AIR | MOVING,
    "topologies": TOPOLOGIES,
}


@pytest.mark.parametrize("what", EXAMPLES)
def test_every_name_of_the_engine_has_an_example(what: str) -> None:
    assert sorted(EXAMPLES[what]) == sorted(listed(what))


def on_link(**keys: Any) -> dict[str, Any]:
    """A NewReno transfer over a bottleneck with these keys, beside a second one."""
    access = {"rate": "20 Mbps", "delay": "1 ms"}
    return {
        "scenario": {"name": "named", "duration": "4 s", "warmup": "1 s", "seeds": 2},
        "topology": {"kind": "dumbbell", "pairs": 2, "access": access, "bottleneck": BOTTLENECK | keys},
        "flows": [BULK, BULK | PAIR | {"name": "other"}],
    }


def with_flow(**keys: Any) -> dict[str, Any]:
    """A NewReno transfer beside a flow with these keys."""
    document = on_link()
    document["flows"] = [BULK, {"name": "tried", **PAIR, **keys}]
    return document


def of_transport(name: str) -> dict[str, Any]:
    document = with_flow(**TRANSPORTS[name])
    if "multipath" in TRANSPORTS[name]:
        document["topology"] = {"kind": "graph", "links": BEND}
        document["flows"] = [flow | {"from": "a", "to": "b"} for flow in document["flows"]]
    return document


def of_topology(name: str) -> dict[str, Any]:
    document = on_link()
    rows = ("dumbbell", "three-routers")
    access = {"access": document["topology"]["access"]} if name in rows else {}
    document["topology"] = {"kind": name, **access, **TOPOLOGIES[name]}
    ends = {
        "graph": ["a", "b"] * 2,
        "wlan": ["station/0", "wired/0", "station/1", "ap/0"],
        "chain": ["n0", "n2"] * 2,
        "cellular": ["server", "mobile/0"] * 2,
    }
    if name in ends:
        pairs = zip(ends[name][::2], ends[name][1::2], strict=True)
        flows = zip(document["flows"], pairs, strict=True)
        document["flows"] = [flow | {"from": source, "to": target} for flow, (source, target) in flows]
    return document


def of_cause(name: str) -> dict[str, Any]:
    if name in MOVING:
        document = of_topology("cellular")
        fast = {"rate": "20 Mbps", "delay": "5 ms"}
        document["topology"] |= {"preset": "rana", "backbone": fast, "router": fast} | MOVING[name]
        document["topology"]["mobile"] = {"waypoints": TO_AND_FRO}
        return document
    if name not in ON_AIR:
        return on_link(**CAUSES[name])
    document = of_topology("wlan")
    document["topology"]["radio"] = {"set": "dot11b"} | ON_AIR[name]
    return document


DOCUMENTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "queues": lambda name: on_link(queue={"discipline": name, "limit": "20 packets", **QUEUES[name]}),
    "loss_models": lambda name: on_link(loss={"model": name, **LOSSES[name]}),
    "jitter_models": lambda name: on_link(jitter={"model": name, "reorder": True, **JITTERS[name]}),
    "traffic_kinds": lambda name: with_flow(
        transport="udp", traffic={"kind": name, "rate": "400 kbps", "packet": "500 B", **TRAFFIC[name]}
    ),
    "transports": of_transport,
    "loss_causes": of_cause,
    "topologies": of_topology,
}

NAMED = [(what, name) for what in EXAMPLES for name in listed(what)]


# ---- through everything


@pytest.mark.parametrize(("what", "name"), NAMED)
def test_every_name_goes_through_everything(what: str, name: str, command: Command, work: Path) -> None:
    """`explain`, `run`, `sweep`, `plot` of a window, of rates and of a sweep, `compare` with its figure, `serve`."""
    document = DOCUMENTS[what](name)
    (work / "named.toml").write_text("\n".join(f"{key} = {_toml.value(part)}" for key, part in document.items()))

    def done(*words: str) -> str:
        result = command(*words)
        assert result.exit_code == 0, f"{words}: {result.output}{result.exception!r}"
        return result.stdout

    explained = windlass.Scenario.from_toml(done("explain", "named.toml"))
    assert explained.points()[0].key(1) == windlass.from_dict(document).points()[0].key(1)
    table = done("run", "named.toml", "--events", "--trace", ",".join([*(one.name for one in names.series()), "tape"]))
    result = windlass.from_dict(document).with_({"output.events": True}).run(1)
    check_losses(table, result)
    swept = done("sweep", "named.toml", "--set", 'sweep.scenario.profile=["rfc", "ns2"]', "--out", "out")
    assert swept.count(" newreno ") >= 2
    done("plot", "named.toml", "-o", "cwnd.svg")
    done("plot", "named.toml", "--kind", "rate", "-o", "rate.svg")
    if result.stations.num_rows:
        done("plot", "named.toml", "--kind", "airtime", "-o", "airtime.svg")
        assert f">{result.stations['station'][0]}<" in (work / "airtime.svg").read_text()
    if windlass.from_dict(document).points()[0].map():
        done("plot", "named.toml", "--kind", "positions", "-o", "map.svg")
        assert ">north (m)<" in (work / "map.svg").read_text()
    done("plot", "out", "-o", "sweep.svg")
    done("plot", "out", "--y", "loss_queue", "-o", "sweep.svg")
    compared = done("compare", "newreno", "veno", "--path", "named.toml", "--seeds", "2", "-o", "compare.svg")
    assert "newreno" in compared
    done("compare", "newreno", "veno", "--path", "named.toml", "--seeds", "2", "-o", "compare.html")
    assert "Run it again" in (work / "compare.html").read_text(encoding="utf-8")
    done("serve", "named.toml", "--sender", "newreno", "--sender", "veno", "--together", "--export", "page.html")
    page = (work / "page.html").read_text(encoding="utf-8")
    assert ">named<" in page
    assert '"title": "Veno"' in page
    assert "\\u003c/svg>" in page
    for figure in ("cwnd", "rate", "sweep", "compare"):
        assert "</svg>" in (work / f"{figure}.svg").read_text(), figure
    check_causes(name if what == "loss_causes" else None, result, (work / "cwnd.svg").read_text())


@pytest.mark.parametrize(("what", "name"), NAMED)
def test_every_name_can_be_captured(what: str, name: str, work: Path) -> None:
    """Packets at every point, whatever the network: the run stays the same, and each loss is told with its cause."""
    scenario = windlass.from_dict(DOCUMENTS[what](name))
    result = scenario.with_({"output.events": True}).run(1)
    ends = [f"{end}:{link}" for link in dict.fromkeys(result.links["link"].to_pylist()) for end in ("before", "after")]
    source = export.Source.of(scenario, 1)
    done = export.write_pcapng(source, work / "all.pcapng", at=["sender", "receiver", *ends])
    plain = scenario.run(1)
    assert all(done.tables[table].equals(plain.tables[table]) for table in plain.tables)
    assert done.lost == result.losses.num_rows
    data = (work / "all.pcapng").read_bytes()
    causes = set(result.losses["cause"].to_pylist())
    assert {cause.name for cause in names.loss_causes() if f": {cause.name} (".encode() in data} == causes
    if what == "loss_causes":
        assert name in causes
    if what == "transports":
        export.write_qlog(source, work / "logs")
        export.write_ns3(source, work / "text")


def check_losses(table: str, result: RunResult) -> None:
    """The table of a run has a column for each cause that occurs, so that no loss is hidden."""
    total = {cause.name: sum(result.flows[cause.column].to_pylist()) for cause in names.loss_causes()}
    for cause in names.loss_causes():
        assert (cause.label in table) == (total[cause.name] > 0), cause.name
    # the log of losses is counted apart from the columns: both hide nothing
    logged = [
        cause
        for cause, ack in zip(result.losses["cause"].to_pylist(), result.losses["is_ack"].to_pylist(), strict=True)
        if not ack
    ]
    part = {transport.name for transport in names.transports() if transport.part}
    rows = [row for row in result.flows.to_pylist() if row["transport"] not in part]
    assert {cause.name: sum(row[cause.column] for row in rows) for cause in names.loss_causes()} == {
        cause.name: logged.count(cause.name) for cause in names.loss_causes()
    }


def check_causes(wanted: str | None, result: RunResult, svg: str) -> None:
    """The figure of the first flow's window names every cause that its window changes had, and no other."""
    drawn = {event.name for event in names.window_events() if event.label is not None}
    rows = [row for row in result.events.to_pylist() if row["flow"] == "bulk" and row["kind"] in drawn]
    met = {row["true_cause"] for row in rows}
    for cause in names.loss_causes():
        assert (f"cause: {cause.label}" in svg) == (cause.name in met), cause.name
    assert wanted is None or wanted in met, "the example has losses of this cause"


@pytest.mark.parametrize("name", listed("transports"))
def test_the_example_of_a_transport_has_it(name: str) -> None:
    flows = windlass.from_dict(of_transport(name)).run(1).flows
    assert name in flows["transport"].to_pylist()


# ---- reports


def report_of(cause: str) -> dict[str, Any]:
    """The senders' calls in a report of an experiment with such losses: what a CERL sender took them for."""
    document = of_cause(cause)
    # a window with which not each loss of this cause falls into the recovery of one in a full queue
    rules = {"tcp": {"window": "100 segments"}} if cause in MOVING else {}
    document["flows"] = [document["flows"][0] | {"algorithm": "cerl"} | rules]
    document["output"] = {"events": True}
    result = windlass.from_dict(document).run(1)
    job = SimpleNamespace(reading="base", case=SimpleNamespace(variant="cerl"))
    plan = SimpleNamespace(
        experiment=SimpleNamespace(id="x/y", axes=()),
        known={row["name"]: row for row in json.loads(_core.algorithms())},
        algorithm_of=lambda variant, reading: variant,
        rows=lambda results, kind: [(job, (), result) for result in results],
    )
    judged = calls_by_cause(plan, [result])  # type: ignore[arg-type]
    book, experiment = ledger.experiment("saedi2019/fig3.5")
    return calls_table(SimpleNamespace(judged=judged, ledger=book, experiment=experiment))  # type: ignore[arg-type]


@pytest.mark.parametrize("cause", names.loss_causes(), ids=lambda cause: cause.name)
def test_a_report_counts_calls_under_the_true_cause(cause: names.LossCause) -> None:
    table = report_of(cause.name)
    assert cause.label in table["heads"]
    place = table["heads"].index(cause.label)
    (row,) = table["rows"]
    assert sum(call["cells"][place] for call in row["calls"]) > 0
    # nothing but losses of this cause and of a full queue, and what was taken for lost in vain
    congestion = row["calls"][list(table["calls"]).index("congestion")]
    right = [head == cause.label and cause.congestion or head == "lost in full queues" for head in table["heads"]]
    whole = sum(congestion["cells"])
    assert whole > 0
    share = 100 * sum(count for count, good in zip(congestion["cells"], right, strict=True) if good) / whole
    assert congestion["right"] == f"{share:.0f} %"


@pytest.mark.parametrize("cause", names.loss_causes(), ids=lambda cause: cause.name)
def test_drops_of_an_experiment_count_every_cause(cause: names.LossCause) -> None:
    flows = windlass.from_dict(of_cause(cause.name)).run(1).flows
    found = metrics(flows, None)
    assert found["drops"] > 0.0
    assert (found["queue-drops"] > 0.0) == any(
        sum(flows[one.column].to_pylist()) > 0 for one in names.loss_causes() if one.congestion
    )


# ---- figures


def test_every_name_that_is_drawn_has_a_look() -> None:
    assert set(palette.CAUSE_LOOKS) == set(listed("loss_causes"))
    looks = [*palette.CAUSE_LOOKS.values(), palette.NOT_LOST_LOOK]
    assert len(set(looks)) == len(looks)
    # without colour, what is congestion is told from what is not
    for cause in names.loss_causes():
        assert (palette.CAUSE_LOOKS[cause.name].fill != "none") == cause.congestion, cause.name
    drawn = [event.name for event in names.window_events() if event.label is not None]
    assert sorted(palette.EVENT_MARKERS) == sorted(drawn)
    assert len(set(palette.EVENT_MARKERS.values())) == len(drawn)
    drawn = [*listed("algorithms"), *listed("traffic_kinds")]
    assert len({palette.look(name) for name in drawn}) == len(drawn)


@pytest.mark.parametrize("event", [one for one in names.window_events() if one.label], ids=lambda event: event.name)
def test_every_kind_of_window_change_is_drawn_with_every_cause(event: names.WindowEvent) -> None:
    causes = [*(cause.name for cause in names.loss_causes()), names.not_lost()] if event.of_segment else [""]
    times = [float(at) for at in range(1, 1 + len(causes))]
    count = len(causes)
    events = {
        "time_s": times,
        "flow": ["flow"] * count,
        "direction": ["forward"] * count,
        "kind": [event.name] * count,
        "true_cause": causes,
    }
    traces = {"time_s": [0.0], "subject": ["flow"], "variable": ["cwnd_segments"], "value": [5.0]}
    flows = {"flow": ["flow"], "direction": ["forward"], "algorithm": ["newreno"]}
    tables = {"events": pa.table(events), "traces": pa.table(traces), "flows": pa.table(flows)}
    figure = plots.cwnd_over_time(RunResult("k", 1, {}, tables), "flow")
    marks = [line for line in figure.axes[0].get_lines() if list(line.get_xdata())[:1] in ([at] for at in times)]
    assert len(marks) == count
    looks = {(m.get_color(), m.get_fillstyle(), str(m.get_markerfacecolor())) for m in marks}
    assert len(looks) == count, "no two causes look the same"


def test_every_number_of_a_summary_can_be_drawn(command: Command, work: Path) -> None:
    document = with_flow(**TRANSPORTS["tcp"]) | {"sweep": {"scenario.profile": ["rfc", "ns2"]}}
    # Jain's index is of flows that compete
    document["flows"].append(BULK | {"name": "rival"})
    (work / "named.toml").write_text("\n".join(f"{key} = {_toml.value(part)}" for key, part in document.items()))
    command("sweep", "named.toml", "--out", "out")
    for _, _, number in stats.SUMMARY:
        drawn = command("plot", "out", "--y", number, "-o", "one.svg")
        assert drawn.exit_code == 0, f"{number}: {drawn.output}{drawn.exception!r}"


# ---- words that stand in Python, too


def test_python_has_the_words_of_the_engine() -> None:
    words = json.loads(_core.words())
    assert [answer.value for answer in Response] == words["responses"]
    told = set(re.findall(r'"([a-z-]+)"', _docstring_of("Congestion", "cause")))
    assert told == set(words["congestion_causes"])
    # columns of the list of rules
    assert set(words["profiles"]) <= set(json.loads(_core.rules())[0])
    text = inspect.getdoc(CongestionControl) or ""
    cores = set(re.findall(r'``"([\w-]+)"``', text[text.index("recovery :") : text.index("judges_losses :")]))
    assert cores == set(words["recovery"])


def test_help_and_docstrings_have_every_series() -> None:
    every = [one.name for one in names.series()]
    helped = {option.name: option.help for option in main.commands["run"].params if isinstance(option, click.Option)}
    assert helped["trace"].startswith(f"Series to record: {', '.join(every)}; separated by commas. Also tape: ")
    text = " ".join((inspect.getdoc(windlass.Scenario) or "").split())
    assert ", ".join(f'``"{name}"``' for name in every) in text


def _docstring_of(name: str, attribute: str) -> str:
    """The text under an attribute of a class in the stub of the extension module."""
    stub = (ROOT / "python" / "windlass" / "_core.pyi").read_text(encoding="utf-8")
    part = stub[stub.index(f"class {name}:") :]
    part = part[part.index(f"def {attribute}(") :]
    return part[part.index('"""') + 3 :].partition('"""')[0]


def test_a_flow_of_the_builders_takes_every_key_of_the_engine() -> None:
    given = set(inspect.signature(Flow).parameters)
    for name in TRANSPORTS:
        for group in windlass.from_dict(of_transport(name)).points()[0].effective()["flows"]:
            assert {{"from": "from_", "class": "class_"}.get(key, key) for key in group} <= given, name


def test_the_guide_has_every_word_of_the_tables() -> None:
    text = (ROOT / "docs" / "guide" / "sweeps-and-results.md").read_text(encoding="utf-8")
    columns = windlass.from_dict(on_link()).run(1)
    wanted = [
        *(word for cause in names.loss_causes() for word in (cause.name, cause.column, cause.ack_column)),
        *(event.name for event in names.window_events()),
        *(one.variable for one in names.series()),
        *(one.name for one in names.transports()),
        *columns.flows.column_names,
        *columns.links.column_names,
    ]
    assert [word for word in wanted if f"`{word}`" not in text] == []
    series = (ROOT / "docs" / "guide" / "scenario-files.md").read_text(encoding="utf-8")
    assert [one.name for one in names.series() if f'`"{one.name}"`' not in series] == []


def test_a_comparison_of_rate_controlled_flows_is_drawn(tmp_path: Path) -> None:
    document = with_flow(**TRANSPORTS["tfrc"])
    result = compare(
        windlass.from_dict(document), ["tfrc", "tfrc-sp"], group="tried", seeds=2, store=str(tmp_path / "store")
    )
    assert "</svg>" in plots.save(plots.goodput_against_delay(result), tmp_path / "a.svg")[0].read_text()


@pytest.mark.parametrize("name", listed("queues"))
def test_every_queue_can_be_compared(name: str, tmp_path: Path) -> None:
    wanted = ",".join([f"{name}:20 packets", *(f"{key}={value}" for key, value in QUEUES[name].items())])
    result = compare(
        windlass.from_dict(on_link()), ["newreno"], queues=["1 bdp", wanted], seeds=2, store=str(tmp_path / "store")
    )
    assert [one.queue for one in result.outcomes] == ["1 bdp", wanted]
    assert "</svg>" in plots.save(plots.goodput_against_delay(result), tmp_path / "a.svg")[0].read_text()


def test_the_guide_has_every_answer_of_an_algorithm() -> None:
    text = (ROOT / "docs" / "guide" / "python-algorithms.md").read_text(encoding="utf-8")
    assert [answer.name for answer in Response if f"| `{answer.name}` |" not in text] == []


def test_the_guide_has_every_kind_of_figure() -> None:
    text = (ROOT / "docs" / "guide" / "figures.md").read_text(encoding="utf-8")
    assert [kind for kind in plots.choice.KINDS if kind != "sweep" and f"--kind {kind}" not in text] == []
    options = {option.opts[-1]: option for option in main.commands["plot"].params if isinstance(option, click.Option)}
    assert list(options["--kind"].type.choices) == list(plots.choice.KINDS)
