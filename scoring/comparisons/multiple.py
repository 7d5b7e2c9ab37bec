"""Correct p-values for the number of tests that are read together.

With 20 tests at 0.05, one is expected to look significant although no difference exists. The
p-values that are corrected together are a family; whoever calls these functions chooses it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import UsageError
from ..bootstrap import Floats

Places = NDArray[np.int_]


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values so that a family rarely holds even one false discovery.

    If every p-value below 0.05 counts as a difference, the chance that one or more of them is
    false is at most 5 %. This holds however the tests depend on each other.

    Formula: of m p-values in ascending order, the largest of (m - j + 1) p_j over j = 1 .. i, at
    most 1.

    Source: Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian
    Journal of Statistics 6.

    Args:
        p_values: one family; NaN stands for a test without a p-value. It stays NaN and is not
            counted.

    Returns:
        The corrected p-values in the same order.

    Raises:
        UsageError: a p-value is not between 0 and 1.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p, places = _ascending(p_values)
    m = len(places)
    factors = m - np.arange(m)
    return _placed(p, places, np.maximum.accumulate(factors * p[places]))


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Correct p-values so that few of the discoveries in a family are false.

    If every p-value below 0.05 counts as a difference, at most 5 % of these are expected to be
    false. This holds for independent tests and for many forms of positive dependence.

    Formula: of m p-values in ascending order, the smallest of m p_j / j over j = i .. m, at
    most 1.

    Source: Benjamini and Hochberg (1995), "Controlling the false discovery rate", JRSS B 57.

    Args:
        p_values: one family; NaN stands for a test without a p-value. It stays NaN and is not
            counted.

    Returns:
        The corrected p-values in the same order.

    Raises:
        UsageError: a p-value is not between 0 and 1.

    >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    p, places = _ascending(p_values)
    m = len(places)
    scaled = p[places] * (m / np.arange(1, m + 1))
    return _placed(p, places, np.minimum.accumulate(scaled[::-1])[::-1])


def _ascending(p_values: Sequence[float]) -> tuple[Floats, Places]:
    """Return the p-values and the places of the known ones, from the smallest to the largest."""
    p = np.asarray(p_values, dtype=float)
    wrong = p[(p < 0) | (p > 1)]
    if wrong.size:
        raise UsageError(f"{wrong[0]} is not a p-value; it must be between 0 and 1")
    order = np.argsort(p, kind="stable")  # NaN comes last
    return p, order[: int((~np.isnan(p)).sum())]


def _placed(p: Floats, places: Places, corrected: Floats) -> list[float]:
    result = np.full(len(p), np.nan)
    result[places] = np.minimum(corrected, 1.0)
    values: list[float] = result.tolist()
    return values
