"""Measure the longer runs without randomness again: ``python -m windlass.validation.droplist_measure FILE``."""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from windlass.files import writing
from windlass.validation.droplist import DroplistCase, scenario_of
from windlass.validation.droplist_tables import places


def _measure(cases: Sequence[DroplistCase]) -> list[DroplistCase]:
    """The cases with the counts of ns-2, run now with its default seed."""
    from windlass.validation.processes import run_scripts
    from windlass.validation.tcl import flow_starts, script

    scripts = []
    for case in cases:
        scenario = scenario_of(case)
        description = scenario.points()[0].effective()
        # ns-2 draws the place of its clock itself.
        description["flows"][0]["tcp"]["clock_offset"] = None
        scripts.append(script(description, flow_starts(scenario.run().flows.to_pylist()), None))
    done = []
    for case, run in zip(cases, run_scripts(scripts), strict=True):
        counts = run.flows[0]
        done.append(
            replace(
                case,
                ns2=(counts["acknowledged"] + 1, counts["retransmitted"], counts["timeouts"], counts["cuts"]),
            )
        )
    return done


def _long_cases(lists: int = 12, duration_s: int = 60, share: float = 0.02) -> list[DroplistCase]:
    """Every agent with the same lists; not yet with counts."""
    cases = []
    for number in range(1, lists + 1):
        draw = random.Random(number)
        drops = tuple(place for place in range(30, 2500) if draw.random() < share)
        for agent in ("tahoe", "reno", "newreno", "sack", "vegas"):
            cases.append(DroplistCase(f"{agent}-list{number}", agent, drops, (), 3, 1, duration_s, 100, (0,) * 4))
    return cases


def main() -> int:
    """Measure the longer runs again with ns-2 and write them into the file that is named."""
    with writing(Path(sys.argv[1])) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(
            [
                "case",
                "variant",
                "drops",
                "ack_drops",
                "dup_threshold",
                "delayed_ack",
                "duration_s",
                "queue_packets",
                "acked_segments",
                "retransmitted_segments",
                "timeouts",
                "cwnd_reductions",
            ]
        )
        for case in _measure(_long_cases()):
            row = (case.name, case.variant, places(case.drops), places(case.ack_drops), case.dup_threshold)
            rows.writerow((*row, case.delayed_ack - 1, case.duration_s, case.queue, *case.ns2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
