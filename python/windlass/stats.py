"""Statistics over seeds, and the formulas that results are held against.

A seed is one observation: values of several flows of a run are reduced to one number before anything is said about the
spread. Means get Student's t interval; ratios and indices the bias-corrected and accelerated bootstrap (BCa).
Comparisons are paired by seed, since two algorithms meet the same losses under the same seed.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from windlass.interval import Interval
from windlass.names import loss_causes, transports

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Interval",
    "bootstrap_interval",
    "competes",
    "fairness",
    "jain",
    "mathis",
    "mean_interval",
    "paired",
    "paired_difference",
    "paired_ratio",
    "pftk",
    "seeds_needed",
    "summarise",
]

Floats = NDArray[np.float64]

RESAMPLES = 9999
BOOTSTRAP_SEED = 20190501
"""The bootstrap draws from this seed, so the same results always give the same interval."""


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """Mean with Student's t interval.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        One value per seed; NaN is left out and not counted.
    confidence : float
        Share of intervals that hold the true mean.

    Returns
    -------
    Interval
        NaN ends with fewer than two values; ends equal to the mean if all values are equal.

    Examples
    --------
    >>> interval = mean_interval([10.0, 12.0, 14.0])
    >>> round(interval.mean, 3), round(interval.half_width, 3), interval.n
    (12.0, 4.968, 3)
    """
    from scipy import special

    data = _finite(values)
    n = len(data)
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0, confidence)
    mean = float(data.mean())
    if n == 1:
        return Interval(mean, math.nan, math.nan, 1, confidence)
    error = float(data.std(ddof=1)) / math.sqrt(n)
    half = float(special.stdtrit(n - 1, (1.0 + confidence) / 2.0)) * error
    return Interval(mean, mean - half, mean + half, n, confidence)


def seeds_needed(values: ArrayLike, half_width: float, confidence: float = 0.95) -> int:
    """How many seeds would bring the interval of the mean down to a half-width, if the spread stays as it is.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        At least two values, one per seed, in any unit.
    half_width : float
        Target, positive, same unit.
    confidence : float
        As in :func:`mean_interval`.

    Returns
    -------
    int
        At least 2.

    Raises
    ------
    ValueError
        With fewer than two values, or a target that is not positive.
    """
    from scipy import special

    data = _finite(values)
    if len(data) < 2:
        raise ValueError("at least two values are needed to know the spread")
    if not half_width > 0.0:
        raise ValueError("the half-width must be positive")
    spread = float(data.std(ddof=1))

    def half(n: int) -> float:
        return float(special.stdtrit(n - 1, (1.0 + confidence) / 2.0)) * spread / math.sqrt(n)

    high = 2
    while half(high) > half_width:
        high *= 2
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if half(middle) <= half_width else (middle, high)
    return max(2, high)


def paired(a: Mapping[int, float], b: Mapping[int, float]) -> tuple[Floats, Floats]:
    """Values of two sides by seed, for the seeds that both have.

    Parameters
    ----------
    a, b : mapping of int to float
        Seed to value.

    Returns
    -------
    tuple of ndarray of float64, each shape (n,)
        In ascending order of seeds.
    """
    seeds = sorted(a.keys() & b.keys())
    return np.array([a[seed] for seed in seeds], float), np.array([b[seed] for seed in seeds], float)


def paired_difference(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Interval:
    """Mean of a - b, paired by seed, with Student's t interval.

    Parameters
    ----------
    a, b : array_like of float, shape (n,)
        One value per seed, in the same order of seeds.

    Raises
    ------
    ValueError
        If the two have different lengths.
    """
    left, right = _pairs(a, b)
    return mean_interval(left - right, confidence)


def paired_ratio(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Interval:
    """Mean of a over mean of b, resampled in pairs (BCa bootstrap).

    Parameters
    ----------
    a, b : array_like of float, shape (n,)
        One value per seed, in the same order of seeds.

    Returns
    -------
    Interval
        NaN throughout if the mean of b is 0.

    Raises
    ------
    ValueError
        If the two have different lengths.
    """
    left, right = _pairs(a, b)
    if len(left) > 1 and right.any() and (not left.any() or np.array_equal(left, right)):
        same = 1.0 if left.any() else 0.0  # seed by seed the same: nothing to resample
        return Interval(same, same, same, len(left), confidence)

    def ratio(x: Floats, y: Floats, axis: int = -1) -> Floats:
        below = y.mean(axis=axis)
        return np.divide(x.mean(axis=axis), below, out=np.full_like(below, np.nan), where=below != 0.0)

    return _bootstrap((left, right), ratio, confidence)


def bootstrap_interval(
    values: ArrayLike, statistic: Callable[..., Floats] = np.mean, confidence: float = 0.95
) -> Interval:
    """A statistic of one value per seed with its bootstrap interval (BCa), for indices and other skewed numbers.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN is left out and not counted.
    statistic : callable
        Takes an array and ``axis``; the mean if not given.

    Returns
    -------
    Interval
        NaN ends with fewer than two values.
    """
    return _bootstrap((_finite(values),), statistic, confidence)


def _bootstrap(samples: tuple[Floats, ...], statistic: Callable[..., Floats], confidence: float) -> Interval:
    from scipy import stats as scipy_stats

    n = len(samples[0])
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0, confidence)
    estimate = float(statistic(*(sample[np.newaxis, :] for sample in samples), axis=-1)[0])
    if n == 1 or math.isnan(estimate):
        return Interval(estimate, math.nan, math.nan, n, confidence)
    if all(np.all(sample == sample[0]) for sample in samples):
        return Interval(estimate, estimate, estimate, n, confidence)
    with warnings.catch_warnings():
        # Fewer than some seven seeds can leave BCa without an answer; NaN ends say so.
        warnings.simplefilter("ignore")
        found = scipy_stats.bootstrap(
            samples,
            statistic,
            paired=len(samples) > 1,
            vectorized=True,
            n_resamples=RESAMPLES,
            confidence_level=confidence,
            method="BCa",
            rng=np.random.default_rng(BOOTSTRAP_SEED),
        ).confidence_interval
    return Interval(estimate, float(found.low), float(found.high), n, confidence)


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
    data = _finite(values)
    below = len(data) * float(np.square(data).sum())
    return float(data.sum()) ** 2 / below if below > 0.0 else math.nan


def competes(flows: pa.Table) -> NDArray[np.bool_]:
    """Which rows of a table of flows can be fair to each other: those that take what the path has left, without end.

    A source of datagrams sends what it was told to, and a transfer of given size what it has: that they get less or more
    than a bulk transfer is neither fair nor unfair. A path of a connection over several is part of that connection.

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
    return np.array([word in adapting for word in words], bool) & np.isnan(_numbers(flows, "size_bytes"))


def fairness(values: ArrayLike) -> float:
    """Jain's index of flows that share something, see :func:`jain`; NaN for fewer than two: nothing is shared."""
    data = _finite(values)
    return jain(data) if len(data) > 1 else math.nan


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


SUMMARY: tuple[tuple[str, str, str], ...] = (
    ("goodput_bps", "mean", "goodput_bps"),
    ("goodput_run_bps", "sum", "goodput_total_bps"),
    ("goodput_bps", "jain", "jain"),
    ("throughput_bps", "mean", "throughput_bps"),
    ("retransmitted_segments", "mean", "retransmitted_segments"),
    ("timeouts", "mean", "timeouts"),
    *((cause.column, "mean", cause.column) for cause in loss_causes()),
    ("srtt_mean_s", "mean", "srtt_mean_s"),
    ("completion_s", "mean", "completion_s"),
    ("completion_s", "median", "completion_median_s"),
    ("completion_s", "p95", "completion_p95_s"),
    ("completion_s", "unfinished", "unfinished"),
)
"""Rows of a summary: column of ``flows``, how a run's flows are reduced to one number, name of the result.

The sum is of goodputs over the same time, the run without the warm-up: rates over each flow's own time may together exceed
what the links carry. Completion times are those of the transfers that ended, ``unfinished`` is the share of the others among
all transfers of given size.
"""


def summarise(
    flows: pa.Table, axes: Sequence[str], metrics: Iterable[str] | None = None, *, confidence: float = 0.95
) -> pa.Table:
    """Mean and interval over seeds for each point and group of flows.

    Parameters
    ----------
    flows : pyarrow.Table
        Of a sweep, with ``seed`` and the axes' columns.
    axes : sequence of str
        Swept keys.
    metrics : iterable of str, optional
        Columns of `flows` to average over the flows of a run; without it, every row of :data:`SUMMARY`.
    confidence : float
        Of the intervals.

    Returns
    -------
    pyarrow.Table
        One row per point, group and direction, in the order of the runs: the axes, ``group``, ``direction``,
        ``algorithm``, ``flows`` (in the group), and ``NAME_mean``, ``NAME_lo``, ``NAME_hi``, ``NAME_n`` for each
        number. Jain's index is over the flows of a run in that direction that compete, see :func:`competes`, of every
        group, and null for groups of others; its mean has a bootstrap interval, all others Student's t.
    """
    import pyarrow as pa

    if metrics is None:
        # results of an older version lack some columns
        there = set(flows.column_names)
        rows = tuple(row for row in SUMMARY if {row[0], *_NEEDS.get(row[1], ())} <= there)
    else:
        rows = tuple((name, "mean", name) for name in metrics)
    by = [*axes, "group", "direction", "algorithm"]
    columns = {_key(column, reduce): _prepared(flows, column, reduce) for column, reduce, _ in rows}
    # Rows of each run and group, in the order of their first row: grouping itself promises no order.
    numbered = flows.select([*by, "seed"]).append_column("row", pa.array(np.arange(flows.num_rows)))
    grouped = numbered.group_by([*by, "seed"], use_threads=False).aggregate([("row", "list")]).to_pylist()
    grouped.sort(key=lambda found: min(found["row_list"]))
    places: dict[tuple[object, ...], dict[int, list[int]]] = {}
    # All flows of a run in one direction, whatever their group: fairness is between groups too.
    neighbours: dict[tuple[object, ...], list[int]] = {}
    shared = [*axes, "direction", "seed"]
    for found in grouped:
        places.setdefault(tuple(found[name] for name in by), {})[found["seed"]] = found["row_list"]
        neighbours.setdefault(tuple(found[name] for name in shared), []).extend(found["row_list"])

    out: dict[str, list[object]] = {name: [] for name in (*by, "flows")}
    for key, runs in places.items():
        for name, part in zip(by, key, strict=True):
            out[name].append(part)
        out["flows"].append(max(len(indices) for indices in runs.values()))
        for column, reduce, name in rows:
            taken = columns[_key(column, reduce)]
            if reduce == "jain":
                place = dict(zip(by, key, strict=True))
                everyone = {seed: neighbours[tuple((place | {"seed": seed})[part] for part in shared)] for seed in runs}
                values = [
                    fairness(taken[everyone[seed]]) if np.isfinite(taken[own]).any() else math.nan
                    for seed, own in runs.items()
                ]
                interval = bootstrap_interval(values, confidence=confidence)
            else:
                values = [_reduce(taken[indices], reduce) for indices in runs.values()]
                interval = mean_interval(values, confidence)
            out.setdefault(f"{name}_mean", []).append(_null(interval.mean))
            out.setdefault(f"{name}_lo", []).append(_null(interval.lo))
            out.setdefault(f"{name}_hi", []).append(_null(interval.hi))
            out.setdefault(f"{name}_n", []).append(interval.n)
    types = {name: flows.schema.field(name).type for name in by} | {"flows": pa.int64()}
    return pa.table(
        {
            name: pa.array(values, types.get(name, pa.int64() if name.endswith("_n") else pa.float64()))
            for name, values in out.items()
        }
    )


def _numbers(flows: pa.Table, column: str) -> Floats:
    import pyarrow as pa

    return np.asarray(flows[column].cast(pa.float64()).to_numpy(), float)


_NEEDS = {"jain": ("transport", "size_bytes"), "unfinished": ("size_bytes",)}
"""Columns that a way to reduce another one needs beside it."""


def _key(column: str, how: str) -> str:
    """What a prepared column is kept under: most ways to reduce one take it as it is."""
    return f"{column} for {how}" if how in _NEEDS else column


def _prepared(flows: pa.Table, column: str, how: str) -> Floats:
    """A column as `how` reduces it; NaN for flows that do not count."""
    values = _numbers(flows, column)
    if how == "jain":
        return np.where(competes(flows), values, math.nan)
    if how == "unfinished":
        return np.where(np.isnan(_numbers(flows, "size_bytes")), math.nan, np.isnan(values))
    return values


_REDUCTIONS: dict[str, Callable[[Floats], Any]] = {
    "mean": np.mean,
    "unfinished": np.mean,
    "sum": np.sum,
    "median": np.median,
    "p95": lambda values: np.quantile(values, 0.95),
}


def _reduce(values: Floats, how: str) -> float:
    data = _finite(values)
    return float(_REDUCTIONS[how](data)) if len(data) else math.nan


def _null(value: float) -> float | None:
    return None if math.isnan(value) else value


def _finite(values: ArrayLike) -> Floats:
    data = np.asarray(values, float)
    return data[~np.isnan(data)]


def _pairs(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    left, right = np.asarray(a, float), np.asarray(b, float)
    if left.shape != right.shape:
        raise ValueError(f"{left.shape} and {right.shape} values cannot be paired")
    both = ~(np.isnan(left) | np.isnan(right))
    return left[both], right[both]
