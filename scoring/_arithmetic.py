"""Arithmetic that several scores share."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SAME = 1e-9
"""Scores that differ by at most this are equal, because sums in another order round differently."""


def ratio(part: float, whole: float) -> float:
    """Divide; NaN if `whole` is 0."""
    return part / whole if whole else math.nan


def harmonic(precision: float, recall: float) -> float:
    """Return the harmonic mean of two shares; 0 if both are 0, NaN if one is NaN."""
    both = precision + recall
    return 2 * precision * recall / both if both else both


def signs(differences: Floats) -> Floats:
    """Return 1, 0 or -1 for each difference; 0 within rounding error, NaN for NaN."""
    marks: Floats = np.sign(np.where(np.abs(differences) <= SAME, 0.0, differences))
    return marks


def tau_b(first: Floats, second: Floats) -> Floats:
    """Return Kendall's tau-b along the last axis, (b, models) twice to (b,); NaN if all tie."""
    a = signs(first[:, :, None] - first[:, None, :])
    b = signs(second[:, :, None] - second[:, None, :])
    untied = (a * a).sum(axis=(1, 2)) * (b * b).sum(axis=(1, 2))
    result: Floats = (a * b).sum(axis=(1, 2)) / np.sqrt(np.where(untied > 0, untied, np.nan))
    return result
