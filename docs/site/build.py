"""Builds the documentation as a site: ``python docs/site/build.py target/site``.

The pages are the Markdown files of the repository, as they are. They are copied to one folder, since some lie outside
``docs``; links between them follow, and a link to a file that is no page becomes the file's name. Sphinx does the rest:
layout, search, the reference of the Python package from its docstrings and that of the command from its options.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"
ELSEWHERE = {
    "README.md": "tour.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "python/windlass/papers/README.md": "ledger.md",
}
"""Pages outside ``docs`` and ``specs``, and their names in the site."""

LINK = re.compile(
    r"(?P<image>!?)\[(?P<text>(?:[^\[\]`]|`[^`]*`|\[[^\]]*\])*)\]\((?P<target>[^)#\s]*)(?P<anchor>#[^)\s]*)?\)"
)
CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def pages() -> dict[str, str]:
    """Files of the repository that are in the site, with their places in it."""
    found = dict(ELSEWHERE)
    for folder, prefix in (("docs", ""), ("specs", "specs/")):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in (".md", ".png", ".svg") and SITE not in file.parents:
                found[file.relative_to(ROOT).as_posix()] = prefix + file.relative_to(ROOT / folder).as_posix()
    return found


def linked(text: str, file: str, places: dict[str, str]) -> str:
    """The text of a file with its links as they are in the site.

    Raises
    ------
    ValueError
        If a link leads to no file.
    """

    def link(match: re.Match[str]) -> str:
        target, anchor = match["target"], match["anchor"] or ""
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(file), target))
        if meant in places:
            there = posixpath.relpath(places[meant], posixpath.dirname(places[file]) or ".")
            return f"{match['image']}[{match['text']}]({there}{anchor})"
        if not (ROOT / meant).exists():
            raise ValueError(f"{file}: there is no `{target}`")
        return match["text"]

    kept: list[str] = []  # what is code is no link
    parts = [LINK.sub(link, part) for part in CODE.split(text)]
    for part, code in zip(parts, [*CODE.findall(text), ""], strict=True):
        kept += (part, code)
    return "".join(kept)


def sources() -> Iterator[tuple[str, bytes]]:
    """Every file of the site before Sphinx: its place and content."""
    places = pages()
    for file, place in places.items():
        content = (ROOT / file).read_bytes()
        if place.endswith(".md"):
            text = linked(content.decode(), file, places)
            below = f"{posixpath.dirname(place)}/*/README.md"
            if place.endswith("/README.md") and any(fnmatch(other, below) for other in places.values()):
                text += "\n```{toctree}\n:hidden:\n:glob:\n\n*/README\n```\n"
            content = text.encode()
        yield place, content
    for path in sorted(SITE.rglob("*")):
        if path.is_file() and path.suffix != ".pyc" and path.name != "build.py":
            yield path.relative_to(SITE).as_posix(), path.read_bytes()


def gather(folder: Path) -> None:
    """Write the sources; what did not change is left alone, so that it is not built again."""
    written = set()
    for place, content in sources():
        file = folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.is_file() or file.read_bytes() != content:
            file.write_bytes(content)
        written.add(file)
    for file in folder.rglob("*"):
        if file.is_file() and file not in written:
            file.unlink()


def main(out: Path) -> int:
    """Build the site; warnings are errors."""
    from sphinx.cmd.build import main as sphinx

    source = out.with_name(f"{out.name}-source")
    gather(source)
    shutil.rmtree(out, ignore_errors=True)
    # matplotlib and Sphinx keep dates out of what they write if this is set
    os.environ.setdefault("SOURCE_DATE_EPOCH", "0")
    doctrees = out.with_name(f"{out.name}-doctrees")
    words = ["-q", "-W", "--keep-going", "-b", "html", "-j", "1", "-d", str(doctrees), str(source), str(out)]
    return sphinx(words)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
