"""What the engine says of its own results: which numbers a run has depends on ``crates/scenario/RESULTS.toml``."""

from __future__ import annotations

from windlass import _core

__all__ = ["ENGINE_VERSION", "results_word"]

ENGINE_VERSION = _core.ENGINE_VERSION
"""Release, and the number of the newest change of results."""


def results_word(number: int) -> str:
    """What stored runs are marked with: the last change of results that concerns them, and their set of columns."""
    return f"results {number}, columns {_core.COLUMNS}"
