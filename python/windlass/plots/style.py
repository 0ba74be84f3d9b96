"""The house style of figures: size, legend beside the data, no title inside, and files that are the same each time."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from windlass.errors import StoreError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windlass.sweep import RunResult

FORMATS = ("pdf", "svg", "png")
"""Formats that :func:`save` writes."""

_STYLE: dict[str, Any] = {
    "font.size": 9,
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "axes.grid": True,
    "grid.linewidth": 0.4,
    "grid.alpha": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 5,
    "legend.frameon": False,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "windlass",
}
_SIZE = (6.4, 3.6)
_LEGEND_ROWS = 20  # that a figure of this height has room for
_LEGEND_COLUMNS = 3
_LETTER_IN = 0.065  # width of a letter of the legend, inches
DASHES = ("-", "--", "-.", ":")

Given = ParamSpec("Given")
Made = TypeVar("Made")


def styled(draw: Callable[Given, Made]) -> Callable[Given, Made]:
    """Draw in the house style and leave the caller's settings alone."""

    @wraps(draw)
    def styled(*args: Given.args, **options: Given.kwargs) -> Made:
        from matplotlib import style

        with style.context(["default", _STYLE]):
            return draw(*args, **options)

    return styled


@styled
def save(figure: Figure, stem: str | Path, formats: Iterable[str] = FORMATS) -> list[Path]:
    """Write a figure; the same figure gives the same bytes each time.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to write.
    stem : str or Path
        Path without ending. With the ending of a known format, only that one is written.
    formats : iterable of str
        Some of :data:`FORMATS`.

    Returns
    -------
    list of Path
        The files, in the order of `formats`.

    Raises
    ------
    StoreError
        If a file cannot be written.
    """
    stem = Path(stem)
    if stem.suffix.lstrip(".") in FORMATS:
        stem, formats = stem.with_suffix(""), (stem.suffix.lstrip("."),)
    metadata: dict[str, dict[str, Any]] = {
        "pdf": {"Creator": "windlass", "Producer": None, "CreationDate": None},
        "svg": {"Creator": "windlass", "Date": None},
        "png": {"Software": "windlass"},
    }
    files = []
    for form in formats:
        file = stem.with_name(f"{stem.name}.{form}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(file, format=form, metadata=metadata[form])
            if form == "svg":
                file.write_text(_compact(file.read_text(encoding="utf-8")), encoding="utf-8")
        except OSError as error:
            raise StoreError(
                f"cannot write `{file}`: {error.strerror or error}",
                code="cli.output",
                hint="name another place with `-o`",
            ) from error
        files.append(file)
    return files


_METADATA = re.compile(r" *<metadata>.*?</metadata>\n", re.DOTALL)
_PLACES = re.compile(r'(?<= )(?:d|x|y|transform)="[^"]*"')
_FRACTION = re.compile(r"\d+\.\d+")
_STYLES = re.compile(r' style="([^"]*)"')


def _compact(svg: str) -> str:
    """The SVG without metadata, indents and names of groups; its places rounded to a hundredth of a point, paths on one
    line, styles that occur again and again written once.
    """

    def places(found: re.Match[str]) -> str:
        rounded = _FRACTION.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), found[0])
        return re.sub(r"\s+", " ", rounded).replace(' "', '"')

    svg = re.sub(r'<g id="[^"]*">', "<g>", _PLACES.sub(places, _METADATA.sub("", svg)))
    counts = Counter(_STYLES.findall(svg))
    classes = {style: f"s{at}" for at, style in enumerate(style for style, count in counts.items() if count > 2)}
    svg = _STYLES.sub(
        lambda found: f' class="{classes[found[1]]}"' if found[1] in classes else found[0],
        svg,
    )
    rules = "".join(f".{name}{{{style}}}" for style, name in classes.items())
    return re.sub(r"\n +", "\n", svg.replace("</style>", f"{rules}</style>", 1))


def new_figure() -> tuple[Figure, Axes]:
    """A figure of the house's size with one panel."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, layout="constrained")
    return figure, figure.add_subplot()


def add_legend(figure: Figure, *panels: Axes, from_top: bool = False) -> None:
    """What lines mean, beside the data: one list for all panels; `from_top`: what was drawn last comes first."""
    handles: list[Any] = []
    labels: list[str] = []
    for axes in panels:
        more, names = axes.get_legend_handles_labels()
        handles += more[::-1] if from_top else more
        labels += names[::-1] if from_top else names
    if not handles:
        return
    # What has no room in the height of the figure stands in further columns, and the figure grows for them.
    columns = min(math.ceil(len(labels) / _LEGEND_ROWS), _LEGEND_COLUMNS)
    rows = math.ceil(len(labels) / columns)
    width, height = figure.get_size_inches()
    widest = max(map(len, labels)) * _LETTER_IN + 0.5
    figure.set_size_inches(width + (columns - 1) * widest, height * max(1.0, rows / _LEGEND_ROWS))
    figure.legend(handles, labels, loc="outside right upper", fontsize=8, ncols=columns)


def trace(result: RunResult, subject: str, variable: str) -> tuple[list[float], list[float]]:
    """Times and values of a recorded series; empty if it was not recorded."""
    import pyarrow.compute as pc

    traces = result.traces
    wanted = pc.and_(pc.equal(traces["subject"], subject), pc.equal(traces["variable"], variable))
    rows = traces.filter(wanted).drop_null()
    return rows["time_s"].to_pylist(), rows["value"].to_pylist()


def number_of(value: float | None) -> float:
    """A number of a table; NaN for one that does not exist."""
    return math.nan if value is None else float(value)


def words(name: str, unit: str) -> str:
    """What stands on an axis."""
    return f"{name} ({unit})" if unit else name


def some(names: Sequence[str], most: int = 8) -> str:
    """The first names of a list, for a hint."""
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
