"""Stability of the order of the models when the judge is swapped."""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from ._arithmetic import SAME, tau_b
from .bootstrap import Floats, Interval, Plan, bootstrap_many
from .flat import ranks


@dataclass(frozen=True, slots=True)
class RankRange:
    """One model's ranks by judge, and the best and the worst of them."""

    model: str
    by_judge: dict[str, int]
    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class RankingStability:
    """Kendall's tau-b between judges' rankings of the models, and each model's range of ranks.

    `taus` has an interval over cases for every pair of judges; with too few cases its limits are
    NaN and it has a warning. `mean_tau` is the mean over the pairs that have a value. `ranges` is
    ordered by best rank, then worst, then name.
    """

    taus: dict[tuple[str, str], Interval]
    mean_tau: float
    lowest_tau: float
    ranges: tuple[RankRange, ...]


def ranking_stability(
    scores: Mapping[str, Mapping[str, Sequence[float]]],
    *,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> RankingStability:
    """Compare the rankings of the models under different judges.

    Formula: Kendall's tau-b between the models' means under two judges.

    Source: Kendall (1945), Biometrika 33; limits: percentiles of the bootstrap over cases.

    Args:
        scores: judge -> model -> score of each case, with the same order of cases everywhere;
            NaN means missing. A model's score is the mean over its cases; higher is better.
        clusters: the case of each position, if a case has several positions.
        plan: how to resample cases. The limits are always percentiles, whatever the method: tau
            has few possible values, and BCa limits covered the true one in only 81 % of simulated
            contests (benchmarks/agreement.py). Percentile limits are rather too wide.

    Returns:
        tau of each two judges with its limits, their mean and the lowest, and the range of each
        model's ranks.

    Raises:
        UsageError: fewer than two judges or two models, judges with different models, lists
            of different lengths, or a model without any score under some judge.

    >>> one = {"a": [1.0, 0.9] * 6, "b": [0.1, 0.0] * 6}
    >>> two = {"a": [0.1, 0.0] * 6, "b": [1.0, 0.9] * 6}
    >>> ranking_stability({"x": one, "y": two}, plan=Plan(resamples=20)).mean_tau
    -1.0
    """
    cube, models = _cube(scores)
    judges = list(scores)
    pairs = list(itertools.combinations(range(len(judges)), 2))
    filled = np.nan_to_num(cube)
    complete: NDArray[np.bool_] = np.logical_not(np.isnan(cube).any(axis=1))

    def means(drawn: Floats, judge: int, cases: NDArray[np.bool_]) -> Floats:
        counted = (drawn @ cases.astype(float))[:, None]
        totals = drawn @ (filled[judge] * cases).T
        result: Floats = totals / np.where(counted > 0, counted, np.nan)
        return result

    def statistic(drawn: Floats) -> Floats:
        shared = [complete[i] & complete[j] for i, j in pairs]
        return np.column_stack(
            [
                tau_b(means(drawn, i, cases), means(drawn, j, cases))
                for (i, j), cases in zip(pairs, shared, strict=True)
            ]
        )

    rows = list(clusters) if clusters is not None else cube.shape[2]
    intervals = bootstrap_many(
        statistic,
        rows,
        present=np.column_stack([complete[i] & complete[j] for i, j in pairs]),
        plan=replace(plan or Plan(), method="percentile"),
    )
    taus = {
        (judges[i], judges[j]): interval for (i, j), interval in zip(pairs, intervals, strict=True)
    }
    everything = np.ones((1, cube.shape[2]))
    own = [means(everything, judge, complete[judge]) for judge in range(len(judges))]
    values = np.array([one.estimate for one in intervals])
    defined = values[~np.isnan(values)]
    return RankingStability(
        taus,
        float(defined.mean()) if defined.size else float("nan"),
        float(defined.min()) if defined.size else float("nan"),
        _ranges(judges, models, np.concatenate(own)),
    )


def _cube(scores: Mapping[str, Mapping[str, Sequence[float]]]) -> tuple[Floats, list[str]]:
    """Stack the scores as judges x models x cases."""
    if len(scores) < 2:
        raise UsageError("a swap of judges needs two judges or more")
    models = list(next(iter(scores.values())))
    if len(models) < 2:
        raise UsageError("a ranking needs two models or more")
    for judge, by_model in scores.items():
        if by_model.keys() != set(models):
            odd = ", ".join(sorted(by_model.keys() ^ set(models)))
            raise UsageError(f"judge {judge} scored other models than the first judge: {odd}")
    lengths = {len(cases) for by_model in scores.values() for cases in by_model.values()}
    if len(lengths) != 1:
        raise UsageError(f"score lists have different lengths: {sorted(lengths)}")
    cube: Floats = np.array(
        [
            [np.asarray(by_model[model], dtype=float) for model in models]
            for by_model in scores.values()
        ]
    )
    empty = np.argwhere(np.isnan(cube).all(axis=2))
    if empty.size:
        judge, model = list(scores)[empty[0][0]], models[empty[0][1]]
        raise UsageError(f"{model} has no score at all under judge {judge}")
    return cube, models


def _ranges(judges: list[str], models: list[str], means: Floats) -> tuple[RankRange, ...]:
    by_judge = {
        judge: ranks(dict(zip(models, row.tolist(), strict=True)))
        for judge, row in zip(judges, means, strict=True)
        if not np.isnan(row).any()
    }
    rank_ranges = []
    for model in models if by_judge else ():
        own = {judge: places[model] for judge, places in by_judge.items()}
        rank_ranges.append(RankRange(model, own, min(own.values()), max(own.values())))
    return tuple(sorted(rank_ranges, key=lambda entry: (entry.best, entry.worst, entry.model)))


def leave_one_out(values: Floats) -> tuple[Floats, Floats]:
    """Average each model over all judges, and over all judges but one.

    Formula: the mean over the judges, and for each judge the mean over the others.

    Source: the jackknife (Quenouille 1956, Biometrika 43) over judges.

    Args:
        values: the numbers, samples x judges x models.

    Returns:
        The means over all judges, samples x models, and without each judge, samples x judges x
        models.

    >>> every, without = leave_one_out(np.array([[[1.0], [0.5], [0.0]]]))
    >>> every.ravel().tolist(), without.ravel().tolist()
    ([0.5], [0.25, 0.5, 0.75])
    """
    every: Floats = values.mean(axis=1)
    without = [np.delete(values, at, axis=1).mean(axis=1) for at in range(values.shape[1])]
    return every, np.stack(without, axis=1)


def score_flips(scores: Floats) -> Floats:
    """Mark, model by model and case by case, whether the judges give different scores.

    Formula: 1 if the largest score minus the smallest is above 0, else 0; NaN with fewer than two
    scores.

    Source: dxjudge; the share of the marks is in `swap_flip_rates.csv`.

    Args:
        scores: judges x models x cases; NaN means missing.

    Returns:
        models x cases: 1, 0 or NaN.

    >>> score_flips(np.array([[[1.0, 1.0, 1.0]], [[1.0, 0.0, np.nan]]])).tolist()
    [[0.0, 1.0, nan]]
    """
    several = (~np.isnan(scores)).sum(axis=0) > 1
    spread = np.where(several, _highest(scores) + _highest(-scores), np.nan)
    marks: Floats = np.where(np.isnan(spread), np.nan, (spread > SAME) * 1.0)
    return marks


def order_flips(scores: Floats) -> Floats:
    """Mark, pair by pair of models and case by case, whether two judges put them in other orders.

    Formula: 1 if one judge scores the first model higher and another judge the second, else 0; NaN
    if fewer than two judges scored both.

    Source: dxjudge; the share of the marks is in `swap_flip_rates.csv`.

    Args:
        scores: judges x models x cases; NaN means missing.

    Returns:
        Pairs x cases, the pairs in the order of `itertools.combinations`.

    >>> order_flips(np.array([[[1.0, 1.0], [0.0, 0.0]], [[0.0, 1.0], [1.0, 1.0]]])).tolist()
    [[1.0, 0.0]]
    """
    first, second = np.triu_indices(scores.shape[1], k=1)
    apart = scores[:, first] - scores[:, second]
    both = (~np.isnan(apart)).sum(axis=0) > 1
    crossed = (_highest(apart) > SAME) & (_highest(-apart) > SAME)
    marks: Floats = np.where(both, crossed * 1.0, np.nan)
    return marks


def _highest(values: Floats) -> Floats:
    """Return the largest value over judges; -inf where no judge has a value."""
    largest: Floats = np.where(np.isnan(values), -np.inf, values).max(axis=0)
    return largest
