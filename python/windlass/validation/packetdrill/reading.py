"""From text to a script."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windlass.validation.packetdrill.language import US, Call, Code, Command, Event, Packet, Script, Unreadable, When
from windlass.validation.packetdrill.language import Unsupported as _Unsupported

_BLANK = re.compile(r"(\s+|//[^\n]*|/\*.*?\*/|#[^\n]*)+", re.DOTALL)
_OPTION = re.compile(r"--(?P<name>\w+)(?:=(?P<value>[^\s`]*))?")
_SECONDS = r"\d*\.?\d+|\d+\.?"
_TIME = re.compile(
    rf"(?P<any>\*)|(?P<plus>\+?)(?P<start>{_SECONDS})(?:\s*(?P<range>~|\.\.\.)\s*(?P<again>\+?)(?P<end>{_SECONDS}))?"
)
_CALL = re.compile(r"(?P<name>[a-z_]\w*)\s*\(")
_RESULT = re.compile(r"\s*=\s*(?P<result>-?\w+|\.\.\.)(?P<rest>(?:\s*[A-Z]\w+)?(?:\s*\([^)\n]*\))?)")
_PACKET = re.compile(
    r"(?P<direction>[<>])[ \t]*(?:\[(?P<ecn>[^\]\n]*)\][ \t]*)?(?P<flags>[SFRPEWAU.]+|-)[ \t]+"
    r"(?P<start>\d+):(?P<end>\d+)\((?P<length>\d+)\)"
    r"(?:[ \t]+ack[ \t]+(?P<ack>\d+))?(?:[ \t]+win[ \t]+(?P<window>\d+))?(?:[ \t]*<(?P<options>[^>\n]*)>)?"
)
_URGENT = re.compile(r"[ \t]+urg[ \t]+\d+")
_ECN = ("noecn", "ect0", "ect1", "ect01", "ce")


def read(text: str) -> Script:
    """Read a script.

    Parameters
    ----------
    text : str
        The content of the file.

    Returns
    -------
    Script

    Raises
    ------
    Unreadable
        At a line that is not of the language.
    Unsupported
        At a packet that is not of TCP, and the like.
    """
    return _Reader(text).script()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0

    @property
    def line(self) -> int:
        return self.text.count("\n", 0, self.place) + 1

    def rest_of_line(self) -> str:
        return self.text[self.place :].partition("\n")[0].strip()

    def skip_blank(self) -> bool:
        """Go to the next word; whether there is one."""
        blank = _BLANK.match(self.text, self.place)
        if blank:
            self.place = blank.end()
        return self.place < len(self.text)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.place)
        if found:
            self.place = found.end()
        return found

    def until(self, end: str) -> str:
        """What stands before a word that must come."""
        place = self.text.find(end, self.place)
        if place < 0:
            raise Unreadable(self.line, f"`{end}` is missing")
        inside = self.text[self.place : place]
        self.place = place + len(end)
        return inside

    def script(self) -> Script:
        script = Script()
        while self.skip_blank():
            option = None if script.events else self.take(_OPTION)
            if option:
                script.options[option["name"]] = option["value"] or ""
            else:
                script.events.append(self.event())
        if not script.events:
            raise Unreadable(1, "there is no event")
        return script

    def event(self) -> Event:
        line = self.line
        if self.text[self.place] == "`":
            return Event(line, When(relative=True), self.command())
        when = self.when()
        self.skip_blank()
        ahead = self.text[self.place : self.place + 2]
        if ahead[:1] == "`":
            return Event(line, when, self.command())
        if ahead == "%{":
            self.place += 2
            return Event(line, when, Code(self.until("}%")))
        if ahead[:1] in ("<", ">"):
            return Event(line, when, self.packet())
        return Event(line, when, self.call())

    def command(self) -> Command:
        self.place += 1
        return Command(self.until("`"))

    def when(self) -> When:
        line, shown = self.line, self.rest_of_line()
        time = self.take(_TIME)
        if not time:
            raise Unreadable(line, f"an event begins with its time, not with `{shown[:30]}`")
        if time["any"]:
            return When(any=True)
        start = round(float(time["start"]) * US)
        relative = bool(time["plus"])
        if time["range"] == "~":
            if bool(time["again"]) != relative:
                raise Unreadable(line, f"one end of `{time[0]}` is relative and one is not")
            return When(start, round(float(time["end"]) * US), relative)
        return When(start, start, relative)

    def packet(self) -> Packet:
        line, shown = self.line, self.rest_of_line()
        found = self.take(_PACKET)
        if not found:
            protocol = re.match(r"[<>]\s*(?:\[.*?\]\s*)?(icmp|udp|gre|ipv4|ipv6|mpls)\b", shown)
            if protocol:
                raise _Unsupported(line, f"a packet of {protocol[1]}")
            raise Unreadable(line, f"no packet: `{shown[:60]}`")
        start, end, length = int(found["start"]), int(found["end"]), int(found["length"])
        if end - start != length:
            raise Unreadable(line, f"{start}:{end} are {end - start} bytes, not {length}")
        words = [word.strip() for word in found["ecn"].split(",")] if found["ecn"] is not None else []
        ecn = next((word for word in words if word in _ECN), None)
        if words and ecn is None:
            raise _Unsupported(line, f"a header of IP with `{found['ecn']}`")
        if self.take(_URGENT) or "U" in found["flags"]:
            raise _Unsupported(line, "urgent data")
        options = found["options"]
        names, sack = ({}, ()) if options is None else _options(line, options)
        return Packet(
            inbound=found["direction"] == "<",
            flags=found["flags"],
            start=start,
            end=end,
            ack=int(found["ack"]) if found["ack"] else None,
            window=int(found["window"]) if found["window"] else None,
            ecn=ecn,
            options=None if options == "..." else names,
            sack=sack,
        )

    def call(self) -> Call:
        line, shown = self.line, self.rest_of_line()
        name = self.take(_CALL)
        if not name:
            raise Unreadable(line, f"neither a packet nor a call nor a command: `{shown[:60]}`")
        arguments = tuple(self.arguments())
        result = self.take(_RESULT)
        if not result:
            raise Unreadable(line, f"`{name['name']}` has no result: `= 0`")
        if result["rest"].strip():
            return Call(name["name"], arguments, f"{result['result']} {result['rest'].strip()}")
        return Call(name["name"], arguments, result["result"])

    def arguments(self) -> Iterator[str]:
        """Arguments up to the parenthesis that closes."""
        line, depth, begin, quoted = self.line, 0, self.place, False
        while self.place < len(self.text):
            sign = self.text[self.place]
            quoted ^= sign == '"'
            if not quoted and ((sign == "," and depth == 0) or (sign == ")" and depth == 0)):
                word = self.text[begin : self.place].strip()
                self.place += 1
                begin = self.place
                if word:
                    yield word
                if sign == ")":
                    return
                continue
            depth += 0 if quoted else (sign in "([{") - (sign in ")]}")
            self.place += 1
        raise Unreadable(line, "`)` is missing")


def _options(line: int, text: str) -> tuple[dict[str, str], tuple[tuple[int, int], ...]]:
    """TCP options, and the SACK blocks among them."""
    names: dict[str, str] = {}
    blocks: list[tuple[int, int]] = []
    for option in (part.strip() for part in text.split(",")):
        words = option.split()
        if not words or words[0] in ("nop", "eol", "..."):
            continue
        names[words[0]] = option
        if words[0] == "TS" and not re.fullmatch(r"TS val \d+ ecr \d+", option):
            raise Unreadable(line, f"no timestamps: `{option}`")
        if words[0] == "sack":
            for word in words[1:]:
                block = re.fullmatch(r"(\d+):(\d+)", word)
                if not block:
                    raise Unreadable(line, f"no SACK block: `{word}`")
                blocks.append((int(block[1]), int(block[2])))
    return names, tuple(blocks)
