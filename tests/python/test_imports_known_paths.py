"""Files of drawn paths whose truth is known: what import says contains it, and no rate is below what arrived.

An interval of 95 % misses now and then: of the draws of a kind, `MISSED` may. An end that is told as "at least" or "at
most", and all that is counted, never misses.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import made_iperf
import pytest

import windlass
from windlass.imports import Estimate, ImportedPath, import_path

DRAWS = 40

MISSED = 6
"""Of 40 intervals of 95 % seven or more miss with a chance of 0.3 %."""

HEADERS = 1500 / 1448


@dataclass(frozen=True)
class Path_:
    """A path: bit/s of its link with headers, seconds of its base RTT, the share of packets that it loses at random.

    `filled` tells whether the test kept its queue filled.
    """

    rate: float
    rtt: float
    loss: float
    filled: bool

    @property
    def got(self) -> float:
        """Bits of data per second that a TCP test gets."""
        return self.rate / HEADERS * (1.0 if self.filled else 0.6)


def drawn(draw: random.Random) -> Path_:
    return Path_(
        rate=10 ** draw.uniform(5.8, 8.8),
        rtt=10 ** draw.uniform(-2.2, -0.6),
        loss=draw.choice([0.0, 0.01, 0.04]),
        filled=draw.random() < 0.5,
    )


class Held:
    """Counts what misses the truth."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def number(self, what: str, one: Estimate | None, truth: float) -> None:
        """A number that must be there, with the truth in its interval."""
        assert one is not None, what
        inside = one.interval.lo * (1 - 1e-9) <= truth <= one.interval.hi * (1 + 1e-9)
        assert inside or one.kind == "interval", f"{what}: {truth} is not {one.kind} {one.interval}"
        self.missed += [] if inside else [f"{what}: {truth} is not in {one.interval}"]

    def rate(self, what: str, path: ImportedPath, truth: Path_, arrived: float) -> None:
        """A rate is no less than what arrived, and its interval contains the link's."""
        self.number(what, path.rate, truth.rate)
        assert path.rate is not None
        assert path.rate.value >= arrived * 0.995, f"{what}: {path.rate.value} is below the {arrived} that arrived"
        assert path.rate.interval.lo <= truth.rate

    def loss(self, what: str, path: ImportedPath, truth: float) -> None:
        """Losses are not above what is said, or a note says that nothing is known of them."""
        if path.loss is None and path.loss_most is None:
            assert any("nothing" in one and "losses" in one for one in path.notes), what
            return
        self.number(what, path.loss_most if path.loss is None else path.loss.rate, truth)


def put(name: str, text: str) -> Path:
    file = Path(name)
    file.write_text(text, encoding="utf-8")
    return file


# ---- Flent


def flent(draw: random.Random, truth: Path_) -> ImportedPath:
    """Some flows one way, of any names and intervals, with what was written of them or without."""
    step, count, ways = 0.2, draw.choice([1, 2, 4, 16]), draw.choice(["upload", "download"])
    style = draw.choice(["TCP {way}::{n}", "TCP {way} BE::{n}", "TCP {way} BE{n}"])
    x = [round(step * number, 3) for number in range(200)]
    wait = 0.05 if truth.filled else 0.0
    results: dict[str, list[float | None]] = {}
    rows: dict[str, list[dict[str, Any]]] = {"Ping (ms) ICMP": []}
    pings: list[float | None] = []
    for seq, at in enumerate(x):
        busy = 5.0 <= at < 35.0
        value = round(1e3 * (truth.rtt + (wait * draw.uniform(0.7, 1.0) if busy else 0.0)) + draw.expovariate(5.0), 2)
        lost = draw.random() < truth.loss
        pings.append(None if lost else value)
        rows["Ping (ms) ICMP"].append({"seq": seq, "t": 1.7e9 + at, "val": value} | ({"lost": True} if lost else {}))
    results["Ping (ms) ICMP"] = pings
    for number in range(1, count + 1):
        name, every = style.format(way=ways, n=number), draw.choice([1, 2, 5])
        rate = truth.got / count / 1e6
        ends = range(25 + every, 176, every)
        results[name] = [rate if place in ends else None for place in range(len(x))]
        rows[name] = [{"t": 1.7e9 + x[place], "dur": step * every, "val": rate} for place in ends]
        results[f"{name}::tcp_cwnd"] = [10.0] * len(x)
    results[f"TCP {ways} sum"] = [truth.got / 1e6] * len(x)
    meta = {name: {"UNITS": "ms" if "Ping" in name else "Mbits/s"} for name in results if "cwnd" not in name}
    raw = {name: own for name, own in rows.items() if "Ping" in name or draw.random() < 0.7}
    about = {"NAME": "drawn", "SERIES_META": meta, "HOSTS": ["a.example"]}
    document = {"version": 4, "metadata": about, "x_values": x, "results": results, "raw_values": raw}
    path = import_path(put("a.flent", json.dumps(document)))
    assert path.loss is not None
    assert (path.loss.lost, path.loss.packets) == (pings.count(None), len(pings))
    assert path.jitter is None
    return path


# ---- iperf3


def iperf(draw: random.Random, truth: Path_) -> tuple[ImportedPath, float]:
    """A test of either protocol, seen at either end, and what arrived of it; perhaps both ways, or stopped."""
    udp, server, reverse = (draw.random() < 0.5 for _ in range(3))
    sent = truth.rate / HEADERS * draw.uniform(0.3, 3.0) if udp else truth.got
    passed = min(sent, truth.rate / HEADERS)
    arrived = passed * (1.0 - truth.loss) if udp else truth.got
    is_sender, seconds = reverse == server, draw.choice([5, 12, 30])
    held = 0.0 if udp else 0.3 * truth.got  # bits that a sender counts in its first second, and its buffers hold
    stopped, both = draw.random() < 0.2, draw.random() < 0.3
    intervals = []
    per_s = max(round(sent / 8 / 1448), 1)
    missed = 0
    for second in range(seconds):
        counts = (sent if udp else arrived + (held if second == 0 else 0.0)) if is_sender else arrived
        own: dict[str, Any] = {"start": float(second), "end": second + 1.0, "sender": is_sender, "omitted": False}
        own |= {"bits_per_second": counts, "bytes": counts / 8}
        if udp:
            own |= {"packets": per_s}
            lost = per_s - round(per_s * passed / sent * (1.0 - truth.loss)) + draw.randrange(2)
            missed += lost
            own |= {} if is_sender else {"lost_packets": lost, "jitter_ms": 0.2}
        elif is_sender:
            wait = 0.03 * (second % 5 + 1) if truth.filled else 0.0
            window = truth.rate * (truth.rtt + wait) / 8 if truth.filled else 1e5
            own |= {"retransmits": 1, "rtt": round(1e6 * (truth.rtt + wait) + 300), "snd_cwnd": round(window)}
        one: dict[str, Any] = {"streams": [own], "sum": own}
        if both:
            one["sum_bidir_reverse"] = own | {"bits_per_second": arrived / 10, "sender": not is_sender}
        intervals.append(one)
    end: dict[str, Any] = {}
    if not stopped:
        total = {"packets": per_s * seconds, "lost_packets": missed, "jitter_ms": 0.2} if udp else {}
        end = {"sum": total | {"bits_per_second": sent}} if udp else {}
        if is_sender and draw.random() < 0.8:
            end["sum_received"] = total | {"bits_per_second": arrived}
    flag = int(reverse) if not both else 0
    start: dict[str, Any] = {"test_start": {"protocol": "UDP" if udp else "TCP", "num_streams": 1, "reverse": flag}}
    start |= {"accepted_connection": {}} if server else {}
    document = {"start": start, "intervals": intervals, "end": end} | ({"error": "interrupted"} if stopped else {})
    before, after = draw.choice([("", ""), ("warning: x\n", ""), ("", "iperf3: error\n"), ("", '{\n "start": {')])
    path = import_path(put("a.json", before + json.dumps(document, indent=draw.choice([None, 1])) + "\n" + after))
    notes = " ".join(path.notes)
    assert ("ended with an error" in notes) is stopped
    assert ("went both ways" in notes) is both
    if path.loss is None and path.loss_most is None and udp:
        assert "how many packets arrived" in notes
    alone = is_sender and not end.get("sum_received") and not (udp and end)
    assert not alone or "Only the sender's count is there" in notes
    return path, 0.0 if alone else arrived


# ---- tables


def table(draw: random.Random, truth: Path_) -> tuple[ImportedPath, float]:
    """A rate that is the link's, in any unit, with any dates; and its mean."""
    unit, size = draw.choice(
        [("rate_mbps", 1e6), ("MB/s", 8e6), ("bits_per_second", 1.0), ("kBps", 8e3), ("Kbit/s", 1e3)]
    )
    column, each = draw.choice([("rtt_ms", 1e3), ("avg_rtt_s", 1.0), ("latency (us)", 1e6), ("", 0.0)])
    form = draw.choice(["{:d}", "2025-01-01 12:00:{:02d} CET", "01/16/2021, 4:04:{:02d} PM", "16.01.2021 16:04:{:02d}"])
    vary = draw.choice([0.01, 0.5])
    rates = [truth.rate * draw.uniform(1 - vary, 1 + vary) for _ in range(50)]
    names = ["time", unit, *([column] if column else [])]
    lines = [";".join(names)]
    for at, rate in enumerate(rates):
        cells = [form.format(at), repr(rate / size)]
        lines.append(";".join([*cells, *([repr(each * (truth.rtt + draw.uniform(0.0, 0.1)))] if column else [])]))
    path = import_path(put("a.csv", "\n".join(lines)), rate="constant")
    assert (path.base_rtt is None) is (not column)
    return path, sum(rates) / len(rates)


# ---- pings


def ping(draw: random.Random, truth: Path_) -> tuple[ImportedPath, float]:
    """Answers as any program prints them, perhaps beside those of another host; and the mean of the jitter."""
    jitter = truth.rtt * draw.uniform(0.01, 0.2)
    form = draw.choice(
        [
            "64 bytes from {ip}: icmp_seq={seq} ttl=57 time={rtt:.3f} ms",
            "64 bytes from {ip}: seq={seq} ttl=57 time={rtt:.3f} ms",
            "64 bytes from {ip}: icmp_req={seq} ttl=57 time={rtt:.2f} ms",
            "[{at:.6f}] 64 bytes from a ({ip}): icmp_seq={seq} ttl=57 time={rtt:.2f} ms",
            "Reply from {ip}: bytes=32 time={rtt:.0f}ms TTL=57",
        ]
    )
    windows, first = form.startswith("Reply"), draw.choice([0, 1, 65_500])
    lines = ["Pinging 192.0.2.1 with 32 bytes of data:" if windows else "PING a (192.0.2.1) 56(84) bytes of data."]
    for number in range(400):
        seq = (first + number) % 65536
        rtt = 1e3 * (truth.rtt + draw.expovariate(1 / jitter))
        lost = draw.random() < truth.loss and 0 < number < 399
        line = form.format(ip="192.0.2.1", seq=seq, rtt=rtt - 0.5 if windows else rtt, at=1.7e9 + number + rtt / 1e3)
        if not lost:
            lines.append(line)
        elif windows:
            lines.append("Request timed out.")
    several = draw.random() < 0.4
    if several:
        other = "PING b (198.51.100.1) 56(84) bytes of data.\n64 bytes from 198.51.100.1: icmp_seq=1 ttl=9 time=900 ms"
        lines += other.splitlines()
    path = import_path(put("a.log", "\n".join(lines)), flow="192.0.2.1" if several else None)
    assert path.loss is not None and path.loss.packets == 400
    return path, jitter


def kinds() -> list[tuple[str, Callable[[random.Random, Held], None]]]:
    def of_flent(draw: random.Random, held: Held) -> None:
        truth = drawn(draw)
        path = flent(draw, truth)
        held.rate("Flent's rate", path, truth, truth.got)
        held.number("Flent's base RTT", path.base_rtt, truth.rtt)
        held.loss("Flent's loss", path, 0.0)  # its pings met the load's queue: what the channel loses is less

    def of_iperf(draw: random.Random, held: Held) -> None:
        truth = drawn(draw)
        path, arrived = iperf(draw, truth)
        held.rate("iperf3's rate", path, truth, arrived)
        if path.base_rtt is not None:
            held.number("iperf3's base RTT", path.base_rtt, truth.rtt)
        held.loss("iperf3's loss", path, 0.0)

    def of_table(draw: random.Random, held: Held) -> None:
        truth = drawn(draw)
        path, mean = table(draw, truth)
        assert path.rate is not None and path.rate.value == pytest.approx(mean)
        held.number("the table's mean rate", path.rate, truth.rate)
        if path.base_rtt is not None:
            held.number("the table's base RTT", path.base_rtt, truth.rtt)
        held.loss("the table's loss", path, truth.loss)

    def of_ping(draw: random.Random, held: Held) -> None:
        truth = drawn(draw)
        path, jitter = ping(draw, truth)
        held.number("the ping's base RTT", path.base_rtt, truth.rtt)
        held.loss("the ping's loss", path, truth.loss)
        if path.jitter is not None and path.jitter.model == "exponential" and jitter > 0.003:
            held.number("the ping's jitter", path.jitter.size, jitter)

    return [("flent", of_flent), ("iperf3", of_iperf), ("csv", of_table), ("ping", of_ping)]


@pytest.mark.parametrize(("kind", "one"), kinds(), ids=[name for name, _ in kinds()])
def test_what_import_says_of_a_known_path_holds(kind: str, one: Callable[[random.Random, Held], None]) -> None:
    held = Held()
    for seed in range(DRAWS):
        one(random.Random(f"{kind} {seed}"), held)
    assert len(held.missed) <= MISSED, "\n".join(held.missed)


def test_what_import_says_of_runs_of_the_engine_holds() -> None:
    """A sender on a drawn path, as iperf3 would print it, with what its receiver counted."""
    draw = random.Random(7)
    held = Held()
    for _ in range(12):
        truth = Path_(10 ** draw.uniform(6, 7.5), draw.choice([0.02, 0.08]), draw.choice([0.0, 0.003]), filled=False)
        given = made_iperf.transfer(
            rate=f"{truth.rate / 1e6:.3f} Mbps",
            delay=f"{truth.rtt / 2 * 1e3} ms",
            queue=f"{draw.choice([30, 100, 400])} packets",
            loss=f"{100 * truth.loss} %",
            algorithm=draw.choice(["cubic", "newreno", "bbr"]),
        )
        document = made_iperf.document(given)
        mean = sum(one["sum"]["bits_per_second"] for one in document["intervals"]) / len(document["intervals"])
        for received in (None, mean):
            document["end"]["sum_received"] = {} if received is None else {"bits_per_second": received}
            path = import_path(put("t.json", json.dumps(document)))
            held.rate("the engine's rate", path, truth, mean if received else 0.0)
            held.number("the engine's base RTT", path.base_rtt, truth.rtt)
            held.loss("the engine's loss", path, truth.loss)
            assert windlass.load(path.write("t.toml")[0]).points()
    assert len(held.missed) <= 1, "\n".join(held.missed)
