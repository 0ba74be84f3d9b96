"""`windlass reproduce`: what it hands over, and its exit code."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Command


def test_reproduce_hands_over_and_judges_only_if_asked(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from windlass import reproduce

    given: dict[str, Any] = {}

    def fake(target: str, **options: Any) -> Any:
        given.update(options, target=target)

        def render(console: Any) -> None:
            console.print("a report")

        return SimpleNamespace(counts={"contradicted": 1}, to_dict=lambda: {"verdict": "contradicted"}, render=render)

    monkeypatch.setattr(reproduce, "main", fake)
    result = command(
        "reproduce", "saedi2019/fig3.5", "--seeds", "4", "--quick", "--jobs", "1", "--out", "o", "--values", "v"
    )
    assert (result.exit_code, result.stdout.strip()) == (0, "a report")
    assert given.pop("progress") is not None
    assert given.pop("announce") is not None
    assert given == {
        "target": "saedi2019/fig3.5", "seeds": 4, "quick": True, "reading": "", "jobs": 1, "out": Path("o"), "store": True,
        "values": Path("v"),
    }  # fmt: skip
    assert json.loads(command("reproduce", "x", "--json").stdout) == {"verdict": "contradicted"}
    assert command("reproduce", "x", "--check").exit_code == 1


def test_a_plan_is_printed_and_nothing_is_run(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from windlass import reproduce

    def refuse(*args: Any, **options: Any) -> Any:
        raise AssertionError("a run")

    monkeypatch.setattr(reproduce, "main", refuse)
    for module in ("costs", "outline"):
        monkeypatch.setattr(importlib.import_module(f"windlass.reproduce.{module}"), "published", dict)
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    text = command("reproduce", "saedi2019/fig4.26", "--plan").stdout
    assert "saedi2019/fig4.26" in text
    assert "31 / 75 / 400" in text  # 10 + 7 x 3; 12 + 7 x 9; 50 + 7 x 50
    assert "nothing was run" in text
    document = json.loads(command("reproduce", "saedi2019/fig4.26", "--plan", "--json").stdout)
    assert (document["runs_least"], document["runs_most"]) == (31, 400)
    assert document["experiments"][0]["cpu_per_run_is"] == "estimated"
    assert list(empty.iterdir()) == []


def test_experiments_of_a_paper_are_named_as_they_begin(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from windlass import reproduce

    def fake(target: str, **options: Any) -> Any:
        options["announce"]("saedi2019/fig3.5 (1 of 46)")
        return SimpleNamespace(counts={}, to_dict=dict, render=lambda console: None)

    monkeypatch.setattr(reproduce, "main", fake)
    assert command("reproduce", "saedi2019").stderr == "saedi2019/fig3.5 (1 of 46)\n"
