"""Gaps between subgroups: by hand, in whole evaluations, and how often their limits are right."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dxjudge
from dxjudge.errors import UsageError
from dxjudge.evaluation.measures.group_gaps import GroupGap, group_gaps_of
from dxjudge.evaluation.measures.measure import Units
from dxjudge.scoring import Plan, subgroup_gap

from .test_trusted_numbers import measure

PLAN = Plan(resamples=400)


def grouped(groups: Sequence[str]) -> Units:
    ids = tuple(f"{n:04}" for n in range(len(groups)))
    return Units(ids, {"ward": tuple((group,) for group in groups)})


def gap_of(
    values: Sequence[float | None], groups: Sequence[str], plan: Plan = PLAN, lower: bool = False
) -> GroupGap:
    one = measure("a", values)
    if lower:
        one = one.__class__(**{**vars(one), "higher_is_better": False})
    (gap,) = group_gaps_of([one], grouped(groups), plan)
    return gap


def test_the_gap_by_hand() -> None:
    # Two groups; noise of the first minus the second: +.2 +.2 -.2 -.2, standard deviation .2.
    x = [0.9, 0.5]
    noise = np.array([[0.1, -0.1], [0.1, -0.1], [-0.1, 0.1], [-0.1, 0.1]])
    gap = subgroup_gap(x, noise + x)
    assert (gap.largest, gap.smallest) == (0, 1)
    assert gap.value == pytest.approx(0.4)
    # max |noise| / s = .2 / .2 = 1 in every resample: the limits are .4 - .2 and .4 + .2.
    assert [gap.low, gap.high] == pytest.approx([0.2, 0.6])
    # max e - min e is .2 in every resample.
    assert gap.by_chance == pytest.approx(0.2)
    # max x* - min x* = .6 .6 .2 .2, mean .4: no bias is left to correct.
    assert gap.corrected == pytest.approx(0.4)
    # .4 / .2 = 2 is above all four: p = (1 + 0) / (1 + 4).
    assert gap.p_value == pytest.approx(0.2)


def test_equal_groups_have_a_gap_by_chance_that_the_correction_lowers() -> None:
    # The noise of equal groups: max x* - min x* = .2 always, and the measured gap is .1.
    x = [0.5, 0.6]
    noise = np.array([[0.05, -0.05], [-0.15, 0.15]])
    gap = subgroup_gap(x, noise + x)
    # x* = .55 .55 and .35 .75: gaps 0 and .4, mean .2; 2 x .1 - .2 = 0
    assert gap.corrected == pytest.approx(0.0)
    assert gap.low == 0.0


def test_what_is_not_a_gap_is_refused() -> None:
    with pytest.raises(UsageError, match="two groups"):
        subgroup_gap([0.5], np.zeros((3, 1)))
    assert math.isnan(subgroup_gap([0.5, 0.6], np.full((3, 2), np.nan)).low)


def test_the_worst_group_is_named_and_small_groups_stay_out_by_name() -> None:
    # a: 18 of 20, b: 10 of 20, c: 0 of 3, too few to compare.
    values = [1.0] * 18 + [0.0] * 2 + [1.0] * 10 + [0.0] * 10 + [0.0] * 3
    groups = ["a"] * 20 + ["b"] * 20 + ["c"] * 3
    gap = gap_of(values, groups)
    assert (gap.worst, gap.worst_value, gap.worst_n) == ("b", 0.5, 20)
    assert (gap.best, gap.best_value, gap.best_n) == ("a", 0.9, 20)
    assert gap.value == pytest.approx(0.4)
    assert (gap.groups, gap.too_few, gap.tests) == (2, "c (3)", 1)
    assert gap.low < gap.corrected <= gap.value < gap.high
    other = gap_of(values, groups, lower=True)
    assert (other.worst, other.best) == ("a", "b")
    assert other.value == pytest.approx(0.4)


def test_two_groups_with_cases_enough_are_needed() -> None:
    gap = gap_of([1.0] * 12 + [0.0] * 3, ["a"] * 12 + ["b"] * 3)
    assert math.isnan(gap.value)
    assert (gap.worst, gap.too_few) == ("", "b (3)")
    assert gap.warning == "fewer than two groups have 10 cases or more"


def test_groups_without_any_spread_still_have_limits() -> None:
    # 12 of 12 against 0 of 12: no resample differs, yet the true gap may be below 1.
    gap = gap_of([1.0] * 12 + [0.0] * 12, ["a"] * 12 + ["b"] * 12)
    assert gap.value == gap.high == 1.0
    assert gap.p_value < 0.05


def test_unresolved_cases_are_counted() -> None:
    values: list[float | None] = [1.0] * 15 + [None] * 5 + [0.0, 1.0] * 10
    gap = gap_of(values, ["a"] * 20 + ["b"] * 20)
    assert (gap.failed, gap.best_n, gap.worst_n) == (5, 15, 20)


@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(random: Any) -> None:
    values = [1.0, 0.0, 1.0, 1.0] * 10
    groups = ["a", "b"] * 20
    plan = Plan(resamples=50)
    ids = [f"{n:04}" for n in range(40)]
    places = list(range(40))
    random.shuffle(places)
    shuffled = Units(
        tuple(ids[at] for at in places), {"ward": tuple((groups[at],) for at in places)}
    )
    (other,) = group_gaps_of([measure("a", [values[at] for at in places])], shuffled, plan)
    assert other == gap_of(values, groups, plan)


def test_limits_hold_where_groups_are_equal_and_where_they_differ() -> None:
    # 60 data sets each; binomial: 95 % of 60 is 57 with a standard error of 1.7.
    for rates in ([0.7] * 5, [0.9, 0.7, 0.7, 0.7, 0.5]):
        true, held, raw, corrected = max(rates) - min(rates), 0, 0.0, 0.0
        for seed in range(60):
            rng = np.random.default_rng(seed)
            groups = [name for name in "abcde" for _ in range(40)]
            values = [float(v) for rate in rates for v in rng.random(40) < rate]
            gap = gap_of(values, groups, Plan(resamples=200))
            held += gap.low <= true <= gap.high
            raw += (gap.value - true) / 60
            corrected += (gap.corrected - true) / 60
        assert held >= 54
        assert raw > 0
        if not true:
            # The bias is about .15 here; the correction removes a part of it, not all.
            assert corrected < 0.75 * raw


def test_an_evaluation_has_the_table_and_the_report_names_the_worst_group(tmp_path: Path) -> None:
    cases = [
        {"id": f"c{n:02}", "question": "Which?", "A": "x", "B": "y", "answer": "A",
         "ward": "east" if n % 2 else "west"}
        for n in range(40)
    ]  # fmt: skip
    answers = {
        model: [{"id": case["id"], "answered": "A" if n % 2 or n % divisor == 0 else "B"}
                for n, case in enumerate(cases)]
        for model, divisor in (("m", 4), ("k", 8))
    }  # fmt: skip
    result = dxjudge.evaluate(cases, answers, preset="choice", groups=["ward"], resamples=200)
    rows = {row["model"]: row for row in result.table("group_gaps").to_dict("records")}
    # m: east 20 of 20, west 10 of 20; k: west 5 of 20.
    assert (rows["m"]["worst"], rows["m"]["value"]) == ("west", 0.5)
    assert (rows["k"]["worst"], rows["k"]["value"]) == ("west", 0.75)
    assert {row["tests"] for row in rows.values()} == {2}
    shown = result._repr_html_()
    assert "Gaps between groups, 2 of 2" in shown and "<td>west 0.500</td>" in shown
    folder = result.write(tmp_path)
    assert (folder / "group_gaps.csv").exists()
    page = (folder / "report.html").read_text()
    assert "Gaps between groups" in page
    assert "the gap that chance alone would give" in page
