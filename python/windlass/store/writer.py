"""The one file that a process appends to.

No two processes append to one file: a writer holds a lock on its own. A file that is not full is taken up again by a
later process, but only under the same boot of the same kernel, which the file's name begins with: there the lock of a
local disk and that of a network disk alike keep others out. Machines that share a disk never share a file.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from windlass.store.frame import INDEX, Entry, packed
from windlass.store.log import NAME, Log, index_record

try:
    import fcntl
except ImportError:  # not on this platform: each process has files of its own
    fcntl = None  # type: ignore[assignment]

__all__ = ["FULL", "RECENT_S", "Writer", "boot", "is_own", "lock", "new_file", "remove_left", "sync_folder"]

FULL = 128 * 2**20
"""A file of this many bytes is not appended to."""

SYNC_S = 30.0
"""Longest time for which finished runs are not on the disk yet, seconds."""

RECENT_S = 3600.0
"""A file that another machine has written to more recently than this may still be written to, seconds."""

_NAMED = re.compile(r"\.[0-9a-f]{12}-[0-9a-f]{16}\.part")
"""Names of files that are written aside."""

_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@cache
def boot() -> str:
    """Names this machine since it was started; another one in each process where the system does not tell."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().replace("-", "")[:12]
    return secrets.token_hex(6)


def is_own(path: Path) -> bool:
    """Whether this machine has made a file since it was started."""
    return path.name.lstrip(".").startswith(f"{boot()}-")


def lock(place: int) -> bool | None:
    """Lock an open file; whether nobody else holds it, ``None`` where files cannot be locked."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def new_file(root: Path, prefix: str = "", suffix: str = NAME[1:]) -> tuple[Path, int]:
    """An empty file with a name that no other file of any store has; its path and an open, locked descriptor."""
    while True:
        path = root / f"{prefix}{boot()}-{secrets.token_hex(8)}{suffix}"
        place = os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o666)
        if lock(place) is not False and path.exists():
            return path, place
        os.close(place)  # another process took it up, or away, in this very moment


def remove_left(root: Path) -> None:
    """Remove what processes that were killed have left in a folder of the files that they wrote aside."""
    for left in root.glob(".*.part"):
        with suppress(OSError):
            if _NAMED.fullmatch(left.name) and (is_own(left) or time.time() - left.stat().st_mtime > RECENT_S):
                place = os.open(left, _FLAGS | getattr(os, "O_NONBLOCK", 0))
                if lock(place):
                    left.unlink()
                os.close(place)


def sync_folder(folder: Path) -> None:
    """See to it that names of files in a folder outlast a power cut, where the system can."""
    with suppress(OSError):
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


class Writer:
    """Appends records to a file. Not for several threads at once.

    Parameters
    ----------
    path : Path
        The file.
    place : int
        Its descriptor, opened for appending and locked; closed by :meth:`close`.
    log : Log
        What is known of the file, all of it.
    """

    def __init__(self, path: Path, place: int, log: Log) -> None:
        self.path, self.log = path, log
        self._place, self._process, self._synced = place, os.getpid(), time.monotonic()
        if log.cut == log.seen:  # what a killed writer left of its last record
            os.ftruncate(place, log.seen)

    @staticmethod
    def take(root: Path) -> tuple[Path, int]:
        """A file to append to: one of this machine that nobody holds, or a new one; path and descriptor.

        Raises
        ------
        OSError
            If there is none and none can be made.
        """
        root.mkdir(parents=True, exist_ok=True)
        remove_left(root)  # of a process that was killed while it put files together
        for path in sorted(root.glob(f"{boot()}-{NAME}")):
            with suppress(OSError):
                if not path.is_file() or path.stat().st_size >= FULL:
                    continue
                place = os.open(path, _FLAGS)
                if lock(place) and os.path.samestat(os.fstat(place), path.stat()):
                    return path, place
                os.close(place)
        path, place = new_file(root)
        sync_folder(root)
        return path, place

    @property
    def is_good(self) -> bool:
        """Whether more can be appended: it is there, has room, and this is the process that took it."""
        return self.log.seen < FULL and self._process == os.getpid() and self.path.exists()

    def append(self, kind: bytes, key: bytes, data: bytes) -> Entry:
        """Write a record: all of it, or, if that fails, nothing.

        Raises
        ------
        OSError
            If the disk is full, say.
        """
        entry = self._write(kind, key, packed(kind, key, data))
        if time.monotonic() - self._synced > SYNC_S:
            self.sync()
        return entry

    def sync(self) -> None:
        """See to it that what was written outlasts a power cut."""
        os.fsync(self._place)
        self._synced = time.monotonic()

    def close(self) -> None:
        """Write the index, and let others have the file.

        Raises
        ------
        OSError
            If what was written did not reach the disk.
        """
        try:
            if self._process == os.getpid():
                if self.log.open:
                    record = index_record(self.log.open, self.log.index)
                    with suppress(OSError):  # readers do without it
                        self._write(INDEX, bytes(32), record)
                self.sync()
        finally:
            place, self._place = self._place, -1
            os.close(place)

    def __del__(self) -> None:
        if getattr(self, "_place", -1) >= 0:
            with suppress(OSError):
                self.close()

    def _write(self, kind: bytes, key: bytes, record: bytes) -> Entry:
        entry = Entry(kind, key, self.log.seen, len(record))
        rest = memoryview(record)
        try:
            while rest:
                rest = rest[os.write(self._place, rest) :]
        except BaseException:
            os.ftruncate(self._place, entry.offset)
            raise
        self.log.add(entry)
        return entry
