"""What claims need beside their own experiment."""

from __future__ import annotations

from collections.abc import Iterable

from windlass.experiments.needs import lacking
from windlass.ledger import Claim, Experiment, Ledger
from windlass.ledger.model import plain_name
from windlass.verdicts.derived import derived

_ELSEWHERE = ("cross", "ratio", "drop", "arith", "table", "same-table", "same-order")
"""Kinds of check that name the experiments that they compare, or need none."""


def partners(ledger: Ledger, claims: Iterable[Claim], experiment: Experiment) -> dict[str, set[str]]:
    """Other experiments that the claims compare with, and the variants that are needed of them."""
    needed: dict[str, set[str]] = {}
    for claim in claims:
        for check in (claim.check, *claim.check.also):
            several = check.get("of") or ([] if check.kind in _ELSEWHERE else experiment.covers)
            for other in several:
                entry = ledger.experiments[other]
                if other != experiment.id and not lacking(ledger, entry, entry.variants):
                    needed.setdefault(other, set()).update(entry.variants)
            if check.kind == "same-order":
                for other in (check["experiment_a"], check["experiment_b"]):
                    if other != experiment.id:
                        needed.setdefault(other, set()).update(ledger.experiments[other].variants)
            if check.kind not in ("cross", "ratio", "drop"):
                continue
            compared = [("a", check["a_from"]), ("b", check["b_from"])]
            compared += [("a", name) for name in check.get("largest_of", ())]
            compared += [("b", name) for name in check.get("against", ())]
            for side, other in compared:
                if isinstance(other, str) and other != experiment.id:
                    if check.kind != "cross":
                        names = list(ledger.experiments[other].variants)
                    else:
                        names = [check[side]] if isinstance(check[side], str) else list(check[side])
                    wanted = needed.setdefault(other, set())
                    wanted.update(plain_name(name) for name in names)
                    if derived(str(check["metric"])):
                        wanted.update(ledger.experiments[other].variants)
    return needed
