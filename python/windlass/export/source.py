"""Which run is exported: of a scenario, or the one whose results are in a folder."""

from __future__ import annotations

import fnmatch
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from windlass.scenario import Point, Scenario
    from windlass.sweep import RunResult


@dataclass(frozen=True, eq=False)
class Source:
    """A run that can be made: a scenario of one point, and a seed.

    Attributes
    ----------
    scenario : Scenario
        Without a sweep, or with every swept key set.
    seed : int
        Seed of the run.
    """

    scenario: Scenario
    seed: int

    @classmethod
    def of(cls, scenario: Scenario, seed: int | None = None) -> Source:
        """The run of a scenario; by default with its first seed.

        Raises
        ------
        InputError
            If the scenario has more than one point.
        """
        points = scenario.points()
        if len(points) != 1:
            raise _many(f"`{scenario.name}` has {len(points)} points", next(iter(points[0].axes)))
        return cls(scenario, scenario.seeds[0] if seed is None else seed)

    @classmethod
    def of_folder(cls, folder: Path, seed: int | None = None) -> Source:
        """The run whose results :func:`windlass.output.write_run` or a sweep of one point left in a folder.

        What was not recorded then is not there: the run is made again. It gives the same numbers if this is the engine
        that made it; otherwise a warning says so.

        Raises
        ------
        InputError
            If the folder holds no results, those of several points, or none with that seed.
        """
        import windlass
        from windlass.folders import read_manifest

        try:
            manifest = read_manifest(folder)
            points, name = manifest["points"], manifest["scenario"]
            seeds, axes = list(points[0]["seeds"]), list(points[0]["axes"])
            description = points[0]["description"]
            document = {**description, "scenario": {**description["scenario"], "name": name}}
            first = seeds[0]
        except (OSError, LookupError, TypeError, ValueError) as error:
            raise InputError(
                f"holds no results of a run ({type(error).__name__})",
                code="export.no-results",
                file=str(folder),
                hint="give a scenario, or a folder that `windlass run --out` wrote",
            ) from None
        if len(points) != 1:
            raise _many(f"{folder} holds {len(points)} points of a sweep", next(iter(axes), "KEY"))
        if seed is not None and seed not in seeds:
            raise InputError(
                f"has no run with seed {seed}",
                code="export.no-results",
                file=str(folder),
                hint=f"the seeds are {', '.join(map(str, seeds[:8]))}",
            )
        if manifest.get("engine") != windlass.ENGINE_VERSION:
            warnings.warn(f"{folder} was made by another engine: numbers may differ from those in it", stacklevel=2)
        return cls.of(windlass.from_dict(document), first if seed is None else seed)

    @property
    def point(self) -> Point:
        """The one setting."""
        return self.scenario.points()[0]

    def run(self, traces: Sequence[str], *, events: bool = False) -> RunResult:
        """The run with these series, and with window changes and losses if they are wanted."""
        import windlass

        scenario = self.scenario.with_({"output.traces": list(traces), "output.events": events})
        return windlass.run(scenario, self.seed)

    def segments(self) -> dict[str, int]:
        """Payload bytes of a segment, for each group of TCP flows."""
        flows = self.point.effective()["flows"]
        return {flow["name"]: int(flow["segment"].split()[0]) for flow in flows if flow.get("tcp")}


def _many(what: str, axis: str) -> InputError:
    return InputError(
        f"{what}, and an export is of one run",
        code="run.many-points",
        hint=f"export a scenario and choose with `--set {axis}=VALUE` and so on",
    )


def chosen(result: RunResult, patterns: Sequence[str]) -> list[Mapping[str, Any]]:
    """Rows of the flows that are like one of the patterns (``*`` stands for any letters), of all if there is none.

    Raises
    ------
    InputError
        If a pattern is like none.
    """
    rows = result.flows.to_pylist()
    names = [row["flow"] for row in rows]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            hint = did_you_mean(pattern, names) or f"the flows are {', '.join(names[:8])}"
            raise InputError(f"no flow `{pattern}`", code="result.unknown-flow", hint=hint)
    return [row for row in rows if not patterns or any(fnmatch.fnmatchcase(row["flow"], one) for one in patterns)]


def group_of(row: Mapping[str, Any]) -> str:
    """The group of a flow as the scenario calls it: subflows have one of their own in the tables."""
    return str(row["group"]).removesuffix(".subflows")


def file_of(row: Mapping[str, Any]) -> str:
    """What files of one direction of a flow begin with."""
    from windlass.output import file_name

    reverse = "" if row["direction"] == "forward" else ".reverse"
    return file_name(row["flow"]) + reverse


def subject_of(row: Mapping[str, Any]) -> str:
    """What one direction of a flow is called in the table of traces."""
    return str(row["flow"]) if row["direction"] == "forward" else f"{row['flow']}:reverse"


def columns_of(result: RunResult) -> dict[tuple[str, str], tuple[Any, Any]]:
    """The series of a run by subject and variable: times in seconds and values, each an array."""
    import numpy as np

    traces = result.traces
    subjects, variables = (np.asarray(traces[name].to_pylist(), dtype=object) for name in ("subject", "variable"))
    times, values = (traces[name].to_numpy() for name in ("time_s", "value"))
    if not len(times):
        return {}
    # rows of a series stand together
    changes = (subjects[1:] != subjects[:-1]) | (variables[1:] != variables[:-1])
    edges = [0, *(np.flatnonzero(changes) + 1).tolist(), len(times)]
    return {(subjects[a], variables[a]): (times[a:b], values[a:b]) for a, b in pairwise(edges)}
