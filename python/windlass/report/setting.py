"""In which setting: readings, defaults, algorithms, the senders' calls."""

from __future__ import annotations

from typing import Any

from windlass.experiments import Setting
from windlass.report.words import slug
from windlass.reproduce import Reproduction


def readings_table(reproduction: Reproduction) -> dict[str, Any]:
    """Verdict of each claim in each reading, with what each reading is."""
    columns = [run for run in reproduction.runs if not run.missing]
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
                        "measured": judgement.measured or judgement.reason,
                    }
                )
            else:
                cells.append(None)
        verdict = outcome.judgement.verdict
        rows.append(
            {
                "number": outcome.claim.id.rsplit("/", 1)[-1],
                "text": outcome.claim.text,
                "verdict": verdict,
                "slug": slug(verdict),
                "cells": cells,
            }
        )
    return {
        "columns": [run.reading.key for run in columns],
        "rows": rows,
        "about": [
            {
                "key": run.reading.key,
                "title": run.reading.title,
                "why": run.reading.why,
                "missing": run.missing,
            }
            for run in reproduction.runs
        ],
    }


def calls_table(reproduction: Reproduction) -> list[dict[str, Any]]:
    """Calls of the senders against the truth, with the share that was right."""
    rows = []
    for row in reproduction.judged:
        counts = {(entry["call"], entry["cause"]): entry["count"] for entry in row["calls"]}
        random = sum(count for (call, _), count in counts.items() if call == "random")
        congestion = sum(count for (call, _), count in counts.items() if call == "congestion")
        rows.append(
            {
                "algorithm": row["algorithm"],
                "where": str(row["where"]),
                "cells": [
                    counts[call, cause]
                    for call in ("random", "congestion")
                    for cause in ("channel", "queue", "nothing")
                ],
                "random_right": _share(counts["random", "channel"], random),
                "congestion_right": _share(counts["congestion", "queue"], congestion),
            }
        )
    return rows


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def base_words(setting: Setting) -> list[tuple[str, str]]:
    """The base setting in words, by open parameter."""
    low, high = setting.start_s
    queue = (
        "one bandwidth-delay product" if setting.queue == "bdp" else f"{setting.queue} packets, counted as ns-2 does"
    )
    place = "after transmission" if setting.loss_at == "wire" else "before the queue"
    return [
        ("profile", "ns2: engine rules of ns-2.35's one-way agents"),
        ("simtime", f"{setting.duration_s:g} s"),
        ("seeds", f"{setting.seeds}"),
        ("queue", queue),
        ("rwnd", f"{setting.window_segments} segments"),
        ("starts", f"uniform between {low:g} s and {high:g} s" if high > low else f"{low:g} s"),
        ("lossplace", place),
        ("lossdir", {"both": "both directions"}.get(setting.loss_direction, f"{setting.loss_direction} only")),
        ("tie", "l >= N is congestion (the algorithm's own default; the other test is a reading)"),
    ]


def algorithms_table(reproduction: Reproduction) -> list[dict[str, Any]]:
    """What the registry says of the algorithms that took part, readings included."""
    used = {name: variant for variant, name in reproduction.algorithms.items()}
    for run in reproduction.runs:
        if run.data is None:
            continue
        for variant, given in run.reading.changes.get("algorithms", {}).items():
            name = given if isinstance(given, str) else given["name"]
            if variant in reproduction.experiment.variants:
                used.setdefault(name, variant)
    rows = [row for row in reproduction.registry if row["name"] in used]
    return [
        {
            "name": row["name"],
            "variant": used[row["name"]],
            "summary": row["summary"],
            "source": row["source"],
            "caution": row.get("caution") or "",
            "recovery": row.get("recovery") or "",
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
