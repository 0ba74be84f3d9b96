"""What a user can cause outside the engine: names, pipes, devices, streams, classes. Never a traceback."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest
from click.testing import Result
from conftest import Command

import windlass
from windlass import inputs
from windlass.cli import group
from windlass.errors import InputError, visible

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files")

SCENARIO = """
[scenario]
name = "s"
duration = "1 s"
[topology]
kind = "dumbbell"
access = { rate = "100 Mbps", delay = "1 ms" }
bottleneck = { rate = "1 Mbps", delay = "5 ms", queue = "10 packets" }
[[flows]]
name = "flow"
from = "left/0"
to = "right/0"
algorithm = "newreno"
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "s.toml"
    file.write_text(SCENARIO)
    return file


def process(*args: str | bytes, **more: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "windlass", *args]
    return subprocess.run(command, capture_output="stdout" not in more, timeout=120, check=False, **more)  # type: ignore[call-overload]


# ---- files ----


@pytest.mark.parametrize("name", ["x" * 300, "/tmp/" + "y" * 300 + "/a.toml", "a\0b"])
def test_a_name_that_no_file_can_have(command: Command, name: str) -> None:
    with pytest.raises(InputError) as caught:
        windlass.load(name)
    assert caught.value.code == "file.missing"
    if "\0" not in name:
        result = command("run", name)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 2)


@posix
def test_names_and_values_that_are_no_text(small: Path) -> None:
    result = process("run", b"\xff\xfe.toml")
    assert result.returncode == 2
    assert b"error[file.missing]: \\udcff\\udcfe.toml" in result.stderr
    result = process("run", str(small), "--set", b"flows.algorithm=\xff")
    assert result.returncode == 2
    assert b"is not UTF-8 text" in result.stderr


@posix
def test_devices_are_not_read() -> None:
    with pytest.raises(InputError) as caught:
        windlass.load("/dev/zero")
    assert caught.value.code == "file.special"
    with pytest.raises(InputError) as caught:
        inputs.read_text("/dev/null")
    assert caught.value.code == "file.special"


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "large.toml"
    with file.open("wb") as out:
        out.truncate(3 << 30)  # takes no room
    began = time.process_time()
    with pytest.raises(InputError, match="larger than 16 MiB") as caught:
        windlass.load(file)
    assert caught.value.code == "file.too-large"
    assert time.process_time() - began < 1.0


def test_a_file_that_grows_while_it_is_read(monkeypatch: pytest.MonkeyPatch, small: Path) -> None:
    monkeypatch.setattr(inputs.os, "fstat", lambda _: os.stat_result([0o100644, *[0] * 9]))  # it says 0 bytes
    with pytest.raises(InputError, match="larger than"):
        inputs.read_text(small, most=20)


@posix
def test_a_pipe_is_read_to_its_end_and_waited_for_a_while(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, small: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        time.sleep(0.3)
        with pipe.open("w") as out:
            out.write(SCENARIO[:40])
            out.flush()
            time.sleep(0.3)
            out.write(SCENARIO[40:])

    writer = threading.Thread(target=write)
    writer.start()
    assert windlass.load(pipe).name == "s"
    writer.join()
    monkeypatch.setattr(inputs, "PATIENCE_S", 0.2)
    with pytest.raises(InputError, match="nothing comes through") as caught:
        windlass.load(pipe)
    assert caught.value.code == "file.silent"


@posix
def test_what_a_folder_of_scripts_or_a_reference_has_is_not_read_whole(tmp_path: Path) -> None:
    from windlass.validation.linux import reference
    from windlass.validation.packetdrill import running

    endless = tmp_path / "a.pkt"
    endless.symlink_to("/dev/zero")
    assert running.play_file(endless).reason == "is a device, not a file"
    assert running.play_file(endless).verdict == "unreadable"
    (tmp_path / "droplist").mkdir()
    (tmp_path / "droplist" / "summary.csv").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="is a device"):
        reference.read(tmp_path)


def test_a_packed_trace_is_not_unpacked_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from windlass.validation.linux import reference

    (tmp_path / "one.sent.csv.gz").write_bytes(gzip.compress(b"time\n" + bytes(2000)))
    monkeypatch.setattr(inputs, "MOST_RECORDED", 1000)
    with pytest.raises(InputError, match="unpacks to more than") as caught:
        reference._trace(tmp_path, "one", "sent", ("time",))
    assert caught.value.code == "file.too-large"


NOWHERE = Path("/proc/windlass-out")
"""Where not even root can write, though it looks as if."""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    "args",
    [
        ("run", "s.toml", "--out", NOWHERE),
        ("sweep", "s.toml", "--out", NOWHERE / "below"),
        ("compare", "newreno", "veno", "--path", "s.toml", "-o", NOWHERE / "page.html"),
        ("plot", "s.toml", "-o", NOWHERE / "a.svg"),
        ("plot", "s.toml", "-o", "a.svg", "--data", NOWHERE / "a.csv"),
        ("export", "s.toml", "-o", NOWHERE / "a.pcapng"),
        ("reproduce", "saedi2019/fig3.5", "--quick", "--out", NOWHERE),
        ("serve", "s.toml", "--export", NOWHERE / "a.html"),
    ],
    ids=lambda args: f"{args[0]} {args[-2]}",
)
def test_outputs_are_tried_before_the_run(
    command: Command, monkeypatch: pytest.MonkeyPatch, small: Path, args: tuple[object, ...]
) -> None:
    def made(*_: object, **__: object) -> None:
        raise AssertionError("a run was made")

    monkeypatch.setattr(windlass.Point, "run", made)
    monkeypatch.chdir(small.parent)
    result = command(*args)
    assert result.exit_code == 2
    assert "error[cli.output]: " in result.stderr
    assert "No such file or directory" in result.stderr
    assert str(NOWHERE) in result.stderr


def test_trying_an_output_leaves_it_as_it_is(tmp_path: Path) -> None:
    from windlass.cli.files import check_file

    place = tmp_path / "place"
    place.mkdir()
    (place / "old.svg").write_text("as it was")
    for name in ("new/below/a.svg", "new.svg", "old.svg", "/dev/stdout"):
        check_file(place / name)
    assert [(one.name, one.read_text()) for one in place.iterdir()] == [("old.svg", "as it was")]


# ---- options ----


@pytest.mark.parametrize(
    "args",
    [("run", "--out", ""), ("sweep", "--store", ""), ("sweep", "--out", " "), ("run", "--out", "z" * 256)],
)
def test_places_without_a_name_are_refused(command: Command, small: Path, args: tuple[str, ...]) -> None:
    result = command(args[0], small, *args[1:])
    assert result.exit_code == 2
    assert f"invalid value for `{args[1]}`" in result.stderr


@pytest.mark.parametrize("seed", ["9223372036854775808", "-1"])
def test_a_seed_that_is_none(command: Command, small: Path, seed: str) -> None:
    result = command("run", small, "--seed", seed)
    assert result.exit_code == 2
    assert "it must be from 0 to 9223372036854775807" in result.stderr
    assert command("run", small, "--seed", "9223372036854775807").exit_code == 0
    with pytest.raises(InputError):
        windlass.sweep(windlass.load(small), seeds=[1, int(seed)], store=False)


def test_a_precision_of_something_that_is_no_number(command: Command, small: Path) -> None:
    result = command("sweep", small, "--precision", "2%", "--metric", "flow", "--seeds", "3")
    assert result.exit_code == 2
    assert "`flow` of flows is no number" in result.stderr
    assert "`goodput_bps`" in result.stderr


# ---- streams ----


@posix
def test_full_and_closed_streams(small: Path) -> None:
    for args in (["list", "algorithms"], ["run", str(small), "--json"]):
        with Path("/dev/full").open("w") as full:
            result = process(*args, stdout=full, stderr=subprocess.PIPE)
        assert result.returncode == 2
        assert b"error[cli.output]: standard output: No space left on device" in result.stderr
        assert b"Traceback" not in result.stderr
    shell = f"{sys.executable} -m windlass list queues >&-; echo $?"
    found = subprocess.run(["sh", "-c", shell], capture_output=True, timeout=120, check=True)
    assert found.stdout.strip() in (b"0", b"2"), found.stderr
    assert b"Traceback" not in found.stderr


def test_what_a_terminal_would_obey_is_shown(command: Command, tmp_path: Path, small: Path) -> None:
    assert visible("a\x1b[31m\tü\n\u202e") == "a\\x1b[31m\tü\n\\u202e"
    result = command("run", "\x1b[2Jred.toml")
    assert "\x1b" not in result.stderr
    assert "\\x1b[2Jred.toml" in result.stderr
    own = tmp_path / "own.py"
    own.write_text(CLASSES)
    result = command("run", small, "--python", own, "--set", "flows.algorithm=hostile-colour")
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
    assert "ValueError: \\x1b[31mred" in result.stderr


def test_tables_in_pipes_are_as_wide_as_asked_for(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = max(map(len, command("list", "algorithms").stdout.splitlines()))
    monkeypatch.setenv("COLUMNS", "70")
    assert max(map(len, command("list", "algorithms").stdout.splitlines())) <= 70 < wide
    monkeypatch.setenv("COLUMNS", "none")
    assert max(map(len, command("list", "algorithms").stdout.splitlines())) == wide


# ---- classes of the user's own ----

CLASSES = """
import os
import windlass


class Colour(windlass.CongestionControl):
    name = "hostile-colour"

    def on_ack(self, ack, path):
        raise ValueError(chr(27) + "[31mred")


class Leaves(windlass.CongestionControl):
    name = "hostile-leaves"

    def on_ack(self, ack, path):
        raise GeneratorExit("gone")


class Moves(windlass.CongestionControl):
    name = "hostile-moves"

    def on_ack(self, ack, path):
        os.chdir("/")
"""


def test_a_class_that_leaves_and_one_that_moves(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, small: Path
) -> None:
    own = tmp_path / "own.py"
    own.write_text(CLASSES)
    monkeypatch.chdir(tmp_path)
    result = command("run", small, "--python", own, "--set", "flows.algorithm=hostile-leaves")
    assert result.exit_code == 2
    assert "error[algorithm.failed]" in result.stderr
    assert "GeneratorExit: gone" in result.stderr
    result = command("run", small, "--python", own, "--set", "flows.algorithm=hostile-moves", "--out", "here")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "here" / "manifest.json").is_file()
    assert Path.cwd() == tmp_path


def own(folder: Path, body: str, *, before: str = "") -> Path:
    """A file with one class `hostile`, whose body is given."""
    file = folder / "own.py"
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    file.write_text(f"import windlass\n{before}\n\nclass Hostile(windlass.CongestionControl):\n{lines}\n")
    return file


def run_own(command: Command, small: Path, file: Path, *more: str) -> Result:
    return command("run", small, "--python", file, "--set", "flows.algorithm=hostile", *more)


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "SystemExit(99)", "Own(130)", "Silent()"])
@pytest.mark.parametrize("where", ["file", "method"])
def test_whatever_a_class_raises_is_an_error_with_its_line(
    command: Command, tmp_path: Path, small: Path, error: str, where: str
) -> None:
    classes = """
class Own(BaseException):
    pass

class Silent(BaseException):
    def __str__(self):
        raise Own
"""
    raises = f"raise {error}"
    if where == "file":
        file = own(tmp_path, "pass", before=f"{classes}\n{raises}")
    else:
        file = own(tmp_path, f"def on_ack(self, ack, path):\n    {raises}", before=classes)
    line = file.read_text().splitlines().index(f"{'' if where == 'file' else '        '}{raises}") + 1
    done = run_own(command, small, file)
    assert done.exit_code == 2, done.output
    assert f"own.py, line {line}: {error.partition('(')[0]}" in done.stderr
    assert done.stderr.startswith("error[algorithm.failed]: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("head", ["def on_ack(self, ack, path):\n    yield", "async def on_recovery_exit(self, *given):\n    pass",
                                  "async def on_init(self, *given):\n    yield 1", "def pacing_rate(self):\n    yield 1.0"])  # fmt: skip
def test_a_method_that_would_never_run_is_refused(command: Command, tmp_path: Path, small: Path, head: str) -> None:
    done = run_own(command, small, own(tmp_path, head))
    assert done.exit_code == 2
    assert "error[algorithm.class]: " in done.stderr
    assert "is a generator or a coroutine, and nothing in it would run" in done.stderr
    # one that hides it is found when it is called
    hidden = own(tmp_path, "def on_ack(self, ack, path):\n    return (self.cwnd for _ in range(3))")
    done = run_own(command, small, hidden)
    assert done.exit_code == 2
    assert "on_ack: ValueError: it answered a generator, of which nothing was run" in done.stderr


def test_the_text_of_an_exception_is_shortened(command: Command, tmp_path: Path, small: Path) -> None:
    done = run_own(command, small, own(tmp_path, "def on_ack(self, ack, path):\n    raise ValueError('a' * 100000)"))
    assert done.exit_code == 2
    assert "ValueError: aaa" in done.stderr
    assert len(done.stderr) < 1000


def test_what_a_class_prints_goes_to_stderr(command: Command, tmp_path: Path, small: Path) -> None:
    body = "def on_ack(self, ack, path):\n    super().on_ack(ack, path)\n    print('said')\n    sys.stdout.close()"
    done = run_own(command, small, own(tmp_path, body, before="import sys\nprint('read')"), "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["scenario"] == "s"
    assert done.stderr.startswith("read\nsaid\nsaid\n")


@pytest.mark.parametrize("window", [1e13, 1e308])
def test_a_window_that_takes_more_memory_than_is_allowed(
    command: Command, tmp_path: Path, small: Path, window: float
) -> None:
    file = own(tmp_path, f"def on_ack(self, ack, path):\n    self.cwnd = {window}")
    done = run_own(command, small, file, "--max-memory", "100MB")
    assert done.exit_code == 2, done.output
    assert "the segments that it and other flows let out take up to" in done.stderr
    assert "own.py, line 5" in done.stderr


@posix
def test_ctrl_c_ends_a_run_whose_class_sleeps_or_catches_it(tmp_path: Path, small: Path) -> None:
    body = """def on_ack(self, ack, path):
    print("here", flush=True)
    while True:
        try:
            time.sleep(10**6)
        except BaseException:
            pass"""
    file = own(tmp_path, body, before="import time")
    words = [
        sys.executable,
        "-m",
        "windlass",
        "run",
        str(small),
        "--python",
        str(file),
        "--set",
        "flows.algorithm=hostile",
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None and process.stderr.readline() == b"here\n"
        process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, said) == (130, b"stopped before the end of the run\n")


# ---- stores that others put together ----


@pytest.fixture
def kept(small: Path, tmp_path: Path) -> Path:
    """The one file of a store with two runs."""
    store = windlass.Store(tmp_path / "store")
    windlass.sweep(windlass.load(small), seeds=2, store=store, jobs=1)
    store.close()
    (file,) = store.root.glob("*.runs")
    return file


@posix
def test_what_only_has_the_name_of_a_file_of_a_store(command: Command, kept: Path, small: Path) -> None:
    os.mkfifo(kept.with_name("pipe.runs"))
    kept.with_name("link.runs").symlink_to("nowhere")
    kept.with_name("zero.runs").symlink_to("/dev/zero")
    done = command("store", "check", "--store", kept.parent)
    assert done.exit_code == 1
    assert [line.partition(": ")[2] for line in done.stdout.splitlines()[:3]] == ["is no file"] * 3
    assert "no run is damaged, 2 runs are whole, in 1 file" in done.stdout
    for words in (("list",), ("prune",), ("prune", "--dry-run")):
        assert command("store", *words, "--store", kept.parent).exit_code == 0
    found = windlass.sweep(windlass.load(small), seeds=2, store=kept.parent)
    assert [run.stored for run in found.runs] == [True, True]


@pytest.mark.parametrize("lost", [1, 100, 3000])
def test_a_file_of_a_store_that_is_cut_short_is_damaged(command: Command, kept: Path, lost: int) -> None:
    data = kept.read_bytes()
    kept.write_bytes(data[:-lost])
    done = command("store", "check", "--store", kept.parent)
    assert done.exit_code == 1, done.output
    assert "is not all there: the file is cut short" in done.stdout


def test_records_with_right_sums_and_wrong_content_are_damage(kept: Path, small: Path) -> None:
    """Neither a hang, nor the memory that they speak of, nor an exception; what is whole beside them is read."""
    import struct
    import zlib

    from windlass.store import frame, log, upkeep
    from windlass.store.frame import ABOUT, HEAD, INDEX, RUN, SHAPE

    data = kept.read_bytes()
    (entry, *_) = (one for one in frame.scan(kept, 0, len(data)) if isinstance(one, frame.Entry) and one.kind == RUN)
    record = data[entry.offset + HEAD : entry.offset + entry.size]
    head, count = record[:72], record[72]
    body = record[73 + 8 * count :]
    key = bytes(range(32))

    def run(*lengths: int, shape: bytes = head[8:40], about: bytes = head[40:72]) -> bytes:
        known = bytes([len(lengths)]) + struct.pack(f"<{len(lengths)}Q", *lengths)
        return frame.packed(RUN, key, head[:8] + shape + about + known + body)

    def index(*entries: frame.Entry, before: tuple[int, int] = ((1 << 64) - 1, 0)) -> bytes:
        rows = struct.pack("<QQ", *before) + b"".join(struct.pack("<4s32sQQ", *one) for one in entries)
        return frame.packed(INDEX, bytes(32), rows + struct.pack("<Q8s", HEAD + len(rows) + 16, b"WLindex\n"))

    def shape(text: bytes) -> bytes:
        own = frame.content_key(text)
        return frame.packed(SHAPE, own, bytes(32) + zlib.compress(text)) + run(*[0] * count, shape=own)

    def about(base: bytes, packed: bytes) -> bytes:
        return frame.packed(ABOUT, key, base + packed) + run(*[0] * count, about=key)

    size = len(index())
    hostile = {
        "index of itself": index(before=(len(data), size)),
        "index of what is far away": index(frame.Entry(RUN, entry.key, 1 << 62, 1 << 62)),
        "index of a terabyte": index(frame.Entry(RUN, entry.key, 0, 1 << 40)),
        "index of a part of a row": frame.packed(INDEX, bytes(32), bytes(20) + struct.pack("<Q8s", HEAD + 36, b"WLindex\n")),
        "terabyte": run(1 << 40, *[0] * (count - 1)),
        "too few": run(5, 5),
        "nothing": frame.packed(RUN, key, b""),
        "other columns": run(*[5] * count, shape=bytes(32)),
        "list": shape(b"["),
        "nested": shape(b"[" * 100_000),
        "no columns": shape(b"{}"),
        "columns of nothing": shape(b'{"engine_version": 5, "tables": {"a": "b"}}'),
        "text of itself": about(key, zlib.compress(b"{}")),
        "text of a gigabyte": about(bytes(32), zlib.compress(bytes(1 << 28), 1)),
    }  # fmt: skip
    began = time.process_time()
    for name, more in hostile.items():
        kept.write_bytes(data + more)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", windlass.StoreWarning)
            store = windlass.Store(kept.parent)
            whole = [store.read(one) for one in list(store.keys()) if store.about(one) is not None]
            found = upkeep.contents(kept.parent)
            upkeep.prune(kept.parent, dry_run=True)
        assert name.startswith("index") or sum(one is not None for one in whole) >= 2, name
        assert found.runs >= 2, name
        assert log.files_in(kept.parent) == [kept]
    assert time.process_time() - began < 10.0


# ---- folders of results that were edited ----


@posix
@pytest.mark.parametrize("what", ["pipe", "nested", "list of files", "no points", "words", "no tables"])
def test_manifests_that_were_edited_with_right_sums(
    command: Command, monkeypatch: pytest.MonkeyPatch, small: Path, what: str
) -> None:
    from windlass import folders

    monkeypatch.chdir(small.parent)
    windlass.sweep(windlass.load(small), seeds=1, store=False).write("out")
    file = Path("out", folders.MANIFEST)
    manifest = json.loads(file.read_text())
    match what:
        case "pipe":
            file.unlink()
            os.mkfifo(file)
        case "nested":
            file.write_text("[" * 100_000)
        case "list of files":
            manifest["files"] = list(manifest["files"])
        case "no points":
            manifest["points"] = [5]
        case "words":
            manifest["points"] = [{"axes": "axes", "seeds": {}, "description": "words"}]
        case "no tables":
            manifest["points"][0]["axes"] = {"no.such.column": 1}
    if what not in ("pipe", "nested"):
        del manifest["sha256"]
        file.write_text(json.dumps({**manifest, "sha256": folders._own_hash(manifest)}))
    for words in (("plot", "out", "-o", "a.svg"), ("export", "out", "-o", "a.pcapng")):
        done = command(*words)
        refused = (2, "error") if words[0] == "plot" or what != "no tables" else (0, done.stderr.partition("[")[0])
        assert (done.exit_code, done.stderr.partition("[")[0]) == refused, done.stderr
    done = command("sweep", small, "--seeds", "1", "--out", "out", "--no-store")
    assert done.exit_code == 0, done.output
    assert windlass.output.read_sweep(Path("out")).flows.num_rows == 1


def test_claims_are_held_against_their_manifest(tmp_path: Path) -> None:
    from windlass.folders import replaced, write_manifest
    from windlass.report import last_verdicts

    def claims(count: int) -> str:
        return json.dumps({"experiment": "rana/fig2", "verdicts": {"reproduced": count}})

    folder = tmp_path / "rana" / "fig2"
    with replaced(folder) as part:
        (part / "claims.json").write_text(claims(1))
        write_manifest(part, {"runs": 4})
    found = last_verdicts(tmp_path, "rana/fig2")
    assert found is not None and found["verdicts"] == {"reproduced": 1}
    (folder / "claims.json").write_text(claims(9))
    assert last_verdicts(tmp_path, "rana/fig2") is None


def test_bins_longer_than_the_run_are_one(command: Command, monkeypatch: pytest.MonkeyPatch, small: Path) -> None:
    monkeypatch.chdir(small.parent)
    for length in ("1e30 s", "1e300 s", "2 s"):
        done = command("plot", "s.toml", "--kind", "throughput", "--bin", length, "-o", "a.svg", "--data", "a.csv")
        assert done.exit_code == 0, done.output
        assert len(Path("a.csv").read_text().splitlines()) == 2


def test_connections_that_say_nothing_do_not_keep_the_page_away() -> None:
    import re
    import socket
    import urllib.request

    words = [sys.executable, "-m", "windlass", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r":(\d+)/", process.stdout.readline())
            assert found is not None
            address = ("127.0.0.1", int(found[1]))
            silent = [socket.create_connection(address) for _ in range(100)]
            for one in silent:
                one.sendall(b"GET / HT")
            with urllib.request.urlopen(f"http://{address[0]}:{address[1]}/", timeout=20) as page:
                assert page.status == 200
            for one in silent:
                one.settimeout(20)
                assert one.recv(1) == b"", "it is closed"
                one.close()
        finally:
            process.kill()


# ---- what nobody foresaw ----


def test_what_is_left_has_a_code_and_says_how_to_report_it(
    command: Command, monkeypatch: pytest.MonkeyPatch, small: Path
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("of \x1b[1mall things")

    monkeypatch.setattr(windlass, "run", broken)
    result = command("run", small)
    assert result.exit_code == 3
    assert result.stderr.startswith(
        "error[internal]: Windlass is broken here: ZeroDivisionError: of \\x1b[1mall things\n"
    )
    assert f"hint: please report it with the command, the file and what `{group.DEBUG}=1`" in result.stderr
    assert "Traceback" not in result.stderr
    monkeypatch.setenv(group.DEBUG, "1")
    assert "Traceback" in command("run", small).stderr


@pytest.mark.parametrize(("error", "code"), [
    (MemoryError(), "internal.memory"), (PermissionError(13, "Permission denied", "/x"), "cli.system")
])  # fmt: skip
def test_what_the_machine_refuses(
    command: Command, monkeypatch: pytest.MonkeyPatch, small: Path, error: Exception, code: str
) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(windlass, "run", broken)
    result = command("run", small)
    assert (result.exit_code, f"error[{code}]: " in result.stderr) == (2, True)


@posix
def test_memory_that_the_machine_refuses_ends_with_two_lines(tmp_path: Path) -> None:
    """What the engine cannot allocate, too: Rust would abort with a backtrace, by signal 6."""
    import resource

    many = tmp_path / "many.toml"
    many.write_text(SCENARIO.replace('kind = "dumbbell"', 'kind = "dumbbell"\npairs = 50000').replace("/0", "/*"))
    limit = 1_000_000_000
    found = process(
        *("run", str(many), "--max-memory", "1TB"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert found.returncode == 2, found.stderr
    assert b"error[internal.memory]: " in found.stderr
    assert found.stderr.count(b"\nhint: ") == 1
    assert b"backtrace" not in found.stderr
    # without the option, it is refused by its number
    found = process("run", str(many), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert (found.returncode, b"error[run.too-large]" in found.stderr) == (2, True), found.stderr


@posix
def test_a_store_is_as_shareable_as_the_umask_says(small: Path, tmp_path: Path) -> None:
    for mask, folder_mode, file_mode in ((0o002, 0o775, 0o664), (0o077, 0o700, 0o600)):
        root = tmp_path / f"store-{mask:o}"
        before = os.umask(mask)
        try:
            windlass.sweep(windlass.load(small), seeds=1, store=root)
        finally:
            os.umask(before)
        assert root.stat().st_mode & 0o777 == folder_mode
        assert {file.stat().st_mode & 0o777 for file in root.iterdir()} == {file_mode}
