"""Figures of radio: who had the air when, and a map of who is where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError
from windlass.palette import nth
from windlass.plots.flows import Line, seed_of
from windlass.plots.style import add_legend, new_figure, small, styled, trace
from windlass.plots.words import words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

    from windlass.scenario import Point
    from windlass.sweep import RunResult

_BANDS = 10  # that can be told apart
_HATCHES = ("", "////", "....", "\\\\\\\\", "xxx", "----", "ooo", "+++", "||||", "**")
_WITH_NAMES = 24  # nodes of a map that have room for their names
_MARKERS = {"access-point": "s", "station": "o", "base-station": "^", "mobile": ""}


@styled
def airtime_over_time(result: RunResult) -> Figure:
    """Shares of the air that stations had, stacked, one panel for each medium.

    A band is the time in which a station's own frames were on air: data, ACKs, RTS and CTS, lost or not. What is left
    above is when nobody sent: spaces between frames, backoff, nothing to send. Frames that overlap count for each
    sender, so bands can add up to more than 100 % where stations do not hear each other.

    Parameters
    ----------
    result : RunResult
        Of a run with ``traces = ["airtime"]``. Of more than ten stations the nine that sent most are drawn by
        themselves.

    Raises
    ------
    InputError
        If no airtime was recorded.
    """
    media = _recorded(result)
    figure, axes = new_figure()
    axes.remove()
    panels = figure.subplots(len(media), 1, sharex=True, squeeze=False)[:, 0]
    for panel, (name, series) in zip(panels, media.items(), strict=True):
        _draw_bands(panel, series, f"{name}: " if len(media) > 1 else "")
        panel.set_ylabel(words(f"airtime, {name}" if len(media) > 1 else "share of the time on air", "%"))
    panels[-1].set_xlabel("time (s)")
    add_legend(figure, *panels, from_top=True, title=seed_of(result))
    return figure


def draw_airtime(axes: Axes, result: RunResult) -> int:
    """The shares of the first medium in a panel; of how many stations."""
    name, series = next(iter(_recorded(result).items()))
    _draw_bands(axes, series, "")
    axes.set_ylabel(words(f"airtime, {name}", "%"))
    return len(series)


def _recorded(result: RunResult) -> dict[str, dict[str, Line]]:
    media = {name: series for name, series in _airtimes(result).items() if any(times for times, _ in series.values())}
    if not media:
        raise InputError(
            "no airtime was recorded",
            code="plot.no-trace",
            hint='write `traces = ["airtime"]` under [output]; only stations of a radio medium have it',
        )
    return media


def _airtimes(result: RunResult) -> dict[str, dict[str, Line]]:
    """Times and shares by medium and station, in the order of the table of stations."""
    rows = list(zip(result.stations["medium"].to_pylist(), result.stations["station"].to_pylist(), strict=True))
    stations = [station for _, station in rows]
    found: dict[str, dict[str, Line]] = {}
    for medium, station in rows:
        # a node that is on several media is traced with their names
        subject = station if stations.count(station) == 1 else f"{medium}/{station}"
        found.setdefault(medium, {})[station] = trace(result, subject, "airtime_share")
    return found


def _draw_bands(axes: Axes, series: Mapping[str, Line], prefix: str) -> None:
    import numpy as np

    times = np.array(next(times for times, _ in series.values()))
    # a value is of the time since the one before it
    edges = np.concatenate(([0.0], times))
    shares = {name: 100.0 * np.array(values) for name, (_, values) in series.items()}
    if len(shares) > _BANDS:
        shown = set(sorted(shares, key=lambda name: float(-shares[name].sum()))[: _BANDS - 1])
        others = [values for name, values in shares.items() if name not in shown]
        shares = {name: values for name, values in shares.items() if name in shown}
        shares[f"{len(others)} others"] = np.sum(others, axis=0)
    base = np.zeros(len(times))
    for number, (name, values) in enumerate(shares.items()):
        axes.stairs(
            base + values,
            edges,
            baseline=base,
            fill=True,
            facecolor=_pale(nth(number % 6).colour),
            hatch=_HATCHES[number],
            edgecolor="black",
            linewidth=0.4,
            label=prefix + name,
        )
        base = base + values
    top = float(base.max())
    if top > 100.0:
        axes.axhline(100.0, color="black", linewidth=0.8, linestyle="--")
    axes.set_xlim(0.0, edges[-1])
    axes.set_ylim(0.0, 1.05 * top if top > 100.0 else 100.0)


def _pale(colour: str) -> tuple[float, ...]:
    """The colour mixed with white, so that hatches show in grey print."""
    from matplotlib.colors import to_rgb

    return tuple(0.45 + 0.55 * part for part in to_rgb(colour))


@styled
def map_of_positions(point: Point) -> Figure:
    """Where stations and base stations are, how far they are heard, and the ways of mobiles. East is right, north up.

    Ranges are drawn round access points and base stations, or where there are none, round the station in the middle;
    shadowing and fading are left out of them. A range of many times the map has no circle, only its entry in the
    legend.

    Parameters
    ----------
    point : Point
        One panel for each medium whose stations have places.

    Raises
    ------
    InputError
        If nothing in it has a place.
    """
    maps = point.map()
    if not maps:
        raise InputError(
            "nothing in this scenario has a place",
            code="plot.no-positions",
            hint='place stations: `placing = { kind = "circle", radius = "5 m" }`, or `positions`',
        )
    figure, axes = new_figure()
    axes.remove()
    panels = figure.subplots(len(maps), 1, squeeze=False)[:, 0]
    for panel, one in zip(panels, maps, strict=True):
        _draw_map(panel, one)
        panel.set_aspect("equal", adjustable="datalim")
        panel.set_xlabel("east (m)")
        panel.set_ylabel(words(f"{one['name']}: north" if len(maps) > 1 else "north", "m"))
    add_legend(figure, *panels)
    figure.draw_without_rendering()  # where everything is, is known only then
    for panel in panels:
        _spread(figure, panel)
    return figure


def _draw_map(axes: Axes, one: Mapping[str, Any]) -> None:
    nodes = one["nodes"]
    corners = [corner for node in nodes for corner in node["way"]]
    extent = max(max(c[at] for c in corners) - min(c[at] for c in corners) for at in (1, 2)) or 1.0
    centres = [node["way"][0] for node in nodes if node["role"] in ("access-point", "base-station")]
    middle = nodes[len(nodes) // 2]
    for what, metres, dashes in _ranges(one):
        seen = metres <= 3.0 * extent
        label = f"{what} up to {metres:.{0 if metres >= 100.0 else 1}f} m"
        label = (label if centres else f"{middle['name']} {label}") + ("" if seen else ", beyond the map")
        _draw_ranges(axes, (centres or [middle["way"][0]]) if seen else [], metres, dashes, label)
    for role, marker in _MARKERS.items():
        of_role = [node for node in nodes if node["role"] == role]
        if not of_role:
            continue
        for number, node in enumerate(of_role):
            if role == "mobile" or len(node["way"]) > 1:
                _draw_way(axes, node, number)
        if role == "mobile":
            continue
        places = [node["way"][0][1:] for node in of_role]
        axes.plot(
            *zip(*places, strict=True),
            linestyle="",
            marker=marker,
            color="black" if role != "station" else nth(1).colour,
            markeredgecolor="black",
            markersize=7 if role != "station" else 5,
            label=role.replace("-", " "),
            zorder=4,
        )
        for node in of_role if len(nodes) <= _WITH_NAMES else ():
            _note(axes, node["name"], node["way"][0][1:])
    axes.margins(0.12)
    axes.autoscale_view()


def _ranges(one: Mapping[str, Any]) -> list[tuple[str, float, str]]:
    """What reaches how far, metres, and the kind of line."""
    receive, sense, radius = one["receive_range"], one["sense_range"], one["radius"]
    if receive is not None and receive == sense:
        return [("decoded and sensed", receive, "-")]
    every = [("decoded", receive, "-"), ("sensed", sense, ":"), ("serves", radius, "-")]
    return [(what, metres, dashes) for what, metres, dashes in every if metres is not None]


def _draw_ranges(axes: Axes, centres: Sequence[Sequence[float]], metres: float, dashes: str, label: str) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle

    look: dict[str, Any] = {"linestyle": dashes, "linewidth": 0.9, "color": "0.35"}
    axes.add_line(Line2D([], [], label=label, **look))
    for _, x, y in centres:
        axes.add_patch(Circle((x, y), metres, fill=False, zorder=1, **look))


def _draw_way(axes: Axes, node: Mapping[str, Any], number: int) -> None:
    """The way of what moves, with times beside it."""
    import numpy as np
    from matplotlib.ticker import MaxNLocator

    look = nth(number)
    times, xs, ys = np.array(node["way"]).T
    axes.plot(xs, ys, color=look.colour, linewidth=1.4, label=node["name"], zorder=3)
    axes.plot(xs[:1], ys[:1], marker=look.marker, color=look.colour, markeredgecolor="black", zorder=5)
    if len(times) < 2:
        _note(axes, node["name"], (xs[0], ys[0]))
        return
    axes.annotate(
        "", (xs[-1], ys[-1]), (xs[-2], ys[-2]), arrowprops={"arrowstyle": "-|>", "color": look.colour}, zorder=5
    )
    for at in MaxNLocator(5).tick_values(times[0], times[-1]):
        if times[0] <= at <= times[-1]:
            x, y = np.interp(at, times, xs), np.interp(at, times, ys)
            axes.plot([x], [y], marker=".", color="black", markeredgecolor="black", markersize=4, zorder=5)
            _note(axes, f"{at:g} s", (x, y), above=False)


def _spread(figure: Figure, axes: Axes) -> None:
    """Move notes that cover others, or other places, to another side of their own: the nearest that is free, else the
    freest. A note far away has a line to its place.
    """
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

    notes = [note for note in axes.texts if isinstance(note, Annotation) and note.get_text()]
    places = [axes.transData.transform(note.xy) for note in notes]
    half = figure.dpi * _MARK / 72 / 2
    taken = [Bbox([place - half, place + half]) for place in places]

    def covered(box: Bbox) -> float:
        overlaps = [Bbox.intersection(box, other) for other in taken]
        return sum(overlap.width * overlap.height for overlap in overlaps if overlap is not None)

    for note in notes:
        tried = []
        for away, at in [(1, note.xyann), *((away, (x * away, y * away)) for away in (1, 2, 3, 4) for x, y in _SIDES)]:
            _put(note, at)
            box = note.get_window_extent()
            tried.append((covered(box), away, at, box))
            if tried[-1][0] == 0.0:
                break
        _, away, at, box = min(tried, key=lambda one: one[0])
        _put(note, at)
        taken.append(box)
        if away > 1:
            line = {"arrowstyle": "-", "linewidth": 0.6, "color": "0.35", "shrinkA": 0, "shrinkB": 3}
            axes.annotate("", note.xy, at, textcoords="offset points", arrowprops=line, zorder=3)


_MARK = 5
"""Width of the mark of a place, points."""

_SIDES = ((0, 5), (0, -6), (6, 0), (-6, 0), (5, 5), (-5, 5), (5, -6), (-5, -6))
"""Where a note may be beside its place, points."""


def _put(note: Annotation, at: tuple[float, float]) -> None:
    note.xyann = at
    x, y = at
    note.set_horizontalalignment("left" if x > 0 else "right" if x < 0 else "center")
    note.set_verticalalignment("bottom" if y > 0 else "top" if y < 0 else "center")


def _note(axes: Axes, text: str, place: Sequence[float], *, above: bool = True) -> None:
    axes.annotate(
        text,
        (place[0], place[1]),
        xytext=(0, 5 if above else -6),
        textcoords="offset points",
        ha="center",
        va="bottom" if above else "top",
        fontsize=small(),
        zorder=6,
    )
