"""A note that tells complaints, an accident or the work-up first gets the code of its diagnosis."""

import pytest

from dxjudge import Mapper
from dxjudge.ontology.packaged import packaged_rows
from dxjudge.ontology.tree import load_tree


@pytest.fixture(scope="module")
def mapper() -> Mapper:
    return Mapper(added="none")


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("dysuria x3d, UA LE+, macrobid, UTI", "N39"),
        ("fell down stairs, subdural hematoma, no LOC", "S06"),
        ("RUQ pain -> acute cholecystitis", "K81"),
        ("cough, h/o pneumonia", "R05"),
        ("fell off ladder, L hip fx", "S72"),
        ("fever, COVID exposure", "R50"),
        ("fever, fundal tenderness, gent/clinda, endometritis", "N71"),
    ],
)
def test_the_diagnosis_of_a_note_counts(mapper: Mapper, text: str, category: str) -> None:
    mapping = mapper.map(text)
    assert mapping.code is not None and mapping.code[:3] == category
    assert mapping.reason is not None and "is the code of" in mapping.reason
    assert mapping.score < 0.8 and mapping.category_score < 0.8
    assert sum(candidate.score for candidate in mapping.candidates) <= 1


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("chest pain, HTN, DM2", "R07"),  # chronic conditions beside a complaint
        ("dysuria, no UTI", "R30"),  # what is denied is not the diagnosis
        ("headache, r/o meningitis", "R51"),  # nor what is looked for
        ("well child, eczema", "Z00"),  # a contact that the note begins with
        ("sports physical, asthma", "Z02"),  # and one whose condition stands beside it
        ("s/p cholecystectomy, gallstones", "Z90"),  # the disease of an organ that is gone
        ("fever, cough, myalgia", "R50"),  # complaints of other chapters
    ],
)
def test_what_does_not_explain_a_complaint_leaves_it(
    mapper: Mapper, text: str, category: str
) -> None:
    mapping = mapper.map(text)
    assert mapping.code is not None and mapping.code[:3] == category


def test_a_list_is_no_condition_that_it_does_not_name(mapper: Mapper) -> None:
    for text, code in (("pneumonia, fever", "J18"), ("pneumonia, cough", "J18")):
        mapping = mapper.map(text)
        assert mapping.code == code, text  # as one text they are near to Q fever and pertussis


def test_lists_of_drugs_and_remarks_stay_refused(mapper: Mapper) -> None:
    for text in ("metformin, lisinopril, atorvastatin", "colonoscopy, 2019", "CBC, BMP, UA"):
        assert mapper.map(text).code is None, text


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        # What stood beside the code of the complaint does not stay beside that of the diagnosis.
        ("headache with hypertension, subarachnoid hemorrhage", ("I60",)),
        ("chest pain with dyspnea, pulmonary embolism", ("I26",)),
        # Weeks and accidents stand beside the new code.
        ("abdominal pain, preeclampsia, 34 weeks", ("O14", "Z3A.34")),
        ("fell from ladder, left rib fracture", ("S22.32", "W11")),
    ],
)
def test_what_stands_beside_a_diagnosis_is_of_it(
    mapper: Mapper, text: str, codes: tuple[str, ...]
) -> None:
    mapping = mapper.map(text)
    assert mapping.codes == codes
    assert mapping.reason is not None and "'left' is not in the code" not in mapping.reason


def test_min_score_and_specificity_hold_for_notes_too() -> None:
    text = "RUQ pain -> acute cholecystitis"
    assert Mapper(added="none").map(text).code == "K81.0"
    strict = Mapper(added="none", min_score=0.8).map(text)
    assert strict.code is None or strict.score >= 0.8
    wide = Mapper(added="none", specificity="category").map("cough, TB, HIV negative")
    assert (wide.code, wide.score) == ("A15", wide.category_score)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("58M w/ pneumonia", "J18"),
        ("72yo female, CHF exacerbation", "I50.9"),
        ("pt is a 35 yo F with SLE", "M32"),
        ("a 45-year-old woman with lupus nephritis", "M32.14"),
        ("67M NSTEMI", "I21.4"),
        # The sex is that of the disease where such a term is.
        ("35 yo female infertility", "N97"),
        ("35F infertility", "N97"),
        ("45 yo male breast cancer", "C50.92"),
        ("45 yo male hypogonadism", "E29.1"),
    ],
)
def test_the_patient_before_a_diagnosis_is_set_aside(mapper: Mapper, text: str, code: str) -> None:
    assert mapper.map(text).code == code


def test_a_number_without_a_unit_or_a_sign_is_no_patient(mapper: Mapper) -> None:
    read = mapper.parts.retriever.read
    for text in ("3 M burn", "21 F hydroxylase deficiency", "12 man crush injury"):
        assert read(text).forms[0].text.startswith(text[:2].strip()), text
    mapping = mapper.map("16 year old pregnant")
    assert mapping.code is not None and mapping.code.startswith(("O", "Z3"))


def test_a_disease_explains_complaints_of_other_chapters(mapper: Mapper) -> None:
    for text, category in (("chest pain, leg pain, PE", "I26"), ("fever, otalgia, AOM", "H66")):
        mapping = mapper.map(text)
        assert mapping.code is not None and mapping.code.startswith(category), text


def test_the_table_of_parts_holds_codes_of_the_release_once() -> None:
    rows = packaged_rows("parts.tsv")
    assert {kind for _, kind, _ in rows} == {"chronic", "complaint", "encounter", "second"}
    assert len({code for code, _, _ in rows}) == len(rows)
    codes = {node.code for node in load_tree().nodes}
    assert [code for code, _, _ in rows if not any(one.startswith(code) for one in codes)] == []
