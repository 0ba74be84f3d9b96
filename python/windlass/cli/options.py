"""Options that several commands share, and the kinds of values that they take."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click


def is_text(given: str) -> bool:
    """Whether an argument is text; other bytes come as surrogates."""
    return not any("\ud800" <= one <= "\udfff" for one in given)


class _Setting(click.ParamType):  # type: ignore[type-arg]  # no parameter before click 8.4
    """``KEY=VALUE``."""

    name = "KEY=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        key, equals, text = str(value).partition("=")
        if not equals or not key.strip():
            self.fail(f"`{value}` is not KEY=VALUE", param, ctx)
        if not is_text(str(value)):
            self.fail(f"`{value}` is not UTF-8 text", param, ctx)
        return key.strip(), text.strip()


class Share(click.ParamType):  # type: ignore[type-arg]
    """``2%`` or ``0.02``."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The share as a fraction of one."""
        if isinstance(value, float):
            return value
        text = str(value).strip()
        try:
            share = float(text[:-1]) / 100.0 if text.endswith("%") else float(text)
        except ValueError:
            self.fail(f"`{value}` is not a share; write 2% or 0.02", param, ctx)
        return share


MOST_LISTED = 1_000_000
"""Seeds that a range may have."""


class Seeds(click.ParamType):  # type: ignore[type-arg]
    """How many seeds, ``5``, or which: ``3,7``, ``1-5``.

    Parameters
    ----------
    least : int
        Least number of them.
    listed : bool
        Whether they may be named; otherwise there is only a number of them.
    """

    name = "SEEDS"

    def __init__(self, least: int = 1, *, listed: bool = True) -> None:
        self.least, self.listed = least, listed

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | list[int]:
        """The number, or the list."""
        if isinstance(value, (int, list)):
            return value
        found: list[int] = []
        for part in str(value).replace(" ", "").split(","):
            first, dash, last = part.partition("-")
            if not first.isdecimal() or dash and not last.isdecimal():
                self.fail(f"`{value}` is {self._wanted()}", param, ctx)
            ends = (int(first), int(last) if dash else int(first))
            if not 0 <= ends[1] - ends[0] < MOST_LISTED:
                self.fail(f"`{part}` is no range of at most {MOST_LISTED} seeds", param, ctx)
            found.extend(range(ends[0], ends[1] + 1))
        listed = any(mark in str(value) for mark in ",-")
        if listed and not self.listed:
            self.fail(f"`{value}` names seeds, and here they follow from their number: write {len(found)}", param, ctx)
        if (len(found) if listed else found[0]) < self.least:
            self.fail(f"`{value}`: at least {self.least} {'seed' if self.least == 1 else 'seeds'}", param, ctx)
        return found if listed else found[0]

    def _wanted(self) -> str:
        which = " nor which, `3,7` or `1-5`" if self.listed else ""
        return f"no number of seeds, such as 5{which}"


class Place(click.Path):
    """A file or folder to write or to read; an empty name, or one that no file can have, is refused at once."""

    def __init__(self, *, dir_okay: bool = True) -> None:
        super().__init__(path_type=Path, dir_okay=dir_okay)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        if isinstance(value, str):
            if not value.strip():
                self.fail("an empty name names no place; write . for the folder that you are in", param, ctx)
            if "\0" in value or any(len(os.fsencode(part)) > LONGEST for part in value.split("/")):
                self.fail(f"no file can have this name: at most {LONGEST} bytes between slashes", param, ctx)
        return super().convert(value, param, ctx)


class Drawing(Place):
    """A file to draw into, with the ending of a format of figures or of `others`, or without ending."""

    def __init__(self, *others: str) -> None:
        super().__init__()
        self.others = others

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        from windlass.plots.style import format_of

        found = super().convert(value, param, ctx)
        format_of(found, *self.others)
        return found


def _labels(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    """``NAME=TEXT`` as a dictionary."""
    found = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals:
            raise click.BadParameter(f"`{value}` is not NAME=TEXT")
        found[name] = text
    return found


LONGEST = 255
"""Bytes of a name, on every file system in use."""


def _options(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


sets_option = click.option(
    "--set",
    "sets",
    multiple=True,
    type=_Setting(),
    metavar="KEY=VALUE",
    help="Set a key of the scenario, e.g. --set flows.algorithm=cerl. Can be repeated.",
)


def _load_own(context: click.Context, parameter: click.Parameter, files: Sequence[Path]) -> None:
    if files and not context.resilient_parsing:
        from contextlib import redirect_stdout

        from windlass.cli.own import Split
        from windlass.control import load_file

        context.find_root().with_resource(redirect_stdout(Split(sys.stdout)))
        with redirect_stdout(Split(None)):
            for file in files:
                load_file(file)


own_option = click.option(
    "--python",
    "own",
    multiple=True,
    type=Place(),
    metavar="FILE",
    callback=_load_own,
    expose_value=False,
    is_eager=True,
    help="Python file with your own algorithms (subclasses of windlass.CongestionControl). Can be repeated.",
)


def _store_own(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from windlass.control import store_loaded

        store_loaded()


store_own_option = click.option(
    "--store-python",
    is_flag=True,
    callback=_store_own,
    expose_value=False,
    help="Keep runs of --python files in the store as well; it knows them by the bytes of the files.",
)

layout_options = _options(
    click.option("--width", metavar="WIDTH", help="Of the figure: 1col (88.9 mm), 2col (181 mm), or millimetres."),
    click.option("--font", metavar="NAME", help="serif, sans, or the name of an installed font."),
    click.option("--font-size", type=float, metavar="POINTS", help="By default 9, and 8 in one column."),
    click.option("--title", metavar="TEXT", help="A line above the figure; by default none."),
    click.option(
        "--label",
        "labels",
        metavar="NAME=TEXT",
        multiple=True,
        callback=_labels,
        help="Other words: x=TEXT, y=TEXT, or for an entry of the legend. Can be repeated.",
    ),
)
"""What :func:`windlass.plots.layout` takes."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


def limits_options_of(time: str) -> Callable[[Callable[..., Any]], Any]:
    """Give a command `max_memory` and `max_time`: what its runs may need. `time` is an example, and the default."""
    both = _options(
        click.option(
            "--max-memory",
            metavar="SIZE",
            help="Memory that runs may need by estimate, e.g. 4GB; by default half of what is free.",
        ),
        click.option("--max-time", metavar="TIME", help=f"How long runs may take by estimate, e.g. {time}."),
    )
    return lambda function: both(_limited(function))


def _limited(function: Callable[..., Any]) -> Any:
    @functools.wraps(function)
    def command(*given: Any, max_memory: str | None, max_time: str | None, **more: Any) -> Any:
        from windlass.resources import limits

        with limits(max_memory=max_memory, max_time=max_time):
            return function(*given, **more)

    return command


limits_options = limits_options_of("2d; by default a day")


seeds_option = click.option(
    "--seeds",
    type=Seeds(),
    help="How many seeds, instead of the scenario's, or which: 3,7 or 1-5.",
)

_execution_options = _options(
    click.option("--jobs", type=click.IntRange(min=1), help="Parallel runs; by default one per core."),
    click.option(
        "--dask",
        metavar="ADDRESS",
        help="Make the runs on a Dask cluster, e.g. tcp://10.0.0.1:8786; the store stays here.",
    ),
    click.option(
        "--store",
        type=Place(),
        metavar="DIR",
        help="Folder of finished runs; by default $WINDLASS_STORE or ~/.cache/windlass/runs.",
    ),
)


def execution_options(function: Callable[..., Any]) -> Any:
    """Give a command `store`, and as `jobs` who makes the runs: so many threads, all cores, or a cluster."""

    @functools.wraps(function)
    def command(*given: Any, jobs: int | None, dask: str | None, **more: Any) -> Any:
        if dask is None:
            return function(*given, jobs=jobs, **more)
        if jobs is not None:
            raise click.UsageError("--jobs is for runs on this machine: leave it out with --dask")
        from windlass.cluster import Cluster

        with Cluster(dask) as cluster:
            return function(*given, jobs=cluster, **more)

    return limits_options(_execution_options(command))
