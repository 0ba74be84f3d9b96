"""Tapes of runs: written, stored, replayed, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command, small_document

import windlass
from windlass import tapes

KEPT = Path(__file__).resolve().parents[1] / "tapes"


@pytest.fixture
def recorded(small: windlass.Scenario) -> windlass.Scenario:
    return small.with_({"output.traces": ["tape"], "scenario.duration": "3 s"})


def test_a_run_gives_a_tape_of_each_flow_that_answers_alike(recorded: windlass.Scenario) -> None:
    result = recorded.run(1)
    flows = [row["flow"] for row in result.flows.to_pylist()]
    rows = result.tapes.to_pylist()
    assert [row["flow"] for row in rows] == flows
    for row in rows:
        found = tapes.replay(row["tape"])
        assert (found.differences, found.events) == ([], row["tape"].count("\n") - 3)
        assert found.recorded == found.algorithm == row["tape"].splitlines()[1].split()[1]
    # nothing else is another one
    plain = recorded.with_({"output.traces": []}).run(1)
    assert plain.tapes.num_rows == 0
    assert plain.flows.equals(result.flows)


def test_tapes_are_stored(recorded: windlass.Scenario, tmp_path: Path) -> None:
    store = windlass.Store(tmp_path / "runs")
    fresh, again = (windlass.sweep(recorded, seeds=2, store=store, jobs=1) for _ in range(2))
    assert [run.stored for run in again] == [True, True]
    assert fresh.tapes.num_rows >= 2
    assert fresh.tapes.equals(again.tapes)
    fresh.write(tmp_path / "out")
    files = sorted(path.name for path in (tmp_path / "out").glob("*.tape"))
    assert len(files) == fresh.tapes.num_rows
    assert {name[:12] for name in files} == {run.key[:12] for run in fresh}


def test_run_writes_tapes_and_replay_reads_them(small_file: Path, command: Command, tmp_path: Path) -> None:
    done = command(
        "run", str(small_file), "--set", "flows.algorithm=veno", "--trace", "tape", "--out", str(tmp_path / "out")
    )
    assert done.exit_code == 0, done.output
    written = sorted((tmp_path / "out").glob("*.tape"))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert written
    assert {path.name for path in written} <= set(manifest["files"])
    assert not (tmp_path / "out" / "tapes.parquet").exists()
    for path in written:
        replayed = command("replay", str(path))
        assert (replayed.exit_code, replayed.stdout.startswith("veno: all ")) == (0, True)


def test_a_tape_changed_by_hand_is_noticed(command: Command, tmp_path: Path) -> None:
    text = (KEPT / "newreno.tape").read_text(encoding="utf-8")
    file = tmp_path / "changed.tape"
    file.write_text(text.replace("-> cwnd=17376 ", "-> cwnd=17377 ", 1), encoding="utf-8")
    done = command("replay", str(file))
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "line 5, ack at 0.145120 s: cwnd is 17377 on the tape, 17376 now"
    assert lines[1] == f"newreno: 1 of {text.count(chr(10)) - 3} answers differ"
    found = json.loads(command("replay", str(file), "--json").stdout)
    assert [one["line"] for one in found["differences"]] == [5]


def test_another_algorithm_or_parameter_answers_otherwise(command: Command) -> None:
    file = KEPT / "cerl.tape"
    for other in ("newreno", "cerl:cerl_A=0.0"):
        done = command("replay", str(file), "--algorithm", other)
        assert done.exit_code == 1, other
        assert " more; --json gives all" in done.stdout
    assert tapes.replay(file, {"name": "cerl", "cerl_A": 0.55}).differences == []


def test_a_class_in_python_is_recorded_and_replayed(recorded: windlass.Scenario) -> None:
    class Third(windlass.CongestionControl):
        """Keeps a third of the window."""

        def __init__(self, kept: float = 1 / 3) -> None:
            self.kept = kept

        def on_congestion(self, event: windlass._core.Congestion, path: windlass._core.Path) -> windlass.Response:
            self.cwnd, self.ssthresh = event.keep(self.kept)
            return windlass.Response.REDUCED

    text = recorded.with_({"flows.algorithm": Third, "topology.bottleneck.loss": "3 %"}).run(1).tapes["tape"][0].as_py()
    assert tapes.replay(text).differences == []
    assert tapes.replay(text, {"name": "third", "kept": 0.9}).differences[0].event == "congestion"

    class Broken(windlass.CongestionControl):
        def on_ack(self, ack: windlass._core.Ack, path: windlass._core.Path) -> None:
            raise ValueError("no more")

    windlass.register(Broken)
    with pytest.raises(windlass.InputError, match="no more") as caught:
        tapes.replay(text, "broken")
    assert (caught.value.code, caught.value.file) == ("algorithm.failed", __file__)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.tape"], "error[file.missing]: nowhere.tape: no such file"),
        (["wrong.tape"], "error[tape.wrong]: wrong.tape, line 5: no event `akc`; there are open, ack"),
        (["right.tape", "--algorithm", "vano"], "error[scenario.unknown-algorithm]: --algorithm: no algorithm `vano`"),
        (["right.tape", "--algorithm", "tfrc"], "error[scenario.no-algorithm]: --algorithm: `tfrc` has a rate"),
        (["right.tape", "--algorithm", "veno:x=1"], "error[scenario.unknown-parameter]: --algorithm: `veno` has no"),
    ],
)
def test_what_is_wrong_is_said(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (KEPT / "newreno.tape").read_text(encoding="utf-8")
    Path("right.tape").write_text(text, encoding="utf-8")
    Path("wrong.tape").write_text(text.replace("\nack", "\nakc"), encoding="utf-8")
    done = command("replay", *words)
    assert done.exit_code == 2
    assert done.stderr.startswith(message), done.stderr
    assert "\nhint: " in done.stderr


def test_a_scenario_without_an_algorithm_has_no_tape() -> None:
    flow = {"from": "left/*", "to": "right/*"}
    udp = flow | {"transport": "udp", "traffic": {"kind": "cbr", "rate": "500 kbps", "packet": "500 B"}}
    for only in (udp, flow | {"algorithm": "tfrc"}):
        document = small_document() | {"flows": [only], "output": {"traces": ["tape"]}}
        with pytest.raises(windlass.InputError, match="no flow has a congestion control algorithm") as caught:
            windlass.from_dict(document)
        assert caught.value.code == "scenario.no-algorithm"
        # beside a connection they are passed over
        both = windlass.from_dict(document | {"flows": [only, flow | {"name": "bulk", "algorithm": "reno"}]})
        assert {row["flow"].partition("/")[0] for row in both.run(1).tapes.to_pylist()} == {"bulk"}
