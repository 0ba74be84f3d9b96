"""The report as a reader sees it: whole on paper, without keys of the ledger, with the paper's own numbers."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from windlass import ledger, reproduce, verdicts
from windlass.ledger import Check
from windlass.report import figures, given, index, page, pages, summary_of, tables
from windlass.report.bins import bins_figure
from windlass.report.cautions import caution_words
from windlass.report.figures import empty
from windlass.report.language import LABELS, METRICS, Language, sentence
from windlass.report.measured import capacity_lines, number_cell, point_heads, tables_of
from windlass.report.panels import Curve, Panel, draw_panels, highest_shown, look_of, looks_of
from windlass.report.windows import spread, thinned, windows_figure
from windlass.reproduce import PaperReproduction, ReadingRun, Reproduction, plan, running, screen
from windlass.verdicts import Data, Interval, Judgement, Limit, merge

COMMON = frozenset({"fast", "small", "large", "adaptive", "sack", "mix", "setting"})
"""Keys of the ledger that are words of English as well."""

EXPERIMENTS = ["dalal2015/fig8", "huq2024/table1", "janevski2012/cwnd-b-0-d1-tahoe", "rana/red-mode"]
"""A figure with stated values, a printed table, windows over time, and an axis of words."""


def short(patch: pytest.MonkeyPatch) -> None:
    """Two seeds of ten seconds at as few points as the claims allow."""

    def overrides(book: Any, experiment: Any, seeds: int | None, quick: bool) -> dict[str, Any]:
        return {"scenario.duration": "10 s", "scenario.seeds": 2}

    patch.setattr(running, "overrides", overrides)
    patch.setattr(plan, "QUICK_POINTS", 2)


@pytest.fixture(scope="module", params=EXPERIMENTS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    with pytest.MonkeyPatch.context() as patch:
        short(patch)
        found = reproduce.main(request.param, quick=True, out=tmp_path_factory.mktemp("report"), store=False)
    assert isinstance(found, Reproduction)
    return found


class Visible(HTMLParser):
    """Text that a reader sees, without styles and without what is set as code."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("style", "code"):
            self.hidden.append(tag)
        self.texts += [value or "" for name, value in attrs if name in ("alt", "title", "aria-label")]

    def handle_endtag(self, tag: str) -> None:
        if self.hidden and self.hidden[-1] == tag:
            self.hidden.pop()

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.texts.append(data)


def visible(text: str) -> str:
    parser = Visible()
    parser.feed(text)
    return "\n".join(parser.texts)


def keys_in(text: str, book: ledger.Ledger) -> set[str]:
    """Keys of the ledger that stand in a text as words."""
    keys = {key for key in book.variants if key not in COMMON}
    keys |= {axis.key for entry in book.experiments.values() for axis in entry.axes if "_" in axis.key}
    keys |= {"ifq", "dupack"} & {axis.key for entry in book.experiments.values() for axis in entry.axes}
    keys |= {key for key in METRICS if "-" in key} | {reading for reading in book.readings if "-" in reading}
    found = {key for key in keys if re.search(rf"(?<![\w./-]){re.escape(key)}(?![\w/-])", text)}
    return found | set(re.findall(r"\bopen\.\w+|`[^`]*`|[{\[]['\"]\w+", text))


def test_no_key_of_the_ledger_is_seen(made: Reproduction) -> None:
    assert keys_in("lost by newreno at error_percent = 1; see open.nj", ledger.load("huq2024")) == {
        "newreno",
        "error_percent",
        "open.nj",
    }
    text = visible(made.report.read_text(encoding="utf-8"))
    assert keys_in(text, made.ledger) == set()


def test_every_claim_is_there_with_its_verdict_and_its_command(made: Reproduction) -> None:
    text = made.report.read_text(encoding="utf-8")
    parts = re.split(r'<section class="claim" id="claim-', text)[1:]
    assert [part.partition('"')[0] for part in parts] == [outcome.claim.number for outcome in made.outcomes]
    for part, outcome in zip(parts, made.outcomes, strict=True):
        assert f">{outcome.judgement.verdict}</span>" in part
        assert f'run exactly this</dt><dd class="commands"><code>{made.command}</code>' in part


def test_every_verdict_of_runs_says_why_it_got_no_more_seeds(made: Reproduction) -> None:
    parts = made.report.read_text(encoding="utf-8").split('<section class="claim"')[1:]
    for part, outcome in zip(parts, made.outcomes, strict=True):
        judged = outcome.judgement.stopped == "fixed"
        assert judged == (outcome.judgement.seeds is not None)
        assert ("<dt>seeds</dt><dd>2 seeds: this number of seeds was asked for." in part) == judged
        asked = sum(other.stopped == "fixed" for _, other, _ in outcome.readings)
        assert part.count('<td class="soft">this number of seeds was asked for</td>') == asked


def test_the_page_says_how_long_the_runs_took(made: Reproduction) -> None:
    assert made.took_s > 0
    text = made.report.read_text(encoding="utf-8")
    assert re.search(rf"The {made.total} runs took [\d.]+ (min|s).*, [\d.]+ minutes of CPU time", text)


def test_the_same_runs_give_the_same_files(made: Reproduction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short(monkeypatch)
    again = reproduce.main(made.experiment.id, quick=True, out=tmp_path / "again", store=False, jobs=1)
    assert isinstance(again, Reproduction)

    def contents(folder: Path) -> dict[str, bytes]:
        files = {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
        page_ = files.pop("report.html").decode()
        del files["manifest.json"]  # when it was made, and how long that took
        return {**files, "report.html": re.sub(r"The \d+ runs took .*", "", page_).encode()}

    assert contents(again.folder) == contents(made.folder)


def test_nothing_is_lost_on_paper(made: Reproduction) -> None:
    text = made.report.read_text(encoding="utf-8")
    printed = text[text.index("@media print") : text.index("</style>")]
    for rule in (
        ".wide { overflow: visible; }",
        "details::details-content { content-visibility: visible;",
        "overflow-wrap: anywhere",
        "thead { display: table-header-group; }",
        "break-inside: avoid",
        "color-scheme: light",
    ):
        assert rule in printed
    assert "@page { size: A4" in text


def test_figures_show_what_the_paper_gives_or_say_that_it_gives_nothing(made: Reproduction) -> None:
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", made.report.read_text(encoding="utf-8"))
    assert captions
    for metric in figures.metrics_of(made):
        stated = given.stated_values(made, metric)
        words = "values that the paper states" if stated else "not given in its text"
        assert any(words in caption for caption in captions)


def test_the_tables_have_a_row_for_each_claim_and_reading(made: Reproduction) -> None:
    import pyarrow.parquet as pq

    with (made.folder / "claims.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == tables.COLUMNS
    assert pq.read_table(made.folder / "claims.parquet").num_rows == len(rows)
    base = [row for row in rows if not row["reading"]]
    assert [row["claim"] for row in base] == [outcome.claim.id for outcome in made.outcomes]
    assert [row["verdict"] for row in base] == [outcome.judgement.verdict for outcome in made.outcomes]
    assert len(rows) == sum(1 + len(outcome.readings) for outcome in made.outcomes)
    found = [judgement for one in made.outcomes for judgement in (one.judgement, *(row[1] for row in one.readings))]
    for row, judgement in zip(rows, found, strict=True):
        seeds = ("", "") if judgement.seeds is None else tuple(str(count) for count in judgement.seeds)
        assert (row["fewest_seeds"], row["seeds"], row["stopped"]) == (*seeds, judgement.stopped)
        assert bool(row["latitude"]) == (row["verdict"] == "compatible")
        assert row["whose"] in ("paper", "ours")


def test_the_summary_has_every_claim(made: Reproduction) -> None:
    text = (made.folder / "summary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| .* \| (.*) \| .* \|$", text.partition("###")[0], re.MULTILINE)
    assert [number for number, _ in rows] == [outcome.claim.number for outcome in made.outcomes]
    for (_, words), outcome in zip(rows, made.outcomes, strict=True):
        assert words.startswith(outcome.judgement.verdict)
    # commands, and the file beside the page, are no keys
    assert keys_in(re.sub(r"`windlass [^`]*`|\[`values\.parquet`\]\(values\.parquet\)", "", text), made.ledger) == set()


def test_each_part_of_a_claim_is_shown_with_its_verdict(made: Reproduction) -> None:
    outcome = made.outcomes[0]
    value = {"metric": "throughput", "a": "a sender", "unit": "Mbps", "tolerance_rel": 0.1}
    check = Check("value", {**value, "value": 3.5}, also=(Check("value", {**value, "value": 4.5}),))
    parts = (Judgement("reproduced", "3.4 Mbps"), Judgement("contradicted", "3.9 Mbps"))
    judgement = replace(outcome.judgement, verdict="contradicted", parts=parts)
    whole = replace(made, outcomes=[replace(outcome, claim=replace(outcome.claim, check=check), judgement=judgement)])
    html, text = page(whole, []), " ".join(summary_of(whole, []).split())
    for wanted, verdict, found in (("3.5", "reproduced", "3.4"), ("4.5", "contradicted", "3.9")):
        assert re.search(rf"{wanted} Mbps ± 10 %\. <span[^>]*>{verdict}</span> <span[^>]*>{found} Mbps\.", html)
        assert f"asked: A sender: {wanted} Mbps ± 10 %. **{verdict.capitalize()}**. {found} Mbps." in text
    assert "All parts must hold." in text
    assert judgement.to_dict()["parts"] == [
        {"verdict": "reproduced", "measured": "3.4 Mbps"},
        {"verdict": "contradicted", "measured": "3.9 Mbps"},
    ]


def test_what_the_links_carry_is_said_of_senders_without_headers(made: Reproduction) -> None:
    """Of 5 Mbps the payload of 1040 B is 4.81, that of packets that are nothing else 5."""
    limits = {True: Limit(5.0, 5.0, 1, "5 Mbps."), False: Limit(4.81, 4.81, 1, "4.81 Mbps.")}
    names = made.data.variants

    def of(point: Any, variant: str, at_once: bool = False) -> Limit:
        return limits[variant == names[-1] and len(names) > 1]

    lines = capacity_lines(replace(made, limits=of))
    assert lines[0] == "4.81 Mbps."
    if len(names) > 1:
        assert len(lines) == 2
        assert lines[1].endswith(": 5 Mbps.")
        assert empty(replace(made, limits=of), made.data.points[0]) == limits[True]


def test_text_is_escaped(made: Reproduction) -> None:
    outcome = made.outcomes[0]
    claim = replace(outcome.claim, text="less < more & <b>bold</b>")
    text = page(replace(made, outcomes=[replace(outcome, claim=claim)]), [])
    assert "less &lt; more &amp; &lt;b&gt;bold&lt;/b&gt;" in text
    assert "<b>" not in text


def test_a_compatible_claim_says_why(made: Reproduction) -> None:
    outcome = made.outcomes[0]
    why = "it is met at its most favourable point, and not at every point that it covers"
    judgement = replace(outcome.judgement, verdict="compatible", latitude=why)
    text = page(replace(made, outcomes=[replace(outcome, judgement=judgement)]), [])
    assert f"<dt>why compatible</dt><dd>I{why[1:]}.</dd>" in text
    strict = replace(outcome.judgement, verdict="reproduced", latitude="")
    assert "why compatible" not in page(replace(made, outcomes=[replace(outcome, judgement=strict)]), [])


def test_stated_values_are_those_of_the_paper(made: Reproduction) -> None:
    found = {
        (one.variant, one.point): one.value
        for metric in figures.metrics_of(made)
        for one in given.stated_values(made, metric)
    }
    expected: dict[str, dict[tuple[str, Any], float]] = {
        "dalal2015/fig8": {("newreno", (0.1,)): 2.92, ("westwood", (0.1,)): 3.81},
        "huq2024/table1": {("ewr", (0,)): 0.64, ("newreno", (10,)): 0.57},
    }
    for place, value in expected.get(made.experiment.id, {}).items():
        assert found[place] == value
    if made.experiment.id == "dalal2015/fig8":
        gain = next(one for one in given.claimed_gains(made) if one.claim.number == "15")
        assert (gain.a, gain.b, gain.points) == ("adaptive", "newreno", ((0.1,),))
        assert (gain.low, gain.high) == pytest.approx((0.427, 0.847))
        less = next(one for one in given.claimed_gains(made) if one.claim.number == "11")  # a reduction by 66 ± 15 %
        assert (less.low, less.high) == pytest.approx((-0.81, -0.51))
        drawn = (made.folder / "fig8-gains-residual.svg").read_text(encoding="utf-8")
        assert "residual capacity (Mbit/s)" in drawn
        assert "residual" not in (made.folder / "fig8-gains.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("made", ["dalal2015/fig8"], indirect=True)
@pytest.mark.parametrize("kind", ["cross", "averaged", "ratio", "drop"])
def test_claims_on_two_figures_are_drawn_beside_the_other_one(made: Reproduction, kind: str, tmp_path: Path) -> None:
    other = replace(made.data, experiment="dalal2015/fig9")
    both: dict[str, Any] = {"metric": "throughput", "a_from": made.experiment.id, "b_from": other.experiment}
    pair = {"relation": "gain", "a": "adaptive", "b": "newreno", "percent": 50.0, "tolerance_pp": 10.0}
    fields: dict[str, Any] = {
        "cross": {**both, **pair},
        "averaged": {**both, **pair, "avg_over": ["variant"]},
        "ratio": {**both, "ratio": 2.0, "tolerance_rel": 0.25},
        "drop": {**both, "value": 200.0, "unit": "kbps", "tolerance_rel": 0.5},
    }[kind]
    check = ledger.Check("cross" if kind == "averaged" else kind, fields)
    outcome = replace(made.outcomes[0], claim=replace(made.outcomes[0].claim, check=check))
    found = replace(made, outcomes=[outcome], others={other.experiment: other})
    names = [figure.stem for figure in figures.draw(found, tmp_path)]
    if kind == "cross":
        (gain,) = given.gains_across(found)
        assert (gain.low, gain.high, gain.points) == (0.4, 0.6, made.data.points)
        assert gain.there == {point: point for point in made.data.points}
        assert "fig8-gains" in names and "fig8-means" not in names
        assert "NewReno in figure 9" in (tmp_path / "fig8-gains.svg").read_text(encoding="utf-8")
        return
    (whole,) = given.claimed_wholes(found)
    centre = verdicts.mean(whole.other_mean).mean
    ends = {"averaged": (1.4, 1.6), "ratio": (1.5, 2.5), "drop": (1 + 0.1 / centre, 1 + 0.3 / centre)}[kind]
    assert (whole.low / centre, whole.high / centre) == pytest.approx(ends)
    assert "fig8-means" in names
    drawn = (tmp_path / "fig8-means.svg").read_text(encoding="utf-8")
    assert "figure 9" in drawn and "claimed gain over our baseline" in drawn
    assert not given.claimed_wholes(replace(found, others={}))


def test_a_thinned_line_keeps_every_extreme_and_both_ends() -> None:
    line = [(at / 100, math.sin(at / 7) * (1 + at % 13)) for at in range(10_000)]
    step = 0.5
    thin = thinned(line, step)
    assert set(thin) <= set(line)
    assert thin == sorted(thin)
    assert len(thin) <= 4 * 200
    for bin_ in range(200):
        whole = [point for point in line if point[0] // step == bin_]
        kept = [point for point in thin if point[0] // step == bin_]
        assert (kept[0], kept[-1]) == (whole[0], whole[-1])
        values = [value for _, value in whole]
        assert {min(values), max(values)} <= {value for _, value in kept}
    assert thinned(line[:2], step) == line[:2]


def test_windows_are_drawn_where_they_were_recorded(made: Reproduction) -> None:
    drawn = list(made.folder.glob("*-windows.svg"))
    assert bool(drawn) == ("cwnd" in made.experiment.metrics)
    if drawn:
        assert "time (s)" in drawn[0].read_text(encoding="utf-8")


def test_every_variant_of_every_paper_has_one_name() -> None:
    for paper in ledger.papers():
        book = ledger.load(paper)
        language = Language(book)
        names = {key: language.variant(key) for key in book.variants}
        assert all(key in LABELS for key in names), paper
        assert all(not re.search(r"[a-z]-[a-z]+$", name) or " " in name for name in names.values())


@pytest.mark.parametrize(
    ("experiment", "text", "said"),
    [
        (
            "janevski2012/fig3",
            "ifq = 50 below ifq = 25",
            "interface queue = 50 packets below interface queue = 25 packets",
        ),
        (
            "saedi2019/fig3.5",
            "cerl against newjerseyplus at q = 8 %",
            "CERL against New Jersey+ at loss rate q of L = 8 %",
        ),
        (
            "huq2024/friend",
            "other flows = 3, other = newreno",
            "share of the other variant = 3 flows of 10, the other variant = NewReno",
        ),
        (
            "dalal2015/fig12",
            "newreno at other = adaptive",
            "NewReno at protocol beside NewReno = Adaptive TCP",
        ),
        ("huq2024/fig10", "needs `time_s`", "needs time"),
        ("rana/fig3", "veno in fig3 against newreno in fig2", "Veno in figure 3 against NewReno in figure 2"),
        ("rana/fig5", "reno first at figure = one-loss", "Reno first in “One random loss without queueing”"),
        ("saedi2019/summary-ch3", "figure = fig3.14, n = 20", "figure 3.14, n = 20"),
        (
            "saedi2019/summary-ch3",
            "figure = fig3.8, delay access = 80 ms; in fig3.17, delay access = 30 ms",
            "figure 3.8, delay of the G2-receiver links = 80 ms; in figure 3.17, delay of the sender-G1 links = 30 ms",
        ),
        ("saedi2019/fig4.26", "newreno#2 first of 2: open", "NewReno, flow 2 first of 2: not settled"),
    ],
)
def test_what_was_found_is_said_in_words(experiment: str, text: str, said: str) -> None:
    assert Language(*ledger.experiment(experiment)).found(text) == said


def test_a_page_says_where_the_paper_has_it() -> None:
    for experiment, place in (
        ("dalal2015/fig9", "Figure 9, section 4.2.2"),
        ("dalal2015/summary", "Abstract, section 5"),
        ("saedi2019/fig3.5", "Figure 3.5, section 3.2.1.1"),
    ):
        assert pages._place(ledger.experiment(experiment)[1]) == place


def test_prose_of_the_ledger_is_shown_as_it_is(made: Reproduction) -> None:
    """Also where it has words that are keys of the ledger: nothing of it is taken for one."""
    words = {key: f"{key} of small, large, fast and first {key}" for key in ("text", "why", "title", "default", "what")}
    book, entry = made.ledger, replace(made.experiment, title=words["title"])
    wrong = {key: replace(row, what=words["what"], take=words["text"]) for key, row in book.inconsistencies.items()}
    book = replace(
        book,
        open={key: replace(row, default=words["default"], why=words["why"]) for key, row in book.open.items()},
        inconsistencies=wrong,
        variants={**book.variants, **dict.fromkeys(words, next(iter(book.variants.values())))},
    )
    outcomes = [replace(one, claim=replace(one.claim, text=words["text"])) for one in made.outcomes]
    runs = [replace(run, reading=replace(run.reading, title=words["title"], why=words["why"])) for run in made.runs]
    again = replace(made, ledger=book, experiment=entry, outcomes=outcomes, runs=runs)
    text = pages.summary_of(again, [])
    for word in ("text", "why", "title", "default", *(["what"] if book.touching(entry) else [])):
        assert words[word] in text or sentence(words[word]) in text, word
    # what was found has its keys replaced, and only those of this paper
    language = Language(made.ledger, made.experiment)
    foreign = " and ".join(key for key in LABELS if key not in made.ledger.variants)
    assert language.found(foreign) == foreign
    for key in made.ledger.variants:
        assert language.found(f"{key} first of 3") == f"{language.variant(key)} first of 3"
    assert sentence("it holds") == "It holds."
    for kept in ("mVeno leads", "ns-2 default", "l >= N is congestion", "cwnd grows", "802.11g"):
        assert sentence(kept) == kept + "."
    for small in ("a receiver window", "low-pass with 0.9", "greedy", "don't", "variant: as printed"):
        assert sentence(small) == small[0].upper() + small[1:] + "."


def test_references_have_what_the_ledger_knows() -> None:
    text = tables.bibtex(ledger.load(paper) for paper in ledger.papers())
    assert re.findall(r"^@(\w+)\{(\w+),$", text, re.MULTILINE) == [
        ("article", "dalal2015"),
        ("misc", "huq2024"),
        ("misc", "janevski2012"),
        ("misc", "rana"),
        ("mastersthesis", "saedi2019"),
    ]
    assert "  doi = {10.4236/ijcns.2015.85015}" in text
    assert "  volume = {8}" in text
    assert text.count("{") == text.count("}")


def test_an_index_links_to_each_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short(monkeypatch)
    book = ledger.load("saedi2019")
    kept = {"saedi2019/fig4.26": book.experiments["saedi2019/fig4.26"]}
    monkeypatch.setattr(ledger, "load", lambda _: replace(book, experiments=kept))
    monkeypatch.chdir(tmp_path)
    found = reproduce.main("saedi2019", quick=True, store=False)
    assert isinstance(found, PaperReproduction)
    text = Path("reproduced/index.html").read_text(encoding="utf-8")
    assert re.findall(r'href="([^"]+)"', text) == ["saedi2019/report.html"]
    assert Path("reproduced/saedi2019/report.html").is_file()
    assert "Of 1 claim," in text
    assert "mastersthesis" in Path("reproduced/saedi2019/references.bib").read_text(encoding="utf-8")
    kept_verdicts = index.last_verdicts(Path("reproduced"), "saedi2019/fig4.26")
    assert kept_verdicts is not None
    assert kept_verdicts["verdicts"] == found.counts
    assert index.last_verdicts(Path("reproduced"), "saedi2019/fig3.5") is None
    Path("reproduced/saedi2019/claims.json").write_text("{", encoding="utf-8")
    assert index.found_papers(Path("reproduced")) == []


def test_all_papers_have_an_index_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short(monkeypatch)
    book = ledger.load("saedi2019")
    kept = {"saedi2019/fig4.26": book.experiments["saedi2019/fig4.26"]}
    monkeypatch.setattr(ledger, "load", lambda _: replace(book, experiments=kept))
    monkeypatch.setattr(ledger, "papers", lambda: ["saedi2019"])
    reproduce.main("all", quick=True, out=tmp_path / "here", store=False)
    text = (tmp_path / "here" / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'href="([^"]+)"', text) == ["saedi2019/report.html"]
    assert (tmp_path / "here" / "saedi2019" / "report.html").is_file()
    assert not (tmp_path / "index.html").exists()


CAUTIONS = """
janevski2012/fig45
medium `air`: the MAC of `n1` gave up 26.2% of its packets (topology.radio.queue = 2 packets). It is lost as `mac_retry`.
Medium “air”: the MAC of “n1” gave up 26.2 % of its packets (interface queue = 2 packets). It is counted as given up by the MAC.

huq2024/fig7
flows `flow`: in 2 of 9 runs a flow got less: `flow/8`, 0.0% (seed 2). It is locked out, which `topology.x_y` prevents.
In 2 of 9 runs a flow got less: “flow 8” got 0.0 % (seed 2). It is locked out.

rana/fig2
`mobile/3` is out of coverage for 3 s: lost as `coverage`. Longer ways need more `stations` or a larger `radius`.
“mobile 3” is out of coverage for 3 s: counted as lost out of coverage.

huq2024/table5
ewr: equation 5 divides a rate by a time (`ewr_sample`).
EWR: equation 5 divides a rate by a time.

huq2024/table5
flows `ewr-0`: a flow got nothing at all.
A flow of the group EWR (0) got nothing at all.

saedi2019/fig4.24
flows `beside-newreno-*`: in 7 of 3796 runs a flow got nothing at all: `beside-newreno-59` (seed 1)
In 7 of 3796 runs a flow of the groups “beside-newreno-*” got nothing at all: “beside-newreno-59” (seed 1).

saedi2019/fig4.15
flows `flow`: a flow got less: `flow/6`, 0.0% (topology.bottleneck.loss.rate = 12%, seed 4)
A flow got less: “flow 6” got 0.0 % (loss rate q of L = 12 %, seed 4).
"""


@pytest.mark.parametrize("case", CAUTIONS.strip().split("\n\n"))
def test_cautions_are_said_without_keys_of_scenario_files(case: str) -> None:
    experiment, text, said = case.splitlines()
    assert caution_words(text, *ledger.experiment(experiment)) == said


def test_of_each_band_of_a_claimed_gain_some_is_in_the_figure() -> None:
    curve = Curve("cerl", (1.0, 0.5), (0.9, 0.4), (1.1, 0.6))
    inside = Panel("within", (0.0, 1.0), (curve,), band=((1.0, 4.0), (0.6, 3.0)))
    above = Panel("above", (0.0, 1.0), (curve,), band=((4.0, 6.0), (2.0, 3.0)))
    unknown = Panel("unknown", (0.0, 1.0), (curve,), band=(None, (math.nan, math.nan)))
    bar = Panel("a place", (0.0,), (Curve("cerl", (1.0,), (0.9,), (1.1,)),), band=((0.5, 2.5),))
    assert highest_shown([inside]) == pytest.approx(1.08 * 1.1), "it leads out of the figure"
    assert highest_shown([inside, above]) == pytest.approx(1.08 * 3.0)
    assert highest_shown([unknown]) == highest_shown([inside])
    assert highest_shown([bar]) == pytest.approx(1.08 * 2.5)
    assert highest_shown([]) == pytest.approx(1.08)
    figure = draw_panels([above], "loss", "throughput")
    axes = next(axes for axes in figure.axes if axes.collections)
    (band,) = [one for one in axes.collections if one.get_hatch()]
    low = min(path.vertices[:, 1].min() for path in band.get_paths())
    assert low < axes.get_ylim()[1]


def judged_on(made: Reproduction, experiment: str, data: Data) -> Reproduction:
    """Claims of another experiment of the same paper, with measurements that were made up."""
    book, entry = ledger.experiment(experiment)
    outcomes = [replace(made.outcomes[0], claim=claim) for claim in book.claims_of(experiment)]
    return replace(made, ledger=book, experiment=entry, data=data, outcomes=outcomes, runs=[])


def measured(
    experiment: str,
    axes: tuple[str, ...],
    points: tuple[Any, ...],
    values: dict[tuple[str, str, Any], float],
    series: dict[tuple[str, str, Any], list[tuple[float, float]]] | None = None,
) -> Data:
    """Two seeds of each value, the second one larger by a tenth; a series has the same line twice."""
    fixed = ledger.experiment(experiment)[1].fixed
    both = {key: {1: value, 2: 1.1 * value} for key, value in values.items()}
    lines = {key: {1: line, 2: [(at, 1.1 * value) for at, value in line]} for key, line in (series or {}).items()}
    return Data(experiment, axes, points, fixed, both, series=lines)


@pytest.mark.parametrize("made", ["janevski2012/cwnd-b-0-d1-tahoe"], indirect=True)
def test_rows_of_a_summary_name_the_axes_of_their_figure(made: Reproduction) -> None:
    parts = [
        measured("janevski2012/fig44", ("ifq",), ((25,), (50,)), {("throughput", "tahoe", (25,)): 0.5}),
        measured("janevski2012/fig48", ("dupack", "ifq"), ((3, 25),), {("throughput", "tahoe", (3, 25)): 0.7}),
    ]
    merged = merge("janevski2012/summary", parts)
    assert any(None in point for point in merged.points)
    data = replace(merged, values={**merged.values, ("throughput", "tahoe#1", merged.points[0]): {1: 0.5}})
    (table, *_) = tables_of(judged_on(made, "janevski2012/summary", data))
    assert (table["heads"], table["variants"]) == (["setting"], ["Tahoe"]), "whole variants, not single flows"
    assert [row["places"] for row in table["rows"]] == [
        ["figure 48, duplicate ACK threshold = 3, interface queue = 25 packets"],
        ["figure 44, interface queue = 25 packets"],  # nothing was measured at 50
    ]


@pytest.mark.parametrize("made", ["janevski2012/cwnd-b-0-d1-tahoe"], indirect=True)
def test_what_has_the_numbers_of_another_table_is_named_there(made: Reproduction) -> None:
    both = ["throughput per flow (Mbit/s)", "throughput of all flows (Mbit/s)"]
    for total, wanted in ((1.0, ["throughput per flow (Mbit/s); throughput of all flows is the same"]), (2.0, both)):
        values = {("throughput", "cerlplus", ()): 1.0, ("throughput-total", "cerlplus", ()): total}
        data = measured("saedi2019/fig4.28", (), ((),), values)
        found = tables_of(judged_on(made, data.experiment, data))
        assert [table["words"] for table in found] == wanted


@pytest.mark.parametrize("made", ["janevski2012/cwnd-b-0-d1-tahoe"], indirect=True)
def test_a_summary_has_its_figures_in_the_order_of_the_ledger(made: Reproduction) -> None:
    parts = [
        measured(f"janevski2012/{name}", ("ifq",), ((25,),), {("throughput", "tahoe", (25,)): number})
        for name, number in (("fig47", 0.2), ("fig44", 0.5))
    ]
    (table, *_) = tables_of(judged_on(made, "janevski2012/summary", merge("janevski2012/summary", parts)))
    assert [row["places"][0].partition(",")[0] for row in table["rows"]] == ["figure 44", "figure 47"]


@pytest.mark.parametrize("made", ["janevski2012/cwnd-b-0-d1-tahoe"], indirect=True)
def test_the_terminal_names_settings_as_the_report_does(made: Reproduction) -> None:
    """Two axes, each with a column of its own, and none: the same in both; a summary prints verdicts only."""
    points = ((3, 25), (1, 50))
    two = measured("janevski2012/fig48", ("dupack", "ifq"), points, {("throughput", "tahoe", at): 0.5 for at in points})
    none = measured("saedi2019/fig4.28", (), ((),), {("throughput", "cerlplus", ()): 1.0})
    heads = ["duplicate ACK threshold", "interface queue (packets)"]
    for data, wanted, places in ((two, heads, [["3", "25"], ["1", "50"]]), (none, ["setting"], [["the only one"]])):
        found = judged_on(made, data.experiment, data)
        (table, *_) = tables_of(found)
        printed = screen._measured(found, Language(found.ledger, found.experiment))
        columns = printed.columns[: len(wanted)]
        assert (table["heads"], [row["places"] for row in table["rows"]]) == (wanted, places)
        assert [column.header for column in columns] == wanted
        assert [list(cells) for cells in zip(*(column.cells for column in columns), strict=True)] == places
    summary = judged_on(made, "janevski2012/summary", merge("janevski2012/summary", [two]))
    assert point_heads(summary.experiment) == ["setting"]
    console = Console(file=io.StringIO(), width=200)
    screen.print_experiment(replace(summary, outcomes=[]), console)
    assert "per flow" not in console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("target", "axes", "point", "metric", "variants", "cells"),
    [
        ("huq2024/table1", ("error_percent",), (0.1,), "fairness", ["newreno", "ewr"], ["0.31", "0.98"]),
        # the unit that the paper prints, where it is not that of the runs
        ("huq2024/friend", ("other_flows", "other"), (7, "newreno"), "throughput", ["ewr"], ["71.03 Kb/s"]),
        # one flow of each variant, shown flow by flow
        ("huq2024/table5", ("error_percent",), (25,), "throughput", ["vegas", "vegas#1"], ["0.2852"]),
        ("dalal2015/fig8", ("fer_percent",), (0.1,), "throughput", ["westwood"], ["3.81"]),
        ("dalal2015/fig8", ("fer_percent",), (2,), "throughput", ["westwood"], [""]),
    ],
)
@pytest.mark.parametrize("made", ["rana/red-mode"], indirect=True)
def test_a_printed_value_is_beside_ours(
    made: Reproduction, target: str, axes: Any, point: Any, metric: str, variants: list[str], cells: list[str]
) -> None:
    data = measured(target, axes, (point,), {(metric, name, point): 0.5 for name in variants})
    found = judged_on(made, target, data)
    (table, *_) = tables_of(found)
    assert [cell["printed"] for cell in table["rows"][0]["cells"]] == cells
    assert cells == [""] or f"± 0.32 (printed: {cells[0]})" in pages.summary_of(found, [])


@pytest.mark.parametrize(
    ("mean", "half", "shown"),
    [
        (0.0863, 0.00049, "0.08630 ± 0.00049"),
        (0.0863, 0.0, "0.08630 ± 0"),
        (0.0, 0.0, "0 ± 0"),
        (126245616.0, 571139.56, "126,250,000 ± 570,000"),
        (12.4968, 0.8166, "12.50 ± 0.82"),
        (5.0, 0.0996, "5.00 ± 0.10"),
        (-0.004, 0.31, "0.00 ± 0.31"),
        (1234.5678, math.inf, "1,235"),
        (math.nan, 1.0, "-"),
    ],
)
def test_numbers_have_the_digits_that_their_interval_leaves(mean: float, half: float, shown: str) -> None:
    cell = number_cell(Interval(mean, mean - half, mean + half, 3))
    assert " ± ".join(text for text in (cell["mean"], cell["half"]) if text) == shown
    assert number_cell(Interval(mean, math.nan, math.nan, 1))["half"] == ""


@pytest.mark.parametrize("made", ["janevski2012/cwnd-b-0-d1-tahoe"], indirect=True)
def test_large_numbers_of_bytes_have_a_prefix(made: Reproduction) -> None:
    data = measured("saedi2019/fig4.25b", (), ((),), {("seqno", f"newreno#{at}", ()): 1e8 * at for at in (1, 2)})
    found = judged_on(made, "saedi2019/fig4.25b", data)
    (table,) = tables_of(found)
    assert table["words"] == "data delivered per flow (MB)"
    assert table["rows"][0]["cells"][0]["mean"] == "105"
    figure, caption = figures._measured(found, "seqno")
    assert "at the end of the run" in caption
    assert figure.get_supylabel() == table["words"]
    figure.canvas.draw()
    assert "200" in [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["NewReno\nflow 1", "NewReno\nflow 2"]


@pytest.mark.parametrize("made", ["janevski2012/cwnd-b-0-d1-tahoe"], indirect=True)
def test_windows_of_all_variants_are_drawn_with_what_the_paper_states_of_them(made: Reproduction) -> None:
    entry = ledger.experiment("janevski2012/cwnd-a-0-d1")[1]
    points = tuple((ifq,) for ifq in (2, 5, 15, 25, 50))
    line = [(0.0, 1.0), (50.0, 4.0), (150.0, 2.0)]
    series = {
        ("cwnd", name, point): [(at, v * point[0]) for at, v in line] for name in entry.variants for point in points
    }
    data = measured(entry.id, ("ifq",), points, {("cwnd-max", name, (2,)): 5.0 for name in entry.variants}, series)
    found = judged_on(made, entry.id, data)
    stated = given.stated_windows(found)
    assert {(one.point, one.value) for one in stated} == {((2,), 5.0), ((5,), 10.0), ((15,), 25.0)}
    assert {one.variant for one in stated} == set(entry.variants) and all(one.peak for one in stated)
    drawn = windows_figure(found)
    assert drawn is not None
    figure, caption = drawn
    assert "highest window that the paper states" in caption and "not given" not in caption
    assert [axes.get_title(loc="left") for axes in figure.axes[:5]] == ["Tahoe", "Reno", "NewReno", "Vegas", "SACK"]
    tops = [axes.get_ylim()[1] for axes in figure.axes]
    assert tops[0] == tops[4] < tops[5] < tops[20] == tops[24], "a scale for each row"
    lines = [one.get_ydata()[0] for one in figure.axes[0].lines if one.get_label().startswith("highest")]
    assert lines == [5.0]
    drawn = windows_figure(replace(found, outcomes=[]))
    assert drawn is not None and "not given in its text" in drawn[1]
    assert spread(list(points), 3) == [(2,), (15,), (50,)]


@pytest.mark.parametrize("made", ["rana/red-mode"], indirect=True)
@pytest.mark.parametrize(
    ("experiment", "variant", "marks"),
    [("rana/fig4", "westwoodplus", [(1.0, ())]), ("rana/fig5", "westwoodplus", [(1.0, (60.0, 140.0))])],
)
def test_windows_that_a_claim_names_at_a_time_are_marked(
    made: Reproduction, experiment: str, variant: str, marks: list[Any]
) -> None:
    line = [(10.0, 1.0), (200.0, 40.0)]
    data = measured(experiment, (), ((),), {("cwnd", variant, ()): 20.0}, {("cwnd", variant, ()): line})
    found = judged_on(made, experiment, data)
    assert [(one.value, one.times) for one in given.stated_windows(found)] == marks
    drawn = windows_figure(found)
    assert drawn is not None and "not given" not in drawn[1]
    labels = [text.get_text() for text in drawn[0].legends[0].get_texts()]
    assert labels == [
        "window that the paper states at that time" if marks[0][1] else "window that the paper says it comes down to"
    ]


@pytest.mark.parametrize("made", ["rana/red-mode"], indirect=True)
def test_throughput_in_bins_is_drawn_over_time(made: Reproduction) -> None:
    names = ("newreno", "veno", "westwoodplus", "westwoodplus-ha")
    values = {("throughput", name, ()): 1.0 + at for at, name in enumerate(names)}
    series = {("throughput", name, ()): [(10.0 + 20 * at, 1.0) for at in range(10)] for name in names[:3]}
    found = judged_on(made, "rana/fig5", measured("rana/fig5", (), ((),), values, series))
    drawn = bins_figure(found)
    assert drawn is not None
    figure, caption = drawn
    assert (
        "in bins of 20 s" in caption and "Not recorded in bins, since no claim looks at them: Westwood+ with" in caption
    )
    (axes,) = figure.axes
    assert axes.get_xlabel() == "time (s)"
    curves = {one.get_label(): one for one in axes.containers}
    assert list(curves) == ["NewReno", "Veno", "Westwood+"]
    data_line, _, (bars,) = curves["Veno"]
    assert list(data_line.get_xdata()) == [10.0 + 20 * at for at in range(10)]
    assert data_line.get_ydata()[3] == pytest.approx(1.05)
    assert len(bars.get_segments()) == 10 and bars.get_segments()[0][1][1] > 1.1, "intervals of two seeds"
    assert sorted({one.get_xdata()[0] for one in axes.lines if one.get_label().startswith("time")}) == [60.0, 140.0]
    assert bins_figure(replace(found, data=replace(found.data, series={}))) is None


def test_flows_have_the_colour_of_their_algorithm_and_a_shape_of_their_own() -> None:
    names = ["CERL+, flow 1", "CERL+, flow 2", "NewReno, flow 1", "NewReno, flow 2", "CUBIC of 2008", "CUBIC"]
    found = looks_of(names)
    for name in names:
        assert found[name].colour == look_of(name.partition(", ")[0]).colour
    assert found["CERL+, flow 1"].colour != found["NewReno, flow 1"].colour
    assert found["CERL+, flow 1"] == look_of("CERL+"), "the first flow looks as the algorithm does elsewhere"
    assert found["CUBIC"] == look_of("CUBIC"), "no flow takes the shape of another algorithm of the figure"
    assert len({look[1:] for look in found.values()}) == len(names)
    assert look_of("Westwood of 2001") == look_of("Westwood")


@pytest.mark.parametrize("made", ["janevski2012/cwnd-b-0-d1-tahoe"], indirect=True)
def test_flows_of_another_form_are_shown_one_by_one(made: Reproduction) -> None:
    names = ("cerlplus", "cerlplus#1", "cerlplus#2", "newreno", "newreno#1")
    data = measured("saedi2019/fig4.28", (), ((),), {("seqno", name, ()): 1.0 for name in names})
    found = judged_on(made, "saedi2019/fig4.28", data)
    form = found.ledger.readings["inverted"]
    found = replace(found, runs=[ReadingRun(form, data)])
    assert [name for name, _, _ in figures.curves_of(found)] == [
        "CERL+, flow 1",
        "CERL+, flow 2",
        "NewReno, flow 1",
        "CERL+ inverted, flow 1",
        "CERL+ inverted, flow 2",
    ]
    assert [variant for _, _, variant in figures.curves_of(found)][3:] == ["cerlplus#1", "cerlplus#2"]
