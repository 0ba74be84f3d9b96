"""The invariants of docs/architecture.md that a machine can check."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CRATES = ROOT / "crates"

NEEDS = {
    "units": set(),
    "cc": {"units"},
    "tape": {"cc", "units"},
    "tcp": {"cc", "units"},
    "sim": {"units"},
    "datagram": {"cc", "sim", "units"},
    "wlan": {"sim", "units"},
    "net": {"cc", "datagram", "tape", "tcp", "sim", "units", "wlan"},
    "capture": {"cc", "net", "tcp", "units"},
    "scenario": {"capture", "cc", "datagram", "net", "sim", "tape", "tcp", "units", "wlan"},
    "script": {"cc", "tcp", "units"},
    "generator": {"cc", "net", "scenario", "tcp", "units", "wlan"},
    "dissect": set(),
    "python": {"dissect", "scenario", "script"},
    "bench": {"cc", "net", "sim", "tcp", "units", "wlan"},
}
"""Which of our crates each may need; docs/architecture.md draws the same arrows."""

FOREIGN = {
    "units": {"libm"},
    "cc": set(),
    "tape": set(),
    "tcp": set(),
    "sim": {"chacha20", "rand_core"},
    "datagram": set(),
    "wlan": set(),
    "net": set(),
    "capture": {"etherparse"},
    "script": set(),
    "dissect": {"etherparse", "pcap-parser"},
}
"""What the crates below `scenario` take from outside: very little."""


READS_FILES = {"crates/scenario/src/files.rs"}
"""The one place in the engine where the files that a description names are read."""


def manifests() -> dict[str, dict[str, object]]:
    files = [*sorted(CRATES.glob("*/Cargo.toml")), ROOT / "benches" / "Cargo.toml"]
    read = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    return {folder(manifest["package"]["name"]): manifest for manifest in read}


def folder(package: str) -> str:
    """The crate's name in code and on the map; to cargo each is called windlass-*."""
    assert package.startswith("windlass-"), package
    return package.removeprefix("windlass-")


def code(folder: Path) -> Iterator[tuple[Path, str]]:
    """Rust files of a folder without comments and without what follows `#[cfg(test)] mod tests`."""
    for file in sorted(folder.rglob("*.rs")):
        text = re.split(r"#\[cfg\(test\)\]\s*mod tests", file.read_text(encoding="utf-8"))[0]
        yield file.relative_to(ROOT), re.sub(r"//.*", "", text)


def test_every_crate_is_on_the_map() -> None:
    assert set(manifests()) == set(NEEDS)
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for folder in CRATES.iterdir():
        assert f"crates/{folder.name}" in page, folder.name


@pytest.mark.parametrize("name", NEEDS)
def test_crates_depend_downwards_only(name: str) -> None:
    needs = set(manifests()[name].get("dependencies", {}))
    assert needs & set(NEEDS) == NEEDS[name]
    if name in FOREIGN:
        assert needs - set(NEEDS) == FOREIGN[name]


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
def test_cargo_sees_the_same_arrows() -> None:
    command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for package in json.loads(done.stdout)["packages"]:
        ours = (one for one in package["dependencies"] if one["kind"] is None and one.get("path"))
        assert {folder(one["name"]) for one in ours} == NEEDS[folder(package["name"])], package["name"]


def test_cc_is_no_std_and_safe() -> None:
    head = (CRATES / "cc" / "src" / "lib.rs").read_text(encoding="utf-8")
    assert "#![no_std]" in head
    assert "#![forbid(unsafe_code)]" in head
    for file, text in code(CRATES / "cc" / "src"):
        # only what runs algorithms from outside the crate has a heap
        assert "extern crate alloc" not in text or file.name == "foreign.rs", file


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("the wall clock", r"std::time|SystemTime|\bInstant\b"),
        ("a hash map", r"\bHashMap\b|\bHashSet\b"),
        ("files, sockets, the environment", r"std::(fs|net|env)\b|\bFile::"),
        ("printing", r"\be?println!|\bdbg!"),
        ("the platform's mathematics", r"\.(powf|powi|exp|exp2|ln|log10|log2|cbrt|sin|cos|tan)\("),
    ],
)
def test_the_engine_has_no(what: str, pattern: str) -> None:
    for crate in CRATES.iterdir():
        for file, text in code(crate / "src"):
            if file.as_posix() in READS_FILES and "files" in what:
                continue
            found = re.search(pattern, text)
            assert found is None, f"{file} has {what}: {found[0]}"


@pytest.mark.parametrize(
    ("crate", "what", "pattern"),
    [
        ("sim", "a packet", r"(?i)packet|segment|\blink"),
        ("tcp", "a simulator", r"\bsim::|\bnet::|(?i:EventQueue)"),
        ("cc", "sequence numbers", r"snd_una|snd_nxt|\bseq\b"),
        ("net", "the name of an algorithm", r"\.row\(\)|Config::named"),
    ],
)
def test_a_crate_does_not_know(crate: str, what: str, pattern: str) -> None:
    for file, text in code(CRATES / crate / "src"):
        found = re.search(pattern, text)
        assert found is None, f"{file} knows {what}: {found[0]}"


def test_one_file_asks_for_the_recovery_core() -> None:
    for file, text in code(CRATES / "tcp" / "src"):
        found = re.search(r"\bCore::[A-Z]\w*\b", text)
        asks = file.name != "tests.rs" and file.as_posix() != "crates/tcp/src/recovery/mod.rs"
        assert found is None or not asks, f"{file} asks: {found[0]}"


@pytest.mark.parametrize("name", ["acks", "samples", "marks", "losses", "timer", "transmit"])
def test_the_way_of_an_ack_names_no_ns2(name: str) -> None:
    way = {file.as_posix(): text for file, text in code(CRATES / "tcp" / "src" / "sender")}
    text = way[f"crates/tcp/src/sender/{name}.rs"]
    assert re.search(r"(?i)ns-?2|vegas", text) is None


def modules(crate: str) -> dict[str, str]:
    """Code of each module of a crate by its path, ``decode::flows``; the root is empty."""
    source = CRATES / crate / "src"
    found = {}
    for file, text in code(source):
        *folders, last = (ROOT / file).relative_to(source).with_suffix("").parts
        if last != "tests":
            found["::".join([*folders, *([] if last in ("lib", "mod") else [last])])] = text
    return found


def named(text: str, start: str = "") -> Iterator[tuple[str, str]]:
    """Names that a `use` brings in, with their paths: `a::{b, c as d}` brings in `b`, which is `a::b`, and `d`."""
    head, brace, rest = text.partition("{")
    if not brace:
        path, _, other = (start + head).strip().removesuffix("::self").partition(" as ")
        yield other or path.split("::")[-1], path
        return
    depth, part = 0, ""
    for sign in rest[: rest.rindex("}")] + ",":
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth == 0:
            if part.strip():
                yield from named(part.strip(), start + head.strip())
            part = ""
        else:
            part += sign


USE = re.compile(r"^\s*(?:pub(?:\(\w+\))? )?use ([^;]+);", re.MULTILINE)


def imports(known: dict[str, str], module: str) -> set[str]:
    """The other modules of its crate that a module names, in `use` or on the spot.

    A child that uses what stands in its parent's file uses the parent, and a parent that calls its child uses the
    child: the two together are a circle like any other. A declaration, `mod child;`, is no use.
    """
    brought = dict(pair for use in USE.findall(known[module]) for pair in named(re.sub(r"\s+", " ", use)))
    on_the_spot = re.findall(r"\b(?:\w+::)+\w+", USE.sub("", known[module]))
    here = module.split("::") if module else []
    found = set()
    for path in [*brought.values(), *on_the_spot]:
        first, *rest = path.split("::")
        parts = [*brought.get(first, first).split("::"), *rest]
        base = [] if parts[0] == "crate" else here
        inside = parts[0] in ("crate", "self", "super")
        while parts and parts[0] in ("crate", "self", "super"):
            base = base[:-1] if parts[0] == "super" else base
            parts = parts[1:]
        full = [*base, *parts]
        longest = max(n for n in range(len(full) + 1) if "::".join(full[:n]) in known)
        if inside or longest > len(here):
            found.add("::".join(full[:longest]))
    return found - {module}


WITHOUT_CIRCLES = ["scenario", "script", "sim", "units"]
"""Crates in which no module uses, by whatever way round, one that uses it."""


@pytest.mark.parametrize("crate", WITHOUT_CIRCLES)
def test_no_circle_of_modules(crate: str) -> None:
    known = modules(crate)
    uses = {module: imports(known, module) for module in known}
    order: list[str] = []
    while left := [module for module in uses if module not in order]:
        free = [module for module in left if uses[module] <= set(order)]
        assert free, {module: uses[module] & set(left) for module in left}
        order += free


def test_layers_of_scenario_are_as_it_says() -> None:
    known = modules("scenario")
    page = (CRATES / "scenario" / "src" / "lib.rs").read_text(encoding="utf-8")
    lines = re.findall(r"^//! ([a-z, ]+?)  ", page.split("//! ```text")[1], re.MULTILINE)
    layers = [line.split(", ") for line in lines]
    top = {module.split("::")[0] for module in known if module}
    assert sorted(module for layer in layers for module in layer) == sorted(top)
    below: set[str] = set()
    for layer in layers:
        for module in (one for one in known if one.split("::")[0] in layer):
            used = {other.split("::")[0] for other in imports(known, module)} - {module.split("::")[0]}
            assert used <= below, f"{module} uses {used - below}"
        below |= set(layer)


def test_unsafe_stands_in_two_files() -> None:
    having = [str(file) for crate in CRATES.iterdir() for file, text in code(crate / "src") if "unsafe {" in text]
    assert sorted(having) == ["crates/net/src/prefetch.rs", "crates/python/src/memory.rs"]


def test_help_of_the_command_imports_nothing_heavy() -> None:
    files = sorted((ROOT / "python" / "windlass" / "cli").glob("*.py"))
    assert files
    names = set()
    for node in (node for file in files for node in ast.parse(file.read_text(encoding="utf-8")).body):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    assert not names & {"numpy", "pyarrow", "scipy", "matplotlib", "rich", "jinja2", "pandas"}


def test_data_folders_hold_data_only() -> None:
    package = ROOT / "python" / "windlass"
    for folder in ("papers", "scenarios"):
        files = [file for file in (package / folder).rglob("*") if file.is_file()]
        assert {file.suffix for file in files} <= {".toml", ".md", ".mahi"}


def test_files_that_the_page_names_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for name in set(re.findall(r"`((?:crates|python|specs|tests|benches|docs)/[\w./-]+)`", page)):
        assert (ROOT / name).exists(), name


WRITES = re.compile(r"""\.write_text\(|\.write_bytes\(|[\w)]\.open\([^)]*["'][wx]|\bfdopen\([^)]*["'][wx]|savefig\(""")
WRITE = {
    "folders.py": "folders of results, with windlass.store.writer",
    "store/upkeep.py": "files of the store, which it renames itself",
    "output.py": "into a folder that takes its place as a whole",
    "report/publish.py": "into such a folder",
    "report/tables.py": "into such a folder",
    "reproduce/files.py": "into such a folder",
    "plots/shown.py": "into memory",
    "plots/style.py": "into memory",
    "cli/group.py": "the null device, for streams that are closed",
    "validation/processes.py": "scripts of ns-2, in a folder that is removed",
}
"""Which modules open files to write in another way than `windlass.files`, and what they write."""


def test_files_are_written_beside_and_renamed() -> None:
    package = ROOT / "python" / "windlass"
    found = {
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        if WRITES.search(file.read_text(encoding="utf-8"))
    }
    assert found == WRITE.keys()
