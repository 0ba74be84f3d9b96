"""Who may run when: one run at a time for each page, a few for all, none for longer than a limit."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from windlass import _core
from windlass.errors import InputError

__all__ = ["Turn", "Turns"]

MOST_AT_ONCE = 2
"""Runs of different pages at the same time."""

MOST_CLIENTS = 64
"""Pages that are remembered."""

PATIENCE_S = 20.0
"""How long a page waits for the runs of others."""

LOOK_S = 0.1
"""How often a run is looked at."""


class Turn:
    """The right to run; `why` says what stopped it: ``"newer"``, ``"gone"``, ``"late"`` or ``"end"``."""

    def __init__(self) -> None:
        self.cancel = _core.Cancel()
        self.why: str | None = None
        self.done = threading.Event()

    def stop(self, why: str) -> None:
        """Stop the run."""
        if self.why is None:
            self.why = why
        self.cancel.set()


class Turns:
    """Hands out turns.

    Parameters
    ----------
    longest_s : float
        How long a turn may last, seconds.
    """

    def __init__(self, longest_s: float) -> None:
        self.longest_s = longest_s
        self._free = threading.BoundedSemaphore(MOST_AT_ONCE)
        self._lock = threading.Lock()
        self._latest: OrderedDict[str, Turn] = OrderedDict()

    @contextmanager
    def take(self, client: str, is_gone: Callable[[], bool]) -> Iterator[Turn]:
        """A turn for a page; its run before this one is stopped, and so is this one if the page has gone.

        Raises
        ------
        InputError
            If the runs of other pages leave no room.
        """
        turn = Turn()
        with self._lock:
            before = self._latest.pop(client, None)
            self._latest[client] = turn
            while len(self._latest) > MOST_CLIENTS:
                self._latest.popitem(last=False)[1].stop("gone")
        if before is not None:
            before.stop("newer")
            before.done.wait(PATIENCE_S)
        try:
            if not self._free.acquire(timeout=PATIENCE_S):
                raise InputError(
                    f"{MOST_AT_ONCE} other pages are running", code="serve.busy", hint="close pages, or try again"
                )
            try:
                threading.Thread(target=self._watch, args=(turn, is_gone), daemon=True).start()
                yield turn
            finally:
                self._free.release()
        finally:
            turn.done.set()

    def _watch(self, turn: Turn, is_gone: Callable[[], bool]) -> None:
        """Stop a run that lasts too long or that nobody waits for."""
        until = time.monotonic() + self.longest_s
        while not turn.done.wait(LOOK_S):
            if is_gone():
                turn.stop("gone")
            elif time.monotonic() > until:
                turn.stop("late")

    def stop_all(self) -> None:
        """Stop every run: the server ends."""
        with self._lock:
            for turn in self._latest.values():
                turn.stop("end")
