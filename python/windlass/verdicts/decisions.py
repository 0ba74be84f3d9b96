"""Rules that must hold at every decision of a sender: what it did with its window at each loss."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from windlass.ledger import Check
from windlass.verdicts.data import Data, Unmeasured
from windlass.verdicts.judgement import Judgement

Decision = Mapping[str, float]
"""Numbers at one loss, by name."""

UNITS = {
    **dict.fromkeys(("cwnd", "loss_window", "ssthresh", "native", "advanced"), "segments"),
    **dict.fromkeys(("time_s", "rtt", "rtt_min", "rtt_max"), "s"),
    **dict.fromkeys(("growth", "growth_before"), "segments/s"),
}
"""Units of these numbers; the others are counts, or 0 and 1."""


def invariant(check: Check, data: Data) -> Judgement:
    """``expr`` is true at every decision of ``variant``; numbers are equal within ``tolerance``.

    A rule ``implies(a, b)`` says nothing where ``a`` is false. If it is false everywhere, nothing was measured.
    """
    name, text = str(check["variant"]), str(check["expr"])
    runs = [one for (variant, _), many in data.decisions.items() if variant == name for one in many]
    decisions = [decision for run in runs for decision in run]
    if not decisions:
        raise Unmeasured(f"needs decisions of {name}")
    tree = ast.parse(text, mode="eval").body
    tolerance = float(check.get("tolerance", 0.0))
    asked = [(decision, Rule(decision, tolerance)) for decision in decisions]
    held = [rule.holds(tree) for _, rule in asked]
    exercised = [rule.exercised for _, rule in asked]
    if not any(exercised):
        raise Unmeasured(f"needs a loss to which it applies; there was none among {len(decisions)}")
    count, good = sum(exercised), sum(one for one, used in zip(held, exercised, strict=True) if used)
    measured = f"holds at {good} of {count} losses to which it applies"
    wrong = next((decision for (decision, _), one in zip(asked, held, strict=True) if not one), None)
    if wrong is None:
        return Judgement("reproduced", measured)
    names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in wrong})
    values = ", ".join(f"{key} = {wrong[key]:.4g} {UNITS.get(key, '')}".rstrip() for key in names)
    return Judgement("contradicted", f"{measured}; not at {wrong['time_s']:.2f} s, where {values}")


class Rule:
    """A rule at one decision; ``exercised`` tells whether it said anything there."""

    def __init__(self, decision: Decision, tolerance: float) -> None:
        self.decision = decision
        self.tolerance = tolerance
        self.exercised = False

    def holds(self, node: ast.expr) -> bool:
        """Whether a logical expression is true."""
        if isinstance(node, ast.BoolOp):
            found = [self.holds(part) for part in node.values]
            return all(found) if isinstance(node.op, ast.And) else any(found)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self.holds(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "implies":
            first, second = node.args
            before = self.exercised
            if not self.holds(first):
                self.exercised = before
                return True
            self.exercised = True
            return self.holds(second)
        if isinstance(node, ast.Compare):
            self.exercised = True
            values = [self._number(one) for one in (node.left, *node.comparators)]
            return all(self._compared(op, *pair) for op, pair in zip(node.ops, pairwise(values), strict=True))
        raise Unmeasured(f"needs an evaluator for `{ast.unparse(node)}`")

    def _compared(self, op: ast.cmpop, left: float, right: float) -> bool:
        if isinstance(op, ast.Eq):
            return abs(left - right) <= self.tolerance
        if isinstance(op, (ast.LtE, ast.GtE)):
            slack = self.tolerance if isinstance(op, ast.LtE) else -self.tolerance
            return _ORDER[type(op)](left, right + slack)
        return _ORDER[type(op)](left, right)

    def _number(self, node: ast.expr) -> float:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return float(node.value)
        if isinstance(node, ast.Name) and node.id in self.decision:
            return self.decision[node.id]
        raise Unmeasured(f"needs `{ast.unparse(node)}` at each loss")


_ORDER: dict[type[Any], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.NotEq: operator.ne,
}
