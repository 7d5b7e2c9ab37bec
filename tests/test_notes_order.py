"""What may stand first in a note, what its parts join to, and the first of several diagnoses."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxjudge import Mapper
from dxjudge.ontology.combinations import find_combination
from dxjudge.ontology.notes.pregnant import pregnancy_in
from dxjudge.ontology.packaged import packaged_rows
from dxjudge.ontology.reading.abbreviations import expand_abbreviations
from dxjudge.ontology.specificity import at_specificity
from dxjudge.ontology.tree import load_tree
from dxjudge.ontology.written import written_codes


@pytest.fixture(scope="module")
def mapper() -> Mapper:
    return Mapper(added="none", specificity="billable")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # Codes of pregnancy come before those of other chapters (guidelines, I.C.15.a.1).
        ("asthma exac 26/40", "O99.512"),
        ("T2DM, 20 wks pregnant", "O24.112"),
        ("pregnant, appendicitis", "O99.619"),
        # What the table of combinations joins stands in three parts.
        ("HTN, CKD4, p/w decompensated HFpEF, wt up 6 kg", "I13.0"),
        ("unstable angina, known native CAD, no prior CABG", "I25.110"),
        ("HTN heart dz w/ acute diastolic failure, IV lasix", "I11.0"),
        # A poisoning comes before what it brings (I.C.19.e.5).
        ("20 oxycodone to end it all, GCS 9, naloxone inf", "T40.2X2A"),
        ("60x300mg aspirin, wanted to die, tinnitus", "T39.012A"),
        ("extra carbamazepine by mistake, nystagmus, level 22", "T42.1X1A"),
        # A birth at term is not preterm, and a delivery is a complication's setting.
        ("40/40, spontaneous labour, SVD", "O80"),
        # The first of several diagnoses in one cell.
        ("1. Acute MI; 2. Cardiogenic shock; 3. AKI", "I21.9"),
        ("1) pneumonia 2) AF", "J18.9"),
        ("HTN/DM/HLD", "I10"),
        # Values, words that are no abbreviations, and fragments of states.
        ("press at work, R hand crushed", "S67.21XA"),
        ("fever 39.5", "R50.9"),
        ("fall from horse", "V80.010A"),
    ],
)
def test_what_a_chart_means_stands_first(mapper: Mapper, text: str, code: str) -> None:
    assert mapper.map(text).code == code


@pytest.mark.parametrize(
    "text",
    [
        "lives with wife",
        "Hb 13.2, WCC 7.5, plt 220",
        "BP 150/90",
        "Ca 1.6",
    ],
)
def test_what_is_no_diagnosis_has_no_code(mapper: Mapper, text: str) -> None:
    assert mapper.map(text).code is None


def test_each_part_of_a_cell_that_is_refused_leaves_it_without_a_code(mapper: Mapper) -> None:
    mapping = mapper.map("BP 150/90; WCC 15")
    assert mapping.code is None and "a measured value" in (mapping.reason or "")


def test_a_joined_code_names_the_words_that_it_comes_from(mapper: Mapper) -> None:
    mapping = mapper.map("asthma exac 26/40")
    assert "'26/40'" in (mapping.reason or "")
    assert "J45.901" in {one.code for one in mapping.additional}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("asthma exac, 26/40", "26/40"),
        ("pregnant, appendicitis", "pregnant"),
        ("not pregnant", ""),
        ("vision 20/40", ""),
        ("RDS, prem 30/40", ""),
        ("pregnancy test neg, abdominal pain", ""),
        ("wife pregnant, flu", ""),
        ("h/o pregnancy loss, asthma", ""),
        ("planning to get pregnant, hypothyroid", ""),
    ],
)
def test_a_pregnancy_is_told_in_words_or_weeks(text: str, words: str) -> None:
    assert pregnancy_in(text) == words


def test_each_code_of_pregnancy_in_the_table_is_one_of_the_release() -> None:
    tree = load_tree()
    for first, code in (("E10.9", "O24.01"), ("E03.9", "O99.28"), ("S52.5", "O9A.21")):
        line = find_combination(first, "Z33.1")
        assert line is not None and line.code == code
    rows = [row for row in packaged_rows("combinations.tsv") if row[1] == "Z33.1"]
    assert len(rows) > 40
    for prefixes, _, code, _ in rows:
        assert tree.node(code).code == code, prefixes
    assert find_combination("H40.9", "Z33.1") is None


@pytest.mark.parametrize(
    ("code", "text", "billable"),
    [
        ("S43.0", "shoulder disloc", "S43.006A"),
        ("S43.0", "subluxed shoulder", "S43.003A"),
        ("O42.0", "SROM 38/40, labour at once", "O42.02"),
        ("O60.1", "labour and SVD at 33/40", "O60.14X0"),
        ("K41", "femoral hernia", "K41.90"),
        ("K28", "marginal ulcer", "K28.9"),
    ],
)
def test_words_of_the_text_choose_the_billable_code(code: str, text: str, billable: str) -> None:
    ranked = ("K28.4",)  # a candidate with a complication that the text does not name
    assert at_specificity(code, "billable", load_tree(), ranked, text) == billable


def test_a_temperature_and_a_trisomy_are_no_codes() -> None:
    tree = load_tree()
    assert written_codes("FN, T38.6 ANC 0.2", tree).sure == ()
    assert written_codes("T21", tree).sure == ()
    assert written_codes("T13", tree).sure == ()  # no code of this release
    assert written_codes("T38.6", tree).sure == ("T38.6",)
    assert written_codes("burn T21.01XA", tree).sure == ("T21.01XA",)


def test_a_pressure_is_no_abbreviation() -> None:
    assert expand_abbreviations("BP 150/90").ambiguous == ()
    assert expand_abbreviations("BP 158").text == "BP 158"
    assert expand_abbreviations("press").text == "press"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        # What only looks like an overdose, a pregnancy, a temperature or a pressure.
        ("suicidal, 3 days, depression", "F32"),
        ("hx depression, took 40 tylenol to kill self", "T39"),
        ("fell twice, on warfarin, SDH", "S06"),
        ("AF, bisoprolol 2.5 OD apixaban 5 BD", "I48"),
        ("insulin omitted in error, DKA", "E11"),
        ("asthma, wife pregnant", "J45"),
        ("asthma, was pregnant last year", "J45"),
        ("4mo ex 25 weeks GA, chronic lung disease", "J98"),
        ("NG feeds, d10 post stroke, aspiration pneumonia", "J69"),
        ("T42.4 benzodiazepine", "T42"),
        ("SBP 350 cells, cirrhosis", "K65"),
        ("anterior chamber cells and flare", "H20"),
        # A chronic condition stands before no complaint, and a disease before both.
        ("HTN, chest pain", "R07"),
        ("headache, HTN", "R51"),
        ("HTN; chest pain; NSTEMI", "I21"),
        ("routine check; HTN", "I10"),
        ("lives with wife, asthma", "J45"),
        ("HIV negative, TB", "A15"),
        ("USS abdo: multiple mobile gallstones, CBD 4mm", "K80"),
        ("BMI 35.0-35.9, adult", "Z68"),
        ("BMI 19.9 or less, adult", "Z68"),
    ],
)
def test_what_only_looks_like_it_keeps_its_meaning(
    mapper: Mapper, text: str, category: str
) -> None:
    assert (mapper.map(text).code or "")[:3] == category


@given(st.sampled_from(("d1 ", "mum ", " ", "# ", "OD ", "flare ", "1. ", "26/40 ")))
@settings(max_examples=8, deadline=None)
def test_long_runs_of_what_the_rules_look_for_are_read_at_once(mapper: Mapper, run: str) -> None:
    started = time.process_time()
    mapper.map((run * 3000)[:4000])
    assert time.process_time() - started < 5
