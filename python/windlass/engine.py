"""The version of everything that can change a number of a run. It is part of every key of the store.

A run goes through the compiled engine (``windlass._core``, whose own version has a hash of its sources and of the lock
file) and through the few modules of this package in :data:`SOURCES`. A test holds that list against what a run calls
and what those modules import. Comments, docstrings and layout do not count, there and here.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from windlass import _core
from windlass.fingerprint import fingerprint

__all__ = ["ENGINE_VERSION", "SOURCES", "is_as_loaded"]

SOURCES = (
    "cluster.py",
    "control.py",
    "engine.py",
    "fingerprint.py",
    "own_sources.py",
    "resources.py",
    "scenario/point.py",
    "store/__init__.py",
    "store/codec.py",
    "store/frame.py",
    "store/log.py",
    "store/old_layout.py",
    "store/writer.py",
    "sweep.py",
    "tables.py",
    "travel.py",
    "workers.py",
)
"""Files of this package that make, name, keep or read a run's numbers."""


def _version() -> str:
    digest = hashlib.sha256(_core.ENGINE_VERSION.encode())
    for name in SOURCES:
        text = (Path(__file__).parent / name).read_bytes()
        digest.update(f"\0{name}\0".encode() + fingerprint(text))
    release = _core.ENGINE_VERSION.partition("+")[0]
    return f"{release}+{digest.hexdigest()[:16]}"


ENGINE_VERSION = _version()
"""Release, and a hash of the compiled engine's version and of :data:`SOURCES`."""


def is_as_loaded() -> bool:
    """Whether :data:`SOURCES` are what they were when they were loaded, so that their hash is that of what runs."""
    return _version() == ENGINE_VERSION
