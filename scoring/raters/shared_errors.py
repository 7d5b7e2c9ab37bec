"""Whether two judges make the same errors, so that they agree more than accuracy explains.

If judges err independently, the agreement of two of them is evidence. If they make the same
errors, it is not: two such judges count for less than two. Errors that all judges share cannot be
seen in their verdicts; only people can find them.
"""

import itertools
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ...errors import UsageError
from ..bootstrap import Clusters, Floats, Interval, Mask, Plan, bootstrap_many
from ._latent import Blocks, Latent, answers_of, fit, start

FEWEST_ERRORS = 7
"""The least number of errors of each judge; with fewer the interval does not hold."""
MOST_JUDGES = 6
SIGNIFICANT = 0.05
_STEPS, _AGAIN, _RESAMPLES = 400, 60, 300


def error_correlation(
    first: ArrayLike,
    second: ArrayLike,
    truth: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> Interval:
    """Correlate the verdicts of two judges among responses that are equally right.

    Formula: sum over t of n_t cov_t(first, second) / sqrt(sum n_t var_t(first) x
    sum n_t var_t(second)), t the right and the wrong responses, n_t their number.

    Source: dependence of two tests given the truth, Vacek (1985), "The effect of conditional
    dependence on the evaluation of diagnostic tests", Biometrics 41, pooled as a correlation.

    Args:
        first: one judge's verdicts, 1 or 0; NaN means missing.
        second: the other's, on the same responses.
        truth: the human's verdicts on them.
        clusters: the case of each response, if a case has several.
        plan: level, method, resamples, seed, fewest cases.

    Returns:
        The correlation with its interval: 0 if the judges err independently, 1 if they make the
        same errors. NaN with a warning if a judge has fewer than 7 errors.

    >>> truth = [1] * 40 + [0] * 40
    >>> judge = [0] * 8 + [1] * 32 + [1] * 8 + [0] * 32
    >>> round(error_correlation(judge, judge, truth, plan=Plan(resamples=50)).estimate, 3)
    1.0
    """
    columns = [np.asarray(one, dtype=float) for one in (first, second, truth)]
    a, b, right = columns
    known = ~np.isnan(a + b + right)
    rows = len(a) if clusters is None else clusters
    plan = plan or Plan()
    errors = [int((one != right)[known].sum()) for one in (a, b)]
    if min(errors) < FEWEST_ERRORS:
        n = len({label for label, there in zip(_labels(rows), known, strict=True) if there})
        why = (
            f"the judges have {errors[0]} and {errors[1]} errors on the checked units: too few (at "
            f"least {FEWEST_ERRORS} each)"
        )
        nan = math.nan
        return Interval(nan, nan, nan, plan.level, plan.method, n, 0, plan.seed, warning=why)
    sums = np.hstack([_sums(a, b, known & (right == t)) for t in (1.0, 0.0)])

    def statistic(drawn: Floats) -> Floats:
        totals = (drawn @ sums).reshape(len(drawn), 2, 4)
        n, ones, twos, both = np.moveaxis(totals, 2, 0)
        n = np.maximum(n, 1e-12)
        covariance = (both - ones * twos / n).sum(axis=1)
        spread = (ones - ones**2 / n).sum(axis=1) * (twos - twos**2 / n).sum(axis=1)
        correlation: Floats = covariance / np.sqrt(np.where(spread > 1e-12, spread, np.nan))
        return correlation

    return bootstrap_many(statistic, rows, present=known[:, None], plan=plan)[0]


def _labels(rows: int | Sequence[Hashable]) -> Sequence[Hashable]:
    return range(rows) if isinstance(rows, int) else rows


def _sums(first: Floats, second: Floats, chosen: Mask) -> Floats:
    """Return, by row, what is summed: rows, yes of each judge, yes of both."""
    a, b = np.where(chosen, first, 0.0), np.where(chosen, second, 0.0)
    return np.column_stack([chosen * 1.0, a, b, a * b])


@dataclass(frozen=True, slots=True)
class HiddenErrors:
    """The correlation of two judges' errors, estimated without the truth.

    p_value: of the likelihood-ratio test that the two err independently, given what other judges
    share. shared: whether the two make the same errors: the test rejects independence at 5 %,
    corrected by Bonferroni for the number of pairs, and the interval is above 0.
    """

    correlation: Interval
    p_value: float
    shared: bool


def hidden_error_correlations(
    scores: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    plan: Plan | None = None,
) -> dict[tuple[int, int], HiddenErrors]:
    """Estimate from three judges or more, without the truth, which of them make the same errors.

    Formula: two hidden classes, right and wrong, with a share of right responses for each model.
    Within a class, blocks of judges are independent, and the judges of a block have any joint
    distribution. From single judges, the two blocks whose union raises the likelihood most
    significantly become one, until no union does. The correlation of two judges is that of
    `error_correlation` in the classes of the fit in which their blocks are one.

    Source: Hui and Walter (1980), "Estimating the error rates of diagnostic tests", Biometrics 36;
    judges that depend on each other given the truth: Vacek (1985), Biometrics 41. Limits:
    percentiles of the bootstrap over cases.

    It assumes that a judge is as accurate on the responses of every model, that most judges are
    better than chance, and that no error is common to all of them. With three judges it also
    needs two models or more with different shares of right responses.

    Args:
        scores: 1 or 0 of every judge, judges x models x cases; NaN means missing.
        clusters: the case of each column, if a case has several columns.
        plan: level, resamples (at most 300 are drawn), seed, fewest cases.

    Returns:
        (place of one judge, place of the other) to their errors. The correlation is NaN, with a
        warning, where the test does not reject independence and fewer than three independent
        blocks are left: it would hardly be identified.

    Raises:
        UsageError: fewer than three or more than six judges, three judges and one model, or a score
            other than 0 and 1.

    >>> rng = np.random.default_rng(0)
    >>> right = rng.random((3, 300)) < np.array([[0.8], [0.6], [0.4]])
    >>> one, two, three = ((rng.random(right.shape) < 0.85) == right for _ in "abc")
    >>> made = hidden_error_correlations(np.stack([one, one, two, three]), plan=Plan(resamples=50))
    >>> [pair for pair, errors in made.items() if errors.shared]
    [(0, 1)]
    """
    table = np.asarray(scores, dtype=float)
    judges, models, cases = table.shape
    if judges < 3 or judges > MOST_JUDGES or models < (2 if judges == 3 else 1):
        raise UsageError(
            f"errors in common need three to {MOST_JUDGES} judges, and with three judges two models"
        )
    known = ~np.isnan(table).any(axis=0)
    if not np.isin(table[:, known], (0.0, 1.0)).all():
        raise UsageError("errors in common need scores of 0 and 1")
    plan = plan or Plan()
    plan = replace(plan, method="percentile", resamples=min(plan.resamples, _RESAMPLES))
    data = _Verdicts.of(table, known)
    blocks, p_values = _dependent_blocks(data)
    rows = cases if clusters is None else clusters
    errors = {}
    for pair in itertools.combinations(range(judges), 2):
        together = any(set(pair) <= set(block) for block in blocks)
        merged = blocks if together else _merged(blocks, *pair)
        certain = together or len(merged) > 2
        interval = data.interval(merged, pair, rows, plan) if certain else data.unknown(plan)
        p_value = p_values[pair] if pair in p_values else _p_value(data, blocks, merged)
        errors[pair] = HiddenErrors(interval, p_value, together and interval.low > 0)
    return errors


def _dependent_blocks(data: "_Verdicts") -> tuple[Blocks, dict[tuple[int, int], float]]:
    """Return the blocks of judges that depend on each other, and the p-values of their pairs."""
    judges = data.patterns.shape[1]
    blocks: Blocks = tuple((judge,) for judge in range(judges))
    pairs = list(itertools.combinations(range(judges), 2))
    p_values: dict[tuple[int, int], float] = {}
    while True:
        unions = {_merged(blocks, *pair) for pair in pairs} - {blocks}
        tested = {one: _p_value(data, blocks, one) for one in unions if data.identifies(one)}
        best = min(tested, key=lambda one: (tested[one], one), default=None)
        if best is None or tested[best] >= SIGNIFICANT / len(pairs):
            return blocks, p_values
        for pair in pairs:
            if pair not in p_values and any(set(pair) <= set(block) for block in best):
                p_values[pair] = tested[best]
        blocks = best


def _merged(blocks: Blocks, first: int, second: int) -> Blocks:
    """Return the blocks with those of two judges as one."""
    union = tuple(
        sorted({j for block in blocks if first in block or second in block for j in block})
    )
    rest = [block for block in blocks if first not in block and second not in block]
    return tuple(sorted([union, *rest]))


def _p_value(data: "_Verdicts", fewer: Blocks, more: Blocks) -> float:
    """Test by likelihood ratio whether the blocks of `more` explain the verdicts better."""
    from scipy.special import chdtrc

    if not data.identifies(more):
        return math.nan
    gain = data.fitted(more).log_likelihood[0] - data.fitted(fewer).log_likelihood[0]
    freedom = 2 * (_parameters(more) - _parameters(fewer))
    return float(chdtrc(freedom, 2 * max(0.0, float(gain))))


def _parameters(blocks: Blocks) -> int:
    return sum(2 ** len(block) - 1 for block in blocks)


class _Verdicts:
    """The patterns of verdicts, how often each occurs, and the fits to them."""

    def __init__(self, patterns: Floats, incidence: Floats) -> None:
        self.patterns, self.incidence = patterns, incidence
        self._fits: dict[Blocks, Latent] = {}

    @classmethod
    def of(cls, table: Floats, known: Mask) -> "_Verdicts":
        """Find the patterns in judges x models x cases; incidence: cases x models x patterns."""
        judges, models, cases = table.shape
        flat = np.where(known, table, 0.0).reshape(judges, -1).T
        patterns, place = np.unique(flat, axis=0, return_inverse=True)
        marks = np.eye(len(patterns))[place.ravel()] * known.reshape(-1, 1)
        return cls(patterns, marks.reshape(models, cases, -1).transpose(1, 0, 2))

    def identifies(self, blocks: Blocks) -> bool:
        """Return whether the truth can be found: three blocks, or two and several models."""
        return len(blocks) > 2 or (len(blocks) == 2 and self.incidence.shape[1] > 1)

    def counts(self, drawn: Floats) -> Floats:
        """Return how often each pattern occurs, b x models x patterns."""
        counts: Floats = np.einsum("bc,cmp->bmp", drawn, self.incidence)
        return counts

    def fitted(self, blocks: Blocks) -> Latent:
        """Return the fit to all cases."""
        if blocks not in self._fits:
            whole = self.counts(np.ones((1, len(self.incidence))))
            self._fits[blocks] = fit(
                whole, answers_of(self.patterns, blocks), start(blocks), _STEPS
            )
        return self._fits[blocks]

    def unknown(self, plan: Plan) -> Interval:
        """Return no correlation, and why."""
        nan, n = math.nan, int(self.incidence.any(axis=(1, 2)).sum())
        why = "too few judges are left that err independently of these two"
        return Interval(nan, nan, nan, plan.level, plan.method, n, 0, plan.seed, warning=why)

    def interval(
        self, blocks: Blocks, pair: tuple[int, int], rows: Clusters, plan: Plan
    ) -> Interval:
        """Return the correlation of two judges of one block, with its interval."""
        joint, items = self.fitted(blocks), answers_of(self.patterns, blocks)
        (at,) = (place for place, block in enumerate(blocks) if set(pair) <= set(block))

        def statistic(drawn: Floats) -> Floats:
            again = fit(self.counts(drawn), items, joint.repeated(len(drawn)), _AGAIN)
            return _correlation(again, at, blocks[at], pair)

        present = np.asarray(self.incidence.any(axis=(1, 2)))[:, None]
        return bootstrap_many(statistic, rows, present=present, plan=plan)[0]


def _correlation(latent: Latent, at: int, block: tuple[int, ...], pair: tuple[int, int]) -> Floats:
    """Return the correlation of two judges of a block within the classes, pooled."""
    answers = latent.answers[at]
    places = np.arange(answers.shape[2])
    first, second = ((places >> (len(block) - 1 - block.index(judge))) & 1 for judge in pair)
    one, two, both = (answers @ (mark * 1.0) for mark in (first, second, first * second))
    covariance = (latent.mass * (both - one * two)).sum(axis=1)
    spread = np.prod([(latent.mass * p * (1 - p)).sum(axis=1) for p in (one, two)], axis=0)
    correlation: Floats = covariance / np.sqrt(np.where(spread > 1e-12, spread, np.nan))
    return correlation
