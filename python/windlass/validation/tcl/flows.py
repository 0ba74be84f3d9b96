"""Flows as they were drawn, and the part of the script that starts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windlass.validation.tcl.agents import Ends, ends_of, is_full


@dataclass(frozen=True)
class FlowStart:
    """A flow as it was drawn.

    Attributes
    ----------
    name, group : str
        Its name, and that of the group of flows in the description.
    source, target : str
        Nodes.
    start_s : float
        When it starts.
    back_s : float, optional
        When the other end starts, if data go back on the same connection.
    """

    name: str
    group: str
    source: str
    target: str
    start_s: float
    back_s: float | None = None


def flow_starts(rows: Iterable[Mapping[str, Any]]) -> list[FlowStart]:
    """Flows with their start times from the rows of a run's table ``flows``."""
    starts: list[FlowStart] = []
    for row in rows:
        if row["direction"] == "forward":
            starts.append(FlowStart(row["flow"], row["group"], row["from"], row["to"], row["start_s"]))
        else:  # of the row before it
            starts[-1] = replace(starts[-1], back_s=row["start_s"])
    return starts


def connections(
    flows: Sequence[FlowStart],
    groups: Mapping[str, Mapping[str, Any]],
    place: Mapping[str, int],
    sized: Callable[[Ends, FlowStart], Ends] = lambda ends, _: ends,
) -> list[str]:
    """Lines that make every flow's two ends and source; ``sized`` may change the sizes of their packets."""
    lines = [
        "# Bytes of the SYN and of a segment as the receiver counts them (none for datagrams), start, and sender, receiver and",
        "# source with their settings.",
        "set flows {}",
        "foreach {a b syn whole start agent settings sink sinksettings source sourcesettings} {",
    ]
    for flow in flows:
        one = sized(ends_of(groups[flow.group]), flow)
        lines.append(
            f"    {place[flow.source]} {place[flow.target]} {one.syn} {one.whole} {flow.start_s:.9f} "
            f"{one.sender} {_braced(one.sender_settings)} {one.receiver} {_braced(one.receiver_settings)} "
            f"{one.source} {_braced(one.source_settings)}"
        )
    lines += [
        "} {",
        "    set sender [new $agent]",
        "    set receiver [new $sink]",
        "    foreach {name value} $settings { $sender set $name $value }",
        "    foreach {name value} $sinksettings { $receiver set $name $value }",
        "    $net attach-agent $node($a) $sender",
        "    $net attach-agent $node($b) $receiver",
        "    $net connect $sender $receiver",
        "    set application [new $source]",
        "    foreach {name value} $sourcesettings { $application set $name $value }",
        "    $application attach-agent $sender",
        '    $net at $start "$application start"',
        "    lappend flows $sender $receiver $syn $whole",
        "}",
        "",
    ]
    return lines


def full_starts(flows: Sequence[FlowStart], groups: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What connections of FullTcp need beside the others: an end that listens, and sends if it has data."""
    rows = [
        f"    {place} {'never' if flow.back_s is None else f'{flow.back_s:.9f}'}"
        for place, flow in enumerate(flows)
        if is_full(groups[flow.group])
    ]
    if not rows:
        return []
    return [
        "# Connections of FullTcp: place of the flow, when the other end starts to send.",
        "foreach {place back} {",
        *rows,
        "} {",
        "    set passive [lindex $flows [expr {4 * $place + 1}]]",
        "    $passive listen",
        "    set full($place) $passive",
        '    if {$back eq "never"} { set full($place) {}; continue }',
        "    set application [new Application/FTP]",
        "    $application attach-agent $passive",
        '    $net at $back "$application start"',
        "}",
        "",
    ]


def _braced(settings: Mapping[str, str]) -> str:
    return "{" + " ".join(f"{name} {value}" for name, value in settings.items()) + "}"
