"""A map of a scenario: base stations with their reach, and the ways of mobiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windlass.scenario import Point

__all__ = ["draw_positions"]

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def metres(text: str) -> float:
    """A length as the engine writes it: ``"200 m"``."""
    return float(text.removesuffix(" m"))


def _place(pair: Sequence[str]) -> tuple[float, float]:
    return metres(pair[0]), metres(pair[1])


def _seconds(text: str) -> float:
    number, unit = text.split()
    return float(number) * UNITS[unit]


def way(mobile: Mapping[str, Any], duration: float) -> list[tuple[float, float]]:
    """Corners of a mobile's way until the end of the run, in metres.

    Parameters
    ----------
    mobile : Mapping
        One of ``topology.mobiles`` of an effective description.
    duration : float
        Length of the run, seconds.
    """
    if "fixed" in mobile:
        return [_place(mobile["fixed"])]
    if "line" in mobile:
        x, y = _place(mobile["line"]["from"])
        vx, vy = (float(text.removesuffix(" m/s")) for text in mobile["line"]["velocity"])
        return [(x, y), (x + vx * duration, y + vy * duration)]
    points = [(_seconds(at), metres(x), metres(y)) for at, x, y in mobile["waypoints"]]
    corners = [points[0][1:]]
    for (since, x0, y0), (until, x1, y1) in zip(points, points[1:], strict=False):
        if since >= duration:
            break
        share = min(1.0, (duration - since) / (until - since)) if until > since else 1.0
        corners.append((x0 + share * (x1 - x0), y0 + share * (y1 - y0)))
    return corners


def draw_positions(point: Point) -> Figure:
    """Draw where base stations are, how far they reach, and where mobiles go. East is right, north is up.

    Parameters
    ----------
    point : Point
        A point whose topology has places.

    Raises
    ------
    InputError
        Its topology has none.
    """
    from windlass import plots

    effective = point.effective()
    topology = effective["topology"]
    if topology["kind"] != "cellular":
        raise InputError(
            f"topology `{topology['kind']}` has no positions to draw",
            code="plot.no-positions",
            hint="draw a scenario of topology `cellular`",
        )
    duration = _seconds(effective["scenario"]["duration"])
    return plots.map_of_places(lambda axes: _draw_cells(axes, topology, duration))


def _draw_cells(axes: Axes, topology: Mapping[str, Any], duration: float) -> None:
    from matplotlib.patches import Circle

    from windlass import palette

    radius = metres(topology["radius"])
    stations = [_place(station["at"]) for station in topology["stations"]]
    for x, y in stations:
        axes.add_patch(Circle((x, y), radius, facecolor=palette.SKY, alpha=0.15, edgecolor=palette.GREY, linewidth=0.8))
    axes.plot(*zip(*stations, strict=True), "^", color=palette.BLACK, label="base station")
    for number, mobile in enumerate(topology["mobiles"]):
        corners = way(mobile, duration)
        look = palette.nth(number)
        xs, ys = zip(*corners, strict=True)
        axes.plot(xs, ys, color=look.colour, label=f"mobile/{number}")
        axes.plot(xs[0], ys[0], look.marker, color=look.colour)
        if len(corners) > 1:
            axes.annotate("", corners[-1], corners[-2], arrowprops={"arrowstyle": "->", "color": look.colour})
    axes.autoscale_view()
