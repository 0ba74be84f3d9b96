"""Tables of words whose columns know their units and the keys of scenarios that they hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windlass.interval import shown
from windlass.palette import title
from windlass.plots.words import axis_words, quantity, setting, value_of, words

__all__ = ["ALGORITHM", "Column", "Grid", "View", "axis_columns", "fixed", "with_interval"]

ALGORITHM = "algorithm"
"""Kind of a column that holds algorithms by their names in the registry."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        What is in it; of a swept key the key.
    unit : str
        Of its numbers, empty if they have none.
    right : bool
        Whether it holds numbers, which are aligned right.
    kind : str
        ``"key"`` for a swept key, :data:`ALGORITHM`, or empty.
    """

    name: str
    unit: str = ""
    right: bool = True
    kind: str = ""

    @property
    def head(self) -> str:
        """On the screen: a key as ``--set`` takes it."""
        return f"{self.name} {self.unit}" if self.unit else self.name


@dataclass(frozen=True)
class Grid:
    """A table: its columns, and rows of as many cells.

    Attributes
    ----------
    columns : list of Column
        The columns.
    rows : list of list
        Their cells.
    stacked : bool
        In print, units stand below the names of the columns, not behind them: there is little room.
    """

    columns: list[Column]
    rows: list[list[Any]]
    stacked: bool = False

    @classmethod
    def of(cls, columns: Iterable[Column], rows: Iterable[Mapping[str, Any]]) -> Grid:
        """The table of rows that have their cells by the names of the columns; columns without any cell are left out.

        A cell is empty where it is ``""``.
        """
        listed = list(rows)
        kept = [one for one in columns if not one.right or any(row[one.name] != "" for row in listed)]
        cells = [[setting(row[one.name]) if one.kind == "key" else row[one.name] for one in kept] for row in listed]
        return cls(kept, cells)

    def in_words(self, *, stacked: bool = False) -> tuple[list[str], list[list[str]]]:
        """Heads and cells for a reader of a paper: names instead of keys, units in brackets, once in the head.

        With `stacked` the units of heads stand on a line of their own.
        """
        heads, cells = [], []
        for at, column in enumerate(self.columns):
            values = [row[at] for row in self.rows]
            name = axis_words(column.name) if column.kind == "key" else column.name
            unit, shown = _of_one_unit(values) if column.kind == "key" else (column.unit, None)
            heads.append(f"{name}\n({unit})" if stacked and unit else words(name, unit))
            cells.append(shown or [_worded(column, value) for value in values])
        for at, column in enumerate(self.columns):
            if column.kind == "key" and heads.count(heads[at]) > 1:
                heads[at] = f"{heads[at]}, {column.name}"  # two keys with the same words
        return heads, [list(row) for row in zip(*cells, strict=True)]


def _of_one_unit(values: Sequence[Any]) -> tuple[str, list[str] | None]:
    """The unit of all values and their numbers; the values as they are if they have no or several units."""
    found = [quantity(value) for value in values]
    units = {one[1] for one in found if one is not None}
    if None in found or len(units) != 1 or units == {""}:
        return "", None
    return units.pop(), [f"{one[0]:g}" for one in found if one is not None]


def _worded(column: Column, value: Any) -> str:
    if column.kind == "key":
        return value_of(column.name, value)
    return title(str(value)) if column.kind == ALGORITHM else str(value)


@dataclass(frozen=True)
class View:
    """What is shown of a result.

    Attributes
    ----------
    title : str
        What it is.
    head : list of str
        Lines above the tables.
    cautions : list of str
        What to know before trusting the numbers.
    parts : list of Grid or str
        Tables, and lines between and below them.
    """

    title: str
    head: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    parts: list[Grid | str] = field(default_factory=list)


def axis_columns(axes: Iterable[str]) -> list[Column]:
    """Columns of swept keys."""
    return [Column(axis, right=False, kind="key") for axis in axes]


def fixed(value: float | None, scale: float, digits: int) -> str:
    """A scaled number with so many digits, nothing for none."""
    return "" if value is None else f"{value * scale:.{digits}f}"


def with_interval(row: Mapping[str, Any], metric: str, scale: float, digits: int) -> str:
    """A mean and its interval from a row's columns ``METRIC_mean``, ``METRIC_lo`` and ``METRIC_hi``, scaled.

    :func:`windlass.interval.shown` says how.
    """
    mean, low, high = (row[f"{metric}_{part}"] for part in ("mean", "lo", "hi"))
    if mean is None or math.isnan(mean):
        return ""
    return " ".join(filter(None, shown(mean, low, high, scale=scale, digits=digits)))
