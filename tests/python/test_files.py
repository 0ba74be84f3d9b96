"""Single files: whole or as they were, whoever writes them."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Command, files_in

from windlass import StoreError
from windlass.files import write_file, writing

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

WRITERS: dict[str, tuple[str, ...]] = {
    "old.svg": ("plot", "s.toml", "-o", "old.svg"),
    "old.csv": ("plot", "s.toml", "-o", "new.svg", "--data", "old.csv"),
    "old.parquet": ("plot", "s.toml", "-o", "new.svg", "--data", "old.parquet"),
    "old.html": ("compare", "newreno", "cerl", "--path", "s.toml", "--seeds", "1", "-o", "old.html"),
    "page.html": ("serve", "s.toml", "--export", "page.html"),
    "old.pcapng": ("export", "s.toml", "-o", "old.pcapng"),
    "old.mahi": ("export", "s.toml", "-o", "old.mahi"),
    "trace.mahi": ("trace", "s.toml", "bottleneck", "-o", "trace.mahi"),
    "old.toml": ("import", "rates.csv", "-o", "old.toml"),
    "path.mahi": ("import", "rates.csv", "-o", "path.toml", "--rate", "trace"),
}
"""A command that writes each of these files."""


@pytest.fixture
def there(work: Path) -> Path:
    (work / "s.toml").write_text(SCENARIO)
    (work / "rates.csv").write_text("time_s,mbps\n" + "".join(f"{at},{20 - at}\n" for at in range(10)))
    return work


@posix
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_old_file_as_it_was(
    command: Command, monkeypatch: pytest.MonkeyPatch, there: Path, name: str
) -> None:
    def full(part: Path, target: Path) -> None:
        assert part.stat().st_size > 0, "it has been written"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (there / name).write_text("as it was")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        done = command(*WRITERS[name])
    assert done.exit_code == 2, done.output
    assert "error[cli.output]: " in done.stderr
    assert "hint: make room there, or name another place" in done.stderr
    assert (there / name).read_text() == "as it was"
    assert not list(there.glob(".*"))
    done = command(*WRITERS[name])
    assert done.exit_code == 0, done.output
    assert (there / name).read_bytes() != b"as it was"
    assert not list(there.glob(".*"))


@posix
def test_a_kill_leaves_the_old_file_and_the_next_writer_what_the_killed_one_left(work: Path) -> None:
    (work / "a").write_text("as it was")
    code = """
import os, signal
from pathlib import Path
from windlass.files import writing
with writing(Path("a")) as opened:
    opened.write("half")
    opened.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert (work / "a").read_text() == "as it was"
    (left,) = work.glob(".*.part")
    with writing(work / "b") as opened:
        opened.write("1")
        assert not left.exists()
        write_file(work / "c", b"2")  # beside one who is still at work
    assert files_in(work) == ["a", "b", "c"]


@posix
def test_links_and_permissions_stay_and_what_is_no_file_is_written_to(work: Path) -> None:
    (work / "below").mkdir()
    (work / "below" / "a").write_text("old")
    (work / "below" / "a").chmod(0o640)
    (work / "link").symlink_to("below/a")
    write_file(work / "link", "new")
    assert (work / "link").is_symlink()
    assert (work / "below" / "a").read_text() == "new"
    assert stat.S_IMODE((work / "below" / "a").stat().st_mode) == 0o640
    write_file(Path("/dev/null"), "gone")
    assert not Path("/dev/null").is_file()
    write_file(work / ("n" * 255), "the longest name")
    with pytest.raises(StoreError, match="below: cannot be written: Is a directory"):
        write_file(work / "below", "x")


def test_an_error_of_who_writes_leaves_the_old_file(work: Path) -> None:
    write_file(work / "a", "old\r\n")
    with pytest.raises(ZeroDivisionError), writing(work / "a") as opened:
        opened.write("new")
        raise ZeroDivisionError
    assert (work / "a").read_bytes() == b"old\r\n"
    assert files_in(work) == ["a"]
