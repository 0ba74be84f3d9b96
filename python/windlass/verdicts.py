"""Verdicts: what the runs say about a claim, with the interval taken into account.

Every comparison is paired by seed, since two algorithms with the same seed meet the same losses and starts. The interval
of a ratio of means is Student's t on the linearised ratio (``a - R b`` over the mean of ``b``); all intervals are 95 %.

A statement with one number, such as a gain, is judged by where its interval lies against the tolerance band of the claim:

reproduced
    The interval lies inside the band, or meets it and is no wider than the tolerance.
direction only
    The interval misses the band, and lies wholly on the side of zero that the claim names.
contradicted
    The interval misses the band and holds or passes zero.
undecided
    The interval meets the band but is wider than the tolerance.

A statement of order or likeness is asked at every selected point and answered yes (the whole interval says so), no (none of
it does) or open. It is reproduced when the points that say yes reach the share that the claim asks for, undecided when the
open ones could still fill it, direction only when at least half of the points could say yes, and else contradicted.
Where a claim names no operating point (``pick = "best"``), it is judged at each point and the most favourable verdict counts.

impossible
    The claimed gain, less its tolerance, needs more than the links carry: (payload capacity) / (lower end of the measured
    reference) - 1 is smaller, at every point that may be meant. The arithmetic is given.
not measurable
    The check needs something that a table of runs does not have; the reason names it. No claim is dropped.

An undecided verdict says about how many seeds would settle it: intervals shrink with the square root of their number.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, pairwise
from typing import Any, Literal

from windlass.ledger import Check

__all__ = [
    "VERDICTS",
    "Data",
    "Interval",
    "Judgement",
    "Limit",
    "derived",
    "judge",
    "largest_gain_percent",
    "mean",
    "ratio",
]

VERDICTS = ("reproduced", "direction only", "contradicted", "undecided", "impossible", "not measurable")
"""Every verdict, in the order of a legend."""

_WORST_FIRST = ("impossible", "contradicted", "not measurable", "undecided", "direction only", "reproduced")
_BEST_FIRST = ("reproduced", "undecided", "direction only", "contradicted", "impossible", "not measurable")

STRICT = 1e-9
"""Percent by which a number must pass another to be above it and not equal."""

Point = tuple[Any, ...]
Samples = Mapping[int, float]
Reply = Literal["yes", "no", "open"]


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval over ``n`` seeds. Without at least two seeds the interval is unbounded."""

    mean: float
    low: float
    high: float
    n: int

    @property
    def half(self) -> float:
        """Half of the width."""
        return (self.high - self.low) / 2

    def scaled(self, factor: float, shift: float = 0.0) -> Interval:
        """``factor * x + shift``; the factor must be positive."""
        return Interval(factor * self.mean + shift, factor * self.low + shift, factor * self.high + shift, self.n)

    def text(self, unit: str = "", digits: int = 2) -> str:
        """``mean ± half unit``."""
        tail = f" {unit}" if unit else ""
        if math.isinf(self.half):
            return f"{self.mean:.{digits}f}{tail} (one run, no interval)"
        return f"{self.mean:.{digits}f} ± {self.half:.{digits}f}{tail}"


@dataclass(frozen=True)
class Limit:
    """Most that one setting can carry.

    ``total_mbps`` of payload for all flows together, ``per_flow_mbps`` its share for each of ``flows``; ``text`` is the
    arithmetic.
    """

    total_mbps: float
    per_flow_mbps: float
    flows: int
    text: str


@dataclass(frozen=True)
class Data:
    """Measurements of one experiment in one reading.

    Parameters
    ----------
    experiment : str
        Id of the experiment.
    axes : tuple of str
        Swept keys as the ledger has them.
    points : tuple of tuple
        Values along the axes, in the ledger's order.
    fixed : mapping
        Keys that were set and not swept.
    values : mapping of (metric, variant, point) to mapping of seed to float
        What each run gave.
    """

    experiment: str
    axes: tuple[str, ...]
    points: tuple[Point, ...]
    fixed: Mapping[str, Any]
    values: Mapping[tuple[str, str, Point], Samples]

    def get(self, metric: str, variant: str, points: Sequence[Point]) -> dict[int, float]:
        """Value by seed, averaged over points; empty if some point was not measured."""
        parts = [self._one(metric, variant, point) for point in points]
        seeds = set(parts[0]).intersection(*parts[1:]) if parts else set()
        return {seed: math.fsum(part[seed] for part in parts) / len(parts) for seed in sorted(seeds)}

    def _one(self, metric: str, variant: str, point: Point) -> Samples:
        if derived(metric):
            return self._gain_over(metric, variant, point)
        return self.values.get((metric, variant, point), {})

    def _gain_over(self, metric: str, variant: str, point: Point) -> Samples:
        """Percent over one other variant, or over the mean of all others."""
        named = metric.removeprefix("gain-over-")
        others = [named] if named != metric else [name for name in self.variants if name != variant]
        own = self.values.get(("throughput", variant, point), {})
        tables = [self.values.get(("throughput", name, point), {}) for name in others]
        seeds = set(own).intersection(*tables) if tables else set()
        base = {seed: math.fsum(table[seed] for table in tables) / len(tables) for seed in seeds}
        return {seed: 100 * (own[seed] / base[seed] - 1) for seed in sorted(seeds) if base[seed] > 0}

    @property
    def variants(self) -> tuple[str, ...]:
        """Variants that were measured."""
        return tuple(dict.fromkeys(variant for _, variant, _ in self.values))

    @property
    def metrics(self) -> frozenset[str]:
        """Metrics that were measured."""
        return frozenset(metric for metric, _, _ in self.values)

    def select(self, at: Mapping[str, Any]) -> list[Point]:
        """Points that a check's ``at`` means: a number is a point, two are a range, more or names are a set."""
        for key in at:
            if key not in self.axes and key not in self.fixed:
                raise _Unmeasured(f"needs `{key}`, which this experiment neither sweeps nor fixes")
        if any(not _matches(self.fixed[key], wanted) for key, wanted in at.items() if key not in self.axes):
            return []
        return [
            point
            for point in self.points
            if all(_matches(point[self.axes.index(key)], wanted) for key, wanted in at.items() if key in self.axes)
        ]

    def label(self, point: Point) -> str:
        """``(1,)`` of ``q_percent`` as ``q = 1 %``."""
        return _place(zip(self.axes, point, strict=True))


@dataclass(frozen=True)
class Judgement:
    """The verdict on one check.

    Attributes
    ----------
    verdict : str
        One of :data:`VERDICTS`.
    measured : str
        What was found, in a line.
    rows : list of dict
        What was found at each point: ``where``, ``what``, ``mean``, ``low``, ``high``, ``unit``, ``reply``.
    seeds_needed : int, optional
        About how many seeds would settle an undecided verdict; none if more seeds would not.
    arithmetic : str
        Why a claim is impossible.
    reason : str
        Why a claim is not measurable.
    largest : list of dict
        Largest possible gain at each point, for claims of a gain.
    alternatives : list of (str, Judgement)
        The same check in the other readings of the text that the ledger names.
    """

    verdict: str
    measured: str
    rows: tuple[dict[str, Any], ...] = ()
    seeds_needed: int | None = None
    arithmetic: str = ""
    reason: str = ""
    largest: tuple[dict[str, Any], ...] = ()
    alternatives: tuple[tuple[str, Judgement], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "verdict": self.verdict,
            "measured": self.measured,
            "rows": [{key: _finite(value) for key, value in row.items()} for row in self.rows],
            "seeds_needed": self.seeds_needed,
            "arithmetic": self.arithmetic,
            "reason": self.reason,
            "largest_possible_gain": list(self.largest),
            "alternatives": [{"text": text, **other.to_dict()} for text, other in self.alternatives],
        }


@dataclass(frozen=True)
class _Answer:
    """Reply at one point, with what it rests on."""

    reply: Reply
    where: str = ""
    what: str = ""
    interval: Interval | None = None
    unit: str = ""
    seeds: int | None = None

    def row(self) -> dict[str, Any]:
        found = self.interval
        numbers = {} if found is None else {"mean": found.mean, "low": found.low, "high": found.high}
        return {"where": self.where, "what": self.what, **numbers, "unit": self.unit, "reply": self.reply}


def derived(metric: str) -> bool:
    """Whether a metric is made from the throughput of several variants, in percent and with a sign."""
    return metric == "throughput-margin" or metric.startswith("gain-over-")


class _Unmeasured(Exception):
    """The check needs something that the data do not have."""


Others = Callable[[str], Data | None]
Limits = Callable[[Point], Limit | None]


def judge(check: Check, data: Data, *, limits: Limits | None = None, others: Others | None = None) -> Judgement:
    """The verdict on a check.

    Parameters
    ----------
    check : Check
        From the ledger.
    data : Data
        Measurements of the claim's experiment.
    limits : callable, optional
        Most that can be carried at a point; without it nothing is found impossible.
    others : callable, optional
        Measurements of other experiments by id, ``None`` where there are none.

    Returns
    -------
    Judgement
        ``also`` included: the verdict is the worst of its parts.
    """
    parts = [_judge_one(check, data, limits, others)]
    parts += [_judge_one(_inherit(part, check), data, limits, others) for part in check.also]
    result = parts[0] if len(parts) == 1 else _all_parts(parts)
    alternative = check.get("alternative")
    if alternative:
        other = replace(check, fields={**check.fields, **alternative, "alternative": None}, also=())
        words = ", ".join(f"{key} = {value}" for key, value in alternative.items())
        result = replace(result, alternatives=((words, _judge_one(other, data, limits, others)),))
    return result


def _inherit(part: Check, whole: Check) -> Check:
    return part if part.why else replace(part, why=whole.why, where=whole.where)


def _all_parts(parts: Sequence[Judgement]) -> Judgement:
    worst = min(parts, key=lambda part: _WORST_FIRST.index(part.verdict))
    return replace(
        worst,
        measured="; and ".join(part.measured for part in parts),
        rows=tuple(row for part in parts for row in part.rows),
        largest=tuple(row for part in parts for row in part.largest),
    )


def _judge_one(check: Check, data: Data, limits: Limits | None, others: Others | None) -> Judgement:
    try:
        if check.kind in _NEEDS:
            raise _Unmeasured(_NEEDS[check.kind])
        if check.get("needs_run"):
            raise _Unmeasured(f"needs a run beyond the paper: {check['needs_run']}")
        if check.kind == "arith":
            return _arith(check)
        if check.kind in ("cross", "ratio"):
            return _CROSS[check.kind](check, data, others or (lambda _: None), limits)
        _require(check, data)
        if check.kind in _WITH_LIMITS:
            return _WITH_LIMITS[check.kind](check, data, limits)
        return _KINDS[check.kind](check, data)
    except _Unmeasured as missing:
        return Judgement("not measurable", "", reason=str(missing))


def _require(check: Check, data: Data) -> None:
    """Stop if a metric or a variant was not measured."""
    metric = str(check["metric"])
    if derived(metric):
        metric = "throughput"
    if metric not in data.metrics:
        raise _Unmeasured(f"needs `{metric}`, which the tables of runs do not give")
    for variant in check.variants:
        if variant not in data.variants:
            raise _Unmeasured(f"needs runs of `{variant}`, which this experiment does not have")


# ---- numbers ----


def mean(samples: Samples) -> Interval:
    """Mean and 95 % interval, Student's t."""
    values = list(samples.values())
    if not values:
        return Interval(math.nan, -math.inf, math.inf, 0)
    centre = math.fsum(values) / len(values)
    return _interval(centre, values, len(values))


def ratio(a: Samples, b: Samples) -> Interval:
    """Ratio of the means of ``a`` and ``b``, paired by seed, with its 95 % interval.

    Two series of zeros have ratio 1; anything over a series of zeros is unbounded above.
    """
    seeds = sorted(set(a) & set(b))
    count = len(seeds)
    if count == 0:
        return Interval(math.nan, -math.inf, math.inf, 0)
    top = math.fsum(a[seed] for seed in seeds) / count
    base = math.fsum(b[seed] for seed in seeds) / count
    if base == 0.0:
        return Interval(1.0, 1.0, 1.0, count) if top == 0.0 else Interval(math.inf, math.inf, math.inf, count)
    centre = top / base
    return _interval(centre, [(a[seed] - centre * b[seed]) / base for seed in seeds], count)


def _difference(a: Samples, b: Samples) -> Interval:
    return mean({seed: a[seed] - b[seed] for seed in sorted(set(a) & set(b))})


def _interval(centre: float, values: Sequence[float], count: int) -> Interval:
    if count < 2:
        return Interval(centre, -math.inf, math.inf, count)
    middle = math.fsum(values) / count
    variance = math.fsum((value - middle) ** 2 for value in values) / (count - 1)
    half = _student(count - 1) * math.sqrt(variance / count)
    return Interval(centre, centre - half, centre + half, count)


@cache
def _student(freedom: int) -> float:
    from scipy.stats import t

    return float(t.ppf(0.975, freedom))


def _seeds_to(interval: Interval, half: float) -> int | None:
    """About how many seeds make the half-width that small; none if it cannot be told or would never."""
    if half <= 0 or interval.n < 2 or math.isinf(interval.half):
        return None
    # Student's factor falls with n, so this errs on the high side for few seeds.
    return max(interval.n + 1, math.ceil(interval.n * (interval.half / half) ** 2 - 1e-6))


def _at_least(interval: Interval, limit: float, where: str, what: str, unit: str = "%") -> _Answer:
    """Whether the number is at least ``limit``."""
    if interval.n == 0 or math.isnan(interval.mean):
        raise _Unmeasured(f"needs runs at {where}")
    if interval.low >= limit:
        return _Answer("yes", where, what, interval, unit)
    if interval.high < limit:
        return _Answer("no", where, what, interval, unit)
    return _Answer("open", where, what, interval, unit, _seeds_to(interval, abs(interval.mean - limit)))


def _at_most(interval: Interval, limit: float, where: str, what: str, unit: str = "%") -> _Answer:
    """Whether the number is at most ``limit``."""
    mirrored = Interval(-interval.mean, -interval.high, -interval.low, interval.n)
    return replace(_at_least(mirrored, -limit, where, what, unit), interval=interval)


def _negated(answer: _Answer) -> _Answer:
    turned: dict[Reply, Reply] = {"yes": "no", "no": "yes", "open": "open"}
    return replace(answer, reply=turned[answer.reply])


def _every(answers: Sequence[_Answer], where: str = "") -> _Answer:
    """All must say yes. The answer that decides is kept: the first no, else the open one that needs most seeds."""
    for answer in answers:
        if answer.reply == "no":
            return replace(answer, where=where or answer.where)
    doubtful = [answer for answer in answers if answer.reply == "open"]
    if doubtful:
        worst = max(doubtful, key=lambda answer: answer.seeds or 0)
        return replace(worst, where=where or worst.where)
    if not answers:
        return _Answer("yes", where)
    tightest = min(answers, key=lambda answer: math.inf if answer.interval is None else answer.interval.mean)
    return replace(tightest, where=where or tightest.where)


# ---- points ----


def _groups(check: Check, data: Data, at: str = "at") -> list[tuple[str, list[Point]]]:
    """Selected points, those that are averaged over together, each with its label."""
    points = data.select(check.get(at) or {})
    if not points:
        raise _Unmeasured(f"needs a point with {_place((check.get(at) or {}).items())}")
    over = check.get("avg_over") or []
    keep = [index for index, key in enumerate(data.axes) if key not in over]
    grouped: dict[Point, list[Point]] = {}
    for point in points:
        grouped.setdefault(tuple(point[index] for index in keep), []).append(point)
    named = [(data.axes[index], index) for index in keep]
    return [
        (_place((key, members[0][index]) for key, index in named) or "all points", members)
        for members in grouped.values()
    ]


def _picked(check: Check, data: Data) -> list[tuple[str, list[Point]]]:
    """Points as ``pick`` reduces them: one group for a mean, else one for each."""
    groups = _groups(check, data)
    pick = check.get("pick")
    if pick == "mean" or (pick is None and check.get("avg_over") is None and check.kind in ("value", "not-below")):
        if len(groups) == 1:
            return groups
        return [(f"mean over {len(groups)} points", [point for _, members in groups for point in members])]
    return groups


def _matches(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        if len(wanted) == 2 and all(isinstance(item, (int, float)) for item in wanted):
            return bool(wanted[0] <= value <= wanted[1])
        return value in wanted
    return bool(value == wanted)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        if len(value) == 2 and all(isinstance(item, (int, float)) for item in value):
            return f"{value[0]:g} to {value[1]:g}"
        return ", ".join(_plain(item) for item in value)
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


_UNITS = {"percent": "%", "mbps": "Mbps", "ms": "ms", "s": "s", "packets": "packets", "segments": "segments"}


def _place(values: Iterable[tuple[str, Any]]) -> str:
    """Keys and values of a point in words: ``q = 1 %, rate L = 8 Mbps``."""
    words = []
    for key, value in values:
        name, _, unit = key.rpartition("_")
        known = _UNITS.get(unit) if name else None
        text = f"{(name if known else key).replace('_', ' ')} = {_plain(value)}"
        words.append(f"{text} {known}" if known else text)
    return ", ".join(words)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


# ---- one number against a band ----


def _in_band(interval: Interval, low: float, high: float, tolerance: float, sign: int) -> tuple[str, int | None]:
    """Verdict on a number that should lie in the band, and the seeds that would settle it."""
    if interval.high < low or interval.low > high:
        right = interval.low > 0 if sign > 0 else interval.high < 0
        return ("direction only" if right and sign else "contradicted"), None
    inside = low <= interval.low and interval.high <= high
    if inside or interval.high - interval.low <= tolerance:
        return "reproduced", None
    return "undecided", _seeds_to(interval, tolerance / 2)


def largest_gain_percent(limit: Limit, reference: Interval) -> float:
    """Largest gain that the links allow over a reference (Mbps per flow), percent, from the reference's lower end."""
    low = reference.low if reference.low > 0 else 0.0
    return math.inf if low == 0.0 else 100 * (limit.per_flow_mbps / low - 1)


def _gain(check: Check, data: Data, limits: Limits | None) -> Judgement:
    percent, tolerance = float(check["percent"]), float(check["tolerance_pp"])
    low = percent - tolerance
    high = math.inf if check.get("at_least") else percent + tolerance
    return _percent_in_band(check, data, limits, str(check["b"]), low, high, tolerance, percent)


def _gain_band(check: Check, data: Data, limits: Limits | None) -> Judgement:
    low, high = (float(edge) for edge in check["percent_range"])
    tolerance = float(check["tolerance_pp"])
    given = check["b"]
    parts = [
        _percent_in_band(check, data, limits, b, low - tolerance, high + tolerance, tolerance + (high - low) / 2, low)
        for b in ([given] if isinstance(given, str) else given)
    ]
    return _all_parts(parts)


def _percent_in_band(
    check: Check, data: Data, limits: Limits | None, b: str, low: float, high: float, tolerance: float, percent: float
) -> Judgement:
    """A gain (or reduction) of ``a`` over ``b`` in percent against a band, at every point that may be meant."""
    a, metric = str(check["a"]), str(check["metric"])
    reduction = check.kind == "reduction"
    sign = 1 if percent > 0 else -1 if percent < 0 else 0
    found: list[tuple[str, _Answer]] = []
    largest: list[dict[str, Any]] = []
    room: list[tuple[float, str]] = []
    for where, points in _picked(check, data):
        top, base = data.get(metric, a, points), data.get(metric, b, points)
        quotient = ratio(top, base)
        if quotient.n == 0:
            raise _Unmeasured(f"needs runs of `{a}` and `{b}` at {where}")
        if reduction:
            interval = Interval(
                100 * (1 - quotient.mean), 100 * (1 - quotient.high), 100 * (1 - quotient.low), quotient.n
            )
        else:
            interval = quotient.scaled(100, -100)
        verdict, seeds = _in_band(interval, low, high, tolerance, sign)
        reply: Reply = "yes" if verdict == "reproduced" else "open" if verdict == "undecided" else "no"
        what = f"{'reduction' if reduction else 'gain'} of {a} over {b}"
        found.append((verdict, _Answer(reply, where, what, interval, "%", seeds)))
        limit = limits(points[0]) if limits is not None and len(points) == 1 else None
        if limit is not None and metric in ("throughput", "goodput") and not reduction:
            reference = mean(base)
            most = largest_gain_percent(limit, reference)
            largest.append({"where": where, "than": b, "percent": _finite(most), "measured_percent": interval.mean})
            room.append((most, _room_text(limit, reference, b, where, most)))
    best = min((verdict for verdict, _ in found), key=_BEST_FIRST.index)
    if check.get("pick") != "best":
        best = min((verdict for verdict, _ in found), key=_WORST_FIRST.index)
    chosen = [answer for verdict, answer in found if verdict == best]
    shown = min(chosen, key=lambda answer: abs(_centre(answer) - percent))
    rows = tuple(answer.row() for _, answer in found)
    measured = f"{_percent_text(shown)} at {shown.where}" if len(found) > 1 else _percent_text(shown)
    if len(found) > 1 and best in ("direction only", "contradicted"):
        measured += _between(found, low, high)
    impossible = len(room) == len(found) and all(most < low for most, _ in room)
    if impossible:
        widest = max(room)
        arithmetic = f"{widest[1]} The claim is {percent:g} %, at least {low:g} % with its tolerance."
        return Judgement("impossible", measured, rows, None, arithmetic, "", tuple(largest))
    seeds_needed = min((answer.seeds for answer in chosen if answer.seeds), default=None)
    return Judgement(best, measured, rows, seeds_needed if best == "undecided" else None, largest=tuple(largest))


def _between(found: Sequence[tuple[str, _Answer]], low: float, high: float) -> str:
    """A remark when the gain passes through the band between two neighbouring points of the sweep."""
    for (_, first), (_, second) in pairwise(found):
        if min(_centre(first), _centre(second)) < low and max(_centre(first), _centre(second)) > high:
            return f" (it passes through the claimed range between {first.where} and {second.where})"
    return ""


def _room_text(limit: Limit, reference: Interval, name: str, where: str, most: float) -> str:
    total = reference.scaled(limit.flows)
    return f"{limit.text} At {where} {name} already gets {total.text('Mbps')}, so the largest possible gain is {most:.0f} %."


def _percent_text(answer: _Answer) -> str:
    interval = answer.interval
    assert interval is not None
    if not math.isfinite(interval.mean):
        return "without bound, over zero"
    sign = "" if answer.what.endswith(" by") else "+"
    if math.isinf(interval.half):
        return f"{interval.mean:{sign}.1f} % (one run, no interval)"
    return f"{interval.mean:{sign}.1f} % [{interval.low:{sign}.1f}, {interval.high:{sign}.1f}]"


def _centre(answer: _Answer) -> float:
    return math.nan if answer.interval is None else answer.interval.mean


def _value(check: Check, data: Data, limits: Limits | None) -> Judgement:
    value, tolerance = float(check["value"]), float(check["tolerance_rel"]) * abs(float(check["value"]))
    a, metric = str(check["a"]), str(check["metric"])
    verdicts, rows, seeds, room = [], [], [], []
    for where, points in _picked(check, data):
        interval = mean(data.get(metric, a, points))
        if interval.n == 0:
            raise _Unmeasured(f"needs runs of `{a}` at {where}")
        verdict, needed = _in_band(interval, value - tolerance, value + tolerance, tolerance, 0)
        verdicts.append(verdict)
        seeds.append(needed)
        rows.append(_Answer("yes" if verdict == "reproduced" else "no", where, a, interval, check.get("unit", "")))
        limit = limits(points[0]) if limits is not None and len(points) == 1 else None
        if limit is not None and metric in ("throughput", "goodput") and check.get("unit") == "Mbps":
            room.append((limit.per_flow_mbps, limit))
    worst = min(verdicts, key=_WORST_FIRST.index)
    measured = "; ".join(f"{a} {_interval_text(row)} at {row.where}" for row in rows)
    if room and len(room) == len(rows) and all(most < value - tolerance for most, _ in room):
        most, limit = max(room, key=lambda pair: pair[0])
        arithmetic = f"{limit.text} That is {most:.3g} Mbps for each flow; the claim is {value:g} Mbps."
        return Judgement("impossible", measured, tuple(row.row() for row in rows), None, arithmetic)
    needed = max((number for number in seeds if number), default=None)
    return Judgement(worst, measured, tuple(row.row() for row in rows), needed if worst == "undecided" else None)


def _interval_text(answer: _Answer) -> str:
    assert answer.interval is not None
    return answer.interval.text(answer.unit, 3)


# ---- statements asked at each point ----


def _shared(check: Check, answers: Sequence[_Answer], good: str) -> Judgement:
    """Verdict from the replies at all points and the share of them that must say yes."""
    share = float(check.get("share", 1.0))
    if check.get("negate"):
        answers = [_negated(answer) for answer in answers]
        good = f"not {good}"
    total = len(answers)
    yes = sum(answer.reply == "yes" for answer in answers)
    possible = yes + sum(answer.reply == "open" for answer in answers)
    needed = share * total - 1e-9
    seeds: int | None = None
    if yes >= needed:
        verdict = "reproduced"
    elif possible >= needed:
        verdict = "undecided"
        seeds = max((answer.seeds for answer in answers if answer.seeds), default=None)
    elif total > 1 and 2 * possible >= total:
        verdict = "direction only"
    else:
        verdict = "contradicted"
    return Judgement(verdict, _tally(answers, good), tuple(answer.row() for answer in answers), seeds)


def _tally(answers: Sequence[_Answer], good: str) -> str:
    """``first at 3 of 5 points; not at q = 4 (x ahead by ...)``."""
    total = len(answers)
    yes = sum(answer.reply == "yes" for answer in answers)
    doubt = [answer for answer in answers if answer.reply == "open"]
    wrong = [answer for answer in answers if answer.reply == "no"]
    head = good if total == 1 and yes else f"{good} at {yes} of {total} points" if total > 1 else f"not {good}"
    if total == 1 and doubt:
        head = f"{good}: open"
    parts = [head]
    if total > 1 and doubt:
        parts.append(f"open at {len(doubt)}")
    shown = wrong or doubt or list(answers)
    clearest = max(shown, key=lambda answer: abs(_centre(answer)) if not math.isnan(_centre(answer)) else -1.0)
    if clearest.interval is not None:
        where = f" at {clearest.where}" if total > 1 else ""
        number = _percent_text(clearest) if clearest.unit == "%" else _interval_text(clearest)
        parts.append(f"{clearest.what} {number}{where}")
    return "; ".join(parts)


def _lead(data: Data, metric: str, first: str, second: str, points: Sequence[Point], lower_is_better: bool) -> Interval:
    """By how many percent ``first`` is better than ``second``."""
    one, two = data.get(metric, first, points), data.get(metric, second, points)
    quotient = ratio(two, one) if lower_is_better else ratio(one, two)
    return quotient.scaled(100, -100)


def _rank_at(check: Check, data: Data, where: str, points: Sequence[Point], position: int) -> _Answer:
    """Whether ``a`` can stand at that position, ties broken in its favour.

    At most position - 1 others may be better by more than the tie, and at most the rest may be worse by more than it.
    """
    a, metric, tie = str(check["a"]), str(check["metric"]), 100 * float(check["tie_rel"])
    lower = bool(check.get("lower_is_better"))
    rivals = [name for name in check["among"] if name != a]
    ahead, behind = [], []
    for name in rivals:
        lead = _lead(data, metric, name, a, points, lower)
        ahead.append(_negated(_at_most(lead, tie, where, f"{name} against {a}")))
        back = _lead(data, metric, a, name, points, lower)
        behind.append(_negated(_at_most(back, tie, where, f"{a} against {name}")))
    answers = [_count_at_most(ahead, position - 1), _count_at_most(behind, len(rivals) + 1 - position)]
    margin = check.get("min_margin_rel")
    if margin is not None:
        answers += [
            _at_least(_lead(data, metric, a, name, points, lower), 100 * margin, where, f"{a} against {name}")
            for name in rivals
        ]
    decided = _every(answers, where)
    if decided.reply == "yes":
        closest = max(ahead, key=_centre, default=decided)
        return replace(closest, reply="yes", where=where)
    return decided


def _count_at_most(answers: Sequence[_Answer], most: int) -> _Answer:
    """Whether no more than ``most`` of the answers are yes; what it rests on is the strongest one beyond them."""
    sure = sorted((answer for answer in answers if answer.reply == "yes"), key=_centre, reverse=True)
    maybe = [answer for answer in answers if answer.reply == "open"]
    if len(sure) > most:
        return replace(sure[0], reply="no")
    if len(sure) + len(maybe) > most:
        return max(maybe, key=lambda answer: answer.seeds or 0)
    return _Answer("yes")


def _rank(check: Check, data: Data) -> Judgement:
    size = len(check["among"])
    position = int(check["position"])
    excluded = _selected(data, check.get("except_at"))
    last = _selected(data, check.get("last_at"))
    must = _selected(data, check.get("must_hold_at"))
    groups = [(where, points) for where, points in _groups(check, data) if points[0] not in excluded]
    answers = [_rank_at(check, data, where, points, position) for where, points in groups]
    words = {1: "first", size: "last"}.get(position, f"number {position}")
    result = _shared(check, answers, f"{check['a']} {words} of {size}")
    extra = [
        (where, points, size)
        for where, points in _groups(replace(check, fields={**check.fields, "at": {}}), data)
        if points[0] in last
    ]
    extra += [(where, points, position) for where, points in groups if points[0] in must]
    if not extra:
        return result
    single = replace(check, fields={**check.fields, "share": 1.0})
    demanded = [_rank_at(check, data, where, points, place) for where, points, place in extra]
    return _all_parts([result, _shared(single, demanded, f"{check['a']} in its place at the named points")])


def _selected(data: Data, at: Mapping[str, Any] | None) -> set[Point]:
    return set(data.select(at)) if at else set()


def _alike(
    data: Data, metric: str, pairs: Iterable[tuple[str, str, Samples, Samples]], within: float, where: str
) -> _Answer:
    """Whether no pair differs by more than ``within`` of the larger."""
    answers = []
    for first, second, one, two in pairs:
        high, low = (first, second) if mean(one).mean >= mean(two).mean else (second, first)
        over, under = (one, two) if high == first else (two, one)
        quotient = ratio(under, over)
        gap = Interval(100 * (1 - quotient.mean), 100 * (1 - quotient.high), 100 * (1 - quotient.low), quotient.n)
        answers.append(_at_most(gap, 100 * within, where, f"{low} below {high} by"))
    decided = _every(answers, where)
    if decided.reply == "yes" and answers:
        return replace(max(answers, key=_centre), reply="yes", where=where)
    wrong = [answer for answer in answers if answer.reply == decided.reply]
    return replace(max(wrong, key=_centre), where=where) if wrong else decided


def _close(check: Check, data: Data) -> Judgement:
    metric, names, within = str(check["metric"]), list(check["among"]), float(check["within_rel"])
    over = check.get("over")
    if over is not None:
        answers = [
            _alike(data, metric, _along(data, metric, name, points), within, f"{name}, {where}" if where else name)
            for name in names
            for where, points in _lines(check, data, over)
        ]
        return _shared(check, answers, f"alike along {over}")
    answers, apart = [], []
    for where, points in _groups(check, data):
        tables = {name: data.get(metric, name, points) for name in names}
        pairs = [(first, second, tables[first], tables[second]) for first, second in combinations(names, 2)]
        answers.append(_alike(data, metric, pairs, within, where))
        if check.get("some_differ_rel"):
            apart.append(_negated(_alike(data, metric, pairs, float(check["some_differ_rel"]), where)))
    result = _shared(check, answers, f"within {100 * within:g} %")
    if not apart:
        return result
    found = next((reply for reply in ("yes", "open") if any(answer.reply == reply for answer in apart)), "no")
    verdict = {"yes": "reproduced", "open": "undecided", "no": "contradicted"}[found]
    return _all_parts([result, Judgement(verdict, f"some point differs: {found}")])


def _along(data: Data, metric: str, name: str, points: Sequence[Point]) -> list[tuple[str, str, Samples, Samples]]:
    tables = [(data.label(point), data.get(metric, name, [point])) for point in points]
    return [(one, two, first, second) for (one, first), (two, second) in combinations(tables, 2)]


def _lines(check: Check, data: Data, axis: str) -> list[tuple[str, list[Point]]]:
    """Selected points in lines along an axis, each in the axis's order."""
    if axis not in data.axes:
        raise _Unmeasured(f"needs a sweep over `{axis}`")
    index = data.axes.index(axis)
    points = data.select(check.get("at") or {})
    lines: dict[Point, list[Point]] = {}
    for point in points:
        lines.setdefault(point[:index] + point[index + 1 :], []).append(point)
    rest = [key for key in data.axes if key != axis]
    return [
        (
            _place(zip(rest, other, strict=True)),
            sorted(line, key=lambda point: point[index]),
        )
        for other, line in lines.items()
    ]


def _order(check: Check, data: Data) -> Judgement:
    """Kendall's tau over all pairs at all points; an open pair counts for and against in turn."""
    metric, tie = str(check["metric"]), 100 * float(check["tie_rel"])
    names: list[str] = list(check["best_first"])
    expected_ties = [set(pair) for pair in check.get("ties", [])]
    groups = {name: index for index, group in enumerate(check.get("groups") or []) for name in group}
    lower = bool(check.get("lower_is_better"))
    low = high = pairs = 0
    rows, seeds = [], []
    for where, points in _groups(check, data):
        for better, worse in combinations(names, 2):
            if groups and groups[better] == groups[worse]:
                continue
            pairs += 1
            lead = _lead(data, metric, better, worse, points, lower)
            above = _at_least(lead, tie, where, f"{better} against {worse}")
            below = _at_most(lead, -tie, where, f"{better} against {worse}")
            if {better, worse} in expected_ties:
                tied = above.reply == "no" and below.reply == "no"
                low, high = low + (1 if tied else 0), high + (1 if tied or "open" in (above.reply, below.reply) else 0)
                reply: Reply = "yes" if tied else "open"
            elif above.reply == "yes":
                low, high, reply = low + 1, high + 1, "yes"
            elif below.reply == "yes":
                low, high, reply = low - 1, high - 1, "no"
            else:
                low -= 1 if below.reply == "open" else 0
                high += 1 if above.reply == "open" else 0
                reply = "open"
                seeds += [number for number in (above.seeds, below.seeds) if number]
            rows.append(replace(above, reply=reply).row())
    least = float(check["min_tau"])
    bottom, top = low / pairs, high / pairs
    verdict = (
        "reproduced"
        if bottom >= least - 1e-9
        else "undecided"
        if top >= least - 1e-9
        else "direction only"
        if bottom > 0
        else "contradicted"
    )
    spread = f"{bottom:.2f}" if bottom == top else f"{bottom:.2f} to {top:.2f}"
    measured = f"Kendall's tau {spread} over {pairs} pairs, {least:g} is asked"
    return Judgement(verdict, measured, tuple(rows), max(seeds, default=None) if verdict == "undecided" else None)


def _not_below(check: Check, data: Data) -> Judgement:
    a, b, metric = str(check["a"]), str(check["b"]), str(check["metric"])
    answers = []
    for where, points in _picked(check, data):
        one, two = data.get(metric, a, points), data.get(metric, b, points)
        if check.get("slack_abs") is not None:
            answers.append(_at_least(_difference(one, two), -float(check["slack_abs"]), where, f"{a} less {b}", ""))
        else:
            lead = ratio(one, two).scaled(100, -100)
            answers.append(_at_least(lead, -100 * float(check.get("slack_rel", 0.0)), where, f"{a} against {b}"))
    return _shared(check, answers, f"{a} not below {b}")


def _bound(check: Check, data: Data) -> Judgement:
    metric = str(check["metric"])
    answers = []
    for where, points in _groups(check, data):
        for name in check["among"]:
            found = mean(data.get(metric, name, points))
            for side, test in (("min", _at_least), ("max", _at_most)):
                edge = check.get(side)
                if edge is None:
                    continue
                slack = float(check.get("slack", 0.0)) + float(check.get("slack_rel", 0.0)) * abs(edge)
                answers.append(test(found, edge - slack if side == "min" else edge + slack, where, name, ""))
    return _shared(check, answers, "inside the bounds")


def _differs(check: Check, data: Data) -> Judgement:
    a, metric, names = str(check["a"]), str(check["metric"]), [name for name in check["among"] if name != check["a"]]
    answers = []
    for where, points in _groups(check, data):
        own = data.get(metric, a, points)
        tables = [data.get(metric, name, points) for name in names]
        seeds = set(own).intersection(*tables)
        rest = {seed: math.fsum(table[seed] for table in tables) / len(tables) for seed in seeds}
        quotient = ratio(own, rest).scaled(100, -100)
        limit = 100 * float(check["min_rel"])
        over = _at_least(quotient, limit, where, f"{a} against the mean of the others")
        under = _at_most(quotient, -limit, where, f"{a} against the mean of the others")
        answers.append(over if quotient.mean >= 0 else under)
    return _shared(check, answers, f"{a} apart by {100 * float(check['min_rel']):g} %")


def _same_across(check: Check, data: Data) -> Judgement:
    param, metric = str(check["param"]), str(check["metric"])
    wanted = set(check["values"])
    answers = []
    for where, line in _lines(check, data, param):
        points = [point for point in line if point[data.axes.index(param)] in wanted]
        if len(points) < 2:
            raise _Unmeasured(f"needs `{param}` at {_plain(sorted(wanted))}")
        answers += [
            _alike(
                data, metric, _along(data, metric, name, points), float(check["within_rel"]), f"{name} {where}".strip()
            )
            for name in check["among"]
        ]
    return _shared(check, answers, f"alike across {param}")


def _trend(check: Check, data: Data) -> Judgement:
    """Every step may go against the direction by no more than the slack, and the ends must differ in its sense."""
    metric, axis, slack = str(check["metric"]), str(check["over"]), 100 * float(check["slack_rel"])
    up = str(check["direction"]).startswith("up")
    parts = []
    for name in check["among"]:
        for where, line in _lines(check, data, axis):
            if len(line) < 2:
                raise _Unmeasured(f"needs at least two points along `{axis}`")
            parts.append(_trend_of(data, metric, name, where, line, up, slack))
    answers = [answer for answer, _ in parts]
    doubtful = [answer.seeds for answer in answers if answer.reply == "open" and answer.seeds]
    if all(answer.reply == "yes" for answer in answers):
        verdict = "reproduced"
    elif not any(answer.reply == "no" for answer in answers):
        verdict = "undecided"
    elif all(sense for _, sense in parts):
        verdict = "direction only"
    else:
        verdict = "contradicted"
    good = "up" if up else "down"
    rows = tuple(answer.row() for answer in answers)
    if len(answers) == 1:
        measured = f"{answers[0].what} {_percent_text(answers[0])}"
    else:
        wrong = [answer for answer in answers if answer.reply == "no"]
        tail = "".join(f"; {answer.what} {_percent_text(answer)}" for answer in wrong[:3])
        measured = f"{sum(answer.reply == 'yes' for answer in answers)} of {len(answers)} variants go {good}{tail}"
    return Judgement(verdict, measured, rows, max(doubtful, default=None) if verdict == "undecided" else None)


def _trend_of(
    data: Data, metric: str, name: str, where: str, line: Sequence[Point], up: bool, slack: float
) -> tuple[_Answer, bool]:
    tables = [data.get(metric, name, [point]) for point in line]
    steps = []
    for first, second, start, end in zip(tables, tables[1:], line, line[1:], strict=False):
        change = ratio(second, first).scaled(100, -100)
        what = f"{name} from {data.label(start)} to {data.label(end)}"
        steps.append(_at_least(change, -slack, where, what) if up else _at_most(change, slack, where, what))
    whole = ratio(tables[-1], tables[0]).scaled(100, -100)
    what = f"{name} from {data.label(line[0])} to {data.label(line[-1])}"
    ends = _at_least(whole, STRICT, where, what) if up else _at_most(whole, -STRICT, where, what)
    sense = whole.low > 0 if up else whole.high < 0
    decided = _every([ends, *steps], where or name)
    return (replace(ends, where=where or name) if decided.reply == "yes" else decided), sense


def _spread(check: Check, data: Data) -> Judgement:
    a, metric = str(check["a"]), str(check["metric"])
    tables = [data.get(metric, a, [point]) for point in data.select(check.get("at") or {})]
    if len(tables) < 2:
        raise _Unmeasured("needs several points to vary over")
    ordered = sorted(tables, key=lambda table: mean(table).mean)
    change = ratio(ordered[-1], ordered[0]).scaled(100, -100)
    answer = _at_least(change, 100 * float(check["min_rel"]), "between the extremes", f"{a} moves by")
    return _shared(check, [answer], "moved")


def _crossover(check: Check, data: Data) -> Judgement:
    a, b, metric = str(check["a"]), str(check["b"]), str(check["metric"])
    answers = []
    for key, first, second in (("a_above", a, b), ("b_above", b, a)):
        for where, points in _groups(check, data, key):
            lead = _lead(data, metric, first, second, points, False)
            answers.append(_at_least(lead, 0.0, where, f"{first} against {second}"))
    return _shared(check, answers, "in the named order")


def _best_set(check: Check, data: Data) -> Judgement:
    param, metric, reference = str(check["param"]), str(check["metric"]), check["reference"]
    index = data.axes.index(param) if param in data.axes else -1
    if index < 0:
        raise _Unmeasured(f"needs a sweep over `{param}`")
    points = data.select(check.get("at") or {})
    names = [name for name in data.variants if name not in check.get("exclude", [])]

    def over_all(value: Any) -> dict[int, float]:
        chosen = [point for point in points if point[index] == value]
        tables = [data.get(metric, name, chosen) for name in names]
        seeds = set(tables[0]).intersection(*tables[1:])
        return {seed: math.fsum(table[seed] for table in tables) / len(tables) for seed in sorted(seeds)}

    base = over_all(reference)
    answers = [
        _at_least(
            ratio(over_all(value), base).scaled(100, -100), 0.0, f"{param} = {_plain(value)}", "against the reference"
        )
        for value in check["values"]
        if value != reference
    ]
    return _shared(replace(check, fields={**check.fields, "share": check["min_share"]}), answers, "above the reference")


def _argmax(check: Check, data: Data) -> Judgement:
    param, metric = str(check["param"]), str(check["metric"])
    answers = []
    for name in check["among"]:
        for where, line in _lines(check, data, param):
            index = data.axes.index(param)
            tables = {point[index]: data.get(metric, name, [point]) for point in line}
            for key in ("argmax", "argmin"):
                wanted = check.get(key)
                if wanted is None:
                    continue
                if wanted not in tables:
                    raise _Unmeasured(f"needs `{param}` at {_plain(wanted)}")
                leads = []
                for value, table in tables.items():
                    if value != wanted:
                        first, second = (tables[wanted], table) if key == "argmax" else (table, tables[wanted])
                        lead = ratio(first, second).scaled(100, -100)
                        leads.append(
                            _at_least(lead, 0.0, where or name, f"{name}: {_plain(wanted)} against {_plain(value)}")
                        )
                answers.append(_every(leads, f"{name} {where}".strip()))
    return _shared(check, answers, "at its extreme")


# ---- other experiments, and no runs at all ----


def _cross(check: Check, data: Data, others: Others, limits: Limits | None) -> Judgement:
    if check.get("largest_of"):
        raise _Unmeasured(f"needs the same comparison in {', '.join(check['largest_of'])}")
    first, second = _other(check["a_from"], data, others), _other(check["b_from"], data, others)
    pairs = list(zip(_listed(check["a"]), _listed(check["b"]), strict=True))
    metric, relation = str(check["metric"]), str(check["relation"])
    for source, names in ((first, [a for a, _ in pairs]), (second, [b for _, b in pairs])):
        _require(Check("cross", {"metric": metric, "among": names}), source)
    points_a, points_b = _matched(check, first, second)
    answers = []
    parts: list[Judgement] = []
    for a, b in pairs:
        one, two = first.get(metric, a, points_a), second.get(metric, b, points_b)
        what = f"{a} in {_short(first)} against {b} in {_short(second)}"
        where = f"mean over {len(points_a)} points" if len(points_a) > 1 else first.label(points_a[0])
        change = ratio(one, two).scaled(100, -100)
        if relation == "gain":
            low, high = (float(edge) for edge in check.get("percent_range", [check.get("percent")] * 2))
            tolerance = float(check["tolerance_pp"])
            verdict, seeds = _in_band(change, low - tolerance, high + tolerance, tolerance, 1 if low > 0 else -1)
            answer = _Answer("yes" if verdict == "reproduced" else "no", where, what, change, "%", seeds)
            parts.append(Judgement(verdict, f"{what} {_percent_text(answer)}", (answer.row(),), seeds))
        elif relation == "close":
            answers.append(_alike(first, metric, [(a, f"{b} there", one, two)], float(check["within_rel"]), where))
        else:
            signed = derived(metric)
            number, unit = (_difference(one, two), "points") if signed else (change, "%")
            slack = 0.0 if signed else 100 * float(check.get("slack_rel", 0.0))
            if not relation.endswith("=") and slack == 0.0:
                slack = -STRICT
            above = relation.startswith(">")
            answers.append(
                _at_least(number, -slack, where, what, unit) if above else _at_most(number, slack, where, what, unit)
            )
    return _all_parts(parts) if parts else _shared(check, answers, "as claimed")


def _ratio(check: Check, data: Data, others: Others, limits: Limits | None) -> Judgement:
    first, second = _other(check["a_from"], data, others), _other(check["b_from"], data, others)
    names = [name for name in first.variants if name in second.variants]
    metric = str(check["metric"])
    one = _over_variants(first, metric, names)
    two = _over_variants(second, metric, names)
    quotient = ratio(one, two)
    if quotient.n == 0:
        raise _Unmeasured(f"needs `{metric}` of both experiments")
    wanted = float(check["ratio"])
    tolerance = wanted * float(check["tolerance_rel"])
    verdict, seeds = _in_band(quotient, wanted - tolerance, wanted + tolerance, tolerance, 0)
    answer = _Answer("yes" if verdict == "reproduced" else "no", "all points", "ratio", quotient, "", seeds)
    return Judgement(verdict, f"ratio {_interval_text(answer)}", (answer.row(),), seeds)


def _over_variants(data: Data, metric: str, names: Sequence[str]) -> dict[int, float]:
    tables = [data.get(metric, name, data.points) for name in names]
    seeds = set(tables[0]).intersection(*tables[1:]) if tables else set()
    return {seed: math.fsum(table[seed] for table in tables) / len(tables) for seed in sorted(seeds)}


def _other(name: str, data: Data, others: Others) -> Data:
    found = data if name == data.experiment else others(name)
    if found is None:
        raise _Unmeasured(f"needs the runs of {name}")
    return found


def _short(data: Data) -> str:
    return data.experiment.rsplit("/", 1)[-1]


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _matched(check: Check, first: Data, second: Data) -> tuple[list[Point], list[Point]]:
    """Points of both experiments that are compared: the selected ones that both have."""
    points_a = first.select(check.get("at_a") or check.get("at") or {})
    points_b = second.select(check.get("at_b") or check.get("at") or {})
    if first.axes == second.axes and not check.get("at_a"):
        common = set(points_a) & set(points_b)
        points_a = [point for point in points_a if point in common]
        points_b = [point for point in points_b if point in common]
    if not points_a or not points_b:
        raise _Unmeasured("needs points that both experiments have")
    return points_a, points_b


def _arith(check: Check) -> Judgement:
    """The paper's own numbers put together; no run. It agrees with itself, or it does not."""
    computed, stated = _evaluate(str(check["expr"])), float(check["stated"])
    agrees = abs(computed - stated) <= float(check.get("tolerance", 0.0))
    verdict = "reproduced" if agrees else "contradicted"
    return Judgement(
        verdict, f"{check['expr']} = {computed:.4g}, printed {stated:g} (arithmetic on printed numbers, no run)"
    )


def _evaluate(text: str) -> float:
    """Value of an arithmetic expression of numbers, lists, ``len``, ``sum``, ``min``, ``max`` and ``sqrt``."""
    functions: dict[str, Callable[..., Any]] = {"len": len, "sum": sum, "min": min, "max": max, "sqrt": math.sqrt}
    operators: dict[type, Callable[[Any, Any], Any]] = {
        ast.Add: lambda x, y: x + y,
        ast.Sub: lambda x, y: x - y,
        ast.Mult: lambda x, y: x * y,
        ast.Div: lambda x, y: x / y,
        ast.Pow: lambda x, y: x**y,
    }

    def walk(node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return [walk(item) for item in node.elts]
        if isinstance(node, ast.BinOp) and type(node.op) in operators:
            return operators[type(node.op)](walk(node.left), walk(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -walk(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            return functions[node.func.id](*[walk(item) for item in node.args])
        raise _Unmeasured(f"needs an evaluator for `{text}`")

    try:
        return float(walk(ast.parse(text, mode="eval").body))
    except (SyntaxError, TypeError, ZeroDivisionError):
        raise _Unmeasured(f"needs an evaluator for `{text}`") from None


_NEEDS = {
    "trace": "needs a time trace of the sender's window, which this version does not judge",
    "table": "needs the paper's table cell by cell, which this version does not judge",
    "same-table": "needs two of the paper's tables side by side, which this version does not judge",
    "same-order": "needs the order of the variants in two experiments, which this version does not judge",
    "invariant": "needs a log of every decision of the sender, which this version does not judge",
}
_WITH_LIMITS: dict[str, Callable[[Check, Data, Limits | None], Judgement]] = {
    "gain": _gain,
    "gain-band": _gain_band,
    "reduction": _gain,
    "value": _value,
}
_CROSS: dict[str, Callable[[Check, Data, Others, Limits | None], Judgement]] = {"cross": _cross, "ratio": _ratio}
_KINDS: dict[str, Callable[[Check, Data], Judgement]] = {
    "argmax": _argmax,
    "best-set": _best_set,
    "bound": _bound,
    "close": _close,
    "crossover": _crossover,
    "differs": _differs,
    "not-below": _not_below,
    "order": _order,
    "rank": _rank,
    "same-across": _same_across,
    "spread": _spread,
    "trend": _trend,
}
KINDS_JUDGED = frozenset({"arith", *_CROSS, *_KINDS, *_WITH_LIMITS})
"""Kinds of check that are judged."""

KINDS_NOT_JUDGED = frozenset(_NEEDS)
"""Kinds of check that end as not measurable, with the reason."""
