"""`windlass list` and `windlass errors`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Command

import windlass
from windlass import _core
from windlass.folders import write_manifest
from windlass.reproduce.published import Published


def test_lists(command: Command) -> None:
    algorithms = command("list", "algorithms")
    assert algorithms.exit_code == 0
    for row in json.loads(_core.algorithms()):
        assert row["name"] in algorithms.stdout
        assert row["source"].split(";")[0] in algorithms.stdout
    assert "dumbbell" in command("list", "topologies").stdout
    assert "RFC 8290" in command("list", "queues").stdout
    assert "mark_p" in command("list", "queues", "pie").stdout
    assert "dup_threshold" in command("list", "rules").stdout
    assert "lossy-dumbbell" in command("list", "scenarios").stdout
    assert "saedi2019" in command("list", "papers").stdout
    assert "scenario.unknown-key" in command("list", "errors").stdout
    assert command("list", "errors").stdout == command("errors").stdout


def test_list_of_one_shows_parameters_units_and_sources(command: Command) -> None:
    text = command("list", "algorithms", "westwood-plus").stdout
    for word in ("name", "default", "min", "max", "unit", "meaning", "source", "wp_gain", "Grieco and Mascolo 2004"):
        assert word in text
    assert command("list", "algorithms", "westwood+").stdout == text, "aliases do as well"
    assert command("list", "scenarios", "satellite").stdout == windlass.ready_scenarios()["satellite"]
    assert "fig3" in command("list", "papers", "saedi2019").stdout


def test_list_of_a_paper_shows_the_last_verdicts(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = {
        "rana/fig2": Published("rana/fig2", "2026-05-02", "e", False, 600, 0.5, "measured", {"contradicted": 3}),
        "rana/fig3": Published("rana/fig3", "", "e", False, 90, 80.0, "estimated", {}),
    }
    monkeypatch.setattr("windlass.reproduce.published.published", lambda: table)
    monkeypatch.setattr("windlass.reproduce.costs.published", lambda: table)

    def rows() -> dict[str, dict[str, str]]:
        found = json.loads(command("list", "papers", "rana", "--json").stdout)["experiments"]
        return {row["name"]: row for row in found}

    def shown(name: str) -> tuple[str, str, str]:
        row = rows()[name]
        return row["takes"], row["last_verdicts"], row["run_on"]

    assert shown("rana/fig2") == ("5 minutes (600 runs)", "3 contradicted", "2026-05-02")
    # as long as figure 2, which has the same network, by the engine's estimate for both
    assert shown("rana/fig3") == ("45 s (90 runs, estimated)", "", "")
    assert shown("rana/fig4") == ("", "", "")
    kept = tmp_path / "reproduced" / "rana" / "fig2" / "claims.json"
    kept.parent.mkdir(parents=True)
    found = {"experiment": "rana/fig2", "verdicts": {"reproduced": 2, "undecided": 1}, "quick": True}
    kept.write_text(json.dumps(found), encoding="utf-8")
    assert shown("rana/fig2") == ("5 minutes (600 runs)", "2 reproduced, 1 undecided (quick)", "")
    assert shown("rana/fig3")[1] == ""
    for date, wins in (("2026-05-01", False), ("2026-05-02", True), ("2026-05-03", True)):
        (kept.parent / "manifest.json").unlink(missing_ok=True)
        write_manifest(kept.parent, {"date": date, "runs": 4, "cpu_per_run_s": 3.0})
        assert shown("rana/fig2") == (
            ("12 s (4 runs)", "2 reproduced, 1 undecided (quick)", date)
            if wins
            else ("5 minutes (600 runs)", "3 contradicted", "2026-05-02")
        )
    kept.write_text("{", encoding="utf-8")
    assert "rana/fig2" in command("list", "papers", "rana").stdout


def test_the_runs_of_a_summary_are_those_of_others(command: Command) -> None:
    rows = json.loads(command("list", "papers", "saedi2019", "--json").stdout)["experiments"]
    (row,) = (row for row in rows if row["name"] == "saedi2019/summary-ch5")
    assert re.fullmatch(r"\d+ runs", row["takes"])


@pytest.mark.parametrize(
    "what",
    ["algorithms", "topologies", "queues", "loss-models", "jitter-models", "rules", "scenarios", "papers", "errors"],
)
def test_lists_as_json(command: Command, what: str) -> None:
    rows = json.loads(command("list", what, "--json").stdout)
    assert len(rows) >= 3
    name = rows[0].get("name", rows[0].get("code"))
    assert json.loads(command("list", what, name, "--json").stdout) == rows[0]


def test_list_of_something_unknown(command: Command) -> None:
    result = command("list", "algorithms", "westwod-plus")
    assert result.exit_code == 2
    assert result.stderr == (
        "error[list.unknown]: no `westwod-plus` among the algorithms\n"
        "hint: did you mean `westwood-plus`? `windlass list algorithms` shows all\n"
    )
