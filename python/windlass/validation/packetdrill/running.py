"""Scripts of a folder, each with what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windlass import inputs
from windlass.errors import InputError
from windlass.validation.linux import scenarios
from windlass.validation.packetdrill.language import Unreadable, Unsupported
from windlass.validation.packetdrill.player import Failed, Player
from windlass.validation.packetdrill.reading import read

VERDICTS = ("passed", "failed", "skipped", "unreadable")
"""What may come of a script: it holds, it does not, it asks for something that is not there, it is no script."""


@dataclass(frozen=True)
class Outcome:
    """What came of a script.

    Attributes
    ----------
    file : Path
        The script.
    verdict : str
        One of :data:`VERDICTS`.
    line : int or None
        Where it ended, from 1.
    reason : str
        Why it did not pass.
    """

    file: Path
    verdict: str
    line: int | None = None
    reason: str = ""

    @property
    def place(self) -> str:
        """File and line."""
        return str(self.file) if self.line is None else f"{self.file}:{self.line}"


def find(paths: Sequence[Path]) -> list[Path]:
    """Scripts, in folders ordered by name.

    Parameters
    ----------
    paths : sequence of Path
        Scripts, and folders that are looked through with all below them.

    Returns
    -------
    list of Path

    Raises
    ------
    InputError
        If a path is missing, or a folder has no script.
    """
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise InputError(f"there is no `{path}`", code="validate.script", hint="name a folder of `.pkt` files")
        scripts = sorted(path.rglob("*.pkt")) if path.is_dir() else [path]
        if not scripts:
            raise InputError(
                f"`{path}` has no `.pkt` file", code="validate.script", hint="give a script, or a folder that has some"
            )
        found += scripts
    return list(dict.fromkeys(found))


def play_file(file: Path) -> Outcome:
    """Play one script."""
    try:
        data = inputs.read_bytes(file, most=inputs.MOST_BYTES, wanted="script of packetdrill")
        Player(read(data.decode("utf-8", errors="replace")), file.parent).play()
    except Failed as wrong:
        return Outcome(file, "failed", wrong.line, str(wrong))
    except Unsupported as missing:
        return Outcome(file, "skipped", missing.line, str(missing))
    except Unreadable as bad:
        return Outcome(file, "unreadable", bad.line, str(bad))
    except InputError as bad:
        return Outcome(file, "unreadable", None, bad.message)
    return Outcome(file, "passed")


def play_all(files: Sequence[Path]) -> list[Outcome]:
    """Play scripts, each against an endpoint of its own."""
    return [play_file(file) for file in files]


def to_dict(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Plain data: the scripts, and how many there are of each verdict."""
    counts = Counter(one.verdict for one in outcomes)
    scripts = [
        {"file": str(one.file), "verdict": one.verdict, "line": one.line, "reason": one.reason or None}
        for one in outcomes
    ]
    return {"profile": scenarios.profile(), "scripts": scripts} | {word: counts[word] for word in VERDICTS}
