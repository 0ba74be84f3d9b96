"""Radio media as users meet them: the table of stations, `run`, `explain`, cautions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

import windlass
from windlass import Cellular, Chain, Flow, Scenario, Wlan, _toml, cautions, output
from windlass.compare import compare


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


def ride(radius: str) -> Scenario:
    """A mobile at 100 m/s from a station at the origin to one at 1 km."""
    topology = Cellular(
        preset="rana",
        stations=["0 m", "1 km"],
        radius=radius,
        mobile={"from": "0 m", "to": "1 km", "speed": "100 m/s"},
        backbone={"rate": "100 Mbps", "delay": "10 ms"},
    )
    return Scenario(duration="10 s", topology=topology, flows=Flow(from_="server", to="mobile/0", algorithm="cubic"))


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


def test_explain_tells_classes_and_what_goes_together(command: Command, work: Path) -> None:
    flow = Flow(from_="station/0", to="ap/0", algorithm="cubic", class_="video")
    radio = {"set": "dot11n", "rts_threshold": "0 B", "ap_edca": "usual"}
    scenario = Scenario(duration="4 s", topology=Wlan(stations=1, radio=radio), flows=flow)
    (work / "classes.toml").write_text(_toml.document(scenario.composed()))
    lines = [line[2:] for line in command("explain", "classes.toml").stdout.splitlines() if line.startswith("# ")]
    at = next(number for number, line in enumerate(lines) if "video, access-point" in line)
    # 34 (25 for the access point), 3.5 slots of 9; 8 x (88 + 272) + 7 x 16 = 2992 of 3008 us
    assert lines[at - 3 : at] == [
        "air, 65 Mbit/s, data of 1500 B, video, station: RTS 28 + CTS 28 + data 228 + 3 x SIFS 16 + ACK 28 = 360 us",
        (
            "    with AIFS 34 and a mean backoff of 31.5, 8 exchanges within 3008 us: 3057.5 us, at most 31.398 Mbit/s "
            "of such packets"
        ),
        "    14 together: 2901.5 us, at most 57.901 Mbit/s",
    ]
    assert "with AIFS 25 and" in lines[at + 1]


@pytest.mark.parametrize(
    ("radio", "kind"),
    [
        ({"set": "dot11a", "edca": True}, "video"),
        ({"set": "dot11a", "edca": True}, "voice"),
        ({"set": "dot11a", "edca": True}, "best-effort"),
        ({"set": "dot11n", "rts_threshold": "0 B"}, "best-effort"),
        ({"set": "dot11n"}, "video"),
        ({"set": "dot11n", "edca": {"best-effort": {"txop": "1.5 ms"}}}, "best-effort"),
        ({"set": "dot11n", "rts_threshold": "0 B", "edca": {"best-effort": {"txop": "10 ms"}}}, "best-effort"),
        ({"set": "dot11g-prot", "rates": {"station/0": "11 Mbps"}}, "best-effort"),
        ({"set": "dot11g-prot", "edca": True, "rates": {"station/0": "11 Mbps"}}, "video"),
    ],
)
def test_a_lone_station_gets_what_explain_allows(radio: dict[str, Any], kind: str) -> None:
    traffic = {"kind": "cbr", "rate": "120 Mbps", "packet": "1500 B", "header": "0 B"}
    flow = Flow(from_="station/0", to="ap/0", transport="udp", traffic=traffic, class_=kind)
    point = Scenario(
        duration="6 s", warmup="1 s", topology=Wlan(stations=1, hosts=0, radio=radio), flows=flow
    ).points()[0]
    row = point.exchanges()[0]
    allowed = row.get("together_mbps", row["mbps"])
    assert point.run(1).flows["goodput_bps"].to_pylist()[0] / 1e6 == pytest.approx(allowed, rel=0.005)


def test_explain_tells_what_cells_carry_and_who_serves_when(command: Command, work: Path) -> None:
    shown = command("explain", "train").stdout
    assert "# air: 3 base stations that reach 1200 m, frames of 1 ms\n" in shown
    # at the edge 0.6 bits per second and hertz of 10 MHz
    assert "at 1200 m, 0 dB: a frame holds 750 B down, 499 B up: at most 6.000 and 3.992 Mbit/s" in shown
    assert "# mobile/0: base/0 until 22.05 s, handover of 200 ms, base/1 until 62.05 s, handover" in shown
    assert "caution" not in shown
    told = json.loads(command("explain", "train", "--json").stdout)[0]
    assert told["cells"][0]["mobiles"][0]["served"][1] == {
        "from_s": 22.05,
        "until_s": 22.25,
        "station": None,
        "why": "handover",
    }
    assert "absences" not in told
    (work / "bus.toml").write_text(_toml.document(ride("500 m").with_({"topology.preset": "wimax"}).composed()))
    # 15 dB above the edge with the exponent 3.5: 500 / 10^(15 / 35) m
    assert "#     up to 186.4 m, 21 dB, 64qam34: a frame holds 7020 B down" in command("explain", "bus.toml").stdout
    fixed = [{"fixed": f"{metres} m"} for metres in range(12)]
    many = ride("500 m").document()
    many["topology"] = {key: value for key, value in many["topology"].items() if key != "mobile"} | {"mobiles": fixed}
    (work / "many.toml").write_text(_toml.document(windlass.from_dict(many).composed()))
    shown = command("explain", "many.toml").stdout
    assert "# mobile/9: base/0 until 10 s\n# and 2 mobiles more\n" in shown


def test_who_leaves_coverage_is_named_wherever_results_are(command: Command, work: Path) -> None:
    # 300 m of radius: from 3.1 s on, the first measurement beyond it, until 7 s
    words = "`mobile/0` is out of coverage for 3.9 s, at first from 3.1 s on"
    (work / "ride.toml").write_text(_toml.document(ride("300 m").composed()))
    assert f"# caution: {words}: no base" in command("explain", "ride.toml").stdout
    told = json.loads(command("explain", "ride.toml", "--json").stdout)[0]
    assert (told["absences"][0]["node"], told["absences"][0]["cellular"]) == ("mobile/0", True)
    for line in (("run", "ride.toml"), ("sweep", "ride.toml", "--seeds", "2")):
        assert f"caution: {words} (seed 1): no base" in command(*line).stdout
    result = compare(ride("300 m"), ["cubic", "newreno"], seeds=2, neighbour=False)
    assert any(caution.startswith(words) for caution in result.cautions)
    assert cautions.of_runs([ride("500 m").run(1)]) == []


def test_explain_cautions_of_who_walks_away(command: Command, work: Path) -> None:
    (work / "walk.toml").write_text(_toml.document(walk("20 m").composed()))
    words = "# caution: medium `air`: `station/0` is out of reach of the station that it talks to for 1.8 s, at first"
    assert words in command("explain", "walk.toml").stdout


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        (cell(loss="10 %", short_retry_limit=2), "gave up"),
        # (84.6 - 2) m at 20 m/s, seen every 100 ms
        (walk("20 m"), "`station/0` is out of reach of the station that it talks to for 1.8 s, at first from 4.2 s on"),
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
