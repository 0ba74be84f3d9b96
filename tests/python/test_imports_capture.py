"""`windlass import` of captures: what is made with a known truth is found again, and nothing hostile breaks it."""

from __future__ import annotations

import random
import struct
from dataclasses import replace
from pathlib import Path

import made_captures as made
import numpy as np
import pytest
from conftest import Command

import windlass
from windlass.errors import InputError
from windlass.imports import ImportedPath, import_path, loss


def read(data: bytes, **options: object) -> ImportedPath:
    Path("a.pcap").write_bytes(data)
    return import_path("a.pcap", **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def short() -> made.Transfer:
    """1200 packets, 1 % lost, window of 40: the queue is short and never full."""
    return made.transfer(packets=1200, window=40, lost=made.independent(0.01, 2))


@pytest.fixture(scope="module")
def full() -> made.Transfer:
    """A queue of 60 packets that overflows; no loss but that."""
    return made.transfer(packets=5000, queue=60)


# ---- truth


@pytest.mark.parametrize("place", ["sender", "receiver"])
def test_independent_losses(short: made.Transfer, place: str) -> None:
    path = read(made.pcap(getattr(short, place)))
    assert f"captured near the {place}" in path.facts
    assert path.rate is not None and path.rate.value == pytest.approx(10e6, rel=0.02)
    assert path.base_rtt is not None and path.base_rtt.interval.contains(0.040)
    assert path.loss is not None
    assert (path.loss.model, path.queue) == ("independent", None)
    assert path.loss.lost == short.channel_losses
    assert path.loss.rate.interval.contains(0.01)


@pytest.mark.parametrize("place", ["sender", "receiver"])
def test_bursts_in_time(place: str) -> None:
    """2 % of the time is bad, 8 ms at a time: 6.7 packets of 1.2 ms."""
    transfer = made.transfer(packets=9000, window=50, lost=made.bursts(0.02, 0.008, 8))
    path = read(made.pcapng(getattr(transfer, place)))
    assert path.loss is not None and path.loss.burst is not None
    assert path.loss.model == "gilbert per time"
    assert path.loss.rate.interval.contains(0.02)
    assert path.loss.burst.interval.contains(0.008)
    assert path.loss.p_value is not None and path.loss.p_value < 1e-20
    assert path.rate is not None and path.rate.value == pytest.approx(10e6, rel=0.02)


@pytest.mark.parametrize("place", ["sender", "receiver"])
def test_a_full_queue_is_told_from_the_channel(full: made.Transfer, place: str) -> None:
    path = read(made.pcap(getattr(full, place)))
    assert full.queue_drops > 20
    assert path.loss is not None and path.loss.lost == 0
    assert path.queue is not None and path.queue.value == pytest.approx(60 * 1500, rel=0.03)
    assert path.rate is not None and path.rate.value == pytest.approx(10e6, rel=0.01)
    assert f"{full.queue_drops} of {full.queue_drops} losses" in " ".join(path.notes)
    assert 'queue = "60 packets"' in path.toml()


def test_a_rate_that_changes_becomes_a_trace(full: made.Transfer) -> None:
    """A constant one does not, unless it is asked for: its trace carries as much as the link."""
    assert read(made.pcap(full.sender)).trace is None
    trace = read(made.pcap(full.sender), rate="trace").trace
    assert trace is not None
    assert 8 * 1504 * len(trace) / (trace[-1] / 1e3) == pytest.approx(10e6, rel=0.03)
    slower = [replace(one, time_s=2 * one.time_s) for one in full.sender if one.time_s > 3.0]
    changed = [one for one in full.sender if one.time_s <= 3.0] + [
        replace(one, time_s=one.time_s - 3.0) for one in slower
    ]
    path = read(made.pcap(changed))
    assert path.trace is not None
    assert sum(at <= 3000 for at in path.trace) == pytest.approx(
        2 * sum(3000 < at <= 6000 for at in path.trace), rel=0.05
    )


def test_drops_and_losses_of_the_channel_together() -> None:
    transfer = made.transfer(packets=8000, queue=60, lost=made.independent(0.001, 3), rate_bps=20e6)
    path = read(made.pcap(transfer.sender))
    assert path.loss is not None and path.loss.rate.interval.contains(0.001)
    assert path.queue is not None and path.queue.value == pytest.approx(60 * 1500, rel=0.05)


def test_a_slow_link_and_a_far_end() -> None:
    """Transmission of a packet, 12 ms, is no part of the delay."""
    path = read(made.pcap(made.transfer(rate_bps=1e6, rtt_s=0.6, window=70, packets=600, queue=500).sender))
    assert path.base_rtt is not None and path.base_rtt.value == pytest.approx(0.6, rel=0.002)
    assert path.rate is not None and path.rate.value == pytest.approx(1e6, rel=0.02)
    assert path.loss is not None and path.loss.lost == 0
    assert path.loss.rate.interval.hi < 0.01


def test_a_capture_in_the_middle_sees_both_kinds_of_losses() -> None:
    """What the sender's side saw and the receiver's side, joined at the sender: every other lost packet is missing."""
    transfer = made.transfer(packets=2000, window=40, lost=made.independent(0.02, 5))
    arrived = {(one.seq, one.stamp, one.ip_id) for one in transfer.receiver if one.out}
    rows, number = [], 0
    for one in transfer.sender:
        gone = one.out and one.length > 0 and (one.seq, one.stamp, one.ip_id) not in arrived
        number += gone
        if not (gone and number % 2):
            rows.append(one)
    path = read(made.pcap(rows))
    assert path.loss is not None
    assert abs(path.loss.lost - transfer.channel_losses) <= 2
    assert path.loss.rate.interval.contains(0.02)


def test_the_scenario_runs_and_loses_as_much(short: made.Transfer) -> None:
    path = read(made.pcap(short.sender))
    toml, *_ = path.write("found.toml")
    point = windlass.load(toml).points()[0].with_({"scenario.duration": "20 s", "scenario.warmup": "1 s"})
    link = next(row for row in point.run(1).links.to_pylist() if row["link"] == "bottleneck")
    assert link["loss_random"] / link["transmitted_packets"] == pytest.approx(0.01, abs=0.005)


# ---- models of loss


def drawn(seed: int, packets: int, into: float, out: float, bad: float, good: float = 0.0) -> np.ndarray:
    """A channel that makes a step for each packet."""
    draw = random.Random(seed)
    state, rows = draw.random() < into / (into + out), []
    for _ in range(packets):
        state = draw.random() >= out if state else draw.random() < into
        rows.append(draw.random() < (bad if state else good))
    return np.array(rows)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """Six rows of packets each; fewer than four of them would happen in one of 440 tests at 95 %."""
    covered = {"independent": 0, "rate": 0, "burst": 0, "seconds": 0, "bad": 0}
    for seed in range(6):
        alone = drawn(seed, 4000, 1.0, 0.0, 0.01)
        covered["independent"] += loss.by_count(int(alone.sum()), 4000, "").rate.interval.contains(0.01)
        steps = loss.fit(drawn(100 + seed, 4000, 0.005, 0.2, 1.0), None, "")
        assert steps.burst is not None
        covered["rate"] += steps.rate.interval.contains(0.005 / 0.205)
        covered["burst"] += steps.burst.interval.contains(5.0)
        hidden = loss.fit(drawn(200 + seed, 6000, 0.004, 0.05, 0.5), None, "")
        covered["bad"] += hidden.bad_loss is not None and hidden.bad_loss.interval.contains(0.5)
        draw = random.Random(seed)
        channel = made.bursts(0.03, 0.05, 300 + seed)
        times = np.cumsum([draw.expovariate(100.0) for _ in range(4000)])
        timed = loss.fit(np.array([channel(at) for at in times]), times, "")
        covered["seconds"] += timed.model == "gilbert per time" and timed.burst.interval.contains(0.05)
    assert min(covered.values()) >= 4, covered


def test_few_losses_none_and_all() -> None:
    none = loss.fit(np.zeros(500, dtype=bool), None, "")
    assert (none.model, none.rate.value) == ("none", 0.0)
    # the exact upper end for no loss: 1 - 0.025^(1/500)
    assert none.rate.interval.hi == pytest.approx(1 - 0.025 ** (1 / 500))
    rows = np.zeros(500, dtype=bool)
    rows[100:105] = True
    assert loss.fit(rows, None, "").model == "independent"
    assert loss.fit(np.ones(50, dtype=bool), None, "").rate.value == 1.0


# ---- formats of captures


@pytest.mark.parametrize(
    "link", [made.ETHERNET, made.VLAN, made.SLL, made.SLL2, made.RAW, made.NULL], ids=lambda one: str(one[0])
)
@pytest.mark.parametrize("six", [False, True])
def test_kinds_of_links(short: made.Transfer, link: tuple[int, bytes], six: bool) -> None:
    path = read(made.pcap(short.sender, link, six=six, snap=160))
    assert path.loss is not None and path.loss.lost == short.channel_losses
    assert path.rate is not None and path.rate.value == pytest.approx(10e6 * (1.0 + six * 20 / 1500), rel=0.02)
    assert ("[fd00::" in path.facts[0]) is six


@pytest.mark.parametrize(
    "options", [{"order": ">"}, {"nano": True}, {"order": ">", "nano": True}, {"timestamps": False}]
)
def test_variants_of_pcap(short: made.Transfer, options: dict[str, object]) -> None:
    path = read(made.pcap(short.sender, **options))  # type: ignore[arg-type]
    assert path.loss is not None and path.loss.lost == short.channel_losses


def test_headers_that_were_cut(short: made.Transfer) -> None:
    """54 bytes of Ethernet, IPv4 and TCP without options: no SACK, but the numbers are there."""
    path = read(made.pcap(short.sender, snap=54))
    assert path.loss is not None and path.loss.lost == short.channel_losses
    with pytest.raises(InputError, match="too little of each packet") as caught:
        read(made.pcap(short.sender, snap=40))
    assert caught.value.code == "import.no-tcp"


def test_numbers_that_wrap_around(short: made.Transfer) -> None:
    again = made.transfer(packets=1200, window=40, lost=made.independent(0.01, 2), first=2**32 - 500 * made.MSS)
    path, same = read(made.pcap(again.sender)), read(made.pcap(short.sender))
    assert path.loss is not None and same.loss is not None
    assert path.loss.rate == same.loss.rate
    assert path.rate == same.rate


def test_segments_larger_than_packets(full: made.Transfer) -> None:
    """As a sender's capture shows them before the card cuts them."""
    rows: list[made.Segment] = []
    for one in full.sender:
        last = rows[-1] if rows else one
        follows = (
            one.out
            and last.out
            and last.length
            and one.seq == last.seq + last.length
            and one.time_s - last.time_s < 1e-4
        )
        if follows and one.length and last.length < 40_000:
            rows[-1] = replace(last, length=last.length + one.length)
        else:
            rows.append(one)
    assert max(one.length for one in rows) > 2 * made.MSS
    path = read(made.pcap(rows))
    assert "segmentation offload" in " ".join(path.notes)
    assert path.loss is not None and path.loss.lost == 0
    assert path.rate is not None and path.rate.value == pytest.approx(10e6, rel=0.02)


def test_packets_that_were_captured_twice(short: made.Transfer) -> None:
    path = read(made.pcap([twice for one in short.sender for twice in (one, replace(one, time_s=one.time_s + 1e-6))]))
    assert path.loss is not None and path.loss.lost == short.channel_losses
    assert "stand in the file twice" in " ".join(path.notes)


def test_reordering_is_no_loss() -> None:
    transfer = made.transfer(packets=600, window=40)
    rows = list(transfer.receiver)
    data = [place for place, one in enumerate(rows) if one.length]
    for place in data[50:500:50]:
        after = next(one for one in data if one > place)
        rows[place], rows[after] = (
            replace(rows[after], time_s=rows[place].time_s),
            replace(rows[place], time_s=rows[after].time_s),
        )
    path = read(made.pcap(rows))
    assert path.loss is not None and path.loss.lost == 0
    assert "9 packets that came late" in " ".join(path.notes)


def test_a_retransmission_that_was_not_needed() -> None:
    """A copy of a packet that was not lost, and the duplicate SACK that answers it."""
    transfer = made.transfer(packets=400, window=20)
    place = next(n for n, one in enumerate(transfer.sender) if one.length and n > 300)
    copy = transfer.sender[place]
    at = copy.time_s + 0.2
    answer = next(one for one in transfer.sender if not one.out and one.time_s > at + 0.05)
    block = (copy.seq, copy.seq + copy.length)
    extra = [
        replace(copy, time_s=at, ip_id=65000),
        replace(answer, time_s=answer.time_s + 1e-5, sack=(block,), ip_id=65001),
    ]
    path = read(made.pcap(sorted([*transfer.sender, *extra], key=lambda one: one.time_s)))
    assert path.loss is not None and path.loss.lost == 0
    assert " 1 that arrived all the same" in " ".join(path.notes)


def test_a_file_that_ends_in_the_middle(short: made.Transfer) -> None:
    whole = made.pcap(short.sender)
    path = read(whole[: len(whole) // 2 + 7])
    assert "ends in the middle of a packet" in " ".join(path.notes)
    assert path.rate is not None and path.rate.value == pytest.approx(10e6, rel=0.03)


def test_connections_are_chosen(short: made.Transfer, command: Command) -> None:
    small = made.transfer(packets=60)
    other = made.pcap(small.sender).replace(struct.pack(">HH", 40000, 5201), struct.pack(">HH", 40001, 443))
    other = other.replace(struct.pack(">HH", 5201, 40000), struct.pack(">HH", 443, 40001))
    both = made.pcap(short.sender) + other[24:]
    assert "10.0.0.1:40000 to 10.0.0.2:5201, the largest of 2" in read(both).facts[0]
    for flow in ("443", "10.0.0.1:40001", "2"):
        assert "40001" in read(both, flow=flow).facts[0]
    with pytest.raises(InputError, match="2 connections match `10.0.0.1`"):
        read(both, flow="10.0.0.1")
    result = command("import", "a.pcap", "--flow", "99")
    assert result.exit_code == 2
    assert "hint: of 2, by size: 1: 10.0.0.1:40000 - 10.0.0.2:5201; 2: " in result.stderr


def test_data_both_ways(short: made.Transfer) -> None:
    """The same transfer the other way round, beside the first, in one connection: its losses are the reverse ones."""
    back = made.transfer(packets=1000, window=30, lost=made.independent(0.03, 9), first=500)
    turned = [
        replace(one, out=not one.out, ack=one.ack if one.flags & 0x10 else 0, time_s=one.time_s + 1e-5, ip_id=one.ip_id)
        for one in back.sender
        if one.flags == 0x18
    ]
    arrive = [replace(one, time_s=one.time_s) for one in turned]
    acks = [
        replace(one, out=True, seq=1001, time_s=one.time_s + 2e-5)
        for one in back.sender
        if one.flags == 0x10 and not one.out
    ]
    rows = sorted([*short.sender, *arrive, *acks], key=lambda one: one.time_s)
    path = read(made.pcap(rows))
    assert path.loss is not None and path.loss.lost == short.channel_losses
    assert path.reverse_loss is not None and path.reverse_loss.lost == back.channel_losses
    assert "reverse = { loss = " in path.toml()
    path.scenario().points()[0].effective()


# ---- hostile files


HEAD = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)


def packet(frame: bytes, *, claims: int | None = None) -> bytes:
    return struct.pack("<IIII", 1_700_000_000, 0, len(frame) if claims is None else claims, len(frame)) + frame


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (HEAD, "import.no-tcp", "holds no packet"),
        (HEAD[:12], "import.broken", "its head is broken"),
        (HEAD + packet(bytes(60)), "import.no-tcp", "none of its 1 packets is a TCP segment"),
        (HEAD + packet(b"", claims=2**32 - 1), "import.no-tcp", "holds no packet"),
        (HEAD[:20] + struct.pack("<I", 195) + packet(bytes(60)), "import.no-tcp", "link type 195"),
        (HEAD[:20] + struct.pack("<I", 127) + packet(bytes(60)), "import.no-tcp", "in monitor mode"),
        (HEAD[:20] + struct.pack("<I", 105) + packet(bytes(60)), "import.no-tcp", "tcpdump -i wlan0"),
        (b"\x0a\x0d\x0d\x0a" + bytes(40), "import.broken", "its head is broken"),
        (made.pcap(made.transfer(packets=1).sender), "import.nothing", "too few packets of data"),
        (made.pcap(made.transfer(packets=1).sender[:1]), "import.nothing", "too few packets of data"),
    ],
    ids=[
        "no packet",
        "half a head",
        "no IP",
        "a packet of 4 GiB",
        "a satellite",
        "radio with radiotap",
        "radio",
        "pcapng of zeroes",
        "one packet",
        "one SYN",
    ],
)
def test_captures_that_say_nothing(command: Command, content: bytes, code: str, words: str) -> None:
    Path("a.pcap").write_bytes(content)
    result = command("import", "a.pcap")
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith(f"error[{code}]: a.pcap: ")
    assert words in result.stderr
    assert result.stderr.count("\n") == 2


def test_captures_with_wrong_bytes() -> None:
    """Whatever bytes are wrong, there is a path or an error that says so."""
    transfer = made.transfer(packets=60, lost=made.independent(0.05, 1))
    draw = random.Random(1)
    for whole in (made.pcap(transfer.sender), made.pcapng(transfer.receiver)):
        for _ in range(25):
            data = bytearray(whole)
            for _ in range(draw.choice((1, 5, 200))):
                data[draw.randrange(24, len(data))] = draw.randrange(256)
            try:
                path = read(bytes(data[: draw.choice((len(data), draw.randrange(len(data))))]))
            except InputError as error:
                assert error.code.startswith("import."), error
            else:
                path.scenario().points()[0].effective()


def test_a_large_file_is_not_read() -> None:
    with Path("large.pcap").open("wb") as out:
        out.truncate((1 << 30) + 1)
    with pytest.raises(InputError, match="larger than 1 GiB"):
        import_path("large.pcap")
