"""The network as a drawing: nodes in columns from senders to receivers, links with their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

__all__ = ["drawing"]

MOST_NODES = 40
"""Nodes that are drawn; of larger graphs those nearest to the first sender."""


@dataclass
class Node:
    """A host, router or station; `count` like it are drawn as one."""

    name: str
    count: int = 1
    column: int = 0
    row: int = 0


@dataclass
class Edge:
    """A link between two nodes, or through the air."""

    start: str
    end: str
    name: str
    words: list[str] = field(default_factory=list)
    air: bool = False


def drawing(description: Mapping[str, Any], upright: bool = False) -> str:
    """The topology of an effective description as SVG, in colours of the page that it stands in; from left to right, or
    upright from top to bottom, for a narrow window.
    """
    topology = description["topology"]
    nodes, edges = OF_KIND[topology["kind"]](topology)
    _place(nodes, edges, _source(description, nodes))
    return _template().render(_geometry(nodes, edges, upright))


@cache
def _template() -> Any:
    import jinja2

    loader = jinja2.PackageLoader("windlass", "templates")
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template("topology.svg.j2")


def _words(link: Mapping[str, Any]) -> list[str]:
    """Numbers of a link: rate and delay, queue, loss."""
    rate = link.get("rate") or ("rate by a trace" if link.get("trace") else None)
    queue = link.get("queue")
    if isinstance(queue, Mapping):
        queue = " ".join(str(one) for one in (queue.get("discipline"), queue.get("limit")) if one)
    lines = [", ".join(str(one) for one in (rate, link.get("delay")) if one)]
    lines += [f"queue {queue}"] if queue else []
    loss = link.get("loss")
    if isinstance(loss, Mapping) and loss.get("rate") not in (None, "0 %"):
        lines.append(f"loses {loss['rate']}")
    elif isinstance(loss, Mapping) and loss.get("rate") is None:
        lines.append(f"loss: {loss.get('model', 'given')}")
    return [line for line in lines if line]


Parts = tuple[list[Node], list[Edge]]


def _dumbbell(topology: Mapping[str, Any]) -> Parts:
    pairs = int(topology["pairs"])
    names = ["left", "router", "router 2", "right"]
    nodes = [Node(name, pairs if name in ("left", "right") else 1) for name in names]
    tables = ("left", "bottleneck", "right")
    return nodes, [_edge(a, b, t, topology) for (a, b), t in zip(pairwise(names), tables, strict=True)]


def _three_routers(topology: Mapping[str, Any]) -> Parts:
    pairs = int(topology["pairs"])
    names = ["left", "router", "router 2", "router 3", "right"]
    nodes = [Node(name, pairs if name in ("left", "right") else 1) for name in names]
    tables = ("left", "first", "second", "right")
    return nodes, [_edge(a, b, t, topology) for (a, b), t in zip(pairwise(names), tables, strict=True)]


def _edge(start: str, end: str, table: str, topology: Mapping[str, Any]) -> Edge:
    name = "access" if table in ("left", "right") else table
    return Edge(start, end, name, _words(topology[table]))


def _wlan(topology: Mapping[str, Any]) -> Parts:
    points = int(topology.get("access_points", 1))
    hosts = topology.get("hosts", 1)
    nodes = [
        Node("station", int(topology["stations"])),
        Node("access point", points),
        Node("router"),
        Node("wired host", int(hosts)),
    ]
    edges = [
        _radio("station", "access point", topology["radio"]),
        Edge("access point", "router", "backbone", _words(topology["backbone"])),
    ]
    if "access" in topology:
        edges.append(Edge("router", "wired host", "access", _words(topology["access"])))
    else:
        nodes = [node for node in nodes if node.name != "router"]
        edges[1].end = "wired host"
    return nodes, edges


def _radio(start: str, end: str, radio: Mapping[str, Any]) -> Edge:
    kind = radio.get("set", "radio")
    return Edge(start, end, str(kind), _words(radio), air=True)


def _chain(topology: Mapping[str, Any]) -> Parts:
    count = int(topology["nodes"])
    names = [f"n{at}" for at in range(count)]
    edges = [Edge(a, b, "", [], air=True) for a, b in pairwise(names)]
    edges[0].name, edges[0].words = str(topology["radio"].get("set", "radio")), _words(topology["radio"])
    if len(edges) > 1:
        edges[1].words = [f"{topology['spacing']} each"]
    return [Node(name) for name in names], edges


def _cellular(topology: Mapping[str, Any]) -> Parts:
    names = ["server", "router", "base station", "mobile"]
    counts = [1, 1, len(topology["stations"]), len(topology["mobiles"])]
    handover = f"handover {topology['handover']['break']}"
    return [Node(name, count) for name, count in zip(names, counts, strict=True)], [
        Edge("server", "router", "backbone", _words(topology["backbone"])),
        Edge("router", "base station", "", _words(topology["router"])),
        Edge("base station", "mobile", "air", [*_words(topology["radio"]), handover], air=True),
    ]


def _graph(topology: Mapping[str, Any]) -> Parts:
    edges = [Edge(link["from"], link["to"], link["name"], _words(link)) for link in topology["links"]]
    for medium in topology.get("media", []):
        points = medium.get("access_points") or medium["stations"][:1]
        others = [one for one in medium["stations"] if one not in points]
        edges += [
            Edge(other, points[0], medium["name"], _words(medium) if not at else [], air=True)
            for at, other in enumerate(others)
        ]
    names = [*topology.get("nodes", []), *(name for edge in edges for name in (edge.start, edge.end))]
    return [Node(name) for name in dict.fromkeys(names)], edges


OF_KIND = {
    "dumbbell": _dumbbell,
    "three-routers": _three_routers,
    "wlan": _wlan,
    "chain": _chain,
    "cellular": _cellular,
    "graph": _graph,
}
"""Nodes and links of each kind of topology."""


def _source(description: Mapping[str, Any], nodes: list[Node]) -> str:
    """The node that the first sender is at, or the first one."""
    names = {node.name for node in nodes}
    kinds = {"wired": "wired host", "station": "station", "mobile": "mobile"}
    for flow in description["flows"]:
        first = str(flow["from"])
        for name in (first, kinds.get(first.partition("/")[0], first.partition("/")[0])):
            if name in names:
                return name
    return nodes[0].name


def _place(nodes: list[Node], edges: list[Edge], source: str) -> None:
    """Columns by hops from the sender, rows in the order of the description; what it does not reach is left out."""
    by_name = {node.name: node for node in nodes}
    reached = {source: 0}
    front = [source]
    while front:
        here = front.pop(0)
        for other in _neighbours(here, edges):
            if other not in reached:
                reached[other] = reached[here] + 1
                front.append(other)
    kept = list(reached)[:MOST_NODES]
    nodes[:] = [by_name[name] for name in kept]
    edges[:] = [edge for edge in edges if edge.start in kept and edge.end in kept]
    filled: dict[int, int] = {}
    for node in nodes:
        node.column = reached[node.name]
        node.row = filled.get(node.column, 0)
        filled[node.column] = node.row + 1


def _neighbours(name: str, edges: list[Edge]) -> Iterator[str]:
    for edge in edges:
        if name in (edge.start, edge.end):
            yield edge.end if name == edge.start else edge.start


COLUMN, ROW, LEFT, TOP = 172, 118, 60, 46

DOWN, ASIDE = 110, 104
"""Of an upright drawing: between two hops, and room for names to the left of their nodes."""


def _geometry(nodes: list[Node], edges: list[Edge], upright: bool) -> dict[str, Any]:
    """Where everything stands, in pixels."""
    rows = 1 + max(node.row for node in nodes)
    columns: dict[int, int] = {}
    for node in nodes:
        columns[node.column] = columns.get(node.column, 0) + 1
    beside = {node.name: node.row + (rows - columns[node.column]) / 2 for node in nodes}
    at = {
        node.name: (ASIDE + COLUMN * beside[node.name], TOP + DOWN * node.column)
        if upright
        else (LEFT + COLUMN * node.column, TOP + ROW * beside[node.name])
        for node in nodes
    }
    links = [_link(edge, at[edge.start], at[edge.end], upright) for edge in edges]
    aside = 70 if any(link["anchor"] == "start" for link in links) else 0
    words = (f"{edge.start} to {edge.end}: {', '.join((edge.name, *edge.words))}" for edge in edges)
    hosts = [
        {
            "x": x,
            "y": y,
            "name": node.name,
            "count": node.count,
            "name_x": x - 27 if upright else x,
            "name_y": y + 4 if upright else y - (24 if node.count > 1 else 20),
        }
        for node in nodes
        for x, y in [at[node.name]]
    ]
    across, down = (rows - 1, DOWN * max(columns)) if upright else (max(columns), ROW * (rows - 1))
    return {
        "anchor": "end" if upright else "middle",
        "width": (ASIDE if upright else LEFT) + LEFT + COLUMN * across + aside,
        "height": 2 * TOP + down + 16,
        "nodes": hosts,
        "links": links,
        "words": "; ".join(words),
    }


def _link(edge: Edge, start: tuple[float, float], end: tuple[float, float], upright: bool) -> dict[str, Any]:
    """A line, and what is said of it: its name above the middle, its numbers below; beside it if it goes up or down, on
    the side to which it leans in an upright drawing.
    """
    (x1, y1), (x2, y2) = start, end
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    lean = (x2 - x1) * (y2 - y1)
    side = 1 if x1 == x2 else (lean > 0) - (lean < 0) if upright else 0
    above, below = (18, -2) if side else (8, 16)
    lines = [{"text": edge.name, "kind": "name", "y": y - above}]
    lines += [
        {"text": text, "kind": "loss" if text.startswith("los") else "number", "y": y + below + 14 * row}
        for row, text in enumerate(edge.words)
    ]
    return {
        "x1": x1,
        "y1": y1,
        "x2": x2,
        "y2": y2,
        "x": x + 8 * side,
        "anchor": ("end", "middle", "start")[side + 1],
        "lines": [line for line in lines if line["text"]],
        "kind": "air" if edge.air else "wire",
    }
