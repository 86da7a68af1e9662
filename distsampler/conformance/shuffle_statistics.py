"""How far orders are from those of a fair shuffle: statistics whose distribution is known.

All take orders of `[0, length)`, shape (orders, positions), int64, of which only the first positions may be
given; under a fair shuffle the probability that comes with a statistic is uniform in `[0, 1]`.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import special  # type: ignore[import-untyped]  # it has no types

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Orders = npt.NDArray[np.int64]

BINS = 20
BATCH = 256


@dataclass(frozen=True, slots=True)
class Statistic:
    """A value, what a fair shuffle has on average, and how often one is as far from it."""

    value: float
    expected: float
    probability: float


def permutations(orders: Orders, length: int) -> Statistic:
    """Return how unequally often the permutations occur, of which there must be few."""
    _, counts = np.unique(orders, axis=0, return_counts=True)
    cells = math.factorial(length)
    expected = len(orders) / cells
    seen = np.concatenate([counts, np.zeros(max(0, cells - len(counts)))])
    return _chi_square(float(((seen - expected) ** 2 / expected).sum()), cells - 1)


def repeats(orders: Orders, length: int) -> Statistic:
    """Return how many orders occurred before, which is rare as long as there are far more permutations."""
    repeated = len(orders) - len(np.unique(orders, axis=0))
    expected = len(orders) ** 2 / 2 / math.factorial(length)
    return Statistic(repeated, expected, float(special.pdtrc(repeated - 1, expected)) if repeated else 1.0)


def places(orders: Orders, length: int) -> Statistic:
    """Return how unequally the indices are spread over the positions, both in bins of equal size.

    In a contingency table with fixed margins chi-square times (length - 1) / length has the usual mean.
    Positions that are not given make a bin of their own.
    """
    many, drawn = orders.shape
    bins = min(BINS, drawn)
    rows = np.broadcast_to(np.arange(drawn) * bins // drawn, orders.shape)
    observed = np.zeros((bins + 1, bins))
    np.add.at(observed, (rows, orders * bins // length), 1)
    columns = many * np.bincount(np.arange(length) * bins // length, minlength=bins)
    observed[bins] = columns - observed[:bins].sum(axis=0)
    expected = np.outer(observed.sum(axis=1), columns) / (many * length)
    expected, observed = expected[expected.sum(axis=1) > 0], observed[expected.sum(axis=1) > 0]
    statistic = ((observed - expected) ** 2 / expected).sum() * (length - 1) / length
    return _chi_square(float(statistic), (len(expected) - 1) * (bins - 1))


def correlation(orders: Orders, length: int, lag: int) -> Statistic:
    """Return the correlation of indices that are `lag` positions apart, root mean square over the orders."""
    del length
    deviations = orders - orders.mean(axis=1, keepdims=True)
    by_order = (deviations[:, lag:] * deviations[:, :-lag]).mean(axis=1) / (deviations**2).mean(axis=1)
    pairs = orders.shape[1] - lag
    probability = _above(float((by_order**2).sum() * pairs), len(orders))
    return Statistic(float(np.sqrt((by_order**2).mean())), 1 / math.sqrt(pairs), probability)


def ascents(orders: Orders, length: int) -> Statistic:
    """Return the share of indices that are greater than the one before."""
    del length
    pairs = orders.shape[1] - 1
    share = (np.diff(orders, axis=1) > 0).mean(axis=1)
    squares = ((share - 1 / 2) * pairs) ** 2 / ((pairs + 2) / 12)
    return Statistic(float(share.mean()), 1 / 2, _above(float(squares.sum()), len(orders)))


def batch_means(orders: Orders, length: int) -> Statistic:
    """Return the variance of the mean index of a batch, relative to that of a fair shuffle."""
    whole = orders.shape[1] // BATCH
    means = orders[:, : whole * BATCH].reshape(len(orders), whole, BATCH).mean(axis=2)
    # Drawing without replacement makes batches repel each other by exactly what this variance lacks.
    variance = length * (length + 1) / 12 / BATCH
    freedom = len(orders) * (whole - 1)
    ratio = float(means.var(axis=1, ddof=1).mean() / variance)
    above = _above(ratio * freedom, freedom)
    return Statistic(ratio, 1, 2 * min(above, 1 - above))


def _chi_square(value: float, freedom: int) -> Statistic:
    return Statistic(value, freedom, _above(value, freedom))


def _above(value: float, freedom: int) -> float:
    """Return the probability that a chi-square with so many degrees of freedom is greater than `value`."""
    return float(special.chdtrc(freedom, value))


SMALL: Mapping[str, Callable[[Orders, int], Statistic]] = {"chi-square of permutations": permutations}
"""For orders so short that every permutation can be counted."""

MIDDLING: Mapping[str, Callable[[Orders, int], Statistic]] = {
    "chi-square of indices against positions": places,
    "orders that occurred before": repeats,
}
"""For many orders of some samples."""

LARGE: Mapping[str, Callable[[Orders, int], Statistic]] = {
    "chi-square of indices against positions": places,
    **{
        f"correlation of indices {lag} apart": functools.partial(correlation, lag=lag)
        for lag in (1, 2, 3, 4, 8, 64)
    },
    "share of ascents": ascents,
    "variance of batch means": batch_means,
}
"""For few orders of many samples."""
