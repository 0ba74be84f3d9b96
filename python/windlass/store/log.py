"""One file of the store as readers see it: where its records are.

An index record lists the records since the index before it, so a file that was closed is known by reading from its end
backwards. What has no index, or one that is damaged, is found by going from head to head.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from windlass.store.frame import HEAD, INDEX, RUN, Damage, Entry, damaged_kind, packed, payload, scan

__all__ = ["NAME", "Log", "files_in", "index_record"]

NAME = "*.runs"
"""Names of the store's files."""

_KEY = bytes(32)
_NONE = (1 << 64) - 1
_BEFORE = struct.Struct("<QQ")
_ENTRY = struct.Struct("<4s32sQQ")
_END = struct.Struct("<Q8s")
_END_MAGIC = b"WLindex\n"

_MOST = 1 << 24
"""Bytes of damage that are looked at for what was there. What several runs share takes far less."""


def files_in(root: Path) -> list[Path]:
    """The store's files, in order; what only has such a name, a pipe or a link to nothing, is none."""
    return sorted(path for path in root.glob(NAME) if path.is_file())


def index_record(entries: Iterable[Entry], before: Entry | None) -> bytes:
    """An index of these records, and the index before it."""
    data = _BEFORE.pack(before.offset, before.size) if before is not None else _BEFORE.pack(_NONE, 0)
    data += b"".join(_ENTRY.pack(*entry) for entry in entries)
    return packed(INDEX, _KEY, data + _END.pack(HEAD + len(data) + _END.size, _END_MAGIC))


@dataclass
class Log:
    """What is known of a file.

    Attributes
    ----------
    path : Path
        The file.
    seen : int
        Bytes that were looked at; a record begins there, or nothing.
    index : Entry or None
        The last index.
    open : list of Entry
        Records that no index lists.
    cut : int or None
        Where a record begins that is not all there, at the end of the file.
    shared : set of bytes
        Keys of its records that several runs need.
    bases : list of bytes
        Keys of its descriptions that others are packed with.
    damage : list of str
        What is damaged, in words; emptied by who says it.
    """

    path: Path
    seen: int = 0
    index: Entry | None = None
    open: list[Entry] = field(default_factory=list)
    cut: int | None = None
    shared: set[bytes] = field(default_factory=set)
    bases: list[bytes] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)

    def news(self) -> list[Entry]:
        """Records that came since the last call.

        Raises
        ------
        OSError
            If the file cannot be read.
        """
        self.cut = None
        end = self.path.stat().st_size
        if end <= self.seen:
            return []
        found = self._by_index(end)
        return self._by_scan(end) if found is None else found

    def record(self, entry: Entry) -> bytes:
        """The bytes of a record; fewer if the file is shorter now."""
        place = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            os.lseek(place, entry.offset, os.SEEK_SET)
            data = os.read(place, entry.size)
            while len(data) < entry.size and (more := os.read(place, entry.size - len(data))):
                data += more
            return data
        finally:
            os.close(place)

    def damaged(self, damage: Damage) -> bytes | None:
        """Kind of the record that was where something is damaged, if it was one record."""
        whole = damage.size <= _MOST
        return damaged_kind(self.record(Entry(INDEX, _KEY, damage.offset, damage.size))) if whole else None

    def add(self, entry: Entry) -> None:
        """Note a record that this process has appended."""
        self.seen = entry.offset + entry.size
        if entry.kind == INDEX:
            self.index = entry
            self.open.clear()
        else:
            self.open.append(entry)

    def _by_index(self, end: int) -> list[Entry] | None:
        """By the indices from the end of the file; ``None`` if it does not end in one, or one is damaged."""
        tail = self.record(Entry(INDEX, _KEY, max(0, end - _END.size), _END.size))
        size, magic = _END.unpack(tail) if len(tail) == _END.size else (0, b"")
        if magic != _END_MAGIC or size > end:
            return None
        before: Entry | None = Entry(INDEX, _KEY, end - size, size)
        last = before
        blocks: list[list[Entry]] = []
        while before is not None and before.offset >= self.seen:
            block = self._block(before)
            if block is None:
                return None
            before, entries = block
            blocks.append(entries)
        known, self.seen, self.index = self.seen, end, last
        self.open.clear()
        return [entry for entries in reversed(blocks) for entry in entries if entry.offset >= known]

    def _block(self, index: Entry) -> tuple[Entry | None, list[Entry]] | None:
        """The index before an index, and the records that it lists; ``None`` if it is damaged.

        All of them stand before it; otherwise it was not written here.
        """
        data = payload(self.record(index), INDEX, _KEY)
        if data is None or len(data) < _BEFORE.size + _END.size or (len(data) - _BEFORE.size - _END.size) % _ENTRY.size:
            return None
        offset, size = _BEFORE.unpack_from(data)
        entries = [Entry(*row) for row in _ENTRY.iter_unpack(data[_BEFORE.size : -_END.size])]
        before = None if offset == _NONE else Entry(INDEX, _KEY, offset, size)
        listed = entries if before is None else [*entries, before]
        if any(one.size < HEAD or one.offset + one.size > index.offset for one in listed):
            return None
        return before, entries

    def _by_scan(self, end: int) -> list[Entry]:
        """From head to head."""
        found = []
        for one in scan(self.path, self.seen, end):
            if isinstance(one, Damage):
                if one.is_cut:
                    self.cut = one.offset
                    break
                what = self.damaged(one)
                if what == INDEX:
                    self.damage.append(_damaged_index(self.path, one.offset))
                elif what == RUN:
                    self.damage.append(f"{self.path}: the run at byte {one.offset} is damaged; it is made again")
                elif what is None:
                    self.damage.append(
                        f"{self.path}: {one.size} bytes from byte {one.offset} on are damaged, at least one run; "
                        "what stood there is made again"
                    )
            elif one.kind != INDEX:
                found.append(one)
                self.open.append(one)
            else:
                block = self._block(one)
                if block is None:
                    self.damage.append(_damaged_index(self.path, one.offset))
                elif block[0] == self.index:
                    self.index = one
                    self.open.clear()
            self.seen = one.offset + one.size
        return found


def _damaged_index(path: Path, offset: int) -> str:
    return f"{path}: the index at byte {offset} is damaged; no run is lost"
