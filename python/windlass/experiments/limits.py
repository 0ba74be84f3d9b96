"""What the links of an experiment carry at most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windlass.experiments.flows import HEADER_BYTES, mix_of, segment_bytes
from windlass.experiments.setting import Setting
from windlass.ledger import Experiment, Ledger
from windlass.verdicts import Limit


def limit(ledger: Ledger, experiment: Experiment, setting: Setting) -> Callable[[tuple[Any, ...]], Limit | None]:
    """Most payload that the experiment's links can carry, by point of its sweep.

    The narrowest of the cuts is taken: all sender links together, each shared link, all receiver links together. A flow's
    average is taken over its own active time, so a shared link is allowed the whole run's bits over the shortest active
    time; a host's own link needs no such allowance. With data both ways each direction has the links for itself.
    """
    topology = ledger.topologies[experiment.topology]
    segment = segment_bytes(experiment)
    share = segment / (segment + HEADER_BYTES)
    first = topology.links[0].count
    mix = mix_of(experiment)
    pairs = sum(count for _, count in mix.groups) if mix and mix.fixed else first
    if not isinstance(pairs, int):
        return lambda _: None
    directions = 2 if experiment.traffic["direction"] == "two-way" else 1
    stretch = setting.duration_s / (setting.duration_s - setting.start_s[1])

    def at(point: tuple[Any, ...]) -> Limit | None:
        values = {**experiment.fixed, **{axis.key: value for axis, value in zip(experiment.axes, point, strict=True)}}
        cuts: list[tuple[float, str]] = []
        for position, link in enumerate(topology.links):
            own = position in (0, len(topology.links) - 1)
            rate = values.get(f"rate_{link.name}_mbps", link.rate_mbps) if link.name else link.rate_mbps
            if not isinstance(rate, (int, float)):
                return None
            if own:
                side = "sender" if position == 0 else "receiver"
                words = f"{pairs} × {rate:g} Mbps {side} links carry at most {{:.2f}} Mbps of payload"
                cuts.append((pairs * rate * share, words))
            else:
                allowance = f", {stretch:.3f} times that over the flows' active time" if stretch > 1 else ""
                words = f"the {rate:g} Mbps of {link.name} carry at most {{:.2f}} Mbps of payload{allowance}"
                cuts.append((rate * share * stretch, words))
        total, words = min(cuts, key=lambda cut: cut[0])
        plain = total / stretch if "active" in words else total
        text = words.format(plain)
        text = f"{text[0].upper()}{text[1:]} ({segment} of every {segment + HEADER_BYTES} B)."
        if directions == 2:
            text = f"{text[:-1]} in each direction."
        flows = pairs * directions
        return Limit(total * directions, total / pairs, flows, text)

    return at
