"""Which notes are asked, what an infarction is told by, and what a third condition joins."""

import time

import pytest

from dxjudge import Mapper
from dxjudge.ontology.notes.infarctions import infarction_in
from dxjudge.ontology.notes.parts import read_note
from dxjudge.ontology.notes.retold import retold
from dxjudge.ontology.reading.normalise import LONGEST


@pytest.fixture(scope="module")
def mapper() -> Mapper:
    return Mapper(added="none", specificity="billable")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("chest tightness 3h, STE V2-V4, lysed", "STEMI of anterior wall"),
        ("ST elevation in III aVF, RCA stented", "STEMI involving right coronary artery"),
        ("58 yr old, STE I aVL", "STEMI of lateral wall"),
        ("no STE in V1-4, trop neg", ""),
        ("early repol, ST elevation V2-3", ""),
        ("NSTEMI V4-6", ""),
        ("STEMI 9 days ago, now NSTEMI", "subsequent NSTEMI"),
        ("NSTEMI 6 weeks ago, new STEMI", ""),  # only within four weeks
        ("re-infarction D4, STE II III aVF", "subsequent STEMI of inferior wall"),
    ],
)
def test_leads_and_dates_tell_an_infarction(text: str, told: str) -> None:
    assert infarction_in(text) == told


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # The code of the first part was sure of its category, and the diagnosis stands behind it.
        ("R loin pain, rigors, urine dip pos -> acute pyelonephritis", "N10"),
        ("thunderclap HA, CT shows SAH", "I60.9"),
        # A third condition joins what two have made, in any order.
        ("CCF + HTN + CKD4, IV frusemide", "I13.0"),
        ("HTN, CKD3b, decompensated HFrEF", "I13.0"),
        ("anemia from ca stomach, transfused 2u", "C16.9"),
        ("Charcot foot R, T2DM", "E11.610"),
        ("AKI on CKD4, hold ramipril", "N17.9"),
        # A test of the note rules out what a word beside it would mean.
        ("Kaposi sarcoma of skin, HIV neg, elderly", "C46.0"),
        # Names of the base keep their codes, whatever else they could tell.
        ("Accidental drowning and submersion while in bath-tub", "W65.XXXA"),
        ("Influenza due to other identified influenza virus with pneumonia", "J10.00"),
        ("Other specified diabetes mellitus with hypoglycemia", "E13.649"),
        ("amniotic fluid aspiration pneumonia", "P24.11"),
    ],
)
def test_what_else_a_note_tells_is_weighed(mapper: Mapper, text: str, code: str) -> None:
    assert mapper.map(text).code == code


@pytest.mark.parametrize(
    "words",
    [
        "POD1",
        "D1 post",
        "RT 1/2",
        "hx of",
        "MI 2",
        "ca colon",
        "no",
        "G2P1 20/40",
        "ulcer foot",
        "+",
    ],
)
def test_no_text_is_read_for_long(words: str) -> None:
    text = f"{words} " * (LONGEST // len(words))
    parts = read_note(text)
    start = time.process_time()
    retold(text, parts)
    assert time.process_time() - start < 1
