"""Hierarchical scores: published rows, hand-made sets, a slow second implementation, bounds."""

import math
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxjudge.errors import UnknownCode, UsageError
from dxjudge.ontology.tree import Kind, Node, Tree, load_tree
from dxjudge.scoring.hierarchical import augment, counts_by_model, hierarchical_scores
from dxjudge.scoring.missed import deepest_shared, misses
from dxjudge.scoring.shares import FAILED

TREE = load_tree()
LUNG = ["J40", "C34", "A15", "J47", "J81.0"]


def per_case(truth: list[Any], predicted: list[Any], **options: Any) -> float:
    return hierarchical_scores([truth], [predicted], TREE, **options).per_case[0]


@pytest.mark.parametrize(
    ("truth", "predicted", "expected"),
    [
        # Truth 13 nodes, prediction 16, shared J47, J40-J4A and the chapter: 6 / 29.
        (LUNG, ["J47", "R04.89", "J44.9", "I26", "J16.8"], 0.2069),
        # Prediction 15 nodes, shared 8: 16 / 28.
        (LUNG, ["J18", "J40", "A15-A19", "I26", "C34.90"], 0.5714),
        # 18 and 15 nodes, shared the chapters of I21 and M34: 4 / 33.
        (
            ["I21", "M34", "D64.9", "C34", "G24.02"],
            ["M79.7", "I10-I1A", "M45", "M54.12", "M26.6"],
            0.1212,
        ),
    ],
)
def test_published_rows_come_out_to_four_decimals(
    truth: list[str], predicted: list[str], expected: float
) -> None:
    assert round(per_case(truth, predicted), 4) == expected


def test_augment_adds_every_ancestor_and_keeps_block_and_category_apart() -> None:
    assert augment(["G24.02"], TREE) == {
        Node("subcategory", "G24.02"),
        Node("subcategory", "G24.0"),
        Node("category", "G24"),
        Node("block", "G20-G26"),
        TREE.chapter("G24"),
    }
    hiv = augment(["B20"], TREE)
    assert {node.kind for node in hiv} == {"category", "block", "chapter"}
    assert len(hiv) == 3


def test_augment_reads_one_code_lists_of_codes_and_any_spelling() -> None:
    both = augment([["J17", "J18"]], TREE)
    assert both == augment(["j17", " J18 "], TREE)
    assert augment("g2402", TREE) == augment(["G24.02"], TREE)
    assert augment([None, [], "", "J17", ["J18", None]], TREE) == both
    assert augment([], TREE) == frozenset()
    assert augment(Node("block", "B20"), TREE) == augment(["B20"], TREE) - {Node("category", "B20")}
    with pytest.raises(UnknownCode):
        augment(["J99.99"], TREE)


def test_f1_is_the_harmonic_mean_of_the_means() -> None:
    # Case 1: truth J47 = {J47, J40-J4A, ch.10}, prediction the same: P 1, R 1.
    # Case 2: truth J47 (3 nodes), prediction J47 and I26 (6 nodes): P 3/6, R 1.
    # Case 3: truth J47, prediction C34: P 0, R 0.
    scores = hierarchical_scores([["J47"]] * 3, [["J47"], ["J47", "I26"], ["C34"]], TREE)
    assert scores.precision == pytest.approx((1 + 0.5 + 0) / 3)
    assert scores.recall == pytest.approx(2 / 3)
    assert scores.f1 == pytest.approx(2 * 0.5 * (2 / 3) / (0.5 + 2 / 3))  # 0.5714
    # Per case: 1, 2*3/(3+6) = 2/3, 0; their mean 0.5556 is another number.
    assert scores.per_case == pytest.approx([1, 2 / 3, 0])
    assert scores.f1 != pytest.approx(sum(scores.per_case) / 3)


def test_an_empty_prediction_has_precision_and_recall_zero() -> None:
    scores = hierarchical_scores([["J47"], ["J47"]], [[], ["J47"]], TREE)
    assert (scores.precision, scores.recall, scores.f1) == (0.5, 0.5, 0.5)
    assert scores.per_case == (0, 1)
    assert hierarchical_scores([["J47"]], [[]], TREE).f1 == 0


def test_several_codes_for_one_diagnosis_count_as_their_union() -> None:
    together = hierarchical_scores([[["J17", "J18"]]], [["J18"]], TREE)
    apart = hierarchical_scores([["J17", "J18"]], [["J18"]], TREE)
    # Truth {J17, J18, J09-J18, ch}, prediction {J18, J09-J18, ch}: P 1, R 3/4.
    assert together.recall == apart.recall == 0.75
    assert together.precision == 1


def test_levels_keep_the_nodes_of_one_level() -> None:
    truth, predicted = ["J40", "C34.90"], ["J47", "C34.11"]
    # Chapters {10, 2} both; blocks both; categories {J40, C34} and {J47, C34}: 1/2;
    # subcategories {C34.9, C34.90} and {C34.1, C34.11}: none shared.
    assert per_case(truth, predicted, level="chapter") == 1
    assert per_case(truth, predicted, level="block") == 1
    assert per_case(truth, predicted, level="category") == 0.5
    assert per_case(truth, predicted, level="subcategory") == 0
    # {G24.0, G24.02} and {G24.0, G24.01}: 2 / 4, each depth below category its own node.
    assert per_case(["G24.02"], ["G24.01"], level="subcategory") == 0.5


def test_cases_whose_truth_has_no_node_on_the_level_are_left_out() -> None:
    truth, predicted = [["J40"], ["G24.02"]], [["J44.9"], ["G24.02"]]
    scores = hierarchical_scores(truth, predicted, TREE, level="subcategory")
    assert (scores.precision, scores.recall, scores.n) == (1, 1, 1)
    assert math.isnan(scores.per_case[0])
    assert scores.per_case[1] == 1
    assert scores.left_out == (0,)
    nothing = hierarchical_scores([["J40"]], [["J44.9"]], TREE, level="subcategory")
    assert nothing.n == 0
    assert math.isnan(nothing.f1)


def test_a_chapter_cuts_both_sides_and_keeps_cases_with_a_true_code_in_it() -> None:
    truth = [["J40", "C34"], ["I21"]]
    predicted = [["J47", "I26"], ["J40"]]
    scores = hierarchical_scores(truth, predicted, TREE, chapter=TREE.chapter("J40"))
    # Case 1 in chapter 10: truth {J40, block, ch}, prediction {J47, block, ch}: 2/3 each.
    assert scores.precision == scores.recall == pytest.approx(2 / 3)
    assert scores.left_out == (1,)
    assert scores.n == 1
    assert hierarchical_scores(truth, predicted, TREE, chapter="X").f1 == scores.f1
    cut = hierarchical_scores([["J40"]], [["I26"]], TREE, chapter="X")
    assert (cut.precision, cut.recall, cut.f1) == (0, 0, 0)
    on_level = hierarchical_scores(truth, predicted, TREE, chapter="X", level="block")
    assert on_level.f1 == 1


def test_codes_may_be_blocks_and_chapters() -> None:
    assert per_case(["A15-A19"], ["A15"]) == pytest.approx(2 * 2 / (2 + 3))
    chapter = TREE.chapter("A15").code
    assert per_case([chapter], ["A15-A19"]) == pytest.approx(2 * 1 / (1 + 2))


def test_unmapped_predictions_are_listed_and_ignored_or_penalised() -> None:
    truth, predicted = [["J47"]], [["J47", None, [], "", "no such code", ["J47", "Q0Q.0"]]]
    ignored = hierarchical_scores(truth, predicted, TREE)
    assert ignored.precision == 1
    assert [(one.position, one.codes) for one in ignored.unmapped] == [
        (1, ()),
        (2, ()),
        (3, ()),
        (4, ("no such code",)),
        (5, ("Q0Q.0",)),
    ]
    # Three nodes for J47 and one for each of the five: 3 / 8; recall stays.
    penalised = hierarchical_scores(truth, predicted, TREE, unmapped="penalise")
    assert penalised.precision == pytest.approx(3 / 8)
    assert penalised.recall == 1
    assert penalised.per_case[0] == pytest.approx(2 * 3 / (3 + 8))
    # On one level the mapped side has one node: 1 / 6. In a chapter they are cut away.
    level = hierarchical_scores(truth, predicted, TREE, unmapped="penalise", level="block")
    assert level.precision == pytest.approx(1 / 6)
    inside = hierarchical_scores(truth, predicted, TREE, unmapped="penalise", chapter="X")
    assert inside.precision == 1


def test_an_all_unmapped_prediction_is_an_empty_one() -> None:
    for policy in ("ignore", "penalise"):
        scores = hierarchical_scores([["J47"]], [[None]], TREE, unmapped=policy)
        assert (scores.precision, scores.recall, len(scores.unmapped)) == (0, 0, 1)


def test_failed_cases_are_left_out_and_bounded() -> None:
    scores = hierarchical_scores([["J47"]] * 4, [["J47"], ["J47"], ["C34"], FAILED], TREE)
    assert scores.f1 == pytest.approx(2 / 3)
    assert scores.failed == (3,)
    assert scores.n == 3
    assert scores.bounds == pytest.approx((2 / 4, 3 / 4))
    assert math.isnan(scores.per_case[3])


def test_a_true_diagnosis_without_a_code_is_listed_and_a_case_without_truth_left_out() -> None:
    scores = hierarchical_scores([["J47", None], []], [["J47"], ["J47"]], TREE)
    assert scores.f1 == 1
    assert [(one.case, one.position) for one in scores.unmapped_truth] == [(0, 1)]
    assert scores.left_out == (1,)


def test_bad_input_is_named() -> None:
    with pytest.raises(UnknownCode, match="truth, case 1, diagnosis 0.*J99.99"):
        hierarchical_scores([["J47"], ["J99.99"]], [["J47"], ["J47"]], TREE)
    with pytest.raises(UsageError, match="1 true cases but 2"):
        hierarchical_scores([["J47"]], [["J47"], []], TREE)
    with pytest.raises(UsageError, match="predicted, case 0: 'J47' is not a list"):
        hierarchical_scores([["J47"]], ["J47"], TREE)
    with pytest.raises(UsageError, match="level is 'leaf'"):
        hierarchical_scores([["J47"]], [["J47"]], TREE, level="leaf")
    with pytest.raises(UsageError, match="not a chapter"):
        hierarchical_scores([["J47"]], [["J47"]], TREE, chapter="J40-J4A")
    with pytest.raises(UsageError, match="unmapped is"):
        hierarchical_scores([["J47"]], [["J47"]], TREE, unmapped="drop")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="there is no truth"):
        hierarchical_scores([FAILED], [["J47"]], TREE)
    with pytest.raises(UsageError, match="3 is not a code"):
        hierarchical_scores([["J47"]], [[3]], TREE)  # type: ignore[list-item]


def test_no_case_has_no_score() -> None:
    scores = hierarchical_scores([], [], TREE)
    assert math.isnan(scores.precision)
    assert math.isnan(scores.f1)
    assert scores.per_case == ()


def test_misses_carry_the_deepest_level_still_right() -> None:
    found = misses(
        [["G24.02", "J40", "C34", ["J17", "J18"]]], [["G24.01", "J47", "I26", "J18.9", "bad"]], TREE
    )
    assert [(one.position, one.codes, one.level) for one in found] == [
        (0, ("G24.02",), "subcategory"),  # G24.0 is shared
        (1, ("J40",), "block"),
        (2, ("C34",), None),
    ]
    assert found[0].shared == Node("subcategory", "G24.0")
    assert misses([["J44"]], [["J44.9"]], TREE) == ()  # a code below is a hit
    assert deepest_shared("J40", "J47", TREE) == Node("block", "J40-J4A")


# A second implementation, from the definition alone: paths by hand, sets, fractions by case.


def slow_nodes(diagnoses: Sequence[Any], tree: Tree) -> set[tuple[str, str]]:
    nodes: set[tuple[str, str]] = set()
    for diagnosis in diagnoses:
        for code in [diagnosis] if isinstance(diagnosis, str) else diagnosis or []:
            step: Node | None = tree.node(code)
            while step is not None:
                nodes.add((step.kind, step.code))
                step = tree.parent(step)
    return nodes


def slow_scores(
    truth: list[Any],
    predicted: list[Any],
    level: Kind | None,
    chapter: Node | None,
    penalise: bool,
) -> tuple[float, float, float]:
    precisions, recalls = [], []
    for true_case, predicted_case in zip(truth, predicted, strict=True):
        sides = []
        for case in (true_case, predicted_case):
            nodes = slow_nodes([one for one in case if one], TREE)
            if level:
                nodes = {node for node in nodes if node[0] == level}
            if chapter:
                nodes = {node for node in nodes if TREE.chapter(Node(*node)) == chapter}
            sides.append(nodes)
        c, p = sides
        if not c:
            continue
        extra = sum(not one for one in predicted_case) if penalise and not chapter else 0
        size = len(p) + extra
        precisions.append(len(c & p) / size if size else 0)
        recalls.append(len(c & p) / len(c))
    if not recalls:
        return math.nan, math.nan, math.nan
    hdp, hdr = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return hdp, hdr, 2 * hdp * hdr / (hdp + hdr) if hdp + hdr else 0


POOL = [node.code for node in random.Random(5).sample(TREE.nodes, 400) if node.kind != "block"]
POOL += ["A15-A19", "J40-J4A", "J47", "J40", "J44.9", "J18", "C34.90", "C34", "B20", "Z21"] * 4
code = st.sampled_from(POOL)
diagnosis = st.one_of(code, st.lists(code, min_size=2, max_size=3))
case = st.lists(diagnosis, min_size=1, max_size=5)
guesses = st.lists(st.one_of(diagnosis, st.none()), max_size=6)


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.tuples(case, guesses), min_size=1, max_size=6),
    st.sampled_from([None, "chapter", "block", "category", "subcategory"]),
    st.sampled_from([None, "X", "II", "I"]),
    st.booleans(),
)
def test_equals_a_slow_implementation_on_every_level_and_chapter(
    cases: list[tuple[Any, Any]], level: Kind | None, chapter: str | None, penalise: bool
) -> None:
    truth, predicted = [one[0] for one in cases], [one[1] for one in cases]
    scores = hierarchical_scores(
        truth,
        predicted,
        TREE,
        level=level,
        chapter=chapter,
        unmapped="penalise" if penalise else "ignore",
    )
    node = TREE.node(chapter) if chapter else None
    slow = slow_scores(truth, predicted, level, node, penalise)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx(slow, nan_ok=True)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(case, guesses), min_size=1, max_size=5), st.randoms())
def test_bounds_and_order_of_cases_and_diagnoses_do_not_matter(
    cases: list[tuple[Any, Any]], rng: random.Random
) -> None:
    def run(pairs: list[tuple[Any, Any]]) -> Any:
        return hierarchical_scores([t for t, _ in pairs], [p for _, p in pairs], TREE)

    scores = run(cases)
    for value in (scores.precision, scores.recall, scores.f1, *scores.per_case):
        assert 0 <= value <= 1
    assert scores.f1 <= (scores.precision + scores.recall) / 2 + 1e-12
    shuffled = [(rng.sample(t, len(t)), rng.sample(p, len(p)) * 2) for t, p in cases]
    rng.shuffle(shuffled)
    again = run(shuffled)
    assert (again.precision, again.recall, again.f1) == pytest.approx(
        (scores.precision, scores.recall, scores.f1)
    )
    assert sorted(again.per_case) == pytest.approx(sorted(scores.per_case))


@settings(max_examples=60, deadline=None)
@given(st.lists(case, min_size=1, max_size=5))
def test_the_truth_itself_scores_one_on_every_level(cases: list[Any]) -> None:
    counts = counts_by_model(cases, {"m": cases}, TREE)["m"]
    assert (counts.overlap == counts.truth).all()
    assert (counts.predicted == counts.truth).all()
    assert hierarchical_scores(cases, cases, TREE).f1 == 1


def test_more_wrong_predictions_never_raise_and_more_noise_lowers_the_score() -> None:
    rng = random.Random(11)
    truth = [rng.sample(POOL, 4) for _ in range(60)]
    last = 1.0
    for wrong in range(1, 5):  # replace 1..4 of the 4 true codes
        noisy = [case[wrong:] + rng.sample(POOL, wrong) for case in truth]
        score = hierarchical_scores(truth, noisy, TREE).f1
        assert score < last
        last = score
    for true_case in truth[:20]:
        base, extra = true_case[:2], rng.sample(POOL, 2)
        before = hierarchical_scores([true_case], [base], TREE)
        outside = [code for code in extra if not augment([code], TREE) & augment(true_case, TREE)]
        after = hierarchical_scores([true_case], [[*base, *outside]], TREE)
        assert after.precision <= before.precision
        assert after.recall == before.recall
