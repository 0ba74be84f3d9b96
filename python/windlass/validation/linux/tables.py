"""Tables of a comparison with Linux: rows for the screen, lines for the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from windlass.validation.linux import scenarios
from windlass.validation.linux.exact import CaseOutcome, Check
from windlass.validation.linux.means import WIDE, PointOutcome

if TYPE_CHECKING:
    from windlass.stats import Interval
    from windlass.validation.linux.running import Comparison

HEADS = {
    "retransmissions": "sent again",
    "timeouts": "timeouts",
    "probes": "probes",
    "delivered": "delivered kB",
    "window": "window close %",
}
"""Columns of the checks."""


def case_rows(outcomes: Iterable[CaseOutcome]) -> list[dict[str, str]]:
    """A row for each case: the numbers of Linux and ours, and where the two part."""
    return [_case_row(outcome) for outcome in outcomes]


def _case_row(outcome: CaseOutcome) -> dict[str, str]:
    row = {"case": outcome.case.name} | dict.fromkeys(HEADS.values(), "")
    row |= {"agrees": "yes" if outcome.agrees else "no", "first that differs": ""}
    if outcome.skipped is not None:
        return row | {"agrees": "unreadable" if outcome.broken else "skipped", "first that differs": outcome.skipped}
    for check in outcome.checks:
        row[HEADS[check.name]] = _numbers(check)
    if outcome.again is not None:
        row["first that differs"] = f"sent again: {outcome.again.text()}"
    elif outcome.sent is not None:
        row["first that differs"] = f"sent: {outcome.sent.text()}"
    return row


def _numbers(check: Check) -> str:
    """Linux's number and ours, one if they are equal; in brackets if it is not judged, with ``!`` if it differs."""
    if check.name == "window":
        text = f"{100 * check.here:.1f}"
    elif check.name == "delivered":
        text = f"{check.linux / 1e3:.0f} / {check.here / 1e3:.0f} ({_percent(check)})"
    else:
        text = f"{check.linux:.0f}" if check.linux == check.here else f"{check.linux:.0f} / {check.here:.0f}"
    if not check.judged:
        return f"({text})"
    return text if check.agrees else f"{text} !"


def _percent(check: Check) -> str:
    return f"{100 * (check.here / check.linux - 1):+.1f} %" if check.linux else "Linux none"


def point_rows(outcomes: Iterable[PointOutcome]) -> list[dict[str, str]]:
    """A row for each point under random loss."""
    rows = []
    for outcome in outcomes:
        point = outcome.point
        row = {"path": point.path, "algorithm": point.algorithm, "loss %": point.loss_percent}
        row |= dict.fromkeys(("Linux Mbit/s", "Windlass Mbit/s", "seeds", "difference", "allowed", "timeouts"), "")
        if outcome.linux is None or outcome.here is None:
            rows.append(row | {"agrees": "skipped"})
            continue
        row |= {
            "Linux Mbit/s": _mean(outcome.linux),
            "Windlass Mbit/s": _mean(outcome.here),
            "seeds": f"{outcome.linux.n} / {outcome.here.n}",
            "difference": f"{100 * outcome.difference:+.1f} %",
            "allowed": f"{100 * outcome.allowed:.1f} %",
            "timeouts": f"{point.timeouts:.1f} / {outcome.timeouts:.1f}",
            "agrees": "yes" if outcome.agrees else "no",
        }
        rows.append(row)
    return rows


def verdict(done: Comparison) -> list[str]:
    """How many rows were compared, agree and were skipped, and why; how sharp the rule of random loss was."""
    rows = len(done.outcomes)
    lines = [f"{done.agreeing} of {done.run} agree, profile {scenarios.profile()}"]
    if done.skipped:
        lines[0] += f"; of {rows} rows {done.run} compared, {rows - done.run} skipped:"
        lines += [f"  {len(names)}: {reason} ({', '.join(names)})" for reason, names in done.skipped.items()]
    allowed = [point.allowed for point in done.points if point.skipped is None]
    if allowed:
        lines.append(
            f"random loss: allowed were {100 * min(allowed):.1f} to {100 * max(allowed):.1f} % of Linux's mean"
        )
    if done.wide:
        few = ", ".join(f"{one.name} {100 * one.allowed:.1f} % ({100 * one.least:.1f} %)" for one in done.wide)
        lines.append(f"  more than {100 * WIDE:.0f} % at (in brackets, what Linux's few seeds alone make it): {few}")
    return lines


def _mean(interval: Interval) -> str:
    return f"{interval.mean:.3f}" if interval.n < 2 else f"{interval.mean:.3f} ± {interval.half_width:.3f}"


def markdown(rows: list[dict[str, str]]) -> list[str]:
    """Rows as lines of a table of Markdown."""
    heads = list(rows[0]) if rows else []
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return lines + ["| " + " | ".join(row.values()) + " |" for row in rows]
