"""The house style of figures: size, legend beside the data, no title inside, and files that are the same each time."""

from __future__ import annotations

import difflib
import io
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from windlass.errors import InputError
from windlass.files import write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windlass.palette import Look
    from windlass.sweep import RunResult

FORMATS = ("pdf", "svg", "png")
"""Formats that :func:`save` writes."""

PICTURE_DPI = 120
"""Dots per inch of the picture that a notebook shows."""

COLUMNS_MM = {"1col": 88.9, "2col": 181.0}
"""Widths of figures in journals of two columns, millimetres: one column, and both (3.5 and about 7.1 inches; IEEE)."""

_STYLE: dict[str, Any] = {
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "font.serif": ["STIXGeneral", "Times New Roman", "serif"],
    "axes.grid": True,
    "grid.linewidth": 0.4,
    "grid.alpha": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 6,
    "lines.markeredgecolor": "white",  # so that marks on each other are told apart
    "lines.markeredgewidth": 0.5,
    "legend.frameon": False,
    "legend.handlelength": 3.2,  # so that a whole dash shows
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "windlass",
}
_MM = 25.4
_SIZE = (6.4, 3.6)
_FONT_SIZE = 9.0
_LEGEND_ROWS = 20  # that a figure of this height has room for
_LEGEND_COLUMNS = 3
_ROW = 1.6  # height of a row of the legend, sizes of its letters
_SMALLEST = 6.0  # points, of letters that a long legend is set in
_MOST_OF_DATA = 0.55  # height of a legend below the data, as a share of theirs
_AROUND = 4.5  # height of ticks and the label of an axis, sizes of its letters
_PAD_IN = 0.05
_LETTER_IN = 0.065 / 8.0  # width of a letter of the legend, inches for each point of its size
_HANDLE_IN = 0.55
_HANDLE = 5.4  # sizes of the letters: what a column of the legend needs beside its letters


Given = ParamSpec("Given")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Layout:
    """How wide a figure is, its letters, and words that stand in it instead of its own."""

    width_in: float | None = None
    font: str | None = None
    font_size: float = _FONT_SIZE
    title: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a figure with one panel, inches."""
        if self.width_in is None:
            return _SIZE
        return self.width_in, self.width_in * (0.66 if self.width_in < 5.0 else 0.5)

    def settings(self) -> dict[str, Any]:
        """The settings of matplotlib."""
        small = self.font_size * 8.0 / 9.0
        given: dict[str, Any] = {
            "font.size": self.font_size,
            "legend.fontsize": small,
            "legend.title_fontsize": small,
            "figure.titlesize": self.font_size,
            "axes.titlesize": small,
        }
        if self.font in ("serif", "sans"):
            given["font.family"] = {"serif": "serif", "sans": "sans-serif"}[self.font]
        elif self.font is not None:
            given["font.family"] = [self.font]
        return given


_plain = Layout()
_layout: ContextVar[Layout] = ContextVar("layout", default=_plain)


@contextmanager
def layout(
    *,
    width: str | float | None = None,
    font: str | None = None,
    font_size: float | None = None,
    title: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Draw what is drawn in this block at the size and with the letters of a paper.

    Parameters
    ----------
    width : {"1col", "2col"} or float
        Width of the figure: one of :data:`COLUMNS_MM`, or millimetres (30 to 1000). The legend stands below the data
        where beside it there is no room; the figure grows in height for it, never in width.
    font : str
        ``"sans"`` (DejaVu Sans), ``"serif"`` (STIX, like Times), or the name of an installed font. PDF files hold the
        letters that they use.
    font_size : float
        Points (4 to 40), of axes; ticks have the same, legends are a little smaller. By default 9, and 8 in one column.
    title : str
        A line above the figure. By default there is none: a paper has a caption.
    labels : mapping of str to str
        Words instead of those of the figure: for ``"x"`` and ``"y"`` those of the axes, for an entry of the legend its
        name there.

    Raises
    ------
    InputError
        If there is no such width or font, or, when the figure is drawn, no such entry.

    Examples
    --------
    >>> from windlass import plots
    >>> with plots.layout(width="1col", font="serif"):
    ...     plots.style.new_figure()[0].get_size_inches().round(2).tolist()
    [3.5, 2.31]
    """
    width_in = None if width is None else _width_mm(width) / _MM
    if font_size is None:
        font_size = 8.0 if width_in is not None and width_in < 4.0 else _FONT_SIZE
    if not 4.0 <= font_size <= 40.0:
        raise InputError(f"a font of {font_size:g} points", code="plot.layout", hint="give 4 to 40 points, such as 8")
    if font not in (None, "sans", "serif"):
        _check_font(str(font))
    token = _layout.set(Layout(width_in, font, font_size, title, dict(labels or {})))
    try:
        yield
    finally:
        _layout.reset(token)


def _width_mm(width: str | float) -> float:
    known = COLUMNS_MM.get(str(width))
    try:
        found = known or float(str(width).removesuffix("mm"))
    except ValueError:
        found = math.nan
    if not 30.0 <= found <= 1000.0:
        raise InputError(
            f"no width `{width}`", code="plot.layout", hint="write `1col`, `2col`, or 30 to 1000 millimetres"
        )
    return found


def _check_font(font: str) -> None:
    from matplotlib import font_manager

    names = sorted({entry.name for entry in font_manager.fontManager.ttflist if not entry.name.startswith("STIXSize")})
    if font not in names:
        near = difflib.get_close_matches(font, names, 3, 0.5) or ["DejaVu Sans", "DejaVu Serif", "STIXGeneral"]
        raise InputError(
            f"no font `{font}` is installed",
            code="plot.layout",
            hint=f"write `serif`, `sans`, or the name of an installed font, such as {some(near)}",
        )


def styled(draw: Callable[Given, Made]) -> Callable[Given, Made]:
    """Draw in the house style and the layout in force, and leave the caller's settings alone."""

    @wraps(draw)
    def styled(*args: Given.args, **options: Given.kwargs) -> Made:
        from matplotlib import style
        from matplotlib.figure import Figure

        with style.context(["default", _STYLE, _layout.get().settings()]):
            made = draw(*args, **options)
            if isinstance(made, Figure):
                _finish(made, _layout.get())
            return made

    return styled


def _finish(figure: Figure, given: Layout) -> None:
    """Title and words as wanted, plain numbers on logarithmic axes, and every text as it is written: a name with two
    dollar signs is no formula.
    """
    from matplotlib.text import Text
    from matplotlib.ticker import FuncFormatter, LogFormatter

    if given.title is not None:
        # over the data: a legend beside them begins at the upper edge
        beside = [legend for legend in figure.legends if getattr(legend, "_outside_loc", None) == "right"]
        extents = (legend.get_window_extent(figure._get_renderer()) for legend in beside)  # type: ignore[attr-defined]
        free = 1.0 - sum(extent.width for extent in extents) / figure.bbox.width
        words = fill(given.title, max(12, int(0.8 * free * room_for_letters())))
        more = words.count("\n") * 1.4 * given.font_size / 72.0
        figure.set_size_inches(figure.get_figwidth(), figure.get_figheight() + more)
        figure.suptitle(words, x=0.5 * free)
    if given.labels:
        _relabel(figure, given.labels)
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_formatter(), LogFormatter):
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
                axis.set_minor_formatter(FuncFormatter(lambda value, _: ""))
    for text in figure.findobj(Text):
        text.set_parse_math(False)


def _relabel(figure: Figure, labels: Mapping[str, str]) -> None:
    shared = {"x": figure._supxlabel, "y": figure._supylabel}  # type: ignore[attr-defined]
    for name, words_ in labels.items():
        if name in shared:
            texts = [getattr(axes, f"{name}axis").label for axes in figure.axes]
            found = [text for text in (shared[name], *texts) if text is not None and text.get_text()]
        else:
            legends = [*figure.legends, *(own for axes in figure.axes if (own := axes.get_legend()) is not None)]
            every = [text for legend in legends for text in legend.get_texts()]
            found = [text for text in every if text.get_text() == name]
        if not found:
            entries = dict.fromkeys(text.get_text() for text in (every if name not in shared else ()))
            raise InputError(
                f"the figure has no `{name}` to label",
                code="plot.no-label",
                hint=f"there are `x`, `y`, and of the legend {some(list(entries)) or 'nothing'}",
            )
        for text in found:
            text.set_text(words_)


@styled
def save(figure: Figure, stem: str | Path, formats: Iterable[str] | None = None) -> list[Path]:
    """Write a figure; the same figure gives the same bytes each time.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to write.
    stem : str or Path
        Path without ending. With the ending of a known format, only that one is written.
    formats : iterable of str, optional
        Some of :data:`FORMATS`; by default all. With them what is no ending of those is a part of the name.

    Returns
    -------
    list of Path
        The files, in the order of `formats`.

    Raises
    ------
    InputError
        If the path has an ending of another format.
    StoreError
        If a file cannot be written.
    """
    stem = Path(stem)
    form = format_of(stem) if formats is None or stem.suffix[1:].lower() in FORMATS else None
    wanted = {form: stem} if form else {form: stem.with_name(f"{stem.name}.{form}") for form in formats or FORMATS}
    files = []
    for form, file in wanted.items():
        files.append(write_file(file, drawn(figure, form)))
    return files


def format_of(file: Path, *others: str) -> str | None:
    """The format that a file's ending names, one of :data:`FORMATS` or of `others`; ``None`` for one without ending.

    What does not begin with a letter is no ending: ``fig3.5``, ``loss-0.01``.

    Raises
    ------
    InputError
        If it names another format.
    """
    ending = file.suffix[1:].lower()
    if ending in (*FORMATS, *others):
        return ending
    if not re.match("[a-z]", ending):
        return None
    *most, last = (f"`.{form}`" for form in (*FORMATS, *others))
    made = {
        "eps": "; `pdftops -eps` makes EPS of a PDF",
        **dict.fromkeys(("pcap", "pcapng", "cap"), f"; `windlass export FILE -o {file.stem}.pcapng` writes packets"),
    }.get(ending, "")
    raise InputError(
        f"`{file.name}`: figures are not written as `.{ending}`",
        code="plot.format",
        hint=f"write {', '.join(most)} or {last}, or no ending for {', '.join(FORMATS)} at once{made}",
    )


_METADATA_OF: dict[str, dict[str, Any]] = {
    "pdf": {"Creator": "windlass", "Producer": None, "CreationDate": None},
    "svg": {"Creator": "windlass", "Date": None},
    "png": {"Software": "windlass"},
}


@styled
def drawn(figure: Figure, form: str) -> bytes:
    """What a file of the figure in one of the :data:`FORMATS` holds."""
    whole = io.BytesIO()
    figure.savefig(whole, format=form, metadata=_METADATA_OF[form])
    return _compact(whole.getvalue().decode("utf-8")).encode("utf-8") if form == "svg" else whole.getvalue()


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


def new_figure(rows: float = 1.0) -> tuple[Figure, Axes]:
    """A figure of the layout's size with one panel, so many times as high as usual."""
    figure = bare_figure(rows)
    return figure, figure.add_subplot()


def bare_figure(rows: float = 1.0) -> Figure:
    """The same without a panel."""
    from windlass.plots.shown import ShownFigure

    width, height = _layout.get().size
    return ShownFigure(figsize=(width, height * rows), layout="constrained")


def small() -> float:
    """Size of letters beside marks, points."""
    return _layout.get().font_size * 7.0 / 9.0


def marker_size(marker: str, size: float) -> float:
    """Size of a marker that looks as large as others: crosses have little surface, and numbers are to be read."""
    if marker.startswith("$"):
        return (0.9 + 0.4 * (len(marker) - 2)) * size
    return 1.35 * size if marker in ("X", "P", "*") else size


def mark_style(look: Look, size: float) -> dict[str, Any]:
    """Keywords of a line for its marks: as large as others, and filled as the look has it."""
    style: dict[str, Any] = {"marker": look.marker, "markersize": marker_size(look.marker, size)}
    if look.marker.startswith("$"):
        return style | {"markeredgewidth": 0.0}
    if look.fill == "full":
        return style
    return style | filling(look.colour, look.fill) | {"markeredgewidth": 0.13 * size}


def filling(colour: str, fill: str) -> dict[str, Any]:
    """Keywords of a line whose marks have this colour, and are filled so far: what is not filled is white."""
    return {
        "markeredgecolor": colour,
        "markeredgewidth": 1.0,
        "markerfacecolor": "white" if fill == "none" else colour,
        "markerfacecoloralt": "white",
        "fillstyle": "full" if fill == "none" else fill,
    }


def from_zero(axes: Axes, top: float | None = None) -> None:
    """The axis up from zero, and as much below it as half a marker needs."""
    top = axes.get_ylim()[1] if top is None else top
    axes.set_ylim(-0.02 * top, top)


def room_for_letters() -> float:
    """Letters of a legend that stand beside each other in the width of a figure."""
    given = _layout.get()
    return given.size[0] / (_LETTER_IN * given.font_size * 8.0 / 9.0)


def is_narrow() -> bool:
    """Whether figures are as wide as one column."""
    width = _layout.get().width_in
    return width is not None and width < 5.0


def add_legend(
    figure: Figure,
    *panels: Axes,
    from_top: bool = False,
    title: str | None = None,
    below: bool = False,
    instead: Mapping[str, Any] | None = None,
) -> None:
    """What lines mean, one list for all panels, each name once; `from_top`: what was drawn last comes first;
    `instead`: handles by their words in place of those of the panels.

    It stands beside the data, and below it where that is wanted, or where a width is given that leaves no room beside.
    """
    found: dict[str, Any] = dict(instead or {})
    for axes in panels if instead is None else ():
        handles, names = _guides_last(*axes.get_legend_handles_labels())
        order = slice(None, None, -1) if from_top else slice(None)
        for handle, name in zip(handles[order], names[order], strict=True):
            found.setdefault(name, handle)
    if not found:
        return
    given = _layout.get()
    size = given.font_size * 8.0 / 9.0
    # labels that will stand there, since longer ones need more room
    lengths = [len(given.labels.get(name, name)) for name in found]
    widest = max(max(lengths) * _LETTER_IN * size + _HANDLE_IN, len(title or "") * _LETTER_IN * size)
    width, height = figure.get_size_inches()
    row = _ROW * size / 72.0
    options: dict[str, Any] = {"title": title, "alignment": "left"}
    if below or (given.width_in is not None and (widest > 0.3 * width or row * len(found) > height)):
        around = _AROUND * given.font_size / 72.0
        for letters in (size, min(size, _SMALLEST)):
            row, columns = _ROW * letters / 72.0, _columns(lengths, width, letters)
            high = row * (math.ceil(len(found) / columns) + (title is not None))
            if high <= _MOST_OF_DATA * (height - around):
                break
        # the data are higher than a long list of what they are
        figure.set_size_inches(width, max(height, high / _MOST_OF_DATA + around) + high)
        options |= {"ncols": columns, "columnspacing": 1.2, "fontsize": letters, "borderaxespad": 0.2}
        _legend_below(figure, list(found.values()), list(found), options)
        return
    # What has no room in the height of the figure stands in further columns, and the figure grows for them.
    columns = min(math.ceil(len(found) / _LEGEND_ROWS), _LEGEND_COLUMNS) if given.width_in is None else 1
    rows = math.ceil(len(found) / columns)
    figure.set_size_inches(width + (columns - 1) * widest, height * max(1.0, rows / _LEGEND_ROWS))
    figure.legend(list(found.values()), list(found), loc="outside right upper", ncols=columns, **options)


def _columns(lengths: Sequence[int], width: float, size: float) -> int:
    """Columns of a legend, each as wide as its longest label, that have room beside each other."""

    def needed(columns: int) -> float:
        # as matplotlib fills them: the first ones have one more
        least, more = divmod(len(lengths), columns)
        ends = list(itertools.accumulate(least + (at < more) for at in range(columns)))
        longest = (max(lengths[end - least - (at < more) : end]) for at, end in enumerate(ends))
        return sum(one * _LETTER_IN * size + _HANDLE * size / 72.0 for one in longest)

    return next((columns for columns in range(len(lengths), 1, -1) if needed(columns) <= 0.97 * width), 1)


def _legend_below(figure: Figure, handles: list[Any], names: list[str], options: dict[str, Any]) -> None:
    """A legend under the data, and under what the panels share as the label of their axis."""
    shared = figure._supxlabel  # type: ignore[attr-defined]
    if shared is None:
        figure.legend(handles, names, loc="outside lower center", **options)
        return
    legend = figure.legend(handles, names, loc="lower center", **options)
    renderer = figure._get_renderer()  # type: ignore[attr-defined]
    pad = _PAD_IN / figure.get_figheight()
    under = legend.get_window_extent(renderer).height / figure.bbox.height + 2.0 * pad
    shared._autopos = False  # the layout would put it at the lower edge, where the legend is
    shared.set_y(under)
    under += shared.get_window_extent(renderer).height / figure.bbox.height + pad
    figure.get_layout_engine().set(rect=(0.0, under, 1.0, 1.0 - under))  # type: ignore[union-attr, call-arg]
    if figure._supylabel is not None:  # type: ignore[attr-defined]
        figure._supylabel.set_y(0.5 * (1.0 + under))  # type: ignore[attr-defined]


def _guides_last(handles: list[Any], names: list[str]) -> tuple[list[Any], list[str]]:
    """Entries of a legend: first what has intervals, then lines of theory."""
    from matplotlib.container import Container

    order = sorted(range(len(names)), key=lambda at: not isinstance(handles[at], Container))
    return [handles[at] for at in order], [names[at] for at in order]


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


def some(names: Sequence[str], most: int = 8) -> str:
    """The first names of a list, for a hint."""
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
