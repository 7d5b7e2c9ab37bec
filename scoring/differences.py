"""Differences and ranks of models over the cases that all compared models resolved.

A model whose hard cases are unresolved would look better than it is. Therefore two models are
compared over the cases that both resolved, and all models are ranked over the cases that all of
them resolved.
"""

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from .bootstrap import Difference, Floats, Plan, bootstrap_differences
from .ratios import Combine, ratio_of_sums
from .share_limits import paired_share_interval

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Columns:
    """One model's cases: numerators and denominators, cases x k, and which are resolved.

    k is 1 for the ratio of two sums, and 2 if two ratios are combined (`ratio_of_sums`).
    """

    numerator: Floats
    denominator: Floats
    resolved: Mask

    @classmethod
    def of_scores(cls, scores: Sequence[float]) -> "Columns":
        """Return the columns of a mean from one score per case; NaN means unresolved."""
        values = np.asarray(scores, dtype=float)[:, None]
        known = ~np.isnan(values)
        return cls(np.where(known, values, 0.0), known.astype(float), known)


def common_values(models: Sequence[Columns], how: Combine = "ratio") -> tuple[list[float], int]:
    """Score every model over the cases that all of them resolved.

    Formula: `ratio_of_sums` over the cases that every model resolved.

    Source: analysis of complete cases; scores over different cases are not comparable.

    Args:
        models: the cases of each model, in one order throughout.
        how: how to combine the ratios of the sums.

    Returns:
        One value per model (NaN without a common case), and the number of common cases.

    >>> whole, part = Columns.of_scores([1, 1, 0, 0]), Columns.of_scores([1, 1, np.nan, np.nan])
    >>> common_values([whole, part])
    ([1.0, 1.0], 2)
    """
    shared = np.logical_and.reduce([one.resolved for one in models])
    values = [
        float(
            ratio_of_sums(
                np.where(shared, one.numerator, 0.0).sum(axis=0),
                np.where(shared, one.denominator, 0.0).sum(axis=0),
                how,
            )
        )
        for one in models
    ]
    return values, int(shared.any(axis=1).sum())


def mean_columns(columns: Sequence[Columns]) -> Columns:
    """Average the columns of one model under several judges, case by case.

    Formula: the mean of the numerators and the mean of the denominators over the judges; a case is
    resolved if every judge resolved it.

    Source: the mean of several raters as one score (Spearman 1910 and Brown 1910, British Journal
    of Psychology 3).

    Args:
        columns: the same cases in the same order under each judge.

    Returns:
        the columns of the mean judge.

    >>> one, two = Columns.of_scores([1, 1, np.nan]), Columns.of_scores([1, 0, 0])
    >>> both = mean_columns([one, two])
    >>> both.numerator.ravel().tolist(), both.resolved.ravel().tolist()
    ([1.0, 0.5, 0.0], [True, True, False])
    """
    return Columns(
        np.mean([one.numerator for one in columns], axis=0),
        np.mean([one.denominator for one in columns], axis=0),
        np.logical_and.reduce([one.resolved for one in columns]),
    )


def paired_differences(
    models: Sequence[Columns],
    how: Combine = "ratio",
    *,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> dict[tuple[int, int], Difference]:
    """Compare every two models over the cases that both resolved.

    Formula: first minus second, each by `ratio_of_sums` over their common cases.

    Source: paired bootstrap over cases (Efron 1987, JASA 82). If every case is its own cluster and
    either right or wrong, the limits are those of Bonett and Price (2012), JEBS 37, which are
    valid also if the two models hardly differ.

    Args:
        models: the cases of each model, in one order throughout.
        how: how to combine the ratios of the sums.
        clusters: the cluster of each row, if rows are not independent.
        plan: level, method, resamples, seed, fewest cases.

    Returns:
        (position of the first, position of the second) to the difference; `cases` is the number
        of common cases.

    Raises:
        UsageError: fewer than two models, or no case.

    >>> same = [1.0, 0.0] * 20
    >>> lacking = [1.0, 0.0] * 15 + [np.nan] * 10
    >>> made = paired_differences([Columns.of_scores(same), Columns.of_scores(lacking)])[0, 1]
    >>> made.interval.estimate, made.cases
    (0.0, 30)
    """
    pairs = list(itertools.combinations(range(len(models)), 2))
    if not pairs:
        raise UsageError("a difference needs two models or more")
    plan = plan or Plan()
    shared = [models[i].resolved & models[j].resolved for i, j in pairs]
    cells, places = _cells(models, pairs, shared)
    above = np.hstack([np.where(mask, models[at].numerator, 0.0) for at, mask in cells])
    below = np.hstack([np.where(mask, models[at].denominator, 0.0) for at, mask in cells])
    width = models[0].numerator.shape[1]

    def statistic(drawn: Floats) -> Floats:
        shape = (len(drawn), len(cells), width)
        values = ratio_of_sums((drawn @ above).reshape(shape), (drawn @ below).reshape(shape), how)
        apart: Floats = values[:, places[0]] - values[:, places[1]]
        return apart

    rows = len(models[0].numerator)
    differences = bootstrap_differences(
        statistic,
        rows if clusters is None else clusters,
        present=np.column_stack([mask.any(axis=1) for mask in shared]),
        plan=plan,
    )
    return {
        (i, j): replace(
            _by_counts(
                models[i], models[j], mask, difference, plan, clusters is None and how == "ratio"
            ),
            cases=int(mask.any(axis=1).sum()),
        )
        for (i, j), mask, difference in zip(pairs, shared, differences, strict=True)
    }


def _cells(
    models: Sequence[Columns], pairs: Sequence[tuple[int, int]], shared: Sequence[Mask]
) -> tuple[list[tuple[int, Mask]], tuple[list[int], list[int]]]:
    """Return the distinct cells (model, cases), and the cell of the first and second of each pair.

    Where all models resolved the same cases there is one cell for each model, not for each pair.
    """
    cells: dict[tuple[int, bytes], tuple[int, int, Mask]] = {}
    places: tuple[list[int], list[int]] = ([], [])
    for pair, mask in zip(pairs, shared, strict=True):
        cases = mask.tobytes()
        for side, at in enumerate(pair):
            place, *_ = cells.setdefault((at, cases), (len(cells), at, mask))
            places[side].append(place)
    return [(at, mask) for _, at, mask in cells.values()], places


def _by_counts(
    first: Columns, second: Columns, mask: Mask, difference: Difference, plan: Plan, single: bool
) -> Difference:
    """Return the interval from counts if both are right or wrong on independent cases."""
    n = int(mask.sum())
    if not single or n < plan.fewest:
        return difference
    a, b = (model.numerator[mask] / model.denominator[mask] for model in (first, second))
    if not np.isin(np.concatenate([a, b]), (0.0, 1.0)).all():
        return difference
    low, high = paired_share_interval(int((a > b).sum()), int((b > a).sum()), n, plan.level)
    interval = replace(
        difference.interval, low=low, high=high, method="bonett-price", resamples=0, undefined=0,
        warning=None,
    )  # fmt: skip
    return replace(difference, interval=interval)
