"""An experiment's scenario for each variant, with its sweep."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windlass.experiments.flows import flows_of, mix_of
from windlass.experiments.opened import MARKED, SLOTS, bdp_packets
from windlass.experiments.setting import NotYet, Setting
from windlass.ledger import Experiment, Ledger, Topology, WireLink


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
    mix = mix_of(experiment)
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
    mix = mix_of(experiment)
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
        "flows": flows_of(experiment, variant, setting, mix),
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
        packets = bdp_packets(ledger, experiment) if setting.queue == "bdp" else setting.queue
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
