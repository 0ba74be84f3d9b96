"""What of a Python file is in the engine's version, and what is not."""

from __future__ import annotations

import pytest

from windlass.fingerprint import fingerprint

CODE = '''
"""What it is."""
import math

KEPT = 0.5
"""What it keeps."""


def kept(window: float, *, share=KEPT) -> float:
    """What is kept."""
    if window > 1:
        return math.floor(window * share)
    return f"{window:.3f} # no comment"
'''

LAYOUT = """# A file.

import math
KEPT = (0.5)  # half
def kept(
    window: float,
    *,
    share=KEPT,
) -> float:
    # or less
    if window > 1: return math.floor(
        window*share)
    "so much"
    return f"{window:.3f} # no comment"
"""


def test_comments_docstrings_and_layout_do_not_count() -> None:
    assert (
        fingerprint(LAYOUT.encode()) == fingerprint(CODE.encode()) == fingerprint(CODE.replace("\n", "\r\n").encode())
    )


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("0.5", "0.7"),
        ("0.5", "'0.5'"),
        ("0.5", "None"),
        ("window > 1", "window >= 1"),
        ("window > 1", "window > 1.0"),
        ("window > 1", "window > True"),
        ("share=KEPT", "kept=KEPT"),
        ("*, ", ""),
        ("window * share", "share * window"),
        ("import math", "import cmath as math"),
        ("import math", "from . import math"),
        (".3f}", ".4f}"),
        ("# no comment", "# a comment"),
        ("    return f", "        return f"),
        ("return f", "f"),
        ("def ", "async def "),
    ],
)
def test_all_else_counts(was: str, now: str) -> None:
    assert was in CODE
    assert fingerprint(CODE.replace(was, now).encode()) != fingerprint(CODE.encode())


def test_docstrings_count_if_they_shall() -> None:
    other = CODE.replace("What is kept", "What remains")
    assert fingerprint(other.encode()) == fingerprint(CODE.encode())
    assert fingerprint(other.encode(), docstrings=True) != fingerprint(CODE.encode(), docstrings=True)
    comment = CODE + "# the end\n"
    assert fingerprint(comment.encode(), docstrings=True) == fingerprint(CODE.encode(), docstrings=True)


@pytest.mark.parametrize("text", ["def f(:\n", "x = 1\0\n", "(" * 500 + ")" * 500, "x = " + "-" * 5000 + "1"])
def test_of_what_is_not_python_the_text_counts(text: str) -> None:
    assert fingerprint(text.encode()) != fingerprint(f"{text}# more\n".encode())
    assert fingerprint(f"{text}\n".encode()) == fingerprint(f"{text}\r\n".encode())


def test_how_a_file_is_stored_does_not_count() -> None:
    assert fingerprint("x = 'é'\n".encode()) == fingerprint("# coding: latin-1\nx = 'é'\n".encode("latin-1"))
