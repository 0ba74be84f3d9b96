"""Links of a description as ns-2 has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windlass.validation.tcl.words import refuse, value_of


@dataclass(frozen=True)
class Direction:
    """One direction of a link; the limit as ns-2 counts it, ``loss`` a share, ``drops`` arrivals that are lost."""

    source: str
    target: str
    rate_bps: float
    delay_s: float
    limit: int
    loss: float
    at: str
    drops: tuple[int, ...]


def directions_of(topology: Mapping[str, Any]) -> Iterator[Direction]:
    """Every link in both directions."""
    match topology["kind"]:
        case "dumbbell":
            pairs = range(topology["pairs"])
            for i in pairs:
                yield from both_directions(f"left/{i}", "g1", topology["left"], "topology.left")
            yield from both_directions("g1", "g2", topology["bottleneck"], "topology.bottleneck")
            for i in pairs:
                yield from both_directions("g2", f"right/{i}", topology["right"], "topology.right")
        case "three-routers":
            pairs = range(topology["pairs"])
            for i in pairs:
                yield from both_directions(f"left/{i}", "g1", topology["left"], "topology.left")
            yield from both_directions("g1", "g2", topology["first"], "topology.first")
            yield from both_directions("g2", "g3", topology["second"], "topology.second")
            for i in pairs:
                yield from both_directions("g3", f"right/{i}", topology["right"], "topology.right")
        case "graph":
            if topology.get("media"):
                hint = 'take `kind = "wlan"` or `kind = "chain"`'
                refuse("topology.media", None, "radio is written for ready cells and chains only", hint)
            for link in topology["links"]:
                yield from both_directions(link["from"], link["to"], link, f"topology.{link['name']}")
        case kind:
            refuse(
                "topology.kind",
                kind,
                "only wired links, cells and chains of 802.11 are written",
                "use `dumbbell`, `three-routers`, `graph`, `wlan` or `chain`",
            )


_LINK_KEYS = {"name", "from", "to", "rate", "delay", "queue", "queue_counting", "loss", "warning", "drops", "reverse"}


def both_directions(source: str, target: str, link: Mapping[str, Any], key: str) -> Iterator[Direction]:
    """A link of a description, there and back; ``key`` is what messages call it."""
    drops = link["drops"]
    if drops["count"] != "packets":
        refuse(f"{key}.drops.count", drops["count"], "ns-2 counts all arrivals", 'write `count = "packets"`')
    yield _direction(source, target, link, drops["forward"], key)
    yield _direction(target, source, link["reverse"], drops["reverse"], f"{key}.reverse")


def _direction(source: str, target: str, link: Mapping[str, Any], drops: Sequence[int], key: str) -> Direction:
    for name in link.keys() - _LINK_KEYS:
        if link[name]:
            value = None if isinstance(link[name], (list, dict)) else link[name]
            refuse(f"{key}.{name}", value, "the generator has no such thing", f"leave `{name}` out")
    if link["warning"]:
        refuse(f"{key}.warning", None, "ns-2 has no such marks", "leave `warning` out")
    if "(" in link["delay"]:
        refuse(f"{key}.delay", link["delay"], "a script has one seed for all, and no such draws", "write one delay")
    size, unit = value_of(link["queue"])
    if unit != "packets":
        refuse(f"{key}.queue", link["queue"], "ns-2 counts packets", 'write it in packets, such as `"50 packets"`')
    # ns-2 lets one packet less wait than the limit says.
    limit = int(size) if link["queue_counting"] == "ns2" else int(size) + 1
    loss = link["loss"]
    if loss["model"] != "uniform":
        refuse(f"{key}.loss.model", loss["model"], "only independent losses are written", 'write `model = "uniform"`')
    share = value_of(loss["rate"])[0]
    if share > 0.0 and loss["at"] == "queue" and drops:
        refuse(
            f"{key}.drops",
            None,
            "random losses and listed ones before the same queue would stand in an unknown order",
            'write `at = "wire"` for the random ones',
        )
    if loss["at"] not in ("wire", "queue"):
        refuse(f"{key}.loss.at", loss["at"], "ns-2 loses packets behind a link or before its queue")
    return Direction(
        source, target, value_of(link["rate"])[0], value_of(link["delay"])[0], limit, share, loss["at"], tuple(drops)
    )
