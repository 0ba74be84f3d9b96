"""What a scenario amounts to before it is run: who sends over what, how long the path is, what the queues hold.

:func:`lines` is the head of ``windlass explain``. Every number follows from the description; nothing is run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windlass.amounts import counted, digits, size_text, time_text
from windlass.resources import need
from windlass.stats.throughput import even_bin

if TYPE_CHECKING:
    from windlass.scenario import Point, Scenario

MOST_GROUPS = 12
"""Groups of flows that are told one by one."""

MOST_VALUES = 8
"""Values of a swept key that are told."""


Span = tuple[float, float]
"""The least and the greatest of what changes on a path; equal if it does not."""


@dataclass(frozen=True)
class Way:
    """How a group of flows goes: what `Point.capacity` and `Point.range` say of it, and what bounds it most."""

    group: Mapping[str, Any]
    known: Mapping[str, Any]
    range: Mapping[str, Any]

    @property
    def links(self) -> list[tuple[Mapping[str, Any], Span]]:
        """The links of the way, and their least and greatest rate, bit/s."""
        cuts = zip(self.known["cuts"], self.range["rates_bps"], strict=True)
        return [
            (link, (rate[0], rate[1])) for cut, rates in cuts for link, rate in zip(cut["links"], rates, strict=True)
        ]

    @property
    def narrowest(self) -> tuple[str, Span] | None:
        """The link of the way that carries least, and its least and greatest rate, bit/s; none without a bound."""
        if not self.links:
            return None
        least, rate = min(self.links, key=lambda link: float(link[0]["rate_bps"]))
        return stem(least["link"]), rate

    @property
    def round_trip_s(self) -> Span:
        """The least and the greatest base round trip."""
        least, most = self.range["round_trip_s"]
        return float(least), float(most)

    @property
    def bdp_bytes(self) -> Span:
        """The least and the greatest of narrowest rate times base round trip."""
        least, most = self.range["bdp_bits"]
        return float(least) / 8.0, float(most) / 8.0


def stem(link: str) -> str:
    """Name of a link as the description has it: ``left/3`` is one of ``left``."""
    return link.partition("/")[0]


def ways(point: Point) -> list[Way]:
    """The groups of flows that send data, with their ways; those whose route has no bound are left out."""
    found = []
    for group in point.effective()["flows"][:MOST_GROUPS]:
        known = point.capacity([group["name"]])
        if known is not None:
            span = point.range([group["name"]], bin_s=even_bin(float(known["duration_s"])))
            found.append(Way(group, known, span or NOWHERE))
    return found


NOWHERE = {"rates_bps": [], "round_trip_s": (0.0, 0.0), "narrowest_bps": (0.0, 0.0), "bdp_bits": (0.0, 0.0)}
"""The range of a way that crosses no link."""


def lines(scenario: Scenario, points: Sequence[Point]) -> list[str]:
    """The summary of the first point, a line each, and of what is swept.

    Base round trips are propagation and nothing else; on radio links the time on air comes on top.
    """
    first = points[0]
    described = first.effective()
    known = ways(first)
    made = [_size(scenario, points, described), *_swept(points)]
    made += [line for way in known for line in _group(way, described)]
    more = len(described["flows"]) - MOST_GROUPS
    if more > 0:
        made.append(f"and {more} groups of flows more")
    return [*made, *_queues(described["topology"], known), _need(scenario, points)]


def _size(scenario: Scenario, points: Sequence[Point], described: Mapping[str, Any]) -> str:
    name = scenario.name or "scenario"
    warmup = described["scenario"].get("warmup", "0 s")
    measured = "" if warmup == "0 s" else f", measured from {warmup} on"
    seeds, count = len(scenario.seeds), len(points)
    runs = seeds * count
    several = (
        f"{counted(count, 'point')} x {counted(seeds, 'seed')} = {counted(runs, 'run')}" if runs > 1 else "one run"
    )
    return f"{name}: {described['scenario']['duration']}{measured}; {several}"


def _need(scenario: Scenario, points: Sequence[Point]) -> str:
    """What it takes at most, on one core."""
    seeds, count = len(scenario.seeds), len(points)
    wanted, first = need(points, seeds * count, 1), points[0].estimate()
    each = f"{_about(first['packets'])} packets" + ("" if seeds * count == 1 else " in the first run")
    recorded = f", {_about(first['records'])} values recorded" if first["records"] else ""
    return (
        f"at most {each}{recorded}, {time_text(wanted.seconds)} on one core, {size_text(wanted.memory_bytes)} of memory"
    )


def _about(number: float) -> str:
    """A large number to two digits: ``80 000``."""
    return f"{float(f'{number:.2g}'):,.0f}".replace(",", " ") if number < 1e9 else f"{number:.2g}"


def _swept(points: Sequence[Point]) -> list[str]:
    """Each swept key with its values, in the order of the points."""
    found: dict[str, list[Any]] = {}
    for point in points:
        for key, value in point.axes.items():
            values = found.setdefault(key, [])
            if value not in values:
                values.append(value)
    made = []
    for key, values in found.items():
        more = f" and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else ""
        made.append(f"swept: {key} = {', '.join(_value(value) for value in values[:MOST_VALUES])}{more}")
    if found:
        here = ", ".join(f"{key} = {_value(value)}" for key, value in points[0].axes.items())
        made.append(f"point 1 of {len(points)}: {here}")
    return made


def _value(value: Any) -> str:
    """A value of an axis as a file has it, without the quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _group(way: Way, described: Mapping[str, Any]) -> list[str]:
    """A group of flows: who sends to whom, how, and over what."""
    group, known = way.group, way.known
    sender = group["algorithm"]["name"] if "algorithm" in group else group["transport"]
    who = [f"{group['name']}: {counted(known['flows'], 'flow')}, {group['from']} to {group['to']}, {sender}"]
    who += _tcp(group, str(described["scenario"]["profile"]))
    narrow = way.narrowest
    if narrow is None:
        return who
    trip, bdp, packet = way.round_trip_s, way.bdp_bytes, float(known["packet"])
    line = f"    base RTT {_milliseconds(trip)}; narrowest is {narrow[0]} with {_rates(narrow[1])}"
    if narrow[1][0] != narrow[1][1] and _comes_in_pieces(described["topology"], narrow[0]):
        line += f" (means over {time_text(even_bin(float(known['duration_s'])))})"
    if trip[1] > 0.0 and bdp[1] >= 0.05 * packet:
        packets = span_text((bdp[0] / packet, bdp[1] / packet), 3, "packets")
        line += f"; BDP {packets} of {known['packet']} B = {_sizes(bdp)}"
    return [*who, line]


def _sizes(span: Span) -> str:
    """Bytes, in the unit of the lower end."""
    _, unit = size_text(span[0]).split()
    return span_text((span[0] / _BYTES[unit], span[1] / _BYTES[unit]), 3, unit)


def span_text(span: Span, significant: int, unit: str) -> str:
    """One value, or both ends of a range: ``60 to 80 ms``."""
    least, most = (digits(value, significant) for value in span)
    return f"{least} {unit}" if least == most else f"{least} to {most} {unit}"


def _milliseconds(seconds: Span) -> str:
    return span_text((1e3 * seconds[0], 1e3 * seconds[1]), 4, "ms")


def _rates(bps: Span) -> str:
    least, most = map(rate_text, bps)
    if least == most:
        return least
    number, _, unit = least.partition(" ")
    return f"{number if most.endswith(f' {unit}') else least} to {most}"


def _comes_in_pieces(topology: Mapping[str, Any], name: str) -> bool:
    """Whether a link carries what a trace or the frames of a base station grant."""
    table = _table(topology, name)
    return topology.get("kind") == "cellular" or bool(table and table.get("trace"))


UNLIMITED = 1_000_000
"""Segments from which on a receiver's offer is none to speak of."""


def _tcp(group: Mapping[str, Any], profile: str) -> list[str]:
    if "tcp" not in group:
        return []
    tcp, segment = group["tcp"], _number(group["segment"])
    window = initial_window(str(tcp["initial_window"]), segment)
    acks = "one ACK per segment" if tcp["delayed_ack"] == 1 else f"one ACK per {tcp['delayed_ack']} segments"
    offer = "" if _number(tcp["window"]) >= UNLIMITED else f", receiver offers {tcp['window']}"
    return [
        f"    profile {profile}: recovery {tcp['recovery']}, initial window {window:.4g} segments of {segment:g} B, {acks}{offer}"
    ]


INITIAL_WINDOWS = {"rfc5681": (4, 4380.0), "rfc6928": (10, 14_600.0)}
"""Rules for the first flight: so many segments, but no more than so many bytes or two segments."""


def initial_window(text: str, segment: float) -> float:
    """Segments of the first flight, by rule or number; may be fractional."""
    if text in INITIAL_WINDOWS:
        most, size = INITIAL_WINDOWS[text]
        return min(most, max(2.0, size / segment))
    return _number(text)


def _queues(topology: Mapping[str, Any], known: Sequence[Way]) -> list[str]:
    """Each queue that the groups meet on their ways, and who shares it."""
    rates: dict[tuple[str, bool], Span] = {}
    users: dict[tuple[str, bool], list[Way]] = {}
    for way in known:
        for link, rate in way.links:
            at = (stem(link["link"]), bool(link["reverse"]))
            rates[at] = max(rates.get(at, rate), rate)
            if way not in users.setdefault(at, []):
                users[at].append(way)
    made = []
    for (name, back), rate in rates.items():
        table = _table(topology, name)
        if table is None:
            continue
        other = table.get("reverse")
        queue = other.get("queue", table.get("queue")) if back and isinstance(other, Mapping) else table.get("queue")
        words = _queue(queue, rate, users[name, back])
        who = ", ".join(way.group["name"] for way in users[name, back])
        made.append(f"queue of {name}{' (reverse)' if back else ''}: {words}; {who}")
    return made


def _queue(queue: Any, rate: Span, users: Sequence[Way]) -> str:
    """What a queue holds, in packets, time and bandwidth-delay products of the longest way through it."""
    discipline, size = "drop-tail", queue
    if isinstance(queue, Mapping):
        discipline = str(queue.get("discipline", "drop-tail"))
        size = next((queue[name] for name in ("capacity", "limit", "size") if queue.get(name) is not None), None)
    if not isinstance(size, str):
        return f"{discipline}"
    packet = max(int(way.known["packet"]) for way in users)
    number = _number(size)
    held = number if size.endswith(("packets", "packet")) else number * _BYTES.get(size.split()[-1], 1.0)
    bits_held = 8.0 * (held * packet if size.endswith(("packets", "packet")) else held)
    longest = max(users, key=lambda way: way.round_trip_s[1])
    trip = longest.round_trip_s
    is_its_own = tuple(longest.range["narrowest_bps"]) == rate
    product = longest.bdp_bytes if is_its_own else (rate[0] * trip[0] / 8, rate[1] * trip[1] / 8)
    share = ""
    if product[0] >= packet:
        share = f" = {span_text((bits_held / 8 / product[1], bits_held / 8 / product[0]), 3, 'BDP')}"
    if not rate[0] > 0.0:
        return f"{discipline}, {size} at up to {rate_text(rate[1])}"
    return f"{discipline}, {size} = {_times((bits_held / rate[1], bits_held / rate[0]))} at {_rates(rate)}{share}"


def _times(seconds: Span) -> str:
    if seconds[1] >= 1.0:
        return span_text(seconds, 3, "s")
    return span_text((1e3 * seconds[0], 1e3 * seconds[1]), 3, "ms")


_BYTES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


def _table(topology: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """The description of a link, or of the medium that it belongs to."""
    if isinstance(topology.get(name), Mapping):
        return dict(topology[name])
    named: Iterable[Mapping[str, Any]] = [*topology.get("links", []), *topology.get("media", [])]
    found = next((one for one in named if one.get("name") == name), None)
    return found if found is not None else topology.get("radio")


def rate_text(bps: float) -> str:
    """A rate with its unit: ``8 Mbps``."""
    for unit, size in (("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3)):
        if bps >= size:
            return f"{digits(bps / size, 4)} {unit}"
    return f"{digits(bps, 4)} bps"


def _number(text: str) -> float:
    """The number of a quantity: 50 of ``"50 packets"``."""
    return float(text.split()[0])
