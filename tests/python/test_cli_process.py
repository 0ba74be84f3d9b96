"""The command as a process of its own: exit codes, streams, Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import SMALL_TOML

from windlass import Store

Start = Callable[..., subprocess.Popen[str]]
WINDLASS = [sys.executable, "-m", "windlass"]


TELLS = """
import pathlib, sys, windlass
from windlass.cli import main

begun, kind, name = pathlib.Path(sys.argv.pop(1)), getattr(windlass, sys.argv.pop(1)), sys.argv.pop(1)
whole = getattr(kind, name)


def told(*args, **more):
    begun.touch()
    return whole(*args, **more)


setattr(kind, name, told)
main()
"""
"""The command, which makes a file when it first calls a method: how far it is does not show outside."""


def windlass(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*WINDLASS, *map(str, args)], capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts the command, which hears Ctrl-C whatever the tests were started with; none outlives its test."""
    started: list[subprocess.Popen[str]] = []

    def start(*args: str | Path, told: tuple[Path, str, str] | None = None) -> subprocess.Popen[str]:
        command = WINDLASS if told is None else [sys.executable, "-c", TELLS, *map(str, told)]
        process = subprocess.Popen(
            [*command, *map(str, args)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # of a shell's background jobs SIGINT is ignored, and that is inherited
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 there are no threads here
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def wait_for(begun: Path, process: subprocess.Popen[str]) -> None:
    while not begun.exists():
        assert process.poll() is None, "it ended before it could be stopped"
        time.sleep(0.01)


def stopped(process: subprocess.Popen[str]) -> float:
    """Ctrl-C, until the process has ended: seconds of the processor that it took. Others do not lengthen them."""
    clocks = Path(f"/proc/{process.pid}/stat")

    def used() -> float:
        state = clocks.read_text().rpartition(")")[2].split()
        return (int(state[11]) + int(state[12])) / os.sysconf("SC_CLK_TCK")

    assert process.poll() is None, "it ended before it could be stopped"
    before = used() if clocks.exists() else 0.0
    process.send_signal(signal.SIGINT)
    if not clocks.exists():
        began = time.monotonic()
        process.wait(30)
        return time.monotonic() - began
    patience = time.monotonic() + 60.0
    # it stays in /proc until it is asked for without WNOWAIT
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        assert time.monotonic() < patience, "Ctrl-C does not stop it"
        time.sleep(0.01)
    return used() - before


def test_a_run(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL_TOML)
    done = windlass("run", tmp_path / "small.toml", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(json.loads(done.stdout)["flows"]) == 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (SMALL_TOML.replace("newreno", "westwod"), "scenario.unknown-algorithm"),
        (SMALL_TOML.replace('"2 Mbps"', "2"), "scenario.unit-missing"),
        (SMALL_TOML.replace('"2 Mbps"', '"-2 Mbps"'), "scenario.out-of-range"),
        (SMALL_TOML.replace('"1 %"', '"101 %"'), "scenario.out-of-range"),
        (SMALL_TOML.replace('"20 packets"', '"0 packets"'), "scenario.out-of-range"),
        (SMALL_TOML.replace('"right/*"', '"rigth/*"'), "scenario.unknown-node"),
        (SMALL_TOML.replace('"5 s"', '"0 s"'), "scenario.out-of-range"),
        (SMALL_TOML.replace("pairs = 2", "pairs = 10000000"), "scenario.too-many-flows"),
        (SMALL_TOML + "rate = [\n", "scenario.syntax"),
    ],
)
def test_wrong_input_ends_with_two_lines_and_code_two(tmp_path: Path, work: Path, text: str, code: str) -> None:
    (tmp_path / "wrong.toml").write_text(text)
    done = windlass("sweep", tmp_path / "wrong.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error[{code}")
    first, second = done.stderr.splitlines()
    assert ": " + str(tmp_path / "wrong.toml") + ", line " in first
    assert second.startswith("hint: ")
    assert list(work.iterdir()) == []


def test_a_reader_that_goes_away_is_no_error() -> None:
    done = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m windlass list errors --json | head -n 1"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "[\n"
    assert done.stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_ctrl_c_keeps_finished_runs_and_the_same_command_goes_on(tmp_path: Path, work: Path, start: Start) -> None:
    long = SMALL_TOML.replace('"5 s"', '"400 s"').replace("seeds = 3", "seeds = 60")
    (tmp_path / "long.toml").write_text(long)
    store = Store(tmp_path / "store")
    args = ["sweep", str(tmp_path / "long.toml"), "--jobs", "1", "--json"]
    process = start(*args)
    while len(list(store.keys())) < 2:
        assert process.poll() is None, "the sweep ended before it could be stopped"
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    kept = len(list(store.keys()))
    assert process.returncode == 130
    assert stdout == ""
    assert stderr == f"stopped: {kept} of 60 runs are kept; the same command goes on from there\n"
    assert 2 <= kept < 60
    assert list(work.iterdir()) == []
    assert len(list(store.root.iterdir())) == 1

    done = windlass(*args)
    assert done.returncode == 0
    resumed = json.loads(done.stdout)
    assert (resumed["runs"], resumed["from_store"]) == (60, kept)
    fresh = json.loads(windlass(*args, "--no-store", "--out", "fresh").stdout)
    assert fresh["summary"] == resumed["summary"]
    for name in ("flows.parquet", "links.parquet", "summary.csv"):
        assert (work / "fresh" / name).read_bytes() == (work / "windlass-out" / "small" / name).read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_two_sweeps_at_once_and_one_that_is_killed_share_a_store(tmp_path: Path, work: Path, start: Start) -> None:
    (tmp_path / "long.toml").write_text(SMALL_TOML.replace('"5 s"', '"200 s"').replace("seeds = 3", "seeds = 40"))
    args = ["sweep", str(tmp_path / "long.toml"), "--jobs", "1", "--json", "--out"]
    store = Store(tmp_path / "store")
    for name in ("a", "b"):
        process = start(*args, name)
        before = len(list(store.keys()))
        while len(list(store.keys())) < before + 3:
            assert process.poll() is None, "the sweep ended before it could be killed"
            time.sleep(0.005)
        process.kill()
        process.communicate()
        assert not (work / name).exists()
    kept = len(list(store.keys()))
    both = [start(*args, name) for name in ("c", "d")]
    told = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert [stderr for _, stderr in told] == ["", ""]
    found = [json.loads(stdout) for stdout, _ in told]
    assert found[0]["summary"] == found[1]["summary"]
    assert min(one["from_store"] for one in found) >= kept
    assert len(list(Store(store.root).keys())) == 40
    assert len(list(store.root.iterdir())) <= 2
    for name in ("flows.parquet", "summary.csv"):
        assert (work / "c" / name).read_bytes() == (work / "d" / name).read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("command", [["run"], ["export", "-o", "endless.pcapng"]], ids=["run", "export"])
def test_ctrl_c_stops_a_single_run_soon(command: list[str], tmp_path: Path, work: Path, start: Start) -> None:
    endless = SMALL_TOML.replace('"5 s"', '"3600 s"').replace('"2 Mbps"', '"1 Gbps"').replace('"10 Mbps"', '"1 Gbps"')
    (tmp_path / "endless.toml").write_text(endless.replace(', loss = "1 %"', ""))
    place = ("Point", "run" if command == ["run"] else "key")  # what a run is called, just before it
    process = start(*command, tmp_path / "endless.toml", told=(tmp_path / "begun", *place))
    assert process.stderr is not None
    if command == ["run"]:
        said = process.stderr.readline()
        assert re.fullmatch(r"the run takes up to .* by estimate\n", said)
    wait_for(tmp_path / "begun", process)
    time.sleep(0.5)  # into the engine
    used = stopped(process)
    assert process.communicate(timeout=30) == ("", "stopped before the end of the run\n")
    assert process.returncode == 130
    assert used < 1.0
    assert list(work.glob("*endless*")) == []


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("windlass.sweep", "stopped"),
        ("windlass.cli.sweep", "stopped"),
        # the threads of a sweep import it, so the sweep has begun
        ("pyarrow", "stopped: 0 of 3 runs are kept; the same command goes on from there"),
    ],
)
def test_ctrl_c_while_modules_are_imported_leaves_no_traceback(
    module: str, said: str, tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.toml").write_text(SMALL_TOML)
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\nclass Finder:\n    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n            sys.meta_path.remove(self)\n"
        "            os.kill(os.getpid(), signal.SIGINT)\nsys.meta_path.insert(0, Finder())\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    stdout, stderr = start("sweep", tmp_path / "small.toml").communicate(timeout=30)
    assert (stdout, stderr.strip()) == ("", said)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize(("kind", "method", "points"), [("Scenario", "_read", 60), ("Point", "capacity", 12)])
def test_ctrl_c_stops_reading_and_building(tmp_path: Path, start: Start, kind: str, method: str, points: int) -> None:
    large = SMALL_TOML.replace("pairs = 2", "pairs = 50000")
    sweep = ", ".join(f'"{n / 10} %"' for n in range(points))
    (tmp_path / "large.toml").write_text(f'{large}\n[sweep]\n"topology.bottleneck.loss.rate" = [{sweep}]\n')
    process = start("explain", tmp_path / "large.toml", told=(tmp_path / "begun", kind, method))
    wait_for(tmp_path / "begun", process)
    used = stopped(process)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout, stderr.strip()) == (130, "", "stopped")
    assert used < 2.0  # (all of it takes five and more)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_ctrl_c_stops_an_algorithm_in_python_that_never_returns(tmp_path: Path, start: Start) -> None:
    (tmp_path / "small.toml").write_text(SMALL_TOML.replace("newreno", "loop"))
    begun = tmp_path / "begun"
    (tmp_path / "loop.py").write_text(
        "import pathlib, windlass\nclass Loop(windlass.CongestionControl):\n    def on_ack(self, ack, path):\n"
        f"        pathlib.Path({str(begun)!r}).touch()\n        while True:\n            pass\n"
    )
    args = ["sweep", str(tmp_path / "small.toml"), "--python", str(tmp_path / "loop.py"), "--jobs", "2", "--no-store"]
    process = start(*args)
    wait_for(begun, process)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (130, "")
    assert stderr == "stopped: 0 of 3 runs were finished; without a store none is kept\n"
