"""A point on its way to another process or machine: its effective description, and what is recorded.

That text has everything that a run depends on, also the content of the files that the scenario names. Who reads it back
has the same key, and so the same numbers, or says why not.
"""

from __future__ import annotations

import json
import sys
import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from windlass.errors import InputError

if TYPE_CHECKING:
    from windlass.scenario import Point
    from windlass.sweep import Runnable

__all__ = ["Packed", "packed", "unpacked"]

_LOADING = threading.Lock()


class Packed(NamedTuple):
    """A point as text.

    Attributes
    ----------
    description : str
        The effective description and ``output``, which that leaves out, JSON.
    key : str
        Content key of its run with seed 0.
    engine_version : str
        Of the engine that the key is for.
    own : tuple of str
        Python files with algorithms of the user's own, in the order in which they were loaded.
    """

    description: str
    key: str
    engine_version: str
    own: tuple[str, ...]


def packed(point: Runnable) -> Packed:
    """A point as text, with the files of algorithms that this process has loaded."""
    from windlass.engine import ENGINE_VERSION

    control = sys.modules.get("windlass.control")  # else no algorithm in Python takes part
    own = () if control is None else tuple(map(str, control.loaded_files()))
    whole = json.loads(point.effective_json()) | {"output": point.composed().get("output", {})}
    return Packed(json.dumps(whole), point.key(0), ENGINE_VERSION, own)


@lru_cache(maxsize=256)
def unpacked(found: Packed) -> Point:
    """The point again, in whatever process this is.

    Raises
    ------
    InputError
        If this is another version of Windlass, or an algorithm of the user's own is not the same here.
    """
    from windlass.engine import ENGINE_VERSION
    from windlass.scenario import Scenario

    if found.engine_version != ENGINE_VERSION:
        raise InputError(
            f"{_here()} runs engine {ENGINE_VERSION}, the runs are for {found.engine_version}",
            code="travel.version",
            hint="install the same version of Windlass there",
        )
    with _LOADING:
        for file in found.own:
            _load(file, Path(file).stat().st_mtime_ns if Path(file).is_file() else 0)
    point = Scenario.from_dict(json.loads(found.description), filename="<description>").points()[0]
    if point.key(0) != found.key:
        raise InputError(
            f"{_here()} would give a run another key, so its numbers may be others",
            code="travel.key",
            hint="use the same Python and packages there; a process that knows older files of yours is to be restarted",
        )
    return point


@lru_cache
def _load(file: str, changed_ns: int) -> None:
    """Make the algorithms of a file known, once for each of its versions."""
    from windlass.control import load_file

    load_file(file, store=True)


def _here() -> str:
    """The machine, as errors name it."""
    import platform

    return f"`{platform.node()}`"
