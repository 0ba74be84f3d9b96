"""Windlass: a workbench for TCP congestion control on lossy paths.

>>> import windlass
>>> scenario = windlass.load("lossy-dumbbell")
>>> scenario.name
'lossy-dumbbell'

A :class:`Scenario` comes from a file (:func:`load`), a dict (:func:`from_dict`) or is built here; :func:`run` makes one
run, :func:`sweep` all of them on all cores, and :func:`compare` says which algorithm to take. :func:`plot` draws any of
these; :mod:`windlass.plots` has every figure by itself, :mod:`windlass.stats` intervals and formulas.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# `_start` comes first: Ctrl-C while the rest is imported. `compare`, `sweep` and `run` are bound here, at once: later
# imports of the modules of those names then leave the functions in place.
from windlass import _start  # noqa: F401
from windlass.compare import compare
from windlass.errors import InputError, Interrupted, StoreError, StoreWarning, UnknownFlow, WindlassError
from windlass.resources import limits
from windlass.sweep import RunResult, SweepResult, run, sweep

if TYPE_CHECKING:
    from windlass import output, palette, plots, stats
    from windlass._core import Ack, Cancel, Congestion, Path
    from windlass.cluster import Cluster
    from windlass.control import CongestionControl, Response, register
    from windlass.engine import ENGINE_VERSION
    from windlass.imports import ImportedPath, import_path
    from windlass.plots.choice import plot
    from windlass.scenario import (
        Cellular,
        Chain,
        Dumbbell,
        Flow,
        Graph,
        Link,
        Point,
        Scenario,
        ThreeRouters,
        Wlan,
        from_dict,
        load,
        ready_scenarios,
    )
    from windlass.store import Store

__version__ = "0.1.0"

__all__ = [
    "ENGINE_VERSION",
    "Ack",
    "Cancel",
    "Cellular",
    "Chain",
    "Cluster",
    "Congestion",
    "CongestionControl",
    "Dumbbell",
    "Flow",
    "Graph",
    "ImportedPath",
    "InputError",
    "Interrupted",
    "Link",
    "Path",
    "Point",
    "Response",
    "RunResult",
    "Scenario",
    "Store",
    "StoreError",
    "StoreWarning",
    "SweepResult",
    "ThreeRouters",
    "UnknownFlow",
    "WindlassError",
    "Wlan",
    "__version__",
    "compare",
    "from_dict",
    "import_path",
    "limits",
    "load",
    "output",
    "palette",
    "plot",
    "plots",
    "ready_scenarios",
    "register",
    "run",
    "stats",
    "sweep",
]

_HOMES = {
    "Ack": "_core",
    "Cancel": "_core",
    "Congestion": "_core",
    "Path": "_core",
    "CongestionControl": "control",
    "Response": "control",
    "register": "control",
    "ENGINE_VERSION": "engine",
    "Cluster": "cluster",
    "ImportedPath": "imports",
    "import_path": "imports",
    "plot": "plots.choice",
    "Store": "store",
    "Cellular": "scenario",
    "Chain": "scenario",
    "Dumbbell": "scenario",
    "Flow": "scenario",
    "Graph": "scenario",
    "Link": "scenario",
    "Point": "scenario",
    "Scenario": "scenario",
    "ThreeRouters": "scenario",
    "Wlan": "scenario",
    "from_dict": "scenario",
    "load": "scenario",
    "ready_scenarios": "scenario",
}


if not TYPE_CHECKING:  # which would take every name for one of the package's

    def __getattr__(name: str) -> Any:
        """Import what is asked for when it is asked for, so that ``import windlass`` stays quick."""
        if name in _HOMES:
            return getattr(importlib.import_module(f"windlass.{_HOMES[name]}"), name)
        if name in ("output", "palette", "plots", "stats"):
            return importlib.import_module(f"windlass.{name}")
        raise AttributeError(f"module `windlass` has no attribute `{name}`")


def __dir__() -> list[str]:
    return sorted(__all__)
