"""Single coefficients of agreement, from raw verdicts.

Every function returns one number, NaN if it is not defined. Verdicts of a jury are a sequence of
cases; each case is a sequence with one entry per judge. None, NaN and `FAILED` are missing
verdicts. A case counts for a number if it has the verdicts that the number needs.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ..bootstrap import Statistic
from ._alpha import alpha_statistic
from ._correlation import (
    distance_statistic,
    identical_statistic,
    kendall_statistic,
    spearman_statistic,
)
from ._kappa import Weights, cohen_statistic, fleiss_statistic, gwet_statistic
from ._ratings import Ratings, Scale, read_pair, read_ratings, scaled_weights


def _value(
    statistic: Statistic, ratings: Ratings, case_weights: Sequence[float] | None = None
) -> float:
    weights = scaled_weights(case_weights, len(ratings.codes))
    if not ratings.categories:  # there is no verdict at all
        return float("nan")
    return float(statistic(weights[None, :])[0])


def share_identical(
    first: Sequence[Any], second: Sequence[Any], *, case_weights: Sequence[float] | None = None
) -> float:
    """Return the share of identical verdicts among the cases with two verdicts.

    Formula: (cases on which both verdicts are the same) / (cases with two verdicts).

    Source: observed agreement of Cohen (1960), Educational and Psychological Measurement 20.

    Args:
        first: the verdicts of one judge; None where there is none.
        second: the verdicts of the other judge on the same cases.
        case_weights: the weight of each case; by default all weigh the same.

    >>> share_identical([1, 0.5, 0, None], [1, 0, 0, 1])
    0.6666666666666666
    """
    ratings = read_pair(first, second)
    return _value(identical_statistic(ratings), ratings, case_weights)


def mean_absolute_difference(
    first: Sequence[Any], second: Sequence[Any], *, case_weights: Sequence[float] | None = None
) -> float:
    """Return the mean of |first - second| over cases with two verdicts, in units of the scale.

    Formula: mean of |first - second|.

    Source: mean absolute error between two raters, in units of the scale.

    Args:
        first: the verdicts of one judge; None where there is none.
        second: the verdicts of the other judge on the same cases.
        case_weights: the weight of each case; by default all weigh the same.

    >>> mean_absolute_difference([1, 0.5, 0, 1], [1, 0, 0, 1])
    0.125
    """
    ratings = read_pair(first, second)
    return _value(distance_statistic(ratings), ratings, case_weights)


def consistency(
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    span: float = 1.0,
    case_weights: Sequence[float] | None = None,
) -> float:
    """Return 1 - mean absolute difference / span; `span` is the width of the scale.

    Formula: 1 - mean |first - second| / span.

    Source: one minus the mean absolute error, as a share of the scale.

    Args:
        first: the verdicts of one judge; None where there is none.
        second: the verdicts of the other judge on the same cases.
        span: the width of the scale.
        case_weights: the weight of each case; by default all weigh the same.

    >>> consistency([1, 0.5, 0, 1], [1, 0, 0, 1])
    0.875
    """
    return 1.0 - mean_absolute_difference(first, second, case_weights=case_weights) / span


def cohen_kappa(
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    weights: Weights = None,
    categories: Sequence[Any] | None = None,
    case_weights: Sequence[float] | None = None,
) -> float:
    """Return Cohen's kappa of two judges: unweighted, "linear" or "quadratic".

    Weights use the positions in `categories` (default: the values that occur, sorted). Give the
    whole scale if some levels may not occur.

    Formula: (p_o - p_e) / (1 - p_e), p_o the weighted share of agreement, p_e the same if each
    judge gave its verdicts in the same shares but at random; weights 1 - |i - j| / (k - 1), or
    1 - (i - j)^2 / (k - 1)^2.

    Source: Cohen (1960), Educational and Psychological Measurement 20; weighted: Cohen (1968),
    Psychological Bulletin 70.

    Args:
        first: the verdicts of one judge; None where there is none.
        second: the verdicts of the other judge on the same cases.
        weights: "linear" or "quadratic" credit for near misses; None for none.
        categories: the levels of the scale in order; by default the values that occur, sorted.
        case_weights: the weight of each case; by default all weigh the same.

    >>> cohen_kappa(["yes", "yes", "no", "no"], ["yes", "no", "no", "no"])
    0.5
    """
    ratings = read_pair(first, second, categories)
    return _value(cohen_statistic(ratings, weights), ratings, case_weights)


def fleiss_kappa(
    verdicts: Iterable[Sequence[Any]], *, case_weights: Sequence[float] | None = None
) -> float:
    """Return Fleiss' kappa of any number of judges; verdicts may be missing.

    Formula: (p_o - p_e) / (1 - p_e), p_o the mean share of agreeing pairs of judges in a case,
    p_e the sum of squared shares of the categories.

    Source: Fleiss (1971), Psychological Bulletin 76; cases with different numbers of verdicts:
    Gwet (2014), Handbook of Inter-Rater Reliability.

    Args:
        verdicts: one row for each case, with a verdict of each judge; None where there is none.
        case_weights: the weight of each case; by default all weigh the same.

    >>> round(fleiss_kappa([["a", "a", "a"], ["a", "b", "b"], ["b", "b", "b"]]), 4)
    0.55
    """
    ratings = read_ratings(verdicts)
    return _value(fleiss_statistic(ratings), ratings, case_weights)


def krippendorff_alpha(
    verdicts: Iterable[Sequence[Any]],
    scale: Scale = "nominal",
    *,
    categories: Sequence[Any] | None = None,
    case_weights: Sequence[float] | None = None,
) -> float:
    """Return Krippendorff's alpha on a nominal, ordinal or interval scale.

    Each row of `verdicts` is a case and each column a judge.

    Formula: 1 - (n - 1) sum o_ck d_ck / sum n_c n_k d_ck, o the coincidences of values, n_c
    their margins, d the squared distance on the scale.

    Source: Krippendorff (2011), "Computing Krippendorff's alpha-reliability".

    Args:
        verdicts: one row for each case, with a verdict of each judge; None where there is none.
        scale: nominal, ordinal or interval.
        categories: the levels of the scale in order; by default the values that occur, sorted.
        case_weights: the weight of each case; by default all weigh the same.

    >>> round(krippendorff_alpha([[1, 1], [2, 2], [3, 2], [1, None]], "interval"), 4)
    0.7059
    """
    ratings = read_ratings(verdicts, categories)
    return _value(alpha_statistic(ratings, scale), ratings, case_weights)


def gwet_ac1(
    verdicts: Iterable[Sequence[Any]],
    *,
    categories: Sequence[Any] | None = None,
    case_weights: Sequence[float] | None = None,
) -> float:
    """Return Gwet's AC1. A category in `categories` counts even if no judge chose it.

    Formula: (p_o - p_e) / (1 - p_e), p_e = sum pi_c (1 - pi_c) / (k - 1) over k categories with
    shares pi_c.

    Source: Gwet (2008), British Journal of Mathematical and Statistical Psychology 61.

    Args:
        verdicts: one row for each case, with a verdict of each judge; None where there is none.
        categories: all categories; by default the values that occur.
        case_weights: the weight of each case; by default all weigh the same.

    >>> round(gwet_ac1([[1, 1]] * 9 + [[1, 0]]), 4)
    0.8895
    """
    ratings = read_ratings(verdicts, categories)
    return _value(gwet_statistic(ratings, None), ratings, case_weights)


def gwet_ac2(
    verdicts: Iterable[Sequence[Any]],
    weights: Weights = "quadratic",
    *,
    categories: Sequence[Any] | None = None,
    case_weights: Sequence[float] | None = None,
) -> float:
    """Return Gwet's AC2: AC1 with credit for near misses on an ordered scale.

    Formula: as `gwet_ac1`, with credit w_ij for near misses in p_o, and p_e multiplied by sum
    w_ij / k.

    Source: Gwet (2014), Handbook of Inter-Rater Reliability.

    Args:
        verdicts: one row for each case, with a verdict of each judge; None where there is none.
        weights: "linear" or "quadratic" credit for near misses; None for none.
        categories: the levels of the scale in order; by default the values that occur, sorted.
        case_weights: the weight of each case; by default all weigh the same.

    >>> round(gwet_ac2([[1, 2], [3, 3], [2, 2], [1, 1]], categories=[1, 2, 3]), 4)
    0.8182
    """
    ratings = read_ratings(verdicts, categories)
    return _value(gwet_statistic(ratings, weights), ratings, case_weights)


def spearman(
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    categories: Sequence[Any] | None = None,
    case_weights: Sequence[float] | None = None,
) -> float:
    """Return Spearman's rank correlation over the cases with two verdicts.

    Formula: Pearson correlation of the mid-ranks.

    Source: Spearman (1904), American Journal of Psychology 15.

    Args:
        first: the verdicts of one judge; None where there is none.
        second: the verdicts of the other judge on the same cases.
        categories: the levels of the scale in order; by default the values that occur, sorted.
        case_weights: the weight of each case; by default all weigh the same.

    >>> round(spearman([1, 2, 3, 4], [1, 3, 2, 4]), 4)
    0.8
    """
    ratings = read_pair(first, second, categories)
    return _value(spearman_statistic(ratings), ratings, case_weights)


def kendall(
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    categories: Sequence[Any] | None = None,
    case_weights: Sequence[float] | None = None,
) -> float:
    """Return Kendall's tau-b over the cases with two verdicts.

    Formula: tau-b = (concordant - discordant) / sqrt(pairs not tied in the first x pairs not
    tied in the second).

    Source: Kendall (1945), Biometrika 33.

    Args:
        first: the verdicts of one judge; None where there is none.
        second: the verdicts of the other judge on the same cases.
        categories: the levels of the scale in order; by default the values that occur, sorted.
        case_weights: the weight of each case; by default all weigh the same.

    >>> round(kendall([1, 2, 3, 4], [1, 3, 2, 4]), 4)
    0.6667
    """
    ratings = read_pair(first, second, categories)
    return _value(kendall_statistic(ratings), ratings, case_weights)
