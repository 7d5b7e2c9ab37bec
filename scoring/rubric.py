"""Points of a rubric: from raw levels, or from criteria that are met or not.

The judge gives raw levels, or says what is met. The points of a dimension are its raw level times
its factor, and the total is their sum; a criterion has its points or none. The caller passes the
dimensions and factors, or the points.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import UsageError
from .shares import Bounds, Failed, Grade, is_resolved


@dataclass(frozen=True, slots=True)
class RubricScore:
    """Points by dimension (in the order of the factors), and their total.

    A dimension without a verdict has points None. Then `total` is None too, and `bounds` are the
    lowest and the highest possible total.
    """

    points: Mapping[str, float | None]
    total: float | None
    best: float
    unresolved: tuple[str, ...]
    bounds: Bounds


def rubric_score(
    raw: Mapping[str, Grade], factors: Mapping[str, float], *, maximum: float = 4
) -> RubricScore:
    """Compute the points and the total of one response from its raw levels.

    Formula: points = raw level x factor; total = sum of the points.

    Source: DermCase, weighted rubric of five dimensions.

    Args:
        raw: dimension to raw level, 0 to `maximum`; None or `FAILED` if the judge failed.
        factors: dimension to factor from raw to points.
        maximum: highest raw level.

    Returns:
        the points of each dimension and their total, with the best total and bounds.

    Raises:
        UsageError: a dimension without a factor or without a level, or a level off the scale.

    >>> rubric_score({"reasoning": 2, "terms": 3}, {"terms": 1.25, "reasoning": 7.5}).total
    18.75
    """
    odd = sorted(raw.keys() ^ factors.keys())
    if odd:
        raise UsageError(f"not in both levels and factors: {', '.join(odd)}")
    points = {name: _points(name, raw[name], factor, maximum) for name, factor in factors.items()}
    unresolved = tuple(name for name, value in points.items() if value is None)
    known = math.fsum(value for value in points.values() if value is not None)
    best = math.fsum(factors.values()) * maximum
    open_points = maximum * math.fsum(factors[name] for name in unresolved)
    total = None if unresolved else known
    return RubricScore(points, total, best, unresolved, Bounds(known, known + open_points))


def _points(name: str, level: Grade, factor: float, maximum: float) -> float | None:
    if level is None or isinstance(level, Failed) or not is_resolved(level):
        return None
    if not 0 <= level <= maximum:
        raise UsageError(f"level {level} of {name!r} is outside 0..{maximum}")
    return level * factor


@dataclass(frozen=True, slots=True)
class CriteriaScore:
    """The score of one response by the criteria of its case.

    value: None while a criterion has no verdict. worst, best: the score if every criterion
    without a verdict went against, and for the response. unresolved: how many these are.
    """

    value: float | None
    worst: float
    best: float
    unresolved: int


def criteria_score(points: Sequence[float], met: Sequence[bool | None]) -> CriteriaScore | None:
    """Return the points of the criteria that are met, as a share of all positive points.

    Formula: sum of the points of the met criteria / sum of the positive points. A fault has
    negative points, so that a score can lie below 0; it cannot lie above 1.

    Source: HealthBench (Arora et al. 2025, arXiv:2505.08775), and `calculate_score` of its
    evaluation in openai/simple-evals. The score of a case is not clipped there; the mean over
    cases is clipped to 0..1 (`ratio_of_sums` with "clipped").

    Args:
        points: the points of each criterion; a criterion of a fault has negative points.
        met: whether the response meets each criterion; None without a verdict.

    Returns:
        None where no criterion has positive points, so that there is nothing to reach.

    Raises:
        UsageError: lists of different lengths.

    >>> criteria_score([5, 3, -4], [True, False, True])  # (5 - 4) / 8
    CriteriaScore(value=0.125, worst=0.125, best=0.125, unresolved=0)
    >>> criteria_score([5, 3, -4], [True, None, None])  # 1 / 8 to 8 / 8
    CriteriaScore(value=None, worst=0.125, best=1.0, unresolved=2)
    """
    if len(points) != len(met):
        raise UsageError(f"{len(points)} criteria need {len(points)} verdicts, not {len(met)}")
    possible = sum(one for one in points if one > 0)
    if not possible:
        return None
    earned = sum(one for one, is_met in zip(points, met, strict=True) if is_met)
    loose = [one for one, is_met in zip(points, met, strict=True) if is_met is None]
    worst = (earned + sum(one for one in loose if one < 0)) / possible
    best = (earned + sum(one for one in loose if one > 0)) / possible
    return CriteriaScore(None if loose else earned / possible, worst, best, len(loose))
