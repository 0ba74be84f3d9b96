"""Run every case with ns-2.35 and write red.csv: ``python run.py`` with ``ns`` on the path. Takes a minute or two."""

import csv
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
SEEDS = range(1, 11)
CASES = {
    "plain": "",
    "two": "n 2",
    "ten": "n 10",
    "steep": "gentle false",
    "even": "wait false",
    "bytes": "bytes true qib true",
    "adaptive": "adaptive 1 n 10",
    "automatic": "min 0 max 0 w -1 mean 500",
    "marks": "ecn true",
    "small-buffer": "q 12 n 10",
}
# The same on a path on which ns-2's rounding of times puts departures first, as they are here.
OTHER = "bw 7.3Mb d 17.3ms"
CASES |= {f"{case}-7.3": f"{OTHER} {arguments}" for case, arguments in CASES.items()}

with (HERE / "red.csv").open("w", newline="") as file:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["case", "seed", "goodput_segments_per_s", "queue_mean_packets", "drops"])
    for case, arguments in CASES.items():
        for seed in SEEDS:
            words = ["ns", str(HERE / "red.tcl"), *arguments.split(), "seed", str(seed)]
            text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
            found = re.search(r"RESULT goodput=(\S+) queue=(\S+) drops=(\d+)", text)
            table.writerow([case, seed, *(f"{float(value):.6g}" for value in found.groups())])
