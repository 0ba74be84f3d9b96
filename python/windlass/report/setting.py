"""In which setting: readings, defaults, algorithms, the senders' calls."""

from __future__ import annotations

import re
from typing import Any

from windlass.names import loss_causes, not_lost
from windlass.report.language import Language
from windlass.report.words import slug
from windlass.reproduce import CALLS, Reproduction


def readings_table(reproduction: Reproduction) -> dict[str, Any]:
    """Verdict of each claim in each reading, with what each reading is."""
    columns = [run for run in reproduction.runs if not run.missing]
    numbers = reproduction.reading_numbers
    language = Language(reproduction.ledger, reproduction.experiment)
    rows = []
    for outcome in reproduction.outcomes:
        found = {reading.key: (judgement, differs) for reading, judgement, differs in outcome.readings}
        cells: list[dict[str, Any] | None] = []
        for run in columns:
            if run.reading.key in found:
                judgement, differs = found[run.reading.key]
                cells.append(
                    {
                        "verdict": judgement.verdict,
                        "slug": slug(judgement.verdict),
                        "changed": differs,
                        "measured": language.sentence(judgement.measured or judgement.reason),
                    }
                )
            else:
                cells.append(None)
        verdict = outcome.judgement.verdict
        rows.append(
            {
                "number": outcome.claim.number,
                "text": outcome.claim.text,
                "verdict": verdict,
                "slug": slug(verdict),
                "cells": cells,
            }
        )
    return {
        "columns": [numbers[run.reading.key] for run in columns],
        "rows": rows,
        "about": [
            {
                "number": numbers[run.reading.key],
                "title": run.reading.title,
                "why": run.reading.why,
                "missing": language.reason(run.missing),
            }
            for run in reproduction.runs
        ],
    }


def assumptions_table(reproduction: Reproduction) -> list[dict[str, Any]]:
    """What the paper leaves open: the ledger's default, how it was run, why, and what else was tried."""
    book, experiment = reproduction.ledger, reproduction.experiment
    numbers = reproduction.reading_numbers
    as_run = dict(reproduction.base)
    return [
        {
            "parameter": book.open[key].parameter,
            "default": _with_unit(book.open[key].default, book.open[key].unit),
            "as_run": as_run.get(key, ""),
            "why": book.open[key].why,
            "readings": [numbers[run.reading.key] for run in reproduction.runs if run.reading.open == key],
        }
        for key in experiment.open
    ]


def _with_unit(default: str, unit: str) -> str:
    if unit == "-" or unit in default:
        return default
    number = re.match(r"[\d.]+(?=, )", default)
    return f"{default} {unit}" if number is None else f"{number[0]} {unit}{default[number.end() :]}"


def calls_table(reproduction: Reproduction) -> dict[str, Any]:
    """Calls of the senders against the truth, with the share that was right: a column for each cause that occurs."""
    tables = [{(one["call"], one["cause"]): one["count"] for one in row["calls"]} for row in reproduction.judged]
    met = {cause for counts in tables for (_, cause), count in counts.items() if count}
    causes = [cause for cause in loss_causes() if cause.name in met]
    columns = [cause.name for cause in causes] + ([not_lost()] if not_lost() in met else [])
    rows = []
    language = Language(reproduction.ledger, reproduction.experiment)
    for row, counts in zip(reproduction.judged, tables, strict=True):
        calls = []
        for call in CALLS:
            right = sum(counts[call, cause.name] for cause in causes if cause.congestion == (call == "congestion"))
            cells = [counts[call, name] for name in columns]
            calls.append({"cells": cells, "right": _share(right, sum(cells))})
        rows.append(
            {
                "algorithm": language.variant(row["algorithm"]),
                "where": language.found(str(row["where"])),
                "calls": calls,
            }
        )
    heads = [cause.label for cause in causes] + (["not lost"] if not_lost() in met else [])
    return {"calls": CALLS, "heads": heads, "rows": rows}


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def algorithms_table(reproduction: Reproduction) -> list[dict[str, Any]]:
    """What the registry says of the algorithms that took part, readings included."""
    own = set(reproduction.algorithms.values())
    used = {name: variant for variant, name in reproduction.algorithms.items()}
    for run in reproduction.runs:
        if run.data is None:
            continue
        for variant, form in run.reading.swap.items():
            if variant in reproduction.experiment.variants:
                used.setdefault(reproduction.ledger.variants[form].name, variant)
    language = Language(reproduction.ledger, reproduction.experiment)
    rows = [row for row in reproduction.registry if row["name"] in used]
    return [
        {
            "name": language.variant(used[row["name"]] if row["name"] in own else row["name"]),
            "engine_name": row["name"],
            "variant": used[row["name"]],
            "summary": row["summary"],
            "source": row["source"],
            "caution": row.get("caution") or "",
            "recovery": language.variant(row.get("recovery") or ""),
            "parameters": ", ".join(f"{item['name']} = {item['default']}" for item in row["parameters"]),
        }
        for row in rows
    ]


def mechanisms_table(reproduction: Reproduction) -> dict[str, dict[str, str]]:
    """How the paper describes each variant, by the variant's name."""
    paper = reproduction.ledger.id
    return {
        str(row["id"]).removeprefix(f"{paper}/"): {"text": str(row["text"]), "section": str(row.get("section", ""))}
        for row in reproduction.ledger.mechanisms
        if "id" in row
    }
