"""Flows as lines of a figure: which, what each is called, and how it looks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.amounts import digits
from windlass.errors import InputError, UnknownFlow
from windlass.palette import Dash, Look, looks, nth, title
from windlass.plots.style import mark_style, some, trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from windlass.sweep import RunResult

MOST_LINES = 12
"""Lines that one figure has at most."""

Line = tuple[Sequence[float], Sequence[float]]


def algorithms_of(result: RunResult) -> dict[str, str]:
    """Algorithm of each flow by its name in the table of traces: ``NAME``, ``NAME:reverse``."""
    rows = zip(*(result.flows[column].to_pylist() for column in ("flow", "direction", "algorithm")), strict=True)
    return {name if way == "forward" else f"{name}:{way}": algorithm for name, way, algorithm in rows}


def recorded(result: RunResult, flows: Sequence[str] | None, variable: str, missing: str, hint: str) -> dict[str, Line]:
    """A series of the named flows; of all that have it, if none is named, but of no more than there is room for.

    Raises
    ------
    UnknownFlow
        If there is no such flow.
    InputError
        If none has it, or a named one has not. `missing` says so, `{}` in it is the flow.
    """
    known = list(algorithms_of(result))
    for name in flows or ():
        if name not in known:
            raise UnknownFlow(f"no flow `{name}`", hint="the flows are " + some(known))
    if flows is not None and len(flows) > MOST_LINES:
        raise InputError(
            f"{len(flows)} flows are more than one figure has room for ({MOST_LINES})",
            code="plot.too-many",
            hint="name fewer with `--flow`",
        )
    found: dict[str, Line] = {}
    for name in flows if flows is not None else known:
        line = trace(result, name, variable)
        if line[0]:
            found[name] = line
        elif flows is not None:
            raise InputError(missing.format(f"of `{name}` "), code="plot.no-trace", hint=hint)
        if len(found) == MOST_LINES:
            break
    if not found:
        raise InputError(missing.format(""), code="plot.no-trace", hint=hint)
    return found


def looks_of(result: RunResult, names: Sequence[str]) -> dict[str, Look]:
    """Looks of flows: that of its algorithm, for the first of each; flows of one and the same algorithm differ."""
    algorithms = algorithms_of(result)
    own = looks(algorithms[name] for name in names)
    if len(names) > 1 and len(own) == 1:
        return {name: nth(at) for at, name in enumerate(names)}
    found: dict[str, Look] = {}
    spare = (one for one in map(nth, range(36)) if not any(one.is_like(other) for other in own.values()))
    met: set[str] = set()
    for name in names:
        look = own[algorithms[name]]
        if algorithms[name] in met:
            # the colour says which algorithm it is, marker, filling and dash which flow
            look = next(spare)._replace(colour=look.colour)
        met.add(algorithms[name])
        found[name] = look
    return found


def label_of(result: RunResult, name: str) -> str:
    """A flow in a legend: its name and its algorithm."""
    return f"{name} ({title(algorithms_of(result)[name])})"


def seed_of(result: RunResult, shown: int | None = None) -> str:
    """What stands above a legend: the seed, and that not all flows are drawn."""
    if shown is None or shown < MOST_LINES or result.flows.num_rows <= MOST_LINES:
        return f"seed {result.seed}"
    return f"{shown} of {result.flows.num_rows} flows, seed {result.seed}"


def draw_lines(
    axes: Axes, lines: Mapping[str, Line], look: Mapping[str, Look], labels: Mapping[str, str], scale: float = 1.0
) -> None:
    """Step lines, each with its dash, and its marker in some places, so that grey print tells them apart."""
    for at, (name, (times, values)) in enumerate(lines.items()):
        own = look[name]
        axes.step(
            times,
            [scale * value for value in values],
            where="post",
            linewidth=1.0,
            color=own.colour,
            linestyle=own.dash,
            markevery=_places(times, at / len(lines)),
            label=labels[name],
            zorder=2,
            **(mark_style(own, 4.5) if len(lines) > 1 else {}),
        )


_MARKERS = 7  # along a line


def _places(times: Sequence[float], offset: float) -> list[int] | None:
    """Which points of a line have a marker: a few at even times, beside those of other lines."""
    if len(times) <= _MARKERS or not times[-1] > times[0]:
        return None
    step = (times[-1] - times[0]) / _MARKERS
    return sorted({bisect_right(times, times[0] + (at + offset) * step) - 1 for at in range(_MARKERS)})


def along_time(axes: Axes) -> None:
    """The axis of time, from the begin of the run to the last value; marks at the ends are whole."""
    axes.set_xlabel("time (s)")
    end = axes.dataLim.x1
    axes.set_xlim(-0.015 * end, 1.015 * end)


Course = Sequence[tuple[float, float]]
"""A value over time: since when, and what it is from then on. The last one holds until the end."""

GUIDES: dict[str, Dash] = {
    "BDP": (0, (8, 2, 1.5, 2)),
    "capacity": (0, (6, 3)),
    "propagation there and back": (0, (1, 1.5)),
}
"""Dashes of lines of theory: one figure may hold all of them."""


def guide_line(axes: Axes, course: float | Course, what: str, unit: str, scale: float = 1.0) -> None:
    """A thin line of theory across the panel, in steps where it changes; if it is far above what is drawn, its entry in
    the legend alone.
    """
    steps = [(0.0, course)] if isinstance(course, (int, float)) else course
    times, values = [at for at, _ in steps], [scale * value for _, value in steps]
    told = [value for value in values if value > 0.0] or values  # nothing passes in an outage
    least, most = map(digits, (min(told), max(told)))
    label = f"{what}: {least if least == most else f'{least} to {most}'} {unit}" if unit else what
    style: dict[str, Any] = {"color": "black", "linewidth": 0.8, "linestyle": GUIDES[what], "zorder": 1}
    top = axes.get_ylim()[1]
    if min(told) > 2.0 * top:
        axes.plot([], [], label=f"{label}, above the figure", **style)
        return
    axes.set_ylim(top=max(top, *(1.05 * value for value in values if value <= 2.0 * top)))
    if len(values) == 1:
        axes.axhline(values[0], label=label, **style)
    else:
        end = axes.dataLim.x1  # of what was measured
        shown = [(at, value) for at, value in zip(times, values, strict=True) if at <= end]
        shown.append((end, shown[-1][1]))
        axes.step(*zip(*shown, strict=True), where="post", label=label, **style)
