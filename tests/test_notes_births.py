"""The patient of a note, and what notes of mothers and newborns tell as a whole."""

import time

import pytest

from dxjudge import Mapper
from dxjudge.ontology.combinations import find_combination
from dxjudge.ontology.notes.births import told_of_birth
from dxjudge.ontology.notes.parts import read_note
from dxjudge.ontology.notes.patient import patient_of
from dxjudge.ontology.notes.retold import retold
from dxjudge.ontology.packaged import packaged_rows
from dxjudge.ontology.tree import load_tree


@pytest.fixture(scope="module")
def mapper() -> Mapper:
    return Mapper(added="none", specificity="billable")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # The weeks after a delivery (guidelines, I.C.15.o), and a newborn (I.C.16.a).
        ("PN D3 calf DVT, clexane", "O87.1"),
        ("PE 3/52 PN", "O88.23"),
        ("pyelonephritis day 8 post NVD", "O86.21"),
        ("s/p CS 2015, UTI", "N39.0"),
        ("neonate fever D10", "P81.9"),
        ("neonate AKI", "P96.0"),
        ("4yo with UTI", "N39.0"),
        ("3 week old pyloric stenosis", "Q40.0"),
        # Entries of the healthy.
        ("baby girl born by emCS 39+4, BW 3.4kg", "Z38.01"),
        ("SVD 40/40 live female, EBL 250", "O80"),
        ("G3P2 32/40 ANC, BP 110/70, FHR 140, no concerns", "Z34.83"),
        ("38F G3P2 28/40 ANC", "O09.523"),
        ("prev CS x1, ANC 20/40", "O34.219"),
        # Blood, treatment, grades and weights.
        ("retained placenta EBL 1.8L", "O72.0"),
        ("retained placenta, no PPH", "O73.0"),
        ("GDM 30/40 on metformin and Lantus", "O24.414"),
        ("mod HIE cooled", "P91.62"),
        ("ROP stage 3 both eyes", "H35.143"),
        ("IVH 72F on warfarin", "I61.5"),
        ("BW 4600g", "P08.0"),
        # Of the fetus in its mother, and what was suspected and excluded.
        ("fetal gastroschisis 22/40", "O35.DXX0"),
        ("fetal alcohol syndrome", "Q86.0"),
        ("newborn observed for sepsis, ruled out", "Z05.1"),
        ("adult GBS sepsis", "A40.1"),
    ],
)
def test_the_patient_decides_the_code(mapper: Mapper, text: str, code: str) -> None:
    assert mapper.map(text).code == code


@pytest.mark.parametrize(
    "text",
    [
        "h/o postpartum depression",
        "B12 deficiency, PN both feet",
        "mastitis non puerperal",
        "fever, newborn at home",
        "VA 20/40",
    ],
)
def test_what_is_past_or_of_another_tells_no_patient(text: str) -> None:
    assert patient_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "prev GDM on metformin",
        "breast abscess, non lactational",
        "term baby, SVD, jaundice D3",
        "ANC 22/40, spotting",
        "34/40 reduced movements, prev LSCS",
        "NIPT declined T21",
        "mum severe PET, term baby well",
    ],
)
def test_a_near_text_tells_no_birth(text: str) -> None:
    assert told_of_birth(text) is None


def test_each_code_of_the_tables_is_one_of_the_release() -> None:
    tree = load_tree()
    for *_, code in packaged_rows("births.tsv"):
        assert any(node.code.startswith(code) for node in tree.nodes), code
    rows = [row for row in packaged_rows("combinations.tsv") if row[1] in {"O90.9", "P96.9"}]
    assert len(rows) > 100
    for prefixes, _, code, _ in rows:
        assert tree.node(code).code == code, prefixes
    line = find_combination("R17", "P96.9")
    assert line is not None and line.code == "P59.9"


def test_long_texts_are_read_fast() -> None:
    start = time.perf_counter()
    for text in ("nb 1/1 ff " * 500, "sepsis baby " * 300, "gdm " * 1000):
        retold(text, read_note(text))
    assert time.perf_counter() - start < 20
