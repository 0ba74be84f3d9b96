"""`windlass run`: what it prints and writes."""

from __future__ import annotations

import itertools
import json
import re
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Command, files_in

import windlass
from windlass import _json
from windlass.names import loss_causes


def test_run_prints_a_table(command: Command, small_file: Path, work: Path) -> None:
    result = command("run", small_file, "--seed", "2")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "small, seed 2, 5 s"
    assert "flow/0" in result.stdout
    assert "flow/1" in result.stdout
    total = float(result.stdout.splitlines()[-1].split()[2])
    assert 0.0 < total < 2.0
    assert files_in(work) == [], "without --out nothing is written"


def test_json_in_pieces_is_that_of_the_whole() -> None:
    words = ["flow/0", "100 %s", 'quo"ted', "Zürich \u2028\n", "", None]
    table = pa.table(
        {
            "word %d": pa.array(words, pa.string()),
            "count": pa.array([0, -1, None, 2**63 - 1, 4, 5], pa.int64()),
            "whole": pa.array(range(6), pa.int64()),
            "rate": [1e-7, 1e22, None, float("nan"), float("-inf"), 0.1],
            "full": [0.0, -0.0, 1.0, 2.5, 1e300, 5e-324],
            "nothing": pa.array([None] * 6, pa.float64()),
        }
    )
    tables = {"a": pa.concat_tables([table] * 500), "none": table.slice(0, 0), "b": table.slice(4)}
    data = {"seed": 1, "cautions": ["é", float("nan")], "nothing": []}
    whole = _json.strict(data | {name: one.to_pylist() for name, one in tables.items()})
    text = "".join(_json.pieces(data, tables))
    assert text == json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False)
    assert "".join(_json.pieces(data, {})) == json.dumps(_json.strict(data), indent=2, ensure_ascii=False)


def test_json_of_many_rows_never_is_in_memory_whole() -> None:
    rows = 20_000
    columns = {f"column_{n}": pa.array([1.0 / 3.0] * rows) for n in range(20)}
    tracemalloc.start()
    written = sum(len(piece) for piece in _json.pieces({"seed": 1}, {"flows": pa.table(columns)}))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # a value takes its line of about 38 characters; a thousand rows at a time are a twentieth of that, and its parts
    assert written > 15e6
    assert most < written / 3


def test_run_as_json(command: Command, small_file: Path) -> None:
    result = command("run", small_file, "--json", "--set", "topology.pairs=1", "--trace", "cwnd,queue", "--events")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert data["scenario"] == "small"
    assert data["seed"] == 1
    assert data["engine"] == windlass.ENGINE_VERSION
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


SHORT = """
[[flows]]
name = "early"
from = "left/0"
to = "right/0"
algorithm = "newreno"
size = "30 kB"
start = "0 s"

[[flows]]
name = "cut"
from = "left/0"
to = "right/0"
algorithm = "newreno"
size = "100 MB"
count = 2
"""


def rows_of(text: str) -> dict[str, dict[str, str]]:
    """Cells of a printed table by flow and column."""
    lines = text.splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith(" flow "))
    names = re.split(r" {2,}", lines[head].strip())
    ends = [lines[head].index(name) + len(name) for name in names]
    found = {}
    for line in itertools.takewhile(str.strip, lines[head + 2 :]):
        cells = [line[(0 if at == 0 else ends[at - 1]) : ends[at]].strip() for at in range(2, len(names))]
        found[line.split()[0]] = dict(zip(names[2:], cells, strict=True))
    return found


def test_run_shows_how_long_transfers_took(command: Command, small_file: Path) -> None:
    small_file.write_text(small_file.read_text() + SHORT)
    result = command("run", small_file, "--set", "scenario.warmup=3 s")
    assert result.exit_code == 0, result.output
    rows = rows_of(result.stdout)
    # it ended long before the warm-up did: a goodput of its own, not 0.000
    took, got = float(rows["early"]["FCT s"]), float(rows["early"]["goodput Mbit/s"])
    assert 0.1 < took < 3.0
    assert got == pytest.approx(0.24 / took, rel=0.02)
    assert rows["early"]["size kB"] == "30.0"
    assert rows["cut/0"]["FCT s"] == rows["cut/1"]["FCT s"] == "unfinished"
    assert rows["flow/0"]["FCT s"] == rows["flow/0"]["size kB"] == ""
    assert "cut: 0 of 2 transfers ended\n" in result.stdout
    assert "early: " not in result.stdout, "one transfer needs no statistics"
    data = json.loads(command("run", small_file, "--set", "scenario.warmup=3 s", "--json").stdout)
    early = next(row for row in data["flows"] if row["flow"] == "early")
    assert early["goodput_run_bps"] is None, "it has no part in what is measured"


def test_run_hides_no_loss(command: Command, small_file: Path) -> None:
    policed = ["--set", 'topology.bottleneck.policer={rate="1 Mbps",burst="10 kB"}']
    early = ["--set", 'topology.bottleneck.queue={discipline="codel",limit="200 packets"}']
    for settings in (policed, early, [*policed, *early], []):
        result = command("run", small_file, *settings)
        data = json.loads(command("run", small_file, *settings, "--json").stdout)
        rows = rows_of(result.stdout)
        for flow in data["flows"]:
            shown = {cause.name: rows[flow["flow"]].get(cause.label, "0") for cause in loss_causes()}
            assert shown == {cause.name: str(flow[cause.column]) for cause in loss_causes()}
    none = command("run", small_file, "--set", "topology.bottleneck.loss=0 %", "--set", "flows.tcp.window=2 segments")
    assert rows_of(none.stdout)["flow/0"]["lost"] == "0"
