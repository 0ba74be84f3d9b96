"""Logs of `ping`: that of Linux (iputils), with or without `-D`, and those of BSD and macOS."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from windlass.amounts import counted
from windlass.errors import InputError
from windlass.imports import delay
from windlass.imports.evidence import Evidence, Outcomes

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = "ping"

_HEAD = re.compile(r"PING6?[ (].*", re.IGNORECASE)
_REPLY = re.compile(
    r"(?:\[(?P<at>\d+(?:\.\d+)?)\] )?(?P<bytes>\d+) bytes from .*?icmp_seq=(?P<seq>\d+)"
    r".*? time[=<](?P<rtt>\d+(?:\.\d+)?) ?ms(?P<twice> \(DUP!\))?"
)
_SILENT = re.compile(
    r"(?:\[\d+(?:\.\d+)?\] )?(?:no answer yet for icmp_seq=|Request timeout for icmp_seq )(?P<seq>\d+)"
)
_ERROR = re.compile(r"(?:\[\d+(?:\.\d+)?\] )?From \S+.*? icmp_seq=(?P<seq>\d+) (?P<why>.+)")
_END = re.compile(
    r"(?P<sent>\d+) packets transmitted, (?P<received>\d+) (?:packets )?received.*?(?:time (?P<time>\d+) ?ms)?$"
)

SEQUENCE = 1 << 16


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
    last: int = 0
    bytes: int = 0
    step_s: float = 1e-3

    def number(self, sequence: int) -> int:
        """The sequence number without wraparound, 16 bits."""
        ahead = (sequence - self.last + SEQUENCE // 2) % SEQUENCE - SEQUENCE // 2
        number = self.last + ahead
        self.last = max(self.last, number)
        return number


def looks_like(text: str) -> bool:
    """Whether a text is the log of a ping."""
    return any(_HEAD.match(line) or _REPLY.match(line) for line in text.splitlines()[:50])


def evidence(text: str, file: str) -> Evidence:
    """Delay, jitter and losses of small packets.

    Raises
    ------
    InputError
        If no packet was answered.
    """
    import numpy as np

    sessions = _sessions(text)
    answered = [rtt for one in sessions for rtt, _ in one.replies.values()]
    if not answered:
        raise InputError(
            "no line of it says that a packet was answered",
            code="import.nothing",
            file=file,
            hint="lines are `64 bytes from HOST: icmp_seq=1 ttl=57 time=12.3 ms`; `LC_ALL=C ping -D HOST` writes them",
        )
    found = Evidence(FORMAT)
    rtt_s = np.array(answered)
    parts = [_rows(one) for one in sessions if one.replies]
    lost = np.concatenate([part[0] for part in parts])
    times = _times([part[1] for part in parts])
    first = sessions[0]
    size = next((one.bytes for one in sessions if one.bytes), 0)
    found.facts.append(f"{first.head or 'ping'}, {counted(len(lost), 'packet')}, {counted(len(rtt_s), 'answer')}")
    step_s = min(one.step_s for one in sessions if one.replies)
    found.base_rtt = delay.least(rtt_s, f"least of {counted(len(rtt_s), 'round trip')}", step_s)
    found.jitter = delay.jitter(rtt_s, counted(len(rtt_s), "round trip"))
    found.outcomes = Outcomes(lost, times, "packets that were not answered")
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
    if sum(one.copies for one in sessions):
        found.notes.append(
            f"{sum(one.copies for one in sessions)} packets were answered twice; the first answer counts."
        )
    if sum(one.errors for one in sessions):
        found.notes.append(
            f"{sum(one.errors for one in sessions)} errors of routers (unreachable and the like) count as losses."
        )
    if any(at is None for one in sessions for _, at in one.replies.values()):
        found.notes.append("The lines have no times (`ping -D` writes them): packets are taken to be sent evenly.")
    if len(sessions) > 1:
        found.notes.append(f"The file has {len(sessions)} runs of ping; their packets are taken for one row.")
    return found


def _sessions(text: str) -> list[_Session]:
    sessions = [_Session("")]
    for line in text.splitlines():
        one = sessions[-1]
        if _HEAD.match(line):
            if one.replies or one.silent or one.sent is not None:
                sessions.append(_Session(line.strip()[:100]))
            else:
                one.head = line.strip()[:100]
        elif match := _REPLY.match(line):
            _reply(one, match)
        elif match := _SILENT.match(line):
            one.silent.add(one.number(int(match["seq"])))
        elif match := _ERROR.match(line):
            one.silent.add(one.number(int(match["seq"])))
            one.errors += 1
        elif match := _END.match(line):
            one.sent = int(match["sent"])
            one.time_s = float(match["time"]) / 1e3 if match["time"] else None
    return sessions


def _reply(one: _Session, match: re.Match[str]) -> None:
    number = one.number(int(match["seq"]))
    if match["twice"] or number in one.replies:
        one.copies += 1
        return
    digits = len(match["rtt"].partition(".")[2])
    one.step_s = min(one.step_s, 10.0 ** -(digits + 3))
    one.replies[number] = (float(match["rtt"]) / 1e3, float(match["at"]) if match["at"] else None)
    one.bytes = int(match["bytes"])


def _rows(one: _Session) -> tuple[NDArray[Any], NDArray[Any]]:
    """Whether each packet was lost, and when it was sent, seconds."""
    import numpy as np

    known = [*one.replies, *one.silent]
    first = min(min(known), 1)
    count = max(known) - first + 1
    if one.sent is not None and count <= one.sent <= count + SEQUENCE:
        count = one.sent
    numbers = np.arange(first, first + count)
    lost = np.array([number not in one.replies for number in numbers.tolist()])
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


def _times(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Times of all runs in one row that never goes back."""
    import numpy as np

    at, end = [], 0.0
    for part in parts:
        own = part - part[0] + end
        at.append(own)
        end = float(own[-1]) + 1.0
    return np.concatenate(at)
