"""What a run with one flow takes in the store: bytes on disk, and CPU time to write and to read.

`make bench-store` writes 100 000 runs, opens the store anew and reads them all, then does so once more with a run
alone. Runs are written as fast as they come; the tables are those of a few hundred real runs.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import tempfile
import time
from pathlib import Path

import windlass
from windlass.store import Store

ONE_FLOW = {
    "scenario": {"name": "one flow", "duration": "2 s", "seeds": 200},
    "topology": {
        "kind": "dumbbell",
        "pairs": 1,
        "access": {"rate": "10 Mbps", "delay": "5 ms"},
        "bottleneck": {"rate": "2 Mbps", "delay": "20 ms", "queue": "20 packets", "loss": "1 %"},
    },
    "flows": [{"from": "left/*", "to": "right/*", "algorithm": "newreno"}],
}
MOST_BYTES = 2000
MOST_MS = 0.5
MOST_FILES = 200


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=100_000, help="how many runs")
    options.add_argument("--seeds", type=int, default=10, help="how many of them have a description in common")
    options.add_argument("--dir", type=Path, help="where to write them, by default the folder of temporary files")
    given = options.parse_args()
    root = Path(tempfile.mkdtemp(prefix="bench-store-", dir=given.dir))
    try:
        measure(root, given.runs, given.seeds)
    finally:
        shutil.rmtree(root)


def measure(root: Path, count: int, seeds: int) -> None:
    point = windlass.from_dict(ONE_FLOW).points()[0]
    real = [point.run(seed) for seed in range(1, 201)]
    description = point.effective_json()
    keys = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(count)]

    store = Store(root)
    store.write(hashlib.sha256(b"imports").hexdigest(), real[0].tables, description="{}", seed=0, results="v")
    start = time.process_time()
    for number, key in enumerate(keys):
        own = description.replace('"duration"', f'"duration {number // seeds}"', 1)
        tables = real[number % len(real)].tables
        store.write(key, tables, description=own, seed=number % seeds, results="v")
    store.close()
    written = (time.process_time() - start) / count * 1e3

    start = time.process_time()
    store = Store(root)
    assert keys[0] in store
    opened = time.process_time() - start
    start = time.process_time()
    for number, key in enumerate(keys):
        read = store.read(key)
        assert read is not None and read["flows"].equals(real[number % len(real)].flows), key
    compared = time.process_time() - start
    start = time.process_time()
    for number in range(count):
        real[number % len(real)].flows.equals(real[number % len(real)].flows)
    took = (compared - (time.process_time() - start)) / count * 1e3

    sizes = [file.stat().st_size for file in root.iterdir()]
    print(f"{count} runs with one flow, {seeds} seeds a point, in {len(sizes)} files")
    print(f"on disk {sum(sizes) / count:6.0f} bytes a run (at most {MOST_BYTES})")
    print(f"written {written:6.3f} ms of CPU a run (at most {MOST_MS})")
    print(f"read    {took:6.3f} ms of CPU a run (at most {MOST_MS})")
    print(f"opened  {opened:6.3f} s of CPU in all")
    if sum(sizes) / count > MOST_BYTES or max(written, took) > MOST_MS or len(sizes) >= MOST_FILES:
        raise SystemExit("more than it may be")


if __name__ == "__main__":
    main()
