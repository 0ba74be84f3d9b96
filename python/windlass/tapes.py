"""Event tapes: all that an algorithm was told in a run, and what it answered, held against an algorithm alone.

A run with ``traces = ["tape"]`` records a tape for each flow and direction: ``result.tapes``, or files in the folder of
results. :func:`replay` tells an algorithm the same once more, without a sender or a network, and names each answer that
is another one. The format is described in the guide, docs/guide/tapes.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windlass import inputs
from windlass.errors import WindlassError, core_errors

__all__ = ["Difference", "Replay", "replay"]


@dataclass(frozen=True)
class Difference:
    """An event whose answer is not the tape's, and the first field that differs.

    Attributes
    ----------
    line : int
        Line of the tape, from 1.
    event : str
        Kind of the event.
    time_s : float or None
        When it happened; ``None`` where the event does not say so.
    field : str
        Field of the answer, such as ``cwnd``.
    tape, answer : str
        Its value on the tape, and now.
    """

    line: int
    event: str
    time_s: float | None
    field: str
    tape: str
    answer: str


@dataclass(frozen=True)
class Replay:
    """What came of a replay.

    Attributes
    ----------
    recorded, algorithm : str
        The algorithm on the tape, and the one that answered.
    events : int
        How many events there are.
    differences : list of Difference
        In the order of the tape; none if all answers are equal.
    """

    recorded: str
    algorithm: str
    events: int
    differences: list[Difference] = field(default_factory=list)


def replay(tape: str | Path, algorithm: str | Mapping[str, Any] | None = None) -> Replay:
    """Hold an algorithm against a tape.

    Parameters
    ----------
    tape : str or pathlib.Path
        File of the tape; or, if it has several lines, its text.
    algorithm : str or mapping, optional
        Another one than that of the tape, as in scenarios: its name, or ``{"name": ..., "parameter": value}``.

    Raises
    ------
    InputError
        If the tape cannot be read, or the algorithm is not known.
    """
    if isinstance(tape, str) and "\n" in tape:
        text, file = tape, "<tape>"
    else:
        text, file = _text(Path(tape)), str(tape)
    from windlass import _core

    other = None if algorithm is None else json.dumps(algorithm)
    try:
        with core_errors():
            found = json.loads(_core.replay(text, file, other))
    except WindlassError:
        raise
    except BaseException as error:  # whatever a class in Python raises
        from windlass.control import explain_failure, is_ours

        if is_ours(error):
            raise
        raise explain_failure(error) from error
    differences = [Difference(**one) for one in found.pop("differences")]
    return Replay(**found, differences=differences)


def _text(file: Path) -> str:
    from windlass.folders import check_beside

    if inputs.is_there(file):
        check_beside(file)
    return inputs.read_text(
        file,
        most=inputs.MOST_RECORDED,
        wanted="tape: `windlass run SCENARIO --trace tape --out DIR` writes tapes into DIR",
    )
