from typing import Any

import pytest

from dxjudge.agents.score_open_answer import SCORE_OPEN_ANSWER

from .scripted import ask_step, example_rows, settle

INPUTS = {"question": "What color?", "reference": "red", "answer": "like rust", "kind": "color"}


def scored(kind: Any, reference: Any, answer: Any) -> Any:
    outcome = settle(
        SCORE_OPEN_ANSWER,
        {"question": "What?", "reference": reference, "answer": answer, "kind": kind},
    )
    return outcome.value.score if outcome.status == "done" else outcome.kind


@pytest.mark.parametrize("score", [0, 0.5, 1])
def test_the_three_scores(score: Any) -> None:
    outcome, _ = ask_step(SCORE_OPEN_ANSWER, INPUTS, {"explanation": "Near red.", "score": score})
    assert outcome.value.score == score
    assert outcome.value.explanation == "Near red."


@pytest.mark.parametrize("score", [0.25, 2, -1, "half", None])
def test_no_score_between(score: Any) -> None:
    outcome, seen = ask_step(SCORE_OPEN_ANSWER, INPUTS, {"explanation": "Near.", "score": score})
    assert outcome.status == "failed"
    assert seen[0].schema["properties"]["score"]["enum"] == [0, 0.5, 1]
    assert list(seen[0].schema["properties"]) == ["explanation", "score"]


@pytest.mark.parametrize(
    ("kind", "reference", "answer", "score"),
    [
        ("color", "red", "RED", 1),
        ("colour", "red", "purple", 0.5),
        ("color", "violet", "red", 0.5),
        ("color", "brown", "black", 0.5),
        ("color", "black", "red", 0),
        ("color", "brown", "purple", 0),
        ("shape", "round", "circular", 1),
        ("shape", "round", "oval", 0.5),
        ("shape", "rectangle", "square", 0.5),
        ("shape", "irregular", "round", 0),
        ("shape", "oval", "square", 0),
        ("size", "1 cm", "10 mm", 1),
        ("size", "about 2.5 cm", "25mm", 1),
        ("lesion", "crust", "scab", 1),
        ("lesion", "blood scab", "crust", 1),
        ("lesion", "scale", "desquamation", 1),
        ("disease", "TTP", "thrombotic thrombocytopenic purpura", 1),
    ],
)
def test_the_rules_decide_listed_words_without_a_model(
    kind: Any, reference: Any, answer: Any, score: Any
) -> None:
    assert scored(kind, reference, answer) == score


@pytest.mark.parametrize(
    ("kind", "reference", "answer"),
    [
        ("color", "red", "rust"),
        ("color", "red", "red or purple"),
        ("size", "1 cm", "2 cm"),
        ("size", "1 cm", "a coin"),
        ("lesion", "crust", "scale"),  # listed both, but nothing says that they are far
        ("disease", "tinea pedis", "athlete's foot"),
        ("other", "scalp", "head"),
    ],
)
def test_the_rest_is_left_to_the_model(kind: Any, reference: Any, answer: Any) -> None:
    assert scored(kind, reference, answer) == "undecided"


def test_the_prompt_shows_the_rules_of_the_kind_alone() -> None:
    _, seen = ask_step(SCORE_OPEN_ANSWER, INPUTS, {"explanation": "x", "score": 0})
    assert "red with purple; brown with black" in seen[0].texts[0]
    assert "does not answer the question" in seen[0].texts[0]
    assert "round with oval" not in seen[0].texts[0]


def test_an_unknown_kind_names_the_kinds() -> None:
    outcome, _ = ask_step(SCORE_OPEN_ANSWER, [{**INPUTS, "kind": "smell"}], {"score": 1})
    assert outcome[0].kind == "input"
    assert "the kinds are color, shape, size, lesion, disease, other" in outcome[0].reasons[0]


def test_an_empty_answer_gets_no_score() -> None:
    outcome, seen = ask_step(SCORE_OPEN_ANSWER, {**INPUTS, "answer": ""}, {"score": 0})
    assert outcome.status == "abstained"
    assert seen == []


def test_the_rule_is_right_wherever_it_decides_on_the_examples() -> None:
    decided = 0
    for row in example_rows("open_answers.jsonl"):
        score = scored(row["kind"], row["reference"], row["answer"])
        if score != "undecided":
            decided += 1
            assert score == row["score"]
    assert decided >= 8
