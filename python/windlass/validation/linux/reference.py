"""What a folder of traces and figures of Linux holds.

Layout: ``droplist/summary.csv`` with a row for each case, ``droplist/traces/CASE.packets.csv.gz`` and
``CASE.state.csv.gz`` (``.xz`` or no ending as well), ``random/random.csv`` with a row for each run. Either of the two
parts may be missing. The columns are explained in ``tests/differential/linux/README.md``.
"""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from windlass import inputs
from windlass.errors import InputError

MSS = 1448
"""Payload bytes of a full segment."""

LIMITED_SEGMENTS = 200
"""Segments of a limited transfer. A case whose sender sent just so many different segments is one."""


@dataclass(frozen=True)
class Others:
    """What happens to packets beside the list of lost data packets: the column `other`.

    Attributes
    ----------
    text : str
        The column.
    syns, synacks, acks : tuple of int
        Those that are lost: SYNs, answers to them, pure ACKs of the receiver, each kind by itself, the first is 1.
    delay : str
        For how long one router more holds the packets in the direction of data; empty: there is none.
    gap : int
        Each packet whose number there is a multiple of this is not held, SYN and pure ACK counted; 0: all are held.
    unknown : str
        The part that is none of this.
    """

    text: str = ""
    syns: tuple[int, ...] = ()
    synacks: tuple[int, ...] = ()
    acks: tuple[int, ...] = ()
    delay: str = ""
    gap: int = 0
    unknown: str = ""


@dataclass(frozen=True)
class Case:
    """A run without randomness.

    Attributes
    ----------
    name, algorithm, losses, variant : str
        The case, the kernel's name of the algorithm, the name of the list of lost packets, the variant of settings.
    every : int
        Each data packet whose number is a multiple of this is lost; 0: those of ``drops``.
    drops : tuple of int
        Data packets that are lost at the lossy hop, the first is 1.
    queue_packets, seconds : int
        Limit of the bottleneck's queue, the packet in service included; length of the run from the SYN.
    rate, delay : str
        Rate of the bottleneck, delay each way.
    other : Others
        What else is lost or held.
    phase_us : int
        Phase of the kernel's clock at the SYN, from which its timers are rounded.
    limited : bool
        The transfer has :data:`LIMITED_SEGMENTS`, and otherwise no end.
    sent_segments : int
        Data segments sent, retransmissions included.
    received_bytes, timeouts, loss_probes : int
        What the receiving application has read, expiries of the retransmission timer, tail loss probes.
    folder : Path
        Where the traces are.
    """

    name: str
    algorithm: str
    losses: str
    variant: str
    every: int
    drops: tuple[int, ...]
    queue_packets: int
    seconds: int
    rate: str
    delay: str
    other: Others
    phase_us: int
    limited: bool
    sent_segments: int
    received_bytes: int
    timeouts: int
    loss_probes: int
    folder: Path = field(repr=False)

    def dropped(self) -> list[int]:
        """Numbers of the lost data packets, the first is 1; of an endless list more than any run has."""
        if self.every:
            return list(range(self.every, 2 * self.sent_segments + self.every, self.every))
        return list(self.drops)

    def lacks(self) -> str | None:
        """Which of the two traces is missing, in words, if one is."""
        kinds = [kind for kind in KINDS if _trace_file(self.folder, self.name, kind) is None]
        return f"no trace `CASE.{kinds[0]}.csv.xz` (or .gz, or .csv)" if kinds else None

    def sent(self) -> list[tuple[float, int]]:
        """Data segments in the order in which they left: time in s from the SYN, number from 0."""
        rows = _trace(self.folder, self.name, "packets", ("time_s", "dir", "kind", "seq"))
        data = [row for row in rows if row["dir"] == ">" and row["kind"] == "DATA"]
        if not data:
            raise rows[0].wrong("no data segment left in this trace", whole=True)
        return [(row.number("time_s"), (row.whole("seq") - 1) // MSS) for row in data]

    def windows(self) -> list[tuple[float, float]]:
        """Congestion window after events at the sender: time in s from the SYN, segments."""
        rows = _trace(self.folder, self.name, "state", ("time_s", "event", "cwnd"))
        known = [(row.number("time_s"), row.number("cwnd")) for row in rows if row["cwnd"]]
        if not known:
            raise rows[0].wrong("no event of this trace has a `cwnd`", whole=True)
        return known


@dataclass(frozen=True)
class Point:
    """Runs under random loss that differ only in their seeds.

    Attributes
    ----------
    path, algorithm, loss_percent : str
        Name of the path, the kernel's name of the algorithm, loss of data packets at the lossy hop.
    rate, delay : str
        Rate of the bottleneck, delay each way.
    queue_packets, seconds : int
        Limit of the bottleneck's queue, the packet in service included; length of a run from the SYN.
    goodput_mbps : tuple of float
        What the receiving application has read, one value for each seed, Mbit/s.
    timeouts, retransmitted : float
        Means over the seeds.
    """

    path: str
    algorithm: str
    loss_percent: str
    rate: str
    delay: str
    queue_packets: int
    seconds: int
    goodput_mbps: tuple[float, ...]
    timeouts: float
    retransmitted: float

    @property
    def name(self) -> str:
        """Path, algorithm and loss in one word."""
        return f"{self.path}-{self.algorithm}-{self.loss_percent}"


@dataclass(frozen=True)
class Reference:
    """A folder: its runs without randomness, and its points with random loss."""

    folder: Path
    cases: tuple[Case, ...]
    points: tuple[Point, ...]


def stored() -> Path:
    """The folder that comes with a source tree.

    Raises
    ------
    InputError
        If this is an installation without it: a wheel has no traces.
    """
    folder = Path(str(resources.files("windlass") / "reference/linux"))
    if not folder.is_dir():
        raise InputError(
            "the traces of Linux do not come with this installation",
            code="validate.reference",
            hint="`windlass validate linux DIR` with the folder `python/windlass/reference/linux` of a source tree",
        )
    return folder


def read(folder: Path) -> Reference:
    """Read a folder.

    Parameters
    ----------
    folder : Path
        With ``droplist/summary.csv``, ``random/random.csv`` or both. Traces are read when their case is compared.

    Returns
    -------
    Reference
        In the order of the files.

    Raises
    ------
    InputError
        If neither file is there, or if one lacks a column or has a value of the wrong kind.
    """
    summary, random = folder / "droplist" / "summary.csv", folder / "random" / "random.csv"
    if not summary.exists() and not random.exists():
        raise InputError(
            f"`{folder}` has neither `droplist/summary.csv` nor `random/random.csv`",
            code="validate.reference",
            hint="`tests/differential/linux/README.md` shows the layout and how such a folder is made",
        )
    cases = tuple(_cases(summary)) if summary.exists() else ()
    points = tuple(_points(random)) if random.exists() else ()
    return Reference(folder, cases, points)


def _cases(file: Path) -> Iterator[Case]:
    for row in _Rows(file, _content(file)):
        every, drops = row.drops("data_drops")
        different = row.whole("data_segments_sent") - row.whole("retransmitted")
        yield Case(
            name=row["case"],
            algorithm=row["cc"],
            losses=row["list"],
            variant=row["variant"],
            every=every,
            drops=drops,
            queue_packets=row.whole("queue_packets", least=2),
            seconds=row.whole("seconds", least=1),
            rate=row.with_unit("rate", "8mbit"),
            delay=row.with_unit("owd_each_way", "50ms"),
            other=row.others("other"),
            phase_us=row.whole("syn_phase_us") if row.has("syn_phase_us") else 0,
            limited=different == LIMITED_SEGMENTS,
            sent_segments=row.whole("data_segments_sent"),
            received_bytes=row.whole("received_bytes"),
            timeouts=row.whole("timeouts"),
            loss_probes=row.whole("loss_probes"),
            folder=file.parent / "traces",
        )


def _points(file: Path) -> list[Point]:
    found: dict[tuple[str, ...], list[_Row]] = {}
    for row in _Rows(file, _content(file)):
        same = ("path", "cc", "loss_pct", "rate", "owd_each_way", "queue_packets", "seconds")
        found.setdefault(tuple(row[name] for name in same), []).append(row)
    points = []
    for rows in found.values():
        first = rows[0]
        points.append(
            Point(
                path=first["path"],
                algorithm=first["cc"],
                loss_percent=f"{first.number('loss_pct', most=100.0):g}",
                rate=first.with_unit("rate", "8mbit"),
                delay=first.with_unit("owd_each_way", "60ms"),
                queue_packets=first.whole("queue_packets", least=2),
                seconds=first.whole("seconds", least=1),
                goodput_mbps=tuple(row.number("goodput_mbps") for row in rows),
                timeouts=sum(row.number("timeouts") for row in rows) / len(rows),
                retransmitted=sum(row.number("retransmitted") for row in rows) / len(rows),
            )
        )
    return points


KINDS = ("packets", "state")
"""Traces of a case."""

RANGE = r"(\d+)(?:\.\.(\d+))?(?: step (\d+))?"
"""A number, or several at a distance: `60`, `40..800 step 4`."""

MOST_NUMBER = 1_000_000
"""The highest number of a packet in a list: far more than a run sends."""

HELD = re.compile(r"delay (\d\S*)(?: reorder 100% gap ([1-9]\d*))?")
"""One router more, as netem writes it, without random numbers: others would draw others."""

UNITS = {"mbit": "Mbps", "kbit": "kbps", "gbit": "Gbps", "ms": "ms", "us": "us", "s": "s"}
"""Units of ``tc``, and the same in a scenario."""


class _Row:
    """A row of a table that says where it stands if a value is wrong."""

    def __init__(self, file: Path, line: int, values: dict[str, str]) -> None:
        self.file, self.line, self.values = file, line, values

    def __getitem__(self, name: str) -> str:
        if self.values.get(name) is None:
            raise self.wrong(f"has no column `{name}`")
        return self.values[name]

    def wrong(self, what: str, *, whole: bool = False) -> InputError:
        """An error of this line, or of the whole file."""
        return InputError(
            what,
            code="validate.reference",
            hint="`tests/differential/linux/README.md` explains the columns",
            file=str(self.file),
            line=None if whole else self.line,
        )

    def has(self, name: str) -> bool:
        return bool(self.values.get(name))

    def whole(self, name: str, least: int = 0) -> int:
        """A whole number, not below `least`."""
        text = self[name].strip()
        if not re.fullmatch(r"\d{1,18}", text) or int(text) < least:
            above = f" of {least} or more" if least else ""
            raise self.wrong(f"`{name}` is `{self[name]}`, wanted is a whole number{above}")
        return int(text)

    def number(self, name: str, most: float = math.inf) -> float:
        """A number from 0 to `most`."""
        try:
            value = float(self[name])
        except ValueError:
            value = math.nan
        if not 0.0 <= value <= most or math.isinf(value):
            wanted = "a number" if math.isinf(most) else f"a number from 0 to {most:g}"
            raise self.wrong(f"`{name}` is `{self[name]}`, wanted is {wanted}")
        return value

    def with_unit(self, name: str, default: str) -> str:
        """A value as ``tc`` writes it, `8mbit`, in the notation of a scenario; the column may be missing."""
        text = self.values.get(name) or default
        known = _in_units(text)
        if known is None:
            raise self.wrong(f"`{name}` is `{text}`, wanted is such as `{default}`")
        return known

    def drops(self, name: str) -> tuple[int, tuple[int, ...]]:
        """`every 200`, or a list of numbers and of ranges such as `40..800 step 4`."""
        text = " ".join(self[name].split())
        every = re.fullmatch(r"every ([1-9]\d*)", text)
        numbers = _numbers(text) if text else ()
        if every is None and numbers is None:
            raise self.wrong(f"`{name}` is `{self[name]}`, wanted is such as `60 62`, `60..80 step 2` or `every 200`")
        return (int(every[1]), ()) if every else (0, numbers or ())

    def others(self, name: str) -> Others:
        """`ack 40 41`, `synack 1`, `delay 15ms reorder 100% gap 60`, several with `;` between; may be missing."""
        text = " ".join((self.values.get(name) or "").split())
        found: dict[str, Any] = {}
        for part in filter(None, map(str.strip, re.split("[;,]", text))):
            word, _, rest = part.partition(" ")
            held = HELD.fullmatch(part)
            delay = _in_units(held[1]) if held else None
            if word in ("syn", "synack", "ack") and word + "s" not in found and (numbers := _numbers(rest)):
                found[word + "s"] = numbers
            elif held and delay and "delay" not in found:
                found |= {"delay": delay, "gap": int(held[2] or 0)}
            else:
                found["unknown"] = part
        return Others(text, **found)


def _numbers(text: str) -> tuple[int, ...] | None:
    """Numbers from 1 and ranges of them, `40 50..60 step 2`, in order; ``None``: it is something else."""
    if re.fullmatch(f"{RANGE}(?: {RANGE})*", text) is None:
        return None
    found: set[int] = set()
    for first, last, step in re.findall(RANGE, text):
        low, high, by = int(first), int(last or first), int(step or 1)
        if not 0 < low <= high <= MOST_NUMBER or by == 0:
            return None
        found.update(range(low, high + 1, by))
    return tuple(sorted(found))


def _in_units(text: str) -> str | None:
    """A value as ``tc`` writes it, `8mbit`, in the notation of a scenario; ``None``: it is none."""
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = UNITS.get(text[len(number) :])
    return f"{number} {unit}" if unit and re.fullmatch(r"\d+(\.\d+)?", number) and float(number) > 0.0 else None


class _Rows:
    """The rows of a table, each knowing its line."""

    def __init__(self, file: Path, content: bytes) -> None:
        self.file, self.text = file, content.decode("utf-8-sig", errors="replace")

    def __iter__(self) -> Iterator[_Row]:
        table = csv.DictReader(io.StringIO(self.text))
        row = None
        try:
            for values in table:
                row = _Row(self.file, table.line_num, values)
                yield row
        except csv.Error as bad:
            raise _Row(self.file, table.line_num, {}).wrong(f"is no table: {bad}") from None
        if row is None:
            raise _Row(self.file, 1, {}).wrong("has no rows below its header", whole=True)


def _content(file: Path) -> bytes:
    return inputs.read_bytes(file, most=inputs.MOST_RECORDED, wanted="table of a reference")


def _unpacked(file: Path, opened: Callable[..., Any]) -> bytes:
    """The content without its compression, no more than a recorded file may have."""
    with opened(io.BytesIO(_content(file))) as whole:
        content: bytes = whole.read(inputs.MOST_RECORDED + 1)
    if len(content) > inputs.MOST_RECORDED:
        raise InputError(
            f"unpacks to more than {inputs.MOST_RECORDED >> 30} GiB",
            code="file.too-large",
            file=str(file),
            hint="`windlass validate linux --help` says what a folder of a reference holds",
        )
    return content


def _trace_file(folder: Path, case: str, kind: str) -> tuple[Path, Callable[..., Any] | None] | None:
    """The file of a trace, and how it is opened, whichever way it is compressed; ``None``: there is none."""
    for ending, opened in ((".xz", lzma.open), (".gz", gzip.open), ("", None)):
        file = folder / f"{case}.{kind}.csv{ending}"
        if file.exists():
            return file, opened
    return None


def _trace(folder: Path, case: str, kind: str, columns: tuple[str, ...]) -> list[_Row]:
    """Rows of a trace, one at least."""
    found = _trace_file(folder, case, kind)
    if found is None:
        raise InputError(
            f"no trace of the case `{case}`: `{case}.{kind}.csv.gz` is missing",
            code="validate.reference",
            hint="`run_cases.py` writes one for each row of summary.csv",
            file=str(folder),
        )
    file, opened = found
    try:
        content = _content(file) if opened is None else _unpacked(file, opened)
    except (lzma.LZMAError, OSError, EOFError) as bad:
        raise InputError(
            f"cannot be unpacked: {bad}",
            code="validate.reference",
            file=str(file),
            hint="`windlass validate linux --help` says what a folder of a reference holds",
        ) from None
    rows = list(_Rows(file, content))
    missing = [name for name in columns if rows[0].values.get(name) is None]
    if missing:
        raise InputError(
            f"has no column `{missing[0]}`",
            code="validate.reference",
            file=str(file),
            hint="`windlass validate linux --help` says what a folder of a reference holds",
        )
    return rows
