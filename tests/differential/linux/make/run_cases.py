"""Run cases in the real kernel in virtual time, and write a folder that `windlass validate linux` reads.

usage: run_cases.py FAMILY FOLDER [NAME ...]     FAMILY: droplist or random; NAME: such as 'cubic-*'
environment: UML (the kernel, default linux.uml beside this file), JOBS (2), WORK (scratch folder)
"""

from __future__ import annotations

import csv
import json
import os
import statistics
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from captures import data_at_hop
from cases import SETTINGS, Case, families
from convert import exact_row, random_row
from machine import HERE, boot

WORK = Path(os.environ.get("WORK", HERE / "work")).resolve()
BULKY = ("snd.pcap", "hop.pcap", "observe")


def run_exact(case: Case, traces: Path) -> dict[str, Any]:
    """A case without randomness."""
    folder, settings = WORK / case.name, SETTINGS[case.variant]
    assert case.losses is not None
    for _ in range(case.losses.retransmissions):
        # run without the loss of the next retransmission to learn its number
        boot(case, folder, settings)
        hop = data_at_hop(folder)
        lost = case.losses.drops
        assert isinstance(lost, tuple)
        copies = [number for number, packet in enumerate(hop, 1) if packet.seq == hop[lost[0] - 1].seq]
        case = case.with_drops(copies[: len(lost) + 1])
    boot(case, folder, settings)
    row = exact_row(case, folder, traces)
    for name in BULKY:
        (folder / name).unlink()
    return row


def run_random(case: Case) -> dict[str, Any]:
    """A run with random loss."""
    folder = WORK / case.name
    boot(case, folder)
    return random_row(case, folder)


def write_table(file: Path, rows: list[dict[str, Any]]) -> None:
    """Rows as CSV."""
    with file.open("w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def means(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of means.csv."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["path"], row["loss_pct"], row["cc"]), []).append(row)
    found = []
    for (path, percent, algorithm), group in groups.items():
        goodput = [row["goodput_mbps"] for row in group]

        def mean(name: str, digits: int, group: list[dict[str, Any]] = group) -> float:
            return round(statistics.mean(int(row[name]) for row in group), digits)

        found.append(
            {
                "path": path,
                "loss_pct": percent,
                "cc": algorithm,
                "runs": len(goodput),
                "goodput_mbps_mean": round(statistics.mean(goodput), 4),
                "goodput_mbps_sd": round(statistics.stdev(goodput), 4) if len(goodput) > 1 else "",
                "goodput_mbps_min": min(goodput),
                "goodput_mbps_max": max(goodput),
                "retransmitted_mean": mean("retransmitted", 1),
                "timeouts_mean": mean("timeouts", 2),
                "recoveries_mean": mean("recoveries", 1),
            }
        )
    return found


def main() -> int:
    """Run what the command line asks for. Finished cases are kept in FOLDER/rows-FAMILY.jsonl and not run again."""
    if len(sys.argv) < 3 or sys.argv[1] not in families():
        sys.stderr.write(__doc__ or "")
        return 2
    name, out, wanted = sys.argv[1], Path(sys.argv[2]), sys.argv[3:] or ["*"]
    family = families()[name]
    traces = out / "droplist" / "traces"
    (traces if family.exact else out / "random").mkdir(parents=True, exist_ok=True)
    log = out / f"rows-{name}.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    rows: dict[str, dict[str, Any]] = dict(json.loads(line) for line in lines)
    failed = []

    def job(case: Case) -> None:
        begun = time.monotonic()
        try:
            row = run_exact(case, traces) if family.exact else run_random(case)
        except Exception as error:  # noqa: BLE001 - the others are to be run all the same
            failed.append(case.name)
            print(f"FAILED {case.name}: {error!r}"[:300], flush=True)
            return
        rows[case.name] = row
        with log.open("a", encoding="utf-8") as kept:
            kept.write(json.dumps([case.name, row]) + "\n")
        print(f"{case.name} {time.monotonic() - begun:.1f} s", flush=True)

    cases = [case for case in family.cases if any(fnmatchcase(case.name, one) for one in wanted)]
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as jobs:
        list(jobs.map(job, [case for case in cases if case.name not in rows]))
    if rows and family.exact:
        write_table(out / "droplist" / "summary.csv", sorted(rows.values(), key=lambda row: row["case"]))
    elif rows:
        keys = ("path", "loss_pct", "cc", "seed")
        ordered = sorted(rows.values(), key=lambda row: (row[keys[0]], float(row[keys[1]]), row[keys[2]], row[keys[3]]))
        write_table(out / "random" / "random.csv", ordered)
        write_table(out / "random" / "means.csv", means(ordered))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
