"""Numbers, states after procedures, doses and lay words are read as the release words them."""

import doctest
import re
from types import ModuleType

import pytest

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology.base import default_terms
from dxjudge.ontology.notes import values
from dxjudge.ontology.packaged import packaged
from dxjudge.ontology.reading import lay, measured, past, states, told
from dxjudge.ontology.reading.abbreviations import expand_abbreviations
from dxjudge.ontology.reading.lay import in_clinical_words
from dxjudge.ontology.reading.measured import measures_in, whole_measure
from dxjudge.ontology.reading.normalise import normalise_text
from dxjudge.ontology.reading.query import read_query
from dxjudge.ontology.reading.told import terms_told
from dxjudge.ontology.tree import load_tree


@pytest.fixture(scope="module")
def terms() -> dict[str, str]:
    return {normalise_text(term.text): term.code for term in default_terms(load_tree())}


@pytest.mark.parametrize("module", [lay, measured, past, states, told])
def test_the_examples_of_the_readers_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def lines_of(name: str) -> list[list[str]]:
    lines = packaged(name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")][1:]


def test_every_number_of_the_table_has_a_code(terms: dict[str, str]) -> None:
    kinds = {kind.name for kind in measured._KINDS} | {name for name, *_ in values._LABS}
    assert {name for name, *_ in lines_of("measures.tsv")} == kinds
    named = [
        term.format(n=number)
        for _, start, below, term in lines_of("measures.tsv")
        for number in (range(int(start), int(below)) if "{n}" in term else [0])
    ]
    assert [term for term in named if normalise_text(term) not in terms] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("OB 28 weeks", "Z3A.28"),
        ("28 wks pregnant", "Z3A.28"),
        ("IUP at 32w4d", "Z3A.32"),
        ("GA 27+3", "Z3A.27"),
        ("28/40 pregnant", "Z3A.28"),
        ("G2P1 at 39 weeks", "Z3A.39"),
        ("6 weeks pregnant", "Z3A.01"),
        ("ex 30 weeker", "P07.33"),
        ("preemie, born at 26 weeks", "P07.25"),
        ("birth weight 1250 g", "P07.15"),
        ("BMI 42", "Z68.41"),
        ("BMI: 37.5 kg/m2", "Z68.37"),
        ("BMI 3rd percentile", "Z68.51"),
        ("NIHSS 12", "R29.712"),
        ("GCS 8/15", "R40.243"),
        ("GCS 15", None),
        ("BMI 40-44", None),
        ("cough for 6 weeks", None),
        ("6 weeks postpartum", None),
        ("infant, 6 weeks", None),
        ("pregnancy test", None),
    ],
)
def test_a_number_that_is_a_whole_text_has_its_code(
    text: str, code: str | None, terms: dict[str, str]
) -> None:
    assert terms.get(normalise_text(whole_measure(text))) == code


def test_weeks_since_something_are_no_weeks_of_a_pregnancy() -> None:
    assert measures_in("mastitis 6 weeks postpartum") == ()
    assert [measure.span for measure in measures_in("GDM, 31 wks, BMI 41")] == ["31 wks", "BMI 41"]


def test_lay_words_lead_to_terms(terms: dict[str, str]) -> None:
    whole = [
        words
        for _, words in lines_of("lay.tsv")
        if words.strip() == words and len(words.split()) > 1 and "\\" not in words
    ]
    assert len(whole) > 30
    assert {words for words in whole if normalise_text(words) not in terms} == {"of vulva"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I can't fall asleep", "insomnia"),
        ("unable to swallow", "dysphagia"),
        ("having trouble breathing", "shortness of breath"),
        ("My left knee is killing me", "pain in left knee"),
        ("my ankles are swollen", "swelling of ankles"),
        ("it hurts when I pee", "dysuria"),
        ("I keep throwing up", "vomiting"),
        ("can't keep food down", "vomiting"),
        ("my shoulder popped out", "dislocation of shoulder"),
        ("can't quit smoking", "nicotine dependence"),
        ("it hurts when I breathe", "pain on breathing"),
        ("chest pain with shortness of breath", None),
        ("jock itch", None),
        ("Bipolar I disorder", None),
        ("pain in left knee", None),
        ("sleep apnea", None),
    ],
)
def test_lay_words_are_put_into_clinical_words(text: str, words: str | None) -> None:
    assert in_clinical_words(text) == words


def test_each_text_of_the_table_of_states_means_a_term(terms: dict[str, str]) -> None:
    texts = [text for *_, text in lines_of("told.tsv")]
    assert [text for text in texts if not means(text, terms)] == []


def means(text: str, terms: dict[str, str]) -> str | None:
    """Return the code of the first wording of what a text means that is a term."""
    read = map(normalise_text, terms_told(text))
    return next((terms[term] for term in read if term in terms), None)


def test_a_row_of_the_table_of_states_reads_its_own_text() -> None:
    rows = {text: re.compile(words) for words, _, text in lines_of("told.tsv")}
    tables = {text: told._Table(words, ((words, "a term"),)) for text, words in rows.items()}
    plain = {
        text: (text, told._WHEN.sub("", text), expand_abbreviations(text).text) for text in rows
    }
    drugs = {text for text in rows if rows[text].pattern.startswith("on (?:")}
    assert len(drugs) > 9
    assert [t for t in rows if t not in drugs and not told.terms_in(plain[t], tables[t])] == []


@pytest.mark.parametrize(
    "text",
    [
        "knee replacement tomorrow",
        "spleen removed yesterday",
        "chemotherapy cycle 3",
        "hip fracture, hip replaced",
        "traumatic amputation of left arm",
        "daily headaches",
        "metformin 500 mg daily",
        "cannot read small print",
        "asbestosis, worked with asbestos",
        "headache in first pregnancy, 12 weeks",
        "illiterate patient with pneumonia",
    ],
)
def test_a_text_about_more_than_a_state_means_none(text: str, terms: dict[str, str]) -> None:
    assert means(text, terms) is None


def test_what_is_sought_is_set_aside() -> None:
    query = read_query("leg swelling r/o DVT")
    assert query.forms[0].text == "leg swelling" and query.set_aside == "r/o DVT"


CODES = {
    "s/p appy": "Z90.49",
    "s/p L BKA": "Z89.512",
    "R THR 2018": "Z96.641",
    "kidney transplant 2012": "Z94.0",
    "PPM in situ": "Z95.0",
    "melanoma in situ": "D03",
    "MMR #2": "Z23",
    "Tdap given": "Z23",
    "Infarction, myocardial, old": "I25.2",
    "Injury, ACL, old": "M23.5",
    "Neoplasm, lung, malignant": "C34.9",
    "hospice eval": "Z51.5",
    "well child 4yo": "Z00.129",
    "room is spinning": "R42",
    "mancanza d'aria": "R06.02",
    "left above-knee amputee": "Z89.612",
    "daily low-dose aspirin": "Z79.82",
    "takes ibuprofen every day": "Z79.1",
    "first pregnancy, 22 weeks, routine visit": "Z34.02",
    "pacemaker lead fracture": "T82.110",
    "treated hypertension": "I10",
    "mesothelioma after asbestos exposure": "C45.9",
    "CABG x3 2014, stable": "Z95.1",
    "trasplantado renal hace 5 años": "Z94.0",
    "breast cancer 2009, treated, no evidence of disease": "Z85.3",
    "COVID last year, fully recovered": "Z86.16",
    "MI 2012": "I25.2",
    "STEMI 2018 s/p PCI": "I25.2",
    "L MCA stroke (2016)": "Z86.73",
    "DVT 2011": "Z86.718",
    "s/p PCI to LAD with DES x2": "Z95.5",
    "supratherapeutic INR (8.2) on warfarin": "R79.1",
    "a/c systolic HF": "I50.23",
    "AoC hypoxic resp failure": "J96.21",
    "CHF exac": "I50.9",
    "a/c CHF": "I50.9",
    "polycystic kidneys in mother": "Z82.71",
    "MRI L-spine w/ gad": None,
    "low sodium diet": None,
    "SpO2 94% on air": None,
}


def test_such_texts_have_their_codes(mapper: Mapper) -> None:
    mappings = mapper.map_many(list(CODES))
    assert {mapping.text: mapping.code for mapping in mappings} == CODES
