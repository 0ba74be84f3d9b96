"""Play a script against an endpoint.

The clock is virtual: it goes on to the next event, and timers of the endpoint expire on the way. What the endpoint
sends is kept in order until the script names it. A segment that the script shows may be sent as several that follow
each other: bytes are compared, as segmentation offload would show them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windlass._core import Cannot, Driver
from windlass.validation.packetdrill import assertions, shell
from windlass.validation.packetdrill.language import US, Call, Code, Command, Event, Packet, Script, Unsupported, When
from windlass.validation.packetdrill.setup import Setup, setup

TOLERANCE_US = 4000
"""By how much the time of an event may differ, microseconds; ``--tolerance_usecs`` of a script overrides it."""

TOLERANCE_SHARE = 0.125
"""The same as a share of the time since the event before, if that is more."""

PATIENCE_US = 5 * US
"""How long a packet is waited for beyond its time."""

NEVER_MIND = {"SO_REUSEADDR", "SO_SNDBUF", "SO_RCVBUF", "IP_TOS", "IP_MTU_DISCOVER", "TCP_NODELAY", "TCP_CONGESTION"}
"""Socket options that change nothing beyond what the setup has read: buffers never limit, all writes are whole."""

NO_PART = {"socket", "bind", "listen", "accept", "fcntl", "read", "recv", "poll", "getsockopt"}
"""Calls that an endpoint without sockets needs not: it accepts, and reads what comes at once."""


ECN_SIGNS = (("E", "ece"), ("W", "cwr"), ("A", "ae"))
"""Header bits of ECN as a script shows them, and here."""


class Failed(Exception):
    """The endpoint does something else than the script says."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class Segment:
    """What the endpoint has sent: time in microseconds, header bits, bytes counted from 0."""

    at_us: int
    words: tuple[str, ...]
    start: int
    end: int
    ack: int | None
    sack: tuple[tuple[int, int], ...]
    echo_ns: int

    def text(self) -> str:
        """In the notation of a script."""
        flags = "".join(sign for sign, word in (("S", "syn"), *ECN_SIGNS) if word in self.words)
        shift = 0 if "syn" in self.words else 1
        text = f"{flags}{'.' if self.ack is not None else ''} {self.start + shift}:{self.end + shift}({self.end - self.start})"
        text += f" ack {self.ack + 1}" if self.ack is not None else ""
        if self.sack:
            text += f" <sack {' '.join(f'{a + 1}:{b + 1}' for a, b in self.sack)}>"
        return f"`> {text}` at {self.at_us / US:.6f} s"


class Player:
    """An endpoint and the clock of a script.

    Parameters
    ----------
    script : Script
        What is played.
    folder : Path
        Where paths of its commands begin.
    """

    def __init__(self, script: Script, folder: Path) -> None:
        self.script, self.folder = script, folder
        self.settings = shell.Settings()
        self.tolerance_us = int(script.options.get("tolerance_usecs", TOLERANCE_US))
        self.own_names: dict[str, Any] = {}
        self.sent: deque[Segment] = deque()
        self.last: Event | None = None
        self.last_us = 0
        self.endpoint: Driver | None = None
        self.about: Setup | None = None
        self.first_stamp: tuple[int, int] | None = None
        self.closed = False

    @property
    def now_us(self) -> int:
        """The clock, microseconds from the start of the script."""
        return 0 if self.endpoint is None else self.endpoint.now_ns // 1000

    def play(self) -> None:
        """Play every event.

        Raises
        ------
        Failed
            If something does not hold.
        Unsupported
            If the script needs what an endpoint here does not have.
        """
        for event in self.script.events:
            if _opens_fast(event):
                raise Unsupported(event.line, "Fast Open: data or a cookie with a SYN")
            when = self._from_now(event)
            try:
                self._act(event, when)
            except Cannot as wrong:
                raise Unsupported(event.line, str(wrong)) from None
            self.last, self.last_us = event, when.start

    def _from_now(self, event: Event) -> When:
        """The time of an event from the start of the script."""
        when = event.when
        if not when.relative:
            return when
        anchored = all(
            one is not None and isinstance(one.action, Packet) and one.action.inbound for one in (self.last, event)
        )
        base = self.last_us if anchored else self.now_us
        return When(base + when.start, base + when.end)

    def _act(self, event: Event, when: When) -> None:
        match event.action:
            case Command(text=text) if self.endpoint is not None and shell.DEVICE_FULL.fullmatch(text.strip()):
                self._wait(when)
                self.endpoint.refuse()
            case Command(text=text):
                if self.endpoint is not None and not shell.NO_COMMAND.fullmatch(text.strip()):
                    raise Unsupported(event.line, f"the command `{text.strip()}` while the connection is open")
                shell.apply(self.settings, text, event.line, self.folder)
            case Code(text=text):
                self._wait(when)
                names = assertions.Names(event.line, self.own_names, self._endpoint().info())
                try:
                    assertions.check(text, names)
                except assertions.Failed as wrong:
                    raise Failed(event.line, str(wrong)) from None
            case Call() as call:
                self._call(call, event, when)
            case Packet(inbound=True) as packet:
                self._wait(when)
                if not self.closed:
                    self._receive(packet, event.line)
            case Packet() as packet:
                if self.closed:
                    _check_close(packet, event.line)
                else:
                    self._expect(packet, event, when)

    def _endpoint(self) -> Driver:
        if self.endpoint is None:
            self.about = setup(self.script, self.settings)
            self.endpoint = Driver(self.about.pairs(), self.about.largest)
        return self.endpoint

    def _wait(self, when: When) -> None:
        if not when.any:
            self._endpoint().advance(when.start * 1000, until_sent=False)
            self._collect()

    def _collect(self) -> None:
        for at, words, start, end, ack, sack, echo in self._endpoint().take_sent():
            self.sent.append(Segment(at // 1000, tuple(words), start, end, ack, tuple(sack), echo))

    def _call(self, call: Call, event: Event, when: When) -> None:
        if call.name in NO_PART:
            return
        if call.name == "setsockopt":
            name = call.arguments[2] if len(call.arguments) > 2 else ""
            if name not in NEVER_MIND:
                raise Unsupported(event.line, f"the socket option `{name}`")
            return
        self._wait(when)
        if call.name == "connect":
            self._endpoint().open()
        elif call.name in ("write", "send", "sendto"):
            if call.result != call.arguments[2]:
                raise Unsupported(event.line, f"a write of {call.arguments[2]} bytes that takes {call.result}")
            self._endpoint().write(int(call.result))
        elif call.name in ("close", "shutdown"):
            self._close(event.line)
        else:
            raise Unsupported(event.line, f"the socket call `{call.name}`")
        self._collect()

    def _close(self, line: int) -> None:
        """The script takes the connection down. No endpoint here does that, so what follows is not played."""
        if not any(packet.length for packet in self.script.packets()):
            raise Unsupported(line, "a connection that is closed: there is no FIN")
        self.closed = True

    def _receive(self, packet: Packet, line: int) -> None:
        endpoint, about = self._endpoint(), self.about
        assert about is not None
        syn = "S" in packet.flags
        if "R" in packet.flags or (("F" in packet.flags) and self._acceptable(packet)):
            raise Unsupported(line, f"a packet with `{packet.flags}`")
        words = [word for sign, word in ((".", "ack"), ("S", "syn"), *ECN_SIGNS) if sign in packet.flags]
        if packet.ecn == "ce":
            words.append("ce")
        endpoint.receive(
            words,
            start=0 if syn else packet.start - 1,
            end=0 if syn else packet.end - 1,
            ack=max((packet.ack or 0) - 1, 0),
            sack=[(start - 1, end - 1) for start, end in packet.sack],
            window=(packet.window or 0) << (0 if syn else about.scale),
            stamps_ns=packet.stamps and (packet.stamps[0] * 1_000_000, self._clock_of(packet.stamps[1])),
        )
        self._collect()

    def _acceptable(self, packet: Packet) -> bool:
        """It acknowledges nothing that was never sent; otherwise a receiver drops it whatever else it says."""
        sent = [one.end for one in self.script.packets() if not one.inbound]
        return packet.ack is None or packet.ack <= max(sent, default=0) + 1

    def _clock_of(self, stamp: int) -> int:
        """Our clock, ns, when it showed this stamp; stamps are milliseconds from the one of the first packet."""
        if self.first_stamp is None:
            return 0
        first, at_us = self.first_stamp
        return max(at_us * 1000 + (stamp - first) * 1_000_000, 0)

    def _expect(self, packet: Packet, event: Event, when: When) -> None:
        rest: Packet | None = packet
        while rest is not None:
            segment = self._next(rest, event, when)
            self._check_time(segment, rest, event, when)
            self._check(segment, rest, event.line)
            whole = "data" not in segment.words or segment.end + 1 >= packet.end
            rest = None if whole else replace(packet, start=segment.end + 1)
        if "S" in packet.flags and packet.stamps is not None and self.first_stamp is None:
            self.first_stamp = packet.stamps[0], self.now_us

    def _next(self, packet: Packet, event: Event, when: When) -> Segment:
        """What was sent next; the clock goes on until there is something."""
        if not self.sent:
            latest = max(when.end, self.now_us) + PATIENCE_US
            self._endpoint().advance(latest * 1000, until_sent=True)
            self._collect()
        if not self.sent:
            raise Failed(event.line, f"expected {_shown(packet)}, and nothing was sent")
        return self.sent.popleft()

    def _check_time(self, segment: Segment, packet: Packet, event: Event, when: When) -> None:
        if when.any:
            return
        tolerance = max(self.tolerance_us, TOLERANCE_SHARE * (when.start - self.last_us))
        if not when.start - tolerance <= segment.at_us <= when.end + tolerance:
            wanted = f"{when.start / US:.6f}" + (f" to {when.end / US:.6f}" if when.end > when.start else "")
            raise Failed(event.line, f"expected {_shown(packet)} at {wanted} s, got {segment.text()}")

    def _check(self, segment: Segment, packet: Packet, line: int) -> None:
        """The header and the bytes of a segment that was sent."""
        syn = "S" in packet.flags
        probe = "probe" in segment.words
        start = segment.start + (0 if syn else 1) - (1 if probe else 0)
        wrong = "syn" in segment.words if not syn else "syn" not in segment.words
        wrong |= any(sign in packet.flags for sign in "FR")
        wrong |= ("." in packet.flags) != (segment.ack is not None)
        wrong |= packet.length > 0 and "data" not in segment.words
        wrong |= packet.length == 0 and "data" in segment.words
        wrong |= not syn and (start != packet.start or segment.end + 1 > max(packet.end, packet.start + 1 * probe))
        wrong |= segment.ack is not None and packet.ack != segment.ack + 1
        if not syn or (self.about is not None and self.about.accurate):
            wrong |= any((sign in packet.flags) != (word in segment.words) for sign, word in ECN_SIGNS)
        wrong |= packet.ecn in ("ect0", "ect01") and "ect" not in segment.words
        wrong |= packet.ecn == "noecn" and "ect" in segment.words
        if packet.options is not None and not syn:
            wrong |= packet.sack != tuple((a + 1, b + 1) for a, b in segment.sack)
            if packet.stamps is not None:
                wrong |= packet.stamps[1] * 1_000_000 != segment.echo_ns
        if wrong:
            raise Failed(line, f"expected {_shown(packet)}, got {segment.text()}")


def _opens_fast(event: Event) -> bool:
    """It sends or wants data or a cookie with a SYN (RFC 7413)."""
    match event.action:
        case Call(arguments=arguments):
            return any("MSG_FASTOPEN" in word for word in arguments)
        case Packet(flags=flags, options=options) as packet if "S" in flags:
            return packet.length > 0 or any(name.startswith("FO") for name in options or ())
    return False


def _check_close(packet: Packet, line: int) -> None:
    """Behind a close only its FIN and the ACK of the other one are passed over, and nothing that a script looks at."""
    if "R" in packet.flags or packet.stamps is not None:
        raise Unsupported(line, f"{_shown(packet)} of a connection that is closed: there is neither FIN nor RST")


def _shown(packet: Packet) -> str:
    """In the notation of a script."""
    text = f"{packet.flags} {packet.start}:{packet.end}({packet.length})"
    text += f" ack {packet.ack}" if packet.ack is not None else ""
    if packet.sack:
        text += f" <sack {' '.join(f'{a}:{b}' for a, b in packet.sack)}>"
    return f"`> {text}`"
