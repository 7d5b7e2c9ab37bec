"""Numbers that can be trusted: the same cases for all, edges, pairs by category, order of rows."""

import csv
import io
import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dxjudge
from dxjudge.agents.engine.run import Run
from dxjudge.evaluation.evaluate import evaluate
from dxjudge.evaluation.judges.swap_table import swap_table
from dxjudge.evaluation.judging import Panel
from dxjudge.evaluation.measures.measure import Measure, Score, Units, mean_measure
from dxjudge.evaluation.measures.numbers import numbers_of
from dxjudge.evaluation.measures.standings import differences_of, ranks_of
from dxjudge.evaluation.read import load_cases, load_responses
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.evaluation.result import Evaluation
from dxjudge.scoring import (
    Plan,
    bootstrap_many,
    mean_interval,
    paired_share_interval,
    self_preference,
    share_interval,
)

from .protocol_server import ProtocolServer

PLAN = Plan(resamples=300)


def measure(model: str, values: Sequence[float | None], metric: str = "right") -> Measure:
    scores = [Score(v, "failed" if v is None else "done") for v in values]
    return mean_measure(metric, model, "j", scores)


def units(count: int) -> Units:
    return Units(tuple(f"{n:03}" for n in range(count)))


# The same cases for all who are compared


def test_identical_answers_tie_though_one_model_lacks_the_hard_cases() -> None:
    # 36 easy cases, all right, then 36 hard ones, all wrong: "part" has no verdict on these.
    whole = [1.0] * 36 + [0.0] * 36
    part = [1.0] * 36 + [None] * 36
    table = [measure("whole", whole), measure("part", part)]
    (gap,) = differences_of(table, units(72), PLAN)
    assert (gap.value, gap.n, gap.unresolved) == (0.0, 36, 36)
    assert gap.low < 0 < gap.high and gap.p_value == 1.0
    # If the 36 were wrong both would be right on 36 of 72; they could also all be right.
    assert (gap.if_wrong, gap.lowest, gap.highest) == (0.0, -0.5, 0.0)
    places = {one.model: one for one in ranks_of(table, units(72))}
    assert {name: one.rank for name, one in places.items()} == {"whole": 1, "part": 1}
    assert {one.n for one in places.values()} == {36}
    assert places["whole"].overlaps == "part" and places["part"].overlaps == "whole"


def test_a_rank_is_over_the_cases_of_all_models_and_says_where_bounds_overlap() -> None:
    table = [
        measure("a", [1.0] * 8 + [0.0] * 2),
        measure("b", [1.0] * 4 + [None] * 6),
        measure("c", [0.0] * 10),
        measure("silent", [None] * 10),
    ]
    places = {one.model: one for one in ranks_of(table, units(10))}
    # Over the four cases of all three: 1, 1, 0; "silent" has no place and narrows nothing.
    silent = places.pop("silent")
    assert silent.rank is None and silent.n == 0 and math.isnan(silent.value)
    assert silent.reason == "no unit is resolved: 10 failed"
    assert {name: (one.value, one.rank, one.n) for name, one in places.items()} == {
        "a": (1.0, 1, 4), "b": (1.0, 1, 4), "c": (0.0, 3, 4)
    }  # fmt: skip
    # If everything unresolved were wrong: 0.8, 0.4, 0.
    assert [one.rank_if_wrong for one in places.values()] == [1, 2, 3]
    # b lies between 0.4 and 1, which holds a's 0.8 and not c's 0.
    assert [one.overlaps for one in places.values()] == ["b", "a", ""]


# Intervals at the edges


def test_no_yes_among_many_is_no_certainty() -> None:
    (number,) = numbers_of([measure("m", [0.0] * 176)], units(176), PLAN)
    # Wilson: 1.96^2 / (176 + 1.96^2) = 0.0214.
    assert (number.value, number.low) == (0.0, 0.0)
    assert number.high == pytest.approx(0.0214, abs=1e-4)
    grades = [Score(5.0, "done")] * 40
    (best,) = numbers_of([mean_measure("grade", "m", "j", grades, top=5.0)], units(40), PLAN)
    # All at the top of 0..5: 5 (1 - 1.96^2 / (40 + 1.96^2)) = 4.562.
    assert best.high == 5.0
    assert best.low == pytest.approx(4.562, abs=1e-3)
    middle = [Score(3.0, "done")] * 40
    (same,) = numbers_of([mean_measure("grade", "m", "j", middle, top=5.0)], units(40), PLAN)
    assert math.isnan(same.low) and "every resample gave the same value" in same.warning


def test_items_of_one_case_widen_the_interval() -> None:
    alone = share_interval([True] * 10 + [False] * 30)
    pairs = share_interval([True] * 10 + [False] * 30, [n // 2 for n in range(40)])
    assert pairs.n == 20
    assert pairs.low < alone.low and alone.high < pairs.high
    assert mean_interval([True] * 10 + [False] * 30) == alone
    nothing = share_interval([False] * 40, [n // 2 for n in range(40)])
    # 20 cases that always go together: 1.96^2 / (20 + 1.96^2) = 0.161.
    assert nothing.high == pytest.approx(0.161, abs=1e-3)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=10, max_size=40),
    st.integers(0, 9),
)
def test_no_interval_excludes_its_own_estimate(pairs: list[tuple[int, int]], seed: int) -> None:
    def statistic(drawn: Any) -> Any:
        total = drawn.sum(axis=1)
        both = drawn @ np.array([float(a == b) for a, b in pairs]) / total
        return np.column_stack([both, both**3 - both])

    for one in bootstrap_many(statistic, len(pairs), plan=Plan(resamples=100, seed=seed)):
        assert math.isnan(one.low) or one.low <= one.estimate <= one.high
    ones, twos = sum(a > b for a, b in pairs), sum(b > a for a, b in pairs)
    low, high = paired_share_interval(ones, twos, len(pairs))
    assert low <= (ones - twos) / len(pairs) <= high


# Self-preference


def test_a_lenient_or_careless_judge_favours_nobody() -> None:
    rng = np.random.default_rng(5)
    right = rng.random((4, 3000)) < np.array([[0.8], [0.6], [0.5], [0.4]])

    def judge(accuracy: float, lenient: float = 0.0, own: float = 0.0) -> Any:
        said = np.where(rng.random(right.shape) < accuracy, right, ~right)
        said |= rng.random(right.shape) < lenient
        said[0] |= rng.random(right.shape[1]) < own
        return said * 1.0

    others = [judge(0.9), judge(0.85)]
    for fair in (judge(0.7), judge(0.9, lenient=0.3)):
        made = self_preference(fair, others, [0], plan=Plan(resamples=200))
        assert made.low < 0 < made.high
    biased = self_preference(judge(0.9, own=0.4), others, [0], plan=Plan(resamples=200))
    # Of the 0.8 x 0.1 + 0.2 x 0.9 = 0.26 that it calls wrong, 0.4 become right: 0.104.
    assert biased.estimate == pytest.approx(0.104, abs=0.03)
    assert biased.low > 0


# MediConfusion by category

PAIRS = (
    # pair, answers of the two images, categories of the two images, choices
    ("p1", "AB", ("cardiac", '["cerebral", "vascular"]'), "AB"),  # both right
    ("p2", "AB", ("cardiac", "cardiac"), "AA"),  # confused
    ("p3", "BA", ("vascular", "cerebral"), "BZ"),  # one right, one matches no option
)


def confusing(folder: Path, order: list[int], name: str) -> Evaluation:
    rows, answers = [], []
    for pair, truth, categories, chosen in PAIRS:
        for place in (0, 1):
            case = f"{pair}-{place}"
            rows.append([case, pair, "?", "left", "right", truth[place], categories[place]])
            said = {"Z": "neither of them"}.get(chosen[place], chosen[place])
            answers.append({"id": case, "answered": said})
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["id", "pair", "question", "A", "B", "answer", "category"])
    writer.writerows(rows[at] for at in order)
    cases_file, model = folder / f"{name}.csv", folder / "m.jsonl"
    cases_file.write_text(text.getvalue())
    model.write_text("".join(json.dumps(row) + "\n" for row in answers))
    cases = load_cases(cases_file)
    responses = load_responses([str(model)], cases)
    with ProtocolServer(lambda _: {"closeness_a": 5, "closeness_b": 5}) as server:
        judge = server.judge()
        with Run(mode="off") as run:
            held = read_settings(None, preset="mediconfusion", resamples=50, judges=(judge,))
            return evaluate(cases, responses, held, Panel((judge,), run))


def table_of(made: Evaluation) -> dict[tuple[str, str], tuple[Any, ...]]:
    return {
        (one.metric, one.group): (
            round(one.value, 12) if one.value == one.value else None, one.n, one.failed,
            one.invalid, one.worst, one.best, str(round(one.low, 9)), str(round(one.high, 9)),
        )
        for one in made.numbers
    }  # fmt: skip


@pytest.fixture(scope="module")
def in_order(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    return confusing(tmp_path_factory.mktemp("pairs"), list(range(6)), "cases")


def test_every_image_counts_in_its_own_categories(in_order: Evaluation) -> None:
    values = {(one.metric, one.group): one for one in in_order.numbers}
    individual = {group: (round(one.value, 9), one.n) for (metric, group), one in values.items()
                  if metric == "individual_accuracy"}  # fmt: skip
    # Right: p1-0, p1-1, p2-0 (not p2-1, chosen A for B), p3-0; p3-1 matches no option.
    assert individual[""] == (round(4 / 6, 9), 6)
    assert individual["cardiac"] == (round(2 / 3, 9), 3)  # p1-0, p2-0 right, p2-1 wrong
    assert individual["cerebral"] == (0.5, 2)  # p1-1 right, p3-1 wrong
    assert individual["vascular"] == (1.0, 2)  # p1-1, p3-0
    # An image brings its pair's result into its own categories, as in the authors' code.
    both = {group: one.value for (metric, group), one in values.items() if metric == "set_accuracy"}
    assert both[""] == pytest.approx(1 / 3)
    assert both["cardiac"] == pytest.approx(1 / 3)  # the images of p1, p2, p2
    assert both["cerebral"] == both["vascular"] == 0.5  # those of p1 and p3
    confusion = values["confusion", ""]
    # p1 and p2 have two valid choices, p2 chose one option for both: 1 of 2 pairs.
    assert (confusion.value, confusion.n) == (0.5, 2)
    # Two images of p2 and one of p1 lie in cardiac: 2 of 3.
    assert values["confusion", "cardiac"].value == pytest.approx(2 / 3)
    for metric in ("individual_accuracy", "set_accuracy", "confusion"):
        assert values[metric, ""].invalid == 1  # answers, not pairs


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(order=st.permutations(range(6)))
def test_the_order_of_rows_changes_no_number(
    in_order: Evaluation, tmp_path: Path, order: list[int]
) -> None:
    turned = confusing(tmp_path, order, f"turned{random.randrange(10**9)}")
    assert table_of(turned) == table_of(in_order)


# The same numbers in any order of the rows


def test_the_means_of_judges_have_the_same_bits_in_any_order_of_the_cases() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((4, 50)).round(3)
    names = [f"{n:03}" for n in range(50)]

    def means(order: list[int]) -> list[list[list[float]]]:
        measures = [
            mean_measure("score", model, judge, [Score(values[at, n], "done") for n in order])
            for at, (judge, model) in enumerate([("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")])
        ]
        table = swap_table(measures, "score", ("x", "y"), Units(tuple(names[n] for n in order)))
        assert table is not None
        drawn = np.random.default_rng(1).integers(0, 3, (20, 50)).astype(float)
        return table.means(drawn).tolist()  # type: ignore[no-any-return]

    shuffled = rng.permutation(50).tolist()
    assert means(list(range(50))) == means(shuffled)


def test_a_folder_has_the_same_bytes_in_any_order_of_the_rows(tmp_path: Path) -> None:
    names = ["asthma", "gout", "acute appendicitis", "migraine", "measles", "psoriasis"]
    rng = random.Random(0)
    cases = [
        {"id": f"c{n:02}", "diagnosis": (few := rng.sample(names, 3))[0], "ddx": few,
         "specialty": rng.choice("uvw")}
        for n in range(30)
    ]  # fmt: skip
    models = {
        name: [
            {"id": case["id"], "predicted_ddx": rng.sample(names, rng.randint(1, 4))}
            for case in cases
            if rng.random() > missing
        ]
        for name, missing in (("whole", 0.0), ("part", 0.3), ("other", 0.1))
    }
    for name in ("rows", "shuffled"):
        dxjudge.evaluate(cases, models, preset="hddx", resamples=60).write(tmp_path / name)
        for rows in (cases, *models.values()):
            rng.shuffle(rows)
    folders = [tmp_path / "rows", tmp_path / "shuffled"]
    marks = [json.loads((folder / "signature.json").read_text())["id"] for folder in folders]
    files = [path.relative_to(folders[0]) for path in folders[0].rglob("*") if path.is_file()]
    assert len(files) > 20
    made_of_them = ("report.html", "overview.json", "inputs.json", "signature.json", "columns.npz")
    # These have a row for each case, in the order of the cases; the page shows cases too.
    by_case = {"scores.csv", "predictions.csv", "misses.csv", "outcomes.jsonl", "verdicts.csv",
               "mapping.tsv"}  # fmt: skip
    for file in files:
        if file.name in made_of_them:
            continue
        first, second = (
            (folder / file).read_bytes().replace(mark.encode(), b"SIGNATURE")
            for folder, mark in zip(folders, marks, strict=True)
        )
        if file.name in by_case:
            assert sorted(first.splitlines()) == sorted(second.splitlines()), file
        else:
            assert first == second, file
