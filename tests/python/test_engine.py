"""The engine's version: every file of the package that can change a number of a run is in it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import windlass
from windlass import Store, StoreWarning, _core, engine
from windlass.control import CongestionControl
from windlass.own_sources import imported_names, locate
from windlass.sweep import execute

PACKAGE = Path(windlass.__file__).parent

ELSEWHERE = {
    "__init__.py": "hands out names",
    "_toml.py": "writes swept values as text into the tables of a sweep, not of a run",
    "cautions.py": "reads the numbers of runs",
    "errors.py": "a run that raises gives no numbers",
    "progress.py": "says how far a sweep is",
    "output.py": "writes what runs gave into folders; nothing is stored from there",
    "scenario/__init__.py": "hands out names",
    "scenario/builders.py": "writes descriptions, and a key covers the description",
    "results.py": "holds the tables of runs and hands them out",
    "stats/__init__.py": "says how many seeds there are, each of which is a run with a key of its own; makes summaries",
}
"""What the files on a run's way need of the package that changes no number of a run, and why."""


def test_everything_that_a_run_calls_is_in_the_version(small: windlass.Scenario, tmp_path: Path) -> None:
    class Plain(CongestionControl):
        pass

    store = Store(tmp_path / "runs")
    scenario = small.with_({"output.traces": ["cwnd"], "output.events": True, "scenario.duration": "2 s"})
    points = [*scenario.points(), *scenario.with_({"flows.algorithm": Plain}).points()]
    execute([(point, 1) for point in points], jobs=1)  # what is imported is imported now
    called: set[str] = set()

    def note(frame: object, event: str, value: object) -> None:
        if event == "call":
            called.add(frame.f_code.co_filename)  # type: ignore[attr-defined]

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        fresh = execute([(point, 1) for point in points], jobs=1, store=store)
        again = execute([(point, 1) for point in points], jobs=1, store=store)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert [run.stored for run in (*fresh, *again)] == [False, False, True, True]
    ours = {Path(file).relative_to(PACKAGE).as_posix() for file in called if file.startswith(f"{PACKAGE}/")}
    assert {"control.py", "scenario/point.py", "store/__init__.py", "sweep.py", "tables.py"} <= ours
    assert ours - ELSEWHERE.keys() <= set(engine.SOURCES)


@pytest.mark.parametrize("name", engine.SOURCES)
def test_what_these_files_import_is_in_the_version_or_changes_nothing(name: str) -> None:
    package = ".".join(["windlass", *Path(name).parts[:-1]])
    names, unknown = imported_names((PACKAGE / name).read_bytes(), package)
    assert not unknown or name == "control.py", "that one loads the user's files"
    found = [locate(one) for one in names if one.partition(".")[0] == "windlass"]
    files = {Path(one.origin) for one in found if one is not None and one.origin is not None}
    ours = {file.relative_to(PACKAGE).as_posix() for file in files if file.suffix == ".py"}
    assert ours <= {*engine.SOURCES, *ELSEWHERE}


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package's files, in which the version looks for them."""
    folder = tmp_path / "windlass"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(engine, "__file__", str(folder / "engine.py"))
    assert engine.is_as_loaded()
    return folder


@pytest.mark.parametrize("name", engine.SOURCES)
def test_each_of_these_files_changes_the_version(name: str, elsewhere: Path) -> None:
    file = elsewhere / name
    text = file.read_bytes()
    file.write_bytes(text.replace(b"\n", b"\r\n"))
    assert engine.is_as_loaded(), "line ends say nothing"
    more = text.replace(b'"""', b'"""More of it. ', 1).replace(b"):\n", b"):  # why\n\n")
    file.write_bytes(b"# A comment.\n" + more + b'"""A docstring of nothing."""\n')
    assert engine.is_as_loaded(), "comments and docstrings say nothing"
    file.write_bytes(text + b"x = 1\n")
    assert not engine.is_as_loaded()


def test_other_files_do_not_change_it(elsewhere: Path) -> None:
    with (elsewhere / "palette.py").open("a") as file:
        file.write("x = 1\n")
    assert engine.is_as_loaded()


def test_the_compiled_engine_is_in_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    release, _, known = windlass.ENGINE_VERSION.partition("+")
    assert release == _core.ENGINE_VERSION.partition("+")[0] == windlass.__version__
    assert len(known) == 16
    monkeypatch.setattr(_core, "ENGINE_VERSION", f"{release}+{'0' * 16}")
    assert not engine.is_as_loaded()


def test_the_version_is_in_every_key(small: windlass.Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    point = small.points()[0]
    key = point.key(1)
    assert len(key) == 64
    assert key == small.points()[0].key(1)
    assert key != point.key(2)
    monkeypatch.setattr(engine, "ENGINE_VERSION", "0.1.0+another")
    assert point.key(1) != key


def test_it_is_the_same_wherever_the_package_is_installed(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "lib" / "windlass")
    code = "import windlass; print(windlass.__file__, windlass.ENGINE_VERSION)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "lib", capture_output=True, text=True, check=True
    )
    file, version = done.stdout.split()
    assert Path(file).parent == tmp_path / "lib" / "windlass"
    assert version == windlass.ENGINE_VERSION


def test_nothing_is_kept_once_the_files_are_not_those_that_run(
    small: windlass.Scenario, elsewhere: Path, tmp_path: Path
) -> None:
    store = Store(tmp_path / "runs")
    windlass.sweep(small, store=store)
    with (elsewhere / "tables.py").open("a") as file:
        file.write("x = 1\n")
    with pytest.warns(StoreWarning, match="neither read nor kept"):
        result = windlass.sweep(small, store=store)
    assert not any(run.stored for run in result)
    assert len(list(store.keys())) == len(result)
