"""Kinds of files that can be imported, and which of them a file is."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import Any

from windlass.errors import InputError, did_you_mean
from windlass.imports import capture, flent, iperf, mahimahi, ping, shapes, ss, table, tcp
from windlass.imports.evidence import Evidence

MOST_BYTES = 1 << 30
"""Bytes of a file, unpacked: a capture of some million packets."""

KINDS: dict[str, str] = {
    "capture": "pcap or pcapng, as tcpdump and Wireshark write them",
    "iperf3": "output of `iperf3 -J` or `iperf3 --json-stream`",
    "flent": "data file of Flent",
    "csv": "table of rate over time, with a line of names",
    "ss": "log of `ss -ti`, one sample after the other",
    "ping": "log of `ping`",
    "mahimahi": "trace of mahimahi, a millisecond on each line",
}
"""Names of kinds, for ``--format``, and what they are."""

WITH_FLOWS = (tcp.FORMAT, ss.FORMAT, flent.FORMAT, iperf.FORMAT, ping.FORMAT)
"""Kinds of files that can have several connections, hosts or tests."""

HEADS = (
    b"\xd4\xc3\xb2\xa1",
    b"\xa1\xb2\xc3\xd4",
    b"\x4d\x3c\xb2\xa1",
    b"\xa1\xb2\x3c\x4d",
    b"\x34\xcd\xb2\xa1",
    b"\x0a\x0d\x0d\x0a",
)
"""First bytes of captures: pcap with micro- and nanoseconds in both byte orders, pcap as modified, pcapng."""

_JSON = re.compile(r"\A\s*[\[{]|^\s*\{", re.MULTILINE)
"""A document of JSON, perhaps after other lines."""

HEAD = 100_000
"""Characters in which it begins."""

GZIP = b"\x1f\x8b"
OTHERS = {b"\x28\xb5\x2f\xfd": "zstd -d", b"\xfd7zX": "xz -d", b"BZh": "bzip2 -d", b"PK\x03\x04": "unzip"}


def read(data: bytes, file: str, kind: str | None, flow: str | None) -> Evidence:
    """What a file shows, given as its bytes.

    Parameters
    ----------
    kind : str or None
        One of `KINDS`; ``None``: what its content says.
    flow : str or None
        The connection, where a file can have several.

    Raises
    ------
    InputError
        If it is of no known kind, or not what its kind should be.
    """
    if kind is not None and kind not in KINDS:
        near = did_you_mean(kind, KINDS)
        raise InputError(f"no format `{kind}`", code="import.format", hint=near or f"formats are {', '.join(KINDS)}")
    data = _unpacked(data, file)
    found = _read(data, file, kind, flow)
    if flow is not None and found.format not in WITH_FLOWS:
        raise InputError(
            f"is {KINDS[found.format]}, which has no connections to choose from",
            code="import.flow",
            file=file,
            hint="leave --flow out",
        )
    return found


def _read(data: bytes, file: str, kind: str | None, flow: str | None) -> Evidence:
    if not data.strip():
        raise InputError("is empty", code="import.nothing", file=file, hint="windlass import reads " + _known())
    if kind == "capture" or kind is None and data.startswith(HEADS):
        if not data.startswith(HEADS):
            raise _not(kind, file)
        return tcp.evidence(capture.read(data, file), flow)
    text = _text(data, file)
    if kind in ("iperf3", "flent") or kind is None and _JSON.search(text[:HEAD]):
        return _json(text, file, kind, flow)
    rest: dict[str, tuple[Callable[[str], bool], Callable[[], Evidence]]] = {
        "ping": (ping.looks_like, lambda: ping.evidence(text, file, flow)),
        "ss": (ss.looks_like, lambda: ss.evidence(text, file, flow)),
        "mahimahi": (mahimahi.looks_like, lambda: mahimahi.evidence(text, file)),
        "csv": (table.looks_like, lambda: table.evidence(text, file)),
    }
    if kind is not None:
        return rest[kind][1]()
    for fits, evidence in rest.values():
        if fits(text):
            return evidence()
    raise _not(None, file)


def _json(text: str, file: str, kind: str | None, flow: str | None) -> Evidence:
    if kind != flent.FORMAT:
        held = shapes.documents(text)
        if iperf.tests(held, file):
            return iperf.evidence(held, file, flow)
    document: Any = shapes.load(text, file, KINDS[kind] if kind else "`iperf3 -J` or of Flent")
    if kind == iperf.FORMAT:
        return iperf.evidence(shapes.Documents([(1, document)]), file, flow)
    if kind == flent.FORMAT or flent.looks_like(document):
        return flent.evidence(document, file, flow)
    raise _not(None, file)


def _not(kind: str | None, file: str) -> InputError:
    what = "is of no kind that can be imported" if kind is None else f"is no {KINDS[kind]}"
    return InputError(what, code="import.unknown", file=file, hint="windlass import reads " + _known())


def _known() -> str:
    return "; ".join(f"{what} ({name})" for name, what in KINDS.items())


def _unpacked(data: bytes, file: str) -> bytes:
    """Without gzip; a file that unpacks to more than the limit is refused before it has."""
    for head, command in OTHERS.items():
        if data.startswith(head):
            raise InputError("is packed", code="import.unknown", file=file, hint=f"unpack it first: `{command}`")
    if not data.startswith(GZIP):
        return data
    stream = zlib.decompressobj(wbits=31)
    try:
        whole = stream.decompress(data, MOST_BYTES)
    except zlib.error as error:
        raise InputError(f"broken gzip: {error}", code="import.broken", file=file, hint="copy it again") from None
    if stream.unconsumed_tail:
        raise InputError(
            f"unpacks to more than {MOST_BYTES >> 30} GiB", code="file.too-large", file=file, hint="give a part of it"
        )
    if not stream.eof and not whole.startswith(HEADS):
        raise InputError("ends in the middle of its gzip", code="import.broken", file=file, hint="copy it again")
    return whole


def _text(data: bytes, file: str) -> str:
    head = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}.get(data[:2], "utf-8-sig")
    try:
        return data.decode(head)
    except UnicodeDecodeError:
        raise _not(None, file) from None
