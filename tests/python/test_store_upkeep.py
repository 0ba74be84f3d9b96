"""`windlass store`: what is in a store, whether it is whole, what can go, what comes from elsewhere."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import Command

import windlass
from windlass import Store, _core
from windlass.engine import results_word
from windlass.store import frame, upkeep, writer
from windlass.tables import TABLES

TODAY = results_word(_core.results_of("{}"))

KEYS = [f"{number}" * 64 for number in range(8)]


def tables(value: float) -> dict[str, pa.Table]:
    return {name: pa.table({"x": pa.array([value] * (name == "flows"), pa.float64())}) for name in TABLES}


def write(store: Store, number: int, results: str = TODAY) -> None:
    description = json.dumps({"point": number // 2})
    store.write(KEYS[number], tables(float(number)), description=description, seed=number % 2, results=results)


def values(root: Path) -> dict[int, float]:
    store = Store(root)
    return {KEYS.index(key): store.read(key)["flows"]["x"][0].as_py() for key in list(store.keys())}  # type: ignore[index]


def files(root: Path) -> list[Path]:
    return sorted(root.iterdir())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The default store."""
    return tmp_path / "store"


@pytest.fixture
def several(root: Path) -> Path:
    """Six runs in three files, two of them out of date, one of them twice."""
    stores = [Store(root) for _ in range(3)]
    for number in range(4):
        write(stores[number % 2], number)
    write(stores[2], 4, "results 0, columns 1")
    write(stores[2], 5, "results 0, columns 1")
    stores[2]._places[frame.RUN].clear()
    write(stores[2], 0)
    for store in stores:
        store.close()
    return root


def spoil(file: Path, number: int) -> int:
    """Flip a bit of a run; where the run begins."""
    entries = (one for one in frame.scan(file, 0, file.stat().st_size) if isinstance(one, frame.Entry))
    entry = next(one for one in entries if one.key.hex() == KEYS[number])
    data = bytearray(file.read_bytes())
    data[entry.offset + entry.size - 3] ^= 4
    file.write_bytes(data)
    return entry.offset


def file_of(root: Path, number: int) -> Path:
    return next(file for file in files(root) if bytes.fromhex(KEYS[number]) in file.read_bytes())


# ---- list and check


def test_the_list_has_runs_by_what_made_their_results(several: Path, command: Command) -> None:
    done = command("store", "list")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{several}: 6 runs in 3 files, ")
    assert any(TODAY in line and " 4 " in line and " 2 " in line for line in lines)
    found = json.loads(command("store", "list", "--json", "--store", several).stdout)
    assert (found["files"], found["runs"], found["repeated"], found["damaged"]) == (3, 6, 1, 0)
    assert found["bytes"] == sum(file.stat().st_size for file in files(several))
    versions = {one.pop("results"): one for one in found["versions"]}
    this, other = versions[TODAY], versions["results 0, columns 1"]
    assert (this["runs"], this["points"], this["usable"]) == (4, 2, 4)
    assert (other["runs"], other["points"], other["usable"]) == (2, 1, 0)


def test_an_empty_store(root: Path, command: Command) -> None:
    assert command("store", "list").stdout == f"{root}: 0 runs in 0 files, 0 B\n"
    assert command("store", "check").stdout == f"{root}: 0 runs in 0 files, all whole\n"
    assert command("store", "prune").exit_code == 0
    assert command("store", "import").stdout == ""
    assert not root.exists()


def test_check_names_each_damage_and_ends_with_one(several: Path, command: Command) -> None:
    done = command("store", "check")
    assert (done.exit_code, done.stdout) == (0, f"{several}: 6 runs in 3 files, all whole\n")
    file = file_of(several, 3)
    offset = spoil(file, 3)
    done = command("store", "check")
    assert done.exit_code == 1
    assert done.stdout == (
        f"{file}: a run at byte {offset} is damaged\n1 run is damaged, 5 runs are whole, in 3 files\n"
        "hint: `windlass store prune` takes out what is damaged; sweeps make such runs again\n"
    )
    assert json.loads(command("store", "check", "--json").stdout)["damaged"] == 1
    assert "`windlass store check` says what" in command("store", "list").stdout


def test_check_finds_each_flipped_bit_and_counts_what_is_lost_by_it(root: Path) -> None:
    """Every second byte, a bit in turn: the store's own test has them all. Columns are there twice."""
    store = Store(root)
    write(store, 1)
    store.close()
    (file,) = files(root)
    data = file.read_bytes()
    records = [one for one in frame.scan(file, 0, len(data)) if isinstance(one, frame.Entry)]
    assert {one.kind for one in records} == {frame.RUN, frame.SHAPE, frame.ABOUT, frame.INDEX}
    for record in records:
        for at in range(record.offset, record.offset + record.size, 2):
            file.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
            found = upkeep.contents(root)
            assert found.damage == [f"{file}: {upkeep._WHAT[record.kind]} at byte {record.offset} is damaged"], at
            lost = record.kind == frame.RUN
            assert (found.runs, found.damaged_runs) == (not lost, lost), at


def test_check_says_that_no_run_is_lost_with_one_copy_of_the_columns(several: Path, command: Command) -> None:
    """The first record of a file has the columns of its runs; the second one is its copy."""
    file = file_of(several, 3)
    data = bytearray(file.read_bytes())
    data[0] ^= 1
    file.write_bytes(data)
    done = command("store", "check")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[:2] == [
        f"{file}: a record of columns at byte 0 is damaged",
        "no run is damaged, 6 runs are whole, in 3 files",
    ]
    assert command("store", "prune", "--keep-versions").stdout.splitlines()[0].endswith("stand there twice; kept: 6")
    assert command("store", "check").exit_code == 0


def test_runs_without_columns_are_damaged(root: Path) -> None:
    store = Store(root)
    write(store, 1)
    write(store, 2)
    store.close()
    (file,) = files(root)
    data = bytearray(file.read_bytes())
    for one in list(frame.scan(file, 0, len(data))):
        if isinstance(one, frame.Entry) and one.kind == frame.SHAPE:
            data[one.offset + one.size - 1] ^= 1
    file.write_bytes(data)
    found = upkeep.contents(root)
    # both copies of the columns, and each run that needs them
    assert (found.runs, found.damaged_runs, len(found.damage), found.versions) == (0, 2, 4, [])


def test_several_records_that_are_damaged_together_are_at_least_one_run(root: Path) -> None:
    store = Store(root)
    write(store, 1)
    store.close()
    (file,) = files(root)
    data = file.read_bytes()
    file.write_bytes(b"x" * (len(data) - 100) + data[-100:])
    found = upkeep.contents(root)
    assert (found.runs, found.damaged_runs) == (0, 1)
    assert found.damage == [f"{file}: {len(data)} bytes from byte 0 on are damaged, at least one run"]


# ---- prune


def test_pruning_keeps_what_this_version_can_use_in_one_file(several: Path, command: Command) -> None:
    before = [file.read_bytes() for file in files(several)]
    done = command("store", "prune", "--dry-run")
    assert done.stdout == "runs would be removed: 2 out of date, 1 that stand there twice; kept: 4\n"
    assert [file.read_bytes() for file in files(several)] == before
    done = command("store", "prune")
    assert done.stdout.startswith("runs removed: 2 out of date, 1 that stand there twice; kept: 4\n3 files, ")
    assert len(files(several)) == 1
    assert values(several) == {number: float(number) for number in range(4)}
    assert Store(several).about(KEYS[3]) == {
        "key": KEYS[3], "seed": 1, "results": TODAY, "description": {"point": 1},
    }  # fmt: skip
    assert [Store(several).about(KEYS[number])["description"] for number in range(4)] == [  # type: ignore[index]
        {"point": 0}, {"point": 0}, {"point": 1}, {"point": 1},
    ]  # fmt: skip
    again = files(several)[0].read_bytes()
    assert command("store", "prune").stdout.startswith("runs removed: none; kept: 4\n")
    assert files(several)[0].read_bytes() == again


def test_what_is_out_of_date_stays_if_it_shall(several: Path) -> None:
    assert upkeep.prune(several, outdated=False).kept == 6
    assert values(several) == {number: float(number) for number in range(6)}


def test_pruning_takes_out_what_is_damaged(several: Path, command: Command) -> None:
    spoil(file_of(several, 3), 3)
    done = json.loads(command("store", "prune", "--keep-versions", "--json").stdout)
    assert (done["kept"], done["damaged"]) == (5, 1)
    assert upkeep.contents(several).damage == []
    assert values(several) == {number: float(number) for number in (0, 1, 2, 4, 5)}


def test_a_reader_finds_its_runs_after_pruning(several: Path) -> None:
    reader = Store(several)
    assert reader.read(KEYS[1]) is not None
    upkeep.prune(several)
    read = reader.read(KEYS[2])
    assert read is not None
    assert read["flows"]["x"].to_pylist() == [2.0]


def test_a_file_that_is_written_to_is_left_alone(several: Path, command: Command) -> None:
    writing = Store(several)
    write(writing, 6)
    busy = file_of(several, 6)
    done = command("store", "prune")
    assert f"left alone: {busy}: a sweep is writing to it\n" in done.stdout
    write(writing, 7)
    writing.close()
    assert busy.exists()
    assert values(several).keys() >= {6, 7}


def test_a_file_of_another_machine_is_left_alone_for_an_hour(several: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "boot", lambda: "0123456789ab")
    done = upkeep.prune(several)
    assert len(done.passed_over) == 3
    assert all("another machine wrote to it within the last hour" in line for line in done.passed_over)
    for file in files(several):
        os.utime(file, (time.time() - 4000.0,) * 2)
    assert upkeep.prune(several).passed_over == []
    assert values(several) == {number: float(number) for number in range(4)}


def test_pruning_that_fails_leaves_the_store_as_it_was(several: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {file: file.read_bytes() for file in files(several)}

    def full(place: int, data: bytes) -> int:
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            upkeep.prune(several)
    assert {file: file.read_bytes() for file in files(several)} == before


# ---- import


def test_the_files_of_another_store_are_copied_once(several: Path, tmp_path: Path, command: Command) -> None:
    other = tmp_path / "other"
    store = Store(other)
    write(store, 6)
    store.close()
    (file,) = files(other)
    done = command("store", "import", other)
    assert (done.exit_code, done.stdout) == (0, f"{file}: 1 run copied\n")
    assert values(several) == {number: float(number) for number in range(7)}
    assert command("store", "import", other).stdout == f"{file}: is there already\n"
    write(store, 7)
    store.close()
    command("store", "import", other)
    assert values(several) == {number: float(number) for number in range(8)}
    assert upkeep.contents(several).repeated == 1, "the file that has grown took the place of its copy"
    assert not [file for file in files(several) if file.name.startswith(".")]


def test_a_copy_of_a_damaged_store_is_said_to_be_damaged(several: Path, tmp_path: Path, command: Command) -> None:
    spoil(file_of(several, 3), 3)
    done = command("store", "import", several, "--store", tmp_path / "second")
    assert "2 runs copied, 1 damaged\n" not in done.stdout
    assert "1 run copied, 1 damaged\n" in done.stdout
    with pytest.warns(windlass.StoreWarning):
        assert Store(tmp_path / "second").read(KEYS[3]) is None


@pytest.mark.parametrize("what", ["nothing", "file", "empty"])
def test_what_holds_no_runs_is_refused(tmp_path: Path, command: Command, what: str) -> None:
    place = tmp_path / what
    if what == "file":
        place.write_text("")
    elif what == "empty":
        place.mkdir()
    done = command("store", "import", place)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error[store.no-runs]: {place}: ")
    assert "\nhint: " in done.stderr
