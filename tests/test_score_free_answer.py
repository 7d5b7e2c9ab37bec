from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.agents.score_free_answer import SCORE_FREE_ANSWER, choose

from .scripted import ask_step, settle

INPUTS = {
    "question": "Is the mass above or below the tentorium?",
    "option_a": "Above",
    "option_b": "Below",
    "answer": "It lies in the cerebellum.",
}


@pytest.mark.parametrize(
    ("a", "b", "choice"), [(2, 9, "B"), (8, 5, "A"), (5, 8, "B"), (10, 1, "A")]
)
def test_code_chooses_where_the_gap_is_3_or_more(a: Any, b: Any, choice: Any) -> None:
    outcome, _ = ask_step(SCORE_FREE_ANSWER, INPUTS, {"closeness_a": a, "closeness_b": b})
    assert outcome.value.choice == choice
    assert (outcome.value.closeness_a, outcome.value.closeness_b) == (a, b)


@pytest.mark.parametrize(("a", "b"), [(5, 5), (7, 5), (1, 3), (10, 8)])
def test_a_smaller_gap_is_an_invalid_answer_not_a_wrong_one(a: Any, b: Any) -> None:
    outcome, _ = ask_step(SCORE_FREE_ANSWER, INPUTS, {"closeness_a": a, "closeness_b": b})
    assert outcome.status == "abstained"
    assert outcome.reason == f"invalid answer: closeness {a} and {b} differ by less than 3"


@pytest.mark.parametrize("value", [0, 11, 5.5, "high", None])
def test_closeness_is_1_to_10(value: Any) -> None:
    outcome, _ = ask_step(SCORE_FREE_ANSWER, INPUTS, {"closeness_a": value, "closeness_b": 5})
    assert outcome.status == "failed"


def test_a_model_cannot_hand_in_the_choice() -> None:
    answer = {"closeness_a": 5, "closeness_b": 5, "choice": "A"}
    outcome, seen = ask_step(SCORE_FREE_ANSWER, INPUTS, answer)
    assert outcome.status == "failed"
    assert "do not judge correctness" in seen[0].texts[0]


@given(st.integers(1, 10), st.integers(1, 10))
def test_the_choice_mirrors_and_needs_the_gap(a: Any, b: Any) -> None:
    mirror = {"A": "B", "B": "A", None: None}
    assert choose(b, a) == mirror[choose(a, b)]
    assert (choose(a, b) is None) == (abs(a - b) < 3)


@pytest.mark.parametrize(("answer", "choice"), [("A", "A"), ("b.", "B"), ("below", "B")])
def test_a_letter_or_an_options_text_decides_without_a_model(answer: Any, choice: Any) -> None:
    outcome = settle(SCORE_FREE_ANSWER, {**INPUTS, "answer": answer})
    assert outcome.value.choice == choice
    assert outcome.value.closeness_a is None  # no closeness is made up


@pytest.mark.parametrize("answer", ["A and B", "above, not below", "C"])
def test_anything_else_is_left_to_the_model(answer: Any) -> None:
    assert settle(SCORE_FREE_ANSWER, {**INPUTS, "answer": answer}).kind == "undecided"


@pytest.mark.parametrize(("gap", "choice"), [(1, "B"), (2, "B"), (3, None), (9, None)])
def test_the_gap_is_a_setting(gap: int, choice: Any) -> None:
    answer = {"closeness_a": 5, "closeness_b": 7}
    outcome, _ = ask_step(SCORE_FREE_ANSWER, {**INPUTS, "gap": gap}, answer)
    if choice is None:
        assert outcome.reason == f"invalid answer: closeness 5 and 7 differ by less than {gap}"
    else:
        assert outcome.value.choice == choice


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("A", "A"),
        ('A")', "A"),  # what a model writes after the prompt's #answer: ("
        ("The answer is B.", "B"),
        ("B: the mass lies below.", "B"),
        ('It is ("B").', "B"),
        ("The mass\nB\nlies below", "B"),
        ("A mass lies in the cerebellum.", "A"),  # the authors read the article as a letter
        ("(A)", None),
        ("A)", None),
        ("a", None),
        ("**B**", None),
        ("Below", None),
        ("A: above. B: below.", None),
        ("", None),
        ("I cannot tell.", None),
    ],
)
def test_a_letter_is_read_as_the_authors_read_it_and_anything_else_is_invalid(
    answer: str, letter: Any
) -> None:
    inputs = {**INPUTS, "answer": answer, "form": "letter"}
    outcome, seen = ask_step(SCORE_FREE_ANSWER, inputs, {"closeness_a": 1, "closeness_b": 9})
    assert seen == []  # code alone decides, also where there is a judge
    if letter is None:
        assert (outcome.status, outcome.decided_by) == ("abstained", "code")
        assert outcome.reason.startswith("invalid answer: ")
    else:
        assert outcome.value.choice == letter


@pytest.mark.parametrize(
    ("answer", "choice"),
    [("The answer is B because it lies in the cerebellum.", "B"), ("A: above", "A")],
)
def test_a_sentence_that_states_its_letter_needs_no_model(answer: str, choice: str) -> None:
    assert settle(SCORE_FREE_ANSWER, {**INPUTS, "answer": answer}).value.choice == choice
