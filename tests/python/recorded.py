"""What runs gave when it was recorded, so that no change of results passes unseen.

``make results`` records anew. It refuses where a result changed and ``crates/scenario/RESULTS.toml`` does not say so.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

import windlass
from windlass import Scenario, _core
from windlass.validation import droplist
from windlass.validation.linux import reference, scenarios

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "results.json"
GUARDED = ("tests/golden", "tests/tapes", "benches/hashes.txt", "python/windlass/reference")
"""Files whose own tests hold the engine to them: if they are made again, results have changed."""

PROFILES = ("ns2", "rfc", "linux")
SHORT = {"scenario.duration": "5 s", "scenario.warmup": "1 s", "scenario.seeds": 1}

LOSSY = """
[scenario]
name = "lossy"
duration = "5 s"
warmup = "1 s"
[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "100 Mbps", delay = "5 ms" }
bottleneck = { rate = "5 Mbps", delay = "20 ms", queue = "30 packets", loss = "0.5 %" }
[[flows]]
from = "left/*"
to = "right/*"
algorithm = "newreno"
start = "uniform(0 s, 1 s)"
"""


class Result(NamedTuple):
    """What is recorded of a run."""

    results: int
    written: str
    setting: str
    hash: str


def cases() -> Iterator[tuple[str, Scenario]]:
    """The runs, by name: ready scenarios, every algorithm, core and queue, and the cases of ns-2 and of Linux."""
    for name in sorted(path.stem for path in (ROOT / "scenarios").glob("*.toml")):
        yield f"ready/{name}", windlass.load(name).with_(SHORT)
    lossy = Scenario.from_toml(LOSSY)
    for profile in PROFILES:
        own = lossy.with_({"scenario.profile": profile})
        for row in json.loads(_core.algorithms()):
            yield f"{profile}/{row['name']}", own.with_({"flows.algorithm": row["name"]})
        for core in ("tahoe", "reno", "newreno", "sack", *(["rack-tlp"] if profile != "ns2" else [])):
            yield f"{profile}/recovery/{core}", own.with_({"tcp.recovery": core})
        for queue in json.loads(_core.queues()):
            values = {"discipline": queue["name"], "limit": "30 packets"}
            yield f"{profile}/queue/{queue['name']}", own.with_({"topology.bottleneck.queue": values})
    for case in droplist.read_cases(ROOT / "tests" / "differential" / "ns2-droplist" / "summary.csv"):
        yield f"ns2-droplist/{case.name}", droplist.scenario_of(case)
    for linux in reference.read(reference.stored()).cases:
        if scenarios.why_not(linux.algorithm, linux.variant) is None:
            yield f"linux/{linux.name}", scenarios.of_case(linux)


def run(scenario: Scenario, columns: dict[str, list[str]] | None) -> tuple[Result, dict[str, list[str]]]:
    """What a run gives in these columns (all, if not given), and which columns it has."""
    point = scenario.points()[0]
    tables = point.run(1).tables
    digest = hashlib.blake2b(digest_size=8)
    for name, table in sorted(tables.items()):
        known = table.column_names if columns is None else [c for c in columns.get(name, []) if c in table.column_names]
        for column in known:
            digest.update(f"\0{name}.{column}\0{text_of(table[column])}".encode())
    written = hashlib.blake2b(json.dumps(point.composed()).encode(), digest_size=8).hexdigest()
    found = Result(point.results(), written, point.setting()[:16], digest.hexdigest())
    return found, {name: table.column_names for name, table in tables.items()}


def text_of(column: pa.ChunkedArray) -> str:
    """The values, bit by bit."""
    return json.dumps(column.to_pylist())


def files() -> dict[str, str]:
    """A hash of each of the guarded files and folders."""
    found = {}
    for name in GUARDED:
        place = ROOT / name
        digest = hashlib.blake2b(digest_size=8)
        for path in [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file()):
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
        found[name] = digest.hexdigest()
    return found


def judged(name: str, before: Result, now: Result) -> str | None:
    """What is wrong with a run, if anything."""
    if now.hash == before.hash and now.setting == before.setting:
        return None
    if now.written != before.written:
        return f"{name}: its description was edited; `make results` records what it is now"
    if now.results > before.results:
        return f"{name}: RESULTS.toml says that it changed; `make results` records what it is now"
    if now.hash != before.hash:
        return f"{name}: its results changed; mend that, or add a change that concerns it to RESULTS.toml"
    return (
        f"{name}: its key changed and its results did not, so stored runs would be lost; "
        "leave a new key out of the effective description where it has its default"
    )


def recorded() -> dict[str, Any]:
    """The file."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def newest() -> int:
    """Number of the newest change of results."""
    return int(windlass.ENGINE_VERSION.rpartition(".")[2])


def complaints(known: dict[str, Any]) -> list[str]:
    """What is wrong, a line each."""
    wrong = []
    for name, scenario in cases():
        if name not in known["cases"]:
            wrong.append(f"{name}: is not recorded yet; `make results` does")
            continue
        before = Result(*known["cases"][name])
        wrong.append(judged(name, before, run(scenario, known["columns"])[0]))
    for name, digest in files().items():
        if known["files"].get(name, digest) != digest and newest() <= known["newest"]:
            wrong.append(f"{name} changed and RESULTS.toml did not")
    return [line for line in wrong if line is not None]


def main() -> None:
    """Record anew."""
    known = recorded() if FILE.exists() else None
    if known is not None:
        wrong = [line for line in complaints(known) if "`make results`" not in line]
        if wrong:
            sys.exit("\n".join([*wrong, "nothing was recorded"]))
    columns: dict[str, list[str]] = {}
    found = {}
    for name, scenario in cases():
        _, has = run(scenario, None)
        for table, names in has.items():
            columns[table] = list(dict.fromkeys([*columns.get(table, []), *names]))
    for name, scenario in cases():
        found[name] = list(run(scenario, columns)[0])
    whole = {"newest": newest(), "columns": columns, "files": files(), "cases": found}
    lines = json.dumps(whole, indent=1).replace(",\n   ", ", ").replace("[\n   ", "[").replace("\n  ]", "]")
    FILE.write_text(lines + "\n", encoding="utf-8")
    print(f"{FILE}: {len(found)} runs")


if __name__ == "__main__":
    main()
