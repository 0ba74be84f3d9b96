"""Comparisons with another experiment."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.ledger import Check
from windlass.verdicts.answers import (
    STRICT,
    Answer,
    at_least,
    at_most,
    from_answers,
    interval_text,
    percent_text,
    reply_of,
)
from windlass.verdicts.bands import UNITS, in_band, in_unit_of, of_band
from windlass.verdicts.data import Data, Limits, Others, Point, Unmeasured, require
from windlass.verdicts.derived import in_points, inner
from windlass.verdicts.intervals import Samples, Series, averaged, difference, less, ratio
from windlass.verdicts.judgement import Judgement, all_parts
from windlass.verdicts.likeness import alike
from windlass.verdicts.words import place


def cross(check: Check, data: Data, others: Others, limits: Limits | None) -> Judgement:
    """The same or other algorithms in two experiments: a gain, a likeness, or an order."""
    if check.get("largest_of"):
        return largest(check, data, others)
    first, second = _other(check["a_from"], data, others), _other(check["b_from"], data, others)
    pairs = list(zip(_listed(check["a"]), _listed(check["b"]), strict=True))
    metric, relation = str(check["metric"]), str(check["relation"])
    for source, names in ((first, [a for a, _ in pairs]), (second, [b for _, b in pairs])):
        require(Check("cross", {"metric": metric, "among": names, "pick": "mean"}), source)
    points_a, points_b = _sides(check, metric, first, second)
    answers = []
    parts: list[Judgement] = []
    for a, b in pairs:
        one, two = first.get(metric, a, points_a), second.get(metric, b, points_b)
        what = f"{a} {_end(check, 'a', first)} against {b} {_end(check, 'b', second)}"
        where = f"mean over {len(points_a)} points" if len(points_a) > 1 else first.label(points_a[0])
        change = ratio(one, two).scaled(100, -100)
        if relation == "gain":
            low, high = (float(edge) for edge in check.get("percent_range", [check.get("percent")] * 2))
            tolerance = float(check["tolerance_pp"])
            band = in_band(change, low - tolerance, high + tolerance, tolerance, 1 if low > 0 else -1)
            answer = Answer(reply_of(band.verdict), where, what, change, "%", band.seeds)
            parts.append(of_band(band, f"{what} {percent_text(answer)}", answer))
        elif relation == "close":
            pair = (f"{a} {_end(check, 'a', first)}", f"{b} {_end(check, 'b', second)}", one, two)
            answers.append(alike(first, metric, [pair], float(check["within_rel"]), where))
        else:
            signed = in_points(metric)
            number, unit = (difference(one, two), "points") if signed else (change, "%")
            slack = 0.0 if signed else 100 * float(check.get("slack_rel", 0.0))
            if not relation.endswith("=") and slack == 0.0:
                slack = -STRICT
            above = relation.startswith(">")
            answers.append(
                at_least(number, -slack, where, what, unit) if above else at_most(number, slack, where, what, unit)
            )
    return all_parts(parts) if parts else from_answers(check, answers, "alike" if relation == "close" else "as claimed")


def largest(check: Check, data: Data, others: Others) -> Judgement:
    """Whether ``a`` is further above ``b`` in its two experiments than in each pair of ``largest_of`` and ``against``.

    What is above is the difference of the means over the points.
    """
    metric, own = str(check["metric"]), (check["a_from"], check["b_from"])
    rivals = [pair for pair in zip(check["largest_of"], check["against"], strict=True) if pair != own]
    answers = []
    for rival in rivals:
        ahead = [_ahead(check, _other(one, data, others), _other(two, data, others)) for one, two in (own, rival)]
        number = difference(*ahead)
        where = f"{_name(rival[0])} against {_name(rival[1])}"
        what = f"{check['a']} over {check['b']}, more than in {where} by"
        unit = "points" if in_points(metric) else UNITS.get(metric, "")
        answers.append(at_least(number, STRICT, where, what, unit))
    return from_answers(check, answers, "largest")


def _ahead(check: Check, first: Data, second: Data) -> Series:
    """By how much ``a`` in one experiment is above ``b`` in another, by seed."""
    metric = str(check["metric"])
    for source, name in ((first, check["a"]), (second, check["b"])):
        require(Check("cross", {"metric": metric, "among": [name], "pick": "mean"}), source)
    points_a, points_b = _sides(check, metric, first, second)
    return less(first.get(metric, str(check["a"]), points_a), second.get(metric, str(check["b"]), points_b))


def ratio_of_experiments(check: Check, data: Data, others: Others, limits: Limits | None) -> Judgement:
    """Ratio of two experiments, over all variants that both have and all points."""
    quotient = ratio(*wholes(check, data, others))
    metric = str(check["metric"])
    if quotient.n == 0:
        raise Unmeasured(f"needs `{metric}` of both experiments")
    wanted = float(check["ratio"])
    tolerance = wanted * float(check["tolerance_rel"])
    band = in_band(quotient, wanted - tolerance, wanted + tolerance, tolerance, 0)
    answer = Answer(reply_of(band.verdict), "all points", "ratio", quotient, "", band.seeds)
    return of_band(band, f"ratio {interval_text(answer)}", answer)


def drop_between(check: Check, data: Data, others: Others, limits: Limits | None) -> Judgement:
    """By how much the mean of one experiment is below that of another, over all variants that both have and all
    points.
    """
    metric = str(check["metric"])
    found = difference(*wholes(check, data, others))
    if found.n == 0:
        raise Unmeasured(f"needs `{metric}` of both experiments")
    value = in_unit_of(metric, float(check["value"]), str(check.get("unit", "")))
    tolerance = value * float(check["tolerance_rel"])
    band = in_band(found, value - tolerance, value + tolerance, tolerance, 1 if value > 0 else -1)
    unit = UNITS.get(metric, "")
    answer = Answer(reply_of(band.verdict), "all points", "drop", found, unit, band.seeds)
    return of_band(band, f"lower by {interval_text(answer)}", answer)


def wholes(check: Check, data: Data, others: Others) -> tuple[Samples, Samples]:
    """Means of two experiments by seed, over all variants that both have and all points.

    Raises
    ------
    Unmeasured
        If the runs of one of them are not there.
    """
    first, second = _other(check["a_from"], data, others), _other(check["b_from"], data, others)
    names = [name for name in first.variants if name in second.variants]
    metric = str(check["metric"])
    one = averaged([first.get(metric, name, first.points) for name in names])
    two = averaged([second.get(metric, name, second.points) for name in names])
    return one, two


def _other(name: str, data: Data, others: Others) -> Data:
    found = data if name == data.experiment else others(name)
    if found is None:
        raise Unmeasured(f"needs the runs of {name}")
    return found


def _short(data: Data) -> str:
    return _name(data.experiment)


def _end(check: Check, side: str, data: Data) -> str:
    """Where one of two is: in an experiment, or at points of the one that both are of."""
    at = check.get(f"at_{side}")
    if check["a_from"] == check["b_from"] and at:
        return f"at {place(at.items())}"
    return f"in {_short(data)}"


def _name(experiment: str) -> str:
    return experiment.rsplit("/", 1)[-1]


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _sides(check: Check, metric: str, first: Data, second: Data) -> tuple[list[Point], list[Point]]:
    """Points of both experiments that are compared and at which the metric is defined."""
    points_a, points_b = matched(check, first, second)
    sides = inner(first, metric, points_a), inner(second, metric, points_b)
    if not all(sides):
        raise Unmeasured(f"needs points at which `{metric}` is defined")
    return sides


def matched(check: Check, first: Data, second: Data) -> tuple[list[Point], list[Point]]:
    """Points of both experiments that are compared, side by side where both have the same axes: the selected ones that
    both have.

    Raises
    ------
    Unmeasured
        If there is none.
    """
    points_a = first.select(check.get("at_a") or check.get("at") or {})
    points_b = second.select(check.get("at_b") or check.get("at") or {})
    if first.axes == second.axes and not check.get("at_a"):
        common = set(points_a) & set(points_b)
        points_a = [point for point in points_a if point in common]
        points_b = [point for point in points_b if point in common]
    if not points_a or not points_b:
        raise Unmeasured("needs points that both experiments have")
    return points_a, points_b
