"""Instructions per packet-hop of the cases W1 to W4, beside those of the newest kept table: ``make bench-instructions``.

Valgrind counts them, in short runs; a count is the same on any day and beside any other work, a time is not. The set-up of the
world is taken out: each case runs for two durations, and the difference counts. Tables go to ``benches/results``.
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

CASES = {"W1": (50, 150), "W2": (10, 30), "W3": (1, 3), "W4:10": (20, 60), "W4:1000": (1, 4)}
"""Simulated seconds of the shorter and the longer run."""

MOST = 0.03
"""Largest growth that goes without a word."""

KEPT = "*-instructions.csv"


def counted(case: str, seconds: int) -> tuple[int, int, str]:
    """Instructions, packet-hops and the hash of the results of one run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", PROGRAM, case, str(seconds)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    collected = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if collected is None:
        raise SystemExit(f"valgrind counted nothing:\n{done.stderr}")
    words = dict(word.split("=", 1) for word in done.stdout.split() if "=" in word)
    return int(collected[1]), int(words["hops"]), words["hash"]


def main() -> int:
    """Measure, print and keep; 1 if a case costs more than it did, or gives other results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("valgrind is not installed: instructions cannot be counted", file=sys.stderr)
        return 2
    tables = sorted(options.out.glob(KEPT))
    before: dict[str, tuple[float, str]] = {}
    if tables:
        lines = [line for line in tables[-1].read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        before = {row["case"]: (float(row["instructions_per_hop"]), row["hash"]) for row in csv.DictReader(lines)}
        print(f"beside {tables[-1].name}")
    rows, over, other = [], [], []
    for case, (short, long) in CASES.items():
        (first, hops, _), (second, more, digest) = counted(case, short), counted(case, long)
        cost = (second - first) / (more - hops)
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
