"""Single runs in which nothing is random: one flow, a list of lost packets, the counts of ns-2 2.35 beside ours.

The cases are in ``tests/differential/ns2-droplist``; its README gives the path and what the columns mean. Longer runs
on the same path, with lists drawn once at a loss rate of 2 %, are in ``reference/ns2/droplist_random.csv``;
``python -m windlass.validation.droplist_measure FILE`` measures them again with ns-2.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.scenario import Scenario

CLOCK_OFFSET = "5.52 ms"
"""Offset of ns-2's clock within a tick with its default seed: the RTT samples of 320 ACKs place it between 5.49 and
5.55 ms. Vegas' offset is zero, whatever the seed."""

SEGMENT_BYTES = 1000

COUNTS = ("acknowledged", "retransmitted", "timeouts", "cuts")
"""What is compared: segments acknowledged and retransmitted, retransmission timeouts, window reductions."""

CLOSE_SEGMENTS = 2
"""By how many acknowledged segments a run may differ; the other counts must be equal."""

VEGAS_SHARE = 0.03
"""For Vegas, whose window follows single RTTs, only the acknowledged segments are compared, by this share. Where the
counts of retransmissions and timeouts differ as well, the table shows it."""

EXPLAINED: dict[str, str] = {}
"""Cases that differ, with the reason."""


@dataclass(frozen=True)
class DroplistCase:
    """One row of the cases.

    Attributes
    ----------
    name, variant : str
        The case, and its agent.
    drops, ack_drops : tuple of int
        Arrivals that are lost at the slow link, data and ACKs.
    dup_threshold, delayed_ack, duration_s, queue : int
        Duplicates that mean a loss, segments per ACK, length of the run, limit of the slow link's queue.
    ns2 : tuple of int
        ns-2's :data:`COUNTS`.
    """

    name: str
    variant: str
    drops: tuple[int, ...]
    ack_drops: tuple[int, ...]
    dup_threshold: int
    delayed_ack: int
    duration_s: int
    queue: int
    ns2: tuple[int, ...]


@dataclass(frozen=True)
class CaseOutcome:
    """A case with our counts."""

    case: DroplistCase
    here: tuple[int, ...]

    @property
    def agrees(self) -> bool:
        """Whether the counts are close enough."""
        apart = abs(self.here[0] - self.case.ns2[0])
        if self.case.variant == "vegas":
            return apart <= VEGAS_SHARE * self.case.ns2[0]
        return apart <= CLOSE_SEGMENTS and self.here[1:] == self.case.ns2[1:]


def read_cases(file: Path) -> list[DroplistCase]:
    """The cases of a summary file."""

    def numbers(text: str) -> tuple[int, ...]:
        return () if text == "none" else tuple(int(n) for n in text.split())

    with file.open(encoding="utf-8", newline="") as lines:
        return [
            DroplistCase(
                name=row["case"],
                variant=row["variant"],
                drops=numbers(row["drops"]),
                ack_drops=numbers(row["ack_drops"]),
                dup_threshold=int(row["dup_threshold"]),
                delayed_ack=int(row["delayed_ack"]) + 1,
                duration_s=int(row["duration_s"]),
                queue=int(row["queue_packets"]),
                ns2=tuple(
                    int(row[name])
                    for name in ("acked_segments", "retransmitted_segments", "timeouts", "cwnd_reductions")
                ),
            )
            for row in csv.DictReader(lines)
        ]


def read_long_cases() -> list[DroplistCase]:
    """The longer runs that come with the package."""
    with resources.as_file(resources.files("windlass") / "reference/ns2/droplist_random.csv") as file:
        return read_cases(file)


def scenario_of(case: DroplistCase) -> Scenario:
    """S, 8 Mbps and 1 ms, G, 0.8 Mbps and 100 ms, R; one flow from time 0."""
    from windlass.scenario import from_dict

    access = {"from": "s", "to": "g", "rate": "8 Mbps", "delay": "1 ms", "queue": "50 packets"}
    slow = {"from": "g", "to": "r", "rate": "0.8 Mbps", "delay": "100 ms", "queue": f"{case.queue} packets"}
    lists = {"forward": list(case.drops), "reverse": list(case.ack_drops)}
    rules: dict[str, object] = {
        "window": "1000 segments",
        "dup_threshold": case.dup_threshold,
        "delayed_ack": case.delayed_ack,
    }
    if case.variant != "vegas":
        rules["clock_offset"] = CLOCK_OFFSET
    flow = {
        "from": "s",
        "to": "r",
        "algorithm": case.variant,
        "segment": f"{SEGMENT_BYTES} B",
        "start": "0 s",
        "tcp": rules,
    }
    return from_dict(
        {
            "scenario": {"name": case.name, "duration": f"{case.duration_s} s", "profile": "ns2", "seeds": 1},
            "topology": {
                "kind": "graph",
                "links": [access, slow | {"drops": lists, "reverse": {"queue": "1000 packets"}}],
            },
            "flows": [flow],
            "output": {"traces": ["flight"]},
        }
    )


def run_case(case: DroplistCase) -> CaseOutcome:
    """Run a case here."""
    result = scenario_of(case).run()
    row = result.flows.to_pylist()[0]
    flight = result.traces["value"][-1].as_py()
    # Where the sender has gone back after a timeout, segments beyond its place are no longer in flight, but not
    # acknowledged either; no more can be than were delivered. ns-2 counts the SYN as one acknowledged segment.
    new = row["sent_segments"] - row["retransmitted_segments"] - round(flight)
    acknowledged = min(new, row["delivered_bytes"] // SEGMENT_BYTES) + 1
    return CaseOutcome(case, (acknowledged, row["retransmitted_segments"], row["timeouts"], row["window_cuts"]))
