"""A capture of packets, pcap or pcapng: its connections, and one of them as rows of segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError
from windlass.imports.transmissions import Rows, near, unwrap

if TYPE_CHECKING:
    from numpy.typing import NDArray

SYN, ACK, ECE = 0x02, 0x10, 0x40
CE = 3

AIR = {105, 119, 127, 163, 192}
"""Link types of frames of 802.11: plain, with the headers of Prism, radiotap and AVS, and PPI."""

KINDS_OF_LINKS = (
    "Ethernet, Linux cooked (SLL, SLL2), raw IP, BSD loopback, PPP, PPPoE, C-HDLC, frame relay, FDDI, ATM and NFLOG"
)


@dataclass(frozen=True)
class Capture:
    """A file, read.

    Attributes
    ----------
    file : str
        Its name.
    connections : list of ((str, int), (str, int))
        Address and port of the ends.
    columns : dict of str to ndarray of int64, shape (n,)
        Segments in order of the file; ``python/windlass/_core.pyi`` names the columns.
    sack : tuple of ndarray of int64, shape (m,)
        Row, left and right edge of each SACK block.
    counts : dict
        Packets, and those that are no TCP, and so on.
    """

    file: str
    connections: list[tuple[tuple[str, int], tuple[str, int]]]
    columns: dict[str, NDArray[Any]]
    sack: tuple[NDArray[Any], ...]
    counts: dict[str, Any]


def read(data: bytes, file: str) -> Capture:
    """Read a file, given as its bytes.

    Raises
    ------
    InputError
        If it is no capture, or has no TCP segment that could be read.
    """
    import numpy as np

    from windlass import _core

    found = _core.read_capture(data)
    if found is None:
        raise InputError(
            "begins like a capture, but its head is broken",
            code="import.broken",
            file=file,
            hint="write it again: `tcpdump -w FILE`, or `editcap IN OUT` to convert another format",
        )
    columns = {name: np.frombuffer(column, dtype="<i8") for name, column in found.pop("segments").items()}
    sack = tuple(np.frombuffer(column, dtype="<i8") for column in found.pop("sack"))
    capture = Capture(file, found.pop("connections"), columns, sack, found)
    if not capture.connections:
        raise _no_tcp(capture)
    return capture


def _no_tcp(capture: Capture) -> InputError:
    counts = capture.counts
    if not counts["packets"]:
        what, hint = "holds no packet", "capture while data are sent: `tcpdump -s 128 -w FILE tcp`"
    elif counts["unknown_links"]:
        if AIR & set(counts["unknown_links"]):
            what = "its packets are frames of 802.11, as an interface in monitor mode sees them"
            hint = (
                "capture where the data are sent or received, on the interface itself: "
                "`tcpdump -i wlan0 -s 128 -w FILE tcp`; or decrypt what was captured and write the IP packets"
            )
            return InputError(what, code="import.no-tcp", file=capture.file, hint=hint)
        kinds = ", ".join(str(kind) for kind in sorted(counts["unknown_links"]))
        what = f"its packets are of a kind of link that cannot be read (link type {kinds})"
        hint = (
            f"known are {KINDS_OF_LINKS}; if N bytes stand before each IP packet (`tshark -x -c 1 -r FILE` shows them), "
            "`editcap -L -C N -T rawip FILE NEW` cuts them off; or capture with `tcpdump -i any`"
        )
    elif counts["short"]:
        what, hint = "too little of each packet was captured to read TCP headers", "capture with `-s 128` or more"
    else:
        what = f"none of its {counts['packets']} packets is a TCP segment"
        hint = "capture a TCP connection: `tcpdump -s 128 -w FILE tcp`"
    return InputError(what, code="import.no-tcp", file=capture.file, hint=hint)


def choose(capture: Capture, flow: str | None) -> int:
    """Number of the connection with most data, or of the one that is asked for.

    Parameters
    ----------
    flow : str or None
        A number from 1, in order of data, or a part of the ends as they are shown, such as a port.

    Raises
    ------
    InputError
        If there is no such connection, or several.
    """
    order = by_size(capture)
    if flow is None:
        return order[0]
    if flow.isdecimal() and 1 <= int(flow) <= len(order):
        return order[int(flow) - 1]
    ends = [one for one in order if flow in shown(capture, one) or f":{flow}" in shown(capture, one).split(" ")]
    exact = [one for one in ends if any(word.endswith(f":{flow}") for word in shown(capture, one).split(" "))]
    fitting = exact if len(exact) == 1 else ends
    if len(fitting) == 1:
        return fitting[0]
    what = f"{len(fitting)} connections match" if fitting else "no connection is"
    listed = "; ".join(f"{place + 1}: {shown(capture, one)}" for place, one in enumerate(order[:5]))
    raise InputError(
        f"{what} `{flow}`",
        code="import.flow",
        file=capture.file,
        hint=f"of {len(order)}, by size: {listed}; give a number, or ADDRESS:PORT of an end",
    )


def sizes(capture: Capture) -> NDArray[Any]:
    """Bytes of data of each connection in each direction, shape (n, 2)."""
    import numpy as np

    columns, count = capture.columns, len(capture.connections)
    place = 2 * columns["connection"] + columns["direction"]
    size: NDArray[Any] = np.bincount(place, weights=columns["payload"], minlength=2 * count)
    return size.reshape(count, 2)


def by_size(capture: Capture) -> list[int]:
    """Numbers of the connections, the one with most data first."""
    import numpy as np

    return [int(one) for one in np.argsort(-sizes(capture).sum(axis=1), kind="stable")]


def shown(capture: Capture, number: int) -> str:
    """Both ends of a connection."""
    return " - ".join(_end(end) for end in capture.connections[number])


def _end(end: Sequence[Any]) -> str:
    address, port = end
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


@dataclass(frozen=True)
class Connection:
    """One connection, seen from its sender of data.

    Attributes
    ----------
    sender, receiver : str
        The ends.
    data, acks : Rows
        Segments of the sender, and of the receiver, which count the sender's bytes in `ack`.
    mss : int
        Bytes of data in a packet.
    handshake : tuple of (float or None, float or None)
        Seconds from the sender's segment of the handshake to the receiver's answer, and the other way.
    duration_s : float
        From the first to the last segment.
    reverse_bytes : int
        Data that the receiver sent.
    start_ns : int
        When the first segment was captured, as the file has it.
    marks : Marks
        ECN of the data, and of their ACKs.
    """

    sender: str
    receiver: str
    data: Rows
    acks: Rows
    mss: int
    handshake: tuple[float | None, float | None]
    duration_s: float
    reverse_bytes: int
    start_ns: int
    marks: Marks


@dataclass(frozen=True)
class Marks:
    """ECN of one direction of data.

    Attributes
    ----------
    able, marked : int
        Packets of data that a queue may mark (ECT or CE), and those that one has (CE).
    echoes : int
        ACKs that tell of marks (ECE).
    """

    able: int
    marked: int
    echoes: int


def connection(capture: Capture, number: int, *, back: bool = False) -> Connection | None:
    """A connection as its larger sender sees it, or as the other end does; ``None`` without data in that direction."""
    import numpy as np

    columns = capture.columns
    mine = np.flatnonzero(columns["connection"] == number)
    order = mine[np.argsort(columns["time_ns"][mine], kind="stable")]
    part = {name: column[order] for name, column in columns.items()}
    size = [int(part["payload"][part["direction"] == way].sum()) for way in (0, 1)]
    way = int(size[1] > size[0]) ^ int(back)
    time_s = (part["time_ns"] - part["time_ns"][0]) / 1e9
    own = (part["direction"] == way) & ((part["flags"] & SYN) == 0)
    other = (part["direction"] != way) & ((part["flags"] & ACK) != 0)
    data = own & (part["payload"] > 0)
    if not data.any():
        return None
    first = int(part["seq"][data][0])
    blocks = _blocks(capture, order[other])
    ends = capture.connections[number]
    return Connection(
        _end(ends[way]),
        _end(ends[1 - way]),
        _rows(part, own, time_s, first, None, {}),
        _rows(part, other, time_s, first, "ack", blocks),
        _mss(part, own),
        _handshake(part, time_s, way),
        float(time_s[-1]),
        size[1 - way],
        int(part["time_ns"][0]),
        Marks(
            int((part["ecn"][data] > 0).sum()),
            int((part["ecn"][data] == CE).sum()),
            int(((part["flags"][other] & (ECE | SYN)) == ECE).sum()),
        ),
    )


def _rows(
    part: dict[str, NDArray[Any]],
    mask: NDArray[Any],
    time_s: NDArray[Any],
    first: int,
    count: str | None,
    blocks: dict[int, list[tuple[int, int]]],
) -> Rows:
    import numpy as np

    raw = part["ack"][mask]
    ack = unwrap(raw, first) if count else np.zeros(int(mask.sum()), dtype=np.int64)
    seq = part["seq"][mask]
    return Rows(
        time_s[mask],
        seq if count else unwrap(seq, first),
        ack,
        part["payload"][mask],
        part["packet"][mask],
        part["ip_id"][mask],
        part["timestamp"][mask],
        part["echo"][mask],
        {
            row: [
                (near(left, int(ack[row]), int(raw[row])), near(right, int(ack[row]), int(raw[row])))
                for left, right in edges
            ]
            for row, edges in blocks.items()
        },
    )


def _blocks(capture: Capture, rows: NDArray[Any]) -> dict[int, list[tuple[int, int]]]:
    """SACK blocks of these rows of the file, by their place among them."""
    places = {row: place for place, row in enumerate(rows.tolist())}
    found: dict[int, list[tuple[int, int]]] = {}
    for row, left, right in zip(*(column.tolist() for column in capture.sack), strict=True):
        if row in places:
            found.setdefault(places[row], []).append((left, right))
    return found


USUAL = (1448, 1460, 1428, 1440, 8948, 8960)
"""Bytes of data in a full packet: Ethernet with IPv4 or IPv6, with timestamps or without, and jumbo frames."""

LEAST_FULL, MOST_FULL = 536, 9000
"""Bytes that a full packet has at the least and at the most."""


def _mss(part: dict[str, NDArray[Any]], own: NDArray[Any]) -> int:
    """Bytes of data in a full packet: of the largest segment, unless it is larger than a packet can be.

    Segments of several packets are whole multiples of a full one, but for the last packet of a write. So it is the size
    of which most of them are a multiple: of those that were seen, what the SYNs allow (less the timestamps), and the
    usual ones.
    """
    import numpy as np

    sizes, counts = np.unique(part["payload"][own & (part["payload"] > 0)], return_counts=True)
    said = part["mss"][part["mss"] > 0]
    stamps = 12 if (part["timestamp"][own] >= 0).any() else 0
    limit = max(int(said.min()) - stamps, 1) if len(said) else USUAL[1]
    if int(sizes[-1]) <= limit:
        return int(sizes[-1])
    named = {limit, *(size for size in USUAL if size < limit)} if len(said) else set(USUAL)
    seen = {size for size in sizes.tolist() if LEAST_FULL <= size <= (limit if len(said) else MOST_FULL)}
    large = sizes > LEAST_FULL

    def fits(size: int) -> tuple[int, bool, int]:
        whole = large & (sizes % size == 0)
        return int(counts[whole].sum()), size in named, -abs(size - min(limit, USUAL[0]))

    return max(named | seen, key=fits)


def _handshake(part: dict[str, NDArray[Any]], time_s: NDArray[Any], way: int) -> tuple[float | None, float | None]:
    """Time that the receiver's side of the path took in the handshake, and the sender's side; SYNs sent once only."""
    import numpy as np

    syn = (part["flags"] & SYN) != 0
    acked = (part["flags"] & ACK) != 0
    opens, answers = np.flatnonzero(syn & ~acked), np.flatnonzero(syn & acked)
    if len(opens) != 1 or len(answers) != 1:
        return (None, None)
    third = np.flatnonzero((part["direction"] == part["direction"][opens[0]]) & ~syn & (time_s >= time_s[answers[0]]))
    there = float(time_s[answers[0]] - time_s[opens[0]])
    back = float(time_s[third[0]] - time_s[answers[0]]) if len(third) else None
    return (there, back) if part["direction"][opens[0]] == way else (back, there)
