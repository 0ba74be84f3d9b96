"""A page to play with, ``windlass serve``: controls, runs of the engine as they move, and the file that gives the same.

:class:`~windlass.serve.app.App` answers requests, :func:`~windlass.serve.server.serve` listens on the loopback, and
:func:`export` writes the page with its runs as one file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["export"]


def export(file: str | None, sets: Sequence[tuple[str, str]], given: Mapping[str, Any]) -> str:
    """The page with its runs in it, as one file of HTML.

    Parameters
    ----------
    file : str or None
        Scenario file or ready scenario; none: an example.
    sets : sequence of (str, str)
        Keys and values laid over it.
    given : mapping
        What is shown, as the page would ask for it: ``senders``, ``together``, ``group``, ``seed``, ``moved``.

    Raises
    ------
    InputError
        If the scenario is wrong, or its runs would need more than a page may.
    """
    from windlass.serve import page
    from windlass.serve.asked import asked_of
    from windlass.serve.base import base_of
    from windlass.serve.runs import answer

    base = base_of(file, sets)
    return page.kept(base, list(answer(base, asked_of(base, given))))
