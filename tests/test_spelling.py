"""Misspelt words are read as the nearest word of the terms, and right ones are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.spelling import make_spelling

SPELLING = make_spelling(
    ["pneumonia", "pneumonia in mumps", "pneumonitis", "asthma", "migraine", "acute hepatitis a"],
    ["metformin tablets"],
)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("pnuemonia", "pneumonia"),  # two letters in the wrong order: one slip
        ("astma", "asthma"),
        ("acute pneumona", "acute pneumonia"),
        ("pneumoniaas", "pneumonia"),  # two slips, the first letter holds
        ("nneumonis", "nneumonis"),  # two slips, another first letter
        ("mgriane", "mgriane"),  # two slips in a short word
        ("mumsp", "mumps"),
        ("mmps", "mmps"),  # too short
        ("metfornin", "metfornin"),  # near to a right word that is no term
        ("metformin", "metformin"),
        ("hepatitis b12", "hepatitis b12"),
        ("肺炎", "肺炎"),
    ],
)
def test_the_nearest_word_of_the_terms_is_read(written: str, read: str) -> None:
    assert SPELLING.corrected(written) == read


def test_the_commoner_word_wins_among_equally_near_ones() -> None:
    spelling = make_spelling(["gastric ulcer", "gastric cancer", "gastris"], [])
    assert spelling.corrected("gastrik") == "gastric"


@given(st.lists(st.sampled_from(["pneumonia", "mumps", "acute", "tablets", "x1", "of"])))
def test_known_words_stay(words: list[str]) -> None:
    text = " ".join(words)
    assert SPELLING.corrected(text) == text


@given(st.text("abcdeimnopsu ", max_size=30))
def test_a_corrected_text_has_as_many_words_and_is_settled(text: str) -> None:
    once = SPELLING.corrected(text)
    assert len(once.split()) == len(text.split())
    assert SPELLING.corrected(once) == once


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("pnuemonia", "J18"),
        ("Hypertention", "I10"),
        ("osteoperosis", "M81"),
        ("anxeity", "F41"),
        ("Epilepsey, on carbamazepine", "G40"),
    ],
)
def test_a_misspelt_diagnosis_finds_its_code(mapper: Mapper, text: str, category: str) -> None:
    mapping = mapper.map(text)
    assert mapping.status == "mapped" and (mapping.code or "").startswith(category)
    assert mapping.decided_by == "embedded"  # never as sure as an equal text
    assert "spelling" in mapping.candidates[0].why


def test_a_text_without_slips_has_no_further_form(mapper: Mapper) -> None:
    retriever = mapper.parts.retriever
    for text in ("acute bronchitis, viral", "rhabdo, CK 40k", "Nierenstein", "metformin 500 mg"):
        assert "spelling" not in {form.kind for form in retriever.read(text).forms}
    (spelt,) = [form for form in retriever.read("pnuemonia").forms if form.kind == "spelling"]
    assert (spelt.text, spelt.weight) == ("pneumonia", 0.95)
