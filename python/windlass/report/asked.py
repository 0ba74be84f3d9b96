"""What a check asks of the runs, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from windlass.ledger import Check
from windlass.report.language import METRICS
from windlass.verdicts.likeness import bounds
from windlass.verdicts.words import place, plain

__all__ = ["asked_words", "parts_words"]

Words = Callable[[Check], Iterator[str]]


def asked_words(check: Check) -> str:
    """What a check asks, with what it allows; without the other parts of the claim."""
    rule = _OF_KIND.get(check.kind)
    words = [] if rule is None else [part for part in rule(check) if part]
    if check.get("negate"):
        words[:1] = [f"not {word}" for word in words[:1]]
    share = check.get("share")
    if share is not None and share < 1:
        words.append(f"at {100 * share:g} % of the points")
    return ", ".join(words)


def parts_words(check: Check) -> list[str]:
    """What each part of a claim asks: of which metric, where it is not that of all, and at which points."""
    parts = [check, *check.also]
    metrics = {str(part.get("metric", "")) for part in parts}
    found = []
    for part in parts:
        metric = str(part.get("metric", ""))
        name = METRICS.get(metric, (metric.replace("-", " "), ""))[0] if len(metrics) > 1 and metric else ""
        at = place((part.get("at") or {}).items())
        words = asked_words(part) + (f", at {at}" if at else "")
        found.append(f"{name}: {words}" if name else words)
    return found


def _percent(value: object) -> str:
    return f"{100 * float(str(value)):g} %"


def _each(check: Check) -> str:
    """The values of a parameter that a check names, one by one."""
    first, *rest = check["values"]
    return ", ".join([place([(check["param"], first)]), *map(plain, rest)])


def _names(check: Check, key: str = "a") -> str:
    """Variants that a check names, as a list in words; they get their own names later."""
    given = check.get(key, [])
    names = [str(name) for name in ([given] if isinstance(given, str) else given)]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}" if names else ""


def _gain(check: Check) -> Iterator[str]:
    kind = "reduction" if check.kind == "reduction" else "gain"
    yield f"{kind} of {check['a']} over {_names(check, 'b')}"
    yield f"{'at least ' if check.get('at_least') else ''}{check['percent']:g} % ± {check['tolerance_pp']:g} points"
    yield {"best": "at the most favourable point", "mean": "on the mean over points"}.get(check.get("pick"), "")


def _gain_band(check: Check) -> Iterator[str]:
    low, high = check["percent_range"]
    yield f"gain of {check['a']} over {_names(check, 'b')}"
    yield f"{low:g} to {high:g} %, widened by {check['tolerance_pp']:g} points"


def _number(check: Check) -> Iterator[str]:
    wanted, unit = check.get("value", check.get("ratio")), check.get("unit", "")
    of = f"{_names(check)}: " if check.kind == "value" else "lower by " if check.kind == "drop" else ""
    yield f"{of}{wanted:g} {unit} ± {_percent(check['tolerance_rel'])}".replace("  ", " ")


def _rank(check: Check) -> Iterator[str]:
    yield f"{check['a']} in position {check['position']} of {len(check['among'])}"
    if check["tie_rel"]:
        yield f"ties within {_percent(check['tie_rel'])} in its favour"
    if check.get("min_margin_rel"):
        yield f"a lead of at least {_percent(check['min_margin_rel'])}"


def _close(check: Check) -> Iterator[str]:
    yield f"largest and smallest within {_percent(check['within_rel'])} of the larger"
    if check.get("some_differ_rel"):
        yield f"and further apart than {_percent(check['some_differ_rel'])} at some point"


def _same_across(check: Check) -> Iterator[str]:
    yield f"each within {_percent(check['within_rel'])} at {_each(check)}"


def _trend(check: Check) -> Iterator[str]:
    yield f"{_names(check, 'among')} {check['direction'].replace('-', ' ')}, steps against it up to {_percent(check['slack_rel'])}"


def _order(check: Check) -> Iterator[str]:
    groups = check.get("groups")
    first = ", then ".join(" and ".join(group) for group in groups or [[name] for name in check["best_first"]])
    yield f"{'lowest' if check.get('lower_is_better') else 'highest'} first: {first}"
    yield f"Kendall's tau at least {check['min_tau']:g}, ties within {_percent(check['tie_rel'])}"


def _same_order(check: Check) -> Iterator[str]:
    yield f"the same order in both, Kendall's tau at least {check['min_tau']:g}"


def _cross(check: Check) -> Iterator[str]:
    if check.get("largest_of"):
        yield f"{check['a']} further above {check['b']} than anywhere else"
        return
    relation = {"<": "below", ">": "above", ">=": "not below", "close": "close to", "gain": "over"}[check["relation"]]
    same = check["a_from"] == check["b_from"]
    ends = [
        f"at {place(check[f'at_{key}'].items())}"
        if same and check.get(f"at_{key}")
        else f"in {check[f'{key}_from'].rpartition('/')[2]}"
        for key in ("a", "b")
    ]
    sides = [f"{_names(check, key)} {end}" for key, end in zip(("a", "b"), ends, strict=True)]
    yield f" {relation} ".join(sides)
    if check.get("slack_rel", 0.0) < 0.0:
        yield f"by at least {_percent(-check['slack_rel'])}"
    if check.get("percent") is not None:
        yield f"{check['percent']:g} % ± {check['tolerance_pp']:g} points"
    elif check.get("percent_range"):
        low, high = check["percent_range"]
        yield f"{low:g} to {high:g} %, widened by {check['tolerance_pp']:g} points"
    elif check["relation"] == "close":
        yield f"within {_percent(check['within_rel'])} of the larger"


def _arith(check: Check) -> Iterator[str]:
    words = f'"{check["words"]}", taken for' if check.get("words") else "printed"
    yield f"{words} {check['stated']:g}, ± {check.get('tolerance', 0):g}"


def _bound(check: Check) -> Iterator[str]:
    low, high = bounds(check)
    if low is not None and low == high:
        yield f"{_names(check, 'among')}: exactly {low:g}"
        return
    ends = " and ".join(
        f"{words} {edge:g}" for words, edge in (("at least", low), ("at most", high)) if edge is not None
    )
    printed = [float(edge) for edge in (check.get("min"), check.get("max")) if edge is not None]
    widened = [edge for edge in (low, high) if edge is not None] != printed
    yield f"{_names(check, 'among')}: {ends}"
    if widened:
        yield f"printed {plain(printed)}, widened by our slack"


def _differs(check: Check) -> Iterator[str]:
    yield f"{check['a']} at least {_percent(check['min_rel'])} from the mean of the others"


def _not_below(check: Check) -> Iterator[str]:
    slack = check.get("slack_abs")
    allowed = f"{slack:g}" if slack is not None else _percent(check.get("slack_rel", 0.0))
    yield f"{check['a']} not below {check['b']}" + ("" if allowed == "0 %" else f" by more than {allowed}")


def _crossover(check: Check) -> Iterator[str]:
    for key, first, second in (("a_above", "a", "b"), ("b_above", "b", "a")):
        at = place((check.get(key) or {}).items())
        yield f"{check[first]} above {check[second]} at {at}" if at else ""


def _best_set(check: Check) -> Iterator[str]:
    reference = place([(check["param"], check["reference"])])
    yield f"more than with {reference} at {_percent(check['min_share'])} of these: {_each(check)}"


def _argmax(check: Check) -> Iterator[str]:
    for key, word in (("argmax", "largest"), ("argmin", "smallest")):
        if check.get(key) is not None:
            yield f"{_names(check, 'among')}: {word} at {place([(check['param'], check[key])])}"


def _spread(check: Check) -> Iterator[str]:
    yield f"{check['a']} at least {_percent(check['min_rel'])} more at its largest point than at its least"


def _table(check: Check) -> Iterator[str]:
    least = f", or {check['tolerance_abs']:g} if that is more" if check.get("tolerance_abs") else ""
    yield f"each printed number ± {_percent(check['tolerance_rel'])}{least}" if check.get("tolerance_rel") else ""


def _same_table(check: Check) -> Iterator[str]:
    yield f"both tables {'equal' if check.get('expected', True) else 'not equal'}, cell by cell"


def _trace(check: Check) -> Iterator[str]:
    if check.get("measurable") is not False:
        yield f"{check.get('detail', check['event'])}, in more than half of the runs"


def _invariant(check: Check) -> Iterator[str]:
    yield "at every loss to which it applies"


_OF_KIND: dict[str, Words] = {
    "argmax": _argmax,
    "arith": _arith,
    "best-set": _best_set,
    "bound": _bound,
    "close": _close,
    "cross": _cross,
    "crossover": _crossover,
    "differs": _differs,
    "drop": _number,
    "gain": _gain,
    "gain-band": _gain_band,
    "invariant": _invariant,
    "not-below": _not_below,
    "order": _order,
    "rank": _rank,
    "ratio": _number,
    "reduction": _gain,
    "same-across": _same_across,
    "same-order": _same_order,
    "same-table": _same_table,
    "spread": _spread,
    "table": _table,
    "trace": _trace,
    "trend": _trend,
    "value": _number,
}
