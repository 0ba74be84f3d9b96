"""What runs gave, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from windlass.amounts import digits
from windlass.names import loss_causes, not_lost

__all__ = ["sentences"]


def sentences(shown: Sequence[Mapping[str, Any]], together: bool) -> list[str]:
    """Who delivered how much, and what the cuts were for.

    Parameters
    ----------
    shown : sequence of mapping
        Senders, as :func:`windlass.serve.runs.answer` gives them.
    together : bool
        Whether they shared the path.
    """
    if not shown:
        return []
    order = sorted(shown, key=lambda one: -one["numbers"]["goodput_bps"])
    first, *others = order
    rates = [f"{first['title']} delivered {_mbps(first)} Mbit/s"]
    rates += [f"{one['title']} {_mbps(one)}" for one in others]
    where = "Side by side, " if together and others else ""
    many = f" ({first['flows']} flows each)" if first["flows"] > 1 else ""
    made = [f"{where}{', '.join(rates)}{many}."]
    made += [sentence for one in order for sentence in (_cuts(one), _judged(one)) if sentence]
    return made


def _mbps(one: Mapping[str, Any]) -> str:
    return digits(one["numbers"]["goodput_bps"] * 1e-6)


def _cuts(one: Mapping[str, Any]) -> str | None:
    """How many of a sender's cuts congestion called for."""
    cuts, causes = one["numbers"]["cuts"], one["numbers"]["causes"]
    if not cuts:
        return f"{one['title']} never cut its window." if one["drawn"] else None
    labels = {cause.name: cause.label for cause in loss_causes() if not cause.congestion}
    labels[not_lost()] = "nothing was lost"
    parts = [(count, labels[name]) for name, count in causes.items() if name in labels]
    needless = sum(count for count, _ in parts)
    if not needless:
        return f"{one['title']} made {'one cut' if cuts == 1 else f'{cuts} cuts, all'} for congestion."
    why = "; ".join(f"{label}: {count}" for count, label in sorted(parts, reverse=True))
    if cuts == 1:
        return f"{one['title']} cut its window once, and not for congestion ({why})."
    if needless == cuts:
        return f"None of the {cuts} cuts of {one['title']} was for congestion ({why})."
    verb = "was" if needless == 1 else "were"
    return f"Of the {cuts} cuts of {one['title']}, {needless} {verb} not for congestion ({why})."


def _judged(one: Mapping[str, Any]) -> str | None:
    """What a sender that tells losses apart took for random."""
    judged, wrong = one["numbers"]["judged_random"], one["numbers"]["judged_wrongly"]
    if not judged:
        return None
    if judged == 1:
        return f"{one['title']} judged a loss random once, {'wrongly' if wrong else 'rightly'}."
    verdict = {0: "rightly each time", judged: "wrongly each time"}.get(wrong, f"wrongly {wrong} times")
    return f"{one['title']} judged a loss random {judged} times, {verdict}."
