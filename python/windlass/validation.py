"""Comparison with figures measured with ns-2 2.35.

The stored figures (``reference/ns2/*.csv``) are means and 95 % intervals over ten seeds, measured with ns-2's own agents. A
point agrees if the two means are no further apart than the two half widths and 3 % of ns-2's mean together.

``python -m windlass.validation`` runs every point and writes ``docs/validation.md``.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windlass.scenario import Scenario
    from windlass.stats import Interval

__all__ = ["Comparison", "StoredPoint", "compare", "page", "stored_points"]

SLACK = 0.03
"""Share of ns-2's mean by which two means may differ beyond their intervals."""

VARIANTS = ("newreno", "sack", "reno", "tahoe", "vegas")
"""Agents of ns-2 that follow the rules of an algorithm here."""

HEADER_BYTES = 40
PAYLOAD_BYTES = 1460
DURATION_S = 200

EXPLAINED = {
    ("vegas", "q-sweep window_=20 (ns-2 default)", "5"): (
        "ns-2's Vegas keeps the send times of its segments in a table of `window_` places. With 20 places a window that "
        "duplicates inflate beyond 20 overwrites times that are still needed, and later decisions use wrong ones. The "
        "same points with `window_` 1000 agree."
    ),
}
"""Points that differ, with the reason."""


@dataclass(frozen=True)
class StoredPoint:
    """One row of the stored figures.

    Attributes
    ----------
    scenario, variant, parameter, value : str
        What was run, as the row says.
    mean_mbps, half_width_mbps : float
        Sum of the flows' goodput and the half width of its 95 % interval, Mbit/s, header bytes taken out.
    seeds : int
        Number of runs.
    """

    scenario: str
    variant: str
    parameter: str
    value: str
    mean_mbps: float
    half_width_mbps: float
    seeds: int


@dataclass(frozen=True)
class Comparison:
    """A stored point beside the same point here."""

    stored: StoredPoint
    here: Interval

    @property
    def difference(self) -> float:
        """How far the mean here is from ns-2's, as a share of ns-2's."""
        return self.here.mean / self.stored.mean_mbps - 1.0

    @property
    def allowed(self) -> float:
        """How far it may be: the two half widths and the slack, as a share of ns-2's mean."""
        return (self.here.half_width + self.stored.half_width_mbps) / self.stored.mean_mbps + SLACK

    @property
    def agrees(self) -> bool:
        """Whether the means are close enough."""
        return abs(self.difference) <= self.allowed


def stored_points(variants: Iterable[str] = VARIANTS) -> Iterator[StoredPoint]:
    """Stored figures of configuration 1 of the thesis, one-way, for these agents.

    Yields
    ------
    StoredPoint
        In the order of the file.
    """
    text = resources.files("windlass").joinpath("reference/ns2/saedi_config1_oneway.csv").read_text(encoding="utf-8")
    wanted = set(variants)
    for row in csv.DictReader(text.splitlines()):
        if row["variant"] not in wanted:
            continue
        # The script divided the bytes received by the size of a segment with headers. Vegas' agent sends none.
        correction = (PAYLOAD_BYTES + HEADER_BYTES) / PAYLOAD_BYTES if row["variant"] == "vegas" else 1.0
        yield StoredPoint(
            scenario=row["scenario"],
            variant=row["variant"],
            parameter=row["param"],
            value=row["value"],
            mean_mbps=float(row["goodput_mbps_mean"]) * correction,
            half_width_mbps=float(row["goodput_ci95"]) * correction,
            seeds=int(row["seeds"]),
        )


def scenario_of(point: StoredPoint) -> Scenario:
    """The scenario that a stored point describes: ten pairs, 1 Mbps and 10 ms access, 8 Mbps and 50 ms between."""
    from windlass.scenario import from_dict

    access = {"rate": "1 Mbps", "delay": "10 ms", "queue": "50 packets"}
    right = dict(access)
    loss = {"model": "uniform", "rate": "1 %" if "q=1%" in point.scenario else "0 %", "at": "wire"}
    bottleneck: dict[str, Any] = {"rate": "8 Mbps", "delay": "50 ms", "queue": "50 packets", "loss": loss}
    match point.parameter:
        case "q_percent":
            loss["rate"] = f"{point.value} %"
        case "L_mbps":
            bottleneck["rate"] = f"{point.value} Mbps"
        case "L_delay_ms":
            bottleneck["delay"] = f"{point.value} ms"
        case "rcv_delay_ms":
            right["delay"] = f"{point.value} ms"
        case "L_queue_pkts":
            bottleneck["queue"] = f"{point.value} packets"
        case other:
            raise ValueError(f"unknown parameter {other} in the stored figures")
    if "both directions" in point.scenario:
        loss["direction"] = "both"
    if "lossmodel" in point.scenario:
        loss["at"] = "queue"
    window = "20 segments" if "window_=20" in point.scenario else "1000 segments"
    flows = {
        "from": "left/*",
        "to": "right/*",
        "algorithm": point.variant,
        "segment": f"{PAYLOAD_BYTES} B",
        "start": "uniform(0.01 s, 1.01 s)",
        "tcp": {"window": window},
    }
    return from_dict(
        {
            "scenario": {"name": "ns-2", "duration": f"{DURATION_S} s", "profile": "ns2", "seeds": 10},
            "topology": {"kind": "dumbbell", "pairs": 10, "access": access, "right": right, "bottleneck": bottleneck},
            "flows": [flows],
        }
    )


def compare(point: StoredPoint, *, seeds: int = 10, store: bool = True) -> Comparison:
    """Run a stored point here.

    Parameters
    ----------
    point : StoredPoint
        What to run.
    seeds : int
        Number of runs.
    store : bool
        Whether runs are kept and read.

    Returns
    -------
    Comparison
        Both means with their intervals.
    """
    from windlass.stats import mean_interval

    flows = scenario_of(point).sweep(seeds=seeds, store=store).flows
    sums: dict[int, float] = {}
    for seed, bps in zip(flows["seed"].to_pylist(), flows["goodput_run_bps"].to_pylist(), strict=True):
        sums[seed] = sums.get(seed, 0.0) + bps / 1e6
    return Comparison(point, mean_interval(list(sums.values())))


INTRODUCTION = """# Validation

Written by `make validate`; do not edit. The comparison with single runs of ns-2 in which nothing is random is a test,
`cargo test -p net --test ns2_droplist`, over the cases of `tests/differential/ns2-droplist`.

## Against ns-2 with random loss

Ten pairs of hosts, access links of 1 Mbps and 10 ms, a link of 8 Mbps and 50 ms between the routers, DropTail queues of 50
packets, random loss on the link between the routers, 200 s, profile `ns2`. Figures: sum of the goodput of the ten flows,
Mbit/s, mean and half width of the 95 % interval over ten seeds on both sides. A point agrees if the means differ by no more
than the two half widths and 3 % of ns-2's mean together.

ns-2 is release 2.35 with its own agents; the stored figures are in `python/windlass/reference/ns2`. Those of Vegas
are multiplied by 1500/1460: they were computed as if segments had headers, which ns-2's Vegas does not send.
"""


def page(comparisons: Iterable[Comparison]) -> str:
    """The page with a table of all comparisons and the reasons for those that differ.

    Parameters
    ----------
    comparisons : iterable of Comparison
        In the order in which they are to stand.

    Returns
    -------
    str
        Markdown.
    """
    rows = list(comparisons)
    agreeing = sum(c.agrees for c in rows)
    lines = [INTRODUCTION, f"{agreeing} of {len(rows)} points agree.", ""]
    lines += ["| agent | what varies | value | ns-2 | Windlass | difference | |", "|---|---|---|---|---|---|---|"]
    for c in rows:
        s = c.stored
        verdict = "agrees" if c.agrees else "**differs**"
        lines.append(
            f"| {s.variant} | {s.scenario}, {s.parameter} | {s.value} | {s.mean_mbps:.3f} ± {s.half_width_mbps:.3f} "
            f"| {c.here.mean:.3f} ± {c.here.half_width:.3f} | {100 * c.difference:+.1f} % | {verdict} |"
        )
    different = [c for c in rows if not c.agrees]
    if different:
        lines += ["", "### Points that differ", ""]
        for c in different:
            key = (c.stored.variant, c.stored.scenario, c.stored.value)
            lines.append(f"- {c.stored.variant}, {c.stored.scenario}, {c.stored.value}: {EXPLAINED.get(key, 'not explained')}")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run every stored point and write the page. Returns 1 if a point differs without a reason."""
    done = []
    for point in stored_points():
        comparison = compare(point)
        done.append(comparison)
        sign = "ok     " if comparison.agrees else "differs"
        sys.stderr.write(f"{sign} {point.variant} {point.scenario} {point.value}: {100 * comparison.difference:+.1f} %\n")
    Path("docs").mkdir(exist_ok=True)
    Path("docs/validation.md").write_text(page(done), encoding="utf-8")
    keys = [(c.stored.variant, c.stored.scenario, c.stored.value) for c in done if not c.agrees]
    return 1 if any(key not in EXPLAINED for key in keys) else 0


if __name__ == "__main__":
    sys.exit(main())
