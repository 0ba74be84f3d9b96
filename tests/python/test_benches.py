"""The comparison of speed with ns-2: cases, floors and scripts belong together."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

BENCHES = Path(__file__).parents[2] / "benches"


@pytest.fixture
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_compare", BENCHES / "compare.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
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
