"""The store of finished runs: one folder per run, named by the content key of the run.

A run's key is made from its whole description, its seed and the engine's version, so a stored run can never be out of
date: change anything and the key is another one. A run is written under a temporary name and renamed when it is
complete. What cannot be read is treated as not there, and the run is made again.

Layout: ``<root>/ab/abcdef.../flows.parquet``, ``links.parquet``, and ``traces.parquet``, ``events.parquet``,
``losses.parquet`` where these have rows.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.errors import StoreError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Store", "default_root"]


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
        """The tables of a stored run; ``None`` if it is not there, not complete, or not readable."""
        import pyarrow as pa

        from windlass.tables import TABLES, empty_table

        folder = self.folder(key)
        try:
            flows = _read_table(folder / "flows.parquet")
            about = _metadata(flows)
            if about["key"] != key:
                return None
            missing = about["empty"]
            tables = {"flows": flows}
            for name in TABLES[1:]:
                if name in missing:
                    tables[name] = empty_table(missing[name])
                else:
                    tables[name] = _read_table(folder / f"{name}.parquet")
                    if _metadata(tables[name])["key"] != key:
                        return None
            return {name: table.replace_schema_metadata(None) for name, table in tables.items()}
        except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
            return None

    def about(self, key: str) -> dict[str, Any] | None:
        """Description, seed and engine version of a stored run; ``None`` if it cannot be read."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            schema = pq.read_schema(self.folder(key) / "flows.parquet")
            return json.loads(schema.metadata[b"windlass"])
        except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
            return None

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
                for name, table in tables.items():
                    if name not in empty:
                        _write_table(table.replace_schema_metadata({"windlass": about}), part / f"{name}.parquet")
                _put(part, target)
            finally:
                shutil.rmtree(part, ignore_errors=True)
        except OSError as error:
            raise StoreError(
                f"cannot write to `{self.root}`: {error.strerror}",
                hint="name another place with `--store DIR` or $WINDLASS_STORE, or use `--no-store`",
            ) from error

    def keys(self) -> Iterator[str]:
        """Keys of the runs in the store, in order; damaged ones included."""
        for folder in sorted(self.root.glob("[0-9a-f][0-9a-f]/*")):
            if folder.name.startswith(folder.parent.name):
                yield folder.name

    def __contains__(self, key: str) -> bool:
        return self.about(key) is not None

    def __repr__(self) -> str:
        return f"Store({str(self.root)!r})"


def _put(part: Path, target: Path) -> None:
    """Give a complete folder its name; what stood there is either the same run or a damaged one, and makes room."""
    try:
        part.rename(target)
    except OSError:
        if not target.exists():
            raise
        old = Path(tempfile.mkdtemp(prefix=".part-", dir=target.parent))
        try:
            target.rename(old / "old")
            part.rename(target)
        except OSError:
            if not target.exists():  # if it does, another process has just put the same run there
                raise
        finally:
            shutil.rmtree(old, ignore_errors=True)


def _read_table(path: Path) -> pa.Table:
    import pyarrow.parquet as pq

    # One thread: runs are read by many threads at once, and a run's table is small.
    return pq.read_table(path, use_threads=False, partitioning=None, page_checksum_verification=True)


def _write_table(table: pa.Table, path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression="zstd", write_statistics=False, write_page_checksum=True)


def _metadata(table: pa.Table) -> dict[str, Any]:
    return json.loads(table.schema.metadata[b"windlass"])
