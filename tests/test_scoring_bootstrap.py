"""Intervals: known formulas, scipy's bootstrap, clusters, weights, warnings, coverage."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from dxjudge.errors import UsageError
from dxjudge.scoring.bootstrap import (
    Difference,
    Plan,
    Statistic,
    bootstrap_differences,
    bootstrap_interval,
    bootstrap_many,
    replicates,
)
from dxjudge.scoring.means import mean_interval, mean_statistic
from dxjudge.scoring.shares import FAILED

RNG = np.random.default_rng(3)
SKEWED = RNG.exponential(size=60)


def difference(
    first: Statistic, second: Statistic, rows: int, plan: Plan | None = None
) -> Difference:
    made = bootstrap_differences(lambda drawn: first(drawn) - second(drawn), rows, plan=plan)
    return made[0]


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    statistic = mean_statistic(SKEWED)
    first = bootstrap_interval(statistic, 60, plan=Plan(seed=4))
    assert first == bootstrap_interval(statistic, 60, plan=Plan(seed=4))
    assert first.low != bootstrap_interval(statistic, 60, plan=Plan(seed=5)).low
    assert (first.seed, first.n, first.method, first.resamples) == (4, 60, "bca", 2000)


def test_the_spread_of_resampled_means_is_the_standard_error() -> None:
    # Bootstrap variance of a mean is the population variance / n.
    values = replicates(mean_statistic(SKEWED), 60, plan=Plan(resamples=20_000))
    assert values.std() == pytest.approx(SKEWED.std() / math.sqrt(60), rel=0.02)
    assert values.mean() == pytest.approx(SKEWED.mean(), rel=0.01)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_limits_agree_with_scipy(method: str) -> None:
    plan = Plan(method="bca" if method == "BCa" else "percentile", resamples=20_000)
    ours = bootstrap_interval(mean_statistic(SKEWED), 60, plan=plan)
    theirs = scipy.stats.bootstrap(
        (SKEWED,), np.mean, method=method, n_resamples=20_000, rng=np.random.default_rng(0)
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_bca_shifts_a_skewed_interval_to_the_right() -> None:
    statistic = mean_statistic(SKEWED)
    bca = bootstrap_interval(statistic, 60, plan=Plan(resamples=10_000))
    percentile = bootstrap_interval(statistic, 60, plan=Plan(method="percentile", resamples=10_000))
    assert bca.low > percentile.low
    assert bca.high > percentile.high


def test_whole_clusters_are_drawn() -> None:
    # Ten copies of every case carry no more information than one.
    values = np.repeat(SKEWED, 10)
    clusters = np.repeat(np.arange(60), 10).tolist()
    clustered = bootstrap_interval(mean_statistic(values), clusters)
    single = bootstrap_interval(mean_statistic(SKEWED), 60)
    naive = bootstrap_interval(mean_statistic(values), 600)
    assert clustered.n == 60
    assert (clustered.low, clustered.high) == pytest.approx((single.low, single.high))
    assert naive.high - naive.low < 0.5 * (clustered.high - clustered.low)


def test_weights_count_rows_as_often_as_they_say() -> None:
    values = [0.0, 1.0] * 10
    weights = [1.0, 3.0] * 10
    assert bootstrap_interval(mean_statistic(values), 20, weights=weights).estimate == 0.75


def test_a_statistic_of_many_numbers_gives_the_same_as_one_at_a_time() -> None:
    columns = RNG.normal(size=(40, 3))
    many = bootstrap_many(lambda drawn: drawn @ columns / drawn.sum(axis=1, keepdims=True), 40)
    for k in range(3):
        one = bootstrap_interval(mean_statistic(columns[:, k]), 40)
        assert (many[k].estimate, many[k].low, many[k].high) == pytest.approx(
            (one.estimate, one.low, one.high)
        )


def test_resamples_without_a_value_are_left_out_and_counted() -> None:
    # Only 1 of 30 rows has a value: a resample misses it with chance (29/30)^30 = 0.362.
    values = [0.5] + [math.nan] * 29
    interval = bootstrap_interval(mean_statistic(values), 30, plan=Plan(resamples=5000))
    assert interval.undefined / 5000 == pytest.approx(0.362, abs=0.03)
    assert interval.estimate == 0.5
    assert math.isnan(interval.low)  # the others all gave 0.5: that is no interval


def test_too_few_cases_give_a_warning_and_no_limits() -> None:
    interval = bootstrap_interval(mean_statistic([0.1, 0.9] * 4), 8)
    assert interval.estimate == pytest.approx(0.5)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert interval.warning is not None
    assert "8 cases are too few" in interval.warning
    assert (
        bootstrap_interval(mean_statistic([0.1, 0.9] * 4), 8, plan=Plan(fewest=8)).warning is None
    )


def test_an_undefined_number_and_a_constant_one_carry_warnings() -> None:
    undefined = bootstrap_interval(mean_statistic([math.nan] * 20), 20)
    assert undefined.warning == "the number is not defined on these cases"
    constant = bootstrap_interval(mean_statistic([1.0] * 20), 20)
    assert math.isnan(constant.low)
    assert math.isnan(constant.high)
    assert constant.warning is not None
    assert "same value" in constant.warning


def test_differences_are_paired() -> None:
    noise = RNG.normal(size=200)
    better, worse = noise + 0.1, noise + RNG.normal(size=200) * 0.1
    paired = difference(mean_statistic(better), mean_statistic(worse), 200)
    assert paired.interval.low > 0  # unpaired, a standard error of 0.1 would hide 0.1
    # No resample lies on the other side: 2 * (0 + 1) / (2000 + 1).
    assert paired.p_value == pytest.approx(2 / 2001)
    same = difference(mean_statistic(noise), mean_statistic(noise), 200)
    assert same.p_value == 1
    few = difference(mean_statistic([1.0] * 3), mean_statistic([0.0] * 3), 3)
    assert math.isnan(few.p_value)


def test_the_p_value_by_hand() -> None:
    # Each of 999 resamples of a constant 1 lies above 0: 2 * (0 + 1) / (999 + 1) = 0.002.
    above = difference(
        mean_statistic([1.0] * 12), mean_statistic([0.0] * 12), 12, Plan(resamples=999)
    )
    assert above.p_value == pytest.approx(0.002)


def test_intervals_cover_the_true_mean_at_about_their_rate() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for seed in range(300):
        values = rng.beta(2, 5, size=80)
        interval = bootstrap_interval(
            mean_statistic(values), 80, plan=Plan(resamples=500, seed=seed)
        )
        covered += interval.low <= 2 / 7 <= interval.high
    assert 0.91 <= covered / 300 <= 0.985  # 0.95 give or take three standard errors


def test_bad_plans_and_weights_are_refused() -> None:
    for options in ({"method": "normal"}, {"level": 1.0}, {"resamples": 0}):
        with pytest.raises(UsageError):
            Plan(**options)
    with pytest.raises(UsageError, match="no case"):
        bootstrap_interval(mean_statistic([]), 0)
    for weights in ([1.0], [1.0, -1.0], [1.0, math.nan]):
        with pytest.raises(UsageError, match="weights must be 2"):
            bootstrap_interval(mean_statistic([1.0, 2.0]), 2, weights=weights)


def test_drawing_in_blocks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = replicates(mean_statistic(SKEWED), 60, plan=Plan(resamples=100))
    monkeypatch.setattr("dxjudge.scoring._sample._BLOCK", 60 * 7)
    assert replicates(mean_statistic(SKEWED), 60, plan=Plan(resamples=100)) == pytest.approx(whole)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=12, max_size=40), st.sampled_from(["bca", "percentile"]))
@example([0.0] * 11 + [7.6e-147], "bca")  # its cubes are too small for a float
def test_limits_stay_within_the_data_and_in_order(values: list[float], method: str) -> None:
    plan = Plan(method=method, resamples=200)  # type: ignore[arg-type]
    interval = bootstrap_interval(mean_statistic(values), len(values), plan=plan)
    assume(not math.isnan(interval.low))  # every resample gave the same value
    assert min(values) - 1e-9 <= interval.low <= interval.high <= max(values) + 1e-9
    wide = bootstrap_interval(
        mean_statistic(values),
        len(values),
        plan=Plan(method=method, resamples=200, level=0.99),  # type: ignore[arg-type]
    )
    assert wide.low <= interval.low
    assert interval.high <= wide.high


def test_a_share_and_its_interval_leave_the_unresolved_out() -> None:
    verdicts = [True] * 30 + [False] * 10 + [None, FAILED]
    interval = mean_interval(verdicts)
    assert interval.estimate == 0.75
    # Normal limits 0.75 -+ 1.96 sqrt(0.1875 / 40) = 0.616 and 0.884.
    assert (interval.low, interval.high) == pytest.approx((0.616, 0.884), abs=0.04)
    repeated = mean_interval(verdicts * 2, clusters=list(range(42)) * 2)
    assert repeated.n == interval.n == 40
    assert repeated.low == pytest.approx(interval.low, abs=0.005)
