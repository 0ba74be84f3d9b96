"""Runs in the formats of other tools: what is in the files is what the run counted."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from captures import Packet, checksum, read
from conftest import Command, small_document

import windlass
from windlass import export, names
from windlass.cli.export import _FORMATS
from windlass.export.packets import LIMIT

TSHARK = shutil.which("tshark")
needs_tshark = pytest.mark.skipif(TSHARK is None, reason="tshark is not installed (apt-get install tshark)")


def document(**flow: Any) -> dict[str, Any]:
    """Two flows of today's sender over a bottleneck with loss and a short queue."""
    found = small_document()
    found["flows"][0] |= flow
    return found


@pytest.fixture(scope="module")
def source() -> export.Source:
    return export.Source.of(windlass.from_dict(document(algorithm="cubic")), 2)


# ---- pcapng


def test_a_capture_has_what_the_ends_counted(source: export.Source, work: Path) -> None:
    done = export.write_pcapng(source, work / "a.pcapng", at=("sender", "receiver"))
    plain = source.scenario.run(2)
    assert all(done.tables[name].equals(plain.tables[name]) for name in plain.tables)
    capture = read(work / "a.pcapng")
    assert (capture.comment, capture.points) == ("scenario small, seed 2", ["sender", "receiver"])
    assert Counter(capture.points[packet.point] for packet in capture.packets) == done.points
    assert [packet.ns for packet in capture.packets] == sorted(packet.ns for packet in capture.packets)
    assert all(len(packet.data) == packet.length - packet.payload for packet in capture.packets)
    for number, row in enumerate(plain.flows.to_pylist()):
        own = [packet for packet in capture.packets if struct.unpack(">H", packet.tcp[:2])[0] == 10_000 + number]
        back = [packet for packet in capture.packets if struct.unpack(">H", packet.tcp[2:4])[0] == 10_000 + number]
        data = [packet for packet in own if packet.payload]
        sent, arrived = ([packet for packet in data if packet.point == point] for point in (0, 1))
        assert len(sent) == row["sent_segments"]
        assert len(arrived) == row["received_segments"]
        assert len(sent) - len({packet.numbers[0] for packet in sent}) == row["retransmitted_segments"]
        assert len(arrived) - len({packet.numbers[0] for packet in arrived}) == row["duplicate_segments"]
        # the answer to the SYN counts as an ACK
        assert sum(packet.point == 1 for packet in back) == row["acks_sent"]
        assert sum(packet.point == 0 for packet in back) == row["acks_received"]
        # each byte that was acknowledged counts; the SYN is one
        first = own[0].numbers[0]
        assert own[0].tcp[13] == 0x02
        most = max((packet.numbers[1] - first - 1) % 2**32 for packet in back if packet.point == 0)
        assert most == row["acknowledged_segments"] * 1448
        lost = [packet for packet in sent if 1 in packet.options]
        assert len(lost) == sum(row[cause.column] for cause in names.loss_causes())


def test_each_loss_is_told_with_its_cause_and_time(source: export.Source, work: Path) -> None:
    done = export.write_pcapng(source, work / "a.pcapng")
    losses = source.scenario.with_({"output.events": True}).run(2).losses.to_pylist()
    told = [packet.options[1][0].decode() for packet in read(work / "a.pcapng").packets if 1 in packet.options]
    # also a SYN
    at_sender = [row for row in losses if row["direction"] == "forward"]
    labels = {cause.name: cause.label for cause in names.loss_causes()}
    assert done.lost == len(losses)
    assert {row["cause"] for row in at_sender} == {"random", "queue"}
    assert Counter(told) == Counter(
        f"dropped at {row['time_s']:.9f} s on link {row['link']}: {row['cause']} ({labels[row['cause']]})"
        for row in at_sender
    )


def test_a_packet_has_one_number_at_every_point(source: export.Source, work: Path) -> None:
    at = ("sender", "before:bottleneck", "after:bottleneck", "receiver")
    export.write_pcapng(source, work / "a.pcapng", at=at, flows=["flow/1"])
    capture = read(work / "a.pcapng")
    assert capture.points == list(at)
    ways: dict[bytes, list[Packet]] = {}
    for packet in capture.packets:
        ways.setdefault(packet.options[5][0], []).append(packet)
    there, back, part = [0, 1, 2, 3], [3, 2, 1, 0], Counter()
    for way in ways.values():
        assert len({packet.data for packet in way}) == 1
        order = there if way[0].point == 0 else back
        assert [packet.point for packet in way] == order[: len(way)]
        part[len(way), 1 in way[0].options] += 1
    # lost in the queue or on the wire: seen before the link, not behind it
    assert part[2, True] > 0
    assert part[4, True] == 0
    assert {packet.ends for packet in capture.packets} == {(b"\n\0\0\2", b"\n\0\0\4"), (b"\n\0\0\4", b"\n\0\0\2")}


def test_checksums_are_those_of_the_whole_packet(source: export.Source, work: Path) -> None:
    export.write_pcapng(source, work / "whole.pcapng", payload=True, limit=400)
    export.write_pcapng(source, work / "heads.pcapng", limit=400)
    whole, heads = read(work / "whole.pcapng"), read(work / "heads.pcapng")
    for packet, head in zip(whole.packets, heads.packets, strict=True):
        assert (len(packet.data), packet.data[: len(head.data)]) == (packet.length, head.data)
        assert checksum(packet.data[:20]) == 0xFFFF
        pseudo = packet.data[12:20] + struct.pack(">HH", 6, len(packet.tcp))
        assert checksum(pseudo + packet.tcp) == 0xFFFF


def test_what_is_beyond_the_limit_is_left_out_and_said(command: Command, small_file: Path, work: Path) -> None:
    for name in ("whole", "again", "part"):
        limit = ("--limit", "100") if name == "part" else ()
        done = command("export", str(small_file), "-o", f"{name}.pcapng", *limit)
        assert done.exit_code == 0, done.output
        assert ("the limit of 100 records" in done.stderr) == (name == "part")
    whole, part = read(work / "whole.pcapng"), read(work / "part.pcapng")
    # a packet that is lost later is told so in both
    assert part.packets == whole.packets[:100]
    assert (work / "whole.pcapng").read_bytes() == (work / "again.pcapng").read_bytes()
    assert len(whole.packets) < LIMIT


def marked(**flow: Any) -> export.Source:
    """Flows whose packets a router marks."""
    found = document(**flow)
    queue = {"discipline": "threshold", "limit": "40 packets", "mark_above": "5 packets"}
    found["topology"]["bottleneck"] |= {"queue": queue, "loss": "0 %"}
    return export.Source.of(windlass.from_dict(found), 1)


@pytest.mark.parametrize(
    ("flow", "capable"),
    [({"algorithm": "newreno", "tcp": {"ecn": True}}, 2), ({"algorithm": "dctcp"}, 2), ({"algorithm": "prague"}, 1)],
)
def test_marks_are_in_the_headers(flow: dict[str, Any], capable: int, work: Path) -> None:
    done = export.write_pcapng(marked(**flow), work / "a.pcapng", at=("sender", "receiver"))
    capture = read(work / "a.pcapng")
    data = [packet for packet in capture.packets if packet.payload]
    fields = [Counter(packet.data[1] & 3 for packet in data if packet.point == point) for point in (0, 1)]
    marks = sum(done.tables["flows"]["marked_segments"].to_pylist())
    assert marks > 0
    assert fields[1][3] == marks
    # RFC 3168 section 6.1.5: a retransmission has no ECT; with accurate ECN it may
    assert set(fields[0]) <= {0, capable}
    assert fields[0][capable] > 0
    syns = [packet for packet in capture.packets if packet.tcp[13] & 0x02 and packet.point == 0]
    accurate = flow["algorithm"] == "prague"
    offered = {packet.tcp[12] & 1 for packet in syns if not packet.tcp[13] & 0x10}
    assert offered == ({1} if accurate else {0})
    assert all(packet.tcp[13] & 0xC0 == 0xC0 for packet in syns if not packet.tcp[13] & 0x10)
    acks = [packet for packet in capture.packets if packet.point == 0 and packet.ends[0] > packet.ends[1]]
    acks = [packet for packet in acks if not packet.tcp[13] & 0x02]
    if not accurate:
        assert sum(bool(packet.tcp[13] & 0x40) for packet in acks) > 1
        return
    # RFC 9768: ACE in the header is the count's last three bits, and the option counts bytes
    for packet in acks:
        option = packet.option(174)
        assert option is not None
        ace = (packet.tcp[12] & 1) << 2 | packet.tcp[13] >> 6
        assert (int.from_bytes(option[3:6], "big") // 1448 + 5) % 8 == ace


def test_a_capture_of_datagrams(work: Path) -> None:
    traffic = {"kind": "cbr", "rate": "400 kbps", "packet": "500 B"}
    found = small_document()
    found["flows"] = [{"from": "left/*", "to": "right/*", "transport": "udp", "traffic": traffic}]
    done = export.write_pcapng(export.Source.of(windlass.from_dict(found)), work / "a.pcapng", payload=True)
    packets = read(work / "a.pcapng").packets
    assert len(packets) == sum(done.tables["flows"]["sent_segments"].to_pylist()) > 0
    for packet in packets:
        assert packet.data[9] == 17
        assert struct.unpack(">H", packet.data[24:26])[0] == packet.length - 20
        pseudo = packet.data[12:20] + struct.pack(">HH", 17, packet.length - 20)
        assert checksum(pseudo + packet.data[20:]) == 0xFFFF


# ---- the same by a dissector that is not ours


def tshark(file: Path, *fields: str) -> list[list[str]]:
    assert TSHARK is not None
    words = [TSHARK, "-r", str(file), "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=;"]
    checks = [f"{name}.check_checksum:TRUE" for name in ("tcp", "ip")]
    words += [word for check in checks for word in ("-o", check)] + [word for name in fields for word in ("-e", name)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


@needs_tshark
def test_tshark_reads_what_the_run_counted(source: export.Source, work: Path) -> None:
    done = export.write_pcapng(source, work / "a.pcapng", payload=True)
    names = [
        "frame.time_epoch", "tcp.stream", "tcp.len", "tcp.seq", "tcp.checksum.status", "ip.checksum.status",
        "tcp.options.sack.count", "tcp.options.timestamp.tsval", "tcp.window_size", "frame.comment", "_ws.malformed",
        "tcp.analysis.retransmission", "tcp.analysis.out_of_order", "tcp.srcport", "tcp.analysis.lost_segment",
    ]  # fmt: skip
    rows = [dict(zip(names, row, strict=True)) for row in tshark(work / "a.pcapng", *names)]
    own = read(work / "a.pcapng").packets
    assert len(rows) == len(own) == done.points["sender"]
    for row, packet in zip(rows, own, strict=True):
        assert row["frame.time_epoch"] == f"{packet.ns / 10**9:.9f}"
        assert (row["tcp.checksum.status"], row["ip.checksum.status"], row["_ws.malformed"]) == ("1", "1", "")
        assert row["tcp.options.sack.count"] == (str(len(packet.option(5) or b"") // 8) if packet.option(5) else "")
        assert row["tcp.options.timestamp.tsval"] == str(int.from_bytes((packet.option(8) or b"")[:4], "big"))
        assert row["tcp.analysis.lost_segment"] == ""
    assert sum(row["tcp.options.sack.count"] != "" for row in rows) > 20
    assert sum(bool(row["frame.comment"]) for row in rows) == sum(1 in packet.options for packet in own) > 0
    for number, flow in enumerate(done.tables["flows"].to_pylist()):
        data = [row for row in rows if int(row["tcp.srcport"]) == 10_000 + number and row["tcp.len"] != "0"]
        # what comes again within the handshake's RTT of the highest number it takes for reordering
        again = sum(bool(row["tcp.analysis.retransmission"] or row["tcp.analysis.out_of_order"]) for row in data)
        assert len(data) == flow["sent_segments"]
        assert again == flow["retransmitted_segments"] > 0
    # the window of the profile, as far as a TCP header can say it: 65535 * 2^14; that of a SYN has no scale
    assert {row["tcp.window_size"] for row in rows} == {"65535", str(65_535 << 14)}


@needs_tshark
def test_tshark_sees_marks(work: Path) -> None:
    done = export.write_pcapng(marked(algorithm="prague"), work / "a.pcapng", at=("receiver",), payload=True)
    names = ("ip.dsfield.ecn", "tcp.len", "tcp.flags.ace", "tcp.flags.syn", "tcp.checksum.status")
    rows = tshark(work / "a.pcapng", *names)
    data = [row for row in rows if row[1] != "0"]
    assert sum(row[0] == "3" for row in data) == sum(done.tables["flows"]["marked_segments"].to_pylist()) > 0
    assert {row[0] for row in data} == {"1", "3"}
    assert {row[4] for row in rows} == {"1"}
    # it has understood the negotiation: the three bits are a counter to it
    own = [(packet.tcp[12] & 1) << 2 | packet.tcp[13] >> 6 for packet in read(work / "a.pcapng").packets]
    counters = [(row[2], ace) for row, ace in zip(rows, own, strict=True) if row[1] == "0" and row[3] in ("0", "False")]
    assert [theirs for theirs, _ in counters] == [str(ours) for _, ours in counters]
    assert len({theirs for theirs, _ in counters}) == 8


# ---- qlog


def sequence(file: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    texts = file.read_text(encoding="utf-8").split("\x1e")
    assert texts[0] == ""
    assert all(text.endswith("\n") for text in texts[1:])
    head, *events = [json.loads(text) for text in texts[1:]]
    return head, events


@pytest.mark.parametrize("dialect", ["qlog", "qvis"])
def test_qlog_has_windows_losses_and_sends(dialect: str, source: export.Source, work: Path) -> None:
    files = export.write_qlog(source, work / "logs", dialect=dialect)
    suffix = {"qlog": "sqlog", "qvis": "qlog"}[dialect]
    assert [file.name for file in files] == [f"flow-0.{suffix}", f"flow-1.{suffix}"]
    result = source.run(["cwnd", "srtt"], events=True)
    for file, flow in zip(files, result.flows.to_pylist(), strict=True):
        head, events = sequence(file)
        if dialect == "qlog":
            assert head["file_schema"] == "urn:ietf:params:qlog:file:sequential"
            assert head["serialization_format"] == "application/qlog+json-seq"
            assert head["trace"]["event_schemas"] == ["urn:ietf:params:qlog:events:quic"]
        else:
            assert list(head)[:2] == ["qlog_version", "qlog_format"]
            assert (head["qlog_version"], head["qlog_format"]) == ("0.3", "JSON-SEQ")
        times = [event["time"] for event in events]
        assert times == sorted(times)
        by_name: dict[str, list[dict[str, Any]]] = {}
        for event in events:
            by_name.setdefault(event["name"].partition(":")[2], []).append(event)
        metrics = by_name["recovery_metrics_updated" if dialect == "qlog" else "metrics_updated"]
        for variable, word, scale in (("cwnd_segments", "congestion_window", 1448), ("srtt_s", "smoothed_rtt", 1e3)):
            wanted = [
                (round(row["time_s"] * 1e3, 6), pytest.approx(row["value"] * scale, abs=0.5 if scale > 1e3 else 1e-6))
                for row in result.traces.to_pylist()
                if (row["subject"], row["variable"]) == (flow["flow"], variable)
            ]
            assert [(event["time"], event["data"][word]) for event in metrics if word in event["data"]] == wanted
        assert len(by_name["packet_sent"]) == flow["sent_segments"]
        sent = {event["data"]["header"]["packet_number"]: event for event in by_name["packet_sent"]}
        cuts = [row for row in result.events.to_pylist() if row["flow"] == flow["flow"] and row["true_cause"]]
        assert [event["data"]["true_cause"] for event in by_name["packet_lost"]] == [row["true_cause"] for row in cuts]
        for event in by_name["packet_lost"]:
            before = sent[event["data"]["header"]["packet_number"]]
            assert before["data"]["segment"] == event["data"]["segment"]
            assert before["time"] < event["time"]
            assert event["data"]["trigger"] in ("time_threshold", "pto_expired")
        states = [event["data"] for event in by_name["congestion_state_updated"]]
        assert states[0] == {"new": "slow_start"}
        assert all(one["new"] == other["old"] for one, other in pairwise(states))
        assert {one["new"] for one in states} == {"slow_start", "congestion_avoidance", "recovery"}


# ---- ns-3's text, mahimahi


def test_ns3_text_has_every_change_in_its_units(source: export.Source, work: Path) -> None:
    files = {file.name: file for file in export.write_ns3(source, work / "text", flows=["flow/1"])}
    words = ("cwnd", "ssth", "rtt", "inflight", "rate")
    assert {f"small-flow1-{word}.data" for word in words} | {"small-bottleneck-queue.data"} <= set(files)
    assert not any("flow0" in name for name in files)
    result = source.run(["cwnd", "ssthresh", "srtt", "flight", "rate", "queue"])
    for name, subject, variable, scale in (
        ("flow1-cwnd", "flow/1", "cwnd_segments", 1448),
        ("flow1-inflight", "flow/1", "flight_segments", 1448),
        ("flow1-rtt", "flow/1", "srtt_s", 1),
        ("bottleneck-queue", "bottleneck", "queue_packets", 1),
    ):
        lines = [line.split(" ") for line in files[f"small-{name}.data"].read_text().splitlines()]
        rows = [row for row in result.traces.to_pylist() if (row["subject"], row["variable"]) == (subject, variable)]
        assert [float(time) for time, _ in lines] == pytest.approx([row["time_s"] for row in rows], abs=1e-9)
        wanted = [row["value"] * scale for row in rows]
        assert [float(value) for _, value in lines] == pytest.approx(wanted, rel=1e-6, abs=0.5 if scale > 1 else 0)


def replayed(trace: Path) -> float:
    """Bits per second on the wire that a link driven by a trace delivers to a sender that always has data."""
    found = small_document()
    found["scenario"]["duration"] = "10 s"
    # the ends lose nothing and queue for long, so that the link alone decides
    link = {"trace": str(trace), "delay": "20 ms", "queue": "2000 packets"}
    found["topology"] |= {"pairs": 1, "access": {"rate": "100 Mbps", "delay": "1 ms"}, "bottleneck": link}
    traffic = {"kind": "cbr", "rate": "20 Mbps", "packet": "1500 B"}
    found["flows"] = [{"from": "left/0", "to": "right/0", "transport": "udp", "traffic": traffic}]
    rows = windlass.from_dict(found).run(1).links.to_pylist()
    row = next(row for row in rows if (row["link"], row["direction"]) == ("bottleneck", "forward"))
    return float(row["delivered_bytes"]) * 8 / 10


def test_a_trace_of_what_was_delivered_delivers_as_much(work: Path) -> None:
    found = document(algorithm="cubic", start="0 s")
    found["scenario"]["duration"] = "10 s"
    source = export.Source.of(windlass.from_dict(found), 1)
    lines = export.write_delivered(source, work / "all.mahi")
    times = [int(line) for line in (work / "all.mahi").read_text().split()]
    assert (len(times), times) == (lines, sorted(times))
    rows = source.run(["delivered"]).flows.to_pylist()
    delivered = sum(row["delivered_bytes"] for row in rows) / 10 * 8 * 1500 / 1448
    # the trace starts over at its last line, and what waits at the end of the run is not delivered
    assert lines * 1504 * 8 / 10 == pytest.approx(delivered, rel=0.02)
    assert replayed(work / "all.mahi") == pytest.approx(delivered, rel=0.02)
    one = export.write_delivered(source, work / "one.mahi", flows=["flow/0"])
    assert 0 < one < lines


def test_a_trace_of_a_link_is_its_rate(command: Command, small_file: Path, work: Path) -> None:
    for words in (("export", str(small_file), "--link", "bottleneck"), ("trace", str(small_file), "bottleneck")):
        assert command(*words, "-o", f"{words[0]}.mahi").exit_code == 0
    assert (work / "export.mahi").read_text() == (work / "trace.mahi").read_text()
    assert replayed(work / "export.mahi") == pytest.approx(2e6, rel=0.01)


# ---- the command


def test_a_folder_of_results_is_run_again(command: Command, small_file: Path, work: Path) -> None:
    assert command("run", str(small_file), "--seed", "3", "--out", "out").exit_code == 0
    assert command("export", str(small_file), "--seed", "3", "-o", "a.pcapng").exit_code == 0
    done = command("export", "out", "-o", "b.pcapng")
    assert done.exit_code == 0, done.output
    assert (work / "a.pcapng").read_bytes() == (work / "b.pcapng").read_bytes()


@pytest.mark.parametrize("form", export.FORMATS)
def test_equal_runs_give_equal_bytes(form: str, command: Command, small_file: Path, work: Path) -> None:
    def files(name: str) -> dict[str, bytes]:
        done = command("export", str(small_file), "--format", form, "-o", name)
        assert done.exit_code == 0, done.output
        place = work / name
        found = [place] if place.is_file() else sorted(place.iterdir())
        return {file.name.replace(name, ""): file.read_bytes() for file in found}

    one = files("one")
    assert one == files("two")
    assert all(one.values())
    assert not list(work.rglob(".*.part"))


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["-o", "a.txt"], "`a.txt` does not say what to write\nhint: give `--format` one of pcapng, qlog, qvis, ns3, mahimahi"),
        (["-o", "a.mahi", "--at", "sender"], "--at is for pcapng, not for mahimahi"),
        (["-o", "a.pcapng", "--link", "bottleneck"], "--link is for mahimahi, not for pcapng"),
        (["-o", "a.mahi", "--reverse"], "--reverse is of a link: name it with --link"),
        (["-o", "a.pcapng", "--at", "middle"], "no point `middle`\nhint: write `sender`, `receiver`, `before:LINK`"),
        (["-o", "a.pcapng", "--at", "before:botleneck"], "no link `botleneck`\nhint: did you mean `bottleneck`?"),
        (["-o", "a.pcapng", "--flow", "flaw/0"], "no flow `flaw/0`\nhint: did you mean `flow/0`?"),
        (["-o", "q", "--format", "qlog", "--flow", "flaw/0"], "no flow `flaw/0`\nhint: did you mean `flow/0`?"),
        (["-o", "a.mahi", "--link", "nowhere"], "no link `nowhere`"),
        (["-o", "no/such\0", "--format", "ns3"], "no file can have this name"),
        (["-o", "taken/a.pcapng"], "error[cli.output]: taken/a.pcapng: cannot be written"),
        (["-o", "a.pcapng", "--set", 'sweep.flows.algorithm=["veno", "cerl"]'], "has 2 points, and an export is of"),
    ],
)
def test_what_cannot_be_is_refused(
    words: list[str], error: str, command: Command, small_file: Path, work: Path
) -> None:
    (work / "taken").write_text("", encoding="utf-8")
    done = command("export", str(small_file), *words)
    assert (done.exit_code, error in done.stderr) == (2, True), done.stderr


def test_what_has_no_window_is_refused(command: Command, work: Path) -> None:
    found = small_document()
    traffic = {"kind": "cbr", "rate": "400 kbps", "packet": "500 B"}
    found["flows"] = [{"from": "left/*", "to": "right/*", "transport": "udp", "traffic": traffic}]
    text = "\n".join(f"{key} = {windlass._toml.value(part)}" for key, part in found.items())
    (work / "udp.toml").write_text(text, encoding="utf-8")
    for form in ("qlog", "ns3"):
        done = command("export", "udp.toml", "--format", form, "-o", "out")
        assert done.exit_code == 2
        assert "error[export.nothing]" in done.stderr
    (work / "empty").mkdir()
    done = command("export", "empty", "-o", "a.pcapng")
    assert "error[export.no-results]: empty: holds no results of a run" in done.stderr


def test_every_format_is_in_the_command_and_the_guide() -> None:
    assert list(export.FORMATS) == list(_FORMATS)
    guide = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "exporting.md").read_text(encoding="utf-8")
    assert [form for form in _FORMATS if not re.search(rf"^\| `{form}` \|", guide, re.MULTILINE)] == []


def test_data_echo_the_timestamp_of_the_last_ack(work: Path) -> None:
    """RFC 7323 section 4.3: an ACK without data renews TS.Recent, so its TSval comes back with the next data."""
    found = document(algorithm="cubic")
    found["topology"]["pairs"] = 1
    export.write_pcapng(export.Source.of(windlass.from_dict(found)), work / "a.pcapng")
    seen, echoed = 0, 0
    for packet in read(work / "a.pcapng").packets:
        option = packet.option(8)
        assert option is not None
        value, echo = struct.unpack(">II", option)
        if packet.ends == (b"\n\0\0\2", b"\n\0\0\1") or packet.ends[0] > packet.ends[1]:
            seen = max(seen, value)
        elif packet.payload:
            assert echo == seen
            echoed += 1
    assert echoed > 500


def test_a_run_that_needs_more_than_it_may_is_refused(command: Command, small_file: Path, work: Path) -> None:
    for option, code in ((("--max-time", "0.01s"), "run.too-long"), (("--max-memory", "10kB"), "run.too-large")):
        failed = command("export", str(small_file), "-o", "a.pcapng", *option)
        assert failed.exit_code == 2
        assert failed.stderr.startswith(f"error[{code}]")
    assert list(work.glob("*.pcapng*")) == []


def test_an_algorithm_in_python_that_fails_is_told_apart(command: Command, small_file: Path, tmp_path: Path) -> None:
    own = tmp_path / "broken.py"
    own.write_text(
        "import windlass\nclass Broken(windlass.CongestionControl):\n    def on_ack(self, ack, path):\n        1 / 0\n"
    )
    words = ("export", str(small_file), "--python", str(own), "--set", "flows.algorithm=broken", "-o", "a.pcapng")
    failed = command(*words)
    assert (failed.exit_code, "ZeroDivisionError" in failed.stderr, "internal" in failed.stderr) == (2, True, False)
