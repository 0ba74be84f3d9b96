"""From an experiment of the ledger to scenarios: what the tables of a paper become as links, flows and sweeps.

The mapping reads the ledger's tables (``topology``, ``traffic``, ``fixed``, ``sweep``, ``open``) and knows no figure. A paper
leaves things open; :class:`Setting` holds one choice for each of them, :func:`base_setting` takes the ledger's defaults, and
:func:`readings` lists the other plausible choices, one at a time. What cannot be expressed ends in :class:`NotYet`, which
names what is missing.
"""

from windlass.experiments.claims import cerl_like, partners
from windlass.experiments.flows import algorithm
from windlass.experiments.limits import limit
from windlass.experiments.opened import base_setting, readings
from windlass.experiments.points import points_of, thinned
from windlass.experiments.scenarios import Case, cases, scenario
from windlass.experiments.setting import NotYet, Reading, Setting

__all__ = [
    "Case",
    "NotYet",
    "Reading",
    "Setting",
    "algorithm",
    "base_setting",
    "cases",
    "cerl_like",
    "limit",
    "partners",
    "points_of",
    "readings",
    "scenario",
    "thinned",
]
