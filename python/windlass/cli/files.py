"""What several commands do before and after the work: read a scenario, check a folder, show how far it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.scenario import Scenario


def load_scenario(file: str, sets: Sequence[tuple[str, str]]) -> Scenario:
    """A scenario file or a ready scenario, with what `--set` gives."""
    from windlass.scenario import load

    return load(file, list(sets))


def folder_of(file: str) -> Path:
    """Where the files lie that a scenario file, or a ready scenario, names."""
    from windlass import inputs
    from windlass.scenario.files import ready_folder

    return Path(file).parent if inputs.is_there(file) else ready_folder()


LONG_S = 30.0
"""Work that may take longer says so before it begins, seconds."""


def say_how_long(scenario: Scenario, seeds: int, side_by_side: int | None) -> None:
    """How long so many runs of each point take at most, on stderr, if that is long; stop if it is more than allowed."""
    from windlass.amounts import size_text, time_text
    from windlass.resources import check, need

    points = scenario.points()
    runs = len(points) * seeds
    check(points, runs, side_by_side)
    if side_by_side is None:
        return
    wanted = need(points, runs, side_by_side)
    if wanted.seconds > LONG_S:
        what = "the run takes" if runs == 1 else f"{runs} runs take"
        print(
            f"{what} up to {time_text(wanted.seconds)} and {size_text(wanted.memory_bytes)} of memory by estimate",
            file=sys.stderr,
        )


def check_folder(folder: Path) -> None:
    """Stop before the runs if the folder cannot be written."""
    from windlass import output

    output.check_folder(folder)


PACKETS = (".pcap", ".pcapng", ".cap")
"""Endings of files of packets."""


def check_file(file: Path) -> None:
    """Stop before the runs if the file that the user named cannot be written; leaves it as it is."""
    from windlass import folders
    from windlass.errors import InputError, StoreError

    try:
        if file.is_file():
            file.open("ab").close()
        if file.is_file() or not file.exists():  # what is neither file nor folder, such as a terminal, is left in peace
            folders.tried(Path(os.path.realpath(file)).parent)
    except (OSError, StoreError) as error:
        cause = error if isinstance(error, OSError) else error.__cause__
        raise InputError(
            f"cannot be written: {getattr(cause, 'strerror', None) or cause}",
            code="cli.output",
            file=str(file),
            hint="name another place with `-o`",
        ) from None


def command_line() -> list[str]:
    """The command as it was given, for the manifest."""
    return ["windlass", *sys.argv[1:]]


@contextmanager
def show_progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, or a line a minute if that is no terminal; gives what is called with (finished, total)."""
    with show_experiments(label) as (step, _):
        yield step


@contextmanager
def show_experiments(label: str) -> Iterator[tuple[Callable[[int, int], None], Callable[[str], None]]]:
    """A bar as :func:`show_progress` has it, and what is called with the name of what is run now.

    Where stderr is no terminal, the names are printed there, a line each.
    """
    from windlass.progress import terminal_bar

    terminal = sys.stderr.isatty()
    with terminal_bar(label) as (step, name):

        def announce(text: str) -> None:
            name(text)
            if not terminal:
                print(text, file=sys.stderr, flush=True)

        yield step, announce
