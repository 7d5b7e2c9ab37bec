"""Several samples of an answer: best of N, the oracle, and the spread over samples."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.errors import UsageError
from dxjudge.scoring import best_of_subsets, oracle_is_right

from .test_evaluation_papers import SMALL, pairs
from .test_evaluation_run import responses, rows_of, run


@given(st.integers(1, 7), st.data())
def test_the_best_of_n_is_the_mean_over_all_subsets(total: int, data: Any) -> None:
    right = data.draw(st.integers(0, total))
    n = data.draw(st.integers(1, total))
    samples = [True] * right + [False] * (total - right)
    subsets = list(combinations(samples, n))
    assert best_of_subsets(right, total, n) == pytest.approx(
        sum(map(any, subsets)) / len(subsets), abs=1e-12
    )


@pytest.mark.parametrize("counts", [(3, 2, 1), (-1, 2, 1), (0, 0, 1), (1, 2, 3), (1, 2, 0)])
def test_impossible_counts_are_an_error(counts: tuple[int, int, int]) -> None:
    with pytest.raises(UsageError):
        best_of_subsets(*counts)


def test_the_oracle_counts_shares_as_fractions() -> None:
    assert oracle_is_right(3, 10, 0.3)  # 0.3 is not 3 / 10 in binary
    assert not oracle_is_right(2, 10, 0.3)
    with pytest.raises(UsageError):
        oracle_is_right(1, 2, 0)


# Four samples of each item; the true answers are A (0) and B (1), and "-" is an invalid answer.
LETTERS = {"p0": "AAAB", "p1": "BAAA", "q0": "AAAA", "q1": "BBBB", "r0": "BBBB", "r1": "BBB-"}


def sampled(letters: dict[str, str], variant: str = "") -> list[dict[str, Any]]:
    return [
        {"id": name, "sample": f"s{at}", "variant": variant, "response": letter}
        for name, row in letters.items()
        for at, letter in enumerate(row)
        if letter != "x"
    ]


def evaluated(folder: Path, rows: list[dict[str, Any]], *options: Any) -> dict[str, Any]:
    cases = responses(folder, "cases", pairs("pqr"))
    done = run(
        cases, responses(folder, 'a "b"', rows), "-o", folder / "out", "--preset", "mediconfusion",
        "--answer-form", "letter", *SMALL, *options,
    )  # fmt: skip
    assert done.exit_code in (0, 3), done.output
    return {
        row["metric"]: row for row in rows_of(folder / "out" / "summary.csv") if not row["group_by"]
    }


def test_best_of_n_and_the_oracle_from_one_run(tmp_path: Path) -> None:
    numbers = evaluated(tmp_path, sampled(LETTERS))
    values = {name: float(row["value"]) for name, row in numbers.items() if ": " in name}
    # Right samples: p0 3 of 4, p1 1 of 4, q0 and q1 all, r0 none.
    # N = 1: p 3/4 * 1/4 = 3/16, q 1, r 0; their mean is 19/48.
    assert values["set_best_of: 1"] == pytest.approx(19 / 48)
    # N = 2: p0 1 (only one of four is wrong), p1 1 - C(3,2)/C(4,2) = 1/2; (1/2 + 1 + 0) / 3.
    assert values["set_best_of: 2"] == pytest.approx(0.5)
    # N = 4: p0 1, p1 1: 2/3. There is no best of 8 of four samples.
    assert values["set_best_of: 4"] == pytest.approx(2 / 3)
    assert "set_best_of: 8" not in values
    # A quarter: p (3/4 and 1/4) and q; from a half on only q.
    assert values["set_oracle: 0.25"] == pytest.approx(2 / 3)
    assert values["set_oracle: 0.5"] == values["set_oracle: 1"] == pytest.approx(1 / 3)
    assert numbers["set_best_of: 2"]["n"] == "3"


def test_the_spread_over_samples_scores_each_sample_like_a_run(tmp_path: Path) -> None:
    evaluated(tmp_path, sampled(LETTERS, "plain") + sampled({**LETTERS, "p1": "BBBB"}, "polite"))
    rows = {(row["variant"], row["metric"]): row for row in rows_of(tmp_path / "out/samples.csv")}
    # plain: pairs right in sample 0: p and q; in 1, 2, 3: q. Mean (2 + 1 + 1 + 1) / 12.
    plain = rows["plain", "set_accuracy"]
    assert float(plain["mean"]) == pytest.approx(5 / 12)
    # Deviations 1/4, -1/12 three times: sqrt((9 + 3) / 144 / 3) = 1/6.
    assert float(plain["sd"]) == pytest.approx(1 / 6)
    assert float(plain["lowest"]) == pytest.approx(1 / 3)
    assert float(plain["highest"]) == pytest.approx(2 / 3)
    assert plain["samples"] == "4"
    # polite: p right in samples 0, 1, 2: (2 + 2 + 2 + 1) / 12.
    assert float(rows["polite", "set_accuracy"]["mean"]) == pytest.approx(7 / 12)


def test_a_missing_sample_is_unresolved_and_never_wrong(tmp_path: Path) -> None:
    numbers = evaluated(tmp_path, sampled({**LETTERS, "p1": "BxAA"}))
    row = numbers["set_best_of: 2"]
    # p1 lacks a sample: p counts as unresolved; q 1, r 0 whatever the invalid sample is.
    assert (float(row["value"]), row["failed"], row["n"]) == (0.5, "1", "3")
    assert float(row["worst"]) == pytest.approx(1 / 3)
    assert float(row["best"]) == pytest.approx(2 / 3)


def test_rows_in_another_order_give_the_same_table_of_samples(tmp_path: Path) -> None:
    tables = []
    for name, order in (("one", 1), ("two", -1)):
        (tmp_path / name).mkdir()
        evaluated(tmp_path / name, sampled(LETTERS)[::order])
        tables.append((tmp_path / name / "out" / "samples.csv").read_bytes())
    assert tables[0] == tables[1]


def test_the_tables_of_the_paper_have_its_columns_in_order(tmp_path: Path) -> None:
    evaluated(tmp_path, sampled(LETTERS, "plain") + sampled(LETTERS, "polite"))
    rows = rows_of(tmp_path / "out" / "paper.csv")
    titles: dict[str, list[str]] = {}
    for row in rows:
        titles.setdefault(row["table"], []).append(row["title"])
    assert titles["main"] == [
        "Set acc. (%)", "Confusion (%)", "Individual acc. (%)", "Valid pairs", "Invalid (%)"
    ]  # fmt: skip
    assert titles["best_of"] == ["N = 1", "N = 2", "N = 4"]
    assert titles["oracle"] == ["at least 0.25", "at least 0.5", "at least 0.75", "at least 1"]
    assert titles["category_set"][:4] == ["Cerebral", "Vascular", "Head and Neck", "Spinal"]
    assert titles["category_set"][9:] == ["Chest", 'O\'Neill "head"']
    spread = next(row for row in rows if row["title"] == "Mean ± sd")
    # Both wordings have the same answers: votes p0 A, p1 A; q right; r B and B. 1 of 3 pairs.
    assert float(spread["estimate"]) == pytest.approx(1 / 3)
    assert float(spread["sd"]) == 0
    (count,) = [row for row in rows if row["title"] == "Valid pairs"]
    assert (count["shown"], count["n"]) == ("count", "3")


def test_set_accuracy_and_confusion_give_individual_accuracy_where_all_are_valid(
    tmp_path: Path,
) -> None:
    letters = {"p0": "A", "p1": "B", "q0": "B", "q1": "B", "r0": "B", "r1": "A"}
    rows = [{"id": name, "response": letter} for name, letter in letters.items()]
    numbers = {name: float(row["value"]) for name, row in evaluated(tmp_path, rows).items()}
    # 2 * 1 pair right + 1 pair confused = 3 of 6 items right.
    assert numbers["set_accuracy"] + numbers["confusion"] / 2 == pytest.approx(
        numbers["individual_accuracy"]
    )
    assert numbers["individual_accuracy"] == 0.5
    assert numbers["invalid_answers"] == 0
