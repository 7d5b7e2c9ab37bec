"""Shares and means over cases, some of which may have no verdict.

A case without a verdict is neither right nor wrong. The number uses the resolved cases, and the
bounds are its values if every unresolved case were wrong, or right.

In lists of yes/no verdicts and grades, `None`, NaN and `FAILED` all mean unresolved. In lists of
*choices* (option letters), `None` means that the answer matches no option and counts as wrong; only
`FAILED` means unresolved there.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, TypeVar

from ..errors import UsageError
from ._arithmetic import ratio


class Failed(Enum):
    """The type of `FAILED`."""

    FAILED = "failed"


FAILED: Final = Failed.FAILED
"""Marks an item whose judge gave no valid verdict."""

Verdict = bool | Failed | None
Grade = float | Failed | None
V = TypeVar("V")
R = TypeVar("R")


class Bounds(NamedTuple):
    """The score if every unresolved item had the worst verdict, and if it had the best."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Share:
    """The share of items with a "yes": `value` = right / (n - unresolved), NaN without any."""

    value: float
    right: int
    n: int
    unresolved: int
    bounds: Bounds

    @classmethod
    def of(cls, right: int, unresolved: int, n: int) -> "Share":
        """Return a share from its counts."""
        limits = bounds(right, unresolved, n)
        return cls(ratio(right, n - unresolved), right, n, unresolved, limits)


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of the resolved scores (NaN without any), with its bounds."""

    value: float
    n: int
    unresolved: int
    bounds: Bounds


def is_resolved(verdict: object) -> bool:
    """Return whether there is a verdict: not None, not NaN, not `FAILED`.

    Args:
        verdict: anything that may stand for a verdict.
    """
    missing_number = isinstance(verdict, float) and math.isnan(verdict)
    return not (verdict is None or verdict is FAILED or missing_number)


def bounds(resolved_correct: int, unresolved: int, n: int) -> Bounds:
    """Bound an accuracy over `n` items of which `unresolved` have no verdict.

    `low` counts all unresolved items as wrong, `high` as right. Both are NaN for n = 0.

    Formula: low = c / n, high = (c + u) / n, with c correct and u unresolved items.

    Source: worst-case bounds of Manski (1989), Journal of Human Resources 24.

    Args:
        resolved_correct: the number of items with a verdict that are right.
        unresolved: the number of items without a verdict.
        n: the number of items.

    Returns:
        the lowest and the highest accuracy, 0 to 1.

    Raises:
        UsageError: a negative count, or more correct and unresolved items than items.

    >>> bounds(6, 2, 10)
    Bounds(low=0.6, high=0.8)
    """
    if min(resolved_correct, unresolved, n) < 0 or resolved_correct + unresolved > n:
        raise UsageError(
            f"{resolved_correct} correct and {unresolved} unresolved do not fit into {n} items"
        )
    return Bounds(ratio(resolved_correct, n), ratio(resolved_correct + unresolved, n))


def share(verdicts: Iterable[Verdict]) -> Share:
    """Count the share of "yes" among yes/no verdicts.

    Formula: "yes" / resolved.

    Source: the accuracy of the papers' tables; bounds as in `bounds`.

    Args:
        verdicts: one verdict for each item; None and `FAILED` are unresolved.

    Returns:
        the share with its bounds and counts.

    >>> share([True, False, None, True]).bounds
    Bounds(low=0.5, high=0.75)
    """
    given = list(verdicts)
    resolved = [bool(verdict) for verdict in given if is_resolved(verdict)]
    return Share.of(sum(resolved), len(given) - len(resolved), len(given))


def mean(scores: Iterable[Grade], scale: tuple[float, float] = (0.0, 1.0)) -> Mean:
    """Average the resolved scores; for the bounds, unresolved scores are the ends of `scale`.

    Formula: sum of the resolved scores / their number.

    Source: the mean of the papers' tables; bounds as in `bounds`.

    Args:
        scores: one score for each item; None, NaN and `FAILED` are unresolved.
        scale: the lowest and the highest score.

    Returns:
        the mean with its bounds and counts.

    Raises:
        UsageError: a score outside the scale; the message names its position.

    >>> mean([1, 0.5, None]).value
    0.75
    """
    given = list(scores)
    lowest, highest = scale
    resolved = []
    for position, score in enumerate(given):
        if score is None or isinstance(score, Failed) or not is_resolved(score):
            continue
        if not lowest <= score <= highest:
            raise UsageError(f"score {score} at position {position} is outside {lowest}..{highest}")
        resolved.append(float(score))
    n, total = len(given), math.fsum(resolved)
    unresolved = n - len(resolved)
    limits = Bounds(ratio(total + unresolved * lowest, n), ratio(total + unresolved * highest, n))
    return Mean(ratio(total, len(resolved)), n, unresolved, limits)


def breakdown(
    values: Sequence[V],
    groups: Sequence[str | Iterable[str]],
    score: Callable[[list[V]], R],
) -> dict[str, R]:
    """Score every group of cases on its own, in the order of the groups' names.

    `groups` has one name per case, or several names if a case belongs to several groups (two
    specialties, two types of evidence). Such a case counts once in each group.

    Formula: the score of the cases of each group.

    Source: breakdowns by language, specialty and evidence type (MEDSYN), by ability
    (MedLesionVQA).

    Args:
        values: one value for each case.
        groups: the group of each case, or several.
        score: computes the score of a list of values.

    Returns:
        group -> score.

    Raises:
        UsageError: the two lists differ in length.

    >>> breakdown([1.0, 0.0, 1.0], ["a", "a", "b"], lambda scores: mean(scores).value)
    {'a': 0.5, 'b': 1.0}
    """
    if len(values) != len(groups):
        raise UsageError(f"{len(values)} values but {len(groups)} groups")
    members: dict[str, list[V]] = {}
    for value, names in zip(values, groups, strict=True):
        for name in {names} if isinstance(names, str) else set(names):
            members.setdefault(name, []).append(value)
    return {name: score(members[name]) for name in sorted(members)}
