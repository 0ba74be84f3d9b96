"""What senders took losses for, beside what they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from windlass.reproduce.plan import Plan
from windlass.verdicts import Data

if TYPE_CHECKING:
    from windlass.sweep import RunResult


def calls_by_cause(plan: Plan, results: Sequence[RunResult]) -> list[dict[str, Any]]:
    """How often each sender called a loss random or congestion, by what it truly was."""
    rows = []
    axes = Data(plan.experiment.id, tuple(axis.key for axis in plan.experiment.axes), (), {}, {})
    for job, point, result in plan.rows(results, "events"):
        counts = {(call, cause): 0 for call in _CALLS for cause in _CAUSES}
        for kind, cause in zip(result.events["kind"].to_pylist(), result.events["true_cause"].to_pylist(), strict=True):
            call = _CALL_OF.get(kind)
            if call is not None:
                counts[call, _CAUSE_OF.get(cause, "nothing")] += 1
        if any(counts.values()):
            given = job.case.scenario["flows"][0]["algorithm"]
            name = given if isinstance(given, str) else given["name"]
            rows.append(
                {
                    "algorithm": plan.known[name]["name"],
                    "where": axes.label(point),
                    "calls": [
                        {"call": call, "cause": cause, "count": count} for (call, cause), count in counts.items()
                    ],
                }
            )
    return [
        row
        for row in rows
        if any(call["call"] == "random" and call["count"] for call in row["calls"])
        or row["algorithm"].startswith("cerl")
    ]


_CALLS = ("random", "congestion")
_CALL_OF = {"judged-random": "random", "dup-acks": "congestion"}
_CAUSES = ("channel", "queue", "nothing")
_CAUSE_OF = {"random": "channel", "list": "channel", "queue": "queue"}
