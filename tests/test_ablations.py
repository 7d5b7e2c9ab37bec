"""The ablations of MEDSYN by hand, and its open final diagnosis."""

from typing import Any

import pytest

import dxjudge
from dxjudge.evaluation.report.paper_tables import paper_views
from dxjudge.evaluation.report.paper_text import paper_text
from dxjudge.evaluation.result import Evaluation

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer

N = 12
CASES = [{"id": f"s{n}", "case": "A case.", "diagnosis": "gout", "answer": "A",
          "options": {"A": "gout", "B": "asthma", "C": "croup"}} for n in range(N)]  # fmt: skip


def rows(letters: str, **columns: str) -> list[dict[str, Any]]:
    return [{"id": f"s{n}", "answered": letter, **columns} for n, letter in enumerate(letters)
            if letter != "-"]  # fmt: skip


def run(responses: dict[str, list[dict[str, Any]]], **options: Any) -> Evaluation:
    return dxjudge.evaluate(CASES, responses, preset="medsyn", resamples=50, **options).evaluation


def value(made: Evaluation, metric: str, model: str) -> Any:
    return made.number(metric, model, made.judged.judges[0])


def test_an_ablation_is_compared_with_all_evidence_on_the_same_cases() -> None:
    made = run({
        "m": rows("AAAAAAAAABBB") + rows("AAAAAA------", withheld="history")
        + rows("BBBBAAAAAAAA", withheld="images"),
        "n": rows("A" * N) + rows("B" * 6 + "------", withheld="history") + rows("A" * N,
                                                                             withheld="images"),
    })  # fmt: skip
    # history is withheld in the cases 0 to 5 alone: all right there, as with all evidence
    assert value(made, "ablation: without history", "m").value == 1.0
    change = value(made, "ablation change: without history", "m")
    assert (change.value, change.n, change.failed) == (0.0, 6, 0)
    # images: 8 of 12 right, with all evidence 9 of 12: -1/12
    assert value(made, "ablation: without images", "m").value == pytest.approx(8 / 12)
    assert value(made, "ablation change: without images", "m").value == pytest.approx(-1 / 12)
    assert value(made, "ablation change: without history", "n").value == -1.0
    # the accuracy itself uses the answers with all evidence alone
    assert value(made, "choice_accuracy", "m").value == 0.75


def test_text_is_compared_with_images() -> None:
    images = rows("AAAAAABBBBBB", presented_as="image")
    made = run({"m": images + rows("AAAAAAAAABBB", presented_as="text")})
    # text 9 of 12, image 6 of 12
    assert value(made, "ablation: as text", "m").value == 0.75
    assert value(made, "ablation change: as text", "m").value == pytest.approx(0.25)
    assert value(made, "ablation change: as image", "m") is None


def test_a_model_with_half_its_ablated_answers_has_bounds_over_the_cases_asked() -> None:
    made = run({
        "m": rows("A" * N) + rows("B" * 6 + "-" * 6, withheld="history"),
        "n": rows("A" * N) + rows("A" * N, withheld="history"),
    })  # fmt: skip
    change = value(made, "ablation change: without history", "m")
    # known: 6 cases, each 0 - 1; the other 6 are 0 - 1 or 1 - 1: -12/12 to -6/12
    assert (change.value, change.failed, change.n) == (-1.0, 6, 12)
    assert (change.worst, change.best) == pytest.approx((-1.0, -0.5))


def test_the_open_final_diagnosis_is_graded_where_a_model_gives_one() -> None:
    given = [{**row, "predicted_diagnosis": "gout attack"} for row in rows("A" * N)]
    letters = [{"id": f"s{n}", "response": "A", "predicted_ddx": ["gout"]} for n in range(N)]
    with ProtocolServer(make_judge()) as server:
        made = run({"open": given, "choice": letters}, judges=[server.judge()])
    grades = [item.value.score for key, items in made.judged.outcomes.items()
              for item in items if key[0] == "grade_final_diagnosis"]  # fmt: skip
    assert len(grades) == N
    number = value(made, "final_grade", "open")
    assert number.value == pytest.approx(sum(grades) / N) and number.failed == 0
    assert value(made, "final_grade", "choice") is None  # a letter is not a diagnosis
    assert not any(task == "extract_final_diagnosis" for task, *_ in made.judged.outcomes)
    view = next(view for view in paper_views(made) if view.table.name == "main")
    text = paper_text(view, made)
    at = text.header.index("Open-ended FDx Score")
    by_model = {row[0]: row for row in text.rows}
    assert "±" in by_model["open"][at] or by_model["open"][at].startswith(f"{number.value:.2f}")
    assert by_model["choice"][at] == "-"
