import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.reading import glossary
from dxjudge.ontology.reading.glossary import gloss
from dxjudge.ontology.reading.query import read_query


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Schilddrüsenkrebs", "thyroid cancer"),
        ("akutes Nierenversagen links", "acute kidney failure left"),
        ("Entzündung der Gallenblase", "inflammation der gallbladder"),
        ("右股骨骨折", "right femur fracture"),
        ("慢性B型肝炎", "chronic B type hepatitis"),
        ("COPD 慢性", "COPD chronic"),
        ("Calculs de la vésicule biliaire", "calculus gallbladder"),
        ("hernie discale lombaire", "disc herniation lumbar"),
        ("douleurs thoraciques", "pain thoracic"),
        ("cáncer de mama", "cancer breast"),
        ("infecciones urinarias", "urinary tract infection"),
        ("neumonía adquirida en la comunidad", "pneumonia acquired comunidad"),
        # What is no German word from end to end stays, so English is left alone.
        ("herzog disease", None),
        ("stable angina", None),  # the Spanish word for tonsillitis
        ("vitamin A deficiency", None),
        ("heart failure", None),
        ("Asthma", None),
        ("", None),
    ],
)
def test_parts_become_english_words(text: str, english: str | None) -> None:
    assert gloss(text) == english


@given(st.text(max_size=40))
def test_any_text_gives_words_or_nothing(text: str) -> None:
    english = gloss(text)
    assert english is None or english.strip()


def test_a_glossed_text_is_one_more_form_and_weighs_less() -> None:
    forms = [(form.text, form.kind) for form in read_query("Nierenstein").forms]
    assert forms == [("nierenstein", "whole"), ("kidney stone", "word for word")]
    assert read_query("Nierenstein").forms[1].weight < 1
    assert len(read_query("kidney stone").forms) == 1


@pytest.mark.parametrize(
    ("text", "category"),
    [("Nierenstein", "N20"), ("Schilddrüsenkrebs", "C73"), ("膀胱结石", "N21")],
)
def test_a_glossed_text_finds_its_code(mapper: Mapper, text: str, category: str) -> None:
    mapping = mapper.map(text)
    assert category in {candidate.code[:3] for candidate in mapping.candidates[:3]}
    assert "word for word" in mapping.candidates[0].why


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(glossary).failed == 0
