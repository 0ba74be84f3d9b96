"""What an experiment needs and the engine does not have."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache

from windlass.errors import InputError
from windlass.ledger import Experiment, Ledger, Variant


class NotYet(InputError):
    """The experiment needs something that this version cannot simulate."""

    code = "reproduce.not-yet"


KINDS = {
    "illustration": "an illustration of a sender's rules segment by segment",
    "quoted": "a number quoted from other work",
    "asserted": "a statement without a run",
    "summary": "a summary over other figures",
}
"""Kinds of experiment that are no simulation, in words."""


def require(ledger: Ledger, experiment: Experiment, variants: Iterable[str] | None = None) -> None:
    """Stop if the experiment cannot be run.

    Raises
    ------
    NotYet
        With what it is instead of a simulation, or with every key and algorithm that the engine lacks.
    """
    if experiment.covers:
        parts = [ledger.experiments[name] for name in experiment.covers]
        if all(lacking(ledger, part, part.variants) for part in parts):
            raise NotYet(f"`{experiment.id}` sums up experiments of which none can be run yet")
        return
    if not ledger.topologies[experiment.topology].scenario:
        hint = "figures with a sweep can be reproduced"
        raise NotYet(f"`{experiment.id}` is no simulation but {KINDS[experiment.kind]}", hint=hint)
    missing = lacking(ledger, experiment, experiment.variants if variants is None else variants)
    if missing:
        raise NotYet(
            f"`{experiment.id}` needs {in_words(missing)}, which this version does not have",
            hint="`windlass list papers` shows what can be run",
        )


def lacking(ledger: Ledger, experiment: Experiment, variants: Iterable[str]) -> list[str]:
    """Keys, words and algorithms that an experiment needs for these variants and the engine does not have."""
    network = ledger.topologies[experiment.topology]
    needs = [*network.needs, *experiment.effect.needs]
    for key in (*experiment.fixed, *(axis.key for axis in experiment.axes)):
        needs += network.keys[key].needs
    for key in experiment.open:
        needs += ledger.open[key].effect(experiment).needs
    for name in dict.fromkeys([*variants, *(part.variant for part in experiment.mix if part.variant)]):
        variant = ledger.variants[name]
        needs += of_variant(variant)
    return without(needs)


def of_variant(variant: Variant) -> list[str]:
    """What the engine must have for a variant."""
    return [*variant.effect.needs, *([f"flows.algorithm = {variant.name}"] if variant.name else [])]


def without(needs: Iterable[str]) -> list[str]:
    """Those of the needs that the engine does not meet, each once."""
    return [need for need in dict.fromkeys(needs) if not _has(need)]


def in_words(needs: Iterable[str]) -> str:
    """Needs for a sentence: ``topology.kind = wlan``, the algorithm ``x``."""
    parts = [(need, need.partition("=")) for need in needs]
    return ", ".join(
        f"the algorithm `{word.strip()}`" if key.strip() == "flows.algorithm" else f"`{need}`"
        for need, (key, _, word) in parts
    )


def _has(need: str) -> bool:
    """Whether the engine has a key, as in ``link.rate``, or a word of it, as in ``topology.kind = dumbbell``."""
    key, equals, word = (part.strip() for part in need.partition("="))
    words = _keys().get(key)
    return words is not None and (not equals or word in words)


@cache
def _keys() -> dict[str, frozenset[str]]:
    """The engine's keys with their words."""
    from windlass import _core

    found = {row["key"]: frozenset(row["words"]) for row in json.loads(_core.keys())}
    rows = json.loads(_core.algorithms())
    found["flows.algorithm"] = frozenset(name for row in rows for name in (row["name"], *row["aliases"]))
    return found
