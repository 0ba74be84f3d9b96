"""Data files of Flent, `.flent` and `.flent.gz`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from windlass.amounts import counted
from windlass.errors import InputError
from windlass.imports import delay, rates
from windlass.imports.evidence import Evidence, Outcomes, RateOverTime
from windlass.imports.queueing import FEWEST_BINS
from windlass.imports.shapes import HEADERS, Reader, chosen, listed

FORMAT = "flent"

WHAT = "a data file of Flent"

_COMPUTED = re.compile(r" (?:sum|avg|totals|fairness)\b|::(?!\d+$)")
"""Names of series that were computed from others, or are details of a flow. A number after `::` is of a flow."""

RUNNERS = ("SumRunner", "AverageRunner", "NullRunner", "DiffMinRunner", "FairnessRunner", "ComputingRunner")
"""What Flent makes such series with."""

PER_S = {"bits/s": 1.0, "kbits/s": 1e3, "mbits/s": 1e6, "gbits/s": 1e9}

MOSTLY, LONGER, NOISE = 0.8, 1.1, 0.25
"""For a queue that stood: this share of the pings under load take longer than all others, and so many times as long as
the least, and the rate varies by no more than this share of its mean."""

TOGETHER = 0.5
"""The rate is that of the time in which all flows sent, or half of them, if it is so much of that in which any did."""


def looks_like(document: Any) -> bool:
    """Whether a JSON document is a data file of Flent."""
    return isinstance(document, dict) and "x_values" in document and "results" in document


@dataclass(frozen=True)
class _Series:
    """One series: its values at the times of the file, and the rows that they were made of.

    `unit` is ``ms`` for pings, and a rate's for flows. `way` is the direction, `host` the other end if it is known.
    """

    name: str
    unit: str
    way: str
    host: str
    values: list[float | None]
    rows: list[dict[str, Any]]


@dataclass(frozen=True)
class _Load:
    """What the flows of one direction got: starts and ends of bins, seconds, and bit/s in each."""

    way: str
    names: list[str]
    start: Any
    end: Any
    rate: Any

    @property
    def bits(self) -> float:
        """All that they carried."""
        return float((self.rate * (self.end - self.start)).sum())

    @property
    def mean(self) -> float:
        """Bits per second, on average."""
        return self.bits / float(self.end[-1] - self.start[0])


def evidence(document: Any, file: str, flow: str | None) -> Evidence:
    """Rates of the flows of the direction that got more, and the delay of pings beside them.

    Raises
    ------
    InputError
        If the document lacks what it needs.
    """
    read = Reader(file, WHAT)
    top = read.table(document, "document")
    about = read.table(top.get("metadata", {}), "metadata")
    x = [read.number(one, "x_values") for one in read.rows(top.get("x_values"), "x_values")]
    if any(after <= before for before, after in pairwise(x)):
        raise read.wrong("x_values", "a row of times that go on")
    series, left = _series(read, top, about, len(x))
    found = Evidence(FORMAT)
    words = [str(about[key])[:60] if isinstance(about.get(key), str) else "" for key in ("NAME", "TITLE")]
    title = f", {words[1]}" if words[1] else ""
    found.facts.append(f"Flent, test {words[0] or '?'}{title}, {counted(len(x), 'point')} in time")
    if not series:
        names = ", ".join(f"`{one}`" for one in left[:5])
        raise InputError(
            f"has no series of a flow's rate or of pings, but {names or 'none at all'}",
            code="import.nothing",
            file=file,
            hint="import a test such as tcp_download, tcp_upload or rrul",
        )
    series = _one_host(found, series, file, flow)
    start = min((one["t"] for each in series for one in each.rows), default=0.0)
    flows, pings = ([one for one in series if (one.unit == "ms") is ping] for ping in (False, True))
    loads = [_load(x, [one for one in flows if one.way == way], start) for way in sorted({one.way for one in flows})]
    busy = sorted((one for one in loads if one is not None and one.bits > 0.0), key=lambda one: -one.bits)
    alone = len(busy) == 1 and not any(name.startswith("UDP") for name in left)
    if busy:
        found.facts.append(f"rate of {listed(busy[0].names)}")
        _rates(found, x, busy, pings if alone else [])
    if pings:
        _pings(found, x, start, pings, busy[0] if busy else None, loaded=bool(flows) or _others(left))
    if found.rate is None and found.base_rtt is None:
        raise InputError("has no value that counts", code="import.nothing", file=file, hint=f"give {WHAT}")
    if left:
        found.notes.append(
            f"Not used: {listed(left)}: computed from others, details of a flow, what was sent and not what arrived "
            "(UDP), or neither a rate nor a ping."
        )
    return found


def _others(left: list[str]) -> bool:
    """Whether series that are not used show that something was sent beside the pings."""
    return any(not name.startswith(("Ping", "cpu_stats", "wifi_stats", "qdisc")) for name in left)


def _series(read: Reader, top: dict[str, Any], about: dict[str, Any], count: int) -> tuple[list[_Series], list[str]]:
    """Series of flows and pings, and the names of all others."""
    meta = about.get("SERIES_META")
    raw = read.table(top.get("raw_values") or {}, "raw_values")
    hosts = [one for one in read.rows(about.get("HOSTS") or [], "metadata.HOSTS") if isinstance(one, str) and one]
    found, left = [], []
    for name, values in read.table(top.get("results"), "results").items():
        place = f"results.{name}"
        rows = read.rows(values, place)
        if len(rows) != count:
            raise read.wrong(place, f"a list of {count} values, as `x_values` is")
        own = meta.get(name) if isinstance(meta, dict) else None
        own = own if isinstance(own, dict) else {}
        unit = _unit(name, own)
        if unit is None:
            left.append(name)
            continue
        words = str(own.get("COMMAND", "")).split()
        way = next((one for one in ("download", "upload") if one in name.lower()), "")
        way = way or ("download" if "TCP_MAERTS" in words else "upload" if "TCP_STREAM" in words else "data")
        host = _host(name, words, hosts)
        numbers = [None if one is None else read.number(one, place) for one in rows]
        found.append(_Series(name, unit, way, host, numbers, _rows(read, raw.get(name), name)))
    return found, left


def _host(name: str, words: list[str], hosts: list[str]) -> str:
    """The other end of a series: of the test's hosts that of its name or its command, or else what these say."""
    if len(hosts) == 1:
        return hosts[0]
    last = name.rpartition(" ")[2]
    told = words[words.index("-H") + 1 :][:1] if "-H" in words else words[-1:]
    named = [one for one in hosts if name.endswith(f" {one}")] or [one for one in hosts if one in words]
    return next(iter([*named, *hosts[:1], *told, *([last] if "." in last else [])]), "")


def _unit(name: str, own: dict[str, Any]) -> str | None:
    """`ms` of a ping, the unit of a flow's rate; none of what is neither, or was computed, or sent and not received."""
    if _COMPUTED.search(name) or own.get("RUNNER") in RUNNERS:
        return None
    ping = "ping" in name.lower()
    implied = "ms" if ping else "Mbits/s" if name.startswith(("TCP", "QUIC", "UDP")) else ""
    unit = str(own.get("UNITS") or implied)
    if unit == "ms":
        return unit if ping else None
    return unit if unit.lower() in PER_S and not name.startswith("UDP") else None


def _rows(read: Reader, given: Any, name: str) -> list[dict[str, Any]]:
    """Rows of a series that have a time: with numbers that are finite."""
    place = f"raw_values.{name}"
    found = []
    for row in read.rows(given or [], place):
        one = read.table(row, place)
        if one.get("t") is not None and (one.get("val") is not None or one.get("lost") or "seq" in one):
            keys = [key for key in ("t", "val", "dur") if one.get(key) is not None]
            found.append({**one, **{key: read.number(one[key], f"{place}.{key}") for key in keys}})
    return found


def _one_host(found: Evidence, series: list[_Series], file: str, flow: str | None) -> list[_Series]:
    """The series of one host: the one asked for, or that to which or from which most was carried."""
    weight: dict[str, float] = {}
    for one in series:
        own = sum(value or 0.0 for value in one.values) * PER_S.get(one.unit.lower(), 0.0)
        weight[one.host] = weight.get(one.host, 0.0) + own
    # What does not say its host is of the one that is chosen.
    order = sorted((host for host in weight if host or len(weight) == 1), key=lambda host: (-weight[host], host))
    host = chosen(order, flow, file, "hosts")
    if len(order) > 1:
        found.facts.append(f"host {host}, one of {len(order)}")
        found.notes.append(
            f"The test had several hosts, and so several paths ({listed(order)}): what is said is of {host} alone. "
            "`--flow HOST` chooses another."
        )
    return [one for one in series if one.host in (host, "")]


def _pieces(x: list[float], one: _Series, start: float) -> list[tuple[float, float, float]]:
    """Start and end, seconds, and bit/s of each sample of a flow: a sample is of the time before it.

    What the program printed says how long that time was; without, it is that since the sample before.
    """
    scale = PER_S[one.unit.lower()]
    rows = [row for row in one.rows if "val" in row and row.get("dur")]
    if rows:
        return [(row["t"] - start - row["dur"], row["t"] - start, scale * row["val"]) for row in rows]
    known = [(at, value) for at, value in zip(x, one.values, strict=True) if value is not None]
    gaps = sorted(after[0] - before[0] for before, after in pairwise(known))
    usual = gaps[len(gaps) // 2] if gaps else (x[1] - x[0] if len(x) > 1 else 1.0)
    ends = [known[0][0] - usual, *(at for at, _ in known)] if known else []
    return [(before, at, scale * value) for before, (at, value) in zip(ends, known, strict=False)]


def _load(x: list[float], flows: list[_Series], start: float) -> _Load | None:
    """What flows got together over time; samples of each may come at times of their own, and seldom."""
    import numpy as np

    each = [pieces for one in flows if (pieces := _pieces(x, one, start))]
    if not each:
        return None
    begins = sorted(min(one[0] for one in pieces) for pieces in each)
    ends = sorted(max(one[1] for one in pieces) for pieces in each)
    whole, half = ends[-1] - begins[0], len(each) // 2
    windows = [(begins[-1], ends[0]), (begins[half], ends[-1 - half]), (begins[0], ends[-1])]
    low, high = next(one for one in windows if one[1] - one[0] >= TOGETHER * whole or one is windows[-1])
    if high <= low:
        return None
    begin, end, rate = np.array([piece for pieces in each for piece in pieces]).T
    at = np.concatenate((begin, end))
    order = np.argsort(at, kind="stable")
    level = np.cumsum(np.concatenate((rate, -rate))[order])
    at = at[order]
    carried = np.concatenate(([0.0], np.cumsum(np.maximum(level[:-1], 0.0) * np.diff(at))))
    step = float(np.median(np.diff(x))) if len(x) > 1 else high - low
    edges = np.linspace(low, high, max(min(round((high - low) / step), len(x)), 1) + 1)
    got = np.diff(np.interp(edges, at, carried)) / np.diff(edges)
    return _Load(flows[0].way, [one.name for one in flows], edges[:-1], edges[1:], got)


def _rates(found: Evidence, x: list[float], loads: list[_Load], pings: list[_Series]) -> None:
    """The rate of the first load; with an upper end if pings show that it kept a queue filled."""
    one = loads[0]
    how = f"{one.way}s together, mean of {counted(len(one.rate), 'point')}: what the test got; the link may carry more"
    found.rate = rates.mean(one.rate, one.end - one.start, "bit/s", how)
    found.rates = RateOverTime(one.start, one.end, one.rate, of_link=False)
    found.arrived_bps = found.rate.value
    loaded = {place for place, at in enumerate(x) if one.start[0] <= at <= one.end[-1]}
    if (
        any(_standing(ping.values, loaded) for ping in pings)
        and float(one.rate.std()) <= NOISE * found.rate.value
        and math.isfinite(found.rate.interval.hi)
    ):
        most = HEADERS * found.rate.interval.hi
        found.rate = replace(found.rate, interval=replace(found.rate.interval, hi=most))
    else:
        found.rate = rates.at_least(found.rate.value, found.arrived_bps, len(one.rate), how)
    found.notes.append(
        "Rates are those of the flows' data: the link's rate is this, with headers (3.6 % with 1448 B of data in "
        "1500 B), or more."
    )
    if len(loads) > 1:
        others = ", ".join(f"{other.way} {other.mean / 1e6:.2f} Mbps" for other in loads[1:])
        found.notes.append(f"The other direction carried data as well ({others}): the scenario has one direction only.")


def _standing(pings: list[float | None], loaded: set[int]) -> bool:
    """Whether pings waited all the time that flows sent, more than they ever did without: a queue that stood."""
    import numpy as np

    under = [value for place, value in enumerate(pings) if value is not None and place in loaded]
    idle = [value for place, value in enumerate(pings) if value is not None and place not in loaded]
    if len(under) < FEWEST_BINS or len(idle) < FEWEST_BINS:
        return False
    return float(np.quantile(under, 1.0 - MOSTLY)) > max(max(idle), LONGER * min(idle))


def _answers(one: _Series, x: list[float], start: float) -> list[tuple[float, float]]:
    """Time and round trip, seconds and ms, of each answer.

    Rows with a duration hold requests per second: netperf's pings. There the series has the times.
    """
    own = [row for row in one.rows if not row.get("dur")]
    if own:
        return [(row["t"] - start, row["val"]) for row in own if row.get("val") and not row.get("lost")]
    return [(at, value) for at, value in zip(x, one.values, strict=True) if value]


def _pings(
    found: Evidence, x: list[float], start: float, pings: list[_Series], load: _Load | None, *, loaded: bool
) -> None:
    import numpy as np

    one = max(pings, key=lambda each: (len([row for row in each.rows if "seq" in row]), len(_answers(each, x, start))))
    answers = _answers(one, x, start)
    if not answers:
        found.notes.append(f"No ping of `{one.name}` was answered: nothing is known of delay.")
        return
    rtt_ms = [value for _, value in answers]
    rtt_s = np.array(rtt_ms) / 1e3
    # Digits that were written: ping gives three of them, irtt nanoseconds.
    places = min(max(len(repr(value).partition(".")[2]) if value % 1.0 else 0 for value in rtt_ms[:1000]), 6)
    how = f"least of {counted(len(rtt_s), 'ping')}, `{one.name}`"
    idle = [at for at, _ in answers if load is None or not load.start[0] <= at <= load.end[-1]]
    if load is None and loaded or len(idle) < FEWEST_BINS:
        found.base_rtt = delay.at_most(rtt_s, how, 10.0 ** -(places + 3))
        found.notes.append("Pings were sent under load only: the base RTT may be less than the least of them.")
    else:
        found.base_rtt = delay.least(rtt_s, how, 10.0 ** -(places + 3))
    most = float(np.quantile(rtt_s, 0.95)) - found.base_rtt.value
    if found.rate is not None:
        found.notes.append(
            f"Under load pings took up to {1e3 * most:.1f} ms more (95 % of them less): with this rate the queue holds "
            f"{most * found.rate.value / 8e3:.0f} kB or more. Its limit is not known, nor which part is jitter."
        )
    elif loaded:
        found.notes.append(
            f"Pings took up to {1e3 * most:.1f} ms more than the least (95 % of them less), beside a load whose rate is "
            "not known: which part is its queue, and which is jitter, cannot be told."
        )
    else:
        found.jitter = delay.jitter(rtt_s, counted(len(rtt_s), "ping"))
    _lost_pings(found, one, load is not None or loaded)
    found.notes.append("The delay is taken to be the same both ways.")
    if len(pings) > 1:
        found.notes.append(f"Not used: {listed([each.name for each in pings if each is not one])}, pings as well.")


def _lost_pings(found: Evidence, one: _Series, loaded: bool) -> None:
    """Losses of pings whose numbers are known; those under load are of the queue, too."""
    import numpy as np

    numbered = {
        int(row["seq"]): bool(row.get("lost"))
        for row in one.rows
        if isinstance(row.get("seq"), (int, float)) and math.isfinite(row["seq"]) and 0 <= row["seq"] < 2**31
    }
    first, last = min(numbered, default=0), max(numbered, default=0)
    if len(numbered) < 20 or last - first > 10 * len(numbered):
        found.notes.append("The file does not number its pings, so it says nothing of losses.")
        return
    lost = np.array([numbered.get(place, True) for place in range(first, last + 1)])
    where = " under load" if loaded else ""
    found.outcomes = Outcomes(lost, None, f"pings that were not answered{',' if where else ''}{where}")
    if loaded:
        found.loss_low = 0.0
        found.notes.append("Losses are those of small pings beside the flows: drops of a full queue are among them.")
    ways = [row.get("lost_dir") for row in one.rows if row.get("lost")]
    if any(way in ("up", "down") for way in ways):
        found.notes.append(
            f"Of the lost pings {ways.count('up')} were lost on the way up and {ways.count('down')} on the way down; "
            "here all losses are on the way of the data."
        )
