"""Reasons of a visit that are no disease, and what stands before them: acts, contacts and more."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxjudge import Mapper
from dxjudge.ontology.notes.parts import read_note
from dxjudge.ontology.notes.retold import retold
from dxjudge.ontology.packaged import packaged_rows


@pytest.fixture(scope="module")
def mapper() -> Mapper:
    return Mapper(added="none", specificity="billable")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # The encounter for a treatment, and what goes wrong with it (I.C.2.e.2, I.C.2.l).
        ("carboplatin/paclitaxel cycle 4, ovarian ca, day ward", "Z51.11"),
        ("HD MTX C3, osteosarcoma femur, adm", "Z51.11"),
        ("nivolumab #12, melanoma w lung mets, well", "Z51.12"),
        ("SABR 3/5, RUL NSCLC", "Z51.0"),
        ("planned for RT 6/52, ca cervix", "C53.9"),
        ("FOLFIRI C2, admitted for sepsis, rectal ca", "C20"),
        # Devices and aftercare (I.C.21.c.7).
        ("pacemaker check, CHB, all parameters satisfactory", "Z45.018"),
        ("pacemaker pocket infection, PPM check done", "T82.7XXA"),
        ("Foley changed today, paraplegia", "Z46.6"),
        ("PICC removed, line sepsis", "T80.211A"),
        ("hearing aid review, presbycusis", "Z46.1"),
        ("TKR 6/52 review, ROM 0-110, wound healed", "Z47.1"),
        ("lap chole 2/52 ago, wounds healed, no pain", "Z48.815"),
        ("cholecystectomy 2010, RUQ pain", "R10.11"),
        # Treated and gone (I.C.21.c.8).
        ("breast ca 2012 NED, annual mammogram clear", "Z08"),
        ("breast ca on letrozole, annual mammo clear", "C50.919"),
        ("melanoma 2015 excised, no recurrence, nil new", "Z85.820"),
        ("lung ca 2018 resected NED, COPD exac", "J44.1"),
        ("malaria 2010, treated", "Z86.13"),
        ("TB 2012 treated, now haemoptysis", "R04.2"),
        ("HCV SVR12, no fibrosis, discharge", "Z86.19"),
        # Suspected and excluded (I.C.21.c.6).
        ("?swallowed magnet, AXR clear", "Z03.821"),
        ("?meningitis, LP neg, obs 24h, well", "Z03.89"),
        ("?appendicitis, USS neg, RLQ pain", "R10.31"),
        ("newborn sepsis screen, CRP neg, infection excluded", "Z05.1"),
        ("fell in kitchen, no injuries, lives alone", "Z04.3"),
        ("RTC, neck pain, no injury on CT", "M54.2"),
        # A due check, a vaccine beside a disease.
        ("HTN stable, smear due", "I10"),
        ("asthma, flu jab today", "J45.909"),
        ("OA knee, flu jab declined", "M17.9"),
        ("MMR held, acute otitis media", "Z28.01"),
        # States alone and beside a disease (I.C.21.c.3).
        ("AVR 2015, asx, annual echo", "Z95.2"),
        ("AVR 2015, endocarditis", "I38"),
        ("hysterectomy 2010, vaginal bleeding", "N93.9"),
        # Who met an infection, and who carries one.
        ("partner has gonorrhoea, asx, treated", "Z20.2"),
        ("scabies contact, itchy", "B86"),
        ("needlestick, source hep C positive", "Z20.5"),
        ("strep B carrier, 36/40", "Z22.330"),
        ("MRSA carrier, cellulitis leg", "L03.119"),
        # Other people and a life.
        ("carer stress, mum has dementia", "Z63.6"),
        ("MFFD, awaiting care home bed", "Z75.1"),
        ("annual exam, breast lump", "Z00.01"),
        ("penicillin allergy, rash", "Z88.0"),
        ("peanut allergy, anaphylaxis, epi given", "T78.2XXA"),
    ],
)
def test_the_reason_of_a_visit_stands_first(mapper: Mapper, text: str, code: str) -> None:
    assert mapper.map(text).code == code


@pytest.mark.parametrize(
    "text",
    [
        "s/p 3 cycles BEP, PE on CT, testis ca",
        "C5 radiculopathy, gem",
        "RT knee OA 2/4, pain",
        "ICD check after 3 shocks, VT",
        "contact dermatitis, well",
        "newborn jaundice, sepsis ruled out",
        "sutures removed",
        "flu shot",
    ],
)
def test_other_notes_name_no_such_reason(text: str) -> None:
    assert retold(text, read_note(text)) == ()


@pytest.mark.parametrize("row", packaged_rows("reasons.tsv"), ids=lambda row: row[4])
def test_each_row_reads_its_example(row: list[str]) -> None:
    text = f"{row[4]}, no infection, well" if "," not in row[4] else row[4]
    assert [code for one in retold(text, read_note(text)) for code in one.codes] == [row[3]]


@settings(max_examples=30, deadline=None)
@given(st.text("aC1 ,/.?#-", min_size=400, max_size=400))
def test_reading_takes_no_long_time(text: str) -> None:
    start = time.perf_counter()
    retold(text, read_note(text))
    assert time.perf_counter() - start < 1
