"""Reading a free-text diagnosis."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.ontology.reading import abbreviations, agents, query, several, shorthand
from dxjudge.ontology.reading.abbreviations import expand_abbreviations
from dxjudge.ontology.reading.no_diagnosis import why_not_a_diagnosis
from dxjudge.ontology.reading.query import read_query
from dxjudge.ontology.reading.several import split_diagnoses

AFIB = "atrial fibrillation"
PPROM = "preterm premature rupture of membranes"


@pytest.mark.parametrize(
    ("written", "forms"),
    [
        (
            "GERD (reflux)",
            ["gastroesophageal reflux disease reflux", "gastroesophageal reflux disease", "reflux"],
        ),
        (
            "T2DM with CKD",
            ["type 2 diabetes mellitus with chronic kidney disease", "type 2 diabetes mellitus"],
        ),
        ("AAA 5.6 cm", ["abdominal aortic aneurysm 5 6 cm", "abdominal aortic aneurysm"]),
        ("rhabdo, CK 40k", ["rhabdomyolysis ck 40k", "rhabdomyolysis"]),
        ("#radius", ["fracture radius"]),
        ("syphilis +ve", ["syphilis positive"]),
        ("syphilis+, treated", ["syphilis positive treated", "syphilis positive"]),
        ("PPROM 31w", [PPROM + " 31w", PPROM]),
        ("erysipelas R leg", ["erysipelas right leg", "erysipelas leg"]),
        ("dacryocystitis OS", ["dacryocystitis left eye", "dacryocystitis"]),
        ("CF w/pseudomonas", ["cystic fibrosis with pseudomonas", "cystic fibrosis"]),
        ("afib w RVR", [AFIB + " with rapid ventricular response", AFIB]),
        ("sepsis 2/2 PNA", ["sepsis secondary to pneumonia", "sepsis"]),
        ("c/o dizziness", ["dizziness"]),
        ("Cholera, suspected", ["cholera"]),
        ("Malaria (RDT confirmed)", ["malaria"]),
        ("Knee symptom/complaint", ["knee pain"]),
        ("Opioid use disorder, moderate", ["opioid dependence"]),
        ("V.a. appendicitis", ["appendicitis"]),
        ("verdenking op appendicitis", ["appendicitis"]),
        ("?PE", ["pulmonary embolism"]),
        ("asthma w/o exacerbation", ["asthma without exacerbation", "asthma"]),
        ("EtOH w/d", ["alcohol withdrawal"]),
        ("trisomy 21", ["trisomy 21"]),
        ("type 2 diabetes", ["type 2 diabetes"]),
        ("dystrophy type 2L", ["dystrophy type 2l"]),
        ("4H leukodystrophy", ["4h leukodystrophy"]),
        ("prostate ca Gleason 3+4=7", ["prostate cancer gleason 3+4 7", "prostate cancer"]),
        ("anemia Hgb 6.8 g/dL", ["anemia hgb 6 8 g dl", "anemia"]),
        ("acute on chronic heart failure", ["acute on chronic heart failure"]),
        ("right heart failure", ["right heart failure"]),
        ("bacteremia 2/2 bottles", ["bacteremia 2 2 bottles"]),
        ("colon ca scr", ["encounter for screening for colon cancer", "colon cancer"]),
        ("scr mammo", ["screening mammogram"]),
        ("scr elevated", ["scr elevated"]),
        ("IDA, ferritin 6", ["iron deficiency anemia ferritin 6", "iron deficiency anemia"]),
        ("chr 22 deletion", ["chr 22 deletion"]),
        ("preeclampsia 34 w 2 d", ["preeclampsia 34 w 2 d"]),
    ],
)
def test_offers_the_ways_to_read_a_text(written: str, forms: list[str]) -> None:
    assert [form.text for form in read_query(written).forms] == forms


def test_alternatives_of_a_slash_are_forms_of_their_own() -> None:
    forms = {form.text: form.kind for form in read_query("NSTEMI / STEMI").forms}
    assert forms["non st elevation myocardial infarction"] == "alternative"
    assert forms["st elevation myocardial infarction"] == "alternative"


def test_an_ambiguous_abbreviation_alone_is_refused_with_its_meanings() -> None:
    read = read_query("MS")
    assert (
        read.refusal == "ambiguous abbreviation: MS may mean multiple sclerosis or mitral stenosis"
    )
    assert [form.text for form in read.forms] == ["multiple sclerosis", "mitral stenosis"]


def test_an_ambiguous_abbreviation_in_a_text_is_left_and_reported() -> None:
    read = read_query("MS with fatigue")
    assert read.refusal is None
    assert [entry.short for entry in read.ambiguous] == ["MS"]
    assert read.forms[0].text == "ms with fatigue"


def test_an_abbreviation_that_is_a_word_is_read_only_in_capitals_or_alone() -> None:
    assert expand_abbreviations("all joints ache").expanded == ()
    assert expand_abbreviations("relapsed ALL").text == "relapsed acute lymphoblastic leukemia"
    assert expand_abbreviations("mi").text == "myocardial infarction"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("UTIs", "urinary tract infection"),
        ("LES dysfunction", "LES dysfunction"),
        ("PATIENT HAS DYSPNEA", "PATIENT HAS DYSPNEA"),
        ("Brucella suis", "Brucella suis"),
        ("chest pain R/O MI", "chest pain possible myocardial infarction"),
        ("R/L knee", "R/L knee"),
        ("L 5 radiculopathy", "L 5 radiculopathy"),
        ("L knee pain", "left knee pain"),
        ("SI joint pain", "sacroiliac joint pain"),
        ("PsA", "psoriatic arthritis"),
        ("raised PSA", "raised PSA"),
        ("COVID 19", "COVID-19"),
        ("Ca oxalate stone", "calcium oxalate stone"),
        ("staph aureus", "Staphylococcus aureus"),
    ],
)
def test_short_forms_are_written_out_where_they_mean_it(written: str, read: str) -> None:
    assert expand_abbreviations(written).text == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "???",
        "no diagnosis",
        "N/A",
        "unknown",
        "geen",
        "familieanamnese: negatief",
        "Hb 9.2 g/dL",
        "potassium 5.9",
        "BP 140/90",
    ]
    + ["age 45 years", "37 y/o female", "male, 54", "half past nine", "17:45 hrs", "12 March 2024"]
    + ["ppppp", "lalala", "Dr. Ann Lee", "Linda K. Peters, RN", "mary.jones@example.com"]
    + ["temperature 39 C", "12345", "-", "patient doing well", "\x00\x01\x02\x03ab"],
)
def test_what_is_no_diagnosis_is_refused_with_a_reason(text: str) -> None:
    assert why_not_a_diagnosis(text)
    assert read_query(text).forms == ()


@pytest.mark.parametrize(
    "text", ["suspected ?", "h/o ?", "history of .", "history of", "Suspected:", "r/o", "possible"]
)
def test_what_only_announces_a_condition_is_refused(text: str) -> None:
    read = read_query(text)
    assert (read.refusal, read.forms) == ("names no condition", ())


@pytest.mark.parametrize(
    "text",
    ["hepatitis C", "vitamin B12 deficiency", "COVID-19", "trisomy 21", "DM2", "fever", "burn 20%"]
    + ["47XXY", "22q11DS", "CK 40,000 rhabdo", "Mr. Jones has COPD", "hypertension, MD"]
    + ["old age", "MR with LA dilation", "MD, Duchenne", "5-HT syndrome", "Kwashiorkor", "may"]
    + ["type 2 diabetes", "factor 8 deficiency", "hyperglycemia"],
)
def test_what_looks_like_a_value_but_is_a_diagnosis_passes(text: str) -> None:
    assert why_not_a_diagnosis(text) is None


@pytest.mark.parametrize(
    ("cell", "parts"),
    [
        ("pneumonia; sepsis", ("pneumonia", "sepsis")),
        ("1. Asthma\n2. GERD", ("Asthma", "GERD")),
        ("(1) Asthma (2) GERD", ("Asthma", "GERD")),
        ("Asthma | GERD | Asthma", ("Asthma", "GERD")),
        ("pneumonia and sepsis", ("pneumonia and sepsis",)),
        ("NSTEMI / STEMI", ("NSTEMI / STEMI",)),
        ("pneumonia;", ("pneumonia;",)),
    ],
)
def test_splits_a_cell_only_at_marks_that_separate_diagnoses(
    cell: str, parts: tuple[str, ...]
) -> None:
    assert split_diagnoses(cell) == parts


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    read = read_query(text)
    assert bool(read.forms) or read.refusal
    assert all(0 < form.weight <= 1 for form in read.forms)
    assert split_diagnoses(text)


def test_examples_in_docstrings() -> None:
    for module in (query, abbreviations, several, shorthand, agents):
        assert doctest.testmod(module).failed == 0


def test_an_abbreviation_of_the_kind_beside_is_left_where_no_words_say_its_meaning() -> None:
    plain = expand_abbreviations("seen by PA for sinusitis")
    assert plain.text == "seen by PA for sinusitis" and plain.ambiguous == plain.expanded == ()
    read = expand_abbreviations("PA with renin suppressed")
    assert read.text == "primary aldosteronism with renin suppressed"
    assert read.ambiguous == ()
