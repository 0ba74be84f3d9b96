"""Folders of results that are whole or absent.

Files are written aside, then moved to their places, and last of all comes ``manifest.json``, with the SHA-256 of every
other file and of itself. A folder with a manifest holds just what that says; while files are moved, and after a kill
just then, it has none. What the manifest before listed and this one does not is removed; files of others stay.

Of two commands that write to one folder at the same time, the one that ends last leaves its results: each holds the
lock of the folder while it moves its files.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

from windlass.errors import InputError, StoreError
from windlass.files import cause_of
from windlass.store.writer import RECENT_S, lock, sync_folder

__all__ = [
    "MANIFEST",
    "check_beside",
    "checked",
    "discard",
    "read_manifest",
    "replaced",
    "tried",
    "unwritable",
    "write_manifest",
]

MANIFEST = "manifest.json"
FORMAT = 2
"""Version of the manifest. The first one had no hash of its own."""

_PART = ".part-"
"""Folder beside the results in which a writer works: what it makes (:data:`_NEW`), and what it has to remove."""
_NEW = "new"
_BEFORE = "before.json"
_GONE = "gone.json"
PATIENCE_S = 60.0
"""How long the exchange of one writer's files is waited for by another, seconds."""

TRIES = 20
"""How often a folder is made again that others take away."""

_NOTHING_GONE = json.dumps({"files": []})


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """A place to write results and their manifest to; at the end they take the place of what is in the folder.

    If anything fails before that, the folder is as it was.

    Raises
    ------
    StoreError
        If the folder cannot be written.
    """
    made = _missing(folder)
    try:
        part, place = _new_part(folder)
        try:
            _clear_beside(folder)
            (part / _GONE).write_text(_NOTHING_GONE, encoding="utf-8")
            (part / _NEW).mkdir()
            yield part / _NEW
            for path in (part / _NEW).rglob("*"):
                if path.is_file():
                    _sync(path)
            with _alone(folder):
                _clear_up(folder, part)
                _move(part, folder)
                shutil.rmtree(part, ignore_errors=True)
        finally:
            shutil.rmtree(part, ignore_errors=True)
            os.close(place)
    except BaseException as error:
        _unmake(made)
        cause = cause_of(error)  # the error itself may name a place inside of `part`
        if not isinstance(cause, OSError):
            raise
        raise unwritable(folder, cause) from cause


def tried(folder: Path) -> None:
    """See to it that files can be written to the folder, by making one of the folders in which they are written.

    Afterwards all is as it was.

    Raises
    ------
    StoreError
        If the folder cannot be written.
    """
    made = _missing(folder)
    try:
        part, place = _new_part(folder)
        part.rmdir()
        os.close(place)
    except OSError as error:
        raise unwritable(folder, error) from error
    finally:
        _unmake(made)


def _new_part(folder: Path) -> tuple[Path, int]:
    """A new folder for a writer, and its lock; in a folder that is made if it is not there."""
    for left in reversed(range(TRIES)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with _alone(folder):  # so that no other takes it for one that was left
                part = Path(tempfile.mkdtemp(prefix=_PART, dir=folder))
                place = os.open(part, os.O_RDONLY)
                _wait_for(place)
            return part, place
        except FileNotFoundError:  # another writer has failed, and taken away the folder that it had made
            if not left:
                raise
    raise AssertionError


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep others from moving files in a folder, where folders can be locked."""
    place = os.open(folder, os.O_RDONLY)
    try:
        _wait_for(place)
        yield
    finally:
        os.close(place)


def _wait_for(place: int) -> None:
    """Lock what is open; others hold it for moments only."""
    end = time.monotonic() + PATIENCE_S
    while lock(place) is False:
        if time.monotonic() > end:
            raise OSError(errno.EBUSY, f"another command has been writing there for {PATIENCE_S:g} s")
        time.sleep(0.005)


def _missing(folder: Path) -> list[Path]:
    return [path for path in (folder, *folder.parents) if not path.exists()]


def _unmake(made: list[Path]) -> None:
    for path in made:
        with suppress(OSError):
            path.rmdir()


def unwritable(folder: Path, error: OSError) -> StoreError:
    """What to say of a folder that cannot be written."""
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return StoreError(
        f"cannot write to `{folder}`: {error.strerror or error}",
        code="cli.output",
        hint=f"{'make room there, or ' if is_full else ''}name another folder with `--out DIR`",
    )


def write_manifest(part: Path, document: Mapping[str, Any]) -> None:
    """The manifest of what was written to `part`: the document, the hash of each file, its own hash."""
    found = sorted(path for path in part.rglob("*") if path.is_file())
    files = {path.relative_to(part).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}
    whole = {"format": FORMAT, **document, "files": files}
    text = json.dumps({**whole, "sha256": _own_hash(whole)}, indent=2, ensure_ascii=False) + "\n"
    (part / MANIFEST).write_text(text, encoding="utf-8")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder.

    Raises
    ------
    InputError
        If it is damaged.
    OSError, ValueError
        If there is none.
    """
    try:
        manifest: dict[str, Any] = json.loads(_bytes_of(folder / MANIFEST))
    except RecursionError:
        raise ValueError(f"`{MANIFEST}` is nested too deep") from None
    files = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(files, dict) or not all(isinstance(one, str) for one in files.values()):
        raise ValueError(f"`{MANIFEST}` lists no files")
    if manifest.get("format") != 1:
        told = manifest.pop("sha256", None)
        if manifest.get("format") != FORMAT or told != _own_hash(manifest):
            raise _damaged(folder, MANIFEST)
    return manifest


def checked(folder: Path, name: str, manifest: Mapping[str, Any]) -> bytes:
    """What a file of the folder holds.

    Raises
    ------
    InputError
        If that is not what the manifest says.
    OSError
        If there is no such file.
    """
    data = _bytes_of(folder / name)
    if hashlib.sha256(data).hexdigest() != manifest["files"].get(name):
        raise _damaged(folder, name)
    return data


def _bytes_of(file: Path) -> bytes:
    """What a file holds; a pipe or a device is none."""
    if file.exists() and not file.is_file():
        raise OSError(errno.EINVAL, "is no file", str(file))
    return file.read_bytes()


def check_beside(file: Path) -> None:
    """Compare a file with the manifest beside it, if there is one that lists it.

    Raises
    ------
    InputError
        If it is not what the manifest says.
    OSError
        If it cannot be read.
    """
    try:
        manifest = read_manifest(file.parent)
    except (OSError, ValueError):
        return
    if file.name in manifest["files"]:
        checked(file.parent, file.name, manifest)


def discard(folder: Path) -> None:
    """Remove what the folder's manifest lists, and the manifest, if there is one.

    Raises
    ------
    StoreError
        If that fails.
    """
    if (folder / MANIFEST).exists():
        with replaced(folder):
            pass


def _own_hash(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest).encode()).hexdigest()


def _damaged(folder: Path, name: str) -> InputError:
    return InputError(
        f"`{name}` is not as it was written",
        code="output.damaged",
        file=str(folder),
        hint="write the folder again with the same command; runs that are in the store are not made again",
    )


def _clear_up(folder: Path, part: Path) -> None:
    """Remove what killed writers left aside, and note which files they left in the folder that no manifest lists."""
    gone: set[str] = set()
    left = []
    for other in folder.glob(f"{_PART}*"):
        with suppress(OSError):
            place = os.open(other, os.O_RDONLY)
            try:
                if other != part and lock(place):
                    left.append(other)
                    gone |= _listed(other / _GONE)
                    if not (folder / MANIFEST).exists():  # it was killed while it moved files
                        gone |= _listed(other / _BEFORE) | _listed(other / _NEW / MANIFEST)
            finally:
                os.close(place)
    (part / _GONE).write_text(json.dumps({"files": sorted(gone)}), encoding="utf-8")
    for other in left:
        shutil.rmtree(other, ignore_errors=True)


def _clear_beside(folder: Path) -> None:
    """Remove what killed writers left aside in the folders beside this one."""
    for part in folder.absolute().parent.glob(f"*/{_PART}*"):
        with suppress(OSError):
            place = os.open(part, os.O_RDONLY)
            try:
                if part.parent != folder.absolute() and lock(place) and _is_spare(part):
                    shutil.rmtree(part, ignore_errors=True)
            finally:
                os.close(place)


def _is_spare(part: Path) -> bool:
    """Whether nothing is lost with what a killed writer left: it had moved no file yet, or all of them.

    In between, only this tells which files of the folder belong to no results; the folder's next writer needs it.
    """
    names = {path.name for path in part.iterdir()}
    if not names:  # its writer may be about to lock it
        return time.time() - part.stat().st_mtime > RECENT_S
    if _BEFORE in names:
        return names <= {_NEW, _GONE, _BEFORE} and (part.parent / MANIFEST).exists()
    if not names <= {_NEW, _GONE} or (part / _GONE).read_text(encoding="utf-8") != _NOTHING_GONE:
        return False
    return all((part / _NEW / name).exists() for name in _listed(part / _NEW / MANIFEST))


def _listed(manifest: Path) -> set[str]:
    """Names of files in a manifest, as far as it can be read; only such as lie in its folder."""
    try:
        names = json.loads(_bytes_of(manifest))["files"]
        return {str(name) for name in names if not {"..", "/"} & set(PurePosixPath(name).parts)}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return set()


def _move(part: Path, folder: Path) -> None:
    """Put what was written aside into its place, the manifest last."""
    aside = part / _NEW
    new = sorted(path.relative_to(aside) for path in aside.rglob("*") if path.is_file())
    for name in new:
        if (folder / name).is_dir():
            raise OSError(errno.EISDIR, f"`{name}` is a folder")
    if (folder / MANIFEST).exists():
        (folder / MANIFEST).replace(part / _BEFORE)
    for old in sorted((_listed(part / _GONE) | _listed(part / _BEFORE)) - {name.as_posix() for name in new}):
        (folder / old).unlink(missing_ok=True)
        with suppress(OSError):  # others have something in it
            if (folder / old).parent != folder:
                (folder / old).parent.rmdir()
    for name in new:
        if name.as_posix() != MANIFEST:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (aside / name).replace(folder / name)
    for parent in {(folder / name).parent for name in new}:
        sync_folder(parent)
    if (aside / MANIFEST).exists():
        (aside / MANIFEST).replace(folder / MANIFEST)
    sync_folder(folder)


def _sync(file: Path) -> None:
    place = os.open(file, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)
