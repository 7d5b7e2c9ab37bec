"""How far apart the groups of a column are: the best group minus the worst.

The largest of several noisy numbers is too large on average and the smallest too small, so that
the gap between them is above zero even if all groups are equal. The functions here say how large
a gap chance alone would give, and their limits are valid for the true gap.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...errors import UsageError
from ..bootstrap import Floats


@dataclass(frozen=True, slots=True)
class SubgroupGap:
    """The largest minus the smallest number of several groups.

    largest, smallest: the places of these groups. value: the gap as measured. corrected: the gap
    without its estimated upward bias, at least 0. by_chance: the gap to expect if all groups had
    the same true number. low, high: limits of the true gap. p_value: of the hypothesis that all
    groups have the same true number.
    """

    largest: int
    smallest: int
    value: float
    corrected: float
    by_chance: float
    low: float
    high: float
    p_value: float


def subgroup_gap(
    estimates: Sequence[float],
    resampled: Floats,
    *,
    level: float = 0.95,
    sizes: Sequence[int] | None = None,
    errors: Sequence[float] | None = None,
) -> SubgroupGap:
    """Compare the groups of a column: the gap between the largest and the smallest number.

    Formula: gap g = max x - min x. With the resampled x*, noise e* = x* - x, s_ij the standard
    deviation of e*_i - e*_j: by chance = mean of (max e* - min e*); corrected = 2 g - mean of
    (max x* - min x*), at least 0 and at most g. With q the quantile of max |e*_i - e*_j| / s_ij at
    the level, the limits are max (|x_i - x_j| - q s_ij), at least 0, and max (|x_i - x_j| + q
    s_ij); p = (1 + resamples with max |e*_i - e*_j| / s_ij >= max |x_i - x_j| / s_ij) / (1 +
    resamples).

    Source: simultaneous limits of all pairs of groups, as Tukey's range test, with the bootstrap's
    distribution (Davison and Hinkley 1997, chapter 4); the correction is the bootstrap's estimate
    of bias (Efron and Tibshirani 1993, chapter 10).

    Args:
        estimates: the number of each group, at least two.
        resampled: the numbers of the groups on the same resampled cases, resamples x groups; a
            resample with NaN (a group without a case) is left out.
        level: of the limits.
        sizes: the number of cases of each group. With it, the noise of a group is widened by
            n / (n - 1) in its variance, and to the error that the pooled variance of all groups
            gives, where its own is smaller: the best group often looks too certain.
        errors: the least standard error of each group, for groups whose resamples do not differ
            (all cases right); by default 0.

    Returns:
        the gap between the largest and the smallest number, what it would be by chance, the
        corrected gap, limits and p.

    Raises:
        UsageError: fewer than two groups, or an array of another shape.

    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(scale=0.05, size=(999, 3))
    >>> gap = subgroup_gap([0.5, 0.9, 0.6], noise + [0.5, 0.9, 0.6])
    >>> gap.largest, gap.smallest, round(gap.value, 3), gap.low > 0.1, gap.p_value
    (1, 0, 0.4, True, 0.001)
    """
    x = np.asarray(estimates, dtype=float)
    if len(x) < 2 or resampled.ndim != 2 or resampled.shape[1] != len(x):
        raise UsageError("a gap needs two groups or more, with resampled numbers of each")
    drawn = resampled[~np.isnan(resampled).any(axis=1)]
    largest, smallest = int(x.argmax()), int(x.argmin())
    value = float(x[largest] - x[smallest])
    if not len(drawn) or math.isnan(value):
        return SubgroupGap(largest, smallest, value, *[math.nan] * 5)
    first, second = (list(side) for side in zip(*combinations(range(len(x)), 2), strict=True))
    noise = _widened(drawn - x, sizes)
    apart, far = noise[:, first] - noise[:, second], np.abs(x[first] - x[second])
    least = np.zeros(len(x)) if errors is None else np.asarray(errors, dtype=float)
    error = np.maximum(apart.std(axis=0), np.hypot(least[first], least[second]))
    scale = np.where(error > 0, error, np.inf)
    largest_noise = (np.abs(apart) / scale).max(axis=1)
    reach = float(np.quantile(largest_noise, level)) * error
    spread = float(np.ptp(drawn, axis=1).mean())
    beyond = int((largest_noise >= (far / scale).max()).sum())
    return SubgroupGap(
        largest,
        smallest,
        value,
        max(0.0, value - max(0.0, spread - value)),
        float(np.ptp(noise, axis=1).mean()),
        max(0.0, float((far - reach).max())),
        float((far + reach).max()),
        (1 + beyond) / (1 + len(drawn)),
    )


def _widened(noise: Floats, sizes: Sequence[int] | None) -> Floats:
    """Return the noise of each group, at least as wide as the pooled variance of all groups."""
    if sizes is None:
        return noise
    n = np.asarray(sizes, dtype=float)
    own = noise.std(axis=0) * np.sqrt(n / np.maximum(n - 1, 1))
    pooled = math.sqrt(float((n * n * own**2).sum() / n.sum()))
    wanted = np.maximum(own, pooled / np.sqrt(n))
    spread = noise.std(axis=0)
    wide: Floats = noise * np.divide(wanted, spread, out=np.ones(len(n)), where=spread > 0)
    return wide
