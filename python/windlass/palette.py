"""One look per algorithm, the same in every figure.

Colours are those of Okabe and Ito, which people with any of the common colour vision deficiencies can tell apart. There
are more algorithms than such colours, so an algorithm is a colour with a marker; relatives share the colour, except
that those which the papers draw together differ.
"""

from __future__ import annotations

import itertools
import json
import zlib
from functools import cache
from typing import NamedTuple

from windlass.names import loss_causes

__all__ = [
    "CAUSE_LOOKS",
    "EVENT_MARKERS",
    "LOOKS",
    "MARKED_LOOK",
    "NOT_LOST_LOOK",
    "CauseLook",
    "Look",
    "look",
    "nth",
]

BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#555555"


class Look(NamedTuple):
    """How an algorithm is drawn.

    Attributes
    ----------
    colour : str
        Hexadecimal RGB.
    marker : str
        A matplotlib marker.
    """

    colour: str
    marker: str


LOOKS: dict[str, Look] = {
    # Loss only.
    "tahoe": Look(BLACK, "v"),
    "reno": Look(BLACK, "o"),
    "newreno": Look(BLACK, "s"),
    "sack": Look(BLACK, "D"),
    # High speed.
    "bic": Look(GREY, "v"),
    "cubic": Look(SKY, "o"),
    "cubic-2008": Look(SKY, "s"),
    "yeah": Look(ORANGE, "^"),
    "fast": Look(GREY, "^"),
    "scalable": Look(GREY, "<"),
    "highspeed": Look(GREY, ">"),
    "htcp": Look(GREY, "P"),
    "illinois": Look(GREY, "X"),
    # Delay.
    "vegas": Look(GREEN, "o"),
    "veno": Look(GREEN, "s"),
    "mveno": Look(GREEN, "D"),
    "adaptive": Look(GREEN, "^"),
    "ledbat": Look(GREEN, "v"),
    # Bandwidth estimate.
    "westwood": Look(BLUE, "o"),
    "westwood-plus": Look(BLUE, "s"),
    "wr": Look(SKY, "^"),
    "ewr": Look(SKY, "v"),
    "westwood-plus-ho": Look(BLUE, "D"),
    "bbr": Look(BLUE, "^"),
    # Marks.
    "jersey": Look(PURPLE, "o"),
    "newjersey": Look(PURPLE, "s"),
    "newjersey-plus": Look(PURPLE, "D"),
    "dctcp": Look(PURPLE, "^"),
    "prague": Look(PURPLE, "v"),
    # Queue length against a threshold.
    "cerl": Look(VERMILION, "o"),
    "cerl-plus": Look(VERMILION, "s"),
    "cerl-plus-inverted": Look(VERMILION, "D"),
    "cerl-plus2": Look(VERMILION, "^"),
    # Mobility and long paths.
    "etfcc": Look(ORANGE, "o"),
    "tfrc": Look(ORANGE, "v"),
    "tfrc-sp": Look(ORANGE, "<"),
    "freeze": Look(ORANGE, "s"),
    "hybla": Look(ORANGE, "D"),
    # Kinds of traffic that UDP carries.
    "cbr": Look(GREY, "o"),
    "on-off": Look(GREY, "s"),
    "poisson": Look(GREY, "D"),
}
"""Looks that are fixed by hand; no two are the same."""

_FREE_COLOURS = (BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE, GREY)
_FREE_MARKERS = ("X", "P", ">", "<", "v", "^", "D", "s", "o")
_SPARE_COLOURS = (ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE)
_SPARE_MARKERS = ("p", "h", "8", "*", "d", "H")


class CauseLook(NamedTuple):
    """How the true cause of a window change is drawn.

    Attributes
    ----------
    colour : str
        Hexadecimal RGB.
    fill : str
        How much of the marker is filled, a ``fillstyle`` of matplotlib: told apart in grey, too. Congestion fills all
        or half of it, what is no congestion leaves it hollow.
    """

    colour: str
    fill: str


def _cause_looks() -> dict[str, CauseLook]:
    """The engine's causes in its order: colours in turn that are free; congestion is filled fully and half by turns."""
    colours = itertools.cycle((VERMILION, BLUE, PURPLE, GREEN, BLACK, ORANGE, SKY))
    fills = itertools.cycle(("full", "left"))
    looks: dict[str, CauseLook] = {}
    for cause in loss_causes():
        fill = next(fills) if cause.congestion else "none"
        free = (look for colour in colours if (look := CauseLook(colour, fill)) not in looks.values())
        looks[cause.name] = next(free)
    return looks


CAUSE_LOOKS: dict[str, CauseLook] = _cause_looks()
"""Looks of the causes of loss, by the engine's names and in its order."""

NOT_LOST_LOOK = CauseLook(GREY, "none")
"""Look of a change for a segment that was not lost."""

MARKED_LOOK = CauseLook(SKY, "full")
"""Look of a change in which no segment is in question: the path marked a packet."""

EVENT_MARKERS: dict[str, str] = {
    "dup-acks": "v",
    "timeout": "X",
    "mark": "P",
    "judged-random": "o",
    "same-window": "d",
}
"""Markers of window changes, by the engine's names; those that it has no label for are not drawn."""


def look(algorithm: str) -> Look:
    """Colour and marker of an algorithm.

    Parameters
    ----------
    algorithm : str
        Name in the registry. One that is not in :data:`LOOKS` gets a look that is free there. A name that is not in the
        registry gets a look made from it: the same everywhere and always, and with a marker that no algorithm of the
        registry has, though two such names can meet in one look.
    """
    if algorithm in LOOKS:
        return LOOKS[algorithm]
    if algorithm in _free_looks():
        return _free_looks()[algorithm]
    number = zlib.crc32(algorithm.encode())
    marker = _SPARE_MARKERS[number // len(_SPARE_COLOURS) % len(_SPARE_MARKERS)]
    return Look(_SPARE_COLOURS[number % len(_SPARE_COLOURS)], marker)


@cache
def _free_looks() -> dict[str, Look]:
    """Looks of algorithms that :data:`LOOKS` lacks, in the registry's order, so that a new row changes no other."""
    from windlass import _core

    taken = set(LOOKS.values())
    free = (look for marker in _FREE_MARKERS for colour in _FREE_COLOURS if (look := Look(colour, marker)) not in taken)
    unfixed = [row["name"] for row in json.loads(_core.algorithms()) if row["name"] not in LOOKS]
    return dict(zip(unfixed, free, strict=False))


def nth(number: int) -> Look:
    """Colour and marker of the n-th line of a figure whose lines are no algorithms, from 0; the first 36 all differ."""
    colours, markers = len(_SPARE_COLOURS), len(_SPARE_MARKERS)
    return Look(_SPARE_COLOURS[number % colours], _SPARE_MARKERS[(number + number // colours) % markers])
