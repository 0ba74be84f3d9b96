"""The Tab key: each shell's way to ask, and what it is told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from conftest import Command

import windlass
from windlass.cli import main

VARIABLE = "_WINDLASS_COMPLETE"


def asked(shell: str, line: str) -> list[str]:
    """What the script of ``windlass completion SHELL`` would show after this line; its last word is not yet whole."""
    words, last = line.split(" "), line.split(" ")[-1]
    place = last if shell == "fish" else str(len(words) - 1)
    given = {VARIABLE: f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": place}
    done = CliRunner().invoke(main, [], prog_name="windlass", env=given)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    if shell == "zsh":
        assert len(lines) % 3 == 0
        return [f"{kind},{name}" for kind, name in zip(lines[::3], lines[1::3], strict=True)]
    return [one.partition("\t")[0] for one in lines]


def names(line: str) -> list[str]:
    """The same in bash, without the word that each is plain text."""
    return [one.removeprefix("plain,") for one in asked("bash", line)]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_is_told_the_same(shell: str) -> None:
    commands = ["plain,compare", "plain,completion"]
    assert asked(shell, "windlass comp") == commands
    assert asked(shell, "windlass compare west")[:2] == ["plain,westwood", "plain,westwood-plus"]
    assert asked(shell, "windlass run lossy") == ["plain,lossy-dumbbell"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("windlass list scen", ["scenarios"]),
        ("windlass list algorithms scal", ["scalable"]),
        ("windlass list papers ra", ["rana"]),
        ("windlass list scenarios sat", ["satellite"]),
        ("windlass explain sat", ["satellite"]),
        ("windlass sweep three", ["three-routers"]),
        ("windlass plot voice", ["voice-and-bulk"]),
        ("windlass plot leo --kind heat", ["heatmap"]),
        ("windlass compare newreno --path tr", ["train"]),
        ("windlass compare newreno --queue fq", ["fq-codel"]),
        ("windlass compare newreno --baseline scal", ["scalable"]),
        ("windlass replay x.tape --algorithm scal", ["scalable"]),
        ("windlass reproduce al", ["all"]),
        ("windlass reproduce rana/fig2", ["rana/fig2"]),
        ("windlass reproduce rana --qui", ["--quick"]),
        ("windlass validate n", ["ns2"]),
        ("windlass validate ns2 satel", ["satellite"]),
        ("windlass completion f", ["fish"]),
    ],
)
def test_what_can_follow(line: str, found: list[str]) -> None:
    assert names(line) == found


def test_all_of_a_kind_are_offered() -> None:
    assert set(names("windlass ")) == set(main.commands)
    assert set(names("windlass run ")) == set(windlass.ready_scenarios())
    registry = CliRunner().invoke(main, ["list", "algorithms", "--json"]).stdout
    assert all(f'"{name}"' in registry for name in names("windlass compare "))
    assert len(names("windlass compare ")) > 30
    with click.Context(main.commands["run"]) as context:
        options = {name for option in main.commands["run"].get_params(context) for name in option.opts}
    assert set(names("windlass run leo --")) == {name for name in options if name.startswith("--")}


def test_a_paper_that_is_left_alone_shows_its_experiments() -> None:
    assert "saedi2019" in names("windlass reproduce ")
    assert "saedi2019/fig3.5" not in names("windlass reproduce ")
    assert {"saedi2019", "saedi2019/fig3.5"} <= set(names("windlass reproduce sae"))


def test_scenario_files_come_with_the_ready_ones_and_other_files_are_the_shells(work: Path) -> None:
    (work / "satisfied.toml").touch()
    assert names("windlass run sat") == ["satisfied.toml", "satellite"]
    assert asked("bash", "windlass run elsewhere/sat") == ["file,elsewhere/sat"]


def test_completing_runs_nothing_of_the_user(work: Path) -> None:
    (work / "own.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    assert names("windlass run --python own.py lossy") == ["lossy-dumbbell"]
    assert names("windlass run --seed 1 --seed 2 lossy") == ["lossy-dumbbell"]
    assert not (work / "ran").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_ask_this_command(command: Command, shell: str) -> None:
    done = command("completion", shell)
    assert done.exit_code == 0
    assert f"{VARIABLE}={shell}_complete" in done.stdout
    assert command("completion", "tcsh").exit_code == 2


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_itself(work: Path) -> None:
    script = 'windlass completion fish | source; complete -C "windlass run sat"; complete -C "windlass comp"'
    path = os.pathsep.join((str(Path(sys.executable).parent.resolve()), os.environ["PATH"]))
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": path, "HOME": str(work)},
    )
    assert [line.partition("\t")[0] for line in done.stdout.splitlines()] == ["satellite", "compare", "completion"]


ZSH = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; TERM=dumb; autoload -U compinit; compinit -u -D; eval "$(windlass completion zsh)"; echo be\'gun\''
zpty -r -m shell text '*begun*'
zpty -w -n shell $'windlass run sat\t'
zpty -r -m shell text '*run satellite *' && echo whole
"""
"""A shell in a terminal of its own, in which someone presses the Tab key."""


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_itself() -> None:
    path = os.pathsep.join((str(Path(sys.executable).parent.resolve()), os.environ["PATH"]))
    given = os.environ | {"PATH": path}
    done = subprocess.run(["zsh", "-f", "-c", ZSH], check=True, capture_output=True, text=True, env=given, timeout=60)
    assert done.stdout == "whole\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_itself() -> None:
    script = 'eval "$(windlass completion bash)"; COMP_WORDS=(windlass run sat); COMP_CWORD=2; _windlass_completion windlass\n'
    path = os.pathsep.join((str(Path(sys.executable).parent.resolve()), os.environ["PATH"]))
    done = subprocess.run(
        ["bash", "-c", f"{script}echo ${{COMPREPLY[@]}}; complete -p windlass"],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": path},
    )
    assert done.stdout.splitlines()[0] == "satellite"
    assert "_windlass_completion windlass" in done.stdout
