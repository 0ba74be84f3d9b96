"""A view as HTML for notebooks: plain tables without scripts, every text escaped."""

from __future__ import annotations

from html import escape

from windlass.views.grid import Grid, View

__all__ = ["MOST_ROWS", "html"]

MOST_ROWS = 100
"""Rows of a table in a notebook; all of them are in the tables of the result."""


def html(view: View) -> str:
    """What a notebook shows."""
    parts = [f"<p><b>{escape(view.title)}</b></p>"]
    parts += [f"<p>{escape(line)}</p>" for line in view.head]
    parts += [f"<p><b>caution:</b> {escape(caution)}</p>" for caution in view.cautions]
    parts += [_table(part) if isinstance(part, Grid) else f"<p>{escape(part)}</p>" for part in view.parts if part]
    return f'<div class="windlass">{"".join(parts)}</div>'


def _table(grid: Grid) -> str:
    heads, rows = grid.in_words()
    sides = ["right" if column.right else "left" for column in grid.columns]
    lines = ["<table><thead>", _row("th", heads, sides), "</thead><tbody>"]
    lines += [_row("td", row, sides) for row in rows[:MOST_ROWS]]
    lines.append("</tbody></table>")
    if len(rows) > MOST_ROWS:
        lines.append(f"<p>and {len(rows) - MOST_ROWS} more rows</p>")
    return "".join(lines)


def _row(tag: str, cells: list[str], sides: list[str]) -> str:
    shown = (
        f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{''.join(shown)}</tr>"
