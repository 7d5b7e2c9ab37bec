"""Flat scores: top-k accuracy, ranks of the models, and how two rankings differ.

In a flat score a prediction is either equivalent to the truth or wrong. `hierarchical` also
measures how near a wrong prediction is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import UsageError
from ._arithmetic import SAME
from .shares import Share, Verdict, is_resolved, share


def top_k_accuracy(equivalent: Iterable[Sequence[Verdict]], k: int) -> Share:
    """Return the share of cases with a prediction among the first `k` that equals the truth.

    Formula: (cases with a "yes" among the first k) / (resolved cases).

    Source: H-DDx, top-k accuracy.

    Args:
        equivalent: for each case the verdicts on its predictions (is it equivalent to the
            truth?), best prediction first; None or `FAILED` for a missing verdict. An empty list
            (no prediction) is wrong.
        k: the number of predictions that count, at least 1.

    A case is right with one "yes" and wrong with only "no". It is unresolved if it has no "yes"
    and a verdict is missing.

    >>> top_k_accuracy([[False, True], [False, False], []], k=2).right
    1
    """
    if k < 1:
        raise UsageError(f"k is {k}; it counts predictions from 1")
    return share(_any_yes(verdicts[:k]) for verdicts in equivalent)


def _any_yes(verdicts: Sequence[Verdict]) -> bool | None:
    if any(is_resolved(verdict) and bool(verdict) for verdict in verdicts):
        return True
    return False if all(is_resolved(verdict) for verdict in verdicts) else None


def ranks(scores: Mapping[str, float], *, higher_is_better: bool = True) -> dict[str, int]:
    """Rank models from 1; equal scores share the better rank and the next is skipped.

    Formula: 1 + the number of models that are better by more than 1e-9.

    Source: competition ranking, as in the tables of the papers.

    >>> ranks({"a": 0.5, "b": 0.7, "c": 0.5})
    {'a': 2, 'b': 1, 'c': 2}

    Args:
        scores: model -> score.
        higher_is_better: whether the highest score has rank 1.

    Returns:
        model -> rank.

    Raises:
        UsageError: a score is NaN; it has no rank.
    """
    for model, score in scores.items():
        if score != score:
            raise UsageError(f"{model} has no score and cannot be ranked")
    sign = 1 if higher_is_better else -1
    return {
        model: 1 + sum(sign * (other - score) > SAME for other in scores.values())
        for model, score in scores.items()
    }


@dataclass(frozen=True, slots=True)
class RankChange:
    """One model's rank under two scores; `change` is positive if the rank improves.

    tied_before, tied_after: the other models that have the same rank.
    """

    model: str
    before: int
    after: int
    tied_before: tuple[str, ...] = ()
    tied_after: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[str, str]:
        """Both ranks as text; "=" after a rank that other models share."""
        ends = (self.before, self.tied_before), (self.after, self.tied_after)
        first, second = (f"{rank}{'=' if tied else ''}" for rank, tied in ends)
        return first, second

    @property
    def change(self) -> int:
        """The rank before minus the rank after."""
        return self.before - self.after


def rank_changes(
    before: Mapping[str, float], after: Mapping[str, float], *, higher_is_better: bool = True
) -> tuple[RankChange, ...]:
    """Compare the rankings by two scores, ordered by the second (then by name).

    Formula: rank before - rank after.

    Source: H-DDx, rank by top-5 accuracy and by HDF1.

    >>> changes = rank_changes({"a": 0.9, "b": 0.8}, {"a": 0.1, "b": 0.3})
    >>> [(one.model, *one.shown, one.change) for one in changes]
    [('b', '2', '1', 1), ('a', '1', '2', -1)]

    Args:
        before: model -> the first score.
        after: model -> the second score.
        higher_is_better: whether the highest score has rank 1.

    Returns:
        one row for each model, the best by the second score first; it says whether a rank is
        shared.

    Raises:
        UsageError: the two hold different models.
    """
    if before.keys() != after.keys():
        odd = ", ".join(sorted(before.keys() ^ after.keys()))
        raise UsageError(f"these models have only one of the two scores: {odd}")
    first = ranks(before, higher_is_better=higher_is_better)
    second = ranks(after, higher_is_better=higher_is_better)
    changes = [
        RankChange(model, first[model], second[model], _tied(model, first), _tied(model, second))
        for model in first
    ]
    return tuple(sorted(changes, key=lambda row: (row.after, row.model)))


def _tied(model: str, of: Mapping[str, int]) -> tuple[str, ...]:
    """The other models with the model's rank, sorted."""
    return tuple(sorted(name for name in of if of[name] == of[model] and name != model))
