"""Figures measured with ns-2 2.35 that come with the package.

The files ``reference/ns2/*.csv`` hold means and 95 % intervals over ten seeds, those of 802.11 over five. A row is
*judged* if every agent in it follows the rules of an algorithm here; *reported* if its agent is Westwood+ of ns-2's
Linux agent, which has a near counterpart; and left out, but counted, if it has no counterpart. A row with data both
ways on the flows under test makes two points, one for each direction.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from importlib import resources
from typing import Any

VARIANTS = ("newreno", "sack", "reno", "tahoe", "vegas")
"""Agents of ns-2 that follow the rules of an algorithm here."""

DATAGRAMS = "udp"
"""What flows without TCP are called where the agent stands."""

FULL = "full-"
"""How names of the agents that send both ways on one connection (FullTcp) begin; the rest names the algorithm."""

REPORTED = "linux-westwood"
"""Agent of ns-2 with a near counterpart here."""

FAMILIES: dict[str, str] = {
    "saedi_config1_oneway": "Saedi, configuration 1, one-way",
    "saedi_fairness": "Saedi, fairness",
    "saedi_config1_twoway": "Saedi, configuration 1, two-way",
    "saedi_config2": "Saedi, configuration 2",
    "huq_61_lossy_link": "Huq 6.1, lossy link",
    "huq_62_reverse": "Huq 6.2, reverse traffic",
    "huq_71_wired_wireless": "Huq 7.1 and 7.5, wired and lossy links",
    "huq_63_ten_nodes": "Huq 6.3, ten nodes",
}
"""Files of stored figures of wired networks, with what they are called on the page."""

RADIO_FAMILIES: dict[str, str] = {
    "cell_udp": "Saturated cells",
    "cell_hidden": "Hidden stations",
    "cell_rates": "Stations of two rates",
    "cell_tcp": "Uploads and downloads through one access point",
    "cell_chain": "Chains with TCP",
    "cell_loss": "Frame loss",
    "janevski_chain_1mbps": "Janevski, chains at 1 Mbps",
    "janevski_frozen_1mbps": "The same nine nodes, routes standing still in ns-2",
    "dalal_wlan": "Dalal, one station and a wired host",
    "radio_settings": "Other settings of cells and chains",
}
"""Families of stored figures of 802.11. Those that begin with ``cell_`` stand in one file."""

SLACK, RADIO_SLACK = 0.03, 0.1
"""By what share of ns-2's mean a figure here may differ beyond the intervals: wired networks, 802.11."""

HEADER_BYTES = 40

BACK = "back"
"""Group of the one-way flows that go back."""

OTHERS = ("cbr", "other", "other-back")
"""Groups of flows whose goodput is not compared."""


class Status(Enum):
    """What is done with a stored point."""

    JUDGED = "judged"
    REPORTED = "reported"
    NO_COUNTERPART = "no counterpart"


@dataclass(frozen=True)
class StoredPoint:
    """One row of the stored figures.

    Attributes
    ----------
    family, scenario, variant, parameter, value : str
        What was run, as the row says; ``variant`` has a ``+`` between the agents of mixed flows.
    mean_mbps, half_width_mbps : float
        Sum of the flows' goodput and the half width of its 95 % interval, Mbit/s, header bytes taken out.
    seeds : int
        Number of runs.
    reverse : bool
        Whether this is the goodput of the data that flow back.
    arguments : str
        Arguments of the script that measured it, where the file has them.
    """

    family: str
    scenario: str
    variant: str
    parameter: str
    value: str
    mean_mbps: float
    half_width_mbps: float
    seeds: int
    reverse: bool = False
    arguments: str = ""

    @property
    def radio(self) -> bool:
        """Whether it is a figure of 802.11."""
        return self.family in RADIO_FAMILIES

    @property
    def slack(self) -> float:
        """By what share of the mean a figure here may differ beyond the intervals."""
        return RADIO_SLACK if self.radio else SLACK

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Family, agent, scenario and value: what tells this point from all others."""
        return (self.family, self.variant, self.label, self.value)

    @property
    def label(self) -> str:
        """The scenario, and which direction."""
        return self.scenario + (", reverse" if self.reverse else "")

    def counts(self, row: Mapping[str, Any]) -> bool:
        """Whether a row of the table ``flows`` adds to this point: not what only makes traffic for others."""
        back = row["group"] == BACK or row["direction"] == "reverse"
        return row["group"] not in OTHERS and back == self.reverse

    @property
    def agents(self) -> list[str]:
        """Agents of the flows, one for each in turn."""
        return self.variant.split("+")

    @property
    def status(self) -> Status:
        """What is done with this point."""
        agents = {agent.removeprefix(FULL) for agent in self.agents}
        if agents <= {*VARIANTS, DATAGRAMS}:
            return Status.JUDGED
        return Status.REPORTED if agents <= {*VARIANTS, REPORTED} else Status.NO_COUNTERPART


def stored_points(*statuses: Status, families: tuple[str, ...] = tuple(FAMILIES)) -> Iterator[StoredPoint]:
    """Stored figures.

    Parameters
    ----------
    *statuses : Status
        Only points of these; all if none is given.
    families : tuple of str
        Only these families; by default those of wired networks.

    Yields
    ------
    StoredPoint
        In the order of the files.
    """
    for family in families:
        for row in _rows_of(family):
            scale, extra = _vegas_correction(family, row)
            point = StoredPoint(
                family=family,
                scenario=row["scenario"],
                variant=row["variant"],
                parameter=row["param"],
                value=row["value"],
                mean_mbps=float(row["goodput_mbps_mean"]) * scale - extra,
                half_width_mbps=float(row["goodput_ci95"]) * scale,
                seeds=int(row["seeds"]),
                arguments=row.get("arguments", ""),
            )
            if not statuses or point.status in statuses:
                yield point
                back = re.search(r"rev_ci95=([0-9.]+)", row.get("extra", ""))
                if back is not None:
                    mean, half = float(row["rev_goodput_mbps_mean"]), float(back[1])
                    yield replace(point, mean_mbps=mean, half_width_mbps=half, reverse=True)


@cache
def _rows(name: str) -> list[dict[str, str]]:
    file = resources.files("windlass").joinpath(f"reference/ns2/{name}.csv")
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def _rows_of(family: str) -> list[dict[str, str]]:
    if not family.startswith("cell_"):
        return _rows(family)
    return [row for row in _rows("cells") if row["family"] == family]


def _vegas_correction(family: str, row: dict[str, str]) -> tuple[float, float]:
    """Factor, and Mbit/s to take off afterwards, that turn a stored figure into goodput where Vegas takes part.

    The script divided the bytes received by the size of a segment with headers. Segments of ns-2's Vegas have none, and
    its SYN, which was counted too, is as long as a segment. The scripts of 802.11 counted segments; that of the cells
    made those of Vegas longer by a header, which is payload here.
    """
    agents = row["variant"].split("+")
    if "vegas" not in agents or family.startswith(("janevski", "radio")):
        return 1.0, 0.0
    if family.startswith("cell_"):
        payload = int(row["arguments"].split(" payload ")[1].split()[0])
        return 1.0 + HEADER_BYTES / payload, 0.0
    segment = 1000 if family.startswith("huq") else 1460
    duration_s = {"saedi_config1_oneway": 200, "huq_61_lossy_link": 325, "huq_62_reverse": 21}.get(family, 100)
    flows = 10
    if family == "saedi_fairness":
        flows = int(row["scenario"].split()[0]) if row["scenario"].endswith("equal flows") else agents.count("vegas")
    elif family == "huq_71_wired_wireless":
        flows = 7 if row["scenario"].startswith("7.5") else 1
    elif family in ("huq_61_lossy_link", "huq_62_reverse"):
        flows = 1
    return 1.0 + _vegas_share(row) * HEADER_BYTES / segment, flows * segment * 8.0 / duration_s / 1e6


def _vegas_share(row: dict[str, str]) -> float:
    """Share of Vegas flows in the sum: from the series of the flows where they are mixed with others."""
    agents = row["variant"].split("+")
    if set(agents) == {"vegas"}:
        return 1.0
    last: dict[int, float] = {}
    for sample in _rows("saedi_fairness_timeseries"):
        if all(sample[ours] == row[theirs] for ours, theirs in _SERIES):
            last[int(sample["flow"])] = float(sample["delivered_segments_mean"])
    return sum(n for flow, n in last.items() if agents[flow - 1] == "vegas") / sum(last.values())


_SERIES = (("scenario", "scenario"), ("variants", "variant"), ("q_percent", "value"))
"""Columns of the series, and of the row that they belong to."""
