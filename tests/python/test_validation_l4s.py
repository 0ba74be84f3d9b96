"""The chapter about L4S: its arithmetic, a short run, and the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from windlass.validation import l4s
from windlass.validation.chapters import chapter_of

ROOT = Path(__file__).parents[2]


def test_rates_in_a_fluid() -> None:
    # (40 + 15) / 40 / 1.22; at 10 ms Prague behaves as at 25: (10 + 15) / 25 / 1.22
    s = l4s.Shared(1.0, 1.0, (0.5, 15.0), (0.2, 0.01))
    assert s.fluid(40) == pytest.approx(1.127, abs=1e-3)
    assert s.fluid(10) == pytest.approx(0.820, abs=1e-3)
    # 0.1 squared
    assert s.square == pytest.approx(1.0)


def test_a_short_run_has_both_kinds() -> None:
    s = l4s.shared(20, 20, 2, "sack", 9)
    assert 0.3 < s.ratio < 3.0
    assert s.goodput > 0.97
    assert s.waits_ms[0] < 1.5
    assert s.waits_ms[1] > 8.0
    assert s.signals[0] > s.signals[1] > 0.0


def test_the_page_holds_its_bounds() -> None:
    page = chapter_of((ROOT / "docs/validation.md").read_text(encoding="utf-8"), l4s.HEAD)
    rows = [
        [float(cell) for cell in line.strip("| ").split(" | ")]
        for line in page.splitlines()
        if line.startswith("|") and line[2].isdigit()
    ]
    many, pairs = [row for row in rows if len(row) == 11], [row for row in rows if len(row) == 6]
    assert [tuple(row[:3]) for row in many] == [tuple(map(float, path)) for path in l4s.PATHS]
    assert [tuple(row[:2]) for row in pairs] == [tuple(map(float, path)) for path in l4s.PAIRS]
    for row in many:
        assert 0.75 < row[3] / row[4] < 1.35
        assert row[5] > 99
        assert row[6] < 1.2
        assert 14 < row[7] < 17
    assert all(0.85 < row[10] < 1.15 for row in many if row[0] == 40)
    assert all(0.5 < row[2] < 2 and row[3] > 95 for row in pairs)
