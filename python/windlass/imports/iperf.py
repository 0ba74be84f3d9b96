"""Output of `iperf3 -J` or `iperf3 --json-stream`, of a TCP or a UDP test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from windlass.errors import InputError
from windlass.imports import delay, loss, rates
from windlass.imports.evidence import Evidence, RateOverTime
from windlass.imports.model import AT_MOST, Estimate
from windlass.imports.shapes import HEADERS, PACKET, Documents, Reader, chosen, listed

FORMAT = "iperf3"

WHAT = "the output of `iperf3 -J` or `iperf3 --json-stream`"

REVERSE = "_bidir_reverse"
"""End of the names of sums of what `--bidir` sends from the server."""

OVERFLOW = 0.05
"""Share of UDP packets above which losses are not taken for the channel's: the test sent faster than the link."""

CHANCE = 0.01
"""Significance at which losses of intervals differ more, or less, than independent ones."""


def looks_like(document: Any) -> bool:
    """Whether a JSON document is one of iperf3."""
    return isinstance(document, dict) and "intervals" in document and ("start" in document or "end" in document)


@dataclass(frozen=True)
class _Test:
    """One test of a file: its document, and the line at which it begins."""

    line: int
    top: dict[str, Any]


@dataclass(frozen=True)
class _Way:
    """One direction of a test.

    `suffix` is that of its sums' names. Intervals count what was sent if `sent`, and what arrived if not.
    """

    suffix: str
    bins: list[dict[str, Any]]
    sent: bool
    to_server: bool

    @property
    def words(self) -> str:
        """To or from the server."""
        return "to the server" if self.to_server else "from the server"

    @property
    def length_s(self) -> float:
        """Time that the intervals cover."""
        return float(sum(one["end"] - one["start"] for one in self.bins))

    @property
    def mean_bps(self) -> float:
        """What the intervals count, on average."""
        return float(sum(one["bits_per_second"] * (one["end"] - one["start"]) for one in self.bins)) / self.length_s


def tests(held: Documents, file: str) -> list[_Test]:
    """Tests of a file: whole documents, or the parts that `--json-stream` prints as they come, a line for each.

    Raises
    ------
    InputError
        If a line in the middle of a stream cannot be read.
    """
    found: list[_Test] = []
    streamed = False
    for line, value in held.whole:
        if not isinstance(value, dict) or "event" not in value:
            found += [_Test(line, value)] if looks_like(value) else []
            continue
        kind, data = value["event"], value.get("data")
        if kind == "start" or not streamed:
            found.append(_Test(line, {"intervals": []}))
        streamed = True
        if kind == "interval":
            found[-1].top["intervals"].append(data)
        elif kind in ("start", "end", "error"):
            found[-1].top[kind] = data
    broken = [one for one in held.halves if one < held.whole[-1][0]] if streamed else []
    if broken:
        raise InputError(
            "not JSON", code="import.broken", file=file, line=broken[0], hint=f"give {WHAT} as it was printed"
        )
    return found


def evidence(held: Documents, file: str, flow: str | None) -> Evidence:
    """Rate over time, round-trip times of a TCP sender, losses of a UDP receiver.

    Raises
    ------
    InputError
        If no test got anywhere, or the document lacks what it needs.
    """
    read = Reader(file, WHAT)
    all_tests = tests(held, file)
    known = {}
    for one in all_tests:
        start = read.table(one.top.get("start", {}), "start")
        test = read.table(start.get("test_start", {}), "start.test_start")
        for way in _ways(read, one.top, start, test):
            name = f"line {one.line}: {test.get('protocol', 'TCP')} {way.words}, {way.length_s:.1f} s"
            known[f"{name}, {way.mean_bps / 1e6:.4g} Mbps"] = (one, way, test)
    if not known:
        said = [str(one.top["error"])[:200] for one in all_tests if "error" in one.top]
        raise InputError(
            f"iperf3 failed: {said[0]}" if said else "has no interval that counts",
            code="import.nothing",
            file=file,
            hint="run a test of several seconds" + (" again" if said else ""),
        )
    order = sorted(known, key=lambda name: -known[name][1].mean_bps * known[name][1].length_s)
    name = chosen(order, flow, file, "tests or directions")
    one, way, test = known[name]
    found = Evidence(FORMAT)
    _other_tests(found, held, all_tests, one, [other for other in order if other != name])
    _directions(found, one, way, [known[other] for other in order if other != name])
    protocol = str(test.get("protocol", "TCP"))
    streams = int(read.number(test.get("num_streams", 1), "start.test_start.num_streams"))
    found.facts.append(
        f"iperf3, {protocol} {way.words}, streams: {streams}, {len(way.bins)} intervals, {way.length_s:.1f} s"
    )
    _rates(found, read, one.top, way)
    if protocol.upper() == "UDP":
        _udp(found, read, one.top, way)
    else:
        _tcp(found, read, one.top, way)
    found.notes.append("The delay is taken to be the same both ways.")
    if "error" in one.top:
        found.notes.append(
            f"The test ended with an error ({str(one.top['error'])[:200]}): its intervals are used as far as they go."
        )
    return found


def _ways(read: Reader, top: dict[str, Any], start: dict[str, Any], test: dict[str, Any]) -> list[_Way]:
    """Directions that have intervals which count: both of `--bidir`."""
    server = "accepted_connection" in start
    found = []
    for suffix in ("", REVERSE):
        bins = _bins(read, top, f"sum{suffix}")
        if bins:
            sent = bins[0]["sum"].get("sender")
            if not isinstance(sent, bool):
                sent = bool(test.get("reverse")) == server
            found.append(_Way(suffix, bins, sent, sent != server))
    return found


def _bins(read: Reader, top: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Sums of the intervals that count, with their streams."""
    found = []
    for number, each in enumerate(read.rows(top.get("intervals"), "intervals")):
        place = f"intervals[{number}]"
        row = read.table(each, place)
        if name not in row and name != "sum":
            continue
        total = read.table(row.get(name), f"{place}.{name}")
        if total.get("omitted"):
            continue
        own = {key: read.number(total.get(key), f"{place}.{name}.{key}") for key in ("start", "end", "bits_per_second")}
        # What is left of a second at the end is no interval.
        if own["end"] - own["start"] < 0.05:
            continue
        streams = [read.table(one, f"{place}.streams") for one in read.rows(row.get("streams", []), f"{place}.streams")]
        found.append({**own, "sum": total, "streams": streams})
    return found


def _other_tests(found: Evidence, held: Documents, tests: list[_Test], one: _Test, others: list[str]) -> None:
    """Say what else the file holds."""
    if len(tests) > 1:
        rest = [each for each in others if not each.startswith(f"line {one.line}:")]
        failed = len(tests) - 1 - len({each.partition(":")[0] for each in rest})
        none = f"; {failed} have no interval that counts" if failed else ""
        found.notes.append(
            f"The file has {len(tests)} tests; the one of line {one.line} is used. Not used: {listed(rest) or 'others'}"
            f"{none}. `--flow` chooses another."
        )
    if held.beside:
        found.notes.append(f"Not used: lines around the JSON: {listed(held.beside)}.")
    if held.halves:
        found.notes.append(f"Not used: what begins in line {held.halves[0]}, which is not whole.")


def _directions(found: Evidence, one: _Test, way: _Way, others: list[tuple[_Test, _Way, dict[str, Any]]]) -> None:
    """Say what the same test carried the other way."""
    for test, other, _ in others:
        if test is one and other is not way:
            found.notes.append(
                f"The test went both ways: {other.words} it counted {other.mean_bps / 1e6:.4g} Mbps. The scenario has "
                "one direction only, the one that carried more; `--flow` chooses the other one."
            )


def _arrived(read: Reader, top: dict[str, Any], way: _Way) -> float | None:
    """What arrived per second: the receiver's count, or what was sent less what a UDP receiver missed.

    None if only the sender's count is there, which has what its buffers and the queue still held.
    """
    if not way.sent:
        return way.mean_bps
    end = read.table(top.get("end", {}), "end")
    got = read.table(end.get(f"sum_received{way.suffix}") or {}, "end.sum_received")
    total = read.table(end.get(f"sum{way.suffix}") or got, "end.sum")
    said = read.number(got.get("bits_per_second") or 0, "end.sum_received.bits_per_second")
    if said:
        return said
    packets, lost = (read.number(total.get(key) or 0, f"end.sum.{key}") for key in ("packets", "lost_packets"))
    return way.mean_bps * (1.0 - lost / packets) if packets and lost <= packets else None


def _rates(found: Evidence, read: Reader, top: dict[str, Any], way: _Way) -> None:
    import numpy as np

    bins = way.bins
    start, end, rate = (np.array([one[key] for one in bins]) for key in ("start", "end", "bits_per_second"))
    arrived = _arrived(read, top, way)
    how = f"mean of {len(bins)} intervals: what the test got; the link may carry more"
    if way.sent and arrived is not None:
        how = "what the receiver counted: what the test got; the link may carry more"
        found.notes.append(
            f"The rate is what arrived ({arrived / 1e6:.4g} Mbps). The sender counted {way.mean_bps / 1e6:.4g} Mbps: "
            "what was lost, and what its buffers and the queue still held, are in it."
        )
        rate = rate * (arrived / way.mean_bps) if way.mean_bps else rate
    elif way.sent:
        found.notes.append(
            "Only the sender's count is there: what its buffers and the queue still held at the end is in it."
        )
    mean = rates.mean(rate, end - start, "bit/s", how)
    found.rates = RateOverTime(start, end, rate, of_link=False)
    found.arrived_bps = arrived
    floor = max(min(mean.interval.lo, mean.value - _held(read, way)), 0.0) if arrived is None else arrived
    link = _standing(read, bins)
    if link is not None:
        # The fullest second went through the link, give or take a packet; in the first one buffers fill.
        fullest = float((rate + 8.0 * PACKET / (end - start))[len(rate) > 2 :].max())
        most = HEADERS * max(mean.interval.hi, fullest, link)
        found.rate = replace(mean, interval=replace(mean.interval, lo=min(mean.interval.lo, floor), hi=most))
    else:
        found.rate = rates.at_least(mean.value, floor, len(bins), how)
    found.notes.append(
        "A test gets what its sender makes of the path: the link's rate is this or more. Headers are not counted: with "
        "1448 B of data in 1500 B the link carries 3.6 % more."
    )


def _held(read: Reader, way: _Way) -> float:
    """Bits per second that a sender had counted and still held at the end: twice its windows, as buffers grow."""
    windows = [
        sum(read.number(stream["snd_cwnd"], "snd_cwnd") for stream in one["streams"] if stream.get("snd_cwnd"))
        for one in way.bins
    ]
    return 8.0 * 2.0 * max(windows, default=0.0) / way.length_s


def _standing(read: Reader, bins: list[dict[str, Any]]) -> float | None:
    """Bits of data per second of the link, if windows and round trips of a single TCP sender show a queue that stood.

    A window per round trip, the median of them.
    """
    import numpy as np

    from windlass.imports import queueing

    pairs = [
        (read.number(stream["snd_cwnd"], "snd_cwnd"), read.number(stream["rtt"], "rtt"))
        for one in bins
        if len(one["streams"]) == 1
        for stream in one["streams"]
        if stream.get("snd_cwnd") and stream.get("rtt")
    ]
    if not pairs:
        return None
    window, rtt_us = np.array(pairs, dtype=float).T
    return float(np.median(8e6 * window / rtt_us)) if queueing.fills(window, rtt_us) else None


def _tcp(found: Evidence, read: Reader, top: dict[str, Any], way: _Way) -> None:
    import numpy as np

    bins = way.bins
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


def _udp(found: Evidence, read: Reader, top: dict[str, Any], way: _Way) -> None:
    bins = way.bins
    end = read.table(top.get("end", {}), "end")
    total = read.table(end.get(f"sum_received{way.suffix}") or end.get(f"sum{way.suffix}") or {}, "end.sum")
    known = [one["sum"] for one in bins if one["sum"].get("packets") and "lost_packets" in one["sum"]]
    rows = [(read.number(one["lost_packets"], "lost_packets"), read.number(one["packets"], "packets")) for one in known]
    if not total.get("packets"):
        total = {**total, "packets": sum(row[1] for row in rows), "lost_packets": sum(row[0] for row in rows)}
    packets = int(read.number(total.get("packets", 0), "packets"))
    lost = int(read.number(total.get("lost_packets", 0), "lost_packets"))
    spread, alike = _dispersion(rows)
    if packets and lost <= packets:
        how = "packets that the receiver missed"
        if alike or lost > OVERFLOW * packets:
            found.loss_most = _most(lost, packets, how)
            found.notes.append(
                f"The receiver missed {lost} of {packets} packets. A test that sends faster than the link loses so "
                "much to a full queue: no loss of the channel was fitted, and which part is one is not known."
            )
        else:
            found.counted, found.loss_low = (lost, packets, how), 0.0
    else:
        found.notes.append("The file does not say how many packets arrived: nothing is known of losses.")
    found.notes += [spread] if spread is not None else []
    found.notes.append(
        "iperf3 counts losses for each interval, so bursts cannot be fitted. If it sent faster than the link, losses "
        "are drops of a full queue. Packets that come late count as lost first."
    )
    jitter = read.number(total.get("jitter_ms", 0) or 0, "jitter_ms")
    found.notes.append(
        f"A UDP test has no round-trip times. Its jitter ({jitter:.3f} ms at the end) is a smoothed "
        "difference of delays "
        "(RFC 1889), from which no distribution follows."
    )


def _dispersion(rows: list[tuple[float, float]]) -> tuple[str | None, bool]:
    """How losses of the intervals differ from independent ones, in words, and whether they differ less.

    The chi-square test of homogeneity, with both tails. A queue that overflows passes the same number in each interval.
    """
    import numpy as np
    from scipy import stats

    table = np.array([(lost, packets - lost) for lost, packets in rows if packets > 0 and lost <= packets]).reshape(
        -1, 2
    )
    if len(table) < 3 or table[:, 0].sum() < 10 or table[:, 1].sum() == 0:
        return None, False
    result = stats.chi2_contingency(table)
    more, less = float(result.pvalue), float(stats.chi2.cdf(result.statistic, result.dof))
    named = "Losses of the intervals differ"
    if more < CHANCE:
        return f"{named} more than independent ones would (p = {more:.2g}): they come in bursts.", False
    if less < CHANCE:
        return f"{named} less than independent ones would (p = {less:.2g}): a full queue drops so.", True
    return f"{named} as independent ones do (p = {more:.2g}).", False
