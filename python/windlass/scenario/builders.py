"""Links, topologies and flows as dataclasses whose fields are the keys of the file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from windlass import _toml
from windlass.errors import InputError

Value: TypeAlias = str | int | float | bool | Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link in both directions. Every value carries its unit; ``None`` leaves the engine's default.

    Parameters
    ----------
    rate : str
        ``"8 Mbps"``.
    delay : str
        Propagation delay, ``"50 ms"``, or ``"uniform(1 ms, 15 ms)"``, which each link draws for each seed, one draw for
        both directions.
    queue : str or mapping
        ``"50 packets"`` or ``"75 kB"``, or ``{"discipline": "codel", "limit": "200 packets"}``; ``windlass list
        queues`` shows the disciplines.
    queue_counting : {"waiting", "ns2"}
        Whether the packet in transmission counts.
    policer : bool or mapping
        ``{"rate": "8 Mbps", "burst": "30 kB"}``: a token bucket before the queue.
    loss : str or mapping
        ``"1 %"``, or ``{"model": "uniform", "rate": "1 %", "at": "wire", "direction": "forward"}``; ``windlass list
        loss-models`` shows the models.
    drops : mapping
        ``{"forward": [3, 8]}``: arrival numbers that are lost before the queue.
    warning : bool or mapping
        Congestion warning marks for the Jersey family.
    changes : sequence of mapping
        Steps: ``[{"at": "10 s", "rate": "2 Mbps", "delay": "80 ms"}]``.
    outages : sequence of mapping
        ``[{"at": "20 s", "for": "2 s", "every": "30 s", "packets": "held"}]``.
    handovers : str or sequence of mapping
        ``"leo"``, or ``[{"at": "20 s", "gap": "100 ms", "queue_at_old": "forwarded"}]``: nothing passes for a while.
    reorder : bool or mapping
        Whether packets pass each other where the delay becomes shorter; or ``{"every": 50, "hold": "10 ms"}``: which
        ones leave the order, and by how much.
    trace : str or sequence of int
        In place of ``rate``: file of a mahimahi trace, or its milliseconds.
    jitter : bool or mapping
        ``{"model": "normal", "deviation": "5 ms", "reorder": False}``.
    reverse : Link or mapping
        What differs in the reverse direction.
    name, from_, to : str
        Only for the links of a :class:`Graph`.
    """

    rate: str | None = None
    delay: str | None = None
    queue: str | Mapping[str, Any] | None = None
    queue_counting: str | None = None
    policer: bool | Mapping[str, Any] | None = None
    loss: str | Mapping[str, Any] | None = None
    drops: Mapping[str, Sequence[int]] | None = None
    warning: bool | Mapping[str, Any] | None = None
    changes: Sequence[Mapping[str, Any]] | None = None
    outages: Sequence[Mapping[str, Any]] | None = None
    handovers: str | Sequence[Mapping[str, Any]] | None = None
    reorder: bool | Mapping[str, Any] | None = None
    trace: str | Sequence[int] | None = None
    jitter: bool | Mapping[str, Any] | None = None
    reverse: Link | Mapping[str, Any] | None = None
    name: str | None = None
    from_: str | None = None
    to: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return _fields(self)


@dataclass(frozen=True, kw_only=True)
class Dumbbell:
    """Pairs of hosts on both sides of one bottleneck: ``left/i`` to ``g1`` to ``g2`` to ``right/i``.

    Parameters
    ----------
    bottleneck : Link or mapping
        The link between the routers.
    access : Link or mapping
        Every host's own link.
    left, right : Link or mapping
        What differs from ``access`` on one side.
    pairs : int
        Hosts on each side.
    send_jitter : str
        Longest random delay of a packet that leaves a host: ``"auto"``, ``"1 ms"``, or ``"0 s"`` for none; by profile.
    """

    bottleneck: Link | Mapping[str, Any]
    access: Link | Mapping[str, Any]
    left: Link | Mapping[str, Any] | None = None
    right: Link | Mapping[str, Any] | None = None
    pairs: int | None = None
    send_jitter: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return {"kind": "dumbbell"} | _fields(self)


@dataclass(frozen=True, kw_only=True)
class ThreeRouters:
    """Two links in a row, ``g1`` to ``g2`` to ``g3``, with hosts ``left/i`` at ``g1`` and ``right/i`` at ``g3``.

    Parameters
    ----------
    first, second : Link or mapping
        The links between the routers.
    access, left, right : Link or mapping
        As in :class:`Dumbbell`.
    pairs : int
        Hosts on each side.
    send_jitter : str
        As in :class:`Dumbbell`.
    """

    first: Link | Mapping[str, Any]
    second: Link | Mapping[str, Any]
    access: Link | Mapping[str, Any]
    left: Link | Mapping[str, Any] | None = None
    right: Link | Mapping[str, Any] | None = None
    pairs: int | None = None
    send_jitter: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return {"kind": "three-routers"} | _fields(self)


@dataclass(frozen=True, kw_only=True)
class Wlan:
    """Stations ``station/i`` and access points ``ap/j`` on one radio channel, with hosts ``wired/i`` behind them.

    Parameters
    ----------
    stations, access_points : int
        How many; one of each by default.
    placing : mapping
        Where stations are: ``{"kind": "circle", "radius": "5 m"}``, or ``"disc"``, or ``"line"`` with ``spacing``. By
        default all hear all alike.
    positions, ap_positions : sequence of pairs of str
        Where each is: ``[["3 m", "0 m"]]``.
    moves : mapping
        Ways of stations that move, by name: ``{"station/0": {"from": "0 m", "to": "50 m", "speed": "1 m/s"}}``.
    hosts : int
        Wired hosts; by default one if there is a `backbone`.
    backbone : Link or mapping
        From an access point to the wired host, or to node ``gateway`` if there are more of either.
    access : Link or mapping
        From ``gateway`` to each wired host.
    radio : mapping
        Parameter set and what differs from it: ``{"set": "dot11n", "rate": "MCS 7"}``.
    send_jitter : str
        As in :class:`Dumbbell`.
    """

    stations: int | None = None
    access_points: int | None = None
    placing: Mapping[str, Any] | None = None
    positions: Sequence[Sequence[str]] | None = None
    ap_positions: Sequence[Sequence[str]] | None = None
    moves: Mapping[str, Any] | None = None
    hosts: int | None = None
    backbone: Link | Mapping[str, Any] | None = None
    access: Link | Mapping[str, Any] | None = None
    radio: Mapping[str, Any] | None = None
    send_jitter: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return {"kind": "wlan"} | _fields(self)


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Nodes ``n0``, ``n1``, ... on a line, on one radio channel; packets go from node to node.

    Parameters
    ----------
    nodes : int
        How many, at least 2.
    spacing : str
        Between neighbours, ``"200 m"``.
    moves : mapping
        Ways of nodes that move, as in :class:`Wlan`. Routes stay as at the start.
    radio : mapping
        As in :class:`Wlan`.
    send_jitter : str
        As in :class:`Dumbbell`.
    """

    nodes: int
    spacing: str
    moves: Mapping[str, Any] | None = None
    radio: Mapping[str, Any] | None = None
    send_jitter: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return {"kind": "chain"} | _fields(self)


@dataclass(frozen=True, kw_only=True)
class Cellular:
    """Base stations and mobiles on their ways: ``server`` to ``router`` to ``base`` to ``mobile/i``.

    Parameters
    ----------
    preset : {"wimax", "rana", "lte-like"}
        All other values.
    stations : sequence
        Where base stations are: ``["0 m", "2 km"]``, or pairs of x and y.
    radius : str
        How far each reaches.
    path_exponent : float
        With which power falls with distance.
    snr_edge : str
        Signal to noise at the radius, ``"6 dB"``.
    mobile : mapping
        The way of one mobile: ``{"from": "0 m", "to": "4 km", "speed": "50 m/s"}``.
    mobiles : sequence of mapping
        Instead: a list of ways, ``fixed``, ``line``, ``waypoints`` or ``trace``.
    handover : mapping
        ``{"hysteresis": "3 dB", "break": "50 ms", "queue_at_old": "forwarded"}``.
    modulation : str
        ``"by-snr"``, or one for all places.
    frame : str
        Length of a frame.
    bandwidth : str
        Of each direction of ``lte-like``.
    radio : mapping
        ``queue`` in front of the air, ``loss`` behind it.
    router, backbone : Link or mapping
        The link from the router to the base stations, and from the server to the router.
    send_jitter : str
        As in :class:`Dumbbell`.
    """

    preset: str | None = None
    stations: Sequence[Any] | None = None
    radius: str | None = None
    path_exponent: float | None = None
    snr_edge: str | None = None
    mobile: Mapping[str, Any] | None = None
    mobiles: Sequence[Mapping[str, Any]] | None = None
    handover: Mapping[str, Any] | None = None
    modulation: str | None = None
    frame: str | None = None
    bandwidth: str | None = None
    radio: Mapping[str, Any] | None = None
    router: Link | Mapping[str, Any] | None = None
    backbone: Link | Mapping[str, Any] | None = None
    send_jitter: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return {"kind": "cellular"} | _fields(self)


@dataclass(frozen=True, kw_only=True)
class Graph:
    """Any nodes, links and radio media, with shortest-path routes.

    Parameters
    ----------
    links : sequence of Link or mapping
        Each with ``from_`` and ``to``.
    media : sequence of mapping
        Radio channels: ``name``, ``stations`` (nodes), perhaps ``access_points``, ``positions``, and the keys of the
        `radio` of a :class:`Wlan`.
    nodes : sequence of str
        Names, if some node should be declared beforehand.
    send_jitter : str
        As in :class:`Dumbbell`.
    """

    links: Sequence[Link | Mapping[str, Any]] | None = None
    media: Sequence[Mapping[str, Any]] | None = None
    nodes: Sequence[str] | None = None
    send_jitter: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return {"kind": "graph"} | _fields(self)


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A group of flows. ``None`` leaves the engine's default.

    Parameters
    ----------
    from_, to : str
        Node names or patterns, ``"left/*"``.
    algorithm : str or mapping
        ``"cerl"``, or ``{"name": "cerl", "cerl_cmp": "gt"}``. Not with ``transport="udp"``.
    transport : {"tcp", "udp", "tfrc"}
        What carries the data; by default what the algorithm needs.
    class_ : {"voice", "video", "best-effort", "background"}
        Of its packets, where a radio medium tells classes apart (EDCA); ``"best-effort"`` by default.
    traffic : mapping
        What a UDP flow sends: ``{"kind": "cbr", "rate": "1 Mbps", "packet": "1000 B"}``.
    header : str
        Header of a packet of ``transport="tfrc"``, ``"40 B"``.
    name : str
        Name of the group; its members are ``name/0``, ``name/1``, ... when there are several.
    count : int
        Connections for each pair of nodes.
    segment, start, stop, size : str
        ``"1460 B"``, ``"0 s"`` or ``"uniform(0 s, 10 s)"``, ``"100 s"``, ``"10 MB"``.
        Each but ``segment`` may be drawn: ``"exponential(20 kB)"``.
    arrivals : str
        Flows that arrive at random over the run, ``"poisson(5 per s)"``; each needs a ``size``.
    direction : {"forward", "both"}
        ``"both"``: data both ways on one connection.
    reverse_start : str
        When the other end starts to send.
    multipath : int or mapping
        ``2``, or ``{"paths": 2, "coupled": True}``: one connection over so many paths.
    tcp : mapping
        Engine rules, ``{"window": "1000 segments"}``.
    """

    from_: str
    to: str
    algorithm: str | Mapping[str, Any] | None = None
    transport: str | None = None
    class_: str | None = None
    traffic: Mapping[str, Any] | None = None
    header: str | None = None
    name: str | None = None
    count: int | None = None
    segment: str | None = None
    start: str | None = None
    stop: str | None = None
    size: str | None = None
    arrivals: str | None = None
    direction: str | None = None
    reverse_start: str | None = None
    multipath: int | Mapping[str, Any] | None = None
    tcp: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as a scenario file has it."""
        return _fields(self)


def plain(item: Any) -> Any:
    """Builders, mappings and sequences as dicts and lists."""
    if isinstance(item, (Link, Dumbbell, ThreeRouters, Graph, Wlan, Chain, Cellular, Flow)):
        return item.to_dict()
    if isinstance(item, Mapping):
        return {str(name): plain(part) for name, part in item.items()}
    if isinstance(item, (list, tuple, range)):
        return [plain(part) for part in item]
    if isinstance(item, type):
        from windlass.control import register

        return register(item)
    return item


def set_texts(settings: Mapping[str, Value]) -> list[tuple[str, str]]:
    """Settings as overrides: a dotted key each, and the value as a file has it.

    Raises
    ------
    InputError
        If a value is nothing that a file can have.
    """
    return [(name, item if isinstance(item, str) else _text(name, item)) for name, item in settings.items()]


def _text(name: str, item: Any) -> str:
    try:
        return _toml.value(plain(item))
    except TypeError as error:
        raise InputError(f"`{name}`: {error}", code="scenario.not-data", hint="leave the key out instead") from None


def _fields(builder: Any) -> dict[str, Any]:
    """Fields that were given, in the order of the class, under the file's names (``from_`` is ``from`` there)."""
    given = ((field.name, getattr(builder, field.name)) for field in dataclasses.fields(builder))
    return {name.rstrip("_"): plain(item) for name, item in given if item is not None}
