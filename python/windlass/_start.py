"""Ctrl-C while the command is being imported: it stops at once, without a traceback.

Imported before everything else. Programs that import Windlass keep their own way with Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any


def is_command() -> bool:
    """Whether this process is the command, as ``windlass`` or ``python -m windlass``."""
    if sys.argv[:1] == ["-m"]:
        return any(
            one == "-m" and two == "windlass" for one, two in zip(sys.orig_argv, sys.orig_argv[1:], strict=False)
        )
    return bool(sys.argv) and os.path.basename(sys.argv[0]) in ("windlass", "windlass.exe")  # noqa: PTH119 - no imports


def _stop(number: int, frame: Any) -> None:
    """End here and now: what is half imported cannot be trusted to end by itself."""
    os.write(2, b"stopped\n")
    os._exit(130)


def ready() -> None:
    """All is imported: from now on Ctrl-C is an exception again, which commands handle."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)


if is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _stop)
