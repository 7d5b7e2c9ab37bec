"""How much a judge favours the models of its own family, compared with other judges.

A lenient judge, or one that errs at random, gives smaller differences between models than a strict
and careful judge. Compared with that judge, it seems to favour the model that the other finds
worse. Therefore the lead that the other judges give is first converted to this judge's scale.
"""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import UsageError
from ..bootstrap import Floats, Interval, Plan, bootstrap_interval

LEAST_AGREEMENT = 0.1
"""With a smaller mean correlation of the other judges, no lead can be converted."""


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
    the errors of judge l are independent, so that its covariances show how strongly the other two
    follow the quality of a response.

    It assumes that the other judges favour none of the models, that judges err independently of
    each other on responses of the same quality, and that each judge's mean score is linear in
    that quality (which is always true for right or wrong).

    Args:
        judge: the judge's scores, models x cases; NaN means missing.
        others: the scores of two or more judges of other families, in the same shape.
        own: positions of the models of the judge's family; at least one model is not among them.
        clusters: the case of each column, if a case has several columns.
        plan: level, method, resamples, seed.

    Returns:
        The preference in units of the judge's scores, with its interval; above 0 the judge favours
        its own family. NaN with a warning if the other judges hardly agree.

    Raises:
        UsageError: fewer than two other judges, no model of the family, or no other model.

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
        raise UsageError("at least two other judges are needed to tell preference from leniency")
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


def unscaled_preference(judge: Floats, others: Sequence[Floats], own: Sequence[int]) -> float:
    """Compare a judge's lead of its own family with that of other judges, on no common scale.

    A lenient or careless judge moves it too; `self_preference` does not have this fault.

    Formula: lead(judge) - mean over the others of lead(k), lead = (mean of own models) - (mean of
    the other models) over all cases.

    Source: difference of differences; Panickssery, Bowman and Feng (2024), "LLM evaluators
    recognize and favor their own generations".

    Args:
        judge: the judge's scores, models x cases; NaN means missing.
        others: the scores of the other judges, in the same shape.
        own: positions of the models of the judge's family.

    Returns:
        the difference of the leads, in units of the scores.

    >>> unscaled_preference(np.array([[1.0, 1.0], [0.0, 1.0]]), [np.array([[1.0, 0.0]] * 2)], [0])
    0.5
    """
    return _lead(judge, own) - float(np.mean([_lead(one, own) for one in others]))


def _lead(scores: Floats, own: Sequence[int]) -> float:
    """Return the mean score of the family's models minus that of the other models."""
    rest = [model for model in range(len(scores)) if model not in own]
    return float(np.nanmean(scores[list(own)]) - np.nanmean(scores[rest]))


class _Sums:
    """Sums over cases, one row per case, from which leads and covariances are computed."""

    def __init__(self, rest: Floats, products: Floats, own: Floats, judges: int) -> None:
        self._rest, self._products, self._own, self._judges = rest, products, own, judges

    @classmethod
    def of(
        cls, scores: Floats, known: NDArray[np.bool_], own: list[int], rest: list[int]
    ) -> "_Sums":
        """Build the sums from scores (judges x models x cases); missing scores are 0."""
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
        """Return the mean correlation between two of the other judges."""
        covariances = self._covariances(drawn)[:, 1:, 1:]
        spread = np.sqrt(np.einsum("bii->bi", covariances))
        scale = spread[:, :, None] * spread[:, None, :]
        share = np.divide(covariances, scale, out=np.zeros_like(covariances), where=scale > 0)
        first, second = np.triu_indices(self._judges - 1, k=1)
        mean: Floats = share[:, first, second].mean(axis=1)
        return mean

    def preference(self, drawn: Floats) -> Floats:
        """Return the judge's lead minus the converted lead of the other judges."""
        covariances = self._covariances(drawn)
        lead = _means(drawn @ self._own) - _means(drawn @ self._rest)
        parts = []
        for k in range(1, self._judges):
            others = [at for at in range(1, self._judges) if at != k]
            below = covariances[:, k, others].sum(axis=1)
            scale = covariances[:, 0, others].sum(axis=1) / np.where(below > 0, below, np.nan)
            parts.append(lead[:, 0] - scale * lead[:, k])
        preference: Floats = np.mean(parts, axis=0)
        return preference


def _means(totals: Floats) -> Floats:
    """Turn a count and sums (b, 1 + judges) into means (b, judges)."""
    n = np.where(totals[:, :1] > 0, totals[:, :1], np.nan)
    means: Floats = totals[:, 1:] / n
    return means
