"""The engine's columns as Arrow tables."""

from __future__ import annotations

import struct
from pathlib import Path

import pyarrow as pa
import pytest

import windlass
from windlass import RunResult
from windlass.tables import (
    TABLES,
    as_written,
    axis_type,
    empty_table,
    join_runs,
    named_with_units,
    schema_text,
    tables_from_core,
)


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


# ---- swept values


def swept(values: list[object], key: str = "topology.bottleneck.loss.rate") -> windlass.SweepResult:
    from conftest import small_document

    document = small_document() | {"sweep": {key: values}}
    document["scenario"] |= {"duration": "1 s", "seeds": 1}
    return windlass.sweep(windlass.from_dict(document), store=False)


def test_swept_values_are_numbers_with_their_unit() -> None:
    result = swept(["0 %", "0.50 %", "2 %"])
    key = "topology.bottleneck.loss.rate"
    for table in (result.flows, result.links, result.summary()):
        field = table.schema.field(key)
        assert field.type == pa.float64()
        assert field.metadata[b"unit"] == b"%"
        assert list(dict.fromkeys(table[key].to_pylist())) == [0.0, 0.5, 2.0]
    assert result.flows.column_names[0] == "seed"
    assert result.flows.column_names[-1] == "key"
    assert list(dict.fromkeys(as_written(result.flows)[key].to_pylist())) == ["0 %", "0.50 %", "2 %"]
    assert named_with_units(result.summary()).column_names[0] == f"{key} (%)"


def test_the_unit_is_in_files_and_figures_say_what_was_written(tmp_path: Path) -> None:
    from windlass.output import read_sweep

    result = swept(["0.50 %", "2 %"])
    result.write(tmp_path / "out")
    head = (tmp_path / "out/summary.csv").read_text().splitlines()[0]
    assert '"topology.bottleneck.loss.rate (%)"' in head
    back = read_sweep(tmp_path / "out").flows
    assert back.schema.field("topology.bottleneck.loss.rate").metadata[b"unit"] == b"%"
    assert as_written(back)["topology.bottleneck.loss.rate"][0].as_py() == "0.50 %"


@pytest.mark.parametrize(
    ("values", "kind", "unit"),
    [
        (["500 kbps", "1 Mbps"], pa.float64(), b"bit/s"),
        (["2 Mbps", "1 Mbps"], pa.float64(), b"Mbps"),
    ],
)
def test_units_of_one_kind_become_one(values: list[object], kind: pa.DataType, unit: bytes) -> None:
    field = swept(values, "topology.bottleneck.rate").flows.schema.field("topology.bottleneck.rate")
    assert (field.type, field.metadata[b"unit"]) == (kind, unit)


def test_values_that_are_no_numbers_of_one_kind_stay_text() -> None:
    flows = swept(["20 packets", "100 ms", "codel"], "topology.bottleneck.queue").flows
    assert flows.schema.field("topology.bottleneck.queue").type == pa.string()
