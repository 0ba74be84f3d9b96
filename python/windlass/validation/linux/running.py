"""All cases and points of a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from windlass.errors import InputError, did_you_mean
from windlass.validation.linux import scenarios
from windlass.validation.linux.exact import CaseOutcome, compare_case
from windlass.validation.linux.means import SEEDS, WIDE, PointOutcome, compare_point
from windlass.validation.linux.reference import Reference

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Comparison:
    """Everything of a folder that was compared."""

    cases: tuple[CaseOutcome, ...]
    points: tuple[PointOutcome, ...]

    @property
    def outcomes(self) -> list[CaseOutcome | PointOutcome]:
        """All of them."""
        return [*self.cases, *self.points]

    @property
    def agreeing(self) -> int:
        """How many cases and points agree."""
        return sum(one.agrees for one in self.outcomes)

    @property
    def run(self) -> int:
        """How many were compared."""
        return sum(one.skipped is None for one in self.outcomes)

    @property
    def skipped(self) -> dict[str, list[str]]:
        """Names of the others, by the reason."""
        found: dict[str, list[str]] = {}
        for one in self.outcomes:
            if one.skipped is not None:
                found.setdefault(one.skipped, []).append(one.name)
        return found

    @property
    def broken(self) -> list[str]:
        """Names of those whose traces cannot be read."""
        return [one.name for one in self.cases if one.broken]

    @property
    def wide(self) -> list[PointOutcome]:
        """Points whose means may differ by more than :data:`~windlass.validation.linux.means.WIDE`."""
        return [one for one in self.points if one.allowed > WIDE]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "profile": scenarios.profile(),
            "cases": [one.to_dict() for one in self.cases],
            "points": [one.to_dict() for one in self.points],
            "agreeing": self.agreeing,
            "run": self.run,
            "skipped": self.skipped,
            "broken": self.broken,
            "total": len(self.outcomes),
        }


def compare(
    reference: Reference,
    *,
    names: Sequence[str] = (),
    seeds: int = SEEDS,
    store: bool | Path = True,
    progress: Progress | None = None,
) -> Comparison:
    """Run the cases and points of a folder here.

    Parameters
    ----------
    reference : Reference
        What to run.
    names : sequence of str
        Only those of these names, such as ``"reno-one"``, ``"cubic-*"`` or, for points, ``"A-reno-1"``.
    seeds : int
        Runs of each point with random loss, at least two; more where they make the comparison sharp enough.
    store : bool or path
        Whether runs of points are kept and read, and where.
    progress : callable, optional
        Called with how many are finished and how many there are.

    Returns
    -------
    Comparison
        In the order of the files.

    Raises
    ------
    InputError
        If a name fits nothing.
    Interrupted
        After Ctrl-C.
    """
    all_names = [case.name for case in reference.cases] + [point.name for point in reference.points]
    for name in names:
        if not any(fnmatchcase(known, name) for known in all_names):
            hint = " ".join(filter(None, (did_you_mean(name, all_names), f"`{reference.folder}` has the names")))
            raise InputError(f"no case or point `{name}`", code="validate.case", hint=hint)

    def wanted(name: str) -> bool:
        return not names or any(fnmatchcase(name, one) for one in names)

    cases = [case for case in reference.cases if wanted(case.name)]
    points = [point for point in reference.points if wanted(point.name)]
    done: list[CaseOutcome] = []
    for case in cases:
        done.append(compare_case(case))
        if progress is not None:
            progress(len(done), len(cases) + len(points))
    means: list[PointOutcome] = []
    for point in points:
        means.append(compare_point(point, seeds=seeds, store=store))
        if progress is not None:
            progress(len(done) + len(means), len(cases) + len(points))
    return Comparison(tuple(done), tuple(means))
