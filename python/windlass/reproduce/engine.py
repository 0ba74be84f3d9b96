"""What the engine says of itself."""

from __future__ import annotations

import json
from typing import Any


def registry() -> list[dict[str, Any]]:
    """Rows of the engine's table of algorithms."""
    from windlass import _core

    rows: list[dict[str, Any]] = json.loads(_core.algorithms())
    return rows


def engine_version() -> str:
    """Version of the engine, which contains a hash of its sources."""
    from windlass.engine import ENGINE_VERSION

    return ENGINE_VERSION
