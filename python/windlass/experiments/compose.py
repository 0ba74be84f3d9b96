"""An experiment's scenario: a network of the paper with what is stated, assumed, tested and swept laid over it."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from windlass.errors import InputError
from windlass.experiments.needs import NotYet
from windlass.ledger import Axis, Effect, Experiment, Key, Ledger, LedgerError, Mixed, Reading, Topology
from windlass.scenario import Scenario
from windlass.scenario.builders import set_texts


@dataclass(frozen=True)
class Case:
    """One scenario to run: an experiment's sweep for one variant, or for all that are in one network.

    ``points`` are those of the scenario, in its order. ``members`` gives, for each variant that is measured in it, the
    groups of flows that carry it (``None``: all of them).
    """

    experiment: str
    variant: str
    scenario: Scenario
    points: tuple[tuple[Any, ...], ...]
    members: Mapping[str, tuple[str, ...] | None]


@dataclass(frozen=True)
class Group:
    """A group of flows of the scenario and its variant. Where no other flows are, it needs no name in a dotted key."""

    name: str
    variant: str
    alone: bool = False


@dataclass(frozen=True)
class Set:
    """A dotted key and its value, with the line of the ledger that says so."""

    key: str
    value: Any
    line: int | None = None


def cases(
    ledger: Ledger,
    experiment: Experiment,
    points: Sequence[Sequence[Any]],
    variants: Iterable[str],
    reading: Reading | None = None,
    over: Mapping[str, Any] | None = None,
) -> list[Case]:
    """Scenarios of an experiment for some of its variants, each sweeping the experiment's axes.

    Parameters
    ----------
    points : sequence of sequence
        For each axis of the experiment, the values to run.
    reading : Reading, optional
        Another choice for something open.
    over : mapping, optional
        Dotted keys that are laid over all but the sweep.
    """
    scale = reading.scale if reading is not None else {}
    possible = [
        [value for value in values if _possible(ledger, experiment, axis.key, value, scale)]
        for axis, values in zip(experiment.axes, points, strict=True)
    ]
    if not all(possible):
        raise NotYet(f"`{experiment.id}` has no point with less than 100 %")
    wanted = set(variants)
    if not wanted.isdisjoint(experiment.beside):
        wanted = set(experiment.variants)
    names = [""] if experiment.together else [name for name in experiment.variants if name in wanted]
    made = []
    for name in names:
        own = [
            [value for value in values if value == name] if axis.is_variant else values
            for axis, values in zip(experiment.axes, possible, strict=True)
        ]
        if all(own):
            groups = _groups(ledger, experiment, name, reading)
            base = scenario(ledger, experiment, name, reading, over)
            members = _members(experiment, name, groups, reading)
            made += [
                Case(experiment.id, name, swept, at, members)
                for swept, at in _sweeps(ledger, experiment, base, own, reading)
            ]
    return made


def scenario(
    ledger: Ledger,
    experiment: Experiment,
    variant: str,
    reading: Reading | None = None,
    over: Mapping[str, Any] | None = None,
) -> Scenario:
    """The scenario of one variant, nothing swept yet; ``variant`` is empty where all are in one network."""
    sets = settings(ledger, experiment, variant, reading)
    if any("{bdp}" in str(one.value) for one in sets):
        bdp = _bdp(ledger, experiment)
        sets = [
            replace(one, value=one.value.replace("{bdp}", bdp)) if isinstance(one.value, str) else one for one in sets
        ]
    sets += [Set(key, value) for key, value in (over or {}).items()]
    return _laid_over(ledger, experiment, sets)


def settings(ledger: Ledger, experiment: Experiment, variant: str, reading: Reading | None = None) -> list[Set]:
    """Layers over the network: who sends, defaults for what is open, what the paper states, algorithms, reading."""
    document = tomllib.loads(ledger.topologies[experiment.topology].scenario)
    groups = _groups(ledger, experiment, variant, reading)
    keys = ledger.topologies[experiment.topology].keys
    sets = []
    if _mix(experiment, reading) or (reading is not None and reading.mirrored):
        sets.append(Set("flows", _flows(document, experiment, groups, reading)))
    elif experiment.groups:
        sets.append(Set("flows", _taking_part(document, experiment)))
    for group in groups:
        variant_of = ledger.variants[group.variant]
        if not variant_of.name:
            continue  # flows that no algorithm drives
        sets.append(Set(_of_group("flows.algorithm", group), variant_of.algorithm, variant_of.line))
    replaced = reading.open if reading is not None and reading.instead else ""
    kept = [key for key in ledger.open if key in experiment.open and key != replaced]
    opened = [ledger.open[key].effect(experiment) for key in kept]
    for effect in [*opened, experiment.effect]:
        sets += _expanded(effect, groups, document)
    if reading is not None and reading.profile:
        driven = {group: ledger.variants[group.variant].algorithm for group in groups}
        beside = [flow for flow in _taking_part(document, experiment) if "algorithm" in flow]
        sets += _tcp_of(reading.profile, driven | {Group(flow["name"], ""): flow["algorithm"] for flow in beside})
    scale = reading.scale if reading is not None else {}
    for key, value in experiment.fixed.items():
        if not _possible(ledger, experiment, key, value, scale):
            raise NotYet(f"`{experiment.id}` would have {_scaled(key, value, scale):g} % of `{key}`")
        names = [one for name in keys[key].set for one in _of_links(name, document)]
        sets += [Set(name, keys[key].value(_scaled(key, value, scale)), keys[key].line) for name in names]
    variants = dict.fromkeys(group.variant for group in groups)
    for effect in [*(ledger.variants[name].effect for name in variants), *([reading.effect] if reading else [])]:
        added = _expanded(effect, groups, document)
        sets += [one for one in added if reading is None or not reading.profile or ".tcp." not in one.key]
    return sets


OFFERED = "window"
"""What a receiver offers: the one key of TCP that belongs to the path, not to the senders of a time."""


def _tcp_of(profile: str, groups: Mapping[Group, str | Mapping[str, Any]]) -> list[Set]:
    """Every key of TCP as a profile has it, for each group of flows that an algorithm drives."""
    return [
        Set(_of_group(f"flows.tcp.{key}", group), value)
        for group, algorithm in groups.items()
        if algorithm
        for key, value in _defaults(profile, algorithm if isinstance(algorithm, str) else str(algorithm["name"]))
    ]


@cache
def _defaults(profile: str, algorithm: str) -> tuple[tuple[str, Any], ...]:
    """Keys of TCP with the values that a profile gives them where nothing else is said."""
    least = f"""
        [scenario]
        duration = "1 s"
        profile = "{profile}"
        [topology]
        kind = "dumbbell"
        access = {{ rate = "1 Gbps", delay = "1 ms" }}
        bottleneck = {{ rate = "1 Mbps", delay = "1 ms", queue = "10 packets" }}
        [[flows]]
        from = "left/0"
        to = "right/0"
        algorithm = "{algorithm}"
    """
    (flow,) = Scenario.from_toml(least).points()[0].effective()["flows"]
    return tuple((key, value) for key, value in flow["tcp"].items() if key != OFFERED and value is not None)


def _scaled(key: str, value: Any, scale: Mapping[str, float]) -> Any:
    """The number that is meant, where a reading takes the printed one for another unit."""
    return value * scale[key] if key in scale else value


def _possible(ledger: Ledger, experiment: Experiment, key: str, value: Any, scale: Mapping[str, float]) -> bool:
    """Whether a reading leaves something of a share: a rate of loss must be below 100 %."""
    unit = ledger.topologies[experiment.topology].keys[key].unit
    return key not in scale or unit != "%" or _scaled(key, value, scale) < 100


def titled(ledger: Ledger, over: Sequence[Experiment], reading: Reading) -> Reading:
    """The reading with the numbers that its title leaves to the network: from least to most over some experiments."""
    if "{bdp}" not in reading.title:
        return reading
    lengths = sorted({int(_bdp(ledger, experiment)) for experiment in over})
    told = " to ".join(str(length) for length in dict.fromkeys((lengths[0], lengths[-1])))
    return replace(reading, title=reading.title.replace("{bdp}", told))


def _laid_over(ledger: Ledger, experiment: Experiment, sets: Sequence[Set]) -> Scenario:
    """The network's scenario with these keys."""
    network = ledger.topologies[experiment.topology]
    texts = [text for one in sets for text in set_texts({one.key: one.value})]
    with _told(ledger, sets):
        return Scenario.from_toml(network.scenario, filename=f"{ledger.id}/{network.filename}", sets=texts)


@contextmanager
def _told(ledger: Ledger, sets: Sequence[Set]) -> Iterator[None]:
    """What the engine refuses of these keys is told with the line of the ledger that asked for it."""
    try:
        yield
    except InputError as error:
        lines = {f"--set {one.key}": one.line for one in sets if one.line is not None}
        if error.file not in lines:
            raise
        raise LedgerError(error.message, file=ledger.filename, line=lines[error.file], hint=error.hint) from None


def _groups(ledger: Ledger, experiment: Experiment, variant: str, reading: Reading | None) -> list[Group]:
    """The groups of flows that are of some variant."""
    swap = reading.swap if reading is not None else {}
    document = tomllib.loads(ledger.topologies[experiment.topology].scenario)
    mirrors = ("", "-back") if reading is not None and reading.mirrored else ("",)
    mix = _mix(experiment, reading)
    if mix:
        names = [
            (f"{_label(part, experiment)}-{index}", part.variant or variant)
            for part in mix
            for index in range(part.pairs)
        ]
    else:
        flows = _taking_part(document, experiment)
        names = [(flow["name"], variant) for flow in flows if not {"algorithm", "transport"} & flow.keys()]
        names += [(name, of) for of, groups in experiment.beside.items() for name in groups]
    alone = not mix and len({of for _, of in names}) == 1 and len(names) == len(flows)
    return [Group(name + back, swap.get(of, of), alone) for name, of in names for back in mirrors]


def _mix(experiment: Experiment, reading: Reading | None) -> tuple[Mixed, ...]:
    return reading.mix if reading is not None and reading.mix else experiment.mix


def _taking_part(document: Mapping[str, Any], experiment: Experiment) -> list[dict[str, Any]]:
    """The network's groups of flows that the experiment has."""
    return [flow for flow in document["flows"] if not experiment.groups or flow["name"] in experiment.groups]


def _label(part: Mixed, experiment: Experiment) -> str:
    if experiment.together:
        return part.variant
    return f"beside-{part.variant}" if part.variant else "tested"


def _flows(
    document: Mapping[str, Any], experiment: Experiment, groups: Sequence[Group], reading: Reading | None
) -> list[dict[str, Any]]:
    """The network's groups of flows, where pairs of hosts differ one for each pair, since a pattern takes one host or
    all; mirrored: each once more in the other direction.
    """
    (template,) = document["flows"]
    mirrored = reading is not None and reading.mirrored
    flows = []
    for index, group in enumerate(groups):
        pair = index // 2 if mirrored else index
        ends = [template["from"], template["to"]]
        if _mix(experiment, reading):
            ends = [end.replace("*", str(pair)) for end in ends]
        if mirrored and index % 2:
            ends.reverse()
        flows.append({**template, "name": group.name, "from": ends[0], "to": ends[1]})
    return flows


def _members(
    experiment: Experiment, variant: str, groups: Sequence[Group], reading: Reading | None
) -> dict[str, tuple[str, ...] | None]:
    """Which groups of flows carry what is measured."""
    if not experiment.together:
        beside = {name for names in experiment.beside.values() for name in names}
        tested = tuple(group.name for group in groups if group.name not in beside)
        everything = bool(experiment.mix) or all(group.alone for group in groups)
        return {variant: experiment.measured or (None if everything else tested), **experiment.beside}
    back = {new: old for old, new in (reading.swap if reading is not None else {}).items()}
    members: dict[str, tuple[str, ...] | None] = {}
    for name in dict.fromkeys(group.variant for group in groups):
        own = tuple(group.name for group in groups if group.variant == name)
        members[back.get(name, name)] = own
        members |= {f"{back.get(name, name)}#{index + 1}": (group,) for index, group in enumerate(own)}
    return members


def _expanded(effect: Effect, groups: Sequence[Group], document: Mapping[str, Any]) -> list[Set]:
    """The keys of an effect: of flows for each group that it concerns, of links for each link that ``*`` means."""
    concerned = [group for group in groups if effect.variants is None or group.variant in effect.variants]
    if not concerned:
        return []
    sets = []
    for key, value in effect.set.items():
        line = effect.lines.get(key)
        if key.startswith("flows.") and effect.variants is not None:
            sets += [Set(_of_group(key, group), value, line) for group in concerned]
        else:
            sets += [Set(name, value, line) for name in _of_links(key, document)]
    return sets


def _of_group(key: str, group: Group) -> str:
    """The key for one group of flows, or for all if there are no others."""
    return key if group.alone else f"flows.{group.name}.{key.removeprefix('flows.')}"


def _of_links(key: str, document: Mapping[str, Any]) -> list[str]:
    """``topology.*.queue`` for each link, ``topology.*.loss.at`` for each that has a loss, ``topology.media.*.arp``."""
    if key.startswith("topology.media.*."):
        media = document["topology"].get("media", [])
        return [key.replace("*", medium["name"], 1) for medium in media]
    if not key.startswith("topology.*."):
        return [key]
    rest = key.removeprefix("topology.*.")
    first, _, further = rest.partition(".")
    topology = document["topology"]
    links = {name: link for name, link in topology.items() if isinstance(link, dict)}
    links |= {f"links.{link.get('name', link['from'] + '-' + link['to'])}": link for link in topology.get("links", [])}
    return [f"topology.{name}.{rest}" for name, link in links.items() if not further or first in link]


def _sweeps(
    ledger: Ledger,
    experiment: Experiment,
    base: Scenario,
    points: Sequence[Sequence[Any]],
    reading: Reading | None,
) -> list[tuple[Scenario, tuple[tuple[Any, ...], ...]]]:
    """The scenario with the experiment's axes: one sweep, or one for each value of an axis that sets several things."""
    scale = reading.scale if reading is not None else {}
    move = reading.move if reading is not None else {}
    network = ledger.topologies[experiment.topology]
    keys = _named_one_by_one(network)
    axes = list(zip(experiment.axes, points, strict=True))
    plain = [len(keys[axis.key].set) == 1 and not axis.also for axis, _ in axes]
    unrolled = [values if not simple else (None,) for (_, values), simple in zip(axes, plain, strict=True)]
    made = []
    for chosen in itertools.product(*unrolled):
        sets: list[Set] = []
        for (axis, values), simple, value in zip(axes, plain, chosen, strict=True):
            key = keys[axis.key]
            if simple:
                numbers = [key.value(_scaled(axis.key, one, scale)) for one in values]
                sets.append(Set(f"sweep.{key.set[0]}", numbers, key.line))
            else:
                sets += _moved(_at(axis, value, key, scale), move)
        at = itertools.product(
            *((v,) if not s else values for (_, values), s, v in zip(axes, plain, chosen, strict=True))
        )
        with _told(ledger, sets):
            made.append((base.with_({one.key: one.value for one in sets}) if sets else base, tuple(at)))
    return made


def _named_one_by_one(network: Topology) -> dict[str, Key]:
    """The network's keys with every link or medium that a ``*`` means."""
    document = tomllib.loads(network.scenario)
    return {
        name: replace(key, set=tuple(one for text in key.set for one in _of_links(text, document)))
        for name, key in network.keys.items()
    }


def _at(axis: Axis, value: Any, key: Key, scale: Mapping[str, float]) -> list[Set]:
    """What one point of an axis sets."""
    index = axis.points.index(value)
    own = [Set(name, key.value(_scaled(axis.key, value, scale)), key.line) for name in key.set]
    return own + [Set(name, values[index], axis.line) for name, values in axis.also.items()]


def _moved(sets: list[Set], move: Mapping[str, str]) -> list[Set]:
    """The same, and once more below other keys."""
    found = list(sets)
    for old, new in move.items():
        below = [one for one in sets if one.key.startswith(f"{old}.")]
        found += [replace(one, key=new + one.key.removeprefix(old)) for one in below]
    return found


def _bdp(ledger: Ledger, experiment: Experiment) -> str:
    """One bandwidth-delay product of the experiment's network over the empty round trip, in packets of its flows."""
    base = scenario(ledger, experiment, "" if experiment.together else experiment.variants[0])
    (point,) = base.points()
    capacity = point.capacity() or {"bdp_packets": 0}
    return str(round(capacity["bdp_packets"]))
