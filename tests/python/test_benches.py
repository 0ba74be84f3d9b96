"""The comparison of speed with ns-2: cases, floors and scripts belong together."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

BENCHES = Path(__file__).parents[2] / "benches"


@pytest.fixture
def bench() -> ModuleType:
    return script("compare")


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_{name}", BENCHES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


def test_floors_are_of_cases(bench: ModuleType) -> None:
    assert set(bench.FLOORS) <= set(bench.CASES)


def test_scripts_that_the_program_names_are_there() -> None:
    named = set(re.findall(r'"(\w+\.tcl)"', (BENCHES / "src" / "cases.rs").read_text(encoding="utf-8")))
    assert len(named) == 3
    for name in named:
        assert (BENCHES / "ns2" / name).is_file()
    for script in (BENCHES / "ns2").glob("*80211.tcl"):
        for name in re.findall(r"info script\]\] (\w+\.tcl)", script.read_text(encoding="utf-8")):
            assert (BENCHES / "ns2" / name).is_file()


def test_the_first_word_of_a_call_is_the_script(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        calls.append(command)
        printed = (
            "num_nodes is set 9\ngoodput_Mbps 1.9039 sent 7 setup_cpu 0.09 run_cpu 5.57\nlink_hops 1117048\nDONE!\n"
        )
        return SimpleNamespace(stdout=printed)

    monkeypatch.setattr(subprocess, "run", run)
    words = bench.ns2(["chain80211.tcl", "nodes", "9"], count=True)
    assert calls == [["ns", str(BENCHES / "ns2" / "chain80211.tcl"), "nodes", "9", "count", "1"]]
    assert words == {"goodput_Mbps": 1.9039, "sent": 7.0, "setup_cpu": 0.09, "run_cpu": 5.57, "link_hops": 1117048.0}


def test_the_time_of_all_papers_counts_the_runs_of_each_reading(tmp_path: Path) -> None:
    """As they were published: several rows may be of one run, and a reading may have many more runs than at least."""
    papers = script("papers")
    names = ("reading", "setting_key", "groups", "seed")
    rows = [("base", "a", "one", 1), ("base", "a", "two", 1), ("base", "a", "one", 2), ("R", "b", "", 1)]
    file = tmp_path / "values.parquet"
    pq.write_table(pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows]), file)
    assert papers.published_runs(file) == {"base": 2, "R": 1}
    assert papers.published_runs(tmp_path / "none.parquet") is None
