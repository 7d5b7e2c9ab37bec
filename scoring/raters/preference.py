"""How often two judges prefer the same one of two models."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ...errors import UsageError
from .._arithmetic import signs
from ..bootstrap import Floats, Interval, Plan, Statistic, bootstrap_interval


@dataclass(frozen=True, slots=True)
class PreferenceAgreement:
    """Share of comparisons between two models on which two judges prefer the same one.

    `interval` resamples cases, each with all its comparisons. `comparisons` is the number of
    comparisons in the share, `missing` the number without all four scores.
    """

    value: float
    interval: Interval
    comparisons: int
    missing: int


def preference_agreement(
    first: ArrayLike,
    second: ArrayLike,
    *,
    ties: Literal["count", "drop"] = "count",
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> PreferenceAgreement:
    """Compare which of two models each judge scores higher, over cases and pairs of models.

    Formula: (comparisons of two models that both judges decide alike) / comparisons.

    Source: pairwise preference agreement, as in Zheng et al. (2023), "Judging LLM-as-a-judge".

    Args:
        first: one judge's scores, cases x models; NaN means missing.
        second: the other judge's scores, in the same shape.
        ties: "count": a tie agrees only with a tie; "drop": comparisons that are a tie for
            either judge are left out.
        clusters: the case of each row, if a case has several rows.
        plan: level, method, resamples, seed.

    Returns:
        the share of comparisons that are decided alike, with its interval and counts.

    Raises:
        UsageError: shapes differ, or fewer than two models.

    >>> made = preference_agreement([[1, 0], [1, 0]] * 8, [[1, 0], [0, 1]] * 8)
    >>> made.value, made.comparisons
    (0.5, 16)
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.shape != b.shape or a.ndim != 2 or a.shape[1] < 2:
        raise UsageError(
            f"scores must be two cases x models arrays of one shape with two models or more, "
            f"not {a.shape} and {b.shape}"
        )
    left, right = np.triu_indices(a.shape[1], k=1)
    one, two = signs(a[:, left] - a[:, right]), signs(b[:, left] - b[:, right])
    present = ~(np.isnan(one) | np.isnan(two))
    counted = present & (one != 0) & (two != 0) if ties == "drop" else present
    agreeing = ((one == two) & counted).sum(axis=1) * 1.0
    comparisons = counted.sum(axis=1) * 1.0
    rows = len(a) if clusters is None else clusters
    interval = bootstrap_interval(_ratio_statistic(agreeing, comparisons), rows, plan=plan)
    return PreferenceAgreement(
        interval.estimate, interval, int(comparisons.sum()), int((~present).sum())
    )


def mean_scores(scores: Iterable[tuple[int, int, float]], cases: int, models: int) -> Floats:
    """Average the scores that one judge gave to each response, for `preference_agreement`.

    Formula: sum of the scores / their number, for each case and model.

    Source: the mean over repeats and items of a response.

    Args:
        scores: (place of the case, place of the model, score).
        cases: the number of cases.
        models: the number of models.

    Returns:
        Cases x models; NaN where there is no score.

    >>> mean_scores([(0, 0, 1.0), (0, 0, 0.0), (1, 0, 1.0)], 2, 1).tolist()
    [[0.5], [1.0]]
    """
    sums, counts = np.zeros((cases, models)), np.zeros((cases, models))
    for case, model, score in scores:
        sums[case, model] += score
        counts[case, model] += 1
    means: Floats = sums / np.where(counts > 0, counts, np.nan)
    return means


def _ratio_statistic(part: Floats, whole: Floats) -> Statistic:
    def statistic(drawn: Floats) -> Floats:
        total = drawn @ whole
        result: Floats = (drawn @ part) / np.where(total > 0, total, np.nan)
        return result

    return statistic
