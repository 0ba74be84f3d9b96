"""What a reader is told instead of the keys of the ledger: one name for each variant, words for each parameter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from windlass.ledger import Experiment, Ledger
from windlass.palette import TITLES
from windlass.verdicts.words import place

_ALGORITHMS = (
    "tahoe",
    "reno",
    "newreno",
    "sack",
    "vegas",
    "veno",
    "mveno",
    "cubic",
    "cubic-2008",
    "yeah",
    "fast",
    "ewr",
    "westwood",
    "westwood-plus",
    "westwood-plus-ho",
    "newjersey",
    "newjersey-plus",
    "adaptive",
    "cerl",
    "cerl-plus",
    "cerl-plus-inverted",
    "cerl-plus2",
    "etfcc",
)
"""Algorithms of the papers."""

LABELS: Mapping[str, str] = {
    **{name: TITLES[name] for name in _ALGORITHMS},
    "westwood-original": "Westwood of 2001",
    "westwoodplus": "Westwood+",
    "westwoodplus-ha": "Westwood+ with handover",
    "newjerseyplus": "New Jersey+",
    "cerlplus": "CERL+",
    "cerlplus-inverted": "CERL+ inverted",
    "cerlplus2": "CERL+2",
    "cerlplus2-inverted": "CERL+2 inverted",
    "etfcc-tfrc": "ETFCC over TFRC",
    "small": "small-packet flows",
    "large": "large-packet flows",
}
"""Names of variants and algorithms as their authors write them."""

METRICS: Mapping[str, tuple[str, str]] = {
    "throughput": ("throughput per flow", "Mbit/s"),
    "throughput-total": ("throughput of all flows", "Mbit/s"),
    "throughput-margin": ("gain over the mean of the other variants", "%"),
    "throughput-roughness": ("distance of the throughput from the line between its neighbours", "%"),
    "goodput": ("goodput per flow", "Mbit/s"),
    "fairness": ("Jain's fairness index", ""),
    "timeouts": ("timeouts", ""),
    "rtt": ("round-trip time", "s"),
    "delay": ("one-way delay", "ms"),
    "completion": ("time to complete", "s"),
    "cwnd": ("mean congestion window", "segments"),
    "cwnd-mean": ("mean congestion window", "segments"),
    "cwnd-max": ("highest congestion window", "segments"),
    "cwnd-spread": ("spread of the window between flows", "segments"),
    "cwnd-phase-length": ("time between two cuts of the window", "s"),
    "ssthresh": ("mean slow start threshold", "segments"),
    "kept-share": ("share of the window kept at a loss", ""),
    "slow-start-rounds": ("round trips of slow start after a timeout", ""),
    "bandwidth-estimate": ("bandwidth as the sender estimates it", "Mbit/s"),
    "relative-estimate-error": ("error of the bandwidth estimate, as a share", ""),
    "seqno": ("data delivered per flow", "bytes"),
    "window-cuts": ("cuts of the window", ""),
    "retransmitted-segments": ("retransmitted segments", ""),
    "retransmissions": ("retransmissions per delivered segment", ""),
    "judged-random": ("losses judged random", ""),
    "judged-congestion": ("losses judged congestion", ""),
    "dropped-packets": ("lost packets", ""),
    "drop-rate-per-packet": ("share of packets lost", ""),
    "drops": ("losses per delivered segment", ""),
    "queue-drops": ("losses in queues per delivered segment", ""),
    "residual": ("residual capacity", "Mbit/s"),
}
"""Words and unit of each number that the ledger's claims are about."""


class Language:
    """The words for one paper, or for one of its experiments.

    Parameters
    ----------
    book : Ledger
        The paper.
    experiment : Experiment, optional
        Whose axes are meant; those of all if not given. Behind the name of a figure that a summary covers, those of
        that figure. A key with a value that is none of its own is an axis of another experiment, where only one has it.
    """

    def __init__(self, book: Ledger, experiment: Experiment | None = None) -> None:
        self._book = book
        self._summary = experiment is not None and bool(experiment.covers)
        self._figure_words: dict[str, Language] = {}
        self._axes: dict[str, tuple[str, str]] = {}
        for entry in [experiment] if experiment is not None else book.experiments.values():
            for axis in entry.axes:
                unit = "" if axis.unit == "-" else axis.unit
                self._axes.setdefault(_short(axis.key), (axis.parameter, unit))
                self._axes.setdefault(axis.key, (axis.parameter, unit))
            for key in entry.drawn_over:
                self._axes.setdefault(key, (_short(key), ""))
        self._any = _pattern(sorted(book.variants, key=len, reverse=True))
        self._add_elsewhere(book)
        self._places = _places(self._axes)
        known = sorted((re.escape(entry.name) for entry in book.experiments.values()), key=len, reverse=True)
        self._figures = re.compile(rf"\b(at figure = |figure = |in )({'|'.join(known)})(?![\w.-]\w|\w)")

    def _add_elsewhere(self, book: Ledger) -> None:
        """Keys of axes that only other experiments have, all of them by one name."""
        named: dict[str, set[tuple[str, str]]] = {}
        for axis in (axis for entry in book.experiments.values() for axis in entry.axes):
            for key in {_short(axis.key), axis.key}:
                named.setdefault(key, set()).add((axis.parameter, "" if axis.unit == "-" else axis.unit))
        self._axes |= {key: names.pop() for key, names in named.items() if key not in self._axes and len(names) == 1}

    def variant(self, key: str) -> str:
        """``cerlplus`` as `CERL+`, ``newreno#2`` as `NewReno, flow 2`."""
        name, _, flow = key.partition("#")
        label = LABELS.get(name)
        if label is None:
            known = self._book.variants.get(name)
            label = LABELS.get(known.name, name) if known is not None else name
        return f"{label}, flow {flow}" if flow else label

    def point(self, axes: tuple[str, ...], point: tuple[Any, ...]) -> str:
        """Where a value was measured, in words; empty for the only point."""
        return self.found(place(zip(axes, point, strict=True)))

    def found(self, text: str) -> str:
        """What a judgement found, with words for its keys. Not for prose of the ledger, which is shown as it is."""
        if not self._summary:
            return self._found(text)
        parts = list(self._figures.finditer(text))
        starts = [0, *(part.start() for part in parts), len(text)]
        pieces = [text[start:end] for start, end in pairwise(starts)]
        languages = [self, *(self._of_figure(part[2]) for part in parts)]
        return "".join(language._found(piece) for language, piece in zip(languages, pieces, strict=True))

    def _of_figure(self, name: str) -> Language:
        """The words for an experiment of this paper."""
        if name not in self._figure_words:
            self._figure_words[name] = Language(self._book, self._book.experiments[f"{self._book.id}/{name}"])
        return self._figure_words[name]

    def _found(self, text: str) -> str:
        text = self._any.sub(lambda found: self.variant(found[0]), text)
        if self._axes:
            text = self._places.sub(self._place, text)
        text = self._figures.sub(self._figure, text)
        for key, (name, _) in METRICS.items():
            text = re.sub(rf"`{key}`", name, text)
            if "-" in key:
                text = re.sub(rf"(?<![\w-]){key}(?![\w-])", name, text)
        text = re.sub(r": in (?=\d+ of \d+ runs)", ": seen in ", text)
        return re.sub(r"(?<=: )open\b|\bopen(?= at \d)", "not settled", text)

    def sentence(self, text: str) -> str:
        """What a judgement found as a sentence that begins and ends as one."""
        return sentence(self.found(text))

    def reason(self, text: str) -> str:
        """Why something was not run, as a sentence that does not name it again."""
        return self.sentence(re.sub(r"`(\w+)`", self._key, self.found(re.sub(r"^`[^`]+` ", "it ", text))))

    def _key(self, found: re.Match[str]) -> str:
        """What the paper calls a key that another of its experiments sweeps."""
        named = (axis for entry in self._book.experiments.values() for axis in entry.axes if axis.key == found[1])
        axis = next(named, None)
        return found[1].replace("_", " ") if axis is None else f"the {axis.parameter}"

    def _place(self, found: re.Match[str]) -> str:
        name, unit = self._axes[found["key"] or found["alone"]]
        if found["alone"]:
            return name
        own = f" {unit}" if unit and not found["unit"] else ""
        return f"{name} = " + (f"{found['number']}{found['unit'] or own}" if found["number"] else "")

    def _figure(self, found: re.Match[str]) -> str:
        """An experiment as the paper has it: its figure or table, or else its title."""
        beside, name = "" if found[1].startswith("figure") else "in ", found[2]
        numbered = re.fullmatch(r"(fig|table)([\d.].*)", name)
        if numbered:
            return f"{beside}{'figure' if numbered[1] == 'fig' else 'table'} {numbered[2]}"
        return f"{beside}“{self._book.experiments[f'{self._book.id}/{name}'].title.partition(' (')[0]}”"


_WORD = re.compile(r"(?!cwnd\b|ssthresh\b)[a-z]+(?:['-][a-z]+)*(?=[\s,;:.?!]|$)(?! [<=>])")
"""A word of English at the beginning of a text: no name such as mVeno or ns-2, no variable."""


def sentence(text: str) -> str:
    """Text with a capital at its beginning and a full stop at its end; names and variables stay small."""
    text = text.strip()
    if not text:
        return ""
    if _WORD.match(text):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else text + "."


def metric_words(metric: str) -> str:
    """A metric of the ledger with its unit, as an axis has it."""
    name, unit = METRICS.get(metric, (metric.replace("-", " "), ""))
    return f"{name} ({unit})" if unit else name


def scaled_words(metric: str, largest: float) -> tuple[float, str]:
    """Factor to the unit in which numbers up to `largest` are short, and a metric with that unit."""
    name, unit = METRICS.get(metric, (metric.replace("-", " "), ""))
    if unit == "bytes":
        for factor, prefixed in ((1e-9, "GB"), (1e-6, "MB"), (1e-3, "kB")):
            if largest * factor >= 1.0:
                return factor, f"{name} ({prefixed})"
    return 1.0, metric_words(metric)


def _short(key: str) -> str:
    """Name of an axis as :func:`windlass.verdicts.words.place` gives it."""
    return place([(key, 0)]).partition(" = ")[0]


def _places(axes: Mapping[str, tuple[str, str]]) -> re.Pattern[str]:
    """Keys of axes, with a value or between backticks: any other word that is one of them is a word of English."""
    keys = "|".join(re.escape(key) for key in sorted(axes, key=len, reverse=True))
    number = r"(?P<number>[\d.]*\d)(?P<unit> (?:%|Mbps|ms|s|packets|segments)(?!\w))?"
    return re.compile(rf"(?<![\w.-])(?:(?P<key>{keys}) = (?:{number})?|`(?P<alone>{keys})`)")


def _pattern(keys: list[str]) -> re.Pattern[str]:
    words = "|".join(re.escape(key) for key in keys)
    return re.compile(rf"(?<![\w./#-])(?:{words})(?:#\d+)?(?![\w/-]|\.\w)")
