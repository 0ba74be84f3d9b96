"""What algorithms of the user's own print: stdout is for what a command says, JSON among it."""

from __future__ import annotations

import io
import sys
import threading
from typing import Any, TextIO


class Split(io.TextIOBase):
    """In the place of stdout: the main thread writes there, and threads, in which such algorithms run, to stderr.

    Parameters
    ----------
    whole : file or None
        Where the main thread writes; ``None``: to stderr as well.
    """

    def __init__(self, whole: TextIO | None) -> None:
        self._whole = whole

    def _stream(self) -> TextIO:
        ours = self._whole if threading.current_thread() is threading.main_thread() else None
        return sys.stderr if ours is None else ours

    def write(self, text: str) -> int:
        """Write text."""
        return self._stream().write(text)

    def flush(self) -> None:
        """Write what is held back."""
        self._stream().flush()

    def close(self) -> None:
        """Do nothing: neither stream belongs to an algorithm."""

    def isatty(self) -> bool:
        """Whether that is a terminal."""
        return self._stream().isatty()

    def fileno(self) -> int:
        """The number of the file."""
        return self._stream().fileno()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream(), name)
