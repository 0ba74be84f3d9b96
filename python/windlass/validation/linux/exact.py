"""Runs without randomness: the same segments sent again, the same timers expired, the same window."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windlass.errors import InputError
from windlass.validation.linux import scenarios
from windlass.validation.linux.reference import Case

BYTES_SHARE = 0.02
"""By what share the delivered bytes may differ."""

BYTES_SHARE_BBR = 0.05
"""The same for BBR, whose cycle of gains begins at random."""

WINDOW_SEGMENTS = 2.0
"""By how many segments the window may differ at a point of the trace."""

WINDOW_SHARE = 0.95
"""At what share of the points it must not differ by more."""

WINDOW_JUDGED = ("reno", "cubic")
"""Algorithms whose window is compared point by point."""

RANDOM = ("bbr",)
"""Algorithms that draw random numbers: which segments are sent again, and when, cannot be the same."""

CLOSE_S = 1e-3
"""Times of a segment that differ by more are shown as a difference, seconds."""

AFTER_S = 1e-4
"""Within this time after an event of the kernel the window here is read, seconds: segments of one burst leave the
kernel a few microseconds apart, and here at once."""

CHECKS = ("retransmissions", "timeouts", "probes", "delivered", "window")
"""What is compared."""

Sent = Sequence[tuple[float, int]]
"""Segments in the order in which they left: time in seconds, number from 0."""


@dataclass(frozen=True)
class Check:
    """One number of the kernel beside ours.

    Attributes
    ----------
    name : str
        One of :data:`CHECKS`.
    linux, here : float
        Segments sent again, timeouts, tail loss probes, bytes; of the window, the share of points at which it must be
        close, and at which it is.
    agrees : bool
        Whether the two are close enough. Segments sent again must also be the same ones.
    judged : bool
        Whether that counts.
    """

    name: str
    linux: float
    here: float
    agrees: bool
    judged: bool


@dataclass(frozen=True)
class First:
    """The first place at which two rows of segments differ: number (from 0) and time in seconds on each side, if any.

    Attributes
    ----------
    place : int
        How many segments before it are the same.
    linux, here : tuple of (float, int) or None
        Time and number of the segment; ``None``: no more segments.
    """

    place: int
    linux: tuple[float, int] | None
    here: tuple[float, int] | None

    def text(self) -> str:
        """The two in words; segments are counted from 1."""
        sides = (
            f"{name} segment {side[1] + 1} at {side[0]:.4f} s" if side else f"{name} none"
            for name, side in (("Linux", self.linux), ("here", self.here))
        )
        return ", ".join(sides)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; segments are counted from 1."""

        def plain(side: tuple[float, int] | None) -> dict[str, Any] | None:
            return None if side is None else {"time_s": side[0], "segment": side[1] + 1}

        return {"place": self.place, "linux": plain(self.linux), "windlass": plain(self.here)}


@dataclass(frozen=True)
class CaseOutcome:
    """A case beside the same run here.

    Attributes
    ----------
    case : Case
        What was run.
    skipped : str or None
        Why it was not.
    broken : bool
        It was not because one of its traces cannot be read.
    checks : tuple of Check
        In the order of :data:`CHECKS`.
    again : First or None
        The first segment sent again that is not the same.
    sent : First or None
        The first segment sent, again or not, that is another one, or that leaves more than :data:`CLOSE_S` earlier or
        later.
    """

    case: Case
    skipped: str | None = None
    broken: bool = False
    checks: tuple[Check, ...] = ()
    again: First | None = None
    sent: First | None = None

    @property
    def name(self) -> str:
        """That of the case."""
        return self.case.name

    @property
    def agrees(self) -> bool:
        """Whether all that is judged agrees; not if it was not run."""
        return self.skipped is None and all(check.agrees for check in self.checks if check.judged)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        checks = {
            check.name: {
                "linux": check.linux,
                "windlass": check.here,
                "agrees": check.agrees,
                "judged": check.judged,
            }
            for check in self.checks
        }
        return {
            "case": self.case.name,
            "algorithm": self.case.algorithm,
            "agrees": self.agrees,
            "skipped": self.skipped,
            "broken": self.broken,
            "checks": checks,
            "first_retransmission_that_differs": self.again and self.again.to_dict(),
            "first_segment_that_differs": self.sent and self.sent.to_dict(),
        }


def compare_case(case: Case) -> CaseOutcome:
    """Run a case here.

    Parameters
    ----------
    case : Case
        What to run.

    Returns
    -------
    CaseOutcome
        Skipped, with the reason, if the case has no counterpart here or a trace is missing or broken.
    """
    skipped = scenarios.why_not(case.algorithm, case.variant, case.other) or case.lacks()
    if skipped is not None:
        return CaseOutcome(case, skipped)
    try:
        theirs, windows = case.sent(), case.windows()
    except InputError as error:
        place = f"{Path(error.file or '').name}, line {error.line}" if error.line else Path(error.file or "").name
        return CaseOutcome(case, f"{place}: {error.message}", broken=True)
    result = scenarios.of_case(case).run()
    flow = result.flows.to_pylist()[0]
    series: dict[str, list[tuple[float, float]]] = {"sent_segment": [], "window_segments": []}
    for row in result.traces.select(["time_s", "variable", "value"]).to_pylist():
        series[row["variable"]].append((row["time_s"], row["value"]))
    ours = [(time, round(number)) for time, number in series["sent_segment"]]
    random = case.algorithm in RANDOM
    close = share_close(windows, series["window_segments"])
    apart = abs(flow["delivered_bytes"] - case.received_bytes)
    again_here, again_there = repeated(ours), repeated(theirs)
    same = Counter(number for _, number in again_here) == Counter(number for _, number in again_there)
    probes = flow.get("tail_probes", 0)
    checks = (
        Check("retransmissions", len(again_there), len(again_here), same, not random),
        Check("timeouts", case.timeouts, flow["timeouts"], flow["timeouts"] == case.timeouts, True),
        Check("probes", case.loss_probes, probes, probes == case.loss_probes, True),
        Check(
            "delivered",
            case.received_bytes,
            flow["delivered_bytes"],
            apart <= (BYTES_SHARE_BBR if random else BYTES_SHARE) * case.received_bytes,
            True,
        ),
        Check("window", WINDOW_SHARE, close, close >= WINDOW_SHARE, case.algorithm in WINDOW_JUDGED),
    )
    return CaseOutcome(
        case,
        checks=checks,
        again=first_difference(again_there, again_here),
        sent=first_difference(theirs, ours, CLOSE_S),
    )


def repeated(sent: Sent) -> list[tuple[float, int]]:
    """Those segments that were sent before."""
    again, highest = [], -1
    for time, number in sent:
        if number <= highest:
            again.append((time, number))
        highest = max(highest, number)
    return again


def first_difference(linux: Sent, here: Sent, close_s: float = float("inf")) -> First | None:
    """The first place at which the segments, or their times by more than `close_s`, differ."""
    for place in range(max(len(linux), len(here))):
        a = linux[place] if place < len(linux) else None
        b = here[place] if place < len(here) else None
        if a is None or b is None or a[1] != b[1] or abs(a[0] - b[0]) > close_s:
            return First(place, a, b)
    return None


def share_close(linux: Sequence[tuple[float, float]], here: Sequence[tuple[float, float]]) -> float:
    """The share of the kernel's points at which our window differs by no more than :data:`WINDOW_SEGMENTS`.

    Parameters
    ----------
    linux, here : sequence of (float, float)
        Time in seconds and window in segments; the window holds until the next.

    Returns
    -------
    float
        Between 0 and 1; 1 if there are no points.
    """
    times = [time for time, _ in here]
    close = 0
    for time, window in linux:
        place = bisect_right(times, time + AFTER_S) - 1
        # the kernel counts whole segments
        close += place >= 0 and abs(int(here[place][1]) - window) <= WINDOW_SEGMENTS
    return close / len(linux) if linux else 1.0
