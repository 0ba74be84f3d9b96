"""`windlass sweep`: what it prints and writes, and how it stops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, files_in

import windlass
from windlass import _toml


def test_sweep_prints_a_mean_with_its_interval_for_each_point(command: Command, sweep_file: Path, work: Path) -> None:
    result = command("sweep", sweep_file)
    assert result.exit_code == 0
    rows = [line for line in result.stdout.splitlines() if line.strip().startswith(("newreno", "westwood-plus"))]
    assert len(rows) == 6
    assert all(row.count("±") + row.count("(") == 6 for row in rows)
    assert files_in(work) == [
        "windlass-out",
        "windlass-out/small",
        *(f"windlass-out/small/{name}" for name in ("flows.parquet", "links.parquet", "manifest.json", "summary.csv")),
    ]
    assert result.stderr == "18 runs, 0 of them from the store; written to windlass-out/small\n"
    again = command("sweep", sweep_file)
    assert again.stdout == result.stdout
    assert again.stderr == "18 runs, 18 of them from the store; written to windlass-out/small\n"


def test_sweep_shows_completion_times_of_transfers(command: Command, small_file: Path) -> None:
    endless = command("sweep", small_file).stdout
    assert "FCT" not in endless, "transfers without end have none"
    small_file.write_text(small_file.read_text().replace("start =", 'size = "30 kB"\nstart ='))
    shown = command("sweep", small_file, "--set", "scenario.warmup=4 s")
    assert shown.exit_code == 0, shown.output
    data = json.loads(command("sweep", small_file, "--set", "scenario.warmup=4 s", "--json").stdout)
    (row,) = data["summary"]
    for number, head in (("completion_s", "FCT mean s"), ("completion_median_s", "FCT median s")):
        assert head in shown.stdout
        half = (row[f"{number}_hi"] - row[f"{number}_lo"]) / 2
        assert f"{row[f'{number}_mean']:.3f} ± {half:.3f}" in shown.stdout
    assert "unfinished %" in shown.stdout
    # none of the two transfers of each of three seeds: 1 - 0.05^(1/6)
    assert "0.0 (≤ 39.3)" in shown.stdout
    # all ended before the warm-up did: no 0.000 Mbit/s, but what they got over their own time
    assert row["goodput_bps_mean"] > 1e5
    assert "0.000" not in shown.stdout
    assert "sum of group" not in shown.stdout
    assert "Jain" not in shown.stdout


def test_sums_are_of_a_group_in_a_sweep_and_in_a_run(command: Command, small: windlass.Scenario, work: Path) -> None:
    """Two groups: a sum for each, the same in both commands, and all flows only where there is one number for all."""
    group = {"from": "left/0", "to": "right/0", "count": 2}
    two = [group | {"name": "a", "algorithm": "cubic"}, group | {"name": "b", "algorithm": "newreno"}]
    found = small.with_({"flows": two, "scenario.seeds": 1}).points()[0].composed()
    (work / "two.toml").write_text(_toml.document(found))
    swept, ran = (command(what, "two.toml") for what in ("sweep", "run"))
    assert (swept.exit_code, ran.exit_code) == (0, 0), swept.output + ran.output
    result = windlass.sweep(windlass.load("two.toml"), store=False)
    sums = {row["group"]: f"{row['goodput_total_bps_mean'] * 1e-6:.3f}" for row in result.summary().to_pylist()}
    assert set(sums) == {"a", "b"}
    assert "all flows" not in swept.stdout
    assert "sum of group" in swept.stdout
    assert all(total in swept.stdout for total in sums.values())
    assert f"sum of group, Mbit/s: a {sums['a']}, b {sums['b']}\n" in ran.stdout
    every = sum(row["goodput_run_bps"] for row in result.runs[0].flows.to_pylist())
    assert f"all flows: {every * 1e-6:.3f} Mbit/s" in ran.stdout
    for shown in (result._repr_html_(), command("sweep", "two.toml", "--latex").stdout):
        assert "sum of group" in shown
        assert "all flows" not in shown
    one = command("run", "two.toml", "--set", "flows=[{from='left/0',to='right/0',algorithm='cubic'}]").stdout
    assert "sum of group" not in one
    assert "all flows: " in one


def test_sweep_as_json(command: Command, sweep_file: Path) -> None:
    result = command("sweep", sweep_file, "--seeds", "2", "--jobs", "1", "--json", "--out", "x")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert (data["runs"], data["from_store"], data["out"]) == (12, 0, "x")
    assert data["axes"] == ["flows.algorithm", "topology.bottleneck.loss.rate"]
    assert len(data["summary"]) == 6
    first = data["summary"][0]
    assert first["goodput_bps_lo"] < first["goodput_bps_mean"] < first["goodput_bps_hi"]
    assert first["goodput_bps_n"] == 2


def test_sweep_of_one_seed_has_null_intervals_in_json(command: Command, small_file: Path) -> None:
    data = json.loads(command("sweep", small_file, "--seeds", "1", "--json").stdout)
    assert data["summary"][0]["goodput_bps_lo"] is None
    shown = command("sweep", small_file, "--seeds", "1").stdout
    assert not set("±≤(") & set(shown.splitlines()[-1])


def test_without_chance_there_is_no_interval_and_a_caution(command: Command, small_file: Path) -> None:
    text = small_file.read_text().replace("pairs =", 'send_jitter = "0 s"\npairs =')
    small_file.write_text("\n".join(line for line in text.splitlines() if not line.startswith("start =")))
    fixed = ("--set", "flows.start=0 s", "--set", "topology.bottleneck.loss=0 %")
    shown = command("sweep", small_file, *fixed)
    assert "caution: all seeds gave the same numbers" in shown.stdout
    assert not set("±≤") & set(shown.stdout)
    (row,) = json.loads(command("sweep", small_file, *fixed, "--json").stdout)["summary"]
    assert {row[name] for name in row if name.endswith(("_lo", "_hi"))} == {None}
    answer = command("compare", "newreno", "cubic", "--path", small_file, *fixed).stdout
    assert "caution: all seeds gave the same numbers" in answer
    assert "All 3 seeds gave the same numbers: nothing here says what chance does" in answer
    assert "wrong by chance" not in answer
    assert not set("±≤") & set(answer)
    assert "all seeds gave the same numbers" not in command("sweep", small_file).stdout


def test_a_bound_is_shown_in_every_table(command: Command, small_file: Path) -> None:
    import windlass

    calm = {"topology.bottleneck.loss": "0 %", "flows.tcp.window": "4 segments"}
    sets = [part for key, value in calm.items() for part in ("--set", f"{key}={value}")]
    # no timeout of two flows in three seeds: 3.0 / 6
    assert "0.00 (≤ 0.50)" in command("sweep", small_file, *sets).stdout
    assert r"0.00 ($\le$ 0.50)" in command("sweep", small_file, *sets, "--latex").stdout
    scenario = windlass.load(small_file, calm)
    assert "0.00 (≤ 0.50)" in windlass.sweep(scenario)._repr_html_()
    compared = windlass.compare(scenario, ["newreno", "cubic"], neighbour=False)
    assert "0.00 (≤ 0.50)" in compared._repr_html_()
    page = compared.write(small_file.with_suffix(".html")).read_text()
    assert '0.00 <span class="half">(≤ 0.50)</span>' in page


def test_sweep_without_a_store_writes_none(command: Command, small_file: Path, tmp_path: Path) -> None:
    assert command("sweep", small_file, "--no-store").exit_code == 0
    assert not (tmp_path / "store").exists()
    assert command("sweep", small_file, "--store", tmp_path / "mine").exit_code == 0
    assert not (tmp_path / "store").exists()
    assert (tmp_path / "mine").is_dir()


def test_sweep_with_a_target_precision(command: Command, small_file: Path) -> None:
    data = json.loads(command("sweep", small_file, "--precision", "5%", "--json").stdout)
    row = data["summary"][0]
    assert (row["goodput_bps_hi"] - row["goodput_bps_lo"]) / 2 <= 0.05 * row["goodput_bps_mean"]
    limited = command("sweep", small_file, "--precision", "0.00001", "--max-seeds", "6")
    assert "caution: the only point: goodput_bps is known to " in limited.stdout


def test_a_stopped_sweep_says_how_to_go_on(
    command: Command, sweep_file: Path, monkeypatch: pytest.MonkeyPatch, work: Path
) -> None:
    from contextlib import contextmanager

    from windlass.cli import sweep

    @contextmanager
    def stopping(label: str) -> Any:
        def progress(done: int, total: int) -> None:
            if done == 3:
                raise KeyboardInterrupt

        yield progress

    monkeypatch.setattr(sweep, "show_progress", stopping)
    result = command("sweep", sweep_file, "--jobs", "1")
    monkeypatch.undo()
    assert result.exit_code == 130
    assert result.stdout == ""
    line = result.stderr.splitlines()
    assert len(line) == 1
    assert line[0].startswith("stopped: ")
    assert line[0].endswith(" of 18 runs are kept; the same command goes on from there")
    assert files_in(work) == []


def test_a_narrower_sweep_leaves_a_wider_ones_folder_alone(command: Command, sweep_file: Path, work: Path) -> None:
    command("sweep", sweep_file)
    wide = (work / "windlass-out" / "small" / "manifest.json").read_bytes()
    narrow = ["sweep", sweep_file, "--set", "flows.algorithm=newreno"]
    for _ in range(2):  # and again into the same place
        done = command(*narrow)
        assert done.stderr.endswith("windlass-out/small-2; windlass-out/small holds a wider sweep and stays as it is\n")
    # fewer seeds, too, and in place of what is not wider
    assert "written to windlass-out/small-2;" in command("sweep", sweep_file, "--seeds", "2").stderr
    assert (work / "windlass-out" / "small" / "manifest.json").read_bytes() == wide
    assert sorted(path.name for path in (work / "windlass-out").iterdir()) == ["small", "small-2"]
    # what is wider, other, or named takes the place
    for more in (["--seeds", "4"], ["--set", "scenario.duration=4 s"], ["--set", "flows.algorithm=veno"]):
        assert command("sweep", sweep_file, *more).stderr.endswith("written to windlass-out/small\n"), more
    assert command(*narrow, "--out", "windlass-out/small").stderr.endswith("written to windlass-out/small\n")
    # seeds that a precision will add are not known before
    precise = ["sweep", sweep_file, "--precision", "50%"]
    for _ in range(2):
        assert command(*precise).stderr.endswith("written to windlass-out/small\n")


def test_an_option_given_twice_is_an_error(command: Command, sweep_file: Path) -> None:
    refused = command("sweep", sweep_file, "--seeds", "2", "--seeds", "3")
    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[0] == "error[cli.usage]: --seeds is given twice, and takes one value"
    short = command("compare", "newreno", "--path", sweep_file, "--flows", "a", "--flows", "b")
    assert short.stderr.startswith("error[cli.usage]: --flows is given twice")
    # settings and switches may be repeated
    fine = ["--set", "scenario.seeds=2", "--set", "scenario.duration=4 s", "--json", "--json"]
    assert command("sweep", sweep_file, *fine).exit_code == 0
