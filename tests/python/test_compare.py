"""Algorithms beside each other on one path."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import windlass
from windlass.cli import main
from windlass.compare import NEIGHBOUR, Comparison, algorithm_value, compare
from windlass.neighbour import with_neighbour

PATH = """
[scenario]
name = "path"
duration = "20 s"
profile = "ns2"
seeds = 3

[topology]
kind = "dumbbell"
pairs = 3
access = { rate = "10 Mbps", delay = "2 ms" }
bottleneck = { rate = "8 Mbps", delay = "50 ms", queue = "20 packets", loss = "1 %" }

[[flows]]
from = "left/*"
to = "right/*"
algorithm = "vegas"
start = "uniform(0 s, 1 s)"
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    path = windlass.Scenario.from_toml(PATH)
    return compare(path, ["newreno", "cerl-plus", "veno"], store=str(tmp_path_factory.mktemp("store")))


def row(result: Comparison, algorithm: str) -> Any:
    return next(one for one in result.outcomes if one.algorithm == algorithm)


def test_the_first_is_what_gains_are_against(result: Comparison) -> None:
    newreno = row(result, "newreno")
    assert (newreno.against_baseline.lo, newreno.against_baseline.mean, newreno.against_baseline.hi) == (1.0, 1.0, 1.0)
    cerl = row(result, "cerl-plus")
    assert cerl.against_baseline.mean == pytest.approx(cerl.goodput_bps.mean / newreno.goodput_bps.mean)
    # as printed CERL+ cuts on timeouts only: at 1 % loss it gets more than NewReno whatever the seed
    assert cerl.against_baseline.lo > 1.0


def test_the_same_runs_as_without_the_comparison(result: Comparison) -> None:
    runs = windlass.Scenario.from_toml(PATH).with_({"flows.algorithm": "newreno"}).sweep(store=False)
    goodput = runs.flows["goodput_bps"].to_pylist()
    assert row(result, "newreno").goodput_bps.mean == pytest.approx(sum(goodput) / len(goodput))
    together = runs.flows["goodput_run_bps"].to_pylist()
    assert row(result, "newreno").total_bps.mean == pytest.approx(sum(together) / 3)


def test_newreno_takes_everything_for_congestion(result: Comparison) -> None:
    newreno = row(result, "newreno")
    assert newreno.miss_rate.mean == 0.0
    assert newreno.false_alarm_rate.mean == 1.0
    printed = row(result, "cerl-plus")
    assert printed.false_alarm_rate.mean < 0.5
    assert printed.miss_rate.mean > 0.5


def test_who_judges_losses(result: Comparison, tmp_path: Path) -> None:
    assert [one.judges_losses for one in result.outcomes] == [False, True, True]

    class Random(windlass.CongestionControl):
        def on_congestion(self, event: Any, path: Any) -> windlass.Response | None:
            if event.cause == "dup-acks":
                return windlass.Response.RANDOM
            return super().on_congestion(event, path)

    class Plain(windlass.CongestionControl):
        pass

    names = [windlass.register(Random), windlass.register(Plain)]
    path = windlass.Scenario.from_toml(PATH).with_({"scenario.duration": "10 s"})
    found = compare(path, names, neighbour=False, seeds=2, store=str(tmp_path))
    assert [one.judges_losses for one in found.outcomes] == [True, False]


def test_a_class_judges_losses_even_where_it_takes_each_for_congestion(tmp_path: Path) -> None:
    """On a path without random loss a sender that judges well judges none random; that is no lack of judgement."""

    class Judge(windlass.CongestionControl):
        def on_congestion(self, event: Any, path: Any) -> windlass.Response | None:
            if path.rtt < path.rtt_min:
                return windlass.Response.REDUCED_AS_RANDOM
            return super().on_congestion(event, path)

    class Heir(Judge):
        name = "heir"

    class ByWord(windlass.CongestionControl):
        def on_congestion(self, event: Any, path: Any) -> Any:
            return "random" if path.rtt < path.rtt_min else super().on_congestion(event, path)

    class Declares(windlass.CongestionControl):
        judges_losses = True

    class Denies(Judge):
        judges_losses = False
        name = "denies"

    class Undecided(windlass.CongestionControl):
        def on_congestion(self, event: Any, path: Any) -> windlass.Response | None:
            super().on_congestion(event, path)
            return windlass.Response.UNDECIDED

    judging = [windlass.register(one) for one in (Judge, Heir, ByWord, Declares)]
    blind = [windlass.register(one) for one in (Denies, Undecided)]
    listed = {row["name"]: row["judges_losses"] for row in json.loads(windlass._core.registered())}
    assert [listed[name] for name in judging + blind] == [True] * 4 + [False] * 2
    calm = {"scenario.duration": "10 s", "topology.bottleneck.loss.rate": "0 %"}
    path = windlass.Scenario.from_toml(PATH.replace('loss = "1 %"', 'loss = { rate = "1 %" }')).with_(calm)
    found = compare(path, [*judging, *blind, "newreno"], neighbour=False, seeds=1, store=str(tmp_path))
    judged = {one.algorithm: one.judges_losses for one in found.outcomes}
    assert judged == {name: True for name in judging} | {name: False for name in [*blind, "newreno"]}
    losses = [one for one in found.outcomes if one.algorithm == "judge"]
    assert losses[0].miss_rate.mean == 0.0


def test_transfers_of_given_size_have_completion_times(tmp_path: Path) -> None:
    text = PATH.replace('algorithm = "vegas"', 'algorithm = "vegas"\nsize = "200 kB"')
    (tmp_path / "sized.toml").write_text(text)
    path = windlass.Scenario.from_toml(text)
    (one,) = compare(path, ["newreno"], neighbour=False, store=str(tmp_path)).outcomes
    runs = path.with_({"flows.algorithm": "newreno"}).sweep(store=False).flows.to_pylist()
    assert one.completion_s.mean == pytest.approx(sum(row["completion_s"] for row in runs) / len(runs))
    assert one.unfinished.mean == 0.0
    # what it got over its own time, not over the twenty seconds of the run
    assert one.goodput_bps.mean == pytest.approx(sum(1.6e6 / row["completion_s"] for row in runs) / len(runs))
    shown = CliRunner().invoke(
        main, ["compare", "newreno", "veno", "--path", str(tmp_path / "sized.toml"), "--seeds", "2"]
    )
    assert shown.exit_code == 0, shown.output
    assert "FCT mean s" in shown.output
    endless = compare(
        windlass.Scenario.from_toml(PATH), ["newreno"], neighbour=False, seeds=1, store=str(tmp_path)
    ).outcomes[0]
    assert math.isnan(endless.completion_s.mean) and math.isnan(endless.unfinished.mean)


def test_listed_losses_are_random_and_full_queues_congestion(tmp_path: Path) -> None:
    text = PATH.replace(', loss = "1 %"', "").replace("pairs = 3", "pairs = 1")
    path = windlass.Scenario.from_toml(text)
    # four listed packets, far apart, and a window that the empty queue holds: four random losses and nothing else
    listed = {"topology.bottleneck.drops.forward": [200, 600, 1000, 1400], "flows.tcp.window": "18 segments"}
    newreno, veno = compare(
        path.with_(listed), ["newreno", "veno"], neighbour=False, seeds=1, store=str(tmp_path)
    ).outcomes
    assert (newreno.false_alarm_rate.mean, veno.false_alarm_rate.mean) == (1.0, 0.0)
    assert math.isnan(newreno.miss_rate.mean) and math.isnan(veno.miss_rate.mean)
    # no random loss: every loss is the queue's
    newreno, printed = compare(path, ["newreno", "cerl-plus"], neighbour=False, seeds=1, store=str(tmp_path)).outcomes
    assert newreno.miss_rate.mean == 0.0
    assert printed.miss_rate.mean > 0.5  # as printed CERL+ takes each fast retransmit for random
    assert math.isnan(newreno.false_alarm_rate.mean) and math.isnan(printed.false_alarm_rate.mean)


def test_the_counts_are_those_of_the_events() -> None:
    # NewJersey+ keeps its window at a timeout, so the copy sent then may find its own access queue full: it is lost
    # at the time of the event, and is not what the event is about.
    path = windlass.load("lossy-dumbbell", {"topology.bottleneck.loss.rate": "1 %", "scenario.duration": "60 s"})
    run = path.with_({"flows.algorithm": "newjerseyplus", "output.events": True}).run(1)
    lost = {(row["flow"], row["segment"], row["time_s"]) for row in run.losses.to_pylist()}
    judged = [row for row in run.events.to_pylist() if row["kind"] == "judged-random"]
    assert any((row["flow"], row["segment"], row["time_s"]) in lost for row in judged)
    random = sum(row["true_cause"] == "random" for row in judged)
    flows = run.flows.to_pylist()
    assert random == sum(row["random_judged_random"] for row in flows)
    congestion = sum(row["true_cause"] == "queue" for row in judged)
    assert congestion == sum(row["congestion_judged_random"] for row in flows)
    # the rest: the timer expired though the retransmission had arrived, so the one loss was judged already
    assert 0 < len(judged) - random - congestion <= sum(row["judged_not_lost"] for row in flows)


def test_a_loss_is_judged_once() -> None:
    # the retransmission of segment 30 arrives, but the ACKs that say so are lost, and the timer expires
    drops = {"forward": [30], "reverse": list(range(20, 28))}
    path = windlass.Scenario.from_toml(PATH.replace(', loss = "1 %"', "").replace("pairs = 3", "pairs = 1"))
    changes = {
        "topology.bottleneck.drops": drops,
        "flows.size": "60 kB",
        "output.events": True,
        "flows.algorithm": "newreno",
    }
    run = path.with_({**changes, "scenario.profile": "rfc", "scenario.duration": "3 s"}).run(1)
    (flow,) = run.flows.to_pylist()
    assert (flow["loss_list"], flow["timeouts"]) == (1, 1)
    assert (flow["random_judged_congestion"], flow["judged_not_lost"]) == (1, 1)
    causes = [(row["kind"], row["true_cause"]) for row in run.events.to_pylist() if row["kind"] != "recovery-exit"]
    assert [cause for _, cause in causes] == ["list", "none"]


def test_a_neighbour_beside_newreno_costs_nothing_and_beside_a_greedy_sender_something(result: Comparison) -> None:
    assert row(result, "newreno").neighbour_cost.mean == 0.0
    assert row(result, "cerl-plus").neighbour_cost.mean > 0.0
    assert row(result, "cerl-plus").neighbour_bps.mean < row(result, "newreno").neighbour_bps.mean


def test_packets_wait_no_longer_than_the_buffer_is_deep(result: Comparison) -> None:
    for one in result.outcomes:
        # 19 packets of 1500 bytes wait behind one in transmission at 8 Mbit/s: 30 ms; access links add little
        assert 0.0 < one.queue_delay_p95_s.mean < 0.040


def test_a_lone_flow_gets_a_neighbour_beside_it(tmp_path: Path) -> None:
    path = windlass.Scenario.from_toml(PATH).with_({"topology.pairs": 1, "scenario.duration": "5 s"})
    found = compare(path, ["newreno"], seeds=2, store=str(tmp_path))
    assert found.outcomes[0].neighbour_bps is not None
    assert not math.isnan(found.outcomes[0].neighbour_bps.mean)


def test_flows_that_start_one_after_the_other_do_so_beside_a_neighbour_too() -> None:
    text = PATH.replace('start = "uniform(0 s, 1 s)"', 'start = "every(100 ms)"')
    made = with_neighbour(windlass.Scenario.from_toml(text).points(), "flow", {"": "veno"})
    flows = made[""][0].flows()
    assert [(flow.flow, flow.start) for flow in flows] == [
        ("flow-0", "0 s"),
        ("flow-1", "100 ms"),
        ("neighbour", "200 ms"),
    ]
    assert [flow["algorithm"]["name"] for flow in made[""][0].effective()["flows"]] == ["veno", "veno", "newreno"]


def test_flows_that_come_and_go_have_no_neighbour(tmp_path: Path) -> None:
    text = PATH.replace('start = "uniform(0 s, 1 s)"', 'size = "20 kB"\narrivals = "poisson(5 per s)"')
    path = windlass.Scenario.from_toml(text).with_({"scenario.duration": "3 s"})
    found = compare(path, ["newreno"], seeds=1, store=str(tmp_path))
    assert found.cautions[-1] == "no neighbour: the flows of the group come and go"
    assert found.outcomes[0].neighbour_bps is None


def test_settings_of_the_path_hold_for_the_neighbours_runs_too(tmp_path: Path) -> None:
    path = windlass.Scenario.from_toml(PATH).with_({"flows.tcp.window": "2 segments", "scenario.duration": "5 s"})
    found = compare(path, ["newreno", "veno"], seeds=2, store=str(tmp_path))
    for one in found.outcomes:
        # two segments in a round trip of 108 ms and a little: never more than 2 * 1460 * 8 / 0.108 = 216 kbit/s
        assert one.goodput_bps.mean < 216e3
        assert one.neighbour_bps is not None
        assert one.neighbour_bps.mean < 216e3


def test_a_swept_path_gives_a_row_for_each_point(tmp_path: Path) -> None:
    text = PATH + '[sweep]\n"topology.bottleneck.loss.rate" = ["0 %", "2 %"]\n"flows.algorithm" = ["vegas", "veno"]\n'
    path = windlass.Scenario.from_toml(text.replace('"1 %"', '{ rate = "1 %" }')).with_({"scenario.duration": "5 s"})
    found = compare(path, ["newreno", "cerl"], seeds=2, neighbour=False, store=str(tmp_path))
    assert [(one.axes["topology.bottleneck.loss.rate"], one.algorithm) for one in found.outcomes] == [
        ("0 %", "newreno"),
        ("0 %", "cerl"),
        ("2 %", "newreno"),
        ("2 %", "cerl"),
    ]
    assert all(one.neighbour_bps is None for one in found.outcomes)


def test_ready_paths_with_a_trace_or_a_sweep_of_all_groups(tmp_path: Path) -> None:
    # the trace lies beside the ready scenario, not here
    path = windlass.load("cellular", {"scenario.duration": "6 s"})
    found = compare(path, ["newreno", "cubic"], seeds=1, store=str(tmp_path))
    assert not any("no neighbour" in caution for caution in found.cautions)
    assert found.outcomes[1].neighbour_bps is not None
    # `flows.algorithm` is swept over both groups; compared is one of them, beside the other as it is written
    path = windlass.load("rtt-unfairness", {"scenario.duration": "20 s", "scenario.warmup": "0 s"})
    found = compare(path, ["newreno", "cubic"], seeds=1, group="near", neighbour=False, store=str(tmp_path))
    assert [one.algorithm for one in found.outcomes] == ["newreno", "cubic"] * (len(found.outcomes) // 2)
    assert not any("flows.algorithm" in one.axes for one in found.outcomes)


def test_other_groups_stay_as_they_are(tmp_path: Path) -> None:
    text = PATH.replace("[[flows]]", '[[flows]]\nname = "tested"') + (
        '\n[[flows]]\nname = "other"\nfrom = "left/0"\nto = "right/0"\nalgorithm = "reno"\n'
    )
    path = windlass.Scenario.from_toml(text).with_({"scenario.duration": "5 s"})
    found = compare(path, ["newreno"], group="tested", seeds=2, store=str(tmp_path))
    assert found.group == "tested"
    assert compare(path, ["newreno"], seeds=2, store=str(tmp_path)).group == "tested"
    with pytest.raises(windlass.InputError, match="no group"):
        compare(path, ["newreno"], group=NEIGHBOUR, store=str(tmp_path))


def test_parameters_of_an_algorithm() -> None:
    assert algorithm_value("cerl") == "cerl"
    assert algorithm_value("cerl:cerl_cmp=gt,cerl_A=0.6") == {"name": "cerl", "cerl_cmp": "gt", "cerl_A": 0.6}
    with pytest.raises(windlass.InputError, match="PARAMETER=VALUE"):
        algorithm_value("cerl:gt")


def test_wrong_requests(tmp_path: Path) -> None:
    path = windlass.Scenario.from_toml(PATH)
    for wanted, match in [(["nwreno"], "no algorithm"), (["cerl", "cerl"], "twice"), ([], "no algorithm")]:
        with pytest.raises(windlass.InputError, match=match):
            compare(path, wanted, store=str(tmp_path))
    assert not list(tmp_path.glob("**/*.parquet"))


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "path.toml"
    file.write_text(PATH, encoding="utf-8")
    common = ["compare", "newreno", "cerl:cerl_cmp=gt", "--path", str(file), "--set", "scenario.duration=5s"]
    common += ["--store", str(tmp_path / "store"), "--seeds", "2"]
    shown = CliRunner().invoke(main, common)
    assert shown.exit_code == 0, shown.output
    for words in ("cerl:cerl_cmp=gt", "misses %", "false alarms %", "p95 queueing ms", "cost to it %"):
        assert words in shown.output
    assert "-: does not judge losses, takes each for congestion: newreno" in shown.output
    figure = tmp_path / "trade.png"
    data = CliRunner().invoke(main, [*common, "--json", "-o", str(figure)])
    outcomes = json.loads(data.stdout)["outcomes"]
    assert [one["algorithm"] for one in outcomes] == ["newreno", "cerl:cerl_cmp=gt"]
    assert outcomes[0]["seeds"] == 2
    assert outcomes[1]["false_alarm_rate_mean"] is not None
    assert figure.stat().st_size > 1000


def test_a_neighbour_with_nothing_to_lose_is_named() -> None:
    """Of two stations that do not sense each other one has everything; with RTS both have their share."""
    words = "beside NewReno the neighbour gets less than 10% of what a flow of the group gets"
    hidden = windlass.load("hidden", {"topology.radio.sense_range": "70 m", "scenario.duration": "20 s"})
    found = [one for one in compare(hidden, ["newreno", "cubic"], seeds=2).cautions if one.startswith(words)]
    assert len(found) == 1
    assert found[0].startswith(f"{words} (topology.radio.rts_threshold = off): it has next to nothing to lose")
