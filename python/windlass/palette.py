"""One look and one name per algorithm, the same in every figure.

Colours are those of Okabe and Ito, which people with any of the common colour vision deficiencies can tell apart. There
are more algorithms than such colours: most relatives share one. What tells every algorithm from every other, in grey
print too, is its marker together with its filling where nothing else is drawn, and its marker together with its dash
along a line. Those that are compared most often differ in all of it. What is no algorithm (a link's queue, a setting)
has a colour that no algorithm has.
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
    "FILLS",
    "LOOKS",
    "MARKED_LOOK",
    "NOT_LOST_LOOK",
    "TITLES",
    "CauseLook",
    "Look",
    "look",
    "looks",
    "nth",
    "point_looks",
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
BROWN = "#633004"
VIOLET = "#877BF6"
KHAKI = "#9FA65B"
NAVY = "#222F9C"
FOREST = "#13321D"
PLUM = "#3F0452"

Dash = tuple[int, tuple[float, ...] | None]

SOLID: Dash = (0, None)
DASHED: Dash = (0, (5.0, 2.0))
DOTTED: Dash = (0, (1.0, 1.6))
DASH_DOT: Dash = (0, (6.0, 1.6, 1.0, 1.6))
DASH_DOT_DOT: Dash = (0, (6.0, 1.6, 1.0, 1.6, 1.0, 1.6))
LONG: Dash = (0, (11.0, 3.0))


FILLS = ("full", "none", "left", "bottom", "right", "top")
"""How much of a marker is filled, a ``fillstyle`` of matplotlib; ``none``: it is hollow."""


class Look(NamedTuple):
    """How an algorithm is drawn.

    Attributes
    ----------
    colour : str
        Hexadecimal RGB.
    marker : str
        A matplotlib marker; a number between dollar signs is drawn as that number.
    dash : tuple
        A matplotlib line style: offset, and lengths of dashes and gaps in line widths (None: a solid line).
    fill : str
        How much of the marker is filled: one of :data:`FILLS`.
    """

    colour: str
    marker: str
    dash: Dash
    fill: str = "full"

    def is_like(self, other: Look) -> bool:
        """Whether the two can be taken for each other: as marks, or as lines whose marks are not looked at closely."""
        return self.marker == other.marker and (self.fill == other.fill or self.dash == other.dash)


LOOKS: dict[str, Look] = {
    # Loss only. Papers draw these four together, so they do not share a colour.
    "tahoe": Look(ORANGE, "v", SOLID, "none"),
    "reno": Look(PURPLE, "s", SOLID, "none"),
    "newreno": Look(BLACK, "o", SOLID),
    "sack": Look(GREEN, "D", SOLID, "none"),
    "reno-linux": Look(BLACK, "o", DASHED, "none"),
    # CUBIC, and others for long and fast paths.
    "cubic": Look(BLUE, "s", DASHED),
    "cubic-2008": Look(BLUE, "s", DASH_DOT, "left"),
    "cubic-linux": Look(BLUE, "^", DASHED, "bottom"),
    "bic": Look(BLUE, "v", DASHED, "left"),
    "highspeed": Look(BLUE, ">", DASHED, "bottom"),
    "scalable": Look(BLUE, "<", DASH_DOT, "right"),
    "htcp": Look(BLUE, "P", SOLID, "bottom"),
    "htcp-linux": Look(BLUE, "P", DASHED, "right"),
    "illinois": Look(BLUE, "X", DASHED, "left"),
    "hybla": Look(BLUE, "D", DASHED, "left"),
    "yeah": Look(ORANGE, "v", DASH_DOT_DOT, "bottom"),
    # Delay.
    "vegas": Look(GREY, "v", DOTTED),
    "vegas-linux": Look(GREY, "v", DASH_DOT, "right"),
    "fast": Look(GREY, "^", DOTTED, "right"),
    "ledbat": Look(GREY, "D", DOTTED, "right"),
    "adaptive": Look(GREY, "s", DOTTED, "right"),
    # Delay that tells losses apart.
    "veno": Look(GREEN, "D", DASH_DOT_DOT),
    "veno-linux": Look(GREEN, "D", DASH_DOT, "top"),
    "mveno": Look(GREEN, ">", SOLID, "left"),
    # Rates.
    "bbr": Look(ORANGE, "^", DASH_DOT),
    "bbr3": Look(ORANGE, "^", SOLID, "none"),
    "bbr-linux": Look(ORANGE, "^", DASH_DOT_DOT, "left"),
    "etfcc": Look(ORANGE, "o", DASH_DOT, "left"),
    "tfrc": Look(ORANGE, ">", DASH_DOT),
    "tfrc-sp": Look(ORANGE, ">", DASH_DOT_DOT, "none"),
    # Bandwidth estimate.
    "westwood": Look(SKY, "P", DASH_DOT, "none"),
    "westwood-plus": Look(SKY, "P", LONG),
    "westwood-linux": Look(SKY, "P", DASH_DOT_DOT, "left"),
    "westwood-plus-ho": Look(SKY, "X", LONG, "none"),
    "wr": Look(SKY, "v", LONG, "top"),
    "ewr": Look(SKY, "^", LONG, "top"),
    # Marks.
    "jersey": Look(PURPLE, "<", SOLID),
    "newjersey": Look(PURPLE, "<", DASHED, "none"),
    "newjersey-plus": Look(PURPLE, "<", DASH_DOT_DOT, "left"),
    "dctcp": Look(PURPLE, "s", DASH_DOT_DOT, "top"),
    "prague": Look(PURPLE, "<", LONG, "bottom"),
    # Queue length against a threshold.
    "cerl": Look(VERMILION, "X", SOLID),
    "cerl-plus": Look(VERMILION, "D", LONG, "bottom"),
    "cerl-plus-inverted": Look(VERMILION, "o", DASH_DOT_DOT, "right"),
    "cerl-plus2": Look(VERMILION, "s", LONG, "bottom"),
    # Kinds of traffic that UDP carries.
    "cbr": Look(GREY, "o", DOTTED, "bottom"),
    "on-off": Look(GREY, "X", DOTTED, "right"),
    "poisson": Look(GREY, "P", DOTTED, "top"),
}
"""Looks that are fixed by hand; no two have the same marker and dash, or the same marker and filling."""

_DASHES = (SOLID, DASHED, DASH_DOT, DOTTED, LONG, DASH_DOT_DOT)
_FREE_COLOURS = (VERMILION, GREEN, BLUE, PURPLE, ORANGE, SKY, BLACK, GREY)
_FREE_MARKERS = ("<", ">", "X", "P", "v", "^", "D", "s", "o", "p")
_SPARE_COLOURS = (ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE)
_SPARE_SHAPES = (("*", "full"), ("d", "full"), ("*", "none"), *(("d", fill) for fill in FILLS[1:]))
_NTH_COLOURS = (BROWN, VIOLET, KHAKI, NAVY, FOREST, PLUM)
_NTH_MARKERS = ("o", "^", "s", "P", "D", "v")
_POINT_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "d", "p")

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
    colours, shapes = len(_SPARE_COLOURS), len(_SPARE_SHAPES)
    marker, fill = _SPARE_SHAPES[number // colours % shapes]
    return Look(_SPARE_COLOURS[number % colours], marker, _DASHES[number // colours // shapes % len(_DASHES)], fill)


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Looks of what one figure draws, none like another: beyond the shapes that there are, marks are numbers."""
    found: dict[str, Look] = {}
    for name in dict.fromkeys(names):
        own = look(name)
        spare = (
            Look(_SPARE_COLOURS[at % len(_SPARE_COLOURS)], marker, dash, fill)
            for at, (dash, (marker, fill)) in enumerate(itertools.product(_DASHES, _SPARE_SHAPES))
        )
        tried = itertools.chain([own], spare, [_numbered(len(found))])
        found[name] = next(one for one in tried if not any(one.is_like(other) for other in found.values()))
    return found


def _numbered(at: int) -> Look:
    """A look whose mark is a number, from 0."""
    return Look(_SPARE_COLOURS[at % len(_SPARE_COLOURS)], f"${at + 1}$", _DASHES[at % len(_DASHES)])


def point_looks(series: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Look]:
    """Looks of points without lines, none like another: of algorithms, each with several settings such as queues.

    Parameters
    ----------
    series : iterable of (str, str)
        Names of an algorithm and of a setting.

    Returns
    -------
    dict
        Of one setting the looks of the algorithms. Of several, colour and marker say which algorithm it is, and the
        filling which setting; beyond the markers and fillings that there are, marks are numbers in the algorithms'
        colours.
    """
    pairs = list(dict.fromkeys(series))
    own = looks(algorithm for algorithm, _ in pairs)
    settings = list(dict.fromkeys(setting for _, setting in pairs))
    if len(settings) == 1:
        return {pair: own[pair[0]] for pair in pairs}
    if len(own) > len(_POINT_MARKERS) or len(settings) > len(FILLS):
        return {pair: _numbered(at)._replace(colour=own[pair[0]].colour) for at, pair in enumerate(pairs)}
    markers: dict[str, str] = {}
    free = [marker for marker in _POINT_MARKERS if marker not in {one.marker for one in own.values()}]
    for name, one in own.items():
        is_taken = one.marker in markers.values() or one.marker not in _POINT_MARKERS
        markers[name] = free.pop(0) if is_taken else one.marker
    return {
        (name, setting): own[name]._replace(marker=markers[name], fill=FILLS[settings.index(setting)])
        for name, setting in pairs
    }


@cache
def _free_looks() -> dict[str, Look]:
    """Looks of algorithms that :data:`LOOKS` lacks, in the registry's order, so that a new row changes no other."""
    from windlass import _core

    found: dict[str, Look] = {}
    colours = itertools.cycle(_FREE_COLOURS)
    for row in json.loads(_core.algorithms()):
        if row["name"] in LOOKS:
            continue
        taken = [*LOOKS.values(), *found.values()]
        colour = next(colours)
        tried = (
            Look(colour, marker, dash, fill) for dash, marker, fill in itertools.product(_DASHES, _FREE_MARKERS, FILLS)
        )
        free = next((one for one in tried if not any(one.is_like(other) for other in taken)), None)
        if free is None:
            break
        found[row["name"]] = free
    return found


def nth(number: int) -> Look:
    """Look of the n-th line of a figure whose lines are no algorithms, from 0.

    The first six differ in colour, marker, dash and filling; of the first 36 none is like another.
    """
    count = len(_NTH_MARKERS)  # as many as colours, dashes and fillings
    turn, again = number % count, number // count % count
    return Look(
        _NTH_COLOURS[(turn + 4 * again) % count],
        _NTH_MARKERS[(turn + 2 * again) % count],
        _DASHES[(turn + again) % count],
        FILLS[(turn + again) % count],
    )
