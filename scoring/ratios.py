"""Ratios of sums over cases, and combinations of two ratios.

Nearly every published number is a ratio of two sums over cases (a mean, a share, a micro F1), the
harmonic mean of two such ratios (HDF1), or the difference of two (the gap of MEDSYN). In this form
one matrix product computes all models and resamples.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from .bootstrap import Floats, Interval, Statistic

Combine = Literal["ratio", "clipped", "harmonic", "difference", "mean"]


def ratio_of_sums(numerators: Floats, denominators: Floats, how: Combine = "ratio") -> Floats:
    """Divide sums, and combine two such ratios.

    Formula: r = numerator / denominator; "clipped" min(max(r, 0), 1); "harmonic"
    2 r1 r2 / (r1 + r2), 0 where both are 0; "difference" r1 - r2; "mean" the mean of the ratios
    that are not NaN.

    Source: the harmonic mean of the mean precision and the mean recall is HDF1 of H-DDx; the
    difference of coverage and accuracy is the gap of MEDSYN; the mean over the abilities is the
    macro mean of MedLesionVQA; the mean of HealthBench is clipped to 0..1.

    Args:
        numerators: sums over cases, (..., 1) for "ratio" and "clipped", (..., k) for "mean",
            (..., 2) for the other two.
        denominators: the same shape; a ratio over nothing (0) is NaN.
        how: how to combine the ratios.

    Returns:
        An array of the leading shape (...).

    >>> ratio_of_sums(np.array([3.0, 1.0]), np.array([4.0, 4.0]), "difference").item()
    0.5
    >>> ratio_of_sums(np.array([3.0, 1.0]), np.array([4.0, 4.0]), "harmonic").item()
    0.375
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios: Floats = numerators / np.where(denominators > 0, denominators, np.nan)
    if how in ("ratio", "clipped"):
        only: Floats = ratios[..., 0]
        return np.clip(only, 0.0, 1.0) if how == "clipped" else only
    if how == "mean":
        known = ~np.isnan(ratios)
        counts = known.sum(axis=-1)
        sums = np.where(known, ratios, 0.0).sum(axis=-1)
        macro: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return macro
    first, second = ratios[..., 0], ratios[..., 1]
    if how == "difference":
        apart: Floats = first - second
        return apart
    both = first + second
    mean: Floats = np.divide(
        2 * first * second, both, out=np.where(both == 0, 0.0, both), where=both > 0
    )
    return mean


def clip_interval(interval: Interval) -> Interval:
    """Clip a mean and its limits to 0..1.

    Formula: min(max(x, 0), 1) of the estimate and of both limits. A clipped limit holds the clipped
    mean whenever the limit held the mean. Limits from clipped resamples do not: many of them are
    0, and BCa limits then hold a mean of 0.02 in only 80 % of simulations (docs/intervals.md).

    Source: the mean of HealthBench is clipped to 0..1.

    Args:
        interval: of the mean that is not clipped.

    Returns:
        the same interval with its estimate and both limits within 0..1.

    >>> made = clip_interval(Interval(-0.1, -0.3, 0.1, 0.95, "bca", 20, 1000, 0))
    >>> made.estimate, made.low, made.high
    (0.0, 0.0, 0.1)
    """
    estimate, low, high = (
        float(np.clip(end, 0.0, 1.0)) for end in (interval.estimate, interval.low, interval.high)
    )
    return replace(interval, estimate=estimate, low=low, high=high)


def deviation_over_units(numerators: Floats, denominators: Floats, how: Combine = "ratio") -> float:
    """Return the sample standard deviation of the units' own numbers.

    Formula: sqrt(sum (x - mean of x)^2 / (n - 1)) over the n units with a number x of their own,
    which is what `ratio_of_sums` gives for the unit alone.

    Source: the standard deviations beside the means of DermCase.

    Args:
        numerators: units x 1 for "ratio" and "clipped", units x k for "mean", units x 2 for the
            other two. The number of a single unit is never clipped.
        denominators: the same shape; a unit with a denominator of 0 is left out.
        how: how a number is made of two ratios.

    Returns:
        NaN with fewer than two units.

    >>> round(deviation_over_units(np.array([[3.0], [1.0]]), np.array([[4.0], [4.0]])), 4)
    0.3536
    """
    values = ratio_of_sums(numerators, denominators, "ratio" if how == "clipped" else how)
    known = values[~np.isnan(values)]
    return float(np.std(known, ddof=1)) if len(known) > 1 else float("nan")


def hierarchical_statistic(precision: Floats, recall: Floats) -> Statistic:
    """Return HDP, HDR and HDF1 as a statistic of the bootstrap, (b, rows) to (b, 3 k).

    Formula: HDP and HDR are the means over cases, HDF1 = 2 HDP HDR / (HDP + HDR).

    Source: H-DDx, hierarchical scores.

    Args:
        precision: the precision of each case in k cells, cases x k.
        recall: the recall, in the same shape; a case with NaN is left out of the cell.

    >>> hierarchical_statistic(np.array([[1.0], [0.5]]), np.array([[0.5], [0.5]]))(
    ...     np.array([[1.0, 1.0]])
    ... ).round(3).tolist()
    [[0.75, 0.5, 0.6]]
    """
    present = ~np.isnan(recall)
    parts = [np.where(present, part, 0.0) for part in (precision, recall)]

    def statistic(drawn: Floats) -> Floats:
        above = np.stack([drawn @ part for part in parts], axis=-1)
        below = np.broadcast_to((drawn @ present.astype(float))[..., None], above.shape)
        shares = [ratio_of_sums(above[..., [at]], below[..., [at]]) for at in (0, 1)]
        return np.hstack([*shares, ratio_of_sums(above, below, "harmonic")])

    return statistic
