"""What a measurement bounds but does not fix is carried through to the answer: no path is known better than it was."""

from __future__ import annotations

import html
import json
import random
from pathlib import Path
from typing import Any

import made_captures as made
import made_iperf
import pytest
from conftest import Command
from test_imports_formats import flent, ping, ss

import windlass
from windlass import export
from windlass.compare import Comparison
from windlass.compare.ranges import draws_of, evidence_of
from windlass.errors import InputError
from windlass.imports import ImportedPath, import_path
from windlass.measured import measured

SENDERS = ("cubic", "newreno", "bbr")
LOSSY = {"rate": "8 Mbps", "delay": "40 ms", "queue": "60 packets", "loss": "1.5 %"}
SHORT = {"scenario.duration": "12 s", "scenario.warmup": "2 s"}


def put(name: str, content: str | bytes) -> Path:
    file = Path(name)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def iperf(**truth: Any) -> ImportedPath:
    return import_path(put("upload.json", json.dumps(made_iperf.document(made_iperf.transfer(**truth)))))


def captured(place: str = "sender", **truth: Any) -> ImportedPath:
    source = export.Source.of(windlass.from_dict(made_iperf.transfer(**truth)).with_({"scenario.seeds": 1}))
    Path("upload.pcapng").unlink(missing_ok=True)
    export.write_pcapng(source, Path("upload.pcapng"), at=[place])
    return import_path("upload.pcapng")


def compared(path: ImportedPath, sets: dict[str, str] | None = None, seeds: int = 3) -> Comparison:
    return windlass.compare([path.scenario().with_(SHORT | (sets or {}))], SENDERS, seeds=seeds, neighbour=False)


# ---- the answer


def test_an_iperf3_file_of_a_lossy_path_decides_nothing(command: Command) -> None:
    """One CUBIC transfer at a fifth of the link's rate: BBR would get several times as much, and nobody can know."""
    put("upload.json", json.dumps(made_iperf.document(made_iperf.transfer(**LOSSY))))
    shown = command("import", "upload.json", "-o", "upload.toml")
    assert "at least " in shown.stdout
    text = Path("upload.toml").read_text(encoding="utf-8")
    put("upload.toml", text.replace('duration = "60 s"', 'duration = "12 s"'))
    asked = ("compare", *SENDERS, "--path", "upload.toml", "--seeds", "3", "--no-neighbour")
    done = command(*asked, "-o", "page.html")
    assert done.exit_code == 0, done.output
    assert "These data cannot decide" in done.stdout
    assert "Keep `cubic`" not in done.stdout
    assert "wrong by chance" not in done.stdout
    assert "a capture at the sender" in done.stdout
    page = html.unescape(Path("page.html").read_text(encoding="utf-8"))
    assert "These data cannot decide" in page
    data = json.loads(command(*asked, "--json").stdout)
    assert (data["take"], data["answer"][0]["kind"]) == (None, "data-open")
    assert {"cubic", "bbr"} <= {one["ahead"] for one in data["trials"]}
    for note in import_path("upload.json").notes:
        assert f"- {note}" in done.stdout
        assert note in data["notes"]
        assert note.split("`")[0] in page


def test_import_compares_in_one_go(command: Command) -> None:
    put("upload.json", json.dumps(made_iperf.document(made_iperf.transfer(rate="2 Mbps", loss="2 %", duration="15 s"))))
    shown = command("import", "upload.json", "--compare")
    assert shown.exit_code == 0, shown.output
    assert "These data cannot decide: what `upload.json` bounds" in shown.stdout
    assert shown.stdout.count("The delay is taken to be the same both ways.") == 1


def test_what_is_known_is_written_and_the_bound_is_gone() -> None:
    path = iperf()
    path.write("upload.toml")
    found = measured(windlass.load("upload.toml"))
    assert found is not None
    assert [one.name for one in found.bounds] == ["rate", "loss", "queue", "delay"]
    same = {"topology.bottleneck.rate": f"{1e3 * float(found.bounds[0].written.split()[0]):.8g} kbps"}
    again = measured(windlass.load("upload.toml", same))
    assert again is not None and len(again.bounds) == 4, "the same value in another unit is the same"
    known = {"topology.bottleneck.rate": "20 Mbps", "topology.bottleneck.loss": "0.5 %"}
    left = measured(windlass.load("upload.toml", known | {"topology.bottleneck.delay": "50 ms"}))
    assert left is not None
    assert [one.name for one in left.bounds] == ["queue"]
    assert sum("it counts as known" in note for note in left.notes) == 3
    swept = measured(windlass.load("upload.toml", {"sweep": {"topology.bottleneck.loss.rate": ["0 %", "1 %"]}}))
    assert swept is not None and [one.name for one in swept.bounds] == ["rate", "queue", "delay"]
    decided = compared(path, known | {"topology.bottleneck.delay": "50 ms"})
    assert decided.take in ("bbr", None)
    assert decided.answer[0].kind in ("take", "undecided", "data-runs")


def test_a_capture_tells_what_the_same_transfer_as_json_does_not() -> None:
    """Losses while nothing waits are the path's, so BBR is the answer at every end of what is left open."""
    assert compared(iperf(**LOSSY)).take is None
    answer = compared(captured(**LOSSY, duration="30 s"), seeds=5)
    assert answer.take == "bbr", [one.text for one in answer.answer]
    hold = next(one.text for one in answer.answer if one.kind == "data-hold")
    assert hold.startswith("It is so at each of 10 combinations of what `upload.pcapng` bounds but does not fix")


@pytest.mark.parametrize("seed", range(6))
def test_the_best_is_never_denied(seed: int) -> None:
    """Over drawn paths: an answer from a file of a transfer is one that is as good on the path it was made on."""
    draw = random.Random(seed)
    rate, rtt = draw.choice([3, 6, 10]), draw.choice([30, 80, 140])
    packets = max(int(draw.choice([0.3, 1.0, 2.0]) * rate * 1e6 * rtt / 1e3 / 8 / 1500), 10)
    truth: dict[str, Any] = {"rate": f"{rate} Mbps", "delay": f"{rtt / 2} ms", "queue": f"{packets} packets"}
    truth["loss"] = draw.choice(["0 %", "0.1 %", "0.5 %", "2 %"])
    best = windlass.compare(
        windlass.from_dict(made_iperf.transfer(**truth)).with_(SHORT), SENDERS, seeds=4, neighbour=False
    )
    got = {one.algorithm: one.goodput_bps.mean for one in best.outcomes}
    for path in (iperf(**truth), captured(**truth)):
        answer = compared(path)
        assert answer.take is None or got[answer.take] >= 0.95 * max(got.values()), (truth, got, answer.answer)
        assert path.rate is not None
        assert path.rate.interval.contains(rate * 1e6), (truth, path.rate)


# ---- the bounds


@pytest.mark.parametrize("place", ["sender", "receiver"])
@pytest.mark.parametrize(
    "truth",
    [
        {"jitter": {"model": "normal", "deviation": "3 ms"}, "loss": "0.3 %", "delay": "20 ms"},
        {"jitter": {"model": "exponential", "mean": "5 ms"}, "loss": "0.5 %"},
        {"loss": "2 %"},
        {"algorithm": "bbr", "loss": "1 %"},
        {"queue": {"discipline": "codel"}, "loss": "0 %"},
    ],
    ids=["jitter", "long jitter", "losses", "bbr", "codel"],
)
def test_a_link_that_was_not_filled_has_a_lower_bound(truth: dict[str, Any], place: str) -> None:
    path = captured(place, **truth)
    assert path.rate is not None
    slack = 1.001  # links of the simulator have no spread
    assert path.rate.interval.lo <= 20e6 * slack
    assert path.rate.interval.hi * slack >= 20e6
    assert path.trace is None


def test_a_link_that_changes_is_not_known_by_its_best_second() -> None:
    """A second of 12 Mbit/s after two of 1.5 Mbit/s, 5 Mbit/s on average, and a sender that follows it."""
    trace = [*range(8, 2001, 8), *range(2001, 3001)]
    truth = made_iperf.transfer(algorithm="bbr", delay="30 ms", queue="300 packets", loss="0 %", trace=trace)
    del truth["topology"]["bottleneck"]["rate"]
    source = export.Source.of(windlass.from_dict(truth).with_({"scenario.seeds": 1}))
    export.write_pcapng(source, Path("upload.pcapng"), at=["sender"])
    path = import_path("upload.pcapng")
    assert path.rate is not None
    assert path.rate.interval.lo <= 8 * 1504 * len(trace) / 3.0
    assert path.rate.interval.hi >= 8 * 1504 * len(trace) / 3.0


def test_a_link_that_was_filled_has_an_interval() -> None:
    for path in (iperf(loss="0 %", rate="10 Mbps", queue="100 packets"), captured(loss="0 %", rate="10 Mbps")):
        assert path.rate is not None and path.rate.kind == "interval"
        assert path.rate.interval.contains(10e6)
        assert path.rate.interval.hi < 11e6


def test_a_rate_is_no_less_than_what_arrived() -> None:
    document = made_iperf.document(made_iperf.transfer())
    for said in (3e6, 19e6):
        document["end"]["sum_received"] = {"bits_per_second": said}
        path = import_path(put("t.json", json.dumps(document)))
        assert path.rate is not None
        assert path.rate.value >= said
        assert path.rate.interval.lo == pytest.approx(min(said, path.rate.value)) or path.rate.interval.lo == said
    udp = {"protocol": "UDP", "num_streams": 1}
    row = {"bits_per_second": 50e6, "packets": 4000, "lost_packets": 3200, "bytes": 6_250_000}
    bins = [{"streams": [], "sum": {"start": at, "end": at + 1, **row}} for at in range(5)]
    end = {"sum": {"packets": 20_000, "lost_packets": 16_000, "jitter_ms": 1.0}}
    path = import_path(put("u.json", json.dumps({"start": {"test_start": udp}, "intervals": bins, "end": end})))
    assert path.rate is not None and path.loss_most is not None
    assert path.rate.kind == "at least"
    assert path.rate.interval.lo == pytest.approx(10e6)
    # Drops of the queue that it overflowed: no loss is written, and there is no more than was missed.
    assert path.loss is None
    assert (path.loss_most.kind, path.loss_most.interval.lo) == ("at most", 0.0)
    assert path.loss_most.interval.contains(0.8)


def test_retransmissions_bound_the_losses() -> None:
    path = iperf()
    assert path.loss is None and path.loss_most is not None
    assert path.loss_most.kind == "at most"
    assert path.loss_most.interval.hi > 0.005
    assert ("loss", "not known") in [row[:2] for row in windlass.imports.text.rows(path)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.ping", ping()),
        ("a.flent", json.dumps(flent())),
        ("a.log", ss()),
        ("a.csv", "time_s,rate_mbps\n0,4\n1,4\n2,4\n"),
        ("b.csv", "time_s,rate_mbps\n0,4\n1,2\n2,6\n"),
        ("a.pcap", made.pcap(made.transfer(packets=1200, window=40, lost=made.independent(0.01, 2)).sender)),
        ("b.pcap", made.pcap(made.transfer(packets=5000, queue=60).receiver)),
    ],
)
def test_every_kind_of_file_writes_what_it_leaves_open(name: str, content: str | bytes) -> None:
    path = import_path(put(name, content))
    path.write("path.toml")
    found = measured(windlass.load("path.toml"))
    assert found is not None
    assert (found.file, found.format, found.notes) == (name, path.format, path.notes)
    assert found.bounds, "something is always open"
    paths = {"path": windlass.load("path.toml")}
    draws = draws_of(paths, evidence_of(paths))
    assert len(draws) == 2 ** min(len(found.bounds), 3) + 1
    assert all(draw.paths["path"].points()[0].effective() for draw in draws)


def test_a_queue_that_is_compared_is_not_left_open() -> None:
    paths = {"path": iperf().scenario()}
    names = [[bound.name for bound in evidence_of(paths, queues)["path"].bounds] for queues in (False, True)]
    assert names == [["rate", "loss", "queue", "delay"], ["rate", "loss", "delay"]]


def test_a_senders_trace_is_a_lower_bound_too() -> None:
    file = put("upload.json", json.dumps(made_iperf.document(made_iperf.transfer())))
    path = import_path(file, rate="trace")
    path.write("path.toml")
    found = measured(windlass.load("path.toml"))
    assert found is not None and found.bounds[0].name == "rate"
    paths = {"path": windlass.load("path.toml")}
    for draw in draws_of(paths, evidence_of(paths)):
        assert "trace" not in draw.paths["path"].composed()["topology"]["bottleneck"]


# ---- the section


@pytest.mark.parametrize(
    "value",
    [
        3,
        {"notes": "a"},
        {"bounds": [1]},
        {"bounds": {"topology.bottleneck.rate": "8 Mbps"}},
        {"bounds": {"topology.bottleneck.rate": {"known": "?", "try": ["8 Mbps"]}}},
        {"bounds": {"topology.bottleneck.colour": {"known": "?", "try": [1, 2, 3]}}},
    ],
)
def test_a_section_that_was_damaged_is_refused(value: Any) -> None:
    path = windlass.from_dict(made_iperf.transfer() | {"measured": value})
    with pytest.raises(InputError) as caught:
        windlass.compare(path, SENDERS, seeds=2)
    assert caught.value.code == "compare.measured"
    assert caught.value.hint is not None


def test_the_section_changes_no_run() -> None:
    plain = windlass.from_dict(made_iperf.transfer())
    with_it = windlass.from_dict(made_iperf.transfer() | {"measured": {"file": "a.json", "format": "iperf3"}})
    assert plain.points()[0].key(1) == with_it.points()[0].key(1)
    with pytest.raises(InputError, match="cannot be swept"):
        with_it.with_({"sweep": {"measured.file": ["a", "b"]}})
