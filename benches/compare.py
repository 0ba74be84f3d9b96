"""Packet-hops per CPU second beside ns-2: ``make bench``.

A packet that crosses a link counts one, data and ACKs alike. Windlass and ns-2 run by turns on the same machine, each
case several times; the figure is the median of CPU time without set-up. ns-2's hops are counted in a separate run; on
air they are the packets that a node's MAC hands up. Without ns-2 (Debian package ``ns2``, binary ``ns``) only Windlass'
side is printed. Results go to ``benches/results``.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import platform
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PROGRAM = HERE.parent / "target" / "release" / "windlass-bench"
CASES = ["W1", "W2", "W3", "W4:10", "W4:100", "W4:1000", "W4:5000", "W5:chain:9", "W5:cell:10", "W5:cell:200"]
FLOORS = {"W1": 4.0, "W2": 4.0, "W3": 3.0, "W4:1000": 5.0, "W4:5000": 5.0, "W5:chain:9": 10.0, "W5:cell:10": 10.0}
"""Least ratio to ns-2 that must be held."""


def windlass(case: str) -> dict[str, float]:
    """Run a case once; the words that the program prints."""
    out = subprocess.run([PROGRAM, case], check=True, capture_output=True, text=True).stdout
    words = dict(word.split("=", 1) for word in out.split())
    return {key: float(value) for key, value in words.items() if key not in ("case", "hash")}


def ns2_call(case: str) -> list[str]:
    """The script of a case in ``benches/ns2`` and its arguments."""
    return subprocess.run([PROGRAM, case, "ns2"], check=True, capture_output=True, text=True).stdout.split()


def ns2(call: list[str], *, count: bool = False) -> dict[str, float]:
    """Run ns-2's script once; the words that it prints."""
    script, *arguments = call
    command = ["ns", str(HERE / "ns2" / script), *arguments, *(["count", "1"] if count else [])]
    # Mobile nodes print words of their own, on lines of their own.
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    words = " ".join(line for line in lines if line.startswith(("goodput_Mbps ", "link_hops "))).split()
    return {key: float(value) for key, value in zip(words[::2], words[1::2], strict=True)}


def measure(case: str, repeats: int, *, with_ns2: bool) -> dict[str, str]:
    """Measure one case on both sides."""
    call = ns2_call(case)
    if case == "W4:5000" and with_ns2:
        repeats = min(repeats, 2)  # ns-2 takes minutes
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(windlass(case))
        if with_ns2:
            theirs.append(ns2(call))
    run_s = statistics.median(o["run_cpu_s"] for o in ours)
    rate = ours[0]["hops"] / run_s / 1e6
    row = {
        "case": case,
        "windlass_mhops_per_cpu_s": f"{rate:.2f}",
        "windlass_hops": f"{ours[0]['hops']:.0f}",
        "windlass_run_cpu_s": f"{run_s:.3f}",
        "windlass_setup_cpu_s": f"{statistics.median(o['setup_cpu_s'] for o in ours):.3f}",
        "windlass_rss_mb": f"{ours[0]['rss_mb']:.1f}",
        "windlass_goodput_mbps": f"{ours[0]['goodput_mbps']:.2f}",
    }
    if with_ns2:
        hops = ns2(call, count=True)["link_hops"]
        ns2_s = statistics.median(t["run_cpu"] for t in theirs)
        row |= {
            "ns2_mhops_per_cpu_s": f"{hops / ns2_s / 1e6:.2f}",
            "ns2_hops": f"{hops:.0f}",
            "ns2_run_cpu_s": f"{ns2_s:.3f}",
            "ns2_goodput_mbps": f"{theirs[0]['goodput_Mbps']:.2f}",
            "ratio": f"{rate / (hops / ns2_s / 1e6):.2f}",
            "floor": f"{FLOORS[case]:.0f}" if case in FLOORS else "",
        }
    return row


def today_and_commit() -> tuple[str, str]:
    """Of the results."""
    git = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    return datetime.datetime.now(tz=datetime.UTC).date().isoformat(), commit


def machine() -> str:
    """Processor of this machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main() -> int:
    """Measure the cases asked for, print them and keep them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=CASES, help=f"of {', '.join(CASES)}")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    options = parser.parse_args()
    with_ns2 = shutil.which("ns") is not None
    if not with_ns2:
        print("ns-2 is not installed (Debian package `ns2`): Windlass alone", file=sys.stderr)
    rows = []
    for case in options.cases:
        row = measure(case, options.repeats, with_ns2=with_ns2)
        rows.append(row)
        beside = (
            f"  ns-2 {row['ns2_mhops_per_cpu_s']:>5}  ratio {row['ratio']:>5} (floor {row['floor'] or '-'})"
            if with_ns2
            else ""
        )
        print(
            f"{case:10} {row['windlass_mhops_per_cpu_s']:>6} million packet-hops per CPU second{beside}"
            f"  set-up {row['windlass_setup_cpu_s']} s, {row['windlass_rss_mb']} MB",
            flush=True,
        )
    today, commit = today_and_commit()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"{today}-{platform.machine()}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {machine()}; commit {commit}; make bench; medians of {options.repeats} (W4:5000 with ns-2: 2)\n")
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    print(f"kept in {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
