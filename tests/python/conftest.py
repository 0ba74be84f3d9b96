"""What the tests share: a small scenario, and a place of their own for everything that is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import windlass
from windlass.cli import main


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in an empty folder with an empty store."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("WINDLASS_STORE", str(tmp_path / "store"))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder that the test runs in."""
    return tmp_path / "work"


def small_document() -> dict[str, Any]:
    """Two flows over a bottleneck of 2 Mbit/s for five seconds."""
    return {
        "scenario": {"name": "small", "duration": "5 s", "seeds": 3},
        "topology": {
            "kind": "dumbbell",
            "pairs": 2,
            "access": {"rate": "10 Mbps", "delay": "5 ms"},
            "bottleneck": {"rate": "2 Mbps", "delay": "20 ms", "queue": "20 packets", "loss": "1 %"},
        },
        "flows": [{"from": "left/*", "to": "right/*", "algorithm": "newreno", "start": "uniform(0 s, 1 s)"}],
    }


SMALL_TOML = """\
[scenario]
name = "small"
duration = "5 s"
seeds = 3

[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "10 Mbps", delay = "5 ms" }
bottleneck = { rate = "2 Mbps", delay = "20 ms", queue = "20 packets", loss = "1 %" }

[[flows]]
from = "left/*"
to = "right/*"
algorithm = "newreno"
start = "uniform(0 s, 1 s)"
"""


@pytest.fixture
def small() -> windlass.Scenario:
    """A scenario of one point that takes a few milliseconds."""
    return windlass.from_dict(small_document())


@pytest.fixture
def swept() -> windlass.Scenario:
    """The small scenario over two algorithms and three loss rates."""
    document = small_document()
    document["sweep"] = {
        "flows.algorithm": ["newreno", "westwood-plus"],
        "topology.bottleneck.loss.rate": ["0 %", "0.5 %", "5 %"],
    }
    return windlass.from_dict(document)


# ---- the command

Command = Callable[..., Result]

SWEEP_TOML = f"""{SMALL_TOML}
[sweep]
"flows.algorithm" = ["newreno", "westwood-plus"]
"topology.bottleneck.loss.rate" = ["0 %", "0.5 %", "5 %"]
"""


@pytest.fixture
def command() -> Command:
    def invoke(*args: str | Path) -> Result:
        return CliRunner().invoke(main, [str(arg) for arg in args], prog_name="windlass")

    return invoke


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    file = tmp_path / "small.toml"
    file.write_text(SMALL_TOML)
    return file


@pytest.fixture
def sweep_file(tmp_path: Path) -> Path:
    file = tmp_path / "sweep.toml"
    file.write_text(SWEEP_TOML)
    return file


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
