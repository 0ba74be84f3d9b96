"""Figures for papers: matplotlib, vector output, intervals always drawn, no title inside, the legend beside the data.

Every function returns a :class:`matplotlib.figure.Figure` that belongs to no window; :func:`save` writes it as PDF, SVG
and PNG, byte for byte the same each time. :func:`layout` sets the width of a column, letters and words. What
:func:`windlass.plot` takes and draws by itself is in :mod:`windlass.plots.choice`.
"""

from windlass.plots.distributions import cdf_of_delay, cdf_of_flows
from windlass.plots.heatmap import heatmap
from windlass.plots.over_time import (
    cwnd_over_time,
    queue_over_time,
    rate_over_time,
    rtt_over_time,
    throughput_over_time,
)
from windlass.plots.page import page
from windlass.plots.radio import airtime_over_time, map_of_positions
from windlass.plots.style import COLUMNS_MM, FORMATS, layout, save
from windlass.plots.sweeps import goodput_against_delay, goodput_against_loss, metric_against_axis
from windlass.plots.words import quantity

__all__ = [
    "COLUMNS_MM",
    "FORMATS",
    "airtime_over_time",
    "cdf_of_delay",
    "cdf_of_flows",
    "cwnd_over_time",
    "goodput_against_delay",
    "goodput_against_loss",
    "heatmap",
    "layout",
    "map_of_positions",
    "metric_against_axis",
    "page",
    "quantity",
    "queue_over_time",
    "rate_over_time",
    "rtt_over_time",
    "save",
    "throughput_over_time",
]
