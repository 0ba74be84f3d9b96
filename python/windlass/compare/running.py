"""Which runs a comparison needs: every algorithm with every queue on every point of every path, and the neighbour's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from windlass.compare.places import queue_key
from windlass.errors import InputError
from windlass.neighbour import with_neighbour

if TYPE_CHECKING:
    from windlass.scenario import Point, Scenario
    from windlass.sweep import RunResult

__all__ = ["CALM", "Cell", "Setting", "group_of", "labelled", "planned", "settings_of", "short_keys"]

CALM = ""
"""Label of the runs in which the neighbour's neighbours are NewReno, too."""


@dataclass(frozen=True)
class Setting:
    """A path with values of what it sweeps: what candidates are compared at.

    Attributes
    ----------
    path : str
        Name of the path.
    group : str
        Group of flows that is changed.
    axes : dict
        Swept keys with their values.
    seeds : list of int
        Seeds of the path.
    """

    path: str
    group: str
    axes: dict[str, Any]
    seeds: list[int]

    def where(self, several: bool, names: Mapping[str, str] | None = None) -> str:
        """In words, with the path's name if there are several; `names` are what to call the keys."""
        from windlass.plots.words import setting

        axes = [f"{axis if names is None else names[axis]} = {setting(value)}" for axis, value in self.axes.items()]
        return ", ".join([self.path, *axes] if several else axes)


def short_keys(keys: Iterable[str]) -> dict[str, str]:
    """What dotted keys are called in sentences: their last two parts as words, or more if two keys share those.

    Examples
    --------
    >>> short_keys(["topology.bottleneck.loss.rate", "flows.algorithm"])
    {'topology.bottleneck.loss.rate': 'loss rate', 'flows.algorithm': 'flows algorithm'}
    """
    found: dict[str, str] = {}
    whole = list(dict.fromkeys(keys))
    for key in whole:
        parts = key.split(".")
        count = next(
            (n for n in range(2, len(parts)) if sum(other.split(".")[-n:] == parts[-n:] for other in whole) == 1),
            len(parts),
        )
        found[key] = " ".join(parts[-count:]).replace("_", " ")
    return found


@dataclass(frozen=True)
class Cell:
    """The runs of one candidate at one setting.

    Attributes
    ----------
    setting : int
        Number of the setting.
    algorithm : str
        Label; :data:`CALM`: NewReno, for the neighbour.
    queue : str
        Label.
    near : bool
        With the neighbour.
    point : Point
        What is run.
    """

    setting: int
    algorithm: str
    queue: str
    near: bool
    point: Point


def settings_of(
    paths: Mapping[str, Scenario], group: str | None, algorithm: Any
) -> tuple[list[Setting], dict[str, tuple[Scenario, str, str]]]:
    """Every setting in order; and of each path the scenario to run, its group, and the key of the algorithm.

    `algorithm` is any of the candidates: with it, the path can be run.
    """
    settings, found = [], {}
    for name, path in paths.items():
        path = _without_algorithms(path.with_({"output.delays": True}))
        own = group_of(path, group)
        key = f"flows.{own}.algorithm" if _many_groups(path) else "flows.algorithm"
        found[name] = (path, own, key)
        axes = [point.axes for point in path.with_({key: algorithm}).points()]
        settings += [Setting(name, own, one, list(path.seeds)) for one in axes]
    return settings, found


def planned(
    found: Mapping[str, tuple[Scenario, str, str]],
    algorithms: Mapping[str, Any],
    queues: Mapping[str, Any],
    neighbour: bool,
    queue_at: str | None,
) -> tuple[list[Cell], list[str]]:
    """What to run, in the order of settings, queues, algorithms; and why there is no neighbour where there is none."""
    cells: list[Cell] = []
    unable: dict[str, list[str]] = {}
    first = 0
    for name, (path, group, key) in found.items():
        columns = {label: path.with_({key: value}).points() for label, value in algorithms.items()}
        own_points = next(iter(columns.values()))
        for at, plain in enumerate(own_points):
            for queue_label, queue in queues.items():
                place = None if queue is None else queue_at or queue_key(plain, group)
                own = {label: _queued(points[at], place, queue) for label, points in columns.items()}
                cells += [Cell(first + at, label, queue_label, False, point) for label, point in own.items()]
                if not neighbour:
                    continue
                try:
                    beside = with_neighbour([_queued(plain, place, queue)], group, {CALM: "newreno", **algorithms})
                except InputError as error:
                    where = ", ".join(f"{axis} = {value}" for axis, value in plain.axes.items())
                    place_of = where if len(found) == 1 else ", ".join(filter(None, (name, where)))
                    unable.setdefault(error.message, []).append(place_of)
                    continue
                cells += [Cell(first + at, label, queue_label, True, points[0]) for label, points in beside.items()]
        first += len(own_points)
    whole = first * len(queues)
    cautions = [
        f"no neighbour: {why}" + ("" if len(places) == whole else f" ({'; '.join(dict.fromkeys(places))})")
        for why, places in unable.items()
    ]
    return cells, cautions


def _queued(point: Point, place: str | None, value: Any) -> Point:
    return point if place is None else point.with_({place: value})


def labelled(run: RunResult, setting: Setting, cell: Cell, several: bool) -> RunResult:
    """The run with all that it differs by among its axes, so that whoever speaks of it says which one."""
    axes: dict[str, Any] = {"path": setting.path} if several else {}
    axes |= setting.axes
    if cell.queue:
        axes["queue"] = cell.queue
    return replace(run, axes=axes)


def _without_algorithms(path: Scenario) -> Scenario:
    """The path without a sweep of every group's algorithm: one group's is set here, the others keep theirs."""
    axis = "flows.algorithm"
    if axis not in path.points()[0].axes or not _many_groups(path):
        return path
    return path.with_({"sweep": dict(filter(None, (_without(axis, *one) for one in path.composed()["sweep"].items())))})


def _without(axis: str, entry: str, values: list[Any]) -> tuple[str, list[Any]] | None:
    """An entry of ``[sweep]`` without a key; several keys of one entry go together, with a list of values each step."""
    keys = entry.split(", ")
    left = [at for at, key in enumerate(keys) if key != axis]
    if len(left) == len(keys):
        return entry, values
    steps = [[value[at] for at in left] for value in values] if left else []
    unlike = [step for at, step in enumerate(steps) if step not in steps[:at]]
    plain = [step[0] for step in unlike] if len(left) == 1 else unlike
    return (", ".join(keys[at] for at in left), plain) if left else None


def _groups(path: Scenario) -> list[dict[str, Any]]:
    flows: list[dict[str, Any]] = path.points()[0].effective()["flows"]
    return flows


def _many_groups(path: Scenario) -> bool:
    return len(_groups(path)) > 1


def group_of(path: Scenario, wanted: str | None) -> str:
    """The group whose algorithm is changed: the one that is asked for, or the first of TCP."""
    names = [str(flow["name"]) for flow in _groups(path) if "algorithm" in flow]
    if wanted is None and names:
        return names[0]
    if wanted in names:
        return str(wanted)
    listed = ", ".join(f"`{name}`" for name in names)
    raise InputError(
        f"no group of TCP flows `{wanted}`" if wanted is not None else "no group of TCP flows",
        code="compare.group",
        hint=f"the scenario has {listed}" if names else "a path to compare on has `[[flows]]` with an `algorithm`",
    )
