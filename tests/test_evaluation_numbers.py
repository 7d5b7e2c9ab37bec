"""Measures and numbers against the scoring functions and by hand."""

import doctest
import random
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.evaluation import cells
from dxjudge.evaluation.measures.measure import Measure, Score, Units, mean_measure
from dxjudge.evaluation.measures.numbers import numbers_of
from dxjudge.evaluation.measures.standings import differences_of, rank_shift, ranks_of
from dxjudge.evaluation.pages import marked, words
from dxjudge.evaluation.report import latex
from dxjudge.ontology.tree import load_tree
from dxjudge.scoring.bootstrap import Plan
from dxjudge.scoring.hierarchical import counts_by_model, hierarchical_scores
from dxjudge.scoring.means import mean_interval
from dxjudge.scoring.ratios import ratio_of_sums
from dxjudge.scoring.shares import FAILED, share

PLAN = Plan(resamples=200, seed=3)


def units(count: int) -> Units:
    groups = tuple(("odd",) if n % 2 else ("even",) for n in range(count))
    return Units(tuple(map(str, range(count))), {"half": groups})


def measure(values: list[float | None], model: str = "m", higher_is_better: bool = True) -> Measure:
    scores = [Score(v, "failed" if v is None else "done") for v in values]
    return mean_measure("right", model, "j", scores, higher_is_better=higher_is_better)


verdicts = st.lists(st.sampled_from([1.0, 0.0, None]), min_size=1, max_size=30)


@given(verdicts)
def test_a_mean_of_verdicts_is_the_share_with_its_bounds(values: list[float | None]) -> None:
    whole = share([None if v is None else bool(v) for v in values])
    (found,) = [
        n for n in numbers_of([measure(values)], Units(tuple(map(str, range(len(values))))), PLAN)
    ]
    assert found.value == pytest.approx(whole.value, nan_ok=True)
    assert (found.worst, found.best) == pytest.approx(whole.bounds)
    assert (found.n, found.failed) == (len(values), whole.unresolved)


@given(verdicts, st.booleans())
def test_a_number_lies_within_its_bounds(values: list[float | None], higher: bool) -> None:
    made = measure(values, higher_is_better=higher)
    everything = np.ones(len(values), dtype=bool)
    low, high = made.bounds(everything)
    sums = everything[None, :].astype(float)
    value = ratio_of_sums(sums @ made.numerator, sums @ made.denominator, made.combine)[0]
    assert np.isnan(value) or low - 1e-12 <= value <= high + 1e-12


def test_the_interval_is_that_of_the_scoring_core() -> None:
    values: list[float | None] = [float(n % 3 == 0) for n in range(40)]
    found = numbers_of([measure(values)], Units(tuple(map(str, range(40)))), PLAN)[0]
    expected = mean_interval([v == 1.0 for v in values], plan=PLAN)
    assert (found.value, found.low, found.high) == (
        expected.estimate, expected.low, expected.high
    )  # fmt: skip


@pytest.mark.parametrize("shift", [-0.5, 0.02, 0.98])
def test_a_clipped_mean_has_the_limits_of_the_mean_clipped(shift: float) -> None:
    # Clipped resamples pile up at an end of the scale, and their limits are too narrow.
    values = (np.linspace(-0.4, 0.4, 60) ** 3 * 10 + shift).tolist()
    clipped = replace(measure(values), combine="clipped")
    over = Units(tuple(map(str, range(60))))
    found, mean = (numbers_of([one], over, PLAN)[0] for one in (clipped, measure(values)))
    assert mean.low < mean.value < mean.high
    whole = [min(max(end, 0.0), 1.0) for end in (mean.value, mean.low, mean.high)]
    assert [found.value, found.low, found.high] == whole


def test_a_group_has_the_number_of_its_units_alone() -> None:
    values: list[float | None] = [1.0, 0.0, 1.0, None, 1.0, 1.0, 0.0]
    found = {n.group: n for n in numbers_of([measure(values)], units(7), PLAN)}
    assert found["even"].value == 3 / 4  # places 0, 2, 4, 6
    assert found["odd"].value == 1 / 2  # places 1, 5; place 3 has no verdict
    assert (found["odd"].worst, found["odd"].best) == (1 / 3, 2 / 3)
    assert (found["odd"].n, found["odd"].failed, found["even"].failed) == (3, 1, 0)
    assert "too few" in found["odd"].warning and np.isnan(found["odd"].low)


def test_the_harmonic_mean_is_of_the_means_and_agrees_with_the_core() -> None:
    tree = load_tree()
    codes = [node.code for node in tree.nodes if node.kind == "category"][::37]
    rng = random.Random(1)
    truth = [rng.sample(codes, 3) for _ in range(25)]
    predicted = [
        FAILED if n % 9 == 4 else [rng.choice(codes), *case[: n % 3]]
        for n, case in enumerate(truth)
    ]
    counted = counts_by_model(truth, {"m": predicted}, tree)["m"]
    precision, recall, _ = (part[:, 0, 0] for part in counted.ratios())
    known = ~np.isnan(recall)
    columns = np.nan_to_num(np.column_stack([precision, recall]))
    made = Measure(
        "hdf1", "m", "", columns, np.column_stack([known, known]) * 1.0, ~known,
        tuple("done" if each else "failed" for each in known),
        (0.0, 0.0), (1.0, 1.0), (1.0, 1.0), combine="harmonic",
    )  # fmt: skip
    found = numbers_of([made], Units(tuple(map(str, range(25)))), PLAN)[0]
    expected = hierarchical_scores(truth, predicted, tree)
    assert found.value == pytest.approx(expected.f1)
    assert (found.worst, found.best) == pytest.approx(expected.bounds)
    assert found.failed == len(expected.failed) == 3


def test_differences_are_paired_and_antisymmetric() -> None:
    rng = random.Random(2)
    easy = [rng.random() < 0.5 for _ in range(60)]
    first: list[float | None] = [float(one) for one in easy]
    second: list[float | None] = [float(one and n % 10 != 0) for n, one in enumerate(easy)]
    (gap,) = differences_of([measure(first, "a"), measure(second, "b")], units(60), PLAN)
    (other,) = differences_of([measure(second, "b"), measure(first, "a")], units(60), PLAN)
    lost = sum(easy[::10])
    assert gap.value == pytest.approx(lost / 60) == pytest.approx(-other.value)
    # Bonett and Price, 3 and 0 of 60: a = 4/62, b = 1/62; a - b = 0.0484, and 1.96 times
    # sqrt((5/62 - (3/62)^2) / 62) = 0.0697.
    assert lost == 3
    assert (gap.low, gap.high) == pytest.approx((0.0484 - 0.0697, 0.0484 + 0.0697), abs=1e-4)
    assert len(differences_of([measure(first, "a"), measure(second, "b")], units(60), PLAN,
                              grouped=["right"])) == 3  # fmt: skip


def test_lower_is_better_is_ranked_from_below_and_ties_share() -> None:
    table = [
        measure([0.0, 1.0], "a", higher_is_better=False),
        measure([0.0, 0.0], "b", higher_is_better=False),
        measure([1.0, 0.0], "c", higher_is_better=False),
        measure([None, None], "d", higher_is_better=False),
    ]
    found = ranks_of(table, Units(("0", "1")))
    assert {rank.model: rank.rank for rank in found} == {"a": 2, "b": 1, "c": 2, "d": None}
    assert [rank.reason for rank in found] == ["", "", "", "no unit is resolved: 2 failed"]


def test_rank_change_is_over_the_models_that_have_both_scores() -> None:
    def named(metric: str, model: str, judge: str, value: float | None) -> Measure:
        score = Score(value, "done" if value is not None else "failed")
        return mean_measure(metric, model, judge, [score] * 12)

    table = [
        named("flat", "a", "j", 0.9), named("flat", "b", "j", 0.8), named("flat", "c", "j", None),
        named("tree", "a", "", 0.1), named("tree", "b", "", 0.3), named("tree", "c", "", 0.9),
    ]  # fmt: skip
    places = ranks_of(table, Units(tuple(map(str, range(12)))))
    shifts = rank_shift(places, "flat", "tree")
    assert {s.model: (s.before, s.after, s.change) for s in shifts["j"]} == {
        "b": (2, 1, 1), "a": (1, 2, -1)
    }  # fmt: skip


@pytest.mark.parametrize("module", [cells, latex, marked, words])
def test_the_examples_in_docstrings_hold(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted and not found.failed
