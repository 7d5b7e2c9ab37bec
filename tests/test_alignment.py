"""Metrics against experts: rank correlations with ratings, forced choices, agreement of raters."""

import csv
import random
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import dxjudge
from dxjudge.cli.main import app
from dxjudge.errors import InputError
from dxjudge.evaluation.measures.alignment import AlignmentRow
from dxjudge.evaluation.ratings import read_expert_ratings
from dxjudge.scoring import Plan, choice_alignment, rank_alignment

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once")

N = 12
CASES = [{"id": f"c{n}", "question": "Which?", "A": "gout", "B": "asthma", "answer": "A"}
         for n in range(N)]  # fmt: skip


def answers(letters: str) -> list[dict[str, str]]:
    return [{"id": f"c{n}", "response": letter} for n, letter in enumerate(letters)
            if letter != "-"]  # fmt: skip


RESPONSES = {"good": answers("A" * 10 + "BB"), "it's": answers("B" * 8 + "AAAA")}


def likert(case: int, model: str, rater: str, rating: Any) -> dict[str, Any]:
    return {"case": f"c{case}", "model": model, "rater": rater, "rating": rating}


def choice(case: int, rater: str, chosen: str, swap: bool = False) -> dict[str, Any]:
    first, second = ("it's", "good") if swap else ("good", "it's")
    return {"case": f"c{case}", "rater": rater, "first": first, "second": second, "chosen": chosen}


def run(
    ratings: list[dict[str, Any]], responses: Any = None
) -> dict[tuple[str, ...], AlignmentRow]:
    made = dxjudge.evaluate(
        CASES, responses or RESPONSES, preset="choice", resamples=100, ratings=ratings
    ).evaluation
    return {(row.metric, row.rater, row.measure): row for row in made.alignment}


def test_ratings_by_hand() -> None:
    # scores 0, 0, 1, 1 and ratings 1, 2, 3, 3: ranks 1.5 1.5 3.5 3.5 and 1 2 3.5 3.5, centred
    # -1 -1 1 1 and -1.5 -.5 1 1: sum of products 4, sums of squares 4 and 4.5: 4 / sqrt(18)
    made = rank_alignment([0, 0, 1, 1] * 5, [1, 2, 3, 3] * 5, clusters=[*range(20)])
    assert made.spearman.estimate == pytest.approx(4 / 18**0.5)
    # pairs of 4: 4 concordant; 4 untied in scores, 5 in ratings: 4 / sqrt(20). Five copies of each
    # keep the ratio: 25 times every count of pairs
    assert made.kendall.estimate == pytest.approx(4 / 20**0.5)


@pytest.mark.parametrize(
    ("others", "clusters", "told"), [(6, 50, True), (7, 50, False), (8, 5, True)]
)
def test_nearly_equal_scores_have_a_correlation_without_interval(
    others: int, clusters: int, told: bool
) -> None:
    scores = [0.0] * others + [1.0] * (50 - others)
    ratings = [float(n % 7) for n in range(50)]
    cases = [n * clusters // 50 for n in range(50)]
    for made in (
        rank_alignment(scores, ratings, clusters=cases, plan=Plan(resamples=100, fewest=5)),
        rank_alignment(ratings, scores, clusters=cases, plan=Plan(resamples=100, fewest=5)),
    ):
        assert made.spearman.estimate == made.spearman.estimate
        assert (made.spearman.low != made.spearman.low) == told
        assert ("other than the commonest" in (made.kendall.warning or "")) == told


def test_choices_by_hand() -> None:
    first, second = [3, 1, 2, 5, None], [1, 2, 2, 6, 1]
    # 3 > 1 chosen first: 1; 1 < 2 chosen first: 0; tie: 1/2; 5 < 6 chosen second: 1; none: missing
    made = choice_alignment(first, second, [True, True, True, False, True])
    assert made.share.estimate == pytest.approx(2.5 / 4)
    assert (made.n, made.ties, made.missing) == (4, 1, 1)


def test_without_any_score_there_is_no_number_and_the_reason() -> None:
    ranks = rank_alignment([None, float("nan")], [1, 2])
    assert ranks.spearman.estimate != ranks.spearman.estimate and ranks.missing == 2
    assert ranks.kendall.warning == "no rated response has a score"
    choices = choice_alignment([None], [1], [True])
    assert (choices.n, choices.missing, choices.share.warning) == (0, 1, "no choice has two scores")


def test_a_metric_is_correlated_with_the_mean_rating_and_with_each_rater() -> None:
    rows = []
    for n in range(N):
        for model, right in (("good", n < 10), ("it's", n >= 8)):
            rows.append(likert(n, model, "ann", 5 if right else 1))  # just as the metric
            rows.append(likert(n, model, "bob", 1 if right else 5))  # the opposite
    made = run(rows)
    assert made["choice_accuracy", "ann", "spearman"].value == pytest.approx(1.0)
    assert made["choice_accuracy", "bob", "kendall"].value == pytest.approx(-1.0)
    mean = made["choice_accuracy", "(mean)", "spearman"]
    assert mean.n == 24 and mean.value != mean.value  # all means are 3: no rank correlation
    assert made["", "(among raters)", "ratings: share_identical"].value == 0.0


def test_choices_are_held_against_the_order_of_the_scores() -> None:
    # scores: cases 0 to 7 good 1, it's 0; 8 and 9 both 1; 10 and 11 good 0, it's 1
    rows = [choice(n, "ann", "1") for n in range(N)]
    rows += [choice(n, "bob", "it's", swap=True) for n in range(9)] + [choice(9, "bob", "tie")]
    made = run(rows)
    ann, bob, both = (made["choice_accuracy", rater, "forced_choice"]
                      for rater in ("ann", "bob", "(all)"))  # fmt: skip
    # ann: 8 as the scores, 2 ties, 2 against: (8 + 1) / 12
    assert ann.value == pytest.approx(9 / 12) and (ann.n, ann.ties) == (12, 2)
    # bob chose it's, the lower score, in cases 0 to 7, and one tie in case 8: 0.5 / 9
    assert bob.value == pytest.approx(0.5 / 9) and (bob.n, bob.ties) == (9, 1)
    assert both.value == pytest.approx(9.5 / 21)
    # in the 10 common cases they never choose the same
    assert made["", "(among raters)", "choices: share_identical"].value == 0.0


def test_a_rated_response_without_an_answer_is_missing_and_counted() -> None:
    rows = [likert(n, model, "ann", n % 5) for n in range(N) for model in RESPONSES]
    rows += [choice(n, "ann", "good") for n in range(N)]
    half = {**RESPONSES, "it's": RESPONSES["it's"][:6]}
    made = run(rows, half)
    row = made["choice_accuracy", "(mean)", "spearman"]
    assert (row.n, row.missing) == (18, 6)
    row = made["choice_accuracy", "(all)", "forced_choice"]
    assert (row.n, row.missing) == (6, 6)


def test_rows_in_another_order_give_the_same_numbers() -> None:
    rows = [likert(n, model, rater, (7 * n + len(model) + len(rater)) % 5)
            for n in range(N) for model in RESPONSES for rater in ("ann", "robert")]  # fmt: skip
    rows += [choice(n, rater, "12"[n % 2]) for n in range(N) for rater in ("ann", "robert")]
    shuffled = random.Random(2).sample(rows, len(rows))
    assert repr(sorted(run(rows).items())) == repr(sorted(run(shuffled).items()))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (likert(99, "good", "ann", 3), "row 2: no case has the id 'c99'"),
        (likert(1, "bad", "ann", 3), "row 2: no model 'bad'; there are good, it's"),
        (likert(1, "good", "", 3), "row 2: the column rater is missing or empty"),
        (likert(1, "good", "ann", "high"), "row 2: the rating 'high' is not a number"),
        (likert(0, "good", "ann", 4), "row 2: ann judged good on c0 before"),
        (choice(1, "ann", "3"), "row 2: chosen is '3'; write 1, 2, good, it's or tie"),
        ({**choice(1, "ann", "1"), "second": "good"}, "row 2: first and second are the same"),
        ({**choice(1, "ann", "1"), "rating": 3}, "row 2: a row is either a rating or a choice"),
    ],
)
def test_a_row_that_cannot_be_used_is_an_error(row: dict[str, Any], message: str) -> None:
    known = [f"c{n}" for n in range(N)]
    with pytest.raises(InputError, match=message):
        read_expert_ratings([likert(0, "good", "ann", 3), row], known, list(RESPONSES))


def test_the_command_writes_the_alignment_and_the_table_of_the_paper(tmp_path: Path) -> None:
    examples = Path(__file__).parents[1] / "examples"
    ids = [f"derm-0{n}" for n in range(1, 10)]
    lines = ["case,model,rater,rating,first,second,chosen"]
    for n, case in enumerate(ids):
        for rater in ("ann", "bob"):
            lines += [f"{case},{model},{rater},{(n + len(model)) % 5 + 1},,,"
                      for model in ("careful", "hasty")]  # fmt: skip
        lines.append(f"{case},,ann,,careful,hasty,{1 + n % 2}")
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("\n".join(lines) + "\n", "utf-8")
    out = tmp_path / "out"
    result = CliRunner().invoke(app, [
        "evaluate", str(examples / "cases.jsonl"), str(examples / "evaluate" / "careful.jsonl"),
        str(examples / "evaluate" / "hasty.jsonl"), "-o", str(out), "--preset", "dermcase",
        "--ratings", str(ratings), "--resamples", "50",
    ])  # fmt: skip
    assert result.exit_code == 3, result.output
    assert "Agreement of the metrics with experts" in result.output
    with (out / "alignment.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["rater"] == "(among raters)"
    spearman = next(row for row in rows if (row["metric"], row["rater"], row["measure"]) == (
        "semantic_f1", "(mean)", "spearman"))  # fmt: skip
    with (out / "paper.csv").open(encoding="utf-8") as file:
        paper = [row for row in csv.DictReader(file) if row["table"] == "alignment"]
    shown = next(row for row in paper if (row["model"], row["title"]) == ("Macro F1", "Spearman"))
    assert shown["estimate"] == spearman["value"] != ""
    assert "ratings.csv" in (out / "signature.json").read_text("utf-8")
