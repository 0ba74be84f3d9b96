"""The path of the reference as scenarios.

A sender, a bottleneck that serves a FIFO queue, a hop that loses packets and delays the others, a receiver. What is
lost has used the bottleneck's time. The path back has no limit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from windlass.validation.linux.reference import LIMITED_SEGMENTS, MSS, Case, Others, Point

if TYPE_CHECKING:
    from windlass.scenario import Scenario

HEADER = "54 B"
"""Ethernet 14, IP 20, TCP 20 bytes; timestamps add 12, so a full segment has 1514 bytes."""

WINDOW = "723 segments"
"""Receiver's window in the end, 1 047 136 bytes: never the limit."""

HERE = {"reno": "newreno", "westwood": "westwood-plus", "bic": "bic", "highspeed": "highspeed"}
"""Kernel's names of algorithms that have another name here."""

UNLIMITED = {"rate": "1 Tbps", "queue": "100000 packets"}

STAND_IN = {"recovery": "sack", "timestamps": True}
"""Rules beside those of the profile ``rfc``, as long as there is no profile ``linux``."""

VARIANTS: dict[str, dict[str, Any]] = {
    "": {},
    "norack": {"recovery": "sack"},
    "nosack": {"recovery": "newreno"},
    "nots": {"timestamps": False},
}
"""Settings of a variant of the cases. ``norack``: ``tcp_recovery=0 tcp_early_retrans=0``; ``nosack``: ``tcp_sack=0``,
so neither RACK nor probes; ``nots``: ``tcp_timestamps=0`` and the same MSS."""


@cache
def profile() -> str:
    """The profile that is compared: ``linux`` if this engine has it, else ``rfc``."""
    from windlass import _core

    rules: list[dict[str, Any]] = json.loads(_core.rules())
    return "linux" if "linux" in rules[0] else "rfc"


@cache
def algorithm(kernel: str) -> str | None:
    """The algorithm that stands for one of the kernel's; ``None``: there is none.

    A variant ``NAME-linux``, which follows the kernel where it departs from the paper, goes before the paper's.
    """
    from windlass import _core

    names = {row["name"] for row in json.loads(_core.algorithms())}
    here = HERE.get(kernel, kernel)
    return next((name for name in (f"{here}-linux", f"{kernel}-linux", here) if name in names), None)


def why_not(kernel: str, variant: str = "", other: Others | None = None) -> str | None:
    """Why a case or a point has no counterpart here, if so."""
    if algorithm(kernel) is None:
        return f"there is no algorithm `{kernel}`"
    if variant not in VARIANTS:
        return f"the settings of the variant `{variant}` are not known"
    if other is not None and other.unknown:
        return f"`{other.unknown}` has no counterpart here"
    return None


def of_case(case: Case) -> Scenario:
    """The scenario of a run without randomness, which records windows and what was sent."""
    drops = {"forward": [number - 1 for number in case.dropped()], "count": "data"}
    flow: dict[str, Any] = {"tcp": dict(VARIANTS[case.variant])}
    if profile() == "linux":
        flow["tcp"] |= {"timer_wheel": "linux", "timer_phase": f"{case.phase_us} us"}
    if case.limited:
        flow["size"] = f"{LIMITED_SEGMENTS * MSS} B"
    return _scenario(case, {"drops": drops}, flow, {"traces": ["window", "sent"]}, more=_others(case.other))


def _others(other: Others) -> list[dict[str, Any]]:
    """Hops that lose or hold what the column `other` says.

    Behind the one that loses ACKs is one that loses SYNs and the answers to them, so that the first sees a single
    answer, number 0 on its way back, and the number of an ACK there is that of the list.
    """
    hops: list[dict[str, Any]] = []
    if other.acks:
        hops.append({"name": "acks", "drops": {"reverse": list(other.acks)}})
    if other.syns or other.synacks:
        syns, answers = ([number - 1 for number in numbers] for numbers in (other.syns, other.synacks))
        hops.append({"name": "handshake", "drops": {"forward": syns, "reverse": answers}})
    if other.delay:
        late = {"name": "late", "delay": other.delay, "reverse": {"delay": "0 s", "reorder": False}}
        if other.gap:
            late["reorder"] = {"every": other.gap, "early": other.delay}
        hops.append(late)
    return hops


def of_point(point: Point, seeds: int) -> Scenario:
    """The scenario of runs under random loss."""
    return _scenario(point, {"loss": f"{point.loss_percent} %"}, {}, {}, seeds)


def _scenario(
    about: Case | Point,
    lost: dict[str, Any],
    flow: dict[str, Any],
    output: dict[str, Any],
    seeds: int = 1,
    more: Sequence[dict[str, Any]] = (),
) -> Scenario:
    """The path, with `more` hops behind the one that loses and delays."""
    from windlass.scenario import from_dict

    bottleneck = {
        "name": "bottleneck",
        "rate": about.rate,
        "delay": "0 s",
        "queue": f"{about.queue_packets} packets",
        "queue_counting": "ns2",  # one packet of the limit is in service
        "reverse": UNLIMITED,
    }
    lossy = {"name": "lossy", "delay": about.delay} | UNLIMITED | lost
    hops = [bottleneck, lossy, *({"delay": "0 s"} | UNLIMITED | hop for hop in more)]
    nodes = ["snd", *(f"r{number}" for number in range(1, len(hops))), "rcv"]
    links = [{"from": a, "to": b} | hop for a, b, hop in zip(nodes, nodes[1:], hops, strict=False)]
    rules = {"header": HEADER, "window": WINDOW} | (STAND_IN if profile() == "rfc" else {})
    return from_dict(
        {
            "scenario": {
                "name": about.name,
                "duration": f"{about.seconds} s",
                "profile": profile(),
                "seeds": seeds,
            },
            "topology": {"kind": "graph", "send_jitter": "0 s", "links": links},
            "tcp": rules,
            "flows": [
                {"from": "snd", "to": "rcv", "algorithm": algorithm(about.algorithm), "segment": f"{MSS} B"} | flow
            ],
            "output": output,
        }
    )
