"""What is in a store, whether it is whole, and how it is made smaller or put together with another.

Everything here reads whole files and checks each record. None of it makes or changes a run.
"""

from __future__ import annotations

import errno
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from windlass.errors import InputError, core_errors
from windlass.store import MOST_NEEDED
from windlass.store.codec import NO_BASE, base_of, shape_of, text_of, unpacked
from windlass.store.frame import ABOUT, INDEX, RUN, SHAPE, Damage, Entry, payload, scan
from windlass.store.log import NAME, Log, files_in
from windlass.store.writer import FULL, RECENT_S, Writer, boot, is_own, lock, new_file, sync_folder

__all__ = ["Contents", "Pruned", "Version", "contents", "copy_files", "prune"]

_WHAT = {RUN: "a run", SHAPE: "a record of columns", ABOUT: "a description", INDEX: "an index"}


@dataclass
class Version:
    """Runs that are alike in what made their results (:func:`windlass.engine.results_word`).

    Attributes
    ----------
    results : str
        The last change of results that concerned them, and their columns.
    usable : int
        How many of them are as runs would be today.
    runs, points, bytes : int
        How many runs, of how many descriptions, and what they take.
    """

    results: str
    usable: int = 0
    runs: int = 0
    points: int = 0
    bytes: int = 0


@dataclass
class Contents:
    """What is in a store.

    Attributes
    ----------
    files, bytes, runs : int
        How much there is; a run that stands there twice counts once.
    repeated : int
        Runs that stand there once more.
    versions : list of Version
        By what made their results.
    damage : list of str
        What is damaged, a line each.
    damaged_runs : int
        How many runs are damaged, as far as that can be known.
    """

    files: int = 0
    bytes: int = 0
    runs: int = 0
    repeated: int = 0
    versions: list[Version] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    damaged_runs: int = 0


class _Run(NamedTuple):
    entry: Entry
    shape: bytes
    about: bytes


class _Shared(NamedTuple):
    kind: bytes
    data: bytes


@dataclass
class _File:
    """A file that was read from one end to the other: where its whole runs are, what they need, what is damaged."""

    path: Path
    runs: list[_Run] = field(default_factory=list)
    shared: dict[bytes, _Shared] = field(default_factory=dict)
    damage: list[str] = field(default_factory=list)
    damaged_runs: int = 0


def _read(path: Path) -> _File:
    found = _File(path)
    log = Log(path)
    for one in scan(path, 0, path.stat().st_size):
        if isinstance(one, Damage):
            what = None if one.is_cut else log.damaged(one)
            if one.is_cut:
                if _is_left(path):
                    found.damage.append(
                        f"{path}: what begins at byte {one.offset} is not all there: the file is cut short"
                    )
                    found.damaged_runs += 1
            elif what is not None:
                found.damage.append(f"{path}: {_WHAT[what]} at byte {one.offset} is damaged")
                found.damaged_runs += what == RUN
            else:
                found.damage.append(f"{path}: {one.size} bytes from byte {one.offset} on are damaged, at least one run")
                found.damaged_runs += 1
            continue
        data = payload(log.record(one), one.kind, one.key)
        if data is None:
            found.damage.append(f"{path}: {_WHAT.get(one.kind, 'something')} at byte {one.offset} is damaged")
            found.damaged_runs += one.kind == RUN
        elif one.kind == RUN:
            try:
                stored = unpacked(data)
            except ValueError:
                found.damage.append(f"{path}: a run at byte {one.offset} is damaged")
                found.damaged_runs += 1
            else:
                found.runs.append(_Run(one, stored.shape, stored.about))
        elif one.kind in (SHAPE, ABOUT):
            found.shared[one.key] = _Shared(one.kind, bytes(data))
    return found


class _Words:
    """What made the results of runs, and what would today, as words."""

    def __init__(self, files: Iterable[_File]) -> None:
        self._shared = {key: one for found in files for key, one in found.shared.items()}
        self._made: dict[bytes, str] = {}
        for key, one in self._shared.items():
            with suppress(ValueError):
                if one.kind == SHAPE:
                    self._made[key] = shape_of(text_of(one.data)).results
        self._today: dict[bytes, str | None] = {}

    def made(self, run: _Run) -> str | None:
        """Of a run; none if its columns are not known."""
        return self._made.get(run.shape)

    def is_usable(self, run: _Run) -> bool:
        """Whether a run would have the same key today."""
        from windlass import _core
        from windlass.engine import results_word

        if run.about not in self._today:
            text = self._text(run.about)
            self._today[run.about] = None
            with suppress(ValueError, InputError), core_errors():
                if text is not None:
                    self._today[run.about] = results_word(_core.results_of(text.decode()))
        return self._today[run.about] in (None, self.made(run))

    def _text(self, key: bytes, left: int = MOST_NEEDED) -> bytes | None:
        if key not in self._shared or not left:
            return None
        base = base_of(self._shared[key].data)
        known = b"" if base == NO_BASE else self._text(base, left - 1)
        with suppress(ValueError):
            return None if known is None else text_of(self._shared[key].data, known)
        return None


def _is_left(path: Path) -> bool:
    """Whether nobody writes to a file, as far as can be known."""
    return _is_free(path) if is_own(path) else time.time() - path.stat().st_mtime >= RECENT_S


def contents(root: Path) -> Contents:
    """Read all of a store, and check each record.

    Raises
    ------
    OSError
        If a file cannot be read.
    """
    whole = Contents()
    files = []
    whole.damage += [f"{path}: is no file" for path in sorted(root.glob(NAME)) if not path.is_file()]
    for path in files_in(root):
        found = _read(path)
        whole.files += 1
        whole.bytes += path.stat().st_size
        whole.damage += found.damage
        whole.damaged_runs += found.damaged_runs
        files.append(found)
    words = _Words(files)
    seen: dict[bytes, _Run] = {}
    for path, run in ((found.path, run) for found in files for run in found.runs):
        if words.made(run) is None:
            whole.damaged_runs += 1
            whole.damage.append(f"{path}: the columns of the run at byte {run.entry.offset} are not there, or damaged")
            continue
        whole.repeated += run.entry.key in seen
        seen[run.entry.key] = run
    whole.runs = len(seen)
    versions: dict[str, Version] = {}
    points: dict[str, set[bytes]] = {}
    for run in seen.values():
        name = words.made(run) or ""
        version = versions.setdefault(name, Version(name))
        version.runs += 1
        version.usable += words.is_usable(run)
        version.bytes += run.entry.size
        points.setdefault(name, set()).add(run.about)
        version.points = len(points[name])
    whole.versions = sorted(versions.values(), key=lambda version: version.results)
    return whole


@dataclass
class Pruned:
    """What pruning did, or would do.

    Attributes
    ----------
    kept, outdated, repeated, damaged : int
        Runs that stay; runs that go, by reason.
    bytes_before, bytes_after : int
        What the files took and take.
    files_before, files_after : int
        How many there were and are.
    passed_over : list of str
        Files that were left alone, a line each with the reason.
    """

    kept: int = 0
    outdated: int = 0
    repeated: int = 0
    damaged: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    files_before: int = 0
    files_after: int = 0
    passed_over: list[str] = field(default_factory=list)


def prune(root: Path, *, outdated: bool = True, dry_run: bool = False) -> Pruned:
    """Take out what is damaged or stands there twice, and runs whose results have changed; put small files together.

    Parameters
    ----------
    root : Path
        The store.
    outdated : bool
        Whether runs go whose results have changed since, or whose tables have other columns.
    dry_run : bool
        Change nothing, only count.

    Raises
    ------
    OSError
        If a file cannot be read or written. The store is then as it was, or has runs twice.
    """
    done = Pruned()
    with ExitStack() as held:
        free = [path for path in files_in(root) if _may_touch(path, held, done)]
        kept = _kept([_read(path) for path in free], outdated, done)
        sizes = {path: path.stat().st_size for path in free}
        done.files_before = len(files_in(root))
        done.bytes_before = sum(path.stat().st_size for path in files_in(root))
        # a file of which everything stays is left as it is, unless it is small and there are others of its kind
        small = [path for path in free if sizes[path] < FULL // 2]
        anew = [path for path in free if kept[path] is not None or (path in small and len(small) > 1)]
        if not dry_run and anew:
            _write_anew(root, anew, kept)
    done.files_after = len(files_in(root))
    done.bytes_after = sum(path.stat().st_size for path in files_in(root))
    return done


def _may_touch(path: Path, held: ExitStack, done: Pruned) -> bool:
    """Lock a file that nobody writes to; otherwise note why it is left alone."""
    if not is_own(path) and time.time() - path.stat().st_mtime < RECENT_S:
        done.passed_over.append(f"{path}: another machine wrote to it within the last hour")
        return False
    place = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    held.callback(os.close, place)
    if lock(place) is False:
        done.passed_over.append(f"{path}: a sweep is writing to it")
        return False
    return True


def _kept(files: list[_File], outdated: bool, done: Pruned) -> dict[Path, set[bytes] | None]:
    """Keys of the runs of each file that stay; ``None`` for a file of which everything stays."""
    words = _Words(files)
    seen: set[bytes] = set()
    kept: dict[Path, set[bytes] | None] = {}
    for found in files:
        own: set[bytes] = set()
        for run in found.runs:
            if words.made(run) is None:
                found.damaged_runs += 1
            elif outdated and not words.is_usable(run):
                done.outdated += 1
            elif run.entry.key in seen:
                done.repeated += 1
            else:
                seen.add(run.entry.key)
                own.add(run.entry.key)
        done.damaged += found.damaged_runs
        kept[found.path] = None if len(own) == len(found.runs) and not found.damage else own
    done.kept = len(seen)
    return kept


def _write_anew(root: Path, paths: list[Path], kept: dict[Path, set[bytes] | None]) -> None:
    """Copy what stays into new files, and remove the old ones."""
    written: list[Path] = []
    try:
        _copy_runs(root, paths, kept, written)
        for part in written:
            part.rename(root / f"{part.name[1:].removesuffix('.part')}{NAME[1:]}")
    except BaseException:
        for part in written:
            part.unlink(missing_ok=True)
        raise
    sync_folder(root)
    for path in paths:
        path.unlink()
    sync_folder(root)


def _copy_runs(root: Path, paths: list[Path], kept: dict[Path, set[bytes] | None], written: list[Path]) -> None:
    target: Writer | None = None
    shared: dict[bytes, _Shared] = {}
    files = [_read(path) for path in paths]
    for found in files:
        shared |= found.shared
    for found in files:
        own, log = kept[found.path], Log(found.path)
        for run in found.runs:
            if own is not None and run.entry.key not in own:
                continue
            if own is not None:
                own.discard(run.entry.key)  # the first of two
            data = payload(log.record(run.entry), RUN, run.entry.key)
            if data is None:
                raise OSError(errno.EIO, f"`{found.path}` changes while it is read")
            if target is None or not target.is_good:
                if target is not None:
                    target.close()
                part, place = new_file(root, prefix=".", suffix=".part")
                written.append(part)
                target = Writer(part, place, Log(part))
            for key in (run.shape, run.about):
                _copy_shared(key, shared, target, copies=2 if key == run.shape else 1)
            target.append(RUN, run.entry.key, bytes(data))
    if target is not None:
        target.close()


def _copy_shared(key: bytes, shared: dict[bytes, _Shared], target: Writer, copies: int) -> None:
    """Copy a shape or a description, after that which it is packed with; what others need, twice."""
    if key in shared and key not in target.log.shared:
        one = shared[key]
        target.log.shared.add(key)
        _copy_shared(base_of(one.data), shared, target, copies=2)
        for _ in range(2 if base_of(one.data) == NO_BASE else copies):
            target.append(one.kind, key, one.data)


def _is_free(path: Path) -> bool:
    """Whether a file is not there, or is there and nobody appends to it."""
    try:
        place = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return True
    try:
        return lock(place) is not False
    finally:
        os.close(place)


def copy_files(root: Path, source: Path) -> Iterator[str]:
    """Copy the files of another store into this one; says of each what became of it.

    Raises
    ------
    OSError
        If a file cannot be read or written; those before it are there then.
    """
    root.mkdir(parents=True, exist_ok=True)
    for path in files_in(source):
        found = _read(path)
        target = root / path.name
        data = path.read_bytes()
        known = target.read_bytes() if target.exists() else b""
        if known[: len(data)] == data:
            yield f"{path}: is there already"
            continue
        if not data.startswith(known) or not _is_free(target):
            target = root / f"{boot()}-{secrets.token_hex(8)}{NAME[1:]}"
        part, place = new_file(root, prefix=".", suffix=".part")
        try:
            with os.fdopen(place, "wb") as new:
                new.write(data)
                new.flush()
                os.fsync(new.fileno())
                part.replace(target)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
        sync_folder(root)
        damage = f", {found.damaged_runs} damaged" if found.damaged_runs else ""
        count = len(found.runs)
        yield f"{path}: {count} {'run' if count == 1 else 'runs'} copied{damage}"
