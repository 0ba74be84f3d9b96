"""The ledger: every experiment, claim, open parameter and inconsistency of the papers, as typed values.

One TOML file per paper lies in ``windlass/papers``, and beside it a folder with the paper's networks as scenario files;
``papers/README.md`` says what each field means. :func:`load` reads a ledger and checks that it is whole: every key is
known (``schema.py``), every reference leads somewhere, every check is of a known kind with its own fields; what is
wrong is said with its line. Nothing here knows how an experiment becomes runs (:mod:`windlass.experiments`) or how it
is judged (:mod:`windlass.verdicts`).
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from windlass.errors import InputError, did_you_mean
from windlass.ledger.checks import KINDS
from windlass.ledger.model import (
    Axis,
    Check,
    Claim,
    Effect,
    Experiment,
    Inconsistency,
    Key,
    Ledger,
    Mixed,
    Open,
    Reading,
    Reason,
    Topology,
    Touches,
    Variant,
    WireLink,
)
from windlass.ledger.reading import LedgerError
from windlass.ledger.schema import parse

__all__ = [
    "KINDS",
    "Axis",
    "Check",
    "Claim",
    "Effect",
    "Experiment",
    "Inconsistency",
    "Key",
    "Ledger",
    "LedgerError",
    "Mixed",
    "Open",
    "Reading",
    "Reason",
    "Topology",
    "Touches",
    "Variant",
    "WireLink",
    "experiment",
    "load",
    "papers",
    "parse",
]


def papers() -> list[str]:
    """Ids of the papers in the ledger, in alphabetical order."""
    folder = resources.files("windlass") / "papers"
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))


@cache
def load(paper: str) -> Ledger:
    """The ledger of one paper.

    Parameters
    ----------
    paper : str
        Its id, ``"saedi2019"``.

    Raises
    ------
    InputError
        If there is no such paper.
    LedgerError
        If the file is not what a ledger has to be.
    """
    known = papers()
    if paper not in known:
        raise InputError(
            f"no paper `{paper}` in the ledger",
            code="reproduce.unknown",
            hint=did_you_mean(paper, known) or f"one of {', '.join(known)}; `windlass list papers` shows all",
        )
    folder = resources.files("windlass") / "papers"
    text = (folder / f"{paper}.toml").read_text(encoding="utf-8")
    networks = folder / paper
    files = {}
    if networks.is_dir():
        files = {file.name: file.read_text(encoding="utf-8") for file in networks.iterdir()}
    return parse(text, filename=f"{paper}.toml", networks=files)


def experiment(target: str) -> tuple[Ledger, Experiment]:
    """The ledger and the experiment of an id such as ``"saedi2019/fig3.5"``.

    Raises
    ------
    InputError
        If there is no such paper or experiment.
    """
    paper, _, name = target.partition("/")
    ledger = load(paper)
    found = ledger.experiments.get(f"{paper}/{name}")
    if found is None:
        names = [entry.name for entry in ledger.experiments.values()]
        one = next(entry.id for entry in ledger.experiments.values() if entry.kind == "simulation")
        raise InputError(
            f"no experiment `{name}` in `{paper}`" if name else f"`{paper}` is a paper; an experiment is needed",
            code="reproduce.unknown",
            hint=did_you_mean(name, names) or f"`windlass list papers` shows all; `{one}` is one",
        )
    return ledger, found
