"""Run every fuzz target in turn until so many executions were made, and go on where the last call stopped.

    python fuzz/campaign.py 10000000 [TARGET ...]

Corpora are in `fuzz/corpus`, or in the folder that FUZZ_CORPUS names, one folder for each target. `log.csv` there has a
line for each slice of a run: target, executions, seconds, seconds of the processor, edges. Drawn scenarios are the
first seeds. An input that crashes is left in `fuzz/artifacts` and ends the campaign.
"""

from __future__ import annotations

import csv
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FUZZ = ROOT / "fuzz"
CORPUS = Path(os.environ.get("FUZZ_CORPUS", FUZZ / "corpus"))
LOG = CORPUS / "log.csv"
BUILT = FUZZ / "target" / "campaign"
SLICE_S = 120

TARGETS = {
    "toml": ("scenarios", ["-max_len=6000", "-dict=fuzz/scenario.dict"]),
    "json": ("fuzz/seeds/json", ["-max_len=6000", "-dict=fuzz/scenario.dict"]),
    "run": ("scenarios", ["-max_len=6000", "-dict=fuzz/scenario.dict"]),
    "generated": (None, ["-max_len=1024"]),
    "tape": ("tests/tapes", ["-max_len=4000"]),
}
"""Each target with its seeds in the repository and its options."""


def build() -> Path:
    """Build the targets, without address sanitizer: the engine has no unsafe code that writes."""
    options = ["-O", "--debug-assertions", "-s", "none", "--target-dir", str(BUILT)]
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    for target in TARGETS:
        subprocess.run(["cargo", "fuzz", "build", *options, target], cwd=ROOT, env=environment, check=True)
    return next(BUILT.glob("*/release"))


def seed() -> None:
    """Drawn scenarios in the form of each target, once."""
    if not (CORPUS / "generated").is_dir():
        environment = {**os.environ, "WINDLASS_SEEDS": str(CORPUS)}
        command = ["cargo", "test", "--locked", "--quiet", "-p", "windlass-generator", "--test", "legal"]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)


def cpu_s() -> float:
    """Time of the processor that was spent on targets."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def once(built: Path, target: str, runs: int) -> list[int]:
    """A slice of a target: executions, seconds, seconds of the processor, edges."""
    seeds, options = TARGETS[target]
    folder, artifacts = CORPUS / target, FUZZ / "artifacts" / target
    folder.mkdir(parents=True, exist_ok=True)
    artifacts.mkdir(parents=True, exist_ok=True)
    command = [str(built / target), *options, f"-runs={runs}", f"-max_total_time={SLICE_S}", "-print_final_stats=1"]
    command += [f"-artifact_prefix={artifacts}/", str(folder)]
    if seeds is not None:
        command.append(seeds)
    before = cpu_s()
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        print(done.stderr[-6000:])
        raise SystemExit(f"{target} found something: see {artifacts}")
    made = int(re.findall(r"number_of_executed_units: (\d+)", done.stderr)[-1])
    took = int(re.findall(r"Done \d+ runs in (\d+) second", done.stderr)[-1])
    return [made, took, round(cpu_s() - before), int(re.findall(r"cov: (\d+)", done.stderr)[-1])]


def logged() -> dict[str, list[list[int]]]:
    """Slices of each target so far."""
    slices: dict[str, list[list[int]]] = {target: [] for target in TARGETS}
    if LOG.is_file():
        with LOG.open(encoding="utf-8", newline="") as file:
            for target, *numbers in csv.reader(file):
                slices[target].append([int(number) for number in numbers])
    return slices


def show(target: str, slices: list[list[int]]) -> str:
    """What was done in some slices."""
    made, took, used, _ = (sum(column) for column in zip(*slices, strict=True))
    edges = max(one[-1] for one in slices)
    return f"{target}: {made} executions in {took} s, {used} s of the processor, {edges} edges"


def main(wanted: int, targets: list[str]) -> None:
    """Slices of each target in turn, until so many executions were made in all."""
    built = build()
    seed()
    while (total := sum(made for slices in logged().values() for made, *_ in slices)) < wanted:
        for target in targets:
            found = once(built, target, wanted - total)
            with LOG.open("a", encoding="utf-8", newline="") as file:
                csv.writer(file).writerow([target, *found])
            print(show(target, [found]), flush=True)
    print(f"{total} executions of {wanted}:")
    for target, slices in logged().items():
        print(show(target, slices or [[0, 0, 0, 0]]))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] or list(TARGETS))
