"""Folders of results: what is in them, and that they read back."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import windlass
from windlass import InputError, Scenario, StoreError, output


def test_a_sweep_is_written_and_read_back(swept: Scenario, work: Path) -> None:
    result = windlass.sweep(swept)
    folder = result.write("results/here", command=["windlass", "sweep", "x.toml"])
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["flows.parquet", "links.parquet", "manifest.json", "summary.csv"]
    assert pq.read_table(folder / "flows.parquet", partitioning=None).equals(result.flows)

    saved = output.read_sweep(folder)
    assert (saved.name, saved.axes) == ("small", result.axes)
    assert saved.flows.equals(result.flows)
    assert saved.links.equals(result.links)
    assert len(saved.descriptions) == 6
    assert saved.descriptions[1]["flows"][0]["algorithm"]["name"] == "newreno"

    rows = list(csv.DictReader((folder / "summary.csv").read_text().splitlines()))
    assert len(rows) == 6
    assert float(rows[0]["goodput_bps_lo"]) < float(rows[0]["goodput_bps_mean"]) < float(rows[0]["goodput_bps_hi"])


def test_the_manifest_says_how_it_was_made(swept: Scenario) -> None:
    result = windlass.sweep(swept, seeds=2)
    folder = result.write("results", command=["windlass", "sweep", "x.toml"])
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["scenario"] == "small"
    assert manifest["engine"] == windlass.ENGINE_VERSION
    assert manifest["windlass"] == windlass.__version__
    assert manifest["command"] == ["windlass", "sweep", "x.toml"]
    assert [point["seeds"] for point in manifest["points"]] == [[1, 2]] * 6
    assert manifest["points"][0]["axes"] == result.runs[0].axes
    for file, digest in manifest["files"].items():
        assert hashlib.sha256((folder / file).read_bytes()).hexdigest() == digest
    # A description of the manifest alone is enough to make the run again.
    again = windlass.from_dict(manifest["points"][5]["description"])
    assert again.points()[0].key(2) == result.runs[-1].key


def test_the_same_results_give_the_same_bytes(swept: Scenario) -> None:
    first = windlass.sweep(swept, store=False, jobs=1).write("a")
    second = windlass.sweep(swept, store=False, jobs=2).write("b")
    for file in first.iterdir():
        assert file.read_bytes() == (second / file.name).read_bytes(), file.name


def test_recorded_series_are_written_too(small: Scenario) -> None:
    result = windlass.sweep(small.with_({"output.traces": ["cwnd"], "output.events": True}), seeds=1)
    folder = result.write("results")
    assert {"traces.parquet", "events.parquet", "losses.parquet"} <= {path.name for path in folder.iterdir()}


def test_one_run_is_written_like_a_sweep_of_one(small: Scenario, work: Path) -> None:
    result = small.run(2)
    folder = output.write_run("small", result, small.points()[0].effective_json(), work / "one")
    saved = output.read_sweep(folder)
    assert saved.axes == []
    assert saved.flows["seed"].to_pylist() == [2, 2]


def test_folders_that_hold_no_results(work: Path) -> None:
    with pytest.raises(InputError) as caught:
        output.read_sweep(work)
    assert caught.value.code == "plot.no-results"
    (work / "manifest.json").write_text("[]")
    with pytest.raises(InputError):
        output.read_sweep(work)


def test_a_file_in_the_way_is_noticed_before_and_while_writing(small: Scenario, work: Path) -> None:
    (work / "taken").write_text("")
    with pytest.raises(InputError) as caught:
        output.check_folder(work / "taken" / "below")
    assert caught.value.code == "cli.output"
    with pytest.raises(StoreError) as failed:
        windlass.sweep(small, seeds=1).write(work / "taken")
    assert failed.value.code == "cli.output"
    output.check_folder(work / "new" / "below")
    assert not (work / "new").exists(), "checking leaves nothing"
    (work / "old").mkdir()
    output.check_folder(work / "old")
    assert list((work / "old").iterdir()) == []
