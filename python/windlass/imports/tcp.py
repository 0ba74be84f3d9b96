"""What a captured TCP connection shows of its path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError
from windlass.imports import capture as captures
from windlass.imports import delay, loss, queueing, rates
from windlass.imports.capture import Capture, Connection
from windlass.imports.evidence import Evidence, Outcomes, RateOverTime
from windlass.imports.model import INTERVAL, Estimate
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

FULLEST = "what arrived in the fullest second"
FULLEST_S, FULLEST_TRIPS = 1.0, 4.0
"""Length of the window of which the most arrived is no more than the link carries: seconds, and round trips."""

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
    _path(found, view)
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
        place = "receiver" if packets.filled else "sender"
    else:
        place = "receiver" if close > MOSTLY * far else "sender" if far > MOSTLY * close else "middle"
    if place == "receiver":
        # Without timestamps the handshake alone says how long a round trip takes.
        rtt = here if len(here) else np.array([[0.0, close if close is not None else far]])
        arrived = [(times[0], size) for times, size in zip(packets.sent_s, packets.size, strict=True)]
        arrived += [(filled, size) for _, filled, _, size in packets.filled]
    else:
        rtt = there + np.array([0.0, close if place == "middle" and close is not None else 0.0])
        known = zip(answers.delivered_s, packets.size, strict=True)
        arrived = [(time, size) for time, size in known if time is not None]
    if not len(rtt):
        rtt = np.array([[0.0, far + (close or 0.0)]])
    rtt = rtt[np.argsort(rtt[:, 0], kind="stable")]
    arrived.sort(key=lambda one: one[0])
    times = np.array([one[0] for one in arrived], dtype=float)
    sizes = np.array([one[1] for one in arrived], dtype=float)
    least = float(rtt[:, 1].min())
    return View(of, packets, answers, fates(packets, answers, least), place, rtt, times, sizes)


def _first(*values: Any) -> float | None:
    known = [float(one) for one in values if one is not None]
    return min(known) if known else None


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


def _path(found: Evidence, view: View) -> None:
    """Rate, delay, queue and losses."""
    import numpy as np

    dense = rates.of_trains(view.arrived_s, view.size, "")
    size = float(np.median(view.size))
    packet_s = 8.0 * size / dense.value if dense is not None else 0.0
    rtt_s = view.rtt[:, 1]
    shaken = [sum(one for one in view.of.handshake if one is not None)] if None not in view.of.handshake else []
    base = min([float(rtt_s.min()), *(one + packet_s for one in shaken)])
    waits = queueing.Waits(view.rtt[:, 0], np.maximum(rtt_s - base, 0.0))
    least_s = max(3.0 * packet_s, 0.05 * base, 5e-4)
    lost, time_s = view.fates.lost, view.fates.time_s
    met = queueing.drops(waits, time_s, lost, least_s)
    _rate(found, view, waits, least_s, dense, lost if met is None else lost & ~met.met)
    packet_s = 8.0 * size / found.rate.value if found.rate is not None and found.rate.value > 0.0 else 0.0
    how = f"least of {len(rtt_s) + len(shaken)} round trips, less the transmission of a packet"
    found.base_rtt = delay.least(np.maximum(np.concatenate((rtt_s - packet_s, shaken)), 0.0), how)
    where = {
        "sender": "retransmissions less spurious ones",
        "receiver": "holes that were filled after half a round trip or more",
        "middle": "holes that were filled late, and retransmissions less spurious ones",
    }[view.place]
    passed_s = queueing.at_link(time_s, packet_s)
    if met is None:
        found.outcomes = Outcomes(lost, passed_s, where)
        _no_queue(found, waits, time_s, lost, least_s)
    else:
        _full_queue(found, view, waits, met)
        found.outcomes = Outcomes(lost[~met.met], passed_s[~met.met], f"{where}, while the queue was not full")
    _jitter(found, view, packet_s, base)


def _full_queue(found: Evidence, view: View, waits: queueing.Waits, met: queueing.Drops) -> None:
    lost = view.fates.lost
    drops = int(lost[met.met].sum())
    if found.rate is not None:
        times_s = view.fates.time_s[lost & met.met]
        found.queue = queueing.limit(waits, times_s, found.rate, f"median wait with which {drops} losses came")
    found.notes.append(
        f"{drops} of {int(lost.sum())} losses came when packets waited {1e3 * met.full_s:.1f} ms or more, "
        f"{queueing.FULL:.0%} of the longest: they count as drops of a full queue, not as losses of the channel. What "
        "the channel loses is fitted to the packets that were sent at other times."
    )


def _jitter(found: Evidence, view: View, packet_s: float, base_s: float) -> None:
    """Jitter of packets that were sent while less than half a bandwidth-delay product was under way."""
    import numpy as np

    rtt_s = view.rtt[:, 1]
    if view.place != "receiver":
        flight = queueing.under_way(view.rtt[:, 0], view.fates.time_s, view.arrived_s)
        quiet = rtt_s[flight * packet_s <= QUIET * base_s]
        if len(quiet) >= FEWEST_QUIET:
            found.jitter = delay.jitter(quiet, f"{len(quiet)} round trips with less than half of a BDP under way")
            # Packets that were sent together wait for each other.
            if found.jitter is not None and found.jitter.size.value < 3.0 * packet_s:
                found.jitter = None
            if found.jitter is not None:
                found.notes.append(
                    "Jitter contains ACKs that the receiver delayed, and packets that waited for each other."
                )
            return
    if float(np.ptp(rtt_s)) > 3.0 * packet_s:
        found.notes.append("Round trips vary with the connection's own queue, so nothing is known of jitter.")


def _rate(
    found: Evidence,
    view: View,
    waits: queueing.Waits,
    least_s: float,
    dense: Estimate | None,
    lost: NDArray[Any],
) -> None:
    """Rate of the link; `lost` says which transmissions the channel lost."""
    import numpy as np

    rtt_s = view.rtt[:, 1]
    edges = queueing.bin_edges(view.of.duration_s, float(rtt_s.min()))
    if len(edges) < 2:
        edges = np.array([0.0, max(view.of.duration_s, 1e-3)])
    at_s = view.rtt[:, 0] if view.place == "receiver" else view.rtt[:, 0] + rtt_s
    busy = queueing.busy(edges, at_s, waits.wait_s, least_s)
    # What the channel lost had been transmitted before.
    missing_s = view.fates.time_s[lost] + (0.0 if view.place == "receiver" else float(rtt_s.min()))
    carried = np.histogram(view.arrived_s, edges, weights=view.size)[0]
    arrived = 8.0 * carried / float(edges[1] - edges[0])
    carried = carried + np.histogram(missing_s, edges)[0] * float(np.median(view.size))
    width = float(edges[1] - edges[0])
    got = 8.0 * carried / width
    mean = 8.0 * float(view.size.sum()) / view.of.duration_s if view.of.duration_s > 0.0 else float(got.mean())
    found.arrived_bps = mean
    floor = rates.fullest(view.arrived_s, view.size, max(FULLEST_S, FULLEST_TRIPS * float(rtt_s.min())), rtt_s)
    standing = int(busy.sum()) >= queueing.FEWEST_BINS
    even = rates.evenly(*rates.trains(view.arrived_s, view.size), edges, np.where(busy, arrived, np.nan))
    if standing and even:
        bins = f"{int(busy.sum())} of {len(busy)} bins of {1e3 * width:.0f} ms"
        how = f"what arrived or was lost in {bins} in which packets always waited"
        found.rate = rates.mean(got[busy], np.ones(int(busy.sum())), "bit/s", how)
        # The first and the last bin of a queue are not full; its densest trains are no slower than the link.
        if dense is not None and found.rate.interval.hi < dense.value <= rates.EVEN * found.rate.value:
            found.rate = replace(found.rate, interval=replace(found.rate.interval, hi=dense.value))
    elif standing:
        found.rate = rates.at_least(mean, mean, len(got), "what arrived: the link may carry more")
        found.notes.append(
            "Round trips were longer than the least one most of the time, but packets came in clumps: a delay that "
            "varies, a link that changes, or ACKs that were held up, not a queue before a link of one rate that the "
            "sender kept filled. So the rate is a lower bound."
        )
    elif dense is not None and dense.interval.hi <= rates.EVEN * dense.interval.lo:
        how = f"trains of {rates.TRAIN} packets that came one after the other; at least {FULLEST}"
        found.rate = rates.at_least(dense.value, floor, dense.interval.n, how)
        found.notes.append(
            "The sender seldom filled the path, so the rate is that of packets that followed each "
            "other closely. ACKs that "
            "were held up together make it too high, a sender that paces or cross traffic too low. What is sure is a "
            "lower bound."
        )
    else:
        found.rate = rates.at_least(mean, mean, len(got), "what arrived: the link may carry more")
        found.notes.append("The sender seldom filled the path, so the rate is a lower bound.")
    of_link = float(busy.mean()) >= BUSY and even
    found.rates = RateOverTime(edges[:-1], edges[1:], got, of_link, NOISE)


def _no_queue(found: Evidence, waits: queueing.Waits, time_s: NDArray[Any], lost: NDArray[Any], least_s: float) -> None:
    if float(waits.wait_s.max()) < 2.0 * least_s:
        found.notes.append("Packets hardly waited, so nothing is known of the queue.")
        return
    size = "" if found.rate is None else f" of {float(waits.wait_s.max()) * found.rate.value / 8e3:.0f} kB or more"
    found.notes.append(
        f"Packets waited up to {1e3 * float(waits.wait_s.max()):.1f} ms, but losses did not come with "
        "the longest waits: "
        f"there is a queue{size}, its limit is not known."
    )
    if found.rate is not None and found.rate.kind == INTERVAL:
        found.queue_least = float(waits.wait_s.max()) * found.rate.value / 8.0
    if lost.any():
        # What is lost while nothing waits, no queue drops.
        empty = waits.before(time_s) < least_s
        found.loss_low = loss.share(int((lost & empty).sum()), max(int(empty.sum()), 1), "").interval.lo
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
            f"counted when the next one arrives. {view.fates.reordered} packets that came late by "
            "less than half a round trip "
            "count as reordered."
        )
        if not (view.of.acks.timestamp >= 0).any():
            found.notes.append(
                "Without TCP timestamps the receiver's side knows the round-trip time of the handshake only."
            )
    found.notes.append("One connection shows one share of the path: what other traffic took of it is missing.")
    found.notes.append("The delay is taken to be the same both ways, and jitter to be on the way of the data.")
    _damage(found, counts)
    if packets.offloaded:
        found.notes.append(
            f"{packets.offloaded} segments are larger than a packet: the capture was made before the "
            "network card cut them "
            f"(segmentation offload). They are counted as packets of {view.of.mss} B, all sent at the same time."
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
