"""Cells and chains of a description as ns-2's Mac/802_11 can have them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windlass.validation.tcl.links import Direction, both_directions
from windlass.validation.tcl.words import refuse, shown, value_of

KINDS = ("wlan", "chain")
"""Topologies with a radio medium that can be written."""

_TOPOLOGY = {
    "kind",
    "send_jitter",
    "nodes",
    "spacing",
    "stations",
    "access_points",
    "placing",
    "positions",
    "ap_positions",
    "hosts",
    "backbone",
    "access",
    "radio",
}
"""Keys of cells and chains that are read."""

_FIXED: dict[str, Any] = {
    "mac_bytes": "34 B",
    "extra_mac_bytes": "0 B",
    "cca": "0 s",
    "round_us": False,
    "rts_rate": "auto",
    "protection": "off",
    "draw": "below-cw",
    "immediate_access": False,
    "backoff_after_drop": False,
    "after_timeout": "difs",
    "timeouts": "whole-answer",
    "eifs": "nav",
    "eifs_below_rx": True,
    "nav_round": "nearest",
    "nav_reset": False,
    "capture": "first",
    "counters": "station",
    "responder": "ns2",
    "light": "300000000 m/s",
    "reception": "threshold",
    "travel": "exact",
    "shadowing": "0 dB",
    "fading": "off",
    "least_distance": "0 m",
    "rate_control": "fixed",
    "ap_queues": "one",
    "edca": False,
    "ampdu": False,
}
"""What ns-2's MAC and card have no other way of."""

_FREE = {
    "set",
    "cw_min_dsss",
    "dsss_long_preamble",
    "dsss_preamble",
    "ofdm_preamble",
    "signal_extension",
    "data_rates",
    "protection_rate",
    "path_exponent",
    "noise",
    "arf_start",
    "ampdu_max_mpdus",
    "move_step",
    "shadowing_coherence",
    "ampdu_max_bytes",
    "ampdu_max_us",
    "ampdu_min",
    "mpdu_retry_limit",
    "reorder_timeout",
    "bar",
}
"""What makes no difference in ns-2's sets."""

_WRITTEN = {
    "slot",
    "sifs",
    "difs",
    "cw_min",
    "cw_max",
    "short_retry_limit",
    "long_retry_limit",
    "plcp_bits",
    "plcp_rate",
    "rate",
    "basic_rates",
    "rts_threshold",
    "propagation",
    "frequency",
    "tx_power",
    "antenna_height",
    "rx_threshold",
    "cs_threshold",
    "capture_ratio",
    "queue",
    "ap_queue",
    "queue_counting",
    "loss",
    "link_layer",
    "arp",
    "routing_bytes",
    "rates",
}
"""What becomes a setting."""


@dataclass(frozen=True)
class RadioPlan:
    """Nodes of a description with a radio medium.

    Attributes
    ----------
    chain : bool
        Whether there is no access point.
    stations : dict
        Places of the radio nodes in metres, the access point first.
    links : tuple of Direction
        The wired part.
    radio : mapping
        The medium's table.
    """

    chain: bool
    stations: dict[str, tuple[float, float]]
    links: tuple[Direction, ...]
    radio: Mapping[str, Any]

    @property
    def access_point(self) -> str | None:
        """The node through which all packets of a cell go."""
        return None if self.chain else next(iter(self.stations))

    @property
    def wired(self) -> list[str]:
        """Nodes that have no radio."""
        nodes = dict.fromkeys(name for one in self.links for name in (one.source, one.target))
        return [name for name in nodes if name not in self.stations]


def radio_plan(topology: Mapping[str, Any]) -> RadioPlan:
    """Read and check a topology of :data:`KINDS`.

    Raises
    ------
    InputError
        With the code ``validate.not-expressible``, naming the key.
    """
    if topology.get("moves"):
        refuse("topology.moves", None, "stations of the scripts stand still", "leave `moves` out")
    for key in topology.keys() - _TOPOLOGY:
        refuse(f"topology.{key}", topology[key], "the generator has no such thing", f"leave `{key}` out")
    radio = topology["radio"]
    _check_radio(radio)
    if topology["kind"] == "chain":
        spacing = value_of(topology["spacing"])[0]
        _check_hops(spacing, radio)
        places = {f"n{i}": (i * spacing, 0.0) for i in range(topology["nodes"])}
        return RadioPlan(True, places, (), radio)
    if topology["access_points"] != 1:
        refuse(
            "topology.access_points",
            topology["access_points"],
            "ns-2's stations do not choose among several",
            "write `access_points = 1`",
        )
    ((x, y),) = topology.get("ap_positions") or [("0 m", "0 m")]
    places = {"ap/0": (value_of(x)[0], value_of(y)[0])}
    places |= {f"station/{i}": place for i, place in enumerate(_places(topology))}
    links: list[Direction] = []
    if topology["hosts"] == 1:
        links += both_directions("ap/0", "wired/0", topology["backbone"], "topology.backbone")
    elif topology["hosts"] > 1:
        links += both_directions("ap/0", "gateway", topology["backbone"], "topology.backbone")
        for i in range(topology["hosts"]):
            links += both_directions("gateway", f"wired/{i}", topology["access"], "topology.access")
    return RadioPlan(False, places, tuple(links), radio)


def _places(topology: Mapping[str, Any]) -> list[tuple[float, float]]:
    count, placing = topology["stations"], topology.get("placing")
    if topology.get("positions"):
        return [(value_of(x)[0], value_of(y)[0]) for x, y in topology["positions"]]
    if not placing:
        # Without a distance all power arrives in ns-2, too.
        return [(0.0, 0.0)] * count
    if placing["kind"] == "circle":
        radius = value_of(placing["radius"])[0]
        turns = [2.0 * math.pi * i / count for i in range(count)]
        return [(radius * math.cos(turn), radius * math.sin(turn)) for turn in turns]
    if placing["kind"] == "line":
        return [(value_of(placing["spacing"])[0] * (i + 1), 0.0) for i in range(count)]
    refuse("topology.placing.kind", placing["kind"], "only what is not drawn is written", "write `positions`")


def _check_radio(radio: Mapping[str, Any]) -> None:
    for key, wanted in _FIXED.items():
        if not _alike(radio.get(key, wanted), wanted):
            hint = f"write `{key} = {shown(wanted)}`, or take a set of ns-2, `ns2-default`"
            refuse(f"topology.radio.{key}", radio[key], "ns-2's MAC has no such rule", hint)
    for key in radio.keys() - _FIXED.keys() - _FREE - _WRITTEN:
        if radio[key] not in (None, False, "off", 0, [], {}):
            refuse(f"topology.radio.{key}", radio[key], "the generator has no such thing", f"leave `{key}` out")
    if radio["propagation"] not in ("two-ray", "free-space"):
        hint = 'write `propagation = "two-ray"`'
        refuse("topology.radio.propagation", radio["propagation"], "only these two are written", hint)
    if len(radio["basic_rates"]) != 1:
        refuse("topology.radio.basic_rates", radio["basic_rates"], "ns-2 has one", "write a list of one rate")
    if radio["plcp_bits"] % 8:
        refuse("topology.radio.plcp_bits", radio["plcp_bits"], "ns-2 has whole bytes", "write a multiple of 8")
    slot, sifs, difs = (value_of(radio[key])[0] for key in ("slot", "sifs", "difs"))
    if abs(difs - sifs - 2 * slot) > 1e-12:
        hint = f'write `difs = "{1e6 * (sifs + 2 * slot):g} us"`'
        refuse("topology.radio.difs", radio["difs"], "in ns-2 it is SIFS and two slots", hint)
    for key in ("queue", "ap_queue"):
        _limit(radio, key)
    loss = radio["loss"]
    if loss["model"] == "gilbert":
        hint = 'write `model = "ns2-two-state"`'
        refuse("topology.radio.loss.model", loss["model"], "ns-2's runs are of another kind", hint)
    if loss["frames"] != "all" and loss["at"] == "mac":
        refuse("topology.radio.loss.frames", loss["frames"], "ns-2's models meet every frame", 'write `frames = "all"`')


def _alike(value: Any, wanted: Any) -> bool:
    """Whether two values are the same, in whatever unit."""
    if isinstance(value, str) and isinstance(wanted, str) and value[:1].isdigit() and wanted[:1].isdigit():
        return value_of(value)[0] == value_of(wanted)[0]
    return bool(value == wanted)


def queue_limit(radio: Mapping[str, Any], access_point: bool) -> int:
    """Limit of a node's queue as ns-2 counts it: one packet less may wait."""
    limit = _limit(radio, "ap_queue" if access_point else "queue")
    return limit if radio["queue_counting"] == "ns2" else limit + 1


def _limit(radio: Mapping[str, Any], key: str) -> int:
    size, unit = value_of(radio[key]) if isinstance(radio[key], str) else (0.0, "")
    if unit != "packets":
        hint = 'write it in packets, `"50 packets"`'
        refuse(f"topology.radio.{key}", radio[key], "in front of ns-2's MAC is a DropTail queue of packets", hint)
    return int(size)


def _check_hops(spacing: float, radio: Mapping[str, Any]) -> None:
    """A node that can be skipped leaves several shortest ways."""
    if power_at(2 * spacing, radio) >= watts(radio["rx_threshold"]):
        refuse(
            "topology.spacing",
            f"{spacing:g} m",
            "a frame reaches two nodes further, and ns-2's routes may be other ones",
            "write more than half of the range",
        )


def power_at(distance: float, radio: Mapping[str, Any]) -> float:
    """Received power in W, as ns-2 computes it."""
    wave = 3e8 / value_of(radio["frequency"])[0]
    sent, height = watts(radio["tx_power"]), value_of(radio["antenna_height"])[0]
    if radio["propagation"] == "two-ray" and distance > 4 * math.pi * height**2 / wave:
        return sent * height**4 / distance**4
    return sent * (wave / (4 * math.pi * distance)) ** 2 if distance > 0 else sent


def watts(text: str) -> float:
    """A power of an effective description in W."""
    value, unit = value_of(text)
    return 10.0 ** ((value - 30.0) / 10.0) if unit == "dBm" else value
