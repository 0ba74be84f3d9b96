"""How far a sweep is: a bar in a notebook, a bar on a terminal, a line now and then in a log, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, TypeAlias

from windlass.amounts import counted, time_text

__all__ = ["LogLines", "Progress", "Step", "in_notebook", "progress_of", "terminal_bar"]

Step = Callable[[int, int], None]
"""Called in the caller's thread after each finished run with how many are finished and how many there are."""

Progress: TypeAlias = Step | bool | None
"""A :data:`Step`; ``None`` for a bar in a notebook and nothing elsewhere; ``True`` for one on a terminal as well;
``False`` for none.
"""

LINE_S = 60.0
"""Time between two lines where stderr is no terminal, seconds."""


def in_notebook() -> bool:
    """Whether this runs in a kernel of Jupyter, which shows what it is given."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and hasattr(found, "kernel")


@contextmanager
def progress_of(wanted: Progress, label: str) -> Iterator[Step | None]:
    """What is called after each run."""
    if callable(wanted):
        yield wanted
    elif wanted is not False and in_notebook():
        bar = _NotebookBar(label)
        try:
            yield bar.step
        finally:
            bar.end()
    elif wanted:
        with terminal_bar(label) as (step, _):
            yield step
    else:
        yield None


class _NotebookBar:
    """A bar of HTML without scripts, which stays as a line of text. Drawn at most a hundred times."""

    def __init__(self, label: str) -> None:
        self._label, self._done, self._total, self._drawn = label, 0, 0, -1
        self._handle: Any = None

    def step(self, done: int, total: int) -> None:
        """After each finished run."""
        self._done, self._total = done, total
        percent = 100 * done // total if total else 100
        if percent != self._drawn:
            self._drawn = percent
            name, count = escape(self._label), f"{done} of {counted(total, 'run')}"
            self._show(f'{name} <progress value="{done}" max="{total}" aria-label="{name}"></progress> {count}')

    def end(self) -> None:
        """After the last one, or when it was stopped."""
        if self._handle is not None:
            self._show(f"{escape(self._label)}: {self._done} of {counted(self._total, 'run')}")

    def _show(self, text: str) -> None:
        from IPython.display import HTML, display

        if self._handle is None:
            self._handle = display(HTML(text), display_id=True)
        else:
            self._handle.update(HTML(text))


class LogLines:
    """Lines on stderr for a log: a minute after the first run, and every minute from then on.

    The time left is told by the pace since the line before, as runs that are stored take next to none.
    """

    def __init__(self, label: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.label = label
        self._clock = clock
        self._last: tuple[float, int] | None = None

    def step(self, done: int, total: int) -> None:
        """After each finished run."""
        now = self._clock()
        if self._last is None:
            self._last = (now, done)
        since, before = self._last
        if now - since < LINE_S:
            return
        self._last = (now, done)
        left = f", about {time_text((total - done) * (now - since) / (done - before))} left" if done > before else ""
        print(f"{self.label}: {done} of {counted(total, 'run')}{left}", file=sys.stderr, flush=True)

    def name(self, label: str) -> None:
        """What is run now."""
        self.label = label


@contextmanager
def terminal_bar(label: str) -> Iterator[tuple[Step, Callable[[str], None]]]:
    """A bar on stderr if that is a terminal, lines if not, and what is called with the name of what is run now."""
    if not sys.stderr.isatty():
        lines = LogLines(label)
        yield lines.step, lines.name
        return

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    left = (TimeRemainingColumn(), TextColumn("left", style="progress.remaining"))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("runs"), *left)
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield (
            lambda done, total: bar.update(task, completed=done, total=total),
            lambda name: bar.update(task, description=name),
        )
