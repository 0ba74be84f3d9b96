"""What is packed and how it is built: metadata, locked versions, the pages of the site."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import Command
from packaging.requirements import Requirement
from packaging.version import Version

import windlass
from windlass import output, plots, stats
from windlass.validation.linux import reference

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]


def locked(file: str) -> dict[str, set[Version]]:
    """Versions that a file names; a package may have one for each Python."""
    found: dict[str, set[Version]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE):
        found.setdefault(name.lower(), set()).add(Version(version))
    return found


def test_versions_are_one() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert PROJECT["project"]["version"] == cargo["workspace"]["package"]["version"] == windlass.__version__


def test_every_dependency_has_a_lower_bound() -> None:
    for text in PROJECT["project"]["dependencies"]:
        assert any(one.operator == ">=" for one in Requirement(text).specifier), text


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("requirements-dev.txt", [*PROJECT["project"]["dependencies"], *EXTRAS["dev"], *EXTRAS["docs"]]),
        ("requirements-wheel.txt", re.findall(r"^\w.*", (ROOT / "requirements-wheel.in").read_text(), re.MULTILINE)),
    ],
)
def test_locked_versions_are_those_that_pyproject_asks_for(file: str, wanted: list[str]) -> None:
    """`make lock UPGRADE=` adds what is missing and moves nothing else."""
    versions = locked(file)
    for text in wanted:
        asked = Requirement(text)
        assert versions.get(asked.name.lower()), f"{asked.name} is not in {file}"
        assert all(version in asked.specifier for version in versions[asked.name.lower()]), text
    text = (ROOT / file).read_text(encoding="utf-8")
    assert not re.search(r"^[\w.-]+==[^\\\n]*$", text, re.MULTILINE), "a version without a hash"
    assert "http" not in text


def test_every_extra_is_explained() -> None:
    page = (ROOT / "docs" / "guide" / "installing.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == set(EXTRAS)


def test_cargo_never_moves_a_version() -> None:
    calls = 0
    for file in (ROOT / "Makefile", *(ROOT / ".ci").iterdir()):
        text = re.sub(r"\\\n", " ", file.read_text(encoding="utf-8"))
        for line in re.findall(
            r"^[^#\n]*\b(?:cargo (?:\+\S+ )?(?:build|check|clippy|doc|test|fetch|metadata|run)|maturin (?:build|develop)) .*",
            text,
            re.MULTILINE,
        ):
            if "--version" in line:
                continue
            calls += 1
            assert "--locked" in line, f"{file.name}: {line}"
    assert calls > 7
    campaign = (ROOT / "fuzz" / "campaign.py").read_text(encoding="utf-8")
    assert [line for line in campaign.splitlines() if '"cargo", "test"' in line and '"--locked"' not in line] == []
    assert (ROOT / "fuzz" / "Cargo.lock").is_file(), "cargo fuzz has no such option"
    assert PROJECT["tool"]["maturin"]["locked"]


def test_the_readme_of_the_package_stands_alone() -> None:
    text = (ROOT / PROJECT["project"]["readme"]).read_text(encoding="utf-8")
    assert not re.search(r"\]\((?!https?:)", text), "an index shows no file of the repository"
    assert all((ROOT / name).is_file() for name in PROJECT["project"]["license-files"])


def test_an_installation_without_traces_of_linux_says_so(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(reference.resources, "files", lambda package: tmp_path)
    done = command("validate", "linux")
    assert done.exit_code == 2
    assert "error[validate.reference]: the traces of Linux do not come with this installation" in done.stderr
    assert "python/windlass/reference/linux" in done.stderr


# ---- the site; `make site` builds it, and a warning of Sphinx fails there


@pytest.fixture(scope="module")
def site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build", ROOT / "docs" / "site" / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_follow_their_pages(site: ModuleType) -> None:
    places = {"README.md": "tour.md", "docs/guide/a.md": "guide/a.md", "docs/images/x.png": "images/x.png"}
    text = "[a](docs/guide/a.md#b) ![x](docs/images/x.png) [own](#here) [out](https://example.org) [`c`](Cargo.toml)\n"
    assert site.linked(text, "README.md", places) == (
        "[a](guide/a.md#b) ![x](images/x.png) [own](#here) [out](https://example.org) `c`\n"
    )
    assert site.linked("[r](../../README.md)", "docs/guide/a.md", places) == "[r](../tour.md)"
    assert site.linked("```sh\n[a](nothing)\n```\n", "README.md", places) == "```sh\n[a](nothing)\n```\n"
    with pytest.raises(ValueError, match="README.md: there is no `nothing.md`"):
        site.linked("[a](nothing.md)", "README.md", places)


def test_every_page_is_in_the_site(site: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "old.md").touch()
    site.gather(tmp_path)
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")}
    assert {"index.md", "tour.md", "changelog.md", "guide/installing.md", "papers/README.md", "specs/wlan.md"} <= found
    assert "old.md" not in found
    assert "../specs/wlan.md" in (tmp_path / "guide" / "wireless.md").read_text(encoding="utf-8")
    assert "*/README" in (tmp_path / "papers" / "README.md").read_text(encoding="utf-8")


def test_every_public_name_is_in_the_reference() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "site" / "api").glob("*.md"))
    documented = set(re.findall(r"^\.\. auto(?:class|function):: (\w+)$", pages, re.MULTILINE))
    modules = set(re.findall(r"^\.\. automodule:: windlass\.(\w+)$", pages, re.MULTILINE))
    assert documented | modules | {"ENGINE_VERSION", "__version__"} == set(windlass.__all__)
    assert all(module.__all__ for module in (output, plots, stats)), "automodule shows what is in __all__"
