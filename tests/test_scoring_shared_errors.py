"""Errors in common: with the truth by hand, without it on planted judges."""

import numpy as np
import pytest
from numpy.typing import NDArray

from dxjudge.errors import UsageError
from dxjudge.scoring import Plan, error_correlation, hidden_error_correlations

PLAN = Plan(resamples=100)


def test_the_correlation_of_errors_by_hand() -> None:
    # 20 right responses: each judge errs on 8, on 4 of them together. Within them the covariance is
    # sum 4 - 8 x 8 / 20 = 0.8 and each variance sum 8 - 64 / 20 = 4.8. 20 wrong ones: 10 and 10
    # errors, 10 together: covariance 10 - 100 / 20 = 5 and variance 5. Pooled: 5.8 / 9.8.
    first = [0] * 8 + [1] * 12 + [1] * 10 + [0] * 10
    second = [1] * 4 + [0] * 8 + [1] * 8 + [1] * 10 + [0] * 10
    truth = [1] * 20 + [0] * 20
    correlation = error_correlation(first, second, truth, plan=PLAN)
    assert correlation.estimate == pytest.approx(5.8 / 9.8)
    assert correlation.low < 5.8 / 9.8 < correlation.high
    missing = error_correlation([*first, np.nan], [*second, 1], [*truth, 1], plan=PLAN)
    assert (missing.estimate, missing.n) == (correlation.estimate, 40)


def test_few_errors_have_a_reason_and_no_number() -> None:
    judge = [0] * 6 + [1] * 34
    none = error_correlation(judge, [1] * 40, [1] * 40, plan=PLAN)
    assert np.isnan(none.estimate) and none.n == 40
    assert none.warning == (
        "the judges have 6 and 0 errors on the checked units: too few (at least 7 each)"
    )


def planted(shared: float, judges: int, seed: int) -> NDArray[np.float64]:
    """Four models; every judge is right in 85 %, and the first two share `shared` of their luck."""
    rng = np.random.default_rng(seed)
    right = rng.random((4, 300)) < np.array([[0.7], [0.6], [0.5], [0.4]])
    common = rng.random(right.shape)
    scores = []
    for judge in range(judges):
        mine = (rng.random(right.shape) < shared) & (judge < 2)
        luck = np.where(mine, common, rng.random(right.shape))
        scores.append(np.where(luck < 0.15, ~right, right) * 1.0)
    return np.stack(scores)


def test_two_of_four_judges_with_errors_in_common_are_found_without_the_truth() -> None:
    # Both take the common luck with probability 0.8 x 0.8, so that their errors correlate by 0.64.
    errors = hidden_error_correlations(planted(0.8, 4, 1), plan=PLAN)
    assert [pair for pair, one in errors.items() if one.shared] == [(0, 1)]
    found = errors[0, 1]
    assert 0.4 < found.correlation.low < 0.64 < found.correlation.high
    assert found.p_value < 1e-6
    assert errors[2, 3].p_value > 0.01
    # With the others as one block, these two would leave one block that errs independently.
    assert np.isnan(errors[2, 3].correlation.estimate)
    assert "too few judges are left" in str(errors[2, 3].correlation.warning)


def test_independent_judges_are_not_accused() -> None:
    accused = sum(
        one.shared
        for seed in range(10)
        for one in hidden_error_correlations(planted(0.0, 4, seed), plan=PLAN).values()
    )
    assert accused <= 1


def test_what_cannot_be_estimated_is_an_error() -> None:
    one = planted(0.0, 1, 0)[0]
    with pytest.raises(UsageError, match="three to 6 judges"):
        hidden_error_correlations([one, one])
    with pytest.raises(UsageError, match="0 and 1"):
        hidden_error_correlations([one, one, one * 3])
    with pytest.raises(UsageError, match="with three judges two models"):
        hidden_error_correlations([one[:1]] * 3)


def test_the_order_of_judges_models_and_cases_does_not_matter() -> None:
    scores = planted(0.8, 4, 3)
    whole = hidden_error_correlations(scores, plan=PLAN)[0, 1]
    turned = hidden_error_correlations(scores[::-1, ::-1, ::-1], plan=PLAN)[2, 3]
    assert turned.correlation.estimate == pytest.approx(whole.correlation.estimate, abs=1e-3)
    assert turned.shared and whole.shared
