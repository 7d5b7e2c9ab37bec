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
from ..bootstrap import Floats, Interval, Mask, Plan
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
    Survey Sampling". Limits: linearised over cases (Binder 1983, International Statistical Review
    51), Student's t by the effective number of checked items, with half an error of each kind
    added (Agresti and Min 2005, Biometrics 61).

    Args:
        judged: the judge's verdicts (right or not) on all items; None is missing.
        truth: the human's verdicts; None for an item that was not checked.
        probability: with which each checked item was chosen, above 0 and at most 1.
        clusters: the case of each item, if a case has several.
        plan: level, and fewest checked items.

    Returns:
        the estimated share with its limits, or NaN and a warning.

    A warning replaces the number with fewer than `plan.fewest` checked items.

    >>> truth = [True] * 10 + [False] * 10 + [None] * 20 + [True] * 2 + [False] * 8 + [None] * 30
    >>> chance = [0.5] * 40 + [0.25] * 40
    >>> made = sampled_share([True] * 80, truth, chance, plan=Plan())
    >>> round(made.value or 0, 3)
    0.35
    """
    data = _Sampled.of(judged, truth, probability)
    plan = plan or Plan()
    few = ""
    if data.checked.sum() < plan.fewest:
        few = too_few(int(data.checked.sum()), "checked case", plan.fewest)
    return _corrected(
        "prediction-powered, weighted", data, _difference, _parts_of_difference, few, clusters, plan
    )


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
    Limits as in `sampled_share`, with half a right and half a wrong verdict added to both rates.

    Args:
        judged: the judge's verdicts on all items; None is missing.
        truth: the human's verdicts; None for an item that was not checked.
        probability: with which each checked item was chosen, above 0 and at most 1.
        clusters: the case of each item, if a case has several.
        plan: level, and fewest checked items that are right, and that are wrong.

    Returns:
        the corrected share with its limits, or NaN and a warning.

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
    return _corrected(
        "rogan-gladen, weighted", data, _by_errors, _parts_by_errors, few, clusters, plan
    )


def _difference(sums: Floats) -> float:
    n, f, d, dy, df, _ = sums
    w = _slope(sums)
    return float(np.clip(w * f / n + (dy - w * df) / d, 0.0, 1.0)) if d > 0 else math.nan


def _slope(sums: Floats) -> float:
    """Return the weight of the judge's verdicts, between 0 and 1."""
    _, _, d, dy, df, dyf = sums
    if d <= 0:
        return 0.0
    spread = df / d - (df / d) ** 2
    return float(np.clip((dyf / d - dy * df / d**2) / spread, 0.0, 1.0)) if spread > _TINY else 0.0


def _by_errors(sums: Floats) -> float:
    n, f, *_ = sums
    se, sp = _rates(sums)
    youden = se + sp - 1
    return (
        float(np.clip((f / n + sp - 1) / youden, 0.0, 1.0)) if youden >= LEAST_YOUDEN else math.nan
    )


def _rates(sums: Floats) -> tuple[float, float]:
    """Return the weighted sensitivity and specificity; NaN without a checked item for them."""
    _, _, d, dy, df, dyf = sums.tolist()
    wrong = d - dy
    se = dyf / dy if dy > _TINY else math.nan
    sp = (wrong - df + dyf) / wrong if wrong > _TINY else math.nan
    return se, sp


_TINY = 1e-12
_Parts = tuple[float, Floats, float]
"""A share with half errors added, the part of each item in it, and the variance of what was added.

The parts sum to 0; the sum of their squares over cases is the variance of the share.
"""


def _parts_of_difference(data: _Sampled) -> _Parts:
    _, f, d, dy, df, _ = data.sums.T
    n, w = data.judged.sum(), _slope(data.sums.sum(axis=0))
    mean = d.sum() / data.checked.sum()  # the weight of an added error
    whole = d.sum() + mean
    error = float((dy - w * df).sum() + 0.5 * mean * (1 - w)) / whole
    judged = np.where(data.judged, f - f.sum() / n, 0.0)
    parts = w * judged / n + (dy - w * df - d * error) / whole
    added = 0.5 * (mean / whole) ** 2 * ((1 - error) ** 2 + (w + error) ** 2)
    return float(w * f.sum() / n + error), parts, float(added)


def _parts_by_errors(data: _Sampled) -> _Parts:
    _, f, d, dy, df, dyf = data.sums.T
    n, mean = data.judged.sum(), d.sum() / data.checked.sum()
    wrong, right_no = d - dy, d - dy - df + dyf
    positives, negatives = dy.sum() + mean, wrong.sum() + mean
    se = (dyf.sum() + 0.5 * mean) / positives
    sp = (right_no.sum() + 0.5 * mean) / negatives
    youden, rate = se + sp - 1, f.sum() / n
    share = (rate + sp - 1) / youden
    judged = np.where(data.judged, f - rate, 0.0)
    of_se = -share / youden / positives
    of_sp = (1 - share) / youden / negatives
    parts = judged / n / youden + of_sp * (right_no - sp * wrong) + of_se * (dyf - se * dy)
    added = (
        0.5 * mean**2 * (of_sp**2 * ((1 - sp) ** 2 + sp**2) + of_se**2 * ((1 - se) ** 2 + se**2))
    )
    return float(share), parts, float(added)


def _corrected(
    method: str,
    data: _Sampled,
    formula: Callable[[Floats], float],
    parts_of: Callable[[_Sampled], _Parts],
    few: str,
    clusters: Sequence[Hashable] | None,
    plan: Plan,
) -> CorrectedAccuracy:
    whole = data.sums.sum(axis=0)
    se, sp = _rates(whole)
    n = int(data.judged.sum())
    value, interval, warning = None, None, few or None
    estimate = formula(whole)
    if not few and math.isnan(estimate):
        warning = (
            f"the judge is hardly better than chance (sensitivity {se:.2f}, specificity {sp:.2f})"
        )
    elif not few:
        value = estimate
        interval = _interval(data, value, parts_of(data), clusters, plan)
        warning = interval.warning
    return CorrectedAccuracy(
        method, value, interval, float(whole[1] / whole[0]), se, sp, n,
        int(data.checked.sum()), data.unresolved, None, warning,
    )  # fmt: skip


def _interval(
    data: _Sampled,
    value: float,
    share: _Parts,
    clusters: Sequence[Hashable] | None,
    plan: Plan,
) -> Interval:
    from scipy.special import stdtrit

    centre, parts, added = share
    sums: dict[Hashable, float] = {}
    for at in np.flatnonzero(data.judged).tolist():
        label = at if clusters is None else clusters[at]
        sums[label] = sums.get(label, 0.0) + float(parts[at])
    k = len(sums)
    variance = k / max(k - 1, 1) * math.fsum(part**2 for part in sums.values()) + added
    weights = data.sums[data.checked, 2]
    freedom = max(float(weights.sum() ** 2 / (weights**2).sum()) - 2, 1.0)
    if k < plan.fewest:
        why = too_few(k, "case", plan.fewest, " for an interval")
        nan = math.nan
        return Interval(value, nan, nan, plan.level, "linearised t", k, 0, 0, warning=why)
    half = float(stdtrit(freedom, (1 + plan.level) / 2)) * math.sqrt(variance)
    low, high = max(0.0, min(centre - half, value)), min(1.0, max(centre + half, value))
    return Interval(value, low, high, plan.level, "linearised t", k, 0, 0)


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
