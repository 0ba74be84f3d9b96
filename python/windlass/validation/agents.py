"""Agents of ns-2 that are an algorithm here with rules of its own."""

from __future__ import annotations

from typing import Any

from windlass.validation.figures import HEADER_BYTES


def linux_westwood() -> tuple[dict[str, Any], dict[str, Any]]:
    """Algorithm and rules of TCP/Linux's Westwood+: SACK, timestamps on every segment and a clock of 1 ms."""
    algorithm = {"name": "westwood-plus", "wp_impl": "ns2linux"}
    return algorithm, {
        "recovery": "sack",
        "timestamps": True,
        "header": f"{HEADER_BYTES + 10} B",
        "rtt_tick": "1 ms",
        "rto_max": "120 s",
    }
