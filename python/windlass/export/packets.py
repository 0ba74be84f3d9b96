"""Packets of a run as a capture that Wireshark opens: the format pcapng."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.files import writing
from windlass.scenario.point import Point, own_failures

if TYPE_CHECKING:
    import pyarrow as pa

    from windlass import _core
    from windlass.export.source import Source
    from windlass.sweep import RunResult

LIMIT = 1_000_000
"""Most records, unless another limit is given: some 150 MB of memory, and 100 MB on the disk with headers alone."""


@dataclass(frozen=True)
class _Wanted:
    """What the engine is asked for; the names are those of its own structure."""

    points: list[str]
    flows: list[str]
    limit: int
    payload: bool
    write: Callable[[bytes], object]


@dataclass(frozen=True, eq=False)
class _Capturing(Point):
    """A point whose run writes its packets: it is held against the limits, and ends on Ctrl-C, as any other."""

    wanted: _Wanted
    told: dict[str, Any] = field(default_factory=dict)

    def run(self, seed: int, cancel: _core.Cancel | None = None) -> RunResult:
        from windlass.resources import allowed
        from windlass.sweep import RunResult
        from windlass.tables import tables_from_core

        with own_failures(OSError, cancel=cancel):  # of the file
            may = allowed()
            columns, told = self._point.capture(seed, self.wanted, cancel, may.memory_bytes, may.seconds)
        self.told.update(json.loads(told))
        return RunResult(key=self.key(seed), seed=seed, axes=self.axes, tables=tables_from_core(columns))


@dataclass(frozen=True, eq=False)
class Captured:
    """What was written.

    Attributes
    ----------
    points : dict of str to int
        Number of records of each point.
    packets : int
        Packets that were sent.
    lost : int
        How many of them were lost by the end of the run.
    stopped_s : float or None
        When the limit was reached; ``None``: it was not.
    tables : dict of str to pyarrow.Table
        The tables of the run.
    """

    points: dict[str, int]
    packets: int
    lost: int
    stopped_s: float | None
    tables: Mapping[str, pa.Table]


def write_pcapng(
    source: Source,
    file: Path,
    *,
    at: Sequence[str] = ("sender",),
    flows: Sequence[str] = (),
    limit: int = LIMIT,
    payload: bool = False,
) -> Captured:
    """Make the run, and write its packets as they passed some points.

    Parameters
    ----------
    source : Source
        The run.
    file : Path
        The file.
    at : sequence of str
        Points: ``"sender"``, ``"receiver"``, ``"before:LINK"``, ``"after:LINK"``. Each is an interface in the file.
    flows : sequence of str
        Names of flows, ``*`` for any letters; by default all.
    limit : int
        Most records. What comes later is left out.
    payload : bool
        Whether the payload, which is zeros, is written; otherwise only headers are, with the true length.

    Raises
    ------
    InputError
        If there is no such point or flow, or the run needs more than :func:`windlass.limits` allows.
    StoreError
        If the file cannot be written.
    Interrupted
        After Ctrl-C.
    """
    from windlass.sweep import execute

    with writing(file, "wb") as opened:
        wanted = _Wanted(list(at), list(flows), limit, payload, opened.write)
        point = _Capturing(source.point._point, wanted)
        (result,) = execute([(point, source.seed)], jobs=1)
    about = point.told
    points = {row["point"]: row["records"] for row in about["points"]}
    return Captured(points, about["packets"], about["lost"], about["stopped_s"], result.tables)
