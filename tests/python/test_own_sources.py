"""A stored run of an algorithm in Python is taken only if nothing that the class depends on has changed."""

from __future__ import annotations

import importlib
import importlib.machinery
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import SMALL_TOML

import windlass
from windlass import Store, StoreWarning, control, own_sources
from windlass.control import load_file
from windlass.own_sources import imported_names

CLASS = """
import windlass
{imports}

class Mine(windlass.CongestionControl):
    def __init__(self, kept: float = 0.5):
        self.kept = kept

    def on_congestion(self, event, path):
        {lazily}
        if event.cause == "dup-acks":
            self.cwnd, self.ssthresh = event.keep({share})
            return windlass.Response.REDUCED
        return super().on_congestion(event, path)
"""


def mine(imports: str = "", share: str = "self.kept", lazily: str = "pass") -> str:
    return CLASS.format(imports=imports, share=share, lazily=lazily)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for files of the user's; modules of one test are unknown to the next."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(control, "_KNOWN", {})
    monkeypatch.setattr(control, "_TOLD", set())
    folder = tmp_path / "own"
    folder.mkdir()
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        del sys.modules[name]


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def key(own: Path, small: windlass.Scenario) -> Callable[..., str]:
    """The key of a run with ``mine.py``, everything loaded anew, as by another process."""
    before = set(sys.modules)

    def find(folder: Path = own, **parameters: float) -> str:
        for name in [name for name in set(sys.modules) - before if _lies_in(sys.modules[name], own.parent)]:
            del sys.modules[name]
        importlib.invalidate_caches()
        assert load_file(folder / "mine.py") == ["mine"]
        return small.with_({"flows.algorithm": {"name": "mine", **parameters}}).points()[0].key(1)

    return find


def _lies_in(module: object, folder: Path) -> bool:
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    return any(place is not None and folder in Path(place).parents for place in places)


KEPT = "KEPT = 0.5\n"
EXTENSION = f"fast{importlib.machinery.EXTENSION_SUFFIXES[0]}"

DEPENDS = {
    # the files, and which of them is changed
    "its own file": ({"mine.py": mine(share="0.5")}, "mine.py"),
    "a module": ({"mine.py": mine("import helper", "helper.KEPT"), "helper.py": KEPT}, "helper.py"),
    "a name of a module": ({"mine.py": mine("from helper import KEPT", "KEPT"), "helper.py": KEPT}, "helper.py"),
    "all names of a module": ({"mine.py": mine("from helper import *", "KEPT"), "helper.py": KEPT}, "helper.py"),
    "a module of a module": (
        {"mine.py": mine("import helper", "helper.deep.KEPT"), "helper.py": "import deep\n", "deep.py": KEPT},
        "deep.py",
    ),
    "a module imported in a method": (
        {"mine.py": mine(lazily="import helper", share="helper.KEPT"), "helper.py": KEPT},
        "helper.py",
    ),
    "a module of a module, both imported in functions": (
        {
            "mine.py": mine(lazily="import helper", share="helper.kept()"),
            "helper.py": "def kept():\n    from deep import KEPT\n    return KEPT\n",
            "deep.py": KEPT,
        },
        "deep.py",
    ),
    "a module imported by name": (
        {"mine.py": mine("import importlib", "importlib.import_module('helper').KEPT"), "helper.py": KEPT},
        "helper.py",
    ),
    "a package": ({"mine.py": mine("import pack", "pack.KEPT"), "pack/__init__.py": KEPT}, "pack/__init__.py"),
    "the package above": (
        {"mine.py": mine("import pack.part", "pack.part.KEPT"), "pack/__init__.py": "X = 0.5", "pack/part.py": KEPT},
        "pack/__init__.py",
    ),
    "a part of a package": (
        {"mine.py": mine("from pack import part", "part.KEPT"), "pack/__init__.py": "", "pack/part.py": KEPT},
        "pack/part.py",
    ),
    "a relative import": (
        {
            "mine.py": mine("from pack.low import part", "part.helper.KEPT"),
            "pack/__init__.py": "",
            "pack/helper.py": KEPT,
            "pack/low/__init__.py": "",
            "pack/low/part.py": "from .. import helper\n",
        },
        "pack/helper.py",
    ),
    "a relative import in a function": (
        {
            "mine.py": mine("from pack.low import part", "part.kept()"),
            "pack/__init__.py": "",
            "pack/helper.py": KEPT,
            "pack/low/__init__.py": "",
            "pack/low/part.py": "def kept():\n    from ..helper import KEPT\n    return KEPT\n",
        },
        "pack/helper.py",
    ),
    "a package without `__init__.py`": (
        {"mine.py": mine("import space.low.part", "space.low.part.KEPT"), "space/low/part.py": KEPT},
        "space/low/part.py",
    ),
    "a base class": (
        {
            "mine.py": "from base import Base\nclass Mine(Base):\n    pass\n",
            "base.py": mine(share="0.5").replace("class Mine", "class Base"),
        },
        "base.py",
    ),
    "a module that may be missing": (
        {"mine.py": mine("try:\n    import helper\nexcept ImportError:\n    pass"), "helper.py": KEPT},
        "helper.py",
    ),
    # never loaded here, for it is none
    "a compiled extension": ({"mine.py": mine(lazily="import fast", share="fast.KEPT"), EXTENSION: KEPT}, EXTENSION),
}


@pytest.mark.parametrize("name", DEPENDS)
def test_a_change_of_what_a_class_needs_is_another_key(name: str, own: Path, key: Callable[..., str]) -> None:
    files, changed = DEPENDS[name]
    put(own, files)
    first = key()
    assert key() == first
    put(own, {"beside.py": "KEPT = 0.7\n"})
    assert key() == first, "what it does not import says nothing"
    put(own, {changed: files[changed].replace("0.5", "0.7")})
    second = key()
    assert second != first
    assert control._KNOWN["mine"][1].missing == ()
    put(own, {changed: files[changed]})
    assert key() == first


def test_comments_layout_and_where_the_files_lie_are_no_change(own: Path, key: Callable[..., str]) -> None:
    put(own, {"a/mine.py": mine("import helper", "helper.KEPT"), "a/helper.py": KEPT})
    first = key(own / "a")
    shutil.move(own / "a", own / "b")
    sys.path.remove(str(own / "a"))
    assert key(own / "b") == first
    put(own, {"b/helper.py": "# half\n\nKEPT = (\n    0.5\n)  # of it\n"})
    assert key(own / "b") == first
    put(own, {"b/helper.py": KEPT + '"""A docstring is a value."""\n'})
    assert key(own / "b") != first


@pytest.mark.parametrize(
    "look",
    [
        "import inspect",
        "from inspect import getsource",
        "import sys\nLINE = sys._getframe().f_lineno",
        "TEXT = open(__file__).read()",
        "NAME = globals()['__file__']",
    ],
)
def test_comments_count_where_a_module_can_see_them(look: str, own: Path, key: Callable[..., str]) -> None:
    put(own, {"mine.py": mine(f"import helper\n{look}", "helper.KEPT"), "helper.py": KEPT})
    first = key()
    put(own, {"helper.py": KEPT + "# half\n"})
    assert key() != first


def test_a_module_that_appears_is_a_change(own: Path, key: Callable[..., str]) -> None:
    put(own, {"mine.py": mine("try:\n    import helper\nexcept ImportError:\n    helper = None")})
    first = key()
    put(own, {"helper.py": KEPT})
    assert key() != first


def test_parameters_are_in_the_key(own: Path, key: Callable[..., str]) -> None:
    put(own, {"mine.py": mine()})
    assert len({key(), key(kept=0.5), key(kept=0.6), key(kept=0.7)}) == 3


def test_an_installed_package_counts_by_its_version_and_its_list_of_files(own: Path, key: Callable[..., str]) -> None:
    put(own, {"mine.py": mine("import packed", "packed.KEPT")})
    site = own / "site-packages"

    def install(name: str, version: str, record: str, *more: str) -> None:
        metadata = "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *more, ""])
        put(site, {f"{name}.dist-info/METADATA": metadata, f"{name}.dist-info/RECORD": record, f"{name}.py": KEPT})
        own_sources._distributions.cache_clear()

    sys.path.append(str(site))
    install("packed", "1.0", "packed.py,sha256=a,9\n", "Requires-Dist: deep-one (>=1) ; python_version > '3'")
    install("deep_one", "1.0", "")
    keys = [key()]
    install("packed", "1.1", "packed.py,sha256=a,9\n", "Requires-Dist: deep-one")
    keys.append(key())
    install("packed", "1.1", "packed.py,sha256=b,9\n", "Requires-Dist: deep-one")
    keys.append(key())
    install("deep_one", "1.1", "")
    keys.append(key())
    assert len(set(keys)) == 4
    shutil.rmtree(site / "packed.dist-info")
    own_sources._distributions.cache_clear()
    first = key()
    put(site, {"packed.py": "KEPT = 0.7\n"})
    assert key() != first, "without a list of files it is the user's own"


def test_windlass_itself_is_in_the_key(own: Path, key: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    put(own, {"mine.py": mine()})
    first = key()
    monkeypatch.setattr(own_sources, "_package", lambda: b"another")
    assert key() != first


def test_the_version_of_python_is_in_the_key(
    own: Path, key: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(own, {"mine.py": mine()})
    first = key()
    monkeypatch.setattr("platform.python_version", lambda: "3.99.0")
    assert key() != first


# ---- what is loaded is not what the files say


@pytest.fixture
def loaded(own: Path, small: windlass.Scenario, monkeypatch: pytest.MonkeyPatch) -> Callable[..., SimpleNamespace]:
    """Import a module as a script or a notebook does, and sweep with its class in a store of the test."""
    monkeypatch.syspath_prepend(own)
    store = Store(own.parent / "runs")

    def load(text: str, **files: str) -> SimpleNamespace:
        put(own, {"module.py": text, **{f"{name}.py": other for name, other in files.items()}})
        module = importlib.import_module("module")
        scenario = small.with_({"flows.algorithm": module.Mine}) if hasattr(module, "Mine") else small

        def stored(point: windlass.Scenario = scenario) -> bool:
            return windlass.sweep(point, seeds=1, store=store).runs[0].stored

        return SimpleNamespace(module=module, stored=stored, store=store, scenario=scenario)

    return load


def test_a_value_that_is_set_from_outside(loaded: Callable[..., SimpleNamespace]) -> None:
    text = mine("import helper\nHERE = 0.0", "helper.KEPT + HERE + self.MORE")
    other = "def other(self, now, window, path):\n    self.cwnd = 0.9 * window\n"
    it = loaded(text.replace("    def __init__", "    MORE = 0.0\n    def __init__"), helper=KEPT + other)
    assert [it.stored(), it.stored()] == [False, True]
    it.module.HERE = 0.1
    assert [it.stored(), it.stored()] == [False, True]
    it.module.helper.KEPT = 0.6
    assert [it.stored(), it.stored()] == [False, True]
    it.module.Mine.MORE = 0.1
    assert [it.stored(), it.stored()] == [False, True]
    it.module.Mine.on_recovery_exit = it.module.helper.other
    assert [it.stored(), it.stored()] == [False, True]
    it.module.HERE, it.module.helper.KEPT, it.module.Mine.MORE = 0.0, 0.5, 0.0
    del it.module.Mine.on_recovery_exit
    assert it.stored()


def test_a_file_that_was_edited_and_not_loaded_again(
    loaded: Callable[..., SimpleNamespace], own: Path, key: Callable[..., str]
) -> None:
    it = loaded(mine("import helper", "helper.kept()"), helper="def kept():\n    return 0.5\n")
    before = it.scenario.points()[0].key(1)
    assert not it.stored()
    put(own, {"helper.py": "def kept():\n    return 0.7\n"})
    assert not it.stored()
    mixed = it.scenario.points()[0].key(1)
    put(own, {"mine.py": (own / "module.py").read_text()})
    fresh = key()
    assert len({before, mixed, fresh}) == 3, "the old code was not kept as that of the new text"


def test_classes_that_a_function_makes(loaded: Callable[..., SimpleNamespace], small: windlass.Scenario) -> None:
    indented = mine(share="kept * scale()").replace("\n", "\n    ").replace("import windlass\n", "")
    it = loaded(f"import windlass\ndef make(kept, scale=lambda: 1.0):\n{indented}\n    return Mine\n")
    made = [it.module.make(0.5), it.module.make(0.7), it.module.make([0.5, {"a": (1, 2)}])]
    made += [it.module.make(0.5, number) for number in (lambda: 1.0, lambda: 0.9)]
    keys = [small.with_({"flows.algorithm": one}).points()[0].key(1) for one in (*made, it.module.make(0.5))]
    assert len(set(keys)) == 5
    assert keys[5] == keys[0]


# ---- what cannot be known


def test_a_class_closed_over_something_without_a_plain_value_is_not_kept(
    loaded: Callable[..., SimpleNamespace], small: windlass.Scenario
) -> None:
    indented = mine(share="next(kept)").replace("\n", "\n    ").replace("import windlass\n", "")
    it = loaded(f"import windlass\ndef make(kept):\n{indented}\n    return Mine\n")
    scenario = small.with_({"flows.algorithm": it.module.make(iter([0.5] * 10_000))})
    with pytest.warns(
        StoreWarning, match="`kept` of `make.<locals>.Mine.on_congestion` has a `builtins.list_iterator`"
    ):
        assert not it.stored(scenario)
    assert not it.stored(scenario)
    assert list(it.store.keys()) == []


def test_a_class_that_stands_in_no_file_is_not_kept(small: windlass.Scenario, tmp_path: Path, own: Path) -> None:
    space: dict[str, object] = {}
    exec(mine(share="KEPT").replace("class Mine", "KEPT = 0.5\nclass Mine"), space)  # noqa: S102
    scenario = small.with_({"flows.algorithm": space["Mine"]})
    store = Store(tmp_path / "runs")
    with pytest.warns(StoreWarning, match="runs of `mine` are not kept: .*stands in no file"):
        first = windlass.sweep(scenario, seeds=1, store=store)
    space["KEPT"] = 0.9
    second = windlass.sweep(scenario, seeds=1, store=store)
    assert second.flows["goodput_bps"].to_pylist() != first.flows["goodput_bps"].to_pylist()
    # the others of the sweep are
    windlass.sweep(small, seeds=1, store=store)
    assert len(list(store.keys())) == 1


TYPED = (
    mine(share="KEPT")
    + """
import sys, windlass
from pathlib import Path
KEPT = float(sys.argv[1])
scenario = windlass.load("small.toml").with_({"flows.algorithm": Mine})
result = windlass.sweep(scenario, seeds=1)
print(result.flows["goodput_bps"][0].as_py(), result.runs[0].stored)
"""
)


def python(*args: str, folder: Path, text: str | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"WINDLASS_STORE": str(folder / "store")} | more
    command = [sys.executable, *args]
    return subprocess.run(command, cwd=folder, env=environment, input=text, capture_output=True, text=True, check=True)


@pytest.mark.parametrize("how", ["text", "input"])
def test_a_class_that_was_typed_in_is_not_kept(tmp_path: Path, how: str) -> None:
    (tmp_path / "small.toml").write_text(SMALL_TOML)
    seen = []
    for kept in ("0.5", "0.9", "0.9"):
        if how == "text":
            done = python("-c", TYPED, kept, folder=tmp_path)
        else:
            done = python("-i", "-", kept, folder=tmp_path, text=f"exec({TYPED!r})\n")
        assert "runs of `mine` are not kept: " in done.stderr
        seen.append(done.stdout.split())
    assert [stored for _, stored in seen] == ["False"] * 3
    assert seen[0] != seen[1] == seen[2]
    assert not (tmp_path / "store").exists()


def test_a_script_is_kept_under_the_values_that_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL_TOML)
    (tmp_path / "script.py").write_text(TYPED)
    seen = []
    for kept in ("0.5", "0.9", "0.9", "0.5"):
        done = python("script.py", kept, folder=tmp_path)
        assert done.stderr == ""
        seen.append(done.stdout.split())
    assert [stored for _, stored in seen] == ["False", "False", "True", "True"]
    assert seen[0][0] == seen[3][0] != seen[1][0] == seen[2][0]


@pytest.mark.parametrize(
    "share",
    [
        "__import__(f'help{self.name[:0]}er').KEPT",
        "importlib.import_module(NAME).KEPT",
        "eval(NAME + '.KEPT')",
        "runpy.run_path(helper.__file__)['KEPT']",
    ],
)
def test_a_name_that_is_made_up_while_it_runs_is_not_kept(share: str, loaded: Callable[..., SimpleNamespace]) -> None:
    it = loaded(mine("import importlib, runpy, helper\nNAME = 'helper'", share), helper=KEPT)
    with pytest.warns(StoreWarning, match=r"module\.py, line 13, loads what is not written there"):
        assert not it.stored()
    assert not it.stored()


def test_two_modules_of_one_name(own: Path, key: Callable[..., str]) -> None:
    for folder, kept in (("a", "0.5"), ("b", "0.7")):
        put(own / folder, {"mine.py": mine("import helper", "helper.KEPT"), "helper.py": f"KEPT = {kept}\n"})
    load_file(own / "a" / "mine.py")
    with pytest.raises(windlass.InputError, match="`import helper` gives .*, not the helper.py beside it") as caught:
        load_file(own / "b" / "mine.py")
    assert (caught.value.code, caught.value.file) == ("algorithm.file", str(own / "b" / "mine.py"))
    (own / "b" / "helper.py").unlink()
    load_file(own / "b" / "mine.py")  # then it is clear which is meant


# ---- the whole way


def test_the_command_makes_runs_again_when_a_module_beside_the_file_has_changed(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL_TOML.replace("newreno", "mine"))
    put(tmp_path / "own", {"mine.py": mine("import helper", "helper.KEPT"), "helper.py": "KEPT = 0.9\n"})
    seen = []
    for kept in ("0.9", "0.9", "0.2", "0.9"):
        put(tmp_path / "own", {"helper.py": f"KEPT = {kept}\n"})
        args = ["-m", "windlass", "sweep", "small.toml", "--python", "own/mine.py", "--seeds", "2", "--json"]
        done = python(*args, folder=tmp_path)
        assert done.stderr == ""
        data = json.loads(done.stdout)
        seen.append((data["from_store"], data["summary"][0]["goodput_bps_mean"]))
    assert [stored for stored, _ in seen] == [0, 2, 0, 2]
    assert seen[0][1] == seen[1][1] == seen[3][1] > 1.05 * seen[2][1]


def test_the_same_files_have_the_same_key_in_each_process(tmp_path: Path) -> None:
    """Whatever the order of sets, and whether the modules come from their text or from what Python keeps of it."""
    helper = (
        "KEPT = 0.5\nWORDS = {'a', 'b', 'c'}\ndef kept(x=(1, 2)):\n    return 0.5 if x in {'p', 'q', ()} else KEPT\n"
    )
    put(tmp_path, {"mine.py": mine("import helper", "helper.kept()"), "helper.py": helper, "small.toml": SMALL_TOML})
    code = (
        "import windlass; from windlass.control import load_file; load_file('mine.py')\n"
        "print(windlass.load('small.toml').with_({'flows.algorithm': 'mine'}).points()[0].key(1))"
    )
    environments = [{"PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": ""} for seed in "1234"]
    assert len({python("-c", code, folder=tmp_path, **environment).stdout for environment in environments}) == 1
    assert (tmp_path / "__pycache__").exists()


def test_what_a_text_imports() -> None:
    text = """
import a.b, c as d
from e import f, g
from . import h
from ..i import j
from .k import *
def function():
    if a:
        import l
    __import__("m")
    importlib.import_module("n.o")
    table.eval(x), eval("1 + 1")
    importlib.import_module(".p", __package__)
    exec(text)
"""
    names, unknown = imported_names(text, "pack.low")
    expected = "a.b c e e.f e.g pack.low pack.low.h pack.i pack.i.j pack.low.k l m n.o"
    assert (names, unknown) == (set(expected.split()), [13, 14])


OBJECTS = {
    "slots": "@dataclass(slots=True)\nclass Settings:\n    kept: float\n",
    "private slots": (
        "class Settings:\n    __slots__ = ('__kept',)\n    def __init__(self, kept):\n        self.__kept = kept\n"
        "    kept = property(lambda self: self.__kept)\n"
    ),
    "namespace": "from types import SimpleNamespace\ndef Settings(kept):\n    return SimpleNamespace(kept=kept)\n",
    "number": (
        "from decimal import Decimal\nclass Settings:\n    def __init__(self, kept):\n"
        "        self.given = Decimal(kept)\n    kept = property(lambda self: float(self.given))\n"
    ),
    "float of its own": "class Settings(float):\n    kept = property(float)\n",
    "dict with attributes": "class Settings(dict):\n    def __init__(self, kept):\n        self.kept = kept\n",
    "configuration": (
        "import configparser\ndef Settings(kept):\n    read = configparser.ConfigParser()\n"
        "    read.read_string(f'[own]\\nkept = {kept}')\n    return read\n"
    ),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_that_a_module_holds_count_with_their_values(
    name: str, own: Path, key: Callable[..., str], loaded: Callable[..., SimpleNamespace]
) -> None:
    share = "float(CFG['own']['kept'])" if name == "configuration" else "CFG.kept"
    text = mine(f"from dataclasses import dataclass\n{OBJECTS[name]}CFG = Settings(0.5)", share)
    it = loaded(text)
    assert [it.stored(), it.stored()] == [False, True]
    it.module.CFG = it.module.Settings(0.9)
    assert [it.stored(), it.stored()] == [False, True]
    it.module.CFG = it.module.Settings(0.5)
    assert it.stored(), "the same value made anew"


@pytest.mark.parametrize("made", ["iter([0.5] * 1000)", "(x for x in [0.5])", "itertools.cycle([0.5])"])
def test_a_module_that_holds_an_iterator_is_not_kept(made: str, loaded: Callable[..., SimpleNamespace]) -> None:
    it = loaded(mine(f"import itertools\nNUMBERS = {made}", "0.5"))
    with pytest.warns(StoreWarning, match="which gives something else each time"):
        assert not it.stored()
    assert not it.stored()


def test_what_has_no_value_is_kept(loaded: Callable[..., SimpleNamespace]) -> None:
    held = "import logging, re, sys, threading\nLOG, LOCK = logging.getLogger('own'), threading.Lock()\n"
    it = loaded(mine(f"{held}WORD, OUT = re.compile('a+'), sys.stderr", "0.5"))
    assert [it.stored(), it.stored()] == [False, True]
