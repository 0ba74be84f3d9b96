"""What a paper leaves open: the ledger's defaults, and the other plausible readings."""

from __future__ import annotations

import re
from typing import Any

from windlass.experiments.flows import ALGORITHMS, HEADER_BYTES, LOSS_BASED, mix_of, segment_bytes
from windlass.experiments.setting import NotYet, Reading, Setting
from windlass.ledger import Experiment, Ledger

SLOTS = {1: ("dumbbell", ("left", "bottleneck", "right")), 2: ("three-routers", ("left", "first", "second", "right"))}
"""Kind of topology and names of its links, by how many links stand between the access links."""

MARKED = frozenset({"jersey", "newjersey", "newjerseyplus"})
"""Variants that need routers to mark packets (``open.cw``)."""


def base_setting(ledger: Ledger, experiment: Experiment) -> Setting:
    """The ledger's defaults for an experiment. Of the tie in CERL's test, the algorithm's own default is the base.

    Raises
    ------
    NotYet
        If a default is of a kind that no setting has.
    """
    _expressible(ledger, experiment)
    opened = {key: ledger.open[key].default for key in experiment.open}

    def number(key: str, pattern: str, otherwise: float) -> float:
        if key not in opened:
            return otherwise
        found = re.search(pattern, opened[key])
        if found is None:
            raise NotYet(
                f"`{experiment.id}`: the default of `open.{key}` (`{opened[key]}`) has no place in a setting yet"
            )
        return float(found.group(1))

    two_way = experiment.traffic["direction"] == "two-way"
    window = re.search(r"(\d+)(?: segments)?\)", opened.get("rwnd", "(10000 segments)"))
    starts = re.search(r"([\d.]+)\.\.([\d.]+) s", opened.get("starts", "0..0 s"))
    if window is None or starts is None:
        key = "rwnd" if window is None else "starts"
        raise NotYet(f"`{experiment.id}`: the default of `open.{key}` (`{opened[key]}`) has no place in a setting yet")
    return Setting(
        duration_s=number("simtime", r"(\d+)", 200.0),
        seeds=int(number("seeds", r"(\d+) runs", 10)),
        queue=int(number("queue", r"(\d+) packets", 50)),
        window_segments=int(window.group(1)),
        start_s=(float(starts.group(1)), float(starts.group(2))),
        loss_at="queue" if opened.get("lossplace", "after").startswith("before") else "wire",
        loss_direction="both" if two_way else "forward",
    )


def _expressible(ledger: Ledger, experiment: Experiment) -> None:
    """Stop at the first thing that no scenario can express, the most telling one first."""
    if experiment.kind != "simulation":
        kind = _KIND_WORDS.get(experiment.kind, experiment.kind)
        raise NotYet(f"`{experiment.id}` is no simulation but {kind}", hint=_kind_hint(experiment))
    topology = ledger.topologies[experiment.topology]
    known = all(isinstance(link.rate_mbps, (int, float)) and link.delay_ms is not None for link in topology.links)
    if len(topology.links) - 2 not in SLOTS or not known:
        raise NotYet(f"`{experiment.id}` needs a network that cannot be built yet: {topology.title}")
    if any(not isinstance(link.delay_ms, (int, float)) for link in topology.links):
        raise NotYet(f"`{experiment.id}` needs access delays drawn at random ({topology.title})")
    for axis in experiment.axes:
        if not axis.points:
            raise NotYet(f"`{experiment.id}` is drawn over `{axis.key}`, which needs traces over time")
    if "ftpsize" in experiment.open:
        raise NotYet(f"`{experiment.id}` needs transfers of a given size and the times at which they end")
    mix_of(experiment)


def readings(ledger: Ledger, experiment: Experiment) -> list[Reading]:
    """Other plausible choices for what the paper leaves open, each against the base alone."""
    two_way = experiment.traffic["direction"] == "two-way"
    bdp = bdp_packets(ledger, experiment)
    inverted = {name: f"{ALGORITHMS[name]}-inverted" for name in ("cerlplus", "cerlplus2")}
    rows = [
        Reading(
            "inverted",
            "CERL+ with A = T / RTTavg instead of RTTavg / T",
            "threshold",
            "the printed threshold can never be passed, so either it is meant the other way round or CERL+ never cuts",
            {"algorithms": inverted},
            frozenset(inverted),
            (("cerl-plus-inverted", None),),
        ),
        Reading(
            "tie-gt",
            "CERL's test strict: a queue just at the threshold is a random loss",
            "tie",
            "the thesis writes both l > N and l >= N",
            {
                "algorithms": {
                    name: {"name": ALGORITHMS.get(name, name), "cerl_cmp": "gt"} for name in ("cerl", "cerlplus")
                }
            },
            frozenset({"cerl", "cerlplus"}),
            (("cerl", "cerl_cmp"),),
        ),
        Reading(
            "cubic-2008",
            "CUBIC of 2008 instead of RFC 9438",
            "cubic",
            "the module of the ns-2 years is the older CUBIC",
            {"algorithms": {"cubic": "cubic-2008"}},
            frozenset({"cubic"}),
            (("cubic-2008", None),),
        ),
        Reading(
            "queue-bdp",
            f"queues of one bandwidth-delay product ({bdp} packets)",
            "queue",
            "the queue's length is not stated, and CERL's estimate of the longest queue scales with it",
            {"queue": "bdp"},
        ),
        Reading(
            "rwnd-20",
            "receiver window of 20 segments",
            "rwnd",
            "the stock value of ns-2 scripts that set none",
            {"window_segments": 20},
        ),
        Reading(
            "loss-forward" if two_way else "loss-both",
            "random loss in the forward direction only" if two_way else "random loss in both directions, ACKs included",
            "lossdir",
            "the thesis gives a loss rate for the link and names no direction",
            {"loss_direction": "forward" if two_way else "both"},
        ),
        Reading(
            "loss-queue",
            "random loss before the queue instead of after it",
            "lossplace",
            "ns-2 has both ways of attaching an error model",
            {"loss_at": "queue"},
        ),
        Reading(
            "starts-1s",
            "all flows start within the first second",
            "starts",
            "only different times are stated",
            {"start_s": (0.0, 1.0)},
        ),
        Reading(
            "all-sack",
            "all loss-based senders recover with SACK",
            "recovery",
            "the papers do not say which loss recovery carries each window rule",
            {"recovery": "sack"},
            LOSS_BASED,
        ),
        Reading(
            "two-way-separate",
            "the reverse data as flows of their own, not on the same connection",
            "twoway",
            "one-way agents of ns-2 cannot carry data and ACKs together",
            {"two_way": "separate"},
        ),
    ]
    present = {*experiment.open, "recovery"}
    return [row for row in rows if row.open in present and row.concerns(experiment.variants)]


def bdp_packets(ledger: Ledger, experiment: Experiment) -> int:
    """One bandwidth-delay product of the narrowest shared link over the empty round trip, in packets of the experiment."""
    topology = ledger.topologies[experiment.topology]
    try:
        rates = [_number(link.rate_mbps) for link in topology.links[1:-1]]
        round_trip_ms = 2 * sum(_number(link.delay_ms) for link in topology.links)
        packet_bytes = segment_bytes(experiment) + HEADER_BYTES
        return round(min(rates) * 1000 * round_trip_ms / 8 / packet_bytes)
    except TypeError:
        return 0


_KIND_WORDS = {
    "illustration": "an illustration of a sender's rules segment by segment",
    "quoted": "a number quoted from other work",
    "asserted": "a statement without a run",
    "summary": "a summary over other figures",
}


def _kind_hint(experiment: Experiment) -> str:
    if experiment.covers:
        return (
            "reproduce the figures that it covers: "
            + ", ".join(f"`{name}`" for name in experiment.covers[:4])
            + ", ..."
        )
    return "figures with a sweep, such as `saedi2019/fig3.5`, can be reproduced"


def _number(value: Any) -> float:
    if not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is not a number")
    return float(value)
