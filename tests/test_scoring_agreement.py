"""Agreement: published matrices, the field's libraries, slow formulas, intervals, warnings."""

import itertools
import math
import random
from collections import defaultdict
from typing import Any

import krippendorff
import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
import statsmodels.stats.inter_rater
from hypothesis import given, settings
from hypothesis import strategies as st

from dxjudge.errors import UsageError
from dxjudge.scoring.bootstrap import Plan
from dxjudge.scoring.raters.agreement import Coefficient, jury_agreement, pair_agreement
from dxjudge.scoring.raters.coefficients import (
    cohen_kappa,
    consistency,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    kendall,
    krippendorff_alpha,
    mean_absolute_difference,
    share_identical,
    spearman,
)
from dxjudge.scoring.raters.preference import preference_agreement
from dxjudge.scoring.shares import FAILED

# Fleiss (1971), Psychological Bulletin 76: 30 patients, 6 psychiatrists, 5 diagnoses.
FLEISS_1971 = """00060 03003 01401 00006 03030 20400 00402 20310 20040 00006
10050 11040 03300 10050 02031 00501 30012 51000 02040 10203
00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"""
# Krippendorff (2011), four observers and twelve units; 0 is missing.
KRIPPENDORFF_2011 = ["123321412000", "123322412503", "033323422510", "123324412510"]


def expand(table: str) -> list[list[int]]:
    """Counts by category to one verdict a judge."""
    return [[k for k, n in enumerate(row) for _ in range(int(n))] for row in table.split()]


def krippendorff_units() -> list[list[int | None]]:
    return [[int(v) or None for v in unit] for unit in zip(*KRIPPENDORFF_2011, strict=True)]


def from_table(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """A cross table of two judges to their verdicts."""
    cells = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return [i for i, _ in cells], [j for _, j in cells]


def values(coefficients: tuple[Coefficient, ...]) -> dict[str, float | None]:
    return {one.name: one.value for one in coefficients}


# Published values


def test_consistency_of_the_published_three_step_scale() -> None:
    # 91.43 % equal, 6.45 % 0.5 apart, 2.12 % 1 apart: 0.03225 + 0.0212 = 0.05345.
    first = [1.0] * 10_000
    second = [1.0] * 9143 + [0.5] * 645 + [0.0] * 212
    assert share_identical(first, second) == pytest.approx(0.9143)
    assert mean_absolute_difference(first, second) == pytest.approx(0.05345)
    assert round(mean_absolute_difference(first, second), 3) == 0.053
    assert round(consistency(first, second), 3) == 0.947


def test_cohen_kappa_of_the_published_table() -> None:
    # Fleiss, Levin, Paik (2003), table 18.1: observed 0.89, by chance
    # 0.8 * 0.8 + 0.1 * 0.05 + 0.1 * 0.15 = 0.66; 0.23 / 0.34 = 0.676.
    first, second = from_table([[75, 1, 4], [5, 4, 1], [0, 0, 10]])
    assert cohen_kappa(first, second) == pytest.approx(0.23 / 0.34)


def test_cohen_kappa_of_cohens_own_table() -> None:
    # Cohen (1968), Psychological Bulletin 70: personality disorder, neurosis, psychosis by two
    # psychiatrists, percent; observed 0.70, by chance 0.41: 0.29 / 0.59 = 0.492.
    first, second = from_table([[44, 7, 9], [5, 20, 5], [1, 3, 6]])
    assert cohen_kappa(first, second) == pytest.approx(0.492, abs=5e-4)


@pytest.mark.parametrize(
    ("table", "plain", "linear"),
    [
        ([[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]], 0.2079, 0.3797),
        ([[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]], 0.2965, 0.4773),
    ],
)
def test_weighted_kappa_of_two_neurologists(
    table: list[list[int]], plain: float, linear: float
) -> None:
    # Landis and Koch (1977), Biometrics 33: multiple sclerosis, certain to unlikely, in Winnipeg
    # and New Orleans; both kappas as the R package vcd gives them (Kappa of MSPatients).
    first, second = from_table(table)
    assert cohen_kappa(first, second) == pytest.approx(plain, abs=5e-5)
    assert cohen_kappa(first, second, weights="linear") == pytest.approx(linear, abs=5e-5)


def test_fleiss_kappa_of_the_published_table() -> None:
    # Observed 0.555, by chance 0.220: 0.430.
    assert fleiss_kappa(expand(FLEISS_1971)) == pytest.approx(0.430, abs=5e-4)


@pytest.mark.parametrize(
    ("scale", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_krippendorff_alpha_of_the_published_matrix(scale: Any, expected: float) -> None:
    assert krippendorff_alpha(krippendorff_units(), scale) == pytest.approx(expected, abs=5e-4)


def test_gwet_ac1_of_the_published_table_where_kappa_fails() -> None:
    # Gwet (2008), 125 cases, 118 and 0 agreed: observed 118 / 125 = 0.944; share of the first
    # category (0.984 + 0.96) / 2 = 0.972, by chance 2 * 0.972 * 0.028 = 0.054432.
    first, second = from_table([[118, 5], [2, 0]])
    pairs = list(zip(first, second, strict=True))
    assert gwet_ac1(pairs) == pytest.approx((0.944 - 0.054432) / (1 - 0.054432))
    assert gwet_ac1(pairs) == pytest.approx(0.9408, abs=5e-5)
    assert cohen_kappa(first, second) == pytest.approx(-0.0234, abs=5e-5)


def test_many_judges_with_missing_verdicts_as_gwets_handbook() -> None:
    # Gwet's own results on Krippendorff's matrix (R package irrCAC, cac.raw4raters).
    units = krippendorff_units()
    assert gwet_ac1(units) == pytest.approx(0.77544, abs=5e-6)
    assert fleiss_kappa(units) == pytest.approx(0.76117, abs=5e-6)


# Hand-made values


def test_weighted_kappa_by_hand() -> None:
    # Levels 0..2, verdicts (0,0) (1,2) (2,2) (0,1). Linear disagreement |i-j|/2:
    # observed (0 + .5 + 0 + .5)/4 = 0.25. Margins (2,1,1)/4 and (1,1,2)/4; by chance
    # sum = (2*1*.5 + 2*2*1 + 1*1*.5 + 1*2*.5 + 1*1*1 + 1*1*.5)/16 = 8/16; 1 - .25/.5 = 0.5.
    first, second = [0, 1, 2, 0], [0, 2, 2, 1]
    assert cohen_kappa(first, second, weights="linear") == pytest.approx(0.5)
    # Squares: observed 2 * .25 / 4 = 0.125; chance (1*.25*... ) = (.5 + 4 + .25 + .5 + 1 + .25)/16.
    assert cohen_kappa(first, second, weights="quadratic") == pytest.approx(1 - 0.125 / (6.5 / 16))


def test_alpha_by_hand() -> None:
    # Units (a a) (a b) (b b): coincidences aa 2, ab 1, ba 1, bb 2; n 6, margins 3 and 3.
    # alpha = 1 - 5 * 2 / (2 * 9) = 4/9.
    assert krippendorff_alpha(["aa", "ab", "bb", ("a", None)]) == pytest.approx(4 / 9)


def test_ac2_by_hand() -> None:
    # Three levels, verdicts (0,0) (1,2): linear credit 1 and 0.5, observed 0.75. Shares
    # (1/2, 1/4, 1/4): sum p(1-p) = 1/4 + 3/16 + 3/16 = 5/8; all credit 3 + 4*.5 = 5;
    # chance 5 / (3*2) * 5/8 = 25/48. (36 - 25) / (48 - 25) = 11/23.
    assert gwet_ac2([(0, 0), (1, 2)], "linear") == pytest.approx(11 / 23)


def test_categories_that_nobody_chose_still_count() -> None:
    first, second = [1, 2, 2, 1], [1, 2, 1, 1]
    # Shares (0, 5/8, 3/8): chance (15/64 * 2) / 2 = 15/64 of three levels, 30/64 of two;
    # observed 3/4 = 48/64: (48 - 15) / (64 - 15), (48 - 30) / (64 - 30).
    pairs = list(zip(first, second, strict=True))
    assert gwet_ac1(pairs, categories=[0, 1, 2]) == pytest.approx(33 / 49)
    assert gwet_ac1(pairs) == pytest.approx((48 - 30) / (64 - 30))
    # Positions 0, 1, 2 without categories; 0, 3, 4 with them. Verdicts (0,0) (5,3) (3,3).
    first, second = [0, 5, 3], [0, 3, 3]
    whole = cohen_kappa(first, second, weights="linear", categories=[0, 1, 2, 3, 5])
    # Chance: pairs of margins (0,3,5) x (0,3,3): |0-0| 0, |0-3| 3 twice; |3-0| 3, 0, 0;
    # |4-0| 4, |4-3| 1 twice: 15 / 9. Observed 1 / 3. 1 - (1/3) / (15/9) = 0.8.
    assert whole == pytest.approx(0.8)
    # Without: 0, 1, 1; 1, 0, 0; 2, 1, 1: 7 / 9. 1 - (1/3) / (7/9) = 4/7.
    assert cohen_kappa(first, second, weights="linear") == pytest.approx(4 / 7)


def test_missing_verdicts_are_left_out_case_by_case() -> None:
    first: list[Any] = [1, None, 2, FAILED, 1, math.nan, 2]
    second: list[Any] = [1, 1, 2, 2, 2, 1, 2]
    # Left: (1,1) (2,2) (1,2) (2,2): 3/4 the same; chance (2*1 + 2*3)/16 = 1/2; kappa 1/2.
    assert share_identical(first, second) == 0.75
    assert cohen_kappa(first, second) == pytest.approx(0.5)
    assert fleiss_kappa([(1, 1, None), (2, 2, 1), (None, None, 2)]) < 1


def test_case_weights_count_cases_more_than_once() -> None:
    rng = random.Random(2)
    first = [rng.randrange(3) for _ in range(25)]
    second = [v if rng.random() < 0.6 else rng.randrange(3) for v in first]
    times = [rng.randrange(1, 4) for _ in range(25)]
    many_first = [v for v, n in zip(first, times, strict=True) for _ in range(n)]
    many_second = [v for v, n in zip(second, times, strict=True) for _ in range(n)]
    for measure in (cohen_kappa, share_identical, mean_absolute_difference, spearman, kendall):
        weighted = measure(first, second, case_weights=times)
        assert weighted == pytest.approx(measure(many_first, many_second), abs=0.02)
    assert cohen_kappa(first, second, case_weights=times) == pytest.approx(
        sklearn.metrics.cohen_kappa_score(first, second, sample_weight=times)
    )
    with pytest.raises(UsageError, match="case_weights"):
        cohen_kappa(first, second, case_weights=[1.0])
    with pytest.raises(UsageError, match="all zero"):
        cohen_kappa(first, second, case_weights=[0.0] * 25)


def test_numbers_without_a_meaning_are_nan() -> None:
    assert math.isnan(cohen_kappa([1, 1], [1, 1]))
    assert math.isnan(fleiss_kappa([(1, 1), (1, 1)]))
    assert math.isnan(krippendorff_alpha([(1, 1), (1, 1)], "interval"))
    assert math.isnan(spearman([1, 1, 1], [1, 2, 3]))
    assert math.isnan(kendall([1, 1, 1], [1, 2, 3]))
    assert math.isnan(share_identical([None], [1]))


# Against the field's libraries

ratings = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
    )
)


@settings(max_examples=80, deadline=None)
@given(ratings, st.sampled_from([None, "linear", "quadratic"]))
def test_cohen_equals_scikit_learn(pair: tuple[list[int], list[int]], weights: Any) -> None:
    first, second = pair
    labels = sorted({*first, *second})
    ours = cohen_kappa(first, second, weights=weights)
    if len(labels) > 1:
        theirs = sklearn.metrics.cohen_kappa_score(first, second, weights=weights, labels=labels)
        assert ours == pytest.approx(theirs, nan_ok=True)


@settings(max_examples=80, deadline=None)
@given(ratings)
def test_rank_correlations_equal_scipy(pair: tuple[list[int], list[int]]) -> None:
    first, second = pair
    if len(set(first)) > 1 and len(set(second)) > 1:
        assert spearman(first, second) == pytest.approx(scipy.stats.spearmanr(*pair).statistic)
        assert kendall(first, second) == pytest.approx(scipy.stats.kendalltau(*pair).statistic)


juries = st.lists(
    st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=4, max_size=4), min_size=3, max_size=20
)


@settings(max_examples=80, deadline=None)
@given(juries, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_equals_the_krippendorff_package(jury: list[list[int | None]], scale: Any) -> None:
    usable = [
        v for row in jury if sum(v is not None for v in row) > 1 for v in row if v is not None
    ]
    if len(set(usable)) < 2:
        return
    data = np.array(jury, dtype=float).T
    theirs = krippendorff.alpha(reliability_data=data, level_of_measurement=scale)
    assert krippendorff_alpha(jury, scale) == pytest.approx(theirs)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=2, max_size=15))
def test_fleiss_equals_statsmodels(jury: list[list[int]]) -> None:
    if len({v for row in jury for v in row}) < 2:
        return
    table, _ = statsmodels.stats.inter_rater.aggregate_raters(np.array(jury))
    theirs = statsmodels.stats.inter_rater.fleiss_kappa(table)
    assert fleiss_kappa(jury) == pytest.approx(theirs)


# A second implementation where no library has the number


def slow_ac1(jury: list[list[Any]], k: int) -> float:
    shares: dict[Any, float] = defaultdict(float)
    agreement = []
    rated = 0
    for row in jury:
        given = [v for v in row if v is not None]
        rated += bool(given)
        for v in given:
            shares[v] += 1 / len(given)
        if len(given) > 1:
            pairs = list(itertools.combinations(given, 2))
            agreement.append(sum(a == b for a, b in pairs) / len(pairs))
    observed = sum(agreement) / len(agreement)
    chance = sum(n / rated * (1 - n / rated) for n in shares.values()) / (k - 1)
    return float((observed - chance) / (1 - chance))


@settings(max_examples=80, deadline=None)
@given(juries)
def test_ac1_equals_a_slow_formula(jury: list[list[Any]]) -> None:
    if any(sum(v is not None for v in row) > 1 for row in jury):
        ours = gwet_ac1(jury, categories=[0, 1, 2, 3])
        assert ours == pytest.approx(slow_ac1(jury, 4))


# Properties


@settings(max_examples=60, deadline=None)
@given(juries, st.permutations(range(4)), st.randoms())
def test_the_order_of_cases_judges_and_labels_does_not_matter(
    jury: list[list[Any]], order: list[int], rng: random.Random
) -> None:
    shuffled = [[row[i] for i in order] for row in rng.sample(jury, len(jury))]
    names = {None: None, 0: "d", 1: "b", 2: "a", 3: "c"}
    renamed = [[names[v] for v in row] for row in jury]
    for measure in (fleiss_kappa, krippendorff_alpha, gwet_ac1):
        value = measure(jury)
        assert measure(shuffled) == pytest.approx(value, nan_ok=True)
        assert measure(renamed) == pytest.approx(value, nan_ok=True)
        assert math.isnan(value) or value <= 1 + 1e-12


def test_identical_verdicts_agree_fully_and_noise_lowers_every_number() -> None:
    rng = random.Random(8)
    first = [rng.randrange(5) for _ in range(400)]
    last: dict[str, float] = {}
    for noise in (0.0, 0.15, 0.4, 0.9):
        second = [rng.randrange(5) if rng.random() < noise else v for v in first]
        found = pair_agreement(first, second, scale="interval", plan=Plan(resamples=50))
        for one in found:
            assert one.value is not None
            value = -one.value if one.name == "mean_absolute_difference" else one.value
            if noise == 0:
                assert value == pytest.approx(0 if one.name == "mean_absolute_difference" else 1)
            else:
                assert value < last[one.name]
            last[one.name] = value


# Tables with intervals


def noisy_pair(n: int, seed: int = 0) -> tuple[list[int], list[int]]:
    rng = random.Random(seed)
    first = [rng.randrange(3) for _ in range(n)]
    return first, [v if rng.random() < 0.7 else rng.randrange(3) for v in first]


def test_the_table_has_the_measures_that_fit_the_scale() -> None:
    first, second = noisy_pair(60)
    nominal = pair_agreement(first, second, plan=Plan(resamples=200))
    assert [one.name for one in nominal] == [
        "share_identical",
        "cohen_kappa",
        "gwet_ac1",
        "krippendorff_alpha_nominal",
    ]
    ordinal = values(pair_agreement(first, second, scale="ordinal", plan=Plan(resamples=200)))
    assert ordinal["cohen_kappa_quadratic"] == pytest.approx(
        cohen_kappa(first, second, weights="quadratic")
    )
    assert ordinal["consistency"] == pytest.approx(consistency(first, second))
    assert "krippendorff_alpha_interval" not in ordinal
    for one in pair_agreement(first, second, scale="interval", plan=Plan(resamples=200)):
        assert one.value is not None
        assert one.interval is not None
        assert one.interval.low < one.value < one.interval.high
        method = "wilson" if one.name == "share_identical" else "bca"
        assert (one.n, one.missing, one.interval.method) == (60, 0, method)
    jury = values(jury_agreement(zip(first, second, first, strict=True), scale="interval"))
    assert list(jury) == [
        "share_identical",
        "fleiss_kappa",
        "gwet_ac1",
        "krippendorff_alpha_nominal",
        "gwet_ac2_quadratic",
        "krippendorff_alpha_ordinal",
        "krippendorff_alpha_interval",
    ]


def test_intervals_match_resampling_with_scikit_learn() -> None:
    first, second = noisy_pair(80, seed=4)
    plan = Plan(method="percentile", resamples=4000)
    kappa = next(
        one for one in pair_agreement(first, second, plan=plan) if one.name == "cohen_kappa"
    )
    rng = np.random.default_rng(9)
    a, b = np.array(first), np.array(second)
    draws = [rng.integers(0, 80, 80) for _ in range(1500)]
    slow = [sklearn.metrics.cohen_kappa_score(a[rows], b[rows]) for rows in draws]
    assert kappa.interval is not None
    assert (kappa.interval.low, kappa.interval.high) == pytest.approx(
        tuple(np.quantile(slow, [0.025, 0.975])), abs=0.02
    )


def test_repeats_of_a_case_are_resampled_together() -> None:
    first, second = noisy_pair(40, seed=6)
    single = pair_agreement(first, second)
    repeated = pair_agreement(first * 5, second * 5, clusters=list(range(40)) * 5)
    for one, five in zip(single, repeated, strict=True):
        assert one.interval is not None
        assert five.interval is not None
        assert five.n == 40
        assert five.interval.low == pytest.approx(one.interval.low, abs=0.02)
        assert five.interval.high == pytest.approx(one.interval.high, abs=0.02)
    with pytest.raises(UsageError, match="3 cluster labels for 40"):
        pair_agreement(first, second, clusters=[1, 2, 3])


def test_too_few_cases_give_a_warning_instead_of_a_number() -> None:
    first: list[Any] = [1, 0, 1, 1, 0, 1, 0, 1, 1, None, None]
    second: list[Any] = [1, 0, 0, 1, 0, 1, 0, 1, 1, 1, None]
    for one in (
        *pair_agreement(first, second),
        *jury_agreement(zip(first, second, strict=True)),
    ):
        assert one.value is None
        assert one.interval is None
        assert one.warning == "9 cases with two verdicts are too few (at least 10)"
        assert (one.n, one.missing) == (9, 3)
    assert all(one.value is not None for one in pair_agreement(first, second, plan=Plan(fewest=5)))


def test_an_undefined_measure_warns_and_the_others_stand() -> None:
    table = {one.name: one for one in pair_agreement([1] * 20, [1] * 20)}
    assert table["cohen_kappa"].value is None
    assert table["cohen_kappa"].warning == "the number is not defined on these cases"
    assert table["share_identical"].value == 1
    interval = table["share_identical"].interval
    assert interval is not None
    # Wilson, 20 of 20: 1 - 1.96^2 / (20 + 1.96^2) = 0.839.
    assert interval.high == 1.0
    assert interval.low == pytest.approx(0.839, abs=1e-3)


def test_rare_verdicts_have_a_coefficient_and_no_interval() -> None:
    # Six of 60 cases have a "yes" of either judge: one too few.
    first, second = [1] * 5 + [0] * 55, [0, 1, 1, 1, 1, 1] + [0] * 54
    table = {one.name: one for one in pair_agreement(first, second)}
    for name in ("cohen_kappa", "krippendorff_alpha_nominal"):
        assert table[name].value is not None and table[name].interval is None
        assert str(table[name].warning).startswith(
            "6 cases with a verdict other than the commonest, and 4 on which two judges share"
        )
    for name in ("share_identical", "gwet_ac1"):
        one = table[name].interval
        assert one is not None and one.low < one.estimate < one.high
    more = {one.name: one for one in pair_agreement([1] * 7 + [0] * 53, [1] * 6 + [0] * 54)}
    assert more["cohen_kappa"].interval is not None


def test_ordered_words_need_their_order() -> None:
    first, second = noisy_pair(30)
    names = ["mild", "moderate", "severe"]
    words = [names[v] for v in first], [names[v] for v in second]
    with pytest.raises(UsageError, match="give the categories"):
        pair_agreement(*words, scale="ordinal")
    found = values(pair_agreement(*words, scale="ordinal", categories=names))
    assert found["cohen_kappa_linear"] == pytest.approx(
        cohen_kappa(first, second, weights="linear")
    )
    assert "mean_absolute_difference" not in found


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cohen_kappa([1], [1, 2]), "1 verdicts by one judge but 2"),
        (lambda: fleiss_kappa([(1, 2), (1,)]), "case 1 has 1 verdicts"),
        (lambda: cohen_kappa([1], [7], categories=[1, 2]), "case 0, judge 1: verdict 7"),
        (lambda: cohen_kappa([1], ["x"]), "cannot be put in order"),
        (lambda: krippendorff_alpha(["ab"], "interval"), "no distance"),
        (lambda: krippendorff_alpha(["ab"], "ratio"), "scale is 'ratio'"),  # type: ignore[arg-type]
        (lambda: cohen_kappa([1], [2], weights="cubic"), "weights is 'cubic'"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


# Preferences


def test_preference_agreement_by_hand() -> None:
    # Models A B C, two cases. Judge 1: A>B, A>C, B=C; B>A, A=C missing, B>C missing.
    first = [[3.0, 2.0, 2.0], [1.0, 2.0, math.nan]]
    second = [[3.0, 1.0, 0.0], [1.0, 2.0, 2.0]]
    # Case 1: A>B yes, A>C yes, B=C against B>C no. Case 2: B>A yes; two missing. 3 of 4.
    result = preference_agreement(first, second)
    assert result.value == pytest.approx(3 / 4)
    assert (result.comparisons, result.missing) == (4, 2)
    assert result.interval.warning is not None
    assert preference_agreement(first, second, ties="drop").value == 1
    with pytest.raises(UsageError):
        preference_agreement([[1.0], [2.0]], [[1.0], [2.0]])


def test_preferences_of_one_judge_with_itself_and_with_its_opposite() -> None:
    scores = np.random.default_rng(0).normal(size=(30, 4))
    assert preference_agreement(scores, scores).value == 1
    assert preference_agreement(scores, -scores).value == 0
    shift = preference_agreement(scores, scores * 3 + 7)
    assert shift.value == 1
