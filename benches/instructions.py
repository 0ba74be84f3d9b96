"""Instructions per packet-hop of the cases W1 to W4 and W6, beside the newest kept table: ``make bench-instructions``.

Valgrind counts them, in short runs; a count is the same on any day and beside any other work, a time is not. The set-up
of the world is taken out: each case runs for two durations, and the difference counts. Tables go to
``benches/results``.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

from compare import HERE, PROGRAM, machine, today_and_commit

CASES = {
    "W1": (50, 150),
    "W2": (10, 30),
    "W3": (1, 3),
    "W4:10": (20, 60),
    "W4:1000": (1, 4),
    "W6:sack": (50, 150),
    "W6:rack": (50, 150),
}
"""Simulated seconds of the shorter and the longer run."""

MOST = 0.03
"""Largest growth that goes without a word."""

KEPT = "*-instructions.csv"


SHORT_CUTS = {
    "departures": "none: every link is served by events",
    "eager": "departures are known on arrival",
    "plain": "and packets enter eager links at once",
    "ahead": "and plain endpoints are asked for less",
    "": "and endpoints run ahead: as it is",
}
"""What is left when a short cut and all that need it are taken away, from the slow loop to the fast one."""


def counted(case: str, seconds: int, without: str = "") -> tuple[int, int, int, str]:
    """Instructions, packet-hops, events and the hash of the results of one run, without a short cut of the world."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", PROGRAM, case, str(seconds)]
    command += ["without", without] if without else []
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    collected = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if collected is None:
        raise SystemExit(f"valgrind counted nothing:\n{done.stderr}")
    words = dict(word.split("=", 1) for word in done.stdout.split() if "=" in word)
    return int(collected[1]), int(words["hops"]), int(words["events"]), words["hash"]


def cost_of(case: str, without: str = "") -> tuple[float, float, str]:
    """Instructions and events per packet-hop, set-up taken out, and the hash of the results."""
    short, long = CASES[case]
    first, hops, events, _ = counted(case, short, without)
    second, more, later, digest = counted(case, long, without)
    return (second - first) / (more - hops), (later - events) / (more - hops), digest


def short_cuts() -> int:
    """Print what each short cut of the world saves; 1 if one changes a result."""
    print("| short cuts | " + " | ".join(CASES) + " |\n| --- |" + " --- |" * len(CASES))
    digests: dict[str, set[str]] = {case: set() for case in CASES}
    for without, meaning in SHORT_CUTS.items():
        cells = []
        for case in CASES:
            cost, events, digest = cost_of(case, without)
            digests[case].add(digest)
            cells.append(f"{cost:.0f} ({events:.2f})")
        print(f"| {meaning} | " + " | ".join(cells) + " |", flush=True)
    print("Instructions per packet-hop (events per packet-hop).")
    return 0 if all(len(found) == 1 for found in digests.values()) else 1


def main() -> int:
    """Measure, print and keep; 1 if a case costs more than it did, or gives other results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument(
        "--short-cuts", action="store_true", help="what each short cut of the world saves; keep nothing"
    )
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("valgrind is not installed: instructions cannot be counted", file=sys.stderr)
        return 2
    if options.short_cuts:
        return short_cuts()
    tables = sorted(options.out.glob(KEPT))
    before: dict[str, tuple[float, str]] = {}
    if tables:
        lines = [line for line in tables[-1].read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        before = {row["case"]: (float(row["instructions_per_hop"]), row["hash"]) for row in csv.DictReader(lines)}
        print(f"beside {tables[-1].name}")
    rows, over, other = [], [], []
    for case in CASES:
        cost, _, digest = cost_of(case)
        cost_before, digest_before = before.get(case, (cost, digest))
        growth = cost / cost_before - 1.0
        print(f"{case:8} {cost:8.2f} instructions per packet-hop  {growth:+7.2%}  results {digest}")
        rows.append(f"{case},{cost:.2f},{digest}")
        if growth > MOST:
            over.append(case)
        if digest != digest_before:
            other.append(case)
    today, commit = today_and_commit()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"{today}{KEPT[1:]}"
    header = f"# {machine()}; commit {commit}; valgrind's callgrind, between two durations\n"
    path.write_text(header + "case,instructions_per_hop,hash\n" + "\n".join(rows) + "\n", encoding="utf-8")
    print(f"kept in {path}")
    if over:
        print(f"more than {MOST:.0%} above the table before: {', '.join(over)}", file=sys.stderr)
    if other:
        print(f"other results than the table before: {', '.join(other)}; CHANGELOG.md says why", file=sys.stderr)
    return 1 if over or other else 0


if __name__ == "__main__":
    sys.exit(main())
