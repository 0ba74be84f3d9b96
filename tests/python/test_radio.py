"""Radio media as users meet them: the table of stations, `run`, `explain`, cautions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

import windlass
from windlass import Chain, Flow, Scenario, Wlan, cautions, output


def cell(**radio: Any) -> Scenario:
    """Two stations that upload to a host behind their access point."""
    backbone = {"rate": "100 Mbps", "delay": "10 ms"}
    flow = Flow(from_="station/0", to="wired/0", algorithm="cubic")
    other = Flow(name="other", from_="station/1", to="wired/0", algorithm="cubic")
    topology = Wlan(stations=2, backbone=backbone, radio={"set": "dot11b"} | radio)
    return Scenario(name="cell", duration="4 s", warmup="1 s", topology=topology, flows=[flow, other])


def walk(speed: str) -> Scenario:
    """A station that goes away at so much per second: -82 dBm are the edge, 84.6 m away (16 dBm, 2.4 GHz, cube)."""
    topology = Wlan(
        stations=1,
        positions=[["0 m", "0 m"]],
        moves={"station/0": {"line": {"from": "2 m", "velocity": f"{speed}/s"}}},
        backbone={"rate": "100 Mbps", "delay": "10 ms"},
    )
    flow = Flow(from_="station/0", to="wired/0", algorithm="cubic")
    return Scenario(duration="6 s", topology=topology, flows=flow)


def test_stations_are_written_and_read_back(work: Path) -> None:
    result = windlass.sweep(cell(), store=False)
    assert result.stations["station"].to_pylist() == ["station/0", "station/1", "ap/0"]
    folder = result.write("results")
    assert (folder / "stations.parquet").exists()
    assert output.read_sweep(folder).stations.equals(result.stations)
    shares = result.stations["airtime_share"].to_pylist()
    assert all(0.0 < share < 1.0 for share in shares)
    assert sum(shares) < 1.0


def test_run_shows_the_stations(command: Command, work: Path) -> None:
    (work / "cell.toml").write_text(
        '[scenario]\nduration = "4 s"\n[topology]\nkind = "wlan"\nstations = 2\n'
        '[[flows]]\nfrom = "station/0"\nto = "station/1"\nalgorithm = "newreno"\n'
    )
    shown = command("run", "cell.toml").stdout
    assert "airtime %" in shown
    assert "ap/0" in shown
    tables = json.loads(command("run", "cell.toml", "--json").stdout)
    assert [row["role"] for row in tables["stations"]] == ["station", "station", "access-point"]


def test_explain_tells_how_long_a_frame_takes(command: Command) -> None:
    shown = command("explain", "cafe").stdout
    # 28 + 67.5 + 298 us for 12 000 bits
    assert "data of 1500 B: data 254 + SIFS 10 + ACK 34 = 298 us" in shown
    assert "393.5 us, at most 30.496 Mbit/s" in shown
    told = json.loads(command("explain", "radio-chain", "--json").stdout)[0]["exchanges"][0]
    assert (told["rts"], told["cts"], told["spaces"]) == (352.0, 304.0, 3)
    assert "exchanges" not in json.loads(command("explain", "lossy-dumbbell", "--json").stdout)[0]


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        (cell(loss="10 %", short_retry_limit=2), "gave up"),
        (walk("20 m"), "`station/0` is out of reach of the station that it talks to for 1."),
        (
            Scenario(
                duration="2 s",
                profile="ns2",
                topology=Chain(nodes=5, spacing="100 m"),
                flows=Flow(from_="n0", to="n4", algorithm="newreno"),
            ),
            "decode each other over 1 node between them",
        ),
        (
            Scenario(
                duration="1 s",
                topology=Wlan(stations=201),
                flows=Flow(from_="station/0", to="station/1", algorithm="newreno"),
            ),
            "has 202 stations",
        ),
    ],
)
def test_doubtful_media_are_cautioned(scenario: Scenario, words: str) -> None:
    found = cautions.cautions_of([scenario.run(1)])
    assert any(words in caution for caution in found), found
    assert not any("medium" in caution for caution in cautions.cautions_of([cell().run(1)]))
