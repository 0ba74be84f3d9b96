"""Runs of ns-2 as a process, and the command. What needs ns-2 itself is skipped where it is not installed."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import windlass
from windlass import InputError, Interrupted, WindlassError
from windlass.cli import main
from windlass.validation import ns2, processes
from windlass.validation.built_in import built_in
from windlass.validation.ns2 import compare
from windlass.validation.processes import NsRun, run_scripts
from windlass.validation.tcl import check

needs_ns2 = pytest.mark.skipif(shutil.which("ns") is None, reason="needs ns-2")

TINY = """\
[scenario]
name = "tiny"
duration = "20 s"
profile = "ns2"
seeds = 3

[topology]
kind = "dumbbell"
access = { rate = "10 Mbps", delay = "5 ms" }
bottleneck = { rate = "1 Mbps", delay = "30 ms", queue = "10 packets" }

[[flows]]
from = "left/*"
to = "right/*"
algorithm = "newreno"
"""


def invoke(*args: str) -> Any:
    return CliRunner().invoke(main, ["validate", "ns2", *args])


@pytest.fixture
def no_ns2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def test_missing_binary(no_ns2: None) -> None:
    result = invoke()
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "error[validate.no-ns2]: ns-2 is not installed: no `ns` among the programs",
        "hint: `apt-get install ns2` installs it on Debian; `windlass validate ns2 --stored` needs none",
    ]


def test_stored_needs_no_binary(no_ns2: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from windlass.validation import stored
    from windlass.validation.figures import Status, stored_points

    few = [point for point in stored_points(Status.JUDGED) if point.family == "huq_61_lossy_link"][:2]
    monkeypatch.setattr(stored, "stored_points", lambda *_, **__: few)
    result = invoke("--stored", "--seeds", "2", "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert (data["agreeing"], data["total"]) == (2, 2)
    assert {"family", "agent", "scenario", "value", "agrees", "goodput_mbps"} <= set(data["points"][0])
    table = invoke("--stored", "--seeds", "2")
    assert "2 of 2 points agree" in table.stdout


@pytest.mark.parametrize("more", [["lossy-dumbbell"], ["--set", "flows.algorithm=sack"], ["--jobs", "1"]])
def test_stored_has_scenarios_of_its_own(more: list[str]) -> None:
    result = invoke("--stored", *more)
    assert result.exit_code == 2
    assert "error[cli.usage]" in result.stderr


def test_what_ns2_cannot_express_is_refused_before_anything_runs(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ns2, "find_ns", lambda: "ns")
    (work / "tiny.toml").write_text(TINY, encoding="utf-8")
    result = invoke("tiny.toml", "--set", "flows.algorithm=cerl")
    assert result.exit_code == 2
    assert "error[validate.not-expressible]: `flows.algorithm` = cerl" in result.stderr


def test_built_in_scenarios_can_be_expressed() -> None:
    scenarios = built_in()
    assert len(scenarios) == 7
    for scenario in scenarios:
        for point in scenario.points():
            check(point.effective())


@needs_ns2
def test_real_ns2_without_randomness_in_the_network(work: Path) -> None:
    (work / "tiny.toml").write_text(TINY, encoding="utf-8")
    result = invoke("tiny.toml", "--json", "--out", "there")
    assert result.exit_code == 0, result.output
    (point,) = json.loads(result.stdout)["points"]
    assert point["agrees"]
    assert point["failures"] == []
    assert point["goodput_mbps"]["ns2_runs"] == 3
    assert abs(point["goodput_mbps"]["difference"]) < 0.03
    assert sorted(file.name for file in (work / "there" / "scripts").iterdir()) == [
        f"tiny-1-seed{seed}.tcl" for seed in (1, 2, 3)
    ]
    assert json.loads((work / "there" / "comparison.json").read_text(encoding="utf-8"))["total"] == 1


@needs_ns2
def test_real_ns2_with_random_loss_and_a_sweep() -> None:
    scenario = windlass.from_dict(
        {
            "scenario": {"name": "lossy", "duration": "60 s", "profile": "ns2", "seeds": 4},
            "topology": {
                "kind": "three-routers",
                "pairs": 2,
                "access": {"rate": "10 Mbps", "delay": "2 ms"},
                "first": {"rate": "2 Mbps", "delay": "10 ms", "loss": "2 %"},
                "second": {"rate": "4 Mbps", "delay": "10 ms"},
            },
            "flows": [{"from": "left/*", "to": "right/*", "algorithm": "sack", "start": "uniform(0 s, 1 s)"}],
            "sweep": {"flows.algorithm": ["sack", "vegas"]},
        }
    )
    outcome = compare([scenario], store=False)
    assert [point.axes for point in outcome.points] == [{"flows.algorithm": "sack"}, {"flows.algorithm": "vegas"}]
    assert outcome.agreeing == 2
    assert len(outcome.scripts) == 8


@needs_ns2
def test_real_ns2_with_data_both_ways_beside_other_flows() -> None:
    ends = {"from": "left/0", "to": "right/0"}
    scenario = windlass.from_dict(
        {
            "scenario": {"name": "both", "duration": "60 s", "profile": "ns2", "seeds": 4},
            "topology": {
                "kind": "dumbbell",
                "pairs": 1,
                "access": {"rate": "10 Mbps", "delay": "5 ms"},
                "bottleneck": {"rate": "4 Mbps", "delay": "30 ms", "loss": {"rate": "1 %", "direction": "both"}},
            },
            "flows": [
                ends | {"name": "two", "direction": "both", "algorithm": "sack", "reverse_start": "1 s"},
                ends | {"name": "one", "algorithm": "newreno", "start": "uniform(0 s, 1 s)", "segment": "500 B"},
            ],
        }
    )
    (point,) = compare([scenario], store=False).points
    assert point.failures == []
    assert point.agrees, point.goodput


@needs_ns2
@pytest.mark.parametrize("loss", ["0 %", "5 %"])
def test_real_ns2_with_a_cell_and_a_chain(loss: str) -> None:
    head = {"duration": "25 s", "warmup": "5 s", "profile": "ns2", "seeds": 4}
    radio = {"set": "ns2-b11", "rts_threshold": "off", "queue": "20 packets", "loss": {"rate": loss}}
    window = {"tcp": {"window": "20 segments"}}
    cell = {
        "scenario": head | {"name": "cell"},
        "topology": {
            "kind": "wlan",
            "stations": 2,
            "placing": {"kind": "circle", "radius": "20 m"},
            "backbone": {"rate": "100 Mbps", "delay": "5 ms"},
            "radio": radio,
        },
        "flows": [
            window | {"name": "up", "from": "station/0", "to": "wired/0", "algorithm": "sack"},
            window | {"name": "down", "from": "wired/0", "to": "station/1", "algorithm": "newreno"},
        ],
    }
    chain = {
        "scenario": head | {"name": "chain"},
        "topology": {"kind": "chain", "nodes": 4, "spacing": "200 m", "radio": radio | {"rts_threshold": "always"}},
        "flows": [window | {"from": "n0", "to": "n3", "algorithm": "vegas", "segment": "512 B"}],
    }
    outcome = compare([windlass.from_dict(cell), windlass.from_dict(chain)], store=False)
    for point in outcome.points:
        assert point.failures == []
        assert point.agrees, (point.name, point.goodput)


def test_a_difference_gives_exit_code_1(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    half = NsRun([{"flow": 0, "delivered": 800, "retransmitted": 1, "timeouts": 0}])
    monkeypatch.setattr(ns2, "find_ns", lambda: "ns")
    monkeypatch.setattr(ns2, "run_scripts", lambda texts, **_: [half] * len(texts))
    (work / "tiny.toml").write_text(TINY, encoding="utf-8")
    result = invoke("tiny.toml")
    assert result.exit_code == 1
    assert "0 of 1 points agree" in result.stdout


def stand_in(folder: Path, text: str) -> list[str]:
    """A program in the place of ns-2."""
    (folder / "stand_in.py").write_text(text, encoding="utf-8")
    return [sys.executable, str(folder / "stand_in.py")]


def test_a_run_without_end_is_stopped(tmp_path: Path) -> None:
    command = stand_in(tmp_path, "import time; time.sleep(60)")
    (run,) = run_scripts([""], limit_s=0.2, command=command)
    assert run == NsRun([], "did not end within 0.2 s")


def test_results_are_found_in_the_middle_of_other_output(tmp_path: Path) -> None:
    command = stand_in(tmp_path, "print('resizing', 'windlass-flow 0 10 9 12 2 1 1')")
    seen: list[tuple[int, int]] = []
    runs = run_scripts(["", ""], jobs=2, command=command, progress=lambda done, total: seen.append((done, total)))
    counts = {"delivered": 10, "acknowledged": 9, "sent": 12, "retransmitted": 2, "timeouts": 1, "cuts": 1}
    assert runs == [NsRun([{"flow": 0} | counts])] * 2
    assert seen == [(1, 2), (2, 2)]


def test_a_failed_run_says_why(tmp_path: Path) -> None:
    command = stand_in(tmp_path, "import sys; print('invalid command name'); sys.exit(1)")
    (run,) = run_scripts([""], command=command)
    assert run.failure == "no result, exit code 1: invalid command name"


def test_all_runs_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ns2, "find_ns", lambda: "ns")
    monkeypatch.setattr(ns2, "run_scripts", lambda texts, **_: [NsRun([], "broken")] * len(texts))
    with pytest.raises(WindlassError) as caught:
        compare([windlass.Scenario.from_toml(TINY)], store=False)
    assert caught.value.code == "validate.ns2-failed"


def test_one_seed_gives_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ns2, "find_ns", lambda: "ns")
    with pytest.raises(InputError) as caught:
        compare([windlass.Scenario.from_toml(TINY)], seeds=1)
    assert caught.value.code == "validate.seeds"


def test_ctrl_c_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pids"
    folder.mkdir()
    text = f"import os, time, pathlib; (pathlib.Path({str(folder)!r}) / str(os.getpid())).touch(); time.sleep(60)"
    pids: list[int] = []

    def stop_when_both_run(_: float) -> None:
        pids[:] = [int(file.name) for file in folder.iterdir()]
        if len(pids) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(processes.time, "sleep", stop_when_both_run)
    with pytest.raises(Interrupted) as caught:
        run_scripts(["", ""], jobs=2, command=stand_in(tmp_path, text))
    assert (caught.value.done, caught.value.total, caught.value.stored) == (0, 2, False)
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
