"""The same scenario here and in real ns-2, run as a process.

Both simulators get the flows' start times of the same seed. Losses differ, so means over seeds are compared, by the rule
of :class:`windlass.validation_compare.Comparison`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from windlass.errors import InputError, Interrupted, WindlassError
from windlass.validation_compare import Comparison
from windlass.validation_tcl import RESULT, RESULT_COLUMNS, check, flow_starts, quantity, script

if TYPE_CHECKING:
    from windlass.scenario import Scenario
    from windlass.sweep import RunResult

__all__ = ["Outcome", "PointOutcome", "built_in", "compare", "find_ns", "run_scripts", "write"]

RUN_LIMIT_S = 300.0
"""Longest time that a run of ns-2 may take; some never end."""

MEMORY_LIMIT_BYTES = 2 << 30
"""Most memory of a run of ns-2, where the system can limit it; some take all there is."""

Progress = Callable[[int, int], None]


def find_ns() -> str:
    """Path of the binary of ns-2.

    Raises
    ------
    InputError
        If there is none, with the code ``validate.no-ns2``.
    """
    found = shutil.which("ns")
    if found is None:
        raise InputError(
            "ns-2 is not installed: no `ns` among the programs",
            code="validate.no-ns2",
            hint="`apt-get install ns2` installs it on Debian; `windlass validate ns2 --stored` needs none",
        )
    return found


@dataclass(frozen=True)
class NsRun:
    """What a run of ns-2 gave.

    Attributes
    ----------
    flows : list of dict
        Counts of each flow, by :data:`windlass.validation_tcl.RESULT_COLUMNS`; empty if it failed.
    failure : str, optional
        Why there is no result.
    """

    flows: list[dict[str, int]]
    failure: str | None = None


@dataclass
class _Running:
    place: int
    process: subprocess.Popen[bytes]
    output: IO[bytes]
    since: float


def run_scripts(
    scripts: Sequence[str],
    *,
    jobs: int = 1,
    limit_s: float = RUN_LIMIT_S,
    progress: Progress | None = None,
    command: Sequence[str] | None = None,
) -> list[NsRun]:
    """Run scripts in ns-2, several at a time.

    Parameters
    ----------
    scripts : sequence of str
        Tcl.
    jobs : int
        Processes side by side.
    limit_s : float
        Longest time for one; it is stopped then and counts as failed.
    progress : callable, optional
        Called with how many are finished and how many there are.
    command : sequence of str, optional
        What is started with the name of a script; ns-2 if not given.

    Returns
    -------
    list of NsRun
        In the order of `scripts`.

    Raises
    ------
    InputError
        If ns-2 is not installed.
    Interrupted
        After Ctrl-C; no process is left behind.
    """
    start = list(command) if command is not None else [find_ns()]
    done: dict[int, NsRun] = {}
    waiting = list(range(len(scripts)))[::-1]
    running: list[_Running] = []
    with tempfile.TemporaryDirectory(prefix="windlass-ns2-") as name:
        folder = Path(name)
        try:
            while waiting or running:
                while waiting and len(running) < max(1, jobs):
                    place = waiting.pop()
                    running.append(_start(start, folder, place, scripts[place]))
                for one in list(running):
                    result = _finished(one, limit_s)
                    if result is None:
                        continue
                    running.remove(one)
                    done[one.place] = result
                    if progress is not None:
                        progress(len(done), len(scripts))
                time.sleep(0.005)
        except KeyboardInterrupt:
            raise Interrupted(len(done), len(scripts), stored=False) from None
        finally:
            for one in running:
                one.process.kill()
                one.process.wait()
                one.output.close()
    return [done[place] for place in range(len(scripts))]


def _start(command: Sequence[str], folder: Path, place: int, text: str) -> _Running:
    file = folder / f"{place}.tcl"
    file.write_text(text, encoding="utf-8")
    output = (folder / f"{place}.out").open("w+b")
    process = subprocess.Popen(
        [*command, str(file)], cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
    )
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError):
            resource.prlimit(process.pid, resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
    return _Running(place, process, output, time.monotonic())


def _finished(one: _Running, limit_s: float) -> NsRun | None:
    """What the process gave, once it has ended or its time is over."""
    late = time.monotonic() - one.since > limit_s
    if one.process.poll() is None:
        if not late:
            return None
        one.process.kill()
        one.process.wait()
        one.output.close()
        return NsRun([], f"did not end within {limit_s:g} s")
    one.output.seek(0)
    text = one.output.read().decode("utf-8", "replace")
    one.output.close()
    return _read(text, one.process.returncode)


def _read(text: str, code: int) -> NsRun:
    # Agents may print at any time, so a line of ours is looked for anywhere.
    rows = [line.split(RESULT, 1)[1].split() for line in text.splitlines() if RESULT in line]
    try:
        flows = [dict(zip(RESULT_COLUMNS, (int(float(word)) for word in row), strict=True)) for row in rows]
    except ValueError:
        flows = []
    if not flows:
        last = next((line.strip() for line in text.splitlines() if line.strip()), "it printed nothing")
        return NsRun([], f"no result, exit code {code}: {last[:200]}")
    return NsRun(flows)


@dataclass(frozen=True)
class PointOutcome:
    """One point in both simulators.

    Attributes
    ----------
    name : str
        Scenario.
    axes : dict
        Swept keys with their values.
    goodput : Comparison
        Sum of the flows' goodput over the whole run, Mbit/s; the number that is judged.
    retransmitted, timeouts : Comparison
        Sums over the flows, for information.
    failures : list of str
        Runs of ns-2 that gave no result.
    """

    name: str
    axes: dict[str, Any]
    goodput: Comparison
    retransmitted: Comparison
    timeouts: Comparison
    failures: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        """Whether the goodputs are close enough; never without a result from ns-2."""
        return self.goodput.agrees

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "scenario": self.name,
            "axes": self.axes,
            "agrees": self.agrees,
            "goodput_mbps": self.goodput.to_dict(),
            "retransmitted_segments": self.retransmitted.to_dict(),
            "timeouts": self.timeouts.to_dict(),
            "failures": self.failures,
        }


@dataclass(frozen=True)
class Outcome:
    """All points, and the scripts that ns-2 ran."""

    points: list[PointOutcome]
    scripts: dict[str, str]

    @property
    def agreeing(self) -> int:
        """How many points agree."""
        return sum(point.agrees for point in self.points)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "points": [point.to_dict() for point in self.points],
            "agreeing": self.agreeing,
            "total": len(self.points),
        }


def compare(
    scenarios: Sequence[Scenario],
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    store: bool | Path = True,
    limit_s: float = RUN_LIMIT_S,
    progress: Progress | None = None,
) -> Outcome:
    """Run every point of some scenarios here and in ns-2.

    Parameters
    ----------
    scenarios : sequence of Scenario
        In the profile ``ns2``.
    seeds : int, optional
        Number of seeds, at least two; the scenario's if not given.
    jobs : int, optional
        Runs side by side; all cores if not given.
    store : bool or path
        Where finished runs of ours are kept; runs of ns-2 are not.
    limit_s : float
        Longest time for one run of ns-2.
    progress : callable, optional
        Called with how many runs of ns-2 are finished and how many there are.

    Returns
    -------
    Outcome
        In the order of the scenarios and their points.

    Raises
    ------
    InputError
        If ns-2 is not installed, cannot express a description, or there is one seed only.
    WindlassError
        If no run of ns-2 gave a result.
    Interrupted
        After Ctrl-C.
    """
    find_ns()
    width = jobs if jobs is not None else os.cpu_count() or 1
    for scenario in scenarios:
        for point in scenario.points():
            check(point.effective())
    tasks: list[tuple[str, str]] = []
    plans: list[tuple[str, dict[str, Any], dict[str, Any], list[RunResult], list[int]]] = []
    for scenario in scenarios:
        count = len(scenario.seeds) if seeds is None else seeds
        if count < 2:
            raise InputError(
                "one seed gives no interval", code="validate.seeds", hint="ask for two or more, `--seeds 10`"
            )
        ours = scenario.sweep(seeds=seeds, jobs=jobs, store=store)
        points = scenario.points()
        for index, point in enumerate(points):
            runs = ours.runs[index * count : (index + 1) * count]
            description = point.effective()
            places = []
            for run in runs:
                text = script(description, flow_starts(run.flows.to_pylist()), run.seed)
                places.append(len(tasks))
                tasks.append((f"{_file_name(scenario.name)}-{index + 1}-seed{run.seed}.tcl", text))
            plans.append((scenario.name, dict(point.axes), description, runs, places))
    theirs = run_scripts([text for _, text in tasks], jobs=width, limit_s=limit_s, progress=progress)
    if tasks and all(one.failure for one in theirs):
        raise WindlassError(
            f"no run of ns-2 gave a result: {theirs[0].failure}",
            code="validate.ns2-failed",
            hint="is the program `ns` really ns-2 2.35?",
        )
    done = [
        _point(name, axes, description, runs, [theirs[place] for place in places])
        for name, axes, description, runs, places in plans
    ]
    return Outcome(done, dict(tasks))


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip(".-") or "scenario"


def _point(
    name: str,
    axes: dict[str, Any],
    description: Mapping[str, Any],
    runs: Sequence[RunResult],
    theirs: Sequence[NsRun],
) -> PointOutcome:
    from windlass.stats import mean_interval

    duration_s = quantity(description["scenario"]["duration"])
    segment_bytes = {
        group["name"]: quantity(group["traffic"]["packet"] if group["transport"] == "udp" else group["segment"])
        for group in description["flows"]
    }

    goodput_here, again_here, timeouts_here = [], [], []
    goodput_ns2, again_ns2, timeouts_ns2 = [], [], []
    failures = []
    for run, other in zip(runs, theirs, strict=True):
        rows = run.flows.to_pylist()
        goodput_here.append(sum(row["goodput_run_bps"] for row in rows) / 1e6)
        again_here.append(sum(row["retransmitted_segments"] for row in rows))
        timeouts_here.append(sum(row["timeouts"] for row in rows))
        if other.failure is not None:
            failures.append(f"seed {run.seed}: {other.failure}")
            continue
        sizes = [segment_bytes[row["group"]] for row in rows]
        bits = sum(one["delivered"] * size * 8.0 for one, size in zip(other.flows, sizes, strict=True))
        goodput_ns2.append(bits / duration_s / 1e6)
        again_ns2.append(sum(one["retransmitted"] for one in other.flows))
        timeouts_ns2.append(sum(one["timeouts"] for one in other.flows))
    return PointOutcome(
        name,
        axes,
        Comparison(mean_interval(goodput_ns2), mean_interval(goodput_here)),
        Comparison(mean_interval(again_ns2), mean_interval(again_here)),
        Comparison(mean_interval(timeouts_ns2), mean_interval(timeouts_here)),
        failures,
    )


def write(data: Mapping[str, Any], scripts: Mapping[str, str], folder: Path) -> None:
    """Write the comparison and the scripts that ns-2 ran into a folder.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
        (folder / "comparison.json").write_text(text + "\n", encoding="utf-8")
        if scripts:
            (folder / "scripts").mkdir(exist_ok=True)
        for name, script_text in scripts.items():
            (folder / "scripts" / name).write_text(script_text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}",
            code="cli.output",
            file=str(folder),
            hint="name another folder with `--out DIR`",
        ) from None


def built_in() -> list[Scenario]:
    """Small scenarios for a comparison without a file: every agent, with and without random loss."""
    from windlass.scenario import from_dict

    def dumbbell(loss: str, queue: str = "30 packets", **more: Any) -> dict[str, Any]:
        bottleneck = {"rate": "4 Mbps", "delay": "30 ms", "queue": queue, "loss": {"rate": loss} | more}
        access = {"rate": "10 Mbps", "delay": "5 ms"}
        return {"kind": "dumbbell", "pairs": 3, "access": access, "bottleneck": bottleneck}

    routers = {
        "kind": "three-routers",
        "pairs": 3,
        "access": {"rate": "10 Mbps", "delay": "2 ms"},
        "first": {"rate": "6 Mbps", "delay": "10 ms", "loss": "0.5 %"},
        "second": {"rate": "4 Mbps", "delay": "20 ms", "queue": "25 packets"},
    }
    line = {
        "kind": "graph",
        "links": [{"from": "a", "to": "b", "rate": "2 Mbps", "delay": "40 ms", "loss": {"rate": "3 %", "at": "queue"}}],
    }
    ends = {"from": "left/*", "to": "right/*", "start": "uniform(0 s, 1 s)"}
    between = {"from": "a", "to": "b", "count": 2, "start": "uniform(0 s, 1 s)"}
    plans: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("newreno-congested", dumbbell("0 %"), ends | {"algorithm": "newreno"}),
        ("newreno-lossy", dumbbell("1 %"), ends | {"algorithm": "newreno"}),
        ("sack-both-ways", dumbbell("2 %", direction="both"), ends | {"algorithm": "sack"}),
        ("reno-three-routers", routers, ends | {"algorithm": "reno", "tcp": {"delayed_ack": 2}}),
        ("tahoe-before-queue", line, between | {"algorithm": "tahoe", "segment": "1000 B"}),
        ("vegas-lossy", dumbbell("1 %", "60 packets"), ends | {"algorithm": "vegas"}),
        ("full-sack-lossy", dumbbell("1 %", direction="both"), ends | {"algorithm": "sack", "direction": "both"}),
    ]
    return [
        from_dict(
            {
                "scenario": {"name": name, "duration": "100 s", "profile": "ns2", "seeds": 10},
                "topology": topology,
                "flows": [flows],
            }
        )
        for name, topology, flows in plans
    ]
