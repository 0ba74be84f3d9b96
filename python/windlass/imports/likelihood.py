"""Likelihoods of a row of packets, each lost or not, under channels with memory, and their maxima."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

Z95 = 1.959964
"""Quantile of the normal distribution for 95 % between both tails."""


@dataclass(frozen=True)
class Maximum:
    """Where a likelihood is greatest: the place, its covariance, and the logarithm of the likelihood there."""

    at: NDArray[Any]
    covariance: NDArray[Any]
    log_likelihood: float

    def derived(
        self, value: Callable[[NDArray[Any]], float], inverse: Callable[[float], float]
    ) -> tuple[float, float, float]:
        """A number with its 95 % interval: ``value`` of the place, about normal, turned back by `inverse`."""
        import numpy as np

        gradient = np.array([_slope(value, self.at, index) for index in range(len(self.at))])
        middle = value(self.at)
        half = Z95 * float(np.sqrt(max(gradient @ self.covariance @ gradient, 0.0)))
        return inverse(middle), inverse(middle - half), inverse(middle + half)


def maximise(log_likelihood: Callable[[NDArray[Any]], float], starts: list[list[float]]) -> Maximum:
    """The greatest of the maxima that are found from these starts, with the inverse of the curvature there."""
    import numpy as np
    from scipy import optimize

    def less(at: NDArray[Any]) -> float:
        value = log_likelihood(at)
        return -value if np.isfinite(value) else 1e300

    # Places far from any maximum overflow on the way: `less` knows them, and numpy's warnings are for nobody.
    with np.errstate(all="ignore"):
        found = [optimize.minimize(less, start, method="BFGS", options={"maxiter": 100}) for start in starts]
        best = min(found, key=lambda one: float(one.fun))
        return Maximum(best.x, _covariance(less, best.x), -float(best.fun))


def _slope(value: Callable[[NDArray[Any]], float], at: NDArray[Any], index: int, step: float = 1e-4) -> float:
    up, down = at.copy(), at.copy()
    up[index] += step
    down[index] -= step
    return (value(up) - value(down)) / (2.0 * step)


def _covariance(less: Callable[[NDArray[Any]], float], at: NDArray[Any], step: float = 1e-2) -> NDArray[Any]:
    """Inverse of the matrix of second derivatives; what the data say nothing about has a wide variance."""
    import numpy as np

    size = len(at)
    curve = np.zeros((size, size))
    for row in range(size):
        for column in range(row + 1):
            total = 0.0
            for one, other in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                moved = at.copy()
                moved[row] += one * step
                moved[column] += other * step
                total += one * other * less(moved)
            curve[row, column] = curve[column, row] = total / (4.0 * step * step)
    values, vectors = np.linalg.eigh(curve)
    return vectors @ np.diag(1.0 / np.maximum(values, 1e-2)) @ vectors.T


def expit(value: float) -> float:
    """The share whose log-odds are `value`."""
    from scipy import special

    return float(special.expit(value))


def logit(share: float) -> float:
    """Log-odds of a share."""
    from scipy import special

    return float(special.logit(min(max(share, 1e-12), 1.0 - 1e-12)))


def per_time(lost: NDArray[Any], time_s: NDArray[Any]) -> Callable[[NDArray[Any]], float]:
    """Log-likelihood of (log-odds of the mean loss, log of the mean bad period in seconds): a channel in time.

    Good and bad periods are exponential; what is sent in a bad one is lost. After a time d the state is correlated with
    the one before by exp(-d / T), where T = T_bad (1 - f).
    """
    import numpy as np

    gaps = np.maximum(np.diff(time_s), 0.0)
    before, after = lost[:-1], lost[1:]
    groups = [(gaps[(before == a) & (after == b)], a, b) for a in (False, True) for b in (False, True)]

    def log_likelihood(at: NDArray[Any]) -> float:
        share = expit(float(at[0]))
        bad = float(np.exp(min(max(float(at[1]), -30.0), 30.0)))
        total = float(np.log(share if lost[0] else 1.0 - share))
        for gap, was, now in groups:
            kept = np.exp(-gap / (bad * (1.0 - share)))
            bad_now = share + ((1.0 - share) if was else -share) * kept
            chance = bad_now if now else 1.0 - bad_now
            total += float(np.sum(np.log(np.maximum(chance, 1e-300))))
        return total

    return log_likelihood


def hidden(lost: NDArray[Any], with_good: bool) -> Callable[[NDArray[Any]], float]:
    """Log-likelihood of log-odds of (p, r, bad loss, and good loss if `with_good`): Gilbert-Elliott, a step per packet.

    The states are not seen. Runs without a loss are powers of a two by two matrix, and the product over all losses is
    taken in pairs, so an evaluation costs a few operations on arrays.
    """
    import numpy as np

    places = np.flatnonzero(lost)
    runs = np.diff(np.concatenate(([-1], places))) - 1
    tail = len(lost) - 1 - (int(places[-1]) if len(places) else -1)
    lengths = np.append(runs, tail)

    def log_likelihood(at: NDArray[Any]) -> float:
        into, out, bad = (min(max(expit(float(value)), 1e-9), 1.0 - 1e-9) for value in at[:3])
        good = min(max(expit(float(at[3])), 1e-12), 1.0 - 1e-9) if with_good else 0.0
        if good >= bad:
            return -np.inf
        step = np.array([[1.0 - into, into], [out, 1.0 - out]])
        passes = step @ np.diag([1.0 - good, 1.0 - bad])
        loses = step @ np.diag([good, bad])
        # A power of a two by two matrix is a sum of it and the identity (Cayley and Hamilton).
        middle = (passes[0, 0] + passes[1, 1]) / 2.0
        half = math.sqrt(max((passes[0, 0] - passes[1, 1]) ** 2 / 4.0 + passes[0, 1] * passes[1, 0], 0.0))
        if half < 1e-12:
            return -np.inf
        large, small = (middle + half) ** lengths, (middle - half) ** lengths
        own = (large - small) / (2.0 * half)
        none = ((middle + half) * small - (middle - half) * large) / (2.0 * half)
        matrices = own[:, None, None] * passes + none[:, None, None] * np.eye(2)
        matrices[:-1] = matrices[:-1] @ loses
        product, scale = _product(matrices)
        start = np.array([out, into]) / (into + out)
        return float(np.log(max(float((start @ product).sum()), 1e-300)) + scale)

    return log_likelihood


def _product(matrices: NDArray[Any]) -> tuple[NDArray[Any], float]:
    """The product in order, and the logarithm of what it was divided by."""
    import numpy as np

    scale = 0.0
    while len(matrices) > 1:
        odd = matrices[-1:] if len(matrices) % 2 else matrices[:0]
        matrices = matrices[: len(matrices) // 2 * 2 : 2] @ matrices[1 : len(matrices) // 2 * 2 : 2]
        matrices = np.concatenate((matrices, odd))
        most = np.maximum(np.abs(matrices).max(axis=(1, 2)), 1e-300)
        scale += float(np.log(most).sum())
        matrices = matrices / most[:, None, None]
    return matrices[0], scale
