from typing import Any

import pytest

from dxjudge.agents.match_option import MATCH_OPTION

from .scripted import ask_step, example_rows, settle

OPTIONS = {"A": "vesicle", "B": "macule", "C": "wheal"}
ONE = {"question": "Which lesion?", "options": OPTIONS, "answer": "It itches and is raised."}
MANY = {**ONE, "multiple": True}


def test_the_letters_the_model_matched() -> None:
    outcome, seen = ask_step(MATCH_OPTION, ONE, {"letters": ["C"]})
    assert outcome.value.letters == ("C",)
    assert "A. vesicle\nB. macule\nC. wheal" in seen[0].user


def test_letters_come_in_the_order_of_the_options_and_once() -> None:
    outcome, _ = ask_step(MATCH_OPTION, MANY, {"letters": ["C", "A", "A"]})
    assert outcome.value.letters == ("A", "C")


def test_no_letter_is_an_abstention() -> None:
    assert ask_step(MATCH_OPTION, ONE, {"letters": []})[0].status == "abstained"


@pytest.mark.parametrize("letter", ["D", "a", "vesicle", ""])
def test_a_letter_must_exist(letter: Any) -> None:
    assert ask_step(MATCH_OPTION, ONE, {"letters": [letter]})[0].status == "failed"


def test_a_single_choice_takes_at_most_one() -> None:
    outcome, seen = ask_step(MATCH_OPTION, ONE, {"letters": ["A", "B"]}, {"letters": ["A"]})
    assert outcome.repairs == 1
    assert "at most 1 item" in seen[1].texts[-1]


@pytest.mark.parametrize(
    ("answer", "letters"),
    [
        ("C", "C"),
        ("c", "C"),
        ("(b)", "B"),
        ("Answer: A.", "A"),
        ("The correct answer is B", "B"),
        ("**C**", "C"),
        ("Option A", "A"),
        ("Wheal", "C"),
        ("C. wheal", "C"),
    ],
)
def test_one_letter_or_one_options_text_decides_without_a_model(answer: Any, letters: Any) -> None:
    outcome = settle(MATCH_OPTION, {**ONE, "answer": answer})
    assert (outcome.value.letters, outcome.decided_by) == (tuple(letters), "rules")


@pytest.mark.parametrize(
    "answer", ["A or B", "A, B", "A vesicle or a wheal", "D", "C. macule", "A rash", "not C"]
)
def test_anything_else_is_left_to_the_model(answer: Any) -> None:
    assert settle(MATCH_OPTION, {**ONE, "answer": answer}).kind == "undecided"


@pytest.mark.parametrize(
    ("answer", "letters"), [("A, C", "AC"), ("a and b", "AB"), ("A B C", "ABC"), ("C", "C")]
)
def test_several_letters_where_several_can_be_right(answer: Any, letters: Any) -> None:
    assert settle(MATCH_OPTION, {**MANY, "answer": answer}).value.letters == tuple(letters)


def test_a_list_of_options_is_lettered() -> None:
    outcome = settle(MATCH_OPTION, {**ONE, "options": ["x", "y"], "answer": "B"})
    assert outcome.value.letters == ("B",)


@pytest.mark.parametrize("options", [{"A": "x"}, {"A": "x", "b c": "y"}, {"A": "x", "B": " "}, []])
def test_options_that_cannot_be_used_are_an_input_failure(options: Any) -> None:
    outcome, seen = ask_step(MATCH_OPTION, [{**ONE, "options": options}], {"letters": []})
    assert outcome[0].kind == "input"
    assert seen == []


def test_the_rule_is_right_wherever_it_decides_on_the_examples() -> None:
    decided = 0
    for row in example_rows("options.jsonl"):
        inputs = {name: row[name] for name in MATCH_OPTION.input.model_fields}
        outcome = settle(MATCH_OPTION, inputs)
        if outcome.status == "done":
            decided += 1
            assert list(outcome.value.letters) == row["letters"]
    assert decided >= 4


@pytest.mark.parametrize(
    "answer", ["AC", "(A)(C)", "Answer: AC", "A,C", "**AC**", "A、C", "The answer is AC.", "(AC)"]
)
def test_letters_written_together_are_options(answer: str) -> None:
    outcome = settle(MATCH_OPTION, {**MANY, "answer": answer})
    assert (outcome.value.letters, outcome.decided_by) == (("A", "C"), "rules")


@pytest.mark.parametrize("answer", ["CAB", "AD", "AA", "Ac", "A C D"])
def test_what_may_be_a_word_or_another_option_is_left_to_the_model(answer: str) -> None:
    assert settle(MATCH_OPTION, {**MANY, "answer": answer}).status == "failed"


def test_z_means_none_of_the_options_unless_it_is_one() -> None:
    none = settle(MATCH_OPTION, {**MANY, "answer": "Answer: Z"})
    assert (none.status, none.decided_by) == ("abstained", "rules")
    options = {**OPTIONS, "Z": "bulla"}
    one = settle(MATCH_OPTION, {**MANY, "options": options, "answer": "Z"})
    assert one.value.letters == ("Z",)


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("The answer is C because the lesion came and went within hours.", "C"),
        ("B. The lesion holds clear fluid.", "B"),
        ("I would choose option A: it is flat.", "A"),
        ("The lesion is raised and itchy.\nAnswer: C", "C"),
        ("A is correct.", "A"),
        ('It fits best with ("B").', "B"),
    ],
)
def test_a_sentence_that_states_one_letter_needs_no_model(answer: str, letter: str) -> None:
    outcome = settle(MATCH_OPTION, {**ONE, "answer": answer})
    assert (outcome.value.letters, outcome.decided_by) == ((letter,), "rules")


@pytest.mark.parametrize(
    "answer",
    [
        "A rash that comes and goes.",
        "The answer is not B.",
        "B or C.",
        "Option A would fit if there were no fluid.",
        "B: a vesicle. C: a wheal.",
        "Vitamin B is low.",
        "It isn't A.",
        "The answer is D.",
    ],
)
def test_a_sentence_that_may_mean_something_else_is_left_to_the_model(answer: str) -> None:
    assert settle(MATCH_OPTION, {**ONE, "answer": answer}).kind == "undecided"
