"""What somebody is told who wrote something else than the command takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Command = Callable[..., Result]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("sweep", "small.toml", "--seed", "3"), "`--seeds 3,7` or `--seeds 1-5`"),
        (("compare", "cubic", "--seed", "3"), "`--seeds 3,7` or `--seeds 1-5`"),
        (("run", "small.toml", "--seeds", "3"), "`--seed 3` chooses the seed of the one run"),
        (("run", "small.toml", "--algorithm", "cubic"), "`--set flows.algorithm=cubic`"),
        (("sweep", "small.toml", "--queue", "codel"), "`--set 'topology.bottleneck.queue=1 bdp'`"),
        (("compare", "--algorithm", "cubic"), "`windlass compare newreno cubic --path FILE`"),
        (("run", "small.toml", "--jobs", "3"), "have it"),
        (("run", "small.toml", "--precision", "3"), "`windlass sweep` has it"),
        (("run", "small.toml", "--sed", "3"), "did you mean `--seed`?"),
        (("plot", "small.toml", "--colour", "red"), "`windlass plot --help`"),
        (("run", "small.toml", "-o", "x.pcap"), "`windlass export FILE -o run.pcapng`"),
        (("plot", "small.toml", "-o", "x.pcap"), "`windlass export FILE -o x.pcapng`"),
        (("compare", "cubic", "--path", "small.toml", "-o", "x.pcap"), "`windlass export FILE -o x.pcapng`"),
        (("export", "small.toml", "-o", "x.pcap"), "`-o x.pcapng`"),
        (("compare", "cubic", "reno"), "`windlass compare cubic reno --path lossy-dumbbell`"),
        (("run", "own.py"), "`windlass run FILE --python own.py`"),
        (("run", "small.toml", "--set", "flows.algorithm=own"), "`--python FILE`"),
        (("sweep", "small.toml", "--set", 'flows.algorithm=["a", "b"]'), "--set 'sweep.flows.algorithm=[...]'"),
        (("run", "small.toml", "--set", "topology.bottleneck.loss=0.01"), '"1 %" or "0.01 %"?'),
        (("compare", "cubic", "--path", "small.toml", "--columns", "gian"), "did you mean `gain`?"),
    ],
)
def test_a_mistake_has_the_hint_that_helps(
    command: Command, small_file: Path, work: Path, words: tuple[str, ...], hint: str
) -> None:
    (work / "small.toml").write_text(small_file.read_text())
    done = command(*words)
    assert done.exit_code == 2, done.output
    assert len(done.stderr.splitlines()) == 2, done.stderr
    assert hint in done.stderr.splitlines()[1], done.stderr


def test_seeds_are_a_number_or_a_list(command: Command, small_file: Path) -> None:
    def seeds(given: str) -> list[int]:
        import json

        done = command("compare", "newreno", "--path", small_file, "--seeds", given, "--no-neighbour", "--json")
        assert done.exit_code == 0, done.output
        swept = command("sweep", small_file, "--seeds", given, "--out", "out", "--json")
        assert swept.exit_code == 0, swept.output
        manifest = json.loads(Path("out/manifest.json").read_text())
        assert json.loads(done.stdout)["outcomes"][0]["seeds"] == len(manifest["points"][0]["seeds"])
        return [int(seed) for seed in manifest["points"][0]["seeds"]]

    assert seeds("2") == [1, 2]
    assert seeds("3,4") == [3, 4]
    assert seeds("2-3, 7") == [2, 3, 7]
    small_file.write_text(small_file.read_text().replace("seeds = 3", "seeds = 2\nfirst_seed = 5"))
    assert seeds("2") == [5, 6]
    assert seeds("9-9") == [9]


@pytest.mark.parametrize("given", ["0", "-1", "1-", "5-1", "a", "1,,2", "1-9999999999"])
def test_seeds_that_are_none(command: Command, small_file: Path, given: str) -> None:
    done = command("sweep", small_file, "--seeds", given)
    assert done.exit_code == 2
    assert "seed" in done.stderr


def test_where_seeds_follow_from_their_number_a_list_is_refused(command: Command) -> None:
    for words in (("reproduce", "saedi2019/fig3.5"), ("validate", "linux")):
        done = command(*words, "--seeds", "1-5")
        assert done.exit_code == 2
        assert "write 5" in done.stderr


def test_extras_are_installed_by_the_names_of_their_packages() -> None:
    from windlass.extras import how_to_install

    for extra, package in (("serve", "waitress"), ("dask", "distributed"), ("pandas", "pandas")):
        told = how_to_install(extra)
        assert package in told
        assert "windlass[" not in told


def test_long_lists_are_told_by_number_and_range(command: Command) -> None:
    done = command("explain", "cellular")
    assert max(map(len, done.stdout.splitlines())) < 400
    assert re.search(r"# topology\.links\.downlink\.trace: 4255 numbers, \d+ to \d+; --json has them", done.stdout)
    assert re.search(r'trace = ".*/cellular\.mahi"', done.stdout)
    whole = command("explain", "cellular", "--json")
    assert len(whole.stdout) > 20_000
    drops = "topology.bottleneck.drops={ forward = [" + ", ".join(map(str, range(3, 103))) + "] }"
    told = command("explain", "single-flow-cwnd", "--set", drops).stdout
    assert 'forward = "100 numbers, 3 to 102"' in told
