"""Runs in the formats of other tools: packet captures, qlog, ns-3's text, mahimahi's traces.

Each function makes the run (:class:`Source` says which) and writes what it recorded. A run has the same numbers
whatever is written of it, and the same bytes each time.
"""

from __future__ import annotations

from windlass.export.mahimahi import opportunities, write_delivered, write_opportunities
from windlass.export.ns3 import write_ns3
from windlass.export.packets import LIMIT, Captured, write_pcapng
from windlass.export.qlog import write_qlog
from windlass.export.source import Source

__all__ = [
    "FORMATS",
    "LIMIT",
    "Captured",
    "Source",
    "opportunities",
    "write_delivered",
    "write_ns3",
    "write_opportunities",
    "write_pcapng",
    "write_qlog",
]

FORMATS = {
    "pcapng": "packets as they passed points of the network, for Wireshark and tshark; a file",
    "qlog": "windows, RTTs, losses and sends of each flow, by the current drafts of qlog; a folder",
    "qvis": "the same as qvis and other tools read it, by version 0.3 of qlog; a folder",
    "ns3": "lines `time value` for each flow and variable, as the examples of ns-3 write them; a folder",
    "mahimahi": "delivery opportunities of a link, or what flows delivered; a file",
}
"""What there is, and whether `-o` names a file or a folder."""
