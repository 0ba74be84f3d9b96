"""Rows of results as lines of a figure and its panels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError
from windlass.palette import Look, looks, nth, title
from windlass.plots.style import bare_figure, is_narrow, new_figure, room_for_letters
from windlass.plots.words import axis_words, quantity, setting_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PANELS = 12
"""Settings that one figure has panels for."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class RowLine:
    """Rows that make one line: its name and look, the panel that it belongs to, and the rows."""

    name: str
    look: Look
    panel: int
    rows: list[Row]


def grouped(
    rows: Sequence[Row], keys: Sequence[str], alone: str, *, by_algorithm: bool = True
) -> tuple[list[str], list[RowLine]]:
    """Titles of panels, and lines.

    Several algorithms make a line each, and what else differs makes panels. Of one algorithm, or where algorithms stand
    along the axis, each setting of `keys` makes a line; one that has no setting is called as the algorithm, or
    `alone`.
    """
    algorithms = list(dict.fromkeys(row["algorithm"] for row in rows))
    own = by_algorithm and len(algorithms) > 1
    named = [name for name in ("group", "direction") if len({row[name] for row in rows}) > 1]
    # of two algorithms in two groups of one run, the group says nothing more
    named = [
        name for name in named if not own or len({(row["algorithm"], row[name]) for row in rows}) > len(algorithms)
    ]
    told = told_apart([tuple((key, str(row[key])) for key in keys) for row in rows])
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        parts = [told[tuple((key, str(row[key])) for key in keys)]] + [str(row[name]) for name in named]
        found.setdefault((row["algorithm"] if own else "", ", ".join(filter(None, parts))), []).append(row)
    settings = list(dict.fromkeys(setting for _, setting in found))
    if own:
        look = looks(algorithms)
        lines = [
            RowLine(title(algorithm), look[algorithm], settings.index(setting), part)
            for (algorithm, setting), part in found.items()
        ]
        return settings, lines
    if len(algorithms) == len(settings) == 1:
        return [""], [RowLine(title(algorithms[0]), looks(algorithms)[algorithms[0]], 0, list(rows))]
    return [""], [RowLine(setting or alone, nth(at), 0, found["", setting]) for at, setting in enumerate(settings)]


Setting = tuple[tuple[str, str], ...]


def told_apart(settings: Iterable[Setting]) -> dict[Setting, str]:
    """Settings in words, and with the values as they were written where two would be called the same."""
    words = {setting: ", ".join(setting_words(key, value) for key, value in setting) for setting in settings}
    if len(set(words.values())) == len(words):
        return words
    return {setting: ", ".join(f"{axis_words(key)}: {value}" for key, value in setting) for setting in words}


def following(rows: Sequence[Row], keys: Sequence[str], given: Sequence[str]) -> list[str]:
    """Swept keys that need no line or panel of their own: they go together with others, whose values say theirs."""
    found = []
    for key in keys:
        values: dict[tuple[str, ...], set[str]] = {}
        for row in rows:
            values.setdefault(tuple(str(row[one]) for one in given if one in keys), set()).add(str(row[key]))
        if key not in given and all(len(own) == 1 for own in values.values()) and len(set.union(*values.values())) > 1:
            found.append(key)
    return found


def with_following(words: str, rows: Sequence[Row], keys: Sequence[str], x: str) -> str:
    """Words of an axis and of what goes along it, from the first place of the axis to the last."""
    parts = []
    along = rows
    if all(quantity(row[x]) is not None for row in rows):
        along = sorted(rows, key=lambda row: (quantity(row[x]) or (0.0, ""))[0])
    for key in following(rows, [key for key in keys if key != "flows.algorithm"], (x,)):
        values = list(dict.fromkeys(str(row[key]) for row in along))
        known = all(quantity(value) is not None for value in values)
        parts.append(axis_words(key) + (f" from {values[0]} to {values[-1]}" if known else ""))
    return wrapped(f"{words}, with {' and '.join(parts)}", 0.8) if parts else words


def panels(titles: Sequence[str], *, shared: bool = True) -> tuple[Figure, list[Axes]]:
    """A figure with a panel for each title, on the same axes or each on its own."""
    if len(titles) > MOST_PANELS:
        raise InputError(
            f"{len(titles)} settings are more than one figure has panels for ({MOST_PANELS})",
            code="plot.too-many",
            hint="sweep fewer keys, or draw a heatmap: `--kind heatmap --x KEY --rows KEY`",
        )
    if len(titles) <= 1:
        figure, axes = new_figure()
        return figure, [axes]
    columns = 2 if is_narrow() or len(titles) in (2, 4) else 3
    rows = math.ceil(len(titles) / columns)
    figure = bare_figure(max(1.0, 0.6 * rows))
    cells = list(figure.subplots(rows, columns, sharex=shared, sharey=shared, squeeze=False).flat)
    for axes in cells[len(titles) :]:
        axes.set_axis_off()
    for at, (axes, words) in enumerate(zip(cells, titles, strict=False)):
        axes.set_title(wrapped(words, columns if is_narrow() else 1.35 * columns), loc="left")
        axes.xaxis.set_tick_params(labelbottom=not shared or at + columns >= len(titles))
    return figure, cells[: len(titles)]


def wrapped(words: str, columns: float) -> str:
    """A title in as many lines as it needs over one of so many panels."""
    return fill(words, max(12, int(room_for_letters() * 0.75 / columns)))


def label(figure: Figure, cells: Sequence[Axes], x_label: str, y_label: str) -> None:
    """What the axes are: said once where panels share them."""
    if len(cells) == 1:
        cells[0].set_xlabel(x_label)
        cells[0].set_ylabel(y_label)
    else:
        figure.supxlabel(x_label, fontsize="medium")
        figure.supylabel(y_label, fontsize="medium")
