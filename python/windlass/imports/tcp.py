"""What a captured TCP connection shows of its path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError
from windlass.imports import capture as captures
from windlass.imports import delay, loss, queueing, rates
from windlass.imports.capture import Capture, Connection
from windlass.imports.evidence import Evidence, Outcomes, RateOverTime
from windlass.imports.model import AT_LEAST, AT_MOST, INTERVAL, Estimate
from windlass.imports.transmissions import Answers, Fates, Packets, answers_to, fates, packets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = "capture"

FEWEST = 10
"""Packets of data below which a connection says nothing."""

MOSTLY = 4.0
"""A capture was made near an end if the other part of the round trip takes so many times as long."""

NOISE = 0.25
"""Standard deviation of the rate of bins, as a share of its mean, that a link of constant rate may show."""

QUIET = 0.5
"""Share of the bandwidth-delay product under way up to which a connection makes no queue of its own."""

FEWEST_QUIET = 50
"""Round trips of that kind below which nothing is said about jitter."""

FULLEST, AVERAGE = "what arrived in the fullest second", "what arrived on average"
FULLEST_S, FULLEST_TRIPS = 1.0, 4.0
"""Length of the window of which the most arrived: seconds, and round trips. A longer pause counts as so long."""

SMALL, MOST_OTHERS = 0.01, 50
"""Another connection counts if it carries this share of what the chosen one does; of the largest ones of a file."""

DOUBT = 0.1
"""Share of a wait that may be no queue's, up to which it tells the queue's limit."""

CROWDED = 0.2
"""From which share on others may have kept the queue filled."""

HOST_S = 1e-3
"""A receiver answers within this time, seconds, unless it delays its ACK."""

ASIDE = 0.1
"""What an ACK and the other links take beside, as a share of the transmission of a packet."""

CLUMPED = 4.0
"""Packets that came at the same time, on average, above which those that follow each other say nothing of the link."""

BUSY = 0.8
"""Share of the time in which packets waited, from which on a rate over time is that of the link."""


@dataclass(frozen=True)
class View:
    """A connection with what was made out of it.

    Attributes
    ----------
    place : str
        ``sender``, ``receiver`` or ``middle``: where the capture was made.
    rtt : ndarray of float64, shape (n, 2)
        When a packet was sent, and its round-trip time, seconds.
        Empty if nothing says how long a round trip takes.
    arrived_s, size : ndarray, shape (m,)
        When data arrived, or were acknowledged, seconds; bytes of the packets.
    """

    of: Connection
    packets: Packets
    answers: Answers
    fates: Fates
    place: str
    rtt: NDArray[Any]
    arrived_s: NDArray[Any]
    size: NDArray[Any]

    @property
    def least_s(self) -> float:
        """The least round trip, seconds, 0 if none is known."""
        return float(self.rtt[:, 1].min()) if len(self.rtt) else 0.0

    @property
    def known_s(self) -> NDArray[Any]:
        """When each round trip was over, seconds."""
        at_s: NDArray[Any] = self.rtt[:, 0] if self.place == "receiver" else self.rtt.sum(axis=1)
        return at_s


def evidence(capture: Capture, flow: str | None) -> Evidence:
    """What the largest connection of a capture shows, or the one that is asked for.

    Raises
    ------
    InputError
        If it has too few packets of data, or none of them was acknowledged.
    """
    number = captures.choose(capture, flow)
    of = captures.connection(capture, number)
    view = None if of is None else _view(of)
    if view is None or len(view.packets.start) < FEWEST or len(view.size) < FEWEST:
        raise InputError(
            f"connection {captures.shown(capture, number)} has too few packets of data to say anything",
            code="import.nothing",
            file=capture.file,
            hint=f"capture a transfer of {FEWEST} packets or more, with its ACKs; --flow names another connection",
        )
    found = Evidence(FORMAT)
    _facts(found, capture, number, view)
    _path(found, view, _link(capture, number, view))
    _marks(found, view)
    _limits(found, capture, view)
    back = captures.connection(capture, number, back=True)
    other = None if back is None else _view(back)
    if other is not None and len(other.packets.start) >= 10 * FEWEST and len(other.size):
        found.reverse = Outcomes(other.fates.lost, other.fates.time_s, "data of the other direction")
    return found


def _view(of: Connection) -> View | None:
    import numpy as np

    packets = packets_of(of.data, of.mss)
    if not packets.start:
        return None
    answers = answers_to(packets, of.acks)
    there = np.array([(sent, rtt) for sent, _, rtt, _ in answers.rtt], dtype=float).reshape(-1, 2)
    here = _echoes(of)
    far = _first(there[:, 1].min() if len(there) else None, of.handshake[0])
    close = _first(here[:, 1].min() if len(here) else None, of.handshake[1])
    if far is None:
        return None
    if close is None:
        place = "receiver" if packets.filled or far < HOST_S and _answered_at_once(of) else "sender"
    else:
        place = "receiver" if close > MOSTLY * far else "sender" if far > MOSTLY * close else "middle"
    if place == "receiver":
        # Without timestamps the handshake alone says how long a round trip takes.
        rtt = here if len(here) or close is None else np.array([[0.0, close]])
        arrived = [(times[0], size) for times, size in zip(packets.sent_s, packets.size, strict=True)]
        arrived += [(filled, size) for _, filled, _, size in packets.filled]
    else:
        rtt = there + np.array([0.0, close if place == "middle" and close is not None else 0.0])
        known = zip(answers.delivered_s, packets.size, strict=True)
        arrived = [(time, size) for time, size in known if time is not None]
    if not len(rtt) and place != "receiver":
        rtt = np.array([[0.0, far + (close or 0.0)]])
    rtt = rtt[np.argsort(rtt[:, 0], kind="stable")]
    arrived.sort(key=lambda one: one[0])
    times = np.array([one[0] for one in arrived], dtype=float)
    sizes = np.array([one[1] for one in arrived], dtype=float)
    least = float(rtt[:, 1].min()) if len(rtt) else None
    return View(of, packets, answers, fates(packets, answers, least), place, rtt, times, sizes)


def _first(*values: Any) -> float | None:
    known = [float(one) for one in values if one is not None]
    return min(known) if known else None


def _answered_at_once(of: Connection) -> bool:
    """Whether ACKs follow data sooner than data follow ACKs, as the receiver of data sees it."""
    import numpy as np

    gaps = []
    for first, then in ((of.data.time_s, of.acks.time_s), (of.acks.time_s, of.data.time_s)):
        place = np.searchsorted(first, then, side="right") - 1
        if not (place >= 0).any():
            return False
        gaps.append(float(np.median(then[place >= 0] - first[place[place >= 0]])))
    return gaps[0] < gaps[1]


def _echoes(of: Connection) -> NDArray[Any]:
    """Times from a receiver's timestamp to its first echo in data: the sender's part of the round trip."""
    import numpy as np

    first: dict[int, float] = {}
    for stamp, time_s in zip(of.acks.timestamp.tolist(), of.acks.time_s.tolist(), strict=True):
        if stamp >= 0:
            first.setdefault(stamp, time_s)
    rows = []
    data = of.data.payload > 0
    for echo, time_s in zip(of.data.echo[data].tolist(), of.data.time_s[data].tolist(), strict=True):
        if echo in first and time_s >= first[echo]:
            rows.append((time_s, time_s - first.pop(echo)))
    return np.array(rows, dtype=float).reshape(-1, 2)


def _facts(found: Evidence, capture: Capture, number: int, view: View) -> None:
    of, counts = view.of, capture.counts
    sent = sum(len(times) for times in view.packets.sent_s) + len(view.packets.filled)
    several = f", the largest of {len(capture.connections)}" if len(capture.connections) > 1 else ""
    if several and captures.by_size(capture)[0] != number:
        several = f", of {len(capture.connections)}"
    found.facts += [
        f"TCP from {of.sender} to {of.receiver}{several}",
        (
            f"{of.duration_s:.3f} s, {sent} packets of data of up to {of.mss} B, {len(of.acks.time_s)} ACKs; "
            f"{counts['packets']} packets in the file"
        ),
    ]
    where = {"sender": "near the sender", "receiver": "near the receiver", "middle": "between the ends"}[view.place]
    found.facts.append(f"captured {where}")
    if None not in of.handshake:
        found.facts.append(f"handshake: {1e3 * sum(one for one in of.handshake if one is not None):.3f} ms")


@dataclass(frozen=True)
class Link:
    """What came over the link while a connection lasted: its own data, and those of others in the file.

    Attributes
    ----------
    at_s, size : ndarray of float64, shape (n,)
        In order, seconds since the connection began; bytes.
    own : int
        Bytes of the connection itself.
    beside_s : ndarray of float64, shape (m,), or None
        When data of others came, seconds; before it began, too.
    others : int
        Other connections, as far as they carried a hundredth of what it did.
    same_ends : bool
        Whether all of them are between the same hosts.
    """

    at_s: NDArray[Any]
    size: NDArray[Any]
    own: float = 1.0
    beside_s: Any = None
    others: int = 0
    same_ends: bool = True

    @property
    def beside(self) -> float:
        """What the others carried, as a share of what it did."""
        return float(self.size.sum()) / self.own - 1.0 if self.others else 0.0

    def note(self, counted: bool) -> str:
        """What became of the others."""
        share = f"{self.beside:.2g} times as much as this one"
        several = "Another connection" if self.others == 1 else f"{self.others} other connections"
        what = f"{several} of the file carried {share} the same way at the same time"
        if counted:
            return f"{what}, over the same link: the rate is that of all together."
        return f"{what}, but nothing says that it was over the same link: the rate of this one is a lower bound."


def _link(capture: Capture, number: int, view: View) -> Link:
    """All that went the same way past the capture while a connection lasted."""
    import numpy as np

    own, amounts = float(view.size.sum()), captures.sizes(capture)
    times, sizes, beside, ends = [view.arrived_s], [view.size], [np.zeros(0)], set()
    for other in captures.by_size(capture)[:MOST_OTHERS]:
        # Both directions, the one with more data first.
        sent = sorted(amounts[other], reverse=True)
        for back in (False, True):
            of = (
                captures.connection(capture, other, back=back)
                if other != number and sent[back] >= SMALL * own
                else None
            )
            seen = None if of is None else _view(of)
            if of is None or seen is None or seen.place != view.place:
                continue
            at_s = seen.arrived_s + (of.start_ns - view.of.start_ns) / 1e9
            inside = (at_s >= 0.0) & (at_s <= view.of.duration_s)
            if float(seen.size[inside].sum()) >= SMALL * own:
                times.append(at_s[inside])
                beside.append(at_s)
                sizes.append(seen.size[inside])
                ends.add(tuple(one.rpartition(":")[0] for one in (of.sender, of.receiver)))
    at_s, size = np.concatenate(times), np.concatenate(sizes)
    order = np.argsort(at_s, kind="stable")
    mine = tuple(one.rpartition(":")[0] for one in (view.of.sender, view.of.receiver))
    return Link(at_s[order], size[order], own, np.concatenate(beside), len(times) - 1, ends <= {mine})


@dataclass(frozen=True)
class Bins:
    """Parts of the time.

    Attributes
    ----------
    edges : ndarray of float64, shape (n + 1,)
        Where they begin and end, seconds; all are as long.
    busy : ndarray of bool, shape (n,)
        Those in which packets always waited.
    """

    edges: NDArray[Any]
    busy: NDArray[Any]

    @classmethod
    def of(cls, view: View, waits: queueing.Waits, least_s: float) -> Bins:
        """Those of a connection; who waits no less than `least_s` waits."""
        import numpy as np

        edges = queueing.bin_edges(view.of.duration_s, view.least_s)
        if len(edges) < 2:
            edges = np.array([0.0, max(view.of.duration_s, 1e-3)])
        return cls(edges, queueing.busy(edges, view.known_s, waits.wait_s, least_s))

    @property
    def width(self) -> float:
        """Length of each, seconds."""
        return float(self.edges[1] - self.edges[0])

    def rate(self, at_s: NDArray[Any], size: NDArray[Any] | float) -> NDArray[Any]:
        """Bit/s in each of what came at these times, seconds; bytes."""
        import numpy as np

        got: NDArray[Any] = np.histogram(at_s, self.edges, weights=np.broadcast_to(size, at_s.shape))[0]
        return 8.0 * got / self.width

    def even(self, link: Link) -> bool:
        """Whether packets came evenly in those in which they waited."""
        import numpy as np

        got = np.where(self.busy, self.rate(link.at_s, link.size), np.nan)
        return rates.evenly(*rates.trains(link.at_s, link.size), self.edges, got)

    def in_turn(self, link: Link) -> bool:
        """Whether packets of all connections came evenly, and one after the other, as over one link."""
        import numpy as np

        gaps, size = np.diff(link.at_s), link.size[1:]
        place = np.searchsorted(self.edges, link.at_s[1:], side="right") - 1
        inside = (place >= 0) & (place < len(self.busy))
        inside[inside] = self.busy[place[inside]]
        if not inside.any() or not self.even(link):
            return False
        usual = float(gaps[inside].sum()) / float(size[inside].sum())
        return float(np.quantile(gaps[inside] / (usual * size[inside]), 1.0 - rates.DENSE)) > 1.0 / rates.EVEN


def _marks(found: Evidence, view: View) -> None:
    """Congestion that was marked and not lost."""
    marks = view.of.marks
    if not marks.able and not marks.echoes:
        return
    found.facts.append(
        f"ECN: {marks.able} segments of data that a queue may mark, {marks.marked} marked (CE); {marks.echoes} ACKs that "
        "tell of marks (ECE)"
    )
    if marks.marked or marks.echoes:
        share = f", {marks.marked / marks.able:.2g} of these data" if marks.marked else ""
        found.notes.append(
            f"A queue of the path marks{share}. The queue of the scenario only drops: write one that marks in its place, "
            'such as `queue = { discipline = "codel" }`, and `ecn = true` in `[tcp]`.'
        )


def _path(found: Evidence, view: View, link: Link) -> None:
    """Rate, delay, queue and losses."""
    import numpy as np

    own = Link(view.arrived_s, view.size)
    over = link if link.same_ends else own
    dense = None if _clumped(view) else rates.of_trains(over.at_s, over.size, "")
    size = float(np.median(view.size))
    packet_s = 8.0 * size / dense.value if dense is not None else 0.0
    rtt_s = view.rtt[:, 1]
    shaken = [sum(one for one in view.of.handshake if one is not None)] if None not in view.of.handshake else []
    base = min([*rtt_s.tolist(), *(one + packet_s for one in shaken)], default=0.0)
    waits = queueing.Waits(view.rtt[:, 0], np.maximum(rtt_s - base, 0.0))
    least_s = max(3.0 * packet_s, 0.05 * base, 5e-4)
    if dense is None:
        # What came together had waited for each other.
        together = np.diff(np.append(np.flatnonzero(np.diff(over.at_s, prepend=-1.0)), len(over.at_s)))
        average = rates.average(over.at_s, over.size, FULLEST_S)
        least_s = max(least_s, 8.0 * size * float(np.quantile(together, 0.95)) / average if average else 0.0)
    bins = Bins.of(view, waits, least_s)
    over = link if link.same_ends or view.place != "sender" and bins.in_turn(link) else own
    held = _held(view, over, waits)
    lost, time_s = view.fates.lost, view.fates.time_s
    dark = queueing.outages(time_s, lost, packet_s)
    tried = ((held, 1.5 * size), (waits, least_s)) if len(waits.wait_s) and waits.wait_s.max() >= least_s else ()
    fits = [one for on, least in tried if (one := queueing.drops(on, time_s, lost, least, dark)) is not None]
    met = max(fits, key=lambda one: int((lost & one.met).sum()), default=None)
    _rate(found, view, link, over, bins, dense, lost if met is None else lost & ~met.met)
    packet_s = _delay(found, rtt_s, np.array(shaken), size, dense)
    where = {
        "sender": "retransmissions less spurious ones",
        "receiver": "holes that were filled after half a round trip or more",
        "middle": "holes that were filled late, and retransmissions less spurious ones",
    }[view.place]
    passed_s = queueing.at_link(time_s, packet_s)
    if dark.any():
        found.notes.append(
            f"{int(dark.sum())} losses came in rows that lasted longer than a full queue can drop all: the path was "
            "interrupted. They are losses of the channel."
        )
    if view.fates.late:
        how = "packets that came late: sent again, or out of order"
        most = loss.share(view.fates.late, len(lost), how)
        found.loss_most = replace(most, interval=replace(most.interval, lo=0.0), kind=AT_MOST)
    elif met is None:
        found.outcomes = Outcomes(lost, passed_s, where)
    else:
        found.outcomes = Outcomes(lost[~met.met], passed_s[~met.met], f"{where}, while the queue was not full")
    if found.base_rtt is not None and _crowded(view, link, min(shaken, default=float("inf"))):
        ends = replace(found.base_rtt.interval, lo=0.0)
        found.base_rtt = replace(found.base_rtt, interval=ends, kind=AT_MOST)
        found.notes.append(
            "Other connections sent before the least round trip and may have kept a queue: it may be less."
        )
    rest = lost if met is None else lost & ~met.met
    if rest.any():
        # What is lost while nothing waits, or in an outage, no queue drops.
        empty = (waits.near(time_s) < least_s) | dark
        found.loss_low = loss.share(int((rest & empty).sum()), max(int(empty.sum()), 1), "").interval.lo
    if met is None:
        _no_queue(found, waits, held, least_s, some=bool(rest.any()))
    else:
        _full_queue(found, view, waits, held, met)
    _jitter(found, view, link, packet_s, base)


def _crowded(view: View, link: Link, shaken_s: float) -> bool:
    """Whether other connections sent while the least round trip was taken, or shortly before."""
    if link.beside <= CROWDED:
        return False
    at_s = float(view.known_s[view.rtt[:, 1].argmin()]) if len(view.rtt) and view.least_s < shaken_s else shaken_s
    return bool(((link.beside_s <= at_s) & (link.beside_s >= at_s - FULLEST_S - view.least_s)).any())


def _held(view: View, over: Link, waits: queueing.Waits) -> queueing.Waits:
    """What was in the queue with each packet, bytes."""
    if view.place != "receiver" and view.fates.lost.any() and not view.of.acks.sack:
        # An ACK that fills a hole tells of all that had come meanwhile.
        return replace(waits, wait_s=waits.wait_s * rates.average(over.at_s, over.size, FULLEST_S) / 8.0)
    return waits.in_bytes(view.known_s, over.at_s, over.size)


def _clumped(view: View) -> bool:
    """Whether times between packets are those of a host: segments that its card had joined, ACKs of many packets."""
    import numpy as np

    joined = view.place != "sender" and bool(view.packets.offloaded)
    return joined or len(view.size) > CLUMPED * len(np.unique(view.arrived_s))


def _delay(found: Evidence, rtt_s: NDArray[Any], shaken: NDArray[Any], size: float, dense: Estimate | None) -> float:
    """The base RTT, if there is one; how long the link takes for a packet, seconds, 0 if that is not known."""
    import numpy as np

    rate = found.rate
    if rate is None or rate.value <= 0.0:
        return 0.0
    densest = 0.0 if dense is None else dense.value
    known = rate.kind == INTERVAL or rate.value == densest
    packet_s = 8.0 * size / max(rate.value, densest) if known else 0.0
    trips = np.concatenate((rtt_s - packet_s, shaken))
    trips = trips[trips > 0.0]
    if not len(trips):
        found.notes.append("No round trip was longer than a packet takes, or none was seen, so the delay is not known.")
        return packet_s
    how = f"least of {len(trips)} round trips" + (", less the transmission of a packet" if packet_s else "")
    base = delay.least(trips, how)
    # A link of no known rate may take as long for a packet as what arrived allows.
    unknown = rate.interval.lo > 0.0 and float(trips.min()) not in shaken
    slowest = 8.0 * size / rate.interval.lo if unknown else packet_s
    low = max(base.interval.lo - max(slowest - packet_s, ASIDE * packet_s), 0.0)
    # Nor does the least of delays that vary show where they begin, if packets stay in order.
    spread_s = max(delay.unsteadiness(rtt_s) - packet_s, 0.0)
    ends = replace(base.interval, lo=max(low - spread_s, 0.0), hi=base.interval.hi + rates.SPREAD * spread_s)
    found.base_rtt = replace(base, interval=ends)
    return packet_s


def _full_queue(found: Evidence, view: View, waits: queueing.Waits, held: queueing.Waits, met: queueing.Drops) -> None:
    import numpy as np

    lost = view.fates.lost
    times_s = view.fates.time_s[lost & met.met]
    # A delay that varies by itself makes the least round trip too short, and that of a packet as much too long.
    longer_s = found.base_rtt.interval.hi - found.base_rtt.value if found.base_rtt is not None else 0.0
    doubt = 2.0 * longer_s / float(np.median(waits.near(times_s)))
    if doubt <= DOUBT:
        known = [one is not None and one.kind == INTERVAL for one in (found.rate, found.base_rtt)]
        kind = INTERVAL if all(known) else AT_LEAST
        how = f"what waited when {len(times_s)} packets were dropped, median"
        found.queue = queueing.limit(held, times_s, doubt, kind, how)
    else:
        found.notes.append("The delay varies by itself, too, so the queue's limit is not known.")
    found.notes.append(
        f"{len(times_s)} of {int(lost.sum())} losses came when packets waited "
        f"{1e3 * float(np.min(waits.near(times_s))):.1f} ms or more, the queue being full to {queueing.FULL:.0%} or "
        "more: they count as drops of a full queue, not as losses of the channel. What the channel loses is fitted to "
        "the packets that were sent at other times."
    )


def _jitter(found: Evidence, view: View, link: Link, packet_s: float, base_s: float) -> None:
    """Jitter of packets that were sent while less than half a bandwidth-delay product was under way."""
    import numpy as np

    rtt_s = view.rtt[:, 1]
    if link.beside > CROWDED:
        found.notes.append("Round trips vary with the queue of other connections, so nothing is known of jitter.")
        return
    if view.place != "receiver":
        flight = queueing.under_way(view.rtt[:, 0], view.fates.time_s, view.arrived_s)
        rate = 0.0 if found.rate is None else found.rate.value
        quiet = rtt_s[8.0 * flight * float(np.median(view.size)) <= QUIET * base_s * rate]
        if len(quiet) >= FEWEST_QUIET:
            found.jitter = delay.jitter(quiet, f"{len(quiet)} round trips with less than half of a BDP under way")
            # Packets that were sent together wait for each other.
            if found.jitter is not None and found.jitter.size.value < 3.0 * packet_s:
                found.jitter = None
            if found.jitter is not None:
                found.notes.append(
                    "Jitter contains ACKs that the receiver delayed, and packets that waited for each other: it may be "
                    "less."
                )
                found.base_rtt = delay.about(found.base_rtt, found.jitter, quiet - packet_s)
                size = found.jitter.size
                ends = replace(size.interval, lo=0.0)
                found.jitter = replace(found.jitter, size=replace(size, interval=ends, kind=AT_MOST))
            return
    if len(rtt_s) and float(np.ptp(rtt_s)) > 3.0 * packet_s:
        found.notes.append("Round trips vary with the connection's own queue, so nothing is known of jitter.")


def _rate(
    found: Evidence,
    view: View,
    link: Link,
    over: Link,
    bins: Bins,
    dense: Estimate | None,
    lost: NDArray[Any],
) -> None:
    """Rate of the link, over which `over` went; `lost` says which transmissions the channel lost."""
    import numpy as np

    busy = bins.busy
    # What the channel lost had been transmitted before.
    missing_s = view.fates.time_s[lost] + (0.0 if view.place == "receiver" else view.least_s)
    got, missing = bins.rate(over.at_s, over.size), bins.rate(missing_s, float(np.median(view.size)))
    window_s = max(FULLEST_S, FULLEST_TRIPS * view.least_s)
    found.arrived_bps = rates.average(over.at_s, over.size, window_s)
    fullest = max(rates.fullest(over.at_s, over.size, window_s, view.rtt[:, 1]), found.arrived_bps)
    standing = int(busy.sum()) >= queueing.FEWEST_BINS
    apart = link.others > over.others
    together = apart and standing and bins.even(link)
    if standing and (together or bins.even(over)):
        share = f"{int(busy.sum())} of {len(busy)} bins of {1e3 * bins.width:.0f} ms"
        how = f"what arrived or was lost in {share} in which packets always waited"
        all_ = bins.rate(link.at_s, link.size) if together else got
        passed, sent = (rates.mean(one[busy], np.ones(int(busy.sum())), "bit/s", how) for one in (all_, all_ + missing))
        # Of what was lost nobody knows whether the link had carried it before.
        found.rate = replace(sent, interval=replace(sent.interval, lo=min(passed.interval.lo, sent.interval.lo)))
        # The first and the last bin of a queue are not full; its densest trains are no slower than the link.
        if dense is not None and found.rate.interval.hi < dense.value <= rates.EVEN * found.rate.value:
            found.rate = replace(found.rate, interval=replace(found.rate.interval, hi=dense.value))
        if busy.mean() < BUSY:
            found.notes.append("What the link carried while packets did not wait is taken to be the same.")
        if apart:
            found.rate = rates.at_least(found.rate.value, found.arrived_bps, len(got), how)
    elif standing:
        # If the link's rate varies, it carries less on average than in the fullest second.
        found.rate = rates.at_least(fullest, found.arrived_bps, len(got), f"{FULLEST}; at least {AVERAGE}")
        found.notes.append(
            "Round trips were longer than the least one most of the time, but packets came in clumps: a delay that "
            "varies, a link whose rate does, or ACKs that were held up, not a queue that the sender kept filled. So the "
            "rate is a lower bound."
        )
    elif dense is not None and dense.interval.hi <= rates.EVEN * dense.interval.lo:
        how = f"trains of {rates.TRAIN} packets that came one after the other; at least {FULLEST}"
        found.rate = rates.at_least(dense.value, fullest, dense.interval.n, how)
        found.notes.append(
            "The sender seldom filled the path, so the rate is that of packets that followed each "
            "other closely. ACKs that "
            "were held up together make it too high, a sender that paces or cross traffic too low. What is sure is a "
            "lower bound."
        )
    else:
        found.rate = rates.at_least(fullest, found.arrived_bps, len(got), f"{FULLEST}: the link may carry more")
        found.notes.append("The sender seldom filled the path, so the rate is a lower bound.")
    if link.others:
        found.notes.append(link.note(counted=not apart))
    got = got + missing
    of_link = float(busy.mean()) >= BUSY and found.rate.kind == INTERVAL
    if of_link:
        # Nothing is known of the link while nothing waits: it carries what it did before.
        place = np.maximum.accumulate(np.where(busy, np.arange(len(busy)), 0))
        got = got[np.where(busy[place], place, int(np.argmax(busy)))]
    found.rates = RateOverTime(bins.edges[:-1], bins.edges[1:], got, of_link, NOISE)


def _no_queue(found: Evidence, waits: queueing.Waits, held: queueing.Waits, least_s: float, *, some: bool) -> None:
    """No queue dropped, as far as can be seen; `some` were lost."""
    if not len(waits.wait_s):
        found.notes.append("Nothing says how long packets waited, so nothing is known of the queue.")
        return
    most_s = float(waits.wait_s.max())
    if most_s < 2.0 * least_s:
        found.notes.append("Packets hardly waited, so nothing is known of the queue.")
        return
    if found.rate is not None and found.rate.kind == INTERVAL:
        found.queue_least = float(held.wait_s.max())
        what = f"there is a queue of {found.queue_least / 1e3:.0f} kB or more, its limit is not known"
    else:
        what = "that may be a queue or a delay that varies, and a queue's limit is not known"
    found.notes.append(
        f"Packets waited up to {1e3 * most_s:.1f} ms, but losses did not come with the longest waits: {what}."
    )
    if some:
        found.notes.append(
            "So all losses count as losses of the channel. A path that was full all the time, or a "
            "queue that drops before "
            "it is full (RED, CoDel, PIE), would look the same; the lower end is what was lost while nothing waited."
        )


def _limits(found: Evidence, capture: Capture, view: View) -> None:
    """What this capture cannot tell."""
    counts, packets = capture.counts, view.packets
    if view.place == "sender":
        found.notes.append(
            f"Seen from the sender, a loss is a packet that was sent again. {view.fates.spurious} "
            "that arrived all the same "
            "(duplicate SACKs, ACKs that came too soon) do not count; reordering that no SACK reports would."
        )
    elif view.place == "receiver":
        found.notes.append(
            "Seen from the receiver, retransmissions that were lost again leave no trace, and "
            "packets that were lost are "
            "counted when the next one arrives. "
            + (
                f"{view.fates.late} packets that came late may have been sent again, or be out of order: without a round "
                "trip nobody can tell."
                if view.fates.late
                else f"{view.fates.reordered} packets that came late by less than half a round trip count as reordered."
            )
        )
        if not (view.of.acks.timestamp >= 0).any():
            found.notes.append(
                "Without TCP timestamps the receiver's side knows the round-trip time of the handshake only"
                + ("." if len(view.rtt) else ", which is not in the file.")
            )
    found.notes.append("What traffic that is not in the file took of the path is missing.")
    found.notes.append("The delay is taken to be the same both ways, and jitter to be on the way of the data.")
    _damage(found, counts)
    if packets.offloaded:
        why = (
            "the capture was made before the network card cut them (segmentation offload)"
            if view.place == "sender"
            else "the host or its card had joined them (GRO, LRO), so the times between packets are lost"
        )
        found.notes.append(
            f"{packets.offloaded} segments are larger than a packet: {why}. They are counted as packets of {view.of.mss} "
            "B, all at the same time."
        )
    if packets.copies:
        found.notes.append(
            f"{packets.copies} packets stand in the file twice, with the same IP identification; once counts."
        )
    if packets.unseen:
        found.notes.append(
            f"Holes in the data that were never filled: {packets.unseen}. The capture has missed packets, or ended before."
        )


def _damage(found: Evidence, counts: dict[str, Any]) -> None:
    if counts["cut"]:
        found.notes.append("The file ends in the middle of a packet; what is before that was used.")
    if counts["broken"]:
        found.notes.append("The file is damaged behind the last packet that was read; what is before that was used.")
    if counts["missed"]:
        found.notes.append(
            f"The capturing machine says that it missed {counts['missed']} packets: they look like losses."
        )
    if counts["truncated"]:
        found.notes.append(f"{counts['truncated']} packets were not captured whole; their headers give their sizes.")
    if counts["short"]:
        found.notes.append(f"Of {counts['short']} packets not even the TCP header was captured; they are missing.")
    if counts["fragments"]:
        found.notes.append(f"{counts['fragments']} fragments of IP packets were passed over.")
    if counts["untimed"]:
        found.notes.append(f"{counts['untimed']} packets without a time were passed over.")
