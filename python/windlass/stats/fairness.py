"""How evenly flows share what there is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from windlass.names import transports
from windlass.stats.intervals import Floats, finite

if TYPE_CHECKING:
    import pyarrow as pa


def jain(values: ArrayLike) -> float:
    """Jain's fairness index, (sum x)^2 / (m sum x^2): 1 if all are equal, 1/m if one has everything.

    Parameters
    ----------
    values : array_like of float, shape (m,)
        What each of the flows got, not negative; NaN is left out.

    Returns
    -------
    float
        NaN if all are zero or there are none: 0/0 is no fairness.

    Examples
    --------
    >>> jain([3.0, 1.0])
    0.8
    """
    data = finite(values)
    below = len(data) * float(np.square(data).sum())
    return float(data.sum()) ** 2 / below if below > 0.0 else math.nan


def competes(flows: pa.Table) -> NDArray[np.bool_]:
    """Which rows of a table of flows can be fair to each other: those that take what the path has left, without end.

    A source of datagrams sends what it was told to, and a transfer of given size what it has: that they get less or
    more than a bulk transfer is neither fair nor unfair. A path of a connection over several is part of that
    connection.

    Parameters
    ----------
    flows : pyarrow.Table
        With ``transport`` and ``size_bytes``.

    Returns
    -------
    ndarray of bool, shape (flows,)
    """
    adapting = {transport.name for transport in transports() if transport.adapts and not transport.part}
    words = flows["transport"].to_pylist()
    return np.array([word in adapting for word in words], bool) & np.isnan(numbers(flows, "size_bytes"))


def fairness(values: ArrayLike) -> float:
    """Jain's index of flows that share something, see :func:`jain`; NaN for fewer than two: nothing is shared."""
    data = finite(values)
    return jain(data) if len(data) > 1 else math.nan


def numbers(flows: pa.Table, column: str) -> Floats:
    """A column of a table of flows; NaN where there is no value."""
    import pyarrow as pa

    return np.asarray(flows[column].cast(pa.float64()).to_numpy(), float)
