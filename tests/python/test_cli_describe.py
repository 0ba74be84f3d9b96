"""`windlass explain` and `windlass trace`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Command

import windlass
from windlass import summary


def test_explain_is_a_scenario_that_gives_the_same_run(command: Command, sweep_file: Path, tmp_path: Path) -> None:
    result = command("explain", sweep_file, "--set", "topology.pairs=3")
    assert result.exit_code == 0
    head = [line for line in result.stdout.splitlines() if line.startswith("#")]
    assert "# swept: flows.algorithm = newreno, westwood-plus" in head
    assert any(line.startswith("# point 1 of 6: flows.algorithm = newreno, ") for line in head)
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


DESCRIBED = """
[scenario]
name = "head"
duration = "10 s"
warmup = "2 s"
seeds = 3
[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "100 Mbps", delay = "1 ms" }
bottleneck = { rate = "10 Mbps", delay = "10 ms", queue = { discipline = "codel" } }
[[flows]]
name = "both"
from = "left/0"
to = "right/0"
algorithm = "cubic"
direction = "both"
segment = "4000 B"
tcp = { delayed_ack = 1, window = "40 segments" }
[[flows]]
name = "call"
from = "left/1"
to = "right/1"
transport = "udp"
traffic = { kind = "cbr", rate = "1 Mbps", packet = "200 B" }
"""


def test_explain_begins_with_a_summary(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "head.toml"
    file.write_text(DESCRIBED)
    head = [line for line in command("explain", file).stdout.splitlines() if line.startswith("#")]
    assert head[0] == "# head: 10 s, measured from 2 s on; 1 point x 3 seeds = 3 runs"
    assert head[1] == "# both: 2 flows, left/0 to right/0, cubic"
    assert "initial window 3.65 segments of 4000 B, one ACK per segment, receiver offers 40 segments" in head[2]
    # 2 x (1 + 10 + 1) ms; 10 Mbps x 24 ms = 30 kB, of 4052 B
    assert head[3] == "#     base RTT 24 ms; narrowest is bottleneck with 10 Mbps; BDP 7.4 packets of 4052 B = 30 kB"
    assert head[4] == "# call: 1 flow, left/1 to right/1, udp"
    queues = {line.partition(":")[0]: line for line in head if line.startswith("# queue of")}
    # 50 packets of 4052 B at 100 Mbps, and 24 ms of that are 300 kB; those that share a queue are named
    assert queues["# queue of left"].endswith("50 packets = 16.2 ms at 100 Mbps = 0.675 BDP; both, call")
    assert "codel, 1000 packets = 3.24 s at 10 Mbps = 135 BDP; both, call" in queues["# queue of bottleneck"]
    assert queues["# queue of bottleneck (reverse)"].endswith("; both")


CHANGES = {
    # 100 and 50 Mbit/s x 24 ms are 300 and 150 kB, of 1500 B
    'changes = [{ at = "5 s", rate = "50 Mbps" }]': ("24 ms", "50 to 100 Mbps", "100 to 200", "150 to 300", "1 to 2"),
    # 24 ms and 2 x 9 ms more
    'changes = [{ at = "5 s", delay = "19 ms" }]': (
        "24 to 42 ms",
        "100 Mbps",
        "200 to 350",
        "300 to 525",
        "0.571 to 1",
    ),
    # drawn: 70 to 130 Mbit/s and 2 x (1 + 15 to 40 + 1) ms, 297.5 to 1365 kB; before that 100 Mbit/s and 24 ms
    'handovers = "leo"': ("24 to 84 ms", "70 to 130 Mbps", "198 to 910", "298 to 1360", "0.22 to 1.01"),
    "": ("24 ms", "100 Mbps", "200", "300", "1"),
}


@pytest.mark.parametrize("changes", CHANGES)
def test_explain_states_a_range_as_a_range(command: Command, tmp_path: Path, changes: str) -> None:
    file = tmp_path / "changing.toml"
    more = f", {changes}" if changes else ""
    file.write_text(f"""
[scenario]
duration = "20 s"
[topology]
kind = "dumbbell"
access = {{ rate = "1 Gbps", delay = "1 ms" }}
bottleneck = {{ rate = "100 Mbps", delay = "10 ms", queue = "200 packets"{more} }}
[[flows]]
from = "left/0"
to = "right/0"
algorithm = "cubic"
segment = "1460 B"
tcp = {{ timestamps = false }}
""")
    head = command("explain", file).stdout
    trip, rate, packets, size, share = CHANGES[changes]
    line = f"base RTT {trip}; narrowest is bottleneck with {rate}; BDP {packets} packets of 1500 B = {size} kB"
    assert line in head
    (queue,) = [line for line in head.splitlines() if line.startswith("# queue of bottleneck:")]
    assert f" at {rate} = {share} BDP; " in queue


def test_explain_says_over_what_a_mean_is_taken(command: Command) -> None:
    head = command("explain", "cellular").stdout
    assert re.search(r"narrowest is downlink with [\d.]+ to [\d.]+ Mbps \(means over 1 s\); BDP", head)


@pytest.mark.parametrize(("text", "segment", "window"), [
    ("rfc6928", 1460.0, 10.0), ("rfc6928", 9000.0, 2.0), ("rfc5681", 1460.0, 3.0), ("2 segments", 1460.0, 2.0)
])  # fmt: skip
def test_an_initial_window_as_a_number(text: str, segment: float, window: float) -> None:
    assert summary.initial_window(text, segment) == window


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
    command("export", file, "--link", "a-b", "-o", "same.mahi")
    assert Path("same.mahi").read_text(encoding="utf-8") == command("trace", file, "a-b").stdout
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
