"""Strengths of models from comparisons of two: win rates, and the model of Bradley and Terry.

A comparison is one case, two models, and the points of the first: 1 for a win, 0 for a loss, 0.5
for a tie, None without a verdict. Points are sums over cases, so that one matrix product makes the
table of points of every resample, and all tables are fitted at once.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..errors import UsageError
from ..files.counted import counted
from .bootstrap import (
    Difference,
    Floats,
    Interval,
    Mask,
    Plan,
    bootstrap_differences,
    bootstrap_many,
)
from .flat import ranks

_STEPS = 100  # of Newton's method; it needs about ten
_WIDEST = 2.0  # the longest step of a strength, so that the first steps do not leave the range
_CONVERGED = 1e-10
_UNDEFINED = 0.01
NO_STRENGTH = "some models never lost to, or never won against, the others"


@dataclass(frozen=True, slots=True)
class Contest:
    """Two models on one case. points: of the first, 1, 0.5 (a tie) or 0; None without a verdict."""

    case: str
    first: str
    second: str
    points: float | None


@dataclass(frozen=True, slots=True)
class Strength:
    """The strength of one model, in natural log-odds; the strengths of all models sum to 0.

    points, contests: the points of the model over its comparisons with a verdict. unresolved: its
    comparisons without one. worst, best: its strength if it lost, or won, all of these; the
    unresolved comparisons of other models stay left out. rank: 1 for the strongest; None without a
    strength. The warning of `interval` says why a strength or its limits are missing.
    """

    model: str
    interval: Interval
    worst: float
    best: float
    points: float
    contests: int
    unresolved: int
    rank: int | None

    @property
    def win_rate(self) -> float:
        """Points per comparison; NaN without one."""
        return self.points / self.contests if self.contests else math.nan


@dataclass(frozen=True, slots=True)
class Ladder:
    """Strengths of the models, and the difference of every two of them, first minus second."""

    strengths: tuple[Strength, ...]
    differences: dict[tuple[str, str], Difference]


def bradley_terry(points: Floats) -> Floats:
    """Fit the strengths of models to tables of points.

    Formula: P(i beats j) = 1 / (1 + exp(s_j - s_i)); s maximises the likelihood, with a tie as
    half a win for each of the two, and the s of all models sum to 0.

    Source: Bradley and Terry (1952), Biometrika 39; existence: Ford (1957), American Mathematical
    Monthly 64; ties as half wins: Elo (1978), "The Rating of Chessplayers". Davidson's (1970)
    separate parameter for ties is not used: exp(s_i - s_j) here are the odds of expected points,
    so that strengths and win rates speak of the same thing.

    Args:
        points: (..., k, k); row i, column j: the points that model i won against model j.

    Returns:
        Strengths, (..., k). All are NaN where no finite ones exist: unless every model beat or
        drew with another, directly or through others, in both directions (Ford 1957).

    >>> bradley_terry(np.array([[0.0, 3.0], [1.0, 0.0]])).round(4).tolist()  # log 3 / 2
    [0.5493, -0.5493]
    >>> bradley_terry(np.array([[0.0, 3.0], [0.0, 0.0]])).tolist()  # never lost: no finite strength
    [nan, nan]
    """
    table = np.asarray(points, dtype=float)
    k = table.shape[-1]
    if table.ndim < 2 or table.shape[-2] != k or k < 2:
        raise UsageError(f"points must be tables of k x k models, k at least 2, not {table.shape}")
    if (table < 0).any() or not np.isfinite(table).all():
        raise UsageError("points must be finite and not negative")
    flat = table.reshape(-1, k, k) * (1 - np.eye(k))
    strengths = np.full((len(flat), k), np.nan)
    connected = _connected(flat)
    if connected.any():
        strengths[connected] = _fit(flat[connected])
    shaped: Floats = strengths.reshape(table.shape[:-1])
    return shaped


def _connected(points: Floats) -> Mask:
    """Return which tables have a way of points from every model to every other."""
    k = points.shape[-1]
    reach = (points > 0) | np.eye(k, dtype=bool)
    for _ in range(max(1, math.ceil(math.log2(k)))):
        reach = (reach.astype(float) @ reach.astype(float)) > 0
    return np.asarray(reach.all(axis=(1, 2)), dtype=bool)


def _fit(points: Floats) -> Floats:
    """Fit connected tables, (b, k, k) to (b, k), by Newton's method; NaN if it does not end."""
    k = points.shape[-1]
    won = points.sum(axis=2)
    met = points + points.transpose(0, 2, 1)
    strengths = np.zeros(won.shape)
    size = np.full(len(points), np.inf)
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(strengths[:, None, :] - strengths[:, :, None]))
        slope = won - (met * expected).sum(axis=2)
        curve = met * expected * (1 - expected)
        hessian = np.eye(k) * curve.sum(axis=2)[:, :, None] - curve
        # The sum of the strengths is free; one more equation sets it to 0.
        step = np.linalg.solve(hessian + 1 / k, slope[:, :, None])[:, :, 0]
        size = np.abs(step).max(axis=1)
        strengths += step * np.minimum(1, _WIDEST / np.maximum(size, 1e-300))[:, None]
        if (size < _CONVERGED).all():
            break
    strengths -= strengths.mean(axis=1, keepdims=True)
    result: Floats = np.where((size < 1e-6)[:, None], strengths, np.nan)
    return result


def strengths(
    contests: Sequence[Contest],
    models: Sequence[str] | None = None,
    *,
    plan: Plan | None = None,
) -> Ladder:
    """Return the strengths of models from comparisons of two, with intervals over cases.

    Formula: as `bradley_terry`; intervals and p-values resample cases, each with all its
    comparisons. If more than 1 in 100 resamples have no finite strengths, there is no interval.

    Source: Bradley and Terry (1952), Biometrika 39; bootstrap: Efron (1987), JASA 82.

    Args:
        contests: the comparisons; those without a verdict are counted, and left out of the fit.
        models: the models in their order; by default as the comparisons name them.
        plan: level, method, resamples, seed.

    Raises:
        UsageError: no comparison, a model against itself, a model that `models` lacks, or points
            other than 0, 0.5 and 1.

    >>> won = [Contest(f"c{n}", "a", "b", 1.0 if n % 4 else 0.0) for n in range(40)]
    >>> ladder = strengths(won, plan=Plan(resamples=200))
    >>> [(one.model, round(one.interval.estimate, 3)) for one in ladder.strengths]
    [('a', 0.549), ('b', -0.549)]
    """
    names = _models(contests, models)
    plan = plan or Plan()
    cases = sorted({one.case for one in contests})
    above = _points_by_case(contests, names, cases)
    fit = partial(_strengths_of, above, len(names))
    took_part = np.column_stack([_took_part(above, at) for at in range(len(names))])
    intervals = [
        _checked(one, above)
        for one in bootstrap_many(fit, len(cases), present=took_part, plan=plan)
    ]
    finite = {
        name: one.estimate
        for name, one in zip(names, intervals, strict=True)
        if not math.isnan(one.estimate)
    }
    places = ranks(finite)
    listed = tuple(
        _strength(contests, names, at, interval, places.get(names[at]))
        for at, interval in enumerate(intervals)
    )
    return Ladder(listed, _differences(above, names, len(cases), plan))


def _models(contests: Sequence[Contest], models: Sequence[str] | None) -> list[str]:
    if not contests:
        raise UsageError("there is no comparison")
    found = dict.fromkeys(name for one in contests for name in (one.first, one.second))
    names = list(found) if models is None else list(models)
    for one in contests:
        if one.first == one.second:
            raise UsageError(f"case {one.case!r} compares {one.first!r} with itself")
        if one.points not in (None, 0, 0.5, 1):
            raise UsageError(f"case {one.case!r}: points are {one.points}; write 1, 0.5, 0 or None")
    lacking = [name for name in found if name not in names]
    if lacking:
        raise UsageError(f"a comparison names {lacking[0]!r}, which is none of the models")
    return names


def _points_by_case(
    contests: Sequence[Contest], names: Sequence[str], cases: Sequence[str]
) -> Floats:
    """Return the points by case, (cases, k * k); row i, column j of a table: i against j."""
    at = {name: place for place, name in enumerate(names)}
    row = {case: place for place, case in enumerate(cases)}
    points = np.zeros((len(cases), len(names), len(names)))
    for one in contests:
        if one.points is not None:
            first, second = at[one.first], at[one.second]
            points[row[one.case], first, second] += one.points
            points[row[one.case], second, first] += 1 - one.points
    return points.reshape(len(cases), -1)


def _took_part(above: Floats, model: int) -> Mask:
    k = math.isqrt(above.shape[1])
    tables = above.reshape(-1, k, k)
    part: Mask = tables[:, model].sum(axis=1) + tables[:, :, model].sum(axis=1) > 0
    return part


def _strengths_of(above: Floats, k: int, drawn: Floats) -> Floats:
    return bradley_terry((drawn @ above).reshape(len(drawn), k, k))


def _checked(interval: Interval, points: Floats) -> Interval:
    """Return the interval, without limits where resamples have no finite strengths."""
    if not points.any():
        return replace(interval, warning="no comparison has a verdict")
    if interval.estimate != interval.estimate:
        return replace(interval, warning=f"no finite strengths exist: {NO_STRENGTH}")
    if interval.undefined > _UNDEFINED * interval.resamples and not interval.warning:
        many = (
            f"no finite strengths in {interval.undefined:,} of "
            f"{counted(interval.resamples, 'resample')}"
        )
        return replace(interval, low=math.nan, high=math.nan, warning=many)
    return interval


def _strength(
    contests: Sequence[Contest],
    names: Sequence[str],
    at: int,
    interval: Interval,
    rank: int | None,
) -> Strength:
    model = names[at]
    own = [one for one in contests if model in (one.first, one.second)]
    known = [one for one in own if one.points is not None]
    points = sum(_points(one, model) for one in known)
    ends = [_if_all(contests, names, at, won) for won in (False, True)]
    return Strength(
        model, interval, ends[0], ends[1], points, len(known), len(own) - len(known), rank
    )


def _points(contest: Contest, model: str) -> float:
    assert contest.points is not None
    return contest.points if contest.first == model else 1 - contest.points


def _if_all(contests: Sequence[Contest], names: Sequence[str], at: int, won: bool) -> float:
    """Return the strength of a model if it won, or lost, all its unresolved comparisons."""
    model = names[at]
    filled = [
        replace(one, points=float(won == (one.first == model)))
        if one.points is None and model in (one.first, one.second)
        else one
        for one in contests
    ]
    table = _points_by_case(filled, names, sorted({one.case for one in filled})).sum(axis=0)
    return float(bradley_terry(table.reshape(len(names), -1))[at])


def _differences(
    above: Floats, names: Sequence[str], cases: int, plan: Plan
) -> dict[tuple[str, str], Difference]:
    left, right = np.triu_indices(len(names), k=1)

    def apart(drawn: Floats) -> Floats:
        fitted = _strengths_of(above, len(names), drawn)
        result: Floats = fitted[:, left] - fitted[:, right]
        return result

    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    present = np.column_stack(
        [
            _took_part(above, i) & _took_part(above, j)
            for i, j in zip(left.tolist(), right.tolist(), strict=True)
        ]
    )
    found = bootstrap_differences(apart, cases, present=present, plan=plan)
    return {
        (names[i], names[j]): _settled(one, above) for (i, j), one in zip(pairs, found, strict=True)
    }


def _settled(difference: Difference, above: Floats) -> Difference:
    interval = _checked(difference.interval, above)
    without = interval.low != interval.low
    p_value = math.nan if without else difference.p_value
    return replace(difference, interval=interval, p_value=p_value, cases=interval.n)
