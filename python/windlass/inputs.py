"""Files that a user names: what they are is seen before they are read, and no more than a limit is ever read."""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from pathlib import Path

from windlass.errors import InputError

MOST_BYTES = 16 << 20
"""Bytes of a scenario or of a Python file; far more than anyone writes."""

MOST_RECORDED = 1 << 30
"""Bytes of a file that a run made, such as a tape."""

PATIENCE_S = 10.0
"""How long a pipe may be without a writer or without data."""


def is_there(path: str | Path) -> bool:
    """Whether there is such a file or folder; a name that cannot be one names nothing."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def read_text(path: str | Path, *, most: int = MOST_BYTES, wanted: str = "scenario file") -> str:
    """Text of a file or of a pipe, UTF-8.

    Parameters
    ----------
    most : int
        Bytes above which it is refused.
    wanted : str
        What is expected there, for the hints.

    Raises
    ------
    InputError
        If there is none, it is a folder or a device, too large, unreadable or no text; a pipe also if nothing comes
        through it for ten seconds.
    """
    data = read_bytes(path, most=most, wanted=wanted)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 text (byte {error.start})",
            code="file.not-text",
            file=str(path),
            hint=f"give a {wanted}, which is text; `windlass list scenarios` shows ready scenarios",
        ) from None


def read_bytes(path: str | Path, *, most: int, wanted: str) -> bytes:
    """Content of a file or of a pipe; parameters and errors are those of :func:`read_text`, but for the text."""
    name = str(path)
    try:
        # A pipe is opened without waiting for its writer; to a file this means nothing.
        place = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        raise _refused(error, name, wanted) from None
    except ValueError:
        raise InputError("no such file", code="file.missing", file=name, hint=f"give a {wanted}") from None
    try:
        about = os.fstat(place)
        if stat.S_ISDIR(about.st_mode):
            raise InputError("is a directory", code="file.directory", file=name, hint=f"give the {wanted} in it")
        pipe = stat.S_ISFIFO(about.st_mode)
        if not pipe and not stat.S_ISREG(about.st_mode):
            raise InputError("is a device, not a file", code="file.special", file=name, hint=f"give a {wanted}")
        if about.st_size > most:
            raise _too_large(name, most, wanted)
        data = _drain(place, most, name) if pipe else _whole(place, most)
    except OSError as error:
        raise _refused(error, name, wanted) from None
    finally:
        os.close(place)
    if len(data) > most:
        raise _too_large(name, most, wanted)
    return data


def _whole(place: int, most: int) -> bytes:
    """The file, up to one byte more than it may have: some files tell no size."""
    parts, size = [], 0
    while size <= most:
        part = os.read(place, min(1 << 20, most + 1 - size))
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _drain(place: int, most: int, name: str) -> bytes:
    """All that comes through a pipe until its writers close it."""
    data = bytearray()
    until = time.monotonic() + PATIENCE_S
    while len(data) <= most:
        select.select([place], [], [], max(0.0, until - time.monotonic()))
        try:
            part = os.read(place, 1 << 16)
        except BlockingIOError:
            part = None
        if part:
            data += part
            until = time.monotonic() + PATIENCE_S
            continue
        if part is not None and data:
            break  # its writers have closed it
        if time.monotonic() >= until:
            raise InputError(
                f"nothing comes through this pipe for {PATIENCE_S:g} s",
                code="file.silent",
                file=name,
                hint="write to it, or give a file",
            )
        time.sleep(0.02)  # no writer yet
    return bytes(data)


def _too_large(name: str, most: int, wanted: str) -> InputError:
    size = f"{most >> 30} GiB" if most >= 1 << 30 else f"{most >> 20} MiB"
    return InputError(f"is larger than {size}", code="file.too-large", file=name, hint=f"give a {wanted}")


def _refused(error: OSError, name: str, wanted: str) -> InputError:
    why = error.strerror or str(error)
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
        return InputError(
            "no such file" if error.errno != errno.ENAMETOOLONG else "no file can have so long a name",
            code="file.missing",
            file=name,
            hint=f"give a {wanted}",
        )
    return InputError(f"cannot be read: {why}", code="file.unreadable", file=name, hint="check its permissions")
