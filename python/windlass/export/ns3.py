"""Series of a run as text: a line `time value` for each change, a file for each flow and variable.

The names and units are those of ns-3's example `tcp-variants-comparison`: seconds, and bytes for windows. Its lines of
time zero, before the connection is there, are not written. Rates and queues it does not trace: their files are named
alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError
from windlass.export.source import chosen, columns_of, group_of, subject_of
from windlass.files import writing
from windlass.output import file_name

if TYPE_CHECKING:
    from windlass.export.source import Source

_TRACES = ("cwnd", "ssthresh", "srtt", "flight", "rate", "queue")


def _plain(value: float, mss: int) -> str:
    return f"{value:.9g}"


def _bytes(value: float, mss: int) -> str:
    return f"{round(value * mss)}"


_FILES: dict[str, tuple[str, Callable[[float, int], str]]] = {
    "cwnd_segments": ("cwnd", _bytes),
    "ssthresh_segments": ("ssth", _bytes),
    "srtt_s": ("rtt", _plain),
    "flight_segments": ("inflight", _bytes),
    "rate_bps": ("rate", _plain),
}
"""What the file of a variable is called, and how its values are written."""


def write_ns3(source: Source, folder: Path, *, flows: Sequence[str] = ()) -> list[Path]:
    """Make the run, and write its series as ns-3 does.

    Parameters
    ----------
    source : Source
        The run.
    folder : Path
        Where the files come: ``PREFIX-flowN-cwnd.data`` (bytes), ``-ssth`` (bytes), ``-rtt`` (s), ``-inflight``
        (bytes), ``-rate`` (bit/s), and ``PREFIX-LINK-queue.data`` (packets). ``PREFIX`` is the scenario's name.
    flows : sequence of str
        Names of flows, ``*`` for any letters; by default all.

    Raises
    ------
    InputError
        If there is no such flow, or none has a series.
    StoreError
        If a file cannot be written.
    """
    result = source.run(_TRACES)
    prefix, sizes = file_name(source.scenario.name), source.segments()
    series = columns_of(result)
    wanted = {subject_of(row) for row in chosen(result, flows)}
    written = []
    for number, row in enumerate(result.flows.to_pylist()):
        if subject_of(row) not in wanted:
            continue
        for variable, (word, form) in _FILES.items():
            if (subject_of(row), variable) in series:
                file = folder / f"{prefix}-flow{number}-{word}.data"
                _write(file, *series[subject_of(row), variable], form, sizes.get(group_of(row), 1))
                written.append(file)
    if not written:
        raise InputError(
            "no flow has a window, a rate or an RTT",
            code="export.nothing",
            hint="choose connections or TFRC flows; `--format pcapng` writes datagrams as well",
        )
    for (subject, variable), line in series.items():
        if variable == "queue_packets":
            file = folder / f"{prefix}-{file_name(subject)}-queue.data"
            _write(file, *line, _plain, 1)
            written.append(file)
    return written


def _write(file: Path, times: Any, values: Any, form: Callable[[float, int], str], mss: int) -> None:
    with writing(file) as opened:
        opened.writelines(
            f"{time:.9f} {form(value, mss)}\n" for time, value in zip(times.tolist(), values.tolist(), strict=True)
        )
