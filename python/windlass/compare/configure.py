"""What to type on a Linux host to have the sender, and the queue, that a comparison takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windlass.compare.model import Comparison
from windlass.compare.requests import algorithm_value, named_queues
from windlass.errors import InputError

__all__ = ["LINUX", "Advice", "advice"]

LINUX = {
    "bbr": "bbr",
    "bbr-linux": "bbr",
    "bic": "bic",
    "bic-linux": "bic",
    "cubic": "cubic",
    "cubic-linux": "cubic",
    "dctcp": "dctcp",
    "highspeed": "highspeed",
    "htcp": "htcp",
    "htcp-linux": "htcp",
    "hybla": "hybla",
    "hybla-linux": "hybla",
    "illinois": "illinois",
    "illinois-linux": "illinois",
    "newreno": "reno",
    "reno": "reno",
    "reno-linux": "reno",
    "sack": "reno",
    "scalable": "scalable",
    "vegas": "vegas",
    "vegas-linux": "vegas",
    "veno": "veno",
    "veno-linux": "veno",
    "westwood-linux": "westwood",
    "westwood-plus": "westwood",
    "yeah": "yeah",
    "yeah-linux": "yeah",
}
"""Algorithms that Linux has, by what it calls them."""

ELSEWHERE = {
    "bbr3": "Linux as released has BBR version 1; version 3 is in a kernel of its authors (github.com/google/bbr, branch v3).",
    "prague": "Linux as released does not have it; the kernel of the L4S team does (github.com/L4STeam/linux).",
}

BUILT_IN = ("cubic", "reno")
"""Those that need no module."""

PACED = ("bbr",)
"""Those that pace, which the queue `fq` does best."""

_QUEUES = {"codel": "codel", "fq-codel": "fq_codel", "pie": "pie"}


Advice = tuple[list[str], list[str]]
"""Sentences, and lines to type."""


def advice(result: Comparison) -> Advice:
    """What to configure for the candidate that is taken; nothing if none is."""
    taken = next((one for one in result.outcomes if one.candidate == result.take), None)
    if taken is None:
        return [], []
    said, lines = _sender(taken.algorithm)
    if taken.queue:
        more, commands = _queue(taken.queue)
        said, lines = [*said, *more], [*lines, *commands]
    if result.take == result.baseline:
        said = ["What you have stays, if it is this.", *said]
    return said, lines


def _name(label: str) -> tuple[str, Mapping[str, Any]]:
    """The algorithm's first name, and the parameters that were set."""
    import json

    from windlass import _core

    value = algorithm_value(label)
    name, chosen = (value, {}) if isinstance(value, str) else (str(value["name"]), value)
    known = {alias: row["name"] for row in json.loads(_core.algorithms()) for alias in (row["name"], *row["aliases"])}
    return known.get(name, name), {key: part for key, part in chosen.items() if key != "name"}


def _sender(label: str) -> Advice:
    name, chosen = _name(label)
    module = LINUX.get(name)
    if module is None:
        why = ELSEWHERE.get(name, "Linux does not have it: it would have to be written as a kernel module or in BPF.")
        return [f"`{name}`: {why}"], []
    said = ["On every Linux host that sends; connections that are open keep what they have."]
    if chosen:
        listed = ", ".join(f"{key} = {value}" for key, value in chosen.items())
        said.append(f"Linux has `{module}` with parameters of its own; compared was {listed}.")
    lines = [] if module in BUILT_IN else [f"modprobe tcp_{module}"]
    lines.append(f"sysctl -w net.ipv4.tcp_congestion_control={module}")
    if module in PACED:
        said.append("DEV is the interface.")
        lines.append("tc qdisc replace dev DEV root fq")
    if module == "dctcp":
        said.append("It needs routers that mark (ECN) at a threshold, and must not share a queue with others.")
        lines.append("sysctl -w net.ipv4.tcp_ecn=1")
    return said, lines


def _queue(label: str) -> Advice:
    """The queue before the narrowest link."""
    where = "The queue is that of the router before the narrowest link (LINK is its interface)"
    try:
        value = named_queues([label])[label]
    except InputError:
        value = None
    # A limit in bandwidth-delay products has no number of packets without the path.
    table = value if isinstance(value, dict) else {"limit": value}
    kind, limit = str(table.get("discipline", "drop-tail")), str(table.get("limit") or "")
    number, _, unit = limit.partition(" ")
    if unit.lower() == "bdp":
        where += f"; N packets are {number} times its rate times the round trip"
        number, unit = "N", "packets"
    if kind == "drop-tail" and unit in ("packets", "B"):
        return [f"{where}."], [
            f"tc qdisc replace dev LINK root {'pfifo' if unit == 'packets' else 'bfifo'} limit {number}"
        ]
    if kind in _QUEUES:
        options = f" limit {number}" if unit == "packets" else ""
        options += f" target {str(table['target']).replace(' ', '')}" if "target" in table else ""
        return [f"{where}."], [f"tc qdisc replace dev LINK root {_QUEUES[kind]}{options}"]
    return [f"{where}: `{label}` has no one line in `tc`; set it as `tc qdisc help` says."], []
