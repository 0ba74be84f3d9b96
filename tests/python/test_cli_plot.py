"""`windlass plot`: which figures it draws, and the lines of theory in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SMALL_TOML, Command, files_in


def test_plot_draws_the_window_of_a_run(command: Command, small_file: Path, work: Path) -> None:
    result = command("plot", small_file, "--kind", "cwnd", "--seed", "1", "--flow", "flow/1", "-o", "out.svg")
    assert result.exit_code == 0
    assert result.stdout == "out.svg\n"
    assert files_in(work) == ["out.svg"]
    assert ">window (segments)<" in (work / "out.svg").read_text()


def test_plot_draws_the_rates_of_a_run(command: Command, work: Path) -> None:
    sets = ["--set", "scenario.duration=30 s", "--set", "topology.bottleneck.loss.rate=0.5 %"]
    result = command("plot", "tfrc-beside-newreno", *sets, "--kind", "rate", "-o", "r.svg")
    assert result.exit_code == 0, result.output
    text = (work / "r.svg").read_text()
    assert ">allowed rate (Mbit/s)<" in text
    assert ">loss event rate (%)<" in text
    assert ">rate/0 (TFRC)<" in text
    assert ">window/3 (NewReno)<" in text


def test_plot_draws_a_sweep_with_capacity_and_mathis(command: Command, sweep_file: Path, work: Path) -> None:
    command("sweep", sweep_file, "--out", "results")
    result = command(
        "plot", "results", "--x", "topology.bottleneck.loss.rate", "--y", "goodput_bps", "-o", "figures/goodput"
    )
    assert result.exit_code == 0
    assert files_in(work / "figures") == ["goodput.pdf", "goodput.png", "goodput.svg"]
    text = (work / "figures" / "goodput.svg").read_text()
    for word in ("capacity", "Reno, 1/√p (Mathis)", "NewReno", "Westwood+", "loss rate (%)"):
        assert f">{word}<" in text


def test_plot_takes_any_column(command: Command, sweep_file: Path) -> None:
    command("sweep", sweep_file, "--out", "results")
    assert command("plot", "results", "--x", "flows.algorithm", "--y", "timeouts", "-o", "a.png").exit_code == 0
    wrong = command("plot", "results", "--y", "speed", "-o", "b.png")
    assert wrong.exit_code == 2
    assert wrong.stderr.startswith("error[plot.no-metric]: no number `speed`\nhint: ")
    assert not Path("b.png").exists()


@pytest.mark.parametrize(("rules", "b"), [("", 1.0), ('[tcp]\nca_count = "acks"\n', 2.0)])
def test_the_lines_of_theory_are_those_of_payload_and_of_what_counts(
    command: Command, tmp_path: Path, work: Path, rules: str, b: float
) -> None:
    from windlass import output
    from windlass.plots.theory import path_of

    text = SMALL_TOML.replace("seeds = 3", "seeds = 1") + rules
    (tmp_path / "one.toml").write_text(text)
    command("sweep", tmp_path / "one.toml", "--out", "results")
    facts = path_of(output.read_sweep(Path("results")), "goodput_bps")
    # 2 Mbit/s for two flows, 1448 of every 1500 bytes; twice 5 + 20 + 5 ms; an ACK for every second segment, whose
    # bytes count
    assert facts["capacity_bps"] == pytest.approx(1e6 * 1448 / 1500)
    assert facts["mathis"] == {"mss_bytes": 1448.0, "rtt_s": pytest.approx(0.060), "b": b}
