"""Introductions of the part of the page about 802.11."""

from __future__ import annotations

RADIO_INTRODUCTION = """## 802.11

Cells and chains of ns-2 2.35 that come with the package (`python/windlass/reference/ns2`: `cells.csv`,
`janevski_chain_1mbps.csv`, `janevski_frozen_1mbps.csv`, `dalal_wlan.csv`, `radio_settings.csv`), five runs on both sides: sum of the flows' goodput, Mbit/s, mean and half
width of the 95 % interval. A point is inside if the means differ by no more than the two half widths and 10 % of ns-2's
mean together; the column *allowed* gives this limit. Rules of ns-2's MAC that are not those of the standard are listed in
`specs/wlan.md`. Random numbers differ, so only means can be compared.

In the cells of this page flows start at random within half a second, the first 5 or 10 s are left out, and addresses are
known. Chains and WLANs of the papers are measured from the start of the flow, with ARP. Packets of ns-2's Vegas have no
header; the script of the cells makes them longer by 40 bytes, which is payload here, so these figures are multiplied by
that. `linux-westwood` is only reported, as above. Slow start of flows that begin at a radio node ends at 20 segments,
whatever their window: ns-2 resets the agents of wired nodes when a run begins, but not those of mobile ones, which keep
the threshold that the default `window_` gave them. Without this an upload through 5 Mbps repeats 260 segments in 60 s, and
18 in ns-2; with it, 19.
"""

NOTES: dict[str, str] = {
    "cell_udp": (
        "Stations on a circle of 20 m send saturated datagrams of 1000 bytes to the node in the middle. `def`, `b11`, "
        "`g54` are the sets `ns2-default`, `ns2-b11`, `ns2-g54`; `g54a` has a preamble of 20.333 us."
    ),
    "cell_hidden": "Two stations, 200 m on either side of the receiver, do not sense each other: both ranges are 250 m.",
    "cell_rates": "Two stations on a circle of 20 m, each with a data rate of its own (the value).",
    "cell_tcp": (
        "One station for each flow on a circle of 20 m round the access point, 100 Mbps and 5 ms to one host behind it. "
        "Segments of 1460 bytes, window 100, queues of 50."
    ),
    "cell_chain": "Nodes 200 m apart, one flow from end to end, segments of 512 bytes, queues of 50.",
    "cell_loss": "One upload as above. Every frame that a receiver hears is bad with this probability; 7 attempts.",
    "janevski_chain_1mbps": (
        "Nodes 200 m apart with ns-2's defaults (1 Mbps, RTS), one flow from end to end, segments of 512 bytes, window 20, "
        "about 149 s. `ifq` is the limit of the queues, `delack=2` an ACK for every second segment, the value the "
        "duplicates that mean a loss. With loss, every frame is bad with probability 20 % at every receiver, and packets are "
        "20 bytes longer (DSDV). Without, ns-2 had AODV; here routes never change."
    ),
    "janevski_frozen_1mbps": (
        "The chains of nine nodes without frame loss once more. ns-2 had the routes that DSDV found before the flow began and "
        "that were kept from then on; packets are 20 bytes longer."
    ),
    "dalal_wlan": (
        "One station 20 m from the access point uploads through a wire of 100 Mbps and 15 ms, segments of 1000 bytes, "
        "window 1000, 60 s. Errors are ns-2's two-state model at both receivers, or independent, or before the queues of "
        "the wire (above the MAC)."
    ),
    "radio_settings": (
        "Scenarios that `windlass validate ns2` ran in both: its scripts, its start times. All agents are reset, so slow "
        "start ends at the window. The file has each scenario whole. Eight more are not here: TCP through bursts of loss, or much loss "
        "above the MAC, where ns-2's interval is wider than 60 % of its mean; all of them overlap."
    ),
}
"""What a family is, before its table."""

CHECKS_INTRODUCTION = """### 802.11: what is known beforehand

Runs of scenarios with stations that always have something to send, beside arithmetic, formulas, and saturated cells and
chains of ns-2 2.35. Packets of 1500 bytes; three runs. `specs/wlan.md` has the numbers and formulas,
`python/windlass/validation/radio_formulas.py` computes them apart from the engine, and
`python/windlass/validation/radio_checks.py` has the scenarios.
"""
