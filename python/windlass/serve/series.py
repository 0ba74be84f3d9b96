"""Series of a run at even times, as a page draws them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["Traces", "short"]


def short(value: float) -> float:
    """Four digits: more are not seen on a page."""
    return float(f"{value:.4g}")


class Traces:
    """The table ``traces`` of a run, taken apart once into its series.

    Parameters
    ----------
    table : pyarrow.Table
        ``time_s``, ``subject``, ``variable``, ``value``.
    """

    def __init__(self, table: pa.Table) -> None:
        import numpy as np

        subjects = table["subject"].combine_chunks().dictionary_encode()
        variables = table["variable"].combine_chunks().dictionary_encode()
        count = len(variables.dictionary)
        codes = subjects.indices.to_numpy().astype(np.int64) * count + variables.indices.to_numpy()
        order = np.argsort(codes, kind="stable")
        times, values = table["time_s"].to_numpy()[order], table["value"].to_numpy()[order]
        ends = np.flatnonzero(np.diff(codes[order], append=-1)) + 1
        self._parts: dict[tuple[str, str], tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        begin = 0
        for end in ends.tolist():
            code = int(codes[order[begin]])
            key = subjects.dictionary[code // count].as_py(), variables.dictionary[code % count].as_py()
            self._parts[key] = times[begin:end], values[begin:end]
            begin = end

    def subjects(self, variable: str) -> Iterator[str]:
        """Who has such a series."""
        return (subject for subject, one in self._parts if one == variable)

    def held(self, subject: str, variable: str, times: Sequence[float]) -> list[float | None] | None:
        """A series at these times, each value held until the next one and none before the first; none: no series."""
        import numpy as np

        if (subject, variable) not in self._parts:
            return None
        at, values = self._parts[subject, variable]
        index = np.searchsorted(at, np.asarray(times) + 1e-9, side="right") - 1
        return [short(values[one]) if one >= 0 else None for one in index]

    def mean(self, subject: str, variable: str, until: float) -> float:
        """Mean over time from 0, each value held until the next one."""
        import numpy as np

        at, values = self._parts[subject, variable]
        return float(np.dot(np.diff(np.append(at, until)), values)) / until

    def rates(self, subjects: Sequence[str], edges: Sequence[float]) -> list[float]:
        """Payload that arrived between the edges, of all subjects together, Mbit/s."""
        import numpy as np

        total = np.zeros(len(edges))
        for subject in subjects:
            if (subject, "delivered_bytes") in self._parts:
                at, values = self._parts[subject, "delivered_bytes"]
                total += np.interp(edges, np.append(0.0, at), np.append(0.0, values))
        return [short(rate) for rate in 8e-6 * np.diff(total) / np.diff(np.asarray(edges))]
