"""Tables of the screen as LaTeX, for the package booktabs."""

from __future__ import annotations

import re
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
    '"': r"\textquotedbl{}",
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
    r"""Text that LaTeX sets as it is written.

    Examples
    --------
    >>> print(escape("50 % of $x_1 ± 2"))
    50 \% of \$x\_1 $\pm$ 2
    """
    return _ANY.sub(lambda found: _ESCAPES[found[0]], _CONTROL.sub("", text))


def tabular(table: Table) -> str:
    """A table of the screen as a ``tabular`` with the rules of booktabs."""
    from rich.text import Text

    def plain(cell: Any) -> str:
        return escape(cell.plain if isinstance(cell, Text) else Text.from_markup(str(cell)).plain)

    kinds = "".join({"right": "r", "center": "c"}.get(column.justify, "l") for column in table.columns)
    head = [plain(column.header) for column in table.columns]
    rows = zip(*(map(plain, column.cells) for column in table.columns), strict=True)
    lines = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", " & ".join(head) + r" \\", r"\midrule"]
    # behind the end of a row, LaTeX would take a bracket or star for an argument of it
    lines += ["{}" * row[0].startswith(("[", "*")) + " & ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


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
