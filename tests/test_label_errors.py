from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.label_errors import LABEL_ERRORS
from dxjudge.prompts.load_data import load_taxonomy

from .scripted import ask_step

REFERENCE = "Bullous pemphigoid: tense blisters, anti-BP180 antibodies of 94 U/mL."
RESPONSE = "The blisters are flaccid.  Hence it is pemphigus; IgG lies between the cells."
INPUTS = {"reference": REFERENCE, "response": RESPONSE}


def error(
    category: Any = "visual interpretation", quote: Any = "The blisters are flaccid.", **other: Any
) -> Any:
    return {
        "quote": quote,
        "reasoning_step": "reading the image",
        "explanation": "They are tense.",
        "category": category,
        **other,
    }


def test_several_errors_with_their_quotes_and_offsets() -> None:
    found = [error(), error("factual medical error", "Hence it is pemphigus")]
    outcome, _ = ask_step(LABEL_ERRORS, INPUTS, {"errors": found})
    first, second = outcome.value.errors
    assert (first.category, first.quote.start, first.quote.end) == ("visual interpretation", 0, 25)
    assert RESPONSE[second.quote.start : second.quote.end] == "Hence it is pemphigus"
    assert second.reasoning_step == "reading the image"


def test_no_error_is_a_verdict() -> None:
    outcome, _ = ask_step(LABEL_ERRORS, INPUTS, {"errors": []})
    assert outcome.status == "done"
    assert outcome.value.errors == ()


def test_the_ten_categories_and_the_one_that_only_code_gives() -> None:
    taxonomy = load_taxonomy("dermcase")
    assert [category.name for category in taxonomy.categories] == [
        "visual interpretation",
        "logical inconsistency",
        "factual medical error",
        "incomplete reasoning",
        "wrong pathophysiology",
        "misinterpretation of clinical findings",
        "missing key clinical features",
        "technical or system error",
        "incorrect correlation or prioritisation",
        "other",
    ]
    outcome, seen = ask_step(LABEL_ERRORS, INPUTS, {"errors": [error("technical or system error")]})
    assert outcome.status == "failed"
    assert "technical or system error" not in str(seen[0].schema) + seen[0].texts[0]


@pytest.mark.parametrize("engine", ["auto", "llm"])
@pytest.mark.parametrize("response", ["", "Traceback (most recent call last):\n  x"])
def test_an_empty_or_broken_response_is_a_technical_error_without_a_call(
    engine: Any, response: Any
) -> None:
    outcome, seen = ask_step(
        LABEL_ERRORS, {**INPUTS, "response": response}, {"errors": []}, engine=engine
    )
    (only,) = outcome.value.errors
    assert (only.category, only.quote) == ("technical or system error", None)
    assert outcome.decided_by == "code"
    assert seen == []


def test_an_omission_quotes_the_reference() -> None:
    missing = error("missing key clinical features", "anti-BP180 antibodies")
    outcome, _ = ask_step(LABEL_ERRORS, INPUTS, {"errors": [missing]})
    assert outcome.value.errors[0].quote.source == "reference"


@pytest.mark.parametrize(
    ("category", "quote", "where"),
    [
        ("visual interpretation", "The blisters were flaccid", "response"),
        ("visual interpretation", "tense blisters", "response"),  # stands in the reference
        ("missing key clinical features", "The blisters are flaccid", "reference"),
        ("other", "nowhere to be found", "response or the reference"),
        ("visual interpretation", "", "response"),
    ],
)
def test_a_quote_must_occur_where_the_category_says(category: Any, quote: Any, where: Any) -> None:
    outcome, seen = ask_step(
        LABEL_ERRORS, INPUTS, {"errors": [error(category, quote)]}, {"errors": []}
    )
    assert outcome.repairs == 1
    assert f"does not occur in the {where};" in seen[1].texts[-1]


def test_the_same_error_twice_goes_back() -> None:
    outcome, seen = ask_step(LABEL_ERRORS, INPUTS, {"errors": [error(), error()]}, {"errors": []})
    assert outcome.repairs == 1
    assert "listed twice" in seen[1].texts[-1]


@pytest.mark.parametrize("field", ["explanation", "reasoning_step"])
def test_explanation_and_step_are_not_blank(field: Any) -> None:
    blank = error(**{field: " "})
    outcome, seen = ask_step(LABEL_ERRORS, INPUTS, {"errors": [blank]}, {"errors": []})
    assert outcome.repairs == 1
    assert f"errors.0.{field}: is empty" in seen[1].texts[-1]


def test_a_category_outside_the_taxonomy_fails() -> None:
    assert ask_step(LABEL_ERRORS, INPUTS, {"errors": [error("typo")]})[0].status == "failed"


def test_the_second_taxonomy_has_groups() -> None:
    inputs = {**INPUTS, "taxonomy": "medlesionvqa", "case": "Which lesion is it?"}
    outcome, seen = ask_step(LABEL_ERRORS, inputs, {"errors": [error("category confusion")]})
    assert outcome.value.errors[0].group == "lack of knowledge"
    assert "rejected to answer" in seen[0].texts[0]
    assert "Which lesion is it?" in seen[0].user
    empty, _ = ask_step(LABEL_ERRORS, {**inputs, "response": ""}, {"errors": []})
    assert empty.status == "abstained"  # this taxonomy knows no technical errors


def test_a_users_taxonomy_makes_the_output(tmp_path: Path) -> None:
    file = tmp_path / "mine.yml"
    file.write_text(
        "name: mine\nversion: 1\nsource: me\ncategories:\n"
        "  - {name: rude, description: It is impolite.}\n",
        encoding="utf-8",
    )
    inputs = {**INPUTS, "taxonomy": str(file)}
    assert ask_step(LABEL_ERRORS, inputs, {"errors": [error("rude")]})[0].status == "done"
    assert ask_step(LABEL_ERRORS, inputs, {"errors": [error("other")]})[0].status == "failed"
