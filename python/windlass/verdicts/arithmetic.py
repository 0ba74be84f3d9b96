"""The paper's own numbers put together, without a run."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from typing import Any

from windlass.ledger import Check
from windlass.verdicts.data import Unmeasured
from windlass.verdicts.judgement import Judgement

_LENGTH = re.compile(r"len\(\[([^]]*)\]\)")


def arith(check: Check) -> Judgement:
    """The paper's own numbers put together; no run. It agrees with itself, or it does not."""
    computed, stated = _evaluate(str(check["expr"])), float(check["stated"])
    agrees = abs(computed - stated) <= float(check.get("tolerance", 0.0))
    verdict = "reproduced" if agrees else "contradicted"
    unit = f" {check['unit']}" if check.get("unit") else ""
    beside = f'the text says "{check["words"]}"' if check.get("words") else f"printed {stated:g}{unit}"
    shown = _LENGTH.sub(_count, str(check["expr"]))
    return Judgement(verdict, f"{shown} = {computed:.4g}{unit}, {beside} (arithmetic on printed numbers, no run)")


def _count(found: re.Match[str]) -> str:
    """A length in words."""
    return f"the count of {', '.join(one.strip() for one in found[1].split(','))}"


def _evaluate(text: str) -> float:
    """Value of an arithmetic expression of numbers, lists, ``len``, ``sum``, ``min``, ``max``, ``sqrt``, ``log2``
    and ``floor``.
    """
    functions: dict[str, Callable[..., Any]] = {"len": len, "sum": sum, "min": min, "max": max}
    functions |= {"sqrt": math.sqrt, "log2": math.log2, "floor": math.floor}
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
        raise Unmeasured(f"needs an evaluator for `{text}`")

    try:
        return float(walk(ast.parse(text, mode="eval").body))
    except (SyntaxError, TypeError, ZeroDivisionError):
        raise Unmeasured(f"needs an evaluator for `{text}`") from None
