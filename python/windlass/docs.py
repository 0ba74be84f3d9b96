"""Reference pages made from the engine's own tables: algorithms, topologies, rules, errors.

``python -m windlass.docs docs/reference`` writes them (``make docs``); with ``--check`` nothing is written, and the
exit code is 1 if a page differs from what the engine says now.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from windlass._markdown import fill
from windlass.files import write_file
from windlass.names import LossCause

__all__ = ["PAGES", "algorithms_page", "main", "scenario_page"]

_NOTE = "<!-- Made by `make docs` from the engine's tables. Do not edit. -->"

_ALGORITHMS_INTRO = """\
Set one with `algorithm = "NAME"` in `[[flows]]`, with parameters as `algorithm = { name = "NAME", PARAMETER = VALUE }`.
A parameter with a unit of scenario files is written with it (`"80 segments"`); the others are bare numbers.
The recovery core is the algorithm's own. It is in force in the profile `ns2`, and with `recovery = "algorithm"` in
`[tcp]`; in the profiles `rfc` and `linux` every algorithm runs on `rack-tlp`."""

_PROFILES = ("rfc", "ns2", "linux")

_RULES_INTRO = """\
Keys of `[tcp]`, for all flows, and of `flows.tcp`, for one group. The columns give the values in the profiles; a dash means that the algorithm, the flow or another key decides."""

_RADIO_INTRO = (
    "Of the `radio` of `wlan` and `chain`, and of each table of `media` of a `graph`. Numbers and rules that are not given "
    "are those of the `set`; `windlass explain` prints them."
)
_QUEUES_INTRO = """\
`queue` of a link is `"50 packets"` or `"75 kB"`, a DropTail queue, or a table of `discipline` and its parameters. Defaults are
those of the profile `rfc`; `"auto"` lets RED choose. [The guide](../guide/queues.md) compares them on one path."""

_JITTER_INTRO = """\
`jitter` of a link is a table of `model`, the keys of that model, and `reorder`: with `true` packets may pass each other; with
`false`, the default, one that would overtake arrives together with the one before it."""

_LOSS_INTRO = """\
`loss` of a link is `"1 %"`, or a table of `model`, the keys of that model, `at` (`"wire"`, the default: after transmission;
`"queue"`: before the queue) and `direction` (`"forward"`, the default, `"reverse"` or `"both"`)."""


_TRAFFIC_INTRO = """\
`kind` in `traffic` of a UDP flow; [scenario files](../guide/scenario-files.md) shows the keys of each."""

_WORDS_INTRO = """\
Terms in columns of [tables of results](../guide/sweeps-and-results.md): `transport` of `flows`, `true_cause` and `kind` of
`events`, `cause` of `losses`, `variable` of `traces`. In a plot of a window over time, a marker is filled if the cause is congestion."""


def algorithms_page() -> str:
    """The algorithms of the registry with their parameters, in Markdown."""
    from windlass import _core

    rows = json.loads(_core.algorithms())
    overview = ([_link(row["name"]), row["recovery"] or row["transport"], row["summary"]] for row in rows)
    parts = [
        "# Algorithms",
        _NOTE,
        _ALGORITHMS_INTRO,
        _table(["name", "recovery or transport", "rule"], overview),
        *(_algorithm(row) for row in rows),
    ]
    return fill("\n\n".join(parts) + "\n")


def scenario_page() -> str:
    """Topologies, keys of a link, engine rules and error codes, in Markdown."""
    from windlass import _core, names

    topologies = json.loads(_core.topologies())
    radio = next(row["radio_fields"] for row in topologies if row["radio_fields"])
    rules = ([_code(r["name"]), r["meaning"], *(_value(r[p]) for p in _PROFILES)] for r in json.loads(_core.rules()))
    parts = [
        "# Keys of a scenario",
        _NOTE,
        "The guide [scenario files](../guide/scenario-files.md) shows how they are used.",
        "## Topologies",
        *(_topology(row) for row in topologies),
        "## Keys of a link",
        _table(["key", "meaning"], _meanings(topologies[0]["link_fields"])),
        "## Keys of a radio",
        _RADIO_INTRO,
        _table(["key", "meaning"], _meanings(radio)),
        "## Queues",
        _QUEUES_INTRO,
        *(_queue(row) for row in json.loads(_core.queues())),
        "## Models of loss",
        _LOSS_INTRO,
        *(_model(row, "loss") for row in json.loads(_core.loss_models())),
        "## Models of jitter",
        _JITTER_INTRO,
        *(_model(row, "jitter") for row in json.loads(_core.jitter_models())),
        "## Kinds of traffic",
        _TRAFFIC_INTRO,
        _table(
            ["kind", "what it sends"], ([_code(r["name"]), r["summary"]] for r in json.loads(_core.traffic_kinds()))
        ),
        "## Words in results",
        _WORDS_INTRO,
        "### Transports",
        _table(["`transport`", "meaning"], ([_code(one.name), one.meaning] for one in names.transports())),
        "### Causes of loss",
        _table(["cause", "what happened", "congestion", "counted in"], map(_cause, names.loss_causes())),
        "### Window changes",
        _table(["`kind`", "meaning"], ([_code(one.name), one.meaning] for one in names.window_events())),
        "### Series",
        _table(
            ["`traces`", "`variable`", "meaning"],
            ([_code(one.name), _code(one.variable), one.meaning] for one in names.series()),
        ),
        "## Engine rules",
        _RULES_INTRO,
        _table(["key", "meaning", *map(_code, _PROFILES)], rules),
        "## Error codes",
        "`windlass errors` also has those of the command and of the Python package.",
        _table(["code", "meaning"], ([_code(e["code"]), e["meaning"]] for e in json.loads(_core.errors()))),
    ]
    return fill("\n\n".join(parts) + "\n")


PAGES: Mapping[str, Callable[[], str]] = {"algorithms.md": algorithms_page, "scenario.md": scenario_page}
"""Pages by file name."""


def _algorithm(row: Mapping[str, Any]) -> str:
    carries = f"- Recovery: `{row['recovery']}`" if row["recovery"] else f"- Transport: `{row['transport']}`, not TCP"
    lines = [f"- Source: {row['source']}", carries]
    if row["aliases"]:
        lines.insert(0, "- Also: " + ", ".join(_code(alias) for alias in row["aliases"]))
    if row["judges_losses"]:
        lines.append("- Tells random losses from congestion; `judged_random` counts the losses that it took for random")
    if row["choices"]:
        lines.append(f"- Left open by the source, and the reading taken: {row['choices']}")
    if row["caution"]:
        lines.append(f"- **Caution:** {row['caution']}")
    parts = [f"## {row['name']}", row["summary"] + ".", "\n".join(lines)]
    if row["parameters"]:
        head = ["parameter", "default", "allowed", "unit", "meaning", "source"]
        parts.append(_table(head, (_parameter(parameter) for parameter in row["parameters"])))
    return "\n\n".join(parts)


def _parameter(parameter: Mapping[str, Any]) -> list[str]:
    if parameter["kind"] == "number":
        allowed = f"{parameter['min']:g} to {parameter['max']:g}"
    elif parameter["kind"] == "choice":
        allowed = ", ".join(_code(word) for word in parameter["choices"])
    else:
        allowed = "`true`, `false`"
    return [
        _code(parameter["name"]),
        _value(parameter["default"]),
        allowed,
        parameter["unit"],
        parameter["meaning"],
        parameter["source"],
    ]


def _topology(row: Mapping[str, Any]) -> str:
    return f"### {row['name']}\n\n{row['summary']}.\n\n" + _table(["key", "meaning"], _meanings(row["fields"]))


def _queue(row: Mapping[str, Any]) -> str:
    head = ["parameter", "default", "allowed", "meaning"]
    rows = ([_code(p["name"]), _value(p["default"]), p["allowed"], p["meaning"]] for p in row["parameters"])
    source = "" if row["source"] == "-" else f" Source: {row['source']}."
    return f"### {row['name']} queue\n\n{row['summary']}.{source}\n\n" + _table(head, rows)


def _model(row: Mapping[str, Any], what: str) -> str:
    return f"### {row['name']} {what}\n\n{row['summary']}.\n\n" + _table(["key", "meaning"], _meanings(row["fields"]))


def _cause(cause: LossCause) -> list[str]:
    return [
        _code(cause.name),
        cause.meaning,
        "yes" if cause.congestion else "no",
        f"{_code(cause.column)}, {_code(cause.ack_column)}",
    ]


def _meanings(fields: Iterable[Mapping[str, str]]) -> list[list[str]]:
    return [[_code(field["name"]), field["meaning"]] for field in fields]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _code(text: str) -> str:
    return f"`{text}`"


def _link(name: str) -> str:
    return f"[`{name}`](#{name})"


def _value(value: Any) -> str:
    """A value as a scenario file has it; a dash for none."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return _code(str(value).lower())
    return _code(f"{value:g}" if isinstance(value, float) else str(value))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--check", is_flag=True, help="Only say which pages are out of date.")
def main(folder: Path, check: bool) -> None:
    """Write the reference pages into FOLDER."""
    old = [name for name, page in PAGES.items() if _read(folder / name) != page()]
    for name in old:
        if check:
            click.echo(f"{folder / name} is out of date; `make docs` writes it", err=True)
        else:
            click.echo(f"written: {write_file(folder / name, PAGES[name]())}")
    if check and old:
        raise SystemExit(1)


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    main()
