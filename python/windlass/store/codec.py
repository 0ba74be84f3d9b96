"""A run's tables as the payload of a record, and back.

Tables with rows are Arrow record batches, one after the other, compressed together with zstd. The columns are not in
it: they stand in a record of their own, the shape, once for all runs that have them. So does the description of a
point; a description that is like another one, as those of a sweep are, is packed as what differs from that.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import pyarrow as pa

from windlass.tables import empty_table, schema_text

__all__ = [
    "NO_BASE",
    "Shape",
    "Stored",
    "base_of",
    "decoded",
    "encoded",
    "packed_text",
    "shape_of",
    "shape_text",
    "text_of",
    "unpacked",
]

NO_BASE = bytes(32)
"""In the place of a key: a text that is packed without another one."""

_CODEC = pa.Codec("zstd", 3)

_MOST_TIMES = 10_000
_MOST_TEXT = 1 << 26
"""How many times its bytes a record may unpack to, beside 16 MiB, and bytes of a text: more was not written here."""
_FIRST = struct.Struct("<q32s32sB")
_LENGTH = struct.Struct("<Q")


class Stored(NamedTuple):
    """A run as its record has it.

    Attributes
    ----------
    seed : int
        Its seed.
    shape, about : bytes
        Keys of the records of its columns and of its description.
    lengths : tuple of int
        Bytes of each table, in the order of the shape; 0 for one without rows.
    body : memoryview
        The tables, compressed.
    """

    seed: int
    shape: bytes
    about: bytes
    lengths: tuple[int, ...]
    body: memoryview


class Shape(NamedTuple):
    """Columns of the tables of a run.

    Attributes
    ----------
    results : str
        What made the results of runs with it (:func:`windlass.engine.results_word`).
    empty : dict of str to pyarrow.Table
        Each table without rows.
    """

    results: str
    empty: dict[str, pa.Table]


def shape_text(tables: Mapping[str, pa.Table], results: str) -> bytes:
    """The text of a shape's record."""
    columns = {name: schema_text(table) for name, table in tables.items()}
    return json.dumps({"engine_version": results, "tables": columns}, separators=(",", ":")).encode()


def shape_of(text: bytes) -> Shape:
    """What :func:`shape_text` wrote.

    Raises
    ------
    ValueError
        If it did not write this.
    """
    with _as_value_error():
        found = json.loads(text)
        tables = {name: empty_table(columns) for name, columns in found["tables"].items()}
        return Shape(str(found["engine_version"]), tables)


@contextmanager
def _as_value_error() -> Iterator[None]:
    """What bytes that others put together raise, as one kind of error."""
    try:
        yield
    except (
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        struct.error,
        zlib.error,
        pa.ArrowException,
    ) as error:
        raise ValueError(str(error)) from error
    except OSError as error:  # so does Arrow call what it cannot unpack
        raise ValueError(str(error)) from error


def encoded(tables: Mapping[str, pa.Table], seed: int, shape: bytes, about: bytes) -> bytes:
    """The payload of a run's record."""
    parts = [_batch(table) for table in tables.values()]
    lengths = b"".join(_LENGTH.pack(len(part)) for part in parts)
    body = _CODEC.compress(b"".join(parts), asbytes=True)
    return _FIRST.pack(seed, shape, about, len(parts)) + lengths + body


def _batch(table: pa.Table) -> bytes:
    if table.num_rows == 0:
        return b""
    batches = table.to_batches()
    if len(batches) > 1:
        batches = table.combine_chunks().to_batches()
    return batches[0].serialize().to_pybytes()


def unpacked(data: memoryview) -> Stored:
    """The parts of such a payload.

    Raises
    ------
    ValueError
        If it has none: who wrote it did not use :func:`encoded`.
    """
    with _as_value_error():
        seed, shape, about, count = _FIRST.unpack_from(data)
        end = _FIRST.size + count * _LENGTH.size
        lengths = tuple(length for (length,) in _LENGTH.iter_unpack(data[_FIRST.size : end]))
        if len(lengths) != count or sum(lengths) > _MOST_TIMES * len(data) + (1 << 24):
            raise ValueError("lengths that cannot be")
        return Stored(seed, shape, about, lengths, data[end:])


def decoded(stored: Stored, shape: Shape) -> dict[str, pa.Table]:
    """The tables of a run, as they were written.

    Raises
    ------
    ValueError
        If they are not as :func:`encoded` writes them.
    """
    with _as_value_error():
        body = _CODEC.decompress(stored.body, decompressed_size=sum(stored.lengths))
        tables = {}
        at = 0
        for (name, empty), length in zip(shape.empty.items(), stored.lengths, strict=True):
            tables[name] = empty
            if length:
                batch = pa.ipc.read_record_batch(body.slice(at, length), empty.schema)
                batch.validate(full=True)
                tables[name] = pa.Table.from_batches([batch])
            at += length
        return tables


def packed_text(text: bytes, base: bytes = NO_BASE, known: bytes = b"") -> bytes:
    """Payload of a record that holds a text.

    Parameters
    ----------
    text : bytes
        The text.
    base, known : bytes
        Key and text of another record that the text is much like: only what differs takes room then.
    """
    packing = zlib.compressobj(9, zdict=known) if known else zlib.compressobj(9)
    return base + packing.compress(text) + packing.flush()


def base_of(data: bytes | memoryview) -> bytes:
    """Key of the record that :func:`text_of` needs the text of; :data:`NO_BASE` if none."""
    return bytes(data[: len(NO_BASE)])


def text_of(data: bytes | memoryview, known: bytes = b"") -> bytes:
    """What :func:`packed_text` packed.

    Raises
    ------
    ValueError
        If it did not pack this.
    """
    unpacking = zlib.decompressobj(zdict=known) if known else zlib.decompressobj()
    with _as_value_error():
        text = unpacking.decompress(data[len(NO_BASE) :], _MOST_TEXT)
    if not unpacking.eof:
        raise ValueError("no text, or a longer one than any description")
    return text
