"""Intervals hold what they say over drawn sweeps; `COVERAGE=20 pytest tests/python/test_coverage.py` draws more."""

from __future__ import annotations

import math
import os
from types import ModuleType

import numpy as np
import pytest
from test_benches import script

from windlass.compare import judging

DRAWS = 200 * int(os.environ.get("COVERAGE", "1"))

coverage = script("coverage")


@pytest.mark.parametrize("law", coverage.laws(), ids=lambda law: law.about)
def test_intervals_hold_as_often_as_they_say(law: object) -> None:
    for seeds in coverage.SEEDS:
        printed, holds = coverage.held(law, seeds, DRAWS, np.random.default_rng(seeds))
        share, by_chance = holds / printed, 3.0 * math.sqrt(0.05 * 0.95 / printed)
        assert law.least - by_chance <= share <= law.most + by_chance, f"{seeds} seeds: {share:.3f}"


def test_intervals_of_real_sweeps_hold() -> None:
    name = "two NewReno, 1 Mbps, 3 % loss"
    runs = 40 * 3 * int(os.environ.get("COVERAGE", "1"))
    by_number = dict(coverage.drawn_sweeps(name, runs, 40))
    assert {about.partition(",")[0] for about in by_number} >= {"goodput_bps", "jain", "timeouts"}
    for about, by_seeds in by_number.items():
        printed, holds = by_seeds[3]
        assert printed, f"{about} has no interval"
        # 40 sweeps: 0.92 less three standard deviations
        assert holds / printed >= 0.92 - 3.0 * math.sqrt(0.08 * 0.92 / printed), about


def wrong(coverage: ModuleType, draws: int) -> float:
    rng = np.random.default_rng(4)
    return sum(bool(coverage.wrong(5, rng)) for _ in range(draws)) / draws


def test_sentences_are_wrong_no_more_often_than_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = DRAWS // 2
    assert wrong(coverage, draws) <= judging.ERROR + 3.0 * math.sqrt(0.05 * 0.95 / draws)
    # that the count of wrong ones sees them: with intervals that say next to nothing
    monkeypatch.setattr(judging.Contest, "confidence", 0.2)
    assert wrong(coverage, draws) > 0.1
