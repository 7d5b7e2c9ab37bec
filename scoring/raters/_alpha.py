"""Krippendorff's alpha for any number of judges, missing verdicts and three scales.

alpha = 1 - (n - 1) * sum o_ck d_ck / sum n_c n_k d_ck. o_ck are the coincidences of values in
cases with two or more verdicts, n_c their margins, and n = sum n_c. d is the squared distance:
nominal 0 or 1; ordinal (sum of n_g from c to k - (n_c + n_k) / 2)^2; interval (c - k)^2.
Krippendorff (2011), "Computing Krippendorff's alpha-reliability".
"""

import numpy as np

from ...errors import UsageError
from ..bootstrap import Floats, Statistic
from ._ratings import Ratings, Scale


def alpha_statistic(ratings: Ratings, scale: Scale) -> Statistic:
    """Return alpha as a function of case weights (a case of weight 2 counts twice)."""
    if scale not in ("nominal", "ordinal", "interval"):
        raise UsageError(f"scale is {scale!r}; choose 'nominal', 'ordinal' or 'interval'")
    if scale == "interval":
        return _interval_statistic(ratings)
    if scale == "nominal":
        return _nominal_statistic(ratings)
    k = len(ratings.categories)
    coincidences = _coincidences(ratings.counts).reshape(len(ratings.codes), k * k)

    def statistic(drawn: Floats) -> Floats:
        table = (drawn @ coincidences).reshape(-1, k, k)
        margins = table.sum(axis=2)
        # The ordinal distance between c and k is that between their mid-ranks.
        middle = np.cumsum(margins, axis=1) - margins / 2
        distance = (middle[:, :, None] - middle[:, None, :]) ** 2
        observed = (table * distance).sum(axis=(1, 2))
        expected = np.einsum("bc,bk,bck->b", margins, margins, distance)
        return _alpha(observed, expected, margins.sum(axis=1))

    return statistic


def _nominal_statistic(ratings: Ratings) -> Statistic:
    """Return nominal alpha from margins and diagonals, so that many categories need no table."""
    counts = ratings.counts
    k, judges = counts.shape[1], counts.sum(axis=1, keepdims=True)
    several = judges > 1
    same = np.divide(counts * (counts - 1), judges - 1, out=np.zeros_like(counts), where=several)
    columns = np.column_stack([counts * several, same.sum(axis=1)])

    def statistic(drawn: Floats) -> Floats:
        sums = drawn @ columns
        margins, n = sums[:, :k], sums[:, :k].sum(axis=1)
        return _alpha(n - sums[:, k], n**2 - (margins**2).sum(axis=1), n)

    return statistic


def _alpha(observed: Floats, expected: Floats, n: Floats) -> Floats:
    # If every verdict is the same value, agreement beyond chance is not defined.
    alpha: Floats = 1.0 - (n - 1) * observed / np.where(expected > 1e-12, expected, np.nan)
    return alpha


def _coincidences(counts: Floats) -> Floats:
    """Return each case's coincidences, cases x k x k: pairs of verdicts / (verdicts - 1)."""
    k = counts.shape[1]
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, np.arange(k), np.arange(k)] -= counts
    others = counts.sum(axis=1) - 1
    scale = np.divide(1.0, others, out=np.zeros_like(others), where=others > 0)
    scaled: Floats = pairs * scale[:, None, None]
    return scaled


def _interval_statistic(ratings: Ratings) -> Statistic:
    """Return interval alpha from sums and squares, so that many values need no k x k table."""
    values = ratings.values()
    values = values - values.mean() if values.size else values  # sums of squares stay exact
    counts = ratings.counts
    judges = counts.sum(axis=1)
    several = judges > 1
    total, squares = counts @ values, counts @ values**2
    others = np.where(several, judges - 1, 1)
    # Sum over ordered pairs (a - b)^2 = 2 (m * sum of squares - square of sum).
    observed = 2 * (judges * squares - total**2) / others
    columns = np.column_stack([observed, judges, total, squares]) * several[:, None]

    def statistic(drawn: Floats) -> Floats:
        disagreement, n, sums, square_sums = (drawn @ columns).T
        spread = n * square_sums - sums**2
        spread = np.where(spread > 1e-12 * n * square_sums, spread, 0.0)  # rounding only
        return _alpha(disagreement, 2 * spread, n)

    return statistic
