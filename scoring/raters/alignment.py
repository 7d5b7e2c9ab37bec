"""How well a score agrees with people: with their ratings, and with their choices between two."""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...errors import UsageError
from ...files.counted import counted
from ..bootstrap import Floats, Interval, Plan, bootstrap_many
from ..means import mean_interval
from ._correlation import kendall_statistic, spearman_statistic
from ._ratings import Ratings, read_pair
from .agreement import LEAST_RARE


@dataclass(frozen=True)
class RankAlignment:
    """Rank correlations of a score with ratings.

    n: the number of responses with both. missing: the number of rated responses without a score.
    """

    spearman: Interval
    kendall: Interval
    n: int
    missing: int


@dataclass(frozen=True)
class ChoiceAlignment:
    """The share of choices that a score makes as people do.

    n: the number of choices with two scores. ties: how many of them have two equal scores.
    missing: the number of choices without both scores.
    """

    share: Interval
    n: int
    ties: int
    missing: int


def rank_alignment(
    scores: Sequence[float | None],
    ratings: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> RankAlignment:
    """Correlate a score with ratings, over the responses that have a score.

    Formula: Spearman's rho and Kendall's tau-b. If one score, or one rating, is more than half of
    all, there is an interval only if at least seven cases have another one.

    Source: Spearman (1904); Kendall (1945); alignment with experts as in DermCase.

    Args:
        scores: one number for each rated response; None and NaN mean that there is none.
        ratings: the rating of each, such as the mean of several raters.
        clusters: the case of each; cases are resampled.
        plan: level, method, resamples, seed, fewest cases.

    Returns:
        both correlations with their intervals.

    >>> made = rank_alignment([0.1, 0.2, 0.3, 0.4, None], [1, 3, 2, 4, 5])
    >>> round(made.spearman.estimate, 4), round(made.kendall.estimate, 4), made.missing
    (0.8, 0.6667, 1)
    """
    if len(scores) != len(ratings):
        raise UsageError(f"{len(scores)} scores and {len(ratings)} ratings")
    known = [n for n, score in enumerate(scores) if score is not None and score == score]
    if not known:
        nothing = _without("no rated response has a score", plan or Plan())
        return RankAlignment(nothing, nothing, 0, len(scores))
    pair = read_pair([scores[n] for n in known], [ratings[n] for n in known])
    parts = spearman_statistic(pair), kendall_statistic(pair)

    def statistic(drawn: Floats) -> Floats:
        return np.column_stack([part(drawn) for part in parts])

    labels = [n if clusters is None else clusters[n] for n in known]
    spearman, kendall = (
        replace(one, low=math.nan, high=math.nan, warning=why)
        if (why := _too_alike(pair, labels)) and one.low == one.low
        else one
        for one in bootstrap_many(statistic, labels, plan=plan or Plan())
    )
    return RankAlignment(spearman, kendall, len(known), len(scores) - len(known))


def _too_alike(pair: Ratings, labels: Sequence[Hashable]) -> str:
    """Return why there is no interval: nearly all scores, or nearly all ratings, are the same.

    With a share of 5 % of other scores, the intervals of 20 responses held the true correlation in
    55 % of simulations, and those of 50 in 79 % (benchmarks/intervals.py without this rule).
    """
    for what, column in zip(("score", "rating"), pair.codes.T.tolist(), strict=True):
        commonest, count = Counter(column).most_common(1)[0]
        others = {label for code, label in zip(column, labels, strict=True) if code != commonest}
        if count > len(column) / 2 and len(others) < LEAST_RARE:
            return (
                f"{counted(len(others), 'case')} with a {what} other than the commonest: too few "
                f"for an interval (at least {LEAST_RARE})"
            )
    return ""


def choice_alignment(
    first: Sequence[float | None],
    second: Sequence[float | None],
    chose_first: Sequence[bool],
    *,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> ChoiceAlignment:
    """Compare which of two responses people chose with which has the higher score.

    Formula: mean over the choices of 1 if the chosen response has the higher score, 0 if it has
    the lower one, 1/2 if the scores are equal, as a guess would have.

    Source: forced choices of experts as in DermCase.

    Args:
        first: the score of the first response of each choice; None and NaN mean none.
        second: the score of the second response.
        chose_first: whether the person chose the first one.
        clusters: the case of each choice; cases are resampled.
        plan: level, method, resamples, seed, fewest cases.

    Returns:
        the share of choices that the scores agree with, with its interval, and the ties.

    >>> made = choice_alignment([2, 1, 3, 1], [1, 2, 3, None], [True, True, False, True])
    >>> made.share.estimate, made.n, made.ties, made.missing
    (0.5, 3, 1, 1)
    """
    if not len(first) == len(second) == len(chose_first):
        raise UsageError(f"{len(first)}, {len(second)} scores and {len(chose_first)} choices")
    marks: list[float] = []
    labels: list[Hashable] = []
    for n, (one, two, is_first) in enumerate(zip(first, second, chose_first, strict=True)):
        if one is None or two is None or one != one or two != two:
            continue
        marks.append(0.5 if one == two else float((one > two) == is_first))
        labels.append(n if clusters is None else clusters[n])
    if not marks:
        nothing = _without("no choice has two scores", plan or Plan())
        return ChoiceAlignment(nothing, 0, 0, len(first))
    share = mean_interval(marks, clusters=labels, plan=plan)
    return ChoiceAlignment(share, len(marks), marks.count(0.5), len(first) - len(marks))


def _without(warning: str, plan: Plan) -> Interval:
    """No number and no interval, with the reason."""
    nan = float("nan")
    return Interval(
        nan, nan, nan, plan.level, plan.method, 0, plan.resamples, plan.seed, warning=warning
    )
