"""Verdicts: what the runs say about a claim, with the interval taken into account.

Every comparison is paired by seed, since two algorithms with the same seed meet the same losses and starts. The
interval of a ratio of means is Student's t on the linearised ratio (``a - R b`` over the mean of ``b``); all intervals
are 95 %.

A statement with one number, such as a gain, is judged by where its interval lies against the tolerance band of the
claim:

reproduced
    The interval lies inside the band, at every point that the claim covers.
compatible
    The claim is met, but only with latitude of ours (:mod:`windlass.verdicts.strict`): at its most favourable point, at
    a share of the points, inside a tolerance of more than a quarter of the claim either way, or by an interval that
    reaches over the edge of the band and is no wider than the tolerance.
direction only
    The interval misses the band, and lies wholly on the side of zero that the claim names.
contradicted
    The interval misses the band and holds or passes zero.
undecided
    The interval meets the band but is wider than the tolerance.

A statement of order or likeness is asked at every selected point and answered yes (the whole interval says so), no
(none of it does) or open. It is reproduced when every point says yes, compatible when those that do reach the share
that the ledger asks for (reproduced, if the paper's own words ask for no more), undecided when the open ones could
still fill it, direction only when at least half of the points could say yes, and else contradicted. Where a claim names
no operating point (``pick = "best"``), it is judged at each point and the most favourable verdict counts, as compatible
unless every point has it.

impossible
    The claimed gain, less its tolerance, needs more than the links carry: (payload capacity) / (lower end of the
    measured reference) - 1 is smaller, at every point that may be meant. The arithmetic is given.
not measurable
    The check needs something that a table of runs does not have, or compares a quantity with itself, so that nothing
    can be told; the reason says so. No claim is dropped.

An undecided verdict says about how many seeds would settle it: intervals shrink with the square root of their number.
"""

from windlass.interval import Interval
from windlass.verdicts.answers import STRICT
from windlass.verdicts.bands import largest_gain_percent
from windlass.verdicts.data import Data, Limit, Limits, Others
from windlass.verdicts.derived import by_neighbours, derived
from windlass.verdicts.intervals import Cell, mean, ratio
from windlass.verdicts.judgement import OPEN, VERDICTS, Judgement
from windlass.verdicts.kinds import KINDS_JUDGED, judge
from windlass.verdicts.merged import Merged, merge

__all__ = [
    "KINDS_JUDGED",
    "OPEN",
    "STRICT",
    "VERDICTS",
    "Cell",
    "Data",
    "Interval",
    "Judgement",
    "Limit",
    "Limits",
    "Merged",
    "Others",
    "by_neighbours",
    "derived",
    "judge",
    "largest_gain_percent",
    "mean",
    "merge",
    "ratio",
]
