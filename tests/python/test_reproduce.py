"""A reproduction from end to end, tiny: the files, the page and the promises made on them."""

from __future__ import annotations

import csv
import hashlib
import html
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import windlass
from windlass import ledger, reproduce, verdicts
from windlass.errors import InputError
from windlass.experiments import NotYet, needs
from windlass.names import loss_causes, not_lost
from windlass.report import page
from windlass.report.growth import growth_figure
from windlass.report.language import LABELS, sentence
from windlass.reproduce import PaperReproduction, Papers, Reproduction, plan, running, series
from windlass.reproduce.metrics import metrics

TARGET = "saedi2019/fig3.6"
READINGS = {"tie-gt", "cubic-2008", "queue-bdp", "rwnd-20", "loss-both", "loss-queue", "starts-1s"}
READINGS |= {"all-sack", "all-timestamps", "delayed-ack"}


def short(patch: pytest.MonkeyPatch) -> None:
    """Runs of ten seconds at as few points as the claims allow, the first seeds only."""

    def overrides(book: Any, experiment: Any, seeds: int | None, quick: bool) -> dict[str, Any]:
        return {"scenario.duration": "10 s", "flows.start": "uniform(0 s, 1 s)", "scenario.seeds": seeds or 2}

    patch.setattr(running, "overrides", overrides)
    patch.setattr(plan, "QUICK_POINTS", 2)


def one(target: str, **options: Any) -> Reproduction:
    """The reproduction of a single experiment."""
    found = reproduce.main(target, **options)
    assert isinstance(found, Reproduction)
    return found


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folder of the report, and the store."""
    return tmp_path_factory.mktemp("report"), tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def made(places: tuple[Path, Path]) -> Reproduction:
    seen: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        short(patch)
        found = one(
            TARGET,
            quick=True,
            jobs=2,
            out=places[0],
            store=places[1],
            progress=lambda done, total: seen.append((done, total)),
        )
    assert seen[-1] == (found.total, found.total)
    assert found.made == found.total > 0
    return found


def test_a_notebook_shows_the_verdicts(made: Reproduction, tmp_path: Path) -> None:
    assert repr(made).startswith(f"<Reproduction {TARGET}: ")
    page = made._repr_html_()
    for outcome in made.outcomes:
        assert f">{outcome.judgement.verdict}</td>" in page
    paper = PaperReproduction(made.ledger, [made], [(made.experiment, "<why>")], True, tmp_path)
    assert f">{made.experiment.title}</td>" in paper._repr_html_()
    assert f"not run: {made.experiment.name}: &lt;why&gt;" in paper._repr_html_()
    papers = Papers([paper], {"none": "no network"})
    assert f">{tmp_path / 'report.html'}</td>" in papers._repr_html_()
    assert "not run: none: no network" in papers._repr_html_()
    assert repr(paper) == f"<PaperReproduction {made.ledger.id}: 1 experiment>"
    assert repr(papers) == f"<Papers: {made.ledger.id}>"


def test_every_claim_has_a_verdict(made: Reproduction) -> None:
    assert [outcome.claim.id for outcome in made.outcomes] == [f"{TARGET}/{number}" for number in (1, 2, 3)]
    assert all(outcome.judgement.verdict in verdicts.VERDICTS for outcome in made.outcomes)
    assert sum(made.counts.values()) == 3


def test_sentences_of_the_report_have_spaces_between_them() -> None:
    # the line's end behind a block is trimmed
    for template in (Path(reproduce.__file__).parents[1] / "templates").glob("*.j2"):
        assert re.findall(r"\.\{% end\w+ %\}\n[A-Z]", template.read_text(encoding="utf-8")) == [], template.name


def test_the_report_has_a_column_for_each_cause_that_senders_met(made: Reproduction) -> None:
    causes = [*(cause.name for cause in loss_causes()), not_lost()]
    assert {call["cause"] for row in made.judged for call in row["calls"]} == set(causes)
    # the same reproduction as if every cause had occurred, so and so often
    counts = {
        (call, cause): 1000 + 100 * at + 10 * number
        for at, call in enumerate(reproduce.CALLS)
        for number, cause in enumerate(causes)
    }
    calls = [{"call": call, "cause": cause, "count": count} for (call, cause), count in counts.items()]
    text = page(replace(made, judged=[{"algorithm": "cerl", "where": "here", "calls": calls}]), [])
    text = text[text.index("Was the loss congestion or channel?") :]
    text = text[: text.index("</table>")]
    assert re.findall(r'<th class="number">([^<]+)</th>', text) == 2 * [*(c.label for c in loss_causes()), "not lost"]
    assert re.findall(r'<td class="number">(\d+)</td>', text) == [str(count) for count in counts.values()]
    right = [
        sum(counts[call, cause.name] for cause in loss_causes() if cause.congestion == (call == "congestion"))
        for call in reproduce.CALLS
    ]
    whole = [sum(count for (own, _), count in counts.items() if own == call) for call in reproduce.CALLS]
    shares = [f"{100 * part / every:.0f} %" for part, every in zip(right, whole, strict=True)]
    assert re.findall(r'<td class="number best">([^<]+)</td>', text) == shares
    # what did not occur has no column
    few = [one for one in calls if one["count"] and one["cause"] in ("random", "queue")]
    few += [one | {"count": 0} for one in calls if one["cause"] not in ("random", "queue")]
    text = page(replace(made, judged=[{"algorithm": "cerl", "where": "here", "calls": few}]), [])
    assert "policed" not in text


def test_every_reading_that_can_touch_a_claim_is_judged(made: Reproduction) -> None:
    """The first claim is of CERL and NewReno, so CUBIC's reading cannot touch it."""
    assert {run.reading.key for run in made.runs if not run.missing} == READINGS
    keys = {reading.key for reading, _, _ in made.outcomes[0].readings}
    assert keys == READINGS - {"cubic-2008"}
    assert {reading.key for reading, _, _ in made.outcomes[2].readings} == READINGS


def test_the_files_are_there_and_the_manifest_knows_them(made: Reproduction) -> None:
    names = {path.name for path in made.folder.iterdir()}
    assert names >= {
        "report.html",
        "claims.json",
        "flows.parquet",
        "links.parquet",
        "summary.csv",
        "manifest.json",
        "fig3.6.pdf",
        "fig3.6.svg",
        "fig3.6.png",
    }
    manifest = json.loads((made.folder / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["files"]) >= names - {"manifest.json", "scenarios"}
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((made.folder / name).read_bytes()).hexdigest() == digest
    assert manifest["command"] == f"windlass reproduce {TARGET} --quick --seeds 2"


def test_the_tables_hold_every_run(made: Reproduction) -> None:
    import pyarrow.parquet as pq

    flows = pq.read_table(made.folder / "flows.parquet")
    assert set(flows["reading"].to_pylist()) == {"base"} | READINGS
    assert set(flows["variant"].to_pylist()) == set(made.experiment.variants)
    # Seven variants, two seeds, three points (5, 20 and 25 Mbps), ten flows.
    base = [reading for reading in flows["reading"].to_pylist() if reading == "base"]
    assert len(base) == 7 * 2 * 3 * 10
    with (made.folder / "summary.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["reading"] == "base" and row["metric"] == "throughput"]
    assert len(rows) == 7 * 3
    assert all(float(row["lo"]) <= float(row["mean"]) <= float(row["hi"]) for row in rows)


def test_nothing_exceeds_what_the_links_carry(made: Reproduction) -> None:
    for point in made.data.points:
        for variant in made.data.variants:
            cap = made.limits(point, variant)
            assert cap is not None
            for value in made.data.get("throughput", variant, [point]).values():
                assert value <= cap.per_flow_mbps


def test_claims_are_plain_data(made: Reproduction) -> None:
    text = (made.folder / "claims.json").read_text(encoding="utf-8")

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    document = json.loads(text, parse_constant=refuse)
    assert document["experiment"] == TARGET
    assert [claim["id"] for claim in document["claims"]] == [outcome.claim.id for outcome in made.outcomes]
    assert document["claims"][0]["largest_possible_gain"]
    assert json.loads(json.dumps(made.to_dict()))["verdicts"] == made.counts


class References(HTMLParser):
    """Every address that a browser would fetch, and whether the tags close."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "img", "br", "link"):
            self.open.append(tag)
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action", "data")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_needs_no_network(made: Reproduction) -> None:
    text = made.report.read_text(encoding="utf-8")
    page = References()
    page.feed(text)
    assert page.open == []
    assert page.fetched
    assert all(address.startswith(("data:image/svg+xml;base64,", "#")) for address in page.fetched)
    assert not re.search(r"@import|url\(|<script|<iframe", text)


def test_the_page_says_what_matters(made: Reproduction) -> None:
    text = made.report.read_text(encoding="utf-8")
    for outcome in made.outcomes:
        assert outcome.judgement.verdict in text
        assert f"Section {outcome.claim.source.removeprefix('s')}" in text
    for key in made.experiment.open:
        assert html.escape(sentence(made.ledger.open[key].parameter).removesuffix(".")) in text
    assert "Quick run: 2 seeds and 3 of 5 points" in text
    assert "see inconsistency 14." in text
    assert made.command in text
    assert "largest possible" in text


def test_names_in_cautions_are_quoted_and_all_of_it_is_text(made: Reproduction) -> None:
    text = page(replace(made, cautions=["newreno: `tcp.window` < 20"]), [])
    assert "NewReno: “tcp.window” &lt; 20" in text


def test_gains_over_one_reference_are_told_apart(made: Reproduction) -> None:
    gain = next(outcome for outcome in made.outcomes if outcome.claim.check.kind == "gain")
    name = f"over {LABELS[gain.claim.check['b']]}</text>"
    assert f">{name}" in page(replace(made, outcomes=[gain]), [])
    assert page(replace(made, outcomes=[gain, gain]), []).count(f">{gain.claim.number}: {name}") == 2


def test_the_console_shows_table_claims_and_place(made: Reproduction) -> None:
    from rich.console import Console

    out = io.StringIO()
    made.render(Console(file=out, width=160))
    text = out.getvalue()
    assert "NewReno" in text
    assert "±" in text
    for run in made.runs:
        assert run.reading.key not in text
        number = made.reading_numbers[run.reading.key]
        named = re.search(rf"\b{number}\b(?!: {re.escape(run.reading.title)})", text) is not None
        assert named == (f"{number}: {run.reading.title}" in " ".join(text.split()))
    assert str(made.report) in text
    assert all(outcome.judgement.verdict in text for outcome in made.outcomes)


def test_a_second_time_runs_nothing_and_says_the_same(
    made: Reproduction, places: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short(monkeypatch)
    again = one(TARGET, quick=True, jobs=1, out=tmp_path, store=places[1])
    assert again.made == 0
    for name in ("flows.parquet", "summary.csv", "fig3.6.svg"):
        assert (tmp_path / name).read_bytes() == (made.folder / name).read_bytes()


def test_a_cross_claim_runs_its_partner(
    tmp_path: Path, places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fig. 4.9 compares CERL+ with CERL of Fig. 3.6, and runs CERL+ in both forms."""
    short(monkeypatch)
    found = one("saedi2019/fig4.9", quick=True, out=tmp_path, store=places[1])
    first = found.outcomes[0]
    assert first.claim.check.kind == "cross"
    assert first.judgement.verdict != "not measurable"
    assert "inverted" in {reading.key for reading, _, _ in first.readings}
    assert "CERL+ inverted" in found.report.read_text(encoding="utf-8")


def test_a_fixed_mix_is_judged_flow_by_flow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short(monkeypatch)
    found = one("saedi2019/fig4.26", quick=True, out=tmp_path, store=False)
    assert set(found.data.variants) == {"newreno", "newreno#1", "newreno#2"}
    assert found.outcomes[0].judgement.verdict in verdicts.VERDICTS[:5]


def test_shares_of_two_variants_are_judged_beside_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three to seven flows of NewReno, or of Westwood+, beside EWR's: a claim names the other variant and its share."""
    short(monkeypatch)
    found = one("huq2024/friend", quick=True, out=tmp_path, store=False)
    assert set(found.data.points) == {(n, other) for n in (3, 5, 7) for other in ("newreno", "westwoodplus")}
    by_number = {outcome.claim.id.rsplit("/", 1)[-1]: outcome.judgement for outcome in found.outcomes}
    assert all(by_number[number].verdict != "not measurable" for number in "456789")
    assert by_number["4"].rows[0]["where"] == "other flows = 3, other = newreno"
    # a printed table has a row here for each of its cells
    assert [row["what"] for row in by_number["1"].rows[:2]] == [
        "newreno, printed 0.554 Mbps,",
        "ewr, printed 0.48 Mbps,",
    ]
    assert len(by_number["1"].rows) == 6
    assert by_number["3"].measured == "12 of 12 printed cells are equal (no run)"
    # each pair has its own mean, and no variant has one where it does not run
    assert found.data.get("throughput", "newreno", [(3, "newreno")])
    assert not found.data.get("throughput", "newreno", [(3, "westwoodplus")])


def test_variants_in_one_network_are_swept_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short(monkeypatch)
    found = one("huq2024/table5", quick=True, out=tmp_path, store=False)
    assert found.data.points == ((0,), (0.1,), (10,), (25,))
    assert {name for name in found.data.variants if "#" not in name} == set(found.experiment.variants)
    assert {outcome.judgement.verdict for outcome in found.outcomes} - {"not measurable"}
    # no flow is measured above what it could have alone, which is all of the link
    for point in found.data.points:
        cap = found.limits(point, "ewr")
        assert cap is not None
        assert cap.flows == 1
        assert max(found.data.get("throughput", "ewr", [point]).values()) <= cap.per_flow_mbps


def test_what_is_drawn_over_time_is_judged_bin_by_bin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first bin has slow start, and the last one begins 190 s later."""
    short(monkeypatch)
    found = one("huq2024/fig10", quick=True, out=tmp_path, store=False)
    assert found.data.points == ((10,), (200,))
    first, last = (found.data.get("goodput", "newreno", [point])[1] for point in found.data.points)
    assert first < last
    assert all(outcome.judgement.verdict != "not measurable" for outcome in found.outcomes)
    assert all("bin" in row["where"] or "time" in row["where"] for row in found.outcomes[0].judgement.rows)


def test_a_whole_paper_has_an_overview(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two mixes and a figure that cannot be run: two reports, one overview that links to them, one reason."""
    short(monkeypatch)
    engine_without_drawn_delays(monkeypatch)
    book = ledger.load("saedi2019")
    kept = {f"saedi2019/{name}": book.experiments[f"saedi2019/{name}"] for name in ("fig4.5a", "fig4.26", "fig4.28")}
    monkeypatch.setattr(ledger, "load", lambda _: replace(book, experiments=kept))
    seen: list[tuple[int, int]] = []
    found = reproduce.main(
        "saedi2019", quick=True, out=tmp_path, store=False, progress=lambda done, total: seen.append((done, total))
    )
    assert isinstance(found, PaperReproduction)
    assert [part.experiment.name for part in found.parts] == ["fig4.26", "fig4.28"]
    assert [entry.name for entry, _ in found.missing] == ["fig4.5a"]
    assert seen[-1][0] == seen[-1][1]
    page = References()
    page.feed(found.report.read_text(encoding="utf-8"))
    assert page.open == []
    assert set(page.fetched) == {
        "fig4.26/report.html",
        "fig4.26/report.html#claim-1",
        "fig4.28/report.html",
        "fig4.28/report.html#claim-1",
    }
    assert all((tmp_path / address.split("#")[0]).is_file() for address in page.fetched)
    assert sum(found.counts.values()) == 2
    from rich.console import Console

    out = io.StringIO()
    found.render(Console(file=out, width=160))
    assert "not run: fig4.5a" in out.getvalue()
    assert json.loads((tmp_path / "claims.json").read_text(encoding="utf-8"))["verdicts"] == found.counts


def test_too_few_seeds_for_a_full_run() -> None:
    with pytest.raises(InputError) as caught:
        reproduce.main(TARGET, seeds=5)
    assert caught.value.code == "reproduce.seeds"
    assert "--quick" in (caught.value.hint or "")


@pytest.mark.parametrize("target", ["saedi2019/fig4.4", "saedi2019/fig4.5a"])
def test_what_cannot_be_run_says_so_in_a_line(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine_without_drawn_delays(monkeypatch)
    with pytest.raises(NotYet) as caught:
        reproduce.main(target, quick=True)
    assert caught.value.render().startswith(f"error[reproduce.not-yet]: `{target}`")


def engine_without_drawn_delays(patch: pytest.MonkeyPatch) -> None:
    """An engine whose links have one delay for all seeds."""
    known = needs._keys()
    patch.setattr(needs, "_keys", lambda: known | {"link.delay": frozenset()})


def engine_without(patch: pytest.MonkeyPatch, algorithm: str) -> None:
    """An engine that lacks an algorithm."""
    known = needs._keys()
    fewer = known | {"flows.algorithm": known["flows.algorithm"] - {algorithm}}
    patch.setattr(needs, "_keys", lambda: fewer)


def test_an_algorithm_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    engine_without(monkeypatch, "cubic")
    with pytest.raises(NotYet, match="needs the algorithm `cubic`, which this version does not have"):
        reproduce.main(TARGET, quick=True)


def test_a_reading_that_cannot_be_run_is_listed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, places: tuple[Path, Path]
) -> None:
    short(monkeypatch)
    engine_without(monkeypatch, "cubic-2008")
    found = one(TARGET, quick=True, out=tmp_path, store=places[1])
    (missing,) = [run for run in found.runs if run.missing]
    assert missing.reading.key == "cubic-2008"
    assert [reading.key for reading, _ in found.outcomes[2].missing] == ["cubic-2008"]
    assert "Not run: This version lacks the algorithm" in found.report.read_text(encoding="utf-8")


def test_the_sum_of_the_flows_is_no_more_than_the_link_carries() -> None:
    # two flows over 8 Mbps, one for 20 s, the other for the last 5 of them
    over = {"scenario.duration": "20 s", "scenario.profile": "rfc", "flows.start": "every(15 s)"}
    over |= {"topology.pairs": 2, "topology.access.rate": "20 Mbps", "topology.bottleneck.loss.rate": "0 %"}
    over |= {"topology.bottleneck.delay": "5 ms", "flows.algorithm": "newreno", "scenario.seeds": 1}
    scenario = windlass.load("lossy-dumbbell", over)
    flows = windlass.run(scenario).flows
    own_times = sum(flows["goodput_bps"].to_pylist()) / 1e6
    assert own_times > 8.0, "rates over each flow's own time add up to more"
    total = metrics(flows, None)["throughput-total"]
    assert 4.0 < total <= 8.0 * 1460 / 1500
    assert total == pytest.approx(sum(flows["delivered_bytes"].to_pylist()) * 8 / 20 / 1e6)


SMALL = ["dalal2015/fig8", "dalal2015/fig11a", "huq2024/fig8", "janevski2012/fig45", "rana/red-mode"]
"""An experiment of each paper but the thesis, which has its own tests."""


@pytest.mark.parametrize("target", SMALL)
def test_an_experiment_of_each_paper(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short(monkeypatch)
    found = one(target, quick=True, out=tmp_path, store=False)
    assert len(found.outcomes) == len(found.ledger.claims_of(target))
    assert sum(outcome.judgement.verdict != "not measurable" for outcome in found.outcomes) >= 1
    assert found.report.is_file()
    for point in found.data.points:
        for variant in found.data.variants:
            limit = found.limits(point, variant)
            rates = found.data.get("throughput", variant, [point]).values()
            assert limit is None or max(rates) <= limit.per_flow_mbps * limit.flows


def test_windows_are_recorded_where_a_figure_draws_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tahoe's highest window with a short queue is below that with a long one; nothing is recorded for a figure without
    windows."""
    short(monkeypatch)
    found = one("janevski2012/cwnd-b-0-d1-tahoe", quick=True, out=tmp_path, store=False)
    highest = {point: found.data.get("cwnd-max", "tahoe", [point]) for point in found.data.points}
    means = {point: found.data.get("cwnd-mean", "tahoe", [point]) for point in found.data.points}
    assert all(highest[point][seed] > means[point][seed] > 0 for point in highest for seed in (1, 2))
    assert found.data.series["cwnd", "tahoe", (2,)][1][0][0] >= 0.0
    assert series.recorded(ledger.experiment("janevski2012/fig3")[1]) == {}


def test_throughput_in_bins_adds_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the bins carry is what the whole run carries: each shorter run is the beginning of the longer ones."""

    def overrides(book: Any, experiment: Any, seeds: int | None, quick: bool) -> dict[str, Any]:
        return {"scenario.duration": "60 s", "scenario.seeds": 1}

    monkeypatch.setattr(running, "overrides", overrides)
    found = one("rana/fig5", quick=True, out=tmp_path, store=False)
    line = found.data.series["throughput", "veno", ()][1]
    assert [time for time, _ in line] == [10.0, 30.0, 50.0]
    assert line[0][1] < line[1][1]  # the first bin has ten seconds without traffic
    assert found.data.series["throughput-filled", "veno", ()][1] == line[1:]  # what is judged
    bits = 20e6 * sum(rate for _, rate in line)
    assert bits == pytest.approx(8 * found.data.get("seqno", "veno", [()])[1])


def test_sequence_numbers_are_recorded_and_drawn_as_they_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What had arrived at the end is what the flow delivered, and what waited at the receiver."""

    def overrides(book: Any, experiment: Any, seeds: int | None, quick: bool) -> dict[str, Any]:
        return {"scenario.duration": "60 s", "scenario.seeds": 2}

    monkeypatch.setattr(running, "overrides", overrides)
    found = one("saedi2019/fig4.34", quick=True, out=tmp_path, store=False)
    names = ["cerlplus#1", "cerlplus#2", "newreno#1", "newreno#2"]
    for name in names:
        line = found.data.series["seqno", name, ()][2]
        assert [time for time, _ in line] == [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
        amounts = [amount for _, amount in line]
        assert amounts == sorted(amounts)
        in_order = found.data.get("seqno", name, [()])[2]
        assert in_order <= amounts[-1] <= in_order + 1000 * 1460, "what waits for a gap to close is less than a window"
    drawn = growth_figure(found)
    assert drawn is not None and drawn[1].startswith("Growth of sequence numbers")
    (axes,) = drawn[0].axes
    assert [one.get_label() for one in axes.containers] == [
        "CERL+, flow 1",
        "CERL+, flow 2",
        "NewReno, flow 1",
        "NewReno, flow 2",
    ]
    assert (tmp_path / "fig4.34-growth.svg").is_file()
    assert growth_figure(replace(found, data=replace(found.data, series={}))) is None


@pytest.mark.parametrize("target", ["rana/fig5", "rana/fig6"])
def test_bins_are_recorded_for_all_variants_where_the_figure_has_them(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the base. In readings they take runs that nothing shows, but those of a claim that looks at them."""
    book, entry = ledger.experiment(target)
    assert entry.bin_s == 20.0
    made = running._plan(book, entry, running.Asked(None, False, ""))
    claimed = {"newreno", "veno", "westwoodplus"} if target == "rana/fig5" else set()
    binned = [job for job in made.jobs if job.kind == "bins"]
    assert {variant for job in binned if job.reading == "base" for variant in job.case.members} == set(entry.variants)
    assert {variant for job in binned if job.reading != "base" for variant in job.case.members} == claimed
    ends = [job.case.scenario.duration_s for job in binned if job.case.members.keys() == {"westwoodplus"}]
    assert ends[:9] == [20.0 * number for number in range(1, 10)]
    assert ledger.experiment("rana/red-mode")[1].bin_s is None, "it is drawn over something else"


def test_a_summary_is_judged_on_what_it_sums_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short(monkeypatch)
    found = one("dalal2015/summary", quick=True, out=tmp_path, store=False)
    assert [outcome.judgement.verdict != "not measurable" for outcome in found.outcomes] == [True] * 3
    wheres = {row["where"] for row in found.outcomes[0].judgement.rows}
    assert {where.split(",")[0] for where in wheres} == {"figure = fig8"}
    figures = {row["where"].split(",")[0] for row in found.outcomes[2].judgement.rows}
    assert figures == {"figure = fig11a", "figure = fig11b"}
    assert "Summary" in found.report.read_text(encoding="utf-8")


def test_a_quick_run_shows_the_published_verdicts_and_whether_it_is_quicker(
    made: Reproduction, monkeypatch: pytest.MonkeyPatch
) -> None:
    from windlass.reproduce import cautions, published
    from windlass.views.reproduction import published_beside

    assert made.quick
    name = made.experiment.id
    full = published.Published(name, "2026-11-23", "", False, made.total, 0.1, "measured", {"reproduced": 2})
    monkeypatch.setattr(published, "published", lambda: {name: full})
    own, theirs = published_beside(made)
    assert own.startswith(f"this quick run, {made.total} runs: ")
    assert theirs == f"the full run published on 2026-11-23, {made.total} runs: 2 reproduced"
    assert published_beside(replace(made, quick=False)) == []

    class Task:
        def __init__(self, key: str) -> None:
            self.key = key

    plan = type("Plan", (), {"tasks": [1, 2], "experiment": made.experiment})()
    digests = {1: Task("a"), 2: Task("b")}
    for runs, said in ((2, " It is no quicker than a full run: it made 2 runs, the published full run 2."), (3, "")):
        monkeypatch.setattr(cautions, "published", lambda runs=runs: {name: replace(full, runs=runs)})
        assert cautions._no_quicker(plan, digests) == said  # type: ignore[arg-type]
