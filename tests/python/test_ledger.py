"""The ledger: every file that comes with the package is whole, and what is asked of it is found."""

from __future__ import annotations

import pytest

from windlass import ledger, verdicts
from windlass.errors import InputError

# Rows as the index of the ledgers counts them.
COUNTS = {
    "dalal2015": (11, 52, 16),
    "huq2024": (12, 52, 24),
    "janevski2012": (49, 127, 18),
    "rana": (6, 20, 14),
    "saedi2019": (56, 136, 28),
}

SMALL = """
paper = { id = "p", title = "T", authors = ["A"], venue = "V", year = 2000 }
reason = { direction = "only a direction" }
open = { queue = { parameter = "queue", default = "50 packets", unit = "packets", why = "ns-2" } }
topology = { net = { title = "net", nodes = "S, R", links = [] } }
[[experiment]]
id = "p/fig1"
kind = "simulation"
figures = ["1"]
tables = []
section = "1"
title = "one"
topology = "net"
traffic = { flows = "1", direction = "one-way", segment_B = 1000 }
variants = ["reno", "cerl"]
sweep = { parameter = "loss", key = "q_percent", points = [0, 1], unit = "%" }
fixed = {}
sim_time = "unstated"
metrics = ["throughput"]
stated = []
open = ["queue"]
[[claim]]
id = "p/fig1/1"
experiment = "p/fig1"
kind = "order"
source = "s1"
text = "CERL is first."
numbers = {}
check = { kind = "rank", metric = "throughput", a = "cerl", among = ["cerl", "reno"], position = 1, tie_rel = 0.03, share = 1.0, why = "direction" }
[[inconsistency]]
id = "p/x01"
weight = "low"
where = "s1"
what = "something"
take = "as printed"
"""


def test_every_paper_of_the_index_is_there() -> None:
    assert ledger.papers() == sorted(COUNTS)


@pytest.mark.parametrize("paper", sorted(COUNTS))
def test_every_file_loads_whole(paper: str) -> None:
    book = ledger.load(paper)
    assert (len(book.experiments), len(book.claims), len(book.inconsistencies)) == COUNTS[paper]
    assert book.id == paper
    assert book.title in book.citation


@pytest.mark.parametrize("paper", sorted(COUNTS))
def test_every_check_is_judged_or_named_as_not_judged(paper: str) -> None:
    for claim in ledger.load(paper).claims:
        for check in (claim.check, *claim.check.also):
            assert check.kind in ledger.KINDS
            assert check.kind in verdicts.KINDS_JUDGED | verdicts.KINDS_NOT_JUDGED


@pytest.mark.parametrize("paper", sorted(COUNTS))
def test_every_named_variant_belongs_to_an_experiment(paper: str) -> None:
    """A check names variants of its own experiment or, across experiments and mixes, of the paper."""
    book = ledger.load(paper)
    known = {variant for entry in book.experiments.values() for variant in entry.variants}
    # Runs beyond the paper (`needs_variant`) name theirs themselves, quoted numbers compare other things than variants.
    for claim in book.claims:
        if book.experiments[claim.experiment].kind == "quoted":
            continue
        for check in (claim.check, *claim.check.also):
            for variant in check.variants:
                assert variant.split("#")[0] in known or check.get("needs_variant"), f"{claim.id}: {variant}"


def test_fields_of_an_experiment() -> None:
    book, experiment = ledger.experiment("saedi2019/fig3.5")
    assert experiment.name == "fig3.5"
    assert experiment.variants[0] == "cerl"
    assert [axis.key for axis in experiment.axes] == ["q_percent"]
    assert experiment.axes[0].points[-1] == 20
    assert experiment.axes[0].range_stated
    assert not experiment.axes[0].points_stated
    link = book.topologies[experiment.topology].links[1]
    assert (link.name, link.rate_mbps, link.delay_ms, link.loss) == ("L", 8.0, 50.0, "q")
    assert len(book.claims_of(experiment.id)) == 9
    assert book.open["rwnd"].default.startswith("not limiting (10000 segments)")


def test_a_check_knows_its_variants_and_experiments() -> None:
    book, _ = ledger.experiment("saedi2019/fig3.12")
    claim = next(claim for claim in book.claims if claim.id == "saedi2019/fig3.12/2")
    assert claim.check.variants == ("cerl",)
    assert claim.check.experiments == (
        "saedi2019/fig3.8",
        "saedi2019/fig3.12",
        "saedi2019/fig3.7",
        "saedi2019/fig3.10",
    )
    assert claim.check.also[0].kind == "cross"


def test_inconsistencies_that_touch_an_experiment() -> None:
    """x14 names Figs 3.5 to 3.8, x18 the open warning of routers, x19 CERL's section, x05 the section of the percentages."""
    book, experiment = ledger.experiment("saedi2019/fig3.5")
    touching = {row.id.split("/")[1] for row in book.touching(experiment)}
    assert {"x05", "x14", "x18", "x19"} <= touching
    assert not {"x03", "x04", "x15", "x16"} & touching


def test_axes_may_be_a_list_or_none() -> None:
    assert len(ledger.experiment("janevski2012/fig3")[1].axes) == 2
    assert ledger.experiment("saedi2019/fig4.26")[1].axes == ()


@pytest.mark.parametrize(
    ("target", "hint"),
    [("saedi2018/fig3.5", "saedi2019"), ("saedi2019/fig3.55", "fig3.5"), ("saedi2019", "windlass list papers")],
)
def test_unknown_names_suggest_a_known_one(target: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        ledger.experiment(target)
    assert caught.value.code == "reproduce.unknown"
    assert hint in (caught.value.hint or "")


def test_a_small_ledger_is_read() -> None:
    book = ledger.parse(SMALL, filename="p.toml")
    assert book.claims[0].check["position"] == 1
    assert book.citation == "A: T. V, 2000."


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "rank"', 'kind = "rang"', "no kind of check `rang`"),
        ("position = 1, ", "", "lacks position"),
        ('why = "direction"', 'why = "guess"', "no reason `guess`"),
        ('open = ["queue"]', 'open = ["quue"]', "no open parameter `quue`"),
        ('topology = "net"', 'topology = "nett"', "no topology `nett`"),
        ('experiment = "p/fig1"', 'experiment = "p/fig2"', "no experiment `p/fig2`"),
        ("numbers = {}", 'numbers = {}\nconflict = ["p/x09"]', "no inconsistency `p/x09`"),
        ('section = "1"\n', "", "KeyError"),
        ("[[claim]]", "[[claim]", "not TOML"),
    ],
)
def test_a_broken_ledger_is_refused(old: str, new: str, message: str) -> None:
    assert SMALL.count(old) == 1
    with pytest.raises(ledger.LedgerError, match=message.replace("[", r"\[")) as caught:
        ledger.parse(SMALL.replace(old, new), filename="p.toml")
    assert caught.value.file == "p.toml"
