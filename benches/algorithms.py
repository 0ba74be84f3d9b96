"""The cost of each algorithm beside NewReno's: ``make bench-algorithms``.

Every TCP algorithm runs one case in one process, each run beside one of NewReno; the figure is the median ratio of
their CPU times. Where valgrind is installed, the instructions of a packet-hop are counted as well, in shorter runs: a
count is the same on any day, a time is not. Results go to ``benches/results``.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

from compare import HERE, PROGRAM, machine, today_and_commit

MOST = 1.5
"""Largest ratio that an algorithm may have."""

COUNTED = 40.0
"""Simulated seconds of a run whose instructions are counted."""


def instructions(case: str, name: str, repetitions: int) -> tuple[int, int]:
    """Instructions of a process that runs ``name`` beside NewReno so often, and packet-hops of one such run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", PROGRAM]
    arguments = ["algorithms", case, str(COUNTED), str(repetitions), name]
    done = subprocess.run([*command, *arguments], check=True, capture_output=True, text=True)
    collected = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if collected is None:
        raise SystemExit(f"valgrind counted nothing:\n{done.stderr}")
    rows = {row["algorithm"]: row for row in csv.DictReader(done.stdout.splitlines())}
    return int(collected[1]), int(rows[name]["packet_hops"])


def with_instructions(case: str, rows: list[dict[str, str]]) -> None:
    """Add the instructions of a packet-hop, and their ratio to NewReno's."""
    once, hops = instructions(case, "newreno", 1)
    twice, _ = instructions(case, "newreno", 2)
    of_newreno = (twice - once) / hops
    for row in rows:
        own = of_newreno
        if row["algorithm"] != "newreno":
            # NewReno runs for its own row and beside the algorithm
            both, hops = instructions(case, row["algorithm"], 1)
            own = (both - twice) / hops
        row["instructions_per_hop"] = f"{own:.1f}"
        row["instruction_ratio"] = f"{own / of_newreno:.2f}"


def main() -> int:
    """Measure, print and keep; 1 if an algorithm is over the limit, in CPU time or instructions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", default="W1")
    parser.add_argument("--seconds", type=float, default=100.0, help="simulated seconds of a run")
    parser.add_argument("--repeats", type=int, default=41)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    options = parser.parse_args()
    arguments = ["algorithms", options.case, str(options.seconds), str(options.repeats)]
    table = subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(table.splitlines()))
    if shutil.which("valgrind"):
        with_instructions(options.case, rows)
    else:
        print("valgrind is not installed: instructions are not counted", file=sys.stderr)
    for row in rows:
        print(f"{row['algorithm']:24} {row['ns_per_hop']:>7} ns per packet-hop  {row['ratio_to_newreno']:>5}", end="")
        if "instruction_ratio" in row:
            print(f"  {row['instructions_per_hop']:>7} instructions  {row['instruction_ratio']:>5}", end="")
        print()
    today, commit = today_and_commit()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"{today}-algorithms{'' if options.case == 'W1' else '-' + options.case.lower()}.csv"
    header = f"# {machine()}; commit {commit}; windlass-bench {' '.join(arguments)}; medians; only the ratios mean anything\n"
    kept = io.StringIO()
    writer = csv.DictWriter(kept, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(header + kept.getvalue(), encoding="utf-8")
    print(f"kept in {path}")
    over = {
        what: [row["algorithm"] for row in rows if float(row.get(column, 0)) > MOST]
        for what, column in (("CPU time", "ratio_to_newreno"), ("instructions", "instruction_ratio"))
    }
    for what, names in over.items():
        if names:
            print(f"more than {MOST} times NewReno's {what}: {', '.join(names)}", file=sys.stderr)
    return 1 if any(over.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
