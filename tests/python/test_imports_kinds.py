"""Captures whose reading goes wrong by kind: what looks like a queue, a loss, a fast link or a short delay and is none.

Each is made of a known path; what `import` says holds the truth, or says that it cannot be known.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import made_captures as made
import made_iperf
import pytest

import windlass
from windlass import export
from windlass.errors import InputError
from windlass.imports import Estimate, ImportedPath, assembly, import_path
from windlass.imports.evidence import Evidence
from windlass.interval import Interval


def read(data: bytes, **options: Any) -> ImportedPath:
    Path("a.pcap").write_bytes(data)
    return import_path("a.pcap", **options)


def captured(
    place: str = "sender", document: dict[str, Any] | None = None, flow: str | None = None, **truth: Any
) -> ImportedPath:
    """A run of the simulator, captured and read."""
    source = export.Source.of(windlass.from_dict(document or made_iperf.transfer(**truth)).with_({"scenario.seeds": 1}))
    Path("a.pcapng").unlink(missing_ok=True)
    export.write_pcapng(source, Path("a.pcapng"), at=[place])
    return import_path("a.pcapng", flow=flow)


def notes(path: ImportedPath) -> str:
    return " ".join(path.notes)


# ---- sizes of packets


def conversation(sizes: list[int], again: int | None = None) -> list[made.Segment]:
    """Writes of these sizes, 10 ms apart, each acknowledged after 50 ms; one is sent again after 0.3 s."""
    rows = [
        made.Segment(0.0, True, 1000, 0, 0, 0x02, 1, 0),
        made.Segment(0.05, False, 500, 1001, 0, 0x12, 1, 1),
        made.Segment(0.0501, True, 1001, 501, 0, 0x10, 1, 1),
    ]
    start, place_of = 1001, 0
    for place, size in enumerate(sizes):
        at = 0.1 + 0.01 * place
        rows.append(made.Segment(at, True, start, 501, size, 0x18, int(1000 * at), 1, ip_id=place + 1))
        answered = at + 0.05 + (0.3 if place == again else 0.0)
        if place == again:
            place_of = start
            rows.append(replace(rows[-1], time_s=at + 0.3, stamp=int(1000 * at + 300), ip_id=60000))
        start += size
        if again is not None and place > again and at < 0.1 + 0.01 * again + 0.35:
            block = (place_of + sizes[again], start)
            rows.append(made.Segment(answered, False, 501, place_of, 0, 0x10, 1, int(1000 * at), (block,)))
        else:
            rows.append(made.Segment(answered, False, 501, start, 0, 0x10, 1, int(1000 * at)))
    return sorted(rows, key=lambda one: one.time_s)


def test_small_writes_do_not_make_packets_small() -> None:
    """183 writes of 100 B and 120 full packets, one of which was lost."""
    sizes = [made.MSS if place % 5 < 2 else 100 for place in range(303)]
    path = read(made.pcap(conversation(sizes, again=150)))
    assert "304 packets of data of up to 1448 B" in path.facts[1]
    assert path.loss is not None
    assert (path.loss.lost, path.loss.packets, path.loss.model) == (1, 304, "independent")
    assert "larger than a packet" not in notes(path)


@pytest.mark.parametrize("size", [2, 100, 1000, 1380])
def test_the_largest_segment_is_a_packet(size: int) -> None:
    """Connections that never fill a packet, and paths with a smaller one than the SYNs allow."""
    path = read(made.pcap(conversation([size] * 30 + [max(size // 2, 1)] * 60)))
    assert f"90 packets of data of up to {size} B" in path.facts[1]


@pytest.mark.parametrize("with_syn", [True, False])
@pytest.mark.parametrize("full", [1448, 1348])
def test_joined_segments_are_multiples_of_a_packet(with_syn: bool, full: int) -> None:
    """Many small writes, and segments of several packets that no card had cut yet."""
    rows = conversation([100] * 60 + [full, 2 * full, 3 * full, 7 * full] * 8 + [100] * 60)
    path = read(made.pcap(rows if with_syn else rows[3:]))
    assert f"{120 + 13 * 8} packets of data of up to {full} B" in path.facts[1]
    assert "24 segments are larger than a packet: the capture was made before the network card cut them" in notes(path)


# ---- hosts that join packets


def joined(rows: list[made.Segment], most: int) -> list[made.Segment]:
    """As a receiver with GRO sees them: up to `most` packets as one segment, when the last one comes."""
    out: list[made.Segment] = []
    for one in rows:
        last = out[-1] if out else one
        follows = one.out and one.length and last.out and last.length and one.seq == last.seq + last.length
        if follows and last.length < most * made.MSS:
            out[-1] = replace(last, length=last.length + one.length, time_s=one.time_s)
        else:
            out.append(one)
    return out


def bursts(count: int, every_s: float) -> list[made.Segment]:
    """At a receiver with GRO: each `every_s` eight segments of 16 packets, 10 us apart; 30 ms away."""
    rows = conversation([])
    rows = [replace(one, time_s=at) for one, at in zip(rows, (0.0, 0.0, 0.03), strict=True)]
    start = 1001
    for burst in range(count):
        for part in range(8):
            at = 0.05 + burst * every_s + 1e-5 * part
            rows.append(made.Segment(at, True, start, 501, 16 * made.MSS, 0x18, int(1000 * at), 1, ip_id=0))
            start += 16 * made.MSS
            rows.append(made.Segment(at + 1e-6, False, 501, start, 0, 0x10, int(1000 * at), int(1000 * at)))
    return rows


@pytest.mark.parametrize("every_s", [0.005, 0.02, 0.08])
def test_a_receiver_that_joins_packets_shows_no_rate_of_its_host(every_s: float) -> None:
    path = read(made.pcap(bursts(60, every_s)))
    arrived = 8 * 128 * 1500 / every_s
    assert path.rate is not None and path.rate.kind == "at least"
    assert path.rate.interval.lo == pytest.approx(arrived, rel=0.05)
    assert path.rate.value <= 1.1 * arrived
    assert "had joined them (GRO, LRO)" in notes(path)
    assert "before the network card cut" not in notes(path)


def test_a_full_link_is_known_at_a_receiver_that_joins_packets() -> None:
    transfer = made.transfer(packets=5000, queue=60, rate_bps=50e6)
    rows = [one for one in transfer.receiver if one.out or one.sack or one.ack % 7 == 0]
    path = read(made.pcap(joined(rows, 4)))
    assert max(one.length for one in joined(rows, 4)) > made.MSS
    assert path.rate is not None
    assert path.rate.interval.lo <= 50e6 <= path.rate.interval.hi * 1.001


# ---- what a receiver cannot know


@pytest.mark.parametrize("late", [0, 3])
def test_a_receiver_without_timestamps_or_handshake_knows_no_delay(late: int) -> None:
    rows = []
    for place in range(400):
        at = 0.0012 * place
        rows.append(made.Segment(at, True, 1001 + place * made.MSS, 501, made.MSS, 0x18, 0, 0, ip_id=place + 1))
        if place % 2:
            rows.append(made.Segment(at + 5e-5, False, 501, 1001 + (place + 1) * made.MSS, 0, 0x10, 0, 0))
    for place in (150, 300, 450)[:late]:
        held = next(at for at in range(place, len(rows)) if rows[at].out)
        rows[held] = replace(rows[held], time_s=rows[held].time_s + 0.003)
    path = read(made.pcap(sorted(rows, key=lambda one: one.time_s), timestamps=False))
    assert "captured near the receiver" in path.facts
    assert path.base_rtt is None
    assert "the delay is not known" in notes(path)
    if late:
        assert path.loss is None and path.loss_most is not None
        assert (path.loss_most.kind, path.loss_most.interval.lo) == ("at most", 0.0)
        assert "3 packets that came late may have been sent again, or be out of order" in notes(path)
    else:
        assert path.loss is not None and path.loss.lost == 0
    path.scenario().points()[0].effective()


def test_a_sender_without_handshake_or_timestamps_is_one() -> None:
    rows = made.transfer(packets=1200, window=40).sender[3:]
    path = read(made.pcap(rows, timestamps=False))
    assert "captured near the sender" in path.facts
    assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.04, rel=0.03)


@pytest.mark.parametrize("place", ["sender", "receiver"])
@pytest.mark.parametrize("gap_s", [0.0, 1e-5, 0.2])
def test_no_delay_is_nothing(gap_s: float, place: str) -> None:
    """Answers at once, packets far apart, times that do not move: a base RTT is more than 0, or it is not known."""
    rows = []
    for number in range(60):
        at = gap_s * number
        rows.append(made.Segment(at, True, 1001 + 200 * number, 501, 200, 0x18, 0, 0, ip_id=number + 1))
        back = at + (0.0 if place == "receiver" else 2e-6)
        rows.append(made.Segment(back, False, 501, 1001 + 200 * (number + 1), 0, 0x10, 0, 0))
    try:
        path = read(made.pcap(rows, timestamps=False))
    except InputError as error:
        assert error.code == "import.nothing"
    else:
        assert path.base_rtt is None or path.base_rtt.value > 0.0


# ---- what is no queue


DUMBBELL = {"rate": "10 Mbps", "delay": "30 ms", "queue": "100 packets", "loss": "0 %"}


def test_an_outage_is_no_full_queue() -> None:
    out = [{"at": "4 s", "for": "400 ms", "every": "5 s", "packets": "lost"}]
    path = captured(**DUMBBELL, duration="20 s", outages=out)
    assert path.loss is not None
    assert path.loss.rate.interval.contains(0.08)
    assert path.loss.model == "gilbert per time" and path.loss.burst is not None
    assert path.loss.burst.interval.contains(0.4)
    assert path.queue is None or path.queue.interval.lo <= 150e3 * 1.001 <= path.queue.interval.hi * 1.02
    assert "the path was interrupted" in notes(path)
    assert path.trace is None


@pytest.mark.parametrize("place", ["sender", "receiver"])
def test_a_queue_has_its_bytes_whatever_the_rate(place: str) -> None:
    """10, 3 and again 10 Mbit/s: the longest waits are those at 3 Mbit/s, and the queue is full at all of them."""
    steps = [{"at": "5 s", "rate": "3 Mbps"}, {"at": "15 s", "rate": "10 Mbps"}]
    path = captured(place, **DUMBBELL, duration="20 s", changes=steps)
    assert path.queue is not None and path.queue.value == pytest.approx(150e3, rel=0.03)
    assert path.queue.interval.hi < 160e3
    assert path.loss is not None and path.loss.lost == 0
    assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.06007, rel=0.002)
    assert path.base_rtt.interval.lo <= 0.06007 <= path.base_rtt.interval.hi * 1.001


@pytest.mark.parametrize("deviation", [1, 3, 6])
def test_jitter_is_no_queue(deviation: int) -> None:
    jitter = {"model": "normal", "deviation": f"{deviation} ms"}
    path = captured(rate="20 Mbps", delay="20 ms", queue="100 packets", loss="0.3 %", jitter=jitter, duration="15 s")
    assert path.rate is not None and path.base_rtt is not None
    assert path.rate.interval.lo <= 20e6 <= path.rate.interval.hi * 1.001
    assert path.base_rtt.interval.lo <= 0.04 <= path.base_rtt.interval.hi
    assert (path.trace, path.queue_least) == (None, None)
    assert path.queue is None or path.queue.interval.lo <= 151.5e3 <= path.queue.interval.hi
    if path.jitter is not None:
        assert path.jitter.size.interval.lo <= deviation / 1e3 <= path.jitter.size.interval.hi
    assert "there is a queue" not in notes(path)


def test_the_rate_is_no_less_than_what_arrived_on_a_link_that_varies() -> None:
    scenario = windlass.load("cellular").with_({"scenario.duration": "30 s", "flows.algorithm": "bbr"})
    export.write_pcapng(export.Source.of(scenario.with_({"scenario.seeds": 1})), Path("a.pcapng"), at=["sender"])
    path = import_path("a.pcapng")
    assert path.rate is not None
    packets = int(path.facts[1].split(" s, ")[1].split(" packets")[0])
    assert 0.95 * packets * 1500 * 8 / 30 <= path.rate.interval.lo <= 3.42e6 <= path.rate.interval.hi
    assert path.rate.value >= path.rate.interval.lo


@pytest.mark.parametrize("said", [3e6, 5e6, 8e6])
def test_no_reader_states_less_than_what_arrived(monkeypatch: pytest.MonkeyPatch, said: float) -> None:
    """Whatever a reader hands on, of any kind of file: 6 Mbit/s arrived, round trips took no time."""
    rate = Estimate(Interval(said, 0.9 * said, 1.1 * said, 10), "bit/s", "a reader")
    delay = Estimate(Interval(0.0, 0.0, 0.0, 10), "s", "a reader")
    found = Evidence("csv", rate=rate, arrived_bps=6e6, base_rtt=delay)
    monkeypatch.setattr(assembly.kinds, "read", lambda *_: found)
    path = read(b"anything")
    assert path.rate is not None and path.base_rtt is None
    assert min(path.rate.value, path.rate.interval.lo, path.rate.interval.hi) >= 6e6
    assert path.rate.kind == ("interval" if said > 6e6 else "at least")
    monkeypatch.setattr(assembly, "_rate", lambda evidence: evidence.rate)
    if said < 6.7e6:
        with pytest.raises(AssertionError):
            read(b"anything")


# ---- other connections


def together(place: str, queue: Any, **hosts: str) -> ImportedPath:
    document = made_iperf.transfer(**(DUMBBELL | {"queue": queue}), duration="12 s")
    document["topology"]["pairs"] = 2
    document["flows"] = [
        {"name": name, "from": f"left/{number}", "to": f"right/{number}", "algorithm": "cubic"}
        for number, name in enumerate("ab")
    ]
    return captured(place, document)


@pytest.mark.parametrize("place", ["sender", "receiver"])
@pytest.mark.parametrize("queue", ["100 packets", {"discipline": "fq-codel", "limit": "300 packets"}], ids=str)
def test_other_connections_of_the_file_are_on_the_link_too(place: str, queue: Any) -> None:
    path = together(place, queue)
    assert path.rate is not None
    assert path.rate.interval.lo <= 10e6 <= path.rate.interval.hi
    assert path.rate.value >= 8e6
    assert "Another connection of the file carried " in notes(path)


@pytest.mark.parametrize("place", ["sender", "receiver"])
def test_a_connection_that_begins_behind_a_queue_knows_no_least_delay(place: str) -> None:
    """BBR from 5 s on, in a queue that CUBIC keeps filled."""
    document = made_iperf.transfer(**DUMBBELL, duration="15 s")
    document["topology"]["pairs"] = 2
    later = {"from": "left/1", "to": "right/1", "algorithm": "bbr", "start": "5 s"}
    document["flows"].append(later)
    first = captured(place, document, flow="10.0.0.1")
    assert first.base_rtt is not None and first.base_rtt.kind == "interval"
    path = captured(place, document, flow="10.0.0.2")
    assert path.base_rtt is not None and path.base_rtt.interval.lo <= 0.06007 <= path.base_rtt.interval.hi
    assert path.base_rtt.kind == "at most"
    assert path.queue is None or path.queue.kind == "at least" and path.queue.interval.lo < 152e3
    assert path.jitter is None


def test_connections_of_other_links_are_not_taken_together() -> None:
    """Two clients of one server, each behind its own link of 10 Mbit/s."""
    one = made.pcap(made.transfer(packets=4000, queue=60).sender)
    other = made.transfer(packets=4000, queue=50, seed=2, rtt_s=0.07).sender
    moved = made.pcap([replace(row, time_s=row.time_s + 0.01) for row in other])
    moved = moved.replace(b"\x0a\x00\x00\x02", b"\x0a\x00\x00\x03")
    path = read(one + moved[24:])
    assert path.rate is not None
    assert path.rate.interval.lo <= 10e6 <= path.rate.interval.hi
    assert "nothing says that it was over the same link" in notes(path)


# ---- marks, and kinds of links


def test_marks_are_told() -> None:
    document = made_iperf.transfer(**(DUMBBELL | {"queue": {"discipline": "codel"}}), duration="10 s")
    document["tcp"] = {"ecn": True}
    for place in ("sender", "receiver"):
        path = captured(place, document)
        fact = next(one for one in path.facts if one.startswith("ECN: "))
        assert "A queue of the path marks" in notes(path)
        assert (" 0 marked" in fact) is (place == "sender")
        assert " 0 ACKs" not in fact
    assert not any(one.startswith("ECN") for one in captured(**DUMBBELL, duration="5 s").facts)


PPP = (9, b"\x00\x21")


@pytest.mark.parametrize("link", [PPP, (50, b"\xff\x03\x00\x21"), (104, b"\x0f\x00\x08\x00")], ids=lambda one: one[0])
def test_links_from_point_to_point(link: tuple[int, bytes]) -> None:
    transfer = made.transfer(packets=1200, window=40, lost=made.independent(0.01, 2))
    path = read(made.pcap(transfer.sender, link))
    assert path.loss is not None and path.loss.lost == transfer.channel_losses


@pytest.mark.parametrize("kind", [195, 242, 147])
def test_a_link_that_cannot_be_read_says_what_to_do(kind: int) -> None:
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, kind)
    with pytest.raises(InputError, match=f"link type {kind}") as caught:
        read(head + struct.pack("<IIII", 1, 0, 60, 60) + bytes(60))
    assert "editcap -L -C N -T rawip" in str(caught.value.hint)
