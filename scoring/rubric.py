"""Weighted points and the total of a rubric, from raw levels.

The judge gives raw levels only. The points of a dimension are its raw level times its factor, and
the total is their sum. The caller passes the dimensions and factors.
"""

import math
from collections.abc import Mapping
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
