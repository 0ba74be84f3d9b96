"""The chapter of ``docs/validation.md`` about packetdrill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from windlass.validation.linux import scenarios
from windlass.validation.packetdrill.running import VERDICTS, Outcome

HEAD = "## packetdrill"
"""Where the chapter begins."""

FOLDERS = (
    "slow_start",
    "cubic",
    "fast_retransmit",
    "fast_recovery",
    "sack",
    "limited_transmit",
    "cwnd_moderation",
    "ecn",
    "ts_recent",
)
"""Folders of ``gtests/net/tcp`` whose scripts are about a sender or a receiver of bulk data."""

_BULK = (
    "its slow start ends at 48 segments, as where the first round of HyStart begins at a window of 16; in the traces of "
    "Linux 6.1 rounds are counted from the first ACK on"
)

REASONS = {
    "cubic/cubic-bulk-166k.pkt": _BULK,
    "cubic/cubic-bulk-166k-idle-restart.pkt": _BULK,
    "fast_retransmit/fr-4pkt-fack-last-mss.pkt": (
        "the reordering timer runs for a quarter of the RTT, 25 ms, and at least two ticks more. With the ticks of 4 ms of "
        "a kernel with HZ = 250 that is 36 to 40 ms, as the script has it; with those of 1 ms 27 ms, as two scripts of "
        "`sack` have it in the same situation. No one kernel passes all three within packetdrill's own tolerance"
    ),
    "cwnd_moderation/cwnd-moderation-ecn-enter-cwr-no-moderation-700.pkt": (
        "the window comes down by PRR from 10 segments to 7, with 3 in flight. The script wants the rule of kernels before "
        "5.14, one segment for the one acknowledged, so 4; since then an ACK that advances without a further loss is worth "
        "one more (RFC 9937's SafeACK), so 5, as here"
    ),
}
"""Why scripts fail that are known to, by their path below the folder."""

INTRODUCTION = """## packetdrill

Linux's TCP is held to the scripts of packetdrill: which segments a socket sends at which time, and what its `tcp_info`
says, when these segments come in. They are in the public repository google/packetdrill, `gtests/net/tcp`, and not here.
`windlass validate packetdrill DIR` plays scripts of any folder against one endpoint; `python -m windlass.validation.packetdrill
DIR` writes this chapter, where DIR is that `gtests/net/tcp`. Bytes are compared, so that several segments may be shown as one.
Not compared: PSH, the advertised window, TCP options of the handshake, the value of our own timestamps, and what follows
a `close`, since no endpoint here sends FIN or RST.
"""


def chapter(outcomes: Sequence[Outcome], folder: Path) -> list[str]:
    """Lines of the chapter: a table of all scripts, by their path below the folder."""
    counts = Counter(one.verdict for one in outcomes)
    said = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
    lines = [INTRODUCTION, f"Profile `{scenarios.profile()}`, {len(outcomes)} scripts: {said}.", ""]
    lines += ["| script | verdict | line | what was found |", "|---|---|---|---|"]
    why = []
    for one in outcomes:
        name = one.file.relative_to(folder).as_posix()
        found = one.reason.replace("|", r"\|").replace(str(folder), "DIR")
        lines.append(f"| {name} | {one.verdict} | {one.line or ''} | {found} |")
        if one.verdict == "failed":
            why.append(f"- {name}: {REASONS.get(name, 'not explained yet')}")
    return [*lines, "", "Why scripts fail:", "", *why] if why else lines
