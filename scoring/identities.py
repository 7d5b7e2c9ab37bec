"""Identities that the numbers of one table must keep, and where a table does not keep them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..errors import UsageError
from ._arithmetic import SAME, harmonic

Law = Literal["harmonic", "jaccard", "overlap", "sum", "pairs", "rest"]


@dataclass(frozen=True)
class Identity:
    """A number that follows from others: `gives` is the `law` applied to `of`.

    Under the law "rest" `gives` is at most what `of` leaves of 100 %.

    of, gives: names of columns.
    """

    law: Law
    of: tuple[str, ...]
    gives: str


@dataclass(frozen=True)
class Violation:
    """A number that does not follow from the others, whatever their unrounded values are.

    printed: the number in the table. lowest, highest: what it can be.
    """

    identity: Identity
    printed: float
    lowest: float
    highest: float


def violations(
    values: Mapping[str, float],
    identities: Sequence[Identity],
    *,
    half_units: Mapping[str, float] | None = None,
    whole: float = 1.0,
) -> list[Violation]:
    """Find the identities that the numbers of one row do not keep.

    A printed number stands for all numbers that are rounded to it. An identity is broken if none
    of them fits.

    Formula: "harmonic" 2ab / (a + b), F1 from precision and recall; "jaccard" a / (2 - a), from
    the micro F1; "overlap" ab / (a + b - ab), the micro Jaccard from precision and recall; "sum"
    of the parts, a total from its dimensions; "pairs" a + b / 2, the individual accuracy from set
    accuracy and confusion, where all answers are valid; "rest" at most 1 - a, the confusion from
    set accuracy, because a pair that is right is not confused.

    Source: the definitions of the scores of H-DDx, DermCase and MediConfusion. Macro F1 and macro
    Jaccard are means over cases, and keep neither of the first two.

    Args:
        values: name of the column -> number; an identity whose columns are not all there is
            left out.
        identities: what must hold.
        half_units: name of the column -> half a unit of its last printed digit.
        whole: what 100 % is in the table, 1 or 100.

    Returns:
        the broken identities, with the printed number and the limits of the numbers that would fit.

    Raises:
        UsageError: an identity with the wrong number of columns.

    >>> f1 = Identity("harmonic", ("precision", "recall"), "f1")
    >>> violations({"precision": 0.5, "recall": 1.0, "f1": 0.667}, [f1], half_units={"f1": 0.0005})
    []
    >>> broken = violations({"precision": 0.5, "recall": 1.0, "f1": 0.75}, [f1])
    >>> round(broken[0].lowest, 3)
    0.667
    """
    half = half_units or {}
    broken = []
    for identity in identities:
        if len(identity.of) != _ARGUMENTS.get(identity.law, len(identity.of)):
            raise UsageError(f"the law {identity.law} does not take {len(identity.of)} columns")
        if not {*identity.of, identity.gives} <= {*values}:
            continue
        ends = [
            (values[name] - half.get(name, 0.0), values[name] + half.get(name, 0.0))
            for name in identity.of
        ]
        if identity.law == "rest":
            lowest, highest = 0.0, whole - ends[0][0]
        else:  # every other law rises with each of its numbers, so that the ends give the ends
            lowest = _LAWS[identity.law]([low / whole for low, _ in ends]) * whole
            highest = _LAWS[identity.law]([high / whole for _, high in ends]) * whole
        slack = half.get(identity.gives, 0.0) + SAME * whole
        printed = values[identity.gives]
        if not lowest - slack <= printed <= highest + slack:
            broken.append(Violation(identity, printed, lowest, highest))
    return broken


def _harmonic(parts: Sequence[float]) -> float:
    first, second = (max(part, 0.0) for part in parts)
    return harmonic(first, second)


def _jaccard(parts: Sequence[float]) -> float:
    return parts[0] / (2 - parts[0])


def _overlap(parts: Sequence[float]) -> float:
    first, second = (max(part, 0.0) for part in parts)
    union = first + second - first * second
    return first * second / union if union else 0.0


def _pairs(parts: Sequence[float]) -> float:
    return parts[0] + parts[1] / 2


_LAWS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "harmonic": _harmonic,
    "jaccard": _jaccard,
    "overlap": _overlap,
    "sum": sum,
    "pairs": _pairs,
}
_ARGUMENTS = {"harmonic": 2, "jaccard": 1, "overlap": 2, "pairs": 2, "rest": 1}
