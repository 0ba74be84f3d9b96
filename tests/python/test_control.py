"""Congestion control written in Python drives flows as the built-in algorithms do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import windlass
from windlass import _core
from windlass.cli import main
from windlass.control import load_file

BASE = """
[scenario]
duration = "20 s"

[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "10 Mbps", delay = "2 ms" }
bottleneck = { rate = "4 Mbps", delay = "20 ms", queue = "20 packets", loss = "1 %" }

[[flows]]
from = "left/*"
to = "right/*"
algorithm = "newreno"
"""

OWN = '''
import windlass

class Mine(windlass.CongestionControl):
    """Keeps a share."""

    def __init__(self, kept: float = 0.5, loud: bool = False):
        self.kept = kept

    def on_congestion(self, event, path):
        if event.cause == "dup-acks":
            self.cwnd, self.ssthresh = path.keep(self.kept)
            return windlass.Response.REDUCED_AS_RANDOM
        return super().on_congestion(event, path)
'''


@pytest.fixture
def base() -> windlass.Scenario:
    return windlass.Scenario.from_toml(BASE)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "own.py"
    file.write_text(OWN, encoding="utf-8")
    return file


def columns(result: windlass.RunResult, *without: str) -> list[dict[str, Any]]:
    return result.flows.drop_columns(["algorithm", *without]).to_pylist()


def test_the_base_class_is_newreno_to_the_last_packet(base: windlass.Scenario) -> None:
    class Plain(windlass.CongestionControl):
        pass

    result = base.with_({"flows.algorithm": Plain}).run(3)
    assert result.flows["algorithm"].to_pylist() == ["plain", "plain"]
    assert columns(result) == columns(base.run(3))
    assert result.links.equals(base.run(3).links)


def test_parameters_reach_the_object(base: windlass.Scenario, own: Path) -> None:
    assert load_file(own) == ["mine"]
    half, most = (
        base.with_({"flows.algorithm": {"name": "mine", "kept": kept}, "scenario.duration": "60 s"}).run(1)
        for kept in (0.5, 0.9)
    )
    goodput = [sum(result.flows["goodput_bps"].to_pylist()) for result in (half, most)]
    # Mathis: goodput goes as sqrt((1 + kept) / (1 - kept)), 1.7 against 4.4; the link caps it
    assert goodput[1] > 1.2 * goodput[0]
    # it called every loss that it found by duplicates random
    row = half.flows.to_pylist()[0]
    assert row["random_judged_random"] > 0
    assert row["judged_random"] >= row["random_judged_random"]
    with pytest.raises(windlass.InputError, match="no parameter"):
        base.with_({"flows.algorithm": {"name": "mine", "keeps": 0.5}})
    assert "mine" in [row["name"] for row in json.loads(_core.registered())]


def test_the_same_seed_gives_the_same_run_on_any_number_of_threads(base: windlass.Scenario, own: Path) -> None:
    load_file(own)
    scenario = base.with_({"flows.algorithm": "mine", "scenario.seeds": 4, "scenario.duration": "5 s"})
    one, four = (windlass.sweep(scenario, store=False, jobs=jobs) for jobs in (1, 4))
    assert one.flows.equals(four.flows)


def test_another_source_is_another_run(base: windlass.Scenario, own: Path) -> None:
    load_file(own)
    first = base.with_({"flows.algorithm": "mine"}).points()[0]
    key, description = first.key(1), first.effective()
    load_file(own)
    assert base.with_({"flows.algorithm": "mine"}).points()[0].key(1) == key
    windlass.from_dict(description)  # reads back
    own.write_text(OWN.replace("dup-acks", "rto"), encoding="utf-8")
    load_file(own)
    assert base.with_({"flows.algorithm": "mine"}).points()[0].key(1) != key
    with pytest.raises(windlass.InputError, match="another version"):
        windlass.from_dict(description)


def test_what_the_class_raises_names_its_file_and_line(base: windlass.Scenario, tmp_path: Path) -> None:
    for body, message in [
        ("        raise KeyError('cwnd')", "KeyError"),
        ("        self.cwnd = float('nan')", "ValueError: `cwnd` is NaN"),
        ("        self.cwnd = None", "TypeError"),
    ]:
        file = tmp_path / "bad.py"
        file.write_text(
            f"import windlass\nclass Bad(windlass.CongestionControl):\n    def on_ack(self, ack, path):\n{body}\n",
            encoding="utf-8",
        )
        load_file(file)
        with pytest.raises(windlass.InputError, match=message) as caught:
            base.with_({"flows.algorithm": "bad"}).run()
        assert caught.value.code == "algorithm.failed"
        if "raise" in body:
            assert (caught.value.file, caught.value.line) == (str(file), 4)
    # the next run on the same thread is not blamed for it
    base.run()


def test_what_cannot_be_registered(tmp_path: Path) -> None:
    class NewReno(windlass.CongestionControl):
        pass

    class Needy(windlass.CongestionControl):
        def __init__(self, share):  # type: ignore[no-untyped-def]
            self.share = share

    class Odd(windlass.CongestionControl):
        recovery = "none"

    with pytest.raises(windlass.InputError, match="registry has"):
        windlass.register(NewReno, "newreno")
    with pytest.raises(windlass.InputError, match="no number or boolean"):
        windlass.register(Needy)
    with pytest.raises(windlass.InputError, match="no recovery core"):
        windlass.register(Odd)
    with pytest.raises(windlass.InputError, match="not made of letters"):
        windlass.register(Odd, "two words")
    with pytest.raises(windlass.InputError, match="no class"):
        windlass.register(object)  # type: ignore[arg-type]
    for text, message in [("x = 1\n", "defines no"), ("x = \n", "SyntaxError"), ("import nonsense_x\n", "nonsense_x")]:
        file = tmp_path / "file.py"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(windlass.InputError, match=message):
            load_file(file)
    with pytest.raises(windlass.InputError, match="no such file"):
        load_file(tmp_path / "none.py")


def test_the_command_takes_own_algorithms(own: Path, tmp_path: Path) -> None:
    file = tmp_path / "path.toml"
    file.write_text(BASE, encoding="utf-8")
    base = ["--python", str(own), "--set", "scenario.duration=2s"]
    shown = CliRunner().invoke(main, ["run", str(file), *base, "--set", "flows.algorithm=mine"])
    assert shown.exit_code == 0, shown.output
    assert "mine" in shown.output
    more = ["--path", str(file), "--seeds", "2", "--no-neighbour", "--store", str(tmp_path / "store")]
    shown = CliRunner().invoke(main, ["compare", "newreno", "mine:kept=0.8", *base, *more])
    assert shown.exit_code == 0, shown.output
    shown = CliRunner().invoke(main, ["list", "algorithms", "mine", "--python", str(own)])
    assert "Keeps a share" in shown.output
