"""Cells and chains of 802.11 beside theory, and beside saturated ones that ns-2 2.35 ran."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.validation.radio_formulas import SETS, bianchi, heusse, hidden

if TYPE_CHECKING:
    from windlass.stats import Interval

LENGTH = 1500
"""Bytes of a packet, where nothing else is said."""

STATIONS = (1, 2, 5, 10, 20)


@dataclass(frozen=True)
class RadioCheck:
    """One number that is known beforehand.

    Attributes
    ----------
    section : str
        One of :data:`SECTIONS`.
    what : str
        What is run.
    expected : float
        Mbit/s.
    allowed : float
        Share by which the mean may differ.
    document : dict
        The scenario, as a file has it.
    each : bool
        Whether it is what a flow gets on the mean, not all of them.
    """

    section: str
    what: str
    expected: float
    allowed: float
    document: dict[str, Any]
    each: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """What tells this check from all others."""
        return (self.section, self.what)


@dataclass(frozen=True)
class CheckOutcome:
    """A check with the goodput here, Mbit/s."""

    check: RadioCheck
    here: Interval

    @property
    def difference(self) -> float:
        """How far the mean here is from what was expected, as a share of that."""
        return self.here.mean / self.check.expected - 1

    @property
    def agrees(self) -> bool:
        """Whether that is allowed."""
        return abs(self.difference) <= self.check.allowed


SECTIONS: dict[str, str] = {
    "exchange": "One station: an exchange after DIFS and a mean backoff",
    "bianchi": "Saturated cells: Bianchi's throughput",
    "ns2-cells": "Saturated cells: ns-2",
    "heusse": "A slow station: Heusse's throughput",
    "hidden": "Hidden stations: the vulnerable period",
    "ns2-chains": "Saturated chains: ns-2",
}
"""Kinds of checks, with what they are called on the page."""


def checks() -> Iterator[RadioCheck]:
    """All of them, section by section."""
    yield from _exchanges()
    yield from _bianchi()
    yield from _ns2_cells()
    yield from _slow_stations()
    yield from _hidden()
    yield from _ns2_chains()


def _document(
    radio: dict[str, Any], topology: dict[str, Any], duration_s: float, flows: list[dict[str, Any]]
) -> dict[str, Any]:
    profile = "ns2" if radio["set"].startswith("ns2") else "rfc"
    head = {"name": "802.11", "duration": f"{duration_s:g} s", "warmup": "1 s", "profile": profile, "seeds": 3}
    return {"scenario": head, "topology": topology | {"radio": radio}, "flows": flows}


def _flow(source: str, target: str, rate_mbps: float, length: int = LENGTH, kind: str = "cbr") -> dict[str, Any]:
    traffic: dict[str, Any] = {"kind": kind, "rate": f"{rate_mbps:.6g} Mbps", "packet": f"{length} B", "header": "0 B"}
    if kind == "cbr":
        traffic["random"] = True
    return {"from": source, "to": target, "transport": "udp", "traffic": traffic}


def _many(stations: int) -> str:
    return f"{stations} station{'s' if stations > 1 else ''}"


def _rts(on: bool) -> str:
    return "always" if on else "off"


def _cell(
    name: str,
    rate: float,
    stations: int,
    duration_s: float,
    *,
    rts: bool,
    radius: str | None = None,
    **radio: Any,
) -> dict[str, Any]:
    """Saturated stations that send to their access point; each is offered three times its share."""
    offered = 3 * SETS[name].alone(LENGTH, rate, rts=rts) / stations
    topology: dict[str, Any] = {"kind": "wlan", "stations": stations, "hosts": 0}
    if radius is not None:
        topology["placing"] = {"kind": "circle", "radius": radius}
    table = {"set": name, "rate": f"{rate:g} Mbps", "rts_threshold": _rts(rts)}
    flows = [_flow(f"station/{i}", "ap/0", offered) for i in range(stations)]
    return _document(table | radio, topology, duration_s, flows)


def _exchanges() -> Iterator[RadioCheck]:
    for name, rate, seconds in (
        ("dot11b", 1.0, 400),
        ("dot11b", 2.0, 200),
        ("dot11b", 5.5, 120),
        ("dot11b", 11.0, 60),
        ("dot11b-short", 11.0, 60),
        ("dot11a", 6.0, 60),
        ("dot11a", 24.0, 20),
        ("dot11a", 54.0, 20),
        ("dot11g", 6.0, 60),
        ("dot11g", 54.0, 20),
        ("dot11g-prot", 54.0, 30),
        ("dot11n", 65.0, 20),
        ("dot11n-2.4", 65.0, 20),
        ("ns2-default", 1.0, 400),
        ("ns2-b11", 11.0, 60),
        ("ns2-g54", 54.0, 20),
        ("ns2-dalal", 11.0, 60),
    ):
        for rts in (False, True):
            what = f"{name}, {rate:g} Mbps{', RTS' if rts else ''}"
            expected = SETS[name].alone(LENGTH, rate, rts=rts)
            # packets of 802.11n that wait would go together
            single: dict[str, Any] = {"ampdu_max_mpdus": 1} if name.startswith("dot11n") else {}
            if not (rts and name == "dot11g-prot"):
                document = _cell(name, rate, 1, seconds, rts=rts, **single)
                yield RadioCheck("exchange", what, expected, 0.005, document)


def _bianchi() -> Iterator[RadioCheck]:
    for name, rate, seconds in (("dot11b", 1.0, 300), ("dot11b", 11.0, 60), ("dot11g", 54.0, 20)):
        for rts in (False, True):
            for n in STATIONS:
                what = f"{name}, {rate:g} Mbps{', RTS' if rts else ''}, {_many(n)}"
                expected = bianchi(SETS[name], n, LENGTH, rate, rts=rts)
                yield RadioCheck("bianchi", what, expected, 0.03, _cell(name, rate, n, seconds, rts=rts))


_CELLS = (
    ("ns2-default", 1.0, False, 600, (0.914, 0.894, 0.837, 0.781, 0.715)),
    ("ns2-default", 1.0, True, 300, (0.869, 0.876, 0.877, 0.874, 0.868)),
    ("ns2-b11", 11.0, False, 60, (6.087, 6.315, 6.133, 5.776, 5.386)),
    ("ns2-b11", 11.0, True, 60, (4.534, 4.798, 4.805, 4.719, 4.601)),
    ("ns2-g54", 54.0, False, 20, (31.006, 33.590, 30.548, 28.252, 26.034)),
    ("ns2-g54", 54.0, True, 20, (24.368, 25.942, 25.335, 24.724, 23.915)),
)
"""Set, rate, RTS, seconds here, and what ns-2 gave for 1, 2, 5, 10, 20 stations on a circle of 5 m; mean of two runs of
100, 40 or 15 s at 1, 11, 54 Mbps."""


def _ns2_cells() -> Iterator[RadioCheck]:
    for name, rate, rts, seconds, figures in _CELLS:
        for n, figure in zip(STATIONS, figures, strict=True):
            what = f"{name}{', RTS' if rts else ''}, {_many(n)}"
            yield RadioCheck("ns2-cells", what, figure, 0.02, _cell(name, rate, n, seconds, rts=rts, radius="5 m"))


def _slow_stations() -> Iterator[RadioCheck]:
    for name, numbers in (("dot11b", (2, 3, 5, 7, 10)), ("ns2-b11", (2, 5))):
        for n in numbers:
            expected = heusse(SETS[name], n, LENGTH, 11, 1)
            document = _cell(name, 11.0, n, 1500, rts=False, rates={"station/0": "1 Mbps"})
            what = f"{name}, 11 Mbps, one station at 1 Mbps, {n} stations"
            yield RadioCheck("heusse", what, expected, 0.05, document, each=True)


def _hidden() -> Iterator[RadioCheck]:
    """Two stations 480 m apart with the access point between them; carrier sense reaches as far as reception."""
    for rate in (2, 5, 10):
        radio = {
            "set": "ns2-default",
            "rts_threshold": "off",
            "short_retry_limit": 1,
            "long_retry_limit": 1,
            "cs_threshold": "3.652e-10 W",
        }
        topology = {"kind": "wlan", "stations": 2, "hosts": 0, "placing": {"kind": "circle", "radius": "240 m"}}
        flows = [_flow(f"station/{i}", "ap/0", 8e-6 * LENGTH * rate, kind="poisson") for i in range(2)]
        expected = hidden(SETS["ns2-default"], LENGTH, 1, rate)
        document = _document(radio, topology, 10_000, flows)
        yield RadioCheck("hidden", f"{rate} packets/s from each", expected, 0.03, document, each=True)


_CHAINS = (
    ("ns2-default", True, 100, (0.7169, 0.3568, 0.2354, 0.1698, 0.1047, 0.1069)),
    ("ns2-default", False, 100, (0.8021, 0.3997, 0.2681, 0.2148, 0.1668, 0.1436)),
    ("ns2-g54", True, 20, (12.801, 6.201, 4.350, 3.094, 2.515, 2.057)),
    ("ns2-g54", False, 20, (18.248, 8.756, 6.498, 5.021, 4.479, 3.756)),
)
"""Set, RTS, seconds here, and what ns-2 gave for chains of 2, 3, 4, 5, 6, 9 nodes; mean of two runs of 100 s."""

_CHAIN_LENGTH = 572
"""552 bytes and 20 of DSDV."""


def _ns2_chains() -> Iterator[RadioCheck]:
    for name, rts, seconds, figures in _CHAINS:
        for nodes, figure in zip((2, 3, 4, 5, 6, 9), figures, strict=True):
            topology = {"kind": "chain", "nodes": nodes, "spacing": "200 m"}
            flow = _flow("n0", f"n{nodes - 1}", 1.5 * figures[0], _CHAIN_LENGTH)
            document = _document({"set": name, "rts_threshold": _rts(rts)}, topology, 3 * seconds, [flow])
            what = f"{name}{', RTS' if rts else ''}, {nodes} nodes"
            yield RadioCheck("ns2-chains", what, figure, 0.05, document)


def run_check(check: RadioCheck, *, seeds: int | None = None, store: bool | Path = True) -> CheckOutcome:
    """Run a check.

    Parameters
    ----------
    check : RadioCheck
        What to run.
    seeds : int, optional
        Number of runs; the scenario's if not given.
    store : bool or path
        Whether runs are kept and read, and where.

    Returns
    -------
    CheckOutcome
        With the mean and its interval.
    """
    from windlass.scenario import from_dict
    from windlass.stats import mean_interval

    flows = from_dict(check.document).sweep(seeds=seeds, store=store).flows
    found: dict[int, list[float]] = {}
    for row in flows.select(["seed", "goodput_run_bps"]).to_pylist():
        found.setdefault(row["seed"], []).append((row["goodput_run_bps"] or 0.0) / 1e6)
    runs = [sum(goodputs) / (len(goodputs) if check.each else 1) for goodputs in found.values()]
    return CheckOutcome(check, mean_interval(runs))
