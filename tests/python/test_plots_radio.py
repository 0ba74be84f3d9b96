"""Figures of radio: whose the air was, and a map of who is where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from conftest import Command

import windlass
from windlass import Flow, InputError, RunResult, Scenario, Wlan, plots

KINDS = {
    "wlan": {
        "stations": 2,
        "placing": {"kind": "line", "spacing": "40 m"},
        "backbone": {"rate": "1 Gbps", "delay": "0 s"},
    },
    "chain": {"nodes": 4, "spacing": "200 m", "radio": {"set": "ns2-default"}},
    "graph": {
        "media": [
            {"name": "a", "stations": ["x", "m"], "positions": [["0 m", "0 m"], ["3 m", "0 m"]]},
            {"name": "b", "stations": ["m", "y"], "positions": [["3 m", "0 m"], ["3 m", "4 m"]], "reception": "snr"},
        ]
    },
    "cellular": {
        "stations": ["0 m", "1 km"],
        "radius": "600 m",
        "mobile": {"waypoints": [["1 s", "0 m", "0 m"], ["3 s", "100 m", "50 m"], ["9 s", "400 m", "50 m"]]},
        "backbone": {"rate": "100 Mbps", "delay": "10 ms"},
    },
}
ENDS = {
    "wlan": ("station/0", "wired/0"),
    "chain": ("n0", "n3"),
    "graph": ("x", "y"),
    "cellular": ("server", "mobile/0"),
}


def of_kind(kind: str, **keys: Any) -> Scenario:
    """Five seconds of one flow."""
    source, target = ENDS[kind]
    return windlass.from_dict(
        {
            "scenario": {"duration": "5 s", "seeds": 1},
            "topology": {"kind": kind, **KINDS[kind], **keys},
            "flows": [{"from": source, "to": target, "algorithm": "newreno"}],
        }
    )


def legend(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


# ---- airtime


def aired(shares: dict[tuple[str, str], list[float]]) -> RunResult:
    """A run with these shares, second by second, by medium and station."""
    names = [station for _, station in shares]
    subjects = [name if names.count(name) == 1 else f"{medium}/{name}" for medium, name in shares]
    rows = [
        (float(at + 1), s, v) for s, line in zip(subjects, shares.values(), strict=True) for at, v in enumerate(line)
    ]
    times, subject, values = (list(column) for column in zip(*rows, strict=True))
    traces = {"time_s": times, "subject": subject, "variable": ["airtime_share"] * len(rows), "value": values}
    stations = {"medium": [medium for medium, _ in shares], "station": names}
    return RunResult("k", 1, {}, {"traces": pa.table(traces), "stations": pa.table(stations)})


def bands(axes: Any) -> dict[str, tuple[list[float], list[float], list[float]]]:
    """Lower and upper edges and times of each band."""
    found = {}
    for patch in axes.patches:
        values, edges, baseline = patch.get_data()
        found[patch.get_label()] = (list(baseline), list(values), list(edges))
    return found


def test_shares_are_stacked_over_the_time_that_they_are_of() -> None:
    figure = plots.airtime_over_time(aired({("air", "s"): [0.1, 0.3], ("air", "ap"): [0.5, 0.4]}))
    (axes,) = figure.axes
    assert bands(axes) == {
        "s": ([0.0, 0.0], [10.0, 30.0], [0.0, 1.0, 2.0]),
        "ap": ([10.0, 30.0], pytest.approx([60.0, 70.0]), [0.0, 1.0, 2.0]),
    }
    assert axes.get_ylim() == (0.0, 100.0)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time (s)", "share of the time on air (%)")
    assert legend(figure) == ["ap", "s"], "as the bands lie on each other"


def test_ten_bands_differ_without_colour_and_more_are_joined() -> None:
    shares = {("air", f"s{number}"): [0.01 * (1 + number)] for number in range(12)}
    figure = plots.airtime_over_time(aired(shares))
    found = bands(figure.axes[0])
    assert list(found) == [*(f"s{number}" for number in range(3, 12)), "3 others"]
    lower, upper, _ = found["3 others"]
    assert upper[0] - lower[0] == pytest.approx(1 + 2 + 3)
    assert len({patch.get_hatch() for patch in figure.axes[0].patches}) == 10
    ten = plots.airtime_over_time(aired({key: shares[key] for key in list(shares)[:10]}))
    assert "others" not in " ".join(legend(ten))


def test_stations_that_do_not_hear_each_other_can_have_more_than_all() -> None:
    (axes,) = plots.airtime_over_time(aired({("air", "a"): [0.7], ("air", "b"): [0.6]})).axes
    assert axes.get_ylim()[1] > 130.0
    assert [list(line.get_ydata()) for line in axes.get_lines()] == [[100.0, 100.0]]


def test_each_medium_has_a_panel_and_a_node_on_two_is_in_both() -> None:
    shares = {("a", "x"): [0.1], ("a", "m"): [0.2], ("b", "m"): [0.3], ("b", "y"): [0.4]}
    figure = plots.airtime_over_time(aired(shares))
    first, second = figure.axes
    assert bands(first)["a: m"][1] == pytest.approx([30.0])
    assert bands(second)["b: m"][1] == pytest.approx([30.0])
    assert bands(second)["b: y"][0] == pytest.approx([30.0])
    assert (first.get_ylabel(), second.get_ylabel()) == ("airtime, a (%)", "airtime, b (%)")
    result = of_kind("graph").with_({"output.traces": ["airtime"]}).run(1)
    assert legend(plots.airtime_over_time(result)) == ["a: m", "a: x", "b: y", "b: m"]


def test_bands_of_a_run_are_the_table_of_its_stations() -> None:
    result = of_kind("wlan").with_({"output.traces": ["airtime"], "output.trace_step": "500 ms"}).run(1)
    found = bands(plots.airtime_over_time(result).axes[0])
    for row in result.stations.to_pylist():
        lower, upper, edges = found[row["station"]]
        assert edges == pytest.approx([0.5 * at for at in range(11)])
        mean = sum(b - a for a, b in zip(lower, upper, strict=True)) / len(lower)
        assert mean == pytest.approx(100.0 * row["airtime_share"], abs=1e-9)


def test_without_airtime_there_is_no_figure(small: Scenario) -> None:
    for result in (small.run(1), of_kind("wlan").run(1), small.with_({"output.traces": ["airtime"]}).run(1)):
        with pytest.raises(InputError, match="no airtime") as caught:
            plots.airtime_over_time(result)
        assert caught.value.code == "plot.no-trace"


# ---- the map


def test_a_map_says_where_everybody_is_and_how_far_frames_go() -> None:
    (cell,) = of_kind("wlan").points()[0].map()
    assert [(node["name"], node["role"], node["way"]) for node in cell["nodes"]] == [
        ("station/0", "station", [[0.0, 40.0, 0.0]]),
        ("station/1", "station", [[0.0, 80.0, 0.0]]),
        ("ap/0", "access-point", [[0.0, 0.0, 0.0]]),
    ]
    # 16 dBm less 40.2 dB of the first metre of 2.437 GHz, to -82 dBm: 57.8 dB are 10^(57.8 / 30) m
    assert cell["receive_range"] == cell["sense_range"] == pytest.approx(84.6, abs=0.1)
    (chain,) = of_kind("chain").points()[0].map()
    assert (chain["receive_range"], chain["sense_range"]) == (pytest.approx(250, abs=0.1), pytest.approx(550, abs=0.1))
    both = of_kind("graph").points()[0].map()
    assert [one["name"] for one in both] == ["a", "b"]
    assert both[1]["receive_range"] is None, "with `snr` that is a matter of chance"
    assert both[1]["sense_range"] > 0.0


def test_a_map_follows_mobiles_until_the_end_of_the_run() -> None:
    (cells,) = of_kind("cellular").points()[0].map()
    assert cells["radius"] == 600.0
    assert [node["name"] for node in cells["nodes"]] == ["base/0", "base/1", "mobile/0"]
    # at 5 s a third of the way from 100 m to 400 m
    assert cells["nodes"][2]["way"] == [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [3.0, 100.0, 50.0],
        [5.0, pytest.approx(200.0), pytest.approx(50.0)],
    ]
    line = {"mobile": {"line": {"from": ["5 m", "0 m"], "velocity": ["10 m/s", "-1 m/s"]}}}
    (cells,) = of_kind("cellular", **line).points()[0].map()
    assert cells["nodes"][2]["way"] == [[0.0, 5.0, 0.0], [5.0, 55.0, -5.0]]
    (cells,) = of_kind("cellular", mobile={"fixed": "7 m"}).points()[0].map()
    assert cells["nodes"][2]["way"] == [[0.0, 7.0, 0.0]]


def test_stations_that_move_have_ways() -> None:
    walk = {"station/1": {"line": {"from": "5 m", "velocity": "2 m/s"}}}
    point = of_kind("wlan", moves=walk).points()[0]
    (cell,) = point.map()
    assert [node["way"] for node in cell["nodes"]][:2] == [[[0.0, 40.0, 0.0]], [[0.0, 5.0, 0.0], [5.0, 15.0, 0.0]]]
    figure = plots.map_of_positions(point)
    assert legend(figure)[1:] == ["access point", "station/1", "station"]
    assert {"0 s", "5 s"} <= {text.get_text() for text in figure.axes[0].texts}


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("wlan", ["decoded and sensed up to 84.6 m", "access point", "station"]),
        ("chain", ["n2 decoded up to 250 m", "n2 sensed up to 550 m", "station"]),
        ("cellular", ["serves up to 600 m", "base station", "mobile/0"]),
    ],
)
def test_a_map_is_drawn(kind: str, words: list[str]) -> None:
    figure = plots.map_of_positions(of_kind(kind).points()[0])
    (axes,) = figure.axes
    assert legend(figure) == words
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("east (m)", "north (m)")
    assert axes.get_aspect() == 1.0
    names = {node["name"] for one in of_kind(kind).points()[0].map() for node in one["nodes"] if len(node["way"]) == 1}
    assert names <= {text.get_text() for text in axes.texts}
    radii = sorted({patch.radius for patch in axes.patches})
    assert radii == pytest.approx({"wlan": [84.6], "chain": [250, 550], "cellular": [600]}[kind], abs=0.1)


def test_times_stand_beside_a_way() -> None:
    (axes,) = plots.map_of_positions(of_kind("cellular").points()[0]).axes
    noted = {text.get_text(): text.xy for text in axes.texts if text.get_text().endswith(" s")}
    assert noted["2 s"] == (pytest.approx(50.0), pytest.approx(25.0))
    assert noted["5 s"] == (pytest.approx(200.0), pytest.approx(50.0))


def test_a_range_far_beyond_the_stations_has_no_circle() -> None:
    figure = plots.map_of_positions(of_kind("graph").points()[0])
    assert [len(axes.patches) for axes in figure.axes] == [0, 0]
    assert legend(figure)[0] == "m decoded and sensed up to 84.6 m, beyond the map"
    assert [axes.get_ylabel() for axes in figure.axes] == ["a: north (m)", "b: north (m)"]


def test_where_nothing_has_a_place_there_is_no_map(small: Scenario) -> None:
    alike = {"placing": None, "stations": 2}
    for scenario in (small, of_kind("wlan", **alike)):
        assert scenario.points()[0].map() == []
        with pytest.raises(InputError, match="has a place") as caught:
            plots.map_of_positions(scenario.points()[0])
        assert caught.value.code == "plot.no-positions"


# ---- the command


def test_the_command_draws_both(command: Command, work: Path) -> None:
    short = ["--set", "scenario.duration=3 s", "--set", "scenario.warmup=1 s"]
    assert command("plot", "cafe", *short, "--kind", "airtime", "-o", "a.svg").exit_code == 0
    text = (work / "a.svg").read_text()
    assert ">share of the time on air (%)<" in text
    assert ">ap/0<" in text
    assert ">station/7<" in text
    assert command("plot", "cafe", "--kind", "positions", "-o", "p.svg").exit_code == 0
    assert ">access point<" in (work / "p.svg").read_text()
    wrong = command("plot", "lossy-dumbbell", "--kind", "positions", "-o", "w.svg")
    assert wrong.exit_code == 2
    assert wrong.stderr.startswith("error[plot.no-positions]: ")
    assert not (work / "w.svg").exists()


def test_names_on_a_map_do_not_cover_each_other() -> None:
    """Where all stand close together, names go to other sides, and those far away have a line to their place."""
    near = [[f"{0.2 * number:g} m", "0 m"] for number in range(5)]
    topology = Wlan(stations=5, positions=near, radio={"set": "dot11a"})
    flow = Flow(from_="station/*", to="ap/0", algorithm="newreno")
    (axes,) = plots.map_of_positions(Scenario(duration="1 s", topology=topology, flows=flow).points()[0]).axes
    names = [note for note in axes.texts if note.get_text()]
    assert len(names) == 6
    boxes = [note.get_window_extent() for note in names]
    assert not any(one.overlaps(other) for at, one in enumerate(boxes) for other in boxes[:at])
