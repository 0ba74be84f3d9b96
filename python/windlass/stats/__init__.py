"""Statistics over seeds, and the formulas that results are held against.

A seed is one observation: values of several flows of a run are reduced to one number before anything is said about the
spread. What is shown of a sweep and of a comparison has intervals made for a few seeds (:mod:`windlass.stats.seeds`,
:mod:`windlass.stats.ratios`). Comparisons are paired by seed, since two algorithms meet the same losses under the same
seed.
"""

from windlass.interval import Interval
from windlass.stats.fairness import competes, fairness, jain
from windlass.stats.intervals import mean_interval, paired, paired_difference, seeds_needed
from windlass.stats.laws import mathis, pftk
from windlass.stats.ratios import paired_p, paired_ratio
from windlass.stats.seeds import count_over_seeds, jain_over_seeds, over_seeds, share_over_seeds
from windlass.stats.summary import SUMMARY, summarise
from windlass.stats.throughput import throughput

__all__ = [
    "SUMMARY",
    "Interval",
    "competes",
    "count_over_seeds",
    "fairness",
    "jain",
    "jain_over_seeds",
    "mathis",
    "mean_interval",
    "over_seeds",
    "paired",
    "paired_difference",
    "paired_p",
    "paired_ratio",
    "pftk",
    "seeds_needed",
    "share_over_seeds",
    "summarise",
    "throughput",
]
