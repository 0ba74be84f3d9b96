"""Assertions of a script: a small part of Python, read as a tree and never executed as code."""

from __future__ import annotations

import ast
import operator
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from windlass.validation.packetdrill.language import Unreadable, Unsupported

CONSTANTS = {
    "TCP_CA_Open": 0,
    "TCP_CA_Disorder": 1,
    "TCP_CA_CWR": 2,
    "TCP_CA_Recovery": 3,
    "TCP_CA_Loss": 4,
    "True": 1,
    "False": 0,
}

_COMPARE: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_OPERATE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


class Failed(Exception):
    """An assertion that does not hold."""


class Names:
    """What names of a script stand for.

    Parameters
    ----------
    line : int
        Where the code stands.
    own : dict
        Names that the script has given; changed by assignments.
    info : mapping of str to number
        What the endpoint tells, names without ``tcpi_``.
    """

    def __init__(self, line: int, own: dict[str, Any], info: Mapping[str, float]) -> None:
        self.line, self.own, self.info = line, own, info

    def __getitem__(self, name: str) -> Any:
        if name in self.own:
            return self.own[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name.startswith("tcpi_"):
            found = self.info.get(name.removeprefix("tcpi_"))
            if found is not None:
                return int(found)
        raise Unsupported(self.line, f"`{name}`, which an endpoint here does not tell")


def check(text: str, names: Names) -> None:
    """Run the statements of a piece of code.

    Parameters
    ----------
    text : str
        Assertions, assignments, prints, one or several lines.
    names : Names
        What names stand for.

    Raises
    ------
    Failed
        If an assertion does not hold, with the value that it compares.
    Unreadable
        If it is no Python.
    Unsupported
        If it uses more of Python than comparisons and arithmetic, or an unknown name.
    """
    try:
        tree = ast.parse(textwrap.dedent(text).strip())
    except SyntaxError as bad:
        raise Unreadable(names.line + (bad.lineno or 1) - 1, f"no Python: {bad.msg}") from None
    for statement in tree.body:
        _run(statement, names)


def _run(statement: ast.stmt, names: Names) -> None:
    match statement:
        case ast.Assert(test=test):
            if not _value(test, names):
                raise Failed(_told(test, names))
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            names.own[name] = _value(value, names)
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if type(op) in _OPERATE:
            names.own[name] = _OPERATE[type(op)](names[name], _value(value, names))
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))) | ast.Pass():
            pass
        case _:
            raise Unsupported(names.line, f"the statement `{ast.unparse(statement)}`")


def _value(tree: ast.expr, names: Names) -> Any:
    match tree:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return names[name]
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARE for op in ops):
            values = [_value(part, names) for part in (left, *others)]
            pairs = zip(ops, values[:-1], values[1:], strict=True)
            return all(_COMPARE[type(op)](a, b) for op, a, b in pairs)
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(part, names) for part in parts)
        case ast.BoolOp(op=ast.Or(), values=parts):
            return any(_value(part, names) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return not _value(part, names)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -_value(part, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATE:
            return _OPERATE[type(op)](_value(left, names), _value(right, names))
        case ast.Call(func=ast.Name(id="abs"), args=[part]):
            return abs(_value(part, names))
    raise Unsupported(names.line, f"the expression `{ast.unparse(tree)}`")


def _told(test: ast.expr, names: Names) -> str:
    """The assertion, and the values of the names in it."""
    used = dict.fromkeys(node.id for node in ast.walk(test) if isinstance(node, ast.Name))
    values = ", ".join(f"{name} is {names[name]}" for name in used if name not in CONSTANTS)
    return f"`{ast.unparse(test)}` does not hold: {values}"
