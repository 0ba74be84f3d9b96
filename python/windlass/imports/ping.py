"""Logs of `ping`: of Linux (iputils), with or without `-D`, BSD and macOS, BusyBox, and Windows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from windlass.amounts import counted
from windlass.errors import InputError
from windlass.imports import dates, delay
from windlass.imports.evidence import Evidence, Outcomes
from windlass.imports.shapes import chosen, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = "ping"

_HEAD = re.compile(r"(?:^|(?<=[\s:\]]))(?:PING6?[ (].*|Pinging (?P<host>\S+).* with \d+ bytes of data.*)")
_PLACE = re.compile(r"-->\s*(\S+)|[(\[]([0-9A-Fa-f:.]*[:.][^()\[\]\s]*)[)\]]")
_NUMBER = r"(?:icmp_seq|icmp_req|seq)[= ](?P<seq>-?\d+)"
_REPLY = re.compile(
    rf"(?P<bytes>\d+) bytes from (?P<host>.*?)[:,] .*?{_NUMBER}\b"
    r".*? time(?P<less>[=<])(?P<rtt>\d+(?:\.\d+)?) ?ms(?P<twice> \(DUP!\))?"
)
_WINDOWS = re.compile(r"Reply from (?P<host>\S+): (?:bytes=(?P<bytes>\d+) )?time(?P<less>[=<])(?P<rtt>\d+) ?ms")
_SILENT = re.compile(rf"(?:no answer yet for|Request timeout for) {_NUMBER}")
_ERROR = re.compile(rf"From \S+.*? {_NUMBER} (?P<why>.+)")
_UNNUMBERED = re.compile(
    r"Request timed out|(?P<why>Reply from \S+: \D+(?:unreachable|expired)|General failure|transmit failed)"
)
_END = re.compile(
    r"(?P<sent>\d+) packets transmitted, (?P<received>\d+) (?:packets )?received.*?(?:time (?P<time>\d+) ?ms)?$"
)
_END_WINDOWS = re.compile(r"Packets: Sent = (?P<sent>\d+), Received = \d+")
_EPOCH = re.compile(r"\[?(?P<at>\d{9,10}(?:\.\d+)?)\]?[:,]?\s*$")

SEQUENCE = 1 << 16

LONGEST_S = 3600.0
"""No round trip takes longer, seconds."""

FAR = 1000
"""Numbers that may be missing in a row without the times or the last lines telling that so many packets were sent."""

MOST_FITTED = 300_000
"""Packets to which a model of loss is fitted; of more of them losses are counted."""


@dataclass
class _Session:
    """Packets of one run of the command: sequence number, round trip in seconds, when the answer came."""

    head: str
    replies: dict[int, tuple[float, float | None]] = field(default_factory=dict)
    silent: set[int] = field(default_factory=set)
    errors: int = 0
    copies: int = 0
    sent: int | None = None
    time_s: float | None = None
    last: int | None = None
    bytes: int = 0
    step_s: float = 1e-3

    below: bool = False
    odd: int = 0
    cut: int = 0

    def number(self, sequence: int) -> int:
        """The sequence number without wraparound, 16 bits."""
        if self.last is None:
            self.last = sequence
        ahead = (sequence - self.last + SEQUENCE // 2) % SEQUENCE - SEQUENCE // 2
        number = self.last + ahead
        self.last = max(self.last, number)
        return number

    def next(self) -> int:
        """The number of a line that has none: packets are told in the order in which they were sent."""
        self.last = 1 if self.last is None else self.last + 1
        return self.last

    @property
    def used(self) -> bool:
        """Whether a packet was sent."""
        return bool(self.replies or self.silent or self.sent is not None)


def looks_like(text: str) -> bool:
    """Whether a text is the log of a ping."""
    return any(
        pattern.search(line) for line in text.splitlines()[:50] for pattern in (_HEAD, _REPLY, _WINDOWS, _SILENT)
    )


def evidence(text: str, file: str, flow: str | None) -> Evidence:
    """Delay, jitter and losses of small packets to one host.

    Raises
    ------
    InputError
        If no packet was answered, or several hosts answered and none of them was asked for.
    """
    import numpy as np

    hosts = {host: own for host, own in _sessions(text).items() if any(one.replies for one in own)}
    if not hosts:
        raise InputError(
            "no line of it says that a packet was answered",
            code="import.nothing",
            file=file,
            hint="lines are `64 bytes from HOST: icmp_seq=1 ttl=57 time=12.3 ms`; `LC_ALL=C ping -D HOST` writes them",
        )
    order = sorted(hosts, key=lambda host: (-sum(len(one.replies) for one in hosts[host]), host))
    if len(order) > 1 and flow is None:
        those = "; ".join(f"{place}: {host}" for place, host in enumerate(order[:6], 1))
        raise InputError(
            f"has pings to {len(order)} hosts, and each of them has a path of its own",
            code="import.flow",
            file=file,
            hint=f"choose one with --flow: {those}",
        )
    host = chosen(order, flow, file, "hosts")
    sessions = [one for one in hosts[host] if one.used]
    found = Evidence(FORMAT)
    rtt_s = np.array([rtt for one in sessions for rtt, _ in one.replies.values()])
    parts = [_rows(one) for one in sessions if one.replies]
    lost = np.concatenate([part[0] for part in parts])
    times = _times([part[1] for part in parts])
    size = next((one.bytes for one in sessions if one.bytes), 0)
    about = next((one.head for one in sessions if one.head), f"ping, {host}")
    found.facts.append(f"{about}, {counted(len(lost), 'packet')}, {counted(len(rtt_s), 'answer')}")
    step_s = min(one.step_s for one in sessions if one.replies)
    least = delay.at_most if any(one.below for one in sessions) else delay.least
    found.base_rtt = least(rtt_s, f"least of {counted(len(rtt_s), 'round trip')}", step_s)
    found.jitter = delay.jitter(rtt_s, counted(len(rtt_s), "round trip"))
    how = "packets that were not answered"
    if len(lost) > MOST_FITTED:
        found.counted = (int(lost.sum()), len(lost), how)
        found.notes.append(f"More than {MOST_FITTED} packets: losses are counted, and no bursts were fitted.")
    else:
        found.outcomes = Outcomes(lost, times, how)
    found.notes += [
        (
            f"Pings are small ({size} B) and few: they do not say at what rate the path can be filled, or how long its "
            "queues are. If other traffic filled it meanwhile, their delays and losses show that traffic's queue."
        ),
        (
            "A ping is lost on the way there or back; here all losses are on the way there. Routers may also answer "
            "late, or not answer at all, when they forward data well."
        ),
        "The delay is taken to be the same both ways, and jitter to be on the way of the data.",
    ]
    _remarks(found, sessions)
    if len(order) > 1:
        found.notes.append(f"Not used: pings to {listed([one for one in order if one != host])}.")
    if len(sessions) > 1:
        found.notes.append(f"The file has {len(sessions)} runs of ping to {host}; their packets are taken for one row.")
    return found


def _remarks(found: Evidence, sessions: list[_Session]) -> None:
    """What lines say beside answers."""
    copies, errors, odd, cut = (
        sum(getattr(one, name) for one in sessions) for name in ("copies", "errors", "odd", "cut")
    )
    if copies:
        found.notes.append(f"{copies} packets were answered twice; the first answer counts.")
    if errors:
        found.notes.append(f"{errors} errors of routers (unreachable and the like) count as losses.")
    if odd:
        found.notes.append(f"Not used: {counted(odd, 'line')} with a number or a time that no packet has.")
    if cut:
        found.notes.append(
            f"The numbers jump over {cut} packets, and nothing else says that those were sent: they do not count as "
            "lost."
        )
    if any(at is None for one in sessions for _, at in one.replies.values()):
        found.notes.append("The lines have no times (`ping -D` writes them): packets are taken to be sent evenly.")


def _sessions(text: str) -> dict[str, list[_Session]]:
    """Runs of the command, by host."""
    hosts: dict[str, list[_Session]] = {"": [_Session("")]}
    one = hosts[""][0]

    def of(host: str, head: str) -> _Session:
        own = hosts.setdefault(host, [])
        if not own or head and own[-1].used:
            own.append(_Session(head))
        own[-1].head = head or own[-1].head
        return own[-1]

    for line in text.splitlines():
        if match := _HEAD.search(line):
            one = of(match["host"] if match["host"] and "[" not in line else _place(match[0]), match[0].strip()[:100])
        elif match := _REPLY.search(line) or _WINDOWS.search(line):
            source = _place(match["host"])
            # Lines of several commands that write into one file come mixed: the answer says whose it is.
            if source in hosts or not one.head:
                one = of(source, "")
            if again := _reply(one, match, _at(line[: match.start()])):
                hosts[source if source in hosts else _key(hosts, one)].append(again)
                one = again
        elif match := _SILENT.search(line) or _ERROR.search(line):
            one.silent.add(one.number(int(match["seq"])))
            one.errors += match.re is _ERROR
        elif match := _UNNUMBERED.search(line):
            one.silent.add(one.next())
            one.errors += match["why"] is not None
        elif match := _END.search(line) or _END_WINDOWS.search(line):
            one.sent = int(match["sent"])
            time = match.groupdict().get("time")
            one.time_s = float(time) / 1e3 if time else None
    return hosts


def _key(hosts: dict[str, list[_Session]], one: _Session) -> str:
    return next(host for host, own in hosts.items() if any(each is one for each in own))


def _place(words: str) -> str:
    """The address in a line's words, or the name if there is no address."""
    if match := _PLACE.search(words):
        return match[1] or match[2]
    return (words.removeprefix("PING ").split() or [""])[0].rstrip(":")


def _at(before: str) -> float | None:
    """The time that stands before a line, seconds."""
    if not before.strip():
        return None
    if match := _EPOCH.match(before.strip()):
        return float(match["at"])
    date = dates.leading(before)
    return None if date is None else date[0].time_s


def _reply(one: _Session, match: re.Match[str], at: float | None) -> _Session | None:
    """Add an answer; a new run if the numbers begin again, as where logs were put together."""
    part = match.groupdict()
    sequence = part.get("seq")
    rtt_s = float(match["rtt"]) / 1e3
    if rtt_s > LONGEST_S or sequence is not None and not 0 <= int(sequence) < SEQUENCE:
        one.odd += 1
        return None
    if sequence is not None and int(sequence) <= 1 and not part["twice"] and int(sequence) in one.replies:
        again = _Session(one.head)
        _reply(again, match, at)
        return again
    number = one.next() if sequence is None else one.number(int(sequence))
    if part.get("twice") or number in one.replies:
        one.copies += 1
        return None
    digits = len(match["rtt"].partition(".")[2])
    one.step_s = min(one.step_s, 10.0 ** -(digits + 3))
    one.below |= match["less"] == "<"
    one.replies[number] = (rtt_s, at)
    one.bytes = int(match["bytes"] or 0)
    return None


def _rows(one: _Session) -> tuple[NDArray[Any], NDArray[Any]]:
    """Whether each packet was lost, and when it was sent, seconds."""
    import numpy as np

    known = sorted({*one.replies, *one.silent})
    # A log whose head was cut off begins anywhere.
    first = 1 if one.head and 1 < known[0] <= FAR else known[0]
    count = known[-1] - first + 1
    if one.sent is not None and count <= one.sent <= count + SEQUENCE:
        count = one.sent
    else:
        _close(one, known)
        first = 1 if one.head and 1 < known[0] <= FAR else known[0]
        count = known[-1] - first + 1
    numbers = np.arange(first, first + count)
    lost = ~np.isin(numbers, np.array(list(one.replies)))
    timed = [(number, at - rtt) for number, (rtt, at) in one.replies.items() if at is not None]
    if len(timed) >= 2:
        timed.sort()
        at = np.interp(numbers, [row[0] for row in timed], [row[1] for row in timed])
        # Beyond the last answer packets go on at the mean distance.
        gap = (timed[-1][1] - timed[0][1]) / max(timed[-1][0] - timed[0][0], 1)
        beyond = numbers > timed[-1][0]
        at[beyond] = timed[-1][1] + gap * (numbers[beyond] - timed[-1][0])
        return lost, np.maximum.accumulate(at)
    gap = one.time_s / (count - 1) if one.time_s and count > 1 else 1.0
    return lost, gap * np.arange(count)


def _close(one: _Session, known: list[int]) -> None:
    """Take out the jumps over numbers, if times do not show that so many packets were sent; `known` is changed."""
    at = {number: time for number, (_, time) in one.replies.items() if time is not None}
    timed = sorted(at)
    steps = sorted((at[b] - at[a]) / (b - a) for a, b in pairwise(timed))
    usual = steps[len(steps) // 2] if steps else 0.0
    shift, moved, before = 0, {}, known[0]
    for number in known:
        jump = number - before - 1
        if jump > FAR:
            took = at[number] - at[before] if number in at and before in at else None
            if took is None or not 0.5 <= took / max(usual * jump, 1e-9) <= 2.0:
                shift, one.cut = shift + jump, one.cut + jump
        moved[number] = number - shift
        before = number
    one.replies = {moved[number]: value for number, value in one.replies.items()}
    one.silent = {moved[number] for number in one.silent}
    known[:] = [moved[number] for number in known]


def _times(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Times of all runs in one row that never goes back."""
    import numpy as np

    at, end = [], 0.0
    for part in parts:
        own = part - part[0] + end
        at.append(own)
        end = float(own[-1]) + 1.0
    return np.concatenate(at)
