"""Chance-corrected agreement from category counts: Cohen, Fleiss, Gwet.

All are 1 - observed disagreement / disagreement by chance. They differ in their model of chance.
The habit of a judge is the share of each category among its verdicts.

- Cohen (1960; weighted 1968): two judges, each with its own habit.
- Fleiss (1971): any number of judges with one common habit. Cases may have different numbers of
  verdicts, as in Gwet's handbook (2014): agreement uses the cases with two or more verdicts, and
  habit the cases with one or more.
- Gwet's AC1 (2008) and AC2: chance agreement is low if one category is rare, so that near-perfect
  agreement does not give a kappa near zero.
"""

from typing import Literal

import numpy as np

from ...errors import UsageError
from ..bootstrap import Floats, Statistic
from ._ratings import MISSING, Codes, Ratings, cell_sums

Weights = Literal["linear", "quadratic"] | None


def agreement_weights(k: int, weights: Weights) -> Floats:
    """Return the agreement credit of every two of k ordered categories: k x k, diagonal 1.

    None: 0 elsewhere. linear: 1 - |i - j| / (k - 1). quadratic: 1 - (i - j)^2 / (k - 1)^2.
    """
    if weights is None or k < 2:
        return np.eye(k)
    apart = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :]) / (k - 1)
    if weights not in ("linear", "quadratic"):
        raise UsageError(f"weights is {weights!r}; choose None, 'linear' or 'quadratic'")
    credit: Floats = 1.0 - apart if weights == "linear" else 1.0 - apart**2
    return credit


def _corrected(observed: Floats, chance: Floats) -> Floats:
    """Return (observed - chance) / (1 - chance); NaN if chance is 1."""
    room = 1.0 - chance
    undefined = ~(room > 1e-12)
    corrected: Floats = (observed - chance) / np.where(undefined, np.nan, room)
    return corrected


def _divide(part: Floats, whole: Floats) -> Floats:
    quotient: Floats = part / np.where(whole > 0, whole, np.nan)
    return quotient


def cohen_statistic(ratings: Ratings, weights: Weights) -> Statistic:
    """Return Cohen's kappa of the two judges as a function of case weights."""
    k = len(ratings.categories)
    first, second = ratings.codes[:, 0], ratings.codes[:, 1]
    both = (first != MISSING) & (second != MISSING)
    if weights is None:
        return _unweighted(np.where(both, first, MISSING), np.where(both, second, MISSING), k)
    cells = np.where(both, first * k + second, MISSING)
    credit = agreement_weights(k, weights)

    def statistic(drawn: Floats) -> Floats:
        sums = cell_sums(drawn, cells, k * k)
        table = _divide(sums, sums.sum(axis=1, keepdims=True)).reshape(-1, k, k)
        chance = np.einsum("bi,bj,ij->b", table.sum(axis=2), table.sum(axis=1), credit)
        return _corrected(np.einsum("bij,ij->b", table, credit), chance)

    return statistic


def _unweighted(first: Codes, second: Codes, k: int) -> Statistic:
    """Return kappa from the two habits, so that many categories, such as codes, need no table."""
    same = ((first == second) & (first != MISSING)).astype(float)
    there = (first != MISSING).astype(float)

    def statistic(drawn: Floats) -> Floats:
        total = drawn @ there
        one, other = cell_sums(drawn, first, k), cell_sums(drawn, second, k)
        return _corrected(
            _divide(drawn @ same, total), _divide((one * other).sum(axis=1), total**2)
        )

    return statistic


def _many_judges(ratings: Ratings, credit: Floats) -> tuple[Floats, Floats]:
    """Return columns to sum per case: agreement and whether it exists, habit and whether it does.

    Returns (agreement columns: rows x 2, habit columns: rows x (k + 1)).
    """
    counts = ratings.counts
    judges = counts.sum(axis=1)
    pairs = judges * (judges - 1)
    agreeing = (counts * (counts @ credit - 1)).sum(axis=1)
    several = pairs > 0
    share = np.divide(agreeing, pairs, out=np.zeros_like(agreeing), where=several)
    habit = np.divide(counts, judges[:, None], out=np.zeros_like(counts), where=judges[:, None] > 0)
    return (
        np.column_stack([share, several * 1.0]),
        np.column_stack([habit, (judges > 0) * 1.0]),
    )


def fleiss_statistic(ratings: Ratings) -> Statistic:
    """Return Fleiss' kappa as a function of case weights."""
    agreement, habits = _many_judges(ratings, np.eye(len(ratings.categories)))

    def statistic(drawn: Floats) -> Floats:
        observed, habit = _observed_and_habit(drawn, agreement, habits)
        return _corrected(observed, (habit**2).sum(axis=1))

    return statistic


def gwet_statistic(ratings: Ratings, weights: Weights) -> Statistic:
    """Return Gwet's AC1 (weights None) or AC2 as a function of case weights."""
    k = len(ratings.categories)
    credit = agreement_weights(k, weights)
    agreement, habits = _many_judges(ratings, credit)
    factor = credit.sum() / (k * (k - 1)) if k > 1 else np.nan

    def statistic(drawn: Floats) -> Floats:
        observed, habit = _observed_and_habit(drawn, agreement, habits)
        return _corrected(observed, factor * (habit * (1 - habit)).sum(axis=1))

    return statistic


def _observed_and_habit(drawn: Floats, agreement: Floats, habits: Floats) -> tuple[Floats, Floats]:
    pairs, shares = drawn @ agreement, drawn @ habits
    return _divide(pairs[:, 0], pairs[:, 1]), _divide(shares[:, :-1], shares[:, -1:])
