"""Agreement of two judges without correction for chance: identity, distance and order."""

import numpy as np

from ..bootstrap import Floats, Statistic
from ..means import mean_statistic
from ._ratings import MISSING, Codes, Ratings


def identical_statistic(ratings: Ratings) -> Statistic:
    """Return the share of cases with two or more verdicts on which all verdicts are the same."""
    codes = ratings.codes
    several = (codes != MISSING).sum(axis=1) > 1
    highest = codes.max(axis=1, initial=MISSING)
    lowest = np.where(codes == MISSING, len(ratings.categories), codes).min(axis=1, initial=10**9)
    return mean_statistic(np.where(several, (highest == lowest) * 1.0, np.nan))


def distance_statistic(ratings: Ratings) -> Statistic:
    """Return the mean absolute difference of two judges' numbers, in units of the scale."""
    first, second = _numbers(ratings)
    return mean_statistic(np.abs(first - second))


def _numbers(ratings: Ratings) -> tuple[Floats, Floats]:
    """Return both judges' values; NaN for a missing one."""
    values = np.append(ratings.values(), np.nan)  # code -1 picks the NaN
    return values[ratings.codes[:, 0]], values[ratings.codes[:, 1]]


def _both(ratings: Ratings) -> tuple[Codes, Floats, Floats]:
    """Return the rows with two verdicts, and both judges' codes in them."""
    rows = np.flatnonzero((ratings.codes != MISSING).all(axis=1))
    codes = ratings.codes[rows].astype(np.float64)
    return rows, codes[:, 0], codes[:, 1]


def spearman_statistic(ratings: Ratings) -> Statistic:
    """Return Spearman's rho: the Pearson correlation of mid-ranks, weighted by row."""
    rows, first, second = _both(ratings)

    def statistic(drawn: Floats) -> Floats:
        weights = drawn[:, rows]
        a, b = _mid_ranks(first, weights), _mid_ranks(second, weights)
        total = weights.sum(axis=1, keepdims=True)
        total = np.where(total > 0, total, np.nan)
        a = a - (weights * a).sum(axis=1, keepdims=True) / total
        b = b - (weights * b).sum(axis=1, keepdims=True) / total
        spread = (weights * a**2).sum(axis=1) * (weights * b**2).sum(axis=1)
        shared: Floats = (weights * a * b).sum(axis=1)
        return shared / np.sqrt(np.where(spread > 1e-12, spread, np.nan))

    return statistic


def _mid_ranks(values: Floats, weights: Floats) -> Floats:
    """Rank every row as if it occurred `weight` times; ties have the mid-rank: (b, rows)."""
    _, level = np.unique(values, return_inverse=True)
    levels = int(level.max()) + 1 if level.size else 0
    mass = weights @ np.eye(levels)[level]
    middle: Floats = np.cumsum(mass, axis=1) - mass / 2 + 0.5
    return middle[:, level]


def kendall_statistic(ratings: Ratings) -> Statistic:
    """Return Kendall's tau-b. Memory grows with the square of the number of distinct pairs."""
    rows, first, second = _both(ratings)
    cells, cell_of = np.unique(np.stack([first, second]), axis=1, return_inverse=True)
    membership = np.eye(cells.shape[1])[cell_of.ravel()]
    a = np.sign(cells[0][:, None] - cells[0][None, :])
    b = np.sign(cells[1][:, None] - cells[1][None, :])

    def statistic(drawn: Floats) -> Floats:
        mass = drawn[:, rows] @ membership

        def pairs(signs: Floats) -> Floats:
            total: Floats = ((mass @ signs) * mass).sum(axis=1)
            return total

        untied = pairs(a * a) * pairs(b * b)
        return pairs(a * b) / np.sqrt(np.where(untied > 0, untied, np.nan))

    return statistic
