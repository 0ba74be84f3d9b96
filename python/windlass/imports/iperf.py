"""Output of `iperf3 -J` or `iperf3 --json-stream`, of a TCP or a UDP test."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from windlass.errors import InputError
from windlass.imports import delay, loss, rates
from windlass.imports.evidence import Evidence, RateOverTime
from windlass.imports.model import AT_MOST, Estimate
from windlass.imports.shapes import HEADERS, Reader

FORMAT = "iperf3"

WHAT = "the output of `iperf3 -J` or `iperf3 --json-stream`"


def looks_like(document: Any) -> bool:
    """Whether a JSON document is one of iperf3."""
    return isinstance(document, dict) and "intervals" in document and ("start" in document or "end" in document)


def of_stream(text: str, file: str) -> dict[str, Any] | None:
    """The document whose parts `--json-stream` prints as they come, a line for each; none if it is no such stream.

    A test that was stopped has no end, and perhaps half a last line.

    Raises
    ------
    InputError
        If a line in the middle cannot be read.
    """
    lines = text.splitlines()
    document: dict[str, Any] = {"intervals": []}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            if document == {"intervals": []}:
                return None
            if number < len(lines):
                raise InputError(
                    "not JSON", code="import.broken", file=file, line=number, hint=f"give {WHAT} as it was printed"
                ) from None
            break
        if not isinstance(event, dict) or "event" not in event:
            return None
        kind, data = event["event"], event.get("data")
        if kind == "interval":
            document["intervals"].append(data)
        elif kind in ("start", "end", "error"):
            document[kind] = data
    return document


def evidence(document: Any, file: str) -> Evidence:
    """Rate over time, round-trip times of a TCP sender, losses of a UDP receiver.

    Raises
    ------
    InputError
        If the test failed, or the document lacks what it needs.
    """
    read = Reader(file, WHAT)
    top = read.table(document, "document")
    if "error" in top:
        raise InputError(
            f"iperf3 failed: {str(top['error'])[:200]}", code="import.nothing", file=file, hint="run the test again"
        )
    start = read.table(top.get("start", {}), "start")
    test = read.table(start.get("test_start", {}), "start.test_start")
    protocol = str(test.get("protocol", "TCP"))
    bins = _bins(read, top)
    if not bins:
        raise InputError(
            "has no interval that counts", code="import.nothing", file=file, hint="run a test of several seconds"
        )
    found = Evidence(FORMAT)
    way = "from the server" if test.get("reverse") else "to the server"
    streams = int(read.number(test.get("num_streams", 1), "start.test_start.num_streams"))
    length = sum(one["end"] - one["start"] for one in bins)
    found.facts.append(f"iperf3, {protocol} {way}, streams: {streams}, {len(bins)} intervals, {length:.1f} s")
    _rates(found, read, top, bins)
    if protocol.upper() == "UDP":
        _udp(found, read, top, bins)
    else:
        _tcp(found, read, top, bins)
    found.notes.append("The delay is taken to be the same both ways.")
    return found


def _bins(read: Reader, top: dict[str, Any]) -> list[dict[str, Any]]:
    """Sums of the intervals that count, with their streams."""
    found = []
    for number, each in enumerate(read.rows(top.get("intervals"), "intervals")):
        place = f"intervals[{number}]"
        row = read.table(each, place)
        total = read.table(row.get("sum"), f"{place}.sum")
        if total.get("omitted"):
            continue
        own = {key: read.number(total.get(key), f"{place}.sum.{key}") for key in ("start", "end", "bits_per_second")}
        # What is left of a second at the end is no interval.
        if own["end"] - own["start"] < 0.05:
            continue
        streams = [read.table(one, f"{place}.streams") for one in read.rows(row.get("streams", []), f"{place}.streams")]
        found.append({**own, "sum": total, "streams": streams})
    return found


def _arrived(read: Reader, top: dict[str, Any], mean_bps: float) -> float | None:
    """What arrived per second: what the receiver says, or else what was sent less what a UDP receiver missed.

    None if only the sender's count is there, which has what its buffers still held.
    """
    end = read.table(top.get("end", {}), "end")
    got = read.table(end.get("sum_received") or {}, "end.sum_received")
    total = read.table(end.get("sum") or got, "end.sum")
    packets, lost = (read.number(total.get(key) or 0, f"end.sum.{key}") for key in ("packets", "lost_packets"))
    left = [mean_bps * (1.0 - lost / packets)] if packets and lost <= packets else []
    said = read.number(got.get("bits_per_second") or 0, "end.sum_received.bits_per_second")
    return min([*left, *([said] if said else [])], default=None)


def _rates(found: Evidence, read: Reader, top: dict[str, Any], bins: list[dict[str, Any]]) -> None:
    import numpy as np

    start, end, rate = (np.array([one[key] for one in bins]) for key in ("start", "end", "bits_per_second"))
    how = f"mean of {len(bins)} intervals: what the test got; the link may carry more"
    found.rate = rates.mean(rate, end - start, "bit/s", how)
    found.rates = RateOverTime(start, end, rate, of_link=False)
    found.arrived_bps = _arrived(read, top, found.rate.value)
    if _standing(read, bins):
        most = HEADERS * max(found.rate.interval.hi, float(np.median(rate)))
        found.rate = replace(found.rate, interval=replace(found.rate.interval, hi=most))
    else:
        floor = found.rate.interval.lo if found.arrived_bps is None else found.arrived_bps
        found.rate = rates.at_least(found.rate.value, min(floor, found.rate.value), len(bins), how)
    found.notes.append(
        "A test gets what its sender makes of the path: the link's rate is this or more. Headers are not counted: with "
        "1448 B of data in 1500 B the link carries 3.6 % more."
    )


def _standing(read: Reader, bins: list[dict[str, Any]]) -> bool:
    """Whether the windows and round trips of a single TCP sender show that it kept a queue filled."""
    import numpy as np

    from windlass.imports import queueing

    pairs = [
        (read.number(stream["snd_cwnd"], "snd_cwnd"), read.number(stream["rtt"], "rtt"))
        for one in bins
        if len(one["streams"]) == 1
        for stream in one["streams"]
        if stream.get("snd_cwnd") and stream.get("rtt")
    ]
    return bool(pairs) and queueing.fills(*np.array(pairs, dtype=float).T)


def _tcp(found: Evidence, read: Reader, top: dict[str, Any], bins: list[dict[str, Any]]) -> None:
    import numpy as np

    rtt = [
        read.number(stream["rtt"], "rtt") / 1e6
        for one in bins
        for stream in one["streams"]
        if stream.get("rtt") not in (None, 0)
    ]
    ends = [
        read.table(one, "end.streams")
        for one in read.rows(read.table(top.get("end", {}), "end").get("streams", []), "end.streams")
    ]
    senders = [read.table(one.get("sender", {}), "end.streams.sender") for one in ends]
    rtt += [read.number(one["min_rtt"], "min_rtt") / 1e6 for one in senders if one.get("min_rtt") not in (None, 0)]
    if rtt:
        samples = np.array(rtt)
        how = f"least of {len(rtt)} smoothed round-trip times of the sender"
        found.base_rtt = delay.at_most(samples, how, 1e-6)
        found.notes.append(
            "The sender's round-trip times are smoothed and contain its own queue (up to "
            f"{1e3 * samples.max():.1f} ms); a "
            "path that was never idle has a shorter delay than the least of them. Jitter cannot be told from them."
        )
    else:
        found.notes.append("Only the sender's side of a test knows round-trip times: this file has none.")
    again = [one["sum"].get("retransmits") for one in bins]
    if all(one is None for one in again):
        found.notes.append("The file has no retransmissions, so nothing is known of losses.")
        return
    total = int(sum(read.number(one, "retransmits") for one in again if one is not None))
    data = sum(8.0 * read.number(one["sum"].get("bytes", 0), "bytes") for one in bins) / (8.0 * 1448.0)
    packets = max(round(data), total, 1)
    found.loss_most = _most(total, packets, f"{total} retransmissions of about {packets} packets")
    found.notes.append(
        f"{total} retransmissions of about {data:.0f} packets: they are not losses. A timeout sends "
        "again what had arrived, "
        "and drops of a full queue are among them, so no loss was fitted. A capture of the same transfer tells."
    )


def _most(again: int, packets: int, how: str) -> Estimate:
    """The share of packets that were lost at most: what is lost is sent again."""
    one = loss.share(again, packets, how)
    return replace(one, interval=replace(one.interval, lo=0.0), kind=AT_MOST)


def _udp(found: Evidence, read: Reader, top: dict[str, Any], bins: list[dict[str, Any]]) -> None:
    end = read.table(top.get("end", {}), "end")
    total = read.table(end.get("sum_received") or end.get("sum") or {}, "end.sum")
    if not total.get("packets"):
        known = [one["sum"] for one in bins if one["sum"].get("packets") and "lost_packets" in one["sum"]]
        total = {key: sum(read.number(one[key], key) for one in known) for key in ("packets", "lost_packets")}
    packets = int(read.number(total.get("packets", 0), "packets"))
    lost = int(read.number(total.get("lost_packets", 0), "lost_packets"))
    if packets and lost <= packets:
        found.counted, found.loss_low = (lost, packets, "packets that the receiver missed"), 0.0
    per = [
        (one["sum"]["lost_packets"], one["sum"]["packets"])
        for one in bins
        if one["sum"].get("packets") and "lost_packets" in one["sum"]
    ]
    spread = _dispersion([(read.number(a, "lost_packets"), read.number(b, "packets")) for a, b in per])
    if spread is not None:
        found.notes.append(spread)
    found.notes.append(
        "iperf3 counts losses for each interval, so bursts cannot be fitted. If it sent faster than "
        "the link, losses are "
        "drops of a full queue. Packets that come late count as lost first."
    )
    jitter = read.number(total.get("jitter_ms", 0) or 0, "jitter_ms")
    found.notes.append(
        f"A UDP test has no round-trip times. Its jitter ({jitter:.3f} ms at the end) is a smoothed "
        "difference of delays "
        "(RFC 1889), from which no distribution follows."
    )


def _dispersion(rows: list[tuple[float, float]]) -> str | None:
    """Whether losses of the intervals differ more than independent losses would: the chi-square test of homogeneity."""
    import numpy as np
    from scipy import stats

    table = np.array([(lost, packets - lost) for lost, packets in rows if packets > 0 and lost <= packets]).reshape(
        -1, 2
    )
    if len(table) < 3 or table[:, 0].sum() < 10 or table[:, 1].sum() == 0:
        return None
    chance = float(stats.chi2_contingency(table).pvalue)
    if chance >= 0.01:
        return f"Losses of the intervals differ as independent ones do (p = {chance:.2g})."
    return f"Losses of the intervals differ more than independent ones would (p = {chance:.2g}): they come in bursts."
