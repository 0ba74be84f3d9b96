"""`windlass explain` and `windlass trace`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

import windlass


def test_explain_is_a_scenario_that_gives_the_same_run(command: Command, sweep_file: Path, tmp_path: Path) -> None:
    result = command("explain", sweep_file, "--set", "topology.pairs=3")
    assert result.exit_code == 0
    assert result.stdout.startswith('# Point 1 of 6:\n#   flows.algorithm = "newreno"\n')
    file = tmp_path / "explained.toml"
    file.write_text(result.stdout)
    expected = windlass.load(sweep_file, {"topology.pairs": 3}).points()[0]
    assert windlass.load(file).points()[0].key(1) == expected.key(1)
    assert "dup_threshold" in result.stdout, "defaults are written out"


@pytest.mark.parametrize("name", sorted(windlass.ready_scenarios()))
def test_explained_ready_scenarios_give_the_same_run(command: Command, name: str, tmp_path: Path) -> None:
    # What is recorded is no part of the description, so it is set to the same in both.
    nothing = {"output.traces": [], "output.events": False, "output.delays": False}
    file = tmp_path / "explained.toml"
    file.write_text(command("explain", name).stdout)
    explained = windlass.load(file, nothing).points()[0]
    assert explained.key(3) == windlass.load(name, nothing).points()[0].key(3)


def test_explain_as_json_has_every_point(command: Command, sweep_file: Path) -> None:
    points = json.loads(command("explain", sweep_file, "--json").stdout)
    assert len(points) == 6
    assert points[4]["axes"] == {"flows.algorithm": "westwood-plus", "topology.bottleneck.loss.rate": "0.5 %"}
    assert points[4]["description"]["flows"][0]["algorithm"]["name"] == "westwood-plus"


def test_trace_writes_what_a_link_can_carry(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    link = 'from = "a", to = "b", rate = "12.032 Mbps", delay = "1 ms", outages = [{ at = "1 s", for = "1 s" }]'
    head = '[scenario]\nduration = "3 s"\n[topology]\nkind = "graph"\n'
    file.write_text(f'{head}links = [{{ {link} }}]\n[[flows]]\nfrom = "a"\nto = "b"\nalgorithm = "reno"\n')
    lines = [*range(1, 1001), *range(2001, 3001)]
    assert [int(line) for line in command("trace", file, "a-b").stdout.split()] == lines
    out = tmp_path / "a.mahi"
    command("trace", file, "a-b", "--reverse", "-o", out)
    # a link that is driven by it can carry the same
    file.write_text(
        file.read_text()
        .replace('rate = "12.032 Mbps"', 'trace = "a.mahi"')
        .replace(', outages = [{ at = "1 s", for = "1 s" }]', "")
    )
    assert [int(line) for line in command("trace", file, "a-b").stdout.split()] == lines
    failed = command("trace", file, "b-a")
    assert failed.exit_code == 2 and "no link `b-a`" in failed.stderr
    failed = command("trace", file, "a-b", "--set", "scenario.duration=0.1 ms")
    assert failed.exit_code == 2 and "trace.empty" in failed.stderr
