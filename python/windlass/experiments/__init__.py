"""From an experiment of the ledger to runs: its network, its variant, a point of its sweep and a reading, laid over
each other.

An experiment's network is a scenario file of the paper. Everything else is a list of dotted keys with values
(:func:`scenario`): the paper's own, the defaults for what it leaves open, the algorithm of the variant, the point, and
in a reading the other choice for one open thing. Nothing here knows a figure, a protocol or a kind of link. What an
experiment needs and the engine does not have, :func:`lacking` says, by the engine's own lists.
"""

from windlass.experiments.capacity import capacity
from windlass.experiments.claims import partners
from windlass.experiments.compose import Case, cases, scenario, settings, titled
from windlass.experiments.needs import NotYet, in_words, lacking, of_variant, require, without
from windlass.experiments.points import points_of, spread, thinned

__all__ = [
    "Case",
    "NotYet",
    "capacity",
    "cases",
    "in_words",
    "lacking",
    "of_variant",
    "partners",
    "points_of",
    "require",
    "scenario",
    "settings",
    "spread",
    "thinned",
    "titled",
    "without",
]
