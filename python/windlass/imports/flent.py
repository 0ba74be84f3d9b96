"""Data files of Flent, `.flent` and `.flent.gz`."""

from __future__ import annotations

import math
from typing import Any

from windlass.amounts import counted
from windlass.errors import InputError
from windlass.imports import delay, rates
from windlass.imports.evidence import Evidence, Outcomes, RateOverTime
from windlass.imports.queueing import FEWEST_BINS
from windlass.imports.shapes import Reader

FORMAT = "flent"

WHAT = "a data file of Flent"

COMPUTED = (" sum", " avg", " totals", "::", " fairness")
"""Parts of names of series that were computed from others, or are details of a flow."""


MOSTLY, LONGER, NOISE = 0.8, 1.1, 0.25
"""For a queue that stood: this share of the pings under load take longer than all others, and so many times as long as
the least, and the rate varies by no more than this share of its mean."""


def looks_like(document: Any) -> bool:
    """Whether a JSON document is a data file of Flent."""
    return isinstance(document, dict) and "x_values" in document and "results" in document


def evidence(document: Any, file: str) -> Evidence:
    """Rates of the flows of the direction that got more, and the delay of pings beside them.

    Raises
    ------
    InputError
        If the document lacks what it needs.
    """
    read = Reader(file, WHAT)
    top = read.table(document, "document")
    about = read.table(top.get("metadata", {}), "metadata")
    x = [read.number(one, "x_values") for one in read.rows(top.get("x_values"), "x_values")]
    series = _series(read, top, about, len(x))
    found = Evidence(FORMAT)
    title = f", {about['TITLE']}" if isinstance(about.get("TITLE"), str) and about["TITLE"] else ""
    found.facts.append(
        f"Flent, test {str(about.get('NAME', '?'))[:60]}{title[:100]}, {counted(len(x), 'point')} in time"
    )
    pings = [name for name, unit in _units(series, about).items() if unit == "ms" and "ping" in name.lower()]
    flows = [name for name, unit in _units(series, about).items() if unit == "Mbits/s"]
    if not flows and not pings:
        names = ", ".join(f"`{one}`" for one in list(series)[:5])
        raise InputError(
            f"has no series of a flow's rate or of pings, but {names or 'none at all'}",
            code="import.nothing",
            file=file,
            hint="import a test such as tcp_download, tcp_upload or rrul",
        )
    if flows:
        _rates(found, x, {name: series[name] for name in flows}, {name: series[name] for name in pings})
    if pings:
        _pings(found, read, top, series, pings)
    return found


def _series(read: Reader, top: dict[str, Any], about: dict[str, Any], count: int) -> dict[str, list[float | None]]:
    """Series by name; a missing value is ``None``."""
    found: dict[str, list[float | None]] = {}
    for name, values in read.table(top.get("results"), "results").items():
        place = f"results.{name}"
        rows = read.rows(values, place)
        if len(rows) != count:
            raise read.wrong(place, f"a list of {count} values, as `x_values` is")
        if not any(part in name for part in COMPUTED):
            found[name] = [None if one is None else read.number(one, place) for one in rows]
    return found


def _units(series: dict[str, Any], about: dict[str, Any]) -> dict[str, str]:
    """Unit of each series: what the file says, or what its name implies."""
    meta = about.get("SERIES_META")
    units = {}
    for name in series:
        own = meta.get(name) if isinstance(meta, dict) else None
        said = own.get("UNITS") if isinstance(own, dict) else None
        implied = "ms" if "ping" in name.lower() else "Mbits/s" if name.startswith(("TCP", "UDP", "QUIC")) else ""
        units[name] = str(said) if said else implied
    return units


def _rates(
    found: Evidence,
    x: list[float],
    flows: dict[str, list[float | None]],
    pings: dict[str, list[float | None]],
) -> None:
    import numpy as np

    ways: dict[str, list[float]] = {}
    for name, values in flows.items():
        way = next((one for one in ("download", "upload") if one in name.lower()), "data")
        total = ways.setdefault(way, [math.nan] * len(x))
        for place, value in enumerate(values):
            if value is not None:
                total[place] = (0.0 if math.isnan(total[place]) else total[place]) + 1e6 * value
    way, best = max(ways.items(), key=lambda one: np.nansum(one[1]))
    known = [place for place, value in enumerate(best) if not math.isnan(value)]
    if not known:
        return
    start, end, rate = rates.even([x[place] for place in known], [best[place] for place in known])
    begin, stop, got = np.array(start), np.array(end), np.array(rate)
    how = f"{way}s together, mean of {len(got)} points: what the test got; the link may carry more"
    found.rate = rates.mean(got, np.maximum(stop - begin, 1e-9), "bit/s", how)
    found.rates = RateOverTime(begin, stop, got, of_link=False)
    found.arrived_bps = found.rate.value
    if not any(_standing(values, known) for values in pings.values()) or float(got.std()) > NOISE * float(got.mean()):
        found.rate = rates.at_least(found.rate.value, found.arrived_bps, len(got), how)
    found.notes.append("Rates are those of the flows' data: the link's rate is this, with headers, or more.")
    if len(ways) > 1:
        others = ", ".join(f"{one} {np.nanmean(values) / 1e6:.2f} Mbps" for one, values in ways.items() if one != way)
        found.notes.append(f"The other direction carried data as well ({others}): the scenario has one direction only.")


def _standing(pings: list[float | None], loaded: list[int]) -> bool:
    """Whether pings waited all the time that flows sent, more than they ever did without: a queue that stood."""
    import numpy as np

    own = set(loaded)
    under = [value for place, value in enumerate(pings) if value is not None and place in own]
    idle = [value for place, value in enumerate(pings) if value is not None and place not in own]
    if len(under) < FEWEST_BINS or len(idle) < FEWEST_BINS:
        return False
    return float(np.quantile(under, 1.0 - MOSTLY)) > max(max(idle), LONGER * min(idle))


def _pings(
    found: Evidence, read: Reader, top: dict[str, Any], series: dict[str, list[float | None]], names: list[str]
) -> None:
    import numpy as np

    raw = read.table(top.get("raw_values") or {}, "raw_values")
    name = max(names, key=lambda one: len(raw.get(one) or []) or sum(value is not None for value in series[one]))
    rows = [read.table(one, f"raw_values.{name}") for one in read.rows(raw.get(name) or [], f"raw_values.{name}")]
    values = [one["val"] for one in rows if one.get("val") is not None] or [
        one for one in series[name] if one is not None
    ]
    rtt_s = np.array([read.number(one, name) for one in values]) / 1e3
    if not len(rtt_s):
        return
    found.base_rtt = delay.least(rtt_s, f"least of {len(rtt_s)} pings, `{name}`", 1e-6)
    most = float(np.quantile(rtt_s, 0.95)) - found.base_rtt.value
    if found.rate is not None:
        found.notes.append(
            f"Under load pings took up to {1e3 * most:.1f} ms more (95 % of them less): with this rate the queue holds "
            f"{most * found.rate.value / 8e3:.0f} kB or more. Its limit is not known, nor which part is jitter."
        )
    else:
        found.jitter = delay.jitter(rtt_s, f"{len(rtt_s)} pings")
    _lost_pings(found, rows)
    found.notes.append("The delay is taken to be the same both ways.")


def _lost_pings(found: Evidence, rows: list[dict[str, Any]]) -> None:
    """Losses of pings whose numbers are known; those under load are of the queue, too."""
    import numpy as np

    numbers = [one.get("seq") for one in rows]
    known = sorted(
        {int(one) for one in numbers if isinstance(one, (int, float)) and math.isfinite(one) and 0 <= one < 2**31}
    )
    if len(known) < 20 or known[-1] - known[0] > 10 * len(known):
        found.notes.append("The file does not number its pings, so it says nothing of losses.")
        return
    lost = np.ones(known[-1] - known[0] + 1, dtype=bool)
    lost[np.array(known) - known[0]] = False
    found.outcomes = Outcomes(lost, None, "pings that were not answered, under load")
    found.loss_low = 0.0
    found.notes.append("Losses are those of small pings beside the flows: drops of a full queue are among them.")
