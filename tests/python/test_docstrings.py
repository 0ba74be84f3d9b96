"""The examples in docstrings are run, and everything public says what it is."""

from __future__ import annotations

import doctest
import importlib
import inspect

import pytest

import windlass

MODULES = [
    "",
    "_json",
    "_toml",
    "cli",
    "errors",
    "output",
    "palette",
    "plots",
    "scenario",
    "stats.fairness",
    "stats.intervals",
    "stats.laws",
    "stats.summary",
    "store",
    "sweep",
    "tables",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(f"windlass.{name}" if name else "windlass")
    found = doctest.testmod(module)
    assert found.failed == 0


def test_there_are_examples() -> None:
    modules = [windlass, *(importlib.import_module(f"windlass.{name}") for name in ("stats.intervals", "plots.words"))]
    assert all(doctest.testmod(module).attempted > 0 for module in modules)


@pytest.mark.parametrize("name", [name for name in windlass.__all__ if name not in ("__version__", "ENGINE_VERSION")])
def test_everything_public_is_documented(name: str) -> None:
    assert inspect.getdoc(getattr(windlass, name)), name
    assert name in dir(windlass)


def test_public_names_are_stable_under_imports_of_their_modules() -> None:
    function = windlass.sweep
    importlib.import_module("windlass.sweep")
    importlib.import_module("windlass.scenario")
    assert windlass.sweep is function
    assert callable(windlass.run)
    with pytest.raises(AttributeError, match="nothing"):
        _ = windlass.nothing
