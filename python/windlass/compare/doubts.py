"""What to know before trusting a comparison: numbers that are artefacts of the setting, or not known well enough."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from windlass.cautions import STARVED
from windlass.compare.judging import Contest
from windlass.compare.measures import Sample
from windlass.compare.model import LIMITS, Outcome
from windlass.neighbour import NEIGHBOUR

__all__ = ["about_starved", "doubts_of", "starved_neighbour"]

WIDE = 0.2
"""A mean is not known if half of its 95 % interval is more than this share of it."""

GOAL = 0.05
"""What the number of seeds in that caution is for."""

LIMITED = 0.5
"""Where something else than the algorithm limits flows for more than this share of their time, it is not measured."""


def doubts_of(outcomes: Sequence[Outcome], contest: Contest, places: Sequence[str]) -> list[str]:
    """Every caution about the comparison itself; `places` has words for each row's setting."""
    return [
        *_few_seeds(outcomes),
        *_wide(outcomes, contest, places),
        *_never_left_slow_start(outcomes, places),
        *_limited_otherwise(outcomes, places),
        *_unfinished(outcomes, places),
        *_other_cores(outcomes),
    ]


def _worst(
    outcomes: Sequence[Outcome], places: Sequence[str], number: Callable[[Outcome], float], above: float
) -> tuple[float, str, str] | None:
    """The largest number above a bound, whose it is, and for how many others it holds."""
    found = [(number(one), one, place) for one, place in zip(outcomes, places, strict=True)]
    found = [(value, one, place) for value, one, place in found if value > above]
    if not found:
        return None
    value, one, place = max(found, key=lambda case: case[0])
    others = f", and in {len(found) - 1} more of {len(outcomes)} rows" if len(found) > 1 else ""
    return value, f"`{one.candidate}`{f' ({place})' if place else ''}", others


def _few_seeds(outcomes: Sequence[Outcome]) -> list[str]:
    if min(one.goodput_bps.n for one in outcomes) < 2:
        return ["one seed: no interval, and no telling what is luck; `--seeds 10` gives one"]
    return []


def _wide(outcomes: Sequence[Outcome], contest: Contest, places: Sequence[str]) -> list[str]:
    from windlass.stats import seeds_needed

    def width(one: Outcome) -> float:
        known = one.goodput_bps.n > 1 and one.goodput_bps.mean > 0.0
        return one.goodput_bps.half_width / one.goodput_bps.mean if known else math.nan

    worst = _worst(outcomes, places, width, WIDE)
    if worst is None or contest.smaller_is_better:
        return []
    value, whose, others = worst
    at = max((key for key in contest.values), key=lambda key: _spread(contest.values[key]))
    values = contest.values[at]
    needed = seeds_needed(values, GOAL * sum(values) / len(values))
    return [
        f"the goodput of {whose} is known to ±{value:.0%} only{others}: about {needed} seeds would tell it to ±{GOAL:.0%}"
    ]


def _spread(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((one - mean) ** 2 for one in values)) / mean if mean > 0.0 else 0.0


def _never_left_slow_start(outcomes: Sequence[Outcome], places: Sequence[str]) -> list[str]:
    worst = _worst(outcomes, places, lambda one: one.never_left_slow_start.mean, 0.0)
    if worst is None:
        return []
    value, whose, others = worst
    caution = (
        f"{value:.0%} of the flows of {whose} never left slow start{others}: what was measured is how they begin; a "
        "longer `duration`, or a loss or queue that they meet, measures the rest"
    )
    return [caution]


def _limited_otherwise(outcomes: Sequence[Outcome], places: Sequence[str]) -> list[str]:
    found = []
    for limit, remedy in _REMEDIES.items():
        bulk = [
            (one, place)
            for one, place in zip(outcomes, places, strict=True)
            if limit in one.limits and math.isnan(one.unfinished.mean)
        ]
        share = functools.partial(_share, limit)
        worst = _worst([one for one, _ in bulk], [place for _, place in bulk], share, LIMITED)
        if worst is not None:
            value, whose, others = worst
            found.append(f"flows of {whose} waited for {LIMITS[limit]} {value:.0%} of the time{others}: {remedy}")
    return found


def _share(limit: str, one: Outcome) -> float:
    return one.limits[limit].mean


_REMEDIES = {
    "rwnd": "a larger `flows.tcp.window` gives the algorithm a say",
    "application": "more data to send, or a larger `size`, gives the algorithm a say",
}


def _unfinished(outcomes: Sequence[Outcome], places: Sequence[str]) -> list[str]:
    worst = _worst(outcomes, places, lambda one: one.unfinished.mean, 0.0)
    if worst is None:
        return []
    value, whose, others = worst
    return [
        f"{value:.1%} of the transfers of {whose} did not end{others}: mean times are those of the others, the faster"
    ]


def _other_cores(outcomes: Sequence[Outcome]) -> list[str]:
    """Rows of one path whose senders differ by more than the algorithm."""
    for path in dict.fromkeys(one.path for one in outcomes):
        cores: dict[str, list[str]] = {}
        for one in outcomes:
            if one.path == path and one.senders is not None:
                cores.setdefault(one.senders.recovery, []).append(one.algorithm)
        if len(cores) > 1:
            listed = "; ".join(f"{core}: {', '.join(dict.fromkeys(names))}" for core, names in cores.items())
            caution = (
                f"the rows differ by the recovery core, too ({listed}): part of a gain may be its. "
                "`--set flows.tcp.recovery=sack` gives all the same one"
            )
            return [caution]
    return []


def starved_neighbour(alone: Sample, calm: Sample, group: str) -> bool:
    """The neighbour gets next to nothing beside NewReno already, so that it has nothing to lose."""
    usual = alone.per_run(group, "goodput_bps")
    return sum(calm.per_run(NEIGHBOUR, "goodput_bps")) < STARVED * sum(usual)


def about_starved(places: Sequence[str]) -> list[str]:
    """The caution for those settings."""
    if not places:
        return []
    where = f" ({'; '.join(places)})" if places[0] else ""
    caution = (
        f"beside NewReno the neighbour gets less than {STARVED:.0%} of what a flow of the group gets{where}: it has next "
        "to nothing to lose, and `cost to it` says nothing there"
    )
    return [caution]
