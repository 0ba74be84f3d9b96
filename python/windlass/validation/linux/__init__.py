"""Comparison with the real TCP stack of Linux 6.1 in virtual time.

The parts: :mod:`~windlass.validation.linux.reference` reads a folder of traces and figures,
:mod:`~windlass.validation.linux.scenarios` describes their path, :mod:`~windlass.validation.linux.exact` compares runs
without randomness segment by segment, :mod:`~windlass.validation.linux.means` compares means under random loss,
:mod:`~windlass.validation.linux.tables` shows both, and :mod:`~windlass.validation.linux.record` keeps what agrees.

``python -m windlass.validation.linux`` runs the reference that ships with Windlass, and writes the chapter of
``docs/validation.md`` about it and the record of what agrees.
"""

from windlass.validation.linux.exact import CaseOutcome, compare_case
from windlass.validation.linux.means import PointOutcome, compare_point
from windlass.validation.linux.reference import Case, Point, Reference, read, stored
from windlass.validation.linux.running import Comparison, compare

__all__ = [
    "Case",
    "CaseOutcome",
    "Comparison",
    "Point",
    "PointOutcome",
    "Reference",
    "compare",
    "compare_case",
    "compare_point",
    "read",
    "stored",
]
