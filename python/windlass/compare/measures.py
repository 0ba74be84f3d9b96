"""Numbers of the runs of one candidate at one setting."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from windlass.compare.model import LIMITS, Outcome, Senders
from windlass.compare.running import Setting
from windlass.interval import Interval
from windlass.neighbour import NEIGHBOUR

if TYPE_CHECKING:
    from windlass.scenario import Point
    from windlass.sweep import RunResult

__all__ = ["Sample", "judges", "outcome_of", "senders_of"]

_SUBFLOWS = ".subflows"


class Sample:
    """The runs of one candidate at one setting, a row for each flow, by group."""

    def __init__(self, runs: Sequence[RunResult]) -> None:
        self.runs = list(runs)
        self._groups: list[dict[str, list[dict[str, Any]]]] = []
        for run in runs:
            groups: dict[str, list[dict[str, Any]]] = {}
            for row in run.flows.to_pylist():
                groups.setdefault(row["group"], []).append(row)
            self._groups.append(groups)

    @property
    def groups(self) -> list[str]:
        """Groups of flows, those of subflows left out."""
        return [name for name in dict.fromkeys(n for one in self._groups for n in one) if not name.endswith(_SUBFLOWS)]

    def rows(self, group: str) -> list[list[dict[str, Any]]]:
        """The group's flows, run by run."""
        return [one.get(group, []) for one in self._groups]

    def senders(self, group: str) -> list[list[dict[str, Any]]]:
        """The same, but of connections over several paths their subflows, which have the windows."""
        return [one.get(group + _SUBFLOWS) or one.get(group, []) for one in self._groups]

    def per_run(self, group: str, column: str, total: bool = False) -> list[float]:
        """Mean (or sum) of a column over the group's flows, run by run; NaN where no flow has it."""
        values = []
        for rows in self.rows(group):
            known = [row[column] for row in rows if row[column] is not None]
            whole = float(sum(known))
            values.append(whole if total else whole / len(known) if known else math.nan)
        return values

    def fixed(self, group: str) -> bool:
        """All runs gave the same for the group's flows: nothing of it is known to be random."""
        first, *others = self.rows(group)
        return bool(others) and all(rows == first for rows in others)

    def counted(self, group: str, column: str) -> tuple[list[int], list[int]]:
        """Sum of a column of counts over the group's flows, and how many flows have it, run by run."""
        known = [[row[column] for row in rows if row[column] is not None] for rows in self.rows(group)]
        return [sum(one) for one in known], [len(one) for one in known]

    def unfinished(self, group: str) -> tuple[list[int], list[int]]:
        """How many of the group's transfers of given size did not end, and how many there are, run by run."""
        ended = [
            [row["completion_s"] is not None for row in rows if row["size_bytes"] is not None]
            for rows in self.rows(group)
        ]
        return [one.count(False) for one in ended], [len(one) for one in ended]

    def all_sized(self, group: str) -> bool:
        """All of the group's flows are transfers of given size."""
        return all(row["size_bytes"] is not None for rows in self.rows(group) for row in rows)

    def limited(self, group: str, limit: str) -> list[float]:
        """Share of the group's time in which this kept it from sending; NaN where no flow has a window."""
        values = []
        for rows in self.senders(group):
            times = {name: sum(row.get(f"{name}_limited_s") or 0.0 for row in rows) for name in LIMITS}
            whole = sum(times.values())
            values.append(times[limit] / whole if whole > 0.0 else math.nan)
        return values

    def never_left_slow_start(self, group: str) -> list[float]:
        """Share of the group's flows without end that were in their first slow start to the end."""
        values = []
        for rows in self.senders(group):
            known = [row.get("never_left_slow_start") for row in rows if row["size_bytes"] is None]
            found = [one for one in known if one is not None]
            values.append(sum(found) / len(found) if found else math.nan)
        return values


def senders_of(point: Point, group: str) -> Senders | None:
    """The rules of a group's senders; none if they follow none."""
    whole = point.effective()
    rules = next((flow.get("tcp") for flow in whole["flows"] if flow["name"] == group), None)
    if not rules:
        return None
    return Senders(
        profile=whole["scenario"]["profile"],
        recovery=str(rules["recovery"]),
        prr=bool(rules.get("prr")),
        ns2=bool(rules.get("ns2_recovery")),
        delayed_ack=int(rules["delayed_ack"]),
        dup_threshold=int(rules["dup_threshold"]),
    )


def judges(algorithm: str | Mapping[str, Any], samples: Sequence[Sample], group: str) -> bool:
    """Whether an algorithm judges losses: its row says so, or it did it in these runs, as a class in Python may."""
    from windlass import _core

    name = algorithm if isinstance(algorithm, str) else algorithm["name"]
    rows = [*json.loads(_core.algorithms()), *json.loads(_core.registered())]
    if any(row["judges_losses"] for row in rows if name == row["name"] or name in row["aliases"]):
        return True
    return any(total > 0.0 for one in samples for total in one.per_run(group, "judged_random", total=True))


def _rate(sample: Sample, group: str, wrong: str, right: str) -> Interval:
    """Share of the judgements of one kind of loss that were wrong."""
    from windlass.stats import share_over_seeds

    bad = sample.per_run(group, wrong, total=True)
    good = sample.per_run(group, right, total=True)
    return share_over_seeds(bad, [a + b for a, b in zip(bad, good, strict=True)])


def outcome_of(
    algorithm: str,
    queue: str,
    setting: Setting,
    sample: Sample,
    base: Sample,
    near: Sample | None,
    calm: Sample | None,
    judged: bool,
    senders: Senders | None,
) -> Outcome:
    """The row of a candidate; `base` is the baseline's sample, `near` and `calm` are those with the neighbour."""
    from windlass.stats import count_over_seeds, over_seeds, paired_ratio, share_over_seeds

    group = setting.group
    goodput = sample.per_run(group, "goodput_bps")
    beside = cost = None
    if near is not None and calm is not None:
        got, undisturbed = (side.per_run(NEIGHBOUR, "goodput_bps") for side in (near, calm))
        beside = over_seeds(got)
        cost = paired_ratio(got, undisturbed).complement()
    events = {
        "unfinished": share_over_seeds(*sample.unfinished(group)),
        "miss_rate": _rate(sample, group, "congestion_judged_random", "congestion_judged_congestion"),
        "false_alarm_rate": _rate(sample, group, "random_judged_congestion", "random_judged_random"),
        "timeouts": count_over_seeds(*sample.counted(group, "timeouts")),
    }
    if sample.fixed(group):
        events = {name: replace(one, lo=one.mean, hi=one.mean) for name, one in events.items()}
    delays = {one: over_seeds(sample.per_run(one, "queue_delay_p95_s")) for one in sample.groups}
    return Outcome(
        algorithm=algorithm,
        queue=queue,
        path=setting.path,
        group=group,
        axes=dict(setting.axes),
        goodput_bps=over_seeds(goodput),
        total_bps=over_seeds(sample.per_run(group, "goodput_run_bps", total=True)),
        against_baseline=paired_ratio(goodput, base.per_run(group, "goodput_bps")),
        completion_s=over_seeds(sample.per_run(group, "completion_s")),
        queue_delay_p95_s=over_seeds(sample.per_run(group, "queue_delay_p95_s")),
        delays={one: delay for one, delay in delays.items() if not math.isnan(delay.mean)},
        judges_losses=judged,
        neighbour_bps=beside,
        neighbour_cost=cost,
        senders=senders,
        limits={name: over_seeds(sample.limited(group, name)) for name in LIMITS},
        never_left_slow_start=over_seeds(sample.never_left_slow_start(group)),
        **events,
    )
