"""What stands below results because the runs show it: channels that stood still, flows that got next to nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import windlass
from windlass import ledger
from windlass.cautions import of_description, of_runs
from windlass.compare import compare
from windlass.errors import InputError
from windlass.reproduce.cautions import left_open, where_words
from windlass.validation.tcl.checks import check
from windlass.verdicts import Data

Command = Callable[..., Result]

PER_PACKET = {"topology.bottleneck.loss.burst": "5 packets", "topology.bottleneck.loss.per": "packet"}
STOOD_STILL = "its channel steps with packets and stood still in the bad state"
IN_STEP = {"topology.bottleneck.loss.rate": "0 %", "flows.algorithm": "cubic"}


def bursty(changes: dict[str, Any]) -> windlass.Scenario:
    return windlass.load("bursty-radio", {"flows.algorithm": "newreno", **changes})


def text(command: Result) -> str:
    """The output in one line, as the screen's width breaks cautions nowhere."""
    return " ".join(command.stdout.split())


def settings(changes: dict[str, str]) -> list[str]:
    return [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]


def test_bursts_of_the_ready_scenario_last_in_time_and_kill_no_flow() -> None:
    for burst in ("5 packets", "6 ms", "25 ms"):
        scenario = bursty({"topology.bottleneck.loss.burst": burst})
        assert scenario.points()[0].effective()["topology"]["bottleneck"]["loss"]["per"] == "time"
        runs = [windlass.run(scenario, seed) for seed in range(1, 4)]
        assert all(run.flows["goodput_bps"][0].as_py() > 1e6 for run in runs), burst
        assert of_runs(runs) == []


def test_a_channel_that_stood_still_is_named_wherever_its_results_are(command: Command, work: Path) -> None:
    changes = {"flows.algorithm": "newreno", "scenario.duration": "60 s", **PER_PACKET}
    shown = text(command("run", "bursty-radio", *settings(changes), "--seed", "1", "--out", "run"))
    assert f"caution: link `bottleneck`, forward: {STOOD_STILL} while senders backed off: bad for " in shown
    manifest = json.loads((work / "run" / "manifest.json").read_text(encoding="utf-8"))
    assert any(STOOD_STILL in caution for caution in manifest["cautions"])
    data = json.loads(command("run", "bursty-radio", *settings(changes), "--seed", "1", "--json").stdout)
    assert manifest["cautions"] == data["cautions"]

    swept = text(command("sweep", "bursty-radio", *settings(changes), "--seeds", "5"))
    assert STOOD_STILL in swept and "of 5 runs bad for" in swept
    path = bursty({"scenario.duration": "60 s", **PER_PACKET})
    compared = compare(path, ["newreno", "sack"], seeds=3, neighbour=False)
    assert any(STOOD_STILL in caution for caution in compared.cautions)


def test_pauses_of_a_stream_that_does_not_hear_of_losses_leave_a_channel_in_step() -> None:
    document = bursty(PER_PACKET).document()
    document.pop("sweep")
    document["scenario"]["duration"] = "60 s"
    traffic = {"kind": "on-off", "rate": "5 Mbps", "packet": "1000 B", "on": "200 ms", "off": "800 ms"}
    document["flows"] = [{"from": "left/0", "to": "right/0", "transport": "udp", "traffic": traffic}]
    runs = [windlass.run(windlass.from_dict(document).with_(PER_PACKET), seed) for seed in range(1, 6)]
    shares = [row["bad_time_share"] for run in runs for row in run.links.to_pylist() if row["link"] == "bottleneck"]
    assert 0.0 < max(shares) < 0.06
    assert of_runs(runs) == []


def test_hosts_with_jitter_lock_nobody_out() -> None:
    runs = [windlass.run(windlass.load("lossy-dumbbell", IN_STEP), seed) for seed in range(1, 4)]
    for run in runs:
        rates = run.flows["goodput_bps"].to_pylist()
        assert min(rates) > 0.5 * sum(rates) / len(rates)
    assert of_runs(runs) == []


def test_a_flow_that_is_locked_out_is_named(command: Command) -> None:
    changes = {**IN_STEP, "topology.send_jitter": "0 s"}
    flows = windlass.run(windlass.load("lossy-dumbbell", changes), 6).flows
    rates = dict(zip(flows["flow"].to_pylist(), flows["goodput_bps"].to_pylist(), strict=True))
    least = min(rates, key=lambda flow: rates[flow])
    share = rates[least] / (sum(rates.values()) / len(rates))
    assert share < 0.02  # for 200 s
    shown = text(command("run", "lossy-dumbbell", *settings(changes), "--seed", "6"))
    assert f"flows `flow`: a flow got less than 10% of their mean: `{least}`, {share:.1%} (seed 6)." in shown
    assert "which `topology.send_jitter` prevents" in shown


def test_flows_that_end_stop_or_begin_late_are_not_held_against_others(small: windlass.Scenario) -> None:
    document = small.document()
    group = document["flows"][0]
    document["flows"] = [
        {**group, "name": "short", "size": "exponential(30 kB)", "count": 5},
        {**group, "name": "stopped", "stop": "2 s", "count": 5},
        {**group, "name": "late", "start": "every(1.9 s)", "count": 2},
    ]
    document["scenario"] |= {"duration": "10 s", "warmup": "7 s"}
    runs = [windlass.run(windlass.from_dict(document), seed) for seed in range(1, 6)]
    assert of_runs(runs) == []


def test_a_flow_that_delivers_nothing_is_named(small: windlass.Scenario) -> None:
    broken = small.with_({"topology.bottleneck.outages": [{"at": "1.5 s", "for": "10 s", "packets": "lost"}]})
    broken = broken.with_({"scenario.duration": "11 s", "scenario.warmup": "2 s"})
    (caution,) = of_runs([windlass.run(broken, 1)])
    assert caution == "flows `flow`: a flow got nothing at all: `flow/0` (seed 1)"


def test_groups_that_differ_by_a_number_are_told_of_together(small: windlass.Scenario) -> None:
    document = small.document()
    (group,) = document["flows"]
    document["flows"] = [{**group, "name": f"beside-{number}", "from": f"left/{number}"} for number in range(2)]
    document["flows"] = [{**one, "to": one["from"].replace("left", "right")} for one in document["flows"]]
    document["topology"] |= {"pairs": 2}
    document["topology"]["bottleneck"]["outages"] = [{"at": "1.5 s", "for": "10 s", "packets": "lost"}]
    document["scenario"] |= {"duration": "11 s", "warmup": "2 s"}
    runs = [windlass.run(windlass.from_dict(document), seed) for seed in (1, 2)]
    assert of_runs(runs) == ["flows `beside-*`: in 2 of 2 runs a flow got nothing at all: `beside-0` (seed 1)"]


def test_a_group_that_never_began_has_nothing_to_be_told(small: windlass.Scenario) -> None:
    document = small.document()
    document["flows"] = [document["flows"][0], {**document["flows"][0], "name": "late", "start": "uniform(0 s, 10 h)"}]
    run = windlass.run(windlass.from_dict(document), 1)
    late = [row["goodput_bps"] for row in run.flows.to_pylist() if row["group"] == "late"]
    assert late and set(late) == {None}
    assert of_runs([run]) == []


def test_ns2_has_no_jitter_of_that_kind() -> None:
    point = windlass.load("lossy-dumbbell", {"flows.algorithm": "newreno", "topology.send_jitter": "0 s"}).points()[0]
    check(point.effective())
    with pytest.raises(InputError, match=r"`topology.send_jitter` = auto"):
        check(windlass.load("lossy-dumbbell", {"flows.algorithm": "newreno"}).points()[0].effective())


BARE: dict[str, Any] = {"scenario.profile": "ns2", "flows.algorithm": "sack"}
NOT_NS2S = "caution: profile `ns2`: neither `tcp.window` nor `segment` is given, so they are 1000 segments and 1460 B."


def test_windows_and_segments_that_ns2_has_otherwise_are_named(command: Command, small_file: Path) -> None:
    """A script that sets neither has 20 segments of 1000 B: so say all that shows a result, and `explain`."""
    own = settings(BARE)
    for words in (
        ["run", small_file, *own],
        ["explain", small_file, *own],
        ["sweep", small_file, *own],
        [
            "sweep",
            small_file,
            *settings({"flows.algorithm": "sack"}),
            "--set",
            'sweep."scenario.profile"=["rfc", "ns2"]',
        ],
        ["compare", "newreno", "sack", "--path", small_file, "--set", "scenario.profile=ns2"],
    ):
        shown = command(*words)
        assert shown.exit_code == 0, shown.output
        assert text(shown).count(NOT_NS2S) == 1, words
        assert 'write `tcp.window = "20 segments"` and `segment = "1000 B"`' in text(shown)
    for words in (["run", small_file, *own, "--json"], ["explain", small_file, *own, "--json"]):
        assert "neither `tcp.window` nor `segment`" in command(*words).stdout


@pytest.mark.parametrize(
    "said",
    [
        {"tcp.window": "20 segments"},
        {"flows.tcp.window": "1000 segments"},
        {"flows.segment": "1460 B"},
        {"scenario.profile": "rfc"},
        {"scenario.profile": "linux"},
    ],
)
def test_who_says_what_window_or_segment_is_not_told(small: windlass.Scenario, said: dict[str, Any]) -> None:
    assert of_description(small.with_(BARE).points()[0])
    assert of_description(small.with_(BARE | said).points()[0]) == []


def test_of_several_groups_those_that_say_neither_count(small: windlass.Scenario) -> None:
    group = {"from": "left/0", "to": "right/0", "algorithm": "sack"}
    stream = {"from": "left/0", "to": "right/0", "transport": "udp"} | {
        "traffic": {"kind": "cbr", "rate": "1 Mbps", "packet": "1000 B"}
    }
    said = group | {"segment": "1000 B"}
    for flows, count in (([group, said, stream], 1), ([said, stream], 0), ([group, group], 1)):
        named = [one | {"name": f"g{place}"} for place, one in enumerate(flows)]
        point = small.with_({"scenario.profile": "ns2", "flows": named}).points()[0]
        assert len(of_description(point)) == count, flows


def test_ready_scenarios_say_their_window_or_segment() -> None:
    for name in windlass.ready_scenarios():
        assert [of_description(point) for point in windlass.load(name).points()[:1]] == [[]], name


def test_many_points_are_told_by_their_axes() -> None:
    points = tuple((a, b) for a in range(1, 11) for b in (2, 5, 25))
    data = Data("p/fig1", ("dupack", "q_percent"), points, {}, {})
    assert where_words(data, points[:2]) == "dupack = 1, q = 2 %; dupack = 1, q = 5 %"
    assert where_words(data, [point for point in points if point[1] > 2]) == "q = 5 %, q = 25 %"
    corner = [point for point in points if point[1] > 2 and point[0] < 5]
    assert where_words(data, corner) == "dupack = 1, dupack = 2, dupack = 3, dupack = 4 with q = 5 %, q = 25 %"
    assert where_words(data, points) == "every point"
    assert where_words(data, points[:8]) == "8 of 30 points, the first of them dupack = 1, q = 2 %"
    assert where_words(Data("p/fig1", (), ((),), {}, {}), [()]) == "the only point"


def test_what_the_paper_leaves_open_is_counted_where_it_is() -> None:
    """A summary has no parameters of its own: those of its experiments count."""
    book, entry = ledger.experiment("rana/fig2")
    (text,) = left_open(entry, book, ["rana/fig3"])
    assert text.startswith(f"The paper leaves {len(entry.open)} parameters of this experiment open")
    assert left_open(replace(entry, open=()), book, []) == []
    assert "1 parameter of" in left_open(replace(entry, open=("seeds",)), book, [])[0]

    book, summary = ledger.experiment("janevski2012/summary")
    every = {key for name in summary.covers for key in book.experiments[name].open}
    (text,) = left_open(summary, book, summary.covers)
    assert summary.open == () and len(every) > 10
    assert text.startswith(f"The paper leaves {len(every)} parameters of the experiments that this sums up open")


def test_published_pages_count_parameters_as_we_do_now() -> None:
    """A summary that said `0 parameters`, and figures that said `1 parameters`, were published before."""
    pages = sorted((Path(__file__).parents[2] / "docs" / "papers").glob("*/*/README.md"))
    said = [line for page in pages for line in re.findall(r"The paper leaves (\d+ \w+)\b", page.read_text("utf-8"))]
    assert len(said) > 50
    assert not [words for words in said if words.startswith("0 ") or words == "1 parameters"]
