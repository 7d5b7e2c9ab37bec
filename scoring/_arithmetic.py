"""Small arithmetic that several scores share."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SAME = 1e-9
"""Scores no further apart are equal: sums of the same terms in another order differ by rounding."""


def ratio(part: float, whole: float) -> float:
    """Divide; NaN where there is nothing to divide by."""
    return part / whole if whole else math.nan


def harmonic(precision: float, recall: float) -> float:
    """Harmonic mean of two shares; 0 where both are 0, NaN where one is NaN."""
    both = precision + recall
    return 2 * precision * recall / both if both else both


def signs(differences: Floats) -> Floats:
    """1, 0 or -1 for each difference, 0 for what rounding leaves of none; NaN stays."""
    marks: Floats = np.sign(np.where(np.abs(differences) <= SAME, 0.0, differences))
    return marks


def tau_b(first: Floats, second: Floats) -> Floats:
    """Kendall's tau-b along the last axis: (b, models) twice to (b,); NaN where all tie."""
    a = signs(first[:, :, None] - first[:, None, :])
    b = signs(second[:, :, None] - second[:, None, :])
    untied = (a * a).sum(axis=(1, 2)) * (b * b).sum(axis=(1, 2))
    result: Floats = (a * b).sum(axis=(1, 2)) / np.sqrt(np.where(untied > 0, untied, np.nan))
    return result


def too_few(n: int, fewest: int) -> str:
    """Say that there are too few cases for an interval."""
    return f"{n} cases are too few for an interval (at least {fewest})"
