"""Results change only where ``crates/scenario/RESULTS.toml`` says so."""

from __future__ import annotations

import json

import pytest
import recorded
from recorded import Result

import windlass

ONE = Result(1, "as written", "setting", "hash")


def test_results_are_as_recorded_or_their_number_is_raised() -> None:
    wrong = recorded.complaints(recorded.recorded())
    assert not wrong, "\n".join(wrong)


def test_what_is_recorded_is_all_still_there() -> None:
    assert set(recorded.recorded()["cases"]) <= {name for name, _ in recorded.cases()}


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (ONE, None),
        (ONE._replace(hash="another"), "mend that, or add a change that concerns it"),
        (ONE._replace(hash="another", results=2, setting="new"), "`make results` records"),
        (ONE._replace(results=2, setting="new"), "`make results` records"),
        (ONE._replace(setting="new"), "its key changed and its results did not"),
        (ONE._replace(written="edited", setting="new", hash="another"), "its description was edited"),
    ],
)
def test_a_planted_change_is_found(now: Result, told: str | None) -> None:
    found = recorded.judged("case", ONE, now)
    assert found is None if told is None else told in (found or "")


def test_a_changed_value_changes_the_hash() -> None:
    name, scenario = next(recorded.cases())
    columns = recorded.recorded()["columns"]
    known, _ = recorded.run(scenario, columns)
    other, _ = recorded.run(scenario.with_({"scenario.duration": "4.9 s"}), columns)
    assert list(known) == recorded.recorded()["cases"][name]
    assert other.hash != known.hash


def test_guarded_files_that_are_made_again_need_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "cases", lambda: iter(()))
    known = recorded.recorded()
    assert recorded.complaints(known) == []
    other = json.loads(json.dumps(known))
    other["files"]["tests/golden"] = "another"
    assert recorded.complaints(other) == ["tests/golden changed and RESULTS.toml did not"]
    other["newest"] -= 1
    assert recorded.complaints(other) == []


def test_the_number_is_in_the_setting_and_the_seed_in_the_key(small: windlass.Scenario) -> None:
    point = small.points()[0]
    assert len(point.key(1)) == len(point.setting()) == 64
    assert len({point.key(1), point.key(2), point.setting()}) == 3
    assert point.key(1) == small.points()[0].key(1)
    assert 1 <= point.results() <= recorded.newest()
