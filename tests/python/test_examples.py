"""Every example runs, writes its figures, and shows something in each cell that a notebook would show."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def test_there_are_six_and_the_guide_has_them_all() -> None:
    guide = (ROOT / "docs" / "guide" / "examples.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) == 6
    for file in EXAMPLES:
        assert f"(../../examples/{file.name})" in guide
    pictures = re.findall(r"\]\(\.\./images/(examples/.*?\.png)\)", guide)
    kept = {f"examples/{file.name}" for file in (ROOT / "docs" / "images" / "examples").iterdir()}
    assert set(pictures) == kept


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_an_example_runs(file: Path, work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = file.read_text(encoding="utf-8")
    values = runpy.run_path(str(file))
    wanted = {re.sub(r"\{.*?\}", "*", name) for name in re.findall(r'"(figures/.*?)"', text)}
    assert wanted
    for pattern in wanted:
        found = list(work.glob(pattern))
        assert found, pattern
        assert all(one.is_dir() or one.stat().st_size > 5000 for one in found)
    # the last line of a cell that is a name is what a notebook shows
    shown = re.findall(r"^(\w+)\n+(?=# %%|\Z|\n)", text, re.MULTILINE)
    assert shown
    for name in shown:
        value = values[name]
        assert len(value._repr_png_() if hasattr(value, "_repr_png_") else value._repr_html_()) > 500
    assert capsys.readouterr().err == ""
