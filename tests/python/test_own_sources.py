"""Runs of algorithms in Python: which files are in their keys, and how long they are kept."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SMALL_TOML, Command

import windlass
from windlass import Store, own_sources
from windlass.control import load_file
from windlass.own_sources import imported_names, neighbours, word_of

CLASS = """
import windlass
{imports}

class Mine(windlass.CongestionControl):
    def on_congestion(self, event, path):
        {lazily}
        self.cwnd, self.ssthresh = event.keep({share})
        return windlass.Response.REDUCED
"""


def mine(imports: str = "", share: str = "0.5", lazily: str = "pass") -> str:
    return CLASS.format(imports=imports, share=share, lazily=lazily)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for files of the user's; modules of one test are unknown to the next."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(own_sources, "_READ", {})
    folder = tmp_path / "own"
    folder.mkdir()
    yield folder
    for name, module in list(sys.modules.items()):
        if folder in Path(getattr(module, "__file__", None) or "/").parents:
            del sys.modules[name]


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


KEPT = "KEPT = 0.5\n"

DEPENDS = {
    "its own file": ({"mine.py": mine()}, "mine.py"),
    "a module": ({"mine.py": mine("import helper", "helper.KEPT"), "helper.py": KEPT}, "helper.py"),
    "all names of a module": ({"mine.py": mine("from helper import *", "KEPT"), "helper.py": KEPT}, "helper.py"),
    "a module of a module": ({"mine.py": mine("import helper"), "helper.py": "import deep\n", "deep.py": KEPT}, "deep.py"),
    "a module imported in a method": ({"mine.py": mine(lazily="import helper"), "helper.py": KEPT}, "helper.py"),
    "a package": ({"mine.py": mine("import pack"), "pack/__init__.py": KEPT}, "pack/__init__.py"),
    "the package above": (
        {"mine.py": mine("import pack.part"), "pack/__init__.py": "X = 0.5\n", "pack/part.py": KEPT},
        "pack/__init__.py",
    ),
    "a part of a package": (
        {"mine.py": mine("from pack import part"), "pack/__init__.py": "", "pack/part.py": KEPT},
        "pack/part.py",
    ),
    "a part that a package imports": (
        {"mine.py": mine("import pack"), "pack/__init__.py": "from . import part\n", "pack/part.py": KEPT},
        "pack/part.py",
    ),
    "two that import each other": (
        {"mine.py": mine("import one"), "one.py": "import two\n", "two.py": "import one\n" + KEPT},
        "two.py",
    ),
}


@pytest.mark.parametrize("name", DEPENDS)
def test_each_byte_of_what_a_class_needs_is_in_its_word(name: str, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, changed = DEPENDS[name]
    put(own, files)
    before = word_of(own / "mine.py")
    (own / changed).write_text(f"# another\n{files[changed]}", encoding="utf-8")
    monkeypatch.setattr(own_sources, "_READ", {})  # as in another process
    assert word_of(own / "mine.py") != before


def test_what_is_not_imported_and_where_the_files_lie_say_nothing(own: Path, tmp_path: Path) -> None:
    put(own, {"mine.py": mine("import helper"), "helper.py": KEPT})
    before = word_of(own / "mine.py")
    put(own, {"loose.py": KEPT})
    put(tmp_path / "elsewhere", {"mine.py": mine("import helper"), "helper.py": KEPT})
    assert word_of(own / "mine.py") == word_of(tmp_path / "elsewhere" / "mine.py") == before
    assert [path.name for path in neighbours(own / "mine.py")] == ["helper.py"]


def test_a_module_that_is_loaded_already_counts_as_it_was_loaded(own: Path) -> None:
    put(own, {"mine.py": mine("import helper", "helper.KEPT"), "helper.py": KEPT})
    before = word_of(own / "mine.py")
    put(own, {"helper.py": "KEPT = 0.9\n"})
    assert word_of(own / "mine.py") == before, "this process goes on with the old one"


def test_runs_of_a_file_are_kept_for_one_process_unless_asked(small: windlass.Scenario, own: Path, tmp_path: Path) -> None:
    put(own, {"mine.py": mine()})
    place = tmp_path / "runs"
    load_file(own / "mine.py")
    scenario = small.with_({"flows.algorithm": "mine"})
    assert [run.stored for run in windlass.sweep(scenario, store=place)] == [False] * 3
    assert [run.stored for run in windlass.sweep(scenario, store=place)] == [True] * 3
    assert list(Store(place).keys()) == []
    load_file(own / "mine.py", store=True)
    assert [run.stored for run in windlass.sweep(scenario, store=place)] == [False] * 3
    assert len(list(Store(place).keys())) == 3
    assert [run.stored for run in windlass.sweep(scenario, store=place)] == [True] * 3


def test_two_classes_of_a_file_are_told_apart(small: windlass.Scenario, own: Path) -> None:
    put(own, {"mine.py": mine() + "\nclass Other(Mine):\n    pass\n"})
    assert load_file(own / "mine.py") == ["mine", "other"]
    keys = {small.with_({"flows.algorithm": name}).points()[0].key(1) for name in ("mine", "other")}
    assert len(keys) == 2


def test_a_class_that_was_registered_as_an_object_is_not_kept(small: windlass.Scenario, tmp_path: Path) -> None:
    class Here(windlass.CongestionControl):
        share = 0.5

        def on_congestion(self, event: object, path: object) -> windlass.Response:
            self.cwnd, self.ssthresh = event.keep(self.share)  # type: ignore[attr-defined]
            return windlass.Response.REDUCED

    scenario = small.with_({"flows.algorithm": Here})
    first = windlass.sweep(scenario, store=tmp_path / "runs")
    Here.share = 0.9
    again = windlass.sweep(scenario, store=tmp_path / "runs")
    assert not any(run.stored for run in (*first, *again))
    assert first.flows["goodput_bps"] != again.flows["goodput_bps"]


def test_the_command_keeps_runs_of_a_file_where_it_is_told_to(own: Path, tmp_path: Path, command: Command) -> None:
    put(own, {"mine.py": mine("import helper", "helper.KEPT"), "helper.py": KEPT})
    Path("small.toml").write_text(SMALL_TOML, encoding="utf-8")
    call = ["sweep", "small.toml", "--set", "flows.algorithm=mine", "--python", str(own / "mine.py"), "--json"]
    store = Store(tmp_path / "store")
    assert command(*call).exit_code == 0
    assert list(store.keys()) == []
    for order in (["--store-python", *call[1:]], [*call[1:], "--store-python"]):
        assert command("sweep", *order).exit_code == 0
        assert len(list(Store(tmp_path / "store").keys())) == 3


def test_what_a_text_imports() -> None:
    text = "import a.b, c as d\nfrom e import f, g as h\nfrom . import i\nfrom ..j import k\ndef f():\n    import late\n"
    assert imported_names(text, "p.q") == {"a.b", "c", "e", "e.f", "e.g", "p.q", "p.q.i", "p.j", "p.j.k", "late"}
    assert imported_names("from x import *", "") == {"x"}
    assert imported_names("from ... import y", "p") == set()
