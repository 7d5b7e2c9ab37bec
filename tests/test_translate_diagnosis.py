from typing import Any

import pytest

from dxjudge.agents.translate_diagnosis import TRANSLATE_DIAGNOSIS, Translation

from .scripted import ask_step

INPUTS = {"diagnosis": "akuter Gichtanfall, links"}


def answer(english: Any, language: str = "German") -> dict[str, Any]:
    return {"language": language, "english": english}


def test_the_translation_is_tidied_and_the_model_sees_the_text() -> None:
    outcome, seen = ask_step(TRANSLATE_DIAGNOSIS, INPUTS, answer(" acute gout,  left "))
    assert outcome.value == Translation(language="German", english="acute gout, left")
    assert "akuter Gichtanfall, links" in seen[0].user


def test_no_diagnosis_is_an_abstention() -> None:
    outcome, _ = ask_step(TRANSLATE_DIAGNOSIS, INPUTS, answer(None))
    assert outcome.status == "abstained"
    assert outcome.reason == "the model sees no diagnosis in the text"


@pytest.mark.parametrize(
    ("english", "problem"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("痛风", "'痛风' is not English"),
        ("gout (подагра)", "is not English"),
        ("gout\nThe patient has gout.", "on one line"),
        ("gout " * 100, "on one line"),
    ],
)
def test_what_is_no_translation_is_repaired_or_failed(english: str, problem: str) -> None:
    outcome, seen = ask_step(TRANSLATE_DIAGNOSIS, INPUTS, answer(english), answer("gout"))
    assert (outcome.value.english, outcome.repairs) == ("gout", 1)
    assert problem in seen[1].texts[-1]
    assert ask_step(TRANSLATE_DIAGNOSIS, INPUTS, answer(english))[0].status == "failed"


@pytest.mark.parametrize("english", ["Guillain-Barré syndrome", "β-thalassemia", "Sjögren's"])
def test_accents_and_greek_letters_are_english_enough(english: str) -> None:
    assert ask_step(TRANSLATE_DIAGNOSIS, INPUTS, answer(english))[0].value.english == english
