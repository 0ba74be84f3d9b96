"""Parts of Windlass that need packages which are not installed with it, and how to install them."""

from __future__ import annotations

import shlex
import sys
from importlib import metadata

__all__ = ["how_to_install"]


def how_to_install(extra: str) -> str:
    """What installs the packages of an extra, by their names: Windlass itself is there already, from wherever it came.

    Parameters
    ----------
    extra : str
        A name of ``[project.optional-dependencies]``.

    Returns
    -------
    str
        A command in backticks.
    """
    try:
        listed = metadata.requires("windlass") or []
    except metadata.PackageNotFoundError:  # run from a source tree that is not installed
        listed = []
    wanted = [line.partition(";") for line in listed]
    names = [name.strip() for name, _, when in wanted if f"extra == '{extra}'" in when.replace('"', "'")]
    python = shlex.quote(sys.executable or "python")
    return f"`{python} -m pip install {' '.join(map(shlex.quote, names)) or extra}`"
