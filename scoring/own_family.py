"""How much better a judge finds models of its own family than other judges make of it.

A lenient judge, or one that errs at random, sees smaller differences between models than a strict
and careful one. Set beside another judge it seems to favour whichever model the other one finds
worse. So the other judges' lead is first put on this judge's own scale.
"""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from .bootstrap import Floats, Interval, Plan, bootstrap_interval

LEAST_AGREEMENT = 0.1
"""With a smaller mean correlation of the other judges there is no scale to put a lead on."""


def self_preference(
    judge: Floats,
    others: Sequence[Floats],
    own: Sequence[int],
    *,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> Interval:
    """Estimate how much a judge favours its own family, against other judges' verdicts.

    Formula: with lead = (mean of own models) - (mean of the others) and covariances over the
    responses of the models that are not its own, for each other judge k

        scale_k = sum_l cov(judge, l) / sum_l cov(k, l), over the other judges l but k
        preference = mean over k of lead(judge) - scale_k lead(k)

    Source: the covariances are those of an instrumental variable (Wald 1940, "The fitting of
    straight lines if both variables are subject to error", Annals of Mathematical Statistics 11):
    judge l, whose errors are its own, tells how far both others follow the quality of a response.

    It assumes that the other judges favour none of the models, that judges err independently of
    each other on responses of the same quality, and that each judge's mean score is linear in
    that quality (always so for right or wrong).

    Args:
        judge: the judge's scores, models x cases; NaN where it has none.
        others: those of two or more judges of other families, the same shape.
        own: places of the models of the judge's family; at least one model is not among them.
        clusters: the case of each column, where a case has several.
        plan: level, method, resamples, seed.

    Returns:
        The preference in units of the judge's scores with its interval; above 0 the judge favours
        its own. NaN, with a warning, where the others hardly agree.

    Raises:
        UsageError: fewer than two other judges, no own model or no other one, or other shapes.

    >>> rng = np.random.default_rng(0)
    >>> right = rng.random((2, 4000)) < np.array([[0.8], [0.5]])
    >>> careful = [np.where(rng.random(right.shape) < 0.9, right, ~right) * 1.0 for _ in "ab"]
    >>> noisy = np.where(rng.random(right.shape) < 0.7, right, ~right) * 1.0
    >>> made = self_preference(noisy, careful, [0], plan=Plan(resamples=200))
    >>> made.low < 0 < made.high
    True
    """
    table = np.stack([judge, *others]).astype(float)
    rest = [at for at in range(table.shape[1]) if at not in own]
    if len(others) < 2:
        raise UsageError("leniency and preference are told apart by two other judges or more")
    if not own or not rest:
        raise UsageError("self-preference needs a model of the judge's family and another one")
    known = ~np.isnan(table).any(axis=0)
    filled = np.where(known, table, 0.0)
    columns = _Sums.of(filled, known, list(own), rest)
    rows = table.shape[2] if clusters is None else clusters
    labels = list(range(table.shape[2])) if clusters is None else list(clusters)
    present = {label for label, there in zip(labels, known.any(axis=0), strict=True) if there}
    if columns.agreement(np.ones((1, table.shape[2])))[0] < LEAST_AGREEMENT:
        why = "the other judges agree too little to tell leniency from preference"
        nan = float("nan")
        plan = plan or Plan()
        return Interval(nan, nan, nan, plan.level, plan.method, len(present), 0, plan.seed,
                        warning=why)  # fmt: skip
    return bootstrap_interval(columns.preference, rows, plan=plan)


class _Sums:
    """Sums over cases from which leads and covariances follow, one row a case."""

    def __init__(self, rest: Floats, products: Floats, own: Floats, judges: int) -> None:
        self._rest, self._products, self._own, self._judges = rest, products, own, judges

    @classmethod
    def of(
        cls, scores: Floats, known: NDArray[np.bool_], own: list[int], rest: list[int]
    ) -> "_Sums":
        """From scores (judges x models x cases) with zeros where one is missing."""
        judges = len(scores)

        def sums(models: list[int]) -> Floats:
            counted = known[models].sum(axis=0)[:, None]
            return np.hstack([counted, scores[:, models].sum(axis=1).T])

        pairs = np.einsum("jmc,kmc->cjk", scores[:, rest], scores[:, rest])
        return cls(sums(rest), pairs.reshape(len(pairs), -1), sums(own), judges)

    def _covariances(self, drawn: Floats) -> Floats:
        totals = drawn @ self._rest
        n = np.where(totals[:, 0] > 0, totals[:, 0], np.nan)
        means = totals[:, 1:] / n[:, None]
        products = (drawn @ self._products).reshape(len(drawn), self._judges, self._judges)
        covariances: Floats = products / n[:, None, None] - means[:, :, None] * means[:, None, :]
        return covariances

    def agreement(self, drawn: Floats) -> Floats:
        """The mean correlation between two of the other judges."""
        held = self._covariances(drawn)[:, 1:, 1:]
        spread = np.sqrt(np.einsum("bii->bi", held))
        scale = spread[:, :, None] * spread[:, None, :]
        share = np.divide(held, scale, out=np.zeros_like(held), where=scale > 0)
        first, second = np.triu_indices(self._judges - 1, k=1)
        found: Floats = share[:, first, second].mean(axis=1)
        return found

    def preference(self, drawn: Floats) -> Floats:
        """The statistic: the judge's lead minus the others' on its scale."""
        held = self._covariances(drawn)
        lead = _means(drawn @ self._own) - _means(drawn @ self._rest)
        parts = []
        for k in range(1, self._judges):
            others = [at for at in range(1, self._judges) if at != k]
            below = held[:, k, others].sum(axis=1)
            scale = held[:, 0, others].sum(axis=1) / np.where(below > 0, below, np.nan)
            parts.append(lead[:, 0] - scale * lead[:, k])
        preference: Floats = np.mean(parts, axis=0)
        return preference


def _means(totals: Floats) -> Floats:
    """Count and sums (b, 1 + judges) to means (b, judges)."""
    n = np.where(totals[:, :1] > 0, totals[:, :1], np.nan)
    means: Floats = totals[:, 1:] / n
    return means
