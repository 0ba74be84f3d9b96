"""`windlass run`: what it prints and writes."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
from conftest import Command, files_in

from windlass import _core


def test_run_prints_a_table(command: Command, small_file: Path, work: Path) -> None:
    result = command("run", small_file, "--seed", "2")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "small, seed 2, 5 s"
    assert "flow/0" in result.stdout
    assert "flow/1" in result.stdout
    total = float(result.stdout.splitlines()[-1].split()[2])
    assert 0.0 < total < 2.0
    assert files_in(work) == [], "without --out nothing is written"


def test_run_as_json(command: Command, small_file: Path) -> None:
    result = command("run", small_file, "--json", "--set", "topology.pairs=1", "--trace", "cwnd,queue", "--events")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert data["scenario"] == "small"
    assert data["seed"] == 1
    assert data["engine"] == _core.ENGINE_VERSION
    assert [flow["flow"] for flow in data["flows"]] == ["flow"]
    assert data["flows"][0]["completion_s"] is None, "what does not exist is null"
    assert {row["variable"] for row in data["traces"]} == {"cwnd_segments", "queue_packets"}
    assert {row["kind"] for row in data["events"]} & {"dup-acks", "timeout"}


def test_run_writes_tables(command: Command, small_file: Path, work: Path) -> None:
    result = command("run", small_file, "--out", "here", "--trace", "cwnd")
    assert result.exit_code == 0
    assert files_in(work / "here") == ["flows.parquet", "links.parquet", "manifest.json", "traces.parquet"]
    assert pq.read_table(work / "here" / "flows.parquet").num_rows == 2


def test_run_takes_a_ready_scenario(command: Command) -> None:
    result = command("run", "single-flow-cwnd", "--set", "scenario.duration=5 s")
    assert result.exit_code == 0
    assert result.stdout.startswith("single-flow-cwnd, seed 1, 5 s\n")


def test_run_of_a_sweep_asks_for_a_point(command: Command, sweep_file: Path) -> None:
    result = command("run", sweep_file)
    assert result.exit_code == 2
    assert result.stderr.startswith("error[run.many-points]: ")
    chosen = command(
        "run", sweep_file, "--set", "flows.algorithm=cerl", "--set", "topology.bottleneck.loss.rate=1 %", "--json"
    )
    assert json.loads(chosen.stdout)["flows"][0]["algorithm"] == "cerl"
