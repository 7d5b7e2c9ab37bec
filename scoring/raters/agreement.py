"""Agreement of judges with each other and with humans, as tables of all measures.

Each number has a bootstrap interval over cases. With too few cases a warning replaces the number.
The single coefficients are in `coefficients`. Verdicts of a jury are a sequence of cases; each
case is a sequence with one entry per judge. None, NaN and `FAILED` are missing verdicts.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UsageError
from ...files.counted import counted, too_few
from ..bootstrap import Floats, Interval, Plan, Statistic, bootstrap_many
from ..share_limits import share_interval
from ._alpha import alpha_statistic
from ._correlation import (
    distance_statistic,
    identical_statistic,
    kendall_statistic,
    spearman_statistic,
)
from ._kappa import cohen_statistic, fleiss_statistic, gwet_statistic
from ._ratings import (
    MISSING,
    Ratings,
    Scale,
    is_number,
    read_pair,
    read_ratings,
    scaled_weights,
)


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

    Args:
        verdicts: one row for each case, with a verdict of each judge; None where there is none.
        scale: nominal, ordinal or interval.
        categories: the levels of the scale in order; by default the values that occur, sorted.
        clusters: the case of each row, if a case has several.
        case_weights: the weight of each case; by default all weigh the same.
        plan: level, method, resamples and seed of the intervals.

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
        warning = too_few(
            n, "case with two verdicts", plan.fewest, plural="cases with two verdicts"
        )
        return tuple(
            Coefficient(name, None, None, n, ratings.missing, warning) for name in statistics
        )

    def statistic(drawn: Floats) -> Floats:
        return np.column_stack([measure(drawn) for measure in statistics.values()])

    weights = scaled_weights(case_weights, rows)
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
        f"{counted(rare, 'case')} with a verdict other than the commonest, and {shared} on which "
        f"two judges share it: too few for an interval (at least {LEAST_RARE} and {LEAST_SHARED})"
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
