"""Traces of mahimahi: a line for each 1504 bytes that may pass, with the millisecond at which they may."""

from __future__ import annotations

from itertools import pairwise

from windlass.amounts import counted
from windlass.errors import InputError
from windlass.imports import rates
from windlass.imports.evidence import Evidence, RateOverTime

FORMAT = "mahimahi"

SOME = 200
"""Lines by which a trace is known."""


def looks_like(text: str) -> bool:
    """Whether a text is a trace: lines of whole numbers that do not go back."""
    lines = [line.strip() for line in text[: 20 * SOME].splitlines()[:SOME]]
    numbers = [int(line) for line in lines if line.isdecimal()]
    return len(numbers) == len(lines) >= 2 and all(a <= b for a, b in pairwise(numbers))


def evidence(text: str, file: str) -> Evidence:
    """The trace itself, and its mean.

    Raises
    ------
    InputError
        If a line is no whole number or less than the one before, or nothing can pass.
    """
    import numpy as np

    at: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        word = line.strip()
        if not word:
            continue
        if not (word.isdecimal() and len(word) < 16 and (not at or int(word) >= at[-1])):
            raise InputError(
                f"`{word[:40]}` is no millisecond from the one before on",
                code="import.broken",
                file=file,
                line=number,
                hint="a trace has a whole number on each line: when another 1504 bytes may pass",
            )
        at.append(int(word))
    if not at or at[-1] < 1 or len(at) > rates.MOST_OPPORTUNITIES:
        raise InputError(
            f"lets {counted(len(at), 'packet')} pass in {at[-1] if at else 0} ms",
            code="import.trace",
            file=file,
            hint=f"a trace lasts 1 ms or more and has {rates.MOST_OPPORTUNITIES} lines at most",
        )
    found = Evidence(FORMAT)
    found.facts.append(f"mahimahi trace, {counted(len(at), 'packet')} of {rates.OPPORTUNITY} B in {at[-1] / 1e3:.1f} s")
    edges = np.linspace(0.0, float(at[-1]), min(max(round(at[-1] / 1e3), 1), 100_000) + 1)
    # What may pass at the last millisecond of a bin is in it.
    got = np.diff(np.searchsorted(np.array(at), edges, side="right"), prepend=0)[1:].astype(float)
    got[0] += np.searchsorted(np.array(at), 0.0, side="right")
    start, end = edges[:-1] / 1e3, edges[1:] / 1e3
    found.rates = RateOverTime(start, end, 8.0 * rates.OPPORTUNITY * got / (end - start), of_link=True)
    found.rate = rates.mean(found.rates.rate_bps, end - start, "bit/s", "mean of the trace, which repeats")
    found.trace = at
    found.notes += [
        "A trace says nothing of delay, losses or the queue: those are guesses. Write what the path has.",
        'A link of a scenario also takes the file as it is: `trace = "FILE"` in `[topology.bottleneck]`.',
    ]
    return found
