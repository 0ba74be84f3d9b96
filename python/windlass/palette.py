"""One look and one name per algorithm, the same in every figure.

Colours are those of Okabe and Ito, which people with any of the common colour vision deficiencies can tell apart. There
are more algorithms than such colours: most relatives share one. What tells every algorithm from every other, in grey
print too, is its marker together with its dash. Those that are compared most often differ in all three.
"""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from windlass.names import loss_causes

__all__ = [
    "CAUSE_LOOKS",
    "EVENT_MARKERS",
    "LOOKS",
    "MARKED_LOOK",
    "NOT_LOST_LOOK",
    "TITLES",
    "CauseLook",
    "Look",
    "look",
    "looks",
    "nth",
    "title",
]

BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#555555"


Dash = tuple[int, tuple[float, ...] | None]

SOLID: Dash = (0, None)
DASHED: Dash = (0, (5.0, 2.0))
DOTTED: Dash = (0, (1.0, 1.6))
DASH_DOT: Dash = (0, (6.0, 1.6, 1.0, 1.6))
DASH_DOT_DOT: Dash = (0, (6.0, 1.6, 1.0, 1.6, 1.0, 1.6))
LONG: Dash = (0, (11.0, 3.0))


class Look(NamedTuple):
    """How an algorithm is drawn.

    Attributes
    ----------
    colour : str
        Hexadecimal RGB.
    marker : str
        A matplotlib marker.
    dash : tuple
        A matplotlib line style: offset, and lengths of dashes and gaps in line widths (None: a solid line).
    """

    colour: str
    marker: str
    dash: Dash


LOOKS: dict[str, Look] = {
    # Loss only. Papers draw these four together, so they do not share a colour.
    "tahoe": Look(ORANGE, "v", SOLID),
    "reno": Look(PURPLE, "s", SOLID),
    "newreno": Look(BLACK, "o", SOLID),
    "sack": Look(GREEN, "D", SOLID),
    "reno-linux": Look(BLACK, "o", DASHED),
    # CUBIC, and others for long and fast paths.
    "cubic": Look(BLUE, "s", DASHED),
    "cubic-2008": Look(BLUE, "s", DASH_DOT),
    "cubic-linux": Look(BLUE, "^", DASHED),
    "bic": Look(BLUE, "v", DASHED),
    "highspeed": Look(BLUE, ">", DASHED),
    "scalable": Look(BLUE, "<", DASH_DOT),
    "htcp": Look(BLUE, "P", SOLID),
    "htcp-linux": Look(BLUE, "P", DASHED),
    "illinois": Look(BLUE, "X", DASHED),
    "hybla": Look(BLUE, "D", DASHED),
    "yeah": Look(ORANGE, "v", DASH_DOT_DOT),
    # Delay.
    "vegas": Look(GREY, "v", DOTTED),
    "vegas-linux": Look(GREY, "v", DASH_DOT),
    "fast": Look(GREY, "^", DOTTED),
    "ledbat": Look(GREY, "D", DOTTED),
    "adaptive": Look(GREY, "s", DOTTED),
    # Delay that tells losses apart.
    "veno": Look(GREEN, "D", DASH_DOT_DOT),
    "veno-linux": Look(GREEN, "D", DASH_DOT),
    "mveno": Look(GREEN, ">", SOLID),
    # Rates.
    "bbr": Look(ORANGE, "^", DASH_DOT),
    "bbr3": Look(ORANGE, "^", SOLID),
    "bbr-linux": Look(ORANGE, "^", DASH_DOT_DOT),
    "etfcc": Look(ORANGE, "o", DASH_DOT),
    "tfrc": Look(ORANGE, ">", DASH_DOT),
    "tfrc-sp": Look(ORANGE, ">", DASH_DOT_DOT),
    # Bandwidth estimate.
    "westwood": Look(SKY, "P", DASH_DOT),
    "westwood-plus": Look(SKY, "P", LONG),
    "westwood-linux": Look(SKY, "P", DASH_DOT_DOT),
    "westwood-plus-ho": Look(SKY, "X", LONG),
    "wr": Look(SKY, "v", LONG),
    "ewr": Look(SKY, "^", LONG),
    # Marks.
    "jersey": Look(PURPLE, "<", SOLID),
    "newjersey": Look(PURPLE, "<", DASHED),
    "newjersey-plus": Look(PURPLE, "<", DASH_DOT_DOT),
    "dctcp": Look(PURPLE, "s", DASH_DOT_DOT),
    "prague": Look(PURPLE, "<", LONG),
    # Queue length against a threshold.
    "cerl": Look(VERMILION, "X", SOLID),
    "cerl-plus": Look(VERMILION, "D", LONG),
    "cerl-plus-inverted": Look(VERMILION, "o", DASH_DOT_DOT),
    "cerl-plus2": Look(VERMILION, "s", LONG),
    # Kinds of traffic that UDP carries.
    "cbr": Look(GREY, "o", DOTTED),
    "on-off": Look(GREY, "X", DOTTED),
    "poisson": Look(GREY, "P", DOTTED),
}
"""Looks that are fixed by hand; no two have the same marker and dash."""

_DASHES = (SOLID, DASHED, DASH_DOT, DOTTED, LONG, DASH_DOT_DOT)
_FREE_COLOURS = (VERMILION, GREEN, BLUE, PURPLE, ORANGE, SKY, BLACK, GREY)
_FREE_MARKERS = ("<", ">", "X", "P", "v", "^", "D", "s", "o", "p")
_SPARE_COLOURS = (ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE)
_SPARE_MARKERS = ("*", "d", "h", "8", "H")
_NTH_COLOURS = (BLUE, VERMILION, SKY, GREEN, ORANGE, PURPLE)
_NTH_MARKERS = ("o", "^", "s", "P", "D", "v")

TITLES: dict[str, str] = {
    "tahoe": "Tahoe",
    "reno": "Reno",
    "newreno": "NewReno",
    "sack": "SACK",
    "vegas": "Vegas",
    "veno": "Veno",
    "mveno": "mVeno",
    "adaptive": "Adaptive TCP",
    "fast": "FAST",
    "ledbat": "LEDBAT",
    "westwood": "Westwood",
    "westwood-plus": "Westwood+",
    "westwood-plus-ho": "Westwood+ with handover",
    "jersey": "Jersey",
    "newjersey": "New Jersey",
    "newjersey-plus": "New Jersey+",
    "wr": "WR",
    "ewr": "EWR",
    "cerl": "CERL",
    "cerl-plus": "CERL+",
    "cerl-plus-inverted": "CERL+ inverted",
    "cerl-plus2": "CERL+2",
    "bbr": "BBR",
    "bbr3": "BBRv3",
    "cubic": "CUBIC",
    "cubic-2008": "CUBIC of 2008",
    "yeah": "YeAH",
    "bic": "BIC",
    "highspeed": "HighSpeed",
    "scalable": "Scalable",
    "htcp": "H-TCP",
    "illinois": "Illinois",
    "hybla": "Hybla",
    "dctcp": "DCTCP",
    "tfrc": "TFRC",
    "tfrc-sp": "TFRC-SP",
    "etfcc": "ETFCC",
    "cbr": "CBR",
}
"""Names of algorithms as their authors write them; one that is not here stands as it is in the registry."""


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


def title(algorithm: str) -> str:
    """The name of an algorithm as its authors write it, with its parameters if it has some.

    Examples
    --------
    >>> title("westwood-plus"), title("cubic-linux"), title("cerl:cerl_cmp=gt,cerl_lmax=rebase")
    ('Westwood+', 'CUBIC of Linux', 'CERL, cerl_cmp=gt, cerl_lmax=rebase')
    """
    name, colon, parameters = algorithm.partition(":")
    stem = name.removesuffix("-linux")
    known = TITLES.get(name)
    if known is None and stem != name and stem in TITLES:
        known = f"{TITLES[stem]} of Linux"
    return (known or name) + (f", {', '.join(parameters.split(','))}" if colon else "")


def look(algorithm: str) -> Look:
    """Colour, marker and dash of an algorithm.

    Parameters
    ----------
    algorithm : str
        Name in the registry. One that is not in :data:`LOOKS` gets a look that is free there. A name that is not in the
        registry gets a look made from it: the same everywhere and always, and with a marker that no algorithm of the
        registry has, though two such names can meet in one look; :func:`looks` keeps those of one figure apart.
    """
    if algorithm in LOOKS:
        return LOOKS[algorithm]
    if algorithm in _free_looks():
        return _free_looks()[algorithm]
    number = zlib.crc32(algorithm.encode())
    markers, dashes = len(_SPARE_MARKERS), len(_DASHES)
    marker = _SPARE_MARKERS[number // len(_SPARE_COLOURS) % markers]
    dash = _DASHES[number // len(_SPARE_COLOURS) // markers % dashes]
    return Look(_SPARE_COLOURS[number % len(_SPARE_COLOURS)], marker, dash)


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Looks of what one figure draws, all with a marker and dash of their own as long as there are enough."""
    found: dict[str, Look] = {}
    spare = [
        Look(colour, marker, dash)
        for dash in _DASHES
        for colour, marker in zip(_SPARE_COLOURS, _SPARE_MARKERS, strict=False)
    ]
    for name in dict.fromkeys(names):
        taken = {own[1:] for own in found.values()}
        own = look(name)
        if own[1:] in taken:
            own = next((free for free in spare if free[1:] not in taken), own)
        found[name] = own
    return found


@cache
def _free_looks() -> dict[str, Look]:
    """Looks of algorithms that :data:`LOOKS` lacks, in the registry's order, so that a new row changes no other."""
    from windlass import _core

    taken = {own[1:] for own in LOOKS.values()}
    shapes = [(marker, dash) for dash in _DASHES for marker in _FREE_MARKERS if (marker, dash) not in taken]
    free = [Look(colour, *shape) for colour, shape in zip(itertools.cycle(_FREE_COLOURS), shapes, strict=False)]
    unfixed = [row["name"] for row in json.loads(_core.algorithms()) if row["name"] not in LOOKS]
    return dict(zip(unfixed, free, strict=False))


def nth(number: int) -> Look:
    """Look of the n-th line of a figure whose lines are no algorithms, from 0.

    The first six differ in colour, marker and dash; the first 36 all have a marker and dash of their own.
    """
    count = len(_NTH_MARKERS)  # as many as colours and dashes
    turn, again = number % count, number // count
    return Look(
        _NTH_COLOURS[(turn + 4 * again) % count],
        _NTH_MARKERS[(turn + 2 * again) % count],
        _DASHES[(turn + again) % count],
    )
