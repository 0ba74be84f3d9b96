"""Traces of the Linux kernel beside runs here: how they are read, compared and shown, and what agrees today."""

from __future__ import annotations

import csv
import gzip
import json
import lzma
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from windlass.cli import main
from windlass.errors import InputError
from windlass.export import Source, write_pcapng
from windlass.imports import capture
from windlass.scenario import from_dict
from windlass.stats import Interval, mean_interval
from windlass.validation.linux import (
    Case,
    CaseOutcome,
    Comparison,
    Point,
    PointOutcome,
    Reference,
    compare,
    means,
    read,
    record,
    scenarios,
    stored,
)
from windlass.validation.linux.exact import Check, First, first_difference, repeated, share_close
from windlass.validation.linux.means import joint_half_width
from windlass.validation.linux.pages import chapter
from windlass.validation.linux.reference import Others
from windlass.validation.linux.tables import case_rows, point_rows, verdict

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = read(stored())
CASES = {case.name: case for case in REFERENCE.cases}


def small(folder: Path, *cases: str) -> Path:
    """A folder with a few cases of the stored reference and one point."""
    summary = (stored() / "droplist/summary.csv").read_text(encoding="utf-8").splitlines()
    lines = [summary[0]] + [line for line in summary if line.partition(",")[0] in cases]
    (folder / "droplist/traces").mkdir(parents=True)
    (folder / "droplist/summary.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for case in cases:
        for kind in ("packets", "state"):
            shutil.copy(stored() / f"droplist/traces/{case}.{kind}.csv.xz", folder / "droplist/traces")
    return folder


def test_the_stored_reference_is_read_whole() -> None:
    # droplist/summary.csv has 64 cases; random/random.csv 4 points without loss, one run each, and 12 with five seeds
    assert (len(REFERENCE.cases), len(REFERENCE.points)) == (64, 16)
    assert sum(len(point.goodput_mbps) for point in REFERENCE.points) == 64
    case = CASES["reno-tail-1"]
    assert (case.drops, case.every, case.limited, case.seconds, case.queue_packets) == ((200,), 0, True, 6, 100)
    assert (case.received_bytes, case.timeouts, case.loss_probes) == (289_600, 0, 1)
    assert sum(case.limited for case in REFERENCE.cases) == 5
    assert (CASES["reno-slow"].rate, CASES["reno-slow"].delay) == ("2 Mbps", "10 ms")
    assert CASES["cubic-every-200th"].dropped()[:3] == [200, 400, 600]
    assert max(CASES["cubic-every-200th"].dropped()) > CASES["cubic-every-200th"].sent_segments
    assert (REFERENCE.points[0].rate, REFERENCE.points[0].delay) == ("8 Mbps", "60 ms")


@pytest.mark.parametrize("name", CASES)
def test_traces_say_what_the_summary_says(name: str) -> None:
    case = CASES[name]
    sent = case.sent()
    assert len(sent) == case.sent_segments
    assert [number for _, number in sent[:3]] == [0, 1, 2]
    # the SYN's answer: 74 bytes at 8 or 2 Mbit/s, twice 50 or 10 ms, and a microsecond of the kernel's; for bbr it
    # counts as delivered
    answered = {"8 Mbps": 0.100075, "2 Mbps": 0.020297, "15 Mbps": 0.010041}[case.rate]
    # a router more holds it for 15 ms; where it is lost, the first row is of the SYN's timer, after 1014.986 ms
    answered += 0.015 * bool(case.other.delay) + 1.014986 * bool(case.other.synacks)
    # without timestamps a SYN has 8 bytes less
    answered -= 8e-6 * (case.variant == "nots")
    time, cwnd = case.windows()[len(case.other.synacks)]
    assert time == pytest.approx(answered, abs=1.5e-6)
    # the kernel sets the first window after the row of an answer whose SYN was sent again
    assert cwnd == (11.0 if case.algorithm == "bbr" else 1.0 if case.other.synacks else 10.0)


def test_a_path_of_the_reference_is_a_scenario() -> None:
    description = scenarios.of_case(CASES["reno-tail-1"]).points()[0].effective()
    bottleneck, lossy = description["topology"]["links"]
    assert (bottleneck["rate"], bottleneck["queue_counting"], lossy["delay"]) == ("8 Mbps", "ns2", "50 ms")
    assert lossy["drops"] == {"forward": [199], "reverse": [], "count": "data"}
    flow = description["flows"][0]
    assert (flow["size"], flow["segment"]) == ("289600 B", "1448 B")
    # 1448 + 54 + 12 bytes of timestamps are the 1514 of the reference
    assert (flow["tcp"]["header"], flow["tcp"]["timestamps"]) == ("54 B", True)


def with_values(folder: Path, **values: str) -> Path:
    """The folder with other values in every row of its summary; a new name is a new column."""
    file = folder / "droplist/summary.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [row | values for row in csv.DictReader(lines)]
    with file.open("w", encoding="utf-8", newline="") as lines:
        table = csv.DictWriter(lines, rows[0])
        table.writeheader()
        table.writerows(rows)
    return folder


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", Others()),
        ("ack 40 41 42", Others(acks=(40, 41, 42))),
        ("ack 40..48 step 4", Others(acks=(40, 44, 48))),
        ("ack 7  3..4 9..13 step 2", Others(acks=(3, 4, 7, 9, 11, 13))),
        ("synack 1", Others(synacks=(1,))),
        ("syn 1 2; synack 1", Others(syns=(1, 2), synacks=(1,))),
        ("delay 15ms reorder 100% gap 60", Others(delay="15 ms", gap=60)),
        ("delay 15ms", Others(delay="15 ms")),
        ("ack 9, delay 2.5ms reorder 100% gap 5", Others(acks=(9,), delay="2.5 ms", gap=5)),
        ("delay 15ms reorder 25% 50%", Others(unknown="delay 15ms reorder 25% 50%")),
        ("delay 15ms 3ms", Others(unknown="delay 15ms 3ms")),
        ("ack 40; duplicate 1%", Others(acks=(40,), unknown="duplicate 1%")),
        ("ack", Others(unknown="ack")),
        ("ack 0", Others(unknown="ack 0")),
        ("ack 9..4", Others(unknown="ack 9..4")),
        ("ack 1..9 step 0", Others(unknown="ack 1..9 step 0")),
        ("ack 1..999999999999", Others(unknown="ack 1..999999999999")),
        ("ack 1; ack 2", Others(acks=(1,), unknown="ack 2")),
    ],
)
def test_what_is_lost_or_held_beside_data_is_read(tmp_path: Path, text: str, wanted: Others) -> None:
    (case,) = read(with_values(small(tmp_path, "reno-one"), other=text)).cases
    assert replace(case.other, text="") == wanted


def test_lists_of_lost_data_may_have_ranges(tmp_path: Path) -> None:
    (case,) = read(with_values(small(tmp_path, "reno-one"), data_drops="60 70..76 step 3")).cases
    assert case.drops == (60, 70, 73, 76)


@pytest.mark.parametrize(
    ("name", "seconds"),
    [("reno-ack-burst3", 2), ("cubic-ack-every4", 2), ("reno-synack", 2), ("reno-reorder-15ms", 1)],
)
def test_the_same_acks_reach_the_sender_as_in_the_kernel(tmp_path: Path, name: str, seconds: int) -> None:
    # before the queue overflows: kind and acknowledgement. Each 60th packet overtakes those of 15 ms, so that ACKs come
    # again, with blocks.
    trace = stored() / f"droplist/traces/{name}.packets.csv.xz"
    with lzma.open(trace, "rt", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["dir"] == "<" and float(row["time_s"]) < seconds]
    wanted = [(row["kind"] == "SYNACK", int(row["ack"])) for row in rows]
    file = tmp_path / "run.pcapng"
    write_pcapng(Source.of(scenarios.of_case(CASES[name]).with_({"scenario.duration": f"{seconds} s"})), file)
    found = capture.read(file.read_bytes(), "run.pcapng").columns
    back, first = found["direction"] == 1, int(found["seq"][0])
    answers = zip(found["flags"][back] == 18, found["ack"][back] - first, strict=True)
    assert [(bool(answer), int(ack)) for answer, ack in answers] == wanted
    assert len(wanted) > 100


def test_a_full_segment_takes_the_time_that_it_takes_in_the_reference() -> None:
    case = CASES["reno-one"]
    traces = scenarios.of_case(case).run().traces.to_pylist()
    windows = [row["time_s"] for row in traces if row["variable"] == "window_segments"]
    # 1514 bytes at 8 Mbit/s, and 100 ms: the window of ten opens when the first ACK is back. An ACK of two comes later.
    assert windows[1] - windows[0] == pytest.approx(0.101514 + 0.001514 * (scenarios.profile() == "rfc"), abs=1e-4)


def test_segments_sent_again_and_where_rows_part() -> None:
    sent = [(0.0, 0), (0.1, 1), (0.2, 2), (0.3, 1), (0.4, 3), (0.5, 1)]
    assert repeated(sent) == [(0.3, 1), (0.5, 1)]
    other = [*sent[:4], (0.45, 3)]
    assert first_difference(sent, other, 0.04) == First(4, (0.4, 3), (0.45, 3))
    assert first_difference(sent, other, 0.06) == First(5, (0.5, 1), None)
    assert first_difference(sent, sent) is None
    assert First(5, (0.5, 1), None).text() == "Linux segment 2 at 0.5000 s, here none"


def test_the_window_is_read_when_the_kernel_wrote_it() -> None:
    ours = [(0.1, 10.0), (0.3, 13.4)]
    # 0.05 s: none yet; 0.2 s: 10 against 12; 0.29995 s: within a tenth of a millisecond 13 against 15; 0.4 s: 13 and 16
    assert share_close([(0.05, 10.0), (0.2, 12.0), (0.29995, 15.0), (0.4, 16.0)], ours) == 0.5
    assert share_close([], ours) == 1.0


def test_the_interval_of_a_difference_is_students() -> None:
    # both scatter by 3 (variance 9): 4 and 9 squares add up to 13 degrees of freedom, t is 2.1604, and
    # 3 sqrt(1/5 + 1/10) = 1.6432
    a = Interval(10.0, 10.0 - 2.77645 * 3 / 5**0.5, 10.0 + 2.77645 * 3 / 5**0.5, 5)
    b = Interval(9.0, 9.0 - 2.26216 * 3 / 10**0.5, 9.0 + 2.26216 * 3 / 10**0.5, 10)
    assert joint_half_width(a, b) == pytest.approx(2.1604 * 1.6432, rel=1e-4)
    # a single run of Linux scatters as those here do
    assert joint_half_width(mean_interval([9.0]), b) == pytest.approx(2.26216 * 3 * 1.1**0.5, rel=1e-4)
    assert joint_half_width(mean_interval([9.0]), mean_interval([8.0])) == 0.0
    outcome = PointOutcome(REFERENCE.points[0], linux=a, here=b)
    # of Linux's 10, and 5 %; with any number of seeds here 1.96 times 3 / sqrt(5)
    assert outcome.allowed == pytest.approx(0.35500 + 0.05, rel=1e-4)
    assert outcome.least == pytest.approx(0.26296 + 0.05, rel=1e-4)
    assert outcome.difference == pytest.approx(-0.1)
    assert outcome.agrees
    assert not PointOutcome(REFERENCE.points[0], linux=a, here=Interval(16.0, 15.9, 16.1, 10)).agrees


@pytest.mark.parametrize(("spread", "wanted"), [(0.1, [10]), (0.37, [10, 40]), (2.0, [10, 40, 160])])
def test_more_seeds_are_run_while_the_rule_allows_too_much(
    monkeypatch: pytest.MonkeyPatch, spread: float, wanted: list[int]
) -> None:
    # Linux: 3.95 with a deviation of 0.37. If it is 0.37 here, 10 seeds make it 2.16 * 0.37 * sqrt(1/5 + 1/10) = 0.44,
    # which is 11 % and 5 %; 40 make it 2.02 * 0.37 * sqrt(1/5 + 1/40) = 0.35, 9 % and 5 %
    point = next(point for point in REFERENCE.points if point.name == "A-reno-0.1")
    tried: list[int] = []

    def compared(point: Point, seeds: int, store: object) -> PointOutcome:
        tried.append(seeds)
        here = mean_interval([4.0 - spread, 4.0 + spread] * (seeds // 2))
        return PointOutcome(point, linux=mean_interval(point.goodput_mbps), here=here)

    monkeypatch.setattr(means, "_compared", compared)
    assert (means.compare_point(point).allowed > means.WIDE) == (spread == 2.0)
    assert tried == wanted


def test_the_verdict_says_how_sharp_the_rule_of_random_loss_was() -> None:
    point = REFERENCE.points[0]
    sharp = PointOutcome(point, linux=Interval(4.0, 3.9, 4.1, 5), here=Interval(4.0, 3.9, 4.1, 10))
    blunt = PointOutcome(point, linux=Interval(4.0, 3.0, 5.0, 5), here=Interval(4.0, 3.9, 4.1, 160))
    lines = verdict(Comparison((), (sharp, blunt)))
    assert lines[0] == "2 of 2 agree, profile linux"
    assert (
        lines[1]
        == f"random loss: allowed were {100 * sharp.allowed:.1f} to {100 * blunt.allowed:.1f} % of Linux's mean"
    )
    assert sharp.allowed < means.WIDE < blunt.allowed
    assert f"{point.name} {100 * blunt.allowed:.1f} % ({100 * blunt.least:.1f} %)" in lines[2]
    assert "more than 15 %" not in "".join(verdict(Comparison((), (sharp,))))


def test_what_has_no_counterpart_is_skipped_and_does_not_agree() -> None:
    odd = Case(**{**CASES["reno-one"].__dict__, "algorithm": "nv"})
    done = compare(Reference(stored(), (odd,), ()))
    assert (done.run, done.agreeing, done.cases[0].skipped) == (0, 0, "there is no algorithm `nv`")
    assert case_rows(done.cases)[0]["agrees"] == "skipped"
    other = Case(**{**CASES["reno-one"].__dict__, "variant": "ecn"})
    assert "`ecn`" in str(compare(Reference(stored(), (other,), ())).cases[0].skipped)
    assert not PointOutcome(REFERENCE.points[0], "no reason").agrees
    assert point_rows([PointOutcome(REFERENCE.points[0], "no reason")])[0]["agrees"] == "skipped"


def test_only_what_is_judged_counts() -> None:
    def outcome(judged: bool) -> CaseOutcome:
        return CaseOutcome(CASES["bbr-one"], checks=(Check("retransmissions", 33, 36, False, judged),))

    assert outcome(judged=False).agrees
    assert not outcome(judged=True).agrees
    rows = case_rows([outcome(judged=False), outcome(judged=True)])
    assert [row["sent again"] for row in rows] == ["(33 / 36)", "33 / 36 !"]
    assert record.unexplained(Comparison((outcome(judged=True),), ())) == ["bbr-one"]


@pytest.fixture(scope="module")
def done() -> Comparison:
    return compare(REFERENCE, store=False)


def test_what_agrees_with_linux_is_what_the_record_says(done: Comparison) -> None:
    worse, better = record.changes(record.read_record(ROOT / record.FILE), record.agreement(done))
    assert not worse, "no longer agrees with Linux"
    assert not better, "agrees now: run `python -m windlass.validation.linux` and commit what it writes"


def test_every_reason_is_of_a_case_that_differs(done: Comparison) -> None:
    different = {name for name, one in named(done).items() if not one.agrees}
    assert set(record.EXPLAINED) <= different


def named(done: Comparison) -> dict[str, Any]:
    return {one.case.name: one for one in done.cases} | {one.point.name: one for one in done.points}


def test_the_chapter_shows_every_case_and_point(done: Comparison) -> None:
    lines = chapter(done)
    for case in REFERENCE.cases:
        assert any(line.startswith(f"| {case.name} |") for line in lines), case.name
    assert sum(line.startswith("| A |") for line in lines) == len(REFERENCE.points)


def test_the_page_is_of_this_reference(done: Comparison) -> None:
    page = (ROOT / "docs/validation.md").read_text(encoding="utf-8")
    assert (
        f"{sum(one.agrees for one in done.cases)} of {len(done.cases)} cases agree."
        in page.partition("\n## Linux\n")[2]
    )


def test_changes_of_the_record() -> None:
    before = {"a": {"timeouts", "window"}, "b": set[str]()}
    now = {"a": {"timeouts", "probes"}, "b": {"goodput"}}
    assert record.changes(before, now) == (["a: window"], ["a: probes", "b: goodput"])


def test_the_record_reads_back(tmp_path: Path) -> None:
    found = {"a": {"timeouts", "window"}, "b": set[str]()}
    record.write_record(found, tmp_path / "record.csv")
    assert record.read_record(tmp_path / "record.csv") == found


def invoke(*words: str) -> Any:
    return CliRunner().invoke(main, ["validate", "linux", *words])


def test_the_command_runs_a_folder_of_the_same_layout(tmp_path: Path) -> None:
    folder = small(tmp_path, "reno-three")
    told = invoke(str(folder), "--json")
    data = json.loads(told.stdout)
    (case,) = data["cases"]
    assert (case["case"], data["points"], data["total"]) == ("reno-three", [], 1)
    assert case["checks"]["retransmissions"] == {"linux": 3, "windlass": 3, "agrees": True, "judged": True}
    assert told.exit_code == (0 if case["agrees"] else 1)
    plain = invoke(str(folder))
    assert "reno-three" in plain.stdout
    assert "tests/differential/linux/README.md" in plain.stdout


def test_gzip_and_plain_traces_are_the_same(tmp_path: Path) -> None:
    folder = small(tmp_path, "reno-tail-1")
    xz = folder / "droplist/traces/reno-tail-1.packets.csv.xz"
    text = lzma.decompress(xz.read_bytes())
    xz.unlink()
    wanted = CASES["reno-tail-1"].sent()
    (folder / "droplist/traces/reno-tail-1.packets.csv.gz").write_bytes(gzip.compress(text))
    assert read(folder).cases[0].sent() == wanted
    (folder / "droplist/traces/reno-tail-1.packets.csv.gz").rename(folder / "droplist/traces/x.gz")
    (folder / "droplist/traces/reno-tail-1.packets.csv").write_bytes(text)
    assert read(folder).cases[0].sent() == wanted


def test_only_named_cases_are_run(tmp_path: Path) -> None:
    folder = small(tmp_path, "reno-one", "reno-three", "cubic-one")
    data = json.loads(invoke(str(folder), "--case", "reno-*", "--json").stdout)
    assert [case["case"] for case in data["cases"]] == ["reno-one", "reno-three"]
    told = invoke(str(folder), "--case", "reno-on")
    assert told.exit_code == 2
    assert "validate.case" in told.stderr
    assert "`reno-one`" in told.stderr


def test_a_folder_that_is_none_says_what_is_wanted(tmp_path: Path) -> None:
    told = invoke(str(tmp_path))
    assert told.exit_code == 2
    assert "validate.reference" in told.stderr
    assert "summary.csv" in told.stderr
    assert invoke(str(tmp_path / "nowhere")).exit_code == 2


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("timeouts", "few", "wanted is a whole number"),
        ("data_drops", "60 -1", "wanted is such as"),
        ("data_drops", "every", "wanted is such as"),
        ("data_drops", "every 0", "wanted is such as"),
        ("data_drops", "9..4", "wanted is such as"),
        ("seconds", "0", "a whole number of 1 or more"),
        ("queue_packets", "-5", "a whole number"),
        ("received_bytes", "1e6", "a whole number"),
        ("rate", "0mbit", "wanted is such as"),
        ("rate", "8 Mbps", "wanted is such as"),
        (None, "", "no column `timeouts`"),
    ],
)
def test_a_broken_row_is_an_error_with_its_line(tmp_path: Path, column: str | None, value: str, said: str) -> None:
    folder = small(tmp_path, "reno-one")
    file = folder / "droplist/summary.csv"
    head, row = (line.split(",") for line in file.read_text(encoding="utf-8").splitlines())
    if column is None:
        head[head.index("timeouts")] = "other"
    else:
        row[head.index(column)] = value
    file.write_text(",".join(head) + "\n" + ",".join(row) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="summary.csv") as told:
        read(folder)
    assert said in str(told.value)
    assert told.value.line == 2


def test_what_cannot_be_compared_is_skipped_with_the_reason(tmp_path: Path) -> None:
    folder = small(tmp_path, "reno-tail-1", "reno-tail-probe", "cubic-tail-1", "cubic-tail-probe")
    file = folder / "droplist/summary.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    rows[0]["other"] = "corrupt 1%"
    with file.open("w", encoding="utf-8", newline="") as lines:
        table = csv.DictWriter(lines, rows[0])
        table.writeheader()
        table.writerows(rows)
    names = [row["case"] for row in rows]
    for name, kind in ((names[1], "packets"), (names[2], "state")):
        (folder / f"droplist/traces/{name}.{kind}.csv.xz").unlink()
    told = invoke(str(folder), "--json")
    data = json.loads(told.stdout)
    assert told.exit_code == 0, told.output
    assert (data["run"], data["agreeing"], data["total"], data["broken"]) == (1, 1, 4, [])
    assert data["skipped"] == {
        "`corrupt 1%` has no counterpart here": [names[0]],
        "no trace `CASE.packets.csv.xz` (or .gz, or .csv)": [names[1]],
        "no trace `CASE.state.csv.xz` (or .gz, or .csv)": [names[2]],
    }
    assert "1 of 1 agree, profile linux; of 4 rows 1 compared, 3 skipped:" in invoke(str(folder)).stdout


def test_a_broken_trace_fails_the_verdict_but_not_the_others(tmp_path: Path) -> None:
    folder = small(tmp_path, "reno-tail-1", "cubic-tail-1")
    trace = folder / "droplist/traces/reno-tail-1.packets.csv.xz"
    trace.write_bytes(lzma.compress(b"time_s,dir,kind,seq\n0,<,ACK,0\nabc,>,DATA,1\n"))
    told = invoke(str(folder), "--json")
    data = json.loads(told.stdout)
    assert told.exit_code == 1
    assert (data["run"], data["agreeing"], data["broken"]) == (1, 1, ["reno-tail-1"])
    (reason,) = data["skipped"]
    assert reason == "reno-tail-1.packets.csv.xz, line 3: `time_s` is `abc`, wanted is a number"
    assert "unreadable" in invoke(str(folder)).stdout


def test_a_missing_or_broken_trace_is_an_error(tmp_path: Path) -> None:
    folder = small(tmp_path, "reno-one")
    trace = folder / "droplist/traces/reno-one.packets.csv.xz"
    trace.write_bytes(trace.read_bytes()[:100])
    with pytest.raises(InputError, match="cannot be unpacked"):
        read(folder).cases[0].sent()
    trace.write_bytes(lzma.compress(b"time_s,kind\n0,DATA\n"))
    with pytest.raises(InputError, match="no column `dir`"):
        read(folder).cases[0].sent()
    for content, said, line in (
        (b"", "no rows", None),
        (b"time_s,dir,kind,seq\n", "no rows", None),
        (b"time_s,dir,kind,seq\n0,<,ACK,0\n", "no data segment", None),
        (b"time_s,dir,kind,seq\n0,<,ACK,0\nabc,>,DATA,1\n", "`time_s` is `abc`", 3),
    ):
        trace.write_bytes(lzma.compress(content))
        with pytest.raises(InputError, match=said) as told:
            read(folder).cases[0].sent()
        assert told.value.line == line
    trace.unlink()
    with pytest.raises(InputError, match=r"reno-one\.packets\.csv\.gz"):
        read(folder).cases[0].sent()
    windows = folder / "droplist/traces/reno-one.state.csv.xz"
    for content, said in (
        (b"time_s,event,cwnd\n", "no rows"),
        (b"time_s,event,cwnd\n0,ack,\n", "has a `cwnd`"),
        (b"time_s,event,cwnd\n0,ack,ten\n", "`cwnd` is `ten`"),
    ):
        windows.write_bytes(lzma.compress(content))
        with pytest.raises(InputError, match=said):
            read(folder).cases[0].windows()


@pytest.mark.parametrize(
    ("column", "value"), [("loss_pct", "1 %"), ("loss_pct", "101"), ("goodput_mbps", "nan"), ("timeouts", "-1")]
)
def test_a_broken_row_of_random_loss_is_an_error_with_its_line(tmp_path: Path, column: str, value: str) -> None:
    (tmp_path / "random").mkdir()
    rows = (stored() / "random/random.csv").read_text(encoding="utf-8").splitlines()[:3]
    head, row = rows[0].split(","), rows[2].split(",")
    row[head.index(column)] = value
    file = tmp_path / "random/random.csv"
    file.write_text("\n".join([*rows[:2], ",".join(row)]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=column) as told:
        read(tmp_path)
    assert told.value.line == 3


def test_tables_may_come_from_a_spreadsheet(tmp_path: Path) -> None:
    folder = small(tmp_path, "reno-one")
    file = folder / "droplist/summary.csv"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    assert read(folder).cases[0].name == "reno-one"
    file.write_bytes(file.read_bytes() + b'"' + b"x" * 200_000)
    with pytest.raises(InputError, match="is no table"):
        read(folder)


@pytest.mark.parametrize("table", ["droplist/summary.csv", "random/random.csv"])
def test_a_table_without_rows_is_an_error(tmp_path: Path, table: str) -> None:
    file = tmp_path / table
    file.parent.mkdir()
    file.write_text("case,cc\n", encoding="utf-8")
    with pytest.raises(InputError, match="has no rows"):
        read(tmp_path)


def test_nothing_compared_is_no_agreement(tmp_path: Path) -> None:
    folder = small(tmp_path, "reno-one")
    file = folder / "droplist/summary.csv"
    head, row = (line.split(",") for line in file.read_text(encoding="utf-8").splitlines())
    row[head.index("cc")] = "lp"
    file.write_text(",".join(head) + "\n" + ",".join(row) + "\n", encoding="utf-8")
    told = invoke(str(folder))
    assert told.exit_code == 1
    assert "0 of 0 agree" in told.stdout
    assert "of 1 rows 0 compared, 1 skipped:" in told.stdout
    assert "1: there is no algorithm `lp` (reno-one)" in told.stdout


def test_a_difference_that_is_not_known_is_none() -> None:
    assert math.isnan(PointOutcome(REFERENCE.points[0], "no reason").difference)


@pytest.mark.parametrize("step", [None, "0.5 s"])
def test_every_segment_that_leaves_is_recorded(step: str | None) -> None:
    case = CASES["reno-three"]
    description = scenarios.of_case(case).points()[0].composed()
    description["output"] = {"traces": ["sent"]} | ({"trace_step": step} if step else {})
    result = from_dict(description).run()
    (flow,) = result.flows.to_pylist()
    sent = [(row["time_s"], row["value"]) for row in result.traces.to_pylist() if row["variable"] == "sent_segment"]
    assert len(sent) == len(result.traces) == flow["sent_segments"]
    assert len(repeated(sent)) == flow["retransmitted_segments"] == 3
    assert sent == sorted(sent, key=lambda row: row[0])
