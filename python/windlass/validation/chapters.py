"""Chapters of ``docs/validation.md`` that are written on their own."""

from __future__ import annotations

import re
from pathlib import Path

from windlass._markdown import fill
from windlass.files import write_file

PAGE = Path("docs/validation.md")
"""The page, from the root of the source tree."""


def chapter_of(text: str, head: str) -> str:
    """A chapter of a page, from its head to the next one; empty if there is none."""
    found = re.search(rf"^{re.escape(head)}\n.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def replace_chapter(text: str, head: str, lines: list[str]) -> str:
    """The page with a new chapter in the place of the old one, or at its end."""
    new = fill("\n".join(lines).rstrip() + "\n")
    old = chapter_of(text, head)
    if old:
        before, _, after = text.partition(old)
        return before + new + (f"\n{after}" if after else "")
    return f"{text.rstrip()}\n\n{new}" if text else new


def write_chapter(head: str, lines: list[str]) -> None:
    """Write a chapter into the page."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    write_file(PAGE, replace_chapter(text, head, lines))
