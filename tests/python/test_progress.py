"""How far long work is, where nobody looks at a terminal."""

from __future__ import annotations

import pytest

from windlass.progress import LogLines, terminal_bar


def test_a_log_gets_a_line_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    """A hundred stored runs at once, then one every ten seconds: 894 / 105 minutes are left, then 888 / 6."""
    now = 0.0
    lines = LogLines("some sweep", clock=lambda: now)
    for done in range(1, 101):
        lines.step(done, 1000)
    for done in range(101, 113):
        now += 10.0
        if done == 107:
            lines.name("another")
        lines.step(done, 1000)
    assert capsys.readouterr().err.splitlines() == [
        "some sweep: 106 of 1000 runs, about 8.51 minutes left",
        "another: 112 of 1000 runs, about 2.47 hours left",
    ]


def test_short_work_leaves_a_log_empty(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal_bar("some sweep") as (step, name):
        name("another")
        for done in range(1, 11):
            step(done, 10)
    assert capsys.readouterr().err == ""
