"""Scores of MedLesionVQA: choices, open answers, abilities, merged ranks, places of options."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import UsageError
from .shares import Grade, Mean, breakdown, mean

OPEN_SCORES = (0, 0.5, 1)


def choice_is_right(chosen: Iterable[str] | None, truth: Iterable[str]) -> bool:
    """Return whether the chosen options are exactly the true ones, in any order.

    `chosen` None (the answer matches no option) is wrong.

    Formula: the set of chosen options = the set of true options.

    Source: MEDSYN, accuracy of the final diagnosis by choice; MediConfusion, individual accuracy.

    Args:
        chosen: the chosen options.
        truth: the true options.

    >>> choice_is_right(["B"], ["B"]), choice_is_right(None, ["B"])
    (True, False)
    """
    return chosen is not None and set(chosen) == set(truth)


def option_score(chosen: Iterable[str] | None, gold: Iterable[str]) -> float:
    """Score a multi-response choice: 0 with any option outside the gold set, else |chosen|/|gold|.

    `chosen` scores 0 if it is None or empty (the answer matches no option).

    Formula: 0 where chosen is not within gold, else |chosen| / |gold|.

    Source: MedLesionVQA, multi-response choice.

    >>> option_score({"A", "C"}, {"A", "B", "C"})
    0.6666666666666666
    >>> option_score({"A", "D"}, {"A", "B", "C"})
    0.0

    Args:
        chosen: the chosen options.
        gold: the right options.

    Returns:
        0 to 1.

    Raises:
        UsageError: no gold option.
    """
    right, picked = set(gold), set(chosen or ())
    if not right:
        raise UsageError("a question needs at least one gold option")
    return len(picked) / len(right) if picked <= right else 0.0


def open_average(scores: Sequence[Grade]) -> Mean:
    """Average the scores of open answers, each 0, 0.5 or 1.

    Formula: mean of the scores 0, 0.5 and 1.

    Source: MedLesionVQA, open answers.

    Args:
        scores: the score of each answer; None and `FAILED` are unresolved.

    Returns:
        the mean with its bounds and counts.

    >>> open_average([1, 0.5, 0, None]).value
    0.5
    """
    for position, score in enumerate(scores):
        if isinstance(score, int | float) and score == score and score not in OPEN_SCORES:
            raise UsageError(f"score {score} at position {position} is none of {OPEN_SCORES}")
    return mean(scores)


@dataclass(frozen=True, slots=True)
class AbilityScores:
    """Mean score of each ability, over all questions, and the mean over the abilities."""

    by_ability: dict[str, Mean]
    overall: Mean
    macro: float


def ability_scores(
    scores: Sequence[Grade], abilities: Sequence[str | Iterable[str]]
) -> AbilityScores:
    """Average scores in 0..1 by ability and overall.

    In `overall` every question has the same weight, in `macro` every ability with a score.

    Formula: mean by ability; overall the mean over questions, macro the mean over abilities.

    Source: MedLesionVQA, averages per ability and overall.

    Args:
        scores: the score of each question, 0 to 1; None and `FAILED` are left out.
        abilities: the ability of each question, or several.

    Returns:
        the mean of each ability, over all questions, and over the abilities.

    >>> made = ability_scores([1, 0.5, 0], ["colour", "colour", "size"])
    >>> made.by_ability["colour"].value, made.overall.value, made.macro
    (0.75, 0.5, 0.375)
    """
    by_ability = breakdown(scores, abilities, mean)
    values = [part.value for part in by_ability.values()]
    return AbilityScores(by_ability, mean(scores), mean(values).value)


class Merged(NamedTuple):
    """One entry of a merged ranking with its summed 1/rank."""

    name: str
    weight: float


def merge_ranks(rankings: Iterable[Sequence[str]]) -> tuple[Merged, ...]:
    """Merge several annotators' ranked lists by summed 1/rank, heaviest first.

    Entries with equal sums are ordered by their better single rank, then by name. The order of
    the lists does not matter.

    Formula: weight of an entry = sum over lists of 1 / rank.

    Source: MedLesionVQA, merging of two annotators' ranked lists.

    >>> [entry.name for entry in merge_ranks([["acne", "rosacea"], ["rosacea", "acne", "lupus"]])]
    ['acne', 'rosacea', 'lupus']

    Args:
        rankings: the list of each annotator, best first.

    Returns:
        the entries with their weights, heaviest first.

    Raises:
        UsageError: a list names an entry twice.
    """
    positions: dict[str, list[int]] = {}
    for number, ranking in enumerate(rankings):
        if len(set(ranking)) != len(ranking):
            raise UsageError(f"ranked list {number} names an entry twice")
        for rank, name in enumerate(ranking, start=1):
            positions.setdefault(name, []).append(rank)
    merged = [Merged(name, math.fsum(1 / rank for rank in at)) for name, at in positions.items()]
    return tuple(
        sorted(merged, key=lambda e: (-round(e.weight, 12), min(positions[e.name]), e.name))
    )


class Placed(NamedTuple):
    """The places of the right options of a question, from 0, and its number of options."""

    positions: tuple[int, ...]
    options: int


class PositionTest(NamedTuple):
    """A test of uniform places; `p_value` is None if nothing can be tested.

    smallest: the smallest expected count. Below 5, the p-value is only approximate.
    """

    statistic: float
    degrees: int
    p_value: float | None
    smallest: float


def uniform_positions(questions: Iterable[Placed]) -> PositionTest:
    """Test whether right options stand in all places equally often.

    Questions with the same numbers of options k and of right options m are one group of n
    questions. In each group every place is right n m / k times, if the places are drawn. The
    statistics and the degrees of freedom of the groups are added.

    Formula: chi-square = sum over groups of (k - 1) / (k - m) * sum over places of
    (observed - n m / k)^2 / (n m / k), with k - 1 degrees of freedom for each group. The factor
    is 1 for one right option; with several, the places of a question exclude each other less.

    Source: Pearson's chi-square test; the factor from the covariance of m draws without
    replacement among k.

    >>> test = uniform_positions([Placed((0,), 4)] * 6 + [Placed((3,), 4)] * 2)
    >>> test.statistic, test.degrees, round(test.p_value or 0, 4), test.smallest
    (12.0, 3, 0.0074, 2.0)

    Args:
        questions: the places of the right options of each question.

    Returns:
        chi-square, its degrees of freedom, p, and the smallest expected count.

    Raises:
        UsageError: a question without a right option or with right options only, or a place
            outside the options.
    """
    from scipy.stats import chi2

    groups: dict[tuple[int, int], list[int]] = {}
    for positions, options in questions:
        if not 0 < len(positions) < options or not set(positions) <= set(range(options)):
            raise UsageError(f"the right places {positions} do not fit {options} options")
        counts = groups.setdefault((options, len(positions)), [0] * options)
        for position in positions:
            counts[position] += 1
    statistic, degrees, smallest = 0.0, 0, math.inf
    for (options, right), counts in sorted(groups.items()):
        expected = sum(counts) / options
        off = math.fsum((count - expected) ** 2 / expected for count in counts)
        statistic += off * (options - 1) / (options - right)
        degrees += options - 1
        smallest = min(smallest, expected)
    if not groups:
        return PositionTest(0.0, 0, None, 0.0)
    return PositionTest(statistic, degrees, float(chi2.sf(statistic, degrees)), smallest)
