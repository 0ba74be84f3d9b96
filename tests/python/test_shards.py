"""Sweeps as job arrays: tasks as plain processes give what the sweep itself gives."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SWEEP_TOML, Command, files_in

import windlass
from windlass import InputError, Store, shards
from windlass.travel import packed, unpacked

OWN = """\
import windlass

class Calm(windlass.CongestionControl):
    def on_ack(self, ack, path):
        if ack.grows:
            self.cwnd += 0.5 * self.reno_increase(ack, path)
"""

JOB = "submit.sh", "points.jsonl", "job.json"


@pytest.fixture(autouse=True)
def no_files_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of users that other tests have loaded do not go with the runs of these."""
    monkeypatch.setattr("windlass.control._FILES", {})


def tables_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name != "manifest.json"}


def submit(script: Path, *indices: int) -> None:
    """Start the tasks of an array side by side, each as Slurm starts it, and wait for them."""
    tasks = []
    for index in indices:
        given = os.environ | {"SLURM_ARRAY_TASK_ID": str(index), "SLURM_CPUS_PER_TASK": "1"}
        tasks.append(subprocess.Popen(["sh", script], env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    for task in tasks:
        _, stderr = task.communicate(timeout=120)
        assert (task.returncode, stderr) == (0, b"")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_shards_merged_are_the_sweep(tmp_path: Path, command: Command, sweep_file: Path, work: Path) -> None:
    whole = command("sweep", sweep_file, "--out", "whole", "--store", tmp_path / "undivided")
    assert whole.exit_code == 0, whole.output
    folder = work / "a job"
    done = command("sweep", sweep_file, "--emit", "slurm", "a job", "--shards", "3")
    assert (done.exit_code, done.stderr) == (0, "")
    assert files_in(folder) == sorted(JOB), "nothing was run"
    script = folder / "submit.sh"
    assert "#SBATCH --array=0-2\n" in script.read_text()

    sweep_file.unlink()  # the job needs it no longer
    submit(script, 0, 1, 2)
    parts = [set(Store(part).keys()) for part in sorted((folder / "runs").iterdir())]
    assert [len(part) for part in parts] == [6, 6, 6]
    assert set.union(*parts) == set(Store(tmp_path / "undivided").keys()), "the same keys"
    submit(script, 1)
    assert len(list((folder / "runs" / "0001").glob("*.runs"))) == 1, "a finished shard makes nothing again"

    merge = re.search(r"^afterwards: windlass (store import .*)$", done.stdout, re.MULTILINE)
    assert merge is not None
    assert f"windlass {merge[1]}\n" in script.read_text()
    subprocess.run(["sh", "-c", f"{shlex.quote(sys.executable)} -m windlass {merge[1]}"], check=True)
    sweep_file.write_text(SWEEP_TOML)
    merged = command("sweep", sweep_file, "--out", "merged")
    assert merged.stderr == "18 runs, 18 of them from the store; written to merged\n"
    assert merged.stdout == whole.stdout
    assert tables_of(work / "merged") == tables_of(work / "whole")


def test_files_of_the_users_own_go_with_the_job(tmp_path: Path, command: Command, small_file: Path) -> None:
    own = tmp_path / "calm.py"
    own.write_text(OWN)
    given = ("sweep", small_file, "--python", own, "--set", "flows.algorithm=calm")
    done = command(*given, "--emit", "slurm", "job", "--shards", "1", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["runs"], told["shards"]) == (3, 1)
    submit(Path("job/submit.sh"), 0)
    assert command("store", "import", "job/runs/0000").exit_code == 0
    assert command(*given, "--store-python").stderr.startswith("3 runs, 3 of them from the store")
    own.write_text(OWN.replace("0.5", "0.25"))
    changed = command("shard", "job", "--index", "0")
    assert changed.exit_code == 2, "the file is another one now"
    assert changed.stderr.startswith("error[")
    assert "\nhint: " in changed.stderr


def test_every_ready_scenario_travels() -> None:
    for name in windlass.ready_scenarios():
        points = windlass.load(name).points()
        for point in (points[0], points[-1]):
            sent = packed(point)._replace(own=())
            assert unpacked(sent).effective_json() == point.effective_json()
            assert unpacked(sent).key(7) == point.key(7)


def test_another_version_or_key_is_refused(small: windlass.Scenario) -> None:
    sent = packed(small.points()[0])
    with pytest.raises(InputError, match="the runs are for 0.0.0") as caught:
        unpacked(sent._replace(engine_version="0.0.0"))
    assert caught.value.code == "travel.version"
    with pytest.raises(InputError) as caught:
        unpacked(sent._replace(key="0" * 64))
    assert caught.value.code == "travel.key"


def test_runs_are_spread_over_shards(swept: windlass.Scenario, tmp_path: Path) -> None:
    job = shards.emit(swept, tmp_path / "job", shards=100)
    assert (job.runs, job.shards) == (18, 18), "no shard without a run"
    four = shards.emit(swept, tmp_path / "four", shards=4)
    made = [shards.make_shard(four.folder, index) for index in range(4)]
    assert [len(part) for part in made] == [5, 5, 4, 4]
    assert [run.seed for run in made[0]] == [1, 2, 3, 1, 2]
    assert {run.key for part in made for run in part} == {
        point.key(seed) for point in swept.points() for seed in (1, 2, 3)
    }


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["sweep", "FILE", "--emit", "slurm", "full"], "shard.folder"),
        (["sweep", "FILE", "--emit", "slurm", "job", "--shards", "1001"], "shard.count"),
        (["sweep", "FILE", "--emit", "slurm", "job", "--precision", "2%"], "cli.usage"),
        (["sweep", "FILE", "--emit", "slurm", "job", "--no-store"], "cli.usage"),
        (["sweep", "FILE", "--emit", "pbs", "job"], "cli.usage"),
        (["sweep", "FILE", "--shards", "3"], "cli.usage"),
        (["shard", "full", "--index", "0"], "shard.folder"),
        (["shard", "nowhere", "--index", "0"], "shard.folder"),
        (["shard", "cut", "--index", "0"], "shard.folder"),
        (["shard", "whole", "--index", "18"], "shard.count"),
        (["shard", "whole"], "cli.usage"),
    ],
)
def test_wrong_use_is_said(command: Command, sweep_file: Path, work: Path, words: list[str], code: str) -> None:
    (work / "full").mkdir()
    (work / "full" / "mine").write_text("")
    for name in ("whole", "cut"):
        assert command("sweep", sweep_file, "--emit", "slurm", name).exit_code == 0
    lines = (work / "cut" / "points.jsonl").read_text().splitlines(keepends=True)
    (work / "cut" / "points.jsonl").write_text("".join(lines[:-1]))
    before = files_in(work)
    done = command(*(str(sweep_file) if word == "FILE" else word for word in words))
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith(f"error[{code}]")
    assert "\nhint: " in done.stderr
    assert files_in(work) == before


def test_runs_that_cannot_be_known_again_are_refused(small: windlass.Scenario, tmp_path: Path) -> None:
    made: dict[str, type] = {}
    exec("import windlass\nclass Typed(windlass.CongestionControl): pass", made)  # noqa: S102
    scenario = small.with_({"flows.algorithm": made["Typed"]})
    with pytest.raises(InputError) as caught:
        shards.emit(scenario, tmp_path / "job")
    assert caught.value.code == "shard.unknown"
