"""Tables, numbers and JSON on the screen."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import click

from windlass import _json
from windlass.cli import latex
from windlass.errors import visible

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from windlass.views import Grid, View


def console(width: int = 240) -> Console:
    """Where tables go: the terminal as wide as it is, files and pipes as wide as ``COLUMNS`` says, or this wide.

    LaTeX if that is wanted.
    """
    from rich.console import Console

    if latex.is_on():
        return cast("Console", latex.LatexConsole())
    # Into a file or a pipe, a line of the table is a line of the output, whatever its length.
    if sys.stdout.isatty():
        return Console()
    columns = os.environ.get("COLUMNS", "")
    return Console(width=int(columns) if columns.isdecimal() and int(columns) > 0 else width)


def print_json(data: Any) -> None:
    """Print data as JSON; what does not exist is null."""
    click.echo(json.dumps(_json.strict(data), indent=2, ensure_ascii=False, allow_nan=False))


def print_json_tables(data: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> None:
    """Print data and the rows of tables as one object of JSON, row by row."""
    for piece in _json.pieces(data, tables):
        click.echo(piece, nl=False)
    click.echo()


def print_table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], right: Sequence[str] = ()) -> None:
    """Print these columns of the rows, those in `right` aligned right.

    Numbers are not broken: where the terminal is too narrow for all columns in `right`, they stand in several tables
    below each other.
    """
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    out = console()
    for part in _parts(columns, rows, right, out.width):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for column in part:
            table.add_column(escape(column), justify="right" if column in right else "left", overflow="fold")
        for row in rows:
            table.add_row(*(escape(visible(cell(row[column]))) for column in part))
        out.print(table)


def print_grid(grid: Grid) -> None:
    """Print a table; as LaTeX with names in place of keys and units in brackets."""
    heads, rows = (
        grid.in_words(stacked=grid.stacked) if latex.is_on() else ([column.head for column in grid.columns], grid.rows)
    )
    right = [head for head, column in zip(heads, grid.columns, strict=True) if column.right]
    print_table(heads, [dict(zip(heads, row, strict=True)) for row in rows], right=right)


def print_view(view: View) -> None:
    """Print what is shown of a result."""
    from windlass.views import Grid

    for line in (view.title, *view.head, *(f"caution: {caution}" for caution in view.cautions)):
        latex.say(line)
    for part in view.parts:
        print_grid(part) if isinstance(part, Grid) else latex.say(part)


def _parts(
    columns: Sequence[str], rows: Sequence[Mapping[str, Any]], right: Sequence[str], width: int
) -> list[Sequence[str]]:
    """The columns of each table: all of them, or those that name the rows with as many numbers as have room."""

    def needed(names: Sequence[str]) -> int:
        widest = (max(len(text) for text in (name, *(cell(row[name]) for row in rows))) for name in names)
        return sum(each + 3 for each in widest)  # two spaces and the place of a line between columns

    if not right or needed(columns) <= width:
        return [columns]
    heads = [name for name in columns if name not in right]
    parts: list[list[str]] = [[]]
    for name in right:
        if parts[-1] and needed([*heads, *parts[-1], name]) > width:
            parts.append([])
        parts[-1].append(name)
    return [[*heads, *numbers] for numbers in parts]


def print_details(row: Mapping[str, Any]) -> None:
    """Print one row in full: its text if it has one, else line by line."""
    if "text" in row:
        click.echo(row["text"], nl=False)
        return
    for name, item in row.items():
        if isinstance(item, list) and item and isinstance(item[0], Mapping):
            columns = tuple(key for key in item[0] if any(part.get(key) is not None for part in item))
            click.echo(f"{name}:")
            print_table(columns, [{key: part.get(key) for key in columns} for part in item])
        elif item not in (None, [], ""):
            click.echo(visible(f"{name}: {cell(item)}"))


def cell(item: Any) -> str:
    """A value as a table shows it."""
    if item is None:
        return ""
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, float):
        return f"{item:g}"
    if isinstance(item, (list, tuple)):
        return ", ".join(cell(part) for part in item)
    if isinstance(item, Mapping):
        return json.dumps(item, ensure_ascii=False)
    return str(item)
