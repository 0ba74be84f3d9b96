"""Formulas of throughput against loss that results are held against."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from windlass.stats.intervals import Floats


def mathis(p: ArrayLike, *, mss_bytes: float, rtt_s: float, b: float = 1.0, c: float | None = None) -> Floats:
    """Rate of an ideal Reno flow under random loss, C MSS / (R sqrt(p)).

    Parameters
    ----------
    p : array_like of float, shape (n,)
        Loss probability, above 0.
    mss_bytes : float
        Payload of a segment, bytes.
    rtt_s : float
        Round-trip time, seconds.
    b : float
        Segments per ACK where congestion avoidance counts ACKs; 1 where it counts bytes.
    c : float, optional
        The constant; sqrt(3 / (2 b)) if not given.

    Returns
    -------
    ndarray of float64, shape (n,)
        Bits per second; infinite at p = 0.

    Notes
    -----
    Mathis, Semke, Mahdavi and Ott, ACM CCR 27(3), 1997.
    """
    constant = math.sqrt(3.0 / (2.0 * b)) if c is None else c
    with np.errstate(divide="ignore"):
        return 8.0 * constant * mss_bytes / (rtt_s * np.sqrt(np.asarray(p, float)))


def pftk(
    p: ArrayLike,
    *,
    mss_bytes: float,
    rtt_s: float,
    rto_s: float,
    b: float = 2.0,
    window_segments: float = math.inf,
    form: Literal["correct", "huq"] = "correct",
) -> Floats:
    """Rate of a Reno flow under random loss, timeouts included.

    Parameters
    ----------
    p : array_like of float, shape (n,)
        Loss probability.
    mss_bytes : float
        Payload of a segment, bytes.
    rtt_s, rto_s : float
        Round-trip time and first retransmission timeout, seconds.
    b : float
        Segments per ACK where congestion avoidance counts ACKs; 1 where it counts bytes.
    window_segments : float
        Largest window.
    form : {"correct", "huq"}
        ``"huq"`` leaves out the factor 3 in the share of timeouts, as equation 11 of Huq 2024 prints it.

    Returns
    -------
    ndarray of float64, shape (n,)
        Bits per second; the window's limit at p = 0.

    Notes
    -----
    Padhye, Firoiu, Towsley and Kurose, SIGCOMM 1998, equation 30.
    """
    loss = np.asarray(p, float)
    factor = 3.0 if form == "correct" else 1.0
    timeouts = np.minimum(1.0, factor * np.sqrt(3.0 * b * loss / 8.0))
    seconds = rtt_s * np.sqrt(2.0 * b * loss / 3.0) + rto_s * timeouts * loss * (1.0 + 32.0 * loss**2)
    with np.errstate(divide="ignore"):
        return 8.0 * mss_bytes * np.minimum(window_segments / rtt_s, 1.0 / seconds)
