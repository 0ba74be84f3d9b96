"""The command by its output: what it prints where, its exit codes, and that wrong input leaves nothing behind."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from conftest import SMALL_TOML

import windlass
from windlass import _core
from windlass.cli import main

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


# ---- help


def test_help_names_every_command(command: Command) -> None:
    result = command("--help")
    assert result.exit_code == 0
    for name in ("run", "sweep", "plot", "list", "explain", "trace", "reproduce", "errors"):
        assert f"\n  {name} " in result.stdout
    assert command().stdout == result.stdout, "no command shows the help"
    assert command().exit_code == 0


@pytest.mark.parametrize("name", list(main.commands))
def test_every_option_is_explained(name: str) -> None:
    for parameter in main.commands[name].params:
        if parameter.param_type_name == "option":
            assert getattr(parameter, "help", None), f"{name} {parameter.name}"


def test_version(command: Command) -> None:
    assert command("--version").stdout == f"windlass {windlass.__version__}\n"


def test_help_waits_for_nothing_heavy() -> None:
    code = (
        "import sys, windlass.cli\n"
        "windlass.cli.main(['sweep', '--help'], standalone_mode=False)\n"
        "heavy = {'numpy', 'pyarrow', 'scipy', 'matplotlib', 'pandas', 'rich', 'jinja2', 'windlass._core'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


# ---- run


def test_run_prints_a_table(command: Command, small_file: Path, work: Path) -> None:
    result = command("run", small_file, "--seed", "2")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "small, seed 2, 5 s"
    assert "flow/0" in result.stdout
    assert "flow/1" in result.stdout
    total = float(result.stdout.splitlines()[-1].split()[2])
    assert 0.0 < total < 2.0
    assert files_in(work) == [], "without --out nothing is written"


def test_run_as_json(command: Command, small_file: Path) -> None:
    result = command("run", small_file, "--json", "--set", "topology.pairs=1", "--trace", "cwnd,queue", "--events")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert data["scenario"] == "small"
    assert data["seed"] == 1
    assert data["engine"] == _core.ENGINE_VERSION
    assert [flow["flow"] for flow in data["flows"]] == ["flow"]
    assert data["flows"][0]["completion_s"] is None, "what does not exist is null"
    assert {row["variable"] for row in data["traces"]} == {"cwnd_segments", "queue_packets"}
    assert {row["kind"] for row in data["events"]} & {"dup-acks", "timeout"}


def test_run_writes_tables(command: Command, small_file: Path, work: Path) -> None:
    result = command("run", small_file, "--out", "here", "--trace", "cwnd")
    assert result.exit_code == 0
    assert files_in(work / "here") == ["flows.parquet", "links.parquet", "manifest.json", "traces.parquet"]
    assert pq.read_table(work / "here" / "flows.parquet").num_rows == 2


def test_run_takes_a_ready_scenario(command: Command) -> None:
    result = command("run", "single-flow-cwnd", "--set", "scenario.duration=5 s")
    assert result.exit_code == 0
    assert result.stdout.startswith("single-flow-cwnd, seed 1, 5 s\n")


def test_run_of_a_sweep_asks_for_a_point(command: Command, sweep_file: Path) -> None:
    result = command("run", sweep_file)
    assert result.exit_code == 2
    assert result.stderr.startswith("error[run.many-points]: ")
    chosen = command(
        "run", sweep_file, "--set", "flows.algorithm=cerl", "--set", "topology.bottleneck.loss.rate=1 %", "--json"
    )
    assert json.loads(chosen.stdout)["flows"][0]["algorithm"] == "cerl"


# ---- sweep


def test_sweep_prints_a_mean_with_its_interval_for_each_point(command: Command, sweep_file: Path, work: Path) -> None:
    result = command("sweep", sweep_file)
    assert result.exit_code == 0
    rows = [line for line in result.stdout.splitlines() if line.strip().startswith(("newreno", "westwood-plus"))]
    assert len(rows) == 6
    assert all(row.count("±") == 6 for row in rows)
    assert files_in(work) == [
        "windlass-out",
        "windlass-out/small",
        *(f"windlass-out/small/{name}" for name in ("flows.parquet", "links.parquet", "manifest.json", "summary.csv")),
    ]
    assert result.stderr == "18 runs, 0 of them from the store; written to windlass-out/small\n"
    again = command("sweep", sweep_file)
    assert again.stdout == result.stdout
    assert again.stderr == "18 runs, 18 of them from the store; written to windlass-out/small\n"


def test_sweep_as_json(command: Command, sweep_file: Path) -> None:
    result = command("sweep", sweep_file, "--seeds", "2", "--jobs", "1", "--json", "--out", "x")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert (data["runs"], data["from_store"], data["out"]) == (12, 0, "x")
    assert data["axes"] == ["flows.algorithm", "topology.bottleneck.loss.rate"]
    assert len(data["summary"]) == 6
    first = data["summary"][0]
    assert first["goodput_bps_lo"] < first["goodput_bps_mean"] < first["goodput_bps_hi"]
    assert first["goodput_bps_n"] == 2


def test_sweep_of_one_seed_has_null_intervals_in_json(command: Command, small_file: Path) -> None:
    data = json.loads(command("sweep", small_file, "--seeds", "1", "--json").stdout)
    assert data["summary"][0]["goodput_bps_lo"] is None
    assert "± ?" in command("sweep", small_file, "--seeds", "1").stdout


def test_sweep_without_a_store_writes_none(command: Command, small_file: Path, tmp_path: Path) -> None:
    assert command("sweep", small_file, "--no-store").exit_code == 0
    assert not (tmp_path / "store").exists()
    assert command("sweep", small_file, "--store", tmp_path / "mine").exit_code == 0
    assert not (tmp_path / "store").exists()
    assert (tmp_path / "mine").is_dir()


def test_sweep_with_a_target_precision(command: Command, small_file: Path) -> None:
    data = json.loads(command("sweep", small_file, "--precision", "5%", "--json").stdout)
    row = data["summary"][0]
    assert (row["goodput_bps_hi"] - row["goodput_bps_lo"]) / 2 <= 0.05 * row["goodput_bps_mean"]
    limited = command("sweep", small_file, "--precision", "0.00001", "--max-seeds", "6")
    assert "caution: the only point: goodput_bps is known to " in limited.stdout


def test_a_stopped_sweep_says_how_to_go_on(
    command: Command, sweep_file: Path, monkeypatch: pytest.MonkeyPatch, work: Path
) -> None:
    from contextlib import contextmanager

    from windlass import cli

    @contextmanager
    def stopping(label: str) -> Any:
        def progress(done: int, total: int) -> None:
            if done == 3:
                raise KeyboardInterrupt

        yield progress

    monkeypatch.setattr(cli, "_progress", stopping)
    result = command("sweep", sweep_file, "--jobs", "1")
    monkeypatch.undo()
    assert result.exit_code == 130
    assert result.stdout == ""
    line = result.stderr.splitlines()
    assert len(line) == 1
    assert line[0].startswith("stopped: ")
    assert line[0].endswith(" of 18 runs are kept; the same command goes on from there")
    assert files_in(work) == []


# ---- plot


def test_plot_draws_the_window_of_a_run(command: Command, small_file: Path, work: Path) -> None:
    result = command("plot", small_file, "--kind", "cwnd", "--seed", "1", "--flow", "flow/1", "-o", "out.svg")
    assert result.exit_code == 0
    assert result.stdout == "out.svg\n"
    assert files_in(work) == ["out.svg"]
    assert ">window (segments)<" in (work / "out.svg").read_text()


def test_plot_draws_a_sweep_with_capacity_and_mathis(command: Command, sweep_file: Path, work: Path) -> None:
    command("sweep", sweep_file, "--out", "results")
    result = command(
        "plot", "results", "--x", "topology.bottleneck.loss.rate", "--y", "goodput_bps", "-o", "figures/goodput"
    )
    assert result.exit_code == 0
    assert files_in(work / "figures") == ["goodput.pdf", "goodput.png", "goodput.svg"]
    text = (work / "figures" / "goodput.svg").read_text()
    for word in ("capacity", "Reno, 1/√p (Mathis)", "newreno", "westwood-plus", "loss rate (%)"):
        assert f">{word}<" in text


def test_plot_takes_any_column(command: Command, sweep_file: Path) -> None:
    command("sweep", sweep_file, "--out", "results")
    assert command("plot", "results", "--x", "flows.algorithm", "--y", "timeouts", "-o", "a.png").exit_code == 0
    wrong = command("plot", "results", "--y", "speed", "-o", "b.png")
    assert wrong.exit_code == 2
    assert wrong.stderr.startswith("error[plot.no-metric]: no number `speed`\nhint: ")
    assert not Path("b.png").exists()


# ---- list, explain, errors


def test_lists(command: Command) -> None:
    algorithms = command("list", "algorithms")
    assert algorithms.exit_code == 0
    for row in json.loads(_core.algorithms()):
        assert row["name"] in algorithms.stdout
        assert row["source"].split(";")[0] in algorithms.stdout
    assert "dumbbell" in command("list", "topologies").stdout
    assert "RFC 8290" in command("list", "queues").stdout
    assert "mark_p" in command("list", "queues", "pie").stdout
    assert "dup_threshold" in command("list", "rules").stdout
    assert "lossy-dumbbell" in command("list", "scenarios").stdout
    assert "saedi2019" in command("list", "papers").stdout
    assert "scenario.unknown-key" in command("list", "errors").stdout
    assert command("list", "errors").stdout == command("errors").stdout


def test_list_of_one_shows_parameters_units_and_sources(command: Command) -> None:
    text = command("list", "algorithms", "westwood-plus").stdout
    for word in ("name", "default", "min", "max", "unit", "meaning", "source", "wp_gain", "Grieco and Mascolo 2004"):
        assert word in text
    assert command("list", "algorithms", "westwood+").stdout == text, "aliases do as well"
    assert command("list", "scenarios", "satellite").stdout == windlass.ready_scenarios()["satellite"]
    assert "fig3" in command("list", "papers", "saedi2019").stdout


@pytest.mark.parametrize(
    "what",
    ["algorithms", "topologies", "queues", "loss-models", "jitter-models", "rules", "scenarios", "papers", "errors"],
)
def test_lists_as_json(command: Command, what: str) -> None:
    rows = json.loads(command("list", what, "--json").stdout)
    assert len(rows) >= 3
    name = rows[0].get("name", rows[0].get("code"))
    assert json.loads(command("list", what, name, "--json").stdout) == rows[0]


def test_list_of_something_unknown(command: Command) -> None:
    result = command("list", "algorithms", "westwod-plus")
    assert result.exit_code == 2
    assert result.stderr == (
        "error[list.unknown]: no `westwod-plus` among the algorithms\n"
        "hint: did you mean `westwood-plus`? `windlass list algorithms` shows all\n"
    )


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
    nothing = {"output.traces": [], "output.events": False}
    file = tmp_path / "explained.toml"
    file.write_text(command("explain", name).stdout)
    explained = windlass.load(file, nothing).points()[0]
    assert explained.key(3) == windlass.load(name, nothing).points()[0].key(3)


def test_explain_as_json_has_every_point(command: Command, sweep_file: Path) -> None:
    points = json.loads(command("explain", sweep_file, "--json").stdout)
    assert len(points) == 6
    assert points[4]["axes"] == {"flows.algorithm": "westwood-plus", "topology.bottleneck.loss.rate": "0.5 %"}
    assert points[4]["description"]["flows"][0]["algorithm"]["name"] == "westwood-plus"


# ---- reproduce


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


# ---- wrong input

WRONG: dict[str, tuple[str, str]] = {
    "unknown algorithm": ('algorithm = "newreno"', 'algorithm = "westwod"'),
    "unit missing": ('rate = "2 Mbps"', "rate = 2"),
    "unit missing in text": ('rate = "2 Mbps"', 'rate = "2"'),
    "unit of another kind": ('rate = "2 Mbps"', 'rate = "2 ms"'),
    "negative rate": ('rate = "2 Mbps"', 'rate = "-2 Mbps"'),
    "rate of zero": ('rate = "2 Mbps"', 'rate = "0 Mbps"'),
    "rate not a number": ('rate = "2 Mbps"', 'rate = "nan Mbps"'),
    "negative delay": ('delay = "20 ms"', 'delay = "-20 ms"'),
    "loss above 100 %": ('loss = "1 %"', 'loss = "101 %"'),
    "negative loss": ('loss = "1 %"', 'loss = "-1 %"'),
    "queue of zero": ('queue = "20 packets"', 'queue = "0 packets"'),
    "node that does not exist": ('to = "right/*"', 'to = "middle/*"'),
    "route to itself": ('to = "right/*"', 'to = "left/*"'),
    "not TOML": ("[scenario]", "[scenario"),
    "duration of zero": ('duration = "5 s"', 'duration = "0 s"'),
    "duration missing": ('duration = "5 s"', ""),
    "no seeds": ("seeds = 3", "seeds = 0"),
    "ten million flows": ("pairs = 2", "pairs = 10000000"),
    "ten million flows of a pair": ('start = "uniform(0 s, 1 s)"', "count = 10000000"),
    "unknown key": ("pairs = 2", "pears = 2"),
    "unknown section": ("[scenario]", "[scenery]"),
    "unknown topology": ('kind = "dumbbell"', 'kind = "dumbell"'),
    "no flows": (SMALL_TOML[SMALL_TOML.index("[[flows]]") :], ""),
    "empty file": (SMALL_TOML, ""),
    "start after the end": ("uniform(0 s, 1 s)", "10 s"),
}


def check_refused(result: Any) -> list[str]:
    """Exit code 2, nothing on stdout, and one or two lines in the form of an error."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert 1 <= len(lines) <= 2, result.stderr
    assert lines[0].startswith("error[")
    assert all(line.startswith("hint: ") for line in lines[1:])
    assert "Traceback" not in result.stderr
    return lines


@pytest.mark.parametrize("verb", ["run", "sweep", "explain", "plot"])
@pytest.mark.parametrize("case", WRONG)
def test_wrong_scenarios_are_refused_and_nothing_is_written(
    command: Command, case: str, verb: str, tmp_path: Path
) -> None:
    old, new = WRONG[case]
    assert SMALL_TOML.count(old) >= 1
    file = tmp_path / "wrong.toml"
    file.write_text(SMALL_TOML.replace(old, new, 1))
    before = files_in(tmp_path)
    lines = check_refused(command(verb, file))
    assert "wrong.toml" in lines[0]
    assert files_in(tmp_path) == before


def test_a_graph_without_a_route_is_refused(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "split.toml"
    file.write_text(
        '[scenario]\nduration = "5 s"\n[topology]\nkind = "graph"\n'
        '[[topology.links]]\nfrom = "a"\nto = "b"\nrate = "1 Mbps"\ndelay = "1 ms"\n'
        '[[topology.links]]\nfrom = "c"\nto = "d"\nrate = "1 Mbps"\ndelay = "1 ms"\n'
        '[[flows]]\nfrom = "a"\nto = "d"\nalgorithm = "newreno"\n'
    )
    assert check_refused(command("run", file))[0].startswith("error[scenario.no-route]: ")


@pytest.mark.parametrize("verb", ["run", "sweep", "explain", "plot"])
def test_what_is_no_file_is_refused(command: Command, verb: str, tmp_path: Path) -> None:
    assert check_refused(command(verb, tmp_path / "absent.toml"))[0].startswith("error[file.missing]: ")
    (tmp_path / "binary.toml").write_bytes(bytes(range(256)))
    assert check_refused(command(verb, tmp_path / "binary.toml"))[0].startswith("error[file.not-text]: ")
    (tmp_path / "folder").mkdir()
    code = "plot.no-results" if verb == "plot" else "file.directory"
    assert check_refused(command(verb, tmp_path / "folder"))[0].startswith(f"error[{code}]: ")


@pytest.mark.parametrize(
    "args",
    [
        ["run"],
        ["run", "small-dumbbell", "--frobnicate"],
        ["frobnicate"],
        ["sweep", "lossy-dumbbell", "--seeds", "0"],
        ["sweep", "lossy-dumbbell", "--jobs", "-1"],
        ["sweep", "lossy-dumbbell", "--precision", "wide"],
        ["sweep", "lossy-dumbbell", "--precision", "0%"],
        ["run", "lossy-dumbbell", "--seed", "one"],
        ["run", "single-flow-cwnd", "--set", "flows.algorithm"],
        ["run", "single-flow-cwnd", "--set", "=cerl"],
        ["run", "single-flow-cwnd", "--set", "flows.algorithm=westwod"],
        ["run", "single-flow-cwnd", "--set", "flows.speed=1"],
        ["run", "single-flow-cwnd", "--trace", "speed"],
        ["run", "single-flow-cwnd", "--seed", "-1"],
        ["plot", "single-flow-cwnd", "--set", "scenario.duration=2 s", "--flow", "nobody"],
        ["plot", "single-flow-cwnd", "--kind", "pie"],
        ["list", "everything"],
        ["reproduce", "nobody2020"],
    ],
    ids=" ".join,
)
def test_wrong_command_lines_are_refused(command: Command, args: list[str], tmp_path: Path) -> None:
    before = files_in(tmp_path)
    check_refused(command(*args))
    assert files_in(tmp_path) == before


def test_a_folder_that_cannot_be_made_is_noticed_before_the_runs(command: Command, small_file: Path) -> None:
    Path("taken").write_text("")
    for verb in ("run", "sweep"):
        lines = check_refused(command(verb, small_file, "--out", "taken/below"))
        assert lines[0] == "error[cli.output]: taken: is a file, not a folder"
    assert files_in(Path()) == ["taken"]


def test_the_lines_of_theory_are_those_of_payload_and_of_the_acks(command: Command, tmp_path: Path, work: Path) -> None:
    from windlass import output
    from windlass.cli import _path_of

    text = SMALL_TOML.replace("seeds = 3", "seeds = 1")
    (tmp_path / "one.toml").write_text(text)
    command("sweep", tmp_path / "one.toml", "--out", "results")
    facts = _path_of(output.read_sweep(Path("results")), "goodput_bps")
    # 2 Mbit/s for two flows, 1460 of every 1500 bytes; twice 5 + 20 + 5 ms; an ACK for every second segment
    assert facts["capacity_bps"] == pytest.approx(1e6 * 1460 / 1500)
    assert facts["mathis"] == {"mss_bytes": 1460.0, "rtt_s": pytest.approx(0.060), "b": 2.0}


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
