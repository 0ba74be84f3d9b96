"""The store: all of a run or nothing, never a wrong one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import windlass
from windlass import Store, StoreError
from windlass.store import default_root

KEY = "ab" + "0" * 62
OTHER = "cd" + "1" * 62


def tables(value: float = 1.0) -> dict[str, pa.Table]:
    return {
        "flows": pa.table({"flow": ["a", "b"], "goodput_bps": [value, None]}),
        "links": pa.table({"link": ["x"], "offered_packets": pa.array([3], pa.int64())}),
        "traces": pa.table({"time_s": pa.array([], pa.float64()), "subject": pa.array([], pa.string())}),
        "events": pa.table({"time_s": pa.array([], pa.float64())}),
        "losses": pa.table({"segment": pa.array([7], pa.int64())}),
    }


def write(store: Store, key: str = KEY, value: float = 1.0) -> None:
    store.write(key, tables(value), description='{"scenario": {"duration": "1 s"}}', seed=4, engine_version="v")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


def test_what_is_written_is_read(store: Store) -> None:
    write(store)
    read = store.read(KEY)
    assert read is not None
    assert list(read) == ["flows", "links", "traces", "events", "losses"]
    for name, table in tables().items():
        assert read[name].equals(table), name
        assert read[name].schema.equals(table.schema, check_metadata=True), name


def test_one_folder_level_and_only_tables_with_rows(store: Store) -> None:
    write(store)
    files = sorted(str(path.relative_to(store.root)) for path in store.root.rglob("*") if path.is_file())
    assert files == [f"ab/{KEY}/{name}.parquet" for name in ("flows", "links", "losses")]


def test_description_seed_and_version_stand_in_the_file(store: Store) -> None:
    write(store)
    about = store.about(KEY)
    assert about is not None
    assert about["description"] == {"scenario": {"duration": "1 s"}}
    assert (about["seed"], about["engine_version"], about["key"]) == (4, "v", KEY)
    assert b"windlass" in pq.read_schema(store.folder(KEY) / "links.parquet").metadata


def test_what_is_not_there_is_not_there(store: Store) -> None:
    assert store.read(KEY) is None
    assert KEY not in store
    assert list(store.keys()) == []
    assert not store.root.exists(), "looking makes no folder"


@pytest.mark.parametrize("name", ["flows", "links", "losses"])
@pytest.mark.parametrize("damage", ["cut", "empty", "noise", "gone", "folder"])
def test_a_damaged_run_is_not_there_and_can_be_written_again(store: Store, name: str, damage: str) -> None:
    write(store)
    file = store.folder(KEY) / f"{name}.parquet"
    data = file.read_bytes()
    match damage:
        case "cut":
            file.write_bytes(data[: len(data) // 2])
        case "empty":
            file.write_bytes(b"")
        case "noise":
            file.write_bytes(os.urandom(len(data)))
        case "gone":
            file.unlink()
        case "folder":
            file.unlink()
            file.mkdir()
    assert store.read(KEY) is None
    write(store, value=2.0)
    read = store.read(KEY)
    assert read is not None
    assert read["flows"]["goodput_bps"][0].as_py() == 2.0


def test_a_flipped_bit_in_the_data_is_noticed(store: Store) -> None:
    write(store)
    file = store.folder(KEY) / "flows.parquet"
    data = bytearray(file.read_bytes())
    data[40] ^= 0x10  # in the first column's pages, which come right after the magic number
    file.write_bytes(bytes(data))
    assert store.read(KEY) is None


def test_a_run_under_a_wrong_name_is_not_taken(store: Store) -> None:
    write(store)
    shutil.copytree(store.folder(KEY), store.folder(OTHER))
    assert store.read(OTHER) is None
    assert store.read(KEY) is not None


def test_tables_of_different_runs_are_not_mixed(store: Store) -> None:
    write(store)
    write(store, OTHER)
    shutil.copy(store.folder(OTHER) / "links.parquet", store.folder(KEY) / "links.parquet")
    assert store.read(KEY) is None


def test_a_write_that_is_stopped_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []

    def stop(table: pa.Table, path: Path, **options: object) -> None:
        if written:
            raise KeyboardInterrupt
        written.append(path)
        Path(path).write_bytes(b"PAR1")

    monkeypatch.setattr(pq, "write_table", stop)
    with pytest.raises(KeyboardInterrupt):
        write(store)
    monkeypatch.undo()
    assert len(written) == 1
    assert store.read(KEY) is None
    assert [path for path in store.root.rglob("*") if path.is_file()] == []


def test_a_killed_writer_leaves_only_what_nobody_reads(store: Store) -> None:
    write(store)
    # What a process leaves that is killed between the files: a folder under a temporary name.
    part = store.folder(OTHER).parent / ".part-xyz"
    part.mkdir(parents=True)
    shutil.copy(store.folder(KEY) / "flows.parquet", part / "flows.parquet")
    assert list(store.keys()) == [KEY]
    assert store.read(OTHER) is None
    write(store, OTHER)
    assert store.read(OTHER) is not None


def test_writing_twice_keeps_one(store: Store) -> None:
    write(store)
    write(store)
    assert list(store.keys()) == [KEY]
    assert [path.name for path in (store.root / "ab").iterdir()] == [KEY]


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as caught:
        write(Store(tmp_path / "file"))
    assert caught.value.code == "store.unwritable"
    assert "--store" in str(caught.value)


def test_the_default_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WINDLASS_STORE", str(tmp_path / "here"))
    assert default_root() == tmp_path / "here"
    monkeypatch.delenv("WINDLASS_STORE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert default_root() == tmp_path / "cache" / "windlass" / "runs"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_root() == tmp_path / ".cache" / "windlass" / "runs"


def test_a_stored_run_gives_the_same_tables_as_a_fresh_one(small: windlass.Scenario, store: Store) -> None:
    scenario = small.with_({"output.traces": ["cwnd", "queue"], "output.events": True})
    fresh = windlass.sweep(scenario, store=store)
    again = windlass.sweep(scenario, store=store)
    assert not any(run.stored for run in fresh)
    assert all(run.stored for run in again)
    for name in ("flows", "links", "traces", "events", "losses"):
        assert fresh.table(name).equals(again.table(name), check_metadata=True), name
    assert again.traces.num_rows > 0
