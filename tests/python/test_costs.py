"""What a run takes, before it is run: by published experiments that are like it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import windlass
from windlass import ledger
from windlass.reproduce import costs, running, yardstick
from windlass.reproduce.engine import engine_version
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


def test_costs_of_another_machine_are_told_for_this_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the fixed piece of work takes twice as long as it does here, runs take half as long here; a row or a
    manifest without a yardstick is taken as it is. So is a cost in the list of papers, which is that of its machine.
    """
    monkeypatch.setattr(costs, "yardstick_s", lambda: 0.06)
    known = row("saedi2019/fig3.16", 0.5)
    for yardstick_s, here in ((0.12, 0.25), (0.06, 0.5), (0.03, 1.0), (None, 0.5)):
        one = replace(known, yardstick_s=yardstick_s)
        know(monkeypatch, one)
        assert cost("saedi2019/fig3.16", tmp_path) == (pytest.approx(here), "published")
        assert cost("saedi2019/fig4.17", tmp_path) == (pytest.approx(here), "alike")
        assert costs.cost_of_run(ledger.experiment("saedi2019/fig3.16")[1], one) == (0.5, "measured")
        about = {"engine_version": engine_version(), "cpu_per_run_s": 0.5, "yardstick_s": yardstick_s}
        (tmp_path / "own").mkdir(exist_ok=True)
        (tmp_path / "own" / "manifest.json").write_text(json.dumps(about), encoding="utf-8")
        assert cost("saedi2019/fig3.16", tmp_path / "own") == (pytest.approx(here), "measured")


def test_the_yardstick_is_work_of_links_and_of_radio() -> None:
    """Each is a good part of the work, so that neither alone says how fast a machine is."""
    hops = [
        sum(windlass.from_dict(document).points()[0].run(1).links["transmitted_packets"].to_pylist())
        for document in (yardstick._WIRED, yardstick._WIRELESS)
    ]
    # a hop of radio takes some thirty times the CPU time of a hop over a link
    assert 0.3 < hops[0] / (30 * hops[1]) < 3.0
    assert 0.0 < yardstick.yardstick_s() == yardstick.yardstick_s() < 60.0
