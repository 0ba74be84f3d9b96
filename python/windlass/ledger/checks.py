"""The kinds of check, the fields that each has, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from windlass.ledger.model import Check, Reason
from windlass.ledger.reading import Item, Maybe, anything, fields, listed, name_of, one_or_more, text, word

KINDS: dict[str, frozenset[str]] = {
    "gain": frozenset({"metric", "a", "b", "percent", "tolerance_pp", "pick"}),
    "gain-band": frozenset({"metric", "a", "b", "percent_range", "tolerance_pp", "pick"}),
    "reduction": frozenset({"metric", "a", "b", "percent", "tolerance_pp", "pick"}),
    "ratio": frozenset({"metric", "a_from", "b_from", "ratio", "tolerance_rel"}),
    "drop": frozenset({"metric", "a_from", "b_from", "value", "tolerance_rel"}),
    "value": frozenset({"metric", "a", "value", "tolerance_rel"}),
    "bound": frozenset({"metric", "among"}),
    "not-below": frozenset({"metric", "a", "b"}),
    "order": frozenset({"metric", "best_first", "min_tau", "tie_rel"}),
    "rank": frozenset({"metric", "a", "among", "position", "tie_rel", "share"}),
    "close": frozenset({"metric", "among", "within_rel", "share"}),
    "differs": frozenset({"metric", "a", "among", "min_rel"}),
    "same-across": frozenset({"metric", "among", "param", "values", "within_rel"}),
    "same-order": frozenset({"metric", "experiment_a", "experiment_b", "min_tau"}),
    "trend": frozenset({"metric", "among", "over", "direction", "slack_rel"}),
    "spread": frozenset({"metric", "a", "over", "min_rel"}),
    "cross": frozenset({"metric", "a", "a_from", "b", "b_from", "relation"}),
    "crossover": frozenset({"metric", "a", "b", "a_above", "b_above"}),
    "best-set": frozenset({"metric", "param", "values", "reference", "min_share"}),
    "argmax": frozenset({"metric", "among", "param"}),
    "trace": frozenset({"signal", "a", "event"}),
    "table": frozenset({"table", "tolerance_rel"}),
    "same-table": frozenset({"table", "table_b"}),
    "arith": frozenset({"expr", "stated", "computed", "holds", "unit"}),
    "invariant": frozenset({"expr", "variant"}),
}
"""Kinds of check and the fields that each must have."""

OWNERS = ("paper", "ours")
"""Who allows a tolerance: the paper's own words, or we."""

WORDS = {
    "direction": ("up", "up-then-flat", "down"),
    "pick": ("point", "best", "mean", "every"),
    "relation": ("<", ">", ">=", "close", "gain"),
    "whose": OWNERS,
}
"""Fields that are one of some words."""

MAY: frozenset[str] = frozenset(
    [
        "also",
        "against",
        "alternative",
        "argmax",
        "argmin",
        "at",
        "at_a",
        "at_b",
        "at_least",
        "after_s",
        "avg_over",
        "axes",
        "bin_s",
        "count",
        "detail",
        "dupthresh",
        "duration_s",
        "episodes",
        "except_at",
        "exclude",
        "expected",
        "groups",
        "kept",
        "knee",
        "largest_of",
        "last_at",
        "level_segments",
        "listed_order",
        "lower_is_better",
        "mark",
        "max",
        "measurable",
        "metric",
        "metric_b",
        "min",
        "min_margin_rel",
        "must_hold_at",
        "needs_run",
        "needs_variant",
        "negate",
        "not_in",
        "of",
        "over",
        "percent",
        "percent_range",
        "pick",
        "ratio_tolerance_rel",
        "reductions",
        "retransmitted",
        "saved_rtt",
        "share",
        "slack",
        "slack_abs",
        "slack_rel",
        "some_differ_rel",
        "ties",
        "times_s",
        "tolerance",
        "tolerance_abs",
        "tolerance_pp",
        "tolerance_rel",
        "tolerance_s",
        "unit",
        "units",
        "where",
        "whose",
        "why",
        "within_rel",
        "words",
    ]
)
"""Fields that a check may have beside those of its kind."""


def check(item: Item) -> Check:
    """What must hold."""
    kind = fields(item, {"kind": word(KINDS), **{key: Maybe(anything) for key in item.table() if key != "kind"}})[
        "kind"
    ]
    schema: dict[str, Any] = {"kind": text} | {key: anything for key in sorted(KINDS[kind])}
    schema |= {key: Maybe(anything) for key in sorted(MAY) if key not in schema}
    schema |= {"why": Maybe(name_of("reason"), ""), "where": Maybe(text, ""), "also": Maybe(listed(check), ())}
    for key in ("a_from", "b_from", "experiment_a", "experiment_b", "largest_of", "against", "of"):
        if key in schema:
            reader = one_or_more(name_of("experiment"))
            schema[key] = Maybe(reader) if isinstance(schema[key], Maybe) else reader
    for key, words in WORDS.items():
        if key in schema:
            schema[key] = Maybe(word(words)) if isinstance(schema[key], Maybe) else word(words)
    for key in ("table", "table_b"):
        if key in schema:
            schema[key] = name_of("table")
    fields(item, schema)
    given = item.table()
    own = ("kind", "why", "where", "also", "whose")
    return Check(
        kind=kind,
        fields={key: inner.plain() for key, inner in given.items() if key not in own},
        why=given["why"].value if "why" in given else "",
        where=given["where"].value if "where" in given else "",
        whose=given["whose"].value if "whose" in given else "",
        also=tuple(check(part) for part in given["also"].list()) if "also" in given else (),
    )


def owned(check: Check, reasons: Mapping[str, Reason], whole: str = "ours") -> Check:
    """The check with whose its tolerances are: as it says itself, else as its reason does, else as the ``whole`` of
    which it is a part.
    """
    whose = check.whose or (reasons[check.why].whose if check.why else whole)
    return replace(check, whose=whose, also=tuple(owned(part, reasons, whose) for part in check.also))
