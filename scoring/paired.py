"""Scores of confusing image pairs (MediConfusion), votes over samples, and prompt variants.

A pair is two items with the same question, the same options and different true answers, about two
images that are similar to a vision encoder. A pair counts as right only if both items are right.
"""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from ..errors import UsageError
from .shares import FAILED, Failed, Share, share

Choice = str | None | Failed
"""An option; None if the answer matches no option; `FAILED` without a verdict."""
Item = tuple[str, Choice]
"""(true option, chosen option) of one item."""
Pair = tuple[Item, Item]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PairScores:
    """Individual accuracy, set accuracy and confusion; unpacks in this order.

    `invalid` is the number of items whose answer matches no option, `failed` the number without a
    verdict, `valid_pairs` the number of pairs that count for confusion. The shares contain counts
    and bounds.
    """

    individual: float
    set: float
    confusion: float
    individual_share: Share
    set_share: Share
    confusion_share: Share
    invalid: int
    failed: int
    valid_pairs: int

    def __iter__(self) -> Iterator[float]:
        """Yield individual, set, confusion."""
        return iter((self.individual, self.set, self.confusion))


def pair_scores(pairs: Iterable[Pair]) -> PairScores:
    """Score pairs of items.

    Individual accuracy = items answered right / items; set accuracy = pairs with both right /
    pairs; confusion = pairs with the same choice for both / pairs with two valid choices.
    An answer that matches no option (None) is wrong, and its pair does not count for confusion.
    A `FAILED` item is unresolved and left out of individual accuracy. Its pair is wrong if the
    other item is wrong, else unresolved. A share over nothing is NaN.

    Formula: individual = right items / items; set = pairs with both right / pairs; confusion =
    pairs with the same choice / pairs with two valid choices.

    Source: MediConfusion, individual accuracy, set accuracy and confusion.

    Args:
        pairs: ((truth, choice), (truth, choice)); options compare exactly.

    Returns:
        the three shares with their counts and bounds, and the numbers of invalid and failed
        answers.

    Raises:
        UsageError: a pair whose two items have the same true answer; the message gives its
            position.

    >>> individual, both, confusion = pair_scores([(("A", "A"), ("B", "A"))])
    >>> individual, both, confusion
    (0.5, 0.0, 1.0)
    """
    given = list(pairs)
    for position, ((first, _), (second, _)) in enumerate(given):
        if first == second:
            raise UsageError(f"pair {position}: both items have the true answer {first!r}")
    items = [item for pair in given for item in pair]
    individual = share(_right(item) for item in items)
    outcomes = [pair_outcome(*pair) for pair in given]
    both = share(one.both for one in outcomes)
    same = share(one.same for one in outcomes if one.counts)
    return PairScores(
        individual=individual.value,
        set=both.value,
        confusion=same.value,
        individual_share=individual,
        set_share=both,
        confusion_share=same,
        invalid=sum(choice is None for _, choice in items),
        failed=sum(choice is FAILED for _, choice in items),
        valid_pairs=same.n - same.unresolved,
    )


def _right(item: Item) -> bool | None:
    truth, choice = item
    return None if choice is FAILED else choice == truth


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """The outcome of two answers to a pair; None if it depends on a missing verdict.

    both: both answers are right. same: both chose the same option. counts: no answer is known to
    match no option; only such pairs count for confusion.
    """

    both: bool | None
    same: bool | None
    counts: bool


def pair_outcome(first: Item, second: Item) -> PairOutcome:
    """Score one pair of items.

    Formula: both = both choices are the true ones, False as soon as one is known to be wrong;
    same = the two choices are one option; a pair counts for confusion unless an answer matches no
    option (None).

    Source: MediConfusion, set accuracy and confusion.

    Args:
        first: (truth, choice) of one item; a choice is an option, None or `FAILED`.
        second: the same of the other item.

    Returns:
        whether both are right, whether both are the same, and what is unresolved.

    >>> pair_outcome(("A", "A"), ("B", "A"))
    PairOutcome(both=False, same=True, counts=True)
    >>> pair_outcome(("A", "A"), ("B", FAILED)).both is None
    True
    """
    choices = (first[1], second[1])
    marks = (_right(first), _right(second))
    both = False if False in marks else None if None in marks else True
    counts = None not in choices
    same = None if not counts or FAILED in choices else choices[0] == choices[1]
    return PairOutcome(both, same, counts)


@dataclass(frozen=True, slots=True)
class Majority(Generic[T]):
    """The outcome of a majority vote. `winner` is None on a tie or without votes.

    `tied` lists the tied choices. `counts` is ordered by votes. `unresolved` is the number of
    samples without a vote.
    """

    winner: T | None
    counts: dict[T, int]
    tied: tuple[T, ...]
    unresolved: int


def majority_vote(samples: Iterable[T | None | Failed]) -> Majority[T]:
    """Find the most frequent valid choice over repeated samples of one item.

    The order of the samples does not break a tie.

    Formula: the choice with the most samples; none on a tie.

    Source: MediConfusion, majority vote over samples.

    Args:
        samples: the choice of each sample; None for an answer that matches no option.

    Returns:
        the choice, or none, with the counts of the samples.

    >>> majority_vote(["A", "B", "A", None]).winner
    'A'
    """
    given = list(samples)
    votes = [vote for vote in given if vote is not None and not isinstance(vote, Failed)]
    counts = dict(Counter(votes).most_common())
    top = max(counts.values(), default=0)
    leaders = tuple(choice for choice, votes_for in counts.items() if votes_for == top)
    winner = leaders[0] if len(leaders) == 1 else None
    return Majority(winner, counts, leaders if winner is None else (), len(given) - len(votes))


def best_of_n(samples: Sequence[Choice], picked: int | None) -> Choice:
    """Return the sample that the judge picked (position from 0).

    `picked` None means that the judge picked no valid sample; then the item is `FAILED`.

    Formula: the choice of the sample that the judge picked.

    Source: MediConfusion, best of N.

    Args:
        samples: the choices of the samples of one item.
        picked: the position of the sample that the judge picked, from 0; None for none.

    Raises:
        UsageError: the position is not that of a sample.

    >>> best_of_n(["A", "B"], 1)
    'B'
    """
    if picked is None:
        return FAILED
    if not 0 <= picked < len(samples):
        raise UsageError(f"the judge picked sample {picked} of {len(samples)} (counted from 0)")
    return samples[picked]


def best_of_subsets(right: int, total: int, n: int) -> float:
    """Return how likely at least one of n samples is right, drawn from all without replacement.

    It is the mean over all subsets of n samples, and so unbiased for the best of n where whoever
    chooses always finds a right sample. No judge can do better.

    Formula: 1 - C(total - right, n) / C(total, n).

    Source: pass@k of Chen et al. 2021, Evaluating Large Language Models Trained on Code; best of N
    in MediConfusion.

    Args:
        right: how many samples are right.
        total: how many samples there are.
        n: how many are drawn, from 1 to the total.

    Raises:
        UsageError: counts that do not fit each other.

    >>> best_of_subsets(1, 4, 1), best_of_subsets(1, 4, 2), best_of_subsets(3, 4, 2)
    (0.25, 0.5, 1.0)
    """
    _check_counts(right, total)
    if not 1 <= n <= total:
        raise UsageError(f"the best of {n} cannot be drawn from {total} samples")
    return 1 - math.comb(total - right, n) / math.comb(total, n)


def oracle_is_right(right: int, total: int, share: float) -> bool:
    """Return whether an oracle that needs this share of right samples answers right.

    The share is compared as a decimal fraction, so that 3 of 10 samples reach 0.3.

    Formula: right / total >= share.

    Source: MediConfusion, the oracle with thresholds of frequency.

    Args:
        right: how many samples are right.
        total: how many samples there are.
        share: above 0 and at most 1. The smallest, 1 / total, needs one right sample.

    Raises:
        UsageError: counts that do not fit each other, or a share outside of its range.

    >>> oracle_is_right(1, 4, 0.25), oracle_is_right(1, 4, 0.5)
    (True, False)
    """
    _check_counts(right, total)
    if not 0 < share <= 1:
        raise UsageError(f"a share must be above 0 and at most 1, not {share}")
    return Fraction(right, total) >= Fraction(str(share))


def _check_counts(right: int, total: int) -> None:
    if not 0 <= right <= total or total < 1:
        raise UsageError(f"{right} right samples of {total} are not possible")


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and sample standard deviation (n - 1; NaN for one variant) over prompt variants."""

    mean: float
    sd: float
    lowest: float
    highest: float
    n: int


def variant_spread(set_accuracies: Sequence[float]) -> Spread:
    """Summarise one model's set accuracy over prompt variants.

    Formula: mean and standard deviation (n - 1) of the set accuracies.

    Source: MediConfusion, spread over prompt variants.

    Args:
        set_accuracies: the set accuracy of each variant.

    Returns:
        mean, standard deviation and number of variants.

    >>> spread = variant_spread([0.2, 0.4])
    >>> round(spread.mean, 3), round(spread.sd, 4)
    (0.3, 0.1414)
    """
    if not set_accuracies:
        raise UsageError("there are no prompt variants to summarise")
    n = len(set_accuracies)
    sd = statistics.stdev(set_accuracies) if n > 1 else math.nan
    middle = statistics.fmean(set_accuracies)
    return Spread(middle, sd, min(set_accuracies), max(set_accuracies), n)
