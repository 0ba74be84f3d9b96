"""Reproduce an experiment of a paper: run it in every plausible reading, judge its claims, write a report.

:func:`main` is what ``windlass reproduce`` calls. Nothing here is written for one figure: the ledger says what is run
(:mod:`windlass.experiments`) and what must hold (:mod:`windlass.verdicts`).
"""

from windlass.reproduce.calls import CALLS
from windlass.reproduce.metrics import headline_metric, shown_variants
from windlass.reproduce.outline import Outline
from windlass.reproduce.paper import PaperReproduction, Papers
from windlass.reproduce.results import Outcome, ReadingRun, Reproduction
from windlass.reproduce.running import ALL, main, outline
from windlass.reproduce.sequential import STOPPED

__all__ = [
    "ALL",
    "CALLS",
    "STOPPED",
    "Outcome",
    "Outline",
    "PaperReproduction",
    "Papers",
    "ReadingRun",
    "Reproduction",
    "headline_metric",
    "main",
    "outline",
    "shown_variants",
]
