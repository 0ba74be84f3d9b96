"""Comparison with ns-2 2.35: figures measured before, single runs without randomness, and the page about both.

The parts: :mod:`~windlass.validation.figures` has the stored figures, :mod:`~windlass.validation.families` their
scenarios, :mod:`~windlass.validation.rule` the rule, :mod:`~windlass.validation.droplist` the runs without randomness,
:mod:`~windlass.validation.tcl` and :mod:`~windlass.validation.ns2` run real ns-2.

``python -m windlass.validation`` runs every stored point and every case, and writes ``docs/validation.md``.
"""

from windlass.validation.pages import page
from windlass.validation.stored import EXPLAINED, StoredOutcome, compare, compare_all, to_dict

__all__ = ["EXPLAINED", "StoredOutcome", "compare", "compare_all", "page", "to_dict"]
