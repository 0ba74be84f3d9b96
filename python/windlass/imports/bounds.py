"""What data bound but do not fix, as values that a comparison tries: both ends, and one in the middle; and notes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from windlass import _toml
from windlass.imports.model import AT_LEAST, INTERVAL, Estimate, ImportedPath, LossFit
from windlass.imports.text import (
    PACKET,
    UNKNOWN_RATE,
    UNKNOWN_RTT,
    amount,
    comment,
    interval,
    loss_value,
    plain,
    queue_packets,
)
from windlass.measured import Bound

__all__ = ["bounds", "section"]

TIMES, FAST = 10.0, 1e9
"""How many times as much as is known a link may carry, and bit/s above which two times as much are tried."""

SHORT, LONG = 0.25, 4.0
"""Bandwidth-delay products of queues that are not known."""

LOSSY = 0.01
"""Share that a path may lose of which nothing is known."""

RATE, LOSS, QUEUE, DELAY = (f"topology.bottleneck.{name}" for name in ("rate", "loss", "queue", "delay"))


def bounds(path: ImportedPath) -> list[Bound]:
    """The path's values that data do not fix."""
    found = [_rate(path), _loss(path), _queue(path), _delay(path)]
    return [one for one in found if one is not None and one.tried[0] != one.tried[-1]]


def section(path: ImportedPath) -> str:
    """The section ``[measured]`` of the scenario file."""
    about = (
        "What was measured: notes, and ends of what the data bound but do not fix. `windlass compare` tries them, and "
        "gives no answer that hangs on them. A bound no longer counts once its key has another value than `written`: "
        "write what you know."
    )
    lines = ["", *comment(about), "[measured]", f"file = {_toml.value(plain(path.file))}"]
    lines += [f"format = {_toml.value(path.format)}", "notes = ["]
    lines += [f"    {_toml.value(plain(note))}," for note in path.notes]
    lines += ["]", "", "[measured.bounds]"]
    lines += [f"{_toml.value(one.key)} = {_toml.value(one.table())}" for one in bounds(path)]
    return "\n".join(lines) + "\n"


DIGITS = 3
"""Figures of what is tried."""


def _spread(low: float, high: float, words: Callable[[float], Any]) -> list[Any]:
    """The ends and what is in the middle between them, by ratio, or half of the larger one if the other is nothing."""
    return [words(one) for one in (low, math.sqrt(low * high) if low > 0.0 else high / 2.0, high)]


def _rate(path: ImportedPath) -> Bound | None:
    one = path.rate
    if path.trace is not None and (one is None or one.kind == INTERVAL):
        return None

    def words(value: float) -> str:
        return amount(value, "bit/s", DIGITS)

    if one is None or one.value <= 0.0:
        ends = _spread(UNKNOWN_RATE / TIMES, UNKNOWN_RATE * TIMES, words)
        return Bound(RATE, amount(UNKNOWN_RATE, "bit/s", 6), "not in the data", ends)
    low = one.interval.lo or one.value / TIMES
    high = one.interval.hi
    if not math.isfinite(high):
        high = max(2.0 * one.value, min(TIMES * one.value, FAST))
    written = None if path.trace is not None else amount(one.value, "bit/s", 6)
    return Bound(RATE, written, interval(one), _spread(low, high, words))


def _loss(path: ImportedPath) -> Bound:
    fit, most = path.loss, path.loss_most
    if fit is None:
        high = LOSSY if most is None else most.interval.hi
        known = "not in the data" if most is None else interval(most)
        return Bound(LOSS, None, known, _spread(0.0, high, lambda value: amount(value, "1", DIGITS)))

    def value(share: float) -> Any:
        return _lossy(fit, share, DIGITS) if share > 0.0 and fit.lost else amount(share, "1", DIGITS)

    written = _lossy(fit, fit.rate.value) if fit.lost else None
    return Bound(LOSS, written, interval(fit.rate), _spread(fit.rate.interval.lo, fit.rate.interval.hi, value))


def _lossy(fit: LossFit, share: float, digits: int = 6) -> Any:
    """The value of `loss` with another mean: the states are as long, and what each loses changes with the mean."""
    import tomllib

    def scaled(one: Estimate | None) -> Estimate | None:
        mean = None if one is None else min(one.value * share / fit.rate.value, 1.0)
        return None if one is None or mean is None else replace(one, interval=replace(one.interval, mean=mean))

    rate = replace(fit.rate, interval=replace(fit.rate.interval, mean=share))
    other = replace(fit, rate=rate, good_loss=scaled(fit.good_loss), bad_loss=scaled(fit.bad_loss))
    return tomllib.loads(f"loss = {loss_value(other, digits)}")["loss"]


def _packets(size: float) -> str:
    return f"{max(round(size / PACKET), 1)} packets"


def _queue(path: ImportedPath) -> Bound:
    written = f"{queue_packets(path)} packets"
    if path.queue is not None:
        low, high = path.queue.interval.lo or path.queue.value, path.queue.interval.hi
        high = high if math.isfinite(high) else LONG * max(path.queue.value, low)
        return Bound(QUEUE, written, interval(path.queue), _spread(low, high, _packets))
    if path.queue_least is not None:
        known = f"{AT_LEAST} {amount(path.queue_least, 'B')}"
        return Bound(QUEUE, written, known, _spread(path.queue_least, LONG * path.queue_least, _packets))
    ways = (SHORT, 1.0, LONG)
    if _least_bdp(path) >= PACKET:
        return Bound(QUEUE, written, "not in the data", [f"{one:g} bdp" for one in ways])
    # Less than a packet is no product that a scenario can name.
    return Bound(QUEUE, written, "not in the data", [_packets(one * queue_packets(path) * PACKET) for one in ways])


def _least_bdp(path: ImportedPath) -> float:
    """Bytes of the least bandwidth-delay product that is tried."""
    rate = UNKNOWN_RATE / TIMES
    if path.rate is not None and path.rate.value > 0.0:
        rate = path.rate.interval.lo or path.rate.value / TIMES
    return rate * (UNKNOWN_RTT * SHORT if path.base_rtt is None else _least_rtt(path.base_rtt)) / 8.0


def _least_rtt(one: Estimate) -> float:
    return max(one.interval.lo, one.value * SHORT)


def _delay(path: ImportedPath) -> Bound:
    one = path.base_rtt

    def words(rtt_s: float) -> str:
        return amount(rtt_s / 2.0, "s", DIGITS)

    if one is None:
        ends = _spread(UNKNOWN_RTT * SHORT, UNKNOWN_RTT * LONG, words)
        return Bound(DELAY, amount(UNKNOWN_RTT / 2.0, "s", 6), "not in the data", ends)
    low = _least_rtt(one)
    known = f"round trip {interval(one)}"
    return Bound(DELAY, amount(one.value / 2.0, "s", 6), known, _spread(low, max(one.interval.hi, low), words))
