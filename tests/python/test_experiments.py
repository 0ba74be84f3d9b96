"""The way from the ledger's tables to runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from windlass import experiments, ledger
from windlass.experiments import Case, NotYet, needs
from windlass.ledger import Reading

# Simulations of each paper: all but those of the thesis with random access delays.
RUNNABLE = {"saedi2019": 49, "huq2024": 10, "dalal2015": 10, "rana": 5, "janevski2012": 48}


def reading_of(target: str, key: str) -> Reading:
    book, experiment = ledger.experiment(target)
    return next(reading for reading in book.readings_of(experiment) if reading.key == key)


def cases(target: str, *variants: str, reading: str | None = None) -> list[Case]:
    """All points of an experiment for some variants."""
    book, experiment = ledger.experiment(target)
    chosen = None if reading is None else reading_of(target, reading)
    return experiments.cases(book, experiment, experiments.points_of(experiment), variants, chosen)


def one(target: str, variant: str, reading: str | None = None) -> dict[str, Any]:
    """What the engine makes of the only, or the first, scenario of a variant at its first point."""
    return cases(target, variant, reading=reading)[0].scenario.points()[0].effective()


def lossy(target: str, variant: str, reading: str | None = None) -> dict[str, Any]:
    """The loss of the bottleneck as it is written."""
    loss: dict[str, Any] = cases(target, variant, reading=reading)[0].scenario.composed()["topology"]["bottleneck"][
        "loss"
    ]
    return loss


def all_experiments() -> list[str]:
    return [entry for paper in ledger.papers() for entry in ledger.load(paper).experiments]


def test_fig35_exactly() -> None:
    (case,) = cases("saedi2019/fig3.5", "cerl")
    assert case.scenario.composed() == {
        "scenario": {"name": "saedi2019/net1", "duration": "200 s", "profile": "ns2", "seeds": 10},
        "topology": {
            "kind": "dumbbell",
            "pairs": 10,
            "left": {"rate": "1 Mbps", "delay": "10 ms", "queue": "50 packets"},
            "bottleneck": {
                "rate": "8 Mbps",
                "delay": "50 ms",
                "queue": "50 packets",
                "loss": {"model": "uniform", "rate": "0 %", "at": "wire", "direction": "forward"},
            },
            "right": {"rate": "1 Mbps", "delay": "10 ms", "queue": "50 packets"},
        },
        "flows": [
            {
                "name": "flow",
                "from": "left/*",
                "to": "right/*",
                "algorithm": "cerl",
                "segment": "1460 B",
                "start": "uniform(0 s, 10 s)",
                "tcp": {
                    "window": "10000 segments",
                    "delayed_ack": 1,
                    "rto_min": "200 ms",
                    "rto_init": "3 s",
                },
            }
        ],
        "sweep": {"topology.bottleneck.loss.rate": [f"{q} %" for q in (0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20)]},
    }
    assert case.points == tuple((q,) for q in (0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20))


def test_other_one_way_sweeps_change_one_key() -> None:
    def sweep(target: str) -> dict[str, Any]:
        swept: dict[str, Any] = cases(target, "newreno")[0].scenario.composed()["sweep"]
        return swept

    assert sweep("saedi2019/fig3.6") == {
        "topology.bottleneck.rate": ["5 Mbps", "10 Mbps", "15 Mbps", "20 Mbps", "25 Mbps"]
    }
    assert one("saedi2019/fig3.6", "newreno")["topology"]["bottleneck"]["loss"]["rate"] == "1 %"
    assert list(sweep("saedi2019/fig3.7")) == ["topology.bottleneck.delay"]
    # Fig. 3.8 sweeps the receivers' links, Fig. 3.17 the senders'.
    assert list(sweep("saedi2019/fig3.8")) == ["topology.right.delay"]
    assert list(sweep("saedi2019/fig3.17")) == ["topology.left.delay"]


def test_two_way_is_data_both_ways_on_one_connection() -> None:
    document = one("saedi2019/fig3.9", "newreno")
    assert document["flows"][0]["direction"] == "both"
    assert document["flows"][0]["segment"] == "1024 B"
    assert lossy("saedi2019/fig3.9", "newreno")["direction"] == "both"
    separate = one("saedi2019/fig3.9", "newreno", "two-way-separate")
    assert [(flow["from"], flow["to"]) for flow in separate["flows"]] == [("left/*", "right/*"), ("right/*", "left/*")]
    assert [flow["name"] for flow in separate["flows"]] == ["flow", "flow-back"]
    assert {flow["direction"] for flow in separate["flows"]} == {"forward"}


def test_two_lossy_links_in_a_row() -> None:
    network = one("saedi2019/fig3.15", "cerl")["topology"]
    assert network["kind"] == "three-routers"
    assert network["pairs"] == 100
    assert (network["first"]["loss"]["rate"], network["second"]["loss"]["rate"]) == ("1 %", "1 %")
    assert one("saedi2019/fig3.18", "cerl")["topology"]["second"]["loss"]["rate"] == "0 %"


def test_mixes() -> None:
    """Ninety NewReno connections and ten of the variant, one group for each pair of hosts."""
    flows = one("saedi2019/fig4.24", "yeah")["flows"]
    assert [flow["algorithm"]["name"] for flow in flows] == ["newreno"] * 90 + ["yeah"] * 10
    assert (flows[90]["from"], flows[90]["name"]) == ("left/90", "tested-0")
    (case,) = cases("saedi2019/fig4.31", "cerlplus", "newreno")
    document = case.scenario.points()[0].effective()
    assert [flow["algorithm"]["name"] for flow in document["flows"]] == ["cerl-plus", "newreno", "newreno"]
    assert case.members["newreno#2"] == ("newreno-1",)
    assert document["topology"]["pairs"] == 3
    assert case.points == ((),)


def test_a_mix_that_follows_a_parameter() -> None:
    """Three, five and seven flows of the other variant beside EWR's, out of ten; each variant is measured in its own
    groups."""
    found = cases("huq2024/friend", "ewr")
    assert [case.points for case in found] == [
        ((n, other),) for other in ("newreno", "westwoodplus") for n in (3, 5, 7)
    ]
    flows = found[4].scenario.points()[0].effective()["flows"]
    assert [(flow["algorithm"]["name"], flow["count"]) for flow in flows] == [("westwood-plus", 5), ("ewr", 5)]
    assert found[4].members == {"westwoodplus": ("other",), "ewr": ("ewr",)}
    # what the paper leaves open about EWR concerns EWR's group alone
    assert flows[1]["algorithm"]["eer"] == "add"


def test_only_the_tested_flow_is_measured_beside_others() -> None:
    (case,) = cases("huq2024/fig3", "ewr")
    assert case.members == {"ewr": ("flow",)}
    flows = case.scenario.points()[0].effective()["flows"]
    assert [flow["transport"] for flow in flows] == ["tcp", "udp"]
    assert flows[1]["traffic"]["rate"] == "1 Mbps"
    (case,) = cases("huq2024/fig12", "vegas")
    flows = case.scenario.points()[0].effective()["flows"]
    assert [flow["algorithm"]["name"] for flow in flows] == ["vegas", "newreno", "newreno"]
    assert case.members == {"vegas": ("flow",)}
    (case,) = cases("huq2024/table2", "vegas", "ewr")
    (group,) = case.scenario.points()[0].effective()["flows"]
    assert group["count"] == 7


def test_readings_of_all_senders_leave_flows_without_tcp_alone() -> None:
    book, experiment = ledger.experiment("huq2024/fig3")
    for key, rule, value in (
        ("all-sack", "recovery", "sack"),
        ("all-timestamps", "timestamps", True),
        ("delayed-ack", "delayed_ack", 2),
    ):
        assert key in {reading.key for reading in book.readings_of(experiment)}
        for variant in ("newreno", "ewr"):
            flows = one("huq2024/fig3", variant, key)["flows"]
            assert [flow["transport"] for flow in flows] == ["tcp", "udp"]
            assert flows[0]["tcp"][rule] == value
    vegas = one("huq2024/fig3", "vegas", "all-sack")["flows"][0]["tcp"]["recovery"]
    assert vegas != "sack"  # its recovery is its own


def test_routers_mark_for_the_senders_that_need_it() -> None:
    def links(variant: str) -> list[dict[str, Any]]:
        topology = one("saedi2019/fig3.5", variant)["topology"]
        return [link for link in topology.values() if isinstance(link, dict)]

    assert all(link["warning"] for link in links("newjerseyplus"))
    assert not any(link["warning"] for link in links("newreno"))


def test_readings_change_one_thing_each() -> None:
    target = "saedi2019/fig3.5"
    book, experiment = ledger.experiment(target)
    found = {reading.key: reading for reading in book.readings_of(experiment)}
    assert list(found) == [
        "tie-gt",
        "cubic-2008",
        "queue-bdp",
        "rwnd-20",
        "loss-both",
        "loss-queue",
        "starts-1s",
        "all-sack",
        "all-timestamps",
        "delayed-ack",
    ]
    # 8 Mbps x 140 ms / 8 / 1500 B = 93.3
    assert one(target, "cerl", "queue-bdp")["topology"]["left"]["queue"] == "93 packets"
    assert one(target, "cerl", "rwnd-20")["flows"][0]["tcp"]["window"] == "20 segments"
    assert lossy(target, "cerl", "loss-both")["direction"] == "both"
    assert lossy(target, "cerl", "loss-queue")["at"] == "queue"
    assert one(target, "cerl", "starts-1s")["flows"][0]["start"] == "uniform(0 s, 1 s)"
    assert one(target, "cerl", "tie-gt")["flows"][0]["algorithm"]["cerl_cmp"] == "gt"
    assert one(target, "cubic", "cubic-2008")["flows"][0]["algorithm"]["name"] == "cubic-2008"
    assert one(target, "newreno", "all-sack")["flows"][0]["tcp"]["recovery"] == "sack"
    stamped = [one(target, name, "all-timestamps")["flows"][0]["tcp"] for name in ("cerl", "newjerseyplus")]
    assert [tcp["timestamps"] for tcp in stamped] == [True, True]
    assert one(target, "newjerseyplus", "all-timestamps") == one(target, "newjerseyplus")  # it has them anyway
    assert not one(target, "cerl")["flows"][0]["tcp"]["timestamps"]
    delayed = one(target, "cerl", "delayed-ack")["flows"][0]["tcp"]
    assert (delayed["delayed_ack"], delayed["delayed_ack_timer"]) == (2, "100 ms")
    assert found["tie-gt"].concerns(["cerl", "newreno"])
    assert not found["tie-gt"].concerns(["newreno"])
    assert found["rwnd-20"].concerns(["newreno"])


def test_a_reading_of_a_mix_changes_the_flows_that_it_concerns() -> None:
    """In a mix of Vegas, Westwood+ and others, how EWR grows concerns EWR's flow alone."""
    flows = one("huq2024/table5", "", "ewr-vegas")["flows"]
    growth = {flow["algorithm"]["name"]: flow["algorithm"].get("ewr_growth") for flow in flows}
    assert growth == {"newreno": None, "vegas": None, "westwood-plus": None, "newjersey": None, "ewr": "vegas"}
    # and the caption of one figure contradicts its text
    (case,) = cases("saedi2019/fig4.33", "newreno", reading="cerlplus-two")
    assert case.members == {
        "cerlplus": ("cerlplus-0", "cerlplus-1"),
        "cerlplus#1": ("cerlplus-0",),
        "cerlplus#2": ("cerlplus-1",),
    }


def test_cerl_plus_runs_in_both_forms() -> None:
    target = "saedi2019/fig4.6"
    reading = reading_of(target, "inverted")
    assert one(target, "cerlplus")["flows"][0]["algorithm"]["name"] == "cerl-plus"
    assert one(target, "cerlplus", "inverted")["flows"][0]["algorithm"]["name"] == "cerl-plus-inverted"
    assert reading.form
    assert reading.concerns(["cerlplus"])
    assert not reading.concerns(["cerl"])


def test_heavy_load_has_a_long_bandwidth_delay_product() -> None:
    """85 Mbps x 320 ms / 8 / 1064 B = 3195, which the ledger calls about 3200."""
    book, experiment = ledger.experiment("saedi2019/fig3.14")
    reading = reading_of("saedi2019/fig3.14", "queue-bdp")
    assert experiments.titled(book, [experiment], reading).title == (
        "queues of one bandwidth-delay product (3195 packets)"
    )
    both = [experiment, book.experiments["saedi2019/fig3.5"], experiment]
    assert experiments.titled(book, both, reading).title == "queues of one bandwidth-delay product (93 to 3195 packets)"


def test_thinned_points_keep_what_claims_name() -> None:
    """Fig. 3.5: 0; 1 to 8; 10; above 10 to 20 are named; one more point fills the widest gap."""
    book, experiment = ledger.experiment("saedi2019/fig3.5")
    (points,) = experiments.thinned(experiment, book.claims_of(experiment.id), 7)
    assert points == (0, 1, 4, 8, 12, 16, 20)
    (few,) = experiments.thinned(experiment, book.claims_of(experiment.id), 2)
    assert few == (0, 1, 8, 12, 20)


def test_partners_of_cross_claims() -> None:
    book, experiment = ledger.experiment("saedi2019/fig3.12")
    claims = book.claims_of(experiment.id)
    assert experiments.partners(book, claims, experiment) == {
        "saedi2019/fig3.8": {"cerl"},
        "saedi2019/fig3.7": {"cerl"},
        "saedi2019/fig3.10": {"cerl"},
    }
    # A margin is over all other variants, so all are needed.
    book, experiment = ledger.experiment("saedi2019/fig4.11")
    needed = experiments.partners(book, book.claims_of(experiment.id), experiment)
    assert needed["saedi2019/fig3.10"] == set(book.experiments["saedi2019/fig3.10"].variants)


def test_limits_take_the_narrowest_cut() -> None:
    """Two-way: 8 Mbps x 1024/1064 = 7.699 in each direction, 200/190 of it, shared by ten flows."""
    book, experiment = ledger.experiment("saedi2019/fig3.9")
    (case,) = cases("saedi2019/fig3.9", "newreno")
    network = book.topologies[experiment.topology]
    cap = experiments.capacity(network, case.scenario.points()[1], None)
    assert cap is not None
    assert cap.flows == 20
    assert cap.total_mbps == pytest.approx(2 * 7.69925 * 200 / 190, rel=1e-5)
    assert cap.per_flow_mbps == pytest.approx(0.769925 * 200 / 190, rel=1e-5)
    assert cap.text == (
        "The 8 Mbps of L carry at most 7.70 Mbps of payload, 1.053 times that over the flows' active time (1024 of every 1064 B) "
        "in each direction."
    )
    at_once = experiments.capacity(network, case.scenario.points()[1], None, at_once=True)
    assert at_once is not None
    assert at_once.per_flow_mbps == pytest.approx(0.769925, rel=1e-5)


def test_one_flow_of_a_mix_may_take_all_that_the_link_carries() -> None:
    (case,) = cases("saedi2019/fig4.28", "cerlplus", "newreno")
    network = ledger.load("saedi2019").topologies["fair"]
    (point,) = case.scenario.points()
    both, single = (experiments.capacity(network, point, groups) for groups in (None, case.members["cerlplus"]))
    assert both is not None
    assert single is not None
    assert (both.flows, single.flows) == (2, 1)
    assert single.per_flow_mbps == pytest.approx(8 * 1460 / 1500)
    assert both.per_flow_mbps == pytest.approx(4 * 1460 / 1500)


@pytest.mark.parametrize("target", all_experiments())
def test_every_experiment_becomes_runs_or_says_what_is_missing(target: str) -> None:
    book, experiment = ledger.experiment(target)
    try:
        experiments.require(book, experiment)
    except NotYet as missing:
        assert missing.code == "reproduce.not-yet"
        assert target in missing.message
        assert "\n" not in missing.message
        return
    if experiment.covers:
        assert experiments.partners(book, book.claims_of(target), experiment)
        return
    ends = [(axis.points[0], axis.points[-1]) for axis in experiment.axes]
    for reading in [None, *book.readings_of(experiment)]:
        if reading is not None and any(
            experiment.fixed.get(key, 0) * factor >= 100 for key, factor in reading.scale.items()
        ):
            with pytest.raises(NotYet, match="100 %"):
                experiments.cases(book, experiment, ends, experiment.variants, reading)
            continue
        made = experiments.cases(book, experiment, ends, experiment.variants, reading)
        assert made
        for case in made:
            points = case.scenario.points()
            assert len(points) == len(case.points)
            assert points[0].key(1)


@pytest.mark.parametrize("paper", ledger.papers())
def test_how_many_can_be_run(paper: str) -> None:
    book = ledger.load(paper)
    found = [
        entry.name
        for entry in book.experiments.values()
        if entry.kind == "simulation" and not experiments.lacking(book, entry, entry.variants)
    ]
    assert len(found) == RUNNABLE[paper]


def test_every_experiment_of_the_ledger_can_be_run() -> None:
    for paper in ledger.papers():
        book = ledger.load(paper)
        for experiment in book.experiments.values():
            experiments.require(book, experiment)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    had = needs._keys()
    monkeypatch.setattr(needs, "_keys", lambda: had | {"link.delay": frozenset()})
    with pytest.raises(NotYet, match="needs `link.delay = uniform`, which this version does not have"):
        experiments.require(*ledger.experiment("saedi2019/fig4.5a"))


def test_access_delays_are_drawn_for_each_seed() -> None:
    first, second = cases("saedi2019/fig4.5a", "reno")[:2]
    assert (first.points, second.points) == (((0,),), ((1,),))
    assert [list(case.scenario.seeds) for case in (first, second)] == [[0], [1]]
    for side in ("left", "right"):
        assert first.scenario.points()[0].effective()["topology"][side]["delay"] == "uniform(1 ms, 15 ms)"


def test_what_has_no_network_is_no_simulation() -> None:
    book, experiment = ledger.experiment("saedi2019/fig3.1")
    bare = replace(book.topologies["abstract"], scenario="")
    with pytest.raises(NotYet, match="no simulation but an illustration"):
        experiments.require(replace(book, topologies={**book.topologies, "abstract": bare}), experiment)


def test_an_experiment_can_be_run_as_soon_as_the_engine_has_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    book, experiment = ledger.experiment("saedi2019/fig4.5a")
    had = needs._keys()
    monkeypatch.setattr(needs, "_keys", lambda: had | {"link.delay": frozenset()})
    missing = experiments.lacking(book, experiment, experiment.variants)
    assert missing
    keys = {}
    for need in missing:
        key, _, word = (part.strip() for part in need.partition("="))
        keys[key] = frozenset({word, *keys.get(key, ())})
    known = needs._keys()
    more = known | {key: words | known.get(key, frozenset()) for key, words in keys.items()}
    monkeypatch.setattr(needs, "_keys", lambda: more)
    experiments.require(book, experiment)


def test_a_chain_is_described_with_the_keys_of_its_radio() -> None:
    document = one("janevski2012/fig51", "sack")
    assert (document["topology"]["kind"], document["topology"]["nodes"]) == ("chain", 9)
    radio = document["topology"]["radio"]
    assert (radio["rate"], radio["rts_threshold"], radio["arp"]) == ("1 Mbps", "always", True)
    assert radio["loss"]["rate"] == "20 %"
    rules = document["flows"][0]["tcp"]
    assert (rules["delayed_ack"], rules["dup_threshold"], rules["window"]) == (2, 1, "20 segments")
    # frame errors on both sides: 1 - 0.8 x 0.8
    both = one("janevski2012/fig51", "sack", "loss-both-sides")
    assert both["topology"]["radio"]["loss"]["rate"] == "36 %"


def test_cells_have_stations_of_their_own() -> None:
    """Four, eight, 16 and 32 flows, spread over four access points, a channel for each; errors at each of them."""
    sizes = {}
    for case in cases("dalal2015/fig11b", "newreno"):
        ((fer, flows),) = case.points
        (point,) = case.scenario.points()
        media = point.effective()["topology"]["media"]
        assert {medium["loss"]["rate"] for medium in media} == {f"{fer:g} %"}
        sizes[flows] = [len(medium["stations"]) - 1 for medium in media]
        assert len(point.flows()) == flows
    assert sizes == {4: [1] * 4, 8: [2] * 4, 16: [4] * 4, 32: [8] * 4}


def test_bins_of_time_are_runs_of_that_length_of_which_the_end_counts() -> None:
    found = cases("huq2024/fig10", "ewr")
    documents = [case.scenario.points()[0].effective()["scenario"] for case in found]
    assert [case.points[0][0] for case in found] == list(range(10, 201, 10))
    assert [(one["warmup"], one["duration"]) for one in documents[:2]] == [("0 s", "10 s"), ("10 s", "20 s")]


def test_readings_of_a_mobile_and_of_a_timeout_without_a_cause() -> None:
    """Data the other way take both ends of the flow; with equal thresholds every timeout has a cause."""
    flow, background = one("rana/fig2", "newreno", "uplink")["flows"]
    assert (flow["from"], flow["to"], background["from"]) == ("mobile/0", "server", "router")
    assert one("rana/fig5", "veno", "short-gap")["topology"]["handover"]["break"] == "50 ms"
    algorithm = one("huq2024/table2", "ewr", "ewr-else-westwood")["flows"][0]["algorithm"]
    assert algorithm["ewr_alpha"] == algorithm["ewr_beta"]


def test_friendliness_of_two_protocols_is_measured_in_the_same_network() -> None:
    """EWR beside NewReno, and Westwood+ beside NewReno, in the same shares."""
    for target, name in (("huq2024/friend", "ewr"), ("huq2024/friend-westwood", "westwood-plus")):
        (case,) = [case for case in cases(target, "newreno") if case.points == ((3, "newreno"),)]
        flows = case.scenario.points()[0].effective()["flows"]
        assert [(flow["algorithm"]["name"], flow["count"]) for flow in flows] == [("newreno", 3), (name, 7)]


def test_two_protocols_share_each_access_point() -> None:
    """Station 0 of each cell has the protocol under test, station 1 NewReno, which is measured beside every other."""
    found = cases("dalal2015/beside", "newreno", "adaptive")
    members = {case.points[0][1]: case.members for case in found}
    assert members["adaptive"] == {"adaptive": ("tested",), "newreno": ("native",)}
    assert members["newreno"] == {"newreno": ("native",)}
    flows = found[-1].scenario.points()[0].effective()["flows"]
    assert [(flow["from"], flow["algorithm"]["name"]) for flow in flows] == [
        ("t*/0", "adaptive"),
        ("t*/1", "newreno"),
    ]
    assert len(found[-1].scenario.points()[0].flows()) == 8


def test_access_points_without_a_flow_are_silent() -> None:
    found = cases("dalal2015/active", "newreno")
    assert [(case.points[0][1], len(case.scenario.points()[0].flows())) for case in found][-4:] == [
        (1, 1),
        (2, 2),
        (3, 3),
        (4, 4),
    ]


def test_a_reading_may_take_numbers_for_another_unit() -> None:
    """Error rates printed as fractions: 0.1 is 10 %, and 1, which would be everything, is left out."""
    (case,) = cases("dalal2015/fig8", "adaptive", reading="fractions")
    assert case.points == ((0,), (0.1,), (0.5,))
    rates = [point.effective()["topology"]["radio"]["loss"]["rate"] for point in case.scenario.points()]
    assert rates == ["0 %", "10 %", "50 %"]


def test_a_reading_may_stand_instead_of_the_default() -> None:
    """Independent errors have no mean burst."""
    (case,) = cases("dalal2015/fig8", "adaptive", reading="independent-errors")
    loss = case.scenario.points()[-1].effective()["topology"]["radio"]["loss"]
    assert (loss["rate"], loss["model"]) == ("10 %", "independent")
    assert "burst" not in loss


def test_runs_of_equal_settings_are_shared() -> None:
    """NewReno at 1 % loss and 8 Mbps is the same run in Figs 3.5, 3.6 (no such point), 3.7 and 4.6."""

    def keys(target: str) -> set[str]:
        return {point.key(1) for case in cases(target, "newreno") for point in case.scenario.points()}

    assert keys("saedi2019/fig3.5") == keys("saedi2019/fig4.6")
    assert not keys("saedi2019/fig3.5") & keys("saedi2019/fig3.7")


def test_a_variant_may_be_another_form_of_its_algorithm() -> None:
    book = ledger.load("saedi2019")
    plain, inverted = book.variants["cerlplus2"], book.variants["cerlplus2-inverted"]
    assert (plain.name, inverted.name) == ("cerl-plus2", "cerl-plus2")
    assert (plain.label, inverted.label) == ("cerl-plus2", "cerlplus2-inverted")
    opened = ("simtime", "rwnd", "threshold")
    changed = replace(book.experiments["saedi2019/fig3.5"], variants=("cerlplus2",), open=opened)
    (case,) = experiments.cases(book, changed, [(1,)], ["cerlplus2"], book.readings["inverted"])
    assert case.members == {"cerlplus2": None}


def test_a_reading_moves_what_an_axis_sets() -> None:
    """RED's parameters are varied where the reading has RED: at the base stations, and not only at the router."""
    book, experiment = ledger.experiment("rana/red-settings")
    reading = book.readings["red-at-station"]
    (case,) = experiments.cases(book, experiment, [("max_p doubled",)], ["etfcc"], reading)
    topology = case.scenario.composed()["topology"]
    assert topology["radio"]["queue"]["max_p"] == topology["router"]["queue"]["max_p"] == 0.2
    (base,) = experiments.cases(book, experiment, [("max_p doubled",)], ["etfcc"])
    assert "queue" not in base.scenario.composed()["topology"]["radio"]
