"""Means with intervals: Wilson's for yes/no verdicts, the bootstrap's for scores."""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .bootstrap import Floats, Interval, Plan, Statistic, bootstrap_many
from .share_limits import share_of_sums
from .shares import Failed, Grade, is_resolved


def mean_interval(
    verdicts: Iterable[Grade],
    *,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> Interval:
    """Put an interval around a share of yes/no verdicts or a mean score.

    Formula: sum of the scores / their number; None, NaN and `FAILED` are left out.

    Source: the interval of values that are all 0 or 1 is Wilson's (`share_interval`), of others
    the bootstrap's (Efron 1987, JASA 82).

    Args:
        verdicts: one per item: yes/no or a score.
        clusters: the case of each item, if a case has several items.
        plan: level, method, resamples, seed, fewest cases.

    Returns:
        the mean with its limits, or NaN limits and a warning.

    >>> mean_interval([True] * 30 + [False] * 10 + [None]).estimate
    0.75
    """
    column = np.array([_number(verdict) for verdict in verdicts])
    present = ~np.isnan(column)
    plan = plan or Plan()
    if present.any() and np.isin(column[present], (0.0, 1.0)).all():
        labels = np.arange(len(column)) if clusters is None else _codes(clusters)
        yes = np.bincount(labels[present], column[present]).astype(float)
        items = np.bincount(labels[present]).astype(float)
        return share_of_sums(yes, items, plan.level, fewest=plan.fewest)
    rows = len(column) if clusters is None else clusters
    return bootstrap_many(mean_statistic(column), rows, present=present[:, None], plan=plan)[0]


def _codes(labels: Sequence[Hashable]) -> NDArray[np.int_]:
    codes: dict[Hashable, int] = {}
    return np.array([codes.setdefault(label, len(codes)) for label in labels], dtype=int)


def _number(verdict: Grade) -> float:
    if verdict is None or isinstance(verdict, Failed) or not is_resolved(verdict):
        return float("nan")
    return float(verdict)


def mean_statistic(values: Sequence[float] | Floats) -> Statistic:
    """Return the weighted mean of one number per row as a statistic of the bootstrap.

    Formula: sum w x / sum w over the rows whose x is not NaN.

    Source: the weights of a resample are how often each case was drawn (Efron 1987, JASA 82).

    Args:
        values: one number per row; NaN rows are left out.

    >>> mean_statistic([1.0, 3.0])(np.array([[1.0, 1.0], [2.0, 0.0]])).tolist()
    [2.0, 1.0]
    """
    column = np.asarray(values, dtype=float)
    present = ~np.isnan(column)
    filled = np.where(present, column, 0.0)

    def statistic(weights: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Floats = (weights @ filled) / (weights @ present.astype(float))
        return result

    return statistic
