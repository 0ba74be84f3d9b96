"""Words for verdicts."""

from __future__ import annotations

from collections.abc import Mapping

GOOD_WORDS = {
    "reproduced": "reproduced",
    "compatible": "compatible",
    "direction only": "right in direction only",
    "contradicted": "contradicted",
    "undecided": "undecided",
    "impossible": "impossible as stated",
    "not measurable": "not measurable",
}

RULES = {
    "reproduced": "The interval lies inside the claim's tolerance, at every point that the claim covers. A tolerance of "
    "ours counts up to a quarter of the claim either way. Of an order: every point says yes with its whole interval.",
    "compatible": "The claim is met, but only with latitude of ours: at its most favourable point, at a share of the "
    "points, inside a tolerance of more than a quarter of the claim either way, or by an interval that reaches over the "
    "edge of the tolerance.",
    "direction only": "The sign or the order is right beyond the interval, the size is not; of what is asked at "
    "several points, at least half of them agree with their whole intervals, but fewer than the claim needs; of who leads, "
    "that one leads, by less than is asked.",
    "contradicted": "The interval leaves the tolerance out, and the sign is not the claimed one either.",
    "undecided": "The interval is too wide at this number of seeds.",
    "impossible": "Even with all that the links can carry, over the lower end of the measured reference, the gain would stay below "
    "the claim less its tolerance, at every point that may be meant.",
    "not measurable": "The check needs something that these runs do not give.",
}


def headline(counts: Mapping[str, int]) -> str:
    """How many claims got each verdict, as a sentence."""
    total = sum(counts.values())
    if total == 0:
        return "The paper states nothing in words about this figure; the runs are shown for reference."
    parts = [
        f"{count} {'is' if count == 1 else 'are'} {GOOD_WORDS.get(verdict, verdict)}"
        for verdict, count in counts.items()
    ]
    joined = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
    return f"Of {total} claim{'s' if total > 1 else ''}, {joined}."


def slug(verdict: str) -> str:
    """A verdict as a class of the page."""
    return verdict.replace(" ", "-")
