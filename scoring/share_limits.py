"""Intervals of shares that hold at the edges: Wilson's, and Bonett and Price's for differences.

A bootstrap of 0 "yes" among 176 draws 0 every time and would print [0, 0]. Wilson's interval
(Wilson 1927, JASA 22) holds there. Several items of one case (or pair) are not independent: then
n* takes the place of n, the number of independent items that would tell as much (Korn and
Graubard 1998, Survey Methodology 24): n* = n / d, where d, the design effect, is the variance of
the share over cases,

    v = k / (k - 1) * sum_i (y_i - p m_i)^2 / n^2,   y_i "yes" of m_i items of case i, k cases,

over that of n independent items, p (1 - p) / (n - 1). With one item a case d is 1. A share of 0 or
1 says nothing about d: then n* is k, as if the items of a case always went together.
"""

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist

import numpy as np

from ..errors import UsageError
from ._arithmetic import too_few
from .bootstrap import Floats, Interval, Plan


def share_interval(
    marks: Sequence[bool | float], clusters: Sequence[Hashable] | None = None, level: float = 0.95
) -> Interval:
    """Put Wilson's interval around a share; items of one case count as dependent.

    Formula: as `wilson`, with the effective number of items n* in the place of n (the module's
    text has it).

    Source: Wilson (1927), JASA 22; Korn and Graubard (1998), Survey Methodology 24.

    Args:
        marks: yes (True or 1) or no (False or 0), one an item.
        clusters: the case of each item, where a case has several.
        level: of the interval.

    Returns:
        The interval; its `n` counts cases. NaN, with a warning, where there is no item.

    Raises:
        UsageError: lists of different lengths, or a level that is none.

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
        held = totals.setdefault(label, [0.0, 0.0])
        held[0] += mark
        held[1] += 1
    table = np.array(list(totals.values()), dtype=float).reshape(-1, 2)
    return share_of_sums(table[:, 0], table[:, 1], level)


def share_of_sums(yes: Floats, items: Floats, level: float = 0.95, *, fewest: int = 1) -> Interval:
    """Put Wilson's interval around a share whose items are already summed by case.

    Formula: as `share_interval`, y_i of m_i items in case i.

    Source: Wilson (1927), JASA 22; Korn and Graubard (1998), Survey Methodology 24.

    Source: Wilson (1927), JASA 22; Korn and Graubard (1998), Survey Methodology 24.

    Args:
        yes: how many items of each case are "yes", one a case.
        items: how many items each case has; a case without any does not count.
        level: of the interval.
        fewest: with fewer cases the limits are NaN, and a warning says so.

    >>> round(share_of_sums(np.array([1.0, 0.0]), np.array([1.0, 1.0])).low, 4)
    0.0945
    """
    Plan(level=level)  # refuses what is no level
    there = items > 0
    yes, items = yes[there], items[there]
    n, k = float(items.sum()), int(there.sum())
    if not k:
        nan, why = math.nan, "there is no item with a verdict"
        return Interval(nan, nan, nan, level, "wilson", 0, 0, 0, warning=why)
    share = float(yes.sum()) / n
    if k < fewest:
        nan = math.nan
        return Interval(share, nan, nan, level, "wilson", k, 0, 0, warning=too_few(k, fewest))
    low, high = wilson(share, _effective(yes, items, share), level)
    return Interval(share, low, high, level, "wilson", k, 0, 0)


def wilson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a share of n independent items.

    Formula: (p + z^2/2n ± z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n), z the normal quantile.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical
    inference", JASA 22.

    Args:
        share: p, 0 to 1.
        n: how many items; may be a fraction (an effective number).
        level: of the interval.

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
    """Bonett and Price's interval for the difference of two shares over the same n cases.

    Formula: with a = (first_only + 1) / (n + 2) and b = (second_only + 1) / (n + 2):
    a - b ± z sqrt((a + b - (a - b)^2) / (n + 2)), within -1..1.

    Source: Bonett and Price (2012), "Adjusted Wald confidence interval for a difference of
    binomial proportions based on paired data", JEBS 37.

    Args:
        first_only: cases on which only the first has a "yes".
        second_only: cases on which only the second has.
        n: all cases.
        level: of the interval.

    Raises:
        UsageError: counts that do not fit into n.

    >>> low, high = paired_share_interval(8, 2, 50)
    >>> round(low, 4), round(high, 4)
    (-0.0114, 0.2421)
    """
    if min(first_only, second_only) < 0 or first_only + second_only > n or n < 1:
        raise UsageError(f"{first_only} and {second_only} cases do not fit into {n}")
    z = NormalDist().inv_cdf((1 + level) / 2)
    a, b = (first_only + 1) / (n + 2), (second_only + 1) / (n + 2)
    reach = z * math.sqrt((a + b - (a - b) ** 2) / (n + 2))
    return max(-1.0, a - b - reach), min(1.0, a - b + reach)


def _effective(yes: Floats, items: Floats, share: float) -> float:
    """The number of independent items that would tell as much."""
    n, k = float(items.sum()), len(items)
    if (items == 1).all():
        return n
    if k == 1 or share in (0.0, 1.0):
        return float(k)
    spread = math.fsum(((yes - share * items) ** 2).tolist())
    variance = k / (k - 1) * spread / n**2
    design = variance / (share * (1 - share) / (n - 1)) if n > 1 else 1.0
    return min(n, max(1.0, n / design)) if design > 0 else n
