"""Runs in the layout of earlier versions: a folder for each run, with a Parquet file for each table.

``<root>/ab/abcdef.../flows.parquet`` and so on, and ``sha256sums`` with a line for each of them. A run is taken over
only if its files are whole, if its key is that of its description, seed and version, and if that version gives the same
numbers as this one: it is this one, or the last one that wrote this layout and differs from this one in the store
alone. The run then gets the key that it has now.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError
from windlass.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

    from windlass.scenario.point import Point

__all__ = ["folders", "take_over"]

_SOURCES = {
    "control.py": None,
    "engine.py": "709bacafea2066c9055bd2cd4ed4a6ba4d118252301e0db8fb3a7e1dd4aeb69b",
    "fingerprint.py": None,
    "own_sources.py": None,
    "scenario/point.py": None,
    "store.py": "d95bcaaa5244dd59c3316f493a8846c4eba6af5aa918b19eb508a38900a12b7c",
    "sweep.py": "16e2b3d1558f1a64cbd1e1fe5207286e5bb5f228ff60c59b71b05e69cd1521c8",
    "tables.py": None,
}
"""What the last version with this layout made its version from; the fingerprint of files that differ from today's in
how runs are kept and handed out, not in how they are made."""

_RECORDED: tuple[dict[str, Any], ...] = ({}, {"delays": True}, {"events": True})
"""What runs record, as far as is tried: their files do not say it."""


def folders(source: Path) -> Iterator[Path]:
    """The folders of runs in that layout."""
    for folder in sorted(source.glob("[0-9a-f][0-9a-f]/*")):
        if folder.name.startswith(folder.parent.name) and folder.is_dir():
            yield folder


def take_over(store: Store, source: Path) -> Counter[str]:
    """Put the runs of a store of that layout into this one.

    Returns
    -------
    collections.Counter of str
        How many runs were ``"taken"``, and how many were not for each reason.

    Raises
    ------
    StoreError
        If the store cannot be written.
    """
    from windlass.engine import ENGINE_VERSION

    counts: Counter[str] = Counter()
    versions = {ENGINE_VERSION, last_version()}
    for folder in folders(source):
        try:
            about, tables = _read(folder)
        except Exception as error:  # noqa: BLE001  whatever Parquet makes of a damaged file
            counts["damaged" if isinstance(error, _Damaged) else "not readable"] += 1
            continue
        if about["engine_version"] not in versions:
            counts["made by a version that can give other numbers"] += 1
            continue
        point = _point(folder.name, json.dumps(about["description"]), about["seed"], about["engine_version"])
        if point is None:
            counts["with a key that is not that of the description: other series recorded, or a class in Python"] += 1
            continue
        store.write(
            point.key(about["seed"]), tables,
            description=point.effective_json(), seed=about["seed"], engine_version=ENGINE_VERSION,
        )  # fmt: skip
        counts["taken"] += 1
    store.close()
    return counts


def last_version() -> str:
    """Version that the last engine with this layout would have, if it made runs as this one does."""
    from windlass import _core
    from windlass.fingerprint import fingerprint

    digest = hashlib.sha256(_core.ENGINE_VERSION.encode())
    for name, known in _SOURCES.items():
        code = bytes.fromhex(known) if known else fingerprint((Path(__file__).parents[1] / name).read_bytes())
        digest.update(f"\0{name}\0".encode() + code)
    return f"{_core.ENGINE_VERSION.partition('+')[0]}+{digest.hexdigest()[:16]}"


class _Damaged(Exception):
    """A run whose files are not as they were written."""


def _read(folder: Path) -> tuple[dict[str, Any], dict[str, pa.Table]]:
    """What the run says of itself, and its tables."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from windlass.tables import TABLES, empty_table

    files = {path.stem: path.read_bytes() for path in folder.glob("*.parquet")}
    lines = (f"{hashlib.sha256(data).hexdigest()}  {name}.parquet\n" for name, data in sorted(files.items()))
    sums = folder / "sha256sums"
    if not sums.is_file() or sums.read_bytes() != "".join(lines).encode():
        raise _Damaged
    read = {name: pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False) for name, data in files.items()}
    about = json.loads(read["flows"].schema.metadata[b"windlass"])
    if about["key"] != folder.name:
        raise _Damaged
    empty = about["empty"]
    tables = {name: read[name] if name in read else empty_table(empty.get(name, ())) for name in TABLES}
    return about, {name: table.replace_schema_metadata(None) for name, table in tables.items()}


def _point(key: str, description: str, seed: int, version: str) -> Point | None:
    """The point whose run had that key, if it can be found."""
    for recorded in range(len(_RECORDED)):
        point = _described(description, recorded)
        if point is not None and hashlib.sha256(f"{point._point.key(seed)} {version}".encode()).hexdigest() == key:
            return point
    return None


@lru_cache(maxsize=64)
def _described(description: str, recorded: int) -> Point | None:
    from windlass import from_dict

    try:
        scenario = from_dict(json.loads(description))
        return (scenario.with_({"output": _RECORDED[recorded]}) if _RECORDED[recorded] else scenario).points()[0]
    except InputError:
        return None
