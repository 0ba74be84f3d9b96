"""Folders of results: whole or absent, and what is read is what was written."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from shutil import rmtree

import pytest
from conftest import Command, files_in

import windlass
from windlass import InputError, Scenario, StoreError, output
from windlass.folders import checked, discard, read_manifest, replaced, write_manifest


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in files_in(folder) if (folder / name).is_file()}


def make(folder: Path, files: dict[str, str]) -> None:
    with replaced(folder) as part:
        for name, text in files.items():
            (part / name).parent.mkdir(exist_ok=True)
            (part / name).write_text(text)
        write_manifest(part, {"about": "a test"})


def test_the_manifest_lists_what_is_there(work: Path) -> None:
    make(work / "out", {"a": "1", "sub/b": "2"})
    manifest = read_manifest(work / "out")
    assert (manifest["about"], sorted(manifest["files"])) == ("a test", ["a", "sub/b"])
    assert checked(work / "out", "sub/b", manifest) == b"2"
    assert files_in(work / "out") == ["a", "manifest.json", "sub", "sub/b"]


def test_what_is_no_longer_made_is_removed_and_what_others_put_there_stays(work: Path) -> None:
    make(work / "out", {"a": "1", "sub/b": "2", "more/c": "3"})
    (work / "out" / "notes.txt").write_text("mine")
    (work / "out" / "more" / "notes.txt").write_text("mine")
    make(work / "out", {"a": "4"})
    assert files_in(work / "out") == ["a", "manifest.json", "more", "more/notes.txt", "notes.txt"]
    assert (work / "out" / "a").read_text() == "4"


def test_a_sweep_without_traces_removes_those_of_the_sweep_before(small: Scenario) -> None:
    traced = windlass.sweep(small.with_({"output.traces": ["cwnd", "tape"], "output.events": True}), seeds=1)
    folder = traced.write("results")
    assert {"traces.parquet", "events.parquet"} <= contents(folder).keys()
    windlass.sweep(small, seeds=1).write("results")
    assert contents(folder).keys() == {"flows.parquet", "links.parquet", "summary.csv", "manifest.json"}


def test_discarding_removes_what_the_manifest_lists(work: Path) -> None:
    discard(work / "out")
    assert not (work / "out").exists()
    make(work / "out", {"a": "1"})
    (work / "out" / "notes.txt").write_text("mine")
    discard(work / "out")
    assert files_in(work / "out") == ["notes.txt"]


@pytest.mark.parametrize("call", ["write_text", "fsync"])
@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_full_disk_leaves_the_old_folder_as_it_was(
    small: Scenario, work: Path, monkeypatch: pytest.MonkeyPatch, call: str, times: int
) -> None:
    folder = windlass.sweep(small, seeds=1).write(work / "results")
    (folder / "notes.txt").write_text("mine")
    before = contents(folder)
    more = windlass.sweep(small.with_({"output.traces": ["tape"]}), seeds=3)
    owner = Path if call == "write_text" else os
    whole = getattr(owner, call)

    for target in (folder, work / "new" / "below"):
        left = [times]

        def full(*given: object, left: list[int] = left, **more: object) -> object:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return whole(*given, **more)

        with monkeypatch.context() as patch:
            patch.setattr(owner, call, full)
            with pytest.raises(StoreError, match=f"cannot write to `{target}`: No space left on device") as caught:
                more.write(target)
        assert caught.value.code == "cli.output"
    assert contents(folder) == before
    assert files_in(work) == ["results", *(f"results/{name}" for name in sorted(before))]


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "make room there, or name another folder with `--out DIR`"),
        (errno.EACCES, "name another folder with `--out DIR`"),
    ],
)
def test_a_figure_that_cannot_be_written_names_the_folder_that_the_user_gave(
    work: Path, monkeypatch: pytest.MonkeyPatch, number: int, hint: str
) -> None:
    from matplotlib.figure import Figure

    whole = Path.replace

    def full(file: Path, target: Path) -> Path:
        if target.suffix == ".png":
            raise OSError(number, os.strerror(number))
        return whole(file, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StoreError) as caught, replaced(work / "out") as part:
        windlass.plots.save(Figure(), part / "figure")
    assert (
        str(caught.value) == f"error[cli.output]: cannot write to `{work / 'out'}`: {os.strerror(number)}\nhint: {hint}"
    )
    assert files_in(work) == []


def test_an_index_that_cannot_be_written_names_its_folder(work: Path) -> None:
    from windlass.report.index import write_index

    with pytest.raises(StoreError, match="cannot write to `not/there`: No such file"):
        write_index(Path("not/there"))


@pytest.mark.skipif(os.name != "posix", reason="needs a limit for the size of files")
def test_a_file_that_does_not_fit_leaves_the_old_folder_as_it_was(small: Scenario, work: Path) -> None:
    """The system itself stops the write, also one by Arrow's C++."""
    folder = windlass.sweep(small, seeds=1).write("results")
    before = contents(folder)
    code = (
        "import resource, signal, sys, windlass; from pathlib import Path\n"
        "saved = windlass.from_dict(eval(sys.argv[1]))\n"
        "result = windlass.sweep(saved, seeds=3, store=False)\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))\n"
        "result.write('results')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, repr(small.composed())], capture_output=True, text=True, check=False
    )
    assert "StoreError: error[cli.output]: cannot write to `results`" in done.stderr
    assert contents(folder) == before


def test_a_folder_in_the_place_of_a_file_is_noticed_before_anything_is_moved(work: Path) -> None:
    make(work / "out", {"a": "1", "b": "2"})
    (work / "out" / "c").mkdir()
    before = contents(work / "out")
    with pytest.raises(StoreError, match="`c` is a folder"):
        make(work / "out", {"a": "3", "c": "4"})
    assert contents(work / "out") == before


def test_no_flipped_bit_of_a_folder_gives_other_values(small: Scenario, command: Command) -> None:
    folder = windlass.sweep(small.with_({"sweep": {"topology.bottleneck.loss.rate": ["0 %", "1 %"]}})).write("results")
    true = output.read_sweep(folder)
    for name in ("flows.parquet", "links.parquet", "manifest.json"):
        data = (folder / name).read_bytes()
        for at in range(0, len(data), 23 if name == "manifest.json" else 997):
            (folder / name).write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
            try:
                saved = output.read_sweep(folder)
            except InputError as error:
                assert error.code in ("output.damaged", "plot.no-results")
                assert error.hint is not None
            else:  # white space between the words of the manifest
                assert name == "manifest.json"
                assert (saved.axes, saved.descriptions) == (true.axes, true.descriptions)
                assert saved.flows.equals(true.flows)
        (folder / name).write_bytes(data)
    (folder / "flows.parquet").write_bytes((folder / "links.parquet").read_bytes())
    done = command("plot", folder, "-o", "figure.svg")
    assert done.exit_code == 2
    assert done.stderr.startswith("error[output.damaged]: results: `flows.parquet` is not as it was written\nhint: ")


def test_a_tape_is_read_as_it_was_written(small: Scenario, work: Path, command: Command) -> None:
    run = small.with_({"output.traces": ["tape"]}).sweep(seeds=1)
    tape = next(run.write("results").glob("*.tape"))
    assert command("replay", tape).exit_code == 0
    changed = tape.read_text() + "\n"
    tape.write_text(changed)
    done = command("replay", tape)
    assert (done.exit_code, done.stderr.partition("\n")[0]) == (
        2, f"error[output.damaged]: results: `{tape.name}` is not as it was written",
    )  # fmt: skip
    (work / "mine.tape").write_text(changed)
    assert "output.damaged" not in command("replay", work / "mine.tape").output


def test_folders_of_the_first_format_are_read(small: Scenario) -> None:
    folder = windlass.sweep(small, seeds=1).write("results")
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["sha256"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError) as caught:
        output.read_sweep(folder)
    assert caught.value.code == "output.damaged"
    (folder / "manifest.json").write_text(json.dumps(manifest | {"format": 1}))
    assert output.read_sweep(folder).flows.num_rows == 2
    (folder / "flows.parquet").write_bytes(b"")
    with pytest.raises(InputError) as caught:
        output.read_sweep(folder)
    assert caught.value.code == "output.damaged"


def test_the_next_writer_removes_what_a_killed_one_left(work: Path) -> None:
    make(work / "out", {"a": "1", "b": "2"})
    # killed while files were moved: the manifest is aside, `b` not yet removed, `c` already there
    left = work / "out" / ".part-xyz"
    (left / "new").mkdir(parents=True)
    shutil.move(work / "out" / "manifest.json", left / "before.json")
    for name in ("a", "c"):
        (left / "new" / name).write_text("3")
    write_manifest(left / "new", {})
    (left / "new" / "c").rename(work / "out" / "c")
    with pytest.raises(FileNotFoundError):
        read_manifest(work / "out")
    # and so is the next one, after it has cleared up
    with pytest.raises(KeyboardInterrupt), pytest.MonkeyPatch.context() as patch:
        patch.setattr("windlass.folders._move", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        patch.setattr("windlass.folders.shutil.rmtree", lambda path, **more: rmtree(path) if path == left else None)
        make(work / "out", {"a": "4"})
    assert not left.exists()
    make(work / "out", {"a": "4"})
    assert files_in(work / "out") == ["a", "manifest.json"]


KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from windlass.folders import MANIFEST, checked, read_manifest, replaced, write_manifest

folder, draw = Path(sys.argv[1]), random.Random(2)

def make(number):
    with replaced(folder) as part:
        for name in range(1 + number % 5):
            (part / f"table{name}").write_text(f"{number}\\n" * 1000)
        write_manifest(part, {"number": number})

def look():
    if not (folder / MANIFEST).exists():
        return False
    manifest = read_manifest(folder)
    number = manifest["number"]
    assert len(manifest["files"]) == 1 + number % 5
    for name in manifest["files"]:
        assert checked(folder, name, manifest) == (f"{number}\\n" * 1000).encode()
    assert {path.name for path in folder.iterdir() if path.name[0] != "."} == {*manifest["files"], MANIFEST}
    return True

whole = 0
for kill in range(100):
    make(kill)
    assert look() and not list(folder.glob(".*"))
    heard, told = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            number = 100
            while True:
                make(number)
                number += 1
                os.write(told, b".")
        finally:
            os._exit(1)
    os.read(heard, 1)
    time.sleep(draw.uniform(0.0, 0.02))
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    os.close(heard)
    os.close(told)
    whole += look()
print(whole)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX processes")
def test_after_a_hundred_kills_the_folder_was_always_whole_or_absent(work: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", KILLED, str(work / "out")],
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 0, "most were killed while files were written aside"


AT_ONCE = """
import os, random, sys, time
from pathlib import Path
from windlass.folders import MANIFEST, checked, read_manifest, replaced, write_manifest

def make(folder, who, number):
    with replaced(folder) as part:
        for name in ("a", "b", "c", *(["d"] if (who + number) % 2 else [])):
            (part / name).write_text(f"{who} {number}\\n" * 1000)
        write_manifest(part, {"text": f"{who} {number}\\n"})

failed = torn = 0
for number in range(40):
    folder = Path(sys.argv[1], str(number // 10))
    processes = []
    for who in range(4):
        process = os.fork()
        if process == 0:
            try:
                time.sleep(random.Random(4 * number + who).uniform(0.0, 0.003))
                if who == 3 and number % 3 == 0:
                    with replaced(folder):
                        os._exit(0)  # it dies at work
                make(folder, who, number)
                os._exit(0)
            except Exception as error:
                print(error, file=sys.stderr)
            finally:
                os._exit(1)
        processes.append(process)
    failed += sum(os.waitpid(process, 0)[1] != 0 for process in processes)
    manifest = read_manifest(folder)
    torn += any(checked(folder, name, manifest) != (manifest["text"] * 1000).encode() for name in manifest["files"])
    torn += {path.name for path in folder.iterdir() if path.name[0] != "."} != {*manifest["files"], MANIFEST}
print(failed, torn)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX processes")
def test_of_writers_at_the_same_time_each_ends_well_and_the_folder_is_of_one(work: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", AT_ONCE, str(work)],
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert (done.stderr, done.stdout) == ("", "0 0\n")


@pytest.mark.skipif(os.name != "posix", reason="needs locks")
def test_a_writer_that_waits_too_long_says_who_is_at_work(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from windlass import folders

    monkeypatch.setattr(folders, "PATIENCE_S", 0.05)
    make(work / "out", {"a": "1"})
    with folders._alone(work / "out"), pytest.raises(StoreError, match="another command has been writing there"):
        make(work / "out", {"a": "2"})
    assert (work / "out" / "a").read_text() == "1"
    assert files_in(work / "out") == ["a", "manifest.json"]


HOLDS = """
import sys, time
from pathlib import Path
from windlass.folders import replaced
with replaced(Path("killed")) as part:
    (part / "a").write_text("1")
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs kill -9 and locks")
def test_a_writer_beside_it_removes_what_a_killed_one_left_and_nothing_of_one_that_lives(work: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, cwd=work) as other:
        assert other.stdout is not None and other.stdout.readline() == b"ready\n"
        (part,) = (work / "killed").iterdir()
        make(work / "out", {"a": "1"})
        assert (part / "new" / "a").read_text() == "1", "its writer lives"
        other.kill()
    assert part.exists()
    make(work / "below" / "out", {"a": "1"})
    assert part.exists(), "that is not beside it"
    make(Path("out"), {"a": "2"})
    assert list((work / "killed").iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="needs locks")
def test_a_writer_beside_it_leaves_what_is_needed_or_may_be_of_others(work: Path) -> None:
    make(work / "old", {"a": "1"})

    def left(name: str, files: dict[str, str]) -> Path:
        part = work / "old" / f".part-{name}"
        (part / "new").mkdir(parents=True)
        for file, text in files.items():
            (part / file).write_text(text)
        return part

    nothing = json.dumps({"files": []})
    listed = json.dumps({"files": {"a": "", "b": ""}})
    moving = left("moving", {"gone.json": nothing, "new/b": "2", "new/manifest.json": listed})  # `a` is moved already
    gone = left("gone", {"gone.json": json.dumps({"files": ["b"]}), "new/b": "2"})
    foreign = left("foreign", {"gone.json": nothing, "mine.txt": "mine"})
    begun = work / "old" / ".part-begun"
    begun.mkdir()  # its writer may be about to lock it
    before = left("before", {"gone.json": nothing, "new/a": "", "new/b": "2", "new/manifest.json": listed})
    done = left("done", {"gone.json": nothing, "before.json": "{}"})
    make(work / "out", {"a": "1"})
    assert [one.exists() for one in (moving, gone, foreign, begun, before, done)] == [True] * 4 + [False] * 2
    os.utime(begun, (0.0, 0.0))
    (work / "old" / "manifest.json").rename(moving / "before.json")
    make(work / "out", {"a": "1"})
    assert [one.exists() for one in (moving, begun)] == [True, False]
    make(work / "old", {"a": "1"})
    assert files_in(work / "old") == ["a", "manifest.json"]
