"""Type hints as a project sees them that uses the installed package: `mypy --strict` on tests/typing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import windlass

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "tests" / "typing"


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, int], set[str]]:
    """Kinds of the errors by file and line. The package is the one that this Python has installed."""
    config = PROJECT / "mypy.ini"
    words = [sys.executable, "-m", "mypy", "--config-file", str(config), "right.py", "wrong.py"]
    words += ["--cache-dir", str(ROOT / "target" / "mypy-typing")]
    done = subprocess.run(words, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    errors: dict[tuple[str, int], set[str]] = {}
    for file, line, kind in re.findall(r"^(\S+):(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE):
        errors.setdefault((Path(file).name, int(line)), set()).add(kind)
    return errors


def test_the_package_says_that_it_has_types() -> None:
    assert (Path(windlass.__file__).parent / "py.typed").is_file()


def test_right_use_has_no_error(found: dict[tuple[str, int], set[str]]) -> None:
    assert {place: kinds for place, kinds in found.items() if place[0] != "wrong.py"} == {}


def test_every_mistake_is_found(found: dict[tuple[str, int], set[str]]) -> None:
    lines = (PROJECT / "wrong.py").read_text(encoding="utf-8").splitlines()
    marked = {
        ("wrong.py", at): {line.partition("# error: ")[2]} for at, line in enumerate(lines, 1) if "# error: " in line
    }
    assert len(marked) > 15
    assert {place: kinds for place, kinds in found.items() if place[0] == "wrong.py"} == marked
