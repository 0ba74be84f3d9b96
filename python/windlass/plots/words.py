"""What a figure says instead of keys of scenarios and columns of tables: words, with their units."""

from __future__ import annotations

import json
import math
import re
import tomllib
from pathlib import PurePath
from typing import Any

from windlass.errors import InputError
from windlass.palette import title

__all__ = [
    "axis_words",
    "metric_scale",
    "metric_words",
    "most_of",
    "no_values",
    "quantity",
    "setting_words",
    "value_words",
    "words",
]

_NUMBER = re.compile(r"\s*([+-]?\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?)\s*(\S*)\s*")

_METRICS: dict[str, tuple[str, float, str]] = {
    "goodput_bps": ("goodput per flow", 1e-6, "Mbit/s"),
    "goodput_run_bps": ("goodput per flow over the run", 1e-6, "Mbit/s"),
    "goodput_total_bps": ("goodput, sum of group", 1e-6, "Mbit/s"),
    "throughput_bps": ("throughput per flow", 1e-6, "Mbit/s"),
    "jain": ("Jain's fairness index", 1.0, ""),
    "queue_delay_mean_s": ("queueing delay, mean", 1e3, "ms"),
    "queue_delay_p50_s": ("queueing delay, median", 1e3, "ms"),
    "queue_delay_p95_s": ("queueing delay, 95th percentile", 1e3, "ms"),
    "queue_delay_p99_s": ("queueing delay, 99th percentile", 1e3, "ms"),
    "srtt_mean_s": ("smoothed RTT, mean", 1e3, "ms"),
    "rtt_min_s": ("RTT, minimum", 1e3, "ms"),
    "rtt_max_s": ("RTT, maximum", 1e3, "ms"),
    "owd_mean_s": ("one-way delay, mean", 1e3, "ms"),
    "owd_max_s": ("one-way delay, maximum", 1e3, "ms"),
    "jitter_s": ("jitter", 1e3, "ms"),
    "air_delay_mean_s": ("delay of a hop through the air, mean", 1e3, "ms"),
    "completion_s": ("completion time, mean", 1.0, "s"),
    "completion_median_s": ("completion time, median", 1.0, "s"),
    "completion_p95_s": ("completion time, 95th percentile", 1.0, "s"),
    "unfinished": ("transfers that did not end", 1e2, "%"),
    "cwnd_mean_segments": ("congestion window, mean", 1.0, "segments"),
    "retransmitted_segments": ("retransmitted segments", 1.0, ""),
    "delay_s": ("one-way delay of segments", 1e3, "ms"),
}
"""Columns of results in words, with the scale and unit in which they are drawn; others follow from their names."""

_ENDINGS = {
    "bps": (1e-6, "Mbit/s"),
    "bytes": (1e-6, "MB"),
    "s": (1.0, "s"),
    "segments": (1.0, "segments"),
    "packets": (1.0, "packets"),
    "share": (1e2, "%"),
}

_AT_MOST_ONE = {"jain", "unfinished"}

_PLACES = {"bottleneck", "access", "backbone", "radio", "first", "second", "mobile", "cells", "reverse"}
_KINDS = {"loss", "queue", "jitter", "policer", "traffic", "handover", "outage"}
_KEYS = {"flows.algorithm": "algorithm", "topology.pairs": "pairs of hosts", "topology.stations": "stations"}


def quantity(value: object) -> tuple[float, str] | None:
    """A value of a scenario as a number and its unit; ``None`` if it is no such thing.

    Examples
    --------
    >>> quantity("0.1 %"), quantity(3), quantity("cerl")
    ((0.1, '%'), (3.0, ''), None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value), ""
    found = _NUMBER.fullmatch(str(value))
    return (float(found[1].replace("_", "")), found[2]) if found else None


def words(name: str, unit: str) -> str:
    """What stands on an axis."""
    return f"{name} ({unit})" if unit else name


def metric_scale(metric: str) -> tuple[float, str]:
    """What a column is multiplied by when it is drawn, and the unit then."""
    if metric in _METRICS:
        return _METRICS[metric][1:]
    return _ENDINGS.get(metric.rsplit("_", 1)[-1], (1.0, ""))


def metric_words(metric: str) -> str:
    """A column of results on an axis."""
    _, unit = metric_scale(metric)
    if metric in _METRICS:
        return words(_METRICS[metric][0], unit)
    return words((metric.rsplit("_", 1)[0] if unit else metric).replace("_", " "), unit)


_EMPTY_UNLESS: dict[str, str] = {
    "queue_delay": "write `delays = true` under [output], or `--set output.delays=true`, and run again",
    "completion": "only transfers of a `size` that end have a completion time",
    "unfinished": "only transfers of a `size` can be unfinished",
    "jain": "only of two flows or more that take what the path has left there is one",
    "size": "only flows with a `size` have one",
    "stop": "only flows with a `stop` have one",
    "owd_max": "only UDP flows have it",
    "jitter": "only UDP flows have it",
    "reorder_max": "only connections over several paths have it",
    "air_delay": "only flows over a radio medium have it",
    "recorded_until": "only runs that record more than is kept have it",
}
"""Where the columns that begin so have values."""


def no_values(metric: str) -> InputError:
    """The error of a column that has no value in any row: drawn, it would be an empty figure."""
    hints = (hint for begin, hint in _EMPTY_UNLESS.items() if metric.startswith(begin))
    return InputError(
        f"no flow has a `{metric}`",
        code="plot.no-metric",
        hint=next(hints, "nothing of it happened in these runs: draw another column with `--y`"),
    )


def most_of(metric: str) -> float:
    """The most that a column can be, as it is in the table."""
    return 1.0 if metric in _AT_MOST_ONE or metric.endswith("_share") else math.inf


def axis_words(key: str) -> str:
    """A key of a scenario in words.

    Examples
    --------
    >>> axis_words("topology.bottleneck.loss.rate"), axis_words("flows.0.tcp.initial_window")
    ('loss rate of the bottleneck', 'initial window')
    """
    if key in _KEYS:
        return _KEYS[key]
    parts = [part for part in key.split(".") if not part.isdigit()]
    last = parts[-1].replace("_", " ")
    if parts[-1] == "algorithm":
        return last
    before = parts[-2] if len(parts) > 1 else ""
    name = f"{before} {last}" if before in _KINDS else last
    place = next((part for part in reversed(parts[:-1]) if part in _PLACES), None)
    return f"{name} of the {place}" if place else name


def value_words(value: Any) -> str:
    """A swept value: ``1 %`` as it is, a table as its words instead of its text.

    Examples
    --------
    >>> value_words('{ discipline = "codel", limit = "100 packets" }'), value_words({"kind": "uniform", "rate": "1 %"})
    ('codel, limit 100 packets', 'uniform, rate 1 %')
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        value = _parsed(value)
    if isinstance(value, dict):
        named = ("discipline", "kind", "name", "algorithm")
        return ", ".join(
            value_words(part) if key in named else f"{key.replace('_', ' ')} {value_words(part)}"
            for key, part in value.items()
            if part is not None
        )
    if isinstance(value, (list, tuple)):
        return ", ".join(map(value_words, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def setting(value: Any) -> Any:
    """A swept value as it was written, but a table in words.

    Examples
    --------
    >>> setting('{"discipline":"codel","limit":"60 packets"}'), setting("1 %"), setting(4.0)
    ('codel, limit 60 packets', '1 %', 4.0)
    """
    return value_words(value) if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") else value


def _parsed(text: str) -> Any:
    """A table or list from its text as results or scenarios have it, JSON or TOML; other text as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def setting_words(key: str, value: Any) -> str:
    """A swept key with its value."""
    words_ = value_of(key, value)
    return words_ if key.endswith("algorithm") else f"{axis_words(key)}: {words_}"


def value_of(key: str, value: Any) -> str:
    """A value of a swept key: the name of an algorithm as its authors write it, a file without its folder."""
    if key.endswith("algorithm"):
        return title(str(value))
    return PurePath(str(value)).name if key.endswith("trace") else value_words(value)
