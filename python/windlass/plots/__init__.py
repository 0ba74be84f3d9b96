"""Figures for papers: matplotlib, vector output, intervals always drawn, no title inside, the legend beside the data.

Every function returns a :class:`matplotlib.figure.Figure` that belongs to no window; :func:`save` writes it as PDF, SVG
and PNG, byte for byte the same each time.
"""

from windlass.plots.over_time import cwnd_over_time, rate_over_time
from windlass.plots.radio import airtime_over_time, map_of_positions
from windlass.plots.style import FORMATS, save
from windlass.plots.sweeps import goodput_against_delay, goodput_against_loss, metric_against_axis, quantity

__all__ = [
    "FORMATS",
    "airtime_over_time",
    "cwnd_over_time",
    "goodput_against_delay",
    "goodput_against_loss",
    "map_of_positions",
    "metric_against_axis",
    "quantity",
    "rate_over_time",
    "save",
]
