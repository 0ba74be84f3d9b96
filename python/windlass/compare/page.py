"""The page of a comparison for someone who was not there: the answer first, then what it rests on; one file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from windlass.compare.configure import advice
from windlass.compare.factors import TWICE
from windlass.compare.judging import MATTERS
from windlass.compare.model import LIMITS, Comparison, Outcome
from windlass.compare.running import short_keys
from windlass.compare.sentences import gain_text
from windlass.files import write_file
from windlass.interval import Interval, shown

__all__ = ["html", "write"]


def write(result: Comparison, file: str | Path, *, command: str = "") -> Path:
    """Write the page; see :meth:`Comparison.write`."""
    return write_file(Path(file), html(result, command))


def html(result: Comparison, command: str = "") -> str:
    """The page as text; nothing in it is fetched from anywhere."""
    from windlass import ENGINE_VERSION, __version__
    from windlass.report.pages import render

    headline, *parts = result.answer
    said = {place: [one.text for one in parts if _place(one.kind) == place] for place in ("", *_PLACES)}
    configure, commands = advice(result)
    candidates = list(dict.fromkeys(one.candidate for one in result.outcomes))
    context = {
        "title": f"Which sender for {result.name}?",
        "question": f"Compared: {', '.join(candidates)}; flows `{result.group}`.",
        "headline": [headline.text],
        "answer": said[""],
        "sure": said["sure"],
        "unsure": said["unsure"],
        "costs": said["costs"],
        "configure": configure,
        "commands": commands,
        "notes": result.notes,
        "trials": _trials(result),
        "cautions": result.cautions,
        "figure": _figure(result),
        "caption": "Goodput per flow against queueing delay, with 95 % intervals: up and to the left is better.",
        "baseline": result.baseline,
        "open": _open(result) if result.take is None and result.trials else None,
        "gains": _gains(result),
        "confidence": f"{100.0 * result.gains[0].gain.confidence:.4g} %" if result.gains else "",
        "tables": _tables(result),
        "seeds": min(one.goodput_bps.n for one in result.outcomes),
        "meanings": _MEANINGS,
        "senders": _senders(result),
        "paths": _paths(result),
        "command": command,
        "version": __version__,
        "engine_version": ENGINE_VERSION,
    }
    return render("comparison.html.j2", context)


_PLACES = {
    "sure": ("sure", "everywhere", "data-hold"),
    "unsure": ("except", "one-setting", "data-known"),
    "costs": ("cost", "delay-group"),
}
"""Parts of the first page, and how the kinds of sentences begin that stand there; others follow the first one."""


def _place(kind: str) -> str:
    return next((place for place, kinds in _PLACES.items() if kind.startswith(kinds)), "")


def _trials(result: Comparison) -> list[dict[str, str]]:
    return [
        {
            "words": one.words,
            "take": one.take or "not decided",
            "lead": one.lead,
            "gain": "" if one.gain is None else gain_text(one.gain),
        }
        for one in result.trials
    ]


_MEANINGS = (
    ("goodput", "Payload that arrived in order, per flow."),
    ("gain", "Goodput over that of the baseline, seed by seed: both met the same random losses."),
    ("waits", "In queues: 95 % of a flow's segments waited no longer than this."),
    ("misses", "Congestion losses that the sender took for random; false alarms: the reverse. -: it does not judge."),
    ("neighbour", "One NewReno flow among the others, and what it loses compared with being beside NewReno."),
    ("limited by", "What kept a sender from sending more: its window, the receiver's, its application, its pace."),
)


def _figure(result: Comparison) -> Any:
    from windlass import plots
    from windlass.plots.style import drawn
    from windlass.report.figures import Figure

    return Figure("comparison", "", drawn(plots.goodput_against_delay(result), "svg")).uri


def _places(result: Comparison) -> list[tuple[str, tuple[tuple[str, Any], ...]]]:
    """Every setting: its path and values."""
    return list(dict.fromkeys((one.path, tuple(one.axes.items())) for one in result.outcomes))


def _words(result: Comparison, path: str, axes: Sequence[tuple[str, Any]]) -> str:
    several = len({one.path for one in result.outcomes}) > 1
    from windlass.plots.words import setting

    short = short_keys([axis for one in result.outcomes for axis in one.axes])
    return ", ".join([*([path] if several else []), *(f"{short[axis]} = {setting(value)}" for axis, value in axes)])


def _tables(result: Comparison) -> list[dict[str, Any]]:
    """A table for each setting."""
    tables = []
    for path, axes in _places(result):
        rows = [one for one in result.outcomes if (one.path, tuple(one.axes.items())) == (path, axes)]
        columns = [column for column in _columns(result) if any(column[1](one) not in (None, "-") for one in rows)]
        tables.append(
            {
                "place": _words(result, path, axes),
                "heads": ["sender", *(head for head, _, _, _ in columns)],
                "rows": [_row(result, one, columns) for one in rows],
            }
        )
    return tables


def _row(result: Comparison, one: Outcome, columns: Sequence[Any]) -> dict[str, Any]:
    taken = one.candidate == result.take
    cells = [{"mean": one.candidate, "half": "", "best": taken}]
    for _, value, scale, digits in columns:
        cells.append({**_cell(value(one), scale, digits), "best": taken})
    return {"cells": cells, "taken": taken}


def _cell(value: Interval | str | None, scale: float, digits: int) -> dict[str, str]:
    if isinstance(value, str):
        return {"mean": value, "half": ""}
    if value is None or math.isnan(value.mean):
        return {"mean": "", "half": ""}
    mean, half = shown(value.mean, value.lo, value.hi, scale=scale, digits=digits)
    return {"mean": mean, "half": half}


def _known(value: Interval | None) -> Interval | None:
    return None if value is None or math.isnan(value.mean) else value


def _columns(result: Comparison) -> list[tuple[str, Any, float, int]]:
    """Head, value, scale, digits of each column."""
    groups = [name for name in dict.fromkeys(n for one in result.outcomes for n in one.delays)]
    own = {one.group for one in result.outcomes}

    def judged(name: str) -> Any:
        return lambda one: (_known(getattr(one, name)) or "no loss") if one.judges_losses else "-"

    def gain(one: Outcome) -> Any:
        return "baseline" if one.candidate == result.baseline else _known(one.against_baseline.scaled(1.0, -1.0))

    return [
        ("goodput Mbit/s", lambda one: _known(one.goodput_bps), 1e-6, 3),
        ("gain %", gain, 1e2, 1),
        ("mean time s", lambda one: _known(one.completion_s), 1.0, 3),
        ("unfinished %", lambda one: _known(one.unfinished), 1e2, 1),
        ("waits ms", lambda one: _known(one.queue_delay_p95_s), 1e3, 1),
        *(
            (f"{name} waits ms", lambda one, name=name: _known(one.delays.get(name)), 1e3, 1)
            for name in groups
            if name not in own
        ),
        ("misses %", judged("miss_rate"), 1e2, 1),
        ("false alarms %", judged("false_alarm_rate"), 1e2, 1),
        ("timeouts", lambda one: _known(one.timeouts), 1.0, 2),
        ("neighbour Mbit/s", lambda one: _known(one.neighbour_bps), 1e-6, 3),
        ("it loses %", lambda one: _known(one.neighbour_cost), 1e2, 1),
        ("limited by", _limited, 1.0, 0),
    ]


_SHORT = {"cwnd": "window", "rwnd": "receiver", "application": "application", "pacing": "pace"}


def _limited(one: Outcome) -> str | None:
    shares = {name: one.limits[name].mean for name in LIMITS if name in one.limits}
    known = {name: share for name, share in shares.items() if not math.isnan(share) and share >= 0.005}
    if len(known) == 1:
        return _SHORT[next(iter(known))]
    return ", ".join(f"{_SHORT[name]} {share:.0%}".replace("%", " %") for name, share in known.items()) or None


def _senders(result: Comparison) -> list[dict[str, Any]]:
    """Each algorithm once for each set of rules that it ran with."""
    from windlass import _core

    about = {row["name"]: row for row in json.loads(_core.algorithms())}
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one in result.outcomes:
        if one.senders is None:
            continue
        row = about.get(one.algorithm.partition(":")[0], {})
        core = one.senders
        recovery = f"{core.recovery}{' with PRR' if core.prr else ''}{', as in ns-2' if core.ns2 else ''}"
        summary = ". ".join(filter(None, (row.get("summary", "").rstrip("."), row.get("source", ""))))
        found[one.algorithm, core] = {
            "name": one.algorithm,
            "summary": summary,
            "profile": core.profile,
            "recovery": recovery,
            "d": core.delayed_ack,
            "duplicates": core.dup_threshold,
        }
    return list(found.values())


def _paths(result: Comparison) -> list[dict[str, str]]:
    """Each path in a sentence, and its description."""
    found: dict[str, dict[str, str]] = {}
    for name, description in result.descriptions:
        whole = json.loads(description)
        settings = [words for words in (_words_of_axes(result, name),) if words]
        text = f"Topology {whole['topology']['kind']}, {whole['scenario']['duration']} simulated"
        text += f", compared at {settings[0]}." if settings else "."
        found.setdefault(name, {"name": name, "text": text, "description": json.dumps(whole, indent=1)})
    return list(found.values())


def _words_of_axes(result: Comparison, name: str) -> str:
    from windlass.plots.words import setting

    values: dict[str, list[str]] = {}
    for one in result.outcomes:
        for axis, value in one.axes.items() if one.path == name else ():
            values.setdefault(axis, []).append(str(setting(value)))
    return "; ".join(f"{axis} = {', '.join(dict.fromkeys(found))}" for axis, found in values.items())


_LEFT, _RIGHT, _ROW, _LETTER = 60.0, 860.0, 24.0, 6.4
_FINE = (-20, -15, -10, -5, 5, 10, 15, 20)
_TICKS = (-90, -75, -50, -25, 0, 25, 50, 100, 200, 400, 900, 1900, 4900, 9900)
_APART = 48.0


def _gains(result: Comparison) -> dict[str, Any] | None:
    """Gains over the baseline with their intervals, with places for the page's drawing."""
    rows = [
        (", ".join(filter(None, (one.candidate, _words(result, one.path, tuple(one.axes.items()))))), one.gain)
        for one in result.gains
    ]
    return _drawn(rows, f"gains over {result.baseline}")


def _open(result: Comparison) -> dict[str, Any] | None:
    """The same of what is ahead at each of the values that the data do not exclude."""
    rows = [(f"{one.lead}: {one.words}", one.gain) for one in result.trials if one.gain is not None]
    return _drawn(rows, f"what is ahead, over {result.baseline}")


def _drawn(rows: Sequence[tuple[str, Interval]], label: str) -> dict[str, Any] | None:
    rows = [(name, gain) for name, gain in rows if not math.isnan(gain.mean)]
    if not rows:
        return None
    ends = [100.0 * end for _, gain in rows for end in (gain.lo, gain.mean, gain.hi) if math.isfinite(end)]
    low, high = max(-90.0, min([-10.0, *ends])), min(9900.0, max([25.0, *ends]))
    left = _LEFT + min(_LETTER * max(len(name) for name, _ in rows), 0.6 * (_RIGHT - _LEFT))
    first, last = math.log1p(low / 100.0), math.log1p(high / 100.0)

    def place(percent: float) -> float:
        share = (math.log1p(max(percent, -95.0) / 100.0) - first) / (last - first)
        return round(left + (_RIGHT - left) * min(max(share, 0.0), 1.0), 1)

    drawn = []
    for at, (name, gain) in enumerate(rows):
        y = 34 + at * _ROW
        known = gain.known and math.isfinite(gain.lo) and math.isfinite(gain.hi)
        shown = known and (gain.lo > 0.0 or gain.hi < 0.0) and abs(gain.mean) >= MATTERS
        dot = {
            "x": place(100.0 * gain.mean),
            "low": place(100.0 * gain.lo) if known else None,
            "high": place(100.0 * gain.hi) if known else None,
            "y": y,
            "words": gain_text(gain),
            "inside": shown,
        }
        drawn.append({"y": y, "name": name, "band": None, "most": None, "dots": [dot]})
    fine = _FINE if high - low < 60.0 else ()
    ticks = [tick for tick in sorted({*_TICKS, *fine}) if low <= tick <= high]
    return {
        "rows": drawn,
        "ticks": [{"x": place(tick), "words": _tick(tick)} for tick in _apart(ticks, place)],
        "height": 34 + len(rows) * _ROW + 22,
        "bottom": 34 + (len(rows) - 1) * _ROW + 14,
        "a": "",
        "label": label,
    }


def _apart(ticks: Sequence[int], place: Callable[[float], float]) -> list[int]:
    """Those whose words do not meet, from the middle outwards."""
    kept: list[int] = []
    for tick in sorted(ticks, key=abs):
        if all(abs(place(tick) - place(other)) >= _APART for other in kept):
            kept.append(tick)
    return sorted(kept)


def _tick(percent: int) -> str:
    """In per cent, or as a factor, as the sentences have it."""
    if percent >= 100.0 * TWICE:
        return f"{1.0 + percent / 100.0:g} times"
    return f"{percent:+d} %" if percent else "0"
