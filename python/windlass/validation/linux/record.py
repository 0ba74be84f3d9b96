"""What agrees with the stored reference today: a file under version control that must not get worse unseen.

Each case has the checks that agree and count, each point ``goodput`` or nothing. A test runs everything and compares.
If something agrees that did not before, the file is to be written anew, so that it cannot be lost again.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from windlass.files import writing
from windlass.validation.linux.running import Comparison

FILE = Path("tests/differential/linux/record.csv")
"""The file, from the root of the source tree."""

TIES = (
    "a queue of 20 fills while ACKs come at the pace at which the bottleneck sends, so packets arrive in the microsecond "
    "in which the one in service leaves. Here that one leaves first. In the kernel nanoseconds decide, either way, "
    "for its clock has steps of 256 ns there, and a packet takes no whole number of them: of the "
    "packets of `{name}` {wrong}, if the queue is computed from the trace with the one or the other order at such ties. "
    "In `reno-none` and `bbr-none`, which have no ties, none of 9967 and 9574 does."
)

EXPLAINED: dict[str, str] = {
    "reno-queue20": TIES.format(name="reno-queue20", wrong="13 or 15 of 8522 meet another fate"),
    "cubic-queue20": TIES.format(name="cubic-queue20", wrong="11 or 14 of 9567 meet another fate"),
}
"""Cases and points that differ, by name, with the reason."""


def unexplained(done: Comparison) -> list[str]:
    """Names of cases and points that differ for no known reason."""
    different = (one.name for one in done.outcomes if one.skipped is None and not one.agrees)
    return [name for name in different if name not in EXPLAINED]


def agreement(done: Comparison) -> dict[str, set[str]]:
    """The checks that agree and count, by the name of the case or the point."""
    found = {one.name: {c.name for c in one.checks if c.judged and c.agrees} for one in done.cases}
    return found | {one.name: {"goodput"} if one.agrees else set() for one in done.points}


def read_record(file: Path) -> dict[str, set[str]]:
    """The file in the form of :func:`agreement`."""
    with file.open(encoding="utf-8", newline="") as lines:
        return {row["name"]: set(row["agrees"].split()) for row in csv.DictReader(lines)}


def write_record(found: Mapping[str, set[str]], file: Path) -> None:
    """Write the file."""
    with writing(file) as lines:
        rows = csv.writer(lines, lineterminator="\n")
        rows.writerow(("name", "agrees"))
        rows.writerows((name, " ".join(sorted(checks))) for name, checks in found.items())


def changes(before: Mapping[str, set[str]], now: Mapping[str, set[str]]) -> tuple[list[str], list[str]]:
    """What no longer agrees, and what does for the first time, each as ``NAME: check``."""
    worse = [f"{name}: {check}" for name in before for check in sorted(before[name] - now.get(name, set()))]
    better = [f"{name}: {check}" for name in now for check in sorted(now[name] - before.get(name, set()))]
    return worse, better
