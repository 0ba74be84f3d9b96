"""Runs of ns-2 as processes, several at a time, each with a limit of time and memory."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from windlass.errors import InputError, Interrupted
from windlass.validation.tcl import RESULT, RESULT_COLUMNS

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
        Counts of each flow, by :data:`windlass.validation.tcl.RESULT_COLUMNS`; empty if it failed.
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
