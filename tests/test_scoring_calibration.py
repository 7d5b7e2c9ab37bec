"""Corrected accuracy and stability of rankings: hand values, known truth, warnings."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from dxjudge.errors import UsageError
from dxjudge.scoring._arithmetic import tau_b
from dxjudge.scoring.bootstrap import Plan
from dxjudge.scoring.calibration import prediction_powered, rogan_gladen
from dxjudge.scoring.flat import ranks
from dxjudge.scoring.raters.preference import preference_agreement
from dxjudge.scoring.shares import FAILED
from dxjudge.scoring.stability import ranking_stability


def calibration_set(tp: int, fn: int, fp: int, tn: int) -> list[tuple[bool, bool]]:
    return [(True, True)] * tp + [(False, True)] * fn + [(True, False)] * fp + [(False, False)] * tn


# Corrected accuracy


def test_rogan_gladen_by_hand() -> None:
    # Judged 0.86 with se = sp = 0.9: (0.86 + 0.9 - 1) / 0.8 = 0.95.
    judged = [True] * 86 + [False] * 14
    result = rogan_gladen(judged, calibration_set(45, 5, 5, 45))
    assert result.value == pytest.approx(0.95)
    assert (result.judged, result.sensitivity, result.specificity) == (0.86, 0.9, 0.9)
    assert (result.n, result.n_calibration, result.unresolved) == (100, 100, 0)
    assert result.interval is not None
    assert result.interval.low < 0.95 < result.interval.high <= 1


def test_lang_reiczigel_limits_by_hand() -> None:
    # n 100, z 1.96: n' = 103.8415, p' = (86 + 1.92073) / 103.8415 = 0.846682;
    # se' = sp' = 46 / 52 = 0.884615; p = (0.846682 + 0.884615 - 1) / 0.769231 = 0.950686;
    # v = 0.884615 * 0.115385 / 52 = 0.00196290;
    # shift = 2 z^2 v (p - (1 - p)) = 7.682918 * 0.0019629 * 0.901372 = 0.0135935;
    # spread = p'(1-p')/n' + v (p^2 + (1-p)^2) = 0.00125009 + 0.0019629 * 0.906235 = 0.00302894;
    # half = 1.959964 * sqrt(0.00302894) / 0.769231 = 0.140228.
    result = rogan_gladen([True] * 86 + [False] * 14, calibration_set(45, 5, 5, 45))
    assert result.interval is not None
    assert result.interval.low == pytest.approx(0.950686 + 0.013594 - 0.140228, abs=2e-5)
    assert result.interval.high == 1  # 1.10 is cut


def test_prediction_powered_by_hand() -> None:
    # Untuned: judged 0.86; calibration errors truth - verdict: 5 of +1, 1 of -1 in 100: +0.04.
    judged = [True] * 86 + [False] * 14
    pairs = calibration_set(80, 5, 1, 14)
    result = prediction_powered(judged, pairs, tune=False)
    assert result.value == pytest.approx(0.90)
    # With half an error of each kind 5.5 of +1 and 1.5 of -1 in 101: mean 4 / 101, variance
    # 0.86 * 0.14 / 100 + (7 - 16 / 101) / 101 / 100 = 0.001204 + 0.00067738.
    assert result.interval is not None
    half = scipy.stats.t.ppf(0.975, 99) * math.sqrt(0.001204 + (7 - 16 / 101) / 10100)
    assert result.interval.low == pytest.approx(0.86 + 4 / 101 - half)
    assert result.interval.high == pytest.approx(0.86 + 4 / 101 + half)
    assert result.tuning == 1


def test_tuning_lowers_the_variance_of_a_poor_judge() -> None:
    rng = np.random.default_rng(5)
    truth = rng.random(100) < 0.7
    coin = rng.random(100) < 0.5
    pairs = list(zip(coin.tolist(), truth.tolist(), strict=True))
    judged = (rng.random(1000) < 0.5).tolist()
    tuned, plain = prediction_powered(judged, pairs), prediction_powered(judged, pairs, tune=False)
    assert tuned.tuning is not None
    assert tuned.tuning < 0.3
    assert tuned.interval is not None
    assert plain.interval is not None
    assert tuned.interval.high - tuned.interval.low < plain.interval.high - plain.interval.low


def test_a_perfect_judge_is_left_alone() -> None:
    judged, pairs = [True] * 70 + [False] * 30, calibration_set(30, 0, 0, 20)
    assert rogan_gladen(judged, pairs).value == pytest.approx(0.7)
    plain = prediction_powered(judged, pairs, tune=False)
    # No error among 50 cases does not mean that there is none: 2 * 0.5 errors in 51, variance
    # 0.7 * 0.3 / 100 + 1 / 51 / 50, and t(49) = 2.0096: 0.7 +- 0.1003. Before, the errors did not
    # count, and 0.7 +- 0.0921 was printed.
    assert plain.interval is not None and plain.warning is None
    assert (plain.value, plain.interval.low) == pytest.approx((0.7, 0.7 - 0.1003), abs=1e-4)
    # Tuned, the 50 checked cases (0.6 right) count as cases too: w = cov / (1.5 var), with
    # cov = 0.24 * 50/49 and var = (100 * 2/3 * 1/3) / 149 * 1.5: w between 0.6 and 0.7.
    tuned = prediction_powered(judged, pairs)
    assert tuned.tuning is not None
    assert tuned.value == pytest.approx(0.6 + tuned.tuning * (0.7 - 0.6))


@pytest.mark.parametrize("correct", [rogan_gladen, prediction_powered])
def test_intervals_cover_the_truth_at_about_their_rate(correct: Any) -> None:
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(400):
        truth = rng.random(500) < 0.8
        verdict = np.where(truth, rng.random(500) < 0.9, rng.random(500) < 0.15)
        pairs = list(zip(verdict[:150].tolist(), truth[:150].tolist(), strict=True))
        interval = correct(verdict[150:].tolist(), pairs).interval
        covered += interval.low <= 0.8 <= interval.high
    assert 0.915 <= covered / 400 <= 0.985


def test_a_calibration_set_that_cannot_carry_it_gives_a_warning() -> None:
    judged = [True] * 86 + [False] * 14
    few = rogan_gladen(judged, calibration_set(45, 5, 2, 3))
    assert few.value is None
    assert (
        few.warning == "50 right and 5 wrong in the calibration cases: too few (at least 10 each)"
    )
    assert few.judged == 0.86
    blind = rogan_gladen(judged, calibration_set(25, 25, 25, 25))
    assert blind.value is None
    assert blind.warning is not None
    assert "hardly better than chance" in blind.warning
    short = prediction_powered(judged, calibration_set(3, 0, 0, 3))
    assert short.value is None
    assert short.warning == "6 calibration cases are too few (at least 10)"
    with pytest.raises(UsageError):
        rogan_gladen([None], calibration_set(20, 0, 0, 20))
    with pytest.raises(UsageError):
        prediction_powered(judged, calibration_set(9, 1, 1, 9), level=95)


def test_items_without_a_verdict_are_left_out_and_counted() -> None:
    judged = [True] * 86 + [False] * 14 + [None, FAILED]
    pairs: list[Any] = [*calibration_set(45, 5, 5, 45), (None, True), (True, None)]
    assert rogan_gladen(judged, pairs).value == pytest.approx(0.95)
    assert rogan_gladen(judged, pairs).unresolved == 4


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(10, 60), min_size=4, max_size=4), st.integers(0, 200))
def test_corrections_stay_within_zero_and_one(cells: list[int], right: int) -> None:
    judged = [True] * right + [False] * (200 - right)
    for correct in (rogan_gladen, prediction_powered):
        result = correct(judged, calibration_set(*cells))
        if result.value is not None and result.interval is not None:
            assert 0 <= result.value <= 1
            assert 0 <= result.interval.low
            assert result.interval.high <= 1


# Stability of rankings


def test_tau_b_equals_scipy() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        a, b = (rng.integers(0, 4, 7).astype(np.float64) for _ in "ab")
        expected = scipy.stats.kendalltau(a, b).statistic
        assert tau_b(a[None], b[None])[0] == pytest.approx(expected, nan_ok=True)


def test_ranks_and_taus_by_hand() -> None:
    scores = {
        "j1": {"a": [1.0, 1.0], "b": [1.0, 0.0], "c": [0.0, 0.0]},  # a b c
        "j2": {"a": [1.0, 0.0], "b": [1.0, 1.0], "c": [0.0, 0.0]},  # b a c
        "j3": {"a": [1.0, 1.0], "b": [math.nan, 0.5], "c": [0.0, 0.0]},  # a b c
    }
    result = ranking_stability(scores)
    taus = {pair: interval.estimate for pair, interval in result.taus.items()}
    # j1 and j2 swap one of three pairs: (2 - 1) / 3.
    # j3 has no score of b on the first case, so it is compared on the second alone. There j1 puts
    # a before b = c: 2 of 3 pairs as j3, one tied: 2 / sqrt(2 * 3). j2 puts b before a = c: one
    # pair as j3, one turned: 0.
    assert taus == pytest.approx(
        {("j1", "j2"): 1 / 3, ("j1", "j3"): 2 / math.sqrt(6), ("j2", "j3"): 0.0}
    )
    assert result.mean_tau == pytest.approx((1 / 3 + 2 / math.sqrt(6)) / 3)
    assert result.lowest_tau == pytest.approx(0)
    assert [(one.model, one.best, one.worst) for one in result.ranges] == [
        ("a", 1, 2),
        ("b", 1, 2),
        ("c", 3, 3),
    ]
    assert result.ranges[0].by_judge == {"j1": 1, "j2": 2, "j3": 1}
    assert all(interval.warning for interval in result.taus.values())  # two cases


def test_a_stable_ranking_has_a_tight_interval_and_a_random_one_a_wide_one() -> None:
    rng = np.random.default_rng(4)
    quality = {"a": 0.9, "b": 0.6, "c": 0.3}

    def judge(noise: float) -> dict[str, list[float]]:
        return {
            model: (mean + noise * rng.normal(size=120)).tolist() for model, mean in quality.items()
        }

    stable = ranking_stability({"x": judge(0.1), "y": judge(0.1)}, plan=Plan(resamples=300))
    interval = stable.taus["x", "y"]
    assert interval.estimate == 1
    assert "same value" in str(interval.warning)
    shaky = ranking_stability({"x": judge(5), "y": judge(5)}, plan=Plan(resamples=300))
    assert shaky.taus["x", "y"].low < shaky.taus["x", "y"].high


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({"j": {"a": [1], "b": [1]}}, "two judges"),
        ({"j": {"a": [1]}, "k": {"a": [1]}}, "two models"),
        ({"j": {"a": [1], "b": [1]}, "k": {"a": [1], "c": [1]}}, "judge k .* b, c"),
        ({"j": {"a": [1], "b": [1, 2]}, "k": {"a": [1], "b": [1]}}, "lengths"),
        ({"j": {"a": [1], "b": [1]}, "k": {"a": [1], "b": [math.nan]}}, "b has no score .* k"),
    ],
)
def test_unusable_scores_are_named(scores: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ranking_stability(scores)


def test_what_rounding_leaves_of_a_tie_is_a_tie() -> None:
    up, down = [0.1, 0.2, 0.3] * 5, [0.3, 0.2, 0.1] * 5
    # Added one by one, as matrix products do; `sum` compensates since Python 3.12.
    one_way, other_way = 0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1
    assert one_way != other_way  # by the last digit: both are 0.6
    ours = {"A": up, "B": down, "C": [0.9] * 15}
    theirs = {"A": up, "B": up, "C": [0.9] * 15}
    made = ranking_stability({"x": ours, "y": theirs}, plan=Plan(resamples=50))
    assert made.taus["x", "y"].estimate == 1
    assert {one.model: (one.best, one.worst) for one in made.ranges} == {
        "A": (2, 2), "B": (2, 2), "C": (1, 1)
    }  # fmt: skip
    assert ranks({"A": one_way, "B": other_way}) == {"A": 1, "B": 1}
    # Both judges call a tie: the order of one's sum is no preference.
    scores = [[0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]] * 12
    tied = preference_agreement(scores, [[1.0, 1.0]] * 12, plan=Plan(resamples=50))
    assert tied.value == 1
