"""What is committed of a run of all papers: pages, figures, the table of verdicts and costs."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import windlass
from windlass import folders, ledger, reproduce, verdicts
from windlass.errors import InputError
from windlass.report import publish
from windlass.reproduce import plan, published, running

EXPERIMENTS = ("saedi2019/fig4.26", "rana/red-mode")

PUBLISHED = Path(__file__).parents[2] / "docs" / "papers"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that has come to two experiments."""
    root = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "overrides", lambda *_: {"scenario.duration": "10 s", "scenario.seeds": 2})
        patch.setattr(plan, "QUICK_POINTS", 2)
        for name in EXPERIMENTS:
            reproduce.main(name, quick=True, out=root / name, store=False)
    return root


@pytest.fixture(autouse=True)
def quick_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    """To plan what was not run takes a minute."""
    monkeypatch.setattr(publish, "estimate", estimated)


def estimated(experiment: str) -> published.Published:
    return published.Published(experiment, "", "engine", False, 100, 0.5, "estimated", {})


@pytest.fixture
def pages(run: Path, tmp_path: Path) -> Path:
    publish.publish(run, tmp_path / "docs", tmp_path / "papers.csv")
    return tmp_path / "docs"


def test_every_experiment_has_a_page_with_its_figures(pages: Path) -> None:
    for name in EXPERIMENTS:
        text = (pages / name / "README.md").read_text(encoding="utf-8")
        figures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
        assert figures
        assert {file.name for file in (pages / name).iterdir() if file.is_file()} == {
            "README.md",
            "values.parquet",
            *figures,
        }
        for claim in ledger.load(name.partition("/")[0]).claims_of(name):
            assert f"### Claim {claim.number}: " in text


def test_scenarios_that_a_page_names_are_beside_it_and_run(pages: Path) -> None:
    named = 0
    for page in pages.glob("*/*/README.md"):
        for file in re.findall(r"windlass\s+sweep\s+(scenarios/\S+\.toml)`", page.read_text(encoding="utf-8")):
            assert windlass.load(page.parent / file).points()
            named += 1
    assert named


def test_links_lead_somewhere(pages: Path) -> None:
    for page in pages.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert target.startswith("../guide/") or (page.parent / target).is_file(), (page, target)


def test_what_is_missing_is_named(pages: Path, run: Path, tmp_path: Path) -> None:
    text = (pages / "saedi2019" / "README.md").read_text(encoding="utf-8")
    missing = text.partition("## Not run")[2]
    assert "The run has not come to: fig3.1, fig3.2" in missing
    assert "fig4.26" not in missing
    index = (pages / "README.md").read_text(encoding="utf-8")
    assert re.search(r"^\| \[Taha Saedi.*\]\(saedi2019/README.md\) \| 1 \| 55 \| 1 \|", index, re.MULTILINE)
    count = len(ledger.load("huq2024").experiments)
    assert re.search(rf"^\| Mohammad A. Huq[^\]]* \| 0 \| {count} \| 0 \|", index, re.MULTILINE)
    arguments = [str(run), str(tmp_path / "other"), "--table", str(tmp_path / "other.csv")]
    said = CliRunner().invoke(publish.main, arguments).output
    assert "saedi2019: 1 of 56 experiments\n  missing: The run has not come to: fig3.1, " in said


def test_the_same_folder_gives_the_same_files_and_leaves_those_of_others(
    pages: Path, run: Path, tmp_path: Path
) -> None:
    def contents() -> dict[str, bytes]:
        files = (file for file in [*pages.rglob("*"), tmp_path / "papers.csv"] if file.is_file())
        return {str(file): file.read_bytes() for file in files}

    before = contents()
    publish.publish(run, pages, tmp_path / "papers.csv")
    assert contents() == before
    (pages / "findings.md").write_text("# Findings\n", encoding="utf-8")
    (pages / "rana" / "gone.svg").write_text("theirs", encoding="utf-8")
    publish.publish(run, pages, tmp_path / "papers.csv")
    assert (pages / "rana" / "gone.svg").is_file()
    assert "[What came out of it](findings.md)" in (pages / "README.md").read_text(encoding="utf-8")


def test_what_a_later_run_lacks_is_removed(pages: Path, run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "later")
    (tmp_path / "later" / "rana" / "red-mode" / "manifest.json").unlink()
    publish.publish(tmp_path / "later", pages, tmp_path / "papers.csv")
    assert not list((pages / "rana").rglob("*.*"))
    rows = published.read_table(tmp_path / "papers.csv")
    assert [name for name, row in rows.items() if row.date] == ["saedi2019/fig4.26"]
    assert rows["rana/red-mode"].verdicts == {}
    assert rows["rana/red-mode"].cost_is == "measured"


def test_what_a_later_run_lacks_can_be_kept(pages: Path, run: Path, tmp_path: Path) -> None:
    files = (file for file in [*pages.rglob("*"), tmp_path / "papers.csv"] if file.is_file())
    before = {file: file.read_bytes() for file in files}
    shutil.copytree(run, tmp_path / "later")
    (tmp_path / "later" / "rana" / "red-mode" / "manifest.json").unlink()
    arguments = [str(tmp_path / "later"), str(pages), "--table", str(tmp_path / "papers.csv"), "--keep"]
    done = CliRunner().invoke(publish.main, arguments)
    assert done.exit_code == 0, done.output
    assert {file: file.read_bytes() for file in before} == before
    # their table belongs to them
    done = CliRunner().invoke(publish.main, [*arguments[:3], str(tmp_path / "another.csv"), "--keep"])
    assert done.exit_code == 1
    assert "the table has no row of rana/red-mode, whose page is to be kept" in done.output
    # a page that somebody has changed is not passed on
    page = pages / "rana" / "red-mode" / "README.md"
    page.write_text(page.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    done = CliRunner().invoke(publish.main, arguments)
    assert done.exit_code == 1
    assert "`rana/red-mode/README.md` is not as it was written" in done.output
    # with nothing published before, there is nothing to keep
    publish.publish(tmp_path / "later", tmp_path / "new", tmp_path / "new.csv", keep=True)
    assert not (tmp_path / "new" / "rana").exists()


def test_the_table_has_verdicts_and_costs(pages: Path, run: Path, tmp_path: Path) -> None:
    rows = published.read_table(tmp_path / "papers.csv")
    assert list(rows) == [name for paper in ledger.papers() for name in ledger.load(paper).experiments]
    for name in EXPERIMENTS:
        row = rows[name]
        manifest = json.loads((run / name / "manifest.json").read_text(encoding="utf-8"))
        document = json.loads((run / name / "claims.json").read_text(encoding="utf-8"))
        assert row.verdicts == document["verdicts"]
        assert (row.quick, row.runs, row.date) == (True, manifest["runs"], manifest["date"])
        assert row.run_s == pytest.approx(manifest["cpu_per_run_s"], rel=1e-3)
        assert row.yardstick_s == pytest.approx(manifest["yardstick_s"], rel=1e-3)
        assert row.cost_is == "measured"
        assert row.cpu_s == pytest.approx(row.runs * manifest["cpu_per_run_s"], rel=1e-3)
    assert rows["rana/fig2"] == estimated("rana/fig2")
    assert published.table(published.table_text(rows.values(), verdicts.VERDICTS)) == rows
    unknown = [replace(row, run_s=None) for row in rows.values()]
    assert published.table(published.table_text(unknown, ["seventh"])).popitem()[1].run_s is None
    assert published.read_table(tmp_path / "none.csv") == {}


def test_a_cost_that_a_run_does_not_know_is_kept(pages: Path, run: Path, tmp_path: Path) -> None:
    table = tmp_path / "papers.csv"
    before = published.read_table(table)
    shutil.copytree(run, tmp_path / "again")
    forget_costs(tmp_path / "again")
    publish.publish(tmp_path / "again", pages, table)
    assert published.read_table(table) == before


def test_what_is_not_as_it_was_written_is_refused(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "bad")
    page = tmp_path / "bad" / "rana" / "red-mode" / "summary.md"
    page.write_text(page.read_text(encoding="utf-8").replace("# RED", "# Red"), encoding="utf-8")
    with pytest.raises(InputError, match=r"`summary.md` is not as it was written"):
        publish.publish(tmp_path / "bad", tmp_path / "docs", tmp_path / "papers.csv")
    assert not (tmp_path / "docs").exists()


def test_a_folder_without_a_run_and_one_that_is_too_large(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = CliRunner().invoke(publish.main, [str(tmp_path), str(tmp_path / "docs")])
    assert done.exit_code == 1
    assert "has no experiment that was run: `windlass reproduce all --out " in done.output
    monkeypatch.setattr(publish, "LIMIT_MB", 0.001)
    done = CliRunner().invoke(publish.main, [str(run), str(tmp_path / "docs"), "--table", str(tmp_path / "t.csv")])
    assert done.exit_code == 1
    assert "MB, more than 0.001 MB" in done.output
    assert not (tmp_path / "docs").exists()
    assert not (tmp_path / "t.csv").exists()


def test_a_cost_that_no_run_knew_is_estimated(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "stored")
    forget_costs(tmp_path / "stored")
    publish.publish(tmp_path / "stored", tmp_path / "docs", tmp_path / "papers.csv")
    row = published.read_table(tmp_path / "papers.csv")["rana/red-mode"]
    assert (row.run_s, row.yardstick_s, row.cost_is, bool(row.date)) == (0.5, None, "estimated", True)
    assert "| [red-mode](red-mode/README.md) (quick) | " in (tmp_path / "docs" / "rana" / "README.md").read_text()


def forget_costs(root: Path) -> None:
    """As if all runs had been in the store."""
    for name in EXPERIMENTS:
        manifest = json.loads((root / name / "manifest.json").read_text(encoding="utf-8"))
        kept = {key: value for key, value in manifest.items() if key not in ("format", "files", "sha256")}
        (root / name / "manifest.json").unlink()
        folders.write_manifest(root / name, {**kept, "cpu_per_run_s": None, "yardstick_s": None})


def test_published_pages_have_one_number_of_runs() -> None:
    """What cautions count is part of the runs that the page is made from."""
    pages = [file.read_text(encoding="utf-8") for file in sorted(PUBLISHED.glob("*/*/README.md"))]
    assert len(pages) > 100
    for text in (" ".join(page.split()) for page in pages):
        (total,) = re.findall(r"simulated in each of (\d+) runs", text)
        assert set(re.findall(r"[Ii]n \d+ of (\d+) runs a flow", text)) <= {total}, text[:200]
        assert "Small-packet flows backlog" not in text


def test_published_tables_show_what_the_paper_prints() -> None:
    book = ledger.load("huq2024")
    for name, table in (("table1", "table1"), ("table2", "table2"), ("table5", "table5"), ("friend", "table3")):
        text = (PUBLISHED / "huq2024" / name / "README.md").read_text(encoding="utf-8")
        unit = f" {unit}" if (unit := book.tables[f"huq2024/{table}"].get("unit")) else ""
        for row in book.tables[f"huq2024/{table}"]["rows"]:
            for cell in row[2 if unit else 1 :]:
                assert f"(printed: {cell:g}{unit})" in text
