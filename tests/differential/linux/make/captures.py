"""Read what an instance leaves: captures of tcpdump, the kernel's counters, the rows of wl_flow and tcp_observe."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PORT = 5001
"""Port of the receiver."""

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16


@dataclass(frozen=True)
class Packet:
    """A TCP packet of a capture."""

    at_ns: int
    to_receiver: bool
    seq: int
    ack: int
    flags: int
    length: int
    sack: list[tuple[int, int]]
    ip_id: int

    @property
    def key(self) -> tuple[int, int]:
        """The same packet at another place has the same."""
        return self.seq, self.ip_id

    @property
    def kind(self) -> str:
        """As in the column of that name."""
        if self.flags & SYN:
            return "SYNACK" if self.flags & ACK else "SYN"
        if self.flags & (RST | FIN):
            return "RST" if self.flags & RST else "FIN"
        return "DATA" if self.length else "ACK"


def packets(file: Path) -> Iterator[Packet]:
    """TCP packets from or to the receiver in a capture with nanoseconds."""
    content = file.read_bytes()
    if struct.unpack_from("<I", content)[0] != 0xA1B23C4D:
        raise ValueError(f"{file} is no capture with nanoseconds")
    place = 24
    while place + 16 <= len(content):
        seconds, nanoseconds, kept, _ = struct.unpack_from("<IIII", content, place)
        frame = content[place + 16 : place + 16 + kept]
        place += 16 + kept
        if frame[12:14] != b"\x08\x00":  # not IPv4
            continue
        tcp = 14 + (frame[14] & 15) * 4
        source, destination, seq, ack = struct.unpack_from(">HHII", frame, tcp)
        if PORT not in (source, destination):
            continue
        end = tcp + (frame[tcp + 12] >> 4) * 4
        length, ip_id = struct.unpack_from(">HH", frame, 16)
        yield Packet(
            at_ns=seconds * 10**9 + nanoseconds,
            to_receiver=destination == PORT,
            seq=seq,
            ack=ack,
            flags=frame[tcp + 13],
            length=length - (end - 14),
            sack=_blocks(frame, tcp + 20, end),
            ip_id=ip_id,
        )


def _blocks(frame: bytes, place: int, end: int) -> list[tuple[int, int]]:
    """SACK blocks among the options."""
    while place < end and frame[place] != 0:
        if frame[place] == 1:  # a filler
            place += 1
            continue
        if frame[place] == 5:
            count = (frame[place + 1] - 2) // 8
            return [struct.unpack_from(">II", frame, place + 2 + 8 * i) for i in range(count)]
        place += frame[place + 1]
    return []


def data_at_hop(folder: Path) -> list[Packet]:
    """Data packets that arrive at the lossy hop, in order."""
    return [packet for packet in packets(folder / "hop.pcap") if packet.to_receiver and packet.length > 0]


def counters(folder: Path, side: str) -> dict[str, int]:
    """The kernel's counters of one side, such as `TcpExtTCPTimeouts`."""
    found = {}
    for name in ("snmp", "netstat"):
        lines = (folder / f"r.{side}.{name}").read_text(encoding="utf-8").splitlines()
        for heads, values in zip(lines[::2], lines[1::2], strict=True):
            group = heads.partition(":")[0]
            pairs = zip(heads.split()[1:], values.split()[1:], strict=True)
            found.update({group + head: int(value) for head, value in pairs})
    return found


def flow(folder: Path) -> dict[str, str]:
    """What wl_flow says of its first flow at the end."""
    for line in (folder / "r.flows").read_text(encoding="utf-8").splitlines():
        if line.startswith("# flow"):
            words = line[2:].split()
            return dict(zip(words[::2], words[1::2], strict=True))
    raise ValueError(f"{folder / 'r.flows'} has no flow")


def clock_offset_ns(folder: Path) -> int:
    """Real time minus monotonic time."""
    with (folder / "r.flows").open(encoding="utf-8") as lines:
        return int(next(lines).split()[-1])
