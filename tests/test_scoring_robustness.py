import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from dxjudge.errors import UsageError
from dxjudge.scoring.robustness import (
    ALL,
    compare_votes,
    flip_rates,
    fragile_cases,
)
from dxjudge.scoring.share_limits import share_interval, wilson
from dxjudge.scoring.votes import Scalar, Vote, VoteStatus


def vote(case: str, variant: str, verdict: Scalar | None, status: VoteStatus = "done") -> Vote:
    repeat = 0
    return Vote(case, "s", "j", repeat, variant, status=status, verdict=verdict)


def test_statuses_are_told_apart_and_only_two_verdicts_can_flip() -> None:
    votes = [
        vote("1", "", True),
        vote("1", "swap", False),  # flipped
        vote("1", "case", True),  # same
        vote("2", "", True),
        vote("2", "swap", None, "abstained"),  # a verdict went
        vote("2", "case", None, "failed"),
        vote("3", "", None, "abstained"),
        vote("3", "swap", None, "abstained"),  # none before, none after
        vote("3", "case", False),  # a verdict came
    ]
    rates = {rate.perturbation: rate for rate in flip_rates(compare_votes(votes))}
    assert list(rates) == ["swap", "case", ALL]
    swap, case, both = rates.values()
    assert (swap.compared, swap.flips, swap.abstained_one, swap.abstained_both, swap.failed) == (
        (1, 1, 1, 1, 0)
    )
    assert (case.compared, case.flips, case.abstained_one, case.abstained_both, case.failed) == (
        (1, 0, 1, 0, 1)
    )
    assert (both.compared, both.flips, both.abstained_one, both.failed) == (2, 1, 2, 1)
    assert swap.shift is None and swap.drift is None


def test_one_and_true_are_not_the_same_and_one_and_one_point_zero_are() -> None:
    numbers = [vote("1", "", 1), vote("1", "a", 1.0), vote("1", "b", 2)]
    assert [one.status for one in compare_votes(numbers)] == ["same", "flipped"]
    assert compare_votes([vote("1", "", 1), vote("1", "a", True)])[0].status == "flipped"


def test_shifts_of_grades_by_hand() -> None:
    # 5 -> 3 is 2 down, 2 -> 3 is 1 up, 4 -> 4 is none: mean absolute (2 + 1 + 0) / 3 = 1,
    # mean (-2 + 1 + 0) / 3 = -1/3, two of three flipped.
    pairs = [("1", 5, 3), ("2", 2, 3), ("3", 4, 4)]
    votes = [v for case, a, b in pairs for v in (vote(case, "", a), vote(case, "care", b))]
    (rate,) = flip_rates(compare_votes(votes))
    assert rate.shift is not None and rate.shift.estimate == 1
    assert rate.drift == pytest.approx(-1 / 3)
    assert rate.rate.estimate == pytest.approx(2 / 3)


def test_a_perturbed_vote_needs_one_base() -> None:
    with pytest.raises(UsageError, match="case '1', s, j: no base vote"):
        compare_votes([vote("1", "care", True)])
    with pytest.raises(UsageError, match="two base votes"):
        compare_votes([vote("1", "", True), vote("1", "", True)])


def test_the_rows_that_flip_most_come_first() -> None:
    votes = [vote(case, "", True) for case in "abc"]
    votes += [vote("a", "x", True), vote("a", "y", False), vote("b", "x", False)]
    votes += [vote("b", "y", False), vote("c", "x", True), vote("c", "y", None, "failed")]
    found = fragile_cases(compare_votes(votes))
    assert [(one.case, one.flips, one.compared) for one in found] == [
        ("b", 2, 2),
        ("a", 1, 2),
        ("c", 0, 1),
    ]


@given(st.integers(1, 60), st.integers(0, 60))
def test_with_one_comparison_a_case_it_is_wilsons_interval(n: int, flips: int) -> None:
    flips = min(flips, n)
    made = share_interval([True] * flips + [False] * (n - flips), range(n))
    theirs = proportion_confint(flips, n, method="wilson")
    assert (made.low, made.high) == pytest.approx(theirs, abs=1e-9)


def test_verdicts_that_always_flip_together_count_once_a_case() -> None:
    # Four verdicts on each of 20 cases, all of a case alike: no more is known than from one each.
    # v = k/(k-1) * 16 * sum (y_i/4 - p)^2 / 80^2 = 20/19 * 16 * (5 * .75^2 + 15 * .25^2) / 6400
    #   = 20/19 * 16 * 3.75 / 6400 = .009868; independent: .1875 / 79 = .002373; d = 4.158;
    # n* = 80 / 4.158 = 19.24
    flips = [case < 5 for case in range(20) for _ in range(4)]
    cases = [case for case in range(20) for _ in range(4)]
    made = share_interval(flips, cases)
    assert (made.low, made.high) == pytest.approx(wilson(0.25, 19.24), abs=1e-4)


def test_no_flip_at_all_is_no_certainty() -> None:
    made = share_interval([False] * 40, [case for case in range(10) for _ in range(4)])
    # Wilson with n* = 10 cases and no flip: z^2 / (10 + z^2) = 3.8415 / 13.8415
    assert made.low == 0.0
    assert made.high == pytest.approx(3.8415 / 13.8415, abs=1e-4)


def test_nothing_compared_is_no_number() -> None:
    made = share_interval([], [])
    assert math.isnan(made.estimate) and made.warning == "no item has a verdict"


def test_the_interval_covers_the_rate_where_cases_differ() -> None:
    """Flip probabilities of cases drawn from a beta distribution with mean 0.2."""
    draw = random.Random(7)
    covered = naive = 0
    for _ in range(1000):
        flips: list[bool] = []
        cases: list[int] = []
        for case in range(40):
            p = draw.betavariate(0.4, 1.6)
            flips += [draw.random() < p for _ in range(6)]
            cases += [case] * 6
        made = share_interval(flips, cases)
        covered += made.low <= 0.2 <= made.high
        low, high = wilson(made.estimate, len(flips))
        naive += low <= 0.2 <= high
    assert 0.93 <= covered / 1000 <= 0.97
    assert naive / 1000 < 0.85  # taken as independent, the same verdicts promise too much


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1, max_size=40))
def test_the_interval_holds_the_rate_and_no_order(pairs: Sequence[tuple[bool, int]]) -> None:
    flips, cases = [flip for flip, _ in pairs], [case for _, case in pairs]
    made = share_interval(flips, cases)
    assert 0 <= made.low <= made.estimate + 1e-12 and made.estimate <= made.high + 1e-12 <= 1 + 1e-9
    turned = share_interval(flips[::-1], cases[::-1])
    assert (turned.low, turned.high) == pytest.approx((made.low, made.high))
