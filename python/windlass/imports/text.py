"""An imported path as a scenario file, and as rows of a table."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from windlass.imports.model import AT_LEAST, INTERVAL

if TYPE_CHECKING:
    from windlass.imports.model import Estimate, ImportedPath, LossFit

WIDTH = 100

PACKET = 1500
"""Bytes of a packet, as scenarios count them."""

UNKNOWN_RATE = 10e6
UNKNOWN_RTT = 0.04
"""What stands in for a rate or a delay that the data do not show; a comment says so."""


def _figures(value: float, digits: int = 4) -> str:
    """A number with so many figures, and no exponent."""
    if value == 0.0 or not math.isfinite(value):
        return "0" if value == 0.0 else "?"
    places = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    text = f"{value:.{min(places, 12)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def amount(value: float, unit: str, digits: int = 4) -> str:
    """A number with its unit, as scenarios write it.

    >>> amount(9.6e6, "bit/s"), amount(0.0402, "s"), amount(0.01, "1"), amount(90000.0, "B")
    ('9.6 Mbps', '40.2 ms', '1 %', '90 kB')
    """
    scale, name = {
        "bit/s": (1e-6, "Mbps"),
        "s": (1e3, "ms"),
        "1": (1e2, "%"),
        "B": (1e-3, "kB"),
        "packets": (1.0, "packets"),
    }[unit]
    return f"{_figures(value * scale, digits)} {name}"


def interval(one: Estimate, digits: int = 4) -> str:
    """The interval of a number, in words."""
    low, high = one.interval.lo, one.interval.hi
    if one.kind != INTERVAL:
        return f"{one.kind} {amount(low if one.kind == AT_LEAST else high, one.unit, digits)}"
    if not math.isfinite(high):
        return "not known"
    return f"{amount(low, one.unit, digits)} to {amount(high, one.unit, digits)}"


def ends(one: Estimate) -> str:
    """The interval of a number, with what it is."""
    return interval(one) if one.kind != INTERVAL else f"95 % interval: {interval(one)}"


def rows(path: ImportedPath) -> list[tuple[str, str, str, str]]:
    """Name, value, 95 % interval and origin of each number."""
    named: list[tuple[str, Estimate | None]] = [("rate", path.rate), ("base RTT", path.base_rtt), ("queue", path.queue)]
    if path.jitter is not None:
        what = "mean" if path.jitter.model == "exponential" else "deviation"
        named.append((f"jitter, {path.jitter.model}, {what}", path.jitter.size))
    for which, fit in (("loss", path.loss), ("loss of the other direction", path.reverse_loss)):
        if fit is not None:
            named += [
                (f"{which}, {fit.model}" if fit.lost else which, fit.rate),
                ("mean bad period" if fit.burst is not None and fit.burst.unit == "s" else "mean burst", fit.burst),
                ("lost in the bad state", fit.bad_loss),
                ("lost in the good state", fit.good_loss),
            ]
    found = [(name, amount(one.value, one.unit), interval(one), one.how) for name, one in named if one is not None]
    most = path.loss_most
    return [*found, *([("loss", "not known", interval(most), most.how)] if most is not None else [])]


def comment(text: str, indent: str = "# ") -> list[str]:
    """Text as lines of a comment."""
    return textwrap.wrap(
        text, WIDTH, initial_indent="# ", subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def plain(text: str) -> str:
    """Text on one line, without what a comment cannot hold."""
    return "".join(one if one.isprintable() else "?" for one in text)


def toml(path: ImportedPath, trace: str | None) -> str:
    """The scenario file."""
    import json

    rate, rtt = _stand_ins(path)
    access = _figures(max(10.0 * rate / 1e6, 1000.0))
    lines = comment(plain(f"A path as measured: {path.file} ({path.format})."))
    for fact in path.facts:
        lines += comment(plain(fact))
    lines += [
        "# What the data cannot tell, and what they bound but do not fix, is at the end.",
        "",
        "[scenario]",
        f"name = {json.dumps(path.name)}",
        'duration = "60 s"',
        'warmup = "5 s"',
        "seeds = 10",
        "",
        "[topology]",
        'kind = "dumbbell"',
        "# Hosts are near the bottleneck: their links are fast and take no time.",
        f'access = {{ rate = "{access} Mbps", delay = "0 s", queue = "10000 packets" }}',
        "",
        "[topology.bottleneck]",
        *_rate_lines(path, rate, trace),
        *_delay_lines(path, rtt),
        *_queue_lines(path),
        *_loss_lines("loss", path.loss),
        *_reverse_lines(path),
        "",
        "[[flows]]",
        'from = "left/0"',
        'to = "right/0"',
        'algorithm = "cubic"',
    ]
    return "\n".join(lines) + "\n"


def _stand_ins(path: ImportedPath) -> tuple[float, float]:
    """Rate and round trip, or what is written in their place."""
    rate = path.rate.value if path.rate is not None and path.rate.value > 0.0 else UNKNOWN_RATE
    return rate, path.base_rtt.value if path.base_rtt is not None else UNKNOWN_RTT


def _from(one: Estimate) -> list[str]:
    return comment(f"{one.how}; {ends(one)}")


def _rate_lines(path: ImportedPath, rate: float, trace: str | None) -> list[str]:
    import json

    if path.trace is not None:
        given = json.dumps(trace) if trace is not None else json.dumps(path.trace)
        about = f"Opportunities for 1504 B, {len(path.trace)} in {path.trace[-1] / 1e3:.1f} s, from the rate over time."
        mean = comment(f"Mean {amount(rate, 'bit/s')}; {path.rate.how}") if path.rate is not None else []
        return [*comment(about), *mean, f"trace = {given}"]
    if path.rate is None or path.rate.value <= 0.0:
        return ["# The data do not show a rate: this one is a guess. Write what the link carries.", 'rate = "10 Mbps"']
    return [*_from(path.rate), f'rate = "{amount(rate, "bit/s", 6)}"']


def _delay_lines(path: ImportedPath, rtt: float) -> list[str]:
    if path.base_rtt is None:
        lines = ["# The data do not show a delay: this one is a guess, half of a round trip."]
    else:
        lines = ["# Half of the base RTT:", *_from(path.base_rtt)]
    lines.append(f'delay = "{amount(rtt / 2.0, "s", 6)}"')
    if path.jitter is None:
        return lines
    key = "mean" if path.jitter.model == "exponential" else "deviation"
    size = amount(path.jitter.size.value, "s")
    return [*lines, *_from(path.jitter.size), f'jitter = {{ model = "{path.jitter.model}", {key} = "{size}" }}']


def queue_packets(path: ImportedPath) -> int:
    """The queue's limit: what was measured, or a bandwidth-delay product, 10 at least and what was seen to wait."""
    if path.queue is not None:
        return max(round(path.queue.value / PACKET), 1)
    rate, rtt = _stand_ins(path)
    return max(math.ceil(max(rate * rtt / 8.0, path.queue_least or 0.0) / PACKET), 10)


def _queue_lines(path: ImportedPath) -> list[str]:
    packets = queue_packets(path)
    if path.queue is not None:
        return [*_from(path.queue), f'queue = "{packets} packets"']
    seen = "" if path.queue_least is None else f" or the {amount(path.queue_least, 'B')} that waited"
    about = (
        f"The data do not show the queue's limit: {packets} packets are one bandwidth-delay product{seen}, 10 at least."
    )
    return [*comment(about), f'queue = "{packets} packets"']


def _loss_lines(key: str, fit: LossFit | None) -> list[str]:
    if fit is None:
        return ["# The data do not show losses."]
    if not fit.lost:
        return comment(f"No loss in {fit.packets} packets; 95 % interval: {interval(fit.rate)}")
    lines = comment(f"Loss: {fit.model}, {fit.lost} of {fit.packets} packets, {fit.rate.how}; {ends(fit.rate)}")
    if fit.burst is not None:
        lines += comment(f"Bursts: {fit.burst.how}; 95 % interval: {interval(fit.burst)}")
    for what, one in (("bad", fit.bad_loss), ("good", fit.good_loss)):
        if one is not None:
            lines += comment(f"Lost in the {what} state: 95 % interval {interval(one)}")
    if fit.p_value is not None:
        order = ", ".join(f"{one.name} {one.bic:.1f}" for one in fit.candidates)
        lines += comment(
            f"BIC, least is best: {order}. Likelihood ratio of independent losses against bursts: p = "
            f"{fit.p_value:.2g}."
        )
    return [*lines, f"{key} = {loss_value(fit)}"]


def loss_value(fit: LossFit, digits: int = 6) -> str:
    """The value of `loss` in a scenario."""
    from windlass import _toml

    rate = amount(fit.rate.value, "1", digits)
    if fit.burst is None:
        return _toml.value(rate)
    value = {"rate": rate, "burst": amount(fit.burst.value, fit.burst.unit, digits)}
    if fit.burst.unit == "packets":
        value["per"] = "packet"
    if fit.good_loss is not None:
        value["good_loss"] = amount(fit.good_loss.value, "1", digits)
    if fit.bad_loss is not None:
        value["bad_loss"] = amount(fit.bad_loss.value, "1", digits)
    return _toml.value(value)


def _reverse_lines(path: ImportedPath) -> list[str]:
    """The other direction has the bottleneck's rate and delay, no jitter, and its own losses if they were seen."""
    keys = []
    lines = []
    if path.jitter is not None:
        keys.append("jitter = false")
    if path.reverse_loss is not None and path.reverse_loss.lost:
        *lines, last = _loss_lines("loss", path.reverse_loss)
        keys.append(last)
    return [*lines, f"reverse = {{ {', '.join(keys)} }}"] if keys else []
