"""Seeded cluster bootstrap over cases, which every number with an interval uses.

A statistic is a function of case weights. It takes an array of shape (b, rows), with one row of
weights per resample, and returns b values, or (b, k) for k numbers at once. A resample draws whole
clusters (cases) with replacement; a weight is the number of times that a row was drawn. One matrix
product computes all resamples. All models share the same resamples, so that differences between
models are paired.

Percentile and BCa limits: Efron (1987), "Better bootstrap confidence intervals", JASA 82. The
acceleration comes from a jackknife over at most 200 seeded groups of clusters, so that the cost
grows linearly with the number of cases.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from ..files.counted import too_few
from ._arithmetic import SAME
from ._sample import Clusters as Clusters
from ._sample import Floats as Floats
from ._sample import Mask as Mask
from ._sample import Sample, columns_of, quantiles_by_column
from ._sample import Statistic as Statistic

Method = Literal["bca", "percentile"]

FEWEST_CASES = 10
"""With fewer clusters there is a warning and no interval."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A number with its confidence limits.

    `low` and `high` are NaN if no reliable limits exist; `warning` says why. `n` is the number of
    clusters (cases) that the number uses. `undefined` is the number of resamples in which the
    statistic had no value; they are left out.
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str
    n: int
    resamples: int
    seed: int
    undefined: int = 0
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """How to resample: limits at `level` by `method`, from `resamples` draws with `seed`.

    With fewer than `fewest` clusters there is no interval.
    """

    method: Method = "bca"
    level: float = 0.95
    resamples: int = 2000
    seed: int = 0
    fewest: int = FEWEST_CASES

    def __post_init__(self) -> None:
        if self.method not in ("bca", "percentile"):
            raise UsageError(f"method is {self.method!r}; choose 'bca' or 'percentile'")
        if not 0 < self.level < 1:
            raise UsageError(f"level is {self.level}; it must lie between 0 and 1")
        if self.resamples < 1:
            raise UsageError(f"resamples is {self.resamples}; at least 1 is needed")


@dataclass(frozen=True, slots=True)
class Difference:
    """First minus second on the same resampled cases.

    `p_value` is two-sided: twice the smaller share of resamples on one side of zero, at
    least 2 / (resamples + 1) and at most 1. It is NaN if there are too few cases or no resample
    has a value. `cases` is the number of cases that both resolved; `paired_differences` sets it.
    """

    interval: Interval
    p_value: float
    cases: int = 0


def bootstrap_interval(
    statistic: Statistic,
    clusters: Clusters,
    *,
    weights: Sequence[float] | Floats | None = None,
    plan: Plan | None = None,
) -> Interval:
    """Put an interval around one number.

    Formula: the quantiles of the number over resampled cases; BCa shifts them by bias and
    skewness.

    Source: Efron (1987), "Better bootstrap confidence intervals", JASA 82.

    Args:
        statistic: weights (b, rows) to values (b,).
        clusters: the number of rows, if each is its own cluster; else the cluster of each row.
        weights: importance of each row (default 1), multiplied into the drawn counts.
        plan: level, method, resamples, seed.

    Returns:
        the number over all rows with its limits, or NaN limits and a warning.

    >>> from dxjudge.scoring import mean_statistic
    >>> made = bootstrap_interval(mean_statistic([0.2, 0.4, 0.9] * 10), 30)
    >>> round(made.estimate, 2), made.low < 0.5 < made.high
    (0.5, True)
    """
    return bootstrap_many(statistic, clusters, weights=weights, plan=plan)[0]


def bootstrap_many(
    statistic: Statistic,
    clusters: Clusters,
    *,
    weights: Sequence[float] | Floats | None = None,
    present: Mask | None = None,
    plan: Plan | None = None,
) -> tuple[Interval, ...]:
    """Put intervals around k numbers that one statistic computes: (b, rows) to (b, k).

    `present` (rows x k) says which rows each number uses (default: all), so that a number over
    too few of the cases has a warning.

    Formula: as `bootstrap_interval`, for k numbers on the same resamples.

    Source: Efron (1987), "Better bootstrap confidence intervals", JASA 82.

    Args:
        statistic: weights (b, rows) to k values (b, k).
        clusters: the number of rows, if each is its own cluster; else the cluster of each row.
        weights: importance of each row (default 1), multiplied into the drawn counts.
        present: rows x k: which rows each number uses; by default all.
        plan: level, method, resamples and seed of the intervals.

    Returns:
        one interval for each number.

    >>> rng = np.random.default_rng(0)
    >>> table = rng.random((50, 2))
    >>> made = bootstrap_many(lambda drawn: drawn @ table / drawn.sum(axis=1, keepdims=True), 50)
    >>> [one.low < one.estimate < one.high for one in made]
    [True, True]
    """
    return _resample(statistic, clusters, weights, present, plan or Plan())[0]


def bootstrap_t(
    statistic: Statistic, present: Mask, plan: Plan, *, floor: float = -np.inf
) -> tuple[Interval, ...]:
    """Put bootstrap-t intervals around k numbers whose standard errors are known.

    Formula: estimate - q s, with q the quantiles of (value - estimate) / s over the resamples, each
    with its own standard error s.

    Source: Hall (1988), "Theoretical comparison of bootstrap confidence intervals", Annals of
    Statistics 16.

    Args:
        statistic: weights (b, rows) to (b, 2 k): the numbers, then their standard errors.
        present: rows x k, which rows each number uses.
        plan: level, resamples, seed, fewest rows; the method is always bootstrap-t.
        floor: the least value that the number can have.

    Returns:
        The intervals. There are no limits (with a warning) if more than 1 in 20 resamples have no
        standard error.

    >>> values = np.array([0.2, 0.4, 0.9] * 10)
    >>> def mean_and_error(drawn):
    ...     n = drawn.sum(axis=1)
    ...     mean = drawn @ values / n
    ...     return np.column_stack([mean, np.sqrt((drawn @ values**2 / n - mean**2) / n)])
    >>> (one,) = bootstrap_t(mean_and_error, np.ones((30, 1), dtype=bool), Plan(resamples=200))
    >>> round(one.estimate, 2), one.low < 0.5 < one.high
    (0.5, True)
    """
    rows = len(present)
    estimate, error = np.split(statistic(np.ones((1, rows)))[0], 2)
    drawn = Sample.of(rows, None).replicates(statistic, plan.resamples, plan.seed)
    values, errors = np.split(drawn, 2, axis=1)
    small = SAME * np.fmax(1.0, np.abs(estimate))
    known = errors > small
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.where(known, (values - estimate) / np.where(known, errors, 1.0), np.nan)
    ordered = np.sort(ratios, axis=0)  # NaN sorts last
    undefined = np.isnan(ratios).sum(axis=0)
    tail = np.full(len(estimate), (1 - plan.level) / 2)
    low, high = (
        np.maximum(floor, estimate - error * quantiles_by_column(ordered, undefined, at))
        for at in (1 - tail, tail)
    )
    return tuple(
        _studentised(float(estimate[k]), float(low[k]), float(high[k]), int(n), int(undefined[k]),
                     constant=bool(error[k] <= small[k]), plan=plan)
        for k, n in enumerate(present.sum(axis=0))
    )  # fmt: skip


def _studentised(
    estimate: float, low: float, high: float, n: int, undefined: int, *, constant: bool, plan: Plan
) -> Interval:
    warning = None
    if n < plan.fewest:
        warning = too_few(n, "case", plan.fewest, " for an interval")
    elif np.isnan(estimate):
        warning = "the number is not defined on these cases"
    elif constant:
        warning = "all cases have the same ratio: there is no interval"
    elif undefined > plan.resamples / 20:
        warning = f"no standard error in {undefined:,} of {plan.resamples:,} resamples"
    if warning:
        low = high = float("nan")
    low, high = min(low, estimate), max(high, estimate)
    return Interval(
        estimate, low, high, plan.level, "bootstrap-t", n, plan.resamples, plan.seed, undefined,
        warning,
    )  # fmt: skip


def replicates(
    statistic: Statistic,
    clusters: Clusters,
    *,
    weights: Sequence[float] | Floats | None = None,
    plan: Plan | None = None,
) -> Floats:
    """Return the resampled values themselves, (resamples, k).

    Formula: the number on each resample, in the order of the seed.

    Source: Efron (1987), JASA 82.

    Args:
        statistic: weights (b, rows) to values (b, k).
        clusters: the number of rows, if each is its own cluster; else the cluster of each row.
        weights: importance of each row (default 1), multiplied into the drawn counts.
        plan: resamples and seed.

    >>> from dxjudge.scoring import mean_statistic
    >>> replicates(mean_statistic([0.0, 1.0] * 10), 20, plan=Plan(resamples=50)).shape
    (50, 1)
    """
    plan = plan or Plan()
    return Sample.of(clusters, weights).replicates(statistic, plan.resamples, plan.seed)


def bootstrap_differences(
    statistic: Statistic,
    clusters: Clusters,
    *,
    weights: Sequence[float] | Floats | None = None,
    present: Mask | None = None,
    plan: Plan | None = None,
) -> tuple[Difference, ...]:
    """Test k numbers against zero: a statistic whose values are differences, (b, k).

    `present` as in `bootstrap_many`.

    Formula: interval as `bootstrap_many`; p = 2 (1 + least number of resamples on one side of
    0) / (1 + resamples), at most 1.

    Source: Davison and Hinkley (1997), "Bootstrap Methods and their Application", section 4.4.

    Args:
        statistic: weights (b, rows) to k differences (b, k).
        clusters: the number of rows, if each is its own cluster; else the cluster of each row.
        weights: importance of each row (default 1), multiplied into the drawn counts.
        present: rows x k: which rows each number uses; by default all.
        plan: level, method, resamples and seed of the intervals.

    Returns:
        one difference for each number, with its interval and p-value.

    >>> from dxjudge.scoring import mean_statistic
    >>> made = bootstrap_differences(mean_statistic([0.1, 0.3] * 20), 40, plan=Plan(resamples=999))
    >>> round(made[0].p_value, 3)
    0.002
    """
    intervals, values = _resample(statistic, clusters, weights, present, plan or Plan())
    least = (plan or Plan()).fewest
    return tuple(
        Difference(interval, float("nan") if interval.n < least else _sign_p_value(column))
        for interval, column in zip(intervals, values.T, strict=True)
    )


def _resample(
    statistic: Statistic,
    clusters: Clusters,
    weights: Sequence[float] | Floats | None,
    present: Mask | None,
    plan: Plan,
) -> tuple[tuple[Interval, ...], Floats]:
    sample = Sample.of(clusters, weights)
    if sample.rows == 0:
        raise UsageError("there is no case to resample")
    estimate = columns_of(statistic(sample.weights[None, :]))[0]
    values = sample.replicates(statistic, plan.resamples, plan.seed)
    skew = sample.accelerations(statistic, plan.seed) if plan.method == "bca" else None
    sizes = sample.sizes(present, len(estimate))
    return _intervals(estimate, values, skew, sizes, plan), values


def _sign_p_value(differences: Floats) -> float:
    """Return the two-sided share of resampled differences beyond zero; NaN ones are left out.

    A difference within rounding error of zero is on both sides, like zero.
    """
    values = differences[~np.isnan(differences)]
    if not values.size:
        return float("nan")
    side = min(np.count_nonzero(values <= SAME), np.count_nonzero(values >= -SAME))
    return float(min(1.0, 2 * (side + 1) / (values.size + 1)))


def _intervals(
    estimate: Floats,
    values: Floats,
    accelerations: Floats | None,
    sizes: list[int],
    plan: Plan,
) -> tuple[Interval, ...]:
    """Turn replicates (resamples, k) into k intervals around `estimate` (k,)."""
    undefined = np.isnan(values).sum(axis=0)
    ordered = np.sort(values, axis=0)  # NaN sorts last
    low_at, high_at = _quantiles(estimate, ordered, undefined, accelerations, plan.level)
    low = quantiles_by_column(ordered, undefined, low_at)
    high = quantiles_by_column(ordered, undefined, high_at)
    return tuple(
        _interval(float(estimate[k]), float(low[k]), float(high[k]), n, int(undefined[k]), plan)
        for k, n in enumerate(sizes)
    )


_CONSTANT = "every resample gave the same value: there is no interval"


def _interval(
    estimate: float, low: float, high: float, n: int, undefined: int, plan: Plan
) -> Interval:
    warning = None
    if n < plan.fewest:
        warning = too_few(n, "case", plan.fewest, " for an interval")
        low = high = float("nan")
    elif np.isnan(estimate) or np.isnan(low) or np.isnan(high):
        warning = "the number is not defined on these cases"
        low = high = float("nan")
    elif low == high:
        warning = _CONSTANT
        low = high = float("nan")
    # With few distinct values BCa limits can exclude the estimate; widen them to include it.
    low, high = min(low, estimate), max(high, estimate)
    return Interval(
        estimate, low, high, plan.level, plan.method, n, plan.resamples, plan.seed,
        undefined, warning,
    )  # fmt: skip


def _quantiles(
    estimate: Floats,
    ordered: Floats,
    undefined: NDArray[np.int_],
    accelerations: Floats | None,
    level: float,
) -> tuple[Floats, Floats]:
    """Return which quantiles of the replicates are the limits, one pair per column."""
    tail = (1 - level) / 2
    if accelerations is None:
        return np.full(len(estimate), tail), np.full(len(estimate), 1 - tail)
    from scipy.special import ndtr, ndtri

    valid = np.maximum(len(ordered) - undefined, 1)
    # Half-counted ties keep a discrete statistic unbiased; sums of another order still tie.
    near = SAME * np.fmax(np.abs(ordered[0]), np.abs(np.fmax.reduce(ordered, axis=0)))
    with np.errstate(invalid="ignore"):
        below = (ordered < estimate - near).sum(axis=0) + (ordered <= estimate + near).sum(axis=0)
    # The clip keeps z0 finite.
    share = np.clip(below / (2 * valid), 0.5 / valid, 1 - 0.5 / valid)
    z0 = ndtri(share)
    limits = []
    for z in (ndtri(tail), ndtri(1 - tail)):
        limits.append(ndtr(z0 + (z0 + z) / (1 - accelerations * (z0 + z))))
    return limits[0], limits[1]
