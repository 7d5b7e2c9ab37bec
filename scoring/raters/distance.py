"""The distance of two verdicts, and the disagreement of the judges on one item."""

import itertools
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

from ._ratings import Scale, is_number


def verdict_distance(
    first: Any,
    second: Any,
    scale: Scale = "nominal",
    *,
    span: float = 1.0,
    categories: Sequence[Any] | None = None,
) -> float:
    """Return the distance of two verdicts, from 0 (equal) to 1 (opposite ends of the scale).

    Formula: nominal: 0 if equal, else 1. Otherwise |a - b| / span for numbers, and the difference
    of the places in `categories` / (number of categories - 1) for words.

    Source: dxjudge; of numbers and ordered words the distances are the linear ones of
    `cohen_kappa`.

    Args:
        first: a verdict: text, a number or a truth value.
        second: another one.
        scale: the scale of the verdicts. Ordinal and interval verdicts have the same distance.
        span: the width of the scale of numbers.
        categories: the levels of words in their order. None, or fewer than two: words are nominal.

    >>> verdict_distance(5, 3, "ordinal", span=5)
    0.4
    >>> verdict_distance("low", "high", "ordinal", categories=("low", "mid", "high"))
    1.0
    >>> verdict_distance("lupus", "acne")
    1.0
    """
    if scale != "nominal":
        if is_number(first) and is_number(second):
            return abs(float(first) - float(second)) / span
        if categories is not None and len(categories) > 1:
            places = abs(categories.index(first) - categories.index(second))
            return places / (len(categories) - 1)
    return float(first != second)


def disagreement(
    verdicts: Iterable[tuple[str, Any]],
    scale: Scale = "nominal",
    *,
    span: float = 1.0,
    categories: Sequence[Any] | None = None,
) -> float:
    """Return the mean distance of two verdicts on one item, at most 1; NaN without a pair.

    Only pairs of different judges count. With one judge alone, the pairs of its repeats count.

    Formula: sum of `verdict_distance` over the pairs / number of pairs.

    Source: dxjudge; the order in which `dxjudge agree` lists contested cases.

    Args:
        verdicts: (judge, verdict) of one item; a verdict that is None makes no pair.
        scale: as in `verdict_distance`.
        span: as in `verdict_distance`.
        categories: as in `verdict_distance`.

    >>> disagreement([("a", 5), ("b", 5), ("c", 3)], "ordinal", span=5)
    0.26666666666666666
    >>> disagreement([("a", "yes"), ("a", "no"), ("b", None)])
    nan
    """
    votes = list(verdicts)
    alone = len({judge for judge, _ in votes}) == 1
    distances = [
        verdict_distance(first, second, scale, span=span, categories=categories)
        for (judge, first), (other, second) in itertools.combinations(votes, 2)
        if first is not None and second is not None and (alone or judge != other)
    ]
    return min(1.0, fmean(distances)) if distances else float("nan")
