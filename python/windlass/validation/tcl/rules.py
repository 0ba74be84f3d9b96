"""Rules of TCP that ns-2's agents have, and those that they do not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windlass.validation.tcl.words import refuse, shown, value_of

_FIXED: dict[str, Any] = {
    "initial_ssthresh": None,
    "recover_rule": "careful",
    "ns2_recovery": True,
    "half_base": "window",
    "whole_ssthresh": True,
    "rto_ssthresh_hold": False,
    "ss_count": "acks",
    "ca_count": "acks",
    "cwnd_limited": False,
    "clock_offset": None,
    "timestamps": False,
    "max_burst": "off",
    "ecn": False,
    "prr": False,
    "pacing": "algorithm",
    "freeze": False,
    "linux_recovery": False,
    "rto_floor": "timeout",
    "timer_wheel": "exact",
    "quick_acks": "off",
    "push": "off",
    "dsack": False,
    "sack_compression": False,
}
"""Rules that have one value in ns-2's agents."""

_FIXED_OF: dict[str, dict[str, Any]] = {
    "one-way": {"delayed_ack_mode": "per-segment"},
    "full": {"delayed_ack_mode": "heartbeat", "limited_transmit": "off", "dupack_from_data": False},
}
"""Those of either kind of agents."""

_FREE = {
    "delack_samples",
    "ss_limit",
    "ss_limit_rto",
    "dupack_from_data",
    "ecn_echo",
    "accecn_option",
    "ect",
    "pacing_slow_start",
    "pacing_factor",
    "pacing_burst",
    "pacing_quantum",
    "freeze_lead",
    "freeze_copies",
    "freeze_kick",
    "tail_probes",
    "undo",
    "timer_phase",
}
"""Rules that change nothing for a one-way flow that counts ACKs, without marks, pacing, handovers and use of its delay
samples, and with exact timers and a recovery that neither probes nor takes back."""

_WRITTEN = {
    "agent",
    "delayed_ack_mode",
    "window",
    "header",
    "initial_window",
    "recovery",
    "dup_threshold",
    "limited_transmit",
    "rto_init",
    "rto_min",
    "rto_max",
    "rtt_tick",
    "slow_start_restart",
    "delayed_ack",
    "delayed_ack_timer",
}
"""Rules that become settings of the agents."""


def check_rules(tcp: Mapping[str, Any], algorithm: str) -> None:
    """Refuse rules that ns-2's agent for an algorithm does not have."""
    if tcp["agent"] not in _FIXED_OF:
        refuse("flows.tcp.agent", tcp["agent"], "ns-2 has no such agent", 'write `agent = "one-way"` or `"full"`')
    for key, wanted in (_FIXED | _FIXED_OF[tcp["agent"]]).items():
        if tcp.get(key, wanted) != wanted:
            hint = f"leave `{key}` out" if wanted is None else f"write `{key} = {shown(wanted)}`"
            refuse(f"flows.tcp.{key}", tcp[key], f"ns-2's `{algorithm}` has no such rule", hint)
    for key in tcp.keys() - _FIXED.keys() - _FREE - _WRITTEN:
        if tcp[key]:
            refuse(f"flows.tcp.{key}", tcp[key], "the generator does not know this rule", f"leave `{key}` out")
    if tcp["recovery"] != algorithm:
        refuse(
            "flows.tcp.recovery",
            tcp["recovery"],
            f"ns-2's agent for `{algorithm}` recovers in its own way",
            "leave `recovery` out",
        )
    if tcp["slow_start_restart"] not in (True, False):
        refuse(
            "flows.tcp.slow_start_restart",
            tcp["slow_start_restart"],
            "ns-2's agents restart from the initial window, or not at all",
            "write true or false",
        )
    if tcp["limited_transmit"] not in ("all", "off"):
        refuse(
            "flows.tcp.limited_transmit",
            tcp["limited_transmit"],
            "in ns-2 every duplicate below the threshold releases a segment, or none does",
            'write `"all"` or `"off"`',
        )
    if value_of(tcp["rtt_tick"])[0] <= 0.0:
        refuse("flows.tcp.rtt_tick", tcp["rtt_tick"], "ns-2's clock has ticks", 'write a tick, such as `"1 ms"`')
    if tcp["delayed_ack"] not in (1, 2):
        refuse(
            "flows.tcp.delayed_ack",
            tcp["delayed_ack"],
            "ns-2's receivers acknowledge one or two segments",
            "write 1 or 2",
        )
