"""Today's senders on the papers' paths: what stays, what changes, and that every experiment can be asked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from windlass import experiments, reproduce
from windlass import ledger as books
from windlass.cli import main as cli
from windlass.experiments import points_of
from windlass.reproduce.modern import MODERN

ENTRIES = [f"{paper}/{name.rpartition('/')[2]}" for paper in books.papers() for name in books.load(paper).experiments]


def first_points(target: str, reading: Any) -> list[dict[str, Any]]:
    """The effective description of the first point of each case of an experiment."""
    book, experiment = books.experiment(target)
    values = [
        points[:1] if not axis.is_variant else points
        for axis, points in zip(experiment.axes, points_of(experiment), strict=True)
    ]
    made = experiments.cases(book, experiment, values, experiment.variants, reading)
    return [case.scenario.points()[0].effective() for case in made]


SUMMARIES = [name for name in ENTRIES if books.experiment(name)[1].covers]


@pytest.mark.parametrize("target", [name for name in ENTRIES if name not in SUMMARIES])
def test_the_path_stays_and_the_senders_are_those_of_linux(target: str) -> None:
    book, experiment = books.experiment(target)
    varied = {axis.key for axis in experiment.axes} | experiment.fixed.keys()
    network = book.topologies[experiment.topology]
    asked = {key.rpartition(".")[2] for name in varied for key in network.keys[name].set if ".tcp." in key}
    base, modern = first_points(target, None), first_points(target, MODERN)
    assert len(base) == len(modern)
    for old, new in zip(base, modern, strict=True):
        assert new["topology"] == old["topology"]
        for before, after in zip(old["flows"], new["flows"], strict=True):
            assert {**after, "tcp": None} == {**before, "tcp": None}
            if "tcp" not in before:
                continue
            assert after["tcp"]["recovery"] == "rack-tlp"
            assert after["tcp"]["ns2_recovery"] is False
            assert after["tcp"]["initial_window"] == "10 segments"
            for key in {"window", *asked}:
                assert after["tcp"][key] == before["tcp"][key], key


def test_the_plan_has_one_reading_and_the_base() -> None:
    (row,) = reproduce.outline("saedi2019/fig3.5", reading="modern").rows
    assert row.readings == ("modern",)
    (whole,) = reproduce.outline("saedi2019/fig3.5").rows
    assert "modern" not in whole.readings
    (one,) = reproduce.outline("saedi2019/fig3.5", reading="rwnd-20").rows
    assert one.readings == ("rwnd-20",)


def test_a_claim_is_judged_in_the_reading_beside_the_base(tmp_path: Any) -> None:
    result = CliRunner().invoke(
        cli,
        [
            "reproduce",
            "saedi2019/threshold-A",
            "--reading",
            "modern",
            "--quick",
            "--json",
            "--out",
            str(tmp_path / "r"),
        ],
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    readings = {row["key"] for claim in found["claims"] for row in claim["readings"]}
    assert readings == {"modern"}
    assert "profile `linux`" in (tmp_path / "r" / "report.html").read_text(encoding="utf-8")


def test_the_folder_of_a_reading_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from windlass.reproduce import running

    assert running._folder("rana/fig2", None, "modern").as_posix() == "reproduced/rana-fig2-modern"
    assert running._folder("rana", None, "").as_posix() == "reproduced/rana"


@pytest.mark.parametrize(("name", "hint"), [("modem", "did you mean `modern`?"), ("x", "there are modern, ")])
def test_a_reading_that_is_not_there(name: str, hint: str) -> None:
    result = CliRunner().invoke(cli, ["reproduce", "rana/fig2", "--reading", name])
    assert result.exit_code == 2
    assert f"there is no reading `{name}`" in result.stderr
    assert hint in result.stderr
