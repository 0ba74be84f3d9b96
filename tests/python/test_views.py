"""What notebooks and LaTeX show of results: words with units in place of keys, everything escaped; bars of progress."""

from __future__ import annotations

import subprocess
import sys
import types
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Command, small_document

import windlass
from windlass import _toml, progress
from windlass.views import Column, Grid, View, html


class Tables(HTMLParser):
    """Cells of the tables of a page, row by row; an unknown tag is an error."""

    KNOWN = frozenset(["div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"])

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.KNOWN, tag
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def shown(result: Any) -> Tables:
    return Tables(result._repr_html_())


# ---- results


def test_a_run_is_a_table_with_units(small: windlass.Scenario) -> None:
    result = small.with_({"flows.algorithm": "westwood-plus"}).run(1)
    assert repr(result) == f"<RunResult {result.key[:12]}, seed 1: 2 flows>"
    head, *rows = shown(result).rows
    assert head[:3] == ["flow", "algorithm", "goodput (Mbit/s)"]
    assert head[-1] == "srtt (ms)"
    goodput = [f"{value / 1e6:.3f}" for value in result.flows["goodput_bps"].to_pylist()]
    assert [row[:3] for row in rows] == [[f"flow/{at}", "Westwood+", value] for at, value in enumerate(goodput)]


def test_a_sweep_is_a_table_of_means(swept: windlass.Scenario) -> None:
    result = swept.sweep(seeds=2, store=False)
    assert repr(result) == "<SweepResult 'small': 12 runs over flows.algorithm, topology.bottleneck.loss.rate>"
    head, *rows = shown(result).rows
    assert head[:4] == ["algorithm", "loss rate of the bottleneck (%)", "seeds", "goodput (Mbit/s)"]
    assert [row[:3] for row in rows][-1] == ["Westwood+", "5", "2"]
    mean = result.summary()["goodput_bps_mean"].to_pylist()[-1]
    assert rows[-1][3].startswith(f"{mean / 1e6:.3f} ± ")


def test_a_comparison_is_a_table_with_its_answer(small: windlass.Scenario) -> None:
    result = windlass.compare(small, ["newreno", "cerl"], seeds=3, store=False)
    assert repr(result) == f"<Comparison 'small': 2 candidates, take {result.take or 'none'}>"
    page = result._repr_html_()
    head, first, second = Tables(page).rows
    assert head[:4] == ["algorithm", "seeds", "goodput (Mbit/s)", "over newreno (%)"]
    assert (first[0], second[0]) == ("NewReno", "CERL")
    assert html(View("", parts=[result.answer[0].text]))[len('<div class="windlass"><p><b></b></p>') : -6] in page


def test_texts_are_no_html() -> None:
    told = View("t", ["<i>"], ["<i>"], [Grid([Column("<i>", "<i>")], [["<i>"]]), "<i>"])
    assert "<i>" not in html(told)
    assert html(told).count("&lt;i&gt;") == 6


def test_keys_of_the_same_words_stay_apart() -> None:
    columns = [Column(f"flows.{name}.algorithm", right=False, kind="key") for name in ("a", "b")]
    heads, rows = Grid(columns, [["cerl", "newreno"]]).in_words()
    assert heads == ["algorithm, flows.a.algorithm", "algorithm, flows.b.algorithm"] or len(set(heads)) == 2
    assert rows == [["CERL", "NewReno"]]


def test_units_stand_in_the_head_only_where_all_have_the_same() -> None:
    column = Column("topology.bottleneck.rate", right=False, kind="key")
    assert Grid([column], [["1 Mbps"], ["0.5 Mbps"]]).in_words() == (
        ["rate of the bottleneck (Mbps)"],
        [["1"], ["0.5"]],
    )
    assert Grid([column], [["1 Mbps"], ["1 Gbps"]]).in_words() == (["rate of the bottleneck"], [["1 Mbps"], ["1 Gbps"]])


def test_long_tables_are_cut() -> None:
    page = html(View("t", parts=[Grid([Column("n")], [[at] for at in range(102)])]))
    assert len(Tables(page).rows) == 101
    assert "and 2 more rows" in page


# ---- progress


class Shown:
    """What stands in for IPython: a kernel, and what it was given to show."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def display(self, what: Any, display_id: bool) -> Shown:
        assert display_id
        self.update(what)
        return self

    def update(self, what: Any) -> None:
        self.texts.append(what)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Shown:
    made = Shown()
    notebook, parts = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    notebook.get_ipython = lambda: SimpleNamespace(kernel=True)  # type: ignore[attr-defined]
    parts.display, parts.HTML = made.display, str  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", parts)
    return made


def test_a_notebook_has_a_bar(small: windlass.Scenario, kernel: Shown) -> None:
    small.sweep(seeds=4, store=False, jobs=1)
    assert ['value="1" max="4"' in kernel.texts[0], kernel.texts[-1]] == [True, "small: 4 of 4 runs"]
    assert len(kernel.texts) == 5
    windlass.compare(small, ["newreno", "cerl"], seeds=1, store=False, neighbour=False, jobs=1)
    assert kernel.texts[-1] == "comparison: 2 of 2 runs"


def test_a_bar_is_left_out_where_it_is_not_wanted(
    small: windlass.Scenario, kernel: Shown, capsys: pytest.CaptureFixture[str]
) -> None:
    small.sweep(seeds=2, store=False, progress=False)
    counted: list[int] = []
    small.sweep(seeds=2, store=False, progress=lambda done, total: counted.append(done), jobs=1)
    assert counted == [1, 2]
    assert not kernel.texts
    assert capsys.readouterr() == ("", "")


def test_a_stopped_sweep_says_how_far_it_came(kernel: Shown) -> None:
    with pytest.raises(KeyboardInterrupt), progress.progress_of(None, "<b>") as step:
        assert step is not None
        step(57, 200)
        raise KeyboardInterrupt
    assert kernel.texts[-1] == "&lt;b&gt;: 57 of 200 runs"
    assert kernel.texts[0].startswith("&lt;b&gt; <progress ")


def test_a_bar_is_drawn_a_hundred_times_at_most(kernel: Shown) -> None:
    with progress.progress_of(True, "long") as step:
        assert step is not None
        for done in range(1, 5001):
            step(done, 5000)
    assert len(kernel.texts) <= 103


def test_a_plain_script_prints_nothing(work: Path) -> None:
    (work / "script.py").write_text(
        "import windlass\nwindlass.sweep(windlass.load('single-flow-cwnd').with_({'scenario.duration': '1 s'}), seeds=2)\n"
    )
    done = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


# ---- pandas


def test_without_pandas_it_says_what_to_install(small: windlass.Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)  # what makes `import pandas` fail
    result = small.sweep(seeds=1, store=False)
    for made in (result, result.runs[0]):
        with pytest.raises(windlass.InputError, match="pandas is not installed") as error:
            made.to_pandas()
        assert "pip install 'pandas>=2.0'" in str(error.value)
        assert "windlass[" not in str(error.value)
        assert "`.flows`" in str(error.value)
        with pytest.raises(windlass.InputError, match="did you mean the table `flows`"):
            made.to_pandas("flow")


# ---- LaTeX


def test_latex_has_names_and_units_in_place_of_keys(command: Command, sweep_file: Path) -> None:
    done = command("sweep", sweep_file, "--seeds", "2", "--latex")
    lines = done.stdout.splitlines()
    heads = [
        line.removesuffix(" \\\\").split(" & ")
        for line in lines[lines.index("\\toprule") + 1 : lines.index("\\midrule")]
    ]
    names = [" ".join(" ".join(column).split()) for column in zip(*heads, strict=True)]
    assert names[:4] == ["algorithm", "loss rate of the bottleneck (\\%)", "seeds", "goodput (Mbit/s)"]
    assert lines[lines.index("\\midrule") + 1].startswith("NewReno & ")


def test_a_queue_that_is_swept_stands_in_words(command: Command, work: Path) -> None:
    found = small_document()
    found["sweep"] = {"topology.bottleneck.queue": [{"discipline": "codel", "limit": "60 packets"}, "20 packets"]}
    Path("queues.toml").write_text(_toml.document(found), encoding="utf-8")
    for words in (["sweep", "queues.toml", "--seeds", "2"], ["compare", "newreno", "cubic", "--path", "queues.toml"]):
        done = command(*words)
        assert done.exit_code == 0, done.output
        assert "codel, limit 60 packets" in done.stdout
        assert "{" not in done.stdout
