import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.reading import glossary, parts
from dxjudge.ontology.reading.glossary import gloss
from dxjudge.ontology.reading.query import read_query


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Schilddrüsenkrebs", "thyroid cancer"),
        ("akutes Nierenversagen links", "acute kidney failure left"),
        ("Entzündung der Gallenblase", "inflammation of gallbladder"),
        ("Nierenversagen auf dem Boden einer Exsikkose", "kidney failure due to dehydration"),
        ("Bandscheibenvorfall L3/4", "intervertebral disc herniation l3 4"),
        ("Grippe A", "influenza a"),
        ("van der Woude syndrome", None),
        ("右股骨骨折", "right femur fracture"),
        ("慢性B型肝炎", "chronic B type hepatitis"),
        ("COPD 慢性", "COPD chronic"),
        ("Calculs de la vésicule biliaire", "calculus gallbladder"),
        ("hernie discale lombaire", "disc herniation lumbar"),
        ("douleurs thoraciques", "chest pain"),
        ("cáncer de mama", "breast cancer"),
        ("infecciones urinarias", "urinary tract infection"),
        ("neumonía adquirida en la comunidad", "pneumonia acquired comunidad"),
        ("labio lesión", "lip disease"),  # the two words of a phrase in the other order
        ("parótida izquierda lesión", "disease of salivary gland left"),  # and a side between
        ("hipo-proteinemia", "hypoproteinemia"),
        # Beside a Spanish word "tumor" is a Spanish word.
        ("tumor de rodilla", "neoplasm of unspecified behavior knee"),
        ("tumor benigno de rodilla", "benign neoplasm knee"),
        ("calcoli renali", "kidney stones"),
        ("perdita dell'udito", "loss hearing"),
        ("lussazione della spalla", "dislocation of shoulder"),
        ("infecções urinárias", "urinary tract infection"),
        ("fratura do punho", "wrist fracture"),
        ("Bandscheibenprolaps L5/S1", "intervertebral disc herniation l5 s1"),  # stages count not
        ("Leistenhernie li", "inguinal hernia left"),  # short words, beside a German one
        ("cancer du poumon métastatique", "lung cancer metastatic"),
        ("acute nierbekkenontsteking rechts", "acute pyelonephritis right"),
        ("infectieuze diarree", "infectious diarrhea"),  # a part as it is before an ending
        ("nierstenen bij jicht", "kidney stones with gout"),
        ("polyneuropathie t.g.v. diabetes mellitus", "polyneuropathy due to diabetes mellitus"),
        ("pijn op de borst na inspanning", "chest pain after exertion"),
        ("bacteriële of virale infectie", "bacterial or viral infection"),  # "or", no English "of"
        ("vocht in long", "fluid in lung"),  # "long" beside a Dutch word
        ("long lever arm", None),
        ("been collapsed", None),
        ("renale", None),  # Italian too
        ("sepsis w/o complications", None),  # a small word of English
        ("colonic polyps", None),
        ("vaginal tumor", None),
        # What is no German word from end to end stays, so English is left alone.
        ("herzog disease", None),
        ("stable angina", None),  # the Spanish word for tonsillitis
        ("vitamin A deficiency", None),
        ("heart failure", None),
        ("Asthma", None),
        ("oud", None),  # the abbreviation of opioid use disorder in small letters
        ("oud litteken", "old scar"),
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
    [
        ("Nierenstein", "N20"),
        ("blaassteen links", "N21"),
        ("Schilddrüsenkrebs", "C73"),
        ("膀胱结石", "N21"),
    ],
)
def test_a_glossed_text_finds_its_code(mapper: Mapper, text: str, category: str) -> None:
    mapping = mapper.map(text)
    assert category in {candidate.code[:3] for candidate in mapping.candidates[:3]}
    assert "word for word" in mapping.candidates[0].why


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(glossary).failed == doctest.testmod(parts).failed == 0


@pytest.mark.parametrize(
    ("text", "english"),
    [
        # Words without a meaning of their own do not part a phrase of the table.
        ("dolor en el hipocondrio derecho", "right upper quadrant pain"),
        ("edema de los miembros inferiores", "localized edema"),
        # In capitals, and beside a word of the language, it is an abbreviation of the language.
        ("quemosis OI", "conjunctival edema chemosis left eye"),
        ("OI", None),
        ("OI type 3", None),
        ("Schenkelhalsfraktur rechts", "fracture of neck of femur right"),
    ],
)
def test_phrases_and_abbreviations_of_a_language_are_read(text: str, english: str | None) -> None:
    assert gloss(text) == english


def test_an_abbreviation_of_another_language_is_not_written_out_in_english() -> None:
    forms = [form.text for form in read_query("quemosis OI").forms]
    assert not any("osteogenesis" in form for form in forms)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("hiperesplenismo", "D73.1"),
        ("hipersplenismo", "D73.1"),
        ("Nephropathie hypertensive", "I12"),
    ],
)
def test_a_word_of_another_language_finds_its_english_cognate(
    mapper: Mapper, text: str, code: str
) -> None:
    assert mapper.map(text).candidates[0].code.startswith(code)
