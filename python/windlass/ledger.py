"""The ledger: every experiment, claim, open parameter and inconsistency of the papers, as typed values.

One TOML file per paper lies in ``windlass/papers``; ``papers/README.md`` says what each field means. :func:`load` reads a
file and checks that it is whole: every reference leads somewhere and every check is of a known kind with its own fields.
Nothing here knows how an experiment is run (:mod:`windlass.experiments`) or judged (:mod:`windlass.verdicts`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from windlass.errors import InputError, WindlassError, did_you_mean

__all__ = [
    "KINDS",
    "Axis",
    "Check",
    "Claim",
    "Experiment",
    "Inconsistency",
    "Ledger",
    "LedgerError",
    "Open",
    "Topology",
    "WireLink",
    "experiment",
    "load",
    "papers",
]

KINDS: dict[str, frozenset[str]] = {
    "gain": frozenset({"metric", "a", "b", "percent", "tolerance_pp", "pick"}),
    "gain-band": frozenset({"metric", "a", "b", "percent_range", "tolerance_pp", "pick"}),
    "reduction": frozenset({"metric", "a", "b", "percent", "tolerance_pp", "pick"}),
    "ratio": frozenset({"metric", "a_from", "b_from", "ratio", "tolerance_rel"}),
    "value": frozenset({"metric", "a", "value", "tolerance_rel"}),
    "bound": frozenset({"metric", "among"}),
    "not-below": frozenset({"metric", "a", "b"}),
    "order": frozenset({"metric", "best_first", "min_tau", "tie_rel"}),
    "rank": frozenset({"metric", "a", "among", "position", "tie_rel", "share"}),
    "close": frozenset({"metric", "among", "within_rel", "share"}),
    "differs": frozenset({"metric", "a", "among", "min_rel"}),
    "same-across": frozenset({"metric", "among", "param", "values", "within_rel"}),
    "same-order": frozenset({"metric", "experiment_a", "experiment_b", "min_tau"}),
    "trend": frozenset({"metric", "among", "over", "direction", "slack_rel"}),
    "spread": frozenset({"metric", "a", "over", "min_rel"}),
    "cross": frozenset({"metric", "a", "a_from", "b", "b_from", "relation"}),
    "crossover": frozenset({"metric", "a", "b", "a_above", "b_above"}),
    "best-set": frozenset({"metric", "param", "values", "reference", "min_share"}),
    "argmax": frozenset({"metric", "among", "param"}),
    "trace": frozenset({"signal", "a", "event"}),
    "table": frozenset({"table", "tolerance_rel"}),
    "same-table": frozenset({"table", "table_b"}),
    "arith": frozenset({"expr", "stated", "computed", "holds"}),
    "invariant": frozenset({"expr", "variant"}),
}
"""Kinds of check and the fields that each must have."""


class LedgerError(WindlassError):
    """A ledger file that comes with the package contradicts itself: a bug of ours, not of the user."""

    code = "ledger.broken"


@dataclass(frozen=True)
class Open:
    """Something that the paper leaves unstated, with the default that we assume and why."""

    key: str
    parameter: str
    default: str
    unit: str
    why: str


@dataclass(frozen=True)
class WireLink:
    """One row of a topology: ``count`` equal links between ``a`` and ``b``.

    ``rate_mbps`` and ``delay_ms`` are numbers where the paper gives them and text where it does not; ``queue`` and ``loss``
    are the ledger's words (``"open.queue"``, ``"q"``, ``"0"``).
    """

    a: str
    b: str
    count: int | str
    rate_mbps: float | str | None
    delay_ms: float | str | None
    medium: str
    queue: str
    loss: str
    name: str = ""
    assumed: str = ""


@dataclass(frozen=True)
class Topology:
    """Nodes and links of a network, from the sender's side to the receiver's."""

    key: str
    title: str
    nodes: str
    links: tuple[WireLink, ...]
    note: str = ""


@dataclass(frozen=True)
class Axis:
    """One swept parameter. ``points`` may be empty where the paper names only the axis."""

    parameter: str
    key: str
    points: tuple[Any, ...]
    unit: str
    range_stated: bool
    points_stated: bool


@dataclass(frozen=True)
class Experiment:
    """One figure or table of a paper, or a summary that covers several."""

    id: str
    kind: str
    figures: tuple[str, ...]
    tables: tuple[str, ...]
    section: str
    title: str
    topology: str
    traffic: Mapping[str, Any]
    variants: tuple[str, ...]
    axes: tuple[Axis, ...]
    fixed: Mapping[str, Any]
    sim_time: str
    metrics: tuple[str, ...]
    stated: tuple[str, ...]
    open: tuple[str, ...]
    covers: tuple[str, ...] = ()
    note: str = ""

    @property
    def paper(self) -> str:
        """Id of the paper."""
        return self.id.split("/", 1)[0]

    @property
    def name(self) -> str:
        """Id without the paper."""
        return self.id.split("/", 1)[1]


@dataclass(frozen=True)
class Check:
    """What must hold for a claim. ``fields`` are those of its kind (``KINDS``) and of the common selectors."""

    kind: str
    fields: Mapping[str, Any]
    why: str = ""
    where: str = ""
    also: tuple[Check, ...] = ()

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def get(self, name: str, default: Any = None) -> Any:
        """A field, or ``default`` if the check has none of that name."""
        return self.fields.get(name, default)

    @property
    def variants(self) -> tuple[str, ...]:
        """Variants that the check names, in order, without those of :attr:`also`."""
        names: list[str] = []
        for key in ("a", "b", "among", "best_first", "variant"):
            given = self.fields.get(key, ())
            names += [given] if isinstance(given, str) else list(given)
        return tuple(dict.fromkeys(names))

    @property
    def experiments(self) -> tuple[str, ...]:
        """Experiments that the check compares, :attr:`also` included; empty if it stays within its own."""
        names = [self.fields[key] for key in ("a_from", "b_from", "experiment_a", "experiment_b") if key in self.fields]
        names = [name for given in names for name in ([given] if isinstance(given, str) else given)]
        names += self.fields.get("largest_of", [])
        names += [name for part in self.also for name in part.experiments]
        return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class Claim:
    """One statement of the paper, in our words, and how it is checked."""

    id: str
    experiment: str
    kind: str
    source: str
    text: str
    numbers: Mapping[str, Any]
    check: Check
    conflict: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Inconsistency:
    """A place where the paper contradicts itself or arithmetic."""

    id: str
    weight: str
    where: str
    what: str
    take: str


@dataclass(frozen=True)
class Ledger:
    """Everything that the ledger knows of one paper."""

    id: str
    paper: Mapping[str, Any]
    reasons: Mapping[str, str]
    open: Mapping[str, Open]
    topologies: Mapping[str, Topology]
    mechanisms: tuple[Mapping[str, Any], ...]
    tables: Mapping[str, Mapping[str, Any]]
    experiments: Mapping[str, Experiment]
    claims: tuple[Claim, ...]
    inconsistencies: Mapping[str, Inconsistency]
    _by_experiment: Mapping[str, tuple[Claim, ...]] = field(default_factory=dict, repr=False)

    @property
    def title(self) -> str:
        """Title of the paper."""
        return str(self.paper["title"])

    @property
    def citation(self) -> str:
        """Authors, title, place and year in one line."""
        authors = ", ".join(self.paper["authors"])
        year = self.paper.get("year", self.paper.get("year_note", "year not stated"))
        return f"{authors}: {self.paper['title']}. {self.paper['venue']}, {year}."

    def claims_of(self, experiment_id: str) -> tuple[Claim, ...]:
        """Claims of one experiment, in the order of the ledger."""
        return self._by_experiment.get(experiment_id, ())

    def touching(self, experiment: Experiment) -> tuple[Inconsistency, ...]:
        """Inconsistencies that concern an experiment.

        Those that one of its claims names, that name one of its figures or open parameters, and those placed in a section
        that one of its claims or the description of one of its variants comes from.
        """
        claims = self.claims_of(experiment.id)
        named = {key for claim in claims for key in claim.conflict}
        sections = {section for claim in claims for section in _sections(claim.source)}
        variants = {f"{self.id}/{variant}" for variant in experiment.variants}
        sections |= {row["section"] for row in self.mechanisms if row.get("id") in variants}
        for key in experiment.open:
            named |= {f"{self.id}/{found}" for found in re.findall(r"\bx\d\d\b", self.open[key].why)}
        for row in self.inconsistencies.values():
            mentioned = f"{row.where} {row.take}"
            if (
                any(_names_figure(mentioned, figure) for figure in experiment.figures)
                or any(re.search(rf"open\.{key}\b", row.take) for key in experiment.open)
                or sections & set(_sections(row.where))
            ):
                named.add(row.id)
        return tuple(row for row in self.inconsistencies.values() if row.id in named)


def papers() -> list[str]:
    """Ids of the papers in the ledger, in alphabetical order."""
    folder = resources.files("windlass") / "papers"
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))


@cache
def load(paper: str) -> Ledger:
    """The ledger of one paper.

    Parameters
    ----------
    paper : str
        Its id, ``"saedi2019"``.

    Raises
    ------
    InputError
        If there is no such paper.
    LedgerError
        If the file contradicts itself.
    """
    known = papers()
    if paper not in known:
        raise InputError(
            f"no paper `{paper}` in the ledger",
            code="reproduce.unknown",
            hint=did_you_mean(paper, known) or f"one of {', '.join(known)}; `windlass list papers` shows all",
        )
    text = (resources.files("windlass") / "papers" / f"{paper}.toml").read_text(encoding="utf-8")
    return parse(text, filename=f"{paper}.toml")


def experiment(target: str) -> tuple[Ledger, Experiment]:
    """The ledger and the experiment of an id such as ``"saedi2019/fig3.5"``.

    Raises
    ------
    InputError
        If there is no such paper or experiment.
    """
    paper, _, name = target.partition("/")
    ledger = load(paper)
    found = ledger.experiments.get(f"{paper}/{name}")
    if found is None:
        names = [entry.name for entry in ledger.experiments.values()]
        raise InputError(
            f"no experiment `{name}` in `{paper}`" if name else f"`{paper}` is a paper; an experiment is needed",
            code="reproduce.unknown",
            hint=did_you_mean(name, names) or f"`windlass list papers` shows all; `{paper}/{names[0]}` is one",
        )
    return ledger, found


def parse(text: str, *, filename: str) -> Ledger:
    """A ledger from the text of its file.

    Raises
    ------
    LedgerError
        If the file is no TOML, lacks something, or refers to something that is not there.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LedgerError(f"not TOML: {error}", file=filename) from None
    try:
        ledger = _build(raw)
    except (KeyError, TypeError, ValueError) as error:
        raise LedgerError(f"a field is missing or of the wrong kind: {error!r}", file=filename) from error
    _verify(ledger, filename)
    return ledger


def _build(raw: Mapping[str, Any]) -> Ledger:
    claims = tuple(_claim(row) for row in raw["claim"])
    grouped: dict[str, list[Claim]] = {}
    for claim in claims:
        grouped.setdefault(claim.experiment, []).append(claim)
    return Ledger(
        id=raw["paper"]["id"],
        paper=raw["paper"],
        reasons=dict(raw["reason"]),
        open={
            key: Open(key, str(row["parameter"]), str(row["default"]), str(row["unit"]), str(row["why"]))
            for key, row in raw["open"].items()
        },
        topologies={key: _topology(key, row) for key, row in raw["topology"].items()},
        mechanisms=tuple(raw.get("mechanism", ())),
        tables={row["id"]: row for row in raw.get("table", ())},
        experiments={row["id"]: _experiment(row) for row in raw["experiment"]},
        claims=claims,
        inconsistencies={row["id"]: Inconsistency(**row) for row in raw["inconsistency"]},
        _by_experiment={key: tuple(rows) for key, rows in grouped.items()},
    )


def _topology(key: str, row: Mapping[str, Any]) -> Topology:
    links = tuple(
        WireLink(
            a=link["a"],
            b=link["b"],
            count=link.get("count", 1),
            rate_mbps=link.get("rate_mbps"),
            delay_ms=link.get("delay_ms"),
            medium=link["medium"],
            queue=link["queue"],
            loss=link["loss"],
            name=link.get("name", ""),
            assumed=link.get("assumed", ""),
        )
        for link in row["links"]
    )
    return Topology(key, row["title"], row["nodes"], links, row.get("note", ""))


def _experiment(row: Mapping[str, Any]) -> Experiment:
    swept = row["sweep"]
    axes = tuple(_axis(axis) for axis in (swept if isinstance(swept, list) else [swept]) if "key" in axis)
    return Experiment(
        id=row["id"],
        kind=row["kind"],
        figures=tuple(row["figures"]),
        tables=tuple(row["tables"]),
        section=row["section"],
        title=row["title"],
        topology=row["topology"],
        traffic=row["traffic"],
        variants=tuple(row["variants"]),
        axes=axes,
        fixed=row["fixed"],
        sim_time=str(row["sim_time"]),
        metrics=tuple(row["metrics"]),
        stated=tuple(row["stated"]),
        open=tuple(row["open"]),
        covers=tuple(row.get("covers", ())),
        note=row.get("note", ""),
    )


def _axis(row: Mapping[str, Any]) -> Axis:
    return Axis(
        parameter=row["parameter"],
        key=row["key"],
        points=tuple(row.get("points", ())),
        unit=row.get("unit", "-"),
        range_stated=row.get("range_stated", False),
        points_stated=row.get("points_stated", False),
    )


def _claim(row: Mapping[str, Any]) -> Claim:
    return Claim(
        id=row["id"],
        experiment=row["experiment"],
        kind=row["kind"],
        source=row["source"],
        text=row["text"],
        numbers=row["numbers"],
        check=_check(row["check"]),
        conflict=tuple(row.get("conflict", ())),
        note=row.get("note", ""),
    )


def _check(row: Mapping[str, Any]) -> Check:
    own = ("kind", "why", "where", "also")
    return Check(
        kind=row["kind"],
        fields={key: value for key, value in row.items() if key not in own},
        why=row.get("why", ""),
        where=row.get("where", ""),
        also=tuple(_check(part) for part in row.get("also", ())),
    )


def _verify(ledger: Ledger, filename: str) -> None:
    """Stop at the first reference that leads nowhere."""

    def need(holds: bool, message: str) -> None:
        if not holds:
            raise LedgerError(message, file=filename)

    for entry in ledger.experiments.values():
        need(entry.paper == ledger.id, f"experiment `{entry.id}` is not of paper `{ledger.id}`")
        need(entry.topology in ledger.topologies, f"`{entry.id}`: no topology `{entry.topology}`")
        for key in entry.open:
            need(key in ledger.open, f"`{entry.id}`: no open parameter `{key}`")
        for other in entry.covers:
            need(other in ledger.experiments, f"`{entry.id}` covers the unknown experiment `{other}`")
    need(len({claim.id for claim in ledger.claims}) == len(ledger.claims), "two claims have the same id")
    for claim in ledger.claims:
        need(claim.experiment in ledger.experiments, f"`{claim.id}`: no experiment `{claim.experiment}`")
        for row in claim.conflict:
            need(row in ledger.inconsistencies, f"`{claim.id}`: no inconsistency `{row}`")
        for check in (claim.check, *claim.check.also):
            need(check.kind in KINDS, f"`{claim.id}`: no kind of check `{check.kind}`")
            missing = sorted(KINDS[check.kind] - check.fields.keys())
            need(not missing, f"`{claim.id}`: check `{check.kind}` lacks {', '.join(missing)}")
            need(not check.why or check.why in ledger.reasons, f"`{claim.id}`: no reason `{check.why}`")
            for other in check.experiments:
                need(other in ledger.experiments, f"`{claim.id}`: no experiment `{other}`")


def _sections(text: str) -> list[str]:
    """Numbers of the sections that a text names as ``s3.2.1``."""
    return re.findall(r"\bs(\d+(?:\.\d+)*)", text)


def _names_figure(text: str, figure: str) -> bool:
    """Whether ``text`` names the figure, alone (``Fig. 3.5``) or inside a range (``Figs 3.5 to 3.8``)."""
    if re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.]*\d)", text):
        return True
    parts = re.fullmatch(r"(\d+)\.(\d+)", figure)
    if parts is None:
        return False
    chapter, number = parts.groups()
    ranges = re.findall(rf"(?<![\d.]){chapter}\.(\d+) to {chapter}\.(\d+)", text)
    return any(int(first) <= int(number) <= int(last) for first, last in ranges)
