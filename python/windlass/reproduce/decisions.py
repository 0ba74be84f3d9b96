"""Decisions of a sender at its losses, as numbers: from the window's cuts and the recorded smoothed RTT."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.ledger import Check

if TYPE_CHECKING:
    from windlass.sweep import RunResult

RECORD: dict[str, Any] = {"output.traces": ["srtt"], "output.events": True}
"""Keys of a scenario that record them."""

_TIMEOUT = "timeout"
_NO_LOSS = "recovery-exit"
_UNTOLD = "judged-random"


def variants_of(checks: Sequence[Check]) -> set[str]:
    """Variants of whose every decision a check says something."""
    return {str(check["variant"]) for check in checks if check.kind == "invariant"}


def decisions_of(result: RunResult, groups: tuple[str, ...] | None) -> list[dict[str, float]]:
    """A row for each loss of the first flow.

    ``cwnd`` before it and ``loss_window`` after it, ``ssthresh`` after it, segments; ``native``, what NewReno's window
    would be by ns-2's rule: the whole segments of its half after duplicate ACKs, at least 2, and 1 after a timeout;
    ``rtt`` with its least and largest value so far, s; ``timeout`` and ``serial`` (a timeout of the same segment
    again), 0 or 1, ``serial`` a half where the loss before was judged random, which does not tell how it was found;
    ``growth`` since the loss before (segments per second), ``growth_before`` that one's, and ``slots``,
    how many of these are known; ``advanced``, by how much ``ssthresh`` is above the loss window, or after a timeout
    above half of ``cwnd`` as well.
    """
    rows = zip(result.flows["flow"].to_pylist(), result.flows["group"].to_pylist(), strict=True)
    flow = next(name for name, group in rows if groups is None or group in groups)
    traces = result.traces.to_pylist()
    rtts = [(row["time_s"], row["value"]) for row in traces if row["subject"] == flow and row["variable"] == "srtt_s"]
    found: list[dict[str, float]] = []
    position, low, high, newest = 0, float("inf"), 0.0, 0.0
    last: dict[str, Any] | None = None
    for row in result.events.to_pylist():
        if row["flow"] != flow or row["kind"] == _NO_LOSS:
            continue
        while position < len(rtts) and rtts[position][0] <= row["time_s"]:
            newest = rtts[position][1]
            low, high, position = min(low, newest), max(high, newest), position + 1
        timeout = row["kind"] == _TIMEOUT
        serial = _serial(row, last)
        last = row
        before, after = row["cwnd_before_segments"], row["cwnd_after_segments"]
        decision = {
            "time_s": row["time_s"],
            "cwnd": before,
            "loss_window": after,
            "ssthresh": row["ssthresh_after_segments"],
            "native": 1.0 if timeout else max(math.floor(before / 2), 2.0),
            "rtt": newest,
            "rtt_min": low,
            "rtt_max": high,
            "timeout": float(timeout),
            "serial": serial,
            "advanced": row["ssthresh_after_segments"] - (max(before / 2, after) if timeout else after),
        }
        found.append(decision)
    _add_growth(found)
    return found


def _serial(row: Mapping[str, Any], before: Mapping[str, Any] | None) -> float:
    """Whether a loss is a timeout of a segment whose timeout was the loss before."""
    if row["kind"] != _TIMEOUT or before is None or before["segment"] != row["segment"]:
        return 0.0
    return {_TIMEOUT: 1.0, _UNTOLD: 0.5}.get(before["kind"], 0.0)


def _add_growth(found: list[dict[str, float]]) -> None:
    """Growth of the window over the slot before each loss, and over the one before that; nought where there is none."""
    for index, decision in enumerate(found):
        decision["slots"] = float(min(index, 2))
        decision["growth"] = decision["growth_before"] = 0.0
        if index:
            before = found[index - 1]
            slot = decision["time_s"] - before["time_s"]
            decision["growth"] = (decision["cwnd"] - before["loss_window"]) / slot if slot > 0 else 0.0
            decision["growth_before"] = before["growth"]
