"""Each packet of a connection: when it was sent, how often, when it arrived, and whether it was lost."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

HALF, WHOLE = 1 << 31, 1 << 32

MOST_PAYLOAD = 1 << 20
"""Bytes of data of a segment, however much the network card cuts; more is no segment."""

REORDERED = 0.5
"""A hole that is filled within this share of the RTT was reordering, or a packet that took another way."""


@dataclass(frozen=True)
class Rows:
    """Segments of one direction in order of time.

    Attributes
    ----------
    time_s : ndarray of float64, shape (n,)
        Seconds since the capture began.
    seq, ack : ndarray of int64, shape (n,)
        Numbers without wraparound, from the first byte of data of the direction that they count.
    payload, packet, ip_id, timestamp, echo : ndarray of int64, shape (n,)
        As the engine's reader has them.
    sack : dict
        Row, then a list of blocks (left, right) in the numbers of `ack`.
    """

    time_s: NDArray[Any]
    seq: NDArray[Any]
    ack: NDArray[Any]
    payload: NDArray[Any]
    packet: NDArray[Any]
    ip_id: NDArray[Any]
    timestamp: NDArray[Any]
    echo: NDArray[Any]
    sack: dict[int, list[tuple[int, int]]]


def unwrap(numbers: NDArray[Any], first: int) -> NDArray[Any]:
    """Numbers of 32 bits in a row, as distances from `first` that go on after 2^32.

    >>> import numpy as np
    >>> unwrap(np.array([4294967290, 4, 10, 4]), 4294967290).tolist()
    [0, 10, 20, 10]
    """
    import numpy as np

    steps = np.diff(numbers, prepend=first)
    return np.cumsum((steps + HALF) % WHOLE - HALF)


def near(number: int, known: int, known_raw: int) -> int:
    """A number of 32 bits as a distance, given one of about its size in both forms."""
    return known + (number - known_raw + HALF) % WHOLE - HALF


@dataclass
class Packets:
    """Packets of one direction, those that were seen for the first time in order.

    Attributes
    ----------
    start, end, size : list of int
        Bytes of the stream, and bytes of the IP packet.
    sent_s : list of list of float
        When each was captured, again for each retransmission.
    filled : list of (float, float, int, int)
        Packets that came after later ones: when the hole was seen, when it was filled, its start, bytes of the packet.
    copies : int
        Packets that were captured twice.
    offloaded : int
        Segments larger than a packet can be: the sending host had not cut them yet.
    unseen : int
        Holes that nothing filled.
    """

    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    size: list[int] = field(default_factory=list)
    sent_s: list[list[float]] = field(default_factory=list)
    ip_id: list[int] = field(default_factory=list)
    filled: list[tuple[float, float, int, int]] = field(default_factory=list)
    copies: int = 0
    offloaded: int = 0
    unseen: int = 0

    def add(self, start: int, end: int, time_s: float, header: int, mss: int, ip_id: int) -> None:
        """New data, cut into packets."""
        for left in range(start, end, mss):
            right = min(left + mss, end)
            self.start.append(left)
            self.end.append(right)
            self.size.append(right - left + header)
            self.sent_s.append([time_s])
            self.ip_id.append(ip_id)

    def overlapping(self, start: int, end: int) -> range:
        """Numbers of the known packets of which at least half lies between two places."""
        first = bisect_right(self.end, start)
        last = bisect_left(self.start, end)
        while (
            first < last and 2 * (self.end[first] - max(start, self.start[first])) < self.end[first] - self.start[first]
        ):
            first += 1
        while first < last and 2 * (min(end, self.end[last - 1]) - self.start[last - 1]) < (
            self.end[last - 1] - self.start[last - 1]
        ):
            last -= 1
        return range(first, last)


def packets_of(rows: Rows, mss: int) -> Packets:
    """Packets of the segments of a direction; segments without data are passed over."""
    found = Packets()
    holes: list[tuple[int, int, float]] = []
    high: int | None = None
    columns = (rows.time_s, rows.seq, rows.payload, rows.packet, rows.ip_id)
    for time_s, start, payload, packet, ip_id in zip(*(column.tolist() for column in columns), strict=True):
        if not 0 < payload <= MOST_PAYLOAD:
            continue
        end = start + payload
        header = max(packet - payload, 40)
        found.offloaded += payload > mss
        if high is None or start >= high:
            if high is not None and start > high:
                holes.append((high, start, time_s))
            found.add(start, end, time_s, header, mss, ip_id)
            high = end
            continue
        again = found.overlapping(start, min(end, high))
        if again and ip_id > 0 and all(found.ip_id[one] == ip_id for one in again):
            found.copies += 1
            continue
        for one in again:
            found.sent_s[one].append(time_s)
            found.ip_id[one] = ip_id
        if holes:
            holes = _fill(found, holes, start, min(end, high), time_s, header, mss)
        if end > high:
            found.add(high, end, time_s, header, mss, ip_id)
            high = end
    found.unseen = len(holes)
    return found


def _fill(
    found: Packets, holes: list[tuple[int, int, float]], start: int, end: int, time_s: float, header: int, mss: int
) -> list[tuple[int, int, float]]:
    """Note what a late segment fills of the holes; the holes that are left."""
    first = bisect_left(holes, start, key=lambda hole: hole[1] - 1)
    left = holes[:first]
    for place in range(first, len(holes)):
        low, high, seen_s = holes[place]
        if low >= end:
            left += holes[place:]
            break
        inside = (max(low, start), min(high, end))
        for each in range(*inside, mss):
            found.filled.append((seen_s, time_s, each, min(each + mss, inside[1]) - each + header))
        left += [(a, b, seen_s) for a, b in ((low, inside[0]), (inside[1], high)) if a < b]
    return left


@dataclass
class Answers:
    """What the ACKs say of the packets.

    Attributes
    ----------
    delivered_s : list of float or None
        When the first ACK for each packet was captured.
    twice : set of int
        Packets that arrived twice, as duplicate SACKs say.
    rtt : list of (float, float, float, int)
        Samples: when the packet was sent, when its ACK came, the time between them, packets that this ACK was for.
    """

    delivered_s: list[float | None]
    twice: set[int] = field(default_factory=set)
    rtt: list[tuple[float, float, float, int]] = field(default_factory=list)


def answers_to(found: Packets, acks: Rows) -> Answers:
    """Go through the ACKs of the other direction in order."""
    count = len(found.start)
    said = Answers([None] * count)
    following = list(range(count + 1))  # the next packet from here on that no ACK has covered

    def next_open(place: int) -> int:
        root = place
        while following[root] != root:
            root = following[root]
        while following[place] != root:
            following[place], place = root, following[place]
        return root

    done = 0
    for row, (time_s, ack) in enumerate(zip(acks.time_s.tolist(), acks.ack.tolist(), strict=True)):
        covered = []
        reached = bisect_right(found.end, ack)
        ranges = [(done, reached)] if reached > done else []
        done = max(done, reached)
        blocks = acks.sack.get(row, [])
        if blocks and _is_duplicate(blocks, ack):
            said.twice.update(found.overlapping(*blocks[0]))
            blocks = blocks[1:]
        ranges += [(bisect_left(found.start, left), bisect_right(found.end, right)) for left, right in blocks]
        for low, high in ranges:
            place = next_open(min(low, count))
            while place < high:
                # An ACK cannot answer what was not sent yet.
                if found.sent_s[place][0] <= time_s:
                    said.delivered_s[place] = time_s
                    covered.append(place)
                following[place] = place + 1
                place = next_open(place)
        once = [found.sent_s[one][0] for one in covered if len(found.sent_s[one]) == 1]
        # What a later retransmission made the receiver acknowledge had come before.
        again = [at for one in covered if len(found.sent_s[one]) > 1 for at in found.sent_s[one] if at <= time_s]
        if once and max(again, default=0.0) <= max(once):
            said.rtt.append((max(once), time_s, time_s - max(once), len(covered)))
    return said


def _is_duplicate(blocks: list[tuple[int, int]], ack: int) -> bool:
    """Whether the first block reports a duplicate, RFC 2883: below the ACK, or within the second block."""
    left, right = blocks[0]
    inside = len(blocks) > 1 and blocks[1][0] <= left and right <= blocks[1][1]
    return left < right and (right <= ack or inside)


@dataclass
class Fates:
    """Transmissions in order of time: when, whether lost, and how many looked lost but were not.

    `late` packets filled a hole, and nobody can tell whether they were sent again.
    """

    time_s: NDArray[Any]
    lost: NDArray[Any]
    spurious: int
    reordered: int
    late: int


def fates(found: Packets, said: Answers, rtt_s: float | None) -> Fates:
    """Which transmissions were lost.

    Before the place of the capture, a packet is lost if it leaves a hole that is filled half an RTT later or more.
    Behind it, each transmission is lost that was followed by another of the same bytes, unless the receiver reports a
    duplicate or the ACK came sooner after the retransmission than anything can. What no ACK had reached at the end of
    the capture is left out. Without an RTT no late packet counts as lost.
    """
    import numpy as np

    soon_s = REORDERED * (rtt_s or 0.0)

    rows: list[tuple[float, bool, bool]] = []
    spurious = 0
    last = max((one for one, at in enumerate(said.delivered_s) if at is not None), default=len(found.start) - 1)
    for place in range(last + 1):
        times = found.sent_s[place]
        missing = len(times) - 1
        delivered = said.delivered_s[place]
        if missing and (place in said.twice or (delivered is not None and delivered - times[-1] < soon_s)):
            missing -= 1
            spurious += 1
        rows += [(time, True, number < missing) for number, time in enumerate(times)]
    reordered = 0
    for seen_s, filled_s, _, _ in found.filled:
        was_lost = rtt_s is not None and filled_s - seen_s >= soon_s
        reordered += not was_lost
        # It was sent before the packet that showed the hole.
        rows.append((seen_s, False, was_lost))
        if was_lost:
            rows.append((filled_s, True, False))
    rows.sort(key=lambda row: row[:2])
    times_s, _, lost = zip(*rows, strict=True)
    told = (reordered, 0) if rtt_s is not None else (0, reordered)
    return Fates(np.array(times_s, dtype=float), np.array(lost, dtype=bool), spurious, *told)
