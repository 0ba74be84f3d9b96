"""Scenarios from files, and those that come with the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path

from windlass import inputs
from windlass.errors import InputError, did_you_mean, visible
from windlass.scenario.builders import Value, set_texts
from windlass.scenario.description import Scenario


def load(path: str | Path, sets: Mapping[str, Value] | Iterable[tuple[str, str]] = ()) -> Scenario:
    """A scenario from a TOML file, or a ready one by its name.

    Parameters
    ----------
    path : str or Path
        The file; the name of a ready scenario (``windlass list scenarios``) does as well if there is no such file.
    sets : mapping or iterable of (str, str)
        Dotted keys and values that are laid over the file, as with ``--set``.

    Raises
    ------
    InputError
        If there is no such file, it cannot be read, or something in it is wrong.
    """
    if isinstance(sets, Mapping):
        pairs = set_texts(sets)
    else:
        pairs = list(sets)
    folder = None if inputs.is_there(path) else ready_folder()
    return Scenario.from_toml(read_text(path), filename=visible(str(path)), sets=pairs, folder=folder)


def ready_folder() -> Path:
    """Where the scenarios are that come with the package."""
    return Path(str(resources.files("windlass") / "scenarios"))


def ready_scenarios() -> dict[str, str]:
    """Names of the scenarios that come with the package, with their text (TOML)."""
    folder = resources.files("windlass") / "scenarios"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return {file.name.removesuffix(".toml"): file.read_text(encoding="utf-8") for file in files}


def read_text(path: str | Path) -> str:
    """Text of a scenario file, or of the ready scenario of that name.

    Raises
    ------
    InputError
        If there is no such file or it is no text.
    """
    name = str(path)
    if name.endswith(".py"):
        raise InputError(
            "is a file of Python, not a scenario",
            code="scenario.syntax",
            file=name,
            hint=f"algorithms of your own come beside a scenario: `windlass run FILE --python {name}`",
        )
    if not inputs.is_there(path):
        ready = ready_scenarios()
        if name in ready:
            return ready[name]
        raise InputError(
            "no such file, and no ready scenario of that name",
            code="file.missing",
            file=name,
            hint=did_you_mean(Path(name).stem, ready, "the ready scenario")
            or "`windlass list scenarios` shows the ready ones",
        )
    return inputs.read_text(path)
