"""Shares, flat scores, MEDSYN, rubric, pairs, choices, sensitivity: values worked by hand."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.spatial.distance
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.errors import UsageError
from dxjudge.scoring.bootstrap import Plan
from dxjudge.scoring.choice import (
    ability_scores,
    choice_is_right,
    merge_ranks,
    open_average,
    option_score,
)
from dxjudge.scoring.flat import rank_changes, ranks, top_k_accuracy
from dxjudge.scoring.medsyn import choice_accuracy, covers, ddx_coverage, ddx_fdx_gap, mean_grade
from dxjudge.scoring.paired import Pair, best_of_n, majority_vote, pair_scores, variant_spread
from dxjudge.scoring.raters.distance import disagreement, verdict_distance
from dxjudge.scoring.rubric import rubric_score
from dxjudge.scoring.sensitivity import (
    below_diagonal_intervals,
    choice_shares,
    evidence_sensitivity,
    nmse_gap,
    nmse_intervals,
    share_below_diagonal,
)
from dxjudge.scoring.shares import FAILED, bounds, breakdown, mean, share

FACTORS = {"terms": 1.25, "image": 6.25, "laboratory": 3.75, "ddx": 6.25, "reasoning": 7.5}


# Shares


def test_bounds_count_the_unresolved_as_wrong_and_as_right() -> None:
    assert bounds(6, 2, 10) == (0.6, 0.8)
    assert bounds(10, 0, 10) == (1, 1)
    low, high = bounds(0, 0, 0)
    assert math.isnan(low)
    assert math.isnan(high)
    for wrong in ((-1, 0, 3), (2, 2, 3), (0, -1, 3)):
        with pytest.raises(UsageError):
            bounds(*wrong)


def test_a_share_is_over_the_resolved() -> None:
    result = share([True, False, None, FAILED, float("nan"), True])  # type: ignore[list-item]
    assert (result.value, result.right, result.n, result.unresolved) == (2 / 3, 2, 6, 3)
    assert result.bounds == pytest.approx((2 / 6, 5 / 6))
    assert math.isnan(share([None]).value)


@given(st.lists(st.sampled_from([True, False, None])))
def test_a_share_lies_within_its_bounds(verdicts: list[bool | None]) -> None:
    result = share(verdicts)
    if result.n > result.unresolved:
        assert result.bounds.low <= result.value <= result.bounds.high


def test_a_mean_is_bounded_by_the_scale() -> None:
    # Resolved 1, 0.5: mean 0.75; two of four open: (1.5 + 0) / 4 and (1.5 + 2) / 4.
    result = mean([1, 0.5, None, FAILED])
    assert (result.value, result.unresolved) == (0.75, 2)
    assert result.bounds == (0.375, 0.875)
    with pytest.raises(UsageError, match="position 1"):
        mean([0.5, 1.5])


def test_a_breakdown_counts_a_case_in_each_of_its_groups() -> None:
    parts = breakdown([1, 0, 1], ["de", ("de", "en"), "en"], lambda values: sum(values))
    assert parts == {"de": 1, "en": 1}
    assert list(parts) == ["de", "en"]
    with pytest.raises(UsageError):
        breakdown([1], [], len)


# Flat scores


def test_top_k_counts_a_hit_among_the_first_k() -> None:
    verdicts: list[Sequence[bool | None]] = [
        [True, False],
        [False, False, True],
        [False, None, False],
        [None, True],
        [],
    ]
    # k = 1: yes, no, no, open, no. k = 2: yes, no, open, yes, no. k = 3: yes, yes, open, yes, no.
    assert [top_k_accuracy(verdicts, k).right for k in (1, 2, 3)] == [1, 2, 3]
    assert [top_k_accuracy(verdicts, k).unresolved for k in (1, 2, 3)] == [1, 1, 1]
    assert top_k_accuracy(verdicts, 3).value == 3 / 4
    assert top_k_accuracy(verdicts, 3).bounds == (3 / 5, 4 / 5)
    with pytest.raises(UsageError):
        top_k_accuracy(verdicts, 0)


@given(st.lists(st.lists(st.booleans(), max_size=6), min_size=1))
def test_top_k_never_falls_with_k(verdicts: list[list[bool]]) -> None:
    values = [top_k_accuracy(verdicts, k).value for k in range(1, 8)]
    assert values == sorted(values)
    slow = sum(any(case[:3]) for case in verdicts) / len(verdicts)
    assert values[2] == pytest.approx(slow)


def test_ranks_share_ties_and_changes_are_positive_upwards() -> None:
    assert ranks({"a": 0.5, "b": 0.7, "c": 0.5, "d": 0.1}) == {"a": 2, "b": 1, "c": 2, "d": 4}
    assert ranks({"a": 3, "b": 1}, higher_is_better=False) == {"a": 2, "b": 1}
    changes = rank_changes({"a": 0.9, "b": 0.8, "c": 0.1}, {"a": 0.2, "b": 0.1, "c": 0.3})
    assert [(row.model, row.before, row.after, row.change) for row in changes] == [
        ("c", 3, 1, 2),
        ("a", 1, 2, -1),
        ("b", 2, 3, -1),
    ]
    with pytest.raises(UsageError, match="only one of the two scores: b"):
        rank_changes({"a": 1, "b": 1}, {"a": 1})
    with pytest.raises(UsageError, match="b has no score"):
        ranks({"a": 1, "b": math.nan})


# MEDSYN


def test_ddx_coverage_and_mean_grade() -> None:
    grades = [5, 4, 3, 2, 0, None]
    assert ddx_coverage(grades).value == 2 / 5
    assert ddx_coverage(grades).bounds == (2 / 6, 3 / 6)
    assert mean_grade(grades).value == 14 / 5
    assert mean_grade(grades).bounds == pytest.approx((14 / 6, 19 / 6))
    with pytest.raises(UsageError, match="grade 1 at position 0"):
        ddx_coverage([1])


def test_choice_accuracy_keeps_no_match_apart_from_failed() -> None:
    result = choice_accuracy(["A", "b", None, FAILED], ["A", "B", "C", "D"])
    assert (result.value, result.unresolved) == (2 / 3, 1)
    gap = ddx_fdx_gap(ddx_coverage([5, 4, 5, 0]), result)
    assert gap.value == pytest.approx(3 / 4 - 2 / 3)
    assert gap.bounds == (3 / 4 - 3 / 4, 3 / 4 - 2 / 4)
    with pytest.raises(UsageError):
        choice_accuracy(["A"], [])


# Rubric


def test_the_published_rubric_example() -> None:
    # 3 * 1.25 + 2 * 6.25 + 3 * 3.75 + 2 * 6.25 + 1 * 7.5 = 3.75 + 12.5 + 11.25 + 12.5 + 7.5.
    result = rubric_score(dict(zip(FACTORS, (3, 2, 3, 2, 1), strict=True)), FACTORS)
    assert list(result.points.values()) == [3.75, 12.5, 11.25, 12.5, 7.5]
    assert result.total == 47.5
    assert result.best == 100
    assert result.bounds == (47.5, 47.5)


def test_a_dimension_without_a_verdict_leaves_the_total_open() -> None:
    raw: dict[str, Any] = dict(zip(FACTORS, (3, 2, FAILED, 2, 1), strict=True))
    result = rubric_score(raw, FACTORS)
    assert result.total is None
    assert result.unresolved == ("laboratory",)
    assert result.bounds == (36.25, 51.25)  # 47.5 - 11.25, and 4 * 3.75 more


def test_a_level_off_the_scale_or_an_unknown_dimension_is_refused() -> None:
    raw: dict[str, Any] = dict.fromkeys(FACTORS, 2)
    with pytest.raises(UsageError, match="level 5 of 'image'"):
        rubric_score(raw | {"image": 5}, FACTORS)
    with pytest.raises(UsageError, match="style"):
        rubric_score(raw | {"style": 2}, FACTORS)
    with pytest.raises(UsageError, match="terms"):
        rubric_score({name: 2 for name in FACTORS if name != "terms"}, FACTORS)


@given(st.lists(st.integers(0, 4), min_size=5, max_size=5))
def test_rubric_totals_stay_on_the_scale_and_rise_with_a_level(levels: list[int]) -> None:
    result = rubric_score(dict(zip(FACTORS, levels, strict=True)), FACTORS)
    assert result.total is not None
    assert 0 <= result.total <= 100
    if levels[0] < 4:
        more = rubric_score(dict(zip(FACTORS, [levels[0] + 1, *levels[1:]], strict=True)), FACTORS)
        assert more.total == pytest.approx(result.total + 1.25)


# Pairs


def test_pair_scores_by_hand() -> None:
    pairs: list[Any] = [
        (("A", "A"), ("B", "B")),  # both right
        (("A", "A"), ("B", "A")),  # one right, the same choice: confused
        (("B", "A"), ("A", "B")),  # both wrong, not the same
        (("A", None), ("B", "B")),  # invalid: wrong, and no pair for confusion
    ]
    individual, both, confusion = result = pair_scores(pairs)
    assert (individual, both, confusion) == (4 / 8, 1 / 4, 1 / 3)
    assert (result.individual, result.set, result.confusion) == (4 / 8, 1 / 4, 1 / 3)
    assert (result.invalid, result.failed, result.valid_pairs) == (1, 0, 3)


def test_failed_items_leave_a_pair_open_unless_the_other_is_wrong() -> None:
    pairs: list[Any] = [
        (("A", "A"), ("B", FAILED)),
        (("A", "B"), ("B", FAILED)),
        (("A", None), ("B", FAILED)),
        (("A", "A"), ("B", "B")),
    ]
    result = pair_scores(pairs)
    assert result.individual == 3 / 5
    assert result.individual_share.bounds == (3 / 8, 6 / 8)
    assert result.set == 1 / 3  # the second and third pair are lost whatever the verdict
    assert result.set_share.bounds == (1 / 4, 2 / 4)
    assert result.confusion_share.unresolved == 2  # the third pair can never be valid
    assert result.failed == 3


def test_pairs_need_different_answers_and_nothing_gives_nan() -> None:
    with pytest.raises(UsageError, match="pair 1"):
        pair_scores([(("A", "A"), ("B", "B")), (("A", "A"), ("A", "B"))])
    assert all(math.isnan(value) for value in pair_scores([]))


@given(
    st.lists(
        st.tuples(*[st.sampled_from(["A", "B", None])] * 2, st.booleans()), min_size=1, max_size=20
    )
)
def test_pair_scores_equal_a_slow_count(cases: list[tuple[str | None, str | None, bool]]) -> None:
    pairs: list[Any] = []
    for first, second, swap in cases:
        answers = ("B", "A") if swap else ("A", "B")
        pairs.append(((answers[0], first), (answers[1], second)))
    right = both = same = valid = 0
    for (t1, c1), (t2, c2) in pairs:
        right += (t1 == c1) + (t2 == c2)
        both += t1 == c1 and t2 == c2
        valid += c1 is not None and c2 is not None
        same += c1 is not None and c1 == c2
    result = pair_scores(pairs)
    assert result.individual == right / (2 * len(pairs))
    assert result.set == both / len(pairs)
    assert result.set <= result.individual
    assert result.confusion == pytest.approx(same / valid if valid else math.nan, nan_ok=True)
    flipped = pair_scores([(b, a) for a, b in reversed(pairs)])
    assert list(flipped) == pytest.approx(list(result), nan_ok=True)


def test_a_vote_is_won_outright_or_tied() -> None:
    vote = majority_vote(["B", "A", "B", None, FAILED])
    assert (vote.winner, vote.counts, vote.unresolved) == ("B", {"B": 2, "A": 1}, 2)
    tie = majority_vote(["A", "B", "B", "A"])
    assert tie.winner is None
    assert set(tie.tied) == {"A", "B"}
    assert majority_vote([None]).winner is None


def test_best_of_n_is_the_judges_pick_or_failed() -> None:
    assert best_of_n(["A", None, "B"], 2) == "B"
    assert best_of_n(["A", None], 1) is None
    assert best_of_n(["A", "B"], None) is FAILED
    with pytest.raises(UsageError, match="sample 2 of 2"):
        best_of_n(["A", "B"], 2)


def test_spread_over_prompt_variants() -> None:
    # Mean 0.3; squared distances 0.01 + 0 + 0.01 over n - 1 = 2: sd 0.1.
    spread = variant_spread([0.2, 0.3, 0.4])
    assert (spread.mean, spread.sd) == pytest.approx((0.3, 0.1))
    assert (spread.lowest, spread.highest, spread.n) == (0.2, 0.4, 3)
    assert math.isnan(variant_spread([0.2]).sd)
    with pytest.raises(UsageError):
        variant_spread([])


# Choices


def test_any_option_outside_the_gold_set_scores_zero() -> None:
    assert option_score("AC", "ABC") == 2 / 3
    assert option_score({"A", "B", "C"}, {"C", "B", "A"}) == 1
    assert option_score({"A", "D"}, {"A"}) == 0
    assert option_score(None, {"A"}) == option_score([], {"A"}) == 0
    with pytest.raises(UsageError):
        option_score({"A"}, ())


@given(st.sets(st.sampled_from("ABCDE")), st.sets(st.sampled_from("ABCDE"), min_size=1))
def test_option_scores_are_shares_and_one_only_for_the_gold_set(
    chosen: set[str], gold: set[str]
) -> None:
    score = option_score(chosen, gold)
    assert 0 <= score <= 1
    assert (score == 1) == (chosen == gold)


def test_abilities_and_overall() -> None:
    scores = ability_scores([1, 0.5, 0, None], ["colour", "colour", "size", "size"])
    assert {name: part.value for name, part in scores.by_ability.items()} == {
        "colour": 0.75,
        "size": 0,
    }
    assert scores.overall.value == 0.5
    assert scores.macro == 0.375
    assert open_average([1, 0.5, 0, FAILED]).bounds == (1.5 / 4, 2.5 / 4)
    with pytest.raises(UsageError, match="0.7 at position 1"):
        open_average([1, 0.7])


def test_ranked_lists_merge_by_summed_reciprocal_rank() -> None:
    # a: 1 + 1/3; b: 1/2 + 1; c: 1/3; d: 1/2.
    merged = merge_ranks([["a", "b", "c"], ["b", "d", "a"]])
    assert [name for name, _ in merged] == ["b", "a", "d", "c"]
    assert [weight for _, weight in merged] == pytest.approx([1.5, 4 / 3, 0.5, 1 / 3])
    assert merge_ranks([["x", "y"], ["y", "x"]]) == merge_ranks([["y", "x"], ["x", "y"]])
    with pytest.raises(UsageError, match="list 0"):
        merge_ranks([["a", "a"]])


# Sensitivity


def test_jensen_shannon_by_hand() -> None:
    # p = (1, 0), q = (1/2, 1/2), m = (3/4, 1/4):
    # H(m) = 3/4 log2(4/3) + 1/4 * 2 = 0.811278; (H(p) + H(q)) / 2 = 0.5; S = 0.311278.
    assert evidence_sensitivity([1, 0], [0.5, 0.5]) == pytest.approx(0.3112781, abs=1e-7)
    assert evidence_sensitivity([0.2, 0.8], [0.2, 0.8]) == 0
    assert evidence_sensitivity([1, 0], [0, 1]) == 1


distribution = st.lists(st.floats(0.001, 1), min_size=4, max_size=4).map(
    lambda values: [value / sum(values) for value in values]
)


@given(distribution, distribution)
def test_sensitivity_equals_scipy_and_is_symmetric(p: list[float], q: list[float]) -> None:
    ours = evidence_sensitivity(p, q)
    theirs = scipy.spatial.distance.jensenshannon(p, q, base=2) ** 2
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert ours == pytest.approx(evidence_sensitivity(q, p), abs=1e-12)
    order = [2, 0, 3, 1]
    permuted = evidence_sensitivity([p[i] for i in order], [q[i] for i in order])
    assert permuted == pytest.approx(ours, abs=1e-12)


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        ([0.5, 0.6], [0.5, 0.5], "p sums to 1.1"),
        ([0.5, 0.5], [1.0], "2 options but q has 1"),
        ([0.5, 0.5], [-0.5, 1.5], "q holds a negative"),
        ([0.5, math.nan], [0.5, 0.5], "p holds"),
        ([], [], "p must be a list"),
        ([[0.5, 0.5]], [0.5, 0.5], "p must be a list"),
        (["a"], [1.0], "p is not a list"),
    ],
)
def test_what_is_no_distribution_is_refused(p: Any, q: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        evidence_sensitivity(p, q)


def test_nmse_and_the_share_below_the_diagonal_by_hand() -> None:
    image, text = [0.1, 0.4, 0.2], [0.3, 0.4, 0.1]
    # ((-0.2)^2 + 0 + 0.1^2) / (0.09 + 0.16 + 0.01) = 0.05 / 0.26.
    assert nmse_gap(image, text) == pytest.approx(0.05 / 0.26)
    assert share_below_diagonal(image, text) == pytest.approx(1 / 3)
    assert nmse_gap(text, text) == 0
    assert math.isnan(nmse_gap([0.1], [0.0]))
    for bad in (([0.1], [0.1, 0.2]), ([], []), ([-0.1], [0.1]), ([0.1], [math.inf])):
        with pytest.raises(UsageError):
            nmse_gap(*bad)


def test_the_interval_of_nmse_contains_the_gap_by_hand_and_of_the_mean() -> None:
    # 12 cases: images 0.1, texts 0.2 (first type) and 0.4 (second type, 11 cases).
    # NMSE (0.1 / 0.2)^2 = 0.25 and (0.3 / 0.4)^2 = 0.5625 in every case, their mean 0.40625.
    image = np.full((12, 2), 0.1)
    text = np.tile([0.2, 0.4], (12, 1))
    image[3, 1] = math.nan
    first, second, mean = nmse_intervals(image, text, plan=Plan(resamples=200))
    assert [one.estimate for one in (first, second, mean)] == pytest.approx([0.25, 0.5625, 0.40625])
    assert (first.n, second.n, mean.n) == (12, 11, 12)
    assert first.warning == "all cases have the same ratio: there is no interval"
    # Six cases with images as good as the text: 6 * 0.01 / (12 * 0.04) = 0.125.
    image[:6, 0] = 0.2
    first, _, _ = nmse_intervals(image, text, plan=Plan(resamples=2000))
    assert first.estimate == pytest.approx(0.125) and first.method == "bootstrap-t"
    # a - r b is 0.005 and -0.005 on six cases each: s = sqrt(12) 0.005 / 0.48 = 0.0361. With k of
    # 12 drawn cases apart, r = k / 48 and s = sqrt(k (12 - k) / 12) / 48: t = (k - 6) /
    # sqrt(k (12 - k) / 12). k is 3 to 9 in 96.1 % of draws, and 2 to 10 in 99.4 %: the 2.5 %
    # quantiles of t are those of k = 3 and 9, -2 and 2.
    error = math.sqrt(12) * 0.005 / 0.48
    assert (first.low, first.high) == pytest.approx((0.125 - 2 * error, 0.125 + 2 * error))


def test_the_share_below_the_diagonal_has_wilsons_interval() -> None:
    image = [[0.1, 0.3]] * 8 + [[0.5, 0.3]] * 2
    first, second, mean = below_diagonal_intervals(image, [[0.2, 0.2]] * 10)
    # 8 of 10 by Wilson: 0.4902 to 0.9433; 0 of 10: 0 to 0.2775.
    assert (first.estimate, first.low, first.high) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)
    assert (second.estimate, second.high) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert mean.estimate == pytest.approx(0.4) and mean.low < 0.4 < mean.high


def test_few_cases_and_no_dependence_on_text_have_no_interval() -> None:
    (one, _) = nmse_intervals([[0.1]] * 3, [[0.2]] * 3)
    assert (
        math.isnan(one.low) and one.warning == "3 cases are too few for an interval (at least 10)"
    )
    (one, mean) = nmse_intervals([[0.1]] * 12, [[0.0]] * 12)
    assert math.isnan(one.estimate) and math.isnan(mean.estimate)
    assert one.warning == "the number is not defined on these cases"
    with pytest.raises(UsageError, match="same shape"):
        nmse_intervals([0.1], [0.1])


def test_nmse_grows_with_the_distance() -> None:
    text = np.linspace(0.1, 0.9, 9)
    gaps = [nmse_gap((text * shrink).tolist(), text.tolist()) for shrink in (1, 0.8, 0.5, 0)]
    assert gaps == sorted(gaps)
    assert gaps[-1] == 1


# Disagreement on one item


def test_a_distance_depends_on_the_scale() -> None:
    assert verdict_distance(5, 2, "ordinal", span=5) == pytest.approx(0.6)  # |5 - 2| / 5
    assert verdict_distance(5, 2) == 1.0  # nominal: they differ
    levels = ("low", "mid", "high", "top")
    # one level of three apart
    assert verdict_distance("mid", "high", "ordinal", categories=levels) == pytest.approx(1 / 3)
    assert verdict_distance("mid", "high", "ordinal") == 1.0  # words without levels are nominal
    assert verdict_distance(True, True, "ordinal") == 0.0


def test_only_pairs_of_different_judges_disagree() -> None:
    votes = [("a", 5), ("a", 3), ("b", 4), ("c", None)]
    # a with b twice, at |5 - 4| / 4 and |3 - 4| / 4; a with itself and c do not count
    assert disagreement(votes, "interval", span=4) == pytest.approx(0.25)
    assert disagreement(votes[:2], "interval", span=4) == pytest.approx(0.5)  # a alone: 2 / 4
    assert math.isnan(disagreement([("a", 5), ("c", None)]))


# What one case adds to a number


def test_one_case_counts_as_in_the_number_over_all() -> None:
    grades = [5, 4, 3, 2, 0]
    assert sum(map(covers, grades)) / 5 == ddx_coverage(grades).value == 2 / 5
    assert choice_is_right(["B", "A"], ["A", "B"])  # the order does not matter
    assert not choice_is_right(["A"], ["A", "B"]) and not choice_is_right((), ["A"])
    assert choice_shares(["B", "B", "A"], ["A", "B", "C"]) == [1 / 3, 2 / 3, 0.0]
    with pytest.raises(UsageError, match="no choice"):
        choice_shares([], ["A"])


# The leaderboard that the authors of MediConfusion print: set accuracy and confusion in percent.
LEADERBOARD = [
    (29.55, 61.93), (24.43, 70.52), (19.89, 58.52), (18.75, 75.00), (15.91, 77.19), (15.34, 78.41),
    (12.50, 80.35), (9.66, 86.21), (9.09, 85.80), (8.52, 84.09), (6.82, 86.93), (6.82, 85.80),
    (5.68, 85.80), (4.55, 92.05), (1.14, 97.16),
]  # fmt: skip


@pytest.mark.parametrize(("set_accuracy", "confusion"), LEADERBOARD)
def test_published_set_accuracy_and_confusion_come_out_of_counts_of_176_pairs(
    set_accuracy: float, confusion: float
) -> None:
    # Set accuracy is over all pairs: 29.55 % is 52 of 176. Confusion is over the valid ones:
    # 70.52 % is no number of 176 (124 give 70.45, 125 give 71.02) and 122 of 173.
    right = round(set_accuracy * 176 / 100)
    valid, same = next(
        (valid, same)
        for valid in range(176, 0, -1)
        for same in [round(confusion * valid / 100)]
        if round(100 * same / valid, 2) == confusion
    )
    both: Pair = (("A", "A"), ("B", "B"))
    confused: Pair = (("A", "A"), ("B", "A"))
    neither: Pair = (("A", "B"), ("B", "A"))
    invalid: Pair = (("A", None), ("B", "A"))
    pairs = [both] * right + [confused] * same + [neither] * (valid - right - same)
    pairs += [invalid] * (176 - valid)
    scores = pair_scores(pairs)
    assert len(pairs) == 176 and scores.valid_pairs == valid
    assert round(100 * scores.set, 2) == set_accuracy
    assert round(100 * scores.confusion, 2) == confusion
    # Twice the right pairs and the confused ones are the right items, if all answers are valid.
    assert 2 * right + same == round(scores.individual * 352)


def test_one_published_row_of_mediconfusion_fits_no_counts() -> None:
    # 4.55 % are 8 right pairs, which are not confused; so 98.30 % of v pairs are at most v - 8.
    # That needs 8 <= 0.01705 v, so 470 valid pairs, and there are 176.
    assert not any(
        round(100 * same / valid, 2) == 98.30
        for valid in range(8, 177)
        for same in range(valid - 8 + 1)
    )
