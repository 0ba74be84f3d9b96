"""Results of many runs in memory.

A run's tables have some 170 columns, and each column is an object of its own: 130 kB for a run with one flow. Packed
they take 5 kB, and one that is asked for is unpacked in a tenth of a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import pyarrow as pa

from windlass.results import RunResult

_CODEC = pa.Codec("lz4")


class _Table(NamedTuple):
    """A table with rows: its columns, its compressed bytes and how many they are unpacked."""

    schema: pa.Schema
    data: bytes
    size: int


class PackedTables(Mapping[str, pa.Table]):
    """The tables of a run; one is unpacked each time that it is asked for."""

    __slots__ = ("_tables",)

    def __init__(self, tables: dict[str, pa.Table | _Table]) -> None:
        self._tables = tables

    def __getitem__(self, name: str) -> pa.Table:
        found = self._tables[name]
        if not isinstance(found, _Table):
            return found
        body = _CODEC.decompress(found.data, decompressed_size=found.size)
        return pa.Table.from_batches([pa.ipc.read_record_batch(body, found.schema)])

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)


class Packer:
    """Packs results. Those that it packs share their columns' names and types, and tables without rows."""

    def __init__(self) -> None:
        self._empty: dict[str, list[pa.Table]] = {}

    def pack(self, result: RunResult) -> RunResult:
        """The same result with :class:`PackedTables`."""
        return replace(result, tables=PackedTables({name: self._packed(name, t) for name, t in result.tables.items()}))

    def _packed(self, name: str, table: pa.Table) -> pa.Table | _Table:
        known = self._empty.setdefault(name, [])
        empty = next((one for one in known if one.schema == table.schema), None)
        if empty is None:
            empty = table.schema.empty_table()
            known.append(empty)
        if table.num_rows == 0:
            return empty
        data = table.combine_chunks().to_batches()[0].serialize()
        return _Table(empty.schema, _CODEC.compress(data, asbytes=True), data.size)
