"""The engine's columns as Arrow tables."""

from __future__ import annotations

import struct

import pyarrow as pa
import pytest

from windlass import RunResult
from windlass.tables import TABLES, axis_type, empty_table, join_runs, schema_text, tables_from_core


def columns(**more: object) -> dict[str, dict[str, object]]:
    return {name: {} for name in TABLES} | {
        "flows": {
            "flow": (["a", "b"], struct.pack("<3i", 0, 1, 1)),
            "goodput_bps": ("f8", struct.pack("<3d", 1.5, float("nan"), 0.0)),
            "timeouts": ("i8", struct.pack("<3q", -1, 2**40, 0)),
        }
    }


def test_numbers_texts_and_missing_values() -> None:
    flows = tables_from_core(columns())["flows"]  # type: ignore[arg-type]
    assert flows.schema.equals(
        pa.schema([("flow", pa.string()), ("goodput_bps", pa.float64()), ("timeouts", pa.int64())])
    )
    assert flows.to_pydict() == {
        "flow": ["a", "b", "b"],
        "goodput_bps": [1.5, None, 0.0],
        "timeouts": [-1, 2**40, 0],
    }


def test_columns_without_rows_keep_their_type() -> None:
    core = columns()
    core["flows"] = {"time_s": ("f8", b""), "flow": ([], b""), "segment": ("i8", b"")}
    flows = tables_from_core(core)["flows"]  # type: ignore[arg-type]
    assert flows.num_rows == 0
    assert [str(field.type) for field in flows.schema] == ["double", "string", "int64"]


def test_a_schema_survives_as_text() -> None:
    table = tables_from_core(columns())["flows"]  # type: ignore[arg-type]
    again = empty_table(schema_text(table))
    assert again.schema.equals(table.schema)
    assert again.num_rows == 0


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([True, False], pa.bool_()),
        ([1, 2], pa.int64()),
        ([1, 2.5], pa.float64()),
        (["1 %", "2 %"], pa.string()),
        (["1 %", 0], pa.string()),
        ([True, 1], pa.string()),
    ],
)
def test_axis_type(values: list[object], kind: pa.DataType) -> None:
    assert axis_type(values) == kind


def test_runs_are_joined_in_order_and_mixed_axes_become_text() -> None:
    table = pa.table({"x": [1.0]})
    runs = [
        RunResult("k1", 5, {"a.b": "1 %"}, {"flows": table}),
        RunResult("k2", 4, {"a.b": True}, {"flows": pa.table({"x": [2.0, 3.0]})}),
    ]
    joined = join_runs(runs, "flows")
    assert joined.to_pydict() == {
        "key": ["k1", "k2", "k2"],
        "seed": [5, 4, 4],
        "a.b": ["1 %", "true", "true"],
        "x": [1.0, 2.0, 3.0],
    }


def test_no_runs_make_an_empty_table() -> None:
    assert join_runs([], "flows").num_rows == 0
