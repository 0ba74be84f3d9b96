"""The store of finished runs: a folder of a few files, each with many runs one after the other.

A run's key is made from its whole description, what is recorded, its seed and the engine's version
(:mod:`windlass.engine`): change any of them and the key is another one. A run is appended to the file that this process
alone writes, with one call; readers look into all files. Each byte is covered by a checksum: a damaged run is treated
as not there, a :class:`~windlass.errors.StoreWarning` says so, and the run is made again.

Two stores are put together by copying the files of one into the other. Layout of the files:
:mod:`~windlass.store.frame` (records), :mod:`~windlass.store.codec` (tables), :mod:`~windlass.store.log` (index),
:mod:`~windlass.store.writer` (who appends to which).
"""

from __future__ import annotations

import json
import os
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from windlass.errors import StoreError, StoreWarning
from windlass.store.frame import ABOUT, KEY_BYTES, RUN, SHAPE, Entry, content_key, payload
from windlass.store.log import NAME, Log
from windlass.store.writer import Writer, new_file

if TYPE_CHECKING:
    import pyarrow as pa

    from windlass.store.codec import Shape, Stored

__all__ = ["Store", "default_root"]

LOOK_S = 1.0
"""How long a missing run is taken for missing before the files of other processes are looked at again, seconds."""

MOST_WORDS = 3
"""How many damaged runs of a file are named one by one."""

MOST_BASES = 4
"""How many descriptions a new one is compared with, so that only what differs is written."""

MOST_NEEDED = 100
"""How many descriptions one after the other are packed with the next; more are a circle."""

MUCH_LESS = 8
"""A description that takes more than this part of its text even so is written as a whole."""


def default_root() -> Path:
    """``$WINDLASS_STORE``, or ``windlass/runs`` in the user's cache folder."""
    given = os.environ.get("WINDLASS_STORE")
    if given:
        return Path(given).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "windlass" / "runs"


class _Place(NamedTuple):
    """Where a record stands and, if it stands in several places, the next of them."""

    log: Log
    entry: Entry
    other: _Place | None


class Store:
    """Finished runs on disk. Threads can share one.

    Parameters
    ----------
    root : str or Path, optional
        Folder of the store, made when the first run is written; :func:`default_root` if not given.
    """

    def __init__(self, root: str | Path | None = None) -> None:
        self.root = (default_root() if root is None else Path(root).expanduser()).absolute()
        self._lock = threading.RLock()
        self._forget()
        self._writer: Writer | None = None
        self._shape: tuple[str, list[tuple[str, pa.Schema]], bytes, bytes] | None = None
        self._bases: dict[bytes, bytes] = {}
        self._damaged: Counter[Path] = Counter()

    def _forget(self) -> None:
        """Know nothing of the files."""
        self._logs: dict[Path, Log] = {}
        self._places: dict[bytes, dict[bytes, _Place]] = {RUN: {}, SHAPE: {}, ABOUT: {}}
        self._shapes: dict[bytes, Shape] = {}
        self._looked = float("-inf")

    def __reduce__(self) -> tuple[type[Store], tuple[str]]:
        return type(self), (str(self.root),)

    def __repr__(self) -> str:
        return f"Store({str(self.root)!r})"

    # ---- reading

    def read(self, key: str) -> dict[str, pa.Table] | None:
        """The tables of a stored run; ``None`` if it is not there.

        A damaged run is not there either.

        Warns
        -----
        StoreWarning
            If the run is damaged, with the file and the place in it.
        """
        from windlass.store.codec import decoded

        own = _key(key)
        found = self._run(own)
        if found is None:
            return None
        try:
            return decoded(*found)
        except ValueError:
            self._damage_of(own)
            return None

    def about(self, key: str) -> dict[str, Any] | None:
        """Key, seed, what made its results, and description of a stored run; ``None`` if it is not there or damaged.

        The description is ``None`` if that alone is damaged.
        """
        found = self._run(_key(key))
        if found is None:
            return None
        stored, shape = found
        text = self._text(ABOUT, stored.about)
        try:
            description = None if text is None else json.loads(text)
        except (ValueError, RecursionError):
            description = None
        return {"key": key, "seed": stored.seed, "results": shape.results, "description": description}

    def keys(self) -> Iterator[str]:
        """Keys of the runs in the store, in order; without those that are known to be damaged."""
        with self._lock:
            self._look()
            found = sorted(self._places[RUN])
        return (key.hex() for key in found)

    def __contains__(self, key: str) -> bool:
        return self._run(_key(key)) is not None

    def _run(self, key: bytes) -> tuple[Stored, Shape] | None:
        """A run that is whole, and its columns."""
        from windlass.store.codec import unpacked

        with self._lock:
            if key not in self._places[RUN] and time.monotonic() - self._looked > LOOK_S:
                self._look()
            place = self._places[RUN].get(key)
        if place is None:
            return None
        data = self._payload(place, key)
        try:
            stored = None if data is None else unpacked(data)
        except ValueError:
            stored = None
        shape = None if stored is None else self._shape_of(stored.shape)
        if stored is not None and shape is not None:
            return stored, shape
        with self._lock:
            if not place.log.path.exists():  # files were put together: the run stands elsewhere
                self._look()
                return self._run(key)
        self._damage_of(key)
        return None

    def _damage_of(self, key: bytes) -> None:
        """Note that a run is damaged."""
        with self._lock:
            place = self._places[RUN].pop(key, None)
            if place is not None:
                self._damaged[place.log.path] += 1
                if self._damaged[place.log.path] <= MOST_WORDS:
                    _say(f"{place.log.path}: the run at byte {place.entry.offset} is damaged; it is made again")

    def _shape_of(self, key: bytes) -> Shape | None:
        from windlass.store.codec import shape_of

        shape = self._shapes.get(key)
        if shape is None and (text := self._text(SHAPE, key)) is not None:
            with suppress(ValueError):
                shape = self._shapes[key] = shape_of(text)
        return shape

    def _text(self, kind: bytes, key: bytes, left: int = MOST_NEEDED) -> bytes | None:
        """The text of a record; ``None`` if that, or the text that it needs, is damaged."""
        from windlass.store.codec import NO_BASE, base_of, text_of

        data = self._payload(self._places[kind].get(key), key)
        if data is None or not left:
            return None
        base = base_of(data)
        known = b"" if base == NO_BASE else self._text(kind, base, left - 1)
        with suppress(ValueError):
            return None if known is None else text_of(data, known)
        return None

    def _payload(self, place: _Place | None, key: bytes) -> memoryview | None:
        """What a record holds, from the first of its places at which it is whole."""
        while place is not None:
            with suppress(OSError):  # as good as damaged; or `windlass store prune` has removed the file
                data = payload(place.log.record(place.entry), place.entry.kind, key)
                if data is not None:
                    return data
            place = place.other
        return None

    def _look(self) -> None:
        """See what has come into the store."""
        for path in self._there():
            self._learn(path)
        if not all(path.exists() for path in self._logs):
            with suppress(StoreError):
                self.close()
            self._forget()
            for path in self._there():
                self._learn(path)
        self._looked = time.monotonic()

    def _there(self) -> list[Path]:
        """What is called as files of the store are, without links to nothing."""
        return sorted(path for path in self.root.glob(NAME) if path.exists())

    def _learn(self, path: Path) -> Log:
        """See what has come into a file."""
        log = self._logs.setdefault(path, Log(path))
        try:
            news = log.news()
        except FileNotFoundError:
            news = []
        except OSError as error:
            news = []
            log.damage.append(f"{path} cannot be read: {error.strerror or error}; its runs are made again")
        for entry in news:
            self._note(log, entry)
        while log.damage:
            _say(log.damage.pop(0))
        return log

    def _note(self, log: Log, entry: Entry) -> None:
        places = self._places.get(entry.kind)
        if entry.kind == ABOUT and entry.key in log.shared:
            log.bases.append(entry.key)  # written twice, because others need it
        if entry.kind != RUN:
            log.shared.add(entry.key)
        if places is not None:  # else of a later version
            places[entry.key] = _Place(log, entry, places.get(entry.key))

    # ---- writing

    def write(self, key: str, tables: Mapping[str, pa.Table], *, description: str, seed: int, results: str) -> None:
        """Keep a run, unless it is there already. Either all of it is there afterwards or nothing.

        Parameters
        ----------
        key : str
            Content key.
        tables : dict of str to pyarrow.Table
            The run's tables. Empty ones are kept as their list of columns.
        description : str
            The effective description, JSON.
        seed : int
            Seed of the run.
        results : str
            Version of the engine that made it.

        Raises
        ------
        StoreError
            If the store cannot be written.
        """
        from windlass.store.codec import encoded

        own = _key(key)
        if own in self._places[RUN] and self._run(own) is not None:
            return
        about = content_key(description.encode())
        with self._lock:
            shape, columns = self._shape_record(tables, results)
        data = encoded(tables, seed, shape, about)
        with self._lock, self._writing():
            writer = self._own_writer()
            if shape not in writer.log.shared or self._shape_of(shape) is None:
                for _ in range(2):  # many runs need it: damage of one costs none of them
                    self._note(writer.log, writer.append(SHAPE, shape, columns))
            if about not in writer.log.shared:
                self._append_about(writer, about, description.encode())
            self._note(writer.log, writer.append(RUN, own, data))

    def _append_about(self, writer: Writer, key: bytes, text: bytes) -> None:
        from windlass.store.codec import packed_text

        packed = []
        for base in writer.log.bases[-MOST_BASES:]:
            known = self._bases.get(base) or self._text(ABOUT, base)
            if known is not None:
                self._bases[base] = known
                packed.append(packed_text(text, base, known))
        shortest = min(packed, key=len, default=b"")
        if packed and len(shortest) < len(text) / MUCH_LESS:
            self._note(writer.log, writer.append(ABOUT, key, shortest))
        else:
            for _ in range(2):  # others will need it
                self._note(writer.log, writer.append(ABOUT, key, packed_text(text)))

    def close(self) -> None:
        """Let others append to this process's file, and see to it that its runs outlast a power cut.

        Reading and writing go on afterwards as before.

        Raises
        ------
        StoreError
            If the store cannot be written.
        """
        with self._lock:
            writer, self._writer = self._writer, None
            if writer is not None:
                with self._writing():
                    writer.close()
            for path, count in self._damaged.items():
                if count > MOST_WORDS:
                    _say(f"{path}: {count} damaged runs in all; `windlass store prune` takes them out")
            self._damaged.clear()

    def _own_writer(self) -> Writer:
        """Who appends to the file that this process alone writes."""
        if self._writer is not None and self._writer.is_good:
            return self._writer
        if self._writer is not None:
            self._writer.close()
        path, place = Writer.take(self.root)
        log = self._learn(path)
        if os.fstat(place).st_size != log.seen != log.cut:  # it could not be read to its end
            os.close(place)
            path, place = new_file(self.root)
            log = self._learn(path)
        self._writer = Writer(path, place, log)
        return self._writer

    def _shape_record(self, tables: Mapping[str, pa.Table], results: str) -> tuple[bytes, bytes]:
        """Key and payload of the record of these columns; mostly they are those of the run before."""
        from windlass.store.codec import packed_text, shape_text

        schemas = [(name, table.schema) for name, table in tables.items()]
        if self._shape is None or self._shape[:2] != (results, schemas):
            text = shape_text(tables, results)
            self._shape = (results, schemas, content_key(text), packed_text(text))
        return self._shape[2:]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(
                f"cannot write to `{self.root}`: {error.strerror or error}",
                hint="name another place with `--store DIR` or $WINDLASS_STORE, or use `--no-store`",
            ) from error


def _key(text: str) -> bytes:
    """A key as records have it."""
    key = bytes.fromhex(text)
    if len(key) != KEY_BYTES:
        raise ValueError(f"the key of a run has {2 * KEY_BYTES} hexadecimal digits, not {text!r}")
    return key


def _say(text: str) -> None:
    warnings.warn(text, StoreWarning, stacklevel=4)
