"""A text that equals a term has that term's code, whatever the readers make of its words."""

import pytest

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.reading.query import read_query
from dxjudge.ontology.search.queries import OFFICIAL

# Words that the readers of severity, certainty, encounters, order and events rewrite.
_STARTS = ("fall ", "assault ", "suspected ", "possible ", "known ", "late effect")
_ENDS = (" confirmed", " suspected", " nec", " old", " initial", " symptoms", " ruled out")
_STEP = 400  # one in so many of the other terms is read


def test_a_printed_term_is_found_whatever_rewrites_it(mapper: Mapper) -> None:
    index, retriever = mapper.parts.retriever.index, mapper.parts.retriever
    read = [
        (read_query(term.text), folded, term)
        for row, (term, folded) in enumerate(zip(index.terms, index.folded, strict=True))
        if row % _STEP == 0
        or "use disorder" in folded
        or folded.startswith(_STARTS)
        or folded.endswith(_ENDS)
    ]
    assert sum(query.forms[0].text != folded for query, folded, _ in read if query.forms) > 200
    lost = [
        term.text
        for query, _, term in read
        if term.source in OFFICIAL
        and not query.refusal
        and term.code not in {index.terms[row].code for row in retriever.look_up(query)}
    ]
    assert lost == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Alcohol use disorder, severe", "F10.20"),
        ("Opioid use disorder, mild", "F11.10"),
        ("Tobacco use disorder, mild", "F17.200"),
        ("Phencyclidine use disorder, mild, in early remission", "F16.11"),
        ("Rape, confirmed", "T74.2"),
        ("Bullying and intimidation, confirmed", "T74.3"),
        ("Intimidation through social media, suspected", "T76.3"),
        ("assault, by knife", "X99.1"),
    ],
)
def test_a_printed_term_has_its_own_code(mapper: Mapper, text: str, code: str) -> None:
    mapping = mapper.map(text)
    assert (mapping.code, mapping.score) == (code, 1.0)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("fall, recurrent", "R29.6"),  # a word about the event
        ("Fall, unspecified", "W19"),
        ("MVA, unspecified", "V89.2"),
        ("assault, physical", "Y09"),
        ("Metastatic breast cancer in liver", "C78.7"),  # two sites: what began where is unsure
        ("metastatic colon cancer liver", "C78.7"),
        ("metastatic lung cancer", "C34"),
        (
            "MRSA wound infection",
            "A49.02",
        ),  # T81.4 follows a procedure
        ("HBsAg +", "B18.1"),
        ("HBsAg positive", "B18.1"),
        ("Schizophrenia, not paranoid", "F20"),
        ("Recurrent pregnancy loss x3, not pregnant", "N96"),  # "pregnancy" is said as well
    ],
)
def test_a_rule_stops_where_the_text_says_more(mapper: Mapper, text: str, code: str) -> None:
    assert mapper.map(text).code == code


def test_an_event_before_a_term_is_set_aside_and_told(mapper: Mapper) -> None:
    mapping = mapper.map("mechanical fall, hip fracture")
    assert mapping.code == "S72.00" and "'mechanical fall' was set aside" in (mapping.reason or "")


@pytest.mark.parametrize("text", ["VRE exposure", "E coli contamination"])
def test_an_organism_stands_beside_no_code_but_an_infection(mapper: Mapper, text: str) -> None:
    mapping = mapper.map(text)
    assert not mapping.additional and mapping.code not in {"X58", "Y64"}


def test_what_a_text_says_is_absent_is_not_first(mapper: Mapper) -> None:
    codes = [one.code for one in mapper.map("non-hereditary factor VIII deficiency").candidates]
    assert codes[0] != "D66" and "D66" in codes
