"""Captures with a known truth: a small TCP over a bottleneck of known rate, delay, queue and loss, as pcap files."""

from __future__ import annotations

import heapq
import random
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

MSS = 1448
HEADERS = 52  # of IPv4 and TCP with timestamps
SACK_EDGE = struct.Struct(">II")


@dataclass(frozen=True)
class Segment:
    """What a capture sees: from the sender of data (`out`), or back."""

    time_s: float
    out: bool
    seq: int
    ack: int
    length: int
    flags: int
    stamp: int
    echo: int
    sack: tuple[tuple[int, int], ...] = ()
    ip_id: int = 0


@dataclass
class Transfer:
    """What happened: captures at both ends, and the truth."""

    sender: list[Segment] = field(default_factory=list)
    receiver: list[Segment] = field(default_factory=list)
    sent: int = 0
    channel_losses: int = 0
    queue_drops: int = 0


def transfer(
    *,
    rate_bps: float = 10e6,
    rtt_s: float = 0.04,
    queue: int = 100,
    lost: Callable[[float], bool] = lambda _: False,
    window: int | None = None,
    packets: int = 3000,
    first: int = 1000,
    seed: int = 1,
) -> Transfer:
    """A transfer: SACK, fast retransmit, halving; `window` holds the window at a number of packets.

    Losses are drawn by `lost` from the time at which the packet leaves the queue.
    """
    draw = random.Random(seed)
    made = Transfer()
    events: list[tuple[float, int, tuple]] = []
    order = iter(range(1 << 60))
    half, service = rtt_s / 2.0, 8.0 * (MSS + HEADERS) / rate_bps
    numbers = iter(range(1, 1 << 60))
    free_s = 0.0
    waiting: deque[float] = deque()

    def at(time_s: float, *event: object) -> None:
        heapq.heappush(events, (time_s, next(order), event))

    def stamp(time_s: float) -> int:
        return 7000 + int(1000 * time_s)

    def send(now: float, packet: int, echo: int) -> None:
        nonlocal free_s
        made.sent += 1
        segment = Segment(
            now, True, first + 1 + packet * MSS, 501, MSS, 0x18, stamp(now), echo, ip_id=next(numbers) % 65535 + 1
        )
        made.sender.append(segment)
        while waiting and waiting[0] <= now:
            waiting.popleft()
        if len(waiting) > queue:
            made.queue_drops += 1
            return
        free_s = max(free_s, now) + service
        waiting.append(free_s)
        if lost(free_s):
            made.channel_losses += 1
            return
        at(free_s + half, "data", segment)

    handshake(made, rtt_s, first)
    cwnd, threshold = (float(window), 1e9) if window else (10.0, 1e9)
    done = after = 0  # acknowledged in order; first never sent
    sacked: set[int] = set()
    missing: dict[int, int] = {}  # packets sent again: number that was next to be sent then
    received: set[int] = set()
    expected = 0
    recover = -1
    echo = stamp(rtt_s / 2.0)
    at(rtt_s, "go", None)
    at(rtt_s + 1.0, "timer", 0)
    while events and done < packets:
        now, _, (kind, what) = heapq.heappop(events)
        if kind == "data":
            made.receiver.append(replace(what, time_s=now))
            packet = (what.seq - first - 1) // MSS
            again = packet < expected or packet in received
            received.add(packet)
            while expected in received:
                received.discard(expected)
                expected += 1
            received.discard(packet if packet < expected else -1)
            ack = Segment(
                now, False, 501, first + 1 + expected * MSS, 0, 0x10, stamp(now), what.stamp,
                blocks(received, expected, packet, again, first), next(numbers) % 65535 + 1,
            )  # fmt: skip
            made.receiver.append(ack)
            at(now + half + 2e-5 * draw.random(), "ack", ack)
            continue
        if kind == "timer":
            if what == done and done < after:  # nothing new for a second: all that is missing is sent again
                missing.clear()
                cwnd, threshold, recover = (cwnd if window else 1.0), max(cwnd / 2.0, 2.0), after
                missing[done] = after
                send(now, done, echo)
            at(now + 1.0, "timer", done)
            continue
        if kind == "ack":
            made.sender.append(replace(what, time_s=now))
            echo = what.stamp
            reached = (what.ack - first - 1) // MSS
            for left, right in what.sack:
                sacked.update(range((left - first - 1) // MSS, (right - first - 1) // MSS))
            if reached > done:
                if not window and done > recover:
                    cwnd += (reached - done) if cwnd < threshold else (reached - done) / cwnd
                done = reached
                sacked = {one for one in sacked if one >= done}
        highest = max(sacked, default=-1)
        holes = [one for one in range(done, highest - 2) if one not in sacked]
        again = [one for one in holes if one not in missing or highest - 3 >= missing[one]]
        if again and done > recover and not window:
            recover, threshold = after, max(cwnd / 2.0, 2.0)
            cwnd = threshold
        pipe = after - done - len(sacked) - len([one for one in holes if one not in missing])
        for one in again:
            if pipe < cwnd:
                missing[one] = after
                send(now, one, echo)
                pipe += 1
        while pipe < cwnd and after < packets:
            send(now, after, echo)
            after += 1
            pipe += 1
    return made


def blocks(received: set[int], expected: int, packet: int, again: bool, first: int) -> tuple[tuple[int, int], ...]:
    """SACK blocks: a duplicate, then the block of the packet, then the others."""

    def edges(low: int, high: int) -> tuple[int, int]:
        return (first + 1 + low * MSS, first + 1 + high * MSS)

    runs: list[list[int]] = []
    for one in sorted(received):
        if runs and runs[-1][1] == one:
            runs[-1][1] = one + 1
        else:
            runs.append([one, one + 1])
    runs.sort(key=lambda run: not run[0] <= packet < run[1])
    found = [edges(packet, packet + 1)] if again else []
    return tuple((found + [edges(*run) for run in runs])[:3])


def handshake(made: Transfer, rtt_s: float, first: int) -> None:
    """The three segments that open it, as each end sees them."""
    syn = Segment(0.0, True, first, 0, 0, 0x02, 7000, 0, ip_id=1)
    answer = Segment(0.0, False, 500, first + 1, 0, 0x12, 7000, 7000, ip_id=2)
    third = Segment(0.0, True, first + 1, 501, 0, 0x10, 7000, 7000, ip_id=3)
    for capture, times in (
        (made.sender, (0.0, rtt_s, rtt_s)),
        (made.receiver, (0.5 * rtt_s, 0.5 * rtt_s, 1.5 * rtt_s)),
    ):
        capture += [replace(one, time_s=at) for one, at in zip((syn, answer, third), times, strict=True)]


def independent(share: float, seed: int) -> Callable[[float], bool]:
    draw = random.Random(seed)
    return lambda _: draw.random() < share


def bursts(share: float, bad_s: float, seed: int) -> Callable[[float], bool]:
    """Good and bad periods, exponential, whatever is sent."""
    draw = random.Random(seed)
    good_s = bad_s * (1.0 - share) / share
    state = {"bad": draw.random() < share, "until": 0.0}

    def lost(time_s: float) -> bool:
        while state["until"] <= time_s:
            state["bad"] = not state["bad"]
            state["until"] += draw.expovariate(1.0 / (bad_s if state["bad"] else good_s))
        return bool(state["bad"])

    return lost


# ---- files


def tcp_bytes(one: Segment, *, timestamps: bool = True, ports: tuple[int, int] = (40000, 5201)) -> bytes:
    """The TCP header with its options; payload is zeroes."""
    options = b""
    if one.flags & 0x02:
        options += struct.pack(">BBH", 2, 4, 1460) + b"\x04\x02\x01\x01"
    if timestamps:
        options += struct.pack(">BBBBII", 1, 1, 8, 10, one.stamp % 2**32, one.echo % 2**32)
    if one.sack:
        options += struct.pack(">BBBB", 1, 1, 5, 2 + 8 * len(one.sack))
        options += b"".join(SACK_EDGE.pack(left % 2**32, right % 2**32) for left, right in one.sack)
    source, target = ports if one.out else ports[::-1]
    ack = one.ack % 2**32 if one.flags & 0x10 else 0
    head = struct.pack(
        ">HHIIBBHHH", source, target, one.seq % 2**32, ack, (5 + len(options) // 4) << 4, one.flags, 65535, 0, 0
    )
    return head + options + bytes(one.length)


def ip_bytes(one: Segment, *, six: bool = False, timestamps: bool = True) -> bytes:
    payload = tcp_bytes(one, timestamps=timestamps)
    ends = (b"\x0a\x00\x00\x01", b"\x0a\x00\x00\x02") if one.out else (b"\x0a\x00\x00\x02", b"\x0a\x00\x00\x01")
    if six:
        return (
            struct.pack(">IHBB", 0x60000000, len(payload), 6, 64)
            + b"".join(b"\xfd" + bytes(11) + end for end in ends)
            + payload
        )
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), one.ip_id, 0x4000, 64, 6, 0) + b"".join(ends) + payload


ETHERNET = (1, bytes(12) + b"\x08\x00")
VLAN = (1, bytes(12) + b"\x81\x00\x00\x05\x08\x00")
SLL = (113, b"\x00\x00\x00\x01\x00\x06" + bytes(8) + b"\x08\x00")
SLL2 = (276, b"\x08\x00" + bytes(18))
RAW = (101, b"")
NULL = (0, b"\x02\x00\x00\x00")


def pcap(
    segments: list[Segment],
    link: tuple[int, bytes] = ETHERNET,
    *,
    snap: int = 96,
    order: str = "<",
    nano: bool = False,
    six: bool = False,
    timestamps: bool = True,
) -> bytes:
    """A file of pcap, packets cut to `snap` bytes."""
    kind, head = link
    if six and head.endswith(b"\x08\x00"):
        head = head[:-2] + b"\x86\xdd"
    out = [struct.pack(order + "IHHiIII", 0xA1B23C4D if nano else 0xA1B2C3D4, 2, 4, 0, 0, snap, kind)]
    for one in segments:
        frame = head + ip_bytes(one, six=six, timestamps=timestamps)
        ticks = round((1_700_000_000 + one.time_s) * 1e6) * (1000 if nano else 1)
        seconds, part = divmod(ticks, 10**9 if nano else 10**6)
        out.append(struct.pack(order + "IIII", seconds, part, min(len(frame), snap), len(frame)) + frame[:snap])
    return b"".join(out)


def pcapng(segments: list[Segment], link: tuple[int, bytes] = ETHERNET, *, snap: int = 96) -> bytes:
    """A file of pcapng with two interfaces: the second one, of nanoseconds, has the packets that go back."""

    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))

    kind, head = link
    resolution = struct.pack("<HHBxxxHH", 9, 1, 9, 0, 0)
    out = [block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))]
    out += [block(1, struct.pack("<HHI", kind, 0, snap) + options) for options in (b"", resolution)]
    for one in segments:
        frame = head + ip_bytes(one)
        ticks = round((1_700_000_000 + one.time_s) * 1e6) * (1 if one.out else 1000)
        fixed = struct.pack(
            "<IIIII", 0 if one.out else 1, ticks >> 32, ticks % 2**32, min(len(frame), snap), len(frame)
        )
        out.append(block(6, fixed + frame[:snap]))
    return b"".join(out)
