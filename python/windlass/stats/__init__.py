"""Statistics over seeds, and the formulas that results are held against.

A seed is one observation: values of several flows of a run are reduced to one number before anything is said about the
spread. Means get Student's t interval; ratios and indices the bias-corrected and accelerated bootstrap (BCa).
Comparisons are paired by seed, since two algorithms meet the same losses under the same seed.
"""

from windlass.interval import Interval
from windlass.stats.fairness import competes, fairness, jain
from windlass.stats.intervals import (
    bootstrap_interval,
    mean_interval,
    paired,
    paired_difference,
    paired_ratio,
    seeds_needed,
)
from windlass.stats.laws import mathis, pftk
from windlass.stats.simultaneous import fieller, paired_p
from windlass.stats.summary import SUMMARY, summarise
from windlass.stats.throughput import throughput

__all__ = [
    "SUMMARY",
    "Interval",
    "bootstrap_interval",
    "competes",
    "fairness",
    "fieller",
    "jain",
    "mathis",
    "mean_interval",
    "paired",
    "paired_difference",
    "paired_p",
    "paired_ratio",
    "pftk",
    "seeds_needed",
    "summarise",
    "throughput",
]
