"""Traces of mahimahi: a line for each millisecond in which another 1504 bytes can be delivered, or were."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.errors import InputError
from windlass.export.source import chosen, columns_of, group_of, subject_of
from windlass.files import writing

if TYPE_CHECKING:
    from windlass.export.source import Source

OPPORTUNITY = 1504
"""Bytes of a line."""


def opportunities(source: Source, link: str, *, reverse: bool = False) -> list[int]:
    """The lines of what a link can carry during the run: milliseconds.

    Raises
    ------
    InputError
        If there is no such link, or it carries nothing.
    """
    times = source.point.opportunities(link, reverse=reverse)
    if not times:
        raise InputError(
            f"link `{link}` carries nothing in the whole run", code="trace.empty", hint="make the run longer"
        )
    return times


def write_opportunities(source: Source, file: Path, link: str, *, reverse: bool = False) -> int:
    """Write what a link can carry during the run, whoever uses it. Returns the number of lines.

    Raises
    ------
    InputError
        If there is no such link, or it carries nothing.
    StoreError
        If the file cannot be written.
    """
    return _write(file, opportunities(source, link, reverse=reverse))


def write_delivered(source: Source, file: Path, *, flows: Sequence[str] = ()) -> int:
    """Make the run, and write what flows delivered as if a link had carried just that. Returns the number of lines.

    A line stands where another 1504 bytes have arrived: payload, each byte once, and the headers that it needs in full
    packets. The last line is that of the last whole 1504 bytes; mahimahi starts over there.

    Parameters
    ----------
    source : Source
        The run.
    file : Path
        The file.
    flows : sequence of str
        Names of flows, ``*`` for any letters; by default all. Their data in both directions count together.

    Raises
    ------
    InputError
        If there is no such flow, or less than 1504 bytes arrived.
    StoreError
        If the file cannot be written.
    """
    import numpy as np

    result = source.run(["delivered"])
    series = columns_of(result)
    steps = []
    for row in chosen(result, flows):
        line = series.get((subject_of(row), "delivered_bytes"))
        full = source.point.capacity([group_of(row)])
        if line is not None and full is not None:
            share = full["packet"] / full["payload"]
            steps.append((line[0], np.diff(line[1], prepend=0.0) * share))
    if not steps:
        raise _nothing()
    times = np.concatenate([time for time, _ in steps])
    order = np.argsort(times, kind="stable")
    total = np.cumsum(np.concatenate([amount for _, amount in steps])[order])
    count = int(total[-1] // OPPORTUNITY)
    if count == 0:
        raise _nothing()
    places = np.searchsorted(total, OPPORTUNITY * np.arange(1, count + 1))
    return _write(file, np.ceil(times[order][places] * 1e3 - 1e-6).astype(int).tolist())


def _nothing() -> InputError:
    return InputError(
        f"less than {OPPORTUNITY} bytes arrived in the whole run", code="trace.empty", hint="make the run longer"
    )


def _write(file: Path, times: Sequence[int]) -> int:
    with writing(file) as opened:
        opened.writelines(f"{ms}\n" for ms in times)
    return len(times)
