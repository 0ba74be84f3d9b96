"""Which keys the tables of a ledger have, of which kind, and how they become values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from windlass.ledger.checks import OWNERS, check, owned
from windlass.ledger.model import (
    Axis,
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
from windlass.ledger.reading import (
    Item,
    Maybe,
    Schema,
    anything,
    by_key,
    document,
    fields,
    flag,
    follow,
    listed,
    name_of,
    number,
    one_or_more,
    scalar,
    table,
    text,
    whole,
    word,
)

EXPERIMENT_KINDS = ("simulation", "illustration", "quoted", "asserted", "summary")


def conditions(item: Item) -> dict[str, tuple[str, ...]]:
    """Fields of an experiment and the words that they must have."""
    schema: Schema = {
        "experiment": Maybe(one_or_more(name_of("experiment"))),
        "topology": Maybe(one_or_more(name_of("topology"))),
        "direction": Maybe(one_or_more(name_of("direction"))),
    }
    return {name: words for name, words in fields(item, schema).items() if words is not None}


def settings(item: Item) -> dict[str, tuple[Any, int | None]]:
    """Dotted keys with their values and lines."""
    return {key: (inner.plain(), inner.line) for key, inner in item.table().items()}


EFFECT: Schema = {
    "set": Maybe(settings),
    "needs": Maybe(one_or_more(text), ()),
    "when": Maybe(conditions),
    "variants": Maybe(listed(name_of("variant"))),
    "as_run": Maybe(text, ""),
}


def effect(row: Mapping[str, Any]) -> Effect:
    """The effect that a table has beside its prose."""
    given = row["set"] or {}
    return Effect(
        set={key: value for key, (value, _) in given.items()},
        needs=row["needs"],
        when=row.get("when") or {},
        variants=row.get("variants"),
        as_run=row.get("as_run", ""),
        lines={key: line for key, (_, line) in given.items()},
    )


OPEN: Schema = {
    "parameter": text,
    "default": text,
    "unit": text,
    "why": text,
    **EFFECT,
    "cases": Maybe(listed(lambda item: effect(fields(item, EFFECT))), ()),
}


def opened(item: Item) -> Open:
    """An open parameter."""
    row = fields(item, OPEN)
    own = effect(row)
    return Open(item.key, row["parameter"], row["default"], row["unit"], row["why"], (*row["cases"], own))


VARIANT: Schema = {"algorithm": Maybe(anything, ""), "set": Maybe(settings), "needs": Maybe(one_or_more(text), ())}


def variant(item: Item) -> Variant:
    """A protocol."""
    row = fields(item, VARIANT)
    given = row["algorithm"]
    if not isinstance(given, str) and "name" not in given:
        item.fail("has an `algorithm` without `name`", 'write `algorithm = { name = "cerl", cerl_cmp = "gt" }`')
    return Variant(item.key, given, effect({**row, "variants": (item.key,)}), item.line)


MIXED: Schema = {"variant": Maybe(name_of("variant"), ""), "pairs": whole}
MIX = listed(lambda item: Mixed(**fields(item, MIXED)))

READING: Schema = {
    "title": text,
    "open": Maybe(name_of("open parameter"), ""),
    "why": text,
    **EFFECT,
    "swap": Maybe(by_key(name_of("variant")), {}),
    "mix": Maybe(MIX, ()),
    "mirrored": Maybe(flag, False),
    "form": Maybe(flag, False),
    "scale": Maybe(by_key(number), {}),
    "move": Maybe(by_key(text), {}),
    "instead": Maybe(flag, False),
}


def reading(item: Item) -> Reading:
    """Another choice for an open parameter."""
    row = fields(item, READING)
    if not any(row[name] for name in ("set", "swap", "mix", "mirrored", "needs", "scale")):
        item.fail("changes nothing", 'write what it does: `set = { "flows.tcp.window" = "20 segments" }`')
    own = ("title", "open", "why", "swap", "mix", "mirrored", "form", "scale", "move", "instead")
    taken = {name: row[name] for name in own}
    return Reading(key=item.key, effect=effect(row), **taken)


LINK: Schema = {
    "a": text,
    "b": text,
    "medium": text,
    "queue": text,
    "loss": text,
    "link": Maybe(text, ""),
    "name": Maybe(text, ""),
    **{
        key: Maybe(scalar)
        for key in ("count", "rate", "delay", "assumed", "note", "background", "radius_m", "distance_m")
    },
}


def link(item: Item) -> WireLink:
    """A row of a topology."""
    row = fields(item, LINK)
    own = ("a", "b", "medium", "queue", "loss", "link", "name")
    notes = {key: value for key, value in row.items() if key not in own and value is not None}
    return WireLink(**{key: row[key] for key in own}, notes=notes)


KEY: Schema = {
    "set": Maybe(one_or_more(text), ()),
    "unit": Maybe(text, "-"),
    "needs": Maybe(one_or_more(text), ()),
    "words": Maybe(table, {}),
}


def key(item: Item) -> Key:
    """What a key that is swept or fixed means in a network."""
    return Key(item.key, **fields(item, KEY), line=item.line)


TOPOLOGY: Schema = {
    "title": text,
    "nodes": text,
    "links": listed(link),
    "note": Maybe(text, ""),
    "scenario": Maybe(name_of("scenario file"), ""),
    "keys": Maybe(by_key(key), {}),
    "needs": Maybe(one_or_more(text), ()),
}

TRAFFIC: Schema = {
    "flows": text,
    "direction": text,
    "application": text,
    "start": text,
    "segment_B": Maybe(scalar),
}

AXIS: Schema = {
    "parameter": text,
    "key": Maybe(text, ""),
    "from": Maybe(number),
    "to": Maybe(number),
    "unit": Maybe(text, "-"),
    "bin": Maybe(number),
    "points": Maybe(listed(scalar), ()),
    "range_stated": Maybe(flag, False),
    "points_stated": Maybe(flag, False),
    "also": Maybe(by_key(listed(anything)), {}),
    "is_variant": Maybe(flag, False),
}


def axis(item: Item) -> Axis:
    """What is swept."""
    row = fields(item, AXIS)
    for key, values in row["also"].items():
        if len(values) != len(row["points"]):
            item.fail(f"has {len(row['points'])} points, and `{key}` {len(values)} values for them")
    if row["bin"] is not None and (row["points"] or row["unit"] != "s" or row["bin"] <= 0):
        item.fail("`bin` is the length of what a figure draws over time: above 0, of an axis in `s` without `points`")
    own = ("parameter", "key", "points", "unit", "bin", "range_stated", "points_stated", "also", "is_variant")
    return Axis(**{key: row[key] for key in own}, line=item.line)


EXPERIMENT: Schema = {
    "id": text,
    "kind": word(EXPERIMENT_KINDS),
    "figures": listed(text),
    "tables": listed(text),
    "section": text,
    "title": text,
    "topology": name_of("topology"),
    "traffic": lambda item: fields(item, TRAFFIC),
    "variants": listed(name_of("variant")),
    "set": Maybe(settings),
    "needs": Maybe(one_or_more(text), ()),
    "mix": Maybe(MIX, ()),
    "groups": Maybe(listed(text), ()),
    "measured": Maybe(listed(text), ()),
    "beside": Maybe(by_key(one_or_more(text)), {}),
    "sweep": one_or_more(axis),
    "fixed": table,
    "sim_time": text,
    "metrics": listed(text),
    "stated": listed(text),
    "open": listed(name_of("open parameter")),
    "covers": Maybe(listed(name_of("experiment")), ()),
    "note": Maybe(text, ""),
    "panels": Maybe(listed(table)),
    "also_fer_percent": Maybe(listed(number)),
}


def experiment(item: Item) -> Experiment:
    """An experiment."""
    row = fields(item, EXPERIMENT)
    swept = [one for one in row["sweep"] if one.key]
    taken = {"sweep", "set", "needs", "panels", "also_fer_percent"}
    return Experiment(
        **{key: value for key, value in row.items() if key not in taken},
        axes=tuple(one for one in swept if one.points),
        drawn_over=tuple(one.key for one in swept if not one.points),
        bin_s=next((float(one.bin) for one in swept if one.bin is not None), None),
        effect=effect({**row, "variants": None}),
        more={key: row[key] for key in ("panels", "also_fer_percent") if row[key] is not None},
    )


CLAIM: Schema = {
    "id": text,
    "experiment": name_of("experiment"),
    "kind": word(("ratio", "value", "order", "qualitative", "table")),
    "source": text,
    "text": text,
    "numbers": table,
    "check": check,
    "conflict": Maybe(listed(name_of("inconsistency")), ()),
    "note": Maybe(text, ""),
}

TOUCHES: Schema = {
    "experiments": Maybe(listed(name_of("experiment")), ()),
    "open": Maybe(listed(name_of("open parameter")), ()),
    "variants": Maybe(listed(name_of("variant")), ()),
}

INCONSISTENCY: Schema = {
    **{key: text for key in ("id", "weight", "where", "what")},
    "take": Maybe(text, ""),
    "touches": Maybe(lambda item: Touches(**fields(item, TOUCHES)), Touches()),
}

PAPER: Schema = {
    "id": text,
    "title": text,
    "authors": listed(text),
    "year": Maybe(scalar, "year not stated"),
    "venue": text,
    **{key: Maybe(text) for key in ("supervisor", "author_note", "year_note", "tool", "companion", "licence")},
}

MECHANISM: Schema = {"id": text, "section": text, "text": text}
BACKGROUND: Schema = {"section": text, "text": text, "numbers": table, "note": Maybe(text, "")}
TABLE: Schema = {
    "id": text,
    "title": text,
    "columns": listed(text),
    "rows": listed(listed(scalar)),
    "unit": Maybe(text),
    "duplicate_of": Maybe(name_of("table")),
}


def rows(schema: Schema) -> Any:
    """A list of tables of one schema."""
    return listed(lambda item: fields(item, schema))


REASON: Schema = {"text": text, "whose": word(OWNERS)}

LEDGER: Schema = {
    "paper": lambda item: {key: value for key, value in fields(item, PAPER).items() if value is not None},
    "reason": by_key(lambda item: Reason(**fields(item, REASON))),
    "open": by_key(opened),
    "variant": Maybe(by_key(variant), {}),
    "reading": Maybe(by_key(reading), {}),
    "topology": by_key(lambda item: fields(item, TOPOLOGY)),
    "mechanism": Maybe(rows(MECHANISM), ()),
    "background": Maybe(rows(BACKGROUND), ()),
    "table": Maybe(rows(TABLE), ()),
    "experiment": listed(lambda item: (item, experiment(item))),
    "claim": listed(lambda item: (item, Claim(**fields(item, CLAIM)))),
    "inconsistency": listed(lambda item: Inconsistency(**fields(item, INCONSISTENCY))),
}


def parse(given: str, *, filename: str, networks: Mapping[str, str] | None = None) -> Ledger:
    """A ledger from the text of its file.

    Parameters
    ----------
    given : str
        TOML.
    filename : str
        Named in errors.
    networks : mapping, optional
        Text of the scenario files in the paper's folder, by name.

    Raises
    ------
    LedgerError
        If the file is no TOML, has a key that no table has, lacks something, or refers to something that is not there.
    """
    files = networks or {}
    whole_file = document(given, filename)
    row = fields(whole_file, LEDGER)
    experiments = {entry.id: entry for _, entry in row["experiment"]}
    for item, entry in row["experiment"]:
        _check_experiment(item, entry, row)
    _check_unique(row)
    follow(
        whole_file.book,
        {
            "open parameter": row["open"],
            "variant": row["variant"],
            "topology": row["topology"],
            "experiment": experiments,
            "direction": sorted({str(entry.traffic["direction"]) for entry in experiments.values()}),
            "reason": row["reason"],
            "inconsistency": [one.id for one in row["inconsistency"]],
            "table": [one["id"] for one in row["table"]],
            "scenario file": files,
        },
    )
    claims = tuple(replace(claim, check=owned(claim.check, row["reason"])) for _, claim in row["claim"])
    grouped: dict[str, tuple[Claim, ...]] = {}
    for claim in claims:
        grouped[claim.experiment] = (*grouped.get(claim.experiment, ()), claim)
    return Ledger(
        id=row["paper"]["id"],
        filename=filename,
        paper=row["paper"],
        reasons=row["reason"],
        open=row["open"],
        variants=row["variant"],
        readings=row["reading"],
        topologies={key: _topology(key, one, files) for key, one in row["topology"].items()},
        mechanisms=row["mechanism"],
        tables={one["id"]: one for one in row["table"]},
        experiments=experiments,
        claims=claims,
        inconsistencies={one.id: one for one in row["inconsistency"]},
        _by_experiment=grouped,
    )


def _topology(key: str, row: Mapping[str, Any], files: Mapping[str, str]) -> Topology:
    name = row["scenario"]
    own = {field: value for field, value in row.items() if field != "scenario"}
    return Topology(key, **own, filename=name, scenario=files[name] if name else "")


def _check_experiment(item: Item, entry: Experiment, row: Mapping[str, Any]) -> None:
    """Every key that is swept or fixed is one of the network's, and the id is of this paper."""
    if entry.paper != row["paper"]["id"]:
        item.table()["id"].fail(f"is `{entry.id}`, which is not of paper `{row['paper']['id']}`")
    network = row["topology"].get(entry.topology)
    if network is None:
        return  # told by the reference
    known = ", ".join(f"`{key}`" for key in network["keys"]) or "none"
    hint = f"write it below `[topology.{entry.topology}.keys]`, where there is {known}"
    for axis in (
        item.table()["sweep"].plain()
        if isinstance(item.table()["sweep"].value, list)
        else [item.table()["sweep"].plain()]
    ):
        if axis.get("key", "") and axis["key"] not in network["keys"]:
            item.table()["sweep"].fail(f"has the key `{axis['key']}`, which `{entry.topology}` does not have", hint)
    for key, inner in item.table()["fixed"].table().items():
        if key not in network["keys"]:
            inner.fail(f"is a key which `{entry.topology}` does not have", hint)


def _check_unique(row: Mapping[str, Any]) -> None:
    for table_name in ("experiment", "claim"):
        seen: set[str] = set()
        for item, entry in row[table_name]:
            if entry.id in seen:
                item.table()["id"].fail(f"stands twice: `{entry.id}`")
            seen.add(entry.id)
