"""Which readings are run: those that the ledger asks of an experiment, one of them, or today's senders on its path."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.errors import InputError, did_you_mean
from windlass.ledger import Effect, Experiment, Ledger, Reading

MODERN = Reading(
    key="modern",
    title="senders and receivers of today (profile `linux`) on the same path",
    open="",
    why="SACK, RACK-TLP, byte counting and a window of ten repair what the paper's senders could not",
    effect=Effect(as_run="profile `linux`"),
    profile="linux",
)
"""The same algorithms, links, traffic and offered windows, on the recovery core of Linux.

An algorithm keeps its rule: the paper's Veno is not replaced by the one of the kernel, so that what changes is the core
alone. What an experiment varies of TCP itself, such as its delayed ACKs, it still varies.
"""


def asked(book: Ledger, experiment: Experiment, only: str = "") -> list[Reading]:
    """The readings that are run of an experiment.

    Parameters
    ----------
    only : str
        Key of one of the ledger's readings, or ``"modern"``; empty for all that the ledger asks.
    """
    if only == MODERN.key:
        return [MODERN]
    return [row for row in book.readings_of(experiment) if only in ("", row.key)]


def check_reading(books: Sequence[Ledger], only: str) -> None:
    """Refuse a reading that none of the papers has."""
    keys = [MODERN.key, *dict.fromkeys(key for book in books for key in book.readings)]
    if only and only not in keys:
        raise InputError(
            f"there is no reading `{only}`",
            code="reproduce.reading",
            hint=did_you_mean(only, keys) or f"there are {', '.join(keys)}",
        )
