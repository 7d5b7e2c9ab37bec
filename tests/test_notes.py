"""The parts of a note, what speaks for the code of each, and the choice between them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge import Mapper
from dxjudge.graphs.mapping import map_wholes
from dxjudge.ontology.notes.model import likeliest, load_note_model
from dxjudge.ontology.notes.narrated import read_notes
from dxjudge.ontology.notes.options import NOTE_FEATURES, options_of
from dxjudge.ontology.notes.parts import CUES, read_note, wordings_in_context
from dxjudge.ontology.reading.overdose import told_overdose


@pytest.fixture(scope="module")
def mapper() -> Mapper:
    return Mapper(added="none", specificity="billable")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "58M w/ LBP -> MRI, discitis 2/2 MSSA",
            [("LBP", "first"), ("MRI", "then"), ("discitis", "listed"), ("MSSA", "cause")],
        ),
        (
            "crohns w stricture / SBO",
            [("crohns", "first"), ("stricture", "with"), ("SBO", "either")],
        ),
        (
            "fall (mechanical), hip fx",
            [("fall", "first"), ("mechanical", "aside"), ("hip fx", "aside")],
        ),
        ("COPD w/o exacerbation", []),
        ("asthma", []),
    ],
)
def test_a_note_has_parts_and_each_says_how_it_follows(
    text: str, parts: list[tuple[str, str]]
) -> None:
    assert [(part.text, part.cue) for part in read_note(text)] == parts


@given(st.text(max_size=300))
def test_parts_stand_in_their_note(text: str) -> None:
    parts = read_note(text)
    assert len(parts) != 1
    for part in parts:
        assert part.text in text and part.cue in CUES
    assert [part.cue == "first" for part in parts] == [place == 0 for place in range(len(parts))]


def test_a_part_is_read_in_the_words_for_its_patient() -> None:
    for text, wording in (
        ("35/40, itch, cholestasis", "cholestasis in pregnancy"),
        ("term NB, jaundice", "newborn jaundice"),
        ("fell off bike, SDH", "traumatic SDH"),
        ("PPD#3, fever, endometritis", "postpartum endometritis"),
        ("vomiting, US pyloric stenosis", "pyloric stenosis"),
    ):
        last = read_note(text)[-1]
        assert wording in [words for _, words in wordings_in_context(last, text)], text


def test_each_option_has_its_features_and_a_share(mapper: Mapper) -> None:
    text = "cough x3d, CXR RLL infiltrate, pneumonia"
    whole = map_wholes(mapper.parts, [text])
    parts = read_notes(whole, mapper.parts.policy)[0]
    options, rows = options_of(whole[0], parts, mapper.parts.retriever.tree)
    assert rows.shape == (len(options), len(NOTE_FEATURES)) and np.isfinite(rows).all()
    assert len({option.code for option in options}) == len(options)
    shares = load_note_model().shares(rows)
    assert shares.min() >= 0 and shares.sum() == pytest.approx(1)


def test_the_likeliest_category_counts_before_the_likeliest_code() -> None:
    # N39: 0.4; J18: 0.35 + 0.25 = 0.6, of which J18.9 has the larger share.
    best, share = likeliest(["N39.0", "J18.1", "J18.9"], np.array([0.4, 0.25, 0.35]))
    assert best == 2 and share == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("took 40 tylenol tabs to kill self, APAP 210, NAC", "intentional overdose of tylenol"),
        ("slow K 40 tabs, suicide", "intentional overdose of slow k"),
        ("86F took gliclazide twice by mistake", "accidental overdose of gliclazide"),
        ("2yo drank bleach", "accidental ingestion of bleach"),
        ("no suicidal intent, took extra 2 codeine", "accidental overdose of codeine"),
        ("took tylenol for pain", ""),
        ("2yo with fever took ibuprofen", ""),
        ("depression 3 mo, SI, on sertraline 50 mg", ""),
        ("depression, suicidal ideation", ""),
    ],
)
def test_an_overdose_in_everyday_words_is_read(text: str, told: str) -> None:
    assert told_overdose(text) == told


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("took 40 tylenol tabs to kill self, APAP 210, NAC", "T39.1X2A"),
        ("ate mum's iron tabs, 2yo, vomiting", "T45.4X1A"),
        ("severe PET 34/40, MgSO4", "O14.13"),
        ("missed misc 9/40, no FH, miso", "O02.1"),
        ("UTI 3/7", "N39.0"),
        ("used to have stomach ulcers", "Z87.11"),
        ("Obs susp toxic eff ingest substance, ruled out", "Z03.6"),
    ],
)
def test_what_charts_write_has_its_code(mapper: Mapper, text: str, code: str) -> None:
    assert mapper.map(text).code == code


def test_a_number_over_forty_is_no_pregnancy_where_an_eye_or_a_newborn_is_meant(
    mapper: Mapper,
) -> None:
    read = mapper.parts.retriever.read
    for text in ("vision 20/40, cataract", "BW 2 kg, 34/40", "visual acuity 6/40"):
        assert "pregnancy" not in read(text).forms[0].text, text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # A state, a history or a treatment does not stand before a condition.
        ("ex smoker, COPD", "J44"),
        ("FH of diabetes, Parkinson's disease", "G20"),
        ("VT arrest, ICD in situ", "I47"),
        ("CRP 120, on levothyroxine, malaria", "B54"),
        # "With" and "due to" join what one name says.
        ("breast cancer with bone metastasis", "C50"),
        ("hypercalcemia due to malignancy", "E83"),
        ("hemiparesis due to old CVA", "I69"),
        # Words that only look like those of a pregnancy, an infant, an accident or an overdose.
        ("vision 20/40, anemia, fatigue", "R53"),
        ("cough, HTN 6 mo f/u, hydronephrosis", "N13"),
        ("SOB, pneumothorax, stable", "J93"),
        ("HTN, taking lisinopril twice daily", "I10"),
        ("neck pain after accident, took tylenol", "M54"),
        ("depression, denies suicidal thoughts, taking sertraline", "F32"),
        # Tests and drugs before a disease do not hide it.
        ("bloods awaited, given IV fluids, UTI", "N39"),
    ],
)
def test_what_stands_beside_a_condition_does_not_take_its_place(
    mapper: Mapper, text: str, code: str
) -> None:
    mapping = mapper.map(text)
    assert mapping.code is not None and mapping.code.startswith(code), mapping


def test_a_note_has_one_code_however_many_candidates_are_shown(mapper: Mapper) -> None:
    texts = (
        "sore throat, red eyes, pharyngoconjunctival fever",
        "SOB, pneumothorax, CXR",
        "HTN, T2DM, pregnant",
    )
    for top_k in (1, 3, 15):
        few = Mapper(added="none", specificity="billable", top_k=top_k)
        for text in texts:
            mapping = few.map(text)
            assert mapping.code == mapper.map(text).code
            assert len(mapping.candidates) <= top_k
            assert mapping.score == mapper.map(text).score


def test_a_higher_least_score_changes_no_note_above_it() -> None:
    text = "Dysuria x3d, UA nit+, macrobid, UTI"
    score = Mapper(added="none").map(text).score
    strict = Mapper(added="none", min_score=round(score - 0.05, 2)).map(text)
    assert (strict.code, strict.score) == ("N39.0", score)


def test_the_categories_of_a_note_sum_to_one_at_most(mapper: Mapper) -> None:
    for text in ("fever, pneumonia, cough", "fell off ladder, L hip fx", "ex smoker, COPD"):
        mapping = mapper.map(text)
        of_category: dict[str, set[float]] = {}
        for one in mapping.candidates:
            of_category.setdefault(one.code[:3], set()).add(one.category_score)
        assert all(len(scores) == 1 for scores in of_category.values()), text
        assert sum(max(scores) for scores in of_category.values()) <= 1.001
        assert sum(one.score for one in mapping.candidates) <= 1


def test_long_runs_of_amounts_are_read_at_once() -> None:
    for text in ("suicidal, took " + "1 x " * 99 + "a", "suicidal took " + "1  " * 99 + "!"):
        assert told_overdose(text[:400]) is not None
