"""Records of the store's files: a head, sums, a payload. Each byte of a record is covered by its sums.

A file is nothing but records, one after the other. All numbers are little-endian:

====  =====  ====================================================================
from  bytes  what
====  =====  ====================================================================
0     8      :data:`MAGIC`, by which a reader finds the next record after damage
8     4      kind: :data:`RUN`, :data:`SHAPE`, :data:`ABOUT` or :data:`INDEX`
12    8      length of the payload
20    32     key
52    4      CRC-32 of the 52 bytes before it, so that the length can be trusted
56    16     BLAKE2b of these 52 bytes and the payload
72    ...    payload
====  =====  ====================================================================
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

__all__ = [
    "ABOUT",
    "HEAD",
    "INDEX",
    "KEY_BYTES",
    "MAGIC",
    "RUN",
    "SHAPE",
    "Damage",
    "Entry",
    "content_key",
    "damaged_kind",
    "packed",
    "payload",
    "scan",
]

MAGIC = b"\x89WLrec1\n"
RUN = b"run\0"
"""Tables of a run; its key is the run's."""
SHAPE = b"shp\0"
"""Columns of the tables and the engine's version, which many runs have in common."""
ABOUT = b"abt\0"
"""Effective description of a point, which all its seeds have in common."""
INDEX = b"idx\0"
"""Where the records since the last index are."""

KEY_BYTES = 32
"""Bytes of a key."""

_FIRST = struct.Struct(f"<8s4sQ{KEY_BYTES}s")
_SUMS = struct.Struct("<I16s")
HEAD = _FIRST.size + _SUMS.size
"""Bytes before the payload."""

_CHUNK = 1 << 20


class Entry(NamedTuple):
    """Where a record is.

    Attributes
    ----------
    kind, key : bytes
        As in its head.
    offset, size : int
        First byte, and bytes with the head.
    """

    kind: bytes
    key: bytes
    offset: int
    size: int


class Damage(NamedTuple):
    """Bytes of a file that belong to no record.

    Attributes
    ----------
    offset, size : int
        First byte, and how many.
    is_cut : bool
        Whether this is only a record that is not all there, at the end of the file: it is being written, or its writer
        was killed.
    """

    offset: int
    size: int
    is_cut: bool


def content_key(data: bytes) -> bytes:
    """Key of a record that is named by what it holds, 32 bytes."""
    return hashlib.blake2b(data, digest_size=KEY_BYTES).digest()


def packed(kind: bytes, key: bytes, data: bytes) -> bytes:
    """A record."""
    first = _FIRST.pack(MAGIC, kind, len(data), key)
    return first + _SUMS.pack(zlib.crc32(first), _sum(first, data)) + data


def payload(record: bytes, kind: bytes, key: bytes | None) -> memoryview | None:
    """Payload of a record of this kind and key (``None``: any); ``None`` if it is not just that, or not as written."""
    entry = _entry(record[:HEAD], 0)
    if entry is None or entry.kind != kind or entry.size != len(record) or key not in (None, entry.key):
        return None
    data = memoryview(record)[HEAD:]
    return data if _SUMS.unpack_from(record, _FIRST.size)[1] == _sum(record[: _FIRST.size], data) else None


def damaged_kind(data: bytes) -> bytes | None:
    """Kind of a record whose head is damaged; ``None`` if it cannot be known, or if these bytes are not one record.

    What is known without the head (its first bytes, its length) is put back. A sum that then fits proves the kind.
    Where the key or both sums are damaged, kind and length have to agree with the bytes that are there.
    """
    if len(data) < HEAD:
        return None
    magic, told, length, key = _FIRST.unpack_from(data)
    crc, whole = _SUMS.unpack_from(data, _FIRST.size)
    for kind in (RUN, SHAPE, ABOUT, INDEX):
        first = _FIRST.pack(MAGIC, kind, len(data) - HEAD, key)
        if zlib.crc32(first) == crc or _sum(first, memoryview(data)[HEAD:]) == whole:
            return kind
    agrees = magic == MAGIC and told in (RUN, SHAPE, ABOUT, INDEX) and HEAD + length == len(data)
    return told if agrees else None


def _sum(first: bytes, data: bytes | memoryview) -> bytes:
    digest = hashlib.blake2b(first, digest_size=16)
    digest.update(data)
    return digest.digest()


def _entry(head: bytes, offset: int) -> Entry | None:
    """What a head says; ``None`` if it is none, or damaged."""
    if len(head) < HEAD:
        return None
    magic, kind, length, key = _FIRST.unpack_from(head)
    if magic != MAGIC or zlib.crc32(head[: _FIRST.size]) != _SUMS.unpack_from(head, _FIRST.size)[0]:
        return None
    return Entry(kind, key, offset, HEAD + length)


def scan(path: Path, start: int, end: int) -> Iterator[Entry | Damage]:
    """Go over a part of a file from head to head, without reading payloads; what is damaged is passed over.

    Parameters
    ----------
    path : Path
        The file.
    start, end : int
        First byte, where a record begins, and the byte after the last one.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    with path.open("rb", buffering=_CHUNK) as file:
        at = start
        while at < end:
            file.seek(at)
            head = file.read(min(HEAD, end - at))
            entry = _entry(head, at)
            if entry is not None and at + entry.size <= end:
                yield entry
                at += entry.size
            elif entry is not None or _is_begun(file, head, at, end):
                yield Damage(at, end - at, is_cut=True)
                return
            else:
                after = _next(file, at + 1, end)
                yield Damage(at, after - at, is_cut=False)
                at = after


def _is_begun(file: BinaryIO, head: bytes, at: int, end: int) -> bool:
    """Whether the end of a file is what a write that was cut off leaves: a part of a head, or nothing but zeros."""
    if len(head) < HEAD and head[: len(MAGIC)] == MAGIC[: len(head)]:
        return True
    if any(head):
        return False
    file.seek(at)
    return not any(any(file.read(min(_CHUNK, end - place))) for place in range(at, end, _CHUNK))


def _next(file: BinaryIO, start: int, end: int) -> int:
    """Where the next whole record begins, or else the end: a payload can hold the magic by chance."""
    at = start
    while at < end:
        file.seek(at)
        chunk = file.read(min(_CHUNK, end - at))
        found = chunk.find(MAGIC)
        while found >= 0:
            file.seek(at + found)
            entry = _entry(file.read(HEAD), at + found)
            if entry is not None and entry.offset + entry.size <= end:
                file.seek(entry.offset)
                if payload(file.read(entry.size), entry.kind, entry.key) is not None:
                    return entry.offset
            found = chunk.find(MAGIC, found + 1)
        if at + len(chunk) >= end:
            break
        at += len(chunk) - len(MAGIC) + 1
    return end
