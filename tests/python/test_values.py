"""What each run gave, beside its page: verdicts and pages are made again from it without the run."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from windlass import cautions, folders, ledger, reproduce
from windlass.errors import InputError
from windlass.report import publish
from windlass.reproduce import Reproduction, running, values
from windlass.scenario import Point

TARGET = "saedi2019/fig4.4"
OTHER = "huq2024/friend-westwood"
RECORDED = "saedi2019/fig4.26"


@pytest.fixture(scope="module", autouse=True)
def short() -> Any:
    """Runs of a few seconds, in which some flow of each group is found to get little."""

    def overrides(book: Any, experiment: Any, seeds: int | None, quick: bool) -> dict[str, Any]:
        return {"scenario.duration": "5 s", "flows.start": "uniform(0 s, 1 s)", "scenario.seeds": seeds or 2}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "overrides", overrides)
        patch.setattr(cautions, "STARVED", 2.0)
        patch.setattr(cautions, "LONG_ENOUGH_S", 0.0)
        yield


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("runs")
    for name in (TARGET, OTHER):
        reproduce.main(name, out=root / name, store=root / "store")
    return root


def again(target: str, source: Path, out: Path) -> Reproduction:
    found = reproduce.main(target, out=out, store=False, values=source)
    assert isinstance(found, Reproduction)
    return found


def refuse(*_: Any, **__: Any) -> Any:
    raise AssertionError("a run")


@pytest.mark.parametrize("target", [TARGET, OTHER])
def test_pages_are_the_same_without_the_runs(
    target: str, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("windlass.sweep"), "execute", refuse)
    found = again(target, runs, tmp_path / target)
    assert (found.made, found.run_s) == (0, None)
    assert found.total > 0
    kept = ["claims.csv", "summary.md", "values.parquet"]
    for name in [*kept, *(file.name for file in (runs / target).glob("*.svg"))]:
        assert (tmp_path / target / name).read_bytes() == (runs / target / name).read_bytes(), name
    assert not (tmp_path / target / "flows.parquet").exists()
    assert target == TARGET or any(" runs a flow got less than 200% of" in line for line in found.cautions)
    # and once more from what this gave
    once_more = again(target, tmp_path, tmp_path / "more" / target)
    assert once_more.to_dict() == found.to_dict()


def test_a_row_has_the_values_that_means_are_made_of(runs: Path) -> None:
    table = pq.read_table(runs / OTHER / values.FILE)
    _, experiment = ledger.experiment(OTHER)
    axes = [axis.key for axis in experiment.axes]
    assert {"experiment", "reading", "variant", *axes, "seed", "throughput", "throughput-total"} <= {
        *table.column_names
    }
    flows = pq.read_table(runs / OTHER / "flows.parquet").to_pylist()
    compared = 0
    for row in (row for row in table.to_pylist() if row["reading"] == "base"):
        own = [
            flow["goodput_bps"] / 1e6
            for flow in flows
            if (flow["reading"], flow["seed"]) == ("base", row["seed"])
            and all(str(flow[axis]).removesuffix(".0") == row[axis] for axis in axes)
            and (not row["groups"] or flow["group"] in row["groups"].split(","))
        ]
        assert row["throughput"] == pytest.approx(sum(own) / len(own))
        compared += 1
    assert compared
    keys = [tuple(row[name] for name in ("setting_key", "groups", "seed")) for row in table.to_pylist()]
    assert len(set(keys)) == len(keys)


def test_what_is_not_known_is_run(runs: Path, tmp_path: Path) -> None:
    """A run without values, and one of whose metrics some are missing."""
    whole = pq.read_table(runs / TARGET / values.FILE)
    for name, table in {"rows": whole.slice(5), "metrics": whole.drop_columns(["throughput-total"])}.items():
        place = tmp_path / name / TARGET
        shutil.copytree(runs / TARGET, place)
        (place / values.FILE).write_bytes(values.bytes_of(table))
        listed(place)
        found = again(TARGET, tmp_path / name, tmp_path / "out" / name)
        assert found.made == (5 if name == "rows" else found.total)
        assert (tmp_path / "out" / name / "summary.md").read_bytes() == (runs / TARGET / "summary.md").read_bytes()


def listed(folder: Path) -> None:
    """Make the manifest anew, as if the folder had been written so."""
    manifest = folders.read_manifest(folder)
    (folder / folders.MANIFEST).unlink()
    folders.write_manifest(folder, {key: value for key, value in manifest.items() if key not in ("files", "format")})


def test_runs_that_record_more_than_numbers_are_made(tmp_path: Path) -> None:
    reproduce.main(RECORDED, out=tmp_path / RECORDED, store=tmp_path / "store")
    assert pq.read_table(tmp_path / RECORDED / values.FILE).num_rows > 0
    assert again(RECORDED, tmp_path, tmp_path / "again").made > 0


def test_values_of_another_engine_and_none_at_all_are_told(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"has no `values.parquet` of saedi2019") as told:
        again(TARGET, tmp_path, tmp_path / "out")
    assert told.value.code == "reproduce.values"
    monkeypatch.setattr(Point, "setting", lambda point: "of other results")
    with pytest.raises(InputError, match=r"has values of 0\.1\.0\+results\.\d+, and results have changed since") as told:
        again(TARGET, runs, tmp_path / "out")
    assert told.value.hint == "leave `--values` out, so that the runs are made"
    assert not (tmp_path / "out").exists()


def test_a_changed_value_is_found(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / TARGET, tmp_path / TARGET)
    file = tmp_path / TARGET / values.FILE
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(InputError, match=r"`values.parquet` is not as it was written"):
        again(TARGET, tmp_path, tmp_path / "out")


def test_published_values_have_each_run_once_and_serve_as_well(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second experiment shares all runs with the first: it is a copy of it."""
    monkeypatch.setattr(
        publish, "estimate", lambda name: publish.Published(name, "", "e", False, 1, 1.0, "estimated", {})
    )
    root = tmp_path / "run"
    shutil.copytree(runs, root)
    data = (root / TARGET / values.FILE).read_bytes()
    seen: dict[values.Key, frozenset[str]] = {}
    assert values.without(data, seen) == data
    assert pq.read_table(tmp_path / _put(tmp_path, values.without(data, seen))).num_rows == 0
    fewer = pq.read_table(root / TARGET / values.FILE).drop_columns(["throughput-total"])
    few = values.bytes_of(fewer)
    seen.clear()
    assert values.without(few, seen) == few
    assert values.without(data, seen) == data, "it has a metric that the other has not"
    publish.publish(root, tmp_path / "docs", tmp_path / "papers.csv")
    monkeypatch.setattr(importlib.import_module("windlass.sweep"), "execute", refuse)
    for target in (TARGET, OTHER):
        again(target, tmp_path / "docs", tmp_path / "out" / target)
        page = (tmp_path / "out" / target / "summary.md").read_text(encoding="utf-8")
        assert (tmp_path / "docs" / target / "README.md").read_text(encoding="utf-8").endswith(page)


def _put(folder: Path, data: bytes) -> str:
    (folder / "some.parquet").write_bytes(data)
    return "some.parquet"
