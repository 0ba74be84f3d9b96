"""What a run takes, before it is run: by published experiments that are like it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from windlass import ledger
from windlass.reproduce import costs, running
from windlass.reproduce.published import Published, published
from windlass.reproduce.sequential import start


def row(experiment: str, run_s: float, cost_is: str = "measured") -> Published:
    return Published(experiment, "2026-05-02", "engine", False, 90, run_s, cost_is, {"reproduced": 2})


def know(patch: pytest.MonkeyPatch, *rows: Published) -> None:
    """Only these were published."""
    table: Mapping[str, Published] = {one.experiment: one for one in rows}
    patch.setattr(costs, "published", lambda: table)


def cost(target: str, folder: Path) -> tuple[float | None, str]:
    book, experiment = ledger.experiment(target)
    plan = running._plan(book, experiment, running.Asked(None, False, ""))
    return costs.cost(plan, start(plan), folder)


def test_of_published_experiments_of_the_network_the_most_alike_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Fig. 4.17 sweeps rates as Fig. 3.16 does, in the same network; Fig. 3.15 sweeps delays, Fig. 3.5 is of another
    network, and what was only estimated says nothing.
    """
    network = (row("saedi2019/fig3.15", 9.0), row("saedi2019/fig3.5", 9.0), row("saedi2019/fig3.20", 9.0, "estimated"))
    know(monkeypatch, row("saedi2019/fig3.16", 0.5), *network)
    # both have the same points, so that the engine reckons the same for both
    assert cost("saedi2019/fig4.17", tmp_path) == (pytest.approx(0.5), "alike")
    know(monkeypatch, row("saedi2019/fig3.5", 9.0))
    assert cost("saedi2019/fig4.17", tmp_path)[1] == "estimated"


def test_what_the_engine_reckons_scales_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    _, entry = ledger.experiment("saedi2019/fig4.17")
    reckoned = {"saedi2019/fig4.17": 3.0, "saedi2019/fig3.16": 2.0}
    monkeypatch.setattr(costs, "_reckoned", reckoned.__getitem__)
    assert costs.alike(entry, {"saedi2019/fig3.16": row("saedi2019/fig3.16", 0.5)}) == pytest.approx(0.75)
    assert costs.alike(entry, {}) is None


def test_the_runs_of_a_summary_cost_what_those_of_its_figures_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Settings of Dalal's summary: those of the figures 8, 11(a) and 11(b), of which 11(b) is as dear as 11(a)."""
    know(monkeypatch, row("dalal2015/fig8", 1.0), row("dalal2015/fig11a", 5.0))
    run_s, source = cost("dalal2015/summary", tmp_path)
    book, experiment = ledger.experiment("dalal2015/summary")
    plan = running._plan(book, experiment, running.Asked(None, False, ""))
    runs = {name: 0 for name in plan.wanted}
    for (number, _), count in start(plan).items():
        runs[plan.jobs[number].case.experiment] += count
    assert min(runs.values()) > 0
    dear = runs["dalal2015/fig11a"] + runs["dalal2015/fig11b"]
    assert source == "alike"
    assert run_s == pytest.approx((runs["dalal2015/fig8"] + 5 * dear) / (runs["dalal2015/fig8"] + dear), rel=0.02)


def test_published_costs_tell_those_that_are_left_out() -> None:
    """Each published experiment by the others: nearer to what was measured than the engine's own estimate."""
    rows = published()
    far: dict[str, list[float]] = {"alike": [], "engine": []}
    for name, known in rows.items():
        _, entry = ledger.experiment(name)
        if known.cost_is != "measured" or entry.covers or not known.run_s:
            continue
        told = costs.alike(entry, {other: one for other, one in rows.items() if other != name})
        if told is not None:
            far["alike"].append(max(told / known.run_s, known.run_s / told))
            engine = costs._reckoned(name)
            far["engine"].append(max(engine / known.run_s, known.run_s / engine))
    middle = {by: sorted(factors)[len(factors) // 2] for by, factors in far.items()}
    assert len(far["alike"]) > 50
    assert middle["alike"] < 1.4 < middle["engine"]
