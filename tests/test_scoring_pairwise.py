"""Strengths from comparisons, against hand arithmetic, a published table and another optimiser."""

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from dxjudge.errors import UsageError
from dxjudge.scoring import Contest, Plan, bradley_terry, strengths

# American League baseball, 1987: wins of the row over the column; the table and the strengths
# (Baltimore 0) are in Agresti (2002), "Categorical Data Analysis", section 10.6.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]
PUBLISHED = [1.581, 1.436, 1.294, 1.248, 1.108, 0.684, 0.0]


def by_likelihood(points: Any) -> Any:
    """The strengths by a general optimiser of the log-likelihood."""
    table = np.asarray(points, dtype=float)

    def loss(free: Any) -> float:
        s = np.append(free, 0.0)
        return float((table * np.log1p(np.exp(s[None, :] - s[:, None]))).sum())

    found = minimize(loss, np.zeros(len(table) - 1), method="BFGS", options={"gtol": 1e-10})
    s = np.append(found.x, 0.0)
    return s - s.mean()


def test_the_published_strengths_of_seven_teams() -> None:
    found = bradley_terry(np.array(WINS, dtype=float))
    assert (found - found[-1]).round(3).tolist() == PUBLISHED
    assert found == pytest.approx(by_likelihood(WINS), abs=1e-5)
    assert abs(found.sum()) < 1e-12


def test_three_models_by_hand() -> None:
    # a beats b 2:1 and c 2:1; b and c are even. By symmetry b = c = -x, a = 2 x, and the odds of
    # a against b are exp(3 x) = 2.
    x = math.log(2) / 3
    points = np.array([[0, 2, 2], [1, 0, 1.5], [1, 1.5, 0]])
    assert bradley_terry(points) == pytest.approx([2 * x, -x, -x])


@given(st.integers(2, 6), st.integers(0, 10_000))
def test_expected_points_are_those_that_were_won(k: int, seed: int) -> None:
    points = np.random.default_rng(seed).integers(0, 9, (k, k)) / 2 + 0.5
    s = bradley_terry(points)
    met = (points + points.T) * (1 - np.eye(k))
    expected = (met / (1 + np.exp(s[None, :] - s[:, None]))).sum(axis=1)
    assert expected == pytest.approx((points * (1 - np.eye(k))).sum(axis=1), abs=1e-8)
    order = list(np.random.default_rng(seed + 1).permutation(k))
    assert bradley_terry(points[np.ix_(order, order)]) == pytest.approx(s[order], abs=1e-8)


@pytest.mark.parametrize(
    "points",
    [
        [[0, 5, 5], [0, 0, 2], [0, 2, 0]],  # the first never lost
        [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],  # two islands
        [[0, 1, 0], [1, 0, 0], [0, 0, 0]],  # the third was never compared
    ],
)
def test_without_a_way_between_all_models_there_is_no_strength(points: Any) -> None:
    assert np.isnan(bradley_terry(np.array(points, dtype=float))).all()


def test_a_ring_of_wins_is_enough_and_an_extreme_table_is_fitted() -> None:
    ring = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float)
    assert bradley_terry(ring) == pytest.approx([0, 0, 0])
    assert bradley_terry(np.array([[0, 9999.0], [1, 0]])) == pytest.approx(
        [math.log(9999) / 2, -math.log(9999) / 2]
    )


def planted(cases: int, seed: int, true: dict[str, float]) -> list[Contest]:
    draw = random.Random(seed)
    return [
        Contest(
            f"c{case}", a, b, float(draw.random() < 1 / (1 + math.exp(true[b] - true[a])))
        )
        for case in range(cases)
        for a, b in itertools.combinations(true, 2)
    ]  # fmt: skip


def test_planted_strengths_lie_in_their_intervals_and_orders_do_not_matter() -> None:
    true = {"a": 0.8, "b": 0.2, "c": -1.0}
    contests = planted(200, 7, true)
    ladder = strengths(contests, plan=Plan(resamples=400))
    for one in ladder.strengths:
        assert one.interval.low < true[one.model] < one.interval.high
        assert one.interval.n == 200 and one.contests == 400
    assert [one.rank for one in ladder.strengths] == [1, 2, 3]
    apart = ladder.differences["a", "c"]
    a, c = ladder.strengths[0], ladder.strengths[2]
    assert apart.interval.estimate == pytest.approx(a.interval.estimate - c.interval.estimate)
    assert apart.p_value < 0.01
    turned = [Contest(one.case, one.second, one.first, 1 - (one.points or 0)) for one in contests]
    again = strengths(turned[::-1], ["a", "b", "c"], plan=Plan(resamples=400))
    for one, other in zip(ladder.strengths, again.strengths, strict=True):
        assert one.interval.estimate == pytest.approx(other.interval.estimate, abs=1e-9)
        assert one.interval.low == pytest.approx(other.interval.low, abs=1e-9)


def test_comparisons_without_a_verdict_are_counted_and_bounded() -> None:
    # a against b: 6 wins, 2 ties, 4 losses, 4 without a verdict. Points of a 7 of 12: log(7/5).
    points = [1.0] * 6 + [0.5] * 2 + [0.0] * 4 + [None] * 4
    contests = [Contest(f"c{n}", "a", "b", one) for n, one in enumerate(points)]
    a, b = strengths(contests, plan=Plan(resamples=50)).strengths
    assert (a.points, a.contests, a.unresolved, b.points) == (7.0, 12, 4, 5.0)
    assert a.win_rate == 7 / 12
    assert a.interval.estimate == pytest.approx(math.log(7 / 5) / 2)
    # All four lost: 7 of 16; all won: 11 of 16.
    assert a.worst == pytest.approx(math.log(7 / 9) / 2)
    assert a.best == pytest.approx(math.log(11 / 5) / 2)
    assert (b.worst, b.best) == pytest.approx((-a.best, -a.worst))


def test_a_model_that_wins_everything_has_no_strength_but_the_reason() -> None:
    contests = [Contest(f"c{n}", "a", "b", 1.0) for n in range(20)]
    a, _ = strengths(contests).strengths
    assert math.isnan(a.interval.estimate) and a.rank is None and a.win_rate == 1
    assert "no finite strengths" in (a.interval.warning or "")


def test_no_interval_where_resamples_have_no_strength() -> None:
    # One loss in 40: in (39/40)^40 = 36 % of the resamples the loss is not drawn.
    contests = [Contest(f"c{n}", "a", "b", float(n > 0)) for n in range(40)]
    a, _ = strengths(contests, plan=Plan(resamples=500)).strengths
    assert a.interval.estimate == pytest.approx(math.log(39) / 2)
    assert math.isnan(a.interval.low) and "no finite strengths in" in (a.interval.warning or "")
    difference = strengths(contests, plan=Plan(resamples=500)).differences["a", "b"]
    assert math.isnan(difference.p_value)


def test_few_cases_have_no_interval() -> None:
    contests = [Contest(f"c{n}", "a", "b", float(n % 2)) for n in range(4)]
    a, _ = strengths(contests, plan=Plan(resamples=50)).strengths
    assert a.interval.estimate == pytest.approx(0) and "too few" in (a.interval.warning or "")


@pytest.mark.parametrize(
    ("contests", "models", "message"),
    [
        ([], None, "no comparison"),
        ([Contest("1", "a", "a", 1.0)], None, "with itself"),
        ([Contest("1", "a", "b", 0.7)], None, "points are 0.7"),
        ([Contest("1", "a", "b", 1.0)], ["a", "c"], "'b', which is none"),
    ],
)
def test_bad_comparisons_are_named(contests: Any, models: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        strengths(contests, models)


def test_bad_tables_are_named() -> None:
    with pytest.raises(UsageError, match="k x k"):
        bradley_terry(np.zeros((2, 3)))
    with pytest.raises(UsageError, match="not negative"):
        bradley_terry(np.array([[0.0, -1.0], [1.0, 0.0]]))
