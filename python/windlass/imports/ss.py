"""Logs of `ss -ti`: the state of a TCP sender, again and again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from windlass.errors import InputError
from windlass.imports import dates, delay, queueing, rates
from windlass.imports.evidence import Evidence, RateOverTime
from windlass.imports.shapes import chosen, listed

FORMAT = "ss"

_STATE = re.compile(
    r"(?:[a-z]\w*\s+)?(?:(?P<state>ESTAB|FIN-WAIT-[12]|CLOSE-WAIT|CLOSING|LAST-ACK|SYN-SENT|SYN-RECV)\s+)?"
    r"\d+\s+\d+\s+(?P<local>\S+:\w+)\s+(?P<peer>\S+:\w+)(?!\S)(?P<rest>.*)"
)
"""The line of a connection; without its state, as `ss state established` prints it."""

_HEAD = re.compile(r"(?:State|Recv-Q)\s+")
_PAIR = re.compile(r"(?<!\S)(?P<name>[a-z_]+):(?P<value>\S+)")
_SPACED = re.compile(r"(?<!\S)(?P<name>delivery_rate|pacing_rate|send) (?P<value>[\d.]+[KMG]?bps)")
_TIME = re.compile(r"#?\s*(?P<whole>\d{9,11}|\d{13}|\d{16}|\d{19})(?:[.,](?P<part>\d+))?\s*$")
_RATE = re.compile(r"(?P<number>[\d.]+)(?P<prefix>[KMG]?)bps")

PREFIX = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9}


@dataclass(frozen=True)
class _Sample:
    """One look at a connection."""

    time_s: float | None
    ends: str
    values: dict[str, str]
    app_limited: bool

    def number(self, name: str) -> float | None:
        """The number under a name: of pairs the last."""
        return _number(self.values.get(name, "").rpartition("/")[2])

    def rate(self) -> float | None:
        """`delivery_rate` in bit/s."""
        match = _RATE.fullmatch(self.values.get("delivery_rate", ""))
        value = None if match is None else _number(match["number"])
        return None if match is None or value is None else value * PREFIX[match["prefix"]]


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0.0 <= value < 1e18 else None


def looks_like(text: str) -> bool:
    """Whether a text is a log of ss."""
    lines = text.splitlines()[:200]
    return any(_STATE.match(line.strip()) for line in lines) and any(" cwnd:" in line for line in lines)


def evidence(text: str, file: str, flow: str | None) -> Evidence:
    """Rate, least delay and retransmissions of the connection that sent most, or of the one asked for.

    Raises
    ------
    InputError
        If there is no such connection, or none with the details of `-i`.
    """
    samples = _samples(text)
    groups: dict[str, list[_Sample]] = {}
    for one in samples:
        groups.setdefault(one.ends, []).append(one)
    if not groups:
        raise InputError(
            "no connection in it has the details that `-i` shows",
            code="import.nothing",
            file=file,
            hint="log them with: while sleep 0.2; do date +%s.%N; ss -tin dst HOST; done > FILE",
        )
    order = sorted(groups, key=lambda ends: (-max(one.number("bytes_acked") or 0.0 for one in groups[ends]), ends))
    ends = chosen(order, flow, file, "connections")
    found = _of(groups[ends], ends, len(groups))
    if len(groups) > 1:
        found.notes.append(f"Not used: the connections {listed([one for one in order if one != ends])}.")
    return found


def _samples(text: str) -> list[_Sample]:
    """Looks in the order of the log; a connection's details may be on the line of its ends or on those below."""
    found: list[_Sample] = []
    time_s: float | None = None
    ends: str | None = None
    details = ""

    def close() -> None:
        values = {one["name"]: one["value"] for one in _PAIR.finditer(details)}
        values |= {one["name"]: one["value"] for one in _SPACED.finditer(details)}
        if ends is not None and ("rtt" in values or "cwnd" in values):
            found.append(_Sample(time_s, ends, values, " app_limited" in details))

    for line in [*text.splitlines(), ""]:
        stripped = line.strip()
        at = _time(stripped)
        match = _STATE.match(stripped)
        if match or at is not None or not stripped or _HEAD.match(stripped):
            close()
            ends, details = None, ""
            time_s = at if at is not None else time_s
            if match:
                ends, details = f"{match['local']} - {match['peer']}", f" {match['rest']}"
        else:
            details += f" {stripped}"
    return found


def _time(line: str) -> float | None:
    """A line that is a time and nothing else: seconds since 1970, with digits below them or not, or a date."""
    if match := _TIME.match(line):
        whole, part = match["whole"], match["part"] or ""
        return float(f"{whole[:10]}.{whole[10:]}{part}") if len(whole) > 11 else float(f"{whole}.{part}")
    date = dates.parse(line.strip("#=- \t"))
    return None if date is None else date.time_s


def _of(samples: list[_Sample], ends: str, connections: int) -> Evidence:
    import numpy as np

    found = Evidence(FORMAT)
    several = f", one of {connections}" if connections > 1 else ""
    found.facts.append(f"ss, {ends}{several}, {len(samples)} samples")
    _rate(found, samples)
    least = [value / 1e3 for one in samples if (value := one.number("minrtt"))]
    smooth = [value / 1e3 for one in samples if (value := _number(one.values.get("rtt", "").partition("/")[0]))]
    if least or smooth:
        rtt = np.array(least or smooth)
        how = (
            "`minrtt`, the kernel's least of the last minutes"
            if least
            else f"least of {len(smooth)} smoothed round trips"
        )
        found.base_rtt = delay.least(np.unique(rtt), how, 1e-6) if least else delay.at_most(rtt, how, 1e-6)
    if smooth and found.base_rtt is not None:
        found.notes.append(
            f"`rtt` is smoothed and contains the sender's own queue (up to {1e3 * max(smooth):.1f} "
            "ms): neither jitter nor "
            "the limit of the queue can be told from it."
        )
    _losses(found, samples)
    found.notes.append("The delay is taken to be the same both ways.")
    return found


def _rate(found: Evidence, samples: list[_Sample]) -> None:
    import numpy as np

    timed = [(one.time_s, value) for one in samples if one.time_s is not None and (value := one.number("bytes_acked"))]
    steps = [(a, b) for a, b in pairwise(timed) if b[0] > a[0] and b[1] >= a[1]]
    if len(steps) >= 2:
        start, end = np.array([a[0] for a, _ in steps]), np.array([b[0] for _, b in steps])
        got = np.array([8.0 * (b[1] - a[1]) for a, b in steps]) / (end - start)
        how = f"`bytes_acked` between {len(steps) + 1} samples: what the sender got; the link may carry more"
        found.rate = rates.mean(got, end - start, "bit/s", how)
        found.arrived_bps = float((got * (end - start)).sum() / (end - start).sum())
        if not _standing(samples):
            found.rate = rates.at_least(found.rate.value, found.arrived_bps, len(steps), how)
        found.rates = RateOverTime(start - start[0], end - start[0], got, of_link=False)
        return
    found.notes.append("Samples have no times (`date +%s.%N` before each `ss` gives them).")
    sampled = [value for one in samples if (value := one.rate())]
    free = [value for one in samples if (value := one.rate()) and not one.app_limited]
    if free or sampled:
        values = np.array(free or sampled)
        how = f"mean of {len(values)} samples of `delivery_rate`"
        found.rate = rates.mean(values, np.ones(len(values)), "bit/s", how)
        if not free or not _standing(samples):
            found.rate = rates.at_least(found.rate.value, float(values.min()), len(values), how)
    if sampled and not free:
        found.notes.append(
            "The sender had too little data to send (app_limited) in all samples: the link carries more."
        )


def _standing(samples: list[_Sample]) -> bool:
    """Whether windows and round trips show that the sender kept a queue filled."""
    import numpy as np

    rows = [(one.number("cwnd"), _number(one.values.get("rtt", "").partition("/")[0])) for one in samples]
    pairs = [(window, rtt) for window, rtt in rows if window and rtt]
    return bool(pairs) and queueing.fills(*np.array(pairs, dtype=float).T)


def _losses(found: Evidence, samples: list[_Sample]) -> None:
    """Retransmissions less those that the receiver had already, of packets between the first and the last sample."""
    first, last = samples[0], samples[-1]

    def grown(name: str) -> float | None:
        ends: list[Any] = [first.number(name), last.number(name)]
        if ends[1] is None:
            return None
        before = 0.0 if ends[0] is None or len(samples) == 1 else ends[0]
        return float(ends[1] - before)

    sent = grown("data_segs_out")
    again = grown("retrans") or 0.0
    twice = grown("dsack_dups") or 0.0
    if not sent or sent < 10 or again > sent or again < 0:
        found.notes.append(
            "The samples do not say how many packets were sent (`data_segs_out`): nothing is known of losses."
        )
        return
    lost = int(max(again - twice, 0.0))
    found.counted = (lost, int(sent), "retransmissions less duplicates that the receiver reported")
    found.loss_low = 0.0
    found.notes.append(
        f"{int(again)} of {int(sent)} packets were sent again, {int(twice)} of them for nothing. When "
        "they were lost is not "
        "known, so bursts cannot be fitted, and drops of a full queue cannot be told from losses of the channel."
    )
