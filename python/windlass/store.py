"""The store of finished runs: one folder per run, named by the content key of the run.

A run's key is made from its whole description, what is recorded, its seed and the engine's version
(:mod:`windlass.engine`): change any of them and the key is another one. A run is written under a temporary name and
renamed when it is complete. Every file is read against its SHA-256. A run of which a file is damaged or missing is
treated as not there: a :class:`~windlass.errors.StoreWarning` names the file, and the run is made again.

Layout: ``<root>/ab/abcdef.../flows.parquet``, ``links.parquet``, and ``stations.parquet``, ``traces.parquet``,
``events.parquet``, ``losses.parquet`` where these have rows. ``sha256sums`` has a line for each of them, as
``sha256sum`` writes it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.errors import StoreError, StoreWarning

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Store", "default_root"]

SUMS = "sha256sums"
"""Name of the file that has the SHA-256 of the others."""


def default_root() -> Path:
    """``$WINDLASS_STORE``, or ``windlass/runs`` in the user's cache folder."""
    given = os.environ.get("WINDLASS_STORE")
    if given:
        return Path(given).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "windlass" / "runs"


class Store:
    """Finished runs on disk.

    Parameters
    ----------
    root : str or Path, optional
        Folder of the store, made when the first run is written; :func:`default_root` if not given.
    """

    def __init__(self, root: str | Path | None = None) -> None:
        self.root = default_root() if root is None else Path(root).expanduser()

    def folder(self, key: str) -> Path:
        """Where the run of that key stands."""
        return self.root / key[:2] / key

    def read(self, key: str) -> dict[str, pa.Table] | None:
        """The tables of a stored run; ``None`` if it is not there.

        A damaged run is not there either.

        Warns
        -----
        StoreWarning
            If the run is damaged, with the file in which that shows.
        """
        from windlass.tables import TABLES, empty_table

        try:
            files = self._files(key)
            if files is None:
                return None
            with _parsing():
                flows = _table(files["flows"])
                about = _about(flows.schema, key)
                empty = about["empty"]
                # a run of an engine that did not have one of the tables yet has none of its columns either
                rest = {
                    name: _table(files[name]) if name in files else empty_table(empty.get(name, []))
                    for name in TABLES[1:]
                }
        except _Damaged as damage:
            warnings.warn(f"{self.folder(key)}: {damage}; the run is made again", StoreWarning, stacklevel=2)
            return None
        return {name: table.replace_schema_metadata(None) for name, table in {"flows": flows, **rest}.items()}

    def about(self, key: str) -> dict[str, Any] | None:
        """Description, seed and engine version of a stored run; ``None`` if it is not there or damaged."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            files = self._files(key)
            if files is None:
                return None
            with _parsing():
                return _about(pq.read_schema(pa.BufferReader(files["flows"])), key)
        except _Damaged:
            return None

    def _files(self, key: str) -> dict[str, bytes] | None:
        """What the files of a run hold, by table, checked against their sums; ``None`` if there is no such run."""
        from windlass.tables import TABLES

        folder = self.folder(key)
        written = _bytes(folder / SUMS)
        if written is None:
            if folder.is_dir() and not (folder / SUMS).exists():  # if it is, the run has come just now
                raise _Damaged(f"there is no `{SUMS}`")
            return None
        found = {name: _bytes(folder / f"{name}.parquet") for name in TABLES}
        files = {name: data for name, data in found.items() if data is not None}
        sums = _sums(files)
        if sums != written:
            told, seen = set(written.split(b"\n")), set(sums.split(b"\n"))
            names = [f"`{name}.parquet`" for name in TABLES if any(_names(line, name) for line in told ^ seen)]
            if not names:
                raise _Damaged(f"`{SUMS}` has other lines than it should")
            raise _Damaged(f"{', '.join(names)}: not as `{SUMS}` says")
        return files

    def write(self, key: str, tables: dict[str, pa.Table], *, description: str, seed: int, engine_version: str) -> None:
        """Keep a run. Either all of it is there afterwards or nothing.

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
        engine_version : str
            Version of the engine that made it.

        Raises
        ------
        StoreError
            If the store cannot be written.
        """
        from windlass.tables import schema_text

        empty = {name: schema_text(table) for name, table in tables.items() if name != "flows" and table.num_rows == 0}
        about = json.dumps(
            {
                "key": key,
                "seed": seed,
                "engine_version": engine_version,
                "description": json.loads(description),
                "empty": empty,
            }
        )
        target = self.folder(key)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            part = Path(tempfile.mkdtemp(prefix=".part-", dir=target.parent))
            try:
                files = {}
                for name, table in tables.items():
                    if name not in empty:
                        files[name] = _encoded(table.replace_schema_metadata({"windlass": about}))
                        (part / f"{name}.parquet").write_bytes(files[name])
                (part / SUMS).write_bytes(_sums(files))
                try:
                    part.rename(target)
                except OSError:
                    if not self._holds(key, files):
                        _replace(target, part)
            finally:
                shutil.rmtree(part, ignore_errors=True)
        except OSError as error:
            raise StoreError(
                f"cannot write to `{self.root}`: {error.strerror}",
                hint="name another place with `--store DIR` or $WINDLASS_STORE, or use `--no-store`",
            ) from error

    def _holds(self, key: str, files: Mapping[str, bytes]) -> bool:
        """Whether the run is there with just these files: another process may have made it meanwhile."""
        try:
            return self._files(key) == files
        except _Damaged:
            return False

    def keys(self) -> Iterator[str]:
        """Keys of the runs in the store, in order; damaged ones included."""
        for folder in sorted(self.root.glob("[0-9a-f][0-9a-f]/*")):
            if folder.name.startswith(folder.parent.name):
                yield folder.name

    def __contains__(self, key: str) -> bool:
        return self.about(key) is not None

    def __repr__(self) -> str:
        return f"Store({str(self.root)!r})"


def _replace(target: Path, part: Path) -> None:
    """Put a complete folder in the place of a damaged one."""
    old = Path(tempfile.mkdtemp(prefix=".part-", dir=target.parent))
    try:
        if target.exists():
            target.rename(old / "old")
        part.rename(target)
    except OSError:
        if not target.exists():  # if it does, another process has just put the same run there
            raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


class _Damaged(Exception):
    """A stored run that is not as it was written."""


@contextmanager
def _parsing() -> Iterator[None]:
    """Files that are as they were written, but are no run that this version can read."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise _Damaged(f"it cannot be read: {error}".splitlines()[0]) from None


def _bytes(path: Path) -> bytes | None:
    """What a file holds; ``None`` if there is none."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _Damaged(f"`{path.name}` cannot be read: {error.strerror or error}") from None


def _sums(files: Mapping[str, bytes]) -> bytes:
    """The text of `sha256sums`: it is compared as a whole, so each of its own bits counts, too."""
    lines = (f"{hashlib.sha256(data).hexdigest()}  {name}.parquet\n" for name, data in sorted(files.items()))
    return "".join(lines).encode()


def _names(line: bytes, table: str) -> bool:
    return line.endswith(f"  {table}.parquet".encode())


def _about(schema: pa.Schema, key: str) -> dict[str, Any]:
    about: dict[str, Any] = json.loads(schema.metadata[b"windlass"])
    if about["key"] != key:
        raise _Damaged(f"it holds another run, {about['key']}")
    return about


def _table(data: bytes) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    # One thread: runs are read by many threads at once, and a run's table is small.
    return pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False)


def _encoded(table: pa.Table) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_statistics=False)
    return sink.getvalue().to_pybytes()
