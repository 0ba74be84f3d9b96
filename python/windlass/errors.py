"""Errors that a user can cause: a stable code, one sentence, and what to write instead."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

__all__ = [
    "InputError",
    "Interrupted",
    "StoreError",
    "StoreWarning",
    "UnknownFlow",
    "WindlassError",
    "core_errors",
    "did_you_mean",
    "error_codes",
    "shortened",
    "visible",
]

CODES: dict[str, str] = {
    "algorithm.class": "a class cannot serve as a congestion control algorithm",
    "algorithm.failed": "an algorithm written in Python raised an exception",
    "algorithm.file": "the file defines no congestion control algorithm",
    "cluster.lost": "a Dask cluster went away, or its workers died, before all runs were made",
    "cluster.no-answer": "no scheduler of a Dask cluster answers at that address",
    "cluster.no-dask": "runs on a Dask cluster need the package of the extra `dask`",
    "cluster.worker": "a worker of a Dask cluster cannot make runs",
    "compare.baseline": "the baseline of a comparison is none of its candidates",
    "compare.group": "the scenario has no such group of TCP flows to compare algorithms on",
    "compare.measured": "the section `[measured]` of a path is not as `windlass import` writes it",
    "compare.neighbour": "no flow of the group can be made the neighbour",
    "compare.nothing": "a comparison needs an algorithm and a path",
    "compare.parameter": "a parameter of an algorithm or queue is not PARAMETER=VALUE, or is given twice",
    "compare.queue": "a queue to compare cannot be read, or nothing says where it belongs",
    "compare.twice": "an algorithm or queue stands twice in a comparison",
    "cli.usage": "the command line has an unknown option, a missing argument or a value of the wrong kind",
    "cli.system": "the operating system refused something",
    "cli.output": "the place for the results cannot be written",
    "export.no-results": "the folder holds no results of a run to export",
    "export.nothing": "no flow of the run has what the format wants",
    "file.silent": "nothing comes through a pipe that is to be read",
    "file.special": "a device or the like was given where a file is needed",
    "file.too-large": "the file is larger than anything of its kind",
    "file.missing": "no file of that name, and no ready scenario either",
    "file.directory": "a directory was given where a file is needed",
    "file.unreadable": "the file cannot be read",
    "file.not-text": "the file is not UTF-8 text, so it cannot be a scenario",
    "import.broken": "a file of measurements is damaged, or not what its kind should be",
    "import.flow": "the file has no such connection, or several",
    "import.format": "there is no such kind of file or of rate",
    "import.no-tcp": "the capture holds no TCP segment that can be read",
    "import.nothing": "the file has too little in it to say anything of a path",
    "import.trace": "the file shows no rate over time of which a trace can be made",
    "import.unknown": "the file is of no kind that can be imported",
    "internal": "something in Windlass itself is broken; the message says how to report it",
    "internal.memory": "the machine has too little memory for this",
    "ledger.broken": "the ledger of a paper contradicts itself",
    "list.unknown": "nothing of that name in the list",
    "new-cc.name": "the name of a new algorithm is taken or not allowed",
    "new-cc.tree": "a new algorithm cannot be written here",
    "output.damaged": "a file of a folder of results is not what its manifest says",
    "plot.bin": "bins of time that cannot be",
    "plot.format": "a figure cannot be written in the format of that ending",
    "plot.kind": "no figure of that kind of what is given",
    "plot.layout": "a figure cannot have that width or font",
    "plot.no-axis": "the results have no column of that name to draw along",
    "plot.no-label": "the figure has no such words to replace",
    "plot.no-metric": "the results have no such number to draw",
    "plot.no-positions": "nothing in the scenario has a place on a map",
    "plot.no-results": "the folder holds no results to draw",
    "plot.no-trace": "the run recorded no such series",
    "plot.too-many": "more lines or panels than one figure has room for",
    "reproduce.not-yet": "the experiment needs something that the engine does not model",
    "reproduce.reading": "no reading of that name in the papers' ledgers",
    "reproduce.seeds": "too few seeds to judge claims",
    "reproduce.values": "no values of earlier runs by this engine",
    "reproduce.unknown": "no paper or experiment of that name in the ledger",
    "result.no-pandas": "pandas is not installed, which a data frame needs",
    "result.unknown-flow": "the results have no flow of that name",
    "result.unknown-table": "the results have no table of that name",
    "run.limit": "what runs are allowed to need is no size or time",
    "run.many-points": "the scenario sweeps several points where a single run was asked for",
    "scenario.not-data": "a description made in Python holds something that a file could not",
    "serve.busy": "other pages of `windlass serve` are running, so there is no room for one more run",
    "serve.limit": "the runs that a page asks for are longer than its limit",
    "serve.no-server": "the page needs the package of the extra `serve`",
    "serve.port": "the port of the page is taken",
    "serve.request": "a page asks for something that its scenario does not have",
    "shard.count": "there is no such shard, or too many of them",
    "shard.folder": "the folder is no job array, or has no room for one",
    "shard.unknown": "runs that cannot be known again cannot be put together from shards",
    "store.no-runs": "the folder holds no runs that could be taken into the store",
    "store.unwritable": "the store of finished runs cannot be written",
    "sweep.interrupted": "the sweep was stopped before its end; finished runs are kept",
    "sweep.jobs": "the number of threads is not positive",
    "sweep.precision": "the target precision or its metric makes no sense",
    "sweep.seeds": "the seeds are not a positive count or a list of different whole numbers",
    "trace.empty": "the link can carry nothing during the run, so there is no trace to write",
    "travel.key": "a run would be another one on the machine that was to make it",
    "travel.version": "another version of Windlass is installed on the machine that was to make a run",
    "validate.case": "the reference has no case or point of that name",
    "validate.no-ns2": "the binary `ns` of ns-2 is not installed",
    "validate.not-expressible": "ns-2, or the generator of its scripts, has no such thing",
    "validate.ns2-failed": "no run of ns-2 gave a result",
    "validate.reference": "a folder is no reference of Linux, or one of its files is broken",
    "validate.script": "there are no scripts of packetdrill at a path",
    "validate.seeds": "too few seeds for an interval",
}
"""Codes raised by this package itself, with their meaning. The engine has its own, see :func:`error_codes`."""


def visible(text: str) -> str:
    """Text that does nothing to a terminal: what would be obeyed, or is no text, is shown as an escape.

    >>> visible("a" + chr(27) + "[31m") == "a" + chr(92) + "x1b[31m"
    True
    """
    return "".join(one if one.isprintable() or one in "\n\t" else _escape(one) for one in text)


ORDERS = ("Cc", "Cs")
"""Categories of characters that a terminal obeys, and of bytes that were no text."""

TURNING = frozenset(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]))
"""Characters that turn the direction of what follows."""


def _escape(one: str) -> str:
    obeyed = unicodedata.category(one) in ORDERS or one in TURNING
    return one.encode("unicode_escape").decode("ascii") if obeyed else one


class WindlassError(Exception):
    """Base of everything that this package raises on purpose.

    Parameters
    ----------
    message : str
        What is wrong, without the code.
    code : str, optional
        Stable code, listed by ``windlass errors``.
    hint : str, optional
        What to write or do instead.
    file : str, optional
        File in which it was found.
    line : int, optional
        Line of that file, from 1.
    """

    code = "windlass"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        hint: str | None = None,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        self.message = message
        self.hint = hint
        self.file = file
        self.line = line

    def render(self) -> str:
        """Text for people: ``error[code]: place: message`` and, on a second line, ``hint: ...``."""
        place = ", ".join(
            part for part in (self.file, f"line {self.line}" if self.line is not None else None) if part is not None
        )
        first = f"error[{self.code}]: {place}: {self.message}" if place else f"error[{self.code}]: {self.message}"
        return visible(first if self.hint is None else f"{first}\nhint: {self.hint}")

    def __str__(self) -> str:
        return self.render()


class InputError(WindlassError):
    """A scenario, an option or a file that cannot be used as it stands."""

    code = "input"


class UnknownFlow(InputError):
    """The results have no flow of that name."""

    code = "result.unknown-flow"


class StoreError(WindlassError):
    """The store of finished runs cannot be used."""

    code = "store.unwritable"


class StoreWarning(UserWarning):
    """The store has, or can take, less than was expected of it; results are right, but some runs are made again."""


class Cancelled(WindlassError):
    """A run was stopped by its cancel token before its end."""

    code = "sweep.interrupted"


class Interrupted(WindlassError):
    """A sweep was stopped before its end.

    Parameters
    ----------
    done : int
        Runs that are finished.
    total : int
        Runs that were asked for.
    stored : bool
        Whether the finished runs are in the store, so that the same call goes on from there.
    left : bool
        Whether a run goes on even so: its algorithm in Python neither ends nor can be interrupted.
    """

    code = "sweep.interrupted"

    def __init__(self, done: int, total: int, stored: bool, left: bool = False) -> None:
        from windlass.amounts import counted

        kept = f"{done} of {counted(total, 'run')} {'is' if done == 1 else 'are'} finished" + (
            " and kept" if stored else ", not kept (no store)"
        )
        hint = "the same command goes on from there" if stored else "leave the store on to be able to go on later"
        super().__init__(f"stopped: {kept}", hint=hint)
        self.done = done
        self.total = total
        self.stored = stored
        self.left = left


@contextmanager
def core_errors() -> Iterator[None]:
    """Turn the engine's exceptions into this package's; the one place where that is done.

    Raises
    ------
    InputError
        For ``_core.InputError``, with its code, message, file, line and hint.
    Cancelled
        For ``_core.Cancelled``.
    """
    from windlass import _core

    try:
        yield
    except _core.InputError as error:
        raise InputError(error.message, code=error.code, hint=error.hint, file=error.file, line=error.line) from None
    except _core.Cancelled:
        raise Cancelled("the run was stopped before its end") from None


def shortened(text: str, most: int = 300) -> str:
    """One line of text that others wrote, without the middle if it is long.

    >>> shortened("a" * 1000, 9)
    'aaaa ... aaaa'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most // 2]} ... {line[-(most // 2) :]}"


def error_codes() -> dict[str, str]:
    """Every error code with its meaning, the engine's and this package's, in alphabetical order."""
    import json

    from windlass import _core

    codes = {row["code"]: row["meaning"] for row in json.loads(_core.errors())}
    return dict(sorted((codes | CODES).items()))


def did_you_mean(name: str, known: Iterable[str], what: str = "") -> str | None:
    """A hint with the known name that is nearest to a mistaken one; none if none is near.

    >>> did_you_mean("westwod", ["reno", "westwood"], "the algorithm")
    'did you mean the algorithm `westwood`?'
    """
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean {what + ' ' if what else ''}`{close[0]}`?" if close else None
