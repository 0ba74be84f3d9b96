"""Tables of the screen as LaTeX, for the package booktabs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.table import Table

_META = "windlass.cli.latex"

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "√": r"$\surd$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "−": r"$-$",
    "µ": r"$\mu$",
    "→": r"$\to$",
    "“": "``",
    "”": "''",
    "…": r"\dots{}",
    "\n": " ",
}
_ANY = re.compile("|".join(map(re.escape, _ESCAPES)))
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


def escape(text: str) -> str:
    r"""Text that LaTeX sets as it is written: words in backticks in a fixed width, quotes in pairs, true minus signs.

    Examples
    --------
    >>> print(escape("50 % of $x_1 ± -2"))
    50 \% of \$x\_1 $\pm$ $-$2
    >>> print(escape('`a_b` with "1 bdp"'))
    \texttt{a\_b} with ``1 bdp''
    """
    parts = _CODE.split(_CONTROL.sub("", text))
    return "".join(rf"\texttt{{{_signs(part)}}}" if at % 2 else _signs(part) for at, part in enumerate(parts))


_CODE = re.compile(r"`([^`]+)`")
_OPENING = re.compile(r'(?:(?<=^)|(?<=[\s(\[{/]))"')
_MINUS = re.compile(r"(?<![\w-])-(?=\.?\d)")


def _signs(text: str) -> str:
    text = _MINUS.sub("−", _OPENING.sub("“", text).replace('"', "”"))
    # two hyphens would become a dash
    return _ANY.sub(lambda found: _ESCAPES[found[0]], text).replace("--", "-{}-").replace("--", "-{}-")


_NUMBER = re.compile(r"([+−-]?)(\d+)(\.\d+)?(?: ± (?:(\d+)(\.\d+)?|(\?)))?")


def aligned(cells: Sequence[str]) -> list[str]:
    r"""Cells of a column that is set flush right, so that the decimal points of its numbers stand below each other.

    What a number lacks in digits behind the point, or in an interval, is there as room (``\phantom``). Other cells are
    text.

    Examples
    --------
    >>> print(*aligned(["12.5 ± 0.25", "-3 ± 10.5", "no loss"]), sep="; ")
    12.5 $\pm$ \phantom{0}0.25; $-$3\phantom{.0} $\pm$ 10.5\phantom{0}; no loss
    """
    found = [_NUMBER.fullmatch(cell) for cell in cells]
    numbers = [one for one in found if one is not None]
    widest = [max((len(one[at] or "") for one in numbers), default=0) for at in range(6)]
    half = any(one[4] or one[6] for one in numbers)

    def number(one: re.Match[str]) -> str:
        sign = {"": "", "+": "$+$"}.get(one[1], "$-$")
        text = f"{sign}{one[2]}{one[3] or ''}{_room(widest[3], one[3])}"
        if one[4]:
            wide = widest[4] - len(one[4])
            before = rf"\phantom{{{'0' * wide}}}" if wide else ""
            return rf"{text} $\pm$ {before}{one[4]}{one[5] or ''}{_room(widest[5], one[5])}"
        if half:
            room = rf"\phantom{{{'0' * max(widest[4] - (1 if one[6] else 0), 0)}{'.' * bool(widest[5])}{'0' * (widest[5] - 1)}}}"
            return rf"{text} $\pm$ ?{room}" if one[6] else rf"{text}\phantom{{ $\pm$ }}{room}"
        return text

    return [
        number(one) if one else escape(cell) if cell != "-" else "--" for one, cell in zip(found, cells, strict=True)
    ]


def _room(widest: int, part: str | None) -> str:
    """Room for digits behind the point that others in the column have."""
    missing = widest - len(part or "")
    return rf"\phantom{{{'' if part else '.'}{'0' * (missing - (0 if part else 1))}}}" if missing else ""


def tabular(table: Table) -> str:
    """A table of the screen as a ``tabular`` with the rules of booktabs."""
    from rich.text import Text

    def plain(cell: Any) -> str:
        return cell.plain if isinstance(cell, Text) else Text.from_markup(str(cell)).plain

    columns = [list(map(plain, column.cells)) for column in table.columns]
    right = [
        column.justify == "right" or _all_numbers(cells) for column, cells in zip(table.columns, columns, strict=True)
    ]
    kinds = "".join("r" if numbers else "l" for numbers in right)
    heads = _heads([plain(column.header).split("\n") for column in table.columns])
    shown = (aligned(cells) if numbers else map(escape, cells) for cells, numbers in zip(columns, right, strict=True))
    rows = zip(*shown, strict=True)
    lines = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    lines += [*(" & ".join(map(escape, head)) + r" \\" for head in heads), r"\midrule"]
    # behind the end of a row, LaTeX would take a bracket or star for an argument of it
    lines += ["{}" * row[0].startswith(("[", "*")) + " & ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


HEAD_LETTERS = 12
"""A head of more letters takes several lines: columns of numbers are narrower."""


def _heads(heads: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Rows of heads, of a name and perhaps a unit each: names end in one row, above the units."""
    names = [textwrap.wrap(name, HEAD_LETTERS, break_long_words=False) for name, *_ in heads]
    most = max(map(len, names))
    units = [*zip_longest(*(units for _, *units in heads), fillvalue="")]
    return [*zip(*([""] * (most - len(name)) + name for name in names), strict=True), *units]


def _all_numbers(cells: Sequence[str]) -> bool:
    """Whether a column that is not said to hold numbers does: values of a swept key, whose unit stands in the head."""
    return bool(cells) and all(_NUMBER.fullmatch(cell) for cell in cells)


class LatexConsole:
    """Prints tables as LaTeX and everything else as its comments."""

    width = 1_000_000

    def print(self, *items: Any, **style: Any) -> None:
        """What :meth:`rich.console.Console.print` prints, so."""
        from rich.table import Table
        from rich.text import Text

        for item in items:
            if isinstance(item, Table):
                if item.title:
                    comment(Text.from_markup(str(item.title)).plain)
                click.echo(tabular(item))
            else:
                comment(Text.from_markup(str(item)).plain)


def comment(text: str) -> None:
    """Print lines that LaTeX passes over."""
    for line in _CONTROL.sub("", text).splitlines():
        click.echo(f"% {line}".rstrip())


def is_on() -> bool:
    """Whether the command at work was asked for LaTeX."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_META))


def say(text: str) -> None:
    """Print a line beside a table."""
    comment(text) if is_on() else click.echo(text)


def _turn_on(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    context.meta[_META] = value


latex_option = click.option(
    "--latex",
    is_flag=True,
    expose_value=False,
    callback=_turn_on,
    help="Print tables as LaTeX, for \\usepackage{booktabs}; all else as comments.",
)
