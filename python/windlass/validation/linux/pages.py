"""The chapter of ``docs/validation.md`` about Linux."""

from __future__ import annotations

from windlass.validation.linux import scenarios
from windlass.validation.linux.record import EXPLAINED, unexplained
from windlass.validation.linux.running import Comparison
from windlass.validation.linux.tables import case_rows, markdown, point_rows

HEAD = "## Linux"
"""Where the chapter begins."""

INTRODUCTION = """## Linux

What the TCP stack of Linux 6.1 did, as a user-mode kernel in virtual time, in which the processor takes no time. The
reference is in `python/windlass/reference/linux`; the programs that made it are in `tests/differential/linux`, and its
README explains path, columns and how to make more. `windlass validate linux` makes this comparison, `windlass validate linux
DIR` that of any folder of the same layout. `python -m windlass.validation.linux` writes this chapter, and what agrees
into `tests/differential/linux/record.csv`, which the tests compare.

Path: a bottleneck of 8 Mbit/s with a queue of 100 packets, the one in service included (20 in `queue20`), a hop that
loses packets, 50 ms each way. MSS 1448, 1514 bytes on the wire, a receive window that never limits. 15 s from the SYN; `tail-1`
and `tail-probe` send 200 segments. In `slow` it is 2 Mbit/s, 30 packets and 10 ms.
"""

EXACT_INTRODUCTION = """### Segment by segment

Nothing is random but the phase of BBR's cycle of gains. A case agrees if the same segments are sent again, timeouts and tail
loss probes are as many, the bytes read by the receiver are within 2 % (BBR: 5 %), and for reno and cubic the window is
within two segments at 95 % of the points of the trace; the column has the share of points at which it is. Linux /
Windlass: one number if both are equal; `!` differs; brackets are not judged. Last, the first segment sent again that is not the same, or else
the first segment sent that is another one or leaves more than 1 ms earlier or later.
"""

MEANS_INTRODUCTION = """### Under random loss

60 ms each way, a queue of 80 packets, each packet in the direction of data lost with the same probability behind the
bottleneck. Mean goodput over 30 s from the SYN and half of its 95 % interval. A point agrees if the means differ by no
more than the half width of the 95 % interval of their difference (Student's t, pooled variance) and 5 % of Linux's
mean. Linux has 5 seeds. Windlass has 10 at first, and four times as many while more than 15 % is allowed, up to 160;
where that is not enough, Linux's seeds are too few. Seeds and timeouts, means per run: Linux / Windlass.
"""


def chapter(done: Comparison) -> list[str]:
    """Lines of the chapter, not yet filled."""
    lines = [INTRODUCTION, _rules(), ""]
    lines += [EXACT_INTRODUCTION, _count([one.agrees for one in done.cases], "cases"), ""]
    lines += [*markdown(case_rows(done.cases)), "", MEANS_INTRODUCTION]
    lines += [_count([one.agrees for one in done.points], "points"), "", *markdown(point_rows(done.points)), ""]
    lines += ["### What differs from Linux", ""]
    lines += [f"- {name}: {reason}" for name, reason in EXPLAINED.items()]
    open_ones = unexplained(done)
    if open_ones:
        lines.append(f"- not explained yet: {', '.join(open_ones)}")
    return lines if EXPLAINED or open_ones else [*lines, "Nothing."]


def _rules() -> str:
    if scenarios.profile() == "linux":
        return "Runs here use the profile `linux`."
    return (
        "There is no profile `linux` yet. Runs here use the profile `rfc` with the recovery core `sack` and timestamps. "
        "It has no tail loss probes, RACK, undo, PRR, quick ACKs or the kernel's HyStart, and its least RTO is 1 s."
    )


def _count(agree: list[bool], what: str) -> str:
    return f"{sum(agree)} of {len(agree)} {what} agree."
