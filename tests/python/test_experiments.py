"""The mapping from the ledger's tables to scenarios."""

from __future__ import annotations

from typing import Any

import pytest

from windlass import experiments, ledger
from windlass.experiments import NotYet, Setting
from windlass.scenario import Scenario

# Everything of the thesis but illustrations, transfers that end, one contradictory mix, and summaries.
EXPRESSIBLE = 45


def one(target: str, variant: str, **changes: Any) -> dict[str, Any]:
    """The scenario of a variant in the base setting, with some of it changed."""
    from dataclasses import replace

    book, experiment = ledger.experiment(target)
    setting = replace(experiments.base_setting(book, experiment), **changes)
    return experiments.scenario(book, experiment, variant, setting, experiments.points_of(experiment))


def all_experiments() -> list[str]:
    return [entry for paper in ledger.papers() for entry in ledger.load(paper).experiments]


def test_fig35_exactly() -> None:
    assert one("saedi2019/fig3.5", "cerl") == {
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
                "tcp": {"window": "10000 segments"},
            }
        ],
        "sweep": {"topology.bottleneck.loss.rate": [f"{q} %" for q in (0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20)]},
    }


def test_base_setting_is_the_ledgers() -> None:
    book, experiment = ledger.experiment("saedi2019/fig3.5")
    assert experiments.base_setting(book, experiment) == Setting(
        duration_s=200.0,
        seeds=10,
        queue=50,
        window_segments=10000,
        start_s=(0.0, 10.0),
        loss_at="wire",
        loss_direction="forward",
    )


def test_other_one_way_sweeps_change_one_key() -> None:
    rate = one("saedi2019/fig3.6", "newreno")
    assert rate["sweep"] == {"topology.bottleneck.rate": ["5 Mbps", "10 Mbps", "15 Mbps", "20 Mbps", "25 Mbps"]}
    assert rate["topology"]["bottleneck"]["loss"]["rate"] == "1 %"
    assert list(one("saedi2019/fig3.7", "newreno")["sweep"]) == ["topology.bottleneck.delay"]
    # Fig. 3.8 sweeps the receivers' links, Fig. 3.17 the senders'.
    assert list(one("saedi2019/fig3.8", "newreno")["sweep"]) == ["topology.right.delay"]
    assert list(one("saedi2019/fig3.17", "newreno")["sweep"]) == ["topology.left.delay"]


def test_two_way_is_data_both_ways_on_one_connection() -> None:
    document = one("saedi2019/fig3.9", "newreno")
    assert document["flows"][0]["direction"] == "both"
    assert document["flows"][0]["segment"] == "1024 B"
    assert document["topology"]["bottleneck"]["loss"]["direction"] == "both"
    separate = one("saedi2019/fig3.9", "newreno", two_way="separate")
    assert [(flow["from"], flow["to"]) for flow in separate["flows"]] == [("left/*", "right/*"), ("right/*", "left/*")]
    assert "direction" not in separate["flows"][0]


def test_two_lossy_links_in_a_row() -> None:
    network = one("saedi2019/fig3.15", "cerl")["topology"]
    assert network["kind"] == "three-routers"
    assert network["pairs"] == 100
    assert (network["first"]["loss"]["rate"], network["second"]["loss"]["rate"]) == ("1 %", "1 %")
    assert one("saedi2019/fig3.18", "cerl")["topology"]["second"]["loss"]["rate"] == "0 %"


def test_mixes() -> None:
    """Ninety NewReno connections and ten of the variant, one group for each pair of hosts."""
    flows = one("saedi2019/fig4.24", "yeah")["flows"]
    assert [flow["algorithm"] for flow in flows] == ["newreno"] * 90 + ["yeah"] * 10
    assert (flows[90]["from"], flows[90]["name"]) == ("left/90", "tested-0")
    book, experiment = ledger.experiment("saedi2019/fig4.31")
    setting = experiments.base_setting(book, experiment)
    (case,) = experiments.cases(book, experiment, setting, [], experiment.variants)
    assert [flow["algorithm"] for flow in case.scenario["flows"]] == ["cerl-plus", "newreno", "newreno"]
    assert case.members["newreno#2"] == ("newreno-1",)
    assert case.scenario["topology"]["pairs"] == 3
    assert case.points == ((),)


def test_routers_mark_for_the_senders_that_need_it() -> None:
    assert all(
        link["warning"]
        for link in one("saedi2019/fig3.5", "newjerseyplus")["topology"].values()
        if isinstance(link, dict)
    )
    assert "warning" not in one("saedi2019/fig3.5", "newreno")["topology"]["bottleneck"]


def test_readings_change_one_thing_each() -> None:
    book, experiment = ledger.experiment("saedi2019/fig3.5")
    base = experiments.base_setting(book, experiment)
    found = {reading.key: reading for reading in experiments.readings(book, experiment)}
    assert list(found) == [
        "tie-gt",
        "cubic-2008",
        "queue-bdp",
        "rwnd-20",
        "loss-both",
        "loss-queue",
        "starts-1s",
        "all-sack",
    ]

    def scenario(key: str, variant: str) -> dict[str, Any]:
        points = experiments.points_of(experiment)
        return experiments.scenario(book, experiment, variant, found[key].apply(base), points)

    # 8 Mbps x 140 ms / 8 / 1500 B = 93.3
    assert scenario("queue-bdp", "cerl")["topology"]["left"]["queue"] == "93 packets"
    assert scenario("rwnd-20", "cerl")["flows"][0]["tcp"]["window"] == "20 segments"
    assert scenario("loss-both", "cerl")["topology"]["bottleneck"]["loss"]["direction"] == "both"
    assert scenario("loss-queue", "cerl")["topology"]["bottleneck"]["loss"]["at"] == "queue"
    assert scenario("starts-1s", "cerl")["flows"][0]["start"] == "uniform(0 s, 1 s)"
    assert scenario("tie-gt", "cerl")["flows"][0]["algorithm"] == {"name": "cerl", "cerl_cmp": "gt"}
    assert scenario("cubic-2008", "cubic")["flows"][0]["algorithm"] == "cubic-2008"
    assert scenario("all-sack", "newreno")["flows"][0]["tcp"]["recovery"] == "sack"
    assert found["tie-gt"].concerns(["cerl", "newreno"])
    assert not found["tie-gt"].concerns(["newreno"])
    assert found["rwnd-20"].concerns(["newreno"])


def test_cerl_plus_runs_in_both_forms() -> None:
    book, experiment = ledger.experiment("saedi2019/fig4.6")
    base = experiments.base_setting(book, experiment)
    reading = next(row for row in experiments.readings(book, experiment) if row.key == "inverted")
    assert experiments.algorithm("cerlplus", base) == "cerl-plus"
    assert experiments.algorithm("cerlplus", reading.apply(base)) == "cerl-plus-inverted"
    assert reading.concerns(["cerlplus"])
    assert not reading.concerns(["cerl"])


def test_heavy_load_has_a_long_bandwidth_delay_product() -> None:
    """85 Mbps x 320 ms / 8 / 1064 B = 3195, which the ledger calls about 3200."""
    book, experiment = ledger.experiment("saedi2019/fig3.14")
    titles = [reading.title for reading in experiments.readings(book, experiment)]
    assert "queues of one bandwidth-delay product (3195 packets)" in titles


def test_thinned_points_keep_what_claims_name() -> None:
    """Fig. 3.5: 0; 1 to 8; 10 to 20 are named; two more points fill the widest gaps."""
    book, experiment = ledger.experiment("saedi2019/fig3.5")
    (points,) = experiments.thinned(experiment, book.claims_of(experiment.id), 7)
    assert points == (0, 1, 4, 8, 10, 14, 20)
    (few,) = experiments.thinned(experiment, book.claims_of(experiment.id), 2)
    assert few == (0, 1, 8, 10, 20)


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
    cap = experiments.limit(book, experiment, experiments.base_setting(book, experiment))((1,))
    assert cap is not None
    assert cap.flows == 20
    assert cap.total_mbps == pytest.approx(2 * 7.69925 * 200 / 190, rel=1e-5)
    assert cap.per_flow_mbps == pytest.approx(0.769925 * 200 / 190, rel=1e-5)
    assert "in each direction" in cap.text


@pytest.mark.parametrize("target", all_experiments())
def test_every_experiment_is_a_scenario_or_says_what_is_missing(target: str) -> None:
    book, experiment = ledger.experiment(target)
    try:
        setting = experiments.base_setting(book, experiment)
        made = experiments.cases(book, experiment, setting, experiments.points_of(experiment), experiment.variants)
    except NotYet as missing:
        assert missing.code == "reproduce.not-yet"
        assert target in missing.message
        assert "\n" not in missing.message
        return
    for case in made:
        points = Scenario.from_dict(case.scenario).points()
        assert len(points) == len(case.points)
        assert points[0].key(1)


def test_how_many_can_be_run() -> None:
    count = 0
    for target in all_experiments():
        book, experiment = ledger.experiment(target)
        try:
            experiments.base_setting(book, experiment)
        except NotYet:
            continue
        count += 1
    assert count == EXPRESSIBLE


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("saedi2019/fig3.1", "illustration"),
        ("saedi2019/summary-ch3", "summary"),
        ("saedi2019/fig4.5a", "access delays drawn at random"),
        ("janevski2012/fig3", "network that cannot be built yet"),
        ("huq2024/fig3", "CBR over UDP"),
    ],
)
def test_what_is_missing_is_named(target: str, words: str) -> None:
    book, experiment = ledger.experiment(target)
    with pytest.raises(NotYet, match=words):
        experiments.base_setting(book, experiment)


def test_runs_of_equal_settings_are_shared() -> None:
    """NewReno at 1 % loss and 8 Mbps is the same run in Figs 3.5, 3.6 (no such point), 3.7 and 4.6."""

    def keys(target: str) -> set[str]:
        return {point.key(1) for point in Scenario.from_dict(one(target, "newreno")).points()}

    assert keys("saedi2019/fig3.5") == keys("saedi2019/fig4.6")
    assert not keys("saedi2019/fig3.5") & keys("saedi2019/fig3.7")
