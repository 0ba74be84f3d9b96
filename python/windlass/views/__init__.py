"""Results as tables of words: what the screen, LaTeX and notebooks show of a run, a sweep, a comparison, a verdict.

A :class:`View` has a title, cautions, tables and lines. The command prints it; :func:`html` makes of it what a notebook
shows.
"""

from windlass.views.grid import Column, Grid, View
from windlass.views.html import html

__all__ = ["Column", "Grid", "View", "html"]
