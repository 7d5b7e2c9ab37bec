"""Folding of free text."""

import doctest

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dxjudge.ontology.reading import normalise
from dxjudge.ontology.reading.normalise import normalise_text


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("  Acute   Appendicitis. ", "acute appendicitis"),
        ("Sjögren’s syndrome", "sjogren syndrome"),
        ("Graves' disease", "graves disease"),
        ("Oesophageal haemorrhage, anaemia", "esophageal hemorrhage anemia"),
        ("Diarrhoea & dyspnoea", "diarrhea and dyspnea"),
        ("tumour/neoplasm (lung)", "tumor neoplasm lung"),
        ("Ménière disease", "meniere disease"),
        ("type_2 diabetes", "type 2 diabetes"),
        ("", ""),
        ("???", ""),
    ],
)
def test_folds_case_accents_punctuation_possessives_and_spelling(written: str, folded: str) -> None:
    assert normalise_text(written) == folded


def test_words_of_specificity_stay() -> None:
    assert normalise_text("Asthma, unspecified") == "asthma unspecified"
    assert normalise_text("Asthma NOS") == "asthma nos"


@pytest.mark.parametrize(
    "word", ["aerophagy", "poems syndrome", "phoenix", "angioedema", "gastroesophageal"]
)
def test_leaves_other_words_alone(word: str) -> None:
    assert normalise_text(word) == word


@given(st.text(max_size=80))
@example("\N{MATHEMATICAL DOUBLE-STRUCK CAPITAL S}epsis")
def test_folding_twice_changes_nothing_more(text: str) -> None:
    once = normalise_text(text)
    assert normalise_text(once) == once


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(normalise).failed == 0
