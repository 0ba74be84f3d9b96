"""The command by its output: its help and exit codes, and that wrong input leaves nothing behind."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL_TOML, Command, files_in

import windlass
from windlass.cli import main


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


def test_a_narrow_terminal_gets_tables_below_each_other_and_no_broken_number(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rich.console import Console

    from windlass.cli import printing

    columns = ("algorithm", "goodput Mbit/s", "p95 queueing ms", "timeouts")
    rows = [{"algorithm": "newreno"} | dict.fromkeys(columns[1:], "1234.567 ± 12.345")]
    for width, tables in [(80, 1), (60, 2), (34, 3)]:
        monkeypatch.setattr(printing, "console", lambda width=width: Console(width=width))
        printing.print_table(columns, rows, right=columns[1:])
        shown = capsys.readouterr().out
        assert shown.count("newreno") == shown.count("algorithm") == tables
        assert shown.count("1234.567 ± 12.345") == 3
        assert max(map(len, shown.splitlines())) <= width


def test_every_command_shows_an_example_that_can_be_read(command: Command) -> None:
    for name, own in main.commands.items():
        if name in ("errors", "validate"):
            continue
        words = shlex.split((own.epilog or "").removeprefix("Example: "))
        assert words[:2] == ["windlass", name]
        assert own.make_context(name, words[2:]) is not None
        assert "Example: windlass" in command(name, "--help").output


def test_what_was_recorded_but_not_written_is_said(command: Command) -> None:
    short = ("run", "single-flow-cwnd", "--set", "scenario.duration=1 s")
    assert "--out DIR" in command(*short, "--trace", "cwnd").stderr
    assert command(*short).stderr == ""


def test_a_ready_scenario_is_summed_up_by_a_whole_sentence(command: Command) -> None:
    rows = json.loads(command("list", "scenarios", "--json").output)
    assert all(row["summary"][-1] in ".?" for row in rows), rows
