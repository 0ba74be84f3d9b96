"""What senders took losses for, beside what they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from windlass.names import loss_causes, not_lost, window_events
from windlass.reproduce.plan import Plan, Task
from windlass.verdicts import Data

if TYPE_CHECKING:
    from windlass.sweep import RunResult


CALLS = ("random", "congestion")
"""What a sender can take a loss for that it finds by duplicate ACKs."""


def calls_by_cause(plan: Plan, results: Mapping[Task, RunResult]) -> list[dict[str, Any]]:
    """How often each sender that judges losses called one random or congestion, by what it truly was.

    Each row has the ``algorithm``, ``where`` (the point), and ``calls``: ``call``, ``cause`` as in
    ``events.true_cause``, and ``count``, for every call and cause.
    """
    rows = []
    causes = (*(cause.name for cause in loss_causes()), not_lost())
    call_of = {event.name: event.judged for event in window_events() if event.judged is not None}
    axes = Data(plan.experiment.id, tuple(axis.key for axis in plan.experiment.axes), (), {}, {})
    for job, point, result in plan.rows(results, "events"):
        counts = {(call, cause): 0 for call in CALLS for cause in causes}
        for kind, cause in zip(result.events["kind"].to_pylist(), result.events["true_cause"].to_pylist(), strict=True):
            if kind in call_of:
                counts[call_of[kind], cause] += 1
        if any(counts.values()):
            known = plan.known[plan.algorithm_of(job.case.variant, job.reading)]
            if not (known["judges_losses"] or any(counts["random", cause] for cause in causes)):
                continue
            rows.append(
                {
                    "algorithm": known["name"],
                    "where": axes.label(point),
                    "calls": [
                        {"call": call, "cause": cause, "count": count} for (call, cause), count in counts.items()
                    ],
                }
            )
    return rows
