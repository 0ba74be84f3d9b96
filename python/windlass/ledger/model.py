"""The ledger as typed values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Effect:
    """What a choice of ours does to a scenario.

    ``set`` has dotted keys of the scenario and their values; ``needs`` what the engine must have for it; ``when`` the
    fields of an experiment (``experiment``, ``topology``, ``direction``) where it has this effect, one of some words
    each; ``variants`` those whose flows it concerns, ``None`` for all; ``as_run`` says it in words. ``lines`` are those
    of the keys in the ledger.
    """

    set: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    variants: tuple[str, ...] | None = None
    as_run: str = ""
    lines: Mapping[str, int | None] = field(default_factory=dict, compare=False, repr=False)

    def applies(self, experiment: Experiment) -> bool:
        """Whether the experiment is one of those that it concerns."""
        return all(experiment.word(name) in words for name, words in self.when.items())


@dataclass(frozen=True)
class Open:
    """Something that the paper leaves unstated, with the default that we assume and why."""

    key: str
    parameter: str
    default: str
    unit: str
    why: str
    effects: tuple[Effect, ...] = ()

    def effect(self, experiment: Experiment) -> Effect:
        """What the default does to an experiment; nothing if it is about something that no scenario has."""
        return next((effect for effect in self.effects if effect.applies(experiment)), Effect())


@dataclass(frozen=True)
class Variant:
    """A protocol of the paper: the algorithm that it runs as, and what else it needs of the network."""

    key: str
    algorithm: str | Mapping[str, Any]
    effect: Effect
    line: int | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        """Name of the algorithm."""
        return self.algorithm if isinstance(self.algorithm, str) else str(self.algorithm["name"])

    @property
    def label(self) -> str:
        """What tells it from other forms of its algorithm."""
        return self.algorithm if isinstance(self.algorithm, str) else self.key


@dataclass(frozen=True)
class Mixed:
    """Pairs of hosts whose flows are of one variant; ``variant`` is empty for the one under test."""

    variant: str
    pairs: int


@dataclass(frozen=True)
class Reading:
    """Another plausible choice for something that the paper leaves open.

    Attributes
    ----------
    key, title, why : str
        Its name, what it is, and why it is plausible.
    open : str
        The open parameter that it varies; empty if it may be asked of every experiment.
    effect : Effect
        What it does.
    swap : mapping
        Variants that run as another one of the ledger.
    mix : tuple of Mixed
        Who sends instead, if not empty.
    mirrored : bool
        Each group of flows is there once more in the other direction.
    form : bool
        It is another form of an algorithm, to be shown beside the base.
    scale : mapping
        Keys of the network whose numbers mean so many times as much.
    move : mapping
        What an axis of the experiment sets below the first dotted key it sets below the second one, too.
    instead : bool
        What the default of ``open`` sets is left out, not laid under it.
    profile : str
        TCP is that of this profile: of what the network's file, the paper or a default say of it, only the window that
        the receiver offers is kept, and what the experiment varies. The network stays as it is.
    """

    key: str
    title: str
    open: str
    why: str
    effect: Effect
    swap: Mapping[str, str] = field(default_factory=dict)
    mix: tuple[Mixed, ...] = ()
    mirrored: bool = False
    form: bool = False
    scale: Mapping[str, float] = field(default_factory=dict)
    move: Mapping[str, str] = field(default_factory=dict)
    instead: bool = False
    profile: str = ""

    @property
    def variants(self) -> tuple[str, ...] | None:
        """Variants that it can change, ``None`` for all."""
        return self.effect.variants if self.effect.variants is not None else tuple(self.swap) or None

    def concerns(self, variants: Iterable[str]) -> bool:
        """Whether it can change what is said of any of these variants."""
        return self.variants is None or any(plain_name(name) in self.variants for name in variants)

    def asked_of(self, experiment: Experiment) -> bool:
        """Whether the experiment leaves open what it varies, and has a variant that it can change."""
        is_open = not self.open or self.open in experiment.open
        keys = {*experiment.fixed, *(axis.key for axis in experiment.axes)}
        is_open = is_open and (not self.scale or not keys.isdisjoint(self.scale))
        return is_open and self.effect.applies(experiment) and self.concerns(experiment.variants)


@dataclass(frozen=True)
class WireLink:
    """One row of a topology as the paper has it: links between ``a`` and ``b``, and their link of the scenario."""

    a: str
    b: str
    medium: str
    queue: str
    loss: str
    link: str = ""
    name: str = ""
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Key:
    """What a swept or fixed key means in a network: dotted keys of its scenario, and the unit of the numbers or what
    the ledger's words stand for there.
    """

    key: str
    set: tuple[str, ...] = ()
    unit: str = "-"
    needs: tuple[str, ...] = ()
    words: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = field(default=None, compare=False, repr=False)

    def value(self, point: Any) -> Any:
        """A number or word of the ledger as a scenario has it."""
        if point in self.words:
            return self.words[point]
        return point if self.unit == "-" else f"{point:g} {self.unit}"


@dataclass(frozen=True)
class Topology:
    """A network of the paper; ``scenario`` is its file, with the network and its traffic as a user writes them."""

    key: str
    title: str
    nodes: str
    links: tuple[WireLink, ...]
    keys: Mapping[str, Key]
    needs: tuple[str, ...] = ()
    note: str = ""
    filename: str = ""
    scenario: str = ""

    def name_of(self, link: str) -> str:
        """The paper's name of a link of the scenario."""
        return next((row.name for row in self.links if row.link == link and row.name), link)


@dataclass(frozen=True)
class Axis:
    """One swept parameter. ``points`` may be empty where the paper names only the axis; ``bin`` is then the length of
    the bins in which its figure has them, if it has; ``also`` has keys of the scenario that vary with the axis, each
    with as many values.
    """

    parameter: str
    key: str
    points: tuple[Any, ...]
    unit: str
    range_stated: bool
    points_stated: bool
    bin: float | None = None
    also: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    is_variant: bool = False
    line: int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Experiment:
    """One figure or table of a paper, or a summary that covers several.

    Attributes
    ----------
    axes : tuple of Axis
        What is swept. ``drawn_over`` names what a figure has on its axis without points, such as time.
    bin_s : float or None
        Length of the bins of time in which the figure has the throughput.
    effect : Effect
        What the paper states of it beyond its network, and what it needs.
    mix : tuple of Mixed
        Who sends; empty if all of the network's flows are of the variant under test.
    groups : tuple of str
        Groups of the network's flows that take part; empty for all.
    measured : tuple of str
        Groups that are measured; empty for those of the variant under test.
    beside : mapping of str to tuple of str
        Variants that are measured in every run beside the one under test, with their groups.
    """

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
    drawn_over: tuple[str, ...]
    fixed: Mapping[str, Any]
    sim_time: str
    metrics: tuple[str, ...]
    stated: tuple[str, ...]
    open: tuple[str, ...]
    effect: Effect
    mix: tuple[Mixed, ...] = ()
    groups: tuple[str, ...] = ()
    measured: tuple[str, ...] = ()
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    covers: tuple[str, ...] = ()
    bin_s: float | None = None
    note: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def paper(self) -> str:
        """Id of the paper."""
        return self.id.split("/", 1)[0]

    @property
    def name(self) -> str:
        """Id without the paper."""
        return self.id.split("/", 1)[1]

    @property
    def together(self) -> bool:
        """Whether all variants run in one network, each pair of hosts with its own."""
        return bool(self.mix) and all(part.variant for part in self.mix)

    def word(self, name: str) -> str:
        """The field that a condition names."""
        return {"experiment": self.id, "topology": self.topology}.get(name, str(self.traffic["direction"]))


@dataclass(frozen=True)
class Reason:
    """Why a tolerance is what it is, and whose it is: "paper" if the paper's own words allow it, else "ours"."""

    text: str
    whose: str


@dataclass(frozen=True)
class Check:
    """What must hold for a claim. ``fields`` are those of its kind (``KINDS``) and of the common selectors.

    ``whose`` says who allows its tolerances: "paper" if the paper's own words do, else "ours".
    """

    kind: str
    fields: Mapping[str, Any]
    why: str = ""
    where: str = ""
    also: tuple[Check, ...] = ()
    whose: str = "ours"

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
        names += [name for key in ("largest_of", "against", "of") for name in self.fields.get(key, [])]
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

    @property
    def number(self) -> str:
        """Its number within the experiment."""
        return self.id.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Touches:
    """Whom something concerns: some experiments, all that leave something open, all with a variant."""

    experiments: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()

    def concerns(self, experiment: Experiment) -> bool:
        """Whether the experiment is one of them."""
        return (
            experiment.id in self.experiments
            or not set(self.open).isdisjoint(experiment.open)
            or not set(self.variants).isdisjoint(experiment.variants)
        )


@dataclass(frozen=True)
class Inconsistency:
    """A place where the paper contradicts itself or arithmetic, and what it concerns beside the claims that name it.

    ``take`` says how it is run or judged; empty where nothing rests on it.
    """

    id: str
    weight: str
    where: str
    what: str
    take: str = ""
    touches: Touches = Touches()


@dataclass(frozen=True)
class Ledger:
    """Everything that the ledger knows of one paper."""

    id: str
    filename: str
    paper: Mapping[str, Any]
    reasons: Mapping[str, Reason]
    open: Mapping[str, Open]
    variants: Mapping[str, Variant]
    readings: Mapping[str, Reading]
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
        year = str(self.paper.get("year", self.paper.get("year_note", "not stated")))
        year = f"year {year}" if year.startswith("not ") else year
        venue = str(self.paper["venue"])
        venue = f"Journal {venue}" if venue.startswith("not ") else venue[0].upper() + venue[1:]
        return f"{authors}: {self.paper['title']}. {venue}, {year}."

    def claims_of(self, experiment_id: str) -> tuple[Claim, ...]:
        """Claims of one experiment, in the order of the ledger."""
        return self._by_experiment.get(experiment_id, ())

    def readings_of(self, experiment: Experiment) -> list[Reading]:
        """Other plausible choices for an experiment, each against the base alone, in the order of the ledger."""
        return [reading for reading in self.readings.values() if reading.asked_of(experiment)]

    def loss_axis(self, experiment: Experiment, key: str) -> bool:
        """Whether a key of the experiment is a rate of random loss."""
        return any(name.endswith("loss.rate") for name in self.topologies[experiment.topology].keys[key].set)

    def touching(self, experiment: Experiment) -> tuple[Inconsistency, ...]:
        """Inconsistencies that concern an experiment: those that one of its claims names, and those that say so."""
        named = {key for claim in self.claims_of(experiment.id) for key in claim.conflict}
        return tuple(
            row for row in self.inconsistencies.values() if row.id in named or row.touches.concerns(experiment)
        )


def plain_name(variant: str) -> str:
    """A variant without the number of its flow: ``newreno#2`` is ``newreno``."""
    return variant.split("#", 1)[0]
