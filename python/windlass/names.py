"""Words that stand in results, as the engine has them: causes of loss, window changes, transports, series.

What a cause is called, which column counts it and whether it means congestion stands in the engine once. Tables,
figures, reports and documents read it here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

__all__ = [
    "LossCause",
    "Series",
    "Transport",
    "WindowEvent",
    "loss_causes",
    "not_lost",
    "series",
    "transports",
    "window_events",
]


@dataclass(frozen=True)
class LossCause:
    """Why packets are lost.

    Attributes
    ----------
    name : str
        As in ``events.true_cause`` and ``losses.cause``.
    column, ack_column : str
        Columns of ``flows`` (the first also of ``links``) that count data segments and pure ACKs lost so.
    label : str
        What happened, as the head of a column or in a legend.
    meaning : str
        What happened, as a sentence.
    congestion : bool
        Whether the network had too much to carry.
    """

    name: str
    column: str
    ack_column: str
    label: str
    meaning: str
    congestion: bool


@dataclass(frozen=True)
class WindowEvent:
    """A kind of window change.

    Attributes
    ----------
    name : str
        As in ``events.kind``.
    label : str or None
        In a legend; none: not drawn.
    meaning : str
        What happened.
    judged : str or None
        What the sender took a loss for that it found by duplicate ACKs, ``"random"`` or ``"congestion"``.
    of_segment : bool
        Whether a segment is in question, so that ``events.true_cause`` tells what became of it.
    """

    name: str
    label: str | None
    meaning: str
    judged: str | None
    of_segment: bool


@dataclass(frozen=True)
class Transport:
    """What carries the data of a row of ``flows``.

    Attributes
    ----------
    name : str
        As in ``flows.transport``.
    meaning : str
        What it is.
    adapts : bool
        Whether it takes what the path has left, so that the shares of several can be fair or unfair.
    part : bool
        Whether another row counts its payload already.
    """

    name: str
    meaning: str
    adapts: bool
    part: bool


@dataclass(frozen=True)
class Series:
    """A series that can be recorded.

    Attributes
    ----------
    name : str
        As in ``traces`` of a scenario.
    variable : str
        As in ``traces.variable``, with its unit.
    meaning : str
        What it is.
    """

    name: str
    variable: str
    meaning: str


@cache
def loss_causes() -> tuple[LossCause, ...]:
    """Every cause of loss, in the order of the columns."""
    from windlass import _core

    return tuple(LossCause(**row) for row in json.loads(_core.loss_causes()))


def not_lost() -> str:
    """What stands under ``events.true_cause`` of a segment that was not lost."""
    from windlass import _core

    return _core.NOT_LOST


@cache
def window_events() -> tuple[WindowEvent, ...]:
    """Every kind of window change."""
    from windlass import _core

    return tuple(WindowEvent(**row) for row in json.loads(_core.window_events()))


@cache
def transports() -> tuple[Transport, ...]:
    """Every transport of the table of flows."""
    from windlass import _core

    return tuple(Transport(**row) for row in json.loads(_core.transports()))


@cache
def series() -> tuple[Series, ...]:
    """Every series that can be recorded, in the order of the table of traces."""
    from windlass import _core

    return tuple(Series(**row) for row in json.loads(_core.series()))
