"""Many p-values: Holm and Benjamini-Hochberg, by hand and against other implementations."""

import gc
import math
from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.errors import UsageError
from dxjudge.scoring import Columns, Plan, benjamini_hochberg, holm, paired_differences

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_holm_by_hand() -> None:
    # In ascending order .005 .011 .02 .04: times 4, 3, 2, 1 = .02 .033 .04 .04; none falls.
    assert holm([0.011, 0.04, 0.02, 0.005]) == pytest.approx([0.033, 0.04, 0.04, 0.02])
    # .04 x 1 would be below .03 x 2 = .06: a larger p-value never has a smaller correction.
    assert holm([0.01, 0.03, 0.04]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([0.03]) == [0.03]
    assert holm([]) == []


def test_benjamini_hochberg_by_hand() -> None:
    # .005 x 4/1 = .02, .011 x 4/2 = .022, .02 x 4/3 = .02667, .04 x 4/4 = .04
    assert benjamini_hochberg([0.011, 0.04, 0.02, 0.005]) == pytest.approx(
        [0.022, 0.04, 0.08 / 3, 0.02]
    )
    # .03 x 3/2 = .045 is above .04 x 3/3 = .04, so that both are .04.
    assert benjamini_hochberg([0.01, 0.03, 0.04]) == pytest.approx([0.03, 0.04, 0.04])


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_a_test_without_a_p_value_is_not_counted(
    correct: Callable[[Sequence[float]], list[float]],
) -> None:
    values = correct([0.01, math.nan, 0.04])
    assert math.isnan(values[1])
    assert values[::2] == correct([0.01, 0.04])
    for wrong in (-0.1, 1.5):
        with pytest.raises(UsageError, match=f"{wrong} is not a p-value"):
            correct([0.5, wrong])


@pytest.fixture(scope="module")
def little_garbage() -> None:
    """statsmodels collects all garbage in each call: what lives already need not be looked at."""
    gc.freeze()


@pytest.mark.usefixtures("little_garbage")
@given(SHARES)
def test_others_compute_the_same(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])
    theirs = scipy.stats.false_discovery_control(p_values, method="bh")
    assert benjamini_hochberg(p_values) == pytest.approx(theirs.tolist())


def test_a_p_value_does_not_depend_on_rounding() -> None:
    # Whole numbers add up exactly, tenths do not: sums that tie must tie in both.
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 4, size=(2, 40))
    plan = Plan(resamples=500)
    whole, tenths = (
        paired_differences([Columns.of_scores(first * unit), Columns.of_scores(second * unit)],
                           plan=plan)[0, 1]
        for unit in (1, 0.1)
    )  # fmt: skip
    assert tenths.p_value == whole.p_value
    assert tenths.interval.low == pytest.approx(whole.interval.low / 10, abs=1e-12)
    assert tenths.interval.high == pytest.approx(whole.interval.high / 10, abs=1e-12)


@given(SHARES, st.randoms(use_true_random=False))
def test_corrections_keep_the_order_and_never_lower_a_p_value(
    p_values: list[float], random: Random
) -> None:
    for correct in (holm, benjamini_hochberg):
        values = correct(p_values)
        assert all(p <= q <= 1 for p, q in zip(p_values, values, strict=True))
        in_order = [q for _, q in sorted(zip(p_values, values, strict=True))]
        assert in_order == sorted(in_order)
        places = list(range(len(p_values)))
        random.shuffle(places)
        assert correct([p_values[at] for at in places]) == [values[at] for at in places]
    assert all(
        b <= h + 1e-12 for b, h in zip(benjamini_hochberg(p_values), holm(p_values), strict=True)
    )
