"""Tables of results: the engine's columns as Arrow tables, and how runs are put together.

A run gives seven tables: ``flows`` (one row per flow and direction), ``links`` (one row per link and direction),
``stations`` (one row per station and radio medium), ``traces``, ``events``, ``losses`` and ``tapes``. Units are the
last part of a column's name. A number that does not exist (the round trip of a flow that sent nothing) is null, never
0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from windlass.amounts import UNITS
from windlass.extras import how_to_install

if TYPE_CHECKING:
    from windlass.sweep import RunResult

__all__ = ["TABLES", "as_written", "empty_table", "join_runs", "named_with_units", "schema_text", "tables_from_core"]

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
            hint=f"{how_to_install('pandas')} installs it; without it, the table is there as a pyarrow table: `.{name}`",
        ) from None
    frame = tables[name].to_pandas()
    frame.attrs["units"] = units_of(tables[name])
    return frame


_UNIT, _WRITTEN = b"unit", b"written"
"""Metadata of a swept column of numbers: their unit, and the values as the scenario has them."""

_QUANTITY = re.compile(r"\s*([+-]?\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?)\s*(\S+)\s*")


def units_of(table: pa.Table) -> dict[str, str]:
    """Units of the swept columns that have one."""
    fields = (field for field in table.schema if field.metadata and _UNIT in field.metadata)
    return {field.name: field.metadata[_UNIT].decode() for field in fields}


def as_written(table: pa.Table) -> pa.Table:
    """The table with the values of swept keys as the scenario has them, ``"1 %"``, in place of numbers."""
    for at, field in enumerate(table.schema):
        if field.metadata and _WRITTEN in field.metadata:
            texts = json.loads(field.metadata[_WRITTEN])
            values = [texts[repr(value)] for value in table[field.name].to_pylist()]
            table = table.set_column(at, field.name, pa.array(values, pa.string()))
    return table


def named_with_units(table: pa.Table) -> pa.Table:
    """The table for a file without metadata: swept columns with a unit have it in their names, ``KEY (%)``."""
    units = units_of(table)
    return table.rename_columns([f"{name} ({units[name]})" if name in units else name for name in table.column_names])


def join_runs(results: Sequence[RunResult], table: str) -> pa.Table:
    """One table of many runs: ``seed``, one column per swept key, the run's own columns, ``key``.

    Swept values with a unit are numbers, and the unit is in the metadata of their field.

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
        return pa.table({"seed": pa.array([], pa.int64()), "key": pa.array([], pa.string())})
    axes = {axis: _axis(axis, [result.axes[axis] for result in results]) for axis in results[0].axes}
    parts = []
    for result in results:
        part = result.tables[table]
        fields = [pa.field("seed", pa.int64()), *(field for field, _ in axes.values()), *part.schema]
        columns = [
            _repeat(result.seed, pa.int64(), part.num_rows),
            *(_repeat(value(result.axes[axis]), field.type, part.num_rows) for axis, (field, value) in axes.items()),
            *part.columns,
            _repeat(result.key, pa.string(), part.num_rows),
        ]
        parts.append(pa.Table.from_arrays(columns, schema=pa.schema([*fields, pa.field("key", pa.string())])))
    return pa.concat_tables(parts).combine_chunks()


def _axis(name: str, values: Sequence[Any]) -> tuple[pa.Field, Callable[[Any], Any]]:
    """The column of a swept key, and what stands in it for a value."""
    found = _quantities(values)
    if found is None:
        kind = axis_type(values)
        return pa.field(name, kind), lambda value: axis_value(value, kind)
    unit, numbers = found
    written = json.dumps({repr(number): text for text, number in numbers.items()})
    return pa.field(name, pa.float64(), metadata={_UNIT: unit, _WRITTEN: written}), lambda value: numbers[value]


def _quantities(values: Sequence[Any]) -> tuple[str, dict[str, float]] | None:
    """The one unit of all values, and their numbers in it; ``None`` if they have none or measure different things."""
    if not all(isinstance(value, str) for value in values):
        return None
    found = {text: _QUANTITY.fullmatch(text) for text in values}
    if not all(match and match[2] in UNITS for match in found.values()):
        return None
    read = {text: (float(match[1].replace("_", "")), match[2]) for text, match in found.items() if match}
    units = {unit for _, unit in read.values()}
    if len(units) > 1:
        read = {text: (number * UNITS[unit][0], UNITS[unit][1]) for text, (number, unit) in read.items()}
        units = {unit for _, unit in read.values()}
    numbers = {text: number for text, (number, _) in read.items()}
    return (units.pop(), numbers) if len(units) == 1 and len(set(numbers.values())) == len(numbers) else None


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
