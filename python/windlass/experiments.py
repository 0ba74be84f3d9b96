"""From an experiment of the ledger to scenarios: what the tables of a paper become as links, flows and sweeps.

The mapping reads the ledger's tables (``topology``, ``traffic``, ``fixed``, ``sweep``, ``open``) and knows no figure. A paper
leaves things open; :class:`Setting` holds one choice for each of them, :func:`base_setting` takes the ledger's defaults, and
:func:`readings` lists the other plausible choices, one at a time. What cannot be expressed ends in :class:`NotYet`, which
names what is missing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from windlass.errors import InputError
from windlass.ledger import Axis, Check, Claim, Experiment, Ledger, Topology, WireLink
from windlass.verdicts import Limit, derived

__all__ = [
    "Case",
    "NotYet",
    "Reading",
    "Setting",
    "base_setting",
    "cases",
    "cerl_like",
    "limit",
    "partners",
    "points_of",
    "readings",
    "scenario",
    "thinned",
]

HEADER_BYTES = 40
"""TCP and IP header of a data segment, as ns-2 and the RFCs without options have it."""

SLOTS = {1: ("dumbbell", ("left", "bottleneck", "right")), 2: ("three-routers", ("left", "first", "second", "right"))}
"""Kind of topology and names of its links, by how many links stand between the access links."""

ALGORITHMS: dict[str, str] = {
    "cerlplus": "cerl-plus",
    "cerlplus2": "cerl-plus-2",
}
"""Ledger names that are not aliases in the registry of algorithms; any other name is looked up there as it is."""

NAMES = {"NewReno": "newreno", "CERL+": "cerlplus", "Reno": "reno", "CERL": "cerl"}
"""Protocols as the papers write them in a description of a mix."""

MARKED = frozenset({"jersey", "newjersey", "newjerseyplus"})
"""Variants that need routers to mark packets (``open.cw``)."""

LOSS_BASED = frozenset(
    {
        "newreno",
        "reno",
        "cerl",
        "cerlplus",
        "cerlplus2",
        "mveno",
        "veno",
        "westwood",
        "westwoodplus",
        "newjersey",
        "newjerseyplus",
        "cubic",
        "yeah",
        "jersey",
        "wr",
        "ewr",
        "adaptive",
    }
)
"""Variants whose recovery from loss is exchanged in the reading that gives all of them SACK."""


class NotYet(InputError):
    """The experiment needs something that this version cannot simulate."""

    code = "reproduce.not-yet"


@dataclass(frozen=True)
class Setting:
    """One choice for everything that a paper leaves open.

    Attributes
    ----------
    duration_s : float
        Simulated time.
    seeds : int
        Runs per point.
    queue : int or "bdp"
        Packets that every link's queue holds; ``"bdp"`` is one bandwidth-delay product of the narrowest link.
    window_segments : int
        Receiver's window.
    start_s : tuple of float
        Flows start at uniform draws between these times.
    loss_at : {"wire", "queue"}
        Random loss after transmission, or before the queue.
    loss_direction : {"forward", "reverse", "both"}
        Direction in which packets are lost at random.
    two_way : {"connection", "separate"}
        Two-way traffic on one connection, or as flows of their own in the other direction.
    recovery : str, optional
        Recovery core of all loss-based senders, instead of the one each names.
    algorithms : mapping of str to str or mapping
        Variants that run as another algorithm or with other parameters.
    """

    duration_s: float
    seeds: int
    queue: int | str
    window_segments: int
    start_s: tuple[float, float]
    loss_at: str
    loss_direction: str
    two_way: str = "connection"
    recovery: str | None = None
    algorithms: Mapping[str, str | Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """Another plausible choice for one open parameter.

    ``touches`` are the variants that it can change, ``None`` for all; ``needs`` the algorithms and parameters without which
    it cannot be run.
    """

    key: str
    title: str
    open: str
    why: str
    changes: Mapping[str, Any]
    touches: frozenset[str] | None = None
    needs: tuple[tuple[str, str | None], ...] = ()

    def apply(self, setting: Setting) -> Setting:
        """The setting with this choice in place of the default."""
        changes = dict(self.changes)
        if "algorithms" in changes:
            changes["algorithms"] = {**setting.algorithms, **changes["algorithms"]}
        return replace(setting, **changes)

    def concerns(self, variants: Iterable[str]) -> bool:
        """Whether it can change what is said of any of these variants."""
        return self.touches is None or not self.touches.isdisjoint(_plain_name(name) for name in variants)


@dataclass(frozen=True)
class Case:
    """One scenario to run: an experiment's sweep for one variant (or for a fixed mix of them) in one setting.

    ``members`` gives, for each variant that is measured in it, the groups of flows that carry it (``None``: all of them).
    """

    experiment: str
    variant: str
    scenario: dict[str, Any]
    points: tuple[tuple[Any, ...], ...]
    members: Mapping[str, tuple[str, ...] | None]


# ---- what is open ----


def base_setting(ledger: Ledger, experiment: Experiment) -> Setting:
    """The ledger's defaults for an experiment. Of the tie in CERL's test, the algorithm's own default is the base.

    Raises
    ------
    NotYet
        If a default is of a kind that no setting has.
    """
    _expressible(ledger, experiment)
    opened = {key: ledger.open[key].default for key in experiment.open}

    def number(key: str, pattern: str, otherwise: float) -> float:
        if key not in opened:
            return otherwise
        found = re.search(pattern, opened[key])
        if found is None:
            raise NotYet(
                f"`{experiment.id}`: the default of `open.{key}` (`{opened[key]}`) has no place in a setting yet"
            )
        return float(found.group(1))

    two_way = experiment.traffic["direction"] == "two-way"
    window = re.search(r"(\d+)(?: segments)?\)", opened.get("rwnd", "(10000 segments)"))
    starts = re.search(r"([\d.]+)\.\.([\d.]+) s", opened.get("starts", "0..0 s"))
    if window is None or starts is None:
        key = "rwnd" if window is None else "starts"
        raise NotYet(f"`{experiment.id}`: the default of `open.{key}` (`{opened[key]}`) has no place in a setting yet")
    return Setting(
        duration_s=number("simtime", r"(\d+)", 200.0),
        seeds=int(number("seeds", r"(\d+) runs", 10)),
        queue=int(number("queue", r"(\d+) packets", 50)),
        window_segments=int(window.group(1)),
        start_s=(float(starts.group(1)), float(starts.group(2))),
        loss_at="queue" if opened.get("lossplace", "after").startswith("before") else "wire",
        loss_direction="both" if two_way else "forward",
    )


def _expressible(ledger: Ledger, experiment: Experiment) -> None:
    """Stop at the first thing that no scenario can express, the most telling one first."""
    if experiment.kind != "simulation":
        kind = _KIND_WORDS.get(experiment.kind, experiment.kind)
        raise NotYet(f"`{experiment.id}` is no simulation but {kind}", hint=_kind_hint(experiment))
    topology = ledger.topologies[experiment.topology]
    known = all(isinstance(link.rate_mbps, (int, float)) and link.delay_ms is not None for link in topology.links)
    if len(topology.links) - 2 not in SLOTS or not known:
        raise NotYet(f"`{experiment.id}` needs a network that cannot be built yet: {topology.title}")
    if any(not isinstance(link.delay_ms, (int, float)) for link in topology.links):
        raise NotYet(f"`{experiment.id}` needs access delays drawn at random ({topology.title})")
    for axis in experiment.axes:
        if not axis.points:
            raise NotYet(f"`{experiment.id}` is drawn over `{axis.key}`, which needs traces over time")
    if "ftpsize" in experiment.open:
        raise NotYet(f"`{experiment.id}` needs transfers of a given size and the times at which they end")
    _mix(experiment)


def readings(ledger: Ledger, experiment: Experiment) -> list[Reading]:
    """Other plausible choices for what the paper leaves open, each against the base alone."""
    two_way = experiment.traffic["direction"] == "two-way"
    bdp = _bdp_packets(ledger, experiment)
    inverted = {name: f"{ALGORITHMS[name]}-inverted" for name in ("cerlplus", "cerlplus2")}
    rows = [
        Reading(
            "inverted",
            "CERL+ with A = T / RTTavg instead of RTTavg / T",
            "threshold",
            "the printed threshold can never be passed, so either it is meant the other way round or CERL+ never cuts",
            {"algorithms": inverted},
            frozenset(inverted),
            (("cerl-plus-inverted", None),),
        ),
        Reading(
            "tie-gt",
            "CERL's test strict: a queue just at the threshold is a random loss",
            "tie",
            "the thesis writes both l > N and l >= N",
            {
                "algorithms": {
                    name: {"name": ALGORITHMS.get(name, name), "cerl_cmp": "gt"} for name in ("cerl", "cerlplus")
                }
            },
            frozenset({"cerl", "cerlplus"}),
            (("cerl", "cerl_cmp"),),
        ),
        Reading(
            "cubic-2008",
            "CUBIC of 2008 instead of RFC 9438",
            "cubic",
            "the module of the ns-2 years is the older CUBIC",
            {"algorithms": {"cubic": "cubic-2008"}},
            frozenset({"cubic"}),
            (("cubic-2008", None),),
        ),
        Reading(
            "queue-bdp",
            f"queues of one bandwidth-delay product ({bdp} packets)",
            "queue",
            "the queue's length is not stated, and CERL's estimate of the longest queue scales with it",
            {"queue": "bdp"},
        ),
        Reading(
            "rwnd-20",
            "receiver window of 20 segments",
            "rwnd",
            "the stock value of ns-2 scripts that set none",
            {"window_segments": 20},
        ),
        Reading(
            "loss-forward" if two_way else "loss-both",
            "random loss in the forward direction only" if two_way else "random loss in both directions, ACKs included",
            "lossdir",
            "the thesis gives a loss rate for the link and names no direction",
            {"loss_direction": "forward" if two_way else "both"},
        ),
        Reading(
            "loss-queue",
            "random loss before the queue instead of after it",
            "lossplace",
            "ns-2 has both ways of attaching an error model",
            {"loss_at": "queue"},
        ),
        Reading(
            "starts-1s",
            "all flows start within the first second",
            "starts",
            "only different times are stated",
            {"start_s": (0.0, 1.0)},
        ),
        Reading(
            "all-sack",
            "all loss-based senders recover with SACK",
            "recovery",
            "the papers do not say which loss recovery carries each window rule",
            {"recovery": "sack"},
            LOSS_BASED,
        ),
        Reading(
            "two-way-separate",
            "the reverse data as flows of their own, not on the same connection",
            "twoway",
            "one-way agents of ns-2 cannot carry data and ACKs together",
            {"two_way": "separate"},
        ),
    ]
    present = {*experiment.open, "recovery"}
    return [row for row in rows if row.open in present and row.concerns(experiment.variants)]


def _bdp_packets(ledger: Ledger, experiment: Experiment) -> int:
    """One bandwidth-delay product of the narrowest shared link over the empty round trip, in packets of the experiment."""
    topology = ledger.topologies[experiment.topology]
    try:
        rates = [_number(link.rate_mbps) for link in topology.links[1:-1]]
        round_trip_ms = 2 * sum(_number(link.delay_ms) for link in topology.links)
        packet_bytes = _segment_bytes(experiment) + HEADER_BYTES
        return round(min(rates) * 1000 * round_trip_ms / 8 / packet_bytes)
    except TypeError:
        return 0


# ---- scenarios ----


def cases(
    ledger: Ledger, experiment: Experiment, setting: Setting, points: Sequence[Sequence[Any]], variants: Iterable[str]
) -> list[Case]:
    """Scenarios of an experiment for some of its variants, each sweeping the experiment's axes.

    Parameters
    ----------
    points : sequence of sequence
        For each axis of the experiment, the values to run.

    Raises
    ------
    NotYet
        If something of it cannot be expressed.
    """
    mix = _mix(experiment)
    product = tuple(itertools.product(*points))
    wanted = [name for name in experiment.variants if name in set(variants)]
    if mix is not None and mix.fixed:
        members: dict[str, tuple[str, ...] | None] = {}
        for name, count in mix.groups:
            groups = tuple(f"{name}-{index}" for index in range(count))
            members[name] = groups
            members |= {f"{name}#{index + 1}": (group,) for index, group in enumerate(groups)}
        document = scenario(ledger, experiment, experiment.variants[0], setting, points)
        return [Case(experiment.id, "", document, product, members)]
    return [
        Case(experiment.id, name, scenario(ledger, experiment, name, setting, points), product, {name: None})
        for name in wanted
    ]


def scenario(
    ledger: Ledger, experiment: Experiment, variant: str, setting: Setting, points: Sequence[Sequence[Any]]
) -> dict[str, Any]:
    """The scenario of one variant: the same tables and keys as in a scenario file.

    Raises
    ------
    NotYet
        If something of it cannot be expressed.
    """
    topology = ledger.topologies[experiment.topology]
    mix = _mix(experiment)
    pairs = sum(count for _, count in mix.groups) if mix and mix.fixed else None
    network = _network(ledger, experiment, topology, variant, setting, pairs)
    document: dict[str, Any] = {
        "scenario": {
            "name": f"{ledger.id}/{topology.key}",
            "duration": f"{setting.duration_s:g} s",
            "profile": "ns2",
            "seeds": setting.seeds,
        },
        "topology": network,
        "flows": _flows(experiment, variant, setting, mix),
    }
    for key, value in experiment.fixed.items():
        for path, text in _located(experiment, topology, key, "", value):
            _put(document, path, text)
    swept: dict[str, list[str]] = {}
    for axis, values in zip(experiment.axes, points, strict=True):
        texts = [_located(experiment, topology, axis.key, axis.parameter, value) for value in values]
        for column in zip(*texts, strict=True):
            path = column[0][0]
            _put(document, path, column[0][1])
            swept[path] = [text for _, text in column]
        if len(texts[0]) > 1:
            raise NotYet(f"`{experiment.id}` sweeps `{axis.key}`, which sets several links at once")
    if swept:
        document["sweep"] = swept
    return document


_KIND_WORDS = {
    "illustration": "an illustration of a sender's rules segment by segment",
    "quoted": "a number quoted from other work",
    "asserted": "a statement without a run",
    "summary": "a summary over other figures",
}


def _kind_hint(experiment: Experiment) -> str:
    if experiment.covers:
        return (
            "reproduce the figures that it covers: "
            + ", ".join(f"`{name}`" for name in experiment.covers[:4])
            + ", ..."
        )
    return "figures with a sweep, such as `saedi2019/fig3.5`, can be reproduced"


def _network(
    ledger: Ledger, experiment: Experiment, topology: Topology, variant: str, setting: Setting, pairs: int | None
) -> dict[str, Any]:
    kind, slots = SLOTS[len(topology.links) - 2]
    first = topology.links[0]
    count = pairs if pairs is not None else first.count
    if not isinstance(count, int) or (pairs is None and topology.links[-1].count != count):
        raise NotYet(f"`{experiment.id}`: the number of hosts on each side of `{topology.key}` is not one number")
    network: dict[str, Any] = {"kind": kind, "pairs": count}
    for slot, link in zip(slots, topology.links, strict=True):
        network[slot] = _link(ledger, experiment, link, variant, setting)
    return network


def _link(ledger: Ledger, experiment: Experiment, link: WireLink, variant: str, setting: Setting) -> dict[str, Any]:
    table: dict[str, Any] = {"rate": f"{link.rate_mbps:g} Mbps", "delay": f"{link.delay_ms:g} ms"}
    if link.queue.startswith("open.") or link.queue == "unstated":
        packets = _bdp_packets(ledger, experiment) if setting.queue == "bdp" else setting.queue
        table["queue"] = f"{packets} packets"
    else:
        table["queue"] = link.queue
    if link.loss != "0":
        if not re.fullmatch(r"q(_\w+)?", link.loss):
            raise NotYet(f"`{experiment.id}`: loss `{link.loss}` of {link.name or link.a} has no known place")
        table["loss"] = {"model": "uniform", "rate": "0 %", "at": setting.loss_at, "direction": setting.loss_direction}
    if variant in MARKED:
        table["warning"] = True
    return table


@dataclass(frozen=True)
class _Mix:
    """Who sends: ``groups`` of (variant, count), where the variant may be ``""`` for the one under test.

    ``fixed`` mixes name every variant; the others are one group of the variant under test beside fixed ones.
    """

    groups: tuple[tuple[str, int], ...]

    @property
    def fixed(self) -> bool:
        return all(name for name, _ in self.groups)


def _mix(experiment: Experiment) -> _Mix | None:
    """What the ledger's words about the traffic mean; ``None`` for one flow per pair, all of the variant under test."""
    words = str(experiment.traffic["flows"])
    if words == "1" or re.fullmatch(r"\d+ (forward FTP transfers|connections)\b.*\ball of one variant", words):
        return None
    found = re.match(r"(\d+) (\S+) and (\d+) of one variant", words)
    if found and found.group(2) in NAMES:
        return _Mix(((NAMES[found.group(2)], int(found.group(1))), ("", int(found.group(3)))))
    parts = [re.fullmatch(r"(\d+) (\S+)", part) for part in words.split(" and ")]
    groups = tuple((NAMES.get(part.group(2), ""), int(part.group(1))) for part in parts if part)
    if len(groups) == len(parts) and all(name for name, _ in groups):
        return _Mix(groups)
    raise NotYet(f"`{experiment.id}`: traffic `{words}` needs flows that are not expressed yet")


def _flows(experiment: Experiment, variant: str, setting: Setting, mix: _Mix | None) -> list[dict[str, Any]]:
    if mix is None:
        return _group(experiment, variant, setting, "flow", "*")
    flows: list[dict[str, Any]] = []
    first = 0
    for name, count in mix.groups:
        # One group for each pair, since a pattern takes either one host or all of them.
        label = name if mix.fixed else (f"beside-{name}" if name else "tested")
        for index in range(count):
            flows += _group(experiment, name or variant, setting, f"{label}-{index}", str(first + index))
        first += count
    return flows


def _group(experiment: Experiment, variant: str, setting: Setting, name: str, host: str) -> list[dict[str, Any]]:
    low, high = setting.start_s
    group: dict[str, Any] = {
        "name": name,
        "from": f"left/{host}",
        "to": f"right/{host}",
        "algorithm": algorithm(variant, setting),
        "segment": f"{_segment_bytes(experiment)} B",
        "start": f"uniform({low:g} s, {high:g} s)" if high > low else f"{low:g} s",
        "tcp": {"window": f"{setting.window_segments} segments"},
    }
    if setting.recovery is not None and variant in LOSS_BASED:
        group["tcp"]["recovery"] = setting.recovery
    if experiment.traffic["direction"] != "two-way":
        return [group]
    if setting.two_way == "connection":
        return [{**group, "direction": "both"}]
    return [group, {**group, "name": f"{name}-back", "from": group["to"], "to": group["from"]}]


def algorithm(variant: str, setting: Setting) -> str | dict[str, Any]:
    """The algorithm that a variant of the ledger runs as, in the form of a scenario."""
    given = setting.algorithms.get(variant, ALGORITHMS.get(variant, variant))
    return dict(given) if isinstance(given, Mapping) else given


def _segment_bytes(experiment: Experiment) -> int:
    given = experiment.traffic["segment_B"]
    if not isinstance(given, int):
        raise NotYet(f"`{experiment.id}`: the segment size is `{given}`, not a number")
    return given


# ---- where a key of the ledger acts ----


def _located(experiment: Experiment, topology: Topology, key: str, parameter: str, value: Any) -> list[tuple[str, str]]:
    """Dotted keys of the scenario that a key of the ledger sets, with the text of its value."""
    slots = SLOTS[len(topology.links) - 2][1] if len(topology.links) - 2 in SLOTS else ()
    if key in ("N", "flows"):
        return []
    found = re.fullmatch(r"(q|rate|delay)(?:_(\w+?))?_(percent|mbps|ms)", key)
    if found is None or not slots:
        raise NotYet(f"`{experiment.id}` sets `{key}`, which has no place in a scenario yet")
    what, place, _ = found.groups()
    entry, unit = {"q": ("loss.rate", "%"), "rate": ("rate", "Mbps"), "delay": ("delay", "ms")}[what]
    if place == "access":
        # Which side is meant is in the words of the sweep; the sender's side if they do not say.
        slot = slots[-1] if "receiver" in parameter else slots[0]
        return [(f"topology.{slot}.{entry}", f"{value:g} {unit}")]
    symbol = key.removesuffix("_percent")
    for slot, link in zip(slots, topology.links, strict=True):
        if (what == "q" and link.loss == symbol) or (what != "q" and link.name == place):
            return [(f"topology.{slot}.{entry}", f"{value:g} {unit}")]
    if what == "q" and value == 0:
        return []
    raise NotYet(f"`{experiment.id}` sets `{key}`, and `{topology.key}` has no such link")


def _put(document: dict[str, Any], path: str, value: str) -> None:
    *parents, last = path.split(".")
    table = document
    for name in parents:
        table = table[name]
    table[last] = value


# ---- which points ----


def points_of(experiment: Experiment) -> list[tuple[Any, ...]]:
    """All values of every axis."""
    return [axis.points for axis in experiment.axes]


def thinned(experiment: Experiment, claims: Sequence[Claim], most: int) -> list[tuple[Any, ...]]:
    """Fewer values of every axis: the ends, what a claim names, and points between until there are ``most``."""
    return [_thin(axis, claims, most) for axis in experiment.axes]


def _thin(axis: Axis, claims: Sequence[Claim], most: int) -> tuple[Any, ...]:
    values = list(axis.points)
    if len(values) <= most:
        return tuple(values)
    kept = {0, len(values) - 1}
    for claim in claims:
        for check in (claim.check, *claim.check.also):
            kept |= _named(check, axis.key, values)
    while len(kept) < most:
        order = sorted(kept)
        gap, start = max(
            ((high - low, low) for low, high in itertools.pairwise(order)), key=lambda pair: (pair[0], -pair[1])
        )
        if gap < 2:
            break
        kept.add(start + gap // 2)
    return tuple(values[index] for index in sorted(kept))


def _named(check: Check, key: str, values: Sequence[Any]) -> set[int]:
    """Positions of the values that a check names: points, and the ends of ranges."""
    kept: set[int] = set()
    for selector in ("at", "must_hold_at", "except_at", "last_at", "at_a", "at_b", "a_above", "b_above"):
        wanted = (check.get(selector) or {}).get(key)
        if isinstance(wanted, list) and len(wanted) == 2:
            inside = [index for index, value in enumerate(values) if wanted[0] <= value <= wanted[1]]
            kept |= {inside[0], inside[-1]} if inside else set()
        elif isinstance(wanted, list):
            kept |= {index for index, value in enumerate(values) if value in wanted}
        elif wanted in values:
            kept.add(values.index(wanted))
    return kept


# ---- what a claim needs beside its own experiment ----


def partners(ledger: Ledger, claims: Iterable[Claim], experiment: Experiment) -> dict[str, set[str]]:
    """Other experiments that the claims compare with, and the variants that are needed of them."""
    needed: dict[str, set[str]] = {}
    for claim in claims:
        for check in (claim.check, *claim.check.also):
            if check.kind != "cross" or check.get("largest_of"):
                continue
            for side in ("a", "b"):
                other = check[f"{side}_from"]
                names = [check[side]] if isinstance(check[side], str) else list(check[side])
                if isinstance(other, str) and other != experiment.id:
                    wanted = needed.setdefault(other, set())
                    wanted.update(_plain_name(name) for name in names)
                    if derived(str(check["metric"])):
                        wanted.update(ledger.experiments[other].variants)
    return needed


def _plain_name(variant: str) -> str:
    """A variant without the number of its flow: ``newreno#2`` is ``newreno``."""
    return variant.split("#", 1)[0]


# ---- what the links carry ----


def limit(ledger: Ledger, experiment: Experiment, setting: Setting) -> Callable[[tuple[Any, ...]], Limit | None]:
    """Most payload that the experiment's links can carry, by point of its sweep.

    The narrowest of the cuts is taken: all sender links together, each shared link, all receiver links together. A flow's
    average is taken over its own active time, so a shared link is allowed the whole run's bits over the shortest active
    time; a host's own link needs no such allowance. With data both ways each direction has the links for itself.
    """
    topology = ledger.topologies[experiment.topology]
    segment = _segment_bytes(experiment)
    share = segment / (segment + HEADER_BYTES)
    first = topology.links[0].count
    mix = _mix(experiment)
    pairs = sum(count for _, count in mix.groups) if mix and mix.fixed else first
    if not isinstance(pairs, int):
        return lambda _: None
    directions = 2 if experiment.traffic["direction"] == "two-way" else 1
    stretch = setting.duration_s / (setting.duration_s - setting.start_s[1])

    def at(point: tuple[Any, ...]) -> Limit | None:
        values = {**experiment.fixed, **{axis.key: value for axis, value in zip(experiment.axes, point, strict=True)}}
        cuts: list[tuple[float, str]] = []
        for position, link in enumerate(topology.links):
            own = position in (0, len(topology.links) - 1)
            rate = values.get(f"rate_{link.name}_mbps", link.rate_mbps) if link.name else link.rate_mbps
            if not isinstance(rate, (int, float)):
                return None
            if own:
                side = "sender" if position == 0 else "receiver"
                words = f"{pairs} × {rate:g} Mbps {side} links carry at most {{:.2f}} Mbps of payload"
                cuts.append((pairs * rate * share, words))
            else:
                allowance = f", {stretch:.3f} times that over the flows' active time" if stretch > 1 else ""
                words = f"the {rate:g} Mbps of {link.name} carry at most {{:.2f}} Mbps of payload{allowance}"
                cuts.append((rate * share * stretch, words))
        total, words = min(cuts, key=lambda cut: cut[0])
        plain = total / stretch if "active" in words else total
        text = words.format(plain)
        text = f"{text[0].upper()}{text[1:]} ({segment} of every {segment + HEADER_BYTES} B)."
        if directions == 2:
            text = f"{text[:-1]} in each direction."
        flows = pairs * directions
        return Limit(total * directions, total / pairs, flows, text)

    return at


def cerl_like(experiment: Experiment) -> list[str]:
    """Variants that call a loss random or not, whose calls can be held against the truth."""
    return [
        name for name in experiment.variants if name.startswith("cerl") or name in ("mveno", "veno", "newjerseyplus")
    ]


def _number(value: Any) -> float:
    if not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is not a number")
    return float(value)
