"""The scenario that a page starts from: its controls, its groups of flows, and the senders that it names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from windlass.errors import InputError
from windlass.scenario import Point, Scenario, load
from windlass.scenario.files import read_text
from windlass.serve.controls import Control, controls_of

__all__ = ["Base", "algorithms", "base_of", "is_own"]

BESIDE = ("newreno", "cerl")
"""Senders that are ticked beside the file's own if that names one alone."""


@dataclass(frozen=True, eq=False)
class Base:
    """A scenario as its file has it.

    Attributes
    ----------
    scenario : Scenario
        What was read.
    about : str
        The comment at the head of the file.
    folder : Path
        Where files lie that it names.
    sets : sequence of (str, str)
        Keys and values that were laid over the file.
    """

    scenario: Scenario
    about: str
    folder: Path
    sets: Sequence[tuple[str, str]] = ()

    @cached_property
    def points(self) -> list[Point]:
        """The points that the file sweeps."""
        return self.scenario.points()

    @cached_property
    def version(self) -> str:
        """Tells whether a page was made from this text."""
        texts = [self.points[0].effective_json(), json.dumps(self.swept), self.about]
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]

    @cached_property
    def swept(self) -> dict[str, list[Any]]:
        """Swept keys with their values."""
        found: dict[str, list[Any]] = {}
        for point in self.points:
            for key, value in point.axes.items():
                values = found.setdefault(key, [])
                if value not in values:
                    values.append(value)
        return found

    @cached_property
    def controls(self) -> dict[str, Control]:
        """What can be moved, by key."""
        return {control.key: control for control in controls_of(self.points[0], self.swept)}

    @cached_property
    def groups(self) -> list[str]:
        """Groups of flows that can have another sender."""
        return [group["name"] for group in self._groups]

    @property
    def _groups(self) -> list[dict[str, Any]]:
        flows: list[dict[str, Any]] = self.points[0].effective()["flows"]
        return [group for group in flows if "algorithm" in group]

    @cached_property
    def group(self) -> str:
        """Group that the senders are tried in at first: all (empty) if they have one sender, else the first."""
        own = {json.dumps(group["algorithm"], sort_keys=True) for group in self._groups}
        return "" if len(own) <= 1 else self.groups[0]

    @cached_property
    def senders(self) -> dict[str, str | dict[str, Any]]:
        """Every sender by its label: those of the file first, then the registry's and the user's own."""
        own: dict[str, str | dict[str, Any]] = {}
        for point in self.points:
            for group in point.composed()["flows"]:
                if "algorithm" in group:
                    own[_label(group["algorithm"])] = group["algorithm"]
        return own | {name: name for name in algorithms()}

    @cached_property
    def ticked(self) -> list[str]:
        """Senders that are ticked at first: the file's own, four at most; of one alone, NewReno and CERL beside it."""
        wanted = self.groups if not self.group else [self.group]
        found: list[str] = []
        for point in self.points:
            flows, full = point.composed()["flows"], point.effective()["flows"]
            for written, group in zip(flows, full, strict=True):
                label = _label(written["algorithm"]) if "algorithm" in written else None
                if group["name"] in wanted and label and label not in found:
                    found.append(label)
        if len(found) < 2:
            found += [name for name in BESIDE if name not in found and self._takes(name)]
        return found[:4]

    def _takes(self, sender: str) -> bool:
        """Whether the scenario makes sense with another sender."""
        try:
            self.points[0].with_({"flows.algorithm": sender})
        except InputError:
            return False
        return True


def algorithms() -> dict[str, dict[str, Any]]:
    """Rows of the registry by name, then those of the user's own classes."""
    from windlass import _core

    return {row["name"]: row for row in (*json.loads(_core.algorithms()), *json.loads(_core.registered()))}


def is_own(sender: str) -> bool:
    """Whether a sender is a class of the user's own."""
    from windlass import _core

    return sender.partition(":")[0] in {row["name"] for row in json.loads(_core.registered())}


def _label(algorithm: str | Mapping[str, Any]) -> str:
    """An algorithm as ``compare`` takes it: ``NAME`` or ``NAME:PARAMETER=VALUE,...``."""
    if isinstance(algorithm, str):
        return algorithm
    given = [f"{key}={json.dumps(value).strip(chr(34))}" for key, value in algorithm.items() if key != "name"]
    return str(algorithm["name"]) + (f":{','.join(given)}" if given else "")


def base_of(file: str | None, sets: Sequence[tuple[str, str]] = ()) -> Base:
    """Read a scenario file, a ready scenario, or what the page begins with if none is named.

    Raises
    ------
    InputError
        If it cannot be read or something in it is wrong.
    """
    if file is None:
        start = Path(__file__).with_name("start.toml")
        text, folder = start.read_text(encoding="utf-8"), start.parent
        scenario = Scenario.from_toml(text, filename="start.toml", sets=sets, folder=folder)
    else:
        text, scenario = read_text(file), load(file, list(sets))
        ready = Path(__file__).parent.parent / "scenarios"
        folder = Path(file).resolve().parent if Path(file).exists() else ready
    scenario.points()[0].flows()  # what cannot become a network is told now
    return Base(scenario, _about(text), folder, tuple(sets))


def _about(text: str) -> str:
    """The comment at the head of a file, up to its first empty line."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#") or not line.strip("# "):
            break
        lines.append(line.lstrip("# ").strip())
    return " ".join(lines)
