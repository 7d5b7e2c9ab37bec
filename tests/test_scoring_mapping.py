"""Mapping quality against a gold table, and the cascade of many models."""

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest

from dxjudge.errors import UnknownCode, UsageError
from dxjudge.ontology.tree import Node, load_tree
from dxjudge.scoring.bootstrap import Plan
from dxjudge.scoring.cascade import compare_models, model_differences
from dxjudge.scoring.gold_table import mapping_quality
from dxjudge.scoring.hierarchical import counts_by_model, hierarchical_scores
from dxjudge.scoring.shares import FAILED

TREE = load_tree()


def test_mapping_quality_by_hand() -> None:
    gold = [["J47"], ["J44.9", "J44.1"], ["C34"], ["I21"], ["G24.02"]]
    found: list[Any] = [
        ["J47", "J40"],  # hit
        ["J44.0", "j449"],  # category right, hit at 2
        ["J40"],  # nothing right
        [],  # did not map
        FAILED,
    ]
    quality = mapping_quality(gold, found, TREE, ks=(1, 2))
    assert [quality.hits[k].value for k in (1, 2)] == [1 / 4, 2 / 4]
    assert quality.hits[1].bounds == (1 / 5, 2 / 5)
    assert quality.same_category.value == 2 / 4
    assert (quality.n, quality.unmapped, quality.failed) == (5, 1, 1)
    # HDF1 at 1: P (1, 3/4, 0, 0), R (1, 3/4, 0, 0): J44.0 against J44.1 (or .9) shares 3 of 4.
    assert quality.hierarchical_f1 == pytest.approx(1.75 / 4)
    assert [(miss.row, miss.found, miss.level) for miss in quality.misses] == [
        (1, "J44.0", "category"),
        (2, "J40", None),
        (3, None, None),
    ]
    assert quality.misses[0].accepted == ("J44.1", "J44.9")
    assert quality.misses[0].shared == Node("category", "J44")


def test_a_blocks_category_is_none_of_its_own() -> None:
    quality = mapping_quality([["A15-A19"]], [["A15"]], TREE)
    assert quality.same_category.value == 0
    assert quality.misses[0].level == "block"
    assert mapping_quality([["A15"]], [["A15"]], TREE).misses == ()


def test_several_accepted_codes_are_scored_against_the_nearest() -> None:
    # C34.11 against I21 shares nothing, against C34.1: truth 4 nodes, prediction 5, shared 4.
    quality = mapping_quality([["I21", "C34.1"]], [["C34.11"]], TREE)
    assert quality.hierarchical_f1 == pytest.approx(2 * (4 / 5) * 1 / (4 / 5 + 1))


def test_hits_never_fall_with_k() -> None:
    rng = random.Random(4)
    pool = [node for node in rng.sample(TREE.nodes, 60)]
    found = [rng.sample(pool, 20) for _ in range(40)]
    gold = [[rng.choice(pool)] for _ in range(40)]
    hits = mapping_quality(gold, found, TREE, ks=range(1, 21)).hits
    values = [hits[k].value for k in range(1, 21)]
    assert values == sorted(values)
    assert values[4] == sum(g[0] in f[:5] for g, f in zip(gold, found, strict=True)) / 40


def test_intervals_stand_around_every_headline() -> None:
    rng = random.Random(4)
    pool = [node for node in rng.sample(TREE.nodes, 30)]
    found: list[Any] = [rng.sample(pool, 10) for _ in range(80)]
    found[3] = FAILED
    gold = [[rng.choice(pool)] for _ in range(80)]
    quality = mapping_quality(gold, found, TREE, ks=(1, 5), plan=Plan(resamples=300))
    expected = {
        "hit@1": quality.hits[1].value,
        "hit@5": quality.hits[5].value,
        "same_category@1": quality.same_category.value,
        "hierarchical_f1@1": quality.hierarchical_f1,
    }
    estimates = {name: one.estimate for name, one in quality.intervals.items()}
    assert estimates == pytest.approx(expected)
    assert all(one.low <= one.estimate <= one.high for one in quality.intervals.values())
    assert mapping_quality([["J47"]], [["J47"]], TREE).intervals["hit@1"].warning is not None


def test_bad_gold_is_named() -> None:
    with pytest.raises(UsageError, match="gold row 1"):
        mapping_quality([["J47"], []], [["J47"], ["J47"]], TREE)
    with pytest.raises(UsageError, match="1 gold rows but 0"):
        mapping_quality([["J47"]], [], TREE)
    with pytest.raises(UnknownCode):
        mapping_quality([["J47"]], [["Q0Q"]], TREE)


# Many models


def make_cases(n: int, seed: int = 1) -> tuple[list[Any], dict[str, list[Any]]]:
    rng = random.Random(seed)
    codes = [node.code for node in rng.sample(TREE.nodes, 60) if node.kind != "block"]
    truth = [rng.sample(codes, 3) for _ in range(n)]
    models = {
        name: [
            [code if rng.random() < skill else rng.choice([*codes, None]) for code in case]
            for case in truth
        ]
        for name, skill in (("good", 0.7), ("fair", 0.5), ("poor", 0.1))
    }
    return truth, models


def test_the_cascade_holds_the_scores_of_every_level_and_chapter() -> None:
    truth, models = make_cases(40)
    counts = counts_by_model(truth, models, TREE, unmapped="penalise")
    rows = compare_models(counts, plan=Plan(resamples=100))
    for row in random.Random(2).sample(rows, 40):
        chapter = TREE.node(row.chapter, "chapter") if row.chapter else None
        single = hierarchical_scores(
            truth,
            models[row.model],
            TREE,
            level=row.level,
            chapter=chapter,
            unmapped="penalise",
        )
        assert row.n == single.n
        assert (row.precision.estimate, row.recall.estimate, row.f1.estimate) == pytest.approx(
            (single.precision, single.recall, single.f1)
        )
    cells = [(row.model, row.level, row.chapter) for row in rows]
    assert len(set(cells)) == len(cells)
    present = {TREE.chapter(code).code for case in truth for code in case}
    assert {row.chapter for row in rows} == {None, *present}
    assert {row.level for row in rows} == {None, "chapter", "block", "category", "subcategory"}


def test_intervals_equal_a_loop_over_resampled_cases() -> None:
    truth, models = make_cases(50)
    counts = counts_by_model(truth, models, TREE)
    plan = Plan(method="percentile", resamples=2000)
    row = compare_models(counts, plan=plan)[0]
    assert (row.model, row.level, row.chapter) == ("good", None, None)
    single = hierarchical_scores(truth, models["good"], TREE)
    p, r = np.array(single.per_case_precision), np.array(single.per_case_recall)
    rng = random.Random(3)
    slow = []
    for _ in range(2000):
        drawn = [rng.randrange(50) for _ in range(50)]
        hdp, hdr = p[drawn].mean(), r[drawn].mean()
        slow.append(2 * hdp * hdr / (hdp + hdr))
    assert (row.f1.low, row.f1.high) == pytest.approx(
        tuple(np.quantile(slow, [0.025, 0.975])), abs=0.01
    )


def test_differences_between_models_are_paired_and_signed() -> None:
    truth, models = make_cases(60)
    counts = counts_by_model(truth, models, TREE)
    differences = model_differences(counts, plan=Plan(resamples=500))
    assert list(differences) == list(itertools.combinations(models, 2))
    one = differences["good", "poor"]
    scores = {name: hierarchical_scores(truth, models[name], TREE).f1 for name in models}
    assert one.interval.estimate == pytest.approx(scores["good"] - scores["poor"])
    assert one.interval.low > 0
    assert one.p_value < 0.05
    level = model_differences(counts, level="category", plan=Plan(resamples=50))
    category = [
        hierarchical_scores(truth, models[name], TREE, level="category").f1
        for name in ("good", "fair")
    ]
    assert level["good", "fair"].interval.estimate == pytest.approx(category[0] - category[1])
    with pytest.raises(UsageError, match="two models"):
        model_differences({"good": counts["good"]})


def test_models_on_different_cases_are_not_compared() -> None:
    truth, models = make_cases(20)
    other = counts_by_model(truth[::-1], {"m": models["fair"]}, TREE)["m"]
    first = counts_by_model(truth, {"m": models["good"]}, TREE)["m"]
    with pytest.raises(UsageError, match="fair and good"):
        compare_models({"good": first, "fair": other})
    with pytest.raises(UsageError, match="no model"):
        compare_models({})
    with pytest.raises(UsageError, match="good: 20 true cases but 1"):
        counts_by_model(truth, {"good": [[]]}, TREE)


def test_a_chapter_with_few_cases_has_a_score_and_no_limits() -> None:
    truth: list[Any] = [["J47"]] * 30 + [["I21"]] * 3
    guesses: list[Any] = [["J47"], ["J40"], ["I26"]] * 11
    counts = counts_by_model(truth, {"a": guesses, "b": guesses[::-1]}, TREE)
    rows = {(r.model, r.level, r.chapter): r for r in compare_models(counts)}
    heart = rows["a", None, TREE.chapter("I21").code]
    assert (heart.n, heart.f1.n) == (3, 3)
    assert heart.f1.warning == "3 cases are too few for an interval (at least 10)"
    assert math.isnan(heart.f1.low)
    lung = rows["a", None, TREE.chapter("J47").code]
    assert lung.f1.low < lung.f1.estimate < lung.f1.high
    few = model_differences(counts, chapter=TREE.chapter("I21"))["a", "b"]
    assert math.isnan(few.p_value)
    assert few.interval.n == 3


def test_failed_cases_leave_only_the_model_that_failed() -> None:
    truth, models = make_cases(30)
    broken: list[Any] = [FAILED, *models["good"][1:]]
    rows = compare_models(
        counts_by_model(truth, {"good": models["good"], "broken": broken}, TREE),
        plan=Plan(resamples=20),
    )
    by_model = {row.model: row for row in rows if row.level is None and row.chapter is None}
    assert (by_model["good"].n, by_model["broken"].n) == (30, 29)
    assert not math.isnan(by_model["broken"].f1.low)


def test_patients_with_several_cases_are_resampled_whole() -> None:
    truth, models = make_cases(30)
    once = counts_by_model(truth, {"good": models["good"]}, TREE)
    thrice = counts_by_model(truth * 3, {"good": models["good"] * 3}, TREE)
    plan = Plan(resamples=200, method="percentile")
    single = compare_models(once, plan=plan)[0]
    clustered = compare_models(thrice, clusters=list(range(30)) * 3, plan=plan)[0]
    assert (clustered.f1.low, clustered.f1.high) == pytest.approx((single.f1.low, single.f1.high))
    assert clustered.n == 90
    assert clustered.f1.n == 30
