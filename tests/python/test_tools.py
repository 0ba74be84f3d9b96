"""What Windlass is built and checked with: the versions are written down once, and they fit together."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OLDEST_RUST = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["rust-version"]


def locked() -> dict[str, Requirement]:
    """What requirements-dev.txt says for this version of Python and this system."""
    text = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    lines = re.findall(r"^([A-Za-z0-9][^\\\n]*) \\\n +--hash=sha256:", text, re.MULTILINE)
    assert len(lines) == len(re.findall(r"^[A-Za-z0-9]", text, re.MULTILINE)), "each has a hash"
    found = [Requirement(line) for line in lines]
    here = [one for one in found if one.marker is None or one.marker.evaluate()]
    assert len({canonicalize_name(one.name) for one in here}) == len(here)
    return {canonicalize_name(one.name): one for one in here}


LOCKED = locked()


@pytest.mark.parametrize("text", [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]])
def test_what_the_project_asks_for_is_locked(text: str) -> None:
    asked = Requirement(text)
    (version,) = LOCKED[canonicalize_name(asked.name)].specifier
    assert version.operator == "=="
    assert asked.specifier.contains(version.version)


@pytest.mark.parametrize("name", LOCKED)
def test_what_is_installed_is_what_is_locked(name: str) -> None:
    assert LOCKED[name].specifier.contains(importlib.metadata.version(name)), "`make build` installs it"


@pytest.mark.parametrize("file", ["README.md", ".ci/run"])
def test_the_oldest_rust_is_the_same_everywhere(file: str) -> None:
    said = re.findall(r"Rust (\d[\d.]*) or newer", (ROOT / file).read_text(encoding="utf-8"))
    assert said == [OLDEST_RUST]


def test_the_compiler_of_the_tests_is_a_fixed_one_and_new_enough() -> None:
    toolchain = tomllib.loads((ROOT / "rust-toolchain.toml").read_text(encoding="utf-8"))["toolchain"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", toolchain["channel"])
    assert version(toolchain["channel"]) >= version(OLDEST_RUST)


def test_no_crate_that_we_use_needs_a_newer_rust() -> None:
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    packages = json.loads(done.stdout)["packages"]
    newer = {
        one["name"]: one["rust_version"] for one in packages if version(one["rust_version"]) > version(OLDEST_RUST)
    }
    assert len(packages) > 40
    assert newer == {}


def version(text: str | None) -> tuple[int, ...]:
    return tuple(int(part) for part in (text or "0").split("."))[:2]
