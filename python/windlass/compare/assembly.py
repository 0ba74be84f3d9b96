"""From the runs to the comparison: rows, judgement, sentences, cautions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.cautions import cautions_of, of_seeds
from windlass.compare.doubts import about_starved, doubts_of, starved_neighbour
from windlass.compare.judging import Contest, Judged, judge
from windlass.compare.measures import Sample, judges, outcome_of, senders_of
from windlass.compare.model import Comparison, Outcome, Verdict
from windlass.compare.running import CALM, Cell, Setting, short_keys
from windlass.compare.sentences import answer
from windlass.neighbour import NEIGHBOUR

if TYPE_CHECKING:
    from windlass.sweep import RunResult

__all__ = ["assembled", "judgement_of"]


class _Table:
    """The samples by setting, queue, algorithm, and whether the neighbour is there."""

    def __init__(self, cells: Sequence[Cell], runs: Sequence[Sequence[RunResult]]) -> None:
        self._samples = {
            (cell.setting, cell.queue, cell.algorithm, cell.near): Sample(own)
            for cell, own in zip(cells, runs, strict=True)
        }
        self.points = {(cell.setting, cell.queue, cell.algorithm): cell.point for cell in cells if not cell.near}

    def alone(self, setting: int, queue: str, algorithm: str) -> Sample:
        return self._samples[setting, queue, algorithm, False]

    def near(self, setting: int, queue: str, algorithm: str) -> Sample | None:
        return self._samples.get((setting, queue, algorithm, True))


def assembled(
    settings: Sequence[Setting],
    named: Mapping[str, Any],
    queues: Sequence[str],
    baseline: tuple[str, str],
    cells: Sequence[Cell],
    runs: Sequence[Sequence[RunResult]],
    cautions: Sequence[str],
) -> Comparison:
    """Everything that the runs say."""
    table = _Table(cells, runs)
    candidates = [(label, queue) for queue in queues for label in named]
    judged_losses = {label: _judges(table, label, value, settings, queues) for label, value in named.items()}
    rows = [
        [_row(table, settings[at], at, label, queue, baseline, judged_losses[label]) for label, queue in candidates]
        for at in range(len(settings))
    ]
    several = len({one.path for one in settings}) > 1
    places = [setting.where(several) for setting in settings]
    names = short_keys(axis for setting in settings for axis in setting.axes)
    shorter = [setting.where(several, names) for setting in settings]
    contest = _contest(table, settings, candidates, baseline)
    judgement = judge(contest)
    outcomes = [row for own in rows for row in own]
    where = [place for place, own in zip(places, rows, strict=True) for _ in own]
    by_point = [own for cell, own in zip(cells, runs, strict=True) if not cell.near]
    alone = [run for own in by_point for run in own]
    return Comparison(
        name=", ".join(dict.fromkeys(setting.path for setting in settings)),
        group=settings[0].group,
        outcomes=outcomes,
        cautions=[
            *cautions_of(alone),
            *of_seeds(by_point),
            *doubts_of(outcomes, contest, where),
            *about_starved(_starved(table, settings, queues, baseline[0], places)),
            *cautions,
        ],
        baseline=contest.baseline,
        objective="completion" if contest.smaller_is_better else "goodput",
        gains=_verdicts(judgement, settings),
        answer=answer(judgement, rows, shorter, min(len(setting.seeds) for setting in settings)),
        take=judgement.take,
        descriptions=[
            (setting.path, table.points[at, queues[0], next(iter(named))].effective_json())
            for at, setting in enumerate(settings)
        ],
    )


def judgement_of(
    settings: Sequence[Setting],
    candidates: Sequence[tuple[str, str]],
    baseline: tuple[str, str],
    cells: Sequence[Cell],
    runs: Sequence[Sequence[RunResult]],
) -> Judged:
    """Which candidate the runs are for, without the rest."""
    return judge(_contest(_Table(cells, runs), settings, candidates, baseline))


def _judges(table: _Table, label: str, value: Any, settings: Sequence[Setting], queues: Sequence[str]) -> bool:
    return any(
        judges(value, [table.alone(at, queue, label) for queue in queues], setting.group)
        for at, setting in enumerate(settings)
    )


def _row(
    table: _Table, setting: Setting, at: int, label: str, queue: str, baseline: tuple[str, str], judged: bool
) -> Outcome:
    return outcome_of(
        label,
        queue,
        setting,
        table.alone(at, queue, label),
        table.alone(at, baseline[1], baseline[0]),
        table.near(at, queue, label),
        table.near(at, queue, CALM),
        judged,
        senders_of(table.points[at, queue, label], setting.group),
    )


def candidate_of(label: str, queue: str) -> str:
    """What a candidate is called, as :attr:`Outcome.candidate`."""
    return f"{label} with {queue}" if queue else label


def _contest(
    table: _Table, settings: Sequence[Setting], candidates: Sequence[tuple[str, str]], baseline: tuple[str, str]
) -> Contest:
    sized = all(
        table.alone(at, queue, label).all_sized(setting.group)
        for at, setting in enumerate(settings)
        for label, queue in candidates
    )
    column = "completion_s" if sized else "goodput_bps"
    values, neighbours, delays = {}, {}, {}
    for at, setting in enumerate(settings):
        for label, queue in candidates:
            key = candidate_of(label, queue), at
            values[key] = table.alone(at, queue, label).per_run(setting.group, column)
            delays[key] = table.alone(at, queue, label).per_run(setting.group, "queue_delay_p95_s")
            near, calm = table.near(at, queue, label), table.near(at, queue, CALM)
            if near is not None and calm is not None:
                neighbours[key] = (near.per_run(NEIGHBOUR, "goodput_bps"), calm.per_run(NEIGHBOUR, "goodput_bps"))
    names = [candidate_of(label, queue) for label, queue in candidates]
    return Contest(values, sized, neighbours, delays, names, len(settings), candidate_of(*baseline))


def _verdicts(judged: Judged, settings: Sequence[Setting]) -> list[Verdict]:
    base = judged.contest.baseline
    return [
        Verdict(one, base, setting.path, dict(setting.axes), judged.gains[one, base, at], judged.p[one, base, at])
        for at, setting in enumerate(settings)
        for one in judged.contest.candidates
        if one != base
    ]


def _starved(
    table: _Table, settings: Sequence[Setting], queues: Sequence[str], label: str, places: Sequence[str]
) -> list[str]:
    """Settings at which the neighbour gets next to nothing whoever is beside it."""
    found = []
    for at, setting in enumerate(settings):
        for queue in queues:
            calm = table.near(at, queue, CALM)
            if calm is not None and starved_neighbour(table.alone(at, queue, label), calm, setting.group):
                found.append(", ".join(filter(None, (places[at], f"queue = {queue}" if queue else ""))))
    return found
