"""Intervals of shares that are valid near 0 and 1: Wilson's, and Bonett and Price's.

A bootstrap of 0 "yes" among 176 items draws 0 every time and gives [0, 0]. Wilson's interval
(Wilson 1927, JASA 22) is valid there. Several items of one case (or pair) are not independent. For
them n* replaces n: the number of independent items with the same information (Korn and Graubard
1998, Survey Methodology 24). n* = n / d, where d is the design effect: the variance of the share
over cases,

    v = k / (k - 1) * sum_i (y_i - p m_i)^2 / n^2,   y_i "yes" of m_i items of case i, k cases,

divided by that of n independent items, p (1 - p) / (n - 1). With one item per case d is 1. A share
of 0 or 1 does not determine d: then n* is k, as if all items of a case were always the same.
"""

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist

import numpy as np

from ..errors import UsageError
from ..files.counted import counted, too_few
from .bootstrap import Floats, Interval, Plan


def share_interval(
    marks: Sequence[bool | float], clusters: Sequence[Hashable] | None = None, level: float = 0.95
) -> Interval:
    """Put Wilson's interval around a share; items of one case count as dependent.

    Formula: as `wilson`, with n* instead of n. n* = n / d, d the variance of the share over cases
    / that over independent items; n* is the number of cases for a share of 0 or 1.

    Source: Wilson (1927), JASA 22; Korn and Graubard (1998), Survey Methodology 24.

    Args:
        marks: one per item: yes (True or 1) or no (False or 0).
        clusters: the case of each item, if a case has several items.
        level: the level of the interval.

    Returns:
        The interval; its `n` is the number of cases. NaN with a warning if there is no item.

    Raises:
        UsageError: lists of different lengths, or a level outside 0..1.

    >>> made = share_interval([True] * 2 + [False] * 8)
    >>> round(made.estimate, 2), round(made.low, 4), round(made.high, 4)
    (0.2, 0.0567, 0.5098)
    >>> round(share_interval([False] * 176).high, 4)
    0.0214
    """
    labels = list(range(len(marks))) if clusters is None else list(clusters)
    if len(marks) != len(labels):
        raise UsageError(f"{len(marks)} items but {len(labels)} cases")
    totals: dict[Hashable, list[float]] = {}
    for mark, label in zip(marks, labels, strict=True):
        total = totals.setdefault(label, [0.0, 0.0])
        total[0] += mark
        total[1] += 1
    table = np.array(list(totals.values()), dtype=float).reshape(-1, 2)
    return share_of_sums(table[:, 0], table[:, 1], level)


def share_of_sums(yes: Floats, items: Floats, level: float = 0.95, *, fewest: int = 1) -> Interval:
    """Put Wilson's interval around a share whose items are already summed by case.

    Formula: as `share_interval`, y_i of m_i items in case i.

    Source: Wilson (1927), JASA 22; Korn and Graubard (1998), Survey Methodology 24.

    Args:
        yes: the number of "yes" items of each case.
        items: the number of items of each case; a case without items does not count.
        level: the level of the interval.
        fewest: with fewer cases the limits are NaN, with a warning.

    Returns:
        the share with its limits, or NaN limits and a warning.

    >>> round(share_of_sums(np.array([1.0, 0.0]), np.array([1.0, 1.0])).low, 4)
    0.0945
    """
    Plan(level=level)  # raises UsageError for a level outside 0..1
    there = items > 0
    yes, items = yes[there], items[there]
    n, k = float(items.sum()), int(there.sum())
    if not k:
        nan, why = math.nan, "no item has a verdict"
        return Interval(nan, nan, nan, level, "wilson", 0, 0, 0, warning=why)
    share = float(yes.sum()) / n
    if k < fewest:
        nan = math.nan
        why = too_few(k, "case", fewest, " for an interval")
        return Interval(share, nan, nan, level, "wilson", k, 0, 0, warning=why)
    low, high = wilson(share, _effective(yes, items, share), level)
    return Interval(share, low, high, level, "wilson", k, 0, 0)


def weighted_share_interval(
    marks: Sequence[bool], weights: Sequence[float], level: float = 0.95
) -> Interval:
    """Put Wilson's interval around the share of weight that is right, from a random sample.

    The items were drawn at random, each with the same chance, and each stands for as many rows as
    its weight says. The interval is that of the effective number of items.

    Formula: p = sum w_i y_i / sum w_i; Wilson's interval with n* = (sum w_i)^2 / sum w_i^2.

    Source: Kish (1965), Survey Sampling, section 11.7; Wilson (1927), JASA 22.

    Args:
        marks: one per item: right or not.
        weights: of each item, above 0.
        level: the level of the interval.

    Returns:
        The interval; its `n` is the number of items. NaN with a warning if there is no item.

    Raises:
        UsageError: lists of different lengths, a weight that is not above 0, or a level outside
            0..1.

    >>> made = weighted_share_interval([True, True, False], [6, 3, 1])
    >>> round(made.estimate, 2), round(made.low, 4), round(made.high, 4)
    (0.9, 0.2942, 0.9949)
    """
    Plan(level=level)  # raises UsageError for a level outside 0..1
    if len(marks) != len(weights):
        raise UsageError(f"{len(marks)} items but {len(weights)} weights")
    if any(not weight > 0 for weight in weights):
        raise UsageError("a weight is not above 0")
    if not marks:
        nan, why = math.nan, "no item has a verdict"
        return Interval(nan, nan, nan, level, "wilson", 0, 0, 0, warning=why)
    total = math.fsum(weights)
    share = math.fsum(w for w, mark in zip(weights, marks, strict=True) if mark) / total
    effective = total**2 / math.fsum(w * w for w in weights)
    low, high = wilson(share, effective, level)
    return Interval(share, low, high, level, "wilson", len(marks), 0, 0)


def wilson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval for a share of n independent items.

    Formula: (p + z^2/2n ± z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n), z the normal quantile.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical
    inference", JASA 22.

    Args:
        share: p, 0 to 1.
        n: the number of items; it may be a fraction (an effective number).
        level: the level of the interval.

    >>> low, high = wilson(0.5, 10)
    >>> round(low, 4), round(high, 4)
    (0.2366, 0.7634)
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return (middle - reach if share > 0 else 0.0), (middle + reach if share < 1 else 1.0)


def paired_share_interval(
    first_only: int, second_only: int, n: int, level: float = 0.95
) -> tuple[float, float]:
    """Return Bonett and Price's interval for the difference of two shares over n cases.

    Formula: with a = (first_only + 1) / (n + 2) and b = (second_only + 1) / (n + 2):
    a - b ± z sqrt((a + b - (a - b)^2) / (n + 2)), within -1..1.

    Source: Bonett and Price (2012), "Adjusted Wald confidence interval for a difference of
    binomial proportions based on paired data", JEBS 37.

    Args:
        first_only: the number of cases on which only the first has a "yes".
        second_only: the number of cases on which only the second has one.
        n: the number of all cases.
        level: the level of the interval.

    Raises:
        UsageError: counts that do not fit into n.

    >>> low, high = paired_share_interval(8, 2, 50)
    >>> round(low, 4), round(high, 4)
    (-0.0114, 0.2421)
    """
    if min(first_only, second_only) < 0 or first_only + second_only > n or n < 1:
        raise UsageError(f"{first_only} and {second_only} do not fit into {counted(n, 'case')}")
    z = NormalDist().inv_cdf((1 + level) / 2)
    a, b = (first_only + 1) / (n + 2), (second_only + 1) / (n + 2)
    reach = z * math.sqrt((a + b - (a - b) ** 2) / (n + 2))
    return max(-1.0, a - b - reach), min(1.0, a - b + reach)


def _effective(yes: Floats, items: Floats, share: float) -> float:
    """Return n*, the number of independent items with the same information."""
    n, k = float(items.sum()), len(items)
    if (items == 1).all():
        return n
    if k == 1 or share in (0.0, 1.0):
        return float(k)
    spread = math.fsum(((yes - share * items) ** 2).tolist())
    variance = k / (k - 1) * spread / n**2
    design = variance / (share * (1 - share) / (n - 1)) if n > 1 else 1.0
    return min(n, max(1.0, n / design)) if design > 0 else n
