"""What can be moved on the page: the numbers that a scenario has, and the values of the keys that it sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from windlass.errors import InputError
from windlass.plots.words import axis_words, quantity
from windlass.scenario import Point

__all__ = ["Choice", "Knob", "controls_of"]


@dataclass(frozen=True)
class Kind:
    """What a number of a description is: its name on the page, its unit there, and how far it can be moved."""

    label: str
    unit: str
    low: float
    high: float
    whole: bool = False
    zero: bool = False


RATE = Kind("Rate", "Mbps", 0.05, 1000.0)
DELAY = Kind("Delay, one way", "ms", 0.1, 1000.0)
LOSS = Kind("Random loss", "%", 0.001, 50.0, zero=True)
QUEUE = Kind("Queue", "packets", 1.0, 5000.0, whole=True)
QUEUE_BYTES = Kind("Queue", "kB", 1.5, 10_000.0)
DURATION = Kind("Length of the run", "s", 2.0, 300.0)

KINDS: dict[str, Kind] = {
    "spacing": Kind("Distance of neighbours", "m", 10.0, 1000.0),
    "mobile.speed": Kind("Speed", "m/s", 1.0, 150.0),
    "handover.break": Kind("Break of a handover", "ms", 1.0, 5000.0),
}
"""Other keys of a topology, by their names in it."""

IN_UNIT: dict[str, dict[str, float]] = {
    "Mbps": {"bps": 1e-6, "kbps": 1e-3, "Mbps": 1.0, "Gbps": 1e3},
    "ms": {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4},
    "s": {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0},
    "%": {"%": 1.0, "": 100.0},
    "packets": {"packets": 1.0, "packet": 1.0},
    "kB": {"B": 1e-3, "kB": 1.0, "MB": 1e3},
    "m": {"m": 1.0, "km": 1e3},
    "m/s": {"m/s": 1.0, "km/h": 1.0 / 3.6},
}
"""How much of the page's unit each unit of a description is."""


@dataclass(frozen=True)
class Knob:
    """A number of the scenario as a slider, logarithmic from `low` to `high`.

    Attributes
    ----------
    key : str
        Dotted key, as in ``--set``.
    place : str
        Link or part of the scenario that it belongs to.
    label, unit : str
        Its name on the page, and the unit of `value`, `low` and `high`.
    whole, zero : bool
        Whether it is a whole number, and whether the slider's first step is 0.
    aside : bool
        Whether it is among those that are folded away.
    """

    key: str
    place: str
    label: str
    unit: str
    value: float
    low: float
    high: float
    whole: bool
    zero: bool
    aside: bool

    def written(self, number: Any) -> str:
        """The number as a scenario file has it.

        Raises
        ------
        InputError
            If it is no number, or out of the slider's range.
        """
        least = 0.0 if self.zero else self.low
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not least <= number <= self.high:
            raise InputError(
                f"{self.place}, {self.label}: {number!r} is not between {least:g} and {self.high:g} {self.unit}",
                code="serve.request",
                hint="move the slider, or write a number in this range",
            )
        return f"{round(number) if self.whole else number:.10g} {self.unit}"

    def plain(self) -> dict[str, Any]:
        """For the page."""
        return asdict(self)


@dataclass(frozen=True)
class Choice:
    """A key that has one of some values: the file sweeps it, or a radio has a list of rates."""

    key: str
    place: str
    label: str
    value: Any
    values: list[Any]

    def written(self, at: Any) -> Any:
        """The value of that number in the list.

        Raises
        ------
        InputError
            If there is none.
        """
        if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at < len(self.values):
            raise InputError(
                f"{self.label}: no value number {at!r}", code="serve.request", hint="choose one of the list"
            )
        return self.values[at]

    def plain(self) -> dict[str, Any]:
        """For the page: values as text, and the number of the one that is chosen."""
        texts = [value if isinstance(value, str) else str(value).lower() for value in self.values]
        return {
            "key": self.key,
            "place": self.place,
            "label": self.label,
            "values": texts,
            "value": self.values.index(self.value),
        }


Control = Knob | Choice

MOST_CONTROLS = 60
"""Controls of one page; a graph may have more links than anyone moves."""


def controls_of(point: Point, swept: Mapping[str, list[Any]]) -> list[Control]:
    """Sliders and choices of a scenario, links of hosts last.

    Parameters
    ----------
    point : Point
        Its first point.
    swept : mapping of str to list
        Keys that the file sweeps, with their values.
    """
    written, full = point.composed()["topology"], point.effective()
    found: list[Control] = []
    for key, name, link, defaults in _links(written, full["topology"]):
        found += _link(key, name, link, defaults)
    for name, kind in KINDS.items():
        knob = _knob(f"topology.{name}", "path", kind, _at(written, name))
        found += [knob] if knob else []
    length = _knob("scenario.duration", "run", DURATION, full["scenario"]["duration"])
    found += [length] if length else []
    known = {control.key for control in found}
    for key, values in swept.items():
        if key not in known and not key.endswith("algorithm"):
            found.append(Choice(key, "run", axis_words(key), point.axes[key], values))
    found.sort(key=lambda control: isinstance(control, Knob) and control.aside)
    return found[:MOST_CONTROLS]


def _at(table: Mapping[str, Any], path: str) -> Any:
    found: Any = table
    for part in path.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _links(
    written: Mapping[str, Any], full: Mapping[str, Any]
) -> Iterator[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
    """Key, name, what is written and what that amounts to, of each link and radio of a topology."""
    for name, table in written.items():
        if isinstance(table, Mapping) and (name == "radio" or {"rate", "delay", "trace", "queue"} & table.keys()):
            defaults = full.get(name, full.get("left"))
            if isinstance(defaults, Mapping):
                yield f"topology.{name}", name, table, defaults
    for name in ("links", "media"):
        rows = {row["name"]: row for row in full.get(name, []) if isinstance(row, Mapping)}
        for table in written.get(name, []):
            if table.get("name") in rows:
                yield f"topology.{name}.{table['name']}", table["name"], table, rows[table["name"]]


def _link(key: str, name: str, written: Mapping[str, Any], full: Mapping[str, Any]) -> list[Control]:
    aside = name == "access" or name.endswith("-access")
    radio = "data_rates" in full
    found: list[Control | None] = []
    if radio:
        rates = full["data_rates"]
        if len(rates) > 1 and full.get("rate") in rates:
            found.append(Choice(f"{key}.rate", name, "Data rate", full["rate"], list(rates)))
    else:
        found.append(_knob(f"{key}.rate", name, RATE, full.get("rate"), aside))
        found.append(_knob(f"{key}.delay", name, DELAY, full.get("delay"), aside))
    found.append(_loss(key, name, written, full, aside))
    found.append(_queue(key, name, written, full, aside))
    return [one for one in found if one is not None]


def _loss(key: str, name: str, written: Mapping[str, Any], full: Mapping[str, Any], aside: bool) -> Knob | None:
    loss = full.get("loss")
    if not isinstance(loss, Mapping) or loss.get("rate") is None or isinstance(written.get("loss"), list):
        return None
    return _knob(f"{key}.loss.rate", name, LOSS, loss["rate"], aside)


def _queue(key: str, name: str, written: Mapping[str, Any], full: Mapping[str, Any], aside: bool) -> Knob | None:
    queue = full.get("queue")
    limit = queue.get("limit") if isinstance(queue, Mapping) else queue
    own = f"{key}.queue.limit" if isinstance(written.get("queue"), Mapping) else f"{key}.queue"
    return _knob(own, name, QUEUE, limit, aside) or _knob(own, name, QUEUE_BYTES, limit, aside)


def _knob(key: str, place: str, kind: Kind, text: Any, aside: bool = False) -> Knob | None:
    """A slider for what is written, if that is a quantity of this kind; its range reaches what is written."""
    found = quantity(text) if text is not None else None
    if found is None or found[1] not in IN_UNIT[kind.unit]:
        return None
    value = float(f"{found[0] * IN_UNIT[kind.unit][found[1]]:.12g}")
    if value == 0.0 and not kind.zero:
        return None
    low, high = (min(kind.low, value), max(kind.high, value)) if value else (kind.low, kind.high)
    return Knob(key, place, kind.label, kind.unit, value, low, high, kind.whole, kind.zero, aside)
