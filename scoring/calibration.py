"""Correct a judged accuracy with a small calibration set, on which the truth is known.

If a judge is wrong 10 % of the time in both directions, an accuracy of 0.95 looks like 0.86. With
a calibration set (cases that a human checked too) this error can be removed.

- `rogan_gladen` (Rogan and Gladen 1978) uses the judge's sensitivity and specificity. They must be
  the same in both sets, but prevalence may differ. The interval is that of Lang and Reiczigel
  (2014), Preventive Veterinary Medicine 113, which accounts for all three samples.
- `prediction_powered` (Angelopoulos et al. 2023, Science 382; power tuning: PPI++) adds the mean
  error on the calibration set to the judged mean. The set must be drawn from the same cases.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from ..errors import UsageError
from ..files.counted import too_few
from .bootstrap import FEWEST_CASES, Floats, Interval
from .shares import is_resolved

LEAST_YOUDEN = 0.1
"""With a smaller sensitivity + specificity - 1 a judge corrects nothing."""


@dataclass(frozen=True, slots=True)
class CorrectedAccuracy:
    """The corrected accuracy with its interval, and the judge's own number (`judged`).

    `value` is None if the calibration set is not sufficient; `warning` says why. `unresolved` is
    the number of items in both sets that are left out because a verdict is missing. `sensitivity`
    and `specificity` are the judge's on the calibration set, NaN without a case for them.
    `tuning` is the weight of the judge in prediction-powered inference, else None.
    """

    method: str
    value: float | None
    interval: Interval | None
    judged: float
    sensitivity: float
    specificity: float
    n: int
    n_calibration: int
    unresolved: int
    tuning: float | None = None
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class _Evidence:
    judged: Floats  # verdicts on the cases to estimate
    verdicts: Floats  # verdicts on the calibration set
    truth: Floats  # the truth on the calibration set
    unresolved: int

    def rate(self, truth: float) -> tuple[float, int]:
        """Return the share of right verdicts among the cases with this truth, and their number."""
        right = self.verdicts[self.truth == truth] == truth
        return (float(right.mean()) if right.size else math.nan), int(right.size)


def _evidence(judged: Sequence[Any], calibration: Sequence[tuple[Any, Any]]) -> _Evidence:
    resolved = [float(bool(v)) for v in judged if is_resolved(v)]
    pairs = [
        (float(bool(v)), float(bool(t)))
        for v, t in calibration
        if is_resolved(v) and is_resolved(t)
    ]
    if not resolved:
        raise UsageError("there is no judged case to correct")
    table = np.asarray(pairs, dtype=float).reshape(-1, 2)
    left_out = len(judged) - len(resolved) + len(calibration) - len(pairs)
    return _Evidence(np.asarray(resolved), table[:, 0], table[:, 1], left_out)


def rogan_gladen(
    judged: Sequence[Any],
    calibration: Sequence[tuple[Any, Any]],
    *,
    level: float = 0.95,
    fewest: int = FEWEST_CASES,
) -> CorrectedAccuracy:
    """Correct by sensitivity and specificity: (judged + sp - 1) / (se + sp - 1), within 0..1.

    Formula: (judged + sp - 1) / (se + sp - 1), se and sp the sensitivity and specificity on the
    checked cases, within 0..1.

    Source: Rogan and Gladen (1978), American Journal of Epidemiology 107; interval: Lang and
    Reiczigel (2014), Preventive Veterinary Medicine 113.

    Args:
        judged: the judge's verdicts (right or not) on the cases of interest.
        calibration: (judge's verdict, truth) of cases that a human checked.
        level: of the interval.
        fewest: least number of calibration cases that are truly right, and truly wrong.

    Returns:
        the corrected share with its limits, or NaN and a warning.

    A warning replaces the number if either kind has fewer than `fewest` calibration cases, or if
    the judge is hardly better than chance (se + sp - 1 < 0.1).

    >>> checked = [(True, True)] * 18 + [(False, True)] * 2 + [(False, False)] * 20
    >>> made = rogan_gladen([True] * 45 + [False] * 55, checked)
    >>> round(made.value or 0, 3)
    0.5
    """
    data = _evidence(judged, calibration)
    (se, n_se), (sp, n_sp) = data.rate(1.0), data.rate(0.0)
    raw, n = float(data.judged.mean()), len(data.judged)
    warning, value, interval = None, None, None
    if min(n_se, n_sp) < max(fewest, 1):
        warning = (
            f"{n_se} right and {n_sp} wrong in the calibration cases: too few (at least "
            f"{fewest} each)"
        )
    elif se + sp - 1 < LEAST_YOUDEN:
        warning = (
            f"the judge is hardly better than chance (sensitivity {se:.2f}, specificity {sp:.2f})"
        )
    else:
        value = min(1.0, max(0.0, (raw + sp - 1) / (se + sp - 1)))
        low, high = _lang_reiczigel((raw, n), (se, n_se), (sp, n_sp), level)
        interval = _analytic(value, low, high, level, "lang-reiczigel", n)
    return CorrectedAccuracy(
        "rogan-gladen", value, interval, raw, se, sp, n, len(data.truth), data.unresolved,
        None, warning,
    )  # fmt: skip


def _lang_reiczigel(
    apparent: tuple[float, int], se: tuple[float, int], sp: tuple[float, int], level: float
) -> tuple[float, float]:
    """Return limits for a prevalence, with estimated sensitivity and specificity of the test."""
    z = NormalDist().inv_cdf(_tail(level))
    n = apparent[1] + z * z
    rate = (apparent[1] * apparent[0] + z * z / 2) / n
    n_se, n_sp = se[1] + 2, sp[1] + 2
    sens, spec = (se[0] * se[1] + 1) / n_se, (sp[0] * sp[1] + 1) / n_sp
    youden = sens + spec - 1
    true = (rate + spec - 1) / youden
    var_se, var_sp = sens * (1 - sens) / n_se, spec * (1 - spec) / n_sp
    shift = 2 * z * z * (true * var_se - (1 - true) * var_sp)
    spread = rate * (1 - rate) / n + true**2 * var_se + (1 - true) ** 2 * var_sp
    half = z * math.sqrt(spread) / youden
    return true + shift - half, true + shift + half


def prediction_powered(
    judged: Sequence[Any],
    calibration: Sequence[tuple[Any, Any]],
    *,
    level: float = 0.95,
    tune: bool = True,
    fewest: int = FEWEST_CASES,
) -> CorrectedAccuracy:
    """Correct by the mean error: w * mean(judged) + mean(truth - w * verdict), within 0..1.

    Formula: w mean(judged) + mean(truth - w verdict) over the checked cases, within 0..1; w of
    least variance.

    Source: Angelopoulos et al. (2023), Science 382; tuning: Angelopoulos, Duchi and Zrnic
    (2023), "PPI++". The limits add half an error of each kind to the checked cases, as Agresti and
    Min (2005), Biometrics 61, add to the cells of a paired table: without them, limits from few
    errors are too narrow.

    Args:
        judged: the judge's verdicts on cases without a known truth.
        calibration: (judge's verdict, truth) of further cases drawn from the same population.
        level: of the interval (Student's t, by the number of calibration cases).
        tune: choose w from the data so that the variance is least (PPI++); else w = 1.
        fewest: least number of calibration cases.

    Returns:
        the corrected share with its limits, or NaN and a warning.

    >>> checked = [(True, True)] * 18 + [(False, True)] * 2 + [(False, False)] * 20
    >>> made = prediction_powered([True] * 45 + [False] * 55, checked, tune=False)
    >>> round(made.value or 0, 3)
    0.5
    """
    from scipy.special import stdtrit

    data = _evidence(judged, calibration)
    (se, _), (sp, _) = data.rate(1.0), data.rate(0.0)
    raw, n, m = float(data.judged.mean()), len(data.judged), len(data.truth)
    warning, value, interval, weight = None, None, None, None
    if m < max(fewest, 3):
        warning = too_few(m, "calibration case", fewest)
    else:
        weight = _tuning(data) if tune else 1.0
        errors = data.truth - weight * data.verdicts
        value = float(min(1.0, max(0.0, weight * raw + float(errors.mean()))))
        # As in regression, a tuned weight costs one more degree of freedom.
        freedom = m - 2 if tune else m - 1
        mean, variance = _with_half_errors(errors, weight)
        variance += float(weight**2 * data.judged.var() / n)
        half = float(stdtrit(freedom, _tail(level))) * math.sqrt(variance)
        centre = weight * raw + mean
        interval = _analytic(value, centre - half, centre + half, level, "t", n)
    return CorrectedAccuracy(
        "prediction-powered", value, interval, raw, se, sp, n, m, data.unresolved, weight, warning
    )


def _with_half_errors(errors: Floats, weight: float) -> tuple[float, float]:
    """Return the mean of the errors and its variance, with half an error of each kind added.

    The errors are truth - weight * verdict: 1 for a missed "right", -weight for a false one.
    """
    values = np.append(errors, (1.0, -weight))
    counts = np.append(np.ones(len(errors)), (0.5, 0.5))
    mean = float(values @ counts / counts.sum())
    variance = float((values - mean) ** 2 @ counts / counts.sum())
    return mean, variance / (counts.sum() - 1)


def _tuning(data: _Evidence) -> float:
    """Return the weight of least variance: cov(truth, verdict) / ((1 + m / n) var(verdict))."""
    every = np.concatenate([data.judged, data.verdicts])
    spread = (1 + len(data.truth) / len(data.judged)) * every.var(ddof=1)
    shared = float(np.cov(data.truth, data.verdicts)[0, 1])
    return min(1.0, max(0.0, shared / spread)) if spread > 0 else 1.0


def _tail(level: float) -> float:
    if not 0 < level < 1:
        raise UsageError(f"level is {level}; it must lie between 0 and 1")
    return (1 + level) / 2


def _analytic(value: float, low: float, high: float, level: float, method: str, n: int) -> Interval:
    low, high = min(max(0.0, low), value), max(min(1.0, high), value)
    return Interval(value, low, high, level, method, n, 0, 0)


def sampling_p_value(
    checked: Sequence[bool], strata: Sequence[Hashable], *, resamples: int = 2000, seed: int = 0
) -> float:
    """Test whether the checked cases are spread over strata as a random draw would be.

    Formula: the share of seeded permutations of `checked` whose chi-square statistic of checked
    against strata is at least the observed one, (1 + count) / (1 + resamples).

    Source: permutation test of independence (Fisher 1935, "The Design of Experiments").

    Args:
        checked: whether each case was checked by a human.
        strata: the stratum of each case (its model, the judge's verdict).
        resamples: how many permutations.
        seed: of the permutations.

    Returns:
        The p-value; 1 if all cases or none are checked, or if there is one stratum.

    Raises:
        UsageError: lists of different lengths.

    >>> first_only = sampling_p_value([True] * 20 + [False] * 60, ["a"] * 40 + ["b"] * 40)
    >>> first_only < 0.01
    True
    """
    if len(checked) != len(strata):
        raise UsageError(f"{len(checked)} marks but {len(strata)} strata")
    marks = np.asarray(checked, dtype=float)
    names: dict[Hashable, int] = {}
    places = np.array([names.setdefault(name, len(names)) for name in strata], dtype=int)
    if len(names) < 2 or marks.all() or not marks.any():
        return 1.0
    membership = np.eye(len(names))[places]
    expected = marks.mean() * membership.sum(axis=0)
    rng = np.random.default_rng(seed)
    drawn = np.stack([rng.permutation(marks) for _ in range(resamples)])
    observed = float((((marks @ membership) - expected) ** 2 / expected).sum())
    permuted = (((drawn @ membership) - expected) ** 2 / expected).sum(axis=1)
    return float((1 + np.count_nonzero(permuted >= observed - 1e-9)) / (1 + resamples))
