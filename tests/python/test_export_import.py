"""What `windlass export` writes of a run, `windlass import` reads: rate, delay and losses of the path come out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

import windlass
from windlass import _toml, export
from windlass.imports import ImportedPath, import_path
from windlass.interval import Interval

BASE_RTT_S = 2 * 0.020 + 2 * 1500 * 8 / 1e9 + 52 * 8 / 10e6 + 2 * 52 * 8 / 1e9
"""Propagation of 20 ms each way; a packet on two fast links, its ACK on all three. The packet's own 1.2 ms on the
bottleneck are not in it."""


@dataclass(frozen=True)
class Made:
    """What was written of a run, and what was read of that."""

    done: export.Captured
    path: ImportedPath


def document(loss: Any, duration: str = "40 s", window: str | None = None) -> dict[str, Any]:
    """One sender over 10 Mbit/s and 40 ms."""
    flow = {"from": "left/0", "to": "right/0", "algorithm": "newreno", "tcp": {"window": window} if window else {}}
    bottleneck = {"rate": "10 Mbps", "delay": "18 ms", "queue": "60 packets", "loss": loss}
    return {
        "scenario": {"name": "path", "duration": duration, "seeds": 1, "profile": "linux"},
        "topology": {"kind": "dumbbell", "access": {"rate": "1 Gbps", "delay": "1 ms"}, "bottleneck": bottleneck},
        "flows": [flow],
    }


def there_and_back(place: str, work: Path, **asked: Any) -> Made:
    source = export.Source.of(windlass.from_dict(document(**asked)))
    done = export.write_pcapng(source, work / "a.pcapng", at=[place])
    path = import_path("a.pcapng")
    assert f"captured near the {place}" in path.facts
    return Made(done, path)


def within(interval: Interval, value: float) -> bool:
    """Whether it is inside; links of the simulator have no spread, so an interval may have no width but rounding."""
    slack = 1e-6 * abs(value)
    return interval.lo - slack <= value <= interval.hi + slack


def check_rate_and_delay(path: ImportedPath) -> None:
    assert path.rate is not None and path.base_rtt is not None
    assert within(path.rate.interval, 10e6)
    assert path.rate.value == pytest.approx(10e6, rel=0.01)
    assert within(path.base_rtt.interval, BASE_RTT_S)
    assert path.base_rtt.value == pytest.approx(BASE_RTT_S, rel=0.005)


@pytest.mark.parametrize("place", ["sender", "receiver"])
def test_independent_losses(place: str, work: Path) -> None:
    made = there_and_back(place, work, loss="1 %", window="40 segments")  # 40 packets never fill the queue
    check_rate_and_delay(made.path)
    assert made.path.loss is not None
    assert (made.path.loss.model, made.path.queue) == ("independent", None)
    assert made.path.loss.rate.interval.contains(0.01)
    # near the receiver, what is lost again before it is told of leaves no trace
    assert 0.95 * made.done.lost <= made.path.loss.lost <= made.done.lost


@pytest.mark.parametrize("place", ["sender", "receiver"])
def test_losses_in_bursts(place: str, work: Path) -> None:
    loss = {"rate": "1 %", "burst": "4 packets", "per": "packet"}
    path = there_and_back(place, work, loss=loss, window="40 segments", duration="100 s").path
    check_rate_and_delay(path)
    assert path.loss is not None and path.loss.burst is not None
    # packets that follow each other are 1.2 ms apart, so that bursts of packets and of time are nearly one
    burst = {"gilbert per packet": 4.0, "gilbert per time": 4 * 1.2e-3}[path.loss.model]
    assert path.loss.p_value is not None and path.loss.p_value < 1e-10
    assert path.loss.rate.interval.contains(0.01)
    assert path.loss.burst.interval.contains(burst)


@pytest.mark.parametrize("place", ["sender", "receiver"])
def test_a_full_queue(place: str, work: Path) -> None:
    made = there_and_back(place, work, loss="0 %")
    check_rate_and_delay(made.path)
    assert made.done.lost > 50
    assert made.path.loss is not None and made.path.loss.lost == 0
    assert made.path.loss.rate.interval.contains(0.0)
    assert made.path.queue is not None
    # one packet is on the link while 60 wait
    assert made.path.queue.value == pytest.approx(60 * 1500, rel=0.02)


def test_by_the_commands(command: Command, work: Path) -> None:
    """And what is imported can be compared on: it has the same goodput again."""
    Path("path.toml").write_text(_toml.document(document("1 %", window="40 segments")), encoding="utf-8")
    assert command("export", "path.toml", "-o", "path.pcapng").exit_code == 0
    done = command("import", "path.pcapng", "-o", "back.toml")
    assert done.exit_code == 0, done.output
    there, back = windlass.run(windlass.load("path.toml")), windlass.load("back.toml")
    again = windlass.run(
        back.with_({"scenario.profile": "linux", "flows.algorithm": "newreno", "tcp.window": "40 segments"}), 1
    )
    goodput = [result.flows["goodput_bps"][0].as_py() for result in (there, again)]
    assert goodput[1] == pytest.approx(goodput[0], rel=0.05)
