"""What an instance leaves becomes traces and a row of a table."""

from __future__ import annotations

import lzma
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from captures import ACK, PSH, SYN, Packet, clock_offset_ns, counters, data_at_hop, flow, packets
from cases import Case

STATES = ("Open", "Disorder", "CWR", "Recovery", "Loss")
PACKETS = "time_s dir kind seq len ack sack psh rtx fate"
STATE = (
    "time_s event acked_bytes cwnd ssthresh ca_state packets_out sacked_out lost_out retrans_out srtt_us rttvar_us "
    "rto_us undo_retrans prr_delivered prr_out reordering pacing_Bps note"
)
OBSERVED = (
    "clock_ns event port acked_bytes outstanding cwnd ssthresh ca_state packets_out sacked_out lost_out retrans_out "
    "srtt_us mdev_us rttvar_us rto_us backoff min_rtt_us reordering reo_steps undo_retrans prr_delivered prr_out "
    "delivered lost cwnd_cnt probing pacing_Bps snd_wnd pending expires"
)
"""Columns of a line of tcp_observe.c about the sender."""

CHANGED = "cwnd ssthresh ca_state lost_out retrans_out backoff reordering undo_retrans probing"
"""A line about an ACK is kept if one of these changed, or after a tenth of a second."""

COUNTED = {
    "timeouts": "TCPTimeouts",
    "loss_probes": "TCPLossProbes",
    "loss_probe_recovery": "TCPLossProbeRecovery",
    "fast_retrans": "TCPFastRetrans",
    "slow_start_retrans": "TCPSlowStartRetrans",
    "lost_retransmit": "TCPLostRetransmit",
    "sack_recovery": "TCPSackRecovery",
    "reno_recovery": "TCPRenoRecovery",
    "full_undo": "TCPFullUndo",
    "partial_undo": "TCPPartialUndo",
    "dsack_undo": "TCPDSACKUndo",
    "loss_undo": "TCPLossUndo",
    "dsack_recv": "TCPDSACKRecv",
}
HYSTART = {
    "hystart_train_detect": "TCPHystartTrainDetect",
    "hystart_train_cwnd": "TCPHystartTrainCwnd",
    "hystart_delay_detect": "TCPHystartDelayDetect",
    "hystart_delay_cwnd": "TCPHystartDelayCwnd",
}
NEVER_SET = 1 << 30


def relative(number: int, start: int) -> int:
    """A sequence number counted from the initial one."""
    return ((number - start + 2**31) & 0xFFFFFFFF) - 2**31


def exact_row(case: Case, folder: Path, traces: Path) -> dict[str, Any]:
    """Write both traces of a case; its row of summary.csv."""
    captured = list(packets(folder / "snd.pcap"))
    start = captured[0].at_ns
    shown = [packet for packet in captured if packet.at_ns <= start + case.seconds * 10**9]
    rows = packet_rows(case, shown, data_at_hop(folder))
    write(traces / f"{case.name}.packets.csv.xz", PACKETS, rows)
    write(traces / f"{case.name}.state.csv.xz", STATE, state_rows(case, folder, start))
    data = [row for row in rows if row[1] == ">" and row[2] == "DATA"]
    there, back, sent = counters(folder, "snd"), counters(folder, "rcv"), flow(folder)
    extended = {name: there.get(f"TcpExt{counter}", 0) for name, counter in (COUNTED | HYSTART).items()}
    fates = [row[9] for row in data]
    return {
        "case": case.name,
        "cc": case.algorithm,
        "list": case.list_name,
        "variant": case.variant,
        "data_drops": drops_text(case),
        "rate": case.path.rate,
        "owd_each_way": case.path.delay,
        "queue_packets": case.path.queue,
        "seconds": case.seconds,
        "data_segments_sent": len(data),
        "retransmitted": sum(int(row[8]) for row in data),
        "lost_by_list": fates.count("L"),
        "lost_in_queue": fates.count("Q"),
        "received_bytes": sent["received"],
        "acked_bytes": sent["acked"],
        **{name: extended[name] for name in COUNTED},
        "delayed_acks": back.get("TcpExtDelayedACKs", 0),
        **{name: extended[name] for name in HYSTART},
        "syn_phase_us": ((start - clock_offset_ns(folder)) // 1000 - 32000) % 64000,
        "cwnd_end": sent["cwnd"],
        "ssthresh_end": sent["ssthresh"] if int(sent["ssthresh"]) < NEVER_SET else "",
        "srtt_us_end": sent["srtt_us"],
        "min_rtt_us": sent["min_rtt_us"],
        "sender_counters": all_counters(there),
        "receiver_counters": all_counters(back),
    }


def packet_rows(case: Case, shown: Sequence[Packet], at_hop: Sequence[Packet]) -> list[list[Any]]:
    """Every packet on the sender's device."""
    arrivals = {packet.key: number for number, packet in enumerate(at_hop, 1)}
    assert case.losses is not None
    drops = case.losses.drops
    lost = set(range(drops, len(at_hop) + 1, drops)) if isinstance(drops, int) else set(drops)
    last = max(place for place, packet in enumerate(shown) if packet.to_receiver and packet.key in arrivals)
    start = shown[0]
    answer = next((packet.seq for packet in shown if not packet.to_receiver), 0)
    rows: list[list[Any]] = []
    highest, syns = 0, 0
    for place, packet in enumerate(shown):
        ours = packet.to_receiver
        first, other = (start.seq, answer) if ours else (answer, start.seq)
        seq = relative(packet.seq, first)
        again, fate = False, ""
        if ours and packet.length:
            again, highest = seq < highest, max(highest, seq + packet.length)
            arrival = arrivals.get(packet.key)
            # without an arrival it was lost in the queue, if a later one has passed
            fate = "L" if arrival in lost else "Q" if arrival is None and place < last else ""
        elif ours and packet.flags & SYN:
            again, syns = syns > 0, syns + 1
        blocks = "" if ours else " ".join(f"{relative(a, start.seq)}-{relative(b, start.seq)}" for a, b in packet.sack)
        pushed = int(bool(packet.flags & PSH and packet.length))
        acknowledged = relative(packet.ack, other) if packet.flags & ACK else ""
        time = f"{(packet.at_ns - start.at_ns) / 1e9:.6f}"
        direction = ">" if ours else "<"
        rows.append([time, direction, packet.kind, seq, packet.length, acknowledged, blocks, pushed, int(again), fate])
    return rows


def state_rows(case: Case, folder: Path, start_ns: int) -> list[list[Any]]:
    """The sender's variables where they changed."""
    offset = clock_offset_ns(folder)
    rows: list[list[Any]] = []
    before, before_s = None, -1.0
    for line in (folder / "observe").read_text(encoding="utf-8").splitlines():
        words = line.split(",")
        time, event = (int(words[0]) + offset - start_ns) / 1e9, words[1]
        if time > case.seconds:
            break
        if event == "D":  # the receiver's delayed-ACK timer
            rows.append([f"{time:.6f}", event, *[""] * (len(STATE.split()) - 3), words[3]])
            continue
        seen = dict(zip(OBSERVED.split(), words, strict=True))
        now = [seen[name] for name in CHANGED.split()]
        if event == "A" and now == before and time - before_s < 0.1:
            continue
        before, before_s = now, time
        seen["time_s"], seen["note"] = f"{time:.6f}", ""
        seen["ssthresh"] = "" if seen["ssthresh"] == "-1" else seen["ssthresh"]
        seen["ca_state"] = STATES[int(seen["ca_state"])]
        seen["undo_retrans"] = "" if seen["undo_retrans"] == "-2" else seen["undo_retrans"]
        seen["pacing_Bps"] = seen["pacing_Bps"] if "bbr" in case.algorithm else ""
        rows.append([seen[name] for name in STATE.split()])
    return rows


def random_row(case: Case, folder: Path) -> dict[str, Any]:
    """The row of random.csv of a run."""
    there, sent = counters(folder, "snd"), flow(folder)
    queues = re.findall(r"(\d+) pkt \(dropped (\d+)", (folder / "tc").read_text(encoding="utf-8"))

    def count(*names: str) -> int:
        return sum(there.get(f"TcpExt{name}", 0) for name in names)

    return {
        "path": case.path_name,
        "cc": case.algorithm,
        "loss_pct": case.loss_percent,
        "seed": case.seed,
        "rate": case.path.rate,
        "owd_each_way": case.path.delay,
        "queue_packets": case.path.queue,
        "seconds": case.seconds,
        "goodput_mbps": round(int(sent["received"]) * 8e-6 / case.seconds, 4),
        "data_segments_sent": sent["data_segs_out"],
        "retransmitted": sent["retrans"],
        "timeouts": count("TCPTimeouts"),
        "loss_probes": count("TCPLossProbes"),
        "fast_retrans": count("TCPFastRetrans"),
        "slow_start_retrans": count("TCPSlowStartRetrans"),
        "lost_retransmit": count("TCPLostRetransmit"),
        "recoveries": count("TCPSackRecovery"),
        "undo": count("TCPFullUndo", "TCPPartialUndo", "TCPDSACKUndo", "TCPLossUndo"),
        "queue_drops": queues[0][1],
        "air_packets": queues[1][0],
        "air_drops": queues[1][1],
        "min_rtt_us": sent["min_rtt_us"],
        "srtt_us_end": sent["srtt_us"],
    }


def drops_text(case: Case) -> str:
    """The column `data_drops`."""
    assert case.losses is not None
    drops = case.losses.drops
    return f"every {drops}" if isinstance(drops, int) else " ".join(map(str, drops))


def all_counters(found: dict[str, int]) -> str:
    """Counters that are not zero, in one cell."""
    names = sorted(name for name, value in found.items() if name.startswith("TcpExt") and value)
    return ";".join(f"{name[6:]}={found[name]}" for name in names)


def write(file: Path, head: str, rows: Sequence[Sequence[Any]]) -> None:
    """A compressed table; the same rows give the same bytes."""
    text = "".join(",".join(map(str, row)) + "\n" for row in (head.split(), *rows))
    file.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
