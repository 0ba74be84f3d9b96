"""Which key of a path holds the queue that its flows fill."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from windlass.errors import InputError

if TYPE_CHECKING:
    from windlass.scenario import Point

__all__ = ["queue_key"]


def queue_key(point: Point, group: str) -> str:
    """The key of the queue before the narrowest of the links that flows of a group cross.

    Raises
    ------
    InputError
        If nothing says which link that is.
    """
    capacity = point.capacity([group])
    topology = point.effective()["topology"]
    cuts = capacity["cuts"] if capacity else []
    if not cuts:
        raise _unknown(group)
    narrowest = min(cuts, key=lambda cut: sum(link["rate_bps"] for link in cut["links"]))
    link = narrowest["links"][0]["link"]
    key = _key_of(link, topology["kind"])
    if key is None:
        raise _unknown(group)
    return key


def _key_of(link: str, kind: str) -> str | None:
    if kind == "graph":
        return f"topology.links.{link}.queue"
    if link.startswith("air/"):
        return "topology.radio.queue"
    name = re.sub(r"/\d+$", "", link)
    if name in ("left", "right"):
        return "topology.access.queue"
    return (
        f"topology.{name}.queue" if name in ("bottleneck", "first", "second", "backbone", "router", "access") else None
    )


def _unknown(group: str) -> InputError:
    return InputError(
        f"no link is known to be the narrowest of those that flows `{group}` cross",
        code="compare.queue",
        hint="say which queue to change: `--queue-at topology.bottleneck.queue`",
    )
