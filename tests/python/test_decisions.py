"""What a sender did at its losses, as numbers that rules are held against."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import windlass
from windlass import experiments, ledger, reproduce
from windlass.ledger import Check
from windlass.reproduce import Reproduction, plan, running
from windlass.reproduce.decisions import decisions_of
from windlass.reproduce.series import window_metrics
from windlass.sweep import RunResult
from windlass.verdicts.decisions import UNITS, invariant


def outage(variant: str, length_ms: int) -> RunResult:
    """A sender through which nothing gets for a while, twice or once."""
    book, experiment = ledger.experiment("dalal2015/outage")
    over = {"output.events": True, "output.traces": ["srtt", "cwnd"]}
    (case,) = experiments.cases(book, experiment, [[length_ms]], [variant], over=over)
    return windlass.run(case.scenario, seed=1)


def test_timeouts_in_a_row_are_serial_from_the_second_on() -> None:
    decisions = [row for row in decisions_of(outage("newreno", 3000), None) if row["timeout"]]
    assert [row["serial"] for row in decisions] == [0.0, 1.0, 1.0, 1.0]
    assert [row["loss_window"] for row in decisions] == [1.0] * 4


def test_every_number_of_a_decision_has_a_unit_or_is_a_count() -> None:
    (first, *_) = decisions_of(outage("newreno", 3000), None)
    assert set(UNITS) | {"timeout", "serial", "slots"} == set(first)
    data = SimpleNamespace(decisions={("reno", ()): [[first]]})
    found = invariant(Check("invariant", {"expr": "cwnd < 0 and rtt < 0", "variant": "reno"}), data)  # type: ignore[arg-type]
    assert found.measured.endswith(f"where cwnd = {first['cwnd']:.4g} segments, rtt = {first['rtt']:.4g} s")


def test_after_a_loss_judged_random_nobody_knows_whether_a_timeout_is_serial() -> None:
    """The first loss may have been found by duplicate ACKs or by the timer: a rule about serial ones leaves it out."""
    result = outage("newreno", 3000)
    rows = result.events.to_pylist()
    first = next(index for index, row in enumerate(rows) if row["kind"] == "timeout")
    rows[first]["kind"] = "judged-random"

    class Events:
        def to_pylist(self) -> list[dict[str, Any]]:
            return rows

    result.tables["events"] = Events()  # type: ignore[assignment]
    found = decisions_of(result, None)
    assert [row["serial"] for row in found if row["timeout"]] == [0.5, 1.0, 1.0]


def test_round_trips_of_slow_start_after_a_timeout() -> None:
    """NewReno begins at one segment, of 23 and of 22; Adaptive TCP once at its threshold."""
    assert window_metrics(outage("newreno", 150), None)["slow-start-rounds"] == pytest.approx(4.49, abs=0.01)
    assert window_metrics(outage("adaptive", 150), None)["slow-start-rounds"] < 2.0


def test_a_rule_may_be_held_against_another_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the losses in figure 4 none is a timeout after another; those of a long outage are."""
    over = {"scenario.duration": "15 s", "scenario.seeds": 2, "flows.start": "0 s"}
    monkeypatch.setattr(running, "overrides", lambda *_: over)
    monkeypatch.setattr(plan, "QUICK_POINTS", 2)
    found = reproduce.main("dalal2015/fig4", quick=True, out=tmp_path, store=False)
    assert isinstance(found, Reproduction)
    last = found.outcomes[3]
    assert last.claim.check["of"] == ["dalal2015/outage"]
    assert (last.judgement.verdict, last.judgement.reason) == ("reproduced", "")
