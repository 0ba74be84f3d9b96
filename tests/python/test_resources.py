"""What runs may need: estimates, refusals with the option that allows, and records that end where there is no room."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL_TOML, Command

import windlass
from windlass import InputError, resources


def at_rate(access: str, **bottleneck: Any) -> dict[str, Any]:
    """One flow over links of a rate."""
    link = {"rate": access, "delay": "1 ms", "queue": "100 packets"}
    return {
        "scenario": {"duration": "10 s"},
        "topology": {"kind": "dumbbell", "access": link, "bottleneck": link | bottleneck},
        "flows": [{"from": "left/*", "to": "right/*", "algorithm": "newreno"}],
    }


ENDS = {"from": "left/*", "to": "right/*"}
UDP = {"transport": "udp", "traffic": {"kind": "cbr", "rate": "1 Gbps", "packet": "1 B"}}

CASES: dict[str, tuple[dict[str, Any], str]] = {
    "a queue of 10^9 packets at 10 Tbps": (
        at_rate("10 Tbps", rate="1 Tbps", queue="1000000000 packets")
        | {"flows": [ENDS | {"transport": "udp", "traffic": {"kind": "cbr", "rate": "9 Tbps", "packet": "1000 B"}}]},
        "packets under way",
    ),
    "handovers for a month": (
        at_rate("1 Mbps")
        | {
            "scenario": {"duration": "720 h"},
            "topology": at_rate("1 Mbps", handovers=[{"at": "0 s", "every": "2 ms", "gap": "1 ms"}])["topology"],
        },
        "flows and links",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_no_machine_can_do_is_refused_with_its_number_and_the_option(name: str) -> None:
    document, part = CASES[name]
    scenario = windlass.from_dict(document)
    with windlass.limits(max_memory="1 GB", max_time="30 d"), pytest.raises(InputError) as refused:
        windlass.run(scenario)
    assert refused.value.code == "run.too-large"
    assert part in refused.value.message
    assert "1.000 GB are allowed" in refused.value.message
    assert "--max-memory" in (refused.value.hint or "")


def test_a_run_of_more_than_a_day_is_refused_and_can_be_allowed() -> None:
    scenario = windlass.from_dict(at_rate("10 Tbps") | {"scenario": {"duration": "1 h"}})
    with pytest.raises(InputError) as refused:
        windlass.run(scenario)
    assert refused.value.code == "run.too-long"
    assert re.search(r"would take up to [0-9.]+ hours .* 24.0 hours is allowed", refused.value.message)
    assert "--max-time" in (refused.value.hint or "")
    short = windlass.from_dict(at_rate("1 Mbps"))
    with windlass.limits(max_time=1e-6), pytest.raises(InputError, match="would take up to"):
        windlass.run(short)
    with windlass.limits(max_time=1e-6), windlass.limits(max_time="1 min"):
        assert windlass.run(short).flows.num_rows == 1


def test_a_million_points_with_a_million_seeds_do_not_just_start() -> None:
    document = at_rate("1 Mbps")
    document["scenario"]["seeds"] = 1_000_000
    document["sweep"] = {"topology.bottleneck.loss.rate": [f"{n / 2000:.4f} %" for n in range(2000)]}
    with pytest.raises(InputError, match="2000000000 runs would take up to") as refused:
        windlass.sweep(windlass.from_dict(document), store=False)
    assert refused.value.code == "run.too-long"


def test_results_of_many_runs_count(small: windlass.Scenario) -> None:
    with windlass.limits(max_memory="3 MB"):
        assert len(windlass.sweep(small, jobs=1, store=False)) == 3
        with pytest.raises(InputError, match="100 runs need up to") as refused:
            windlass.sweep(small, seeds=100, jobs=1, store=False)
    assert refused.value.code == "run.too-large"


def test_a_refusal_changes_no_result(small: windlass.Scenario) -> None:
    free = windlass.run(small)
    with windlass.limits(max_memory="1 TB", max_time="100 d"):
        allowed = windlass.run(small)
    assert (free.key, free.tables) == (allowed.key, allowed.tables)


@pytest.mark.parametrize(
    ("text", "size"), [("4 GB", 4e9), ("512MB", 512e6), ("1.5 GiB", 1.5 * 2**30), (1000, 1000.0), ("3kb", 3000.0)]
)
def test_sizes(text: str | float, size: float) -> None:
    with windlass.limits(max_memory=text):
        assert resources.allowed().memory_bytes == size


@pytest.mark.parametrize(("text", "seconds"), [("2 d", 172_800.0), ("36h", 129_600.0), ("90 min", 5400.0), (5, 5.0)])
def test_times(text: str | float, seconds: float) -> None:
    with windlass.limits(max_time=text):
        assert resources.allowed().seconds == seconds


@pytest.mark.parametrize("wrong", ["4", "GB", "-1 GB", "0 GB", "nan GB", "4 Gb/s", 0.0, float("nan")])
def test_what_is_no_size_is_refused(wrong: str | float) -> None:
    with pytest.raises(InputError, match="is not a size") as refused, windlass.limits(max_memory=wrong):
        pass
    assert refused.value.code == "run.limit"


def test_the_usual_limit_is_half_of_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "_free_bytes", lambda: 3e9)
    assert resources.allowed() == resources.Allowed(1.5e9, 86_400.0)


def test_control_groups_bound_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0.0 < resources._free_bytes() < 1e15
    monkeypatch.setattr(resources, "_of_groups", lambda: [5e6])
    assert resources._free_bytes() == 5e6


def test_events_of_tiny_datagrams_and_windows_without_a_step_stay_small() -> None:
    """The estimates of what took 2 GB each."""
    udp = at_rate("1 Gbps", rate="1 Mbps")
    udp["flows"] = [ENDS | UDP]
    udp["output"] = {"events": True}
    traced = at_rate("100 Mbps") | {"output": {"traces": ["cwnd"]}}
    traced["scenario"] = {"duration": "600 s"}
    for document in (udp, traced):
        (point,) = windlass.from_dict(document).points()
        found = point.estimate()
        assert found["records"] > 4e6
        assert found["record_bytes"] < 1.6e9
        document.setdefault("output", {})["trace_step"] = "100 ms"
    (stepped,) = windlass.from_dict(traced).points()
    assert stepped.estimate()["record_bytes"] < 2e6


def test_what_is_not_recorded_is_told(small: windlass.Scenario) -> None:
    import pyarrow as pa

    from windlass.cautions import of_runs

    result = windlass.run(small)
    assert of_runs([result]) == []
    at = result.flows.column_names.index("recorded_until_s")
    cut = result.flows.set_column(at, "recorded_until_s", pa.array([1.5] * result.flows.num_rows))
    (told,) = of_runs([windlass.RunResult(result.key, 1, {}, result.tables | {"flows": cut})])
    assert "not everything is recorded: from 1.5 s on (seed 1)" in told


def test_the_command_refuses_and_allows(command: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL_TOML)
    for args in (
        ("run", tmp_path / "small.toml"),
        ("sweep", tmp_path / "small.toml"),
        ("compare", "newreno", "veno", "--path", tmp_path / "small.toml"),
        ("plot", tmp_path / "small.toml", "-o", "a.svg"),
    ):
        refused = command(*args, "--max-memory", "1kB")
        assert refused.exit_code == 2, refused.stderr
        assert "error[run.too-large]" in refused.stderr
        assert "--max-memory" in refused.stderr
    assert command("run", tmp_path / "small.toml", "--max-memory", "1GB", "--max-time", "1h").exit_code == 0
    wrong = command("run", tmp_path / "small.toml", "--max-time", "soon")
    assert (wrong.exit_code, "error[run.limit]" in wrong.stderr) == (2, True)


def test_a_trace_of_a_month_is_refused(command: Command, tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(SMALL_TOML.replace('"5 s"', '"720 h"'))
    args = ("trace", tmp_path / "long.toml", "bottleneck", "--max-memory", "1GB")
    refused = command(*args)
    # 2 Mbit/s for 2.592 million seconds in units of 1504 bytes are 4.31e8
    assert "error[run.too-large]" in refused.stderr
    assert "4.31e8 delivery opportunities" in refused.stderr


def test_explain_says_what_a_run_needs(command: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL_TOML)
    shown = command("explain", tmp_path / "small.toml").stdout
    assert re.search(
        r"# at most 1 400 packets in the first run, 30.8 ms on one core, [0-9.]+ [kM]B of memory\n", shown
    )
    found = json.loads(command("explain", tmp_path / "small.toml", "--json").stdout)
    assert found[0]["estimate"]["packets"] == pytest.approx(2 * 2e6 * 4.5 / 8 / 1500, rel=0.1)


def test_the_guide_has_the_number_of_pairs_and_flows_that_are_refused(command: Command, tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "scenario-files.md").read_text(encoding="utf-8")
    for key, text in (("pairs", "side (default 1, at most 100 000)"), ("count", "together have at most 100 000 flows")):
        assert text in guide
        wrong = SMALL_TOML.replace("pairs = 2", "pairs = 100001" if key == "pairs" else "pairs = 1")
        wrong = wrong if key == "pairs" else wrong.replace("[[flows]]", "[[flows]]\ncount = 100001")
        (tmp_path / "many.toml").write_text(wrong)
        for name in ("run", "explain"):
            refused = command(name, tmp_path / "many.toml")
            assert refused.exit_code == 2
            assert "error[scenario.too-many-flows]" in refused.stderr
            assert "at most 100000" in refused.stderr
            assert "hint: simulate a share of the" in refused.stderr


def test_long_work_says_how_long_it_takes(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from windlass.cli import files

    (tmp_path / "small.toml").write_text(SMALL_TOML)
    assert "by estimate" not in command("run", tmp_path / "small.toml").stderr
    monkeypatch.setattr(files, "LONG_S", 0.0)
    assert "the run takes up to 10.3 ms and 140 kB" in command("run", tmp_path / "small.toml").stderr
    assert "3 runs take up to" in command("sweep", tmp_path / "small.toml").stderr


@pytest.mark.parametrize("name", windlass.ready_scenarios())
def test_no_ready_scenario_is_refused(name: str) -> None:
    points = windlass.load(name).points()
    wanted = resources.need(points, len(points) * len(windlass.load(name).seeds), 1)
    assert wanted.seconds < resources.DAY_S / 10
    assert wanted.memory_bytes < 1e9
