"""Reads captures of IPv4 in the format pcapng, for the tests: by its specification, with nothing of the writer's."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Packet:
    """A record of a capture of IPv4."""

    point: int
    ns: int
    length: int
    data: bytes
    options: dict[int, list[bytes]]

    @property
    def tcp(self) -> bytes:
        return self.data[20:]

    @property
    def ends(self) -> tuple[bytes, bytes]:
        return self.data[12:16], self.data[16:20]

    @property
    def payload(self) -> int:
        return self.length - 20 - 4 * (self.tcp[12] >> 4)

    @property
    def numbers(self) -> tuple[int, int]:
        return struct.unpack(">II", self.tcp[4:12])

    def option(self, kind: int) -> bytes | None:
        left = self.tcp[20 : 4 * (self.tcp[12] >> 4)]
        while left and left[0] != 0:
            if left[0] == 1:
                left = left[1:]
                continue
            if left[0] == kind:
                return left[2 : left[1]]
            left = left[left[1] :]
        return None


@dataclass
class Capture:
    """A file of the format pcapng, little-endian, one section."""

    comment: str = ""
    points: list[str] = field(default_factory=list)
    packets: list[Packet] = field(default_factory=list)


def options(block: bytes) -> dict[int, list[bytes]]:
    found: dict[int, list[bytes]] = {}
    while block:
        code, length = struct.unpack_from("<HH", block)
        if code == 0:
            assert len(block) == 4
            return found
        found.setdefault(code, []).append(block[4 : 4 + length])
        block = block[4 + (length + 3) // 4 * 4 :]
    return found


def blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    while data:
        kind, length = struct.unpack_from("<II", data)
        assert length % 4 == 0
        assert struct.unpack_from("<I", data, length - 4) == (length,)
        yield kind, data[8 : length - 4]
        data = data[length:]


def read(file: Path) -> Capture:
    capture = Capture()
    for kind, body in blocks(file.read_bytes()):
        if kind == 0x0A0D0D0A:
            assert struct.unpack_from("<IHHq", body) == (0x1A2B3C4D, 1, 0, -1)
            capture.comment = options(body[16:])[1][0].decode()
        elif kind == 1:
            assert struct.unpack_from("<H", body) == (101,)
            about = options(body[8:])
            assert about[9] == [b"\x09"]
            capture.points.append(about[2][0].decode())
        else:
            assert kind == 6
            point, high, low, kept, length = struct.unpack_from("<IIIII", body)
            end = 20 + (kept + 3) // 4 * 4
            packet = Packet(point, high << 32 | low, length, body[20 : 20 + kept], options(body[end:]))
            assert packet.data[:2] in (b"E\x00", b"E\x01", b"E\x02", b"E\x03")
            capture.packets.append(packet)
    return capture


def checksum(data: bytes) -> int:
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total
