"""Tables of a comparison with Linux: rows for the screen, lines for the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from windlass.validation.linux.exact import CaseOutcome, Check
from windlass.validation.linux.means import PointOutcome

if TYPE_CHECKING:
    from windlass.stats import Interval

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
        return row | {"agrees": "skipped", "first that differs": outcome.skipped}
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
        text = f"{check.linux / 1e3:.0f} / {check.here / 1e3:.0f} ({100 * (check.here / check.linux - 1):+.1f} %)"
    else:
        text = f"{check.linux:.0f}" if check.linux == check.here else f"{check.linux:.0f} / {check.here:.0f}"
    if not check.judged:
        return f"({text})"
    return text if check.agrees else f"{text} !"


def point_rows(outcomes: Iterable[PointOutcome]) -> list[dict[str, str]]:
    """A row for each point under random loss."""
    rows = []
    for outcome in outcomes:
        point = outcome.point
        row = {"path": point.path, "algorithm": point.algorithm, "loss %": point.loss_percent}
        row |= dict.fromkeys(("Linux Mbit/s", "Windlass Mbit/s", "difference", "allowed", "timeouts"), "")
        if outcome.linux is None or outcome.here is None:
            rows.append(row | {"agrees": "skipped"})
            continue
        row |= {
            "Linux Mbit/s": _mean(outcome.linux),
            "Windlass Mbit/s": _mean(outcome.here),
            "difference": f"{100 * outcome.difference:+.1f} %",
            "allowed": f"{100 * outcome.allowed:.1f} %",
            "timeouts": f"{point.timeouts:.1f} / {outcome.timeouts:.1f}",
            "agrees": "yes" if outcome.agrees else "no",
        }
        rows.append(row)
    return rows


def _mean(interval: Interval) -> str:
    return f"{interval.mean:.3f}" if interval.n < 2 else f"{interval.mean:.3f} ± {interval.half_width:.3f}"


def markdown(rows: list[dict[str, str]]) -> list[str]:
    """Rows as lines of a table of Markdown."""
    heads = list(rows[0]) if rows else []
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return lines + ["| " + " | ".join(row.values()) + " |" for row in rows]
