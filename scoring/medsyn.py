"""The numbers of MEDSYN from graded lists and chosen answers.

The grades of a differential are 5 (the diagnosis is listed), 4 (a very close one), 3 (a closely
related one), 2 (a somewhat related one) and 0 (nothing related). A list with grade 4 or 5 covers
the diagnosis. Use `shares.breakdown` for results by language, specialty or evidence type.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..errors import UsageError
from .shares import FAILED, Bounds, Failed, Grade, Mean, Share, is_resolved, mean, share

DDX_GRADES = (0, 2, 3, 4, 5)
COVERS_FROM = 4


def ddx_coverage(grades: Iterable[Grade], threshold: float = COVERS_FROM) -> Share:
    """Return the share of cases whose differential has grade `threshold` or more.

    Formula: (cases graded 4 or more) / (resolved cases).

    Source: MEDSYN, coverage of the differential.

    Args:
        grades: the grade of each case; None and `FAILED` are unresolved.
        threshold: the lowest grade that covers.

    >>> ddx_coverage([5, 4, 3, 0]).value
    0.5
    """
    return share(_covers(position, grade, threshold) for position, grade in enumerate(grades))


def covers(grade: float, threshold: float = COVERS_FROM) -> bool:
    """Return whether a differential with this grade covers the true diagnosis.

    Formula: grade >= 4.

    Source: MEDSYN, coverage of the differential.

    Args:
        grade: the grade of the differential, 0 to 5.
        threshold: the lowest grade that covers.

    >>> covers(4), covers(3)
    (True, False)
    """
    return grade >= threshold


def _covers(position: int, grade: Grade, threshold: float) -> bool | None:
    if grade is None or isinstance(grade, Failed) or not is_resolved(grade):
        return None
    if grade not in DDX_GRADES:
        raise UsageError(f"grade {grade} at position {position} is none of {DDX_GRADES}")
    return covers(grade, threshold)


def mean_grade(grades: Iterable[Grade], scale: tuple[float, float] = (0, 5)) -> Mean:
    """Return the mean grade. For grades of final diagnoses give the scale (1, 5).

    Formula: sum of the grades / resolved cases.

    Source: MEDSYN, mean grade of the differential (0 to 5) and of the final diagnosis (1 to 5).

    Args:
        grades: the grade of each case; None and `FAILED` are unresolved.
        scale: the lowest and the highest grade.

    >>> mean_grade([5, 3, None]).value
    4.0
    """
    return mean(grades, scale)


def choice_accuracy(
    chosen: Sequence[str | None | Failed], truth: Sequence[str], *, ignore_case: bool = True
) -> Share:
    """Return the share of cases whose chosen option is the true one.

    None (the answer matches no option) is wrong; `FAILED` (no verdict) is unresolved.

    Formula: (cases whose choice is the true option) / (resolved cases).

    Source: MEDSYN, accuracy of the final diagnosis by choice.

    Args:
        chosen: the chosen option of each case.
        truth: the true option of each case.
        ignore_case: whether a and A are one option.

    Raises:
        UsageError: the two lists differ in length.

    >>> choice_accuracy(["A", "b", None, FAILED], ["A", "B", "C", "D"]).value
    0.6666666666666666
    """
    if len(chosen) != len(truth):
        raise UsageError(f"{len(chosen)} choices but {len(truth)} true options")

    def key(letter: str) -> str:
        return letter.strip().casefold() if ignore_case else letter.strip()

    return share(
        FAILED if choice is FAILED else isinstance(choice, str) and key(choice) == key(right)
        for choice, right in zip(chosen, truth, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Gap:
    """Coverage of the differentials minus accuracy of the final choice, with its bounds."""

    value: float
    coverage: Share
    accuracy: Share
    bounds: Bounds


def ddx_fdx_gap(coverage: Share, accuracy: Share) -> Gap:
    """Return how much more often a differential covers the truth than the final choice is right.

    The bounds use the worst and the best value of each share.

    Formula: coverage of the differential - accuracy of the final choice.

    Source: MEDSYN, gap between differential and final diagnosis.

    Args:
        coverage: as `ddx_coverage` gives it.
        accuracy: as `choice_accuracy` gives it.

    >>> ddx_fdx_gap(share([True, True]), share([True, False])).value
    0.5
    """
    limits = Bounds(
        coverage.bounds.low - accuracy.bounds.high, coverage.bounds.high - accuracy.bounds.low
    )
    return Gap(coverage.value - accuracy.value, coverage, accuracy, limits)
