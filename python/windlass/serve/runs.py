"""The runs behind a page: how much they may be, and what is drawn of each."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.amounts import size_text, time_text
from windlass.cautions import cautions_of
from windlass.errors import InputError
from windlass.names import transports, window_events
from windlass.palette import title
from windlass.resources import allowed, given, need
from windlass.scenario import Point, Scenario
from windlass.serve import words
from windlass.serve.asked import SAMPLES, Asked, file_name, groups_of, moved_words, seconds, toml_of
from windlass.serve.base import Base
from windlass.serve.series import Traces, short
from windlass.serve.topology import drawing

if TYPE_CHECKING:
    from windlass import _core
    from windlass.sweep import RunResult

__all__ = ["MAX_TIME_S", "MOST_FLOWS", "answer", "most_seconds", "plan_of"]

MAX_TIME_S = 2.0
"""What all runs of one move may take by estimate, seconds, unless :func:`windlass.limits` says otherwise."""

MOST_FLOWS = 400
"""Flows of all runs of one move."""

BINS = 150
"""Pieces of time in which rates are counted."""

MOST_MARKS = 1500
"""Changes of window that are drawn for a sender; more could not be told apart."""

CUTS = ("dup-acks", "timeout", "mark")
"""Kinds of window changes that are cuts."""

Message = dict[str, Any]


def most_seconds() -> float:
    """What all runs of one move may take by estimate now."""
    return given()[1] or MAX_TIME_S


def plan_of(base: Base, asked: Asked) -> tuple[Message, list[Point]]:
    """What is known before a run, and the settings to run.

    Raises
    ------
    InputError
        If that would be too much, or no network.
    """
    text = toml_of(base, asked)
    scenario = Scenario.from_toml(text, filename=file_name(base))
    points = scenario.points()
    _check_size(points)
    first = points[0].capacity() or {"cuts": [], "flows": 0}
    course = points[0].course(seed=asked.seed) if first["cuts"] else []
    packet_bits = 8.0 * float(first.get("packet", 1))
    duration = seconds(points[0].effective()["scenario"]["duration"])
    plan = {
        "kind": "plan",
        "toml": text,
        "name": file_name(base),
        "drawing": drawing(points[0].effective()),
        "upright": drawing(points[0].effective(), upright=True),
        "moved": moved_words(base, asked),
        "duration": duration,
        "times": [round(duration * at / SAMPLES, 6) for at in range(SAMPLES + 1)],
        "bins": [round(duration * at / BINS, 6) for at in range(BINS + 1)],
        "capacity_mbps": _steps(course, lambda row: (row["carried_bps"] or 0.0) * 1e-6),
        "bdp": _steps(
            course if first["flows"] == 1 else [],
            lambda row: (row["narrowest_bps"] or 0.0) * row["round_trip_s"] / packet_bits,
        ),
        "senders": asked.senders,
        "together": asked.together,
        "seed": asked.seed,
    }
    return plan, points


def _check_size(points: Sequence[Point]) -> None:
    """Hold the runs of a move against what they need by the engine's estimate, as `windlass sweep` does."""
    flows = sum(len(point.flows()) for point in points)
    if flows > MOST_FLOWS:
        raise InputError(
            f"these are {flows} flows in all, and the page runs {MOST_FLOWS} at most",
            code="serve.limit",
            hint="untick senders, or use `windlass run` and `windlass sweep`, which have no such limit",
        )
    wanted, may_s = need(points, len(points), 1), most_seconds()
    if wanted.seconds > may_s:
        raise InputError(
            f"this would take up to {time_text(wanted.seconds)}, and {time_text(may_s)} is allowed",
            code="serve.limit",
            hint="shorten the run, lower the rate or untick senders; `--max-time` sets the limit",
        )
    if wanted.memory_bytes > (may_bytes := allowed().memory_bytes):
        raise InputError(
            f"this needs up to {size_text(wanted.memory_bytes)} of memory, and {size_text(may_bytes)} are allowed",
            code="serve.limit",
            hint="shorten the run, lower the rate or untick senders; `--max-memory` sets the limit",
        )


def _steps(
    course: Sequence[Mapping[str, float]], value: Callable[[Mapping[str, float]], float]
) -> list[tuple[float, float]] | None:
    """A value of the path over time: since when, and what it is from then on. None if it never has one."""
    steps: list[tuple[float, float]] = []
    for row in course:
        if not steps or value(row) != steps[-1][1]:
            steps.append((row["from_s"], value(row)))
    return steps if any(value > 0.0 for _, value in steps) else None


def answer(base: Base, asked: Asked, cancel: _core.Cancel | None = None) -> Generator[Message, None, None]:
    """Everything that the page shows, piece by piece: a plan, each sender as soon as its run is done, the words.

    Raises
    ------
    InputError
        If it cannot be run.
    Cancelled
        If the token was set.
    """
    plan, points = plan_of(base, asked)
    yield plan
    groups = groups_of(base, asked)
    shares = [groups] if len(points) == 1 else [{sender: groups[sender]} for sender in groups]
    shown: list[Message] = []
    cautions: list[str] = []
    for point, share in zip(points, shares, strict=True):
        result = point.run(asked.seed, cancel)
        cautions += [caution for caution in cautions_of([result]) if caution not in cautions]
        traces = Traces(result.traces)
        queue = _queue(traces, plan)
        for sender, names in share.items():
            one = _sender(result, traces, sender, names, plan) | {"queue": queue}
            shown.append(one)
            yield one
            queue = None  # one queue for all who share the path
    yield {"kind": "end", "words": words.sentences(shown, asked.together), "cautions": cautions}


def _sender(result: RunResult, traces: Traces, sender: str, groups: Sequence[str], plan: Message) -> Message:
    """What is drawn and told of the flows of a sender."""
    rows, parts = _rows(result, groups)
    names = [_subject(row) for row in (*rows, *parts)]
    drawn, window = _window(traces, names, plan)
    events = _own_events(result, names)
    return {
        "kind": "sender",
        "sender": sender,
        "title": title(sender) if sender else "as in the file",
        "flows": len({row["flow"] for row in rows}),
        "drawn": drawn,
        "window": window,
        "rate": _rate(traces, [_subject(row) for row in (parts or rows)], plan),
        "marks": [
            [round(row["time_s"], 4), short(row["cwnd_before_segments"]), row["kind"], row["true_cause"]]
            for row in events
            if _subject(row) == drawn
        ][:MOST_MARKS],
        "numbers": _numbers(rows, events),
    }


def _rows(result: RunResult, groups: Sequence[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Flows of some groups, and the subflows of those that take several paths."""
    inner = {transport.name for transport in transports() if transport.part}
    every = result.flows.to_pylist()
    rows = [row for row in every if row["group"] in groups]
    names = {row["flow"] for row in rows}
    parts = [row for row in every if row["transport"] in inner and row["flow"].rpartition(".")[0] in names]
    return rows, parts


def _subject(row: Mapping[str, Any]) -> str:
    """Name of a sender of a flow, as series have it."""
    return row["flow"] if row["direction"] == "forward" else f"{row['flow']}:{row['direction']}"


def _own_events(result: RunResult, names: Sequence[str]) -> list[dict[str, Any]]:
    wanted = {event.name for event in window_events() if event.label is not None}
    own = set(names)
    return [row for row in result.events.to_pylist() if row["kind"] in wanted and _subject(row) in own]


def _numbers(rows: Sequence[Mapping[str, Any]], events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    causes: dict[str, int] = {}
    for row in events:
        if row["kind"] in CUTS:
            causes[row["true_cause"]] = causes.get(row["true_cause"], 0) + 1
    trips = [row["srtt_mean_s"] for row in rows if row["srtt_mean_s"] is not None]
    judged = sum((row["judged_random"] or 0) for row in rows)
    wrong = sum((row["congestion_judged_random"] or 0) for row in rows)
    return {
        "goodput_bps": sum(row["goodput_run_bps"] or 0.0 for row in rows),
        "cuts": sum(causes.values()),
        "causes": causes,
        "timeouts": sum(row["timeouts"] or 0 for row in rows),
        "retransmitted": sum(row["retransmitted_segments"] or 0 for row in rows),
        "srtt_s": sum(trips) / len(trips) if trips else None,
        "judged_random": judged,
        "judged_wrongly": wrong,
    }


def _window(traces: Traces, names: Sequence[str], plan: Message) -> tuple[str | None, list[float | None] | None]:
    """The first flow that has a window, and that."""
    for name in names:
        series = traces.held(name, "cwnd_segments", plan["times"])
        if series is not None:
            return name, series
    return None, None


def _rate(traces: Traces, names: Sequence[str], plan: Message) -> list[float]:
    """What arrived of all flows of a sender in each piece of time, Mbit/s; the last one twice, to draw steps."""
    rates = traces.rates(names, plan["bins"])
    return [*rates, rates[-1]]


def _queue(traces: Traces, plan: Message) -> Message | None:
    """The queue that was longest on average, with its place."""
    means = {place: traces.mean(place, "queue_packets", plan["duration"]) for place in traces.subjects("queue_packets")}
    if not means:
        return None
    place = max(means, key=lambda one: means[one])
    values = traces.held(place, "queue_packets", plan["times"])
    return {"place": place.replace(":reverse", ", reverse"), "mean": short(means[place]), "values": values}
