"""Plain data and tables as JSON can hold them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

AT_ONCE = 1024
"""Rows of a table that are text at a time."""

_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


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


def pieces(data: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> Iterator[str]:
    """An object with the data (at least one entry), then each table as a list of rows; in pieces.

    The pieces together are the ``json.dumps`` of all of it with two spaces, which would take 50 times the memory of the
    tables.

    >>> print("".join(pieces({"seed": 1, "ends": ()}, {})))
    {
      "seed": 1,
      "ends": []
    }
    """
    yield json.dumps(strict(data), indent=2, ensure_ascii=False, allow_nan=False).removesuffix("\n}")
    for name, table in tables.items():
        yield f",\n  {_encoded(name)}: ["
        comma = ""
        for rows in _rows(table):
            yield comma + rows
            comma = ","
        yield "\n  ]" if comma else "]"
    yield "\n}"


def _rows(table: pa.Table) -> Iterator[str]:
    """The rows of a table, some at a time, each an object on lines of its own."""
    fields = ",\n".join("      " + _encoded(name).replace("%", "%%") + ": %s" for name in table.column_names)
    row = "\n    {\n" + fields + "\n    }"
    for batch in table.to_batches(max_chunksize=AT_ONCE):
        cells = zip(*(_cells(column) for column in batch.columns), strict=True)
        yield ",".join([row % each for each in cells])


def _cells(column: pa.Array) -> list[str]:
    import pyarrow as pa

    # numpy gives numbers as Python's much faster, but has no null among whole ones
    values = column.to_pylist() if column.null_count else column.to_numpy(zero_copy_only=False).tolist()
    if pa.types.is_floating(column.type):
        return [repr(value) if value is not None and math.isfinite(value) else "null" for value in values]
    if pa.types.is_integer(column.type):
        return ["null" if value is None else repr(value) for value in values]
    return [_encoded(value) for value in values]
