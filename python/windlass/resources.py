"""What runs may need of this machine: memory and time, held against an estimate before they begin.

The estimate is the engine's (:meth:`windlass.Point.estimate`), of what a run needs at most. Runs that may need more
than half of the memory that is free, or more than a day, are refused unless :func:`limits` allows them. No result
depends on any of this: a run is made as it is, or not at all.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from windlass.amounts import DAY_S, size_text, time_text
from windlass.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Allowed", "Need", "allowed", "check", "given", "limits", "need"]

SHARE = 0.5
"""Share of the free memory that runs may need unless told."""

SAMPLED = 24
"""Points of a sweep, evenly chosen, that are estimated to know all of them."""

RUN_BYTES = 60_000.0
"""Memory of a run's tables without rows, bytes: `windlass sweep` of 1000 runs of one flow."""

ROWS = 0.1
"""What the tables of flows and links need, as a share of the flows and links in the run."""


class Estimated(Protocol):
    """A point of a sweep."""

    def estimate(self) -> Mapping[str, float]:
        """What one run of it needs at most."""
        ...


@dataclass(frozen=True)
class Need:
    """What some runs need at most.

    Attributes
    ----------
    runs : int
        How many.
    seconds : float
        Until all are made, side by side.
    memory_bytes : float
        Of the runs side by side and of the results of all.
    """

    runs: int
    seconds: float
    memory_bytes: float


@dataclass(frozen=True)
class Allowed:
    """What runs may need.

    Attributes
    ----------
    memory_bytes, seconds : float
        As in :class:`Need`; of a single run, seconds of the processor.
    """

    memory_bytes: float
    seconds: float


_given: list[tuple[float | None, float | None]] = []


@contextmanager
def limits(*, max_memory: str | float | None = None, max_time: str | float | None = None) -> Iterator[None]:
    """Allow runs to need so much, in this whole process, as long as the block lasts.

    Parameters
    ----------
    max_memory : str or float, optional
        ``"4 GB"``, or bytes. Half of what is free if not given.
    max_time : str or float, optional
        ``"2 d"``, ``"36 h"``, or seconds. A day if not given.

    Raises
    ------
    InputError
        If one of them is no size or time.

    Examples
    --------
    >>> import windlass
    >>> with windlass.limits(max_memory="4 GB", max_time="2 d"):
    ...     result = windlass.sweep(windlass.load("single-flow-cwnd"), store=False)
    """
    _given.append(
        (
            None if max_memory is None else _quantity(max_memory, _SIZES, "a size, such as `4 GB`"),
            None if max_time is None else _quantity(max_time, _TIMES, "a time, such as `2 d` or `36 h`"),
        )
    )
    try:
        yield
    finally:
        _given.pop()


_SIZES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}
_TIMES = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": DAY_S}


def _quantity(value: str | float, units: Mapping[str, float], wanted: str) -> float:
    if isinstance(value, str):
        found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?(?:e[0-9]+)?)\s*([A-Za-z]+)\s*", value)
        unit = next((size for name, size in units.items() if found and name.lower() == found[2].lower()), None)
        number = float(found[1]) * unit if found and unit is not None else math.nan
    else:
        number = float(value)
    if not number > 0.0:
        raise InputError(
            f"`{value}` is not {wanted}", code="run.limit", hint=f"the units are {', '.join(units)}, and it is positive"
        )
    return number


def given() -> tuple[float | None, float | None]:
    """Memory (bytes) and time (seconds) that :func:`limits` allows now; ``None`` where it says nothing."""
    memory = next((one[0] for one in reversed(_given) if one[0] is not None), None)
    return memory, next((one[1] for one in reversed(_given) if one[1] is not None), None)


def allowed() -> Allowed:
    """What runs may need now."""
    memory, seconds = given()
    return Allowed(SHARE * _free_bytes() if memory is None else memory, DAY_S if seconds is None else seconds)


def need(points: Sequence[Estimated], runs: int, side_by_side: int) -> Need:
    """What runs of some points need at most, as many of each.

    Parameters
    ----------
    points : sequence of points
        At least one.
    runs : int
        How many runs in all.
    side_by_side : int
        How many at a time.
    """
    step = max(1, len(points) // SAMPLED)
    found = [point.estimate() for point in points[::step]]
    seconds = sum(one["seconds"] for one in found) / len(found)
    kept = sum(RUN_BYTES + ROWS * one["network_bytes"] + one["record_bytes"] / 2 for one in found) / len(found)
    largest = max(one["memory_bytes"] for one in found)
    at_once = min(side_by_side, runs)
    return Need(runs, seconds * runs / at_once, largest * at_once + kept * runs)


def check(points: Sequence[Estimated], runs: int, side_by_side: int | None) -> None:
    """Refuse runs that need more than they may; see :func:`need`. ``side_by_side`` is ``None`` on a cluster.

    A single run is left to the engine, which looks by itself.

    Raises
    ------
    InputError
        With what they need, and the option that allows it.
    """
    if runs <= 1 or not points:
        return
    wanted, may = need(points, runs, side_by_side or 1), allowed()
    if side_by_side is not None and wanted.seconds > may.seconds:
        raise InputError(
            f"{runs} runs would take up to {time_text(wanted.seconds)}, and {time_text(may.seconds)} is allowed",
            code="run.too-long",
            hint=f"run fewer points or seeds, or allow it: `--max-time {math.ceil(wanted.seconds / 3600)}h`",
        )
    if wanted.memory_bytes > may.memory_bytes:
        raise InputError(
            f"{runs} runs need up to {size_text(wanted.memory_bytes)} of memory, and {size_text(may.memory_bytes)} "
            "are allowed",
            code="run.too-large",
            hint="run fewer at a time (`--jobs 1`), fewer points or seeds, or record less; or allow it: "
            f"`--max-memory {math.ceil(wanted.memory_bytes / 1e9)}GB`",
        )


def _free_bytes() -> float:
    """Memory that this process can still have: of the machine, its control group, and its own limit."""
    found = []
    with suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found += [float(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    found += _of_groups()
    with suppress(ImportError, OSError, ValueError):
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            found.append(most - pages * float(os.sysconf("SC_PAGE_SIZE")))
    if not found:
        with suppress(OSError, ValueError, AttributeError):
            found.append(float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES"))
    return max(0.0, min(found, default=math.inf))


def _of_groups() -> list[float]:
    """What the control groups above this process leave."""
    found = []
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            number, kinds, name = line.split(":", 2)
            if number == "0":
                most, used, root = "memory.max", "memory.current", Path("/sys/fs/cgroup")
            elif "memory" in kinds.split(","):
                most, used, root = "memory.limit_in_bytes", "memory.usage_in_bytes", Path("/sys/fs/cgroup/memory")
            else:
                continue
            place = root / name.lstrip("/")
            for folder in [place, *place.parents]:
                with suppress(OSError, ValueError):
                    limit = float((folder / most).read_text(encoding="ascii"))
                    found.append(limit - float((folder / used).read_text(encoding="ascii")) + _cached(folder))
                if folder == root:
                    break
    return found


def _cached(group: Path) -> float:
    """Memory of a control group that files take, and give back when it is wanted, bytes."""
    for line in (group / "memory.stat").read_text(encoding="ascii").splitlines():
        if line.startswith("inactive_file "):
            return float(line.split()[1])
    return 0.0
