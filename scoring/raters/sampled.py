"""Correct a judged share with checked items that were drawn with known, unequal probabilities.

Each checked item stands for 1 / probability items. `sampled_share` needs no further assumption;
`sampled_rogan_gladen` needs the judge's sensitivity and specificity to be the same everywhere.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import UsageError
from ...files.counted import too_few
from ..bootstrap import Floats, Interval, Mask, Plan, bootstrap_many
from ..calibration import LEAST_YOUDEN, CorrectedAccuracy
from ..shares import is_resolved


@dataclass(frozen=True)
class _Sampled:
    """Per item: the judge's mark, and the weight and marks of a checked one; 0 where missing.

    sums: the columns 1, f for a judged item; d, d y, d f, d y f for a checked one, with judge f,
    truth y and d = 1 / probability.
    """

    sums: Floats
    judged: Mask
    checked: Mask
    right: int
    wrong: int
    unresolved: int

    @classmethod
    def of(
        cls, judged: Sequence[Any], truth: Sequence[Any], probability: Sequence[float | None]
    ) -> "_Sampled":
        if not len(judged) == len(truth) == len(probability):
            raise UsageError(
                f"{len(judged)} verdicts, {len(truth)} truths and {len(probability)} probabilities"
            )
        known = np.array([is_resolved(one) for one in judged], dtype=bool)
        checked = known & np.array([is_resolved(one) for one in truth], dtype=bool)
        if not known.any():
            raise UsageError("there is no judged item to correct")
        weight = np.zeros(len(known))
        for at in np.flatnonzero(checked).tolist():
            chance = probability[at]
            if chance is None or not 0 < chance <= 1:
                raise UsageError(
                    f"item {at} was checked with the probability {chance}: it must be above 0 and "
                    "at most 1"
                )
            weight[at] = 1 / chance
        f = np.array([float(bool(one)) if k else 0.0 for one, k in zip(judged, known, strict=True)])
        y = np.array([float(bool(one)) if k else 0.0
                      for one, k in zip(truth, checked, strict=True)])  # fmt: skip
        columns = [known * 1.0, f, weight, weight * y, weight * f * checked, weight * y * f]
        right = int(y[checked].sum())
        return cls(np.column_stack(columns), known, checked, right, int(checked.sum()) - right,
                   int((~known).sum()))  # fmt: skip


def sampled_share(
    judged: Sequence[Any],
    truth: Sequence[Any],
    probability: Sequence[float | None],
    *,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> CorrectedAccuracy:
    """Correct by the weighted mean error: w mean(judged) + weighted mean(truth - w verdict).

    Formula: w mean(f) + sum d (y - w f) / sum d, f the judge, y the truth, d = 1 / probability
    over the checked items, w = cov_d(y, f) / var_d(f) within 0..1; the result within 0..1.

    Source: Horvitz and Thompson (1952), JASA 47; divided by the sum of the weights: Hájek (1971);
    with the judge as auxiliary variable: Särndal, Swensson and Wretman (1992), "Model Assisted
    Survey Sampling". Limits: bootstrap over cases.

    Args:
        judged: the judge's verdicts (right or not) on all items; None is missing.
        truth: the human's verdicts; None for an item that was not checked.
        probability: with which each checked item was chosen, above 0 and at most 1.
        clusters: the case of each item, if a case has several.
        plan: level, method, resamples, seed, and fewest checked items.

    A warning replaces the number with fewer than `plan.fewest` checked items.

    >>> truth = [True] * 10 + [False] * 10 + [None] * 20 + [True] * 2 + [False] * 8 + [None] * 30
    >>> chance = [0.5] * 40 + [0.25] * 40
    >>> made = sampled_share([True] * 80, truth, chance, plan=Plan(resamples=100))
    >>> round(made.value or 0, 3)
    0.35
    """
    data = _Sampled.of(judged, truth, probability)
    plan = plan or Plan()
    few = ""
    if data.checked.sum() < plan.fewest:
        few = too_few(int(data.checked.sum()), "checked case", plan.fewest)
    return _corrected("prediction-powered, weighted", data, _difference, few, clusters, plan)


def sampled_rogan_gladen(
    judged: Sequence[Any],
    truth: Sequence[Any],
    probability: Sequence[float | None],
    *,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> CorrectedAccuracy:
    """Correct by sensitivity and specificity from checked items with known probabilities.

    Formula: (judged + sp - 1) / (se + sp - 1) within 0..1, se = sum d y f / sum d y and sp =
    sum d (1 - y) (1 - f) / sum d (1 - y) over the checked items, d = 1 / probability.

    Source: Rogan and Gladen (1978), American Journal of Epidemiology 107; weights: Hájek (1971).
    Limits: bootstrap over cases.

    Args and warnings as in `sampled_share`; it needs `plan.fewest` checked items that are right,
    and as many that are wrong.

    >>> truth = ([True] * 15 + [False] * 15 + [None] * 30) * 2
    >>> judge = ([True] * 15 + [False] * 15 + [True] * 12 + [False] * 18) * 2
    >>> made = sampled_rogan_gladen(judge, truth, [0.5] * 120, plan=Plan(resamples=100))
    >>> round(made.value or 0, 3)
    0.45
    """
    data = _Sampled.of(judged, truth, probability)
    plan = plan or Plan()
    few = ""
    if min(data.right, data.wrong) < plan.fewest:
        few = (
            f"{data.right} right and {data.wrong} wrong among the checked cases: too few (at least "
            f"{plan.fewest} each)"
        )
    return _corrected("rogan-gladen, weighted", data, _by_errors, few, clusters, plan)


def _difference(sums: Floats) -> Floats:
    n, f, d, dy, df, dyf = sums.T
    d = np.where(d > 0, d, np.nan)
    spread = df / d - (df / d) ** 2
    slope = (dyf / d - dy * df / d**2) / np.where(spread > 1e-12, spread, np.inf)
    w = np.clip(slope, 0.0, 1.0)
    value: Floats = np.clip(w * f / np.maximum(n, 1) + (dy - w * df) / d, 0.0, 1.0)
    return value


def _by_errors(sums: Floats) -> Floats:
    n, f, *_ = sums.T
    se, sp = _rates(sums)
    youden = np.where(se + sp - 1 >= LEAST_YOUDEN, se + sp - 1, np.nan)
    value: Floats = np.clip((f / np.maximum(n, 1) + sp - 1) / youden, 0.0, 1.0)
    return value


def _rates(sums: Floats) -> tuple[Floats, Floats]:
    """Return the weighted sensitivity and specificity; NaN without a checked item for them."""
    _, _, d, dy, df, dyf = sums.T
    wrong = d - dy
    se: Floats = dyf / np.where(dy > 1e-12, dy, np.nan)
    sp: Floats = (wrong - df + dyf) / np.where(wrong > 1e-12, wrong, np.nan)
    return se, sp


def _corrected(
    method: str,
    data: _Sampled,
    formula: Callable[[Floats], Floats],
    few: str,
    clusters: Sequence[Hashable] | None,
    plan: Plan,
) -> CorrectedAccuracy:
    whole = data.sums.sum(axis=0)[None]
    (se,), (sp,) = _rates(whole)
    n = int(data.judged.sum())
    value, interval, warning = None, None, few or None
    estimate = float(formula(whole)[0])
    if not few and math.isnan(estimate):
        warning = (
            f"the judge is hardly better than chance (sensitivity {se:.2f}, specificity {sp:.2f})"
        )
    elif not few:
        value = estimate
        interval = _interval(data, formula, clusters, plan)
        warning = interval.warning
    return CorrectedAccuracy(
        method, value, interval, float(whole[0, 1] / whole[0, 0]), float(se), float(sp), n,
        int(data.checked.sum()), data.unresolved, None, warning,
    )  # fmt: skip


def _interval(
    data: _Sampled,
    formula: Callable[[Floats], Floats],
    clusters: Sequence[Hashable] | None,
    plan: Plan,
) -> Interval:
    rows = len(data.sums) if clusters is None else clusters
    return bootstrap_many(
        lambda drawn: formula(drawn @ data.sums), rows, present=data.judged[:, None], plan=plan
    )[0]


def population_z(
    probability: Sequence[float], size: int, *, weights: Sequence[float] | None = None
) -> float:
    """Compare the size that the checked items stand for with the true size, as a z value.

    Formula: (sum 1/p - size) / sqrt(size v), p the probability of each checked item, v = sum
    (1 - p) / p^2 over sum 1/p: the weighted mean of the variance (1 - p) / p of one item. Far from
    0 the probabilities cannot be those with which the items were drawn.

    Source: Horvitz and Thompson (1952), JASA 47, with the variance of Poisson sampling.

    Args:
        probability: of each checked item.
        size: the number of all items, checked or not.
        weights: the probabilities from which v is computed, where those of a larger group are more
            certain; by default `probability`.

    Returns:
        0 if the sizes are equal; infinite if they differ and every probability is 1.

    >>> population_z([0.5] * 50, 100)
    0.0
    >>> round(population_z([0.5] * 50, 400), 2)
    -15.0
    """
    p = np.asarray(probability, dtype=float)
    off = float((1 / p).sum()) - size
    if abs(off) < 1e-9 * max(size, 1):
        return 0.0
    base = p if weights is None else np.asarray(weights, dtype=float)
    each = float(((1 - base) / base**2).sum() / (1 / base).sum()) if base.size else 0.0
    return off / math.sqrt(size * each) if each > 0 else math.copysign(math.inf, off)
