"""Filling of paragraphs in Markdown pages that are generated."""

from __future__ import annotations

import re
import textwrap

__all__ = ["WIDTH", "fill"]

WIDTH = 120
"""Columns of a line."""

_AS_IT_IS = re.compile(r"\||#|```|<!--")
_ITEM = re.compile(r"- |\d+\. ")
_LIKE_MARKUP = re.compile(r" (?=(?:[-+*>=#]+|\d+[.)]) )")
_GLUE = "\0"


def fill(page: str) -> str:
    """The page with its paragraphs and list items filled; tables, headings, fenced code and comments as they are."""
    lines: list[str] = []
    paragraph: list[str] = []
    fenced = False
    for line in [*page.splitlines(), ""]:
        kept = fenced or not line or _AS_IT_IS.match(line) is not None
        if paragraph and (kept or _ITEM.match(line)):
            lines += _filled(" ".join(paragraph))
            paragraph = []
        if kept:
            lines.append(line)
        else:
            paragraph.append(line.strip())
        fenced ^= line.startswith("```")
    return "\n".join(lines)


def _filled(text: str) -> list[str]:
    """Lines of one paragraph or item; none begins with what Markdown would take for markup."""
    item = _ITEM.match(text)
    indent = " " * len(item[0]) if item else ""
    glued = _LIKE_MARKUP.sub(_GLUE, text)
    lines = textwrap.wrap(glued, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_GLUE, " ") for line in lines]
