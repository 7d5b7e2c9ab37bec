"""Misspelt words are read as the nearest word of the terms, and right ones are left alone."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.reading.spelling import make_spelling

ROOT = Path(__file__).parents[1]
COMMON = 3  # terms that hold a word make it one that others are read as
SPELLING = make_spelling(
    COMMON * ["pneumonia", "mumps", "asthma", "migraine", "acute hepatitis a", "bladder scalp"]
    + ["pneumonia in mumps", "pneumonitis rarely"],
    ["metformin tablets"],
    {"ladder"},
)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("pnuemonia", "pneumonia"),  # two letters in the wrong order: one slip
        ("astma", "asthma"),
        ("acute pneumona", "acute pneumonia"),
        ("pneumxoniaz", "pneumonia"),  # two slips, the first letter holds
        ("mneumonis", "mneumonis"),  # two slips, another first letter
        ("mgriane", "mgriane"),  # two slips in a short word
        ("mumsp", "mumps"),
        ("mmps", "mmps"),  # too short
        ("metfornin", "metfornin"),  # near to a right word that is no term
        ("metformin", "metformin"),
        ("hepatitis b12", "hepatitis b12"),
        ("ladder", "ladder"),  # a common word, near to one of the terms
        ("ladders", "ladders"),
        ("scalps", "scalps"),
        ("raxely", "raxely"),  # near to a word of one term alone
        ("肺炎", "肺炎"),
    ],
)
def test_the_nearest_word_of_the_terms_is_read(written: str, read: str) -> None:
    assert SPELLING.corrected(written) == read


def test_the_commoner_word_wins_among_equally_near_ones() -> None:
    spelling = make_spelling(COMMON * ["gastric ulcer", "gastric cancer", "gastris"])
    assert spelling.corrected("gastrik") == "gastric"


def test_words_of_one_skeleton_are_chosen_between_by_their_letters() -> None:
    singular = ["panel", "comment", "benefit", "concert", "cleaner", "builder", "number", "letter"]
    spelling = make_spelling(["gout"], [f"{word}s {word}" for word in singular])
    assert spelling.in_english("pannel coment bennefit conccert") == "panel comment benefit concert"
    assert spelling.in_english("cleanner buillder nummber leter") == "cleaner builder number letter"


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


@pytest.mark.parametrize(
    "text", ["prednisolne", "echocardiagram", "insuln glargine", "ocupation", "scedule follow up"]
)
def test_a_misspelt_text_that_is_no_diagnosis_stays_unmapped(mapper: Mapper, text: str) -> None:
    assert mapper.map(text).status == "unmapped"


def test_everyday_words_are_no_slips(mapper: Mapper) -> None:
    text = "fall from ladder hiking jumped heater wearer wrists clots crops native cooled punched"
    spelling = mapper.parts.retriever.index.rows.spelling
    assert spelling.corrected(text) == text


def test_few_entries_of_charts_have_a_corrected_form(mapper: Mapper) -> None:
    with (ROOT / "benchmarks" / "data" / "charts.tsv").open(encoding="utf-8") as file:
        texts = [row["text"] for row in csv.DictReader(file, delimiter="\t")]
    read = map(mapper.parts.retriever.read, texts)
    spelt = [query.text for query in read if any(form.kind == "spelling" for form in query.forms)]
    assert 0 < len(spelt) < 0.05 * len(texts)


def test_a_text_without_slips_has_no_further_form(mapper: Mapper) -> None:
    retriever = mapper.parts.retriever
    for text in ("acute bronchitis, viral", "rhabdo, CK 40k", "Nierenstein", "metformin 500 mg"):
        assert "spelling" not in {form.kind for form in retriever.read(text).forms}
    (spelt,) = [form for form in retriever.read("pnuemonia").forms if form.kind == "spelling"]
    assert (spelt.text, spelt.weight) == ("pneumonia", 0.95)


def test_a_word_without_vowels_is_read_with_them_beside_others() -> None:
    spelling = make_spelling(["abrasion of elbow", "abrasion of knee", "abrasion of hip"])
    assert spelling.corrected("abrsn elbow") == "abrasion elbow"
    # Alone it is mostly an abbreviation that no table has.
    assert spelling.corrected("abrsn") == "abrsn"
