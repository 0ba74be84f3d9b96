"""What the commands of a script set. They are read, never run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from windlass import inputs
from windlass.validation.packetdrill.language import Unsupported

_SYSCTL = re.compile(r"net[./]ipv4[./](?P<name>\w+)=(?P<value>\"[^\"]*\"|[^\s;]+)")
_PARAMETER = re.compile(r"echo\s+(?P<value>\d+)\s*>\s*/sys/module/(?P<module>\w+)/parameters/(?P<name>\w+)")

WITHOUT_SAY = {
    "tcp_rmem": "buffers never limit here",
    "tcp_wmem": "buffers never limit here",
    "tcp_syn_retries": "of connections that do not open",
    "tcp_synack_retries": "of connections that do not open",
    "tcp_notsent_lowat": "when an application is woken",
    "tcp_fastopen": "not asked for by any packet",
    "tcp_fastopen_key": "not asked for by any packet",
    "tcp_syncookies": "of listeners that are flooded",
    "tcp_pacing_ca_ratio": "only a queue of the device paces",
    "tcp_pacing_ss_ratio": "only a queue of the device paces",
    "tcp_tso_win_divisor": "segments are compared by bytes",
    "tcp_min_tso_segs": "segments are compared by bytes",
    "tcp_fack": "gone from the kernel",
    "tcp_no_metrics_save": "nothing is kept between connections",
    "tcp_metrics_save": "nothing is kept between connections",
    "tcp_ecn_option": "of accurate ECN",
    "tcp_autocorking": "writes here are whole segments",
    "tcp_limit_output_bytes": "there is no queue of a device",
    "tcp_invalid_ratelimit": "of answers to invalid segments",
    "tcp_moderate_rcvbuf": "buffers never limit here",
}
"""Settings that change nothing here, and why."""

KNOWN = {
    "tcp_congestion_control",
    "tcp_dsack",
    "tcp_early_retrans",
    "tcp_ecn",
    "tcp_frto",
    "tcp_recovery",
    "tcp_reordering",
    "tcp_sack",
    "tcp_slow_start_after_idle",
    "tcp_timestamps",
}
"""Settings that :mod:`~windlass.validation.packetdrill.setup` reads."""

NO_COMMAND = re.compile(r"ip tcp_metrics flush all.*|/tmp/sysctl_restore.*|#.*|")
"""Lines that do nothing here."""


DEVICE_FULL = re.compile(r"tc qdisc replace dev tun0 root pfifo limit 0")
"""The device's queue takes nothing from now on."""


@dataclass
class Settings:
    """What commands have set.

    Attributes
    ----------
    values : dict of str to str
        Settings of the kernel by name.
    fair_queue : bool
        The device's queue is ``fq``, which spaces the packets of a socket in time.
    """

    values: dict[str, str] = field(default_factory=dict)
    fair_queue: bool = False


def apply(settings: Settings, text: str, line: int, folder: Path) -> None:
    """Take in the commands of a script.

    Parameters
    ----------
    settings : Settings
        Changed.
    text : str
        The commands, a line each.
    line : int
        Where they stand, for messages.
    folder : Path
        Where paths of commands begin.

    Raises
    ------
    Unsupported
        If a command, or a setting of the kernel, is not known.
    """
    text = re.sub(r"\\\n", " ", text)
    for command in re.split(r"[\n;]", text):
        _apply_one(settings, command.strip(), line, folder)


def _apply_one(settings: Settings, command: str, line: int, folder: Path) -> None:
    words = command.split()
    if NO_COMMAND.fullmatch(command):
        return
    if words[0] == "sysctl" or words[0].endswith("set_sysctls.py"):
        assigned = list(_SYSCTL.finditer(command))
        if not assigned:
            raise Unsupported(line, f"the command `{command}`")
        for one in assigned:
            _set(settings, one["name"], one["value"].strip('"'), line)
    elif words[0].endswith("defaults.sh"):
        _defaults(settings, folder / words[0], line)
    elif words[0] == "tc":
        _device(settings, command, line)
    elif parameter := _PARAMETER.match(command):
        settings.values[f"{parameter['module']}.{parameter['name']}"] = parameter["value"]
    else:
        raise Unsupported(line, f"the command `{command}`")


def _set(settings: Settings, name: str, value: str, line: int) -> None:
    if name not in KNOWN and name not in WITHOUT_SAY:
        raise Unsupported(line, f"the setting `{name}`")
    settings.values[name] = value


def _defaults(settings: Settings, file: Path, line: int) -> None:
    """A file of settings, as scripts begin with; where it is missing, the kernel's own stay."""
    if not file.exists():
        raise Unsupported(line, f"the file `{file}`, which is missing")
    text = inputs.read_bytes(file, most=inputs.MOST_BYTES, wanted="file of settings").decode("utf-8", errors="replace")
    for one in _SYSCTL.finditer(re.sub(r"(?m)^\s*#.*$", "", text)):
        _set(settings, one["name"], one["value"].strip('"'), line)


def _device(settings: Settings, command: str, line: int) -> None:
    """The queue of the device: without one, or ``fq``."""
    kind = re.fullmatch(r"tc qdisc (?:replace|add|change) dev tun0 root (pfifo|fq)", command)
    if not kind:
        raise Unsupported(line, f"the command `{command}`")
    settings.fair_queue = kind[1] == "fq"
