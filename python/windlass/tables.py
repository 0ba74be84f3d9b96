"""Tables of results: the engine's columns as Arrow tables, and how runs are put together.

A run gives seven tables: ``flows`` (one row per flow and direction), ``links`` (one row per link and direction),
``stations`` (one row per station and radio medium), ``traces``, ``events``, ``losses`` and ``tapes``. Units are the
last part of a column's name. A number that does not exist (the round trip of a flow that sent nothing) is null, never
0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from windlass.sweep import RunResult

__all__ = ["TABLES", "empty_table", "join_runs", "schema_text", "tables_from_core"]

TABLES = ("flows", "links", "stations", "traces", "events", "losses", "tapes")
"""Names of the tables of a run."""

_TYPES = {"f8": pa.float64(), "i8": pa.int64(), "str": pa.string()}


def tables_from_core(columns: Mapping[str, Mapping[str, tuple[str | list[str], bytes]]]) -> dict[str, pa.Table]:
    """The engine's columns as Arrow tables, without copying numbers; NaN becomes null.

    Parameters
    ----------
    columns : mapping of str to mapping
        What ``_core.Point.run`` returns: table, column, and ``("f8" | "i8", bytes)``, or a list of words and which of
        them each row has, as bytes of 32-bit integers.

    Returns
    -------
    dict of str to pyarrow.Table
        One for each of :data:`TABLES`, columns in the engine's order.
    """
    return {table: pa.table({name: _array(column) for name, column in columns[table].items()}) for table in TABLES}


def _array(column: tuple[str | list[str], bytes]) -> pa.Array:
    kind, data = column
    if isinstance(kind, list):
        numbers = pa.Array.from_buffers(pa.int32(), len(data) // 4, [None, pa.py_buffer(data)])
        return pa.array(kind, type=pa.string()).take(numbers)
    array = pa.Array.from_buffers(_TYPES[kind], len(data) // 8, [None, pa.py_buffer(data)])
    if kind == "f8" and pc.any(pc.is_nan(array)).as_py():
        return pc.if_else(pc.is_nan(array), pa.scalar(None, pa.float64()), array)
    return array


def schema_text(table: pa.Table) -> list[list[str]]:
    """Names and kinds (``f8``, ``i8``, ``str``) of a run table's columns, as plain data."""
    kinds = {kind: text for text, kind in _TYPES.items()}
    return [[field.name, kinds[field.type]] for field in table.schema]


def empty_table(columns: Iterable[Sequence[str]]) -> pa.Table:
    """A table without rows from what :func:`schema_text` gave."""
    return pa.schema([(name, _TYPES[kind]) for name, kind in columns]).empty_table()


def as_pandas(tables: Mapping[str, pa.Table], name: str) -> Any:
    """One of the tables as a pandas DataFrame.

    Raises
    ------
    InputError
        If there is no such table, or pandas is not installed.
    """
    from windlass.errors import InputError, did_you_mean

    if name not in tables:
        hint = did_you_mean(name, TABLES, "the table") or "there are " + ", ".join(f"`{one}`" for one in TABLES)
        raise InputError(f"no table `{name}`", code="result.unknown-table", hint=hint)
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise InputError(
            "pandas is not installed",
            code="result.no-pandas",
            hint="install it: `pip install windlass[pandas]`; without it, the table is there as a pyarrow table: "
            f"`.{name}`",
        ) from None
    return tables[name].to_pandas()


def join_runs(results: Sequence[RunResult], table: str) -> pa.Table:
    """One table of many runs: ``key``, ``seed``, one column per swept key, then the run's own columns.

    Parameters
    ----------
    results : sequence of RunResult
        In the order in which their rows shall stand. All of one scenario, so that they have the same axes.
    table : str
        One of :data:`TABLES`.

    Returns
    -------
    pyarrow.Table
        Without rows if there are no results.
    """
    if not results:
        return pa.table({"key": pa.array([], pa.string()), "seed": pa.array([], pa.int64())})
    axes = list(results[0].axes)
    types = {axis: axis_type([result.axes[axis] for result in results]) for axis in axes}
    parts = []
    for result in results:
        part = result.tables[table]
        columns: dict[str, Any] = {
            "key": _repeat(result.key, pa.string(), part.num_rows),
            "seed": _repeat(result.seed, pa.int64(), part.num_rows),
        }
        for axis in axes:
            columns[axis] = _repeat(axis_value(result.axes[axis], types[axis]), types[axis], part.num_rows)
        columns |= {name: part.column(name) for name in part.column_names}
        parts.append(pa.table(columns))
    return pa.concat_tables(parts).combine_chunks()


def _repeat(value: Any, kind: pa.DataType, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, kind), count)


def axis_type(values: Iterable[Any]) -> pa.DataType:
    """Arrow type that holds every value of an axis: whole numbers, numbers, flags, or else text."""
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    if kinds <= {int, float}:
        return pa.float64()
    return pa.string()


def axis_value(value: Any, kind: pa.DataType) -> Any:
    """A value of an axis as that type holds it; what is no text becomes text as a scenario file has it."""
    if kind == pa.string() and not isinstance(value, str):
        from windlass import _toml

        return _toml.value(value)
    return float(value) if kind == pa.float64() else value
