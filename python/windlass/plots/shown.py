"""A figure that a notebook shows by itself; imported when the first one is drawn, since matplotlib takes a while."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

__all__ = ["ShownFigure"]


class ShownFigure(Figure):
    """A figure of matplotlib that belongs to no window, and has a picture for notebooks."""

    def _repr_png_(self) -> bytes:
        """The picture, as notebooks ask for it."""
        from windlass.plots.style import PICTURE_DPI

        out = io.BytesIO()
        self.savefig(out, format="png", dpi=PICTURE_DPI)
        return out.getvalue()
