"""The store: all of a run or nothing, never a wrong one."""

from __future__ import annotations

import errno
import json
import os
import pickle
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import Command

import windlass
from windlass import Store, StoreError
from windlass.errors import StoreWarning
from windlass.store import default_root, frame, writer
from windlass.store.log import Log, index_record
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
    store.write(key, tables(value), description='{"scenario": {"duration": "1 s"}}', seed=4, results="v")


def value_of(store: Store, key: str = KEY) -> float | None:
    read = store.read(key)
    return None if read is None else read["flows"]["goodput_bps"][0].as_py()


def files(store: Store) -> list[Path]:
    return sorted(store.root.iterdir())


def entries(file: Path) -> list[frame.Entry]:
    found = list(frame.scan(file, 0, file.stat().st_size))
    assert all(isinstance(one, frame.Entry) for one in found)
    return [one for one in found if isinstance(one, frame.Entry)]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


# ---- one run


@pytest.mark.parametrize("closed", [False, True])
def test_what_is_written_is_read(store: Store, closed: bool) -> None:
    write(store)
    if closed:
        store.close()
    for reader in (store, Store(store.root), pickle.loads(pickle.dumps(store))):
        read = reader.read(KEY)
        assert read is not None
        assert list(read) == ["flows", "links", "stations", "traces", "events", "losses", "tapes"]
        for name, table in tables().items():
            assert read[name].equals(table), name
            assert read[name].schema.equals(table.schema, check_metadata=True), name


def test_tables_of_several_chunks_are_read_as_one(store: Store) -> None:
    flows = pa.concat_tables([tables(1.0)["flows"], tables(2.0)["flows"]])
    store.write(KEY, {**tables(), "flows": flows}, description="{}", seed=1, results="v")
    read = store.read(KEY)
    assert read is not None
    assert read["flows"].equals(flows)


def test_description_seed_and_version_are_kept(store: Store) -> None:
    write(store)
    assert store.about(KEY) == {
        "key": KEY, "seed": 4, "results": "v", "description": {"scenario": {"duration": "1 s"}},
    }  # fmt: skip
    assert store.about(OTHER) is None


def test_descriptions_that_are_alike_take_little_room(store: Store) -> None:
    rest = {f"key {number}": number * 1.37 for number in range(200)}
    texts = {f"{number:064x}": json.dumps({"loss": number, **rest}) for number in range(20)}
    for number, (key, text) in enumerate(texts.items()):
        store.write(key, tables(), description=text, seed=number, results="v")
        if number % 7 == 0:
            store.close()
    abouts = [entry.size for entry in entries(files(store)[0]) if entry.kind == frame.ABOUT]
    assert abouts[0] == abouts[1] > 500
    assert max(abouts[2:]) < 200
    reader = Store(store.root)
    assert [reader.about(key)["description"] for key in texts] == [json.loads(text) for text in texts.values()]  # type: ignore[index]


def test_descriptions_of_several_kinds_are_each_written_as_a_whole_once(store: Store) -> None:
    kinds = [{f"{kind} {number}": number * kind * 1.37 for number in range(200)} for kind in range(3)]
    for number in range(30):
        text = json.dumps(kinds[number % 3] | {"loss": number})
        store.write(f"{number:064x}", tables(), description=text, seed=1, results="v")
    large = [entry.size for entry in entries(files(store)[0]) if entry.kind == frame.ABOUT and entry.size > 300]
    assert len(large) == 2 * 3


def test_what_is_not_there_is_not_there(store: Store) -> None:
    assert store.read(KEY) is None
    assert KEY not in store
    assert list(store.keys()) == []
    store.close()
    assert not store.root.exists(), "looking makes no folder"


def test_writing_twice_keeps_one(store: Store) -> None:
    write(store)
    size = files(store)[0].stat().st_size
    write(store, value=2.0)
    assert files(store)[0].stat().st_size == size
    assert (list(store.keys()), value_of(store)) == ([KEY], 1.0)


def test_other_columns_of_the_same_tables_are_kept_apart(store: Store) -> None:
    write(store)
    more = tables() | {"flows": pa.table({"flow": ["c"], "timeouts": pa.array([1], pa.int64())})}
    store.write(OTHER, more, description="{}", seed=1, results="v")
    write(store, KEY[::-1], 3.0)
    for reader in (store, Store(store.root)):
        read = reader.read(OTHER)
        assert read is not None
        assert read["flows"].equals(more["flows"])
        assert (value_of(reader), value_of(reader, KEY[::-1])) == (1.0, 3.0)


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
    again = windlass.sweep(scenario, store=store.root)
    assert not any(run.stored for run in fresh)
    assert all(run.stored for run in again)
    for name in TABLES:
        assert fresh.table(name).equals(again.table(name), check_metadata=True), name
    assert again.traces.num_rows > 0


# ---- files


def test_many_short_sweeps_share_a_file(small: windlass.Scenario, store: Store) -> None:
    for seed in range(1, 6):
        windlass.sweep(small.with_({"scenario.seeds": [seed]}), store=store.root)
    (file,) = files(store)
    assert [entry.kind for entry in entries(file)].count(frame.RUN) == 5
    with file.open("rb") as opened:
        assert opened.read(8) == frame.MAGIC
    log = Log(file)
    log.news()
    assert (log.open, log.damage) == ([], []), "each sweep leaves an index"
    assert len(list(Store(store.root).keys())) == 5


@pytest.mark.parametrize("seeds", [1, 10])
def test_a_run_with_one_flow_takes_less_than_two_kilobytes(store: Store, seeds: int) -> None:
    one = {
        "scenario": {"name": "one", "duration": "1 s", "seeds": seeds},
        "topology": {"kind": "dumbbell", "pairs": 1, "access": {"rate": "10 Mbps", "delay": "5 ms"},
                     "bottleneck": {"rate": "2 Mbps", "delay": "20 ms", "queue": "20 packets", "loss": "1 %"}},
        "flows": [{"from": "left/*", "to": "right/*", "algorithm": "newreno"}],
        "sweep": {"topology.bottleneck.loss.rate": [f"{rate} %" for rate in range(1, 21)]},
    }  # fmt: skip
    runs = len(windlass.sweep(windlass.from_dict(one), store=store))
    assert sum(file.stat().st_size for file in files(store)) < 2000 * runs


def test_a_full_file_is_not_appended_to(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "FULL", 2500)
    keys = [f"{number:064x}" for number in range(20)]
    for key in keys:
        write(store, key)
    assert len(files(store)) > 2
    assert all(file.stat().st_size < 5000 for file in files(store))
    assert list(Store(store.root).keys()) == keys


def test_two_stores_in_one_folder_have_files_of_their_own_and_see_each_other(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windlass.store.LOOK_S", 0.0)
    second = Store(store.root)
    write(store)
    write(second, OTHER, 2.0)
    assert len(files(store)) == 2
    assert (value_of(store, OTHER), value_of(second, KEY)) == (2.0, 1.0)
    third = "ef" + "2" * 62
    write(store, third, 3.0)
    assert value_of(second, third) == 3.0, "a file that grows is looked at again"


def test_files_of_another_machine_are_read_and_never_appended_to(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store)
    store.close()
    (first,) = files(store)
    data = first.read_bytes()
    monkeypatch.setattr(writer, "boot", lambda: "0123456789ab")
    other = Store(store.root)
    write(other, OTHER, 2.0)
    other.close()
    assert first.read_bytes() == data
    assert len(files(store)) == 2
    assert (value_of(other), value_of(other, OTHER)) == (1.0, 2.0)


def test_copying_its_files_puts_a_store_into_another(store: Store, tmp_path: Path) -> None:
    write(store)
    store.close()
    second = Store(tmp_path / "second")
    write(second, OTHER, 2.0)
    second.close()
    for file in files(second):
        (store.root / file.name).write_bytes(file.read_bytes())
    both = Store(store.root)
    assert (list(both.keys()), value_of(both), value_of(both, OTHER)) == ([KEY, OTHER], 1.0, 2.0)


def test_a_store_that_is_removed_while_it_is_open_is_made_again(store: Store) -> None:
    write(store)
    for file in files(store):
        file.unlink()
    store.root.rmdir()
    write(store, OTHER, 2.0)
    assert value_of(store, OTHER) == 2.0
    assert list(Store(store.root).keys()) == [OTHER]


# ---- damage


@pytest.fixture
def three(store: Store) -> Iterator[Store]:
    """Three runs of tables that are as small as they can be."""
    for number, key in enumerate(KEYS):
        least = {name: pa.table({"x": pa.array([], pa.float64())}) for name in TABLES}
        least["flows"] = pa.table({"x": [float(number)]})
        store.write(key, least, description="{}", seed=number, results="v")
    yield store


KEYS = [f"{number}" * 64 for number in (1, 2, 3)]


def looked_at(root: Path) -> tuple[list[float | None], list[str]]:
    """What a reader finds of the three runs, and what it says."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        store = Store(root)
        found = []
        for key in KEYS:
            read = store.read(key)
            found.append(None if read is None else read["flows"]["x"][0].as_py())
    assert all(issubclass(warning.category, StoreWarning) for warning in said)
    return found, [str(warning.message) for warning in said]


@pytest.mark.parametrize("closed", [False, True])
def test_each_bit_that_is_flipped_costs_one_run_at_most_and_is_reported(three: Store, closed: bool) -> None:
    if closed:
        three.close()
    (file,) = files(three)
    data = file.read_bytes()
    kinds = {at: entry.kind for entry in entries(file) for at in range(entry.offset, entry.offset + entry.size)}
    lost = 0
    with file.open("r+b", buffering=0) as out:
        for at, byte in enumerate(data):
            for bit in range(8):
                out.seek(at)
                out.write(bytes([byte ^ 1 << bit]))
                found, said = looked_at(three.root)
                here = f"bit {bit} of byte {at}, {kinds[at]!r}: {found}, {said}"
                assert all(value in (None, number) for number, value in enumerate(found)), here
                assert found.count(None) == (kinds[at] == frame.RUN), here
                assert said or None not in found, here
                assert said or kinds[at] in (frame.SHAPE, frame.ABOUT), here
                assert all(str(file) in words and "damaged" in words for words in said), here
                lost += found.count(None)
            out.seek(at)
            out.write(bytes([byte]))
    assert lost == 8 * sum(entry.size for entry in entries(file) if entry.kind == frame.RUN)
    assert looked_at(three.root) == ([0.0, 1.0, 2.0], [])


@pytest.mark.parametrize("closed", [False, True])
def test_what_is_cut_off_costs_the_runs_that_it_is_in(three: Store, closed: bool) -> None:
    if closed:
        three.close()
    (file,) = files(three)
    data = file.read_bytes()
    ends = [entry.offset + entry.size for entry in entries(file) if entry.kind == frame.RUN]
    for length in range(len(data)):
        file.write_bytes(data[:length])
        found, _ = looked_at(three.root)
        assert found == [float(number) if end <= length else None for number, end in enumerate(ends)]


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("damage", ["noise", "zeros", "hole", "folder"])
def test_other_damage_gives_no_other_values(three: Store, closed: bool, damage: str) -> None:
    if closed:
        three.close()
    (file,) = files(three)
    data = file.read_bytes()
    middle = next(entry for entry in entries(file) if entry.key.hex() == KEYS[1])
    before, after = data[: middle.offset - 20], data[middle.offset + middle.size + 20 :]
    match damage:
        case "noise":
            file.write_bytes(before + os.urandom(middle.size + 40) + after)
        case "zeros":
            file.write_bytes(before + bytes(middle.size + 40) + after)
        case "hole":
            file.write_bytes(before + after)
        case "folder":
            file.unlink()
            file.mkdir()
    found, said = looked_at(three.root)
    assert all(value in (None, number) for number, value in enumerate(found))
    assert found[1] is None
    assert said


def test_a_run_under_another_key_is_not_taken(three: Store) -> None:
    (file,) = files(three)
    shared, (first, second, third) = entries(file)[:-3], entries(file)[-3:]
    with file.open("ab") as out:
        out.write(index_record([*shared, second._replace(key=first.key), second, third], None))
    found, said = looked_at(three.root)
    assert found == [None, 1.0, 2.0]
    assert said == [f"{file}: the run at byte {second.offset} is damaged; it is made again"]


def test_a_damaged_run_can_be_written_again_and_is_no_longer_reported(three: Store) -> None:
    three.close()
    (file,) = files(three)
    entry = next(entry for entry in entries(file) if entry.key.hex() == KEYS[1])
    data = bytearray(file.read_bytes())
    data[entry.offset + entry.size - 1] ^= 16
    file.write_bytes(data)
    store = Store(three.root)
    with pytest.warns(StoreWarning, match=f"the run at byte {entry.offset} is damaged; it is made again"):
        assert store.read(KEYS[1]) is None
    assert list(store.keys()) == [KEYS[0], KEYS[2]]
    least = {name: pa.table({"x": pa.array([1.0] * (name == "flows"), pa.float64())}) for name in TABLES}
    store.write(KEYS[1], least, description="{}", seed=1, results="v")
    store.close()
    assert looked_at(store.root) == ([0.0, 1.0, 2.0], [])


def test_damaged_columns_cost_their_runs_once(three: Store) -> None:
    three.close()
    (file,) = files(three)
    data = bytearray(file.read_bytes())
    for entry in entries(file):
        if entry.kind == frame.SHAPE:
            data[entry.offset + entry.size - 1] ^= 1
    file.write_bytes(data)
    found, said = looked_at(three.root)
    assert (found, len(said)) == ([None, None, None], 3)
    store = Store(three.root)
    with pytest.warns(StoreWarning, match="is damaged"):
        assert store.read(KEYS[1]) is None
    least = {name: pa.table({"x": pa.array([1.0] * (name == "flows"), pa.float64())}) for name in TABLES}
    store.write(KEYS[1], least, description="{}", seed=1, results="v")
    store.close()
    assert looked_at(three.root) == ([0.0, 1.0, 2.0], []), "with their columns the others are whole again"


def test_a_file_that_cannot_be_read_to_its_end_is_not_appended_to(
    three: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = files(three)
    three.close()
    data = file.read_bytes()

    def fail(log: Log, end: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    store = Store(three.root)
    with monkeypatch.context() as patch:
        patch.setattr(Log, "_by_index", fail)
        with pytest.warns(StoreWarning, match="cannot be read: Input/output error; its runs are made again"):
            write(store)
    store.close()
    assert file.read_bytes() == data
    assert len(files(store)) == 2


def test_many_damaged_runs_of_a_file_are_counted(store: Store) -> None:
    keys = [f"{number:064x}" for number in range(10)]
    for key in keys:
        write(store, key)
    store.close()
    (file,) = files(store)
    data = bytearray(file.read_bytes())
    for entry in entries(file):
        if entry.kind == frame.RUN:
            data[entry.offset + entry.size - 1] ^= 1
    file.write_bytes(data)
    reader = Store(store.root)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert all(reader.read(key) is None for key in keys)
        reader.close()
    texts = [str(warning.message) for warning in said]
    assert len(texts) == 4
    assert texts[-1] == f"{file}: 10 damaged runs in all; `windlass store prune` takes them out"


def test_a_sweep_makes_damaged_runs_again_and_the_command_says_so(
    sweep_file: Path, store: Store, command: Command
) -> None:
    args = ("sweep", sweep_file, "--store", store.root, "--json")
    first = json.loads(command(*args).stdout)
    (file,) = files(store)
    entry = [one for one in entries(file) if one.kind == frame.RUN][2]
    data = bytearray(file.read_bytes())
    data[entry.offset + 300] ^= 1
    file.write_bytes(data)
    done = command(*args)
    again = json.loads(done.stdout)
    assert (again["runs"], again["from_store"]) == (first["runs"], first["runs"] - 1)
    assert again["summary"] == first["summary"]
    assert done.stderr == f"warning: {file}: the run at byte {entry.offset} is damaged; it is made again\n"
    done = command(*args)
    assert (json.loads(done.stdout)["from_store"], done.stderr) == (first["runs"], "")


# ---- writers that are stopped


def test_a_full_disk_leaves_what_was_there(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store)
    (file,) = files(store)
    data = file.read_bytes()
    whole, rest = os.write, [300]

    def full(place: int, piece: bytes) -> int:
        if rest[0] == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = whole(place, piece[: rest[0]])
        rest[0] -= written
        return written

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match="No space left on device") as caught:
        write(store, OTHER)
    assert caught.value.hint is not None
    assert file.read_bytes() == data
    store.close()  # nor is there room for the index
    assert file.read_bytes() == data
    monkeypatch.undo()
    write(store, OTHER, 2.0)
    assert (value_of(store), value_of(store, OTHER)) == (1.0, 2.0)
    assert len(files(store)) == 1


def test_an_exception_in_the_middle_of_a_write_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store)
    whole = os.write

    def stop(place: int, piece: bytes) -> int:
        whole(place, piece[: len(piece) // 2])
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        write(store, OTHER)
    monkeypatch.undo()
    assert [entry.kind for entry in entries(files(store)[0])].count(frame.RUN) == 1
    assert Store(store.root).read(OTHER) is None


def test_the_next_writer_clears_up_after_one_that_was_killed(store: Store) -> None:
    write(store)
    store.close()
    (file,) = files(store)
    whole = file.stat().st_size
    with file.open("ab") as out:
        out.write(frame.packed(frame.RUN, bytes.fromhex(OTHER), b"x" * 500)[:-1])
    left = file.with_name(f".{file.name[:12]}-{'0' * 16}.part")
    older, newer = (file.with_name(f".0123456789ab-{digit * 16}.part") for digit in "01")
    for part in (left, older, newer):
        part.write_bytes(b"half of a file")
    os.utime(older, (time.time() - 4000.0,) * 2)
    assert looked_at(store.root)[1] == [], "it is no damage"
    again = Store(store.root)
    write(again, OTHER, 2.0)
    assert files(store) == [newer, file], "another machine may be writing that"
    assert entries(file)[-1].offset == whole
    assert (value_of(again), value_of(again, OTHER)) == (1.0, 2.0)


KILLED = """
import os, signal, sys, time
from pathlib import Path
import pyarrow as pa
from windlass.store import Store
from windlass.tables import TABLES

root, seed, kills = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
import random
draw = random.Random(seed)

def tables(number):
    made = {name: pa.table({"x": pa.array([], pa.float64())}) for name in TABLES}
    return made | {"flows": pa.table({"x": [float(number)] * 50})}

def child(start, told):
    store = Store(root)
    number = start
    while True:
        store.write(f"{number:064x}", tables(number), description="{}", seed=number, results="v")
        os.write(told, b"%d\\n" % number)
        number += 1
        if number % 17 == 0:
            store.close()

Store(root).write(f"{0:064x}", tables(0), description="{}", seed=0, results="v")
start = 1
for _ in range(kills):
    heard, told = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            child(start, told)
        finally:
            os._exit(1)
    os.close(told)
    os.read(heard, 1)
    time.sleep(draw.uniform(0.0, 0.02))
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    rest = b""
    while piece := os.read(heard, 65536):
        rest += piece
    os.close(heard)
    finished = start - 1 + max(1, rest.count(b"\\n"))
    store = Store(root)
    for number in (0, *range(start, finished + 1)):
        found = store.read(f"{number:064x}")
        assert found is not None and found["flows"].equals(tables(number)["flows"]), number
    assert len(list(store.keys())) in (finished + 1, finished + 2), (finished, len(list(store.keys())))
    start = len(list(store.keys()))
print(start, sum(1 for _ in root.iterdir()))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX processes")
def test_of_a_hundred_writers_that_are_killed_each_finished_run_is_there(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", KILLED, str(tmp_path / "runs"), "1", "100"],
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    runs, left = map(int, done.stdout.split())
    assert runs > 200
    assert left == 1, "no leftovers: the same file was taken up each time"
