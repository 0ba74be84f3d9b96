"""``windlass list`` and ``windlass errors``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windlass.amounts import counted, time_text
from windlass.cli import completion
from windlass.cli.group import main
from windlass.cli.latex import latex_option
from windlass.cli.options import json_option, own_option
from windlass.cli.printing import print_details, print_json, print_table
from windlass.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from windlass.ledger import Experiment


@main.command(
    "list",
    short_help="List algorithms, topologies, queues, loss models and everything else.",
    epilog="Example: windlass list algorithms cerl",
)
@click.argument(
    "what",
    type=click.Choice(
        [
            "algorithms",
            "topologies",
            "queues",
            "loss-models",
            "jitter-models",
            "traffic-kinds",
            "transports",
            "loss-causes",
            "window-events",
            "series",
            "rules",
            "scenarios",
            "papers",
            "errors",
        ]
    ),
)
@click.argument("name", required=False, shell_complete=completion.entries)
@own_option
@json_option
@latex_option
def list_(what: str, name: str | None, as_json: bool) -> None:
    """List what is available; with NAME, show everything about one entry: parameters, units, sources.

    For a paper, `runs` counts the experiments that can be reproduced; `not_run` says why the others cannot. `takes` is
    the CPU time of an experiment. `last_verdicts` are those of the last reproduction in the folder `reproduced`, or of
    the run of all papers that came with this version, if that is newer.
    The rules are the keys of [tcp] and flows.tcp, with their values in each profile. Transports, loss causes, window
    events and series are the terms used in tables of results.
    """
    rows = rows_of(what)
    if name is None:
        if as_json:
            print_json(rows)
        else:
            print_table(_COLUMNS[what], rows)
        return
    first = first_column(what)
    found = [row for row in rows if name in (row[first], *row.get("aliases", ()))]
    if not found:
        hints = (did_you_mean(name, [row[first] for row in rows]), f"`windlass list {what}` shows all")
        raise InputError(f"no `{name}` among the {what}", code="list.unknown", hint=" ".join(filter(None, hints)))
    if as_json:
        print_json(found[0])
    else:
        print_details(found[0])


@main.command(short_help="Show every error code and what it means.")
@json_option
@latex_option
def errors(as_json: bool) -> None:
    """Show every error code and what it means."""
    rows = _errors()
    if as_json:
        print_json(rows)
    else:
        print_table(_COLUMNS["errors"], rows)


_COLUMNS = {
    "algorithms": ("name", "aliases", "summary", "source"),
    "topologies": ("name", "summary"),
    "queues": ("name", "summary", "source"),
    "loss-models": ("name", "summary"),
    "jitter-models": ("name", "summary"),
    "traffic-kinds": ("name", "summary"),
    "transports": ("name", "meaning"),
    "loss-causes": ("name", "meaning", "congestion", "column"),
    "window-events": ("name", "meaning"),
    "series": ("name", "variable", "meaning"),
    "rules": ("name", "meaning", "rfc", "ns2", "linux"),
    "scenarios": ("name", "summary"),
    "papers": ("name", "title", "claims", "runs"),
    "errors": ("code", "meaning"),
}
"""Columns of each list on the screen; the first one names the row."""


def _engine(what: str) -> list[dict[str, Any]]:
    """A table that the engine keeps, by the name of its function."""
    from windlass import _core

    rows: list[dict[str, Any]] = json.loads(getattr(_core, what)())
    return rows


def _scenarios() -> list[dict[str, Any]]:
    from windlass.scenario import ready_scenarios

    rows = []
    for name, text in ready_scenarios().items():
        head = " ".join(line[1:].strip() for line in text.partition("\n\n")[0].splitlines() if line.startswith("#"))
        summary = re.match(r".*?[.?!](?= |$)", head)  # its first sentence, however many lines that takes
        rows.append({"name": name, "summary": summary[0] if summary else head, "text": text})
    return rows


def _papers() -> list[dict[str, Any]]:
    from windlass import experiments, ledger

    def missing(book: ledger.Ledger, entry: ledger.Experiment) -> str:
        try:
            experiments.require(book, entry)
        except experiments.NotYet as error:
            return error.message.removeprefix(f"`{entry.id}` ")
        return ""

    rows = []
    for paper in ledger.papers():
        book = ledger.load(paper)
        why = {entry.id: missing(book, entry) for entry in book.experiments.values()}
        rows.append(
            {
                "name": paper,
                "title": book.title,
                "claims": len(book.claims),
                "runs": f"{list(why.values()).count('')} of {len(why)}",
                "citation": book.citation,
                "experiments": [
                    {
                        "name": experiment.id,
                        "title": experiment.title,
                        "kind": experiment.kind,
                        "claims": len(book.claims_of(experiment.id)),
                        "not_run": why[experiment.id],
                        **_last(experiment),
                    }
                    for experiment in book.experiments.values()
                ],
            }
        )
    return rows


def _last(entry: Experiment) -> dict[str, str]:
    """What an experiment takes, and its last verdicts: of the working folder, or those that were published. The runs of
    a summary are those of what it sums up.
    """
    from windlass.report import last_verdicts
    from windlass.reproduce.costs import cost_of_run
    from windlass.reproduce.published import published

    shown = {"takes": "", "last_verdicts": "", "run_on": ""}
    last = published().get(entry.id)
    if last is not None:
        shown["takes"] = _takes(last.runs, *((None, "") if entry.covers else cost_of_run(entry, last)))
        if last.date:
            shown |= {"last_verdicts": _verdicts(last.verdicts, last.quick), "run_on": last.date}
    own = last_verdicts(Path("reproduced"), entry.id)
    if own is not None and own.get("date", shown["run_on"]) >= shown["run_on"]:
        shown |= {"last_verdicts": _verdicts(own["verdicts"], own.get("quick", False)), "run_on": own.get("date", "")}
        if own.get("cpu_per_run_s") is not None and not entry.covers:
            shown["takes"] = _takes(own["runs"], own["cpu_per_run_s"], "measured")
    return shown


def _takes(runs: int, run_s: float | None, cost_is: str) -> str:
    """CPU time of an experiment in words."""
    if run_s is None:
        return counted(runs, "run")
    known = "" if cost_is == "measured" else ", estimated"
    return f"{time_text(runs * run_s)} ({counted(runs, 'run')}{known})"


def _verdicts(counts: Mapping[str, int], quick: bool) -> str:
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return (words or "no claim") + (" (quick)" if quick else "")


def _errors() -> list[dict[str, Any]]:
    from windlass.errors import error_codes

    return [{"code": code, "meaning": meaning} for code, meaning in error_codes().items()]


def rows_of(what: str) -> list[dict[str, Any]]:
    """Entries of one of the lists."""
    return _LISTS[what]()


def first_column(what: str) -> str:
    """Name of the column that names an entry of a list."""
    return _COLUMNS[what][0]


_LISTS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "algorithms": lambda: _engine("algorithms") + _engine("registered"),
    "topologies": lambda: _engine("topologies"),
    "queues": lambda: _engine("queues"),
    "loss-models": lambda: _engine("loss_models"),
    "jitter-models": lambda: _engine("jitter_models"),
    "traffic-kinds": lambda: _engine("traffic_kinds"),
    "transports": lambda: _engine("transports"),
    "loss-causes": lambda: _engine("loss_causes"),
    "window-events": lambda: _engine("window_events"),
    "series": lambda: _engine("series"),
    "rules": lambda: _engine("rules"),
    "scenarios": _scenarios,
    "papers": _papers,
    "errors": _errors,
}
