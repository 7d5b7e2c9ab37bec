"""An abbreviation that the text itself writes out says nothing more than its words."""

import pytest

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.reading.own_letters import without_own_letters


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("SK - Solar keratosis", "Solar keratosis"),
        ("Solar keratosis - SK", "Solar keratosis"),
        ("PE: pre-eclampsia", "pre-eclampsia"),
        ("GORD - Gastro-oesophageal reflux disease", "Gastro-oesophageal reflux disease"),
        ("HTN - hypertension", "hypertension"),  # three letters of one word
        ("AKI = Acute injury of kidney", "AKI = Acute injury of kidney"),  # another order
    ],
)
def test_letters_of_the_words_are_dropped(text: str, read: str) -> None:
    assert without_own_letters(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "MI - inferior wall",  # other letters
        "CA - breast",
        "MS - mass",  # two letters of one word may be chance
        "FH - father had hypertension",  # a word without a letter
        "COPD - chronic obstructive airways disease",  # not by these words
        "AF - CHA2DS2-VASc 4",
        "RA",
        " - ",
    ],
)
def test_other_letters_stay(text: str) -> None:
    assert without_own_letters(text) == text


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("SK - Solar keratosis", "L57"),  # by itself SK is a seborrheic keratosis
        ("PE - Pre-eclampsia", "O14"),
        ("FH - Familial hypercholesterolaemia", "E78"),  # and no history of a relative
        ("AS - Ankylosing spondylitis", "M45"),
    ],
)
def test_the_words_count(mapper: Mapper, text: str, category: str) -> None:
    mapping = mapper.map(text)
    assert mapping.code is not None
    assert mapping.code[:3] == category
