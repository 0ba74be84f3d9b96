"""What a script consists of: options, commands of a shell, and events in time."""

from __future__ import annotations

from dataclasses import dataclass, field

US = 1_000_000
"""Microseconds of a second; times of scripts are whole microseconds."""


class Unreadable(Exception):
    """A line that is not of the language."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class Unsupported(Exception):
    """A line that asks for something that an endpoint here does not have."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class When:
    """The time of an event, microseconds.

    Attributes
    ----------
    start, end : int
        Earliest and latest; mostly the same.
    relative : bool
        Counted from the event before, not from the start of the script.
    any : bool
        Whenever it happens.
    """

    start: int = 0
    end: int = 0
    relative: bool = False
    any: bool = False


@dataclass(frozen=True)
class Packet:
    """A TCP packet. Sequence numbers are those of the script: the SYN is 0, the first byte of data 1.

    Attributes
    ----------
    inbound : bool
        To the endpoint.
    flags : str
        Letters: ``S`` SYN, ``F`` FIN, ``R`` RST, ``P`` PSH, ``.`` ACK, ``E`` ECE, ``W`` CWR, ``A`` AE.
    start, end : int
        Sequence numbers of the first byte and of the one behind the last.
    ack, window : int or None
        ACK number; window as in the packet, without its scale.
    ecn : str or None
        ``noecn``, ``ect0``, ``ect1``, ``ce``.
    options : dict of str to str, or None
        TCP options by name, ``None`` if they may be any.
    sack : tuple of (int, int)
        SACK blocks.
    """

    inbound: bool
    flags: str
    start: int
    end: int
    ack: int | None
    window: int | None
    ecn: str | None
    options: dict[str, str] | None
    sack: tuple[tuple[int, int], ...] = ()

    @property
    def length(self) -> int:
        """Bytes of data."""
        return self.end - self.start

    @property
    def stamps(self) -> tuple[int, int] | None:
        """Value and echo of the timestamp option."""
        text = (self.options or {}).get("TS")
        if text is None:
            return None
        _, _, value, _, echo = text.split()
        return int(value), int(echo)


@dataclass(frozen=True)
class Call:
    """A socket call: its name, its arguments as text, and what it returns."""

    name: str
    arguments: tuple[str, ...]
    result: str


@dataclass(frozen=True)
class Command:
    """Commands of a shell."""

    text: str


@dataclass(frozen=True)
class Code:
    """Assertions and assignments, in Python."""

    text: str


@dataclass(frozen=True)
class Event:
    """Something at a time."""

    line: int
    when: When
    action: Packet | Call | Command | Code


@dataclass
class Script:
    """A script that was read."""

    options: dict[str, str] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    def packets(self) -> list[Packet]:
        """The packets among the events."""
        return [event.action for event in self.events if isinstance(event.action, Packet)]
