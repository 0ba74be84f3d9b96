"""The programs that make a reference of Linux: what they read from a capture and write. No kernel is booted."""

from __future__ import annotations

import lzma
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

from windlass.validation.linux import read

MAKE = Path(__file__).resolve().parents[1] / "differential" / "linux" / "make"
START_NS = 10**9


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The modules, which find each other as scripts in one folder do."""
    monkeypatch.syspath_prepend(str(MAKE))
    names = ("cases", "captures", "convert", "machine", "run_cases")
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    return {name: __import__(name) for name in names}


def frame(to_receiver: bool, seq: int, ack: int, flags: int, length: int, ip_id: int, sack: bytes = b"") -> bytes:
    """An Ethernet frame with TCP in it, without its data."""
    ports = (40_000, 5001) if to_receiver else (5001, 40_000)
    options = b"\x01\x01\x05" + bytes([2 + len(sack)]) + sack if sack else b""
    tcp = struct.pack(">HHIIBBHHH", *ports, seq, ack, (20 + len(options)) // 4 << 4, flags, 0, 0, 0) + options
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(tcp) + length, ip_id, 0, 64, 6, 0, 1, 2)
    return bytes(12) + b"\x08\x00" + ip + tcp


def capture(file: Path, frames: list[tuple[int, bytes]]) -> None:
    content = struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, 96, 1)
    for at_us, data in frames:
        content += struct.pack("<IIII", 1, at_us * 1000, len(data), len(data)) + data
    file.write_bytes(content)


def test_a_capture_becomes_a_row_and_traces_that_are_read_back(programs: dict[str, Any], tmp_path: Path) -> None:
    work, traces = tmp_path / "left", tmp_path / "droplist" / "traces"
    work.mkdir()
    traces.mkdir(parents=True)
    data = [frame(True, 101 + 1448 * n, 501, 16, 1448, 10 + n) for n in range(4)]
    again = frame(True, 101, 501, 16, 1448, 20)
    block = struct.pack(">II", 101 + 1448, 101 + 2 * 1448)
    answers = [frame(False, 500, 101, 18, 0, 1), frame(False, 501, 101, 16, 0, 2, block)]
    first = [(0, frame(True, 100, 0, 2, 0, 9)), (100, answers[0])]
    sent = [(200, data[0]), (201, data[1]), (202, data[2]), (300, answers[1]), (400, again), (500, data[3])]
    capture(work / "snd.pcap", first + sent)
    # the third data packet does not arrive at the hop: the queue dropped it; the first that does is lost by the list
    capture(work / "hop.pcap", [(250, data[0]), (251, data[1]), (450, again), (550, data[3])])
    values = {"port": 40_000, "acked_bytes": 1, "cwnd": 10, "ssthresh": -1, "ca_state": 0, "undo_retrans": -2}
    columns = programs["convert"].OBSERVED.split()[2:]
    line = ",".join(str(values.get(name, 0)) for name in columns)
    rows = [f"{START_NS + 300_000},A,{line}", f"{START_NS + 310_000},A,{line}", f"{START_NS + 400_000},D,0,rcv=1"]
    (work / "observe").write_text("\n".join(rows) + "\n", encoding="utf-8")
    end = "# flow 0 cc reno start 0.0 received 1448 acked 1449 cwnd 10 ssthresh 2147483647 srtt_us 100 min_rtt_us 99"
    (work / "r.flows").write_text(f"# realtime_minus_monotonic_ns 0\n{end}\n", encoding="utf-8")
    for side in ("snd", "rcv"):
        (work / f"r.{side}.snmp").write_text("Tcp: Out\nTcp: 5\n", encoding="utf-8")
        (work / f"r.{side}.netstat").write_text("TcpExt: TCPTimeouts TCPLossProbes\nTcpExt: 1 0\n", encoding="utf-8")
    cases = programs["cases"]
    case = cases.Case("reno-x", "reno", cases.Path(), 15, list_name="x", losses=cases.Losses((1,)))
    row = programs["convert"].exact_row(case, work, traces)
    counted = ("data_segments_sent", "retransmitted", "lost_by_list", "lost_in_queue", "timeouts", "data_drops")
    assert [row[name] for name in counted] == [5, 1, 1, 1, 1, "1"]
    text = lzma.decompress((traces / "reno-x.packets.csv.xz").read_bytes()).decode().splitlines()
    assert text[1] == "0.000000,>,SYN,0,0,,,0,0,"
    assert text[3] == "0.000200,>,DATA,1,1448,1,,0,0,L"
    assert text[5] == "0.000202,>,DATA,2897,1448,1,,0,0,Q"
    assert text[6] == "0.000300,<,ACK,1,0,1,1449-2897,0,0,"
    assert text[7] == "0.000400,>,DATA,1,1448,1,,0,1,"
    programs["run_cases"].write_table(tmp_path / "droplist" / "summary.csv", [row])
    (found,) = read(tmp_path).cases
    assert found.sent() == [(0.0002, 0), (0.000201, 1), (0.000202, 2), (0.0004, 0), (0.0005, 3)]
    assert found.windows() == [(0.0003, 10.0)]


def test_families_have_the_cases_of_the_stored_reference(programs: dict[str, Any]) -> None:
    from windlass.validation.linux import stored

    reference, families = read(stored()), programs["cases"].families()
    made = {case.name for case in reference.cases if not case.other.text}
    assert {case.name for case in families["droplist"].cases} == made
    assert len(families["random"].cases) == sum(len(point.goodput_mbps) for point in reference.points)


def test_settings_of_an_instance(programs: dict[str, Any]) -> None:
    by_name = {case.name: case for case in programs["cases"].families()["droplist"].cases}
    text = programs["machine"].configuration(by_name["reno-tail-1"], "")
    assert "export FLOWS='reno:289600:0'\n" in text
    assert "export DROP_DATA='mod 100000000 { 199 }'\n" in text
    assert programs["machine"].rule_of(200) == "mod 200 == 199"
    settings = programs["cases"].SETTINGS["nots"]
    assert "export MAXSEG='1448'\n" in programs["machine"].configuration(by_name["reno-nots-one"], settings)
    random = programs["cases"].families()["random"].cases[-1]
    assert "export LOSS='5'\n" in programs["machine"].configuration(random, "")
