"""One choice for everything that a paper leaves open, and other choices for one thing of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from windlass.errors import InputError


class NotYet(InputError):
    """The experiment needs something that this version cannot simulate."""

    code = "reproduce.not-yet"


@dataclass(frozen=True)
class Setting:
    """One choice for everything that a paper leaves open.

    Attributes
    ----------
    duration_s : float
        Simulated time.
    seeds : int
        Runs per point.
    queue : int or "bdp"
        Packets that every link's queue holds; ``"bdp"`` is one bandwidth-delay product of the narrowest link.
    window_segments : int
        Receiver's window.
    start_s : tuple of float
        Flows start at uniform draws between these times.
    loss_at : {"wire", "queue"}
        Random loss after transmission, or before the queue.
    loss_direction : {"forward", "reverse", "both"}
        Direction in which packets are lost at random.
    two_way : {"connection", "separate"}
        Two-way traffic on one connection, or as flows of their own in the other direction.
    recovery : str, optional
        Recovery core of all loss-based senders, instead of the one each names.
    algorithms : mapping of str to str or mapping
        Variants that run as another algorithm or with other parameters.
    """

    duration_s: float
    seeds: int
    queue: int | str
    window_segments: int
    start_s: tuple[float, float]
    loss_at: str
    loss_direction: str
    two_way: str = "connection"
    recovery: str | None = None
    algorithms: Mapping[str, str | Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """Another plausible choice for one open parameter.

    ``touches`` are the variants that it can change, ``None`` for all; ``needs`` the algorithms and parameters without which
    it cannot be run.
    """

    key: str
    title: str
    open: str
    why: str
    changes: Mapping[str, Any]
    touches: frozenset[str] | None = None
    needs: tuple[tuple[str, str | None], ...] = ()

    def apply(self, setting: Setting) -> Setting:
        """The setting with this choice in place of the default."""
        changes = dict(self.changes)
        if "algorithms" in changes:
            changes["algorithms"] = {**setting.algorithms, **changes["algorithms"]}
        return replace(setting, **changes)

    def concerns(self, variants: Iterable[str]) -> bool:
        """Whether it can change what is said of any of these variants."""
        return self.touches is None or not self.touches.isdisjoint(plain_name(name) for name in variants)


def plain_name(variant: str) -> str:
    """A variant without the number of its flow: ``newreno#2`` is ``newreno``."""
    return variant.split("#", 1)[0]
