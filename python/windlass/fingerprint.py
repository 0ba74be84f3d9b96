"""What of a Python file can change what it does, as a hash: comments and layout cannot."""

from __future__ import annotations

import ast
import hashlib

__all__ = ["fingerprint"]


def fingerprint(text: bytes, *, docstrings: bool = False) -> bytes:
    """A hash of a file's code.

    Parameters
    ----------
    text : bytes
        The file. If it is not Python, all of it counts, but for the kind of its line ends.
    docstrings : bool
        Whether strings that are statements of their own count.

    Returns
    -------
    bytes
        Equal for files that differ in comments, blank lines and layout only, also in different versions of Python.
    """
    words: list[str] = []
    try:
        _add(ast.parse(text), docstrings, words)
        data = "\n".join(words).encode("utf-8", "surrogatepass")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        data = b"as it is\n" + text.replace(b"\r\n", b"\n")
    return hashlib.sha256(data).digest()


def _add(node: ast.AST, docstrings: bool, words: list[str]) -> None:
    """The tree below a node, without what is empty in it: what a version of Python adds is empty in older files."""
    words.append(f"({type(node).__name__}")
    for name, value in ast.iter_fields(node):
        if value == [] or (value is None and not isinstance(node, ast.Constant)):
            continue
        words.append(f".{name}")
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, ast.AST):
                words.append(repr(item))
            elif docstrings or not _is_string(item):
                _add(item, docstrings, words)
    words.append(")")


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
