"""A new algorithm in the source tree: its file with tests, its restated source, its module, enum line and row."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from pathlib import Path

from windlass.errors import InputError
from windlass.files import write_file

__all__ = ["Written", "new_cc", "source_tree"]

LIB = "crates/cc/src/lib.rs"
ENUM = "crates/cc/src/algorithm.rs"
ROWS = "crates/cc/src/registry/rows.rs"

MARK = "// `windlass new-cc` adds to the list above this line."
"""Stands below each list that a new algorithm has a line in."""

_ROW = """    Row {{
        name: "{name}",
        summary: "Reno with another step up and another step down",
        source: "name it",
        choices: crate::{module}::CHOICES,
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
        if (folder / LIB).is_file() and (folder / ROWS).is_file():
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

    if keyword.iskeyword(name) or name in _RUST_WORDS.split():
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
        Path(LIB): _added(root, LIB, f"pub mod {module};\n", in_order=True),
        Path(ENUM): _added(root, ENUM, "    /// {name}.\n    {type}(crate::{module}::{type}),\n".format(**words)),
        Path(ROWS): _added(root, ROWS, _ROW.format(**words)),
    }
    for path, text in texts.items():
        write_file(root / path, text)
    return Written([file, paper], [path for path in texts if path not in (file, paper)])


_RUST_WORDS = """
abstract as async become box break const continue crate do dyn else enum extern final fn for if impl in
let loop macro match mod move mut override priv pub ref return self static struct super trait try type
typeof unsafe unsized use virtual where while yield gen alloc core std units ack bytes cause config
congestion congestion-control response err none ok option some foreign registry algorithm path window
testing invariants true false main lib build bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32
f64 vec string default clone copy debug drop send sync sized iterator from into result box
"""
"""Names that Rust, a module of the crate, or a type that the written file uses has for itself."""


def _added(root: Path, name: str, addition: str, *, in_order: bool = False) -> str:
    """A file's text with something added to its marked list: at the end or, line by line, in the list's order."""
    text = (root / name).read_text(encoding="utf-8")
    if text.count(MARK) != 1:
        raise InputError(
            f"does not have the one line `{MARK}`",
            code="new-cc.tree",
            file=name,
            hint="add it by hand: docs/guide/adding-an-algorithm.md says what belongs where",
        )
    before, _, after = text.partition(MARK)
    if not in_order:
        head, indent = before.rstrip(" "), before[len(before.rstrip(" ")) :]
        return f"{head}{addition}{indent}{MARK}{after}"
    head, _, block = before.rpartition("\n\n")
    # as rustfmt sorts them: by name, so `bbr;` is before `bbr3;`
    lines = sorted([*block.splitlines(keepends=True), addition], key=lambda line: line.strip().rstrip(";"))
    return f"{head}\n\n{''.join(lines)}{MARK}{after}"
