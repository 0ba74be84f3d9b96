"""L4S beside theory: the chapter of ``docs/validation.md``. ``python -m windlass.validation.l4s`` writes it.

The same runs and bounds are tests of the engine, in ``crates/net/tests/l4s.rs``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from windlass.validation.chapters import write_chapter

HEAD = "## L4S"
"""Where the chapter begins."""

PATHS = ((10, 40, 3), (40, 10, 5), (40, 20, 5), (100, 20, 5))
"""Mbit/s of the link, base RTT in milliseconds, flows of each kind."""

PAIRS = ((4, 20), (10, 10), (10, 40), (40, 10), (40, 50), (100, 20))
"""The same of one flow of each kind."""

SHORTEST_MS = 25.0
"""Prague's least virtual RTT."""

INTRODUCTION = """## L4S

Prague and classic senders on one queue with DualPI2, beside what the coupling of RFC 9332 promises. No stored
figures of others: the law is the reference. `python -m windlass.validation.l4s` writes this chapter, and `cargo
test -p windlass-net --test l4s` holds such runs to these bounds.

Both kinds cross one link, everything else is faster; DualPI2 with its defaults, classic senders are ECN-capable
with the recovery core `sack`. One run of each row, the last two thirds of it.
"""

TEN = """### Many flows of each kind

In a fluid a Prague flow has a window of 2 / p_L segments and a Reno flow one of 1.22 / sqrt(p_C), with p_L = 2 p'
and p_C = p'^2. So windows are as 1 to 1.22, and rates as R_C / (1.22 R_L), where R_C is the base RTT and the wait
in C, and R_L the base RTT, at least 25 ms. The rates' ratio must be within 0.75 and 1.35 of that: what cuts by a
half at a p' that comes and goes loses more than what follows it. C must wait for 14 to 17 ms (the target is 15), L
for less than 1.2 ms (where the ramp ends), and what is marked in C be the square of half of what is marked in L,
within 15 % at 40 Mbit/s: with few flows p' swings, and p'^2 has a greater mean than the square of the mean of p'.
"""

ONE = """### One flow of each kind

CUBIC, alone in C, has a sawtooth, and the queue runs empty at times. The ratio must be within a factor of two, and
the link full but for 5 %.
"""

SOURCES = """### What was compared with public texts

- Update, alpha and beta of the base probability are RFC 9332's formulas as programs quote them. Linux's `dualpi2`
  has 16 ms, 41/256 and 819/256 per second, a step at 1 ms instead of the ramp, and a tenth of the link for C. All
  are keys of the queue.
- C's share of a sixteenth and the shift of 50 ms are ours; the RFC leaves the scheduler open.
- Prague waits for 500 rounds until its virtual RTT counts, as the implementation for Linux did when the draft was
  written. The one of 2024 waits for 4 (`prague_rounds`).
- Left out, and in that implementation: a pacing rate that swings by 3 % within a round, and packets smaller than a
  segment at low rates.
"""


@dataclass(frozen=True)
class Shared:
    """What was measured of Prague flows and classic ones on one link."""

    ratio: float
    """Rate of a Prague flow over that of a classic one."""
    goodput: float
    """Of all flows, of what the link carries."""
    waits_ms: tuple[float, float]
    """Mean wait in L and in C."""
    signals: tuple[float, float]
    """Share of packets marked or dropped in L and in C."""

    def fluid(self, rtt_ms: float) -> float:
        """The ratio in a fluid, at this base RTT."""
        return (rtt_ms + self.waits_ms[1]) / max(rtt_ms, SHORTEST_MS) / 1.22

    @property
    def square(self) -> float:
        """What C signals over the square of half of what L does."""
        return self.signals[1] / (self.signals[0] / 2.0) ** 2


def shared(mbps: int, rtt_ms: int, pairs: int, algorithm: str, seconds: int) -> Shared:
    """Run `pairs` flows of Prague and as many of `algorithm`.

    Parameters
    ----------
    mbps, rtt_ms : int
        Rate of the link in Mbit/s, base RTT in milliseconds.
    pairs : int
        Flows of each kind.
    algorithm : str
        That of the classic flows.
    seconds : int
        Length of the run; the first third does not count.
    """
    from windlass.scenario import from_dict

    def flows(name: str, which: range, algorithm: str, tcp: dict[str, Any]) -> list[dict[str, Any]]:
        ends = ({"from": f"left/{n}", "to": f"right/{n}"} for n in which)
        return [{"name": f"{name}{n}", **end, "algorithm": algorithm, "tcp": tcp} for n, end in enumerate(ends)]

    result = from_dict(
        {
            "scenario": {"name": "l4s", "duration": f"{seconds} s", "warmup": f"{seconds // 3} s"},
            "topology": {
                "kind": "dumbbell",
                "pairs": 2 * pairs,
                "access": {"rate": "10 Gbps", "delay": "0.1 ms", "queue": "100000 packets"},
                "bottleneck": {
                    "rate": f"{mbps} Mbps",
                    "delay": f"{rtt_ms / 2 - 0.2} ms",
                    "queue": {"discipline": "dualpi2", "limit": "10000 packets"},
                },
            },
            "tcp": {"ecn": True, "window": "100000 segments"},
            "flows": [
                *flows("prague", range(pairs), "prague", {}),
                *flows("classic", range(pairs, 2 * pairs), algorithm, {"recovery": "sack"}),
            ],
        }
    ).run()
    rates = result.flows["goodput_bps"].to_pylist()
    link = next(row for row in result.links.to_pylist() if row["l4s_packets"])
    signals = [
        (link[f"{lane}_marked_packets"] + link[f"{lane}_dropped_packets"])
        / (link[f"{lane}_packets"] + link[f"{lane}_dropped_packets"])
        for lane in ("l4s", "classic")
    ]
    return Shared(
        sum(rates[:pairs]) / sum(rates[pairs:]),
        sum(rates) / (mbps * 1e6 * 1448 / 1500),
        (1e3 * link["l4s_wait_mean_s"], 1e3 * link["classic_wait_mean_s"]),
        (signals[0], signals[1]),
    )


def chapter() -> list[str]:
    """The lines of the chapter; runs everything."""
    many = [(path, shared(*path, "sack", 90)) for path in PATHS]
    pairs = [(path, shared(*path, 1, "cubic", 60)) for path in PAIRS]
    lines = [*INTRODUCTION.splitlines(), "", *TEN.splitlines(), ""]
    lines += [
        (
            "| Mbit/s | RTT ms | flows of each | rate over classic | in a fluid | link used % | wait in L ms | in C ms"
            " | marked in L % | in C % | C over the square |"
        ),
        "| --- " * 11 + "|",
    ]
    lines += [
        f"| {mbps} | {rtt} | {n} | {s.ratio:.2f} | {s.fluid(rtt):.2f} | {100 * s.goodput:.1f} | {s.waits_ms[0]:.2f}"
        f" | {s.waits_ms[1]:.1f} | {100 * s.signals[0]:.1f} | {100 * s.signals[1]:.2f} | {s.square:.2f} |"
        for (mbps, rtt, n), s in many
    ]
    lines += ["", *ONE.splitlines(), ""]
    lines += [
        "| Mbit/s | RTT ms | rate over CUBIC | link used % | wait in L ms | in C ms |",
        "| --- " * 6 + "|",
    ]
    lines += [
        f"| {mbps} | {rtt} | {s.ratio:.2f} | {100 * s.goodput:.1f} | {s.waits_ms[0]:.2f} | {s.waits_ms[1]:.1f} |"
        for (mbps, rtt), s in pairs
    ]
    return [*lines, "", *SOURCES.splitlines()]


def main() -> int:
    """Write the chapter; returns 0."""
    write_chapter(HEAD, chapter())
    return 0


if __name__ == "__main__":
    sys.exit(main())
