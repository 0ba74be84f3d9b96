"""The ledger: every file that comes with the package is whole, and what is asked of it is found."""

from __future__ import annotations

import tomllib

import pytest

from windlass import experiments, ledger, verdicts
from windlass.errors import InputError

# Rows as the index of the ledgers counts them.
COUNTS = {
    "dalal2015": (14, 52, 16),
    "huq2024": (13, 52, 24),
    "janevski2012": (49, 127, 18),
    "rana": (11, 20, 14),
    "saedi2019": (56, 136, 28),
}

SMALL = """
paper = { id = "p", title = "T", authors = ["A"], venue = "V", year = 2000 }
reason = { direction = { whose = "ours", text = "only a direction" } }
[open.queue]
parameter = "queue"
default = "50 packets"
unit = "packets"
why = "ns-2"
set = { "topology.*.queue" = "50 packets" }
[variant]
reno = { algorithm = "reno" }
cerl = { algorithm = "cerl" }
[reading.short]
title = "queue of 5 packets"
open = "queue"
why = "not stated"
set = { "topology.*.queue" = "5 packets" }
variants = ["cerl"]
[topology.net]
title = "net"
scenario = "net.toml"
nodes = "S, R"
links = [
  { link = "bottleneck", name = "L", a = "S", b = "R", medium = "wired", queue = "open.queue", loss = "q" },
]
[topology.net.keys]
q_percent = { set = "topology.bottleneck.loss.rate", unit = "%" }
[[experiment]]
id = "p/fig1"
kind = "simulation"
figures = ["1"]
tables = []
section = "1"
title = "one"
topology = "net"
traffic = { flows = "1", direction = "one-way", application = "FTP", start = "0" }
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
touches = { experiments = ["p/fig1"] }
"""

NETWORK = """
[scenario]
duration = "10 s"
profile = "ns2"
[topology]
kind = "dumbbell"
access = { rate = "10 Mbps", delay = "1 ms" }
bottleneck = { rate = "1 Mbps", delay = "10 ms", loss = { rate = "0 %" } }
[[flows]]
name = "flow"
from = "left/*"
to = "right/*"
"""


def small(text: str = SMALL) -> ledger.Ledger:
    return ledger.parse(text, filename="p.toml", networks={"net.toml": NETWORK})


def test_every_paper_of_the_index_is_there() -> None:
    assert ledger.papers() == sorted(COUNTS)


@pytest.mark.parametrize("paper", sorted(COUNTS))
def test_every_file_loads_whole(paper: str) -> None:
    book = ledger.load(paper)
    assert (len(book.experiments), len(book.claims), len(book.inconsistencies)) == COUNTS[paper]
    assert book.id == paper
    assert book.title in book.citation


@pytest.mark.parametrize("paper", sorted(COUNTS))
def test_every_check_is_of_a_kind_that_is_judged(paper: str) -> None:
    for claim in ledger.load(paper).claims:
        for check in (claim.check, *claim.check.also):
            assert check.kind in ledger.KINDS
            assert check.kind in verdicts.KINDS_JUDGED


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
    network = book.topologies[experiment.topology]
    assert (network.links[1].link, network.links[1].name, network.links[1].loss) == ("bottleneck", "L", "q")
    assert network.keys["q_percent"].set == ("topology.bottleneck.loss.rate",)
    assert network.keys["q_percent"].value(2) == "2 %"
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
    """x14 and x05 name the experiment, x18 what it leaves open, x19 a variant, x07 is in a claim of another figure."""
    book, experiment = ledger.experiment("saedi2019/fig3.5")
    touching = {row.id.split("/")[1] for row in book.touching(experiment)}
    assert {"x05", "x14", "x18", "x19"} <= touching
    assert not {"x03", "x04", "x07", "x15", "x16"} & touching


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
    book = small()
    assert book.claims[0].check["position"] == 1
    assert book.citation == "A: T. V, 2000."
    assert book.readings["short"].asked_of(book.experiments["p/fig1"])
    assert not book.readings["short"].concerns(["reno"])


@pytest.mark.parametrize(
    ("old", "new", "line_of", "message", "hint"),
    [
        # a key that no table has
        ('section = "1"', 'section = "1"\ntopolgy = "net"', "topolgy", "`p/fig1` has no key `topolgy`", "topology"),
        (
            'link = "bottleneck", name',
            'link = "bottleneck", nam',
            "nam =",
            "`topology.net.links` has no key `nam`",
            "name",
        ),
        ("[reading.short]", "[reeding.x]\na = 1\n[reading.short]", "reeding", "has no key `reeding`", "reading"),
        ("tie_rel = 0.03", "tie_rl = 0.03", "tie_rl", "`p/fig1/1.check` has no key `tie_rl`", "tie_rel"),
        # a name that leads nowhere
        ('why = "direction"', 'why = "directon"', "directon", "names the reason `directon`", "direction"),
        ('open = ["queue"]', 'open = ["quue"]', "quue", "names the open parameter `quue`", "queue"),
        ('topology = "net"', 'topology = "nett"', "nett", "names the topology `nett`", "net"),
        ('experiment = "p/fig1"', 'experiment = "p/fig2"', "p/fig2", "names the experiment `p/fig2`", "p/fig1"),
        ('variants = ["reno", "cerl"]', 'variants = ["reno", "crl"]', "crl", "names the variant `crl`", "cerl"),
        ('variants = ["cerl"]', 'variants = ["curl"]', "curl", "names the variant `curl`", "cerl"),
        ("net.toml", "nets.toml", "nets.toml", "names the scenario file `nets.toml`", "net.toml"),
        ("numbers = {}", 'numbers = {}\nconflict = ["p/x09"]', "x09", "names the inconsistency `p/x09`", "p/x01"),
        (
            'key = "q_percent", points',
            'key = "p_percent", points',
            "p_percent",
            "which `net` does not have",
            "q_percent",
        ),
        ("fixed = {}", "fixed = { rate_mbps = 8 }", "rate_mbps", "a key which `net` does not have", "q_percent"),
        ('experiments = ["p/fig1"]', 'experiments = ["p/fig2"]', "p/fig2", "names the experiment `p/fig2`", "p/fig1"),
        ("touches = {", "touches = { figures = [],", "touches", "`p/x01.touches` has no key `figures`", "experiments"),
        (
            'why = "not stated"',
            'why = "not stated"\nwhen = { direction = "two-way" }',
            "two-way",
            "names the direction `two-way`",
            "one-way",
        ),
        # a value of the wrong kind
        ('figures = ["1"]', 'figures = "1"', "figures", '`p/fig1.figures` is "1", wanted is a list', None),
        ('title = "one"', "title = 1", "title = 1", "`p/fig1.title` is the number 1, wanted is text", None),
        ("fixed = {}", "fixed = []", "fixed", "`p/fig1.fixed` is a list, wanted is a table", None),
        ('kind = "rank"', 'kind = "rang"', "rang", "`p/fig1/1.check.kind` cannot be `rang`", "rank"),
        ("share = 1.0", 'share = 1.0, pick = "bst"', "bst", "`p/fig1/1.check.pick` cannot be `bst`", "best"),
        ('kind = "simulation"', 'kind = "simulaton"', "simulaton", "cannot be `simulaton`", "simulation"),
        (
            'points = [0, 1], unit = "%" }',
            'points = [0, 1], unit = "s", bin = 2 }',
            "bin = 2",
            "`bin` is the length of",
            None,
        ),
        # something that is missing
        ('section = "1"\n', "", "[[experiment]]", "`p/fig1` has no `section`", "section = ..."),
        ("position = 1, ", "", "check", "`p/fig1/1.check` has no `position`", "position = ..."),
        ('why = "not stated"\n', "", "[reading.short]", "`reading.short` has no `why`", "why = ..."),
        # what contradicts itself
        ('id = "p/fig1"', 'id = "q/fig1"', "q/fig1", "not of paper `p`", None),
        ('"5 packets" }', '"5 packets" }\nset = 1', "set = 1", "the key `set` stands here for the second time", None),
    ],
)
def test_a_broken_ledger_is_refused_with_its_line(
    old: str, new: str, line_of: str, message: str, hint: str | None
) -> None:
    assert SMALL.count(old) == 1
    text = SMALL.replace(old, new)
    with pytest.raises(ledger.LedgerError) as caught:
        small(text)
    error = caught.value
    assert message in error.message
    assert error.file == "p.toml"
    assert error.line is not None
    assert line_of in text.splitlines()[error.line - 1]
    assert hint is None or hint in (error.hint or "")
    assert "\n" not in error.message


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        # in a default, in a key that is swept, in what varies with it, in what is fixed, in a variant
        ('set = { "topology.*.queue" = "50 packets" }', 'set = { "topology.*.quee" = "50 packets" }', "quee", "queue"),
        ("topology.bottleneck.loss.rate", "topology.bottleneck.loss.rte", "rte", "rate"),
        (
            "points = [0, 1]",
            'points = [0, 1], also = { "topology.bottleneck.quue" = ["5 packets", "6 packets"] }',
            "quue",
            "queue",
        ),
        ('rate", unit = "%"', 'rate", unit = "furlong"', "furlong", "%"),
        ('algorithm = "cerl"', 'algorithm = "cerrl"', "cerrl", "cerl"),
    ],
)
def test_what_the_engine_refuses_is_told_with_the_ledgers_line(old: str, new: str, message: str, hint: str) -> None:
    assert SMALL.count(old) == 1
    text = SMALL.replace(old, new)
    book = small(text)
    entry = book.experiments["p/fig1"]
    with pytest.raises(ledger.LedgerError) as caught:
        experiments.cases(book, entry, experiments.points_of(entry), ["cerl"])
    assert message in caught.value.message
    assert caught.value.file == "p.toml"
    assert message in text.splitlines()[(caught.value.line or 0) - 1]
    assert hint in (caught.value.hint or "")


def test_a_reading_that_changes_nothing_is_refused() -> None:
    text = SMALL.replace('set = { "topology.*.queue" = "5 packets" }\n', "")
    with pytest.raises(ledger.LedgerError, match="`reading.short` changes nothing"):
        small(text)


@pytest.mark.parametrize("paper", sorted(COUNTS))
def test_what_the_ledger_says_of_groups_is_true_of_the_networks(paper: str) -> None:
    """Groups that take part or are measured are groups of the network; links of a topology are links of its
    scenario."""
    book = ledger.load(paper)
    for entry in book.experiments.values():
        network = book.topologies[entry.topology]
        if not network.scenario:
            assert entry.kind != "simulation"
            continue
        document = tomllib.loads(network.scenario)
        names = {flow["name"] for flow in document["flows"]}
        beside = {name for groups in entry.beside.values() for name in groups}
        assert {*entry.groups, *entry.measured, *beside} <= names
        assert not entry.mix or len(names) == 1
        topology = document["topology"]
        links = {link.get("name", f"{link.get('from')}-{link.get('to')}") for link in topology.get("links", [])}
        links |= {medium["name"] for medium in topology.get("media", [])}
        assert {row.link for row in network.links} <= links | set(topology) | {"left", "right"}


@pytest.mark.parametrize("paper", COUNTS)
def test_what_holds_above_or_below_a_value_is_not_judged_at_it(paper: str) -> None:
    """A claim about losses above 10 % says nothing of 10 %."""
    book = ledger.load(paper)
    for claim in book.claims:
        for name, bound in claim.numbers.items():
            key, _, side = name.rpartition("_")
            at = claim.check.fields.get("at", {}).get(key)
            if side not in ("above", "below") or at is None:
                continue
            ends = at if isinstance(at, (list, tuple)) else [at]
            assert (min(ends) > bound) if side == "above" else (max(ends) < bound), claim.id
