"""Tables of the runs without randomness."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.validation.droplist import COUNTS, EXPLAINED, CaseOutcome


def table(outcomes: Sequence[CaseOutcome]) -> list[str]:
    """Lines of the table of all cases, and of the list of those that differ."""
    lines = [
        "| agent | lost data | lost ACKs | threshold | segments per ACK | queue | acknowledged | retransmitted "
        + "| timeouts | cuts | |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for outcome in outcomes:
        case = outcome.case
        counts = " | ".join(str(a) if a == b else f"{a} / **{b}**" for a, b in zip(case.ns2, outcome.here, strict=True))
        lines.append(
            f"| {case.variant} | {places(case.drops)} | {places(case.ack_drops)} | {case.dup_threshold} "
            f"| {case.delayed_ack} | {case.queue} | {counts} | {'agrees' if outcome.agrees else '**differs**'} |"
        )
    different = [outcome.case.name for outcome in outcomes if not outcome.agrees]
    if different:
        lines += ["", "Cases that differ:", ""]
        lines += [f"- {name}: {EXPLAINED.get(name, 'not explained yet')}" for name in different]
    return lines


def places(numbers: Sequence[int]) -> str:
    """Places in a list of losses as text."""
    return " ".join(str(n) for n in numbers) or "none"


def long_table(outcomes: Sequence[CaseOutcome]) -> list[str]:
    """Lines of the table of the longer runs: sums for each agent, ns-2 beside ours."""
    lines = [
        "| agent | lists | agree | " + " | ".join(COUNTS) + " |",
        "|---|---|---|" + "---|" * len(COUNTS),
    ]
    for agent in dict.fromkeys(outcome.case.variant for outcome in outcomes):
        rows = [outcome for outcome in outcomes if outcome.case.variant == agent]
        sums = []
        for i in range(len(COUNTS)):
            theirs, ours = sum(row.case.ns2[i] for row in rows), sum(row.here[i] for row in rows)
            sums.append(str(theirs) if theirs == ours else f"{theirs} / **{ours}**")
        lines.append(f"| {agent} | {len(rows)} | {sum(row.agrees for row in rows)} | {' | '.join(sums)} |")
    return lines
