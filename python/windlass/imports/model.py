"""What an import gives: numbers of a path with their intervals, a model of its losses, and what cannot be known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.files import write_file
from windlass.interval import Interval

if TYPE_CHECKING:
    from windlass.compare import Comparison
    from windlass.scenario import Scenario

__all__ = ["AT_LEAST", "AT_MOST", "INTERVAL", "Candidate", "Estimate", "ImportedPath", "JitterFit", "LossFit"]

INTERVAL, AT_LEAST, AT_MOST = "interval", "at least", "at most"
"""What data say of a number: both ends, or one of them only."""


@dataclass(frozen=True)
class Estimate:
    """A number that was read off data.

    Attributes
    ----------
    interval : Interval
        The number with its 95 % interval; where only one end is known, the other one is 0 or infinite.
    unit : str
        ``bit/s``, ``s``, ``B``, ``packets`` or ``1`` for a share.
    how : str
        Where it comes from, a phrase.
    kind : str
        ``interval``, ``at least`` or ``at most``: which ends are known.
    """

    interval: Interval
    unit: str
    how: str
    kind: str = INTERVAL

    @property
    def value(self) -> float:
        """The number itself."""
        return self.interval.mean

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain data."""
        one = self.interval
        return {"value": one.mean, "lo": one.lo, "hi": one.hi, "n": one.n, "unit": self.unit, "how": self.how} | {
            "kind": self.kind
        }


@dataclass(frozen=True)
class Candidate:
    """A model of loss that was fitted.

    Attributes
    ----------
    name : str
        ``independent``, ``gilbert per packet``, ``gilbert per time``, ``gilbert-elliott per packet``.
    parameters : int
        How many numbers were fitted.
    log_likelihood, bic : float
        Natural logarithm of the likelihood; Bayesian information criterion, the smaller the better.
    """

    name: str
    parameters: int
    log_likelihood: float
    bic: float


@dataclass(frozen=True)
class LossFit:
    """The losses of the channel.

    Attributes
    ----------
    model : str
        ``none``, or the name of the candidate that was chosen.
    rate : Estimate
        Share of packets that are lost.
    burst : Estimate or None
        Mean time in the bad state, in packets or seconds; ``None`` where losses have no memory.
    bad_loss, good_loss : Estimate or None
        Share that is lost in each state, where that was fitted; otherwise all and none.
    lost, packets : int
        Losses, and packets that they are of.
    candidates : tuple of Candidate
        All models that were fitted, the best first.
    p_value : float or None
        Of the likelihood-ratio test of independent losses against the best channel with memory.
    """

    model: str
    rate: Estimate
    lost: int
    packets: int
    burst: Estimate | None = None
    bad_loss: Estimate | None = None
    good_loss: Estimate | None = None
    candidates: tuple[Candidate, ...] = ()
    p_value: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The fit as plain data."""
        numbers = {name: getattr(self, name) for name in ("rate", "burst", "bad_loss", "good_loss")}
        return {
            "model": self.model,
            "lost": self.lost,
            "packets": self.packets,
            **{name: None if one is None else one.to_dict() for name, one in numbers.items()},
            "p_value": self.p_value,
            "candidates": [vars(one) for one in self.candidates],
        }


@dataclass(frozen=True)
class JitterFit:
    """The random part of the delay.

    Attributes
    ----------
    model : str
        ``exponential`` or ``normal``, as scenarios call them.
    size : Estimate
        Its mean, or its standard deviation, seconds.
    """

    model: str
    size: Estimate

    def to_dict(self) -> dict[str, Any]:
        """The fit as plain data."""
        return {"model": self.model, "size": self.size.to_dict()}


@dataclass
class ImportedPath:
    """A path as a file of measurements shows it.

    Attributes
    ----------
    file, format, name : str
        The file, its kind, and the name of the scenario.
    facts : list of str
        What was measured: ends, duration, packets.
    rate, base_rtt, queue : Estimate or None
        Rate of the narrowest link in bit/s, least round-trip time in seconds, longest queue in bytes; ``None`` where
        the data cannot tell.
    queue_least : float or None
        Bytes that were seen to wait, where the limit of the queue is not known.
    jitter : JitterFit or None
        Random part of the delay.
    loss, reverse_loss : LossFit or None
        Losses of the direction of the data, and of the other one.
    loss_most : Estimate or None
        What the losses are not above, where none could be fitted.
    trace : list of int or None
        Milliseconds at which 1504 bytes could pass, where the rate changes.
    notes : list of str
        What the data cannot tell, and what was assumed.
    """

    file: str
    format: str
    name: str
    facts: list[str] = field(default_factory=list)
    rate: Estimate | None = None
    base_rtt: Estimate | None = None
    queue: Estimate | None = None
    queue_least: float | None = None
    jitter: JitterFit | None = None
    loss: LossFit | None = None
    reverse_loss: LossFit | None = None
    loss_most: Estimate | None = None
    trace: list[int] | None = None
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        from windlass.imports.text import rows

        found = "; ".join(f"{what} {value}" for what, value, *_ in rows(self))
        return f"<ImportedPath {self.name} ({self.format}): {found}>"

    def toml(self, trace: str | None = None) -> str:
        """The path as the text of a scenario file, with comments that say where each number comes from.

        Parameters
        ----------
        trace : str, optional
            Name of the file with the trace, if the rate changes; by default the trace stands in the text itself.
        """
        from windlass.imports.bounds import section
        from windlass.imports.text import toml

        return toml(self, trace) + section(self)

    def scenario(self) -> Scenario:
        """The path as a scenario, with one flow of CUBIC."""
        from windlass.scenario import Scenario

        return Scenario.from_toml(self.toml())

    def write(self, file: str | Path) -> list[Path]:
        """Write the scenario file and, if the rate changes, the trace beside it; the names of what was written.

        Raises
        ------
        StoreError
            If a file cannot be written.
        """
        place = Path(file)
        if self.trace is None:
            return [write_file(place, self.toml())]
        beside = place.with_suffix(".mahi")
        write_file(beside, "".join(f"{each}\n" for each in self.trace))
        return [write_file(place, self.toml(beside.name)), beside]

    def compare(self, algorithms: Sequence[str] = ("cubic", "newreno", "bbr"), **more: Any) -> Comparison:
        """Compare algorithms on the path; ``more`` is passed on to :func:`windlass.compare`."""
        import windlass

        return windlass.compare([self.scenario()], algorithms, **more)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        names = ("rate", "base_rtt", "queue", "jitter", "loss", "reverse_loss", "loss_most")
        parts = {name: getattr(self, name) for name in names}
        return {
            "file": self.file,
            "format": self.format,
            "name": self.name,
            "facts": self.facts,
            **{name: None if one is None else one.to_dict() for name, one in parts.items()},
            "trace": self.trace,
            "notes": self.notes,
            "toml": self.toml(),
        }
