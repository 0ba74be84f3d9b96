"""Cautions in the words of the page: they are written for users of scenario files, by keys and names of these."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from windlass.ledger import Experiment, Ledger
from windlass.names import loss_causes
from windlass.report.language import Language

_ADVICE = re.compile(
    r", which `topology\.\w+` prevents|\. (?:Bursts in time do not|Longer ways need|For hops from neighbour)[^.]*(?=\.|$)"
)
"""What to write into a scenario instead: the scenarios here are the paper's."""

_BESIDE = re.compile(r" \(`[^`]+`\)")
"""The name of a parameter beside what it is."""

_MEMBER = re.compile(r"`?([\w-]+)/(\d+)`?")
_GROUP = re.compile(r"^flows `([\w*-]+)`: (in \d+ of \d+ runs )?a flow got")


def caution_words(text: str, book: Ledger, experiment: Experiment) -> str:
    """A caution without advice on scenario files, and with words for their keys."""
    language = Language(book, experiment)
    text = _BESIDE.sub("", _ADVICE.sub("", text))
    text = _GROUP.sub(_of_group, text).replace("of their mean", "of the mean of its group")
    for cause in loss_causes():
        text = re.sub(rf"\blost as `{cause.name}`", f"counted as {cause.label}", text)
    text = re.sub(r"([a-z_]+(?:\.\w+)+) = ", lambda found: f"{_axis(found[1], book, experiment)} = ", text)
    text = re.sub(r"(\d)%", r"\1 %", text)
    text = re.sub(r"`([\w-]+/\d+)`, (\d)", r"`\1` got \2", text)
    text = _MEMBER.sub(lambda found: f"“{found[1]} {found[2]}”", text)
    text = re.sub(r"`([^`]+)`", lambda found: _name(found[1], book, language), text)
    return language.sentence(text)


def _of_group(found: re.Match[str]) -> str:
    groups = "groups" if "*" in found[1] else "group"
    of = "" if found[1] == "flow" else f" of the {groups} `{found[1]}`"
    return f"{found[2] or ''}a flow{of} got"


def _axis(key: str, book: Ledger, experiment: Experiment) -> str:
    """What the paper calls a key of the scenario, in this experiment, or else in one that it is compared with."""
    for entry in (experiment, *book.experiments.values()):
        known = book.topologies[entry.topology].keys if entry.topology in book.topologies else {}
        for axis in entry.axes:
            if axis.key in known and any(fnmatchcase(key, pattern) for pattern in known[axis.key].set):
                return axis.parameter
    return key.rpartition(".")[2].replace("_", " ")


def _name(name: str, book: Ledger, language: Language) -> str:
    """A name of a scenario: a variant or its flow, a parameter, or else in quotation marks."""
    variant = re.fullmatch(r"(.+)-(\d+)", name)
    if name in book.variants or language.variant(name) != name:
        return language.variant(name)
    if variant is not None and variant[1] in book.variants:
        return f"{language.variant(variant[1])} ({variant[2]})"
    return name.replace("_", " ") if "_" in name else f"“{name}”"
