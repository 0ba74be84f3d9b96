"""What was measured, what the links can carry, and which points a check means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from windlass.ledger import Check
from windlass.verdicts.derived import derived, mean_value, value
from windlass.verdicts.intervals import CONFIDENCE, Cell, Samples, Series, averaged
from windlass.verdicts.words import place

Point = tuple[Any, ...]


@dataclass(frozen=True)
class Limit:
    """Most that one setting can carry.

    ``total_mbps`` of payload for all flows together, ``per_flow_mbps`` its share for each of ``flows``; ``text`` is the
    arithmetic.
    """

    total_mbps: float
    per_flow_mbps: float
    flows: int
    text: str


@dataclass(frozen=True)
class Data:
    """Measurements of one experiment in one reading.

    Parameters
    ----------
    experiment : str
        Id of the experiment.
    axes : tuple of str
        Swept keys as the ledger has them.
    points : tuple of tuple
        Values along the axes, in the ledger's order.
    fixed : mapping
        Keys that were set and not swept.
    values : mapping of (metric, variant, point) to mapping of seed to float
        What each run gave.
    drawn_over : tuple of str
        What a figure has on its axis and runs do not sweep, such as time.
    loss_axis : str
        The axis that is a rate of random loss; empty if there is none.
    series : mapping of (series, variant, point) to mapping of seed to list of (seconds, value)
        What was recorded over time.
    tables : mapping
        Printed tables of the paper by id.
    decisions : mapping of (variant, point) to list of runs
        For each run, what the sender did at each of its losses.
    by_run : bool
        Whether each point is one run, as where a paper draws its seeds along an axis. What is said of a point is then
        said of that run, and the mean over points is a mean over runs.
    confidence : float
        Of the intervals that are made from these measurements.
    wide : bool
        Whether these intervals allow for skewed values.
    asked : set, optional
        Takes each cell that is asked for.
    """

    experiment: str
    axes: tuple[str, ...]
    points: tuple[Point, ...]
    fixed: Mapping[str, Any]
    values: Mapping[tuple[str, str, Point], Samples]
    drawn_over: tuple[str, ...] = ()
    loss_axis: str = ""
    series: Mapping[tuple[str, str, Point], Mapping[int, Sequence[tuple[float, float]]]] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    decisions: Mapping[tuple[str, Point], Sequence[Sequence[Mapping[str, float]]]] = field(default_factory=dict)
    by_run: bool = False
    confidence: float = CONFIDENCE
    wide: bool = False
    asked: set[Cell] | None = field(default=None, compare=False, repr=False)

    def get(self, metric: str, variant: str, points: Sequence[Point]) -> Series:
        """Value by seed, averaged over points; empty if some point was not measured."""
        if derived(metric) and len(points) > 1 and not self.by_run:
            return mean_value(self, metric, variant, points)
        tables = [self._one(metric, variant, point) for point in points]
        if not self.by_run:
            return averaged(tables)
        cells = frozenset(cell for table in tables for cell in table.cells)
        runs = {seed: number for table in tables for seed, number in table.items()} if all(tables) else {}
        return Series(runs, self.confidence, cells, exact=len(tables) == 1, wide=self.wide)

    def _one(self, metric: str, variant: str, point: Point) -> Series:
        if derived(metric):
            return self._derived(metric, variant, point)
        cell = self.cell(variant, point)
        if self.asked is not None:
            self.asked.add(cell)
        values = self.values.get((metric, variant, point), {})
        return Series(values, self.confidence, frozenset([cell]), wide=self.wide)

    def cell(self, variant: str, point: Point) -> Cell:
        """Where a variant's runs at a point are."""
        return (self.experiment, variant, point)

    def _derived(self, metric: str, variant: str, point: Point) -> Series:
        """A metric made of others, with the cells of all of them."""
        probe = replace(self, asked=set())
        found = value(probe, metric, variant, point)
        cells = frozenset(probe.asked or ())
        if self.asked is not None:
            self.asked.update(cells)
        return Series(found, self.confidence, cells, wide=self.wide)

    @cached_property
    def variants(self) -> tuple[str, ...]:
        """Variants that were measured."""
        return tuple(dict.fromkeys(variant for _, variant, _ in self.values))

    @cached_property
    def metrics(self) -> frozenset[str]:
        """Metrics that were measured."""
        return frozenset(metric for metric, _, _ in self.values)

    def select(self, at: Mapping[str, Any]) -> list[Point]:
        """Points that a check's ``at`` means: a number is a point, two are a range, more or names are a set."""
        for key in at:
            if key not in self.axes and key not in self.fixed:
                raise Unmeasured(f"needs `{key}`, which this experiment neither sweeps nor fixes")
        if any(not matches(self.fixed[key], wanted) for key, wanted in at.items() if key not in self.axes):
            return []
        return [
            point
            for point in self.points
            if all(matches(point[self.axes.index(key)], wanted) for key, wanted in at.items() if key in self.axes)
        ]

    def label(self, point: Point) -> str:
        """``(1,)`` of ``q_percent`` as ``q = 1 %``."""
        return self.along(point, range(len(self.axes)))

    def along(self, point: Point, kept: Iterable[int]) -> str:
        """The same for some of the axes, by their numbers."""
        return place((self.axes[index], point[index]) for index in kept)


class Unmeasured(Exception):
    """The check needs something that the data do not have."""


Others = Callable[[str], Data | None]


class Limits(Protocol):
    """Most that can be carried of a variant at a point; ``at_once``: if all flows start together."""

    def __call__(self, point: Point, variant: str, at_once: bool = False, /) -> Limit | None:
        """The limit, or none if none is known."""


def require(check: Check, data: Data) -> None:
    """Stop if a metric or a variant was not measured, or if the check is about an axis that runs do not sweep."""
    for key in data.drawn_over:
        if check.get("pick") != "mean" and key not in (check.get("avg_over") or []):
            raise Unmeasured(f"needs values along `{key}`, of which runs give the mean")
    metric = str(check["metric"])
    if derived(metric):
        metric = "throughput"
    if metric not in data.metrics:
        raise Unmeasured(f"needs `{metric}`, which the tables of runs do not give")
    for variant in check.variants:
        if variant not in data.variants:
            raise Unmeasured(f"needs runs of `{variant}`, which this experiment does not have")


def matches(value: Any, wanted: Any) -> bool:
    """Whether a value is what a check's ``at`` wants: equal, inside two ends, or in a set."""
    if value is None:
        return False
    if isinstance(wanted, list):
        if len(wanted) == 2 and all(isinstance(item, (int, float)) for item in wanted):
            return bool(wanted[0] <= value <= wanted[1])
        return value in wanted
    return bool(value == wanted)
