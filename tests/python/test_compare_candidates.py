"""Queues, paths and baselines of a comparison, what its rows say of their senders, and its page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import windlass
from windlass.compare import Comparison
from windlass.compare.places import queue_key
from windlass.compare.requests import baseline_of, named_algorithms, named_queues
from windlass.compare.running import short_keys
from windlass.neighbour import NEIGHBOUR

Command = Callable[..., Result]

PATH = """
[scenario]
name = "path"
duration = "10 s"
seeds = 3

[topology]
kind = "dumbbell"
pairs = 3
access = { rate = "100 Mbps", delay = "2 ms" }
bottleneck = { rate = "8 Mbps", delay = "20 ms", queue = "50 packets", loss = { rate = "1 %" } }

[[flows]]
name = "bulk"
from = "left/*"
to = "right/*"
algorithm = "cubic"
start = "uniform(0 s, 1 s)"

[[flows]]
name = "call"
from = "left/0"
to = "right/0"
transport = "udp"
traffic = { kind = "cbr", rate = "64 kbps", packet = "160 B" }
start = "2 s"
"""


def path(text: str = PATH) -> windlass.Scenario:
    return windlass.Scenario.from_toml(text)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    other = path(PATH.replace('"path"', '"slow"').replace('"8 Mbps"', '"2 Mbps"'))
    swept = path(PATH + '[sweep]\n"topology.bottleneck.loss.rate" = ["0 %", "2 %"]\n')
    return windlass.compare(
        [swept, other],
        ["newreno", "cerl"],
        queues=["50 packets", "codel", "drop-tail:1 bdp"],
        baseline="cerl with codel",
        store=str(tmp_path_factory.mktemp("store")),
    )


def test_every_candidate_at_every_setting_in_order(result: Comparison) -> None:
    loss = "topology.bottleneck.loss.rate"
    queues = ["50 packets", "codel", "drop-tail:1 bdp"]
    settings = [("path", {loss: "0 %"}), ("path", {loss: "2 %"}), ("slow", {})]
    assert [(one.path, one.axes, one.queue, one.algorithm) for one in result.outcomes] == [
        (name, axes, queue, algorithm)
        for name, axes in settings
        for queue in queues
        for algorithm in ("newreno", "cerl")
    ]
    assert result.name == "path, slow"
    assert result.baseline == "cerl with codel"
    for one in result.outcomes:
        if one.candidate == "cerl with codel":
            assert (one.against_baseline.lo, one.against_baseline.hi) == (1.0, 1.0)


def test_every_row_has_the_neighbours_cost_though_a_group_starts_later_and_queues_are_tables(
    result: Comparison,
) -> None:
    for one in result.outcomes:
        assert one.neighbour_cost is not None
        assert one.neighbour_cost.mean == 0.0 or one.algorithm == "cerl"
    swept = path(PATH + '[sweep]\n"topology.bottleneck.queue" = ["50 packets", { discipline = "codel" }]\n')
    found = windlass.compare(swept, ["cubic"], seeds=2)
    assert [one.neighbour_cost is not None for one in found.outcomes] == [True, True]


def test_a_neighbour_is_missing_only_where_it_cannot_be() -> None:
    text = PATH.replace('start = "uniform(0 s, 1 s)"', 'size = "20 kB"\narrivals = "poisson(5 per s)"')
    found = windlass.compare([path(), path(text.replace('"path"', '"short"'))], ["newreno"], seeds=2, store=False)
    assert [one.neighbour_cost is not None for one in found.outcomes] == [True, False]
    assert "no neighbour: the flows of the group come and go (short)" in found.cautions


def test_where_newreno_cannot_run_there_is_no_neighbour() -> None:
    path = windlass.load("wifi-and-cellular", {"scenario.duration": "5 s", "scenario.warmup": "0 s"})
    found = windlass.compare(path, ["mveno"], seeds=2, store=False)
    assert [one.neighbour_cost is None for one in found.outcomes] == [True, False]
    (caution,) = [one for one in found.cautions if one.startswith("no neighbour: ")]
    assert caution.endswith("(flows.both.multipath.coupled = True)")
    # the windows are those of the subflows
    for one in found.outcomes:
        assert sum(share.mean for share in one.limits.values()) == pytest.approx(1.0)


def test_queues_are_what_was_asked_for(result: Comparison) -> None:
    by_queue = {one.queue: one for one in result.outcomes if one.path == "path" and one.algorithm == "newreno"}
    # 5 ms is CoDel's target; the deep queue is longer than that
    assert by_queue["codel"].queue_delay_p95_s.mean < by_queue["50 packets"].queue_delay_p95_s.mean
    # 8 Mbit/s and 48 ms are 32 packets of 1500 bytes
    key = queue_key(path().points()[0], "bulk")

    def queue(value: object) -> object:
        return path().with_({key: value}).points()[0].effective()["topology"]["bottleneck"]["queue"]

    assert (
        queue(named_queues(["1 bdp"])["1 bdp"]) == queue({"discipline": "drop-tail", "limit": "1 bdp"}) == "32 packets"
    )
    assert queue(named_queues(["100 ms"])["100 ms"]) == "67 packets"  # 100 kB are 66.7
    limited = queue(named_queues(["codel:2 bdp"])["codel:2 bdp"])
    assert isinstance(limited, dict)
    assert (limited["discipline"], limited["limit"]) == ("codel", "64 packets")


def test_a_product_of_several_round_trips_is_refused() -> None:
    other = (
        PATH.replace("access =", 'left = { delay = "9 ms" }\naccess =')
        .replace('"left/*"', '"left/0"')
        .replace('"right/*"', '"right/0"')
    )
    near = other + '[[flows]]\nname = "near"\nfrom = "g1"\nto = "right/1"\nalgorithm = "cubic"\n'
    with pytest.raises(windlass.InputError, match="base round trips of 44 ms to 62 ms") as caught:
        windlass.compare(path(near), ["newreno"], queues=["1 bdp"], store=False)
    assert "packets" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("codel", {"discipline": "codel"}),
        ("200 packets", "200 packets"),
        ("0.5 bdp", "0.5 bdp"),
        ("100 ms", "100 ms"),
        ("drop-tail:1 bdp", {"discipline": "drop-tail", "limit": "1 bdp"}),
        ("codel:limit=2 BDP,target=10 ms", {"discipline": "codel", "limit": "2 BDP", "target": "10 ms"}),
        ("red:min=5 packets,gentle=false", {"discipline": "red", "min": "5 packets", "gentle": False}),
    ],
)
def test_a_queue_as_text(text: str, value: object) -> None:
    assert named_queues([text]) == {text: value}


def test_where_the_queue_is(tmp_path: Path) -> None:
    places = {
        "lossy-dumbbell": "topology.bottleneck.queue",
        "three-routers": "topology.first.queue",
        "cellular": "topology.links.downlink.queue",
        "cafe": "topology.radio.queue",
        "train": "topology.radio.queue",
    }
    for name, key in places.items():
        scenario = windlass.load(name)
        group = next(flow["name"] for flow in scenario.points()[0].effective()["flows"] if "algorithm" in flow)
        assert queue_key(scenario.points()[0], group) == key, name
        # it is a key that a scenario knows
        scenario.with_({key: "20 packets"}).points()
    found = windlass.compare(
        path(),
        ["newreno"],
        queues=["5 packets"],
        queue_at="topology.access.queue",
        seeds=1,
        neighbour=False,
        store=False,
    )
    assert '"queue":"5 packets"' in found.descriptions[0][1].replace(" : ", ":").replace('": "', '":"')


def test_candidates_that_cannot_be() -> None:
    def refused(match: str, **more: object) -> windlass.InputError:
        with pytest.raises(windlass.InputError, match=match) as caught:
            windlass.compare(path(), ["newreno", "cerl"], store=False, **more)  # type: ignore[arg-type]
        assert caught.value.hint
        return caught.value

    refused("a queue stands twice", queues=["codel", "codel"])
    refused("`codel:limit=many`: `many` is no limit", queues=["codel:limit=many"])
    refused("gives `limit` twice", queues=["codel:1 bdp,limit=2 bdp"])
    refused("cannot be", queues=["codle"])
    refused("no candidate `veno`", baseline="veno")
    with pytest.raises(windlass.InputError, match="no path"):
        windlass.compare([], ["newreno"])
    with pytest.raises(windlass.InputError, match="gives `cerl_cmp` twice"):
        named_algorithms(["cerl:cerl_cmp=gt,cerl_cmp=lt"])


class Keeps(windlass.CongestionControl):
    """NewReno with another share kept at a loss."""

    def __init__(self, kept: float = 0.5) -> None:
        self.kept = kept

    def on_congestion(self, event, path):  # type: ignore[no-untyped-def]
        self.cwnd, self.ssthresh = event.keep(self.kept)
        return windlass.Response.REDUCED


def test_classes_are_compared_by_themselves() -> None:
    short = path().with_({"scenario.duration": "3 s"})
    wanted = ["cubic", Keeps, {"name": Keeps, "kept": 0.9}]
    found = windlass.compare(short, wanted, seeds=1, neighbour=False, store=False)
    assert [one.algorithm for one in found.outcomes] == ["cubic", "keeps", "keeps:kept=0.9"]
    with pytest.raises(windlass.InputError, match="stands twice"):
        windlass.compare(short, [Keeps, "keeps"], store=False)
    with pytest.raises(windlass.InputError, match="is no class derived from"):
        windlass.compare(short, ["cubic", dict], store=False)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("base.toml", "`windlass compare cubic --path base.toml`"),
        ("lossy-dumbbell", "`windlass compare cubic --path lossy-dumbbell`"),
        ("own.py", "`--python own.py`"),
    ],
)
def test_a_file_among_algorithms_is_given_its_option(command: Command, word: str, hint: str) -> None:
    with pytest.raises(windlass.InputError, match="not an algorithm") as caught:
        windlass.compare(path(), [word, "cubic"], store=False)
    assert hint in str(caught.value.hint)
    for more in ((), ("--path", "lossy-dumbbell")):
        done = command("compare", word, "cubic", *more)
        assert done.exit_code == 2
        assert hint in done.stderr


def test_what_a_baseline_may_be() -> None:
    algorithms, queues = {"newreno": "", "cerl": ""}, named_queues(["codel", "1 bdp"])
    assert baseline_of(None, algorithms, queues) == ("newreno", "codel")
    assert baseline_of("cerl", algorithms, queues) == ("cerl", "codel")
    assert baseline_of("1 bdp", algorithms, queues) == ("newreno", "1 bdp")
    assert baseline_of("cerl with 1 bdp", algorithms, queues) == ("cerl", "1 bdp")
    assert baseline_of("cerl", algorithms, named_queues([])) == ("cerl", "")


def test_two_paths_of_one_name_are_told_apart() -> None:
    found = windlass.compare([path(), path()], ["newreno"], seeds=1, neighbour=False, store=False)
    assert [one.path for one in found.outcomes] == ["path", "path (2)"]


def test_keys_are_as_short_as_they_can_be() -> None:
    assert short_keys(["topology.bottleneck.loss.rate", "topology.bottleneck.rate"]) == {
        "topology.bottleneck.loss.rate": "loss rate",
        "topology.bottleneck.rate": "bottleneck rate",
    }
    assert short_keys(["topology.left.loss.rate", "topology.right.loss.rate"]) == {
        "topology.left.loss.rate": "left loss rate",
        "topology.right.loss.rate": "right loss rate",
    }


def test_each_row_says_what_its_senders_are(result: Comparison) -> None:
    for one in result.outcomes:
        assert one.senders is not None
        rules = next(
            flow["tcp"]
            for flow in path().with_({"flows.bulk.algorithm": one.algorithm}).points()[0].effective()["flows"]
            if flow["name"] == "bulk"
        )
        assert (one.senders.recovery, one.senders.delayed_ack) == (rules["recovery"], rules["delayed_ack"])
        assert one.senders.profile == "rfc"
        assert f"recovery {one.senders.recovery}" in one.senders.text()
        row = one.to_dict()
        assert (row["recovery"], row["delayed_ack"], row["profile"]) == (rules["recovery"], rules["delayed_ack"], "rfc")
    old = windlass.load("lossy-dumbbell", {"topology.bottleneck.loss.rate": "1 %", "scenario.duration": "5 s"})
    (one,) = windlass.compare(old, ["newreno"], seeds=1, neighbour=False, store=False).outcomes
    assert one.senders is not None
    assert one.senders.text() == (
        "profile ns2, recovery newreno of ns-2, d = 1 (an ACK per segment), loss at 3 duplicates"
    )


def test_the_delay_of_every_group_and_what_limited_the_flows(result: Comparison) -> None:
    for one in result.outcomes:
        assert set(one.delays) == {"bulk", "call"}
        assert one.delays["bulk"] == one.queue_delay_p95_s
        shares = [share.mean for share in one.limits.values()]
        assert sum(shares) == pytest.approx(1.0)
        assert one.limits["cwnd"].mean > 0.99
        assert one.to_dict()["cwnd_limited_share_mean"] == one.limits["cwnd"].mean
        assert NEIGHBOUR not in one.delays


def test_a_small_window_is_named_as_what_limits() -> None:
    small = path(PATH.replace('algorithm = "cubic"', 'algorithm = "cubic"\ntcp = { window = "2 segments" }'))
    found = windlass.compare(small, ["newreno", "cerl"], seeds=2, neighbour=False, store=False)
    assert all(one.limits["rwnd"].mean > 0.5 for one in found.outcomes)
    assert any("waited for the receiver's window" in caution for caution in found.cautions)
    # and then no algorithm has a say
    assert found.take != "cerl"


def test_flows_cut_off_in_slow_start_are_named() -> None:
    young = path().with_(
        {"scenario.duration": "2.4 s", "topology.bottleneck.loss.rate": "0 %", "flows.bulk.start": "2.2 s"}
    )
    found = windlass.compare(young, ["newreno", "cerl"], seeds=2, neighbour=False, store=False)
    assert any("never left slow start" in caution for caution in found.cautions)


def test_runs_without_chance_are_named() -> None:
    fixed = path().with_(
        {
            "topology.bottleneck.loss.rate": "0 %",
            "topology.send_jitter": "0 s",
            "topology.pairs": 1,
            "flows.bulk.start": "0 s",
        }
    )
    found = windlass.compare(fixed, ["newreno", "cubic"], seeds=2, neighbour=False, store=False)
    assert any(caution.startswith("all seeds gave the same numbers") for caution in found.cautions)


# ---- the command and the page


@pytest.fixture
def files(work: Path) -> Path:
    (work / "path.toml").write_text(PATH, encoding="utf-8")
    return work


def test_the_command_says_which_to_take(command: Command, files: Path) -> None:
    words = ["compare", "newreno", "cerl", "--path", "path.toml", "--queue", "codel", "--queue", "drop-tail:1 bdp"]
    shown = command(*words)
    assert shown.exit_code == 0, shown.output
    text = " ".join(shown.stdout.split())
    for part in (
        "profile rfc, recovery",
        "over newreno with codel %",
        "p95 of `call` ms",
        "cwnd/rwnd/app/pace",
        "of at most 5 %",
    ):
        assert part in text, part
    data = json.loads(command(*words, "--json").stdout)
    assert data["baseline"] == "newreno with codel"
    assert [one["text"] for one in data["answer"]][-1] in shown.stdout
    assert {"candidate", "over", "path", "gain_mean", "gain_lo", "gain_hi", "gain_confidence", "p"} <= set(
        data["gains"][0]
    )
    assert data["outcomes"][0]["delays"].keys() == {"bulk", "call"}


def test_paths_stand_in_one_table(command: Command, files: Path) -> None:
    shown = command(
        "compare",
        "newreno",
        "cerl",
        "--path",
        "path.toml",
        "--path",
        "single-flow-cwnd",
        "--seeds",
        "2",
        "--set",
        "scenario.duration=5s",
        "--set",
        "scenario.warmup=0s",
        "--no-neighbour",
    )
    assert shown.exit_code == 0, shown.output
    assert re.search(r"^ path +.*algorithm", shown.stdout, re.MULTILINE)
    assert "single-flow-cwnd" in shown.stdout


def test_the_page_is_one_file_with_the_answer_first(command: Command, files: Path) -> None:
    words = ["compare", "newreno", "cerl", "--path", "path.toml", "--queue", "codel", "-o", "out/report.html"]
    shown = command(*words)
    assert shown.exit_code == 0, shown.output
    page = (files / "out" / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)=["'](?!data:|#)""", page)
    body = page[page.index("<body>") :]
    answer = [line for line in shown.stdout.splitlines() if line][-1]
    plain = re.sub(r"</?code>", "`", body)
    assert answer.replace("'", "&#39;") in plain
    assert body.index("headline") < body.index("data:image/svg+xml") < body.index("Measured")
    for part in (
        "newreno with codel",
        "cerl with codel",
        "window",
        "call waits ms",
        "segments per ACK (d)",
        "Run it again",
    ):
        assert part in body, part
    # the whole description, and no markup out of it
    assert "&#34;kind&#34;: &#34;dumbbell&#34;" in body
    # equal results, equal page
    again = command(*words)
    assert again.exit_code == 0
    assert (files / "out" / "report.html").read_text(encoding="utf-8") == page


def test_names_on_the_page_are_text(tmp_path: Path) -> None:
    found = windlass.compare(path(), ["newreno", "cerl"], seeds=2, neighbour=False, store=False)
    page = found.write(tmp_path / "a.html", command="windlass <b>compare</b>").read_text(encoding="utf-8")
    assert "<b>compare</b>" not in page
    assert "&lt;b&gt;compare&lt;/b&gt;" in page
    with pytest.raises(windlass.StoreError, match="cannot be written"):
        found.write(tmp_path / "a.html" / "b.html")


def test_the_page_of_one_seed_draws_no_interval(tmp_path: Path) -> None:
    found = windlass.compare(path(), ["newreno", "cerl"], seeds=1, store=False)
    assert [one.kind for one in found.answer] == ["one-seed"]
    page = found.write(tmp_path / "a.html").read_text(encoding="utf-8")
    assert "One seed: nothing can be said" in page
    assert 'class="reach"' not in page
