"""Runs on a Dask cluster: the same keys and bytes as here, also when a worker is killed; errors; Ctrl-C."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, small_document

import windlass
from windlass import Cluster, InputError, Interrupted, Store, _core
from windlass.sweep import execute

distributed = pytest.importorskip("distributed")

SEEDS = (1, 2, 3, 4)

CLUSTER = """\
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=sys.argv[1] == "processes",
        protocol="tcp://",
        host="127.0.0.1",
        dashboard_address=":0",
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def no_files_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of users that other tests have loaded do not go with the runs of these."""
    monkeypatch.setattr("windlass.control._FILES", {})


def start(folder: Path, workers: str) -> tuple[subprocess.Popen[str], str]:
    """A cluster of two workers, as processes or threads, and its address. It ends when its standard input does."""
    (folder / "cluster.py").write_text(CLUSTER)
    given: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, "cluster.py", workers], cwd=folder, text=True, **given)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    process, address = start(tmp_path_factory.mktemp("cluster"), "processes")
    yield address
    process.communicate(timeout=60)


def document(duration: str, *loss: str) -> windlass.Scenario:
    found = small_document()
    found["scenario"] |= {"duration": duration, "seeds": 4}
    found["output"] = {"traces": ["cwnd"], "events": True}
    found["sweep"] = {"topology.bottleneck.loss.rate": list(loss)}
    return windlass.from_dict(found)


def tables_of(folder: Path) -> dict[str, bytes]:
    """Files of results by name, without those that say when they were made and how long it took."""
    files = [file for file in folder.iterdir() if file.is_file() and file.name not in ("manifest.json", "report.html")]
    return {file.name: file.read_bytes() for file in files}


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_killed_worker_changes_nothing(address: str, tmp_path: Path) -> None:
    scenario = document("120 s", "0 %", "0.5 %", "1 %", "2 %", "4 %")
    here = windlass.sweep(scenario, store=tmp_path / "here")
    seen: list[tuple[int, int]] = []
    at_work: list[int] = []
    with Cluster(address) as cluster, distributed.Client(address, set_as_default=False) as watcher:
        processes = watcher.run(os.getpid)

        def kill(done: int, total: int) -> None:
            seen.append((done, total))
            if done == 1:
                worker, process = next(iter(processes.items()))
                at_work.append(len(watcher.processing()[worker]))
                os.kill(process, signal.SIGKILL)

        there = windlass.sweep(scenario, store=tmp_path / "there", jobs=cluster, progress=kill)
        again = windlass.sweep(scenario, store=tmp_path / "there", jobs=cluster)
    assert at_work[0] > 0, "it was killed while it had runs to make"
    assert seen == [(done, 20) for done in range(1, 21)]
    assert [run.stored for run in (*here, *there)] == [False] * 40
    assert all(run.stored for run in again)
    assert [run.key for run in there] == [run.key for run in here]
    for result, name in ((here, "a"), (there, "b"), (again, "c")):
        result.write(tmp_path / name)
    assert tables_of(tmp_path / "a") == tables_of(tmp_path / "b") == tables_of(tmp_path / "c")
    assert {"traces.parquet", "events.parquet"} <= tables_of(tmp_path / "a").keys()
    about = [Store(tmp_path / place).about(here.runs[-1].key) for place in ("here", "there")]
    assert about[0] == about[1] is not None


def test_a_worker_refuses_what_needs_more_than_it_may(address: str) -> None:
    """A single run is not looked at here, and nobody here knows how fast a worker is: the worker refuses it."""
    (point,) = document("5 s", "5 %").points()
    needs = point.estimate()
    with Cluster(address) as cluster:
        for limits, code in (
            ({"max_memory": 0.9 * needs["memory_bytes"]}, "run.too-large"),
            ({"max_time": 0.9 * needs["seconds"]}, "run.too-long"),
        ):
            with windlass.limits(**limits), pytest.raises(InputError) as refused:
                execute([(point, 1)], jobs=cluster)
            assert refused.value.code == code
            assert refused.value.hint is not None and "or allow it" in refused.value.hint
        with windlass.limits(max_memory=1.1 * needs["memory_bytes"], max_time=1.1 * needs["seconds"]):
            (made,) = execute([(point, 1)], jobs=cluster)
    assert made.flows.equals(point.run(1).flows)


@pytest.mark.parametrize("how", ["ctrl-c", "token"])
def test_what_was_made_before_a_stop_is_kept(address: str, tmp_path: Path, how: str) -> None:
    scenario = document("100000 s", "5 %").with_({"output.traces": [], "output.events": False})
    short = document("5 s", "5 %")
    token = _core.Cancel()
    tasks = [(point, seed) for one in (short, scenario) for point in one.points() for seed in SEEDS]

    def stop(done: int, total: int) -> None:
        if done == 4:
            if how == "ctrl-c":
                raise KeyboardInterrupt
            token.set()

    store = Store(tmp_path / "runs")
    with Cluster(address) as cluster:
        with pytest.raises(Interrupted) as stopped:
            execute(tasks, jobs=cluster, store=store, progress=stop, cancel=token)
        assert (stopped.value.done, stopped.value.total, stopped.value.stored) == (4, 8, True)
        assert len(list(store.keys())) == 4
        # the workers are free again at once, though those runs would have taken them minutes
        assert len(windlass.sweep(short, jobs=cluster, store=False)) == 4


@pytest.mark.parametrize("name", ["sweep", "compare"])
def test_the_commands(address: str, command: Command, small_file: Path, name: str) -> None:
    words = {
        "sweep": ["sweep", str(small_file), "--json"],
        "compare": ["compare", "newreno", "cerl", "--path", str(small_file), "--no-neighbour", "--json"],
    }[name]
    here = command(*words, "--store", "here")
    there = command(*words, "--store", "there", "--dask", address)
    assert (there.exit_code, there.stdout) == (0, here.stdout)
    assert set(Store("there").keys()) == set(Store("here").keys()) != set()
    both = command(*words, "--dask", address, "--jobs", "2")
    assert (both.exit_code, both.stderr.partition(":")[0]) == (2, "error[cli.usage]")


def test_an_experiment_of_a_paper_comes_out_the_same(address: str, command: Command) -> None:
    words = ["reproduce", "saedi2019/fig3.1", "--quick", "--json"]
    here = command(*words, "--store", "here", "--out", "a")
    there = command(*words, "--store", "there", "--out", "b", "--dask", address)
    assert (there.exit_code, there.stdout) == (0, here.stdout.replace('"a/report.html"', '"b/report.html"'))
    assert tables_of(Path("a")) == tables_of(Path("b"))
    assert len(json.loads(there.stdout)["claims"]) > 0
    assert set(Store("there").keys()) == set(Store("here").keys()) != set()


def test_algorithms_of_the_users_own_travel(address: str, command: Command, small_file: Path, tmp_path: Path) -> None:
    own = tmp_path / "mine.py"
    own.write_text("import windlass\n\nclass MineOnDask(windlass.CongestionControl):\n    pass\n")
    words = ("sweep", small_file, "--python", own, "--set", "flows.algorithm=mine-on-dask", "--json")
    here = command(*words, "--no-store")
    there = command(*words, "--no-store", "--dask", address)
    assert (here.exit_code, there.exit_code) == (0, 0), there.output
    assert there.stdout == here.stdout


def test_errors_of_a_run_are_those_of_a_run_here(address: str, tmp_path: Path) -> None:
    own = tmp_path / "bad.py"
    own.write_text(
        "import windlass\n\nclass BadOnDask(windlass.CongestionControl):\n"
        "    def on_ack(self, ack, path):\n        raise ValueError('oh')\n"
    )
    from windlass.control import load_file

    load_file(own)
    scenario = windlass.from_dict(small_document()).with_({"flows.algorithm": "bad-on-dask"})
    with pytest.raises(InputError) as here:
        windlass.sweep(scenario, store=False)
    with Cluster(address) as cluster, pytest.raises(InputError) as there:
        windlass.sweep(scenario, store=False, jobs=cluster)
    assert (there.value.code, there.value.render()) == ("algorithm.failed", here.value.render())


def test_an_address_that_nobody_answers(command: Command, small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windlass.cluster.ANSWER_S", 0.3)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    for wrong in (nobody, "nonsense://x", "127.0.0.1:notaport"):
        done = command("sweep", small_file, "--dask", wrong)
        assert done.exit_code == 2, wrong
        assert done.stderr.startswith(f"error[cluster.no-answer]: no scheduler answers at `{wrong}`")
        assert re.search(r"\nhint: .*\n$", done.stderr)


def test_without_dask(command: Command, small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = command("sweep", small_file, "--dask", "tcp://127.0.0.1:8786")
    assert done.exit_code == 2
    assert done.stderr == (
        "error[cluster.no-dask]: Dask is not installed\n"
        f"hint: `{sys.executable} -m pip install 'distributed>=2024.8'` installs it\n"
    )


def test_what_could_not_connect_is_gone_before_the_next_one_starts(address: str) -> None:
    """Collected while that one starts, it would wait for the lock that is held then, for ever."""
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(InputError):
            Cluster("127.0.0.1:notaport")
        with Cluster(address) as cluster:
            clients = [one for one in gc.get_objects() if isinstance(one, distributed.Client)]
            assert [one for one in clients if one.status != "closed"] == [cluster._client]
    finally:
        gc.enable()


def test_a_cluster_that_goes_away_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process, address = start(tmp_path, "threads")

    def go(done: int, total: int) -> None:
        if done == 4:
            monkeypatch.setattr("windlass.cluster.ANSWER_S", 2.0)
            process.kill()

    store = Store(tmp_path / "runs")
    tasks = [
        (point, seed) for length in ("5 s", "100000 s") for point in document(length, "5 %").points() for seed in SEEDS
    ]
    with Cluster(address) as cluster, pytest.raises(InputError) as caught:
        execute(tasks, jobs=cluster, store=store, progress=go)
    process.communicate(timeout=60)
    assert caught.value.code == "cluster.lost"
    assert len(list(store.keys())) == 4


def test_a_cluster_that_stops_to_answer_can_be_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its scheduler is alive and says nothing: the runs can be stopped all the same, and what was made is kept."""
    process, address = start(tmp_path, "threads")
    token = _core.Cancel()

    def freeze(done: int, total: int) -> None:
        if done == 4:
            process.send_signal(signal.SIGSTOP)
            monkeypatch.setattr("windlass.cluster.ANSWER_S", 0.5)
            monkeypatch.setattr("windlass.cluster.COUNT_S", -1.0)
            threading.Timer(1.0, token.set).start()

    store = Store(tmp_path / "runs")
    tasks = [
        (point, seed) for length in ("5 s", "100000 s") for point in document(length, "5 %").points() for seed in SEEDS
    ]
    try:
        with Cluster(address) as cluster, pytest.raises(Interrupted) as stopped:
            execute(tasks, jobs=cluster, store=store, progress=freeze, cancel=token)
    finally:
        process.kill()
        process.communicate(timeout=60)
    assert (stopped.value.done, stopped.value.total, stopped.value.stored) == (4, 8, True)
    assert len(list(store.keys())) == 4
