"""Files that are whole or as they were: written beside the old one, then renamed.

A full disk, an error or a kill before the end leaves what was there. Every file that a command or a function writes
for the user goes through here; folders of several files through :mod:`windlass.folders`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from windlass.errors import StoreError, WindlassError
from windlass.store.writer import new_file, remove_left, sync_folder

__all__ = ["cause_of", "write_file", "writing"]


@contextmanager
def writing(file: Path, mode: str = "w", *, parents: bool = True) -> Iterator[IO[Any]]:
    """A file that takes its place when all of it is written and on the disk.

    A link stays, and what it names is replaced, with the permissions of the old file. What
    is no file, such as a terminal or a pipe, is written to as it stands.

    Parameters
    ----------
    file : Path
        The file.
    mode : {"w", "wb"}
        UTF-8 text with the line ends that are written, or bytes.
    parents : bool
        Whether folders above it are made.

    Raises
    ------
    StoreError
        If it cannot be written; the old file is then as it was.
    """
    encoding, newline = (None, None) if "b" in mode else ("utf-8", "")
    part: Path | None = None
    try:
        target = Path(os.path.realpath(file))
        if target.exists() and not target.is_file() and not target.is_dir():
            with file.open(mode, encoding=encoding, newline=newline) as opened:
                yield opened
            return
        _check(target)
        if parents:
            target.parent.mkdir(parents=True, exist_ok=True)
        remove_left(target.parent)
        part, place = new_file(target.parent, prefix=".", suffix=".part")
        with os.fdopen(place, mode, encoding=encoding, newline=newline) as opened:
            yield opened
            opened.flush()
            if target.exists():
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            os.fsync(place)
            part.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise StoreError(
            f"cannot be written: {error.strerror or error}",
            code="cli.output",
            file=str(file),
            hint=f"{'make room there, or ' if is_full else ''}name another place",
        ) from error
    finally:
        if part is not None:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def write_file(file: Path, data: str | bytes, *, parents: bool = True) -> Path:
    """Write a whole file, as :func:`writing` does; the file.

    Raises
    ------
    StoreError
        If it cannot be written; the old file is then as it was.
    """
    with writing(file, "w" if isinstance(data, str) else "wb", parents=parents) as opened:
        opened.write(data)
    return file


def cause_of(error: BaseException) -> BaseException:
    """What the system said, if an error is that a file cannot be written; otherwise the error."""
    is_ours = isinstance(error, WindlassError) and error.code == "cli.output"
    return (error.__cause__ or error) if is_ours else error


def _check(target: Path) -> None:
    """A file that must not be written is not replaced, and a folder is none."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
