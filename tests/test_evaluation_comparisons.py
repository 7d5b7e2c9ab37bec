"""Comparisons in a whole evaluation: corrected p-values in tables and report."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import dxjudge
from dxjudge.evaluation.measures.standings import differences_of, too_coarse
from dxjudge.scoring import Plan, benjamini_hochberg, holm

from .test_trusted_numbers import PLAN, measure, units

MODELS = {"a": 0.9, "b": 0.7, "c": 0.65, "d": 0.4}


def choices(count: int = 60) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """Cases with a question, and the answers of four models of known skill."""
    rng = np.random.default_rng(4)
    cases = [
        {"id": f"c{n:03}", "question": "Which?", "A": "x", "B": "y", "answer": "A",
         "ward": f"w{n % 3}"}
        for n in range(count)
    ]  # fmt: skip
    answers = {
        model: [{"id": c["id"], "answered": "A" if rng.random() < skill else "B"} for c in cases]
        for model, skill in MODELS.items()
    }
    return cases, answers


@pytest.fixture(scope="module")
def result() -> dxjudge.EvaluationResult:
    cases, answers = choices()
    return dxjudge.evaluate(cases, answers, preset="choice", groups=["ward"], resamples=400)


def test_the_pairs_of_models_under_one_metric_are_one_family(
    result: dxjudge.EvaluationResult,
) -> None:
    rows = result.table("differences").to_dict("records")
    families = itertools.groupby(rows, key=lambda r: (r["metric"], r["slice"], r["group"]))
    sizes = []
    for _, family in families:
        members = list(family)
        raw = [row["p_value"] for row in members]
        assert [row["p_holm"] for row in members] == holm(raw)
        assert [row["p_bh"] for row in members] == benjamini_hochberg(raw)
        assert {row["tests"] for row in members} == {6}  # 4 models: 4 x 3 / 2 pairs
        sizes.append(len(members))
    assert sizes and set(sizes) == {6}


def test_the_report_shows_the_corrections_and_names_the_family(
    result: dxjudge.EvaluationResult, tmp_path: Any
) -> None:
    page = (result.write(tmp_path) / "report.html").read_text()
    assert "p-values of all pairs of models under one metric and one judge are corrected" in page
    assert all(f'"{name}"' in page for name in ("Holm", "BH", "tests"))


def test_a_pair_without_a_p_value_is_not_in_the_family() -> None:
    # "few" resolved 5 cases, and fewer than 10 have no p-value: 1 test is left of 3.
    first, second = [1.0] * 15 + [0.0] * 5, [1.0] * 8 + [0.0] * 12
    few = [1.0] * 5 + [None] * 15
    gaps = differences_of([measure("a", first), measure("b", second), measure("few", few)],
                          units(20), PLAN)  # fmt: skip
    assert [gap.tests for gap in gaps] == [1, 1, 1]
    assert gaps[0].p_holm == gaps[0].p_bh == gaps[0].p_value < 0.05
    assert all(math.isnan(gap.p_holm) and math.isnan(gap.p_bh) for gap in gaps[1:])


def test_too_few_resamples_for_holm_are_said() -> None:
    # 22 models: 231 pairs. 2 x 231 / 2001 = 0.231 > 0.05; 2 x 231 / 0.05 - 1 = 9,239 are needed.
    gaps = differences_of([measure(f"m{n}", [1.0] * 20) for n in range(22)], units(20), PLAN)
    assert too_coarse(gaps[0].tests, Plan(resamples=2000)) == (
        "231 p-values are corrected together, and with 2,000 resamples no p-value after Holm's "
        "correction can be below 0.231; 9,239 resamples are needed for 0.05"
    )
    assert too_coarse(gaps[0].tests, Plan(resamples=9239)) == ""
    assert too_coarse(gaps[0].tests, Plan(resamples=9238)) != ""
    assert too_coarse(0, Plan(resamples=10)) == ""
