"""What a whole note tells by two things in it: old strokes, valves, lab values, tests, HIV."""

import time

import pytest

from dxjudge import Mapper
from dxjudge.ontology.notes.retold import retold
from dxjudge.ontology.packaged import packaged_rows


@pytest.fixture(scope="module")
def mapper() -> Mapper:
    return Mapper(added="none", specificity="billable")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # What a stroke of the past has left (guidelines, I.C.9.d), and a stroke of today.
        ("old CVA, L arm + leg hemiparesis, wheelchair", "I69.354"),
        ("stroke 2014, residual slurred speech", "I69.322"),
        ("acute stroke, L hemi, onset 0900", "I63.9"),
        # Short names of valves decide each other; alone MS is a sclerosis too.
        ("RHD, MS/MR, for PTMC", "I05.2"),
        ("MS, relapse, IV methylpred", "G35.D"),
        # A lab value that is all that a note tells, but not beside a diagnosis.
        ("weak legs, K 2.2", "E87.6"),
        ("missed HD x2, K 7.3, tented T", "E87.5"),
        ("INR 9 on warfarin, no bleed", "R79.1"),
        # An infection of HIV disease comes after it (I.C.1.a.2.a).
        ("CMV retinitis, known HIV", "B20"),
        ("cryptococcal meningitis, HIV neg", "B45.1"),
        # A test names the disease.
        ("fever 4d, myalgia, NS1 pos", "A90"),
        ("cough 1/12, wt loss, GXP pos", "A15.0"),
        ("dengue, gum bleeding", "A90"),
        ("fever, NS1 neg", "R50.9"),
        # Diabetes with what the note tells beside it (I.C.4.a).
        ("hypo on gliclazide, BM 2.1", "E11.649"),
        ("T1DM, recurrent hypos", "E10.649"),
        ("DFU, dry gangrene 2nd toe", "E11.52"),
        ("T2DM, foot ulcer, no gangrene", "E11.621"),
        # Dialysis makes it the end stage.
        ("CKD V on CAPD", "N18.6"),
        ("CKD V, declines dialysis", "N18.5"),
    ],
)
def test_what_a_note_tells_stands_first(mapper: Mapper, text: str, code: str) -> None:
    assert mapper.map(text).code == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("klonopin addiction", "F13.20"),
        ("percocet misuse", "F11.10"),
        ("ritalin abuse", "F15.10"),
        ("RML pneumonia", "J18.9"),
        ("LD severe", "F72"),
        ("UMN VII palsy", "R29.810"),
        ("paraplegia T10", "G82.20"),
        ("HIV reactive", "Z21"),
        ("cat BE", "H26.9"),
        ("MH RE", "H35.341"),
    ],
)
def test_short_names_have_their_code(mapper: Mapper, text: str, code: str) -> None:
    assert mapper.map(text).code == code


@pytest.mark.parametrize("text", ["SBP 80", "K 4.2", "Na 139", "Ca 1.6", "Hb 62, plt 90"])
def test_a_value_is_no_abbreviation_and_no_diagnosis(mapper: Mapper, text: str) -> None:
    assert mapper.map(text).code is None


@pytest.mark.parametrize("row", packaged_rows("tellings.tsv"), ids=lambda row: row[4])
def test_each_row_of_the_table_fits_its_text(row: list[str], mapper: Mapper) -> None:
    told = retold(row[4], ())
    assert told and told[0].codes == tuple(row[3].split())
    known = mapper.map(told[0].words)
    assert known.decided_by == "exact" and (known.code or "").startswith(told[0].codes)


@pytest.mark.parametrize(
    "text",
    [
        f"{start}{more * 6000}!"
        for start in ("", "T2DM ", "flu ")
        for more in ("old cva ", "MS/", "K 6 ", "hiv tb ", "ckd hypo ", "a1c 11, ", "1,", "11")
    ],
)
def test_long_texts_are_read_in_time(text: str) -> None:
    began = time.perf_counter()
    retold(text, ())
    assert time.perf_counter() - began < 2
