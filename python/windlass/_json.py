"""Plain data as JSON can hold them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def strict(item: Any) -> Any:
    """The same with null for numbers that do not exist, and lists for tuples and sets.

    >>> strict({"mean": float("nan"), "ends": (1.0, float("inf"))})
    {'mean': None, 'ends': [1.0, None]}
    """
    if isinstance(item, float) and not math.isfinite(item):
        return None
    if isinstance(item, Mapping):
        return {str(key): strict(value) for key, value in item.items()}
    if isinstance(item, (list, tuple, set, frozenset)):
        return [strict(value) for value in item]
    return item
