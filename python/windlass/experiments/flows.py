"""The flows of an experiment: its variants, its mixes, their algorithms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windlass.experiments.setting import NotYet, Setting
from windlass.ledger import Experiment

HEADER_BYTES = 40
"""TCP and IP header of a data segment, as ns-2 and the RFCs without options have it."""

ALGORITHMS: dict[str, str] = {
    "cerlplus": "cerl-plus",
    "cerlplus2": "cerl-plus-2",
}
"""Ledger names that are not aliases in the registry of algorithms; any other name is looked up there as it is."""

NAMES = {"NewReno": "newreno", "CERL+": "cerlplus", "Reno": "reno", "CERL": "cerl"}
"""Protocols as the papers write them in a description of a mix."""

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


@dataclass(frozen=True)
class Mix:
    """Who sends: ``groups`` of (variant, count), where the variant may be ``""`` for the one under test.

    ``fixed`` mixes name every variant; the others are one group of the variant under test beside fixed ones.
    """

    groups: tuple[tuple[str, int], ...]

    @property
    def fixed(self) -> bool:
        """Whether every group has its algorithm by name."""
        return all(name for name, _ in self.groups)


def mix_of(experiment: Experiment) -> Mix | None:
    """The mix that an experiment describes, if it does."""
    """What the ledger's words about the traffic mean; ``None`` for one flow per pair, all of the variant under test."""
    words = str(experiment.traffic["flows"])
    if words == "1" or re.fullmatch(r"\d+ (forward FTP transfers|connections)\b.*\ball of one variant", words):
        return None
    found = re.match(r"(\d+) (\S+) and (\d+) of one variant", words)
    if found and found.group(2) in NAMES:
        return Mix(((NAMES[found.group(2)], int(found.group(1))), ("", int(found.group(3)))))
    parts = [re.fullmatch(r"(\d+) (\S+)", part) for part in words.split(" and ")]
    groups = tuple((NAMES.get(part.group(2), ""), int(part.group(1))) for part in parts if part)
    if len(groups) == len(parts) and all(name for name, _ in groups):
        return Mix(groups)
    raise NotYet(f"`{experiment.id}`: traffic `{words}` needs flows that are not expressed yet")


def flows_of(experiment: Experiment, variant: str, setting: Setting, mix: Mix | None) -> list[dict[str, Any]]:
    """Groups of flows for one variant, or for the whole mix."""
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
        "segment": f"{segment_bytes(experiment)} B",
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


def segment_bytes(experiment: Experiment) -> int:
    """Payload of a data segment."""
    given = experiment.traffic["segment_B"]
    if not isinstance(given, int):
        raise NotYet(f"`{experiment.id}`: the segment size is `{given}`, not a number")
    return given
