"""How many cases a comparison of two models on the same cases needs.

The pilot gives the variance of the paired differences. Cases that belong together (a cluster, such
as a pair of images) count through the variance of their sums, so that everything is computed over
clusters; a case without a cluster is a cluster of its own.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import UsageError
from ..bootstrap import Floats, Plan, replicates

_MOST = 10**9  # cases; a plan that needs more is not computed


@dataclass(frozen=True, slots=True)
class Pilot:
    """The paired differences of a pilot.

    difference: their mean, first minus second. cases: with both numbers. unresolved: the cases
    without one of them. clusters, size: the number of clusters and the mean number of cases in
    one. deviation: the standard deviation of the mean difference for one cluster, so that k
    clusters have the standard error deviation / sqrt(k). low, high: its limits by the bootstrap.
    design_effect: how many times more cases are needed than if no two belonged together.
    """

    difference: float
    cases: int
    unresolved: int
    clusters: int
    size: float
    deviation: float
    low: float
    high: float
    design_effect: float


def pilot_of(
    first: Sequence[float],
    second: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> Pilot:
    """Measure the paired differences of two models on the same cases.

    Formula: with d the differences, z_j their sum and m_j their number in cluster j of k, and N =
    sum m_j: deviation^2 = k * k / (k - 1) * sum (z_j - m_j mean d)^2 / N^2; design effect =
    deviation^2 / k over the variance of d over N.

    Source: variance of a ratio of sums over clusters (Cochran 1977, "Sampling Techniques",
    section 9A); design effect: Kish (1965), "Survey Sampling".

    Args:
        first: the scores of one model, one per case; NaN where the case is unresolved.
        second: the scores of the other model on the same cases.
        clusters: the cluster of each case; by default every case is its own.
        plan: level, resamples and seed of the limits of the deviation.

    Returns:
        the mean and the deviation of the differences, with limits, and the design effect.

    Raises:
        UsageError: lists of different lengths, or fewer than two clusters with both scores.

    >>> pilot = pilot_of([1, 1, 0, 0], [1, 0, 0, 1])
    >>> pilot.difference, round(pilot.deviation, 4), pilot.design_effect
    (0.0, 0.8165, 1.0)
    """
    if len(first) != len(second) or (clusters is not None and len(clusters) != len(first)):
        raise UsageError("the scores and clusters of a pilot must have the same length")
    apart = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    known = ~np.isnan(apart)
    names = list(range(len(apart))) if clusters is None else list(clusters)
    places: dict[Hashable, int] = {}
    at = [places.setdefault(n, len(places)) for n, k in zip(names, known, strict=True) if k]
    d, k = apart[known], len(places)
    if k < 2:
        raise UsageError(f"a pilot needs two cases or more with both scores, and it has {k}")
    sums, sizes = np.bincount(at, weights=d), np.bincount(at).astype(float)

    def squared(weights: Floats) -> Floats:
        total, count = weights @ sizes, weights.sum(axis=1)
        mean = (weights @ sums) / total
        rest = sums[None, :] - mean[:, None] * sizes[None, :]
        squares: Floats = (weights * rest**2).sum(axis=1) * count * count / (count - 1) / total**2
        return squares

    variance = float(squared(np.ones((1, k)))[0])
    single = float(d.var(ddof=1))
    plan = plan or Plan(resamples=1000)
    tail = (1 - plan.level) / 2
    low, high = np.quantile(replicates(squared, k, plan=plan), [tail, 1 - tail])
    return Pilot(
        float(d.mean()),
        len(d),
        int((~known).sum()),
        k,
        len(d) / k,
        math.sqrt(variance),
        math.sqrt(min(low, variance)),
        math.sqrt(max(high, variance)),
        variance / k / (single / len(d)) if single else 1.0,
    )


def power_of(difference: float, deviation: float, n: int, *, alpha: float = 0.05) -> float:
    """Return the chance that n independent units show a true difference, p < alpha.

    Formula: P(|T| > t) for T noncentral t with n - 1 degrees of freedom and noncentrality
    difference * sqrt(n) / deviation, t the quantile 1 - alpha / 2 of the central distribution.

    Source: two-sided paired t test (Cohen 1988, "Statistical Power Analysis", chapter 2).

    Args:
        difference: the true difference.
        deviation: the standard deviation of the differences.
        n: the number of units.
        alpha: the limit of the p-value.

    >>> round(power_of(0.1, 0.5, 199), 3)
    0.802
    """
    _check(deviation, alpha)
    if n < 2:
        return 0.0
    from scipy.special import nctdtr, stdtrit

    if deviation == 0:
        return 1.0 if difference else alpha
    shift, limit = abs(difference) * math.sqrt(n) / deviation, stdtrit(n - 1, 1 - alpha / 2)
    if shift > limit + 12:  # the power is 1, and the series of the distribution would not end
        return 1.0
    # Beyond 6 the other tail is below 1e-9, and its series may not converge.
    other_tail = nctdtr(n - 1, shift, -limit) if shift < 6 else 0.0
    return float(1 - nctdtr(n - 1, shift, limit) + other_tail)


def units_needed(
    difference: float, deviation: float, *, power: float = 0.8, alpha: float = 0.05
) -> int:
    """Return the least number of independent units with this power for a true difference.

    Formula: the smallest n with `power_of` (difference, deviation, n) >= power.

    Source: two-sided paired t test (Cohen 1988). For many units it is nearly ((z(1 - alpha / 2) +
    z(power)) deviation / difference)^2.

    Args:
        difference: the true difference.
        deviation: the standard deviation of the differences.
        power: the wished chance that p < alpha.
        alpha: the limit of the p-value.

    Raises:
        UsageError: a difference of 0, an alpha or a power outside 0 to 1, or more than a billion
            units.

    >>> units_needed(0.1, 0.5)
    199
    """
    _check(deviation, alpha, power)
    if not abs(difference) > 0:
        raise UsageError("a difference of 0 cannot be planned for; name one above 0")
    few, many = 1, 2
    while power_of(difference, deviation, many, alpha=alpha) < power:
        few, many = many, 2 * many
        if many > _MOST:
            raise UsageError(f"a difference of {difference:g} needs more than {_MOST:,} cases")
    while many - few > 1:
        middle = (few + many) // 2
        enough = power_of(difference, deviation, middle, alpha=alpha) >= power
        few, many = (few, middle) if enough else (middle, many)
    return many


def detectable_difference(
    deviation: float, n: int, *, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Return the least true difference that n independent units show with this power.

    Formula: the difference with `power_of` (difference, deviation, n) = power.

    Source: two-sided paired t test (Cohen 1988).

    Args:
        deviation: the standard deviation of the differences.
        n: the number of units.
        power: the wished chance that p < alpha.
        alpha: the limit of the p-value.

    Raises:
        UsageError: fewer than two units, or an alpha or a power outside 0 to 1.

    >>> round(detectable_difference(0.5, 199), 4)
    0.0998
    """
    _check(deviation, alpha, power)
    if n < 2:
        raise UsageError(f"{n} units cannot show a difference; two or more can")
    low, high = 0.0, max(deviation, 1e-12)
    while power_of(high, deviation, n, alpha=alpha) < power:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        enough = power_of(middle, deviation, n, alpha=alpha) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def _check(deviation: float, alpha: float, power: float = 0.5) -> None:
    for name, value in (("alpha", alpha), ("power", power)):
        if not 0 < value < 1:
            raise UsageError(f"{name} is {value}; it must be between 0 and 1")
    if power <= alpha:
        raise UsageError(f"power is {power}; it must be above alpha, which is {alpha}")
    if not deviation >= 0:
        raise UsageError(f"the standard deviation is {deviation}; it must be 0 or more")
