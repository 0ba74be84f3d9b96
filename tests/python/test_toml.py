"""Plain data as TOML text reads back as the same data."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass import _toml

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
SCALARS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_documents_read_back(data: dict[str, Any]) -> None:
    assert tomllib.loads(_toml.document(data)) == data


@given(VALUES)
def test_values_read_back(item: Any) -> None:
    assert tomllib.loads(f"x = {_toml.value(item)}") == {"x": item}


def test_tables_come_after_plain_values() -> None:
    text = _toml.document({"a": {"y": 1}, "b": 2, "flows": [{"name": "x", "tcp": {"n": 1}}], "gone": None})
    assert text == 'b = 2\n\n[a]\ny = 1\n\n[[flows]]\nname = "x"\n\n[flows.tcp]\nn = 1\n'


def test_what_toml_has_no_form_for() -> None:
    with pytest.raises(TypeError, match="NoneType"):
        _toml.value([None])
