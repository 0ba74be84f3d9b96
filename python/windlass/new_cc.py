"""A new algorithm in the source tree: its file with tests, its restated source, its module, enum line, row and look."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from pathlib import Path

from windlass.errors import InputError

__all__ = ["Written", "new_cc", "source_tree"]

LIB = "crates/cc/src/lib.rs"
ENUM = "crates/cc/src/algorithm.rs"
ROWS = "crates/cc/src/registry/rows.rs"
PALETTE = "python/windlass/palette.py"

_ROW = """    Row {{
        name: "{name}",
        summary: "Reno with another step up and another step down",
        source: "name it",
        module: "{module}",
        parameters: &[
            number("{prefix}_alpha", [1.0, 0.01, 10.0], "segments", "growth per RTT", "name it"),
            number("{prefix}_beta", [0.5, 0.1, 0.99], "-", "share of the window kept at a loss", "name it"),
        ],
        build: |config| Algorithm::{type}(crate::{module}::{type}::new(config)),
        ..PLAIN
    }},
"""


@dataclass(frozen=True)
class Written:
    """What :func:`new_cc` wrote.

    Attributes
    ----------
    created, changed : list of pathlib.Path
        Relative to the source tree.
    """

    created: list[Path]
    changed: list[Path]


def source_tree(start: Path | None = None) -> Path:
    """The source tree that a folder lies in.

    Parameters
    ----------
    start : pathlib.Path, optional
        The current folder if not given.

    Raises
    ------
    InputError
        If it lies in none.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / LIB).is_file() and (folder / PALETTE).is_file():
            return folder
    raise InputError(
        f"`{here}` is not in Windlass's source tree",
        code="new-cc.tree",
        hint="go into a clone of it, or write a Python class: it needs no source tree",
    )


def new_cc(name: str, root: Path) -> Written:
    """Write a new algorithm that compiles, passes its tests and runs: Reno with two parameters, to be changed.

    Parameters
    ----------
    name : str
        Name in scenarios: small letters, digits and dashes, a letter first.
    root : pathlib.Path
        Source tree.

    Raises
    ------
    InputError
        If the name does not do or is taken, or the tree does not look as expected. Nothing is written then.
    """
    import jinja2

    from windlass import _core

    if keyword.iskeyword(name) or name in _RUST_WORDS:
        raise InputError(
            f"`{name}` does not do as a name: Rust, Python or the crate has it for itself",
            code="new-cc.name",
            hint=f"a longer one does, as in `my-{name}`",
        )
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise InputError(
            f"`{name}` does not do as a name",
            code="new-cc.name",
            hint="small letters, digits and dashes, a letter first, as in `my-reno`",
        )
    module = name.replace("-", "_")
    words = {
        "name": name,
        "module": module,
        "prefix": module,
        "variable": module,
        "title": name,
        "type": "".join(part.capitalize() for part in name.split("-")),
    }
    file, paper = Path(f"crates/cc/src/{module}.rs"), Path(f"specs/papers/{name}.md")
    import json

    known = {label for row in json.loads(_core.algorithms()) for label in (row["name"], *row["aliases"])}
    lib = (root / LIB).read_text(encoding="utf-8")
    variants = (root / ENUM).read_text(encoding="utf-8")
    taken = any((root / path).exists() for path in (file, paper)) or f"mod {module};" in lib
    if name in known or taken or f"\n    {words['type']}(" in variants:
        raise InputError(f"there is a `{name}` already", code="new-cc.name", hint="choose another name")

    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("windlass"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    texts = {
        file: templates.get_template("new_cc.rs.j2").render(words),
        paper: templates.get_template("new_cc.md.j2").render(words),
        Path(LIB): _with_module(lib, module),
        Path(ENUM): _before(
            root,
            ENUM,
            "    /// One from outside this crate.\n",
            "    /// {name}.\n    {type}(crate::{module}::{type}),\n".format(**words),
        ),
        Path(ROWS): _before(root, ROWS, "];\n", _ROW.format(**words)),
        Path(PALETTE): _before(
            root, PALETTE, '}\n"""Looks that are fixed by hand', f'    "{name}": {_spare_look()},\n'
        ),
    }
    for path, text in texts.items():
        (root / path).write_text(text, encoding="utf-8")
    return Written([file, paper], [path for path in texts if path not in (file, paper)])


_RUST_WORDS = frozenset(
    [
        "abstract",
        "as",
        "async",
        "become",
        "box",
        "break",
        "const",
        "continue",
        "crate",
        "do",
        "dyn",
        "else",
        "enum",
        "extern",
        "final",
        "fn",
        "for",
        "if",
        "impl",
        "in",
        "let",
        "loop",
        "macro",
        "match",
        "mod",
        "move",
        "mut",
        "override",
        "priv",
        "pub",
        "ref",
        "return",
        "self",
        "static",
        "struct",
        "super",
        "trait",
        "try",
        "type",
        "typeof",
        "unsafe",
        "unsized",
        "use",
        "virtual",
        "where",
        "while",
        "yield",
        "gen",
        "alloc",
        "core",
        "std",
        "units",
        "ack",
        "bytes",
        "cause",
        "config",
        "congestion",
        "congestion-control",
        "response",
        "err",
        "none",
        "ok",
        "option",
        "some",
        "foreign",
        "registry",
        "algorithm",
        "path",
        "window",
        "testing",
        "invariants",
    ]
)
"""Names that Rust, a module of the crate, or a type that the written file uses has for itself."""


def _with_module(text: str, module: str) -> str:
    """The module's line at its alphabetical place."""
    names = [match for match in re.finditer(r"^pub mod (\w+);\n", text, re.MULTILINE) if match[1] != "registry"]
    later = next((match for match in names if match[1] > module), None)
    at = later.start() if later else names[-1].end()
    return f"{text[:at]}pub mod {module};\n{text[at:]}"


def _before(root: Path, name: str, mark: str, addition: str) -> str:
    """A file's text with something before the only place of a mark."""
    text = (root / name).read_text(encoding="utf-8")
    if text.count(mark) != 1:
        raise InputError(
            f"has not the one place where a new algorithm belongs, before `{mark.strip().splitlines()[0]}`",
            code="new-cc.tree",
            file=name,
            hint="add it by hand: docs/guide/adding-an-algorithm.md says what belongs where",
        )
    return text.replace(mark, addition + mark)


def _spare_look() -> str:
    """A colour and marker that no algorithm has yet."""
    from windlass import palette

    colours = ("BLACK", "ORANGE", "SKY", "GREEN", "BLUE", "VERMILION", "PURPLE", "GREY")
    taken = set(palette.LOOKS.values())
    for marker in ("X", "P", ">", "<", "v", "^", "D", "s", "o"):
        for colour in colours:
            if palette.Look(getattr(palette, colour), marker) not in taken:
                return f'Look({colour}, "{marker}")'
    return 'Look(BLACK, ".")'
