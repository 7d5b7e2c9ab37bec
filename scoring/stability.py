"""Whether the order of the models under test survives a swap of the judge."""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import UsageError
from .bootstrap import Floats, Interval, Plan, bootstrap_many
from .flat import SAME, ranks


@dataclass(frozen=True, slots=True)
class RankRange:
    """One model's ranks: by judge, the best and the worst."""

    model: str
    by_judge: dict[str, int]
    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class RankingStability:
    """Kendall's tau-b between judges' rankings of the models, and each model's range of ranks.

    `taus` holds an interval over cases for every pair of judges; its limits are NaN with a
    warning where there are too few cases. `mean_tau` averages the pairs that have a value.
    `ranges` is ordered by best rank, then worst, then name.
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
    """Compare the rankings of the models that different judges lead to.

    Args:
        scores: judge -> model -> score of each case, in one order of cases throughout; NaN
            where there is none. A model's score is the mean over its cases; higher is better.
        clusters: the case of each position, where a case has several.
        plan: how to resample cases. The limits are percentiles whatever its method: tau takes
            few values, and BCa limits held the true one in 81 % of simulated contests
            (benchmarks/agreement.py; percentiles are on the safe side).

    Raises:
        UsageError: fewer than two judges or two models, judges with different models, lists
            of different lengths, or a model without any score under some judge.
    """
    cube, models = _cube(scores)
    judges = list(scores)
    pairs = list(itertools.combinations(range(len(judges)), 2))
    filled, present = np.nan_to_num(cube), (~np.isnan(cube)).astype(float)

    def statistic(drawn: Floats) -> Floats:
        counts = np.einsum("bc,jmc->jbm", drawn, present)
        totals = np.einsum("bc,jmc->jbm", drawn, filled)
        means = totals / np.where(counts > 0, counts, np.nan)
        return np.column_stack([tau_b(means[i], means[j]) for i, j in pairs])

    rows = list(clusters) if clusters is not None else cube.shape[2]
    made = bootstrap_many(statistic, rows, plan=replace(plan or Plan(), method="percentile"))
    taus = {(judges[i], judges[j]): one for (i, j), one in zip(pairs, made, strict=True)}
    values = np.array([one.estimate for one in made])
    defined = values[~np.isnan(values)]
    return RankingStability(
        taus,
        float(defined.mean()) if defined.size else float("nan"),
        float(defined.min()) if defined.size else float("nan"),
        _ranges(judges, models, filled.sum(axis=2) / present.sum(axis=2)),
    )


def tau_b(first: Floats, second: Floats) -> Floats:
    """Kendall's tau-b along the last axis: (b, models) twice to (b,); NaN where all tie."""
    a = signs(first[:, :, None] - first[:, None, :])
    b = signs(second[:, :, None] - second[:, None, :])
    untied = (a * a).sum(axis=(1, 2)) * (b * b).sum(axis=(1, 2))
    result: Floats = (a * b).sum(axis=(1, 2)) / np.sqrt(np.where(untied > 0, untied, np.nan))
    return result


def signs(differences: Floats) -> Floats:
    """1, 0 or -1 for each difference, 0 for what rounding leaves of none; NaN stays."""
    found: Floats = np.sign(np.where(np.abs(differences) <= SAME, 0.0, differences))
    return found


def _cube(scores: Mapping[str, Mapping[str, Sequence[float]]]) -> tuple[Floats, list[str]]:
    """Stack scores to judges x models x cases."""
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
    }
    made = []
    for model in models:
        own = {judge: by_judge[judge][model] for judge in judges}
        made.append(RankRange(model, own, min(own.values()), max(own.values())))
    return tuple(sorted(made, key=lambda entry: (entry.best, entry.worst, entry.model)))
