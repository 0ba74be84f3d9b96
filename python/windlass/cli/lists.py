"""``windlass list`` and ``windlass errors``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from windlass.cli.group import main
from windlass.cli.options import json_option, own_option
from windlass.cli.printing import print_details, print_json, print_table
from windlass.errors import InputError, did_you_mean


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
@click.argument("name", required=False)
@own_option
@json_option
def list_(what: str, name: str | None, as_json: bool) -> None:
    """List what is available; with NAME, show everything about one entry: parameters, units, sources.

    For a paper, `runs` counts the experiments that can be reproduced; `not_run` says why the others cannot.
    `last_verdicts` and `took` are those of the last reproduction in the folder `reproduced`, if there is one.
    The rules are the keys of [tcp] and flows.tcp, with their values in the profiles rfc and ns2. Transports, loss
    causes, window events and series are the terms used in tables of results.
    """
    rows = _LISTS[what]()
    if name is None:
        if as_json:
            print_json(rows)
        else:
            print_table(_COLUMNS[what], rows)
        return
    first = _COLUMNS[what][0]
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
    "rules": ("name", "meaning", "rfc", "ns2"),
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
                        **_last(experiment.id),
                    }
                    for experiment in book.experiments.values()
                ],
            }
        )
    return rows


def _last(experiment: str) -> dict[str, str]:
    """Verdicts of the last reproduction of an experiment below the working folder, and the time of its runs."""
    from windlass.report import last_verdicts

    found = last_verdicts(Path("reproduced"), experiment)
    if found is None:
        return {"last_verdicts": "", "took": ""}
    counts = ", ".join(f"{count} {verdict}" for verdict, count in found["verdicts"].items())
    took = found.get("took_s")
    return {
        "last_verdicts": (counts or "no claim") + (" (quick)" if found.get("quick") else ""),
        "took": f"{took:.0f} s" if took else "",
    }


def _errors() -> list[dict[str, Any]]:
    from windlass.errors import error_codes

    return [{"code": code, "meaning": meaning} for code, meaning in error_codes().items()]


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
