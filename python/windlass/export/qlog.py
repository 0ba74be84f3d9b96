"""Runs as qlog, the format in which QUIC stacks log their senders: a file for each flow.

Windows, RTTs and losses of TCP have the names that they have for QUIC, for there is no schema for TCP: `quic` of
draft-ietf-quic-qlog-quic-events, in a file of draft-ietf-quic-qlog-main-schema. The dialect 0.3 is what qvis reads.
Both are sequences of JSON texts (RFC 7464).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError
from windlass.export.source import chosen, columns_of, file_of, group_of, subject_of
from windlass.files import writing

if TYPE_CHECKING:
    from windlass.export.source import Source

_TRACES = ("cwnd", "ssthresh", "srtt", "flight", "rate", "sent")

_METRICS = {
    "cwnd_segments": ("congestion_window", "segments"),
    "ssthresh_segments": ("ssthresh", "segments"),
    "flight_segments": ("bytes_in_flight", "segments"),
    "srtt_s": ("smoothed_rtt", "ms"),
    "rate_bps": ("pacing_rate", "bps"),
}
"""What a series is called in the event of metrics, and what is made of its values."""

Event = tuple[float, int, str, dict[str, Any]]
"""Time in seconds, place among those of the same time, name, data."""

LOST, STATE, SENT, METRICS = range(4)
"""Events of one instant in the order of their causes."""


@dataclass(frozen=True)
class Dialect:
    """How a version of qlog names things."""

    suffix: str
    names: Mapping[int, str]

    def head(self, title: str, flow: str) -> dict[str, Any]:
        """The first text of the file."""
        vantage = {"name": flow, "type": "client"}
        if self.suffix == ".sqlog":
            common: dict[str, Any] = {
                "time_format": "relative_to_epoch",
                "reference_time": {"clock_type": "monotonic", "epoch": "unknown"},
            }
            schemas = ["urn:ietf:params:qlog:events:quic"]
            trace = {"common_fields": common, "vantage_point": vantage, "event_schemas": schemas}
            kind = {
                "file_schema": "urn:ietf:params:qlog:file:sequential",
                "serialization_format": "application/qlog+json-seq",
            }
        else:
            common = {"protocol_type": ["TCP"], "time_format": "relative", "reference_time": 0}
            trace = {"vantage_point": vantage, "title": flow, "common_fields": common}
            kind = {"qlog_version": "0.3", "qlog_format": "JSON-SEQ"}
        return {**kind, "title": title, "description": "A simulated TCP sender", "trace": trace}


DIALECTS = {
    "qlog": Dialect(
        ".sqlog",
        {
            LOST: "quic:packet_lost",
            STATE: "quic:congestion_state_updated",
            SENT: "quic:packet_sent",
            METRICS: "quic:recovery_metrics_updated",
        },
    ),
    "qvis": Dialect(
        ".qlog",
        {
            LOST: "recovery:packet_lost",
            STATE: "recovery:congestion_state_updated",
            SENT: "transport:packet_sent",
            METRICS: "recovery:metrics_updated",
        },
    ),
}
"""The versions that are written, by the names of their formats."""


def write_qlog(source: Source, folder: Path, *, flows: Sequence[str] = (), dialect: str = "qlog") -> list[Path]:
    """Make the run, and write what the sender of each flow did.

    Parameters
    ----------
    source : Source
        The run.
    folder : Path
        Where the files come: ``FLOW.sqlog``, or ``FLOW.qlog`` for qvis.
    flows : sequence of str
        Names of flows, ``*`` for any letters; by default all that have a window or a rate.
    dialect : {"qlog", "qvis"}
        The current drafts, or version 0.3, which qvis reads.

    Raises
    ------
    InputError
        If there is no such flow, or none has a window or a rate.
    StoreError
        If a file cannot be written.
    """
    form = DIALECTS[dialect]
    result = source.run(_TRACES, events=True)
    series, sizes = columns_of(result), source.segments()
    cuts: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in result.events.to_pylist():
        cuts.setdefault((row["flow"], row["direction"]), []).append(row)
    by_time = {group["name"]: _by_time(group) for group in source.point.effective()["flows"]}
    written = []
    for row in chosen(result, flows):
        own = {variable: line for (subject, variable), line in series.items() if subject == subject_of(row)}
        if own.keys().isdisjoint(_METRICS):
            continue
        mss = sizes.get(group_of(row), 1)
        events = _events(own, cuts.get((row["flow"], row["direction"]), []), mss, by_time=by_time[group_of(row)])
        file = folder / f"{file_of(row)}{form.suffix}"
        title = f"{source.scenario.name}, seed {source.seed}, {row['algorithm']}"
        with writing(file) as opened:
            opened.write(_text(form.head(title, subject_of(row))))
            for time, kind, _, data in events:
                opened.write(_text({"time": round(time * 1e3, 6), "name": form.names[kind], "data": data}))
        written.append(file)
    if not written:
        raise InputError(
            "no flow has a window or a rate",
            code="export.nothing",
            hint="choose connections or TFRC flows; `--format pcapng` writes datagrams as well",
        )
    return written


def _text(value: Mapping[str, Any]) -> str:
    return f"\x1e{json.dumps(value, separators=(',', ':'))}\n"


def _by_time(group: Mapping[str, Any]) -> bool:
    """Whether losses are found by time, as RACK-TLP does, and not by counting."""
    return (group.get("tcp") or {}).get("recovery") == "rack-tlp"


def _events(series: Mapping[str, Any], cuts: Sequence[Mapping[str, Any]], mss: int, *, by_time: bool) -> list[Event]:
    """All that is told of a sender, in order."""
    sent = list(_sent(series, mss))
    metrics = list(_metrics(series, mss))
    found = [*_lost(cuts, sent, by_time=by_time), *_states(cuts, metrics), *sent, *metrics]
    return sorted(found, key=lambda event: event[:2])


def _sent(series: Mapping[str, Any], mss: int) -> Iterator[Event]:
    """A packet's number counts transmissions, as in QUIC; TCP's own number of the segment stands beside it."""
    times, segments = series.get("sent_segment", ((), ()))
    for number, (time, segment) in enumerate(zip(times, segments, strict=True)):
        header = {"packet_type": "1RTT", "packet_number": number}
        yield float(time), SENT, "", {"header": header, "raw": {"length": mss}, "segment": int(segment)}


def _metrics(series: Mapping[str, Any], mss: int) -> Iterator[Event]:
    """What changed at the same time stands in one event."""
    changes: dict[float, dict[str, Any]] = {}
    for variable, (word, unit) in _METRICS.items():
        times, values = series.get(variable, ((), ()))
        for time, value in zip(times, values, strict=True):
            of_unit = {"segments": round(float(value) * mss), "ms": round(float(value) * 1e3, 6), "bps": round(value)}
            changes.setdefault(float(time), {})[word] = of_unit[unit]
    return ((time, METRICS, "", data) for time, data in sorted(changes.items()))


def _lost(cuts: Sequence[Mapping[str, Any]], sent: Sequence[Event], *, by_time: bool) -> Iterator[Event]:
    """Segments that the sender took for lost, with what had truly happened to them."""
    last: dict[int, int] = {}
    left = iter(sent)
    upcoming = next(left, None)
    for cut in sorted(cuts, key=lambda cut: float(cut["time_s"])):
        while upcoming is not None and upcoming[0] < cut["time_s"]:
            last[upcoming[3]["segment"]] = upcoming[3]["header"]["packet_number"]
            upcoming = next(left, None)
        if not cut["true_cause"]:
            continue
        found = "time_threshold" if by_time else "reordering_threshold"
        header: dict[str, Any] = {"packet_type": "1RTT"}
        if cut["segment"] in last:
            header["packet_number"] = last[cut["segment"]]
        data = {"header": header, "trigger": "pto_expired" if cut["kind"] == "timeout" else found}
        more = {"segment": cut["segment"], "judged": cut["kind"], "true_cause": cut["true_cause"]}
        yield float(cut["time_s"]), LOST, "", {**data, **more}


def _states(cuts: Sequence[Mapping[str, Any]], metrics: Sequence[Event]) -> Iterator[Event]:
    """Slow start, congestion avoidance and recovery, by the windows and by what the sender did."""
    window, threshold, state = 0, float("inf"), None
    steps = [*((float(cut["time_s"]), 0, cut["kind"], {}) for cut in cuts), *metrics]
    recovering = False
    for time, _, kind, data in sorted(steps, key=lambda step: step[:2]):
        trigger = kind
        if kind:
            recovering = kind in ("dup-acks", "judged-random", "same-window") or (kind == "mark" and recovering)
        window, threshold = data.get("congestion_window", window), data.get("ssthresh", threshold)
        now = "recovery" if recovering else "slow_start" if window < threshold else "congestion_avoidance"
        if kind == "timeout":
            now = "slow_start"
        elif kind and not recovering:
            continue  # the windows after it say which
        if now != state:
            told = {"old": state, "new": now, "trigger": trigger}
            yield time, STATE, "", {key: value for key, value in told.items() if value}
            state = now
