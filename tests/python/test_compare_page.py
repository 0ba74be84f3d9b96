"""The page of a comparison: its first printed page alone answers, and says what to type."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import browser
import pytest
from test_compare_answer import CASES, Case, row, steady

import windlass
from windlass import _core
from windlass.compare import Comparison, Trial
from windlass.compare.configure import LINUX, advice
from windlass.compare.factors import times
from windlass.compare.page import html
from windlass.interval import Interval

MAINLINE = {
    *("bbr", "bic", "cdg", "cubic", "dctcp", "highspeed", "htcp", "hybla", "illinois", "lp", "nv", "reno", "scalable"),
    *("vegas", "veno", "westwood", "yeah"),
}
"""What `net/ipv4` of Linux has."""


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """BBR gets several times as much as CUBIC."""
    document = {
        "scenario": {"name": "path", "duration": "12 s", "warmup": "2 s", "seeds": 3},
        "topology": {
            "kind": "dumbbell",
            "access": {"rate": "100 Mbps", "delay": "1 ms"},
            "bottleneck": {"rate": "4 Mbps", "delay": "40 ms", "queue": "40 packets", "loss": "3 %"},
        },
        "flows": [{"from": "left/0", "to": "right/0", "algorithm": "cubic"}],
    }
    store = tmp_path_factory.mktemp("store")
    return windlass.compare(windlass.from_dict(document), ["cubic", "bbr"], seeds=4, store=str(store))


def first_page(page: str) -> str:
    """The part that is printed on a page of its own, as text."""
    found = re.search(r'<section class="first">(.*?)</section>', page, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_first_page_has_all_that_one_needs(lossy: Comparison) -> None:
    assert lossy.take == "bbr", lossy.answer
    page = html(lossy)
    first = first_page(page)
    assert len(re.findall(r"<img|<svg", first)) == 1
    headings = re.findall(r"<h3>(.*?)</h3>", first)
    assert headings == ["What is sure", "What is unsure", "What it costs others", "What to configure"]
    headline = re.search(r'<p class="headline">(.*?)</p>', first)
    assert headline is not None
    assert re.search(r"it gets \d+(\.\d)? times \(\d", headline[1]), headline[1]
    for line in ("sysctl -w net.ipv4.tcp_congestion_control=bbr", "tc qdisc replace dev DEV root fq"):
        assert f"<code>{line}</code>" in first
    assert "<pre" not in first
    rest = page.partition("</section>")[2]
    assert rest.index("<h2>Measured</h2>") < rest.index("<h2>Run it again</h2>") < rest.index("<details")
    assert '<a href="#path-1">' in rest and 'id="path-1"' in rest


@pytest.mark.skipif(
    browser.program() is None or shutil.which("pdftotext") is None, reason="needs Chromium and pdftotext"
)
@pytest.mark.parametrize("notes", [0, 8])
def test_it_is_one_page_on_paper(lossy: Comparison, notes: int, work: Path) -> None:
    note = (
        "Seen from the sender, a loss is a packet that was sent again; reordering that no SACK reports would be, too."
    )
    (work / "page.html").write_text(html(replace(lossy, notes=[note] * notes)), encoding="utf-8")
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--print-to-pdf=page.pdf")
    command = [str(browser.program()), *options, f"--user-data-dir={work / 'profile'}", (work / "page.html").as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    text = subprocess.run(["pdftotext", "-layout", "page.pdf", "-"], check=True, capture_output=True, text=True).stdout
    pages = text.split("\f")
    for words in (r"Take\s+bbr\s*: it gets", "What is sure", "What is unsure", "tcp_congestion_control=bbr"):
        assert re.search(words, pages[0]), pages[0]
    assert pages[0].count("Seen from the sender") == notes
    assert "Measured" in pages[1] or "Gains over" in pages[1]
    assert "Gains over" not in pages[0]
    assert '"queue"' not in text, "the description is not printed"


def test_large_gains_are_factors() -> None:
    case = Case({"newreno": [steady(1.0)], "cerl": [steady(9.5, 0.02)]})
    assert "Take `cerl`: it gets 9.5 times (" in case.said()["take"]
    assert ") the goodput per flow of `newreno`." in case.said()["take"]
    assert "gains 20.0 % " in CASES["better"].said()["take"]
    ranged = Case({"newreno": [steady(1.0)] * 2, "cerl": [steady(1.2), steady(3.0, 0.02)]}, places=("a = 1", "a = 2"))
    assert "from 20.0 % ± 0.3 % (a = 1) to 3.0 times (" in ranged.said()["take-range"]
    for one in (*case.said().values(), *ranged.said().values()):
        assert not re.search(r"\+?[1-9]\d\d\.\d %", one), one
    assert times(Interval(1.5, math.nan, math.nan, 1)) == "2.5 times (no interval)"


@pytest.mark.parametrize("place", ["loss rate = 5 %", "cafe"])
def test_a_headline_that_holds_at_one_value_says_so(place: str) -> None:
    case = Case({"newreno": [steady(1.0)] * 2, "cerl": [steady(1.0), steady(1.5)]}, places=("other", place))
    said = "where loss rate = 5 %" if "=" in place else "on `cafe`"
    assert case.said()["take"].startswith(f"Take `cerl` {said}, and only there: it gains 50.0 %")


def test_an_open_answer_shows_where_it_changes(lossy: Comparison) -> None:
    gain = Interval(8.0, 4.0, 15.0, 3)
    trials = [
        Trial("as written", "cubic", "cubic", Interval(-0.01, -0.02, 0.0, 3)),
        Trial("rate 40 Mbps", "bbr", "bbr", gain),
    ]
    page = html(replace(lossy, take=None, trials=trials, notes=["The rate is a lower bound."]))
    first = first_page(page)
    assert first.count("<svg") == 1 and "<img" not in first
    assert "bbr: rate 40 Mbps" in first
    assert "9.0 times (5.0 to 16)" in first
    assert "What the measurement cannot tell" in first
    assert "What to configure" not in first
    assert "<img" in page.partition("</section>")[2]


# ---- what to type


def taken(algorithm: str, queue: str = "") -> Comparison:
    one = row(algorithm, queue=queue)
    return Comparison("path", "flow", [one], baseline="newreno", take=one.candidate)


def test_every_algorithm_of_linux_is_known_by_its_name() -> None:
    names = {one["name"] for one in json.loads(_core.algorithms())}
    assert set(LINUX) <= names
    assert set(LINUX.values()) <= MAINLINE
    assert {name for name in names if name.endswith("-linux")} <= set(LINUX)
    assert {name for name in names if name in MAINLINE} <= set(LINUX) | {"westwood"}


@pytest.mark.parametrize(
    ("algorithm", "queue", "lines"),
    [
        ("cubic", "", ["sysctl -w net.ipv4.tcp_congestion_control=cubic"]),
        ("new-reno", "", ["sysctl -w net.ipv4.tcp_congestion_control=reno"]),
        ("veno-linux", "", ["modprobe tcp_veno", "sysctl -w net.ipv4.tcp_congestion_control=veno"]),
        ("cerl", "", []),
        ("cubic", "codel", ["sysctl", "tc qdisc replace dev LINK root codel"]),
        ("cubic", "fq-codel:limit=300 packets", ["sysctl", "tc qdisc replace dev LINK root fq_codel limit 300"]),
        ("cubic", "codel:target=10 ms", ["sysctl", "tc qdisc replace dev LINK root codel target 10ms"]),
        ("cubic", "200 packets", ["sysctl", "tc qdisc replace dev LINK root pfifo limit 200"]),
        ("cubic", "drop-tail:1 bdp", ["sysctl", "tc qdisc replace dev LINK root pfifo limit N"]),
        ("cubic", "red:min=5 packets", ["sysctl"]),
    ],
)
def test_lines_to_type(algorithm: str, queue: str, lines: list[str]) -> None:
    said, typed = advice(taken(algorithm, queue))
    assert said
    assert len(typed) == len(lines), typed
    assert all(line.startswith(start) for line, start in zip(typed, lines, strict=True)), typed


def test_what_linux_does_not_have_is_said() -> None:
    for name, words in (("cerl", "Linux does not have it"), ("bbr3", "BBR version 1"), ("MyOwn", "does not have it")):
        said, typed = advice(taken(name))
        assert any(words in one for one in said), said
        assert typed == []
    assert "parameters of its own" in " ".join(advice(taken("vegas:vegas_alpha=2"))[0])
    assert advice(replace(taken("cubic"), take=None)) == ([], [])
    assert advice(replace(taken("cubic"), baseline="cubic"))[0][0] == "What you have stays, if it is this."
