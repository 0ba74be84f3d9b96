"""All that one run shows, as small panels on one page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from windlass.errors import InputError
from windlass.plots.distributions import draw_cdf_of_delay
from windlass.plots.flows import MOST_LINES, Course, algorithms_of, along_time, looks_of, seed_of
from windlass.plots.over_time import draw_cwnd, draw_queue, draw_rtt, draw_throughput
from windlass.plots.radio import draw_airtime
from windlass.plots.style import add_legend, bare_figure, small, styled, trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from windlass.sweep import RunResult
_OF_LINKS = ("queue_packets", "airtime_share")  # their lines are no flows, and have a legend of their own


@styled
def page(
    result: RunResult,
    flows: Sequence[str] | None = None,
    *,
    bin_s: float | None = None,
    until_s: float | None = None,
    bdp_packets: float | Course | None = None,
    capacity_bps: float | Course | None = None,
    base_rtt_s: float | Course | None = None,
) -> Figure:
    """Windows, throughput, round trips, queues, delays and airtime of one run, a panel for each that was recorded.

    Parameters
    ----------
    result : RunResult
        Of a run with some of the traces ``"cwnd"``, ``"delivered"``, ``"srtt"``, ``"queue"``, ``"delay"`` and
        ``"airtime"``.
    flows : sequence of str, optional
        Names of flows; by default all, at most 12.
    bin_s, until_s, bdp_packets, capacity_bps, base_rtt_s : optional
        As in the figures of each.

    Raises
    ------
    UnknownFlow
        If there is no such flow.
    InputError
        If nothing was recorded.
    """
    # a flow looks the same in every panel, also where others have no such series
    every: dict[str, None] = {}
    for variable in ("cwnd_segments", "delivered_bytes", "srtt_s", "delay_s"):
        have = [name for name in flows or algorithms_of(result) if trace(result, name, variable)[0]]
        every |= dict.fromkeys(have[:MOST_LINES])
    look = looks_of(result, list(every))
    draws: dict[str, Callable[[Axes], int]] = {
        "cwnd_segments": lambda axes: draw_cwnd(axes, result, flows, bdp_packets, events=False, look=look),
        "delivered_bytes": lambda axes: draw_throughput(axes, result, flows, bin_s, until_s, capacity_bps, look=look),
        "srtt_s": lambda axes: draw_rtt(axes, result, flows, base_rtt_s, look=look),
        "delay_s": lambda axes: draw_cdf_of_delay(axes, result, flows, look=look),
        "queue_packets": lambda axes: draw_queue(axes, result, None),
        "airtime_share": lambda axes: draw_airtime(axes, result),
    }
    recorded = set(result.traces["variable"].unique().to_pylist())
    shown = {name: draw for name, draw in draws.items() if name in recorded}
    if not shown:
        raise InputError(
            "nothing was recorded that a page shows",
            code="plot.no-trace",
            hint='write `traces = ["cwnd", "delivered", "srtt", "delay", "queue"]` under [output]',
        )
    columns = 1 if len(shown) == 1 else 2
    rows = math.ceil(len(shown) / columns)
    figure = bare_figure(0.62 * rows + 0.1)
    cells = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes in cells[len(shown) :]:
        axes.set_axis_off()
    counts = []
    for axes, (name, draw) in zip(cells, shown.items(), strict=False):
        counts.append(draw(axes))
        if not axes.get_xlabel():
            along_time(axes)
        if name in _OF_LINKS:
            # above the panel: nothing of it is covered
            axes.legend(
                loc="lower left",
                bbox_to_anchor=(0.0, 1.0),
                borderaxespad=0.0,
                fontsize=small() * 0.9,
                ncols=3,
                handlelength=2.5,
            )
    common = [axes for axes, name in zip(cells, shown, strict=False) if name not in _OF_LINKS]
    add_legend(figure, *common, title=seed_of(result, max(counts)), below=True)
    return figure
