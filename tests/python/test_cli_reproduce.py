"""`windlass reproduce`: what it hands over, and its exit code."""

from __future__ import annotations

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
    result = command("reproduce", "saedi2019/fig3.5", "--seeds", "4", "--quick", "--jobs", "1", "--out", "o")
    assert (result.exit_code, result.stdout.strip()) == (0, "a report")
    assert given.pop("progress") is not None
    assert given == {
        "target": "saedi2019/fig3.5", "seeds": 4, "quick": True, "jobs": 1, "out": Path("o"), "store": True,
    }  # fmt: skip
    assert json.loads(command("reproduce", "x", "--json").stdout) == {"verdict": "contradicted"}
    assert command("reproduce", "x", "--check").exit_code == 1
