"""What the links of a case carry at most, as the engine reckons it, in words."""

from __future__ import annotations

from typing import Any

from windlass.ledger import Topology
from windlass.scenario import Point
from windlass.verdicts import Limit


def capacity(network: Topology, point: Point, groups: tuple[str, ...] | None, *, at_once: bool = False) -> Limit | None:
    """Most payload that the links can carry of some groups of flows (``None``: of all), by the narrowest of the cuts.

    A flow's average is taken over its own active time, so links that flows share are allowed the whole run's bits over
    the shortest active time, unless all flows are taken to start ``at_once``; a host's own link needs no such
    allowance. ``None`` if the engine knows no bound.
    """
    known = point.capacity(groups or ())
    if not known or not known["cuts"]:
        return None
    share = known["payload"] / known["packet"]
    cuts = []
    for hop, cut in enumerate(known["cuts"]):
        stretch = 1.0
        if cut["shared"] and not at_once:
            if known["active_s"] is None:
                return None
            stretch = known["duration_s"] / known["active_s"]
        carried = sum(link["rate_bps"] for link in cut["links"]) / 1e6 * share
        cuts.append((carried * stretch, carried, stretch, hop, cut["links"]))
    total, carried, stretch, hop, links = min(cuts, key=lambda found: found[0])
    text = _words(network, links, hop, len(known["cuts"]), carried, stretch, known["payload"], known["packet"])
    return Limit(total, total / known["flows"], known["flows"], text)


def _words(
    network: Topology,
    links: list[dict[str, Any]],
    hop: int,
    hops: int,
    carried: float,
    stretch: float,
    payload: int,
    packet: int,
) -> str:
    """The arithmetic of a cut; where it has each link in both directions, of one of them."""
    names = list(dict.fromkeys(link["link"] for link in links))
    rates = {link["rate_bps"] / 1e6 for link in links}
    both = len(links) == 2 * len(names)
    mbps = f"{carried / (2 if both else 1):.2f} Mbps of payload"
    if 0 < hop < hops - 1 and len(names) == 1:
        what = f"The {max(rates):g} Mbps of {network.name_of(names[0])} carry at most {mbps}"
    elif len(rates) == 1:
        side = {0: "sender", hops - 1: "receiver"}.get(hop, "shared")
        what = f"{len(names)} × {max(rates):.4g} Mbps {side} links carry at most {mbps}"
        if len(names) == 1:
            what = f"The {max(rates):.4g} Mbps of the {side} link carry at most {mbps}"
    else:
        what = f"{', '.join(network.name_of(name) for name in names)} carry at most {mbps} together"
    allowance = f", {stretch:.3f} times that over the flows' active time" if stretch > 1 else ""
    ending = " in each direction." if both else "."
    return f"{what}{allowance} ({payload} of every {packet} B){ending}"
