"""Errors: their form, and that every code is listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import windlass
from windlass import InputError, Interrupted, WindlassError, _core
from windlass.errors import CODES, core_errors, error_codes

PACKAGE = Path(windlass.__file__).parent


def test_what_where_and_what_to_do() -> None:
    error = InputError("no algorithm `x`", code="scenario.unknown-algorithm", hint="try y", file="a.toml", line=3)
    assert str(error) == "error[scenario.unknown-algorithm]: a.toml, line 3: no algorithm `x`\nhint: try y"
    assert str(WindlassError("broken", code="a.b")) == "error[a.b]: broken"
    assert str(WindlassError("broken", code="a.b", file="f")) == "error[a.b]: f: broken"


def test_the_engines_errors_become_ours() -> None:
    with pytest.raises(InputError) as caught, core_errors():
        _core.Scenario.from_toml("nothing", "f.toml")
    assert caught.value.code == "scenario.syntax"
    assert (caught.value.file, caught.value.line) == ("f.toml", 1)
    assert isinstance(caught.value, WindlassError)


def test_interrupted_counts() -> None:
    stopped = Interrupted(3, 9, stored=True)
    assert (stopped.done, stopped.total, stopped.stored) == (3, 9, True)
    assert "3 of 9" in str(stopped)


def test_every_code_in_the_package_is_listed() -> None:
    used = set()
    for file in PACKAGE.rglob("*.py"):
        used |= set(re.findall(r'\bcode ?= ?"([a-z]+\.[a-z-]+)"', file.read_text(encoding="utf-8")))
    assert len(used) > 10
    assert used - set(CODES) - set(error_codes()) == set()


def test_every_code_of_ours_is_used() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py") if file.name != "errors.py")
    own = (PACKAGE / "errors.py").read_text(encoding="utf-8").split("class WindlassError", 1)[1]
    assert [code for code in CODES if f'"{code}"' not in text + own and f"error[{code}]" not in text] == []


def test_the_list_has_the_engines_codes_and_ours_in_order() -> None:
    codes = error_codes()
    assert list(codes) == sorted(codes)
    assert {"scenario.unknown-algorithm", "scenario.unit-missing", "store.unwritable"} <= set(codes)
    assert all(meaning for meaning in codes.values())
