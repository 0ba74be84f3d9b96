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
    "limited_transmit/limited-transmit-no-sack.pkt": (
        "without SACK Linux takes a duplicate ACK for a segment that has arrived, and an ACK then counts for what it adds"
    ),
    "fast_recovery/prr-ss-ack-below-snd_una-cubic.pkt": "SACK blocks of an ACK below the oldest segment are not read",
    "fast_retransmit/fr-4pkt-fack-last-mss.pkt": (
        "the timer of RACK expires 25 to 27 ms after the SACK, as two scripts of `sack` want it in the same situation; "
        "why it is 40 ms here is not known"
    ),
    "cwnd_moderation/cwnd-moderation-ecn-enter-cwr-no-moderation-700.pkt": (
        "after a mark Linux brings the flight down in proportion, in a state of its own; here the window is cut at once"
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
