"""The report of a reproduction: one HTML page that needs no network, and the figures beside it.

:func:`draw` writes the figures, :func:`page` the text of the page; what the page says is prepared here as plain values
and laid out by ``templates/report.html.j2``.
"""

from windlass.report.figures import Figure, draw
from windlass.report.index import last_verdicts, write_index
from windlass.report.pages import page, paper_page, summary_of
from windlass.report.tables import summary_of_paper, write_tables
from windlass.report.words import headline

__all__ = [
    "Figure",
    "draw",
    "headline",
    "last_verdicts",
    "page",
    "paper_page",
    "summary_of",
    "summary_of_paper",
    "write_index",
    "write_tables",
]
