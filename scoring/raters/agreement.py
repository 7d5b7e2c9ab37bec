"""Agreement of judges with each other and with humans.

The short functions (`cohen_kappa`, `krippendorff_alpha`, …) return one number from raw verdicts,
NaN if it is not defined. `pair_agreement` and `jury_agreement` return the whole table. Each number
has a bootstrap interval over cases. With too few cases a warning replaces the number.

Verdicts of a jury are a sequence of cases; each case is a sequence with one entry per judge. None,
NaN and `FAILED` are missing verdicts. A case counts for a number if it has the verdicts that the
number needs.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UsageError
from ..bootstrap import Floats, Interval, Plan, Statistic, bootstrap_many
from ..share_limits import share_interval
from ._alpha import alpha_statistic
from ._correlation import (
    distance_statistic,
    identical_statistic,
    kendall_statistic,
    spearman_statistic,
)
from ._kappa import Weights, cohen_statistic, fleiss_statistic, gwet_statistic
from ._ratings import MISSING, Ratings, Scale, is_number, read_pair, read_ratings


def _value(
    statistic: Statistic, ratings: Ratings, case_weights: Sequence[float] | None = None
) -> float:
    weights = _case_weights(case_weights, len(ratings.codes))
    if not ratings.categories:  # there is no verdict at all
        return float("nan")
    return float(statistic(weights[None, :])[0])


def _case_weights(given: Sequence[float] | None, n: int) -> Floats:
    """Scale weights to mean 1, so that small-sample corrections see the number of cases."""
    if given is None:
        return np.ones(n)
    weights = np.asarray(given, dtype=float)
    if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise UsageError(f"case_weights must be {n} finite numbers, none negative")
    if not weights.sum() > 0:
        raise UsageError("case_weights are all zero")
    scaled: Floats = weights * (n / weights.sum())
    return scaled


def share_identical(
    first: Sequence[Any], second: Sequence[Any], *, case_weights: Sequence[float] | None = None
) -> float:
    """Return the share of identical verdicts among the cases with two verdicts.

    Formula: (cases on which both verdicts are the same) / (cases with two verdicts).

    Source: observed agreement of Cohen (1960), Educational and Psychological Measurement 20.

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

    >>> round(kendall([1, 2, 3, 4], [1, 3, 2, 4]), 4)
    0.6667
    """
    ratings = read_pair(first, second, categories)
    return _value(kendall_statistic(ratings), ratings, case_weights)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One measure of agreement.

    `value` and `interval` are None if there are too few cases or the number is not defined;
    `warning` says why. A value can also have a warning about its interval. `n` is the number of
    cases that have the needed verdicts, `missing` the number of missing verdicts.
    """

    name: str
    value: float | None
    interval: Interval | None
    n: int
    missing: int
    warning: str | None


def pair_agreement(
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    scale: Scale = "nominal",
    categories: Sequence[Any] | None = None,
    span: float = 1.0,
    clusters: Sequence[Hashable] | None = None,
    case_weights: Sequence[float] | None = None,
    plan: Plan | None = None,
) -> tuple[Coefficient, ...]:
    """Return every measure that fits the scale, for two judges or a judge and a human.

    Formula: every measure of two judges that fits the scale, as in the function of its name.

    Source: as in the functions of these names; intervals: seeded bootstrap over cases (Efron 1987,
    JASA 82), Wilson (1927) for the share of identical verdicts.

    Args:
        first: one judge's verdicts.
        second: the other's, on the same cases.
        scale: nominal gives identity, Cohen's kappa, AC1 and alpha; ordinal adds weighted
            kappas, AC2, ordinal alpha, Spearman and Kendall; interval adds interval alpha.
            Numbers that are not nominal also get the mean difference and consistency.
        categories: the whole scale in order; needed for ordered words.
        span: width of the scale, for consistency.
        clusters: the case of each row, where a case has several rows.
        case_weights: importance of each row.
        plan: level, method, resamples, seed, and fewest cases.

    >>> made = pair_agreement([1, 0] * 20, [1, 0] * 18 + [0, 0] * 2, plan=Plan(resamples=100))
    >>> [(one.name, round(one.value or 0, 3)) for one in made][:2]
    [('share_identical', 0.95), ('cohen_kappa', 0.9)]
    """
    ratings = read_pair(first, second, categories)
    _check_order(ratings, scale, categories)
    statistics: dict[str, Statistic] = {
        "share_identical": identical_statistic(ratings),
        "cohen_kappa": cohen_statistic(ratings, None),
        "gwet_ac1": gwet_statistic(ratings, None),
        "krippendorff_alpha_nominal": alpha_statistic(ratings, "nominal"),
    }
    if scale != "nominal":
        statistics |= {
            "cohen_kappa_linear": cohen_statistic(ratings, "linear"),
            "cohen_kappa_quadratic": cohen_statistic(ratings, "quadratic"),
            "gwet_ac2_quadratic": gwet_statistic(ratings, "quadratic"),
            "krippendorff_alpha_ordinal": alpha_statistic(ratings, "ordinal"),
            "spearman": spearman_statistic(ratings),
            "kendall": kendall_statistic(ratings),
        }
        if _numeric(ratings):
            distance = distance_statistic(ratings)
            statistics["mean_absolute_difference"] = distance
            statistics["consistency"] = lambda drawn: 1.0 - distance(drawn) / span
    if scale == "interval":
        statistics["krippendorff_alpha_interval"] = alpha_statistic(ratings, "interval")
    return _table(statistics, ratings, clusters, case_weights, plan)


def jury_agreement(
    verdicts: Iterable[Sequence[Any]],
    *,
    scale: Scale = "nominal",
    categories: Sequence[Any] | None = None,
    clusters: Sequence[Hashable] | None = None,
    case_weights: Sequence[float] | None = None,
    plan: Plan | None = None,
) -> tuple[Coefficient, ...]:
    """Return every measure that fits the scale, for a whole jury.

    These are the share of identical verdicts, Fleiss' kappa, AC1 or AC2, and alpha.

    Formula: every measure of a whole jury that fits the scale, as in the function of its name.

    Source: as in the functions of these names; intervals as in `pair_agreement`.

    >>> made = jury_agreement([[1, 1, 1], [0, 0, 1]] * 10, plan=Plan(resamples=100))
    >>> made[0].name, made[0].value
    ('share_identical', 0.5)
    """
    ratings = read_ratings(verdicts, categories)
    _check_order(ratings, scale, categories)
    statistics: dict[str, Statistic] = {
        "share_identical": identical_statistic(ratings),
        "fleiss_kappa": fleiss_statistic(ratings),
        "gwet_ac1": gwet_statistic(ratings, None),
        "krippendorff_alpha_nominal": alpha_statistic(ratings, "nominal"),
    }
    if scale != "nominal":
        statistics["gwet_ac2_quadratic"] = gwet_statistic(ratings, "quadratic")
        statistics["krippendorff_alpha_ordinal"] = alpha_statistic(ratings, "ordinal")
    if scale == "interval":
        statistics["krippendorff_alpha_interval"] = alpha_statistic(ratings, "interval")
    return _table(statistics, ratings, clusters, case_weights, plan)


def _check_order(ratings: Ratings, scale: Scale, categories: Sequence[Any] | None) -> None:
    if scale == "ordinal" and categories is None and not _numeric(ratings):
        raise UsageError("words have no order: give the categories from lowest to highest")


def _numeric(ratings: Ratings) -> bool:
    return all(is_number(category) for category in ratings.categories)


def _table(
    statistics: Mapping[str, Statistic],
    ratings: Ratings,
    clusters: Sequence[Hashable] | None,
    case_weights: Sequence[float] | None,
    plan: Plan | None,
) -> tuple[Coefficient, ...]:
    """Resample once for all measures."""
    plan = plan or Plan()
    rows = len(ratings.codes)
    usable = (ratings.codes != MISSING).sum(axis=1) > 1
    labels = clusters if clusters is not None else range(rows)
    if len(labels) != rows:
        raise UsageError(f"{len(labels)} cluster labels for {rows} cases")
    kept = np.flatnonzero(usable)
    n = len({labels[row] for row in kept.tolist()})
    if n < plan.fewest:
        warning = f"{n} cases with two verdicts are too few (at least {plan.fewest})"
        return tuple(
            Coefficient(name, None, None, n, ratings.missing, warning) for name in statistics
        )

    def statistic(drawn: Floats) -> Floats:
        return np.column_stack([measure(drawn) for measure in statistics.values()])

    weights = _case_weights(case_weights, rows)
    intervals = bootstrap_many(statistic, list(labels), weights=weights, plan=plan)
    too_rare = _too_rare(ratings, labels, kept)
    interval_of = dict(zip(statistics, (replace(one, n=n) for one in intervals), strict=True))
    if case_weights is None:
        interval_of["share_identical"] = _of_identical(ratings, labels, kept, plan)
    return tuple(
        _coefficient(name, interval, ratings.missing, too_rare)
        for name, interval in interval_of.items()
    )


def _of_identical(
    ratings: Ratings, labels: Sequence[Hashable], kept: NDArray[np.int_], plan: Plan
) -> Interval:
    """Return Wilson's interval for the share of cases on which all verdicts are the same."""
    same = [len(set(ratings.codes[row].tolist()) - {MISSING}) == 1 for row in kept.tolist()]
    return share_interval(same, [labels[row] for row in kept.tolist()], plan.level)


LEAST_RARE = 7
LEAST_SHARED = 3
"""The least number of cases with a rare verdict, and of cases on which two judges share one.

With fewer, the 95 % intervals of kappa, alpha and rank correlations covered the true value in only
0 to 91 % of simulations (docs/intervals.md).
"""


def _too_rare(ratings: Ratings, labels: Sequence[Hashable], kept: NDArray[np.int_]) -> str:
    """Return why there is no interval: most verdicts are the same, and few cases have another."""
    counts = ratings.counts[kept]
    total = counts.sum(axis=0)
    if total.max() <= total.sum() / 2:
        return ""
    others = np.delete(counts, int(total.argmax()), axis=1)

    def cases(least: int) -> int:
        rows = np.flatnonzero(others.max(axis=1, initial=0) >= least)
        return len({labels[row] for row in kept[rows].tolist()})

    rare, shared = cases(1), cases(2)
    if rare >= LEAST_RARE and shared >= LEAST_SHARED:
        return ""
    return (
        f"{rare} cases have a verdict other than the commonest, and on {shared} two judges share "
        f"it: too few for an interval (at least {LEAST_RARE} and {LEAST_SHARED})"
    )


_HOLD = ("share_identical", "gwet_ac1", "gwet_ac2_quadratic", "mean_absolute_difference",
         "consistency")  # fmt: skip


def _coefficient(name: str, interval: Interval, missing: int, too_rare: str) -> Coefficient:
    defined = not np.isnan(interval.estimate)
    if defined and too_rare and name not in _HOLD:
        return Coefficient(name, interval.estimate, None, interval.n, missing, too_rare)
    return Coefficient(
        name,
        interval.estimate if defined else None,
        interval if defined else None,
        interval.n,
        missing,
        interval.warning,
    )
