"""A number over two swept keys, as colours with the number in each field."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError
from windlass.palette import title
from windlass.plots.panels import MOST_PANELS, following, told_apart, with_following, wrapped
from windlass.plots.style import bare_figure, is_narrow, number_of, room_for_letters, small, some, styled
from windlass.plots.words import axis_words, metric_scale, metric_words, no_values, quantity, value_of

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WITH_NUMBERS = 12  # fields side by side that have room for theirs


@styled
def heatmap(summary: pa.Table, x: str, y: str, metric: str = "goodput_bps") -> Figure:
    """Means over seeds of a number over two swept keys, a panel for each algorithm and each setting of other keys.

    Panels share one scale of colours, light for much, which keeps its order in grey print; the numbers stand in the
    fields as long as there is room. A field without a number has a cross.

    Parameters
    ----------
    summary : pyarrow.Table
        From :meth:`windlass.SweepResult.summary`.
    x, y : str
        Swept keys, across and up.
    metric : str
        Number to draw.

    Raises
    ------
    InputError
        If the summary has no such keys or number, or too many settings of other keys.
    """
    from windlass.tables import as_written

    summary = as_written(summary)
    keys = summary.column_names[: summary.column_names.index("group")]
    for key in (x, y):
        if key not in keys or x == y:
            hint = "the results sweep " + (some(keys) or "nothing")
            problem = f"no swept key `{key}`" if key not in keys else f"`{x}` for both axes"
            raise InputError(problem, code="plot.no-axis", hint=hint)
    if f"{metric}_mean" not in summary.column_names:
        known = [name.removesuffix("_lo") for name in summary.column_names if name.endswith("_lo")]
        raise InputError(f"no number `{metric}`", code="plot.no-metric", hint="the results have " + some(known))
    rows = summary.to_pylist()
    if all(math.isnan(number_of(row[f"{metric}_mean"])) for row in rows):
        raise no_values(metric)
    named = [name for name in ("group", "direction") if len({row[name] for row in rows}) > 1]
    others = [key for key in keys if key not in (x, y, *following(rows, keys, (x, y)))]
    if "flows.algorithm" not in keys and len({row["algorithm"] for row in rows}) > 1:
        named.insert(0, "algorithm")
    found: dict[str, dict[tuple[str, str], float]] = {}
    scale, _ = metric_scale(metric)
    told = told_apart([tuple((key, str(row[key])) for key in others) for row in rows])
    for row in rows:
        parts = [told[tuple((key, str(row[key])) for key in others)]]
        parts += [title(row[name]) if name == "algorithm" else str(row[name]) for name in named]
        fields = found.setdefault(", ".join(filter(None, parts)), {})
        fields[str(row[x]), str(row[y])] = scale * number_of(row[f"{metric}_mean"])
    if len(found) > MOST_PANELS:
        raise InputError(
            f"{len(found)} settings are more than one figure has panels for ({MOST_PANELS})",
            code="plot.too-many",
            hint=f"besides the two axes there are {some([*others, *named])}: sweep fewer values of them",
        )
    across, up = (_in_order([str(row[key]) for row in rows]) for key in (x, y))
    along = [
        with_following(axis_words(key), rows, [one for one in keys if one not in (x, y)] + [key], key) for key in (x, y)
    ]
    return _draw(found, (x, across), (y, up), metric, along)


def _in_order(values: Sequence[str]) -> list[str]:
    """Values of an axis, numbers of one unit by size, others as they come."""
    found = list(dict.fromkeys(values))
    sizes = [quantity(value) for value in found]
    if all(size is not None for size in sizes) and len({size[1] for size in sizes if size is not None}) == 1:
        return sorted(found, key=lambda value: (quantity(value) or (0.0,))[0])
    return found


Axis = tuple[str, list[str]]


def _draw(
    found: dict[str, dict[tuple[str, str], float]], x: Axis, y: Axis, metric: str, along: Sequence[str]
) -> Figure:
    columns = min(len(found), 1 if is_narrow() else 3)
    rows = math.ceil(len(found) / columns)
    lines = 1.35 * small() / 72.0 * (len(y[1]) + 3) * rows  # inches that the names up need
    figure = bare_figure(max(1.0, 0.7 * rows))
    figure.set_size_inches(figure.get_figwidth(), max(figure.get_figheight(), lines))
    # letters that stand beside each other in a field, without the room of names and scale
    room = (0.75 * room_for_letters() - columns - max(map(len, _names(*y)))) / columns / len(x[1])
    cells = list(figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat)
    values = [value for fields in found.values() for value in fields.values() if math.isfinite(value)]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    image: Any = None
    for at, (axes, (name, fields)) in enumerate(zip(cells, found.items(), strict=False)):
        image = _draw_fields(axes, fields, x[1], y[1], (low, high if high > low else low + 1.0), numbers=room > 6.0)
        axes.set_title(wrapped(name, columns + 0.4), loc="left")
        axes.xaxis.set_tick_params(labelbottom=at + columns >= len(found))
    for axes in cells[len(found) :]:
        axes.set_axis_off()
    cells[0].xaxis.set_ticks(range(len(x[1])), _names(*x))
    cells[0].yaxis.set_ticks(range(len(y[1])), _names(*y))
    if any(quantity(value) is None for value in y[1]):
        cells[0].invert_yaxis()  # names are read from the top
    if max(map(len, _names(*x))) > room:
        for axes in cells:
            axes.tick_params(axis="x", rotation=90)
    figure.supxlabel(along[0], fontsize="medium")
    figure.supylabel(along[1], fontsize="medium")
    figure.colorbar(image, ax=cells, label=metric_words(metric), fraction=0.05)
    return figure


def _names(key: str, values: Sequence[str]) -> list[str]:
    return [fill(value_of(key, value), 24) for value in values]


def _draw_fields(
    axes: Axes,
    fields: dict[tuple[str, str], float],
    across: Sequence[str],
    up: Sequence[str],
    ends: tuple[float, float],
    *,
    numbers: bool,
) -> Any:
    """One panel; the image that the scale of colours belongs to."""
    grid = [[fields.get((left, right), math.nan) for left in across] for right in up]
    image = axes.imshow(grid, cmap="cividis", vmin=ends[0], vmax=ends[1], aspect="auto", origin="lower")
    axes.grid(visible=False)
    axes.set_facecolor("0.9")
    for row, values in enumerate(grid):
        for column, value in enumerate(values):
            if not math.isfinite(value):
                axes.text(column, row, "×", ha="center", va="center", color="0.3")
            elif numbers and len(across) <= _WITH_NUMBERS and len(up) <= _WITH_NUMBERS:
                dark = value < (ends[0] + ends[1]) / 2.0
                axes.text(
                    column,
                    row,
                    f"{value:.3g}",
                    ha="center",
                    va="center",
                    color="white" if dark else "black",
                    fontsize=small(),
                )
    return image
