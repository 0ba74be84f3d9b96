"""Tables as LaTeX: what stands in them, and that it can be set."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from windlass.cli.latex import aligned, escape

Command = Callable[..., Result]

TEXT_WIDTH_PT = 516.0
"""Both columns of a paper of two, as IEEE has them."""

LETTER_PT = 5.0
"""Width of a digit at 10 pt, which is more than that of a mean letter."""

SPACE_PT = 12.0
"""Between two columns."""


def shown(cell: str) -> str:
    """A cell as it is printed: a letter for each, room as blanks."""
    text = re.sub(r"\\phantom\{([^}]*)\}", lambda found: "·" * len(shown(found[1])), cell)
    text = text.replace(r"$\pm$", "±").replace("$-$", "−").replace("$+$", "+")
    return re.sub(r"\\([%&_#{}])", r"\1", text).replace("``", "“").replace("''", "”")


def tabular(text: str) -> tuple[list[str], list[list[str]]]:
    """Kinds of columns and rows of the one table in an output."""
    lines = text.splitlines()
    (begin,) = (line for line in lines if line.startswith("\\begin{tabular}"))
    rows = [line.removesuffix(" \\\\").split(" & ") for line in lines if line.endswith("\\\\")]
    return list(begin[16:-1]), rows


@pytest.mark.parametrize(
    "cells",
    [
        ["0.703 ± 0.028", "-3.512 ± 12.3", "10.1 ± 100.25"],
        ["1", "-2.5", "100.125"],
        ["69.7 ± ?", "0.5 ± 4.25", "12", "no loss", "-"],
        ["+3.0 ± 0.5", "0.0 ± ?", ""],
        ["5", "50"],
    ],
)
def test_decimal_points_stand_below_each_other(cells: list[str]) -> None:
    made = [shown(cell) for cell in aligned(cells)]
    numbers = [cell for cell in made if re.match(r"[+−]?\d", cell)]
    assert len(numbers) >= 2
    # flush right: what counts is how far a place is from the end
    whole = [re.match(r"[+−]?\d+", cell) for cell in numbers]
    assert len({len(cell) - one.end() for cell, one in zip(numbers, whole, strict=True) if one}) == 1, made
    if any("±" in cell for cell in cells):
        signs = {len(cell) - cell.index("±") for cell in numbers if "±" in cell}
        assert len(signs) == 1, made
    assert not any("-" in cell for cell in numbers)


def test_text_has_the_signs_of_print() -> None:
    assert escape('a "b" ("c") says "d e"') == "a ``b'' (``c'') says ``d e''"
    assert escape("-0.5 to -3 %") == r"$-$0.5 to $-$3 \%"
    assert escape("drop-tail, x-1") == "drop-tail, x-1"
    assert escape("--path a--b") == "-{}-path a-{}-b"
    assert escape("p95 of `a_b`") == r"p95 of \texttt{a\_b}"
    assert aligned(["-", "1.0"]) == ["--", "1.0"]


def test_a_comparison_fits_on_two_columns(command: Command, sweep_file: Path) -> None:
    done = command("compare", "newreno", "cerl", "veno", "--path", sweep_file, "--seeds", "2", "--latex")
    assert done.exit_code == 0, done.output
    kinds, rows = tabular(done.stdout)
    assert all(len(row) == len(kinds) for row in rows)
    widths = [max(len(shown(row[at])) for row in rows) for at in range(len(kinds))]
    assert LETTER_PT * sum(widths) + SPACE_PT * len(kinds) <= TEXT_WIDTH_PT, rows
    count = done.stdout.partition("\\midrule")[0].count("\\\\\n")
    heads = [" ".join(filter(None, column)) for column in zip(*rows[:count], strict=True)]
    for head in ("algorithm", "goodput (Mbit/s)", r"over newreno (\%)", "p95 queueing (ms)", r"cost to it (\%)"):
        assert head in heads
    assert not any(mark in done.stdout for mark in ("textquotedbl", "siunitx"))


def test_columns_can_be_chosen(command: Command, small_file: Path) -> None:
    asked = ("compare", "newreno", "cerl", "--path", small_file, "--seeds", "2", "--no-neighbour")
    _, rows = tabular(command(*asked, "--latex", "--columns", "misses,gain, seeds").stdout)
    assert [cell for cell in rows[0] if cell] == ["algorithm", "seeds", "over newreno", "misses"]
    screen = command(*asked, "--columns", "goodput").stdout
    assert "goodput Mbit/s" in screen
    assert "queueing ms" not in screen
    assert "does not judge losses" not in screen
    whole = command(*asked).stdout
    assert command(*asked, "--columns", "all").stdout == whole
    assert "does not judge losses" in whole
