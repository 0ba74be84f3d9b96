"""CPU time of each algorithm beside NewReno's: ``make bench-algorithms``.

Every TCP algorithm runs one case in one process, by turns; the figure is the median ratio to NewReno of the same turn. Results
go to ``benches/results``.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
from pathlib import Path

from compare import HERE, PROGRAM, machine, today_and_commit

MOST = 1.5
"""Largest ratio that an algorithm may have."""


def main() -> int:
    """Measure, print and keep; 1 if an algorithm is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", default="W1")
    parser.add_argument("--seconds", type=float, default=400.0, help="simulated seconds of a run")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    options = parser.parse_args()
    arguments = ["algorithms", options.case, str(options.seconds), str(options.repeats)]
    table = subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout
    over = []
    for row in csv.DictReader(table.splitlines()):
        ratio = float(row["ratio_to_newreno"])
        over += [row["algorithm"]] if ratio > MOST else []
        print(f"{row['algorithm']:24} {float(row['ns_per_hop']):7.1f} ns per packet-hop  {ratio:5.2f}")
    today, commit = today_and_commit()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"{today}-algorithms{'' if options.case == 'W1' else '-' + options.case.lower()}.csv"
    header = f"# {machine()}; commit {commit}; windlass-bench {' '.join(arguments)}; medians; only the ratios mean anything\n"
    path.write_text(header + table, encoding="utf-8")
    print(f"kept in {path}")
    if over:
        print(f"more than {MOST} times NewReno: {', '.join(over)}", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
