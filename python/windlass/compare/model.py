"""What a comparison gives: a row for each candidate at each setting, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from windlass.interval import Interval

__all__ = ["LIMITS", "Comparison", "Outcome", "Senders", "Statement", "Trial", "Verdict"]

NOTHING = Interval(float("nan"), float("nan"), float("nan"), 0)

LIMITS = {
    "cwnd": "its window",
    "rwnd": "the receiver's window",
    "application": "its application",
    "pacing": "its pace",
}
"""What keeps a sender from sending more, as the columns ``NAME_limited_s`` of flows have it, in words."""


@dataclass(frozen=True)
class Senders:
    """The rules that the senders of a row follow beside their algorithm.

    Attributes
    ----------
    profile : str
        ``rfc``, ``linux`` or ``ns2``.
    recovery : str
        Recovery core: ``rack-tlp``, ``sack``, ``newreno``...
    prr, ns2 : bool
        Whether it cuts by proportional rate reduction where the algorithm allows, and whether the core is ns-2's.
    delayed_ack : int
        The receiver acknowledges every so manieth segment (d); 1: each.
    dup_threshold : int
        Duplicate ACKs that mean a loss.
    """

    profile: str
    recovery: str
    prr: bool
    ns2: bool
    delayed_ack: int
    dup_threshold: int

    def text(self) -> str:
        """In words."""
        core = f"recovery {self.recovery}{' with PRR' if self.prr else ''}{' of ns-2' if self.ns2 else ''}"
        acks = "an ACK per segment" if self.delayed_ack == 1 else f"an ACK for {self.delayed_ack} segments"
        return (
            f"profile {self.profile}, {core}, d = {self.delayed_ack} ({acks}), loss at {self.dup_threshold} duplicates"
        )


@dataclass(frozen=True)
class Outcome:
    """One algorithm, with one queue, at one setting: a path and the values of what it sweeps.

    Attributes
    ----------
    algorithm : str
        As it was asked for.
    axes : dict
        Swept keys of the file with their values.
    goodput_bps : Interval
        Mean per flow and direction of the group, over seeds.
    total_bps : Interval
        Sum over the group's flows, each over the whole run without the warm-up: no more than the links can carry.
    against_baseline : Interval
        Goodput over that of the baseline at the same setting, seed by seed.
    queue_delay_p95_s : Interval
        95 % of a flow's segments waited no longer than this in queues, mean over flows.
    judges_losses : bool
        Whether the algorithm tells random losses from congestion. One that does not takes every loss for congestion.
    miss_rate : Interval
        Share of the congestion losses that the sender took for random. Only of losses it acted on: fast retransmits
        and first timeouts.
    false_alarm_rate : Interval
        Share of the random losses that the sender took for congestion.
    timeouts : Interval
        Per flow.
    neighbour_bps : Interval or None
        Goodput of one NewReno flow among the others; none without a neighbour.
    neighbour_cost : Interval or None
        Share of its goodput beside NewReno that the neighbour loses beside this algorithm, seed by seed; negative if it
        gains.
    completion_s : Interval
        Mean time of the group's transfers of given size that ended; NaN if there are none.
    unfinished : Interval
        Share of its transfers of given size that did not end; NaN if it has no such transfers.
    path, group, queue : str
        Name of the path; the group of flows that was changed; the queue as it was asked for, empty for the path's own.
    senders : Senders or None
        Recovery core, profile, delayed ACKs.
    limits : dict of str to Interval
        Share of its time in which each of :data:`LIMITS` kept a flow of the group from sending more.
    delays : dict of str to Interval
        As `queue_delay_p95_s`, of every group of flows.
    never_left_slow_start : Interval
        Share of the group's flows without end that were still in their first slow start at the end.
    """

    algorithm: str
    axes: dict[str, Any]
    goodput_bps: Interval
    total_bps: Interval
    against_baseline: Interval
    queue_delay_p95_s: Interval
    judges_losses: bool
    miss_rate: Interval
    false_alarm_rate: Interval
    timeouts: Interval
    neighbour_bps: Interval | None
    neighbour_cost: Interval | None
    completion_s: Interval = NOTHING
    unfinished: Interval = NOTHING
    path: str = ""
    group: str = ""
    queue: str = ""
    senders: Senders | None = None
    limits: dict[str, Interval] = field(default_factory=dict)
    delays: dict[str, Interval] = field(default_factory=dict)
    never_left_slow_start: Interval = NOTHING

    @property
    def candidate(self) -> str:
        """What is chosen between: the algorithm, and the queue if there are several."""
        return f"{self.algorithm} with {self.queue}" if self.queue else self.algorithm

    def to_dict(self) -> dict[str, Any]:
        """Plain data: each interval as ``_mean``, ``_lo``, ``_hi``, the ends null where there is none."""
        row: dict[str, Any] = {"path": self.path, "algorithm": self.algorithm, "queue": self.queue, **self.axes}
        row["seeds"] = self.goodput_bps.n
        if self.senders is not None:
            row |= {name: value for name, value in vars(self.senders).items()}
        row["judges_losses"] = self.judges_losses
        for name in _MEASURES:
            row |= {f"{name}_{part}": value for part, value in _parts(getattr(self, name)).items()}
        shares = {f"{name}_limited_share": share for name, share in self.limits.items()}
        shares["never_left_slow_start"] = self.never_left_slow_start
        row |= {f"{name}_mean": share.mean for name, share in shares.items()}
        row["delays"] = {group: _parts(delay) for group, delay in self.delays.items()}
        return row


_MEASURES = (
    "goodput_bps",
    "total_bps",
    "against_baseline",
    "completion_s",
    "unfinished",
    "queue_delay_p95_s",
    "miss_rate",
    "false_alarm_rate",
    "timeouts",
    "neighbour_bps",
    "neighbour_cost",
)


def _parts(interval: Interval | None) -> dict[str, float | None]:
    """An interval as plain data."""
    if interval is None:
        return {"mean": None, "lo": None, "hi": None}
    lo, hi = (interval.lo, interval.hi) if interval.known else (None, None)
    return {"mean": interval.mean, "lo": lo, "hi": hi}


@dataclass(frozen=True)
class Statement:
    """One sentence of the answer.

    Attributes
    ----------
    kind : str
        Which template it was made from: see :mod:`windlass.compare.sentences`.
    text : str
        The sentence.
    facts : dict
        What it says, by the names in the template: intervals, candidates, numbers.
    """

    kind: str
    text: str
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """One candidate against another at one setting, with intervals that hold for all of them together.

    Attributes
    ----------
    candidate, over : str
        Which, and against which.
    path : str
        Name of the path.
    axes : dict
        Values of what it sweeps.
    gain : Interval
        By how much it is better, as a share: more goodput, or less time for transfers of given size.
    p : float
        Probability of a difference this large by chance, if there is none, adjusted for the number of comparisons; NaN
        where seeds do not tell it.
    """

    candidate: str
    over: str
    path: str
    axes: dict[str, Any]
    gain: Interval
    p: float


@dataclass(frozen=True)
class Trial:
    """What the runs say with values of the path that its measurement does not exclude.

    Attributes
    ----------
    words : str
        The values.
    take : str or None
        The candidate to take there; none if the runs decide nothing.
    lead : str
        The one that is ahead on average; the baseline if none gains as much as matters.
    gain : Interval or None
        Of the one that is ahead, or of the best beside the baseline, over the baseline, as a share.
    """

    words: str
    take: str | None
    lead: str
    gain: Interval | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        ends = {
            f"gain_{part}": None if self.gain is None else getattr(self.gain, part) for part in ("mean", "lo", "hi")
        }
        return {"path": self.words, "take": self.take, "ahead": self.lead, **ends}


@dataclass(frozen=True, repr=False)
class Comparison:
    """What :func:`windlass.compare` gives.

    Attributes
    ----------
    name : str
        Name of the scenario, or of all if there are several paths.
    group : str
        Group of flows whose algorithm was changed, the first path's.
    outcomes : list of Outcome
        For each setting, the queues and algorithms in the order asked for.
    cautions : list of str
        What to know before trusting the numbers.
    baseline : str
        The candidate that gains are against.
    objective : str
        What a gain is of: ``goodput``, or ``completion`` where all transfers have a size.
    gains : list of Verdict
        Every candidate against the baseline at every setting.
    answer : list of Statement
        What to take, what it gains and costs, how sure that is, and where it does not hold.
    take : str or None
        The candidate that the answer is for; none if the runs decide nothing.
    descriptions : list of (str, str)
        Path and effective description of each of its points with the first candidate, JSON.
    notes : list of str
        Of paths that were measured: what the measurement cannot tell, and what was assumed.
    trials : list of Trial
        Of paths that were measured: what the runs say as they are written, and inside what the data bound.
    """

    name: str
    group: str
    outcomes: list[Outcome]
    cautions: list[str] = field(default_factory=list)
    baseline: str = ""
    objective: str = "goodput"
    gains: list[Verdict] = field(default_factory=list)
    answer: list[Statement] = field(default_factory=list)
    take: str | None = None
    descriptions: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "scenario": self.name,
            "group": self.group,
            "baseline": self.baseline,
            "objective": self.objective,
            "cautions": self.cautions,
            "notes": self.notes,
            "trials": [one.to_dict() for one in self.trials],
            "outcomes": [outcome.to_dict() for outcome in self.outcomes],
            "gains": [
                {
                    "candidate": one.candidate,
                    "over": one.over,
                    "path": one.path,
                    **one.axes,
                    **{f"gain_{part}": getattr(one.gain, part) for part in ("mean", "lo", "hi", "confidence")},
                    "p": one.p,
                }
                for one in self.gains
            ],
            "take": self.take,
            "answer": [{"kind": one.kind, "text": one.text} for one in self.answer],
        }

    def __repr__(self) -> str:
        candidates = len({outcome.candidate for outcome in self.outcomes})
        return f"<Comparison {self.name!r}: {candidates} candidates, take {self.take or 'none'}>"

    def _repr_html_(self) -> str:
        from windlass.views import html
        from windlass.views.comparison import of_comparison

        return html(of_comparison(self))

    def write(self, file: Any, *, command: str = "") -> Any:
        """Write the page for someone who was not there, one HTML file that needs no network.

        Parameters
        ----------
        file : str or Path
            Ends in ``.html``.
        command : str
            Shown as what makes the page again.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        StoreError
            If the file cannot be written.
        """
        from windlass.compare.page import write

        return write(self, file, command=command)
