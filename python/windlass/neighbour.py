"""A path with one flow of a group replaced by a NewReno flow: what an algorithm costs the flows beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError

if TYPE_CHECKING:
    from windlass.scenario import FlowEnds, Point

__all__ = ["NEIGHBOUR", "with_neighbour"]

NEIGHBOUR = "neighbour"
"""Name of the group of the one NewReno flow that shares the path."""

MOST_FLOWS = 1000
"""Most flows of a group that are written out one by one to make one of them the neighbour."""


def with_neighbour(
    points: Sequence[Point], group: str, algorithms: Mapping[str, str | dict[str, Any]]
) -> dict[str, list[Point]]:
    """The points with the last flow of a group made a NewReno flow of its own group; a lone flow gets one beside it.

    Parameters
    ----------
    points : sequence of Point
        Of the path.
    group : str
        Group of flows.
    algorithms : mapping of str to str or dict
        Label to the algorithm of the group's other flows.

    Returns
    -------
    dict of str to list of Point
        For each label, every point.

    Raises
    ------
    InputError
        If the flows cannot be told apart.
    """
    out: dict[str, list[Point]] = {label: [] for label in algorithms}
    for point in points:
        ends = [flow for flow in point.flows() if flow.group == group]
        _check(ends)
        written = point.composed()["flows"]
        at = [flow["name"] for flow in point.effective()["flows"]].index(group)
        for label, algorithm in algorithms.items():
            split = _split(written[at], ends, algorithm)
            out[label].append(point.with_({"flows": [*written[:at], *split, *written[at + 1 :]]}))
    return out


def _check(flows: Sequence[FlowEnds]) -> None:
    if not flows:
        raise InputError("the flows of the group come and go", code="compare.neighbour", hint="use --no-neighbour")
    if len(flows) > MOST_FLOWS:
        raise InputError(
            f"the group has {len(flows)} flows, at most {MOST_FLOWS} can be told apart",
            code="compare.neighbour",
            hint="use --no-neighbour",
        )


def _split(
    group: Mapping[str, Any], flows: Sequence[FlowEnds], algorithm: str | Mapping[str, Any]
) -> list[dict[str, Any]]:
    """A group for each flow, the last of them the neighbour's; of a lone flow, one for it and one for the neighbour."""
    shared = {key: value for key, value in group.items() if key not in ("count", "name")}

    def alone(flow: FlowEnds, name: str, algorithm: str | Mapping[str, Any]) -> dict[str, Any]:
        starts = {"start": flow.start, "reverse_start": flow.reverse_start}
        given = {key: value for key, value in starts.items() if key in shared}
        return {**shared, "name": name, "from": flow.sender, "to": flow.receiver, **given, "algorithm": algorithm}

    own = [alone(flow, f"{flow.group}-{at}", algorithm) for at, flow in enumerate(flows[:-1] or flows)]
    neighbour = alone(flows[-1], NEIGHBOUR, "newreno")
    neighbour.pop("multipath", None)
    return [*own, neighbour]
