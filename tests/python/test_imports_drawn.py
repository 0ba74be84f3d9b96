"""Captures of drawn paths of known rate, delay, queue and loss: `import` holds the truth or leaves it open."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import captures
import made_iperf
import pytest

import windlass
from windlass import export
from windlass.imports import Estimate, ImportedPath, import_path

PACKET, ACK = 1500, 52
KINDS = ("plain", "jitter", "wireless", "outage", "changes", "two", "joined")

ASSUMED = "What the link carried while packets did not wait is taken to be the same."
"""A note that says that a rate of another time is not known."""

WITHIN_NS = 3_000_000
"""How long a host waits for packets that it joins; its ACKs wait with them."""

SLACK = 0.005
"""Links of the simulator have no spread, and bins of time do not end with packets."""


@dataclass
class Truth:
    """What was drawn: the scenario, and what of it a capture can show."""

    document: dict[str, Any]
    place: str
    rate: tuple[float, float]
    base_s: float
    queue_bytes: float
    loss: tuple[float, float]
    jitter_s: float = 0.0
    says: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        flows = [flow["algorithm"] for flow in self.document["flows"]]
        link = {key: one for key, one in self.document["topology"]["bottleneck"].items() if key != "trace"}
        return f"{self.place}, {flows}, {link} {self.says}"


def drawn(kind: str, seed: int) -> Truth:
    """A path, and a transfer of 12 s over it."""
    draw = random.Random(f"{kind} {seed}")
    rate, rtt = (
        draw.choice((50.0, 80.0) if kind == "joined" else (2.0, 5.0, 10.0, 20.0)),
        draw.choice((0.02, 0.05, 0.1)),
    )
    packets = max(int(draw.choice((0.5, 1.0, 2.0)) * rate * 1e6 * rtt / 8 / PACKET), 15)
    lossy = draw.choice((0.0, 0.0, 0.003, 0.01))
    more: dict[str, Any] = {}
    truth = Truth(
        {}, draw.choice(("sender", "receiver")), (rate * 1e6, rate * 1e6), 0.0, packets * PACKET, (lossy, lossy)
    )
    if kind in ("jitter", "wireless"):
        model = draw.choice(("normal", "exponential"))
        truth.jitter_s = draw.choice((0.05, 0.1)) * rtt
        more["jitter"] = {"model": model, "deviation" if model == "normal" else "mean": f"{1e3 * truth.jitter_s:g} ms"}
    if kind == "outage":
        length, every = draw.choice((0.3, 0.6)), draw.choice((3.0, 4.0))
        more["outages"] = [{"at": "2 s", "for": f"{length} s", "every": f"{every} s", "packets": "lost"}]
        truth.loss = (lossy, lossy + 2 * length / every)
    if kind == "changes":
        low = draw.choice((0.3, 0.5)) * rate
        more["changes"] = [{"at": "4 s", "rate": f"{low:g} Mbps"}, {"at": "8 s", "rate": f"{rate:g} Mbps"}]
        truth.rate = (8e6 * rate / 12 + 4e6 * low / 12,) * 2
    if kind == "wireless":
        del more["jitter"]
        low = draw.choice((0.2, 0.4))
        times, at = [], 0.0
        while at < 3000.0:
            at += 1504 * 8 / (1e3 * rate) * (1.0 if int(at / 100) % 2 else 1.0 / low)
            times.append(max(int(at), 1))
        more["trace"] = times
        truth.rate = (8 * 1504 * len(times) / times[-1] * 1e3,) * 2
        truth.jitter_s = 0.002
    algorithm = draw.choice(("cubic", "newreno", "bbr"))
    truth.document = made_iperf.transfer(
        rate=f"{rate:g} Mbps", delay=f"{500 * rtt:g} ms", queue=f"{packets} packets", loss=f"{100 * lossy:g} %",
        algorithm=algorithm, duration="12 s", **more,
    )  # fmt: skip
    if kind == "wireless":
        truth.says.append(f"{low} of {rate} every other 100 ms")
        del truth.document["topology"]["bottleneck"]["rate"]
    if kind == "two":
        truth.document["topology"]["pairs"] = 2
        other = {"from": "left/1", "to": "right/1", "algorithm": draw.choice(("cubic", "newreno"))}
        truth.document["flows"].append(other)
    if kind == "joined":
        truth.place = "receiver"
        truth.document["scenario"]["duration"] = "4 s"
    # Data on the two fast links, ACKs on all three.
    truth.base_s = rtt + 2 * 8 * PACKET / 1e9 + 8 * ACK / truth.rate[1] + 2 * 8 * ACK / 1e9
    return truth


def join(file: Path, most: int, within_ns: int = WITHIN_NS) -> None:
    """Write a capture as a receiver with GRO sees it: up to `most` packets as one segment, when the last one comes."""
    rows: list[list[Any]] = []
    open_: dict[tuple[bytes, bytes], int] = {}
    began: dict[tuple[bytes, bytes], int] = {}
    answers: list[tuple[list[Any], list[Any]]] = []
    for one in captures.read(file).packets:
        place = open_.get(one.ends)
        last = rows[place] if place is not None else None
        follows = last is not None and one.payload and last[3] and one.numbers[0] == last[2] + last[3]
        if follows and last[3] < 1400 * most and one.ns - began[one.ends] < within_ns:
            last[0], last[3] = one.ns, last[3] + one.payload
            continue
        open_[one.ends], began[one.ends] = len(rows), one.ns
        rows.append([one.ns, one, one.numbers[0], one.payload])
        if not one.payload and one.ends[::-1] in open_:
            answers.append((rows[-1], rows[open_[one.ends[::-1]]]))
    for answer, to in answers:
        answer[0] = max(answer[0], to[0])
    rows.sort(key=lambda row: row[0])
    out = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 96, 101)]
    for ns, one, _, payload in rows:
        length = one.length - one.payload + payload
        data = one.data[:2] + struct.pack(">H", length) + one.data[4:96]
        out.append(struct.pack("<IIII", ns // 10**9, ns % 10**9, len(data), length) + data)
    file.write_bytes(b"".join(out))


def made(kind: str, seed: int) -> tuple[Truth, ImportedPath]:
    truth = drawn(kind, seed)
    source = export.Source.of(windlass.from_dict(truth.document).with_({"scenario.seeds": 1}))
    file = Path("a.pcapng")
    file.unlink(missing_ok=True)
    export.write_pcapng(source, file, at=[truth.place])
    if kind == "joined":
        join(file, random.Random(seed).choice((3, 10, 40)))
    return truth, import_path(file)


def holds(one: Estimate, low: float, high: float, slack: float = SLACK) -> bool:
    """Whether the interval reaches what lies between two numbers."""
    return one.interval.lo <= high * (1.0 + slack) and low <= one.interval.hi * (1.0 + slack)


def wrong(kind: str, truth: Truth, path: ImportedPath) -> list[str]:
    """What is said and is not so."""
    found = []
    if path.rate is None or not (holds(path.rate, *truth.rate) or kind == "changes" and ASSUMED in path.notes):
        found.append(f"rate {path.rate}, truth {truth.rate}")
    if path.base_rtt is not None:
        # A packet's wait for one of its own kind, and the first round trips, are in the least one.
        near_s = truth.jitter_s / 10 + 8 * PACKET / truth.rate[0] + (WITHIN_NS / 1e9 if kind == "joined" else 0.0)
        if path.base_rtt.value <= 0.0 or not holds(path.base_rtt, truth.base_s - near_s, truth.base_s + near_s):
            found.append(f"base RTT {path.base_rtt}, truth {truth.base_s}")
    if path.queue is not None and not holds(path.queue, truth.queue_bytes - 2 * PACKET, truth.queue_bytes + 2 * PACKET):
        found.append(f"queue {path.queue}, truth {truth.queue_bytes}")
    if path.queue_least is not None and path.queue_least > truth.queue_bytes * (1.0 + SLACK) + 2 * PACKET:
        found.append(f"queue of {path.queue_least} or more, truth {truth.queue_bytes}")
    if path.loss is not None and not holds(path.loss.rate, *truth.loss):
        found.append(f"loss {path.loss.rate}, truth {truth.loss}")
    if path.loss_most is not None and not holds(path.loss_most, *truth.loss):
        found.append(f"loss {path.loss_most}, truth {truth.loss}")
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_holds_the_truth(kind: str) -> None:
    for seed in range(3):
        truth, path = made(kind, seed)
        assert not wrong(kind, truth, path), (seed, str(truth), path.notes)
