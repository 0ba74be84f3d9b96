"""The section ``[measured]`` of a scenario: what a measurement says of the path, and what it leaves open.

:mod:`windlass.imports` writes it, :mod:`windlass.compare` goes by it; no run depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError

if TYPE_CHECKING:
    from windlass.scenario import Scenario

__all__ = ["NUMBERS", "Bound", "Measured", "measured"]

NUMBERS = {
    "topology.bottleneck.rate": "rate",
    "topology.bottleneck.loss": "loss",
    "topology.bottleneck.queue": "queue",
    "topology.bottleneck.delay": "delay",
}
"""Keys that can have bounds, and what they are called, the ones that answers hang on most first."""

HINT = "`windlass import` writes this section; take it out, or write it as it was"


@dataclass(frozen=True)
class Bound:
    """A value of the path that data bound but do not fix.

    Attributes
    ----------
    key : str
        One of :data:`NUMBERS`.
    written : value or None
        What the scenario has; none: the key is not there.
    known : str
        What the data say of it, in words.
    tried : sequence of values
        The least value, one in the middle, the largest. A queue may be ``"4 bdp"``.
    """

    key: str
    written: Any
    known: str
    tried: Sequence[Any]

    @property
    def name(self) -> str:
        """What it is called."""
        return NUMBERS[self.key]

    def table(self) -> dict[str, Any]:
        """As it is written."""
        written = {} if self.written is None else {"written": self.written}
        return {**written, "known": self.known, "try": list(self.tried)}


@dataclass(frozen=True)
class Measured:
    """What a scenario says of the measurement that it was made from.

    Attributes
    ----------
    file, format : str
        The file of measurements, and its kind.
    notes : list of str
        What the measurement cannot tell, and what was assumed.
    bounds : list of Bound
        Those that still hold: nobody has written another value.
    """

    file: str
    format: str
    notes: list[str] = field(default_factory=list)
    bounds: list[Bound] = field(default_factory=list)


def measured(scenario: Scenario) -> Measured | None:
    """What a scenario says of its measurement; none if it was not measured.

    Raises
    ------
    InputError
        If the section is not as :mod:`windlass.imports` writes it.
    """
    document = scenario.composed()
    table = document.get("measured")
    if table is None:
        return None
    notes = table.get("notes", []) if isinstance(table, Mapping) else None
    bounds = table.get("bounds", {}) if isinstance(table, Mapping) else None
    if not isinstance(notes, list) or not isinstance(bounds, Mapping):
        raise _wrong("measured", "a table with `file`, `format`, `notes` and `bounds`")
    found = [_bound(key, bounds[key]) for key in NUMBERS if key in bounds]
    unknown = next((key for key in bounds if key not in NUMBERS), None)
    if unknown is not None:
        raise _wrong(f"measured.bounds.{unknown}", f"one of {', '.join(NUMBERS)}")
    swept = [key for entry in document.get("sweep", {}) for key in entry.split(", ")]
    left = [one for one in found if _holds(scenario, one) and not any(_touch(one.key, key) for key in swept)]
    changed = [
        f"The scenario's {one.name} is not as measured ({one.known}): it counts as known."
        for one in found
        if one not in left
    ]
    file, kind = (str(table.get(name, "?")) for name in ("file", "format"))
    return Measured(file, kind, [*map(str, notes), *changed], left)


def _wrong(place: str, wanted: str) -> InputError:
    return InputError(f"`{place}` is not {wanted}", code="compare.measured", hint=HINT)


def _bound(key: str, table: Any) -> Bound:
    tried = table.get("try") if isinstance(table, Mapping) else None
    if not isinstance(tried, list) or len(tried) != 3:
        raise _wrong(
            f"measured.bounds.{key}", 'a table such as { written = "8 Mbps", known = "...", try = [three values] }'
        )
    return Bound(key, table.get("written"), str(table.get("known", "?")), tried)


def _touch(one: str, other: str) -> bool:
    """Whether a key is another one, or holds it."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _holds(scenario: Scenario, bound: Bound) -> bool:
    """Whether the scenario has the value that was written when it was measured, in whatever words."""
    *tables, last = bound.key.split(".")
    link: Any = scenario.composed()
    for name in tables:
        link = link.get(name, {})
    if bound.written is None:
        return last not in link
    if last not in link:
        return False
    try:
        again = scenario.with_({bound.key: bound.written})
    except InputError:
        return False
    return again.points()[0].effective_json() == scenario.points()[0].effective_json()
