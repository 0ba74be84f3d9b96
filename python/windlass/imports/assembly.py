"""Evidence becomes a path: the losses get their model, a changing rate its trace."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from windlass import inputs
from windlass.errors import InputError
from windlass.imports import kinds, loss, rates
from windlass.imports.evidence import Evidence
from windlass.imports.model import AT_MOST, INTERVAL, Estimate, ImportedPath, LossFit

RATES = ("auto", "constant", "trace")
"""What becomes of a rate over time."""


def import_path(
    file: str | Path,
    *,
    format: str | None = None,
    flow: str | None = None,
    rate: str = "auto",
    name: str | None = None,
) -> ImportedPath:
    """Read measurements of a real path: rate, delay, jitter, queue, and a model of its losses.

    Parameters
    ----------
    file : str or Path
        A capture (pcap, pcapng), the output of ``iperf3 -J``, a data file of Flent, a CSV of rate over time, a log of
        ``ss -ti`` or of ``ping``, or a mahimahi trace. It may be packed with gzip.
    format : str, optional
        ``capture``, ``iperf3``, ``flent``, ``csv``, ``ss``, ``ping`` or ``mahimahi``; by default what the content says.
    flow : str, optional
        The connection, host, test or direction of a file that has several: a number from 1, by size, or a part of its
        name, such as a port.
    rate : str, optional
        ``constant``: the mean; ``trace``: as it changed; ``auto``: a trace where the rate is that of the link and
        changes by more than 5 %.
    name : str, optional
        Name of the scenario; by default that of the file.

    Returns
    -------
    ImportedPath
        The numbers, each with its 95 % interval, and the path as a scenario.

    Raises
    ------
    InputError
        If the file cannot be read or says nothing of a path.
    """
    if rate not in RATES:
        raise InputError(f"no rate `{rate}`", code="import.format", hint=f"it is one of {', '.join(RATES)}")
    data = inputs.read_bytes(file, most=kinds.MOST_BYTES, wanted="file of measurements")
    evidence = kinds.read(data, str(file), format, flow)
    path = ImportedPath(str(file), evidence.format, name or _name(Path(file)))
    path.facts = evidence.facts
    path.rate, path.base_rtt, path.queue, path.jitter = (
        _rate(evidence),
        evidence.base_rtt,
        evidence.queue,
        evidence.jitter,
    )
    path.queue_least = evidence.queue_least
    path.notes = list(evidence.notes)
    path.loss = _loss(evidence, path.notes)
    path.loss_most = evidence.loss_most if path.loss is None else None
    if evidence.reverse is not None:
        path.reverse_loss = loss.fit(evidence.reverse.lost, evidence.reverse.time_s, evidence.reverse.how)
    _trace(evidence, path, rate)
    if path.base_rtt is not None and path.base_rtt.value <= 0.0:
        path.base_rtt = None
        path.notes.append("No round trip takes no time at all, so the delay is not known.")
    _hold(path, evidence)
    _check(path)
    return path


ROUNDING = 1e-9


def _hold(path: ImportedPath, evidence: Evidence) -> None:
    """Hold what every reader must: no rate and no end of its interval is less than what arrived."""
    if path.rate is None:
        return
    least = (evidence.arrived_bps or 0.0) * (1.0 - ROUNDING)
    ends = path.rate.interval
    assert ends.mean >= least and ends.lo >= least and ends.hi >= least, (path.rate, evidence.arrived_bps)


def _check(path: ImportedPath) -> None:
    """Refuse numbers that no path can have, such as those of a file whose times are wrong."""
    try:
        path.scenario().points()[0].effective()
    except InputError as error:
        raise InputError(
            f"what it shows is no path that could be run: {error.message}",
            code="import.nothing",
            file=path.file,
            hint="look at its times and sizes; a damaged file shows such things",
        ) from None


def _name(file: Path) -> str:
    """A name for a scenario, of the letters that names may have."""
    stem = file.name.removesuffix(".gz").rpartition(".")[0] or file.name
    return re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-")[:60] or "imported"


def _rate(evidence: Evidence) -> Estimate | None:
    """The rate, no end of which is below what arrived."""
    rate, arrived = evidence.rate, evidence.arrived_bps
    if rate is None or arrived is None or arrived <= min(rate.value, rate.interval.lo):
        return rate
    if arrived <= min(rate.value, rate.interval.hi):
        return replace(rate, interval=replace(rate.interval, lo=arrived))
    return rates.at_least(rate.value, arrived, rate.interval.n, f"{rate.how}; no less than what arrived on average")


def _loss(evidence: Evidence, notes: list[str]) -> LossFit | None:
    if evidence.outcomes is not None and len(evidence.outcomes.lost):
        found = loss.fit(evidence.outcomes.lost, evidence.outcomes.time_s, evidence.outcomes.how)
    elif evidence.counted is not None:
        found = loss.by_count(*evidence.counted)
        if found.lost:
            notes.append("The interval of the loss holds for independent losses; if they come in bursts it is wider.")
    else:
        return None
    if evidence.loss_low is not None:
        ends = replace(found.rate.interval, lo=min(evidence.loss_low, found.rate.interval.lo))
        found = replace(found, rate=replace(found.rate, interval=ends, kind=AT_MOST if ends.lo <= 0.0 else INTERVAL))
    if found.model == loss.NONE:
        notes.append(
            f"None of {found.packets} packets was lost: the loss is below {found.rate.interval.hi:.2g} (95 %)."
        )
    elif evidence.outcomes is not None and found.lost < loss.FEWEST:
        notes.append(f"Fewer than {loss.FEWEST} losses ({found.lost}) do not show whether they come in bursts.")
    return found


def _trace(evidence: Evidence, path: ImportedPath, rate: str) -> None:
    over = evidence.rates
    if rate == "constant":
        return
    if evidence.trace is not None:
        path.trace = evidence.trace
        return
    if over is None:
        if rate == "trace":
            raise InputError(
                "shows no rate over time", code="import.trace", file=path.file, hint="import it without --rate trace"
            )
        return
    varies = over.changes()
    if rate == "trace" or over.of_link and varies:
        path.trace = rates.trace(over.start_s, over.end_s, over.rate_bps, path.file)
        path.facts.append(f"the rate changes: a trace of {len(path.trace)} packets in {path.trace[-1] / 1e3:.1f} s")
        if not over.of_link:
            path.notes.append(
                "The trace is what one sender got over time, which may be less than the link could carry."
            )
    elif varies:
        path.notes.append(
            "The rate changed over time, but it is that of a sender and not of the link: the "
            "scenario has a constant one. "
            "`--rate trace` makes a trace of it all the same."
        )
