"""How much payload of each flow arrived in each piece of time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError, UnknownFlow

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from windlass.sweep import RunResult

MOST_BINS = 1_000_000
"""Pieces of time that one table has at most for each flow."""


def throughput(
    result: RunResult, flows: Sequence[str] | None = None, *, bin_s: float | None = None, until_s: float | None = None
) -> pa.Table:
    """Delivered payload over time: each byte once, when it arrived, in order or not.

    A packet counts evenly over the time since the arrival before it, but over no more than one bin. Packets of a flow
    cannot arrive faster one after the other than their narrowest link sends them, so in bins that are at least as long
    as that link needs for a packet no rate is above the link's. (Exceptions are paths that become shorter, and packets
    that were held back and are let go at once.) The sum over bins is what arrived.

    Parameters
    ----------
    result : RunResult
        Of a run with ``traces = ["delivered"]``.
    flows : sequence of str, optional
        Names of flows, ``NAME:reverse`` for the other sender of a two-way flow; by default all.
    bin_s : float, optional
        Length of a bin, seconds; by default about a hundredth of the time, 1, 2 or 5 times a power of ten.
    until_s : float, optional
        End of the run, seconds; by default the last arrival of all flows. The last bin is shorter if need be.

    Returns
    -------
    pyarrow.Table
        ``flow``, ``time_s`` (begin of the bin), ``bin_s`` (its length) and ``throughput_bps``, a row for each flow and
        bin.

    Raises
    ------
    UnknownFlow
        If there is no such flow.
    InputError
        If what arrived was not recorded, nothing arrived, or the bins are too many or no length.
    """
    import numpy as np
    import pyarrow as pa

    arrivals = _arrivals(result, flows)
    end = max((float(times[-1]) for times, _ in arrivals.values() if len(times)), default=0.0)
    end = max(end, until_s or 0.0)
    width = even_bin(end) if bin_s is None else bin_s
    if not (math.isfinite(width) and width > 0.0 and end / width <= MOST_BINS):
        raise InputError(
            f"bins of {width:g} s", code="plot.bin", hint=f"give a length above 0 that leaves at most {MOST_BINS} bins"
        )
    # the last bin ends with the run; a rest that only rounding leaves is none
    edges = np.append(np.arange(max(1, math.ceil(end / width - 1e-9))) * width, end)
    lengths = np.diff(edges)
    columns: dict[str, list[Any]] = {"flow": [], "time_s": [], "bin_s": [], "throughput_bps": []}
    for name, (times, total) in arrivals.items():
        columns["flow"].extend([name] * len(lengths))
        columns["time_s"].extend(edges[:-1].tolist())
        columns["bin_s"].extend(lengths.tolist())
        columns["throughput_bps"].extend((np.diff(_spread(times, total, edges, width)) * 8.0 / lengths).tolist())
    return pa.table(columns)


def even_bin(duration_s: float) -> float:
    """About a hundredth of a time, 1, 2 or 5 times a power of ten, seconds."""
    wanted = max(duration_s, 1e-6) / 100.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return next((step * power for step in (1.0, 2.0, 5.0) if step * power >= wanted * 0.999), 10.0 * power)


Arrivals = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


def _arrivals(result: RunResult, flows: Sequence[str] | None) -> dict[str, Arrivals]:
    """Times of arrivals and bytes so far of each flow, its start with none first."""
    import numpy as np
    import pyarrow.compute as pc

    known = [
        name if way == "forward" else f"{name}:{way}"
        for name, way in zip(result.flows["flow"].to_pylist(), result.flows["direction"].to_pylist(), strict=True)
    ]
    for name in flows or ():
        if name not in known:
            shown = ", ".join(f"`{one}`" for one in known[:8]) + (" and more" if len(known) > 8 else "")
            raise UnknownFlow(f"no flow `{name}`", hint=f"the flows are {shown}")
    rows = result.traces.filter(pc.equal(result.traces["variable"], "delivered_bytes"))
    if not rows.num_rows:
        raise InputError(
            "no arrival was recorded, or nothing arrived",
            code="plot.no-trace",
            hint='write `traces = ["delivered"]` under [output], and make the run long enough for data to arrive',
        )
    found: dict[str, Arrivals] = {}
    for name in flows if flows is not None else known:
        own = rows.filter(pc.equal(rows["subject"], name))
        if flows is not None or own.num_rows:
            found[name] = (np.asarray(own["time_s"], float), np.asarray(own["value"], float))
    return found


def _spread(
    times: NDArray[np.float64], total: NDArray[np.float64], edges: NDArray[np.float64], width: float
) -> NDArray[np.float64]:
    """Bytes that arrived by each edge."""
    import numpy as np

    if not len(times):
        return np.zeros(len(edges))
    # of several arrivals at one moment, only the last is a place of the curve
    last = np.append(np.diff(times) > 0.0, True)
    times, total = times[last], total[last]
    before = np.concatenate(([0.0], times[:-1]))
    begins = np.maximum(before, times - width)
    places = np.column_stack((begins, times)).ravel()
    values = np.column_stack((np.concatenate(([0.0], total[:-1])), total)).ravel()
    return np.interp(edges, places, values)
