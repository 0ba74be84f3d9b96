"""The store: all of a run or nothing, never a wrong one."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Command

import windlass
from windlass import Store, StoreError
from windlass.errors import StoreWarning
from windlass.store import default_root
from windlass.tables import TABLES

KEY = "ab" + "0" * 62
OTHER = "cd" + "1" * 62


def tables(value: float = 1.0) -> dict[str, pa.Table]:
    return {
        "flows": pa.table({"flow": ["a", "b"], "goodput_bps": [value, None]}),
        "links": pa.table({"link": ["x"], "offered_packets": pa.array([3], pa.int64())}),
        "stations": pa.table({"station": pa.array([], pa.string())}),
        "traces": pa.table({"time_s": pa.array([], pa.float64()), "subject": pa.array([], pa.string())}),
        "events": pa.table({"time_s": pa.array([], pa.float64())}),
        "losses": pa.table({"segment": pa.array([7], pa.int64())}),
        "tapes": pa.table({"tape": pa.array([], pa.string())}),
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
    assert list(read) == ["flows", "links", "stations", "traces", "events", "losses", "tapes"]
    for name, table in tables().items():
        assert read[name].equals(table), name
        assert read[name].schema.equals(table.schema, check_metadata=True), name


def test_one_folder_level_and_only_tables_with_rows(store: Store) -> None:
    write(store)
    files = sorted(str(path.relative_to(store.root)) for path in store.root.rglob("*") if path.is_file())
    assert files == [*(f"ab/{KEY}/{name}.parquet" for name in ("flows", "links", "losses")), f"ab/{KEY}/sha256sums"]


def test_description_seed_and_version_stand_in_the_file(store: Store) -> None:
    write(store)
    about = store.about(KEY)
    assert about is not None
    assert about["description"] == {"scenario": {"duration": "1 s"}}
    assert (about["seed"], about["engine_version"], about["key"]) == (4, "v", KEY)
    assert b"windlass" in pq.read_schema(store.folder(KEY) / "links.parquet").metadata


def test_a_run_from_before_a_table_was_there_is_read_without_it(store: Store) -> None:
    write(store)
    old = store.folder(KEY)
    flows = pq.read_table(old / "flows.parquet", partitioning=None)
    about = json.loads(flows.schema.metadata[b"windlass"])
    del about["empty"]["stations"]
    pq.write_table(flows.replace_schema_metadata({"windlass": json.dumps(about)}), old / "flows.parquet")
    names = sorted(path.name for path in old.glob("*.parquet"))
    lines = (f"{hashlib.sha256((old / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    (old / "sha256sums").write_text("".join(lines))
    read = store.read(KEY)
    assert read is not None
    assert (read["stations"].num_rows, read["stations"].num_columns) == (0, 0)
    assert read["links"].equals(tables()["links"])


def test_what_is_not_there_is_not_there(store: Store) -> None:
    assert store.read(KEY) is None
    assert KEY not in store
    assert list(store.keys()) == []
    assert not store.root.exists(), "looking makes no folder"


FILES = ["flows.parquet", "links.parquet", "losses.parquet", "sha256sums"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["cut", "empty", "noise", "gone", "folder", "longer"])
def test_a_damaged_run_is_not_there_and_can_be_written_again(store: Store, name: str, damage: str) -> None:
    write(store)
    file = store.folder(KEY) / name
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
        case "longer":
            file.write_bytes(data + b"\n")
    with pytest.warns(StoreWarning) as said:
        assert store.read(KEY) is None
    (text,) = (str(warning.message) for warning in said)
    assert text.startswith(f"{store.folder(KEY)}: ")
    assert f"`{name}`" in text
    assert text.endswith("; the run is made again")
    assert KEY not in store
    write(store, value=2.0)
    read = store.read(KEY)
    assert read is not None
    assert read["flows"]["goodput_bps"][0].as_py() == 2.0


@pytest.mark.filterwarnings("ignore::windlass.errors.StoreWarning")
@pytest.mark.parametrize("name", FILES)
def test_no_flipped_bit_and_no_cut_gives_other_values(store: Store, name: str) -> None:
    write(store)
    file = store.folder(KEY) / name
    data = file.read_bytes()
    for at, byte in enumerate(data):
        for bit in range(8):
            with file.open("r+b") as out:
                out.seek(at)
                out.write(bytes([byte ^ 1 << bit]))
            assert store.read(KEY) is None, f"bit {bit} of byte {at}"
        with file.open("r+b") as out:
            out.seek(at)
            out.write(bytes([byte]))
    assert store.read(KEY) is not None
    for length in range(len(data)):
        file.write_bytes(data[:length])
        assert store.read(KEY) is None, f"{length} bytes of {len(data)}"
    file.write_bytes(data)
    assert store.read(KEY) is not None


@pytest.mark.filterwarnings("ignore::windlass.errors.StoreWarning")
def test_a_flipped_bit_of_a_real_run_never_gives_other_values(small: windlass.Scenario, store: Store) -> None:
    """Each bit stands for its byte in turn: all of them would take a minute."""
    (fresh,) = windlass.sweep(small.with_({"output.traces": ["cwnd"]}), seeds=1, store=store)
    for file in sorted(store.folder(fresh.key).iterdir()):
        data = file.read_bytes()
        for at in range(0, len(data), 7):
            file.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
            assert store.read(fresh.key) is None, f"{file.name}, byte {at}"
        file.write_bytes(data)
    read = store.read(fresh.key)
    assert read is not None
    assert all(read[name].equals(table) for name, table in fresh.tables.items())


def test_exchanged_files_are_noticed(store: Store) -> None:
    write(store)
    folder = store.folder(KEY)
    (folder / "flows.parquet").rename(folder / "other")
    (folder / "losses.parquet").rename(folder / "flows.parquet")
    (folder / "other").rename(folder / "losses.parquet")
    with pytest.warns(StoreWarning, match=r"`flows\.parquet`, `losses\.parquet`: not as"):
        assert store.read(KEY) is None


def test_a_table_that_was_not_written_is_noticed(store: Store) -> None:
    write(store)
    shutil.copy(store.folder(KEY) / "losses.parquet", store.folder(KEY) / "events.parquet")
    with pytest.warns(StoreWarning, match=r"`events\.parquet`"):
        assert store.read(KEY) is None


def test_the_sums_are_those_of_sha256sum(store: Store) -> None:
    write(store)
    folder = store.folder(KEY)
    lines = [line.split("  ") for line in (folder / "sha256sums").read_text().splitlines()]
    assert [name for _, name in lines] == FILES[:-1]
    assert all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == sum_ for sum_, name in lines)


def test_a_run_of_a_version_without_sums_is_not_taken(store: Store) -> None:
    write(store)
    (store.folder(KEY) / "sha256sums").unlink()
    with pytest.warns(StoreWarning, match="there is no `sha256sums`; the run is made again"):
        assert store.read(KEY) is None


def test_a_sweep_makes_damaged_runs_again_and_the_command_says_so(
    sweep_file: Path, store: Store, command: Command
) -> None:
    args = ("sweep", sweep_file, "--store", store.root, "--json")
    first = json.loads(command(*args).stdout)
    key = next(iter(store.keys()))
    file = store.folder(key) / "links.parquet"
    data = bytearray(file.read_bytes())
    data[-20] ^= 1  # in the footer
    file.write_bytes(bytes(data))
    done = command(*args)
    again = json.loads(done.stdout)
    assert (again["runs"], again["from_store"]) == (first["runs"], first["runs"] - 1)
    assert again["summary"] == first["summary"]
    assert done.stderr == (
        f"warning: {store.folder(key)}: `links.parquet`: not as `sha256sums` says; the run is made again\n"
    )
    done = command(*args)
    assert (json.loads(done.stdout)["from_store"], done.stderr) == (first["runs"], "")


def test_two_writers_of_one_run_do_not_disturb_a_reader(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store)
    monkeypatch.setattr("windlass.store._replace", None)  # the second finds the run whole, and leaves it there
    write(store)
    assert store.read(KEY) is not None
    assert [path.name for path in (store.root / "ab").iterdir()] == [KEY]


def test_a_run_under_a_wrong_name_is_not_taken(store: Store) -> None:
    write(store)
    shutil.copytree(store.folder(KEY), store.folder(OTHER))
    with pytest.warns(StoreWarning, match=f"it holds another run, {KEY}"):
        assert store.read(OTHER) is None
    assert store.about(OTHER) is None
    assert store.read(KEY) is not None


def test_tables_of_different_runs_are_not_mixed(store: Store) -> None:
    write(store)
    write(store, OTHER)
    shutil.copy(store.folder(OTHER) / "links.parquet", store.folder(KEY) / "links.parquet")
    with pytest.warns(StoreWarning, match=r"`links\.parquet`"):
        assert store.read(KEY) is None


def test_a_write_that_is_stopped_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    whole = Path.write_bytes

    def stop(path: Path, data: bytes) -> int:
        if written:
            whole(path, data[: len(data) // 2])
            raise KeyboardInterrupt
        written.append(path.name)
        return whole(path, data)

    monkeypatch.setattr(Path, "write_bytes", stop)
    with pytest.raises(KeyboardInterrupt):
        write(store)
    monkeypatch.undo()
    assert written == ["flows.parquet"]
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
    scenario = small.with_({"output.traces": ["cwnd", "queue", "tape"], "output.events": True})
    fresh = windlass.sweep(scenario, store=store)
    again = windlass.sweep(scenario, store=store)
    assert not any(run.stored for run in fresh)
    assert all(run.stored for run in again)
    for name in TABLES:
        assert fresh.table(name).equals(again.table(name), check_metadata=True), name
    assert again.traces.num_rows > 0
